/* Which records of a table do the cells of a row cover? A search in the tree of the distinct tuples (search/tree.h): nodes
 * outside the regions are left out, and all below a node that is inside is found at once. */
#ifndef KANON_AUDIT_REGION_INDEX_H
#define KANON_AUDIT_REGION_INDEX_H

#include "audit/cell_regions.h"
#include "search/tree.h"

typedef struct kanon__region_index {
    kanon__space *space;
    kanon__tuples *tuples;
    kanon__tuple_tree *tree;
    int64_t *rows_before; /* by place in the order of the tree: the rows of the tuples before it; one more at the end */
} kanon__region_index;

/* Of the given encoded columns. `data` must outlive the index. */
kanon_status kanon__region_index_new(kanon__region_index **out, const kanon__data *data, const int *columns, int n_columns,
                                     kanon_error *err);
void kanon__region_index_free(kanon__region_index *index);

/* The cells of a row: for each column of the index the texts of the file, and which text it is. */
typedef struct kanon__region_query {
    const kanon__cell_regions *const *regions;
    const uint32_t *texts;
} kanon__region_query;

/* The tuples at tree->order[begin .. end) are covered: all of the node, or where `node` is -1 one of a leaf. */
typedef kanon_status kanon__region_found(int32_t node, int32_t begin, int32_t end, void *payload, kanon_error *err);
kanon_status kanon__region_index_find(const kanon__region_index *index, const kanon__region_query *query,
                                      kanon__region_found *found, void *payload, kanon_error *err);

#endif
