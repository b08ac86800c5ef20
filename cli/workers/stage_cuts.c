/* The cuts, level by level, and the rows on their way to their block. Called by workers.c; calls kanon_blocks.h. */
#include "workers/worker_error.h"
#include "workers/workers_run.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cuts ---------------------------------------------------------------------------------------------------------- */

static kanon_status count_part(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    part_table rows = {0};
    kanon_counts *counts = NULL;
    exchange_file file = {.fd = -1};
    WORKER_TRY(part_table_read(&rows, run, part, err));
    WORKER_TRY(kanon_cuts_count(&counts, run->cuts, rows.table, err));
    WORKER_TRY(exchange_create(&file, &run->exchange, "counts", part, err));
    kanon_sink sink = exchange_sink(&file);
    st = exchange_finish(&file, kanon_counts_write(counts, &sink, err), err);
out:
    kanon_counts_free(counts);
    part_table_clear(&rows);
    return st;
}

static kanon_status merge_counts(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    workers_run *run = payload;
    kanon_counts *counts = NULL;
    void *bytes = NULL;
    size_t size;
    WORKER_TRY(exchange_load(&bytes, &size, &run->exchange, "counts", part, err));
    exchange_drop(&run->exchange, "counts", part);
    WORKER_TRY(kanon_counts_from_bytes(&counts, bytes, size, NULL, err));
    if (run->counts != NULL)
        WORKER_TRY(kanon_counts_merge(run->counts, counts, err));
    else {
        run->counts = counts;
        counts = NULL;
    }
out:
    kanon_counts_free(counts);
    free(bytes);
    return st;
}

/* ---- what fits ----------------------------------------------------------------------------------------------------- */

/* Bytes of a row as text, on average. */
static int64_t row_bytes(const workers_run *run)
{
    int64_t rows = kanon_domain_rows(run->domain);
    return rows > 0 ? (int64_t)run->was.st_size / rows + 1 : 1;
}

/* A worker has the text of a block twice when guests join it, and its released lines, which can be longer. */
static kanon_status block_bytes(int64_t *out, const workers_run *run, int64_t records, kanon_error *err)
{
    enum { COPIES = 4, LINES = 40 }; /* places, groups and sizes of its rows */
    int64_t bytes;
    kanon_status st = kanon_block_memory(&bytes, run->cuts, run->order->schema, &run->grouping, records, err);
    if (st == KANON_OK)
        *out = bytes + records * (COPIES * row_bytes(run) + LINES);
    return st;
}

static kanon_status refuse_block(const workers_run *run, int64_t records, int64_t bytes, kanon_error *err)
{
    const int64_t mega = 1 << 20;
    kanon_status st = worker_fail(err, KANON_ENOMEM,
                                  "a block of %" PRId64 " records needs about %" PRId64 "M of memory, more than the %" PRId64
                                  "M of each of %d workers",
                                  records, bytes / mega + 1, run->task_memory / mega, run->order->workers);
    if (err != NULL)
        err->topic = "memory";
    return worker_hint(err, st, "ask for smaller blocks or fewer workers, or allow more memory");
}

/* Blocks may come out larger than they have to be: the largest decides. */
static kanon_status check_memory(const workers_run *run, kanon_error *err)
{
    int64_t largest = 0, bytes = 0;
    for (int64_t i = 0; i < kanon_cuts_blocks(run->cuts); i++)
        largest = kanon_cuts_rows(run->cuts, i) > largest ? kanon_cuts_rows(run->cuts, i) : largest;
    kanon_status st = run->task_memory > 0 ? block_bytes(&bytes, run, largest, err) : KANON_OK;
    return st == KANON_OK && bytes > run->task_memory ? refuse_block(run, largest, bytes, err) : st;
}

/* Blocks of the usual size, unless these do not fit. Cuts are made for the question only: they cost nothing yet. */
static kanon_status choose_least(workers_run *run, kanon_error *err)
{
    enum { USUAL = 100000, LEAST = 2000, PER_K = 100, LARGEST = 3 }; /* a block may have about so many times the least */
    kanon_status st = KANON_OK;
    int64_t k = run->order->k, least = k * PER_K > LEAST ? k * PER_K : LEAST, bytes = 0;
    int64_t blocks = USUAL > least ? USUAL : least;
    if (run->grouping.blocks > 0)
        return KANON_OK;
    while (run->task_memory > 0) {
        int64_t rows = kanon_domain_rows(run->domain), records = LARGEST * blocks < rows ? LARGEST * blocks : rows;
        run->grouping.blocks = blocks;
        kanon_cuts_free(run->cuts);
        run->cuts = NULL;
        WORKER_TRY(kanon_cuts_new(&run->cuts, run->domain, blocks, err));
        WORKER_TRY(block_bytes(&bytes, run, records, err));
        if (bytes <= run->task_memory || blocks <= least)
            break;
        blocks = blocks / 2 > least ? blocks / 2 : least;
    }
    run->grouping.blocks = blocks;
out:
    kanon_cuts_free(run->cuts);
    run->cuts = NULL;
    return st;
}

