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

bool kanon__key_is_in(const kanon__texts *key, const kanon__source *table, const kanon__source *file)
{
    return has_key(key, table) && has_key(key, file);
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
    if (!kanon__key_is_in(key, table, file))
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

kanon_status kanon__key_rows_look(kanon__key_rows *r, int64_t *out, bool *again, const kanon__cursor *cursor,
                                  kanon_error *err)
{
    KANON_CHECK(take_key(r, cursor, err));
    uint32_t row = kanon__dictionary_find(&r->keys, r->bytes, (size_t)r->n);
    *out = row == KANON__NO_CODE ? -1 : (int64_t)row;
    *again = *out >= 0 && r->taken[row];
    if (*out >= 0)
        r->taken[row] = true;
    return KANON_OK;
}

kanon_status kanon__key_rows_find(kanon__key_rows *r, int64_t *out, const kanon__cursor *cursor, kanon_error *err)
{
    bool again = false;
    KANON_CHECK(kanon__key_rows_look(r, out, &again, cursor, err));
    if (*out < 0)
        return fail_at(r, cursor, "the table has no record with this key", err);
    return again ? fail_at(r, cursor, "an earlier record has the same key", err) : KANON_OK;
}

/* The number of the row's key; KANON_EDATA: an earlier row of the file has it. */
static kanon_status number_row(kanon__key_rows *r, kanon__dictionary *keys, bool **seen, int64_t *room, uint32_t *number,
                               const kanon__cursor *cursor, kanon_error *err)
{
    int64_t before = *room;
    KANON_CHECK(take_key(r, cursor, err));
    KANON_CHECK(kanon__dictionary_add(keys, number, r->bytes, (size_t)r->n, err));
    KANON_CHECK(kanon__grow_array(seen, room, (int64_t)*number + 1, "keys", err));
    memset(*seen + before, 0, (size_t)(*room - before) * sizeof **seen);
    if ((*seen)[*number])
        return fail_at(r, cursor, "an earlier record has the same key", err);
    (*seen)[*number] = true;
    return KANON_OK;
}

kanon_status kanon__keys_number(kanon__dictionary *keys, uint32_t **numbers, int64_t *n_rows, const kanon__texts *key,
                                const kanon__source *file, kanon__ticker *ticker, kanon_error *err)
{
    enum { ROW_NS = 500 };
    kanon_status st = KANON_OK;
    kanon__key_rows r = {.key = key};
    kanon__cursor *cursor = NULL;
    bool *seen = NULL;
    int64_t room = 0, capacity = 0, row = 0;
    *numbers = NULL;
    KANON_TRY(file->class->open(&cursor, file, err), out);
    for (;; row++) {
        bool has_row = false;
        KANON_TRY(file->class->next(cursor, &has_row, err), out);
        if (!has_row)
            break;
        KANON_TRY(kanon__grow_array(numbers, &capacity, row + 1, "keys", err), out);
        KANON_TRY(number_row(&r, keys, &seen, &room, &(*numbers)[row], cursor, err), out);
        KANON_TRY(kanon__tick(ticker, cursor->done, cursor->total, ROW_NS, err), out);
    }
    *n_rows = row;
out:
    file->class->close(cursor);
    kanon__free(seen);
    kanon__free(r.bytes);
    if (st != KANON_OK) {
        kanon__free(*numbers);
        *numbers = NULL;
    }
    return st;
}
