/* See centroid_kernels.h: the plain C set, which defines what all sets compute, and the choice of a set. */
#include "papers/centroid_kernels.h"

#include <string.h>

KANON__ALIGNED_LOOPS static int64_t plain_least(const uint32_t *units, const int64_t *sizes, int64_t n, bool by_size,
                                                int64_t below)
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

static const kanon__centroid_kernels plain_kernels = {"plain", plain_least, plain_filter_bound, plain_filter_least,
                                                      plain_filter_select};

/* Each set of x86 builds on the one before, so a processor that lacks one is offered none of those after it. */
const kanon__centroid_kernels *kanon__centroid_kernels_nth(int i)
{
    const kanon__centroid_kernels *sets[4] = {&plain_kernels};
    int n = 1;
#if KANON__X86_KERNELS
    if (__builtin_cpu_supports("avx2"))
        sets[n++] = &kanon__avx2_centroid_kernels;
    if (n == 2 && __builtin_cpu_supports("avx512f"))
        sets[n++] = &kanon__avx512_centroid_kernels;
    if (n == 3 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi"))
        sets[n++] = &kanon__vbmi_centroid_kernels;
#elif KANON__NEON_KERNELS
    sets[n++] = &kanon__neon_centroid_kernels;
#elif KANON__WASM_KERNELS
    sets[n++] = &kanon__wasm_centroid_kernels;
#endif
    return i < n ? sets[i] : NULL;
}

const kanon__centroid_kernels *kanon__centroid_kernels_choose(bool plain)
{
    int i = 0;
    while (!plain && kanon__centroid_kernels_nth(i + 1) != NULL)
        i++;
    return kanon__centroid_kernels_nth(i);
}
