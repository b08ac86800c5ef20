/* A state from a table that has just been grouped. */
#include "core/alloc.h"
#include "core/context.h"
#include "state/persons.h"
#include "state/session.h"
#include "state/wishes.h"

#include <stdio.h>
#include <string.h>

/* ---- whether it can be ------------------------------------------------------------------------------------------- */

/* Numbers rise with their codes, so the first and the last one tell. */
static bool numbers_fit(const kanon__column *c)
{
    uint32_t n = c->domain->n_codes - (c->domain->missing_code != KANON__NO_CODE);
    return c->domain->scaled != NULL &&
           (n == 0 || (kanon__place_fits(c->domain->scaled[0]) && kanon__place_fits(c->domain->scaled[n - 1])));
}

kanon_status kanon__state_fits(const kanon_table *t, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st;
    if (t->data.has_entity && t->policy.entity_together && g->n_suppressed > 0) {
        st = kanon__fail(err, KANON_EINVAL, "a state cannot keep entities together while some are suppressed");
        return kanon__hint(err, st, "ask for suppress: 0, which puts them back into groups");
    }
    for (int i = 0; i < t->data.n_quasi; i++) {
        const kanon__column *c = &t->data.columns[t->data.quasi[i]];
        if (!kanon__column_is_numeric(c) || numbers_fit(c))
            continue;
        st = kanon__fail(err, KANON_EINVAL, "%s: a state holds numbers of at most 18 digits", c->name);
        return kanon__hint(err, st, "round the column, or release without a state");
    }
    return KANON_OK;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* The taxonomy's nodes in depth-first order, so a leaf's node is known from its code. */
static kanon_status keep_tree(kanon__state_column *to, const kanon__column *from, kanon_error *err)
{
    const kanon__taxonomy *t = from->domain->taxonomy;
    kanon_status st = KANON_OK;
    for (int32_t node = 0; node < t->n_nodes && st == KANON_OK; node++) {
        size_t length;
        const char *label = kanon__taxonomy_label(t, node, &length);
        st = kanon__catalog_add_node(to, t->parent[node], label, length, err);
    }
    if (from->domain->missing_code != KANON__NO_CODE)
        to->missing_node = t->leaf_node[from->domain->missing_code];
    return st;
}

static kanon__growth_rule growth_of(const kanon__column *c, const kanon__attribute *a)
{
    if (a != NULL && a->mask != KANON_MASK_NONE)
        return a->mask == KANON_MASK_LEFT ? KANON__GROWS_MASK_LEFT : KANON__GROWS_MASK_RIGHT;
    return kanon__column_taxonomy(c) != NULL && kanon__column_taxonomy(c)->flat ? KANON__GROWS_FLAT : KANON__GROWS_NEVER;
}

static kanon_status keep_column(kanon_state *s, const kanon__column *from, const kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__state_column *c = &s->columns[s->n_columns++];
    const kanon__attribute *a = kanon__schema_find(schema, from->name);
    bool looked_into = from->role == KANON_ROLE_QUASI || from->role == KANON_ROLE_SENSITIVE;
    c->role = from->role;
    c->type = looked_into ? from->domain->type : KANON_TYPE_UNKNOWN;
    c->growth = growth_of(from, a);
    c->scale = kanon__column_is_numeric(from) ? from->domain->scale : 0;
    c->key = (int)kanon__texts_find(&schema->key, from->name, strlen(from->name)) + 1;
    c->dimension = -1;
    c->missing_node = -1;
    s->n_key += c->key > 0;
    s->n_sensitive += c->role == KANON_ROLE_SENSITIVE;
    KANON_TRY(kanon__copy_text(&c->name, from->name, strlen(from->name), "a column name", err), out);
    if (from->weight_text != NULL)
        KANON_TRY(kanon__copy_text(&c->weight_text, from->weight_text, strlen(from->weight_text), "a weight", err), out);
    bool keeps_tree = looked_into && from->domain->taxonomy != NULL &&
                      (c->role == KANON_ROLE_QUASI || c->growth != KANON__GROWS_FLAT);
    if (keeps_tree)
        KANON_TRY(keep_tree(c, from, err), out);
    if (c->role == KANON_ROLE_QUASI) {
        c->dimension = s->n_dimensions;
        s->dimensions[s->n_dimensions++] = s->n_columns - 1;
    }
out:
    return st;
}

static kanon_status keep_columns(kanon_state *s, const kanon_table *t, const kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&s->columns, t->data.n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&s->dimensions, t->data.n_columns, "columns", err), out);
    for (int i = 0; i < t->data.n_columns; i++)
        KANON_TRY(keep_column(s, &t->data.columns[i], schema, err), out);
    for (int64_t i = 0; i < t->missing.n; i++)
        KANON_TRY(kanon__texts_add(&s->missing, t->missing.items[i], strlen(t->missing.items[i]), err), out);
    s->delimiter = t->source->delimiter;
    s->crlf = t->source->crlf;
    KANON_TRY(kanon_schema_new(&s->wishes, kanon__call_context(), err), out);
    KANON_TRY(kanon__wishes_copy(s->wishes, schema, err), out);
    KANON_TRY(kanon__wishes_settle(s, err), out);
