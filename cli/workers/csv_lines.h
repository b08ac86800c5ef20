/* A reader of lines, written for the last check and for dividing rows and what kanon_publish writes: quotes, delimiters
 * and line ends, nothing else. It shares no code with the library. */
#ifndef KANON_CLI_CSV_LINES_H
#define KANON_CLI_CSV_LINES_H

#include <stddef.h>

/* Past the end of the line that begins at `at`: behind its line break, or `end`. Line breaks in quotes are text. */
const char *csv_line_end(const char *at, const char *end);
/* One cell of a line, as it stands there, quotes included. */
typedef struct csv_text {
    const char *text;
    size_t size;
} csv_text;
/* The cell at *at; *at moves behind its delimiter, or becomes NULL behind the last cell of the line. `end` is the end of the
 * line, where its line break may stand. */
csv_text csv_next_cell(const char **at, const char *end, char delimiter);
/* Whether the cell, without its quotes, is `name` followed by `suffix`. */
int csv_cell_is(csv_text cell, const char *name, const char *suffix);

#endif
