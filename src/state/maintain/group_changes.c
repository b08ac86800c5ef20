/* I3M+ for inserts and I3M- for deletes.
 *
 * Insert of a record (I3M+):
 *     1. Find the group whose loss grows least (FindBestCluster: kanon__group_index_cheapest); of an entity that stays
 *        together, the group of its other records.
 *     2. Join it. A group that reaches 2k records is split (Split2k), unless there are constraints: then
 *        kanon__enforce_constraints splits where both parts satisfy them.
 * Delete of records (I3M-):
 *     1. Find the group of each record, and sort the records by group.
 *     2. Shrink each of these groups: new members and box; an empty group is removed.
 *     3. Read the ranges anew: they may have become narrower.
 *     4. Disperse each group short of k: remove it, and insert its members as in I3M+ (DisperseLessKCluster). Where fewer
 *        than k records are left in groups, they form one group, and suppressed records return to it until it has k.
 *
 * Step 4 of one group changes others: they grow, reach k again, or are split, so each group is located anew when its
 * turn comes. */
#include "state/maintain/group_changes.h"

#include "core/alloc.h"
#include "state/maintain/split2k.h"
#include "state/store/entity_index.h"
#include "state/store/state_requirements.h"

#include <stdlib.h>
#include <string.h>

/* The members of one group and their box, while the group is changed. */
typedef struct boxed_members {
    kanon__member_list list;
    int64_t *box;
} boxed_members;

static void clear_members(boxed_members *c)
{
    kanon__free(c->box);
    kanon__member_list_clear(&c->list);
    *c = (boxed_members){0};
}

static kanon_status make_room(boxed_members *c, const kanon_state *s, int64_t n, kanon_error *err)
{
    kanon__member_list *list = &c->list;
    KANON_CHECK(kanon__grow_array(&list->members, &list->members_capacity, n, "members of a group", err));
    KANON_CHECK(kanon__grow_array(&list->codes, &list->codes_capacity, n * s->n_dimensions, "members of a group", err));
    if (c->box == NULL)
        KANON_CHECK(kanon__new_array(&c->box, 2 * s->n_dimensions, "a box", err));
    return KANON_OK;
}

/* Read the members of a group. */
static kanon_status read_members(boxed_members *c, kanon_state *s, kanon__group_slot at, kanon_error *err)
{
    kanon_status st = make_room(c, s, kanon__group_size(at) + 1, err);
    return st == KANON_OK ? kanon__group_index_members(s->index, at, &c->list, err) : st;
}

static void compute_box(boxed_members *c, const kanon_state *s)
{
    for (int64_t i = 0; i < c->list.n; i++)
        kanon__box_add_codes(s->space, c->box, c->list.codes + i * s->n_dimensions, i == 0);
}

static kanon__new_group group_of(const boxed_members *c, int64_t number)
{
    return (kanon__new_group){number, c->list.n, c->list.members, c->box, c->list.codes};
}

/* With requirements beyond k, or with a search, the groups that changed are inspected when the command ends. */
static kanon_status note_changed_group(kanon_state *s, int64_t number, kanon_error *err)
{
    if (!kanon__state_has_requirements(s) && s->search_moves == 0)
        return KANON_OK;
    KANON_CHECK(kanon__grow_array(&s->changed_groups, &s->changed_groups_capacity, s->n_changed_groups + 1, "groups", err));
    s->changed_groups[s->n_changed_groups++] = number;
    return KANON_OK;
}

/* ---- splitting --------------------------------------------------------------------------------------------------- */

/* Moves the chosen records from `all` to `fresh`; both get their boxes. */
static kanon_status divide_members(boxed_members *all, boxed_members *fresh, const kanon_state *s, const bool *moved,
                                   kanon_error *err)
{
    int m = s->n_dimensions;
    int64_t n_left = 0;
    KANON_CHECK(make_room(fresh, s, all->list.n, err));
    fresh->list.n = 0;
    for (int64_t i = 0; i < all->list.n; i++) {
        boxed_members *to = moved[i] ? fresh : all;
        int64_t at = moved[i] ? fresh->list.n++ : n_left++;
        to->list.members[at] = all->list.members[i];
        memmove(to->list.codes + at * m, all->list.codes + i * m, (size_t)m * sizeof *to->list.codes);
    }
    all->list.n = n_left;
    compute_box(all, s);
    compute_box(fresh, s);
    return KANON_OK;
}

