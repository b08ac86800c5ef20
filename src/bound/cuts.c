#include "bound/cuts.h"

#include "bound/survey.h"
#include "core/alloc.h"

#include <math.h>
#include <string.h>

enum { STEPS = 300, IDLE_CLIMBS = 4 };
static const double REACH = 0.3; /* how far a price may move in one climb */

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
    kanon__free(c->uses);
    kanon__free(c->costs);
    kanon__free(c->begins);
    kanon__free(c);
}

/* ---- the cuts ---------------------------------------------------------------------------------------------------- */

/* Equal groups have equal keys, whatever the order of their members. That two others might share one costs a cut. */
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

static kanon_status add(kanon__cuts *c, const kanon__overpriced *group, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool added;
    int64_t n_members = c->n_members + group->n;
    KANON_TRY(kanon__keyset_add(&c->known, key_of(group->tuples, group->times, group->n), &added, err), out);
    if (!added)
        goto out;
    KANON_TRY(kanon__grow_array(&c->begins, &c->begins_capacity, c->n + 2, "cuts", err), out);
    KANON_TRY(kanon__grow_array(&c->costs, &c->costs_capacity, c->n + 1, "cuts", err), out);
    KANON_TRY(kanon__grow_array(&c->uses, &c->uses_capacity, c->n + 1, "cuts", err), out);
    KANON_TRY(kanon__grow_array(&c->idle, &c->idle_capacity, c->n + 1, "cuts", err), out);
    KANON_TRY(kanon__grow_array(&c->tuples, &c->tuples_capacity, n_members, "cuts", err), out);
    KANON_TRY(kanon__grow_array(&c->times, &c->times_capacity, n_members, "cuts", err), out);
    memcpy(c->tuples + c->n_members, group->tuples, (size_t)group->n * sizeof *c->tuples);
    memcpy(c->times + c->n_members, group->times, (size_t)group->n * sizeof *c->times);
    c->costs[c->n] = (double)c->table->k * group->units / (double)c->table->space->scale;
    c->uses[c->n] = 0;
    c->idle[c->n++] = 0;
    c->begins[c->n] = c->n_members = n_members;
out:
    return st;
}

kanon_status kanon__cuts_take(kanon__cuts *c, const kanon__finding *findings, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; i < n; i++)
        if (findings[i].group.n > 0)
            KANON_TRY(add(c, &findings[i].group, err), out);
out:
    return st;
}

static kanon_status forget_idle(kanon__cuts *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool added;
    int64_t kept = 0, n_members = 0;
    kanon__keyset_clear(&c->known);
    for (int64_t cut = 0; cut < c->n; cut++) {
        int64_t begin = c->begins[cut], n = c->begins[cut + 1] - begin;
        c->idle[cut] = c->uses[cut] > 0 ? 0 : c->idle[cut] + 1;
        if (c->idle[cut] > IDLE_CLIMBS)
            continue;
        KANON_TRY(kanon__keyset_add(&c->known, key_of(c->tuples + begin, c->times + begin, n), &added, err), out);
        memmove(c->tuples + n_members, c->tuples + begin, (size_t)n * sizeof *c->tuples);
        memmove(c->times + n_members, c->times + begin, (size_t)n * sizeof *c->times);
        c->costs[kept] = c->costs[cut];
        c->uses[kept] = c->uses[cut];
        c->idle[kept] = c->idle[cut];
        c->begins[kept++] = n_members;
        n_members += n;
    }
    c->n = kept;
    c->begins[kept] = c->n_members = n_members;
out:
    return st;
}

/* ---- climbing ---------------------------------------------------------------------------------------------------- */

typedef struct climb {
    double *prices;
    double *ahead;  /* where the prices would be after one more such step: what the cuts are held against */
    double *unused; /* by tuple: how many of its records no group uses */
    double *held;   /* by tuple: how many records of it the cuts have */
    double *lowest, *highest;
    double step;
} climb;

static void move_prices(const kanon__cuts *c, climb *m)
{
    for (int64_t tuple = 0; tuple < c->table->n; tuple++)
        m->unused[tuple] = (double)c->table->counts[tuple];
    for (int64_t cut = 0; cut < c->n; cut++)
        for (int64_t i = c->begins[cut]; c->uses[cut] > 0 && i < c->begins[cut + 1]; i++)
            m->unused[c->tuples[i]] -= c->times[i] * c->uses[cut];
    for (int64_t tuple = 0; tuple < c->table->n; tuple++) {
        double moved = m->prices[tuple] + m->step / (m->held[tuple] + 1) * m->unused[tuple];
        moved = moved < m->lowest[tuple] ? m->lowest[tuple] : moved > m->highest[tuple] ? m->highest[tuple] : moved;
        m->ahead[tuple] = 2 * moved - m->prices[tuple];
        m->prices[tuple] = moved;
    }
}

static void move_uses(kanon__cuts *c, const climb *m)
{
    for (int64_t cut = 0; cut < c->n; cut++) {
        double excess = -c->costs[cut];
        for (int64_t i = c->begins[cut]; i < c->begins[cut + 1]; i++)
            excess += c->times[i] * m->ahead[c->tuples[i]];
        double moved = c->uses[cut] + excess / (m->step * (double)c->table->k);
        c->uses[cut] = moved > 0 ? moved : 0;
    }
}

kanon_status kanon__cuts_climb(kanon__cuts *c, double *prices, double typical, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    climb m = {.prices = prices};
    double n_held = 0, scale = (double)c->table->space->scale;
    int64_t n = c->table->n;
    KANON_TRY(kanon__new_array(&m.ahead, n, "prices", err), out);
    KANON_TRY(kanon__new_array(&m.unused, n, "prices", err), out);
    KANON_TRY(kanon__new_array(&m.held, n, "prices", err), out);
    KANON_TRY(kanon__new_array(&m.lowest, n, "prices", err), out);
    KANON_TRY(kanon__new_array(&m.highest, n, "prices", err), out);
    for (int64_t i = 0; i < c->n_members; i++)
        n_held += c->times[i];
    m.step = typical / (1 + n_held / (double)n); /* prices and uses then come to rest at about the same time */
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
        move_uses(c, &m);
    }
    KANON_TRY(forget_idle(c, err), out);
out:
    kanon__free(m.highest);
    kanon__free(m.lowest);
    kanon__free(m.held);
    kanon__free(m.unused);
    kanon__free(m.ahead);
    return st;
}
