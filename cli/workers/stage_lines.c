/* The blocks are released, each by a worker: with their guests and without the records that left, they are tables of
 * complete groups, which the library checks and publishes. The lines are divided by the parts of the table that their
 * records come from. */
#include "workers/csv_lines.h"
#include "workers/worker_error.h"
#include "workers/workers_run.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- a block with its guests --------------------------------------------------------------------------------------- */

typedef struct released_block {
    block_text text;
    int64_t *group_of; /* by row */
} released_block;

static void clear_released(released_block *b)
{
    block_text_clear(&b->text);
    free(b->group_of);
    *b = (released_block){0};
}

static void add_row(released_block *b, int64_t *size, const char *line, uint32_t length, int64_t place, int64_t group)
{
    block_text *t = &b->text;
    memcpy(t->bytes + *size, line, length);
    *size += length;
    t->lines[t->n_rows] = (bundle_line){0, length};
    t->places[t->n_rows] = place;
    b->group_of[t->n_rows++] = group;
}

/* Rows and guests, in the order of their places. */
static void join_guests(released_block *out, const workers_run *run, const block_text *old, const int32_t *group_of,
                        int64_t block)
{
    const guest *next = run->guests + run->first_guest[block], *end = run->guests + run->first_guest[block + 1];
    const char *at = old->bytes + run->names_size;
    int64_t size = (int64_t)run->names_size;
    for (int64_t row = 0; row < old->n_rows; at += old->lines[row++].size) {
        for (; next < end && next->place < old->places[row]; next++)
            add_row(out, &size, next->line, next->size, next->place, next->group);
        if (group_of[row] != LEFT_OVER)
            add_row(out, &size, at, old->lines[row].size, old->places[row], group_of[row]);
    }
    for (; next < end; next++)
        add_row(out, &size, next->line, next->size, next->place, next->group);
    out->text.size = size;
}

static kanon_status make_room(released_block *out, const workers_run *run, const block_text *old, int64_t block,
                              kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = old->n_rows, size = old->size;
    for (int64_t i = run->first_guest[block]; i < run->first_guest[block + 1]; i++) {
        size += run->guests[i].size;
        n++;
    }
    WORKER_TRY(worker_new(&out->text.bytes, size, 1, err));
    WORKER_TRY(worker_new(&out->text.lines, n, sizeof *out->text.lines, err));
    WORKER_TRY(worker_new(&out->text.places, n, sizeof *out->text.places, err));
    WORKER_TRY(worker_new(&out->group_of, n, sizeof *out->group_of, err));
out:
    return st;
}

static kanon_status read_released(released_block *out, const workers_run *run, int64_t block, kanon_error *err)
{
    kanon_status st = KANON_OK;
    block_text old = {0};
    void *group_of = NULL;
    size_t size;
    WORKER_TRY(block_text_read(&old, run, block, err));
    WORKER_TRY(exchange_load(&group_of, &size, &run->exchange, "grouped", block, err));
    if (size != (size_t)old.n_rows * sizeof(int32_t)) {
        st = worker_fail(err, KANON_EINTERNAL, "the check found the groups of a block incomplete");
        goto out;
    }
    WORKER_TRY(make_room(out, run, &old, block, err));
    memcpy(out->text.bytes, run->names, run->names_size);
    join_guests(out, run, &old, group_of, block);
out:
    free(group_of);
    block_text_clear(&old);
    return st;
}

/* ---- its lines ----------------------------------------------------------------------------------------------------- */

/* What is published, in memory. */
typedef struct published {
    char *bytes;
    int64_t size, capacity;
} published;

static int keep_bytes(const void *bytes, size_t size, void *payload)
{
    published *p = payload;
    if (worker_grow(&p->bytes, &p->capacity, p->size + (int64_t)size, 1, NULL) != KANON_OK)
        return ENOMEM;
    memcpy(p->bytes + p->size, bytes, size);
    p->size += (int64_t)size;
    return 0;
}

static kanon_status publish(published *out, const workers_run *run, const kanon_table *table, const kanon_grouping *grouping,
                            kanon_error *err)
{
    kanon_sink sink = {.struct_size = sizeof(kanon_sink), .name = "the release", .write = keep_bytes, .payload = out};
    kanon_outputs outputs = {
        .struct_size = sizeof outputs,
        .release = KANON_TO_SINK(&sink),
        .numeric = run->order->numeric,
        .threads = 1,
        .tick = worker_tick,
    };
    return kanon_publish(table, grouping, &outputs, err);
}

/* Since places rise, the lines are by part already. Suppressed records have none. */
static kanon_status divide_lines(bundle *out, const workers_run *run, const released_block *b, const char *at,
                                 const char *end, kanon_error *err)
{
    int64_t part = 0, n = 0;
    const char *begin = at;
    for (int64_t row = 0; row < b->text.n_rows; row++) {
        if (b->group_of[row] == 0)
            continue;
        const char *next = csv_line_end(at, end);
        if (next == at || next - at > (ptrdiff_t)UINT32_MAX)
            return worker_fail(err, KANON_EINTERNAL, "the check found lines of the release missing");
        part = part_of_place(run, b->text.places[row], part);
        out->lines[n++] = (bundle_line){(uint32_t)(b->text.places[row] - part_place(run, part)), (uint32_t)(next - at)};
        out->marks[part].byte += next - at;
        out->marks[part].line++;
        at = next;
    }
    if (at != end)
        return worker_fail(err, KANON_EINTERNAL, "the check found more lines in the release than records");
    kanon_status st = bundle_sum(out, err);
    if (st == KANON_OK)
        memcpy(out->bytes, begin, (size_t)(end - begin));
    return st;
}

