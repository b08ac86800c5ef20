/* The check of what groups show of one column, where it takes all their records: means, and recode maps. Two numbers stand
 * for what a group shows. */
#ifndef KANON_VERIFY_VERIFY_FIGURES_H
#define KANON_VERIFY_VERIFY_FIGURES_H

#include "table/domain/data.h"

typedef struct kanon__shown_figures {
    const kanon__column *column;
    const int32_t *group_of; /* by row; negative: suppressed */
    int64_t n_rows, n_groups;
    const double *figures; /* of the first group; those of the next are `stride` further */
    int64_t stride;
} kanon__shown_figures;

/* A group that shows one number shows one between the extremes of its records. */
kanon_status kanon__verify_means(const kanon__shown_figures *figures, kanon_error *err);
/* Every group shows what the first group with the same value showed. */
kanon_status kanon__verify_mapping(const kanon__shown_figures *figures, kanon_error *err);

#endif
