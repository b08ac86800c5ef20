/* From the notes of a watched state (store/watch.h) to what a release of the changes removes and writes. */
#ifndef KANON_STATE_WATCHED_CHANGES_H
#define KANON_STATE_WATCHED_CHANGES_H

#include "state/maintain/materialise.h"

/* A command ends, and its session is about to be saved: notes who is in the groups that it changed. */
kanon_status kanon__watched_note(kanon_state *state, kanon_error *err);

/* What has changed since the last release. */
typedef struct kanon__watched_changes {
    bool whole;           /* the notes cannot tell: all is to be released anew, and the rest is empty */
    kanon__subset subset; /* the records of changed groups; its table is read, unless there are none */
    int64_t *removed;     /* groups of the last release whose rows go, ascending */
    int64_t n_removed;
} kanon__watched_changes;

/* In a session of the state. A group that the index does not have, or with other members: KANON_EINTERNAL. */
kanon_status kanon__watched_collect(kanon__watched_changes *out, kanon_state *state, kanon_error *err);
void kanon__watched_clear(kanon__watched_changes *changes);

#endif
