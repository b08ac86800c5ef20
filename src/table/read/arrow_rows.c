/* Reading all rows of an Arrow source once: typed values become dictionary codes, column by column.
 *
 * A value of fixed width is looked up as a number: in a table by value where the column's numbers lie close together, else
 * in a hash table. Only a value that is new is printed. The entries of an Arrow dictionary are looked up once each, and rows
 * take the codes of their entries.
 *
 *     rows    30   null   41   30   41        texts   "30"  ""  "41"      in the order of first appearance
 *     codes    0      1    2    0    2        null_code 1
 *
 * Null, and NaN, has a code of its own, whose text is none of the column's. */
#include "table/read/arrow_source.h"

#include "core/arrow_block.h"
#include "core/pool.h"
#include "core/text.h"
#include "table/read/arrow_text.h"

#include <math.h>

enum { FIRST_SLOTS = 1024, CELL_NS = 5, TICK_ROWS = 1 << 14 };

/* A value of fixed width as a number. Equal values have equal keys. */
typedef struct key {
    uint64_t low, high; /* high: of decimals, else 0 */
} key;

typedef struct column_read {
    const kanon__arrow_source *source;
    const kanon__arrow_type *type;
    int column;
    kanon__dictionary *texts;
    kanon__codes *codes;
    bool spilled;
    uint32_t null_code;
    int null_text; /* which text stands for null */
    bool clashed;  /* that text is also a value */
    /* by value - least, where values lie close together */
    uint32_t *direct;
    uint64_t least, n_direct;
    /* else, open addressing: 32 bits of the hash above the code + 1; 0 is free */
    uint64_t *slots;
    int64_t n_slots;
    kanon__hash_key hash_key;
    key *keys; /* by code */
    int64_t keys_capacity;
    /* of the dictionary that came last: the code of each entry, KANON__NO_CODE: not asked for yet */
    uint32_t *entry_codes;
    int64_t entries_capacity;
    kanon__arrow_buffers entries;
    int64_t first_row; /* of the batch, for messages */
    kanon__ticker ticker;
} column_read;

typedef struct arrow_read {
    kanon__arrow_source *source;
    kanon__raw_columns *columns;
    kanon__shared_ticker ticker;
} arrow_read;

/* ---- null ------------------------------------------------------------------------------------------------------------- */

static kanon_status add_null(column_read *r, uint32_t *code, kanon_error *err)
{
    char text[KANON__ARROW_TEXT_SIZE];
    if (r->null_code == KANON__NO_CODE) {
        uint32_t before = r->texts->n;
        kanon_status st = kanon__dictionary_add(r->texts, &r->null_code, text, kanon__arrow_null_text(text, r->null_text),
                                                err);
        if (st != KANON_OK)
            return st;
        r->clashed = r->texts->n == before;
    }
    *code = r->null_code;
    return KANON_OK;
}

/* ---- new values ------------------------------------------------------------------------------------------------------- */

static kanon_status fail_value(const column_read *r, int64_t row, const char *what, const char *hint, kanon_error *err)
{
    char place[KANON__PLACE_TEXT];
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: %s: %s",
                                  kanon__source_place(place, &r->source->base, r->first_row + row),
                                  r->source->base.column_names[r->column], what);
    return kanon__hint(err, st, "%s", hint);
}

/* What no domain can hold. */
static kanon_status check_value(const column_read *r, const kanon__arrow_buffers *b, int64_t i, int64_t row,
                                kanon_error *err)
{
    const int64_t first_day = -719162, last_day = 2932896; /* 0001-01-01 and 9999-12-31 */
    if (r->type->kind == KANON__ARROW_REAL && isinf(kanon__arrow_entry_real(r->type, b, i)))
        return fail_value(r, row, "an infinite number", "replace it with null where it means 'no value'", err);
    if (r->type->kind == KANON__ARROW_DATE) {
        int64_t day = (int64_t)kanon__arrow_entry_integer(r->type, b, i) / r->type->units;
        if (day < first_day || day > last_day)
            return fail_value(r, row, "a date outside the years 1 to 9999", "replace it with null where it means 'no value'",
                              err);
    }
    return KANON_OK;
}

static kanon_status add_value(column_read *r, uint32_t *code, const kanon__arrow_buffers *b, int64_t i, int64_t row,
                              kanon_error *err)
{
    char text[KANON__ARROW_TEXT_SIZE];
    kanon_status st = check_value(r, b, i, row, err);
    return st == KANON_OK ? kanon__dictionary_add(r->texts, code, text, kanon__arrow_print(text, r->type, b, i), err) : st;
}

