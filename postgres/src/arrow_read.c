/* One cell of an Arrow array, whatever its type, as the writer of releases and the fingerprint read it.
 *
 * Types are those that a release can have: truth values, whole numbers, floats, decimals, dates, times, texts, and
 * dictionaries of texts. Calls nothing. */
#include "host.h"

static bool is_null(const struct ArrowArray *a, int64_t at)
{
    const uint8_t *validity = a->n_buffers > 0 ? a->buffers[0] : NULL;
    return validity != NULL && !(validity[at / 8] >> (at % 8) & 1);
}

static cell text_cell(const char *format, const struct ArrowArray *a, int64_t at)
{
    cell c = {.kind = 't'};
    const char *bytes = a->buffers[2];
    if (format[0] == 'U') {
        const int64_t *offsets = a->buffers[1];
        c.text = bytes + offsets[at];
        c.length = (int)(offsets[at + 1] - offsets[at]);
    } else {
        const int32_t *offsets = a->buffers[1];
        c.text = bytes + offsets[at];
        c.length = offsets[at + 1] - offsets[at];
    }
    return c;
}

static cell whole_cell(int64_t whole)
{
    return (cell){.kind = 'i', .whole = whole};
}

/* Times in microseconds, in whatever unit they come. */
static int64_t microseconds(char unit, int64_t whole)
{
    return unit == 's' ? whole * 1000000 : unit == 'm' ? whole * 1000 : unit == 'n' ? whole / 1000 : whole;
}

static cell number_cell(const char *format, const struct ArrowArray *a, int64_t at)
{
    const void *values = a->buffers[1];
    cell c = {.kind = 'g'};
    switch (format[0]) {
    case 'b':
        return (cell){.kind = 'b', .whole = ((const uint8_t *)values)[at / 8] >> (at % 8) & 1};
    case 's':
        return whole_cell(((const int16_t *)values)[at]);
    case 'i':
        return whole_cell(((const int32_t *)values)[at]);
    case 'l':
        return whole_cell(((const int64_t *)values)[at]);
    case 't':
        return whole_cell(format[1] == 'd' && format[2] == 'D' ? ((const int32_t *)values)[at]
                                                               : microseconds(format[2], ((const int64_t *)values)[at]));
    case 'f':
        c.number = (double)((const float *)values)[at];
        return c;
    case 'g':
        c.number = ((const double *)values)[at];
        return c;
    case 'd':
        c.kind = 'd';
        memcpy(&c.wide, (const char *)values + at * 16, 16);
        return c;
    default:
        ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("a column of the release has an unexpected type")));
    }
}

static int64_t index_at(const char *format, const struct ArrowArray *a, int64_t at)
{
    return number_cell(format, a, at).whole;
}

cell arrow_cell(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row)
{
    int64_t at = row + array->offset;
    if (schema->format[0] == 'n' || is_null(array, at))
        return (cell){.null = true};
    if (schema->dictionary != NULL)
        return arrow_cell(schema->dictionary, array->dictionary, index_at(schema->format, array, at));
    if (schema->format[0] == 'u' || schema->format[0] == 'U')
        return text_cell(schema->format, array, at);
    return number_cell(schema->format, array, at);
}
