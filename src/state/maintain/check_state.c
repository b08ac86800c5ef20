/* Checks that everything in a state fits together; `kanon state` does so each time.
 *
 *     1. the file without its groups: pages, tables, tallies, names (store/check_file.c);
 *     2. every record: its codes are those of its cells, and its entity is in the entity index;
 *     3. every group: number, size, box and members with their codes are those of its records. Members are compared by
 *        fingerprints, sums of hashes over records and codes: those of the records are added, those of the members
 *        subtracted;
 *     4. every summary of the index (kanon__group_index_check);
 *     5. counts of entities and releases. */
#include "core/alloc.h"
#include "state/maintain/check_state.h"
#include "state/store/check_file.h"
#include "state/store/entity_index.h"
#include "state/store/state_requirements.h"
#include "table/schema/tree_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- records and groups ------------------------------------------------------------------------------------------ */

typedef struct comparison {
    kanon_state *state;
    const kanon__subset *subset;
    kanon__cell_reader reader;
    kanon__row row;
    int64_t at;
    int64_t *numbers; /* of the groups, ascending */
    int64_t n_groups;
    int64_t *sizes, *boxes; /* by position in `numbers`, of the records; a size becomes -1 when its group was seen */
    uint64_t names;         /* the fingerprint of the key hashes, of the records */
    uint64_t *fingerprints; /* sums over the records; 0 when those of the members were subtracted */
} comparison;

static int64_t position_of_group(const comparison *c, int64_t number)
{
    const int64_t *found = bsearch(&number, c->numbers, (size_t)c->n_groups, sizeof number, kanon__compare_numbers);
    return found != NULL ? found - c->numbers : -1;
}

static uint64_t fingerprint_of(int64_t record, const int64_t *codes, int m)
{
    uint64_t fingerprint = (uint64_t)record;
    for (int i = 0; i <= m; i++) {
        fingerprint = (fingerprint ^ fingerprint >> 31) * UINT64_C(0x9e3779b97f4a7c15);
        fingerprint += i < m ? (uint64_t)codes[i] : 0;
    }
    return fingerprint;
}

static void add_record(comparison *c, int64_t group, int64_t record, const int64_t *codes)
{
    int m = c->state->n_dimensions;
    c->fingerprints[group] += fingerprint_of(record, codes, m);
    kanon__box_add_codes(c->state->space, c->boxes + group * 2 * m, codes, c->sizes[group] == 0);
    c->sizes[group]++;
}

/* Where entities stay together, each record is in the entity index. */
static kanon_status check_entity(comparison *c, int64_t record, kanon_error *err)
{
    bool found = false;
    if (!kanon__entities_stay_together(c->state))
        return KANON_OK;
    KANON_CHECK(kanon__entity_index_has(c->state, &found, record, c->row.cells, err));
    if (!found)
        return kanon__store_damaged(&c->state->store, "its entities", err);
    return KANON_OK;
}

/* Step 2. A cell that needs a new tree node or more digits than its column has is damage, too. */
static kanon_status compare_record(const kanon__record *record, const char *cells, size_t size, const int64_t *codes,
                                   void *payload, kanon_error *err)
{
    comparison *c = payload;
    kanon_state *s = c->state;
    int64_t row = c->at++;
    if (row >= c->subset->n || c->subset->ids[row] != record->id || record->id >= s->next_record)
        return kanon__store_damaged(&s->store, "a record", err);
    KANON_CHECK(kanon__grow_array(&c->row.bytes, &c->row.bytes_capacity, (int64_t)size + 1, "a record", err));
    memcpy(c->row.bytes, cells, size);
    c->row.n_bytes = (int64_t)size;
    bool good = kanon__row_unpack(s, &c->row);
    for (int i = 0; good && i < s->n_columns; i++) {
        const kanon__state_column *column = &s->columns[i];
        const char *why, *hint;
        int64_t code;
        int scale = column->scale;
        if (column->dimension < 0)
            continue;
        int32_t n_nodes = column->tree != NULL ? column->tree->n_nodes : 0;
        KANON_CHECK(kanon__cell_code(&c->reader, i, &c->row.cells[i], &code, &scale, &why, &hint, err));
        good = why == NULL && code == codes[column->dimension] && scale == column->scale &&
               (column->tree == NULL || column->tree->n_nodes == n_nodes);
    }
    if (!good)
        return kanon__store_damaged(&s->store, "a record", err);
    KANON_CHECK(check_entity(c, record->id, err));
    c->names += kanon__name_fingerprint(record->id, kanon__row_name(s, c->row.cells));
    int64_t group = c->subset->groups[row];
    if (group > 0)
        add_record(c, position_of_group(c, group), record->id, codes);
    return KANON_OK;
}

