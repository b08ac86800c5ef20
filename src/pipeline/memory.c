/* See memory.h. Grouping and release follow each other, so that the larger of the two counts; what both have is the table
 * with the group of each record:
 *
 *     all at once    base + max(algorithm * n, next step, release)
 *     in blocks      base + max(cutting + row * records of the blocks that run, last step, release)
 *
 * The constants are bytes per row, cell and group as allocated; they err on the high side, by a tenth or two where there are
 * many records. docs/speed.md compares them with what was measured. */
#include "pipeline/memory.h"
#include "pipeline/released_notice.h"

#include "model/space.h"
#include "release/extent.h"
#include "release/row_order.h"

#include <stdio.h>

/* The size of blocks that the user did not ask for: large enough to cost little loss. */
enum { USUAL_BLOCK = 100000, LEAST_BLOCK = 2000, BLOCK_PER_K = 100 };

/* A block of twice the least number of records is cut again, unless its values allow no cut; whether the largest one fits is
 * seen once more when the table is cut (partition/blocks.c). */
enum { LARGEST_BLOCK = 2 };

/* ---- what is needed ---------------------------------------------------------------------------------------------- */

/* What two categories cost, where these are few, or runs of them, where they are not too many (model/space.h). */
static int64_t pair_table_bytes(const kanon__domain *d)
{
    enum { MOST_LEVELS = 15 };
    int64_t n = d->taxonomy != NULL && d->n_codes <= KANON__STEP_TABLE_LEAVES ? d->n_codes : 0;
    return n * (n <= KANON__PAIR_TABLE_LEAVES ? n : MOST_LEVELS) * (int64_t)sizeof(uint32_t);
}

