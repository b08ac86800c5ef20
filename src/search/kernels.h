/* The kernels: the inner loops over all centroids, or over all records of a pool, in plain C and in vector instructions.
 *
 * All sets give the same numbers, since units are whole; test_kernels.c compares them. Which set runs is decided once,
 * when a search is created, by what the processor has: no build flag, and the same binary runs everywhere.
 *
 *     plain C    every machine, and search=scan       AVX2, AVX-512 F, AVX-512 VBMI    x86-64       NEON    AArch64
 *     simd128    WebAssembly
 *
 * Called by papers/nearest.c, papers/centroid_filter.c, search/free_set.c and the pool of the refinement `search`. */
#ifndef KANON_SEARCH_KERNELS_H
#define KANON_SEARCH_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One dimension of the distance of a record to all centroids. Coordinates are stored by dimension, so that loads are
 * contiguous. */
typedef struct kanon__kernel_term {
    const int32_t *at;     /* by centroid: its coordinate, or its node in the taxonomy */
    const uint32_t *table; /* the term is table[at[j]]; NULL: it is |own - at[j]|, or `full` where at[j] is -1 */
    int64_t n_table;
    int32_t own;
    uint32_t full;
} kanon__kernel_term;

enum {
    KANON__FILTER_BLOCK = 64, /* centroids that are filtered at a time: a cache line of bytes, a word of hits */
    KANON__FILTER_BINS = 64,  /* entries of a table of bytes */
    KANON__FILTER_MOST = 254, /* no bound is larger */
    KANON__FILTER_NONE = 255  /* at[j] where a centroid has no number */
};

/* One dimension of the lower bounds of these distances, in bytes; see centroid_filter.h. */
typedef struct kanon__filter_term {
    const uint8_t *at;    /* by slot of the filter */
    const uint8_t *table; /* the term is table[at[j]]; NULL: max(low - at[j], 0) + max(at[j] - high, 0) with low <= high */
    int n_table;          /* entries that are used; there is room for KANON__FILTER_BINS */
    uint8_t low, high;
    bool missing; /* some have no number: the term is if_none where at[j] is 255, elsewhere if_some is added */
    uint8_t if_none, if_some;
} kanon__filter_term;

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
    /* Set bit j of hits, for all j < n, where bit j of `free` is set and that sum is `units`, below 2^31. Returns how many. */
    int64_t (*find_equal)(uint64_t *hits, uint32_t units, const uint32_t *base, const uint64_t *free, int64_t n,
                          const kanon__span_term *terms, int n_terms);
    /* units[j] = the sum of the terms, for n centroids. */
    void (*measure)(uint32_t *units, int64_t n, const kanon__kernel_term *terms, int n_terms);
    /* The first j with the least units[j], or units[j] * max(sizes[j], 1) where `by_size`, among those with sizes[j] < below
     * (0: all); -1 where there is none. */
    int64_t (*find_least)(const uint32_t *units, const int64_t *sizes, int64_t n, bool by_size, int64_t below);

    /* The same with bytes, n a multiple of 64. bounds[j] = the sum of the terms, at most 254. */
    void (*filter_bound)(uint8_t *bounds, int64_t n, const kanon__filter_term *terms, int n_terms);
    /* The least bounds[j] * factors[classes[j]]; without factors (NULL), the least bounds[j]. Classes lie below n_classes,
     * at most 64; there is room for 64 factors, or limits. */
    uint32_t (*filter_least)(const uint8_t *bounds, const uint8_t *classes, const uint8_t *factors, int n_classes,
                             int64_t n);
    /* Set bit j of hits where bounds[j] < limits[classes[j]]; without classes (NULL), where bounds[j] < limits[0]. */
    void (*filter_select)(uint64_t *hits, const uint8_t *bounds, const uint8_t *classes, const uint8_t *limits,
                          int n_classes, int64_t n);
} kanon__kernels;

/* The fastest that this machine has; `plain`: plain C in any case. */
const kanon__kernels *kanon__kernels_choose(bool plain);
/* All that this machine has, the slowest (plain C) first; NULL after the last. */
const kanon__kernels *kanon__kernels_nth(int i);

#endif
