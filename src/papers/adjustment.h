/* The adjustment stage of oka and the kmeans algorithms: make every cluster at least k records large.
 *
 * Clusters of more than k records give up their farthest ones, and the given-up records, in random order, fill the
 * clusters that are short of k; when none is, each joins its closest cluster (Lin, figure 2; Rashidy, figure 4). In oka
 * centroids move with each record; in kmeans they stay until the next iteration. */
#ifndef KANON_PAPERS_ADJUSTMENT_H
#define KANON_PAPERS_ADJUSTMENT_H

#include "algorithms/algorithm.h"
#include "papers/nearest.h"

/* The space in which distances are measured: run->space, or with cluster-on=all that of every released attribute, which is
 * then the caller's through *own (NULL otherwise). */
kanon_status kanon__cluster_space(const kanon__space **out, kanon__space **own, const kanon__run *run, kanon_error *err);

/* The row of the settings tables that chooses it. */
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
    bool moving;  /* centroids follow every record; else they stay until the caller moves them */
} kanon__adjustment;

/* Change `cluster_of` (by row, every row in a cluster) so that every cluster has at least k records. There are at most n / k
 * clusters, so this is always possible. */
kanon_status kanon__adjust(const kanon__adjustment *adjustment, int32_t *cluster_of, kanon_error *err);

#endif
