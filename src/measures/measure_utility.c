/* Q-diversity and the utility measure UM: Loukides and Shao, def. 2.1 and 2.2, the quantities that the tgc algorithms
 * weigh. Called through evaluate.c; calls sums.h. */
#include "measures/measure.h"

static double q_diversity(const kanon__sums *s, int i)
{
    return kanon__ratio((double)s->quasi[i].spreads / (double)s->quasi[i].whole_cover, (double)s->n_groups);
}

const kanon__measure kanon__measure_q_diversity = {
    .name = "q_diversity",
    .formula = "mean over groups of (max - min) / R, of leaves(lca) / |domain| under a taxonomy, or else of distinct "
               "values / |domain|; small is good",
    .needs = KANON__SUM_SPREADS,
    .figure = q_diversity,
    .scope = KANON__SCOPE_QUASI,
};

/* The mean of a sum is the sum of the means. */
static double utility_um(const kanon__sums *s, int i)
{
    double sum = 0;
    (void)i;
    for (int a = 0; a < s->data->n_quasi; a++)
        sum += s->data->columns[s->data->quasi[a]].weight * q_diversity(s, a);
    return sum;
}

const kanon__measure kanon__measure_utility_um = {
    .name = "utility_um",
    .formula =
        "UM: the mean over groups, not records, of the sum over quasi attributes of Q-diversity, by weight; small is good",
    .needs = KANON__SUM_SPREADS,
    .figure = utility_um,
};
