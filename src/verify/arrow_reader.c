/* See arrow_reader.h. Formats, then bytes, then values, then whether an array is sound, so that nothing is read
 * outside its buffers. Called by verify_arrow.c. */
#include "verify/arrow_reader.h"

#include <math.h>

enum { SIZE_OF_VIEW = 16, VIEW_INLINE = 12 };

/* ---- formats ------------------------------------------------------------------------------------------------------ */

static kanon__read_shape shape_of_format(const char *format)
{
    static const struct {
        const char *format;
        char letter;
        int size;
    } shapes[] = {{"n", 'n', 0},   {"b", 'b', 0}, {"c", 'i', 1}, {"s", 'i', 2}, {"i", 'i', 4}, {"l", 'i', 8},
                  {"C", 'w', 1},   {"S", 'w', 2}, {"I", 'w', 4}, {"L", 'w', 8}, {"f", 'f', 4}, {"g", 'f', 8},
                  {"u", 'u', 4},   {"U", 'u', 8}, {"vu", 'v', SIZE_OF_VIEW},    {"tdD", 'i', 4}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(shapes[i].format, format) == 0)
            return (kanon__read_shape){.letter = shapes[i].letter, .size = shapes[i].size};
    if (strcmp(format, "tdm") == 0)
        return (kanon__read_shape){.letter = 'i', .size = 8, .per_day = 86400000};
    if (strncmp(format, "ts", 2) == 0)
        return (kanon__read_shape){.letter = 'i', .size = 8};
    if (strncmp(format, "d:", 2) == 0)
        return (kanon__read_shape){.letter = 'i', .size = 16};
    return (kanon__read_shape){0};
}

kanon__read_shape kanon__read_shape_of(const struct ArrowSchema *schema)
{
    if (schema->dictionary == NULL)
        return shape_of_format(schema->format);
    kanon__read_shape index = shape_of_format(schema->format), shape = shape_of_format(schema->dictionary->format);
    shape.index_letter = index.letter;
    shape.index_size = index.size;
    return shape;
}

/* ---- bytes -------------------------------------------------------------------------------------------------------- */

static inline bool bit_at(const void *bits, int64_t i)
{
    return (((const unsigned char *)bits)[i / 8] >> i % 8 & 1) != 0;
}

static inline bool is_null(const struct ArrowArray *array, int64_t place)
{
    return array->null_count != 0 && array->n_buffers > 0 && array->buffers[0] != NULL && !bit_at(array->buffers[0], place);
}

static inline __int128 whole_at(const void *values, int64_t place, int size, bool is_signed)
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

static kanon__read_value text_at(kanon__read_shape shape, const struct ArrowArray *array, int64_t place)
{
    kanon__read_value value = {.kind = KANON__READ_TEXT, .bytes = ""};
    if (shape.letter == 'u') {
        int64_t begin = (int64_t)whole_at(array->buffers[1], place, shape.size, true);
        value.length = (size_t)((int64_t)whole_at(array->buffers[1], place + 1, shape.size, true) - begin);
        if (value.length > 0)
            value.bytes = (const char *)array->buffers[2] + begin;
        return value;
    }
    const char *view = (const char *)array->buffers[1] + place * SIZE_OF_VIEW;
    value.length = (size_t)whole_at(view, 0, 4, true);
    value.bytes = view + 4;
    if (value.length > VIEW_INLINE)
        value.bytes = (const char *)array->buffers[2 + whole_at(view, 2, 4, true)] + whole_at(view, 3, 4, true);
    return value;
}

/* ---- values ------------------------------------------------------------------------------------------------------- */

static kanon__read_value entry_at(kanon__read_shape shape, const struct ArrowArray *array, int64_t place)
{
    kanon__read_value value = {.kind = KANON__READ_WHOLE};
    float single;
    if (shape.letter == 'n' || is_null(array, place))
        return (kanon__read_value){.kind = KANON__READ_NULL};
    if (shape.letter == 'u' || shape.letter == 'v')
        return text_at(shape, array, place);
    if (shape.letter == 'f') {
        value.kind = KANON__READ_REAL;
        if (shape.size == 4) {
            memcpy(&single, (const char *)array->buffers[1] + place * 4, 4);
            value.real = single;
        } else {
            memcpy(&value.real, (const char *)array->buffers[1] + place * 8, 8);
        }
        return value;
    }
    value.whole = shape.letter == 'b' ? bit_at(array->buffers[1], place)
                                      : whole_at(array->buffers[1], place, shape.size, shape.letter == 'i');
    return value;
}

