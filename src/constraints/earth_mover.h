/* The earth mover's distance between the values of a group and a reference distribution, the values of the table. The
 * constraint t-closeness and the measure t_closeness use it; src/verify computes its own.
 *
 * Two values are |rank - rank| / (m - 1) apart where they are ordered, h(lca) / H under a taxonomy, and 1 where all are
 * equally far. Differences of shares are kept as whole numbers, |group count * table total - table count * group total|, and
 * divided once: a group like the table is at distance 0, not at a trace of rounding. What the group does not have is summed
 * up beforehand, so the cost goes with the group's distinct values. */
#ifndef KANON_CONSTRAINTS_EARTH_MOVER_H
#define KANON_CONSTRAINTS_EARTH_MOVER_H

#include "constraints/counter.h"
#include "table/read/table.h"

typedef enum kanon__ground_distance {
    KANON__DISTANCE_DEFAULT = 0, /* ordered for numbers, taxonomy for categories, which is equal without one */
    KANON__DISTANCE_EQUAL,
    KANON__DISTANCE_ORDERED,
    KANON__DISTANCE_TAXONOMY
} kanon__ground_distance;

/* The distribution of the table's values. */
typedef struct kanon__reference {
    const kanon__column *column;
    kanon__ground_distance distance; /* not the default */
    int64_t total;
    int64_t *counts;   /* by code; ordered: up to and with the code; taxonomy: by node, below it */
    __int128 *sums;    /* ordered: [i] is the sum of counts[0 .. i) */
    __int128 rise_sum; /* taxonomy: the sum over nodes of the records below times the rise to the parent */
} kanon__reference;

/* Count the records of the table or, where `by_entity` and the table has entities, the different pairs of an entity and a
 * value. On failure nothing stays allocated. */
kanon_status kanon__reference_init(kanon__reference *out, const kanon__data *table, int column,
                                   kanon__ground_distance distance, bool by_entity, kanon_error *err);
void kanon__reference_clear(kanon__reference *reference);
/* 0 for no values at all. The counter must keep its keys sorted unless the distance is equal. */
double kanon__reference_distance(const kanon__reference *reference, kanon__counter *values);

#endif
