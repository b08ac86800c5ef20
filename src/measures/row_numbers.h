/* Numbers by row that are equal where rows are equal in all columns so far: what an attacker who knows these columns takes
 * for one row. In files of other tools what a row shows and what its record has may be two things.
 *
 *     record   weekly hours   shown        of a released row 0, known of record 2: both have 55
 *     0        40             55
 *     2        55             50
 *
 * Called by singled_out.c and linkage.c. */
#ifndef KANON_MEASURES_ROW_NUMBERS_H
#define KANON_MEASURES_ROW_NUMBERS_H

#include "core/status.h"
#include "table/value/codes.h"

typedef struct kanon__row_numbers {
    int32_t *shown; /* by row, below n: of the released cells */
    int32_t *known; /* likewise, of the record's own; the same list where no cell was changed */
    int64_t n_rows, n;
} kanon__row_numbers;

/* Of no column yet: all rows are equal. */
kanon_status kanon__row_numbers_new(kanon__row_numbers *out, int64_t n_rows, kanon_error *err);
kanon_status kanon__row_numbers_copy(kanon__row_numbers *out, const kanon__row_numbers *of, kanon_error *err);
void kanon__row_numbers_clear(kanon__row_numbers *numbers);
/* One column more, by its codes in the table. */
kanon_status kanon__row_numbers_add(kanon__row_numbers *numbers, kanon__codes codes, kanon_error *err);
/* One column more, whose cells the rows show with these codes, and the records have with those; equal codes are equal cells. */
kanon_status kanon__row_numbers_add_both(kanon__row_numbers *numbers, kanon__codes shown, kanon__codes known,
                                         kanon_error *err);

#endif
