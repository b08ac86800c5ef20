/* CSV as in RFC 4180: quotes, quoted separators and line breaks, CRLF or LF, a UTF-8 byte order mark is skipped.
 * A row is read at a time. Its cells point into a window, which holds the whole row: all of the input where that lies in
 * memory, else a buffer of the reader's own.
 *
 *     input    ......................................................
 *     window          [ row | row | row | the row | row | ro ]
 *                                         ^ row_begin
 *                                                 ^ position */
#ifndef KANON_TABLE_CSV_H
#define KANON_TABLE_CSV_H

#include "table/text/input.h"

#include <stdbool.h>

typedef struct kanon__cell {
    const char *text; /* without the enclosing quotes */
    size_t length;
    bool quoted;
    bool doubled; /* the text holds doubled quotes: see kanon__csv_unescape */
    bool null;    /* there is no value, and the text is empty; never in a file of CSV */
    bool odd;     /* a number whose text does not tell it: -0, printed as 0, or NaN, which is null as well */
} kanon__cell;

typedef struct kanon__csv_options {
    char delimiter;         /* 0: find it */
    const char *candidates; /* the delimiters to choose from, the first that is there; NULL: ",;\t|", the most frequent */
    bool no_header;         /* the first line is a row, and columns are called "column 1", "column 2", ... in messages */
    bool ragged;            /* rows may have any number of cells */
    bool portable;          /* without vector instructions, as on other processors: for tests */
    size_t window;          /* how many bytes of a file are read at a time; 0: 256 kB. Other numbers are for tests */
} kanon__csv_options;

typedef struct kanon__csv {
    const kanon__input *input;
    char delimiter;
    bool crlf; /* the first line ends with CRLF */
    bool ragged;
    int n_columns;      /* of the header */
    char **names;       /* of the header, unescaped; NULL without header */
    kanon__cell *cells; /* of the current row */
    int n_cells;
    int64_t line;         /* where the current row begins, from 1 */
    int64_t row;          /* its number, from 0 */
    size_t row_begin;     /* where it begins in the input */
    size_t position, end; /* the next row; where the rows end and only blank lines are left */
    /* the rest is the reader's own */
    bool portable;
    int64_t cells_capacity;
    const char *window; /* the bytes of the input from window_begin until window_end */
    size_t window_begin, window_end;
    char *buffer; /* that is the window of a file */
    int64_t buffer_capacity;
    struct kanon__marks *marks; /* of the window */
    const char *marks_from;     /* the row that the next one of them is of; NULL: not known */
    size_t fill, most_fill; /* how large the window was to be when it was last filled, and may be at most */
    int64_t next_line;      /* 0: not known, after kanon__csv_seek */
    size_t first_row;       /* position and line of the first row, for kanon__csv_rewind */
    int64_t first_line;
} kanon__csv;

/* Read the header. KANON_EDATA: empty file, duplicate or badly encoded names, an unterminated quote. */
kanon_status kanon__csv_open(kanon__csv *out, const kanon__input *input, const kanon__csv_options *options,
                             kanon_error *err);
/* Read the next row into csv->cells, which are valid until the row after it is read. *has_row is false past the last one.
 * Blank lines at the very end are no rows. KANON_EIO: the file has changed since it was opened.
 * KANON_EDATA: a row with another number of cells than the header, text after a closing quote, a quote inside an unquoted
 * cell, an unterminated quote, a NUL byte, bytes that are not UTF-8: each with file, line and column. */
kanon_status kanon__csv_next(kanon__csv *csv, bool *has_row, kanon_error *err);
/* Go back to before the first row. */
void kanon__csv_rewind(kanon__csv *csv);
/* The column of that name in the header; -1: there is none. */
int kanon__csv_find_column(const kanon__csv *csv, const char *name);
/* Go to before the row that begins at byte `position` of the input. Rows count from 0 again and csv->line is 0 from there
 * on; messages still name the right line. */
void kanon__csv_seek(kanon__csv *csv, size_t position);
void kanon__csv_close(kanon__csv *csv);

/* The delimiter that a caller names: one character, or "tab"; NULL or "": 0, so that it is found. */
kanon_status kanon__csv_delimiter(char *out, const char *text, kanon_error *err);

/* The cell's text with doubled quotes made single, in `buffer`, which has room for cell->length bytes. Returns the
 * length. */
size_t kanon__csv_unescape(char *buffer, const kanon__cell *cell);
/* KANON_EDATA at the current row: "FILE:LINE: COLUMN: ..." with the name of column `column` of the header. */
kanon_status kanon__csv_fail(const kanon__csv *csv, int column, kanon_error *err, const char *format, ...)
    KANON__PRINTF(4, 5);
/* The bytes of the UTF-8 character at `at`, which is not ASCII; 0 where it is none. */
size_t kanon__csv_character(const char *at, const char *end);
/* The line on which row `row` begins, by reading from the start; 0 where there is no such row. For messages only. */
int64_t kanon__csv_line_of_row(const kanon__input *input, const kanon__csv_options *options, int64_t row);

#endif
