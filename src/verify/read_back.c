/* See read_back.h. */
#include "verify/read_back.h"

#include "core/alloc.h"
#include "core/arrow_block.h"
#include "core/pool.h"
#include "table/read/arrow_text.h"
#include "verify/arrow_reader.h"

#include <math.h>
#include <stdio.h>

enum { REMEMBERED = 1 << 12, NO_VALUE = 1, NUMBER = 2, REAL = 3, TEXT = 4 };

/* A column while it is read. Dates and other values that are printed first are remembered by what they are: most tables have
 * few of them. */
typedef struct digest_column {
    kanon__read_shape shape;
    kanon__arrow_type type;
    uint64_t seed; /* of the name */
    int64_t values[REMEMBERED];
    uint64_t hashes[REMEMBERED]; /* 0: nothing is remembered */
} digest_column;

typedef struct digest_reader {
    kanon__hash_key key;
    digest_column *columns;
    int n_columns;
    uint64_t *rows;    /* by row of a batch */
    uint64_t *entries; /* by entry of a dictionary */
    int64_t capacity, entries_capacity;
} digest_reader;

static void clear_reader(digest_reader *r)
{
    kanon__free(r->entries);
    kanon__free(r->rows);
    kanon__free(r->columns);
}

static kanon_status init_reader(digest_reader *out, const kanon__hash_key *key, const struct ArrowSchema *schema,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (digest_reader){.key = *key, .n_columns = (int)schema->n_children};
    KANON_TRY(kanon__new_array(&out->columns, out->n_columns, "columns", err), out);
    for (int i = 0; i < out->n_columns; i++) {
        const struct ArrowSchema *column = schema->children[i];
        const char *name = column->name != NULL ? column->name : "";
        KANON_TRY(kanon__arrow_type_of(&out->columns[i].type, column, err), out);
        out->columns[i].shape = kanon__read_shape_of(column);
        out->columns[i].seed = kanon__hash_text(key, name, strlen(name));
    }
out:
    if (st != KANON_OK) {
        clear_reader(out);
        *out = (digest_reader){0};
    }
    return st;
}

/* ---- cells -------------------------------------------------------------------------------------------------------- */

static uint64_t hash_of_text(const digest_reader *r, const char *text, size_t length)
{
    return kanon__hash_pair(&r->key, TEXT, kanon__hash_text(&r->key, text, length));
}

/* A real that is a whole number is that number: databases and drivers do not all tell the two apart. */
static uint64_t hash_of_real(const digest_reader *r, double value)
{
    uint64_t bits;
    if (isnan(value))
        return kanon__hash_pair(&r->key, NO_VALUE, 0);
    if (fabs(value) < 9e15 && value == floor(value))
        return kanon__hash_pair(&r->key, NUMBER, (uint64_t)(int64_t)value);
    memcpy(&bits, &value, sizeof bits);
    return kanon__hash_pair(&r->key, REAL, bits);
}

/* Values that are whole numbers for the reader and something else for people. */
static size_t print_value(char *text, const kanon__arrow_type *type, __int128 value)
{
    static const char *const words[] = {"false", "true"};
    switch (type->kind) {
    case KANON__ARROW_BOOL:
        return (size_t)sprintf(text, "%s", words[value != 0]);
    case KANON__ARROW_DATE:
        return kanon__arrow_print_date(text, (int64_t)value / type->units);
    case KANON__ARROW_TIMESTAMP:
        return kanon__arrow_print_timestamp(text, (int64_t)value, type->units, type->zoned);
    default:
        return kanon__arrow_print_decimal(text, value, type->scale);
    }
}

static uint64_t hash_of_printed(const digest_reader *r, digest_column *c, __int128 value)
{
    char text[KANON__ARROW_TEXT_SIZE];
    size_t place = (size_t)((uint64_t)value * UINT64_C(0x9e3779b97f4a7c15) >> 52);
    bool small = value == (int64_t)value;
    if (small && c->hashes[place] != 0 && c->values[place] == (int64_t)value)
        return c->hashes[place];
    uint64_t hash = hash_of_text(r, text, print_value(text, &c->type, value));
    if (small) {
        c->values[place] = (int64_t)value;
        c->hashes[place] = hash;
    }
    return hash;
}

