/* See release_run.h: the options, the run in its three steps, and what is printed at the end. */
#include "release_run.h"

#include "command_line.h"
#include "paths.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading and grouping ---------------------------------------------------------------------------------------- */

kanon_status release_run_read(release_run *run, const kanon_read_options *reading, kanon_error *err)
{
    signals_catch_reading(run->args->operand);
    const kanon_input input = table_at(run->args->operand, run->args);
    kanon_status st = kanon_table_read(&run->table, &input, run->schema, reading, err);
    signals_catch();
    if (st == KANON_OK) { /* before the work, so that nobody waits for a release that has to be made again */
        progress_end(&run->show);
        print_privacy_warnings(run->table);
        print_table_warnings(run->table, run->args->quiet);
    }
    return st;
}

/* What the flags of the refinement say, to be freed; NULL: out of memory. */
static kanon_setting *refine_settings(size_t *n_out, const arguments *args)
{
    size_t n = 0;
    kanon_setting *out = calloc(args->refine_settings.n + 2, sizeof *out);
    if (out == NULL)
        return NULL;
    if (args->moves != NULL)
        out[n++] = (kanon_setting){"moves", args->moves};
    if (args->time_limit != NULL)
        out[n++] = (kanon_setting){"time-limit", args->time_limit};
    for (size_t i = 0; i < args->refine_settings.n; i++)
        out[n++] = args->refine_settings.items[i];
    *n_out = n;
    return out;
}

/* The settings of the refinement that do not depend on a clock or a signal, in place of those that did. Later ones win, so
 * they come last. */
static bool put_repeat(arguments *repeated, const arguments *args, const kanon_grouping *grouping)
{
    const kanon_setting *pairs;
    size_t n = kanon_grouping_repeat(grouping, &pairs);
    if (n == 0)
        return true;
    repeated->refine_settings.items = calloc(args->refine_settings.n + n, sizeof *pairs);
    if (repeated->refine_settings.items == NULL)
        return false;
    for (size_t i = 0; i < args->refine_settings.n; i++)
        repeated->refine_settings.items[i] = args->refine_settings.items[i];
    repeated->refine_settings.n = args->refine_settings.n;
    for (size_t i = 0; i < n; i++) {
        bool is_moves = strcmp(pairs[i].name, "moves") == 0; /* it has a flag of its own */
        if (is_moves)
            repeated->moves = pairs[i].value;
        else
            repeated->refine_settings.items[repeated->refine_settings.n++] = pairs[i];
        repeated->time_limit = is_moves ? NULL : repeated->time_limit;
    }
    return true;
}

/* The command that makes the release again, for the report and for who stopped the search. k and the algorithm are in it
 * even where they are the default or come from the schema. */
static kanon_status describe(release_run *run, kanon_error *err)
{
    const arguments *args = run->args;
    arguments repeated = *args;
    const kanon_setting *pairs;
    if (args->report == NULL && kanon_grouping_repeat(run->grouping, &pairs) == 0)
        return KANON_OK;
    if (repeated.k == 0)
        repeated.k = schema_k(run->schema);
    repeated.algorithm = kanon_grouping_describe(run->grouping)->algorithm;
    if (put_repeat(&repeated, args, run->grouping))
        run->command = command_line(run->self, &repeated);
    if (repeated.refine_settings.items != args->refine_settings.items)
        free(repeated.refine_settings.items);
    return run->command != NULL ? KANON_OK : no_memory(err);
}

kanon_status release_run_options(kanon_options *options, kanon_setting **refining, release_run *run, kanon_error *err)
{
    const arguments *args = run->args;
    *refining = refine_settings(&options->n_refine_settings, args);
    if (*refining == NULL)
        return no_memory(err);
    options->struct_size = sizeof *options;
    options->k = args->k;
    options->refine = args->refine;
    options->refine_settings = *refining;
    options->effort = args->effort;
    options->seed = args->seed;
    options->threads = (int)args->threads;
    options->tick = progress_tick;
    options->payload = &run->show;
    return KANON_OK;
}

kanon_status release_run_group(release_run *run, kanon_options options, kanon_error *err)
{
    kanon_setting *refining = NULL;
    kanon_status st = release_run_options(&options, &refining, run, err);
    const kanon_outputs outputs = {.struct_size = sizeof outputs,
                                   .release = KANON_TO_PATH(run->args->release),
                                   .numeric = (kanon_numeric)run->args->numeric,
                                   .shuffle = run->args->shuffle || run->args->shuffle_seed >= 0};
    options.outputs = &outputs;
    if (st == KANON_OK && run->args->state != NULL) /* before the work: a state has no room for two of one key */
        st = kanon_table_check_key(run->table, run->schema, progress_tick, &run->show, err);
    if (st == KANON_OK)
        st = kanon_anonymize(&run->grouping, run->table, &options, err);
    free(refining);
    return st == KANON_OK ? describe(run, err) : st;
}

/* ---- publishing -------------------------------------------------------------------------------------------------- */

