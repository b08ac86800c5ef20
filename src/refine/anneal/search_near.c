/* All tuples of a leaf are answered together: their own leaf first, then, on the way up to the root, what hangs on the other
 * side of each node, as far as it may hold something nearer than what one of them has. Two leaves mostly have the same
 * value throughout on most dimensions; what these cost is counted once for all of their pairs. */
#include "refine/anneal/search_near.h"

#include "core/alloc.h"
#include "core/pool.h"

/* Loops over all lanes have a fixed length, so that compilers make vectors of them. */
enum { LANES = KANON__LEAF_TUPLES, TASK_LEAVES = 128 };

typedef uint32_t lanes[LANES];

typedef struct finding {
    const kanon__space *space;
    const kanon__tuple_tree *index;
    kanon__near *near;
    kanon__shared_ticker *ticker;
    int32_t *parents; /* by node */
    int32_t *leaves;  /* in the order of their tuples */
    int64_t n_leaves;
} finding;

/* A node to be visited, which is at least so far away. */
typedef struct visit {
    uint32_t units;
    int32_t node;
} visit;

/* Up to LANES tuples of a leaf, and those of another one that they are held against. A coordinate is a number's position in
 * units, or a category's code. */
typedef struct batch {
    const finding *f;
    const kanon__bound *box; /* of the leaf */
    int32_t begin, n;
    lanes *own;            /* by dimension: the coordinates */
    uint64_t *best;        /* by lane: the nearest so far, ascending; units and place in one number */
    int32_t n_best[LANES]; /* how many of them there may be yet */
    lanes reach;           /* units of the last one; more than any distance until there are all */
    uint32_t far;          /* the largest reach */
    uint32_t common;       /* the units of the dimensions on which there is one value here and one there */
    int *varying;          /* the other dimensions */
    int n_varying;
    lanes *others; /* by varying dimension */
    visit stack[KANON__TREE_DEPTH + 1];
} batch;

static const uint64_t NOBODY = UINT64_MAX;

static uint32_t units_between(const kanon__dimension *d, uint32_t a, uint32_t b)
{
    return kanon__dimension_units(d, a < b ? a : b, a < b ? b : a);
}

/* ---- leaf against leaf ------------------------------------------------------------------------------------------- */

static void place_lanes(const finding *f, int i, int32_t begin, int32_t n, uint32_t *out)
{
    const uint32_t *position = f->space->dimensions[i].position;
    int64_t m = f->space->n_dimensions;
    const uint32_t *codes = f->index->codes + begin * m + i;
    if (position != NULL)
        for (int32_t lane = 0; lane < n; lane++)
            out[lane] = position[codes[lane * m]];
    else
        for (int32_t lane = 0; lane < n; lane++)
            out[lane] = codes[lane * m];
    for (int32_t lane = n; lane < LANES; lane++)
        out[lane] = out[0];
}

static void add_numbers(uint32_t *restrict units, uint32_t full, uint32_t own, const uint32_t *restrict others)
{
    for (int lane = 0; lane < LANES; lane++) {
        uint32_t difference = own < others[lane] ? others[lane] - own : own - others[lane];
        units[lane] += difference < full ? difference : full;
    }
}

static void add_categories(uint32_t *units, const kanon__dimension *d, uint32_t own, const uint32_t *others, int32_t n)
{
    if (d->pair_units != NULL) {
        const uint32_t *row = d->pair_units + (size_t)own * d->n_codes;
        for (int32_t lane = 0; lane < n; lane++)
            units[lane] += row[others[lane]];
    } else {
        for (int32_t lane = 0; lane < n; lane++)
            units[lane] += units_between(d, own, others[lane]);
    }
}

/* The least distance of every tuple of the batch to a box. */
static void measure_box(const batch *b, const kanon__bound *box, uint32_t *units)
{
    for (int lane = 0; lane < LANES; lane++)
        units[lane] = b->common;
    for (int v = 0; v < b->n_varying; v++) {
        int i = b->varying[v];
        const kanon__dimension *d = &b->f->space->dimensions[i];
        uint32_t lo = box[2 * i], hi = box[2 * i + 1];
        const uint32_t *own = b->own[i];
        if (d->position != NULL) {
            uint32_t low = d->position[lo], high = d->position[hi], full = d->full;
            for (int lane = 0; lane < LANES; lane++) {
                uint32_t below = own[lane] < low ? low - own[lane] : 0, above = own[lane] > high ? own[lane] - high : 0;
                uint32_t difference = below + above;
                units[lane] += difference < full ? difference : full;
            }
        } else {
            for (int32_t lane = 0; lane < b->n; lane++) {
                uint32_t nearest = own[lane] < lo ? lo : own[lane] > hi ? hi : own[lane];
                units[lane] += units_between(d, own[lane], nearest);
            }
        }
    }
}

