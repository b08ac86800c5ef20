/* Makes a state from a table that has just been grouped, and replaces all groups of a state.
 *
 *     1. copy columns, trees and requirements from table and schema (copy_columns), and how the groups were made
 *        (copy_origin);
 *     2. create the tables, write records with their cells from the CSV file, and codes from the encoded table
 *        (copy_records);
 *     3. count codes, build the index of key hashes, check that keys differ;
 *     4. build the group index (kanon__session_replace_groups).
 *
 * Records are numbered from 1 in the order of the rows. */
#include "core/alloc.h"
#include "core/context.h"
#include "state/maintain/session.h"
#include "state/store/entity_index.h"
#include "state/store/state_requirements.h"
#include "table/read/arrow_source.h"

#include <stdio.h>
#include <string.h>

/* ---- whether a state can be made --------------------------------------------------------------------------------- */

/* Numbers ascend with their ranks, so it is enough to check the first and the last one. */
static bool numbers_fit(const kanon__column *c)
{
    uint32_t n = c->domain->n_codes - (c->domain->missing_code != KANON__NO_CODE);
    return c->domain->scaled != NULL &&
           (n == 0 || (kanon__code_fits(c->domain->scaled[0]) && kanon__code_fits(c->domain->scaled[n - 1])));
}

kanon_status kanon__state_fits(const kanon_table *t, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st;
    if (t->policy.keep_suppressed) {
        st = kanon__fail(err, KANON_EINVAL, "a state leaves suppressed records out of its releases");
        return kanon__hint(err, st, "leave out suppressed: keep, or release without a state");
    }
    if (t->policy.k_map > 0) {
        st = kanon__fail(err, KANON_EINVAL, "a state cannot keep a k-map: its later releases know no population");
        return kanon__hint(err, st, "leave out k-map, or release without a state");
    }
    if (t->data.has_entity && t->policy.entity_together && g->n_suppressed > 0) {
        st = kanon__fail(err, KANON_EINVAL, "a state cannot keep entities together while some are suppressed");
        return kanon__hint(err, st, "ask for suppress: 0, which puts them back into groups");
    }
    for (int i = 0; i < t->data.n_columns; i++) {
        const kanon__taxonomy *taxonomy = kanon__column_taxonomy(&t->data.columns[i]);
        if (taxonomy == NULL || !taxonomy->own_leaves)
            continue;
        st = kanon__fail(err, KANON_EINVAL, "%s: a state cannot keep a taxonomy in which a value is also a node",
                         t->data.columns[i].name);
        return kanon__hint(err, st, "give the nodes above such values other names, or release without a state");
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
static kanon_status copy_tree_nodes(kanon__state_column *to, const kanon__column *from, kanon_error *err)
{
    const kanon__taxonomy *t = from->domain->taxonomy;
    kanon_status st = KANON_OK;
    for (int32_t node = 0; node < t->n_nodes && st == KANON_OK; node++) {
        size_t length;
        const char *label = kanon__taxonomy_label(t, node, &length);
        st = kanon__catalog_add_node(to, t->parent[node], label, length, err);
    }
    to->n_given = to->growth == KANON__GROWS_NEVER ? t->n_nodes : 1; /* the others are values of records */
    if (from->domain->missing_code != KANON__NO_CODE)
        to->missing_node = t->leaf_node[from->domain->missing_code];
    return st;
}

static kanon__growth_rule growth_of(const kanon__column *c, const kanon__attribute *a)
{
    if (a != NULL && a->mask != KANON__MASK_NONE)
        return a->mask == KANON__MASK_LEFT ? KANON__GROWS_MASK_LEFT : KANON__GROWS_MASK_RIGHT;
    return kanon__column_taxonomy(c) != NULL && kanon__column_taxonomy(c)->flat ? KANON__GROWS_FLAT : KANON__GROWS_NEVER;
}

/* The codes of a column come from its tree, so trees of quasi-identifiers are kept; of sensitive columns only where a
 * taxonomy was given. */
static kanon_status copy_bands(kanon__state_column *c, const kanon__column *from, const kanon__attribute *a,
                               kanon_error *err)
{
    if (a == NULL || !kanon__attribute_has_bands(a))
        return KANON_OK;
    if (!kanon__column_is_numeric(from)) { /* all values are missing, and the schema names no type */
        kanon_status st = kanon__fail(err, KANON_EINVAL, "%s: a column with bands and without numbers has no type", c->name);
        return kanon__hint(err, st, "name its type in the schema: integer, decimal or date");
    }
    const char *texts[] = {a->said[KANON__COLUMN_BANDS], a->said[KANON__COLUMN_TOP], a->said[KANON__COLUMN_BOTTOM]};
    for (int i = 0; i < 3; i++)
        if (texts[i] != NULL)
            KANON_CHECK(kanon__copy_text(&c->bands[i], texts[i], strlen(texts[i]), "bands", err));
    return KANON_OK;
}

static kanon_status copy_column(kanon_state *s, const kanon__column *from, const kanon_schema *schema, kanon_error *err)
{
    kanon__state_column *c = &s->columns[s->n_columns++];
    const kanon__attribute *a = kanon__schema_find(schema, from->name);
    bool looked_into = from->role == KANON_ROLE_QUASI || from->role == KANON_ROLE_SENSITIVE;
    c->role = from->role;
    c->permuted = from->permuted;
    c->drawn = from->drawn && from->role == KANON_ROLE_QUASI;
    c->type = looked_into ? from->domain->type : KANON_TYPE_UNKNOWN;
    c->growth = growth_of(from, a);
    c->scale = kanon__column_is_numeric(from) ? from->domain->scale : 0;
    c->format = kanon__column_is_numeric(from) ? from->domain->format : (kanon__value_format){0};
    c->format.levels = NULL;
    c->key = (int)kanon__texts_find(&schema->key, from->name, strlen(from->name)) + 1;
    c->dimension = -1;
    c->missing_node = -1;
    s->n_key += c->key > 0;
    s->n_sensitive += c->role == KANON_ROLE_SENSITIVE;
    KANON_CHECK(kanon__copy_text(&c->name, from->name, strlen(from->name), "a column name", err));
    if (c->type == KANON_TYPE_ORDINAL) {
        KANON_CHECK(kanon__levels_copy(&c->order, &from->domain->levels, err));
        c->format.levels = &c->order;
    }
    if (from->weight_text != NULL)
        KANON_CHECK(kanon__copy_text(&c->weight_text, from->weight_text, strlen(from->weight_text), "a weight", err));
    KANON_CHECK(copy_bands(c, from, a, err));
    bool has_tree = looked_into && from->domain->taxonomy != NULL &&
                    (c->role == KANON_ROLE_QUASI || c->growth != KANON__GROWS_FLAT);
    if (has_tree)
        KANON_CHECK(copy_tree_nodes(c, from, err));
    if (c->role == KANON_ROLE_QUASI) {
        c->dimension = s->n_dimensions;
        s->dimensions[s->n_dimensions++] = s->n_columns - 1;
    }
    return KANON_OK;
}

/* A state keeps texts, and null becomes an empty one. *found: a column in which missing values matter has a null. An empty
 * text that is a value would then be taken for missing. */
static kanon_status find_nulls(bool *found, const kanon_table *t, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cursor *cursor = NULL;
    bool has_row;
    int with_empty = -1;
    *found = false;
    KANON_TRY(t->source->class->open(&cursor, t->source, err), out);
    for (;;) {
        KANON_TRY(t->source->class->next(cursor, &has_row, err), out);
        if (!has_row)
            break;
        for (int i = 0; i < t->data.n_columns; i++) {
            if (t->data.columns[i].domain == NULL && !(t->data.has_entity && t->data.entity_column == i))
                continue;
            *found = *found || cursor->cells[i].null;
            if (!cursor->cells[i].null && cursor->cells[i].length == 0)
                with_empty = i;
        }
    }
    if (*found && with_empty >= 0) {
        st = kanon__fail(err, KANON_EINVAL, "%s: a state cannot tell null from an empty text",
                         t->data.columns[with_empty].name);
        kanon__hint(err, st, "leave out 'empty: value', or write another text in place of the empty one");
    }
out:
    if (cursor != NULL)
        t->source->class->close(cursor);
    return st;
}

/* The texts that mean "no value": those of the schema, and the empty one where the table has nulls. */
static kanon_status copy_missing(kanon_state *s, const kanon_table *t, kanon_error *err)
{
    bool has_null = false;
    for (int64_t i = 0; i < t->missing.n; i++)
        KANON_CHECK(kanon__texts_add(&s->missing, t->missing.items[i], strlen(t->missing.items[i]), err));
    if (kanon__arrow_source_of(t->source) != NULL && kanon__texts_find(&s->missing, "", 0) < 0)
        KANON_CHECK(find_nulls(&has_null, t, err));
    if (has_null)
        KANON_CHECK(kanon__texts_add(&s->missing, "", 0, err));
    return KANON_OK;
}

static kanon_status copy_columns(kanon_state *s, const kanon_table *t, const kanon_schema *schema, kanon_error *err)
{
    KANON_CHECK(kanon__new_array(&s->columns, t->data.n_columns, "columns", err));
    KANON_CHECK(kanon__new_array(&s->dimensions, t->data.n_columns, "columns", err));
    for (int i = 0; i < t->data.n_columns; i++)
        KANON_CHECK(copy_column(s, &t->data.columns[i], schema, err));
    KANON_CHECK(copy_missing(s, t, err));
    s->delimiter = t->source->delimiter;
    s->crlf = t->source->crlf;
    KANON_CHECK(kanon_schema_new(&s->requirements, kanon__call_context(), err));
    KANON_CHECK(kanon__state_requirements_copy(s->requirements, schema, err));
    return kanon__state_requirements_resolve(s, err);
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

static kanon_status copy_origin(kanon_state *s, const kanon_grouping *g, int64_t joint_k, kanon_error *err)
{
    s->k = g->k;
    if (s->joint_k == 0) /* the caller has not said it */
        s->joint_k = joint_k != 0 ? joint_k : g->k;
    s->blocks = g->blocks;
    s->seed = g->seed;
    s->revision = g->revision;
    if (g->draw != NULL) {
        KANON_CHECK(kanon__draw_new(&s->draw, g->draw->n_rules, err));
        s->draw->secret = g->draw->secret;
        memcpy(s->draw->rules, g->draw->rules, (size_t)g->draw->n_rules * sizeof *g->draw->rules);
    }
    KANON_CHECK(copy_optional(&s->algorithm, g->algorithm, err));
    KANON_CHECK(copy_optional(&s->refinement, g->refinement, err));
    KANON_CHECK(join_lines(&s->settings, &g->settings, err));
    return copy_optional(&s->program, kanon_version(), err);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* The state's code of a cell, from the table's: a rank becomes the scaled number, a leaf the number of its node. */
static int64_t code_of(const kanon__column *c, int64_t row)
{
    uint32_t code = kanon__code_at(c->codes, row);
    if (!kanon__column_is_numeric(c))
        return c->domain->taxonomy->leaf_node[code];
    return code == c->domain->missing_code ? KANON__NULL_CODE : c->domain->scaled[code];
}

/* The code of a number that the table knows only by its band, from its cell. */
static kanon_status code_of_cell(kanon__cell_reader *reader, int column, const kanon__cell *cell, int64_t *out,
                                 kanon_error *err)
{
    const char *why, *hint;
    int scale = reader->state->columns[column].scale;
    kanon_status st = kanon__cell_code(reader, column, cell, out, &scale, &why, &hint, err);
    if (st == KANON_OK && (why != NULL || scale != reader->state->columns[column].scale))
        st = kanon__fail(err, KANON_EINTERNAL, "%s: a number is not as it was read", reader->state->columns[column].name);
    return st;
}

/* The codes of a record. Those of bands are counted one by one, others by count_codes. */
static kanon_status read_codes(kanon__cell_reader *reader, const kanon_table *t, int64_t row, const kanon__cell *cells,
                               int64_t *codes, int64_t *banded, kanon_error *err)
{
    kanon_state *s = reader->state;
    bool some = false;
    for (int d = 0; d < s->n_dimensions; d++) {
        int column = s->dimensions[d];
        banded[d] = KANON__NULL_CODE;
        if (!kanon__state_has_bands(&s->columns[column])) {
            codes[d] = code_of(&t->data.columns[t->data.quasi[d]], row);
            continue;
        }
        KANON_CHECK(code_of_cell(reader, column, &cells[column], &codes[d], err));
        banded[d] = codes[d];
        some = true;
    }
    if (some)
        KANON_CHECK(kanon__records_tally(s, banded, 1, err));
    return KANON_OK;
}

/* How many records have each code. */
static kanon_status count_codes(kanon_state *s, const kanon_table *t, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *counts = NULL;
    for (int i = 0; i < s->n_dimensions; i++) {
        const kanon__column *c = &t->data.columns[t->data.quasi[i]];
        bool numeric = kanon__column_is_numeric(c);
        if (kanon__state_has_bands(&s->columns[s->dimensions[i]]))
            continue;
        kanon__free(counts);
        counts = NULL;
        KANON_TRY(kanon__new_array(&counts, c->domain->n_codes, "distinct values", err), out);
        for (int64_t row = 0; row < t->data.n_rows; row++)
            counts[kanon__code_at(c->codes, row)]++;
        for (uint32_t code = 0; code < c->domain->n_codes; code++) {
            if (counts[code] == 0 || (numeric && code == c->domain->missing_code))
                continue;
            int64_t of_state = numeric ? c->domain->scaled[code] : c->domain->taxonomy->leaf_node[code];
            KANON_TRY(kanon__records_put_tally(s, i, of_state, counts[code], err), out);
        }
    }
out:
    kanon__free(counts);
    return st;
}

static kanon_status copy_records(kanon_state *s, const kanon_table *t, const int32_t *released, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cursor *cursor = NULL;
    kanon__row row = {0};
    kanon__cell_reader reader = {.state = s};
    int64_t *codes = NULL, *banded = NULL;
    bool has_row;
    kanon__ticker ticker;
    kanon__ticker_init(&ticker, s->tick, s->payload, "keeping");
    KANON_TRY(kanon__row_init(&row, s, err), out);
    KANON_TRY(kanon__new_array(&codes, s->n_dimensions, "a record", err), out);
    KANON_TRY(kanon__new_array(&banded, s->n_dimensions, "a record", err), out);
    KANON_TRY(t->source->class->open(&cursor, t->source, err), out);
    for (int64_t i = 0; i < t->data.n_rows; i++) {
        KANON_TRY(t->source->class->next(cursor, &has_row, err), out);
        if (!has_row)
            KANON_TRY(kanon__fail(err, KANON_EIO, "%s: the file has changed while it was read", t->source->name), out);
        memcpy(row.cells, cursor->cells, (size_t)s->n_columns * sizeof *row.cells);
        KANON_TRY(kanon__row_pack(s, &row, err), out);
        KANON_TRY(read_codes(&reader, t, i, row.cells, codes, banded, err), out);
        kanon__record record = {.id = i + 1};
        if (released != NULL) {
            record.last_group = released[i] + 1;
            record.last_since = 1;
        }
        KANON_TRY(kanon__record_put(s, &record, &row, codes, err), out);
        KANON_TRY(kanon__entity_index_add(s, record.id, row.cells, err), out);
        KANON_TRY(kanon__tick(&ticker, i, t->data.n_rows, 1500, err), out);
    }
    KANON_TRY(kanon__source_unchanged(t->source, err), out);
    s->n_records = t->data.n_rows;
    s->next_record = t->data.n_rows + 1;
out:
    if (cursor != NULL)
        t->source->class->close(cursor);
    kanon__cell_reader_clear(&reader);
    kanon__free(banded);
    kanon__free(codes);
    kanon__row_clear(&row);
    return st;
}

/* Two records of one key: the message names the line of the second. */
static kanon_status check_names(kanon_state *s, const kanon_table *t, kanon_error *err)
{
    int64_t second = 0;
    char place[KANON__PLACE_TEXT];
    kanon_status st = s->n_key > 0 ? kanon__records_find_duplicate(s, &second, err) : KANON_OK;
    if (st != KANON_OK || second == 0)
        return st;
    st = kanon__fail(err, KANON_EDATA, "%s: key: another record has the same",
                     kanon__source_place(place, t->source, second - 1));
    return kanon__hint(err, st, "the columns below 'key' in the schema must tell all records apart");
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Groups while records are added to them: the members of group g are members[begins[g] .. begins[g + 1]). */
typedef struct group_build {
    kanon_state *state;
    kanon__new_group *groups;
    int64_t *boxes, *members, *begins, *codes;
    const int32_t *group_of;
    int64_t row;
} group_build;

static kanon_status add_record(const kanon__record *record, const char *cells, size_t size, const int64_t *codes,
                               void *payload, kanon_error *err)
{
    group_build *g = payload;
    (void)cells;
    (void)size;
    if (g->row >= g->state->n_records)
        return kanon__store_damaged(&g->state->store, "it has more records than it says", err);
    int32_t group = g->group_of[g->row++];
    if (group < 0)
        return KANON_OK;
    int m = g->state->n_dimensions;
    kanon__new_group *to = &g->groups[group];
    kanon__box_add_codes(g->state->space, g->boxes + (int64_t)group * 2 * m, codes, to->n_members == 0);
    int64_t at = g->begins[group] + to->n_members++;
    g->members[at] = record->id;
    memcpy(g->codes + at * m, codes, (size_t)m * sizeof *codes);
    return KANON_OK;
}

/* Counting sort of the records by group, then one build of the index. */
kanon_status kanon__session_replace_groups(kanon_state *s, const int32_t *group_of, const int64_t *numbers, int64_t n_groups,
                                           kanon_error *err)
{
    kanon_status st = KANON_OK;
    group_build g = {.state = s, .group_of = group_of};
    int64_t n = s->n_records, n_suppressed = 0;
    KANON_TRY(kanon__new_array(&g.groups, n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&g.boxes, n_groups * 2 * s->n_dimensions, "groups", err), out);
    KANON_TRY(kanon__new_array(&g.begins, n_groups + 1, "groups", err), out);
    KANON_TRY(kanon__new_array(&g.members, n, "members of groups", err), out);
    KANON_TRY(kanon__new_array(&g.codes, n * s->n_dimensions, "members of groups", err), out);
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
                                         .codes = g.codes + g.begins[i] * s->n_dimensions};
    }
    KANON_TRY(kanon__records_visit(s, add_record, &g, err), out);
    KANON_TRY(kanon__group_index_build(s->index, g.groups, n_groups, err), out);
    s->next_group += numbers == NULL ? n_groups : 0;
    s->n_groups = n_groups;
    s->n_suppressed = n_suppressed;
out:
    kanon__free(g.codes);
    kanon__free(g.members);
    kanon__free(g.begins);
    kanon__free(g.boxes);
    kanon__free(g.groups);
    return st;
}

kanon_status kanon__session_create(kanon_state *s, const kanon_table *t, const kanon_schema *schema, const kanon_grouping *g,
                                   bool released, kanon_error *err)
{
    s->next_record = s->next_group = s->next_change = 1;
    s->first_unfiled = t->data.n_rows + 1;
    s->worth = KANON__WORTH_FULL;
    kanon__store_set_tick(&s->store, s->tick, s->payload);
    KANON_CHECK(copy_columns(s, t, schema, err));
    KANON_CHECK(copy_origin(s, g, schema->joint_k, err));
    KANON_CHECK(kanon__secret_new(&s->secret, err));
    KANON_CHECK(kanon__catalog_create(s, err));
    KANON_CHECK(kanon__current_space_new(&s->space, s, err));
    KANON_CHECK(kanon__records_open(s, err));
    KANON_CHECK(kanon__entity_index_open(s, err));
    KANON_CHECK(copy_records(s, t, released ? g->group_of : NULL, err));
    KANON_CHECK(count_codes(s, t, err));
    KANON_CHECK(kanon__records_index(s, err));
    KANON_CHECK(check_names(s, t, err));
    KANON_CHECK(kanon__ranges_read(s, err));
    KANON_CHECK(kanon__group_index_new(&s->index, s, err));
    KANON_CHECK(kanon__session_replace_groups(s, g->group_of, NULL, g->n_groups, err));
    return kanon__catalog_save(s, err);
}
