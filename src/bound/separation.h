/* The separation of all tuples: which sets violate dual feasibility under the table's prices, found on several threads.
 *
 * The order of the tuples is that of falling price at kanon__separation_start and stays while prices fall. So a set
 * belongs to the problem of the same tuple all the time, and a tuple without a violated set is done for good.
 *
 *     items     [ tuple, set | tuple, set | ... ]          the n tuples still to be separated, ascending
 *     members   task 0: [ tuples times | tuples times ... ]     the arrays behind the sets of its TUPLES_PER_TASK items */
#ifndef KANON_BOUND_SEPARATION_H
#define KANON_BOUND_SEPARATION_H

#include "bound/box_search.h"

/* A tuple, and the set with the largest excess around it. */
typedef struct kanon__separation_item {
    int64_t tuple;
    int32_t price;           /* of the tuple when it was asked about */
    kanon__violated_set set; /* n is 0 where none was found */
    int64_t due;             /* feasible.c: what the tuple would have to pay if nothing more was found out */
} kanon__separation_item;

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
/* Only one in `every` tuples is an item: for a trial. */
void kanon__separation_sample(kanon__separation *separation, int64_t every);
/* Separate the items [0, n). An average excess up to `tolerance` units does not count as a violation. A search visits about
 * `budget` entries at most, and about `enough` once it has found a set. */
kanon_status kanon__separation_run(kanon__separation *separation, int32_t tolerance, int64_t budget, int64_t enough,
                                   kanon__ticker *ticker, kanon_error *err);
/* For each tuple, k records around it whose box costs as little as the budget finds: they become the sets of the items. By
 * tuple, `least` is what no such box falls below: dual feasible prices. */
kanon_status kanon__separation_find_least(kanon__separation *separation, int32_t *least, int64_t budget,
                                          kanon__ticker *ticker, kanon_error *err);
/* For each tuple, a violated set around it, whatever the order, where growth finds one (box_growth.h). Most prices are near
 * to `typical`. */
kanon_status kanon__separation_grow(kanon__separation *separation, int32_t typical, kanon__ticker *ticker, kanon_error *err);

#endif
