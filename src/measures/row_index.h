/* The rows of a table in the order of one attribute's codes, so that the rows whose codes lie in a range are a slice; and
 * sets of rows as bits, so that the rows that lie in several ranges at once are counted 64 at a time.
 *
 *     rows in order   0 . . . 1 . . . 2 . . . 3 . . . 4        prefix sets: the rows before each mark
 *     slice                 [-----------)                      set 2 xor set 1 xor the rows between marks and ends */
#ifndef KANON_MEASURES_ROW_INDEX_H
#define KANON_MEASURES_ROW_INDEX_H

#include "table/read/table.h"

typedef struct kanon__row_index {
    kanon__codes codes; /* of the column */
    int32_t *rows;      /* with a value, by code */
    int64_t n;
    int64_t step;       /* rows between two marks */
    int64_t n_words;    /* of a set */
    uint64_t *prefixes; /* one set per mark */
} kanon__row_index;

/* Rows whose value is missing are in no slice. */
kanon_status kanon__row_index_init(kanon__row_index *out, const kanon__column *column, int64_t n_rows, kanon_error *err);
void kanon__row_index_clear(kanon__row_index *index);
/* How many rows have a code below `code`: where its slice begins. */
int64_t kanon__row_index_before(const kanon__row_index *index, uint32_t code);
/* The slice from `begin` up to but not including `end` as a set of n_words words, one bit per row of the table. */
void kanon__row_index_slice(const kanon__row_index *index, uint64_t *set, int64_t begin, int64_t end);

#endif
