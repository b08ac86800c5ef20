/* The adjustment stage that oka and the kmeans algorithms share: clusters of more than k records give up their furthest, and
 * the given-up records fill the clusters that are short of k (Lin, figure 2; Rashidy, figure 4). */
#ifndef KANON_ALGORITHMS_ADJUSTMENT_H
#define KANON_ALGORITHMS_ADJUSTMENT_H

#include "algorithms/algorithm.h"
#include "search/nearest.h"

typedef struct kanon__adjustment {
    kanon__run *run;
    kanon__centroids *centroids; /* as they stand when the adjustment begins */
    kanon__nearest *nearest;     /* on these centroids */
    kanon__random *random;
    bool by_size; /* the closest cluster is the one with the least |P| * d, not d */
    bool moving;  /* centroids follow every step, else they stay where they were until the caller moves them */
} kanon__adjustment;

/* `cluster_of` (by row, every row in a cluster) is changed so that every cluster has at least k records. */
kanon_status kanon__adjust(const kanon__adjustment *adjustment, int32_t *cluster_of, kanon_error *err);

#endif
