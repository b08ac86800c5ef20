/* Enforces requirements beyond k on the groups that a command changed, and lets a search improve them.
 *
 *     1. Inspect: read the changed groups as a small table, and evaluate the constraints on them (inspect_groups).
 *     2. Widen: where a group violates one, read the 12 groups nearest to it, too, then 60, then all, until the records
 *        that were read satisfy the constraints as one group: then a repair among them must succeed
 *        (inspect_neighbourhood).
 *     3. Repair (enforce/repair.h), split groups of 2k records and more where both parts satisfy all, and search for less
 *        loss where the state's groups were made by a search (change_groups, local_search.c).
 *     4. Verify by code that shares nothing with the above: sizes, constraints, entities.
 *     5. Write the groups that differ from the index back to it (write_groups).
 *
 *     changed groups   *           neighbours of a violating group        all groups
 *     (small table)   ***   --->   ****** (still small)           --->    (whole table)
 *                      *           ******
 *
 * Two requirements concern groups that the command did not change, so all groups are read at once: t-closeness, since the
 * distribution of the table moves with every record; and models that a union may violate where an entity may be in
 * several groups, since all groups that look alike in a release count together. docs/decisions/0012 says why this is
 * enough.
 *
 * No record is suppressed that was not: that would use up the budget of later commands. */
#include "state/maintain/enforce_constraints.h"

#include "core/alloc.h"
#include "enforce/equal_groups.h"
#include "enforce/repair.h"
#include "enforce/suppression.h"
#include "state/index/index_near.h"
#include "state/maintain/local_search.h"
#include "state/maintain/split2k.h"
#include "state/store/entity_index.h"
#include "state/store/state_requirements.h"
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_NEIGHBOURS = 12, MORE_NEIGHBOURS = 60 };

/* One enforcement. `refs`, `satisfied` and the groups of `group_of` are parallel until a repair; after that group_of has
 * new groups, numbered from 0 to n_groups. */
typedef struct enforcement {
    kanon_state *state;
    kanon__change_counts *done;
    kanon__group_refs refs; /* the groups that were read, by rising number */
    bool all;               /* these are all groups, and the subset has suppressed records, too */
    kanon__subset subset;
    kanon__space *space;
    kanon__constraints *constraints;
    int32_t *group_of; /* by row of the subset: its position in `refs`, then its new group */
    bool *satisfied;   /* by position in `refs` */
    int64_t n_violated;
    int64_t n_near; /* about how many records the search around what changed is for */
    int32_t n_groups;
    int64_t *codes; /* by row, found when a group is split; has_codes says of which rows */
    bool *has_codes;
} enforcement;

/* ---- constraints ------------------------------------------------------------------------------------------------- */

kanon_status kanon__subset_constraints(kanon__constraints **out, const kanon__subset *subset, const kanon_state *s,
                                       kanon_error *err)
{
    kanon_status st = kanon__constraints_new(out, &subset->table->data, &subset->table->policy, s->k, err);
    if (st == KANON_EDATA || st == KANON_EINVAL) /* they were valid when the state was made */
        st = kanon__store_damaged(&s->store, "its requirements", err);
    return st;
}

kanon_status kanon__verify_subset(const kanon__subset *subset, const kanon_state *s, const int32_t *group_of,
                                  int64_t n_groups, kanon_error *err)
{
    kanon_status st = kanon__verify_grouping(&subset->table->data, group_of, n_groups, s->k, err);
    return st == KANON_OK
               ? kanon__verify_privacy(&subset->table->data, &subset->table->policy, group_of, n_groups, s->k, err)
               : st;
}

