/* The cells of a CSV release held against Arrow arrays.
 *
 * A row of a table that came as an Arrow stream has no bytes in a file that its cells could be found in again. So the
 * check looks up the typed values of the row and reads each cell's text as a value of that type: both must be equal.
 * Nothing of table/read/arrow_view.c and arrow_text.c, which made the cells, is used. */
#ifndef KANON_VERIFY_ARROW_CELLS_H
#define KANON_VERIFY_ARROW_CELLS_H

#include "table/read/arrow_source.h"

/* Whether these are the cells of row `row`, in every column. */
bool kanon__arrow_cells_match(const kanon__arrow_source *source, int64_t row, const kanon__cell *cells);
/* Whether this is the cell of one of its columns. */
bool kanon__arrow_cell_matches(const kanon__arrow_source *source, int64_t row, int column, const kanon__cell *cell);

#endif
