/* kanon insert: adds records to a state. Run by main.c through the table of commands. What all changes of a state
 * share is in state_command.c; this file adds its options and the call of kanon_state_change. */
#include "progress.h"
#include "state_command.h"

static const char *const examples[] = {
    "kanon insert patients.state new.csv",
    "kanon insert patients.state new.csv -o release.csv --joint-k 10",
    NULL,
};

static kanon_status change(kanon_state *state, const arguments *args, const kanon_change_options *how, kanon_change *out,
                           kanon_error *err)
{
    const kanon_input delta = table_at(args->second, args);
    return kanon_state_change(state, KANON_INSERT, &delta, how, out, err);
}

static int run(const command *self, const arguments *args)
{
    return run_state_change(self, args, change, "inserted");
}

const command command_insert = {
    .name = "insert",
    .summary = "add records to a state",
    .usage = "STATE DELTA [-o RELEASE] [OPTION]...",
    .description = "Adds the records of DELTA (a table with all columns, as CSV, Parquet, FILE.db#TABLE or adbc:...; -: "
                   "standard input) to STATE. Each joins the "
                   "group whose loss grows least; a group that reaches 2k records is split. Groups that would "
                   "violate a constraint of the schema are repaired. Numbers outside the known range widen it; unknown "
                   "categories are bad input. All of DELTA is added, or nothing.",
    .operand = "STATE",
    .second = "DELTA",
    .in = IN_INSERT,
    .examples = examples,
    .run = run,
};