static void measure_tuples(const batch *b, int32_t lane, int32_t n, uint32_t *units)
{
    for (int other = 0; other < LANES; other++)
        units[other] = b->common;
    for (int v = 0; v < b->n_varying; v++) {
        const kanon__dimension *d = &b->f->space->dimensions[b->varying[v]];
        uint32_t own = b->own[b->varying[v]][lane];
        if (d->position != NULL)
            add_numbers(units, d->full, own, b->others[v]);
        else
            add_categories(units, d, own, b->others[v], n);
    }
}

/* Put two more into an ascending list, whose last two fall out. Nothing here waits for a comparison that cannot be
 * foretold. */
static void keep_two(uint64_t *best, int32_t n, uint64_t first, uint64_t second)
{
    for (int32_t i = 0; i < n; i++) {
        uint64_t here = best[i], smaller = here < first ? here : first;
        first = here < first ? first : here;
        best[i] = smaller < second ? smaller : second;
        second = smaller < second ? second : smaller;
    }
}

static void keep_nearest(batch *b, int32_t lane, const uint32_t *units, int32_t begin, int32_t n)
{
    int32_t width = b->f->near->width, n_nearer = 0;
    uint64_t *best = b->best + (int64_t)lane * width, nearer[LANES + 1];
    for (int32_t other = 0; other < n; other++) {
        nearer[n_nearer] = (uint64_t)units[other] << 32 | (uint32_t)(begin + other);
        n_nearer += units[other] < b->reach[lane];
    }
    nearer[n_nearer] = NOBODY;
    for (int32_t i = 0; i < n_nearer; i += 2) {
        int32_t n_best = b->n_best[lane] + 2 < width ? b->n_best[lane] + 2 : width;
        keep_two(best, n_best, nearer[i], nearer[i + 1]);
        b->n_best[lane] = n_best;
    }
    b->reach[lane] = (uint32_t)(best[width - 1] >> 32);
}

static void scan(batch *b, const kanon__bound *box, int32_t begin, int32_t n)
{
    lanes least, units;
    measure_box(b, box, least);
    for (int v = 0; v < b->n_varying; v++)
        place_lanes(b->f, b->varying[v], begin, n, b->others[v]);
    for (int32_t lane = 0; lane < b->n; lane++) {
        if (least[lane] >= b->reach[lane])
            continue;
        measure_tuples(b, lane, n, units);
        if (begin == b->begin)
            units[lane] = UINT32_MAX;
        keep_nearest(b, lane, units, begin, n);
    }
}

static void visit_leaf(batch *b, int32_t leaf)
{
    const kanon__space *space = b->f->space;
    const kanon__tree_node *node = &b->f->index->nodes[leaf];
    const kanon__bound *box = b->f->index->boxes + (int64_t)leaf * 2 * space->n_dimensions;
    b->common = 0;
    b->n_varying = 0;
    for (int i = 0; i < space->n_dimensions; i++) {
        if (b->box[2 * i] < b->box[2 * i + 1] || box[2 * i] < box[2 * i + 1])
            b->varying[b->n_varying++] = i;
        else if (b->box[2 * i] != box[2 * i])
            b->common += units_between(&space->dimensions[i], b->box[2 * i], box[2 * i]);
    }
    for (int64_t begin = node->begin; begin < node->end; begin += LANES)
        scan(b, box, (int32_t)begin, (int32_t)(node->end - begin < LANES ? node->end - begin : LANES));
    b->far = 0;
    for (int32_t lane = 0; lane < b->n; lane++)
        b->far = b->reach[lane] > b->far ? b->reach[lane] : b->far;
}

/* ---- which leaves ------------------------------------------------------------------------------------------------ */

/* The least distance between the leaf's tuples and those of a node; from `far` on it need not be exact. */
static uint32_t distance(const batch *b, int32_t node)
{
    const kanon__space *space = b->f->space;
    const kanon__bound *own = b->box, *box = b->f->index->boxes + (int64_t)node * 2 * space->n_dimensions;
    uint32_t units = 0;
    for (int i = 0; i < space->n_dimensions && units < b->far; i++) {
        if (own[2 * i + 1] < box[2 * i])
            units += kanon__dimension_units(&space->dimensions[i], own[2 * i + 1], box[2 * i]);
        else if (own[2 * i] > box[2 * i + 1])
            units += kanon__dimension_units(&space->dimensions[i], box[2 * i + 1], own[2 * i]);
    }
    return units;
}

static void visit_below(batch *b, int32_t top)
{
    int n = 0;
    b->stack[n++] = (visit){distance(b, top), top};
    while (n > 0) {
        visit next = b->stack[--n];
        if (next.units >= b->far)
            continue;
        int32_t child = b->f->index->nodes[next.node].first_child;
        if (child < 0) {
            visit_leaf(b, next.node);
            continue;
        }
        visit left = {distance(b, child), child}, right = {distance(b, child + 1), child + 1};
        bool right_first = right.units < left.units;
        b->stack[n++] = right_first ? left : right;
        b->stack[n++] = right_first ? right : left;
    }
}

