/* The tree while it is being described: nodes with labels and parents, in any order. Used by the files that make a
 * taxonomy (taxonomy_build.c, taxonomy_file.c) and by state, which stores it. */
#ifndef KANON_TABLE_TREE_INTERNAL_H
#define KANON_TABLE_TREE_INTERNAL_H

#include "table/schema/taxonomy.h"

struct kanon__tree {
    int32_t n_nodes;
    int32_t *parent; /* smaller than the node's own number; -1: the root */
    char *bytes;     /* the labels, one after the other */
    int64_t *ends;   /* label i ends at ends[i] and begins where i-1 ends */
    int64_t parent_capacity, bytes_capacity, ends_capacity;
    bool flat;
    bool starred; /* the root's stars were chosen here: where a value has the same text, one more is put */
};

/* Whether the first node has all others below it, and there are others. */
bool kanon__tree_has_root(const kanon__tree *tree);
const char *kanon__tree_label(const kanon__tree *tree, int32_t node, size_t *length);
/* kanon__tree_read of bytes that are in memory already. */
kanon_status kanon__tree_parse(kanon__tree **out, const kanon__input *input, kanon_error *err);

#endif
