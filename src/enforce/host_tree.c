/* See host_tree.h. Groups are sorted into the tree by the middles of their boxes: the widest dimension is cut at the median,
 * until one group is left. A subtree of m groups takes 2 m - 1 nodes in a row, the left half right behind its parent:
 *
 *     node | left subtree ............. | right subtree ..........
 *      i     i + 1                        right[i]
 */
#include "enforce/host_tree.h"

#include "core/alloc.h"
#include "core/heap.h"

typedef struct host_node {
    int32_t parent;                   /* -1: the root */
    int32_t right;                    /* the right child; 0: this is a leaf */
    int32_t group;                    /* of a leaf */
    int32_t lowest;                   /* group below that is not gone; INT32_MAX: all are */
    int64_t smallest;                 /* size */
    uint32_t least_units, most_units; /* D */
    bool open;                        /* a record may join some group below */
} host_node;

/* What a node knows of the boxes below it on one dimension. */
typedef struct node_range {
    kanon__bound inner_lo, inner_hi; /* the highest lo, the lowest hi */
    kanon__bound outer_lo, outer_hi; /* the lowest lo, the highest hi */
    uint32_t most;                   /* units of the widest */
} node_range;

/* A node that the search has still to open. */
typedef struct host_candidate {
    int64_t cost;
    int32_t lowest, node;
} host_candidate;

static inline bool comes_before(const host_candidate *a, const host_candidate *b)
{
    return a->cost != b->cost ? a->cost < b->cost : a->lowest < b->lowest;
}

KANON__HEAP(host_queue, host_candidate, comes_before);

struct kanon__host_tree {
    kanon__host_groups groups;
    host_node *nodes;
    node_range *ranges; /* by node, per dimension */
    int32_t *leaf_of;   /* by group */
    int32_t *changed;   /* groups whose paths are to be computed again */
    bool *is_changed;   /* by group */
    int64_t n_changed;
    host_queue queue;
    kanon__host_query query;
};

/* ---- making the tree --------------------------------------------------------------------------------------------- */

static node_range *ranges_of(const kanon__host_tree *t, int32_t node)
{
    return t->ranges + (int64_t)node * t->groups.space->n_dimensions;
}

static const kanon__bound *box_of(const kanon__host_tree *t, int32_t group)
{
    return t->groups.boxes + (int64_t)group * 2 * t->groups.space->n_dimensions;
}

/* The middle of a group on a dimension, as a code. */
static uint32_t middle_of(const kanon__host_tree *t, int32_t group, int dimension)
{
    const kanon__bound *range = box_of(t, group) + 2 * (int64_t)dimension;
    return range[0] + (range[1] - range[0]) / 2;
}

/* The dimension on which the middles of the groups lie farthest apart; of equals the first. */
static int widest(const kanon__host_tree *t, const int32_t *order, int32_t n)
{
    int best = 0;
    uint32_t most = 0;
    for (int i = 0; i < t->groups.space->n_dimensions; i++) {
        uint32_t lo = UINT32_MAX, hi = 0;
        for (int32_t at = 0; at < n; at++) {
            uint32_t middle = middle_of(t, order[at], i);
            lo = middle < lo ? middle : lo;
            hi = middle > hi ? middle : hi;
        }
        uint32_t width = kanon__dimension_units(&t->groups.space->dimensions[i], lo, hi);
        if (width > most) {
            most = width;
            best = i;
        }
    }
    return best;
}

static bool lies_before(const kanon__host_tree *t, int32_t left, int32_t right, int dimension)
{
    uint32_t a = middle_of(t, left, dimension), b = middle_of(t, right, dimension);
    return a != b ? a < b : left < right;
}

/* Quickselect: the first `n_left` groups of the order lie before the others on the dimension. */
static void cut(const kanon__host_tree *t, int32_t *order, int32_t n, int32_t n_left, int dimension)
{
    for (int32_t from = 0, to = n - 1; from < to;) {
        int32_t pivot = order[from + (to - from) / 2], i = from, j = to;
        while (i <= j) {
            while (lies_before(t, order[i], pivot, dimension))
                i++;
            while (lies_before(t, pivot, order[j], dimension))
                j--;
            if (i <= j) {
                int32_t other = order[i];
                order[i++] = order[j];
                order[j--] = other;
            }
        }
        if (n_left <= j)
            to = j;
        else if (n_left >= i)
            from = i;
        else
            return;
    }
}

