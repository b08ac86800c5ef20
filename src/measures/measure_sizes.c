/* What follows from the sizes of the groups alone. */
#include "measures/measure.h"

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
    *out = s->grouping->n_groups > 0 ? (double)s->grouping->n_rows / (double)s->grouping->n_groups / (double)s->k : 0;
    return KANON_OK;
}

static kanon_status highest_risk(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = s->grouping->smallest > 0 ? 1 / (double)s->grouping->smallest : 0;
    return KANON_OK;
}

static kanon_status average_risk(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    int64_t n_grouped = s->grouping->n_rows - s->grouping->n_suppressed;
    (void)i;
    (void)err;
    *out = n_grouped > 0 ? (double)s->grouping->n_groups / (double)n_grouped : 0;
    return KANON_OK;
}

const kanon__measure kanon__measure_records = {"records", "number of records", true, records, KANON__SCOPE_TABLE};
const kanon__measure kanon__measure_groups = {"groups", "number of groups", true, groups, KANON__SCOPE_TABLE};
const kanon__measure kanon__measure_suppressed = {"suppressed", "number of records in no group", true, suppressed, KANON__SCOPE_TABLE};
const kanon__measure kanon__measure_k = {"k", "records in the smallest group", true, smallest, KANON__SCOPE_TABLE};
const kanon__measure kanon__measure_discernibility = {
    "discernibility", "sum over groups with |P| >= k of |P|^2, plus n for every other record", true, discernibility, KANON__SCOPE_TABLE};
const kanon__measure kanon__measure_avg_class_size = {"avg_class_size", "(records / groups) / k", false, avg_class_size, KANON__SCOPE_TABLE};
const kanon__measure kanon__measure_highest_risk = {"highest_risk", "1 / size of the smallest group (prosecutor)", false, highest_risk, KANON__SCOPE_TABLE};
const kanon__measure kanon__measure_average_risk = {
    "average_risk", "groups / records in groups: the mean over records of 1 / |P| (prosecutor)", false, average_risk, KANON__SCOPE_TABLE};
