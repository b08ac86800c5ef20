/* The references by name. */
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const char *name;
    ref_algorithm run;
    int max_iterations;
    double w_u;
} entry;

static const entry entries[] = {
    {"kmember", ref_kmember, 0, 0},
    {"kmember-p", ref_kmember_p, 0, 0},
    {"oka", ref_oka, 0, 0},
    {"kmeans-adjust-each", ref_kmeans_adjust_each, 100, 0},
    {"kmeans-fill", ref_kmeans_fill, 100, 0},
    {"kmeans-adjust-last", ref_kmeans_adjust_last, 100, 0},
    {"tgc", ref_tgc, 5, 0.5},
    {"tgc-u", ref_tgc, 5, 1},
    {"tgc-p", ref_tgc, 5, 0},
    {"tgc-b", ref_tgc, 5, 0.5},
    {"greedy-threshold", ref_greedy_threshold, 0, 0},
    {"wfcm", ref_wfcm, 100, 0},
    {"mondrian", ref_mondrian, 0, 0},
    {"top-down", ref_top_down, 0, 0},
    {"densest", ref_densest, 0, 0},
    {"strips", ref_strips, 0, 0},
    {"full-domain", ref_full_domain, 0, 0},
};

static const entry *find(const char *name)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
        if (strcmp(entries[i].name, name) == 0)
            return &entries[i];
    return NULL;
}

bool ref_settings_init(ref_settings *out, const char *algorithm)
{
    const entry *found = find(algorithm);
    if (found == NULL)
        return false;
    *out = (ref_settings){.size_factor = true,
                          .iterations = 1,
                          .max_iterations = found->max_iterations,
                          .r = 1,
                          .w_u = found->w_u,
                          .delta = -1,
                          .delta_prime = -1,
                          .narrowest = true,
                          .weighted_parts = true,
                          .regrow = true,
                          .threshold = -1};
    return true;
}

void ref_renumber(int *group, int n)
{
    int *number = REF_NEW(int, n), n_numbers = 0;
    for (int i = 0; i < n; i++)
        number[i] = REF_FREE;
    for (int i = 0; i < n; i++) {
        if (group[i] < 0)
            continue;
        if (number[group[i]] == REF_FREE)
            number[group[i]] = n_numbers++;
        group[i] = number[group[i]];
    }
    free(number);
}

int *ref_run(const kanon_table *table, const char *algorithm, int64_t k, uint64_t seed, const ref_settings *settings)
{
    ref_model *model = ref_model_new(table);
    int *group = REF_NEW(int, model->n);
    ref_job job = {.model = model, .k = k, .seed = seed, .settings = *settings};
    find(algorithm)->run(&job, group);
    ref_renumber(group, model->n);
    ref_model_free(model);
    return group;
}
