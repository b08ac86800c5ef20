/* What was released of a state, and what somebody who has all of it can tell apart.
 *
 * Every record that was ever released has a *trace*: the group in which it was in each release, 0 where it was suppressed,
 * KANON__ABSENT where it was not there. Records of equal traces are a joint class. Traces are kept as changes only, so equal
 * traces are equal lists. The model and its limits: docs/audit.md. */
#ifndef KANON_STATE_RELEASES_H
#define KANON_STATE_RELEASES_H

#include "constraints/constraints.h"
#include "state/maintain/session.h"
#include "state/store/release_rows.h"

/* The releases so far. */
typedef struct kanon__trace {
    int64_t record;
    int64_t begin, n; /* its changes: 2n numbers, release and group in turn */
    int64_t row;      /* of kanon__subset; -1: the record has departed */
    int64_t class_of; /* from 0 */
} kanon__trace;

typedef struct kanon__traces {
    kanon__trace *items; /* by rising record */
    int64_t n, capacity;
    int64_t *changes;
    int64_t n_changes, changes_capacity;
    int64_t n_classes;
    int64_t *sizes;    /* by class: records, departed ones included */
    int64_t *departed; /* by class */
    int64_t *new_rows; /* rows of kanon__subset that were never released */
    int64_t n_new;
} kanon__traces;

/* `whole` has the members. */
kanon_status kanon__traces_load(kanon__traces *out, kanon_state *state, const kanon__subset *subset, kanon_error *err);
void kanon__traces_clear(kanon__traces *traces);
/* For every class and sensitive attribute, the number of different values, and last that of different entities where there
 * are any: [class * kanon__row_n_hashes + attribute]. */
kanon_status kanon__traces_count_values(int64_t **out, const kanon__traces *traces, kanon_state *state, kanon_error *err);

/* Record a release: groups[i] of record ids[i] of `shown`; records of the state that are not there are absent. The groups of
 * the first release of a new state are in the records already: `shown` is NULL. */
kanon_status kanon__releases_append(kanon_state *state, const kanon__subset *shown, const kanon__release_entry *release,
                                    kanon_error *err);

/* ---- state/joint.c: releases whose joint classes stay large ------------------------------------------------------ */

typedef struct kanon__joint_result {
    int64_t n_withheld; /* records that are not in this release */
    int64_t n_moved;    /* records that are in another group than the state's */
    int64_t n_merged;   /* groups that were joined to another because they fell short of k */
    int64_t n_below;    /* records, departed ones included, whose class was smaller before: nothing can be done */
} kanon__joint_result;

/* Change the groups of `whole`, which has a table, and take records out of it, so that after its release no joint class is
 * smaller than joint_k, but those that were before. Its table is made anew where records were taken out.
 * KANON_EINFEASIBLE: no record could be released. */
kanon_status kanon__joint_plan(kanon__subset *subset, kanon_state *state, int64_t joint_k, kanon__joint_result *out,
                               kanon_error *err);

/* ---- state/subset.c: the state's algorithm on some of the records ------------------------------------------------ */

/* Group the given rows of the table as if they were alone in it, with the ranges of the whole. group_of gets, by item, a
 * number from 0 or a negative one for suppressed. `constraints` (NULL: none) are those of the whole table, which the rows as
 * one group keep. */
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
