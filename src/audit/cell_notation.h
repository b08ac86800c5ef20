/* Generalised cells as the tools of the world write them, read into one canonical text: in a column of one type, two cells
 * mean the same if and only if their canonical texts are equal. A canonical text reads as itself.
 *
 *     any value           *  *****                                         *
 *     intervals           [15-19]  15-19  [15, 19]  15..19  [15,20)        [15,19]      in columns of numbers and dates
 * only
 *                         ]14, 20[  (14,19]
 *                         [15-15]  {15}  15.0                              15
 *                         <5  <=5  >90  >=90                               <=4  <=5  >=91  >=90
 *                         [90..]  [90,)  [..18]  (,18]                     >=90  >=90  <=18  <=18
 *                         [low..high]  low..high  [low,high]  low-high         [low..high]  in columns of levels
 *     sets                {b, a}  { a,b,a }                                {a,b}
 *     labels              the rest, as it is: Person, 8130*
 *
 * In integer and date columns an open end becomes the closed one next to it; decimals keep theirs. */
#ifndef KANON_AUDIT_CELL_NOTATION_H
#define KANON_AUDIT_CELL_NOTATION_H

#include "core/status.h"
#include "table/value/value_format.h"

#include <stdbool.h>

/* One end of an interval: mantissa / 10^scale, of a date the days, or seconds, since 1970-01-01. */
typedef struct kanon__end {
    int64_t mantissa;
    int scale;
    bool open, infinite;
} kanon__end;

typedef struct kanon__interval {
    kanon__end lo, hi;
} kanon__interval;

typedef enum kanon__notation_kind {
    KANON__NOTATION_LABEL = 0,
    KANON__NOTATION_ANY,
    KANON__NOTATION_INTERVAL, /* a single number is one too */
    KANON__NOTATION_SET
} kanon__notation_kind;

/* Begins as {0}, may be used for one cell after the other, ends with kanon__meaning_clear. */
typedef struct kanon__meaning {
    kanon__notation_kind kind;
    char *text; /* canonical, not terminated */
    int64_t length, capacity;
} kanon__meaning;

/* What a cell of a column of such values means. A type that is not numeric has no intervals. */
kanon_status kanon__notation_read(kanon__meaning *out, const char *text, size_t length, const kanon__value_kind *kind,
                                  kanon_error *err);
void kanon__meaning_clear(kanon__meaning *meaning);

/* Whether the cell is a number, a date or an interval of them. Empty intervals are none, nor are numbers that mantissa and
 * scale cannot hold exactly. */
bool kanon__notation_interval(kanon__interval *out, const char *text, size_t length, const kanon__value_kind *kind);
/* The order of intervals by their low ends and by their high ones; whether `next`, which does not begin before `first`,
 * overlaps it. */
int kanon__interval_compare_lows(const kanon__interval *a, const kanon__interval *b);
int kanon__interval_compare_highs(const kanon__interval *a, const kanon__interval *b);
bool kanon__interval_overlaps(const kanon__interval *first, const kanon__interval *next);
/* One star or more and nothing else. */
bool kanon__notation_is_any(const char *text, size_t length);

#endif
