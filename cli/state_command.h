/* What the commands on a state share. A command passes the call of the library that makes its change; everything around
 * it is in run_state_change. */
#ifndef KANON_CLI_STATE_COMMAND_H
#define KANON_CLI_STATE_COMMAND_H

#include "command.h"

extern const option option_wait, option_state_output, option_state_release, option_state_groups, option_state_report,
    option_state_report_external, option_state_codebook, option_joint_k, option_grow_taxonomy, option_again,
    option_change_effort;

/* Options of the commands that can write a release, but where it goes. */
#define RELEASE_OPTIONS                                                                                                     \
    &option_state_groups, &option_state_report, &option_state_report_external, &option_state_codebook, FORM_OPTIONS,        \
        &option_joint_k

typedef kanon_status (*state_change)(kanon_state *state, const arguments *args, const kanon_change_options *options,
                                     kanon_change *out, kanon_error *err);

/* Open the state, make the change, print what was done: `done` is the verb, "inserted"; NULL: nothing was counted. */
int run_state_change(const command *self, const arguments *args, state_change change, const char *done);
/* Open the state that the command is about. */
kanon_status open_state(kanon_state **out, const arguments *args, void *show, kanon_error *err);

#endif