/* ---- values that lie close together ----------------------------------------------------------------------------------- */

static bool is_whole(const kanon__arrow_type *type)
{
    return type->kind == KANON__ARROW_INTEGER || type->kind == KANON__ARROW_DATE || type->kind == KANON__ARROW_TIMESTAMP;
}

/* Signed and unsigned numbers in one order. */
static inline uint64_t in_order(const kanon__arrow_type *type, uint64_t bits)
{
    return type->is_signed ? bits ^ (uint64_t)1 << 63 : bits;
}

/* The least and the greatest number of the column. */
static void find_range(const column_read *r, uint64_t *least, uint64_t *most)
{
    const kanon__arrow_source *s = r->source;
    *least = UINT64_MAX;
    *most = 0;
    for (int64_t batch = 0; batch < s->n_batches; batch++) {
        kanon__arrow_view view = kanon__arrow_source_view(s, batch, r->column);
        for (int64_t i = 0; i < view.rows.length; i++) {
            uint64_t x = in_order(r->type, kanon__arrow_entry_integer(r->type, &view.rows, i));
            if (view.rows.validity != NULL && !kanon__arrow_is_valid(&view.rows, i))
                continue;
            *least = x < *least ? x : *least;
            *most = x > *most ? x : *most;
        }
        kanon__arrow_array_rest(s->batches[batch].children[r->column]);
    }
}

/* A table by value where that takes little room. */
static kanon_status make_direct(column_read *r, kanon_error *err)
{
    const uint64_t always = 1 << 16;
    uint64_t least, most;
    if (r->type->index_width > 0 || !is_whole(r->type))
        return KANON_OK;
    find_range(r, &least, &most);
    if (least > most || most - least >= always + (uint64_t)r->source->base.n_rows)
        return KANON_OK;
    int64_t n = (int64_t)(most - least) + 1;
    kanon_status st = kanon__new_array(&r->direct, n, "codes", err);
    if (st != KANON_OK)
        return st;
    memset(r->direct, 0xff, (size_t)n * sizeof *r->direct);
    r->least = least;
    r->n_direct = (uint64_t)n;
    return KANON_OK;
}

/* ---- values in a hash table ------------------------------------------------------------------------------------------- */

static inline key key_of(const kanon__arrow_type *type, const kanon__arrow_buffers *b, int64_t i)
{
    key k = {0};
    if (type->kind == KANON__ARROW_REAL) {
        double value = kanon__arrow_entry_real(type, b, i) + 0.0; /* -0 and 0 are one value */
        memcpy(&k.low, &value, sizeof value);
    } else if (type->kind == KANON__ARROW_DECIMAL) {
        unsigned __int128 value = (unsigned __int128)kanon__arrow_entry_decimal(b, i);
        k.low = (uint64_t)value;
        k.high = (uint64_t)(value >> 64);
    } else if (type->kind == KANON__ARROW_BOOL) {
        k.low = kanon__arrow_entry_bool(b, i);
    } else {
        k.low = kanon__arrow_entry_integer(type, b, i);
    }
    return k;
}

static inline uint32_t tag_of(const column_read *r, key k)
{
    return (uint32_t)(kanon__hash_pair(&r->hash_key, k.low, k.high) >> 32);
}

static void put_slot(uint64_t *slots, int64_t n_slots, uint64_t slot)
{
    uint64_t last = (uint64_t)n_slots - 1, i = slot >> 32 & last;
    while (slots[i] != 0)
        i = (i + 1) & last;
    slots[i] = slot;
}

static kanon_status grow_slots(column_read *r, kanon_error *err)
{
    uint64_t *slots = NULL;
    int64_t n_slots = r->n_slots > 0 ? r->n_slots * 2 : FIRST_SLOTS;
    kanon_status st = kanon__new_array(&slots, n_slots, "codes", err);
    if (st != KANON_OK)
        return st;
    for (int64_t i = 0; i < r->n_slots; i++)
        if (r->slots[i] != 0)
            put_slot(slots, n_slots, r->slots[i]);
    kanon__free(r->slots);
    r->slots = slots;
    r->n_slots = n_slots;
    return KANON_OK;
}

