/* See arrow_view.h. Types of Arrow columns, and the checks that let their buffers be read: an array from outside is not
 * trusted until its offsets and lengths were compared. */
#include "table/read/arrow_view.h"

#include "table/text/csv.h"

#include <stdio.h>

/* ---- formats ---------------------------------------------------------------------------------------------------------- */

typedef struct plain_format {
    const char *format;
    kanon__arrow_type type;
} plain_format;

static const plain_format plain_formats[] = {
    {"n", {.kind = KANON__ARROW_NULL}},
    {"b", {.kind = KANON__ARROW_BOOL}},
    {"c", {.kind = KANON__ARROW_INTEGER, .width = 1, .is_signed = true}},
    {"C", {.kind = KANON__ARROW_INTEGER, .width = 1}},
    {"s", {.kind = KANON__ARROW_INTEGER, .width = 2, .is_signed = true}},
    {"S", {.kind = KANON__ARROW_INTEGER, .width = 2}},
    {"i", {.kind = KANON__ARROW_INTEGER, .width = 4, .is_signed = true}},
    {"I", {.kind = KANON__ARROW_INTEGER, .width = 4}},
    {"l", {.kind = KANON__ARROW_INTEGER, .width = 8, .is_signed = true}},
    {"L", {.kind = KANON__ARROW_INTEGER, .width = 8}},
    {"f", {.kind = KANON__ARROW_REAL, .width = 4}},
    {"g", {.kind = KANON__ARROW_REAL, .width = 8}},
    {"u", {.kind = KANON__ARROW_TEXT, .width = 4}},
    {"U", {.kind = KANON__ARROW_TEXT, .width = 8}},
    {"vu", {.kind = KANON__ARROW_TEXT, .width = 16}},
    {"tdD", {.kind = KANON__ARROW_DATE, .width = 4, .is_signed = true, .units = 1}},
    {"tdm", {.kind = KANON__ARROW_DATE, .width = 8, .is_signed = true, .units = 86400000}},
};

/* What is not supported, by how its format begins; the longest beginning comes first. */
static const char *const other_types[][2] = {
    {"e", "half float"},   {"z", "binary"},           {"Z", "large binary"}, {"vz", "binary view"},
    {"w:", "fixed-size binary"}, {"tt", "time"},      {"tD", "duration"},    {"ti", "interval"},
    {"+l", "list"},        {"+L", "large list"},      {"+vl", "list view"},  {"+vL", "large list view"},
    {"+w:", "fixed-size list"},  {"+s", "struct"},    {"+m", "map"},         {"+ud:", "dense union"},
    {"+us:", "sparse union"},    {"+r", "run-end encoded"},
};

static bool begins_with(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* A whole number of at most three digits at *at, which moves on. */
static bool take_number(const char **at, int *out)
{
    const char *from = *at;
    bool negative = *from == '-';
    from += negative;
    const char *digits = from;
    for (*out = 0; *from >= '0' && *from <= '9' && from - digits < 3; from++)
        *out = *out * 10 + (*from - '0');
    *out = negative ? -*out : *out;
    *at = from;
    return from > digits;
}

/* "d:PRECISION,SCALE" or "d:PRECISION,SCALE,BITS". */
static bool read_decimal(kanon__arrow_type *out, const char *format, const char **name)
{
    enum { MOST_DIGITS = 38 };
    const char *at = format + 2;
    int precision, scale, bits = 128;
    *name = "decimal of another form";
    if (!take_number(&at, &precision) || *at++ != ',' || !take_number(&at, &scale))
        return false;
    if (*at == ',') {
        at++;
        if (!take_number(&at, &bits))
            return false;
    }
    if (*at != '\0')
        return false;
    *name = bits == 256 ? "decimal256" : bits == 64 ? "decimal64" : bits == 32 ? "decimal32" : *name;
    if (bits != 128)
        return false;
    *name = "decimal128 with more than 38 digits";
    if (precision < 1 || precision > MOST_DIGITS || scale < -MOST_DIGITS || scale > MOST_DIGITS)
        return false;
    *out = (kanon__arrow_type){.kind = KANON__ARROW_DECIMAL, .width = 16, .scale = scale};
    return true;
}

/* "tsU:ZONE" with U one of s, m, u, n. */
static bool read_timestamp(kanon__arrow_type *out, const char *format)
{
    static const char letters[] = "smun";
    static const int64_t units[] = {1, 1000, 1000000, 1000000000};
    const char *letter = format[2] != '\0' ? strchr(letters, format[2]) : NULL;
    if (letter == NULL || format[3] != ':')
        return false;
    *out = (kanon__arrow_type){.kind = KANON__ARROW_TIMESTAMP,
                               .width = 8,
                               .is_signed = true,
                               .units = units[letter - letters],
                               .zoned = format[4] != '\0'};
    return true;
}

/* The type without a dictionary; where it is not supported, *name is what it is called. */
static bool read_format(kanon__arrow_type *out, const char *format, const char **name)
{
    for (size_t i = 0; i < sizeof plain_formats / sizeof *plain_formats; i++)
        if (strcmp(format, plain_formats[i].format) == 0) {
            *out = plain_formats[i].type;
            return true;
        }
    if (begins_with(format, "d:"))
        return read_decimal(out, format, name);
    if (begins_with(format, "ts") && read_timestamp(out, format))
        return true;
    *name = "unknown to this version";
    for (size_t i = 0; i < sizeof other_types / sizeof *other_types; i++)
        if (begins_with(format, other_types[i][0]))
            *name = other_types[i][1];
    return false;
}

static kanon_status fail_type(const char *column, const char *type, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EDATA, "column %s has the type %s, which is not supported", column, type);
    return kanon__hint(err, st, "cast it to bool, an integer, float32, float64, decimal128, utf8, a date or a timestamp, or "
                                "give the column the role identifying: then it is not read");
}

