/* kanon tradeoff: runs a grid of settings and writes the curve of loss against risk.
 * Run by main.c; calls the library and progress.c. */
#include "command.h"
#include "progress.h"

#include <string.h>

static const char *const examples[] = {
    "kanon tradeoff patients.csv -s patients.yaml -o curve.csv --plot curve.svg",
    "kanon tradeoff t.csv -s s.yaml -k 5,10 --suppress 0,0.01,0.02",
    NULL,
};

/* Distances on all columns need them all to be read. */
static bool names_columns(const kanon_setting *settings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(settings[i].name, "cluster-on") == 0)
            return true;
    return false;
}

/* The options of the command line as those of kanon_tradeoff, which writes the files. */
static kanon_status draw_curve(kanon_curve **out, const kanon_table *table, const arguments *args, progress *show,
                               kanon_error *err)
{
    kanon_tradeoff_options grid = {
        .struct_size = sizeof grid,
        .k = args->k_list,
        .suppress = args->shares,
        .settings = args->settings.items,
        .n_settings = args->settings.n,
        .algorithm = args->algorithm,
        .refine = args->refine,
        .effort = args->effort,
        .measure_settings = args->measure_settings.items,
        .n_measure_settings = args->measure_settings.n,
        .seed = args->seed,
        .threads = (int)args->threads,
        .tick = progress_tick,
        .payload = show,
        .csv = KANON_TO_PATH(args->release != NULL ? args->release : "-"),
        .json = KANON_TO_PATH(args->json),
        .plot = KANON_TO_PATH(args->plot),
    };
    return kanon_tradeoff(out, table, &grid, err);
}

/* On standard error: how many points there are of each kind. */
static void print_summary(const kanon_curve *curve, const progress *show)
{
    size_t counts[3] = {0}, n = 0;
    for (; kanon_curve_at(curve, n) != NULL; n++)
        counts[kanon_curve_at(curve, n)->result]++;
    say("%zu points: %zu not dominated, %zu dominated, %zu infeasible, %.2f s", n, counts[KANON_POINT_OPTIMAL],
        counts[KANON_POINT_DOMINATED], counts[KANON_POINT_INFEASIBLE], progress_seconds(show));
}

/* Reads the table once, runs the grid, prints a summary. */
static int run(const command *self, const arguments *args)
{
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_curve *curve = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    progress show;
    if (!arguments_have_schema(args))
        return no_schema(self);
    progress_begin(&show, args->quiet);
    const kanon_input input = table_at(args->operand, args);
    kanon_read_options reading = read_options(args, &show);
    reading.encode_all = names_columns(args->settings.items, args->settings.n);
    kanon_status st = arguments_schema(&schema, args, &err);
    if (st == KANON_OK)
        st = kanon_table_read(&table, &input, schema, &reading, &err);
    signals_catch(); /* before this nothing can be half-written, and a signal may end it at once */
    if (st == KANON_OK)
        st = draw_curve(&curve, table, args, &show, &err);
    progress_end(&show);
    if (st == KANON_OK) {
        print_privacy_warnings(table);
        print_table_warnings(table, args->quiet);
    }
    if (st == KANON_OK && !args->quiet)
        print_summary(curve, &show);
    kanon_curve_free(curve);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return st == KANON_OK ? EXIT_DONE : failed(self, &err);
}

const command command_tradeoff = {
    .name = "tradeoff",
    .summary = "try a grid of settings and find those that no other dominates",
    .usage = "TABLE -s SCHEMA [-k K,...] [--set NAME=VALUE,...]... [--suppress SHARE,...] [OPTION]...",
    .description = "Groups the records of TABLE (CSV, Parquet, FILE.db#TABLE or adbc:...; -: standard input) with every "
                   "combination of the given values, and prints a line "
                   "for each: the settings, the figures, and whether another point is better in one of information_loss, "
                   "highest_risk, average_risk, protection and query_error and worse in none.",
    .operand = "TABLE",
    .in = IN_TRADEOFF,
    .examples = examples,
    .run = run,
};
