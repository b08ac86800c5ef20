/* What was released of a state, and what somebody who has all releases can tell apart.
 *
 * Every record that was ever released has a trace: its group in each release, 0 where it was suppressed, KANON__ABSENT
 * where it was not there. Records of equal traces are a joint class: nobody can tell them apart by group. A reader sees no
 * difference between suppressed and absent; a plan that keeps such classes large keeps unions of them large. Traces are kept
 * as changes only, so equal traces are equal lists:
 *
 *     release     1   2   3   4
 *     record 5    7   7   9   9      changes (1, 7) (3, 9)
 *     record 8    7   7   9   9      changes (1, 7) (3, 9)      the same class as record 5
 *     record 6    7   7   7  gone    changes (1, 7) (4, absent)
 *
 * The model and its limits: docs/audit.md. Called by joint_release.c and pipeline/; calls store/release_rows.h. */
#ifndef KANON_STATE_RELEASES_H
#define KANON_STATE_RELEASES_H

#include "state/maintain/materialise.h"
#include "state/store/release_rows.h"

typedef struct kanon__trace {
    int64_t record;
    int64_t begin, n; /* its changes: 2n numbers, release and group in turn */
    int64_t row;      /* of kanon__subset; -1: the record has departed */
    int64_t class_of; /* from 0 */
} kanon__trace;

/* All traces, and the classes that they form. */
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
    bool as_seen; /* as a reader sees them: who was suppressed was absent */
} kanon__traces;

/* The subset has all records. `as_seen`: who was suppressed was absent, and who was never shown has no trace. */
kanon_status kanon__traces_load(kanon__traces *out, kanon_state *state, const kanon__subset *subset, bool as_seen,
                                kanon_error *err);
void kanon__traces_clear(kanon__traces *traces);
/* For every class and sensitive attribute, the number of different values, and last that of different entities where there
 * are any: [class * kanon__row_n_hashes + attribute]. */
kanon_status kanon__traces_count_values(int64_t **out, const kanon__traces *traces, kanon_state *state, kanon_error *err);

/* Records a release: record ids[i] of the subset was shown in groups[i]; records of the state that are not in it were
 * absent. NULL for the first release of a new state, whose groups are in the records already. */
kanon_status kanon__releases_append(kanon_state *state, const kanon__subset *shown, const kanon__release_entry *release,
                                    kanon_error *err);
/* The same of a release in which all other records were shown as before; the subset has what the file says of its own. */
kanon_status kanon__releases_append_changes(kanon_state *state, const kanon__subset *shown,
                                            const kanon__release_entry *release, kanon_error *err);

#endif