static uint64_t hash_of(const digest_reader *r, digest_column *c, kanon__read_value value)
{
    switch (value.kind) {
    case KANON__READ_NULL:
        return kanon__hash_pair(&r->key, NO_VALUE, 0);
    case KANON__READ_REAL:
        return hash_of_real(r, value.real);
    case KANON__READ_TEXT:
        return hash_of_text(r, value.bytes, value.length);
    default:
        return c->type.kind == KANON__ARROW_INTEGER ? kanon__hash_pair(&r->key, NUMBER, (uint64_t)value.whole)
                                                    : hash_of_printed(r, c, value.whole);
    }
}

/* ---- batches ------------------------------------------------------------------------------------------------------ */

/* One more cell of a row. */
static inline void add_cell(const digest_reader *r, const digest_column *c, int64_t row, uint64_t hash)
{
    r->rows[row] += kanon__hash_pair(&r->key, c->seed, hash);
}

/* Whole numbers, dates and times without nulls, the most frequent columns. */
static void add_wholes(const digest_reader *r, digest_column *c, const struct ArrowArray *array, int64_t first, int64_t n)
{
    bool number = c->type.kind == KANON__ARROW_INTEGER;
    for (int64_t row = 0; row < n; row++) {
        __int128 value = kanon__read_whole(array->buffers[1], first + row, c->shape.size, c->shape.letter == 'i');
        add_cell(r, c, row, number ? kanon__hash_pair(&r->key, NUMBER, (uint64_t)value) : hash_of_printed(r, c, value));
    }
}

/* Texts without nulls. */
static void add_texts(const digest_reader *r, const digest_column *c, const struct ArrowArray *array, int64_t first,
                      int64_t n)
{
    const char *bytes = array->buffers[2] != NULL ? array->buffers[2] : "";
    int64_t begin = (int64_t)kanon__read_whole(array->buffers[1], first, c->shape.size, true);
    for (int64_t row = 0; row < n; row++) {
        int64_t end = (int64_t)kanon__read_whole(array->buffers[1], first + row + 1, c->shape.size, true);
        add_cell(r, c, row, hash_of_text(r, bytes + begin, (size_t)(end - begin)));
        begin = end;
    }
}

/* Entries of a dictionary: each is looked at once. */
static kanon_status add_entries(digest_reader *r, digest_column *c, const struct ArrowArray *array, int64_t first, int64_t n,
                                kanon_error *err)
{
    const struct ArrowArray *entries = array->dictionary;
    kanon__read_shape shape = {.letter = c->shape.letter, .size = c->shape.size};
    KANON_CHECK(kanon__grow_array(&r->entries, &r->entries_capacity, entries->length, "entries", err));
    for (int64_t i = 0; i < entries->length; i++)
        r->entries[i] = hash_of(r, c, kanon__read_at(shape, entries, i));
    uint64_t none = kanon__hash_pair(&r->key, NO_VALUE, 0);
    for (int64_t row = 0; row < n; row++) {
        bool is_null = kanon__read_is_null(array, first + row);
        int64_t index = (int64_t)kanon__read_whole(array->buffers[1], first + row, c->shape.index_size,
                                                   c->shape.index_letter == 'i');
        add_cell(r, c, row, is_null ? none : r->entries[index]);
    }
    return KANON_OK;
}

/* Add `n` cells of a sound array to their rows. */
static kanon_status add_column(digest_reader *r, digest_column *c, const struct ArrowArray *array, int64_t offset, int64_t n,
                               kanon_error *err)
{
    bool no_nulls = array->null_count == 0 || array->n_buffers == 0 || array->buffers[0] == NULL;
    int64_t first = array->offset + offset;
    if (n == 0)
        return KANON_OK;
    if (c->shape.index_size > 0)
        return add_entries(r, c, array, first, n, err);
    if (no_nulls && (c->shape.letter == 'i' || c->shape.letter == 'w'))
        add_wholes(r, c, array, first, n);
    else if (no_nulls && c->shape.letter == 'u')
        add_texts(r, c, array, first, n);
    else
        for (int64_t row = 0; row < n; row++)
            add_cell(r, c, row, hash_of(r, c, kanon__read_at(c->shape, array, offset + row)));
    return KANON_OK;
}

/* Add the rows of a batch, the first of which is row `first`, to a sum. */
static kanon_status add_batch(digest_reader *r, uint64_t *sum, const struct ArrowArray *batch, int64_t first, bool ordered,
                              kanon_error *err)
{
    int64_t n = batch->length;
    kanon_status st = kanon__grow_array(&r->rows, &r->capacity, n, "rows", err);
    for (int64_t row = 0; st == KANON_OK && row < n; row++)
        r->rows[row] = 0;
    for (int i = 0; st == KANON_OK && i < r->n_columns; i++) {
        const struct ArrowArray *array = batch->children[i];
        if (!kanon__read_is_sound(r->columns[i].shape, array) || array->length < batch->offset + n)
            return kanon__fail(err, KANON_EIO, "the driver breaks the Arrow C data interface");
        st = add_column(r, &r->columns[i], array, batch->offset, n, err);
    }
    for (int64_t row = 0; st == KANON_OK && row < n; row++)
        *sum += kanon__hash_pair(&r->key, r->rows[row], ordered ? (uint64_t)(first + row) : 0);
    return st;
}

