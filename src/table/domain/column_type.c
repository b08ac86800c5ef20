/* See column_type.h. Errors ask; notices tell what was found without being said. */
#include "table/domain/column_type.h"

#include "table/domain/column_shape.h"
#include "table/text/source.h"

#include <stdio.h>
#include <string.h>

enum { COUNT_TEXT = 32, HINT_TEXT = 320 };

/* What is known while the type is found. */
typedef struct question {
    const kanon__raw_column *raw;
    const kanon_schema *schema;
    const kanon__column_shape *shape;
} question;

int64_t kanon__column_first_row(const kanon__raw_column *raw, uint32_t code)
{
    if (raw->first_rows != NULL)
        return raw->first_rows[code];
    for (int64_t row = 0; row < raw->n_rows; row++)
        if (kanon__code_at(raw->codes, row) == code)
            return row;
    return 0;
}

/* 1234567 as 1,234,567. */
static const char *grouped(char out[COUNT_TEXT], int64_t count)
{
    char digits[COUNT_TEXT];
    size_t n = (size_t)snprintf(digits, sizeof digits, "%lld", (long long)count), used = 0;
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/* Append a text in quotes, as a schema has it; false where there is no room. */
static bool quote(char *out, size_t room, size_t *used, const char *text, size_t length)
{
    if (*used + 2 * length + 8 > room)
        return false;
    *used += (size_t)sprintf(out + *used, "%s\"", *used > 0 ? ", " : "");
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\\' || text[i] == '"')
            out[(*used)++] = '\\';
        out[(*used)++] = text[i];
    }
    out[(*used)++] = '"';
    out[*used] = '\0';
    return true;
}

/* The list of missing texts to declare: those that are declared but for the empty one, which need not be, and the texts of
 * this column that stand on the list of what people write for "no value". */
static void list_missing(char out[HINT_TEXT], const question *q)
{
    size_t used = 0;
    out[0] = '\0';
    for (int64_t i = 0; i < q->schema->missing.n; i++)
        if (q->schema->missing.items[i][0] != '\0')
            quote(out, HINT_TEXT / 2, &used, q->schema->missing.items[i], strlen(q->schema->missing.items[i]));
    for (int i = 0; i < q->shape->n_generic_texts; i++) {
        size_t length;
        const char *text = kanon__dictionary_text(q->raw->values, q->shape->generic[i], &length);
        quote(out, HINT_TEXT, &used, text, length);
    }
}

/* A column that is a number or a date but for some of its cells. */
static kanon_status fail_nearly(const question *q, kanon_error *err)
{
    const kanon__column_shape *s = q->shape;
    const kanon__source *source = q->raw->source;
    char place[KANON__PLACE_TEXT], fitting[COUNT_TEXT], others[COUNT_TEXT], texts[HINT_TEXT];
    int64_t row = kanon__column_first_row(q->raw, s->first_other);
    bool has_lines = source->class->line_of_row != NULL;
    int64_t line = has_lines ? source->class->line_of_row(source, row) : row + 1;
    kanon_status st = kanon__fail(
        err, KANON_EDATA, "%s: %s: %s %s, %s %s, first in %s %lld", kanon__source_place(place, source, row), q->raw->name,
        grouped(fitting, s->n_fitting), s->type == KANON_TYPE_DATE ? "dates" : "numbers",
        grouped(others, s->n_others + s->n_generic), s->n_others + s->n_generic == 1 ? "other" : "others",
        has_lines ? "line" : "row", (long long)line);
    if (s->n_generic == 0)
        return kanon__hint(err, st,
                           "correct the others, name those that mean 'no value' with 'missing', or say 'type: categorical'");
    list_missing(texts, q);
    return kanon__hint(err, st, "say 'missing: [%s]'%s, or 'type: categorical'", texts,
                       s->n_others > 0 ? " and correct the others" : "");
}

static kanon_status fail_ambiguous(const question *q, kanon_error *err)
{
    const kanon__column_shape *s = q->shape;
    char place[KANON__PLACE_TEXT];
    kanon__source_place(place, q->raw->source, 0);
    if (s->kind == KANON__SHAPE_AMBIGUOUS_DATES) {
        kanon_status st = kanon__fail(err, KANON_EDATA, "%s: %s: all dates can be read as %s and as %s", place, q->raw->name,
                                      s->format.date, s->other_date);
        return kanon__hint(err, st, "say which it is: 'format: \"%s\"' or 'format: \"%s\"'", s->format.date, s->other_date);
    }
    bool comma = s->format.decimal == ',';
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: %s: the %s can stand before decimals or between thousands", place,
                                  q->raw->name, comma ? "comma" : "point");
    return kanon__hint(err, st, "say which it is: 'decimal: \"%s\"' or 'thousands: \"%s\"'", comma ? "," : ".",
                       comma ? "," : ".");
}

/* ---- notices ----------------------------------------------------------------------------------------------------- */

static kanon_status note_codes(const question *q, kanon_error *err)
{
    return kanon__texts_addf(q->raw->notices, err,
                             "%s: read as text, since some numbers have %s; say 'type: categorical' if that is right",
                             q->raw->name, q->shape->n_leading_zeros > 0 ? "zeros in front" : "letters");
}

static const char *separator_name(char c)
{
    return c == ',' ? "a comma" : c == '.' ? "a point" : c == ' ' ? "a space" : "an apostrophe";
}

