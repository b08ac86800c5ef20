/* See date_format.h. One pass along the format reads the parts of a date; days of the calendar are those of number.h.
 * strptime follows the locale and differs between systems, so it is not used. */
#include "table/value/date_format.h"

#include "core/text.h"

#include <stdio.h>
#include <string.h>

enum { DAY_SECONDS = 86400, MOST_FRACTION = 9, LOWEST_YEAR = 1, TWO_DIGIT_PIVOT = 69 };

static const char *const months[] = {"january", "february", "march",     "april",   "may",      "june",
                                     "july",    "august",   "september", "october", "november", "december"};

/* The parts of a date while it is read. */
typedef struct parts {
    int year, month, day, hour, minute, second;
    int64_t fraction; /* of a second, in units of 10^-places */
    int places;
    int zone; /* minutes east of Greenwich */
} parts;

typedef struct reader {
    const char *at, *end;
} reader;

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* ---- reading parts ----------------------------------------------------------------------------------------------- */

/* At least `least` digits and at most `most`. */
static bool take_digits(reader *r, int least, int most, int *out)
{
    int n = 0;
    *out = 0;
    for (; n < most && r->at < r->end && is_digit(*r->at); n++)
        *out = *out * 10 + (*r->at++ - '0');
    return n >= least;
}

static bool take_mark(reader *r, char mark)
{
    if (r->at == r->end || *r->at != mark)
        return false;
    r->at++;
    return true;
}

/* Jan, jan., January: three letters, or all of them. */
static bool take_month_name(reader *r, int *out)
{
    for (int month = 0; month < 12; month++) {
        size_t n = 0, there_is = (size_t)(r->end - r->at);
        while (n < there_is && months[month][n] != '\0' && lower(r->at[n]) == months[month][n])
            n++;
        if (n < 3)
            continue;
        r->at += months[month][n] == '\0' ? n : 3;
        *out = month + 1;
        return true;
    }
    return false;
}

/* Digits after the point of the seconds; what is more than can be told apart makes the text no date. */
static bool take_fraction(reader *r, parts *p)
{
    if (r->at == r->end || (*r->at != '.' && *r->at != ','))
        return true;
    r->at++;
    p->places = 0;
    p->fraction = 0;
    for (; r->at < r->end && is_digit(*r->at); r->at++) {
        if (p->places++ >= MOST_FRACTION)
            return false;
        p->fraction = p->fraction * 10 + (*r->at - '0');
    }
    return p->places > 0;
}

static bool take_short_year(reader *r, int *out)
{
    bool good = take_digits(r, 2, 2, out);
    *out += *out >= TWO_DIGIT_PIVOT ? 1900 : 2000;
    return good;
}

static bool take_part(reader *r, char letter, parts *p)
{
    switch (letter) {
    case 'Y':
        return take_digits(r, 4, 4, &p->year);
    case 'y':
        return take_short_year(r, &p->year);
    case 'm':
        return take_digits(r, 1, 2, &p->month);
    case 'b':
    case 'B':
        return take_month_name(r, &p->month);
    case 'd':
        return take_digits(r, 1, 2, &p->day);
    case 'H':
        return take_digits(r, 1, 2, &p->hour);
    case 'M':
        return take_digits(r, 1, 2, &p->minute);
    case 'S':
        return take_digits(r, 1, 2, &p->second) && take_fraction(r, p);
    default:
        return take_mark(r, letter);
    }
}

static bool take_format(reader *r, const char *format, parts *p)
{
    for (; *format != '\0'; format++) {
        bool good = *format == '%' ? take_part(r, *++format, p) : take_mark(r, *format);
        if (!good)
            return false;
    }
    return true;
}

/* ---- ISO 8601 ---------------------------------------------------------------------------------------------------- */

/* Z, +02, +0200, +02:00, -05:30. */
static bool take_zone(reader *r, parts *p)
{
    int hours = 0, minutes = 0;
    if (take_mark(r, 'Z') || take_mark(r, 'z'))
        return true;
    bool west = r->at < r->end && *r->at == '-';
    if (!take_mark(r, west ? '-' : '+') || !take_digits(r, 2, 2, &hours))
        return false;
    bool colon = take_mark(r, ':');
    if ((colon || r->at < r->end) && !take_digits(r, 2, 2, &minutes))
        return false;
    p->zone = (west ? -1 : 1) * (hours * 60 + minutes);
    return hours < 24 && minutes < 60;
}

static bool take_iso(reader *r, bool zoned, parts *p)
{
    if (!take_digits(r, 4, 4, &p->year) || !take_mark(r, '-') || !take_digits(r, 2, 2, &p->month) || !take_mark(r, '-') ||
        !take_digits(r, 2, 2, &p->day))
        return false;
    if (r->at == r->end)
        return !zoned;
    if (!take_mark(r, 'T') && !take_mark(r, 't') && !take_mark(r, ' '))
        return false;
    if (!take_digits(r, 2, 2, &p->hour) || !take_mark(r, ':') || !take_digits(r, 2, 2, &p->minute))
        return false;
    if (take_mark(r, ':') && (!take_digits(r, 2, 2, &p->second) || !take_fraction(r, p)))
        return false;
    return !zoned || take_zone(r, p);
}

