/* The measures homogeneous and nearly_homogeneous: the shares of records whose group shows one sensitive value, or one for
 * at least 90 % of its records; and the warning about them. A missing value counts as a value of its own. No warning names
 * a value. A distinct l of 2 or more leaves no homogeneous group, so then nothing is said.
 * Called through evaluate.c; calls group_values.h. */
#include "measures/group_values.h"
#include "measures/homogeneity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double records_of_one(kanon__group_values *v, void *payload)
{
    (void)payload;
    return v->n == 1 ? (double)v->size : 0;
}

static double records_of_nearly_one(kanon__group_values *v, void *payload)
{
    int64_t most = 0;
    (void)payload;
    for (int64_t i = 0; i < v->n; i++)
        most = v->counts[v->codes[i]] > most ? v->counts[v->codes[i]] : most;
    return kanon__is_nearly_all(most, v->size) ? (double)v->size : 0;
}

/* Counts are whole numbers, so the sum does not depend on the order of the groups. */
static kanon_status share(double *out, const kanon__subject *s, int i, kanon__group_figure figure, kanon_error *err)
{
    double n = (double)(s->grouping->n_rows - s->grouping->n_suppressed);
    kanon_status st = kanon__fold_groups(out, s, kanon__subject_sensitive(s, i), KANON__FOLD_SUM, figure, NULL, err);
    if (st == KANON_OK)
        *out = n > 0 ? *out / n : NAN;
    return st;
}

static kanon_status homogeneous(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    return share(out, s, i, records_of_one, err);
}

static kanon_status nearly_homogeneous(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    return share(out, s, i, records_of_nearly_one, err);
}

const kanon__measure kanon__measure_homogeneous = {
    .name = "homogeneous",
    .formula = "records in groups with one value / records in groups: these values are disclosed, whatever k is",
    .compute = homogeneous,
    .of_classes = true,
    .scope = KANON__SCOPE_SENSITIVE,
};

const kanon__measure kanon__measure_nearly_homogeneous = {
    .name = "nearly_homogeneous",
    .formula = "records in groups in which one value has at least 90 % of the records / records in groups",
    .compute = nearly_homogeneous,
    .of_classes = true,
    .scope = KANON__SCOPE_SENSITIVE,
};

/* ---- the warning ------------------------------------------------------------------------------------------------- */

/* Never "0 %" of something, nor "100 %" of less than all. */
static const char *percent(char *buffer, size_t size, double share)
{
    if (share < 0.01)
        return "fewer than 1 %";
    if (share > 0.99 && share < 1)
        return "more than 99 %";
    snprintf(buffer, size, "%.0f %%", 100 * share);
    return buffer;
}

kanon_status kanon__homogeneity_warn(kanon__texts *warnings, const char *column, double one, double nearly, kanon_error *err)
{
    char first[32], second[32], more[96] = "";
    if (isnan(one) || !(one > 0))
        return KANON_OK;
    if (nearly > one)
        snprintf(more, sizeof more, ", %s in groups in which one value has 90 %% or more",
                 percent(second, sizeof second, nearly));
    return kanon__texts_addf(
        warnings, err, "%s of the records are in groups with one value of %s%s; consider distinct-l-diversity",
        percent(first, sizeof first, one), column, more);
}

kanon_status kanon__homogeneity_warn_all(kanon_measures *m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (size_t i = 0; st == KANON_OK && i < m->n; i++) {
        if (strcmp(m->figures[i].name, kanon__measure_homogeneous.name) != 0)
            continue;
        const char *column = m->figures[i].attribute;
        const kanon_figure *nearly = kanon_measures_find(m, kanon__measure_nearly_homogeneous.name, column);
        st = kanon__homogeneity_warn(&m->warnings, column, m->figures[i].value, nearly != NULL ? nearly->value : NAN, err);
    }
    return st;
}
