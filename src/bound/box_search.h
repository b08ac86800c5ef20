/* The separation problem of one tuple: is there a box around it in which the prices violate dual feasibility, that is, the
 * k highest prices inside sum up to more than k D(box)? The answer is the box with the largest excess.
 *
 * Only tuples at or after the tuple in a given order are considered: each set of tuples has a first one, so the problems of
 * all tuples together cover all sets, each once.
 * Called by separation.c, one search object per task. Calls priced_table.h. */
#ifndef KANON_BOUND_BOX_SEARCH_H
#define KANON_BOUND_BOX_SEARCH_H

#include "bound/priced_table.h"

/* k records of a box, as tuples and how many records of each. */
typedef struct kanon__violated_set {
    int64_t excess;  /* the sum of their prices less k times D of their box; not above the tolerance: none was found */
    int64_t at_most; /* no box around the tuple has more; equal to `excess` unless the search ran out of its budget */
    int32_t units;   /* D of their box */
    int32_t *tuples, *times;
    int64_t n; /* tuples; 0: none was found */
} kanon__violated_set;

typedef struct kanon__box_search kanon__box_search;

kanon_status kanon__box_search_new(kanon__box_search **out, const kanon__priced_table *table, kanon_error *err);
void kanon__box_search_free(kanon__box_search *search);
/* The box with the largest excess, if that is above `tolerance` (>= 0). `order` is the rank of each tuple in the order,
 * `last` the greatest rank below each node of the index; no tuple of rank order[tuple] or more has a price above `radius`.
 * Visits about `budget` entries at most. The answer belongs to the search and lives until the next call. */
kanon_status kanon__box_search_run(kanon__box_search *search, int64_t tuple, const int32_t *order, const int32_t *last,
                                   int32_t radius, int64_t tolerance, int64_t budget, const kanon__violated_set **out,
                                   kanon_error *err);

#endif
