/* The tuples that may share a box with one tuple, for the box search: found through the index, sorted, thinned out.
 *
 * Every set that is asked about holds the tuple itself, so one of its records is taken before any other and is no candidate.
 * Called by box_search.c; calls priced_table.h. */
#ifndef KANON_BOUND_BOX_CANDIDATES_H
#define KANON_BOUND_BOX_CANDIDATES_H

#include "bound/priced_table.h"

/* A tuple near enough to share a box, and its distance. */
typedef struct kanon__box_candidate {
    uint64_t key; /* orders by falling price, then rising number; the number is the lower half */
    uint32_t distance;
} kanon__box_candidate;

typedef struct kanon__box_candidates {
    const kanon__priced_table *table;
    uint32_t **reach; /* by dimension and code: distance from the tuple on this dimension; NULL: too many codes */
    kanon__box_candidate *items, *other; /* `other` is room for sorting */
    int64_t n, items_capacity, other_capacity;
    int64_t own, own_price; /* the tuple that every set holds */
    int32_t uniform;        /* above 0: what every record is worth, whatever its price */
} kanon__box_candidates;

kanon_status kanon__box_candidates_init(kanon__box_candidates *out, const kanon__priced_table *table, kanon_error *err);
void kanon__box_candidates_clear(kanon__box_candidates *candidates);
/* The tuples of the same rank or after it in the order (NULL: all) that are at most `radius` away. `last` is the greatest
 * rank below each node of the index. */
kanon_status kanon__box_candidates_find(kanon__box_candidates *candidates, const int32_t *order, const int32_t *last,
                                        uint32_t radius, kanon_error *err);
kanon_status kanon__box_candidates_sort(kanon__box_candidates *candidates, kanon_error *err);
/* Drop those that no box can reach which has more than `tolerance` excess. False where fewer than k records remain. */
bool kanon__box_candidates_drop(kanon__box_candidates *candidates, int64_t tolerance);

/* What is left to choose of a tuple's records: one of its own is taken already. */
static inline int64_t kanon__box_candidates_count(const kanon__box_candidates *s, int64_t tuple)
{
    return s->table->counts[tuple] - (tuple == s->own);
}

static inline int32_t kanon__box_candidates_price(const kanon__box_candidates *s, int64_t tuple)
{
    return s->uniform > 0 ? s->uniform : s->table->prices[tuple];
}

#endif
