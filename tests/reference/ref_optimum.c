/* The least loss of all groupings of a few records into groups of at least k. */
#include "reference/reference.h"

#include <stdlib.h>

/* least[set] is the least loss of the records in the set. In every grouping of a set its lowest record has a group: each
 * subset with that record is tried as that group, so every grouping is looked at. */
int64_t ref_optimum(const ref_model *model, int64_t k)
{
    unsigned n_sets = 1u << model->n;
    int64_t *loss = REF_NEW(int64_t, n_sets), *least = REF_NEW(int64_t, n_sets);
    int *group = REF_NEW(int, model->n), *size = REF_NEW(int, n_sets);
    for (unsigned set = 0; set < n_sets; set++) {
        for (int i = 0; i < model->n; i++) {
            group[i] = set >> i & 1 ? 0 : 1;
            size[set] += set >> i & 1;
        }
        loss[set] = set == 0 ? 0 : ref_loss_of(model, group, 0);
    }
    for (unsigned set = 1; set < n_sets; set++) {
        unsigned lowest = set & -set;
        least[set] = INT64_MAX;
        for (unsigned part = set; part > 0; part = (part - 1) & set) {
            unsigned rest = set & ~part;
            if ((part & lowest) == 0 || size[part] < k || (rest != 0 && least[rest] == INT64_MAX))
                continue;
            int64_t sum = loss[part] + (rest != 0 ? least[rest] : 0);
            least[set] = sum < least[set] ? sum : least[set];
        }
    }
    int64_t best = least[n_sets - 1];
    free(size);
    free(group);
    free(least);
    free(loss);
    return best;
}
