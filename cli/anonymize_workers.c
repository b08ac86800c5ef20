/* See anonymize_workers.h. */
#include "anonymize_workers.h"

#include "paths.h"
#include "workers/workers.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* ---- what does not go with workers --------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), size = strlen(ending);
    return length > size && strcasecmp(text + length - size, ending) == 0;
}

/* The forms of a release that are not CSV: kanon.h. */
static bool is_typed_table(const char *path)
{
    return is_driver(path) || ends_with(path, ".parquet") || strstr(path, ".db#") != NULL || strstr(path, ".db3#") != NULL ||
           strstr(path, ".sqlite#") != NULL || strstr(path, ".sqlite3#") != NULL;
}

int check_workers(const command *self, const arguments *args)
{
    const struct {
        bool given;
        const char *said, *reason;
    } refused[] = {
        {is_standard(args->operand), "standard input", "it is read in parts; write it to a file first"},
        {is_typed_table(args->operand), "this table", "only CSV files are read in parts; export it as CSV"},
        {is_typed_table(args->release), "this release", "workers write CSV; convert the release afterwards"},
        {args->blocks == KANON_BLOCKS_NONE, "--blocks none", "each worker groups a block; leave it out, or name a size"},
        {args->groups != NULL && is_typed_table(args->groups), "this groups file",
         "workers write CSV; convert it afterwards"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].given)
            return wrong_usage(self, "%s cannot be combined with --workers: %s", refused[i].said, refused[i].reason);
    option_walk walk = {.self = self};
    for (const option *opt; (opt = option_next(&walk)) != NULL;)
        if (opt->in_workers != NULL && option_given(opt, args))
            return wrong_usage(self, "--%s cannot be combined with --workers: %s", opt->name,
                               opt->in_workers + strlen(NOT("")));
    return EXIT_DONE;
}

/* ---- the run ------------------------------------------------------------------------------------------------------- */

typedef struct worker_job {
    progress *show;
    bool quiet;
} worker_job;

static int tick(const kanon_progress *now, void *payload)
{
    return progress_tick(now, ((worker_job *)payload)->show);
}

static void warn(const kanon_notice *notice, void *payload)
{
    const worker_job *job = payload;
    if (job->quiet && notice->kind != KANON_NOTICE_PRIVACY)
        return;
    progress_end(job->show);
    say("warning: %s", notice->text);
}

static double figure(const workers_result *result, const char *name)
{
    const kanon_figure *found = kanon_measures_find(result->measures, name, NULL);
    return found == NULL ? 0 : found->value;
}

static void print_written(const arguments *args)
{
    const char *paths[] = {args->release, args->groups};
    bool some = false;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (paths[i] == NULL || is_standard(paths[i]))
            continue;
        fputs(some ? ", " : "kanon: written: ", stderr);
        print_clean(stderr, paths[i]);
        some = true;
    }
    if (some)
        fputc('\n', stderr);
}

/* As without workers, and with what the workers did. */
static void print_summary(const workers_result *result, const arguments *args, const char *algorithm, const progress *show)
{
    double groups = figure(result, "groups");
    print_written(args);
    say("%" PRId64 " records in %.0f group%s, k %.0f, information loss %.10g (average %.4f), %s, seed %" PRIu64 ", %" PRId64
        " block%s of at least %" PRId64 ", %" PRId64 " worker%s, %.2f s",
        result->records, groups, groups == 1 ? "" : "s", figure(result, "k"), figure(result, "information_loss"),
        figure(result, "avg_loss"), algorithm, args->seed, result->blocks, result->blocks == 1 ? "" : "s", result->least,
        args->workers, args->workers == 1 ? "" : "s", progress_seconds(show));
}

int run_workers(const command *self, const arguments *args, kanon_schema *schema, const kanon_read_options *reading,
                const kanon_options *grouping, progress *show)
{
    kanon_error err = KANON_INIT(kanon_error);
    workers_result result = {0};
    worker_job job = {.show = show, .quiet = args->quiet};
    const kanon_input input = table_at(args->operand, args);
    workers_order order = {
        .table = args->operand,
        .input = &input,
        .release = args->release,
        .groups = args->groups,
        .schema = schema,
        .reading = reading,
        .grouping = grouping,
        .numeric = (kanon_numeric)args->numeric,
        .k = schema_k(schema),
        .workers = (int)args->workers,
        .memory = args->memory,
        .warn = warn,
        .tick = tick,
        .payload = &job,
    };
    signals_catch();
    kanon_status st = workers_anonymize(&result, &order, &err);
    err.status = st;
    progress_end(show);
    if (st != KANON_OK)
        return failed(self, &err);
    const char *algorithm = args->algorithm != NULL ? args->algorithm : kanon_schema_get(schema, NULL, "algorithm");
    const kanon_notice *notice;
    for (size_t i = 0; (notice = kanon_measures_notice_at(result.measures, i)) != NULL; i++)
        say("warning: %s", notice->text);
    if (!args->quiet && args->verbose)
        print_figures(stderr, result.measures, true);
    if (!args->quiet)
        print_summary(&result, args, kanon_catalogue_find(KANON_CATALOGUE_ALGORITHM, algorithm)->name, show);
    workers_result_clear(&result);
    return EXIT_DONE;
}
