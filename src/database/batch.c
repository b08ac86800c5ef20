/* See batch.h. */
#include "database/batch.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/spill.h"
#include "database/text_codes.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { GATHER_ROWS = 65536, ALIGNMENT = 64, PAGE = 4096, WORTH_CODES = 4096, RARE = 8 };

/* Blocks up to so many bytes of a stream stay in memory: the batches of small tables. */
static const size_t kept_in_memory = (size_t)1 << 20;

/* No more is gathered once there is so much text: offsets of four bytes must reach its end. */
static const int64_t most_text = (int64_t)1 << 28;

/* ---- blocks and arrays -------------------------------------------------------------------------------------------- */

typedef struct block {
    atomic_int references;
    char *bytes;
    size_t size, used;
    bool spilled;
} block;

static void drop_block(block *b)
{
    if (b == NULL || atomic_fetch_sub(&b->references, 1) > 1)
        return;
    if (b->spilled)
        kanon__spill_free(b->bytes, b->size);
    else
        kanon__free(b->bytes);
    kanon__free(b);
}

static kanon_status new_block(block **out, size_t size, bool spilled, kanon_error *err)
{
    kanon_status st = KANON_OK;
    block *b = NULL;
    KANON_TRY(kanon__new_array(&b, 1, "a batch", err), out);
    b->references = 1;
    b->size = size;
    b->spilled = spilled;
    if (spilled)
        KANON_TRY(kanon__spill_new((void **)&b->bytes, size, err), out);
    else
        KANON_TRY(kanon__new_array(&b->bytes, (int64_t)size, "a batch", err), out);
    *out = b;
    b = NULL;
out:
    drop_block(b);
    return st;
}

/* What is behind an array of ours. */
typedef struct owned {
    block *memory;
    char *begin; /* of its part of the memory, on a page of its own; NULL: it has none */
    size_t size;
    const void *buffers[3];
    struct ArrowArray *dictionary;
    struct ArrowArray *children; /* of a batch, in one piece with the list of pointers to them */
    struct ArrowArray **list;
} owned;

static void release_array(struct ArrowArray *array)
{
    owned *o = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
    if (o->dictionary != NULL && o->dictionary->release != NULL)
        o->dictionary->release(o->dictionary);
    drop_block(o->memory);
    kanon__free(o->dictionary);
    kanon__free(o->children);
    kanon__free(o->list);
    kanon__free(o);
    array->release = NULL;
}

static kanon_status init_array(struct ArrowArray *out, block *memory, int64_t length, int n_buffers, int n_children,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    owned *o = NULL;
    KANON_TRY(kanon__new_array(&o, 1, "a batch", err), out);
    KANON_TRY(kanon__new_array(&o->children, n_children, "a batch", err), out);
    KANON_TRY(kanon__new_array(&o->list, n_children, "a batch", err), out);
    for (int i = 0; i < n_children; i++)
        o->list[i] = &o->children[i];
    o->memory = memory;
    atomic_fetch_add(&memory->references, 1);
    *out = (struct ArrowArray){.length = length,
                               .n_buffers = n_buffers,
                               .n_children = n_children,
                               .buffers = o->buffers,
                               .children = o->list,
                               .release = release_array,
                               .private_data = o};
    o = NULL;
out:
    if (o != NULL) {
        kanon__free(o->children);
        kanon__free(o->list);
    }
    kanon__free(o);
    return st;
}

void kanon__batch_rest(const struct ArrowArray *column)
{
    if (column->release != release_array)
        return;
    const owned *o = column->private_data;
    if (o->memory->spilled && o->begin != NULL)
        kanon__spill_rest(o->begin, o->size);
}

/* How the texts of an encoded column are marked, as the metadata of its field: one pair of a key and no value. */
static const char encoded_mark[] = "\1\0\0\0\xa\0\0\0kanon.text\0\0\0\0";

