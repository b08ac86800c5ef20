#include "reference/ref_optimum.h"

#include <assert.h>
#include <stdlib.h>

int64_t ref_units_of_set(const ref_model *model, unsigned set)
{
    ref_span *spans = ref_spans_new(model);
    for (int record = 0; record < model->n; record++)
        if (set >> record & 1)
            ref_spans_add(model, spans, record);
    int64_t units = ref_spans_units(model, spans);
    free(spans);
    return units;
}

/* Of every set of records: what its best partition loses (-1: it has none), from the smallest set up, and a group of it.
 * The lowest record of a set is in some group; each subset that holds it is tried, of whatever size from k. */
static void fill_best(const ref_model *model, int64_t k, int64_t *best, unsigned *first)
{
    unsigned n_sets = 1u << model->n;
    int64_t *loss = REF_NEW(int64_t, n_sets);
    for (unsigned set = 1; set < n_sets; set++) {
        int64_t size = __builtin_popcount(set);
        loss[set] = size >= k ? size * ref_units_of_set(model, set) : -1;
        best[set] = -1;
        unsigned lowest = set & -set, others = set ^ lowest;
        for (unsigned part = others;; part = (part - 1) & others) {
            unsigned chosen = part | lowest, rest = set ^ chosen;
            if (loss[chosen] >= 0 && best[rest] >= 0 && (best[set] < 0 || loss[chosen] + best[rest] < best[set])) {
                best[set] = loss[chosen] + best[rest];
                first[set] = chosen;
            }
            if (part == 0)
                break;
        }
    }
    free(loss);
}

int64_t ref_optimum(const ref_model *model, int64_t k, int *group)
{
    assert(model->n <= REF_OPTIMUM_MOST);
    unsigned n_sets = 1u << model->n;
    int64_t *best = REF_NEW(int64_t, n_sets);
    unsigned *first = REF_NEW(unsigned, n_sets);
    fill_best(model, k, best, first);
    int64_t optimum = model->n >= k ? best[n_sets - 1] : -1;
    int n_groups = 0;
    for (unsigned set = n_sets - 1; group != NULL && optimum >= 0 && set != 0; set ^= first[set], n_groups++)
        for (int record = 0; record < model->n; record++)
            if (first[set] >> record & 1)
                group[record] = n_groups;
    free(first);
    free(best);
    return optimum;
}

/* The least loss of all sets of records that may be released; -1: there is none. */
int64_t ref_optimum_suppressing_few(const ref_model *model, int64_t k, int most)
{
    assert(model->n <= REF_OPTIMUM_MOST);
    unsigned n_sets = 1u << model->n;
    int64_t *best = REF_NEW(int64_t, n_sets), full = 0, optimum = -1;
    unsigned *first = REF_NEW(unsigned, n_sets);
    fill_best(model, k, best, first);
    for (int i = 0; i < model->n_quasi; i++)
        full += model->quasi[i].full;
    for (unsigned released = 1; released < n_sets; released++) {
        int n_suppressed = model->n - __builtin_popcount(released);
        int64_t loss = best[released] + n_suppressed * full;
        if (best[released] >= 0 && n_suppressed <= most && (optimum < 0 || loss < optimum))
            optimum = loss;
    }
    free(first);
    free(best);
    return optimum;
}

int64_t ref_optimum_suppressing(const ref_model *model, int64_t k)
{
    int64_t nothing_released = model->n * ref_suppressed_units(model);
    int64_t optimum = ref_optimum_suppressing_few(model, k, model->n);
    return optimum >= 0 && optimum < nothing_released ? optimum : nothing_released;
}
