/* What is done with one block, wherever it is: blocks.c does it for all blocks of a table, pipeline/block_group.c for one
 * that stands alone in a process. Both share this, so that their groups are equal. */
#ifndef KANON_PARTITION_BLOCK_RUN_H
#define KANON_PARTITION_BLOCK_RUN_H

#include "search/run.h"

/* The function of an algorithm (algorithms/algorithm.h) or refinement (refine/refinement.h), which this folder must not
 * include. */
typedef kanon_status (*kanon__grouper)(kanon__run *run, kanon_error *err);

/* A refinement that is run on each block by itself. */
typedef struct kanon__block_refining {
    kanon__grouper run;
    const kanon__settings *settings;
} kanon__block_refining;

/* Every block has random numbers of its own. */
uint64_t kanon__block_seed(uint64_t seed, int64_t block);
/* Refine the groups of a block, those of its records that are not left over: these stay in no group. `n_whole` is the number
 * of records of the whole table. The groups are numbered anew, from 0. */
kanon_status kanon__block_refine(kanon__run *block, const kanon__block_refining *refining, int64_t n_whole,
                                 kanon_error *err);

#endif
