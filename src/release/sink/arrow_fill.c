/* The rows of a batch of an Arrow release: entries of their groups or codes, and texts of the source's cells. */
#include "release/sink/arrow_build.h"

#include "core/alloc.h"

#include <string.h>

/* ---- a batch of entries ------------------------------------------------------------------------------------------- */

/* The row whose value stands in the i-th place of the release. */
static inline int64_t row_at(const kanon__arrow_build *b, const kanon__arrow_released *c, int64_t i)
{
    if (c->rows != NULL)
        return c->rows[i];
    return b->plan->order != NULL ? b->plan->order[i] : i;
}

/* The entry that a row shows; -1: null. */
static inline int64_t entry_of(const kanon__arrow_build *b, const kanon__arrow_released *c, int64_t row)
{
    int64_t entry = c->origin == KANON__ARROW_BY_GROUP
                        ? b->plan->group_of[row]
                        : (int64_t)kanon__code_at(b->table->data.columns[c->number].codes, row);
    return entry >= 0 && (c->entries.all_valid || c->entries.valid[entry]) ? entry : -1;
}

static inline void set_bit(uint8_t *bits, int64_t i)
{
    bits[i >> 3] = (uint8_t)(bits[i >> 3] | 1u << (i & 7));
}

enum { CHUNK = 1024 }; /* rows whose entries are looked up before any of them is copied; whole bytes of validity */

/* The entries of n rows from the i-th of the release on. */
static void find_entries(int32_t *found, const kanon__arrow_build *b, const kanon__arrow_released *c, int64_t i, int64_t n)
{
    for (int64_t at = 0; at < n; at++)
        found[at] = (int32_t)entry_of(b, c, row_at(b, c, i + at));
}

/* Set the bit of each row that has one; returns how many have none. */
static int64_t mark_entries(uint8_t *bits, const int32_t *found, int64_t n)
{
    int64_t n_null = 0;
    for (int64_t i = 0; i < n; i += 8) {
        unsigned byte = 0, n_bits = n - i < 8 ? (unsigned)(n - i) : 8;
        for (unsigned bit = 0; bit < n_bits; bit++)
            byte |= (unsigned)(found[i + bit] >= 0) << bit;
        bits[i / 8] = (uint8_t)byte;
        n_null += n_bits - (unsigned)__builtin_popcount(byte);
    }
    return n_null;
}

#define COPY_ENTRIES(type)                                                                                                  \
    for (int64_t i = 0; i < n; i++) {                                                                                       \
        if (found[i] >= 0)                                                                                                  \
            memcpy(to + i * (int64_t)sizeof(type), values + (int64_t)found[i] * (int64_t)sizeof(type), sizeof(type));       \
    }

/* What stands at nulls stays zero. */
static void copy_entries(char *to, const char *values, int width, const int32_t *found, int64_t n)
{
    switch (width) {
    case 1:
        COPY_ENTRIES(int8_t)
        break;
    case 2:
        COPY_ENTRIES(int16_t)
        break;
    case 4:
        COPY_ENTRIES(int32_t)
        break;
    case 8:
        COPY_ENTRIES(int64_t)
        break;
    default:
        COPY_ENTRIES(__int128)
    }
}

static void fill_values(const kanon__arrow_build *b, const kanon__arrow_released *c, kanon__arrow_range r,
                        void *const *blocks, int64_t *n_null)
{
    int width = c->entries.width;
    int32_t found[CHUNK];
    for (int64_t first = 0, n; first < r.n; first += n) {
        n = r.n - first < CHUNK ? r.n - first : CHUNK;
        find_entries(found, b, c, r.begin + first, n);
        *n_null += mark_entries((uint8_t *)blocks[0] + first / 8, found, n);
        copy_entries((char *)blocks[1] + first * width, c->entries.values, width, found, n);
    }
}

static kanon_status fail_too_long(const kanon__arrow_build *b, const kanon__arrow_released *c, kanon_error *err)
{
    return kanon__fail(err, KANON_EDATA, "column %s: more than 2 GB of text in %d records",
                       b->table->data.columns[c->number].name, KANON__ARROW_BATCH_ROWS);
}

