/* The price of violated constraints in the local search.
 *
 * With constraints the search minimises loss + price * violation (docs/algorithms.md). The violation of a group is a whole
 * number that its models compute (constraints.h); this file keeps the tallies of a region's groups, their violations, and
 * what a list of moves would change about them. The price rises from round to round: at first groups that violate a
 * constraint are stepping stones, in the end they cost more than any loss.
 *
 *     kanon__penalty_try     the tallies are as if the moves had been made; returns the change of the violation
 *     kanon__penalty_keep    they have been made
 *     kanon__penalty_undo    they have not
 *
 * Called by penalised_moves.c, penalised_cuts.c and anneal_search.c. Calls the tallies and region.h. */
#ifndef KANON_REFINE_ANNEAL_PENALTY_H
#define KANON_REFINE_ANNEAL_PENALTY_H

#include "constraints/constraints.h"
#include "refine/anneal/group_lists.h"
#include "refine/anneal/move_engine.h"

/* Cuts take at most so many records. */
enum { KANON__MOST_POOLED = 512 };

/* A record, the group that it leaves and the one that it goes to; KANON__NO_GROUP: it was or will be suppressed. */
typedef struct kanon__penalised_move {
    int32_t record, from, to;
} kanon__penalised_move;

typedef struct kanon__penalty {
    const kanon__constraints *constraints;
    kanon__region *region;
    kanon__move_engine *engine;
    kanon__tally *tallies; /* by slot, of its members */
    int64_t *violations;   /* by slot; 0 where it is empty */
    int64_t total;         /* their sum */
    int64_t loss;          /* of the region, when the last move ended */
    double price;          /* units of loss for a unit of violation */
    uint32_t *value_of;    /* by record: its value of the first column that is counted */
    bool by_value;         /* records of equal values change places without a change of any violation */
    /* the moves at hand */
    kanon__penalised_move *moves; /* room for all records, */
    int32_t n_moves;
    int64_t limit;    /* how much loss and price together may grow in this step */
    int32_t *touched; /* the groups that are left or joined, */
    int32_t n_touched;
    int64_t *after;                                /* their violations then, */
    bool *is_marked;                               /* and by slot, whether it is one of them */
    kanon__group_lists lists;                      /* of groups that are far larger than k, */
    int32_t list_share;                            /* which of 16 near groups so many are drawn from */
    int32_t trade_share;                           /* of 16 moves of single records */
    int32_t sort_share;                            /* of 16 cuts of two groups, so many sort out */
    int32_t regroup_share, cut_share, split_share; /* of 4096 steps; cuts of one group in two are part of the cuts */
    /* scratch of penalised_cuts.c */
    kanon__tally sides[2]; /* empty between moves */
    uint32_t *box;         /* of a group */
    int32_t *quota;        /* by value, 0 between moves */
    /* rooms of members: groups may outgrow 2k */
    int64_t members_end, members_capacity;
    int64_t work;        /* of the step at hand: records that were looked at */
    kanon_status status; /* of the first allocation that failed; every later move is rejected */
} kanon__penalty;

/* The penalty of a region at this price; from then on the engine's moves are accepted by it. */
kanon_status kanon__penalty_init(kanon__penalty *out, const kanon__constraints *constraints, kanon__move_engine *engine,
                                 double price, kanon_error *err);
void kanon__penalty_clear(kanon__penalty *penalty);
/* Bytes for so many records. */
int64_t kanon__penalty_need(const kanon__constraints *constraints, int64_t n_records, int64_t k);

/* What the moves in `moves` change about the violation. They must be kept or undone before anything else. */
int64_t kanon__penalty_try(kanon__penalty *penalty);
void kanon__penalty_keep(kanon__penalty *penalty);
void kanon__penalty_undo(kanon__penalty *penalty);
/* Carry out the moves in `moves`, which change the loss by `delta`, unless that and the price of the violation exceed the
 * threshold of the step. Whether they were carried out. The caller has looked after sizes of at least k. */
bool kanon__penalty_move(kanon__penalty *penalty, int64_t delta);

/* What a violation costs, in units of loss. */
static inline int64_t kanon__penalty_cost(const kanon__penalty *p, int64_t violation)
{
    double cost = p->price * (double)violation;
    return cost < -4e18 ? INT64_MIN / 2 : cost > 4e18 ? INT64_MAX / 2 : (int64_t)cost;
}

static inline void kanon__penalty_add_move(kanon__penalty *p, int32_t record, int32_t to)
{
    p->moves[p->n_moves++] = (kanon__penalised_move){record, p->region->group_of[record], to};
}

/* One random move at the price of violations; penalised_moves.c. Returns for how many moves more it counts, by the records
 * that it looked at: a number of moves is to take the same time, however large constraints make the groups. */
int64_t kanon__penalised_step(kanon__penalty *penalty);
/* Cut two groups (or one: left == right) anew where loss and violations cost least; penalised_cuts.c. */
void kanon__penalised_recut(kanon__penalty *penalty, int32_t left, int32_t right);
/* Records of two groups change sides, as many of each value as before on either; penalised_cuts.c. */
void kanon__penalised_sort_out(kanon__penalty *penalty, int32_t left, int32_t right);

#endif