/* ---- dates ------------------------------------------------------------------------------------------------------- */

bool kanon__date_format_has_time(const char *format)
{
    return format[0] == 'i' || strstr(format, "%H") != NULL;
}

/* Days where there is no time of day, else seconds and their fraction, where 64 bits have room for it. */
static bool to_number(kanon__decimal *out, const parts *p, bool has_time)
{
    static const double power10[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    int64_t days, number, fraction = p->fraction;
    int places = p->places;
    if (!kanon__day_number(&days, p->year, p->month, p->day) || p->hour > 23 || p->minute > 59 || p->second > 59)
        return false;
    number = days;
    if (has_time)
        number = days * DAY_SECONDS + p->hour * 3600 + (p->minute - p->zone) * 60 + p->second;
    for (; places > 0 && fraction % 10 == 0; places--)
        fraction /= 10;
    for (; places > 6 && places < MOST_FRACTION; places++) /* micro- or nanoseconds, as other formats count */
        fraction *= 10;
    for (int i = 0; i < places; i++)
        if (__builtin_mul_overflow(number, (int64_t)10, &number))
            return false;
    number += fraction;
    *out = (kanon__decimal){.mantissa = number, .scale = places, .exact = true, .value = (double)number / power10[places]};
    return true;
}

bool kanon__date_format_parse(kanon__decimal *out, const char *format, const char *text, size_t length)
{
    kanon__trim(&text, &length);
    reader r = {text, text + length};
    parts p = {.year = 1970, .month = 1, .day = 1};
    bool iso = format[0] == 'i';
    bool good = iso ? take_iso(&r, strcmp(format, KANON__DATE_ISO_ZONE) == 0, &p) : take_format(&r, format, &p);
    return good && r.at == r.end && to_number(out, &p, kanon__date_format_has_time(format));
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

const char *kanon__date_format_fault(const char *format)
{
    int years = 0, n_months = 0, days = 0;
    if (strcmp(format, KANON__DATE_ISO_TIME) == 0 || strcmp(format, KANON__DATE_ISO_ZONE) == 0)
        return NULL;
    if (strlen(format) >= KANON__DATE_FORMAT)
        return "a format has at most 31 characters";
    for (; *format != '\0'; format++) {
        if (*format != '%')
            continue;
        if (*++format == '\0' || strchr("YymbBdHMS%", *format) == NULL)
            return "the letters are %Y %y %m %b %B %d %H %M %S, and %% for a percent sign";
        years += *format == 'Y' || *format == 'y';
        n_months += *format == 'm' || *format == 'b' || *format == 'B';
        days += *format == 'd';
    }
    return years == 1 && n_months <= 1 && days <= 1 && days <= n_months
               ? NULL
               : "a format names the year once, and the month and the day at most once, such as %d.%m.%Y";
}

/* The number of days back to a date, by way of the ISO text, so that there is one calendar. */
static parts split_day(int64_t days)
{
    char iso[KANON__NUMBER_TEXT];
    parts p = {0};
    reader r = {iso, iso + kanon__format_date(iso, days)};
    take_iso(&r, false, &p);
    return p;
}

static size_t print_part(char *to, size_t room, char letter, const parts *p)
{
    char name[16];
    switch (letter) {
    case 'Y':
        return (size_t)snprintf(to, room, "%04d", p->year);
    case 'y':
        return (size_t)snprintf(to, room, "%02d", p->year % 100);
    case 'b':
    case 'B':
        snprintf(name, sizeof name, "%s", months[p->month - 1]);
        name[0] = (char)(name[0] - 'a' + 'A');
        return (size_t)snprintf(to, room, "%.*s", letter == 'b' ? 3 : 15, name);
    default: {
        int value = letter == 'm'   ? p->month
                    : letter == 'd' ? p->day
                    : letter == 'H' ? p->hour
                    : letter == 'M' ? p->minute
                                    : p->second;
        return (size_t)(letter == '%' ? snprintf(to, room, "%%") : snprintf(to, room, "%02d", value));
    }
    }
}

size_t kanon__date_format_print(char buffer[KANON__NUMBER_TEXT], const char *format, int64_t value)
{
    bool has_time = kanon__date_format_has_time(format);
    int64_t of_day = has_time ? value % DAY_SECONDS : 0;
    of_day += of_day < 0 ? DAY_SECONDS : 0;
    parts p = split_day(has_time ? (value - of_day) / DAY_SECONDS : value);
    p.hour = (int)(of_day / 3600);
    p.minute = (int)(of_day / 60 % 60);
    p.second = (int)(of_day % 60);
    if (format[0] == 'i')
        format = strcmp(format, KANON__DATE_ISO_ZONE) == 0 ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%dT%H:%M:%S";
    size_t used = 0;
    for (; *format != '\0'; format++) { /* a month has 7 letters more than its %B, a year 2 digits: there is room */
        if (*format == '%')
            used += print_part(buffer + used, KANON__NUMBER_TEXT - used, *++format, &p);
        else
            buffer[used++] = *format;
    }
    buffer[used] = '\0';
    return used;
}
