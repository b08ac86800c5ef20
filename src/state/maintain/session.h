/* A state in memory: read when a command begins, written when it ends. */
#ifndef KANON_STATE_SESSION_H
#define KANON_STATE_SESSION_H

#include "model/grouping.h"
#include "model/space.h"
#include "state/index/group_index.h"
#include "state/store/records.h"

/* ---- state/session.c --------------------------------------------------------------------------------------------- */

/* Begin a transaction and read what every command needs. */
kanon_status kanon__session_begin(kanon_state *state, bool write, kanon_error *err);
/* Write what the command changed and a line of history; the transaction goes on. `detail` may be NULL. */
kanon_status kanon__session_save(kanon_state *state, const char *command, const char *detail, kanon_error *err);
/* End it: with what was saved, or as if nothing had been. */
kanon_status kanon__session_commit(kanon_state *state, kanon_error *err);
void kanon__session_end(kanon_state *state);
/* Free what a session holds in memory. */
void kanon__session_clear(kanon_state *state);
/* Numbers with more digits after the point than the column had so far. */
kanon_status kanon__session_rescale(kanon_state *state, int column, int scale, kanon_error *err);
/* The trees have grown. */
kanon_status kanon__session_reload_trees(kanon_state *state, kanon_error *err);

/* ---- state/create.c ---------------------------------------------------------------------------------------------- */

/* Fill a new, empty store with the table and its groups, which are also the first release if `released`. The session stays
 * open, to be saved and committed. */
kanon_status kanon__session_create(kanon_state *state, const kanon_table *table, const kanon_schema *schema,
                                   const kanon_grouping *grouping, bool released, kanon_error *err);
/* Whether a state can be made of the table: KANON_EINVAL says why not. */
kanon_status kanon__state_fits(const kanon_table *table, const kanon_grouping *grouping, kanon_error *err);
/* New groups for the records, by rising record, in place of the old ones: from 0, negative is suppressed. `numbers` are
 * those of the groups, below state->next_group; NULL: new ones. */
kanon_status kanon__session_replace_groups(kanon_state *state, const int32_t *group_of, const int64_t *numbers,
                                           int64_t n_groups, kanon_error *err);

/* ---- state/delta.c ----------------------------------------------------------------------------------------------- */

typedef enum kanon__delta_kind { KANON__DELTA_INSERT = 0, KANON__DELTA_DELETE, KANON__DELTA_UPDATE } kanon__delta_kind;

typedef struct kanon__delta_options {
    kanon__delta_kind kind;
    char delimiter; /* 0: found from the header line */
    bool grow_taxonomy;
} kanon__delta_options;

typedef struct kanon__delta_result {
    int64_t n_records, n_splits, n_dispersed, n_repaired, n_grown;
} kanon__delta_result;

/* Read the file at `path` and do what it says. KANON_EDATA names the line that is wrong; the session must then be ended. */
kanon_status kanon__session_apply(kanon_state *state, const char *path, const kanon__delta_options *options,
                                  kanon__delta_result *out, kanon_error *err);

/* ---- state/materialise.c ----------------------------------------------------------------------------------------- */

/* The state as a table: row i is record ids[i], in group groups[i] (0: suppressed). */
typedef struct kanon__subset {
    kanon_schema *schema;
    kanon_table *table;
    int64_t n;
    int64_t *ids, *groups;
} kanon__subset;

/* Which record is in which group, ascending by record; nothing else yet. */
kanon_status kanon__subset_list_all(kanon__subset *out, kanon_state *state, kanon_error *err);
/* Read the cells of the records that are kept and make the table. */
kanon_status kanon__subset_read_table(kanon__subset *subset, kanon_state *state, kanon_error *err);
/* The space of the table, with the ranges of all records of the state. */
kanon_status kanon__subset_space(kanon__space **out, const kanon__subset *subset, const kanon_state *state,
                                 kanon_error *err);
void kanon__subset_clear(kanon__subset *subset);
/* The groups as a grouping of the table, with how the state's groups were first made. */
kanon_status kanon__subset_grouping(kanon_grouping **out, const kanon__subset *subset, const kanon_state *state,
                                    kanon_error *err);

#endif
