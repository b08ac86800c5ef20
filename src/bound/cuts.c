/* Keeps the cuts, and raises the prices under them.
 *
 * kanon__cuts_ascend, for a fixed number of steps:
 *
 *   1. Prices: each moves by its residual, the number of its records that no cut uses, within its limits.
 *   2. Weights: each moves by the excess of its cut at the extrapolated prices, and stays at 0 or above.
 *
 * A step costs one pass over the members of the cuts. */
#include "bound/cuts.h"

#include "core/alloc.h"

#include <math.h>
#include <string.h>

enum { STEPS = 900, IDLE_ASCENTS = 20 };
static const double REACH = 0.3; /* how far a price may move in one ascent, as a share */

kanon_status kanon__cuts_new(kanon__cuts **out, const kanon__priced_table *table, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cuts *c = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&c, 1, "cuts", err), out);
    c->table = table;
    KANON_TRY(kanon__grow_array(&c->begins, &c->begins_capacity, 1, "cuts", err), out);
    c->begins[0] = 0;
    *out = c;
    c = NULL;
out:
    kanon__cuts_free(c);
    return st;
}

void kanon__cuts_free(kanon__cuts *c)
{
    if (c == NULL)
        return;
    kanon__keyset_clear(&c->known);
    kanon__free(c->times);
    kanon__free(c->tuples);
    kanon__free(c->idle);
    kanon__free(c->weights);
    kanon__free(c->costs);
    kanon__free(c->begins);
    kanon__free(c);
}

/* ---- the cuts ---------------------------------------------------------------------------------------------------- */

/* A hash of the set, whatever the order of its members. A collision loses a cut, which does no harm. */
static uint64_t key_of(const int32_t *tuples, const int32_t *times, int64_t n)
{
    uint64_t key = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t mixed = ((uint64_t)tuples[i] << 32 | (uint32_t)times[i]) * 0x9E3779B97F4A7C15u;
        mixed = (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u;
        key += mixed ^ mixed >> 32;
    }
    return key >> 1;
}

/* Append a cut unless it is known. */
static kanon_status add_cut(kanon__cuts *c, const kanon__violated_set *set, kanon_error *err)
{
    bool added;
    int64_t n_members = c->n_members + set->n;
    KANON_CHECK(kanon__keyset_add(&c->known, key_of(set->tuples, set->times, set->n), &added, err));
    if (!added)
        return KANON_OK;
    KANON_CHECK(kanon__grow_array(&c->begins, &c->begins_capacity, c->n + 2, "cuts", err));
    KANON_CHECK(kanon__grow_array(&c->costs, &c->costs_capacity, c->n + 1, "cuts", err));
    KANON_CHECK(kanon__grow_array(&c->weights, &c->weights_capacity, c->n + 1, "cuts", err));
    KANON_CHECK(kanon__grow_array(&c->idle, &c->idle_capacity, c->n + 1, "cuts", err));
    KANON_CHECK(kanon__grow_array(&c->tuples, &c->tuples_capacity, n_members, "cuts", err));
    KANON_CHECK(kanon__grow_array(&c->times, &c->times_capacity, n_members, "cuts", err));
    memcpy(c->tuples + c->n_members, set->tuples, (size_t)set->n * sizeof *c->tuples);
    memcpy(c->times + c->n_members, set->times, (size_t)set->n * sizeof *c->times);
    c->costs[c->n] = (double)c->table->k * set->units / (double)c->table->space->scale;
    c->weights[c->n] = 0;
    c->idle[c->n++] = 0;
    c->begins[c->n] = c->n_members = n_members;
    return KANON_OK;
}

kanon_status kanon__cuts_add(kanon__cuts *c, const kanon__separation_item *items, int64_t n, kanon_error *err)
{
    for (int64_t i = 0; i < n; i++)
        if (items[i].set.n > 0)
            KANON_CHECK(add_cut(c, &items[i].set, err));
    return KANON_OK;
}

