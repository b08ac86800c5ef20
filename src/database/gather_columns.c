/* See gather_columns.h. */
#include "database/gather_columns.h"

#include "core/alloc.h"

#include <string.h>

/* Blocks up to so many bytes of a stream stay in memory: the batches of small tables. */
static const size_t kept_in_memory = (size_t)1 << 20;

static const char breach[] = "the driver breaks the Arrow C data interface";

/* ---- layouts ------------------------------------------------------------------------------------------------------ */

static kanon__layout layout_of(const struct ArrowSchema *column, int *width)
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

void kanon__layout_find(kanon__gathered_column *out, const struct ArrowSchema *column)
{
    out->layout = layout_of(column, &out->width);
}

/* ---- what a driver gives ------------------------------------------------------------------------------------------ */

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
static bool column_is_sound(const struct ArrowArray *array, const kanon__gathered_column *c, int64_t length)
{
    int64_t n_buffers = c->layout == KANON__LAYOUT_TEXT ? 3 : 2;
    if (array == NULL || array->release == NULL || array->length < length || array->offset < 0 ||
        array->n_buffers != n_buffers || array->buffers == NULL || array->dictionary != NULL)
        return false;
    if (length > 0 && array->buffers[1] == NULL)
        return false;
    return c->layout != KANON__LAYOUT_TEXT || text_bytes(array, c->width) >= 0;
}

kanon_status kanon__waiting_add(kanon__waiting *w, struct ArrowArray *batch, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool is_sound = batch->n_children == w->n_columns && batch->length >= 0 && batch->offset == 0 &&
                    (batch->n_buffers < 1 || batch->buffers == NULL || batch->buffers[0] == NULL || batch->null_count == 0);
    for (int i = 0; is_sound && i < w->n_columns; i++)
        is_sound = column_is_sound(batch->children[i], &w->columns[i], batch->length) &&
                   batch->children[i]->length == batch->length;
    if (!is_sound) {
        st = kanon__fail(err, KANON_EIO, "%s", breach);
        goto out;
    }
    KANON_TRY(kanon__grow_array(&w->batches, &w->capacity, w->n_batches + 1, "batches", err), out);
    for (int i = 0; i < w->n_columns; i++)
        if (w->columns[i].layout == KANON__LAYOUT_TEXT)
            w->text_bytes += text_bytes(batch->children[i], w->columns[i].width);
    w->batches[w->n_batches++] = *batch;
    w->n_rows += batch->length;
    batch->release = NULL;
out:
    if (batch->release != NULL)
        batch->release(batch);
    return st;
}

void kanon__waiting_drop(kanon__waiting *w)
{
    for (int64_t i = 0; i < w->n_batches; i++)
        if (w->batches[i].release != NULL)
            w->batches[i].release(&w->batches[i]);
    w->n_batches = w->n_rows = w->text_bytes = 0;
}

void kanon__waiting_clear(kanon__waiting *w)
{
    kanon__waiting_drop(w);
    for (int i = 0; w->columns != NULL && i < w->n_columns; i++)
        kanon__text_codes_clear(&w->columns[i].codes);
    kanon__free(w->columns);
    kanon__free(w->batches);
}

/* ---- codes of texts ----------------------------------------------------------------------------------------------- */

/* Number the texts of one array, which begin at row `row`. */
static kanon_status encode_array(kanon__text_codes *codes, const struct ArrowArray *a, int width, int64_t row,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool some_null = a->null_count != 0 && a->buffers[0] != NULL;
    int64_t begin = a->length > 0 ? offset_at(a, width, 0) : 0, last = begin + text_bytes(a, width);
    for (int64_t at = 0; at < a->length; at++) {
        int64_t end = offset_at(a, width, at + 1);
        if (end < begin || end > last)
            return kanon__fail(err, KANON_EIO, "%s", breach);
        codes->rows[row + at] = 0;
        if (!some_null || bit_at(a->buffers[0], a->offset + at))
            KANON_TRY(kanon__text_codes_add(codes, row + at, begin < end ? (const char *)a->buffers[2] + begin : "",
                                            (size_t)(end - begin), err),
                      out);
        begin = end;
    }
out:
    return st;
}

