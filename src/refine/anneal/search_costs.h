/* What boxes cost, laid out for a search that asks millions of times a second.
 *
 * A coordinate is a number's position in units, or a category's code. Numbers come first, then categories whose costs fit
 * a table, then those of large taxonomies, so that a sum over the dimensions is three loops without a choice in them.
 *
 * A rim is what a group needs to answer "what if this record left, what if that one came": on each dimension the smallest
 * and the largest coordinate, and what they would become without one record that has them.
 *
 *     lo lo lo ... | hi hi hi ... | lo without ... | hi without ...        each n_dimensions long */
#ifndef KANON_REFINE_ANNEAL_SEARCH_COSTS_H
#define KANON_REFINE_ANNEAL_SEARCH_COSTS_H

#include "search/tuples.h"

typedef struct kanon__cost_table {
    const uint32_t *units; /* [lo << shift | hi], lo <= hi */
    int shift;
} kanon__cost_table;

typedef struct kanon__costs {
    int n_dimensions, n_numeric, n_tabled;
    const kanon__dimension **dimensions; /* in the order of the search */
    int *sources;                        /* which dimension of the space each one is */
    uint32_t *full;                      /* of the numeric ones */
    kanon__cost_table *tables;           /* of the tabled ones, from n_numeric on */
    uint32_t *table_units;
} kanon__costs;

kanon_status kanon__costs_new(kanon__costs **out, const kanon__space *space, kanon_error *err);
void kanon__costs_free(kanon__costs *costs);
/* The bytes of the tables for the table's quasi attributes. */
int64_t kanon__costs_need(const kanon__data *table);
/* The coordinates of a tuple. */
void kanon__costs_place(const kanon__costs *costs, const uint32_t *codes, uint32_t *out);

/* The ends on dimension i after `gone` (NULL: nobody) has left and `come` (NULL: nobody) has joined. */
static inline __attribute__((always_inline)) void kanon__ends(const uint32_t *rim, int m, int i, const uint32_t *gone,
                                                              const uint32_t *come, uint32_t *lo, uint32_t *hi)
{
    uint32_t low = rim[i], high = rim[m + i];
    if (gone != NULL) {
        uint32_t code = gone[i];
        low = code == low ? rim[2 * m + i] : low;
        high = code == high ? rim[3 * m + i] : high;
    }
    if (come != NULL) {
        uint32_t code = come[i];
        low = code < low ? code : low;
        high = code > high ? code : high;
    }
    *lo = low;
    *hi = high;
}

/* D of the group with that rim after `gone` has left and `come` has joined; constant NULLs make it cheaper. */
static inline __attribute__((always_inline)) uint32_t kanon__costs_units(const kanon__costs *c, const uint32_t *rim,
                                                                         const uint32_t *gone, const uint32_t *come)
{
    int m = c->n_dimensions, i = 0;
    uint32_t units = 0, lo, hi;
    for (; i < c->n_numeric; i++) {
        kanon__ends(rim, m, i, gone, come, &lo, &hi);
        uint32_t difference = hi - lo;
        units += difference < c->full[i] ? difference : c->full[i];
    }
    for (; i < c->n_numeric + c->n_tabled; i++) {
        kanon__ends(rim, m, i, gone, come, &lo, &hi);
        const kanon__cost_table *t = &c->tables[i];
        units += t->units[(size_t)lo << t->shift | hi];
    }
    for (; i < m; i++) {
        kanon__ends(rim, m, i, gone, come, &lo, &hi);
        units += kanon__dimension_climb(c->dimensions[i], lo, hi);
    }
    return units;
}

/* The distance of two records. */
static inline uint32_t kanon__costs_distance(const kanon__costs *c, const uint32_t *left, const uint32_t *right)
{
    int i = 0;
    uint32_t units = 0;
    for (; i < c->n_numeric; i++) {
        uint32_t difference = left[i] < right[i] ? right[i] - left[i] : left[i] - right[i];
        units += difference < c->full[i] ? difference : c->full[i];
    }
    for (; i < c->n_numeric + c->n_tabled; i++) {
        uint32_t lo = left[i] < right[i] ? left[i] : right[i], hi = left[i] < right[i] ? right[i] : left[i];
        units += c->tables[i].units[(size_t)lo << c->tables[i].shift | hi];
    }
    for (; i < c->n_dimensions; i++) {
        uint32_t lo = left[i] < right[i] ? left[i] : right[i], hi = left[i] < right[i] ? right[i] : left[i];
        units += kanon__dimension_climb(c->dimensions[i], lo, hi);
    }
    return units;
}

#endif
