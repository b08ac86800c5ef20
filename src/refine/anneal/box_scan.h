/* How much wider a box becomes by records of a group, without a look at most of the attributes.
 *
 * A group and a box are compared by dimension before any of the group's records is looked at. Most groups are so far
 * away that no record of theirs will do. Of the others only the critical dimensions, on which the group sticks out of
 * the box, have to be compared record by record. */
#ifndef KANON_REFINE_ANNEAL_BOX_SCAN_H
#define KANON_REFINE_ANNEAL_BOX_SCAN_H

#include "refine/anneal/region.h"

/* How much wider the box becomes, in units, by reaching from lo to hi on a dimension. */
static inline uint32_t kanon__rise_on(const kanon__move_costs *c, const uint32_t *box, int i, uint32_t lo, uint32_t hi)
{
    uint32_t low = box[i], high = box[c->n_dimensions + i], span = high - low;
    lo = lo < low ? lo : low;
    hi = hi > high ? hi : high;
    if (i >= c->n_numeric)
        return kanon__category_units(c, i, lo, hi) - kanon__category_units(c, i, low, high);
    return (hi - lo < c->full[i] ? hi - lo : c->full[i]) - (span < c->full[i] ? span : c->full[i]);
}

/* The critical dimensions of a group with the box `other`; their number. -1: each of its records makes the box wider by more
 * than `limit` units. */
static inline int kanon__critical_dimensions(int *critical, const kanon__move_costs *c, const uint32_t *box,
                                             const uint32_t *other, uint32_t limit)
{
    int m = c->n_dimensions, n = 0;
    uint32_t least = 0;
    for (int i = 0; i < m; i++) {
        if (other[i] >= box[i] && other[m + i] <= box[m + i])
            continue;
        if (other[i] > box[m + i]) /* all of it is outside: the rise by the nearest possible record */
            least += kanon__rise_on(c, box, i, other[i], other[i]);
        else if (other[m + i] < box[i])
            least += kanon__rise_on(c, box, i, other[m + i], other[m + i]);
        if (least > limit)
            return -1;
        if (kanon__rise_on(c, box, i, other[i], other[m + i]) > 0)
            critical[n++] = i;
    }
    return n;
}

/* How much wider a record makes the box; where it is more than `limit`, the sum need not be complete. */
static inline uint32_t kanon__rise_by(const kanon__move_costs *c, const uint32_t *box, const int *critical, int n_critical,
                                      const uint32_t *record, uint32_t limit)
{
    int m = c->n_dimensions;
    uint32_t rise = 0;
    for (int j = 0; j < n_critical && rise <= limit; j++) {
        int i = critical[j];
        if (record[i] < box[i] || record[i] > box[m + i])
            rise += kanon__rise_on(c, box, i, record[i], record[i]);
    }
    return rise;
}

#endif
