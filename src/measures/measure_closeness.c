/* t-closeness (Li and others 2007): the largest earth mover's distance between the values of a group and those of the table.
 * The distance is that of the constraint, over records: a measure describes the groups, whatever was asked of them. */
#include "measures/measure.h"

#include "constraints/earth_mover.h"

#include <math.h>

static kanon_status count_group(kanon__counter *out, const kanon__subject *s, const kanon__column *c, int64_t group,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__counter_clear(out);
    for (int64_t place = s->begins[group]; st == KANON_OK && place < s->begins[group + 1]; place++)
        st = kanon__counter_add(out, kanon__code_at(c->codes, s->members[place]), 1, NULL, err);
    return st;
}

static kanon_status t_closeness(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    enum { NS_PER_RECORD = 30 };
    kanon_status st = KANON_OK;
    kanon__reference table = {0};
    kanon__counter values = {.keeps_sorted = true};
    double most = NAN;
    KANON_TRY(kanon__reference_init(&table, s->table, s->table->sensitive[i], KANON__DISTANCE_DEFAULT, false, err), out);
    for (int64_t group = 0; group < s->shown->n_groups; group++) {
        KANON_TRY(kanon__tick(s->ticker, 0, 0, NS_PER_RECORD * s->shown->sizes[group], err), out);
        KANON_TRY(count_group(&values, s, table.column, group, err), out);
        double here = kanon__reference_distance(&table, &values);
        most = isnan(most) || here > most ? here : most;
    }
    *out = most;
out:
    kanon__counter_clear(&values);
    kanon__reference_clear(&table);
    return st;
}

const kanon__measure kanon__measure_t_closeness = {
    KANON__MEASURE_INFO(t_closeness, SENSITIVE,
                        "the largest earth mover's distance between the values of a group and those of the whole table; "
                        "two values are |rank - rank| / (distinct values - 1) or h(lca) / H apart, without taxonomy 1"),
    .compute = t_closeness,
};
