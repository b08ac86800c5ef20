/* kmember-p: kmember for protection.
 *
 * As kmember, but the record that is added is the one that gives the least sum of S-diversity over the sensitive
 * attributes, so that the sensitive values of a cluster lie far apart. Seeds are far apart in the quasi-identifiers as in
 * kmember.
 *
 * Paper: Loukides, Shao: Data utility and privacy protection trade-off in k-anonymisation, PAIS 2008, section 4
 * (K-Members-p).
 * Cost: O(n^2) look-ups by scanning, each O(sensitive attributes); much less by the index (search/contrast.h).
 * Ties: the lowest record, and for leftovers the cluster that was built first.
 * Random numbers: stream 0: the first seed.
 * Differences from the paper: it says no more than that the objective is replaced; leftovers join the cluster whose sum of
 * S-diversity they raise least. */
#include "algorithms/algorithm.h"

#include "core/alloc.h"
#include "search/contrast.h"
#include "search/growth.h"

#include <string.h>

typedef struct growing {
    kanon__run *run;
    kanon__s_diversity *secrets;
    kanon__growth *free_records;   /* the quasi-identifiers, for the seeds */
    kanon__contrast *contrast;     /* the sensitive values, for the members */
    unsigned __int128 *numerators; /* by cluster: of its S-diversity, for the leftovers */
} growing;

static kanon_status take(growing *g, int64_t row, uint64_t pull, kanon_error *err)
{
    int32_t cluster = g->run->n_groups;
    g->run->group_of[row] = cluster;
    g->numerators[cluster] = kanon__s_diversity_numerator_with(g->secrets, g->numerators[cluster], pull);
    kanon__growth_take(g->free_records, row);
    return kanon__contrast_take(g->contrast, row, err);
}

static kanon_status grow(growing *g, int64_t seed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = g->run->space->n_rows, row = seed;
    uint64_t pull = 0;
    kanon__growth_start(g->free_records);
    kanon__contrast_start(g->contrast);
    for (int64_t size = 0;;) {
        KANON_TRY(take(g, row, pull, err), out);
        if (++size == g->run->k)
            break;
        KANON_TRY(kanon__contrast_least(g->contrast, &row, &pull, err), out);
        KANON_TRY(kanon__tick(g->run->ticker, n - kanon__growth_n_free(g->free_records), n, 5000, err), out);
    }
    g->run->n_groups++;
out:
    return st;
}

/* ---- leftovers --------------------------------------------------------------------------------------------------- */

/* What a record would contribute with the members of each cluster. */
static void sum_pulls(const growing *g, int64_t row, uint64_t *pulls)
{
    const kanon__run *run = g->run;
    memset(pulls, 0, (size_t)run->n_groups * sizeof *pulls);
    for (int i = 0; i < g->secrets->space->n_dimensions; i++) {
        kanon__codes codes = g->secrets->space->dimensions[i].codes;
        uint32_t own = kanon__code_at(codes, row);
        for (int64_t other = 0; other < run->space->n_rows; other++)
            if (run->group_of[other] != KANON__SUPPRESSED)
                pulls[run->group_of[other]] += kanon__s_diversity_contribution(g->secrets, i, own,
                                                                               kanon__code_at(codes, other));
    }
}

/* Put a record into the cluster whose sum of S-diversity it raises least. */
static void place_leftover(growing *g, int64_t row, const uint64_t *pulls, int64_t *sizes)
{
    int32_t best = 0;
    double least = 0;
    for (int32_t i = 0; i < g->run->n_groups; i++) {
        unsigned __int128 with = kanon__s_diversity_numerator_with(g->secrets, g->numerators[i], pulls[i]);
        double increase = kanon__s_diversity_sum(g->secrets, with, sizes[i] + 1) -
                          kanon__s_diversity_sum(g->secrets, g->numerators[i], sizes[i]);
        if (i == 0 || increase < least) {
            least = increase;
            best = i;
        }
    }
    g->run->group_of[row] = best;
    g->numerators[best] = kanon__s_diversity_numerator_with(g->secrets, g->numerators[best], pulls[best]);
    sizes[best]++;
}

static kanon_status place_leftovers(growing *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint64_t *pulls = NULL;
    int64_t *sizes = NULL, n = g->run->space->n_rows;
    KANON_TRY(kanon__new_array(&pulls, g->run->n_groups, "clusters", err), out);
    KANON_TRY(kanon__new_array(&sizes, g->run->n_groups, "clusters", err), out);
    for (int32_t i = 0; i < g->run->n_groups; i++)
        sizes[i] = g->run->k;
    for (int64_t row = 0; row < n; row++)
        if (kanon__growth_has(g->free_records, row))
            g->run->group_of[row] = KANON__SUPPRESSED;
    for (int64_t row = 0; row < n; row++) {
        if (!kanon__growth_has(g->free_records, row))
            continue;
        sum_pulls(g, row, pulls);
        place_leftover(g, row, pulls, sizes);
        KANON_TRY(kanon__tick(g->run->ticker, n, n, 5 * n, err), out);
    }
out:
    kanon__free(sizes);
    kanon__free(pulls);
    return st;
}

static kanon_status run_kmember_p(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    growing g = {.run = run};
    kanon__random random;
    int64_t n = run->space->n_rows;
    if (run->table->n_sensitive == 0) {
        st = kanon__fail(err, KANON_EINVAL, "kmember-p protects sensitive attributes, and the schema names none");
        kanon__hint(err, st, "give a column 'role: sensitive', or take kmember");
        goto out;
    }
    KANON_TRY(kanon__s_diversity_new(&g.secrets, run->table, kanon__setting_text(run->settings, "r"), err), out);
    const char *way = kanon__setting_text(run->settings, "search");
    KANON_TRY(kanon__growth_new(&g.free_records, run->space, way, err), out);
    KANON_TRY(kanon__contrast_new(&g.contrast, g.secrets, way, err), out);
    KANON_TRY(kanon__new_array(&g.numerators, n / run->k, "clusters", err), out);
    kanon__random_init(&random, run->seed, 0);
    int64_t seed = kanon__random_below(&random, n);
    for (;;) {
        KANON_TRY(grow(&g, seed, err), out);
        if (kanon__growth_n_free(g.free_records) < run->k)
            break;
        seed = kanon__growth_furthest(g.free_records, seed);
    }
    if (kanon__growth_n_free(g.free_records) > 0)
        KANON_TRY(place_leftovers(&g, err), out);
out:
    kanon__free(g.numerators);
    kanon__contrast_free(g.contrast);
    kanon__growth_free(g.free_records);
    kanon__s_diversity_free(g.secrets);
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
    .info =
        {.name = "kmember-p",
         .summary = "as kmember, but each cluster's sensitive values are kept as far apart as can be",
         .advice =
             "Where the sensitive values must be protected at any price to the quasi-identifiers: information loss is very "
             "high. tgc-b is the usual compromise.",
         .source = "Loukides, Shao: Data utility and privacy protection trade-off in k-anonymisation, PAIS 2008, section 4",
         .revision = 1,
         .settings = kmember_p_settings,
         .n_settings = sizeof kmember_p_settings / sizeof kmember_p_settings[0]},
    .run = run_kmember_p,
    .record_bytes = 70,
    .cell_bytes = 24,
    .minute = 2000000,
};
