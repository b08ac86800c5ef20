/* wfcm (Chiu and Tsai 2007, as Lin 2.2 describes it). */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WEIGHT_ONE = 1024 };

static int nearest(const ref_model *model, const int64_t *weights, const ref_center *centers, int n_groups, int record)
{
    int best = -1;
    int64_t best_units = INT64_MAX;
    for (int g = 0; g < n_groups; g++) {
        int64_t units = 0;
        for (int a = 0; a < model->n_quasi; a++)
            units += weights[a] * ref_center_term(model, a, record, &centers[g * model->n_quasi]);
        if (units < best_units) {
            best = g;
            best_units = units;
        }
    }
    return best;
}

static void update_weights(const ref_model *model, const int *group, const ref_center *centers, int64_t *weights)
{
    int m = model->n_quasi;
    double *dispersion = REF_NEW(double, m), mean = 0, sum = 0;
    for (int a = 0; a < m; a++) {
        int64_t units = 0;
        for (int i = 0; i < model->n; i++)
            units += ref_center_term(model, a, i, &centers[group[i] * m]);
        dispersion[a] = (double)units / (double)model->quasi[a].center_full;
        mean += dispersion[a];
    }
    mean /= m;
    for (int a = 0; a < m && mean > 0; a++)
        sum += 1 / (dispersion[a] + mean);
    for (int a = 0; a < m; a++) {
        weights[a] = WEIGHT_ONE;
        if (mean > 0)
            weights[a] = (int64_t)floor(m * (1 / (dispersion[a] + mean)) / sum * WEIGHT_ONE + 0.5);
        if (weights[a] < 1)
            weights[a] = 1;
    }
    free(dispersion);
}

/* IL(P + Q) - IL(P) - IL(Q) */
static int64_t merging_cost(const ref_model *model, const int *group, int p, int q)
{
    int *merged = REF_NEW(int, model->n);
    for (int i = 0; i < model->n; i++)
        merged[i] = group[i] == p ? q : group[i];
    int64_t cost = ref_loss_of(model, merged, q) - ref_loss_of(model, group, p) - ref_loss_of(model, group, q);
    free(merged);
    return cost;
}

/* The lowest-numbered group with records, but fewer than k; -1: none. */
static int first_short(const ref_job *job, const int *group, int n_groups)
{
    for (int g = 0; g < n_groups; g++) {
        int size = ref_size(job->model, group, g);
        if (size > 0 && size < job->k)
            return g;
    }
    return -1;
}

static void merge_short(const ref_job *job, int *group, int n_groups)
{
    const ref_model *model = job->model;
    for (int p; (p = first_short(job, group, n_groups)) != -1;) {
        int best = -1;
        int64_t best_cost = INT64_MAX;
        for (int q = 0; q < n_groups; q++) {
            if (q == p || ref_size(model, group, q) == 0)
                continue;
            int64_t cost = merging_cost(model, group, p, q);
            if (cost < best_cost) {
                best = q;
                best_cost = cost;
            }
        }
        for (int i = 0; i < model->n; i++)
            if (group[i] == p)
                group[i] = best;
    }
}

void ref_wfcm(const ref_job *job, int *group)
{
    const ref_model *model = job->model;
    int n_groups = (int)(model->n / job->k);
    int *seeds = REF_NEW(int, n_groups);
    int64_t *weights = REF_NEW(int64_t, model->n_quasi);
    ref_center *centers = REF_NEW(ref_center, n_groups * model->n_quasi);
    kanon__random random;
    kanon__random_init(&random, job->seed, 0);
    ref_draw_seeds(model, &random, seeds, centers, n_groups);
    for (int a = 0; a < model->n_quasi; a++)
        weights[a] = WEIGHT_ONE;
    for (int i = 0; i < model->n; i++)
        group[i] = REF_FREE;

    bool changed = true;
    for (int iteration = 0; iteration < job->settings.max_iterations && changed; iteration++) {
        changed = false;
        for (int i = 0; i < model->n; i++) {
            int g = nearest(model, weights, centers, n_groups, i);
            changed = changed || g != group[i];
            group[i] = g;
        }
        for (int g = 0; g < n_groups; g++) {
            ref_center_of(model, group, g, &centers[g * model->n_quasi]);
            if (job->settings.category_center != REF_ANCESTOR)
                ref_center_use_values(model, group, g, job->settings.category_center == REF_MODE,
                                      &centers[g * model->n_quasi]);
        }
        update_weights(model, group, centers, weights);
    }
    merge_short(job, group, n_groups);
    free(centers);
    free(weights);
    free(seeds);
}
