/* Makes prices dual feasible, by lowering as few of them as little as it takes.
 * Called by lower_bound.c; calls separation.h, cuts.h. */
#ifndef KANON_BOUND_FEASIBLE_H
#define KANON_BOUND_FEASIBLE_H

#include "bound/cuts.h"
#include "bound/separation.h"

/* Lower the table's prices until they are dual feasible, mostly where they are above `floor`: by tuple, dual feasible prices.
 * An average excess of `tolerance` units is let pass and taken off every price at the end. What costs less than a small share
 * of `worth` units in all is paid rather than looked into. The violated sets go to `cuts`.
 *
 * *feasible is false where it did not succeed; the prices are of no use then. KANON_ECANCELLED: it was stopped, and what is
 * open was paid for, so that the prices are feasible all the same if *feasible says so. */
kanon_status kanon__make_feasible(kanon__separation *separation, const int32_t *floor, int32_t tolerance, int64_t worth,
                                  kanon__cuts *cuts, bool *feasible, kanon__ticker *ticker, kanon_error *err);

#endif
