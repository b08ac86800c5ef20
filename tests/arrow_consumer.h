/* A consumer of Arrow streams, written from the specification: reads all batches and prints values. */
#ifndef KANON_TESTS_ARROW_CONSUMER_H
#define KANON_TESTS_ARROW_CONSUMER_H

#include <kanon_arrow.h>

#include <stdbool.h>
#include <stdio.h>

typedef struct arrow_taken {
    struct ArrowSchema schema;
    struct ArrowArray *batches;
    int64_t n_batches, n_rows;
} arrow_taken;

/* Read the stream to its end and release it. Aborts where it does not keep to the interface. */
arrow_taken arrow_take(struct ArrowArrayStream *stream);
void arrow_taken_clear(arrow_taken *taken);
/* The value as text, to be freed; NULL: null. Dates as YYYY-MM-DD, decimals with their point, timestamps as whole
 * numbers. */
char *arrow_taken_cell(const arrow_taken *taken, int64_t row, int64_t column);
/* All of it as text, to be freed: "name:format,..." in the first line, then one line per record, null as "-", batches apart
 * by "--". */
char *arrow_taken_print(const arrow_taken *taken);

#endif
