/* attribute-cut: one recode map per attribute, free of levels.
 *
 * As full-domain, but a category may be cut at different depths in different branches of its taxonomy, and a number into any
 * disjoint intervals; equal values are still recoded equally everywhere. The search has several starts: the best full-domain
 * generalisation, so that the result loses no more than that, and the top, where all records are equal, each time with other
 * attributes preferred at first. Every start is improved step by step (cut_steps.c), and the best result is taken.
 *
 * Steps: 1 the best full-domain generalisation (lattice.c); 2 improve every start, in parallel; 3 apply the best cuts.
 *
 * Paper: none; Lin's table 2, definition in Bayardo and Agrawal, ICDE 2005; splitting in the manner of Fung and others:
 * Top-down specialization, ICDE 2005.
 * Cost: a step weighs all splits in O(attributes * distinct records); a start takes some hundred steps.
 * Ties: the first attribute, then the lowest first value, then the lowest last value of the left part; the first start.
 * Random numbers: stream s: the preferences of start s. */
#include "algorithms/algorithm.h"
#include "algorithms/generalisation.h"

#include "core/alloc.h"
#include "core/pool.h"

#include <string.h>

/* Start 0 is the best full-domain generalisation, 1 the top without preferences, the others the top with random ones. */
typedef struct starts {
    kanon__run run;        /* with the constraints that the search for levels could meet */
    kanon__bound **levels; /* the best full-domain */
    kanon__bound **top;    /* one range per attribute */
    kanon__bound **best;   /* the result of the best start so far */
    int64_t best_start, best_loss;
    int64_t n;
    bool stopped;         /* a start reached the time limit */
    pthread_mutex_t lock; /* of best, best_start, best_loss and stopped */
    kanon__shared_ticker shared;
} starts;

static void free_cuts(kanon__bound **cuts, const kanon__space *space)
{
    for (int i = 0; cuts != NULL && i < space->n_dimensions; i++)
        kanon__free(cuts[i]);
    kanon__free(cuts);
}

static kanon_status copy_cuts(kanon__bound ***out, kanon__bound *const *from, const kanon__space *space, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__bound **cuts = NULL;
    KANON_TRY(kanon__new_array(&cuts, space->n_dimensions, "cuts", err), out);
    for (int i = 0; i < space->n_dimensions; i++) {
        int64_t n = 2 * (int64_t)space->dimensions[i].n_codes;
        KANON_TRY(kanon__new_array(&cuts[i], n, "cuts", err), out);
        memcpy(cuts[i], from[i], (size_t)n * sizeof **cuts);
    }
    *out = cuts;
    cuts = NULL;
out:
    free_cuts(cuts, space);
    return st;
}

/* Step 1: the cuts of the best full-domain generalisation and of the top. The lattice is freed before the starts take
 * memory. */
static kanon_status find_levels(starts *s, kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__generalisation g = {0};
    kanon__full_domain found = {0};
    kanon__bound **chosen = NULL;
    KANON_TRY(kanon__generalisation_init(&g, run, err), out);
    KANON_TRY(kanon__full_domain_search(&found, &g, kanon__setting_integer(run->settings, "max-checks"), err), out);
    s->run.constraints = g.constraints;
    KANON_TRY(kanon__full_domain_report(&found, run, err), out);
    KANON_TRY(kanon__new_array(&chosen, found.n_dimensions, "cuts", err), out);
    for (int i = 0; i < found.n_dimensions; i++)
        chosen[i] = found.levels[i].cuts[found.best[i]];
    KANON_TRY(copy_cuts(&s->levels, chosen, run->space, err), out);
    for (int i = 0; i < found.n_dimensions; i++)
        chosen[i] = found.levels[i].cuts[found.levels[i].n - 1];
    KANON_TRY(copy_cuts(&s->top, chosen, run->space, err), out);
out:
    kanon__free(chosen);
    kanon__full_domain_clear(&found);
    kanon__generalisation_clear(&g);
    return st;
}

/* Preferences in 1/16: from 1/4 to 4, in steps of 2^(1/4). */
static void draw_weights(int *weights, int n, uint64_t seed, int64_t start)
{
    static const int choices[] = {4, 5, 6, 7, 8, 10, 11, 13, 16, 19, 23, 27, 32, 38, 45, 54, 64};
    kanon__random random;
    kanon__random_init(&random, seed, (uint64_t)start);
    for (int i = 0; i < n; i++)
        weights[i] = choices[kanon__random_below(&random, sizeof choices / sizeof choices[0])];
}

/* Keep the better of this result and the best so far; the other is freed. Ties go to the lower start, so that the order
 * in which threads end does not matter. */
