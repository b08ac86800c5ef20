/* See batch.h. */
#include "database/batch.h"

#include "core/alloc.h"
#include "core/context.h"
#include "database/gather_columns.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { GATHER_ROWS = 65536, WORTH_CODES = 4096, RARE = 8 };

/* No more is gathered once there is so much text: offsets of four bytes must reach its end. */
static const int64_t most_text = (int64_t)1 << 28;

/* How the texts of an encoded column are marked, as the metadata of its field: one pair of a key and no value. */
static const char encoded_mark[] = "\1\0\0\0\xa\0\0\0kanon.text\0\0\0\0";
static const char encoded_untyped_mark[] = "\1\0\0\0\xa\0\0\0kanon.cell\0\0\0\0";
const char kanon__batch_untyped_mark[] = "\1\0\0\0\xa\0\0\0kanon.any_\0\0\0\0";

bool kanon__batch_is_encoded(const struct ArrowSchema *column)
{
    return column->metadata == encoded_mark || column->metadata == encoded_untyped_mark;
}

bool kanon__batch_is_untyped(const struct ArrowSchema *column)
{
    return column->metadata == kanon__batch_untyped_mark || column->metadata == encoded_untyped_mark;
}

/* ---- batches ------------------------------------------------------------------------------------------------------ */

typedef struct batch_stream {
    const kanon_context *context;
    struct ArrowArrayStream in;
    kanon__waiting waiting;
    size_t n_bytes; /* of blocks so far */
    bool gathers;   /* else batches are passed on as they come */
    bool ended;
    kanon_error last;
} batch_stream;

static int fail_code(batch_stream *g, int code, const char *what)
{
    snprintf(g->last.message, sizeof g->last.message, "%s", what);
    return code;
}

/* Take the next batch of the driver, whose words about a failure may hold anything: they are not passed on. */
static int fetch(batch_stream *g, struct ArrowArray *passed)
{
    struct ArrowArray batch = {0};
    int code = g->in.get_next(&g->in, &batch);
    if (code != 0)
        return fail_code(g, code == ENOMEM || code == ECANCELED ? code : EIO, "the rows could not be read to their end");
    g->ended = batch.release == NULL;
    if (g->ended || passed != NULL) {
        if (passed != NULL)
            *passed = batch;
        return 0;
    }
    kanon_status st = kanon__waiting_add(&g->waiting, &batch, &g->last);
    return st == KANON_OK ? 0 : st == KANON_ENOMEM ? ENOMEM : EIO;
}

/* As many batches as one is to be made of. */
static int fetch_many(batch_stream *g)
{
    int code = 0;
    while (code == 0 && !g->ended && g->waiting.n_rows < GATHER_ROWS && g->waiting.text_bytes < most_text)
        code = fetch(g, NULL);
    return code;
}

static int gather_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    batch_stream *g = stream->private_data;
    kanon__call call;
    kanon_status st = KANON_OK;
    *out = (struct ArrowArray){0};
    g->last = (kanon_error)KANON_INIT(kanon_error);
    kanon__call_begin(&call, g->context);
    int code = g->gathers ? fetch_many(g) : fetch(g, out);
    if (code == 0 && g->waiting.n_rows > 0)
        st = kanon__waiting_gather(out, &g->waiting, &g->n_bytes, &g->last);
    kanon__call_end(&call, st);
    return code != 0 ? code : st == KANON_OK ? 0 : st == KANON_ENOMEM ? ENOMEM : EIO;
}

/* ---- the schema ---------------------------------------------------------------------------------------------------- */

/* What a gathered column says of its texts. */
static const char *mark_of(const struct ArrowSchema *in, bool encoded)
{
    if (kanon__batch_is_untyped(in))
        return encoded ? encoded_untyped_mark : kanon__batch_untyped_mark;
    return encoded ? encoded_mark : NULL;
}

/* The schema of gathered batches: one level of columns, some of them encoded. It is a copy: what is the driver's must not
 * stay on its heap (core/errand.h). */
static kanon_status copy_schema(struct ArrowSchema *out, const struct ArrowSchema *in, const kanon__waiting *w,
                                kanon_error *err)
{
    kanon__arrow_field *fields = NULL;
    kanon_status st = kanon__new_array(&fields, w->n_columns, "columns", err);
    for (int i = 0; st == KANON_OK && i < w->n_columns; i++) {
        const struct ArrowSchema *column = in->children[i];
        bool encoded = w->columns[i].encoded;
        fields[i] = (kanon__arrow_field){.name = column->name != NULL ? column->name : "",
                                         .format = encoded ? "i" : column->format,
                                         .metadata = mark_of(column, encoded),
                                         .flags = column->flags,
                                         .entry_format = encoded ? "u" : NULL};
    }
    if (st == KANON_OK)
        st = kanon__arrow_schema_init(out, fields, w->n_columns, err);
    kanon__free(fields);
    return st;
}

