/* Some rows of a table as a table of their own, with the ranges and domains of the whole. */
#ifndef KANON_PARTITION_PART_TABLE_H
#define KANON_PARTITION_PART_TABLE_H

#include "table/table.h"

/* The whole table's columns with the codes of the given rows; all else is shared, so it must outlive *out. */
kanon_status kanon__part_table_init(kanon_table *out, const kanon_table *whole, const int32_t *rows, int64_t n,
                                    kanon_error *err);
void kanon__part_table_clear(kanon_table *part);

#endif
