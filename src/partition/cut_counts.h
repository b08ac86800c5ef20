/* Histograms of the open parts of a table: kanon_counts. Sparse, because a part deep in the tree has few of the values.
 *
 *     lists    open part 0: dimension 0, dimension 1, ...; open part 1: ...
 *     entries  of a list: a code and how many records have it, codes rising
 *
 * Counted by cut_counts.c wherever rows are, used by cut_tree.c. */
#ifndef KANON_PARTITION_CUT_COUNTS_H
#define KANON_PARTITION_CUT_COUNTS_H

#include "partition/cut_tree.h"

typedef struct kanon__code_count {
    uint32_t code;
    int64_t n;
} kanon__code_count;

typedef struct kanon__cut_counts {
    kanon_piece piece;
    unsigned char of_cuts[KANON__FINGERPRINT]; /* which cuts they are counts of */
    int64_t n_lists;                           /* open parts * dimensions */
    int64_t *ends;                             /* by list: where its entries end */
    kanon__code_count *entries;
    int64_t capacity;
} kanon__cut_counts;

extern const kanon__piece_kind kanon__counts_kind;

#endif
