/* The released lines of all blocks come together in the order of the table. Each worker writes the stretch of the
 * release that belongs to one part; where that begins is known from the sizes. */
#include "workers/worker_error.h"
#include "workers/workers_run.h"

#include <stdlib.h>
#include <string.h>

/* The lines of a part, by slot. */
typedef struct slot_text {
    int64_t at;    /* in the bytes that were read */
    uint32_t size; /* 0: none was found yet */
} slot_text;

typedef struct part_lines {
    char *bytes, *ordered;
    bundle_line *lines;
    slot_text *slots;
} part_lines;

static void clear_lines(part_lines *p)
{
    free(p->slots);
    free(p->lines);
    free(p->ordered);
    free(p->bytes);
}

/* Each slot gets one line, or none: a suppressed record. */
static kanon_status put_lines(part_lines *p, const bundle_line *lines, int64_t n, int64_t at, int64_t n_slots,
                              kanon_error *err)
{
    for (int64_t i = 0; i < n; at += lines[i++].size) {
        if (lines[i].slot >= n_slots || p->slots[lines[i].slot].size != 0)
            return worker_fail(err, KANON_EINTERNAL, "the check found two lines of the release for one record");
        p->slots[lines[i].slot] = (slot_text){at, lines[i].size};
    }
    return KANON_OK;
}

static kanon_status collect_lines(part_lines *p, const workers_run *run, int64_t part, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bundle_mark all = run->part_lines[part], at = {0, 0};
    for (int64_t block = 0; block < run->n_blocks; block++) {
        bundle_mark n = {all.byte - at.byte, all.line - at.line};
        WORKER_TRY(bundle_read(p->bytes + at.byte, p->lines, &n, run->n_parts, part, &run->exchange, "lines", block, err));
        WORKER_TRY(put_lines(p, p->lines, n.line, at.byte, run->part_rows[part], err));
        at = (bundle_mark){at.byte + n.byte, at.line + n.line};
    }
    if (at.line != all.line || at.byte != all.byte)
        st = worker_fail(err, KANON_EINTERNAL, "the check found lines of the release missing");
out:
    return st;
}

static kanon_status assemble_part(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    bundle_mark all = run->part_lines[part];
    part_lines p = {0};
    char *to;
    WORKER_TRY(worker_new(&p.bytes, all.byte, 1, err));
    WORKER_TRY(worker_new(&p.ordered, all.byte, 1, err));
    WORKER_TRY(worker_new(&p.lines, all.line, sizeof *p.lines, err));
    WORKER_TRY(worker_new(&p.slots, run->part_rows[part], sizeof *p.slots, err));
    WORKER_TRY(collect_lines(&p, run, part, err));
    to = p.ordered;
    for (int64_t i = 0; i < run->part_rows[part]; to += p.slots[i++].size)
        memcpy(to, p.bytes + p.slots[i].at, p.slots[i].size);
    WORKER_TRY(release_write(&run->release, p.ordered, (size_t)all.byte, run->line_begin[part], err));
out:
    clear_lines(&p);
    return st;
}

/* All parts together have as many lines as rows that are not suppressed; their sizes say where each part stands. */
static kanon_status place_parts(workers_run *run, int64_t header_size, kanon_error *err)
{
    kanon_status st = worker_new(&run->line_begin, run->n_parts + 1, sizeof *run->line_begin, err);
    if (st != KANON_OK)
        return st;
    int64_t n_lines = 0;
    run->line_begin[0] = header_size;
    for (int64_t part = 0; part < run->n_parts; part++) {
        n_lines += run->part_lines[part].line;
        run->line_begin[part + 1] = run->line_begin[part] + run->part_lines[part].byte;
    }
    if (n_lines == kanon_domain_rows(run->domain) - run->n_suppressed)
        return KANON_OK;
    return worker_fail(err, KANON_EINTERNAL, "the check found another number of lines in the release than rows");
}

kanon_status stage_assembly(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    worker_stage assemble = {.name = "writing", .n_tasks = run->n_parts, .run = assemble_part, .payload = run};
    const char *header = (const char *)run->head + strlen(run->head) + 1;
    int64_t header_size = (int64_t)run->head_size - (header - (const char *)run->head);
    WORKER_TRY(place_parts(run, header_size, err));
    WORKER_TRY(release_write(&run->release, header, (size_t)header_size, 0, err));
    WORKER_TRY(worker_pool_run(&run->pool, &assemble, err));
    for (int64_t block = 0; block < run->n_blocks; block++)
        exchange_drop(&run->exchange, "lines", block);
out:
    return st;
}