kanon_status release_run_publish(release_run *run, kanon_error *err)
{
    const arguments *args = run->args;
    kanon_evaluate_options evaluating = {
        .struct_size = sizeof evaluating,
        .brief = !args->verbose && args->report == NULL && args->report_external == NULL,
        .threads = (int)args->threads,
        .tick = progress_tick,
        .payload = &run->show,
    };
    kanon_outputs outputs = {
        .struct_size = sizeof outputs,
        .release = KANON_TO_PATH(args->release),
        .groups = KANON_TO_PATH(run->groups),
        .report = KANON_TO_PATH(args->report),
        .report_external = KANON_TO_PATH(args->report_external),
        .codebook = KANON_TO_PATH(args->codebook),
        .numeric = (kanon_numeric)args->numeric,
        .shuffle = args->shuffle || args->shuffle_seed >= 0,
        .shuffle_seed = args->shuffle_seed >= 0 ? (uint64_t)args->shuffle_seed : 0,
        .threads = (int)args->threads,
        .tick = progress_tick,
        .payload = &run->show,
        .command = run->command,
        .population = args->population != NULL ? KANON_PATH(args->population) : NULL,
        .population_schema = run->schema,
    };
    kanon_state_options keeping = {.struct_size = sizeof keeping, .tick = progress_tick, .payload = &run->show};
    const kanon_prove_options proving = prove_options(args, &run->show);
    kanon_status st = kanon_evaluate(&run->measures, run->table, run->grouping, &evaluating, err);
    if (st == KANON_OK && args->from_certificate != NULL)
        st = kanon_measures_prove(run->measures, run->table, run->grouping, KANON_PATH(args->from_certificate), &proving,
                                  err);
    const kanon_advise_options advising = {.struct_size = sizeof advising,
                                           .proved = args->from_certificate != NULL,
                                           .threads = (int)args->threads,
                                           .tick = progress_tick,
                                           .payload = &run->show};
    if (st == KANON_OK && args->report != NULL)
        st = kanon_advise_with(&run->advice, run->table, run->grouping, &advising, err);
    if (st == KANON_OK && signals_caught() != 0)
        st = err->status = KANON_ECANCELLED;
    outputs.measures = run->measures;
    if (st == KANON_OK)
        st = kanon_verdict_of(&run->verdict, run->table, run->grouping, &outputs, err);
    if (st == KANON_OK) {
        outputs.advice = run->advice;
        run->publishing = true;
        st = args->state != NULL
                 ? kanon_state_create(args->state, run->table, run->schema, run->grouping, &outputs, &keeping, err)
                 : kanon_publish(run->table, run->grouping, &outputs, err);
    }
    return st;
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

double release_run_figure(const release_run *run, const char *name)
{
    const kanon_figure *found = kanon_measures_find(run->measures, name, NULL);
    return found == NULL ? 0 : found->value;
}

void release_run_print_warnings(const release_run *run)
{
    const kanon_notice *notice;
    for (size_t i = 0; (notice = kanon_grouping_notice_at(run->grouping, i)) != NULL; i++)
        if (notice->kind == KANON_NOTICE_PRIVACY || (notice->kind == KANON_NOTICE_GENERAL && !run->args->quiet))
            say("warning: %s", notice->text);
}

/* Whether the table or the grouping has warned of it, in the same words. */
static bool is_told(const release_run *run, const char *sentence)
{
    const kanon_notice *notice;
    for (size_t i = 0; (notice = kanon_table_notice_at(run->table, i)) != NULL; i++)
        if (strcmp(notice->text, sentence) == 0)
            return true;
    for (size_t i = 0; (notice = kanon_grouping_notice_at(run->grouping, i)) != NULL; i++)
        if (strcmp(notice->text, sentence) == 0)
            return true;
    return false;
}

/* With --verbose every row; else what nobody has been warned of. */
void release_run_print_verdict(const release_run *run)
{
    const kanon_verdict_row *row;
    char lead[120];
    for (size_t i = 0; (row = kanon_verdict_at(run->verdict, i)) != NULL; i++) {
        if (run->args->verbose) {
            snprintf(lead, sizeof lead, "%s: %s: ", kanon_enum_text(KANON_ENUM_MARK, (int)row->mark), row->heading);
            fputs(lead, stderr);
            print_wrapped(stderr, row->sentence, (int)strlen(lead), 2);
        } else if (row->mark == KANON_MARK_LOOK && strcmp(row->name, "released-as-they-are") == 0 &&
                   !is_told(run, row->sentence)) {
            say("warning: %s: %s", row->heading, row->sentence);
        }
    }
    if (run->args->verbose)
        fputc('\n', stderr);
}

void release_run_print_repeat(const release_run *run)
{
    const kanon_setting *pairs;
    if (kanon_grouping_describe(run->grouping)->stopped)
        say("stopped before the search was done; these are the best groups until then");
    if (kanon_grouping_repeat(run->grouping, &pairs) > 0)
        say("the same groups again: %s", run->command);
}

void release_run_print_written(const release_run *run)
{
    const arguments *args = run->args;
    const char *paths[] = {args->release, args->codebook, args->report_external, args->report, run->groups, args->state};
    bool some = false;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (paths[i] == NULL || is_standard(paths[i]))
            continue;
        fputs(some ? ", " : "kanon: written: ", stderr);
        print_clean(stderr, shown(paths[i]));
        some = true;
    }
    if (some)
        fputc('\n', stderr);
}

void release_run_clear(release_run *run)
{
    free(run->command);
    kanon_verdict_free(run->verdict);
    kanon_advice_free(run->advice);
    kanon_measures_free(run->measures);
    kanon_grouping_free(run->grouping);
    kanon_table_free(run->table);
    kanon_schema_free(run->schema);
}