/* The old group keeps its number and its slot; the new one is added beside it. */
static kanon_status split(kanon_state *s, kanon__group_slot at, kanon__change_counts *done, kanon_error *err)
{
    kanon_status st = KANON_OK;
    boxed_members old = {0}, fresh = {0};
    bool *moved = NULL;
    KANON_TRY(read_members(&old, s, at, err), out);
    KANON_TRY(kanon__new_array(&moved, old.list.n, "a split", err), out);
    KANON_TRY(kanon__split_choose(s, old.list.codes, old.list.n, NULL, moved, err), out);
    KANON_TRY(divide_members(&old, &fresh, s, moved, err), out);
    kanon__new_group stays = group_of(&old, kanon__group_number(at)), is_new = group_of(&fresh, s->next_group);
    KANON_TRY(kanon__group_index_replace(s->index, at, &stays, err), out);
    s->next_group++;
    s->n_groups++;
    KANON_TRY(note_changed_group(s, is_new.number, err), out);
    KANON_TRY(kanon__group_index_add(s->index, at, &is_new, err), out);
    done->n_splits++;
out:
    kanon__free(moved);
    clear_members(&fresh);
    clear_members(&old);
    return st;
}

/* ---- I3M+ -------------------------------------------------------------------------------------------------------- */

/* The group of the other records of an entity; nowhere until one is found. */
typedef struct entity_search {
    kanon_state *state;
    kanon__group_slot found;
} entity_search;

/* A record that is being moved is in no group; the first one that is in a group decides. */
static kanon_status take_group(int64_t record, const int64_t *codes, bool *stop, void *payload, kanon_error *err)
{
    entity_search *e = payload;
    kanon_status st = kanon__group_index_group_of(e->state->index, &e->found, record, codes, err);
    *stop = e->found.node != NULL;
    return st;
}

/* FindBestCluster; a record of an entity that stays together follows the others. */
static kanon_status find_group(kanon_state *s, kanon__group_slot *out, int64_t record, const int64_t *codes,
                               kanon_error *err)
{
    entity_search e = {.state = s};
    if (kanon__entities_stay_together(s))
        KANON_CHECK(kanon__entity_visit_others(s, record, take_group, &e, err));
    *out = e.found;
    if (out->node == NULL)
        KANON_CHECK(kanon__group_index_cheapest(s->index, out, codes, NULL, err));
    return KANON_OK;
}

/* Finds a group, joins it, and splits it at 2k records. The very first record becomes a group of its own. */
static kanon_status assign_record(kanon_state *s, int64_t record, const int64_t *codes, kanon__change_counts *done,
                                  kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__group_slot best;
    boxed_members alone = {0};
    KANON_TRY(find_group(s, &best, record, codes, err), out);
    if (best.node != NULL) {
        KANON_TRY(kanon__group_index_join(s->index, best, record, codes, err), out);
        KANON_TRY(note_changed_group(s, kanon__group_number(best), err), out);
        if (kanon__group_size(best) >= 2 * s->k && !kanon__state_has_requirements(s))
            KANON_TRY(split(s, best, done, err), out);
        goto out;
    }
    KANON_TRY(make_room(&alone, s, 1, err), out);
    alone.list.n = 1;
    alone.list.members[0] = record;
    memcpy(alone.list.codes, codes, (size_t)s->n_dimensions * sizeof *codes);
    compute_box(&alone, s);
    kanon__new_group first = group_of(&alone, s->next_group++);
    s->n_groups++;
    KANON_TRY(note_changed_group(s, first.number, err), out);
    KANON_TRY(kanon__group_index_add(s->index, best, &first, err), out);
out:
    clear_members(&alone);
    return st;
}