/* Step 3. */
static kanon_status compare_leaf(const kanon__node *leaf, void *payload, kanon_error *err)
{
    comparison *c = payload;
    int m = c->state->n_dimensions;
    for (int slot = 0; slot < leaf->n; slot++) {
        int64_t group = position_of_group(c, leaf->keys[slot]);
        bool good = group >= 0 && c->sizes[group] == leaf->sizes[slot] && leaf->sizes[slot] >= c->state->k;
        for (int i = 0; good && i < 2 * m; i++)
            good = c->boxes[group * 2 * m + i] == kanon__group_edge(leaf, slot, i / 2, i % 2);
        for (int64_t i = leaf->begins[slot]; good && i < leaf->begins[slot + 1]; i++)
            c->fingerprints[group] -= fingerprint_of(leaf->members[i], leaf->member_codes + i * m, m);
        if (!good || c->fingerprints[group] != 0)
            return kanon__store_damaged(&c->state->store, "a group", err);
        c->sizes[group] = -1; /* each number once */
    }
    return KANON_OK;
}

static kanon_status list_groups(comparison *c, kanon_error *err)
{
    KANON_CHECK(kanon__new_array(&c->numbers, c->subset->n, "groups", err));
    memcpy(c->numbers, c->subset->groups, (size_t)c->subset->n * sizeof *c->numbers);
    qsort(c->numbers, (size_t)c->subset->n, sizeof *c->numbers, kanon__compare_numbers);
    for (int64_t i = 0; i < c->subset->n; i++)
        if (c->numbers[i] > 0 && (c->n_groups == 0 || c->numbers[i] != c->numbers[c->n_groups - 1]))
            c->numbers[c->n_groups++] = c->numbers[i];
    KANON_CHECK(kanon__new_array(&c->sizes, c->n_groups, "groups", err));
    KANON_CHECK(kanon__new_array(&c->fingerprints, c->n_groups, "groups", err));
    KANON_CHECK(kanon__new_array(&c->boxes, c->n_groups * 2 * c->state->n_dimensions, "groups", err));
    if (c->n_groups != c->state->n_groups)
        return kanon__store_damaged(&c->state->store, "its groups are not as many as it says", err);
    return KANON_OK;
}

/* Each record is found by its key. */
static kanon_status check_names(const comparison *c, kanon_error *err)
{
    uint64_t in_file;
    kanon_status st = kanon__names_fingerprint(c->state, &in_file, err);
    return st == KANON_OK && in_file != c->names ? kanon__store_damaged(&c->state->store, "its names", err) : st;
}

static kanon_status check_groups(kanon_state *s, const kanon__subset *subset, kanon_error *err)
{
    kanon_status st = KANON_OK;
    comparison c = {.state = s, .subset = subset, .reader = {.state = s}};
    KANON_TRY(kanon__row_init(&c.row, s, err), out);
    KANON_TRY(list_groups(&c, err), out);
    KANON_TRY(kanon__records_visit(s, compare_record, &c, err), out);
    KANON_TRY(check_names(&c, err), out);
    KANON_TRY(kanon__group_index_visit(s->index, compare_leaf, &c, err), out);
    KANON_TRY(kanon__group_index_check(s->index, err), out);
out:
    kanon__free(c.boxes);
    kanon__free(c.fingerprints);
    kanon__free(c.sizes);
    kanon__free(c.numbers);
    kanon__row_clear(&c.row);
    kanon__cell_reader_clear(&c.reader);
    return st;
}

kanon_status kanon__state_check(kanon_state *s, const kanon__subset *subset, kanon_error *err)
{
    KANON_CHECK(kanon__check_file(s, err));
    KANON_CHECK(check_groups(s, subset, err));
    return kanon__check_counts(s, err);
}
