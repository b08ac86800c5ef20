#include "search/kernels.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_AVX512 1
#include <immintrin.h>
#else
#define HAS_AVX512 0
#endif

/* ---- plain C ---------------------------------------------------------------------------------------------------------- */

static void plain_measure(uint32_t *units, int64_t n, const kanon__kernel_term *terms, int n_terms)
{
    memset(units, 0, (size_t)n * sizeof *units);
    for (int i = 0; i < n_terms; i++) {
        const kanon__kernel_term *t = &terms[i];
        const int32_t *at = t->at;
        for (int64_t j = 0; t->table != NULL && j < n; j++)
            units[j] += t->table[at[j]];
        for (int64_t j = 0; t->table == NULL && j < n; j++) {
            int32_t difference = t->own - at[j], distance = difference < 0 ? -difference : difference;
            units[j] += at[j] == -1 ? t->full : (uint32_t)distance;
        }
    }
}

static int64_t plain_least(const uint32_t *units, const int64_t *sizes, int64_t n, bool by_size, int64_t below)
{
    int64_t best = -1;
    uint64_t least = UINT64_MAX;
    for (int64_t j = 0; j < n; j++) {
        uint64_t factor = by_size && sizes[j] > 1 ? (uint64_t)sizes[j] : 1, here = factor * units[j];
        if (here < least && (below == 0 || sizes[j] < below)) {
            least = here;
            best = j;
        }
    }
    return best;
}

static const kanon__kernels plain_kernels = {"plain", plain_measure, plain_least};

/* ---- AVX-512 ---------------------------------------------------------------------------------------------------------- */

#if HAS_AVX512

#define AVX512 __attribute__((target("avx512f")))

/* The lanes of a last, shorter step. */
static __mmask16 lanes16(int64_t left)
{
    return (__mmask16)(left >= 16 ? 0xffffu : (1u << left) - 1);
}

static __mmask8 lanes8(int64_t left)
{
    return (__mmask8)(left >= 8 ? 0xffu : (1u << left) - 1);
}

/* One term of sixteen centroids. A table of up to 64 entries fits into four registers, where looking one up takes a shuffle
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

/* The values of eight centroids; those that do not count are the largest number there is. */
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

/* The least value first, then the first centroid that has it. Sizes stay below 2^31, so a 32-bit product is the whole of it. */
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

static const kanon__kernels avx512_kernels = {"avx512", avx512_measure, avx512_least};
#endif

const kanon__kernels *kanon__kernels_choose(bool plain)
{
#if HAS_AVX512
    if (!plain && __builtin_cpu_supports("avx512f"))
        return &avx512_kernels;
#endif
    (void)plain;
    return &plain_kernels;
}
