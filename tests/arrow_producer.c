/* A producer of Arrow streams for tests. See arrow_producer.h. */
#include "arrow_producer.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void *take(size_t size)
{
    void *memory = calloc(1, size > 0 ? size : 1);
    require(memory != NULL);
    return memory;
}

static char *copy_text(const char *text)
{
    char *copy = take(strlen(text) + 1);
    strcpy(copy, text);
    return copy;
}

/* ---- buffers ---------------------------------------------------------------------------------------------------------- */

/* What an array holds, whatever a test does to the array: its buffers as they were allocated, without the odd byte in front,
 * and the arrays below it. */
typedef struct array_holding {
    void **memory;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    int64_t n_buffers, n_children;
    arrow_counts *counts; /* of arrays that are handed over by themselves */
} array_holding;

/* A buffer of so many bytes, all garbage; behind the odd byte where buffers are unaligned. */
static unsigned char *add_buffer(struct ArrowArray *array, const arrow_layout *layout, size_t size)
{
    array_holding *holding = array->private_data;
    int64_t i = holding->n_buffers++;
    holding->buffers = realloc((void *)holding->buffers, (size_t)holding->n_buffers * sizeof *holding->buffers);
    holding->memory = realloc(holding->memory, (size_t)holding->n_buffers * sizeof *holding->memory);
    require(holding->buffers != NULL && holding->memory != NULL);
    array->buffers = holding->buffers;
    array->n_buffers = holding->n_buffers;
    unsigned char *memory = malloc(size + layout->unaligned + (size == 0));
    require(memory != NULL);
    memset(memory, 0x5a, size + layout->unaligned + (size == 0));
    holding->memory[i] = memory;
    array->buffers[i] = memory + layout->unaligned;
    return memory + layout->unaligned;
}

static void add_no_buffer(struct ArrowArray *array)
{
    static const arrow_layout plain = {0};
    add_buffer(array, &plain, 0);
    array->buffers[array->n_buffers - 1] = NULL;
}

static void set_bit(unsigned char *bits, int64_t i, bool value)
{
    bits[i / 8] = (unsigned char)(value ? bits[i / 8] | 1 << i % 8 : bits[i / 8] & ~(1 << i % 8));
}

static void release_below(struct ArrowArray *array)
{
    if (array != NULL && array->release != NULL)
        array->release(array);
    free(array);
}

static void release_array(struct ArrowArray *array)
{
    array_holding *holding = array->private_data;
    require(array->release != NULL);
    for (int64_t i = 0; i < holding->n_children; i++)
        release_below(holding->children[i]);
    free(holding->children);
    release_below(holding->dictionary);
    for (int64_t i = 0; i < holding->n_buffers; i++)
        free(holding->memory[i]);
    free(holding->memory);
    free((void *)holding->buffers);
    if (holding->counts != NULL)
        holding->counts->released_arrays++;
    free(holding);
    array->release = NULL;
}

static void init_array(struct ArrowArray *out, arrow_counts *counts)
{
    array_holding *holding = take(sizeof *holding);
    holding->counts = counts;
    *out = (struct ArrowArray){.release = release_array, .private_data = holding};
}

/* ---- values ----------------------------------------------------------------------------------------------------------- */

/* The cells of an array: garbage before and behind them. */
typedef struct cell_range {
    const char *const *cells;
    int64_t n, before, behind;
} cell_range;

static const char *cell_at(const cell_range *r, int64_t i)
{
    return i >= r->before && i < r->before + r->n ? r->cells[i - r->before] : NULL;
}

static __int128 whole_number(const char *text)
{
    bool negative = text[0] == '-';
    __int128 value = 0;
    for (text += negative; *text != '\0'; text++) {
        require(*text >= '0' && *text <= '9');
        value = value * 10 + (*text - '0');
    }
    return negative ? -value : value;
}

