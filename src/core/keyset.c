/* See keyset.h. Open addressing with linear steps; a key is stored plus one, so that 0 is a free slot. */
#include "core/keyset.h"

#include "core/alloc.h"

/* Where the key is or would go: open addressing, linear steps; the number of slots is a power of two. */
static int64_t find_slot(const kanon__keyset *set, const uint64_t *slots, int64_t n_slots, uint64_t stored)
{
    uint64_t mask = (uint64_t)n_slots - 1, at = kanon__hash_next(&set->secret, 0, stored) & mask;
    while (slots[at] != 0 && slots[at] != stored)
        at = (at + 1) & mask;
    return (int64_t)at;
}

bool kanon__keyset_has(const kanon__keyset *set, uint64_t key)
{
    return set->n_slots > 0 && set->slots[find_slot(set, set->slots, set->n_slots, key + 1)] != 0;
}

static kanon_status grow(kanon__keyset *set, kanon_error *err)
{
    uint64_t *slots = NULL;
    int64_t n_slots = set->n_slots > 0 ? 2 * set->n_slots : 64;
    kanon_status st = kanon__new_array(&slots, n_slots, "a set", err);
    if (st != KANON_OK)
        return st;
    if (set->n_slots == 0)
        kanon__hash_key_draw(&set->secret);
    for (int64_t i = 0; i < set->n_slots; i++)
        if (set->slots[i] != 0)
            slots[find_slot(set, slots, n_slots, set->slots[i])] = set->slots[i];
    kanon__free(set->slots);
    set->slots = slots;
    set->n_slots = n_slots;
    return KANON_OK;
}

kanon_status kanon__keyset_add(kanon__keyset *set, uint64_t key, bool *added, kanon_error *err)
{
    if (2 * (set->n + 1) > set->n_slots) {
        kanon_status st = grow(set, err);
        if (st != KANON_OK)
            return st;
    }
    int64_t at = find_slot(set, set->slots, set->n_slots, key + 1);
    *added = set->slots[at] == 0;
    set->slots[at] = key + 1;
    set->n += *added;
    return KANON_OK;
}

void kanon__keyset_clear(kanon__keyset *set)
{
    kanon__free(set->slots);
    *set = (kanon__keyset){0};
}
