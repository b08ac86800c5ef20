/* All k-nearest-neighbour lists at once, exact unless leaves are limited, by a dual walk of the index: leaf against leaf.
 *
 * For each leaf, in batches of up to LANES of its tuples:
 *
 *   1. Compare the batch with its own leaf: this gives good lists early.
 *   2. Go up to the root. At each node descend into the sibling, the nearer child first, and leave out every node that is
 *      at least as far away as the farthest entry of the batch's lists (branch and bound).
 *   3. At a leaf, sum up once what all pairs of the two leaves share: most dimensions have one value in either leaf. Then
 *      compare each tuple of the batch, on the other dimensions, with the leaf's tuples, LANES at a time.
 *   4. Write the lists.
 *
 * Leaves are independent, so they are tasks of the thread pool, and the lists do not depend on the number of
 * threads. */
#include "refine/anneal/neighbourhood.h"

#include "core/alloc.h"
#include "core/pool.h"

/* Loops over all lanes have a fixed length, so that the compiler vectorises them. */
enum { LANES = KANON__LEAF_TUPLES, TASK_LEAVES = 128 };

typedef uint32_t lanes[LANES];

/* What all tasks share. */
typedef struct list_build {
    const kanon__space *space;
    const kanon__tuple_tree *index;
    kanon__neighbourhood *out;
    kanon__shared_ticker *ticker;
    int32_t *parents; /* by node */
    int32_t *leaves;  /* in the order of their tuples */
    int64_t n_leaves;
    int64_t most_leaves; /* that a batch is compared with, once its lists are full; 0: all */
} list_build;

/* A node still to be searched, and a lower bound of its distance. */
typedef struct pending_node {
    uint32_t units;
    int32_t node;
} pending_node;

/* Up to LANES tuples of a leaf, their lists so far, and the tuples of another leaf that they are compared with. A coordinate
 * is as in move_costs.h. Lanes beyond n repeat the first tuple, so that vector loops need no tail; nobody reads them.
 *
 *     best   [ lane 0: width entries, ascending | lane 1 | ... ]      entry: units << 32 | ordinal; NO_TUPLE: still free */
typedef struct batch {
    const list_build *f;
    const kanon__bound *box; /* of the leaf */
    int32_t begin, n;
    lanes *own;            /* by dimension: the coordinates */
    uint64_t *best;        /* see above */
    int32_t n_best[LANES]; /* by lane: entries that may be in use; the others are NO_TUPLE */
    lanes reach;           /* by lane: units of the last entry; more than any distance while the list is not full */
    uint32_t far;          /* the largest reach */
    int64_t n_compared;    /* leaves */
    uint32_t common;       /* units of the dimensions that have one value in either leaf */
    int *varying;          /* the other dimensions */
    int n_varying;
    lanes *others; /* by varying dimension */
    pending_node stack[KANON__TREE_DEPTH + 1];
} batch;

static const uint64_t NO_TUPLE = UINT64_MAX;

static uint32_t units_between(const kanon__dimension *d, uint32_t a, uint32_t b)
{
    return kanon__dimension_units(d, a < b ? a : b, a < b ? b : a);
}

/* ---- leaf against leaf ------------------------------------------------------------------------------------------- */

/* The coordinates of n tuples on dimension i. */
static void load_lanes(const list_build *f, int i, int32_t begin, int32_t n, uint32_t *out)
{
    const kanon__dimension *d = &f->space->dimensions[i];
    const uint32_t *position = kanon__dimension_is_line(d) ? d->coordinates : NULL;
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
        if (kanon__dimension_is_line(d)) {
            uint32_t low = d->coordinates[lo], high = d->coordinates[hi], full = d->full;
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
        if (kanon__dimension_is_line(d))
            add_numbers(units, d->full, own, b->others[v]);
        else
            add_categories(units, d, own, b->others[v], n);
    }
}

/* Insert two entries into an ascending list of n, the last two of which drop out. Minimum and maximum compile to
 * conditional moves: a branch here would be mispredicted half of the time. */
static void keep_two(uint64_t *best, int32_t n, uint64_t first, uint64_t second)
{
    for (int32_t i = 0; i < n; i++) {
        uint64_t here = best[i], smaller = here < first ? here : first;
        first = here < first ? first : here;
        best[i] = smaller < second ? smaller : second;
        second = smaller < second ? second : smaller;
    }
}

/* Only entries below the reach are collected, without a branch, and then inserted two by two. */
static void keep_nearest(batch *b, int32_t lane, const uint32_t *units, int32_t begin, int32_t n)
{
    int32_t width = b->f->out->width, n_nearer = 0;
    uint64_t *best = b->best + (int64_t)lane * width, nearer[LANES + 1];
    for (int32_t other = 0; other < n; other++) {
        nearer[n_nearer] = (uint64_t)units[other] << 32 | (uint32_t)(begin + other);
        n_nearer += units[other] < b->reach[lane];
    }
    nearer[n_nearer] = NO_TUPLE;
    for (int32_t i = 0; i < n_nearer; i += 2) {
        int32_t n_best = b->n_best[lane] + 2 < width ? b->n_best[lane] + 2 : width;
        keep_two(best, n_best, nearer[i], nearer[i + 1]);
        b->n_best[lane] = n_best;
    }
    b->reach[lane] = (uint32_t)(best[width - 1] >> 32);
}

/* Compare the batch with n tuples from `begin` on, whose box is given. A tuple is not its own neighbour. */
static void scan(batch *b, const kanon__bound *box, int32_t begin, int32_t n)
{
    lanes least, units;
    measure_box(b, box, least);
    for (int v = 0; v < b->n_varying; v++)
        load_lanes(b->f, b->varying[v], begin, n, b->others[v]);
    for (int32_t lane = 0; lane < b->n; lane++) {
        if (least[lane] >= b->reach[lane])
            continue;
        measure_tuples(b, lane, n, units);
        if (begin == b->begin)
            units[lane] = UINT32_MAX;
        keep_nearest(b, lane, units, begin, n);
    }
}

