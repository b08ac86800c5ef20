/* See arrow_cells.h: cells are compared with the values of Arrow arrays, which arrow_reader.h reads; nothing of
 * table/read is used. */
#include "verify/arrow_cells.h"

#include "table/value/number.h"
#include "verify/arrow_reader.h"

#include <math.h>
#include <string.h>

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

static bool says_real(const kanon__cell *cell, const char *format, double value)
{
    kanon__decimal read;
    if (isnan(value))
        return cell->null && cell->length == 0;
    if (cell->null || cell->quoted)
        return false;
    if (isinf(value))
        return says_bytes(cell, value < 0 ? "-inf" : "inf", value < 0 ? 4 : 3);
    if (!kanon__parse_decimal(&read, cell->text, cell->length))
        return false;
    return format[0] == 'f' ? (float)read.value == (float)value : read.value == value;
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
    year = negative ? -year : year;
    *days = days_of(year, month, day);
    return *days < (month < 12 ? days_of(year, month + 1, 1) : days_of(year + 1, 1, 1)); /* months differ in length */
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

/* Whether the cell says this value, which has the given format. */
static bool says_value(const kanon__cell *cell, const char *format, kanon__read_value value)
{
    if (value.kind == KANON__READ_NULL)
        return cell->null && cell->length == 0;
    if (value.kind == KANON__READ_REAL)
        return says_real(cell, format, value.real);
    if (cell->null)
        return false;
    if (value.kind == KANON__READ_TEXT)
        return says_bytes(cell, value.bytes, value.length);
    if (cell->quoted)
        return false;
    switch (format[0]) {
    case 'b':
        return value.whole != 0 ? says_bytes(cell, "true", 4) : says_bytes(cell, "false", 5);
    case 'd':
        return says_decimal(cell, format, value.whole);
    case 't':
        if (format[1] == 's')
            return says_timestamp(cell, format, (int64_t)value.whole);
        return says_date(cell, (int64_t)value.whole, format[2] == 'D' ? 1 : 86400000);
    default:
        return says_integer(cell, value.whole);
    }
}

static bool says_row(const kanon__cell *cell, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t i)
{
    const struct ArrowSchema *values = schema->dictionary != NULL ? schema->dictionary : schema;
    return says_value(cell, values->format, kanon__read_at(kanon__read_shape_of(schema), array, i));
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
        if (source->types[column].kind != KANON__ARROW_OTHER &&
            !says_row(&cells[column], source->schema.children[column], batch->children[column], batch->offset + i))
            return false;
    return true;
}
