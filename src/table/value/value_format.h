/* How the values of a column are written: the decimal separator and that of thousands, or the format of dates.
 *
 *     decimal  thousands     cells
 *     .        none          1234.5
 *     ,        .             1.234,5
 *     .        '             1'234.5
 *     ,        space         1 234,5        also with a no-break space
 *
 * An ordinal value is read as the number of its level, from 0.
 *
 * Whoever reads a number or a date out of a column reads it by its format: the encoder, the release and its checks,
 * states. */
#ifndef KANON_TABLE_VALUE_FORMAT_H
#define KANON_TABLE_VALUE_FORMAT_H

#include "table/value/date_format.h"

#include <kanon.h>

typedef struct kanon__dictionary kanon__dictionary;

typedef struct kanon__value_format {
    char decimal;                  /* 0: nothing was said: a point, or a comma where thousands have the point */
    char thousands;                /* 0: none */
    char date[KANON__DATE_FORMAT]; /* "": YYYY-MM-DD, and nothing was said */
    const kanon__dictionary *levels; /* of ordinal values, in their order; not owned; NULL: none */
} kanon__value_format;

/* The type of a column's values, and how they are written. */
typedef struct kanon__value_kind {
    kanon_type type;
    kanon__value_format format;
} kanon__value_kind;

/* The number of the type that the text means; a date as days, or seconds where its format has hours. */
bool kanon__value_parse(kanon__decimal *out, kanon_type type, const kanon__value_format *format, const char *text,
                        size_t length);
/* The type as which ends of intervals and means of the column can be read: whole numbers may have decimals there. */
static inline kanon_type kanon__value_type_read(kanon_type type)
{
    return type == KANON_TYPE_DATE || type == KANON_TYPE_ORDINAL ? type : KANON_TYPE_DECIMAL;
}
/* The decimal separator, said or not. */
char kanon__value_decimal(const kanon__value_format *format);
/* Whether dates of the format count in seconds. */
bool kanon__value_has_time(const kanon__value_format *format);
/* A date of so many days or seconds as the column writes dates. */
size_t kanon__value_print_date(char buffer[KANON__NUMBER_TEXT], const kanon__value_format *format, int64_t value);
/* A number with a decimal point as the column writes numbers, without separators of thousands: in place. */
void kanon__value_localise(char *number, size_t length, const kanon__value_format *format);

/* What is wrong with two separators, as a hint; NULL: nothing. 0 means "not said". */
const char *kanon__separators_fault(char decimal, char thousands);

#endif
