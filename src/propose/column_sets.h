/* Sets of columns, and how many records they single out.
 *
 * Records that agree in all columns of a set are a class. A record is singled out if its class has no record of another
 * entity; where nobody said whose record each row is, every record is an entity of its own. Sets of one, two and three
 * columns are counted, on all records: a sample would single out too many.
 *
 *     class_of    0 1 0 2 1      by row
 *     refine by a column:  (class, code) -> a new number, in the order of first appearance */
#ifndef KANON_PROPOSE_COLUMN_SETS_H
#define KANON_PROPOSE_COLUMN_SETS_H

#include "core/ticker.h"
#include "table/value/codes.h"

enum {
    KANON__SET_MOST = 3,       /* columns in a set */
    KANON__SET_CANDIDATES = 12 /* columns that sets of two and three are made of: those that single out most by themselves */
};

typedef struct kanon__set_column {
    kanon__codes codes;
    uint32_t n_codes;
} kanon__set_column;

typedef struct kanon__set_table {
    int64_t n_rows;
    int n_columns;
    const kanon__set_column *columns;
    const kanon__codes *entities; /* NULL: each record is one */
    int64_t n_entities;
} kanon__set_table;

typedef struct kanon__column_set {
    int n;                        /* columns in it */
    int columns[KANON__SET_MOST]; /* ascending */
    int64_t classes;
    int64_t records;  /* that are singled out */
    int64_t entities; /* with such a record */
} kanon__column_set;

/* Every set of one column, and those of two and three of the candidates: the smallest sets first, then those that single out
 * most, then by column numbers. */
kanon_status kanon__column_sets_find(kanon__column_set **out, int64_t *n, const kanon__set_table *table, int threads,
                                     const kanon__ticker *ticker, kanon_error *err);

/* Split each class by the codes of a column. `class_of` starts with zeros and *n_classes with 1. */
kanon_status kanon__classes_refine(uint32_t *class_of, int64_t *n_classes, int64_t n_rows, const kanon__set_column *column,
                                   kanon_error *err);
/* How many records, and entities, have a class of their own. */
kanon_status kanon__classes_single(int64_t *records, int64_t *entities, const kanon__set_table *table,
                                   const uint32_t *class_of, int64_t n_classes, kanon_error *err);

#endif
