/* See workers.h. The driver: opens the folder and the release, runs the stages in order, and cleans up. */
#include "workers/workers.h"

#include "workers/worker_error.h"
#include "workers/workers_run.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end_run(workers_run *run)
{
    release_close(&run->groups);
    release_close(&run->release);
    exchange_close(&run->exchange);
    if (run->table >= 0)
        close(run->table);
    for (int64_t i = 0; run->left != NULL && i < run->n_blocks; i++)
        bundle_clear(&run->left[i]);
    free(run->left);
    free(run->first_rows.before);
    free(run->first_rows.bits);
    free(run->first_rows.begin);
    free(run->bucket_lines);
    free(run->head);
    free(run->line_begin);
    free(run->part_lines);
    free(run->first_guest);
    free(run->guests);
    free(run->block_lines);
    free(run->names);
    free(run->turn_rows);
    free(run->turn);
    free(run->part_rows);
    free(run->first_bytes);
    free(run->first_row);
    kanon_piece_free(run->tally);
    kanon_piece_free(run->offers);
    kanon_piece_free(run->rest);
    kanon_piece_free(run->counts);
    kanon_piece_free(run->cuts);
    kanon_piece_free(run->domain);
    kanon_csv_parts_free(run->parts);
}

/* TMPDIR, else the folder of the release, which has to have room anyway, else /tmp. */
static kanon_status open_exchange(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *said = getenv("TMPDIR"), *release = run->order->release;
    const char *slash = strrchr(release, '/');
    char *folder = NULL;
    struct stat there;
    if (said != NULL && *said != '\0')
        return exchange_open(&run->exchange, said, err);
    if (strcmp(release, "-") == 0 || (stat(release, &there) == 0 && !S_ISREG(there.st_mode)))
        return exchange_open(&run->exchange, "/tmp", err);
    if (slash == NULL)
        return exchange_open(&run->exchange, ".", err);
    WORKER_TRY(worker_new(&folder, slash - release + 2, 1, err));
    memcpy(folder, release, (size_t)(slash - release) + 1);
    WORKER_TRY(exchange_open(&run->exchange, folder, err));
out:
    free(folder);
    return st;
}

static kanon_status open_outputs(workers_run *run, kanon_error *err)
{
    kanon_status st = release_open(&run->release, run->order->release, run->exchange.path, err);
    if (st != KANON_OK || run->order->groups == NULL)
        return st;
    st = release_open(&run->groups, run->order->groups, run->exchange.path, err);
    run->groups.mode = 0600; /* it tells about single records */
    return st;
}

/* All outputs are on disk before the first one gets its name. */
static kanon_status finish_outputs(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool both = run->order->groups != NULL;
    if (both) {
        WORKER_TRY(release_prepare(&run->groups, err));
        WORKER_TRY(release_prepare(&run->release, err));
        WORKER_TRY(release_finish(&run->groups, err));
    }
    WORKER_TRY(release_finish(&run->release, err));
out:
    return st;
}

/* What a worker may take; the driver has a share, too. */
static kanon_status share_memory(workers_run *run, kanon_error *err)
{
    enum { LEAST = WORKER_PROCESS + (8 << 20) };
    const workers_order *o = run->order;
    if (o->memory == 0)
        return KANON_OK;
    run->task_memory = o->memory / (o->workers + 1);
    if (run->task_memory >= LEAST)
        return KANON_OK;
    int64_t wanted = (int64_t)LEAST * (o->workers + 1);
    kanon_status st = worker_fail(err, KANON_ENOMEM, "%d workers need at least %lldM of memory", o->workers,
                                  (long long)(wanted >> 20));
    if (err != NULL)
        err->topic = "memory";
    return worker_hint(err, st, "allow that, or ask for fewer workers");
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* Who changes the table meanwhile gets no release of two halves, and is not told of rows that do not fit together. The time
 * of the last write can be set back, that of the last change cannot; but it moves with the names of the file, too. */
static kanon_status check_unchanged(const workers_run *run, kanon_status st, kanon_error *err)
{
    struct stat now;
    if (run->table < 0 || (st != KANON_OK && st != KANON_EDATA && st != KANON_EINTERNAL))
        return st;
    if (fstat(run->table, &now) == 0 && now.st_size == run->was.st_size && same_time(now.st_mtim, run->was.st_mtim) &&
        (same_time(now.st_ctim, run->was.st_ctim) || now.st_nlink != run->was.st_nlink))
        return st;
    return worker_fail(err, KANON_EIO, "%.800s: the file was changed while it was read", run->order->table);
}

static kanon_status run_stages(workers_run *run, kanon_error *err)
{
    static kanon_status (*const stages[])(workers_run *, kanon_error *) = {
        stage_domain, stage_cuts,     stage_rows,    stage_groups,     stage_rest,
        stage_lines,  stage_assembly, stage_recount, stage_group_file,
    };
    kanon_status st = KANON_OK;
    for (size_t i = 0; i < sizeof stages / sizeof *stages && st == KANON_OK; i++)
        st = stages[i](run, err);
    return st;
}

kanon_status workers_anonymize(workers_result *out, const workers_order *order, kanon_error *err)
{
    enum { USUAL_BLOCK = 100000 };
    kanon_status st = KANON_OK;
    workers_run run = {.order = order,
                       .pool = {.n = order->workers, .tick = order->tick, .payload = order->payload},
                       .exchange = {.folder = -1},
                       .release = {.fd = -1},
                       .groups = {.fd = -1},
                       .table = -1,
                       .grouping = *order->grouping};
    kanon_options asked = *order->grouping;
    *out = (workers_result){0};
    if (asked.blocks == 0)
        asked.blocks = USUAL_BLOCK > order->k ? USUAL_BLOCK : order->k;
    run.grouping.threads = 1;
    run.grouping.memory = 0;
    run.grouping.tick = worker_tick;
    run.grouping.payload = NULL;
    WORKER_TRY(kanon_blocks_allow(order->schema, &asked, err));
    WORKER_TRY(share_memory(&run, err));
    WORKER_TRY(open_exchange(&run, err));
    WORKER_TRY(open_outputs(&run, err));
    WORKER_TRY(check_unchanged(&run, run_stages(&run, err), err));
    WORKER_TRY(kanon_tally_measures(&out->measures, run.tally, run.domain, err));
    out->records = kanon_domain_rows(run.domain);
    out->blocks = run.n_blocks;
    out->least = run.grouping.blocks;
    WORKER_TRY(finish_outputs(&run, err));
    out->domain = run.domain;
    run.domain = NULL;
out:
    if (st != KANON_OK)
        workers_result_clear(out);
    end_run(&run);
    return st;
}

void workers_result_clear(workers_result *result)
{
    kanon_measures_free(result->measures);
    kanon_piece_free(result->domain);
    *result = (workers_result){0};
}