/* Bytes of a value; 0: bits, or texts. */
static int width_of(const char *format)
{
    static const char *const widths[][2] = {{"c", "1"},   {"C", "1"}, {"s", "2"}, {"S", "2"}, {"i", "4"},   {"I", "4"},
                                            {"l", "8"},   {"L", "8"}, {"f", "4"}, {"g", "8"}, {"tdD", "4"}, {"tdm", "8"}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (strcmp(format, widths[i][0]) == 0)
            return atoi(widths[i][1]);
    return format[0] == 'd' ? 16 : strncmp(format, "ts", 2) == 0 ? 8 : 0;
}

static void put_number(unsigned char *to, const char *format, int width, const char *cell)
{
    if (format[0] == 'f') {
        float value = strtof(cell, NULL);
        memcpy(to, &value, sizeof value);
    } else if (format[0] == 'g') {
        double value = strtod(cell, NULL);
        memcpy(to, &value, sizeof value);
    } else {
        __int128 value = whole_number(cell);
        memcpy(to, &value, (size_t)width); /* little-endian */
    }
}

static void put_validity(struct ArrowArray *array, const arrow_layout *layout, const cell_range *r)
{
    int64_t total = r->before + r->n + r->behind, n_nulls = 0;
    for (int64_t i = 0; i < r->n; i++)
        n_nulls += r->cells[i] == NULL;
    array->null_count = layout->unknown_nulls ? -1 : n_nulls;
    if (n_nulls == 0 && !layout->always_validity) {
        add_no_buffer(array);
        return;
    }
    unsigned char *bits = add_buffer(array, layout, (size_t)(total + 7) / 8);
    for (int64_t i = 0; i < r->n; i++)
        set_bit(bits, r->before + i, r->cells[i] != NULL);
}

static void put_fixed(struct ArrowArray *array, const char *format, const arrow_layout *layout, const cell_range *r)
{
    int64_t total = r->before + r->n + r->behind;
    int width = width_of(format);
    unsigned char *values = add_buffer(array, layout, width > 0 ? (size_t)(total * width) : (size_t)(total + 7) / 8);
    for (int64_t i = 0; i < total; i++) {
        const char *cell = cell_at(r, i);
        if (cell != NULL && width == 0)
            set_bit(values, i, cell[0] == '1');
        else if (cell != NULL)
            put_number(values + i * width, format, width, cell);
    }
}

/* Texts that are garbage are two bytes that are no UTF-8. */
static const char *text_at(const cell_range *r, int64_t i)
{
    const char *cell = cell_at(r, i);
    return cell != NULL ? cell : "\xff\xfe";
}

static void put_texts(struct ArrowArray *array, bool large, const arrow_layout *layout, const cell_range *r)
{
    int64_t total = r->before + r->n + r->behind, size = 0, end = 0;
    for (int64_t i = 0; i < total; i++)
        size += (int64_t)strlen(text_at(r, i));
    unsigned char *offsets = add_buffer(array, layout, (size_t)(total + 1) * (large ? 8 : 4));
    unsigned char *bytes = add_buffer(array, layout, (size_t)size);
    for (int64_t i = 0; i <= total; i++) {
        int32_t small = (int32_t)end;
        memcpy(offsets + i * (large ? 8 : 4), large ? (void *)&end : (void *)&small, large ? 8 : 4);
        if (i < total) {
            memcpy(bytes + end, text_at(r, i), strlen(text_at(r, i)));
            end += (int64_t)strlen(text_at(r, i));
        }
    }
}

/* Long texts lie in two buffers by turns. */
static void put_views(struct ArrowArray *array, const arrow_layout *layout, const cell_range *r)
{
    int64_t total = r->before + r->n + r->behind, sizes[2] = {0}, ends[2] = {0};
    for (int64_t i = 0; i < total; i++)
        if (strlen(text_at(r, i)) > 12)
            sizes[i % 2] += (int64_t)strlen(text_at(r, i));
    unsigned char *views = add_buffer(array, layout, (size_t)total * 16);
    unsigned char *pieces[2] = {add_buffer(array, layout, (size_t)sizes[0]), add_buffer(array, layout, (size_t)sizes[1])};
    for (int64_t i = 0; i < total; i++) {
        const char *text = text_at(r, i);
        int32_t length = (int32_t)strlen(text), piece = (int32_t)(i % 2), at = (int32_t)ends[piece];
        if (cell_at(r, i) == NULL)
            continue; /* garbage */
        memset(views + i * 16, 0, 16);
        memcpy(views + i * 16, &length, 4);
        memcpy(views + i * 16 + 4, text, length <= 12 ? (size_t)length : 4);
        if (length > 12) {
            memcpy(views + i * 16 + 8, &piece, 4);
            memcpy(views + i * 16 + 12, &at, 4);
            memcpy(pieces[piece] + at, text, (size_t)length);
            ends[piece] += length;
        }
    }
    memcpy(add_buffer(array, layout, sizeof ends), ends, sizeof ends);
}

static void put_values(struct ArrowArray *array, const char *format, const arrow_layout *layout, const cell_range *r)
{
    array->length = r->before + r->n + r->behind - layout->array_offset;
    array->offset = layout->array_offset;
    if (strcmp(format, "n") == 0) {
        array->null_count = array->length;
        return;
    }
    put_validity(array, layout, r);
    if (strcmp(format, "vu") == 0)
        put_views(array, layout, r);
    else if (strcmp(format, "u") == 0 || strcmp(format, "U") == 0)
        put_texts(array, format[0] == 'U', layout, r);
    else
        put_fixed(array, format, layout, r);
}

/* ---- dictionaries ----------------------------------------------------------------------------------------------------- */

typedef struct entry_list {
    const char **entries;
    int64_t n;
} entry_list;

static int64_t find_entry(const entry_list *list, const char *cell)
{
    for (int64_t i = 0; i < list->n; i++)
        if (list->entries[i] != NULL && strcmp(list->entries[i], cell) == 0)
            return i;
    return -1;
}

/* The distinct cells. An odd dictionary begins with a null, has every third entry twice, and rows are null by way of it. */
static entry_list list_entries(const cell_range *r, bool odd)
{
    entry_list list = {.entries = take((size_t)(2 * r->n + 1) * sizeof *list.entries)};
    if (odd)
        list.entries[list.n++] = NULL;
    for (int64_t i = 0; i < r->n; i++) {
        if (r->cells[i] == NULL || find_entry(&list, r->cells[i]) >= 0)
            continue;
        list.entries[list.n++] = r->cells[i];
        if (odd && list.n % 3 == 0)
            list.entries[list.n++] = r->cells[i];
    }
    return list;
}

static void put_dictionary(struct ArrowArray *array, const arrow_field *field, const arrow_layout *layout,
                           const cell_range *r)
{
    entry_list list = list_entries(r, layout->odd_dictionary);
    char(*texts)[24] = take((size_t)r->n * sizeof *texts);
    const char **indices = take((size_t)r->n * sizeof *indices);
    for (int64_t i = 0; i < r->n; i++) {
        bool by_entry = layout->odd_dictionary && i % 2 == 0;
        int64_t index = r->cells[i] != NULL ? find_entry(&list, r->cells[i]) : 0;
        if (r->cells[i] != NULL && by_entry && index + 1 < list.n && list.entries[index + 1] == list.entries[index])
            index++;
        snprintf(texts[i], sizeof texts[i], "%lld", (long long)index);
        indices[i] = r->cells[i] != NULL || by_entry ? texts[i] : NULL;
    }
    put_values(array, field->format, layout, &(cell_range){indices, r->n, r->before, r->behind});
    array->dictionary = take(sizeof *array->dictionary);
    ((array_holding *)array->private_data)->dictionary = array->dictionary;
    init_array(array->dictionary, NULL);
    put_values(array->dictionary, field->entry_format, layout,
               &(cell_range){list.entries, list.n, layout->array_offset, layout->rows_behind});
    array->dictionary->length = list.n;
    free(indices);
    free(texts);
    free(list.entries);
}

/* ---- batches ---------------------------------------------------------------------------------------------------------- */

static void make_batch(struct ArrowArray *out, const arrow_table *table, const arrow_layout *layout, int64_t first,
                       int64_t n, arrow_counts *counts)
{
    init_array(out, counts);
    counts->arrays++;
    out->length = n;
    out->offset = layout->batch_offset;
    array_holding *holding = out->private_data;
    holding->children = out->children = take((size_t)table->n_columns * sizeof *out->children);
    if (layout->batch_validity) {
        unsigned char *bits = add_buffer(out, layout, (size_t)(layout->batch_offset + n + 7) / 8);
        for (int64_t i = 0; i < n; i++)
            set_bit(bits, layout->batch_offset + i, true);
        out->null_count = -1;
    } else {
        add_no_buffer(out);
    }
    for (; out->n_children < table->n_columns; out->n_children++) {
        const arrow_field *field = &table->fields[out->n_children];
        struct ArrowArray *child = take(sizeof *child);
        cell_range r = {field->cells != NULL ? field->cells + first : NULL, n, layout->array_offset + layout->batch_offset,
                        layout->rows_behind};
        out->children[out->n_children] = child;
        init_array(child, NULL);
        if (field->entry_format != NULL)
            put_dictionary(child, field, layout, &r);
        else
            put_values(child, field->format, layout, &r);
    }
    holding->n_children = out->n_children;
}

/* ---- the schema ------------------------------------------------------------------------------------------------------- */

static void release_schema(struct ArrowSchema *schema)
{
    arrow_counts *counts = schema->private_data;
    require(schema->release != NULL);
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release != NULL)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    if (schema->dictionary != NULL && schema->dictionary->release != NULL)
        schema->dictionary->release(schema->dictionary);
    free(schema->dictionary);
    free((char *)schema->format);
    free((char *)schema->name);
    if (counts != NULL)
        counts->released_schemas++;
    schema->release = NULL;
}

