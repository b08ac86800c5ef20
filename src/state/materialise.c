/* A state as a table in memory, for everything that works on tables: releases, reports, refinements. */
#include "core/alloc.h"
#include "state/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void kanon__whole_clear(kanon__whole *w)
{
    kanon_table_free(w->table);
    kanon_schema_free(w->schema);
    kanon__free(w->groups);
    kanon__free(w->ids);
    *w = (kanon__whole){0};
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

typedef struct membership {
    int64_t record, group;
} membership;

typedef struct gathering {
    kanon_state *state;
    membership *items;
    int64_t n, room;
} gathering;

static kanon_status note_leaf(const kanon__node *leaf, void *payload, kanon_error *err)
{
    gathering *g = payload;
    if (leaf->begins[leaf->n] > g->room - g->n)
        return kanon__store_damaged(&g->state->store, "its groups have more records than there are", err);
    for (int slot = 0; slot < leaf->n; slot++)
        for (int64_t i = leaf->begins[slot]; i < leaf->begins[slot + 1]; i++)
            g->items[g->n++] = (membership){leaf->members[i], leaf->keys[slot]};
    return KANON_OK;
}

static int by_record(const void *left, const void *right)
{
    const membership *a = left, *b = right;
    return a->record < b->record ? -1 : a->record > b->record;
}

static kanon_status list_ids(kanon__whole *w, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *ids = NULL;
    bool row;
    KANON_TRY(kanon__new_array(&w->ids, s->n_records, "records", err), out);
    KANON_TRY(kanon__new_array(&w->groups, s->n_records, "records", err), out);
    KANON_TRY(kanon__store_prepare(&s->store, &ids, "SELECT id FROM records ORDER BY id", err), out);
    for (w->n = 0;; w->n++) {
        KANON_TRY(kanon__store_step(&s->store, ids, &row, err), out);
        if (!row)
            break;
        if (w->n == s->n_records) {
            st = kanon__store_damaged(&s->store, "it has more records than it says", err);
            goto out;
        }
        w->ids[w->n] = sqlite3_column_int64(ids, 0);
    }
    if (w->n < s->n_records)
        st = kanon__store_damaged(&s->store, "it has fewer records than it says", err);
out:
    sqlite3_finalize(ids);
    return st;
}

kanon_status kanon__whole_members(kanon__whole *out, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    gathering g = {.state = s, .room = s->n_records};
    *out = (kanon__whole){0};
    KANON_TRY(list_ids(out, s, err), out);
    KANON_TRY(kanon__new_array(&g.items, s->n_records, "members of groups", err), out);
    KANON_TRY(kanon__group_index_visit(s->index, note_leaf, &g, err), out);
    qsort(g.items, (size_t)g.n, sizeof *g.items, by_record);
    int64_t at = 0;
    for (int64_t i = 0; i < out->n; i++)
        if (at < g.n && g.items[at].record == out->ids[i])
            out->groups[i] = g.items[at++].group;
    if (at < g.n || out->n - g.n != s->n_suppressed)
        st = kanon__store_damaged(&s->store, "its groups and its records do not fit together", err);
out:
    kanon__free(g.items);
    if (st != KANON_OK)
        kanon__whole_clear(out);
    return st;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

typedef struct writing {
    kanon_state *state;
    const kanon__whole *whole;
    FILE *file;
    int64_t at; /* the next record that is wanted */
} writing;

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

static kanon_status write_record(const kanon__record *record, const char *cells, size_t size, const int64_t *places,
                                 void *payload, kanon_error *err)
{
    writing *w = payload;
    (void)places;
    (void)err;
    if (w->at >= w->whole->n || w->whole->ids[w->at] != record->id)
        return KANON_OK;
    w->at++;
    if (size == 0) /* an empty line would be no record */
        fputs("\"\"", w->file);
    fwrite(cells, 1, size, w->file);
    fputs(w->state->crlf ? "\r\n" : "\n", w->file);
    return KANON_OK;
}

/* Few records are read one by one. */
static kanon_status write_each(writing *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__row row = {0};
    KANON_TRY(kanon__row_init(&row, w->state, err), out);
    while (w->at < w->whole->n) {
        kanon__record record;
        KANON_TRY(kanon__record_get(w->state, &record, w->whole->ids[w->at], &row, NULL, err), out);
        KANON_TRY(write_record(&record, row.bytes, (size_t)row.n_bytes, NULL, w, err), out);
    }
out:
    kanon__row_clear(&row);
    return st;
}

static kanon_status write_cells(int fd, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    writing *w = payload;
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
    st = w->whole->n < s->n_records / 4 ? write_each(w, err) : kanon__records_visit(w->state, write_record, w, err);
    bool lost = ferror(w->file) != 0;
    lost = fclose(w->file) != 0 || lost;
    if (st == KANON_OK && lost)
        st = kanon__hint(err, kanon__fail_errno(err, errno, "write", "a temporary file"),
                         "set TMPDIR to a directory with room for a copy of the table");
    return st;
}

kanon_status kanon__whole_table(kanon__whole *whole, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__input input = {0};
    writing w = {.state = s, .whole = whole};
    kanon_read_options reading = {
        .struct_size = sizeof reading, .delimiter = s->delimiter, .tick = s->tick, .payload = s->payload};
    KANON_TRY(kanon__catalog_schema(&whole->schema, s, err), out);
    KANON_TRY(kanon__input_make(&input, s->store.path, err, write_cells, &w), out);
    KANON_TRY(kanon__table_from_input(&whole->table, &input, whole->schema, &reading, err), out);
    if (whole->table->n_rows != whole->n || whole->table->n_columns != s->n_columns)
        st = kanon__store_damaged(&s->store, "its records", err);
out:
    kanon__input_close(&input);
    return st;
}

/* Where each number lies in the range of the whole state, of which the table may be a part. */
static void set_positions(kanon__dimension *d, const kanon__dimension_now *now, int scale)
{
    const kanon__column *c = d->column;
    __int128 range = (__int128)now->hi - now->lo;
    int64_t factor = 1;
    for (int step = c->scale; step < scale; step++)
        factor *= 10;
    for (uint32_t code = 0; range > 0 && code < d->n_codes; code++)
        if (code != c->missing_code) {
            __int128 from = (__int128)c->scaled[code] * factor - now->lo;
            d->coordinates[code] = (uint32_t)((from * d->full * 2 + range) / (2 * range));
        }
}

kanon_status kanon__whole_space(kanon__space **out, const kanon__whole *whole, const kanon_state *s, kanon_error *err)
{
    const kanon_table *t = whole->table;
    kanon_status st = kanon__space_new(out, t, t->quasi, t->n_quasi, KANON__TERMS_LOSS, err);
    for (int i = 0; st == KANON_OK && i < (*out)->n_dimensions; i++) {
        kanon__dimension *d = &(*out)->dimensions[i];
        if (d->coordinates != NULL && d->column->scaled != NULL)
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

kanon_status kanon__whole_grouping(kanon_grouping **out, const kanon__whole *w, const kanon_state *s, kanon_error *err)
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
