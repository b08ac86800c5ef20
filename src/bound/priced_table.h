/* A table whose records carry dual prices, and the geometry that the lower bound needs.
 *
 * Grouping is a linear programme if groups may be used in fractions: choose weights of groups so that each record is covered
 * exactly once, at the least loss. Its dual gives each record a price and asks for the largest sum of prices such that no
 * group of at least k records is worth more than its loss. Prices that keep to this are *dual feasible*, and the sum of dual
 * feasible prices is a lower bound on the loss of every grouping (proof: docs/lower-bound.md). It suffices that in every box
 * the k highest of the prices inside average at most D(box).
 *
 * Prices are whole units, one for each distinct tuple: equal records have equal prices. A tuple's number is its ordinal
 * in the leaf order of the index, so that near tuples have near numbers. */
#ifndef KANON_BOUND_PRICED_TABLE_H
#define KANON_BOUND_PRICED_TABLE_H

#include "core/ticker.h"
#include "search/tree.h"

/* Prices fit 32 bits; no box costs more than 2^30 units. */
#define KANON__HIGHEST_PRICE INT32_MAX
#define KANON__LOWEST_PRICE (-((int32_t)1 << 30))

typedef struct kanon__priced_table {
    kanon__space *space;
    kanon__tuples *tuples;
    kanon__tuple_tree *index;
    int64_t n; /* tuples */
    int64_t k;
    int64_t *counts;              /* by tuple: how many records it stands for */
    int32_t *prices;              /* by tuple, in units; may be negative */
    int32_t *neighbour_distances; /* by tuple: the distance to the (k-1)-th nearest other record, a dual feasible price */
    int n_sides;                  /* of a box around a tuple */
    int *first_side;              /* by dimension. A number has two sides, below and above; a category one. */
    int threads;
} kanon__priced_table;

kanon_status kanon__priced_table_new(kanon__priced_table **out, const kanon__data *table, int64_t k, int threads,
                                     kanon_error *err);
void kanon__priced_table_free(kanon__priced_table *table);
/* Fill `neighbour_distances`. */
kanon_status kanon__priced_table_find_neighbours(kanon__priced_table *table, kanon__ticker *ticker, kanon_error *err);

/* The extents of a tuple around another one: what it costs to reach it, side by side. A box around `from` is the largest
 * extent of its tuples on each side, and D(box) is the sum of these:
 *
 *     number      below <---- from ------> above         category     root
 *                 extent 0    |    extent 1                           /  \     extent: units of the
 *                                                                  from   to   node it climbs to
 *
 * A missing number is reached by the whole range. */
void kanon__extents_of(const kanon__priced_table *table, const uint32_t *from, const uint32_t *to, int32_t *extents);
/* The same on one dimension: one extent of a category, two of a number. */
void kanon__dimension_extents(const kanon__priced_table *table, int dimension, uint32_t from, uint32_t to, int32_t *extents);

static inline const uint32_t *kanon__priced_codes(const kanon__priced_table *t, int64_t tuple)
{
    return t->index->codes + tuple * t->space->n_dimensions;
}

/* d of two tuples; not summed up to the end once it has reached `limit`. */
static inline uint32_t kanon__tuple_distance(const kanon__priced_table *t, const uint32_t *a, const uint32_t *b,
                                             uint32_t limit)
{
    uint32_t units = 0;
    for (int i = 0; i < t->space->n_dimensions && units < limit; i++)
        units += kanon__dimension_units(&t->space->dimensions[i], a[i] < b[i] ? a[i] : b[i], a[i] < b[i] ? b[i] : a[i]);
    return units;
}

/* A lower bound of d of a tuple to everything below a node of the index. */
static inline uint32_t kanon__node_distance(const kanon__priced_table *t, const uint32_t *codes, int32_t node)
{
    const kanon__bound *box = t->index->boxes + (int64_t)node * 2 * t->space->n_dimensions;
    uint32_t units = 0;
    for (int i = 0; i < t->space->n_dimensions; i++) {
        const kanon__dimension *d = &t->space->dimensions[i];
        if (codes[i] < box[2 * i])
            units += kanon__dimension_units(d, codes[i], box[2 * i]);
        else if (codes[i] > box[2 * i + 1])
            units += kanon__dimension_units(d, box[2 * i + 1], codes[i]);
    }
    return units;
}

#endif
