/* The values of a group on one column: which there are, how often, and how often below each taxonomy node. A missing
 * value counts as a value of its own. A group costs no more than its size times the depth of the taxonomy.
 * Called by the measures of sensitive values, of loss and of utility; calls measure.h. */
#ifndef KANON_MEASURES_GROUP_VALUES_H
#define KANON_MEASURES_GROUP_VALUES_H

#include "measures/measure.h"

typedef struct kanon__group_values {
    const kanon__column *column;
    int64_t size;    /* records in the group */
    uint32_t *codes; /* its distinct codes */
    int64_t n;
    int64_t *counts; /* by code; 0: not in the group */
    /* categorical columns, after kanon__group_values_climb */
    int32_t *nodes; /* the taxonomy nodes at or above a value */
    int64_t n_nodes;
    int64_t *below; /* by node: records at or below it */
} kanon__group_values;

void kanon__group_values_sort(kanon__group_values *values);
void kanon__group_values_climb(kanon__group_values *values);

typedef enum kanon__fold { KANON__FOLD_LEAST = 0, KANON__FOLD_MEAN, KANON__FOLD_MOST, KANON__FOLD_SUM } kanon__fold;

/* A figure of one group; NAN: the group has none and does not count. */
typedef double (*kanon__group_figure)(kanon__group_values *values, void *payload);

/* The least, the mean, the most or the sum over the groups of a figure of their values on one column; NAN where there is none. */
kanon_status kanon__fold_groups(double *out, const kanon__subject *subject, const kanon__column *column, kanon__fold fold,
                                kanon__group_figure figure, void *payload, kanon_error *err);

/* How much of the whole a group's generalised value covers on the i-th quasi attribute: (max - min) / R of numbers, 1
 * where some are missing and others are not; leaves(lca) / |domain| of categories. */
double kanon__group_cover(const kanon__subject *subject, int i, int64_t group);

#endif
