/* What k will cost: the loss for several k, and the time, estimated before the run.
 *
 * A random sample of the records would be too thin: its groups would be wider than those of the whole table. So the table
 * is cut at gaps, as for grouping in blocks, and some of the parts are grouped: in a part the records lie as densely as in
 * the table, with its ranges and taxonomies.
 *
 *     loss      sum over the parts, per record; where the algorithm is auto, the parts are grouped with the effort fast, and
 *               one part also as the schema asks, which gives the factor between the two
 *     seconds   of the start: by records. Of the refinement: by the moves that it will try (refine/refinement.h) */
#include "algorithms/algorithm.h"
#include "core/alloc.h"
#include "core/pool.h"
#include "model/space.h"
#include "partition/gaps.h"
#include "profile/profile.h"
#include "refine/refinement.h"

#include <math.h>
#include <string.h>

static const int64_t ks[KANON__PROFILE_COSTS] = {2, 3, 5, 10, 20, 50};

enum {
    PART = 2500,      /* records of a part, at least */
    MOST_PARTS = 10,  /* that are grouped */
    TRIAL_ROWS = 1000 /* records that are grouped as the schema asks */
};

/* What a run on some rows gave. */
typedef struct outcome {
    bool feasible;
    int64_t records;
    double avg_loss, seconds;
} outcome;

typedef struct costing {
    const kanon_table *table;
    const kanon_profile_options *options;
    const kanon__parts *parts;
    int32_t chosen[MOST_PARTS]; /* numbers of parts */
    int n_chosen;
    const char *effort; /* of the runs on parts; NULL: none */
    outcome outcomes[MOST_PARTS * KANON__PROFILE_COSTS];
    outcome quick, full; /* the trial with that effort, and as the schema asks */
    kanon__shared_ticker ticker;
} costing;

/* ---- runs on some rows --------------------------------------------------------------------------------------------- */

/* The loss of a grouping; infeasible ones are no failure. */
static kanon_status group_rows(outcome *out, const costing *c, const int32_t *rows, int64_t n, int64_t k, const char *effort,
                               kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_table part = *c->table; /* never freed: all but its rows is that of the whole */
    kanon_grouping *grouping = NULL;
    kanon_measures *measures = NULL;
    kanon_error inner = KANON_INIT(kanon_error);
    *out = (outcome){.records = n};
    KANON_TRY(kanon__data_rows(&part.data, &c->table->data, rows, n, err), out);
    kanon_options o = {.struct_size = sizeof o,
                       .k = k,
                       .effort = effort,
                       .refine = effort != NULL ? "none" : NULL, /* the trial tells what a search is worth */
                       .seed = c->options->seed,
                       .threads = 1,
                       .blocks = KANON_BLOCKS_NONE,
                       .tick = ticker->tick,
                       .payload = ticker->payload};
    double begin = kanon__seconds();
    st = kanon_anonymize(&grouping, &part, &o, &inner);
    out->seconds = kanon__seconds() - begin;
    if (st == KANON_EINFEASIBLE) {
        st = KANON_OK;
        goto out;
    }
    if (st != KANON_OK) {
        kanon__error_copy(err, &inner);
        goto out;
    }
    kanon_evaluate_options brief = {.struct_size = sizeof brief, .brief = 1, .threads = 1};
    KANON_TRY(kanon_evaluate(&measures, &part, grouping, &brief, err), out);
    out->avg_loss = kanon_measures_find(measures, "avg_loss", NULL)->value;
    out->feasible = true;
out:
    kanon_measures_free(measures);
    kanon_grouping_free(grouping);
    kanon__data_clear_rows(&part.data);
    return st;
}

static kanon_status group_part(int64_t task, void *payload, kanon_error *err)
{
    costing *c = payload;
    int64_t part = c->chosen[task / KANON__PROFILE_COSTS], k = ks[task % KANON__PROFILE_COSTS];
    int64_t begin = c->parts->begins[part], n = c->parts->begins[part + 1] - begin;
    kanon__ticker ticker;
    kanon__shared_ticker_task(&ticker, &c->ticker);
    kanon_status st = group_rows(&c->outcomes[task], c, c->parts->rows + begin, n, k, c->effort, &ticker, err);
    kanon__shared_ticker_add(&c->ticker, 1);
    return st;
}

/* The k whose time is measured: that of the schema. */
static int64_t trial_k(const kanon_table *table)
{
    return table->policy.k >= 2 ? table->policy.k : 10;
}

/* One part, or its first rows, with both efforts. */
static kanon_status run_trial(costing *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t begin = c->parts->begins[c->chosen[0]], n = c->parts->begins[c->chosen[0] + 1] - begin;
    int64_t k = trial_k(c->table), most = k * 20 > TRIAL_ROWS ? k * 20 : TRIAL_ROWS;
    kanon__ticker ticker;
    kanon__shared_ticker_task(&ticker, &c->ticker);
    n = n < most ? n : most;
    KANON_TRY(group_rows(&c->quick, c, c->parts->rows + begin, n, k, c->effort, &ticker, err), out);
    c->full = c->quick;
    if (c->effort != NULL)
        KANON_TRY(group_rows(&c->full, c, c->parts->rows + begin, n, k, NULL, &ticker, err), out);
out:
    return st;
}

/* ---- estimates ------------------------------------------------------------------------------------------------------ */

static bool is_auto(const kanon_table *table)
{
    return table->policy.algorithm == NULL || strcmp(table->policy.algorithm, "auto") == 0;
}

/* How much less the schema's effort loses than the one that the parts were grouped with. */
static double loss_factor(const costing *c)
{
    bool known = c->effort != NULL && c->quick.feasible && c->full.feasible && c->quick.avg_loss > 0;
    return known ? c->full.avg_loss / c->quick.avg_loss : 1;
}

