/* The tuples that may share a box with one tuple: found through the index, thinned out, sorted, laid out as arrays.
 *
 * Every set that is asked about holds the tuple itself, so one of its records is taken before any other and is no
 * candidate. */
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
    /* by candidate, in the order of `items`, once they are laid out: */
    int32_t *tuples, *prices; /* the tuple of the stand-in is -1 */
    int64_t *counts;
    int32_t *extents, *corners; /* extents around the tuple by side, then candidate, and the other way round */
    int64_t tuples_capacity, prices_capacity, counts_capacity, extents_capacity, corners_capacity;
} kanon__box_candidates;

/* k records of a box, as tuples and how many records of each. */
typedef struct kanon__violated_set {
    int64_t excess;  /* the sum of their prices less k times D of their box, or more; the tolerance: none was found */
    int64_t at_most; /* no box around the tuple has more; equal to `excess` unless the search ran out of its budget */
    int32_t units;   /* D of their box */
    int32_t *tuples, *times;
    int64_t n; /* tuples; 0: none was found */
} kanon__violated_set;

/* Room for the members of a set. */
kanon_status kanon__violated_set_init(kanon__violated_set *out, const kanon__priced_table *table, kanon_error *err);
void kanon__violated_set_clear(kanon__violated_set *set);

/* The number of the stand-in, where there is one: as many records as a set can have. */
#define KANON__STAND_IN UINT32_MAX

kanon_status kanon__box_candidates_init(kanon__box_candidates *out, const kanon__priced_table *table, kanon_error *err);
void kanon__box_candidates_clear(kanon__box_candidates *candidates);
/* The tuples of the same rank or after it in the order (NULL: all) that are at most `radius` away. `last` is the greatest
 * rank below each node of the index. */
kanon_status kanon__box_candidates_find(kanon__box_candidates *candidates, const int32_t *order, const int32_t *last,
                                        uint32_t radius, kanon_error *err);
/* Drop those that are in no set with more than `tolerance` excess. False where fewer than k records remain. */
bool kanon__box_candidates_drop(kanon__box_candidates *candidates, int64_t tolerance);
/* Keep about `most`: the nearest and the highest prices. The others have a stand-in then, which costs no growth, so that no
 * excess is lost. */
kanon_status kanon__box_candidates_thin_out(kanon__box_candidates *candidates, int64_t most, kanon_error *err);

/* Sort them and fill the arrays. */
kanon_status kanon__box_candidates_lay_out(kanon__box_candidates *candidates, kanon_error *err);

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
