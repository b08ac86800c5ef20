/* Texts that the schema declares to be one: each is replaced by the first of those that it is the same as. */
#ifndef KANON_AUDIT_SAME_TEXTS_H
#define KANON_AUDIT_SAME_TEXTS_H

#include "core/texts.h"
#include "table/value/dictionary.h"

#include <stdbool.h>

/* All zero is one without texts. */
typedef struct kanon__same_texts {
    kanon__dictionary texts;
    uint32_t *first; /* by text */
} kanon__same_texts;

/* `pairs`: text 2i is the same as text 2i + 1. */
kanon_status kanon__same_texts_read(kanon__same_texts *out, const kanon__texts *pairs, kanon_error *err);
/* Let *text and *length be the text that stands for it; they stay what they are where nothing was said. */
void kanon__same_texts_replace(const kanon__same_texts *same, const char **text, size_t *length);
/* Go on to the next text, from number *at on, that is the same as this one; this one is among them. False: there is none. */
bool kanon__same_texts_next(const kanon__same_texts *same, uint32_t *at, const char **text, size_t *length);
void kanon__same_texts_clear(kanon__same_texts *same);

#endif
