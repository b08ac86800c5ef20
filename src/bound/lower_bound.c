/* kanon_bound: a lower bound on the loss of every grouping, by dual prices.
 *
 *   1. The neighbour bound: price of a record = distance to its (k-1)-th nearest other record. That is dual feasible.
 *   2. The least boxes: price of a record = what the cheapest box around it and k-1 others costs, or less where that is not
 *      found. That is dual feasible, too, and never lower. The boxes that were found are the first cuts.
 *   3. In each round but the first ascend from the best feasible prices: raise them along the cuts (cuts.h), which is
 *      further than is feasible, but not much. Sets that violate these outer prices grow around all tuples (box_growth.h)
 *      and become cuts. Repeat while much is violated ...
 *   4. ... go there, or a step on this way, as far as a sample can be made feasible in the time that is left ...
 *   5. ... and make the prices there feasible (feasible.h). The sets that were in the way are new cuts. The prices are kept
 *      if their sum is the largest so far. The next step is shorter if most of this one was lost, else longer.
 *   6. Stop when the bound hardly rises, after so many rounds, at the time limit, or when the caller says so.
 *
 * Outer prices near to feasible ones keep step 5 cheap: little is violated there, and what is found is near the best
 * prices, where it matters. Only step 5 has to be exact. Its prices are a bound whatever came before, so the work can
 * be stopped at any time. The proof is in docs/lower-bound.md. */
#include "bound/certificate.h"
#include "bound/feasible.h"
#include "core/alloc.h"
#include "core/context.h"
#include "core/sink_guard.h"
#include "core/take_options.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 40, MOST_FAILURES = 2 };
enum { LEAST_BUDGET = 400 }; /* of a box search in step 2, for each of the k records */
/* Step 3: how often, at most, and the share of what may still be gained that may be violated at the end. */
enum { MOST_GROWTHS = 3 };
static const double VIOLATED = 0.06;
/* Step 3: by how much prices rise in each step of the ascent (cuts.h). At first a third of the steps bring a price to its
 * reach that no cut holds: slow ones stay near to feasible prices. Fast ones solve the programme of the cuts sooner. That
 * is of use once most of the cuts that matter are known: rounds that gain less than so many times LEAST_GAIN tell. */
static const double SLOWEST = 0.001, FASTEST = 0.5, RISE_CHANGE = 2;
enum { SLOW_GAINS = 10 };
static const double GROWTH_TIME = 0.3; /* step 3: of the time that is left, so that a proof can follow */
/* Step 4: shares of the way to the outer prices, and how a step changes where little or much of the last one was kept. */
static const double LONGEST = 1, SHORTEST = 0.1, STEP_CHANGE = 1.25, LITTLE = 0.3, MUCH = 0.6;
enum { SAMPLE = 512 }; /* step 4: tuples of a trial */
/* Step 4: how much of the time that is left a proof may take, by what the trial says, which is not exact; and the first one,
 * since the least boxes lead to prices that are far from the best ones. */
static const double PROOF_TIME = 0.75, FIRST_TIME = 0.1;
/* Step 5: the tolerance is a share of what a price may still gain; as a share of a typical price it has limits. */
static const double TOLERATED = 0.02, LOOSE = 0.03, TIGHT = 0.0001;
static const double LEAST_GAIN = 0.0003; /* step 6: two relative gains in a row below this */
/* Where an attribute's costs are not whole units: how far a record's cost may be off, both ends rounded. */
enum { UNITS_LOST = 3 };

typedef struct bound_run {
    kanon__priced_table *table;
    kanon__separation *separation;
    kanon__cuts *cuts;
    double *prices; /* by tuple, 1 is D = 1: the outer prices of step 3 */
    double typical; /* the average neighbour distance */
    int32_t *best;  /* by tuple: the dual feasible prices with the largest sum so far */
    int64_t best_sum;
    kanon_bound_options options;
    kanon__ticker ticker;
    double rise; /* 3. */
    double step; /* 4. */
    double begun;
    int64_t rounds; /* at most */
    bool timed_out;
    kanon_lower_bound *out;
} bound_run;

