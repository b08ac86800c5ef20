/* A tree over distinct tuples. Each node knows the smallest and the largest code below it on every dimension; so
 * whatever a search asks of a tuple can be bounded for all tuples below a node.
 *
 * Codes are ordered so that the nearest code of a range is the one that is nearest in order: for a record's code c and
 * a node's range lo..hi, the least cost on that dimension is that of c together with c clamped to the range, for
 * numbers and categories alike.
 *
 * Nodes are cut in two on the dimension that sets their tuples apart most, until a leaf's worth of tuples is left:
 * numbers at their median, categories between two branches of the taxonomy, so that what is below a node is soon of one
 * branch and the bounds are met by tuples that exist. The children of a node lie side by side and after it. */
#ifndef KANON_SEARCH_TREE_H
#define KANON_SEARCH_TREE_H

#include "search/tuples.h"

/* There are never more nodes than this on a way down from the root, and never more tuples in a leaf, but for one at the end
 * of a way as long as that. */
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
