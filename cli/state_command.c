/* What the commands that change a state share: their options, the outputs, opening the state and printing what was
 * done. */
#include "state_command.h"
#include "paths.h"
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Outputs in one place would overwrite each other, or what is read. */
static int check_outputs(const command *self, const arguments *args)
{
    const char *outputs[] = {args->release, args->groups, args->report, args->report_external, args->codebook};
    const char *inputs[] = {args->second};
    command_paths paths = {.outputs = outputs, .n_outputs = 5, .inputs = inputs, .n_inputs = 1, .state = args->operand};
    return check_paths(self, &paths);
}

/* --wait 0 means: do not wait, which is -1 in the library, where 0 is the default. */
kanon_status open_state(kanon_state **out, const arguments *args, void *show, kanon_error *err)
{
    kanon_state_options options = {
        .struct_size = sizeof options,
        .wait_seconds = args->wait < 0   ? 0
                        : args->wait > 0 ? (int)args->wait
                                         : -1,
        .tick = progress_tick,
        .payload = show,
    };
    return kanon_state_open(out, args->operand, &options, err);
}

/* The audit of a release with all before it: what it took, and what is wrong. Warnings are about privacy: --quiet does not
 * keep them back. */
static void print_audit(const kanon_change *done, bool quiet)
{
    const char *since = done->joint_made_below == done->joint_below ? "" : ", not all of them since this release";
    if (done->joint_required && !quiet)
        say("joint classes: %" PRId64 " records withheld, %" PRId64 " shown in another group, %" PRId64 " groups joined",
            done->withheld, done->moved, done->merged);
    if (done->joint_below == 0 && !quiet)
        say("audit: joint k is %" PRId64 " over %" PRId64 " releases, %" PRId64 " is %s", done->joint_smallest,
            done->release, done->joint_k, done->joint_required ? "required" : "the k of the state");
    if (done->joint_below == 0)
        return;
    if (done->joint_required)
        say("warning: audit: %" PRId64 " records were in joint classes below %" PRId64
            " before this release, which no release can change; it makes no other class so small",
            done->joint_below, done->joint_k);
    else
        say("warning: audit: those who have all %" PRId64 " releases can tell %" PRId64 " records from fewer than %" PRId64
            " others%s; nothing was withheld, because joint-k is off; see kanon audit, and --joint-k",
            done->release, done->joint_below, done->joint_k - 1, since);
}

/* The names of columns may hold anything. */
static void print_question(const kanon_change *done)
{
    fputs("kanon: warning: ", stderr);
    print_clean(stderr, done->question);
    fputs("; look whether columns are exchanged: to take the records out again, delete them\n", stderr);
}

static void print_privacy(const kanon_change *done)
{
    fputs("kanon: warning: ", stderr);
    print_clean(stderr, done->privacy);
    fputc('\n', stderr);
}

/* The summary of a change, on standard error; parts that do not apply are left out. */
static void print_change(const kanon_change *done, const char *verb, double seconds)
{
    char changed[96] = "", groups[160] = "", repaired[48] = "", loss[128] = "";
    if (verb != NULL)
        snprintf(changed, sizeof changed, "%" PRId64 " records %s; ", done->changed, verb);
    if (done->repaired > 0)
        snprintf(repaired, sizeof repaired, ", %" PRId64 " repaired", done->repaired);
    if (done->splits + done->dispersed + done->repaired > 0)
        snprintf(groups, sizeof groups, " (%" PRId64 " split, %" PRId64 " dispersed%s)", done->splits, done->dispersed,
                 repaired);
    if (!isnan(done->loss_before))
        snprintf(loss, sizeof loss, ", average loss %.4f, before %.4f", done->loss, done->loss_before);
    else if (!isnan(done->loss))
        snprintf(loss, sizeof loss, ", average loss %.4f", done->loss);
    say("%s%" PRId64 " records in %" PRId64 " group%s%s, k %" PRId64 "%s, %.2f s", changed, done->records, done->groups,
        done->groups == 1 ? "" : "s", groups, done->k, loss, seconds);
    if (done->grown > 0)
        say("%" PRId64 " values are new in the taxonomies", done->grown);
    if (done->release > 0)
        say("this is release %" PRId64, done->release);
    if (!isnan(done->drift))
        say("the loss is %.1f %% %s that of a fresh run, on a sample", 100 * fabs(done->drift),
            done->drift >= 0 ? "above" : "below");
}

/* All commands that change a state: open it, change it by `change`, report, close it. The library writes
 * outputs and change together, or neither. */
int run_state_change(const command *self, const arguments *args, state_change change, const char *verb)
{
    kanon_state *state = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    progress show;
    kanon_outputs outputs = {
        .struct_size = sizeof outputs,
        .release = KANON_TO_PATH(args->release),
        .groups = KANON_TO_PATH(args->groups),
        .report = KANON_TO_PATH(args->report),
        .report_external = KANON_TO_PATH(args->report_external),
        .codebook = KANON_TO_PATH(args->codebook),
        .numeric = (kanon_numeric)args->numeric,
        .shuffle = args->shuffle || args->shuffle_seed >= 0,
        .shuffle_seed = args->shuffle_seed >= 0 ? (uint64_t)args->shuffle_seed : 0,
        .tick = progress_tick,
        .payload = &show,
    };
    bool publishes = args->release != NULL || args->groups != NULL || args->report != NULL ||
                     args->report_external != NULL || args->codebook != NULL;
    kanon_change_options options = {
        .struct_size = sizeof options,
        .grow_taxonomy = args->grow_taxonomy,
        .outputs = publishes ? &outputs : NULL,
        .joint_k = args->joint_k,
        .again = args->again,
        .effort = args->effort,
    };
    int status = check_outputs(self, args);
    if (status != EXIT_DONE)
        return status;
    if (args->joint_k != 0 && args->release == NULL)
        return wrong_usage(self, "--joint-k is about a release; give -o RELEASE");
    progress_begin(&show, args->quiet);
    signals_catch_reading(args->second != NULL ? args->second : args->operand);
    kanon_status st = open_state(&state, args, &show, &err);
    if (st == KANON_OK)
        st = change(state, args, &options, &done, &err);
    err.status = st;
    progress_end(&show);
    if (st != KANON_OK)
        status = failed(self, &err);
    else if (!args->quiet)
        print_change(&done, verb, progress_seconds(&show));
    if (st == KANON_OK && done.question[0] != '\0' && !args->quiet)
        print_question(&done);
    if (st == KANON_OK && done.privacy[0] != '\0')
        print_privacy(&done);
    if (st == KANON_OK && done.release > 1)
        print_audit(&done, args->quiet);
    kanon_state_close(state);
    return status;
}
