/* Diversity of the sensitive values of the groups: l-diversity (Machanavajjhala and others 2006), (alpha,k)-anonymity
 * (Wong and others 2006), (c,l)-diversity (Loukides 4.1). A missing value counts as a value of its own.
 * Called through evaluate.c and sums.c; calls sums.h. */
#include "measures/measure.h"

double kanon__group_distinct(kanon__group_values *v)
{
    return (double)v->n;
}

double kanon__group_entropy(kanon__group_values *v)
{
    double entropy = 0;
    for (int64_t i = 0; i < v->n; i++) {
        double share = (double)v->counts[v->codes[i]] / (double)v->size;
        entropy -= share * log(share);
    }
    return exp(entropy);
}

double kanon__group_share(kanon__group_values *v)
{
    return (double)kanon__group_values_most(v) / (double)v->size;
}

double kanon__group_skew(kanon__group_values *v)
{
    double most = (double)kanon__group_values_most(v);
    return v->n > 1 ? most / ((double)v->size - most) : NAN;
}

/* A measure that is the least, the mean or the most over classes of a figure of their values. */
#define FOLDED(measure, is_whole, of, value, text)                                                                          \
    static double measure(const kanon__sums *s, int i)                                                                      \
    {                                                                                                                       \
        const kanon__fold *fold = kanon__sums_fold(s, i, KANON__GROUP_##of);                                                \
        return value;                                                                                                       \
    }                                                                                                                       \
    KANON__MEASURE_OF_SUMS(measure, SENSITIVE, is_whole, KANON__SUM_OF(KANON__GROUP_##of), text)

FOLDED(distinct_l, true, DISTINCT, fold->least, "the fewest distinct values in a group");
FOLDED(entropy_l, false, ENTROPY, fold->least,
       "the least over groups of exp(entropy of the values, natural logarithm): as many equally frequent values would be "
       "as varied; entropy l-diversity holds for every l up to it");
FOLDED(recursive_c, false, SKEW, fold->n < s->n_classes ? INFINITY : fold->most,
       "the most over groups of the most frequent value's count / the other records' count: recursive (c,2)-diversity "
       "holds for every c above it; infinite where a group has one value only");
FOLDED(alpha, false, SHARE, fold->most, "the largest share that one value has in a group");
FOLDED(cl_l_min, true, DISTINCT, fold->least, "(c,l)-diversity: the fewest distinct values in a group");
FOLDED(cl_l_mean, false, DISTINCT, kanon__fold_mean(fold),
       "(c,l)-diversity: the mean over groups of the number of distinct values");
FOLDED(cl_l_max, true, DISTINCT, fold->most, "(c,l)-diversity: the most distinct values in a group");
FOLDED(cl_c_min, false, SKEW, fold->least,
       "(c,l)-diversity: the least over groups of the most frequent value's count / the other records' count; groups with "
       "one value, where it is infinite, are left out");
FOLDED(cl_c_mean, false, SKEW, kanon__fold_mean(fold),
       "(c,l)-diversity: the mean over groups of the most frequent value's count / the other records' count; groups with "
       "one value, where it is infinite, are left out");
FOLDED(cl_c_max, false, SKEW, fold->most,
       "(c,l)-diversity: the most over groups of the most frequent value's count / the other records' count; groups with "
       "one value, where it is infinite, are left out");
