/* Measures of the sizes of the groups: counts, discernibility, class sizes; their formulas are in the descriptors at
 * the end. Called through evaluate.c; calls measure.h. */
#include "measures/measure.h"

#include <math.h>

static kanon_status records(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = (double)s->grouping->n_rows;
    return KANON_OK;
}

static kanon_status groups(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = (double)s->grouping->n_groups;
    return KANON_OK;
}

static kanon_status suppressed(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = (double)s->grouping->n_suppressed;
    return KANON_OK;
}

static kanon_status smallest(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = (double)s->grouping->smallest;
    return KANON_OK;
}

/* Rashidy eq. 3: a group below k is no better than a suppressed one. */
static kanon_status discernibility(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    const kanon_grouping *g = s->grouping;
    (void)i;
    (void)err;
    *out = (double)g->n_suppressed * (double)g->n_rows;
    for (int64_t group = 0; group < g->n_groups; group++)
        *out += (double)g->sizes[group] * (double)(g->sizes[group] >= s->k ? g->sizes[group] : g->n_rows);
    return KANON_OK;
}

static kanon_status avg_class_size(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = s->grouping->n_groups > 0 ? (double)s->grouping->n_rows / (double)s->grouping->n_groups / (double)s->k : NAN;
    return KANON_OK;
}

static kanon_status class_size_mean(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    const kanon_grouping *g = s->grouping;
    (void)i;
    (void)err;
    *out = g->n_groups > 0 ? (double)(g->n_rows - g->n_suppressed) / (double)g->n_groups : NAN;
    return KANON_OK;
}

const kanon__measure kanon__measure_records = {
    .name = "records", .formula = "number of records", .whole = true, .compute = records};
const kanon__measure kanon__measure_groups = {
    .name = "groups", .formula = "number of groups", .whole = true, .compute = groups};
const kanon__measure kanon__measure_suppressed = {
    .name = "suppressed", .formula = "number of records in no group", .whole = true, .compute = suppressed};
const kanon__measure kanon__measure_k = {
    .name = "k", .formula = "records in the smallest group", .whole = true, .compute = smallest, .of_classes = true};
const kanon__measure kanon__measure_discernibility = {
    .name = "discernibility",
    .formula = "sum over groups with |P| >= k of |P|^2, plus n for every other record",
    .whole = true,
    .compute = discernibility,
    .of_classes = true,
};
const kanon__measure kanon__measure_avg_class_size = {
    .name = "avg_class_size", .formula = "(records / groups) / k", .compute = avg_class_size, .of_classes = true};
const kanon__measure kanon__measure_class_size_mean = {
    .name = "class_size_mean",
    .formula = "records in groups / groups, not divided by k",
    .compute = class_size_mean,
    .of_classes = true,
};
