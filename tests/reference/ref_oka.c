/* oka (Lin 3). */
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

/* Whether `left` comes before `right` in the order of their quasi-identifiers. */
static bool is_before(const ref_model *model, int left, int right)
{
    for (int a = 0; a < model->n_quasi; a++) {
        int order = ref_compare(model, &model->quasi[a], left, right);
        if (order != 0)
            return order < 0;
    }
    return left < right;
}

static void sort_records(const ref_model *model, int *order)
{
    for (int i = 0; i < model->n; i++) {
        int rank = 0;
        for (int j = 0; j < model->n; j++)
            rank += is_before(model, j, i);
        order[rank] = i;
    }
}

static void join_closest(const ref_job *job, int *group, ref_center *centers, int n_groups, int record)
{
    const ref_model *model = job->model;
    int best = -1;
    int64_t best_units = INT64_MAX;
    for (int g = 0; g < n_groups; g++) {
        int size = ref_size(model, group, g);
        int64_t factor = job->settings.size_factor && size > 0 ? size : 1;
        int64_t units = factor * ref_center_distance(model, record, &centers[g * model->n_quasi]);
        if (units < best_units) {
            best = g;
            best_units = units;
        }
    }
    group[record] = best;
    ref_center_of(model, group, best, &centers[best * model->n_quasi]);
}

static void assign_free(const ref_job *job, int *group, ref_center *centers, int n_groups, const int *order)
{
    for (int i = 0; i < job->model->n; i++)
        if (group[order[i]] == REF_FREE)
            join_closest(job, group, centers, n_groups, order[i]);
}

static int least_increase_group(const ref_model *model, int *group, int n_groups, const bool *is_gone, int record)
{
    int best = -1;
    int64_t best_units = INT64_MAX;
    for (int g = 0; g < n_groups; g++) {
        int64_t units = is_gone[g] ? INT64_MAX : ref_increase(model, group, g, record);
        if (units < best_units) {
            best = g;
            best_units = units;
        }
    }
    return best;
}

/* Suppress what the groups that were short of k had, where that costs less than filling them did. */
static void suppress_small(const ref_job *job, const int *before, int *group, int n_groups)
{
    const ref_model *model = job->model;
    bool *is_gone = REF_NEW(bool, n_groups);
    int *trial = REF_NEW(int, model->n), n_left = n_groups;
    for (int g = 0; g < n_groups && n_left > 1; g++) {
        if (ref_size(model, before, g) >= job->k)
            continue;
        memcpy(trial, group, (size_t)model->n * sizeof *trial);
        is_gone[g] = true;
        for (int i = 0; i < model->n; i++)
            if (group[i] == g)
                trial[i] = before[i] == g ? REF_SUPPRESSED : REF_FREE;
        for (int i = 0; i < model->n; i++)
            if (trial[i] == REF_FREE)
                trial[i] = least_increase_group(model, trial, n_groups, is_gone, i);
        is_gone[g] = ref_loss_all(model, trial, n_groups) < ref_loss_all(model, group, n_groups);
        if (is_gone[g]) {
            memcpy(group, trial, (size_t)model->n * sizeof *group);
            n_left--;
        }
    }
    free(trial);
    free(is_gone);
}

void ref_oka(const ref_job *job, int *group)
{
    const ref_model *model = job->model;
    int n_groups = (int)(model->n / job->k);
    int *order = REF_NEW(int, model->n), *seeds = REF_NEW(int, n_groups), *before = REF_NEW(int, model->n);
    ref_center *centers = REF_NEW(ref_center, n_groups * model->n_quasi);
    kanon__random random;
    kanon__random_init(&random, job->seed, 0);
    sort_records(model, order);
    ref_draw_seeds(model, &random, seeds, centers, n_groups);
    for (int iteration = 0; iteration < job->settings.iterations; iteration++) {
        for (int i = 0; i < model->n; i++)
            group[i] = REF_FREE;
        for (int g = 0; iteration == 0 && g < n_groups; g++)
            group[seeds[g]] = g;
        assign_free(job, group, centers, n_groups, order);
    }
    memcpy(before, group, (size_t)model->n * sizeof *before);
    ref_adjustment how = {.k = job->k, .n_groups = n_groups, .size_factor = job->settings.size_factor, .follow = true};
    ref_adjust(model, &how, group, centers, &random);
    if (job->settings.suppress_small)
        suppress_small(job, before, group, n_groups);
    free(centers);
    free(before);
    free(seeds);
    free(order);
}
