/* The distances of a record to all centroids, in one sweep. */
#ifndef KANON_SEARCH_NEAREST_H
#define KANON_SEARCH_NEAREST_H

#include "loss/centroid.h"
#include "search/kernels.h"

typedef struct kanon__nearest {
    const kanon__centroids *centroids;
    const kanon__kernels *kernels;
    uint32_t **node_terms;     /* by dimension: categorical with a small taxonomy: [code * n_nodes + node]; else NULL */
    kanon__kernel_term *terms; /* of the record at hand */
    uint32_t *units;           /* by centroid: the distances of the record asked about last */
    uint64_t *weighted;        /* likewise, under weights */
} kanon__nearest;

/* `way` is the value of the setting "search"; scan is plain C. */
kanon_status kanon__nearest_new(kanon__nearest **out, const kanon__centroids *centroids, const char *way, kanon_error *err);
void kanon__nearest_free(kanon__nearest *nearest);
/* Set nearest->units to d(row, centroid) for all centroids. */
void kanon__nearest_measure(kanon__nearest *nearest, int64_t row);
/* The centroid with the least d, or the least |P| * d where `by_size` (an empty cluster counts as one record); with
 * `below` > 0, only among clusters with fewer members than that. Ties go to the lowest; -1 where there is none. */
int64_t kanon__nearest_find(kanon__nearest *nearest, int64_t row, bool by_size, int64_t below);
/* The centroid with the least sum of weight * units over the dimensions; ties go to the lowest. */
int64_t kanon__nearest_weighted(kanon__nearest *nearest, int64_t row, const uint32_t *weights);

#endif
