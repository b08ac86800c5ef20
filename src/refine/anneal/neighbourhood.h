/* The neighbourhood of the local search: for each distinct tuple the tuples nearest to it. A record moves only to groups
 * that hold a record of a neighbouring tuple; groups further away hardly ever cost less.
 *
 * Tuples are numbered by their ordinal, the position in the leaf order of the index, so that near tuples have near numbers.
 * The lists lie in one array, `width` ordinals for each tuple:
 *
 *     ordinals   [ neighbours of tuple 0 | neighbours of tuple 1 | ... ]       each `width` long, in no order */
#ifndef KANON_REFINE_ANNEAL_NEIGHBOURHOOD_H
#define KANON_REFINE_ANNEAL_NEIGHBOURHOOD_H

#include "core/ticker.h"
#include "search/tree.h"

typedef struct kanon__neighbourhood {
    kanon__tuple_tree *index;
    int32_t width;     /* neighbours of each tuple; less than the number of tuples */
    int32_t *ordinals; /* by ordinal: its nearest others */
} kanon__neighbourhood;

/* The `width` nearest tuples of each tuple, fewer where there are fewer. Ties: what the walk over the index meets
 * first. With `most_leaves` above 0 the walk ends after so many leaves: the lists are as long, but nearer tuples may be
 * missing. With many attributes the index leaves little out, and exact lists would take the square of the number of
 * tuples. */
kanon_status kanon__neighbourhood_new(kanon__neighbourhood **out, const kanon__space *space, const kanon__tuples *tuples,
                                      int64_t width, int64_t most_leaves, int threads, kanon__ticker *ticker,
                                      kanon_error *err);
void kanon__neighbourhood_free(kanon__neighbourhood *neighbourhood);

#endif
