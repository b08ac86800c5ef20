/* What a refinement is to the rest of the program: a row of refinements.def, and a function that makes the groups of a run
 * better. */
#ifndef KANON_REFINE_REFINEMENT_H
#define KANON_REFINE_REFINEMENT_H

#include "search/run.h"

typedef struct kanon__refinement {
    kanon_algorithm_info info;
    /* run->group_of holds a valid grouping, and does so afterwards; its loss has not grown. */
    kanon_status (*run)(kanon__run *run, kanon_error *err);
    /* The bytes that it takes beside table and grouping; constraints may be NULL. */
    int64_t (*need)(const kanon__settings *settings, const kanon__data *table, const kanon__constraints *constraints,
                    int64_t k, int threads);
} kanon__refinement;

const kanon__refinement *kanon__refinement_find(const char *name);

#endif
