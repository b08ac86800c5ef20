/* kmeans-adjust-each, kmeans-fill and kmeans-adjust-last (Rashidy's algorithms 1, 2 and 3). */
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 square_error;

typedef enum variant { ADJUST_EACH, FILL, ADJUST_LAST } variant;

static int nearest_center(const ref_job *job, const int *group, const ref_center *centers, int n_groups, int record,
                          bool short_only)
{
    int best = -1;
    int64_t best_units = INT64_MAX;
    for (int g = 0; g < n_groups; g++) {
        if (short_only && ref_size(job->model, group, g) >= job->k)
            continue;
        int64_t units = ref_center_distance(job->model, record, &centers[g * job->model->n_quasi]);
        if (units < best_units) {
            best = g;
            best_units = units;
        }
    }
    return best;
}

static void assign(const ref_job *job, variant which, int *group, const ref_center *centers, int n_groups)
{
    for (int i = 0; i < job->model->n; i++)
        group[i] = REF_FREE;
    for (int i = 0; i < job->model->n; i++) {
        int g = which == FILL ? nearest_center(job, group, centers, n_groups, i, true) : -1;
        group[i] = g != -1 ? g : nearest_center(job, group, centers, n_groups, i, false);
    }
}

static square_error error_of(const ref_model *model, const int *group, const ref_center *centers)
{
    square_error sum = 0;
    for (int i = 0; i < model->n; i++) {
        for (int a = 0; a < model->n_quasi; a++) {
            int64_t term = ref_center_term(model, a, i, &centers[group[i] * model->n_quasi]);
            sum += (square_error)term * (square_error)term;
        }
    }
    return sum;
}

static void run(const ref_job *job, variant which, int *group)
{
    const ref_model *model = job->model;
    int n_groups = (int)(model->n / job->k);
    size_t centers_size = (size_t)(n_groups * model->n_quasi) * sizeof(ref_center);
    size_t group_size = (size_t)model->n * sizeof *group;
    ref_adjustment how = {.k = job->k, .n_groups = n_groups};
    int *seeds = REF_NEW(int, n_groups), *best = REF_NEW(int, model->n);
    ref_center *centers = REF_NEW(ref_center, n_groups * model->n_quasi);
    ref_center *next = REF_NEW(ref_center, n_groups * model->n_quasi);
    ref_center *best_centers = REF_NEW(ref_center, n_groups * model->n_quasi);
    square_error best_error = 0;
    bool settled = false;
    kanon__random random;
    kanon__random_init(&random, job->seed, 0);
    ref_draw_seeds(model, &random, seeds, centers, n_groups);

    for (int iteration = 0; iteration < job->settings.max_iterations && !settled; iteration++) {
        assign(job, which, group, centers, n_groups);
        if (which == ADJUST_EACH)
            ref_adjust(model, &how, group, centers, &random);
        memcpy(next, centers, centers_size);
        for (int g = 0; g < n_groups; g++)
            ref_center_of(model, group, g, &next[g * model->n_quasi]);
        square_error error = error_of(model, group, next);
        if (iteration == 0 || error < best_error) {
            best_error = error;
            memcpy(best, group, group_size);
            memcpy(best_centers, centers, centers_size);
        }
        settled = ref_centers_equal(model, centers, next, n_groups);
        if (!settled)
            memcpy(centers, next, centers_size);
    }
    if (!settled && !job->settings.return_last) {
        memcpy(group, best, group_size);
        memcpy(centers, best_centers, centers_size);
    }
    if (which == ADJUST_LAST)
        ref_adjust(model, &how, group, centers, &random);
    free(best_centers);
    free(next);
    free(centers);
    free(best);
    free(seeds);
}

void ref_kmeans_adjust_each(const ref_job *job, int *group)
{
    run(job, ADJUST_EACH, group);
}

void ref_kmeans_fill(const ref_job *job, int *group)
{
    run(job, FILL, group);
}

void ref_kmeans_adjust_last(const ref_job *job, int *group)
{
    run(job, ADJUST_LAST, group);
}
