/* Constraints: what every group must satisfy in addition to k. l-diversity, t-closeness, (alpha,k)-anonymity, k entities.
 *
 * A constraint is a model (a row of constraints.def), the model's parameters and a column. A group's tally counts the values
 * that the constraints need while records come and go, and says whether all of them hold. Where records belong to entities
 * (persons), a value that an entity has several times in a group counts once.
 *
 * Distinct is decided in whole numbers; recursive and alpha by a quotient of whole numbers, rounded once as the parameter
 * is. Entropy and t are computed in double and hold up to a tolerance of KANON__PRIVACY_TOLERANCE, so that what is exactly
 * at the limit holds. */
#ifndef KANON_CONSTRAINTS_CONSTRAINTS_H
#define KANON_CONSTRAINTS_CONSTRAINTS_H

#include "constraints/counter.h"
#include "core/entry.h"
#include "table/domain/data.h"
#include "table/schema/policy.h"
#include "table/value/number.h"

#define KANON__PRIVACY_TOLERANCE 1e-12

/* Violations are counted in parts of a record, in whole numbers, so that sums do not depend on their order. */
#define KANON__VIOLATION_UNIT ((int64_t)1 << 20)

enum { KANON__MOST_PARAMETERS = 2 };

/* What was given for a parameter. */
typedef struct kanon__argument {
    kanon__decimal number;
    int choice; /* its place among the words; -1: left out */
} kanon__argument;

/* What a model makes its parameters of. */
typedef struct kanon__model_input {
    const kanon__data *table;
    const kanon__policy *policy;        /* NULL: not from a policy */
    int column;                         /* of the table; -1: the entities */
    const kanon__constraint_text *text; /* as written; NULL: the schema's `entity` asks for it */
    kanon__argument arguments[KANON__MOST_PARAMETERS];
} kanon__model_input;

/* The denominator of an exact decimal number. */
static inline int64_t kanon__power_of_ten(int scale)
{
    int64_t power = 1;
    for (int i = 0; i < scale; i++)
        power *= 10;
    return power;
}

/* A constraint of the schema file is bad input (KANON_EDATA), one of a flag a wrong call (KANON_EINVAL). */
kanon_status kanon__fail_constraint(const kanon__model_input *input, const char *where, const char *what, kanon_error *err);

typedef enum kanon__foresight { KANON__UNFORESEEN, KANON__WILL_HOLD, KANON__WILL_BREAK } kanon__foresight;

/* A model: a row of constraints.def. `parameters` is what `prepare` made, a struct that only the model's file knows;
 * `values` are the counts of a group's values. Only `prepare` can fail. */
typedef struct kanon__model {
    /* The brief is what holds of a group; {1}, {2} are the parameters as written. Those are the settings: numbers, or words
     * that may be left out. The first is the limit of the figure. */
    kanon__entry info;
    const char *figure; /* what is reached: "l", "alpha" */
    bool less;          /* smaller is better protected */
    bool of_entities;   /* asked for by the schema's `entity`, not by name */
    bool grows;         /* a group that satisfies it does so with any record more */
    bool needs_sorted;  /* it calls kanon__counter_sort */
    bool of_table;      /* it compares a group with the whole table, so a change of the table concerns every group */
    /* Make the parameters. On failure *out stays NULL. */
    kanon_status (*prepare)(void **out, const kanon__model_input *input, kanon_error *err);
    void (*clear)(void *parameters); /* free what they own; the struct itself is freed by the caller. NULL: nothing */
    bool (*holds)(const void *parameters, kanon__counter *values);
    /* What a group reaches: its l, c, alpha or t. */
    double (*reached)(const void *parameters, kanon__counter *values);
    /* For a group that violates it: at least so many records must join before it can hold, and whether one with this value
     * brings it nearer. */
    int64_t (*lack)(const void *parameters, kanon__counter *values);
    bool (*helps)(const void *parameters, kanon__counter *values, uint32_t code);
    /* By how many records, in units of KANON__VIOLATION_UNIT, a group misses it; 0 if and only if it holds. A search that
     * prices violations follows this figure downhill, so it should fall with every record that brings the group nearer. */
    int64_t (*violation)(const void *parameters, kanon__counter *values);
    /* Whether it holds with so many values more (or less, where `n_more` is negative) which by themselves reach a figure of
     * at most `figure`, as far as that is known without counting them. NULL: never known. */
    kanon__foresight (*foresee)(const void *parameters, kanon__counter *values, int64_t n_more, double figure);
} kanon__model;

typedef struct kanon__constraint {
    const kanon__model *model;
    void *parameters; /* the model's own */
    int column;       /* of the table; -1: the entities */
    int counted;      /* which of the tally's counters it reads */
    int line;         /* in the schema; 0: given by a flag */
    char *sentence;   /* what it requires of every group */
    double asked;     /* in the unit of `reached` */
} kanon__constraint;

