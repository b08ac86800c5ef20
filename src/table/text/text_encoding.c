/* See text_encoding.h. */
#include "table/text/text_encoding.h"

#include "core/escape.h"
#include "table/text/csv.h"

#include <string.h>

enum { LOOKED_AT = 4096, LONGEST_CHARACTER = 4, ASCII_STEP = 32 };

/* ---- names ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    kanon__encoding encoding;
} names[] = {
    {"utf-8", KANON__ENCODING_UTF8},         {"utf8", KANON__ENCODING_UTF8},
    {"us-ascii", KANON__ENCODING_UTF8},      {"ascii", KANON__ENCODING_UTF8},
    {"utf-16", KANON__ENCODING_UTF16},       {"utf16", KANON__ENCODING_UTF16},
    {"utf-16le", KANON__ENCODING_UTF16LE},   {"utf-16be", KANON__ENCODING_UTF16BE},
    {"latin-1", KANON__ENCODING_LATIN1},     {"latin1", KANON__ENCODING_LATIN1},
    {"iso-8859-1", KANON__ENCODING_LATIN1},  {"windows-1252", KANON__ENCODING_WINDOWS1252},
    {"cp1252", KANON__ENCODING_WINDOWS1252},
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c == '_' ? '-' : c;
}

bool kanon__encoding_named(kanon__encoding *out, const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = 0;
        while (names[i].name[n] != '\0' && lower(name[n]) == names[i].name[n])
            n++;
        if (names[i].name[n] == '\0' && name[n] == '\0') {
            *out = names[i].encoding;
            return true;
        }
    }
    return false;
}

const char *kanon__encoding_text(kanon__encoding encoding)
{
    static const char *const texts[] = {"UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "ISO-8859-1 (Latin-1)", "Windows-1252"};
    return texts[encoding];
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* What the bytes of a file hold that are not ASCII. */
typedef struct census {
    int64_t characters; /* of UTF-8 */
    int64_t wrong;      /* bytes that are no part of one */
    bool controls;      /* among them some of 80 to 9f, which Latin-1 has no letters for */
    bool undefined;     /* among them some that Windows-1252 has none for */
} census;

static bool is_undefined_in_1252(unsigned char c)
{
    return c == 0x81 || c == 0x8d || c == 0x8f || c == 0x90 || c == 0x9d;
}

