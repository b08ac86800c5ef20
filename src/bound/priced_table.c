/* Sets up the table of dual prices, and finds the neighbour distances that the bound begins with.
 *
 * The distance of a tuple to its (k-1)-th nearest other record comes from search/kth_neighbour.h, in whole units, as prices
 * are; neighbour_bound.c asks the same in double. Tuples are independent, so they are tasks of the thread pool. */
#include "bound/priced_table.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "search/kth_neighbour.h"

enum { TUPLES_PER_TASK = 64 };

static void set_sides(kanon__priced_table *t)
{
    for (int i = 0; i < t->space->n_dimensions; i++) {
        t->first_side[i] = t->n_sides;
        t->n_sides += t->space->dimensions[i].coordinates != NULL ? 2 : 1;
    }
}

kanon_status kanon__priced_table_new(kanon__priced_table **out, const kanon__data *table, int64_t k, int threads,
                                     kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__priced_table *t = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&t, 1, "prices", err), out);
    t->k = k;
    t->threads = threads;
    KANON_TRY(kanon__space_new(&t->space, table, table->quasi, table->n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(kanon__tuples_new(&t->tuples, t->space, err), out);
    KANON_TRY(kanon__tuple_tree_new(&t->index, t->space, t->tuples, err), out);
    t->n = t->tuples->n;
    KANON_TRY(kanon__new_array(&t->counts, t->n, "prices", err), out);
    KANON_TRY(kanon__new_array(&t->prices, t->n, "prices", err), out);
    KANON_TRY(kanon__new_array(&t->neighbour_distances, t->n, "prices", err), out);
    KANON_TRY(kanon__new_array(&t->first_side, t->space->n_dimensions, "prices", err), out);
    set_sides(t);
    for (int64_t place = 0; place < t->n; place++) {
        int64_t tuple = t->index->order[place];
        t->counts[place] = t->tuples->begins[tuple + 1] - t->tuples->begins[tuple];
    }
    *out = t;
    t = NULL;
out:
    kanon__priced_table_free(t);
    return st;
}

void kanon__priced_table_free(kanon__priced_table *t)
{
    if (t == NULL)
        return;
    kanon__free(t->first_side);
    kanon__free(t->neighbour_distances);
    kanon__free(t->prices);
    kanon__free(t->counts);
    kanon__tuple_tree_free(t->index);
    kanon__tuples_free(t->tuples);
    kanon__space_free(t->space);
    kanon__free(t);
}

/* ---- extents ----------------------------------------------------------------------------------------------------- */

/* Coordinates of present numbers lie in 0 .. full, that of a missing one beyond. From a number to a missing one it is the
 * whole range, below and above; so a box that covers the range covers the missing too, at the same cost. */
static void number_extents(const kanon__dimension *d, uint32_t from, uint32_t to, int32_t *extents)
{
    uint32_t a = d->lows[from], b = d->lows[to], full = d->full;
    bool from_missing = a > full, to_missing = b > full;
    extents[0] = 0;
    extents[1] = (int32_t)(d->highs[from] - a); /* a band costs its width, wherever the box ends */
    if (from_missing && !to_missing) {
        extents[0] = (int32_t)full;
    } else if (to_missing && !from_missing) {
        extents[0] = (int32_t)a;
        extents[1] = (int32_t)(full - a);
    } else if (b < a) {
        extents[0] = (int32_t)(a - b);
    } else if (!from_missing) {
        extents[1] = (int32_t)(d->highs[to] - a);
    }
}

void kanon__dimension_extents(const kanon__priced_table *t, int i, uint32_t from, uint32_t to, int32_t *extents)
{
    const kanon__dimension *d = &t->space->dimensions[i];
    if (d->coordinates != NULL)
        number_extents(d, from, to, extents);
    else
        extents[0] = (int32_t)(from < to ? kanon__dimension_units(d, from, to) : kanon__dimension_units(d, to, from));
}

void kanon__extents_of(const kanon__priced_table *t, const uint32_t *from, const uint32_t *to, int32_t *extents)
{
    for (int i = 0; i < t->space->n_dimensions; i++)
        kanon__dimension_extents(t, i, from[i], to[i], extents + t->first_side[i]);
}

/* ---- the distance to the (k-1)-th nearest other record ----------------------------------------------------------- */

/* Units are whole numbers below 2^31, which doubles hold exactly. */
static double tuple_distance(const void *payload, int64_t own, int64_t other, double limit)
{
    const kanon__priced_table *t = payload;
    uint32_t most = limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
    return kanon__tuple_distance(t, kanon__priced_codes(t, own), kanon__priced_codes(t, other), most);
}

static double node_distance(const void *payload, int64_t own, int32_t node, double limit)
{
    const kanon__priced_table *t = payload;
    (void)limit;
    return kanon__node_distance(t, kanon__priced_codes(t, own), node);
}

typedef struct neighbour_job {
    kanon__priced_table *table;
    kanon__shared_ticker shared;
} neighbour_job;

static kanon_status neighbour_task(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    neighbour_job *f = payload;
    kanon__priced_table *t = f->table;
    kanon__kth_neighbour search = {0};
    const kanon__tuple_metric metric = {tuple_distance, node_distance, t};
    kanon__ticker ticker;
    int64_t end = (task + 1) * TUPLES_PER_TASK;
    kanon__shared_ticker_task(&ticker, &f->shared);
    KANON_TRY(kanon__near_tuples_reserve(&search.nearest, t->k + 1, err), out);
    for (int64_t tuple = task * TUPLES_PER_TASK; tuple < end && tuple < t->n; tuple++) {
        int64_t wanted = t->k - t->counts[tuple]; /* its equals are as near as can be: what its bands alone cost */
        double distance = wanted > 0 ? kanon__kth_neighbour_distance(&search, t->index, tuple, wanted, metric)
                                     : tuple_distance(t, tuple, tuple, UINT32_MAX);
        t->neighbour_distances[tuple] = (int32_t)distance;
        KANON_TRY(kanon__tick(&ticker, 0, 0, 20000, err), out);
    }
    kanon__shared_ticker_add(&f->shared, TUPLES_PER_TASK);
out:
    kanon__near_tuples_clear(&search.nearest);
    return st;
}

kanon_status kanon__priced_table_find_neighbours(kanon__priced_table *t, kanon__ticker *ticker, kanon_error *err)
{
    neighbour_job f = {.table = t};
    kanon__shared_ticker_init(&f.shared, ticker, t->n);
    kanon_status st = kanon__pool_run(t->threads, (t->n + TUPLES_PER_TASK - 1) / TUPLES_PER_TASK, neighbour_task, &f, err);
    kanon__shared_ticker_clear(&f.shared);
    return st;
}
