#include "bound/priced_table.h"

#include "core/alloc.h"
#include "core/pool.h"

enum { TUPLES_PER_TASK = 64, MOST_DEPTH = 96 };

static void set_slots(kanon__priced_table *t)
{
    for (int i = 0; i < t->space->n_dimensions; i++) {
        t->slots[i] = t->n_slots;
        t->n_slots += t->space->dimensions[i].position != NULL ? 2 : 1;
    }
}

kanon_status kanon__priced_table_new(kanon__priced_table **out, const kanon_table *table, int64_t k, int threads,
                                     kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__priced_table *t = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&t, 1, "prices", err), out);
    t->k = k;
    t->threads = threads;
    KANON_TRY(kanon__space_new(&t->space, table, table->quasi, table->n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(kanon__tuples_new(&t->tuples, t->space, err), out);
    KANON_TRY(kanon__tuple_tree_new(&t->index, t->space, t->tuples, err), out);
    t->n = t->tuples->n;
    KANON_TRY(kanon__new_array(&t->counts, t->n, "prices", err), out);
    KANON_TRY(kanon__new_array(&t->prices, t->n, "prices", err), out);
    KANON_TRY(kanon__new_array(&t->floors, t->n, "prices", err), out);
    KANON_TRY(kanon__new_array(&t->slots, t->space->n_dimensions, "prices", err), out);
    set_slots(t);
    for (int64_t place = 0; place < t->n; place++) {
        int64_t tuple = t->index->order[place];
        t->counts[place] = t->tuples->begins[tuple + 1] - t->tuples->begins[tuple];
    }
    *out = t;
    t = NULL;
out:
    kanon__priced_table_free(t);
    return st;
}

void kanon__priced_table_free(kanon__priced_table *t)
{
    if (t == NULL)
        return;
    kanon__free(t->slots);
    kanon__free(t->floors);
    kanon__free(t->prices);
    kanon__free(t->counts);
    kanon__tuple_tree_free(t->index);
    kanon__tuples_free(t->tuples);
    kanon__space_free(t->space);
    kanon__free(t);
}

/* ---- extents ----------------------------------------------------------------------------------------------------- */

/* Positions of present numbers lie in 0 .. full, that of a missing one beyond. From a number to a missing one it is the
 * whole range, below and above; so a box that covers the range covers the missing too, at the same cost. */
static void number_extents(const kanon__dimension *d, uint32_t from, uint32_t to, int32_t *extents)
{
    uint32_t a = d->position[from], b = d->position[to], full = d->full;
    bool from_missing = a > full, to_missing = b > full;
    extents[0] = extents[1] = 0;
    if (from_missing && !to_missing) {
        extents[0] = (int32_t)full;
    } else if (to_missing && !from_missing) {
        extents[0] = (int32_t)a;
        extents[1] = (int32_t)(full - a);
    } else if (b < a) {
        extents[0] = (int32_t)(a - b);
    } else {
        extents[1] = (int32_t)(b - a);
    }
}

void kanon__extents_of(const kanon__priced_table *t, const uint32_t *from, const uint32_t *to, int32_t *extents)
{
    for (int i = 0; i < t->space->n_dimensions; i++) {
        const kanon__dimension *d = &t->space->dimensions[i];
        if (d->position != NULL)
            number_extents(d, from[i], to[i], extents + t->slots[i]);
        else
            extents[t->slots[i]] = (int32_t)(from[i] < to[i] ? kanon__dimension_units(d, from[i], to[i])
                                                             : kanon__dimension_units(d, to[i], from[i]));
    }
}

/* ---- the distance to the (k-1)-th nearest other record ----------------------------------------------------------- */

/* Some records that are equally far. */
typedef struct some_records {
    uint32_t distance;
    int64_t count;
} some_records;

/* The nearest records found so far, a heap with the farthest on top; just so many that their counts reach `wanted`. */
typedef struct nearest_list {
    some_records *heap;
    int64_t n, counted, wanted;
} nearest_list;

static uint32_t reach(const nearest_list *l)
{
    return l->counted >= l->wanted ? l->heap[0].distance : UINT32_MAX;
}

static void drop_farthest(nearest_list *l)
{
    some_records last = l->heap[--l->n];
    int64_t at = 0;
    l->counted -= l->heap[0].count;
    for (int64_t child = 1; child < l->n; child = 2 * at + 1) {
        child += child + 1 < l->n && l->heap[child + 1].distance > l->heap[child].distance;
        if (l->heap[child].distance <= last.distance)
            break;
        l->heap[at] = l->heap[child];
        at = child;
    }
    l->heap[at] = last;
}

static void insert(nearest_list *l, uint32_t distance, int64_t count)
{
    int64_t at = l->n++;
    for (; at > 0 && l->heap[(at - 1) / 2].distance < distance; at = (at - 1) / 2)
        l->heap[at] = l->heap[(at - 1) / 2];
    l->heap[at] = (some_records){distance, count};
    l->counted += count;
    while (l->counted - l->heap[0].count >= l->wanted)
        drop_farthest(l);
}

static void look_at_leaf(const kanon__priced_table *t, const kanon__tree_node *node, int64_t own, nearest_list *l)
{
    for (int64_t other = node->begin; other < node->end; other++) {
        if (other == own)
            continue;
        uint32_t distance = kanon__tuple_distance(t, kanon__priced_codes(t, own), kanon__priced_codes(t, other), reach(l));
        if (distance < reach(l))
            insert(l, distance, t->counts[other]);
    }
}

/* Depth first, the nearer child first; a node whose nearest corner is too far is left out. */
static uint32_t neighbour_distance(const kanon__priced_table *t, int64_t own, nearest_list *l)
{
    struct {
        int32_t node;
        uint32_t distance;
    } stack[2 * MOST_DEPTH], swap;
    int depth = 0;
    stack[depth].node = 0;
    stack[depth++].distance = 0;
    while (depth > 0) {
        depth--;
        const kanon__tree_node *node = &t->index->nodes[stack[depth].node];
        if (stack[depth].distance >= reach(l))
            continue;
        if (node->first_child < 0 || depth + 2 > 2 * MOST_DEPTH) {
            look_at_leaf(t, node, own, l);
            continue;
        }
        for (int32_t child = node->first_child; child < node->first_child + 2; child++) {
            stack[depth].node = child;
            stack[depth++].distance = kanon__node_distance(t, kanon__priced_codes(t, own), child);
        }
        if (stack[depth - 1].distance > stack[depth - 2].distance) {
            swap = stack[depth - 1];
            stack[depth - 1] = stack[depth - 2];
            stack[depth - 2] = swap;
        }
    }
    return l->heap[0].distance;
}

typedef struct floors {
    kanon__priced_table *table;
    kanon__shared_ticker shared;
} floors;

static kanon_status floor_task(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    floors *f = payload;
    kanon__priced_table *t = f->table;
    nearest_list l = {0};
    kanon__ticker ticker;
    int64_t end = (task + 1) * TUPLES_PER_TASK;
    kanon__shared_ticker_task(&ticker, &f->shared);
    KANON_TRY(kanon__new_array(&l.heap, t->k + 1, "neighbours", err), out);
    for (int64_t tuple = task * TUPLES_PER_TASK; tuple < end && tuple < t->n; tuple++) {
        l.n = l.counted = 0;
        l.wanted = t->k - t->counts[tuple]; /* its equals are at distance 0 */
        t->floors[tuple] = l.wanted > 0 ? (int32_t)neighbour_distance(t, tuple, &l) : 0;
        KANON_TRY(kanon__tick(&ticker, 0, 0, 20000, err), out);
    }
    kanon__shared_ticker_add(&f->shared, TUPLES_PER_TASK);
out:
    kanon__free(l.heap);
    return st;
}

kanon_status kanon__priced_table_find_floors(kanon__priced_table *t, kanon__ticker *ticker, kanon_error *err)
{
    floors f = {.table = t};
    kanon__shared_ticker_init(&f.shared, ticker, t->n);
    kanon_status st = kanon__pool_run(t->threads, (t->n + TUPLES_PER_TASK - 1) / TUPLES_PER_TASK, floor_task, &f, err);
    kanon__shared_ticker_clear(&f.shared);
    return st;
}
