/* greedy-threshold (Loukides and Shao 2007, as Lin 2.2 describes it). */
#include "reference/reference.h"

#include <stdlib.h>

static int nth_free(const ref_model *model, const int *group, int64_t nth)
{
    for (int i = 0; i < model->n; i++)
        if (group[i] == REF_FREE && nth-- == 0)
            return i;
    abort();
}

static void grow(const ref_model *model, double threshold, int *group, int g)
{
    for (;;) {
        int best = -1;
        int64_t best_units = INT64_MAX;
        for (int i = 0; i < model->n; i++) {
            int64_t units = group[i] == REF_FREE ? ref_units_with(model, group, g, i) : INT64_MAX;
            if (units < best_units) {
                best = i;
                best_units = units;
            }
        }
        if (best == -1 || (double)best_units > threshold * (double)model->scale)
            return;
        group[best] = g;
    }
}

void ref_greedy_threshold(const ref_job *job, int *group)
{
    const ref_model *model = job->model;
    double threshold = job->settings.threshold >= 0 ? job->settings.threshold : model->n_quasi / 4.0;
    kanon__random random;
    kanon__random_init(&random, job->seed, 0);
    for (int i = 0; i < model->n; i++)
        group[i] = REF_FREE;
    int n_groups = 0;
    for (int n_free; (n_free = ref_size(model, group, REF_FREE)) > 0;) {
        group[nth_free(model, group, kanon__random_below(&random, n_free))] = n_groups;
        grow(model, threshold, group, n_groups);
        bool kept = ref_size(model, group, n_groups) >= job->k;
        for (int i = 0; i < model->n && !kept; i++)
            if (group[i] == n_groups)
                group[i] = REF_SUPPRESSED;
        n_groups += kept;
    }
    for (int i = 0; i < model->n && n_groups == 0; i++)
        group[i] = 0;
}
