/* See key_rows.h. Keys are numbered in the order of the table's rows, so the number of a key is its row. */
#include "audit/key_rows.h"

#include "core/alloc.h"
#include "core/text.h"

#include <string.h>

struct kanon__key_rows {
    const kanon__texts *key;
    kanon__dictionary keys;
    bool *taken; /* by row: an earlier row of the file is about it */
    char *bytes; /* the key of the current row: each text with its length in front */
    int64_t n, capacity;
};

static bool has_key(const kanon__texts *key, const kanon__source *source)
{
    for (int64_t i = 0; i < key->n; i++)
        if (kanon__source_find(source, key->items[i]) < 0)
            return false;
    return key->n > 0;
}

/* Space at the ends is no part of a text. */
static kanon_status add_text(kanon__key_rows *r, const kanon__cell *cell, kanon_error *err)
{
    int64_t most = r->n + (int64_t)(sizeof(size_t) + cell->length);
    kanon_status st = kanon__grow_array(&r->bytes, &r->capacity, most, "a key", err);
    if (st != KANON_OK)
        return st;
    char *text = r->bytes + r->n + sizeof(size_t);
    const char *bare = text;
    size_t length = kanon__csv_unescape(text, cell);
    kanon__trim(&bare, &length);
    memmove(text, bare, length);
    memcpy(r->bytes + r->n, &length, sizeof length);
    r->n += (int64_t)(sizeof length + length);
    return KANON_OK;
}

static kanon_status take_key(kanon__key_rows *r, const kanon__cursor *cursor, kanon_error *err)
{
    kanon_status st = KANON_OK;
    r->n = 0;
    for (int64_t i = 0; st == KANON_OK && i < r->key->n; i++)
        st = add_text(r, &cursor->cells[kanon__source_find(cursor->source, r->key->items[i])], err);
    return st;
}

static kanon_status fail_at(const kanon__key_rows *r, const kanon__cursor *cursor, const char *what, kanon_error *err)
{
    char place[KANON__PLACE_TEXT];
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: %s: %s", kanon__source_place(place, cursor->source, cursor->row),
                                  r->key->items[0], what);
    return kanon__hint(err, st, "the columns of the key must name each record once, in the table and in its release");
}

static kanon_status number_keys(kanon__key_rows *r, const kanon__source *table, kanon__ticker *ticker, kanon_error *err)
{
    enum { ROWS_PER_TICK = 256, ROW_NS = 500 };
    kanon_status st = KANON_OK;
    kanon__cursor *cursor = NULL;
    KANON_TRY(table->class->open(&cursor, table, err), out);
    for (int64_t row = 0;; row++) {
        bool has_row;
        uint32_t number;
        KANON_TRY(table->class->next(cursor, &has_row, err), out);
        if (!has_row)
            break;
        KANON_TRY(take_key(r, cursor, err), out);
        KANON_TRY(kanon__dictionary_add(&r->keys, &number, r->bytes, (size_t)r->n, err), out);
        if (number != row) {
            st = fail_at(r, cursor, "an earlier record has the same key", err);
            goto out;
        }
        if (row % ROWS_PER_TICK == 0)
            KANON_TRY(kanon__tick(ticker, cursor->done, cursor->total, ROWS_PER_TICK * ROW_NS, err), out);
    }
out:
    table->class->close(cursor);
    return st;
}

kanon_status kanon__key_rows_new(kanon__key_rows **out, const kanon__texts *key, const kanon__source *table,
                                 const kanon__source *file, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__key_rows *r = NULL;
    *out = NULL;
    if (!has_key(key, table) || !has_key(key, file))
        return KANON_OK;
    KANON_TRY(kanon__new_array(&r, 1, "keys", err), out);
    r->key = key;
    KANON_TRY(kanon__dictionary_init(&r->keys, err), out);
    KANON_TRY(number_keys(r, table, ticker, err), out);
    KANON_TRY(kanon__new_array(&r->taken, r->keys.n, "keys", err), out);
    *out = r;
    r = NULL;
out:
    kanon__key_rows_free(r);
    return st;
}

void kanon__key_rows_free(kanon__key_rows *r)
{
    if (r == NULL)
        return;
    kanon__dictionary_clear(&r->keys);
    kanon__free(r->taken);
    kanon__free(r->bytes);
    kanon__free(r);
}

kanon_status kanon__key_rows_find(kanon__key_rows *r, int64_t *out, const kanon__cursor *cursor, kanon_error *err)
{
    kanon_status st = take_key(r, cursor, err);
    if (st != KANON_OK)
        return st;
    uint32_t row = kanon__dictionary_find(&r->keys, r->bytes, (size_t)r->n);
    if (row == KANON__NO_CODE)
        return fail_at(r, cursor, "the table has no record with this key", err);
    if (r->taken[row])
        return fail_at(r, cursor, "an earlier record has the same key", err);
    r->taken[row] = true;
    *out = row;
    return KANON_OK;
}
