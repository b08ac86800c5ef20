/* kmember-p: kmember for protection.
 *
 * As kmember, but the record that is added is the one that gives the least sum of S-diversity over the sensitive
 * attributes, so that the sensitive values of a cluster lie far apart. Seeds are far apart in the quasi-identifiers, as in
 * kmember. Records left over join the cluster whose sum of S-diversity they raise least.
 *
 * Paper: Loukides, Shao: Data utility and privacy protection trade-off in k-anonymisation, PAIS 2008, section 4
 * (K-Members-p). Steps 1 to 5 as in kmember.c.
 * Cost: O(n^2) affinities by scanning, each O(sensitive attributes); much less by the index (diversity_search.h).
 * Ties: the lowest record, and for leftovers the cluster that was built first.
 * Random numbers: stream 0: the first seed.
 * Differences from the paper: it says no more than that the objective is replaced; leftovers join the cluster whose sum of
 * S-diversity they raise least. */
#include "algorithms/algorithm.h"

#include "core/alloc.h"
#include "papers/diversity_search.h"
#include "search/growth.h"

#include <string.h>

typedef struct kmember_p_state {
    kanon__run *run;
    kanon__s_diversity *s_diversity;
    kanon__growth *free_records;        /* the quasi-identifiers, for the seeds */
    kanon__diversity_search *diversity; /* the sensitive values, for the members */
    unsigned __int128 *numerators;      /* by cluster: of its S-diversity, for the leftovers */
} kmember_p_state;

/* Add a free record with this affinity to the cluster at hand. */
static kanon_status take(kmember_p_state *g, int64_t row, uint64_t affinity, kanon_error *err)
{
    int32_t cluster = g->run->n_groups;
    g->run->group_of[row] = cluster;
    g->numerators[cluster] = kanon__s_diversity_numerator_with(g->s_diversity, g->numerators[cluster], affinity);
    kanon__growth_take_record(g->free_records, row);
    return kanon__diversity_search_take_record(g->diversity, row, err);
}

/* Steps 2 to 4: one cluster of k records around `seed`. At equal sizes the least affinity is the least S-diversity. */
static kanon_status grow(kmember_p_state *g, int64_t seed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = g->run->space->n_rows, row = seed;
    uint64_t affinity = 0;
    kanon__growth_start_group(g->free_records);
    kanon__diversity_search_start_group(g->diversity);
    for (int64_t size = 0;;) {
        KANON_TRY(take(g, row, affinity, err), out);
        if (++size == g->run->k)
            break;
        KANON_TRY(kanon__diversity_search_find_least(g->diversity, &row, &affinity, err), out);
        KANON_TRY(kanon__tick(g->run->ticker, n - kanon__growth_n_free(g->free_records), n, 5000, err), out);
    }
    g->run->n_groups++;
out:
    return st;
}

/* ---- step 5: leftovers ------------------------------------------------------------------------------------------- */

/* The affinity of a record to each cluster. One pass over all records: there are fewer than k such questions. */
static void sum_affinities(const kmember_p_state *g, int64_t row, uint64_t *affinities)
{
    const kanon__run *run = g->run;
    memset(affinities, 0, (size_t)run->n_groups * sizeof *affinities);
    for (int i = 0; i < g->s_diversity->space->n_dimensions; i++) {
        kanon__codes codes = g->s_diversity->space->dimensions[i].codes;
        uint32_t own = kanon__code_at(codes, row);
        for (int64_t other = 0; other < run->space->n_rows; other++)
            if (run->group_of[other] != KANON__SUPPRESSED)
                affinities[run->group_of[other]] += kanon__s_diversity_contribution(g->s_diversity, i, own,
                                                                                    kanon__code_at(codes, other));
    }
}

/* Put a record into the cluster whose sum of S-diversity it raises least. */
static void place_leftover(kmember_p_state *g, int64_t row, const uint64_t *affinities, int64_t *sizes)
{
    int32_t best = 0;
    double least = 0;
    for (int32_t i = 0; i < g->run->n_groups; i++) {
        unsigned __int128 with = kanon__s_diversity_numerator_with(g->s_diversity, g->numerators[i], affinities[i]);
        double increase = kanon__s_diversity_sum(g->s_diversity, with, sizes[i] + 1) -
                          kanon__s_diversity_sum(g->s_diversity, g->numerators[i], sizes[i]);
        if (i == 0 || increase < least) {
            least = increase;
            best = i;
        }
    }
    g->run->group_of[row] = best;
    g->numerators[best] = kanon__s_diversity_numerator_with(g->s_diversity, g->numerators[best], affinities[best]);
    sizes[best]++;
}

