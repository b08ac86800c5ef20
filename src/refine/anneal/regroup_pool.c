/* Filling the regroup pool, and growing groups out of it.
 *
 * A group grows greedily: of the free records, the one that makes D least joins, until there are k. D with each of the free
 * records has two parts. On the categorical dimensions it is a lookup by distinct code, kept in `base` and computed anew
 * only when the group's box becomes wider there. On the numeric dimensions the kernel computes it on the fly from the
 * group's interval (`spans`). So a member that makes the group wider costs one pass of vector operations over the pool,
 * and all that the group covers then cost two together. The larger a group is, the more of its members are covered. */
#include "refine/anneal/regroup_pool.h"

#include "core/alloc.h"

#include <string.h>

/* Kernels read whole vectors, beyond the last record. */
enum { BEYOND = 16 };

static kanon_status init_attempt(kanon__regroup_attempt *out, int32_t room, int m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&out->free, room / 64 + 1, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->covered, room / 64 + 1, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->taken, room, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->base, (int64_t)room + BEYOND, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->terms, m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->tables, ((int64_t)room + BEYOND) * m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->spans, m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->bounds, KANON__POOL_GROUPS * 2 * (int64_t)m, "moves", err), out);
out:
    return st;
}

kanon_status kanon__regroup_pool_init(kanon__regroup_pool *out, const kanon__move_costs *costs, int32_t room,
                                      kanon_error *err)
{
    kanon_status st = KANON_OK;
    int m = costs->n_dimensions;
    *out = (kanon__regroup_pool){
        .kernels = kanon__kernels_choose(false), .room = room, .n_dimensions = m, .stride = (int64_t)room + BEYOND};
    KANON_TRY(kanon__new_array(&out->records, room, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->columns, out->stride * m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->numeric, m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->categorical, m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->codes, out->stride * m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->n_codes, m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->code_index, m, "moves", err), out);
    for (int i = costs->n_numeric; i < m; i++) {
        KANON_TRY(kanon__new_array(&out->code_index[i], costs->dimensions[i]->n_codes, "moves", err), out);
        memset(out->code_index[i], 0xff, costs->dimensions[i]->n_codes * sizeof *out->code_index[i]);
    }
    for (int i = 0; i < KANON__POOL_ATTEMPTS; i++)
        KANON_TRY(init_attempt(&out->attempts[i], room, m, err), out);
    KANON_TRY(kanon__peeling_init(&out->peeling, out->stride, m, err), out);
out:
    if (st != KANON_OK)
        kanon__regroup_pool_clear(out);
    return st;
}

void kanon__regroup_pool_clear(kanon__regroup_pool *pool)
{
    kanon__peeling_clear(&pool->peeling);
    for (int i = 0; i < KANON__POOL_ATTEMPTS; i++) {
        kanon__free(pool->attempts[i].bounds);
        kanon__free(pool->attempts[i].spans);
        kanon__free(pool->attempts[i].tables);
        kanon__free(pool->attempts[i].terms);
        kanon__free(pool->attempts[i].base);
        kanon__free(pool->attempts[i].taken);
        kanon__free(pool->attempts[i].covered);
        kanon__free(pool->attempts[i].free);
    }
    for (int i = 0; pool->code_index != NULL && i < pool->n_dimensions; i++)
        kanon__free(pool->code_index[i]);
    kanon__free(pool->code_index);
    kanon__free(pool->n_codes);
    kanon__free(pool->codes);
    kanon__free(pool->categorical);
    kanon__free(pool->numeric);
    kanon__free(pool->columns);
    kanon__free(pool->records);
    *pool = (kanon__regroup_pool){0};
}

static uint32_t *column_of(const kanon__regroup_pool *pool, int dimension)
{
    return pool->columns + dimension * pool->stride;
}

/* ---- filling ----------------------------------------------------------------------------------------------------- */

/* A new attempt: every record is free. */
static void reset_attempt(kanon__regroup_attempt *a, const kanon__regroup_pool *pool, const kanon__move_costs *c)
{
    for (int i = 0; i < pool->n_categorical; i++) {
        int dimension = pool->categorical[i];
        a->terms[i] = (kanon__kernel_term){.at = (const int32_t *)column_of(pool, dimension),
                                           .table = a->tables + dimension * pool->stride,
                                           .n_table = pool->n_codes[dimension]};
    }
    int32_t words = pool->n / 64;
    memset(a->free, 0xff, (size_t)words * sizeof *a->free);
    a->free[words] = ((uint64_t)1 << (pool->n & 63)) - 1;
    a->n_taken = 0;
    for (int i = 0; i < pool->n_numeric; i++)
        a->spans[i] = (kanon__span_term){.at = column_of(pool, pool->numeric[i]), .full = c->full[pool->numeric[i]]};
}

