/* Tables wherever they are: the one place where a location becomes the rows of a table. Text in a file or on standard
 * input is CSV, packed or not; Parquet files, tables of SQLite files and what ADBC drivers reach (database/location.h)
 * are Arrow streams. */
#ifndef KANON_TABLE_SOURCE_OPEN_TABLE_H
#define KANON_TABLE_SOURCE_OPEN_TABLE_H

#include "table/read/csv_source.h"
#include "table/text/input.h"

/* The bytes, or the stream, of the table at `location`. */
kanon_status kanon__table_input_open(kanon__input *out, const char *location, kanon_error *err);
/* Open the table that a caller gives (core/take_input.h says what `before` is), and say in *how, as far as the caller does,
 * how it is to be read where it is CSV. */
kanon_status kanon__table_input_take(kanon__input *out, kanon__csv_reading *how, const kanon_input *given,
                                     kanon_status before, kanon_error *err);
/* The same of what cannot have more than `most` bytes: kanon__input_open_upto. */
kanon_status kanon__table_input_take_upto(kanon__input *out, kanon__csv_reading *how, const kanon_input *given,
                                          uint64_t most, const char *what, kanon_status before, kanon_error *err);
/* The rows of an input, which is taken over in any case; `how` is for CSV. */
kanon_status kanon__table_source_new(kanon__source **out, kanon__input *input, const kanon__csv_reading *how,
                                     kanon_error *err);
/* The same, ready for a cursor. */
kanon_status kanon__table_source_read(kanon__source **out, kanon__input *input, const kanon__csv_reading *how,
                                      const kanon__ticker *ticker, kanon_error *err);
/* Read an Arrow stream to its end, if the source is one; what opens a cursor without having read the source does this
 * first. */
kanon_status kanon__table_source_load(kanon__source *source, int threads, const kanon__ticker *ticker, kanon_error *err);

#endif
