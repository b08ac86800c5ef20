/* Chooses the plan of a search (search_plan.h).
 *
 *   1. The number of moves follows from the effort, the records, k and the attributes, unless it is set.
 *   2. A block of a table gets its share of the moves that the whole table would get.
 *   3. Rounds, neighbours and temperatures follow from the moves for each record. With a time limit the moves are an
 *      estimate, until the speed is known. */
#include "refine/anneal/search_plan.h"

#include "refine/anneal/mix.h"

#include <math.h>

enum {
    MOVES_PER_RECORD = 2000,
    MOST_MOVES = 27000000,       /* at most so many, */
    LARGE_TABLE_MOVES = 27,      /* or so many per record, whichever is more */
    K_OF_HALF = 10,              /* a move takes longer for larger k: half as many moves for this k, a third for twice it; */
    K_OF_HALF_ALONE = 12,        /* the same where no slabs are moved */
    FEW_QUASI = 20,              /* with more attributes than this, too: half as many moves with twice as many */
    LEAST_MOVES = 20000,
    FAST_RECORDS = 300000,       /* effort=fast: of more records finding the neighbours alone takes long */
    FAST_PER_RECORD = 20,        /* so many per record, */
    FAST_MOST = 2000000,         /* at most so many, */
    FAST_LEAST = 100000,         /* at least so many, */
    FAST_SMALL_PER_RECORD = 100, /* but at most so many per record; */
    FAST_LEAVES = 32,            /* near tuples are as good as the nearest ones there */
    BEST_FACTOR = 8,             /* effort=best: so many times as many, */
    BEST_PER_RECORD = 8000,      /* or so many per record, whichever is more */
    CONSTRAINED_FACTOR = 2,      /* with constraints there is more to find */
    MOVES_PER_SECOND = 2000000,  /* an estimate, until the speed is measured */
};

/* ---- 1: moves ---------------------------------------------------------------------------------------------------- */

static int64_t balanced_moves(int64_t n)
{
    int64_t moves = n * MOVES_PER_RECORD;
    if (moves <= MOST_MOVES)
        return moves;
    return n > MOST_MOVES / LARGE_TABLE_MOVES ? n * LARGE_TABLE_MOVES : MOST_MOVES;
}

/* A fraction of a second's worth; 0: none. */
static int64_t fast_moves(int64_t n)
{
    int64_t moves = n * FAST_PER_RECORD, small = n * FAST_SMALL_PER_RECORD;
    if (n > FAST_RECORDS)
        return 0;
    if (moves < FAST_LEAST)
        return small < FAST_LEAST ? small : FAST_LEAST;
    return moves < FAST_MOST ? moves : FAST_MOST;
}

static int64_t best_moves(int64_t n)
{
    int64_t moves = BEST_FACTOR * balanced_moves(n);
    return moves > n * BEST_PER_RECORD ? moves : n * BEST_PER_RECORD;
}

/* So that a move that takes longer is tried less often. */
static int64_t by_cost(int64_t moves, int n_quasi, int64_t k)
{
    int64_t half = k < KANON__SLABS_FROM ? K_OF_HALF_ALONE : K_OF_HALF;
    moves = moves / (half + k) * half;
    return n_quasi > FEW_QUASI ? moves / n_quasi * FEW_QUASI : moves;
}

static int64_t at_least(int64_t least, int64_t moves)
{
    return moves > least ? moves : least;
}

int64_t kanon__search_plan_moves(const kanon__settings *settings, int64_t n_rows, int n_quasi, int64_t k)
{
    if (kanon__setting_is(settings, "effort", "fast"))
        return by_cost(fast_moves(n_rows), n_quasi, k);
    bool best = kanon__setting_is(settings, "effort", "best");
    return at_least(LEAST_MOVES, by_cost(best ? best_moves(n_rows) : balanced_moves(n_rows), n_quasi, k));
}

