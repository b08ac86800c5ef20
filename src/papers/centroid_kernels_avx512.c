/* The kernels of the centroids in AVX-512: sixteen 32-bit units or 64 bytes at a time; see
 * centroid_kernels.h for what they compute.
 *
 * Two sets: F alone has no byte instructions and borrows those of AVX2; VBMI permutes 64 bytes by 64 indices, so a table of
 * KANON__FILTER_BINS entries is looked up by one instruction. Mask registers handle the last, shorter step. */
#include "papers/centroid_kernels.h"

#if KANON__X86_KERNELS

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f")))
#define VBMI __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#define INLINE VBMI __attribute__((always_inline)) static inline

/* The lanes of a last, shorter step. */
static __mmask16 lanes16(int64_t left)
{
    return (__mmask16)(left >= 16 ? 0xffffu : (1u << left) - 1);
}

static __mmask8 lanes8(int64_t left)
{
    return (__mmask8)(left >= 8 ? 0xffu : (1u << left) - 1);
}

/* The values of eight centroids; UINT64_MAX for those that do not count. */
AVX512 static inline __m512i eight_values(const uint32_t *units, const int64_t *sizes, int64_t left, bool by_size,
                                          int64_t below)
{
    __m512i size = _mm512_maskz_loadu_epi64(lanes8(left), sizes), most = _mm512_set1_epi64(-1);
    __m512i value = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(_mm512_maskz_loadu_epi32(lanes8(left), units)));
    if (by_size)
        value = _mm512_mul_epu32(value, _mm512_max_epi64(size, _mm512_set1_epi64(1)));
    __mmask8 counts = lanes8(left);
    if (below > 0)
        counts &= _mm512_cmplt_epi64_mask(size, _mm512_set1_epi64(below));
    return _mm512_mask_mov_epi64(most, counts, value);
}

/* Without sizes, sixteen at a time. */
AVX512 static int64_t avx512_least_units(const uint32_t *units, int64_t n)
{
    __m512i most = _mm512_set1_epi32(-1), least = most;
    for (int64_t j = 0; j < n; j += 16)
        least = _mm512_min_epu32(least, _mm512_mask_loadu_epi32(most, lanes16(n - j), units + j));
    __m512i value = _mm512_set1_epi32((int32_t)_mm512_reduce_min_epu32(least));
    for (int64_t j = 0; j < n; j += 16) {
        __mmask16 equal = _mm512_mask_cmpeq_epi32_mask(lanes16(n - j), _mm512_maskz_loadu_epi32(lanes16(n - j), units + j),
                                                       value);
        if (equal != 0)
            return j + __builtin_ctz(equal);
    }
    return -1;
}