kanon_status kanon__arrow_type_of(kanon__arrow_type *out, const struct ArrowSchema *schema, kanon_error *err)
{
    const char *column = schema->name != NULL ? schema->name : "", *name = NULL;
    kanon__arrow_type type = {0}, index = {0};
    *out = (kanon__arrow_type){.kind = KANON__ARROW_OTHER};
    if (schema->format == NULL || (schema->dictionary != NULL && schema->dictionary->format == NULL))
        return kanon__fail(err, KANON_EDATA, "column %s has no type", column);
    const struct ArrowSchema *values = schema->dictionary != NULL ? schema->dictionary : schema;
    if (!read_format(&type, values->format, &name))
        return fail_type(column, name, err);
    if (values->n_children != 0)
        return kanon__fail(err, KANON_EDATA, "column %s has columns below it, which its type cannot have", column);
    if (schema->dictionary == NULL) {
        *out = type;
        return KANON_OK;
    }
    if (values->dictionary != NULL)
        return fail_type(column, "dictionary of dictionaries", err);
    if (!read_format(&index, schema->format, &name) || index.kind != KANON__ARROW_INTEGER || schema->n_children != 0)
        return fail_type(column, "dictionary with indices that are no integers", err);
    type.index_width = index.width;
    type.index_signed = index.is_signed;
    *out = type;
    return KANON_OK;
}

/* ---- arrays ----------------------------------------------------------------------------------------------------------- */

static kanon_status fail_array(const char *column, const char *what, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EDATA, "column %s: %s", column, what);
    return kanon__hint(err, st, "the producer of the stream breaks the Arrow C data interface");
}

/* Positions times the widest value must fit. */
static const int64_t longest_array = INT64_MAX / 64;

/* Why the buffers cannot be those of values of this kind and width; NULL: they can. */
static const char *wrong_buffers(kanon__arrow_kind kind, int width, const struct ArrowArray *array)
{
    bool is_view = kind == KANON__ARROW_TEXT && width == 16;
    int64_t expected = kind == KANON__ARROW_NULL ? 0 : kind == KANON__ARROW_TEXT ? 3 : 2;
    if (array->length < 0 || array->offset < 0 || array->length > longest_array || array->offset > longest_array)
        return "a length or an offset out of range";
    if (array->null_count < -1 || array->null_count > array->length)
        return "a number of nulls out of range";
    if (array->n_children != 0)
        return "arrays below an array of this type";
    if (is_view ? array->n_buffers < expected : array->n_buffers != expected)
        return "another number of buffers than the type has";
    if (expected > 0 && array->buffers == NULL)
        return "no list of buffers";
    if (kind == KANON__ARROW_NULL || array->length == 0)
        return NULL;
    if (array->buffers[0] == NULL && array->null_count > 0)
        return "nulls without a validity buffer";
    if (array->buffers[1] == NULL)
        return "no buffer of values";
    if (is_view && array->n_buffers > expected && array->buffers[array->n_buffers - 1] == NULL)
        return "no sizes of the text buffers";
    return NULL;
}

