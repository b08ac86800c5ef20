/* See kernels.h: the plain C set, which defines what all sets compute, and the choice of a set. */
#include "search/kernels.h"

#include "search/kernel_sets.h"

#include <string.h>

static inline uint32_t span_sum(const uint32_t *base, int64_t j, const kanon__span_term *terms, int n_terms)
{
    uint32_t units = base[j];
    for (int i = 0; i < n_terms; i++) {
        const kanon__span_term *t = &terms[i];
        uint32_t at = t->at[j], width = (at > t->hi ? at : t->hi) - (at < t->lo ? at : t->lo);
        units += width < t->full ? width : t->full;
    }
    return units;
}

static int64_t plain_cheapest(uint32_t *least, const uint32_t *base, const uint64_t *free, int64_t n,
                              const kanon__span_term *terms, int n_terms)
{
    int64_t best = -1;
    *least = UINT32_MAX;
    for (int64_t j = 0; j < n; j++) {
        if (!(free[j / 64] >> j % 64 & 1))
            continue;
        uint32_t units = span_sum(base, j, terms, n_terms);
        if (units < *least) {
            *least = units;
            best = j;
        }
    }
    return best;
}

int64_t kanon__plain_equal(uint64_t *hits, uint32_t units, const uint32_t *base, const uint64_t *free, int64_t n,
                           const kanon__span_term *terms, int n_terms)
{
    int64_t n_hits = 0;
    for (int64_t word = 0; word * 64 < n; word++) {
        hits[word] = 0;
        for (uint64_t left = free[word]; left != 0; left &= left - 1) {
            int64_t j = word * 64 + __builtin_ctzll(left);
            if (base[j] <= units && span_sum(base, j, terms, n_terms) == units) { /* most end at the first test */
                hits[word] |= left & -left;
                n_hits++;
            }
        }
    }
    return n_hits;
}

KANON__ALIGNED_LOOPS static void plain_measure(uint32_t *units, int64_t n, const kanon__kernel_term *terms, int n_terms)
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

static const kanon__kernels plain_kernels = {"plain", plain_cheapest, kanon__plain_equal, plain_measure};

/* Each set of x86 builds on the one before, so a processor that lacks one is offered none of those after it. */
const kanon__kernels *kanon__kernels_nth(int i)
{
    const kanon__kernels *sets[3] = {&plain_kernels};
    int n = 1;
#if KANON__X86_KERNELS
    if (__builtin_cpu_supports("avx2"))
        sets[n++] = &kanon__avx2_kernels;
    if (n == 2 && __builtin_cpu_supports("avx512f"))
        sets[n++] = &kanon__avx512_kernels;
#elif KANON__NEON_KERNELS
    sets[n++] = &kanon__neon_kernels;
#elif KANON__WASM_KERNELS
    sets[n++] = &kanon__wasm_kernels;
#endif
    return i < n ? sets[i] : NULL;
}

const kanon__kernels *kanon__kernels_choose(bool plain)
{
    int i = 0;
    while (!plain && kanon__kernels_nth(i + 1) != NULL)
        i++;
    return kanon__kernels_nth(i);
}