static int64_t table_bytes(const kanon__data *t)
{
    enum { TEXT_AND_VALUE = 80, NODE = 120 }; /* with what their check keeps */
    int64_t bytes = 0;
    for (int i = 0; i < t->n_columns; i++) {
        const kanon__column *c = &t->columns[i];
        if (c->domain == NULL)
            continue;
        bytes += c->codes.spilled ? 0 : (int64_t)c->codes.size;
        bytes += (int64_t)c->domain->n_codes * (c->domain->taxonomy != NULL ? NODE : TEXT_AND_VALUE);
        bytes += 2 * pair_table_bytes(c->domain); /* the search has one of its own */
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

/* The text of a code, as messages and releases show it. */
static size_t text_length(const kanon__column *c, uint32_t code)
{
    size_t length;
    if (c->domain->taxonomy != NULL)
        kanon__taxonomy_label(c->domain->taxonomy, c->domain->taxonomy->leaf_node[code], &length);
    else
        kanon__column_text(c, code, &length);
    return length;
}

/* About the length of a released cell: an interval of numbers, or a label between those of usual and greatest length. */
static int64_t cell_text_bytes(const kanon__column *c)
{
    enum { LOOKED_AT = 1000, INTERVAL = 4, DELIMITER = 1 };
    uint32_t n = c->domain->n_codes - (c->domain->missing_code != KANON__NO_CODE), step = n / LOOKED_AT + 1;
    int64_t sum = 0, most = 0, looked_at = 0;
    for (uint32_t code = 0; code < n; code += step, looked_at++) {
        int64_t length = (int64_t)text_length(c, code);
        sum += length;
        most = length > most ? length : most;
    }
    int64_t mean = looked_at > 0 ? (sum + looked_at - 1) / looked_at : 1;
    return DELIMITER + (c->domain->taxonomy != NULL ? (mean + most) / 2 : 2 * mean + INTERVAL);
}

/* Stretches of quasi columns that stand side by side in the release. */
static int64_t count_runs(const kanon__data *t)
{
    int64_t n = 0;
    bool in_run = false;
    for (int i = 0; i < t->n_columns; i++) {
        kanon_role role = t->columns[i].role;
        n += role == KANON_ROLE_QUASI && !in_run;
        in_run = role == KANON_ROLE_QUASI || (role == KANON_ROLE_IDENTIFYING && in_run);
    }
    return n;
}

/* A Parquet file or a table of a database: batches lie in files, one column of all groups is made at a time; the driver, and
 * what is read back, take most of it. */
static int64_t typed_release_bytes(const kanon__workload *w)
{
    enum { DRIVER = 48 << 20, ROW = 2, CELL = 4 };
    const kanon__data *t = w->table;
    return DRIVER + t->n_rows * ROW + t->n_rows / w->k * CELL * t->n_quasi;
}

/* The cells of the release for every group with their check, what the check notes of every record, and the parts that are
 * being written. */
static int64_t release_bytes(const kanon__workload *w)
{
    enum { SEEN = 1, CLASS = 4, SIZE = 8, RUN = 8 + 16, BOUNDS = 8, SLOT = 8, PART = 384 << 10, FEW = 4 };
    const kanon__data *t = w->table;
    if (w->typed)
        return typed_release_bytes(w);
    int64_t parts = w->threads > FEW ? 2 * ((int64_t)w->threads - FEW) : 0; /* those of a few threads count as fixed */
    int64_t n_groups = t->n_rows / w->k, group = SIZE + CLASS + RUN * count_runs(t), slots = 16;
    while (slots < 2 * n_groups)
        slots *= 2;
    for (int i = 0; i < t->n_quasi; i++) {
        int64_t text = cell_text_bytes(&t->columns[t->quasi[i]]);
        group += BOUNDS + text + text / 4; /* they grow by and by */
        if (w->means && kanon__column_is_numeric(&t->columns[t->quasi[i]]))
            group += (int64_t)sizeof(kanon__mean_sum);
    }
    return t->n_rows * (SEEN + CLASS) + n_groups * group + slots * SLOT + parts * PART;
}

/* The hashes of all records, and what all groups show. */
static int64_t order_bytes(const kanon__workload *w)
{
    enum { GROUP = 24 };
    const kanon__data *t = w->table;
    if (!w->shuffled)
        return 0;
    return t->n_rows * KANON__ROW_ORDER_BYTES + t->n_rows / w->k * (GROUP + (int64_t)sizeof(kanon__extent) * t->n_quasi);
}

/* The cells of permuted columns, their places, and what all places are drawn from; and drawn ends. */
static int64_t drawn_bytes(const kanon__data *t, int64_t k)
{
    enum { ROW = 16 + 8 + 2 * 16, CELL = 4 + 8 + 1 + 16, ENDS = 16 };
    int64_t bytes = 0, n = 0;
    for (int i = 0; i < t->n_columns; i++) {
        n += t->columns[i].permuted;
        bytes += t->columns[i].drawn ? t->n_rows / k * ENDS : 0;
    }
    return bytes + (n > 0 ? t->n_rows * (ROW + n * CELL) : 0);
}

/* The order of the rows while they are cut, then the groups inside the blocks, and their boxes for what is left over. */
static int64_t cutting_bytes(const kanon__data *t, int64_t k)
{
    enum { ROW = 8, SIZE = 8, BOUNDS = 8 };
    return t->n_rows * ROW + t->n_rows / k * (SIZE + (int64_t)BOUNDS * t->n_quasi);
}

/* A record in the columns of a block of its own. */
static int64_t record_bytes(const kanon__data *t)
{
    int64_t bytes = 0;
    for (int i = 0; i < t->n_columns; i++)
        bytes += t->columns[i].domain != NULL ? t->columns[i].codes.width : 0;
    return bytes;
}

typedef struct need {
    int64_t n_rows;
    int64_t whole; /* all records at once */
    int64_t base;  /* in blocks: what does not depend on their size */
    int64_t row;   /* in blocks: per record of the blocks that run */
    int64_t then;  /* all records at once: the step after the algorithm */
    int64_t after; /* in blocks, when they are done: what follows knows no blocks */
    int64_t release;
} need;

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* With what the allocator keeps between and behind its pieces. */
static int64_t spread(int64_t bytes)
{
    return bytes + bytes / 16;
}

static need needed(const kanon__workload *w)
{
    enum { FIXED = 12 << 20, GROUP_OF = 4 }; /* program, buffers, reports; the group of each record */
    const kanon__data *t = w->table;
    int64_t base = FIXED + spread(table_bytes(t) + t->n_rows * GROUP_OF);
    int64_t release = base + spread(release_bytes(w) + order_bytes(w) + drawn_bytes(w->table, w->k));
    int64_t all = kanon__algorithm_need(w->algorithm, t->n_rows, t->n_quasi);
    int64_t notice = base + spread(kanon__released_notice_need(t)); /* when the groups are made */
    release = larger(release, notice);
    return (need){.n_rows = t->n_rows,
                  .whole = larger(base + larger(all, w->then_bytes), release),
                  .base = base + spread(cutting_bytes(t, w->k)),
                  .then = base + w->then_bytes,
                  .row = w->row_bytes + record_bytes(t),
                  .release = release,
                  .after = larger(base + (w->then_in_blocks ? w->at_last_bytes : w->then_bytes), release)};
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
    bool after = w->then_bytes > 0 && bytes == (blocks > 0 ? n->after : n->then) && bytes > n->release,
         cut = !after && blocks > 0 && blocks < n->n_rows;
    size_text(wanted, bytes + spilled_bytes(w->table));
    size_text(allowed, memory);
    size_text(small, least + spilled_bytes(w->table));
    kanon_status st = kanon__fail(
        err, KANON_ENOMEM, "%s needs about %s of memory for %lld records%s, more than the %s it may use",
        after ? w->then : w->algorithm->info.shown.name, wanted, (long long)n->n_rows, cut ? " in these blocks" : "",
        allowed);
    kanon__topic(err, st, "memory");
    if (after && (blocks > 0 || !w->then_in_blocks))
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
    *out = (kanon__block_plan){.least_records = asked > 0 ? asked : 0, .row_bytes = n.row};
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
