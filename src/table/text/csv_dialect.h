/* What csv.c asks about a file before it reads the first line: where the rows begin and end, and what separates
 * cells. */
#ifndef KANON_TABLE_CSV_DIALECT_H
#define KANON_TABLE_CSV_DIALECT_H

#include "table/text/csv.h"

/* Set position (past the byte order mark), end and delimiter. KANON_EDATA: an empty file, or lines that end with CR alone;
 * KANON_EINVAL: a delimiter that cannot be one. */
kanon_status kanon__csv_find_dialect(kanon__csv *csv, const kanon__csv_options *options, kanon_error *err);

#endif
