/* kmember: greedy k-member clustering.
 *
 * Clusters are built one at a time: from a seed, the record that keeps the cluster's loss least is added until there are k.
 * The next seed is the farthest free record from the last seed. Records left over when fewer than k are free join, one by
 * one, the cluster whose loss they raise least.
 *
 * Paper: Byun, Kamra, Bertino, Li: Efficient k-anonymization using clustering techniques, DASFAA 2007, as Lin (2.2) and
 * Rashidy (III) describe it. Steps: 1 a random first seed; 2 begin a cluster with the seed; 3 add the cheapest free record;
 * 4 repeat 3 until there are k; then the farthest free record is the next seed; 5 place the records left over.
 * Cost: O(n^2) record costs by scanning, each O(attributes); near O(n log n) by the index (search/growth.h) on ordinary
 * tables.
 * Ties: the lowest record; for records left over the cluster that was built first.
 * Random numbers: stream 0: the first seed.
 * Differences from the paper: none known. The paper measures the loss of the cluster with the new record, IL(P + r); at
 * equal sizes that is the order of D(P + r), which is what is compared here. With constraints: constrained_growth.c. */
#include "algorithms/constrained_growth.h"
#include "search/growth.h"
#include "search/leftovers.h"

/* Steps 2 to 4: one cluster of k records around `seed`. */
static kanon_status grow(kanon__run *run, kanon__growth *free_records, int64_t seed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = run->space->n_rows, row = seed;
    uint32_t units;
    kanon__growth_start_group(free_records);
    for (int64_t size = 0;;) {
        kanon__growth_take_record(free_records, row);
        run->group_of[row] = run->n_groups;
        if (++size == run->k)
            break;
        KANON_TRY(kanon__growth_find_cheapest(free_records, &row, &units, err), out);
        KANON_TRY(kanon__tick(run->ticker, n - kanon__growth_n_free(free_records), n, 5000, err), out);
    }
    run->n_groups++;
out:
    return st;
}

static kanon_status run_kmember(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__growth *free_records = NULL;
    kanon__random random;
    if (run->constraints != NULL && run->space->n_rows <= KANON__CONSTRAINED_GROWTH_MOST)
        return kanon__constrained_growth(run, err);
    KANON_TRY(kanon__growth_new(&free_records, run->space, kanon__setting_text(run->settings, "search"), err), out);
    for (int64_t row = 0; row < run->space->n_rows; row++)
        run->group_of[row] = KANON__LEFT_OVER;
    kanon__random_init(&random, run->seed, 0);
    int64_t seed = kanon__random_below(&random, run->space->n_rows); /* step 1 */
    for (;;) {
        KANON_TRY(grow(run, free_records, seed, err), out);
        if (kanon__growth_n_free(free_records) < run->k)
            break;
        seed = kanon__growth_find_farthest(free_records, seed);
    }
    KANON_TRY(kanon__leftovers_place(run, err), out); /* step 5 */
out:
    kanon__growth_free(free_records);
    return st;
}

static const kanon_setting_info kmember_settings[] = {KANON__SEARCH_SETTING};

const kanon__algorithm kanon__algorithm_kmember = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "kmember",
                       .brief = "grow clusters of k around far-apart seeds, always adding the record that costs least",
                       .more = "Where a moment must do: the fastest with little information loss, also on large tables. "
                               "auto loses less for more time. Each cluster starts at the record farthest from the last "
                               "seed, so outliers come first; clusters have k records, a few have more.",
                       .source = "Byun, Kamra, Bertino, Li: Efficient k-anonymization using clustering techniques, DASFAA "
                                 "2007",
                       .revision = 1},
             .settings = kmember_settings,
             .n_settings = sizeof kmember_settings / sizeof kmember_settings[0]},
    .run = run_kmember,
    .record_bytes = 25,
    .cell_bytes = 24,
    .records_per_minute = 10000000,
};