kanon_status kanon__waiting_encode(kanon__waiting *w, int column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__gathered_column *c = &w->columns[column];
    int64_t row = 0;
    KANON_TRY(kanon__text_codes_begin(&c->codes, w->n_rows, err), out);
    for (int64_t i = 0; i < w->n_batches; i++) {
        const struct ArrowArray *a = w->batches[i].children[column];
        KANON_TRY(encode_array(&c->codes, a, c->width, row, err), out);
        row += a->length;
    }
out:
    return st;
}

/* ---- sizes -------------------------------------------------------------------------------------------------------- */

static bool has_nulls(const kanon__waiting *w, int column)
{
    for (int64_t i = 0; i < w->n_batches; i++) {
        const struct ArrowArray *a = w->batches[i].children[column];
        if (a->null_count != 0 && a->buffers[0] != NULL)
            return true;
    }
    return false;
}

/* The texts of a column, all batches together. */
static size_t all_text_bytes(const kanon__waiting *w, int column)
{
    size_t size = 0;
    for (int64_t i = 0; i < w->n_batches; i++)
        size += (size_t)text_bytes(w->batches[i].children[column], w->columns[column].width);
    return size;
}

static size_t value_bytes(const kanon__waiting *w, int column)
{
    size_t n = (size_t)w->n_rows, width = (size_t)w->columns[column].width;
    switch (w->columns[column].layout) {
    case KANON__LAYOUT_BITS:
        return n / 8 + 1;
    case KANON__LAYOUT_TEXT:
        return (n + 1) * width;
    default:
        return n * width;
    }
}

static size_t column_bytes(const kanon__waiting *w, int column)
{
    const kanon__text_codes *codes = &w->columns[column].codes;
    size_t n = (size_t)w->n_rows, valid = has_nulls(w, column) ? kanon__arrow_room_piece(n / 8 + 1) : 0;
    if (w->columns[column].encoded)
        return valid + kanon__arrow_room_piece(n * 4) + kanon__arrow_room_piece((size_t)(codes->n_entries + 1) * 4) +
               kanon__arrow_room_piece(codes->n_bytes);
    size_t size = valid + kanon__arrow_room_piece(value_bytes(w, column));
    bool is_text = w->columns[column].layout == KANON__LAYOUT_TEXT;
    return is_text ? size + kanon__arrow_room_piece(all_text_bytes(w, column)) : size;
}

/* ---- copying ------------------------------------------------------------------------------------------------------ */

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

static void copy_values(char *values, int64_t row, const struct ArrowArray *a, const kanon__gathered_column *c)
{
    if (c->layout == KANON__LAYOUT_FIXED) {
        memcpy(values + row * c->width, (const char *)a->buffers[1] + a->offset * c->width, (size_t)(a->length * c->width));
        return;
    }
    for (int64_t i = 0; i < a->length; i++)
        if (bit_at(a->buffers[1], a->offset + i))
            set_bit(values, row + i);
}

