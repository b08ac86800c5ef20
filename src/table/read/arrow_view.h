/* Arrow arrays as typed columns: what a schema's format means, and how the values of an array are reached.
 *
 *     type    what a column holds, from ArrowSchema.format; the same in all batches
 *     view    the rows of one array: type, buffers, the offsets of the array and of its batch added up
 *
 *     format      kind        width               format    kind        width
 *     n           null                            d:p,s     decimal     16
 *     b           bool                            u U       text        4 8 (offsets)
 *     c s i l     integer     1 2 4 8, signed     vu        text        16 (views)
 *     C S I L     integer     1 2 4 8             tdD tdm   date        4 8
 *     f g         real        4 8                 tss: ...  timestamp   8
 *
 * A dictionary has the type of its values, and the type of its indices beside it; its rows are read like those of any other
 * array. Buffers may stand at any address, so values are copied out byte by byte (memcpy).
 *
 * An array comes from a stranger. kanon__arrow_check_array looks at everything but the contents of buffers,
 * kanon__arrow_check_rows at the offsets, indices and texts in them; only what passed both is read. The size of a buffer is
 * not told to anybody, so a producer that lies about lengths cannot be found out. */
#ifndef KANON_TABLE_SOURCE_ARROW_VIEW_H
#define KANON_TABLE_SOURCE_ARROW_VIEW_H

#include "core/status.h"

#include <kanon_arrow.h>
#include <stdbool.h>
#include <string.h>

typedef enum kanon__arrow_kind {
    KANON__ARROW_NULL = 0,
    KANON__ARROW_BOOL,
    KANON__ARROW_INTEGER,
    KANON__ARROW_REAL,
    KANON__ARROW_DECIMAL,
    KANON__ARROW_TEXT,
    KANON__ARROW_DATE,
    KANON__ARROW_TIMESTAMP,
    KANON__ARROW_OTHER /* a type that is not supported: the column may be there, but is never read */
} kanon__arrow_kind;

typedef struct kanon__arrow_type {
    kanon__arrow_kind kind;
    int width;       /* bytes of a value in its buffer; text: of an offset (4, 8) or of a view (16); 0: null and bool */
    bool is_signed;  /* integers */
    int scale;       /* decimals: the value is the whole number / 10^scale; -38 to 38 */
    int64_t units;   /* dates: units per day; timestamps: units per second */
    bool zoned;      /* timestamps: the value is an instant, not a local time */
    int index_width; /* dictionaries: bytes of an index; 0: this is no dictionary */
    bool index_signed;
} kanon__arrow_type;

/* One run of buffers: the array itself, or the values of its dictionary. */
typedef struct kanon__arrow_buffers {
    int64_t offset, length;
    const uint8_t *validity; /* NULL: nothing is null */
    const char *values;      /* or offsets, or views; of a dictionary's rows: indices */
    const char *bytes;       /* of texts with offsets */
    const void **pieces;     /* of text views: where long texts lie */
    const char *piece_sizes; /* of these: 64-bit numbers */
    int64_t n_pieces;
} kanon__arrow_buffers;

typedef struct kanon__arrow_view {
    const kanon__arrow_type *type;
    kanon__arrow_buffers rows;
    kanon__arrow_buffers entries; /* of the dictionary, where the type is one */
} kanon__arrow_view;

typedef struct kanon__arrow_text {
    const char *bytes;
    size_t length;
} kanon__arrow_text;

/* ---- types and checks ------------------------------------------------------------------------------------------------- */

/* The type of a column. KANON_EDATA: "column NAME has the type list, which is not supported"; *out is then of kind
 * KANON__ARROW_OTHER. */
kanon_status kanon__arrow_type_of(kanon__arrow_type *out, const struct ArrowSchema *schema, kanon_error *err);
/* Whether `array` can be an array of this type that holds rows `offset` to `offset + length - 1`: lengths, numbers of
 * buffers and children, buffers that have to be there. KANON_EDATA names the column. */
