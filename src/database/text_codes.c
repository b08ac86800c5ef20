/* See text_codes.h. */
#include "database/text_codes.h"

#include "core/alloc.h"

#include <string.h>

enum { FIRST_SLOTS = 1024 };

static int64_t slot_of(const kanon__text_codes *c, const char *bytes, size_t length)
{
    return (int64_t)(kanon__hash_text(&c->key, bytes, length) & (uint64_t)(c->n_slots - 1));
}

static kanon_status grow(kanon__text_codes *c, kanon_error *err)
{
    int64_t n = c->n_slots > 0 ? c->n_slots * 2 : FIRST_SLOTS;
    int32_t *slots = NULL;
    kanon_status st = kanon__new_array(&slots, n, "texts", err);
    if (st != KANON_OK)
        return st;
    kanon__free(c->slots);
    c->slots = slots;
    c->n_slots = n;
    for (int64_t i = 0; i < c->n_entries; i++) {
        int64_t at = slot_of(c, c->entries[i].bytes, c->entries[i].length);
        while (slots[at] != 0)
            at = (at + 1) & (n - 1);
        slots[at] = (int32_t)i + 1;
    }
    return KANON_OK;
}

kanon_status kanon__text_codes_begin(kanon__text_codes *c, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    c->n_entries = 0;
    c->n_bytes = 0;
    if (c->n_slots == 0)
        kanon__hash_key_draw(&c->key);
    KANON_TRY(c->n_slots == 0 ? grow(c, err) : KANON_OK, out);
    memset(c->slots, 0, (size_t)c->n_slots * sizeof *c->slots);
    KANON_TRY(kanon__grow_array(&c->rows, &c->rows_capacity, n, "texts", err), out);
out:
    return st;
}

kanon_status kanon__text_codes_add(kanon__text_codes *c, int64_t row, const char *bytes, size_t length, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t at = slot_of(c, bytes, length);
    for (; c->slots[at] != 0; at = (at + 1) & (c->n_slots - 1)) {
        const kanon__text_entry *e = &c->entries[c->slots[at] - 1];
        if (e->length == length && memcmp(e->bytes, bytes, length) == 0) {
            c->rows[row] = c->slots[at] - 1;
            return KANON_OK;
        }
    }
    KANON_TRY(kanon__grow_array(&c->entries, &c->entries_capacity, c->n_entries + 1, "texts", err), out);
    c->entries[c->n_entries] = (kanon__text_entry){bytes, length};
    c->rows[row] = (int32_t)c->n_entries++;
    c->slots[at] = (int32_t)c->n_entries;
    c->n_bytes += length;
    if (c->n_entries * 2 > c->n_slots)
        KANON_TRY(grow(c, err), out);
out:
    return st;
}

void kanon__text_codes_clear(kanon__text_codes *c)
{
    kanon__free(c->entries);
    kanon__free(c->slots);
    kanon__free(c->rows);
    *c = (kanon__text_codes){0};
}
