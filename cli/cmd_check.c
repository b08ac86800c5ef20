/* kanon check: which k and which constraints a published file satisfies, whichever tool wrote it. Prints what was found
 * and compares it with what is asked for; the exit status is 1 where the file falls short.
 * Run by main.c; calls the library and progress.c. */
#include "command.h"
#include "paths.h"
#include "progress.h"
#include "terminal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_RISK_THRESHOLD 0.2

static const char *const examples[] = {
    "kanon check release.csv -s patients.yaml -k 10",
    "kanon check other-tool.csv --quasi age,zip --sensitive ill --insensitive id",
    "kanon check release.csv -s patients.yaml --original patients.csv",
    NULL,
};

enum { WIDTH = 20 };

/* One line for each text, all with the same name. */
static void print_lines(const char *name, const char *const *lines, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        printf("%-*s ", WIDTH, name);
        print_clean(stdout, lines[i]);
        putchar('\n');
    }
}

/* What other files show: findings under their names, and figures. */
static void print_compared(const kanon_check *check)
{
    for (size_t i = 0; i < check->n_findings; i++)
        print_lines(check->findings[i]->name, &check->findings[i]->sentence, 1);
    for (size_t i = 0; i < check->n_compared; i++) {
        const kanon_figure *figure = check->compared[i];
        printf(figure->whole ? "%-*s %.0f" : "%-*s %.10g", WIDTH, figure->name, figure->value);
        if (figure->attribute != NULL) {
            putchar(' ');
            print_clean(stdout, figure->attribute);
        }
        putchar('\n');
    }
}

/* Sizes and counts, one line each, after what a file says of itself; no line contains a value of the table. */
static void print_check(const kanon_check *check, double threshold)
{
    if (check->made_by != NULL)
        print_lines("made_by", &check->made_by, 1);
    if (check->made_roles != NULL)
        print_lines("made_roles", &check->made_roles, 1);
    printf("%-*s %" PRId64 "\n", WIDTH, "records", check->records);
    printf("%-*s %" PRId64 "\n", WIDTH, "suppressed", check->suppressed);
    printf("%-*s %" PRId64 "\n", WIDTH, "classes", check->classes);
    printf("%-*s %" PRId64 "\n", WIDTH, "k", check->k);
    printf("%-*s %.10g\n", WIDTH, "average_class_size", check->average_class_size);
    printf("%-*s %.10g\n", WIDTH, "highest_risk", check->highest_risk);
    printf("%-*s %.10g\n", WIDTH, "average_risk", check->average_risk);
    printf("%-*s %.10g of the records above %.10g\n", WIDTH, "share_at_risk", check->share_at_risk, threshold);
    for (size_t i = 0; i < check->n_smallest; i++)
        printf("%-*s %" PRId64 " x %" PRId64 "\n", WIDTH, "class_size", check->smallest[i]->size,
               check->smallest[i]->classes);
    for (size_t i = 0; i < check->n_figures; i++) {
        printf("%-*s %.10g ", WIDTH, check->figures[i]->figure, check->figures[i]->value);
        print_clean(stdout, check->figures[i]->attribute);
        putchar('\n');
    }
    printf("%-*s %.10g\n", WIDTH, "singled_out_all", check->singled_out_all);
    if (check->entities > 0)
        printf("%-*s %" PRId64 " in the smallest class\n", WIDTH, "persons", check->entities);
    for (size_t i = 0; i < check->n_constraints; i++) {
        const kanon_constraint_status *c = check->constraints[i];
        printf("%-*s %.10g ", WIDTH, c->holds ? "satisfied" : "violated", c->reached);
        print_clean(stdout, c->sentence);
        putchar('\n');
    }
    print_compared(check);
    print_lines("warning", check->warnings, check->n_warnings);
    print_lines("not_shown", check->not_shown, check->n_not_shown);
}

