/* The groups that a record, or another group, can join, cheapest first: by rising increase of the loss, of equals the lowest
 * group first.
 *
 * A binary tree over the groups. What a join costs depends on the joint box, so a node knows between which bounds the boxes
 * below it lie, and from these how little a join with any of them can cost:
 *
 *     highest lo, lowest hi    by dimension: every box below has its lo at most there, its hi at least there
 *     lowest lo, highest hi    by dimension: no box below reaches beyond; what lies outside widens all of them
 *     most                     by dimension: units of the widest box below
 *     least, most units        of D; smallest: the fewest records; lowest: the lowest group
 *
 * A search is best-first (search/best_first.h has the idea): the cost of a node is a lower bound, that of a leaf is exact.
 * The caller asks for one group at a time and stops when it has enough. Groups change while the tree stands: only the path
 * above a changed group is computed again, before the next search. */
#ifndef KANON_ENFORCE_HOST_TREE_H
#define KANON_ENFORCE_HOST_TREE_H

#include "model/space.h"

/* The groups as their owner keeps them; the tree reads them when it is made and after each change. */
typedef struct kanon__host_groups {
    const kanon__space *space;
    int32_t n;
    const int64_t *sizes;      /* 0: gone */
    const uint32_t *units;     /* D */
    const kanon__bound *boxes; /* 2 per dimension */
    const bool *open;          /* whether some record may join; NULL: all are */
} kanon__host_groups;

typedef struct kanon__host_tree kanon__host_tree;

kanon_status kanon__host_tree_new(kanon__host_tree **out, const kanon__host_groups *groups, kanon_error *err);
void kanon__host_tree_free(kanon__host_tree *tree);
/* The bytes that this takes. */
int64_t kanon__host_tree_need(int64_t n_groups, int n_attributes);
/* Size, box or openness of a group have changed. */
void kanon__host_tree_change(kanon__host_tree *tree, int32_t group);
/* What looks for a group to join. */
typedef struct kanon__host_query {
    const kanon__bound *box; /* must not change until the search is over */
    int64_t size;            /* records */
    uint32_t units;          /* what each of them costs now */
    int64_t limit;           /* only groups that cost less are found */
    bool only_open;          /* only groups that some record may join are */
} kanon__host_query;

/* Begin a search. */
kanon_status kanon__host_tree_start(kanon__host_tree *tree, const kanon__host_query *query, kanon_error *err);
/* The next group, and how much the two lose more as one; *group = -1: there are no more. */
kanon_status kanon__host_tree_next(kanon__host_tree *tree, int32_t *group, int64_t *cost, kanon_error *err);

#endif
