/* The measures singled_out and singled_out_all of a table and its groups: how many of the released rows are one person's by
 * what stands in them (whole_row.h). Columns that are released as they are: sensitive and insensitive ones. */
#ifndef KANON_MEASURES_SINGLED_OUT_H
#define KANON_MEASURES_SINGLED_OUT_H

#include "core/ticker.h"
#include "measures/row_numbers.h"
#include "model/grouping.h"
#include "release/permutation.h"

typedef struct kanon__singled_out {
    bool is_counted; /* else memory is too short, and the shares are NAN */
    int n_columns;   /* whose own cells are released */
    int *columns;    /* of the table, in its order */
    double *shares;  /* by these: of the released rows, those that quasi cells and this column single out */
    double all;      /* likewise, quasi cells and all columns whose cells stand in their rows. NAN: no row is released */
} kanon__singled_out;

/* Whether the column's own cells are released. */
static inline bool kanon__column_is_kept(const kanon__column *column)
{
    return column->role == KANON_ROLE_SENSITIVE || column->role == KANON_ROLE_INSENSITIVE;
}

/* Whether they stand in their own rows. Cells that change places inside their groups tell nothing about the row in which they
 * stand. */
static inline bool kanon__column_is_as_it_was(const kanon__column *column)
{
    return kanon__column_is_kept(column) && !column->permuted;
}

/* By row, in *class_of, the class of the cells that a release of the groups shows, negative where the row is not in it;
 * classes are numbered below *n. `kept`: suppressed records are released, too. */
kanon_status kanon__looks_of_rows(int32_t **class_of, int64_t *n, const kanon__data *data, const kanon_grouping *grouping,
                                  bool kept, kanon_error *err);
/* Of a release of the groups, whose permuted cells stand where `permutation` (NULL: anywhere in their groups, which does not
 * matter without an entity) says. `insensitive` (NULL: not wanted) become the numbers of the rows by their insensitive
 * columns that are not permuted, if they are counted. */
kanon_status kanon__singled_out_find(kanon__singled_out *out, kanon__row_numbers *insensitive, const kanon_table *table,
                                     const kanon_grouping *grouping, const kanon__permutation *permutation, int threads,
                                     kanon__ticker *ticker, kanon_error *err);
void kanon__singled_out_clear(kanon__singled_out *found);

#endif
