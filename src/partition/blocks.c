/* See blocks.h for the steps.
 *
 * Step 4 is the costly one: a record left over is compared with the groups of all blocks. Each block keeps the box
 * around all its records; D of the record and the nearest corner of that box bounds the increase of every group inside
 * from below, so most blocks are skipped. */
#include "partition/blocks.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "model/clusters.h"
#include "partition/gaps.h"
#include "partition/row_run.h"

#include <stdlib.h>

/* What step 4 needs of a block, kept after its table and space are gone. */
typedef struct block_groups {
    kanon__clusters clusters; /* the boxes and sizes of its groups, in codes of the whole table */
    kanon__bound *around;     /* the box of all its records */
    int64_t n_left;           /* its records left over */
} block_groups;

typedef struct blocks {
    kanon__run *run; /* of the whole table */
    const kanon__block_work *work;
    int threads;
    kanon__parts *parts;
    int32_t *turn;          /* by task: its block; the largest first, so that no thread ends alone with a large one */
    int32_t *group_of;      /* by place in parts->rows: the group inside its block */
    int32_t *n_groups;      /* by block */
    block_groups *groups;   /* by block; their boxes are known when all is refined */
    bool *stopped;          /* by block: its refinement was ended early */
    kanon__texts *warnings; /* by block */
    kanon__shared_ticker shared;
} blocks;

/* The boxes of the block's groups, computed while its codes are in memory. */
static kanon_status find_groups(block_groups *out, const kanon__run *run, const kanon__space *whole, kanon_error *err)
{
    int64_t n = run->space->n_rows;
    KANON_CHECK(kanon__clusters_init(&out->clusters, run->space, run->n_groups, err));
    KANON_CHECK(kanon__new_array(&out->around, 2 * whole->n_dimensions, "blocks", err));
    kanon__box_start(run->space, out->around, 0);
    for (int64_t row = 0; row < n; row++) {
        kanon__box_add(run->space, out->around, row);
        if (run->group_of[row] >= 0)
            kanon__clusters_join(&out->clusters, run->group_of[row], row);
        out->n_left += run->group_of[row] == KANON__LEFT_OVER;
    }
    out->clusters.space = whole; /* codes are the same in both */
    return KANON_OK;
}

/* A run on the rows of a block. */
static kanon_status begin_block(kanon__row_run *part, const blocks *b, int64_t index, kanon__ticker *ticker,
                                kanon_error *err)
{
    int64_t begin = b->parts->begins[index], n = b->parts->begins[index + 1] - begin;
    kanon_status st = kanon__row_run_init(part, b->run, b->parts->rows + begin, n, b->group_of + begin, err);
    part->run.seed = kanon__block_seed(b->run->seed, index);
    part->run.threads = 1;
    part->run.ticker = ticker;
    part->run.warnings = &b->warnings[index];
    part->run.chosen = NULL; /* every block chooses for itself */
    part->run.notes = NULL;
    part->run.leave_rest = true;
    return st;
}

/* A task of the pool: writes only what belongs to its block. */
static kanon_status run_block(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    blocks *b = payload;
    int64_t index = b->turn[task];
    kanon__row_run part = {0};
    kanon__ticker ticker;
    kanon__shared_ticker_task(&ticker, &b->shared);
    KANON_TRY(begin_block(&part, b, index, &ticker, err), out);
    KANON_TRY(b->work->algorithm(&part.run, err), out);
    b->n_groups[index] = part.run.n_groups;
    if (b->work->refining.run == NULL)
        KANON_TRY(find_groups(&b->groups[index], &part.run, b->run->space, err), out);
    kanon__shared_ticker_add(&b->shared, part.run.table->n_rows);
out:
    kanon__row_run_clear(&part);
    return st;
}

/* What is asked of all blocks, "finish", is told to a block once; what it does after that is to be done. */
typedef struct told_once {
    kanon__ticker all;
    bool told;
} told_once;

