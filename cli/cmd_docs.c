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

/* As an item of a Markdown list: name, type, range and default, help. */
static void print_list_item(const kanon_setting_info *setting)
{
    char syntax[256];
    setting_syntax(syntax, sizeof syntax, setting);
    printf("- `%s`", setting->name);
    print_text(syntax + strlen(setting->name));
    fputs(": ", stdout);
    print_text(setting->help);
    putchar('\n');
}

/* Names and summaries as a Markdown table. */
static void print_table_of(kanon_catalogue list, const char *title)
{
    const kanon_entry *entry;
    printf("| %s | What it does |\n|-|-|\n", title);
    for (size_t i = 0; (entry = kanon_catalogue_at(list, i)) != NULL; i++) {
        printf("| `%s` | ", entry->name);
        print_text(entry->brief);
        fputs(" |\n", stdout);
    }
}

/* Whether the two differ in their defaults at most. */
static bool same_settings(const kanon_entry *a, const kanon_entry *b)
{
    size_t i = 0;
    const kanon_setting_info *mine, *its;
    for (; (mine = kanon_entry_setting(a, i)) != NULL && (its = kanon_entry_setting(b, i)) != NULL; i++)
        if (strcmp(mine->name, its->name) != 0 || strcmp(mine->help, its->help) != 0)
            return false;
    return mine == NULL && kanon_entry_setting(b, i) == NULL && i > 1;
}

/* The settings of `entry`, where an earlier algorithm has the same ones with other defaults. */
static void print_other_defaults(const kanon_entry *entry, const kanon_entry *earlier)
{
    const kanon_setting_info *mine;
    printf("\nThe settings are those of `%s`", earlier->name);
    for (size_t i = 0; (mine = kanon_entry_setting(entry, i)) != NULL; i++) {
        const char *its = kanon_entry_setting(earlier, i)->default_value;
        if (mine->default_value != NULL && its != NULL && strcmp(mine->default_value, its) != 0)
            printf("; the default of `%s` is %s", mine->name, mine->default_value);
    }
    puts(".");
}

/* A section for each algorithm or refinement: advice, source, settings. */
static void print_list_of(kanon_catalogue list)
{
    const kanon_entry *entry;
    const kanon_setting_info *setting;
    for (size_t i = 0; (entry = kanon_catalogue_at(list, i)) != NULL; i++) {
        size_t earlier = 0;
        printf("%s### %s\n\n", i > 0 ? "\n" : "", entry->name);
        print_text(entry->more);
        fputs(" Source: ", stdout);
        print_text(entry->source);
        puts(".");
        while (earlier < i && !same_settings(entry, kanon_catalogue_at(list, earlier)))
            earlier++;
        if (earlier < i)
            print_other_defaults(entry, kanon_catalogue_at(list, earlier));
        for (size_t j = 0; earlier == i && (setting = kanon_entry_setting(entry, j)) != NULL; j++) {
            fputs(j == 0 ? "\nSettings:\n\n" : "", stdout);
            print_list_item(setting);
        }
    }
}

/* ---- the lists --------------------------------------------------------------------------------------------------- */

static void print_algorithms(void)
{
    print_table_of(KANON_CATALOGUE_ALGORITHM, "Algorithm");
}

static void print_refinements(void)
{
    print_table_of(KANON_CATALOGUE_REFINEMENT, "Refinement");
}

static void print_algorithm_details(void)
{
    print_list_of(KANON_CATALOGUE_ALGORITHM);
}

static void print_refinement_details(void)
{
    print_list_of(KANON_CATALOGUE_REFINEMENT);
}

static void print_measures(void)
{
    const kanon_entry *measure;
    for (size_t i = 0; (measure = kanon_catalogue_at(KANON_CATALOGUE_MEASURE, i)) != NULL; i++) {
        bool whole_table = strcmp(measure->scope, "table") == 0;
        printf("- `%s%s`: ", measure->name, whole_table ? "" : "[a]");
        print_text(measure->brief);
        putchar('\n');
    }
}

static void print_measure_settings(void)
{
    const kanon_setting_info *setting;
    for (size_t i = 0; (setting = measure_setting(i)) != NULL; i++)
        print_list_item(setting);
}

/* Privacy models with sentence, parameters and source. */
static void print_models(void)
{
    const kanon_entry *model;
    const kanon_setting_info *parameter;
    for (size_t i = 0; (model = kanon_catalogue_at(KANON_CATALOGUE_MODEL, i)) != NULL; i++) {
        char sentence[512];
        model_sentence(sentence, sizeof sentence, model);
        printf("- `%s`: %s. Parameters:", model->name, sentence);
        for (size_t j = 0; (parameter = kanon_entry_setting(model, j)) != NULL; j++)
            printf("%s `%s`, %s", j > 0 ? ";" : "", parameter->name, parameter->help);
        fputs(". Source: ", stdout);
        print_text(model->source);
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
           kanon_catalogue_count(KANON_CATALOGUE_ALGORITHM), kanon_catalogue_count(KANON_CATALOGUE_REFINEMENT),
           kanon_catalogue_count(KANON_CATALOGUE_MEASURE), kanon_catalogue_count(KANON_CATALOGUE_MODEL));
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
