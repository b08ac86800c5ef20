/* search: look for groups with less loss by simulated annealing.
 *
 * Moves change the groups a little at a time (moves.def). A move that makes the loss grow is accepted with a probability
 * that falls as the temperature falls. The number of groups is free. The steps:
 *
 *   1. Choose the plan: how many moves and rounds, which temperatures, how many neighbours (search_plan.h).
 *   2. Set up the state: costs, tuples, neighbourhood; measure the loss, whose average is the unit of temperature.
 *   3. In each round cut the groups into regions and anneal them, each on a thread; the moves of a region depend on its
 *      records and its loss. Keep the best of the groupings at the ends of rounds, component by component (recombine.h): the
 *      loss never rises.
 *   4. The temperature falls over the rounds, and the price of violated constraints (prices.h) rises; the colder rounds may
 *      suppress records (suppressed_records.h), within the budget; the last rounds begin with the best grouping and only let
 *      the loss fall. With many moves this starts over several times (reheating).
 *   5. Where the caller or the time limit ends it early, the round at hand is undone, so that the result depends on the
 *      number of moves alone, and one more round at temperature 0 follows. The setting stop-after ends it at the same move.
 *      A time limit becomes a number of moves once trial rounds have measured the speed.
 *   6. effort=best first does what effort=balanced does, then the rest of its moves by a schedule of their own; with large
 *      k the last of them begin once more with the best grouping, at a lower temperature.
 *
 * Method: Kirkpatrick, Gelatt, Vecchi: Optimization by simulated annealing, Science 220, 1983; ruin and recreate: Schrimpf
 * et al.: Record breaking optimization results using the ruin and recreate principle, J. Comp. Phys. 159, 2000.
 * Cost: O(attributes) for a move of single records, O((c k)^2 attributes) for regrouping c groups; memory O(records).
 * Ties: random, by the seed. Region r of round t uses stream t * 2^32 + r + 1; the cuts of round t use stream t * 2^32.
 * Called through refinements.def; calls the other files of this folder and core/pool.h. */
#include "refine/refinement.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "model/clusters.h"
#include "model/grouping.h"
#include "refine/anneal/annealing.h"
#include "refine/anneal/recombine.h"
#include "refine/anneal/regions.h"
#include "refine/anneal/search_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    /* regions */
    REGIONS = 8,          /* the table is cut into about so many, */
    LEAST_REGION = 16000, /* of at least so many records, */
    MOST_REGION = 130000, /* at most so many, */
    REGION_GROUPS = 200,  /* and room for at least so many groups */
    /* restarts */
    MOST_STARTS = 8,
    MOVES_PER_START = 500, /* per record, and as many more as there are records */
    TWICE_FROM = 25,       /* effort=best: from this k on the rest of the moves is cooled twice */
    /* rounds */
    ROUND_MOVES = 2000000, /* a round has at most so many moves, */
    RECORD_MOVES = 16,     /* or so many per record, whichever is more: what is lost where it is ended early */
};
/* The speed is measured over at least this share of the time limit; the moves are to take that one of the rest. */
static const double TRIAL = 0.02, IN_TIME = 0.9;
/* The last share of the moves of an annealing: temperature 0, a plain descent. */
static const double DESCENT = 0.05;

typedef struct annealer {
    kanon__run *run;
    kanon__search_state state;
    kanon__regions regions;
    kanon__cooling_schedule cooling; /* of this round; `moves` is the sum over the regions */
    float thresholds[KANON__THRESHOLDS];
    int64_t *losses;     /* by region */
    int64_t *violations; /* likewise; all 0 without constraints */
    int64_t violation;   /* of the groups at hand */
    double price;        /* of a unit of violation in this round, in units of loss */
    bool suppresses;     /* this round may suppress more records */
    int64_t round;
    kanon__shared_ticker *ticker;
    char detail[64]; /* for the progress display */
    int32_t *best;   /* the best grouping so far, its number of groups and loss */
    int32_t n_best_groups;
    int64_t best_loss, best_violation;
    int32_t *before; /* the groups before the round at hand */
    bool cut;        /* a region was ended early, so the round is undone; set by any thread */
    kanon__searched_table table;
    kanon__search_plan plan;
    int64_t done;     /* moves of this plan so far, */
    int64_t earlier;  /* of the plans before it, */
    int64_t all;      /* and of all at their ends */
    int64_t reported; /* thousandths of these */
    double begin;     /* seconds, by the clock */
    double unit;      /* of temperature and price, in units of loss */
    double heat;      /* factor of both; 1 without constraints */
} annealer;

