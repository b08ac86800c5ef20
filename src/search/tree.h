/* The tuple tree: a k-d tree over the distinct tuples, with the bounding box of each node.
 *
 * A node's box is the smallest and the largest code below it on every dimension. So every question about a tuple has a bound
 * for all tuples below a node, and a search skips nodes whose bound is too large. Codes are ordered so that the nearest code
 * of a range is the nearest in order: for a code c and a range lo .. hi the least cost is that of c with c clamped to the
 * range, for numbers and categories alike.
 *
 * Nodes are split in two on the dimension with the largest spread until at most KANON__LEAF_TUPLES are left: numbers at
 * their median, categories between two branches of the taxonomy, so that nodes soon lie in one branch and their bounds
 * are tight.
 *
 *     nodes    0 | 1 2 | 3 4 | ...         the children of a node lie side by side and after it: 0 is the root
 *     order    tuples, leaf by leaf        a node has order[begin .. end), its children the two halves of that
 *     codes    m codes per tuple, in this order: a leaf is contiguous in memory
 *
 * The tree never changes; free_tree.h adds what does. */
#ifndef KANON_SEARCH_TREE_H
#define KANON_SEARCH_TREE_H

#include "search/tuples.h"

/* No path from the root has more nodes than KANON__TREE_DEPTH, so searches keep their stack in an array. A leaf at that
 * depth may have more tuples than KANON__LEAF_TUPLES. */
enum { KANON__TREE_DEPTH = 96, KANON__LEAF_TUPLES = 12 };

typedef struct kanon__tree_node {
    int32_t first_child; /* the second one comes after it; -1: a leaf */
    int32_t begin, end;  /* its tuples in `order` */
} kanon__tree_node;

typedef struct kanon__tuple_tree {
    const kanon__tuples *tuples;
    int32_t *order;          /* tuples, leaf by leaf */
    uint32_t *codes;         /* of the tuples in that order */
    kanon__tree_node *nodes; /* 0 is the root */
    kanon__bound *boxes;     /* by node: lo and hi per dimension */
    int64_t n_nodes;
} kanon__tuple_tree;

kanon_status kanon__tuple_tree_new(kanon__tuple_tree **out, const kanon__space *space, const kanon__tuples *tuples,
                                   kanon_error *err);
void kanon__tuple_tree_free(kanon__tuple_tree *index);

#endif
