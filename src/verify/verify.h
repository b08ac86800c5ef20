/* The independent check. It counts and compares by itself, from the table's own cells, and shares no code with what makes
 * groupings and releases. A failed check is KANON_EINTERNAL: no output is better than a wrong one. */
#ifndef KANON_VERIFY_VERIFY_H
#define KANON_VERIFY_VERIFY_H

#include "table/table.h"

/* Every row is in one group of 0 .. n_groups-1 or suppressed (negative), and every group has at least k rows. */
kanon_status kanon__verify_grouping(const kanon_table *table, const int32_t *group_of, int64_t n_groups, int64_t k,
                                    kanon_error *err);

/* Every group keeps the constraints of the table's schema, holds k entities where there are entities, and has each of them
 * to itself where they are to stay together. All are counted anew. */
kanon_status kanon__verify_privacy(const kanon_table *table, const int32_t *group_of, int64_t n_groups, int64_t k,
                                   kanon_error *err);

/* Checks that what a release shows covers what the table holds. Tell it the released cells of every group, then every row
 * of the input file as it is read again. */
typedef struct kanon__verifier kanon__verifier;

kanon_status kanon__verifier_new(kanon__verifier **out, const kanon_table *table, int64_t n_groups, kanon_numeric numeric,
                                 kanon_error *err);
void kanon__verifier_free(kanon__verifier *verifier);
/* The released text (before CSV quoting) of the i-th quasi attribute for a group; with KANON_NUMERIC_COLUMNS a numeric
 * attribute has a second one. The texts must outlive the verifier. */
kanon_status kanon__verifier_cell(kanon__verifier *verifier, int64_t group, int i, const char *text, size_t length,
                                  const char *second, size_t second_length, kanon_error *err);
/* From now on it is also checked that records with equal values show equal cells, whatever their groups. */
kanon_status kanon__verifier_expect_mapping(kanon__verifier *verifier, kanon_error *err);
/* Row number `row` of the input, whose cells these are, is released as a member of `group`. */
kanon_status kanon__verifier_row(kanon__verifier *verifier, int64_t row, int64_t group, const kanon__cell *cells,
                                 kanon_error *err);
/* After the last row: every group had at least k of them, and all rows of the table came by. */
kanon_status kanon__verifier_finish(const kanon__verifier *verifier, int64_t k, kanon_error *err);

#endif
