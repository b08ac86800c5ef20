/* A measure: a row of measures.def, and a function that computes a figure from a grouping.
 *
 * Figures are computed in double from the raw values, as the formulas are written, and not from the units of model/space.h:
 * so they check what the algorithms optimise. Implemented by the measure_*.c files, called by evaluate.c. */
#ifndef KANON_MEASURES_MEASURE_H
#define KANON_MEASURES_MEASURE_H

#include "core/ticker.h"
#include "model/grouping.h"
#include "table/schema/settings.h"

/* What a measure reads. */
typedef struct kanon__subject {
    const kanon__data *table;
    const kanon_grouping *grouping;
    const kanon__settings *settings; /* measure_settings of evaluate.c */
    int64_t k;                       /* required, or the size of the smallest group */
    uint32_t **extents;              /* by quasi attribute: lo and hi code of every group, alternating */
    double *diversity;               /* D, by group */
    double total_weight;             /* of the quasi attributes: D of a suppressed record */
    int32_t *members;                /* the rows of each group, ascending, group by group; suppressed ones are not there */
    int64_t *begins;                 /* group i is members[begins[i] .. begins[i + 1]) */
    int32_t *own;                    /* by row: the records of its entity in its group; NULL: no entities, 1 each */
    int threads;
    kanon__ticker *ticker;
    const kanon_measures *so_far; /* the figures of the rows above */
} kanon__subject;

typedef enum kanon__scope {
    KANON__SCOPE_TABLE = 0, /* one figure */
    KANON__SCOPE_QUASI,     /* one for each quasi attribute */
    KANON__SCOPE_SENSITIVE  /* one for each sensitive attribute */
} kanon__scope;

typedef struct kanon__measure {
    const char *name;
    const char *formula;
    bool whole; /* a count */
    /* `i` is the attribute's number among the quasi (sensitive) ones. *out may be NAN where there is nothing to measure. */
    kanon_status (*compute)(double *out, const kanon__subject *subject, int i, kanon_error *err);
    kanon__scope scope;
    /* It is about what a reader sees: suppressed records that are released are one more group of the subject. */
    bool of_classes;
} kanon__measure;

struct kanon_measures {
    kanon_figure *figures;
    size_t n;
    kanon__texts settings; /* "name=value" of every setting with a value */
    kanon__texts warnings; /* about privacy */
    int64_t k;             /* what the grouping was held against; 0: nothing was asked */
};

/* The column of the i-th quasi or sensitive attribute. */
static inline const kanon__column *kanon__subject_quasi(const kanon__subject *s, int i)
{
    return &s->table->columns[s->table->quasi[i]];
}

static inline const kanon__column *kanon__subject_sensitive(const kanon__subject *s, int i)
{
    return &s->table->columns[s->table->sensitive[i]];
}

/* The weighted term of the i-th quasi attribute for one group: (max - min) / R or h(lca) / H. */
double kanon__subject_term(const kanon__subject *subject, int i, int64_t group);

/* NULL where there is no measure of that name. */
const kanon__measure *kanon__measure_find(const char *name);
/* kanon_evaluate for the measures named in `wanted` alone, NULL after the last; NULL: all of them. */
kanon_status kanon__evaluate_some(kanon_measures **out, const kanon_table *table, const kanon_grouping *grouping,
                                  const kanon_evaluate_options *options, const char *const *wanted, kanon_error *err);

#endif
