/* Builds the lists of group_lists.h.
 *
 *   1. Candidates for group A: all other groups where there are few, else the groups of tuples near its members.
 *   2. Score of candidate h, with J the D of the box around both: 2 (J - D(h)) + (J - D(A)) / 2. The first term is what h
 *      would be widened by all of A; the second prefers groups of about the same place and width among equals.
 *   3. Keep the KANON__LIST_WIDTH candidates with the least scores. Ties: the lowest slot among all groups, else the first
 *      one that was met.
 *
 * Cost: O(groups^2 attributes) up to ALL_PAIRS groups, else O(records * neighbours). */
#include "refine/anneal/group_lists.h"

#include "core/alloc.h"

/* Up to so many groups all pairs are scored; beyond that, so many members of a group propose the groups near them. */
enum { ALL_PAIRS = 800, ASKED_MEMBERS = 40 };

typedef struct list_builder {
    const kanon__region *region;
    kanon__group_lists *out;
    int32_t *seen_by;                 /* by slot: the last group that had it as a candidate; -1: none */
    uint64_t best[KANON__LIST_WIDTH]; /* score << 32 | slot, ascending */
    int32_t n_best;
} list_builder;

/* 2, 3. */
static void offer(list_builder *b, int32_t group, int32_t candidate)
{
    const kanon__region *r = b->region;
    uint32_t joint = kanon__boxes_units(r->costs, kanon__region_bounds(r, group), kanon__region_bounds(r, candidate));
    uint64_t score = 2 * (uint64_t)(joint - r->groups[candidate].units) + (joint - r->groups[group].units) / 2;
    uint64_t entry = (score < UINT32_MAX ? score : UINT32_MAX) << 32 | (uint32_t)candidate;
    if (b->n_best == KANON__LIST_WIDTH && entry >= b->best[KANON__LIST_WIDTH - 1])
        return;
    int32_t at = b->n_best < KANON__LIST_WIDTH ? b->n_best++ : KANON__LIST_WIDTH - 1;
    for (; at > 0 && b->best[at - 1] > entry; at--)
        b->best[at] = b->best[at - 1];
    b->best[at] = entry;
}

/* 1. The groups of tuples near some of the members, evenly spread among them. */
static void offer_near(list_builder *b, int32_t group)
{
    const kanon__region *r = b->region;
    const int32_t *members = kanon__region_members(r, group);
    int32_t size = r->groups[group].size, step = size / ASKED_MEMBERS + 1;
    for (int32_t i = 0; i < size; i += step) {
        int32_t tuple = r->tuple_of[members[i]];
        for (int32_t j = r->neighbour_begins[tuple]; j < r->neighbour_begins[tuple + 1]; j++) {
            int32_t candidate = r->group_of[r->tuple_begins[r->neighbours[j]]];
            if (candidate < 0 || candidate == group || b->seen_by[candidate] == group)
                continue;
            b->seen_by[candidate] = group;
            offer(b, group, candidate);
        }
    }
}

static void offer_all(list_builder *b, int32_t group)
{
    for (int32_t candidate = 0; candidate < b->region->n_slots; candidate++)
        if (candidate != group && b->region->groups[candidate].size > 0)
            offer(b, group, candidate);
}

kanon_status kanon__group_lists_init(kanon__group_lists *out, const kanon__region *region, kanon_error *err)
{
    kanon_status st = KANON_OK;
    list_builder b = {.region = region, .out = out};
    *out = (kanon__group_lists){0};
    KANON_TRY(kanon__new_array(&out->groups, (int64_t)region->n_slots * KANON__LIST_WIDTH, "groups", err), out);
    KANON_TRY(kanon__new_array(&out->n, region->n_slots, "groups", err), out);
    KANON_TRY(kanon__new_array(&b.seen_by, region->n_slots, "groups", err), out);
    for (int32_t group = 0; group < region->n_slots; group++)
        b.seen_by[group] = -1;
    for (int32_t group = 0; group < region->n_slots; group++) {
        b.n_best = 0;
        if (region->groups[group].size > 0 && region->n_groups <= ALL_PAIRS)
            offer_all(&b, group);
        else if (region->groups[group].size > 0)
            offer_near(&b, group);
        out->n[group] = b.n_best;
        for (int32_t i = 0; i < b.n_best; i++)
            out->groups[(int64_t)group * KANON__LIST_WIDTH + i] = (int32_t)(uint32_t)b.best[i];
    }
out:
    kanon__free(b.seen_by);
    if (st != KANON_OK)
        kanon__group_lists_clear(out);
    return st;
}

void kanon__group_lists_clear(kanon__group_lists *lists)
{
    kanon__free(lists->n);
    kanon__free(lists->groups);
    *lists = (kanon__group_lists){0};
}
