/* kanon improve: reads a table and groups of it, which any tool may have made, and searches for groups that lose less.
 * Run by main.c; calls the library, paths.c, progress.c and command_line.c. */
#include "command_line.h"
#include "paths.h"
#include "progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const option option_groups = {
    .name = "groups",
    .argument = "FILE",
    .help = "the groups to begin with: CSV with the columns row and group, both from 1; group 0 is suppressed",
    .kind = OPTION_TEXT,
    AT(groups),
};
static const option option_release = {
    .name = "release",
    .argument = "FILE",
    .help = "in place of --groups: a release of TABLE, which any tool may have written, with its records in the order of "
            "TABLE; records that look alike are a group",
    .kind = OPTION_TEXT,
    AT(start_release),
};
static const option option_repair = {
    .name = "repair",
    .help = "change groups that have fewer than K records or do not satisfy the schema (default: refuse them)",
    .kind = OPTION_SWITCH,
    AT(repair),
};
static const option option_method = {
    .name = "refine",
    .argument = "NAME",
    .help = "how the groups are made better (default: search); kanon algorithms lists what there is",
    .kind = OPTION_TEXT,
    AT(refine),
};
static const option option_effort = {
    .name = "effort",
    .argument = "fast|balanced|best",
    .help = "a moment, some seconds (the default), or minutes for less loss",
    .kind = OPTION_TEXT,
    AT(effort),
};
static const option option_moves = {
    .name = "moves",
    .argument = "N",
    .help = "how many moves are tried; the same number gives the same release",
    .kind = OPTION_TEXT,
    AT(moves),
};
static const option option_time_limit = {
    .name = "time-limit",
    .argument = "SECONDS",
    .help = "how long the search takes; the release then depends on how fast the machine is",
    .kind = OPTION_TEXT,
    AT(time_limit),
};
static const option option_output = {
    .name = "output",
    .letter = 'o',
    .argument = "RELEASE",
    .help = "where the release goes (default: -, standard output)",
    .kind = OPTION_TEXT,
    AT(release),
};
static const option option_new_groups = {
    .name = "new-groups",
    .argument = "FILE",
    .help = "also write which record is in which group now",
    .kind = OPTION_TEXT,
    AT(new_groups),
    .aside = true,
};
static const option option_report = {
    .name = "report",
    .argument = "FILE",
    .help = "also write the figures: a page with plots where FILE ends in .html, else JSON",
    .kind = OPTION_TEXT,
    AT(report),
    .aside = true,
};

static const option *const options[] = {
    SCHEMA_OPTIONS,  &option_groups,
    &option_release, &option_repair,
    &option_k,       &option_constraint,
    &option_entity,  &option_suppress,
    &option_method,  &option_effort,
    &option_moves,   &option_time_limit,
    &option_seed,    &option_threads,
    &option_output,  &option_new_groups,
    &option_report,  READING_OPTIONS,
    &option_strict,  &option_quiet,
    &option_help,    NULL,
};

static const char *const examples[] = {
    "kanon improve patients.csv -s patients.yaml --groups g.csv -o better.csv",
    "kanon improve patients.csv -s patients.yaml --release r.csv -o better.csv",
    NULL,
};

/* What a run holds while it goes on. */
typedef struct job {
    kanon_schema *schema;
    kanon_table *table;
    kanon_grouping *start, *grouping;
    kanon_measures *before, *after;
    progress show;
} job;

static kanon_status read_start(job *work, const arguments *args, kanon_error *err)
{
    if (args->groups != NULL)
        return kanon_grouping_read(&work->start, work->table, args->groups, err);
    return kanon_grouping_from_release(&work->start, work->table, args->start_release, work->schema, err);
}

static kanon_status improve(job *work, const arguments *args, kanon_error *err)
{
    kanon_setting refining[2];
    size_t n = 0;
    if (args->moves != NULL)
        refining[n++] = (kanon_setting){option_moves.name, args->moves};
    if (args->time_limit != NULL)
        refining[n++] = (kanon_setting){option_time_limit.name, args->time_limit};
    kanon_options improving = {
        .struct_size = sizeof improving,
        .k = args->k,
        .start = work->start,
        .repair = args->repair,
        .refine = args->refine,
        .refine_settings = refining,
        .n_refine_settings = n,
        .effort = args->effort,
        .seed = args->seed,
        .threads = (int)args->threads,
        .tick = progress_tick,
        .payload = &work->show,
    };
    return kanon_anonymize(&work->grouping, work->table, &improving, err);
}

