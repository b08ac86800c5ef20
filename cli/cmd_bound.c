/* kanon bound: the lower bound on the loss of every grouping, its certificate, and the check of a certificate. The
 * three share the reading of table and schema.
 * Run by main.c; calls the library and progress.c. */
#include "command.h"
#include "progress.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const examples[] = {
    "kanon bound patients.csv -s patients.yaml -k 10",
    "kanon bound patients.csv -s patients.yaml -k 10 --certificate proof.json",
    "kanon bound patients.csv -s patients.yaml --check proof.json",
    NULL,
};

enum { WIDTH = 16 };

/* The loss and its distance from the bound, for a grouping that is compared with it. */
static kanon_status print_gap(const kanon_table *table, const kanon_lower_bound *bound, const arguments *args,
                              kanon_error *err)
{
    kanon_grouping *grouping = NULL;
    kanon_measures *measures = NULL;
    kanon_evaluate_options brief = {.struct_size = sizeof brief, .brief = 1, .k = bound->k};
    kanon_status st = kanon_grouping_read(&grouping, table, KANON_PATH(args->given_groups), err);
    if (st == KANON_OK)
        st = kanon_evaluate(&measures, table, grouping, &brief, err);
    if (st == KANON_OK) {
        double loss = kanon_measures_find(measures, "information_loss", NULL)->value;
        printf("%-*s %.10g\n", WIDTH, "information_loss", loss);
        double least = kanon_grouping_describe(grouping)->suppressed > 0 ? bound->with_suppression : bound->lower_bound;
        if (kanon_grouping_describe(grouping)->smallest < bound->k)
            printf("%-*s -\n", WIDTH, "gap"); /* the bound is about other groupings than this */
        else
            printf("%-*s %.10g\n", WIDTH, "gap", loss > least ? loss / least : 1);
    }
    kanon_measures_free(measures);
    kanon_grouping_free(grouping);
    return st;
}

/* The bound, the simpler bound it is compared with, and how long the search took. */
static void print_bound(const kanon_lower_bound *bound)
{
    printf("%-*s %" PRId64 "\n", WIDTH, "records", bound->records);
    printf("%-*s %" PRId64 "\n", WIDTH, "k", bound->k);
    printf("%-*s %.10g\n", WIDTH, "lower_bound", bound->lower_bound);
    printf("%-*s %.10g\n", WIDTH, "with_suppression", bound->with_suppression);
    printf("%-*s %.10g\n", WIDTH, "neighbour_bound", bound->neighbour_bound);
    printf("%-*s %s\n", WIDTH, "method", bound->lower_bound > bound->neighbour_bound ? "prices" : "neighbours");
    printf("%-*s %" PRId64 "%s\n", WIDTH, "rounds", bound->rounds, bound->stopped ? ", stopped" : "");
    printf("%-*s %.1f\n", WIDTH, "seconds", bound->seconds);
}

/* Computes a bound and writes the certificate, if one is asked for. */
static int find_bound(const command *self, const kanon_table *table, const arguments *args, progress *show)
{
    kanon_lower_bound *bound = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_bound_options bounding = {
        .struct_size = sizeof bounding,
        .k = args->k,
        .seconds = args->most_seconds,
        .threads = (int)args->threads,
        .tick = progress_tick,
        .payload = show,
        .certificate = KANON_TO_PATH(args->certificate),
    };
    signals_catch(); /* the first one ends the improvement; the bound so far is reported */
    kanon_status st = kanon_bound(&bound, table, &bounding, &err);
    progress_end_to_print(show);
    if (st == KANON_OK && (args->certificate == NULL || strcmp(args->certificate, "-") != 0)) {
        print_bound(bound);
        if (args->given_groups != NULL)
            st = print_gap(table, bound, args, &err);
    }
    kanon_lower_bound_free(bound);
    return st == KANON_OK ? EXIT_DONE : failed(self, &err);
}

/* Checks a certificate that somebody else may have made. */
static int check_proof(const command *self, const kanon_table *table, const arguments *args, progress *show)
{
    kanon_certificate found = KANON_INIT(kanon_certificate);
    kanon_error err = KANON_INIT(kanon_error);
    signals_catch();
    const kanon_prove_options proving = prove_options(args, show);
    kanon_status st = kanon_certificate_check(&found, table, KANON_PATH(args->proof), &proving, &err);
    progress_end_to_print(show);
    if (st != KANON_OK)
        return failed(self, &err);
    if (found.holds && args->k > 0 && args->k != found.k) {
        say("%s: the proof is about k = %" PRId64, args->proof, found.k);
        return EXIT_UNMET;
    }
    if (!found.holds) {
        say("%s: not proved: %s", args->proof, found.reason);
        return EXIT_UNMET;
    }
    printf("%-*s %" PRId64 "\n", WIDTH, "records", found.records);
    printf("%-*s %" PRId64 "\n", WIDTH, "k", found.k);
    printf("%-*s %.10g\n", WIDTH, "lower_bound", found.lower_bound);
    printf("%-*s holds\n", WIDTH, "certificate");
    return EXIT_DONE;
}

static int run(const command *self, const arguments *args)
{
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    progress show;
    int status;
    if (!arguments_have_schema(args))
        return no_schema(self);
    if (args->proof != NULL && (args->certificate != NULL || args->given_groups != NULL || args->most_seconds > 0))
        return wrong_usage(self, "--check goes without --certificate, --groups and --time-limit");
    progress_begin(&show, args->quiet);
    const kanon_input input = table_at(args->operand, args);
    kanon_read_options reading = read_options(args, &show);
    kanon_status st = arguments_schema(&schema, args, &err);
    if (st == KANON_OK)
        st = kanon_table_read(&table, &input, schema, &reading, &err);
    if (st == KANON_OK)
        status = args->proof != NULL ? check_proof(self, table, args, &show) : find_bound(self, table, args, &show);
    else
        status = failed(self, &err);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return status;
}

const command command_bound = {
    .name = "bound",
    .summary = "prove how much information every grouping must lose",
    .usage = "TABLE -s SCHEMA -k K [--time-limit S] [--certificate FILE] | --check FILE",
    .description =
        "Prints a lower bound on the information loss of every grouping of the records of TABLE (CSV, Parquet, "
        "FILE.db#TABLE or adbc:...; -: standard input) into groups of at least K: nobody, with any algorithm, can lose "
        "less, whatever else the groups must satisfy. The line with_suppression is the bound where records may be "
        "suppressed. "
        "Ctrl-C ends the improving and prints the best bound so far. With --certificate the proof is written to a "
        "file, which --check verifies with code of its own.",
    .operand = "TABLE",
    .in = IN_BOUND,
    .examples = examples,
    .run = run,
};
