#include "search/growth.h"

#include "core/alloc.h"

#include <string.h>

/* Below this many records a scan is as fast as anything. */
enum { SMALL_TABLE = 400 };

/* What a search has still to look at. Keys order by cost, then row. */
typedef struct candidate {
    uint64_t key;
    int32_t what; /* a node, or the complement of a tuple's place */
} candidate;

struct kanon__growth {
    const kanon__space *space;
    kanon__free_set *scan; /* NULL: the index is used */
    int64_t n_free;
    kanon__tuples *tuples;
    kanon__index *index;
    int32_t *place_of;   /* by row: its tuple's place in the index */
    bool *is_free;       /* by row */
    int64_t *first_free; /* by place: where in tuples->rows its lowest free row stands */
    int32_t *lowest_at;  /* by place: that row; INT32_MAX: none is free */
    int32_t *lowest;     /* by node: the lowest free row below it; INT32_MAX: none */
    int32_t *parent;     /* by node */
    int32_t *leaf_of;    /* by place: its leaf */
    candidate *heap;
    int64_t n_heap, heap_capacity;
};

/* ---- life cycle -------------------------------------------------------------------------------------------------------
 * */

static void set_leaf(kanon__growth *g, int32_t node)
{
    const kanon__tree_node *leaf = &g->index->nodes[node];
    int32_t lowest = INT32_MAX;
    for (int32_t place = leaf->begin; place < leaf->end; place++)
        lowest = g->lowest_at[place] < lowest ? g->lowest_at[place] : lowest;
    g->lowest[node] = lowest;
}

static void set_inner(kanon__growth *g, int32_t node)
{
    int32_t child = g->index->nodes[node].first_child, left = g->lowest[child], right = g->lowest[child + 1];
    g->lowest[node] = left < right ? left : right;
}

static void set_up_nodes(kanon__growth *g)
{
    for (int64_t place = 0; place < g->tuples->n; place++) {
        int64_t tuple = g->index->order[place];
        g->first_free[place] = g->tuples->begins[tuple];
        g->lowest_at[place] = g->tuples->rows[g->tuples->begins[tuple]];
        for (int64_t i = g->tuples->begins[tuple]; i < g->tuples->begins[tuple + 1]; i++)
            g->place_of[g->tuples->rows[i]] = (int32_t)place;
    }
    for (int64_t node = g->index->n_nodes - 1; node >= 0; node--) { /* children come after their parents */
        const kanon__tree_node *n = &g->index->nodes[node];
        if (n->first_child < 0) {
            for (int32_t place = n->begin; place < n->end; place++)
                g->leaf_of[place] = (int32_t)node;
            set_leaf(g, (int32_t)node);
            continue;
        }
        g->parent[n->first_child] = g->parent[n->first_child + 1] = (int32_t)node;
        set_inner(g, (int32_t)node);
    }
    g->parent[0] = -1;
}

static kanon_status build_index(kanon__growth *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = g->space->n_rows;
    KANON_TRY(kanon__tuples_new(&g->tuples, g->space, err), out);
    KANON_TRY(kanon__index_new(&g->index, g->space, g->tuples, err), out);
    KANON_TRY(kanon__new_array(&g->place_of, n, "the index", err), out);
    KANON_TRY(kanon__new_array(&g->is_free, n, "the index", err), out);
    KANON_TRY(kanon__new_array(&g->first_free, g->tuples->n, "the index", err), out);
    KANON_TRY(kanon__new_array(&g->lowest_at, g->tuples->n, "the index", err), out);
    KANON_TRY(kanon__new_array(&g->leaf_of, g->tuples->n, "the index", err), out);
    KANON_TRY(kanon__new_array(&g->lowest, g->index->n_nodes, "the index", err), out);
    KANON_TRY(kanon__new_array(&g->parent, g->index->n_nodes, "the index", err), out);
    memset(g->is_free, 1, (size_t)n * sizeof *g->is_free);
    set_up_nodes(g);
out:
    return st;
}