/* The subtree of these groups, whose root is `node`. It is as deep as the logarithm of their number. */
static void grow_tree(kanon__host_tree *t, int32_t node, int32_t parent, int32_t *order, int32_t n)
{
    t->nodes[node].parent = parent;
    if (n == 1) {
        t->nodes[node].group = order[0];
        t->leaf_of[order[0]] = node;
        return;
    }
    int32_t n_left = n / 2;
    cut(t, order, n, n_left, widest(t, order, n));
    t->nodes[node].right = node + 2 * n_left;
    grow_tree(t, node + 1, node, order, n_left);
    grow_tree(t, node + 2 * n_left, node, order + n_left, n - n_left);
}

/* ---- what a node knows ------------------------------------------------------------------------------------------- */

/* A leaf knows its group; one that is gone bounds nothing. */
static void update_leaf(kanon__host_tree *t, int32_t node)
{
    host_node *leaf = &t->nodes[node];
    const kanon__host_groups *g = &t->groups;
    node_range *ranges = ranges_of(t, node);
    bool gone = g->sizes[leaf->group] == 0;
    leaf->lowest = gone ? INT32_MAX : leaf->group;
    leaf->smallest = gone ? INT64_MAX : g->sizes[leaf->group];
    leaf->least_units = gone ? UINT32_MAX : g->units[leaf->group];
    leaf->most_units = gone ? 0 : g->units[leaf->group];
    leaf->open = !gone && (g->open == NULL || g->open[leaf->group]);
    for (int i = 0; i < g->space->n_dimensions; i++) {
        const kanon__bound *range = box_of(t, leaf->group) + 2 * (int64_t)i;
        ranges[i] = (node_range){0, UINT32_MAX, UINT32_MAX, 0, 0};
        if (!gone)
            ranges[i] = (node_range){range[0], range[1], range[0], range[1],
                                     kanon__dimension_units(&g->space->dimensions[i], range[0], range[1])};
    }
}

static uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void update_node(kanon__host_tree *t, int32_t node)
{
    host_node *n = &t->nodes[node];
    if (n->right == 0) {
        update_leaf(t, node);
        return;
    }
    const host_node *a = &t->nodes[node + 1], *b = &t->nodes[n->right];
    node_range *ranges = ranges_of(t, node);
    const node_range *left = ranges_of(t, node + 1), *right = ranges_of(t, n->right);
    n->lowest = a->lowest < b->lowest ? a->lowest : b->lowest;
    n->smallest = a->smallest < b->smallest ? a->smallest : b->smallest;
    n->least_units = a->least_units < b->least_units ? a->least_units : b->least_units;
    n->most_units = a->most_units > b->most_units ? a->most_units : b->most_units;
    n->open = a->open || b->open;
    for (int i = 0; i < t->groups.space->n_dimensions; i++)
        ranges[i] = (node_range){.inner_lo = higher(left[i].inner_lo, right[i].inner_lo),
                                 .inner_hi = lower(left[i].inner_hi, right[i].inner_hi),
                                 .outer_lo = lower(left[i].outer_lo, right[i].outer_lo),
                                 .outer_hi = higher(left[i].outer_hi, right[i].outer_hi),
                                 .most = higher(left[i].most, right[i].most)};
}

void kanon__host_tree_change(kanon__host_tree *t, int32_t group)
{
    if (t->is_changed[group])
        return;
    t->is_changed[group] = true;
    t->changed[t->n_changed++] = group;
}

static void update_paths(kanon__host_tree *t)
{
    for (int64_t i = 0; i < t->n_changed; i++) {
        t->is_changed[t->changed[i]] = false;
        for (int32_t node = t->leaf_of[t->changed[i]]; node >= 0; node = t->nodes[node].parent)
            update_node(t, node);
    }
    t->n_changed = 0;
}

kanon_status kanon__host_tree_new(kanon__host_tree **out, const kanon__host_groups *groups, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__host_tree *t = NULL;
    int64_t n = groups->n, n_nodes = 2 * n - 1;
    *out = NULL;
    KANON_TRY(kanon__new_array(&t, 1, "the index of groups", err), out);
    t->groups = *groups;
    KANON_TRY(kanon__new_array(&t->nodes, n_nodes, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&t->ranges, n_nodes * groups->space->n_dimensions, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&t->leaf_of, n, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&t->changed, n, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&t->is_changed, n, "the index of groups", err), out);
    for (int32_t group = 0; group < n; group++)
        t->changed[group] = group; /* the order, while the tree grows */
    grow_tree(t, 0, -1, t->changed, (int32_t)n);
    for (int64_t node = n_nodes - 1; node >= 0; node--)
        update_node(t, (int32_t)node);
    *out = t;
    t = NULL;
out:
    kanon__host_tree_free(t);
    return st;
}

