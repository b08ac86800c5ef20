/* The neighbour bound, exact and in double.
 *
 *   1. Tabulate the cost of each two codes of an attribute, as the formula says.
 *   2. Collapse equal records into tuples and build the index over them.
 *   3. For each tuple, search the index depth first, the nearer child first, and prune nodes beyond the (k-1)-th nearest
 *      record so far. Along a dimension the cost of two codes never falls as they move apart, so the nearest code of a
 *      node's range gives a lower bound for everything below the node.
 *   4. Sum up: within a task by tuple, then by task, so that the order of additions is fixed. */
#include "bound/neighbour_bound.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "search/kth_neighbour.h"

#include <math.h>

enum { PAIR_TABLE_CODES = 512, TUPLES_PER_TASK = 64 };

/* The cost of two codes of a quasi attribute. */
typedef struct pair_cost {
    const kanon__taxonomy *taxonomy; /* NULL: numeric */
    double *coordinates;             /* numeric: by code, weight included; a missing one lies far out */
    double *highs;                   /* likewise the high ends of bands; without bands `coordinates` itself */
    double *pairs;                   /* categorical with few leaves: [a * n_codes + b] */
    uint32_t n_codes;
    double weight, whole;
} pair_cost;

typedef struct bound_job {
    int64_t k;
    int m;
    pair_cost *costs; /* by quasi attribute */
    kanon__space *space;
    kanon__tuples *tuples;
    kanon__tuple_tree *index;
    double *sums; /* by task */
    kanon__shared_ticker shared;
} bound_job;

/* ---- 1: costs of two codes --------------------------------------------------------------------------------------- */

static double cost(const pair_cost *t, uint32_t a, uint32_t b)
{
    if (t->taxonomy == NULL) {
        double difference = a < b ? t->highs[b] - t->coordinates[a] : t->highs[a] - t->coordinates[b];
        return difference < t->weight ? difference : t->weight;
    }
    if (t->pairs != NULL)
        return t->pairs[(size_t)a * t->n_codes + b];
    int32_t node = kanon__taxonomy_lca(t->taxonomy, (int32_t)(a < b ? a : b), (int32_t)(a < b ? b : a));
    return t->weight * (double)kanon__node_part(KANON__TERMS_LOSS, t->taxonomy, node) / t->whole;
}

static kanon_status set_up_numeric(pair_cost *t, const kanon__column *c, kanon_error *err)
{
    KANON_CHECK(kanon__new_array(&t->coordinates, c->domain->n_codes, "distances", err));
    t->highs = t->coordinates;
    if (c->domain->bands != NULL) {
        t->highs = NULL;
        KANON_CHECK(kanon__new_array(&t->highs, c->domain->n_codes, "distances", err));
    }
    for (uint32_t code = 0; code < kanon__n_numbers(c->domain); code++) {
        t->coordinates[code] = c->weight * ((double)kanon__number_low(c->domain, code) / t->whole);
        t->highs[code] = c->weight * ((double)kanon__number_high(c->domain, code) / t->whole);
    }
    if (c->domain->missing_code != KANON__NO_CODE)
        t->coordinates[c->domain->missing_code] = t->highs[c->domain->missing_code] = 3 * c->weight;
    return KANON_OK;
}

static kanon_status set_up_cost(pair_cost *t, const kanon__column *c, kanon_error *err)
{
    *t = (pair_cost){.n_codes = c->domain->n_codes, .weight = c->weight,
                      .whole = (double)kanon__term_whole(KANON__TERMS_LOSS, c->domain)};
    if (kanon__column_is_numeric(c))
        return set_up_numeric(t, c, err);
    t->taxonomy = c->domain->taxonomy;
    if (c->domain->n_codes > PAIR_TABLE_CODES)
        return KANON_OK;
    double *pairs = NULL;
    KANON_CHECK(kanon__new_array(&pairs, (int64_t)c->domain->n_codes * c->domain->n_codes, "distances", err));
    for (uint32_t a = 0; a < c->domain->n_codes; a++)
        for (uint32_t b = 0; b < c->domain->n_codes; b++)
            pairs[(size_t)a * c->domain->n_codes + b] = cost(t, a, b);
    t->pairs = pairs;
    return KANON_OK;
}

/* ---- 3: one tuple's neighbours ----------------------------------------------------------------------------------- */

