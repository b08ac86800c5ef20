/* A part table: some rows of a table as a table of their own, with the ranges and domains of the whole.
 *
 * Only the codes are copied, row by row; dictionaries, taxonomies, schema and source are shared. So costs in the part are
 * costs in the whole, and the part is what its codes take: 1, 2 or 4 bytes per cell.
 *
 * Called by partition/row_run.c. */
#ifndef KANON_PARTITION_PART_TABLE_H
#define KANON_PARTITION_PART_TABLE_H

#include "table/table.h"

/* The whole table's columns with the codes of the given rows; all else is shared, so it must outlive *out. */
kanon_status kanon__part_table_init(kanon_table *out, const kanon_table *whole, const int32_t *rows, int64_t n,
                                    kanon_error *err);
void kanon__part_table_clear(kanon_table *part);

#endif