/* Which rows have a value, of all waiting batches. */
static int64_t copy_validity(char *valid, const kanon__waiting *w, int column)
{
    int64_t row = 0, n_null = 0;
    for (int64_t i = 0; valid != NULL && i < w->n_batches; i++) {
        const struct ArrowArray *a = w->batches[i].children[column];
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

/* An encoded column: indices, and a dictionary of the texts. */
static void gather_codes(struct ArrowArray *out, const kanon__waiting *w, int column, kanon__arrow_memory *memory)
{
    const kanon__text_codes *codes = &w->columns[column].codes;
    char *rows = kanon__arrow_room_take(memory, (size_t)w->n_rows * 4);
    char *offsets = kanon__arrow_room_take(memory, (size_t)(codes->n_entries + 1) * 4);
    char *bytes = kanon__arrow_room_take(memory, codes->n_bytes);
    int64_t used = 0;
    memcpy(rows, codes->rows, (size_t)w->n_rows * 4);
    for (int64_t i = 0; i < codes->n_entries; i++) {
        memcpy(bytes + used, codes->entries[i].bytes, codes->entries[i].length);
        used += (int64_t)codes->entries[i].length;
        put_offset(offsets, 4, i + 1, used);
    }
    out->buffers[1] = rows;
    out->dictionary->buffers[1] = offsets;
    out->dictionary->buffers[2] = bytes;
}

/* Any other column. */
static void gather_values(struct ArrowArray *out, const kanon__waiting *w, int column, kanon__arrow_memory *memory)
{
    const kanon__gathered_column *c = &w->columns[column];
    bool is_text = c->layout == KANON__LAYOUT_TEXT;
    char *values = kanon__arrow_room_take(memory, value_bytes(w, column));
    char *bytes = is_text ? kanon__arrow_room_take(memory, all_text_bytes(w, column)) : NULL;
    int64_t row = 0, used = 0;
    for (int64_t i = 0; i < w->n_batches; i++) {
        const struct ArrowArray *a = w->batches[i].children[column];
        if (is_text)
            copy_texts(values, bytes, &used, row, a, c->width);
        else
            copy_values(values, row, a, c);
        row += a->length;
    }
    out->buffers[1] = values;
    if (is_text)
        out->buffers[2] = bytes;
}

/* A column of all waiting batches as one array. */
static void gather_column(struct ArrowArray *out, const kanon__waiting *w, int column, kanon__arrow_memory *memory)
{
    kanon__arrow_column_begin(memory);
    char *valid = has_nulls(w, column) ? kanon__arrow_room_take(memory, (size_t)w->n_rows / 8 + 1) : NULL;
    out->null_count = copy_validity(valid, w, column);
    out->buffers[0] = valid;
    if (w->columns[column].encoded)
        gather_codes(out, w, column, memory);
    else
        gather_values(out, w, column, memory);
    kanon__arrow_column_end(out);
}

/* An array in the room of the batch, without its buffers. */
static void make_array(struct ArrowArray *out, kanon__arrow_memory *memory, int64_t length, int n_buffers)
{
    (void)kanon__arrow_array_init(out, kanon__arrow_memory_share(memory), length, 0, NULL, n_buffers, NULL);
}

/* The arrays of a batch: they come first in the room. */
static void make_arrays(struct ArrowArray *batch, const kanon__waiting *w, kanon__arrow_memory *memory)
{
    (void)kanon__arrow_array_init_struct(batch, kanon__arrow_memory_share(memory), w->n_rows, w->n_columns, NULL);
    for (int i = 0; i < w->n_columns; i++) {
        const kanon__gathered_column *c = &w->columns[i];
        struct ArrowArray dictionary;
        make_array(batch->children[i], memory, w->n_rows, c->layout == KANON__LAYOUT_TEXT && !c->encoded ? 3 : 2);
        if (!c->encoded)
            continue;
        make_array(&dictionary, memory, c->codes.n_entries, 3);
        kanon__arrow_array_adopt(batch->children[i], &dictionary);
    }
}

kanon_status kanon__waiting_gather(struct ArrowArray *out, kanon__waiting *w, size_t *n_bytes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_memory *memory = NULL;
    size_t size = 0;
    int n_encoded = 0;
    if (w->text_bytes > INT32_MAX) {
        st = kanon__fail(err, KANON_EIO, "a batch with more than 2 GB of text");
        goto out;
    }
    for (int i = 0; i < w->n_columns; i++) {
        if (w->columns[i].encoded)
            KANON_TRY(kanon__waiting_encode(w, i, err), out);
        n_encoded += w->columns[i].encoded;
        size += kanon__arrow_room_pages(column_bytes(w, i));
    }
    size += kanon__arrow_room_arrays(w->n_columns, n_encoded);
    KANON_TRY(kanon__arrow_memory_new(&memory, NULL, NULL, err), out);
    KANON_TRY(kanon__arrow_room_new(memory, size, *n_bytes + size > kept_in_memory, err), out);
    make_arrays(out, w, memory);
    for (int i = 0; i < w->n_columns; i++)
        gather_column(out->children[i], w, i, memory);
    *n_bytes += size;
out:
    kanon__arrow_memory_free(memory);
    kanon__waiting_drop(w);
    return st;
}
