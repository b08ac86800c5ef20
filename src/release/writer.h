/* Writing a release and a groups file. */
#ifndef KANON_RELEASE_WRITER_H
#define KANON_RELEASE_WRITER_H

#include "core/output.h"
#include "core/ticker.h"
#include "release/recode.h"

/* Told of every row as it is written, with the cells of the input. */
typedef kanon_status (*kanon__row_watcher)(int64_t row, int64_t group, const kanon__cell *cells, void *payload,
                                           kanon_error *err);

/* The input's columns in order without the identifying ones, quasi cells as recoded, all else byte for byte as it was.
 * `order` (NULL: as in the input) gives the rows in the order in which they are written. */
kanon_status kanon__release_write(kanon__output *output, const kanon_table *table, const int32_t *group_of,
                                  const kanon__recoding *recoding, const int32_t *order, kanon__ticker *ticker,
                                  kanon_error *err, kanon__row_watcher watcher, void *payload);
/* CSV with the columns row and group, both from 1, in input order; group 0 is a suppressed record. */
void kanon__groups_write(kanon__output *output, const int32_t *group_of, int64_t n_rows);

#endif
