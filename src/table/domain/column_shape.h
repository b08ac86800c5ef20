/* What the texts of a column look like: numbers, dates of which format, codes, texts that people write for "no value".
 *
 * The shape is found from the distinct texts alone. It decides the type of a column about which the schema says nothing, and
 * it tells what is wrong with one that is nearly a number or a date:
 *
 *     every text is ...                                             type
 *     a whole number, none with zeros in front                      integer
 *     a whole number, some with zeros in front (01067)              categorical: codes, postcodes
 *     a number, by one pair of separators                           decimal, or integer
 *     a date, by one format                                         date
 *     a number (date), but for texts of the list of "no value",     none: the user is asked
 *         or but for at most one cell in five
 *     a number, but for codes such as 12a (at most one in five)     categorical
 *     something else                                                categorical */
#ifndef KANON_TABLE_COLUMN_SHAPE_H
#define KANON_TABLE_COLUMN_SHAPE_H

#include "table/value/codes.h"
#include "table/value/dictionary.h"
#include "table/value/value_format.h"

/* The texts of a column. */
typedef struct kanon__shape_texts {
    const kanon__dictionary *texts; /* distinct ones, in the order in which they first appear */
    kanon__codes codes;             /* by row: the code of its text */
    int64_t n_rows;
    const bool *missing;        /* by code: declared to mean "no value"; NULL: none is */
    char delimiter;             /* of the file, which says something about decimal commas; 0: not known */
    kanon__value_format format; /* what the schema says; {0}: nothing */
    const int64_t *counts;      /* by code: its rows, in place of `codes`; NULL: they are counted */
} kanon__shape_texts;

typedef enum kanon__shape_kind {
    KANON__SHAPE_PLAIN = 0,         /* `type` is certain */
    KANON__SHAPE_CODES,             /* categorical, although most texts are whole numbers */
    KANON__SHAPE_NEARLY_NUMBERS,    /* `type` would be right without the other texts */
    KANON__SHAPE_NEARLY_DATES,      /* likewise */
    KANON__SHAPE_AMBIGUOUS_NUMBERS, /* two pairs of separators read all texts, and differently */
    KANON__SHAPE_AMBIGUOUS_DATES    /* two formats do: `format` and `other_date` */
} kanon__shape_kind;

enum { KANON__SHAPE_SENTINELS = 6 }; /* numbers for "no value" in a column */
enum { KANON__SHAPE_GENERIC = 8 };   /* texts for "no value" that are told */

typedef struct kanon__column_shape {
    kanon__shape_kind kind;
    kanon_type type;            /* as found; where the kind is not certain, what it nearly is */
    kanon__value_format format; /* of the numbers or dates */
    const char *other_date;     /* the second format that reads all dates */
    /* counts of cells that are not declared missing */
    int64_t n_present;
    int64_t n_fitting;              /* of the type: numbers by `format`, or dates */
    int64_t n_integers, n_decimals; /* with a decimal point; `n_decimals` are no integers */
    int64_t n_leading_zeros;        /* of the integers: 007 */
    int64_t n_generic;              /* that people write for "no value": NA, ?, - */
    int64_t n_codes;                /* digits and letters: 12a, I21 */
    int64_t n_others;               /* neither of the type nor generic */
    uint32_t n_distinct;            /* texts that are not declared missing */
    uint32_t first_other;           /* the first text that is not of the type, generic ones included; KANON__NO_CODE: none */
    uint32_t generic[KANON__SHAPE_GENERIC]; /* codes of such texts, in order of appearance */
    int n_generic_texts;
    uint32_t sentinel; /* a number far from all others that may mean "no value": 9999; KANON__NO_CODE: none */
    uint32_t sentinels[KANON__SHAPE_SENTINELS]; /* all such numbers, the first one included: -1, -8, -9 */
    int n_sentinels;
} kanon__column_shape;

/* `wanted`: the type that the schema names; KANON_TYPE_UNKNOWN: any. With one, only its formats are tried, and leading zeros
 * and codes are no matter. */
kanon_status kanon__column_shape_find(kanon__column_shape *out, const kanon__shape_texts *column, kanon_type wanted,
                                      kanon_error *err);
/* The formats that are tried for numbers or dates, the likeliest first; *n of them. */
const kanon__value_format *kanon__shape_formats(kanon_type type, int *n);
/* Whether the text of a code is a number that may mean "no value". */
bool kanon__shape_is_sentinel(const kanon__column_shape *shape, uint32_t code);
/* Whether a text is on the list of those that people write for "no value", in any case of letters. These may be shown: they
 * say nothing about a person. */
bool kanon__text_is_generic(const char *text, size_t length);
/* Of dates that two formats read: the second one becomes the column's, and the first one the other. */
void kanon__column_shape_take_other_date(kanon__column_shape *shape);

#endif