kanon__read_value kanon__read_at(kanon__read_shape shape, const struct ArrowArray *array, int64_t i)
{
    int64_t place = array->offset + i;
    if (shape.index_size == 0)
        return entry_at(shape, array, place);
    if (is_null(array, place))
        return (kanon__read_value){.kind = KANON__READ_NULL};
    int64_t index = (int64_t)whole_at(array->buffers[1], place, shape.index_size, shape.index_letter == 'i');
    return entry_at(shape, array->dictionary, array->dictionary->offset + index);
}

bool kanon__read_equal(kanon__read_value left, kanon__read_value right)
{
    if (left.kind != right.kind)
        return false;
    switch (left.kind) {
    case KANON__READ_NULL:
        return true;
    case KANON__READ_WHOLE:
        return left.whole == right.whole;
    case KANON__READ_REAL:
        return left.real == right.real || (isnan(left.real) && isnan(right.real));
    default:
        return left.length == right.length && (left.length == 0 || memcmp(left.bytes, right.bytes, left.length) == 0);
    }
}

/* ---- soundness ---------------------------------------------------------------------------------------------------- */

static bool has_buffers(char letter, const struct ArrowArray *array)
{
    int64_t n = letter == 'n' ? 0 : letter == 'u' ? 3 : 2;
    if (letter == 0 || array->length < 0 || array->offset < 0)
        return false;
    if (letter == 'v' ? array->n_buffers < 3 : letter != 'n' && array->n_buffers != n)
        return false;
    return letter == 'n' || array->length == 0 || array->buffers[1] != NULL;
}

static bool counts_nulls(char letter, const struct ArrowArray *array)
{
    int64_t n = 0;
    if (array->null_count < 0)
        return true;
    if (letter == 'n')
        return array->null_count == array->length;
    for (int64_t i = 0; array->buffers[0] != NULL && i < array->length; i++)
        n += !bit_at(array->buffers[0], array->offset + i);
    return n == array->null_count;
}

static bool has_rising_offsets(kanon__read_shape shape, const struct ArrowArray *array)
{
    for (int64_t i = array->offset; i < array->offset + array->length; i++) {
        __int128 begin = whole_at(array->buffers[1], i, shape.size, true);
        if (begin < 0 || begin > whole_at(array->buffers[1], i + 1, shape.size, true))
            return false;
    }
    return true;
}

/* Views of the library's own have one piece, whose size stands in the last buffer. */
static bool has_views_inside(const struct ArrowArray *array)
{
    int64_t n_pieces = array->n_buffers - 3;
    for (int64_t i = array->offset; i < array->offset + array->length; i++) {
        const char *view = (const char *)array->buffers[1] + i * SIZE_OF_VIEW;
        __int128 length = whole_at(view, 0, 4, true), piece = whole_at(view, 2, 4, true), at = whole_at(view, 3, 4, true);
        if (is_null(array, i) || (length >= 0 && length <= VIEW_INLINE))
            continue;
        if (length < 0 || piece < 0 || piece >= n_pieces || at < 0 ||
            at + length > whole_at(array->buffers[array->n_buffers - 1], (int64_t)piece, 8, true) ||
            memcmp(view + 4, (const char *)array->buffers[2 + piece] + at, 4) != 0)
            return false;
    }
    return true;
}

static bool has_entries(kanon__read_shape shape, const struct ArrowArray *array)
{
    for (int64_t i = array->offset; i < array->offset + array->length; i++) {
        __int128 index = whole_at(array->buffers[1], i, shape.index_size, shape.index_letter == 'i');
        if (!is_null(array, i) && (index < 0 || index >= array->dictionary->length))
            return false;
    }
    return true;
}

static bool entries_are_sound(kanon__read_shape shape, const struct ArrowArray *array)
{
    return has_buffers(shape.letter, array) && counts_nulls(shape.letter, array) &&
           (shape.letter != 'u' || has_rising_offsets(shape, array)) && (shape.letter != 'v' || has_views_inside(array));
}

bool kanon__read_is_sound(kanon__read_shape shape, const struct ArrowArray *array)
{
    if (array->release == NULL || array->n_children != 0 || (array->dictionary != NULL) != (shape.index_size > 0))
        return false;
    if (shape.index_size == 0)
        return entries_are_sound(shape, array);
    return has_buffers(shape.index_letter, array) && counts_nulls(shape.index_letter, array) &&
           array->dictionary->release != NULL && has_entries(shape, array) && entries_are_sound(shape, array->dictionary);
}
