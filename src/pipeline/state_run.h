/* What the calls that create, change and release states have in common: state_create.c, state_change.c, state_release.c.
 *
 *     call begin -> run begin -> the work (state/maintain/) -> complete -> run end -> call end
 *
 * Completing plans the release if outputs are asked for, and publishes. Publishing calls `finish` when all files are
 * written and before they get their names: there the release is recorded and the session committed, and naming the files
 * is the last step of the commit. A name that cannot be given undoes the change. A crash in between leaves a recorded
 * release without its file, never the reverse; the state knows the delta then, and does not apply it twice. */
#ifndef KANON_PIPELINE_STATE_RUN_H
#define KANON_PIPELINE_STATE_RUN_H

#include "pipeline/guarded_outputs.h"
#include "state/maintain/materialise.h"
#include "state/maintain/session.h"
#include "state/store/release_rows.h"

/* ---- state_change.c ---------------------------------------------------------------------------------------------- */

/* A call that changes a state, and what the caller asks for, taken over. */
typedef struct kanon__change_call {
    kanon__state_call call;
    kanon_change_options options;
    kanon__guarded_outputs outputs;
    kanon_change done, *given; /* what the caller is told, and where */
} kanon__change_call;

/* End it in any case, also where this fails. */
kanon_status kanon__change_call_begin(kanon__change_call *call, kanon_state *state, const kanon_change_options *options,
                                      kanon_change *out, kanon_error *err);
kanon_status kanon__change_call_end(kanon__change_call *call, kanon_status status);

/* One change, from begin to end. The subset is read when a release or a refinement needs it. */
typedef struct kanon__change_run {
    kanon_state *state;
    kanon_change_options options;
    kanon_change *out;
    kanon_outputs *numbered; /* options.outputs: group_numbers becomes an array of its own; NULL: it is the caller's */
    const char *command;
    char detail[160];
    kanon__subset subset;
    kanon_grouping *grouping;
    kanon__release_entry release;
    bool is_recorded; /* the release, but for its checksum */
    bool must_commit; /* also where no release is possible */
} kanon__change_run;

kanon_status kanon__change_run_begin(kanon__change_run *run, kanon_state *state, const char *command,
                                     const kanon_change_options *options, kanon_change *out, kanon_error *err);
/* Reads all records and their groups, unless they have been read. */
kanon_status kanon__change_run_read(kanon__change_run *run, kanon_error *err);
/* Writes what is asked for and commits; without outputs the change is only committed. */
kanon_status kanon__change_run_complete(kanon__change_run *run, kanon_error *err);
/* Ends the session in any case: what was not committed is rolled back. */
void kanon__change_run_end(kanon__change_run *run);

/* What the caller is told of the state after the change. */
void kanon__change_note_counts(kanon_change *out, const kanon_state *state);

/* ---- state_release.c --------------------------------------------------------------------------------------------- */

/* A change may write groups and reports without a release. */
bool kanon__wants_release(const kanon_outputs *outputs);
/* kanon_state_release within its call. `numbered` is that of the run, and n_rows the rows of its stream; both may be
 * NULL. */
kanon_status kanon__state_release_all(kanon_state *state, const kanon_change_options *options, kanon_outputs *numbered,
                                      int64_t *n_rows, kanon_change *out, kanon_error *err);
/* The grouping that is to be released, checked; a release is recorded. */
kanon_status kanon__change_run_release(kanon__change_run *run, kanon_error *err);
/* The groups of a grouping are numbered without gaps; those of the state have numbers of their own, by which the groups of
 * all released rows are called from here on. */
kanon_status kanon__state_group_numbers(int64_t *groups, const kanon__subset *subset, const kanon_grouping *grouping,
                                        kanon_error *err);
/* The average loss of a grouping; NAN where there is none. */
kanon_status kanon__average_loss(double *out, const kanon_table *table, const kanon_grouping *grouping, kanon_error *err);
/* What is recorded of a release of the grouping. */
kanon_status kanon__describe_release(kanon__release_entry *out, const kanon_table *table, const kanon_grouping *grouping,
                                     kanon_error *err);

#endif
