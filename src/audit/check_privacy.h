/* What the sensitive values and the entities of a released file reach, class by class, and whether it satisfies the
 * constraints of the schema. */
#ifndef KANON_AUDIT_CHECK_PRIVACY_H
#define KANON_AUDIT_CHECK_PRIVACY_H

#include "core/ticker.h"
#include "table/read/table.h"

/* A column of the file as it was read. */
typedef struct kanon__released_column {
    const char *name;
    const uint32_t *raw;       /* by row: the code of its text */
    kanon__dictionary *values; /* the texts; left empty */
} kanon__released_column;

typedef struct kanon__released {
    const kanon_schema *schema;
    kanon__source *source;
    int64_t n_rows;
    const int32_t *group_of; /* by row: its class; negative: suppressed */
    int64_t n_groups;
    const kanon__released_column *columns; /* the sensitive ones */
    int n_columns;
    const int *insensitive; /* columns of the source */
    int n_insensitive;
    const kanon__released_column *entity; /* NULL: the file does not have the entity column */
    const uint32_t *persons; /* by row: whose it is, where another file says it; NULL: none does */
    int64_t n_persons;
    bool has_original; /* the table that the file was made of was asked */
    bool persons_open; /* it does not tell whose each row is, which is said elsewhere */
    kanon__ticker *ticker;
} kanon__released;

/* What was found. All zero is one that holds nothing; names and models point at what was checked. */
typedef struct kanon__privacy_result {
    kanon_privacy_figure **figures; /* of every sensitive column, column by column, and then of whole rows */
    size_t n_figures;
    double singled_out_all;
    kanon__texts insensitive; /* names of columns */
    kanon_constraint_status **constraints; /* of those that could be counted */
    size_t n_constraints;
    kanon__texts sentences;  /* of the constraints */
    int64_t fewest_entities; /* in a class; 0: the file does not have them */
    int32_t *own;            /* by row: the records of its entity in its class; NULL likewise */
    kanon__texts warnings;
    kanon__texts not_shown;         /* what the schema asks for and the file cannot show */
    kanon__texts persons_not_shown; /* those of them that are about persons */
} kanon__privacy_result;

/* On failure what was found so far stays in *out, to be cleared. */
kanon_status kanon__check_privacy(kanon__privacy_result *out, const kanon__released *released, kanon_error *err);
void kanon__privacy_result_clear(kanon__privacy_result *result);

#endif
