/* Text that others wrote (column names, file names, keys of a schema) as it may be shown: characters that change what a
 * terminal or a page shows are spelled out instead. kanon__fail, kanon__hint and kanon__texts_addf do this to all
 * messages of the library, so nobody else has to. */
#ifndef KANON_CORE_ESCAPE_H
#define KANON_CORE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KANON__REPLACEMENT = 0xFFFD, KANON__ESCAPE_SIZE = 12 };

/* Step over the next character, of which there must be one, and return its code point; U+FFFD for what is not
 * UTF-8. */
uint32_t kanon__utf8_next(const char **at, const char *end);
/* Write the character in UTF-8, in up to four bytes; returns where it ends. */
static inline char *kanon__utf8_put(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    return to;
}

/* How many bytes of a text fit into `most`, no character cut in two. For "%.*s": KANON__CUT(name, 200). */
int kanon__bytes_within(const char *text, int most);
#define KANON__CUT(text, most) kanon__bytes_within((text), (most)), (text)

/* Whether a character must not be shown as it is: controls, line separators and marks that turn the direction of text. */
bool kanon__must_escape(uint32_t code);
/* The character spelled out: \n, \x1b, \u202e. */
void kanon__escape_code(char out[KANON__ESCAPE_SIZE], uint32_t code);

#endif