/* A digest of batches in memory, some batches to each task. */
typedef struct digest_task {
    kanon__row_digest *digest;
    const struct ArrowSchema *schema;
    const struct ArrowArray *batches;
    int64_t n_batches, n_tasks;
} digest_task;

static kanon_status digest_some(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const digest_task *t = payload;
    digest_reader r;
    uint64_t sum = 0;
    int64_t row = 0, first = t->n_batches * task / t->n_tasks, last = t->n_batches * (task + 1) / t->n_tasks;
    st = init_reader(&r, &t->digest->key, t->schema, err);
    for (int64_t i = 0; st == KANON_OK && i < last; i++) {
        if (i >= first)
            st = add_batch(&r, &sum, &t->batches[i], row, t->digest->ordered, err);
        for (int64_t c = 0; i >= first && c < t->batches[i].n_children; c++)
            kanon__arrow_array_rest(t->batches[i].children[c]);
        row += t->batches[i].length;
    }
    __atomic_add_fetch(&t->digest->sum, sum, __ATOMIC_RELAXED);
    clear_reader(&r);
    return st;
}

kanon_status kanon__row_digest_of(kanon__row_digest *out, bool ordered, const struct ArrowSchema *schema,
                                  const struct ArrowArray *batches, int64_t n_batches, int threads, kanon_error *err)
{
    enum { BATCHES_PER_TASK = 16 };
    digest_task all = {out, schema, batches, n_batches, n_batches / BATCHES_PER_TASK + 1};
    *out = (kanon__row_digest){.ordered = ordered};
    kanon__hash_key_draw(&out->key);
    for (int64_t i = 0; i < n_batches; i++)
        out->n_rows += batches[i].length;
    return kanon__pool_run(threads, all.n_tasks, digest_some, &all, err);
}

static kanon_status fail_other(const char *called, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EIO, "%s: what was written does not read back as what was given", called);
    return kanon__hint(err, st, "nothing was kept; the database, or its driver, changes values");
}

/* Whether a batch has the columns, and rows none of which is null as a whole. */
static bool has_rows(const struct ArrowArray *batch, int n_columns)
{
    bool some_null = batch->null_count != 0 && batch->n_buffers > 0 && batch->buffers != NULL && batch->buffers[0] != NULL;
    return batch->n_children == n_columns && batch->length >= 0 && batch->offset >= 0 && !some_null;
}

static kanon_status read_all(kanon__row_digest *found, digest_reader *r, struct ArrowArrayStream *rows, const char *called,
                             kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (;;) {
        struct ArrowArray batch = {0};
        if (rows->get_next(rows, &batch) != 0)
            return kanon__fail(err, KANON_EIO, "%s: what was written cannot be read back", called);
        if (batch.release == NULL)
            return KANON_OK;
        st = has_rows(&batch, r->n_columns) ? add_batch(r, &found->sum, &batch, found->n_rows, found->ordered, err)
                                            : fail_other(called, err);
        found->n_rows += batch.length;
        batch.release(&batch);
        if (st != KANON_OK)
            return st;
    }
}

kanon_status kanon__verify_read_back(const kanon__row_digest *written, struct ArrowArrayStream *rows, const char *called,
                                     kanon_error *err)
{
    kanon_status st = KANON_OK;
    struct ArrowSchema schema = {0};
    digest_reader r = {0};
    kanon__row_digest found = {.key = written->key, .ordered = written->ordered};
    if (rows->get_schema(rows, &schema) != 0 || schema.release == NULL)
        KANON_TRY(kanon__fail(err, KANON_EIO, "%s: what was written cannot be read back", called), out);
    KANON_TRY(init_reader(&r, &written->key, &schema, err), out);
    KANON_TRY(read_all(&found, &r, rows, called, err), out);
    if (found.n_rows != written->n_rows || found.sum != written->sum)
        st = fail_other(called, err);
out:
    clear_reader(&r);
    if (schema.release != NULL)
        schema.release(&schema);
    if (rows->release != NULL)
        rows->release(rows);
    return st;
}
