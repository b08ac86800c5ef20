/* The blocks are grouped, each by a worker; what is left over in them comes back to the driver. Also how the rows of a
 * block are read, here and for the release. */
#include "workers/worker_error.h"
#include "workers/workers_run.h"

#include <stdlib.h>
#include <string.h>

/* ---- the rows of a block ------------------------------------------------------------------------------------------- */

/* Parts come in the order of the table, and rows inside them, so all places rise. */
kanon_status block_text_read(block_text *out, const workers_run *run, int64_t block, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bundle_mark all = run->block_lines[block], at = {0, 0};
    int64_t header = (int64_t)run->names_size;
    *out = (block_text){.size = header + all.byte, .n_rows = all.line};
    WORKER_TRY(worker_new(&out->bytes, out->size, 1, err));
    WORKER_TRY(worker_new(&out->lines, all.line, sizeof *out->lines, err));
    WORKER_TRY(worker_new(&out->places, all.line, sizeof *out->places, err));
    memcpy(out->bytes, run->names, run->names_size);
    for (int64_t part = 0; part < run->n_parts; part++) {
        bundle_mark n = {all.byte - at.byte, all.line - at.line};
        bundle_line *lines = out->lines + at.line;
        WORKER_TRY(
            bundle_read(out->bytes + header + at.byte, lines, &n, run->n_blocks, block, &run->exchange, "rows", part, err));
        for (int64_t i = 0; i < n.line; i++)
            out->places[at.line + i] = part_place(run, part) + lines[i].slot;
        at = (bundle_mark){at.byte + n.byte, at.line + n.line};
    }
    if (at.byte != all.byte || at.line != all.line)
        st = worker_fail(err, KANON_EINTERNAL, "the check found rows of a block missing");
out:
    return st;
}

void block_text_clear(block_text *text)
{
    free(text->places);
    free(text->lines);
    free(text->bytes);
    *text = (block_text){0};
}

kanon_status block_text_table(kanon_table **out, const block_text *text, const workers_run *run, kanon_error *err)
{
    kanon_read_options reading = *run->order->reading;
    reading.domain = run->domain;
    reading.threads = 1;
    reading.memory = 0;
    reading.tick = worker_tick;
    reading.payload = NULL;
    const kanon_input input = {.struct_size = sizeof input,
                               .bytes = text->bytes,
                               .size = (size_t)text->size,
                               .name = run->order->table,
                               .delimiter = run->parts->delimiter,
                               .header = KANON_HEADER_YES,
                               .encoding = "utf-8"};
    kanon_status st = kanon_table_read(out, &input, run->order->schema, &reading, err);
    if (st == KANON_OK && kanon_table_rows(*out) != text->n_rows)
        st = worker_fail(err, KANON_EINTERNAL, "a block had another number of rows when it was read again");
    return st;
}

/* ---- in a worker --------------------------------------------------------------------------------------------------- */

/* By row: its group, 0 for a suppressed record, LEFT_OVER for one that is left over. */
static kanon_status write_groups(const workers_run *run, const kanon_grouping *grouping, int64_t block, kanon_error *err)
{
    kanon_status st = KANON_OK;
    exchange_file file;
    int32_t *group_of = NULL;
    int64_t n = kanon_grouping_describe(grouping)->rows;
    WORKER_TRY(worker_new(&group_of, n, sizeof *group_of, err));
    for (int64_t row = 0; row < n; row++)
        group_of[row] = kanon_grouping_is_left(grouping, row) ? LEFT_OVER : (int32_t)kanon_grouping_group_of(grouping, row);
    WORKER_TRY(exchange_create(&file, &run->exchange, "grouped", block, err));
    exchange_write(&file, group_of, (size_t)n * sizeof *group_of);
    WORKER_TRY(exchange_finish(&file, st, err));
out:
    free(group_of);
    return st;
}

