/* The state's own algorithm on some of its records, and how far the groups have drifted from a fresh run:
 * maintain/drift.c. */
#ifndef KANON_STATE_DRIFT_H
#define KANON_STATE_DRIFT_H

#include "constraints/constraints.h"
#include "state/maintain/materialise.h"

/* Groups the given rows of the table as if they were alone in it, with the ranges of the whole. group_of gets, by item, a
 * number from 0 or a negative one for suppressed. `constraints` (NULL: none) are those of the whole table, which the rows
 * as one group keep. */
kanon_status kanon__regroup_rows(const kanon_state *state, const kanon_table *table, const kanon__constraints *constraints,
                                 const int32_t *rows, int64_t n, int64_t k, int32_t *group_of, int64_t *n_groups,
                                 kanon_error *err);
/* The loss of the groups now against that of a fresh run, on a sample: whole neighbourhoods of groups. */
typedef struct kanon__drift {
    int64_t n_records; /* in the sample; 0: there is none to take */
    double now, fresh; /* average loss */
} kanon__drift;

kanon_status kanon__drift_measure(kanon__drift *out, const kanon_state *state, const kanon__subset *subset,
                                  kanon_error *err);

#endif
