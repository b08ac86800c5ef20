/* See text.h. White space is recognised by its bytes in UTF-8, from either end. */
#include "core/text.h"

#include <string.h>

/* All white space of three bytes; that of two is C2 85 and C2 A0, that of one is ASCII. */
static bool is_wide_space(const unsigned char *at)
{
    switch (at[0]) {
    case 0xe1: /* U+1680 */
        return at[1] == 0x9a && at[2] == 0x80;
    case 0xe2: /* U+2000 to U+200B, U+2028, U+2029, U+202F; U+205F, U+2060 */
        if (at[1] == 0x80)
            return at[2] <= 0x8b || at[2] == 0xa8 || at[2] == 0xa9 || at[2] == 0xaf;
        return at[1] == 0x81 && (at[2] == 0x9f || at[2] == 0xa0);
    case 0xe3: /* U+3000 */
        return at[1] == 0x80 && at[2] == 0x80;
    default: /* U+FEFF */
        return at[0] == 0xef && at[1] == 0xbb && at[2] == 0xbf;
    }
}

/* Whether the `n` bytes at `at` are one character of white space. */
static bool is_space(const char *at, size_t n)
{
    const unsigned char *bytes = (const unsigned char *)at;
    if (n == 1)
        return bytes[0] == ' ' || (bytes[0] >= '\t' && bytes[0] <= '\r');
    if (n == 2)
        return bytes[0] == 0xc2 && (bytes[1] == 0x85 || bytes[1] == 0xa0);
    return is_wide_space(bytes);
}

void kanon__trim_ends(const char **text, size_t *length)
{
    for (size_t n = 1; n <= 3 && n <= *length; n++)
        if (is_space(*text, n)) {
            *text += n;
            *length -= n;
            n = 0; /* and once more from one byte */
        }
    for (size_t n = 1; n <= 3 && n <= *length; n++)
        if (is_space(*text + *length - n, n)) {
            *length -= n;
            n = 0;
        }
}

bool kanon__same_value(const char *left, size_t left_length, const char *right, size_t right_length)
{
    kanon__trim(&left, &left_length);
    kanon__trim(&right, &right_length);
    return left_length == right_length && (left_length == 0 || memcmp(left, right, left_length) == 0);
}
