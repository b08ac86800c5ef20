/* The figures of an external report. A figure is in the list below if whoever has the release can compute it from that
 * alone; what is not in the list is not told. So a reader who knows all records but one learns nothing more about that one.
 *
 * Not told, for example: losses, whose ranges are those of the original; what the whole table decides, as t; persons,
 * whose column is not in the release; suppressed records. */
#include "report/external.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    bool of_risk; /* with entities it counts persons, which the release does not show */
} told[] = {
    {"records", false},        {"groups", false},          {"k", false},
    {"class_size_mean", false}, {"highest_risk", true},     {"average_risk", true},
    {"class_risk", true},      {"records_above_33", true}, {"records_above_20", true},
    {"records_above_9", true}, {"records_above_5", true},  {"uniques_after", true},
    {"distinct_l", false},     {"entropy_l", false},       {"recursive_c", false},
    {"alpha", false},          {"homogeneous", false},     {"nearly_homogeneous", false},
    {"cl_l_min", false},       {"cl_l_mean", false},       {"cl_l_max", false},
    {"inference", false},      {"inference_base", false},  {"inference_gain", false},
    {"cap", false},            {"cap_base", false},        {"disco", false},
    {"singled_out", true},     {"singled_out_all", true},
    {"cl_c_min", false},       {"cl_c_mean", false},       {"cl_c_max", false},
};
enum { N_TOLD = sizeof told / sizeof told[0] };

/* Nine significant digits: the others depend on the order in which groups are added up, which a shuffled release hides. */
static double without_order(double value)
{
    char text[40];
    if (!isfinite(value))
        return value;
    snprintf(text, sizeof text, "%.9g", value);
    return strtod(text, NULL);
}

kanon_status kanon__external_measures(kanon_measures **out, const kanon__report *r, kanon_error *err)
{
    const char *wanted[N_TOLD + 1] = {0};
    int n = 0;
    for (int i = 0; i < N_TOLD; i++)
        if (!told[i].of_risk || !r->table->data.has_entity)
            wanted[n++] = told[i].name;
    kanon_evaluate_options options = {.struct_size = sizeof options, .k = r->measures->k};
    KANON_CHECK(kanon__evaluate_some(out, r->table, r->grouping, &options, wanted, err));
    kanon__texts_clear(&(*out)->settings); /* of measures that are not told */
    for (size_t i = 0; i < (*out)->n; i++) {
        kanon_figure *f = &(*out)->figures[i];
        f->value = strcmp(f->name, "records") == 0 ? (double)kanon__report_records(r) : without_order(f->value);
    }
    return KANON_OK;
}
