/* The free set: the records that are in no group yet, scanned one by one.
 *
 * This is the plain implementation that the index (search/free_tree.h) is checked against, and the faster one for small
 * sets. Each question first fills a cost table, one entry per dimension and distinct code of the set; what a record
 * costs is then a sum of entries, without a branch on the type of attribute. The table holds only codes that occur in
 * the set, so small sets of a large table are cheap. Records are addressed by their number in the set, the item; ties go
 * to the lowest item.
 *
 *     item      0     1     2            entry     0    1   |   2      3      4
 *     rows      3     8     9            codes     22   40  | 75275  75277  75278        first = 0, 2, 5
 *     tuples   0 3   1 2   1 4           cost      7    0   |   0      5      5          item 0 costs 7 + 5
 *
 * The tuples of the free items lie in places 0 .. n, in no order; removing an item swaps it with the last free one. */
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
    uint32_t *first;  /* by dimension: its first entry; n_dimensions + 1 values */
    uint32_t *codes;  /* by entry: the code that it stands for */
    uint32_t *cost;   /* by entry: its units in the question at hand */
    /* for the vector kernels, after kanon__free_set_lay_out: */
    const kanon__kernels *kernels;
    int32_t *columns;          /* by dimension and place: the entry, counted from first[dimension]; tuples, transposed */
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

/* Set the cost table to the units of the box extended by each code. */
void kanon__free_set_cost_growth(kanon__free_set *set, const kanon__bound *box);

/* The sum of the table's entries for the record at a place. */
static inline uint32_t kanon__free_set_cost(const kanon__free_set *set, int64_t place)
{
    int m = set->space->n_dimensions;
    const uint32_t *tuple = set->tuples + place * m;
    uint32_t units = 0;
    for (int i = 0; i < m; i++)
        units += set->cost[tuple[i]];
    return units;
}

/* The same for all free records at once, in set->units: lay out the columns for the vector kernels once, then measure
 * whenever the cost table has changed. */
kanon_status kanon__free_set_lay_out(kanon__free_set *set, kanon_error *err);
void kanon__free_set_measure(kanon__free_set *set);

/* Each returns an item and, through *units unless NULL, its D; -1 where no record is free. */
/* The record with which the box costs least. */
int64_t kanon__free_set_find_cheapest(kanon__free_set *set, const kanon__bound *box, uint32_t *units);
/* The farthest record from item `from`, which need not be free. */
int64_t kanon__free_set_find_farthest(kanon__free_set *set, int64_t from, uint32_t *units);

#endif
