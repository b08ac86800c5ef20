/* The state's own algorithm on some of the records, and by it the drift: how far the groups are from those of a fresh run.
 *
 * Inserts and deletes are greedy, so the loss grows against that of a fresh run. To measure by how much:
 *     1. Take the whole table where it has at most 10,000 records; else four neighbourhoods of 2,500: the groups nearest to
 *        a random record, whole groups, so that old and new groups are made of the same records. Where the state's groups
 *        were refined the sample has 2,000 records, or 40 k, for the time.
 *     2. Run the algorithm that made the state on them, with its settings, repair constraints, and refine the groups as
 *        those of the state were.
 *     3. Compare the loss of the same records in old and new groups, with the ranges of the whole table.
 *
 * Random numbers come from the state's seed, so the answer is the same each time. */
#include "state/maintain/drift.h"
#include "algorithms/algorithm.h"
#include "core/alloc.h"
#include "core/ticker.h"
#include "enforce/repair.h"
#include "model/clusters.h"
#include "partition/block_run.h"
#include "partition/row_run.h"
#include "refine/refinement.h"
#include "state/maintain/enforce_constraints.h"
#include "state/maintain/local_search.h"
#include "state/store/state_requirements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- settings ---------------------------------------------------------------------------------------------------- */

typedef struct setting_list {
    kanon_setting *items;
    size_t n;
    char *texts;
} setting_list;

static bool is_setting(const kanon__entry *info, const char *name)
{
    for (size_t i = 0; i < info->n_settings; i++)
        if (strcmp(info->settings[i].name, name) == 0)
            return true;
    return false;
}

/* Joint classes can need larger groups than the state has: a limit on sizes that does not allow k is dropped. */
static bool fits_k(const kanon_setting *given, int64_t k)
{
    return strcmp(given->name, "max-size") != 0 || strtoll(given->value, NULL, 10) >= k;
}

/* The state's settings that this version of the algorithm has and that fit k; others are dropped. */
static kanon_status read_settings(setting_list *out, const kanon_state *s, const kanon__entry *info, int64_t k,
                                  kanon_error *err)
{
    const char *all = s->settings != NULL ? s->settings : "";
    KANON_CHECK(kanon__copy_text(&out->texts, all, strlen(all), "settings", err));
    KANON_CHECK(kanon__new_array(&out->items, (int64_t)strlen(all) + 1, "settings", err));
    for (char *line = out->texts; *line != '\0';) {
        char *end = line + strcspn(line, "\n"), *next = end + (*end == '\n');
        *end = '\0';
        char *equal = strchr(line, '=');
        if (equal != NULL) {
            *equal = '\0';
            kanon_setting given = {line, equal + 1};
            if (is_setting(info, line) && fits_k(&given, k))
                out->items[out->n++] = given;
        }
        line = next;
    }
    return KANON_OK;
}

/* ---- one run ----------------------------------------------------------------------------------------------------- */

/* The algorithm's groups, repaired where one violates a constraint. */
static kanon_status run_and_repair(const kanon__algorithm *algorithm, kanon__run *run, kanon_error *err)
{
    bool holds = true;
    KANON_CHECK(algorithm->run(run, err));
    KANON_CHECK(kanon__constraints_hold(&holds, NULL, run->constraints, run->group_of, run->n_groups, err));
    if (!holds)
        KANON_CHECK(kanon__repair(run, 0, false, err));
    return KANON_OK;
}

/* The moves of a search on these records of the state: their share of those of a fresh run, but not more than it takes
 * to come within a percent of it. */
static int64_t count_moves(const kanon__refinement *search, const kanon__settings *settings, const kanon_state *s,
                           const kanon__data *table, int64_t n_whole)
{
    enum { ENOUGH = 200 };
    int64_t n = table->n_rows;
    double share = (double)search->moves(settings, n_whole, table->n_quasi, s->k) * (double)n / (double)n_whole;
    return share < (double)(ENOUGH * n) ? (int64_t)share : ENOUGH * n;
}

/* The refinement that the state's groups had, if any. */
static kanon_status refine_as_made(const kanon_state *s, kanon__run *run, int64_t n_whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__settings plain = {0}, settings = {0};
    char moves[32] = "";
    const kanon__refinement *r = s->refinement != NULL ? kanon__refinement_find(s->refinement) : NULL;
    bool fast = kanon__state_was_set(s, "effort=fast");
    if (r == NULL || kanon__entities_stay_together(s) || (fast && (r->moves == NULL || run->constraints != NULL)))
        return KANON_OK;
    KANON_TRY(kanon__settings_init(&plain, &r->info, &(kanon_setting){"effort", "fast"}, fast ? 1 : 0, err), out);
    int64_t n_moves = r->moves != NULL ? count_moves(r, &plain, s, run->table, n_whole) : 0;
    if (fast && n_moves == 0)
        goto out;
    snprintf(moves, sizeof moves, "%lld", (long long)n_moves);
    KANON_TRY(kanon__settings_init(&settings, &r->info, &(kanon_setting){"moves", moves}, r->moves != NULL ? 1 : 0, err),
              out);
    run->may_suppress = 0; /* nor does the state suppress records later */
    KANON_TRY(kanon__block_refine(run, &(kanon__block_refining){r->run, &settings}, run->table->n_rows, err), out);
out:
    kanon__settings_clear(&settings);
    kanon__settings_clear(&plain);
    return st;
}

