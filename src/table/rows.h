/* From bytes to the dictionary codes of every row: the first half of reading a table. */
#ifndef KANON_TABLE_ROWS_H
#define KANON_TABLE_ROWS_H

#include "core/ticker.h"
#include "table/table.h"

/* What is read, and where it goes. */
typedef struct kanon__rows {
    kanon_table *table; /* gets its number of rows and its marks */
    const int *wanted;  /* the columns whose cells are kept */
    int n_wanted;
    kanon__dictionary *dictionaries; /* by column: its texts in the order in which they first appear */
    kanon__codes *raw;               /* by column: the dictionary code of each row */
    int64_t memory;                  /* bytes that may be used; 0: any number */
    int threads;
    const kanon__ticker *ticker;
} kanon__rows;

/* Read all rows of the table's input: in parts on several threads where it is large and memory is no matter. What comes out,
 * errors included, does not depend on the number of threads. */
kanon_status kanon__rows_read(kanon__rows *rows, kanon_error *err);

#endif
