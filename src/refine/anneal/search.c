/* search: look for groups with less loss by simulated annealing.
 *
 * Moves change the groups a little at a time: a record goes to a group of records near it, two or three records
 * change places, a group is dissolved, opened or split, or a few neighbouring groups are taken apart and made anew. A
 * move that makes the loss grow is accepted by a chance that falls as the search cools down. The number of groups is
 * free.
 *
 * The grouping is cut into regions, another way each round and where groups lie apart; regions are searched by
 * themselves and at the same time. The best grouping that was seen at the end of a round is kept; the loss never
 * grows. Steps begin with records of groups that lose much more often than with others, and regions that lose much
 * get more of them.
 * Method: Kirkpatrick, Gelatt, Vecchi: Optimization by simulated annealing, Science 220, 1983; taking apart and
 * making anew: Schrimpf et al.: Record breaking optimization results using the ruin and recreate principle, J. Comp.
 * Phys. 159, 2000.
 * Cost: a move of single records takes time in the number of attributes, making c groups anew (c k)^2 of that. Memory
 * is linear in the records.
 * Ties: random, by the seed. Region r of round t uses stream t * 2^32 + r + 1; the cuts use stream t * 2^32. */
#include "refine/refinement.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "model/clusters.h"
#include "refine/anneal/search_anneal.h"
#include "refine/anneal/search_regions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    REGIONS = 8, /* about so many, */
    LEAST_REGION = 16000,
    MOST_REGION = 130000,    /* with so many records each, */
    REGION_GROUPS = 200,     /* and no fewer groups than these */
    MOST_MOVES = 27000000,   /* for balanced, */
    MOVES_PER_RECORD = 1000, /* by default, where k is small; moves take the longer the larger it is, */
    K_OF_HALF = 12,          /* so that there are half as many for this k, a third for twice this k, ... */
    LARGE_TABLE_MOVES = 27,  /* per record, on tables so large that MOST_MOVES is less */
    LEAST_MOVES = 20000,     /* and no fewer than these */
    BEST_FACTOR = 8,
    MOST_STARTS = 8,            /* annealings, where there are moves for more than one, */
    MOVES_PER_START = 500,      /* per record, and as many more as there are records */
    MOVES_PER_SECOND = 2000000, /* about; for what has to be chosen before it is known */
};
/* The share of the moves that comes last and only lets the loss fall. */
static const double DESCENT = 0.05;

/* How much is done, and how. */
typedef struct schedule {
    int64_t moves;  /* in all; 0: any number */
    double seconds; /* that may pass; 0: any number */
    int64_t n_rounds;
    int64_t n_near;   /* neighbours that are looked at */
    double hot, cold; /* the temperatures of an annealing in the beginning and at the end, in average losses of a record */
} schedule;

typedef struct searching {
    kanon__run *run;
    kanon__board board;
    kanon__regions regions;
    kanon__cooling cooling; /* of this round, its moves for all regions together */
    float chances[KANON__CHANCES];
    int64_t *losses; /* by region */
    int64_t round;
    kanon__shared_ticker *ticker;
    char detail[64];
    int32_t *best; /* the best grouping so far, its number of groups and loss */
    int32_t n_best_groups;
    int64_t best_loss;
    schedule schedule;
    int64_t done; /* moves so far */
    double begin; /* the clock */
    double unit;  /* of temperature */
} searching;

/* ---- one round --------------------------------------------------------------------------------------------------- */

static uint64_t stream_of(int64_t round, int64_t task)
{
    return (uint64_t)round << 32 | (uint64_t)task;
}

/* What the constraints say of groups; rows is room for the largest one. */
typedef struct privacy {
    const kanon__constraints *constraints;
    int32_t *rows;
    kanon_status status; /* of the first question that could not be answered */
} privacy;

static bool group_keeps(const kanon__patch *p, int32_t group, privacy *asked)
{
    bool keeps = false;
    int32_t size = p->groups[group].size;
    const int32_t *members = kanon__patch_members(p, group);
    for (int32_t i = 0; i < size; i++)
        asked->rows[i] = p->rows[members[i]];
    kanon_status st = kanon__constraints_hold_rows(&keeps, asked->constraints, asked->rows, size, NULL);
    if (st != KANON_OK && asked->status == KANON_OK)
        asked->status = st;
    return st == KANON_OK && keeps;
}