kanon_status kanon__arrow_check_array(const kanon__arrow_type *type, const struct ArrowArray *array, int64_t offset,
                                      int64_t length, const char *column, kanon_error *err);
/* Rows `offset` to `offset + length - 1` of a checked array: those of a batch that begins at `offset`. */
kanon__arrow_view kanon__arrow_view_of(const kanon__arrow_type *type, const struct ArrowArray *array, int64_t offset,
                                       int64_t length);
/* Whether what stands in the buffers is in order: offsets rise, views and indices point inside, texts are UTF-8 without NUL.
 * Row 0 of the view is row `first_row` of the table, for messages. */
kanon_status kanon__arrow_check_rows(const kanon__arrow_view *view, int64_t first_row, const char *column, kanon_error *err);
/* The same of the dictionary's entries, which several arrays may share. */
kanon_status kanon__arrow_check_entries(const kanon__arrow_view *view, const char *column, kanon_error *err);

/* ---- values of checked rows ------------------------------------------------------------------------------------------- */

static inline bool kanon__arrow_is_valid(const kanon__arrow_buffers *b, int64_t i)
{
    int64_t at = b->offset + i;
    return b->validity == NULL || (b->validity[at >> 3] >> (at & 7) & 1) != 0;
}

/* Whole number i of a buffer, as bits: signed ones are extended. */
static inline uint64_t kanon__arrow_load(const char *values, int64_t i, int width, bool is_signed)
{
    uint8_t one;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (width) {
    case 1:
        memcpy(&one, values + i, 1);
        return is_signed ? (uint64_t)(int64_t)(int8_t)one : one;
    case 2:
        memcpy(&two, values + i * 2, 2);
        return is_signed ? (uint64_t)(int64_t)(int16_t)two : two;
    case 4:
        memcpy(&four, values + i * 4, 4);
        return is_signed ? (uint64_t)(int64_t)(int32_t)four : four;
    default:
        memcpy(&eight, values + i * 8, 8);
        return eight;
    }
}

/* The dictionary entry of a row. */
static inline int64_t kanon__arrow_index(const kanon__arrow_view *v, int64_t row)
{
    return (int64_t)kanon__arrow_load(v->rows.values, v->rows.offset + row, v->type->index_width, v->type->index_signed);
}

/* Entry i of buffers that hold values, not indices. */
static inline bool kanon__arrow_entry_is_null(const kanon__arrow_type *type, const kanon__arrow_buffers *b, int64_t i)
{
    return type->kind == KANON__ARROW_NULL || type->kind == KANON__ARROW_OTHER || !kanon__arrow_is_valid(b, i);
}

static inline bool kanon__arrow_entry_bool(const kanon__arrow_buffers *b, int64_t i)
{
    int64_t at = b->offset + i;
    return ((uint8_t)b->values[at >> 3] >> (at & 7) & 1) != 0;
}

/* Integers (unsigned ones as they are), dates and timestamps. */
static inline uint64_t kanon__arrow_entry_integer(const kanon__arrow_type *type, const kanon__arrow_buffers *b, int64_t i)
{
    return kanon__arrow_load(b->values, b->offset + i, type->width, type->is_signed);
}

static inline double kanon__arrow_entry_real(const kanon__arrow_type *type, const kanon__arrow_buffers *b, int64_t i)
{
    float single;
    double value;
    if (type->width == 4) {
        memcpy(&single, b->values + (b->offset + i) * 4, 4);
        return single;
    }
    memcpy(&value, b->values + (b->offset + i) * 8, 8);
    return value;
}

static inline __int128 kanon__arrow_entry_decimal(const kanon__arrow_buffers *b, int64_t i)
{
    __int128 value;
    memcpy(&value, b->values + (b->offset + i) * 16, 16);
    return value;
}

