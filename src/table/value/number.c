/* See number.h. Decimal numbers are read exactly (mantissa and scale) where they fit, and rounded correctly to double
 * otherwise, with integers of many digits where the fast way is in doubt. Dates are proleptic Gregorian days since
 * 1970. */
#include "table/value/number.h"

#include "core/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- reading digits ---------------------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Step over a sign; true where it is a minus. */
static bool take_sign(const char **at, const char *end)
{
    if (*at == end || (**at != '-' && **at != '+'))
        return false;
    return *(*at)++ == '-';
}

/* Put the sign to a magnitude; false where the result does not fit. */
static bool with_sign(int64_t *out, uint64_t magnitude, bool negative)
{
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    if (magnitude > INT64_MAX)
        *out = INT64_MIN;
    else
        *out = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

bool kanon__parse_integer(int64_t *out, const char *text, size_t length)
{
    kanon__trim(&text, &length);
    const char *at = text, *end = text + length;
    bool negative = take_sign(&at, end);
    uint64_t magnitude = 0;
    if (at == end)
        return false;
    for (; at < end; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (!is_digit(*at) || magnitude > (UINT64_MAX - digit) / 10)
            return false;
        magnitude = magnitude * 10 + digit;
    }
    return with_sign(out, magnitude, negative);
}

/* ---- whole numbers of any size that a double can ask for --------------------------------------------------------- */

/* The halfway point between two doubles has at most 767 significant digits, so of longer texts it only matters whether
 * anything but zeros follows: one more digit says that. */
enum { MAX_DIGITS = 800 };
/* Values of at least 10^310 are no doubles, those below 10^-330 are zero; between them the largest number is the power of
 * ten that a fraction of MAX_DIGITS + 1 digits is divided by, 10^1131 < 2^3760. */
enum { MAX_MAGNITUDE = 310, MIN_MAGNITUDE = -330, MAX_LIMBS = 120 };

typedef struct big {
    int n; /* limbs in use; the highest is not 0 */
    uint32_t limbs[MAX_LIMBS];
} big;

static void big_multiply_add(big *b, uint32_t factor, uint32_t summand)
{
    uint64_t carry = summand;
    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->limbs[i] * factor;
        b->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0)
        b->limbs[b->n++] = (uint32_t)carry;
}

static void big_multiply_power10(big *b, int exponent)
{
    for (; exponent >= 9; exponent -= 9)
        big_multiply_add(b, 1000000000, 0);
    for (; exponent > 0; exponent--)
        big_multiply_add(b, 10, 0);
}

static int big_bits(const big *b)
{
    int bits = 32 * (b->n - 1);
    for (uint32_t top = b->limbs[b->n - 1]; top > 0; top >>= 1)
        bits++;
    return bits;
}

static void big_shift_left(big *b, int bits)
{
    int whole = bits / 32;
    memmove(b->limbs + whole, b->limbs, (size_t)b->n * sizeof *b->limbs);
    memset(b->limbs, 0, (size_t)whole * sizeof *b->limbs);
    b->n += whole;
    big_multiply_add(b, (uint32_t)1 << bits % 32, 0);
}

static int big_compare(const big *a, const big *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

/* a -= b, where a >= b. */
static void big_subtract(big *a, const big *b)
{
    int64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        int64_t difference = (int64_t)a->limbs[i] - (i < b->n ? b->limbs[i] : 0) + borrow;
        a->limbs[i] = (uint32_t)difference;
        borrow = difference < 0 ? -1 : 0;
    }
    while (a->n > 0 && a->limbs[a->n - 1] == 0)
        a->n--;
}

/* The double nearest to a / b, both positive, ties to even; both are overwritten. Infinite where it is too large.
 *
 * Shifts bring a / b into [1, 2); then each step of a division by hand gives one bit, and what is left over after the last
 * bit that the double has room for says where to round. */
