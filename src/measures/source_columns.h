/* Columns of a source that were not encoded, as codes of their texts: read again, some at a time, so that a wide table needs
 * no more memory than a narrow one. */
#ifndef KANON_MEASURES_SOURCE_COLUMNS_H
#define KANON_MEASURES_SOURCE_COLUMNS_H

#include "core/ticker.h"
#include "table/text/source.h"

/* The i-th of the columns; its codes lie below n_codes, and last until the visit ends. */
typedef kanon_status (*kanon__column_visit)(void *payload, int i, kanon__codes codes, uint32_t n_codes, kanon_error *err);

/* Visit each of the columns, in their order. The source has n_rows. */
kanon_status kanon__source_columns(kanon__source *source, int64_t n_rows, const int *columns, int n_columns, int threads,
                                   kanon__ticker *ticker, kanon__column_visit visit, void *payload, kanon_error *err);

#endif
