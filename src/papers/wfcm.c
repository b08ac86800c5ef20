/* wfcm: weighted feature c-means.
 *
 * K = floor(n/k) random records are the first centroids. Repeat: assign every record to the nearest centroid under
 * attribute weights, recompute the centroids, and let attributes with little dispersion inside the clusters weigh more;
 * until the assignment stays. Then clusters short of k are merged into the cluster where that costs least.
 *
 * Paper: Chiu, Tsai: A k-anonymity clustering method for effective data privacy preservation, ADMA 2007, as Lin (2.2)
 * describes it.
 * Cost: O(n^2/k) distances of O(attributes) for each iteration; merging O(K) for each small cluster.
 * Ties: the lowest cluster.
 * Random numbers: stream 0: K distinct records.
 * Differences from the paper: its formula for the weights is not in Lin; here weight_a is proportional to
 * 1 / (delta_a + mean of delta), delta_a the dispersion on attribute a, so that no weight vanishes or explodes. Nor does
 * Lin say what the centroid of a category is: the common ancestor, as in oka, climbs to the root, where all records are
 * equally near; `centroid=mode|median` keeps a value, and many more groups. */
#include "algorithms/algorithm.h"

#include "core/alloc.h"
#include "model/clusters.h"
#include "papers/nearest.h"

#include <math.h>

/* Weights are fixed-point numbers, so that distances are whole and equal ones are equal. */
enum { WEIGHT_ONE = 1024 };

typedef struct wfcm_state {
    kanon__run *run;
    kanon__centroids *centroids;
    kanon__nearest *nearest;
    uint32_t *weights;   /* by dimension, in 1/1024 */
    double *dispersions; /* by dimension, in parts of the full cost */
} wfcm_state;

