/* Values of Arrow columns as text, the same that a CSV file of the table would hold.
 *
 *     bool                true, false
 *     integer             -17
 *     float32, float64    the shortest text that reads back as the value: 0.1, 1e+30, inf
 *     decimal128          with all the digits of its scale: 1.50
 *     date                2024-01-31
 *     timestamp           2024-01-31T13:05:00, with as many digits after the seconds as needed (3, 6 or 9); an instant
 *                         ends with Z
 *
 * Years outside 0 to 9999 have a sign and at least six digits, as in ISO 8601: +012345-01-31. */
#ifndef KANON_TABLE_SOURCE_ARROW_TEXT_H
#define KANON_TABLE_SOURCE_ARROW_TEXT_H

#include "table/read/arrow_view.h"

enum { KANON__ARROW_TEXT_SIZE = 96 }; /* room for any value that is no text */

/* Print entry i, which is neither null nor text. Returns the length; nothing is terminated. */
size_t kanon__arrow_print(char buffer[KANON__ARROW_TEXT_SIZE], const kanon__arrow_type *type, const kanon__arrow_buffers *b,
                          int64_t i);

/* What null is called: the first of these texts, `which` 0 on, that is no value of the column. Terminated. */
size_t kanon__arrow_null_text(char buffer[KANON__ARROW_TEXT_SIZE], int which);

/* For kanon__arrow_print and tests. */
size_t kanon__arrow_print_float64(char *buffer, double value);
size_t kanon__arrow_print_float32(char *buffer, float value);
size_t kanon__arrow_print_decimal(char *buffer, __int128 value, int scale);
size_t kanon__arrow_print_date(char *buffer, int64_t days);
size_t kanon__arrow_print_timestamp(char *buffer, int64_t value, int64_t units, bool zoned);

#endif
