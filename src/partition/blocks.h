/* Blocks: a large table is partitioned, and the blocks are grouped one by one, in parallel.
 *
 * Most algorithms take more than linear time or memory. Blocks bound both, for a little loss at their borders: the table
 * is cut where groups would hardly cross (partition/gaps.h), and each block is grouped as a table of its own with the
 * ranges and domains of the whole (partition/row_run.h). What the blocks leave over joins the best group of any block.
 *
 *     1 cut the table at gaps -> 2 group each block, on several threads; refine each -> 3 number the groups block by block
 *     -> 4 place the records left over, in record order, as if there were no blocks
 *
 * The result does not depend on the number of threads: the cuts do not, and every block has its own stream of random
 * numbers. */
#ifndef KANON_PARTITION_BLOCKS_H
#define KANON_PARTITION_BLOCKS_H

#include "partition/block_run.h"

/* What is to be done in blocks. */
typedef struct kanon__block_work {
    int64_t least;      /* records of a block, at least k */
    int64_t row_bytes;  /* that a record of a running block takes */
    int64_t most_bytes; /* that all running blocks may take together, so that fewer run at a time; 0: any number */
    kanon__grouper algorithm;
    kanon__block_refining refining; /* run NULL: blocks are not refined here */
    kanon__ticker *refining_ticker; /* for the time of refining */
} kanon__block_work;

/* Run the algorithm on blocks. Where there is a refinement and more than one block, each block is refined, too, and *refined
 * (may be NULL) is true. */
kanon_status kanon__blocks_run(kanon__run *run, const kanon__block_work *work, bool *refined, kanon_error *err);

#endif
