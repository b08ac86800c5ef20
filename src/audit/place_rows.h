/* Which record each row is, as far as the pairs of rows and records that fit leave no choice. */
#ifndef KANON_AUDIT_PLACE_ROWS_H
#define KANON_AUDIT_PLACE_ROWS_H

#include "audit/compare_original.h"

/* A kind of rows that are the same in all columns, and a record that they cover. */
typedef struct kanon__fitting_pair {
    int32_t kind, record;
} kanon__fitting_pair;

typedef struct kanon__row_kinds {
    int32_t n;
    int32_t *first_row; /* by kind: one of its rows; the others follow in next_row */
    int64_t *n_rows;    /* by kind */
    int32_t *next_row;  /* by row; -1: none */
} kanon__row_kinds;

/* *out: how many rows have a record of their own at most, if records are dealt out to the rows that cover them. All pairs
 * that fit are given, ordered by record, of `n_records`. */
kanon_status kanon__most_placed(int64_t *out, const kanon__row_kinds *kinds, int64_t n_records,
                                const kanon__fitting_pair *pairs, int64_t n_pairs, kanon_error *err);
/* Fill row_of, owner_of and unplaced of `found`. Every row is some record; where `is_all`, every record is a row, too. All
 * pairs that fit are given, ordered by record. `class_of`, by row, are classes whose persons are to be counted: a row that
 * is somebody's who has no other row of its class may be given to any of those that it can be of; NULL: none. */
kanon_status kanon__place_rows(kanon__comparison *found, const kanon__data *data, const kanon__row_kinds *kinds,
                               const kanon__fitting_pair *pairs, int64_t n_pairs, bool is_all, const uint32_t *class_of,
                               kanon_error *err);

#endif