typedef struct kanon__constraints {
    const kanon__data *table;
    const kanon__policy *policy;
    kanon__constraint *items;
    int64_t n;
    int *counted; /* columns whose values are counted; -1: the entities */
    bool *sorted; /* by counted column: a model needs its keys in order */
    int n_counted;
} kanon__constraints;

/* The i-th model that a constraint can name; the rule for entities is not one of them. NULL past the last. */
const kanon__entry *kanon__model_entry(size_t i);
/* What the policy asks of the groups of the data, entities included; *out is NULL where there are none.
 * KANON_EDATA (KANON_EINVAL for one that is from no file): an unknown model or parameter, or a column that is not
 * sensitive. */
kanon_status kanon__constraints_new(kanon__constraints **out, const kanon__data *table, const kanon__policy *policy,
                                    int64_t k, kanon_error *err);
void kanon__constraints_free(kanon__constraints *constraints);
/* KANON_EINFEASIBLE where not even the whole table as one group satisfies them. */
kanon_status kanon__constraints_check_feasible(const kanon__constraints *constraints, kanon_error *err);
/* Whether a group that satisfies them does so with any record more. (Merged with another that satisfies them, it always
 * does, unless the two share entities.) */
bool kanon__constraints_grow(const kanon__constraints *constraints);
/* The same constraints with the same reference distributions, for a table with fewer rows of the same columns; nothing to
 * free. */
static inline kanon__constraints kanon__constraints_for(const kanon__constraints *all, const kanon__data *part)
{
    kanon__constraints c = *all;
    c.table = part;
    return c;
}

typedef struct kanon__tally_column {
    kanon__counter values;
    kanon__counter pairs; /* of an entity and a value; unused without entities */
} kanon__tally_column;

/* The counts of one group. All zero is a tally that is not in use. */
typedef struct kanon__tally {
    const kanon__constraints *constraints;
    int64_t size; /* records */
    kanon__tally_column *columns;
} kanon__tally;

kanon_status kanon__tally_init(kanon__tally *out, const kanon__constraints *constraints, kanon_error *err);
void kanon__tally_clear(kanon__tally *tally);
/* The bytes of the tallies of all groups where each has about k of so many records; 0 where there are no constraints. */
int64_t kanon__tallies_need(const kanon__constraints *constraints, int64_t n_records, int64_t k);
kanon_status kanon__tally_add(kanon__tally *tally, int64_t row, kanon_error *err);
/* Take out a row that is in it. What was taken out last can be added again without memory. */
void kanon__tally_remove(kanon__tally *tally, int64_t row);
/* Add all that another tally has. */
kanon_status kanon__tally_join(kanon__tally *tally, const kanon__tally *other, kanon_error *err);
/* Whether every constraint holds; with one record more or less. */
bool kanon__tally_holds(kanon__tally *tally);
kanon_status kanon__tally_holds_with(kanon__tally *tally, int64_t row, bool *holds, kanon_error *err);
bool kanon__tally_holds_without(kanon__tally *tally, int64_t row);
/* Whether every constraint could hold with a record more (1) or less (-1), whichever that is. False is certain, true is
 * not. */
bool kanon__tally_may_hold(kanon__tally *tally, int n_more);
/* Whether every constraint holds for two groups as one. */
kanon_status kanon__tally_holds_joined(kanon__tally *left, kanon__tally *right, bool *holds, kanon_error *err);
/* By how many records all constraints together are missed, in units of KANON__VIOLATION_UNIT; 0: all hold. */
int64_t kanon__tally_violation(kanon__tally *tally);
/* At least so many records must join before all constraints can hold; 0: they do. */
int64_t kanon__tally_lack(kanon__tally *tally);
/* Whether a record brings a constraint nearer that does not hold. */
bool kanon__tally_helps(kanon__tally *tally, int64_t row);
/* Whether a group of these rows satisfies the constraints (NULL: yes). */
kanon_status kanon__constraints_hold_rows(bool *holds, const kanon__constraints *constraints, const int32_t *rows, int64_t n,
                                          kanon_error *err);
/* Whether every group satisfies the constraints (NULL: yes); negative groups are suppressed records. `held`, unless NULL,
 * has the answer by group. */
kanon_status kanon__constraints_hold(bool *all, bool *held, const kanon__constraints *constraints, const int32_t *group_of,
                                     int64_t n_groups, kanon_error *err);
/* The violation (kanon__tally_violation) of all groups together, and how many of them violate a constraint (NULL: none). */
kanon_status kanon__groups_violation(int64_t *violation, int64_t *n_violating, const kanon__constraints *constraints,
                                     const int32_t *group_of, int64_t n_groups, kanon_error *err);
/* The least protected group's figure, by constraint. */
kanon_status kanon__constraints_reached(double *reached, const kanon__constraints *constraints, const int32_t *group_of,
                                        int64_t n_groups, kanon_error *err);

#endif
