/* Kept columns of an Arrow table: references to the buffers of the input, or copies of its values (arrow_kept.h says when).
 *
 * Batches may have dictionaries of their own, so a column gets one dictionary with the entries that are used of all batches,
 * and indices are translated. */
#include "release/sink/arrow_kept.h"

#include "core/alloc.h"
#include "core/arrow_block.h"

#include <string.h>

/* ---- bits and indices --------------------------------------------------------------------------------------------- */

static inline void set_bit(uint8_t *bits, int64_t i)
{
    bits[i >> 3] = (uint8_t)(bits[i >> 3] | 1u << (i & 7));
}

static inline void store(char *to, int64_t i, int width, int64_t value)
{
    switch (width) {
    case 1:
        memcpy(to + i, &(int8_t){(int8_t)value}, 1);
        break;
    case 2:
        memcpy(to + i * 2, &(int16_t){(int16_t)value}, 2);
        break;
    case 4:
        memcpy(to + i * 4, &(int32_t){(int32_t)value}, 4);
        break;
    default:
        memcpy(to + i * 8, &value, 8);
    }
}

static bool index_fits(int64_t n_entries, int width, bool is_signed)
{
    int bits = 8 * width - (is_signed ? 1 : 0);
    return bits >= 32 || n_entries <= (int64_t)1 << bits;
}

/* ---- one dictionary for all batches ------------------------------------------------------------------------------- */

/* The bytes that tell an entry from others. */
static kanon__arrow_text entry_key(char *flag, const kanon__arrow_type *type, const kanon__arrow_buffers *b, int64_t i)
{
    if (type->kind == KANON__ARROW_TEXT)
        return kanon__arrow_entry_text(type, b, i);
    if (type->kind == KANON__ARROW_BOOL) {
        *flag = kanon__arrow_entry_bool(b, i);
        return (kanon__arrow_text){flag, 1};
    }
    return (kanon__arrow_text){b->values + (b->offset + i) * type->width, (size_t)type->width};
}

enum { IS_NULL = -1, NOT_USED = -2 };

/* The new number of an entry that is used for the first time. */
static kanon_status number_entry(int32_t *out, const kanon__arrow_view *v, kanon__dictionary *all, int64_t i,
                                 kanon_error *err)
{
    uint32_t code;
    char flag;
    *out = IS_NULL;
    if (kanon__arrow_entry_is_null(v->type, &v->entries, i))
        return KANON_OK;
    kanon__arrow_text key = entry_key(&flag, v->type, &v->entries, i);
    KANON_CHECK(kanon__dictionary_add(all, &code, key.bytes, key.length, err));
    *out = (int32_t)code;
    return KANON_OK;
}

/* The batch of a row. Batches mostly have one size. */
static inline int64_t batch_of(const kanon__arrow_source *s, int64_t row)
{
    int64_t guess = row / s->batch_rows[1];
    if (guess < s->n_batches && s->batch_rows[guess] <= row && row < s->batch_rows[guess + 1])
        return guess;
    return kanon__arrow_source_batch(s, row);
}

/* Number the entries in the order in which the release uses them first. */
static kanon_status number_entries(kanon__arrow_kept *k, kanon__dictionary *all, const int32_t *order, int64_t n,
                                   kanon_error *err)
{
    int64_t batch = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t row = order != NULL ? order[i] : i;
        if (row < k->source->batch_rows[batch] || row >= k->source->batch_rows[batch + 1]) {
            if (order == NULL)
                kanon__arrow_array_rest(k->source->batches[batch].children[k->column]);
            batch = batch_of(k->source, row);
        }
        const kanon__arrow_view *v = &k->views[batch];
        int64_t at = row - k->source->batch_rows[batch];
        if (!kanon__arrow_is_valid(&v->rows, at))
            continue;
        int64_t index = kanon__arrow_index(v, at);
        if (k->new_index[batch][index] == NOT_USED)
            KANON_CHECK(number_entry(&k->new_index[batch][index], v, all, index, err));
    }
    return KANON_OK;
}

