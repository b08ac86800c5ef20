/* See quasi_columns.h. */
#include "audit/quasi_columns.h"

#include "core/alloc.h"

#include <string.h>

enum { PART_LENGTH = 4 }; /* of _min and _max */

/* The name of the column that a part is of; NULL: the column of the file is no part. */
static const char *find_whole(const kanon__source *file, const char *name, const kanon_schema *schema,
                              const kanon__source *table)
{
    size_t length = strlen(name);
    if (length <= PART_LENGTH || kanon__schema_find(schema, name) != NULL ||
        (strcmp(name + length - PART_LENGTH, "_min") != 0 && strcmp(name + length - PART_LENGTH, "_max") != 0))
        return NULL;
    length -= PART_LENGTH;
    const kanon__attribute *attribute = kanon__schema_find_text(schema, name, length);
    const char *whole = attribute != NULL ? attribute->name : NULL;
    for (int i = 0; whole == NULL && table != NULL && i < table->n_columns; i++)
        if (strlen(table->column_names[i]) == length && memcmp(table->column_names[i], name, length) == 0 &&
            kanon__source_find(table, name) < 0)
            whole = table->column_names[i];
    if (whole == NULL || kanon__schema_role(schema, attribute) != KANON_ROLE_QUASI || kanon__source_find(file, whole) >= 0)
        return NULL;
    int min = kanon__source_find_part(file, whole, "_min"), max = kanon__source_find_part(file, whole, "_max");
    bool is_split = min >= 0 && max >= 0 && kanon__schema_find(schema, file->column_names[min]) == NULL &&
                    kanon__schema_find(schema, file->column_names[max]) == NULL;
    return is_split ? whole : NULL;
}

static bool is_quasi(const kanon_schema *schema, const char *name)
{
    const kanon__attribute *attribute = kanon__schema_find(schema, name);
    const char *entity = schema->said[KANON__WHOLE_ENTITY];
    bool is_entity = entity != NULL && strcmp(entity, name) == 0 && (attribute == NULL || !attribute->has_role);
    return !is_entity && kanon__schema_role(schema, attribute) == KANON_ROLE_QUASI;
}

kanon_status kanon__quasi_places(kanon__quasi_place **out, int *n, const kanon__source *file, const kanon_schema *schema,
                                 const kanon__source *table, kanon_error *err)
{
    *n = 0;
    KANON_CHECK(kanon__new_array(out, file->n_columns, "columns", err));
    for (int i = 0; i < file->n_columns; i++) {
        const char *name = file->column_names[i], *whole = find_whole(file, name, schema, table);
        if (whole == NULL && is_quasi(schema, name))
            (*out)[(*n)++] = (kanon__quasi_place){name, i, i};
        else if (whole != NULL && kanon__source_find_part(file, whole, "_min") == i)
            (*out)[(*n)++] = (kanon__quasi_place){whole, i, kanon__source_find_part(file, whole, "_max")};
    }
    return KANON_OK;
}