kanon_status kanon__growth_new(kanon__growth **out, const kanon__space *space, const char *way, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__growth *g = NULL;
    bool scan = strcmp(way, "scan") == 0 || (strcmp(way, "auto") == 0 && space->n_rows < SMALL_TABLE);
    *out = NULL;
    KANON_TRY(kanon__new_array(&g, 1, "free records", err), out);
    g->space = space;
    g->n_free = space->n_rows;
    KANON_TRY(scan ? kanon__free_set_new(&g->scan, space, NULL, 0, err) : build_index(g, err), out);
    *out = g;
    g = NULL;
out:
    kanon__growth_free(g);
    return st;
}

void kanon__growth_free(kanon__growth *g)
{
    if (g == NULL)
        return;
    kanon__free(g->heap);
    kanon__free(g->parent);
    kanon__free(g->lowest);
    kanon__free(g->leaf_of);
    kanon__free(g->lowest_at);
    kanon__free(g->first_free);
    kanon__free(g->is_free);
    kanon__free(g->place_of);
    kanon__index_free(g->index);
    kanon__tuples_free(g->tuples);
    kanon__free_set_free(g->scan);
    kanon__free(g);
}

/* ---- free records -----------------------------------------------------------------------------------------------------
 * */

int64_t kanon__growth_n_free(const kanon__growth *g)
{
    return g->n_free;
}

bool kanon__growth_has(const kanon__growth *g, int64_t row)
{
    return g->scan != NULL ? kanon__free_set_has(g->scan, row) : g->is_free[row];
}

int64_t kanon__growth_nth(const kanon__growth *g, int64_t index)
{
    for (int64_t row = 0; row < g->space->n_rows; row++)
        if (kanon__growth_has(g, row) && index-- == 0)
            return row;
    return -1;
}

/* Draw a leaf's box around the tuples that are still free. False where that changed nothing. */
static bool shrink_leaf(kanon__growth *g, int32_t node)
{
    int m = g->space->n_dimensions;
    const kanon__tree_node *leaf = &g->index->nodes[node];
    kanon__bound *box = g->index->boxes + (int64_t)node * 2 * m;
    bool changed = false;
    for (int i = 0; i < m; i++) {
        uint32_t lo = UINT32_MAX, hi = 0;
        for (int32_t place = leaf->begin; place < leaf->end; place++) {
            uint32_t code = g->index->codes[(int64_t)place * m + i];
            if (g->lowest_at[place] == INT32_MAX)
                continue;
            lo = code < lo ? code : lo;
            hi = code > hi ? code : hi;
        }
        changed = changed || lo != box[2 * i] || hi != box[2 * i + 1];
        box[2 * i] = lo;
        box[2 * i + 1] = hi;
    }
    return changed;
}

static bool shrink_inner(kanon__growth *g, int32_t node)
{
    int m = g->space->n_dimensions;
    int32_t child = g->index->nodes[node].first_child;
    const kanon__bound *left = g->index->boxes + (int64_t)child * 2 * m, *right = left + 2 * m;
    kanon__bound *box = g->index->boxes + (int64_t)node * 2 * m;
    bool changed = false;
    for (int i = 0; i < 2 * m; i += 2) {
        uint32_t lo = left[i] < right[i] ? left[i] : right[i], hi = left[i + 1] > right[i + 1] ? left[i + 1] : right[i + 1];
        changed = changed || lo != box[i] || hi != box[i + 1];
        box[i] = lo;
        box[i + 1] = hi;
    }
    return changed;
}

/* The boxes follow the free records: the furthest ones are taken first, so that without this every corner would stay
 * promising. */
static void shrink(kanon__growth *g, int32_t leaf)
{
    bool changed = shrink_leaf(g, leaf);
    for (int32_t node = g->parent[leaf]; node >= 0 && changed; node = g->parent[node])
        changed = shrink_inner(g, node);
}

void kanon__growth_remove(kanon__growth *g, int64_t row)
{
    g->n_free--;
    if (g->scan != NULL) {
        kanon__free_set_remove(g->scan, row);
        return;
    }
    int32_t place = g->place_of[row], node = g->leaf_of[place];
    int64_t end = g->tuples->begins[g->index->order[place] + 1], *first = &g->first_free[place];
    g->is_free[row] = false;
    while (*first < end && !g->is_free[g->tuples->rows[*first]])
        ++*first;
    g->lowest_at[place] = *first < end ? g->tuples->rows[*first] : INT32_MAX;
    if (*first == end)
        shrink(g, node);
    if (g->lowest[node] != row)
        return;
    set_leaf(g, node);
    for (node = g->parent[node]; node >= 0 && g->lowest[node] == row; node = g->parent[node])
        set_inner(g, node);
}

