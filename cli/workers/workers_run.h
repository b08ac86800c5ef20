/* What the stages of a run with workers share. A stage reads what the stages before it left here, and workers see it as
 * it was when their stage began. Files of the exchange folder, by kind:
 *
 *     count-PART, counts-PART            until they are merged
 *     read-PART, domain-PART             the codes of a part and what they mean, as they were read
 *     codes-PART                         the codes of a part in the domain of the whole, from the first level of cuts on
 *     names-0                            the header line of all blocks
 *     rows-PART                          a bundle: the rows of a part, by block
 *     grouped-BLOCK                      by row of the block: its group, 0 for a suppressed record, or LEFT_OVER
 *     boxes-BLOCK                        kanon_block_groups
 *     rest-BLOCK, left-BLOCK, offers-BLOCK, tally-BLOCK     until they are merged
 *     lines-BLOCK                        a bundle: the released lines of a block, by part
 *     head-0                             the header line of the release, and which columns are quasi-identifiers
 *     leads-BLOCK                        a bundle: the first row of each row's group, by part
 *     lead-PART, grouplines-PART         the same by row of a part; the lines of the groups file
 *     first-PART                         which rows are the first ones of their groups, until the driver has it
 *     classes-PART                       a bundle: what the quasi cells of the finished release look like, by bucket */
#ifndef KANON_CLI_WORKERS_RUN_H
#define KANON_CLI_WORKERS_RUN_H

#include "workers/bundle.h"
#include "workers/release_file.h"
#include "workers/worker_pool.h"
#include "workers/workers.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Bytes that every process takes by itself; kanon_block_memory counts them, too. */
enum { WORKER_PROCESS = 16 << 20 };

/* Instead of a group: the record is in none yet. */
enum { LEFT_OVER = -1 };

/* A record left over, in the block where it is released. */
typedef struct guest {
    int64_t block, group;
    int64_t place;
    const char *line; /* in the lines of the block that it comes from */
    uint32_t size;
} guest;

typedef struct workers_run {
    const workers_order *order;
    worker_pool pool;
    exchange exchange;
    int64_t task_memory; /* bytes that a task may take; 0: any number */
    /* the table */
    int table;
    struct stat was; /* when it was opened */
    kanon_csv_parts *parts;
    int64_t n_parts;
    int64_t *first_row; /* by part, and one more */
    char *first_bytes;  /* its header, as it stands in the file */
    kanon_domain *domain;
    int64_t *part_rows; /* by part */
    bool has_codes;     /* in the domain of the whole */
    /* blocks */
    kanon_options grouping; /* of a block */
    kanon_cuts *cuts;
    char level_name[2][32]; /* of this level and the one before, which progress remembers: each is a stage of its own */
    kanon_counts *counts;   /* of the level at hand */
    int64_t n_blocks;
    int64_t *turn, *turn_rows; /* by task: its block, the largest first, and how many records that has */
    void *names;               /* the header line of blocks */
    size_t names_size;
    bundle_mark *block_lines; /* by block: what it has in all parts */
    /* records left over */
    kanon_rest *rest;
    kanon_offers *offers;
    bundle *left;         /* by block: their lines */
    int64_t n_suppressed; /* by the algorithm: they are in no release */
    guest *guests;        /* by block, then place */
    int64_t *first_guest; /* by block, and one more */
    /* the release */
    release_file release, groups;
    kanon_tally *tally;
    bundle_mark *part_lines; /* by part: what it has of all blocks */
    int64_t *line_begin;     /* by part, and one more: where it stands in the release */
    void *head;
    size_t head_size;
    int64_t n_buckets;
    bundle_mark *bucket_lines; /* by bucket */
    uint64_t key[2];           /* of the check's hashes */
    struct {
        int64_t *begin;  /* by part, and one more: its first word */
        uint64_t *bits;  /* by row of each part: whether it is the first one of its group */
        int64_t *before; /* by word: how many are set before it */
    } first_rows;
} workers_run;

/* Stages, in order. Each ends with everything that it promises above. */
kanon_status stage_domain(workers_run *run, kanon_error *err);
kanon_status stage_cuts(workers_run *run, kanon_error *err);
kanon_status stage_rows(workers_run *run, kanon_error *err);
kanon_status stage_groups(workers_run *run, kanon_error *err);
kanon_status stage_rest(workers_run *run, kanon_error *err);
kanon_status stage_lines(workers_run *run, kanon_error *err);
kanon_status stage_assembly(workers_run *run, kanon_error *err);
kanon_status stage_recount(workers_run *run, kanon_error *err);
kanon_status stage_group_file(workers_run *run, kanon_error *err);

/* The place of a part's first row; places are row numbers. */
int64_t part_place(const workers_run *run, int64_t part);
/* The part that a place lies in, not before `from`: places rise. */
int64_t part_of_place(const workers_run *run, int64_t place, int64_t from);
/* The header and the rows of a part as they stand in the file. */
kanon_status part_bytes_read(char **out, size_t *size, const workers_run *run, int64_t part, kanon_error *err);
/* The codes of its rows, sealed. */
kanon_status part_codes_read(kanon_codes **out, const workers_run *run, int64_t part, kanon_error *err);
/* A table of this row alone, to be asked about its columns. */
kanon_status part_columns_read(kanon_table **out, const workers_run *run, const char *row, size_t size, kanon_error *err);

/* Write a piece to a file of the exchange folder, and read it again. */
kanon_status piece_keep(const workers_run *run, const kanon_piece *piece, const char *kind, int64_t number,
                        kanon_error *err);
kanon_status piece_load(kanon_piece **out, const workers_run *run, const char *kind, int64_t number, kanon_error *err);
/* Merge *piece into *whole or, where there is none yet, make it that one: *piece is NULL then. */
kanon_status piece_join(kanon_piece **whole, kanon_piece **piece, kanon_error *err);
/* Both, and the file is not needed any more. */
kanon_status piece_take(kanon_piece **whole, const workers_run *run, const char *kind, int64_t number, kanon_error *err);

/* The rows of a block: a CSV of their own, in the order of their places. */
typedef struct block_text {
    char *bytes; /* the header line, then the rows */
    int64_t size;
    bundle_line *lines; /* by row; their slots are used up */
    int64_t *places;    /* by row, rising */
    int64_t n_rows;
} block_text;
kanon_status block_text_read(block_text *out, const workers_run *run, int64_t block, kanon_error *err);
void block_text_clear(block_text *text);
/* Read it as a table of the whole's domain. */
kanon_status block_text_table(kanon_table **out, const block_text *text, const workers_run *run, kanon_error *err);
/* By row of a block as it is released: the first row of its group, for the groups file. Nothing where none is asked for. */
kanon_status block_leads_write(const workers_run *run, const block_text *text, const int64_t *group_of, int64_t block,
                               kanon_error *err);

#endif