/* The guard of the moves: every group that lost or got a record keeps its constraints. */
static bool groups_keep(const kanon__patch *p, const kanon__lifted *lifted, int64_t n, void *payload)
{
    for (int64_t i = 0; i < n; i++) {
        int32_t from = lifted[i].from, to = p->group_of[lifted[i].record];
        if (p->groups[from].size > 0 && !group_keeps(p, from, payload))
            return false;
        if (to != from && !group_keeps(p, to, payload))
            return false;
    }
    return true;
}

/* Where much is lost there is much to gain. */
static int64_t moves_of_region(const searching *s, const kanon__patch *patch)
{
    static const double BY_LOSS = 0.7;
    double by_records = (double)patch->n / (double)s->regions.row_begins[s->board.n_groups];
    double by_loss = s->board.loss > 0 ? (double)patch->loss / (double)s->board.loss : by_records;
    return (int64_t)ceil((double)s->cooling.moves * (BY_LOSS * by_loss + (1 - BY_LOSS) * by_records));
}

static kanon_status search_region(int64_t region, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    searching *s = payload;
    const kanon__regions *r = &s->regions;
    kanon__patch patch = {0};
    kanon__mover mover = {0};
    privacy asked = {.constraints = s->run->constraints};
    kanon__ticker ticker;
    kanon__cooling cooling = s->cooling;
    kanon__shared_ticker_task(&ticker, s->ticker);
    KANON_TRY(kanon__region_take(&patch, r, region, err), out);
    cooling.moves = moves_of_region(s, &patch);
    KANON_TRY(kanon__mover_init(&mover, &patch, s->run->seed, stream_of(s->round, region + 1), err), out);
    if (asked.constraints != NULL) {
        KANON_TRY(kanon__new_array(&asked.rows, patch.n, "a group", err), out);
        mover.guard = groups_keep;
        mover.payload = &asked;
    }
    kanon__mover_split_all(&mover);
    KANON_TRY(kanon__anneal(&mover, &cooling, &ticker, err), out);
    if (asked.status != KANON_OK) {
        st = kanon__fail(err, asked.status, "out of memory for the constraints of a group");
        goto out;
    }
    kanon__region_return(r, region, &patch);
    s->losses[region] = patch.loss;
out:
    kanon__free(asked.rows);
    kanon__mover_clear(&mover);
    kanon__patch_clear(&patch);
    return st;
}

/* Number the groups without gaps, by their first rows. */
static kanon_status close_ranks(kanon__board *b, int32_t n_numbers, kanon_error *err)
{
    int32_t *number = NULL, n = 0; /* by group: its new number plus 1 */
    kanon_status st = kanon__new_array(&number, n_numbers, "groups", err);
    for (int64_t row = 0; st == KANON_OK && row < b->space->n_rows; row++) {
        int32_t group = b->group_of[row];
        if (group < 0)
            continue;
        if (number[group] == 0)
            number[group] = ++n;
        b->group_of[row] = number[group] - 1;
    }
    b->n_groups = n;
    kanon__free(number);
    return st;
}

static void keep_best(searching *s)
{
    if (s->board.loss >= s->best_loss)
        return;
    s->best_loss = s->board.loss;
    s->n_best_groups = s->board.n_groups;
    memcpy(s->best, s->board.group_of, (size_t)s->board.space->n_rows * sizeof *s->best);
}

/* Of a region, out of n. */
static int64_t most_records(int64_t n, int64_t k)
{
    int64_t share = n / REGIONS, most = share < LEAST_REGION ? LEAST_REGION : share > MOST_REGION ? MOST_REGION : share;
    return most / k < REGION_GROUPS ? k * REGION_GROUPS : most;
}

