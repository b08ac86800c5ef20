/* The kernels of the centroids in AVX2: four values or 32 bytes at a time; see centroid_kernels.h for what they compute.
 *
 * AVX2 has no unsigned 64-bit compare and no reduction, so the least value is kept per lane and the lanes are compared
 * at the end. A lane meets its candidates in ascending order and keeps the first of equals; of equal lanes the lower
 * index wins. */
#include "papers/centroid_kernels.h"

#if KANON__X86_KERNELS

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define INLINE AVX2 __attribute__((always_inline)) static inline

/* The values of four centroids, which stay below 2^62 and so compare as signed; those that do not count are larger. */
INLINE __m256i four_values(const uint32_t *units, const int64_t *sizes, bool by_size, int64_t below)
{
    __m256i size = _mm256_loadu_si256((const __m256i *)sizes), most = _mm256_set1_epi64x(INT64_MAX);
    __m256i value = _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)units)), one = _mm256_set1_epi64x(1);
    if (by_size)
        value = _mm256_mul_epu32(value, _mm256_blendv_epi8(one, size, _mm256_cmpgt_epi64(size, one)));
    if (below > 0)
        value = _mm256_blendv_epi8(most, value, _mm256_cmpgt_epi64(_mm256_set1_epi64x(below), size));
    return value;
}

/* Each lane keeps the first of its least values and where it was; then the lanes are compared, and the rest. */
AVX2 static int64_t avx2_least(const uint32_t *units, const int64_t *sizes, int64_t n, bool by_size, int64_t below)
{
    __m256i least = _mm256_set1_epi64x(INT64_MAX), where = _mm256_set1_epi64x(-1);
    __m256i here = _mm256_setr_epi64x(0, 1, 2, 3), four = _mm256_set1_epi64x(4);
    int64_t j = 0, values[4], places[4], best = -1, best_value = INT64_MAX;
    for (; j + 4 <= n; j += 4, here = _mm256_add_epi64(here, four)) {
        __m256i value = four_values(units + j, sizes + j, by_size, below), less = _mm256_cmpgt_epi64(least, value);
        least = _mm256_blendv_epi8(least, value, less);
        where = _mm256_blendv_epi8(where, here, less);
    }
    _mm256_storeu_si256((__m256i *)values, least);
    _mm256_storeu_si256((__m256i *)places, where);
    for (int lane = 0; lane < 4; lane++)
        if (values[lane] < best_value || (values[lane] == best_value && places[lane] < best)) {
            best_value = values[lane];
            best = places[lane];
        }
    for (; j < n; j++) {
        int64_t value = (by_size && sizes[j] > 1 ? sizes[j] : 1) * (int64_t)units[j];
        if (value < best_value && (below == 0 || sizes[j] < below)) {
            best_value = value;
            best = j;
        }
    }
    return best;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

INLINE __m256i all(uint8_t byte)
{
    return _mm256_set1_epi8((char)byte);
}

INLINE __m256i load(const uint8_t *bytes)
{
    return _mm256_loadu_si256((const __m256i *)bytes);
}

/* A shuffle finds one of sixteen bytes, and nothing where the highest bit of the place is set: adding 0x70 with saturation
 * sets it for all places beyond the sixteen. */
INLINE __m256i look_up(const uint8_t *table, int n_table, __m256i place)
{
    __m256i found = _mm256_setzero_si256();
    for (int first = 0; first < n_table; first += 16) {
        __m256i sixteen = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(table + first)));
        __m256i from_first = _mm256_sub_epi8(place, all((uint8_t)first));
        found = _mm256_or_si256(found, _mm256_shuffle_epi8(sixteen, _mm256_adds_epu8(from_first, all(0x70))));
    }
    return found;
}

