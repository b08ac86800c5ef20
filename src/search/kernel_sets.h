/* The sets of vector kernels that this compiler and target can build, for kernels.c, which asks the processor, and for the
 * kernels of papers/centroid_kernels.h, which follow them.
 *
 * Each file of a set (kernels_avx2.c, kernels_avx512.c, kernels_neon.c, kernels_wasm.c) is compiled on every machine and is
 * empty where its instructions do not exist. The functions of x86 carry their target as an attribute, so no file needs flags
 * of its own; a WebAssembly module has vectors or has none, as it was compiled. */
#ifndef KANON_SEARCH_KERNEL_SETS_H
#define KANON_SEARCH_KERNEL_SETS_H

#include "search/kernels.h"

/* The alignment of a loop of a few instructions decides a quarter of its time. The plain scan is the baseline of the
 * measurements, so its loops are aligned. */
#if defined(__GNUC__) && !defined(__clang__)
#define KANON__ALIGNED_LOOPS __attribute__((optimize("align-loops=64")))
#else
#define KANON__ALIGNED_LOOPS
#endif

/* Of the plain set, for sets that have none of their own. */
int64_t kanon__plain_equal(uint64_t *hits, uint32_t units, const uint32_t *base, const uint64_t *free, int64_t n,
                           const kanon__span_term *terms, int n_terms);

#if defined(__x86_64__) && defined(__GNUC__)
#define KANON__X86_KERNELS 1
extern const kanon__kernels kanon__avx2_kernels;
extern const kanon__kernels kanon__avx512_kernels;
#else
#define KANON__X86_KERNELS 0
#endif

#if defined(__aarch64__) && defined(__GNUC__)
#define KANON__NEON_KERNELS 1
extern const kanon__kernels kanon__neon_kernels;
#else
#define KANON__NEON_KERNELS 0
#endif

#if defined(__wasm_simd128__)
#define KANON__WASM_KERNELS 1
extern const kanon__kernels kanon__wasm_kernels;
#else
#define KANON__WASM_KERNELS 0
#endif

#endif
