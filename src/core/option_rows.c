/* See option_rows.h. */
#include "core/option_rows.h"

#include "core/texts.h"

#include <stdio.h>
#include <string.h>

/* Reasons and names of hosts are for those who compare hosts: scripts/check-options. */
#undef NOT
#define NOT(reason) NULL

const option kanon__options[KANON__N_OPTIONS] = {
#define KANON_OPTION(called, place, ...) {.id = #called, __VA_ARGS__},
#include "options/options.def"
#undef KANON_OPTION
};

const option *kanon__option(const char *id)
{
    const option *row = kanon__options;
    while (strcmp(row->id, id) != 0)
        row++;
    return row;
}

const char *kanon__option_words(const option *opt)
{
    const char *words = opt->words != NULL ? opt->words : opt->argument;
    if (words == NULL || strchr(words, '|') == NULL)
        return NULL;
    return words[0] >= 'A' && words[0] <= 'Z' ? strchr(words, '|') + 1 : words;
}

kanon_status kanon__hint_choice(kanon_error *err, kanon_status status, const char *words, const char *text)
{
    enum { MOST = 16 };
    char copy[256];
    const char *list[MOST];
    size_t n = 0;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = copy; word != NULL && n < MOST; n++) {
        char *end = strchr(word, '|');
        list[n] = word;
        if (end != NULL)
            *end++ = '\0';
        word = end;
    }
    return kanon__hint_words(err, status, "choose one of:", list, n, text);
}
