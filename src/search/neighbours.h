/* The neighbours of a box, nearest first: distinct tuples by rising D(box + tuple), of equals the lowest row first.
 *
 * An incremental nearest-neighbour search (Hjaltason and Samet, 1999) over the tree of tuples: a priority queue holds
 * nodes by the least D of anything below them, and tuples by their D. The caller asks for one neighbour at a time and
 * stops when it has enough, so a search costs what it yields. All records count, grouped or not; who needs free ones
 * takes growth.h. */
#ifndef KANON_SEARCH_NEIGHBOURS_H
#define KANON_SEARCH_NEIGHBOURS_H

#include "search/tree.h"

typedef struct kanon__neighbours kanon__neighbours;

kanon_status kanon__neighbours_new(kanon__neighbours **out, const kanon__space *space, kanon_error *err);
/* The bytes that this takes for so many records, all different. */
int64_t kanon__neighbours_need(int64_t n_records, int n_attributes);
void kanon__neighbours_free(kanon__neighbours *neighbours);
/* Begin a search around a box, which must not change until the next start. */
kanon_status kanon__neighbours_start_search(kanon__neighbours *neighbours, const kanon__bound *box, kanon_error *err);
/* The rows of the next tuple, ascending, how many they are, and D of the box with them; *n = 0: there are no more. */
kanon_status kanon__neighbours_find_next(kanon__neighbours *neighbours, const int32_t **rows, int64_t *n, uint32_t *units,
                                         kanon_error *err);

#endif
