/* What the commands on a state share. A command passes the call of the library that makes its change; everything around
 * it is in run_state_change. */
#ifndef KANON_CLI_STATE_COMMAND_H
#define KANON_CLI_STATE_COMMAND_H

#include "command.h"

typedef kanon_status (*state_change)(kanon_state *state, const arguments *args, const kanon_change_options *options,
                                     kanon_change *out, kanon_error *err);

/* Open the state, make the change, print what was done: `done` is the verb, "inserted"; NULL: nothing was counted. */
int run_state_change(const command *self, const arguments *args, state_change change, const char *done);
/* Open the state that the command is about. */
kanon_status open_state(kanon_state **out, const arguments *args, void *show, kanon_error *err);

#endif