kanon_status kanon__arrow_check_array(const kanon__arrow_type *type, const struct ArrowArray *array, int64_t offset,
                                      int64_t length, const char *column, kanon_error *err)
{
    if (array == NULL || array->release == NULL)
        return fail_array(column, "an array that was released", err);
    if (type->kind == KANON__ARROW_OTHER) /* nothing of it is looked at */
        return KANON_OK;
    bool is_dictionary = type->index_width > 0;
    const char *wrong = is_dictionary ? wrong_buffers(KANON__ARROW_INTEGER, type->index_width, array)
                                      : wrong_buffers(type->kind, type->width, array);
    if (wrong == NULL && (offset > array->length || length > array->length - offset))
        wrong = "fewer rows than its batch";
    if (wrong == NULL && is_dictionary != (array->dictionary != NULL))
        wrong = is_dictionary ? "no dictionary" : "a dictionary that its type does not have";
    if (wrong == NULL && is_dictionary) {
        wrong = wrong_buffers(type->kind, type->width, array->dictionary);
        if (wrong == NULL && array->dictionary->dictionary != NULL)
            wrong = "a dictionary that its type does not have";
    }
    return wrong != NULL ? fail_array(column, wrong, err) : KANON_OK;
}

static kanon__arrow_buffers buffers_of(kanon__arrow_kind kind, int width, const struct ArrowArray *array, int64_t offset,
                                       int64_t length)
{
    kanon__arrow_buffers b = {.offset = array->offset + offset, .length = length};
    if (kind == KANON__ARROW_NULL || kind == KANON__ARROW_OTHER)
        return b;
    b.validity = array->null_count != 0 ? array->buffers[0] : NULL;
    b.values = array->buffers[1];
    if (kind == KANON__ARROW_TEXT && width == 16) {
        b.pieces = array->buffers + 2;
        b.n_pieces = array->n_buffers - 3;
        b.piece_sizes = array->buffers[array->n_buffers - 1];
    } else if (kind == KANON__ARROW_TEXT) {
        b.bytes = array->buffers[2];
    }
    return b;
}

kanon__arrow_view kanon__arrow_view_of(const kanon__arrow_type *type, const struct ArrowArray *array, int64_t offset,
                                       int64_t length)
{
    kanon__arrow_view view = {.type = type};
    if (type->index_width == 0) {
        view.rows = buffers_of(type->kind, type->width, array, offset, length);
        return view;
    }
    view.rows = buffers_of(KANON__ARROW_INTEGER, type->index_width, array, offset, length);
    view.entries = buffers_of(type->kind, type->width, array->dictionary, 0, array->dictionary->length);
    return view;
}

/* ---- contents of buffers ---------------------------------------------------------------------------------------------- */

/* What is wrong, and in which entry; NULL: nothing. */
typedef struct flaw {
    const char *what;
    int64_t at;
} flaw;

/* Whether all bytes are ASCII without NUL, which most texts are. */
static bool is_plain(const char *bytes, uint64_t length)
{
    const uint64_t ones = 0x0101010101010101u, highs = 0x80 * ones;
    uint64_t found = 0, i = 0;
    for (; i + 8 <= length; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        found |= word | (word - ones); /* a NUL borrows, which sets its highest bit */
    }
    for (; i < length; i++)
        found |= bytes[i] == '\0' ? highs : (unsigned char)bytes[i];
    return (found & highs) == 0;
}

static const char *wrong_text(kanon__arrow_text text)
{
    if (text.length > INT32_MAX)
        return "a text of more than 2147483647 bytes";
    for (const char *at = text.bytes, *end = at + text.length; at < end;) {
        if (*at == '\0')
            return "a NUL byte";
        size_t length = ((unsigned char)*at & 0x80) == 0 ? 1 : kanon__csv_character(at, end);
        if (length == 0)
            return "not UTF-8";
        at += length;
    }
    return NULL;
}