/* Whether the next ASCII_STEP bytes are ASCII, which nearly all of a table are. */
static inline bool is_ascii(const char *bytes)
{
    const uint64_t high = 0x8080808080808080u;
    uint64_t words[ASCII_STEP / sizeof(uint64_t)], all = 0;
    memcpy(words, bytes, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        all |= words[i];
    return (all & high) == 0;
}

/* Count what is in `bytes` up to where a character may go on after them; returns how many bytes were looked at. */
static size_t count_bytes(census *c, const char *bytes, size_t n, bool last)
{
    size_t i = 0;
    for (;;) {
        while (n - i >= ASCII_STEP && is_ascii(bytes + i))
            i += ASCII_STEP;
        while (i < n && (unsigned char)bytes[i] < 0x80)
            i++;
        if (i == n)
            break;
        unsigned char byte = (unsigned char)bytes[i];
        size_t length = kanon__csv_character(bytes + i, bytes + n);
        if (length == 0 && !last && n - i < LONGEST_CHARACTER)
            break;
        c->characters += length > 0;
        c->wrong += length == 0;
        c->controls |= length == 0 && byte < 0xa0;
        c->undefined |= length == 0 && is_undefined_in_1252(byte);
        i += length > 0 ? length : 1;
    }
    return i;
}

static kanon_status take_census(census *out, const kanon__input *in, kanon_error *err)
{
    char buffer[KANON__INPUT_CHUNK];
    const char *bytes;
    size_t n, looked_at;
    *out = (census){0};
    for (size_t at = 0; at < in->size; at += looked_at) {
        kanon_status st = kanon__input_chunk(in, at, in->size, buffer, &bytes, &n, err);
        if (st != KANON_OK)
            return st;
        looked_at = count_bytes(out, bytes, n, at + n == in->size);
    }
    return KANON_OK;
}

/* UTF-16 without a mark: nearly all characters of a table are ASCII, so every other byte is zero. */
static kanon__encoding find_zeros(const char *bytes, size_t n)
{
    size_t zeros[2] = {0, 0};
    for (size_t i = 0; i < n; i++)
        zeros[i % 2] += bytes[i] == '\0';
    if (n >= 4 && zeros[1] * 10 >= n / 2 * 7 && zeros[0] * 10 < n)
        return KANON__ENCODING_UTF16LE;
    if (n >= 4 && zeros[0] * 10 >= n / 2 * 7 && zeros[1] * 10 < n)
        return KANON__ENCODING_UTF16BE;
    return KANON__ENCODING_UTF8;
}

kanon_status kanon__encoding_find(kanon__encoding *out, const kanon__input *in, bool utf16, bool presume, kanon_error *err)
{
    char bytes[LOOKED_AT];
    census c;
    size_t n = in->size < LOOKED_AT ? in->size : LOOKED_AT;
    kanon_status st = n > 0 ? kanon__input_read(in, 0, bytes, n, err) : KANON_OK;
    *out = KANON__ENCODING_UTF8;
    if (st != KANON_OK)
        return st;
    if (n >= 2 && memcmp(bytes, "\xff\xfe", 2) == 0)
        *out = KANON__ENCODING_UTF16LE;
    else if (n >= 2 && memcmp(bytes, "\xfe\xff", 2) == 0)
        *out = KANON__ENCODING_UTF16BE;
    else
        *out = find_zeros(bytes, n);
    if (utf16 && *out == KANON__ENCODING_UTF8)
        *out = KANON__ENCODING_UTF16LE;
    if (*out != KANON__ENCODING_UTF8 || presume)
        return KANON_OK;
    st = take_census(&c, in, err);
    if (st == KANON_OK && c.wrong > c.characters && !c.undefined && memchr(bytes, '\0', n) == NULL)
        *out = c.controls ? KANON__ENCODING_WINDOWS1252 : KANON__ENCODING_LATIN1;
    return st;
}

/* ---- decoding ---------------------------------------------------------------------------------------------------- */

/* What one piece of the input becomes: three bytes for each at most. */
typedef struct batch {
    size_t n;
    char bytes[3 * KANON__INPUT_CHUNK + LONGEST_CHARACTER];
} batch;

static void put_character(batch *b, uint32_t c)
{
    b->n = (size_t)(kanon__utf8_put(b->bytes + b->n, c) - b->bytes);
}

static kanon_status fail_encoding(const kanon__byte_store *out, kanon__encoding encoding, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: not %s", out->path, kanon__encoding_text(encoding));
    return kanon__topic(err, kanon__hint(err, st, "say which encoding it has"), "encoding");
}

/* A character of one byte; 0: there is none. */
static uint32_t character_of(unsigned char byte, kanon__encoding encoding)
{
    static const uint16_t windows[32] = {0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                         0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017d, 0,
                                         0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                         0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};
    if (encoding == KANON__ENCODING_WINDOWS1252 && byte >= 0x80 && byte < 0xa0)
        return windows[byte - 0x80];
    return byte;
}

static kanon_status decode_bytes(kanon__byte_store *out, kanon__byte_reader *from, kanon__encoding encoding,
                                 kanon_error *err)
{
    batch b;
    const char *bytes;
    size_t n;
    for (;;) {
        kanon_status st = kanon__byte_reader_next(from, &bytes, &n, err);
        if (st != KANON_OK || n == 0)
            return st;
        b.n = 0;
        for (size_t i = 0; i < n; i++) {
            uint32_t c = character_of((unsigned char)bytes[i], encoding);
            if (c == 0 && bytes[i] != '\0')
                return fail_encoding(out, encoding, err);
            put_character(&b, c);
        }
        st = kanon__byte_store_add(out, b.bytes, b.n, err);
        if (st != KANON_OK)
            return st;
    }
}

kanon_status kanon__decode_latin1(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err)
{
    return decode_bytes(out, from, KANON__ENCODING_LATIN1, err);
}

kanon_status kanon__decode_windows1252(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err)
{
    return decode_bytes(out, from, KANON__ENCODING_WINDOWS1252, err);
}

/* What is left over between two pieces: half a unit, and the first half of a pair of surrogates. */
typedef struct utf16 {
    bool big;
    bool has_byte, begun;
    unsigned char byte;
    uint32_t high; /* 0: none */
} utf16;

/* Take one unit of 16 bits; false where it cannot stand there. */
static bool take_unit(batch *b, utf16 *u, uint32_t unit)
{
    bool is_high = unit >= 0xd800 && unit < 0xdc00, is_low = unit >= 0xdc00 && unit < 0xe000;
    if ((u->high != 0) != is_low)
        return false;
    if (is_high) {
        u->high = unit;
    } else if (is_low) {
        put_character(b, 0x10000 + ((u->high - 0xd800) << 10) + (unit - 0xdc00));
        u->high = 0;
    } else if (u->begun || unit != 0xfeff) {
        put_character(b, unit);
    }
    u->begun = true;
    return true;
}

static kanon_status decode_utf16(kanon__byte_store *out, kanon__byte_reader *from, bool big, kanon_error *err)
{
    kanon__encoding encoding = big ? KANON__ENCODING_UTF16BE : KANON__ENCODING_UTF16LE;
    batch b;
    utf16 u = {.big = big};
    const char *bytes;
    size_t n;
    for (;;) {
        kanon_status st = kanon__byte_reader_next(from, &bytes, &n, err);
        if (st != KANON_OK)
            return st;
        if (n == 0)
            return u.has_byte || u.high != 0 ? fail_encoding(out, encoding, err) : KANON_OK;
        b.n = 0;
        for (size_t i = 0; i < n; i++) {
            unsigned char byte = (unsigned char)bytes[i];
            if (!u.has_byte) {
                u.byte = byte;
            } else if (!take_unit(&b, &u, big ? (uint32_t)(u.byte << 8 | byte) : (uint32_t)(byte << 8 | u.byte))) {
                return fail_encoding(out, encoding, err);
            }
            u.has_byte = !u.has_byte;
        }
        st = kanon__byte_store_add(out, b.bytes, b.n, err);
        if (st != KANON_OK)
            return st;
    }
}

kanon_status kanon__decode_utf16le(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err)
{
    return decode_utf16(out, from, false, err);
}

kanon_status kanon__decode_utf16be(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err)
{
    return decode_utf16(out, from, true, err);
}