out:
    return st;
}

static kanon_status join_lines(char **out, const kanon__texts *lines, kanon_error *err)
{
    size_t size = 1, used = 0;
    for (int64_t i = 0; i < lines->n; i++)
        size += strlen(lines->items[i]) + 1;
    kanon_status st = kanon__new_array(out, (int64_t)size, "settings", err);
    for (int64_t i = 0; st == KANON_OK && i < lines->n; i++)
        used += (size_t)snprintf(*out + used, size - used, "%s\n", lines->items[i]);
    return st;
}

static kanon_status copy_optional(char **out, const char *text, kanon_error *err)
{
    return text != NULL ? kanon__copy_text(out, text, strlen(text), "a name", err) : KANON_OK;
}

static kanon_status keep_origin(kanon_state *s, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    s->k = g->k;
    s->blocks = g->blocks;
    s->seed = g->seed;
    s->revision = g->revision;
    KANON_TRY(copy_optional(&s->algorithm, g->algorithm, err), out);
    KANON_TRY(copy_optional(&s->refinement, g->refinement, err), out);
    KANON_TRY(join_lines(&s->settings, &g->settings, err), out);
    KANON_TRY(copy_optional(&s->program, kanon_version(), err), out);
out:
    return st;
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static int64_t place_of(const kanon__column *c, int64_t row)
{
    uint32_t code = kanon__code_at(c->codes, row);
    if (!kanon__column_is_numeric(c))
        return c->domain->taxonomy->leaf_node[code];
    return code == c->domain->missing_code ? KANON__NO_PLACE : c->domain->scaled[code];
}

static kanon_status keep_tallies(kanon_state *s, const kanon_table *t, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *put = NULL;
    int64_t *counts = NULL;
    KANON_TRY(kanon__store_prepare(&s->store, &put, "INSERT INTO tallies VALUES(?, ?, ?)", err), out);
    for (int i = 0; i < s->n_dimensions; i++) {
        const kanon__column *c = &t->data.columns[t->data.quasi[i]];
        if (!kanon__column_is_numeric(c))
            continue;
        kanon__free(counts);
        KANON_TRY(kanon__new_array(&counts, c->domain->n_codes, "distinct numbers", err), out);
        for (int64_t row = 0; row < t->data.n_rows; row++)
            counts[kanon__code_at(c->codes, row)]++;
        for (uint32_t code = 0; code < c->domain->n_codes; code++) {
            if (code == c->domain->missing_code || counts[code] == 0)
                continue;
            sqlite3_bind_int(put, 1, i);
            sqlite3_bind_int64(put, 2, c->domain->scaled[code]);
            sqlite3_bind_int64(put, 3, counts[code]);
            KANON_TRY(kanon__store_step(&s->store, put, NULL, err), out);
        }
    }
out:
    kanon__free(counts);
    sqlite3_finalize(put);
    return st;
}

static kanon_status keep_records(kanon_state *s, const kanon_table *t, const int32_t *released, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cursor *cursor = NULL;
    kanon__row row = {0};
    int64_t *places = NULL;
    bool has_row;
    kanon__ticker ticker;
    kanon__ticker_init(&ticker, s->tick, s->payload, "keeping");
    KANON_TRY(kanon__row_init(&row, s, err), out);
    KANON_TRY(kanon__new_array(&places, s->n_dimensions, "a record", err), out);
    KANON_TRY(t->source->class->open(&cursor, t->source, err), out);
    for (int64_t i = 0; i < t->data.n_rows; i++) {
        KANON_TRY(t->source->class->next(cursor, &has_row, err), out);
        if (!has_row) {
            st = kanon__fail(err, KANON_EIO, "%s: the file has changed while it was read", t->source->name);
            goto out;
        }
        memcpy(row.cells, cursor->cells, (size_t)s->n_columns * sizeof *row.cells);
        KANON_TRY(kanon__row_pack(s, &row, err), out);
        for (int d = 0; d < s->n_dimensions; d++)
            places[d] = place_of(&t->data.columns[t->data.quasi[d]], i);
        kanon__record record = {.id = i + 1};
        if (released != NULL) {
            record.shown = released[i] + 1;
            record.since = 1;
        }
        KANON_TRY(kanon__record_put(s, &record, &row, places, err), out);
        KANON_TRY(kanon__persons_note(s, record.id, row.cells, err), out);
        KANON_TRY(kanon__tick(&ticker, i, t->data.n_rows, 1500, err), out);
    }
    s->n_records = t->data.n_rows;
    s->next_record = t->data.n_rows + 1;
out:
    if (cursor != NULL)
        t->source->class->close(cursor);
    kanon__free(places);
    kanon__row_clear(&row);
    return st;
}

/* Two records of one key: the line of the second is told. */
static kanon_status check_names(kanon_state *s, const kanon_table *t, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *twice = NULL;
    kanon__row row = {0}, other = {0};
    bool found;
    char place[KANON__PLACE_TEXT];
    kanon__record second;
    if (s->n_key == 0)
        return KANON_OK;
    KANON_TRY(kanon__row_init(&row, s, err), out);
    KANON_TRY(kanon__row_init(&other, s, err), out);
    KANON_TRY(kanon__store_prepare(&s->store, &twice,
                                   "SELECT min(id) FROM records WHERE name IS NOT NULL GROUP BY name HAVING count(*) > 1",
                                   err),
              out);
    for (;;) {
        KANON_TRY(kanon__store_step(&s->store, twice, &found, err), out);
        if (!found)
            break;
        int64_t first = sqlite3_column_int64(twice, 0);
        KANON_TRY(kanon__record_get(s, NULL, first, &row, NULL, err), out);
        KANON_TRY(kanon__record_find(s, &second, first, row.cells, &other, NULL, err), out);
        if (second.id == 0)
            continue;
        st = kanon__fail(err, KANON_EDATA, "%s: key: another record has the same",
                         kanon__source_place(place, t->source, second.id - 1));
        kanon__hint(err, st, "the columns below 'key' in the schema must tell all records apart");
        goto out;
    }
out:
    sqlite3_finalize(twice);
    kanon__row_clear(&other);
    kanon__row_clear(&row);
    return st;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

typedef struct grouping_in {
    kanon_state *state;
    kanon__new_group *groups;
    int64_t *boxes, *members, *begins, *places;
    const int32_t *group_of;
    int64_t row;
} grouping_in;

static kanon_status enclose_record(const kanon__record *record, const char *cells, size_t size, const int64_t *places,
                                   void *payload, kanon_error *err)
{
    grouping_in *g = payload;
    (void)cells;
    (void)size;
    if (g->row >= g->state->n_records)
        return kanon__store_damaged(&g->state->store, "it has more records than it says", err);
    int32_t group = g->group_of[g->row++];
    if (group < 0)
        return KANON_OK;
    int m = g->state->n_dimensions;
    int64_t *box = g->boxes + (int64_t)group * 2 * m;
    kanon__new_group *to = &g->groups[group];
    for (int d = 0; d < m; d++) {
        const kanon__dimension_now *dimension = &g->state->space->dimensions[d];
        if (to->n_members == 0 || kanon__place_before(dimension, places[d], box[2 * d]))
            box[2 * d] = places[d];
        if (to->n_members == 0 || kanon__place_before(dimension, box[2 * d + 1], places[d]))
            box[2 * d + 1] = places[d];
    }
    int64_t at = g->begins[group] + to->n_members++;
    g->members[at] = record->id;
    memcpy(g->places + at * m, places, (size_t)m * sizeof *places);
    return KANON_OK;
}

kanon_status kanon__session_regroup(kanon_state *s, const int32_t *group_of, const int64_t *numbers, int64_t n_groups,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    grouping_in g = {.state = s, .group_of = group_of};
    int64_t n = s->n_records, n_suppressed = 0;
    KANON_TRY(kanon__new_array(&g.groups, n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&g.boxes, n_groups * 2 * s->n_dimensions, "groups", err), out);
    KANON_TRY(kanon__new_array(&g.begins, n_groups + 1, "groups", err), out);
    KANON_TRY(kanon__new_array(&g.members, n, "members of groups", err), out);
    KANON_TRY(kanon__new_array(&g.places, n * s->n_dimensions, "members of groups", err), out);
    for (int64_t i = 0; i < n; i++)
        if (group_of[i] >= 0)
            g.begins[group_of[i] + 1]++;
        else
            n_suppressed++;
    for (int64_t i = 0; i < n_groups; i++) {
        g.begins[i + 1] += g.begins[i];
        g.groups[i] = (kanon__new_group){.number = numbers != NULL ? numbers[i] : s->next_group + i,
                                         .members = g.members + g.begins[i],
                                         .box = g.boxes + i * 2 * s->n_dimensions,
                                         .places = g.places + g.begins[i] * s->n_dimensions};
    }
    KANON_TRY(kanon__records_visit(s, enclose_record, &g, err), out);
    KANON_TRY(kanon__group_index_build(s->index, g.groups, n_groups, err), out);
    s->next_group += numbers == NULL ? n_groups : 0;
    s->n_groups = n_groups;
    s->n_suppressed = n_suppressed;
out:
    kanon__free(g.places);
    kanon__free(g.members);
    kanon__free(g.begins);
    kanon__free(g.boxes);
    kanon__free(g.groups);
    return st;
}

kanon_status kanon__session_create(kanon_state *s, const kanon_table *t, const kanon_schema *schema, const kanon_grouping *g,
                                   bool released, kanon_error *err)
{
    kanon_status st = KANON_OK;
    s->next_record = s->next_group = s->next_change = 1;
    s->first_unfiled = t->data.n_rows + 1;
    s->worth = KANON__WORTH_FULL;
    KANON_TRY(keep_columns(s, t, schema, err), out);
    KANON_TRY(keep_origin(s, g, err), out);
    KANON_TRY(kanon__catalog_create(s, err), out);
    KANON_TRY(kanon__space_now_new(&s->space, s, err), out);
    KANON_TRY(kanon__records_open(s, err), out);
    KANON_TRY(kanon__persons_open(s, err), out);
    KANON_TRY(keep_records(s, t, released ? g->group_of : NULL, err), out);
    KANON_TRY(keep_tallies(s, t, err), out);
    KANON_TRY(kanon__records_index(s, err), out);
    KANON_TRY(check_names(s, t, err), out);
    KANON_TRY(kanon__ranges_read(s, err), out);
    KANON_TRY(kanon__group_index_new(&s->index, s, err), out);
    KANON_TRY(kanon__session_regroup(s, g->group_of, NULL, g->n_groups, err), out);
    KANON_TRY(kanon__catalog_save(s, err), out);
out:
    return st;
}
