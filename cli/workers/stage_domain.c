/* The first stage: the table is divided into parts, the values and codes of each part are collected by a worker, and
 * the driver merges the values to the domain of the whole. Also how the bytes and codes of a part are read by this
 * stage and the next two. */
#include "workers/csv_lines.h"
#include "workers/worker_error.h"
#include "workers/workers_run.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <kanon_host.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- parts --------------------------------------------------------------------------------------------------------- */

int64_t part_place(const workers_run *run, int64_t part)
{
    return run->first_row[part];
}

int64_t part_of_place(const workers_run *run, int64_t place, int64_t from)
{
    while (from + 1 < run->n_parts && place >= part_place(run, from + 1))
        from++;
    return from;
}

kanon_status part_bytes_read(char **out, size_t *size, const workers_run *run, int64_t part, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_csv_part *p = &run->parts->parts[part];
    int64_t header = run->parts->header_size;
    WORKER_TRY(worker_new(out, header + p->size, 1, err));
    memcpy(*out, run->first_bytes, (size_t)header);
    WORKER_TRY(exchange_read_at(run->table, *out + header, (size_t)p->size, p->offset, run->order->table, err));
    *size = (size_t)(header + p->size);
out:
    return st;
}

/* A part is read as the file, of which it is a piece. */
static kanon_input input_of(const workers_run *run, const char *bytes, size_t size)
{
    return (kanon_input){.struct_size = sizeof(kanon_input),
                         .bytes = bytes,
                         .size = size,
                         .name = run->order->table,
                         .delimiter = run->parts->delimiter,
                         .header = run->parts->header,
                         .encoding = run->parts->encoding};
}

static kanon_read_options reading_of(const workers_run *run)
{
    kanon_read_options reading = *run->order->reading;
    reading.domain = run->domain;
    reading.threads = 1;
    reading.memory = 0;
    reading.tick = worker_tick;
    reading.payload = NULL;
    return reading;
}

/* Line ends in the first bytes of the file. */
static int64_t count_lines(const workers_run *run, int64_t size)
{
    char buffer[1 << 16];
    int64_t n = 0;
    for (int64_t at = 0; at < size;) {
        size_t wanted = size - at < (int64_t)sizeof buffer ? (size_t)(size - at) : sizeof buffer;
        if (exchange_read_at(run->table, buffer, wanted, at, run->order->table, NULL) != KANON_OK)
            break;
        for (size_t i = 0; i < wanted; i++)
            n += buffer[i] == '\n';
        at += (int64_t)wanted;
    }
    return n;
}

/* "FILE:LINE: ..." counts the lines of the part with its header; the user looks for the line of the file. */
static void set_line(kanon_error *err, const workers_run *run, int64_t part)
{
    char rest[sizeof err->message], name[sizeof err->message], *end;
    kanon_escape(name, sizeof name, run->order->table);
    size_t length = strlen(name);
    if (err->status != KANON_EDATA || strncmp(err->message, name, length) != 0 || err->message[length] != ':' ||
        !isdigit((unsigned char)err->message[length + 1]))
        return;
    long long line = strtoll(err->message + length + 1, &end, 10);
    line += count_lines(run, run->parts->parts[part].offset) - count_lines(run, run->parts->header_size);
    snprintf(rest, sizeof rest, "%s", end);
    snprintf(err->message + length, sizeof err->message - length, ":%lld%.900s", line, rest);
}

kanon_status part_columns_read(kanon_table **out, const workers_run *run, const char *row, size_t size, kanon_error *err)
{
    kanon_read_options reading = reading_of(run);
    size_t header = (size_t)run->parts->header_size;
    char *bytes = NULL;
    kanon_status st = worker_new(&bytes, (int64_t)(header + size), 1, err);
    if (st != KANON_OK)
        return st;
    memcpy(bytes, run->first_bytes, header);
    memcpy(bytes + header, row, size);
    const kanon_input input = input_of(run, bytes, header + size);
    st = kanon_table_read(out, &input, run->order->schema, &reading, err);
    free(bytes);
    return st;
}

