/* Builds materialized subsets; materialise.h says what they are.
 *
 * The table is built by the reader of CSV files: the cells are written to an unnamed temporary file, as they were read
 * once, and read back with the state's schema (types, trees, missing texts, requirements). So a subset is encoded exactly
 * as a file would be. Fewer than a quarter of the records are read one by one, more of them in one walk over the table. */
#include "state/maintain/materialise.h"
#include "core/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void kanon__subset_clear(kanon__subset *w)
{
    kanon_table_free(w->table);
    kanon_schema_free(w->schema);
    kanon__free(w->groups);
    kanon__free(w->ids);
    *w = (kanon__subset){0};
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* A walk over all groups that sets the group of each record. */
typedef struct membership_list {
    kanon_state *state;
    kanon__subset *subset;
    int64_t n; /* records that are in a group */
} membership_list;

/* The row of a record; -1: there is none. Ids ascend, so the row is between (record - first) - (ids that are missing) and
 * (record - first): without deletions it is found at once. */
static int64_t row_of(const kanon__subset *s, int64_t record)
{
    if (s->n == 0 || record < s->ids[0] || record > s->ids[s->n - 1])
        return -1;
    int64_t n_missing = s->ids[s->n - 1] - s->ids[0] + 1 - s->n, most = record - s->ids[0];
    int64_t lo = most > n_missing ? most - n_missing : 0, hi = most < s->n - 1 ? most : s->n - 1;
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (s->ids[middle] < record)
            lo = middle + 1;
        else
            hi = middle;
    }
    return s->ids[lo] == record ? lo : -1;
}

static kanon_status list_leaf_members(const kanon__node *leaf, void *payload, kanon_error *err)
{
    membership_list *m = payload;
    for (int slot = 0; slot < leaf->n; slot++)
        for (int64_t i = leaf->begins[slot]; i < leaf->begins[slot + 1]; i++) {
            int64_t row = row_of(m->subset, leaf->members[i]);
            if (row < 0 || m->subset->groups[row] != 0)
                return kanon__store_damaged(&m->state->store, "its groups and its records do not fit together", err);
            m->subset->groups[row] = leaf->keys[slot];
            m->n++;
        }
    return KANON_OK;
}

static kanon_status add_id(const kanon__record *record, void *payload, kanon_error *err)
{
    membership_list *m = payload;
    if (m->subset->n == m->state->n_records)
        return kanon__store_damaged(&m->state->store, "it has more records than it says", err);
    m->subset->ids[m->subset->n++] = record->id;
    return KANON_OK;
}

static kanon_status list_ids(membership_list *m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_state *s = m->state;
    KANON_TRY(kanon__new_array(&m->subset->ids, s->n_records, "records", err), out);
    KANON_TRY(kanon__new_array(&m->subset->groups, s->n_records, "records", err), out);
    KANON_TRY(kanon__records_list(s, add_id, m, err), out);
    if (m->subset->n < s->n_records)
        st = kanon__store_damaged(&s->store, "it has fewer records than it says", err);
out:
    return st;
}