static int tell_once(const kanon_progress *progress, void *payload)
{
    told_once *t = payload;
    int answer = t->all.tick(progress, t->all.payload);
    bool again = answer == KANON_TICK_FINISH && t->told;
    t->told = t->told || answer == KANON_TICK_FINISH;
    return again ? 0 : answer;
}

/* Likewise, after all blocks were grouped: the stage is another one, which can be ended at any time. Blocks that have not
 * begun then stay as they are. */
static kanon_status refine_block(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    blocks *b = payload;
    int64_t index = b->turn[task];
    kanon__row_run part = {0};
    told_once relay = {0};
    kanon__shared_ticker_task(&relay.all, &b->shared);
    kanon__ticker ticker = relay.all;
    ticker.tick = relay.all.tick != NULL ? tell_once : NULL;
    ticker.payload = &relay;
    KANON_TRY(begin_block(&part, b, index, &ticker, err), out);
    part.run.n_groups = b->n_groups[index];
    b->stopped[index] = kanon__shared_ticker_finishes(&b->shared);
    if (!b->stopped[index])
        KANON_TRY(kanon__block_refine(&part.run, &b->work->refining, b->run->table->n_rows, err), out);
    b->n_groups[index] = part.run.n_groups;
    b->stopped[index] = b->stopped[index] || part.run.stopped;
    KANON_TRY(find_groups(&b->groups[index], &part.run, b->run->space, err), out);
    kanon__shared_ticker_add(&b->shared, part.run.table->n_rows);
out:
    kanon__row_run_clear(&part);
    return st;
}

/* One step on all blocks. */
static kanon_status run_step(blocks *b, kanon__ticker *ticker, kanon__task step, kanon_error *err)
{
    kanon__shared_ticker_init(&b->shared, ticker, b->run->table->n_rows);
    kanon_status st = kanon__pool_run(b->threads, b->parts->n, step, b, err);
    kanon__shared_ticker_clear(&b->shared);
    return st;
}

/* ---- step 4: records left over ----------------------------------------------------------------------------------- */

typedef struct leftover {
    int32_t row;
    int32_t block;
} leftover;

/* The group that a record left over joins. */
typedef struct host {
    int64_t block, group; /* block -1: none yet */
    int64_t increase;
} host;

static int by_row(const void *left, const void *right)
{
    int32_t a = ((const leftover *)left)->row, b = ((const leftover *)right)->row;
    return a < b ? -1 : a > b;
}

/* Whether a group of the block may be better than the best one: its increase is at least D of the record and the nearest
 * corner of the block's box. Blocks are inspected in order but for the first, so ties go by block, then group. */
static bool may_host(const blocks *b, int64_t block, const host *best, int64_t row)
{
    const kanon__space *space = b->run->space;
    int64_t units = 0;
    for (int i = 0; i < space->n_dimensions; i++) {
        const kanon__dimension *d = &space->dimensions[i];
        uint32_t lo = b->groups[block].around[2 * i], hi = b->groups[block].around[2 * i + 1];
        uint32_t own = kanon__code_at(d->codes, row), near = own < lo ? lo : own > hi ? hi : own;
        units += kanon__dimension_units(d, own < near ? own : near, own < near ? near : own);
    }
    return units < best->increase || (units == best->increase && block < best->block);
}

static void inspect_block(const blocks *b, int64_t block, host *best, int64_t row)
{
    const kanon__clusters *c = &b->groups[block].clusters;
    for (int64_t group = 0; group < c->n; group++) {
        if (c->sizes[group] == 0)
            continue;
        int64_t increase = kanon__clusters_increase(c, group, row);
        if (increase < best->increase || (increase == best->increase && block < best->block))
            *best = (host){block, group, increase};
    }
}

/* The group with the least increase, the lowest of equals. The record's own block comes first: a small increase found early
 * rules out most other blocks. */
