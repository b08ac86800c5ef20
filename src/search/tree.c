/* See tree.h. Building is top down: a stack of nodes to split, the first child before the second. Cost: O(attributes *
 * tuples) per level, about log2(tuples / leaf) levels. */
#include "search/tree.h"

#include "core/alloc.h"
#include "core/select.h"
#include "core/ticker.h"

#include <string.h>

/* Splits between branches may be uneven. From this depth on every split is at the median, which bounds the depth. */
enum { DEPTH_OF_UNEVEN_CUTS = 40 };

/* Boxes are computed for so many tuples at a time, dimension by dimension: they then stay in the cache. */
enum { STRIP = 256 };

/* What a tuple costs on each level. */
enum { TUPLE_NS = 50 };

typedef struct tree_build {
    kanon__tuple_tree *index;
    const kanon__space *space;
    uint32_t *scratch; /* the codes of a node's tuples on one dimension */
    int32_t *other;    /* the tuples that go right */
    int64_t nodes_capacity, boxes_capacity;
} tree_build;

/* A node that is yet to be split. */
typedef struct tree_task {
    int32_t node, depth;
} tree_task;

static const uint32_t *codes_at(const kanon__tuple_tree *x, int64_t place)
{
    return x->tuples->codes + (int64_t)x->order[place] * x->tuples->n_dimensions;
}

static void widen(const kanon__tuple_tree *x, int64_t begin, int64_t end, int i, kanon__bound *bounds)
{
    uint32_t lo = bounds[0], hi = bounds[1];
    for (int64_t place = begin; place < end; place++) {
        uint32_t code = codes_at(x, place)[i];
        lo = code < lo ? code : lo;
        hi = code > hi ? code : hi;
    }
    bounds[0] = lo;
    bounds[1] = hi;
}

static bool varies(const kanon__bound *box, int i)
{
    return box == NULL || box[2 * i] < box[2 * i + 1];
}

/* The box of some places that all lie in the box `within` (NULL: unknown). A dimension on which that has only one code needs
 * no scan. */
static void set_box(const kanon__tuple_tree *x, int32_t begin, int32_t end, const kanon__bound *within, kanon__bound *box)
{
    int m = x->tuples->n_dimensions;
    for (int i = 0; i < m; i++) {
        box[2 * i] = varies(within, i) ? UINT32_MAX : within[2 * i];
        box[2 * i + 1] = varies(within, i) ? 0 : within[2 * i];
    }
    for (int64_t strip = begin; strip < end; strip += STRIP)
        for (int i = 0; i < m; i++)
            if (varies(within, i))
                widen(x, strip, end - strip < STRIP ? end : strip + STRIP, i, box + 2 * i);
}

/* ---- where to cut ------------------------------------------------------------------------------------------------ */

static bool ends_missing(const kanon__dimension *d, uint32_t hi)
{
    return d->coordinates != NULL && hi == d->column->domain->missing_code;
}

/* The spread, an estimate of the mean distance of two tuples: a third of the range for numbers that are evenly spread,
 * nearly all of it for categories. */
static uint32_t apart(const kanon__dimension *d, uint32_t lo, uint32_t hi)
{
    uint32_t units = kanon__dimension_units(d, lo, hi);
    return d->coordinates == NULL || ends_missing(d, hi) ? units : units / 3;
}

/* The dimension with the largest spread; -1 where there is one tuple only. */
static int widest(const kanon__space *space, const kanon__bound *box)
{
    int best = -1;
    uint32_t most = 0;
    for (int i = 0; i < space->n_dimensions; i++) {
        uint32_t units = apart(&space->dimensions[i], box[2 * i], box[2 * i + 1]);
        if (box[2 * i] < box[2 * i + 1] && (best < 0 || units > most)) {
            most = units;
            best = i;
        }
    }
    return best;
}

/* The first code of the right side: about as many tuples on either side, none of them empty. */
static uint32_t cut_at_median(tree_build *b, int32_t n, uint32_t hi)
{
    uint32_t median = kanon__select(b->scratch, n, (n - 1) / 2);
    return median < hi ? median + 1 : median;
}

/* The same between two branches below the lowest common ancestor: before or after the branch of the median, whichever is
 * nearer to the middle. */
static uint32_t cut_between_branches(tree_build *b, const kanon__taxonomy *t, int32_t n, uint32_t lo, uint32_t hi)
{
    int32_t top = kanon__taxonomy_lca(t, (int32_t)lo, (int32_t)hi), before = 0, until = 0;
    int32_t branch = t->leaf_node[kanon__select(b->scratch, n, (n - 1) / 2)];
    while (t->parent[branch] != top)
        branch = t->parent[branch];
    uint32_t first = (uint32_t)t->first_leaf[branch], last = (uint32_t)t->last_leaf[branch];
    for (int32_t j = 0; j < n; j++) {
        before += b->scratch[j] < first;
        until += b->scratch[j] <= last;
    }
    return last >= hi || (first > lo && n - before < until) ? first : last + 1;
}