/* The verdict row by row: mark, heading and sentence. */
static void print_rows(const kanon_check *check)
{
    const kanon_verdict_row *row;
    for (size_t i = 0; (row = kanon_verdict_at(check->verdict, i)) != NULL; i++) {
        printf("%-*s %-9s %s: ", WIDTH, "row", kanon_enum_text(KANON_ENUM_MARK, (int)row->mark), row->heading);
        print_clean(stdout, row->sentence);
        putchar('\n');
    }
}

/* Add a sentence, as much of it as there is room for. */
static void add_reason(char *to, size_t size, const char *reason)
{
    size_t used = strlen(to);
    snprintf(to + used, size - used, "%s%s", used > 0 ? "; " : "", reason);
}

/* What to do on the command line. */
static void add_advice(char *to, size_t size, const kanon_check *check)
{
    if (check->original_shows)
        add_reason(to, size, "--original TABLE compares the file with it");
    if (check->n_unnamed > 0) {
        add_reason(to, size, "--insensitive ");
        bool is_plain = true; /* without quotes for a shell */
        for (size_t i = 0; i < check->n_unnamed; i++)
            is_plain &= strpbrk(check->unnamed[i], " \t\"'$`\\;&|<>()*?[]#~!{}") == NULL;
        for (size_t i = 0; i < check->n_unnamed; i++) {
            size_t used = strlen(to);
            snprintf(to + used, size - used, "%s%s", i > 0 ? "," : is_plain ? "" : "'", check->unnamed[i]);
        }
        size_t used = strlen(to);
        snprintf(to + used, size - used, "%s gives %s a role", is_plain ? "" : "'", check->n_unnamed == 1 ? "it" : "them");
    }
}

/* The last line: whether the file satisfies what was asked of it. Where it does not, standard error has the reasons too. */
static int print_verdict(const char *path, const kanon_check *check)
{
    const kanon_verdict_row *row;
    char reasons[2048] = "";
    int n_look = 0;
    for (size_t i = 0; (row = kanon_verdict_at(check->verdict, i)) != NULL; i++)
        n_look += row->mark == KANON_MARK_LOOK;
    for (size_t i = 0; i < check->n_violated; i++)
        add_reason(reasons, sizeof reasons, check->violated[i]);
    for (size_t i = 0; i < check->n_not_shown; i++)
        add_reason(reasons, sizeof reasons, check->not_shown[i]);
    add_advice(reasons, sizeof reasons, check);
    if (!check->holds)
        say("%s: %s", strcmp(path, "-") == 0 ? "standard input" : path, reasons);
    printf("%-*s ", WIDTH, "verdict");
    terminal_style(stdout, !check->holds ? STYLE_BAD : check->asked ? STYLE_GOOD : STYLE_PLAIN);
    if (check->holds) {
        fputs(check->asked ? "holds: all that was asked is there" : "nothing was asked: the file is only described", stdout);
        terminal_style(stdout, STYLE_PLAIN);
        if (n_look > 0)
            printf("; %d row%s to look at", n_look, n_look == 1 ? "" : "s");
        putchar('\n');
        return EXIT_DONE;
    }
    printf("fails: ");
    terminal_style(stdout, STYLE_PLAIN);
    print_clean(stdout, reasons);
    putchar('\n');
    return EXIT_UNMET;
}

/* The files that the release is compared with; texts are those of the arguments. */
typedef struct others {
    kanon_input original, population, *earlier;
    const kanon_input **list;
} others;

