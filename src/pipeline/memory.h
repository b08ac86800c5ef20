/* The block plan: how much memory and time a run will need, and whether to group in blocks because of that.
 *
 * Both are known before the run: memory from the sizes of the table and the bytes per record that the descriptor of the
 * algorithm states, time from its records per minute. A run that cannot fit into --memory is refused before the work begins,
 * with what would fit. test_conformance.c holds the estimates against what is allocated. */
#ifndef KANON_PIPELINE_MEMORY_H
#define KANON_PIPELINE_MEMORY_H

#include "algorithms/algorithm.h"

/* How the records are grouped: all at once, or in blocks. */
typedef struct kanon__block_plan {
    int64_t least_records; /* the fewest records of a block; 0: all at once */
    int64_t row_bytes;     /* that a record of a running block takes */
    int64_t block_bytes;   /* that all running blocks may take together; 0: any number */
} kanon__block_plan;

/* What the plan is for: everything that takes memory. */
typedef struct kanon__workload {
    const kanon__algorithm *algorithm;
    const char *then;      /* the step after the algorithm that takes most memory; NULL: there is none */
    const char *instead;   /* how to do without it */
    int64_t then_bytes;    /* that it takes on the whole table */
    bool then_in_blocks;   /* in blocks it gets one block at a time, and only what follows gets the whole table: */
    int64_t at_last_bytes; /* what that takes */
    int64_t row_bytes;     /* that a record of a running block takes, in either step */
    const kanon__data *table;
    int64_t k;
    int threads;
    bool means; /* the release has the means of numbers */
    bool typed; /* it is a Parquet file or a table of a database */
    bool shuffled;
    bool whole; /* blocks are not possible: attribute-level recoding looks at all records */
} kanon__workload;

/* The plan for `asked` blocks (0: as it fits time and memory; KANON_BLOCKS_NONE) within `memory` bytes (0: any number).
 * KANON_ENOMEM where nothing fits, with what would. */
kanon_status kanon__block_plan_choose(kanon__block_plan *out, const kanon__workload *work, int64_t asked, int64_t memory,
                                      kanon_error *err);

#endif
