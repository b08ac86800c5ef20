/* Rows of CSV: a file, or bytes in memory. What csv_source.c (opening, cursors) and csv_rows.c (reading all rows
 * once, in parallel) share.
 *
 * Marks are places where reading can begin: the first row, then one about every 256 kB.
 *
 *     bytes   age,zip\n24,75001\n...........  ...  31,69002\n...
 *                     ^ marks[0]                   ^ marks[1]
 *                       row 0                        row 9,871 */
#ifndef KANON_TABLE_SOURCE_CSV_SOURCE_H
#define KANON_TABLE_SOURCE_CSV_SOURCE_H

#include "core/texts.h"
#include "table/text/source.h"

/* A row and where it begins in the input. */
typedef struct kanon__mark {
    int64_t row;
    size_t position;
} kanon__mark;

typedef struct kanon__csv_source {
    kanon__source base; /* first, so that a pointer to it is one to the whole; its parts are the marks */
    kanon__input input;
    kanon__csv_options options; /* how the input is read again; the delimiter is the one found */
    kanon__mark *marks;
    int64_t n_marks;
} kanon__csv_source;

/* How a file is to be read. */
typedef struct kanon__csv_reading {
    char delimiter; /* 0: it is found */
    kanon_header header;
    const char *encoding;  /* NULL: it is found */
    kanon__texts *notices; /* what the user should know about how it was read; NULL: nobody wants to */
    bool presume;          /* it is found without walking through all bytes: see decode.h */
} kanon__csv_reading;

/* The rows of `input`, which is taken over in any case. It is decoded (decode.h), and the header is read and judged:
 * KANON_EDATA where it looks like data and nobody said what it is. */
kanon_status kanon__csv_source_new(kanon__source **out, kanon__input *input, const kanon__csv_reading *how,
                                   kanon_error *err);
/* Rows of CSV in memory without a header line: `names` are those of the columns. */
kanon_status kanon__csv_source_from_rows(kanon__source **out, kanon__input *input, char *const *names, int n_columns,
                                         char delimiter, bool crlf, kanon_error *err);
/* Read all rows: in parts on several threads where there are many and memory is no matter. What comes out, errors included,
 * does not depend on the number of threads. */
kanon_status kanon__csv_source_read(kanon__source *source, kanon__raw_columns *columns, kanon_error *err);
/* Where parts of about so many bytes begin, each at a row, without reading the rows; *end: where the last one ends. */
kanon_status kanon__csv_source_cut(size_t **begins, int64_t *n, size_t *end, kanon__source *source, size_t part_bytes,
                                   kanon_error *err);

#endif
