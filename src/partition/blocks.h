/* Blocks: a large table is partitioned, and the blocks are grouped one by one, in parallel.
 *
 * Most algorithms take more than linear time or memory. Blocks bound both, for a little loss at their borders: the table
 * is cut where groups would hardly cross (partition/gaps.h), and each block is grouped as a table of its own with the
 * ranges and domains of the whole (partition/row_run.h). What the blocks leave over joins the best group of any block.
 *
 *     1 cut the table at gaps -> 2 group each block, on several threads -> 3 number the groups block by block
 *     -> 4 place the records left over, in record order, as if there were no blocks
 *
 * The result does not depend on the number of threads: the cuts do not, and every block has its own stream of random
 * numbers.
 * Called by pipeline/anonymize.c and algorithms/auto.c. */
#ifndef KANON_PARTITION_BLOCKS_H
#define KANON_PARTITION_BLOCKS_H

#include "search/run.h"

/* The function of an algorithm (algorithms/algorithm.h), which this folder must not include. */
typedef kanon_status (*kanon__grouper)(kanon__run *run, kanon_error *err);

/* Run the algorithm on blocks of at least `least` records each, where `least` is at least k. Fewer blocks run at a time
 * where, at `row_bytes` a record, they would take more than `most_bytes` together (0: any number). */
kanon_status kanon__blocks_run(kanon__run *run, int64_t least, int64_t row_bytes, int64_t most_bytes,
                               kanon__grouper algorithm, kanon_error *err);

#endif