static kanon_status search_round(searching *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__random random;
    kanon__random_init(&random, s->run->seed, stream_of(s->round, 0));
    KANON_TRY(kanon__regions_init(&s->regions, &s->board, most_records(s->board.space->n_rows, s->run->k), &random, err),
              out);
    KANON_TRY(kanon__new_array(&s->losses, s->regions.n_regions, "regions", err), out);
    KANON_TRY(kanon__pool_run(s->run->threads, s->regions.n_regions, search_region, s, err), out);
    s->board.loss = 0;
    for (int64_t i = 0; i < s->regions.n_regions; i++)
        s->board.loss += s->losses[i];
    KANON_TRY(close_ranks(&s->board, s->regions.n_numbers, err), out);
    keep_best(s);
    s->done += s->cooling.moves;
    s->round++;
out:
    kanon__free(s->losses);
    s->losses = NULL;
    kanon__regions_clear(&s->regions);
    return st;
}

/* ---- all rounds -------------------------------------------------------------------------------------------------- */

/* How much of the work is done, from 0 to 1. */
static double share_done(const searching *s)
{
    double by_moves = s->schedule.moves > 0 ? (double)s->done / (double)s->schedule.moves : 0;
    double by_time = s->schedule.seconds > 0 ? (kanon__seconds() - s->begin) / s->schedule.seconds : 0;
    double share = by_moves > by_time ? by_moves : by_time;
    return share < 1 ? share : 1;
}

/* The moves of the next round. Only a search with a limit in time looks at the clock. */
static int64_t moves_of_round(const searching *s, int64_t rounds)
{
    double wanted = s->schedule.moves > 0 ? ceil((double)s->schedule.moves / (double)rounds) : INFINITY;
    if (s->schedule.seconds > 0) {
        double spent = kanon__seconds() - s->begin;
        double by_time = s->done > 0 ? (double)s->done / spent * s->schedule.seconds / (double)rounds
                                     : 2.0 * (double)s->board.space->n_rows;
        wanted = by_time < wanted ? by_time : wanted;
    }
    if (s->schedule.moves > 0 && wanted > (double)(s->schedule.moves - s->done))
        wanted = (double)(s->schedule.moves - s->done);
    return wanted > 1 ? (int64_t)wanted : 1;
}

static double temperature_at(const searching *s, double share, int64_t n_starts)
{
    double within = share * (double)n_starts;
    within = (within - floor(within)) / (1 - DESCENT);
    return share >= 1 || within >= 1 ? 0 : s->unit * s->schedule.hot * pow(s->schedule.cold / s->schedule.hot, within);
}

static void report(searching *s)
{
    double scale = (double)s->board.space->scale, spent = kanon__seconds() - s->begin;
    snprintf(s->detail, sizeof s->detail, "loss %.6g, %.1f M moves/s", (double)s->best_loss / scale,
             (double)s->done / (spent > 0 ? spent : 1) * 1e-6);
}

static kanon_status run_rounds(searching *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = s->board.space->n_rows;
    int64_t n_starts = s->schedule.moves > 0 ? s->schedule.moves / (n * (n + MOVES_PER_START)) : 1, told = 0;
    n_starts = n_starts < 1 ? 1 : n_starts > MOST_STARTS ? MOST_STARTS : n_starts;
    int64_t n_rounds = s->schedule.n_rounds * n_starts;
    for (double share = share_done(s); share < 1 && !s->ticker->finish; share = share_done(s)) {
        s->cooling.moves = moves_of_round(s, n_rounds);
        double end = share + 1.0 / (double)n_rounds;
        s->cooling.hot = temperature_at(s, share, n_starts);
        s->cooling.cold = temperature_at(s, end, n_starts);
        s->cooling.cold = s->cooling.cold > 0 && s->cooling.cold < s->cooling.hot ? s->cooling.cold : s->cooling.hot;
        KANON_TRY(search_round(s, err), out);
        report(s);
        kanon__shared_ticker_add(s->ticker, (int64_t)(share_done(s) * 1000) - told);
        told = (int64_t)(share_done(s) * 1000);
    }
out:
    return st;
}

