/* Records that are in no group yet, and the questions that algorithms ask about them.
 *
 * The plain scan: the tuples of the free records lie together, each value already turned into its place in one cost table,
 * so what a record costs is a sum of table entries. The table holds only the values that occur among the records of the
 * set, so small sets of a large table are cheap. Records are called by their number in the set; ties go to the lowest.
 *
 *     rows     3 8 9          first    0    2      5        (age: 22 40, zip: 3 values)
 *     tuples   0 3 | 1 2 | 1 4          codes of the table's entries: 22 40 | 75275 75277 75278
 */
#ifndef KANON_SEARCH_FREE_SET_H
#define KANON_SEARCH_FREE_SET_H

#include "model/space.h"
#include "search/kernels.h"

typedef struct kanon__free_set {
    const kanon__space *space;
    int64_t n_items;  /* records of the set, free or not */
    int64_t n;        /* free ones */
    int32_t *rows;    /* by item: its row */
    int32_t *item_at; /* by place: the item; the free ones come first, in no order */
    int32_t *place;   /* by item; at or beyond n: not free */
    uint32_t *tuples; /* by place: n_dimensions entries of the cost table */
    uint32_t *first;  /* by dimension: its first entry; n_dimensions + 1 of them */
    uint32_t *codes;  /* by entry: the code that it stands for */
    uint32_t *cost;   /* by entry: what it costs in the question at hand */
    /* for kanon__free_set_measure, once it was asked for: */
    const kanon__kernels *kernels;
    int32_t *columns;          /* by dimension and place: which of its dimension's entries */
    kanon__kernel_term *terms; /* by dimension */
    uint32_t *units;           /* by place: what it costs by the table */
} kanon__free_set;

/* A set of the given rows (ascending; NULL: all rows of the space), all free. */
kanon_status kanon__free_set_new(kanon__free_set **out, const kanon__space *space, const int32_t *rows, int64_t n,
                                 kanon_error *err);
void kanon__free_set_free(kanon__free_set *set);
/* All items are free again. */
void kanon__free_set_reset(kanon__free_set *set);
void kanon__free_set_remove(kanon__free_set *set, int64_t item);
/* The item that is the index-th free one in ascending order. */
int64_t kanon__free_set_nth(const kanon__free_set *set, int64_t index);

static inline bool kanon__free_set_has(const kanon__free_set *set, int64_t item)
{
    return set->place[item] < set->n;
}

/* Set the cost table to the units of each value together with the box. */
void kanon__free_set_cost_growth(kanon__free_set *set, const kanon__bound *box);

/* What the record at a place costs by the table. */
static inline uint32_t kanon__free_set_cost(const kanon__free_set *set, int64_t place)
{
    int m = set->space->n_dimensions;
    const uint32_t *tuple = set->tuples + place * m;
    uint32_t units = 0;
    for (int i = 0; i < m; i++)
        units += set->cost[tuple[i]];
    return units;
}

/* Have the costs of all free records at once in set->units: lay out what the vector kernels need, then ask whenever the cost table
 * has changed. */
kanon_status kanon__free_set_lay_out(kanon__free_set *set, kanon_error *err);
void kanon__free_set_measure(kanon__free_set *set);

/* Each returns an item and, through *units unless NULL, its D; -1 where no record is free. */
/* The record with which the box costs least. */
int64_t kanon__free_set_find_cheapest(kanon__free_set *set, const kanon__bound *box, uint32_t *units);
/* The record farthest from item `from`, which need not be free. */
int64_t kanon__free_set_find_farthest(kanon__free_set *set, int64_t from, uint32_t *units);

#endif