kanon_status kanon__subset_list_all(kanon__subset *out, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    membership_list m = {.state = s, .subset = out};
    *out = (kanon__subset){0};
    KANON_TRY(list_ids(&m, err), out);
    KANON_TRY(kanon__group_index_visit(s->index, list_leaf_members, &m, err), out);
    if (out->n - m.n != s->n_suppressed)
        st = kanon__store_damaged(&s->store, "its groups and its records do not fit together", err);
out:
    if (st != KANON_OK)
        kanon__subset_clear(out);
    return st;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

typedef struct cell_writer {
    kanon_state *state;
    const kanon__subset *subset;
    FILE *file;
    int64_t at; /* the next row of the subset */
} cell_writer;

static void write_name(FILE *file, const char *name)
{
    fputc('"', file);
    for (; *name != '\0'; name++) {
        if (*name == '"')
            fputc('"', file);
        fputc(*name, file);
    }
    fputc('"', file);
}

static kanon_status write_record(const kanon__record *record, const char *cells, size_t size, const int64_t *codes,
                                 void *payload, kanon_error *err)
{
    cell_writer *w = payload;
    (void)codes;
    (void)err;
    if (w->at >= w->subset->n || w->subset->ids[w->at] != record->id)
        return KANON_OK;
    w->at++;
    if (size == 0) /* an empty line would be no record */
        fputs("\"\"", w->file);
    fwrite(cells, 1, size, w->file);
    fputs(w->state->crlf ? "\r\n" : "\n", w->file);
    return KANON_OK;
}

/* Reads the records one by one. */
static kanon_status write_each(cell_writer *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__row row = {0};
    KANON_TRY(kanon__row_init(&row, w->state, err), out);
    while (w->at < w->subset->n) {
        kanon__record record;
        KANON_TRY(kanon__record_get(w->state, &record, w->subset->ids[w->at], &row, NULL, err), out);
        KANON_TRY(write_record(&record, row.bytes, (size_t)row.n_bytes, NULL, w, err), out);
    }
out:
    kanon__row_clear(&row);
    return st;
}

static kanon_status write_cells(int fd, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    cell_writer *w = payload;
    const kanon_state *s = w->state;
    int copy = dup(fd);
    w->file = copy >= 0 ? fdopen(copy, "wb") : NULL;
    if (w->file == NULL) {
        st = kanon__fail_errno(err, errno, "write", "a temporary file");
        if (copy >= 0)
            close(copy);
        return st;
    }
    for (int i = 0; i < s->n_columns; i++) {
        if (i > 0)
            fputc(s->delimiter, w->file);
        write_name(w->file, s->columns[i].name);
    }
    fputs(s->crlf ? "\r\n" : "\n", w->file);
    st = w->subset->n < s->n_records / 4 ? write_each(w, err) : kanon__records_visit(w->state, write_record, w, err);
    bool lost = ferror(w->file) != 0;
    lost = fclose(w->file) != 0 || lost;
    if (st == KANON_OK && lost)
        st = kanon__hint(err, kanon__fail_errno(err, errno, "write", "a temporary file"),
                         "set TMPDIR to a directory with room for a copy of the table");
    return st;
}

kanon_status kanon__subset_read_table(kanon__subset *subset, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__input input = {0};
    cell_writer w = {.state = s, .subset = subset};
    kanon_read_options reading = {
        .struct_size = sizeof reading, .delimiter = s->delimiter, .tick = s->tick, .payload = s->payload};
    KANON_TRY(kanon__catalog_schema(&subset->schema, s, err), out);
    KANON_TRY(kanon__input_make(&input, s->store.path, err, write_cells, &w), out);
    KANON_TRY(kanon__table_from_input(&subset->table, &input, subset->schema, &reading, err), out);
    if (subset->table->n_rows != subset->n || subset->table->n_columns != s->n_columns)
        st = kanon__store_damaged(&s->store, "its records", err);
out:
    kanon__input_close(&input);
    return st;
}

/* Positions in the range of the whole state: those of the table are in the range of its own records. */
static void set_positions(kanon__dimension *d, const kanon__current_dimension *now, int scale)
{
    const kanon__column *c = d->column;
    __int128 range = (__int128)now->hi - now->lo;
    int64_t factor = 1;
    for (int step = c->scale; step < scale; step++)
        factor *= 10;
    for (uint32_t code = 0; range > 0 && code < d->n_codes; code++)
        if (code != c->missing_code) {
            __int128 from = (__int128)c->scaled[code] * factor - now->lo;
            d->position[code] = kanon__units_position(d->full, from, range);
        }
}

kanon_status kanon__subset_space(kanon__space **out, const kanon__subset *subset, const kanon_state *s, kanon_error *err)
{
    const kanon_table *t = subset->table;
    kanon_status st = kanon__space_new(out, t, t->quasi, t->n_quasi, KANON__TERMS_LOSS, err);
    for (int i = 0; st == KANON_OK && i < (*out)->n_dimensions; i++) {
        kanon__dimension *d = &(*out)->dimensions[i];
        if (d->position != NULL && d->column->scaled != NULL)
            set_positions(d, &s->space->dimensions[i], s->columns[s->dimensions[i]].scale);
    }
    return st;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static kanon_status split_lines(kanon__texts *out, const char *lines, kanon_error *err)
{
    kanon_status st = KANON_OK;
    while (st == KANON_OK && lines != NULL && *lines != '\0') {
        size_t length = strcspn(lines, "\n");
        st = kanon__texts_add(out, lines, length, err);
        lines += length + (lines[length] == '\n');
    }
    return st;
}

static kanon_status note_origin(kanon_grouping *g, const kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    g->k = s->k;
    g->seed = s->seed;
    g->blocks = s->blocks;
    g->revision = (uint32_t)s->revision;
    if (s->algorithm != NULL)
        KANON_TRY(kanon__copy_text(&g->algorithm, s->algorithm, strlen(s->algorithm), "a name", err), out);
    if (s->refinement != NULL)
        KANON_TRY(kanon__copy_text(&g->refinement, s->refinement, strlen(s->refinement), "a name", err), out);
    KANON_TRY(split_lines(&g->settings, s->settings, err), out);
out:
    return st;
}

kanon_status kanon__subset_grouping(kanon_grouping **out, const kanon__subset *w, const kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *g = NULL;
    KANON_TRY(kanon_grouping_new(&g, w->table, w->groups, err), out);
    KANON_TRY(note_origin(g, s, err), out);
    *out = g;
    g = NULL;
out:
    kanon_grouping_free(g);
    return st;
}
