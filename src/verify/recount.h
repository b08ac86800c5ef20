/* The independent recount of the privacy models: one descriptor per model, which computes what groups reach from sorted
 * lists of values and sums in double. It shares nothing with src/constraints, which decides while groups are made, but the
 * list of models: constraints.def names both, so that a model without a recount does not link. The checks after a run and
 * `kanon check` use it.
 *
 * It fails closed: a model, a parameter or a word that it does not know is KANON_EINTERNAL, never a constraint that
 * holds. */
#ifndef KANON_VERIFY_RECOUNT_H
#define KANON_VERIFY_RECOUNT_H

#include "verify/value_runs.h"

/* Decisions in double allow for this; twice what is allowed where groups are made, so that rounding cannot separate the
 * two. */
#define KANON__VERIFY_TOLERANCE 2e-12

/* What a recount reads. */
typedef struct kanon__recount_input {
    const kanon__value_runs *runs;
    const kanon__data *table;
    int column;         /* -1: the entities */
    double shape;       /* the parameter `shape` */
    const char *choice; /* the word `choice`; NULL: left out */
} kanon__recount_input;

typedef struct kanon__recount {
    const char *model;  /* its name in a schema */
    const char *figure; /* the name of what a column reaches where nothing is asked: "distinct_l"; NULL: not listed */
    const char *limit;  /* the parameter that the figure is compared with */
    const char *shape;  /* a number that the figure depends on; NULL: none */
    double usual_shape; /* where nothing is asked */
    const char *choice; /* a word that may be given; NULL: none */
    bool of_table;      /* it compares a group with the whole table */
    bool of_entities;   /* the constraint is the schema's `entity`, which no name in `constraints` stands for */
    /* What the least protected group reaches; NAN where there is no group. */
    kanon_status (*count)(double *out, const kanon__recount_input *input, kanon_error *err);
    bool (*holds)(double reached, double limit);
} kanon__recount;

/* The recounts in the order of constraints.def; NULL past the last. */
const kanon__recount *kanon__recount_at(size_t i);

/* What a column of the table, whose values `runs` has, reaches in a model where nothing is asked; NAN where there is no
 * group. */
kanon_status kanon__recount_column(double *out, const kanon__recount *recount, const kanon__value_runs *runs,
                                   const kanon__data *table, int column, kanon_error *err);
/* What the groups reach in a constraint as written (in its own unit: l, c, alpha or t), and whether it holds. Where there is
 * no group it holds, and *reached is NAN. */
kanon_status kanon__recount_constraint(double *reached, bool *holds, const kanon__constraint_text *constraint,
                                       const kanon__data *table, int column, const int32_t *group_of, int64_t n_groups,
                                       kanon_error *err);
/* The entities in the group that has fewest, and whether these are at least k. */
kanon_status kanon__recount_entity_groups(double *reached, bool *holds, const kanon__data *table, const int32_t *group_of,
                                          int64_t n_groups, int64_t k, kanon_error *err);

#endif
