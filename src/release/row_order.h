/* The order of a shuffled release: that of a hash, keyed by the shuffle seed, of each row's released cells as canonical text
 * (canonical_text.h).
 *
 *     row     released                 hash of "21..25" "flu"     place
 *     1       [21..25],flu             9c03...                    2
 *     2       [40..44],cold            4e51...                    1
 *
 * It depends on what is released alone: neither on the order of the input nor on what it was read from, in which form it is
 * released, or on the number of threads. Rows with equal texts follow the bytes of their cells as they stand in the input,
 * where these differ; equal rows are interchangeable.
 *
 * The input is read once more. */
#ifndef KANON_RELEASE_ROW_ORDER_H
#define KANON_RELEASE_ROW_ORDER_H

#include "release/permutation.h"
#include "table/domain/drawn_ends.h"

enum { KANON__ROW_ORDER_BYTES = 32 }; /* per row, the order itself included, at the most */

typedef struct kanon__row_order {
    const kanon_table *table;
    const int32_t *group_of;
    int64_t n_groups;
    const uint32_t *const *recode_map; /* as in release/extent.h */
    const kanon__drawn_ends *drawn;        /* NULL: all ends are exact */
    const kanon__permutation *permutation; /* NULL: every row shows its own cells */
    bool means;                        /* the release shows means of numbers */
    uint64_t seed;
    int threads;
} kanon__row_order;

/* Sort the `n` rows that `rows` lists. */
kanon_status kanon__row_order_sort(int32_t *rows, int64_t n, const kanon__row_order *order, kanon_error *err);

#endif
