/* kanon improve: reads a table and groups of it, which any tool may have made, and searches for groups that lose less.
 * Run by main.c; calls the library, release_run.c and paths.c. */
#include "paths.h"
#include "release_run.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const examples[] = {
    "kanon improve patients.csv -s patients.yaml --groups g.csv -o better.csv",
    "kanon improve patients.csv -s patients.yaml --release r.csv -o better.csv",
    "kanon improve patients.state",
    NULL,
};

/* A run, and what it begins with. */
typedef struct improvement {
    release_run run;
    kanon_grouping *start;
    kanon_measures *before; /* the figures of `start`; NULL: nothing is printed */
} improvement;

static kanon_status read_start(improvement *work, const arguments *args, kanon_error *err)
{
    if (args->given_groups != NULL)
        return kanon_grouping_read(&work->start, work->run.table, KANON_PATH(args->given_groups), err);
    return kanon_grouping_from_release(&work->start, work->run.table, KANON_PATH(args->given_release), work->run.schema,
                                       err);
}

static kanon_status improve(improvement *work, kanon_error *err)
{
    const arguments *args = work->run.args;
    kanon_evaluate_options brief = {.struct_size = sizeof brief, .brief = 1};
    kanon_read_options reading = read_options(args, &work->run.show);
    reading.memory = args->memory;
    kanon_status st = release_run_read(&work->run, &reading, err);
    if (st == KANON_OK)
        st = read_start(work, args, err);
    if (st == KANON_OK && !args->quiet)
        st = kanon_evaluate(&work->before, work->run.table, work->start, &brief, err);
    kanon_options grouping = {.start = work->start, .repair = args->repair, .memory = args->memory};
    return st == KANON_OK ? release_run_group(&work->run, grouping, err) : st;
}

/* Whether no record changed its group; how groups are numbered does not matter. */
static bool same_groups(const kanon_grouping *a, const kanon_grouping *b)
{
    int64_t n = kanon_grouping_describe(a)->rows, n_groups = kanon_grouping_describe(a)->groups;
    bool same = n_groups == kanon_grouping_describe(b)->groups;
    int64_t *number = calloc((size_t)n_groups + 1, sizeof *number); /* by group of a: that of b, and 1 */
    same = same && number != NULL;
    for (int64_t row = 0; same && row < n; row++) {
        int64_t group = kanon_grouping_group_of(a, row), other = kanon_grouping_group_of(b, row) + 1;
        int64_t *known = &number[group];
        same = (*known == 0 || *known == other) && (group == 0) == (other == 1); /* 0 is suppressed */
        *known = other;
    }
    free(number);
    return same;
}

/* The last lines on standard error: what it was before, and what it is now. */
static void print_summary(const improvement *work)
{
    const kanon_grouping_info *now = kanon_grouping_describe(work->run.grouping);
    double before = kanon_measures_find(work->before, "information_loss", NULL)->value;
    double after = release_run_figure(&work->run, "information_loss");
    release_run_print_written(&work->run);
    release_run_print_repeat(&work->run);
    if (same_groups(work->start, work->run.grouping))
        say("nothing better was found: the groups are the same; a higher --effort or another --seed may find more");
    say("%" PRId64 " records in %" PRId64 " groups, k %" PRId64 ", %" PRId64 " suppressed, information loss %.10g, before "
        "%.10g, seed %" PRIu64 ", %.2f s",
        now->rows, now->groups, now->smallest, now->suppressed, after, before, work->run.args->seed,
        progress_seconds(&work->run.show));
}

/* Wrong usage is reported before files are read; `schema` NULL: it was not read yet. */
static int check_usage(const command *self, const arguments *args, const kanon_schema *schema)
{
    const char *outputs[] = {args->release, args->new_groups, args->report, args->report_external, args->codebook};
    const char *inputs[] = {args->operand, args->schema, args->given_groups, args->given_release};
    command_paths paths = {.outputs = outputs, .n_outputs = 5, .inputs = inputs, .n_inputs = 4};
    if (schema != NULL)
        return check_schema_paths(self, &paths, schema);
    if (!arguments_have_schema(args))
        return no_schema(self);
    if ((args->given_groups == NULL) == (args->given_release == NULL))
        return wrong_usage(self, "give the groups to begin with: either --groups FILE or --release FILE");
    int status = check_paths(self, &paths);
    return status == EXIT_DONE ? check_places(&paths) : status;
}

static int finish(const improvement *work, const kanon_error *err)
{
    const release_run *run = &work->run;
    if (err->status != KANON_OK && run->publishing && is_standard(run->args->release))
        stop_if_asked("standard output is not complete");
    if (err->status != KANON_OK)
        return failed(run->self, err);
    release_run_print_warnings(run);
    release_run_print_verdict(run);
    if (!run->args->quiet)
        print_summary(work);
    return EXIT_DONE;
}

static int run(const command *self, const arguments *given)
{
    kanon_error err = KANON_INIT(kanon_error);
    arguments args = *given;
    if (args.release == NULL)
        args.release = "-";
    improvement work = {.run = {.self = self, .args = &args, .groups = args.new_groups}};
    int status = check_usage(self, &args, NULL);
    if (status != EXIT_DONE)
        return status;
    progress_begin(&work.run.show, args.quiet);
    kanon_status st = arguments_schema(&work.run.schema, &args, &err);
    if (st == KANON_OK && (status = check_usage(self, &args, work.run.schema)) != EXIT_DONE) {
        progress_end(&work.run.show);
    } else {
        if (st == KANON_OK)
            st = improve(&work, &err);
        if (st == KANON_OK)
            st = release_run_publish(&work.run, &err);
        err.status = st;
        progress_end(&work.run.show);
        status = finish(&work, &err);
    }
    kanon_measures_free(work.before);
    kanon_grouping_free(work.start);
    release_run_clear(&work.run);
    return status;
}

const command command_improve = {
    .name = "improve",
    .summary = "improve an existing grouping, from kanon or any other tool",
    .usage = "TABLE -s SCHEMA [-k K] --groups FILE|--release FILE [-o RELEASE] [OPTION]...",
    .description = "Begins with groups of the records of TABLE (CSV, Parquet, FILE.db#TABLE or adbc:...; -: standard "
                   "input), or with a release of it by any tool, and searches for groups that lose less information and "
                   "satisfy the same. The result never loses more than what it began with. Writes the release of the new "
                   "groups. With a state in place of TABLE its groups are improved: kanon optimize --help has the options.",
    .operand = "TABLE",
    .in = IN_IMPROVE,
    .examples = examples,
    .run = run,
};
