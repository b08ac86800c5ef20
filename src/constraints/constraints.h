/* What is asked of every group beside k: l-diversity, t-closeness, (alpha,k)-anonymity, different persons.
 *
 * A constraint is a row of constraints.def, its parameters and a column. A group's tally counts the values that the
 * constraints ask about while records come and go, and says whether all of them hold. Where records belong to entities
 * (persons), a value that an entity has several times in a group counts once.
 *
 * Distinct is decided in whole numbers; recursive and alpha by a quotient of whole numbers, rounded once as the parameter
 * is. Entropy and t are computed in double and hold up to a tolerance of KANON__PRIVACY_TOLERANCE, so that what is exactly
 * at the limit holds. */
#ifndef KANON_CONSTRAINTS_CONSTRAINTS_H
#define KANON_CONSTRAINTS_CONSTRAINTS_H

#include "constraints/counter.h"
#include "table/data.h"
#include "table/policy.h"

#define KANON__PRIVACY_TOLERANCE 1e-12

typedef struct kanon__constraint kanon__constraint;

typedef struct kanon__parameter {
    const char *name;
    bool whole;
    double min, max;   /* both allowed */
    bool above_min;    /* min itself is not */
    const char *range; /* "a whole number of at least 2" */
} kanon__parameter;

enum { KANON__MOST_PARAMETERS = 2 };

typedef enum kanon__foresight { KANON__UNFORESEEN, KANON__WILL_HOLD, KANON__WILL_BREAK } kanon__foresight;

/* A model: a row of constraints.def. `values` are the counts of a group's values; none of these can fail. */
typedef struct kanon__model {
    const char *name;
    const char *figure; /* what is reached: "l", "alpha" */
    bool less;          /* smaller is better protected */
    kanon__parameter parameters[KANON__MOST_PARAMETERS];
    const char *sentence; /* what holds of a group; {1}, {2} are the parameters as written */
    const char *source;
    bool grows;        /* what holds, holds with any record more */
    bool needs_sorted; /* it calls kanon__counter_sort */
    bool has_distance; /* there is an option `distance` */
    bool (*holds)(const kanon__constraint *constraint, kanon__counter *values);
    /* What a group reaches: its l, c, alpha or t. */
    double (*reached)(const kanon__constraint *constraint, kanon__counter *values);
    /* For a group for which it does not hold: at least so many records must join before it can, and whether one with this
     * value brings it nearer. */
    int64_t (*lack)(const kanon__constraint *constraint, kanon__counter *values);
    bool (*helps)(const kanon__constraint *constraint, kanon__counter *values, uint32_t code);
    /* Whether it holds with so many values more (or less, where `n_more` is negative) which by themselves reach a figure of
     * at most `figure`, as far as that can be told without counting them. NULL: not at all. */
    kanon__foresight (*foresee)(const kanon__constraint *constraint, kanon__counter *values, int64_t n_more, double figure);
    /* What must be known of the whole table; NULL: nothing. */
    kanon_status (*prepare)(kanon__constraint *constraint, const kanon__data *table, kanon_error *err);
} kanon__model;

typedef enum kanon__ground_distance {
    KANON__DISTANCE_DEFAULT = 0, /* ordered for numbers, taxonomy for categories, which is equal without one */
    KANON__DISTANCE_EQUAL,
    KANON__DISTANCE_ORDERED,
    KANON__DISTANCE_TAXONOMY
} kanon__ground_distance;

struct kanon__constraint {
    const kanon__model *model;
    int column;  /* of the table; -1: the entities */
    int counted; /* which of the tally's counters it looks at */
    int line;    /* in the schema; 0: said by a flag */
    /* parameters; those that a model lacks are 0 */
    int64_t l;
    int64_t numerator, denominator; /* of c or alpha */
    double limit;                   /* c, alpha, t; log l of entropy */
    char *sentence;                 /* what it asks of every group */
    double asked;                   /* in the unit of `reached` */
    /* t-closeness: the whole table */
    kanon__ground_distance distance;
    const kanon__column *values;
    int64_t table_total;
    int64_t *table_counts; /* by code; ordered: up to and with the code; taxonomy: by node, below it */
    __int128 *table_sums;  /* ordered: [i] is the sum of table_counts[0 .. i) */
    __int128 table_rise;   /* taxonomy: the sum over nodes of the records below times the rise to the parent */
};

typedef struct kanon__constraints {
    const kanon__data *table;
    const kanon__policy *policy;
    kanon__constraint *items;
    int64_t n;
    int *counted; /* columns whose values are counted; -1: the entities */
    bool *sorted; /* by counted column: somebody asks for its keys in order */
    int n_counted;
} kanon__constraints;

/* What the policy asks of the groups of the data, entities included; *out is NULL where it is nothing. KANON_EDATA (KANON_EINVAL where it
 * was said by a flag): a constraint that is none, or about a column that is not sensitive. */
kanon_status kanon__constraints_new(kanon__constraints **out, const kanon__data *table, const kanon__policy *policy,
                                    int64_t k, kanon_error *err);
void kanon__constraints_free(kanon__constraints *constraints);
/* KANON_EINFEASIBLE where not even the whole table as one group holds to them. */
kanon_status kanon__constraints_check_feasible(const kanon__constraints *constraints, kanon_error *err);
/* Whether a group that keeps them keeps them with any record more. (Merged with another that keeps them, it always does,
 * unless the two share entities.) */
bool kanon__constraints_grow(const kanon__constraints *constraints);
/* The same constraints, held against the same whole, for a table with fewer rows of the same columns; nothing to free. */
static inline kanon__constraints kanon__constraints_for(const kanon__constraints *whole, const kanon__data *part)
{
    kanon__constraints c = *whole;
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
/* Whether every constraint could hold with a record more (1) or less (-1), whichever that is; true is no promise. */
bool kanon__tally_may_hold(kanon__tally *tally, int n_more);
/* Whether every constraint holds for two groups as one. */
kanon_status kanon__tally_holds_joined(kanon__tally *left, kanon__tally *right, bool *holds, kanon_error *err);
/* At least so many records must join before all constraints can hold; 0: they do. */
int64_t kanon__tally_lack(kanon__tally *tally);
/* Whether a record brings a constraint nearer that does not hold. */
bool kanon__tally_helps(kanon__tally *tally, int64_t row);
/* Whether a group of these rows holds to the constraints (NULL: yes). */
kanon_status kanon__constraints_hold_rows(bool *holds, const kanon__constraints *constraints, const int32_t *rows, int64_t n,
                                          kanon_error *err);
/* Whether every group holds to the constraints (NULL: yes); negative groups are suppressed records. `held`, unless NULL,
 * says it by group. */
kanon_status kanon__constraints_hold(bool *all, bool *held, const kanon__constraints *constraints, const int32_t *group_of,
                                     int64_t n_groups, kanon_error *err);
/* The least protected group's figure, by constraint. */
kanon_status kanon__constraints_reached(double *reached, const kanon__constraints *constraints, const int32_t *group_of,
                                        int64_t n_groups, kanon_error *err);

#endif