/* ---- the heap ---------------------------------------------------------------------------------------------------------
 * */

static kanon_status push(kanon__growth *g, uint64_t key, int32_t what, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&g->heap, &g->heap_capacity, g->n_heap + 1, "the search", err);
    if (st != KANON_OK)
        return st;
    int64_t at = g->n_heap++;
    for (; at > 0 && key < g->heap[(at - 1) / 2].key; at = (at - 1) / 2)
        g->heap[at] = g->heap[(at - 1) / 2];
    g->heap[at] = (candidate){key, what};
    return KANON_OK;
}

/* Put a candidate in place of the top one. */
static void replace_top(kanon__growth *g, candidate c)
{
    int64_t at = 0;
    for (int64_t child = 1; child < g->n_heap; child = 2 * at + 1) {
        child += child + 1 < g->n_heap && g->heap[child + 1].key < g->heap[child].key;
        if (g->heap[child].key >= c.key)
            break;
        g->heap[at] = g->heap[child];
        at = child;
    }
    g->heap[at] = c;
}

static void pop(kanon__growth *g)
{
    candidate last = g->heap[--g->n_heap];
    if (g->n_heap > 0)
        replace_top(g, last);
}

/* ---- least growth -----------------------------------------------------------------------------------------------------
 * */

/* The least cost of the box with anything in the range lo .. hi of a dimension. */
static uint32_t growth_units(const kanon__dimension *d, uint32_t box_lo, uint32_t box_hi, uint32_t lo, uint32_t hi)
{
    if (hi < box_lo)
        return kanon__dimension_units(d, hi, box_hi);
    return kanon__dimension_units(d, box_lo, lo > box_hi ? lo : box_hi);
}

static uint64_t node_key(const kanon__growth *g, const kanon__bound *box, int32_t node)
{
    int m = g->space->n_dimensions;
    const kanon__bound *range = g->index->boxes + (int64_t)node * 2 * m;
    uint32_t units = 0;
    for (int i = 0; i < m; i++)
        units += growth_units(&g->space->dimensions[i], box[2 * i], box[2 * i + 1], range[2 * i], range[2 * i + 1]);
    return (uint64_t)units << 32 | (uint32_t)g->lowest[node];
}

static uint64_t place_key(const kanon__growth *g, const kanon__bound *box, int32_t place)
{
    int m = g->space->n_dimensions;
    const uint32_t *codes = g->index->codes + (int64_t)place * m;
    uint32_t units = 0;
    for (int i = 0; i < m; i++)
        units += growth_units(&g->space->dimensions[i], box[2 * i], box[2 * i + 1], codes[i], codes[i]);
    return (uint64_t)units << 32 | (uint32_t)g->lowest_at[place];
}

static kanon_status expand(kanon__growth *g, const kanon__bound *box, int32_t node, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__tree_node *n = &g->index->nodes[node];
    pop(g);
    for (int32_t child = n->first_child; n->first_child >= 0 && child < n->first_child + 2; child++)
        if (g->lowest[child] != INT32_MAX)
            KANON_TRY(push(g, node_key(g, box, child), child, err), out);
    for (int32_t place = n->begin; n->first_child < 0 && place < n->end; place++)
        if (g->lowest_at[place] != INT32_MAX)
            KANON_TRY(push(g, place_key(g, box, place), ~place, err), out);
out:
    return st;
}

void kanon__growth_start(kanon__growth *g)
{
    g->n_heap = 0;
}

/* Bring the top up to date until a tuple stays there. */
static kanon_status search_least(kanon__growth *g, const kanon__bound *box, int64_t *row, uint32_t *units, kanon_error *err)
{
    kanon_status st = KANON_OK;
    while (g->n_heap > 0) {
        candidate top = g->heap[0];
        int32_t lowest = top.what >= 0 ? g->lowest[top.what] : g->lowest_at[~top.what];
        if (lowest == INT32_MAX) {
            pop(g);
            continue;
        }
        uint64_t key = top.what >= 0 ? node_key(g, box, top.what) : place_key(g, box, ~top.what);
        if (key > top.key) {
            replace_top(g, (candidate){key, top.what});
        } else if (top.what >= 0) {
            KANON_TRY(expand(g, box, top.what, err), out);
        } else {
            *row = lowest;
            *units = (uint32_t)(key >> 32);
            return KANON_OK;
        }
    }
out:
    return st;
}

