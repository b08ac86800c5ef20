/* See flow_text.h. */
#include "table/schema/flow_text.h"

#include "core/alloc.h"
#include "core/escape.h"
#include "table/value/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void kanon__put(kanon__text_writer *w, const char *bytes, size_t n)
{
    if (w->st == KANON_OK)
        w->st = kanon__grow_array(&w->bytes, &w->capacity, w->n + (int64_t)n + 1, "a text", w->err);
    if (w->st != KANON_OK)
        return;
    memcpy(w->bytes + w->n, bytes, n);
    w->n += (int64_t)n;
    w->bytes[w->n] = '\0';
}

void kanon__put_text(kanon__text_writer *w, const char *text)
{
    kanon__put(w, text, strlen(text));
}

void kanon__putf(kanon__text_writer *w, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    kanon__put_text(w, line);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool kanon__text_is_utf8(const char *text)
{
    for (const char *end = text + strlen(text), *begin = text; text < end; begin = text)
        if (kanon__utf8_next(&text, end) == KANON__REPLACEMENT && text == begin + 1)
            return false;
    return true;
}

bool kanon__text_is_plain(const char *text)
{
    static const char *const words[] = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
    for (const char *c = text; *c != '\0'; c++)
        if (!is_letter(*c) && !is_digit(*c) && *c != '_' && *c != '-')
            return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = 0;
        while (text[n] != '\0' && (text[n] | 0x20) == words[i][n])
            n++;
        if (text[n] == '\0' && words[i][n] == '\0')
            return false;
    }
    return is_letter(text[0]);
}

