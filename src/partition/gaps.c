/* See gaps.h. For each part one counting pass per dimension finds the best cut, in parallel for large parts; the rows
 * are then divided in place (partition/row_parts.h). Cost: O(attributes * (n + codes)) per level of cuts. */
#include "partition/gaps.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "partition/gap_cut.h"

#include <string.h>

/* For smaller parts starting threads takes longer than the work. */
enum { LARGE_PART = 50000 };

typedef struct gap_partition {
    const kanon__space *space;
    int64_t least;
    int threads;
    int32_t *order, *scratch; /* rows; each part is a stretch of it, its rows ascending */
    int64_t **counts;         /* by dimension and code */
    kanon__gap_cut *best;     /* by dimension: its best cut of the part at hand */
    kanon__row_part now;      /* that part */
    kanon__row_parts stack;
} gap_partition;

/* A task of the pool: the best cut of the part on one dimension. */
static kanon_status inspect_dimension(int64_t i, void *payload, kanon_error *err)
{
    gap_partition *c = payload;
    const kanon__dimension *d = &c->space->dimensions[i];
    int64_t *counts = c->counts[i];
    kanon__gap_scan scan = kanon__gap_scan_begin(d, (int)i, c->now.end - c->now.begin, c->least);
    (void)err;
    memset(counts, 0, (size_t)d->n_codes * sizeof *counts);
    for (int64_t j = c->now.begin; j < c->now.end; j++)
        counts[kanon__code_at(d->codes, c->order[j])]++;
    for (uint32_t code = 0; code < d->n_codes; code++)
        if (counts[code] > 0)
            kanon__gap_scan_code(&scan, code, counts[code]);
    c->best[i] = scan.best;
    return KANON_OK;
}

/* The best cut on any dimension, the first of equals. */
static kanon_status find_cut(kanon__gap_cut *out, gap_partition *c, kanon__row_part p, kanon_error *err)
{
    int m = c->space->n_dimensions;
    *out = KANON__NO_CUT;
    if (!kanon__gap_cut_fits(p.end - p.begin, c->least))
        return KANON_OK;
    c->now = p;
    KANON_CHECK(kanon__pool_run(p.end - p.begin < LARGE_PART ? 1 : c->threads, m, inspect_dimension, c, err));
    for (int i = 0; i < m; i++)
        if (kanon__gap_cut_better(&c->best[i], out))
            *out = c->best[i];
    return KANON_OK;
}

/* Move the left rows to the front of the part, both sides in record order. Returns where the right side begins. */
static int64_t divide(gap_partition *c, kanon__row_part p, const kanon__gap_cut *at)
{
    kanon__codes codes = c->space->dimensions[at->dimension].codes;
    int64_t left = p.begin, right = 0;
    for (int64_t i = p.begin; i < p.end; i++) {
        int32_t row = c->order[i];
        if (kanon__code_at(codes, row) <= at->code)
            c->order[left++] = row;
        else
            c->scratch[right++] = row;
    }
    memcpy(c->order + left, c->scratch, (size_t)right * sizeof *c->scratch);
    return left;
}

static kanon_status cut_parts(gap_partition *c, kanon__parts *parts, kanon__ticker *ticker, kanon_error *err)
{
    while (c->stack.n > 0) {
        kanon__row_part p = kanon__row_parts_pop(&c->stack);
        kanon__gap_cut best;
        KANON_CHECK(find_cut(&best, c, p, err));
        KANON_CHECK(kanon__tick(ticker, p.begin, c->space->n_rows, 20 * (p.end - p.begin), err));
        if (best.dimension < 0) {
            parts->begins[++parts->n] = p.end; /* parts come from left to right */
            continue;
        }
        int64_t middle = divide(c, p, &best);
        KANON_CHECK(kanon__row_parts_push_halves(&c->stack, p, middle, err));
    }
    return KANON_OK;
}

kanon_status kanon__parts_at_gaps(kanon__parts **out, const kanon__space *space, int64_t least, int threads,
                                  kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__parts *parts = NULL;
    gap_partition c = {.space = space, .least = least, .threads = threads};
    int64_t n = space->n_rows;
    *out = NULL;
    KANON_TRY(kanon__new_array(&parts, 1, "parts", err), out);
    KANON_TRY(kanon__new_array(&parts->begins, n / least + 2, "parts", err), out);
    KANON_TRY(kanon__new_array(&c.order, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&c.scratch, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&c.best, space->n_dimensions, "row order", err), out);
    KANON_TRY(kanon__new_array(&c.counts, space->n_dimensions, "row order", err), out);
    for (int i = 0; i < space->n_dimensions; i++)
        KANON_TRY(kanon__new_array(&c.counts[i], space->dimensions[i].n_codes, "row order", err), out);
    for (int64_t row = 0; row < n; row++)
        c.order[row] = (int32_t)row;
    KANON_TRY(kanon__row_parts_push(&c.stack, (kanon__row_part){0, n}, err), out);
    KANON_TRY(cut_parts(&c, parts, ticker, err), out);
    parts->rows = c.order;
    c.order = NULL;
    *out = parts;
    parts = NULL;
out:
    kanon__free(c.stack.items);
    for (int i = 0; c.counts != NULL && i < space->n_dimensions; i++)
        kanon__free(c.counts[i]);
    kanon__free(c.counts);
    kanon__free(c.best);
    kanon__free(c.scratch);
    kanon__free(c.order);
    kanon__parts_free(parts);
    return st;
}