/* Number those that are used again, in the order of the one dictionary that there is. */
static kanon_status sort_entries(kanon__arrow_kept *k, kanon__dictionary *all, kanon_error *err)
{
    kanon__dictionary_clear(all);
    KANON_CHECK(kanon__dictionary_init(all, err));
    for (int64_t i = 0; i < k->views[0].entries.length; i++)
        if (k->new_index[0][i] != NOT_USED)
            KANON_CHECK(number_entry(&k->new_index[0][i], &k->views[0], all, i, err));
    return KANON_OK;
}

/* Room for the numbers of each dictionary. One that several batches in a row have is numbered once. */
static kanon_status list_dictionaries(kanon__arrow_kept *k, kanon_error *err)
{
    KANON_CHECK(kanon__new_array(&k->new_index, k->source->n_batches, "an Arrow dictionary", err));
    k->ordered = (k->source->schema.children[k->column]->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0;
    for (int64_t batch = 0; batch < k->source->n_batches; batch++) {
        const kanon__arrow_buffers *entries = &k->views[batch].entries;
        if (batch > 0 && kanon__arrow_same_entries(entries, &k->views[batch - 1].entries)) {
            k->new_index[batch] = k->new_index[batch - 1];
            continue;
        }
        k->ordered &= batch == 0; /* there is no order among several */
        KANON_CHECK(kanon__new_array(&k->new_index[batch], entries->length, "an Arrow dictionary", err));
        for (int64_t i = 0; i < entries->length; i++)
            k->new_index[batch][i] = NOT_USED;
    }
    return KANON_OK;
}

static kanon_status make_text_entries(kanon__arrow_kept *k, const kanon__dictionary *all, int width, kanon_error *err)
{
    void **blocks = k->entries->blocks;
    int64_t n_bytes = 0;
    size_t length;
    for (uint32_t i = 0; i < all->n; i++) {
        kanon__dictionary_text(all, i, &length);
        n_bytes += (int64_t)length;
    }
    if (width == 4 && n_bytes > INT32_MAX)
        return kanon__fail(err, KANON_EDATA, "column %s: a dictionary of more than 2 GB",
                           k->table->data.columns[k->column].name);
    KANON_CHECK(kanon__new_array((char **)&blocks[0], ((int64_t)all->n + 1) * width, "an Arrow dictionary", err));
    KANON_CHECK(kanon__new_array((char **)&blocks[1], n_bytes, "an Arrow dictionary", err));
    n_bytes = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        const char *text = kanon__dictionary_text(all, i, &length);
        if (length > 0)
            memcpy((char *)blocks[1] + n_bytes, text, length);
        n_bytes += (int64_t)length;
        store(blocks[0], (int64_t)i + 1, width, n_bytes);
    }
    k->entry_buffers[1] = blocks[0];
    k->entry_buffers[2] = blocks[1];
    k->n_entry_buffers = 3;
    return KANON_OK;
}

static kanon_status make_fixed_entries(kanon__arrow_kept *k, const kanon__dictionary *all, const kanon__arrow_type *type,
                                       kanon_error *err)
{
    char *values = NULL;
    bool bits = type->kind == KANON__ARROW_BOOL;
    int64_t size = bits ? (int64_t)all->n / 8 + 1 : (int64_t)all->n * type->width;
    KANON_CHECK(kanon__new_array(&values, size, "an Arrow dictionary", err));
    k->entries->blocks[0] = values;
    for (uint32_t i = 0; i < all->n; i++) {
        size_t length;
        const char *key = kanon__dictionary_text(all, i, &length);
        if (!bits)
            memcpy(values + (size_t)i * length, key, length);
        else if (*key != 0)
            set_bit((uint8_t *)values, i);
    }
    k->entry_buffers[1] = values;
    k->n_entry_buffers = 2;
    return KANON_OK;
}

