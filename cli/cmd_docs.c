/* kanon docs: the lists of the documentation as Markdown, and the options as JSON, from the same tables as the
 * help. It is not in the list of commands: scripts/make-docs calls it and puts what it prints into docs/. Run by main.c. */
#include "command.h"
#include "print_options.h"

#include <string.h>

static const char *const examples[] = {"kanon docs", "kanon docs algorithms", NULL};

/* ---- parts of a list --------------------------------------------------------------------------------------------- */

/* Text outside of code: what Markdown would take for emphasis, a tag or a quotation stays what it is. */
static void print_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("*<>", *text) != NULL)
            putchar('\\');
        putchar(*text);
    }
}

/* As a Markdown list: name, type, range and default, help. */
static void print_list_of_settings(const kanon_setting_info *settings, size_t n)
{
    char syntax[256];
    for (size_t i = 0; i < n; i++) {
        setting_syntax(syntax, sizeof syntax, &settings[i]);
        printf("- `%s`", settings[i].name);
        print_text(syntax + strlen(settings[i].name));
        fputs(": ", stdout);
        print_text(settings[i].help);
        putchar('\n');
    }
}

/* Names and summaries as a Markdown table. */
static void print_table_of(const kanon_algorithm_info *(*at)(size_t), const char *title)
{
    printf("| %s | What it does |\n|-|-|\n", title);
    for (size_t i = 0; at(i) != NULL; i++) {
        printf("| `%s` | ", at(i)->name);
        print_text(at(i)->summary);
        fputs(" |\n", stdout);
    }
}

/* Whether the two differ in their defaults at most. */
static bool same_settings(const kanon_algorithm_info *a, const kanon_algorithm_info *b)
{
    bool same = a->n_settings == b->n_settings && a->n_settings > 1;
    for (size_t i = 0; i < a->n_settings && same; i++)
        same = strcmp(a->settings[i].name, b->settings[i].name) == 0 &&
               strcmp(a->settings[i].help, b->settings[i].help) == 0;
    return same;
}

/* The settings of `info`, where an earlier algorithm has the same ones with other defaults. */
static void print_other_defaults(const kanon_algorithm_info *info, const kanon_algorithm_info *earlier)
{
    printf("\nThe settings are those of `%s`", earlier->name);
    for (size_t i = 0; i < info->n_settings; i++) {
        const char *mine = info->settings[i].default_value, *its = earlier->settings[i].default_value;
        if (mine != NULL && its != NULL && strcmp(mine, its) != 0)
            printf("; the default of `%s` is %s", info->settings[i].name, mine);
    }
    puts(".");
}

/* A section for each algorithm or refinement: advice, source, settings. */
static void print_list_of(const kanon_algorithm_info *(*at)(size_t))
{
    for (size_t i = 0; at(i) != NULL; i++) {
        size_t earlier = 0;
        printf("%s### %s\n\n", i > 0 ? "\n" : "", at(i)->name);
        print_text(at(i)->advice);
        fputs(" Source: ", stdout);
        print_text(at(i)->source);
        puts(".");
        while (earlier < i && !same_settings(at(i), at(earlier)))
            earlier++;
        if (earlier < i) {
            print_other_defaults(at(i), at(earlier));
        } else if (at(i)->n_settings > 0) {
            puts("\nSettings:\n");
            print_list_of_settings(at(i)->settings, at(i)->n_settings);
        }
    }
}

/* ---- the lists --------------------------------------------------------------------------------------------------- */

static void print_algorithms(void)
{
    print_table_of(kanon_algorithm_at, "Algorithm");
}

static void print_refinements(void)
{
    print_table_of(kanon_refinement_at, "Refinement");
}

static void print_algorithm_details(void)
{
    print_list_of(kanon_algorithm_at);
}

static void print_refinement_details(void)
{
    print_list_of(kanon_refinement_at);
}

