/* The kernels of the centroids in NEON (AArch64): four 32-bit units or 16 bytes at a time; see
 * centroid_kernels.h for what they compute.
 *
 * NEON looks up 64 bytes by one instruction (tbl with four registers). Reductions across a vector are single
 * instructions. */
#include "papers/centroid_kernels.h"

#if KANON__NEON_KERNELS

#include <arm_neon.h>

/* Without sizes: the least value first, then the first centroid that has it. */
static int64_t neon_least_units(const uint32_t *units, int64_t n)
{
    uint32x4_t four = vdupq_n_u32(UINT32_MAX);
    uint32_t least = UINT32_MAX;
    int64_t j = 0;
    for (; j + 4 <= n; j += 4)
        four = vminq_u32(four, vld1q_u32(units + j));
    least = vminvq_u32(four);
    for (; j < n; j++)
        least = units[j] < least ? units[j] : least;
    for (j = 0; j < n; j++)
        if (units[j] == least)
            return j;
    return -1;
}

static int64_t neon_least(const uint32_t *units, const int64_t *sizes, int64_t n, bool by_size, int64_t below)
{
    int64_t best = -1;
    uint64_t least = UINT64_MAX;
    if (!by_size && below == 0)
        return neon_least_units(units, n);
    for (int64_t j = 0; j < n; j++) {
        uint64_t value = (by_size && sizes[j] > 1 ? (uint64_t)sizes[j] : 1) * units[j];
        if (value < least && (below == 0 || sizes[j] < below)) {
            least = value;
            best = j;
        }
    }
    return best;
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

/* A table of 64 bytes in four registers. */
static inline uint8x16x4_t load_table(const uint8_t *table)
{
    return (uint8x16x4_t){{vld1q_u8(table), vld1q_u8(table + 16), vld1q_u8(table + 32), vld1q_u8(table + 48)}};
}

/* Add one term of 64 slots to their sums. Of low - at and at - high, saturated, at most one is not 0, so OR adds them. */
static inline void add_term(uint8x16_t sums[4], const kanon__filter_term *t, int64_t j)
{
    if (t->table != NULL) {
        uint8x16x4_t table = load_table(t->table);
        for (int part = 0; part < 4; part++)
            sums[part] = vqaddq_u8(sums[part], vqtbl4q_u8(table, vld1q_u8(t->at + j + 16 * part)));
        return;
    }
    for (int part = 0; part < 4; part++) {
        uint8x16_t at = vld1q_u8(t->at + j + 16 * part);
        uint8x16_t term = vorrq_u8(vqsubq_u8(vdupq_n_u8(t->low), at), vqsubq_u8(at, vdupq_n_u8(t->high)));
        if (t->missing)
            term = vbslq_u8(vceqq_u8(at, vdupq_n_u8(KANON__FILTER_NONE)), vdupq_n_u8(t->if_none),
                            vqaddq_u8(term, vdupq_n_u8(t->if_some)));
        sums[part] = vqaddq_u8(sums[part], term);
    }
}

static void neon_filter_bound(uint8_t *bounds, int64_t n, const kanon__filter_term *terms, int n_terms)
{
    for (int64_t j = 0; j < n; j += 64) {
        uint8x16_t sums[4] = {vdupq_n_u8(0), vdupq_n_u8(0), vdupq_n_u8(0), vdupq_n_u8(0)};
        for (int i = 0; i < n_terms; i++)
            add_term(sums, &terms[i], j);
        for (int part = 0; part < 4; part++)
            vst1q_u8(bounds + j + 16 * part, vminq_u8(sums[part], vdupq_n_u8(KANON__FILTER_MOST)));
    }
}

static uint32_t neon_filter_least(const uint8_t *bounds, const uint8_t *classes, const uint8_t *factors, int n_classes,
                                  int64_t n)
{
    (void)n_classes;
    uint8x16_t least = vdupq_n_u8(UINT8_MAX);
    for (int64_t j = 0; factors == NULL && j < n; j += 16)
        least = vminq_u8(least, vld1q_u8(bounds + j));
    if (factors == NULL)
        return vminvq_u8(least);
    uint16x8_t least_product = vdupq_n_u16(UINT16_MAX);
    uint8x16x4_t table = load_table(factors);
    for (int64_t j = 0; j < n; j += 16) {
        uint8x16_t low = vld1q_u8(bounds + j), factor = vqtbl4q_u8(table, vld1q_u8(classes + j));
        uint16x8_t left = vmull_u8(vget_low_u8(low), vget_low_u8(factor)), right = vmull_high_u8(low, factor);
        least_product = vminq_u16(least_product, vminq_u16(left, right));
    }
    return vminvq_u16(least_product);
}

/* The bits of sixteen bytes that are all ones or all zeros: each keeps a bit of its own, and eight are added up. */
static inline uint64_t sixteen_bits(uint8x16_t bytes)
{
    static const uint8_t bits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t own = vandq_u8(bytes, vld1q_u8(bits));
    return (uint64_t)vaddv_u8(vget_low_u8(own)) | (uint64_t)vaddv_u8(vget_high_u8(own)) << 8;
}

static void neon_filter_select(uint64_t *hits, const uint8_t *bounds, const uint8_t *classes, const uint8_t *limits,
                               int n_classes, int64_t n)
{
    (void)n_classes;
    uint8x16_t limit = vdupq_n_u8(limits[0]);
    for (int64_t j = 0; j < n; j += 64) {
        uint64_t word = 0;
        for (int part = 0; part < 4; part++) {
            if (classes != NULL)
                limit = vqtbl4q_u8(load_table(limits), vld1q_u8(classes + j + 16 * part));
            word |= sixteen_bits(vcltq_u8(vld1q_u8(bounds + j + 16 * part), limit)) << (16 * part);
        }
        hits[j / 64] = word;
    }
}

const kanon__centroid_kernels kanon__neon_centroid_kernels = {"neon", neon_least, neon_filter_bound, neon_filter_least,
                                                              neon_filter_select};

#endif
