/* A taxonomy: a rooted tree whose leaves are the values of a categorical attribute.
 *
 * Nodes are numbered in depth-first order, the root is node 0; leaves are numbered in the same order. So the leaves below a
 * node are a range of leaf numbers, and the lowest common ancestor of a set of leaves is that of its smallest and largest:
 *
 *        0 *                        node  parent  first_leaf  last_leaf  height
 *        |-- 1 Cancer     leaf 0      0     -1        0           2        2
 *        `-- 2 Viral                  1      0        0           0        0
 *            |-- 3 HIV    leaf 1      2      0        1           2        1
 *            `-- 4 Flu    leaf 2      3      2        1           1        0   ...
 */
#ifndef KANON_TABLE_TAXONOMY_H
#define KANON_TABLE_TAXONOMY_H

#include "core/texts.h"
#include "table/text/input.h"
#include "table/value/dictionary.h"

#include <stdbool.h>

typedef struct kanon__taxonomy {
    int32_t n_nodes, n_leaves;
    int32_t *parent;     /* -1: the root */
    int32_t *first_leaf; /* the leaves below the node, both ends included */
    int32_t *last_leaf;
    int32_t *height;          /* the longest way down to a leaf, in edges */
    int32_t *leaf_node;       /* the node of each leaf */
    kanon__dictionary labels; /* node names; they are distinct, but for own leaves */
    bool own_leaves;          /* a leaf may have the name of the node right above it, of which it is the value itself */
    int32_t *label;           /* the dictionary code of each node's name */
    bool flat;                /* made from the values because none was given */
    bool given;               /* as the schema has it: nothing in it is from the table */
    int32_t *node_of_label;   /* the node of each dictionary code; of two, the upper one */
} kanon__taxonomy;

/* A tree while it is being described: nodes in any order, children in the order of their first mention. */
typedef struct kanon__tree kanon__tree;

/* `root_label` NULL: the outermost nodes are added with the parent -1, and kanon__tree_root gives them a root in the end. */
kanon_status kanon__tree_new(kanon__tree **out, const char *root_label, kanon_error *err);
/* The first node is the root where all others are below it, and there are others; else there is a new root, "*". */
kanon_status kanon__tree_root(kanon__tree **tree, kanon_error *err);
void kanon__tree_free(kanon__tree *tree);
/* Add a node below `parent` (0 is the root) and return its number in *out. Labels are not compared. */
kanon_status kanon__tree_add(kanon__tree *tree, int32_t *out, int32_t parent, const char *label, size_t length,
                             kanon_error *err);
/* A copy of `tree` as a taxonomy. `root_extra` (may be NULL): a leaf with this text is added last, directly below the root,
 * unless the tree has it there already; it is how missing values get their leaf. */
kanon_status kanon__taxonomy_from_tree(kanon__taxonomy **out, const kanon__tree *tree, const char *root_extra,
                                       size_t root_extra_length, kanon_error *err);

/* The tree in an ARX hierarchy file: one line per leaf, leaf;parent;...;root, separator ; or , . A label that repeats its
 * neighbour on the line ("Male;Male;*", as equal line lengths need) is the same node; but where other lines have values
 * below it ("250;250;*" beside "250.01;250;*"), the value 250 is a leaf below the node 250. KANON_EDATA names the line of
 * every problem: a leaf given twice with another path, a value with two parents, a leaf that is also an inner node and not
 * its own parent, a line that does not end in the common root, an empty cell, an empty file; at most about ten lines are
 * listed and the rest counted. */
kanon_status kanon__tree_read(kanon__tree **out, const char *path, kanon_error *err);
/* The tree that masks one character (a UTF-8 code point) per level, from the right or the left: 75275, 7527*, 752**, ...;
 * H is the number of characters of the longest value, the root is all stars. Shorter values are filled up on the masked
 * side. Values come in byte order. */
kanon_status kanon__tree_mask(kanon__tree **out, const kanon__dictionary *values, bool from_left, kanon_error *err);
/* Whether a value can be masked: it holds no star and not too many characters. */
bool kanon__tree_can_mask(const char *text, size_t length);
/* One root "*", every value a leaf under it, in byte order. */
kanon_status kanon__tree_flat(kanon__tree **out, const kanon__dictionary *values, kanon_error *err);
bool kanon__tree_is_flat(const kanon__tree *tree);

void kanon__taxonomy_free(kanon__taxonomy *taxonomy);
/* The leaf number of a text, -1 where no leaf has it; the node of any text, -1 likewise. Of a node and its own leaf, which
 * have one name, the node: a cell with that name may mean all that is below it. */
int32_t kanon__taxonomy_leaf(const kanon__taxonomy *taxonomy, const char *text, size_t length);
int32_t kanon__taxonomy_node(const kanon__taxonomy *taxonomy, const char *text, size_t length);
/* The lowest node above leaves lo <= hi. */
int32_t kanon__taxonomy_lca(const kanon__taxonomy *taxonomy, int32_t lo, int32_t hi);
const char *kanon__taxonomy_label(const kanon__taxonomy *taxonomy, int32_t node, size_t *length);

#endif
