/* See print_advice.h. One row for each topic of kanon_advice_item: the text stands in brackets after the sentence. */
#include "print_advice.h"

#include "command.h"

#include <string.h>

static const struct {
    const char *topic, *flags;
} rows[] = {
    {"taxonomy", "kanon taxonomy build makes one"},
    {"narrower-bands", "--bands A=WIDTH"},
    {"suppress", "--suppress SHARE"},
    {"refine", "--refine search"},
    {"tradeoff", "kanon tradeoff"},
    {"bound", "kanon bound"},
};

static const char *flags_about(const char *topic)
{
    for (size_t i = 0; topic != NULL && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].topic, topic) == 0)
            return rows[i].flags;
    return NULL;
}

/* A change that was tried has an option of this program; -k is the only one that is a letter. */
static void print_item(const kanon_advice_item *item)
{
    const char *flags = flags_about(item->topic);
    if (item->option != NULL && strcmp(item->option, "quasi") == 0)
        say("advice: %s (--quasi %s; weight in the schema)", item->sentence, item->value);
    else if (item->option != NULL)
        say("advice: %s (%s%s %s)", item->sentence, strcmp(item->option, "k") == 0 ? "-" : "--", item->option, item->value);
    else if (flags != NULL)
        say("advice: %s (%s)", item->sentence, flags);
    else
        say("advice: %s", item->sentence);
}

void print_advice(const kanon_table *table, const kanon_grouping *grouping, const kanon_advice *advice)
{
    static const kanon_advise_options measured = {.struct_size = sizeof measured, .measured = 1};
    kanon_advice *own = NULL;
    const kanon_advice_item *item;
    if (advice == NULL && kanon_advise_with(&own, table, grouping, &measured, NULL) != KANON_OK)
        return;
    advice = advice != NULL ? advice : own;
    for (size_t i = 0; (item = kanon_advice_at(advice, i)) != NULL; i++)
        if (item->topic == NULL || strcmp(item->topic, "hidden") != 0) /* the last line names those, with --quiet, too */
            print_item(item);
    if (own != NULL)
        say("advice: what changes to the schema would save is tried for a report (--report FILE)");
    kanon_advice_free(own);
}
