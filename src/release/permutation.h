/* Permuted columns (schema: permute): inside a group each row shows the cell of a row of the same group, so that the rows no
 * longer tell whose value it is. The values of a group stay the values of the group.
 *
 *     row   group   weekly hours in the input   shows the cell of row   released
 *     1     7       40                          3                       55
 *     2     7       20                          2                       20
 *     3     7       55                          1                       40
 *
 * The places are drawn anew for each column, from the shuffle of hashes under a secret: the seed and the content of the whole
 * table (docs/decisions/0031-places-of-permuted-cells.md). They do not depend on the order of the table, on the kind of input,
 * or on the number of threads. Suppressed records are a group like any other. */
#ifndef KANON_RELEASE_PERMUTATION_H
#define KANON_RELEASE_PERMUTATION_H

#include "table/read/table.h"

typedef struct kanon__permuted_column {
    int column;
    int32_t *from; /* by row: the row whose cell it shows */
    /* the cells of all rows as they stand in the source, quotes included */
    char *bytes;
    int64_t capacity;
    int64_t *ends;        /* by row */
    unsigned char *marks; /* by row: what kanon__cell says beside the text */
} kanon__permuted_column;

typedef struct kanon__permutation {
    const kanon_table *table;
    int n;
    kanon__permuted_column *columns;
    int *place_of; /* by column of the table: its place in `columns`; -1: it is not permuted */
} kanon__permutation;

/* *out is NULL where no column is permuted. `group_of` is as in kanon_grouping. */
kanon_status kanon__permutation_new(kanon__permutation **out, const kanon_table *table, const int32_t *group_of, uint64_t seed,
                                    int threads, kanon_error *err);
void kanon__permutation_free(kanon__permutation *permutation);

/* NULL: the column is released as it is. `permutation` may be NULL. */
static inline const kanon__permuted_column *kanon__permuted(const kanon__permutation *permutation, int column)
{
    return permutation != NULL && permutation->place_of[column] >= 0 ? &permutation->columns[permutation->place_of[column]]
                                                                     : NULL;
}

/* The cell that a row shows, as a cursor would give it; its text lies in the permutation. */
kanon__cell kanon__permuted_cell(const kanon__permuted_column *column, int64_t row);

#endif
