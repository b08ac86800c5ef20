/* The kernels: the inner loops over all records of a pool, or over all centroids, in plain C and in vector instructions.
 *
 * All sets give the same numbers, since units are whole; test_kernels.c compares them. Which set runs is decided once,
 * when a search is created, by what the processor has: no build flag, and the same binary runs everywhere.
 *
 *     plain C    every machine, and search=scan       AVX2, AVX-512 F    x86-64       NEON    AArch64
 *     simd128    WebAssembly */
#ifndef KANON_SEARCH_KERNELS_H
#define KANON_SEARCH_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One dimension of the distance of a record to all others, or to all centroids. Coordinates are stored by dimension, so
 * that loads are contiguous. */
typedef struct kanon__kernel_term {
    const int32_t *at;     /* by record: its coordinate or code; by centroid: its coordinate or node */
    const uint32_t *table; /* the term is table[at[j]]; NULL: it is |own - at[j]|, or `full` where at[j] is -1 */
    int64_t n_table;
    int32_t own;
    uint32_t full;
} kanon__kernel_term;

/* One ordered dimension of a box that grows by a record. */
typedef struct kanon__span_term {
    const uint32_t *at; /* by record */
    uint32_t lo, hi;    /* the box so far, lo <= hi, */
    uint32_t full;      /* and the most that it costs */
} kanon__span_term;

typedef struct kanon__kernels {
    const char *name;
    /* The first j < n whose bit of `free` is set, of which there is one, with the least base[j] + the sum of the widths that
     * the terms' boxes have with at[j] in them, at most `full` each; *least is that, below 2^31. Bits from n on are not set;
     * base and at may be read up to 15 places behind n. */
    int64_t (*find_cheapest)(uint32_t *least, const uint32_t *base, const uint64_t *free, int64_t n,
                             const kanon__span_term *terms, int n_terms);
    /* Set bit j of hits, for all j < n, where bit j of `free` is set and that sum is `units`, below 2^31. Returns how
     * many. */
    int64_t (*find_equal)(uint64_t *hits, uint32_t units, const uint32_t *base, const uint64_t *free, int64_t n,
                          const kanon__span_term *terms, int n_terms);
    /* units[j] = the sum of the terms, for n records or centroids. */
    void (*measure)(uint32_t *units, int64_t n, const kanon__kernel_term *terms, int n_terms);
} kanon__kernels;

/* The fastest that this machine has; `plain`: plain C in any case. */
const kanon__kernels *kanon__kernels_choose(bool plain);
/* All that this machine has, the slowest (plain C) first; NULL after the last. */
const kanon__kernels *kanon__kernels_nth(int i);

#endif
