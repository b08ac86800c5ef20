/* Builds materialized subsets; materialise.h says what they are.
 *
 * A record is stored as one line of CSV, as it was read once. The lines of a subset are a row source in memory, which is
 * read with the state's schema (types, trees, missing texts, requirements). So a subset is encoded exactly as a file would
 * be. Fewer than a quarter of the records are read one by one, more of them in one walk over the table. */
#include "core/alloc.h"
#include "state/maintain/materialise.h"
#include "table/read/csv_source.h"
#include "table/schema/tree_internal.h"

#include <string.h>

void kanon__subset_clear(kanon__subset *w)
{
    kanon_table_free(w->table);
    kanon_schema_free(w->schema);
    kanon__free(w->records);
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
    kanon_state *s = m->state;
    KANON_CHECK(kanon__new_array(&m->subset->ids, s->n_records, "records", err));
    KANON_CHECK(kanon__new_array(&m->subset->groups, s->n_records, "records", err));
    KANON_CHECK(kanon__records_list(s, add_id, m, err));
    if (m->subset->n < s->n_records)
        return kanon__store_damaged(&s->store, "it has fewer records than it says", err);
    return KANON_OK;
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

/* The records of a subset in memory, as they are stored: one line of CSV each. */
typedef struct row_buffer {
    kanon_state *state;
    const kanon__subset *subset;
    char *bytes;
    int64_t n, capacity;
    int64_t at; /* the next row of the subset */
} row_buffer;

static kanon_status append_record(const kanon__record *record, const char *cells, size_t size, const int64_t *codes,
                                  void *payload, kanon_error *err)
{
    enum { LINE_END = 2, EMPTY_CELL = 2 };
    row_buffer *b = payload;
    (void)codes;
    if (b->at >= b->subset->n || b->subset->ids[b->at] != record->id)
        return KANON_OK;
    if (b->subset->records != NULL)
        b->subset->records[b->at] = *record;
    b->at++;
    KANON_CHECK(kanon__grow_array(&b->bytes, &b->capacity, b->n + (int64_t)size + EMPTY_CELL + LINE_END, "records", err));
    char *to = b->bytes + b->n;
    if (size == 0) { /* an empty line would be no record */
        *to++ = '"';
        *to++ = '"';
    }
    memcpy(to, cells, size);
    to += size;
    if (b->state->crlf)
        *to++ = '\r';
    *to++ = '\n';
    b->n = to - b->bytes;
    return KANON_OK;
}

/* Reads the records one by one. */
static kanon_status append_each(row_buffer *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__row row = {0};
    KANON_TRY(kanon__row_init(&row, b->state, err), out);
    while (b->at < b->subset->n) {
        kanon__record record;
        KANON_TRY(kanon__record_get(b->state, &record, b->subset->ids[b->at], &row, NULL, err), out);
        KANON_TRY(append_record(&record, row.bytes, (size_t)row.n_bytes, NULL, b, err), out);
    }
out:
    kanon__row_clear(&row);
    return st;
}

/* A row source of the subset's records. */
static kanon_status open_rows(kanon__source **out, kanon_state *s, const kanon__subset *subset, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__input input = {0};
    char **names = NULL;
    row_buffer b = {.state = s, .subset = subset};
    KANON_TRY(kanon__new_array(&names, s->n_columns, "column names", err), out);
    for (int i = 0; i < s->n_columns; i++)
        names[i] = s->columns[i].name;
    KANON_TRY(subset->n < s->n_records / 4 ? append_each(&b, err) : kanon__records_visit(s, append_record, &b, err), out);
    st = kanon__input_from_bytes(&input, s->store.path, b.bytes, (size_t)b.n, b.bytes, err);
    b.bytes = NULL;
    if (st == KANON_OK)
        st = kanon__csv_source_from_rows(out, &input, names, s->n_columns, s->delimiter, s->crlf, err);
out:
    kanon__free(b.bytes);
    kanon__free(names);
    return st;
}

/* The schema that a state writes for itself has every tree inline, also those that are made of values of records. */
static void mark_given(const kanon_table *table, const kanon_state *s)
{
    for (int i = 0; i < s->n_columns; i++) {
        const kanon__state_column *c = &s->columns[i];
        const kanon__domain *domain = table->data.columns[i].domain;
        if (domain != NULL && domain->taxonomy != NULL)
            domain->taxonomy->given = c->growth == KANON__GROWS_NEVER && c->tree != NULL && c->tree->n_nodes == c->n_given;
    }
}

kanon_status kanon__subset_read_table(kanon__subset *subset, kanon_state *s, kanon_error *err)
{
    kanon__source *source = NULL;
    kanon_read_options reading = {.struct_size = sizeof reading, .tick = s->tick, .payload = s->payload};
    KANON_CHECK(kanon__catalog_schema(&subset->schema, s, err));
    KANON_CHECK(open_rows(&source, s, subset, err));
    KANON_CHECK(kanon__table_from_source(&subset->table, source, subset->schema, &reading, err));
    if (subset->table->data.n_rows != subset->n || subset->table->data.n_columns != s->n_columns)
        return kanon__store_damaged(&s->store, "its records", err);
    mark_given(subset->table, s);
    return KANON_OK;
}

/* The low or the high end of a code in units of the whole state's range; open bands end at its ends. */
static uint32_t position_of(const kanon__dimension *d, const kanon__current_dimension *now, uint32_t code, int64_t factor,
                            bool upper)
{
    const kanon__domain *domain = d->column->domain;
    const kanon__band *band = domain->bands != NULL ? &domain->bands[code] : NULL;
    if (band != NULL && (upper ? band->open_above : band->open_below))
        return upper ? d->full : 0;
    int64_t end = upper ? kanon__domain_scaled_high(domain, code) : domain->scaled[code];
    return kanon__units_position(d->full, (__int128)end * factor - now->low, (__int128)now->high - now->low);
}

/* Positions in the range of the whole state: those of the table are in the range of its own records. */
static void set_positions(kanon__dimension *d, const kanon__current_dimension *now, int scale)
{
    const kanon__column *c = d->column;
    int64_t factor = 1;
    for (int step = c->domain->scale; step < scale; step++)
        factor *= 10;
    for (uint32_t code = 0; now->low < now->high && code < d->n_codes; code++)
        if (code != c->domain->missing_code) {
            d->lows[code] = position_of(d, now, code, factor, false);
            d->highs[code] = position_of(d, now, code, factor, true);
            d->coordinates[code] = d->lows[code] + (d->highs[code] - d->lows[code]) / 2;
        }
    if (c->domain->bands != NULL)
        kanon__dimension_update_pairs(d);
}

kanon_status kanon__subset_space(kanon__space **out, const kanon__subset *subset, const kanon_state *s, kanon_error *err)
{
    const kanon_table *t = subset->table;
    kanon_status st = kanon__space_new(out, &t->data, t->data.quasi, t->data.n_quasi, KANON__TERMS_LOSS, err);
    for (int i = 0; st == KANON_OK && i < (*out)->n_dimensions; i++) {
        kanon__dimension *d = &(*out)->dimensions[i];
        if (d->coordinates != NULL && d->column->domain->scaled != NULL)
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
    g->is_own = false; /* kanon__verify_subset checks it */
    g->k = s->k;
    g->seed = s->seed;
    g->blocks = s->blocks;
    g->revision = (uint32_t)s->revision;
    if (s->algorithm != NULL)
        KANON_CHECK(kanon__copy_text(&g->algorithm, s->algorithm, strlen(s->algorithm), "a name", err));
    if (s->refinement != NULL)
        KANON_CHECK(kanon__copy_text(&g->refinement, s->refinement, strlen(s->refinement), "a name", err));
    return split_lines(&g->settings, s->settings, err);
}

/* From what the state has kept, under the numbers of the groups there, so that a group has its ends as long as it is
 * there. */
static kanon_status draw_ends(kanon_grouping *g, const kanon__subset *w, const kanon_state *s, kanon_error *err)
{
    int64_t *names = NULL;
    KANON_CHECK(kanon__new_array(&names, g->n_groups + 1, "groups", err));
    for (int i = 0; i < w->table->data.n_quasi; i++)
        w->table->data.columns[w->table->data.quasi[i]].drawn_before = true;
    for (int64_t row = w->n; row-- > 0;)
        if (g->group_of[row] >= 0)
            names[g->group_of[row]] = w->groups[row];
    kanon_status st = kanon__grouping_draw(g, w->table, s->draw, names, err);
    kanon__free(names);
    return st;
}

kanon_status kanon__subset_grouping(kanon_grouping **out, const kanon__subset *w, const kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *g = NULL;
    KANON_TRY(kanon_grouping_new(&g, w->table, w->groups, err), out);
    KANON_TRY(note_origin(g, s, err), out);
    if (s->draw != NULL)
        KANON_TRY(draw_ends(g, w, s, err), out);
    *out = g;
    g = NULL;
out:
    kanon_grouping_free(g);
    return st;
}
