/* See neighbours.h. A key is the cost and a rank, in one number, so that comparing is one instruction:
 *
 *     63 ........ 32 | 31 ........ 0       rank of a node: its lowest row; of a tuple: its lowest row + 1
 *          units     |     rank            so a node comes before its own tuples, and answers go by lowest row
 */
#include "search/neighbours.h"

#include "core/alloc.h"
#include "core/heap.h"

/* A node or a tuple that the search has still to inspect. Ties by the lowest row make the order of the answers
 * independent of the shape of the tree. They also save work: in a wide box many tuples cost the same, and only nodes
 * whose lowest row is next are opened. */
typedef struct neighbour_candidate {
    uint64_t key;
    int32_t what; /* a node, or the complement of a tuple's place */
} neighbour_candidate;

static inline bool comes_before(const neighbour_candidate *a, const neighbour_candidate *b)
{
    return a->key < b->key;
}

KANON__HEAP(neighbour_queue, neighbour_candidate, comes_before);

struct kanon__neighbours {
    const kanon__space *space;
    kanon__tuples *tuples;
    kanon__tuple_tree *index;
    int32_t *lowest; /* by node: the lowest row below it */
    const kanon__bound *box;
    neighbour_queue queue;
};

/* The lowest row of the tuple at a place. */
static int32_t lowest_at(const kanon__neighbours *x, int64_t place)
{
    return x->tuples->rows[x->tuples->begins[x->index->order[place]]];
}

static void set_lowest(kanon__neighbours *x)
{
    for (int64_t i = x->index->n_nodes - 1; i >= 0; i--) { /* children come after their parents */
        const kanon__tree_node *n = &x->index->nodes[i];
        int32_t child = n->first_child, lowest = INT32_MAX;
        for (int32_t place = n->begin; child < 0 && place < n->end; place++)
            lowest = lowest_at(x, place) < lowest ? lowest_at(x, place) : lowest;
        if (child >= 0)
            lowest = x->lowest[child] < x->lowest[child + 1] ? x->lowest[child] : x->lowest[child + 1];
        x->lowest[i] = lowest;
    }
}

kanon_status kanon__neighbours_new(kanon__neighbours **out, const kanon__space *space, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__neighbours *x = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&x, 1, "the index", err), out);
    x->space = space;
    KANON_TRY(kanon__tuples_new(&x->tuples, space, err), out);
    KANON_TRY(kanon__tuple_tree_new(&x->index, space, x->tuples, err), out);
    KANON_TRY(kanon__new_array(&x->lowest, x->index->n_nodes, "the index", err), out);
    set_lowest(x);
    *out = x;
    x = NULL;
out:
    kanon__neighbours_free(x);
    return st;
}

int64_t kanon__neighbours_need(int64_t n_records, int n_attributes)
{
    enum { RECORD = 36, CELL = 12 }; /* rows, tuples and their order; codes in two orders, and boxes */
    return n_records * (RECORD + (int64_t)CELL * n_attributes);
}

void kanon__neighbours_free(kanon__neighbours *x)
{
    if (x == NULL)
        return;
    neighbour_queue_clear(&x->queue);
    kanon__free(x->lowest);
    kanon__tuple_tree_free(x->index);
    kanon__tuples_free(x->tuples);
    kanon__free(x);
}

/* The least D of the box with anything in the ranges, which are one tuple's codes where lo and hi are the same place. */
static uint32_t least_units(const kanon__neighbours *x, const uint32_t *lo, const uint32_t *hi, int step)
{
    uint32_t units = 0;
    for (int i = 0; i < x->space->n_dimensions; i++) {
        uint32_t box_lo = x->box[2 * i], box_hi = x->box[2 * i + 1], from = lo[i * step], to = hi[i * step];
        units += kanon__dimension_units(&x->space->dimensions[i], to < box_lo ? to : box_lo, from > box_hi ? from : box_hi);
    }
    return units;
}

static uint32_t rank_of(const kanon__neighbours *x, int32_t what)
{
    return what >= 0 ? (uint32_t)x->lowest[what] : (uint32_t)lowest_at(x, ~what) + 1;
}

static kanon_status push(kanon__neighbours *x, uint32_t units, int32_t what, kanon_error *err)
{
    return neighbour_queue_push(&x->queue, (neighbour_candidate){(uint64_t)units << 32 | rank_of(x, what), what}, err);
}

static kanon_status push_node(kanon__neighbours *x, int32_t node, kanon_error *err)
{
    const kanon__bound *range = x->index->boxes + (int64_t)node * 2 * x->space->n_dimensions;
    return push(x, least_units(x, range, range + 1, 2), node, err);
}

kanon_status kanon__neighbours_start_search(kanon__neighbours *x, const kanon__bound *box, kanon_error *err)
{
    x->queue.n = 0;
    x->box = box;
    return push_node(x, 0, err);
}

static kanon_status expand(kanon__neighbours *x, const kanon__tree_node *node, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int m = x->space->n_dimensions;
    if (node->first_child >= 0) {
        KANON_TRY(push_node(x, node->first_child, err), out);
        KANON_TRY(push_node(x, node->first_child + 1, err), out);
        goto out;
    }
    for (int32_t place = node->begin; place < node->end; place++) {
        const uint32_t *codes = x->index->codes + (int64_t)place * m;
        KANON_TRY(push(x, least_units(x, codes, codes, 1), ~place, err), out);
    }
out:
    return st;
}

kanon_status kanon__neighbours_find_next(kanon__neighbours *x, const int32_t **rows, int64_t *n, uint32_t *units,
                                         kanon_error *err)
{
    kanon_status st = KANON_OK;
    *n = 0;
    while (x->queue.n > 0) {
        neighbour_candidate top = neighbour_queue_pop(&x->queue);
        if (top.what < 0) {
            int64_t tuple = x->index->order[~top.what];
            *rows = x->tuples->rows + x->tuples->begins[tuple];
            *n = x->tuples->begins[tuple + 1] - x->tuples->begins[tuple];
            *units = (uint32_t)(top.key >> 32);
            return KANON_OK;
        }
        KANON_TRY(expand(x, &x->index->nodes[top.what], err), out);
    }
out:
    return st;
}