/* Also what YAML takes for the end of a line, for a mark of the byte order, or for no character. */
static bool must_spell_out(uint32_t c)
{
    return c < ' ' || c == 0x7f || kanon__must_escape(c) || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

void kanon__put_quoted(kanon__text_writer *w, const char *text)
{
    const char *end = text + strlen(text);
    kanon__put_text(w, "\"");
    while (text < end) {
        const char *begin = text;
        uint32_t c = kanon__utf8_next(&text, end);
        if (c == KANON__REPLACEMENT && text == begin + 3) /* or U+FFFE or U+FFFF, which are no characters */
            c = 0xffc0 | (begin[2] & 0x3f);
        if (c == '"' || c == '\\')
            kanon__putf(w, "\\%c", (char)c);
        else if (must_spell_out(c))
            kanon__putf(w, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
        else
            kanon__put(w, begin, (size_t)(text - begin));
    }
    kanon__put_text(w, "\"");
}

void kanon__put_name(kanon__text_writer *w, const char *text)
{
    if (kanon__text_is_plain(text))
        kanon__put_text(w, text);
    else
        kanon__put_quoted(w, text);
}

void kanon__put_value(kanon__text_writer *w, const char *text)
{
    kanon__decimal number;
    if (strspn(text, "0123456789.") == strlen(text) && kanon__parse_decimal(&number, text, strlen(text)))
        kanon__put_text(w, text);
    else
        kanon__put_name(w, text);
}

void kanon__put_list(kanon__text_writer *w, const kanon__texts *items)
{
    kanon__put_text(w, "[");
    for (int64_t i = 0; i < items->n; i++) {
        kanon__put_text(w, i > 0 ? ", " : "");
        kanon__put_name(w, items->items[i]);
    }
    kanon__put_text(w, "]");
}

void kanon__put_pairs(kanon__text_writer *w, const kanon__texts *names, const kanon__texts *values)
{
    kanon__put_text(w, "{");
    for (int64_t i = 0; i < names->n; i++) {
        kanon__put_text(w, i > 0 ? ", " : "");
        kanon__put_name(w, names->items[i]);
        kanon__put_text(w, ": ");
        kanon__put_value(w, values->items[i]);
    }
    kanon__put_text(w, "}");
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

char kanon__flow_next(kanon__flow *f)
{
    f->at += strspn(f->at, " \t\r\n");
    return *f->at;
}

bool kanon__flow_item(kanon__flow *f, char close, int64_t *n)
{
    char next = kanon__flow_next(f);
    if (!f->wrong && *n > 0 && next == ',') {
        f->at++;
        next = kanon__flow_next(f);
    } else {
        f->wrong = f->wrong || (*n > 0 && next != close);
    }
    f->wrong = f->wrong || next == '\0';
    f->at += next == close;
    ++*n;
    return !f->wrong && next != close;
}

/* The number that `digits` hexadecimal digits say. */
static uint32_t take_digits(kanon__flow *f, int digits)
{
    static const char hex[] = "0123456789abcdef";
    uint32_t code = 0;
    for (; digits > 0; digits--) {
        const char *digit = *f->at != '\0' ? strchr(hex, is_letter(*f->at) ? *f->at | 0x20 : *f->at) : NULL;
        f->wrong = f->wrong || digit == NULL;
        if (f->wrong)
            return 0;
        code = code << 4 | (uint32_t)(digit - hex);
        f->at++;
    }
    return code;
}

/* What stands behind a backslash. A character beyond the first 65,536 can be written as two, as JSON does. */
static void take_escape(kanon__flow *f, kanon__text_writer *w)
{
    static const char letters[] = "abtnvfre \"/\\N_LP";
    static const uint16_t codes[] = {7,   8,   9,   10,  11,   12,   13,     27,
                                     ' ', '"', '/', '\\', 0x85, 0xa0, 0x2028, 0x2029};
    char utf8[4], c = *f->at;
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    uint32_t code = 0;
    f->at += c != '\0';
    if (letter != NULL)
        code = codes[letter - letters];
    else if (c == 'x' || c == 'u' || c == 'U')
        code = take_digits(f, c == 'x' ? 2 : c == 'u' ? 4 : 8);
    if (c == 'u' && code >= 0xd800 && code < 0xdc00 && f->at[0] == '\\' && f->at[1] == 'u') {
        f->at += 2;
        uint32_t low = take_digits(f, 4);
        f->wrong = f->wrong || low < 0xdc00 || low > 0xdfff;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    f->wrong = f->wrong || code == 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000);
    if (!f->wrong)
        kanon__put(w, utf8, (size_t)(kanon__utf8_put(utf8, code) - utf8));
}

static void take_quoted(kanon__flow *f, kanon__text_writer *w)
{
    char quote = *f->at++;
    while (!f->wrong && (*f->at != quote || (quote == '\'' && f->at[1] == quote))) {
        f->wrong = *f->at == '\0';
        if (quote == '"' && *f->at == '\\') {
            f->at++;
            take_escape(f, w);
        } else if (!f->wrong) {
            f->at += *f->at == quote;
            kanon__put(w, f->at++, 1);
        }
    }
    f->at += !f->wrong;
}

/* Up to a sign that ends it, without the white space before that. */
static void take_plain(kanon__flow *f, kanon__text_writer *w)
{
    static const char *const nulls[] = {"~", "null", "Null", "NULL"};
    const char *begin = f->at;
    while (strchr(",[]{}", *f->at) == NULL && !(*f->at == ':' && strchr(" \t\r\n,]}", f->at[1]) != NULL))
        f->at++;
    size_t length = (size_t)(f->at - begin);
    while (length > 0 && strchr(" \t\r\n", begin[length - 1]) != NULL)
        length--;
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (strlen(nulls[i]) == length && strncmp(nulls[i], begin, length) == 0)
            length = 0;
    kanon__put(w, begin, length);
}

/* One more text, which is next. */
static kanon_status take_text(kanon__flow *f, kanon__texts *out, kanon_error *err)
{
    kanon__text_writer w = {.err = err};
    char next = kanon__flow_next(f);
    kanon__put(&w, "", 0);
    if (next == '"' || next == '\'')
        take_quoted(f, &w);
    else
        take_plain(f, &w);
    kanon_status st = w.st;
    if (st == KANON_OK)
        st = kanon__texts_add(out, w.bytes, (size_t)w.n, err);
    kanon__free(w.bytes);
    return st;
}

static bool enter(kanon__flow *f, char open)
{
    f->wrong = f->wrong || kanon__flow_next(f) != open;
    f->at += !f->wrong;
    return !f->wrong;
}

kanon_status kanon__flow_list(kanon__flow *f, kanon__texts *items, kanon_error *err)
{
    int64_t n = 0;
    while ((n > 0 || enter(f, '[')) && kanon__flow_item(f, ']', &n))
        KANON_CHECK(take_text(f, items, err));
    return KANON_OK;
}

kanon_status kanon__flow_pairs(kanon__flow *f, kanon__texts *names, kanon__texts *values, kanon_error *err)
{
    int64_t n = 0;
    while ((n > 0 || enter(f, '{')) && kanon__flow_item(f, '}', &n)) {
        KANON_CHECK(take_text(f, names, err));
        if (enter(f, ':'))
            KANON_CHECK(take_text(f, values, err));
    }
    return KANON_OK;
}

bool kanon__flow_is_whole(kanon__flow *f)
{
    return !f->wrong && kanon__flow_next(f) == '\0';
}
