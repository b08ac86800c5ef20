/* Which groups have changed since the last release, so that the next one can be of the changes alone.
 *
 * A state that is watched (kanon_state_options.watch) notes in memory, never in its file: each group that the index changes;
 * who is in these groups when a command ends; and in which group a deleted record was shown. Together with what the file
 * knows, the group in which each record was shown last, this tells which rows of the last release go and which come.
 *
 *     insert, update, delete      touch: the index changes a group        note: its members when the command ends
 *     release of the changes      the members that were noted last, and the groups in which they were shown before
 *
 * What the notes cannot tell makes the next release a whole one (`whole`): a state that has changes which were not
 * released when it was opened, another process in between, all groups replaced. Notes of a command that fails go with
 * it. */
#ifndef KANON_STATE_WATCH_H
#define KANON_STATE_WATCH_H

#include "state/store/state.h"

/* Record 0: the command has removed the group. */
typedef struct kanon__watched_member {
    int64_t group, command, record;
} kanon__watched_member;

struct kanon__watch {
    bool begun, whole;
    bool pending;         /* a command has been noted and is not committed */
    int64_t command;      /* the last command of the history that the notes include */
    int64_t n_suppressed; /* when it began */
    int64_t *touched;     /* groups that this command has changed, some of them several times */
    int64_t n_touched, touched_capacity;
    int64_t *left; /* groups of the last release in which deleted records were shown; 0: suppressed */
    int64_t n_left, n_left_kept, left_capacity; /* kept: of commands that are committed */
    kanon__watched_member *members;
    int64_t n_members, n_members_kept, members_capacity;
};

kanon_status kanon__watch_new(kanon_state *state, kanon_error *err);
void kanon__watch_free(kanon_state *state);
/* After a release: nothing has changed since. */
void kanon__watch_restart(kanon_state *state);
/* A session has begun: the notes are about the state as the file has it, or the next release is a whole one. */
kanon_status kanon__watch_begin(kanon_state *state, kanon_error *err);
/* The session was committed: its notes hold. */
void kanon__watch_commit(kanon_state *state);
/* All of these do nothing where nobody watches. */
kanon_status kanon__watch_touch(kanon_state *state, int64_t group, kanon_error *err);
kanon_status kanon__watch_leave(kanon_state *state, int64_t group, kanon_error *err);
void kanon__watch_give_up(kanon_state *state);

#endif