/* Before the first level of cuts they are as they were read: the domain of the part stands beside them. */
kanon_status part_codes_read(kanon_codes **out, const workers_run *run, int64_t part, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_domain *own = NULL;
    if (run->has_codes)
        return piece_load(out, run, "codes", part, err);
    WORKER_TRY(piece_load(out, run, "read", part, err));
    WORKER_TRY(piece_load(&own, run, "domain", part, err));
    WORKER_TRY(kanon_codes_seal(*out, own, run->domain, err));
out:
    kanon_piece_free(own);
    return st;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

/* Line ends outside quotes, and a last line without one: as many rows, but for blank lines at the end of the file. */
static kanon_status count_part(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    exchange_file file;
    char *bytes = NULL;
    size_t size;
    int64_t n = 0;
    WORKER_TRY(part_bytes_read(&bytes, &size, run, part, err));
    for (const char *at = bytes + run->parts->header_size, *end = bytes + size; at < end; at = csv_line_end(at, end))
        n++;
    WORKER_TRY(exchange_create(&file, &run->exchange, "count", part, err));
    exchange_write(&file, &n, sizeof n);
    WORKER_TRY(exchange_finish(&file, st, err));
out:
    free(bytes);
    return st;
}

static kanon_status take_count(int64_t part, void *payload, kanon_error *err)
{
    workers_run *run = payload;
    void *bytes = NULL;
    size_t size;
    kanon_status st = exchange_load(&bytes, &size, &run->exchange, "count", part, err);
    if (st != KANON_OK)
        return st;
    memcpy(&run->first_row[part + 1], bytes, sizeof *run->first_row);
    free(bytes);
    exchange_drop(&run->exchange, "count", part);
    return KANON_OK;
}

/* The number of each part's first row, so that places are row numbers, in messages, too. */
static kanon_status number_rows(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    worker_stage count = {
        .name = "counting rows", .n_tasks = run->n_parts, .run = count_part, .done = take_count, .payload = run};
    WORKER_TRY(worker_new(&run->first_row, run->n_parts + 1, sizeof *run->first_row, err));
    WORKER_TRY(worker_pool_run(&run->pool, &count, err));
    for (int64_t part = 0; part < run->n_parts; part++)
        run->first_row[part + 1] += run->first_row[part];
out:
    return st;
}

/* ---- domain -------------------------------------------------------------------------------------------------------- */

static kanon_status collect_values(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    kanon_read_options reading = reading_of(run);
    kanon_domain *domain = NULL;
    kanon_codes *codes = NULL;
    char *bytes = NULL;
    size_t size;
    const kanon_places places = {.struct_size = sizeof places, .first = part_place(run, part)};
    WORKER_TRY(part_bytes_read(&bytes, &size, run, part, err));
    const kanon_input input = input_of(run, bytes, size);
    st = kanon_codes_read(&codes, &domain, &input, &places, run->order->schema, &reading, err);
    if (st != KANON_OK) {
        set_line(err, run, part);
        goto out;
    }
    WORKER_TRY(piece_keep(run, codes, "read", part, err));
    WORKER_TRY(piece_keep(run, domain, "domain", part, err));
out:
    kanon_piece_free(codes);
    kanon_piece_free(domain);
    free(bytes);
    return st;
}

static kanon_status merge_values(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    workers_run *run = payload;
    kanon_domain *domain = NULL;
    WORKER_TRY(piece_load(&domain, run, "domain", part, err));
    if (kanon_domain_rows(domain) > run->first_row[part + 1] - run->first_row[part]) {
        st = worker_fail(err, KANON_EINTERNAL, "the check found more rows in a part of the table than were counted");
        goto out;
    }
    WORKER_TRY(piece_join(&run->domain, &domain, err));
out:
    kanon_piece_free(domain);
    return st;
}

/* ---- the table ----------------------------------------------------------------------------------------------------- */

static kanon_status open_table(workers_run *run, kanon_error *err)
{
    const char *path = run->order->table;
    run->table = open(path, O_RDONLY | O_CLOEXEC);
    if (run->table < 0 || fstat(run->table, &run->was) != 0)
        return worker_fail_errno(err, errno, "read", path);
    return KANON_OK;
}

/* A worker has a part twice in memory when it sorts the rows, and its values and codes when it collects them. Small tables
 * have several parts, too, so that all workers have something to do. */
static int64_t part_bytes(const workers_run *run)
{
    enum { MOST = 32 << 20, LEAST = 16 << 10, SHARE = 4, PARTS_PER_WORKER = 4 };
    int64_t share = (run->task_memory - WORKER_PROCESS) / SHARE, bytes = run->task_memory > 0 && share < MOST ? share : MOST;
    int64_t even = run->was.st_size / run->order->workers / PARTS_PER_WORKER + 1;
    bytes = even < bytes ? even : bytes;
    return bytes > LEAST ? bytes : LEAST;
}

static kanon_status find_parts(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_order *o = run->order;
    WORKER_TRY(kanon_csv_parts_find(&run->parts, o->input, o->schema, o->reading, part_bytes(run), err));
    run->n_parts = (int64_t)run->parts->n_parts;
    WORKER_TRY(worker_new(&run->first_bytes, run->parts->header_size, 1, err));
    WORKER_TRY(exchange_read_at(run->table, run->first_bytes, (size_t)run->parts->header_size, 0, o->table, err));
out:
    return st;
}

kanon_status stage_domain(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    worker_stage collect = {.name = "reading", .run = collect_values, .done = merge_values, .payload = run};
    WORKER_TRY(open_table(run, err));
    WORKER_TRY(find_parts(run, err));
    WORKER_TRY(number_rows(run, err));
    collect.n_tasks = run->n_parts;
    WORKER_TRY(worker_pool_run(&run->pool, &collect, err));
    if (run->domain == NULL) {
        st = worker_fail(err, KANON_EDATA, "%.800s: no records", run->order->table);
        goto out;
    }
    WORKER_TRY(kanon_domain_seal(run->domain, run->order->schema, err));
    for (size_t i = 0; kanon_domain_notice_at(run->domain, i) != NULL; i++)
        run->order->warn(kanon_domain_notice_at(run->domain, i), run->order->payload);
out:
    return st;
}