/* ---- one round --------------------------------------------------------------------------------------------------- */

/* The stream of random numbers of a task, whatever thread runs it. */
static uint64_t stream_of(int64_t round, int64_t task)
{
    return (uint64_t)round << 32 | (uint64_t)task;
}

/* Importance sampling again: regions that lose more get more moves. */
static int64_t moves_of_region(const annealer *a, const kanon__region *region)
{
    static const double BY_LOSS = 0.7;
    int64_t n = a->state.may_suppress > 0 ? a->state.space->n_rows : a->regions.row_begins[a->state.n_groups];
    double by_records = (double)region->n / (double)n;
    double by_loss = a->state.loss > 0 ? (double)region->loss / (double)a->state.loss : by_records;
    return (int64_t)ceil((double)a->cooling.moves * (BY_LOSS * by_loss + (1 - BY_LOSS) * by_records));
}

/* 3. A task of the pool. */
static kanon_status search_region(int64_t which, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    annealer *a = payload;
    const kanon__regions *r = &a->regions;
    kanon__region region = {0};
    kanon__move_engine engine = {0};
    kanon__ticker ticker;
    kanon__cooling_schedule cooling = a->cooling;
    kanon__shared_ticker_task(&ticker, a->ticker);
    KANON_TRY(kanon__regions_extract(&region, r, which, err), out);
    cooling.moves = moves_of_region(a, &region);
    KANON_TRY(kanon__move_engine_init(&engine, &region, a->run->seed, stream_of(a->round, which + 1), err), out);
    if (a->run->constraints != NULL)
        KANON_TRY(kanon__move_engine_use_prices(&engine, a->run->constraints, a->price, err), out);
    else
        kanon__move_engine_split_all(&engine);
    KANON_TRY(kanon__move_engine_use_slabs(&engine, err), out);
    if (a->suppresses)
        kanon__move_engine_use_suppression(&engine);
    bool complete;
    KANON_TRY(kanon__anneal(&engine, &cooling, &complete, &ticker, err), out);
    if (!complete)
        __atomic_store_n(&a->cut, true, __ATOMIC_RELAXED);
    if (engine.prices != NULL && engine.prices->status != KANON_OK) {
        st = kanon__fail(err, engine.prices->status, "out of memory for the constraints of a group");
        goto out;
    }
    kanon__regions_write_back(r, which, &region);
    a->losses[which] = region.loss;
    a->violations[which] = engine.prices != NULL ? engine.prices->total : 0;
out:
    kanon__move_engine_clear(&engine);
    kanon__region_clear(&region);
    return st;
}

/* A grouping that violates less is better, whatever it loses. */
static void replace_best(annealer *a)
{
    if (a->violation > a->best_violation || (a->violation == a->best_violation && a->state.loss >= a->best_loss))
        return;
    a->best_violation = a->violation;
    a->best_loss = a->state.loss;
    a->n_best_groups = a->state.n_groups;
    memcpy(a->best, a->state.group_of, (size_t)a->state.space->n_rows * sizeof *a->best);
}

/* 3. Without constraints every component is a choice. At a high temperature there is only one, and it is much worse than the
 * best. */
