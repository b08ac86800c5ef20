/* The cost D of a box, laid out for a search that evaluates millions of moves a second.
 *
 * kanon__space answers the same question for any caller. Here the dimensions are sorted by kind, so that a sum over
 * them is three loops without a branch on the kind.
 *
 *     dimensions   0 ........ | n_numeric ............ | n_numeric + n_tabled ... n_dimensions
 *                  numeric    | categorical, by table  | categorical, large taxonomy: climb to the lca
 *     coordinate   units      | code                   | code
 *
 * A coordinate is what a record has on a dimension of this order: units of D for a number, the leaf's code for a category.
 *
 * The *bounds* of a group answer "what if this record leaves, what if that one joins" without a look at the members. On
 * each dimension they are the smallest and the largest coordinate, and what these become without one record that has them.
 * With m = n_dimensions:
 *
 *     [0, m) smallest | [m, 2m) largest | [2m, 3m) next smallest | [3m, 4m) next largest
 *
 * Invariant: where two members or more have the smallest coordinate, the next smallest equals it; likewise the
 * largest. */
#ifndef KANON_REFINE_ANNEAL_MOVE_COSTS_H
#define KANON_REFINE_ANNEAL_MOVE_COSTS_H

#include "search/tuples.h"

/* Costs of each two codes of a categorical dimension. A row has 2^shift entries: an index takes no multiplication. */
typedef struct kanon__pair_costs {
    const uint32_t *units; /* [lo << shift | hi], lo <= hi */
    int shift;
} kanon__pair_costs;

typedef struct kanon__move_costs {
    int n_dimensions, n_numeric, n_tabled;
    const kanon__dimension **dimensions; /* in the order drawn above */
    int *sources;                        /* by dimension: its number in the space */
    uint32_t *full;                      /* by dimension: units when nothing is left to tell */
    kanon__pair_costs *tables;           /* by dimension, set for the tabled ones */
    uint32_t *table_units;               /* the memory behind `tables` */
} kanon__move_costs;

kanon_status kanon__move_costs_new(kanon__move_costs **out, const kanon__space *space, kanon_error *err);
void kanon__move_costs_free(kanon__move_costs *costs);
/* The bytes of the pair costs for the table's quasi attributes. */
int64_t kanon__move_costs_need(const kanon__data *table);
/* The coordinates of a tuple. */
void kanon__move_costs_coordinates(const kanon__move_costs *costs, const uint32_t *codes, uint32_t *out);

/* The smallest and largest coordinate on dimension i after `gone` (NULL: no record) has left and `come` (NULL: no record)
 * has joined. */
static inline __attribute__((always_inline)) void kanon__bounds_after(const uint32_t *bounds, int m, int i,
                                                                      const uint32_t *gone, const uint32_t *come,
                                                                      uint32_t *lo, uint32_t *hi)
{
    uint32_t low = bounds[i], high = bounds[m + i];
    if (gone != NULL) {
        uint32_t coordinate = gone[i];
        low = coordinate == low ? bounds[2 * m + i] : low;
        high = coordinate == high ? bounds[3 * m + i] : high;
    }
    if (come != NULL) {
        uint32_t coordinate = come[i];
        low = coordinate < low ? coordinate : low;
        high = coordinate > high ? coordinate : high;
    }
    *lo = low;
    *hi = high;
}

/* D of the group with these bounds after `gone` has left and `come` has joined. Inlined: a NULL that the compiler sees
 * removes its half of the work. */
static inline __attribute__((always_inline)) uint32_t
kanon__move_costs_units(const kanon__move_costs *c, const uint32_t *bounds, const uint32_t *gone, const uint32_t *come)
{
    int m = c->n_dimensions, i = 0;
    uint32_t units = 0, lo, hi;
    for (; i < c->n_numeric; i++) {
        kanon__bounds_after(bounds, m, i, gone, come, &lo, &hi);
        uint32_t difference = hi - lo;
        units += difference < c->full[i] ? difference : c->full[i];
    }
    for (; i < c->n_numeric + c->n_tabled; i++) {
        kanon__bounds_after(bounds, m, i, gone, come, &lo, &hi);
        const kanon__pair_costs *t = &c->tables[i];
        units += t->units[(size_t)lo << t->shift | hi];
    }
    for (; i < m; i++) {
        kanon__bounds_after(bounds, m, i, gone, come, &lo, &hi);
        units += kanon__dimension_climb(c->dimensions[i], lo, hi);
    }
    return units;
}

/* Boxes have two coordinates per dimension: the smallest of all m dimensions, then the largest. */
static inline void kanon__box_begin(uint32_t *box, int m, const uint32_t *record)
{
    for (int i = 0; i < m; i++)
        box[i] = box[m + i] = record[i];
}

static inline void kanon__box_widen(uint32_t *box, int m, const uint32_t *record)
{
    for (int i = 0; i < m; i++) {
        box[i] = record[i] < box[i] ? record[i] : box[i];
        box[m + i] = record[i] > box[m + i] ? record[i] : box[m + i];
    }
}

/* Units of the codes lo..hi of a categorical dimension, which is of either kind. */
static inline uint32_t kanon__category_units(const kanon__move_costs *c, int i, uint32_t lo, uint32_t hi)
{
    if (i < c->n_numeric + c->n_tabled)
        return c->tables[i].units[(size_t)lo << c->tables[i].shift | hi];
    return kanon__dimension_climb(c->dimensions[i], lo, hi);
}

/* Units of the coordinates lo..hi of any dimension. */
static inline uint32_t kanon__span_units(const kanon__move_costs *c, int i, uint32_t lo, uint32_t hi)
{
    if (i >= c->n_numeric)
        return kanon__category_units(c, i, lo, hi);
    return hi - lo < c->full[i] ? hi - lo : c->full[i];
}

/* D of the box around two boxes. Numbers have a loop of their own, which the compiler makes vectors of. */
static inline uint32_t kanon__boxes_units(const kanon__move_costs *c, const uint32_t *a, const uint32_t *b)
{
    int m = c->n_dimensions, i = 0;
    uint32_t units = 0;
    for (; i < c->n_numeric; i++) {
        uint32_t lo = a[i] < b[i] ? a[i] : b[i], hi = a[m + i] > b[m + i] ? a[m + i] : b[m + i], span = hi - lo;
        units += span < c->full[i] ? span : c->full[i];
    }
    for (; i < m; i++) {
        uint32_t lo = a[i] < b[i] ? a[i] : b[i], hi = a[m + i] > b[m + i] ? a[m + i] : b[m + i];
        units += kanon__category_units(c, i, lo, hi);
    }
    return units;
}

#endif