static void fill_numeric(kanon__regroup_pool *pool, const kanon__region *r, int i)
{
    uint32_t *column = column_of(pool, i);
    for (int32_t j = 0; j < pool->n; j++)
        column[j] = kanon__region_coordinates(r, pool->records[j])[i];
}

/* Neighbouring records share few codes, so costs are looked up for each distinct code, not for each record. Afterwards
 * code_index is all -1 again. */
static void fill_categorical(kanon__regroup_pool *pool, const kanon__region *r, int i)
{
    uint32_t *column = column_of(pool, i), *codes = pool->codes + i * pool->stride;
    int32_t *code_index = pool->code_index[i], n = 0;
    for (int32_t j = 0; j < pool->n; j++) {
        uint32_t code = kanon__region_coordinates(r, pool->records[j])[i];
        if (code_index[code] < 0) {
            code_index[code] = n;
            codes[n++] = code;
        }
        column[j] = (uint32_t)code_index[code];
    }
    for (int32_t j = 0; j < n; j++)
        code_index[codes[j]] = -1;
    pool->n_codes[i] = n;
}

/* Whether two records of the groups differ on the dimension. */
static bool varies(const kanon__region *r, const int32_t *groups, int32_t n_groups, int i)
{
    uint32_t value = kanon__region_bounds(r, groups[0])[i], differ = 0;
    for (int32_t j = 0; j < n_groups; j++) {
        const uint32_t *bounds = kanon__region_bounds(r, groups[j]);
        differ |= (bounds[i] ^ value) | (bounds[r->costs->n_dimensions + i] ^ value);
    }
    return differ != 0;
}

void kanon__regroup_pool_fill(kanon__regroup_pool *pool, const kanon__region *r, const int32_t *groups, int32_t n_groups)
{
    const kanon__move_costs *c = r->costs;
    pool->n = 0;
    for (int32_t i = 0; i < n_groups; i++) {
        int32_t size = r->groups[groups[i]].size;
        memcpy(pool->records + pool->n, kanon__region_members(r, groups[i]), (size_t)size * sizeof *pool->records);
        pool->n += size;
    }
    pool->n_numeric = pool->n_categorical = 0;
    for (int i = 0; i < c->n_dimensions; i++) {
        if (!varies(r, groups, n_groups, i))
            continue;
        if (i < c->n_numeric) {
            fill_numeric(pool, r, i);
            pool->numeric[pool->n_numeric++] = i;
        } else {
            fill_categorical(pool, r, i);
            pool->categorical[pool->n_categorical++] = i;
        }
    }
    for (int i = 0; i < KANON__POOL_ATTEMPTS; i++)
        reset_attempt(&pool->attempts[i], pool, c);
}

/* ---- growing ----------------------------------------------------------------------------------------------------- */

static uint32_t category_units(const kanon__move_costs *c, int i, uint32_t lo, uint32_t hi, uint32_t code)
{
    lo = code < lo ? code : lo;
    hi = code > hi ? code : hi;
    if (i < c->n_numeric + c->n_tabled)
        return c->tables[i].units[(size_t)lo << c->tables[i].shift | hi];
    return kanon__dimension_climb(c->dimensions[i], lo, hi);
}

/* By distinct code: the units of the box from lo to hi, grown to the code. */
static void set_code_units(const kanon__regroup_pool *pool, const kanon__move_costs *c, kanon__regroup_attempt *a,
                           int dimension, uint32_t lo, uint32_t hi)
{
    const uint32_t *codes = pool->codes + dimension * pool->stride;
    uint32_t *table = a->tables + dimension * pool->stride;
    for (int32_t i = 0; i < pool->n_codes[dimension]; i++)
        table[i] = category_units(c, dimension, lo, hi, codes[i]);
}

/* The bounds of one record. */
static void start_bounds(const kanon__regroup_pool *pool, const kanon__region *r, int32_t index, uint32_t *bounds)
{
    const uint32_t *record = kanon__region_coordinates(r, pool->records[index]);
    int m = r->costs->n_dimensions;
    for (int i = 0; i < m; i++)
        bounds[i] = bounds[m + i] = record[i];
}

