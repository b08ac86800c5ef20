/* kanon update: changes records of a state. Run by main.c through the table of commands. What all changes of a state
 * share is in state_command.c; this file adds its options and the call of kanon_state_change. */
#include "progress.h"
#include "state_command.h"

static const char *const examples[] = {
    "kanon update patients.state moved.csv",
    NULL,
};

static kanon_status change(kanon_state *state, const arguments *args, const kanon_change_options *how, kanon_change *out,
                           kanon_error *err)
{
    const kanon_input delta = table_at(args->second, args);
    return kanon_state_change(state, KANON_UPDATE, &delta, how, out, err);
}

static int run(const command *self, const arguments *args)
{
    return run_state_change(self, args, change, "updated");
}

const command command_update = {
    .name = "update",
    .summary = "change records of a state",
    .usage = "STATE DELTA [-o RELEASE] [OPTION]...",
    .description =
        "Gives the records that DELTA names by the schema's key the values of its other columns; columns that DELTA "
        "does not have stay as they are. It is as if they were deleted and inserted, in one step. Where only the release is "
        "not possible, the change is made all the same, no release is written, and the exit status is 1.",
    .operand = "STATE",
    .second = "DELTA",
    .in = IN_UPDATE,
    .examples = examples,
    .run = run,
};
