/* The free tree: the tree over the distinct tuples (search/tree.h) while their records are taken one by one.
 *
 * Every node knows the lowest row that is still free below it. Its bounds are shrunk around what is still free, once per
 * group: the farthest records are taken first, and with the old bounds every corner would stay promising.
 *
 * A tuple is a row of cells, one per column; a node has a smallest and a largest cell per column:
 *
 *     column      0 .. n_numbers      .. + n_tables          .. + n_climbs           .. n_columns
 *                 numbers: positions  | categories, cost by  | categories, cost by   | sums of numbers
 *                                       table of all pairs     climbing to the lca
 *
 * Sums tighten the bounds on distances. The distance of a record from a node over several numbers is less than the sum of
 * the largest distances on each: the tuple that is largest on one number is seldom largest on the next. As |x| + |y| is the
 * larger of |x + y| and |x - y|, bounds on the sums and differences of two or three numbers bound their L1 distance sharply.
 *
 * A place is a tuple's position in the order of the leaves; its records are a stretch of `rows`:
 *
 *     places[p]  next --v     v-- end         taken rows have place_of[row] = ~p; `next` is the first free one
 *     rows       ... 4 17 23 40 ... */
#ifndef KANON_SEARCH_FREE_TREE_H
#define KANON_SEARCH_FREE_TREE_H

#include "search/tree.h"

/* Numbers whose sums are kept: those of the columns first .. first + n - 1. */
typedef struct kanon__sums {
    int first, n;
    int column;    /* of the first of its 2^(n-1) sums; a number alone needs none */
    uint32_t full; /* of all of them */
    bool missing;  /* some number may be missing: its position lies beyond what it counts, so the sums overestimate */
} kanon__sums;

typedef struct kanon__free_place {
    int32_t next, end; /* its free rows are among rows[next .. end), ascending, rows[next] being free */
    int32_t lowest;    /* that row; KANON__NO_ROW: none is free */
    int32_t leaf;
} kanon__free_place;

#define KANON__NO_ROW INT32_MAX

typedef struct kanon__free_tree {
    const kanon__space *space;
    int n_numbers, n_tables, n_climbs;  /* columns of numbers, of categories with a table of all pairs, of other ones */
    int n_columns;                      /* with the sums */
    const kanon__dimension **dimension; /* by column that is no sum */
    kanon__sums *sums;
    int n_sums;
    int64_t n_places, n_nodes;
    uint32_t *cells; /* by place and column */
    kanon__free_place *places;
    int32_t *rows;     /* by tuple, then row */
    int32_t *place_of; /* by row; the complement: it is taken */
    kanon__tree_node *nodes;
    kanon__bound *boxes;  /* by node: smallest and largest cell per column */
    kanon__bound *around; /* scratch: the box that is being computed */
    int32_t *lowest;      /* by node: the lowest free row below it, or KANON__NO_ROW */
    int32_t *parent;      /* by node; -1: the root */
    int32_t *loose;       /* leaves with a tuple that ran out of free records since their bounds were computed */
    int64_t n_loose;
    bool *is_loose; /* by node */
} kanon__free_tree;

/* All rows of the space are free. Only the search for the farthest record needs the sums. */
kanon_status kanon__free_tree_new(kanon__free_tree **out, const kanon__space *space, bool with_sums, kanon_error *err);
void kanon__free_tree_free(kanon__free_tree *tree);
/* Go on without nodes, where they are of no use: cells and places stay. */
void kanon__free_tree_drop_nodes(kanon__free_tree *tree);
/* Take a free row, which is at this place. */
void kanon__free_tree_take(kanon__free_tree *tree, int32_t place, int64_t row);
/* Shrink the bounds to what is free. Until then they are valid but wider: several records are often taken out of one leaf,
 * which is then recomputed once. */
void kanon__free_tree_tighten(kanon__free_tree *tree);

static inline bool kanon__free_tree_has(const kanon__free_tree *tree, int64_t row)
{
    return tree->place_of[row] >= 0;
}

/* The cells of a row, taken or not. */
static inline const uint32_t *kanon__free_tree_cells(const kanon__free_tree *tree, int64_t row)
{
    int32_t place = tree->place_of[row];
    return tree->cells + (int64_t)(place < 0 ? ~place : place) * tree->n_columns;
}

static inline uint32_t kanon__smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static inline uint32_t kanon__larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The least D of a box extended by anything between the cells lo and hi, which a node has alternating (step 2) and a tuple
 * once (step 1). Exact for a tuple. */
static inline uint32_t kanon__free_tree_units(const kanon__free_tree *t, const kanon__bound *box, const uint32_t *cells,
                                              int step)
{
    uint32_t units = 0;
    int i = 0, n_with_tables = t->n_numbers + t->n_tables, n = n_with_tables + t->n_climbs;
    for (; i < t->n_numbers; i++) {
        uint32_t first = kanon__smaller(box[2 * i], cells[i * step + step - 1]);
        units += kanon__smaller(kanon__larger(box[2 * i + 1], cells[i * step]) - first, t->dimension[i]->full);
    }
    for (; i < n_with_tables; i++) {
        const kanon__dimension *d = t->dimension[i];
        uint32_t first = kanon__smaller(box[2 * i], cells[i * step + step - 1]);
        units += d->pair_units[(size_t)first * d->n_codes + kanon__larger(box[2 * i + 1], cells[i * step])];
    }
    for (; i < n; i++) {
        uint32_t first = kanon__smaller(box[2 * i], cells[i * step + step - 1]);
        units += kanon__dimension_units(t->dimension[i], first, kanon__larger(box[2 * i + 1], cells[i * step]));
    }
    return units;
}

#endif
