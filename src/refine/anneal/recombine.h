/* Makes of two groupings of the same records one that loses no more than either.
 *
 * Consider the groups of both as the nodes of a graph, with an edge where two of them share a record. A connected component
 * has the same records on either side, so it can be taken from the one grouping or from the other, whatever is taken
 * elsewhere. Each component is taken from the side that loses less, of equals from the one with more groups. Two states of
 * one search at a low temperature have many components: what has become better in one place is kept although it has become
 * worse in another. */
#ifndef KANON_REFINE_ANNEAL_RECOMBINE_H
#define KANON_REFINE_ANNEAL_RECOMBINE_H

#include "model/space.h"

/* A grouping of all rows of the space. Negative: suppressed. */
typedef struct kanon__combined_groups {
    int32_t *group_of; /* by row */
    int32_t n_groups;
    int64_t loss; /* sum of |P| D(P), and of what suppressed records lose */
} kanon__combined_groups;

/* Take into `best` the components of `other` that lose less there. The records that only one of them suppresses, `full`
 * each, are in one component, so that as many are suppressed as in one of the two. Equal input gives equal groups; they
 * are numbered by their first rows. */
kanon_status kanon__recombine(kanon__combined_groups *best, const int32_t *other, int32_t n_other, const kanon__space *space,
                              int64_t full, kanon_error *err);

#endif
