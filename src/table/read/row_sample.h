/* Some rows of a source, as texts and codes: what is enough to judge what columns are. Few rows are all read. Of many rows,
 * one in fifty is, within limits: from the beginning of some parts of the source, since records of a person may be side by
 * side or far apart, or evenly where nobody knows its parts yet. */
#ifndef KANON_TABLE_ROW_SAMPLE_H
#define KANON_TABLE_ROW_SAMPLE_H

#include "table/text/source.h"

typedef struct kanon__row_sample {
    int n_columns;
    int64_t n_rows;                  /* that were read */
    kanon__dictionary *dictionaries; /* by column; empty where it was not wanted */
    kanon__codes *codes;             /* likewise */
    uint32_t *null_codes;            /* likewise; KANON__NO_CODE: no cell is null */
} kanon__row_sample;

/* How many of so many rows are read. */
int64_t kanon__row_sample_size(int64_t n_rows);
/* `n_rows`: those of the source. `wanted` by column. */
kanon_status kanon__row_sample_read(kanon__row_sample *out, const kanon__source *source, int64_t n_rows, const bool *wanted,
                                    kanon_error *err);
void kanon__row_sample_clear(kanon__row_sample *sample);

/* The number of the text in a cell, without the white space at its ends, which is added where it is new. `buffer` is for
 * cells with doubled quotes; it begins as NULL, and the caller frees it. */
typedef struct kanon__cell_buffer {
    char *bytes;
    int64_t capacity;
} kanon__cell_buffer;
kanon_status kanon__cell_number(uint32_t *out, kanon__dictionary *values, const kanon__cell *cell,
                                kanon__cell_buffer *buffer, kanon_error *err);

#endif
