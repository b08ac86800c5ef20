/* Any bytes as an Arrow stream: schemas and arrays that are broken in every way that can be seen without knowing the sizes
 * of buffers. Buffers are as large as lengths, offsets and the contents of other buffers say, where these are sane, so what
 * a sanitizer finds is the reader's fault. Either the stream is refused with a message on one line, or every cell that a
 * cursor prints is the text of its code and is confirmed by the check's own reading. */
#include "core/alloc.h"
#include "table/read/arrow_source.h"
#include "verify/arrow_cells.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_COLUMNS = 4, MOST_ROWS = 12, TEXT_BYTES = 256, ROOM = 64 };

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* ---- bytes to structures ---------------------------------------------------------------------------------------------- */

typedef struct input {
    const uint8_t *at, *end;
    int n_columns, n_batches;
    int live; /* arrays, schemas and the stream */
    const char *formats[MOST_COLUMNS], *entry_formats[MOST_COLUMNS];
} input;

static unsigned take(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static void *room(size_t size)
{
    void *memory = calloc(1, size > 0 ? size : 1);
    require(memory != NULL);
    return memory;
}

/* A small number, now and then a hostile one. */
static int64_t take_number(input *in, unsigned below)
{
    static const int64_t hostile[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 2, -2, INT32_MAX, UINT32_MAX, INT64_MAX / 64};
    unsigned byte = take(in);
    return byte >= 0xf8 ? hostile[byte - 0xf8] : byte % below;
}

static const char *take_format(input *in)
{
    static const char *const formats[] = {"n",     "b",     "c",        "C",         "s",    "S",  "i",   "I",   "l",
                                          "L",     "f",     "g",        "u",         "U",    "vu", "tdD", "tdm", "tss:",
                                          "tsm:Z", "tsu:x", "tsn:",     "d:9,2",     "d:38,38", "d:5,-38", "d:1,0,128",
                                          "e",     "+l",    "d:76,3,256", "d:", "ts", "", "tsq:"};
    unsigned byte = take(in);
    /* mostly types that are read */
    return byte >= 0xf0 ? formats[25 + byte % 7] : formats[byte % 25];
}

static void free_array(struct ArrowArray *array);

typedef struct holding {
    input *in;
    void **memory;
    const void **buffers;
    int n_memory;
    struct ArrowArray **children, *dictionary;
    int n_children;
} holding;

static void release_array(struct ArrowArray *array)
{
    holding *h = array->private_data;
    require(array->release != NULL);
    for (int i = 0; i < h->n_children; i++)
        free_array(h->children[i]);
    free(h->children);
    free_array(h->dictionary);
    for (int i = 0; i < h->n_memory; i++)
        free(h->memory[i]);
    free(h->memory);
    free((void *)h->buffers);
    h->in->live--;
    free(h);
    array->release = NULL;
}

static void free_array(struct ArrowArray *array)
{
    if (array != NULL && array->release != NULL)
        array->release(array);
    free(array);
}

static void init_array(input *in, struct ArrowArray *array, int n_buffers)
{
    holding *h = room(sizeof *h);
    h->in = in;
    h->memory = room((size_t)n_buffers * sizeof *h->memory);
    h->buffers = room((size_t)n_buffers * sizeof *h->buffers);
    *array = (struct ArrowArray){.buffers = h->buffers, .release = release_array, .private_data = h};
    in->live++;
}

static unsigned char *add_buffer(struct ArrowArray *array, size_t size)
{
    holding *h = array->private_data;
    h->memory[h->n_memory] = room(size);
    array->buffers[h->n_memory] = h->memory[h->n_memory];
    array->n_buffers = ++h->n_memory;
    return h->memory[h->n_memory - 1];
}

static void fill(input *in, unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)take(in);
}