static kanon_status write_lines(const workers_run *run, const released_block *b, const published *p, int64_t block,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    bundle lines = {0};
    WORKER_TRY(bundle_init(&lines, run->n_parts, b->text.n_rows, err));
    const char *end = p->bytes + p->size, *first = csv_line_end(p->bytes, end);
    WORKER_TRY(divide_lines(&lines, run, b, first, end, err));
    WORKER_TRY(bundle_write(&lines, &run->exchange, "lines", block, err));
out:
    bundle_clear(&lines);
    return st;
}

/* ---- the header line ----------------------------------------------------------------------------------------------- */

static kanon_status fail_header(kanon_error *err)
{
    return worker_fail(err, KANON_EINTERNAL, "the check found other columns in the release than in the table");
}

/* Mark the cells of the header that are quasi-identifiers, one character each: q, or a point. A numeric one may be in two
 * columns, NAME_min and NAME_max. */
static kanon_status mark_quasi(exchange_file *file, const kanon_table *table, const char *at, const char *end,
                               char delimiter, kanon_error *err)
{
    const kanon_table_column *column;
    for (size_t i = 0; (column = kanon_table_column_at(table, i)) != NULL; i++) {
        kanon_role role = column->role;
        const char *name = column->name;
        if (role == KANON_ROLE_IDENTIFYING)
            continue;
        if (at == NULL)
            return fail_header(err);
        csv_text cell = csv_next_cell(&at, end, delimiter);
        bool two = role == KANON_ROLE_QUASI && csv_cell_is(cell, name, "_min");
        if (two && (at == NULL || !csv_cell_is(csv_next_cell(&at, end, delimiter), name, "_max")))
            return fail_header(err);
        if (!two && !csv_cell_is(cell, name, ""))
            return fail_header(err);
        exchange_write(file, role == KANON_ROLE_QUASI ? "qq" : ".", two ? 2 : 1);
    }
    return at == NULL ? KANON_OK : fail_header(err);
}

/* All blocks have the same header; that of the first one is kept: the marks, a zero, the line. */
static kanon_status write_head(const workers_run *run, const kanon_table *table, const published *p, kanon_error *err)
{
    exchange_file file;
    const char *end = csv_line_end(p->bytes, p->bytes + p->size);
    kanon_status st = exchange_create(&file, &run->exchange, "head", 0, err);
    if (st != KANON_OK)
        return st;
    st = mark_quasi(&file, table, p->bytes, end, run->parts->delimiter[0], err);
    exchange_write(&file, "", 1);
    exchange_write(&file, p->bytes, (size_t)(end - p->bytes));
    return exchange_finish(&file, st, err);
}

/* ---- the stage ----------------------------------------------------------------------------------------------------- */

static kanon_status write_tally(const workers_run *run, const kanon_table *table, const kanon_grouping *grouping,
                                int64_t block, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_tally *tally = NULL;
    WORKER_TRY(kanon_tally_new(&tally, table, grouping, err));
    WORKER_TRY(piece_keep(run, tally, "tally", block, err));
out:
    kanon_piece_free(tally);
    return st;
}

static kanon_status release_block(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    int64_t block = run->turn[task];
    released_block b = {0};
    published p = {0};
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    WORKER_TRY(read_released(&b, run, block, err));
    WORKER_TRY(block_text_table(&table, &b.text, run, err));
    WORKER_TRY(kanon_grouping_new(&grouping, table, b.group_of, err));
    WORKER_TRY(write_tally(run, table, grouping, block, err));
    WORKER_TRY(publish(&p, run, table, grouping, err));
    if (block == 0)
        WORKER_TRY(write_head(run, table, &p, err));
    WORKER_TRY(write_lines(run, &b, &p, block, err));
    WORKER_TRY(block_leads_write(run, &b.text, b.group_of, block, err));
out:
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    free(p.bytes);
    clear_released(&b);
    return st;
}

static kanon_status take_tally(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    workers_run *run = payload;
    int64_t block = run->turn[task];
    WORKER_TRY(bundle_count(run->part_lines, run->n_parts, &run->exchange, "lines", block, err));
    exchange_drop(&run->exchange, "grouped", block);
    WORKER_TRY(piece_take(&run->tally, run, "tally", block, err));
out:
    return st;
}

kanon_status stage_lines(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    worker_stage release = {.name = "releasing",
                            .n_tasks = run->n_blocks,
                            .weights = run->turn_rows,
                            .run = release_block,
                            .done = take_tally,
                            .payload = run};
    WORKER_TRY(worker_new(&run->part_lines, run->n_parts, sizeof *run->part_lines, err));
    WORKER_TRY(worker_pool_run(&run->pool, &release, err));
    for (int64_t part = 0; part < run->n_parts; part++)
        exchange_drop(&run->exchange, "rows", part);
    WORKER_TRY(exchange_load(&run->head, &run->head_size, &run->exchange, "head", 0, err));
out:
    return st;
}
