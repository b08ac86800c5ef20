/* Weighted tuple diversity (Loukides, definition 3.1), and the two stages of tgc that minimise it.
 *
 * wtd = w_u * mean Q-diversity + w_p * mean S-diversity: the first is what the quasi-identifiers lose, the second what
 * the sensitive values disclose. Sums are whole numbers; wtd is a double, computed from them in one place
 * (kanon__weighted_value), so that the scan and the index compare equal values.
 *
 *     weighted_grow.c     algorithm 1: grow clusters, by a scan or by weighted_index.c
 *     weighted_place.c    the last step: place the records of rejected clusters */
#ifndef KANON_PAPERS_WEIGHTED_H
#define KANON_PAPERS_WEIGHTED_H

#include "core/keyset.h"
#include "core/random.h"
#include "core/ticker.h"
#include "papers/s_diversity.h"

typedef struct kanon__weighted {
    kanon__space *utility; /* the quasi attributes in terms of Q-diversity */
    kanon__s_diversity *s_diversity;
    double w_u, w_p;
} kanon__weighted;

kanon_status kanon__weighted_init(kanon__weighted *out, const kanon__data *table, double w_u, const char *r,
                                  kanon_error *err);
void kanon__weighted_clear(kanon__weighted *weighted);

/* wtd of a group of `size` records from its sums; each mean is rounded once. */
static inline double kanon__weighted_value(const kanon__weighted *w, int64_t units, unsigned __int128 numerator,
                                           int64_t size)
{
    int m = w->utility->n_dimensions, n_sensitive = w->s_diversity->space->n_dimensions;
    double q = (double)units / ((double)m * (double)w->utility->scale), s = 0;
    if (n_sensitive > 0) {
        double top = numerator >> 63 == 0 ? (double)(uint64_t)numerator : (double)numerator;
        s = top / ((double)size * (double)size * (double)w->s_diversity->space->scale * (double)n_sensitive);
    }
    return w->w_u * q + w->w_p * s;
}

/* Step 3 of tgc on the given rows (items, in record order): cluster_of gets, by item, its cluster from 0 or -1 for a
 * record of a rejected cluster. */
typedef struct kanon__weighted_limits {
    double delta;
    int64_t k, most;    /* a cluster has at least k records, and stops growing at `most` */
    const char *search; /* how records are found: scan, index or auto; changes the time, never the clusters */
    bool regrow;        /* records of rejected clusters are clustered once more, among themselves */
    bool narrowest;     /* of clusters that grow equally, step 4 takes the least wtd, then the smallest; else the first */
} kanon__weighted_limits;

kanon_status kanon__weighted_grow(const kanon__weighted *weighted, const kanon__weighted_limits *limits, const int32_t *rows,
                                  int64_t n, kanon__random *random, int32_t *cluster_of, int32_t *n_clusters,
                                  kanon__ticker *ticker, kanon_error *err);

/* The same for the items that are in no cluster (-1), from all parts; new clusters are numbered from *n_clusters on. */
kanon_status kanon__weighted_regrow(const kanon__weighted *weighted, const kanon__weighted_limits *limits,
                                    const int32_t *rows, int64_t n, kanon__random *random, int32_t *cluster_of,
                                    int32_t *n_clusters, kanon__ticker *ticker, kanon_error *err);

/* The records that step 4 is about. */
typedef struct kanon__weighted_rejects {
    const int32_t *rows; /* all records, by item */
    int64_t n;
    int32_t *cluster_of;  /* by item; -1: to be placed */
    int32_t n_clusters;   /* at least one */
    int64_t most;         /* clusters of so many records are full: joined only when all are */
    const int32_t *hints; /* by item: a cluster near which to look first; changes the time, never the answer. NULL: none */
    bool narrowest;       /* as in the limits */
} kanon__weighted_rejects;

/* What a clustering is worth. */
typedef struct kanon__weighted_quality {
    double utility, protection;             /* averages over the clusters of the sums of Q-diversity and of S-diversity */
    double wtd_of_clusters, wtd_of_records; /* the average wtd over the clusters, and over the records */
} kanon__weighted_quality;

/* Step 4: every record in no cluster joins the one whose wtd it raises least. `quality`, unless NULL: of the result. */
kanon_status kanon__weighted_place(const kanon__weighted *weighted, const kanon__weighted_rejects *rejects,
                                   kanon__weighted_quality *quality, kanon__ticker *ticker, kanon_error *err);

#endif