/* All records of an entity are among the groups that were read, and verify/ saw it in one: counted in the entity index. */
static kanon_status verify_entities(const enforcement *e, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_table *t = e->subset.table;
    int64_t *n_here = NULL, n_there;
    if (!kanon__entities_stay_together(e->state))
        return KANON_OK;
    KANON_TRY(kanon__new_array(&n_here, t->data.n_entities, "the check of the entities", err), out);
    for (int64_t row = 0; row < e->subset.n; row++)
        n_here[kanon__code_at(t->data.entity_codes, row)]++;
    for (int64_t row = 0; row < e->subset.n; row++) {
        int64_t *n = &n_here[kanon__code_at(t->data.entity_codes, row)];
        if (*n == 0)
            continue;
        KANON_TRY(kanon__entity_count_records(e->state, &n_there, e->subset.ids[row], err), out);
        if (n_there != *n)
            KANON_TRY(kanon__fail(err, KANON_EINTERNAL, "the check found an entity in two groups"), out);
        *n = 0; /* each entity once */
    }
out:
    kanon__free(n_here);
    return st;
}

/* Whether a union of groups that satisfy the constraints may violate one. */
static bool unions_may_violate(const kanon__data *data, const kanon__policy *policy, const kanon__constraints *c)
{
    return data->has_entity && !policy->entity_together && !kanon__constraints_grow(c);
}

bool kanon__subset_needs_all(const kanon__subset *subset, const kanon__constraints *constraints)
{
    for (int64_t i = 0; i < constraints->n; i++)
        if (constraints->items[i].model->of_table)
            return true;
    return unions_may_violate(&subset->table->data, &subset->table->policy, constraints);
}

static kanon_status check_feasible(const enforcement *e, kanon_error *err)
{
    kanon_status st = kanon__constraints_check_feasible(e->constraints, err);
    return st == KANON_EINFEASIBLE ? kanon__hint(err, st, "nothing was changed: no grouping of these records can keep it")
                                   : st;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void clear_inspection(enforcement *e)
{
    kanon__free(e->has_codes);
    kanon__free(e->codes);
    e->has_codes = NULL;
    e->codes = NULL;
    kanon__free(e->satisfied);
    kanon__free(e->group_of);
    kanon__constraints_free(e->constraints);
    kanon__space_free(e->space);
    kanon__subset_clear(&e->subset);
    e->satisfied = NULL;
    e->group_of = NULL;
    e->constraints = NULL;
    e->space = NULL;
}

typedef struct membership {
    int64_t record, group;
} membership;

static int by_record(const void *left, const void *right)
{
    const membership *a = left, *b = right;
    return a->record < b->record ? -1 : a->record > b->record;
}

/* Fills the subset with the members of the listed groups, by rising record. */
static kanon_status list_members(enforcement *e, kanon_error *err)
{
    kanon_status st = KANON_OK;
    membership *items = NULL;
    int64_t n = 0, capacity = 0;
    kanon__subset *w = &e->subset;
    for (int64_t i = 0; i < e->refs.n; i++) {
        kanon__group_slot at;
        KANON_TRY(kanon__group_index_locate(e->state->index, &at, &e->refs.items[i], err), out);
        int64_t size = kanon__group_size(at);
        KANON_TRY(kanon__grow_array(&items, &capacity, n + size, "members of groups", err), out);
        for (int64_t j = 0; j < size; j++)
            items[n++] = (membership){kanon__group_members(at)[j], e->refs.items[i].number};
    }
    if (n > 0)
        qsort(items, (size_t)n, sizeof *items, by_record);
    KANON_TRY(kanon__new_array(&w->ids, n, "records", err), out);
    KANON_TRY(kanon__new_array(&w->groups, n, "records", err), out);
    for (; w->n < n; w->n++) {
        w->ids[w->n] = items[w->n].record;
        w->groups[w->n] = items[w->n].group;
    }
out:
    kanon__free(items);
    return st;
}

static kanon_status list_leaf_groups(const kanon__node *leaf, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int slot = 0; st == KANON_OK && slot < leaf->n; slot++)
        st = kanon__group_refs_add(payload, leaf->keys[slot], leaf->id, err);
    return st;
}