static kanon_status keep_best(annealer *a, kanon_error *err)
{
    enum { NEAR = 64 }; /* more than one of so many parts above the best loss is too far away */
    kanon_status st = KANON_OK;
    if (a->run->constraints == NULL && a->state.loss - a->best_loss <= a->best_loss / NEAR) {
        kanon__combined_groups best = {.group_of = a->best, .n_groups = a->n_best_groups, .loss = a->best_loss};
        st = kanon__recombine(&best, a->state.group_of, a->state.n_groups, a->state.space, a->state.full, err);
        a->n_best_groups = best.n_groups;
        a->best_loss = best.loss;
    }
    if (st == KANON_OK)
        replace_best(a);
    return st;
}

/* 4. With constraints the groups at hand are those that the rising price has made. */
static void return_to_best(annealer *a)
{
    if (a->run->constraints != NULL)
        return;
    memcpy(a->state.group_of, a->best, (size_t)a->state.space->n_rows * sizeof *a->best);
    a->state.n_groups = a->n_best_groups;
    a->state.loss = a->best_loss;
}

/* How many records a region has at most, of n in all. */
static int64_t most_records(int64_t n, int64_t k)
{
    int64_t share = n / REGIONS, most = share < LEAST_REGION ? LEAST_REGION : share > MOST_REGION ? MOST_REGION : share;
    return most / k < REGION_GROUPS ? k * REGION_GROUPS : most;
}

/* The groups before the round at hand, and their loss. */
static void undo_round(annealer *a, int32_t n_groups, int64_t loss, int64_t violation)
{
    memcpy(a->state.group_of, a->before, (size_t)a->state.space->n_rows * sizeof *a->before);
    a->state.n_groups = n_groups;
    a->state.loss = loss;
    a->violation = violation;
}

/* 3. */
static kanon_status search_round(annealer *a, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__random random;
    int32_t groups_before = a->state.n_groups;
    int64_t loss_before = a->state.loss, violation_before = a->violation;
    kanon__random_init(&random, a->run->seed, stream_of(a->round, 0));
    memcpy(a->before, a->state.group_of, (size_t)a->state.space->n_rows * sizeof *a->before);
    KANON_TRY(kanon__regions_init(&a->regions, &a->state, most_records(a->state.space->n_rows, a->run->k), &random, err),
              out);
    KANON_TRY(kanon__new_array(&a->losses, a->regions.n_regions, "regions", err), out);
    KANON_TRY(kanon__new_array(&a->violations, a->regions.n_regions, "regions", err), out);
    KANON_TRY(kanon__pool_run(a->run->threads, a->regions.n_regions, search_region, a, err), out);
    if (a->cut) {
        undo_round(a, groups_before, loss_before, violation_before);
        goto out;
    }
    a->state.loss = a->violation = 0;
    for (int64_t i = 0; i < a->regions.n_regions; i++) {
        a->state.loss += a->losses[i];
        a->violation += a->violations[i];
    }
    int64_t n_groups = a->regions.n_group_numbers;
    KANON_TRY(kanon__grouping_renumber(a->state.group_of, a->state.space->n_rows, &n_groups, err), out);
    a->state.n_groups = (int32_t)n_groups;
    KANON_TRY(keep_best(a, err), out);
    a->done += a->cooling.moves;
    a->round++;
out:
    kanon__free(a->violations);
    kanon__free(a->losses);
    a->losses = a->violations = NULL;
    kanon__regions_clear(&a->regions);
    return st;
}

/* ---- all rounds -------------------------------------------------------------------------------------------------- */

/* How much of the work is done, from 0 to 1. */
static double share_done(const annealer *a)
{
    double share = (double)a->done / (double)a->plan.moves;
    return share < 1 ? share : 1;
}

/* The moves of the next round. */
static int64_t moves_of_round(const annealer *a, int64_t rounds)
{
    int64_t wanted = (a->plan.moves + rounds - 1) / rounds, left = a->plan.moves - a->done;
    return wanted < left ? wanted : left;
}

/* 4. Geometric cooling within each start, then 0 for the descent. */
static double temperature_at(const annealer *a, double share, int64_t n_starts)
{
    double within = share * (double)n_starts;
    within = (within - floor(within)) / (1 - DESCENT);
    return share >= 1 || within >= 1 ? 0 : a->heat * a->unit * a->plan.hot * pow(a->plan.cold / a->plan.hot, within);
}

