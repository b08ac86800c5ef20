/* Growing a group out of the free records: which of them costs the group least, and which is farthest from a record?
 *
 * These are the two questions of k-member. Two implementations give the same answer, row for row: the scan of every free
 * record (search/free_set.h), O(n) a question, and the index, a tree over the distinct tuples (search/free_tree.h), near
 * O(log n). With the index the cheapest record is found best first (search/best_first.h), with one frontier for the whole
 * group; the farthest record depth first, as there is one such question per group. Where the nodes of the tree turn out to
 * leave nothing out, as with dozens of independent attributes, the flat scan (search/flat_scan.h) goes on (auto). */
#ifndef KANON_SEARCH_GROWTH_H
#define KANON_SEARCH_GROWTH_H

#include "model/space.h"

typedef struct kanon__growth kanon__growth;

/* All rows of the space are free. `way` is the value of the setting "search": scan, index or auto. */
kanon_status kanon__growth_new(kanon__growth **out, const kanon__space *space, const char *way, kanon_error *err);
void kanon__growth_free(kanon__growth *growth);
/* For tests: whether the tree was given up. */
bool kanon__growth_is_flat(const kanon__growth *growth);
int64_t kanon__growth_n_free(const kanon__growth *growth);
bool kanon__growth_is_free(const kanon__growth *growth, int64_t row);
/* The index-th free row in ascending order. */
int64_t kanon__growth_nth_free(const kanon__growth *growth, int64_t index);

/* Begin a new group, without records. */
void kanon__growth_start_group(kanon__growth *growth);
/* Add a free record to the group. */
void kanon__growth_take_record(kanon__growth *growth, int64_t row);
/* The free record with which the group costs least and, through *units, its D with that record; the lowest of equals.
 * -1: none is free. */
kanon_status kanon__growth_find_cheapest(kanon__growth *growth, int64_t *row, uint32_t *units, kanon_error *err);
/* The same among the records that `accept` takes and with which D is at most `most`. KANON__GROWTH_SCAN: the search gave up,
 * as so many near records were not accepted that a scan of all free records is faster; there is no answer yet. */
typedef bool (*kanon__growth_accept)(void *payload, int64_t row);
typedef enum kanon__growth_answer { KANON__GROWTH_FOUND, KANON__GROWTH_NONE, KANON__GROWTH_SCAN } kanon__growth_answer;
kanon_status kanon__growth_find_accepted(kanon__growth *growth, kanon__growth_accept accept, void *payload, uint32_t most,
                                         kanon__growth_answer *answer, int64_t *row, uint32_t *units, kanon_error *err);
/* The farthest free record from `row`, which may be free or not; the lowest of equals. -1: none is free. */
int64_t kanon__growth_find_farthest(kanon__growth *growth, int64_t row);

#endif
