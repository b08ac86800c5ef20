/* kanon anonymize: reads a table, groups its records and publishes what is asked for. What can be known to fail is
 * refused before the work: outputs in one place, a directory that is not writable, options that exclude each other.
 * Run by main.c; calls the library, progress.c and command_line.c. */
#include "anonymize_workers.h"
#include "command_line.h"
#include "paths.h"
#include "print_advice.h"
#include "progress.h"
#include "terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const option option_set = {
    .name = "set",
    .argument = "NAME=VALUE",
    .help = "a setting of the algorithm; can be repeated",
    .kind = OPTION_PAIR,
    AT(settings),
};
static const option option_effort = {
    .name = "effort",
    .argument = "fast|balanced|best",
    .help = "with the algorithm auto or --refine search: a moment, some seconds (the default), or minutes for less loss",
    .kind = OPTION_TEXT,
    AT(effort),
};
static const option option_moves = {
    .name = "moves",
    .argument = "N",
    .help = "with --refine search: how many moves are tried; the same number gives the same release",
    .kind = OPTION_TEXT,
    AT(moves),
};
static const option option_time_limit = {
    .name = "time-limit",
    .argument = "SECONDS",
    .help = "with --refine search or --recode attribute: how long the search takes; the release then depends on how fast "
            "the machine is",
    .kind = OPTION_TEXT,
    AT(time_limit),
};
static const option option_refine_set = {
    .name = "refine-set",
    .argument = "NAME=VALUE",
    .help = "another setting of the refinement; kanon algorithms NAME lists them; can be repeated",
    .kind = OPTION_PAIR,
    AT(refine_settings),
};
static const option option_recode = {
    .name = "recode",
    .argument = "record|attribute",
    .help = "what decides how a value is shown: its group, or one mapping per attribute, so that equal values are shown "
            "equal everywhere, for more loss (default: record)",
    .kind = OPTION_CHOICE,
    AT(recode),
};
static const option option_blocks = {
    .name = "blocks",
    .argument = "N|auto|none",
    .help = "for very large tables: group blocks of at least N records one by one, in parallel; 100000 costs little loss "
            "(default: auto, only where all at once would take longer than about a minute or more than --memory)",
    .kind = OPTION_BLOCKS,
    AT(blocks),
};
static const option option_memory = {
    .name = "memory",
    .argument = "SIZE",
    .help = "the most memory to use, such as 500M or 2G: blocks become smaller and the table goes to a file in TMPDIR where "
            "that helps; what cannot fit is refused before the work begins",
    .kind = OPTION_SIZE,
    AT(memory),
};
static const option option_workers = {
    .name = "workers",
    .argument = "N",
    .help = "for CSV files larger than memory: N processes make the release, which is the same as without them; each holds "
            "parts of the table and blocks only, within its share of --memory; records are exchanged in files in TMPDIR "
            "(default: the folder of RELEASE)",
    .kind = OPTION_INTEGER,
    AT(workers),
    .min = 1,
    .max = 1024,
    .aside = true,
};
static const option option_output = {
    .name = "output",
    .letter = 'o',
    .argument = "RELEASE",
    .help = "where the release goes (default: -, standard output)",
    .kind = OPTION_TEXT,
    AT(release),
};
static const option option_groups = {
    .name = "groups",
    .argument = "FILE",
    .help = "also write which record is in which group",
    .kind = OPTION_TEXT,
    AT(groups),
    .aside = true,
};
static const option option_report = {
    .name = "report",
    .argument = "FILE",
    .help = "also write the figures, and what is needed to repeat the run: a page with plots where FILE ends in .html, "
            "else JSON",
    .kind = OPTION_TEXT,
    AT(report),
    .aside = true,
};
static const option option_report_external = {
    .name = "report-external",
    .argument = "FILE",
    .help = "the same for those who get the release: nothing that describes single groups, no seed, no checksum of TABLE",
    .kind = OPTION_TEXT,
    AT(report_external),
    .aside = true,
};
static const option option_codebook = {
    .name = "codebook",
    .argument = "FILE",
    .help = "also write how to read the release, for those who get it: a page where FILE ends in .html, CSVW where it ends "
            "in -metadata.json, else a Frictionless Table Schema (JSON)",
    .kind = OPTION_TEXT,
    AT(codebook),
    .aside = true,
};
static const option option_numeric = {
    .name = "numeric",
    .argument = "interval|range|mean|columns",
    .help = "how numbers are released: [20..29], [20,29], the mean of the group, or two columns NAME_min and NAME_max "
            "(default: interval)",
    .kind = OPTION_CHOICE,
    AT(numeric),
};
static const option option_shuffle = {
    .name = "shuffle",
    .help = "release the records in random order, a secret one that is another each time",
    .kind = OPTION_SWITCH,
    AT(shuffle),
};
static const option option_state = {
    .name = "state",
    .argument = "STATE",
    .help = "also keep the table, its groups and the release in a new file, for kanon insert, delete, update and release",
    .kind = OPTION_TEXT,
    AT(state),
    .aside = true,
};
static const option option_verbose = {
    .name = "verbose",
    .letter = 'v',
    .help = "also print the columns and every figure with its formula, on standard error",
    .kind = OPTION_SWITCH,
    AT(verbose),
    .aside = true,
};

