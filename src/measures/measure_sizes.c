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

static double smallest(const kanon__sums *s, int i)
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

const kanon__measure kanon__measure_records = {
    .name = "records", .formula = "number of records", .whole = true, .needs = KANON__SUM_SIZES, .figure = records};
const kanon__measure kanon__measure_groups = {
    .name = "groups", .formula = "number of groups", .whole = true, .needs = KANON__SUM_SIZES, .figure = groups};
const kanon__measure kanon__measure_suppressed = {.name = "suppressed",
                                                  .formula = "number of records in no group",
                                                  .whole = true,
                                                  .needs = KANON__SUM_SIZES,
                                                  .figure = suppressed};
const kanon__measure kanon__measure_k = {
    .name = "k", .formula = "records in the smallest group", .whole = true, .needs = KANON__SUM_SIZES, .figure = smallest};
const kanon__measure kanon__measure_discernibility = {
    .name = "discernibility",
    .formula = "sum over groups with |P| >= k of |P|^2, plus n for every other record",
    .whole = true,
    .needs = KANON__SUM_SIZES,
    .figure = discernibility,
};
const kanon__measure kanon__measure_avg_class_size = {
    .name = "avg_class_size", .formula = "(records / groups) / k", .needs = KANON__SUM_SIZES, .figure = avg_class_size};
const kanon__measure kanon__measure_class_size_mean = {
    .name = "class_size_mean",
    .formula = "records in groups / groups, not divided by k",
    .needs = KANON__SUM_SIZES,
    .figure = class_size_mean,
};
