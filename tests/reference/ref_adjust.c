/* Lin's adjustment stage (figure 2), which Rashidy's algorithms share. */
#include "reference/reference.h"

#include <stdlib.h>

static int farthest_member(const ref_model *model, const int *group, int g, const ref_center *center)
{
    int best = -1;
    int64_t best_units = -1;
    for (int i = 0; i < model->n; i++) {
        if (group[i] != g)
            continue;
        int64_t units = ref_center_distance(model, i, center);
        if (units > best_units) {
            best = i;
            best_units = units;
        }
    }
    return best;
}

static int nearest_group(const ref_model *model, const ref_adjustment *how, const int *group, const ref_center *centers,
                         int record, bool short_only)
{
    int best = -1;
    int64_t best_units = INT64_MAX;
    for (int g = 0; g < how->n_groups; g++) {
        int size = ref_size(model, group, g);
        if (short_only && size >= how->k)
            continue;
        int64_t factor = how->size_factor && size > 0 ? size : 1;
        int64_t units = factor * ref_center_distance(model, record, &centers[g * model->n_quasi]);
        if (units < best_units) {
            best = g;
            best_units = units;
        }
    }
    return best;
}

void ref_adjust(const ref_model *model, const ref_adjustment *how, int *group, ref_center *centers, kanon__random *random)
{
    int32_t *given_up = REF_NEW(int32_t, model->n);
    int n_given_up = 0;
    for (int g = 0; g < how->n_groups; g++) {
        while (ref_size(model, group, g) > how->k) {
            int record = farthest_member(model, group, g, &centers[g * model->n_quasi]);
            group[record] = REF_FREE;
            given_up[n_given_up++] = record;
        }
    }
    kanon__random_shuffle(random, given_up, n_given_up);
    for (int g = 0; how->follow && g < how->n_groups; g++)
        ref_center_of(model, group, g, &centers[g * model->n_quasi]);
    for (int i = 0; i < n_given_up; i++) {
        int g = nearest_group(model, how, group, centers, given_up[i], true);
        if (g == -1)
            g = nearest_group(model, how, group, centers, given_up[i], false);
        group[given_up[i]] = g;
        if (how->follow)
            ref_center_of(model, group, g, &centers[g * model->n_quasi]);
    }
    free(given_up);
}
