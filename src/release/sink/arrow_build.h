/* What the parts that build an Arrow release (arrow_release.h) share:
 *
 *     arrow_release.c   which columns there are, the order of the steps, batches
 *     arrow_entries.c   what every group, or every code of a kept column, shows: computed once, one task per column
 *     arrow_fill.c      the rows of a batch, from entries or from the cells of the source
 *     arrow_kept.c      columns of an Arrow table that are released as they are
 *
 *     entries of age_min, by group   22  31  -  45          group_of   0  0  2  1  ...
 *                                                           age_min   22 22  - 31  ... */
#ifndef KANON_RELEASE_SINK_ARROW_BUILD_H
#define KANON_RELEASE_SINK_ARROW_BUILD_H

#include "release/extent.h"
#include "release/sink/arrow_kept.h"
#include "release/sink/arrow_release.h"

/* What a column shows, by group or by code. */
typedef struct kanon__arrow_entries {
    int width;                 /* bytes of a value; 0: texts */
    char *values;              /* or the bytes of the texts */
    int64_t *ends;             /* of texts: where each ends */
    int64_t n_bytes, capacity; /* of texts, while they are made */
    bool *valid;
    bool all_valid;
    bool truths;                 /* values of one byte, 0 or 1, which become bits */
    kanon__arrow_memory *labels; /* of a dictionary: offsets and bytes; NULL: none */
    int64_t n_labels;
} kanon__arrow_entries;

/* Where the rows of a released column come from. */
typedef enum kanon__arrow_origin {
    KANON__ARROW_BY_GROUP, /* entries, by group */
    KANON__ARROW_BY_CODE,  /* entries, by code */
    KANON__ARROW_CELLS,    /* texts of the source's cells */
    KANON__ARROW_KEPT      /* buffers of an Arrow table */
} kanon__arrow_origin;

typedef struct kanon__arrow_released {
    kanon__arrow_origin origin;
    int number;  /* of the table's column */
    int quasi;   /* its place among the quasi columns; -1: kept */
    bool is_max; /* NAME_max, which is entered with NAME_min, the column before */
    const kanon__permuted_column *permuted; /* NULL: every row shows its own cell */
    int32_t *rows; /* of a permuted column, by place in the release: the row whose cell stands there */
    kanon__arrow_entries entries;
    kanon__arrow_kept kept;
} kanon__arrow_released;

typedef struct kanon__arrow_build {
    const kanon__arrow_plan *plan;
    const kanon_table *table;
    const kanon__arrow_source *source; /* NULL: the table is not from Arrow */
    kanon__extents *extents;           /* of the columns that are being entered */
    kanon__arrow_released *columns;
    int64_t n_released; /* rows */
    int n_cells;        /* columns of origin KANON__ARROW_CELLS */
    int64_t *positions; /* of the source's rows, where they are read in another order */
    bool aside;         /* batches lie in temporary files */
    kanon__arrow_batches *out;
    kanon__shared_ticker ticker;
} kanon__arrow_build;

/* The rows of a batch, as numbers in the order of the release. */
typedef struct kanon__arrow_range {
    int64_t begin, n;
} kanon__arrow_range;

/* Whether the column shows one number for each group, its mean. */
static inline bool kanon__arrow_shows_means(const kanon__arrow_build *build, const kanon__column *column)
{
    return build->plan->numeric == KANON_NUMERIC_MEAN && column->domain->type != KANON_TYPE_ORDINAL;
}

/* Whether a category is a truth value of an Arrow table without a taxonomy of its own, which stays one: null says
 * "either". */
bool kanon__arrow_is_truth(const kanon_table *table, int column);
/* Find what column `i` of the release shows; NAME_max is found with NAME_min. A task of a pool, whose payload is the
 * build. */
kanon_status kanon__arrow_enter_column(int64_t i, void *build, kanon_error *err);
void kanon__arrow_entries_clear(kanon__arrow_entries *entries);

/* The rows of a column with entries. */
kanon_status kanon__arrow_fill_entries(const kanon__arrow_build *build, const kanon__arrow_released *column,
                                       kanon__arrow_range range, struct ArrowArray *out, kanon_error *err);
/* All columns of cells of a batch, so that its rows are read once. */
kanon_status kanon__arrow_fill_cells(const kanon__arrow_build *build, kanon__arrow_range range, struct ArrowArray *batch,
                                     kanon_error *err);

#endif
