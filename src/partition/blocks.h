/* Blocks: a table that is too large for one run is cut (partition/gaps.h) into blocks, which are grouped one by one, in parallel,
 * as if each were a table of its own with the ranges and domains of the whole. What they leave over (KANON__LEFT_OVER) joins, in
 * record order, the group of any block whose loss it raises least. */
#ifndef KANON_PARTITION_BLOCKS_H
#define KANON_PARTITION_BLOCKS_H

#include "search/run.h"

typedef kanon_status (*kanon__grouper)(kanon__run *run, kanon_error *err);

/* Run the algorithm on blocks of at least `least` records each, where `least` is at least k. The result
 * does not depend on the number of threads. Fewer blocks run at a time where, at `row_bytes` a record, they would take more than
 * `most_bytes` together (0: any number). */
kanon_status kanon__blocks_run(kanon__run *run, int64_t least, int64_t row_bytes, int64_t most_bytes,
                               kanon__grouper algorithm, kanon_error *err);

#endif
