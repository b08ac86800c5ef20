#include "refine/search_near.h"

#include "core/alloc.h"
#include "core/pool.h"

enum { TASK_TUPLES = 1024 };

typedef struct finding {
    const kanon__space *space;
    const kanon__index *index;
    kanon__near *near;
    kanon__shared_ticker *ticker;
    int64_t max_depth;
} finding;

/* A node to be visited, or a tuple that was found. */
typedef struct found {
    uint32_t units;
    int32_t what;
} found;

/* One search: the nearest so far as a heap with the furthest of them on top. */
typedef struct query {
    const finding *f;
    int32_t own;
    const uint32_t *codes;
    found *heap, *stack;
    int32_t n_heap, n_stack;
} query;

static uint32_t furthest(const query *q)
{
    return q->n_heap < q->f->near->width ? UINT32_MAX : q->heap[0].units;
}

static void sift_down(found *heap, int32_t n, found item)
{
    int32_t at = 0;
    for (int32_t child = 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && heap[child + 1].units > heap[child].units;
        if (heap[child].units <= item.units)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = item;
}

static void keep(query *q, found item)
{
    if (q->n_heap == q->f->near->width) {
        sift_down(q->heap, q->n_heap, item);
        return;
    }
    int32_t at = q->n_heap++;
    for (; at > 0 && item.units > q->heap[(at - 1) / 2].units; at = (at - 1) / 2)
        q->heap[at] = q->heap[(at - 1) / 2];
    q->heap[at] = item;
}

/* The least distance of the codes to anything in a box whose bounds lie `step` apart; from `limit` on it need not be
 * exact. */
static uint32_t distance(const query *q, const uint32_t *lo, const uint32_t *hi, int step, uint32_t limit)
{
    const kanon__space *space = q->f->space;
    uint32_t units = 0;
    for (int i = 0; i < space->n_dimensions && units < limit; i++) {
        uint32_t own = q->codes[i], low = lo[i * step], high = hi[i * step];
        if (own < low)
            units += kanon__dimension_units(&space->dimensions[i], own, low);
        else if (own > high)
            units += kanon__dimension_units(&space->dimensions[i], high, own);
    }
    return units;
}

static void visit_leaf(query *q, const kanon__tree_node *leaf)
{
    const kanon__index *x = q->f->index;
    for (int32_t place = leaf->begin; place < leaf->end; place++) {
        const uint32_t *codes = x->codes + (int64_t)place * q->f->space->n_dimensions;
        uint32_t limit = furthest(q), units = distance(q, codes, codes, 1, limit);
        if (units < limit && place != q->own)
            keep(q, (found){units, place});
    }
}

static void visit_children(query *q, const kanon__tree_node *node)
{
    const kanon__index *x = q->f->index;
    found pair[2];
    for (int32_t i = 0; i < 2; i++) {
        const kanon__bound *box = x->boxes + (int64_t)(node->first_child + i) * 2 * q->f->space->n_dimensions;
        pair[i] = (found){distance(q, box, box + 1, 2, furthest(q)), node->first_child + i};
    }
    int first = pair[1].units < pair[0].units;
    q->stack[q->n_stack++] = pair[!first];
    q->stack[q->n_stack++] = pair[first];
}

static void find_near(query *q)
{
    q->n_heap = q->n_stack = 0;
    q->stack[q->n_stack++] = (found){0, 0};
    while (q->n_stack > 0) {
        found top = q->stack[--q->n_stack];
        const kanon__tree_node *node = &q->f->index->nodes[top.what];
        if (top.units >= furthest(q))
            continue;
        if (node->first_child < 0)
            visit_leaf(q, node);
        else
            visit_children(q, node);
    }
}

static kanon_status find_some(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const finding *f = payload;
    const kanon__near *near = f->near;
    int64_t begin = task * TASK_TUPLES, end = begin + TASK_TUPLES;
    query q = {.f = f};
    kanon__ticker ticker;
    kanon__shared_ticker_task(&ticker, f->ticker);
    end = end < f->index->tuples->n ? end : f->index->tuples->n;
    KANON_TRY(kanon__new_array(&q.heap, near->width, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&q.stack, f->max_depth + 2, "neighbours", err), out);
    for (int64_t place = begin; place < end; place++) { /* in the order of the tree: near ones after each other */
        q.own = (int32_t)place;
        q.codes = f->index->codes + place * f->space->n_dimensions;
        find_near(&q);
        for (int32_t i = 0; i < near->width; i++)
            near->places[place * near->width + i] = q.heap[i].what;
        KANON_TRY(kanon__tick(&ticker, 0, 0, 10000, err), out);
    }
    kanon__shared_ticker_add(f->ticker, end - begin);
out:
    kanon__free(q.stack);
    kanon__free(q.heap);
    return st;
}

/* Children come after their parents. */
static kanon_status measure_depth(const kanon__index *x, int64_t *out, kanon_error *err)
{
    int32_t *depth = NULL;
    kanon_status st = kanon__new_array(&depth, x->n_nodes, "neighbours", err);
    *out = 0;
    for (int64_t i = 0; st == KANON_OK && i < x->n_nodes; i++) {
        *out = depth[i] > *out ? depth[i] : *out;
        if (x->nodes[i].first_child >= 0)
            depth[x->nodes[i].first_child] = depth[x->nodes[i].first_child + 1] = depth[i] + 1;
    }
    kanon__free(depth);
    return st;
}

kanon_status kanon__near_new(kanon__near **out, const kanon__space *space, const kanon__tuples *tuples, int64_t width,
                             int threads, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__near *near = NULL;
    kanon__shared_ticker shared;
    kanon__shared_ticker_init(&shared, ticker, tuples->n);
    *out = NULL;
    KANON_TRY(kanon__new_array(&near, 1, "neighbours", err), out);
    near->width = (int32_t)(width < tuples->n - 1 ? width : tuples->n > 0 ? tuples->n - 1 : 0);
    KANON_TRY(kanon__new_array(&near->places, tuples->n * near->width, "neighbours", err), out);
    KANON_TRY(kanon__index_new(&near->index, space, tuples, err), out);
    if (near->width > 0) {
        finding f = {.space = space, .index = near->index, .near = near, .ticker = &shared};
        KANON_TRY(measure_depth(near->index, &f.max_depth, err), out);
        KANON_TRY(kanon__pool_run(threads, (tuples->n + TASK_TUPLES - 1) / TASK_TUPLES, find_some, &f, err), out);
    }
    *out = near;
    near = NULL;
out:
    kanon__near_free(near);
    kanon__shared_ticker_clear(&shared);
    return st;
}

void kanon__near_free(kanon__near *near)
{
    if (near == NULL)
        return;
    kanon__free(near->places);
    kanon__index_free(near->index);
    kanon__free(near);
}
