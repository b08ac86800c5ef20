/* The cluster that grows from a seed where groups must satisfy constraints: the nearest records first, as in densest, but
 * the last places are for records that the constraints still need.
 *
 * Records of equal tuples come together, and of these the ones that help join first, at no cost. While the cluster lacks
 * fewer records than it has places left up to k, the nearest records join; from then on only those that help. Where these
 * are too far away it takes the nearest ones after all and grows beyond k, below 2k, by near records that help. What it then
 * violates has a price: seeds that do better come first, and the repair (enforce/repair.h) mends what remains. */
#ifndef KANON_ALGORITHMS_SEED_CLUSTER_H
#define KANON_ALGORITHMS_SEED_CLUSTER_H

#include "search/density.h"
#include "search/run.h"

typedef struct kanon__seed_cluster {
    const kanon__run *run;
    kanon__density *density;
    uint32_t tolerated; /* a record that helps may cost so much more than the first one that was refused */
    kanon__tally tally;
    int32_t *rows; /* the members, in the order in which they joined */
    int64_t size, capacity;
    int32_t *refused; /* the first k records that were refused */
    int64_t n_refused;
    uint32_t units; /* D */
    uint64_t cost;  /* D, and the price of what it violates for each record */
} kanon__seed_cluster;

/* The run has constraints. */
kanon_status kanon__seed_cluster_init(kanon__seed_cluster *out, const kanon__run *run, kanon__density *density,
                                      kanon_error *err);
void kanon__seed_cluster_clear(kanon__seed_cluster *cluster);
/* Grow from the seed. At least k records are free, one of them the seed's; none is taken. */
kanon_status kanon__seed_cluster_grow(kanon__seed_cluster *cluster, int32_t seed, kanon_error *err);
/* Make the cluster that was grown last a group of the run, with the records that it covers and that violate nothing: all
 * where it costs nothing, else below 2k. */
kanon_status kanon__seed_cluster_make(kanon__seed_cluster *cluster, int32_t group, kanon_error *err);

#endif