static int gather_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    batch_stream *g = stream->private_data;
    struct ArrowSchema given = {0};
    kanon__call call;
    kanon_status st = KANON_OK;
    g->last = (kanon_error)KANON_INIT(kanon_error);
    int code = g->in.get_schema(&g->in, g->gathers ? &given : out);
    if (code != 0)
        return fail_code(g, code == ENOMEM ? ENOMEM : EIO, "the columns could not be read");
    if (!g->gathers)
        return 0;
    kanon__call_begin(&call, g->context);
    if (given.release == NULL || given.n_children != g->waiting.n_columns)
        st = kanon__fail(&g->last, KANON_EIO, "the columns could not be read");
    else
        st = copy_schema(out, &given, &g->waiting, &g->last);
    if (given.release != NULL)
        given.release(&given);
    kanon__call_end(&call, st);
    return st == KANON_OK ? 0 : st == KANON_ENOMEM ? ENOMEM : EIO;
}

static const char *gather_error(struct ArrowArrayStream *stream)
{
    const batch_stream *g = stream->private_data;
    return g->last.message[0] != '\0' ? g->last.message : NULL;
}

static void gather_release(struct ArrowArrayStream *stream)
{
    batch_stream *g = stream->private_data;
    kanon__waiting_clear(&g->waiting);
    if (g->in.release != NULL) /* last: what is free then is given back (kanon__driver_rest) */
        g->in.release(&g->in);
    kanon__free(g);
    stream->release = NULL;
}

/* Whether every column has a layout that can be gathered. */
static kanon_status read_layouts(batch_stream *g, bool *all, kanon_error *err)
{
    kanon_status st = KANON_OK;
    struct ArrowSchema schema = {0};
    kanon__waiting *w = &g->waiting;
    *all = g->in.get_schema(&g->in, &schema) == 0 && schema.release != NULL && schema.n_children > 0;
    if (*all) {
        w->n_columns = (int)schema.n_children;
        KANON_TRY(kanon__new_array(&w->columns, w->n_columns, "columns", err), out);
        for (int i = 0; i < w->n_columns; i++) {
            kanon__layout_find(&w->columns[i], schema.children[i]);
            *all = *all && w->columns[i].layout != KANON__LAYOUT_OTHER;
        }
    }
out:
    if (schema.release != NULL)
        schema.release(&schema);
    return st;
}

/* Which texts are worth a dictionary: those of which the first rows have few different ones. */
static kanon_status choose_encoded(batch_stream *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__waiting *w = &g->waiting;
    int code = fetch_many(g);
    if (code != 0)
        return kanon__fail(err, code == ENOMEM ? KANON_ENOMEM : KANON_EIO, "%s", g->last.message);
    for (int i = 0; w->n_rows >= WORTH_CODES && i < w->n_columns; i++)
        if (w->columns[i].layout == KANON__LAYOUT_TEXT) {
            KANON_TRY(kanon__waiting_encode(w, i, err), out);
            w->columns[i].encoded = w->columns[i].codes.n_entries < w->n_rows / RARE;
            if (!w->columns[i].encoded)
                kanon__text_codes_clear(&w->columns[i].codes);
        }
out:
    return st;
}

kanon_status kanon__gathered_stream(struct ArrowArrayStream *out, struct ArrowArrayStream *in, bool encode,
                                    const char *called, kanon_error *err)
{
    kanon_status st = KANON_OK;
    batch_stream *g = NULL;
    kanon_error inner = KANON_INIT(kanon_error);
    out->release = NULL;
    KANON_TRY(kanon__new_array(&g, 1, "a stream", err), out);
    g->context = kanon__call_context();
    g->in = *in;
    in->release = NULL;
    KANON_TRY(read_layouts(g, &g->gathers, err), out);
    if (encode && g->gathers) {
        st = choose_encoded(g, &inner);
        if (st != KANON_OK) {
            kanon__fail(err, st, "%s: %s", called, inner.message);
            goto out;
        }
    }
    *out = (struct ArrowArrayStream){.get_schema = gather_schema,
                                     .get_next = gather_next,
                                     .get_last_error = gather_error,
                                     .release = gather_release,
                                     .private_data = g};
    g = NULL;
out:
    if (g != NULL)
        gather_release(&(struct ArrowArrayStream){.private_data = g});
    if (in->release != NULL)
        in->release(in);
    return st;
}