static kanon_status fill_texts(const kanon__arrow_build *b, const kanon__arrow_released *c, kanon__arrow_range r,
                               kanon__arrow_memory *memory, int64_t *n_null, kanon_error *err)
{
    const kanon__arrow_entries *e = &c->entries;
    int32_t *offsets = NULL;
    int64_t n_bytes = 0;
    KANON_CHECK(kanon__arrow_memory_block(memory, 0, r.n / 8 + 1, err));
    KANON_CHECK(kanon__arrow_memory_block(memory, 1, (r.n + 1) * (int64_t)sizeof *offsets, err));
    offsets = memory->blocks[1];
    for (int64_t i = 0; i < r.n; i++) {
        int64_t entry = entry_of(b, c, row_at(b, c, r.begin + i));
        *n_null += entry < 0;
        if (entry >= 0) {
            n_bytes += e->ends[entry] - (entry > 0 ? e->ends[entry - 1] : 0);
            set_bit(memory->blocks[0], i);
        }
        if (n_bytes > INT32_MAX)
            return fail_too_long(b, c, err);
        offsets[i + 1] = (int32_t)n_bytes;
    }
    KANON_CHECK(kanon__arrow_memory_block(memory, 2, n_bytes, err));
    for (int64_t i = 0; i < r.n; i++) {
        int64_t entry = entry_of(b, c, row_at(b, c, r.begin + i));
        if (entry >= 0)
            memcpy((char *)memory->blocks[2] + offsets[i], e->values + (entry > 0 ? e->ends[entry - 1] : 0),
                   (size_t)(offsets[i + 1] - offsets[i]));
    }
    return KANON_OK;
}

static kanon_status add_dictionary(struct ArrowArray *array, const kanon__arrow_entries *e, kanon_error *err)
{
    const void *buffers[3] = {NULL, e->labels->blocks[0], e->labels->blocks[1]};
    struct ArrowArray dictionary;
    KANON_CHECK(kanon__arrow_array_init(&dictionary, kanon__arrow_memory_share(e->labels), e->n_labels, 0, buffers, 3, err));
    kanon__arrow_array_adopt(array, &dictionary);
    return KANON_OK;
}

/* Truth values: a bit for each row. */
static void fill_truths(const kanon__arrow_build *b, const kanon__arrow_released *c, kanon__arrow_range r,
                        void *const *blocks, int64_t *n_null)
{
    for (int64_t i = 0; i < r.n; i++) {
        int64_t entry = entry_of(b, c, row_at(b, c, r.begin + i));
        *n_null += entry < 0;
        if (entry >= 0)
            set_bit(blocks[0], i);
        if (entry >= 0 && c->entries.values[entry] != 0)
            set_bit(blocks[1], i);
    }
}

static kanon_status make_values(const kanon__arrow_build *b, const kanon__arrow_released *c, kanon__arrow_range r,
                                kanon__arrow_memory *memory, int64_t *n_null, kanon_error *err)
{
    KANON_CHECK(kanon__arrow_memory_block(memory, 0, r.n / 8 + 1, err));
    KANON_CHECK(kanon__arrow_memory_block(memory, 1, c->entries.truths ? r.n / 8 + 1 : r.n * c->entries.width, err));
    (c->entries.truths ? fill_truths : fill_values)(b, c, r, memory->blocks, n_null);
    return KANON_OK;
}

kanon_status kanon__arrow_fill_entries(const kanon__arrow_build *b, const kanon__arrow_released *c, kanon__arrow_range r,
                                       struct ArrowArray *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_memory *memory = NULL;
    int64_t n_null = 0;
    bool texts = c->entries.width == 0;
    KANON_TRY(kanon__arrow_memory_new(&memory, NULL, NULL, err), out);
    KANON_TRY(texts ? fill_texts(b, c, r, memory, &n_null, err) : make_values(b, c, r, memory, &n_null, err), out);
    const void *buffers[3] = {n_null > 0 ? memory->blocks[0] : NULL, memory->blocks[1], memory->blocks[2]};
    kanon__arrow_memory *given = memory;
    memory = NULL;
    KANON_TRY(kanon__arrow_array_init(out, given, r.n, n_null, buffers, texts ? 3 : 2, err), out);
    if (c->entries.labels != NULL)
        KANON_TRY(add_dictionary(out, &c->entries, err), out);
out:
    kanon__arrow_memory_free(memory);
    return st;
}

/* ---- a batch of cells --------------------------------------------------------------------------------------------- */

/* The text of a column while its rows are read. */
typedef struct text_column {
    const kanon__arrow_released *column;
    struct ArrowArray *out;
    int32_t *offsets;
    char *bytes;
    int64_t n_bytes, capacity;
} text_column;

static kanon_status take_cell(const kanon__arrow_build *b, text_column *t, const kanon__cell *cell, int64_t i,
                              kanon_error *err)
{
    KANON_CHECK(kanon__grow_array(&t->bytes, &t->capacity, t->n_bytes + (int64_t)cell->length, "released records", err));
    t->n_bytes += (int64_t)kanon__csv_unescape(t->bytes + t->n_bytes, cell);
    if (t->n_bytes > INT32_MAX)
        return fail_too_long(b, t->column, err);
    t->offsets[i + 1] = (int32_t)t->n_bytes;
    return KANON_OK;
}

