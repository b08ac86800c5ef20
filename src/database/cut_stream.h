/* A stream in smaller batches: slices of those of another stream, without copies. DuckDB (1.5) writes past its memory
 * where a batch that a table is filled with has more rows than it works on at a time. */
#ifndef KANON_DATABASE_CUT_STREAM_H
#define KANON_DATABASE_CUT_STREAM_H

#include "core/status.h"

#include <kanon_arrow.h>

/* The rows of `in`, which is moved in any case, in batches of at most `most` rows, a multiple of eight. It fails
 * where a batch has offsets or a column of unknown layout and would have to be cut. */
kanon_status kanon__cut_stream(struct ArrowArrayStream *out, struct ArrowArrayStream *in, int64_t most, kanon_error *err);

#endif
