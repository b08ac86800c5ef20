/* mondrian (LeFevre et al. 2006). */
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

static int rank_in_part(const ref_model *model, const ref_attribute *attribute, const int *group, int g, int record)
{
    int rank = 0;
    for (int i = 0; i < model->n; i++) {
        int order = group[i] == g ? ref_compare(model, attribute, i, record) : 1;
        rank += order < 0 || (order == 0 && i < record);
    }
    return rank;
}

static int record_of_rank(const ref_model *model, const ref_attribute *attribute, const int *group, int g, int rank)
{
    for (int i = 0; i < model->n; i++)
        if (group[i] == g && rank_in_part(model, attribute, group, g, i) == rank)
            return i;
    abort();
}

/* Move the records of group g to group `right` that lie above the median (limit 0) or on it and above (limit -1).
 * Returns how many those are. */
static int move_right_strict(const ref_model *model, const ref_attribute *attribute, int *group, int g, int right, int limit)
{
    int median = record_of_rank(model, attribute, group, g, (ref_size(model, group, g) - 1) / 2), n_right = 0;
    int *from = REF_NEW(int, model->n);
    memcpy(from, group, (size_t)model->n * sizeof *from);
    for (int i = 0; i < model->n; i++) {
        if (from[i] == g && ref_compare(model, attribute, i, median) > limit) {
            group[i] = right;
            n_right++;
        }
    }
    free(from);
    return n_right;
}

static void move_right_relaxed(const ref_model *model, const ref_attribute *attribute, int *group, int g, int right)
{
    int n_left = ref_size(model, group, g) / 2;
    int *from = REF_NEW(int, model->n);
    memcpy(from, group, (size_t)model->n * sizeof *from);
    for (int i = 0; i < model->n; i++)
        if (from[i] == g && rank_in_part(model, attribute, from, g, i) >= n_left)
            group[i] = right;
    free(from);
}

static bool has_two_values(const ref_model *model, const ref_attribute *attribute, const int *group, int g)
{
    for (int i = 0; i < model->n; i++)
        for (int j = 0; j < model->n; j++)
            if (group[i] == g && group[j] == g && ref_compare(model, attribute, i, j) != 0)
                return true;
    return false;
}

/* Try to move part of group g to the new group `right`; where that cannot be, `group` stays as it is. */
static bool split_on(const ref_job *job, const ref_attribute *attribute, int *group, int g, int right)
{
    const ref_model *model = job->model;
    if (!has_two_values(model, attribute, group, g))
        return false;
    int *before = REF_NEW(int, model->n);
    size_t size = (size_t)model->n * sizeof *before;
    memcpy(before, group, size);
    if (job->settings.relaxed) {
        move_right_relaxed(model, attribute, group, g, right);
    } else if (move_right_strict(model, attribute, group, g, right, 0) < job->k) {
        memcpy(group, before, size);
        move_right_strict(model, attribute, group, g, right, -1);
    }
    bool done = ref_size(model, group, g) >= job->k && ref_size(model, group, right) >= job->k;
    if (!done)
        memcpy(group, before, size);
    free(before);
    return done;
}

/* Attributes from the widest to the narrowest, equal ones in column order. */
static bool split_group(const ref_job *job, int *group, int g, int right)
{
    const ref_model *model = job->model;
    bool *is_tried = REF_NEW(bool, model->n_quasi), done = false;
    ref_span *spans = ref_spans_new(model);
    ref_spans_of(model, group, g, spans);
    for (int tries = 0; tries < model->n_quasi && !done; tries++) {
        int best = -1;
        for (int a = 0; a < model->n_quasi; a++)
            if (!is_tried[a] && (best == -1 || ref_span_units(&model->quasi[a], &spans[a]) >
                                                   ref_span_units(&model->quasi[best], &spans[best])))
                best = a;
        is_tried[best] = true;
        done = split_on(job, &model->quasi[best], group, g, right);
    }
    free(spans);
    free(is_tried);
    return done;
}

void ref_mondrian(const ref_job *job, int *group)
{
    memset(group, 0, (size_t)job->model->n * sizeof *group);
    int n_groups = 1;
    for (int g = 0; g < n_groups; g++)
        while (split_group(job, group, g, n_groups))
            n_groups++;
}