static void print_measures(void)
{
    for (size_t i = 0; i < kanon_measure_count(); i++) {
        bool whole_table = strcmp(kanon_measure_scope(i), "table") == 0;
        printf("- `%s%s`: ", kanon_measure_name(i), whole_table ? "" : "[a]");
        print_text(kanon_measure_formula(i));
        putchar('\n');
    }
}

static void print_measure_settings(void)
{
    const kanon_setting_info *settings;
    size_t n = kanon_measure_settings(&settings);
    print_list_of_settings(settings, n);
}

/* The sentence of model `i` with the names of its parameters: {1} becomes l, and {1}th l-th. */
static void print_sentence(size_t i)
{
    for (const char *at = kanon_model_sentence(i); *at != '\0'; at++) {
        if (*at != '{') {
            putchar(*at);
            continue;
        }
        fputs(kanon_model_parameter(i, (size_t)(at[1] - '1'), NULL), stdout);
        at += strlen("{1}") - 1;
        if (strncmp(at + 1, "th", 2) == 0)
            putchar('-');
    }
}

/* Privacy models with sentence, parameters and source. */
static void print_models(void)
{
    for (size_t i = 0; i < kanon_model_count(); i++) {
        const char *range = NULL, *name;
        printf("- `%s`: ", kanon_model_name(i));
        print_sentence(i);
        fputs(". Parameters:", stdout);
        for (size_t j = 0; (name = kanon_model_parameter(i, j, &range)) != NULL; j++)
            printf("%s `%s`, %s", j > 0 ? ";" : "", name, range);
        fputs(". Source: ", stdout);
        print_text(kanon_model_source(i));
        puts(".");
    }
}

static void print_commands(void)
{
    puts("| Command | What it does |\n|-|-|");
    for (size_t i = 0; command_at(i) != NULL; i++) {
        if (command_at(i)->summary == NULL)
            continue;
        printf("| `kanon %s` | ", command_at(i)->name);
        print_text(command_at(i)->summary);
        puts(" |");
    }
}

static void print_exit_status(void)
{
    puts("| Status | Meaning |\n|-:|-|");
    for (int status = 0; status < EXIT_COUNT; status++)
        printf("| %d | %s |\n", status, exit_text(status));
}

/* The sentence in README.md that counts algorithms, measures and models. */
static void print_counts(void)
{
    printf("It has %zu algorithms, %zu refinements, %zu measures and %zu privacy models in addition to k.\n",
           kanon_algorithm_count(), kanon_refinement_count(), kanon_measure_count(), kanon_model_count());
}

typedef struct list {
    const char *name;
    void (*print)(void);
} list;

static const list lists[] = {
    {"counts", print_counts},
    {"commands", print_commands},
    {"exit-status", print_exit_status},
    {"algorithms", print_algorithms},
    {"algorithm-details", print_algorithm_details},
    {"refinements", print_refinements},
    {"refinement-details", print_refinement_details},
    {"measures", print_measures},
    {"measure-settings", print_measure_settings},
    {"models", print_models},
    {"options", print_options},
};
enum { N_LISTS = sizeof lists / sizeof *lists };

static int run(const command *self, const arguments *args)
{
    for (size_t i = 0; i < N_LISTS; i++) {
        if (args->operand == NULL) {
            puts(lists[i].name);
        } else if (strcmp(lists[i].name, args->operand) == 0) {
            lists[i].print();
            return EXIT_DONE;
        }
    }
    return args->operand == NULL ? EXIT_DONE : wrong_usage(self, "unknown list %s; kanon docs names them", args->operand);
}

const command command_docs = {
    .name = "docs",
    .usage = "[LIST]",
    .description =
        "Prints a list of the documentation as Markdown: algorithms, measures, privacy models, commands and others; "
        "options as JSON; without LIST the names of all lists.",
    .operand = "LIST",
    .operand_optional = true,
    .in = IN_OTHERS,
    .examples = examples,
    .run = run,
};