static void begin_group(const kanon__regroup_pool *pool, const kanon__region *r, kanon__regroup_attempt *a, int32_t seed,
                        uint32_t *bounds)
{
    start_bounds(pool, r, seed, bounds);
    kanon__attempt_take(a, seed);
    for (int i = 0; i < pool->n_numeric; i++)
        a->spans[i].lo = a->spans[i].hi = bounds[pool->numeric[i]];
    for (int i = 0; i < pool->n_categorical; i++)
        set_code_units(pool, r->costs, a, pool->categorical[i], bounds[pool->categorical[i]], bounds[pool->categorical[i]]);
    pool->kernels->measure(a->base, pool->n, a->terms, pool->n_categorical);
}

/* The intervals of the growing group reach to a record that joins it. */
static void widen_spans(const kanon__regroup_pool *pool, kanon__regroup_attempt *a, int32_t index)
{
    for (int i = 0; i < pool->n_numeric; i++) {
        kanon__span_term *t = &a->spans[i];
        uint32_t own = t->at[index];
        t->lo = own < t->lo ? own : t->lo;
        t->hi = own > t->hi ? own : t->hi;
    }
}

/* The same on a categorical dimension. False: the code was between the bounds before. */
static bool widen_category(const kanon__regroup_pool *pool, const kanon__region *r, int32_t index, int dimension,
                           uint32_t *bounds)
{
    uint32_t own = kanon__region_coordinates(r, pool->records[index])[dimension];
    uint32_t *lo = &bounds[dimension], *hi = &bounds[r->costs->n_dimensions + dimension];
    if (own >= *lo && own <= *hi)
        return false;
    *lo = own < *lo ? own : *lo;
    *hi = own > *hi ? own : *hi;
    return true;
}

/* A record joins the growing group. */
static void add_member(const kanon__regroup_pool *pool, const kanon__region *r, kanon__regroup_attempt *a, int32_t index,
                       uint32_t *bounds)
{
    bool wider = false;
    kanon__attempt_take(a, index);
    widen_spans(pool, a, index);
    for (int i = 0; i < pool->n_categorical; i++) {
        int dimension = pool->categorical[i];
        if (!widen_category(pool, r, index, dimension, bounds))
            continue;
        set_code_units(pool, r->costs, a, dimension, bounds[dimension], bounds[r->costs->n_dimensions + dimension]);
        wider = true;
    }
    if (wider)
        pool->kernels->measure(a->base, pool->n, a->terms, pool->n_categorical);
}

/* Records that make the group no wider join it, the lowest index first, until it has k. They would be the cheapest one after
 * the other; with them a box may reach further, but nothing costs more than before. Returns how many. */
static int64_t absorb(const kanon__regroup_pool *pool, const kanon__region *r, kanon__regroup_attempt *a, uint32_t units,
                      int64_t most, uint32_t *bounds)
{
    int64_t n = pool->kernels->find_equal(a->covered, units, a->base, a->free, pool->n, a->spans, pool->n_numeric);
    n = n < most ? n : most;
    for (int64_t word = 0, left = n; left > 0; word++)
        for (uint64_t bits = a->covered[word]; bits != 0 && left > 0; bits &= bits - 1, left--) {
            int32_t index = (int32_t)(word * 64 + __builtin_ctzll(bits));
            kanon__attempt_take(a, index);
            widen_spans(pool, a, index);
            for (int i = 0; i < pool->n_categorical; i++)
                widen_category(pool, r, index, pool->categorical[i], bounds);
        }
    return n;
}

/* While the group grew, its intervals on the numeric dimensions were only in the spans. */
static void end_group(const kanon__regroup_pool *pool, const kanon__move_costs *c, const kanon__regroup_attempt *a,
                      uint32_t *bounds)
{
    for (int i = 0; i < pool->n_numeric; i++) {
        bounds[pool->numeric[i]] = a->spans[i].lo;
        bounds[c->n_dimensions + pool->numeric[i]] = a->spans[i].hi;
    }
}

/* The attempts at hand, side by side, while each of them grows a group. */
typedef struct growing {
    int n;
    kanon__regroup_attempt *attempts[KANON__POOL_ATTEMPTS];
    uint32_t *units[KANON__POOL_ATTEMPTS], *bounds[KANON__POOL_ATTEMPTS];
    int64_t missing[KANON__POOL_ATTEMPTS]; /* records, of k */
    int32_t next[KANON__POOL_ATTEMPTS];
} growing;

static int32_t find_next(const kanon__regroup_pool *pool, growing *g, int i)
{
    kanon__regroup_attempt *a = g->attempts[i];
    return (int32_t)pool->kernels->find_cheapest(g->units[i], a->base, a->free, pool->n, a->spans, pool->n_numeric);
}

