/* References to groups, and the search for the groups nearest to one.
 *
 * "Near" is the cost of merging: the units of the box around both groups. The search is best-first, as in index_search.c:
 * an item of the queue is a node, with the least units that any group below it can have with the group, or a group with
 * its exact units. When a group comes out first, no other is nearer. */
#include "state/index/index_near.h"

#include "core/alloc.h"
#include "core/heap.h"
#include "state/index/index_node.h"

#include <stdlib.h>

enum { STRIDE = KANON__NODE_ROOM };

/* ---- references -------------------------------------------------------------------------------------------------- */

kanon_status kanon__group_refs_add(kanon__group_refs *p, int64_t number, int64_t leaf, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&p->items, &p->capacity, p->n + 1, "groups", err);
    if (st == KANON_OK)
        p->items[p->n++] = (kanon__group_ref){number, leaf};
    return st;
}

static int by_number(const void *left, const void *right)
{
    const kanon__group_ref *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

void kanon__group_refs_sort(kanon__group_refs *p)
{
    int64_t n = 0;
    if (p->n > 0)
        qsort(p->items, (size_t)p->n, sizeof *p->items, by_number);
    for (int64_t i = 0; i < p->n; i++)
        if (n == 0 || p->items[n - 1].number != p->items[i].number)
            p->items[n++] = p->items[i];
    p->n = n;
}

void kanon__group_refs_clear(kanon__group_refs *p)
{
    kanon__free(p->items);
    *p = (kanon__group_refs){0};
}

/* ---- groups that changed ----------------------------------------------------------------------------------------- */

kanon_status kanon__group_index_list_changed(kanon__group_index *index, kanon__group_refs *refs, const int64_t *numbers,
                                             int64_t n, kanon_error *err)
{
    for (int64_t id = 0; n > 0 && id < index->n_ids; id++) {
        const kanon__node *leaf = index->nodes[id];
        if (leaf == NULL || leaf->level != 0 || !leaf->dirty)
            continue;
        for (int slot = 0; slot < leaf->n; slot++)
            if (bsearch(&leaf->keys[slot], numbers, (size_t)n, sizeof *numbers, kanon__compare_numbers) != NULL)
                KANON_CHECK(kanon__group_refs_add(refs, leaf->keys[slot], id, err));
    }
    return KANON_OK;
}

/* First the leaf of the reference; where it has been split since, all leaves in memory. */
kanon_status kanon__group_index_locate(kanon__group_index *index, kanon__group_slot *out, const kanon__group_ref *ref,
                                       kanon_error *err)
{
    kanon_status st = kanon__group_index_find(index, out, ref->leaf, ref->number, err);
    for (int64_t id = 0; st == KANON_OK && out->node == NULL && id < index->n_ids; id++)
        if (index->nodes[id] != NULL && index->nodes[id]->level == 0)
            st = kanon__group_index_find(index, out, id, ref->number, err);
    return st == KANON_OK && out->node != NULL ? kanon__group_index_load_members(index, *out, err) : st;
}

/* ---- groups that are near ---------------------------------------------------------------------------------------- */

/* A node or a group, at least `units` away. */
typedef struct near_item {
    int64_t units, key;
    int64_t leaf; /* of a group: its node; 0: a node */
} near_item;

/* Of equal units nodes come before groups, so that all groups of these units are known when the first is taken; of groups
 * the lowest number. */
static bool comes_first(const near_item *a, const near_item *b)
{
    if (a->units != b->units)
        return a->units < b->units;
    if ((a->leaf == 0) != (b->leaf == 0))
        return a->leaf == 0;
    return a->key < b->key;
}

KANON__HEAP(near_heap, near_item, comes_first);

typedef struct near_search {
    kanon__group_index *index;
    int32_t *box; /* of the group: lo and hi per attribute, as coordinates */
    int64_t number;
    near_heap heap;
} near_search;

/* The units of the box around the group and that of a leaf's slot; of an inner node's slot, around the group and the
 * nearest point of the slot's box, which no group below can undercut. */
static int64_t units_with(const near_search *s, const kanon__node *node, int slot)
{
    int64_t units = 0;
    int sides = kanon__node_sides(node);
    for (int i = 0; i < s->index->space->n; i++) {
        const int32_t *coordinates = node->coordinates + i * sides * STRIDE + slot;
        int32_t low = node->level == 0 ? coordinates[0] : coordinates[STRIDE],
                high = node->level == 0 ? coordinates[STRIDE] : coordinates[0];
        int32_t lo = low < s->box[2 * i] ? low : s->box[2 * i], hi = high > s->box[2 * i + 1] ? high : s->box[2 * i + 1];
        units += kanon__coordinates_units(&s->index->space->dimensions[i], lo, hi);
    }
    return units;
}

static kanon_status inspect_node(near_search *s, int64_t id, kanon_error *err)
{
    kanon__node *node = NULL;
    kanon_status st = kanon__node_get(s->index, &node, id, err);
    for (int slot = 0; st == KANON_OK && slot < node->n; slot++)
        if (node->level > 0 || node->keys[slot] != s->number)
            st = near_heap_push(&s->heap,
                                (near_item){units_with(s, node, slot), node->keys[slot], node->level == 0 ? id : 0}, err);
    return st;
}

kanon_status kanon__group_index_nearest(kanon__group_index *index, kanon__group_refs *refs, kanon__group_slot at, int n,
                                        kanon_error *err)
{
    kanon_status st = KANON_OK;
    near_search s = {.index = index, .number = kanon__group_number(at)};
    int64_t n_seen = 0;
    KANON_TRY(kanon__new_array(&s.box, 2 * index->space->n, "a search", err), out);
    for (int i = 0; i < 2 * index->space->n; i++)
        s.box[i] = at.node->coordinates[i * STRIDE + at.slot];
    KANON_TRY(near_heap_push(&s.heap, (near_item){.key = index->state->root}, err), out);
    while (s.heap.n > 0 && n > 0) {
        near_item next = near_heap_pop(&s.heap);
        if (next.leaf != 0) {
            KANON_TRY(kanon__group_refs_add(refs, next.key, next.leaf, err), out);
            n--;
            continue;
        }
        if (++n_seen > index->n_ids) { /* more nodes than there are: a damaged file */
            st = kanon__store_damaged(&index->state->store, "the index of groups", err);
            goto out;
        }
        KANON_TRY(inspect_node(&s, next.key, err), out);
    }
out:
    near_heap_clear(&s.heap);
    kanon__free(s.box);
    return st;
}