static size_t width_of(const char *format)
{
    static const char widths[][2] = {{'c', 1}, {'C', 1}, {'s', 2}, {'S', 2}, {'i', 4}, {'I', 4}, {'f', 4}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (format[0] == widths[i][0] && format[1] == '\0')
            return (size_t)widths[i][1];
    return format[0] == 'd' ? 16 : strcmp(format, "tdD") == 0 ? 4 : 8;
}

/* Offsets stay inside the text, or are negative; they need not rise. */
static void add_texts(input *in, struct ArrowArray *array, size_t n, size_t width)
{
    unsigned char *offsets = add_buffer(array, (n + 1) * width);
    int64_t before = 0;
    for (size_t i = 0; i <= n; i++) {
        unsigned byte = take(in);
        int64_t offset = byte >= 0xfe ? -(int64_t)byte : byte >= 0xf0 ? (int64_t)byte : before + byte % 8;
        offset = offset < TEXT_BYTES ? offset : TEXT_BYTES;
        before = offset < 0 ? 0 : offset;
        memcpy(offsets + i * width, &offset, width);
    }
    unsigned char *bytes = add_buffer(array, TEXT_BYTES);
    for (int i = 0; i < TEXT_BYTES; i++)
        bytes[i] = (unsigned char)"ab,\"\n\xc3\xbc x"[i % 9];
    fill(in, bytes, 16);
}

static void add_views(input *in, struct ArrowArray *array, size_t n)
{
    unsigned char *views = add_buffer(array, n * 16);
    for (size_t i = 0; i < n; i++) {
        int32_t length = (int32_t)(take(in) % 32), piece = (int32_t)(take(in) % 4) - 1, at = (int32_t)(take(in) % 40) - 1;
        length -= take(in) == 0xff ? 40 : 0;
        memcpy(views + i * 16, &length, 4);
        fill(in, views + i * 16 + 4, 4);
        memcpy(views + i * 16 + 8, &piece, 4);
        memcpy(views + i * 16 + 12, &at, 4);
    }
    int64_t sizes[2] = {ROOM, ROOM / 2};
    for (int piece = 0; piece < 2; piece++) {
        unsigned char *bytes = add_buffer(array, (size_t)sizes[piece]);
        memset(bytes, 'v', (size_t)sizes[piece]);
        fill(in, bytes, 8);
    }
    memcpy(add_buffer(array, sizeof sizes), sizes, sizeof sizes);
}

static void add_numbers(input *in, struct ArrowArray *array, size_t n, const char *format)
{
    size_t size = format[0] == 'b' ? n / 8 + 1 : n * width_of(format);
    fill(in, add_buffer(array, size), size);
}

/* What must be noticed before any buffer is looked at. */
static void damage(input *in, struct ArrowArray *array)
{
    switch (take(in) % 32) {
    case 1:
        array->length = take_number(in, 1) < 0 ? -1 : array->length;
        break;
    case 2:
        array->offset = INT64_MAX - 3;
        break;
    case 3:
        array->n_buffers--;
        break;
    case 4:
        array->buffers[1] = NULL;
        break;
    case 5:
        array->null_count = take_number(in, 5);
        array->buffers[0] = array->null_count == 0 ? array->buffers[0] : NULL;
        break;
    case 6:
        array->n_children = 1;
        break;
    case 7:
        array->buffers[0] = NULL;
        break;
    case 8:
        array->buffers = NULL;
        break;
    case 9:
        array->length = INT64_MAX;
        break;
    default:
        break;
    }
}

/* An array of so many rows behind so many others, then some of its numbers changed. */
static void make_array(input *in, struct ArrowArray *array, const char *format, int64_t n, int64_t before)
{
    bool is_text = format[0] == 'u' || format[0] == 'U' || format[0] == 'v';
    size_t total = (size_t)(n + before);
    init_array(in, array, 8);
    array->length = n;
    array->offset = before;
    if (format[0] != 'n') {
        unsigned char *bits = add_buffer(array, total / 8 + 1);
        memset(bits, 0xff, total / 8 + 1);
        bits[0] = (unsigned char)take(in);
        array->null_count = -1;
        if (is_text && format[0] != 'v')
            add_texts(in, array, total, format[0] == 'u' ? 4 : 8);
        else if (is_text)
            add_views(in, array, total);
        else
            add_numbers(in, array, total, format);
    } else {
        array->null_count = n;
    }
    damage(in, array);
}

static void make_column(input *in, struct ArrowArray *array, int column, int64_t n)
{
    const char *format = in->formats[column], *entries = in->entry_formats[column];
    int64_t before = take(in) % 4;
    make_array(in, array, format, n, before);
    if (entries == NULL)
        return;
    struct ArrowArray *dictionary = room(sizeof *dictionary);
    make_array(in, dictionary, entries, take(in) % 8, take(in) % 3);
    ((holding *)array->private_data)->dictionary = dictionary;
    array->dictionary = take(in) == 0xff ? NULL : dictionary;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    input *in = stream->private_data;
    unsigned control = take(in);
    if (in->n_batches-- == 0) {
        out->release = NULL;
        return 0;
    }
    if (control == 0xff)
        return 5;
    int64_t n = control % MOST_ROWS, before = take(in) % 3;
    init_array(in, out, 1);
    holding *h = out->private_data;
    h->children = room(MOST_COLUMNS * sizeof *h->children);
    for (; h->n_children < in->n_columns; h->n_children++) {
        h->children[h->n_children] = room(sizeof **h->children);
        make_column(in, h->children[h->n_children], h->n_children, n + before);
    }
    unsigned char *bits = add_buffer(out, 4);
    memset(bits, 0xff, 4);
    bits[0] = take(in) == 0xff ? 0x7f : 0xff;
    out->children = h->children;
    out->n_children = in->n_columns - (take(in) == 0xff);
    out->null_count = take(in) == 0xff ? -1 : 0;
    out->length = n;
    out->offset = before;
    return 0;
}

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        free(schema->children[i]->dictionary);
        free(schema->children[i]);
    }
    free(schema->children);
    ((input *)schema->private_data)->live--;
    schema->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    static const char *const names[MOST_COLUMNS] = {"a", "b", "c", "d"};
    static const char *const indices[] = {"c", "C", "s", "S", "i", "I", "l", "L", "g"};
    input *in = stream->private_data;
    *out = (struct ArrowSchema){.format = "+s", .name = "", .release = release_schema, .private_data = in};
    in->live++;
    in->n_columns = 1 + (int)(take(in) % MOST_COLUMNS);
    in->n_batches = (int)(take(in) % 4);
    out->children = room(MOST_COLUMNS * sizeof *out->children);
    for (; out->n_children < in->n_columns; out->n_children++) {
        int i = (int)out->n_children;
        struct ArrowSchema *column = room(sizeof *column);
        out->children[i] = column;
        *column = (struct ArrowSchema){.name = names[i]};
        column->format = in->formats[i] = take_format(in);
        if (take(in) % 3 == 0) {
            column->format = in->formats[i] = indices[take(in) % 9];
            column->dictionary = room(sizeof *column->dictionary);
            column->dictionary->format = in->entry_formats[i] = take_format(in);
        }
    }
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "no";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    ((input *)stream->private_data)->live--;
    stream->release = NULL;
}

