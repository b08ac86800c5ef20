/* kmember: greedy k-member clustering.
 *
 * Clusters are built one at a time: from a seed, the record that keeps the cluster's loss least is added until there are k.
 * The next seed is the free record furthest from the last seed. Records left over when fewer than k are free join, one by one,
 * the cluster whose loss they raise least.
 *
 * Paper: Byun, Kamra, Bertino, Li: Efficient k-anonymization using clustering techniques, DASFAA 2007, as Lin (2.2) and
 * Rashidy (III) describe it.
 * Cost: O(n^2) record costs by scanning, each O(attributes); n + n * attributes words of memory.
 * Ties: the lowest record; for leftovers the cluster that was built first.
 * Differences from the paper: none known. The paper measures the loss of the cluster with the new record, IL(P + r); at equal
 * sizes that is the order of D(P + r), which is what is compared here. */
#include "algorithms/algorithm.h"

#include "core/alloc.h"
#include "search/free_set.h"

typedef struct clusters {
    kanon__bound *boxes; /* 2 * n_dimensions bounds each */
    int64_t *sizes;
    int64_t n;
} clusters;

static kanon__bound *box_of(const kanon__run *run, const clusters *c, int64_t i)
{
    return c->boxes + (size_t)i * 2 * (size_t)run->space->n_dimensions;
}

static void take(kanon__run *run, clusters *c, int64_t cluster, kanon__free_set *free_set, int64_t row)
{
    if (c->sizes[cluster]++ == 0)
        kanon__box_start(run->space, box_of(run, c, cluster), row);
    else
        kanon__box_add(run->space, box_of(run, c, cluster), row);
    run->group_of[row] = (int32_t)cluster;
    kanon__free_set_remove(free_set, row);
}

/* Steps 2 to 4 of the paper: one cluster of k records around `seed`. */
static kanon_status grow(kanon__run *run, clusters *c, kanon__free_set *free_set, int64_t seed, kanon_error *err)
{
    int64_t cluster = c->n++, n_rows = run->space->n_rows;
    take(run, c, cluster, free_set, seed);
    while (c->sizes[cluster] < run->k) {
        int64_t row = kanon__free_set_least_growth(free_set, box_of(run, c, cluster), NULL);
        take(run, c, cluster, free_set, row);
        kanon_status st = kanon__tick(run->ticker, n_rows - free_set->n, n_rows, 5 * free_set->n, err);
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

/* The cluster whose loss grows least when `row` joins. */
static int64_t cheapest_cluster(const kanon__run *run, const clusters *c, int64_t row)
{
    int64_t best = 0, least = INT64_MAX;
    for (int64_t i = 0; i < c->n; i++) {
        const kanon__bound *box = box_of(run, c, i);
        int64_t increase = (c->sizes[i] + 1) * kanon__box_units_with(run->space, box, row) -
                           c->sizes[i] * kanon__box_units(run->space, box);
        if (increase < least) {
            least = increase;
            best = i;
        }
    }
    return best;
}

static kanon_status run_kmember(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    clusters c = {0};
    kanon__free_set *free_set = NULL;
    kanon__random random;
    int64_t n = run->space->n_rows, most_clusters = n / run->k;
    KANON_TRY(kanon__free_set_new(&free_set, run->space, NULL, 0, err), out);
    KANON_TRY(kanon__new_array(&c.boxes, most_clusters * 2 * run->space->n_dimensions, "clusters", err), out);
    KANON_TRY(kanon__new_array(&c.sizes, most_clusters, "clusters", err), out);
    kanon__random_init(&random, run->seed, 0);
    int64_t seed = kanon__random_below(&random, n);
    for (;;) {
        KANON_TRY(grow(run, &c, free_set, seed, err), out);
        if (free_set->n < run->k)
            break;
        seed = kanon__free_set_furthest(free_set, seed, NULL);
    }
    for (int64_t row = 0; row < n && free_set->n > 0; row++)
        if (kanon__free_set_has(free_set, row))
            take(run, &c, cheapest_cluster(run, &c, row), free_set, row);
    run->n_groups = (int32_t)c.n;
out:
    kanon__free(c.sizes);
    kanon__free(c.boxes);
    kanon__free_set_free(free_set);
    return st;
}

const kanon__algorithm kanon__algorithm_kmember = {
    .info = {.name = "kmember",
             .summary = "grow clusters of k around far-apart seeds, always adding the record that costs least",
             .advice = "A good first choice for low information loss on small and medium tables. It starts each cluster at the record "
                       "furthest from the last seed, so outliers come first; clusters have k records, a few have more.",
             .source = "Byun, Kamra, Bertino, Li: Efficient k-anonymization using clustering techniques, DASFAA 2007",
             .revision = 1},
    .run = run_kmember,
};
