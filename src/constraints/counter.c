/* See counter.h. A hash table with open addressing, made for many small groups whose records come and go: slots are
 * few, and a key whose count falls to 0 keeps its slot. The hash has no secret, unlike that of other tables
 * (core/hash_key.h): models add up doubles in the order of the slots, which must be the same in every run, and keys are
 * codes, which the library chose. */
#include "constraints/counter.h"

#include "core/alloc.h"

enum { FIRST_SLOTS = 8, FEW_KEYS = 64 };

#include <stdlib.h>
#include <string.h>

static kanon__count *find_slot(kanon__count *slots, int64_t n_slots, uint64_t stored)
{
    uint64_t mask = (uint64_t)n_slots - 1, mixed = stored * 0x9e3779b97f4a7c15u;
    uint64_t at = (mixed ^ (mixed >> 32)) & mask;
    while (slots[at].key != 0 && slots[at].key != stored)
        at = (at + 1) & mask;
    return &slots[at];
}

void kanon__counter_clear(kanon__counter *c)
{
    kanon__free(c->sorted);
    kanon__free(c->slots);
    *c = (kanon__counter){.keeps_sorted = c->keeps_sorted};
}

/* Slots grow when three quarters are used, so that a quarter is: by four. */
int64_t kanon__counter_need(int64_t n_keys, bool keeps_sorted)
{
    int64_t n_slots = FIRST_SLOTS;
    while (n_slots * 3 / 4 < n_keys)
        n_slots *= 4;
    return n_slots * (int64_t)(sizeof(kanon__count) + (keeps_sorted ? sizeof(uint64_t) : 0));
}

/* Keys that are gone are left behind. */
static kanon_status grow(kanon__counter *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__count *slots = NULL;
    uint64_t *sorted = NULL;
    int64_t n_slots = FIRST_SLOTS;
    while (n_slots < 4 * c->n_distinct)
        n_slots *= 2;
    KANON_TRY(kanon__new_array(&slots, n_slots, "values of a group", err), out);
    if (c->keeps_sorted)
        KANON_TRY(kanon__new_array(&sorted, n_slots, "values of a group", err), out);
    for (int64_t i = 0; i < c->n_slots; i++)
        if (c->slots[i].n > 0)
            *find_slot(slots, n_slots, c->slots[i].key) = c->slots[i];
    kanon__free(c->slots);
    kanon__free(c->sorted);
    c->slots = slots;
    c->sorted = sorted;
    c->is_sorted = false;
    c->n_slots = n_slots;
    c->n_used = c->n_distinct;
    slots = NULL;
out:
    kanon__free(slots);
    return st;
}

static void insert_sorted(uint64_t *keys, int64_t n, uint64_t key)
{
    for (; n > 0 && keys[n - 1] > key; n--)
        keys[n] = keys[n - 1];
    keys[n] = key;
}

/* A key comes or goes: few keys are kept in order, many are sorted when they are needed. */
static void note_key(kanon__counter *c, uint64_t key, bool comes)
{
    int64_t at = 0, n = c->n_distinct;
    c->is_sorted = c->is_sorted && n < FEW_KEYS;
    if (!c->is_sorted)
        return;
    if (comes) {
        insert_sorted(c->sorted, n, key);
        return;
    }
    while (c->sorted[at] != key)
        at++;
    memmove(c->sorted + at, c->sorted + at + 1, (size_t)(n - at - 1) * sizeof *c->sorted);
}

kanon_status kanon__counter_add(kanon__counter *c, uint64_t key, int64_t n, int64_t *count, kanon_error *err)
{
    kanon__count *slot = c->n_slots > 0 ? find_slot(c->slots, c->n_slots, key + 1) : NULL;
    if (slot == NULL || (slot->key == 0 && 4 * (c->n_used + 1) > 3 * c->n_slots)) {
        kanon_status st = grow(c, err);
        if (st != KANON_OK)
            return st;
        slot = find_slot(c->slots, c->n_slots, key + 1);
    }
    if (slot->n == 0)
        note_key(c, key, true);
    c->n_used += slot->key == 0;
    c->n_distinct += slot->n == 0;
    c->figure_of = NULL;
    slot->key = key + 1;
    slot->n += n;
    c->total += n;
    if (slot->n >= c->most) {
        c->most = slot->n;
        c->stale = false;
    }
    if (count != NULL)
        *count = slot->n;
    return KANON_OK;
}

int64_t kanon__counter_remove(kanon__counter *c, uint64_t key)
{
    kanon__count *slot = find_slot(c->slots, c->n_slots, key + 1);
    c->stale = c->stale || slot->n == c->most;
    c->figure_of = NULL;
    c->total--;
    if (slot->n == 1)
        note_key(c, key, false);
    c->n_distinct -= slot->n == 1;
    return --slot->n;
}

int64_t kanon__counter_get(const kanon__counter *c, uint64_t key)
{
    return c->n_slots > 0 ? find_slot(c->slots, c->n_slots, key + 1)->n : 0;
}

int64_t kanon__counter_most(kanon__counter *c)
{
    if (!c->stale)
        return c->most;
    c->most = 0;
    for (int64_t i = 0; i < c->n_slots; i++)
        c->most = c->slots[i].n > c->most ? c->slots[i].n : c->most;
    c->stale = false;
    return c->most;
}

static int by_key(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

const uint64_t *kanon__counter_sort(kanon__counter *c)
{
    int64_t n = 0;
    if (c->is_sorted)
        return c->sorted;
    bool few = c->n_distinct <= FEW_KEYS;
    for (int64_t i = 0; i < c->n_slots; i++) {
        if (c->slots[i].n == 0)
            continue;
        if (few)
            insert_sorted(c->sorted, n, c->slots[i].key - 1);
        else
            c->sorted[n] = c->slots[i].key - 1;
        n++;
    }
    if (!few)
        qsort(c->sorted, (size_t)n, sizeof *c->sorted, by_key);
    c->is_sorted = c->keeps_sorted;
    return c->sorted;
}
