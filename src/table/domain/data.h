/* Encoded columns: all that grouping, measuring and checking need of a table.
 *
 * Every quasi and sensitive column has a domain and one code per row. Where records belong to entities (persons), each row
 * also has the number of its entity. Where the rows came from, and what is asked of their groups, is not known here: see
 * table/text/source.h and table/schema/policy.h. */
#ifndef KANON_TABLE_DATA_H
#define KANON_TABLE_DATA_H

#include "table/domain/domain.h"

#define KANON__MAX_ROWS INT32_MAX

typedef struct kanon__column {
    char *name;
    kanon_role role;
    bool role_from_flags; /* whatever the schema file says */
    double weight;
    char *weight_text;   /* NULL: 1 */
    bool drawn;          /* the ends of its intervals are drawn: drawn_ends.h */
    bool drawn_before;   /* by a rule of an earlier table, so they may leave the range of this one */
    bool permuted;       /* its cells change places inside their groups when they are released */
    char *taxonomy_path; /* the file it came from; NULL: none */
    kanon__domain *domain; /* NULL: the column is not encoded */
    kanon__codes codes;    /* one per row, of encoded columns */
} kanon__column;

typedef struct kanon__data {
    int64_t n_rows;
    int n_columns;
    kanon__column *columns;
    int n_quasi, n_sensitive;
    int *quasi, *sensitive; /* their column numbers, in the order of the columns */
    bool has_entity;
    int entity_column;
    kanon__codes entity_codes; /* by row: whose record it is; all missing ones are one entity */
    int64_t n_entities;
    bool spilled; /* the codes lie in a file */
} kanon__data;

void kanon__data_clear(kanon__data *data);
/* Some rows as data of their own: the columns of `whole`, domains included, with the codes of the given rows. Names and
 * column lists are shared, so `whole` must outlive *out, which is freed by kanon__data_clear_rows. */
kanon_status kanon__data_rows(kanon__data *out, const kanon__data *whole, const int32_t *rows, int64_t n, kanon_error *err);
void kanon__data_clear_rows(kanon__data *part);
/* The same data as if nobody knew whose record each row is; nothing to free. */
static inline kanon__data kanon__data_without_entities(const kanon__data *data)
{
    kanon__data view = *data;
    view.has_entity = false;
    return view;
}

static inline bool kanon__column_is_numeric(const kanon__column *column)
{
    return column->domain != NULL && kanon__type_is_numeric(column->domain->type);
}

/* NULL where the column is not encoded, or not categorical. */
static inline const kanon__taxonomy *kanon__column_taxonomy(const kanon__column *column)
{
    return column->domain != NULL ? column->domain->taxonomy : NULL;
}

/* The text of a code as a release shows it. */
static inline const char *kanon__column_text(const kanon__column *column, uint32_t code, size_t *length)
{
    return kanon__domain_text(column->domain, code, length);
}

#endif
