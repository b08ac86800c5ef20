/* Is there a box around a tuple whose k highest prices average more than the box costs?
 *
 * Only tuples at or after the tuple in a given order are looked at: each set of tuples has a first one, so asking about all
 * tuples asks about all sets. */
#ifndef KANON_BOUND_BOX_SEARCH_H
#define KANON_BOUND_BOX_SEARCH_H

#include "bound/priced_table.h"

/* k records of a box: tuples, and how many records of each. */
typedef struct kanon__overpriced {
    int64_t excess;  /* the sum of their prices less k times D of their box; not above the tolerance: none was found */
    int64_t at_most; /* no box around the tuple has more; equal to `excess` unless the work was cut short */
    int32_t units;   /* D of their box */
    int32_t *tuples, *times;
    int64_t n;
} kanon__overpriced;

typedef struct kanon__box_search kanon__box_search;

kanon_status kanon__box_search_new(kanon__box_search **out, const kanon__priced_table *table, kanon_error *err);
void kanon__box_search_free(kanon__box_search *search);
/* The box with the largest excess, if that is above `tolerance` (>= 0). `order` has the place of each tuple in the order,
 * `last` the greatest of them below each node of the tree; neither the tuple nor any after it has a price above `radius`.
 * At most about `budget` tuples are looked at inside boxes. The answer belongs to the search and lives until the next
 * question. */
kanon_status kanon__box_search_run(kanon__box_search *search, int64_t tuple, const int32_t *order, const int32_t *last,
                                   int32_t radius, int64_t tolerance, int64_t budget, const kanon__overpriced **out,
                                   kanon_error *err);

#endif