/* ---- time -------------------------------------------------------------------------------------------------------- */

static bool out_of_time(const bound_run *s, double ahead)
{
    return s->options.seconds > 0 && kanon__seconds() + ahead >= s->begun + s->options.seconds;
}

static int tick(const kanon_progress *progress, void *payload)
{
    bound_run *s = payload;
    kanon_progress whole = *progress; /* of all rounds or of the time limit, not of one step */
    whole.done = s->options.seconds > 0 ? (int64_t)(1000 * (kanon__seconds() - s->begun)) : s->out->rounds;
    whole.total = s->options.seconds > 0 ? (int64_t)(1000 * s->options.seconds) : s->rounds;
    s->timed_out = s->timed_out || out_of_time(s, 0);
    return s->timed_out || (s->options.tick != NULL && s->options.tick(&whole, s->options.payload) != 0);
}

/* ---- prices ------------------------------------------------------------------------------------------------------ */

static int64_t sum_of(const kanon__priced_table *t, const int32_t *prices)
{
    int64_t sum = 0;
    for (int64_t tuple = 0; tuple < t->n; tuple++)
        sum += t->counts[tuple] * prices[tuple];
    return sum;
}

static int32_t in_units(const bound_run *s, double price)
{
    double units = floor(price * (double)s->table->space->scale);
    return units >= KANON__HIGHEST_PRICE  ? KANON__HIGHEST_PRICE
           : units <= KANON__LOWEST_PRICE ? KANON__LOWEST_PRICE
                                          : (int32_t)units;
}

/* The table's prices are dual feasible: keep them if they are the best so far. Whether that is a gain worth going on for. */
static bool keep(bound_run *s)
{
    int64_t sum = sum_of(s->table, s->table->prices), before = s->best_sum;
    if (sum <= before)
        return false;
    memcpy(s->best, s->table->prices, (size_t)s->table->n * sizeof *s->best);
    s->best_sum = sum;
    return (double)sum > (1 + LEAST_GAIN) * (double)before;
}

/* A sum of units as information loss. */
static double as_loss(const bound_run *s, int64_t sum)
{
    return (double)sum / (double)s->table->space->scale;
}

/* 1. */
static kanon_status find_neighbours(bound_run *s, kanon_error *err)
{
    kanon__priced_table *t = s->table;
    KANON_CHECK(kanon__priced_table_find_neighbours(t, &s->ticker, err));
    memcpy(t->prices, t->neighbour_distances, (size_t)t->n * sizeof *t->prices);
    s->best_sum = INT64_MIN;
    keep(s);
    s->typical = as_loss(s, s->best_sum) / (double)t->space->n_rows;
    return KANON_OK;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* 2. */
static kanon_status find_least_boxes(bound_run *s, kanon_error *err)
{
    kanon__separation *all = s->separation;
    KANON_CHECK(kanon__separation_find_least(all, s->table->prices, LEAST_BUDGET * s->table->k, &s->ticker, err));
    keep(s);
    KANON_CHECK(kanon__cuts_add(s->cuts, all->items, all->n, err));
    for (int64_t i = 0; i < all->n; i++)
        s->prices[all->items[i].tuple] = (double)all->items[i].set.units / (double)s->table->space->scale;
    return KANON_OK;
}

/* 3. What the outer prices are worth in all, in units; they become the table's. */
static int64_t take_outer(bound_run *s)
{
    for (int64_t tuple = 0; tuple < s->table->n; tuple++)
        s->table->prices[tuple] = in_units(s, s->prices[tuple]);
    return sum_of(s->table, s->table->prices);
}

/* 3. By how much the records' prices are too high, in the sets that grew around them. */
static int64_t violated_sum(const bound_run *s)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < s->separation->n; i++)
        sum += s->table->counts[s->separation->items[i].tuple] * (s->separation->items[i].set.excess / s->table->k);
    return sum;
}

