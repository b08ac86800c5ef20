/* A session: a state in memory from the beginning of a command to its end, in one transaction.
 *
 *     begin  ->  apply a delta | replace the groups | plan a release  ->  save  ->  commit
 *       |                        |                                        |
 *       +------------------------+--- anything fails --------------------+---->  end: as if nothing had been */
#ifndef KANON_STATE_SESSION_H
#define KANON_STATE_SESSION_H

#include "core/context.h"
#include "model/grouping.h"
#include "state/index/group_index.h"
#include "state/maintain/delta_ranges.h"
#include "state/store/records.h"

/* ---- maintain/session.c ------------------------------------------------------------------------------------------ */

/* Begins a transaction and reads what every command needs: catalog, ranges, the log of the index. */
kanon_status kanon__session_begin(kanon_state *state, bool write, kanon_error *err);
/* Writes what the command changed and a row of history; the transaction goes on. `detail` may be NULL. */
kanon_status kanon__session_save(kanon_state *state, const char *command, const char *detail, kanon_error *err);
/* Ends the session: with what was saved, or as if nothing had been. `step` may be NULL: kanon__store_commit_with. */
kanon_status kanon__session_commit(kanon_state *state, kanon__last_step step, void *payload, kanon_error *err);
void kanon__session_end(kanon_state *state);
/* Frees what a session holds in memory. */
void kanon__session_clear(kanon_state *state);
/* Gives a numeric column more digits after the point: all its codes in the file are multiplied. */
kanon_status kanon__session_rescale(kanon_state *state, int column, int scale, kanon_error *err);
/* Rebuilds space and index after trees have grown. */
kanon_status kanon__session_reload_trees(kanon_state *state, kanon_error *err);

/* ---- maintain/create_state.c ------------------------------------------------------------------------------------- */

/* Fills a new, empty store with the table and its groups, which are also the first release if `released`. The session stays
 * open, to be saved and committed. */
kanon_status kanon__session_create(kanon_state *state, const kanon_table *table, const kanon_schema *schema,
                                   const kanon_grouping *grouping, bool released, kanon_error *err);
/* Whether a state can be made of the table: KANON_EINVAL says why not. */
kanon_status kanon__state_fits(const kanon_table *table, const kanon_grouping *grouping, kanon_error *err);
/* Replaces all groups. group_of has a group from 0 for each record by rising number, negative: suppressed. `numbers` are
 * the numbers of the groups, below state->next_group; NULL: new ones. */
kanon_status kanon__session_replace_groups(kanon_state *state, const int32_t *group_of, const int64_t *numbers,
                                           int64_t n_groups, kanon_error *err);

/* ---- maintain/apply_delta.c -------------------------------------------------------------------------------------- */

typedef struct kanon__delta_options {
    kanon_change_kind kind;
    bool grow_taxonomy;
    bool again;         /* also where it is the delta that was applied last */
    const char *effort; /* of the search around what changed: maintain/local_search.h */
} kanon__delta_options;

typedef struct kanon__delta_result {
    int64_t n_records, n_splits, n_dispersed, n_repaired, n_grown;
    char question[KANON__QUESTION]; /* delta_ranges.h */
} kanon__delta_result;

/* Applies the rows of `source`, which is taken over in any case. KANON_EDATA names the line that is wrong; the session must
 * then be ended. */
kanon_status kanon__session_apply(kanon_state *state, kanon__source *source, const kanon__delta_options *options,
                                  kanon__delta_result *out, kanon_error *err);

/* A call on a state; its ticks were given when it was opened. */
typedef struct kanon__state_call {
    kanon__call call;
    kanon_state *state;
    kanon_tick tick;
    void *payload;
} kanon__state_call;

void kanon__state_call_begin(kanon__state_call *call, kanon_state *state);
kanon_status kanon__state_call_end(kanon__state_call *call, kanon_status status);

#endif
