/* Makes prices dual feasible, by lowering as few of them as little as it takes. */
#ifndef KANON_BOUND_FEASIBLE_H
#define KANON_BOUND_FEASIBLE_H

#include "bound/cuts.h"
#include "bound/separation.h"

typedef struct kanon__feasible_task {
    const int32_t *floor; /* by tuple: dual feasible prices; mostly what is above them is lowered */
    int32_t tolerance;    /* units: an average excess that is let pass, and taken off every price at the end */
    int64_t worth;        /* units: what costs less than a small share of it in all is paid rather than looked into */
} kanon__feasible_task;

/* Lower the table's prices until they are dual feasible. The violated sets go to `cuts`.
 *
 * *feasible is false where it did not succeed; the prices are of no use then. KANON_ECANCELLED: it was stopped, and what is
 * open was paid for, so that the prices are feasible all the same if *feasible says so. */
kanon_status kanon__make_feasible(kanon__separation *separation, const kanon__feasible_task *task, kanon__cuts *cuts,
                                  bool *feasible, kanon__ticker *ticker, kanon_error *err);
/* The same for one in `every` tuples, as a trial: the prices are of no use afterwards. *ahead is how many seconds all tuples
 * would take, or INFINITY: it is more than `most_seconds`, or, where that is 0, too many searches do not end. */
kanon_status kanon__try_feasible(kanon__separation *separation, const kanon__feasible_task *task, int64_t every,
                                 double most_seconds, double *ahead, kanon__ticker *ticker, kanon_error *err);

#endif