bool kanon__batch_is_encoded(const struct ArrowSchema *column)
{
    return column->metadata == encoded_mark;
}

/* ---- layouts ------------------------------------------------------------------------------------------------------ */

kanon__layout kanon__layout_of(const struct ArrowSchema *column, int *width)
{
    static const char *const formats[] = {"cC", "sS", "iIf", "lLg"};
    const char *f = column->format;
    if (f == NULL || column->dictionary != NULL || column->n_children != 0)
        return KANON__LAYOUT_OTHER;
    for (int i = 0; i < 4; i++)
        if (f[0] != '\0' && f[1] == '\0' && strchr(formats[i], f[0]) != NULL) {
            *width = 1 << i;
            return KANON__LAYOUT_FIXED;
        }
    if (strcmp(f, "u") == 0 || strcmp(f, "U") == 0) {
        *width = f[0] == 'u' ? 4 : 8;
        return KANON__LAYOUT_TEXT;
    }
    *width = strcmp(f, "tdD") == 0 ? 4 : 8;
    if (strcmp(f, "tdD") == 0 || strcmp(f, "tdm") == 0 || strncmp(f, "ts", 2) == 0)
        return KANON__LAYOUT_FIXED;
    *width = 16;
    const char *scale = strncmp(f, "d:", 2) == 0 ? strchr(f, ',') : NULL;
    if (scale != NULL && (strchr(scale + 1, ',') == NULL || strcmp(strchr(scale + 1, ','), ",128") == 0))
        return KANON__LAYOUT_FIXED;
    return strcmp(f, "b") == 0 ? KANON__LAYOUT_BITS : KANON__LAYOUT_OTHER;
}

/* ---- batches ------------------------------------------------------------------------------------------------------ */

typedef struct column_layout {
    kanon__layout layout;
    int width;
    bool encoded; /* texts become entries of a dictionary */
} column_layout;

typedef struct batch_stream {
    const kanon_context *context;
    struct ArrowArrayStream in;
    column_layout *columns;
    kanon__text_codes *codes; /* by column, where it is encoded */
    int n_columns;
    struct ArrowArray *waiting; /* batches that are to become one */
    int64_t n_waiting, capacity, n_rows, text_bytes;
    size_t n_bytes; /* of blocks so far */
    bool gathers;   /* else batches are passed on as they come */
    bool ended;
    kanon_error last;
} batch_stream;

static bool bit_at(const void *bits, int64_t i)
{
    return (((const unsigned char *)bits)[i >> 3] >> (i & 7) & 1) != 0;
}

static void set_bit(char *bits, int64_t i)
{
    bits[i >> 3] = (char)((unsigned char)bits[i >> 3] | 1u << (i & 7));
}

static int64_t offset_at(const struct ArrowArray *array, int width, int64_t i)
{
    const char *at = (const char *)array->buffers[1] + (array->offset + i) * width;
    int32_t four;
    int64_t eight;
    if (width == 8) {
        memcpy(&eight, at, 8);
        return eight;
    }
    memcpy(&four, at, 4);
    return four;
}

/* The bytes of the texts of an array; -1: its offsets are wrong, or it has not the buffers of a text. */
static int64_t text_bytes(const struct ArrowArray *array, int width)
{
    if (array->length == 0)
        return 0;
    int64_t begin = offset_at(array, width, 0), end = offset_at(array, width, array->length);
    return begin < 0 || end < begin || (end > begin && array->buffers[2] == NULL) ? -1 : end - begin;
}

/* Whether a driver's array can be copied by its layout. */
static bool is_sound(const struct ArrowArray *array, column_layout c, int64_t length)
{
    int64_t n_buffers = c.layout == KANON__LAYOUT_TEXT ? 3 : 2;
    if (array == NULL || array->release == NULL || array->length < length || array->offset < 0 ||
        array->n_buffers != n_buffers || array->buffers == NULL || array->dictionary != NULL)
        return false;
    if (length > 0 && array->buffers[1] == NULL)
        return false;
    return c.layout != KANON__LAYOUT_TEXT || text_bytes(array, c.width) >= 0;
}

