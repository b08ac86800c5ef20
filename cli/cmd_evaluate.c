/* kanon evaluate: the measures of a grouping or of a published file, printed or as a report.
 * Run by main.c; calls the library and progress.c. print_figures is used by cmd_anonymize.c, too. */
#include "command.h"
#include "progress.h"
#include "terminal.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char *const examples[] = {
    "kanon evaluate patients.csv -s patients.yaml --groups groups.csv",
    "kanon evaluate patients.csv -s patients.yaml --groups groups.csv --report -",
    "kanon evaluate patients.csv -s patients.yaml --release release.csv",
    NULL,
};

/* Counts without decimals, all other figures with ten significant digits. */
static void format_figure(char *buffer, size_t size, const kanon_figure *figure)
{
    if (isnan(figure->value))
        snprintf(buffer, size, "-"); /* not defined for this table */
    else
        snprintf(buffer, size, figure->whole ? "%.0f" : "%.10g", figure->value);
}

/* "name" or "name[column]". */
static void print_name(FILE *file, const kanon_figure *figure, int width)
{
    int length = (int)strlen(figure->name);
    print_clean(file, figure->name);
    if (figure->attribute != NULL) {
        fputc('[', file);
        print_clean(file, figure->attribute);
        fputc(']', file);
        length += (int)kanon_escape(NULL, 0, figure->attribute) + 2;
    }
    fprintf(file, "%*s ", width - length, "");
}

/* The width of the column of names. */
static int name_width(const kanon_measures *measures)
{
    size_t most = 0;
    for (size_t i = 0; kanon_measures_at(measures, i) != NULL; i++) {
        const kanon_figure *figure = kanon_measures_at(measures, i);
        size_t length = strlen(figure->name) +
                        (figure->attribute != NULL ? kanon_escape(NULL, 0, figure->attribute) + 2 : 0);
        most = length > most ? length : most;
    }
    return (int)most;
}

/* Names in one column, values in the next; with formulas where they are asked for. Files and pipes get one line for each
 * figure and no heading, which scripts can read; on a terminal formulas are broken at its width. */
void print_figures(FILE *file, const kanon_measures *measures, bool with_formulas)
{
    enum { VALUE_WIDTH = 16, GAP = 2, INDENT = 4, LEAST_FORMULA = 24 };
    int width = name_width(measures);
    char value[64];
    bool wraps = isatty(fileno(file)) != 0;
    if (with_formulas && wraps) {
        terminal_style(file, STYLE_HEADING);
        fprintf(file, "%-*s %-*s%*s%s", width, "figure", VALUE_WIDTH, "value", GAP, "", "formula");
        terminal_style(file, STYLE_PLAIN);
        fputc('\n', file);
    }
    for (size_t i = 0; kanon_measures_at(measures, i) != NULL; i++) {
        const kanon_figure *figure = kanon_measures_at(measures, i);
        format_figure(value, sizeof value, figure);
        print_name(file, figure, width);
        if (!with_formulas) {
            fprintf(file, "%s\n", value);
            continue;
        }
        if (!wraps) {
            fprintf(file, "%-*s%*s%s\n", VALUE_WIDTH, value, GAP, "", figure->formula);
            continue;
        }
        int at = width + 1 + VALUE_WIDTH + GAP;
        bool has_room = at + LEAST_FORMULA <= terminal_width(file); /* else below, where it reads better */
        if (has_room)
            fprintf(file, "%-*s%*s", VALUE_WIDTH, value, GAP, "");
        else
            fprintf(file, "%s\n%*s", value, INDENT, "");
        print_wrapped(file, figure->formula, has_room ? at : INDENT, has_room ? at : INDENT);
    }
}

