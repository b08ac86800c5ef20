/* Making a new group of the regroup pool by peeling.
 *
 * A growing group (regroup_pool.c) begins with one record and does not see where many records lie together. Peeling goes the
 * other way, like the bump hunting of Friedman and Fisher: the box begins around all free records and gives up those at one
 * of its ends, again and again, until no end can be given up without falling below k. Large groups found this way lose less.
 *
 *   1. The ends of the box: on a numeric dimension the records with the smallest and those with the largest value, on a
 *      categorical one all records outside the subtree, below the common ancestor, of a random one of them.
 *   2. Give up the end with the largest gain per record, a random factor aside: different attempts find different groups.
 *   3. Of the records in the box, k are taken, the lowest indices first; the others stay free.
 *
 * Cost: O(n dimensions) for all records that are given up, and O(n) for each end where something was. */
#include "core/alloc.h"
#include "refine/anneal/regroup_pool.h"

#include <string.h>

/* The records that an end holds: of a numeric dimension those at `value`, of a categorical one those that have `units` or
 * more together with the code `value`. */
typedef struct box_end {
    int dimension;
    uint32_t value, units;
    double score; /* 0: none was found */
} box_end;

/* ---- the workspace ----------------------------------------------------------------------------------------------- */

kanon_status kanon__peeling_init(kanon__peeling *out, int64_t stride, int m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&out->inside, stride, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->counts, stride * m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->leaves, stride, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->ends, m, "moves", err), out);
out:
    if (st != KANON_OK)
        kanon__peeling_clear(out);
    return st;
}

void kanon__peeling_clear(kanon__peeling *p)
{
    kanon__free(p->ends);
    kanon__free(p->leaves);
    kanon__free(p->counts);
    kanon__free(p->inside);
    *p = (kanon__peeling){0};
}

static const uint32_t *column_of(const kanon__regroup_pool *pool, int dimension)
{
    return pool->columns + dimension * pool->stride;
}

/* All free records of the attempt are inside. */
static void begin(kanon__regroup_pool *pool, const kanon__regroup_attempt *a)
{
    kanon__peeling *p = &pool->peeling;
    p->n = 0;
    for (int32_t index = 0; index < pool->n; index++)
        if (kanon__attempt_is_free(a, index))
            p->inside[p->n++] = index;
    for (int i = 0; i < pool->n_categorical; i++) {
        int dimension = pool->categorical[i];
        const uint32_t *column = column_of(pool, dimension);
        int32_t *counts = p->counts + dimension * pool->stride;
        memset(counts, 0, (size_t)pool->n_codes[dimension] * sizeof *counts);
        for (int32_t j = 0; j < p->n; j++)
            counts[column[p->inside[j]]]++;
    }
    for (int i = 0; i < pool->n_numeric; i++)
        p->ends[pool->numeric[i]].known = false;
}

/* ---- 1: the ends ------------------------------------------------------------------------------------------------- */

/* The outermost values of the records inside and the next ones inwards. */
static void find_ends(kanon__column_ends *e, const uint32_t *column, const int32_t *inside, int32_t n)
{
    *e = (kanon__column_ends){.lo = UINT32_MAX, .next_lo = UINT32_MAX, .known = true};
    for (int32_t j = 0; j < n; j++) {
        uint32_t own = column[inside[j]];
        e->lo = own < e->lo ? own : e->lo;
        e->hi = own > e->hi ? own : e->hi;
    }
    for (int32_t j = 0; j < n; j++) {
        uint32_t own = column[inside[j]];
        e->n_lo += own == e->lo;
        e->n_hi += own == e->hi;
        e->next_lo = own > e->lo && own < e->next_lo ? own : e->next_lo;
        e->next_hi = own < e->hi && own > e->next_hi ? own : e->next_hi;
    }
}

/* 2. Keep the end if it scores highest so far. */
static void offer(box_end *best, box_end end, uint32_t gain, int32_t n_leaving, kanon__random *random)
{
    static const double LEAST = 0.3;
    end.score = (double)gain / (n_leaving + 1) * (LEAST + kanon__random_unit(random));
    if (end.score > best->score)
        *best = end;
}

static void offer_numeric(box_end *best, kanon__regroup_pool *pool, int dimension, uint32_t full, int32_t most,
                          kanon__random *random)
{
    kanon__peeling *p = &pool->peeling;
    kanon__column_ends *e = &p->ends[dimension];
    if (!e->known)
        find_ends(e, column_of(pool, dimension), p->inside, p->n);
    uint32_t span = e->hi - e->lo < full ? e->hi - e->lo : full;
    if (span == 0)
        return;
    uint32_t lower = e->hi - e->next_lo < full ? e->hi - e->next_lo : full;
    uint32_t upper = e->next_hi - e->lo < full ? e->next_hi - e->lo : full;
    if (e->n_lo <= most)
        offer(best, (box_end){.dimension = dimension, .value = e->lo}, span - lower, e->n_lo, random);
    if (e->n_hi <= most)
        offer(best, (box_end){.dimension = dimension, .value = e->hi}, span - upper, e->n_hi, random);
}

