/* oka: the one-pass k-means algorithm.
 *
 * K = floor(n/k) random records seed K clusters; every other record, in the order of the quasi-identifiers, joins the
 * cluster that is closest by |P| * d(r, centroid), and the centroid moves at once. Then an adjustment takes the records
 * that are too many from the large clusters and fills the small ones with them.
 *
 * Paper: Lin, Wei: An efficient clustering method for k-anonymization, PAIS 2008, section 3; steps of figures 1 and 2.
 * Cost: O(n^2/k) distances of O(attributes) each.
 * Ties: the lowest cluster; of equally far records the lowest goes first.
 * Random numbers: stream 0: K distinct records, then the order of the given-up records.
 * Differences from the paper: coordinates are rounded to whole units. `iterations` and `suppress-small` are the paper's
 * first and second proposal for further work. */
#include "papers/adjustment.h"

#include "core/alloc.h"
#include "model/clusters.h"
#include "search/tuples.h"

#include <stdlib.h>
#include <string.h>

typedef struct oka_state {
    kanon__run *run;
    kanon__centroids *centroids;
    kanon__nearest *nearest;
    int32_t *sorted; /* rows by quasi-identifiers */
    int32_t *keep;   /* by row: its cluster before the adjustment, for suppress-small */
    kanon__random random;
    bool by_size;
} oka_state;

/* ---- clustering stage -------------------------------------------------------------------------------------------- */

/* Steps 2 to 5: K distinct random records are the first members and the centroids of K clusters. */
static kanon_status plant_seeds(oka_state *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *seeds = NULL;
    KANON_TRY(kanon__new_array(&seeds, c->centroids->n, "seeds", err), out);
    KANON_TRY(kanon__centroids_seed(c->centroids, &c->random, seeds, err), out);
    for (int64_t row = 0; row < c->run->space->n_rows; row++)
        c->run->group_of[row] = -1;
    for (int64_t i = 0; i < c->centroids->n; i++)
        c->run->group_of[seeds[i]] = (int32_t)i;
out:
    kanon__free(seeds);
    return st;
}

