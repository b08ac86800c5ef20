/* The records left over find their groups: workers offer groups of their blocks, the driver decides, round by round. */
#include "workers/worker_error.h"
#include "workers/workers_run.h"

#include <stdlib.h>

static kanon_status offer_block(int64_t block, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    kanon_block_groups *groups = NULL;
    kanon_offers *offers = NULL;
    WORKER_TRY(piece_load(&groups, run, "boxes", block, err));
    WORKER_TRY(kanon_rest_offer(&offers, run->rest, groups, err));
    WORKER_TRY(piece_keep(run, offers, "offers", block, err));
out:
    kanon_piece_free(offers);
    kanon_piece_free(groups);
    return st;
}

static kanon_status merge_offers(int64_t block, void *payload, kanon_error *err)
{
    workers_run *run = payload;
    return piece_take(&run->offers, run, "offers", block, err);
}

/* ---- guests -------------------------------------------------------------------------------------------------------- */

static int by_block_and_place(const void *left, const void *right)
{
    const guest *a = left, *b = right;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* The records come by place, and so do the lines that each block has left. */
static kanon_status list_guests(workers_run *run, bundle_mark *taken, kanon_error *err)
{
    int64_t n = kanon_rest_count(run->rest);
    for (int64_t i = 0; i < n; i++) {
        kanon_rest_record record = {.struct_size = sizeof record};
        kanon_status st = kanon_rest_at(&record, run->rest, i, err);
        if (st != KANON_OK)
            return st;
        const bundle *left = &run->left[record.from_block];
        bundle_mark *at = &taken[record.from_block];
        if (at->line >= left->marks[1].line)
            return worker_fail(err, KANON_EINTERNAL, "the check found the line of a record left over missing");
        uint32_t size = left->lines[at->line].size;
        run->guests[i] = (guest){record.to_block, record.to_group, record.place, left->bytes + at->byte, size};
        *at = (bundle_mark){at->byte + size, at->line + 1};
    }
    qsort(run->guests, (size_t)n, sizeof *run->guests, by_block_and_place);
    return KANON_OK;
}

static kanon_status find_guests(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bundle_mark *taken = NULL;
    int64_t n = kanon_rest_count(run->rest);
    WORKER_TRY(worker_new(&run->guests, n, sizeof *run->guests, err));
    WORKER_TRY(worker_new(&run->first_guest, run->n_blocks + 1, sizeof *run->first_guest, err));
    WORKER_TRY(worker_new(&taken, run->n_blocks, sizeof *taken, err));
    WORKER_TRY(list_guests(run, taken, err));
    for (int64_t block = 0, i = 0; block <= run->n_blocks; block++) {
        while (i < n && run->guests[i].block < block)
            i++;
        run->first_guest[block] = i;
    }
out:
    free(taken);
    return st;
}

kanon_status stage_rest(workers_run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    worker_stage offer = {
        .name = "placing the rest", .n_tasks = run->n_blocks, .run = offer_block, .done = merge_offers, .payload = run};
    while (!kanon_rest_done(run->rest)) {
        WORKER_TRY(worker_pool_run(&run->pool, &offer, err));
        WORKER_TRY(kanon_rest_place(run->rest, run->offers, err));
        kanon_piece_free(run->offers);
        run->offers = NULL;
    }
    for (int64_t block = 0; block < run->n_blocks; block++)
        exchange_drop(&run->exchange, "boxes", block);
    WORKER_TRY(find_guests(run, err));
out:
    return st;
}
