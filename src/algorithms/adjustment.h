/* The adjustment stage that oka and the kmeans algorithms share: clusters of more than k records give up their farthest,
 * and the given-up records fill the clusters that are short of k (Lin, figure 2; Rashidy, figure 4). */
#ifndef KANON_ALGORITHMS_ADJUSTMENT_H
#define KANON_ALGORITHMS_ADJUSTMENT_H

#include "algorithms/algorithm.h"
#include "search/nearest.h"

/* The space in which distances are measured: run->space, or with cluster-on=all that of every released attribute, which is
 * then the caller's through *own (NULL otherwise). */
kanon_status kanon__cluster_space(const kanon__space **out, kanon__space **own, const kanon__run *run, kanon_error *err);

/* The setting behind it, for the tables of algorithms. */
#define KANON__CLUSTER_ON                                                                                                   \
    {                                                                                                                       \
        .name = "cluster-on", .type = KANON_SETTING_CHOICE, .default_value = "quasi", .choices = "quasi|all",               \
        .help = "measure distance on the quasi attributes, or on every released attribute as El-Rashidy and others do"      \
    }

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