static size_t aligned(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static char *take(block *b, size_t size)
{
    char *at = b->bytes + b->used;
    b->used += aligned(size);
    return at;
}

static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

static bool has_nulls(const batch_stream *g, int column)
{
    for (int64_t i = 0; i < g->n_waiting; i++) {
        const struct ArrowArray *a = g->waiting[i].children[column];
        if (a->null_count != 0 && a->buffers[0] != NULL)
            return true;
    }
    return false;
}

/* The texts of a column, all batches together. */
static size_t all_text_bytes(const batch_stream *g, int column)
{
    size_t size = 0;
    for (int64_t i = 0; i < g->n_waiting; i++)
        size += (size_t)text_bytes(g->waiting[i].children[column], g->columns[column].width);
    return size;
}

static size_t value_bytes(const batch_stream *g, int column)
{
    size_t n = (size_t)g->n_rows, width = (size_t)g->columns[column].width;
    switch (g->columns[column].layout) {
    case KANON__LAYOUT_BITS:
        return n / 8 + 1;
    case KANON__LAYOUT_TEXT:
        return (n + 1) * width;
    default:
        return n * width;
    }
}

static size_t column_bytes(const batch_stream *g, int column)
{
    const kanon__text_codes *codes = &g->codes[column];
    if (g->columns[column].encoded)
        return aligned((size_t)g->n_rows / 8 + 1) + aligned((size_t)g->n_rows * 4) +
               aligned((size_t)(codes->n_entries + 1) * 4) + aligned(codes->n_bytes);
    size_t size = aligned(value_bytes(g, column)) + (has_nulls(g, column) ? aligned((size_t)g->n_rows / 8 + 1) : 0);
    return g->columns[column].layout == KANON__LAYOUT_TEXT ? size + aligned(all_text_bytes(g, column)) : size;
}

static void put_offset(char *offsets, int width, int64_t i, int64_t value)
{
    int32_t four = (int32_t)value;
    if (width == 8)
        memcpy(offsets + i * 8, &value, 8);
    else
        memcpy(offsets + i * 4, &four, 4);
}

/* Add the texts of an array behind `*used` bytes of others. */
static void copy_texts(char *offsets, char *bytes, int64_t *used, int64_t row, const struct ArrowArray *a, int width)
{
    int64_t begin = offset_at(a, width, 0), n = text_bytes(a, width);
    for (int64_t i = 1; i <= a->length; i++)
        put_offset(offsets, width, row + i, *used + offset_at(a, width, i) - begin);
    if (n > 0)
        memcpy(bytes + *used, (const char *)a->buffers[2] + begin, (size_t)n);
    *used += n;
}

static void copy_values(char *values, int64_t row, const struct ArrowArray *a, column_layout c)
{
    if (c.layout == KANON__LAYOUT_FIXED) {
        memcpy(values + row * c.width, (const char *)a->buffers[1] + a->offset * c.width, (size_t)(a->length * c.width));
        return;
    }
    for (int64_t i = 0; i < a->length; i++)
        if (bit_at(a->buffers[1], a->offset + i))
            set_bit(values, row + i);
}

/* Which rows have a value, of all waiting batches. */
static int64_t copy_validity(char *valid, const batch_stream *g, int column)
{
    int64_t row = 0, n_null = 0;
    for (int64_t i = 0; valid != NULL && i < g->n_waiting; i++) {
        const struct ArrowArray *a = g->waiting[i].children[column];
        bool some_null = a->null_count != 0 && a->buffers[0] != NULL;
        for (int64_t at = 0; at < a->length; at++)
            if (!some_null || bit_at(a->buffers[0], a->offset + at))
                set_bit(valid, row + at);
            else
                n_null++;
        row += a->length;
    }
    return n_null;
}

/* Number the texts of a column. */
static kanon_status encode_texts(batch_stream *g, int column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__text_codes *codes = &g->codes[column];
    int64_t row = 0;
    KANON_TRY(kanon__text_codes_begin(codes, g->n_rows, err), out);
    for (int64_t i = 0; i < g->n_waiting; i++) {
        const struct ArrowArray *a = g->waiting[i].children[column];
        bool some_null = a->null_count != 0 && a->buffers[0] != NULL;
        int width = g->columns[column].width;
        int64_t begin = a->length > 0 ? offset_at(a, width, 0) : 0, last = begin + text_bytes(a, width);
        for (int64_t at = 0; at < a->length; at++, row++) {
            int64_t end = offset_at(a, width, at + 1);
            if (end < begin || end > last)
                return kanon__fail(err, KANON_EIO, "the driver breaks the Arrow C data interface");
            codes->rows[row] = 0;
            if (!some_null || bit_at(a->buffers[0], a->offset + at))
                KANON_TRY(kanon__text_codes_add(codes, row, begin < end ? (const char *)a->buffers[2] + begin : "",
                                                (size_t)(end - begin), err),
                          out);
            begin = end;
        }
    }
out:
    return st;
}

/* An encoded column: indices, and a dictionary of the texts. */
static kanon_status gather_codes(struct ArrowArray *out, const batch_stream *g, int column, block *memory, kanon_error *err)
{
    const kanon__text_codes *codes = &g->codes[column];
    kanon_status st = init_array(out, memory, g->n_rows, 2, 0, err);
    if (st != KANON_OK)
        return st;
    owned *o = out->private_data;
    st = kanon__new_array(&o->dictionary, 1, "a batch", err);
    if (st == KANON_OK)
        st = init_array(o->dictionary, memory, codes->n_entries, 3, 0, err);
    if (st != KANON_OK)
        return st;
    out->dictionary = o->dictionary;
    char *valid = take(memory, (size_t)g->n_rows / 8 + 1), *rows = take(memory, (size_t)g->n_rows * 4);
    char *offsets = take(memory, (size_t)(codes->n_entries + 1) * 4), *bytes = take(memory, codes->n_bytes);
    out->null_count = copy_validity(has_nulls(g, column) ? valid : NULL, g, column);
    memcpy(rows, codes->rows, (size_t)g->n_rows * 4);
    int64_t used = 0;
    for (int64_t i = 0; i < codes->n_entries; i++) {
        memcpy(bytes + used, codes->entries[i].bytes, codes->entries[i].length);
        used += (int64_t)codes->entries[i].length;
        put_offset(offsets, 4, i + 1, used);
    }
    o->buffers[0] = out->null_count > 0 ? valid : NULL;
    o->buffers[1] = rows;
    owned *entries = o->dictionary->private_data;
    entries->buffers[1] = offsets;
    entries->buffers[2] = bytes;
    return KANON_OK;
}

/* A column of all waiting batches as one array. */
static kanon_status gather_column(struct ArrowArray *out, const batch_stream *g, int column, block *memory, kanon_error *err)
{
    column_layout c = g->columns[column];
    bool is_text = c.layout == KANON__LAYOUT_TEXT;
    kanon_status st = init_array(out, memory, g->n_rows, is_text ? 3 : 2, 0, err);
    if (st != KANON_OK)
        return st;
    char *valid = has_nulls(g, column) ? take(memory, (size_t)g->n_rows / 8 + 1) : NULL;
    char *values = take(memory, value_bytes(g, column)), *bytes = is_text ? take(memory, all_text_bytes(g, column)) : NULL;
    int64_t row = 0, used = 0;
    out->null_count = copy_validity(valid, g, column);
    for (int64_t i = 0; i < g->n_waiting; i++) {
        const struct ArrowArray *a = g->waiting[i].children[column];
        if (is_text)
            copy_texts(values, bytes, &used, row, a, c.width);
        else
            copy_values(values, row, a, c);
        row += a->length;
    }
    owned *o = out->private_data;
    o->buffers[0] = valid;
    o->buffers[1] = values;
    o->buffers[2] = bytes;
    return KANON_OK;
}

static void drop_waiting(batch_stream *g)
{
    for (int64_t i = 0; i < g->n_waiting; i++)
        if (g->waiting[i].release != NULL)
            g->waiting[i].release(&g->waiting[i]);
    g->n_waiting = g->n_rows = g->text_bytes = 0;
}

/* What waits becomes one batch. */
static kanon_status gather(struct ArrowArray *out, batch_stream *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    block *memory = NULL;
    struct ArrowArray batch = {0};
    size_t size = ALIGNMENT;
    if (g->text_bytes > INT32_MAX) {
        st = kanon__fail(err, KANON_EIO, "a batch with more than 2 GB of text");
        goto out;
    }
    for (int i = 0; i < g->n_columns; i++) {
        if (g->columns[i].encoded)
            KANON_TRY(encode_texts(g, i, err), out);
        size += whole_pages(column_bytes(g, i));
    }
    KANON_TRY(new_block(&memory, size, g->n_bytes + size > kept_in_memory, err), out);
    KANON_TRY(init_array(&batch, memory, g->n_rows, 1, g->n_columns, err), out);
    for (int i = 0; i < g->n_columns; i++) {
        size_t begin = memory->used = whole_pages(memory->used);
        KANON_TRY(g->columns[i].encoded ? gather_codes(batch.children[i], g, i, memory, err)
                                        : gather_column(batch.children[i], g, i, memory, err),
                  out);
        owned *o = batch.children[i]->private_data;
        o->begin = memory->bytes + begin;
        o->size = memory->used - begin;
        kanon__batch_rest(batch.children[i]);
    }
    g->n_bytes += size;
    *out = batch;
    batch.release = NULL;
out:
    if (batch.release != NULL)
        batch.release(&batch);
    drop_block(memory);
    drop_waiting(g);
    return st;
}

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
    bool sound = batch.n_children == g->n_columns && batch.length >= 0 && batch.offset == 0 &&
                 (batch.n_buffers < 1 || batch.buffers == NULL || batch.buffers[0] == NULL || batch.null_count == 0);
    for (int i = 0; sound && i < g->n_columns; i++)
        sound = is_sound(batch.children[i], g->columns[i], batch.length) && batch.children[i]->length == batch.length;
    if (!sound || kanon__grow_array(&g->waiting, &g->capacity, g->n_waiting + 1, "batches", &g->last) != KANON_OK) {
        batch.release(&batch);
        return sound ? ENOMEM : fail_code(g, EIO, "the driver breaks the Arrow C data interface");
    }
    for (int i = 0; i < g->n_columns; i++)
        if (g->columns[i].layout == KANON__LAYOUT_TEXT)
            g->text_bytes += text_bytes(batch.children[i], g->columns[i].width);
    g->waiting[g->n_waiting++] = batch;
    g->n_rows += batch.length;
    return 0;
}