/* Seconds of the refinement for each of its moves; 0: none was measured. */
static kanon_status seconds_of_moves(double *per_move, int64_t *moves, const costing *c, int64_t k, kanon_error *err)
{
    const kanon__refinement *search = kanon__refinement_find("search");
    kanon__settings settings = {0};
    *per_move = 0;
    *moves = 0;
    if (c->effort == NULL || !c->full.feasible || search->moves == NULL)
        return KANON_OK;
    kanon_status st = kanon__settings_init(&settings, &search->info, NULL, 0, err);
    if (st != KANON_OK)
        return st;
    double more = c->full.seconds - c->quick.seconds;
    int n_quasi = c->table->data.n_quasi;
    *per_move = (more > 0 ? more : 0) / (double)search->moves(&settings, c->full.records, n_quasi, trial_k(c->table));
    *moves = search->moves(&settings, c->table->data.n_rows, n_quasi, k);
    kanon__settings_clear(&settings);
    return KANON_OK;
}

static kanon_status estimate(kanon_profile_cost *out, const costing *c, int i, kanon_error *err)
{
    double loss = 0, seconds = 0, per_move;
    int64_t records = 0, moves, n_feasible = 0;
    *out = (kanon_profile_cost){.k = ks[i], .avg_loss = NAN, .seconds = NAN};
    for (int part = 0; part < c->n_chosen; part++) {
        const outcome *o = &c->outcomes[part * KANON__PROFILE_COSTS + i];
        if (!o->feasible)
            continue;
        n_feasible++;
        loss += o->avg_loss * (double)o->records;
        seconds += o->seconds;
        records += o->records;
    }
    if (n_feasible == 0)
        return KANON_OK;
    kanon_status st = seconds_of_moves(&per_move, &moves, c, ks[i], err);
    out->avg_loss = fmin(1, loss / (double)records * loss_factor(c));
    out->seconds = seconds / (double)records * (double)c->table->data.n_rows + per_move * (double)moves;
    return st;
}

/* Groups of a larger k are groups of a smaller one, too: a part loses no more than with any larger k. */
static void take_better(costing *c)
{
    for (int part = 0; part < c->n_chosen; part++)
        for (int i = KANON__PROFILE_COSTS - 2; i >= 0; i--) {
            outcome *own = &c->outcomes[part * KANON__PROFILE_COSTS + i];
            const outcome *next = own + 1;
            if (next->feasible && (!own->feasible || next->avg_loss < own->avg_loss)) {
                own->feasible = true;
                own->avg_loss = next->avg_loss;
            }
        }
}

/* Some of the parts, at random; all where they are few. */
static kanon_status choose_parts(costing *c, kanon_error *err)
{
    int32_t *scratch = NULL;
    kanon__random random;
    c->n_chosen = c->parts->n < MOST_PARTS ? (int)c->parts->n : (int)MOST_PARTS;
    kanon_status st = kanon__new_array(&scratch, c->parts->n, "parts", err);
    if (st == KANON_OK) {
        kanon__random_init(&random, c->options->seed, 0);
        kanon__random_sample(&random, c->chosen, c->n_chosen, scratch, c->parts->n);
    }
    kanon__free(scratch);
    return st;
}

static kanon_status cut_table(kanon__parts **out, const kanon_table *table, int threads, kanon__ticker *ticker,
                              kanon_error *err)
{
    kanon__space *space = NULL;
    const kanon__data *d = &table->data;
    kanon_status st = kanon__space_new(&space, d, d->quasi, d->n_quasi, KANON__TERMS_LOSS, err);
    if (st == KANON_OK)
        st = kanon__parts_at_gaps(out, space, PART, threads, ticker, err);
    kanon__space_free(space);
    return st;
}

kanon_status kanon__profile_costs(kanon__profile *out, const kanon_table *table, const kanon_profile_options *options,
                                  kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__parts *parts = NULL;
    kanon__ticker cutting, grouping;
    bool shared = false;
    int threads = kanon__pool_threads(options->threads);
    costing c = {.table = table, .options = options, .effort = is_auto(table) ? "fast" : NULL};
    kanon__ticker_init(&cutting, options->tick, options->payload, "cutting");
    kanon__ticker_init(&grouping, options->tick, options->payload, "grouping a sample");
    KANON_TRY(cut_table(&parts, table, threads, &cutting, err), out);
    c.parts = parts;
    KANON_TRY(choose_parts(&c, err), out);
    kanon__shared_ticker_init(&c.ticker, &grouping, c.n_chosen * KANON__PROFILE_COSTS);
    shared = true;
    KANON_TRY(kanon__pool_run(threads, c.n_chosen * KANON__PROFILE_COSTS, group_part, &c, err), out);
    take_better(&c);
    KANON_TRY(run_trial(&c, err), out);
    KANON_TRY(kanon__new_list(&out->costs, NULL, KANON__PROFILE_COSTS, "costs", err), out);
    for (int i = 0; i < KANON__PROFILE_COSTS; i++)
        KANON_TRY(estimate(out->costs[i], &c, i, err), out);
    for (int i = 0; i < c.n_chosen; i++)
        out->public.sample_records += parts->begins[c.chosen[i] + 1] - parts->begins[c.chosen[i]];
    out->public.costs = (const kanon_profile_cost *const *)out->costs;
    out->public.n_costs = KANON__PROFILE_COSTS;
out:
    if (shared)
        kanon__shared_ticker_clear(&c.ticker);
    kanon__parts_free(parts);
    return st;
}
