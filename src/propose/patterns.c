/* Patterns: whether a text has the form of a mail address, a phone number, ..., and given names. The patterns and names are
 * rows of propose/knowledge.def; what they mean is said there. A pattern is tried with backtracking: patterns are short, and
 * texts longer than any of them fail early. */
#include "propose/kinds.h"

#include <string.h>

static const kanon__pattern patterns[] = {
#define KANON_PATTERN(kind, percent, pattern) {KANON__KIND_##kind, percent, pattern},
#include "propose/knowledge.def"
};

const kanon__pattern *kanon__pattern_at(size_t i)
{
    return i < sizeof patterns / sizeof *patterns ? &patterns[i] : NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Letters of ASCII, and every byte of other characters. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static bool is_one_of(const char *set, char c)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static bool character_fits(char pattern, char c)
{
    switch (pattern) {
    case '9':
        return is_digit(c);
    case 'A':
        return is_letter(c);
    case 'X':
        return is_digit(c) || is_letter(c);
    case 'H':
        return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    case 'W':
        return is_digit(c) || is_letter(c) || is_one_of("._%+-", c);
    case 'P':
        return is_digit(c) || is_one_of("-/(). ", c);
    case 'S':
        return is_one_of("-/ ", c);
    case '~':
        return true;
    default:
        return pattern == c;
    }
}

/* How often the character before it may occur; returns what follows in the pattern. */
static const char *read_count(const char *pattern, size_t *least, size_t *most)
{
    *least = *most = 1;
    if (*pattern == '*') {
        *least = 0;
        *most = SIZE_MAX;
        return pattern + 1;
    }
    if (*pattern != '{')
        return pattern;
    *least = 0;
    for (pattern++; is_digit(*pattern); pattern++)
        *least = *least * 10 + (size_t)(*pattern - '0');
    *most = *least;
    if (*pattern == ',')
        for (pattern++, *most = 0; is_digit(*pattern); pattern++)
            *most = *most * 10 + (size_t)(*pattern - '0');
    return pattern + 1;
}

bool kanon__pattern_fits(const char *pattern, const char *text, size_t length)
{
    size_t least, most, n = 0;
    if (*pattern == '\0')
        return length == 0;
    const char *rest = read_count(pattern + 1, &least, &most);
    while (n < length && n < most && character_fits(*pattern, text[n]))
        n++;
    for (; n >= least; n--) { /* the longest first */
        if (kanon__pattern_fits(rest, text + n, length - n))
            return true;
        if (n == 0)
            return false;
    }
    return false;
}

/* ---- given names -------------------------------------------------------------------------------------------------- */

static const char *const given_names[] = {
#define KANON_GIVEN(names) " " names " ",
#include "propose/knowledge.def"
};

bool kanon__is_given_name(const char *word, size_t length)
{
    enum { LONGEST = 20 };
    char wanted[LONGEST + 3];
    if (length < 2 || length > LONGEST)
        return false;
    wanted[0] = ' ';
    for (size_t i = 0; i < length; i++)
        wanted[i + 1] = (char)(word[i] >= 'A' && word[i] <= 'Z' ? word[i] - 'A' + 'a' : word[i]);
    wanted[length + 1] = ' ';
    wanted[length + 2] = '\0';
    for (size_t i = 0; i < sizeof given_names / sizeof *given_names; i++)
        if (strstr(given_names[i], wanted) != NULL)
            return true;
    return false;
}