/* Assign every record to its nearest centroid under the weights; *changed: some record changed its cluster. */
static kanon_status assign(wfcm_state *it, bool *changed, int64_t round, int64_t n_rounds, kanon_error *err)
{
    kanon__run *run = it->run;
    int64_t n = run->space->n_rows;
    *changed = false;
    kanon__nearest_reset(it->nearest, it->weights);
    for (int64_t row = 0; row < n; row++) {
        int32_t cluster = (int32_t)kanon__nearest_find(it->nearest, row, false, 0);
        if (cluster != run->group_of[row])
            *changed = true;
        run->group_of[row] = cluster;
        kanon_status st = kanon__tick(run->ticker, round * n + row, n_rounds * n, 8 * it->centroids->n, err);
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

/* The sum over records of the distance to their centroid on each attribute. */
static void measure_dispersions(wfcm_state *it)
{
    const kanon__space *space = it->run->space;
    for (int i = 0; i < space->n_dimensions; i++) {
        const kanon__dimension *d = &space->dimensions[i];
        int64_t units = 0;
        for (int64_t row = 0; row < space->n_rows; row++)
            units += kanon__centroid_term(d, it->centroids->at[i * it->centroids->n + it->run->group_of[row]],
                                          kanon__code_at(d->codes, row));
        it->dispersions[i] = d->full > 0 ? (double)units / d->full : 0;
    }
}

/* weight_a = m * (1 / (delta_a + mean)) / sum of these: the weights sum to the number of attributes. */
static void update_weights(wfcm_state *it)
{
    int m = it->run->space->n_dimensions;
    double mean = 0, sum = 0;
    measure_dispersions(it);
    for (int i = 0; i < m; i++)
        mean += it->dispersions[i];
    mean /= m;
    for (int i = 0; i < m; i++)
        sum += 1 / (it->dispersions[i] + mean);
    for (int i = 0; i < m; i++) {
        double weight = mean > 0 ? m * (1 / (it->dispersions[i] + mean)) / sum : 1;
        double fixed = floor(weight * WEIGHT_ONE + 0.5);
        it->weights[i] = fixed < 1 ? 1 : (uint32_t)fixed;
    }
}

/* To the means of numbers and, on categories, to the common ancestors or to one of the members' values. */
static kanon_status move_centroids(wfcm_state *it, kanon_error *err)
{
    const kanon__run *run = it->run;
    kanon__centroids_set(it->centroids, run->group_of);
    if (kanon__setting_is(run->settings, "centroid", "ancestor"))
        return KANON_OK;
    bool mode = kanon__setting_is(run->settings, "centroid", "mode");
    return kanon__centroids_use_values(it->centroids, run->group_of, mode ? KANON__CENTER_MODE : KANON__CENTER_MEDIAN, err);
}

/* The c-means iteration. Small clusters are dealt with afterwards. */
static kanon_status iterate(wfcm_state *it, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n_rounds = kanon__setting_integer(it->run->settings, "max-iterations");
    bool changed = true;
    for (int i = 0; i < it->run->space->n_dimensions; i++)
        it->weights[i] = WEIGHT_ONE;
    for (int64_t round = 0; round < n_rounds && changed; round++) {
        KANON_TRY(assign(it, &changed, round, n_rounds, err), out);
        if (!changed)
            break;
        KANON_TRY(move_centroids(it, err), out);
        update_weights(it);
    }
    if (changed)
        KANON_TRY(kanon__texts_addf(it->run->warnings, err,
                                    "the assignment still changed after %lld iteration%s (raise max-iterations to go on)",
                                    (long long)n_rounds, n_rounds == 1 ? "" : "s"),
                  out);
out:
    return st;
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

typedef struct cluster_merge {
    kanon__run *run;
    kanon__clusters clusters;
    kanon__bound *joined;
    int32_t *into; /* by cluster: the cluster that it was merged into; itself: none. Chains end at a live cluster. */
} cluster_merge;

static int64_t loss_of(const cluster_merge *g, int64_t size, const kanon__bound *box)
{
    return kanon__group_loss(size, kanon__box_units(g->run->space, box));
}

static void copy_box(const cluster_merge *g, kanon__bound *to, const kanon__bound *from)
{
    for (int i = 0; i < 2 * g->run->space->n_dimensions; i++)
        to[i] = from[i];
}

/* Merge `small` where IL(P+Q) - IL(P) - IL(Q) is least; IL of `small` is the same for all and left out. */
static void merge_cheapest(cluster_merge *g, int64_t small)
{
    int64_t best = -1, least = INT64_MAX;
    for (int64_t i = 0; i < g->clusters.n; i++) {
        if (i == small || g->clusters.sizes[i] == 0)
            continue;
        copy_box(g, g->joined, kanon__clusters_box(&g->clusters, small));
        kanon__box_join(g->run->space, g->joined, kanon__clusters_box(&g->clusters, i));
        int64_t cost = loss_of(g, g->clusters.sizes[small] + g->clusters.sizes[i], g->joined) -
                       loss_of(g, g->clusters.sizes[i], kanon__clusters_box(&g->clusters, i));
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    kanon__box_join(g->run->space, kanon__clusters_box(&g->clusters, best), kanon__clusters_box(&g->clusters, small));
    g->clusters.sizes[best] += g->clusters.sizes[small];
    g->clusters.sizes[small] = 0;
    g->into[small] = (int32_t)best;
}

/* Follow the chains, then number the live clusters without gaps. */
static void renumber(cluster_merge *g)
{
    kanon__run *run = g->run;
    for (int64_t row = 0; row < run->space->n_rows; row++) {
        int32_t cluster = run->group_of[row];
        while (g->into[cluster] != cluster)
            cluster = g->into[cluster];
        run->group_of[row] = cluster;
    }
    for (int64_t i = 0; i < g->clusters.n; i++)
        g->into[i] = g->clusters.sizes[i] > 0 ? run->n_groups++ : -1;
    for (int64_t row = 0; row < run->space->n_rows; row++)
        run->group_of[row] = g->into[run->group_of[row]];
}

/* One sweep over the clusters. A merge changes only its target, which may still be short of k; where the target lies
 * before the sweep, the sweep goes back to it. */
static kanon_status merge_small(cluster_merge *g, kanon_error *err)
{
    for (int64_t i = 0; i < g->clusters.n; i++) {
        if (g->clusters.sizes[i] == 0 || g->clusters.sizes[i] >= g->run->k)
            continue;
        merge_cheapest(g, i);
        if (g->into[i] < i)
            i = g->into[i] - 1;
        kanon_status st = kanon__tick(g->run->ticker, i, g->clusters.n, 50 * g->clusters.n, err);
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

static kanon_status merge_stage(kanon__run *run, int64_t n_clusters, kanon_error *err)
{
    kanon_status st = KANON_OK;
    cluster_merge g = {.run = run};
    int64_t m = run->space->n_dimensions;
    KANON_TRY(kanon__clusters_init(&g.clusters, run->space, n_clusters, err), out);
    KANON_TRY(kanon__new_array(&g.joined, 2 * m, "clusters", err), out);
    KANON_TRY(kanon__new_array(&g.into, n_clusters, "clusters", err), out);
    for (int64_t i = 0; i < n_clusters; i++)
        g.into[i] = (int32_t)i;
    for (int64_t row = 0; row < run->space->n_rows; row++)
        kanon__clusters_join(&g.clusters, run->group_of[row], row);
    KANON_TRY(merge_small(&g, err), out);
    renumber(&g);
out:
    kanon__free(g.into);
    kanon__free(g.joined);
    kanon__clusters_clear(&g.clusters);
    return st;
}

static kanon_status run_wfcm(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    wfcm_state it = {.run = run};
    kanon__random random;
    int64_t n_clusters = run->space->n_rows / run->k;
    KANON_TRY(kanon__centroids_new(&it.centroids, run->space, n_clusters, err), out);
    KANON_TRY(kanon__nearest_new(&it.nearest, it.centroids, kanon__setting_text(run->settings, "search"), err), out);
    KANON_TRY(kanon__new_array(&it.weights, run->space->n_dimensions, "weights", err), out);
    KANON_TRY(kanon__new_array(&it.dispersions, run->space->n_dimensions, "weights", err), out);
    kanon__random_init(&random, run->seed, 0);
    KANON_TRY(kanon__centroids_seed(it.centroids, &random, NULL, err), out);
    for (int64_t row = 0; row < run->space->n_rows; row++)
        run->group_of[row] = -1;
    KANON_TRY(iterate(&it, err), out);
    KANON_TRY(merge_stage(run, n_clusters, err), out);
out:
    kanon__free(it.dispersions);
    kanon__free(it.weights);
    kanon__nearest_free(it.nearest);
    kanon__centroids_free(it.centroids);
    return st;
}

static const kanon_setting_info wfcm_settings[] = {
    {.name = "max-iterations",
     .type = KANON_SETTING_INTEGER,
     .min = 1,
     .max = 100000,
     .default_value = "100",
     .help = "where to stop if the assignment never comes to rest"},
    {.name = "centroid",
     .type = KANON_SETTING_CHOICE,
     .default_value = "ancestor",
     .choices = "ancestor|mode|median",
     .help = "what stands for the categories of a cluster: their common ancestor, the most frequent value, or the middle "
             "one in the order of the taxonomy"},
    KANON__SEARCH_SETTING,
};

const kanon__algorithm kanon__algorithm_wfcm = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "wfcm",
                       .brief = "c-means with attribute weights that follow the dispersion, small clusters merged at the "
                                "end",
                       .more = "For comparison with the literature. Sizes are uneven: clusters are merged up to k, large "
                               "ones stay large.",
                       .source = "Chiu, Tsai: A k-anonymity clustering method for effective data privacy preservation, "
                                 "ADMA 2007",
                       .revision = 1},
             .settings = wfcm_settings,
             .n_settings = sizeof wfcm_settings / sizeof wfcm_settings[0]},
    .run = run_wfcm,
    .record_bytes = 48,
    .cell_bytes = 20,
    .records_per_minute = 40000,
};
