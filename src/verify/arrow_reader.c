/* See arrow_reader.h. Formats, then bytes, then values, then whether an array is sound, so that nothing is read outside
 * its buffers. */
#include "verify/arrow_reader.h"

#include <math.h>

enum { SIZE_OF_VIEW = 16, VIEW_INLINE = 12 };

/* ---- formats ------------------------------------------------------------------------------------------------------ */

static kanon__read_shape shape_of_format(const char *format)
{
    static const char letters[] = "csilCSIL";
    const char *integer = format[0] != '\0' && format[1] == '\0' ? strchr(letters, format[0]) : NULL;
    if (integer != NULL)
        return (kanon__read_shape){.letter = integer < letters + 4 ? 'i' : 'w', .size = 1 << (integer - letters) % 4};
    switch (format[0]) {
    case 'n':
        return (kanon__read_shape){.letter = 'n'};
    case 'b':
        return (kanon__read_shape){.letter = 'b'};
    case 'f':
        return (kanon__read_shape){.letter = 'f', .size = 4};
    case 'g':
        return (kanon__read_shape){.letter = 'f', .size = 8};
    case 'u':
        return (kanon__read_shape){.letter = 'u', .size = 4};
    case 'U':
        return (kanon__read_shape){.letter = 'u', .size = 8};
    case 'v':
        return (kanon__read_shape){.letter = 'v', .size = SIZE_OF_VIEW};
    case 'd':
        return (kanon__read_shape){.letter = 'i', .size = 16};
    case 't': /* dates by day have four bytes */
        return (kanon__read_shape){.letter = 'i', .size = format[1] == 'd' && format[2] == 'D' ? 4 : 8};
    default:
        return (kanon__read_shape){0};
    }
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

/* ---- values ------------------------------------------------------------------------------------------------------- */

static kanon__read_value text_at(kanon__read_shape shape, const struct ArrowArray *array, int64_t place)
{
    kanon__read_value value = {.kind = KANON__READ_TEXT, .bytes = ""};
    if (shape.letter == 'u') {
        int64_t begin = (int64_t)kanon__read_whole(array->buffers[1], place, shape.size, true);
        value.length = (size_t)((int64_t)kanon__read_whole(array->buffers[1], place + 1, shape.size, true) - begin);
        if (value.length > 0)
            value.bytes = (const char *)array->buffers[2] + begin;
        return value;
    }
    const char *view = (const char *)array->buffers[1] + place * SIZE_OF_VIEW;
    value.length = (size_t)kanon__read_whole(view, 0, 4, true);
    value.bytes = view + 4;
    if (value.length > VIEW_INLINE)
        value.bytes =
            (const char *)array->buffers[2 + kanon__read_whole(view, 2, 4, true)] + kanon__read_whole(view, 3, 4, true);
    return value;
}

static kanon__read_value entry_at(kanon__read_shape shape, const struct ArrowArray *array, int64_t place)
{
    kanon__read_value value = {.kind = KANON__READ_WHOLE};
    float single;
    if (shape.letter == 'n' || kanon__read_is_null(array, place))
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
    value.whole = shape.letter == 'b' ? kanon__read_bit(array->buffers[1], place)
                                      : kanon__read_whole(array->buffers[1], place, shape.size, shape.letter == 'i');
    return value;
}

kanon__read_value kanon__read_at(kanon__read_shape shape, const struct ArrowArray *array, int64_t i)
{
    int64_t place = array->offset + i;
    if (shape.index_size == 0)
        return entry_at(shape, array, place);
    if (kanon__read_is_null(array, place))
        return (kanon__read_value){.kind = KANON__READ_NULL};
    int64_t index = (int64_t)kanon__read_whole(array->buffers[1], place, shape.index_size, shape.index_letter == 'i');
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
    int64_t n = 0, i = array->offset, end = array->offset + array->length;
    if (array->null_count < 0)
        return true;
    if (letter == 'n')
        return array->null_count == array->length;
    const unsigned char *bits = array->buffers[0];
    while (bits != NULL && i < end) {
        bool whole = i % 8 == 0 && i + 8 <= end;
        n += whole ? 8 - __builtin_popcount(bits[i / 8]) : !kanon__read_bit(bits, i);
        i += whole ? 8 : 1;
    }
    return n == array->null_count;
}

static bool has_rising_offsets(kanon__read_shape shape, const struct ArrowArray *array)
{
    int64_t begin = 0, end, size = shape.size;
    if (array->length == 0)
        return true;
    for (int64_t i = array->offset; i <= array->offset + array->length; i++, begin = end) {
        if (size == 4) {
            int32_t four;
            memcpy(&four, (const char *)array->buffers[1] + i * 4, 4);
            end = four;
        } else {
            memcpy(&end, (const char *)array->buffers[1] + i * 8, 8);
        }
        if (end < begin)
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
        __int128 length = kanon__read_whole(view, 0, 4, true), piece = kanon__read_whole(view, 2, 4, true),
                 at = kanon__read_whole(view, 3, 4, true);
        if (kanon__read_is_null(array, i) || (length >= 0 && length <= VIEW_INLINE))
            continue;
        if (length < 0 || piece < 0 || piece >= n_pieces || at < 0 ||
            at + length > kanon__read_whole(array->buffers[array->n_buffers - 1], (int64_t)piece, 8, true) ||
            memcmp(view + 4, (const char *)array->buffers[2 + piece] + at, 4) != 0)
            return false;
    }
    return true;
}

static bool has_entries(kanon__read_shape shape, const struct ArrowArray *array)
{
    for (int64_t i = array->offset; i < array->offset + array->length; i++) {
        int64_t index = (int64_t)kanon__read_whole(array->buffers[1], i, shape.index_size, shape.index_letter == 'i');
        if ((index < 0 || index >= array->dictionary->length) && !kanon__read_is_null(array, i))
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

/* ---- nothing else ------------------------------------------------------------------------------------------------- */

/* What stands at a place that has no value: no text, or zero bytes. */
static bool is_blank(char letter, int size, const struct ArrowArray *array, int64_t place)
{
    static const char zeros[16];
    if (letter == 'b')
        return !kanon__read_bit(array->buffers[1], place);
    if (letter == 'u')
        return kanon__read_whole(array->buffers[1], place, size, true) ==
               kanon__read_whole(array->buffers[1], place + 1, size, true);
    return memcmp((const char *)array->buffers[1] + place * size, zeros, (size_t)size) == 0;
}

static bool is_bare(char letter, int size, const struct ArrowArray *array)
{
    if (array->offset != 0)
        return false;
    if (letter == 'n' || array->length == 0)
        return true;
    if (letter == 'u' && kanon__read_whole(array->buffers[1], 0, size, true) != 0)
        return false;
    for (int64_t i = array->length; letter == 'b' && i % 8 != 0; i++)
        if (kanon__read_bit(array->buffers[1], i))
            return false;
    for (int64_t i = 0; array->buffers[0] != NULL && i < array->length; i++)
        if (!kanon__read_bit(array->buffers[0], i) && !is_blank(letter, size, array, i))
            return false;
    return true;
}

bool kanon__read_is_bare(kanon__read_shape shape, const struct ArrowArray *array)
{
    if (shape.index_size == 0)
        return is_bare(shape.letter, shape.size, array);
    return is_bare(shape.index_letter, shape.index_size, array) && is_bare(shape.letter, shape.size, array->dictionary) &&
           (shape.letter == 'n' || array->dictionary->length == 0 || array->dictionary->null_count == 0);
}
