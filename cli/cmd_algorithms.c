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
static const kanon_algorithm_info *info_at(size_t i)
{
    return i < kanon_algorithm_count() ? kanon_algorithm_at(i) : kanon_refinement_at(i - kanon_algorithm_count());
}

static bool is_refinement(size_t i)
{
    return i >= kanon_algorithm_count();
}

/* One line each, algorithms first. */
static void list_algorithms(void)
{
    int width = 0;
    for (size_t i = 0; info_at(i) != NULL; i++) {
        int length = (int)strlen(info_at(i)->name);
        width = length > width ? length : width;
    }
    for (size_t i = 0; info_at(i) != NULL; i++)
        printf("%-*s - %s%s - %s\n", width, info_at(i)->name, is_refinement(i) ? "refinement: " : "", info_at(i)->summary,
               info_at(i)->source);
}

/* All that the table of the library says about one of them. */
static void print_algorithm(const kanon_algorithm_info *info)
{
    print_wrapped(stdout, info->name, 0, 0);
    print_wrapped(stdout, info->summary, 0, 0);
    putchar('\n');
    print_wrapped(stdout, info->advice, 0, 0);
    if (info->n_settings > 0)
        printf("\nsettings:\n");
    for (size_t i = 0; i < info->n_settings; i++)
        print_setting(stdout, &info->settings[i]);
    printf("\nsource: ");
    print_wrapped(stdout, info->source, 8, 8);
    printf("revision: %u\n", (unsigned)info->revision);
}

/* With the nearest name as a hint. */
static int unknown_algorithm(const command *self, const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    for (; info_at(n) != NULL && n < MOST; n++)
        names[n] = info_at(n)->name;
    const char *near = kanon_nearest_word(names, n, name);
    if (near != NULL)
        return wrong_usage(self, "unknown algorithm %s, did you mean %s?", name, near);
    return wrong_usage(self, "unknown algorithm %s; kanon algorithms lists them", name);
}

static int run(const command *self, const arguments *args)
{
    const kanon_algorithm_info *info = NULL;
    for (size_t i = 0; args->operand != NULL && info == NULL && info_at(i) != NULL; i++)
        if (strcmp(info_at(i)->name, args->operand) == 0)
            info = info_at(i);
    if (args->operand != NULL && info == NULL)
        return unknown_algorithm(self, args->operand);
    if (info != NULL)
        print_algorithm(info);
    else
        list_algorithms();
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