bool kanon__search_plan_is_short(const kanon__settings *settings)
{
    return kanon__setting_is(settings, "effort", "fast") && kanon__setting_integer(settings, "moves") == 0 &&
           kanon__setting_number(settings, "time-limit") == 0;
}

/* Under constraints a search takes time: to repair what a short one leaves violated mostly costs more than it has gained,
 * though not under distinct l-diversity. Tables are cut into blocks where they are large or memory is short. */
bool kanon__search_plan_is_off(const kanon__settings *settings, const kanon__searched_table *t)
{
    return kanon__search_plan_is_short(settings) &&
           (t->constrained || t->in_blocks || kanon__search_plan_moves(settings, t->n_whole, t->n_quasi, t->k) == 0);
}

/* ---- 3: the schedule --------------------------------------------------------------------------------------------- */

/* With few moves for each record, the search does not recover from a high first temperature, and a wide neighbourhood is not
 * worth the time to find it. With large k it takes fewer moves to recover, since slabs move many records at once; and what
 * they change costs more at a time, so that the last temperature is higher. */
void kanon__search_plan_schedule(kanon__search_plan *p, double moves, int64_t n, int64_t k)
{
    static const double HOT = 1.2, COLD = 0.002, PLENTY = 3000;
    double per_record = moves / (double)n, plenty = PLENTY / kanon__between(5, (double)k, 50);
    double enough = kanon__between(0.01, per_record / plenty, 1);
    p->n_rounds = (int64_t)kanon__between(2, per_record / 6, 64);
    if (p->n_neighbours == 0)
        p->n_neighbours = (int64_t)kanon__between(6, per_record / 4, 24);
    p->hot = HOT * pow(enough, 0.55);
    p->cold = kanon__between(0.03, COLD * (double)k, 0.2) * pow(enough, 0.3);
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* 2. The part of a number of moves that n of n_whole records get. */
static int64_t share_of(int64_t moves, int64_t n, int64_t n_whole)
{
    return moves > 0 ? (int64_t)((__int128)moves * n / n_whole) + 1 : moves;
}

kanon__search_plan kanon__search_plan_choose(const kanon__settings *settings, const kanon__searched_table *t)
{
    kanon__search_plan p = {
        .moves = kanon__setting_integer(settings, "moves"),
        .seconds = kanon__setting_number(settings, "time-limit"),
        .n_neighbours = kanon__setting_integer(settings, "neighbours"),
        .most_leaves = kanon__search_plan_is_short(settings) ? FAST_LEAVES : 0,
        .stop_after = kanon__setting_given(settings, "stop-after") ? kanon__setting_integer(settings, "stop-after") : -1};
    if (p.moves == 0 && p.seconds == 0) {
        p.moves = kanon__search_plan_moves(settings, t->n_whole, t->n_quasi, t->k);
        p.moves *= t->constrained ? CONSTRAINED_FACTOR : 1;
    }
    if (t->n_rows < t->n_whole) {
        p.moves = share_of(p.moves, t->n_rows, t->n_whole);
        p.stop_after = share_of(p.stop_after, t->n_rows, t->n_whole);
    }
    double by_time = p.seconds > 0 ? p.seconds * MOVES_PER_SECOND : INFINITY;
    kanon__search_plan_schedule(&p, p.moves > 0 && (double)p.moves < by_time ? (double)p.moves : by_time, t->n_rows, t->k);
    return p;
}

kanon__search_plan kanon__search_plan_balanced(const kanon__search_plan *plan, const kanon__searched_table *t)
{
    int64_t moves = at_least(LEAST_MOVES, by_cost(balanced_moves(t->n_rows), t->n_quasi, t->k));
    moves *= t->constrained ? CONSTRAINED_FACTOR : 1;
    kanon__search_plan p = {.moves = moves, .seconds = plan->seconds, .stop_after = plan->stop_after};
    kanon__search_plan_schedule(&p, (double)moves, t->n_rows, t->k);
    return p;
}
