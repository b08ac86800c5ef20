/* densest: make the densest cluster first, again and again.
 *
 * Each round takes the free record whose cluster of k, grown by always adding the cheapest record, has the least
 * diversity of all, and makes that cluster. So dense regions are not torn apart for the sake of outliers, which come
 * last and cost only themselves. Records that the new cluster covers already join it up to 2k - 1, as they will hardly
 * do better later.
 *
 * Steps: 1 grow from every distinct tuple and queue the diversities; 2 take the first seed of the queue and grow again,
 * since records were taken meanwhile; 3 if it is still first, make its cluster, else put it back with its new diversity;
 * 4 repeat 2 and 3 while k records are free; 5 place the records left over. A diversity seldom falls as records vanish,
 * so this lazy queue finds nearly the least one, for about two growths a tuple.
 *
 * Under constraints the last places of a cluster are for records that these still need, and what it violates nevertheless
 * adds to its diversity in the queue (seed_cluster.h).
 *
 * Source: this project. The growth is that of k-member (Byun et al., DASFAA 2007), the order of the clusters is not.
 * Cost: about twice as many growths as distinct tuples, each near O(k log n) by the index (search/density.h).
 * Ties: the lowest record; for records left over the cluster that was built first. No random numbers. */
#include "algorithms/algorithm.h"

#include "algorithms/seed_cluster.h"
#include "search/best_first.h"
#include "search/density.h"
#include "search/leftovers.h"

typedef struct densest {
    kanon__run *run;
    kanon__density *density;
    kanon__seed_cluster *cluster; /* where there are constraints; else NULL */
    kanon__frontier queue; /* seeds (in `what`) by the cost of their last growth, then by their lowest free record then */
} densest;

/* A growth takes about WORK_PER_RECORD nanoseconds for each record of the cluster. */
enum { WORK_PER_RECORD = 500, K_PER_TUPLE = 200 };

static kanon_status tick(densest *d, int64_t done, kanon_error *err)
{
    return kanon__tick(d->run->ticker, done, 2 * d->run->space->n_rows, WORK_PER_RECORD * d->run->k, err);
}

/* Grow from the seed. The cost of its cluster is D and, under constraints, the price of what it violates. */
static kanon_status measure(densest *d, int32_t seed, uint64_t *cost, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t units;
    if (d->cluster == NULL) {
        st = kanon__density_measure(d->density, seed, d->run->k, &units, err);
        *cost = units;
    } else {
        st = kanon__seed_cluster_grow(d->cluster, seed, err);
        *cost = d->cluster->cost;
    }
    return st;
}

/* Step 1: grow from every N-th tuple that has a free record, in the order of these records. */
static kanon_status fill_queue(densest *d, int64_t every, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n_rows = d->run->space->n_rows, n_taken = n_rows - kanon__density_n_free(d->density), n_met = 0;
    int64_t n_seeds = kanon__density_n_seeds(d->density);
    bool *chosen = NULL;
    KANON_TRY(kanon__new_array(&chosen, n_seeds, "seeds", err), out);
    for (int64_t row = 0; row < n_rows; row++) {
        int32_t seed = kanon__density_seed_of(d->density, row);
        if (seed >= 0 && kanon__density_record_of(d->density, seed) == row)
            chosen[seed] = n_met++ % every == 0;
    }
    for (int32_t seed = 0; seed < n_seeds; seed++) { /* seeds of near numbers are near each other, and in the cache */
        uint64_t cost;
        if (!chosen[seed])
            continue;
        KANON_TRY(measure(d, seed, &cost, err), out);
        int32_t row = kanon__density_record_of(d->density, seed);
        KANON_TRY(kanon__frontier_push(&d->queue, (kanon__candidate){cost, row, seed}, err), out);
        KANON_TRY(tick(d, n_taken > 0 ? n_rows + n_taken : n_rows * seed / n_seeds, err), out);
    }
out:
    kanon__free(chosen);
    return st;
}