static int gather_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    batch_stream *g = stream->private_data;
    kanon__call call;
    int code = 0;
    *out = (struct ArrowArray){0};
    g->last = (kanon_error){0};
    kanon__call_begin(&call, g->context);
    if (!g->gathers)
        code = fetch(g, out);
    while (g->gathers && code == 0 && !g->ended && g->n_rows < GATHER_ROWS && g->text_bytes < most_text)
        code = fetch(g, NULL);
    kanon_status st = code == 0 && g->n_rows > 0 ? gather(out, g, &g->last) : KANON_OK;
    kanon__call_end(&call, st);
    return code != 0 ? code : st == KANON_OK ? 0 : st == KANON_ENOMEM ? ENOMEM : EIO;
}

/* The field of an encoded column in place of that of its texts. What it was stays inside it, to be released with it. */
typedef struct encoded_field {
    struct ArrowSchema texts, entries;
} encoded_field;

static void release_field(struct ArrowSchema *field)
{
    encoded_field *e = field->private_data;
    if (e->texts.release != NULL)
        e->texts.release(&e->texts);
    if (field->dictionary->release != NULL)
        field->dictionary->release(field->dictionary);
    kanon__free(e);
    field->release = NULL;
}

static void release_nothing(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static int encode_field(struct ArrowSchema *field, kanon_error *err)
{
    encoded_field *e = NULL;
    if (kanon__new_array(&e, 1, "a column", err) != KANON_OK)
        return ENOMEM;
    e->texts = *field;
    e->entries = (struct ArrowSchema){.format = "u", .name = "", .release = release_nothing};
    *field = (struct ArrowSchema){.format = "i",
                                  .name = e->texts.name,
                                  .metadata = encoded_mark,
                                  .flags = e->texts.flags,
                                  .dictionary = &e->entries,
                                  .release = release_field,
                                  .private_data = e};
    return 0;
}

static int gather_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    batch_stream *g = stream->private_data;
    kanon__call call;
    g->last = (kanon_error){0};
    int code = g->in.get_schema(&g->in, out);
    if (code != 0)
        return fail_code(g, code == ENOMEM ? ENOMEM : EIO, "the columns could not be read");
    kanon__call_begin(&call, g->context);
    for (int i = 0; g->gathers && code == 0 && i < g->n_columns; i++)
        if (g->columns[i].encoded)
            code = encode_field(out->children[i], &g->last);
    kanon__call_end(&call, KANON_OK);
    if (code != 0 && out->release != NULL)
        out->release(out);
    return code;
}