static const option *const options[] = {
    SCHEMA_OPTIONS,
    &option_k,
    &option_algorithm,
    &option_set,
    &option_constraint,
    &option_entity,
    &option_entity_together,
    &option_suppress,
    &option_refine,
    &option_effort,
    &option_moves,
    &option_time_limit,
    &option_refine_set,
    &option_recode,
    &option_blocks,
    &option_memory,
    &option_workers,
    &option_seed,
    &option_threads,
    &option_output,
    &option_groups,
    &option_report,
    &option_report_external,
    &option_codebook,
    &option_numeric,
    &option_shuffle,
    &option_shuffle_seed,
    &option_state,
    READING_OPTIONS,
    &option_strict,
    &option_quiet,
    &option_verbose,
    &option_help,
    NULL,
};

static const char *const examples[] = {
    "kanon anonymize patients.csv -s patients.yaml -k 10 -o release.csv",
    "kanon anonymize patients.csv --quasi age,zip --identifying name -k 5",
    NULL,
};

enum { N_OUTPUTS = 6 };

/* Outputs in one place would overwrite each other, or what is still being read. `schema` NULL: it was not read yet. */
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
    return status == EXIT_DONE ? check_paths(self, &paths) : status;
}

/* Whether a file can be made at `path`. The library finds out too, but only after the work. */
static bool is_writable_place(const char *path)
{
    struct stat place;
    if (is_driver(path)) /* whose driver finds out */
        return true;
    if (stat(path, &place) == 0 && !S_ISREG(place.st_mode)) {
        errno = EISDIR;
        return !S_ISDIR(place.st_mode) && access(path, W_OK) == 0;
    }
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *directory = calloc(length + 2, 1);
    if (directory == NULL)
        return false;
    memcpy(directory, slash == NULL ? "." : path, slash == NULL ? 1 : length);
    bool writable = access(directory, W_OK | X_OK) == 0;
    int reason = errno;
    free(directory);
    errno = reason;
    return writable;
}

/* Before the work, which may take minutes: whether each output can be written. */
static int check_places(const arguments *args)
{
    const char *paths[] = {args->release, args->groups, args->report, args->report_external, args->codebook, args->state};
    for (int i = 0; i < N_OUTPUTS; i++) {
        if (paths[i] == NULL || is_standard(paths[i]) || is_writable_place(paths[i]))
            continue;
        say("cannot write %s: %s", paths[i], strerror(errno));
        return EXIT_SYSTEM;
    }
    return EXIT_DONE;
}

/* What a run holds while it goes on. */
typedef struct job {
    kanon_schema *schema;
    kanon_table *table;
    kanon_grouping *grouping;
    kanon_measures *measures;
    char *command; /* what makes the release again, for the report; NULL: there is no report */
    progress show;
    bool publishing;
} job;

/* Whether the list has this setting with this value. */
static bool has_setting(const kanon_setting *settings, size_t n, const char *name, const char *value)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(settings[i].name, name) == 0 && strcmp(settings[i].value, value) == 0)
            return true;
    return false;
}

/* Insensitive columns must be encoded, too, if distances are measured on them. */
static bool clusters_on_all(const kanon_schema *schema, const arguments *args)
{
    const kanon_setting *settings;
    size_t n = kanon_schema_settings(schema, &settings);
    return has_setting(settings, n, "cluster-on", "all") ||
           has_setting(args->settings.items, args->settings.n, "cluster-on", "all");
}