static void keep_best(starts *s, int64_t start, int64_t loss, kanon__bound **end, bool stopped)
{
    kanon__bound **other = end;
    pthread_mutex_lock(&s->lock);
    s->stopped = s->stopped || stopped;
    if (s->best == NULL || loss < s->best_loss || (loss == s->best_loss && start < s->best_start)) {
        other = s->best;
        s->best = end;
        s->best_start = start;
        s->best_loss = loss;
    }
    pthread_mutex_unlock(&s->lock);
    free_cuts(other, s->run.space);
}

/* Step 2, a task of the pool. */
static kanon_status improve_start(int64_t start, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    starts *s = payload;
    kanon__generalisation g = {0};
    kanon__ticker ticker;
    kanon__bound **cuts = NULL;
    int *weights = NULL, m = s->run.space->n_dimensions;
    kanon__run run = s->run;
    int64_t rounds = kanon__setting_integer(run.settings, "rounds");
    kanon__shared_ticker_task(&ticker, &s->shared);
    run.ticker = &ticker;
    KANON_TRY(kanon__generalisation_init(&g, &run, err), out);
    KANON_TRY(kanon__new_array(&weights, m, "weights", err), out);
    draw_weights(weights, m, run.seed, start);
    KANON_TRY(copy_cuts(&cuts, start == 0 ? s->levels : s->top, run.space, err), out);
    KANON_TRY(kanon__cuts_improve(&g, cuts, start < 2 ? NULL : weights, rounds, err), out);
    if (g.feasible) { /* the top of a part need not be, where a mapping that suppresses some records is */
        keep_best(s, start, g.loss, cuts, kanon__run_finishes(&run));
        cuts = NULL;
    }
    kanon__shared_ticker_add(&s->shared, 1);
out:
    free_cuts(cuts, s->run.space);
    kanon__free(weights);
    kanon__generalisation_clear(&g);
    return st;
}

static kanon_status improve_all(starts *s, kanon_error *err)
{
    pthread_mutex_init(&s->lock, NULL);
    kanon__run_set_anytime(&s->run, true);
    kanon__shared_ticker_init(&s->shared, s->run.ticker, s->n);
    kanon_status st = kanon__pool_run(s->run.threads, s->n, improve_start, s, err);
    kanon__shared_ticker_clear(&s->shared);
    kanon__run_set_anytime(&s->run, false);
    pthread_mutex_destroy(&s->lock);
    if (st == KANON_OK && s->stopped)
        st = kanon__texts_addf(s->run.warnings, err,
                               "the search for cuts was told to end; it might have found better ones");
    return st;
}

static kanon_status run_attribute_cut(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__generalisation g = {0};
    starts s = {.run = *run, .n = 2 + kanon__setting_integer(run->settings, "starts")};
    kanon__run_limit_time(run);
    KANON_TRY(find_levels(&s, run, err), out);
    if (!kanon__run_finishes(run))
        KANON_TRY(improve_all(&s, err), out);
    run->stopped = s.stopped || kanon__run_finishes(run);
    KANON_TRY(kanon__generalisation_init(&g, &s.run, err), out);
    KANON_TRY(kanon__generalisation_finish(&g, run, s.best != NULL ? s.best : s.levels, err), out);
out:
    kanon__generalisation_clear(&g);
    free_cuts(s.best, run->space);
    free_cuts(s.top, run->space);
    free_cuts(s.levels, run->space);
    return st;
}

static const kanon_setting_info attribute_cut_settings[] = {
    KANON__CHECKS_SETTING,
    KANON__TIME_SETTING,
    {.name = "starts",
     .type = KANON_SETTING_INTEGER,
     .min = 0,
     .max = 100000,
     .default_value = "8",
     .help = "how often the search begins with everything alike and random preferences; more may find cuts that lose less"},
    {.name = "rounds",
     .type = KANON_SETTING_INTEGER,
     .min = 0,
     .max = 1000,
     .default_value = "20",
     .help = "how often all ways to join ranges may be tried; the search ends by itself when none helps"},
};

const kanon__algorithm kanon__algorithm_attribute_cut = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "attribute-cut",
                       .brief = "one mapping per attribute: any cut through a taxonomy, any disjoint intervals",
                       .more = "For attribute-level recoding: equal values are shown equal in the whole release, which "
                               "makes it easy to use, at the price of more loss than any of the algorithms that group "
                               "records. Loses no more than full-domain.",
                       .source = "Bayardo, Agrawal: Data privacy through optimal k-anonymization, ICDE 2005 (the model); "
                                 "Fung, Wang, Yu: Top-down specialization, ICDE 2005 (the steps)",
                       .revision = 2},
             .settings = attribute_cut_settings,
             .n_settings = sizeof attribute_cut_settings / sizeof attribute_cut_settings[0]},
    .record_bytes = 300,
    .cell_bytes = 60,
    .records_per_minute = 150000,
    .recodes_attributes = true,
    .run = run_attribute_cut,
};
