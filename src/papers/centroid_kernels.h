/* The kernels of the centroids: which of them is nearest, and lower bounds of all distances in bytes.
 *
 * Distances are measured by search/kernels.h, whose sets these follow: all give the same numbers, and a search takes the
 * fastest that the processor has when it is created. test_centroid_kernels.c compares them.
 *
 *     plain C    every machine, and search=scan       AVX2, AVX-512 F, AVX-512 VBMI    x86-64       NEON    AArch64
 *     simd128    WebAssembly */
#ifndef KANON_PAPERS_CENTROID_KERNELS_H
#define KANON_PAPERS_CENTROID_KERNELS_H

#include "search/kernel_sets.h"

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

typedef struct kanon__centroid_kernels {
    const char *name;
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
} kanon__centroid_kernels;

/* The fastest that this machine has; `plain`: plain C in any case. */
const kanon__centroid_kernels *kanon__centroid_kernels_choose(bool plain);
/* All that this machine has, the slowest (plain C) first; NULL after the last. */
const kanon__centroid_kernels *kanon__centroid_kernels_nth(int i);

/* ---- the sets, for centroid_kernels.c ---------------------------------------------------------------------------- */

#if KANON__X86_KERNELS
extern const kanon__centroid_kernels kanon__avx2_centroid_kernels;
extern const kanon__centroid_kernels kanon__avx512_centroid_kernels; /* AVX-512 F, the bytes by AVX2 */
extern const kanon__centroid_kernels kanon__vbmi_centroid_kernels;   /* AVX-512 F, BW and VBMI */
void kanon__avx2_filter_bound(uint8_t *bounds, int64_t n, const kanon__filter_term *terms, int n_terms);
uint32_t kanon__avx2_filter_least(const uint8_t *bounds, const uint8_t *classes, const uint8_t *factors, int n_classes,
                                  int64_t n);
void kanon__avx2_filter_select(uint64_t *hits, const uint8_t *bounds, const uint8_t *classes, const uint8_t *limits,
                               int n_classes, int64_t n);
#elif KANON__NEON_KERNELS
extern const kanon__centroid_kernels kanon__neon_centroid_kernels;
#elif KANON__WASM_KERNELS
extern const kanon__centroid_kernels kanon__wasm_centroid_kernels;
#endif

#endif