static double big_ratio(big *a, big *b)
{
    int exponent = big_bits(a) - big_bits(b);
    if (exponent < 0)
        big_shift_left(a, -exponent);
    else
        big_shift_left(b, exponent);
    if (big_compare(a, b) < 0) {
        big_shift_left(a, 1);
        exponent--;
    }
    if (exponent >= DBL_MAX_EXP)
        return INFINITY;
    int lowest = DBL_MIN_EXP - 1; /* smaller ones have fewer bits: the double is subnormal */
    int bits = exponent >= lowest ? DBL_MANT_DIG : DBL_MANT_DIG - (lowest - exponent);
    if (bits < 0)
        return 0;
    uint64_t quotient = 0;
    for (int i = 0; i < bits; i++) {
        bool one = big_compare(a, b) >= 0;
        quotient = quotient * 2 + one;
        if (one)
            big_subtract(a, b);
        big_shift_left(a, 1);
    }
    int left_over = big_compare(a, b);
    if (left_over > 0 || (left_over == 0 && quotient % 2 == 1))
        quotient++;
    return ldexp((double)quotient, exponent - bits + 1);
}

/* ---- decimal numbers --------------------------------------------------------------------------------------------- */

/* 0.DIGITS x 10^point; no zeros in front or behind, so zero has no digits. */
typedef struct numeral {
    bool negative;
    int n_digits;
    unsigned char digits[MAX_DIGITS + 1];
    int64_t point;
} numeral;

static bool take_digits(numeral *n, const char **at, const char *end, bool fraction, bool *more)
{
    const char *begin = *at;
    for (; *at < end && is_digit(**at); (*at)++) {
        unsigned char digit = (unsigned char)(**at - '0');
        if (n->n_digits == 0 && digit == 0) {
            n->point -= fraction;
            continue;
        }
        n->point += !fraction;
        if (n->n_digits < MAX_DIGITS)
            n->digits[n->n_digits++] = digit;
        else if (digit > 0)
            *more = true;
    }
    return *at > begin;
}

/* Read [e[+-]digits]; huge exponents are cut to what is certainly too large or too small. */
static bool take_exponent(int64_t *out, const char **at, const char *end)
{
    const int64_t enough = INT64_MAX / 4;
    *out = 0;
    if (*at == end || (**at != 'e' && **at != 'E'))
        return true;
    (*at)++;
    bool negative = take_sign(at, end);
    if (*at == end)
        return false;
    for (; *at < end && is_digit(**at); (*at)++)
        *out = *out < enough / 10 ? *out * 10 + (**at - '0') : enough;
    if (negative)
        *out = -*out;
    return true;
}

static bool read_numeral(numeral *out, const char *text, size_t length)
{
    kanon__trim(&text, &length);
    const char *at = text, *end = text + length;
    bool more = false;
    int64_t exponent;
    out->n_digits = 0;
    out->point = 0;
    out->negative = take_sign(&at, end);
    bool some = take_digits(out, &at, end, false, &more);
    if (at < end && *at == '.') {
        at++;
        some |= take_digits(out, &at, end, true, &more);
    }
    if (!some || !take_exponent(&exponent, &at, end) || at != end)
        return false;
    out->point += exponent;
    if (more)
        out->digits[out->n_digits++] = 1;
    while (out->n_digits > 0 && out->digits[out->n_digits - 1] == 0)
        out->n_digits--;
    return true;
}

/* The numeral as mantissa / 10^scale, where there is room for that; both are 0 before and stay so where there is none. */
static bool to_exact(int64_t *mantissa, int *scale, const numeral *n)
{
    uint64_t magnitude = 0;
    if (n->n_digits == 0)
        return true;
    int64_t places = n->n_digits - n->point; /* after the point; negative: zeros before it */
    if (n->n_digits > 19 || places > 18 || places < -18)
        return false;
    for (int i = 0; i < n->n_digits; i++)
        magnitude = magnitude * 10 + n->digits[i];
    for (; places < 0; places++) {
        if (magnitude > UINT64_MAX / 10)
            return false;
        magnitude *= 10;
    }
    if (!with_sign(mantissa, magnitude, n->negative))
        return false;
    *scale = (int)places;
    return true;
}

