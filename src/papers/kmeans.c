/* kmeans-adjust-each, kmeans-fill, kmeans-adjust-last: k-means whose clusters must have k records.
 *
 * K = floor(n/k) random records are the first centroids. Repeat: assign every record to the nearest centroid, make the
 * sizes right, recompute the centroids; until none moves. The sizes are made right by adjusting after each assignment
 * (algorithm 1), by filling clusters below k first (algorithm 2), or by adjusting once at the end (algorithm 3).
 *
 * Paper: El-Rashidy and others: An effective k-anonymity clustering method for less effectiveness on accuracy of data
 * mining results, IJARCS 2(5) 2011, section IV; steps of figures 1 to 4.
 * Cost: O(n^2/k) distances of O(attributes) for each iteration.
 * Ties: the lowest cluster; of equally far records the lowest is given up first.
 * Random numbers: stream 0: K distinct records, then one order of given-up records for each adjustment.
 * Differences from the paper: K is n/k rounded down (the paper's brackets are lost in print). Where the iteration does not
 * end by itself it stops at `max-iterations` with the visited partition of least square error; `return=last` gives the
 * last one, as the figures have it. Coordinates are rounded to whole units. */
#include "papers/adjustment.h"

#include "core/alloc.h"
#include "search/tuples.h"

#include <string.h>

typedef enum sizing_rule { ADJUST_EACH, FILL, ADJUST_LAST } sizing_rule;

typedef struct kmeans_state {
    kanon__run *run;
    const kanon__space *space; /* in which distances are measured */
    sizing_rule sizing;
    kanon__centroids *centroids;
    kanon__centroids *measured; /* scratch: the centroids of the partition whose square error is computed */
    kanon__nearest *nearest;
    kanon__tuples *tuples; /* equal records have the same nearest centroid */
    kanon__random random;
    bool keeps_best;  /* else the last partition counts, and none is remembered */
    int32_t *best;    /* the visited partition with the least square error */
    int32_t *best_at; /* the centroids by which its records were assigned */
    unsigned __int128 best_error;
    bool has_best;
} kmeans_state;

