/* See value_format.h. A number with other separators is copied without them and then read as any other; the calendar is
 * that of date_format.c. */
#include "table/value/value_format.h"

#include "core/text.h"
#include "table/value/dictionary.h"

#include <string.h>

enum { LONGEST_NUMBER = 128, GROUP = 3 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

char kanon__value_decimal(const kanon__value_format *format)
{
    return format->decimal != 0 ? format->decimal : format->thousands == '.' ? ',' : '.';
}

/* The bytes of the separator of thousands at `at`; 0: there is none. A space may also be a no-break space, wide or
 * narrow. */
static size_t separator_at(const char *at, const char *end, char thousands)
{
    size_t left = (size_t)(end - at);
    if (thousands == 0 || left == 0)
        return 0;
    if (*at == thousands)
        return 1;
    if (thousands == ' ' && left >= 2 && memcmp(at, "\xc2\xa0", 2) == 0)
        return 2;
    return thousands == ' ' && left >= 3 && memcmp(at, "\xe2\x80\xaf", 3) == 0 ? 3 : 0;
}

/* Copy the digits before the decimal separator without those of thousands, which stand before groups of three. */
static bool copy_whole(char *to, size_t *n, const char **text, const char *end, char thousands)
{
    int digits = 0, groups = 0;
    const char *at = *text;
    while (at < end) {
        size_t skip = separator_at(at, end, thousands);
        if (skip > 0) {
            if (digits == 0 || digits > GROUP || to[*n - (size_t)digits] == '0' || (groups > 0 && digits != GROUP) ||
                at + skip == end || !is_digit(at[skip]))
                return false;
            groups++;
            digits = 0;
            at += skip;
        } else if (is_digit(*at)) {
            to[(*n)++] = *at++;
            digits++;
        } else {
            break;
        }
    }
    *text = at;
    return groups == 0 || digits == GROUP;
}

/* The number with a point and without separators of thousands; false where it is none. */
static bool normalise(char to[LONGEST_NUMBER], size_t *n, const kanon__value_format *format, const char *text, size_t length)
{
    kanon__trim(&text, &length);
    const char *at = text, *end = text + length;
    char decimal = kanon__value_decimal(format);
    *n = 0;
    if (end - at >= LONGEST_NUMBER)
        return false;
    if (at < end && (*at == '-' || *at == '+'))
        to[(*n)++] = *at++;
    if (!copy_whole(to, n, &at, end, format->thousands))
        return false;
    for (; at < end; at++) {
        if (*at == '.' && decimal != '.')
            return false;
        to[(*n)++] = *at == decimal ? '.' : *at;
    }
    return true;
}

static bool parse_number(kanon__decimal *out, kanon_type type, const char *text, size_t length)
{
    int64_t whole = 0;
    if (type == KANON_TYPE_DECIMAL)
        return kanon__parse_decimal(out, text, length);
    if (!kanon__parse_integer(&whole, text, length))
        return false;
    *out = (kanon__decimal){.mantissa = whole, .scale = 0, .exact = true, .value = (double)whole};
    return true;
}

/* The number of the level. */
static bool parse_level(kanon__decimal *out, const kanon__dictionary *levels, const char *text, size_t length)
{
    kanon__trim(&text, &length);
    uint32_t rank = levels != NULL && levels->n > 0 ? kanon__dictionary_find(levels, text, length) : KANON__NO_CODE;
    bool good = rank != KANON__NO_CODE;
    *out = (kanon__decimal){.mantissa = good ? rank : 0, .exact = true, .value = good ? rank : 0};
    return good;
}

bool kanon__value_parse(kanon__decimal *out, kanon_type type, const kanon__value_format *format, const char *text,
                        size_t length)
{
    char number[LONGEST_NUMBER];
    size_t n;
    int64_t days;
    if (type == KANON_TYPE_ORDINAL)
        return parse_level(out, format->levels, text, length);
    if (type == KANON_TYPE_DATE && format->date[0] != '\0')
        return kanon__date_format_parse(out, format->date, text, length);
    if (type == KANON_TYPE_DATE) {
        bool good = kanon__parse_date(&days, text, length);
        *out = (kanon__decimal){.mantissa = good ? days : 0, .exact = true, .value = good ? (double)days : 0};
        return good;
    }
    if ((format->decimal == 0 || format->decimal == '.') && format->thousands == 0)
        return parse_number(out, type, text, length);
    return normalise(number, &n, format, text, length) && parse_number(out, type, number, n);
}

bool kanon__value_has_time(const kanon__value_format *format)
{
    return kanon__date_format_has_time(format->date);
}

size_t kanon__value_print_date(char buffer[KANON__NUMBER_TEXT], const kanon__value_format *format, int64_t value)
{
    return kanon__date_format_print(buffer, format->date[0] != '\0' ? format->date : KANON__DATE_ISO, value);
}

void kanon__value_localise(char *number, size_t length, const kanon__value_format *format)
{
    for (size_t i = 0; i < length; i++)
        if (number[i] == '.')
            number[i] = kanon__value_decimal(format);
}

const char *kanon__separators_fault(char decimal, char thousands)
{
    if (decimal != 0 && decimal != '.' && decimal != ',')
        return "the decimal separator is a point or a comma";
    if (thousands != 0 && strchr(".,' _", thousands) == NULL)
        return "thousands are separated by a point, a comma, an apostrophe, an underscore or a space";
    if (thousands != 0 && thousands == decimal)
        return "thousands have another separator than decimals";
    return NULL;
}
