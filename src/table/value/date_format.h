/* Dates and times as people write them, by a format of %-letters, the same in every locale:
 *
 *     %Y  year, four digits        %H  hour, 0 to 23
 *     %y  year, two digits         %M  minute, 0 to 59
 *     %m  month, 1 or 01 to 12     %S  second, 0 to 59, perhaps with a fraction: 7.25
 *     %b  month, Jan or January    %B  the same
 *     %d  day, 1 or 01 to 31       %%  a percent sign
 *
 * Anything else stands for itself. Two digits of a year are 1969 to 2068, as everywhere. KANON__DATE_ISO and its kin
 * are formats, too: ISO 8601, of which times have several forms (T or a space, with or without seconds and
 * fractions). */
#ifndef KANON_TABLE_DATE_FORMAT_H
#define KANON_TABLE_DATE_FORMAT_H

#include "table/value/number.h"

enum { KANON__DATE_FORMAT = 32 }; /* room for a format, with its end; a date by it fits KANON__NUMBER_TEXT */

#define KANON__DATE_ISO "%Y-%m-%d"           /* 2024-01-31 */
#define KANON__DATE_ISO_TIME "iso-8601"      /* 2024-01-31T13:05:00.25, and whole days, which are midnight */
#define KANON__DATE_ISO_ZONE "iso-8601-zone" /* 2024-01-31T13:05:00Z or +02:00: instants */

/* What is wrong with a format, as a hint; NULL: it is one. */
const char *kanon__date_format_fault(const char *format);
/* Whether the format has hours: its values count in seconds, not in days. */
bool kanon__date_format_has_time(const char *format);
/* A date as days, one with hours as seconds since 1970-01-01, exactly. Spaces and tabs around it are allowed. */
bool kanon__date_format_parse(kanon__decimal *out, const char *format, const char *text, size_t length);
/* The date of so many days, or whole seconds where the format has hours. Returns the length without the end; it is at most
 * 9 more than that of the format. */
size_t kanon__date_format_print(char buffer[KANON__NUMBER_TEXT], const char *format, int64_t value);

#endif
