/* The centroid filter: a lower bound of the distance to every centroid, in one byte each.
 *
 * Scanning all centroids for each record is what k-means costs. The filter computes cheap bounds first; only the few
 * centroids whose bound does not exceed the best distance are measured in whole units. A byte counts steps of several
 * units. Coordinates and terms are rounded down to steps, so bound * step <= distance always holds, and one vector
 * instruction handles four times as many centroids as with 32-bit units.
 *
 *     slot          0    1    2   ...            a slot holds one centroid; clusters at or above `below` have none
 *     at[0]        17   40  255                  its coordinate in steps, by dimension; 255: no number
 *     at[1]         3    3    9                  or its bin of taxonomy nodes
 *     bounds        4   12    7                  of the record at hand
 *     classes       2    5    2                  size class: multiplies the bound where distance counts by size
 *
 * Size classes: every size below 32, then eight classes to a doubling; a class counts with its smallest size, which
 * keeps the bound a lower bound.
 *
 * May call the kernels. */
#ifndef KANON_PAPERS_CENTROID_FILTER_H
#define KANON_PAPERS_CENTROID_FILTER_H

#include "papers/centroid.h"
#include "papers/centroid_kernels.h"

enum { KANON__SIZE_CLASSES = 64 };

typedef struct kanon__filter_dimension {
    uint8_t *own;    /* numeric: by code, low and high of the record's term; NULL for the others */
    uint8_t *table;  /* categorical: by code and bin of nodes; NULL: no bound on this dimension */
    int32_t per_bin; /* nodes that share a bin */
    int n_bins;
    uint8_t full; /* numeric: the bound where one of two numbers is missing */
} kanon__filter_dimension;

typedef struct kanon__centroid_filter {
    const kanon__centroids *centroids;
    const kanon__centroid_kernels *kernels;
    uint32_t *const *node_terms; /* by dimension: the terms of small taxonomies, by code and node */
    const uint32_t *weights;     /* by dimension; NULL: all are 1 */
    uint64_t step;               /* weighted units */
    int64_t below;               /* only clusters with fewer members have a slot; 0: all */
    kanon__filter_dimension *dimensions;
    kanon__filter_term *terms;            /* of the record at hand */
    int64_t capacity;                     /* slots of a dimension */
    int64_t n;                            /* slots in use */
    int32_t *cluster_at;                  /* by slot */
    int32_t *slot_of;                     /* by cluster; -1: none */
    uint8_t *bytes;                       /* room for the next three */
    uint8_t *at;                          /* by dimension and slot */
    uint8_t *classes;                     /* by slot */
    uint8_t *bounds;                      /* by slot: the bounds of the record at hand; 255 after the last slot */
    int n_classes;                        /* no slot has a higher one */
    double inverses[KANON__SIZE_CLASSES]; /* of the smallest size in each class */
    uint64_t *hits;                       /* a bit for each slot */
} kanon__centroid_filter;

kanon_status kanon__centroid_filter_new(kanon__centroid_filter **out, const kanon__centroids *centroids,
                                        const kanon__centroid_kernels *kernels, uint32_t *const *node_terms,
                                        kanon_error *err);
void kanon__centroid_filter_free(kanon__centroid_filter *filter);
/* Read all centroids again; distances are those under `weights` (NULL: all 1), which stay the caller's. */
void kanon__centroid_filter_reset(kanon__centroid_filter *filter, const uint32_t *weights);
/* Give slots to the clusters with fewer members than `below` (0: to all). */
void kanon__centroid_filter_open_slots(kanon__centroid_filter *filter, int64_t below);
/* Read one centroid and its number of members again. */
void kanon__centroid_filter_update(kanon__centroid_filter *filter, int64_t cluster);

/* Set filter->bounds for a record. */
void kanon__centroid_filter_bound(kanon__centroid_filter *filter, int64_t row);
/* The least bound of all slots in units, times the size where `by_size`: a first guess, as sizes above 255 count as 255. */
uint64_t kanon__centroid_filter_least_bound(const kanon__centroid_filter *filter, bool by_size);
/* Set filter->hits: all slots whose bound (times the size) is no larger than `least`, and maybe a few more. */
void kanon__centroid_filter_select(kanon__centroid_filter *filter, bool by_size, uint64_t least);

#endif