kanon_status kanon__growth_least(kanon__growth *g, const kanon__bound *box, int64_t *row, uint32_t *units, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *row = -1;
    *units = 0;
    if (g->scan != NULL) {
        *row = kanon__free_set_least_growth(g->scan, box, units);
        return KANON_OK;
    }
    if (g->n_heap == 0 && g->n_free > 0)
        KANON_TRY(push(g, 0, 0, err), out);
    KANON_TRY(search_least(g, box, row, units, err), out);
out:
    return st;
}

/* ---- furthest ---------------------------------------------------------------------------------------------------------
 * */

/* The largest distance of the codes to anything in the ranges (lo, hi) or, where they are one tuple's codes, to that
 * tuple. The key is the complement, so that the furthest comes first and of equals the lowest row. */
static inline uint64_t far_key(const kanon__growth *g, int64_t row, const uint32_t *lo, const uint32_t *hi, int step,
                               int32_t lowest)
{
    uint32_t units = 0;
    for (int i = 0; i < g->space->n_dimensions; i++) {
        const kanon__dimension *d = &g->space->dimensions[i];
        uint32_t own = kanon__code_at(d->codes, row), a = lo[i * step], b = hi[i * step];
        uint32_t left = kanon__dimension_units(d, own < a ? own : a, own < a ? a : own);
        uint32_t right = a == b ? left : kanon__dimension_units(d, own < b ? own : b, own < b ? b : own);
        units += left > right ? left : right;
    }
    return (uint64_t)(UINT32_MAX - units) << 32 | (uint32_t)lowest;
}

/* The tuples of a leaf; the least key so far through *best and *row. */
static void look_at_far_leaf(const kanon__growth *g, int64_t from, const kanon__tree_node *leaf, uint64_t *best,
                             int64_t *row)
{
    int m = g->space->n_dimensions;
    for (int32_t place = leaf->begin; place < leaf->end; place++) {
        const uint32_t *codes = g->index->codes + (int64_t)place * m;
        int32_t lowest = g->lowest_at[place];
        uint64_t key = lowest != INT32_MAX ? far_key(g, from, codes, codes, 1, lowest) : UINT64_MAX;
        if (key < *best) {
            *best = key;
            *row = lowest;
        }
    }
}

/* Depth first, the more promising child first: there is one question to a tree, so a heap would cost more than it saves. */
kanon_status kanon__growth_furthest(kanon__growth *g, int64_t from, int64_t *furthest, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int m = g->space->n_dimensions;
    uint64_t best = UINT64_MAX;
    *furthest = -1;
    if (g->scan != NULL) {
        *furthest = kanon__free_set_furthest(g->scan, from, NULL);
        return KANON_OK;
    }
    g->n_heap = 0; /* a stack here */
    KANON_TRY(kanon__grow_array(&g->heap, &g->heap_capacity, g->index->n_nodes + 2, "the search", err), out);
    g->heap[g->n_heap++] = (candidate){0, 0};
    while (g->n_heap > 0) {
        candidate top = g->heap[--g->n_heap];
        const kanon__tree_node *n = &g->index->nodes[top.what];
        if (top.key >= best)
            continue;
        if (n->first_child < 0) {
            look_at_far_leaf(g, from, n, &best, furthest);
            continue;
        }
        candidate pair[2];
        for (int32_t i = 0; i < 2; i++) {
            int32_t child = n->first_child + i, lowest = g->lowest[child];
            const kanon__bound *range = g->index->boxes + (int64_t)child * 2 * m;
            pair[i] = (candidate){lowest != INT32_MAX ? far_key(g, from, range, range + 1, 2, lowest) : UINT64_MAX, child};
        }
        int first = pair[1].key < pair[0].key;
        g->heap[g->n_heap++] = pair[!first];
        g->heap[g->n_heap++] = pair[first];
    }
out:
    return st;
}
