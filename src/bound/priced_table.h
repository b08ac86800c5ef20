/* A table whose records carry prices, and the questions that its lower bound asks.
 *
 * Prices are whole units, one for each distinct tuple: equal records have equal prices. They are *fair* where in every box
 * the k highest of the prices inside average at most D(box). Fair prices add up to a lower bound on the loss of every
 * grouping (docs/lower-bound.md). Tuples are numbered by their place in the tree, so neighbours lie side by side. */
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
    int64_t *counts; /* by tuple: how many records it stands for */
    int32_t *prices; /* by tuple, in units; may be negative */
    int32_t *floors; /* by tuple: its distance to the (k-1)-th nearest other record, which is a fair price */
    int n_slots;     /* of extents */
    int *slots;      /* by dimension: its first slot. A number has two, below and above; a category one. */
    int threads;
} kanon__priced_table;

kanon_status kanon__priced_table_new(kanon__priced_table **out, const kanon_table *table, int64_t k, int threads,
                                     kanon_error *err);
void kanon__priced_table_free(kanon__priced_table *table);
/* Fill `floors`. */
kanon_status kanon__priced_table_find_floors(kanon__priced_table *table, kanon__ticker *ticker, kanon_error *err);

/* What it costs to reach from one tuple to another, slot by slot. A box around a tuple is the largest of such extents on
 * each slot, and D(box) is their sum: for a number how far it reaches below and above, for a category the cost of the node
 * up to which it climbs. A missing number is reached by the whole range. */
void kanon__extents_of(const kanon__priced_table *table, const uint32_t *from, const uint32_t *to, int32_t *extents);

static inline const uint32_t *kanon__priced_codes(const kanon__priced_table *t, int64_t tuple)
{
    return t->index->codes + tuple * t->space->n_dimensions;
}

/* d of two tuples; not worked out to the end once it has reached `limit`. */
static inline uint32_t kanon__tuple_distance(const kanon__priced_table *t, const uint32_t *a, const uint32_t *b,
                                             uint32_t limit)
{
    uint32_t units = 0;
    for (int i = 0; i < t->space->n_dimensions && units < limit; i++)
        units += kanon__dimension_units(&t->space->dimensions[i], a[i] < b[i] ? a[i] : b[i], a[i] < b[i] ? b[i] : a[i]);
    return units;
}

/* The least d of a tuple to anything below a node of the tree. */
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
