/* What a release would show as it stands in the table, and should not be shown without a thought: columns in which
 * nearly every record has a value of its own (serial numbers), mail addresses, and cells that a spreadsheet would run
 * as a formula. */
#ifndef KANON_TABLE_RELEASED_TEXT_H
#define KANON_TABLE_RELEASED_TEXT_H

#include "table/read/table.h"

/* Add to table->privacy what there is to say. No warning holds a cell. Columns that the schema calls numbers or dates have no
 * formulas. */
kanon_status kanon__note_released_text(kanon_table *table, const kanon_schema *schema, kanon_error *err);

#endif
