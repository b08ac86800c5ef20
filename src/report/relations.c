/* See relations.h. Two passes over the rows for each pair of columns. A record counts where both columns have a number;
 * suppressed records and cells that show any value do not count afterwards. */
#include "report/relations.h"

#include "core/alloc.h"
#include "core/ticker.h"
#include "measures/measure.h"

#include <math.h>

/* The table must have so many times k records: then a mean that is rounded to the spread of k records has two digits. */
enum { LEAST_TIMES_K = 20 };

/* The numbers of one column: by code before, by group after. */
typedef struct series {
    const kanon__column *column;
    bool is_quasi;
    double *shown; /* by group; NAN: no number. NULL of columns that are released as they are */
} series;

static double original(const series *s, int64_t row)
{
    uint32_t code = kanon__code_at(s->column->codes, row);
    return code == s->column->domain->missing_code ? NAN : kanon__domain_middle(s->column->domain, code);
}

static double number_at(const series *s, const kanon_grouping *g, int when, int64_t row)
{
    if (when == KANON__BEFORE || !s->is_quasi)
        return original(s, row);
    return g->group_of[row] >= 0 ? s->shown[g->group_of[row]] : NAN;
}

/* What the cells of each group stand for: the middle of the interval. */
static kanon_status find_middles(series *s, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *extents = NULL;
    const kanon__domain *domain = s->column->domain;
    KANON_TRY(kanon__grouping_extents(&extents, g, s->column, err), out);
    for (int64_t group = 0; group < g->n_groups; group++) {
        const uint32_t *e = extents + 2 * group;
        bool none = kanon__shows_nothing(s->column, e) || e[0] == domain->missing_code;
        s->shown[group] = none ? NAN : domain->values[e[0]] / 2 + kanon__domain_high(domain, e[1]) / 2;
        double drawn[2];
        if (!none && kanon__grouping_drawn_at(drawn, g, s->column, group))
            s->shown[group] = drawn[0] / 2 + drawn[1] / 2;
    }
out:
    kanon__free(extents);
    return st;
}

/* The mean of the numbers of each group, where that is what is released. */
static kanon_status find_means(series *s, const kanon_grouping *g, kanon_error *err)
{
    int64_t *counts = NULL;
    kanon_status st = kanon__new_array(&counts, g->n_groups, "means", err);
    for (int64_t row = 0; st == KANON_OK && row < g->n_rows; row++) {
        double value = original(s, row);
        if (g->group_of[row] < 0)
            continue;
        s->shown[g->group_of[row]] += value; /* one without a number makes it NAN, and the cell is any value */
        counts[g->group_of[row]]++;
    }
    for (int64_t group = 0; st == KANON_OK && group < g->n_groups; group++)
        s->shown[group] /= (double)counts[group];
    kanon__free(counts);
    return st;
}

static double mean_of(const series *s, const kanon_grouping *g, int when)
{
    double sum = 0;
    int64_t n = 0;
    for (int64_t row = 0; row < g->n_rows; row++) {
        double value = number_at(s, g, when, row);
        sum += isnan(value) ? 0 : value;
        n += !isnan(value);
    }
    return n > 0 ? sum / (double)n : NAN;
}

/* Pearson's, of the records that have both numbers, at least so many; about the means first, so that nothing cancels. */
static double correlation(const series *a, const series *b, const kanon_grouping *g, int when, int64_t least)
{
    double sums[2] = {0}, xx = 0, yy = 0, xy = 0;
    int64_t n = 0;
    for (int64_t row = 0; row < g->n_rows; row++) {
        double x = number_at(a, g, when, row), y = number_at(b, g, when, row);
        if (isnan(x) || isnan(y))
            continue;
        sums[0] += x;
        sums[1] += y;
        n++;
    }
    for (int64_t row = 0; row < g->n_rows; row++) {
        double x = number_at(a, g, when, row) - sums[0] / (double)n, y = number_at(b, g, when, row) - sums[1] / (double)n;
        if (isnan(x) || isnan(y))
            continue;
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    return n >= least && xx > 0 && yy > 0 ? round(100 * xy / sqrt(xx) / sqrt(yy)) / 100 : NAN;
}

/* The least and the greatest number of a column. */
static double range_of(const kanon__domain *domain)
{
    uint32_t n = domain->n_codes - (domain->missing_code != KANON__NO_CODE);
    return n > 1 ? kanon__domain_high(domain, n - 1) - domain->values[0] : 0;
}

static kanon_status add_column(kanon__relations *out, series *all, const kanon__column *c, bool is_quasi,
                               const kanon_grouping *g, int64_t rare, bool of_means, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool has_mean = c->domain != NULL && kanon__type_has_mean(c->domain->type); /* ranks are no quantities */
    double range = has_mean ? range_of(c->domain) : 0;
    if (out->n == KANON__MAX_RELATED || !(range > 0) || !isfinite(range))
        return st;
    series *s = &all[out->n];
    *s = (series){.column = c, .is_quasi = is_quasi};
    if (is_quasi) {
        KANON_TRY(kanon__new_array(&s->shown, g->n_groups, "means", err), out);
        KANON_TRY(of_means ? find_means(s, g, err) : find_middles(s, g, err), out);
    }
    double unit = pow(10, ceil(log10(range * (double)rare / (double)g->n_rows) - 1e-9));
    out->unit[out->n] = c->domain->type == KANON_TYPE_DATE && unit < 1 ? 1 : unit;
    for (int when = 0; when < 2; when++)
        out->means[when][out->n] = round(mean_of(s, g, when) / out->unit[out->n]) * out->unit[out->n];
    out->columns[out->n] = c;
    KANON_TRY(kanon__poll_tick(KANON__TICK_POLL_NS, err), out);
out:
    out->n++; /* also where it failed, so that it is freed */
    return st;
}

kanon_status kanon__relations_init(kanon__relations *out, const kanon_table *t, const kanon_grouping *g,
                                   const kanon__report_data *d, bool of_means, kanon_error *err)
{
    kanon_status st = KANON_OK;
    series all[KANON__MAX_RELATED] = {0};
    *out = (kanon__relations){.n = 0};
    if (g->n_rows < LEAST_TIMES_K * d->rare || g->n_groups == 0)
        return KANON_OK;
    for (int i = 0; i < t->data.n_quasi; i++)
        KANON_TRY(add_column(out, all, &t->data.columns[t->data.quasi[i]], true, g, d->rare, of_means, err), out);
    for (int i = 0; i < t->data.n_sensitive; i++)
        KANON_TRY(add_column(out, all, &t->data.columns[t->data.sensitive[i]], false, g, d->rare, of_means, err), out);
    for (int i = 0; i < out->n; i++)
        for (int j = i + 1; j < out->n; j++)
            for (int when = 0; when < 2; when++) {
                out->correlations[when][i][j] = correlation(&all[i], &all[j], g, when, LEAST_TIMES_K * d->rare);
                KANON_TRY(kanon__poll_tick(KANON__TICK_POLL_NS, err), out);
            }
out:
    for (int i = 0; i < out->n; i++)
        kanon__free(all[i].shown);
    return st;
}
