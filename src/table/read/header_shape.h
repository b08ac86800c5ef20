/* Whether the first line of a file is a header or data: names of columns are rarely numbers or dates, are not empty,
 * and do not come again as values below. */
#ifndef KANON_TABLE_HEADER_SHAPE_H
#define KANON_TABLE_HEADER_SHAPE_H

#include "table/text/csv.h"

typedef enum kanon__header_shape {
    KANON__HEADER_NAMES = 0, /* nothing speaks against names */
    KANON__HEADER_NUMBERS,   /* every name is a number or a date, or some are numbers that are no years and no sequence */
    KANON__HEADER_REPEATED,  /* at least half of the names are values of their columns, too */
    KANON__HEADER_EMPTY      /* a name is empty */
} kanon__header_shape;

/* What the header of `csv`, which has just been opened, looks like. Up to 1,000 rows are read, as far as they can be; the
 * reader is before the first row again. *column: the first column to blame. */
kanon_status kanon__header_judge(kanon__header_shape *out, int *column, kanon__csv *csv, kanon_error *err);

#endif
