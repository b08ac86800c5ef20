/* Information loss: Lin eq. 1-2, Rashidy eq. 1-2, Truta def. 4-5; NCP: Xu and others 2006; GCP: Ghinita and others 2007.
 * Called through evaluate.c; calls group_values.h. D of each group is in the subject. */
#include "measures/group_values.h"

#include <math.h>

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
    .formula =
        "sum over groups of |P| * D(P), D(P) = sum of (max - min) / R over numeric and h(lca) / H over categorical quasi "
        "attributes, each times its weight; a suppressed record costs the number of quasi attributes, or the sum of their "
        "weights",
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
    .formula =
        "information_loss / (records * number of quasi attributes), from 0 to 1; with weights, their sum is the number",
    .compute = avg_loss,
};

/* ---- what costs most --------------------------------------------------------------------------------------------- */

static double loss_of(const kanon__subject *s, int i)
{
    double loss = (double)s->grouping->n_suppressed * kanon__subject_quasi(s, i)->weight;
    for (int64_t group = 0; group < s->grouping->n_groups; group++)
        loss += (double)s->grouping->sizes[group] * kanon__subject_term(s, i, group);
    return loss;
}

static kanon_status attribute_loss(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)err;
    *out = loss_of(s, i);
    return KANON_OK;
}

const kanon__measure kanon__measure_attribute_loss = {
    .name = "attribute_loss",
    .formula =
        "the attribute's part of information_loss: sum over groups of |P| * (max - min) / R or |P| * h(lca) / H, times "
        "its weight, and its weight for each suppressed record",
    .compute = attribute_loss,
    .scope = KANON__SCOPE_QUASI,
};

static kanon_status attribute_share(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    double whole;
    kanon_status st = information_loss(&whole, s, i, err);
    *out = whole > 0 ? loss_of(s, i) / whole : NAN;
    return st;
}

const kanon__measure kanon__measure_attribute_share = {
    .name = "attribute_share",
    .formula =
        "attribute_loss / information_loss: the share of the loss that this attribute causes; none where nothing is lost",
    .compute = attribute_share,
    .scope = KANON__SCOPE_QUASI,
};

/* Summed over the others: a difference could leave a trace of rounding where nothing is lost. */
static kanon_status loss_without(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)err;
    *out = 0;
    for (int other = 0; other < s->table->n_quasi; other++)
        if (other != i)
            *out += loss_of(s, other);
    return KANON_OK;
}

const kanon__measure kanon__measure_loss_without = {
    .name = "loss_without",
    .formula =
        "information_loss - attribute_loss: the loss of the same groups if this attribute were left out of the release",
    .compute = loss_without,
    .scope = KANON__SCOPE_QUASI,
};

/* ---- certainty penalties ----------------------------------------------------------------------------------------- */

static double penalty_of(const kanon__subject *s, int i)
{
    double penalty = (double)s->grouping->n_suppressed;
    for (int64_t group = 0; group < s->grouping->n_groups; group++)
        if (s->extents[i][2 * group] != s->extents[i][2 * group + 1])
            penalty += (double)s->grouping->sizes[group] * kanon__group_cover(s, i, group);
    return penalty / (double)s->grouping->n_rows;
}

static kanon_status ncp(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)err;
    *out = penalty_of(s, i);
    return KANON_OK;
}

const kanon__measure kanon__measure_ncp = {
    .name = "ncp",
    .formula = "normalised certainty penalty, the mean over records of (max - min) / R or leaves(lca) / |domain| of "
               "their group, 0 for a single value and 1 for a suppressed record",
    .compute = ncp,
    .scope = KANON__SCOPE_QUASI,
};

static kanon_status gcp(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = 0;
    for (int a = 0; a < s->table->n_quasi; a++)
        *out += kanon__subject_quasi(s, a)->weight * penalty_of(s, a);
    *out /= s->total_weight;
    return KANON_OK;
}

const kanon__measure kanon__measure_gcp = {
    .name = "gcp",
    .formula = "global certainty penalty: the mean of ncp over the quasi attributes, by weight, from 0 to 1",
    .compute = gcp,
};