/* What the flags of the refinement say, to be freed; NULL: out of memory. */
static kanon_setting *refine_settings(size_t *n_out, const arguments *args)
{
    size_t n = 0;
    kanon_setting *out = calloc(args->refine_settings.n + 2, sizeof *out);
    if (out == NULL)
        return NULL;
    if (args->moves != NULL)
        out[n++] = (kanon_setting){option_moves.name, args->moves};
    if (args->time_limit != NULL)
        out[n++] = (kanon_setting){option_time_limit.name, args->time_limit};
    for (size_t i = 0; i < args->refine_settings.n; i++)
        out[n++] = args->refine_settings.items[i];
    *n_out = n;
    return out;
}

/* How the table is to be read. */
static kanon_read_options reading_options(job *work, const arguments *args)
{
    kanon_read_options reading = read_options(args, &work->show);
    reading.encode_all = clusters_on_all(work->schema, args);
    reading.memory = args->memory;
    return reading;
}

/* How it is to be grouped; the settings of the refinement are freed by the caller. */
static kanon_status grouping_options(kanon_options *out, kanon_setting **refining, job *work, const arguments *args,
                                     kanon_error *err)
{
    size_t n_refining = 0;
    *refining = refine_settings(&n_refining, args);
    *out = (kanon_options){
        .struct_size = sizeof *out,
        .k = args->k,
        .algorithm = args->algorithm,
        .refine = args->refine,
        .refine_settings = *refining,
        .n_refine_settings = n_refining,
        .effort = args->effort,
        .compare = args->report != NULL || args->report_external != NULL,
        .blocks = args->blocks,
        .memory = args->memory,
        .recode = (kanon_recode)args->recode,
        .settings = args->settings.items,
        .n_settings = args->settings.n,
        .seed = args->seed,
        .threads = (int)args->threads,
        .tick = progress_tick,
        .payload = &work->show,
    };
    if (*refining != NULL)
        return KANON_OK;
    *err = (kanon_error){.status = KANON_ENOMEM};
    return KANON_ENOMEM;
}

/* Read the table and group it. While standard input or a pipe is read, a signal ends the program at once. */
static kanon_status group(job *work, const arguments *args, kanon_error *err)
{
    kanon_setting *refining = NULL;
    kanon_options grouping;
    kanon_read_options reading = reading_options(work, args);
    kanon_status st = grouping_options(&grouping, &refining, work, args, err);
    if (st != KANON_OK)
        return st;
    signals_catch_reading(args->operand);
    st = kanon_table_read(&work->table, args->operand, work->schema, &reading, err);
    signals_catch();
    if (st == KANON_OK) { /* before the work, so that nobody waits for a release that has to be made again */
        progress_end(&work->show);
        print_privacy_warnings(work->table);
        print_table_warnings(work->table, args->quiet);
    }
    if (st == KANON_OK)
        st = kanon_anonymize(&work->grouping, work->table, &grouping, err);
    free(refining);
    return st;
}

