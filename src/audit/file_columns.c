/* See file_columns.h. */
#include "audit/file_columns.h"

#include "audit/same_texts.h"
#include "core/alloc.h"
#include "core/text.h"
#include "table/domain/domain.h"
#include "table/value/number.h"

#include <string.h>

kanon_status kanon__file_column_init(kanon__file_column *out, const char *name, int first, int last, bool plain,
                                     kanon_error *err)
{
    *out = (kanon__file_column){.name = name, .first = first, .last = last, .plain = plain};
    return kanon__dictionary_init(&out->texts, err);
}

void kanon__file_columns_clear(kanon__file_column *columns, int n)
{
    for (int i = 0; columns != NULL && i < n; i++) {
        kanon__free(columns[i].codes);
        kanon__dictionary_clear(&columns[i].texts);
    }
    kanon__free(columns);
}

typedef struct column_reader {
    const kanon__cursor *cursor;
    const kanon_schema *schema;
    kanon__same_texts same;
    char *text;
    int64_t capacity;
} column_reader;

/* Put the text that stands for the one at r->text + at in its place. */
static kanon_status replace_text(column_reader *r, int64_t at, size_t *length, kanon_error *err)
{
    const char *text = r->text + at;
    kanon__same_texts_replace(&r->same, &text, length);
    if (text == r->text + at)
        return KANON_OK;
    KANON_CHECK(kanon__grow_array(&r->text, &r->capacity, at + (int64_t)*length + KANON__NUMBER_TEXT, "a cell", err));
    memcpy(r->text + at, text, *length);
    return KANON_OK;
}

/* Copy a cell, or the text that stands for it, to r->text + at, unless `exact` without the white space at its ends. */
static kanon_status copy_cell(column_reader *r, int64_t at, size_t *length, const kanon__cell *cell, bool exact,
                              kanon_error *err)
{
    KANON_CHECK(kanon__grow_array(&r->text, &r->capacity, at + (int64_t)cell->length + KANON__NUMBER_TEXT, "a cell", err));
    char *to = r->text + at;
    const char *bare = to;
    *length = kanon__csv_unescape(to, cell);
    if (!exact)
        kanon__trim(&bare, length);
    memmove(to, bare, *length);
    return replace_text(r, at, length, err);
}

/* Whether the text, or one that is the same, means "no value". */
static bool is_missing(const column_reader *r, const char *text, size_t length)
{
    bool found = kanon__schema_is_missing(r->schema, text, length);
    for (uint32_t at = 0; !found && kanon__same_texts_next(&r->same, &at, &text, &length);)
        found = kanon__schema_is_missing(r->schema, text, length);
    return found;
}

/* 007 is a code and no number, unless the column is one of numbers. */
static bool read_number(kanon__decimal *out, const char *text, size_t length, const kanon__value_kind *kind)
{
    static const kanon__value_format plain = {.decimal = 0};
    size_t sign = length > 0 && text[0] == '-';
    bool is_code = length > sign + 1 && text[sign] == '0' && text[sign + 1] != '.';
    bool is_numeric = kanon__type_is_numeric(kind->type) && kind->type != KANON_TYPE_ORDINAL;
    if (kind->type != KANON_TYPE_UNKNOWN && !is_numeric)
        return false;
    if (!is_numeric)
        return !is_code && kanon__parse_decimal(out, text, length);
    kanon_type type = kanon__value_type_read(kind->type);
    return kanon__value_parse(out, type, &kind->format, text, length) || /* a typed file has a form of its own */
           kanon__value_parse(out, type, &plain, text, length);
}

size_t kanon__file_text_canonical(char *text, size_t length, const kanon__value_kind *kind)
{
    kanon__decimal number;
    if (length == 0 || length >= KANON__NUMBER_TEXT || !read_number(&number, text, length, kind) || !number.exact)
        return length;
    return kanon__format_scaled(text, number.mantissa, number.scale);
}