/* 3. From the best prices upwards, along the cuts. */
static kanon_status approach(bound_run *s, kanon_error *err)
{
    double begun = kanon__seconds(), end = begun + GROWTH_TIME * (s->begun + s->options.seconds - begun);
    bool apart = true;
    for (int64_t tuple = 0; tuple < s->table->n; tuple++)
        s->prices[tuple] = s->best[tuple] / (double)s->table->space->scale;
    for (int i = 0; i < MOST_GROWTHS && apart && (i == 0 || s->options.seconds <= 0 || kanon__seconds() < end); i++) {
        KANON_CHECK(kanon__cuts_ascend(s->cuts, s->prices, s->typical, s->rise, &s->ticker, err));
        int64_t outer = take_outer(s), each = outer / s->table->space->n_rows;
        KANON_CHECK(kanon__separation_grow(s->separation, (int32_t)each, &s->ticker, err));
        KANON_CHECK(kanon__cuts_add(s->cuts, s->separation->items, s->separation->n, err));
        apart = (double)violated_sum(s) > VIOLATED * (double)(outer - s->best_sum);
    }
    return KANON_OK;
}

/* 4. Between the best prices and those that the cuts allow. How much more they are worth than the best, in units. */
static int64_t set_between(bound_run *s, double step)
{
    const kanon__priced_table *t = s->table;
    for (int64_t tuple = 0; tuple < t->n; tuple++) {
        double best = s->best[tuple] / (double)t->space->scale;
        t->prices[tuple] = in_units(s, best + step * (s->prices[tuple] - best));
    }
    return sum_of(t, t->prices) - s->best_sum;
}

/* What step 5 has to do after a step that raised the prices by so much. The tolerance, which every price pays, is a small
 * share of what may still be gained. */
static kanon__feasible_task task_for(const bound_run *s, double step, int64_t raise)
{
    double each = (double)raise / step / (double)s->table->space->n_rows / (double)s->table->space->scale;
    int32_t tolerance = in_units(s, fmax(TIGHT * s->typical, fmin(LOOSE * s->typical, TOLERATED * each)));
    return (kanon__feasible_task){.floor = s->best, .tolerance = tolerance, .worth = raise};
}

/* 4. Set the prices as far on the way as a sample of them becomes feasible, and in a share of the time that is left if the
 * others take as long. *task is what step 5 has to do then; it is worth nothing where no step is short enough. */
static kanon_status set_step(bound_run *s, double share, kanon__feasible_task *task, kanon_error *err)
{
    double ahead = INFINITY;
    *task = (kanon__feasible_task){0};
    for (double step = s->step; ahead == INFINITY && step >= SHORTEST; step /= STEP_CHANGE) {
        double left = s->options.seconds > 0 ? s->begun + s->options.seconds - kanon__seconds() : 0;
        *task = task_for(s, step, set_between(s, step));
        if ((double)task->worth <= LEAST_GAIN * (double)s->best_sum)
            break;
        KANON_CHECK(kanon__try_feasible(s->separation, task, s->table->n / SAMPLE + 1, share * left, &ahead, &s->ticker,
                                        err));
        set_between(s, step);
    }
    if (ahead == INFINITY)
        task->worth = 0;
    return KANON_OK;
}

/* 5. Its violated sets become cuts, too. Then the next step is longer or shorter, as much of this one was lost or not, and
 * prices rise faster where a step was kept but was short. */
