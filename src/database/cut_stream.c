/* See cut_stream.h. A batch is shared by its slices, and released with the last of them. A slice has no offset, which DuckDB
 * would not look at: its buffers begin later, so cuts are at multiples of eight rows. */
#include "database/cut_stream.h"

#include "core/alloc.h"
#include "core/context.h"
#include "database/gather_columns.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

/* A batch that was taken from the other stream. */
typedef struct shared_batch {
    atomic_int references;
    struct ArrowArray batch;
} shared_batch;

typedef struct cut_stream {
    const kanon_context *context;
    struct ArrowArrayStream in;
    int64_t most, next;              /* row of the batch */
    shared_batch *now;               /* NULL: none */
    kanon__gathered_column *columns; /* how they lie */
    int n_columns;
} cut_stream;

static void drop_batch(shared_batch *s)
{
    if (s == NULL || atomic_fetch_sub(&s->references, 1) > 1)
        return;
    if (s->batch.release != NULL)
        s->batch.release(&s->batch);
    kanon__free(s);
}

static void release_column(struct ArrowArray *array)
{
    shared_batch *s = array->private_data;
    array->release = NULL;
    drop_batch(s);
}

enum { MOST_BUFFERS = 3 };

/* What is behind a slice. */
typedef struct slice {
    shared_batch *from;
    struct ArrowArray **list, *columns;
    const void **buffers;
} slice;

static void free_slice(slice *s)
{
    if (s == NULL)
        return;
    kanon__free(s->list);
    kanon__free(s->columns);
    kanon__free(s->buffers);
    kanon__free(s);
}

static void release_slice(struct ArrowArray *array)
{
    slice *s = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
    array->release = NULL;
    drop_batch(s->from);
    free_slice(s);
}

/* The bytes that come before row `first` of the buffer with values or offsets. */
static int64_t bytes_before(const kanon__gathered_column *c, int64_t first)
{
    return c->layout == KANON__LAYOUT_BITS ? first / 8 : first * c->width;
}

/* Whether the columns of a batch can be cut: nothing has an offset, and all layouts are known. */
static bool can_be_cut(const cut_stream *c, const struct ArrowArray *batch)
{
    bool can = batch->offset == 0 && batch->n_children == c->n_columns;
    for (int i = 0; can && i < c->n_columns; i++)
        can = batch->children[i]->offset == 0 && batch->children[i]->n_buffers <= MOST_BUFFERS &&
              c->columns[i].layout != KANON__LAYOUT_OTHER;
    return can;
}

static void cut_column(struct ArrowArray *out, const void **buffers, const kanon__gathered_column *c, int64_t first,
                       int64_t n)
{
    for (int64_t i = 0; i < out->n_buffers; i++)
        buffers[i] = out->buffers[i];
    if (buffers[0] != NULL)
        buffers[0] = (const char *)buffers[0] + first / 8;
    buffers[1] = (const char *)buffers[1] + bytes_before(c, first);
    out->buffers = buffers;
    out->length = n;
    out->null_count = 0; /* counted: DuckDB takes -1 for none */
    for (int64_t i = 0; buffers[0] != NULL && i < n; i++)
        out->null_count += (((const unsigned char *)buffers[0])[i >> 3] >> (i & 7) & 1) == 0;
}

static kanon_status make_slice(struct ArrowArray *out, const cut_stream *c, int64_t first, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const struct ArrowArray *batch = &c->now->batch;
    slice *s = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "a batch", err), out);
    KANON_TRY(kanon__new_array(&s->list, batch->n_children, "a batch", err), out);
    KANON_TRY(kanon__new_array(&s->columns, batch->n_children, "a batch", err), out);
    KANON_TRY(kanon__new_array(&s->buffers, batch->n_children * MOST_BUFFERS, "a batch", err), out);
    s->from = c->now;
    for (int64_t i = 0; i < batch->n_children; i++) {
        s->columns[i] = *batch->children[i];
        if (n < batch->length)
            cut_column(&s->columns[i], s->buffers + i * MOST_BUFFERS, &c->columns[i], first, n);
        s->columns[i].release = release_column;
        s->columns[i].private_data = c->now;
        s->list[i] = &s->columns[i];
    }
    atomic_fetch_add(&c->now->references, (int)batch->n_children + 1);
    *out = *batch;
    out->length = n;
    out->children = s->list;
    out->release = release_slice;
    out->private_data = s;
    s = NULL;