static kanon_status read_plain(column_reader *r, kanon__file_column *c, uint32_t *code, kanon_error *err)
{
    const kanon__cell *cell = &r->cursor->cells[c->first];
    size_t length = 0;
    KANON_CHECK(copy_cell(r, 0, &length, cell, false, err));
    if (cell->null || is_missing(r, r->text, length))
        return kanon__dictionary_add(&c->texts, code, KANON__TEXT_MISSING, KANON__TEXT_MISSING_LENGTH, err);
    length = kanon__file_text_canonical(r->text, length, &c->kind);
    KANON_CHECK(replace_text(r, 0, &length, err));
    return kanon__dictionary_add(&c->texts, code, r->text, length, err);
}

/* Null, or empty in text, where nulls are not told apart. */
static bool is_nothing(const kanon__cell *cell)
{
    return cell->null || cell->length == 0;
}

/* [min..max], or the one of the two where they are equal; nothing beside a number is an open end. */
static kanon_status read_ends(column_reader *r, kanon__file_column *c, uint32_t *code, kanon_error *err)
{
    const kanon__cell *low = &r->cursor->cells[c->first], *high = &r->cursor->cells[c->last];
    size_t n_low = 0, n_high = 0;
    *code = KANON__NO_CODE;
    if (low->null && high->null)
        return KANON_OK;
    KANON_CHECK(copy_cell(r, 1, &n_low, low, c->exact, err));
    KANON_CHECK(copy_cell(r, (int64_t)n_low + 3, &n_high, high, c->exact, err));
    char *text = r->text;
    bool is_open = is_nothing(low) != is_nothing(high);
    if (!is_open && n_low == n_high && memcmp(text + 1, text + n_low + 3, n_low) == 0)
        return kanon__dictionary_add(&c->texts, code, text + 1, n_low, err);
    text[0] = '[';
    memcpy(text + n_low + 1, "..", 2);
    text[n_low + 3 + n_high] = ']';
    return kanon__dictionary_add(&c->texts, code, text, n_low + n_high + 4, err);
}

static kanon_status read_cell(column_reader *r, kanon__file_column *c, uint32_t *code, kanon_error *err)
{
    const kanon__cell *cell = &r->cursor->cells[c->first];
    size_t length = 0;
    if (c->plain)
        return read_plain(r, c, code, err);
    if (c->first != c->last)
        return read_ends(r, c, code, err);
    *code = KANON__NO_CODE;
    if (cell->null)
        return KANON_OK;
    KANON_CHECK(copy_cell(r, 0, &length, cell, c->exact, err));
    return kanon__dictionary_add(&c->texts, code, r->text, length, err);
}

kanon_status kanon__file_columns_read(kanon__file_column *columns, int n, int64_t *n_rows, const kanon__source *source,
                                      const kanon_schema *schema, kanon__ticker *ticker, kanon_error *err)
{
    enum { ROW_NS = 100, CELL_NS = 40 };
    kanon_status st = KANON_OK;
    kanon__cursor *cursor = NULL;
    column_reader r = {.schema = schema};
    int64_t row = 0;
    KANON_TRY(kanon__same_texts_read(&r.same, &schema->same, err), out);
    KANON_TRY(source->class->open(&cursor, source, err), out);
    r.cursor = cursor;
    for (;; row++) {
        bool has_row = false;
        KANON_TRY(source->class->next(cursor, &has_row, err), out);
        if (!has_row)
            break;
        for (int i = 0; i < n; i++) {
            KANON_TRY(kanon__grow_array(&columns[i].codes, &columns[i].capacity, row + 1, "cells", err), out);
            KANON_TRY(read_cell(&r, &columns[i], &columns[i].codes[row], err), out);
        }
        KANON_TRY(kanon__tick(ticker, cursor->done, cursor->total, ROW_NS + n * CELL_NS, err), out);
    }
    *n_rows = row;
out:
    source->class->close(cursor);
    kanon__same_texts_clear(&r.same);
    kanon__free(r.text);
    return st;
}
