/* The tree over the distinct tuples (search/tree.h) while their records are taken one by one. Every node knows the
 * lowest row that is still free below it, and its bounds are drawn around what is still free, group by group: what is
 * farthest is taken first, so that without this every corner would stay promising.
 *
 * A tuple is a row of cells, and a node has a smallest and a largest cell per column:
 *
 *     numbers: their positions | categories: their codes | sums
 *
 * Sums make bounds on distances tight. How far a tuple can be from a record is, over several numbers together, less
 * than the sum of how far it can be on each: what is old is not also late. But |x| + |y| is the larger of |x + y| and
 * |x - y|; so the positions' sums and differences, over two or three numbers at a time, tell how far the farthest tuple
 * of a node really is. */
#ifndef KANON_SEARCH_FREE_TREE_H
#define KANON_SEARCH_FREE_TREE_H

#include "search/tree.h"

/* Numbers whose sums are kept: those of the columns first .. first + n - 1. */
typedef struct kanon__sums {
    int first, n;
    int column;    /* of the first of its 2^(n-1) sums; a number alone needs none */
    uint32_t full; /* of all of them */
    bool missing;  /* some number is missing somewhere: it lies further out than it counts */
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
    kanon__bound *around; /* a box in the making */
    int32_t *lowest;      /* by node: the lowest free row below it, or KANON__NO_ROW */
    int32_t *parent;      /* by node; -1: the root */
    int32_t *loose;       /* leaves whose bounds may hold tuples that are no longer free */
    int64_t n_loose;
    bool *is_loose; /* by node */
} kanon__free_tree;

/* With sums, or without: only what is farthest needs them. */
kanon_status kanon__free_tree_new(kanon__free_tree **out, const kanon__space *space, bool with_sums, kanon_error *err);
void kanon__free_tree_free(kanon__free_tree *tree);
/* A free row, at its place, is free no longer. */
void kanon__free_tree_take(kanon__free_tree *tree, int32_t place, int64_t row);
/* Draw the bounds around what is free. Until then they are bounds, only wider ones: several records are often taken out
 * of one leaf, which is then looked at once. */
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

/* The least D of a box of cells together with anything between the cells lo and hi, which a node has alternating (step 2)
 * and a tuple has once (step 1). */
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
