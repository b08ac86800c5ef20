/* See kernels.h: the plain C set, which defines what all sets compute, and the choice of a set. Called by free_set.c,
 * nearest.c, centroid_filter.c and refine/anneal/regroup_pool.c. */
#include "search/kernels.h"

#include "search/kernel_sets.h"

#include <string.h>

/* The alignment of a loop of a few instructions decides a quarter of its time. The plain scan is the baseline of the
 * measurements, so its loops are aligned. */
#if defined(__GNUC__) && !defined(__clang__)
#define ALIGNED_LOOPS __attribute__((optimize("align-loops=64")))
#else
#define ALIGNED_LOOPS
#endif

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

ALIGNED_LOOPS static void plain_measure(uint32_t *units, int64_t n, const kanon__kernel_term *terms, int n_terms)
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

ALIGNED_LOOPS static int64_t plain_least(const uint32_t *units, const int64_t *sizes, int64_t n, bool by_size, int64_t below)
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

/* Between low and high the term is 0: the coordinate is rounded, so its exact distance is not known there. */
static int plain_term(const kanon__filter_term *t, int at)
{
    if (t->table != NULL)
        return t->table[at];
    if (t->missing && at == KANON__FILTER_NONE)
        return t->if_none;
    int between = at < t->low ? t->low - at : at > t->high ? at - t->high : 0;
    return t->missing ? between + t->if_some : between;
}

static void plain_filter_bound(uint8_t *bounds, int64_t n, const kanon__filter_term *terms, int n_terms)
{
    for (int64_t j = 0; j < n; j++) {
        int sum = 0;
        for (int i = 0; i < n_terms; i++)
            sum += plain_term(&terms[i], terms[i].at[j]);
        bounds[j] = (uint8_t)(sum < KANON__FILTER_MOST ? sum : KANON__FILTER_MOST);
    }
}

static uint32_t plain_filter_least(const uint8_t *bounds, const uint8_t *classes, const uint8_t *factors, int n_classes,
                                   int64_t n)
{
    (void)n_classes;
    uint32_t least = UINT32_MAX;
    for (int64_t j = 0; j < n; j++) {
        uint32_t here = factors != NULL ? (uint32_t)bounds[j] * factors[classes[j]] : bounds[j];
        least = here < least ? here : least;
    }
    return least;
}

static void plain_filter_select(uint64_t *hits, const uint8_t *bounds, const uint8_t *classes, const uint8_t *limits,
                                int n_classes, int64_t n)
{
    (void)n_classes;
    memset(hits, 0, (size_t)(n / KANON__FILTER_BLOCK) * sizeof *hits);
    for (int64_t j = 0; j < n; j++)
        hits[j / KANON__FILTER_BLOCK] |= (uint64_t)(bounds[j] < limits[classes != NULL ? classes[j] : 0])
                                         << j % KANON__FILTER_BLOCK;
}

static const kanon__kernels plain_kernels = {
    "plain",     plain_cheapest,     kanon__plain_equal, plain_measure,
    plain_least, plain_filter_bound, plain_filter_least, plain_filter_select,
};

/* Each set of x86 builds on the one before, so a processor that lacks one is offered none of those after it. */
const kanon__kernels *kanon__kernels_nth(int i)
{
    const kanon__kernels *sets[4] = {&plain_kernels};
    int n = 1;
#if KANON__X86_KERNELS
    if (__builtin_cpu_supports("avx2"))
        sets[n++] = &kanon__avx2_kernels;
    if (n == 2 && __builtin_cpu_supports("avx512f"))
        sets[n++] = &kanon__avx512_kernels;
    if (n == 3 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi"))
        sets[n++] = &kanon__vbmi_kernels;
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
