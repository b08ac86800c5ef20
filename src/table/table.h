/* The encoded table.
 *
 * Every quasi and sensitive column is encoded: a numeric value is its rank among the column's distinct values, a
 * categorical one its leaf number in the taxonomy. Either way codes are ordered so that a set of values is, for every
 * formula, its smallest and its largest code. Missing values: of a categorical column, a leaf below the root; of a numeric
 * one, the code after the last rank. Other columns stay in the mapped input.
 *
 *     rows      0   1   2   3          column "age": values 22 23 24 33, missing_code 4
 *     cells    24  22   ?  33
 *     codes     2   0   4   3          n_codes 5
 */
#ifndef KANON_TABLE_TABLE_H
#define KANON_TABLE_TABLE_H

#include "table/codes.h"
#include "table/csv.h"
#include "table/schema.h"

#define KANON__MAX_ROWS INT32_MAX

typedef struct kanon__column {
    char *name;
    kanon_role role;
    bool role_from_flags; /* whatever the schema file says */
    kanon_type type;      /* KANON_TYPE_UNKNOWN where the column is not encoded */
    double weight;
    char *weight_text;   /* NULL: 1 */
    char *taxonomy_path; /* the file it came from; NULL: none */
    bool encoded;
    kanon__codes codes;    /* one per row */
    uint32_t n_codes;      /* missing included */
    uint32_t missing_code; /* KANON__NO_CODE: no value is missing */
    /* numeric columns: one entry per code but the missing one */
    double *values;
    int64_t *scaled; /* exactly value * 10^scale; NULL where that does not fit 64 bits (dates: days, scale 0) */
    int scale;
    kanon__dictionary texts; /* numeric: the text of each rank as first written; the missing text last */
    /* categorical columns */
    kanon__taxonomy *taxonomy;
} kanon__column;

/* A row and where it begins in the input: a place to begin reading. */
typedef struct kanon__mark {
    int64_t row;
    size_t position;
} kanon__mark;

struct kanon_table {
    const kanon_context *context;
    kanon__input input;
    kanon__mark *marks; /* the first row, then one about every 256 kB, in order */
    int64_t n_marks;
    kanon__csv_options csv_options; /* how the file is read again; the delimiter is the one found */
    bool crlf;
    int n_columns;
    kanon__column *columns;
    int64_t n_rows;
    int n_quasi, n_sensitive;
    int *quasi, *sensitive; /* their column numbers, in file order */
    int64_t schema_k;
    char *schema_algorithm;
    kanon_setting *schema_settings;
    int64_t n_schema_settings;
    char *schema_path;     /* NULL: flags alone */
    kanon__texts missing;  /* the texts that mean "no value" */
    /* what is asked of the groups beside k, as written: src/constraints makes sense of it, src/verify checks it */
    kanon__constraint_text *constraints;
    int64_t n_constraints;
    bool has_entity, entity_together;
    int entity_column;
    kanon__codes entity_codes; /* by row: whose record it is; all missing ones are one entity */
    int64_t n_entities;
    int64_t most_suppressed; /* records that may be suppressed to lower the loss; -1: nothing said */
    kanon__texts warnings;
    bool spilled; /* the codes lie in a file */
};

/* kanon_table_read of an input that is open already, which is taken over in any case. */
kanon_status kanon__table_from_input(kanon_table **out, kanon__input *input, const kanon_schema *schema,
                                     const kanon_read_options *options, kanon_error *err);
/* Make a column's codes, ranks or leaf numbers, out of `raw`, by row its code in the dictionary `values`, as `attribute`
 * (NULL: not named) and the missing texts of the schema say. `values` is left empty. */
kanon_status kanon__column_encode(kanon_table *table, kanon__column *column, kanon__codes raw, kanon__dictionary *values,
                                  const kanon__attribute *attribute, const kanon_schema *schema, kanon_error *err);
/* Whether a column's type is integer, decimal or date. */
bool kanon__column_is_numeric(const kanon__column *column);
/* The text of a code as a release shows it: the value as first written, or the leaf's name. */
const char *kanon__column_text(const kanon__column *column, uint32_t code, size_t *length);

#endif
