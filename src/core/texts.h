/* A growing list of lines of text, such as warnings, names and the parameters of constraints. */
#ifndef KANON_CORE_TEXTS_H
#define KANON_CORE_TEXTS_H

#include "core/status.h"

typedef struct kanon__texts {
    char **items;
    int64_t n, capacity;
} kanon__texts;

kanon_status kanon__texts_add(kanon__texts *texts, const char *text, size_t length, kanon_error *err);
/* A text of any length for people: characters that a terminal must not get are spelled out (core/escape.h). */
kanon_status kanon__texts_add_shown(kanon__texts *texts, const char *text, kanon_error *err);
/* The same of a formatted line of at most 1,000 bytes. */
kanon_status kanon__texts_addf(kanon__texts *texts, kanon_error *err, const char *format, ...) KANON__PRINTF(3, 4);
/* All texts of another list. */
kanon_status kanon__texts_append(kanon__texts *texts, const kanon__texts *from, kanon_error *err);
/* Where `text` is in the list, -1 where it is not. */
int64_t kanon__texts_find(const kanon__texts *texts, const char *text, size_t length);
/* Hint at the word that `text` was meant to be or, after `lead`, at all that there are, and return the status. */
kanon_status kanon__hint_words(kanon_error *err, kanon_status status, const char *lead, const char *const *words, size_t n,
                               const char *text);
void kanon__texts_clear(kanon__texts *texts);

#endif
