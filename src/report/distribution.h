/* How the values of a quasi attribute are distributed in the original and in the release, in a form that singles out
 * nobody. Invariant: no category and no bin of an axis stands for more than 0 but fewer than `rare` records or, in the
 * release, `least_groups` groups.
 * Implemented by axis.c for numbers and categories.c for categories; called by html_plots.c. */
#ifndef KANON_REPORT_DISTRIBUTION_H
#define KANON_REPORT_DISTRIBUTION_H

#include "model/grouping.h"

enum { KANON__AXIS_BINS = 32, KANON__AXIS_TICKS = 7, KANON__SHOWN_CATEGORIES = 12 };

/* Whole numbers and dates fill [value, value + 1), so that a released interval covers its units; decimals are points. */
typedef struct kanon__axis {
    int n; /* bins; 0: too few values, or too far apart, to be shown */
    double edges[KANON__AXIS_BINS + 1];
    double steps[KANON__AXIS_BINS];  /* how many equal steps a bin was joined from */
    double before[KANON__AXIS_BINS]; /* records */
    double groups[KANON__AXIS_BINS]; /* that reach into the bin; of joined ones, at most so many */
    double after[KANON__AXIS_BINS];  /* records, each spread evenly over its released interval */
    int n_ticks;
    double ticks[KANON__AXIS_TICKS];
    char tick_labels[KANON__AXIS_TICKS][32];
    char step_text[32];                    /* "5", "3 months" */
    bool is_clipped;                       /* there are values beyond the axis, counted in the outer bins */
    int64_t missing_before, missing_after; /* records without a value; after: in groups where nobody has one */
    int64_t any_after;                     /* released as * */
} kanon__axis;

/* A category that is shown by name, with its records in the original and in the release. */
typedef struct kanon__category {
    int32_t node; /* of the taxonomy */
    int depth;    /* below the highest node that is shown */
    int64_t before, after;
    int64_t groups; /* that are released with it */
} kanon__category;

typedef struct kanon__categories {
    kanon__category items[KANON__SHOWN_CATEGORIES];
    int n;
    int64_t other_before, other_after, other_groups,
        n_other;        /* what is not shown by name: rare ones, and those past the largest */
    bool other_is_rare; /* all of them had to be hidden */
} kanon__categories;

/* The column must be numeric. `rare` and `least_groups` are at least 1. */
kanon_status kanon__axis_init(kanon__axis *out, const kanon__column *column, const kanon_grouping *grouping, int64_t rare,
                              int64_t least_groups, kanon_error *err);
/* The column must be categorical. */
kanon_status kanon__categories_init(kanon__categories *out, const kanon__column *column, const kanon_grouping *grouping,
                                    int64_t rare, int64_t least_groups, kanon_error *err);

#endif
