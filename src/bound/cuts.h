/* Groups that were found overpriced, and prices that none of them forbids.
 *
 * Each group of k records is a cut: its prices may add up to at most k D. The highest sum of all prices under all cuts so
 * far is a linear programme; its dual asks how much of each group to use so that every record is used once. Both are
 * climbed together by the primal-dual hybrid gradient method, with a step for each price and cut that fits how often the
 * price occurs and how many prices the cut has. What comes out need not be exact: prices are made fair afterwards. */
#ifndef KANON_BOUND_CUTS_H
#define KANON_BOUND_CUTS_H

#include "bound/priced_table.h"
#include "core/keyset.h"

typedef struct kanon__finding kanon__finding;

typedef struct kanon__cuts {
    const kanon__priced_table *table;
    int64_t n, n_members;
    int64_t *begins; /* by cut: its first member; one more at the end */
    double *costs;   /* by cut: k D */
    double *uses;    /* by cut: how much of it the dual uses */
    int32_t *idle;   /* by cut: how often in a row it was of no use */
    int32_t *tuples, *times;
    int64_t begins_capacity, costs_capacity, uses_capacity, idle_capacity, tuples_capacity, times_capacity;
    kanon__keyset known;
} kanon__cuts;

kanon_status kanon__cuts_new(kanon__cuts **out, const kanon__priced_table *table, kanon_error *err);
void kanon__cuts_free(kanon__cuts *cuts);
/* Add the groups of the findings, those that are new. */
kanon_status kanon__cuts_take(kanon__cuts *cuts, const kanon__finding *findings, int64_t n, kanon_error *err);
/* Climb from `prices` (by tuple, 1 is D = 1). Nothing moves further than a share of itself and `typical`, since what lies
 * beyond the known cuts is not known. Cuts that are of no use any more are forgotten. */
kanon_status kanon__cuts_climb(kanon__cuts *cuts, double *prices, double typical, kanon__ticker *ticker, kanon_error *err);

#endif