/* 4. The price of a violated record in average losses of a record. It rises until hardly any loss is worth a violation; were
 * it to rise without end, groups that violate a little would be mended at any loss, where the repair finds a cheaper way. */
static double price_at(const annealer *a, double share, int64_t n_starts)
{
    static const double FIRST = 20, LAST = 2000, HARD = 0.75, FACTOR = 10;
    double within = share * (double)n_starts;
    within = share >= 1 ? 1 : within - floor(within);
    double price = within >= HARD ? LAST * FACTOR : FIRST * pow(LAST / FIRST, within / HARD);
    return price * a->heat * a->unit / (double)KANON__VIOLATION_UNIT;
}

/* 4. While it is hot, groups are wide, and records would be suppressed that have a good place in the end; then it takes more
 * than one move to bring them back. */
static bool suppresses_at(double share, int64_t n_starts)
{
    static const double FROM = 0.6;
    double within = share * (double)n_starts;
    return share >= 1 || within - floor(within) >= FROM;
}

static void set_detail(annealer *a)
{
    double scale = (double)a->state.space->scale, spent = kanon__seconds() - a->begin;
    snprintf(a->detail, sizeof a->detail, "loss %.6g, %.1f M moves/s", (double)a->best_loss / scale,
             (double)(a->earlier + a->done) / (spent > 0 ? spent : 1) * 1e-6);
}

/* Whether the search is to end before its last move. */
static bool ends_early(const annealer *a)
{
    return a->ticker->finish || a->cut || (a->plan.stop_after >= 0 && a->earlier + a->done >= a->plan.stop_after);
}

/* How often the moves of a plan start anew, and in how many rounds they are done. */
static int64_t count_rounds(int64_t *n_starts, const kanon__search_plan *p, int64_t n)
{
    int64_t starts = p->moves / (n * (n + MOVES_PER_START)), most = n * RECORD_MOVES;
    starts = starts < 1 ? 1 : starts > MOST_STARTS ? MOST_STARTS : starts;
    most = most > ROUND_MOVES ? most : ROUND_MOVES;
    *n_starts = starts;
    return p->moves / (p->n_rounds * starts) > most ? p->moves / most + 1 : p->n_rounds * starts;
}

static kanon_status run_rounds(annealer *a, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n_starts, n_rounds = count_rounds(&n_starts, &a->plan, a->state.space->n_rows);
    for (double share = share_done(a); share < 1 && !ends_early(a); share = share_done(a)) {
        a->cooling.moves = moves_of_round(a, n_rounds);
        double end = share + 1.0 / (double)n_rounds;
        a->cooling.hot = temperature_at(a, share, n_starts);
        a->cooling.cold = temperature_at(a, end, n_starts);
        a->cooling.cold = a->cooling.cold > 0 && a->cooling.cold < a->cooling.hot ? a->cooling.cold : a->cooling.hot;
        a->price = price_at(a, share, n_starts);
        bool is_last = a->done + a->cooling.moves >= a->plan.moves;
        a->suppresses = is_last || suppresses_at(share, n_starts);
        if (a->cooling.hot <= 0)
            return_to_best(a);
        KANON_TRY(search_round(a, err), out);
        set_detail(a);
        int64_t thousandths = (int64_t)(kanon__between(0, (double)(a->earlier + a->done) / (double)a->all, 1) * 1000);
        kanon__shared_ticker_add(a->ticker, thousandths - a->reported);
        a->reported = thousandths;
    }
out:
    return st;
}

