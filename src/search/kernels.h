/* The inner loops over all centroids: plain C, and AVX-512 where the processor has it. Both give the same numbers; which one runs
 * is decided once, when a search is made. */
#ifndef KANON_SEARCH_KERNELS_H
#define KANON_SEARCH_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* One dimension of the distance of a record to all centroids. */
typedef struct kanon__kernel_term {
    const int32_t *at;     /* by centroid */
    const uint32_t *table; /* the term is table[at[j]]; NULL: it is |own - at[j]|, or `full` where at[j] is -1 */
    int64_t n_table;
    int32_t own;
    uint32_t full;
} kanon__kernel_term;

typedef struct kanon__kernels {
    const char *name;
    /* units[j] = the sum of the terms, for n centroids. */
    void (*measure)(uint32_t *units, int64_t n, const kanon__kernel_term *terms, int n_terms);
    /* The first j with the least units[j], or units[j] * max(sizes[j], 1) where `by_size`, among those with sizes[j] < below
     * (0: all); -1 where there is none. */
    int64_t (*find_least)(const uint32_t *units, const int64_t *sizes, int64_t n, bool by_size, int64_t below);
} kanon__kernels;

/* The fastest that this machine has; `plain`: plain C in any case. */
const kanon__kernels *kanon__kernels_choose(bool plain);

#endif
