/* How two values are compared: without the white space at their ends. The one definition for all that reads values:
 * cells of tables, deltas and releases, texts that mean "no value", labels of taxonomies. src/verify has a reading of
 * its own (verify/bare_text.h).
 *
 * White space is what Unicode says (White_Space: blanks, tabs, line ends, no-break and other spaces of any width), and
 * three characters that nobody can see: U+200B, U+2060 and U+FEFF. Nothing inside a value is touched. */
#ifndef KANON_CORE_TEXT_H
#define KANON_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* What is left between the white space at both ends; any bytes may be given. */
void kanon__trim_ends(const char **text, size_t *length);

/* Whether this byte can begin or end white space. Most values have none, and a look at two bytes tells. */
static inline bool kanon__may_be_space(char byte)
{
    return (unsigned char)byte <= ' ' || (unsigned char)byte >= 0x80;
}

/* The text without the white space at its ends. */
static inline void kanon__trim(const char **text, size_t *length)
{
    if (*length > 0 && (kanon__may_be_space((*text)[0]) || kanon__may_be_space((*text)[*length - 1])))
        kanon__trim_ends(text, length);
}

/* Whether two texts are the same value. */
bool kanon__same_value(const char *left, size_t left_length, const char *right, size_t right_length);

#endif
