/* Whether a row of a release is one person's by all that it shows: its quasi cells, and columns that are released as they
 * are. A row is singled out where no row of another person has the same cells; without persons, where no other row has.
 *
 *     quasi cells   diagnosis   cost
 *     [20..24]      flu         100     another row shows [20..24] and flu, and none with 100: it is singled out by the
 *     [20..24]      flu         250     cost, and by all columns together, but not by the diagnosis
 *     [20..24]      asthma      250
 *
 * Columns are added one after the other. Rows that some columns single out stay so with more of them, so that each column
 * divides what is left. All counts are exact. Called by singled_out.c and audit/whole_row_check.c. */
#ifndef KANON_MEASURES_WHOLE_ROW_H
#define KANON_MEASURES_WHOLE_ROW_H

#include "core/ticker.h"
#include "table/text/source.h"

typedef struct kanon__whole_row kanon__whole_row;

/* By row the class of its quasi cells, below n_classes; negative: it is not in the release. `persons` (NULL: each row is
 * another's) are numbers by row. What is given must outlive *out. */
kanon_status kanon__whole_row_new(kanon__whole_row **out, const int32_t *class_of, int64_t n_rows, int64_t n_classes,
                                  const kanon__codes *persons, kanon__ticker *ticker, kanon_error *err);
void kanon__whole_row_free(kanon__whole_row *row);
/* One column more, whose codes lie below n_codes. *share: of the released rows, those that the quasi cells and this column
 * single out; NAN where there are none. `apart`: its cells are known to be those of other rows, so that it is not one of
 * the columns that together single out. */
kanon_status kanon__whole_row_add(kanon__whole_row *row, double *share, kanon__codes codes, uint32_t n_codes, bool apart,
                                  kanon_error *err);
/* The same of columns that a source has; `shares` and `apart` by their place in `columns`. The rows are those of the
 * source. */
kanon_status kanon__whole_row_add_source(kanon__whole_row *row, double *shares, kanon__source *source, const int *columns,
                                         const bool *apart, int n_columns, int threads, kanon_error *err);
/* Of the released rows, those that the quasi cells and all columns so far single out. */
double kanon__whole_row_all(const kanon__whole_row *row);

#endif
