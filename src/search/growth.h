/* Growing groups out of the free records: which free record costs a group least, which lies furthest from a record.
 *
 * Two ways to the same answer, row for row. The scan looks at every free record (search/free_set.h). The index is a tree
 * over the distinct tuples in which every node knows how many free records are below it and the lowest of their rows. A
 * group's growth is one best-first search: a node's key is the least cost of anything below it and its lowest row. Groups
 * only grow and free records only vanish, so a key that was right once is a lower bound for ever: it is brought up to date
 * when it comes to the top of the heap, and what stays on top is the answer. */
#ifndef KANON_SEARCH_GROWTH_H
#define KANON_SEARCH_GROWTH_H

#include "search/free_set.h"
#include "search/tree.h"

typedef struct kanon__growth kanon__growth;

/* All rows of the space are free. `way` is the value of the setting "search": scan, index or auto. */
kanon_status kanon__growth_new(kanon__growth **out, const kanon__space *space, const char *way, kanon_error *err);
void kanon__growth_free(kanon__growth *growth);
int64_t kanon__growth_n_free(const kanon__growth *growth);
bool kanon__growth_has(const kanon__growth *growth, int64_t row);
void kanon__growth_remove(kanon__growth *growth, int64_t row);
/* A new group begins: the boxes that are asked about until the next start each hold the one before. */
void kanon__growth_start(kanon__growth *growth);
/* The free record with which the box costs least and, through *units, that cost; the lowest of equals. -1: none is free. */
kanon_status kanon__growth_least(kanon__growth *growth, const kanon__bound *box, int64_t *row, uint32_t *units,
                                 kanon_error *err);
/* The free record furthest from `row`; the lowest of equals. -1: none is free. */
kanon_status kanon__growth_furthest(kanon__growth *growth, int64_t row, int64_t *furthest, kanon_error *err);
/* The index-th free row in ascending order. */
int64_t kanon__growth_nth(const kanon__growth *growth, int64_t index);

#endif
