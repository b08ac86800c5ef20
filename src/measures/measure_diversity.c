/* Diversity of the sensitive values of the groups: l-diversity (Machanavajjhala and others 2006), (alpha,k)-anonymity
 * (Wong and others 2006), (c,l)-diversity (Loukides 4.1). A missing value counts as a value of its own.
 * Called through evaluate.c; calls group_values.h. */
#include "measures/group_values.h"

#include <math.h>

static int64_t most_frequent(const kanon__group_values *v)
{
    int64_t most = 0;
    for (int64_t i = 0; i < v->n; i++)
        most = v->counts[v->codes[i]] > most ? v->counts[v->codes[i]] : most;
    return most;
}

static double distinct(kanon__group_values *v, void *payload)
{
    (void)payload;
    return (double)v->n;
}

static double entropy_as_values(kanon__group_values *v, void *payload)
{
    double entropy = 0;
    (void)payload;
    for (int64_t i = 0; i < v->n; i++) {
        double share = (double)v->counts[v->codes[i]] / (double)v->size;
        entropy -= share * log(share);
    }
    return exp(entropy);
}

static double largest_share(kanon__group_values *v, void *payload)
{
    (void)payload;
    return (double)most_frequent(v) / (double)v->size;
}

static double skew(kanon__group_values *v, void *payload)
{
    double most = (double)most_frequent(v);
    (void)payload;
    return v->n > 1 ? most / ((double)v->size - most) : INFINITY;
}

static double finite_skew(kanon__group_values *v, void *payload)
{
    return v->n > 1 ? skew(v, payload) : NAN;
}

/* A measure that is the least, the mean or the most over groups of a figure of their values. */
#define FOLDED(measure, is_whole, fold, figure, text)                                                                       \
    static kanon_status measure(double *out, const kanon__subject *s, int i, kanon_error *err)                              \
    {                                                                                                                       \
        return kanon__fold_groups(out, s, kanon__subject_sensitive(s, i), fold, figure, NULL, err);                         \
    }                                                                                                                       \
    const kanon__measure kanon__measure_##measure = {                                                                       \
        .name = #measure, .formula = text, .whole = is_whole, .compute = measure, .scope = KANON__SCOPE_SENSITIVE, \
        .of_classes = true}

FOLDED(distinct_l, true, KANON__FOLD_LEAST, distinct, "the fewest distinct values in a group");
FOLDED(entropy_l, false, KANON__FOLD_LEAST, entropy_as_values,
       "the least over groups of exp(entropy of the values, natural logarithm): as many equally frequent values would be "
       "as varied; entropy l-diversity holds for every l up to it");
FOLDED(recursive_c, false, KANON__FOLD_MOST, skew,
       "the most over groups of the most frequent value's count / the other records' count: recursive (c,2)-diversity "
       "holds for every c above it; infinite where a group has one value only");
FOLDED(alpha, false, KANON__FOLD_MOST, largest_share, "the largest share that one value has in a group");
FOLDED(cl_l_min, true, KANON__FOLD_LEAST, distinct, "(c,l)-diversity: the fewest distinct values in a group");
FOLDED(cl_l_mean, false, KANON__FOLD_MEAN, distinct,
       "(c,l)-diversity: the mean over groups of the number of distinct values");
FOLDED(cl_l_max, true, KANON__FOLD_MOST, distinct, "(c,l)-diversity: the most distinct values in a group");
FOLDED(cl_c_min, false, KANON__FOLD_LEAST, finite_skew,
       "(c,l)-diversity: the least over groups of the most frequent value's count / the other records' count; groups with "
       "one value, where it is infinite, are left out");
FOLDED(cl_c_mean, false, KANON__FOLD_MEAN, finite_skew,
       "(c,l)-diversity: the mean over groups of the most frequent value's count / the other records' count; groups with "
       "one value, where it is infinite, are left out");
FOLDED(cl_c_max, false, KANON__FOLD_MOST, finite_skew,
       "(c,l)-diversity: the most over groups of the most frequent value's count / the other records' count; groups with "
       "one value, where it is infinite, are left out");
