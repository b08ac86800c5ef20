/* See levels.h. */
#include "table/value/levels.h"

#include "core/text.h"

#include <string.h>

static bool has_points(const char *text, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (text[i] == '.' && text[i + 1] == '.')
            return true;
    return false;
}

/* Between brackets two points part two levels. One that begins with a point could lend it to them. */
const char *kanon__level_fault(const char *text, size_t length)
{
    const char *bare = text;
    size_t bare_length = length;
    kanon__trim(&bare, &bare_length);
    if (bare_length == 0)
        return "is empty";
    if (bare_length != length)
        return "has white space at its ends";
    if (length == 1 && text[0] == '*')
        return "is '*', which stands for any value";
    if (has_points(text, length) || text[0] == '.')
        return "has '..' in it or begins with a point";
    return memchr(text, '\n', length) != NULL || memchr(text, '\r', length) != NULL || memchr(text, '\0', length) != NULL
               ? "has a line break in it"
               : NULL;
}

kanon_status kanon__levels_add(kanon__dictionary *levels, const char *text, size_t length, const char **fault,
                               kanon_error *err)
{
    uint32_t code, before = levels->n;
    *fault = kanon__level_fault(text, length);
    if (*fault != NULL)
        return KANON_OK;
    if (before == KANON__MOST_LEVELS) {
        *fault = "is one of more than 10000";
        return KANON_OK;
    }
    kanon_status st = levels->slots == NULL ? kanon__dictionary_init(levels, err) : KANON_OK;
    if (st == KANON_OK)
        st = kanon__dictionary_add(levels, &code, text, length, err);
    if (st == KANON_OK && levels->n == before)
        *fault = "is named twice";
    return st;
}

kanon_status kanon__levels_copy(kanon__dictionary *out, const kanon__dictionary *from, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__dictionary_clear(out);
    for (uint32_t i = 0; st == KANON_OK && i < from->n; i++) {
        size_t length;
        const char *fault, *text = kanon__dictionary_text(from, i, &length);
        st = kanon__levels_add(out, text, length, &fault, err);
    }
    return st;
}

bool kanon__levels_equal(const kanon__dictionary *left, const kanon__dictionary *right)
{
    if (left->n != right->n)
        return false;
    for (uint32_t i = 0; i < left->n; i++) {
        size_t length, other;
        const char *one = kanon__dictionary_text(left, i, &length), *two = kanon__dictionary_text(right, i, &other);
        if (length != other || memcmp(one, two, length) != 0)
            return false;
    }
    return true;
}
