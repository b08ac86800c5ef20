/* See markup.h. Escaped text, and the decoding of UTF-8 that replaces what is invalid. */
#include "report/markup.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

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
