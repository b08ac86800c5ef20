/* kmember: greedy k-member clustering.
 *
 * Clusters are built one at a time: from a seed, the record that keeps the cluster's loss least is added until there are k.
 * The next seed is the free record furthest from the last seed. Records left over when fewer than k are free join, one by
 * one, the cluster whose loss they raise least.
 *
 * Paper: Byun, Kamra, Bertino, Li: Efficient k-anonymization using clustering techniques, DASFAA 2007, as Lin (2.2) and
 * Rashidy (III) describe it.
 * Cost: O(n^2) record costs by scanning, each O(attributes); by the index (search/growth.h) near n log n on ordinary
 * tables.
 * Ties: the lowest record; for leftovers the cluster that was built first.
 * Differences from the paper: none known. The paper measures the loss of the cluster with the new record, IL(P + r); at
 * equal sizes that is the order of D(P + r), which is what is compared here. */
#include "algorithms/algorithm.h"

#include "core/alloc.h"
#include "search/growth.h"

typedef struct clusters {
    kanon__bound *boxes; /* 2 * n_dimensions bounds each */
    int64_t *sizes;
    int64_t n;
} clusters;

static kanon__bound *box_of(const kanon__run *run, const clusters *c, int64_t i)
{
    return c->boxes + (size_t)i * 2 * (size_t)run->space->n_dimensions;
}

static void take(kanon__run *run, clusters *c, int64_t cluster, kanon__growth *free_records, int64_t row)
{
    if (c->sizes[cluster]++ == 0)
        kanon__box_start(run->space, box_of(run, c, cluster), row);
    else
        kanon__box_add(run->space, box_of(run, c, cluster), row);
    run->group_of[row] = (int32_t)cluster;
    kanon__growth_remove(free_records, row);
}

/* Steps 2 to 4 of the paper: one cluster of k records around `seed`. */
static kanon_status grow(kanon__run *run, clusters *c, kanon__growth *free_records, int64_t seed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t cluster = c->n++, n_rows = run->space->n_rows;
    kanon__growth_start(free_records);
    take(run, c, cluster, free_records, seed);
    while (c->sizes[cluster] < run->k) {
        int64_t row, n_free = kanon__growth_n_free(free_records);
        uint32_t units;
        KANON_TRY(kanon__growth_least(free_records, box_of(run, c, cluster), &row, &units, err), out);
        take(run, c, cluster, free_records, row);
        KANON_TRY(kanon__tick(run->ticker, n_rows - n_free, n_rows, 5000, err), out);
    }
out:
    return st;
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
    kanon__growth *free_records = NULL;
    kanon__random random;
    int64_t n = run->space->n_rows, most_clusters = n / run->k;
    KANON_TRY(kanon__growth_new(&free_records, run->space, kanon__setting_text(run->settings, "search"), err), out);
    KANON_TRY(kanon__new_array(&c.boxes, most_clusters * 2 * run->space->n_dimensions, "clusters", err), out);
    KANON_TRY(kanon__new_array(&c.sizes, most_clusters, "clusters", err), out);
    kanon__random_init(&random, run->seed, 0);
    int64_t seed = kanon__random_below(&random, n);
    for (;;) {
        KANON_TRY(grow(run, &c, free_records, seed, err), out);
        if (kanon__growth_n_free(free_records) < run->k)
            break;
        KANON_TRY(kanon__growth_furthest(free_records, seed, &seed, err), out);
    }
    for (int64_t row = 0; row < n && kanon__growth_n_free(free_records) > 0; row++)
        if (kanon__growth_has(free_records, row))
            take(run, &c, cheapest_cluster(run, &c, row), free_records, row);
    run->n_groups = (int32_t)c.n;
out:
    kanon__free(c.sizes);
    kanon__free(c.boxes);
    kanon__growth_free(free_records);
    return st;
}

static const kanon_setting_info kmember_settings[] = {KANON__SEARCH_SETTING};

const kanon__algorithm kanon__algorithm_kmember = {
    .info =
        {.name = "kmember",
         .summary = "grow clusters of k around far-apart seeds, always adding the record that costs least",
         .advice =
             "A good first choice for low information loss on small and medium tables. It starts each cluster at the record "
             "furthest from the last seed, so outliers come first; clusters have k records, a few have more.",
         .source = "Byun, Kamra, Bertino, Li: Efficient k-anonymization using clustering techniques, DASFAA 2007",
         .revision = 1,
         .settings = kmember_settings,
         .n_settings = sizeof kmember_settings / sizeof kmember_settings[0]},
    .run = run_kmember,
};
