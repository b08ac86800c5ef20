/* The values of every group on one column, counted by sorting. What the independent recounts of the privacy models read;
 * nothing is shared with src/constraints, which counts by hashing while groups are made. */
#ifndef KANON_VERIFY_VALUE_RUNS_H
#define KANON_VERIFY_VALUE_RUNS_H

#include "table/read/table.h"

typedef struct kanon__run_of_value {
    uint32_t code;
    int64_t n;
} kanon__run_of_value;

/* The values of every group with how often each occurs, ascending. Group i is values[begins[i] .. begins[i + 1]). */
typedef struct kanon__value_runs {
    kanon__run_of_value *values;
    int64_t *begins;
    int64_t n_groups;
} kanon__value_runs;

/* `column` -1: the entities. Where the table has entities, a value that an entity has several times in a group counts once.
 * Negative groups are suppressed records; group_of NULL: all rows are one group. KANON_EINTERNAL: a group that does not
 * exist, or entities of a table that has none. */
kanon_status kanon__value_runs_new(kanon__value_runs **out, const kanon__data *table, int column, const int32_t *group_of,
                                   int64_t n_groups, kanon_error *err);
void kanon__value_runs_free(kanon__value_runs *runs);

/* The records of a group's values. */
double kanon__runs_total(const kanon__run_of_value *values, int64_t n);

/* A figure of one group, which has at least one value. */
typedef double (*kanon__run_figure)(const kanon__run_of_value *values, int64_t n, const void *payload);

/* The least or the largest figure of a group; NAN where there is no group. KANON_EINTERNAL: the figure of a group is not a
 * number, which would compare as neither better nor worse. */
kanon_status kanon__runs_worst(double *out, const kanon__value_runs *runs, bool least, kanon__run_figure figure,
                               const void *payload, kanon_error *err);

#endif
