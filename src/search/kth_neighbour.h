/* The distance of a tuple to its k-th nearest other record.
 *
 * A depth-first branch and bound over the tuple tree (search/tree.h), the nearer child first: a node is left out when it is
 * at least as far as the k-th nearest record so far, the reach. The nearest tuples so far are in a priority queue with the
 * farthest on top, each with its number of records; it holds just so many that their records reach k:
 *
 *     wanted 5     (9, 2 records) (4, 3) (1, 1)      without the top there would be 4: the reach is 9
 *     insert (3, 2)                                  now 6 without the top: it is dropped, the reach is 4
 *
 * Distances are doubles. Whole units below 2^53 are exact in them, so the caller decides what is measured: units for the
 * dual prices (bound/priced_table.c), the formula itself for the neighbour bound (bound/neighbour_bound.c). Everything is
 * inline, so that each caller compiles its own copy with its own distances. */
#ifndef KANON_SEARCH_KTH_NEIGHBOUR_H
#define KANON_SEARCH_KTH_NEIGHBOUR_H

#include "core/heap.h"
#include "search/tree.h"

#include <math.h>

/* The records of one tuple. */
typedef struct kanon__near_tuple {
    double distance;
    int64_t count;
} kanon__near_tuple;

static inline bool kanon__near_tuple_is_farther(const kanon__near_tuple *a, const kanon__near_tuple *b)
{
    return a->distance > b->distance;
}

KANON__HEAP(kanon__near_tuples, kanon__near_tuple, kanon__near_tuple_is_farther);

/* Scratch of a search; all zero is ready for use, kanon__near_tuples_clear frees it. */
typedef struct kanon__kth_neighbour {
    kanon__near_tuples nearest;
    int64_t counted, wanted; /* records in `nearest`, and how many there must be */
} kanon__kth_neighbour;

/* The distance of the tuples at two places, and a lower bound of it for everything below a node. Beyond `limit` any value
 * beyond it will do. */
typedef struct kanon__tuple_metric {
    double (*to_tuple)(const void *payload, int64_t place, int64_t other, double limit);
    double (*to_node)(const void *payload, int64_t place, int32_t node, double limit);
    const void *payload;
} kanon__tuple_metric;

/* Records at this distance or beyond are of no use. */
static inline double kanon__kth_neighbour_reach(const kanon__kth_neighbour *s)
{
    return s->counted >= s->wanted ? s->nearest.items[0].distance : INFINITY;
}

/* There is room: a tuple has at least one record, so at most wanted + 1 of them are in the queue. */
static inline void kanon__kth_neighbour_insert(kanon__kth_neighbour *s, double distance, int64_t count)
{
    kanon__near_tuples_put(&s->nearest, (kanon__near_tuple){distance, count});
    s->counted += count;
    while (s->counted - s->nearest.items[0].count >= s->wanted)
        s->counted -= kanon__near_tuples_pop(&s->nearest).count;
}

static inline void kanon__kth_neighbour_scan_leaf(kanon__kth_neighbour *s, const kanon__tuple_tree *tree, int64_t place,
                                                  const kanon__tree_node *leaf, kanon__tuple_metric metric)
{
    for (int64_t other = leaf->begin; other < leaf->end; other++) {
        if (other == place)
            continue;
        double reach = kanon__kth_neighbour_reach(s);
        double distance = metric.to_tuple(metric.payload, place, other, reach);
        const int64_t *begins = tree->tuples->begins + tree->order[other];
        if (distance < reach)
            kanon__kth_neighbour_insert(s, distance, begins[1] - begins[0]);
    }
}

/* The distance of the tuple at `place` to its wanted-th nearest record of other tuples, of which there are so many. The
 * queue has room for wanted + 1 tuples (kanon__near_tuples_reserve). */
static inline double kanon__kth_neighbour_distance(kanon__kth_neighbour *s, const kanon__tuple_tree *tree, int64_t place,
                                                   int64_t wanted, kanon__tuple_metric metric)
{
    struct {
        int32_t node;
        double distance;
    } stack[KANON__TREE_DEPTH + 2], swap;
    int depth = 0;
    s->nearest.n = s->counted = 0;
    s->wanted = wanted;
    stack[depth].node = 0;
    stack[depth++].distance = 0;
    while (depth > 0) {
        depth--;
        const kanon__tree_node *node = &tree->nodes[stack[depth].node];
        if (stack[depth].distance >= kanon__kth_neighbour_reach(s))
            continue;
        if (node->first_child < 0) {
            kanon__kth_neighbour_scan_leaf(s, tree, place, node, metric);
            continue;
        }
        for (int32_t child = node->first_child; child < node->first_child + 2; child++) {
            stack[depth].node = child;
            stack[depth++].distance = metric.to_node(metric.payload, place, child, kanon__kth_neighbour_reach(s));
        }
        if (stack[depth - 1].distance > stack[depth - 2].distance) { /* the nearer child on top */
            swap = stack[depth - 1];
            stack[depth - 1] = stack[depth - 2];
            stack[depth - 2] = swap;
        }
    }
    return s->nearest.items[0].distance;
}

#endif
