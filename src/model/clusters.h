/* Clusters that grow: how many records each has, and the box around them. For callers that only add records; those that
 * move them use enforce/mutable_groups.h.
 *
 * Invariant: the box of a cluster with records is the smallest one around them; that of an empty one is undefined. */
#ifndef KANON_MODEL_CLUSTERS_H
#define KANON_MODEL_CLUSTERS_H

#include "model/space.h"

typedef struct kanon__clusters {
    const kanon__space *space;
    int64_t n;
    int64_t *sizes; /* by cluster; 0: empty */
    kanon__bound *boxes;
} kanon__clusters;

/* n empty clusters. */
kanon_status kanon__clusters_init(kanon__clusters *out, const kanon__space *space, int64_t n, kanon_error *err);
void kanon__clusters_clear(kanon__clusters *clusters);
void kanon__clusters_join(kanon__clusters *clusters, int64_t cluster, int64_t row);
/* How much the loss |P| D(P) of a cluster grows when the row joins. */
int64_t kanon__clusters_increase(const kanon__clusters *clusters, int64_t cluster, int64_t row);
/* The cluster with records, other than `except` (-1: any), whose loss grows least; -1: none. Ties: the lowest. */
int64_t kanon__clusters_cheapest(const kanon__clusters *clusters, int64_t except, int64_t row);

static inline kanon__bound *kanon__clusters_box(const kanon__clusters *c, int64_t cluster)
{
    return c->boxes + cluster * 2 * c->space->n_dimensions;
}

#endif
