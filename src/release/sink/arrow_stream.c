/* See arrow_stream.h. The callbacks of an ArrowArrayStream over batches that are complete. */
#include "release/sink/arrow_stream.h"

#include "core/alloc.h"
#include "core/context.h"

#include <errno.h>

typedef struct stream_block {
    const kanon_context *context;
    kanon__arrow_batches *batches;
    int64_t next;
    kanon_error last; /* of the last call */
} stream_block;

void kanon__arrow_batches_free(kanon__arrow_batches *b)
{
    if (b == NULL)
        return;
    for (int64_t i = 0; b->batches != NULL && i < b->n_batches; i++)
        kanon__arrow_array_clear(&b->batches[i]);
    kanon__free(b->batches);
    for (int i = 0; b->fields != NULL && i < b->n_fields; i++)
        kanon__arrow_field_clear(&b->fields[i]);
    kanon__free(b->fields);
    kanon__free(b);
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    stream_block *s = stream->private_data;
    kanon__call call;
    s->last = (kanon_error)KANON_INIT(kanon_error);
    kanon__call_begin(&call, s->context);
    kanon_status st = kanon__call_end(
        &call, kanon__arrow_schema_init(out, s->batches->fields, s->batches->n_fields, &s->last));
    return st == KANON_OK ? 0 : ENOMEM;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    stream_block *s = stream->private_data;
    s->last = (kanon_error)KANON_INIT(kanon_error);
    *out = (struct ArrowArray){0}; /* released: the end */
    if (s->next < s->batches->n_batches) {
        struct ArrowArray *batch = &s->batches->batches[s->next++];
        *out = *batch;
        batch->release = NULL;
    }
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const stream_block *s = stream->private_data;
    return s->last.message[0] != '\0' ? s->last.message : NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream_block *s = stream->private_data;
    kanon__arrow_batches_free(s->batches);
    kanon__free(s);
    stream->release = NULL;
}

kanon_status kanon__arrow_stream_init(struct ArrowArrayStream *out, kanon__arrow_batches *batches, kanon_error *err)
{
    stream_block *s = NULL;
    kanon_status st = kanon__new_array(&s, 1, "an Arrow stream", err);
    if (st != KANON_OK) {
        kanon__arrow_batches_free(batches);
        return st;
    }
    s->batches = batches;
    s->context = kanon__call_context();
    *out = (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release_stream,
                                     .private_data = s};
    return KANON_OK;
}