kanon_status kanon__regroup_rows(const kanon_state *s, const kanon_table *subset, const kanon__constraints *constraints,
                                 const int32_t *rows, int64_t n, int64_t k, int32_t *group_of, int64_t *n_groups,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__row_run part = {0};
    setting_list given = {0};
    kanon__settings settings = {0};
    kanon__texts warnings = {0};
    kanon__ticker ticker;
    const kanon__algorithm *algorithm = s->algorithm != NULL ? kanon__algorithm_find(s->algorithm) : NULL;
    if (algorithm == NULL)
        algorithm = kanon__algorithm_find("kmember");
    kanon__ticker_init(&ticker, s->tick, s->payload, "grouping a sample");
    KANON_TRY(read_settings(&given, s, &algorithm->info, k, err), out);
    KANON_TRY(kanon__settings_init(&settings, &algorithm->info, given.items, given.n, err), out);
    kanon__run run = {.table = &subset->data,
                      .policy = &subset->policy,
                      .may_suppress = kanon__fraction_of(subset->policy.suppress, subset->data.n_rows),
                      .constraints = constraints,
                      .k = k,
                      .seed = s->seed,
                      .threads = 1,
                      .settings = &settings,
                      .ticker = &ticker,
                      .warnings = &warnings};
    KANON_TRY(kanon__row_run_init(&part, &run, rows, n, group_of, err), out);
    KANON_TRY(run_and_repair(algorithm, &part.run, err), out);
    KANON_TRY(refine_as_made(s, &part.run, subset->data.n_rows, err), out);
    *n_groups = part.run.n_groups;
out:
    kanon__texts_clear(&warnings);
    kanon__row_run_clear(&part);
    kanon__settings_clear(&settings);
    kanon__free(given.items);
    kanon__free(given.texts);
    return st;
}

/* ---- drift ------------------------------------------------------------------------------------------------------- */

enum {
    SAMPLE_RECORDS = 10000,
    NEIGHBOURHOODS = 4,
    SEARCHED_RECORDS = 2000, /* fewer where the groups were searched for, which takes the longer, */
    SEARCHED_GROUPS = 40,    /* but so many groups of k */
};

static int64_t count_sample(const kanon_state *s)
{
    int64_t least = SEARCHED_GROUPS * s->k > SEARCHED_RECORDS ? SEARCHED_GROUPS * s->k : SEARCHED_RECORDS;
    return s->refinement == NULL || least > SAMPLE_RECORDS ? SAMPLE_RECORDS : least;
}

/* A group, and the units of its box with the centre of the neighbourhood. */
typedef struct near_group {
    uint32_t units;
    int32_t group;
} near_group;

