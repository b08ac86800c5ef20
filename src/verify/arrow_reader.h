/* The check's own reader of typed values in Arrow arrays, for released batches and for those of the input. It is written
 * from the specification, and uses nothing of table/source/arrow_view.h. Called by verify_arrow.c. */
#ifndef KANON_VERIFY_ARROW_READER_H
#define KANON_VERIFY_ARROW_READER_H

#include <kanon_arrow.h>
#include <stdbool.h>
#include <string.h>

typedef enum kanon__read_kind {
    KANON__READ_NULL = 0,
    KANON__READ_WHOLE, /* integers, bools, dates, timestamps, decimals without their point */
    KANON__READ_REAL,
    KANON__READ_TEXT
} kanon__read_kind;

typedef struct kanon__read_value {
    kanon__read_kind kind;
    size_t length; /* of the text */
    union {
        __int128 whole;
        double real;
        const char *bytes;
    };
} kanon__read_value;

/* What a format says of the bytes of an array. */
typedef struct kanon__read_shape {
    char letter;     /* b: bits, i: signed, w: unsigned, f: real, u: texts, v: text views, n: nulls; 0: not known */
    int size;        /* bytes of a value, or of an offset */
    int64_t per_day; /* of dates in milliseconds: they count by whole days; else 0 */
    char index_letter;
    int index_size; /* of a dictionary; 0: none */
} kanon__read_shape;

kanon__read_shape kanon__read_shape_of(const struct ArrowSchema *schema);
/* Whether an array has the buffers of its shape, as many nulls as it says, texts that lie one after the other, and indices
 * that are in the dictionary. */
bool kanon__read_is_sound(kanon__read_shape shape, const struct ArrowArray *array);
/* Value i, counted from the offset of the array. NaN is a number here. */
kanon__read_value kanon__read_at(kanon__read_shape shape, const struct ArrowArray *array, int64_t i);
/* Numbers of one kind are compared by value, NaN with NaN; texts byte by byte. */
bool kanon__read_equal(kanon__read_value left, kanon__read_value right);

#endif
