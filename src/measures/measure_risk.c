/* Risk of re-identification. Prosecutor: the attacker knows that the person is in the table. Journalist: only that the
 * person is in the population of which the table is a sample. Marketer: any records, as many as possible (Dankar and El
 * Emam 2010). Suppressed records are in no group and at no risk; where there is no group there is no figure.
 *
 * The risk of a record is the share of its group that is its person's: own / |P|, where own is 1 unless the table says whose
 * records they are. A person with 11 of 20 records is found with 55 %, not with 5 %. */
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

/* The sum over a group's records of `own`. */
static double own_sum(const kanon__subject *s, int64_t group)
{
    if (s->own == NULL)
        return (double)s->grouping->sizes[group];
    double sum = 0;
    for (int64_t place = s->begins[group]; place < s->begins[group + 1]; place++)
        sum += s->own[s->members[place]];
    return sum;
}

/* The most records that one person has in a group. */
static double own_most(const kanon__subject *s, int64_t group)
{
    int32_t most = 1;
    for (int64_t place = s->begins[group]; s->own != NULL && place < s->begins[group + 1]; place++)
        most = s->own[s->members[place]] > most ? s->own[s->members[place]] : most;
    return most;
}

static kanon_status highest_risk(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = NAN;
    for (int64_t group = 0; group < s->grouping->n_groups; group++) {
        double risk = own_most(s, group) / (double)s->grouping->sizes[group];
        *out = isnan(*out) || risk > *out ? risk : *out;
    }
    return KANON_OK;
}

const kanon__measure kanon__measure_highest_risk = {
    .name = "highest_risk",
    .formula = "the most over persons and their groups of the person's records / |P|; without entities 1 / size of the "
               "smallest group (prosecutor)",
    .compute = highest_risk,
    .of_classes = true,
};

static kanon_status average_risk(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    double sum = 0;
    (void)i;
    (void)err;
    for (int64_t group = 0; group < s->grouping->n_groups; group++)
        sum += own_sum(s, group) / (double)s->grouping->sizes[group];
    *out = ratio(sum, n_grouped(s));
    return KANON_OK;
}

const kanon__measure kanon__measure_average_risk = {
    .name = "average_risk",
    .formula = "the mean over records in groups of the records of its person in the group / |P|; without entities groups / "
               "records in groups (prosecutor)",
    .compute = average_risk,
    .of_classes = true,
};

static kanon_status class_risk(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    double sum = 0;
    (void)i;
    (void)err;
    for (int64_t group = 0; group < s->grouping->n_groups; group++)
        sum += own_sum(s, group) / (double)s->grouping->sizes[group] / (double)s->grouping->sizes[group];
    *out = ratio(sum, (double)s->grouping->n_groups);
    return KANON_OK;
}

const kanon__measure kanon__measure_class_risk = {
    .name = "class_risk",
    .formula = "the mean over groups, not records, of the mean risk of their records, which is 1 / |P| without entities "
               "(prosecutor)",
    .compute = class_risk,
    .of_classes = true,
};

/* The share of records whose risk own / |P| is above 1 / size. */
static double share_above(const kanon__subject *s, int64_t size)
{
    int64_t n = 0;
    for (int64_t group = 0; group < s->grouping->n_groups; group++) {
        int64_t n_records = s->grouping->sizes[group];
        if (s->own == NULL)
            n += n_records < size ? n_records : 0;
        for (int64_t place = s->begins[group]; s->own != NULL && place < s->begins[group + 1]; place++)
            n += s->own[s->members[place]] * size > n_records;
    }
    return ratio((double)n, n_grouped(s));
}

#define ABOVE(measure, size)                                                                                                \
    static kanon_status measure(double *out, const kanon__subject *s, int i, kanon_error *err)                              \
    {                                                                                                                       \
        (void)i;                                                                                                            \
        (void)err;                                                                                                          \
        *out = share_above(s, size);                                                                                        \
        return KANON_OK;                                                                                                    \
    }                                                                                                                       \
    const kanon__measure kanon__measure_##measure = {                                                                       \
        .name = #measure,                                                                                                   \
        .formula = "share of the records in groups whose risk is above 1/" #size ": the records of their person in the "    \
                   "group, 1 without entities, / |P| (prosecutor)",                                                         \
        .compute = measure,                                                                                                 \
        .of_classes = true}

ABOVE(records_above_33, 3);
ABOVE(records_above_20, 5);
ABOVE(records_above_9, 11);
ABOVE(records_above_5, 20);

/* ---- the table as a sample --------------------------------------------------------------------------------------- */

static kanon_status sampling_fraction(double *out, const kanon__subject *s, kanon_error *err)
{
    int64_t people = s->own != NULL ? s->table->n_entities : s->grouping->n_rows, population = people;
    if (kanon__setting_given(s->settings, "population-size"))
        population = kanon__setting_integer(s->settings, "population-size");
    if (population < people) {
        kanon_status st = kanon__fail(err, KANON_EINVAL, "the setting 'population-size' is smaller than the table");
        return kanon__hint(err, st, "give at least the table's %lld %s", (long long)people,
                           s->own != NULL ? "entities" : "records");
    }
    *out = ratio((double)people, (double)population);
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
    .formula = "highest_risk * n / N: the highest risk if the table's n records, or entities where they are named, are a "
               "uniform sample of a population of N (setting population-size; without it N = n), so that each group "
               "stands for N / n times as many",
    .compute = journalist_risk,
    .of_classes = true,
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
               "the table's n records, or entities where they are named, are a uniform sample of a population of N (setting "
               "population-size; without it N = n)",
    .compute = marketer_risk,
    .of_classes = true,
};