/* ---- the levels ---------------------------------------------------------------------------------------------------- */

typedef struct sized_block {
    int64_t rows, block;
} sized_block;

static int by_falling_size(const void *left, const void *right)
{
    const sized_block *a = left, *b = right;
    if (a->rows != b->rows)
        return a->rows > b->rows ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

/* The largest first, so that no worker ends alone with a large one. */
static kanon_status order_blocks(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sized_block *order = NULL;
    int64_t n = run->n_blocks = kanon_cuts_blocks(run->cuts);
    WORKER_TRY(worker_new(&run->turn, n, sizeof *run->turn, err));
    WORKER_TRY(worker_new(&run->turn_rows, n, sizeof *run->turn_rows, err));
    WORKER_TRY(worker_new(&order, n, sizeof *order, err));
    for (int64_t i = 0; i < n; i++)
        order[i] = (sized_block){kanon_cuts_rows(run->cuts, i), i};
    qsort(order, (size_t)n, sizeof *order, by_falling_size);
    for (int64_t i = 0; i < n; i++) {
        run->turn[i] = order[i].block;
        run->turn_rows[i] = order[i].rows;
    }
out:
    free(order);
    return st;
}

kanon_status stage_cuts(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    worker_stage count = {.n_tasks = run->n_parts, .run = count_part, .done = merge_counts, .payload = run};
    WORKER_TRY(choose_least(run, err));
    WORKER_TRY(kanon_cuts_new(&run->cuts, run->domain, run->grouping.blocks, err));
    while (!kanon_cuts_done(run->cuts)) {
        int level = kanon_cuts_level(run->cuts);
        count.name = run->level_name[level % 2];
        snprintf(run->level_name[level % 2], sizeof run->level_name[0], "cutting, level %d", level);
        WORKER_TRY(worker_pool_run(&run->pool, &count, err));
        WORKER_TRY(kanon_cuts_next(run->cuts, run->counts, err));
        kanon_counts_free(run->counts);
        run->counts = NULL;
    }
    WORKER_TRY(check_memory(run, err));
    WORKER_TRY(order_blocks(run, err));
out:
    return st;
}

/* ---- rows to their blocks ------------------------------------------------------------------------------------------ */

typedef struct row_sorter {
    const int32_t *block_of;
    bundle rows;
    bundle_mark *next; /* by block: where its next row goes; NULL: rows are measured only */
    int64_t n_rows;
} row_sorter;

/* A row must be a row of its own in whatever block it comes to stand: with a line end, and not a blank line, which counts as
 * none at the end of a file. What is put in front of it and behind it; how many bytes that are. */
static size_t row_frame(const char **before, const char **after, const char *text, size_t size)
{
    bool ends = size > 0 && text[size - 1] == '\n', bare = size > 0 && text[size - 1] == '\r';
    *before = size == 0 || text[0] == '\n' || (text[0] == '\r' && size == 2 && ends) ? "\"\"" : "";
    *after = ends ? "" : bare ? "\r\n" : "\n"; /* a carriage return at the end of the file is text */
    return strlen(*before) + strlen(*after);
}

static int sort_row(int64_t row, const char *text, size_t size, void *payload)
{
    row_sorter *s = payload;
    const char *before, *after;
    int32_t block = s->block_of[row];
    size_t whole = size + row_frame(&before, &after, text, size);
    if (whole > UINT32_MAX)
        return 1;
    s->n_rows++;
    if (s->next == NULL) {
        s->rows.marks[block].byte += (int64_t)whole;
        s->rows.marks[block].line++;
        return 0;
    }
    bundle_mark *at = &s->next[block];
    char *to = s->rows.bytes + at->byte;
    memcpy(to, before, strlen(before));
    memcpy(to + strlen(before), text, size);
    memcpy(to + strlen(before) + size, after, strlen(after));
    s->rows.lines[at->line] = (bundle_line){(uint32_t)row, (uint32_t)whole};
    *at = (bundle_mark){at->byte + (int64_t)whole, at->line + 1};
    return 0;
}

static kanon_status visit_rows(row_sorter *s, const part_table *part, kanon_error *err)
{
    s->n_rows = 0;
    kanon_status st = kanon_table_row_texts(part->table, sort_row, s, err);
    if (st == KANON_ECANCELLED)
        return worker_fail(err, KANON_EDATA, "a row has more than 4 GiB");
    if (st == KANON_OK && s->n_rows != kanon_table_rows(part->table))
        return worker_fail(err, KANON_EINTERNAL, "a part of the table had another number of rows when it was read again");
    return st;
}

static bool ends_with_crlf(const char *text, size_t size)
{
    return size > 1 && text[size - 1] == '\n' && text[size - 2] == '\r';
}

/* Called for the first row alone. */
static int look_at_end(int64_t row, const char *text, size_t size, void *payload)
{
    (void)row;
    *(bool *)payload = ends_with_crlf(text, size);
    return 1;
}

/* The names of all columns, in quotes, with the delimiter of the table and the line end that its first line has. */
static kanon_status write_names(const workers_run *run, const kanon_table *first_part, kanon_error *err)
{
    exchange_file file;
    bool crlf = ends_with_crlf(run->first_bytes, (size_t)run->parts->header_size);
    kanon_status st = KANON_OK;
    if (run->parts->header_size == 0)
        st = kanon_table_row_texts(first_part, look_at_end, &crlf, err);
    if (st != KANON_OK && st != KANON_ECANCELLED)
        return st;
    st = exchange_create(&file, &run->exchange, "names", 0, err);
    if (st != KANON_OK)
        return st;
    for (int i = 0; i < kanon_table_columns(first_part); i++) {
        if (i > 0)
            exchange_write(&file, &run->parts->delimiter, 1);
        exchange_write(&file, "\"", 1);
        for (const char *at = kanon_table_column_name(first_part, i); *at != '\0'; at++)
            exchange_write(&file, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
        exchange_write(&file, "\"", 1);
    }
    exchange_write(&file, crlf ? "\r\n" : "\n", crlf ? 2 : 1);
    return exchange_finish(&file, st, err);
}

static kanon_status sort_part(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    part_table table = {0};
    int32_t *block_of = NULL;
    row_sorter s = {0};
    WORKER_TRY(part_table_read(&table, run, part, err));
    int64_t n = kanon_table_rows(table.table);
    WORKER_TRY(worker_new(&block_of, n, sizeof *block_of, err));
    WORKER_TRY(kanon_cuts_block_of(block_of, run->cuts, table.table, err));
    s.block_of = block_of;
    WORKER_TRY(bundle_init(&s.rows, run->n_blocks, n, err));
    WORKER_TRY(visit_rows(&s, &table, err));
    WORKER_TRY(bundle_sum(&s.rows, err));
    WORKER_TRY(worker_new(&s.next, run->n_blocks + 1, sizeof *s.next, err));
    memcpy(s.next, s.rows.marks, (size_t)(run->n_blocks + 1) * sizeof *s.next);
    WORKER_TRY(visit_rows(&s, &table, err));
    if (part == 0)
        WORKER_TRY(write_names(run, table.table, err));
    WORKER_TRY(bundle_write(&s.rows, &run->exchange, "rows", part, err));
out:
    free(s.next);
    bundle_clear(&s.rows);
    free(block_of);
    part_table_clear(&table);
    return st;
}

static kanon_status count_rows(int64_t part, void *payload, kanon_error *err)
{
    workers_run *run = payload;
    bundle_mark *own = NULL;
    kanon_status st = worker_new(&own, run->n_blocks, sizeof *own, err);
    if (st == KANON_OK)
        st = bundle_count(own, run->n_blocks, &run->exchange, "rows", part, err);
    for (int64_t i = 0; st == KANON_OK && i < run->n_blocks; i++) {
        run->block_lines[i].byte += own[i].byte;
        run->block_lines[i].line += own[i].line;
        run->part_rows[part] += own[i].line;
    }
    free(own);
    return st;
}

/* No row is lost, none is doubled: the cuts were counted apart from this. */
static kanon_status check_rows(const workers_run *run, kanon_error *err)
{
    int64_t n = 0;
    for (int64_t i = 0; i < run->n_blocks; i++) {
        n += run->block_lines[i].line;
        if (run->block_lines[i].line != kanon_cuts_rows(run->cuts, i))
            return worker_fail(err, KANON_EINTERNAL, "the check found another number of rows in a block than was counted");
    }
    if (n != kanon_domain_rows(run->domain))
        return worker_fail(err, KANON_EINTERNAL, "the check found rows missing in the blocks");
    return KANON_OK;
}

kanon_status stage_rows(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    worker_stage sort = {
        .name = "sorting rows", .n_tasks = run->n_parts, .run = sort_part, .done = count_rows, .payload = run};
    WORKER_TRY(worker_new(&run->block_lines, run->n_blocks, sizeof *run->block_lines, err));
    WORKER_TRY(worker_new(&run->part_rows, run->n_parts, sizeof *run->part_rows, err));
    WORKER_TRY(worker_pool_run(&run->pool, &sort, err));
    WORKER_TRY(check_rows(run, err));
    WORKER_TRY(exchange_load(&run->names, &run->names_size, &run->exchange, "names", 0, err));
out:
    return st;
}