/* One term of 32 slots. Of low - at and at - high, saturated, at most one is not 0, so OR adds them. */
INLINE __m256i thirty_two_terms(const kanon__filter_term *t, int64_t j)
{
    __m256i at = load(t->at + j);
    if (t->table != NULL)
        return look_up(t->table, t->n_table, at);
    __m256i term = _mm256_or_si256(_mm256_subs_epu8(all(t->low), at), _mm256_subs_epu8(at, all(t->high)));
    if (!t->missing)
        return term;
    return _mm256_blendv_epi8(_mm256_adds_epu8(term, all(t->if_some)), all(t->if_none),
                              _mm256_cmpeq_epi8(at, all(KANON__FILTER_NONE)));
}

AVX2 void kanon__avx2_filter_bound(uint8_t *bounds, int64_t n, const kanon__filter_term *terms, int n_terms)
{
    for (int64_t j = 0; j < n; j += 64) {
        __m256i left = _mm256_setzero_si256(), right = left;
        for (int i = 0; i < n_terms; i++) {
            left = _mm256_adds_epu8(left, thirty_two_terms(&terms[i], j));
            right = _mm256_adds_epu8(right, thirty_two_terms(&terms[i], j + 32));
        }
        _mm256_storeu_si256((__m256i *)(bounds + j), _mm256_min_epu8(left, all(KANON__FILTER_MOST)));
        _mm256_storeu_si256((__m256i *)(bounds + j + 32), _mm256_min_epu8(right, all(KANON__FILTER_MOST)));
    }
}

/* The least of sixteen words, by the one instruction that reduces: it takes 16-bit words. */
INLINE uint32_t least_word(__m256i words)
{
    __m128i half = _mm_min_epu16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    return (uint32_t)_mm_cvtsi128_si32(_mm_minpos_epu16(half)) & 0xffff;
}

/* Even and odd bytes apart: their products take 16 bits. */
AVX2 uint32_t kanon__avx2_filter_least(const uint8_t *bounds, const uint8_t *classes, const uint8_t *factors, int n_classes,
                                       int64_t n)
{
    __m256i least = _mm256_set1_epi8(-1), even = _mm256_set1_epi16(255);
    for (int64_t j = 0; j < n && factors == NULL; j += 32)
        least = _mm256_min_epu8(least, load(bounds + j));
    if (factors == NULL)
        return least_word(_mm256_min_epu16(_mm256_and_si256(least, even), _mm256_srli_epi16(least, 8)));
    for (int64_t j = 0; j < n; j += 32) {
        __m256i low = load(bounds + j), factor = look_up(factors, n_classes, load(classes + j));
        __m256i left = _mm256_mullo_epi16(_mm256_and_si256(low, even), _mm256_and_si256(factor, even));
        __m256i right = _mm256_mullo_epi16(_mm256_srli_epi16(low, 8), _mm256_srli_epi16(factor, 8));
        least = _mm256_min_epu16(least, _mm256_min_epu16(left, right));
    }
    return least_word(least);
}

/* There is no unsigned compare of bytes: low < limit where limit - low, saturated, is not 0. */
INLINE uint32_t pick_32(__m256i low, __m256i limit)
{
    __m256i not_less = _mm256_cmpeq_epi8(_mm256_subs_epu8(limit, low), _mm256_setzero_si256());
    return ~(uint32_t)_mm256_movemask_epi8(not_less);
}

AVX2 void kanon__avx2_filter_select(uint64_t *hits, const uint8_t *bounds, const uint8_t *classes, const uint8_t *limits,
                                    int n_classes, int64_t n)
{
    __m256i left = all(limits[0]), right = left;
    for (int64_t j = 0; j < n; j += 64) {
        if (classes != NULL) {
            left = look_up(limits, n_classes, load(classes + j));
            right = look_up(limits, n_classes, load(classes + j + 32));
        }
        hits[j / 64] = pick_32(load(bounds + j), left) | (uint64_t)pick_32(load(bounds + j + 32), right) << 32;
    }
}

const kanon__centroid_kernels kanon__avx2_centroid_kernels = {"avx2", avx2_least, kanon__avx2_filter_bound,
                                                              kanon__avx2_filter_least, kanon__avx2_filter_select};

#endif