static int by_number(const void *left, const void *right)
{
    const kanon__group_ref *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void find_ref_positions(enforcement *e)
{
    for (int64_t row = 0; row < e->subset.n; row++) {
        kanon__group_ref key = {.number = e->subset.groups[row]};
        const kanon__group_ref *found = key.number > 0
                                            ? bsearch(&key, e->refs.items, (size_t)e->refs.n, sizeof key, by_number)
                                            : NULL;
        e->group_of[row] = found != NULL ? (int32_t)(found - e->refs.items) : KANON__SUPPRESSED;
    }
}

/* Step 1: the listed groups as a table, and which of them satisfy the constraints. */
static kanon_status inspect_groups(enforcement *e, kanon_error *err)
{
    bool all_hold;
    clear_inspection(e);
    if (e->all) {
        e->refs.n = 0;
        KANON_CHECK(kanon__group_index_visit(e->state->index, list_leaf_groups, &e->refs, err));
        KANON_CHECK(kanon__subset_list_all(&e->subset, e->state, err));
    }
    kanon__group_refs_sort(&e->refs);
    if (!e->all)
        KANON_CHECK(list_members(e, err));
    e->n_groups = (int32_t)e->refs.n;
    e->n_violated = 0;
    if (e->subset.n == 0)
        return KANON_OK;
    KANON_CHECK(kanon__subset_read_table(&e->subset, e->state, err));
    KANON_CHECK(kanon__subset_space(&e->space, &e->subset, e->state, err));
    KANON_CHECK(kanon__subset_constraints(&e->constraints, &e->subset, e->state, err));
    KANON_CHECK(kanon__new_array(&e->group_of, e->subset.n, "groups", err));
    KANON_CHECK(kanon__new_array(&e->satisfied, e->refs.n, "groups", err));
    find_ref_positions(e);
    KANON_CHECK(kanon__constraints_hold(&all_hold, e->satisfied, e->constraints, e->group_of, e->n_groups, err));
    for (int32_t i = 0; i < e->n_groups; i++)
        e->n_violated += !e->satisfied[i];
    return KANON_OK;
}

static kanon_status list_neighbours(enforcement *e, int n, kanon_error *err)
{
    for (int32_t i = 0; i < e->n_groups; i++) {
        kanon__group_slot at;
        if (e->satisfied[i])
            continue;
        KANON_CHECK(kanon__group_index_locate(e->state->index, &at, &e->refs.items[i], err));
        KANON_CHECK(kanon__group_index_nearest(e->state->index, &e->refs, at, n, err));
    }
    return KANON_OK;
}

/* Whether the rows that were read satisfy the constraints as one group, so that they can be repaired among themselves. */
static kanon_status is_repairable(const enforcement *e, bool *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tally tally = {0};
    KANON_TRY(kanon__tally_init(&tally, e->constraints, err), out);
    for (int64_t row = 0; row < e->subset.n; row++)
        KANON_TRY(kanon__tally_add(&tally, row, err), out);
    *out = kanon__tally_holds(&tally);
out:
    kanon__tally_clear(&tally);
    return st;
}

/* Steps 1 and 2. */
static kanon_status inspect_neighbourhood(enforcement *e, kanon_error *err)
{
    static const int neighbours[] = {FEW_NEIGHBOURS, MORE_NEIGHBOURS};
    if (!e->all)
        KANON_CHECK(kanon__local_search_list(e->state, &e->refs, &e->n_near, err));
    KANON_CHECK(inspect_groups(e, err));
    bool enough = e->subset.n == 0 || e->n_violated == 0;
    if (!e->all && e->constraints != NULL && kanon__subset_needs_all(&e->subset, e->constraints)) {
        e->all = true;
        KANON_CHECK(inspect_groups(e, err));
    }
    for (size_t i = 0; !e->all && !enough; i++) {
        e->all = i == sizeof neighbours / sizeof *neighbours;
        if (!e->all)
            KANON_CHECK(list_neighbours(e, neighbours[i], err));
        KANON_CHECK(inspect_groups(e, err));
        KANON_CHECK(is_repairable(e, &enough, err));
    }
    if (e->all && e->constraints != NULL)
        KANON_CHECK(check_feasible(e, err));
    return KANON_OK;
}

/* ---- splitting --------------------------------------------------------------------------------------------------- */

/* The constraint counts of both parts of a group while it is split; `rows` are those of the group. */
typedef struct split_tallies {
    const int32_t *rows;
    kanon__tally stays, goes;
} split_tallies;

static kanon_status note_move(void *payload, int64_t record, kanon_error *err)
{
    split_tallies *p = payload;
    kanon__tally_remove(&p->stays, p->rows[record]);
    return kanon__tally_add(&p->goes, p->rows[record], err);
}

static bool new_group_satisfies(void *payload)
{
    split_tallies *p = payload;
    return kanon__tally_holds(&p->goes);
}

/* The codes of a row, from its old group in the index, which is unchanged until step 5; of a suppressed record from the
 * file. */
static kanon_status find_codes(enforcement *e, int32_t row, int64_t *out, kanon_error *err)
{
    int64_t m = e->state->n_dimensions, record = e->subset.ids[row];
    kanon__group_slot at = {0};
    kanon__group_ref key = {.number = e->subset.groups[row]};
    const kanon__group_ref *ref = bsearch(&key, e->refs.items, (size_t)e->refs.n, sizeof key, by_number);
    if (ref != NULL)
        KANON_CHECK(kanon__group_index_locate(e->state->index, &at, ref, err));
    if (at.node == NULL) {
        KANON_CHECK(kanon__record_get(e->state, NULL, record, NULL, out, err));
        return KANON_OK;
    }
    const int64_t *members = kanon__group_members(at);
    const int64_t *found = bsearch(&record, members, (size_t)kanon__group_size(at), sizeof record, kanon__compare_numbers);
    if (found == NULL)
        return kanon__store_damaged(&e->state->store, "the members of a group", err);
    memcpy(out, at.node->member_codes + (found - at.node->members) * m, (size_t)m * sizeof *out);
    return KANON_OK;
}

static kanon_status read_codes(enforcement *e, int32_t row, int64_t *codes, kanon_error *err)
{
    int64_t m = e->state->n_dimensions;
    if (e->codes == NULL)
        KANON_CHECK(kanon__new_array(&e->codes, e->subset.n * m, "a split", err));
    if (e->has_codes == NULL)
        KANON_CHECK(kanon__new_array(&e->has_codes, e->subset.n, "a split", err));
    if (!e->has_codes[row])
        KANON_CHECK(find_codes(e, row, e->codes + row * m, err));
    e->has_codes[row] = true;
    memcpy(codes, e->codes + row * m, (size_t)m * sizeof *codes);
    return KANON_OK;
}

/* Split2k for the rows of a group; *split says whether both parts satisfy all constraints. */
static kanon_status split_rows(enforcement *e, const int32_t *rows, int64_t n, bool *moved, bool *split, kanon_error *err)
{
    kanon_status st = KANON_OK;
    split_tallies p = {.rows = rows};
    int64_t *codes = NULL, m = e->state->n_dimensions;
    uint32_t *whose = NULL;
    *split = false;
    KANON_TRY(kanon__new_array(&codes, n * m, "a split", err), out);
    KANON_TRY(kanon__new_array(&whose, n, "a split", err), out);
    KANON_TRY(kanon__tally_init(&p.stays, e->constraints, err), out);
    KANON_TRY(kanon__tally_init(&p.goes, e->constraints, err), out);
    for (int64_t i = 0; i < n; i++) {
        KANON_TRY(read_codes(e, rows[i], codes + i * m, err), out);
        KANON_TRY(kanon__tally_add(&p.stays, rows[i], err), out);
        whose[i] = kanon__entities_stay_together(e->state) ? kanon__code_at(e->subset.table->data.entity_codes, rows[i]) : 0;
    }
    const kanon__split_rule rule = {kanon__entities_stay_together(e->state) ? whose : NULL, note_move, new_group_satisfies,
                                    &p};
    KANON_TRY(kanon__split_choose(e->state, codes, n, &rule, moved, err), out);
    *split = p.stays.size >= e->state->k && p.goes.size >= e->state->k && kanon__tally_holds(&p.stays) &&
             kanon__tally_holds(&p.goes);
out:
    kanon__tally_clear(&p.goes);
    kanon__tally_clear(&p.stays);
    kanon__free(whose);
    kanon__free(codes);
    return st;
}

/* The rows of group i are members[begins[i] .. ends[i]). The parts of a split group share its range, and the new part
 * becomes the last group, so that it is tried, too:
 *
 *     before   group 3 | r r r r r r r r |
 *     after    group 3 | r r r r | group n | r r r r | */
typedef struct group_rows {
    int32_t *members;
    int64_t *begins, *ends; /* by group, with room for those to come */
} group_rows;

static kanon_status list_group_rows(group_rows *s, const enforcement *e, kanon_error *err)
{
    int64_t most = e->subset.n + e->n_groups; /* a group has at least one record */
    KANON_CHECK(kanon__new_array(&s->members, e->subset.n, "members of groups", err));
    KANON_CHECK(kanon__new_array(&s->begins, most + 1, "groups", err));
    KANON_CHECK(kanon__new_array(&s->ends, most + 1, "groups", err));
    for (int64_t row = 0; row < e->subset.n; row++)
        if (e->group_of[row] >= 0)
            s->begins[e->group_of[row] + 1]++;
    for (int32_t group = 0; group < e->n_groups; group++) {
        s->begins[group + 1] += s->begins[group];
        s->ends[group] = s->begins[group];
    }
    for (int32_t row = 0; row < e->subset.n; row++)
        if (e->group_of[row] >= 0)
            s->members[s->ends[e->group_of[row]]++] = row;
    return KANON_OK;
}

/* The rows that moved come last; both parts keep their order. */
static kanon_status divide_rows(group_rows *s, enforcement *e, int32_t group, const bool *moved, kanon_error *err)
{
    int32_t *rows = s->members + s->begins[group], *copy = NULL;
    int64_t n = s->ends[group] - s->begins[group], n_stay = 0, n_go = 0;
    KANON_CHECK(kanon__new_array(&copy, n, "members of groups", err));
    for (int64_t i = 0; i < n; i++)
        if (moved[i])
            copy[n_go++] = rows[i];
        else
            rows[n_stay++] = rows[i];
    memcpy(rows + n_stay, copy, (size_t)n_go * sizeof *rows);
    for (int64_t i = n_stay; i < n; i++)
        e->group_of[rows[i]] = e->n_groups;
    s->begins[e->n_groups] = s->begins[group] + n_stay;
    s->ends[e->n_groups] = s->ends[group];
    s->ends[group] = s->begins[group] + n_stay;
    e->n_groups++;
    kanon__free(copy);
    return KANON_OK;
}

static kanon_status split_large(enforcement *e, kanon_error *err)
{
    kanon_status st = KANON_OK;
    group_rows s = {0};
    bool *moved = NULL;
    KANON_TRY(list_group_rows(&s, e, err), out);
    KANON_TRY(kanon__new_array(&moved, e->subset.n, "a split", err), out);
    for (int32_t group = 0; group < e->n_groups; group++) {
        bool split = true;
        while (split && s.ends[group] - s.begins[group] >= 2 * e->state->k) {
            int64_t n = s.ends[group] - s.begins[group];
            memset(moved, 0, (size_t)n * sizeof *moved);
            KANON_TRY(split_rows(e, s.members + s.begins[group], n, moved, &split, err), out);
            if (split)
                KANON_TRY(divide_rows(&s, e, group, moved, err), out);
            e->done->n_splits += split;
        }
    }
out:
    kanon__free(moved);
    kanon__free(s.ends);
    kanon__free(s.begins);
    kanon__free(s.members);
    return st;
}

/* ---- repairing --------------------------------------------------------------------------------------------------- */

/* A repair with a budget of 0: nothing is suppressed. Entities that stay together are only merged. */
static kanon_status repair_groups(kanon__run *run, int64_t *n_repaired, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool all_hold, *satisfied = NULL;
    KANON_TRY(kanon__new_array(&satisfied, run->n_groups, "groups", err), out);
    KANON_TRY(kanon__constraints_hold(&all_hold, satisfied, run->constraints, run->group_of, run->n_groups, err), out);
    for (int32_t i = 0; i < run->n_groups; i++)
        *n_repaired += !satisfied[i];
    if (!all_hold)
        KANON_TRY(kanon__repair(run, 0, run->table->has_entity && run->policy->entity_together, err), out);
out:
    kanon__free(satisfied);
    return st;
}

kanon_status kanon__enforce_on_classes(kanon__run *run, int64_t *n_repaired, kanon_error *err)
{
    if (run->constraints == NULL || !unions_may_violate(run->table, run->policy, run->constraints))
        return KANON_OK;
    for (int64_t n_merged = 1; n_merged > 0;) {
        KANON_CHECK(kanon__merge_equal_groups(run, &n_merged, err));
        KANON_CHECK(repair_groups(run, n_repaired, err));
    }
    return KANON_OK;
}

/* Whether the records in groups satisfy the constraints as one group; if not, no repair among them can succeed. */
static kanon_status groups_are_repairable(const enforcement *e, bool *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tally tally = {0};
    KANON_TRY(kanon__tally_init(&tally, e->constraints, err), out);
    for (int64_t row = 0; row < e->subset.n; row++)
        if (e->group_of[row] >= 0)
            KANON_TRY(kanon__tally_add(&tally, row, err), out);
    *out = kanon__tally_holds(&tally);
out:
    kanon__tally_clear(&tally);
    return st;
}

/* Steps 3 and 4:
 *     a. return suppressed records to groups where deletions have made the budget smaller than their number, and all of
 *        them where the others cannot satisfy the constraints, or one compares groups with the table;
 *     b. repair; c. split; d. search; e. merge groups that would look alike; f. verify. */
static kanon_status change_groups(enforcement *e, kanon_error *err)
{
    kanon__ticker ticker;
    const kanon_table *t = e->subset.table;
    int64_t may = kanon__fraction_of(e->state->requirements->suppress, e->state->n_records);
    kanon__ticker_init(&ticker, e->state->tick, e->state->payload, "regrouping");
    kanon__run run = {.table = &t->data,
                      .policy = &t->policy,
                      .may_suppress = kanon__fraction_of(t->policy.suppress, t->data.n_rows),
                      .space = e->space,
                      .k = e->state->k,
                      .seed = e->state->seed,
                      .threads = 1,
                      .constraints = e->constraints,
                      .ticker = &ticker,
                      .group_of = e->group_of,
                      .n_groups = e->n_groups};
    bool enough = true;
    if (e->all && e->constraints != NULL && e->state->n_suppressed > 0)
        KANON_CHECK(groups_are_repairable(e, &enough, err));
    for (int64_t i = 0; e->constraints != NULL && i < e->constraints->n; i++)
        if (e->constraints->items[i].model->of_table) /* what stays out is no part of the table that readers see */
            enough = false;
    if (!enough)
        may = 0;
    if (may >= 0 && e->state->n_suppressed > may)
        KANON_CHECK(kanon__unsuppress(&run, may, t->data.has_entity && t->policy.entity_together, err));
    if (e->constraints != NULL)
        KANON_CHECK(repair_groups(&run, &e->done->n_repaired, err));
    e->n_groups = run.n_groups;
    if (e->constraints != NULL)
        KANON_CHECK(split_large(e, err));
    run.n_groups = e->n_groups;
    KANON_CHECK(kanon__local_search(e->state, &run, e->n_near, err));
    KANON_CHECK(kanon__enforce_on_classes(&run, &e->done->n_repaired, err));
    e->n_groups = run.n_groups;
    KANON_CHECK(kanon__verify_subset(&e->subset, e->state, e->group_of, e->n_groups, err));
    return verify_entities(e, err);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

kanon_status kanon__number_groups(int64_t **out, const kanon__subset *subset, kanon_state *s, const int32_t *group_of,
                                  int64_t n_groups, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__counter taken = {0};
    int64_t *numbers = NULL, n;
    KANON_TRY(kanon__new_array(&numbers, n_groups, "groups", err), out);
    for (int64_t row = 0; row < subset->n; row++) {
        int32_t group = group_of[row];
        int64_t old = subset->groups[row];
        if (group < 0 || numbers[group] != 0)
            continue;
        numbers[group] = -1;
        if (old <= 0)
            continue;
        KANON_TRY(kanon__counter_add(&taken, (uint64_t)old, 1, &n, err), out);
        if (n == 1)
            numbers[group] = old;
    }
    for (int64_t i = 0; i < n_groups; i++)
        if (numbers[i] <= 0)
            numbers[i] = s->next_group++;
    *out = numbers;
    numbers = NULL;
out:
    kanon__free(numbers);
    kanon__counter_clear(&taken);
    return st;
}

/* Step 5: what is needed to write a new group. */
typedef struct group_writer {
    enforcement *e;
    int64_t *numbers; /* by new group */
    bool *changed;    /* by new group: it differs from the group of that number in the index */
    int32_t *now;     /* by position in `refs`: the new group of that number; -1: gone */
    int64_t *members; /* of the group at hand, */
    int64_t *codes;   /* theirs, one after the other, */
    int64_t *box;     /* and its own */
    int64_t codes_capacity;
} group_writer;

/* A group is unchanged where all its records have its number, and they are as many as before. */
static kanon_status find_changes(group_writer *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    enforcement *e = w->e;
    int64_t *grown = NULL;
    KANON_TRY(kanon__new_array(&w->changed, e->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&w->now, e->refs.n, "groups", err), out);
    KANON_TRY(kanon__new_array(&grown, e->n_groups, "groups", err), out);
    for (int64_t i = 0; i < e->refs.n; i++)
        w->now[i] = -1;
    for (int32_t group = 0; group < e->n_groups; group++) {
        kanon__group_ref key = {.number = w->numbers[group]};
        const kanon__group_ref *found = bsearch(&key, e->refs.items, (size_t)e->refs.n, sizeof key, by_number);
        kanon__group_slot at;
        w->changed[group] = found == NULL;
        if (found == NULL)
            continue;
        w->now[found - e->refs.items] = group;
        KANON_TRY(kanon__group_index_locate(e->state->index, &at, found, err), out);
        grown[group] = -kanon__group_size(at);
    }
    for (int64_t row = 0; row < e->subset.n; row++) {
        int32_t group = e->group_of[row];
        if (group < 0)
            continue;
        grown[group]++;
        w->changed[group] = w->changed[group] || e->subset.groups[row] != w->numbers[group];
    }
    for (int32_t group = 0; group < e->n_groups; group++)
        w->changed[group] = w->changed[group] || grown[group] != 0;
out:
    kanon__free(grown);
    return st;
}

/* Replaces the group of that number, or adds a new one beside the old group of its first record, which it is like. */
static kanon_status write_group(group_writer *w, int32_t group, const int32_t *rows, int64_t n, kanon_error *err)
{
    enforcement *e = w->e;
    kanon__group_slot at = {0};
    int64_t m = e->state->n_dimensions;
    KANON_CHECK(kanon__grow_array(&w->codes, &w->codes_capacity, n * m, "members of groups", err));
    for (int64_t i = 0; i < n; i++) {
        w->members[i] = e->subset.ids[rows[i]];
        if (e->has_codes != NULL && e->has_codes[rows[i]])
            memcpy(w->codes + i * m, e->codes + rows[i] * m, (size_t)m * sizeof *w->codes);
        else
            KANON_CHECK(kanon__record_get(e->state, NULL, w->members[i], NULL, w->codes + i * m, err));
        kanon__box_add_codes(e->state->space, w->box, w->codes + i * m, i == 0);
    }
    kanon__new_group fresh = {w->numbers[group], n, w->members, w->box, w->codes};
    kanon__group_ref key = {.number = fresh.number};
    const kanon__group_ref *found = bsearch(&key, e->refs.items, (size_t)e->refs.n, sizeof key, by_number);
    if (found != NULL) {
        KANON_CHECK(kanon__group_index_locate(e->state->index, &at, found, err));
        KANON_CHECK(kanon__group_index_replace(e->state->index, at, &fresh, err));
        return KANON_OK;
    }
    for (int64_t i = 0; i < n && at.node == NULL; i++) {
        key.number = e->subset.groups[rows[i]];
        found = key.number > 0 ? bsearch(&key, e->refs.items, (size_t)e->refs.n, sizeof key, by_number) : NULL;
        if (found != NULL)
            KANON_CHECK(kanon__group_index_locate(e->state->index, &at, found, err));
    }
    if (at.node == NULL)
        KANON_CHECK(kanon__group_index_cheapest(e->state->index, &at, w->codes, NULL, err));
    KANON_CHECK(kanon__group_index_add(e->state->index, at, &fresh, err));
    e->state->n_groups++;
    return KANON_OK;
}

/* Replaced groups first, then removals, new groups last: adding may split leaves and move groups. */
static kanon_status write_changes(group_writer *w, const group_rows *s, kanon_error *err)
{
    enforcement *e = w->e;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t group = 0; group < e->n_groups; group++) {
            kanon__group_ref key = {.number = w->numbers[group]};
            bool is_new = bsearch(&key, e->refs.items, (size_t)e->refs.n, sizeof key, by_number) == NULL;
            if (w->changed[group] && is_new == (pass == 1))
                KANON_CHECK(write_group(w, group, s->members + s->begins[group], s->ends[group] - s->begins[group], err));
        }
        for (int64_t i = 0; pass == 0 && i < e->refs.n; i++) {
            kanon__group_slot at;
            if (w->now[i] >= 0)
                continue;
            KANON_CHECK(kanon__group_index_locate(e->state->index, &at, &e->refs.items[i], err));
            KANON_CHECK(kanon__group_index_remove(e->state->index, at, err));
            e->state->n_groups--;
        }
    }
    return KANON_OK;
}