static int by_nearness(const void *left, const void *right)
{
    const near_group *a = left, *b = right;
    if (a->units != b->units)
        return a->units < b->units ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

/* The old groups as clusters, room for one neighbourhood, and the sums of loss over all of them. */
typedef struct drift_sample {
    const kanon_state *state;
    const kanon_table *table;
    const kanon_grouping *grouping;
    kanon__constraints *constraints;
    kanon__space *space;
    kanon__clusters clusters;
    near_group *near;
    bool *taken;   /* by group */
    int32_t *rows; /* of a neighbourhood */
    int32_t *fresh;
    double now, again; /* sums of loss */
    int64_t n_records;
} drift_sample;

/* Step 1: takes the groups nearest to a record until they have enough records; how many there are. */
static int64_t take_neighbourhood(drift_sample *d, int64_t centre, int64_t wanted)
{
    int64_t n = 0, n_groups = d->grouping->n_groups;
    for (int64_t g = 0; g < n_groups; g++) {
        d->near[g] = (near_group){kanon__box_units_with(d->space, kanon__clusters_box(&d->clusters, g), centre), (int32_t)g};
        d->taken[g] = false;
    }
    qsort(d->near, (size_t)n_groups, sizeof *d->near, by_nearness);
    for (int64_t i = 0; i < n_groups && n < wanted; i++) {
        d->taken[d->near[i].group] = true;
        n += d->grouping->sizes[d->near[i].group];
    }
    n = 0;
    for (int32_t row = 0; row < d->table->data.n_rows; row++) {
        int32_t g = d->grouping->group_of[row];
        if (g >= 0 && d->taken[g])
            d->rows[n++] = row;
    }
    return n;
}

static void add_losses(drift_sample *d, kanon__clusters *fresh, int64_t n)
{
    double scale = (double)d->space->scale, full = 0;
    for (int i = 0; i < d->space->n_dimensions; i++)
        full += d->space->dimensions[i].full;
    for (int64_t i = 0; i < n; i++) {
        int32_t now = d->grouping->group_of[d->rows[i]], then = d->fresh[i];
        d->now += (double)kanon__box_units(d->space, kanon__clusters_box(&d->clusters, now)) / scale;
        d->again += (then >= 0 ? (double)kanon__box_units(d->space, kanon__clusters_box(fresh, then)) : full) / scale;
    }
    d->n_records += n;
}

static kanon_status compare_neighbourhood(drift_sample *d, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__clusters fresh = {0};
    int64_t n_groups = 0;
    bool holds = true;
    KANON_TRY(kanon__constraints_hold_rows(&holds, d->constraints, d->rows, n, err), out);
    if (n < d->state->k || !holds)
        goto out;
    KANON_TRY(kanon__regroup_rows(d->state, d->table, d->constraints, d->rows, n, d->state->k, d->fresh, &n_groups, err),
              out);
    KANON_TRY(kanon__clusters_init(&fresh, d->space, n_groups, err), out);
    for (int64_t i = 0; i < n; i++)
        if (d->fresh[i] >= 0)
            kanon__clusters_join(&fresh, d->fresh[i], d->rows[i]);
    add_losses(d, &fresh, n);
out:
    kanon__clusters_clear(&fresh);
    return st;
}

static kanon_status prepare_drift(drift_sample *d, kanon_error *err)
{
    const kanon_grouping *g = d->grouping;
    KANON_CHECK( kanon__space_new(&d->space, &d->table->data, d->table->data.quasi, d->table->data.n_quasi,
                                  KANON__TERMS_LOSS, err));
    KANON_CHECK(kanon__clusters_init(&d->clusters, d->space, g->n_groups, err));
    KANON_CHECK(kanon__new_array(&d->near, g->n_groups, "groups", err));
    KANON_CHECK(kanon__new_array(&d->taken, g->n_groups, "groups", err));
    KANON_CHECK(kanon__new_array(&d->rows, g->n_rows, "a sample", err));
    KANON_CHECK(kanon__new_array(&d->fresh, g->n_rows, "a sample", err));
    for (int64_t row = 0; row < g->n_rows; row++)
        if (g->group_of[row] >= 0)
            kanon__clusters_join(&d->clusters, g->group_of[row], row);
    return KANON_OK;
}

static void clear_drift(drift_sample *d)
{
    kanon__free(d->fresh);
    kanon__free(d->rows);
    kanon__free(d->taken);
    kanon__free(d->near);
    kanon__clusters_clear(&d->clusters);
    kanon__space_free(d->space);
    kanon__constraints_free(d->constraints);
}

kanon_status kanon__drift_measure(kanon__drift *out, const kanon_state *s, const kanon__subset *subset, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *g = NULL;
    drift_sample d = {.state = s, .table = subset->table};
    kanon__random random;
    *out = (kanon__drift){0};
    KANON_TRY(kanon__subset_grouping(&g, subset, s, err), out);
    d.grouping = g;
    if (g->n_groups == 0 || kanon__entities_stay_together(s)) /* the algorithm alone would separate records of an entity */
        goto out;
    KANON_TRY(kanon__poll_tick(KANON__TICK_POLL_NS, err), out);
    KANON_TRY(kanon__subset_constraints(&d.constraints, subset, s, err), out);
    KANON_TRY(prepare_drift(&d, err), out);
    KANON_TRY(kanon__poll_tick(KANON__TICK_POLL_NS, err), out);
    kanon__random_init(&random, s->seed, 1);
    int64_t wanted = count_sample(s);
    bool all = g->n_rows <= wanted;
    for (int i = 0; i < (all ? 1 : NEIGHBOURHOODS); i++) {
        int64_t centre = kanon__random_below(&random, g->n_rows);
        int64_t n = take_neighbourhood(&d, centre, all ? g->n_rows : wanted / NEIGHBOURHOODS);
        KANON_TRY(compare_neighbourhood(&d, n, err), out);
        KANON_TRY(kanon__poll_tick(KANON__TICK_POLL_NS, err), out);
    }
    if (d.n_records > 0) {
        double terms = (double)d.n_records * subset->table->data.n_quasi;
        *out = (kanon__drift){d.n_records, d.now / terms, d.again / terms};
    }
out:
    clear_drift(&d);
    kanon_grouping_free(g);
    return st;
}
