/* See arrow_cells.h. The check's own reader of Arrow buffers of the input, written from the specification; nothing of
 * table/source is used. Called by verify_release.c and verify_arrow.c. */
#include "verify/arrow_cells.h"

#include "table/number.h"

#include <math.h>
#include <string.h>

/* ---- buffers ---------------------------------------------------------------------------------------------------------- */

static bool bit(const void *bitmap, int64_t i)
{
    return (((const unsigned char *)bitmap)[i / 8] & 1 << i % 8) != 0;
}

static bool is_null_at(const struct ArrowArray *array, int64_t i)
{
    return array->n_buffers > 0 && array->null_count != 0 && array->buffers[0] != NULL && !bit(array->buffers[0], i);
}

/* Whole number i of a buffer of values that are `size` bytes wide, put together byte by byte. */
static __int128 number_at(const void *values, int64_t i, int size, bool is_signed)
{
    const unsigned char *bytes = (const unsigned char *)values + i * size;
    unsigned __int128 value = 0;
    const uint16_t probe = 1;
    bool little = *(const unsigned char *)&probe == 1;
    for (int byte = 0; byte < size; byte++)
        value |= (unsigned __int128)bytes[little ? byte : size - 1 - byte] << 8 * byte;
    if (is_signed && size < 16 && (value >> (8 * size - 1) & 1) != 0)
        value -= (unsigned __int128)1 << 8 * size;
    return (__int128)value;
}

/* Bytes of an integer by the letter of its format; 0: it is none. Small letters are signed. */
static int integer_size(const char *format)
{
    static const char letters[] = "csilCSIL";
    const char *found = format[0] != '\0' && format[1] == '\0' ? strchr(letters, format[0]) : NULL;
    return found != NULL ? 1 << (found - letters) % 4 : 0;
}

static bool is_signed_format(const char *format)
{
    return format[0] >= 'a';
}

/* ---- texts ------------------------------------------------------------------------------------------------------------ */

/* Whether a cell, read as any reader of CSV would, says these bytes. */
static bool says_bytes(const kanon__cell *cell, const char *bytes, size_t length)
{
    size_t at = 0;
    for (size_t i = 0; i < cell->length; i++) {
        if (at == length || cell->text[i] != bytes[at++])
            return false;
        if (cell->doubled && cell->text[i] == '"' && (++i == cell->length || cell->text[i] != '"'))
            return false;
    }
    return at == length;
}