/* The figures of both groupings for the last line, and the outputs. */
static kanon_status publish(job *work, const command *self, const arguments *args, kanon_error *err)
{
    kanon_evaluate_options brief = {.struct_size = sizeof brief, .brief = 1};
    kanon_evaluate_options evaluating = {
        .struct_size = sizeof evaluating,
        .brief = args->report == NULL,
        .threads = (int)args->threads,
        .tick = progress_tick,
        .payload = &work->show,
    };
    char *line = command_line(self, args);
    kanon_outputs outputs = {
        .struct_size = sizeof outputs,
        .release = args->release,
        .groups = args->new_groups,
        .report = args->report,
        .threads = (int)args->threads,
        .tick = progress_tick,
        .payload = &work->show,
        .command = line,
    };
    kanon_status st = kanon_evaluate(&work->before, work->table, work->start, &brief, err);
    if (st == KANON_OK)
        st = kanon_evaluate(&work->after, work->table, work->grouping, &evaluating, err);
    outputs.measures = evaluating.brief ? NULL : work->after;
    if (st == KANON_OK)
        st = kanon_publish(work->table, work->grouping, &outputs, err);
    free(line);
    return st;
}

static double loss(const kanon_measures *measures)
{
    return kanon_measures_find(measures, "information_loss", NULL)->value;
}

/* The last line on standard error: what it was before, and what it is now. */
static void print_summary(const job *work, const arguments *args)
{
    const char *text;
    for (int i = 0; (text = kanon_grouping_warning(work->grouping, i)) != NULL; i++)
        say("warning: %s", text);
    if (kanon_grouping_stopped(work->grouping))
        say("stopped before the search was done; these are the best groups until then");
    say("%" PRId64 " records in %" PRId64 " groups, k %" PRId64 ", %" PRId64 " suppressed, information loss %.10g, before "
        "%.10g, seed %" PRIu64 ", %.2f s",
        kanon_grouping_rows(work->grouping), kanon_grouping_groups(work->grouping), kanon_grouping_smallest(work->grouping),
        kanon_grouping_suppressed(work->grouping), loss(work->after), loss(work->before), args->seed,
        progress_seconds(&work->show));
}

/* Wrong usage is reported before files are read. */
static int check_usage(const command *self, const arguments *args)
{
    const char *outputs[] = {args->release, args->new_groups, args->report};
    const char *inputs[] = {args->operand, args->schema, args->groups, args->start_release};
    command_paths paths = {.outputs = outputs, .n_outputs = 3, .inputs = inputs, .n_inputs = 4};
    if (!arguments_have_schema(args))
        return wrong_usage(self, "no schema; give -s SCHEMA, or name columns with --quasi");
    if ((args->groups == NULL) == (args->start_release == NULL))
        return wrong_usage(self, "give the groups to begin with: either --groups FILE or --release FILE");
    return check_paths(self, &paths);
}

static int run(const command *self, const arguments *given)
{
    job work = {0};
    kanon_error err = {0};
    arguments args = *given;
    if (args.release == NULL)
        args.release = "-";
    int status = check_usage(self, &args);
    if (status != EXIT_DONE)
        return status;
    progress_begin(&work.show, args.quiet);
    kanon_read_options reading = read_options(&args, &work.show);
    kanon_status st = arguments_schema(&work.schema, &args, &err);
    signals_catch_reading(args.operand);
    if (st == KANON_OK)
        st = kanon_table_read(&work.table, args.operand, work.schema, &reading, &err);
    signals_catch();
    if (st == KANON_OK)
        print_privacy_warnings(work.table);
    if (st == KANON_OK)
        st = read_start(&work, &args, &err);
    if (st == KANON_OK)
        st = improve(&work, &args, &err);
    if (st == KANON_OK)
        st = publish(&work, self, &args, &err);
    progress_end(&work.show);
    if (st == KANON_OK && !args.quiet)
        print_summary(&work, &args);
    status = st == KANON_OK ? EXIT_DONE : failed(self, &err);
    kanon_measures_free(work.after);
    kanon_measures_free(work.before);
    kanon_grouping_free(work.grouping);
    kanon_grouping_free(work.start);
    kanon_table_free(work.table);
    kanon_schema_free(work.schema);
    return status;
}

const command command_improve = {
    .name = "improve",
    .summary = "make groups better that are there already, whoever made them",
    .usage = "TABLE -s SCHEMA [-k K] --groups FILE|--release FILE [-o RELEASE] [OPTION]...",
    .description = "Begins with groups of the records of TABLE (CSV, Parquet, FILE.db#TABLE or adbc:...; -: standard "
                   "input), or with a release of it by any tool, and searches for groups that lose less information and "
                   "satisfy the same. The result never loses more than what it began with. Writes the release of the new "
                   "groups.",
    .operand = "TABLE",
    .options = options,
    .examples = examples,
    .run = run,
};