static const char *gather_error(struct ArrowArrayStream *stream)
{
    const batch_stream *g = stream->private_data;
    return g->last.message[0] != '\0' ? g->last.message : NULL;
}

static void gather_release(struct ArrowArrayStream *stream)
{
    batch_stream *g = stream->private_data;
    drop_waiting(g);
    for (int i = 0; g->codes != NULL && i < g->n_columns; i++)
        kanon__text_codes_clear(&g->codes[i]);
    kanon__free(g->codes);
    kanon__free(g->waiting);
    kanon__free(g->columns);
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
    *all = g->in.get_schema(&g->in, &schema) == 0 && schema.release != NULL && schema.n_children > 0;
    if (*all) {
        g->n_columns = (int)schema.n_children;
        KANON_TRY(kanon__new_array(&g->columns, g->n_columns, "columns", err), out);
        KANON_TRY(kanon__new_array(&g->codes, g->n_columns, "columns", err), out);
        for (int i = 0; i < g->n_columns; i++) {
            g->columns[i].layout = kanon__layout_of(schema.children[i], &g->columns[i].width);
            *all = *all && g->columns[i].layout != KANON__LAYOUT_OTHER;
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
    int code = 0;
    while (code == 0 && !g->ended && g->n_rows < GATHER_ROWS && g->text_bytes < most_text)
        code = fetch(g, NULL);
    if (code != 0)
        return kanon__fail(err, code == ENOMEM ? KANON_ENOMEM : KANON_EIO, "%s", g->last.message);
    for (int i = 0; g->n_rows >= WORTH_CODES && i < g->n_columns; i++)
        if (g->columns[i].layout == KANON__LAYOUT_TEXT) {
            KANON_TRY(encode_texts(g, i, err), out);
            g->columns[i].encoded = g->codes[i].n_entries < g->n_rows / RARE;
        }
out:
    return st;
}

kanon_status kanon__gathered_stream(struct ArrowArrayStream *out, struct ArrowArrayStream *in, bool encode,
                                    const char *called, kanon_error *err)
{
    kanon_status st = KANON_OK;
    batch_stream *g = NULL;
    kanon_error inner = {0};
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