/* 5. A grouping at a high temperature loses more than it has to. */
static kanon_status quench(annealer *a, kanon_error *err)
{
    enum { MOVES = 20 }; /* per record */
    a->run->ticker->anytime = false;
    a->ticker->finish = false;
    a->cut = false;
    a->cooling.hot = a->cooling.cold = 0;
    a->price = price_at(a, 1, 1);
    a->suppresses = true;
    a->cooling.moves = MOVES * a->state.space->n_rows;
    return search_round(a, err);
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

/* 2. */
static kanon_status init_state(kanon__search_state *s, kanon__run *run, const kanon__search_plan *plan, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = run->space->n_rows;
    *s = (kanon__search_state){.space = run->space, .k = run->k, .n_groups = run->n_groups};
    KANON_TRY(kanon__move_costs_new(&s->costs, run->space, err), out);
    KANON_TRY(kanon__tuples_new(&s->tuples, run->space, err), out);
    KANON_TRY(kanon__neighbourhood_new(&s->neighbourhood, run->space, s->tuples, plan->n_neighbours, plan->most_leaves,
                                       run->threads, run->ticker, err),
              out);
    KANON_TRY(kanon__new_array(&s->ordinal_of, n, "records", err), out);
    KANON_TRY(kanon__new_array(&s->rows, n, "records", err), out);
    KANON_TRY(kanon__new_array(&s->group_of, n, "groups", err), out);
    for (int64_t ordinal = 0, at = 0; ordinal < s->tuples->n; ordinal++) {
        int64_t tuple = s->neighbourhood->index->order[ordinal];
        for (int64_t i = s->tuples->begins[tuple]; i < s->tuples->begins[tuple + 1]; i++) {
            s->rows[at++] = s->tuples->rows[i];
            s->ordinal_of[s->tuples->rows[i]] = (int32_t)ordinal;
        }
    }
    memcpy(s->group_of, run->group_of, (size_t)n * sizeof *s->group_of);
    s->may_suppress = run->may_suppress > 0 ? run->may_suppress : 0;
    for (int i = 0; i < run->space->n_dimensions; i++)
        s->full += run->space->dimensions[i].full;
out:
    return st;
}

static void clear_state(kanon__search_state *s)
{
    kanon__free(s->group_of);
    kanon__free(s->rows);
    kanon__free(s->ordinal_of);
    kanon__neighbourhood_free(s->neighbourhood);
    kanon__tuples_free(s->tuples);
    kanon__move_costs_free(s->costs);
}

/* 2. The unit of temperature is the average loss of the records that lose anything. */
static kanon_status measure_start(annealer *a, kanon_error *err)
{
    kanon__clusters c;
    const kanon__search_state *s = &a->state;
    kanon_status st = kanon__clusters_init(&c, s->space, s->n_groups, err);
    if (st != KANON_OK)
        return st;
    int64_t n_losing = 0;
    for (int64_t row = 0; row < s->space->n_rows; row++)
        if (s->group_of[row] >= 0)
            kanon__clusters_join(&c, s->group_of[row], row);
    for (int64_t group = 0; group < s->n_groups; group++) {
        int64_t units = kanon__box_units(s->space, kanon__clusters_box(&c, group));
        a->best_loss += kanon__group_loss(c.sizes[group], units);
        n_losing += units > 0 ? c.sizes[group] : 0;
    }
    a->unit = n_losing > 0 ? (double)a->best_loss / (double)n_losing : 0;
    for (int64_t row = 0; s->may_suppress > 0 && row < s->space->n_rows; row++)
        a->best_loss += s->group_of[row] < 0 ? s->full : 0;
    a->state.loss = a->best_loss;
    kanon__clusters_clear(&c);
    return KANON_OK;
}

/* 2. The more groups violate a constraint, the more is to be changed, and the hotter the search begins. */
static kanon_status measure_violation(annealer *a, kanon_error *err)
{
    static const double LEAST = 0.5, MOST = 2;
    const kanon__run *run = a->run;
    int64_t n_violating = 0;
    kanon_status st = kanon__groups_violation(&a->violation, &n_violating, run->constraints, run->group_of, run->n_groups,
                                              err);
    a->best_violation = a->violation;
    a->heat = run->constraints == NULL ? 1 : LEAST + (MOST - LEAST) * (double)n_violating / (double)run->n_groups;
    return st;
}

/* ---- time limits ------------------------------------------------------------------------------------------------- */

/* Moves per second. Trial rounds, each undone, become longer until one takes enough of the time to be measured. */
static kanon_status measure_speed(double *out, annealer *a, kanon_error *err)
{
    enum { FIRST = 4096, LONGER = 4 };
    int32_t n_groups = a->state.n_groups;
    int64_t loss = a->state.loss, violation = a->violation;
    a->cooling.hot = a->cooling.cold = a->unit * a->plan.hot;
    a->price = price_at(a, 0, 1);
    for (a->cooling.moves = FIRST;; a->cooling.moves *= LONGER) {
        double begin = kanon__seconds();
        kanon_status st = search_round(a, err);
        if (st != KANON_OK)
            return st;
        double spent = kanon__seconds() - begin;
        *out = (double)a->cooling.moves / (spent > 0 ? spent : 1e-9);
        if (a->cut) /* the caller does not want to wait */
            return KANON_OK;
        undo_round(a, n_groups, loss, violation);
        if (spent > TRIAL * a->plan.seconds || a->cooling.moves > ROUND_MOVES)
            return KANON_OK;
    }
}

/* The moves that fit the time are a plan like any other, and equal numbers of moves give equal groups, on any machine. */
static kanon_status plan_by_time(annealer *a, kanon_error *err)
{
    double speed = 0;
    int64_t n = a->state.space->n_rows, loss = a->state.loss, violation = a->violation, most = a->plan.moves;
    kanon_status st = measure_speed(&speed, a, err);
    if (st != KANON_OK)
        return st;
    double left = a->plan.seconds - (kanon__seconds() - a->begin), moves = kanon__between(1, speed * left * IN_TIME, 1e15);
    a->plan.moves = most > 0 && (double)most < moves ? most : (int64_t)moves;
    kanon__search_plan_schedule(&a->plan, (double)a->plan.moves, n, a->run->k);
    memcpy(a->best, a->run->group_of, (size_t)n * sizeof *a->best);
    a->n_best_groups = a->run->n_groups;
    a->best_loss = loss;
    a->best_violation = violation;
    a->round = 0;
    a->done = 0;
    return KANON_OK;
}

/* What makes these groups again. */
static kanon_status record_repeat(const annealer *a, int64_t n_done, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__texts *repeat = a->run->repeat;
    if (repeat == NULL)
        return KANON_OK;
    if (a->plan.seconds > 0) {
        KANON_TRY(kanon__texts_addf(repeat, err, "moves=%lld", (long long)a->all), out);
        KANON_TRY(kanon__texts_addf(repeat, err, "neighbours=%lld", (long long)a->plan.n_neighbours), out);
    }
    if (a->run->stopped)
        KANON_TRY(kanon__texts_addf(repeat, err, "stop-after=%lld", (long long)n_done), out);
out:
    return st;
}

/* ---- the refinement ---------------------------------------------------------------------------------------------- */

/* The neighbourhood in another width; the two are never there at once. */
static kanon_status set_width(annealer *a, int64_t width, kanon_error *err)
{
    kanon__search_state *s = &a->state;
    if (s->neighbourhood->width == width)
        return KANON_OK;
    kanon__neighbourhood_free(s->neighbourhood);
    s->neighbourhood = NULL;
    return kanon__neighbourhood_new(&s->neighbourhood, s->space, s->tuples, width, a->plan.most_leaves, a->run->threads,
                                    a->run->ticker, err);
}

/* All rounds of one of several plans. */
static kanon_status run_plan(annealer *a, const kanon__search_plan *plan, kanon_error *err)
{
    kanon_status st = KANON_OK;
    a->plan = *plan;
    KANON_TRY(set_width(a, plan->n_neighbours, err), out);
    KANON_TRY(run_rounds(a, err), out);
    a->earlier += a->done;
    a->done = 0;
out:
    return st;
}

/* 6. What is left after the first plan. The larger the groups, the more the loss depends on chance: a part of the moves that
 * cools from below where groups change their places improves the best so far more than the others would. */
static kanon_status run_rest(annealer *a, kanon__search_plan rest, kanon_error *err)
{
    static const double ANEW = 0.6, WARM = 0.3, COOL = 0.6;
    kanon_status st = KANON_OK;
    int64_t n = a->state.space->n_rows, k = a->run->k, moves = rest.moves - a->earlier;
    bool twice = k >= TWICE_FROM && a->run->constraints == NULL;
    rest.moves = twice ? (int64_t)(ANEW * (double)moves) + 1 : moves;
    kanon__search_plan_schedule(&rest, (double)rest.moves, n, k);
    KANON_TRY(run_plan(a, &rest, err), out);
    if (!twice || ends_early(a))
        goto out;
    rest.moves = a->all - a->earlier;
    kanon__search_plan_schedule(&rest, (double)rest.moves, n, k);
    rest.hot *= WARM;
    rest.cold *= COOL;
    return_to_best(a);
    KANON_TRY(run_plan(a, &rest, err), out);
out:
    return st;
}

/* All rounds of the plan, or of several: (6) effort=best with moves enough begins as effort=balanced does, whatever else is
 * set, so that it never loses more. */
static kanon_status run_plans(annealer *a, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__search_plan whole = a->plan, first = kanon__search_plan_balanced(&whole, &a->table);
    a->all = whole.moves;
    if (!kanon__setting_is(a->run->settings, "effort", "best") || whole.moves < 2 * first.moves)
        return run_rounds(a, err);
    KANON_TRY(run_plan(a, &first, err), out);
    if (!ends_early(a))
        KANON_TRY(run_rest(a, whole, err), out);
out:
    return st;
}

/* All rounds, and the last one where they end early. */
static kanon_status search(annealer *a, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if ((a->best_loss == 0 && a->best_violation == 0) || a->state.n_groups == 0)
        return KANON_OK;
    if (a->plan.seconds > 0) {
        double spent = kanon__seconds() - a->begin;
        kanon__ticker_limit(a->run->ticker, a->plan.seconds > spent ? a->plan.seconds - spent : 0.001);
        KANON_TRY(plan_by_time(a, err), out);
    }
    KANON_TRY(run_plans(a, err), out);
    int64_t n_done = a->earlier + a->done;
    if (ends_early(a) && n_done < a->all) {
        a->run->stopped = a->plan.stop_after < 0 || n_done < a->plan.stop_after;
        KANON_TRY(quench(a, err), out);
    }
    KANON_TRY(record_repeat(a, n_done, err), out);
out:
    return st;
}

static kanon__searched_table describe(const kanon__run *run)
{
    int64_t n = run->space->n_rows;
    return (kanon__searched_table){.n_rows = n,
                                   .n_whole = run->n_whole > n ? run->n_whole : n,
                                   .n_quasi = run->table->n_quasi,
                                   .k = run->k,
                                   .in_blocks = run->in_blocks,
                                   .constrained = run->constraints != NULL};
}

static kanon_status run_search(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    annealer *a = NULL;
    kanon__shared_ticker shared;
    kanon__searched_table table = describe(run);
    if (kanon__search_plan_is_off(run->settings, &table))
        return KANON_OK;
    kanon__shared_ticker_init(&shared, run->ticker, 1000);
    KANON_TRY(kanon__new_array(&a, 1, "the search", err), out);
    a->run = run;
    a->ticker = &shared;
    a->begin = kanon__seconds();
    a->table = table;
    a->plan = kanon__search_plan_choose(run->settings, &a->table);
    kanon__thresholds_fill(a->thresholds);
    a->cooling.thresholds = a->thresholds;
    KANON_TRY(init_state(&a->state, run, &a->plan, err), out);
    KANON_TRY(measure_start(a, err), out);
    KANON_TRY(measure_violation(a, err), out);
    KANON_TRY(kanon__new_array(&a->best, run->space->n_rows, "groups", err), out);
    memcpy(a->best, run->group_of, (size_t)run->space->n_rows * sizeof *a->best);
    KANON_TRY(kanon__new_array(&a->before, run->space->n_rows, "groups", err), out);
    a->n_best_groups = run->n_groups;
    run->ticker->detail = a->detail;
    run->ticker->anytime = true;
    KANON_TRY(search(a, err), out);
    memcpy(run->group_of, a->best, (size_t)run->space->n_rows * sizeof *a->best);
    run->n_groups = a->n_best_groups;
out:
    run->ticker->anytime = false;
    run->ticker->detail = NULL;
    if (a != NULL) {
        kanon__free(a->before);
        kanon__free(a->best);
        clear_state(&a->state);
    }
    kanon__free(a);
    kanon__shared_ticker_clear(&shared);
    return st;
}

/* The state has all records, each thread has one region, and all groups are recombined. The constants are bytes of a record,
 * a group and a cell. */
static int64_t need(const kanon__settings *given, const kanon__data *t, const kanon__constraints *constraints, int64_t k,
                    int threads)
{
    int64_t n = t->n_rows, m = t->n_quasi;
    enum { STATE = 68, STATE_CELL = 20, NEIGHBOUR = 4, REGION = 130, REGION_CELL = 36, GROUP = 40, GROUP_CELL = 8 };
    int64_t region = k < n ? most_records(n, k) : n, n_in_regions = region < n / threads ? region * threads : n;
    kanon__searched_table table = {
        .n_rows = n, .n_whole = n, .n_quasi = t->n_quasi, .k = k, .constrained = constraints != NULL};
    if (n == 0 || kanon__search_plan_is_off(given, &table))
        return 0;
    int64_t near = NEIGHBOUR * kanon__search_plan_choose(given, &table).n_neighbours;
    return n * (STATE + near + STATE_CELL * m) + n_in_regions * (REGION + near + REGION_CELL * m) +
           n / k * (GROUP + GROUP_CELL * m) + kanon__move_costs_need(t) + kanon__prices_need(constraints, n_in_regions, k);
}

static const kanon_setting_info settings[] = {
    {.name = "moves",
     .type = KANON_SETTING_INTEGER,
     .min = 1,
     .max = 1e15,
     .help = "how many moves are tried; equal numbers give equal groups (default: by effort, unless there is a time limit)"},
    {.name = "time-limit",
     .type = KANON_SETTING_NUMBER,
     .min = 0.001,
     .max = 1e9,
     .help = "how many seconds the search takes; the machine decides how many moves that are, and the report names them"},
    {.name = "stop-after",
     .type = KANON_SETTING_INTEGER,
     .min = 0,
     .max = 1e15,
     .help = "end after so many of the moves, as if stopped then: the report of a search that was stopped names the number"},
    {.name = "neighbours",
     .type = KANON_SETTING_INTEGER,
     .min = 1,
     .max = 2000,
     .help = "how many near records are known of each (default: 6 to 24, by the number of moves)"},
    {.name = "effort",
     .type = KANON_SETTING_CHOICE,
     .default_value = "balanced",
     .choices = "fast|balanced|best",
     .help =
         "how many moves where nothing else is said: a fraction of a second's worth, none under constraints, in blocks and "
         "for more than 300,000 records; some seconds' worth, more only on very large tables; or at least eight times as "
         "many"},
};

const kanon__refinement kanon__refinement_search = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "search",
                       .brief = "look for groups with less loss by simulated annealing",
                       .more = "The lowest loss, for as much time as you give it: a second is worth it, a minute finds a "
                               "few percent more. Begin with densest or top-down. Can be ended at any time with the best "
                               "groups so far.",
                       .source = "Kirkpatrick, Gelatt, Vecchi: Optimization by simulated annealing, Science 220, 1983; "
                                 "Schrimpf et al.: Record breaking optimization results using the ruin and recreate "
                                 "principle, J. Comp. Phys. 159, 2000",
                       .revision = 11},
             .settings = settings,
             .n_settings = sizeof settings / sizeof *settings},
    .run = run_search,
    .takes_violations = true,
    .need = need,
    .skips_blocks = kanon__search_plan_is_short,
    .moves = kanon__search_plan_moves,
};