/* Compact the arrays in place. */
static kanon_status drop_idle(kanon__cuts *c, kanon_error *err)
{
    bool added;
    int64_t kept = 0, n_members = 0;
    kanon__keyset_clear(&c->known);
    for (int64_t cut = 0; cut < c->n; cut++) {
        int64_t begin = c->begins[cut], n = c->begins[cut + 1] - begin;
        c->idle[cut] = c->weights[cut] > 0 ? 0 : c->idle[cut] + 1;
        if (c->idle[cut] > IDLE_ASCENTS)
            continue;
        KANON_CHECK(kanon__keyset_add(&c->known, key_of(c->tuples + begin, c->times + begin, n), &added, err));
        memmove(c->tuples + n_members, c->tuples + begin, (size_t)n * sizeof *c->tuples);
        memmove(c->times + n_members, c->times + begin, (size_t)n * sizeof *c->times);
        c->costs[kept] = c->costs[cut];
        c->weights[kept] = c->weights[cut];
        c->idle[kept] = c->idle[cut];
        c->begins[kept++] = n_members;
        n_members += n;
    }
    c->n = kept;
    c->begins[kept] = c->n_members = n_members;
    return KANON_OK;
}

/* ---- ascent ------------------------------------------------------------------------------------------------------ */

typedef struct ascent {
    double *prices;
    double *ahead;            /* by tuple: the extrapolated price, 2 new - old */
    double *unused;           /* by tuple: how many of its records the weighted cuts leave unused */
    double *held;             /* by tuple: how many records of it the cuts have, in all */
    double *lowest, *highest; /* by tuple: limits of its price in this ascent */
    double step;
} ascent;

/* 1. */
static void move_prices(const kanon__cuts *c, ascent *m)
{
    for (int64_t tuple = 0; tuple < c->table->n; tuple++)
        m->unused[tuple] = (double)c->table->counts[tuple];
    for (int64_t cut = 0; cut < c->n; cut++)
        for (int64_t i = c->begins[cut]; c->weights[cut] > 0 && i < c->begins[cut + 1]; i++)
            m->unused[c->tuples[i]] -= c->times[i] * c->weights[cut];
    for (int64_t tuple = 0; tuple < c->table->n; tuple++) {
        double moved = m->prices[tuple] + m->step / (m->held[tuple] + 1) * m->unused[tuple];
        moved = moved < m->lowest[tuple] ? m->lowest[tuple] : moved > m->highest[tuple] ? m->highest[tuple] : moved;
        m->ahead[tuple] = 2 * moved - m->prices[tuple];
        m->prices[tuple] = moved;
    }
}

/* 2. */
static void move_weights(kanon__cuts *c, const ascent *m)
{
    for (int64_t cut = 0; cut < c->n; cut++) {
        double excess = -c->costs[cut];
        for (int64_t i = c->begins[cut]; i < c->begins[cut + 1]; i++)
            excess += c->times[i] * m->ahead[c->tuples[i]];
        double moved = c->weights[cut] + excess / (m->step * (double)c->table->k);
        c->weights[cut] = moved > 0 ? moved : 0;
    }
}

kanon_status kanon__cuts_ascend(kanon__cuts *c, double *prices, double typical, double rise, kanon__ticker *ticker,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    ascent m = {.prices = prices};
    double n_held = 0, scale = (double)c->table->space->scale;
    int64_t n = c->table->n;
    KANON_TRY(kanon__new_array(&m.ahead, n, "prices", err), out);
    KANON_TRY(kanon__new_array(&m.unused, n, "prices", err), out);
    KANON_TRY(kanon__new_array(&m.held, n, "prices", err), out);
    KANON_TRY(kanon__new_array(&m.lowest, n, "prices", err), out);
    KANON_TRY(kanon__new_array(&m.highest, n, "prices", err), out);
    for (int64_t i = 0; i < c->n_members; i++)
        n_held += c->times[i];
    m.step = rise * typical * n_held / (double)c->table->space->n_rows;
    for (int64_t i = 0; i < c->n_members; i++)
        m.held[c->tuples[i]] += c->times[i];
    for (int64_t tuple = 0; tuple < n; tuple++) {
        double reach = REACH * (fabs(prices[tuple]) + typical);
        m.lowest[tuple] = fmax(prices[tuple] - reach, KANON__LOWEST_PRICE / scale);
        m.highest[tuple] = fmin(prices[tuple] + reach, KANON__HIGHEST_PRICE / scale);
    }
    for (int i = 0; i < STEPS && m.step > 0; i++) {
        KANON_TRY(kanon__tick(ticker, i, STEPS, 2 * (n + c->n_members), err), out);
        move_prices(c, &m);
        move_weights(c, &m);
    }
    KANON_TRY(drop_idle(c, err), out);
out:
    kanon__free(m.highest);
    kanon__free(m.lowest);
    kanon__free(m.held);
    kanon__free(m.unused);
    kanon__free(m.ahead);
    return st;
}