static host find_host(const blocks *b, const leftover *l)
{
    host best = {.block = INT64_MAX, .increase = INT64_MAX};
    inspect_block(b, l->block, &best, l->row);
    for (int64_t block = 0; block < b->parts->n; block++)
        if (block != l->block && may_host(b, block, &best, l->row))
            inspect_block(b, block, &best, l->row);
    return best;
}

/* In record order, as if there were no blocks: each record counts for those after it. */
static kanon_status place_leftovers(blocks *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    leftover *left = NULL;
    int64_t n = 0, *first = NULL;
    KANON_TRY(kanon__new_array(&first, b->parts->n + 1, "blocks", err), out);
    for (int64_t block = 0; block < b->parts->n; block++) {
        first[block + 1] = first[block] + b->n_groups[block];
        n += b->groups[block].n_left;
    }
    KANON_TRY(kanon__new_array(&left, n, "records left over", err), out);
    n = 0;
    for (int64_t block = 0; block < b->parts->n; block++)
        for (int64_t i = b->parts->begins[block]; b->groups[block].n_left > 0 && i < b->parts->begins[block + 1]; i++)
            if (b->group_of[i] == KANON__LEFT_OVER)
                left[n++] = (leftover){b->parts->rows[i], (int32_t)block};
    qsort(left, (size_t)n, sizeof *left, by_row);
    for (int64_t i = 0; i < n; i++) {
        host h = find_host(b, &left[i]);
        kanon__clusters_join(&b->groups[h.block].clusters, h.group, left[i].row);
        b->run->group_of[left[i].row] = (int32_t)(first[h.block] + h.group);
        KANON_TRY(kanon__tick(b->run->ticker, b->run->table->n_rows, b->run->table->n_rows, 1000000, err), out);
    }
out:
    kanon__free(left);
    kanon__free(first);
    return st;
}

/* ---- steps 2 and 3: groups --------------------------------------------------------------------------------------- */

/* Groups are numbered block by block. */
static void collect_groups(blocks *b)
{
    kanon__run *run = b->run;
    run->n_groups = 0;
    for (int64_t block = 0; block < b->parts->n; block++) {
        for (int64_t i = b->parts->begins[block]; i < b->parts->begins[block + 1]; i++)
            run->group_of[b->parts->rows[i]] = b->group_of[i] >= 0 ? run->n_groups + b->group_of[i] : b->group_of[i];
        run->n_groups += b->n_groups[block];
        run->stopped = run->stopped || b->stopped[block];
    }
}

/* Blocks mostly warn of the same thing: the first warning is reported, with the number of blocks that warned. */
static kanon_status collect_warnings(blocks *b, kanon_error *err)
{
    int64_t n_warned = 0, first = -1;
    for (int64_t block = 0; block < b->parts->n; block++) {
        n_warned += b->warnings[block].n > 0;
        if (first < 0 && b->warnings[block].n > 0)
            first = block;
    }
    if (first < 0)
        return KANON_OK;
    return kanon__texts_addf(b->run->warnings, err, "in %lld of %lld blocks: %s", (long long)n_warned,
                             (long long)b->parts->n, b->warnings[first].items[0]);
}

/* A block by its size, for sorting. */
typedef struct sized_block {
    int64_t n_rows;
    int32_t block;
} sized_block;

