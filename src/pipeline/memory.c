/* See memory.h. The estimate is a sum of table, algorithm and release; blocks replace the algorithm's share by that of the
 * blocks that run at a time:
 *
 *     all at once    fixed + table + release + max(algorithm * n, next step)
 *     in blocks      max(fixed + table + release + cutting + algorithm * 3 * block, fixed + table + release + next step)
 *
 * The constants are bytes per row, cell and group as allocated; they err on the high side. */
#include "pipeline/memory.h"

#include <stdio.h>

/* The size of blocks that the user did not ask for: large enough to cost little loss. */
enum { USUAL_BLOCK = 100000, LEAST_BLOCK = 2000, BLOCK_PER_K = 100 };

/* Blocks are cut at gaps, so a block may have more than the least number of records: up to about so many times. */
enum { LARGEST_BLOCK = 3 };

/* ---- what is needed ---------------------------------------------------------------------------------------------- */

static int64_t table_bytes(const kanon__data *t)
{
    int64_t bytes = 0;
    for (int i = 0; i < t->n_columns; i++) {
        const kanon__column *c = &t->columns[i];
        if (c->domain == NULL)
            continue;
        enum { TEXT_AND_VALUE = 80, NODE = 120, PAIR_TABLE = 1 << 20 }; /* with what their check keeps */
        bytes += c->codes.spilled ? 0 : (int64_t)c->codes.size;
        bytes += (int64_t)c->domain->n_codes * (c->domain->taxonomy != NULL ? NODE : TEXT_AND_VALUE) + PAIR_TABLE;
    }
    return bytes;
}

/* Columns in a spill file: they return to memory where more of it is allowed. */
static int64_t spilled_bytes(const kanon__data *t)
{
    int64_t bytes = 0;
    for (int i = 0; i < t->n_columns; i++)
        bytes += t->columns[i].domain != NULL && t->columns[i].codes.spilled ? (int64_t)t->columns[i].codes.size : 0;
    return bytes;
}

/* The grouping itself, the cells of the release for every group with their check, and the parts that are being written. */
static int64_t release_bytes(const kanon__workload *w)
{
    enum { ROW = 2 * 4 + 1, GROUP = 80, CELL = 96, PART = 384 << 10, FEW = 4 };
    const kanon__data *t = w->table;
    int64_t parts = w->threads > FEW ? 2 * ((int64_t)w->threads - FEW) : 0; /* those of a few threads count as fixed */
    return t->n_rows * ROW + t->n_rows / w->k * (GROUP + (int64_t)CELL * t->n_quasi) + parts * PART;
}

/* The order of the rows while they are cut, then the groups inside the blocks, and their boxes for what is left over. */
static int64_t cutting_bytes(const kanon__data *t, int64_t k)
{
    enum { ROW = 12, SIZE = 8, BOUNDS = 8 };
    return t->n_rows * ROW + t->n_rows / k * (SIZE + (int64_t)BOUNDS * t->n_quasi);
}

typedef struct need {
    int64_t n_rows;
    int64_t whole; /* all records at once */
    int64_t base;  /* in blocks: what does not depend on their size */
    int64_t row;   /* in blocks: per record of the blocks that run */
    int64_t after; /* when the algorithm is done: what follows knows no blocks */
} need;

static need needed(const kanon__workload *w)
{
    enum { FIXED = 16 << 20, CODE = 4 }; /* program, buffers, reports; a block's own columns */
    const kanon__data *t = w->table;
    int64_t base = FIXED + table_bytes(t) + release_bytes(w);
    int64_t all = kanon__algorithm_need(w->algorithm, t->n_rows, t->n_quasi);
    return (need){.n_rows = t->n_rows,
                  .whole = base + (all > w->then_bytes ? all : w->then_bytes),
                  .base = base + cutting_bytes(t, w->k),
                  .row = w->row_bytes + (int64_t)CODE * (t->n_quasi + t->n_sensitive),
                  .after = base + (w->then_in_blocks ? w->at_last_bytes : w->then_bytes)};
}

static int64_t blocks_need(const need *n, int64_t block)
{
    int64_t records = block < n->n_rows / LARGEST_BLOCK ? LARGEST_BLOCK * block : n->n_rows;
    int64_t bytes = n->base + records * n->row;
    return bytes > n->after ? bytes : n->after;
}

/* ---- what is done about it --------------------------------------------------------------------------------------- */

static void size_text(char out[32], int64_t bytes)
{
    if (bytes >= 10LL << 30)
        snprintf(out, 32, "%lldG", (long long)((bytes + (1LL << 30) - 1) >> 30));
    else
        snprintf(out, 32, "%lldM", (long long)((bytes + (1LL << 20) - 1) >> 20));
}

static int64_t least_block(int64_t k)
{
    int64_t by_k = k > INT64_MAX / BLOCK_PER_K ? INT64_MAX : k * BLOCK_PER_K;
    return by_k > LEAST_BLOCK ? by_k : LEAST_BLOCK;
}

static kanon_status fail_short(const kanon__workload *w, const need *n, int64_t blocks, int64_t memory, kanon_error *err)
{
    char wanted[32], allowed[32], small[32];
    int64_t bytes = blocks > 0 ? blocks_need(n, blocks) : n->whole, least = blocks_need(n, least_block(w->k));
    bool after = w->then_bytes > 0 && n->after > n->base && bytes == n->after,
         cut = !after && blocks > 0 && blocks < n->n_rows;
    size_text(wanted, bytes + spilled_bytes(w->table));
    size_text(allowed, memory);
    size_text(small, least + spilled_bytes(w->table));
    kanon_status st = kanon__fail(
        err, KANON_ENOMEM, "%s needs about %s of memory for %lld records%s, more than the %s it may use",
        after ? w->then : w->algorithm->info.name, wanted, (long long)n->n_rows, cut ? " in these blocks" : "", allowed);
    kanon__topic(err, st, "memory");
    if (after)
        return kanon__hint(err, st, "allow %s, or %s", wanted, w->instead);
    if (least < bytes && !w->whole)
        return kanon__hint(err, st, "allow %s, or %s with blocks of %lld records", wanted, small,
                           (long long)least_block(w->k));
    return kanon__hint(err, st, "allow %s", wanted);
}

kanon_status kanon__block_plan_choose(kanon__block_plan *out, const kanon__workload *w, int64_t asked, int64_t memory,
                                      kanon_error *err)
{
    need n = needed(w);
    int64_t rate = w->algorithm->records_per_minute, least = least_block(w->k);
    bool slow = rate > 0 && n.n_rows > rate, large = memory > 0 && n.whole > memory;
    *out = (kanon__block_plan){.least_records = asked > 0 ? asked : 0};
    if (asked == 0 && (slow || large)) {
        int64_t block = slow && rate / 2 < USUAL_BLOCK ? rate / 2 : USUAL_BLOCK;
        while (memory > 0 && block > least && blocks_need(&n, block) > memory)
            block /= 2;
        out->least_records = block > least ? block : least;
    }
    if (memory == 0)
        return KANON_OK;
    if (out->least_records > 0 ? blocks_need(&n, out->least_records) > memory : large)
        return fail_short(w, &n, out->least_records, memory, err);
    out->block_bytes = memory - n.base;
    return KANON_OK;
}
