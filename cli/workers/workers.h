/* One release by several processes on this machine: kanon anonymize --workers. For tables of CSV that are larger than
 * memory: no process ever holds more than a part of the table or a block.
 *
 *     file -> parts -> domain -> cuts -> rows by block -> groups -> records left over -> released lines by part -> release
 *
 * The library decides (kanon_blocks.h); here rows and bytes are moved. The release is that of --blocks without
 * workers. */
#ifndef KANON_CLI_WORKERS_H
#define KANON_CLI_WORKERS_H

#include <kanon_blocks.h>

/* What is to be done; all of it is the caller's. */
typedef struct workers_order {
    const char *table;
    const char *release;               /* "-": standard output */
    const char *groups;                /* likewise, the group of each row; NULL: none */
    const kanon_schema *schema;        /* with the k that groups must have */
    const kanon_input *input;          /* the table, as the options say */
    const kanon_read_options *reading; /* threads, tick and domain are set here */
    const kanon_options *grouping;     /* likewise; blocks 0: chosen */
    kanon_numeric numeric;
    int64_t k;
    int workers;
    int64_t memory;                                           /* of all processes together; 0: any number */
    void (*warn)(const kanon_notice *notice, void *payload); /* what the user should know of the table */
    kanon_tick tick;
    void *payload; /* of both */
} workers_order;

/* What came of it. */
typedef struct workers_result {
    int64_t records, blocks;  /* blocks that there are */
    int64_t least;            /* records that a block has at least */
    kanon_measures *measures; /* those of the whole that can be had */
    kanon_domain *domain;     /* whose texts the measures name */
} workers_result;

/* The release is complete and checked, or nothing is written. No process and no file is left in any case. */
kanon_status workers_anonymize(workers_result *out, const workers_order *order, kanon_error *err);
void workers_result_clear(workers_result *result);

#endif