static void make_schema(struct ArrowSchema *out, const char *format, const char *name)
{
    *out = (struct ArrowSchema){.format = copy_text(format),
                                .name = name != NULL ? copy_text(name) : NULL,
                                .flags = ARROW_FLAG_NULLABLE,
                                .release = release_schema};
}

static void make_table_schema(struct ArrowSchema *out, const arrow_table *table, arrow_counts *counts)
{
    make_schema(out, "+s", "");
    out->private_data = counts;
    counts->schemas++;
    out->children = take((size_t)table->n_columns * sizeof *out->children);
    for (; out->n_children < table->n_columns; out->n_children++) {
        const arrow_field *field = &table->fields[out->n_children];
        struct ArrowSchema *child = take(sizeof *child);
        out->children[out->n_children] = child;
        make_schema(child, field->format, field->name);
        if (field->entry_format != NULL) {
            child->dictionary = take(sizeof *child->dictionary);
            make_schema(child->dictionary, field->entry_format, NULL);
        }
    }
}

/* ---- the stream ------------------------------------------------------------------------------------------------------- */

typedef struct stream_state {
    const arrow_table *table;
    const arrow_layout *layout;
    arrow_counts *counts;
    int64_t next_row, n_calls, n_batches;
    bool was_empty, ended;
} stream_state;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    stream_state *s = stream->private_data;
    if (s->layout->fail_schema != 0)
        return s->layout->fail_schema;
    make_table_schema(out, s->table, s->counts);
    if (s->layout->spoil_schema != NULL)
        s->layout->spoil_schema(out, s->layout->payload);
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    stream_state *s = stream->private_data;
    int64_t left = s->table->n_rows - s->next_row, n = s->layout->batch_rows > 0 ? s->layout->batch_rows : left;
    require(!s->ended);
    if (s->layout->fail_next != 0 && s->n_calls == s->layout->fail_at)
        return s->layout->fail_next;
    s->n_calls++;
    n = n < left ? n : left;
    if (s->layout->empty_batches && !s->was_empty) {
        s->was_empty = true;
        n = 0;
    } else if (left == 0) {
        *out = (struct ArrowArray){0};
        s->ended = true;
        return 0;
    } else {
        s->was_empty = false;
    }
    make_batch(out, s->table, s->layout, s->next_row, n, s->counts);
    if (s->layout->spoil != NULL)
        s->layout->spoil(out, s->n_batches, s->layout->payload);
    s->n_batches++;
    s->next_row += n;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const stream_state *s = stream->private_data;
    return s->layout->no_message ? NULL : "the producer\nis tired";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream_state *s = stream->private_data;
    require(stream->release != NULL);
    s->counts->released_streams++;
    free(s);
    stream->release = NULL;
}

void arrow_produce(struct ArrowArrayStream *out, const arrow_table *table, const arrow_layout *layout, arrow_counts *counts)
{
    static const arrow_layout plain = {0};
    stream_state *s = take(sizeof *s);
    *s = (stream_state){.table = table, .layout = layout != NULL ? layout : &plain, .counts = counts};
    counts->streams++;
    *out = (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .get_last_error = get_last_error,
                                     .release = release_stream,
                                     .private_data = s};
}