static kanon_status make_feasible(bound_run *s, const kanon__feasible_task *task, bool *gained, kanon_error *err)
{
    bool feasible;
    int64_t before = s->best_sum;
    kanon_status st = kanon__make_feasible(s->separation, task, s->cuts, &feasible, &s->ticker, err);
    *gained = feasible && keep(s);
    int64_t gain = feasible ? sum_of(s->table, s->table->prices) - before : 0;
    double kept = (double)gain / (double)task->worth;
    if (kept < LITTLE) {
        s->step = fmax(SHORTEST, s->step / STEP_CHANGE);
        s->rise = fmax(SLOWEST, s->rise / RISE_CHANGE);
    } else {
        s->step = kept > MUCH ? fmin(LONGEST, s->step * STEP_CHANGE) : s->step;
        s->rise = (double)gain < SLOW_GAINS * LEAST_GAIN * (double)before ? fmin(FASTEST, s->rise * RISE_CHANGE) : s->rise;
    }
    return st;
}

/* 3 to 5. */
static kanon_status improve_once(bound_run *s, bool first, bool *gained, kanon_error *err)
{
    kanon__feasible_task task;
    *gained = false;
    if (!first) /* the least boxes are good enough to begin with */
        KANON_CHECK(approach(s, err));
    KANON_CHECK(set_step(s, first ? FIRST_TIME : PROOF_TIME, &task, err));
    if (task.worth > 0)
        KANON_CHECK(make_feasible(s, &task, gained, err));
    return KANON_OK;
}

static kanon_status improve(bound_run *s, kanon_error *err)
{
    int failures = 0;
    s->rounds = s->options.rounds > 0 ? s->options.rounds : MOST_ROUNDS;
    s->step = LONGEST;
    s->rise = SLOWEST;
    KANON_CHECK(kanon__separation_new(&s->separation, s->table, err));
    KANON_CHECK(kanon__cuts_new(&s->cuts, s->table, err));
    if (s->typical > 0)
        KANON_CHECK(find_least_boxes(s, err));
    for (int round = 0; round < s->rounds && failures < MOST_FAILURES && s->typical > 0; round++) {
        bool gained;
        KANON_CHECK(improve_once(s, round == 0, &gained, err));
        failures = gained ? 0 : failures + 1;
        s->out->rounds = round + 1;
    }
    return KANON_OK;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* Costs that are not whole units were rounded, perhaps upwards: every price is lowered by the most that this can be. */
static int32_t rounding_loss(const kanon__space *space)
{
    int32_t lost = 0;
    for (int i = 0; i < space->n_dimensions; i++)
        lost += space->dimensions[i].exact ? 0 : UNITS_LOST;
    return lost;
}

/* Rounded down, so that it is a bound as a double, too. */
static double value_of(const bound_run *s, int64_t sum)
{
    double value = as_loss(s, sum);
    return sum > 0 ? nextafter(value, 0) : 0; /* 0 is always a bound */
}

/* What a suppressed record costs, in units, rounded down: the weights of all attributes. */
static int64_t suppressed_units(const bound_run *s, const kanon__data *data)
{
    double weights = 0;
    for (int i = 0; i < data->n_quasi; i++)
        weights += data->columns[data->quasi[i]].weight;
    return (int64_t)floor(weights * (double)s->table->space->scale) - (weights != floor(weights));
}

/* Prices that are cut off at what a suppressed record costs bound the loss of groupings with suppression, too. */
static int64_t cut_off_sum(const int64_t *prices, int64_t n, int64_t highest)
{
    int64_t sum = 0;
    for (int64_t row = 0; row < n; row++)
        sum += prices[row] < highest ? prices[row] : highest;
    return sum;
}

static kanon_status fill(bound_run *s, const kanon__data *data, kanon_error *err)
{
    const kanon__priced_table *t = s->table;
    kanon_lower_bound *b = s->out;
    int32_t lost = rounding_loss(t->space);
    int64_t given_back = lost * t->space->n_rows;
    int64_t *prices = NULL;
    KANON_CHECK(kanon__new_array(&prices, t->space->n_rows, "prices", err));
    for (int64_t place = 0; place < t->n; place++) {
        int64_t tuple = t->index->order[place];
        for (int64_t i = t->tuples->begins[tuple]; i < t->tuples->begins[tuple + 1]; i++)
            prices[t->tuples->rows[i]] = s->best[place] - lost;
    }
    b->price_sum = s->best_sum - given_back;
    b->scale = t->space->scale;
    b->lower_bound = value_of(s, b->price_sum);
    b->neighbour_bound = value_of(s, sum_of(t, t->neighbour_distances) - given_back);
    b->with_suppression = fmax(value_of(s, cut_off_sum(prices, t->space->n_rows, suppressed_units(s, data))),
                               b->neighbour_bound); /* no distance is above it */
    b->prices = prices;
    return KANON_OK;
}

static kanon_status check_options(const kanon_table *table, kanon_bound_options *o, kanon_error *err)
{
    o->k = o->k > 0 ? o->k : table->policy.k;
    KANON_CHECK(kanon__check_k(o->k, err));
    if (o->k > table->data.n_rows)
        return kanon__fail(err, KANON_EINFEASIBLE, "the table has %lld records, no group can have %lld",
                           (long long)table->data.n_rows, (long long)o->k);
    return KANON_OK;
}

static kanon_status run(bound_run *s, const kanon_table *table, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__priced_table_new(&s->table, &table->data, s->options.k, s->options.threads, err), out);
    KANON_TRY(kanon__new_array(&s->prices, s->table->n, "prices", err), out);
    KANON_TRY(kanon__new_array(&s->best, s->table->n, "prices", err), out);
    kanon__ticker_init(&s->ticker, s->options.tick, s->options.payload,
                       "finding neighbours"); /* not limited in time: there is no bound without it */
    KANON_TRY(find_neighbours(s, err), out);
    kanon__ticker_init(&s->ticker, tick, s, "improving the bound");
    st = out_of_time(s, 0) ? KANON_ECANCELLED : improve(s, err);
    s->timed_out = s->timed_out || out_of_time(s, 0);
    if (st == KANON_ECANCELLED) {
        s->out->stopped = 1;
        st = KANON_OK;
    }
    if (st == KANON_OK)
        st = fill(s, &table->data, err);
out:
    return st;
}