/* The caller wants what there is: what is still warm is cooled down at once. */
static kanon_status quench(searching *s, kanon_error *err)
{
    enum { MOVES = 20 }; /* per record */
    s->run->ticker->anytime = false;
    s->ticker->finish = false;
    s->cooling.hot = s->cooling.cold = 0;
    s->cooling.moves = MOVES * s->board.space->n_rows;
    return search_round(s, err);
}

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static kanon_status set_board(kanon__board *b, kanon__run *run, int64_t n_near, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = run->space->n_rows;
    *b = (kanon__board){.space = run->space, .k = run->k, .n_groups = run->n_groups};
    KANON_TRY(kanon__costs_new(&b->costs, run->space, err), out);
    KANON_TRY(kanon__tuples_new(&b->tuples, run->space, err), out);
    KANON_TRY(kanon__near_new(&b->near, run->space, b->tuples, n_near, run->threads, run->ticker, err), out);
    KANON_TRY(kanon__new_array(&b->place_of, n, "records", err), out);
    KANON_TRY(kanon__new_array(&b->rows, n, "records", err), out);
    KANON_TRY(kanon__new_array(&b->group_of, n, "groups", err), out);
    for (int64_t place = 0, at = 0; place < b->tuples->n; place++) {
        int64_t tuple = b->near->index->order[place];
        for (int64_t i = b->tuples->begins[tuple]; i < b->tuples->begins[tuple + 1]; i++) {
            b->rows[at++] = b->tuples->rows[i];
            b->place_of[b->tuples->rows[i]] = (int32_t)place;
        }
    }
    memcpy(b->group_of, run->group_of, (size_t)n * sizeof *b->group_of);
out:
    return st;
}

static void clear_board(kanon__board *b)
{
    kanon__free(b->group_of);
    kanon__free(b->rows);
    kanon__free(b->place_of);
    kanon__near_free(b->near);
    kanon__tuples_free(b->tuples);
    kanon__costs_free(b->costs);
}

/* The loss to begin with, and what a record that loses anything loses on average: the unit of temperature. */
static kanon_status measure_start(searching *s, kanon_error *err)
{
    kanon__clusters c;
    const kanon__board *b = &s->board;
    kanon_status st = kanon__clusters_init(&c, b->space, b->n_groups, err);
    if (st != KANON_OK)
        return st;
    int64_t n_losing = 0;
    for (int64_t row = 0; row < b->space->n_rows; row++)
        if (b->group_of[row] >= 0)
            kanon__clusters_join(&c, b->group_of[row], row);
    for (int64_t group = 0; group < b->n_groups; group++) {
        int64_t units = kanon__box_units(b->space, kanon__clusters_box(&c, group));
        s->best_loss += c.sizes[group] * units;
        n_losing += units > 0 ? c.sizes[group] : 0;
    }
    s->board.loss = s->best_loss;
    s->unit = n_losing > 0 ? (double)s->best_loss / (double)n_losing : 0;
    kanon__clusters_clear(&c);
    return KANON_OK;
}

/* ---- the schedule ------------------------------------------------------------------------------------------------ */

static int64_t moves_of_effort(const kanon__settings *settings, int64_t n, int64_t k)
{
    int64_t moves = n * MOVES_PER_RECORD;
    if (kanon__setting_is(settings, "effort", "best"))
        moves *= BEST_FACTOR;
    else if (moves > MOST_MOVES)
        moves = n > MOST_MOVES / LARGE_TABLE_MOVES ? n * LARGE_TABLE_MOVES : MOST_MOVES;
    moves = moves / (K_OF_HALF + k) * K_OF_HALF; /* with large groups a move takes longer */
    return moves > LEAST_MOVES ? moves : LEAST_MOVES;
}

static double between(double least, double value, double most)
{
    return value < least ? least : value > most ? most : value;
}

/* A few moves for each record do not make up for a hot beginning, nor for looking around far. */
static schedule choose_schedule(const kanon__settings *settings, int64_t n, int64_t k)
{
    static const double HOT = 1.2, COLD = 0.03, PLENTY = 600;
    schedule s = {.moves = kanon__setting_integer(settings, "moves"),
                  .seconds = kanon__setting_number(settings, "time-limit")};
    if (s.moves == 0 && s.seconds == 0)
        s.moves = moves_of_effort(settings, n, k);
    double by_time = s.seconds > 0 ? s.seconds * MOVES_PER_SECOND : INFINITY;
    double per_record = (s.moves > 0 && (double)s.moves < by_time ? (double)s.moves : by_time) / (double)n;
    s.n_rounds = (int64_t)between(2, per_record / 6, 64);
    s.n_near = (int64_t)between(6, per_record / 4, 24);
    s.hot = HOT * pow(between(0.01, per_record / PLENTY, 1), 0.55);
    s.cold = COLD * pow(between(0.01, per_record / PLENTY, 1), 0.3);
    return s;
}