/* One member after the other: in small groups hardly any is covered before it joins. */
static void grow_singly(const kanon__regroup_pool *pool, const kanon__region *r, growing *g)
{
    for (int64_t size = 1; size < r->k; size++) {
        for (int i = 0; i < g->n; i++)
            g->next[i] = find_next(pool, g, i);
        for (int i = 0; i < g->n; i++)
            add_member(pool, r, g->attempts[i], g->next[i], g->bounds[i]);
    }
}

/* The same; where the cheapest record is covered, all that are covered join with it. */
static void grow_absorbing(const kanon__regroup_pool *pool, const kanon__region *r, growing *g)
{
    uint32_t before[KANON__POOL_ATTEMPTS];
    for (bool grows = true; grows;) {
        grows = false;
        for (int i = 0; i < g->n; i++) {
            before[i] = *g->units[i];
            g->next[i] = g->missing[i] > 0 ? find_next(pool, g, i) : -1;
        }
        for (int i = 0; i < g->n; i++) {
            if (g->next[i] < 0)
                continue;
            add_member(pool, r, g->attempts[i], g->next[i], g->bounds[i]);
            if (--g->missing[i] > 0 && *g->units[i] == before[i])
                g->missing[i] -= absorb(pool, r, g->attempts[i], *g->units[i], g->missing[i], g->bounds[i]);
            grows = grows || g->missing[i] > 0;
        }
    }
}

void kanon__regroup_pool_grow(kanon__regroup_pool *pool, const kanon__region *r, uint32_t attempts, int32_t group,
                              const int32_t *seeds)
{
    enum { ABSORB_FROM = 32 }; /* k; measured: as fast as one after the other at k = 25, a third faster at k = 100 */
    const kanon__move_costs *c = r->costs;
    growing g = {0};
    for (int i = 0; i < KANON__POOL_ATTEMPTS; i++) {
        if (!(attempts >> i & 1))
            continue;
        kanon__regroup_attempt *a = g.attempts[g.n] = &pool->attempts[i];
        g.bounds[g.n] = a->bounds + (int64_t)group * 2 * c->n_dimensions;
        g.units[g.n] = &a->units[group];
        *g.units[g.n] = 0;
        begin_group(pool, r, a, seeds[i], g.bounds[g.n]);
        g.missing[g.n++] = r->k - 1;
    }
    if (r->k < ABSORB_FROM)
        grow_singly(pool, r, &g);
    else
        grow_absorbing(pool, r, &g);
    for (int i = 0; i < g.n; i++)
        end_group(pool, c, g.attempts[i], g.bounds[i]);
}

/* The bounds of some records on one dimension; `codes`: the column holds indices into these, NULL: coordinates. */
static void enclose(uint32_t *bounds, int m, int dimension, const uint32_t *column, const uint32_t *codes,
                    const int32_t *indices, int32_t n)
{
    uint32_t lo = bounds[dimension], hi = lo;
    for (int32_t j = 1; j < n; j++) {
        uint32_t own = codes != NULL ? codes[column[indices[j]]] : column[indices[j]];
        lo = own < lo ? own : lo;
        hi = own > hi ? own : hi;
    }
    bounds[dimension] = lo;
    bounds[m + dimension] = hi;
}

void kanon__regroup_pool_enclose(const kanon__regroup_pool *pool, const kanon__region *r, kanon__regroup_attempt *a,
                                 int32_t group, int32_t first)
{
    const kanon__move_costs *c = r->costs;
    uint32_t *bounds = a->bounds + (int64_t)group * 2 * c->n_dimensions;
    start_bounds(pool, r, a->taken[first], bounds);
    for (int i = 0; i < pool->n_numeric; i++)
        enclose(bounds, c->n_dimensions, pool->numeric[i], column_of(pool, pool->numeric[i]), NULL, a->taken + first,
                a->n_taken - first);
    for (int i = 0; i < pool->n_categorical; i++)
        enclose(bounds, c->n_dimensions, pool->categorical[i], column_of(pool, pool->categorical[i]),
                pool->codes + pool->categorical[i] * pool->stride, a->taken + first, a->n_taken - first);
    a->units[group] = kanon__move_costs_units(c, bounds, NULL, NULL);
}

void kanon__regroup_pool_take_rest(kanon__regroup_pool *pool, const kanon__region *r, kanon__regroup_attempt *a,
                                   int32_t group)
{
    int32_t first = a->n_taken;
    for (int32_t index = 0; index < pool->n; index++)
        if (kanon__attempt_is_free(a, index))
            kanon__attempt_take(a, index);
    kanon__regroup_pool_enclose(pool, r, a, group, first);
}
