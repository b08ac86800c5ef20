/* The nearest centroid of a record.
 *
 * Two implementations give the same answer: a scan of all distances, and the centroid filter (centroid_filter.h)
 * followed by the distances of those that pass. The filter needs vector kernels to pay off, and few centroids to pass;
 * where many pass, as with many attributes, the search falls back to scanning for a while. */
#ifndef KANON_PAPERS_NEAREST_H
#define KANON_PAPERS_NEAREST_H

#include "papers/centroid.h"
#include "papers/centroid_filter.h"

typedef struct kanon__nearest {
    const kanon__centroids *centroids;
    const kanon__kernels *kernels;            /* which measure */
    const kanon__centroid_kernels *comparing; /* of the same instructions */
    uint32_t **node_terms;          /* by dimension: categorical with a small taxonomy: [code * n_nodes + node]; else NULL */
    kanon__kernel_term *terms;      /* of the record at hand */
    bool *by_hand;                  /* by dimension: `terms` does not describe it */
    uint32_t *units;                /* by centroid: the distances of the record asked about last */
    uint64_t *weighted;             /* likewise, under weights */
    const uint32_t *weights;        /* by dimension; NULL: all are 1 */
    kanon__centroid_filter *filter; /* NULL: scan */
    int n_asked;                    /* questions to the filter since it was last evaluated */
    int64_t n_measured;             /* centroids that passed meanwhile */
    int n_scans;                    /* questions to answer by scanning before the centroid filter is tried again */
} kanon__nearest;

/* `way` is the value of the setting "search"; scan is plain C. */
kanon_status kanon__nearest_new(kanon__nearest **out, const kanon__centroids *centroids, const char *way, kanon_error *err);
void kanon__nearest_free(kanon__nearest *nearest);
/* Read all centroids again: before the first question and whenever many moved. From now on a distance is the sum of
 * weight * units over the dimensions (NULL: all weights 1; the array stays the caller's). */
void kanon__nearest_reset(kanon__nearest *nearest, const uint32_t *weights);
/* Read one centroid again: it moved, or its cluster has one member more. */
void kanon__nearest_update(kanon__nearest *nearest, int64_t cluster);
/* The centroid with the least d, or the least |P| * d where `by_size` (an empty cluster counts as one record); with
 * `below` > 0, only among clusters with fewer members than that. Ties go to the lowest; -1 where there is none.
 * Under weights, neither `by_size` nor `below`. */
int64_t kanon__nearest_find(kanon__nearest *nearest, int64_t row, bool by_size, int64_t below);

#endif