/* The cell that the place in the release shows, where the cursor stands on its row. */
static kanon_status take_shown_cell(const kanon__arrow_build *b, text_column *t, const kanon__cursor *cursor, int64_t place,
                                    int64_t i, kanon_error *err)
{
    const kanon__permuted_column *permuted = t->column->permuted;
    if (permuted == NULL)
        return take_cell(b, t, &cursor->cells[t->column->number], i, err);
    const kanon__cell cell = kanon__permuted_cell(permuted, b->plan->order != NULL ? b->plan->order[place] : place);
    return take_cell(b, t, &cell, i, err);
}

static kanon_status read_on(kanon__cursor *cursor, kanon_error *err)
{
    bool has_row;
    kanon_status st = cursor->source->class->next(cursor, &has_row, err);
    if (st == KANON_OK && !has_row)
        st = kanon__fail(err, KANON_EINTERNAL, "%s ended early when it was read again", cursor->source->name);
    return st;
}

/* Go to the first row of a batch: to the part it is in, and on from there. */
static kanon_status go_to(const kanon__arrow_build *b, kanon__cursor *cursor, int64_t row, kanon_error *err)
{
    const kanon__source *source = b->table->source;
    int64_t low = 0, high = source->n_parts;
    while (high - low > 1) { /* part_rows[low] <= row */
        int64_t middle = low + (high - low) / 2;
        if (source->part_rows[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    kanon_status st = KANON_OK;
    source->class->seek(cursor, source->part_rows[low], NULL);
    for (int64_t at = source->part_rows[low]; st == KANON_OK && at < row; at++)
        st = read_on(cursor, err);
    return st;
}

static kanon_status read_cells(const kanon__arrow_build *b, kanon__arrow_range r, text_column *texts, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__source_class *class = b->table->source->class;
    kanon__cursor *cursor = NULL;
    KANON_TRY(class->open(&cursor, b->table->source, err), out);
    if (b->plan->order == NULL && r.n > 0)
        KANON_TRY(go_to(b, cursor, r.begin, err), out);
    for (int64_t i = 0; i < r.n; i++) {
        if (b->plan->order != NULL)
            class->seek(cursor, b->plan->order[r.begin + i], b->positions);
        KANON_TRY(read_on(cursor, err), out);
        for (int c = 0; c < b->n_cells; c++)
            KANON_TRY(take_shown_cell(b, &texts[c], cursor, r.begin + i, i, err), out);
    }
out:
    if (cursor != NULL)
        class->close(cursor);
    return st;
}

static kanon_status finish_cells(text_column *t, int64_t n, kanon_error *err)
{
    kanon__arrow_memory *memory = NULL;
    KANON_CHECK(kanon__arrow_memory_new(&memory, NULL, NULL, err));
    const void *buffers[3] = {NULL, t->offsets, t->bytes};
    memory->blocks[0] = t->offsets;
    memory->sizes[0] = (size_t)(n + 1) * sizeof *t->offsets;
    memory->blocks[1] = t->bytes;
    memory->sizes[1] = (size_t)t->n_bytes;
    t->offsets = NULL;
    t->bytes = NULL;
    return kanon__arrow_array_init(t->out, memory, n, 0, buffers, 3, err);
}

kanon_status kanon__arrow_fill_cells(const kanon__arrow_build *b, kanon__arrow_range r, struct ArrowArray *batch,
                                     kanon_error *err)
{
    kanon_status st = KANON_OK;
    text_column *texts = NULL;
    int n = 0;
    KANON_TRY(kanon__new_array(&texts, b->n_cells, "released records", err), out);
    for (int i = 0; i < b->out->n_fields; i++) {
        if (b->columns[i].origin != KANON__ARROW_CELLS)
            continue;
        text_column *t = &texts[n++];
        *t = (text_column){.column = &b->columns[i], .out = batch->children[i]};
        KANON_TRY(kanon__new_array(&t->offsets, r.n + 1, "released records", err), out);
        KANON_TRY(kanon__grow_array(&t->bytes, &t->capacity, 1, "released records", err), out);
    }
    KANON_TRY(read_cells(b, r, texts, err), out);
    for (int i = 0; i < b->n_cells; i++)
        KANON_TRY(finish_cells(&texts[i], r.n, err), out);
out:
    for (int i = 0; i < n; i++) {
        kanon__free(texts[i].bytes);
        kanon__free(texts[i].offsets);
    }
    kanon__free(texts);
    return st;
}