/* The lines of the records left over, in the order of their places: a bundle of one key. */
static kanon_status write_left(const workers_run *run, const block_text *text, const kanon_grouping *grouping, int64_t block,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    bundle left = {0};
    int64_t n = 0, done = 0;
    WORKER_TRY(bundle_init(&left, 1, kanon_grouping_left(grouping), err));
    for (int64_t row = 0; row < text->n_rows; row++)
        if (kanon_grouping_is_left(grouping, row)) {
            left.marks[0].byte += text->lines[row].size;
            left.lines[n++] = text->lines[row];
        }
    left.marks[0].line = n;
    WORKER_TRY(bundle_sum(&left, err));
    const char *at = text->bytes + run->names_size;
    for (int64_t row = 0; row < text->n_rows; at += text->lines[row++].size)
        if (kanon_grouping_is_left(grouping, row)) {
            memcpy(left.bytes + done, at, text->lines[row].size);
            done += text->lines[row].size;
        }
    WORKER_TRY(bundle_write(&left, &run->exchange, "left", block, err));
out:
    bundle_clear(&left);
    return st;
}

static kanon_status write_rest(const workers_run *run, const kanon_block_groups *groups, int64_t block, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_rest *rest = NULL;
    WORKER_TRY(piece_keep(run, groups, "boxes", block, err));
    WORKER_TRY(kanon_rest_new(&rest, groups, err));
    WORKER_TRY(piece_keep(run, rest, "rest", block, err));
out:
    kanon_piece_free(rest);
    return st;
}

static kanon_status group_block(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    int64_t block = run->turn[task];
    block_text text = {0};
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_block_groups *groups = NULL;
    kanon_options options = run->grouping;
    options.payload = &options; /* its ticks tell how far the task is */
    WORKER_TRY(block_text_read(&text, run, block, err));
    WORKER_TRY(block_text_table(&table, &text, run, err));
    WORKER_TRY(kanon_block_group(&grouping, table, run->cuts, block, &options, err));
    WORKER_TRY(write_groups(run, grouping, block, err));
    WORKER_TRY(write_left(run, &text, grouping, block, err));
    WORKER_TRY(kanon_block_groups_new(&groups, table, grouping, run->cuts, block, text.places, err));
    WORKER_TRY(write_rest(run, groups, block, err));
out:
    kanon_piece_free(groups);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    block_text_clear(&text);
    return st;
}

/* ---- in the driver ------------------------------------------------------------------------------------------------- */

static kanon_status take_left(workers_run *run, int64_t block, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bundle *left = &run->left[block];
    bundle_mark n = {0, 0};
    WORKER_TRY(bundle_count(&n, 1, &run->exchange, "left", block, err));
    WORKER_TRY(bundle_init(left, 1, n.line, err));
    left->marks[0] = n;
    WORKER_TRY(bundle_sum(left, err));
    WORKER_TRY(bundle_read(left->bytes, left->lines, &n, 1, 0, &run->exchange, "left", block, err));
    exchange_drop(&run->exchange, "left", block);
out:
    return st;
}

static kanon_status count_suppressed(workers_run *run, int64_t block, kanon_error *err)
{
    void *group_of = NULL;
    size_t size = 0;
    kanon_status st = exchange_load(&group_of, &size, &run->exchange, "grouped", block, err);
    for (size_t i = 0; st == KANON_OK && i < size / sizeof(int32_t); i++)
        run->n_suppressed += ((const int32_t *)group_of)[i] == 0;
    free(group_of);
    return st;
}

static kanon_status take_rest(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    workers_run *run = payload;
    int64_t block = run->turn[task];
    WORKER_TRY(piece_take(&run->rest, run, "rest", block, err));
    WORKER_TRY(take_left(run, block, err));
    WORKER_TRY(count_suppressed(run, block, err));
out:
    return st;
}

kanon_status stage_groups(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    worker_stage group = {.name = "grouping",
                          .n_tasks = run->n_blocks,
                          .weights = run->turn_rows,
                          .run = group_block,
                          .done = take_rest,
                          .payload = run};
    WORKER_TRY(worker_new(&run->left, run->n_blocks, sizeof *run->left, err));
    WORKER_TRY(worker_pool_run(&run->pool, &group, err));
out:
    return st;
}
