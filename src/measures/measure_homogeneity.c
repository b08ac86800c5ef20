/* The measures homogeneous and nearly_homogeneous: the shares of records whose group shows one sensitive value, or one for
 * at least 90 % of its records; and the warning about them. A missing value counts as a value of its own. No warning names
 * a value. A distinct l of 2 or more leaves no homogeneous group, so then nothing is said.
 * Called through evaluate.c and sums.c; calls sums.h. */
#include "measures/homogeneity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double kanon__group_single(kanon__group_values *v)
{
    return v->n == 1 ? (double)v->size : 0;
}

double kanon__group_nearly(kanon__group_values *v)
{
    return kanon__is_nearly_all(kanon__group_values_most(v), v->size) ? (double)v->size : 0;
}

static double homogeneous(const kanon__sums *s, int i)
{
    return kanon__sums_share(s, kanon__sums_fold(s, i, KANON__GROUP_SINGLE));
}

static double nearly_homogeneous(const kanon__sums *s, int i)
{
    return kanon__sums_share(s, kanon__sums_fold(s, i, KANON__GROUP_NEARLY));
}

KANON__MEASURE_OF_SUMS(homogeneous, SENSITIVE, false, KANON__SUM_OF(KANON__GROUP_SINGLE),
                       "records in groups with one value / records in groups: these values are disclosed, whatever k "
                       "is");

KANON__MEASURE_OF_SUMS(nearly_homogeneous, SENSITIVE, false, KANON__SUM_OF(KANON__GROUP_NEARLY),
                       "records in groups in which one value has at least 90 % of the records / records in groups");

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
        if (strcmp(m->figures[i].name, kanon__measure_homogeneous.info.shown.name) != 0)
            continue;
        const char *column = m->figures[i].attribute;
        const kanon_figure *nearly = kanon_measures_find(m, kanon__measure_nearly_homogeneous.info.shown.name, column);
        st = kanon__homogeneity_warn(&m->warnings, column, m->figures[i].value, nearly != NULL ? nearly->value : NAN, err);
    }
    return st;
}