static kanon_status add_key(column_read *r, uint32_t *code, key k, uint32_t tag, const kanon__arrow_buffers *b, int64_t i,
                            int64_t row, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(add_value(r, code, b, i, row, err), out);
    KANON_TRY(kanon__grow_array(&r->keys, &r->keys_capacity, (int64_t)r->texts->n, "codes", err), out);
    r->keys[*code] = k;
    if ((int64_t)r->texts->n * 2 > r->n_slots)
        KANON_TRY(grow_slots(r, err), out);
    put_slot(r->slots, r->n_slots, (uint64_t)tag << 32 | (*code + 1));
out:
    return st;
}

static inline kanon_status code_of_key(column_read *r, uint32_t *code, const kanon__arrow_buffers *b, int64_t i, int64_t row,
                                       kanon_error *err)
{
    key k = key_of(r->type, b, i);
    uint32_t tag = tag_of(r, k);
    uint64_t last = (uint64_t)r->n_slots - 1, at = tag & last;
    for (uint64_t slot; (slot = r->slots[at]) != 0; at = (at + 1) & last) {
        *code = (uint32_t)slot - 1;
        if (slot >> 32 == tag && r->keys[*code].low == k.low && r->keys[*code].high == k.high)
            return KANON_OK;
    }
    return add_key(r, code, k, tag, b, i, row, err);
}

/* ---- any value -------------------------------------------------------------------------------------------------------- */

static inline kanon_status code_of_text(column_read *r, uint32_t *code, const kanon__arrow_buffers *b, int64_t i,
                                        kanon_error *err)
{
    kanon__arrow_text text = kanon__arrow_entry_text(r->type, b, i);
    kanon_status st = kanon__dictionary_add(r->texts, code, text.bytes, text.length, err);
    r->clashed |= *code == r->null_code;
    return st;
}

/* The code of entry i, which is shown in row `row` of the batch. */
static inline kanon_status code_of(column_read *r, uint32_t *code, const kanon__arrow_buffers *b, int64_t i, int64_t row,
                                   kanon_error *err)
{
    if (kanon__arrow_entry_is_null(r->type, b, i))
        return add_null(r, code, err);
    if (r->type->kind == KANON__ARROW_TEXT)
        return code_of_text(r, code, b, i, err);
    if (r->type->kind == KANON__ARROW_REAL && isnan(kanon__arrow_entry_real(r->type, b, i)))
        return add_null(r, code, err);
    if (r->direct == NULL)
        return code_of_key(r, code, b, i, row, err);
    uint32_t *known = &r->direct[in_order(r->type, kanon__arrow_entry_integer(r->type, b, i)) - r->least];
    *code = *known;
    if (*code != KANON__NO_CODE)
        return KANON_OK;
    kanon_status st = add_value(r, code, b, i, row, err);
    *known = *code;
    return st;
}

static kanon_status code_of_entry(column_read *r, uint32_t *code, const kanon__arrow_view *view, int64_t row,
                                  kanon_error *err)
{
    if (!kanon__arrow_is_valid(&view->rows, row))
        return add_null(r, code, err);
    int64_t entry = kanon__arrow_index(view, row);
    *code = r->entry_codes[entry];
    if (*code != KANON__NO_CODE)
        return KANON_OK;
    kanon_status st = code_of(r, code, &view->entries, entry, row, err);
    if (st == KANON_OK)
        r->entry_codes[entry] = *code;
    return st;
}

/* ---- a column --------------------------------------------------------------------------------------------------------- */

/* Forget the codes of another dictionary. Batches of one table mostly have the same. */
static kanon_status enter_dictionary(column_read *r, const kanon__arrow_view *view, kanon_error *err)
{
    if (kanon__arrow_same_entries(&r->entries, &view->entries))
        return KANON_OK;
    kanon_status st = kanon__grow_array(&r->entry_codes, &r->entries_capacity, view->entries.length, "codes", err);
    if (st != KANON_OK)
        return st;
    for (int64_t i = 0; i < view->entries.length; i++)
        r->entry_codes[i] = KANON__NO_CODE;
    r->entries = view->entries;
    return KANON_OK;
}

