/* See block_run.h. A refinement knows no records without a group, so those left over are taken out before it: a run on the
 * others (row_run.h). They are placed when the groups are as they stay. */
#include "partition/block_run.h"

#include "core/alloc.h"
#include "model/grouping.h"
#include "partition/row_run.h"

uint64_t kanon__block_seed(uint64_t seed, int64_t block)
{
    kanon__random random;
    kanon__random_init(&random, seed, (uint64_t)block);
    return kanon__random_next(&random);
}

/* Groups get the numbers 0 .. n_groups - 1 by their first rows, as refinements want them. */
static kanon_status refine_run(kanon__run *run, const kanon__block_refining *refining, int64_t n_whole, kanon_error *err)
{
    int64_t n_groups = run->n_groups;
    kanon_status st = kanon__grouping_renumber(run->group_of, run->table->n_rows, &n_groups, err);
    if (st != KANON_OK)
        return st;
    kanon__run refined = *run;
    refined.n_groups = (int32_t)n_groups;
    refined.settings = refining->settings;
    refined.n_whole = n_whole;
    refined.in_blocks = true;
    refined.leave_rest = false;
    refined.repeat = NULL; /* blocks that are stopped were not all at the same move */
    st = refining->run(&refined, err);
    run->n_groups = refined.n_groups;
    run->stopped = run->stopped || refined.stopped;
    return st;
}

/* The records that have a group, as a run of their own. */
static kanon_status refine_some(kanon__run *block, int64_t n, const kanon__block_refining *refining, int64_t n_whole,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *rows = NULL, *group_of = NULL;
    kanon__row_run part = {0};
    int64_t at = 0;
    KANON_TRY(kanon__new_array(&rows, n, "a block", err), out);
    KANON_TRY(kanon__new_array(&group_of, n, "a block", err), out);
    for (int64_t row = 0; row < block->table->n_rows; row++)
        if (block->group_of[row] >= 0)
            rows[at++] = (int32_t)row;
    KANON_TRY(kanon__row_run_init(&part, block, rows, n, group_of, err), out);
    for (int64_t i = 0; i < n; i++)
        group_of[i] = block->group_of[rows[i]];
    part.run.n_groups = block->n_groups;
    KANON_TRY(refine_run(&part.run, refining, n_whole, err), out);
    for (int64_t i = 0; i < n; i++)
        block->group_of[rows[i]] = group_of[i];
    block->n_groups = part.run.n_groups;
    block->stopped = block->stopped || part.run.stopped;
out:
    kanon__row_run_clear(&part);
    kanon__free(group_of);
    kanon__free(rows);
    return st;
}

kanon_status kanon__block_refine(kanon__run *block, const kanon__block_refining *refining, int64_t n_whole, kanon_error *err)
{
    int64_t n = 0;
    for (int64_t row = 0; row < block->table->n_rows; row++)
        n += block->group_of[row] >= 0;
    return n == block->table->n_rows ? refine_run(block, refining, n_whole, err)
                                     : refine_some(block, n, refining, n_whole, err);
}