/* Make the cluster of k around the seed, with the records that it covers: all where it costs nothing, else below 2k. */
static kanon_status make_cluster(densest *d, int32_t seed, uint32_t diversity, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t size = 0, k = d->run->k;
    int32_t cluster = d->run->n_groups++;
    int32_t row = kanon__density_record_of(d->density, seed);
    uint32_t units;
    KANON_TRY(kanon__density_begin_cluster(d->density, seed, err), out);
    d->run->group_of[row] = cluster;
    while (++size < 2 * k - 1 || diversity == 0) {
        KANON_TRY(kanon__density_find_next(d->density, &row, &units, err), out);
        if (row < 0 || units > diversity)
            break;
        kanon__density_take_found(d->density);
        d->run->group_of[row] = cluster;
    }
out:
    return st;
}

/* Steps 2 and 3: the first seed makes its cluster, or gets another place in the queue. */
static kanon_status try_first_seed(densest *d, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__candidate first = d->queue.items[0];
    int32_t row = kanon__density_record_of(d->density, first.what);
    uint64_t cost;
    if (row < 0) {
        kanon__frontier_pop(&d->queue);
        return KANON_OK;
    }
    if (row > first.row) { /* its place among equals was that of a record that is taken */
        kanon__frontier_replace(&d->queue, (kanon__candidate){first.cost, row, first.what});
        return KANON_OK;
    }
    KANON_TRY(measure(d, first.what, &cost, err), out);
    KANON_TRY(tick(d, 2 * d->run->space->n_rows - kanon__density_n_free(d->density), err), out);
    kanon__frontier_replace(&d->queue, (kanon__candidate){cost, row, first.what});
    if (d->queue.items[0].what != first.what)
        goto out;
    if (d->cluster != NULL)
        KANON_TRY(kanon__seed_cluster_make(d->cluster, d->run->n_groups++, err), out);
    else
        KANON_TRY(make_cluster(d, first.what, (uint32_t)cost, err), out);
out:
    return st;
}

/* All growths together take O(tuples * k); but where k is large, neighbouring tuples grow nearly the same cluster, so
 * some of them are enough. */
static int64_t choose_every(const kanon__run *run)
{
    if (kanon__setting_given(run->settings, "every"))
        return kanon__setting_integer(run->settings, "every");
    return run->k >= K_PER_TUPLE ? run->k / K_PER_TUPLE : 1;
}

static kanon_status run_densest(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    densest d = {.run = run};
    kanon__seed_cluster cluster = {0};
    int64_t n = run->space->n_rows, every = choose_every(run);
    KANON_TRY(kanon__density_new(&d.density, run->space, kanon__setting_text(run->settings, "search"), err), out);
    if (run->constraints != NULL) {
        KANON_TRY(kanon__seed_cluster_init(&cluster, run, d.density, err), out);
        d.cluster = &cluster;
    }
    for (int64_t row = 0; row < n; row++)
        run->group_of[row] = KANON__LEFT_OVER;
    KANON_TRY(fill_queue(&d, every, err), out);
    while (kanon__density_n_free(d.density) >= run->k)
        KANON_TRY(d.queue.n > 0 ? try_first_seed(&d, err) : fill_queue(&d, 1, err), out);
    KANON_TRY(kanon__leftovers_place(run, err), out);
out:
    kanon__frontier_clear(&d.queue);
    kanon__seed_cluster_clear(&cluster);
    kanon__density_free(d.density);
    return st;
}

static const kanon_setting_info densest_settings[] = {{.name = "every",
                                                       .type = KANON_SETTING_INTEGER,
                                                       .min = 1,
                                                       .max = INT32_MAX,
                                                       .help = "grow from every N-th distinct record only: faster, at more "
                                                               "loss where k is small; k/200, at least 1, unless given"},
                                                      KANON__SEARCH_SETTING};

const kanon__algorithm kanon__algorithm_densest = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "densest",
                       .brief = "make the cluster with the least diversity that can be grown from any free record, again "
                                "and again",
                       .more = "Low information loss: on ordinary tables clearly less than kmember, the more so the larger "
                               "k is, for a few times its time. auto starts with it and goes on from there. Clusters have "
                               "k to 2k-1 records; only equal records, and those left over at the end, make larger ones.",
                       .source = "this project; clusters grow as in kmember",
                       .revision = 2},
             .settings = densest_settings,
             .n_settings = sizeof densest_settings / sizeof densest_settings[0]},
    .run = run_densest,
    .record_bytes = 50,
    .cell_bytes = 24,
    .records_per_minute = 2000000,
};
