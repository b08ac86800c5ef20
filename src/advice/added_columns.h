/* Columns that are released as they are, encoded so that a trial can make them quasi-identifiers. */
#ifndef KANON_ADVICE_ADDED_COLUMNS_H
#define KANON_ADVICE_ADDED_COLUMNS_H

#include "table/read/table.h"

enum { KANON__MOST_ADDED = 4 };

/* The data of the table with some of its insensitive columns encoded: those whose values repeat, the first ones. */
typedef struct kanon__added_columns {
    kanon__data data; /* all else is the table's */
    int columns[KANON__MOST_ADDED];
    int n;
} kanon__added_columns;

/* Whether a column is one that may be added: released as it is, in its own row, and not who the person is. */
bool kanon__column_can_be_added(const kanon__data *data, int column);
/* Reads the source again where there are such columns. */
kanon_status kanon__added_columns_read(kanon__added_columns *out, const kanon_table *table, int threads,
                                       kanon__ticker *ticker, kanon_error *err);
void kanon__added_columns_clear(kanon__added_columns *added);

#endif
