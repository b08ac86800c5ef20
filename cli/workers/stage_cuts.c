/* The cuts, level by level, and the rows on their way to their block. */
#include "workers/csv_lines.h"
#include "workers/worker_error.h"
#include "workers/workers_run.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cuts ---------------------------------------------------------------------------------------------------------- */

/* Codes know how far down their records are; those in the folder need not be the latest. */
static bool are_kept(const workers_run *run)
{
    enum { EVERY = 3 }; /* levels: to walk three steps costs as much as to write */
    return !run->has_codes || kanon_cuts_level(run->cuts) % EVERY == 0;
}

static kanon_status count_part(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    kanon_codes *codes = NULL;
    kanon_counts *counts = NULL;
    WORKER_TRY(part_codes_read(&codes, run, part, err));
    WORKER_TRY(kanon_codes_count(&counts, codes, run->cuts, err));
    if (are_kept(run))
        WORKER_TRY(piece_keep(run, codes, "codes", part, err));
    WORKER_TRY(piece_keep(run, counts, "counts", part, err));
out:
    kanon_piece_free(counts);
    kanon_piece_free(codes);
    return st;
}

static kanon_status merge_counts(int64_t part, void *payload, kanon_error *err)
{
    workers_run *run = payload;
    return piece_take(&run->counts, run, "counts", part, err);
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
        kanon_piece_free(run->cuts);
        run->cuts = NULL;
        WORKER_TRY(kanon_cuts_new(&run->cuts, run->domain, blocks, err));
        WORKER_TRY(block_bytes(&bytes, run, records, err));
        if (bytes <= run->task_memory || blocks <= least)
            break;
        blocks = blocks / 2 > least ? blocks / 2 : least;
    }
    run->grouping.blocks = blocks;
out:
    kanon_piece_free(run->cuts);
    run->cuts = NULL;
    return st;
}

/* What the codes were made of is not needed any more. */
static void drop_parts(workers_run *run, const char *kind)
{
    for (int64_t part = 0; part < run->n_parts; part++)
        exchange_drop(&run->exchange, kind, part);
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
        if (!run->has_codes) {
            drop_parts(run, "read");
            drop_parts(run, "domain");
        }
        run->has_codes = true;
        WORKER_TRY(kanon_cuts_next(run->cuts, run->counts, err));
        kanon_piece_free(run->counts);
        run->counts = NULL;
    }
    WORKER_TRY(check_memory(run, err));
    WORKER_TRY(order_blocks(run, err));
out:
    return st;
}

/* ---- rows to their blocks ------------------------------------------------------------------------------------------ */

/* A row must be a row of its own in whatever block it comes to stand: with a line end, and not a blank line, which counts as
 * none at the end of a file. What is put in front of it and behind it; how many bytes it then has. */
typedef struct framed_row {
    const char *before, *text, *after;
    size_t size; /* of the text */
    size_t whole;
} framed_row;

static framed_row frame_row(const char *text, size_t size)
{
    bool ends = size > 0 && text[size - 1] == '\n', bare = size > 0 && text[size - 1] == '\r';
    framed_row row = {.text = text, .size = size};
    row.before = size == 0 || text[0] == '\n' || (text[0] == '\r' && size == 2 && ends) ? "\"\"" : "";
    row.after = ends ? "" : bare ? "\r\n" : "\n"; /* a carriage return at the end of the file is text */
    row.whole = size + strlen(row.before) + strlen(row.after);
    return row;
}

static void put_row(char *to, const framed_row *row)
{
    size_t before = strlen(row->before);
    memcpy(to, row->before, before);
    memcpy(to + before, row->text, row->size);
    memcpy(to + before + row->size, row->after, strlen(row->after));
}

/* The rows of a part on their way to their blocks. */
typedef struct row_sorter {
    const char *rows, *end;
    int32_t *block_of;
    int64_t n;
    bundle sorted;
    bundle_mark *next; /* by block: where its next row goes; NULL: rows are measured only */
} row_sorter;

static kanon_status sort_row(row_sorter *s, int64_t row, const char *text, size_t size, kanon_error *err)
{
    int32_t block = s->block_of[row];
    framed_row framed = frame_row(text, size);
    if (framed.whole > UINT32_MAX)
        return worker_fail(err, KANON_EDATA, "a row has more than 4 GiB");
    if (s->next == NULL) {
        s->sorted.marks[block].byte += (int64_t)framed.whole;
        s->sorted.marks[block].line++;
        return KANON_OK;
    }
    bundle_mark *at = &s->next[block];
    put_row(s->sorted.bytes + at->byte, &framed);
    s->sorted.lines[at->line] = (bundle_line){(uint32_t)row, (uint32_t)framed.whole};
    *at = (bundle_mark){at->byte + (int64_t)framed.whole, at->line + 1};
    return KANON_OK;
}

