/* What was released of a state, and what somebody who has all releases can tell apart.
 *
 * Every record that was ever released has a trace: its group in each release, 0 where it was suppressed, KANON__ABSENT
 * where it was not there. Records of equal traces are a joint class: nobody can tell them apart by group. A reader sees no
 * difference between suppressed and absent: traces are read as seen, so that who was suppressed was absent. They are kept
 * as changes only, so equal traces are equal lists:
 *
 *     release     1   2   3   4
 *     record 5    7   7   9   9      changes (1, 7) (3, 9)
 *     record 8    7   7   9   9      changes (1, 7) (3, 9)      the same class as record 5
 *     record 6    7   7   7  gone    changes (1, 7) (4, absent)
 *
 * The model and its limits: docs/audit.md. */
#ifndef KANON_STATE_RELEASES_H
#define KANON_STATE_RELEASES_H

#include "state/maintain/materialise.h"
#include "state/store/release_rows.h"

typedef struct kanon__trace {
    int64_t record;
    uint64_t entity; /* whose record it is: the hash of the entity; without entities its own number */
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
    int64_t *sizes;    /* by class: entities, departed ones included; without entities each record is one */
    int64_t *records;  /* by class */
    int64_t *departed; /* by class: records */
    int64_t *new_rows; /* rows of kanon__subset that were never released */
    int64_t n_new;
    uint64_t *entities; /* by row of the subset, as in the traces */
} kanon__traces;

/* The subset has all records. Who was suppressed was absent, and who was never shown has no trace. */
kanon_status kanon__traces_load(kanon__traces *out, kanon_state *state, const kanon__subset *subset, kanon_error *err);
void kanon__traces_clear(kanon__traces *traces);
/* What the last release, which is recorded already, has done to the classes: an audit of it with all before it. */
typedef struct kanon__joint_counts {
    int64_t smallest;       /* entities in the smallest class */
    int64_t below;          /* records in classes of fewer than k entities */
    int64_t made_below;     /* of these, in classes that had k before the release, or did not exist */
    int64_t classes_below;
} kanon__joint_counts;

kanon_status kanon__traces_compare(kanon__joint_counts *out, const kanon__traces *traces, int64_t release, int64_t k,
                                   kanon_error *err);
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
