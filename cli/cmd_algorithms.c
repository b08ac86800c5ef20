/* kanon algorithms: lists the algorithms and refinements, or describes one with its settings. All texts come from the
 * tables of the library, so a new algorithm needs no line here.
 * Run by main.c; calls the library and the printers of options.c. */
#include "command.h"

#include <string.h>

static const char *const examples[] = {
    "kanon algorithms",
    "kanon algorithms kmember",
    NULL,
};

/* Algorithms first, then refinements; NULL past the last. */
static const kanon_entry *entry_at(size_t i)
{
    size_t n = kanon_catalogue_count(KANON_CATALOGUE_ALGORITHM);
    return i < n ? kanon_catalogue_at(KANON_CATALOGUE_ALGORITHM, i) : kanon_catalogue_at(KANON_CATALOGUE_REFINEMENT, i - n);
}

/* One line each, algorithms first. */
static void list_algorithms(void)
{
    int width = 0;
    const kanon_entry *entry;
    for (size_t i = 0; (entry = entry_at(i)) != NULL; i++) {
        int length = (int)strlen(entry->name);
        width = length > width ? length : width;
    }
    for (size_t i = 0; (entry = entry_at(i)) != NULL; i++)
        printf("%-*s - %s%s - %s\n", width, entry->name,
               i < kanon_catalogue_count(KANON_CATALOGUE_ALGORITHM) ? "" : "refinement: ", entry->brief, entry->source);
}

/* All that the table of the library says about one of them. */
static void print_algorithm(const kanon_entry *entry)
{
    const kanon_setting_info *setting;
    print_wrapped(stdout, entry->name, 0, 0);
    print_wrapped(stdout, entry->brief, 0, 0);
    putchar('\n');
    print_wrapped(stdout, entry->more, 0, 0);
    for (size_t i = 0; (setting = kanon_entry_setting(entry, i)) != NULL; i++) {
        fputs(i == 0 ? "\nsettings:\n" : "", stdout);
        print_setting(stdout, setting);
    }
    printf("\nsource: ");
    print_wrapped(stdout, entry->source, 8, 8);
    printf("revision: %u\n", (unsigned)entry->revision);
}

/* With the nearest name as a hint. */
static int unknown_algorithm(const command *self, const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    for (; entry_at(n) != NULL && n < MOST; n++)
        names[n] = entry_at(n)->name;
    const char *near = kanon_nearest_word(names, n, name);
    if (near != NULL)
        return wrong_usage(self, "unknown algorithm %s, did you mean %s?", name, near);
    return wrong_usage(self, "unknown algorithm %s; kanon algorithms lists them", name);
}

static int run(const command *self, const arguments *args)
{
    if (args->operand == NULL) {
        list_algorithms();
        return EXIT_DONE;
    }
    const kanon_entry *entry = kanon_catalogue_find(KANON_CATALOGUE_ALGORITHM, args->operand);
    if (entry == NULL)
        entry = kanon_catalogue_find(KANON_CATALOGUE_REFINEMENT, args->operand);
    if (entry == NULL)
        return unknown_algorithm(self, args->operand);
    print_algorithm(entry);
    return EXIT_DONE;
}

const command command_algorithms = {
    .name = "algorithms",
    .summary = "list the algorithms and refinements, or describe one of them",
    .usage = "[NAME]",
    .description =
        "Lists the algorithms (kanon anonymize --algorithm) and refinements (--refine) with their sources, one line "
        "each; with NAME says when to use that one, and prints its settings for kanon anonymize --set.",
    .operand = "NAME",
    .operand_optional = true,
    .in = IN_OTHERS,
    .examples = examples,
    .run = run,
};
