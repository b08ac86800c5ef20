/* The cutting planes of the dual programme, and prices that keep to them.
 *
 * Each set of k records that was found to violate dual feasibility becomes a cut: its prices may sum up to at most k D.
 * The largest sum of prices under the cuts known so far is a linear programme in the prices; its multipliers say how
 * much of each set a fractional grouping uses. Both are moved together by the primal-dual hybrid gradient method
 * (Chambolle, Pock 2011), with a step size for each price and cut (Pock, Chambolle 2011): by how many cuts the price is
 * in, and by k. The result need not be exact, since prices are made dual feasible afterwards (feasible.h).
 *
 *     cut          0              1                  n-1
 *     begins       0              4         ...      begins[n - 1]       begins[n] = n_members
 *     tuples       [ 3 8 9 12 ]   [ 8 9 ]   ...
 *     times        [ 1 2 1  1 ]   [ 3 2 ]   ...      sums up to k in each cut */
#ifndef KANON_BOUND_CUTS_H
#define KANON_BOUND_CUTS_H

#include "bound/separation.h"
#include "core/keyset.h"

typedef struct kanon__cuts {
    const kanon__priced_table *table;
    int64_t n, n_members;
    int64_t *begins; /* by cut, and one more at the end */
    double *costs;   /* by cut: k D, 1 is D = 1 */
    double *weights; /* by cut: its multiplier, >= 0 */
    int32_t *idle;   /* by cut: for how many ascents in a row its weight was 0 */
    int32_t *tuples, *times;
    int64_t begins_capacity, costs_capacity, weights_capacity, idle_capacity, tuples_capacity, times_capacity;
    kanon__keyset known; /* a key for each cut */
} kanon__cuts;

kanon_status kanon__cuts_new(kanon__cuts **out, const kanon__priced_table *table, kanon_error *err);
void kanon__cuts_free(kanon__cuts *cuts);
/* Add the violated sets of the items that are not known yet. */
kanon_status kanon__cuts_add(kanon__cuts *cuts, const kanon__separation_item *items, int64_t n, kanon_error *err);
/* Raise the sum of `prices` (by tuple, 1 is D = 1) under the cuts. No price moves further than a share of itself and
 * `typical`: beyond, it would violate sets that are not cuts yet. The price of a record that no cut uses rises by `rise`, a
 * share of `typical`, in each step: if that is little, weights move fast, and prices rise along the cuts, not through
 * them. Cuts that have been idle for long are dropped. */
kanon_status kanon__cuts_ascend(kanon__cuts *cuts, double *prices, double typical, double rise, kanon__ticker *ticker,
                                kanon_error *err);

#endif
