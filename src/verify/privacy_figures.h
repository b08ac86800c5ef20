/* What groups reach in the privacy models, recounted from a table's codes: sorted lists of values, and sums in double.
 * Nothing is shared with src/constraints, which decides while groups are made. Used by the independent check and by `kanon
 * check`. */
#ifndef KANON_VERIFY_PRIVACY_FIGURES_H
#define KANON_VERIFY_PRIVACY_FIGURES_H

#include "table/table.h"

/* Decisions in double allow for this; twice what is allowed where groups are made, so that rounding cannot tell them
 * apart. */
#define KANON__VERIFY_TOLERANCE 2e-12

typedef struct kanon__run_of_value {
    uint32_t code;
    int64_t n;
} kanon__run_of_value;

/* The values of every group on one column with how often each occurs, ascending. Group i is values[begins[i] .. begins[i +
 * 1]). */
typedef struct kanon__value_runs {
    kanon__run_of_value *values;
    int64_t *begins;
    int64_t n_groups;
} kanon__value_runs;

/* `column` -1: the entities. Where the table has entities, a value that an entity has several times in a group counts once.
 * Negative groups are suppressed records; group_of NULL: all rows are one group. */
kanon_status kanon__value_runs_new(kanon__value_runs **out, const kanon__data *table, int column, const int32_t *group_of,
                                   int64_t n_groups, kanon_error *err);
void kanon__value_runs_free(kanon__value_runs *runs);

/* The figure of the least protected group; NAN where there is no group. */
double kanon__runs_distinct(const kanon__value_runs *runs);
double kanon__runs_entropy(const kanon__value_runs *runs); /* natural logarithm */
double kanon__runs_recursive(const kanon__value_runs *runs, int64_t l);
double kanon__runs_alpha(const kanon__value_runs *runs);
/* `distance`: equal, ordered, taxonomy; NULL: ordered for numbers, taxonomy for categories. */
kanon_status kanon__runs_closeness(double *out, const kanon__value_runs *runs, const kanon__data *table, int column,
                                   const char *distance, kanon_error *err);

/* What a constraint, as written and known to be right, reaches (in its own unit: l, c, alpha or t), and whether it holds. */
kanon_status kanon__privacy_recount(double *reached, bool *holds, const kanon__constraint_text *constraint,
                                    const kanon__data *table, int column, const int32_t *group_of, int64_t n_groups,
                                    kanon_error *err);

#endif
