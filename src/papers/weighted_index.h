/* The weighted index: which free record gives a growing cluster the least weighted tuple diversity?
 *
 * The tree (search/free_tree.h) is over quasi and sensitive attributes together. The cost of a record is its share of
 * the cluster's Q-diversity and its affinity to the members; both have a lower bound for everything below a node, so the
 * search is a branch and bound. The answer is that of the scan in weighted_grow.c, item for item. */
#ifndef KANON_PAPERS_WEIGHTED_INDEX_H
#define KANON_PAPERS_WEIGHTED_INDEX_H

#include "papers/weighted.h"

typedef struct kanon__weighted_index kanon__weighted_index;

/* Whether the attributes are of a kind for which there is an index. */
bool kanon__weighted_index_suits(const kanon__weighted *weighted);
/* The items are the given rows, in this order; all are free. */
kanon_status kanon__weighted_index_new(kanon__weighted_index **out, const kanon__weighted *weighted, const int32_t *rows,
                                       int64_t n, kanon_error *err);
void kanon__weighted_index_free(kanon__weighted_index *index);
int64_t kanon__weighted_index_n_free(const kanon__weighted_index *index);
/* The item that is the i-th free one in ascending order. */
int64_t kanon__weighted_index_nth(const kanon__weighted_index *index, int64_t i);
/* A cluster begins, without members. */
void kanon__weighted_index_start(kanon__weighted_index *index);
/* A free item becomes a member. */
void kanon__weighted_index_take(kanon__weighted_index *index, int64_t item);
/* The free item with which wtd is least, of equals the lowest, and that wtd; -1: none is free. */
int64_t kanon__weighted_index_best(kanon__weighted_index *index, double *value);

#endif