static int take_others(others *out, kanon_check_options *checking, const command *self, const arguments *args)
{
    int n_standard = strcmp(args->operand, "-") == 0;
    size_t n = args->earlier.n;
    out->earlier = calloc(n + 1, sizeof *out->earlier);
    out->list = calloc(n + 1, sizeof *out->list);
    if (out->earlier == NULL || out->list == NULL) {
        say("out of memory");
        return EXIT_SYSTEM;
    }
    for (size_t i = 0; i < n; i++) {
        out->earlier[i] = (kanon_input){.struct_size = sizeof(kanon_input), .location = args->earlier.items[i]};
        out->list[i] = &out->earlier[i];
        n_standard += strcmp(args->earlier.items[i], "-") == 0;
    }
    if (args->original != NULL) {
        out->original = (kanon_input){.struct_size = sizeof(kanon_input), .location = args->original};
        checking->original = &out->original;
        n_standard += strcmp(args->original, "-") == 0;
    }
    if (args->population != NULL) {
        out->population = (kanon_input){.struct_size = sizeof(kanon_input), .location = args->population};
        checking->population = &out->population;
        n_standard += strcmp(args->population, "-") == 0;
    }
    checking->earlier = out->list;
    checking->n_earlier = n;
    checking->key = args->key.items;
    checking->n_key = args->key.n;
    return n_standard > 1 ? wrong_usage(self, "only one file can come from standard input") : EXIT_DONE;
}

/* The exit status is the verdict: 0 if all that was asked holds, 1 if not. */
static int run(const command *self, const arguments *args)
{
    kanon_schema *schema = NULL;
    kanon_check *check = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    progress show;
    others with = {.list = NULL};
    int status = EXIT_DONE;
    if (!arguments_have_schema(args))
        return no_schema(self);
    kanon_check_options checking = {
        .struct_size = sizeof checking,
        .risk_threshold = args->risk_threshold > 0 ? args->risk_threshold : DEFAULT_RISK_THRESHOLD,
        .tick = progress_tick,
        .payload = &show,
        .k = args->k,
    };
    status = take_others(&with, &checking, self, args);
    if (status != EXIT_DONE)
        goto out;
    progress_begin(&show, args->quiet);
    signals_catch_reading(args->operand);
    const kanon_input input = table_at(args->operand, args);
    kanon_status st = arguments_schema(&schema, args, &err);
    if (st == KANON_OK)
        st = kanon_check_read(&check, &input, schema, &checking, &err);
    progress_end_to_print(&show);
    if (st == KANON_OK) {
        print_check(check, checking.risk_threshold);
        print_rows(check);
        status = print_verdict(shown(args->operand), check);
    } else {
        status = failed(self, &err);
    }
    kanon_check_free(check);
    kanon_schema_free(schema);
out:
    free(with.list);
    free(with.earlier);
    return status;
}

const command command_check = {
    .name = "check",
    .summary = "find what k a released file really has",
    .usage = "RELEASE -s SCHEMA [-k K] [--risk-threshold R] [OPTION]...",
    .description = "Reads a released file (CSV, Parquet, FILE.db#TABLE or adbc:...; -: standard input), whichever tool "
                   "wrote it, and prints how many records "
                   "look alike and what risk is left: sizes and counts, never values. Records look alike if their quasi "
                   "cells are the same texts; --same says that two texts are one. Cells may be written [15..19], [15-19], "
                   "[15,20), [15, 20[, 15-19, 8130*, * or {a, b}. A sensitive cell that is suppressed or generalised counts "
                   "as the commonest value of its class. Of every sensitive column it prints the least l "
                   "(distinct, entropy), the largest c of (c,2), alpha and t. Where the schema names an entity, risks are "
                   "those of persons. Of a Parquet file that kanon wrote it first prints what the file says of itself: "
                   "made_by and made_roles, which nobody has checked. The last line is the verdict. The exit status is 1 "
                   "where k is less than asked, a "
                   "constraint is violated, a column of the file has no role or is identifying, or the file cannot show "
                   "what was asked: "
                   "a quasi column, the column of a constraint or that of the entities is not in it. With --original each "
                   "record is compared with its row: cells that do not cover it, records that are missing, there too "
                   "often or not of the table, columns that are exchanged; and persons are counted by the entity column of "
                   "the table. "
                   "With --earlier records that share a class in all releases are counted, with --population the people who "
                   "fit each row.",
    .operand = "RELEASE",
    .in = IN_CHECK,
    .examples = examples,
    .run = run,
};
