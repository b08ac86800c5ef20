/* The separation of all tuples: which sets violate dual feasibility under the table's prices, found on several threads; and
 * the repair that makes prices dual feasible.
 *
 * The order of the tuples is that of falling price at kanon__separation_start and stays while prices fall. So a set belongs
 * to the problem of the same tuple all the time, and a tuple without a violated set is done for good.
 * Called by lower_bound.c; calls box_search.h, cuts.h, core/pool.h.
 *
 *     items     [ tuple, set | tuple, set | ... ]          the n tuples still to be separated, ascending
 *     members   task 0: [ tuples times | tuples times ... ]     the arrays behind the sets of its TUPLES_PER_TASK items */
#ifndef KANON_BOUND_SEPARATION_H
#define KANON_BOUND_SEPARATION_H

#include "bound/box_search.h"
#include "bound/cuts.h"

/* A tuple, and the set with the largest excess around it. */
struct kanon__separation_item {
    int64_t tuple;
    kanon__violated_set set; /* n is 0 where none was found */
};

typedef struct kanon__separation {
    kanon__priced_table *table;
    int32_t *order;  /* by tuple: its rank by falling price at the start */
    int32_t *last;   /* by node of the index: the greatest rank below it */
    int32_t *radius; /* by tuple: its price at the start; no tuple after it has more */
    kanon__separation_item *items;
    int64_t n; /* items */
    int64_t n_tasks;
    int32_t **members; /* by task */
} kanon__separation;

kanon_status kanon__separation_new(kanon__separation **out, kanon__priced_table *table, kanon_error *err);
void kanon__separation_free(kanon__separation *separation);
/* Order the tuples by the table's prices; all of them become items. From then on prices may only fall. */
kanon_status kanon__separation_start(kanon__separation *separation, kanon_error *err);
/* Separate the items [0, n). An average excess up to `tolerance` units does not count as a violation. */
kanon_status kanon__separation_run(kanon__separation *separation, int32_t tolerance, int64_t budget, kanon__ticker *ticker,
                                   kanon_error *err);
/* Lower the table's prices as little as it takes until they are dual feasible, the `tolerance` off each price included. The
 * violated sets go to `cuts`. *feasible is false where that did not succeed; the prices are of no use then. */
kanon_status kanon__separation_make_feasible(kanon__separation *separation, int32_t tolerance, kanon__cuts *cuts,
                                             bool *feasible, kanon__ticker *ticker, kanon_error *err);

#endif