static kanon_status place_leftovers(kmember_p_state *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint64_t *affinities = NULL;
    int64_t *sizes = NULL, n = g->run->space->n_rows;
    KANON_TRY(kanon__new_array(&affinities, g->run->n_groups, "clusters", err), out);
    KANON_TRY(kanon__new_array(&sizes, g->run->n_groups, "clusters", err), out);
    for (int32_t i = 0; i < g->run->n_groups; i++)
        sizes[i] = g->run->k;
    for (int64_t row = 0; row < n; row++)
        if (kanon__growth_is_free(g->free_records, row))
            g->run->group_of[row] = KANON__SUPPRESSED;
    for (int64_t row = 0; row < n; row++) {
        if (!kanon__growth_is_free(g->free_records, row))
            continue;
        sum_affinities(g, row, affinities);
        place_leftover(g, row, affinities, sizes);
        KANON_TRY(kanon__tick(g->run->ticker, n, n, 5 * n, err), out);
    }
out:
    kanon__free(sizes);
    kanon__free(affinities);
    return st;
}

static kanon_status run_kmember_p(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kmember_p_state g = {.run = run};
    kanon__random random;
    int64_t n = run->space->n_rows;
    if (run->table->n_sensitive == 0) {
        st = kanon__fail(err, KANON_EINVAL, "kmember-p protects sensitive attributes, and the schema names none");
        kanon__hint(err, st, "give a column the role sensitive, or take kmember");
        goto out;
    }
    KANON_TRY(kanon__s_diversity_new(&g.s_diversity, run->table, kanon__setting_text(run->settings, "r"), err), out);
    const char *way = kanon__setting_text(run->settings, "search");
    KANON_TRY(kanon__growth_new(&g.free_records, run->space, way, err), out);
    KANON_TRY(kanon__diversity_search_new(&g.diversity, g.s_diversity, way, err), out);
    KANON_TRY(kanon__new_array(&g.numerators, n / run->k, "clusters", err), out);
    kanon__random_init(&random, run->seed, 0);
    int64_t seed = kanon__random_below(&random, n); /* step 1 */
    for (;;) {
        KANON_TRY(grow(&g, seed, err), out);
        if (kanon__growth_n_free(g.free_records) < run->k)
            break;
        seed = kanon__growth_find_farthest(g.free_records, seed);
    }
    if (kanon__growth_n_free(g.free_records) > 0)
        KANON_TRY(place_leftovers(&g, err), out);
out:
    kanon__free(g.numerators);
    kanon__diversity_search_free(g.diversity);
    kanon__growth_free(g.free_records);
    kanon__s_diversity_free(g.s_diversity);
    return st;
}

static const kanon_setting_info kmember_p_settings[] = {
    {.name = "r",
     .type = KANON_SETTING_NUMBER,
     .min = 0,
     .max = 1,
     .default_value = "1",
     .help = "how near a guess of a sensitive value must be to count as a disclosure, as a share of its range"},
    KANON__SEARCH_SETTING,
};

const kanon__algorithm kanon__algorithm_kmember_p = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "kmember-p",
                       .brief = "as kmember, but each cluster's sensitive values are kept as far apart as can be",
                       .more = "Where the sensitive values must be protected at any price to the quasi-identifiers: "
                               "information loss is very high. tgc-b is the usual compromise.",
                       .source = "Loukides, Shao: Data utility and privacy protection trade-off in k-anonymisation, PAIS "
                                 "2008, section 4",
                       .revision = 1},
             .settings = kmember_p_settings,
             .n_settings = sizeof kmember_p_settings / sizeof kmember_p_settings[0]},
    .run = run_kmember_p,
    .record_bytes = 70,
    .cell_bytes = 24,
    .records_per_minute = 2000000,
};
