/* Rows of an Arrow stream: what arrow_source.c (opening, cursors) and arrow_rows.c (reading all rows once) share.
 *
 * The source keeps the schema and all batches that have rows, and releases them when it is freed. The stream is released as
 * soon as it has ended.
 *
 *     batches[0]  rows 0 .. 999        batch_rows   0  1000  1500  4000
 *     batches[1]  rows 1000 .. 1499    a batch may have any number of rows; parts of the source are cut regardless of
 *     batches[2]  rows 1500 .. 3999    batches */
#ifndef KANON_TABLE_SOURCE_ARROW_SOURCE_H
#define KANON_TABLE_SOURCE_ARROW_SOURCE_H

#include "table/read/arrow_view.h"
#include "table/text/source.h"

typedef struct kanon__arrow_source {
    kanon__source base; /* first, so that a pointer to it is one to the whole */
    struct ArrowArrayStream stream; /* released: it was read to its end */
    struct ArrowSchema schema;      /* of a batch */
    kanon__arrow_type *types;       /* by column */
    struct ArrowArray *batches;     /* checked */
    int64_t n_batches;
    int64_t *batch_rows; /* the first row of each batch, and the number of rows */
    int64_t batches_capacity, batch_rows_capacity;
} kanon__arrow_source;

/* The rows of `stream`, which is moved in any case; `name` (NULL: that of any stream) stands in messages. The schema is read
 * here, the batches by kanon__arrow_source_load. */
kanon_status kanon__arrow_source_new(kanon__source **out, struct ArrowArrayStream *stream, const char *name,
                                     kanon_error *err);
/* Read the stream to its end on the calling thread, and check all arrays. Done by the class's read, too; whoever opens a
 * cursor without that calls it first. Nothing happens the second time. */
kanon_status kanon__arrow_source_load(kanon__source *source, int threads, const kanon__ticker *ticker, kanon_error *err);
/* The source as one of Arrow; NULL where it is none. */
const kanon__arrow_source *kanon__arrow_source_of(const kanon__source *source);
/* The class's read: distinct values become texts and codes. */
kanon_status kanon__arrow_source_read(kanon__source *source, kanon__raw_columns *columns, kanon_error *err);

/* The batch of a row. */
int64_t kanon__arrow_source_batch(const kanon__arrow_source *source, int64_t row);
/* The rows of a batch, of one column. */
kanon__arrow_view kanon__arrow_source_view(const kanon__arrow_source *source, int64_t batch, int column);

#endif
