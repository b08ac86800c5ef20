/* kanon delete: removes records from a state. Run by main.c through the table of commands. What all changes of a state
 * share is in state_command.c; this file adds its options and the call of kanon_state_change. */
#include "progress.h"
#include "state_command.h"

static const char *const examples[] = {
    "kanon delete patients.state gone.csv",
    NULL,
};

static kanon_status change(kanon_state *state, const arguments *args, const kanon_change_options *how, kanon_change *out,
                           kanon_error *err)
{
    const kanon_input delta = table_at(args->second, args);
    return kanon_state_change(state, KANON_DELETE, &delta, how, out, err);
}

static int run(const command *self, const arguments *args)
{
    return run_state_change(self, args, change, "deleted");
}

const command command_delete = {
    .name = "delete",
    .summary = "remove records from a state",
    .usage = "STATE DELTA [-o RELEASE] [OPTION]...",
    .description =
        "Removes the records that DELTA names from STATE: by the columns of the schema's key, or by all columns where "
        "it has none. Groups that fall short of k are dispersed, those that violate a constraint of the schema are "
        "repaired. All of DELTA is removed, or nothing; exit status 1 where fewer than k records would be left, or no "
        "grouping could satisfy a constraint. Where only the release is not possible, DELTA is removed all the same, no "
        "release is written, and the exit status is 1.",
    .operand = "STATE",
    .second = "DELTA",
    .in = IN_DELETE,
    .examples = examples,
    .run = run,
};
