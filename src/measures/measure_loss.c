/* Information loss: Lin eq. 1-2, Rashidy eq. 1-2, Truta def. 4-5. */
#include "measures/measure.h"

static kanon_status information_loss(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = (double)s->grouping->n_suppressed * s->total_weight;
    for (int64_t group = 0; group < s->grouping->n_groups; group++)
        *out += (double)s->grouping->sizes[group] * s->diversity[group];
    return KANON_OK;
}

const kanon__measure kanon__measure_information_loss = {
    .name = "information_loss",
    .formula = "sum over groups of |P| * D(P), D(P) = sum of (max - min) / R over numeric and h(lca) / H over categorical quasi "
               "attributes; a suppressed record costs the number of quasi attributes",
    .compute = information_loss,
};

static kanon_status avg_loss(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    kanon_status st = information_loss(out, s, i, err);
    *out /= (double)s->grouping->n_rows * s->total_weight;
    return st;
}

const kanon__measure kanon__measure_avg_loss = {
    .name = "avg_loss",
    .formula = "information_loss / (records * number of quasi attributes), from 0 to 1; with weights, their sum is the number",
    .compute = avg_loss,
};
