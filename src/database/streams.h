/* Tables of databases and Parquet files as Arrow streams, to read. The stream holds what it needs (connection,
 * statement, open file) and ends it when it is released. */
#ifndef KANON_DATABASE_STREAMS_H
#define KANON_DATABASE_STREAMS_H

#include "database/location.h"

#include <kanon_arrow.h>

/* The rows of a location that is no plain file; `encode` as in batch.h. */
kanon_status kanon__stream_open(struct ArrowArrayStream *out, const kanon__location *location, bool encode,
                                kanon_error *err);

/* The kinds of locations, each in a file of its own or in a stub. */
kanon_status kanon__driver_stream_open(struct ArrowArrayStream *out, const kanon__location *location, bool encode,
                                       kanon_error *err);
kanon_status kanon__parquet_stream_open(struct ArrowArrayStream *out, const kanon__location *location, bool encode,
                                        kanon_error *err);
/* The rows as the driver gives them, to be looked at once. */
kanon_status kanon__parquet_stream_back(struct ArrowArrayStream *out, const kanon__location *location, kanon_error *err);
kanon_status kanon__sqlite_stream_open(struct ArrowArrayStream *out, const kanon__location *location, bool encode,
                                       kanon_error *err);

#endif
