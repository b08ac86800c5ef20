/* The kernels in AVX-512 F: sixteen 32-bit units at a time; see kernels.h for what they compute.
 *
 * Mask registers handle the last, shorter step. */
#include "search/kernel_sets.h"

#if KANON__X86_KERNELS

#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f")))

/* The lanes of a last, shorter step. */
static __mmask16 lanes16(int64_t left)
{
    return (__mmask16)(left >= 16 ? 0xffffu : (1u << left) - 1);
}

/* One term of sixteen records. A table of up to 64 entries fits into four registers, where looking one up takes a shuffle
 * instead of a visit to memory. */
AVX512 static inline __m512i sixteen_terms(const kanon__kernel_term *t, int64_t j, __mmask16 lanes)
{
    __m512i place = _mm512_maskz_loadu_epi32(lanes, t->at + j);
    if (t->table == NULL) {
        __m512i distance = _mm512_abs_epi32(_mm512_sub_epi32(_mm512_set1_epi32(t->own), place));
        __mmask16 none = _mm512_cmpeq_epi32_mask(place, _mm512_set1_epi32(-1));
        return _mm512_mask_mov_epi32(distance, none, _mm512_set1_epi32((int32_t)t->full));
    }
    if (t->n_table > 64)
        return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), lanes, place, t->table, 4);
    __m512i first = _mm512_maskz_loadu_epi32(lanes16(t->n_table), t->table);
    if (t->n_table <= 16)
        return _mm512_permutexvar_epi32(place, first);
    __m512i second = _mm512_maskz_loadu_epi32(lanes16(t->n_table - 16), t->table + 16);
    __m512i lower = _mm512_permutex2var_epi32(first, place, second);
    if (t->n_table <= 32)
        return lower;
    __m512i third = _mm512_maskz_loadu_epi32(lanes16(t->n_table - 32), t->table + 32), fourth = _mm512_setzero_si512();
    if (t->n_table > 48)
        fourth = _mm512_maskz_loadu_epi32(lanes16(t->n_table - 48), t->table + 48);
    __mmask16 beyond = _mm512_cmpgt_epi32_mask(place, _mm512_set1_epi32(31));
    return _mm512_mask_mov_epi32(lower, beyond, _mm512_permutex2var_epi32(third, place, fourth));
}

AVX512 static void avx512_measure(uint32_t *units, int64_t n, const kanon__kernel_term *terms, int n_terms)
{
    for (int64_t j = 0; j < n; j += 16) {
        __mmask16 lanes = lanes16(n - j);
        __m512i sum = _mm512_setzero_si512();
        for (int i = 0; i < n_terms; i++)
            sum = _mm512_add_epi32(sum, sixteen_terms(&terms[i], j, lanes));
        _mm512_mask_storeu_epi32(units + j, lanes, sum);
    }
}

/* The sums of sixteen records; UINT32_MAX where one is not free. */
AVX512 __attribute__((always_inline)) static inline __m512i sixteen_spans(const uint32_t *base, uint64_t free, int64_t j,
                                                                          const kanon__span_term *terms, int n_terms)
{
    __mmask16 lanes = (__mmask16)free;
    __m512i sum = _mm512_loadu_si512(base + j);
    for (int i = 0; i < n_terms; i++) {
        const kanon__span_term *t = &terms[i];
        __m512i at = _mm512_loadu_si512(t->at + j);
        __m512i width = _mm512_sub_epi32(_mm512_max_epu32(at, _mm512_set1_epi32((int32_t)t->hi)),
                                         _mm512_min_epu32(at, _mm512_set1_epi32((int32_t)t->lo)));
        sum = _mm512_add_epi32(sum, _mm512_min_epu32(width, _mm512_set1_epi32((int32_t)t->full)));
    }
    return _mm512_mask_mov_epi32(_mm512_set1_epi32(-1), lanes, sum);
}

/* The first of the least among 64 records from j on: the least by a reduction, then its first lane by a mask of 64 bits. */
AVX512 __attribute__((always_inline)) static inline int64_t cheapest_of_64(uint32_t *least, const uint32_t *base,
                                                                           uint64_t free, int64_t j, int64_t n,
                                                                           const kanon__span_term *terms, int n_terms)
{
    __m512i none = _mm512_set1_epi32(-1), a = sixteen_spans(base, free, j, terms, n_terms), b = none, c = none, d = none;
    if (n - j > 16)
        b = sixteen_spans(base, free >> 16, j + 16, terms, n_terms);
    if (n - j > 32)
        c = sixteen_spans(base, free >> 32, j + 32, terms, n_terms);
    if (n - j > 48)
        d = sixteen_spans(base, free >> 48, j + 48, terms, n_terms);
    *least = _mm512_reduce_min_epu32(_mm512_min_epu32(_mm512_min_epu32(a, b), _mm512_min_epu32(c, d)));
    __m512i value = _mm512_set1_epi32((int32_t)*least);
    uint64_t equal = _mm512_cmpeq_epi32_mask(a, value) | (uint64_t)_mm512_cmpeq_epi32_mask(b, value) << 16 |
                     (uint64_t)_mm512_cmpeq_epi32_mask(c, value) << 32 | (uint64_t)_mm512_cmpeq_epi32_mask(d, value) << 48;
    return j + __builtin_ctzll(equal);
}

AVX512 static int64_t avx512_cheapest(uint32_t *least, const uint32_t *base, const uint64_t *free, int64_t n,
                                      const kanon__span_term *terms, int n_terms)
{
    int64_t best = cheapest_of_64(least, base, free[0], 0, n, terms, n_terms);
    for (int64_t j = 64; j < n; j += 64) {
        uint32_t here;
        int64_t place = cheapest_of_64(&here, base, free[j / 64], j, n, terms, n_terms);
        if (here < *least) {
            *least = here;
            best = place;
        }
    }
    return best;
}

AVX512 static int64_t avx512_equal(uint64_t *hits, uint32_t units, const uint32_t *base, const uint64_t *free, int64_t n,
                                   const kanon__span_term *terms, int n_terms)
{
    __m512i value = _mm512_set1_epi32((int32_t)units);
    int64_t n_hits = 0;
    for (int64_t j = 0; j < n; j += 64) {
        uint64_t equal = 0;
        for (int64_t part = 0; part < 64 && j + part < n; part += 16)
            equal |=
                (uint64_t)_mm512_cmpeq_epi32_mask(sixteen_spans(base, free[j / 64] >> part, j + part, terms, n_terms), value)
                << part;
        hits[j / 64] = equal;
        n_hits += __builtin_popcountll(equal);
    }
    return n_hits;
}

const kanon__kernels kanon__avx512_kernels = {"avx512", avx512_cheapest, avx512_equal, avx512_measure};

#endif
