/* Which columns of a file are quasi ones, and the role of a column as the schema has it, also where only its default role
 * says so. */
#ifndef KANON_AUDIT_QUASI_COLUMNS_H
#define KANON_AUDIT_QUASI_COLUMNS_H

#include "table/schema/schema.h"
#include "table/text/source.h"

/* `attribute` is that of the column; NULL: the schema does not name it. */
static inline kanon_role kanon__schema_role(const kanon_schema *schema, const kanon__attribute *attribute)
{
    if (attribute != NULL && attribute->has_role)
        return attribute->role;
    return schema->has_default_role ? schema->default_role : KANON_ROLE_IDENTIFYING;
}

/* A quasi column; two columns of the file where NAME_min and NAME_max stand in place of NAME. */
typedef struct kanon__quasi_place {
    const char *name;
    int first, last;
} kanon__quasi_place;

/* The quasi columns of a file, in their order: *out, to be freed, and *n. `table` is what the file is held against, whose
 * column NAME may be NAME_min and NAME_max in the file though the schema does not name it; NULL: nothing. The entity is
 * none, unless the schema says so itself. */
kanon_status kanon__quasi_places(kanon__quasi_place **out, int *n, const kanon__source *file, const kanon_schema *schema,
                                 const kanon__source *table, kanon_error *err);

#endif
