/* Which cells of a sensitive column are values. A cell that is suppressed or generalised (*, 8130*, {a, b}, a node of the
 * taxonomy, an interval that others overlap) may be any of several values, so it never counts as one of its own; {flu} is
 * flu. A text that means "no value" is a value, as it is in a table. */
#ifndef KANON_AUDIT_PLAIN_VALUES_H
#define KANON_AUDIT_PLAIN_VALUES_H

#include "table/schema/schema.h"

/* All zero is an empty one. */
typedef struct kanon__plain_values {
    kanon__dictionary values; /* different ones, as they stand between the white space at their ends */
    uint32_t *value_of;       /* by text: its value; KANON__NO_CODE: it is none */
    int64_t n_vague;          /* texts that are none */
} kanon__plain_values;

/* `attribute` NULL: the schema does not name the column. */
kanon_status kanon__plain_values_read(kanon__plain_values *out, const kanon__dictionary *texts,
                                      const kanon__attribute *attribute, const kanon_schema *schema, kanon_error *err);
void kanon__plain_values_clear(kanon__plain_values *values);

/* The taxonomy that the attribute names or holds; NULL: it has none. */
kanon_status kanon__taxonomy_of(kanon__taxonomy **out, const kanon__attribute *attribute, kanon_error *err);

#endif
