#include "partition/blocks.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "partition/gaps.h"
#include "partition/part_table.h"

typedef struct blocks {
    kanon__run *run; /* of the whole table */
    kanon__grouper algorithm;
    int threads;
    kanon__parts *parts;
    int32_t *group_of;      /* by place in parts->rows: the group inside its block */
    int32_t *n_groups;      /* by block */
    kanon__texts *warnings; /* by block */
    kanon__shared_ticker shared;
} blocks;

static kanon_status run_block(int64_t index, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    blocks *b = payload;
    kanon_table table = {0};
    kanon__space *space = NULL;
    kanon__ticker ticker;
    kanon__random random;
    int64_t begin = b->parts->begins[index], n = b->parts->begins[index + 1] - begin;
    kanon__random_init(&random, b->run->seed, (uint64_t)index); /* every block has a seed of its own */
    kanon__shared_ticker_task(&ticker, &b->shared);
    KANON_TRY(kanon__part_table_init(&table, b->run->table, b->parts->rows + begin, n, err), out);
    KANON_TRY(kanon__space_new(&space, &table, table.quasi, table.n_quasi, KANON__TERMS_LOSS, err), out);
    kanon__run run = *b->run;
    kanon__constraints constraints;
    if (run.constraints != NULL) {
        constraints = kanon__constraints_for(run.constraints, &table);
        run.constraints = &constraints;
    }
    run.table = &table;
    run.space = space;
    run.seed = kanon__random_next(&random);
    run.threads = 1;
    run.ticker = &ticker;
    run.warnings = &b->warnings[index];
    run.chosen = NULL; /* every block chooses for itself */
    run.notes = NULL;
    run.shown = NULL;
    run.group_of = b->group_of + begin;
    run.n_groups = 0;
    KANON_TRY(b->algorithm(&run, err), out);
    b->n_groups[index] = run.n_groups;
    kanon__shared_ticker_add(&b->shared, n);
out:
    kanon__space_free(space);
    kanon__part_table_clear(&table);
    return st;
}

/* ---- all of them ------------------------------------------------------------------------------------------------------ */

static void collect_groups(blocks *b)
{
    kanon__run *run = b->run;
    run->n_groups = 0;
    for (int64_t block = 0; block < b->parts->n; block++) {
        for (int64_t i = b->parts->begins[block]; i < b->parts->begins[block + 1]; i++)
            run->group_of[b->parts->rows[i]] = b->group_of[i] >= 0 ? run->n_groups + b->group_of[i] : KANON__SUPPRESSED;
        run->n_groups += b->n_groups[block];
    }
}

/* What a block had to say is told once, with how many blocks said something. */
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

static kanon_status run_blocks(blocks *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = b->run->table->n_rows;
    KANON_TRY(kanon__new_array(&b->group_of, n, "blocks", err), out);
    KANON_TRY(kanon__new_array(&b->n_groups, b->parts->n, "blocks", err), out);
    KANON_TRY(kanon__new_array(&b->warnings, b->parts->n, "blocks", err), out);
    kanon__shared_ticker_init(&b->shared, b->run->ticker, n);
    st = kanon__pool_run(b->threads, b->parts->n, run_block, b, err);
    kanon__shared_ticker_clear(&b->shared);
    if (st != KANON_OK)
        goto out;
    collect_groups(b);
    KANON_TRY(collect_warnings(b, err), out);
out:
    for (int64_t block = 0; b->warnings != NULL && block < b->parts->n; block++)
        kanon__texts_clear(&b->warnings[block]);
    kanon__free(b->warnings);
    kanon__free(b->n_groups);
    kanon__free(b->group_of);
    return st;
}

/* How many threads the memory has room for. */
static int threads_that_fit(const blocks *b, int64_t row_bytes, int64_t most_bytes)
{
    int64_t largest = 1;
    for (int64_t i = 0; i < b->parts->n; i++) {
        int64_t n = b->parts->begins[i + 1] - b->parts->begins[i];
        largest = n > largest ? n : largest;
    }
    int64_t fit = most_bytes > 0 ? most_bytes / (largest * row_bytes) : INT32_MAX;
    return fit < 1 ? 1 : fit < b->run->threads ? (int)fit : b->run->threads;
}

kanon_status kanon__blocks_run(kanon__run *run, int64_t least, int64_t row_bytes, int64_t most_bytes,
                               kanon__grouper algorithm, kanon_error *err)
{
    kanon_status st = KANON_OK;
    blocks b = {.run = run, .algorithm = algorithm};
    KANON_TRY(kanon__parts_at_gaps(&b.parts, run->space, least, run->ticker, err), out);
    b.threads = threads_that_fit(&b, row_bytes, most_bytes);
    KANON_TRY(b.parts->n > 1 ? run_blocks(&b, err) : algorithm(run, err), out);
out:
    kanon__parts_free(b.parts);
    return st;
}