static kanon_status write_groups(enforcement *e, kanon_error *err)
{
    kanon_status st = KANON_OK;
    group_writer w = {.e = e};
    group_rows s = {0};
    int64_t n_suppressed = 0;
    KANON_TRY(kanon__number_groups(&w.numbers, &e->subset, e->state, e->group_of, e->n_groups, err), out);
    KANON_TRY(kanon__new_array(&w.members, e->subset.n, "members of groups", err), out);
    KANON_TRY(kanon__new_array(&w.box, 2 * e->state->n_dimensions, "a box", err), out);
    KANON_TRY(find_changes(&w, err), out);
    KANON_TRY(list_group_rows(&s, e, err), out);
    KANON_TRY(write_changes(&w, &s, err), out);
    for (int64_t row = 0; row < e->subset.n; row++)
        n_suppressed += e->group_of[row] < 0;
    if (e->all)
        e->state->n_suppressed = n_suppressed;
out:
    kanon__free(s.ends);
    kanon__free(s.begins);
    kanon__free(s.members);
    kanon__free(w.box);
    kanon__free(w.codes);
    kanon__free(w.members);
    kanon__free(w.now);
    kanon__free(w.changed);
    kanon__free(w.numbers);
    return st;
}

kanon_status kanon__enforce_constraints(kanon_state *s, kanon__change_counts *done, kanon_error *err)
{
    kanon_status st = KANON_OK;
    enforcement e = {.state = s, .done = done};
    int64_t may = kanon__fraction_of(s->requirements->suppress, s->n_records);
    e.all = may >= 0 && s->n_suppressed > may;
    if (s->n_changed_groups > 0)
        qsort(s->changed_groups, (size_t)s->n_changed_groups, sizeof *s->changed_groups, kanon__compare_numbers);
    KANON_TRY(kanon__group_index_list_changed(s->index, &e.refs, s->changed_groups, s->n_changed_groups, err), out);
    if (e.refs.n == 0 && !e.all && !kanon__state_has_requirements(s))
        goto out;
    e.all = e.all || e.refs.n == 0; /* only suppressed records went: they count in the table's distribution */
    KANON_TRY(inspect_neighbourhood(&e, err), out);
    if (e.subset.n == 0)
        goto out;
    KANON_TRY(change_groups(&e, err), out);
    KANON_TRY(write_groups(&e, err), out);
    s->n_changed_groups = 0;
out:
    clear_inspection(&e);
    kanon__group_refs_clear(&e.refs);
    return st;
}