/* Whoever read the rows found no quote where none may stand, so line ends outside quotes end them. Behind the last one there
 * may be blank lines at the end of the file. */
static kanon_status visit_rows(row_sorter *s, kanon_error *err)
{
    const char *at = s->rows;
    for (int64_t row = 0; row < s->n; row++) {
        const char *next = csv_line_end(at, s->end);
        kanon_status st = at < s->end ? sort_row(s, row, at, (size_t)(next - at), err)
                                      : worker_fail(err, KANON_EINTERNAL, "the check found rows of a part missing");
        if (st != KANON_OK)
            return st;
        at = next;
    }
    for (; at < s->end; at++)
        if (*at != '\n' && *at != '\r')
            return worker_fail(err, KANON_EINTERNAL, "the check found more rows in a part than were read");
    return KANON_OK;
}

static bool ends_with_crlf(const char *text, size_t size)
{
    return size > 1 && text[size - 1] == '\n' && text[size - 2] == '\r';
}

static void write_name(exchange_file *file, const char *name)
{
    exchange_write(file, "\"", 1);
    for (const char *at = name; *at != '\0'; at++)
        exchange_write(file, *at == '"' ? "\"\"" : at, *at == '"' ? 2 : 1);
    exchange_write(file, "\"", 1);
}

/* The names of all columns, in quotes, with the delimiter of the table and the line end that its first line has. */
static kanon_status write_names(const workers_run *run, const row_sorter *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    exchange_file file;
    kanon_table *table = NULL;
    char *bytes = NULL;
    framed_row first = frame_row(s->rows, (size_t)(csv_line_end(s->rows, s->end) - s->rows));
    bool crlf = run->parts->header_size > 0 ? ends_with_crlf(run->first_bytes, (size_t)run->parts->header_size)
                                            : ends_with_crlf(first.text, first.size);
    WORKER_TRY(worker_new(&bytes, (int64_t)first.whole, 1, err));
    put_row(bytes, &first);
    WORKER_TRY(part_columns_read(&table, run, bytes, first.whole, err));
    WORKER_TRY(exchange_create(&file, &run->exchange, "names", 0, err));
    for (size_t i = 0; kanon_table_column_at(table, i) != NULL; i++) {
        if (i > 0)
            exchange_write(&file, run->parts->delimiter, 1);
        write_name(&file, kanon_table_column_at(table, i)->name);
    }
    exchange_write(&file, crlf ? "\r\n" : "\n", crlf ? 2 : 1);
    st = exchange_finish(&file, st, err);
out:
    kanon_table_free(table);
    free(bytes);
    return st;
}

/* The block of each row of a part. */
static kanon_status find_blocks(row_sorter *s, const workers_run *run, int64_t part, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_codes *codes = NULL;
    WORKER_TRY(part_codes_read(&codes, run, part, err));
    s->n = kanon_codes_rows(codes);
    WORKER_TRY(worker_new(&s->block_of, s->n, sizeof *s->block_of, err));
    WORKER_TRY(kanon_codes_block_of(s->block_of, codes, run->cuts, err));
out:
    kanon_piece_free(codes);
    return st;
}

static kanon_status sort_part(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    char *bytes = NULL;
    size_t size;
    row_sorter s = {0};
    WORKER_TRY(find_blocks(&s, run, part, err));
    WORKER_TRY(part_bytes_read(&bytes, &size, run, part, err));
    s.rows = bytes + run->parts->header_size;
    s.end = bytes + size;
    WORKER_TRY(bundle_init(&s.sorted, run->n_blocks, s.n, err));
    WORKER_TRY(visit_rows(&s, err));
    WORKER_TRY(bundle_sum(&s.sorted, err));
    WORKER_TRY(worker_new(&s.next, run->n_blocks + 1, sizeof *s.next, err));
    memcpy(s.next, s.sorted.marks, (size_t)(run->n_blocks + 1) * sizeof *s.next);
    WORKER_TRY(visit_rows(&s, err));
    if (part == 0)
        WORKER_TRY(write_names(run, &s, err));
    WORKER_TRY(bundle_write(&s.sorted, &run->exchange, "rows", part, err));
out:
    free(s.next);
    bundle_clear(&s.sorted);
    free(s.block_of);
    free(bytes);
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
    drop_parts(run, "codes");
    drop_parts(run, "read");
    drop_parts(run, "domain");
    WORKER_TRY(exchange_load(&run->names, &run->names_size, &run->exchange, "names", 0, err));
out:
    return st;
}
