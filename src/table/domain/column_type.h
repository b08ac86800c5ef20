/* The type of a column and how its values are written: what the schema says, else the source, else the shape of its
 * texts. What would be guessed is asked instead: KANON_EDATA with counts, the first line and what to say. Messages hold
 * no cell but texts of the list of "no value". */
#ifndef KANON_TABLE_COLUMN_TYPE_H
#define KANON_TABLE_COLUMN_TYPE_H

#include "table/domain/domain.h"

/* `missing` says by dictionary code which texts mean "no value". */
kanon_status kanon__column_type_find(kanon_type *type, kanon__value_format *format, const kanon__raw_column *raw,
                                     const kanon__attribute *attribute, const kanon_schema *schema, const bool *missing,
                                     kanon_error *err);
/* How the schema says that the attribute's values are written (NULL: not named): by its own words, else by those about the
 * whole table. */
kanon__value_format kanon__attribute_format(const kanon__attribute *attribute, const kanon_schema *schema);
/* The row in which a text of the dictionary first appears. */
int64_t kanon__column_first_row(const kanon__raw_column *raw, uint32_t code);

#endif