static int by_falling_size(const void *left, const void *right)
{
    const sized_block *a = left, *b = right;
    if (a->n_rows != b->n_rows)
        return a->n_rows > b->n_rows ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

static kanon_status order_blocks(blocks *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sized_block *order = NULL;
    int64_t n = b->parts->n;
    KANON_TRY(kanon__new_array(&b->turn, n, "blocks", err), out);
    KANON_TRY(kanon__new_array(&order, n, "blocks", err), out);
    for (int64_t i = 0; i < n; i++)
        order[i] = (sized_block){b->parts->begins[i + 1] - b->parts->begins[i], (int32_t)i};
    qsort(order, (size_t)n, sizeof *order, by_falling_size);
    for (int64_t i = 0; i < n; i++)
        b->turn[i] = order[i].block;
out:
    kanon__free(order);
    return st;
}

static kanon_status run_blocks(blocks *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = b->run->table->n_rows;
    KANON_TRY(order_blocks(b, err), out);
    KANON_TRY(kanon__new_array(&b->group_of, n, "blocks", err), out);
    KANON_TRY(kanon__new_array(&b->n_groups, b->parts->n, "blocks", err), out);
    KANON_TRY(kanon__new_array(&b->groups, b->parts->n, "blocks", err), out);
    KANON_TRY(kanon__new_array(&b->warnings, b->parts->n, "blocks", err), out);
    KANON_TRY(kanon__new_array(&b->stopped, b->parts->n, "blocks", err), out);
    KANON_TRY(run_step(b, b->run->ticker, run_block, err), out);
    if (b->work->refining.run != NULL)
        KANON_TRY(run_step(b, b->work->refining_ticker, refine_block, err), out);
    collect_groups(b);
    if (!b->run->leave_rest)
        KANON_TRY(place_leftovers(b, err), out);
    KANON_TRY(collect_warnings(b, err), out);
out:
    for (int64_t block = 0; b->warnings != NULL && block < b->parts->n; block++)
        kanon__texts_clear(&b->warnings[block]);
    kanon__free(b->warnings);
    kanon__free(b->stopped);
    for (int64_t block = 0; b->groups != NULL && block < b->parts->n; block++) {
        kanon__clusters_clear(&b->groups[block].clusters);
        kanon__free(b->groups[block].around);
    }
    kanon__free(b->groups);
    kanon__free(b->n_groups);
    kanon__free(b->group_of);
    kanon__free(b->turn);
    return st;
}

/* The number of blocks that fit into memory at a time, by the largest one. Values that are equal cannot be cut apart, so
 * that one may be larger than was foreseen; a twentieth more than is allowed is not worth a failure. */
static kanon_status choose_threads(blocks *b, kanon_error *err)
{
    int64_t row_bytes = b->work->row_bytes, most_bytes = b->work->most_bytes;
    int64_t largest = 1;
    for (int64_t i = 0; i < b->parts->n; i++) {
        int64_t n = b->parts->begins[i + 1] - b->parts->begins[i];
        largest = n > largest ? n : largest;
    }
    if (most_bytes > 0 && largest * row_bytes - most_bytes > most_bytes / 20) {
        kanon_status st = kanon__fail(err, KANON_ENOMEM,
                                      "a block of %lld records needs about %lldM of memory more than allowed",
                                      (long long)largest, (long long)((largest * row_bytes - most_bytes) >> 20) + 1);
        kanon__topic(err, st, "memory");
        return kanon__hint(err, st, "allow so much more, or ask for smaller blocks");
    }
    int64_t fit = most_bytes > 0 ? most_bytes / (largest * row_bytes) : INT32_MAX;
    b->threads = fit < 1 ? 1 : fit < b->run->threads ? (int)fit : b->run->threads;
    return KANON_OK;
}

kanon_status kanon__blocks_run(kanon__run *run, const kanon__block_work *work, bool *refined, kanon_error *err)
{
    kanon_status st = KANON_OK;
    blocks b = {.run = run, .work = work};
    KANON_TRY(kanon__parts_at_gaps(&b.parts, run->space, work->least, run->threads, run->ticker, err), out);
    KANON_TRY(choose_threads(&b, err), out);
    KANON_TRY(b.parts->n > 1 ? run_blocks(&b, err) : work->algorithm(run, err), out);
    if (refined != NULL)
        *refined = b.parts->n > 1 && work->refining.run != NULL;
out:
    kanon__parts_free(b.parts);
    return st;
}