static uint32_t cut_of(tree_build *b, int32_t n, int i, int depth, uint32_t lo, uint32_t hi)
{
    const kanon__dimension *d = &b->space->dimensions[i];
    if (depth < DEPTH_OF_UNEVEN_CUTS && d->coordinates == NULL)
        return cut_between_branches(b, d->column->domain->taxonomy, n, lo, hi);
    if (depth < DEPTH_OF_UNEVEN_CUTS && ends_missing(d, hi))
        return hi;
    return cut_at_median(b, n, hi);
}

/* Put the tuples left of the cut first. Returns where the others begin, both sides non-empty. */
static int32_t divide(tree_build *b, const kanon__tree_node *node, int i, int depth, const kanon__bound *box)
{
    kanon__tuple_tree *x = b->index;
    int32_t n = node->end - node->begin, left = node->begin, right = 0;
    for (int32_t j = 0; j < n; j++)
        b->scratch[j] = codes_at(x, node->begin + j)[i];
    uint32_t cut = cut_of(b, n, i, depth, box[2 * i], box[2 * i + 1]);
    for (int32_t place = node->begin; place < node->end;
         place++) { /* without a branch: written to both sides, counted on one */
        int32_t tuple = x->order[place];
        bool is_left = codes_at(x, place)[i] < cut;
        x->order[left] = b->other[right] = tuple;
        left += is_left;
        right += !is_left;
    }
    memcpy(x->order + left, b->other, (size_t)right * sizeof *b->other);
    return left;
}

/* ---- tree_build -------------------------------------------------------------------------------------------------- */

static kanon_status add_node(tree_build *b, int64_t parent, int32_t begin, int32_t end, kanon_error *err)
{
    kanon__tuple_tree *x = b->index;
    int64_t m = x->tuples->n_dimensions;
    kanon_status st = kanon__grow_array(&x->nodes, &b->nodes_capacity, x->n_nodes + 1, "the index", err);
    if (st == KANON_OK)
        st = kanon__grow_array(&x->boxes, &b->boxes_capacity, (x->n_nodes + 1) * 2 * m, "the index", err);
    if (st != KANON_OK)
        return st;
    x->nodes[x->n_nodes] = (kanon__tree_node){-1, begin, end};
    set_box(x, begin, end, parent < 0 ? NULL : x->boxes + parent * 2 * m, x->boxes + x->n_nodes * 2 * m);
    x->n_nodes++;
    return KANON_OK;
}

/* Depth first, so that a subtree stays in the cache until it is done. */
static kanon_status build(tree_build *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tuple_tree *x = b->index;
    int64_t m = x->tuples->n_dimensions;
    tree_task stack[KANON__TREE_DEPTH + 1];
    int n = 0;
    KANON_TRY(add_node(b, -1, 0, (int32_t)x->tuples->n, err), out);
    stack[n++] = (tree_task){0, 0};
    while (n > 0) {
        tree_task top = stack[--n];
        kanon__tree_node node = x->nodes[top.node];
        const kanon__bound *box = x->boxes + (int64_t)top.node * 2 * m;
        int dimension = node.end - node.begin <= KANON__LEAF_TUPLES ? -1 : widest(b->space, box);
        if (dimension < 0 || top.depth + 1 == KANON__TREE_DEPTH)
            continue;
        int32_t middle = divide(b, &node, dimension, top.depth, box), child = (int32_t)x->n_nodes;
        x->nodes[top.node].first_child = child;
        KANON_TRY(add_node(b, top.node, node.begin, middle, err), out);
        KANON_TRY(add_node(b, top.node, middle, node.end, err), out);
        stack[n++] = (tree_task){child + 1, top.depth + 1};
        stack[n++] = (tree_task){child, top.depth + 1};
        KANON_TRY(kanon__poll_tick((int64_t)(node.end - node.begin) * TUPLE_NS, err), out);
    }
out:
    return st;
}

kanon_status kanon__tuple_tree_new(kanon__tuple_tree **out, const kanon__space *space, const kanon__tuples *tuples,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tuple_tree *x = NULL;
    tree_build b = {.space = space};
    int64_t n = tuples->n, m = tuples->n_dimensions;
    *out = NULL;
    KANON_TRY(kanon__new_array(&x, 1, "the index", err), out);
    b.index = x;
    x->tuples = tuples;
    KANON_TRY(kanon__new_array(&x->order, n, "the index", err), out);
    KANON_TRY(kanon__new_array(&x->codes, n * m, "the index", err), out);
    KANON_TRY(kanon__new_array(&b.scratch, n, "the index", err), out);
    KANON_TRY(kanon__new_array(&b.other, n, "the index", err), out);
    for (int64_t i = 0; i < n; i++)
        x->order[i] = (int32_t)i;
    KANON_TRY(build(&b, err), out);
    KANON_TRY(kanon__poll_tick(KANON__TICK_POLL_NS, err), out);
    for (int64_t i = 0; i < n; i++)
        memcpy(x->codes + i * m, tuples->codes + (int64_t)x->order[i] * m, (size_t)m * sizeof *x->codes);
    *out = x;
    x = NULL;
out:
    kanon__free(b.other);
    kanon__free(b.scratch);
    kanon__tuple_tree_free(x);
    return st;
}

void kanon__tuple_tree_free(kanon__tuple_tree *x)
{
    if (x == NULL)
        return;
    kanon__free(x->boxes);
    kanon__free(x->nodes);
    kanon__free(x->codes);
    kanon__free(x->order);
    kanon__free(x);
}
