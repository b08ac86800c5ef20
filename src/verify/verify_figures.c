/* Holds the numbers that groups show against those of their records; see verify_figures.h. */
#include "verify/verify_figures.h"

#include "core/alloc.h"

#include <math.h>

/* The codes of the least and the largest number of a group. */
typedef struct extremes {
    uint32_t lo, hi;
} extremes;

static const double *figures_of(const kanon__shown_figures *f, int64_t group)
{
    return &f->figures[group * f->stride];
}

/* A mean covers no interval, but it lies between the extremes of its group, up to the last digit shown. */
static bool is_mean_inside(double mean, double low, double high, const kanon__column *column)
{
    bool whole = column->domain->type == KANON_TYPE_DATE; /* days, or seconds without their fractions */
    double slack = 1e-9 * (fabs(low) + fabs(high)) + (whole ? 1 : 0.5 * pow(10, -2));
    return low - slack <= mean && mean <= high + slack;
}

kanon_status kanon__verify_means(const kanon__shown_figures *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *column = f->column;
    extremes *ends = NULL;
    KANON_TRY(kanon__new_array(&ends, f->n_groups, "the check of the release", err), out);
    for (int64_t group = 0; group < f->n_groups; group++)
        ends[group].lo = UINT32_MAX;
    for (int64_t row = 0; row < f->n_rows; row++) {
        uint32_t code = kanon__code_at(column->codes, row);
        if (f->group_of[row] < 0 || code == column->domain->missing_code)
            continue;
        extremes *e = &ends[f->group_of[row]];
        e->lo = code < e->lo ? code : e->lo;
        e->hi = code > e->hi ? code : e->hi;
    }
    for (int64_t group = 0; group < f->n_groups; group++) {
        const double *shown = figures_of(f, group);
        bool has_numbers = ends[group].lo != UINT32_MAX;
        if (has_numbers && shown[0] == shown[1] &&
            !is_mean_inside(shown[0], column->domain->values[ends[group].lo], column->domain->values[ends[group].hi],
                            column)) {
            st = kanon__fail(err, KANON_EINTERNAL, "the check found a mean outside its group, column %s", column->name);
            goto out;
        }
    }
out:
    kanon__free(ends);
    return st;
}

kanon_status kanon__verify_mapping(const kanon__shown_figures *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *column = f->column;
    int64_t *first = NULL; /* by code: one more than that group */
    KANON_TRY(kanon__new_array(&first, column->domain->n_codes, "the check of the release", err), out);
    for (int64_t row = 0; row < f->n_rows; row++) {
        int64_t *before = &first[kanon__code_at(column->codes, row)], group = f->group_of[row];
        if (group < 0)
            continue;
        if (*before == 0)
            *before = group + 1;
        const double *one = figures_of(f, *before - 1), *other = figures_of(f, group);
        if (one[0] != other[0] || one[1] != other[1]) {
            st = kanon__fail(err, KANON_EINTERNAL, "the check found one value shown in two ways: record %lld, column %s",
                             (long long)row + 1, column->name);
            goto out;
        }
    }
out:
    kanon__free(first);
    return st;
}
