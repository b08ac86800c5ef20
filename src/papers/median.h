/* Median pre-partitioning (Loukides, algorithm 2): the table is halved at the median of its widest attribute, again and
 * again.
 *
 * It makes tgc near-linear: clusters are grown inside parts of about s records. Halves are made while both keep `least`
 * records and, for protection, while the sensitive values of both stay spread out (S-diversity at most most_sum). */
#ifndef KANON_PAPERS_MEDIAN_H
#define KANON_PAPERS_MEDIAN_H

#include "core/ticker.h"
#include "papers/s_diversity.h"
#include "partition/row_parts.h"

typedef struct kanon__splitter {
    const kanon__space *space;         /* in terms of Q-diversity */
    bool raw;                          /* the widest attribute is that with the largest range as it stands, not normalised */
    int64_t least;                     /* both sides of a split keep at least this many records */
    const kanon__s_diversity *s_diversity; /* NULL: no bound on S-diversity */
    double most_sum;                   /* the largest sum of S-diversity of either side */
} kanon__splitter;

kanon_status kanon__parts_at_medians(kanon__parts **out, const kanon__splitter *splitter, kanon__ticker *ticker,
                                     kanon_error *err);

#endif
