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
    int32_t *sides;   /* room for the extents of a dimension's codes */
    kanon__box_candidate *items, *other; /* `other` is room for sorting */
    int64_t n, items_capacity, other_capacity;
    int64_t own, own_price; /* the tuple that every set holds */
    int32_t uniform;        /* above 0: what every record is worth, whatever its price */
    /* the stand-in for those that were left out, if any: */
    int32_t stand_in_price;     /* none of them has a higher one */
    uint32_t stand_in_distance; /* or is nearer */
} kanon__box_candidates;

/* The number of the stand-in, where there is one: as many records as a set can have. */
#define KANON__STAND_IN UINT32_MAX

kanon_status kanon__box_candidates_init(kanon__box_candidates *out, const kanon__priced_table *table, kanon_error *err);
void kanon__box_candidates_clear(kanon__box_candidates *candidates);
/* The tuples of the same rank or after it in the order (NULL: all) that are at most `radius` away. `last` is the greatest
 * rank below each node of the index. */
kanon_status kanon__box_candidates_find(kanon__box_candidates *candidates, const int32_t *order, const int32_t *last,
                                        uint32_t radius, kanon_error *err);
kanon_status kanon__box_candidates_sort(kanon__box_candidates *candidates, kanon_error *err);
/* Drop those that are in no set with more than `tolerance` excess. False where fewer than k records remain. */
bool kanon__box_candidates_drop(kanon__box_candidates *candidates, int64_t tolerance);
/* Keep about `most`: the nearest and the highest prices. The others have a stand-in then, which costs no growth, so that no
 * excess is lost. */
kanon_status kanon__box_candidates_thin_out(kanon__box_candidates *candidates, int64_t most, kanon_error *err);

/* Their extents around the tuple, by side, then candidate. */
void kanon__box_candidates_extents(kanon__box_candidates *candidates, int32_t *extents);

/* What is left to choose of a tuple's records: one of its own is taken already. */
static inline int64_t kanon__box_candidates_count(const kanon__box_candidates *s, int64_t tuple)
{
    return tuple == KANON__STAND_IN ? s->table->k - 1 : s->table->counts[tuple] - (tuple == s->own);
}

static inline int32_t kanon__box_candidates_price(const kanon__box_candidates *s, int64_t tuple)
{
    return s->uniform > 0 ? s->uniform : tuple == KANON__STAND_IN ? s->stand_in_price : s->table->prices[tuple];
}

#endif
