/* See certificate_file.h. A reader of JSON (RFC 8259) that keeps what a certificate has and skips the rest. Each function
 * reads one thing at the place and goes past it; the first that finds something else sets `broken`, and nothing is read
 * after that. */
#include "verify/certificate_file.h"

#include "core/alloc.h"

#include <string.h>

enum { MOST_NESTED = 64 };

typedef struct reader {
    const char *at, *end;
    bool broken;
    int nested; /* lists and objects around the place */
    kanon__certificate_file *file;
    unsigned seen; /* members that are known, a bit for each */
} reader;

/* A text as it stands between its quotes. */
typedef struct json_text {
    const char *bytes;
    size_t length;
} json_text;

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

/* Go past a character if it is the next one. */
static bool accept(reader *r, char c)
{
    skip_space(r);
    if (r->broken || r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static void expect(reader *r, char c)
{
    if (!accept(r, c))
        r->broken = true;
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* What follows a backslash. */
static void read_escape(reader *r)
{
    char c = r->at < r->end ? *r->at++ : '\0';
    int n_hex = c == 'u' ? 4 : 0;
    if (n_hex == 0 && (c == '\0' || strchr("\"\\/bfnrt", c) == NULL))
        r->broken = true;
    for (int i = 0; i < n_hex && !r->broken; i++)
        r->broken = r->at == r->end || !is_hex(*r->at++);
}

static json_text read_text(reader *r)
{
    expect(r, '"');
    json_text out = {.bytes = r->at};
    while (!r->broken && r->at < r->end && *r->at != '"') {
        unsigned char c = (unsigned char)*r->at++;
        if (c == '\\')
            read_escape(r);
        else if (c < 0x20)
            r->broken = true;
    }
    out.length = r->broken ? 0 : (size_t)(r->at - out.bytes);
    expect(r, '"');
    return out;
}

static int64_t read_digits(reader *r, bool negative, bool *fits)
{
    int64_t value = 0;
    if (r->at == r->end || *r->at < '0' || *r->at > '9')
        r->broken = true;
    else if (*r->at == '0' && r->at + 1 < r->end && r->at[1] >= '0' && r->at[1] <= '9')
        r->broken = true; /* no number begins with two digits of which the first is 0 */
    for (; !r->broken && r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        *fits = *fits && !__builtin_mul_overflow(value, 10, &value) &&
                !(negative ? __builtin_sub_overflow(value, *r->at - '0', &value)
                           : __builtin_add_overflow(value, *r->at - '0', &value));
    return value;
}

/* The digits after a point or an exponent, which no whole number has. */
static void skip_digits(reader *r)
{
    const char *begin = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    r->broken = r->broken || r->at == begin;
}

/* A number; `given` only where it is whole and fits. */
static kanon__file_number read_number(reader *r)
{
    bool negative = accept(r, '-'), whole = true;
    kanon__file_number out = {.given = false};
    int64_t value = read_digits(r, negative, &whole);
    if (!r->broken && r->at < r->end && *r->at == '.') {
        r->at++;
        skip_digits(r);
        whole = false;
    }
    if (!r->broken && r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        r->at++;
        if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
            r->at++;
        skip_digits(r);
        whole = false;
    }
    if (!r->broken && whole)
        out = (kanon__file_number){.given = true, .value = value};
    return out;
}

static void skip_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
        r->broken = true;
    else
        r->at += length;
}

static void skip_value(reader *r);

/* The members of an object or the items of a list, up to `close`. */
static void skip_items(reader *r, char close, bool named)
{
    if (++r->nested > MOST_NESTED)
        r->broken = true;
    if (accept(r, close)) {
        r->nested--;
        return;
    }
    do {
        if (named) {
            (void)read_text(r);
            expect(r, ':');
        }
        skip_value(r);
    } while (!r->broken && accept(r, ','));
    expect(r, close);
    r->nested--;
}

static bool is_number_next(const reader *r)
{
    return r->at < r->end && (*r->at == '-' || (*r->at >= '0' && *r->at <= '9'));
}

static void skip_value(reader *r)
{
    skip_space(r);
    if (r->broken || r->at == r->end)
        r->broken = true;
    else if (*r->at == '"')
        (void)read_text(r);
    else if (is_number_next(r))
        (void)read_number(r);
    else if (accept(r, '{'))
        skip_items(r, '}', true);
    else if (accept(r, '['))
        skip_items(r, ']', false);
    else
        skip_word(r, *r->at == 't' ? "true" : *r->at == 'f' ? "false" : "null");
}

/* ---- what a certificate has -------------------------------------------------------------------------------------- */

static kanon_status take_prices(reader *r, kanon_error *err)
{
    kanon__certificate_file *f = r->file;
    f->has_prices = f->whole_prices = true;
    if (accept(r, ']'))
        return KANON_OK;
    do {
        skip_space(r);
        kanon__file_number price = {.given = false};
        if (is_number_next(r))
            price = read_number(r);
        else
            skip_value(r);
        f->whole_prices = f->whole_prices && price.given;
        KANON_CHECK(kanon__grow_array(&f->prices, &f->capacity, f->n_prices + 1, "prices", err));
        f->prices[f->n_prices++] = price.value;
    } while (!r->broken && accept(r, ','));
    expect(r, ']');
    return KANON_OK;
}

static void take_sha256(reader *r)
{
    json_text text = read_text(r);
    if (text.length == sizeof r->file->table_sha256 - 1)
        memcpy(r->file->table_sha256, text.bytes, text.length);
}

/* The value of a member. */
static kanon_status take_value(reader *r, json_text name, kanon_error *err)
{
    kanon__certificate_file *f = r->file;
    const struct {
        const char *name;
        kanon__file_number *number; /* NULL: the text and the list */
    } known[] = {{"table_sha256", NULL},   {"prices", NULL},     {"format", &f->format},      {"k", &f->k},
                 {"records", &f->records}, {"scale", &f->scale}, {"price_sum", &f->price_sum}};
    unsigned i = 0, n = sizeof known / sizeof known[0];
    while (i < n && (strlen(known[i].name) != name.length || memcmp(known[i].name, name.bytes, name.length) != 0))
        i++;
    if (i < n && (r->seen & 1u << i) != 0)
        r->broken = true; /* twice */
    r->seen |= i < n ? 1u << i : 0;
    skip_space(r);
    if (i == 0 && r->at < r->end && *r->at == '"')
        take_sha256(r);
    else if (i == 1 && accept(r, '['))
        return take_prices(r, err);
    else if (i > 1 && i < n && is_number_next(r))
        *known[i].number = read_number(r);
    else
        skip_value(r);
    return KANON_OK;
}

kanon_status kanon__certificate_file_read(kanon__certificate_file *out, bool *valid, const char *bytes, size_t size,
                                          kanon_error *err)
{
    kanon_status st = KANON_OK;
    reader r = {.at = bytes, .end = bytes + size, .file = out};
    *out = (kanon__certificate_file){.has_prices = false};
    expect(&r, '{');
    if (!accept(&r, '}')) {
        do {
            json_text name = read_text(&r);
            expect(&r, ':');
            if (!r.broken)
                KANON_TRY(take_value(&r, name, err), out);
        } while (!r.broken && accept(&r, ','));
        expect(&r, '}');
    }
    skip_space(&r);
out:
    *valid = st == KANON_OK && !r.broken && r.at == r.end;
    return st;
}

void kanon__certificate_file_clear(kanon__certificate_file *file)
{
    kanon__free(file->prices);
    *file = (kanon__certificate_file){.has_prices = false};
}
