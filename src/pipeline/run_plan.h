/* The plan of a run: what the options and the schema ask for, made out and checked before any record is grouped. Which
 * algorithm and refinement, their settings, k, constraints, what may be suppressed, blocks. */
#ifndef KANON_PIPELINE_RUN_PLAN_H
#define KANON_PIPELINE_RUN_PLAN_H

#include "algorithms/algorithm.h"
#include "model/grouping.h"
#include "pipeline/memory.h"
#include "refine/refinement.h"

typedef struct kanon__plan {
    const kanon__algorithm *algorithm;
    const kanon__refinement *refinement; /* NULL: none */
    kanon__settings settings, refining;  /* of the two */
    int64_t k, may_suppress;             /* as in kanon__run */
    kanon__constraints *constraints;     /* NULL: none */
    kanon__block_plan blocks;
    bool compare;                /* also measure the loss without what is asked in addition to k */
    bool recode;                 /* one mapping per attribute */
    const kanon_grouping *start; /* groups to be made better, in place of the algorithm; NULL: none */
    bool repair;                 /* as far as they do not satisfy what is asked */
} kanon__plan;

/* The algorithm that runs where none is named. */
#define KANON__DEFAULT_ALGORITHM "auto"

/* KANON_EINVAL: no entry of `list` has this name; the hint has the nearest one, or all. `what`: "algorithm" or
 * "refinement". */
kanon_status kanon__fail_unknown_name(const char *what, const char *name, const kanon__entry *(*list)(size_t i),
                                      kanon_error *err);
/* `options` is complete (core/take_options.h). All that can be refused is refused here. */
kanon_status kanon__plan_make(kanon__plan *out, const kanon_table *table, const kanon_options *options, kanon_error *err);
void kanon__plan_clear(kanon__plan *plan);
/* The run that the plan is for; space, groups and texts are the caller's. */
kanon__run kanon__plan_run(const kanon__plan *plan, const kanon_table *table, const kanon_options *options,
                           kanon__ticker *ticker);
/* Whether blocks are refined one by one, before the records left over are placed: a refinement of all records at once would
 * take memory for all of them. Not where a clock decides, nor where records are suppressed or repaired before. */
bool kanon__plan_refines_blocks(const kanon__plan *plan);
/* What a record of a running block takes. */
int64_t kanon__plan_row_bytes(const kanon__plan *plan, const kanon__data *table);
/* Write down how the grouping was made. */
kanon_status kanon__plan_record(kanon_grouping *grouping, const kanon__plan *plan, const kanon__run *run, kanon_error *err);

#endif
