/* Numbers by row that are equal where rows are equal in all columns so far: what an attacker who knows these columns takes
 * for one row. Called by singled_out.c and linkage.c. */
#ifndef KANON_MEASURES_ROW_NUMBERS_H
#define KANON_MEASURES_ROW_NUMBERS_H

#include "core/status.h"
#include "table/value/codes.h"

typedef struct kanon__row_numbers {
    int32_t *of; /* by row, below n, in the order in which they first appear */
    int64_t n_rows, n;
} kanon__row_numbers;

/* Of no column yet: all rows are equal. */
kanon_status kanon__row_numbers_new(kanon__row_numbers *out, int64_t n_rows, kanon_error *err);
kanon_status kanon__row_numbers_copy(kanon__row_numbers *out, const kanon__row_numbers *of, kanon_error *err);
void kanon__row_numbers_clear(kanon__row_numbers *numbers);
/* One column more. */
kanon_status kanon__row_numbers_add(kanon__row_numbers *numbers, kanon__codes codes, kanon_error *err);

#endif
