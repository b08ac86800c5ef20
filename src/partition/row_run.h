/* A run on some rows of a table, as if they were a table of their own.
 *
 * Blocks, the strips algorithm, entities that stay together and the drift of a state group a part of the rows. Each
 * needs the same four things: a table of the part, a space over it, the constraints bound to it, and a
 * run that points to all three. The part has the ranges and domains of the whole table, so costs in it are costs in the
 * whole.
 *
 *     rows    4 9 11          rows of the whole table, in any order
 *     part    0 1  2          rows of the part: group_of is by these */
#ifndef KANON_PARTITION_ROW_RUN_H
#define KANON_PARTITION_ROW_RUN_H

#include "search/run.h"

/* It points into itself: do not copy it. */
typedef struct kanon__row_run {
    kanon__run run; /* what the algorithm gets */
    kanon__data table;
    kanon__space *space;
    kanon__constraints constraints; /* unused where the whole run has none */
} kanon__row_run;

/* out->run is the whole run on the given rows, without groups and recode maps: group_of, n entries, is the caller's. It may
 * suppress its share of what the whole may suppress, rounded down, so that parts together keep the budget. All else is as in
 * `whole`, which needs no space; the caller may change it. Call kanon__row_run_clear also after a failure. */
kanon_status kanon__row_run_init(kanon__row_run *out, const kanon__run *whole, const int32_t *rows, int64_t n,
                                 int32_t *group_of, kanon_error *err);
void kanon__row_run_clear(kanon__row_run *part);

#endif
