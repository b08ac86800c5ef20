/* kanon improve STATE, and kanon optimize, which is the same: runs a refinement on the groups of a state. Run by main.c;
 * state_command.c does what all changes of a state share. */
#include "state_command.h"

static const char *const examples[] = {
    "kanon improve patients.state",
    NULL,
};

static kanon_status change(kanon_state *state, const arguments *args, const kanon_change_options *how, kanon_change *out,
                           kanon_error *err)
{
    return kanon_state_improve(state, args->refine, how, out, err);
}

static int run(const command *self, const arguments *args)
{
    return run_state_change(self, args, change, NULL);
}

const command command_optimize = {
    .name = "optimize",
    .summary = "improve the groups of a state: kanon improve STATE",
    .usage = "STATE [--refine NAME] [OPTION]...",
    .description = "Runs a refinement on the groups of STATE; the loss never rises. Unlike the other commands it reads the "
                   "whole table. kanon improve STATE is the same.",
    .operand = "STATE",
    .in = IN_OPTIMIZE,
    .examples = examples,
    .run = run,
};