/* The least value first, then the first centroid that has it. Sizes stay below 2^31, so a 32-bit product is all of it. */
AVX512 static int64_t avx512_least(const uint32_t *units, const int64_t *sizes, int64_t n, bool by_size, int64_t below)
{
    __m512i least = _mm512_set1_epi64(-1);
    if (!by_size && below == 0)
        return avx512_least_units(units, n);
    for (int64_t j = 0; j < n; j += 8)
        least = _mm512_min_epu64(least, eight_values(units + j, sizes + j, n - j, by_size, below));
    uint64_t value = _mm512_reduce_min_epu64(least);
    for (int64_t j = 0; value != UINT64_MAX && j < n; j += 8) {
        __m512i here = eight_values(units + j, sizes + j, n - j, by_size, below);
        __mmask8 equal = _mm512_cmpeq_epi64_mask(here, _mm512_set1_epi64((int64_t)value));
        if (equal != 0)
            return j + __builtin_ctz(equal);
    }
    return -1;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

INLINE __m512i all(uint8_t byte)
{
    return _mm512_set1_epi8((char)byte);
}

INLINE __m512i load(const uint8_t *bytes)
{
    return _mm512_loadu_si512(bytes);
}

/* `count` blocks side by side, so that what a term needs is fetched once for all of them. */
INLINE void bound_blocks(uint8_t *bounds, const kanon__filter_term *terms, int n_terms, int64_t j, const int count)
{
    __m512i sums[8];
    _Pragma("GCC unroll 8") for (int b = 0; b < count; b++) sums[b] = _mm512_setzero_si512();
    for (int i = 0; i < n_terms; i++) {
        const kanon__filter_term *t = &terms[i];
        if (t->table != NULL) {
            __m512i table = load(t->table);
            _Pragma("GCC unroll 8") for (int b = 0; b < count; b++)
                sums[b] = _mm512_adds_epu8(sums[b], _mm512_permutexvar_epi8(load(t->at + j + 64 * b), table));
            continue;
        }
        __m512i low = all(t->low), high = all(t->high), if_none = all(t->if_none), if_some = all(t->if_some);
        _Pragma("GCC unroll 8") for (int b = 0; b < count; b++)
        {
            __m512i at = load(t->at + j + 64 * b);
            __m512i term = _mm512_or_si512(_mm512_subs_epu8(low, at), _mm512_subs_epu8(at, high));
            if (t->missing)
                term = _mm512_mask_mov_epi8(_mm512_adds_epu8(term, if_some),
                                            _mm512_cmpeq_epi8_mask(at, all(KANON__FILTER_NONE)), if_none);
            sums[b] = _mm512_adds_epu8(sums[b], term);
        }
    }
    _Pragma("GCC unroll 8") for (int b = 0; b < count; b++)
        _mm512_storeu_si512(bounds + j + 64 * b, _mm512_min_epu8(sums[b], all(KANON__FILTER_MOST)));
}

VBMI static void vbmi_filter_bound(uint8_t *bounds, int64_t n, const kanon__filter_term *terms, int n_terms)
{
    int64_t j = 0;
    for (; n - j >= 512; j += 512)
        bound_blocks(bounds, terms, n_terms, j, 8);
    for (; n - j >= 128; j += 128)
        bound_blocks(bounds, terms, n_terms, j, 2);
    if (j < n)
        bound_blocks(bounds, terms, n_terms, j, 1);
}

INLINE uint32_t least_word(__m512i words)
{
    __m256i half = _mm256_min_epu16(_mm512_castsi512_si256(words), _mm512_extracti64x4_epi64(words, 1));
    __m128i quarter = _mm_min_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    return (uint32_t)_mm_cvtsi128_si32(_mm_minpos_epu16(quarter)) & 0xffff;
}

/* Even and odd bytes apart: their products take 16 bits. */
VBMI static uint32_t vbmi_filter_least(const uint8_t *bounds, const uint8_t *classes, const uint8_t *factors, int n_classes,
                                       int64_t n)
{
    (void)n_classes;
    __m512i least = _mm512_set1_epi8(-1), even = _mm512_set1_epi16(255);
    if (factors == NULL) {
        for (int64_t j = 0; j < n; j += 64)
            least = _mm512_min_epu8(least, load(bounds + j));
        return least_word(_mm512_min_epu16(_mm512_and_si512(least, even), _mm512_srli_epi16(least, 8)));
    }
    __m512i table = load(factors);
    for (int64_t j = 0; j < n; j += 64) {
        __m512i low = load(bounds + j), factor = _mm512_permutexvar_epi8(load(classes + j), table);
        __m512i left = _mm512_mullo_epi16(_mm512_and_si512(low, even), _mm512_and_si512(factor, even));
        __m512i right = _mm512_mullo_epi16(_mm512_srli_epi16(low, 8), _mm512_srli_epi16(factor, 8));
        least = _mm512_min_epu16(least, _mm512_min_epu16(left, right));
    }
    return least_word(least);
}

VBMI static void vbmi_filter_select(uint64_t *hits, const uint8_t *bounds, const uint8_t *classes, const uint8_t *limits,
                                    int n_classes, int64_t n)
{
    (void)n_classes;
    __m512i limit = all(limits[0]);
    for (int64_t j = 0; j < n; j += 64) {
        if (classes != NULL)
            limit = _mm512_permutexvar_epi8(load(classes + j), load(limits));
        hits[j / 64] = _mm512_cmplt_epu8_mask(load(bounds + j), limit);
    }
}

const kanon__centroid_kernels kanon__avx512_centroid_kernels = {"avx512", avx512_least, kanon__avx2_filter_bound,
                                                                kanon__avx2_filter_least, kanon__avx2_filter_select};

const kanon__centroid_kernels kanon__vbmi_centroid_kernels = {"avx512-vbmi", avx512_least, vbmi_filter_bound,
                                                              vbmi_filter_least, vbmi_filter_select};

#endif