static kanon_status read_batch(column_read *r, int64_t batch, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_view view = kanon__arrow_source_view(r->source, batch, r->column);
    bool is_dictionary = r->type->index_width > 0;
    r->first_row = r->source->batch_rows[batch];
    if (is_dictionary)
        KANON_TRY(enter_dictionary(r, &view, err), out);
    for (int64_t i = 0; i < view.rows.length && !r->clashed; i++) {
        uint32_t code;
        KANON_TRY(is_dictionary ? code_of_entry(r, &code, &view, i, err) : code_of(r, &code, &view.rows, i, i, err), out);
        int64_t row = r->first_row + i;
        if (!kanon__codes_hold(*r->codes, code))
            KANON_TRY(kanon__codes_move(r->codes, row, r->source->base.n_rows, code + 1, r->spilled, err), out);
        kanon__code_set(*r->codes, row, code);
        if (row % TICK_ROWS == 0)
            KANON_TRY(kanon__tick(&r->ticker, 0, 0, TICK_ROWS * CELL_NS, err), out);
    }
    kanon__arrow_array_rest(r->source->batches[batch].children[r->column]);
out:
    return st;
}

static void clear_column(column_read *r)
{
    kanon__free(r->entry_codes);
    kanon__free(r->keys);
    kanon__free(r->slots);
    kanon__free(r->direct);
}

/* Whether the text for null is also a value of the column: one that differs from it in white space at its ends alone is. */
static bool null_is_a_value(const column_read *r)
{
    size_t length, null_length;
    if (r->null_code == KANON__NO_CODE || r->type->kind != KANON__ARROW_TEXT)
        return false;
    const char *null = kanon__dictionary_text(r->texts, r->null_code, &null_length);
    for (uint32_t code = 0; code < r->texts->n; code++) {
        const char *text = kanon__dictionary_text(r->texts, code, &length);
        if (code != r->null_code && kanon__same_value(text, length, null, null_length))
            return true;
    }
    return false;
}

/* Read the column with one text for null. */
static kanon_status try_column(column_read *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__dictionary_init(r->texts, err), out);
    KANON_TRY(kanon__codes_new(r->codes, r->source->base.n_rows, 1, r->spilled, err), out);
    KANON_TRY(make_direct(r, err), out);
    kanon__hash_key_draw(&r->hash_key);
    KANON_TRY(grow_slots(r, err), out);
    for (int64_t i = 0; i < r->source->n_batches && !r->clashed; i++)
        KANON_TRY(read_batch(r, i, err), out);
    r->clashed = r->clashed || null_is_a_value(r);
out:
    clear_column(r);
    return st;
}

static kanon_status read_column(int64_t number, void *payload, kanon_error *err)
{
    arrow_read *a = payload;
    const kanon__raw_columns *columns = a->columns;
    int column = columns->wanted[number];
    kanon__ticker ticker;
    kanon__shared_ticker_task(&ticker, &a->ticker);
    for (int null_text = 0;; null_text++) {
        column_read r = {.source = a->source,
                         .type = &a->source->types[column],
                         .column = column,
                         .texts = &columns->dictionaries[column],
                         .codes = &columns->codes[column],
                         .spilled = columns->spilled,
                         .null_code = KANON__NO_CODE,
                         .null_text = null_text,
                         .ticker = ticker};
        kanon_status st = try_column(&r, err);
        columns->null_codes[column] = r.null_code;
        if (st != KANON_OK || !r.clashed) {
            kanon__shared_ticker_add(&a->ticker, a->source->base.n_rows);
            return st;
        }
        kanon__codes_clear(r.codes);
        kanon__dictionary_clear(r.texts);
    }
}

/* Each column rests when it has been read, but to read the one beside it brings some of its pages back. */
static void rest_all(const kanon__arrow_source *s)
{
    for (int64_t batch = 0; batch < s->n_batches; batch++)
        for (int64_t i = 0; i < s->batches[batch].n_children; i++)
            kanon__arrow_array_rest(s->batches[batch].children[i]);
}

kanon_status kanon__arrow_source_read(kanon__source *source, kanon__raw_columns *columns, kanon_error *err)
{
    enum { WORTH_A_THREAD = 10000 };
    kanon_status st = KANON_OK;
    arrow_read a = {.source = (kanon__arrow_source *)source, .columns = columns};
    KANON_TRY(kanon__arrow_source_load(source, columns->threads, columns->ticker, err), out);
    columns->spilled = kanon__codes_are_scarce(columns, source->n_rows);
    bool alone = columns->memory > 0 || source->n_rows < WORTH_A_THREAD;
    kanon__shared_ticker_init(&a.ticker, columns->ticker, source->n_rows * columns->n_wanted);
    st = kanon__pool_run(alone ? 1 : columns->threads, columns->n_wanted, read_column, &a, err);
    kanon__shared_ticker_clear(&a.ticker);
    rest_all(a.source);
out:
    return st;
}
