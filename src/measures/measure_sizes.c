/* Measures of the sizes of the groups: counts, discernibility, class sizes. Called through evaluate.c; calls sums.h. */
#include "measures/measure.h"

static double records(const kanon__sums *s, int i)
{
    (void)i;
    return (double)s->n_rows;
}

static double groups(const kanon__sums *s, int i)
{
    (void)i;
    return (double)s->n_groups;
}

static double suppressed(const kanon__sums *s, int i)
{
    (void)i;
    return (double)s->n_suppressed;
}

static double k(const kanon__sums *s, int i)
{
    (void)i;
    return (double)kanon__sums_smallest(s);
}

/* The k that measures assume. */
static int64_t assumed_k(const kanon__sums *s)
{
    return s->k > 0 ? s->k : kanon__sums_smallest(s);
}

/* Rashidy eq. 3: a group below k is no better than a suppressed one. */
static double discernibility(const kanon__sums *s, int i)
{
    double sum = (double)(s->n_rows - kanon__sums_records(s)) * (double)s->n_rows;
    (void)i;
    for (int64_t at = 0; at < s->n_counts; at++) {
        const kanon__class_count *c = &s->classes[at];
        sum += (double)c->n * (double)(c->size >= assumed_k(s) ? c->size : s->n_rows);
    }
    return sum;
}

static double avg_class_size(const kanon__sums *s, int i)
{
    (void)i;
    return kanon__ratio((double)s->n_rows, (double)s->n_classes) / (double)assumed_k(s);
}

static double class_size_mean(const kanon__sums *s, int i)
{
    (void)i;
    return kanon__ratio((double)kanon__sums_records(s), (double)s->n_classes);
}

KANON__MEASURE_OF_SUMS(records, TABLE, true, KANON__SUM_SIZES, "number of records");
KANON__MEASURE_OF_SUMS(groups, TABLE, true, KANON__SUM_SIZES, "number of groups");
KANON__MEASURE_OF_SUMS(suppressed, TABLE, true, KANON__SUM_SIZES, "number of records in no group");
KANON__MEASURE_OF_SUMS(k, TABLE, true, KANON__SUM_SIZES, "records in the smallest group");
KANON__MEASURE_OF_SUMS(discernibility, TABLE, true, KANON__SUM_SIZES,
                       "sum over groups with |P| >= k of |P|^2, plus n for every other record");
KANON__MEASURE_OF_SUMS(avg_class_size, TABLE, false, KANON__SUM_SIZES, "(records / groups) / k");
KANON__MEASURE_OF_SUMS(class_size_mean, TABLE, false, KANON__SUM_SIZES, "records in groups / groups, not divided by k");
