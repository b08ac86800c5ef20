/* What the files of a comparison share: compare_original.c (columns, keys, order) and compare_multiset.c. */
#ifndef KANON_AUDIT_COMPARER_H
#define KANON_AUDIT_COMPARER_H

#include "audit/cell_regions.h"
#include "audit/compare_original.h"
#include "audit/file_columns.h"

/* What the cells of a column of the file say of a column of the table. */
typedef struct kanon__reading {
    int column;                  /* the one of the table, by its number among those that are compared */
    kanon__cell_regions regions; /* of a quasi column */
    uint32_t *code_of; /* of a plain column, by text of the file: the text of the table; KANON__NO_CODE: it has none */
    bool *any;         /* likewise: it means any value */
} kanon__reading;

typedef struct kanon__comparer {
    kanon__comparison *found;
    const kanon_table *table;
    const kanon__source *release;
    const kanon_schema *schema;
    const uint32_t *class_of;  /* by row of the file; NULL: not known */
    kanon__file_column *file;  /* by compared column */
    kanon__file_column *plain; /* the texts of the table; of quasi columns empty */
    kanon__reading *readings;  /* each column of the file as the column of its name */
    kanon__ticker *ticker;
} kanon__comparer;

/* Column `file` of the file read as column `table` of the table. */
kanon_status kanon__reading_new(kanon__reading *out, const kanon__comparer *c, int file, int table, kanon_error *err);
void kanon__reading_clear(kanon__reading *reading);

static inline bool kanon__reading_fits(const kanon__comparer *c, const kanon__reading *reading, uint32_t text,
                                       int64_t record)
{
    const kanon__compared_column *column = &c->found->columns[reading->column];
    if (column->quasi)
        return kanon__cell_region_covers(&reading->regions, text,
                                         kanon__code_at(c->table->data.columns[column->place].codes, record));
    return text != KANON__NO_CODE &&
           (reading->any[text] || reading->code_of[text] == c->plain[reading->column].codes[record]);
}

/* Whether every cell of the row fits the record. */
static inline bool kanon__row_fits(const kanon__comparer *c, int64_t row, int64_t record)
{
    for (int i = 0; i < c->found->n_columns; i++)
        if (!c->found->columns[i].means && !c->found->columns[i].shuffled &&
            !kanon__reading_fits(c, &c->readings[i], c->file[i].codes[row], record))
            return false;
    return true;
}

/* Of a plain column, where it is known which records a class has: *differ cells are no values of these records, however they
 * are dealt out. *untold cells are of other classes. */
kanon_status kanon__permuted_cells(int64_t *differ, int64_t *untold, const kanon__comparer *c, int column,
                                   const uint32_t *class_of, kanon_error *err);
/* compare_linkage.c: the figures of linkage. */
kanon_status kanon__compare_linkage(const kanon__comparer *c, kanon_error *err);
/* compare_multiset.c: fill `found`, where rows and records are matched by what they hold alone. */
kanon_status kanon__compare_multiset(kanon__comparer *c, kanon_error *err);
/* How many cells of column `file` have no record of their own among those of column `table`, however they are dealt out. */
kanon_status kanon__unmatched_cells(int64_t *out, const kanon__comparer *c, const kanon__reading *reading, int file,
                                    kanon_error *err);

#endif