/* A lower bound of the distance of a tuple to everything below a node; not summed up to the end beyond `limit`. */
static double node_distance(const void *payload, int64_t own, int32_t node, double limit)
{
    const bound_job *s = payload;
    const uint32_t *codes = s->index->codes + own * s->m;
    const kanon__bound *box = s->index->boxes + (int64_t)node * 2 * s->m;
    double distance = 0;
    for (int i = 0; i < s->m && distance <= limit; i++) {
        uint32_t code = codes[i], lo = box[2 * i], hi = box[2 * i + 1], near = code < lo ? lo : code > hi ? hi : code;
        distance += near == code ? 0 : cost(&s->costs[i], code, near);
    }
    return distance;
}

static double tuple_distance(const void *payload, int64_t own, int64_t other, double limit)
{
    const bound_job *s = payload;
    const uint32_t *a = s->index->codes + own * s->m, *b = s->index->codes + other * s->m;
    double distance = 0;
    for (int i = 0; i < s->m && distance <= limit; i++)
        distance += cost(&s->costs[i], a[i], b[i]);
    return distance;
}

/* ---- 4: all tuples ----------------------------------------------------------------------------------------------- */

static kanon_status sum_task(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bound_job *s = payload;
    kanon__kth_neighbour search = {0};
    const kanon__tuple_metric metric = {tuple_distance, node_distance, s};
    kanon__ticker ticker;
    int64_t n_others = s->k - 1, end = (task + 1) * TUPLES_PER_TASK;
    kanon__shared_ticker_task(&ticker, &s->shared);
    KANON_TRY(kanon__near_tuples_reserve(&search.nearest, n_others + 2, err), out);
    for (int64_t ordinal = task * TUPLES_PER_TASK; ordinal < end && ordinal < s->tuples->n; ordinal++) {
        int64_t tuple = s->index->order[ordinal], count = s->tuples->begins[tuple + 1] - s->tuples->begins[tuple];
        int64_t wanted = n_others - (count - 1); /* its equals are as near as can be: what its bands alone cost */
        double distance = wanted > 0 ? kanon__kth_neighbour_distance(&search, s->index, ordinal, wanted, metric)
                                     : tuple_distance(s, ordinal, ordinal, INFINITY);
        s->sums[task] += (double)count * distance;
        KANON_TRY(kanon__tick(&ticker, 0, 0, 20000, err), out);
    }
    kanon__shared_ticker_add(&s->shared, TUPLES_PER_TASK);
out:
    kanon__near_tuples_clear(&search.nearest);
    return st;
}

static void clear_job(bound_job *s)
{
    for (int i = 0; s->costs != NULL && i < s->m; i++) {
        kanon__free(s->costs[i].pairs);
        if (s->costs[i].highs != s->costs[i].coordinates)
            kanon__free(s->costs[i].highs);
        kanon__free(s->costs[i].coordinates);
    }
    kanon__free(s->sums);
    kanon__free(s->costs);
    kanon__tuple_tree_free(s->index);
    kanon__tuples_free(s->tuples);
    kanon__space_free(s->space);
}

kanon_status kanon__neighbour_bound(double *out, const kanon__data *t, int64_t k, int threads, kanon__ticker *ticker,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    bound_job s = {.k = k, .m = t->n_quasi};
    double sum = 0;
    /* 1. */
    KANON_TRY(kanon__new_array(&s.costs, s.m, "distances", err), out);
    for (int i = 0; i < s.m; i++)
        KANON_TRY(set_up_cost(&s.costs[i], &t->columns[t->quasi[i]], err), out);
    /* 2. */
    KANON_TRY(kanon__space_new(&s.space, t, t->quasi, t->n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(kanon__tuples_new(&s.tuples, s.space, err), out);
    KANON_TRY(kanon__tuple_tree_new(&s.index, s.space, s.tuples, err), out);
    /* 3. */
    int64_t n_tasks = (s.tuples->n + TUPLES_PER_TASK - 1) / TUPLES_PER_TASK;
    KANON_TRY(kanon__new_array(&s.sums, n_tasks, "sums", err), out);
    kanon__shared_ticker_init(&s.shared, ticker, s.tuples->n);
    st = kanon__pool_run(threads, n_tasks, sum_task, &s, err);
    kanon__shared_ticker_clear(&s.shared);
    if (st != KANON_OK)
        goto out;
    /* 4. */
    for (int64_t i = 0; i < n_tasks; i++)
        sum += s.sums[i];
    *out = sum;
out:
    clear_job(&s);
    return st;
}