out:
    free_slice(s);
    return st;
}

/* The next batch that has rows; none at the end. */
static int take_batch(cut_stream *c)
{
    while (c->now == NULL || c->next >= c->now->batch.length) {
        kanon_error ignored = KANON_INIT(kanon_error);
        drop_batch(c->now);
        c->now = NULL;
        c->next = 0;
        if (kanon__new_array(&c->now, 1, "a batch", &ignored) != KANON_OK)
            return ENOMEM;
        atomic_init(&c->now->references, 1);
        int code = c->in.get_next(&c->in, &c->now->batch);
        if (code != 0 || c->now->batch.release == NULL)
            return code;
    }
    return 0;
}

static int cut_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    cut_stream *c = stream->private_data;
    kanon__call call;
    kanon_error ignored = KANON_INIT(kanon_error);
    *out = (struct ArrowArray){0};
    kanon__call_begin(&call, c->context);
    int code = take_batch(c);
    if (code == 0 && c->now->batch.release != NULL) {
        int64_t left = c->now->batch.length - c->next;
        int64_t n = left < c->most ? left : c->most;
        if (c->now->batch.length > c->most && !can_be_cut(c, &c->now->batch))
            code = EINVAL;
        else if (make_slice(out, c, c->next, n, &ignored) != KANON_OK)
            code = ENOMEM;
        c->next += n;
    }
    kanon__call_end(&call, KANON_OK);
    return code;
}

static int cut_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    cut_stream *c = stream->private_data;
    return c->in.get_schema(&c->in, out);
}

static const char *cut_error(struct ArrowArrayStream *stream)
{
    cut_stream *c = stream->private_data;
    return c->in.get_last_error != NULL ? c->in.get_last_error(&c->in) : NULL;
}

static void cut_release(struct ArrowArrayStream *stream)
{
    cut_stream *c = stream->private_data;
    drop_batch(c->now);
    if (c->in.release != NULL)
        c->in.release(&c->in);
    kanon__free(c->columns);
    kanon__free(c);
    stream->release = NULL;
}

/* How the columns lie; of dictionaries, their indices. */
static kanon_status read_layouts(cut_stream *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    struct ArrowSchema schema = {0};
    if (c->in.get_schema(&c->in, &schema) != 0)
        return kanon__fail(err, KANON_ENOMEM, "out of memory");
    KANON_TRY(kanon__new_array(&c->columns, schema.n_children, "columns", err), out);
    c->n_columns = (int)schema.n_children;
    for (int i = 0; i < c->n_columns; i++) {
        struct ArrowSchema rows = *schema.children[i];
        rows.dictionary = NULL;
        kanon__layout_find(&c->columns[i], &rows);
    }
out:
    schema.release(&schema);
    return st;
}

kanon_status kanon__cut_stream(struct ArrowArrayStream *out, struct ArrowArrayStream *in, int64_t most, kanon_error *err)
{
    kanon_status st = KANON_OK;
    cut_stream *c = NULL;
    KANON_TRY(kanon__new_array(&c, 1, "a stream", err), out);
    c->context = kanon__call_context();
    c->most = most;
    c->in = *in;
    in->release = NULL;
    KANON_TRY(read_layouts(c, err), out);
    *out = (struct ArrowArrayStream){.get_schema = cut_schema,
                                     .get_next = cut_next,
                                     .get_last_error = cut_error,
                                     .release = cut_release,
                                     .private_data = c};
    c = NULL;
out:
    if (c != NULL)
        cut_release(&(struct ArrowArrayStream){.private_data = c});
    if (in->release != NULL)
        in->release(in);
    return st;
}
