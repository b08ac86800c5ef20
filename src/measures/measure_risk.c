/* Risk of re-identification. Prosecutor: the attacker knows that the person is in the table. Journalist: only that the
 * person is in the population of which the table is a sample. Marketer: any records, as many as possible (Dankar and El
 * Emam 2010). Suppressed records are in no group and at no risk; where there is no group there is no figure.
 * Called through evaluate.c; calls measure.h. */
#include "measures/measure.h"

#include <math.h>

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double n_grouped(const kanon__subject *s)
{
    return (double)(s->grouping->n_rows - s->grouping->n_suppressed);
}

static kanon_status highest_risk(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = ratio(1, (double)s->grouping->smallest);
    return KANON_OK;
}

const kanon__measure kanon__measure_highest_risk = {
    .name = "highest_risk",
    .formula = "1 / size of the smallest group (prosecutor)",
    .compute = highest_risk,
};

static kanon_status average_risk(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = ratio((double)s->grouping->n_groups, n_grouped(s));
    return KANON_OK;
}

const kanon__measure kanon__measure_average_risk = {
    .name = "average_risk",
    .formula = "groups / records in groups: the mean over records of 1 / |P| (prosecutor)",
    .compute = average_risk,
};

static kanon_status class_risk(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    double sum = 0;
    (void)i;
    (void)err;
    for (int64_t group = 0; group < s->grouping->n_groups; group++)
        sum += 1 / (double)s->grouping->sizes[group];
    *out = ratio(sum, (double)s->grouping->n_groups);
    return KANON_OK;
}

const kanon__measure kanon__measure_class_risk = {
    .name = "class_risk",
    .formula = "the mean over groups, not records, of 1 / |P| (prosecutor)",
    .compute = class_risk,
};

/* The share of records in groups smaller than `size`, whose risk is above 1 / size. */
static double share_below(const kanon__subject *s, int64_t size)
{
    int64_t n = 0;
    for (int64_t group = 0; group < s->grouping->n_groups; group++)
        if (s->grouping->sizes[group] < size)
            n += s->grouping->sizes[group];
    return ratio((double)n, n_grouped(s));
}

#define ABOVE(measure, size)                                                                                                \
    static kanon_status measure(double *out, const kanon__subject *s, int i, kanon_error *err)                              \
    {                                                                                                                       \
        (void)i;                                                                                                            \
        (void)err;                                                                                                          \
        *out = share_below(s, size);                                                                                        \
        return KANON_OK;                                                                                                    \
    }                                                                                                                       \
    const kanon__measure kanon__measure_##measure = {                                                                       \
        .name = #measure,                                                                                                   \
        .formula = "share of the records in groups whose risk 1 / |P| is above 1/" #size " (prosecutor)",                   \
        .compute = measure}

ABOVE(records_above_33, 3);
ABOVE(records_above_20, 5);
ABOVE(records_above_9, 11);
ABOVE(records_above_5, 20);

/* ---- the table as a sample --------------------------------------------------------------------------------------- */

static kanon_status sampling_fraction(double *out, const kanon__subject *s, kanon_error *err)
{
    int64_t population = s->grouping->n_rows;
    if (kanon__setting_given(s->settings, "population-size"))
        population = kanon__setting_integer(s->settings, "population-size");
    if (population < s->grouping->n_rows) {
        kanon_status st = kanon__fail(err, KANON_EINVAL, "the setting 'population-size' is smaller than the table");
        return kanon__hint(err, st, "give at least the table's %lld records", (long long)s->grouping->n_rows);
    }
    *out = ratio((double)s->grouping->n_rows, (double)population);
    return KANON_OK;
}

static kanon_status journalist_risk(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    double fraction = 0;
    kanon_status st = sampling_fraction(&fraction, s, err);
    highest_risk(out, s, i, err);
    *out *= fraction;
    return st;
}

const kanon__measure kanon__measure_journalist_risk = {
    .name = "journalist_risk",
    .formula = "highest_risk * n / N: the risk in the smallest group if the table's n records are a uniform sample of a "
               "population of N (setting population-size; without it N = n), so that each group stands for |P| * N / n "
               "people",
    .compute = journalist_risk,
};

static kanon_status marketer_risk(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    double fraction = 0;
    kanon_status st = sampling_fraction(&fraction, s, err);
    average_risk(out, s, i, err);
    *out *= fraction;
    return st;
}

const kanon__measure kanon__measure_marketer_risk = {
    .name = "marketer_risk",
    .formula = "average_risk * n / N: the share of the records in groups that would be matched rightly, on average, if "
               "the table's n records are a uniform sample of a population of N (setting population-size; without it N = "
               "n)",
    .compute = marketer_risk,
};
