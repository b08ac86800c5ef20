/* Q-diversity and the utility measure UM: Loukides and Shao, def. 2.1 and 2.2, the quantities that the tgc algorithms
 * weigh. Called through evaluate.c; calls group_values.h. */
#include "measures/group_values.h"

#include <math.h>

static double distinct_share(kanon__group_values *values, void *payload)
{
    (void)payload;
    return (double)values->n / values->column->domain->taxonomy->n_leaves;
}

static kanon_status q_diversity(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    const kanon__column *c = kanon__subject_quasi(s, i);
    if (!kanon__column_is_numeric(c) && c->domain->taxonomy->flat)
        return kanon__fold_groups(out, s, c, KANON__FOLD_MEAN, distinct_share, NULL, err);
    double sum = 0;
    for (int64_t group = 0; group < s->grouping->n_groups; group++)
        sum += kanon__group_cover(s, i, group);
    *out = s->grouping->n_groups > 0 ? sum / (double)s->grouping->n_groups : NAN;
    return KANON_OK;
}

const kanon__measure kanon__measure_q_diversity = {
    .name = "q_diversity",
    .formula = "mean over groups of (max - min) / R, of leaves(lca) / |domain| under a taxonomy, or else of distinct "
               "values / |domain|; small is good",
    .compute = q_diversity,
    .scope = KANON__SCOPE_QUASI,
};

/* The mean of a sum is the sum of the means. */
static kanon_status utility_um(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    kanon_status st = KANON_OK;
    double sum = 0;
    (void)i;
    for (int a = 0; a < s->table->n_quasi; a++) {
        double mean;
        KANON_TRY(q_diversity(&mean, s, a, err), out);
        sum += kanon__subject_quasi(s, a)->weight * mean;
    }
    *out = sum;
out:
    return st;
}

const kanon__measure kanon__measure_utility_um = {
    .name = "utility_um",
    .formula =
        "UM: the mean over groups, not records, of the sum over quasi attributes of Q-diversity, by weight; small is good",
    .compute = utility_um,
};
