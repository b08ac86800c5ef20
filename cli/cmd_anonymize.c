/* kanon anonymize: reads a table, groups its records and publishes what is asked for. What can be known to fail is
 * refused before the work: outputs in one place, a directory that is not writable, options that exclude each other.
 * Run by main.c; calls the library, release_run.c, anonymize_workers.c, print_proposal.c and paths.c. */
#include "anonymize_workers.h"
#include "paths.h"
#include "print_advice.h"
#include "print_proposal.h"
#include "release_run.h"
#include "state_command.h"
#include "terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const examples[] = {
    "kanon anonymize patients.csv -s patients.yaml -k 10 -o release.csv",
    "kanon anonymize patients.csv --quasi age,zip --identifying name -k 5",
    NULL,
};

enum { N_OUTPUTS = 6 };

/* Outputs in one place would overwrite each other, or what is still being read, and some cannot be written. `schema` NULL:
 * it was not read yet. */
static int check_outputs(const command *self, const arguments *args, const kanon_schema *schema)
{
    const char *outputs[N_OUTPUTS] = {args->release,         args->groups,   args->report,
                                      args->report_external, args->codebook, args->state};
    const char *inputs[] = {args->operand, args->schema};
    command_paths paths = {.outputs = outputs, .n_outputs = N_OUTPUTS, .inputs = inputs, .n_inputs = 2};
    if (schema != NULL)
        return check_schema_paths(self, &paths, schema);
    int status = check_paths(self, &paths);
    paths.state = args->state;
    paths.n_outputs = N_OUTPUTS - 1; /* the state itself belongs to the state */
    if (status == EXIT_DONE)
        status = check_paths(self, &paths);
    paths.n_outputs = N_OUTPUTS;
    return status == EXIT_DONE ? check_places(&paths) : status;
}

/* Whether the list has this setting with this value. */
static bool has_setting(const kanon_setting *settings, size_t n, const char *name, const char *value)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(settings[i].name, name) == 0 && strcmp(settings[i].value, value) == 0)
            return true;
    return false;
}

/* How the table is to be read. */
static kanon_read_options reading_options(release_run *run)
{
    kanon_read_options reading = read_options(run->args, &run->show);
    reading.encode_all = has_setting(run->args->settings.items, run->args->settings.n, "cluster-on", "all");
    reading.memory = run->args->memory;
    return reading;
}

/* What only this command says of the groups. */
static kanon_options grouping_options(const arguments *args)
{
    return (kanon_options){
        .algorithm = args->algorithm,
        .compare = args->report != NULL || args->report_external != NULL,
        .blocks = args->blocks,
        .memory = args->memory,
        .recode = (kanon_recode)args->recode,
        .settings = args->settings.items,
        .n_settings = args->settings.n,
    };
}

/* Read the table and group it. */
static kanon_status group(release_run *run, kanon_error *err)
{
    kanon_read_options reading = reading_options(run);
    kanon_status st = release_run_read(run, &reading, err);
    return st == KANON_OK ? release_run_group(run, grouping_options(run->args), err) : st;
}

/* The same by several processes, which also write the release. */
static int group_with_workers(release_run *run)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_setting *refining = NULL;
    kanon_options grouping = grouping_options(run->args);
    kanon_read_options reading = reading_options(run);
    int status = release_run_options(&grouping, &refining, run, &err) != KANON_OK
                     ? failed(run->self, &err)
                     : run_workers(run->self, run->args, run->schema, &reading, &grouping, &run->show);
    free(refining);
    return status;
}

/* How wide a column name is, as it is printed. */
static int shown_width(const char *name)
{
    return (int)kanon_escape(NULL, 0, name);
}

/* A table of the columns: name, role, type. */
static void print_columns(const kanon_table *table)
{
    const kanon_table_column *column;
    int width = (int)strlen("column");
    for (size_t i = 0; (column = kanon_table_column_at(table, i)) != NULL; i++) {
        int length = shown_width(column->name);
        width = length > width ? length : width;
    }
    terminal_style(stderr, STYLE_HEADING);
    fprintf(stderr, "%-*s  %-12s %s", width, "column", "role", "type");
    terminal_style(stderr, STYLE_PLAIN);
    fputc('\n', stderr);
    for (size_t i = 0; (column = kanon_table_column_at(table, i)) != NULL; i++) {
        print_clean(stderr, column->name);
        fprintf(stderr, "%*s  %-12s %s\n", width - shown_width(column->name), "",
                kanon_enum_text(KANON_ENUM_ROLE, column->role),
                column->type == KANON_TYPE_UNKNOWN ? "-" : kanon_enum_text(KANON_ENUM_TYPE, column->type));
    }
    fputc('\n', stderr);
}

/* --verbose: columns with roles and types, what the algorithm noted, and every figure. */
static void print_details(const release_run *work)
{
    const kanon_notice *notice;
    print_columns(work->table);
    for (size_t i = 0; (notice = kanon_grouping_notice_at(work->grouping, i)) != NULL; i++)
        if (notice->kind == KANON_NOTICE_NOTE)
            print_wrapped(stderr, notice->text, 0, 0);
    print_figures(stderr, work->measures, true);
}

