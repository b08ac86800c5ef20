/* See arrow_column.h. Joins the arrays of a column and reads their values as keys in blocks, so that the loops of the
 * check compare plain numbers. */
#include "verify/arrow_column.h"

#include "core/alloc.h"

/* ---- a column ----------------------------------------------------------------------------------------------------- */

static bool is_same_dictionary(const struct ArrowArray *a, const struct ArrowArray *b)
{
    if (a->length != b->length || a->offset != b->offset || a->n_buffers != b->n_buffers || a->null_count != b->null_count)
        return false;
    for (int64_t i = 0; i < a->n_buffers; i++)
        if (a->buffers[i] != b->buffers[i])
            return false;
    return true;
}

static void number_entries(kanon__read_column *c)
{
    for (int64_t i = 0; i < c->n_batches; i++) {
        const struct ArrowArray *entries = c->arrays[i]->dictionary;
        if (i > 0 && entries != NULL && is_same_dictionary(entries, c->arrays[i - 1]->dictionary)) {
            c->entry_begins[i] = c->entry_begins[i - 1];
            continue;
        }
        c->entry_begins[i] = c->n_entries;
        c->n_entries += entries != NULL ? entries->length : 0;
    }
}

kanon_status kanon__read_column_init(kanon__read_column *out, const struct ArrowSchema *schema,
                                     const struct ArrowArray *batches, int64_t n_batches, const int64_t *begins, int child,
                                     kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__read_column){.shape = kanon__read_shape_of(schema), .n_batches = n_batches, .begins = begins};
    KANON_TRY(kanon__new_array(&out->arrays, n_batches, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&out->skipped, n_batches, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&out->entry_begins, n_batches, "the check of the release", err), out);
    for (int64_t i = 0; i < n_batches; i++) {
        out->arrays[i] = batches[i].children[child];
        out->skipped[i] = batches[i].offset;
        if ((out->arrays[i]->dictionary != NULL) != (out->shape.index_size > 0))
            KANON_TRY(kanon__fail(err, KANON_EINTERNAL, "the check found an array of another type"), out);
    }
    number_entries(out);
out:
    if (st != KANON_OK)
        kanon__read_column_clear(out);
    return st;
}

void kanon__read_column_clear(kanon__read_column *c)
{
    kanon__free(c->entry_begins);
    kanon__free(c->skipped);
    kanon__free(c->arrays);
    *c = (kanon__read_column){0};
}

kanon__read_value kanon__read_row(const kanon__read_column *c, int64_t row)
{
    int64_t batch = kanon__read_batch(c, row);
    return kanon__read_at(c->shape, c->arrays[batch], c->skipped[batch] + row - c->begins[batch]);
}

bool kanon__read_has_new_entries(const kanon__read_column *c, int64_t batch)
{
    return batch == 0 || c->entry_begins[batch] != c->entry_begins[batch - 1];
}

kanon__read_value kanon__read_entry(const kanon__read_column *c, int64_t batch, int64_t i)
{
    kanon__read_shape shape = {.letter = c->shape.letter, .size = c->shape.size};
    return kanon__read_at(shape, c->arrays[batch]->dictionary, i);
}

/* ---- keys --------------------------------------------------------------------------------------------------------- */

/* The bits of a double, those of negative ones turned round, are in the order of the values. */
static inline int64_t key_of_real(double value)
{
    int64_t bits;
    if (value != value)
        return KANON__READ_NAN;
    value += 0.0; /* no minus zero */
    memcpy(&bits, &value, sizeof bits);
    return bits >= 0 ? bits : bits ^ INT64_MAX;
}

static inline int64_t key_of_large(uint64_t value)
{
    return (int64_t)(value ^ (uint64_t)1 << 63);
}

int64_t kanon__read_key_of(kanon__read_shape shape, kanon__read_value value)
{
    if (value.kind == KANON__READ_REAL)
        return key_of_real(value.real);
    return shape.letter == 'w' && shape.size == 8 ? key_of_large((uint64_t)value.whole) : (int64_t)value.whole;
}

#define READ_ALL(type, key)                                                                                                 \
    for (int64_t i = 0; i < n; i++) {                                                                                       \
        type value;                                                                                                         \
        memcpy(&value, from + i * (int64_t)sizeof value, sizeof value);                                                     \
        keys[i] = (key);                                                                                                    \
    }

/* n values from `place` on, whatever stands under nulls. */
static void read_values(int64_t *keys, char letter, int size, const void *values, int64_t place, int64_t n)
{
    const char *from = (const char *)values + place * size;
    int kind = letter == 'i' ? size : letter == 'w' ? 10 + size : letter == 'f' ? 20 + size : 0;
    switch (kind) {
    case 1:
        READ_ALL(int8_t, value)
        break;
    case 2:
        READ_ALL(int16_t, value)
        break;
    case 4:
        READ_ALL(int32_t, value)
        break;
    case 8:
        READ_ALL(int64_t, value)
        break;
    case 11:
        READ_ALL(uint8_t, value)
        break;
    case 12:
        READ_ALL(uint16_t, value)
        break;
    case 14:
        READ_ALL(uint32_t, value)
        break;
    case 18:
        READ_ALL(uint64_t, key_of_large(value))
        break;
    case 24:
        READ_ALL(float, key_of_real((double)value))
        break;
    case 28:
        READ_ALL(double, key_of_real(value))
        break;
    default:
        for (int64_t i = 0; i < n; i++)
            keys[i] = kanon__read_bit(values, place + i);
    }
}

/* n rows of one batch. */
static void read_rows(int64_t *keys, bool *valid, const kanon__read_column *c, int64_t batch, int64_t row, int64_t n)
{
    const struct ArrowArray *array = c->arrays[batch];
    int64_t place = array->offset + c->skipped[batch] + row - c->begins[batch], begin = c->entry_begins[batch];
    bool indices = c->shape.index_size > 0;
    if (indices) { /* sound ones are below 2^63, so those of eight bytes may be read as signed */
        read_values(keys, c->shape.index_size == 8 ? 'i' : c->shape.index_letter, c->shape.index_size, array->buffers[1],
                    place, n);
        for (int64_t i = 0; begin > 0 && i < n; i++)
            keys[i] += begin;
    } else {
        read_values(keys, c->shape.letter, c->shape.size, array->buffers[1], place, n);
    }
    memset(valid, 1, (size_t)n);
    if (array->null_count == 0 || array->buffers[0] == NULL)
        return;
    for (int64_t i = 0; i < n; i++) {
        valid[i] = kanon__read_bit(array->buffers[0], place + i);
        keys[i] = valid[i] ? keys[i] : 0;
    }
}

void kanon__read_block(kanon__read_keys *out, const kanon__read_column *c, const int32_t *rows, int64_t first, int64_t n)
{
    for (int64_t i = 0; rows != NULL && i < n; i++)
        read_rows(&out->keys[i], &out->valid[i], c, kanon__read_batch(c, rows[i]), rows[i], 1);
    for (int64_t i = 0, some; rows == NULL && i < n; i += some) {
        int64_t batch = kanon__read_batch(c, first + i);
        some = c->begins[batch + 1] - first - i;
        some = some < n - i ? some : n - i;
        read_rows(&out->keys[i], &out->valid[i], c, batch, first + i, some);
    }
}
