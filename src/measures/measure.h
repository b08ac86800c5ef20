/* A measure: a row of measures.def, and a function that computes a figure from a grouping.
 * Figures are computed in double from the raw values, as the formulas are written. */
#ifndef KANON_MEASURES_MEASURE_H
#define KANON_MEASURES_MEASURE_H

#include "core/ticker.h"
#include "loss/grouping.h"

/* What every measure may look at. */
typedef struct kanon__subject {
    const kanon_table *table;
    const kanon_grouping *grouping;
    int64_t k;            /* asked for, or the smallest group's size */
    uint32_t **extents;   /* by quasi attribute: lo and hi code of every group */
    double *diversity;    /* D, by group */
    double total_weight;  /* of the quasi attributes: D of a suppressed record */
    int threads;
    kanon__ticker *ticker;
} kanon__subject;

typedef struct kanon__measure {
    const char *name;
    const char *formula;
    bool whole;
    kanon_status (*compute)(double *out, const kanon__subject *subject, kanon_error *err);
} kanon__measure;

struct kanon_measures {
    kanon_figure *figures;
    size_t n;
};

/* The weighted term of the i-th quasi attribute for one group: (max - min) / R or h(lca) / H. */
double kanon__subject_term(const kanon__subject *subject, int i, int64_t group);

#endif