static void find_near(batch *b, int32_t leaf)
{
    const finding *f = b->f;
    int64_t width = f->near->width;
    for (int i = 0; i < f->space->n_dimensions; i++)
        place_lanes(f, i, b->begin, b->n, b->own[i]);
    for (int64_t i = 0; i < LANES * width; i++)
        b->best[i] = NOBODY;
    for (int lane = 0; lane < LANES; lane++) {
        b->n_best[lane] = 0;
        b->reach[lane] = UINT32_MAX;
    }
    b->far = UINT32_MAX;
    visit_leaf(b, leaf);
    for (int32_t node = leaf; node > 0; node = f->parents[node]) {
        int32_t first = f->index->nodes[f->parents[node]].first_child;
        visit_below(b, node == first ? first + 1 : first);
    }
    for (int32_t i = 0; i < b->n * width; i++)
        f->near->places[b->begin * width + i] = (int32_t)(uint32_t)b->best[i];
}

static kanon_status find_some(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const finding *f = payload;
    int64_t begin = task * TASK_LEAVES, end = begin + TASK_LEAVES, n_found = 0, m = f->space->n_dimensions;
    batch b = {.f = f};
    kanon__ticker ticker;
    kanon__shared_ticker_task(&ticker, f->ticker);
    end = end < f->n_leaves ? end : f->n_leaves;
    KANON_TRY(kanon__new_array(&b.own, m, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&b.others, m, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&b.varying, m, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&b.best, (int64_t)LANES * f->near->width, "neighbours", err), out);
    for (int64_t i = begin; i < end; i++) {
        const kanon__tree_node *leaf = &f->index->nodes[f->leaves[i]];
        b.box = f->index->boxes + (int64_t)f->leaves[i] * 2 * m;
        for (int64_t place = leaf->begin; place < leaf->end; place += LANES) {
            b.begin = (int32_t)place;
            b.n = leaf->end - b.begin < LANES ? leaf->end - b.begin : LANES;
            find_near(&b, f->leaves[i]);
            n_found += b.n;
            KANON_TRY(kanon__tick(&ticker, 0, 0, 10000, err), out);
        }
    }
    kanon__shared_ticker_add(f->ticker, n_found);
out:
    kanon__free(b.best);
    kanon__free(b.varying);
    kanon__free(b.others);
    kanon__free(b.own);
    return st;
}

/* ---- the tree upwards -------------------------------------------------------------------------------------------- */

static kanon_status turn_tree(finding *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__tuple_tree *x = f->index;
    int32_t stack[KANON__TREE_DEPTH + 1];
    int n = 0;
    KANON_TRY(kanon__new_array(&f->parents, x->n_nodes, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&f->leaves, (x->n_nodes + 1) / 2, "neighbours", err), out);
    stack[n++] = 0;
    while (n > 0) {
        int32_t node = stack[--n], child = x->nodes[node].first_child;
        if (child < 0) {
            f->leaves[f->n_leaves++] = node;
            continue;
        }
        f->parents[child] = f->parents[child + 1] = node;
        stack[n++] = child + 1;
        stack[n++] = child;
    }
out:
    return st;
}

kanon_status kanon__near_new(kanon__near **out, const kanon__space *space, const kanon__tuples *tuples, int64_t width,
                             int threads, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__near *near = NULL;
    finding f = {.space = space};
    kanon__shared_ticker shared;
    kanon__shared_ticker_init(&shared, ticker, tuples->n);
    *out = NULL;
    KANON_TRY(kanon__new_array(&near, 1, "neighbours", err), out);
    near->width = (int32_t)(width < tuples->n - 1 ? width : tuples->n > 0 ? tuples->n - 1 : 0);
    KANON_TRY(kanon__new_array(&near->places, tuples->n * near->width, "neighbours", err), out);
    KANON_TRY(kanon__tuple_tree_new(&near->index, space, tuples, err), out);
    if (near->width > 0) {
        f.index = near->index;
        f.near = near;
        f.ticker = &shared;
        KANON_TRY(turn_tree(&f, err), out);
        KANON_TRY(kanon__pool_run(threads, (f.n_leaves + TASK_LEAVES - 1) / TASK_LEAVES, find_some, &f, err), out);
    }
    *out = near;
    near = NULL;
out:
    kanon__free(f.leaves);
    kanon__free(f.parents);
    kanon__near_free(near);
    kanon__shared_ticker_clear(&shared);
    return st;
}

void kanon__near_free(kanon__near *near)
{
    if (near == NULL)
        return;
    kanon__free(near->places);
    kanon__tuple_tree_free(near->index);
    kanon__free(near);
}
