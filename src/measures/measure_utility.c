/* Q-diversity and the utility measure UM: Loukides and Shao, def. 2.1 and 2.2, the quantities that the tgc algorithms
 * weigh. Called through evaluate.c; calls sums.h. */
#include "measures/measure.h"

static double q_diversity(const kanon__sums *s, int i)
{
    return kanon__ratio((double)s->quasi[i].spreads / (double)s->quasi[i].whole_cover, (double)s->n_groups);
}

KANON__MEASURE_OF_SUMS(q_diversity, QUASI, false, KANON__SUM_SPREADS,
                       "mean over groups of (max - min) / R, of leaves(lca) / |domain| under a taxonomy, or else of "
                       "distinct values / |domain|; small is good");

/* The mean of a sum is the sum of the means. */
static double utility_um(const kanon__sums *s, int i)
{
    double sum = 0;
    (void)i;
    for (int a = 0; a < s->data->n_quasi; a++)
        sum += s->data->columns[s->data->quasi[a]].weight * q_diversity(s, a);
    return sum;
}

KANON__MEASURE_OF_SUMS(utility_um, TABLE, false, KANON__SUM_SPREADS,
                       "UM: the mean over groups, not records, of the sum over quasi attributes of Q-diversity, by "
                       "weight; small is good");
