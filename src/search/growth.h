/* Growing a group out of the free records: which of them costs it least, which lies farthest from a record.
 *
 * Two ways to the same answer, row for row. The scan looks at every free record (search/free_set.h). The index is a
 * tree over the distinct tuples (search/free_tree.h): what costs least is found best first (search/best_first.h), what
 * is farthest depth first, as there is one such question to a group. */
#ifndef KANON_SEARCH_GROWTH_H
#define KANON_SEARCH_GROWTH_H

#include "model/space.h"

typedef struct kanon__growth kanon__growth;

/* All rows of the space are free. `way` is the value of the setting "search": scan, index or auto. */
kanon_status kanon__growth_new(kanon__growth **out, const kanon__space *space, const char *way, kanon_error *err);
void kanon__growth_free(kanon__growth *growth);
int64_t kanon__growth_n_free(const kanon__growth *growth);
bool kanon__growth_is_free(const kanon__growth *growth, int64_t row);
/* The index-th free row in ascending order. */
int64_t kanon__growth_nth_free(const kanon__growth *growth, int64_t index);

/* A new group begins, without records. */
void kanon__growth_start_group(kanon__growth *growth);
/* A free record joins the group. */
void kanon__growth_take_record(kanon__growth *growth, int64_t row);
/* The free record with which the group costs least and, through *units, the D that it then has; the lowest of equals.
 * -1: none is free. */
kanon_status kanon__growth_find_cheapest(kanon__growth *growth, int64_t *row, uint32_t *units, kanon_error *err);
/* The same among the records that are accepted and with which D is at most `most`: KANON__GROWTH_FOUND, or
 * KANON__GROWTH_NONE. KANON__GROWTH_SCAN: a scan of all free records is the faster way, as many near ones were not
 * accepted. */
typedef bool (*kanon__growth_accept)(void *payload, int64_t row);
typedef enum kanon__growth_answer { KANON__GROWTH_FOUND, KANON__GROWTH_NONE, KANON__GROWTH_SCAN } kanon__growth_answer;
kanon_status kanon__growth_find_accepted(kanon__growth *growth, kanon__growth_accept accept, void *payload, uint32_t most,
                                         kanon__growth_answer *answer, int64_t *row, uint32_t *units, kanon_error *err);
/* The free record farthest from `row`, be that free or not; the lowest of equals. -1: none is free. */
int64_t kanon__growth_find_farthest(kanon__growth *growth, int64_t row);

#endif