/* Whether nothing is to be done. */
static bool rests(const kanon__settings *settings)
{
    return kanon__setting_integer(settings, "moves") == 0 && kanon__setting_number(settings, "time-limit") == 0 &&
           kanon__setting_is(settings, "effort", "fast");
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static kanon_status run_search(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    searching *s = NULL;
    kanon__shared_ticker shared;
    if (rests(run->settings))
        return KANON_OK;
    kanon__shared_ticker_init(&shared, run->ticker, 1000);
    KANON_TRY(kanon__new_array(&s, 1, "the search", err), out);
    s->run = run;
    s->ticker = &shared;
    s->begin = kanon__seconds();
    s->schedule = choose_schedule(run->settings, run->space->n_rows, run->k);
    kanon__chances_fill(s->chances);
    s->cooling.chances = s->chances;
    KANON_TRY(set_board(&s->board, run, s->schedule.n_near, err), out);
    KANON_TRY(measure_start(s, err), out);
    KANON_TRY(kanon__new_array(&s->best, run->space->n_rows, "groups", err), out);
    memcpy(s->best, run->group_of, (size_t)run->space->n_rows * sizeof *s->best);
    s->n_best_groups = run->n_groups;
    run->ticker->detail = s->detail;
    run->ticker->anytime = true;
    if (s->best_loss > 0)
        KANON_TRY(run_rounds(s, err), out);
    if (shared.finish)
        KANON_TRY(quench(s, err), out);
    memcpy(run->group_of, s->best, (size_t)run->space->n_rows * sizeof *s->best);
    run->n_groups = s->n_best_groups;
out:
    run->ticker->anytime = false;
    run->ticker->detail = NULL;
    if (s != NULL) {
        kanon__free(s->best);
        clear_board(&s->board);
    }
    kanon__free(s);
    kanon__shared_ticker_clear(&shared);
    return st;
}

/* The board has all records, a patch those of a region; there are as many patches as threads. */
static int64_t need(const kanon__settings *given, const kanon__data *t, const kanon__constraints *constraints, int64_t k,
                    int threads)
{
    int64_t n = t->n_rows, m = t->n_quasi;
    enum { BOARD = 64, BOARD_CELL = 20, NEIGHBOUR = 4, PATCH = 94, PATCH_CELL = 36 };
    int64_t region = k < n ? most_records(n, k) : n, n_in_patches = region < n / threads ? region * threads : n;
    (void)constraints; /* they are asked group by group */
    if (rests(given) || n == 0)
        return 0;
    int64_t near = NEIGHBOUR * choose_schedule(given, n, k).n_near;
    return n * (BOARD + near + BOARD_CELL * m) + n_in_patches * (PATCH + near + PATCH_CELL * m) + kanon__costs_need(t);
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
     .help = "how many seconds the search takes; the groups then depend on how fast the machine is"},
    {.name = "effort",
     .type = KANON_SETTING_CHOICE,
     .default_value = "balanced",
     .choices = "fast|balanced|best",
     .help =
         "how many moves where nothing else is said: none; some seconds' worth, more only on very large tables; or at least "
         "eight times as many"},
};

const kanon__refinement kanon__refinement_search = {
    .info =
        {.name = "search",
         .summary = "look for groups with less loss by simulated annealing",
         .advice =
             "The lowest loss, for as much time as you give it: a second is worth it, a minute finds a few percent more. "
             "Begin with densest or top-down. Can be ended at any time with the best groups so far.",
         .source = "Kirkpatrick, Gelatt, Vecchi: Optimization by simulated annealing, Science 220, 1983; Schrimpf et al.: "
                   "Record breaking optimization results using the ruin and recreate principle, J. Comp. Phys. 159, 2000",
         .revision = 3,
         .settings = settings,
         .n_settings = sizeof settings / sizeof *settings},
    .run = run_search,
    .need = need,
};
