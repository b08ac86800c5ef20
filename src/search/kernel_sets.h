/* The sets of vector kernels that this compiler and target can build, for kernels.c, which asks the processor.
 *
 * Each file of a set (kernels_avx2.c, kernels_avx512.c, kernels_neon.c, kernels_wasm.c) is compiled on every machine and is
 * empty where its instructions do not exist. The functions of x86 carry their target as an attribute, so no file needs flags
 * of its own; a WebAssembly module has vectors or has none, as it was compiled. */
#ifndef KANON_SEARCH_KERNEL_SETS_H
#define KANON_SEARCH_KERNEL_SETS_H

#include "search/kernels.h"

/* Of the plain set, for sets that have none of their own. */
int64_t kanon__plain_equal(uint64_t *hits, uint32_t units, const uint32_t *base, const uint64_t *free, int64_t n,
                           const kanon__span_term *terms, int n_terms);

#if defined(__x86_64__) && defined(__GNUC__)
#define KANON__X86_KERNELS 1
extern const kanon__kernels kanon__avx2_kernels;
extern const kanon__kernels kanon__avx512_kernels; /* AVX-512 F, the bytes by AVX2 */
extern const kanon__kernels kanon__vbmi_kernels;   /* AVX-512 F, BW and VBMI */
void kanon__avx2_filter_bound(uint8_t *bounds, int64_t n, const kanon__filter_term *terms, int n_terms);
uint32_t kanon__avx2_filter_least(const uint8_t *bounds, const uint8_t *classes, const uint8_t *factors, int n_classes,
                                  int64_t n);
void kanon__avx2_filter_select(uint64_t *hits, const uint8_t *bounds, const uint8_t *classes, const uint8_t *limits,
                               int n_classes, int64_t n);
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
