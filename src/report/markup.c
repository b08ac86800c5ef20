/* See markup.h. Numbers with separators between thousands, escaped text, and the decoding of UTF-8 that replaces what
 * is invalid. Nothing depends on the locale. */
#include "report/markup.h"

#include "table/value/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Digits in threes; returns where they end. */
static char *put_grouped(char *at, uint64_t magnitude)
{
    char digits[24];
    int n = 0;
    do {
        digits[n++] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude > 0);
    while (n-- > 0) {
        *at++ = digits[n];
        if (n > 0 && n % 3 == 0)
            *at++ = ',';
    }
    return at;
}

kanon__figure_text kanon__show_count(int64_t value)
{
    kanon__figure_text out;
    char *at = out.text;
    if (value < 0)
        *at++ = '-';
    *put_grouped(at, value < 0 ? 0 - (uint64_t)value : (uint64_t)value) = '\0';
    return out;
}

kanon__figure_text kanon__show_fixed(double value, int digits)
{
    kanon__figure_text out;
    char *at = out.text;
    double power = pow(10, digits), scaled = round(fabs(value) * power);
    if (!(scaled < 9e15)) {
        out.text[kanon__format_double(out.text, value)] = '\0';
        return out;
    }
    uint64_t whole = (uint64_t)scaled / (uint64_t)power, rest = (uint64_t)scaled % (uint64_t)power;
    if (value < 0 && scaled > 0)
        *at++ = '-';
    at = put_grouped(at, whole);
    if (digits > 0)
        *at++ = '.';
    for (int i = digits; i > 0; i--) {
        at[i - 1] = (char)('0' + rest % 10);
        rest /= 10;
    }
    at[digits] = '\0';
    return out;
}

kanon__figure_text kanon__show_share(double share)
{
    kanon__figure_text out;
    if (!isfinite(share))
        return (kanon__figure_text){"-"};
    if (fabs(share - 1) < 1e-9)
        share = 1; /* a sum of parts in another order */
    if (share > 0 && share < 0.001)
        return (kanon__figure_text){"under 0.1 %"};
    if (share < 1 && share > 0.999)
        return (kanon__figure_text){"over 99.9 %"};
    out = kanon__show_fixed(100 * share, fabs(100 * share - round(100 * share)) < 1e-9 ? 0 : 1);
    memcpy(out.text + strlen(out.text), " %", 3);
    return out;
}

kanon__figure_text kanon__show_figure(double value, bool whole)
{
    kanon__figure_text out;
    double magnitude = fabs(value);
    if (isnan(value))
        return (kanon__figure_text){"-"};
    if (isinf(value))
        return (kanon__figure_text){"infinite"};
    if (whole)
        return kanon__show_fixed(value, 0);
    if (magnitude > 0 && (magnitude < 1e-4 || magnitude >= 9e14)) {
        out.text[kanon__format_double(out.text, value)] = '\0';
        return out;
    }
    int digits = magnitude >= 100000 ? 0 : magnitude >= 1000 ? 2 : magnitude >= 0.01 ? 4 : 6;
    while (digits > 0 && fabs(value * pow(10, digits - 1) - round(value * pow(10, digits - 1))) < 1e-9)
        digits--; /* zeros at the end that say nothing */
    return kanon__show_fixed(value, digits);
}

kanon__figure_text kanon__show_place(double value)
{
    kanon__figure_text out;
    int64_t hundredths = (int64_t)llround(value * 100);
    int64_t magnitude = hundredths < 0 ? -hundredths : hundredths;
    int used = snprintf(out.text, sizeof out.text, "%s%lld", hundredths < 0 ? "-" : "", (long long)(magnitude / 100));
    if (magnitude % 100 != 0)
        used += snprintf(out.text + used, sizeof out.text - (size_t)used, ".%02lld", (long long)(magnitude % 100));
    if (magnitude % 100 != 0 && out.text[used - 1] == '0')
        out.text[used - 1] = '\0';
    return out;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

enum { ELLIPSIS_WIDTH = 1 };

static bool is_wide(uint32_t code)
{
    return (code >= 0x1100 && code < 0x1160) || (code >= 0x2E80 && code < 0xD7A4) || (code >= 0xF900 && code < 0xFB00) ||
           (code >= 0xFE30 && code < 0xFE70) || (code >= 0xFF00 && code < 0xFF61) || code >= 0x1F300;
}

/* In letters, as it is shown. */
static int width_of(uint32_t code)
{
    char spelled[KANON__ESCAPE_SIZE];
    if (!kanon__must_escape(code))
        return 1 + is_wide(code);
    kanon__escape_code(spelled, code);
    return (int)strlen(spelled);
}

int kanon__text_width(const char *text, size_t length)
{
    const char *end = text + length;
    int64_t width = 0;
    while (text < end)
        width += width_of(kanon__utf8_next(&text, end));
    return width < 100000 ? (int)width : 100000;
}

/* How a character that means something in a page is written there; NULL: as it is. */
static const char *escaped(uint32_t code)
{
    switch (code) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case KANON__REPLACEMENT:
        return "\xEF\xBF\xBD";
    default:
        return NULL;
    }
}

/* One character, which stood at `from` and ended before `to`. */
static void put(kanon__output *o, uint32_t code, const char *from, const char *to)
{
    char spelled[KANON__ESCAPE_SIZE];
    const char *instead = escaped(code);
    if (kanon__must_escape(code)) {
        kanon__escape_code(spelled, code);
        instead = spelled;
    }
    if (instead != NULL)
        kanon__output_text(o, instead);
    else
        kanon__output_write(o, from, (size_t)(to - from));
}

void kanon__markup_text(kanon__output *o, const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        const char *from = text;
        uint32_t code = kanon__utf8_next(&text, end);
        put(o, code, from, text);
    }
}

int kanon__markup_label(kanon__output *o, const char *text, size_t length, int width)
{
    const char *end = text + length;
    int whole = kanon__text_width(text, length), used = 0;
    if (whole <= width) {
        kanon__markup_text(o, text, length);
        return whole;
    }
    while (text < end) {
        const char *from = text;
        uint32_t code = kanon__utf8_next(&text, end);
        if (used + width_of(code) + ELLIPSIS_WIDTH > width)
            break;
        used += width_of(code);
        put(o, code, from, text);
    }
    kanon__output_text(o, "\xE2\x80\xA6");
    return used + ELLIPSIS_WIDTH;
}

void kanon__markup(kanon__output *o, const char *format, ...)
{
    char text[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    kanon__output_text(o, text);
}

const char *kanon__file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}
