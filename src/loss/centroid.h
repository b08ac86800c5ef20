/* Centroids: the mean position on each numeric dimension, the lca on each categorical one.
 *
 * A coordinate is, for a number, the mean position of the members that have a value, rounded half up to a whole unit, and for a
 * category a range of leaves, lo and hi, of which the lca is the centroid's node. A record's distance to it is a sum of units, as
 * between two records. */
#ifndef KANON_LOSS_CENTROID_H
#define KANON_LOSS_CENTROID_H

#include "loss/space.h"

#define KANON__NO_POSITION UINT32_MAX /* no member has a value */

/* One coordinate; `hi` is used by categories only. */
typedef struct kanon__coordinate {
    uint32_t lo, hi;
} kanon__coordinate;

/* A cluster that keeps its centroid up to date while members come and go. */
typedef struct kanon__centroids {
    const kanon__space *space;
    int64_t n;
    int64_t *sizes;               /* members, by cluster */
    kanon__coordinate *at;        /* by cluster and dimension; of an empty cluster its last ones */
    int64_t *sums;                /* of positions, by cluster and dimension */
    int64_t *n_present;           /* members with a value, by cluster and dimension; numeric only */
} kanon__centroids;

kanon_status kanon__centroids_new(kanon__centroids **out, const kanon__space *space, int64_t n, kanon_error *err);
void kanon__centroids_free(kanon__centroids *centroids);
/* A record joins: the centroid is updated at once. The first member of an empty cluster is its centroid. */
void kanon__centroids_add(kanon__centroids *centroids, int64_t cluster, int64_t row);
/* Forget the members of a cluster but not where its centroid was. */
void kanon__centroids_empty(kanon__centroids *centroids, int64_t cluster);
/* The centroids of a whole assignment (by row; negative: in none); empty clusters keep their last. True where one moved. */
bool kanon__centroids_set(kanon__centroids *centroids, const int32_t *cluster_of);

uint32_t kanon__centroid_term(const kanon__dimension *dimension, const kanon__coordinate *coordinate, uint32_t code);

/* d(row, centroid) in units. */
static inline uint32_t kanon__centroid_units(const kanon__centroids *c, int64_t cluster, int64_t row)
{
    int m = c->space->n_dimensions;
    const kanon__coordinate *at = c->at + cluster * m;
    uint32_t units = 0;
    for (int i = 0; i < m; i++)
        units += kanon__centroid_term(&c->space->dimensions[i], &at[i], c->space->dimensions[i].codes[row]);
    return units;
}

#endif