/* ---- what must hold --------------------------------------------------------------------------------------------------- */

static void check_cell(const kanon__cell *cell, const kanon__raw_columns *raw, int column, int64_t row)
{
    char text[1024];
    size_t length, expected_length;
    uint32_t code = kanon__code_at(raw->codes[column], row);
    require(cell->length <= sizeof text);
    require(cell->null == (code == raw->null_codes[column]));
    if (cell->null)
        return;
    length = kanon__csv_unescape(text, cell);
    const char *expected = kanon__dictionary_text(&raw->dictionaries[column], code, &expected_length);
    require(length == expected_length && memcmp(text, expected, length) == 0);
}

static void check_rows(const kanon__source *source, const kanon__raw_columns *raw)
{
    kanon__cursor *cursor = NULL;
    bool has_row;
    require(source->class->open(&cursor, source, NULL) == KANON_OK);
    for (int64_t row = 0; row < source->n_rows; row++) {
        require(source->class->next(cursor, &has_row, NULL) == KANON_OK && has_row);
        require(kanon__arrow_cells_match(kanon__arrow_source_of(source), row, cursor->cells));
        for (int i = 0; i < source->n_columns; i++)
            check_cell(&cursor->cells[i], raw, i, row);
    }
    require(source->class->next(cursor, &has_row, NULL) == KANON_OK && !has_row);
    source->class->close(cursor);
}

static void check_error(kanon_status st, const kanon_error *err)
{
    require(st == KANON_EDATA || st == KANON_EIO);
    require(err->status == st && err->message[0] != '\0');
    require(strchr(err->message, '\n') == NULL && strchr(err->hint, '\n') == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {.at = data, .end = data + size, .live = 1};
    struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release_stream, &in};
    kanon__dictionary dictionaries[MOST_COLUMNS] = {{0}};
    kanon__codes codes[MOST_COLUMNS] = {{0}};
    uint32_t null_codes[MOST_COLUMNS] = {0};
    static const int wanted[MOST_COLUMNS] = {0, 1, 2, 3};
    kanon__raw_columns raw = {
        .wanted = wanted, .dictionaries = dictionaries, .codes = codes, .null_codes = null_codes, .threads = 1};
    kanon__source *source = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = kanon__arrow_source_new(&source, &stream, NULL, &err);
    require(stream.release == NULL && (st == KANON_OK) == (source != NULL));
    if (st == KANON_OK) {
        raw.n_wanted = source->n_columns;
        st = source->class->read(source, &raw, &err);
        if (st == KANON_OK)
            check_rows(source, &raw);
    }
    if (st != KANON_OK)
        check_error(st, &err);
    for (int i = 0; i < MOST_COLUMNS; i++) {
        kanon__dictionary_clear(&dictionaries[i]);
        kanon__codes_clear(&codes[i]);
    }
    kanon__source_free(source);
    require(in.live == 0);
    return 0;
}
