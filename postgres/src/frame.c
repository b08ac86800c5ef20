/* Frames: rows that were read, counted references to them, and streams of them.
 *
 * Whoever drops the last reference frees the rows, wherever that is: these functions know nothing of the server. */
#include "frame.h"

#include <errno.h>

/* ---- memory ---- */

static void array_clear(array *a)
{
    free(a->validity);
    free(a->values);
    free(a->bytes);
}

static void frame_free(frame *f)
{
    for (batch *b = f->first, *next; b != NULL; b = next) {
        next = b->next;
        for (int i = 0; i < f->n; i++)
            array_clear(&b->arrays[i]);
        free(b->arrays);
        free(b);
    }
    for (int i = 0; i < f->n; i++)
        free(f->fields[i].name);
    free(f->fields);
    free(f);
}

static void unreference(frame *f)
{
    if (atomic_fetch_sub(&f->references, 1) == 1)
        frame_free(f);
}

void frame_drop(frame *f)
{
    for (frame **at = &f->owner->frames; *at != NULL; at = &(*at)->next)
        if (*at == f) {
            *at = f->next;
            unreference(f);
            return;
        }
}

int64_t frame_rows(const frame *f)
{
    return f->rows;
}

/* ---- the stream's callbacks, which know nothing of the server ---- */

static void release_schema(struct ArrowSchema *s)
{
    for (int64_t i = 0; i < s->n_children; i++) {
        if (s->children[i]->release != NULL)
            s->children[i]->release(s->children[i]);
        free(s->children[i]);
    }
    free(s->children);
    free((char *)s->format);
    free((char *)s->name);
    s->release = NULL;
}

static int fill_schema(struct ArrowSchema *out, const char *name, const char *format)
{
    *out = (struct ArrowSchema){
        .format = strdup(format), .name = strdup(name), .flags = ARROW_FLAG_NULLABLE, .release = release_schema};
    return out->format == NULL || out->name == NULL ? ENOMEM : 0;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    frame *f = stream->private_data;
    int failed = fill_schema(out, "", "+s");
    out->children = calloc((size_t)f->n + 1, sizeof *out->children);
    for (int i = 0; failed == 0 && i < f->n; i++) {
        struct ArrowSchema *child = out->children == NULL ? NULL : calloc(1, sizeof *child);
        failed = child == NULL ? ENOMEM : 0;
        if (child != NULL) {
            out->children[out->n_children++] = child;
            failed = fill_schema(child, f->fields[i].name, f->fields[i].format);
        }
    }
    if (failed != 0)
        release_schema(out);
    return failed;
}

typedef struct holder {
    frame *owner;
    const void *buffers[3];
} holder;

static void release_array(struct ArrowArray *a)
{
    holder *h = a->private_data;
    for (int64_t i = 0; i < a->n_children; i++) {
        if (a->children[i]->release != NULL)
            a->children[i]->release(a->children[i]);
        free(a->children[i]);
    }
    free(a->children);
    unreference(h->owner);
    free(h);
    a->release = NULL;
}

static int fill_array(struct ArrowArray *out, frame *f, const batch *b, int i)
{
    holder *h = calloc(1, sizeof *h);
    *out = (struct ArrowArray){.length = b->rows};
    if (h == NULL)
        return ENOMEM;
    h->owner = f;
    atomic_fetch_add(&f->references, 1);
    out->private_data = h;
    out->buffers = h->buffers;
    out->release = release_array;
    out->n_buffers = 1;
    if (i < 0)
        return 0;
    static const char empty[1];
    const array *a = &b->arrays[i];
    bool text = f->fields[i].reading == READ_TEXT;
    out->null_count = a->nulls;
    out->n_buffers = text ? 3 : 2;
    h->buffers[0] = a->validity;
    h->buffers[1] = a->values;
    h->buffers[2] = text && a->bytes == NULL ? empty : a->bytes;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    frame *f = stream->private_data;
    const batch *b = f->given == NULL ? f->first : f->given->next;
    if (b == NULL) {
        *out = (struct ArrowArray){0};
        return 0;
    }
    int failed = fill_array(out, f, b, -1);
    if (failed != 0)
        return failed;
    out->children = calloc((size_t)f->n + 1, sizeof *out->children);
    for (int i = 0; failed == 0 && i < f->n; i++) {
        struct ArrowArray *child = out->children == NULL ? NULL : calloc(1, sizeof *child);
        failed = child == NULL ? ENOMEM : fill_array(child, f, b, i);
        if (failed == 0)
            out->children[out->n_children++] = child;
        else
            free(child);
    }
    if (failed != 0)
        release_array(out);
    else
        f->given = b;
    return failed;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "out of memory";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    unreference(stream->private_data);
    stream->release = NULL;
}

void frame_stream(struct ArrowArrayStream *out, frame *f)
{
    f->given = NULL;
    atomic_fetch_add(&f->references, 1);
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, f};
}