/* How numbers or dates were read, where it is not the plain way and nobody said so. */
static kanon_status note_format(const question *q, const kanon__value_format *said, kanon_error *err)
{
    const kanon__column_shape *s = q->shape;
    const kanon__value_format *f = &s->format;
    if (s->type == KANON_TYPE_DATE && f->date[0] == '%' && said->date[0] == '\0')
        return kanon__texts_addf(q->raw->notices, err, "%s: dates are read by the format %s", q->raw->name, f->date);
    bool plain = f->decimal != ',' && f->thousands == 0;
    if (s->type == KANON_TYPE_DATE || plain || said->decimal != 0 || said->thousands != 0)
        return KANON_OK;
    if (f->thousands == 0)
        return kanon__texts_addf(q->raw->notices, err, "%s: numbers are read with %s before decimals", q->raw->name,
                                 separator_name(f->decimal));
    return kanon__texts_addf(q->raw->notices, err, "%s: numbers are read with %s before decimals and %s between thousands",
                             q->raw->name, separator_name(f->decimal), separator_name(f->thousands));
}

/* Nines are no cell of a person: whoever writes them means "no value". */
static kanon_status note_sentinel(const question *q, uint32_t code, kanon_error *err)
{
    size_t length;
    const char *text = kanon__dictionary_text(q->raw->values, code, &length);
    return kanon__texts_addf(q->raw->notices, err,
                             "%s: %.*s is far from all other values; if it means 'no value', name it with 'missing'",
                             q->raw->name, (int)length, text);
}

static kanon_status add_notices(const question *q, const kanon__value_format *said, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (q->raw->notices == NULL)
        return KANON_OK;
    if (q->shape->kind == KANON__SHAPE_CODES)
        KANON_TRY(note_codes(q, err), out);
    KANON_TRY(note_format(q, said, err), out);
    for (int i = 0; i < q->shape->n_sentinels; i++)
        KANON_TRY(note_sentinel(q, q->shape->sentinels[i], err), out);
out:
    return st;
}

/* ---- the type ---------------------------------------------------------------------------------------------------- */

/* What schema and source say: KANON_TYPE_UNKNOWN where nobody does. A taxonomy says categorical by itself; bands and
 * separators say that texts are to be read as numbers. */
static kanon_type said_type(const kanon__raw_column *raw, const kanon__attribute *a)
{
    if (a != NULL && a->type != KANON_TYPE_UNKNOWN)
        return a->type;
    if (a != NULL && (kanon__attribute_has_tree(a)))
        return KANON_TYPE_CATEGORICAL;
    if (a != NULL && a->format.date[0] != '\0')
        return KANON_TYPE_DATE;
    bool are_numbers = a != NULL && (kanon__attribute_has_bands(a) || a->format.decimal != 0 || a->format.thousands != 0);
    bool are_texts = raw->natural == KANON_TYPE_CATEGORICAL || raw->natural == KANON_TYPE_ORDINAL;
    return are_numbers && are_texts ? KANON_TYPE_UNKNOWN : raw->natural;
}

kanon__value_format kanon__attribute_format(const kanon__attribute *a, const kanon_schema *schema)
{
    kanon__value_format format = a != NULL ? a->format : (kanon__value_format){0};
    format.levels = a != NULL && a->levels.n > 0 ? &a->levels : NULL;
    if (format.decimal == 0 && format.thousands == 0) {
        format.decimal = schema->decimal;
        format.thousands = schema->thousands;
    }
    return format;
}

/* Of a column without any value: a state reads by it what comes later. */
static kanon__value_format said_format(kanon_type type, const kanon__value_format *said)
{
    kanon__value_format format = {0};
    if (type == KANON_TYPE_DATE) {
        memcpy(format.date, said->date, sizeof format.date);
    } else if (type == KANON_TYPE_INTEGER || type == KANON_TYPE_DECIMAL) {
        format.decimal = said->decimal;
        format.thousands = said->thousands;
    }
    return format;
}

kanon_status kanon__column_type_find(kanon_type *type, kanon__value_format *format, const kanon__raw_column *raw,
                                     const kanon__attribute *attribute, const kanon_schema *schema, const bool *missing,
                                     kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__column_shape shape;
    kanon_type said = said_type(raw, attribute);
    question q = {raw, schema, &shape};
    kanon__shape_texts texts = {.texts = raw->values,
                                .codes = raw->codes,
                                .n_rows = raw->n_rows,
                                .counts = raw->counts,
                                .missing = missing,
                                .delimiter = raw->source->delimiter,
                                .format = kanon__attribute_format(attribute, schema)};
    *type = said;
    *format = (kanon__value_format){0};
    if (said == KANON_TYPE_CATEGORICAL || said == KANON_TYPE_ORDINAL)
        return KANON_OK;
    KANON_TRY(kanon__column_shape_find(&shape, &texts, said, err), out);
    if (shape.kind == KANON__SHAPE_AMBIGUOUS_DATES || shape.kind == KANON__SHAPE_AMBIGUOUS_NUMBERS) {
        st = fail_ambiguous(&q, err);
    } else if (said == KANON_TYPE_UNKNOWN &&
               (shape.kind == KANON__SHAPE_NEARLY_DATES || shape.kind == KANON__SHAPE_NEARLY_NUMBERS)) {
        st = fail_nearly(&q, err);
    } else {
        bool by_source = attribute == NULL || attribute->type == KANON_TYPE_UNKNOWN;
        *type = said == KANON_TYPE_UNKNOWN || (by_source && shape.n_present == 0) ? shape.type : said;
        *format = shape.n_present > 0 ? shape.format : said_format(*type, &texts.format);
        st = add_notices(&q, &texts.format, err);
    }
out:
    return st;
}
