/* densest: every seed is grown record by record, and the queue is an array that is looked through. */
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

typedef struct queue {
    bool *is_seed;  /* by record: it stands for a tuple from which clusters are grown */
    int64_t *units; /* by such a record: D of the last cluster */
} queue;

static bool are_equal(const ref_model *model, int left, int right)
{
    for (int a = 0; a < model->n_quasi; a++)
        if (ref_compare(model, &model->quasi[a], left, right) != 0)
            return false;
    return true;
}

/* The lowest free record of a tuple, -1: there is none. */
static int lowest_free(const ref_job *job, const int *group, int seed)
{
    for (int i = 0; i < job->model->n; i++)
        if (group[i] == REF_FREE && are_equal(job->model, i, seed))
            return i;
    return -1;
}

static int least_free(const ref_job *job, int *group, int g, int64_t *units)
{
    int best = -1;
    *units = INT64_MAX;
    for (int i = 0; i < job->model->n; i++) {
        if (group[i] != REF_FREE)
            continue;
        int64_t with = ref_units_with(job->model, group, g, i);
        if (with < *units) {
            best = i;
            *units = with;
        }
    }
    return best;
}

/* Group g becomes the cluster of k around the seed; returns its D. */
static int64_t grow(const ref_job *job, int *group, int seed, int g)
{
    int64_t units;
    group[lowest_free(job, group, seed)] = g;
    for (int64_t size = 1; size < job->k; size++)
        group[least_free(job, group, g, &units)] = g;
    return ref_units_of(job->model, group, g);
}

static int64_t try_to_grow(const ref_job *job, const int *group, int seed)
{
    int *copy = REF_NEW(int, job->model->n);
    memcpy(copy, group, (size_t)job->model->n * sizeof *copy);
    int64_t units = grow(job, copy, seed, job->model->n);
    free(copy);
    return units;
}

static void fill(const ref_job *job, const int *group, int64_t every, queue *q)
{
    int n_met = 0;
    for (int i = 0; i < job->model->n; i++) {
        q->is_seed[i] = group[i] == REF_FREE && lowest_free(job, group, i) == i && n_met++ % every == 0;
        if (q->is_seed[i])
            q->units[i] = try_to_grow(job, group, i);
    }
}

/* The seed with the least key, -1: there is none. */
static int first_in_queue(const ref_job *job, const int *group, const queue *q)
{
    int best = -1, best_record = -1;
    for (int i = 0; i < job->model->n; i++) {
        int record = q->is_seed[i] ? lowest_free(job, group, i) : -1;
        if (record < 0)
            continue;
        if (best < 0 || q->units[i] < q->units[best] || (q->units[i] == q->units[best] && record < best_record)) {
            best = i;
            best_record = record;
        }
    }
    return best;
}

static void make_cluster(const ref_job *job, int *group, int seed, int g)
{
    int64_t diversity = grow(job, group, seed, g), units;
    for (int64_t size = job->k; size < 2 * job->k - 1 || diversity == 0; size++) {
        int record = least_free(job, group, g, &units);
        if (record < 0 || units != diversity)
            break;
        group[record] = g;
    }
}

void ref_join_cheapest(const ref_model *model, int *group, int n_groups)
{
    for (int i = 0; i < model->n; i++) {
        int best = 0;
        if (group[i] != REF_FREE)
            continue;
        for (int g = 1; g < n_groups; g++)
            if (ref_increase(model, group, g, i) < ref_increase(model, group, best, i))
                best = g;
        group[i] = best;
    }
}

int ref_densest_free(const ref_job *job, int *group)
{
    int n = job->model->n, n_groups = 0;
    int64_t every = job->settings.every > 0 ? job->settings.every : job->k < 200 ? 1 : job->k / 200;
    queue q = {REF_NEW(bool, n), REF_NEW(int64_t, n)};
    for (int i = 0; i < n; i++)
        group[i] = REF_FREE;
    fill(job, group, every, &q);
    while (ref_size(job->model, group, REF_FREE) >= job->k) {
        int seed = first_in_queue(job, group, &q);
        if (seed < 0) {
            fill(job, group, 1, &q);
            continue;
        }
        q.units[seed] = try_to_grow(job, group, seed);
        if (first_in_queue(job, group, &q) == seed)
            make_cluster(job, group, seed, n_groups++);
    }
    free(q.is_seed);
    free(q.units);
    return n_groups;
}

void ref_densest(const ref_job *job, int *group)
{
    int n_groups = ref_densest_free(job, group);
    ref_join_cheapest(job->model, group, n_groups);
}