static bool says_text(const kanon__cell *cell, const char *format, const struct ArrowArray *array, int64_t i)
{
    if (format[0] != 'v') {
        int size = format[0] == 'u' ? 4 : 8;
        int64_t begin = (int64_t)number_at(array->buffers[1], i, size, true);
        int64_t end = (int64_t)number_at(array->buffers[1], i + 1, size, true);
        return begin == end ? cell->length == 0
                            : says_bytes(cell, (const char *)array->buffers[2] + begin, (size_t)(end - begin));
    }
    const char *view = (const char *)array->buffers[1] + i * 16;
    int64_t length = (int64_t)number_at(view, 0, 4, true), from = 0;
    if (length <= 12)
        return says_bytes(cell, view + 4, (size_t)length);
    from = (int64_t)number_at(view, 3, 4, true);
    return says_bytes(cell, (const char *)array->buffers[2 + number_at(view, 2, 4, true)] + from, (size_t)length);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------------- */

/* [-]digits[.digits] with `places` digits after the point, as one whole number. False where it is written otherwise, or too
 * large. */
static bool read_digits(__int128 *out, const char *text, size_t length, int places)
{
    const unsigned __int128 most = (unsigned __int128)1 << 127;
    bool negative = length > 0 && text[0] == '-';
    size_t at = negative, n_digits = 0, point = places > 0 ? length - (size_t)places - 1 : length;
    unsigned __int128 sum = 0;
    if (places > 0 && (length < (size_t)places + 2 || text[point] != '.'))
        return false;
    for (; at < length; at++) {
        if (at == point)
            continue;
        unsigned digit = (unsigned)(text[at] - '0');
        if (digit > 9 || sum > (most - digit) / 10)
            return false;
        sum = sum * 10 + digit;
        n_digits++;
    }
    *out = (__int128)(negative ? 0 - sum : sum);
    return n_digits > (size_t)(places > 0 ? places : 0) && (negative || sum < most);
}

static bool says_integer(const kanon__cell *cell, __int128 value)
{
    __int128 read;
    return read_digits(&read, cell->text, cell->length, 0) && read == value;
}

/* "d:PRECISION,SCALE...": a scale below zero asks for so many zeros behind. */
static bool says_decimal(const kanon__cell *cell, const char *format, __int128 value)
{
    const char *comma = strchr(format, ',');
    bool below = comma[1] == '-';
    int scale = 0;
    size_t length = cell->length;
    __int128 read;
    for (const char *at = comma + 1 + below; *at >= '0' && *at <= '9'; at++)
        scale = scale * 10 + (*at - '0');
    if (!below)
        return read_digits(&read, cell->text, length, scale) && read == value;
    for (; value != 0 && scale > 0; scale--)
        if (length == 0 || cell->text[--length] != '0')
            return false;
    return read_digits(&read, cell->text, length, 0) && read == value;
}

static bool says_real(const kanon__cell *cell, const char *format, const struct ArrowArray *array, int64_t i)
{
    double value;
    float single;
    kanon__decimal read;
    if (format[0] == 'f')
        memcpy(&single, (const char *)array->buffers[1] + i * 4, 4);
    else
        memcpy(&value, (const char *)array->buffers[1] + i * 8, 8);
    value = format[0] == 'f' ? (double)single : value;
    if (isnan(value))
        return cell->null && cell->length == 0;
    if (cell->null || cell->quoted)
        return false;
    if (isinf(value))
        return says_bytes(cell, value < 0 ? "-inf" : "inf", value < 0 ? 4 : 3);
    if (!kanon__parse_decimal(&read, cell->text, cell->length))
        return false;
    return format[0] == 'f' ? (float)read.value == single : read.value == value;
}

/* ---- dates ------------------------------------------------------------------------------------------------------------ */

/* A whole number of the given digits, or of all there are where `n` is 0; *at moves on. */
static bool take_digits(const char **at, const char *end, int n, int64_t *out)
{
    int found = 0;
    for (*out = 0; *at < end && **at >= '0' && **at <= '9' && found < 15 && (n == 0 || found < n); (*at)++, found++)
        *out = *out * 10 + (**at - '0');
    return found > 0 && (n == 0 || found == n);
}

static bool take_mark(const char **at, const char *end, char mark)
{
    return *at < end && *(*at)++ == mark;
}

/* Days since 1970-01-01, counted by years, months and days. Years are moved by a multiple of 400 to be positive. */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    const int64_t eras = INT64_C(1000000000), era_days = 146097, era_years = 400, days_to_1970 = 719162;
    int64_t y = year + eras * era_years, whole = y - 1;
    bool leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
    return 365 * whole + whole / 4 - whole / 100 + whole / 400 + before[month - 1] + (leap && month > 2) + day - 1 -
           days_to_1970 - eras * era_days;
}

/* YEAR-MM-DD, the year with a sign where it has not four digits. */
static bool take_date(const char **at, const char *end, int64_t *days)
{
    int64_t year, month, day;
    bool negative = *at < end && **at == '-', is_long = negative || (*at < end && **at == '+');
    *at += is_long;
    if (!take_digits(at, end, is_long ? 0 : 4, &year) || !take_mark(at, end, '-') || !take_digits(at, end, 2, &month) ||
        !take_mark(at, end, '-') || !take_digits(at, end, 2, &day) || month < 1 || month > 12 || day < 1 || day > 31)
        return false;
    *days = days_of(negative ? -year : year, month, day);
    return true;
}

static bool says_date(const kanon__cell *cell, int64_t value, int64_t units)
{
    const char *at = cell->text, *end = at + cell->length;
    int64_t days;
    return take_date(&at, end, &days) && at == end && (__int128)days * units == value;
}

