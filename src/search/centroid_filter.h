/* A sieve for the nearest centroid: a lower bound of every distance, in one byte each. The few centroids that it lets
 * through are then measured in whole units.
 *
 * A byte counts steps of several units. Coordinates and terms are rounded down to whole steps, so that the sum of a record's
 * terms times the step never exceeds its distance; and 64 centroids are measured by what else measures 16.
 * Sizes are classes, of which the smallest size counts: every size below 32, then eight classes to a doubling.
 * Where only clusters below a size are asked for, the others have no slot. */
#ifndef KANON_SEARCH_CENTROID_FILTER_H
#define KANON_SEARCH_CENTROID_FILTER_H

#include "model/centroid.h"
#include "search/kernels.h"

enum { KANON__SIZE_CLASSES = 64 };

typedef struct kanon__filter_dimension {
    uint8_t *own;    /* numeric: by code, low and high of the term; NULL for the others */
    uint8_t *table;  /* categorical: by code and bin of nodes; NULL: no bound on this dimension */
    int32_t per_bin; /* nodes */
    int n_bins;
    uint8_t full;
} kanon__filter_dimension;

typedef struct kanon__centroid_filter {
    const kanon__centroids *centroids;
    const kanon__kernels *kernels;
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
    uint8_t *lows;                        /* by slot: the bounds of the record at hand; 255 after the last slot */
    int n_classes;                        /* no slot has a higher one */
    double inverses[KANON__SIZE_CLASSES]; /* of the smallest size in each class */
    uint64_t *hits;                       /* a bit for each slot */
} kanon__centroid_filter;

kanon_status kanon__centroid_filter_new(kanon__centroid_filter **out, const kanon__centroids *centroids,
                                        const kanon__kernels *kernels, uint32_t *const *node_terms, kanon_error *err);
void kanon__centroid_filter_free(kanon__centroid_filter *filter);
/* Take over where all centroids are; distances are those under `weights` (NULL: all 1), which stay the caller's. */
void kanon__centroid_filter_reset(kanon__centroid_filter *filter, const uint32_t *weights);
/* Give slots to the clusters with fewer members than that (0: to all). */
void kanon__centroid_filter_open_slots(kanon__centroid_filter *filter, int64_t below);
/* Take over where one centroid is and how many members it has. */
void kanon__centroid_filter_update(kanon__centroid_filter *filter, int64_t cluster);

/* Set filter->lows for a record. */
void kanon__centroid_filter_bound(kanon__centroid_filter *filter, int64_t row);
/* The least bound of all slots in units, times the size where `by_size`. Only a guess: sizes above 255 count as 255. */
uint64_t kanon__centroid_filter_least_bound(const kanon__centroid_filter *filter, bool by_size);
/* Set filter->hits: all slots whose bound (times the size) is no larger than `least`, and maybe a few more. */
void kanon__centroid_filter_select(kanon__centroid_filter *filter, bool by_size, uint64_t least);

#endif