static kanon_status find_bound(kanon_lower_bound **out, const kanon_table *table, const kanon_bound_options *options,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    bound_run s = {.begun = kanon__seconds()};
    kanon__output *certificate = NULL;
    kanon__taken_output taken;
    *out = NULL;
    st = kanon__take_options(&s.options, sizeof s.options, options, err);
    KANON_TRY(kanon__output_take(&taken, &s.options.certificate, st, err), out);
    kanon__call_ticks(&s.options.tick, &s.options.payload);
    KANON_TRY(check_options(table, &s.options, err), out);
    if (s.options.certificate != NULL) /* fails early where it cannot be written */
        KANON_TRY(kanon__certificate_open(&certificate, table, s.options.certificate, err), out);
    KANON_TRY(kanon__new_array(&s.out, 1, "the bound", err), out);
    s.out->records = table->data.n_rows;
    s.out->k = s.options.k;
    KANON_TRY(run(&s, table, err), out);
    s.out->seconds = kanon__seconds() - s.begun;
    if (certificate != NULL)
        KANON_TRY(kanon__certificate_write(certificate, table, s.out, err), out);
    *out = s.out;
    s.out = NULL;
out:
    kanon_lower_bound_free(s.out);
    kanon__output_free(certificate);
    kanon__outputs_end(&taken, 1);
    kanon__free(s.best);
    kanon__free(s.prices);
    kanon__cuts_free(s.cuts);
    kanon__separation_free(s.separation);
    kanon__priced_table_free(s.table);
    return st;
}

kanon_status kanon_bound(kanon_lower_bound **out, const kanon_table *table, const kanon_bound_options *options,
                         kanon_error *err)
{
    KANON_RETURN_IN(table->context, find_bound(out, table, options, err));
}

void kanon_lower_bound_free(kanon_lower_bound *b)
{
    if (b == NULL)
        return;
    kanon__free((void *)b->prices);
    kanon__free(b);
}