/* Every offset, also those of nulls, must not be below the one before it. */
static flaw check_offsets(const kanon__arrow_type *type, const kanon__arrow_buffers *b)
{
    int64_t before = (int64_t)kanon__arrow_load(b->values, b->offset, type->width, true);
    if (before < 0)
        return (flaw){"a text that begins before its buffer", 0};
    for (int64_t i = 0; i < b->length; i++) {
        int64_t end = (int64_t)kanon__arrow_load(b->values, b->offset + i + 1, type->width, true);
        if (end < before)
            return (flaw){"a text that ends before it begins", i};
        if (end > before && b->bytes == NULL)
            return (flaw){"a text without a buffer", i};
        before = end;
    }
    return (flaw){0};
}

static const char *wrong_view(const kanon__arrow_buffers *b, int64_t i)
{
    const char *view = b->values + (b->offset + i) * 16;
    int32_t length, piece, at;
    memcpy(&length, view, 4);
    memcpy(&piece, view + 8, 4);
    memcpy(&at, view + 12, 4);
    if (length < 0)
        return "a text of negative length";
    if (length <= 12)
        return NULL;
    if (piece < 0 || piece >= b->n_pieces || b->pieces[piece] == NULL)
        return "a text in a buffer that is not there";
    int64_t size = (int64_t)kanon__arrow_load(b->piece_sizes, piece, 8, true);
    return at < 0 || (int64_t)at + length > size ? "a text outside its buffer" : NULL;
}

static flaw check_views(const kanon__arrow_buffers *b)
{
    for (int64_t i = 0; i < b->length; i++) {
        const char *wrong = kanon__arrow_is_valid(b, i) ? wrong_view(b, i) : NULL;
        if (wrong != NULL)
            return (flaw){wrong, i};
    }
    return (flaw){0};
}

/* The bytes of nulls can be anything and are not looked at. */
static flaw check_characters(const kanon__arrow_type *type, const kanon__arrow_buffers *b)
{
    if (type->width != 16) {
        uint64_t begin = kanon__arrow_load(b->values, b->offset, type->width, true);
        uint64_t end = kanon__arrow_load(b->values, b->offset + b->length, type->width, true);
        if (end - begin <= INT32_MAX && (begin == end || is_plain(b->bytes + begin, end - begin)))
            return (flaw){0};
    }
    for (int64_t i = 0; i < b->length; i++) {
        if (!kanon__arrow_is_valid(b, i))
            continue;
        kanon__arrow_text text = kanon__arrow_entry_text(type, b, i);
        const char *wrong = text.length <= INT32_MAX && is_plain(text.bytes, text.length) ? NULL : wrong_text(text);
        if (wrong != NULL)
            return (flaw){wrong, i};
    }
    return (flaw){0};
}

static flaw check_contents(const kanon__arrow_type *type, const kanon__arrow_buffers *b)
{
    if (type->kind != KANON__ARROW_TEXT || b->length == 0)
        return (flaw){0};
    flaw found = type->width == 16 ? check_views(b) : check_offsets(type, b);
    return found.what == NULL ? check_characters(type, b) : found;
}

static flaw check_indices(const kanon__arrow_view *v)
{
    for (int64_t row = 0; row < v->rows.length; row++) {
        if (!kanon__arrow_is_valid(&v->rows, row))
            continue;
        int64_t index = kanon__arrow_index(v, row);
        if (index < 0 || index >= v->entries.length)
            return (flaw){"an index outside the dictionary", row};
    }
    return (flaw){0};
}

kanon_status kanon__arrow_check_rows(const kanon__arrow_view *view, int64_t first_row, const char *column, kanon_error *err)
{
    flaw found = view->type->index_width > 0 ? check_indices(view) : check_contents(view->type, &view->rows);
    if (found.what == NULL)
        return KANON_OK;
    return kanon__fail(err, KANON_EDATA, "Arrow stream: row %lld: %s: %s", (long long)(first_row + found.at + 1), column,
                       found.what);
}

kanon_status kanon__arrow_check_entries(const kanon__arrow_view *view, const char *column, kanon_error *err)
{
    if (view->type->index_width == 0)
        return KANON_OK;
    flaw found = check_contents(view->type, &view->entries);
    if (found.what == NULL)
        return KANON_OK;
    return kanon__fail(err, KANON_EDATA, "Arrow stream: %s: entry %lld of the dictionary: %s", column,
                       (long long)(found.at + 1), found.what);
}
