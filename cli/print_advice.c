/* See print_advice.h. One row for each topic of kanon_advice_topic: the text stands in brackets after the sentence. */
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
    const char *sentence;
    if (kanon_advise(&advice, table, grouping, NULL) != KANON_OK)
        return;
    for (size_t i = 0; (sentence = kanon_advice_sentence(advice, i)) != NULL; i++) {
        const char *topic = kanon_advice_topic(advice, i), *flags = flags_about(topic);
        if (topic != NULL && strcmp(topic, "hidden") == 0)
            continue; /* the last line names those columns, with --quiet, too */
        if (flags != NULL)
            say("advice: %s (%s)", sentence, flags);
        else
            say("advice: %s", sentence);
    }
    kanon_advice_free(advice);
}