static bool says_timestamp(const kanon__cell *cell, const char *format, int64_t value)
{
    const char *at = cell->text, *end = at + cell->length;
    int64_t days, hour, minute, second, fraction = 0, units = 1, digits;
    bool zoned = format[4] != '\0';
    for (const char *letter = "smun"; *letter != format[2]; letter++)
        units *= 1000;
    if (!take_date(&at, end, &days) || !take_mark(&at, end, 'T') || !take_digits(&at, end, 2, &hour) ||
        !take_mark(&at, end, ':') || !take_digits(&at, end, 2, &minute) || !take_mark(&at, end, ':') ||
        !take_digits(&at, end, 2, &second))
        return false;
    if (at < end && *at == '.') {
        const char *from = ++at;
        if (!take_digits(&at, end, 0, &digits) || at - from > 9)
            return false;
        int64_t power = 1;
        for (const char *place = from; place < at; place++)
            power *= 10;
        if (units % power != 0)
            return false;
        fraction = digits * (units / power);
    }
    if (zoned && !take_mark(&at, end, 'Z'))
        return false;
    __int128 seconds = (__int128)days * 86400 + hour * 3600 + minute * 60 + second;
    return at == end && hour < 24 && minute < 60 && second < 60 && seconds * units + fraction == value;
}

/* ---- cells ------------------------------------------------------------------------------------------------------------ */

/* Whether the cell says value i of the array, which is no dictionary. */
static bool says_value(const kanon__cell *cell, const char *format, const struct ArrowArray *array, int64_t i)
{
    if (format[0] == 'n' || is_null_at(array, i))
        return cell->null && cell->length == 0;
    if (format[0] == 'f' || format[0] == 'g')
        return says_real(cell, format, array, i);
    if (cell->null)
        return false;
    if (format[0] == 'u' || format[0] == 'U' || format[0] == 'v')
        return says_text(cell, format, array, i);
    if (cell->quoted)
        return false;
    int size = integer_size(format);
    if (size > 0)
        return says_integer(cell, number_at(array->buffers[1], i, size, is_signed_format(format)));
    switch (format[0]) {
    case 'b':
        return bit(array->buffers[1], i) ? says_bytes(cell, "true", 4) : says_bytes(cell, "false", 5);
    case 'd':
        return says_decimal(cell, format, number_at(array->buffers[1], i, 16, true));
    case 't':
        if (format[1] == 's')
            return says_timestamp(cell, format, (int64_t)number_at(array->buffers[1], i, 8, true));
        return format[2] == 'D' ? says_date(cell, (int64_t)number_at(array->buffers[1], i, 4, true), 1)
                                : says_date(cell, (int64_t)number_at(array->buffers[1], i, 8, true), 86400000);
    default:
        return false;
    }
}

static bool says_row(const kanon__cell *cell, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t i)
{
    int64_t at = array->offset + i;
    if (schema->dictionary == NULL)
        return says_value(cell, schema->format, array, at);
    if (is_null_at(array, at))
        return cell->null && cell->length == 0;
    __int128 index = number_at(array->buffers[1], at, integer_size(schema->format), is_signed_format(schema->format));
    const struct ArrowArray *entries = array->dictionary;
    return index >= 0 && index < entries->length &&
           says_value(cell, schema->dictionary->format, entries, entries->offset + (int64_t)index);
}

/* The batch of a row, and the row's number there; NULL: it is in none. */
static const struct ArrowArray *find_batch(const kanon__arrow_source *source, int64_t row, int64_t *i)
{
    int64_t low = 0, high = source->n_batches;
    while (high - low > 1) { /* batch_rows[low] <= row < batch_rows[high] */
        int64_t middle = low + (high - low) / 2;
        if (source->batch_rows[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    *i = row - source->batch_rows[low];
    return *i >= 0 && *i < source->batches[low].length ? &source->batches[low] : NULL;
}

bool kanon__arrow_cell_matches(const kanon__arrow_source *source, int64_t row, int column, const kanon__cell *cell)
{
    int64_t i;
    const struct ArrowArray *batch = find_batch(source, row, &i);
    return batch != NULL && says_row(cell, source->schema.children[column], batch->children[column], batch->offset + i);
}

bool kanon__arrow_cells_match(const kanon__arrow_source *source, int64_t row, const kanon__cell *cells)
{
    int64_t i;
    const struct ArrowArray *batch = find_batch(source, row, &i);
    if (batch == NULL)
        return false;
    for (int64_t column = 0; column < batch->n_children; column++)
        if (!says_row(&cells[column], source->schema.children[column], batch->children[column], batch->offset + i))
            return false;
    return true;
}
