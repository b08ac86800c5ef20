/* The check's own reader of typed values in Arrow arrays, for released batches and for those of the input. It is
 * written from the specification, and uses nothing of table/read/arrow_view.h. */
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
    char letter; /* b: bits, i: signed, w: unsigned, f: real, u: texts, v: text views, n: nulls; 0: not known */
    int size;    /* bytes of a value, or of an offset */
    char index_letter;
    int index_size; /* of a dictionary; 0: none */
} kanon__read_shape;

kanon__read_shape kanon__read_shape_of(const struct ArrowSchema *schema);
/* Whether an array has the buffers of its shape, as many nulls as it says, texts that lie one after the other, and indices
 * that are in the dictionary. */
bool kanon__read_is_sound(kanon__read_shape shape, const struct ArrowArray *array);
/* Whether a sound array holds nothing but its values, as far as its buffers tell: it begins with the first of them, and
 * nothing stands under its nulls. The same holds for its dictionary, where nothing is null. */
bool kanon__read_is_bare(kanon__read_shape shape, const struct ArrowArray *array);
/* Value i, counted from the offset of the array. NaN is a number here. */
kanon__read_value kanon__read_at(kanon__read_shape shape, const struct ArrowArray *array, int64_t i);
/* Numbers of one kind are compared by value, NaN with NaN; texts byte by byte. */
bool kanon__read_equal(kanon__read_value left, kanon__read_value right);

/* ---- bytes of buffers, counted from their beginning ----------------------------------------------------------------- */

static inline bool kanon__read_bit(const void *bits, int64_t i)
{
    return (((const unsigned char *)bits)[i / 8] >> i % 8 & 1) != 0;
}

static inline bool kanon__read_is_null(const struct ArrowArray *array, int64_t place)
{
    return array->null_count != 0 && array->n_buffers > 0 && array->buffers[0] != NULL &&
           !kanon__read_bit(array->buffers[0], place);
}

static inline __int128 kanon__read_whole(const void *values, int64_t place, int size, bool is_signed)
{
    const char *at = (const char *)values + place * size;
    union {
        int8_t one;
        int16_t two;
        int32_t four;
        int64_t eight;
        __int128 all;
    } is = {.all = 0};
    memcpy(&is, at, (size_t)size);
    switch (size) {
    case 1:
        return is_signed ? (__int128)is.one : (__int128)(uint8_t)is.one;
    case 2:
        return is_signed ? (__int128)is.two : (__int128)(uint16_t)is.two;
    case 4:
        return is_signed ? (__int128)is.four : (__int128)(uint32_t)is.four;
    case 8:
        return is_signed ? (__int128)is.eight : (__int128)(uint64_t)is.eight;
    default:
        return is.all;
    }
}

#endif