/* Steps 8 to 17 of figure 3: clusters below k are filled first, so each record depends on those before it. */
static kanon_status assign_filling(kmeans_state *it, int64_t n_done, int64_t n_all, kanon_error *err)
{
    kanon__run *run = it->run;
    kanon__centroids *c = it->centroids;
    int64_t n_short = c->n;
    memset(c->sizes, 0, (size_t)c->n * sizeof *c->sizes);
    kanon__nearest_reset(it->nearest, NULL);
    for (int64_t row = 0; row < it->space->n_rows; row++) {
        int64_t cluster = kanon__nearest_find(it->nearest, row, false, n_short > 0 ? run->k : 0);
        run->group_of[row] = (int32_t)cluster;
        n_short -= ++c->sizes[cluster] == run->k;
        kanon__nearest_update(it->nearest, cluster);
        kanon_status st = kanon__tick(run->ticker, n_done + row, n_all, 5 * c->n, err);
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

/* Steps 8 to 13 of figures 1 and 2: each record to its nearest centroid, once per distinct tuple. */
static kanon_status assign_nearest(kmeans_state *it, int64_t n_done, int64_t n_all, kanon_error *err)
{
    const kanon__tuples *t = it->tuples;
    kanon__nearest_reset(it->nearest, NULL);
    for (int64_t tuple = 0; tuple < t->n; tuple++) {
        int64_t cluster = kanon__nearest_find(it->nearest, t->rows[t->begins[tuple]], false, 0);
        for (int64_t i = t->begins[tuple]; i < t->begins[tuple + 1]; i++)
            it->run->group_of[t->rows[i]] = (int32_t)cluster;
        kanon_status st = kanon__tick(it->run->ticker, n_done + t->begins[tuple], n_all, 5 * it->centroids->n, err);
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

static kanon_status assign(kmeans_state *it, int64_t round, int64_t n_rounds, kanon_error *err)
{
    int64_t n = it->space->n_rows;
    if (it->sizing == FILL)
        return assign_filling(it, round * n, n_rounds * n, err);
    return assign_nearest(it, round * n, n_rounds * n, err);
}

/* Figure 4, by plain distance and with fixed centroids. */
static kanon_status adjust(kmeans_state *it, kanon_error *err)
{
    kanon__adjustment adjustment = {it->run, it->centroids, it->nearest, &it->random, false, false};
    return kanon__adjust(&adjustment, it->run->group_of, err);
}

/* The square error of the current partition in units^2, around its own centroids. 128 bits, so that it is exact. */
static unsigned __int128 square_error(kmeans_state *it)
{
    const kanon__space *space = it->space;
    kanon__centroids *c = it->measured;
    unsigned __int128 error = 0;
    kanon__centroids_set(c, it->run->group_of);
    for (int64_t row = 0; row < space->n_rows; row++)
        for (int i = 0; i < space->n_dimensions; i++) {
            uint64_t term = kanon__centroid_term(&space->dimensions[i], c->at[i * c->n + it->run->group_of[row]],
                                                 kanon__code_at(space->dimensions[i].codes, row));
            error += term * term;
        }
    return error;
}

static size_t n_coordinates(const kmeans_state *it)
{
    return (size_t)it->centroids->n * (size_t)it->space->n_dimensions;
}

/* Keep the partition where its square error is the least so far: the iteration may cycle. */
static void remember_if_best(kmeans_state *it)
{
    unsigned __int128 error = square_error(it);
    if (it->has_best && error >= it->best_error)
        return;
    it->has_best = true;
    it->best_error = error;
    memcpy(it->best, it->run->group_of, (size_t)it->space->n_rows * sizeof *it->best);
    memcpy(it->best_at, it->centroids->at, n_coordinates(it) * sizeof *it->best_at);
}

/* Steps 4 to 15: until no centroid moves. */
static kanon_status iterate(kmeans_state *it, bool *converged, int64_t n_rounds, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *converged = false;
    for (int64_t round = 0; round < n_rounds && !*converged; round++) {
        KANON_TRY(assign(it, round, n_rounds, err), out);
        if (it->sizing == ADJUST_EACH)
            KANON_TRY(adjust(it, err), out);
        if (it->keeps_best)
            remember_if_best(it);
        *converged = !kanon__centroids_set(it->centroids, it->run->group_of);
    }
out:
    return st;
}

/* Where the iteration did not end by itself: the partition that is asked for, and a warning that says which it is. */
static kanon_status end_early(kmeans_state *it, int64_t n_rounds, kanon_error *err)
{
    kanon__run *run = it->run;
    if (it->keeps_best) {
        memcpy(run->group_of, it->best, (size_t)it->space->n_rows * sizeof *it->best);
        memcpy(it->centroids->at, it->best_at, n_coordinates(it) * sizeof *it->best_at);
    }
    return kanon__texts_addf(run->warnings, err,
                             "the centroids still moved after %lld iteration%s; this is the %s (raise max-iterations to go "
                             "on)",
                             (long long)n_rounds, n_rounds == 1 ? "" : "s",
                             it->keeps_best ? "partition with the least square error of those visited" : "last partition");
}

static kanon_status run_iteration(kmeans_state *it, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__run *run = it->run;
    int64_t n_rounds = kanon__setting_integer(run->settings, "max-iterations");
    bool converged;
    it->keeps_best = kanon__setting_is(run->settings, "return", "best");
    KANON_TRY(kanon__centroids_seed(it->centroids, &it->random, NULL, err), out); /* steps 1 to 3 */
    KANON_TRY(iterate(it, &converged, n_rounds, err), out);
    if (!converged)
        KANON_TRY(end_early(it, n_rounds, err), out);
    if (it->sizing == ADJUST_LAST)
        KANON_TRY(adjust(it, err), out);
    run->n_groups = (int32_t)it->centroids->n;
out:
    return st;
}

static kanon_status run_kmeans(kanon__run *run, sizing_rule sizing, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kmeans_state it = {.run = run, .sizing = sizing};
    kanon__space *own_space = NULL;
    int64_t n = run->space->n_rows, n_clusters = n / run->k;
    kanon__random_init(&it.random, run->seed, 0);
    KANON_TRY(kanon__cluster_space(&it.space, &own_space, run, err), out);
    KANON_TRY(kanon__new_array(&it.best, n, "the best partition", err), out);
    KANON_TRY(kanon__centroids_new(&it.centroids, it.space, n_clusters, err), out);
    KANON_TRY(kanon__centroids_new(&it.measured, it.space, n_clusters, err), out);
    KANON_TRY(kanon__nearest_new(&it.nearest, it.centroids, kanon__setting_text(run->settings, "search"), err), out);
    KANON_TRY(kanon__new_array(&it.best_at, (int64_t)n_coordinates(&it), "the best partition", err), out);
    KANON_TRY(kanon__tuples_new(&it.tuples, it.space, err), out);
    KANON_TRY(run_iteration(&it, err), out);
out:
    kanon__tuples_free(it.tuples);
    kanon__free(it.best_at);
    kanon__nearest_free(it.nearest);
    kanon__centroids_free(it.measured);
    kanon__centroids_free(it.centroids);
    kanon__free(it.best);
    kanon__space_free(own_space);
    return st;
}

static kanon_status run_adjust_each(kanon__run *run, kanon_error *err)
{
    return run_kmeans(run, ADJUST_EACH, err);
}

static kanon_status run_fill(kanon__run *run, kanon_error *err)
{
    return run_kmeans(run, FILL, err);
}

static kanon_status run_adjust_last(kanon__run *run, kanon_error *err)
{
    return run_kmeans(run, ADJUST_LAST, err);
}

static const kanon_setting_info kmeans_settings[] = {
    {.name = "max-iterations",
     .type = KANON_SETTING_INTEGER,
     .min = 1,
     .max = 100000,
     .default_value = "100",
     .help = "where to stop if the centroids never come to rest"},
    {.name = "return",
     .type = KANON_SETTING_CHOICE,
     .default_value = "best",
     .choices = "best|last",
     .help = "which partition it is where the centroids never come to rest: the one with the least square error of those "
             "visited, or the last one, as in the paper"},
    KANON__CLUSTER_ON,
    KANON__SEARCH_SETTING,
};

#define KMEANS_SOURCE                                                                                                       \
    "El-Rashidy, Ayad, Taha, Sroor: An effective k-anonymity clustering method for less effectiveness on accuracy of data " \
    "mining results, IJARCS 2(5), 2011"

const kanon__algorithm kanon__algorithm_kmeans_adjust_each = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "kmeans-adjust-each",
                       .brief = "k-means, the cluster sizes adjusted after each assignment",
                       .more = "For comparison with the literature. It seldom comes to rest, so its time is that of "
                               "max-iterations, and the best partition is often among the first; kmember has less loss and "
                               "less square error.",
                       .source = KMEANS_SOURCE ", algorithm 1",
                       .revision = 1},
             .settings = kmeans_settings,
             .n_settings = sizeof kmeans_settings / sizeof kmeans_settings[0]},
    .run = run_adjust_each,
    .record_bytes = 60,
    .cell_bytes = 38,
    .records_per_minute = 50000,
};

const kanon__algorithm kanon__algorithm_kmeans_fill = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "kmeans-fill",
                       .brief = "k-means whose assignment fills the clusters below k first",
                       .more = "For comparison with the literature: late records must go where there is room, which costs "
                               "much loss.",
                       .source = KMEANS_SOURCE ", algorithm 2",
                       .revision = 1},
             .settings = kmeans_settings,
             .n_settings = sizeof kmeans_settings / sizeof kmeans_settings[0]},
    .run = run_fill,
    .record_bytes = 60,
    .cell_bytes = 38,
    .records_per_minute = 50000,
};

const kanon__algorithm kanon__algorithm_kmeans_adjust_last = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "kmeans-adjust-last",
                       .brief = "plain k-means, the cluster sizes adjusted once at the end",
                       .more = "For comparison with the literature: k-means at its best, spoiled by one large adjustment.",
                       .source = KMEANS_SOURCE ", algorithm 3",
                       .revision = 1},
             .settings = kmeans_settings,
             .n_settings = sizeof kmeans_settings / sizeof kmeans_settings[0]},
    .run = run_adjust_last,
    .record_bytes = 60,
    .cell_bytes = 38,
    .records_per_minute = 50000,
};