static inline kanon__arrow_text kanon__arrow_entry_view(const kanon__arrow_buffers *b, int64_t i)
{
    const char *view = b->values + (b->offset + i) * 16;
    int32_t length, piece, at;
    memcpy(&length, view, 4);
    if (length <= 12)
        return (kanon__arrow_text){view + 4, (size_t)length};
    memcpy(&piece, view + 8, 4);
    memcpy(&at, view + 12, 4);
    return (kanon__arrow_text){(const char *)b->pieces[piece] + at, (size_t)length};
}

static inline kanon__arrow_text kanon__arrow_entry_text(const kanon__arrow_type *type, const kanon__arrow_buffers *b,
                                                        int64_t i)
{
    if (type->width == 16)
        return kanon__arrow_entry_view(b, i);
    uint64_t begin = kanon__arrow_load(b->values, b->offset + i, type->width, true);
    uint64_t end = kanon__arrow_load(b->values, b->offset + i + 1, type->width, true);
    if (begin == end)
        return (kanon__arrow_text){"", 0};
    return (kanon__arrow_text){b->bytes + begin, (size_t)(end - begin)};
}

/* The buffers that hold the value of a row, and where in them: the row's own, or those of the dictionary. Not for nulls. */
static inline const kanon__arrow_buffers *kanon__arrow_value(const kanon__arrow_view *v, int64_t row, int64_t *at)
{
    if (v->type->index_width == 0) {
        *at = row;
        return &v->rows;
    }
    *at = kanon__arrow_index(v, row);
    return &v->entries;
}

/* Whether two dictionaries are one, so that what is known of its entries holds for both. */
static inline bool kanon__arrow_same_entries(const kanon__arrow_buffers *a, const kanon__arrow_buffers *b)
{
    return a->offset == b->offset && a->length == b->length && a->validity == b->validity && a->values == b->values &&
           a->bytes == b->bytes && a->pieces == b->pieces;
}

/* Whether a row has no value: it is null, or its dictionary entry is. */
static inline bool kanon__arrow_is_null(const kanon__arrow_view *v, int64_t row)
{
    if (!kanon__arrow_is_valid(&v->rows, row))
        return true;
    int64_t at;
    const kanon__arrow_buffers *b = kanon__arrow_value(v, row, &at);
    return kanon__arrow_entry_is_null(v->type, b, at);
}

static inline bool kanon__arrow_bool(const kanon__arrow_view *v, int64_t row)
{
    int64_t at;
    const kanon__arrow_buffers *b = kanon__arrow_value(v, row, &at);
    return kanon__arrow_entry_bool(b, at);
}

static inline int64_t kanon__arrow_int64(const kanon__arrow_view *v, int64_t row)
{
    int64_t at;
    const kanon__arrow_buffers *b = kanon__arrow_value(v, row, &at);
    return (int64_t)kanon__arrow_entry_integer(v->type, b, at);
}

static inline uint64_t kanon__arrow_uint64(const kanon__arrow_view *v, int64_t row)
{
    return (uint64_t)kanon__arrow_int64(v, row);
}

static inline double kanon__arrow_double(const kanon__arrow_view *v, int64_t row)
{
    int64_t at;
    const kanon__arrow_buffers *b = kanon__arrow_value(v, row, &at);
    return kanon__arrow_entry_real(v->type, b, at);
}

static inline __int128 kanon__arrow_decimal(const kanon__arrow_view *v, int64_t row)
{
    int64_t at;
    const kanon__arrow_buffers *b = kanon__arrow_value(v, row, &at);
    return kanon__arrow_entry_decimal(b, at);
}

static inline kanon__arrow_text kanon__arrow_text_at(const kanon__arrow_view *v, int64_t row)
{
    int64_t at;
    const kanon__arrow_buffers *b = kanon__arrow_value(v, row, &at);
    return kanon__arrow_entry_text(v->type, b, at);
}

#endif
