/* Numbers and dates as text, the same in every locale: strtod and printf follow the locale, so they are not used for
 * cells. Spaces and tabs around a number are allowed. */
#ifndef KANON_TABLE_NUMBER_H
#define KANON_TABLE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KANON__NUMBER_TEXT = 48 }; /* room for any number that is printed below, with its end */

/* A decimal number: exactly mantissa / 10^scale where `exact` (0 <= scale <= 18), and the nearest double in any case. */
typedef struct kanon__decimal {
    int64_t mantissa;
    int scale;
    bool exact;
    double value;
} kanon__decimal;

/* [+-]digits that fits 64 bits. */
bool kanon__parse_integer(int64_t *out, const char *text, size_t length);
/* [+-]digits[.digits][e[+-]digits], at least one digit before or after the point; finite. The scale is the least that is
 * exact: 1.50 is 15 / 10. `value` is correctly rounded. */
bool kanon__parse_decimal(kanon__decimal *out, const char *text, size_t length);
/* YYYY-MM-DD, a real day of the Gregorian calendar, as days since 1970-01-01. */
bool kanon__parse_date(int64_t *out, const char *text, size_t length);
/* The same of a year, a month and a day of it, from 1; false where there is no such day. */
bool kanon__day_number(int64_t *out, int year, int month, int day);

/* Each prints into `buffer` and returns the length without the end. */
size_t kanon__format_scaled(char buffer[KANON__NUMBER_TEXT], int64_t mantissa, int scale); /* 15, 1: "1.5" */
size_t kanon__format_date(char buffer[KANON__NUMBER_TEXT], int64_t days);
/* The shortest text that reads back as `value`. */
size_t kanon__format_double(char buffer[KANON__NUMBER_TEXT], double value);

#endif
