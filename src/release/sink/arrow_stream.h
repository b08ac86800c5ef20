/* A finished release as an Arrow stream. The batches are complete before the stream is there: get_next moves one out and
 * cannot fail. */
#ifndef KANON_RELEASE_SINK_ARROW_STREAM_H
#define KANON_RELEASE_SINK_ARROW_STREAM_H

#include "core/arrow_block.h"

typedef struct kanon__arrow_batches {
    kanon__arrow_field *fields;
    int n_fields;
    struct ArrowArray *batches; /* arrays of records */
    int64_t n_batches;
} kanon__arrow_batches;

void kanon__arrow_batches_free(kanon__arrow_batches *batches);
/* The stream takes the batches over in any case. */
kanon_status kanon__arrow_stream_init(struct ArrowArrayStream *out, kanon__arrow_batches *batches, kanon_error *err);

#endif
