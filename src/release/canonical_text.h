/* What a released cell says, whatever table it came from and whatever form the release has: the text that orders the rows of
 * a shuffled release (release/row_order.h). The one definition:
 *
 *     a number                   1.50, 1,5 and 15e-1 are "1.5": the value, without signs of plus and zeros that say nothing
 *     a date                     of any format "2020-02-01", where it has a time "2020-02-01+36000", the seconds of the day
 *     numbers of a group         both ends, of bands those of the bands, an open end is empty; with means the mean
 *     a category of a group      the name of the node
 *     any value, suppressed      "*"
 *     no value in a group        a byte that no text has
 *     a cell released as it is   the number that it is, a date in a column of dates, else its text without white space at
 *                                the ends; null is the empty text */
#ifndef KANON_RELEASE_CANONICAL_TEXT_H
#define KANON_RELEASE_CANONICAL_TEXT_H

#include "release/extent.h"

/* A text that is being read; it lies in `buffer` or somewhere else. */
typedef struct kanon__canonical {
    const char *text;
    size_t length;
    char buffer[2 * KANON__NUMBER_TEXT];
} kanon__canonical;

/* What a group shows in a quasi attribute: one text, or both ends of an interval; returns how many. `mean`: the mean of its
 * numbers in place of their ends. */
int kanon__canonical_group(kanon__canonical out[2], const kanon__extents *extents, int quasi, int64_t group, bool mean);
/* What a cell says that is released as it is; `text` is without quotes. The result may point into it. */
void kanon__canonical_cell(kanon__canonical *out, const kanon__column *column, const char *text, size_t length);

#endif
