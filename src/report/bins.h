/* Histograms of whole numbers: the sizes of groups, the number of distinct values in them. Bins are ascending, without
 * gaps or overlaps, and only the last one may be unbounded. */
#ifndef KANON_REPORT_BINS_H
#define KANON_REPORT_BINS_H

#include "core/status.h"

#include <stdbool.h>

enum { KANON__MAX_BINS = 22 };

/* One bin, and what was counted in it. */
typedef struct kanon__bin {
    int64_t lo, hi; /* both included; hi INT64_MAX: no end */
    int64_t groups, records;
    double loss;
} kanon__bin;

typedef struct kanon__bins {
    kanon__bin items[KANON__MAX_BINS];
    int n;
} kanon__bins;

/* Empty bins that begin at the given numbers, ascending; the last one has no end. */
void kanon__bins_at(kanon__bins *out, const int64_t *begins, int n);
/* Empty bins that suit `n` values, which are put into ascending order: equally wide ones for nearly all of them, and one
 * without end for the few large ones, so that these do not squeeze the rest into a corner. */
void kanon__bins_for(kanon__bins *out, int64_t *values, int64_t n);
/* Count a group of `records` records with this value; values before the first bin belong to the first. */
void kanon__bins_add(kanon__bins *bins, int64_t value, int64_t groups, int64_t records, double loss);
/* The number of the bin of a value. */
int kanon__bins_find(const kanon__bins *bins, int64_t value);
enum { KANON__MAX_PARTS = 40 };

typedef struct kanon__counts {
    const double *items;
    double least; /* of a part, unless it has none at all */
} kanon__counts;

/* Cut two lists of `n` counts (at most KANON__MAX_PARTS) at the same places into as many parts as possible so that each sum
 * in a part is 0 or at least the list's `least`; of equal choices, the later parts are the shorter ones. Writes where each
 * part ends (the number after its last count) and returns how many there are, 0 where it cannot be done. */
int kanon__cut_counts(int ends[KANON__MAX_PARTS], kanon__counts a, kanon__counts b, int n);
/* Join neighbours until no bin of `bins` (and of `other`, unless NULL, which has the same limits) has some but fewer than
 * `least` groups. Where all of them together have fewer, no bin is left. */
void kanon__bins_merge(kanon__bins *bins, kanon__bins *other, int64_t least);

#endif
