/* The kernels in AVX2: eight 32-bit units at a time; see kernels.h for what they compute.
 *
 * AVX2 has no reduction, so the least value is kept per lane and the lanes are compared at the end. A lane meets its
 * candidates in ascending order and keeps the first of equals; of equal lanes the lower index wins. */
#include "search/kernel_sets.h"

#if KANON__X86_KERNELS

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE AVX2 __attribute__((always_inline)) static inline

/* The terms of eight records. */
INLINE __m256i eight_terms(const kanon__kernel_term *t, int64_t j)
{
    __m256i place = _mm256_loadu_si256((const __m256i *)(t->at + j));
    if (t->table != NULL)
        return _mm256_i32gather_epi32((const int *)t->table, place, 4);
    __m256i distance = _mm256_abs_epi32(_mm256_sub_epi32(_mm256_set1_epi32(t->own), place));
    __m256i none = _mm256_cmpeq_epi32(place, _mm256_set1_epi32(-1));
    return _mm256_blendv_epi8(distance, _mm256_set1_epi32((int32_t)t->full), none);
}

static uint32_t one_term(const kanon__kernel_term *t, int64_t j)
{
    int32_t at = t->at[j];
    if (t->table != NULL)
        return t->table[at];
    return at == -1 ? t->full : (uint32_t)(t->own < at ? at - t->own : t->own - at);
}

AVX2 static void avx2_measure(uint32_t *units, int64_t n, const kanon__kernel_term *terms, int n_terms)
{
    int64_t j = 0;
    for (; j + 8 <= n; j += 8) {
        __m256i sum = _mm256_setzero_si256();
        for (int i = 0; i < n_terms; i++)
            sum = _mm256_add_epi32(sum, eight_terms(&terms[i], j));
        _mm256_storeu_si256((__m256i *)(units + j), sum);
    }
    for (; j < n; j++) {
        units[j] = 0;
        for (int i = 0; i < n_terms; i++)
            units[j] += one_term(&terms[i], j);
    }
}

/* The sums of eight records; UINT32_MAX where a record is not free. */
INLINE __m256i eight_spans(const uint32_t *base, uint32_t free, int64_t j, const kanon__span_term *terms, int n_terms)
{
    __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i taken = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int32_t)free), bits), _mm256_setzero_si256());
    __m256i sum = _mm256_maskload_epi32((const int *)(base + j), _mm256_xor_si256(taken, _mm256_set1_epi32(-1)));
    for (int i = 0; i < n_terms; i++) {
        const kanon__span_term *t = &terms[i];
        __m256i at = _mm256_maskload_epi32((const int *)(t->at + j), _mm256_xor_si256(taken, _mm256_set1_epi32(-1)));
        __m256i width = _mm256_sub_epi32(_mm256_max_epu32(at, _mm256_set1_epi32((int32_t)t->hi)),
                                         _mm256_min_epu32(at, _mm256_set1_epi32((int32_t)t->lo)));
        sum = _mm256_add_epi32(sum, _mm256_min_epu32(width, _mm256_set1_epi32((int32_t)t->full)));
    }
    return _mm256_or_si256(sum, taken);
}

/* Each lane keeps the first of its least values and where it was; then the lanes are compared. */
AVX2 static int64_t avx2_cheapest(uint32_t *least, const uint32_t *base, const uint64_t *free, int64_t n,
                                  const kanon__span_term *terms, int n_terms)
{
    __m256i best = _mm256_set1_epi32(-1), where = _mm256_set1_epi32(-1), eight = _mm256_set1_epi32(8);
    __m256i here = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    uint32_t values[8], places[8], place = UINT32_MAX;
    for (int64_t j = 0; j < n; j += 8, here = _mm256_add_epi32(here, eight)) {
        __m256i sum = eight_spans(base, (uint32_t)(free[j / 64] >> j % 64), j, terms, n_terms);
        __m256i stays = _mm256_cmpeq_epi32(_mm256_min_epu32(best, sum), best);
        best = _mm256_blendv_epi8(sum, best, stays);
        where = _mm256_blendv_epi8(here, where, stays);
    }
    _mm256_storeu_si256((__m256i *)values, best);
    _mm256_storeu_si256((__m256i *)places, where);
    *least = UINT32_MAX;
    for (int lane = 0; lane < 8; lane++)
        if (values[lane] < *least || (values[lane] == *least && places[lane] < place)) {
            *least = values[lane];
            place = places[lane];
        }
    return place;
}

AVX2 static int64_t avx2_equal(uint64_t *hits, uint32_t units, const uint32_t *base, const uint64_t *free, int64_t n,
                               const kanon__span_term *terms, int n_terms)
{
    __m256i value = _mm256_set1_epi32((int32_t)units);
    int64_t n_hits = 0;
    for (int64_t j = 0; j < n; j += 64) {
        uint64_t equal = 0;
        for (int64_t part = 0; part < 64 && j + part < n; part += 8) {
            __m256i sum = eight_spans(base, (uint32_t)(free[j / 64] >> part), j + part, terms, n_terms);
            int lanes = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(sum, value)));
            equal |= (uint64_t)(uint32_t)lanes << part;
        }
        hits[j / 64] = equal;
        n_hits += __builtin_popcountll(equal);
    }
    return n_hits;
}

const kanon__kernels kanon__avx2_kernels = {"avx2", avx2_cheapest, avx2_equal, avx2_measure};

#endif