static kanon_status unify_dictionaries(kanon__arrow_kept *k, const int32_t *order, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__arrow_type *type = &k->source->types[k->column];
    kanon__dictionary all = {0};
    KANON_TRY(kanon__dictionary_init(&all, err), out);
    KANON_TRY(list_dictionaries(k, err), out);
    KANON_TRY(number_entries(k, &all, order, n, err), out);
    if (k->ordered && k->source->n_batches > 0)
        KANON_TRY(sort_entries(k, &all, err), out);
    KANON_TRY(kanon__arrow_memory_new(&k->entries, NULL, NULL, err), out);
    k->n_entries = all.n;
    if (type->kind == KANON__ARROW_TEXT)
        KANON_TRY(make_text_entries(k, &all, type->width == 8 ? 8 : 4, err), out);
    else if (type->kind != KANON__ARROW_NULL)
        KANON_TRY(make_fixed_entries(k, &all, type, err), out);
    /* signed, too, where they become wider: see make_field */
    k->index_width = index_fits(k->n_entries, type->index_width, type->index_signed) ? type->index_width : 4;
out:
    kanon__dictionary_clear(&all);
    return st;
}

/* ---- a column ----------------------------------------------------------------------------------------------------- */

static bool is_view(const kanon__arrow_type *type)
{
    return type->index_width == 0 && type->kind == KANON__ARROW_TEXT && type->width == 16;
}

/* The type is that of the input, but for a dictionary whose indices became too many or whose entries were views. */
static kanon_status make_field(kanon__arrow_field *field, const kanon__arrow_kept *k, kanon_error *err)
{
    const struct ArrowSchema *schema = k->source->schema.children[k->column], *entry = schema->dictionary;
    const kanon__arrow_type *type = &k->source->types[k->column];
    const char *format = schema->format, *entry_format = entry != NULL ? entry->format : NULL;
    if (entry != NULL && k->index_width != type->index_width)
        format = "i";
    if (entry != NULL && type->kind == KANON__ARROW_TEXT && type->width == 16)
        entry_format = "u";
    KANON_CHECK(kanon__arrow_field_init(field, k->table->data.columns[k->column].name, "", format, entry_format, err));
    field->flags = (schema->flags & ARROW_FLAG_NULLABLE) | (k->ordered ? ARROW_FLAG_DICTIONARY_ORDERED : 0);
    field->entry_flags = entry != NULL ? entry->flags & ARROW_FLAG_NULLABLE : 0;
    return KANON_OK;
}

kanon_status kanon__arrow_kept_init(kanon__arrow_kept *out, kanon__arrow_field *field, const kanon_table *table, int column,
                                    const int32_t *order, int64_t n_released, kanon_error *err)
{
    const kanon__arrow_source *s = kanon__arrow_source_of(table->source);
    *out = (kanon__arrow_kept){.table = table, .source = s, .column = column};
    KANON_CHECK(kanon__new_array(&out->views, s->n_batches, "Arrow batches", err));
    for (int64_t batch = 0; batch < s->n_batches; batch++)
        out->views[batch] = kanon__arrow_source_view(s, batch, column);
    if (s->types[column].index_width > 0)
        KANON_CHECK(unify_dictionaries(out, order, n_released, err));
    return make_field(field, out, err);
}

void kanon__arrow_kept_clear(kanon__arrow_kept *k)
{
    for (int64_t batch = 0; k->new_index != NULL && batch < k->source->n_batches; batch++)
        if (batch == 0 || k->new_index[batch] != k->new_index[batch - 1])
            kanon__free(k->new_index[batch]);
    kanon__free(k->new_index);
    kanon__arrow_memory_free(k->entries);
    kanon__free(k->views);
    *k = (kanon__arrow_kept){0};
}

/* ---- references --------------------------------------------------------------------------------------------------- */