/* The last line on standard error, with what a user compares between runs. */
static void print_summary(const release_run *work, const arguments *args)
{
    const kanon_grouping_info *made = kanon_grouping_describe(work->grouping);
    char suppressed[48] = "";
    release_run_print_repeat(work);
    if (made->suppressed > 0)
        snprintf(suppressed, sizeof suppressed, " and %" PRId64 " suppressed", made->suppressed);
    say("%" PRId64 " records in %" PRId64 " group%s%s, k %" PRId64 ", information loss %.10g (average %.4f), %s, "
        "seed %" PRIu64 ", %.2f s",
        made->rows, made->groups, made->groups == 1 ? "" : "s", suppressed, made->smallest,
        release_run_figure(work, "information_loss"), release_run_figure(work, "avg_loss"), made->algorithm, args->seed,
        progress_seconds(&work->show));
}

/* The columns of which most records show nothing, on the last line: whoever reads nothing else should read that. */
static void print_hidden(const release_run *work)
{
    kanon_group_view *view = NULL;
    bool some = false;
    if (kanon_group_view_new(&view, work->table, work->grouping, NULL) != KANON_OK)
        return;
    for (int i = 0; kanon_table_column_at(work->table, i) != NULL; i++) {
        double share = kanon_group_view_general(view, i);
        if (!(share > 0.5)) /* no quasi-identifier is NAN */
            continue;
        fputs(some ? ", " : "kanon: warning: mostly *: ", stderr);
        print_clean(stderr, kanon_table_column_at(work->table, i)->name);
        fprintf(stderr, " (%.0f %%)", share * 100);
        some = true;
    }
    if (some)
        fputs("; give these columns a taxonomy, bands or another role\n", stderr);
    kanon_group_view_free(view);
}

/* The messages at the end. A release on standard output cannot be taken back, so a stop in the middle says so. */
static int finish(const release_run *work, const arguments *args, const kanon_error *err)
{
    if (err->status != KANON_OK && work->publishing && is_standard(args->release))
        stop_if_asked("standard output is not complete");
    if (err->status != KANON_OK)
        return failed(work->self, err);
    release_run_print_warnings(work);
    release_run_print_verdict(work);
    if (args->quiet)
        return EXIT_DONE;
    if (args->verbose)
        print_details(work);
    print_advice(work->table, work->grouping, work->advice);
    release_run_print_written(work);
    print_summary(work, args);
    print_hidden(work);
    return EXIT_DONE;
}

/* Options that exclude each other, and outputs that cannot be: reported before files are read. */
static int check_usage(const command *self, const arguments *args)
{
    bool mapping = args->recode == KANON_RECODE_ATTRIBUTE;
    if (!arguments_have_schema(args)) {
        int status = no_schema(self);
        print_proposal(args);
        return status;
    }
    if (args->joint_k != 0 && args->state == NULL)
        return wrong_usage(self, "--joint-k is about the releases of a state; give --state STATE");
    if (args->state != NULL && access(args->state, F_OK) == 0)
        return wrong_usage(self, "%s is there already; remove it to start over", args->state);
    if (mapping && args->state != NULL)
        return wrong_usage(self, "--state does not go with --recode attribute: new records would not fit into the mapping");
    if (mapping && args->numeric == KANON_NUMERIC_MEAN)
        return wrong_usage(self, "--numeric mean does not go with --recode attribute: equal numbers have different means");
    int status = args->workers != 0 ? check_workers(self, args) : EXIT_DONE;
    return status == EXIT_DONE ? check_outputs(self, args, NULL) : status;
}

static int run(const command *self, const arguments *given)
{
    kanon_error err = KANON_INIT(kanon_error);
    arguments args = *given;
    if (args.release == NULL)
        args.release = "-";
    release_run work = {.self = self, .args = &args, .groups = args.groups};
    int status = check_usage(self, &args);
    if (status != EXIT_DONE)
        return status;

    progress_begin(&work.show, args.quiet);
    kanon_status st = arguments_schema(&work.schema, &args, &err);
    if (st == KANON_OK && kanon_schema_get(work.schema, NULL, "k") == NULL) {
        status = wrong_usage(self, "no k; give -k K, or k below privacy in the schema");
    } else if (st == KANON_OK && (status = check_outputs(self, &args, work.schema)) != EXIT_DONE) {
        progress_end(&work.show);
    } else if (st == KANON_OK && args.workers != 0) {
        status = group_with_workers(&work);
    } else {
        if (st == KANON_OK)
            st = group(&work, &err);
        if (st == KANON_OK)
            st = release_run_publish(&work, &err);
        err.status = st;
        progress_end(&work.show);
        status = finish(&work, &args, &err);
    }
    release_run_clear(&work);
    return status;
}

const command command_anonymize = {
    .name = "anonymize",
    .summary = "group the records of a table and release it",
    .usage = "TABLE -s SCHEMA [-k K] [-a NAME] [--set NAME=VALUE]... [-o RELEASE] [OPTION]...",
    .description = "Groups the records of TABLE (CSV, Parquet, FILE.db#TABLE or adbc:...; -: standard input) so that each "
                   "group has at least K, and writes the table with the quasi-identifiers of each group made equal and the "
                   "identifying columns left out. Either everything asked for is written, or nothing.",
    .operand = "TABLE",
    .in = IN_ANONYMIZE,
    .examples = examples,
    .run = run,
};
