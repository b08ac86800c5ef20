/* See class_table.h. Open addressing over tuples of codes; a slot has the high bits of the hash, so that a miss seldom
 * reads a tuple. */
#include "audit/class_table.h"

#include "core/alloc.h"

#include <string.h>

static uint64_t hash_tuple(const kanon__class_table *t, const uint32_t *tuple)
{
    uint64_t hash = 0;
    for (int i = 0; i < t->width; i++) /* code by code, as they were just written: wider loads would wait for the stores */
        hash = kanon__hash_next(&t->key, hash, tuple[i]);
    return hash;
}

/* The slot of the tuple, or the free one where it belongs. */
static uint64_t *find_slot(const kanon__class_table *t, const uint32_t *tuple, uint64_t hash)
{
    const size_t tuple_bytes = (size_t)t->width * sizeof *tuple;
    int64_t mask = t->n_slots - 1;
    for (int64_t i = (int64_t)(hash & (uint64_t)mask);; i = (i + 1) & mask) {
        uint64_t slot = t->slots[i];
        if (slot == 0)
            return &t->slots[i];
        if (slot >> 32 != hash >> 32)
            continue;
        int64_t class_id = (int64_t)(slot & UINT32_MAX) - 1;
        if (memcmp(t->tuples + class_id * t->width, tuple, tuple_bytes) == 0)
            return &t->slots[i];
    }
}

/* A free slot becomes that of class `class_id`, whose tuple is in its place. */
static void take_slot(uint64_t *slot, uint64_t hash, uint32_t class_id)
{
    *slot = (hash >> 32 << 32) | ((uint64_t)class_id + 1);
}

static kanon_status grow_slots(kanon__class_table *t, kanon_error *err)
{
    uint64_t *old = t->slots;
    uint64_t *slots = NULL;
    int64_t n_slots = t->n_slots > 0 ? t->n_slots * 2 : 1024;
    kanon_status st = kanon__new_array(&slots, n_slots, "classes", err);
    if (st != KANON_OK)
        return st;
    if (t->n_slots == 0)
        kanon__hash_key_draw(&t->key);
    t->slots = slots;
    t->n_slots = n_slots;
    for (uint32_t i = 0; i < t->n; i++) {
        const uint32_t *tuple = t->tuples + (int64_t)i * t->width;
        uint64_t hash = hash_tuple(t, tuple);
        take_slot(find_slot(t, tuple, hash), hash, i);
    }
    kanon__free(old);
    return KANON_OK;
}

kanon_status kanon__class_table_add(kanon__class_table *t, uint32_t *out, const uint32_t *tuple, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if ((int64_t)t->n * 3 >= t->n_slots * 2)
        KANON_TRY(grow_slots(t, err), out);
    uint64_t hash = hash_tuple(t, tuple);
    uint64_t *slot = find_slot(t, tuple, hash);
    if (*slot == 0) {
        if (t->n == UINT32_MAX - 1) {
            st = kanon__fail(err, KANON_EDATA, "more than %lu different records", (unsigned long)t->n);
            goto out;
        }
        KANON_TRY(kanon__grow_array(&t->tuples, &t->tuples_capacity, ((int64_t)t->n + 1) * t->width, "classes", err), out);
        KANON_TRY(kanon__grow_array(&t->sizes, &t->sizes_capacity, (int64_t)t->n + 1, "classes", err), out);
        memcpy(t->tuples + (int64_t)t->n * t->width, tuple, (size_t)t->width * sizeof *tuple);
        t->sizes[t->n] = 0;
        take_slot(slot, hash, t->n++);
    }
    *out = (uint32_t)(*slot & UINT32_MAX) - 1;
    t->sizes[*out]++;
out:
    return st;
}

uint32_t kanon__class_table_find(const kanon__class_table *t, const uint32_t *tuple)
{
    const uint64_t *slot = t->n_slots > 0 ? find_slot(t, tuple, hash_tuple(t, tuple)) : NULL;
    return slot == NULL || *slot == 0 ? UINT32_MAX : (uint32_t)(*slot & UINT32_MAX) - 1;
}

void kanon__class_table_clear(kanon__class_table *t)
{
    kanon__free(t->slots);
    kanon__free(t->sizes);
    kanon__free(t->tuples);
    *t = (kanon__class_table){0};
}
