/* A release after which no joint class is too small: joint_release.c describes the classes and the choice of records
 * that are withheld. */
#ifndef KANON_STATE_JOINT_RELEASE_H
#define KANON_STATE_JOINT_RELEASE_H

#include "state/maintain/materialise.h"

typedef struct kanon__joint_result {
    int64_t n_withheld; /* records that are not in this release */
    int64_t n_moved;    /* records that are in another group than the state's */
    int64_t n_merged;   /* groups that were joined to another because they fell short of k */
    int64_t n_below;    /* records, departed ones included, whose class was smaller before: nothing can be done */
} kanon__joint_result;

/* Changes the groups of the subset, which has all records and a table, and takes records out of it, so that after its
 * release no joint class is smaller than joint_k, but those that were before. Its table is built anew where records were
 * taken out. KANON_EINFEASIBLE: no record could be released. */
kanon_status kanon__joint_plan(kanon__subset *subset, kanon_state *state, int64_t joint_k, kanon__joint_result *out,
                               kanon_error *err);

#endif
