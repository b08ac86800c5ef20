/* A short search around the groups that a command changed, for states whose groups a search has made.
 *
 * How it works is in maintain/local_search.c. */
#ifndef KANON_STATE_LOCAL_SEARCH_H
#define KANON_STATE_LOCAL_SEARCH_H

#include "search/run.h"
#include "state/index/index_near.h"

/* Sets state->search_moves for this command. `effort`: fast (none), balanced or best; NULL: balanced. KANON_EINVAL: another
 * word. */
kanon_status kanon__local_search_plan(kanon_state *state, const char *effort, kanon_error *err);
/* Adds the groups near the changed ones of `refs`, and drops large ones. Where too many changed for a search that is short,
 * state->search_moves becomes 0; without requirements nothing is listed then. n_near: about how many records it is for. */
kanon_status kanon__local_search_list(kanon_state *state, kanon__group_refs *refs, int64_t *n_near, kanon_error *err);
/* Improves the groups of a run on those records, n_near of them at most. They satisfy k and all constraints before and
 * afterwards, and the loss does not grow. */
kanon_status kanon__local_search(const kanon_state *state, kanon__run *run, int64_t n_near, kanon_error *err);
/* Whether the state's groups were made with a setting, NAME=VALUE. */
bool kanon__state_was_set(const kanon_state *state, const char *line);

#endif