/* Read table and groups or release, measure, print. Nothing is printed before everything has succeeded. */
static kanon_status evaluate(const kanon_schema *schema, const arguments *args, progress *show, kanon_error *err)
{
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_measures *measures = NULL;
    kanon_read_options reading = read_options(args, show);
    kanon_evaluate_options evaluating = {
        .struct_size = sizeof evaluating,
        .k = args->k,
        .settings = args->measure_settings.items,
        .n_settings = args->measure_settings.n,
        .threads = (int)args->threads,
        .tick = progress_tick,
        .payload = show,
    };
    const kanon_prove_options proving = prove_options(args, show);
    const kanon_input input = table_at(args->operand, args);
    kanon_status st = kanon_table_read(&table, &input, schema, &reading, err);
    if (st == KANON_OK && args->given_groups != NULL)
        st = kanon_grouping_read(&grouping, table, KANON_PATH(args->given_groups), err);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .report = KANON_TO_PATH(args->report)};
    signals_catch(); /* before this nothing can be half-written, and a signal may end it at once */
    if (st == KANON_OK)
        st = args->given_release != NULL
                 ? kanon_evaluate_release(&measures, table, KANON_PATH(args->given_release), schema, &evaluating, err)
                 : kanon_evaluate(&measures, table, grouping, &evaluating, err);
    if (st == KANON_OK && args->from_certificate != NULL)
        st = kanon_measures_prove(measures, table, grouping, KANON_PATH(args->from_certificate), &proving, err);
    outputs.measures = measures;
    if (st == KANON_OK && args->report != NULL)
        st = kanon_publish(table, grouping, &outputs, err);
    progress_end_to_print(show);
    if (st == KANON_OK) {
        const kanon_notice *notice;
        print_privacy_warnings(table);
        for (size_t i = 0; (notice = kanon_measures_notice_at(measures, i)) != NULL; i++)
            say("warning: %s", notice->text);
        print_table_warnings(table, args->quiet);
        if (args->report == NULL || strcmp(args->report, "-") != 0)
            print_figures(stdout, measures, args->verbose);
    }
    kanon_measures_free(measures);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    return st;
}

/* Checks which inputs and outputs go together before anything is read. */
static int run(const command *self, const arguments *args)
{
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    progress show;
    if (!arguments_have_schema(args))
        return no_schema(self);
    if (args->given_groups == NULL && args->given_release == NULL)
        return wrong_usage(self, "nothing to measure; give --groups FILE or --release FILE");
    if (args->given_groups != NULL && args->given_release != NULL)
        return wrong_usage(self, "--groups and --release exclude each other");
    if (args->given_release != NULL && args->from_certificate != NULL)
        return wrong_usage(self, "--from-certificate is about a grouping; give --groups FILE");
    if (args->given_release != NULL && args->report != NULL)
        return wrong_usage(self, "a report is about a grouping; give --groups FILE");
    const char *given = args->given_groups != NULL ? args->given_groups : args->given_release;
    if (strcmp(args->operand, "-") == 0 && strcmp(given, "-") == 0)
        return wrong_usage(self, "table and %s cannot both come from standard input",
                           args->given_groups != NULL ? "groups" : "release");
    if (args->report != NULL && strcmp(args->report, "-") != 0 && strcmp(args->report, args->given_groups) == 0)
        return wrong_usage(self, "%s is named twice", args->report);
    progress_begin(&show, args->quiet);
    kanon_status st = arguments_schema(&schema, args, &err);
    if (st == KANON_OK)
        st = evaluate(schema, args, &show, &err);
    kanon_schema_free(schema);
    return st == KANON_OK ? EXIT_DONE : failed(self, &err);
}

/* Whether one of the first n measures depends on the setting. */
static bool is_listed(size_t n, const kanon_setting_info *setting)
{
    for (size_t i = 0; i < n; i++) {
        const kanon_setting_info *other;
        for (size_t j = 0; (other = kanon_entry_setting(kanon_catalogue_at(KANON_CATALOGUE_MEASURE, i), j)) != NULL; j++)
            if (other == setting)
                return true;
    }
    return false;
}

const kanon_setting_info *measure_setting(size_t i)
{
    const kanon_entry *measure;
    for (size_t at = 0; (measure = kanon_catalogue_at(KANON_CATALOGUE_MEASURE, at)) != NULL; at++) {
        const kanon_setting_info *setting;
        for (size_t j = 0; (setting = kanon_entry_setting(measure, j)) != NULL; j++)
            if (!is_listed(at, setting) && i-- == 0)
                return setting;
    }
    return NULL;
}

const command command_evaluate = {
    .name = "evaluate",
    .summary = "compute every measure of a given grouping",
    .usage = "TABLE -s SCHEMA --groups FILE | --release FILE [--set NAME=VALUE]... [OPTION]...",
    .description = "Prints every figure that says how much a grouping of the records of TABLE (CSV, Parquet, FILE.db#TABLE "
                   "or adbc:...; -: standard input) "
                   "loses and how well it protects: one line each, the name and the value. With --release, what a published "
                   "file loses of TABLE, whichever tool wrote it.",
    .operand = "TABLE",
    .in = IN_EVALUATE,
    .examples = examples,
    .setting = measure_setting,
    .run = run,
};
