/* The kernels in WebAssembly SIMD (simd128): four 32-bit units at a time; see kernels.h for what they compute.
 *
 * There is no gather and no reduction across a vector: both go lane by lane. */
#include "search/kernel_sets.h"

#if KANON__WASM_KERNELS

#include <wasm_simd128.h>

static uint32_t one_term(const kanon__kernel_term *t, int64_t j)
{
    int32_t at = t->at[j];
    if (t->table != NULL)
        return t->table[at];
    return at == -1 ? t->full : (uint32_t)(t->own < at ? at - t->own : t->own - at);
}

static inline v128_t four_terms(const kanon__kernel_term *t, int64_t j)
{
    if (t->table != NULL)
        return wasm_u32x4_make(one_term(t, j), one_term(t, j + 1), one_term(t, j + 2), one_term(t, j + 3));
    v128_t place = wasm_v128_load(t->at + j);
    v128_t distance = wasm_i32x4_abs(wasm_i32x4_sub(wasm_i32x4_splat(t->own), place));
    return wasm_v128_bitselect(wasm_u32x4_splat(t->full), distance, wasm_i32x4_eq(place, wasm_i32x4_splat(-1)));
}

static void wasm_measure(uint32_t *units, int64_t n, const kanon__kernel_term *terms, int n_terms)
{
    int64_t j = 0;
    for (; j + 4 <= n; j += 4) {
        v128_t sum = wasm_u32x4_splat(0);
        for (int i = 0; i < n_terms; i++)
            sum = wasm_i32x4_add(sum, four_terms(&terms[i], j));
        wasm_v128_store(units + j, sum);
    }
    for (; j < n; j++) {
        units[j] = 0;
        for (int i = 0; i < n_terms; i++)
            units[j] += one_term(&terms[i], j);
    }
}

static inline uint32_t least_of_four(v128_t four)
{
    uint32_t lanes[4], least = UINT32_MAX;
    wasm_v128_store(lanes, four);
    for (int i = 0; i < 4; i++)
        least = lanes[i] < least ? lanes[i] : least;
    return least;
}

/* The sums of four records; UINT32_MAX where one is not free. */
static inline v128_t four_spans(const uint32_t *base, uint32_t free, int64_t j, const kanon__span_term *terms, int n_terms)
{
    v128_t bits = wasm_v128_and(wasm_u32x4_splat(free), wasm_u32x4_const(1, 2, 4, 8));
    v128_t taken = wasm_i32x4_eq(bits, wasm_u32x4_splat(0));
    v128_t sum = wasm_v128_load(base + j);
    for (int i = 0; i < n_terms; i++) {
        const kanon__span_term *t = &terms[i];
        v128_t at = wasm_v128_load(t->at + j);
        v128_t width = wasm_i32x4_sub(wasm_u32x4_max(at, wasm_u32x4_splat(t->hi)),
                                      wasm_u32x4_min(at, wasm_u32x4_splat(t->lo)));
        sum = wasm_i32x4_add(sum, wasm_u32x4_min(width, wasm_u32x4_splat(t->full)));
    }
    return wasm_v128_or(sum, taken);
}

/* Each lane keeps the first of its least values and where it was; then the lanes are compared. */
static int64_t wasm_cheapest(uint32_t *least, const uint32_t *base, const uint64_t *free, int64_t n,
                             const kanon__span_term *terms, int n_terms)
{
    v128_t best = wasm_u32x4_splat(UINT32_MAX), where = best, here = wasm_u32x4_const(0, 1, 2, 3);
    for (int64_t j = 0; j < n; j += 4, here = wasm_i32x4_add(here, wasm_u32x4_splat(4))) {
        v128_t sum = four_spans(base, (uint32_t)(free[j / 64] >> j % 64), j, terms, n_terms);
        v128_t less = wasm_u32x4_lt(sum, best);
        best = wasm_v128_bitselect(sum, best, less);
        where = wasm_v128_bitselect(here, where, less);
    }
    *least = least_of_four(best);
    v128_t has = wasm_i32x4_eq(best, wasm_u32x4_splat(*least));
    return least_of_four(wasm_v128_bitselect(where, wasm_u32x4_splat(UINT32_MAX), has));
}

const kanon__kernels kanon__wasm_kernels = {"simd128", wasm_cheapest, kanon__plain_equal, wasm_measure};

#endif
