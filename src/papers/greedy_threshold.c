/* greedy-threshold: clusters that grow while their diversity stays below a threshold.
 *
 * A random free record seeds a cluster; the record with the least D(P + r) is added until D would exceed the threshold. A
 * cluster with fewer than k records is suppressed. Steps: 1 a random seed; 2 grow; 3 keep or suppress; repeat.
 *
 * Paper: Loukides, Shao: Capturing data usefulness and privacy protection in k-anonymisation, SAC 2007, as Lin (2.2)
 * describes it.
 * Cost: O(n^2) record costs by scanning; less by the index (search/growth.h).
 * Ties: the lowest record.
 * Random numbers: stream 0: for each cluster, which of the free records (in record order) is its seed.
 * Differences from the paper: the threshold is on D, in place of the paper's own diversity measure; it has a default. If
 * every cluster is too small, all records form one group, with a warning, in place of a release without records. */
#include "algorithms/algorithm.h"

#include "core/alloc.h"
#include "search/growth.h"

typedef struct threshold_state {
    kanon__run *run;
    kanon__growth *free_records;
    int32_t *members;
    int64_t n_members;
    int64_t most_units; /* the threshold */
    int64_t n_suppressed;
} threshold_state;

static void take(threshold_state *g, int64_t row)
{
    g->members[g->n_members++] = (int32_t)row;
    kanon__growth_take_record(g->free_records, row);
}

/* Step 2. */
static kanon_status grow(threshold_state *g, int64_t seed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = g->run->space->n_rows;
    g->n_members = 0;
    kanon__growth_start_group(g->free_records);
    take(g, seed);
    for (;;) {
        uint32_t units;
        int64_t row;
        KANON_TRY(kanon__growth_find_cheapest(g->free_records, &row, &units, err), out);
        if (row < 0 || units > g->most_units)
            break;
        take(g, row);
        KANON_TRY(kanon__tick(g->run->ticker, n - kanon__growth_n_free(g->free_records), n, 5000, err), out);
    }
out:
    return st;
}

/* Step 3. */
static void keep_or_suppress(threshold_state *g)
{
    bool keep = g->n_members >= g->run->k;
    for (int64_t i = 0; i < g->n_members; i++)
        g->run->group_of[g->members[i]] = keep ? g->run->n_groups : KANON__SUPPRESSED;
    if (keep)
        g->run->n_groups++;
    else
        g->n_suppressed += g->n_members;
}

/* A release without records is of no use: all records form one group, with a warning. */
static kanon_status end_as_one_group(kanon__run *run, double threshold, kanon_error *err)
{
    for (int64_t row = 0; row < run->space->n_rows; row++)
        run->group_of[row] = 0;
    run->n_groups = 1;
    return kanon__texts_addf(run->warnings, err,
                             "no cluster reached k records within threshold = %.6g, so all records form one group (raise "
                             "threshold)",
                             threshold);
}

static kanon_status run_greedy_threshold(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    threshold_state g = {.run = run};
    kanon__random random;
    int64_t n = run->space->n_rows;
    double threshold = (double)run->space->n_dimensions / 4;
    if (kanon__setting_given(run->settings, "threshold"))
        threshold = kanon__setting_number(run->settings, "threshold");
    g.most_units = (int64_t)(threshold * (double)run->space->scale);
    kanon__random_init(&random, run->seed, 0);
    KANON_TRY(kanon__growth_new(&g.free_records, run->space, kanon__setting_text(run->settings, "search"), err), out);
    KANON_TRY(kanon__new_array(&g.members, n, "members", err), out);
    while (kanon__growth_n_free(g.free_records) > 0) { /* step 1 */
        int64_t index = kanon__random_below(&random, kanon__growth_n_free(g.free_records));
        KANON_TRY(grow(&g, kanon__growth_nth_free(g.free_records, index), err), out);
        keep_or_suppress(&g);
    }
    if (run->n_groups == 0)
        KANON_TRY(end_as_one_group(run, threshold, err), out);
    else if (g.n_suppressed > n / 10)
        KANON_TRY(kanon__texts_addf(run->warnings, err,
                                    "%lld of %lld records are suppressed with threshold = %.6g (raise it to keep more)",
                                    (long long)g.n_suppressed, (long long)n, threshold),
                  out);
out:
    kanon__free(g.members);
    kanon__growth_free(g.free_records);
    return st;
}

static const kanon_setting_info greedy_threshold_settings[] = {
    {.name = "threshold",
     .type = KANON_SETTING_NUMBER,
     .min = 0,
     .max = 1e6,
     .help = "the largest D of a cluster, from 0 to the number of quasi attributes; a quarter of that number unless given"},
    KANON__SEARCH_SETTING,
};

const kanon__algorithm kanon__algorithm_greedy_threshold = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "greedy-threshold",
                       .brief = "grow clusters as long as their diversity stays below a threshold; suppress the small ones",
                       .more = "Where outliers may be left out rather than spoil a group. A fitting threshold has to be "
                               "found by trying: too low suppresses much, too high makes groups large.",
                       .source = "Loukides, Shao: Capturing data usefulness and privacy protection in k-anonymisation, SAC "
                                 "2007",
                       .revision = 1},
             .settings = greedy_threshold_settings,
             .n_settings = sizeof greedy_threshold_settings / sizeof greedy_threshold_settings[0]},
    .run = run_greedy_threshold,
    .record_bytes = 25,
    .cell_bytes = 24,
    .records_per_minute = 10000000,
};
