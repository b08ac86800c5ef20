/* Risk of re-identification. Prosecutor: the attacker knows that the person is in the table. Journalist: only that the
 * person is in the population of which the table is a sample. Marketer: any records, as many as possible (Dankar and El
 * Emam 2010). Suppressed records are in no group and at no risk; where there is no group there is no figure.
 *
 * The risk of a record is the share of its group that is its person's: own / |P|, where own is 1 unless the table says whose
 * records they are. A person with 11 of 20 records is found with 55 %, not with 5 %. */
#include "measures/measure.h"

static double highest_risk(const kanon__sums *s, int i)
{
    double most = NAN;
    (void)i;
    for (int64_t at = 0; at < s->n_counts; at++)
        most = fmax(most, (double)s->classes[at].own / (double)s->classes[at].size);
    return most;
}

KANON__MEASURE_OF_SUMS(highest_risk, TABLE, false, KANON__SUM_RISKS,
                       "the most over persons and their groups of the person's records / |P|; without entities 1 / "
                       "size of the smallest group (prosecutor)");

/* The sum over the records of their risk, once more divided by |P| where `by_class`. */
static double risk_sum(const kanon__sums *s, bool by_class)
{
    double sum = 0;
    for (int64_t at = 0; at < s->n_counts; at++) {
        const kanon__class_count *c = &s->classes[at];
        double risks = (double)c->n * (double)c->own / (double)c->size;
        sum += by_class ? risks / (double)c->size : risks;
    }
    return sum;
}

static double average_risk(const kanon__sums *s, int i)
{
    (void)i;
    return kanon__ratio(risk_sum(s, false), (double)kanon__sums_records(s));
}

KANON__MEASURE_OF_SUMS(average_risk, TABLE, false, KANON__SUM_RISKS,
                       "the mean over records in groups of the records of its person in the group / |P|; without "
                       "entities groups / records in groups (prosecutor)");

static double class_risk(const kanon__sums *s, int i)
{
    (void)i;
    return kanon__ratio(risk_sum(s, true), (double)s->n_classes);
}

KANON__MEASURE_OF_SUMS(class_risk, TABLE, false, KANON__SUM_RISKS,
                       "the mean over groups, not records, of the mean risk of their records, which is 1 / |P| "
                       "without entities (prosecutor)");

#define ABOVE(measure, size)                                                                                                \
    static double measure(const kanon__sums *s, int i)                                                                      \
    {                                                                                                                       \
        (void)i;                                                                                                            \
        return kanon__sums_above(s, 1.0 / (size));                                                                          \
    }                                                                                                                       \
    KANON__MEASURE_OF_SUMS(measure, TABLE, false, KANON__SUM_RISKS,                                                         \
                           "share of the records in groups whose risk is above 1/" #size                                    \
                           ": the records of their person in the group, 1 without entities, / |P| (prosecutor)")

ABOVE(records_above_33, 3);
ABOVE(records_above_20, 5);
ABOVE(records_above_9, 11);
ABOVE(records_above_5, 20);

static double uniques_after(const kanon__sums *s, int i)
{
    double n = 0;
    (void)i;
    for (int64_t at = 0; at < s->n_counts; at++)
        n += s->classes[at].own == s->classes[at].size ? (double)s->classes[at].n : 0;
    return n;
}

KANON__MEASURE_OF_SUMS(uniques_after, TABLE, true, KANON__SUM_RISKS,
                       "number of records in groups of one record, or with entities of one person");

/* ---- the table as a sample --------------------------------------------------------------------------------------- */

static double journalist_risk(const kanon__sums *s, int i)
{
    return highest_risk(s, i) * s->sample;
}

KANON__MEASURE_THAT_DEPENDS(journalist_risk, TABLE, false, KANON__SUM_RISKS,
                            "highest_risk * n / N: the highest risk if the table's n records, or entities where they are "
                            "named, are a uniform sample of a population of N (setting population-size; without it N = n), "
                            "so that each group stands for N / n times as many",
                            KANON__MEASURE_DEPENDS(KANON__SET_POPULATION, 1));

static double marketer_risk(const kanon__sums *s, int i)
{
    return average_risk(s, i) * s->sample;
}

KANON__MEASURE_THAT_DEPENDS(marketer_risk, TABLE, false, KANON__SUM_RISKS,
                            "average_risk * n / N: the share of the records in groups that would be matched rightly, on "
                            "average, if the table's n records, or entities where they are named, are a uniform sample of "
                            "a population of N (setting population-size; without it N = n)",
                            KANON__MEASURE_DEPENDS(KANON__SET_POPULATION, 1));
