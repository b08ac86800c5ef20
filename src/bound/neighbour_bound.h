/* The neighbour bound: the sum over the records of the distance to the (k-1)-th nearest other record. No grouping without
 * suppression loses less, because a record's group holds at least k - 1 others (proof: docs/lower-bound.md).
 *
 * It is the quick bound of every report. kanon_bound (lower_bound.c) begins with the same distances in whole units and
 * improves them; here they are summed up in double from the raw values, as all measures are. */
#ifndef KANON_BOUND_NEIGHBOUR_BOUND_H
#define KANON_BOUND_NEIGHBOUR_BOUND_H

#include "core/ticker.h"
#include "table/read/table.h"

/* k is at most the number of rows. The result does not depend on the number of threads. */
kanon_status kanon__neighbour_bound(double *out, const kanon__data *table, int64_t k, int threads, kanon__ticker *ticker,
                                    kanon_error *err);

#endif
