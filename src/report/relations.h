/* Means of numeric columns and correlations between them, before and after: what an analyst loses or keeps. Rounded so far
 * that no single record, nor fewer than k of them, could be told from the figures; nothing of it is in external reports.
 * Made and read by html_relations.c. */
#ifndef KANON_REPORT_RELATIONS_H
#define KANON_REPORT_RELATIONS_H

#include "model/grouping.h"
#include "report/report_data.h"

enum { KANON__MAX_RELATED = 8 };

typedef struct kanon__relations {
    int n; /* the first numeric columns, quasi-identifiers before sensitive ones; 0: too few records to tell anything */
    const kanon__column *columns[KANON__MAX_RELATED];
    double unit[KANON__MAX_RELATED];                                /* what the means are rounded to, a power of ten */
    double means[2][KANON__MAX_RELATED];                            /* rounded; NAN: there is none */
    double correlations[2][KANON__MAX_RELATED][KANON__MAX_RELATED]; /* of i < j, two digits; NAN: not defined */
} kanon__relations;

/* `of_means`: the release shows the mean of each group; otherwise a cell stands for the middle of its interval. */
kanon_status kanon__relations_init(kanon__relations *out, const kanon_table *table, const kanon_grouping *grouping,
                                   const kanon__report_data *data, bool of_means, kanon_error *err);

#endif