/* Whether a batch is the whole of its array, and what stands in the buffers is what is released. */
static bool is_whole(const kanon__arrow_kept *k, int64_t batch)
{
    const kanon__arrow_type *type = &k->source->types[k->column];
    const struct ArrowArray *records = &k->source->batches[batch], *array = records->children[k->column];
    bool nulls = array->null_count != 0 && array->n_buffers > 0 && array->buffers[0] != NULL;
    if (type->index_width > 0 || type->kind == KANON__ARROW_BOOL || type->kind == KANON__ARROW_NULL || is_view(type))
        return false;
    if (records->offset != 0 || array->offset != 0 || array->length != records->length || nulls)
        return false;
    return type->kind != KANON__ARROW_TEXT || kanon__arrow_load(array->buffers[1], 0, type->width, true) == 0;
}

static void drop_table(void *table)
{
    kanon_table_free(table);
}

static kanon_status refer(struct ArrowArray *out, const kanon__arrow_kept *k, int64_t batch, kanon_error *err)
{
    const struct ArrowArray *array = k->source->batches[batch].children[k->column];
    kanon__arrow_memory *memory = NULL;
    kanon_status st = kanon__arrow_memory_new(&memory, kanon__table_share(k->table), drop_table, err);
    if (st == KANON_OK)
        st = kanon__arrow_array_init(out, memory, array->length, 0, array->buffers, array->n_buffers, err);
    if (st == KANON_OK)
        out->buffers[0] = NULL; /* whatever stands there: nothing is null */
    return st;
}

/* ---- gathering ---------------------------------------------------------------------------------------------------- */

/* The rows of an array while they are gathered. */
typedef struct harvest {
    const kanon__arrow_kept *kept;
    const int32_t *rows; /* NULL: those of `batch` */
    int64_t batch, n, n_null;
    kanon__arrow_memory *memory; /* blocks: validity, values, bytes of texts */
    int64_t *piece_size;         /* of text views: in the bytes of texts */
} harvest;

/* Where row i lies: its batch, and its number there; NULL: it is null. */
static inline const kanon__arrow_view *find_row(const harvest *h, int64_t i, int64_t *batch, int64_t *at)
{
    *batch = h->rows == NULL ? h->batch : batch_of(h->kept->source, h->rows[i]);
    *at = h->rows == NULL ? i : h->rows[i] - h->kept->source->batch_rows[*batch];
    const kanon__arrow_view *v = &h->kept->views[*batch];
    return kanon__arrow_is_valid(&v->rows, *at) ? v : NULL;
}

/* Whether all rows can be copied in one piece. */
static bool is_plain(const harvest *h)
{
    return h->rows == NULL && h->kept->views[h->batch].rows.validity == NULL;
}

static kanon_status make_values(harvest *h, int64_t size, kanon_error *err)
{
    return kanon__arrow_memory_block(h->memory, 1, size, err);
}

static kanon_status gather_indices(harvest *h, kanon_error *err)
{
    kanon_status st = make_values(h, h->n * h->kept->index_width, err);
    for (int64_t i = 0; st == KANON_OK && i < h->n; i++) {
        int64_t batch, at;
        const kanon__arrow_view *v = find_row(h, i, &batch, &at);
        int32_t index = v != NULL ? h->kept->new_index[batch][kanon__arrow_index(v, at)] : IS_NULL;
        if (index < 0) {
            h->n_null++;
            continue;
        }
        set_bit(h->memory->blocks[0], i);
        store(h->memory->blocks[1], i, h->kept->index_width, index);
    }
    return st;
}

static kanon_status gather_bits(harvest *h, kanon_error *err)
{
    kanon_status st = make_values(h, h->n / 8 + 1, err);
    for (int64_t i = 0; st == KANON_OK && i < h->n; i++) {
        int64_t batch, at;
        const kanon__arrow_view *v = find_row(h, i, &batch, &at);
        h->n_null += v == NULL;
        if (v == NULL)
            continue;
        set_bit(h->memory->blocks[0], i);
        if (kanon__arrow_entry_bool(&v->rows, at))
            set_bit(h->memory->blocks[1], i);
    }
    return st;
}

