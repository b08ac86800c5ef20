/* Centroids: the mean coordinate on each numeric dimension; the lca on each categorical one, or one of its values.
 *
 * On a numeric dimension a centroid is the mean coordinate of the members that have a value, rounded half up to a whole
 * unit. On a categorical one it is a range of leaves, whose lca is the centroid's node; kanon__centroids_use_values
 * puts a leaf there instead, the most frequent or the middle one, for wfcm. A record's distance to it is a sum of
 * units, as between two records.
 *
 *     at, lo, hi, ...   [ dimension 0: cluster 0, 1, ..., n-1 | dimension 1: ... ]     [i * n + cluster]
 *
 * by dimension, then cluster, so that a record is compared with all centroids in one pass. Invariant: sums, n_present, lo
 * and hi are those of the `sizes` members. */
#ifndef KANON_PAPERS_CENTROID_H
#define KANON_PAPERS_CENTROID_H

#include "core/random.h"
#include "model/space.h"

#define KANON__NO_COORDINATE (-1) /* no member has a value on the dimension */

typedef struct kanon__centroids {
    const kanon__space *space;
    int64_t n;
    int64_t *sizes;     /* members, by cluster */
    int32_t *at;        /* numeric: the coordinate; categorical: the taxonomy node. An empty cluster keeps its last. */
    uint32_t *lo, *hi;  /* categorical: the range of leaves */
    int64_t *sums;      /* numeric: of the members' coordinates */
    int64_t *n_present; /* numeric: members with a value */
} kanon__centroids;

kanon_status kanon__centroids_new(kanon__centroids **out, const kanon__space *space, int64_t n, kanon_error *err);
void kanon__centroids_free(kanon__centroids *centroids);
/* Random distinct records become the first members, one for each cluster; `seeds` (n of them, unless NULL) says which. */
kanon_status kanon__centroids_seed(kanon__centroids *centroids, kanon__random *random, int32_t *seeds, kanon_error *err);
/* A record joins: the centroid is updated at once. The first member of an empty cluster is its centroid. */
void kanon__centroids_add(kanon__centroids *centroids, int64_t cluster, int64_t row);
/* Forget the members of all clusters but not where their centroids were. */
void kanon__centroids_empty(kanon__centroids *centroids);
/* The centroids of a whole assignment (by row; negative: in none); empty clusters keep their last. True where one moved. */
bool kanon__centroids_set(kanon__centroids *centroids, const int32_t *cluster_of);
/* Which value of the members stands for them on a categorical dimension. */
typedef enum kanon__category_center { KANON__CENTER_MODE, KANON__CENTER_MEDIAN } kanon__category_center;
/* After kanon__centroids_set with the same assignment: on categorical dimensions the most frequent leaf of the members, the
 * lowest among equals, or the leaf of the middle one in depth-first order, the lower of two. Empty clusters keep theirs. */
kanon_status kanon__centroids_use_values(kanon__centroids *centroids, const int32_t *cluster_of,
                                         kanon__category_center which, kanon_error *err);

/* The distance of a code to a centroid on one dimension. */
uint32_t kanon__centroid_term(const kanon__dimension *dimension, int32_t at, uint32_t code);
/* d(row, centroid) in units. */
uint32_t kanon__centroid_units(const kanon__centroids *centroids, int64_t cluster, int64_t row);

#endif
