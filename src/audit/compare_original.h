/* A released file and the table that it was made of, whichever tool wrote the file: which cells do not cover their
 * originals, which records are missing, there too often or not of the table, whether columns are exchanged, and which record
 * each row is. Rows are compared with their records
 *
 *     by key        the columns of the key are in both
 *     in order      row by row; records that were left out are skipped, if every row fits then
 *     as a multiset otherwise: each row may be any record that it covers
 *
 * A cell of a quasi column covers its original as its text is read (cell_regions.h). Any other cell is its original, or *.
 * As a multiset the counts are of what cannot be otherwise, so they are the least that is wrong. */
#ifndef KANON_AUDIT_COMPARE_ORIGINAL_H
#define KANON_AUDIT_COMPARE_ORIGINAL_H

#include "core/ticker.h"
#include "table/read/table.h"
#include "table/schema/schema.h"

typedef enum kanon__compared_how {
    KANON__COMPARED_IN_ORDER = 0,
    KANON__COMPARED_BY_KEY,
    KANON__COMPARED_AS_MULTISET
} kanon__compared_how;

/* A column that both have. */
typedef struct kanon__compared_column {
    const char *name;
    int place;         /* in the table */
    bool quasi;        /* its cells are regions */
    bool shuffled;     /* the schema permutes its cells within groups, so they say nothing of a single record */
    int64_t unknown;   /* cells that are no value, interval, node, mask or set of them */
    int64_t uncovered; /* cells that do not cover their originals; of a plain column that are not them; of means that are not
                        * between the values of their class */
    int64_t untold;    /* shuffled: cells of classes of which it is not known which records they have; so nothing is known of
                        * them but that the table has the value */
    bool means;        /* many cells are one number between values: means, which no record needs to have */
    int64_t away;      /* cells that do not fit the record of their row */
    bool permuted;     /* in each class its values are those of the records of the class, in another order */
    int exchanged;     /* the column whose originals its cells cover instead; -1: none */
} kanon__compared_column;

typedef struct kanon__comparison {
    kanon__compared_how how;
    int64_t n_rows, n_records; /* of the file and of the table */
    int64_t missing, doubled,
        foreign;      /* records of the table that no row is; rows of records that have rows enough; of none */
    bool is_partial;  /* as a multiset, so many pairs of a row and a record fit that not all were looked at */
    int64_t unplaced; /* rows of which it is not known which record they are */
    kanon__compared_column *columns;
    int n_columns;
    kanon__texts extra; /* columns of the file that the table does not have */
    /* In: find linkage (measures/linkage.h), too. Out: NAN where it is not known which record each row is, or a quasi column
     * is not in the file. The error is 0 where all records were asked. */
    bool with_linkage;
    double linkage_quasi, linkage_all, linkage_error;
    int32_t *row_of;   /* by row of the file: its record; -1: not known, or none */
    int32_t *owner_of; /* a record of the same person; -1 likewise */
} kanon__comparison;

/* `release` is ready for cursors, and stays the caller's. `class_of`, by row of the file, are classes among which values may
 * be permuted; NULL: none. KANON_EDATA: one of the two has no column of the key, or two records of the table have one key;
 * a key without columns is none. On failure what was found so far stays in *out, to be cleared. */
kanon_status kanon__compare_original(kanon__comparison *out, const kanon_table *table, const kanon__source *release,
                                     const kanon_schema *schema, const kanon__texts *key, const uint32_t *class_of,
                                     kanon__ticker *ticker, kanon_error *err);
void kanon__comparison_clear(kanon__comparison *comparison);

#endif
