/* See arrow_text.h. Values of Arrow columns as text, and only that: types and buffers are those of arrow_view.h. */
#include "table/read/arrow_text.h"

#include "table/value/number.h"

#include <math.h>
#include <stdio.h>

size_t kanon__arrow_null_text(char buffer[KANON__ARROW_TEXT_SIZE], int which)
{
    static const char *const texts[] = {"", "NULL", "NA", "null"};
    const int n = (int)(sizeof texts / sizeof *texts);
    return (size_t)(which < n ? snprintf(buffer, KANON__ARROW_TEXT_SIZE, "%s", texts[which])
                              : snprintf(buffer, KANON__ARROW_TEXT_SIZE, "NULL %d", which));
}

/* ---- whole numbers ---------------------------------------------------------------------------------------------------- */

static size_t print_unsigned(char *buffer, uint64_t value)
{
    char reversed[24];
    size_t n = 0, length = 0;
    do {
        reversed[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (n > 0)
        buffer[length++] = reversed[--n];
    return length;
}

static size_t print_signed(char *buffer, int64_t value)
{
    if (value >= 0)
        return print_unsigned(buffer, (uint64_t)value);
    buffer[0] = '-';
    return 1 + print_unsigned(buffer + 1, 0 - (uint64_t)value);
}

/* So many digits, with zeros in front. */
static size_t print_digits(char *buffer, int64_t value, int n_digits)
{
    for (int i = n_digits - 1; i >= 0; i--) {
        buffer[i] = (char)('0' + value % 10);
        value /= 10;
    }
    return (size_t)n_digits;
}

/* ---- decimals --------------------------------------------------------------------------------------------------------- */

size_t kanon__arrow_print_decimal(char *buffer, __int128 value, int scale)
{
    char reversed[KANON__ARROW_TEXT_SIZE];
    unsigned __int128 rest = value < 0 ? 0 - (unsigned __int128)value : (unsigned __int128)value;
    size_t n = 0, length = 0;
    for (int zeros = scale; zeros < 0 && value != 0; zeros++)
        reversed[n++] = '0';
    for (int place = 0; rest > 0 || place <= scale || n == 0; place++) {
        if (place == scale && scale > 0)
            reversed[n++] = '.';
        reversed[n++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    }
    if (value < 0)
        reversed[n++] = '-';
    while (n > 0)
        buffer[length++] = reversed[--n];
    return length;
}

/* ---- reals ------------------------------------------------------------------------------------------------------------ */

/* Most numbers in tables have few digits: then value * 10^scale is a whole number that a double holds, and its quotient by
 * 10^scale, which is rounded once, is the value. Any 15 digits survive a double, so no shorter text reads back. */
static bool print_short(char *buffer, double value, size_t *length)
{
    enum { MOST_PLACES = 6 };
    static const double power10[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    if (!(fabs(value) < 1e15))
        return false;
    for (int scale = 0; scale <= MOST_PLACES; scale++) {
        double scaled = value * power10[scale];
        if (!(fabs(scaled) < 1e15))
            return false;
        int64_t whole = (int64_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
        if ((double)whole / power10[scale] == value) {
            *length = kanon__format_scaled(buffer, whole, scale);
            return true;
        }
    }
    return false;
}

size_t kanon__arrow_print_float64(char *buffer, double value)
{
    size_t length;
    return print_short(buffer, value, &length) ? length : kanon__format_double(buffer, value);
}

/* Whether a text reads as the float. Between two floats a text could read as one of them directly and as the other through
 * a double; no such text is taken. */
static bool reads_as_float(const char *text, size_t length, float value)
{
    kanon__decimal read;
    if (!kanon__parse_decimal(&read, text, length) || (float)read.value != value)
        return false;
    double up = nextafterf(value, INFINITY), down = nextafterf(value, -INFINITY), exact = value;
    bool halfway = read.value == exact + (up - exact) / 2 || read.value == exact + (down - exact) / 2;
    return !halfway || (read.exact && read.scale == 0 && (double)read.mantissa == read.value);
}

/* Nine digits tell any float from its neighbours. The double nearest to the decimal of n digits is laid out by
 * kanon__format_double, which finds these n digits again. */
size_t kanon__arrow_print_float32(char *buffer, float value)
{
    enum { MOST_DIGITS = 9 };
    size_t length = 0;
    if (!isfinite(value) || value == 0)
        return kanon__format_double(buffer, value);
    if (fabsf(value) < 16777216 && floorf(value) == value)
        return print_signed(buffer, (int64_t)value); /* every whole number up to there is a float, and has no zeros behind */
    for (int n = 1; n <= MOST_DIGITS; n++) {
        char text[KANON__NUMBER_TEXT];
        kanon__decimal rounded;
        int printed = snprintf(text, sizeof text, "%.*e", n - 1, (double)value);
        for (int i = 0; i < printed; i++)
            text[i] = text[i] == ',' ? '.' : text[i]; /* the locale's decimal separator */
        if (!kanon__parse_decimal(&rounded, text, (size_t)printed))
            continue;
        length = kanon__format_double(buffer, rounded.value);
        if (reads_as_float(buffer, length, value))
            break;
    }
    return length;
}

/* ---- dates ------------------------------------------------------------------------------------------------------------ */

/* Counted in years that begin on 1 March, so that the leap day is the last one; 400 years are an era of 146097 days. */
size_t kanon__arrow_print_date(char *buffer, int64_t days)
{
    const int64_t era_days = 146097, epoch = 719468; /* days from 0000-03-01 to 1970-01-01 */
    int64_t shifted = days + epoch;
    int64_t era = (shifted >= 0 ? shifted : shifted - (era_days - 1)) / era_days;
    int64_t day_of_era = shifted - era * era_days;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month = (5 * day_of_year + 2) / 153, day = day_of_year - (153 * month + 2) / 5 + 1;
    month += month < 10 ? 3 : -9;
    int64_t year = year_of_era + era * 400 + (month <= 2);
    size_t length = 0;
    if (year < 0 || year > 9999) {
        int64_t size = year < 0 ? -year : year;
        buffer[length++] = year < 0 ? '-' : '+';
        length += size < 1000000 ? print_digits(buffer + length, size, 6) : print_unsigned(buffer + length, (uint64_t)size);
    } else {
        length = print_digits(buffer, year, 4);
    }
    buffer[length++] = '-';
    length += print_digits(buffer + length, month, 2);
    buffer[length++] = '-';
    return length + print_digits(buffer + length, day, 2);
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int64_t floor_rest(int64_t a, int64_t b)
{
    return a % b + (a % b < 0 ? b : 0);
}

size_t kanon__arrow_print_timestamp(char *buffer, int64_t value, int64_t units, bool zoned)
{
    const int64_t day_seconds = 86400;
    int64_t seconds = floor_divide(value, units), days = floor_divide(seconds, day_seconds);
    int64_t fraction = floor_rest(value, units), of_day = floor_rest(seconds, day_seconds);
    int places = units == 1000 ? 3 : units == 1000000 ? 6 : units == 1000000000 ? 9 : 0;
    size_t length = kanon__arrow_print_date(buffer, days);
    for (int i = 0; i < 3; i++) {
        buffer[length++] = i == 0 ? 'T' : ':';
        length += print_digits(buffer + length, i == 0 ? of_day / 3600 : i == 1 ? of_day / 60 % 60 : of_day % 60, 2);
    }
    for (; places > 0 && fraction % 1000 == 0; places -= 3)
        fraction /= 1000;
    if (places > 0) {
        buffer[length++] = '.';
        length += print_digits(buffer + length, fraction, places);
    }
    if (zoned)
        buffer[length++] = 'Z';
    return length;
}

/* ---- any value -------------------------------------------------------------------------------------------------------- */

static size_t print_bool(char *buffer, bool value)
{
    memcpy(buffer, value ? "true" : "false", 5);
    return value ? 4 : 5;
}

size_t kanon__arrow_print(char buffer[KANON__ARROW_TEXT_SIZE], const kanon__arrow_type *type, const kanon__arrow_buffers *b,
                          int64_t i)
{
    switch (type->kind) {
    case KANON__ARROW_BOOL:
        return print_bool(buffer, kanon__arrow_entry_bool(b, i));
    case KANON__ARROW_INTEGER:
        return type->is_signed ? print_signed(buffer, (int64_t)kanon__arrow_entry_integer(type, b, i))
                               : print_unsigned(buffer, kanon__arrow_entry_integer(type, b, i));
    case KANON__ARROW_REAL:
        return type->width == 4 ? kanon__arrow_print_float32(buffer, (float)kanon__arrow_entry_real(type, b, i))
                                : kanon__arrow_print_float64(buffer, kanon__arrow_entry_real(type, b, i));
    case KANON__ARROW_DECIMAL:
        return kanon__arrow_print_decimal(buffer, kanon__arrow_entry_decimal(b, i), type->scale);
    case KANON__ARROW_DATE:
        return kanon__arrow_print_date(
            buffer, floor_divide((int64_t)kanon__arrow_entry_integer(type, b, i), type->units));
    case KANON__ARROW_TIMESTAMP:
        return kanon__arrow_print_timestamp(buffer, (int64_t)kanon__arrow_entry_integer(type, b, i), type->units,
                                            type->zoned);
    default:
        return 0;
    }
}
