/* See print_advice.h. One row for each topic of kanon_advice_item: the text stands in brackets after the sentence. */
#include "print_advice.h"

#include "command.h"

#include <string.h>

static const struct {
    const char *topic, *flags;
} rows[] = {
    {"leave-out", "--identifying A leaves it out"},
    {"taxonomy", "kanon taxonomy build makes one"},
    {"bands", "--bands A=WIDTH; weight in the schema"},
    {"suppress", "--suppress SHARE"},
    {"refine", "--refine search"},
    {"tradeoff", "kanon tradeoff"},
};

static const char *flags_about(const char *topic)
{
    for (size_t i = 0; topic != NULL && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].topic, topic) == 0)
            return rows[i].flags;
    return NULL;
}

void print_advice(const kanon_table *table, const kanon_grouping *grouping)
{
    kanon_advice *advice = NULL;
    const kanon_advice_item *item;
    if (kanon_advise(&advice, table, grouping, NULL) != KANON_OK)
        return;
    for (size_t i = 0; (item = kanon_advice_at(advice, i)) != NULL; i++) {
        const char *flags = flags_about(item->topic);
        if (item->topic != NULL && strcmp(item->topic, "hidden") == 0)
            continue; /* the last line names those columns, with --quiet, too */
        if (flags != NULL)
            say("advice: %s (%s)", item->sentence, flags);
        else
            say("advice: %s", item->sentence);
    }
    kanon_advice_free(advice);
}