void kanon__host_tree_free(kanon__host_tree *t)
{
    if (t == NULL)
        return;
    host_queue_clear(&t->queue);
    kanon__free(t->is_changed);
    kanon__free(t->changed);
    kanon__free(t->leaf_of);
    kanon__free(t->ranges);
    kanon__free(t->nodes);
    kanon__free(t);
}

int64_t kanon__host_tree_need(int64_t n_groups, int n_attributes)
{
    enum { LISTS = 9 };
    return n_groups * (LISTS + 2 * ((int64_t)sizeof(host_node) + (int64_t)sizeof(node_range) * n_attributes));
}

/* ---- searching --------------------------------------------------------------------------------------------------- */

/* By how much a join widens any box below on this dimension at least, with `joint` the least units of the joint range. A
 * number beyond all boxes below widens each of them by its distance, but none beyond the full range. */
static uint32_t least_growth(const kanon__dimension *d, const node_range *r, kanon__bound lo, kanon__bound hi,
                             uint32_t joint)
{
    uint32_t growth = joint > r->most ? joint - r->most : 0;
    if (!kanon__dimension_is_line(d) || (lo >= r->outer_lo && hi <= r->outer_hi))
        return growth;
    uint32_t distance = (lo < r->outer_lo ? d->coordinates[r->outer_lo] - d->coordinates[lo] : 0) +
                        (hi > r->outer_hi ? d->coordinates[hi] - d->coordinates[r->outer_hi] : 0);
    return higher(growth, lower(distance, d->full - r->most));
}

/* The least that a join with a group below the node costs: what is searched for pays size (J - units), with J the D of the
 * joint box, and the group its size times what its box grows by. */
static int64_t least_cost(const kanon__host_tree *t, int32_t node)
{
    const host_node *n = &t->nodes[node];
    const node_range *ranges = ranges_of(t, node);
    const kanon__bound *box = t->query.box;
    uint32_t joint = 0, growth = 0;
    for (int i = 0; i < t->groups.space->n_dimensions; i++) {
        const kanon__dimension *d = &t->groups.space->dimensions[i];
        uint32_t lo = box[2 * i], hi = box[2 * i + 1];
        uint32_t units = kanon__dimension_units(d, lower(lo, ranges[i].inner_lo), higher(hi, ranges[i].inner_hi));
        joint += units;
        growth += least_growth(d, &ranges[i], lo, hi, units);
    }
    growth = higher(growth, joint > n->most_units ? joint - n->most_units : 0);
    joint = higher(joint, n->least_units + growth);
    return t->query.size * ((int64_t)joint - t->query.units) + n->smallest * (int64_t)growth;
}

static void put(kanon__host_tree *t, int32_t node)
{
    const host_node *n = &t->nodes[node];
    if (n->lowest == INT32_MAX || (t->query.only_open && !n->open))
        return;
    int64_t cost = least_cost(t, node);
    if (cost < t->query.limit)
        host_queue_put(&t->queue, (host_candidate){cost, n->lowest, node});
}

kanon_status kanon__host_tree_start(kanon__host_tree *t, const kanon__host_query *query, kanon_error *err)
{
    kanon_status st = host_queue_reserve(&t->queue, 2, err);
    if (st != KANON_OK)
        return st;
    update_paths(t);
    t->queue.n = 0;
    t->query = *query;
    put(t, 0);
    return KANON_OK;
}

kanon_status kanon__host_tree_next(kanon__host_tree *t, int32_t *group, int64_t *cost, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *group = -1;
    *cost = INT64_MAX;
    while (t->queue.n > 0) {
        host_candidate top = host_queue_pop(&t->queue);
        int32_t right = t->nodes[top.node].right;
        if (right == 0) {
            *group = t->nodes[top.node].group;
            *cost = top.cost;
            return KANON_OK;
        }
        KANON_TRY(host_queue_reserve(&t->queue, t->queue.n + 2, err), out);
        put(t, top.node + 1);
        put(t, right);
    }
out:
    return st;
}
