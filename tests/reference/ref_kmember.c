/* kmember (Byun et al.) and kmember-p (Loukides 4). */
#include "reference/reference.h"

#include <stdlib.h>

static int count_free(const ref_job *job, const int *group)
{
    return ref_size(job->model, group, REF_FREE);
}

static int farthest_free(const ref_job *job, const int *group, int from)
{
    int best = -1;
    int64_t best_units = -1;
    for (int i = 0; i < job->model->n; i++) {
        if (group[i] != REF_FREE)
            continue;
        int64_t units = ref_distance(job->model, from, i);
        if (units > best_units) {
            best = i;
            best_units = units;
        }
    }
    return best;
}

static int least_loss_free(const ref_job *job, int *group, int g)
{
    int best = -1;
    int64_t best_units = INT64_MAX;
    for (int i = 0; i < job->model->n; i++) {
        if (group[i] != REF_FREE)
            continue;
        int64_t units = ref_units_with(job->model, group, g, i);
        if (units < best_units) {
            best = i;
            best_units = units;
        }
    }
    return best;
}

static int least_increase_group(const ref_job *job, int *group, int n_groups, int record)
{
    int best = -1;
    int64_t best_units = INT64_MAX;
    for (int g = 0; g < n_groups; g++) {
        int64_t units = ref_increase(job->model, group, g, record);
        if (units < best_units) {
            best = g;
            best_units = units;
        }
    }
    return best;
}

void ref_kmember(const ref_job *job, int *group)
{
    kanon__random random;
    kanon__random_init(&random, job->seed, 0);
    for (int i = 0; i < job->model->n; i++)
        group[i] = REF_FREE;
    int seed = -1, n_groups = 0;
    while (count_free(job, group) >= job->k) {
        seed = n_groups == 0 ? (int)kanon__random_below(&random, job->model->n) : farthest_free(job, group, seed);
        group[seed] = n_groups;
        for (int64_t size = 1; size < job->k; size++)
            group[least_loss_free(job, group, n_groups)] = n_groups;
        n_groups++;
    }
    for (int i = 0; i < job->model->n; i++)
        if (group[i] == REF_FREE)
            group[i] = least_increase_group(job, group, n_groups, i);
}

/* ---- the same for protection ------------------------------------------------------------------------------------- */

static double sum_s(const ref_job *job, const ref_pairs *pairs, const int *group, int g)
{
    return ref_s_diversity(job->model, ref_pairs_sum(pairs, group, g), ref_size(job->model, group, g));
}

static double sum_s_with(const ref_job *job, const ref_pairs *pairs, int *group, int g, int record)
{
    group[record] = g;
    double sum = sum_s(job, pairs, group, g);
    group[record] = REF_FREE;
    return sum;
}

static int least_s_free(const ref_job *job, const ref_pairs *pairs, int *group, int g)
{
    int best = -1;
    double best_sum = 0;
    for (int i = 0; i < job->model->n; i++) {
        if (group[i] != REF_FREE)
            continue;
        double sum = sum_s_with(job, pairs, group, g, i);
        if (best == -1 || sum < best_sum) {
            best = i;
            best_sum = sum;
        }
    }
    return best;
}

static int least_s_group(const ref_job *job, const ref_pairs *pairs, int *group, int n_groups, int record)
{
    int best = -1;
    double best_difference = 0;
    for (int g = 0; g < n_groups; g++) {
        double difference = sum_s_with(job, pairs, group, g, record) - sum_s(job, pairs, group, g);
        if (best == -1 || difference < best_difference) {
            best = g;
            best_difference = difference;
        }
    }
    return best;
}

void ref_kmember_p(const ref_job *job, int *group)
{
    kanon__random random;
    kanon__random_init(&random, job->seed, 0);
    ref_pairs pairs = ref_pairs_new(job->model, job->settings.r);
    for (int i = 0; i < job->model->n; i++)
        group[i] = REF_FREE;
    int seed = -1, n_groups = 0;
    while (count_free(job, group) >= job->k) {
        seed = n_groups == 0 ? (int)kanon__random_below(&random, job->model->n) : farthest_free(job, group, seed);
        group[seed] = n_groups;
        for (int64_t size = 1; size < job->k; size++)
            group[least_s_free(job, &pairs, group, n_groups)] = n_groups;
        n_groups++;
    }
    for (int i = 0; i < job->model->n; i++)
        if (group[i] == REF_FREE)
            group[i] = least_s_group(job, &pairs, group, n_groups, i);
    ref_pairs_clear(&pairs);
}
