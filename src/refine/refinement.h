/* A refinement: a row of refinements.def, and a function that lowers the loss of finished groups. */
#ifndef KANON_REFINE_REFINEMENT_H
#define KANON_REFINE_REFINEMENT_H

#include "search/run.h"

typedef struct kanon__refinement {
    kanon__entry info;
    /* run->group_of is a grouping that satisfies k, the constraints and the budget, before and after; its loss, with that of
     * suppressed records, does not grow. Other records may be suppressed than before where run->may_suppress is above 0. */
    kanon_status (*run)(kanon__run *run, kanon_error *err);
    /* The groups may violate constraints before and, if they did, afterwards: what is left is to be repaired then. */
    bool takes_violations;
    /* The bytes that it takes in addition to table and grouping; constraints may be NULL. */
    int64_t (*need)(const kanon__settings *settings, const kanon__data *table, const kanon__constraints *constraints,
                    int64_t k, int threads);
    /* Whether it does nothing where the table is grouped in blocks; NULL: it never does nothing there. */
    bool (*skips_blocks)(const kanon__settings *settings);
    /* How many moves it tries on so many records and quasi-identifiers, for estimates of its time; NULL: its time grows with
     * the records. */
    int64_t (*moves)(const kanon__settings *settings, int64_t n_rows, int n_quasi, int64_t k);
} kanon__refinement;

/* The i-th row; NULL past the last. */
const kanon__entry *kanon__refinement_entry(size_t i);
const kanon__refinement *kanon__refinement_find(const char *name);

#endif