/* The same by several processes, which also write the release. */
static int group_with_workers(const command *self, job *work, const arguments *args)
{
    kanon_setting *refining = NULL;
    kanon_options grouping;
    kanon_error err = {0};
    kanon_read_options reading = reading_options(work, args);
    int status = grouping_options(&grouping, &refining, work, args, &err) != KANON_OK
                     ? failed(self, &err)
                     : run_workers(self, args, work->schema, &reading, &grouping, &work->show);
    free(refining);
    return status;
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
        bool is_moves = strcmp(pairs[i].name, option_moves.name) == 0; /* it has a flag of its own */
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
static kanon_status describe(job *work, const command *self, const arguments *args, kanon_error *err)
{
    arguments repeated = *args;
    const kanon_setting *pairs;
    if (args->report == NULL && kanon_grouping_repeat(work->grouping, &pairs) == 0)
        return KANON_OK;
    if (repeated.k == 0)
        repeated.k = kanon_schema_k(work->schema);
    repeated.algorithm = kanon_grouping_algorithm(work->grouping);
    if (put_repeat(&repeated, args, work->grouping))
        work->command = command_line(self, &repeated);
    if (repeated.refine_settings.items != args->refine_settings.items)
        free(repeated.refine_settings.items);
    if (work->command != NULL)
        return KANON_OK;
    *err = (kanon_error){.status = KANON_ENOMEM};
    return KANON_ENOMEM;
}

/* Measure, unless nothing is to be printed, and write all outputs; with --state the state as well. */
static kanon_status publish(job *work, const arguments *args, kanon_error *err)
{
    kanon_evaluate_options evaluating = {
        .struct_size = sizeof evaluating,
        .brief = !args->verbose && args->report == NULL && args->report_external == NULL,
        .threads = (int)args->threads,
        .tick = progress_tick,
        .payload = &work->show,
    };
    kanon_outputs outputs = {
        .struct_size = sizeof outputs,
        .release = args->release,
        .groups = args->groups,
        .report = args->report,
        .report_external = args->report_external,
        .codebook = args->codebook,
        .numeric = (kanon_numeric)args->numeric,
        .shuffle = args->shuffle || args->shuffle_seed != 0,
        .shuffle_seed = (uint64_t)args->shuffle_seed,
        .threads = (int)args->threads,
        .tick = progress_tick,
        .payload = &work->show,
        .command = work->command,
    };
    kanon_state_options keeping = {.struct_size = sizeof keeping, .tick = progress_tick, .payload = &work->show};
    kanon_status st = KANON_OK;
    if (!args->quiet)
        st = kanon_evaluate(&work->measures, work->table, work->grouping, &evaluating, err);
    if (st == KANON_OK && signals_caught() != 0)
        st = err->status = KANON_ECANCELLED;
    if (st == KANON_OK) {
        outputs.measures = work->measures;
        work->publishing = true;
        st = args->state != NULL
                 ? kanon_state_create(args->state, work->table, work->schema, work->grouping, &outputs, &keeping, err)
                 : kanon_publish(work->table, work->grouping, &outputs, err);
    }
    return st;
}

/* How wide a column name is, as it is printed. */
static int shown_width(const char *name)
{
    return (int)kanon_escape(NULL, 0, name);
}

/* A table of the columns: name, role, type. */
static void print_columns(const kanon_table *table)
{
    int width = (int)strlen("column");
    for (int i = 0; i < kanon_table_columns(table); i++) {
        int length = shown_width(kanon_table_column_name(table, i));
        width = length > width ? length : width;
    }
    terminal_style(stderr, STYLE_HEADING);
    fprintf(stderr, "%-*s  %-12s %s", width, "column", "role", "type");
    terminal_style(stderr, STYLE_PLAIN);
    fputc('\n', stderr);
    for (int i = 0; i < kanon_table_columns(table); i++) {
        const char *name = kanon_table_column_name(table, i);
        kanon_type type = kanon_table_column_type(table, i);
        const char *role = kanon_role_text(kanon_table_column_role(table, i));
        print_clean(stderr, name);
        fprintf(stderr, "%*s  %-12s %s\n", width - shown_width(name), "", role,
                type == KANON_TYPE_UNKNOWN ? "-" : kanon_type_text(type));
    }
    fputc('\n', stderr);
}

/* --verbose: columns with roles and types, what the algorithm noted, and every figure. */
static void print_details(const job *work)
{
    const char *note;
    print_columns(work->table);
    for (int i = 0; (note = kanon_grouping_note(work->grouping, i)) != NULL; i++)
        print_wrapped(stderr, note, 0, 0);
    print_figures(stderr, work->measures, true);
}

/* 0 where the figure was not measured. */
static double figure(const job *work, const char *name)
{
    const kanon_figure *found = kanon_measures_find(work->measures, name, NULL);
    return found == NULL ? 0 : found->value;
}

/* Where a clock or a signal had a part in the groups: that they are not all that could be had, and how to get them again. */
static void print_repeat(const job *work)
{
    const kanon_setting *pairs;
    if (kanon_grouping_stopped(work->grouping))
        say("stopped before the search was done; these are the best groups until then");
    if (kanon_grouping_repeat(work->grouping, &pairs) > 0)
        say("the same groups again: %s", work->command);
}

/* The last line on standard error, with what a user compares between runs. */
static void print_summary(const job *work, const arguments *args)
{
    char suppressed[48] = "";
    print_repeat(work);
    if (kanon_grouping_suppressed(work->grouping) > 0)
        snprintf(suppressed, sizeof suppressed, " and %" PRId64 " suppressed", kanon_grouping_suppressed(work->grouping));
    say("%" PRId64 " records in %" PRId64 " group%s%s, k %" PRId64 ", information loss %.10g (average %.4f), %s, "
        "seed %" PRIu64 ", %.2f s",
        kanon_grouping_rows(work->grouping), kanon_grouping_groups(work->grouping),
        kanon_grouping_groups(work->grouping) == 1 ? "" : "s", suppressed, kanon_grouping_smallest(work->grouping),
        figure(work, "information_loss"), figure(work, "avg_loss"), kanon_grouping_algorithm(work->grouping), args->seed,
        progress_seconds(&work->show));
}

/* Which files there are now. */
static void print_written(const arguments *args)
{
    const char *paths[N_OUTPUTS] = {args->release, args->codebook, args->report_external,
                                    args->report,  args->groups,   args->state};
    bool some = false;
    for (int i = 0; i < N_OUTPUTS; i++) {
        if (paths[i] == NULL || is_standard(paths[i]))
            continue;
        fputs(some ? ", " : "kanon: written: ", stderr);
        print_clean(stderr, shown(paths[i]));
        some = true;
    }
    if (some)
        fputc('\n', stderr);
}

/* The columns of which most records show nothing, on the last line: whoever reads nothing else should read that. */
static void print_hidden(const job *work)
{
    kanon_group_view *view = NULL;
    bool some = false;
    if (kanon_group_view_new(&view, work->table, work->grouping, NULL) != KANON_OK)
        return;
    for (int i = 0; i < kanon_table_columns(work->table); i++) {
        double share = kanon_group_view_general(view, i);
        if (!(share > 0.5)) /* no quasi-identifier is NAN */
            continue;
        fputs(some ? ", " : "kanon: warning: mostly *: ", stderr);
        print_clean(stderr, kanon_table_column_name(work->table, i));
        fprintf(stderr, " (%.0f %%)", share * 100);
        some = true;
    }
    if (some)
        fputs("; give these columns a taxonomy, bands or another role\n", stderr);
    kanon_group_view_free(view);
}

/* The messages at the end. A release on standard output cannot be taken back, so a stop in the middle says so. */
static int finish(const command *self, const job *work, const arguments *args, const kanon_error *err)
{
    const char *text;
    if (err->status != KANON_OK && work->publishing && is_standard(args->release))
        stop_if_asked("standard output is not complete");
    if (err->status != KANON_OK)
        return failed(self, err);
    if (args->quiet)
        return EXIT_DONE;
    for (int i = 0; (text = kanon_grouping_warning(work->grouping, i)) != NULL; i++)
        say("warning: %s", text);
    if (args->verbose)
        print_details(work);
    print_advice(work->table, work->grouping);
    print_written(args);
    print_summary(work, args);
    print_hidden(work);
    return EXIT_DONE;
}

/* Wrong usage is reported before files are read; everything is freed in one place. */
static int run(const command *self, const arguments *given)
{
    job work = {0};
    kanon_error err = {0};
    arguments args = *given;
    if (args.release == NULL)
        args.release = "-";
    if (!arguments_have_schema(&args))
        return wrong_usage(self, "no schema; give -s SCHEMA, or name columns with --quasi");
    if (args.state != NULL && access(args.state, F_OK) == 0)
        return wrong_usage(self, "%s is there already; remove it to start over", args.state);
    int status = check_outputs(self, &args, NULL);
    if (status == EXIT_DONE && args.recode == KANON_RECODE_ATTRIBUTE && args.state != NULL)
        status = wrong_usage(self,
                             "--state does not go with --recode attribute: new records would not fit into the mapping");
    if (status == EXIT_DONE && args.recode == KANON_RECODE_ATTRIBUTE && args.numeric == KANON_NUMERIC_MEAN)
        status = wrong_usage(self, "--numeric mean does not go with --recode attribute: equal numbers have different means");
    if (status == EXIT_DONE && args.workers != 0)
        status = check_workers(self, &args);
    if (status == EXIT_DONE)
        status = check_places(&args);
    if (status != EXIT_DONE)
        return status;

    progress_begin(&work.show, args.quiet);
    kanon_status st = arguments_schema(&work.schema, &args, &err);
    if (st == KANON_OK && args.k == 0 && kanon_schema_k(work.schema) == 0) {
        status = wrong_usage(self, "no k; give -k K, or k below privacy in the schema");
    } else if (st == KANON_OK && (status = check_outputs(self, &args, work.schema)) != EXIT_DONE) {
        progress_end(&work.show);
    } else if (st == KANON_OK && args.workers != 0) {
        status = group_with_workers(self, &work, &args);
    } else {
        if (st == KANON_OK)
            st = group(&work, &args, &err);
        if (st == KANON_OK)
            st = describe(&work, self, &args, &err);
        if (st == KANON_OK)
            st = publish(&work, &args, &err);
        err.status = st;
        progress_end(&work.show);
        status = finish(self, &work, &args, &err);
    }
    free(work.command);
    kanon_measures_free(work.measures);
    kanon_grouping_free(work.grouping);
    kanon_table_free(work.table);
    kanon_schema_free(work.schema);
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
    .options = options,
    .examples = examples,
    .run = run,
};