/* The double nearest to the numeral without its sign. */
static double to_double(const numeral *n)
{
    static const big one = {.n = 1, .limbs = {1}};
    big above = {0}, below = one;
    if (n->n_digits == 0 || n->point < MIN_MAGNITUDE)
        return 0;
    if (n->point > MAX_MAGNITUDE)
        return INFINITY;
    for (int i = 0; i < n->n_digits; i++)
        big_multiply_add(&above, 10, n->digits[i]);
    int exponent = (int)n->point - n->n_digits;
    if (exponent >= 0)
        big_multiply_power10(&above, exponent);
    else
        big_multiply_power10(&below, -exponent);
    return big_ratio(&above, &below);
}

bool kanon__parse_decimal(kanon__decimal *out, const char *text, size_t length)
{
    static const double power10[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                     1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    const int64_t limit = (int64_t)1 << DBL_MANT_DIG;
    numeral n;
    if (!read_numeral(&n, text, length))
        return false;
    kanon__decimal d = {0};
    d.exact = to_exact(&d.mantissa, &d.scale, &n);
    if (FLT_EVAL_METHOD == 0 && d.exact && d.mantissa <= limit && d.mantissa >= -limit) {
        /* Both numbers are doubles without error, so the one division rounds correctly. */
        d.value = (double)d.mantissa / power10[d.scale];
    } else {
        d.value = to_double(&n);
        if (n.negative && d.value != 0) /* there is one zero */
            d.value = -d.value;
    }
    if (!isfinite(d.value))
        return false;
    *out = d;
    return true;
}

/* ---- dates ------------------------------------------------------------------------------------------------------- */

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_of_month(int64_t year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/* Days from 0001-01-01 to the first day of the year. */
static int64_t days_before_year(int64_t year)
{
    int64_t years = year - 1;
    return 365 * years + years / 4 - years / 100 + years / 400;
}

static bool take_number(int *out, const char *text, int n_digits)
{
    *out = 0;
    for (int i = 0; i < n_digits; i++) {
        if (!is_digit(text[i]))
            return false;
        *out = *out * 10 + (text[i] - '0');
    }
    return true;
}

bool kanon__day_number(int64_t *out, int year, int month, int day)
{
    if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > days_of_month(year, month))
        return false;
    int64_t days = days_before_year(year) - days_before_year(1970) + day - 1;
    for (int m = 1; m < month; m++)
        days += days_of_month(year, m);
    *out = days;
    return true;
}

bool kanon__parse_date(int64_t *out, const char *text, size_t length)
{
    int year, month, day;
    kanon__trim(&text, &length);
    return length == 10 && text[4] == '-' && text[7] == '-' && take_number(&year, text, 4) &&
           take_number(&month, text + 5, 2) && take_number(&day, text + 8, 2) && kanon__day_number(out, year, month, day);
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

size_t kanon__format_scaled(char buffer[KANON__NUMBER_TEXT], int64_t mantissa, int scale)
{
    char reversed[KANON__NUMBER_TEXT];
    uint64_t rest = mantissa < 0 ? 0 - (uint64_t)mantissa : (uint64_t)mantissa;
    size_t n = 0, length = 0;
    for (int place = 0; rest > 0 || place <= scale; place++) {
        if (place == scale && scale > 0)
            reversed[n++] = '.';
        reversed[n++] = (char)('0' + rest % 10);
        rest /= 10;
    }
    if (mantissa < 0)
        reversed[n++] = '-';
    while (n > 0)
        buffer[length++] = reversed[--n];
    buffer[length] = '\0';
    return length;
}

/* Days outside the years 1 to 9999, which no text can mean, are shown as the nearest one. */
size_t kanon__format_date(char buffer[KANON__NUMBER_TEXT], int64_t days)
{
    int64_t epoch = days_before_year(1970), last = days_before_year(10000) - 1;
    int64_t left = days < -epoch ? 0 : days > last - epoch ? last : days + epoch;
    int64_t year = left * 400 / days_before_year(401) + 1; /* at most one off */
    if (days_before_year(year) > left)
        year--;
    else if (days_before_year(year + 1) <= left)
        year++;
    left -= days_before_year(year);
    int month = 1;
    for (; left >= days_of_month(year, month); month++)
        left -= days_of_month(year, month);
    return (size_t)snprintf(buffer, KANON__NUMBER_TEXT, "%04d-%02d-%02d", (int)year, month, (int)left + 1);
}

enum { MOST_DIGITS = 17 }; /* that tell any double from its neighbours */

/* d.ddd x 10^exponent */
typedef struct decimal_digits {
    int n;
    char digits[MOST_DIGITS];
    int exponent;
} decimal_digits;

/* `value` > 0 rounded to n digits. The digits of %e are taken one by one, so its decimal separator, which is the locale's,
 * has no say. */
static void round_to_digits(decimal_digits *out, double value, int n)
{
    char text[KANON__NUMBER_TEXT];
    snprintf(text, sizeof text, "%.*e", n - 1, value);
    const char *mark = strrchr(text, 'e');
    out->n = 0;
    for (const char *at = text; at < mark; at++)
        if (is_digit(*at) && out->n < n)
            out->digits[out->n++] = *at;
    int exponent = 0;
    for (const char *at = mark + 2; is_digit(*at); at++)
        exponent = exponent * 10 + (*at - '0');
    out->exponent = mark[1] == '-' ? -exponent : exponent;
}

static size_t put_digits(char *buffer, const char *digits, int n)
{
    memcpy(buffer, digits, (size_t)n);
    return (size_t)n;
}

/* Without exponent where that stays readable: 0.000001 to 10^21. */
static size_t lay_out(char *buffer, const decimal_digits *d)
{
    size_t length = 0;
    int before = d->exponent + 1; /* digits before the point */
    if (d->exponent < -6 || d->exponent > 20) {
        buffer[length++] = d->digits[0];
        if (d->n > 1)
            buffer[length++] = '.';
        length += put_digits(buffer + length, d->digits + 1, d->n - 1);
        length += (size_t)snprintf(buffer + length, 8, "e%+03d", d->exponent);
        return length;
    }
    if (before <= 0) {
        length += put_digits(buffer, "0.000000", 2 - before);
        length += put_digits(buffer + length, d->digits, d->n);
    } else if (before >= d->n) {
        length += put_digits(buffer, d->digits, d->n);
        memset(buffer + length, '0', (size_t)(before - d->n));
        length += (size_t)(before - d->n);
    } else {
        length += put_digits(buffer, d->digits, before);
        buffer[length++] = '.';
        length += put_digits(buffer + length, d->digits + before, d->n - before);
    }
    buffer[length] = '\0';
    return length;
}

static bool reads_back(const char *text, size_t length, double value)
{
    kanon__decimal read;
    return kanon__parse_decimal(&read, text, length) && read.value == value;
}

/* The next larger number of as many digits; false where it would need one more. */
static bool step_up(decimal_digits *d)
{
    int i = d->n - 1;
    while (i >= 0 && d->digits[i] == '9')
        d->digits[i--] = '0';
    if (i < 0)
        return false;
    d->digits[i]++;
    return true;
}

static size_t format_positive(char *buffer, double value)
{
    decimal_digits d;
    size_t length = 0;
    /* Any 15 digits survive a normal double, so a shorter text that reads back is these 15 without the zeros at the end. */
    for (int n = value >= DBL_MIN ? DBL_DIG : 1; n <= MOST_DIGITS; n++) {
        round_to_digits(&d, value, n);
        while (d.n > 1 && d.digits[d.n - 1] == '0')
            d.n--;
        length = lay_out(buffer, &d);
        if (reads_back(buffer, length, value))
            break;
        /* Doubles lie closer below a power of two than above it: the nearest text may read as the neighbour below while
         * the next one up still reads as the value. */
        round_to_digits(&d, value, n);
        if (n < MOST_DIGITS && step_up(&d)) {
            length = lay_out(buffer, &d);
            if (reads_back(buffer, length, value))
                break;
        }
    }
    return length;
}

size_t kanon__format_double(char buffer[KANON__NUMBER_TEXT], double value)
{
    if (isnan(value))
        return (size_t)snprintf(buffer, KANON__NUMBER_TEXT, "nan");
    if (isinf(value))
        return (size_t)snprintf(buffer, KANON__NUMBER_TEXT, value < 0 ? "-inf" : "inf");
    if (value == 0)
        return (size_t)snprintf(buffer, KANON__NUMBER_TEXT, "0");
    if (value > 0)
        return format_positive(buffer, value);
    buffer[0] = '-';
    return format_positive(buffer + 1, -value) + 1;
}