/* Steps 6 to 11: each row in no cluster joins the closest one, whose centroid moves at once. */
static kanon_status assign_rows(oka_state *c, int64_t round, int64_t n_rounds, kanon_error *err)
{
    kanon__run *run = c->run;
    int64_t n = run->space->n_rows;
    kanon__nearest_reset(c->nearest, NULL);
    for (int64_t i = 0; i < n; i++) {
        int32_t row = c->sorted[i];
        if (run->group_of[row] >= 0)
            continue;
        int64_t cluster = kanon__nearest_find(c->nearest, row, c->by_size, 0);
        run->group_of[row] = (int32_t)cluster;
        kanon__centroids_add(c->centroids, cluster, row);
        kanon__nearest_update(c->nearest, cluster);
        kanon_status st = kanon__tick(run->ticker, round * n + i, n_rounds * n, 5 * c->centroids->n, err);
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

/* Steps 2 to 11, `iterations` times; from the second time on the last centroids are the seeds. */
static kanon_status clustering_stage(oka_state *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n_rounds = kanon__setting_integer(c->run->settings, "iterations");
    KANON_TRY(plant_seeds(c, err), out);
    for (int64_t round = 0; round < n_rounds; round++) {
        for (int64_t row = 0; round > 0 && row < c->run->space->n_rows; row++)
            c->run->group_of[row] = -1;
        if (round > 0)
            kanon__centroids_empty(c->centroids);
        KANON_TRY(assign_rows(c, round, n_rounds, err), out);
    }
out:
    return st;
}

/* ---- suppress-small: Lin's second proposal ----------------------------------------------------------------------- */

/* What a cluster was before a record joined it. */
typedef struct undo {
    int64_t cluster, size;
    kanon__bound *box;
} undo;

/* Move the records that the adjustment added to `cluster` to the groups that they cost least. Fills `steps`, for taking
 * it back, and returns the cost. */
static int64_t move_added(oka_state *c, kanon__clusters *l, int64_t cluster, const int32_t *added, int64_t n_added,
                          undo *steps, kanon__bound *boxes)
{
    int64_t cost = 0, m = l->space->n_dimensions;
    for (int64_t i = 0; i < n_added; i++) {
        int64_t to = kanon__clusters_cheapest(l, cluster, added[i]);
        cost += kanon__clusters_increase(l, to, added[i]);
        steps[i] = (undo){to, l->sizes[to], boxes + i * 2 * m};
        memcpy(steps[i].box, kanon__clusters_box(l, to), (size_t)(2 * m) * sizeof *boxes);
        kanon__clusters_join(l, to, added[i]);
        c->run->group_of[added[i]] = (int32_t)to;
    }
    return cost;
}

/* Undo the moves, the last one first. */
static void take_back(oka_state *c, kanon__clusters *l, int64_t cluster, const int32_t *added, int64_t n_added,
                      const undo *steps)
{
    for (int64_t i = n_added - 1; i >= 0; i--) {
        l->sizes[steps[i].cluster] = steps[i].size;
        memcpy(kanon__clusters_box(l, steps[i].cluster), steps[i].box,
               (size_t)(2 * l->space->n_dimensions) * sizeof *steps[i].box);
        c->run->group_of[added[i]] = (int32_t)cluster;
    }
}

/* Suppress the records that `cluster` had before the adjustment (`own`) if that and moving the others (`added`) costs
 * less than the cluster does. */
static bool try_suppressing(oka_state *c, kanon__clusters *l, int64_t cluster, const int32_t *own, int64_t n_own,
                            const int32_t *added, int64_t n_added, undo *steps, kanon__bound *boxes)
{
    uint32_t units = kanon__box_units(l->space, kanon__clusters_box(l, cluster));
    int64_t full = 0, now = kanon__group_loss(l->sizes[cluster], units);
    for (int i = 0; i < l->space->n_dimensions; i++)
        full += l->space->dimensions[i].full;
    int64_t then = n_own * full + move_added(c, l, cluster, added, n_added, steps, boxes);
    if (then >= now) {
        take_back(c, l, cluster, added, n_added, steps);
        return false;
    }
    for (int64_t i = 0; i < n_own; i++)
        c->run->group_of[own[i]] = KANON__SUPPRESSED;
    l->sizes[cluster] = 0;
    return true;
}

/* The records of a cluster that the adjustment left where they were, and those that it added. */
static void split_members(const oka_state *c, int64_t cluster, int32_t *own, int64_t *n_own, int32_t *added,
                          int64_t *n_added)
{
    *n_own = *n_added = 0;
    for (int64_t row = 0; row < c->run->space->n_rows; row++)
        if (c->run->group_of[row] == cluster) {
            if (c->keep[row] == cluster)
                own[(*n_own)++] = (int32_t)row;
            else
                added[(*n_added)++] = (int32_t)row;
        }
}

/* Number the remaining clusters without gaps. */
static void renumber_clusters(kanon__run *run, const kanon__clusters *l, int32_t *number)
{
    run->n_groups = 0;
    for (int64_t i = 0; i < l->n; i++)
        number[i] = l->sizes[i] > 0 ? run->n_groups++ : KANON__SUPPRESSED;
    for (int64_t row = 0; row < run->space->n_rows; row++)
        if (run->group_of[row] >= 0)
            run->group_of[row] = number[run->group_of[row]];
}

/* Try each cluster that was short of k before the adjustment, in order; one cluster always stays. */
static kanon_status suppress_small(oka_state *c, const int64_t *sizes_before, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__run *run = c->run;
    kanon__clusters l = {0};
    int64_t n = run->space->n_rows, m = run->space->n_dimensions, n_left = c->centroids->n;
    int32_t *own = NULL, *added = NULL;
    undo *steps = NULL;
    kanon__bound *boxes = NULL;
    KANON_TRY(kanon__clusters_init(&l, run->space, n_left, err), out);
    KANON_TRY(kanon__new_array(&own, n, "members", err), out);
    KANON_TRY(kanon__new_array(&added, n, "members", err), out);
    for (int64_t row = 0; row < n; row++)
        kanon__clusters_join(&l, run->group_of[row], row);
    for (int64_t i = 0; i < l.n && n_left > 1; i++) {
        int64_t n_own, n_added;
        if (sizes_before[i] >= run->k)
            continue;
        split_members(c, i, own, &n_own, added, &n_added);
        KANON_TRY(kanon__new_array(&steps, n_added, "moves", err), out);
        KANON_TRY(kanon__new_array(&boxes, n_added * 2 * m, "moves", err), out);
        n_left -= try_suppressing(c, &l, i, own, n_own, added, n_added, steps, boxes);
        kanon__free(boxes);
        kanon__free(steps);
        boxes = NULL;
        steps = NULL;
        KANON_TRY(kanon__tick(run->ticker, i, l.n, 20 * (n + n_added * l.n), err), out);
    }
    renumber_clusters(run, &l, own);
out:
    kanon__free(boxes);
    kanon__free(steps);
    kanon__free(added);
    kanon__free(own);
    kanon__clusters_clear(&l);
    return st;
}

/* ---- the algorithm ----------------------------------------------------------------------------------------------- */

static kanon_status run_oka(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    oka_state c = {.run = run, .by_size = kanon__setting_flag(run->settings, "size-factor")};
    const kanon__space *space = NULL;
    kanon__space *own_space = NULL;
    int64_t n = run->space->n_rows, n_clusters = n / run->k, *sizes_before = NULL;
    kanon__random_init(&c.random, run->seed, 0);
    KANON_TRY(kanon__cluster_space(&space, &own_space, run, err), out);
    KANON_TRY(kanon__new_array(&c.sorted, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&c.keep, n, "clusters", err), out);
    KANON_TRY(kanon__new_array(&sizes_before, n_clusters, "clusters", err), out);
    KANON_TRY(kanon__sort_rows(c.sorted, run->space, err), out); /* step 1 */
    KANON_TRY(kanon__centroids_new(&c.centroids, space, n_clusters, err), out);
    KANON_TRY(kanon__nearest_new(&c.nearest, c.centroids, kanon__setting_text(run->settings, "search"), err), out);
    KANON_TRY(clustering_stage(&c, err), out);
    memcpy(c.keep, run->group_of, (size_t)n * sizeof *c.keep);
    memcpy(sizes_before, c.centroids->sizes, (size_t)n_clusters * sizeof *sizes_before);
    kanon__adjustment adjustment = {run, c.centroids, c.nearest, &c.random, c.by_size, true};
    KANON_TRY(kanon__adjust(&adjustment, run->group_of, err), out);
    run->n_groups = (int32_t)n_clusters;
    if (kanon__setting_flag(run->settings, "suppress-small"))
        KANON_TRY(suppress_small(&c, sizes_before, err), out);
out:
    kanon__nearest_free(c.nearest);
    kanon__centroids_free(c.centroids);
    kanon__free(sizes_before);
    kanon__free(c.keep);
    kanon__free(c.sorted);
    kanon__space_free(own_space);
    return st;
}

static const kanon_setting_info oka_settings[] = {
    {.name = "size-factor",
     .type = KANON_SETTING_FLAG,
     .default_value = "true",
     .help = "multiply distances by the cluster's size, which keeps sizes even; false usually loses less"},
    {.name = "iterations",
     .type = KANON_SETTING_INTEGER,
     .min = 1,
     .max = 1000,
     .default_value = "1",
     .help = "how often the clustering stage runs, each time from the last centroids; more than once seldom loses less"},
    {.name = "suppress-small",
     .type = KANON_SETTING_FLAG,
     .default_value = "false",
     .help = "suppress the records of a cluster that stayed short of k where that costs less than filling it"},
    KANON__CLUSTER_ON,
    KANON__SEARCH_SETTING,
};

const kanon__algorithm kanon__algorithm_oka = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "oka",
                       .brief = "one pass of k-means over the sorted records, then an adjustment of the sizes",
                       .more = "For comparison with the literature. All clusters are built at once, so late records are "
                               "not forced into bad clusters, but information loss is well above kmember's; "
                               "'size-factor=false' helps.",
                       .source = "Lin, Wei: An efficient clustering method for k-anonymization, PAIS 2008",
                       .revision = 1},
             .settings = oka_settings,
             .n_settings = sizeof oka_settings / sizeof oka_settings[0]},
    .run = run_oka,
    .record_bytes = 50,
    .cell_bytes = 18,
    .records_per_minute = 1000000,
};
