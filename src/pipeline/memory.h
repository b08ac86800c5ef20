/* How much memory a run will need, from the sizes of the table at hand, and what to do where that is more than it may use. */
#ifndef KANON_PIPELINE_MEMORY_H
#define KANON_PIPELINE_MEMORY_H

#include "algorithms/algorithm.h"

/* How the records are to be grouped: all at once, or in blocks. */
typedef struct kanon__block_plan {
    int64_t least_records; /* the fewest records of a block; 0: all at once */
    int64_t block_bytes;   /* that all running blocks may take together; 0: any number */
} kanon__block_plan;

/* What is to be run, as far as it takes memory. */
typedef struct kanon__workload {
    const kanon__algorithm *algorithm;
    const char *then;    /* the step after the algorithm that takes most memory; NULL: there is none */
    const char *instead; /* how to do without it */
    int64_t then_bytes;  /* that it takes: it gets the whole table, with or without blocks */
    const kanon_table *table;
    int64_t k;
    int threads;
    bool whole; /* it cannot be done in blocks */
} kanon__workload;

/* The plan for `asked` blocks (0: as it fits time and memory; KANON_BLOCKS_NONE) within `memory` bytes (0: any number).
 * KANON_ENOMEM where nothing fits, with what would. */
kanon_status kanon__block_plan_choose(kanon__block_plan *out, const kanon__workload *work, int64_t asked, int64_t memory,
                                      kanon_error *err);

#endif
