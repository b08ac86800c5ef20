#include "command.h"

#include <string.h>

static const option *const options[] = {&option_help, NULL};

static const char *const examples[] = {
    "kanon algorithms",
    "kanon algorithms kmember",
    NULL,
};

static void list_algorithms(void)
{
    int width = 0;
    for (size_t i = 0; i < kanon_algorithm_count(); i++) {
        int length = (int)strlen(kanon_algorithm_at(i)->name);
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < kanon_algorithm_count(); i++) {
        const kanon_algorithm_info *info = kanon_algorithm_at(i);
        printf("%-*s - %s - %s\n", width, info->name, info->summary, info->source);
    }
}

static void print_setting(const kanon_setting_info *setting)
{
    enum { INDENT = 6 };
    printf("  %s ", setting->name);
    switch (setting->type) {
    case KANON_SETTING_INTEGER:
        printf("(whole number from %.10g to %.10g", setting->min, setting->max);
        break;
    case KANON_SETTING_NUMBER:
        printf("(number from %.10g to %.10g", setting->min, setting->max);
        break;
    case KANON_SETTING_FLAG:
        printf("(true or false");
        break;
    case KANON_SETTING_CHOICE:
        printf("(%s", setting->choices);
        break;
    }
    if (setting->default_value != NULL)
        printf(", default %s", setting->default_value);
    printf(")\n%*s", INDENT, "");
    print_wrapped(stdout, setting->help, INDENT, INDENT);
}

static void print_algorithm(const kanon_algorithm_info *info)
{
    print_wrapped(stdout, info->name, 0, 0);
    print_wrapped(stdout, info->summary, 0, 0);
    putchar('\n');
    print_wrapped(stdout, info->advice, 0, 0);
    if (info->n_settings > 0)
        printf("\nsettings:\n");
    for (size_t i = 0; i < info->n_settings; i++)
        print_setting(&info->settings[i]);
    printf("\nsource: ");
    print_wrapped(stdout, info->source, 8, 8);
    printf("revision: %u\n", (unsigned)info->revision);
}

static int unknown_algorithm(const command *self, const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    for (; n < kanon_algorithm_count() && n < MOST; n++)
        names[n] = kanon_algorithm_at(n)->name;
    const char *near = nearest_word(names, n, name);
    if (near != NULL)
        return wrong_usage(self, "unknown algorithm %s, did you mean %s?", name, near);
    return wrong_usage(self, "unknown algorithm %s; kanon algorithms lists them", name);
}

static int run(const command *self, const arguments *args)
{
    const kanon_algorithm_info *info = args->operand == NULL ? NULL : kanon_algorithm_find(args->operand);
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
    .summary = "list the algorithms, or describe one with its settings",
    .usage = "[NAME]",
    .description = "Lists the algorithms with their sources, one line each; with NAME says when to use that one, and prints "
                   "its settings for kanon anonymize --set.",
    .operand = "NAME",
    .operand_optional = true,
    .options = options,
    .examples = examples,
    .run = run,
};