static kanon_status gather_fixed(harvest *h, int width, kanon_error *err)
{
    kanon_status st = make_values(h, h->n * width, err);
    if (st == KANON_OK && is_plain(h)) {
        const kanon__arrow_buffers *b = &h->kept->views[h->batch].rows;
        memcpy(h->memory->blocks[1], b->values + b->offset * width, (size_t)h->n * (size_t)width);
        return KANON_OK;
    }
    for (int64_t i = 0; st == KANON_OK && i < h->n; i++) {
        int64_t batch, at;
        const kanon__arrow_view *v = find_row(h, i, &batch, &at);
        h->n_null += v == NULL;
        if (v == NULL)
            continue;
        set_bit(h->memory->blocks[0], i);
        memcpy((char *)h->memory->blocks[1] + i * width, v->rows.values + (v->rows.offset + at) * width, (size_t)width);
    }
    return st;
}

static kanon_status fail_too_long(const harvest *h, kanon_error *err)
{
    return kanon__fail(err, KANON_EDATA, "column %s: more than 2 GB of text in a batch",
                       h->kept->table->data.columns[h->kept->column].name);
}

static kanon_status gather_texts(harvest *h, const kanon__arrow_type *type, kanon_error *err)
{
    int64_t batch, at, n_bytes = 0;
    void **blocks = h->memory->blocks;
    KANON_CHECK(make_values(h, (h->n + 1) * type->width, err));
    for (int64_t i = 0; i < h->n; i++) {
        const kanon__arrow_view *v = find_row(h, i, &batch, &at);
        h->n_null += v == NULL;
        if (v != NULL) {
            n_bytes += (int64_t)kanon__arrow_entry_text(type, &v->rows, at).length;
            set_bit(blocks[0], i);
        }
        store(blocks[1], i + 1, type->width, n_bytes);
    }
    if (type->width == 4 && n_bytes > INT32_MAX)
        return fail_too_long(h, err);
    KANON_CHECK(kanon__arrow_memory_block(h->memory, 2, n_bytes, err));
    if (is_plain(h) && n_bytes > 0) {
        const kanon__arrow_buffers *b = &h->kept->views[h->batch].rows;
        memcpy(blocks[2], b->bytes + kanon__arrow_load(b->values, b->offset, type->width, true), (size_t)n_bytes);
        return KANON_OK;
    }
    n_bytes = 0;
    for (int64_t i = 0; i < h->n; i++) {
        const kanon__arrow_view *v = find_row(h, i, &batch, &at);
        if (v == NULL)
            continue;
        kanon__arrow_text text = kanon__arrow_entry_text(type, &v->rows, at);
        memcpy((char *)blocks[2] + n_bytes, text.bytes, text.length);
        n_bytes += (int64_t)text.length;
    }
    return KANON_OK;
}

/* A view: length and text where that has at most 12 bytes; else length, four bytes of it, piece and place there. */
static void store_view(char *to, kanon__arrow_text text, char *piece, int64_t *n_bytes)
{
    enum { INLINE = 12, PREFIX = 4 };
    memcpy(to, &(int32_t){(int32_t)text.length}, 4);
    if (text.length <= INLINE) {
        memcpy(to + 4, text.bytes, text.length);
        return;
    }
    memcpy(to + 4, text.bytes, PREFIX);
    memcpy(to + 12, &(int32_t){(int32_t)*n_bytes}, 4); /* piece 0 */
    memcpy(piece + *n_bytes, text.bytes, text.length);
    *n_bytes += (int64_t)text.length;
}

