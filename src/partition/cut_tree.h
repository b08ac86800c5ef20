/* Cuts of a table that no process has as a whole: kanon_cuts.
 *
 * The same cuts as those of gaps.c, but level by level: the open parts of a level are cut together, by histograms that are
 * counted wherever the rows are (cut_counts.h) and merged. The first cut follows from the domain alone. Parts are the leaves
 * of a tree; they are numbered from left to right, so that blocks have the numbers that gaps.c gives them.
 *
 *     nodes   0 all records: age <= 29
 *             1 left: sex <= 0          2 right: a leaf, done: block 2
 *             3 leaf, open: part 0      4 leaf, open: part 1 */
#ifndef KANON_PARTITION_CUT_TREE_H
#define KANON_PARTITION_CUT_TREE_H

#include "model/space.h"
#include "table/read/part_codes.h"
#include "table/read/table.h"
#include "table/read/whole_domain.h"

typedef struct kanon__cut_node {
    int64_t n_rows;
    int32_t left;      /* its left child, and the right one behind it; 0: a leaf */
    int32_t leaf;      /* its number among the leaves */
    int32_t open;      /* its number among the open leaves; -1: it is not open */
    int32_t dimension; /* of an inner node */
    uint32_t code;     /* records with codes up to this go left */
} kanon__cut_node;

typedef struct kanon__cut_tree {
    kanon_piece piece;
    kanon__whole *domain; /* a reference */
    kanon__space *space;  /* over the domain, without rows */
    int64_t least;
    int level;
    kanon__cut_node *nodes; /* a child has a higher number than its parent */
    int64_t n_nodes, nodes_capacity;
    int32_t *leaves; /* the node of each leaf */
    int64_t n_leaves, n_open, leaves_capacity;
    unsigned char fingerprint[KANON__FINGERPRINT]; /* of the cuts as they are */
} kanon__cut_tree;

extern const kanon__piece_kind kanon__cuts_kind;

/* The leaf of a row of `part`, by node. */
int32_t kanon__cuts_leaf(const kanon__cut_tree *cuts, const kanon__codes *codes, int64_t row);
/* The codes of the part's quasi columns, as kanon__cuts_leaf takes them: n_dimensions. */
kanon_status kanon__cuts_codes(kanon__codes **out, const kanon__cut_tree *cuts, const kanon_table *part, kanon_error *err);
/* Walk every record of the codes down to its leaf, from where it was before: codes->nodes are leaves of these cuts. */
kanon_status kanon__cuts_walk(const kanon__cut_tree *cuts, kanon__part_codes *codes, kanon_error *err);
/* The records of a block (or part); 0: there is no such block. */
int64_t kanon__cuts_rows(const kanon__cut_tree *cuts, int64_t block);
/* KANON_EINVAL: there is no such block, or some parts are still open. */
kanon_status kanon__cuts_check_block(const kanon__cut_tree *cuts, int64_t block, kanon_error *err);

#endif
