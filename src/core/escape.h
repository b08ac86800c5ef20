/* Text that others wrote (column names, file names, keys of a schema) as it may be shown: characters that change what a
 * terminal or a page shows are spelled out instead. kanon__fail, kanon__hint and kanon__texts_addf do this to all messages
 * of the library, so nobody else has to. Called by core/status.c, core/texts.c and report/markup.c; calls nothing. */
#ifndef KANON_CORE_ESCAPE_H
#define KANON_CORE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KANON__REPLACEMENT = 0xFFFD, KANON__ESCAPE_SIZE = 12 };

/* Step over the next character, of which there must be one, and return its code point; U+FFFD for what is not
 * UTF-8. */
uint32_t kanon__utf8_next(const char **at, const char *end);
/* Whether a character must not be shown as it is: controls, line separators and marks that turn the direction of text. */
bool kanon__must_escape(uint32_t code);
/* The character spelled out: \n, \x1b, \u202e. */
void kanon__escape_code(char out[KANON__ESCAPE_SIZE], uint32_t code);

#endif