static kanon_status gather_views(harvest *h, const kanon__arrow_type *type, kanon_error *err)
{
    int64_t batch, at, n_bytes = 0;
    void **blocks = h->memory->blocks;
    KANON_CHECK(make_values(h, h->n * type->width, err));
    for (int64_t i = 0; i < h->n; i++) {
        const kanon__arrow_view *v = find_row(h, i, &batch, &at);
        n_bytes += v != NULL ? (int64_t)kanon__arrow_entry_text(type, &v->rows, at).length : 0;
    }
    if (n_bytes > INT32_MAX)
        return fail_too_long(h, err);
    /* the size of the piece stands in front of it */
    KANON_CHECK(kanon__arrow_memory_block(h->memory, 2, n_bytes + (int64_t)sizeof(int64_t), err));
    h->piece_size = blocks[2];
    for (int64_t i = 0; i < h->n; i++) {
        const kanon__arrow_view *v = find_row(h, i, &batch, &at);
        h->n_null += v == NULL;
        if (v == NULL)
            continue;
        set_bit(blocks[0], i);
        store_view((char *)blocks[1] + i * type->width, kanon__arrow_entry_text(type, &v->rows, at),
                   (char *)(h->piece_size + 1), h->piece_size);
    }
    return KANON_OK;
}

static kanon_status gather_values(harvest *h, const kanon__arrow_type *type, kanon_error *err)
{
    if (type->index_width > 0)
        return gather_indices(h, err);
    if (type->kind == KANON__ARROW_BOOL)
        return gather_bits(h, err);
    if (type->kind != KANON__ARROW_TEXT)
        return gather_fixed(h, type->width, err);
    return type->width == 16 ? gather_views(h, type, err) : gather_texts(h, type, err);
}

static kanon_status init_array(struct ArrowArray *out, harvest *h, const kanon__arrow_type *type, kanon_error *err)
{
    const void *buffers[4] = {h->n_null > 0 ? h->memory->blocks[0] : NULL, h->memory->blocks[1], h->memory->blocks[2]};
    int n_buffers = type->index_width == 0 && type->kind == KANON__ARROW_TEXT ? 3 : 2;
    if (is_view(type)) {
        buffers[2] = h->piece_size + 1;
        buffers[3] = h->piece_size;
        n_buffers = 4;
    }
    kanon_status st = kanon__arrow_array_init(out, h->memory, h->n, h->n_null, buffers, n_buffers, err);
    h->memory = NULL;
    return st;
}

static kanon_status add_dictionary(struct ArrowArray *array, const kanon__arrow_kept *k, kanon_error *err)
{
    struct ArrowArray dictionary;
    kanon_status st = kanon__arrow_array_init(&dictionary, kanon__arrow_memory_share(k->entries), k->n_entries, 0,
                                              k->entry_buffers, k->n_entry_buffers, err);
    if (st == KANON_OK)
        kanon__arrow_array_adopt(array, &dictionary);
    else
        kanon__arrow_array_clear(array);
    return st;
}

static kanon_status gather(struct ArrowArray *out, harvest *h, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__arrow_kept *k = h->kept;
    const kanon__arrow_type *type = &k->source->types[k->column];
    KANON_TRY(kanon__arrow_memory_new(&h->memory, NULL, NULL, err), out);
    if (type->kind == KANON__ARROW_NULL && type->index_width == 0) {
        st = kanon__arrow_array_init(out, h->memory, h->n, h->n, NULL, 0, err);
        h->memory = NULL;
        goto out;
    }
    KANON_TRY(kanon__arrow_memory_block(h->memory, 0, h->n / 8 + 1, err), out);
    KANON_TRY(gather_values(h, type, err), out);
    KANON_TRY(init_array(out, h, type, err), out);
    if (type->index_width > 0)
        KANON_TRY(add_dictionary(out, k, err), out);
out:
    kanon__arrow_memory_free(h->memory);
    return st;
}

kanon_status kanon__arrow_kept_batch(struct ArrowArray *out, const kanon__arrow_kept *k, int64_t batch, kanon_error *err)
{
    const int64_t *begins = k->source->batch_rows;
    harvest h = {.kept = k, .batch = batch, .n = begins[batch + 1] - begins[batch]};
    return is_whole(k, batch) ? refer(out, k, batch, err) : gather(out, &h, err);
}

kanon_status kanon__arrow_kept_rows(struct ArrowArray *out, const kanon__arrow_kept *k, const int32_t *rows, int64_t n,
                                    kanon_error *err)
{
    harvest h = {.kept = k, .rows = rows, .n = n};
    return gather(out, &h, err);
}