/* Smallest and largest code of the records inside that have less than `units` together with `code`; their number. */
static int32_t count_below(uint32_t *lo, uint32_t *hi, const kanon__regroup_pool *pool, const kanon__move_costs *c,
                           int dimension, uint32_t code, uint32_t units)
{
    const uint32_t *codes = pool->codes + dimension * pool->stride;
    const int32_t *counts = pool->peeling.counts + dimension * pool->stride;
    int32_t n = 0;
    *lo = UINT32_MAX;
    *hi = 0;
    for (int32_t i = 0; i < pool->n_codes[dimension]; i++) {
        uint32_t own = codes[i];
        if (counts[i] == 0 ||
            kanon__category_units(c, dimension, own < code ? own : code, own > code ? own : code) >= units)
            continue;
        n += counts[i];
        *lo = own < *lo ? own : *lo;
        *hi = own > *hi ? own : *hi;
    }
    return n;
}

static void offer_categorical(box_end *best, const kanon__regroup_pool *pool, const kanon__move_costs *c, int dimension,
                              int32_t most, kanon__random *random)
{
    enum { DRAWS = 2 };
    const kanon__peeling *p = &pool->peeling;
    const uint32_t *codes = pool->codes + dimension * pool->stride;
    uint32_t lo, hi;
    count_below(&lo, &hi, pool, c, dimension, codes[0], UINT32_MAX);
    if (lo == hi)
        return;
    uint32_t units = kanon__category_units(c, dimension, lo, hi);
    for (int draw = 0; draw < DRAWS; draw++) {
        uint32_t code = codes[column_of(pool, dimension)[p->inside[kanon__random_below(random, p->n)]]];
        int32_t n_leaving = p->n - count_below(&lo, &hi, pool, c, dimension, code, units);
        if (n_leaving <= most && n_leaving < p->n)
            offer(best, (box_end){.dimension = dimension, .value = code, .units = units},
                  units - kanon__category_units(c, dimension, lo, hi), n_leaving, random);
    }
}

static box_end choose_end(kanon__regroup_pool *pool, const kanon__region *r, kanon__random *random)
{
    box_end best = {0};
    int32_t most = pool->peeling.n - (int32_t)r->k;
    for (int i = 0; most > 0 && i < pool->n_numeric; i++)
        offer_numeric(&best, pool, pool->numeric[i], r->costs->full[pool->numeric[i]], most, random);
    for (int i = 0; most > 0 && i < pool->n_categorical; i++)
        offer_categorical(&best, pool, r->costs, pool->categorical[i], most, random);
    return best;
}

/* ---- 2: giving up an end ----------------------------------------------------------------------------------------- */

/* By code of a categorical dimension: whether its records leave with the end. */
static void mark_codes(const kanon__regroup_pool *pool, const kanon__move_costs *c, const box_end *end)
{
    const uint32_t *codes = pool->codes + end->dimension * pool->stride;
    for (int32_t i = 0; i < pool->n_codes[end->dimension]; i++) {
        uint32_t lo = codes[i] < end->value ? codes[i] : end->value, hi = codes[i] > end->value ? codes[i] : end->value;
        pool->peeling.leaves[i] = kanon__category_units(c, end->dimension, lo, hi) >= end->units;
    }
}

static void leave(kanon__regroup_pool *pool, int32_t index)
{
    kanon__peeling *p = &pool->peeling;
    for (int i = 0; i < pool->n_categorical; i++) {
        int dimension = pool->categorical[i];
        p->counts[dimension * pool->stride + column_of(pool, dimension)[index]]--;
    }
    for (int i = 0; i < pool->n_numeric; i++) {
        kanon__column_ends *e = &p->ends[pool->numeric[i]];
        uint32_t own = column_of(pool, pool->numeric[i])[index];
        e->known = e->known && own > e->next_lo && own < e->next_hi;
    }
}

static void give_up(kanon__regroup_pool *pool, const kanon__move_costs *c, const box_end *end)
{
    kanon__peeling *p = &pool->peeling;
    const uint32_t *column = column_of(pool, end->dimension);
    bool numeric = end->dimension < c->n_numeric;
    int32_t n = 0;
    if (!numeric)
        mark_codes(pool, c, end);
    for (int32_t j = 0; j < p->n; j++) {
        int32_t index = p->inside[j];
        if (numeric ? column[index] == end->value : p->leaves[column[index]])
            leave(pool, index);
        else
            p->inside[n++] = index;
    }
    p->n = n;
}

void kanon__regroup_pool_peel(kanon__regroup_pool *pool, const kanon__region *r, kanon__regroup_attempt *a, int32_t group,
                              kanon__random *random)
{
    int32_t first = a->n_taken;
    begin(pool, a);
    for (box_end end = choose_end(pool, r, random); end.score > 0; end = choose_end(pool, r, random))
        give_up(pool, r->costs, &end);
    /* 3. */
    for (int32_t j = 0; j < r->k; j++)
        kanon__attempt_take(a, pool->peeling.inside[j]);
    kanon__regroup_pool_enclose(pool, r, a, group, first);
}
