/* kanon check: which k and which constraints a published file satisfies, whichever tool wrote it. Prints what was found
 * and compares it with what is asked for; the exit status is 1 where the file falls short.
 * Run by main.c; calls the library and progress.c. */
#include "command.h"
#include "progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#define DEFAULT_RISK_THRESHOLD 0.2

static const option option_least_k = {
    .letter = 'k',
    .argument = "K",
    .help = "the k that the file must have (default: the schema's; without one the file is only described)",
    .kind = OPTION_INTEGER,
    AT(k),
    .min = 2,
    .max = INT64_MAX,
};
static const option option_risk_threshold = {
    .name = "risk-threshold",
    .argument = "R",
    .help = "count the records whose risk of being recognised is above R (default: 0.2)",
    .kind = OPTION_SHARE,
    AT(risk_threshold),
};

static const option *const options[] = {
    SCHEMA_OPTIONS, &option_constraint, &option_entity, &option_least_k, &option_risk_threshold, &option_delimiter,
    &option_quiet,  &option_help,       NULL,
};

static const char *const examples[] = {
    "kanon check release.csv -s patients.yaml -k 10",
    "kanon check other-tool.csv --quasi age,zip --sensitive disease",
    NULL,
};

static void print_check(const kanon_check *check, double threshold)
{
    enum { WIDTH = 20 };
    printf("%-*s %" PRId64 "\n", WIDTH, "records", check->records);
    printf("%-*s %" PRId64 "\n", WIDTH, "suppressed", check->suppressed);
    printf("%-*s %" PRId64 "\n", WIDTH, "classes", check->classes);
    printf("%-*s %" PRId64 "\n", WIDTH, "k", check->k);
    printf("%-*s %.10g\n", WIDTH, "average_class_size", check->average_class_size);
    printf("%-*s %.10g\n", WIDTH, "highest_risk", check->highest_risk);
    printf("%-*s %.10g\n", WIDTH, "average_risk", check->average_risk);
    printf("%-*s %.10g of the records above %.10g\n", WIDTH, "share_at_risk", check->share_at_risk, threshold);
    for (size_t i = 0; i < check->n_smallest; i++)
        printf("%-*s %" PRId64 " x %" PRId64 "\n", WIDTH, "class_size", check->smallest[i].size, check->smallest[i].classes);
    for (size_t i = 0; i < check->n_diversity; i++) {
        printf("%-*s %" PRId64 " ", WIDTH, "distinct_l", check->diversity[i].distinct_min);
        print_clean(stdout, check->diversity[i].column);
        putchar('\n');
    }
    for (size_t i = 0; i < check->n_diversity; i++) {
        const kanon_diversity *d = &check->diversity[i];
        const char *const names[] = {"entropy_l", "recursive_c", "alpha", "t_closeness"};
        const double values[] = {d->entropy_l, d->recursive_c, d->alpha, d->t};
        for (int j = 0; j < 4; j++) {
            printf("%-*s %.10g ", WIDTH, names[j], values[j]);
            print_clean(stdout, d->column);
            putchar('\n');
        }
    }
    if (check->entities > 0)
        printf("%-*s %" PRId64 " in the smallest class\n", WIDTH, "entities", check->entities);
    for (size_t i = 0; i < check->n_kept; i++) {
        printf("%-*s %.10g ", WIDTH, check->kept[i].holds ? "kept" : "broken", check->kept[i].reached);
        print_clean(stdout, check->kept[i].sentence);
        putchar('\n');
    }
    for (size_t i = 0; i < check->n_warnings; i++) {
        printf("%-*s ", WIDTH, "warning");
        print_clean(stdout, check->warnings[i]);
        putchar('\n');
    }
}

static void add_reason(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add_reason(char *to, size_t size, const char *format, ...)
{
    va_list args;
    size_t used = strlen(to);
    used += (size_t)snprintf(to + used, size - used, "%s", used > 0 ? "; " : "");
    va_start(args, format);
    if (used < size)
        vsnprintf(to + used, size - used, format, args);
    va_end(args);
}

/* Whether the file keeps what is asked of it; where not, one line says what is wrong. */
static int compare(const char *path, const kanon_check *check, int64_t asked)
{
    char reasons[512] = "";
    size_t n_broken = 0;
    for (size_t i = 0; i < check->n_kept; i++)
        n_broken += !check->kept[i].holds;
    if (check->k < asked)
        add_reason(reasons, sizeof reasons, "k is %" PRId64 ", less than the %" PRId64 " asked for", check->k, asked);
    if (check->entities > 0 && check->entities < asked)
        add_reason(reasons, sizeof reasons, "a class has %" PRId64 " entities, fewer than the %" PRId64 " asked for",
                   check->entities, asked);
    if (n_broken > 0)
        add_reason(reasons, sizeof reasons, "%zu of %zu constraints %s broken", n_broken, check->n_kept,
                   n_broken == 1 ? "is" : "are");
    if (check->identifying_columns > 0)
        add_reason(reasons, sizeof reasons, "%d identifying column%s in the file", check->identifying_columns,
                   check->identifying_columns == 1 ? " is" : "s are");
    if (*reasons == '\0')
        return EXIT_DONE;
    say("%s: %s", strcmp(path, "-") == 0 ? "standard input" : path, reasons);
    return EXIT_UNMET;
}

static int run(const command *self, const arguments *args)
{
    kanon_schema *schema = NULL;
    kanon_check *check = NULL;
    kanon_error err = {0};
    progress show;
    int status = EXIT_DONE;
    if (!arguments_have_schema(args))
        return wrong_usage(self, "no schema; give -s SCHEMA, or name columns with --quasi");
    kanon_check_options checking = {
        .struct_size = sizeof checking,
        .delimiter = args->delimiter,
        .risk_threshold = args->risk_threshold > 0 ? args->risk_threshold : DEFAULT_RISK_THRESHOLD,
        .tick = progress_tick,
        .payload = &show,
    };
    progress_begin(&show, args->quiet);
    signals_catch_reading(args->operand);
    kanon_status st = arguments_schema(&schema, args, &err);
    if (st == KANON_OK)
        st = kanon_check_read(&check, args->operand, schema, &checking, &err);
    progress_end(&show);
    if (st == KANON_OK) {
        print_check(check, checking.risk_threshold);
        status = compare(args->operand, check, args->k > 0 ? args->k : kanon_schema_k(schema));
    } else {
        status = failed(self, &err);
    }
    kanon_check_free(check);
    kanon_schema_free(schema);
    return status;
}

const command command_check = {
    .name = "check",
    .summary = "find what k a released file really has",
    .usage = "RELEASE -s SCHEMA [-k K] [--risk-threshold R] [OPTION]...",
    .description = "Reads a released file (CSV; -: standard input), whichever tool wrote it, and prints how many records "
                   "look alike and what risk is left: sizes and counts, never values. Cells may be written [15-19], "
                   "[15,20), [15, 20[, 15-19, 8130*, * or {a, b}. Of every sensitive column it prints the least l "
                   "(distinct, entropy), the largest c of (c,2), alpha and t. The exit status is 1 where k is less than "
                   "asked, a constraint is broken or an identifying column is in the file.",
    .operand = "RELEASE",
    .options = options,
    .examples = examples,
    .run = run,
};
