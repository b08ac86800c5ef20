/* The kernels of the centroids in WebAssembly SIMD (simd128): four 32-bit units or 16 bytes at a time; see
 * centroid_kernels.h for what they compute.
 *
 * A swizzle looks up 16 bytes and gives 0 for places from 16 on, so a table of 64 bytes is four of them, each with its part
 * of the places moved to 0; OR joins them. There is no reduction across a vector: it goes lane by lane. */
#include "papers/centroid_kernels.h"

#if KANON__WASM_KERNELS

#include <wasm_simd128.h>

static inline uint32_t least_of_four(v128_t four)
{
    uint32_t lanes[4], least = UINT32_MAX;
    wasm_v128_store(lanes, four);
    for (int i = 0; i < 4; i++)
        least = lanes[i] < least ? lanes[i] : least;
    return least;
}

/* Without sizes: the least value first, then the first centroid that has it. */
static int64_t wasm_least_units(const uint32_t *units, int64_t n)
{
    v128_t four = wasm_u32x4_splat(UINT32_MAX);
    int64_t j = 0;
    for (; j + 4 <= n; j += 4)
        four = wasm_u32x4_min(four, wasm_v128_load(units + j));
    uint32_t least = least_of_four(four);
    for (; j < n; j++)
        least = units[j] < least ? units[j] : least;
    for (j = 0; j < n; j++)
        if (units[j] == least)
            return j;
    return -1;
}

static int64_t wasm_least(const uint32_t *units, const int64_t *sizes, int64_t n, bool by_size, int64_t below)
{
    int64_t best = -1;
    uint64_t least = UINT64_MAX;
    if (!by_size && below == 0)
        return wasm_least_units(units, n);
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
typedef struct byte_table {
    v128_t part[4];
} byte_table;

static inline byte_table load_table(const uint8_t *table)
{
    return (byte_table){
        {wasm_v128_load(table), wasm_v128_load(table + 16), wasm_v128_load(table + 32), wasm_v128_load(table + 48)}};
}

static inline v128_t look_up(const byte_table *table, v128_t at)
{
    v128_t found = wasm_i8x16_swizzle(table->part[0], at);
    for (int i = 1; i < 4; i++)
        found = wasm_v128_or(found,
                             wasm_i8x16_swizzle(table->part[i], wasm_i8x16_sub(at, wasm_u8x16_splat((uint8_t)(16 * i)))));
    return found;
}

/* Add one term of 64 slots to their sums. Of low - at and at - high, saturated, at most one is not 0, so OR adds them. */
static inline void add_term(v128_t sums[4], const kanon__filter_term *t, int64_t j)
{
    if (t->table != NULL) {
        byte_table table = load_table(t->table);
        for (int part = 0; part < 4; part++)
            sums[part] = wasm_u8x16_add_sat(sums[part], look_up(&table, wasm_v128_load(t->at + j + 16 * part)));
        return;
    }
    for (int part = 0; part < 4; part++) {
        v128_t at = wasm_v128_load(t->at + j + 16 * part);
        v128_t term = wasm_v128_or(wasm_u8x16_sub_sat(wasm_u8x16_splat(t->low), at),
                                   wasm_u8x16_sub_sat(at, wasm_u8x16_splat(t->high)));
        if (t->missing)
            term = wasm_v128_bitselect(wasm_u8x16_splat(t->if_none), wasm_u8x16_add_sat(term, wasm_u8x16_splat(t->if_some)),
                                       wasm_i8x16_eq(at, wasm_u8x16_splat(KANON__FILTER_NONE)));
        sums[part] = wasm_u8x16_add_sat(sums[part], term);
    }
}

static void wasm_filter_bound(uint8_t *bounds, int64_t n, const kanon__filter_term *terms, int n_terms)
{
    for (int64_t j = 0; j < n; j += 64) {
        v128_t sums[4] = {wasm_u8x16_splat(0), wasm_u8x16_splat(0), wasm_u8x16_splat(0), wasm_u8x16_splat(0)};
        for (int i = 0; i < n_terms; i++)
            add_term(sums, &terms[i], j);
        for (int part = 0; part < 4; part++)
            wasm_v128_store(bounds + j + 16 * part, wasm_u8x16_min(sums[part], wasm_u8x16_splat(KANON__FILTER_MOST)));
    }
}

static uint32_t wasm_filter_least(const uint8_t *bounds, const uint8_t *classes, const uint8_t *factors, int n_classes,
                                  int64_t n)
{
    (void)n_classes;
    v128_t least = wasm_u8x16_splat(UINT8_MAX);
    for (int64_t j = 0; factors == NULL && j < n; j += 16)
        least = wasm_u8x16_min(least, wasm_v128_load(bounds + j));
    if (factors == NULL) /* bytes as products with 1 */
        least = wasm_u16x8_min(wasm_u16x8_extend_low_u8x16(least), wasm_u16x8_extend_high_u8x16(least));
    else {
        least = wasm_u16x8_splat(UINT16_MAX);
        byte_table table = load_table(factors);
        for (int64_t j = 0; j < n; j += 16) {
            v128_t low = wasm_v128_load(bounds + j), factor = look_up(&table, wasm_v128_load(classes + j));
            least = wasm_u16x8_min(
                least, wasm_u16x8_min(wasm_u16x8_extmul_low_u8x16(low, factor), wasm_u16x8_extmul_high_u8x16(low, factor)));
        }
    }
    uint16_t lanes[8], smallest = UINT16_MAX;
    wasm_v128_store(lanes, least);
    for (int i = 0; i < 8; i++)
        smallest = lanes[i] < smallest ? lanes[i] : smallest;
    return smallest;
}

static void wasm_filter_select(uint64_t *hits, const uint8_t *bounds, const uint8_t *classes, const uint8_t *limits,
                               int n_classes, int64_t n)
{
    (void)n_classes;
    v128_t limit = wasm_u8x16_splat(limits[0]);
    byte_table table = {{limit, limit, limit, limit}};
    if (classes != NULL)
        table = load_table(limits);
    for (int64_t j = 0; j < n; j += 64) {
        uint64_t word = 0;
        for (int part = 0; part < 4; part++) {
            if (classes != NULL)
                limit = look_up(&table, wasm_v128_load(classes + j + 16 * part));
            v128_t below = wasm_u8x16_lt(wasm_v128_load(bounds + j + 16 * part), limit);
            word |= (uint64_t)wasm_i8x16_bitmask(below) << (16 * part);
        }
        hits[j / 64] = word;
    }
}

const kanon__centroid_kernels kanon__wasm_centroid_kernels = {"simd128", wasm_least, wasm_filter_bound, wasm_filter_least,
                                                              wasm_filter_select};

#endif
