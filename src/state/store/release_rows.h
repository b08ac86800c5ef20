/* What was released, and when: the rows of releases, membership history, departed records and commands.
 *
 * A record of the table keeps the group of its last release in its own row, and since which release it is there. When a
 * release shows it in another group, the row (record, release, group) of the time before goes to the membership history. So
 * a release writes one row per record that changed, not one per record.
 *
 *     record 7 over releases      1    2    3    4    5
 *     group                       12   12   31   31   -1 (absent)
 *     membership history          (7, 1, 12), (7, 3, 31)
 *     in its own row              group -1, since 5
 *
 * Tables of the file: releases, membership_history, departed_records, history (commands). */
#ifndef KANON_STATE_RELEASE_ROWS_H
#define KANON_STATE_RELEASE_ROWS_H

#include "state/store/records.h"

/* ---- releases ---------------------------------------------------------------------------------------------------- */

typedef struct kanon__release_entry {
    char sha256[72];
    int64_t number, time; /* set when it is appended */
    int64_t n_records, n_groups, n_suppressed, n_withheld, smallest, joint_k;
    double loss; /* average */
} kanon__release_entry;

/* Appends release number state->n_releases, with the time of now. */
kanon_status kanon__release_rows_append(kanon_state *state, const kanon__release_entry *release, kanon_error *err);
/* Its checksum, once its text is complete. */
kanon_status kanon__release_rows_set_checksum(kanon_state *state, const char *sha256, kanon_error *err);
/* Every release by rising number. */
typedef kanon_status (*kanon__release_visitor)(const kanon__release_entry *release, void *payload, kanon_error *err);
kanon_status kanon__release_rows_visit(kanon_state *state, kanon__release_visitor visitor, void *payload, kanon_error *err);

/* ---- in which group a record was --------------------------------------------------------------------------------- */

/* A record of the table, or one that has departed, with all that releases showed of it. */
typedef struct kanon__membership {
    int64_t record;
    int64_t group, since;   /* last: the group, and the release from which on; since 0: never released */
    int64_t until;          /* of a departed record: the last release before it went; else -1 */
    int64_t n_earlier;      /* what was before that: n_earlier pairs of release and group, by rising release */
    const int64_t *earlier; /* valid during the call */
} kanon__membership;

/* Every record, present or departed, by rising number. */
typedef kanon_status (*kanon__membership_visitor)(const kanon__membership *membership, void *payload, kanon_error *err);
kanon_status kanon__memberships_visit(kanon_state *state, kanon__membership_visitor visitor, void *payload,
                                      kanon_error *err);
/* From release `release` on the record is shown in `group`; what was so far becomes history. */
typedef struct kanon__membership_change {
    int64_t record, old_group, old_since, group;
} kanon__membership_change;

kanon_status kanon__memberships_change(kanon_state *state, const kanon__membership_change *changes, int64_t n,
                                       int64_t release, kanon_error *err);

/* ---- records that are gone --------------------------------------------------------------------------------------- */

/* Keeps of a released record its number, its last group and the hashes of its sensitive cells, which lie in row->cells. */
kanon_status kanon__departed_add(kanon_state *state, const kanon__record *record, const kanon__row *row, kanon_error *err);
kanon_status kanon__departed_count(kanon_state *state, int64_t *out, kanon_error *err);
/* Every departed record by rising number; `hashes` has kanon__row_n_hashes numbers, unaligned. */
typedef kanon_status (*kanon__departed_visitor)(int64_t record, const void *hashes, void *payload, kanon_error *err);
kanon_status kanon__departed_visit(kanon_state *state, kanon__departed_visitor visitor, void *payload, kanon_error *err);

/* ---- commands ---------------------------------------------------------------------------------------------------- */

typedef struct kanon__command_entry {
    int64_t number, time, n_records, n_groups;
    const char *command, *detail; /* detail may be NULL; valid during the call */
} kanon__command_entry;

/* Appends a command that has just been done, with the counts of the state. */
kanon_status kanon__command_rows_append(kanon_state *state, const char *command, const char *detail, kanon_error *err);
typedef kanon_status (*kanon__command_visitor)(const kanon__command_entry *entry, void *payload, kanon_error *err);
kanon_status kanon__command_rows_visit(kanon_state *state, kanon__command_visitor visitor, void *payload, kanon_error *err);

#endif
