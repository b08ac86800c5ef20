/* The kernels in NEON (AArch64): four 32-bit units at a time; see kernels.h for what they compute.
 *
 * NEON has no gather, so tables of units are read one by one. Reductions across a vector are single instructions. */
#include "search/kernel_sets.h"

#if KANON__NEON_KERNELS

#include <arm_neon.h>

static uint32_t one_term(const kanon__kernel_term *t, int64_t j)
{
    int32_t at = t->at[j];
    if (t->table != NULL)
        return t->table[at];
    return at == -1 ? t->full : (uint32_t)(t->own < at ? at - t->own : t->own - at);
}

/* Tables are looked up one by one: there is no instruction for more. */
static inline uint32x4_t four_terms(const kanon__kernel_term *t, int64_t j)
{
    if (t->table != NULL) {
        const uint32_t found[4] = {one_term(t, j), one_term(t, j + 1), one_term(t, j + 2), one_term(t, j + 3)};
        return vld1q_u32(found);
    }
    int32x4_t place = vld1q_s32(t->at + j);
    uint32x4_t distance = vreinterpretq_u32_s32(vabdq_s32(vdupq_n_s32(t->own), place));
    return vbslq_u32(vceqq_s32(place, vdupq_n_s32(-1)), vdupq_n_u32(t->full), distance);
}

static void neon_measure(uint32_t *units, int64_t n, const kanon__kernel_term *terms, int n_terms)
{
    int64_t j = 0;
    for (; j + 4 <= n; j += 4) {
        uint32x4_t sum = vdupq_n_u32(0);
        for (int i = 0; i < n_terms; i++)
            sum = vaddq_u32(sum, four_terms(&terms[i], j));
        vst1q_u32(units + j, sum);
    }
    for (; j < n; j++) {
        units[j] = 0;
        for (int i = 0; i < n_terms; i++)
            units[j] += one_term(&terms[i], j);
    }
}

/* The sums of four records; UINT32_MAX where one is not free. */
static inline uint32x4_t four_spans(const uint32_t *base, uint32_t free, int64_t j, const kanon__span_term *terms,
                                    int n_terms)
{
    static const uint32_t bits[4] = {1, 2, 4, 8};
    uint32x4_t taken = vceqq_u32(vandq_u32(vdupq_n_u32(free), vld1q_u32(bits)), vdupq_n_u32(0));
    uint32x4_t sum = vld1q_u32(base + j);
    for (int i = 0; i < n_terms; i++) {
        const kanon__span_term *t = &terms[i];
        uint32x4_t at = vld1q_u32(t->at + j);
        uint32x4_t width = vsubq_u32(vmaxq_u32(at, vdupq_n_u32(t->hi)), vminq_u32(at, vdupq_n_u32(t->lo)));
        sum = vaddq_u32(sum, vminq_u32(width, vdupq_n_u32(t->full)));
    }
    return vorrq_u32(sum, taken);
}

/* Each lane keeps the first of its least values and where it was; then the lanes are compared. */
static int64_t neon_cheapest(uint32_t *least, const uint32_t *base, const uint64_t *free, int64_t n,
                             const kanon__span_term *terms, int n_terms)
{
    static const uint32_t first[4] = {0, 1, 2, 3};
    uint32x4_t best = vdupq_n_u32(UINT32_MAX), where = best, here = vld1q_u32(first);
    for (int64_t j = 0; j < n; j += 4, here = vaddq_u32(here, vdupq_n_u32(4))) {
        uint32x4_t sum = four_spans(base, (uint32_t)(free[j / 64] >> j % 64), j, terms, n_terms);
        uint32x4_t less = vcltq_u32(sum, best);
        best = vbslq_u32(less, sum, best);
        where = vbslq_u32(less, here, where);
    }
    *least = vminvq_u32(best);
    return vminvq_u32(vbslq_u32(vceqq_u32(best, vdupq_n_u32(*least)), where, vdupq_n_u32(UINT32_MAX)));
}

const kanon__kernels kanon__neon_kernels = {"neon", neon_cheapest, kanon__plain_equal, neon_measure};

#endif
