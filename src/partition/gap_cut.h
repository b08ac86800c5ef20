/* The best cut of a part at a gap, from the counts of its values: the one rule that gaps.c (a table in one process) and
 * cut_tree.c (histograms from many) share, so that both cut at the same place.
 *
 * Of all cuts that leave at least `least` records on both sides, the one is taken whose two neighbouring values cost most
 * together, of equals the one nearest to the middle, of these the first. */
#ifndef KANON_PARTITION_GAP_CUT_H
#define KANON_PARTITION_GAP_CUT_H

#include "model/space.h"

#include <stdlib.h>

/* Records with codes up to `code` go left. */
typedef struct kanon__gap_cut {
    int dimension; /* -1: none is possible */
    uint32_t code;
    uint32_t units;     /* D of the two values next to the cut */
    int64_t off_middle; /* how uneven it is: |left - right| */
    int64_t left;       /* records on the left side */
} kanon__gap_cut;

#define KANON__NO_CUT ((kanon__gap_cut){.dimension = -1})

/* Whether a part of so many records can be cut at all; any `least` is possible, and its double need not be. */
static inline bool kanon__gap_cut_fits(int64_t n, int64_t least)
{
    return n / 2 >= least;
}

/* The wider gap, then the more even cut. *b may be none. */
static inline bool kanon__gap_cut_better(const kanon__gap_cut *a, const kanon__gap_cut *b)
{
    if (a->dimension < 0)
        return false;
    if (b->dimension < 0 || a->units != b->units)
        return b->dimension < 0 || a->units > b->units;
    return a->off_middle < b->off_middle;
}

/* The search on one dimension, value by value. */
typedef struct kanon__gap_scan {
    const kanon__dimension *dimension;
    int number; /* of the dimension */
    int64_t n, least, left;
    uint32_t before; /* the value before; KANON__NO_CODE: none */
    kanon__gap_cut best;
} kanon__gap_scan;

static inline kanon__gap_scan kanon__gap_scan_begin(const kanon__dimension *dimension, int number, int64_t n, int64_t least)
{
    return (kanon__gap_scan){dimension, number, n, least, 0, KANON__NO_CODE, KANON__NO_CUT};
}

/* The next higher value that occurs, and how often. */
static inline void kanon__gap_scan_code(kanon__gap_scan *s, uint32_t code, int64_t count)
{
    if (s->before != KANON__NO_CODE && s->left >= s->least && s->n - s->left >= s->least) {
        kanon__gap_cut here = {s->number, s->before, kanon__dimension_units(s->dimension, s->before, code),
                               llabs(2 * s->left - s->n), s->left};
        if (kanon__gap_cut_better(&here, &s->best))
            s->best = here;
    }
    s->left += count;
    s->before = code;
}

#endif