/* 3. */
static void compare_leaf(batch *b, int32_t leaf)
{
    const kanon__space *space = b->f->space;
    const kanon__tree_node *node = &b->f->index->nodes[leaf];
    const kanon__bound *box = b->f->index->boxes + (int64_t)leaf * 2 * space->n_dimensions;
    b->n_compared++;
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

/* ---- the walk over the index ------------------------------------------------------------------------------------- */

/* The least distance between the leaf's box and a node's; once it has reached `far` the sum is not completed. */
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

static bool has_enough(const batch *b)
{
    return b->f->most_leaves > 0 && b->n_compared >= b->f->most_leaves && b->far < UINT32_MAX;
}

/* 2. Depth first with a stack of its own: the depth of the index is bounded. */
static void search_below(batch *b, int32_t top)
{
    int n = 0;
    b->stack[n++] = (pending_node){distance(b, top), top};
    while (n > 0 && !has_enough(b)) {
        pending_node next = b->stack[--n];
        if (next.units >= b->far)
            continue;
        int32_t child = b->f->index->nodes[next.node].first_child;
        if (child < 0) {
            compare_leaf(b, next.node);
            continue;
        }
        pending_node left = {distance(b, child), child}, right = {distance(b, child + 1), child + 1};
        bool right_first = right.units < left.units;
        b->stack[n++] = right_first ? left : right;
        b->stack[n++] = right_first ? right : left;
    }
}

static void find_lists(batch *b, int32_t leaf)
{
    const list_build *f = b->f;
    int64_t width = f->out->width;
    for (int i = 0; i < f->space->n_dimensions; i++)
        load_lanes(f, i, b->begin, b->n, b->own[i]);
    for (int64_t i = 0; i < LANES * width; i++)
        b->best[i] = NO_TUPLE;
    for (int lane = 0; lane < LANES; lane++) {
        b->n_best[lane] = 0;
        b->reach[lane] = UINT32_MAX;
    }
    b->far = UINT32_MAX;
    b->n_compared = 0;
    compare_leaf(b, leaf); /* 1. */
    for (int32_t node = leaf; node > 0 && !has_enough(b); node = f->parents[node]) {
        int32_t first = f->index->nodes[f->parents[node]].first_child;
        search_below(b, node == first ? first + 1 : first);
    }
    for (int32_t i = 0; i < b->n * width; i++) /* 4. The distance was in the upper half. */
        f->out->ordinals[b->begin * width + i] = (int32_t)(uint32_t)b->best[i];
}

static kanon_status find_task(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const list_build *f = payload;
    int64_t begin = task * TASK_LEAVES, end = begin + TASK_LEAVES, n_found = 0, m = f->space->n_dimensions;
    batch b = {.f = f};
    kanon__ticker ticker;
    kanon__shared_ticker_task(&ticker, f->ticker);
    end = end < f->n_leaves ? end : f->n_leaves;
    KANON_TRY(kanon__new_array(&b.own, m, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&b.others, m, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&b.varying, m, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&b.best, (int64_t)LANES * f->out->width, "neighbours", err), out);
    for (int64_t i = begin; i < end; i++) {
        const kanon__tree_node *leaf = &f->index->nodes[f->leaves[i]];
        b.box = f->index->boxes + (int64_t)f->leaves[i] * 2 * m;
        for (int64_t ordinal = leaf->begin; ordinal < leaf->end; ordinal += LANES) {
            b.begin = (int32_t)ordinal;
            b.n = leaf->end - b.begin < LANES ? leaf->end - b.begin : LANES;
            find_lists(&b, f->leaves[i]);
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

/* ---- the lists --------------------------------------------------------------------------------------------------- */

/* The index knows children only. Leaves are listed in the order of their tuples. */
static kanon_status find_parents(list_build *f, kanon_error *err)
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

kanon_status kanon__neighbourhood_new(kanon__neighbourhood **out, const kanon__space *space, const kanon__tuples *tuples,
                                      int64_t width, int64_t most_leaves, int threads, kanon__ticker *ticker,
                                      kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__neighbourhood *lists = NULL;
    list_build f = {.space = space, .most_leaves = most_leaves};
    kanon__shared_ticker shared;
    kanon__shared_ticker_init(&shared, ticker, tuples->n);
    *out = NULL;
    KANON_TRY(kanon__new_array(&lists, 1, "neighbours", err), out);
    lists->width = (int32_t)(width < tuples->n - 1 ? width : tuples->n > 0 ? tuples->n - 1 : 0);
    KANON_TRY(kanon__new_array(&lists->ordinals, tuples->n * lists->width, "neighbours", err), out);
    KANON_TRY(kanon__tuple_tree_new(&lists->index, space, tuples, err), out);
    if (lists->width > 0) {
        f.index = lists->index;
        f.out = lists;
        f.ticker = &shared;
        KANON_TRY(find_parents(&f, err), out);
        KANON_TRY(kanon__pool_run(threads, (f.n_leaves + TASK_LEAVES - 1) / TASK_LEAVES, find_task, &f, err), out);
    }
    *out = lists;
    lists = NULL;
out:
    kanon__free(f.leaves);
    kanon__free(f.parents);
    kanon__neighbourhood_free(lists);
    kanon__shared_ticker_clear(&shared);
    return st;
}

void kanon__neighbourhood_free(kanon__neighbourhood *lists)
{
    if (lists == NULL)
        return;
    kanon__free(lists->ordinals);
    kanon__tuple_tree_free(lists->index);
    kanon__free(lists);
}
