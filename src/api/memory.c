#include "api/memory.h"

#include <stdio.h>

/* Blocks that are cut without being asked for: large enough to cost little loss. */
enum { USUAL_BLOCK = 100000, LEAST_BLOCK = 2000, BLOCK_PER_K = 100 };

/* Blocks are cut at gaps, so one can have more than the least number of records. */
enum { LARGEST_BLOCK = 3 };

/* ---- what is needed ---------------------------------------------------------------------------------------------------
 * */

static int64_t table_bytes(const kanon_table *t)
{
    int64_t bytes = 0;
    for (int i = 0; i < t->n_columns; i++) {
        const kanon__column *c = &t->columns[i];
        if (!c->encoded)
            continue;
        enum { TEXT_AND_VALUE = 64, NODE = 96, PAIR_TABLE = 1 << 20 };
        bytes += c->codes.spilled ? 0 : (int64_t)c->codes.size;
        bytes += (int64_t)c->n_codes * (c->taxonomy != NULL ? NODE : TEXT_AND_VALUE) + PAIR_TABLE;
    }
    return bytes;
}

/* The grouping itself, and the cells of the release for every group with their check. */
static int64_t release_bytes(const kanon_table *t, int64_t k)
{
    enum { GROUP_OF_A_ROW = 4, GROUP = 80, CELL = 96 };
    return t->n_rows * GROUP_OF_A_ROW * 2 + t->n_rows / k * (GROUP + (int64_t)CELL * t->n_quasi);
}

/* The order of the rows while they are cut, and the groups inside the blocks. */
static int64_t cutting_bytes(const kanon_table *t)
{
    return t->n_rows * 12;
}

typedef struct need {
    int64_t n_rows;
    int64_t whole; /* all records at once */
    int64_t base;  /* in blocks: what does not depend on their size */
    int64_t row;   /* in blocks: per record of the blocks that run */
} need;

static need needed(const kanon__algorithm *a, const kanon_table *t, int64_t k)
{
    enum { FIXED = 16 << 20, CODE = 4 }; /* program, buffers, reports; a block's own columns */
    int64_t base = FIXED + table_bytes(t) + release_bytes(t, k);
    return (need){.n_rows = t->n_rows,
                  .whole = base + kanon__algorithm_need(a, t->n_rows, t->n_quasi),
                  .base = base + cutting_bytes(t),
                  .row = kanon__algorithm_need(a, 1, t->n_quasi) + (int64_t)CODE * (t->n_quasi + t->n_sensitive)};
}

static int64_t blocks_need(const need *n, int64_t block)
{
    int64_t records = block < n->n_rows / LARGEST_BLOCK ? LARGEST_BLOCK * block : n->n_rows;
    return n->base + records * n->row;
}

/* ---- what is done about it -------------------------------------------------------------------------------------------- */

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

static kanon_status fail_short(const kanon__algorithm *a, const kanon_table *t, const need *n, int64_t k, int64_t asked,
                               int64_t memory, kanon_error *err)
{
    char wanted[32], allowed[32], small[32];
    int64_t bytes = asked > 0 ? blocks_need(n, asked) : n->whole;
    size_text(wanted, bytes);
    size_text(allowed, memory);
    size_text(small, blocks_need(n, least_block(k)));
    kanon_status st = kanon__fail(err, KANON_ENOMEM,
                                  "%s needs about %s of memory for %lld records%s, more than the %s it may use",
                                  a->info.name, wanted, (long long)t->n_rows, asked > 0 ? " in these blocks" : "", allowed);
    if (blocks_need(n, least_block(k)) < bytes)
        return kanon__hint(err, st, "allow %s, or %s with blocks of %lld records", wanted, small, (long long)least_block(k));
    return kanon__hint(err, st, "allow %s", wanted);
}

kanon_status kanon__pace_choose(kanon__pace *out, const kanon__algorithm *a, const kanon_table *t, int64_t k, int64_t asked,
                                int64_t memory, kanon_error *err)
{
    need n = needed(a, t, k);
    bool slow = a->minute > 0 && t->n_rows > a->minute, large = memory > 0 && n.whole > memory;
    *out = (kanon__pace){.blocks = asked > 0 ? asked : 0};
    if (asked == 0 && (slow || large)) {
        int64_t block = slow && a->minute / 2 < USUAL_BLOCK ? a->minute / 2 : USUAL_BLOCK;
        while (memory > 0 && block > least_block(k) && blocks_need(&n, block) > memory)
            block /= 2;
        out->blocks = block > least_block(k) ? block : least_block(k);
    }
    if (memory == 0)
        return KANON_OK;
    if (out->blocks > 0 ? blocks_need(&n, out->blocks) > memory : large)
        return fail_short(a, t, &n, k, out->blocks, memory, err);
    out->block_bytes = memory - n.base;
    return KANON_OK;
}
