/* kanon release: publishes what a state holds and records the release. Run by main.c; state_command.c does what all
 * changes of a state share. */
#include "state_command.h"

static const char *const examples[] = {
    "kanon release patients.state -o release.csv",
    "kanon release patients.state -o release.csv --joint-k 10",
    NULL,
};

static kanon_status change(kanon_state *state, const arguments *args, const kanon_change_options *how, kanon_change *out,
                           kanon_error *err)
{
    (void)args;
    return kanon_state_release(state, how, out, err);
}

/* A release without -o goes to standard output. */
static int run(const command *self, const arguments *given)
{
    arguments args = *given;
    if (args.release == NULL)
        args.release = "-";
    return run_state_change(self, &args, change, NULL);
}

const command command_release = {
    .name = "release",
    .summary = "release what a state holds, and record it",
    .usage = "STATE [-o RELEASE] [--joint-k K] [OPTION]...",
    .description = "Writes the table that STATE holds with the quasi-identifiers of each group made equal, and records in "
                   "STATE what was released. Also says how much larger the loss is than that of a fresh run.",
    .operand = "STATE",
    .in = IN_RELEASE,
    .examples = examples,
    .run = run,
};
