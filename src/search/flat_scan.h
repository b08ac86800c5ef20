/* The flat scan: the free records of a free tree (search/free_tree.h) column by column, all of them looked at by the vector
 * kernels.
 *
 * A tree saves nothing where its nodes cannot be told apart: with dozens of attributes every box is as near as every other
 * one, so that all tuples are visited, one by one and through a queue. The flat scan computes a few times as many costs in
 * the same time, and its answers are the same. It takes the place of the nodes, whose memory it gets.
 *
 *     slot       0   1   2   3            the free records when the columns were laid out, by row; their lowest row is the
 *     rows       4  17  23  40            first of equals, as the searches want it
 *     free       1   0   1   1            one bit each; where few are set, the slots are laid out closer again
 *     columns    as the tree's cells without sums: positions of numbers, then codes of categories */
#ifndef KANON_SEARCH_FLAT_SCAN_H
#define KANON_SEARCH_FLAT_SCAN_H

#include "search/free_tree.h"
#include "search/kernels.h"

typedef struct kanon__flat_scan {
    const kanon__free_tree *tree;
    const kanon__kernels *kernels;
    int64_t n_slots, n_free, stride; /* stride: from a column to the next one */
    int32_t *rows;                   /* by slot, ascending */
    int32_t *slot_of;                /* by row, where it is free */
    uint64_t *free;
    uint32_t *columns;
    uint32_t *units;           /* by slot: of the categories alone, where they are `known`; else scratch */
    uint32_t *tables;          /* by category and code: its units in the question at hand */
    kanon__kernel_term *terms; /* by column: of distances, and of categories */
    kanon__span_term *spans;   /* by number */
    kanon__bound *known;       /* the box of the categories whose units are at hand */
    bool is_known;
} kanon__flat_scan;

/* What a question costs, counted in records that are looked at: taxonomies with many values have to be climbed. */
int64_t kanon__flat_scan_work(const kanon__free_tree *tree, int64_t n_free);
/* Where the search of a tree, of n_visits nodes and tuples, takes so much longer than the scan would: n_visits in the same
 * unit. */
int64_t kanon__flat_scan_worth(int64_t n_visits);

/* All records that are free in the tree. Its nodes are dropped (kanon__free_tree_drop_nodes); the rest of it is still
 * read. */
kanon_status kanon__flat_scan_new(kanon__flat_scan **out, kanon__free_tree *tree, kanon_error *err);
void kanon__flat_scan_free(kanon__flat_scan *scan);
/* Take a free record out for good. */
void kanon__flat_scan_remove(kanon__flat_scan *scan, int64_t row);
/* Leave a free record out for a while; until all are back, none is removed. */
void kanon__flat_scan_hide(kanon__flat_scan *scan, int64_t row, bool hidden);

/* The lowest of the free records with which the box, of cells, costs least; of those that are farthest from the cells of
 * a record. -1: none is free. */
int64_t kanon__flat_scan_find_cheapest(kanon__flat_scan *scan, const kanon__bound *box, uint32_t *units);
int64_t kanon__flat_scan_find_farthest(kanon__flat_scan *scan, const uint32_t *own);

#endif