kanon_status kanon__groups_insert(kanon_state *s, int64_t record, const int64_t *codes, kanon__change_counts *done,
                                  kanon_error *err)
{
    if (kanon__current_space_widen(s->space, codes))
        kanon__current_space_measure(s->space);
    return assign_record(s, record, codes, done, err);
}

/* ---- I3M- -------------------------------------------------------------------------------------------------------- */

/* A record that leaves, and its group. */
typedef struct departure {
    int64_t record, number;
    int64_t leaf; /* the node in which the group is */
} departure;

/* A group that lost members. */
typedef struct shrunk_group {
    int64_t number, leaf;
    const departure *departures; /* ascending by record */
    int64_t n_departures;
    boxed_members left; /* the members that stay */
} shrunk_group;

static int by_number_and_record(const void *left, const void *right)
{
    const departure *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

/* Steps 1: the groups of the records. A record in no group is one of the suppressed. */
static kanon_status find_shrunk_groups(kanon_state *s, departure *departures, const int64_t *codes, int64_t n,
                                       shrunk_group *shrunk, int64_t *n_shrunk, kanon_error *err)
{
    int64_t n_found = 0;
    *n_shrunk = 0;
    for (int64_t i = 0; i < n; i++) {
        kanon__group_slot at;
        KANON_CHECK(kanon__group_index_group_of(s->index, &at, departures[i].record, codes + i * s->n_dimensions, err));
        if (at.node != NULL)
            departures[n_found++] = (departure){departures[i].record, kanon__group_number(at), at.node->id};
        else if (s->n_suppressed-- == 0)
            return kanon__store_damaged(&s->store, "a record is in no group", err);
    }
    qsort(departures, (size_t)n_found, sizeof *departures, by_number_and_record);
    for (int64_t i = 0; i < n_found; i++) {
        if (i == 0 || departures[i].number != departures[i - 1].number)
            shrunk[(*n_shrunk)++] = (shrunk_group){
                .number = departures[i].number, .leaf = departures[i].leaf, .departures = departures + i};
        shrunk[*n_shrunk - 1].n_departures++;
    }
    return KANON_OK;
}

/* The members that stay, and the box around them. */
static kanon_status read_rest(kanon_state *s, shrunk_group *l, kanon__group_slot at, kanon_error *err)
{
    int m = s->n_dimensions;
    int64_t n_left = 0, next = 0;
    KANON_CHECK(read_members(&l->left, s, at, err));
    kanon__member_list *list = &l->left.list;
    for (int64_t i = 0; i < list->n; i++) {
        if (next < l->n_departures && l->departures[next].record == list->members[i]) {
            next++;
            continue;
        }
        list->members[n_left] = list->members[i];
        memmove(list->codes + n_left++ * m, list->codes + i * m, (size_t)m * sizeof *list->codes);
    }
    list->n = n_left;
    compute_box(&l->left, s);
    return KANON_OK;
}

/* Step 2. Empty groups are removed last: removing moves slots and may erase leaves. */
static kanon_status shrink(kanon_state *s, shrunk_group *shrunk, int64_t n, kanon_error *err)
{
    kanon__group_slot at;
    for (int64_t i = 0; i < n; i++) {
        KANON_CHECK(kanon__group_index_find(s->index, &at, shrunk[i].leaf, shrunk[i].number, err));
        KANON_CHECK(read_rest(s, &shrunk[i], at, err));
        if (shrunk[i].left.list.n == 0)
            continue;
        kanon__new_group smaller = group_of(&shrunk[i].left, shrunk[i].number);
        KANON_CHECK(kanon__group_index_replace(s->index, at, &smaller, err));
        KANON_CHECK(note_changed_group(s, shrunk[i].number, err));
    }
    for (int64_t i = 0; i < n; i++) {
        if (shrunk[i].left.list.n > 0)
            continue;
        KANON_CHECK(kanon__group_index_find(s->index, &at, shrunk[i].leaf, shrunk[i].number, err));
        KANON_CHECK(kanon__group_index_remove(s->index, at, err));
        s->n_groups--;
    }
    return KANON_OK;
}

/* The group, in the leaf where it was, or, if that leaf has been split, by its first member. Where that member has left by a
 * split of the group, this is the part that it is in. Both parts of a split have k records, so such a part stays. */
static kanon_status locate_shrunk_group(kanon_state *s, const shrunk_group *l, kanon__group_slot *out, kanon_error *err)
{
    kanon_status st = kanon__group_index_find(s->index, out, l->leaf, l->number, err);
    if (st == KANON_OK && out->node == NULL)
        st = kanon__group_index_group_of(s->index, out, l->left.list.members[0], l->left.list.codes, err);
    return st;
}

/* DisperseLessKCluster. The members are known, unless others have joined since. */
static kanon_status disperse(kanon_state *s, kanon__group_slot at, const boxed_members *known, kanon__change_counts *done,
                             kanon_error *err)
{
    kanon_status st = KANON_OK;
    boxed_members own = {0};
    if (known->list.n != kanon__group_size(at)) {
        KANON_TRY(read_members(&own, s, at, err), out);
        known = &own;
    }
    KANON_TRY(kanon__group_index_remove(s->index, at, err), out);
    s->n_groups--;
    done->n_dispersed++;
    for (int64_t i = 0; i < known->list.n; i++)
        KANON_TRY(assign_record(s, known->list.members[i], known->list.codes + i * s->n_dimensions, done, err), out);
out:
    clear_members(&own);
    return st;
}

static kanon_status disperse_small(kanon_state *s, const shrunk_group *shrunk, int64_t n, kanon__change_counts *done,
                                   kanon_error *err)
{
    kanon__ticker ticker;
    kanon__ticker_init(&ticker, s->tick, s->payload, "regrouping");
    for (int64_t i = 0; i < n; i++) {
        kanon__group_slot at;
        if (shrunk[i].left.list.n == 0)
            continue;
        KANON_CHECK(kanon__tick(&ticker, i, n, 100000, err));
        KANON_CHECK(locate_shrunk_group(s, &shrunk[i], &at, err));
        /* others may have joined it, until it was large enough, or even split */
        if (at.node != NULL && kanon__group_size(at) < s->k)
            KANON_CHECK(disperse(s, at, &shrunk[i].left, done, err));
    }
    return KANON_OK;
}

static kanon_status note_members(const kanon__node *leaf, void *payload, kanon_error *err)
{
    boxed_members *c = payload;
    if (leaf->begins[leaf->n] > c->list.members_capacity - c->list.n)
        return kanon__fail(err, KANON_EDATA, "the state is damaged: it has more records than it says");
    for (int64_t i = 0; i < leaf->begins[leaf->n]; i++)
        c->list.members[c->list.n++] = leaf->members[i];
    return KANON_OK;
}

/* Fewer than k records are left: they form one group until others come back. */
static kanon_status merge_remaining(kanon_state *s, int64_t n_left, kanon_error *err)
{
    kanon_status st = KANON_OK;
    boxed_members c = {0};
    KANON_TRY(make_room(&c, s, n_left + 1, err), out);
    KANON_TRY(kanon__group_index_visit(s->index, note_members, &c, err), out);
    qsort(c.list.members, (size_t)c.list.n, sizeof *c.list.members, kanon__compare_numbers);
    for (int64_t i = 0; i < c.list.n; i++)
        KANON_TRY(kanon__record_get(s, NULL, c.list.members[i], NULL, c.list.codes + i * s->n_dimensions, err), out);
    compute_box(&c, s);
    kanon__new_group all = group_of(&c, s->next_group);
    s->n_groups = c.list.n > 0;
    s->next_group += c.list.n > 0;
    KANON_TRY(note_changed_group(s, all.number, err), out);
    KANON_TRY(kanon__group_index_build(s->index, &all, c.list.n > 0, err), out);
out:
    clear_members(&c);
    return st;
}

/* The suppressed records, with their codes one after the other. */
typedef struct suppressed_list {
    kanon_state *state;
    int64_t *records, *codes;
    int64_t n, capacity, codes_capacity;
} suppressed_list;

/* A record that is in no group is suppressed. */
static kanon_status note_suppressed(const kanon__record *record, void *payload, kanon_error *err)
{
    suppressed_list *l = payload;
    kanon_state *s = l->state;
    int64_t m = s->n_dimensions;
    kanon__group_slot at;
    KANON_CHECK(kanon__grow_array(&l->records, &l->capacity, l->n + 1, "records", err));
    KANON_CHECK(kanon__grow_array(&l->codes, &l->codes_capacity, (l->n + 1) * m, "records", err));
    KANON_CHECK(kanon__record_get(s, NULL, record->id, NULL, l->codes + l->n * m, err));
    KANON_CHECK(kanon__group_index_group_of(s->index, &at, record->id, l->codes + l->n * m, err));
    if (at.node == NULL)
        l->records[l->n++] = record->id;
    return KANON_OK;
}

/* The suppressed record whose return costs least, of equal ones the lowest number, returns to the groups. */
static kanon_status take_cheapest(suppressed_list *l, kanon__change_counts *done, kanon_error *err)
{
    kanon_state *s = l->state;
    int64_t m = s->n_dimensions, best = 0, least = INT64_MAX;
    for (int64_t i = 0; i < l->n; i++) {
        kanon__group_slot at;
        int64_t increase = 0;
        KANON_CHECK(kanon__group_index_cheapest(s->index, &at, l->codes + i * m, &increase, err));
        if (at.node != NULL && increase < least) {
            best = i;
            least = increase;
        }
    }
    KANON_CHECK(assign_record(s, l->records[best], l->codes + best * m, done, err));
    s->n_suppressed--;
    l->n--;
    memmove(l->records + best, l->records + best + 1, (size_t)(l->n - best) * sizeof *l->records);
    memmove(l->codes + best * m, l->codes + (best + 1) * m, (size_t)((l->n - best) * m) * sizeof *l->codes);
    return KANON_OK;
}

static kanon_status take_suppressed(kanon_state *s, int64_t n_grouped, kanon__change_counts *done, kanon_error *err)
{
    kanon_status st = KANON_OK;
    suppressed_list l = {.state = s};
    KANON_TRY(kanon__records_list(s, note_suppressed, &l, err), out);
    if (l.n != s->n_suppressed)
        KANON_TRY(kanon__store_damaged(&s->store, "its groups and its records do not fit together", err), out);
    for (; n_grouped < s->k; n_grouped++)
        KANON_TRY(take_cheapest(&l, done, err), out);
out:
    kanon__free(l.codes);
    kanon__free(l.records);
    return st;
}

kanon_status kanon__groups_delete(kanon_state *s, const int64_t *records, const int64_t *codes, int64_t n,
                                  bool more_will_come, kanon__change_counts *done, kanon_error *err)
{
    kanon_status st = KANON_OK;
    departure *departures = NULL;
    shrunk_group *shrunk = NULL;
    int64_t n_shrunk = 0;
    KANON_TRY(kanon__new_array(&departures, n, "records", err), out);
    KANON_TRY(kanon__new_array(&shrunk, n, "groups", err), out);
    for (int64_t i = 0; i < n; i++)
        departures[i].record = records[i];
    KANON_TRY(find_shrunk_groups(s, departures, codes, n, shrunk, &n_shrunk, err), out);
    int64_t n_left = s->n_records - n - s->n_suppressed;
    if (n_left + s->n_suppressed < s->k && !more_will_come) {
        st = kanon__fail(err, KANON_EINFEASIBLE, "only %lld records would be left, fewer than k = %lld",
                         (long long)(n_left + s->n_suppressed), (long long)s->k);
        kanon__hint(err, st, "nothing was changed");
        goto out;
    }
    KANON_TRY(shrink(s, shrunk, n_shrunk, err), out);
    KANON_TRY(kanon__ranges_read(s, err), out);
    KANON_TRY(n_left < s->k ? merge_remaining(s, n_left, err) : disperse_small(s, shrunk, n_shrunk, done, err), out);
    if (n_left < s->k && !more_will_come)
        KANON_TRY(take_suppressed(s, n_left, done, err), out);
out:
    for (int64_t i = 0; shrunk != NULL && i < n; i++)
        clear_members(&shrunk[i].left);
    kanon__free(shrunk);
    kanon__free(departures);
    return st;
}
