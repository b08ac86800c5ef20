/* The moves of the local search: tries one random change of a region's groups at a time.
 *
 * A move is a list of records with the groups that they go to. There are two ways to make one:
 *
 *     kanon__move_add, kanon__move_commit     the change of the loss is known before anything has changed
 *     kanon__move_take, kanon__move_accept    records are taken out and put elsewhere one by one, and put back where the
 *                                             loss has grown too much
 *
 * Where constraints have a price (prices.h), either looks at it, too. Between two steps every record is in a group or
 * suppressed, and every group has at least k records. */
#ifndef KANON_REFINE_ANNEAL_MOVES_H
#define KANON_REFINE_ANNEAL_MOVES_H

#include "core/random.h"
#include "refine/anneal/mix.h"
#include "refine/anneal/moves_slab.h"
#include "refine/anneal/regroup_pool.h"

#include <math.h>

/* Looking at so many records takes about as long as a plain move. */
enum { KANON__RECORDS_A_MOVE = 12 };

typedef struct kanon__move_engine {
    kanon__region *region;
    kanon__prices *prices; /* of violations; NULL: there are no constraints */
    kanon__random random;
    kanon__mix mix;
    int64_t threshold; /* how much loss and prices together may grow in this step, */
    int64_t allowed;   /* and the loss alone: more where the group pays for a violation */
    int64_t slack;     /* how much parts of a slab move may cost beyond that: about the temperature */
    int32_t window_begin, window_size; /* steps begin with records of this window, which wraps around at the end */
    kanon__move *moves;                /* of this step, in order; with kanon__move_take a record may occur twice */
    int64_t n_moves;
    int64_t work;              /* of this step: records that were looked at, where constraints make groups large */
    kanon__regroup_pool pool;  /* for regroup moves, */
    int32_t *targets;          /* with the group that each of its records goes to */
    int32_t *scratch;          /* records of a group that is split, */
    uint32_t *bounds;          /* and a box */
    kanon__group_lists lists;  /* for slabs, and for groups that are far larger than k */
    kanon__slab_workspace slabs;
} kanon__move_engine;

kanon_status kanon__move_engine_init(kanon__move_engine *out, kanon__region *region, uint64_t seed, uint64_t stream,
                                     kanon_error *err);
/* From now on violations have a price. Comes before kanon__move_engine_use_slabs. */
kanon_status kanon__move_engine_use_prices(kanon__move_engine *engine, const kanon__constraints *constraints, double price,
                                           kanon_error *err);
/* From now on some steps move slabs; the region's groups are listed as they are now. */
kanon_status kanon__move_engine_use_slabs(kanon__move_engine *engine, kanon_error *err);
/* From now on some steps suppress records, if the region may do so. */
void kanon__move_engine_use_suppression(kanon__move_engine *engine);
void kanon__move_engine_clear(kanon__move_engine *engine);
/* Try one random move. Returns for how many moves more it counts: with constraints a number of moves is to take the
 * same time, however large they make the groups. */
int64_t kanon__move_engine_step(kanon__move_engine *engine);
/* Split groups of 2k records and more. The loss does not grow. */
void kanon__move_engine_split_all(kanon__move_engine *engine);

/* ---- kinds of moves ---------------------------------------------------------------------------------------------- */

/* A move that begins with this record. `random`: of its step, the upper bits are still to be used; `rest`: which draw
 * of the share of this kind it is. */
#define KANON_MOVE(name) void kanon__move_##name(kanon__move_engine *engine, int32_t record, uint64_t random, int32_t rest);
#include "refine/anneal/moves.def"
#undef KANON_MOVE

/* Try to bring a suppressed record back into a group, by itself or in the place of another one. */
void kanon__move_return(kanon__move_engine *engine, int32_t record);

/* ---- for the moves themselves ------------------------------------------------------------------------------------ */

/* The record goes to this group. */
static inline void kanon__move_add(kanon__move_engine *e, int32_t record, int32_t to)
{
    e->moves[e->n_moves++] = (kanon__move){record, e->region->group_of[record], to};
}

/* Carry out the list, each record of which occurs once and which changes the loss by `delta`, if that and what prices
 * change by are within the threshold. Without prices `grown` (-1: none) is split if it has 2k records then. Whether it
 * was done. */
bool kanon__move_commit(kanon__move_engine *engine, int64_t delta, int32_t grown);
/* Carry out the list, to be accepted or rejected afterwards. */
void kanon__move_carry_out(kanon__move_engine *engine);
/* Take a record out of where it is, and note it; the move puts it elsewhere before it ends. */
void kanon__move_take(kanon__move_engine *engine, int32_t record);
/* The same at once. */
void kanon__move_put(kanon__move_engine *engine, int32_t record, int32_t to);
/* End a move that was carried out: keep it, or put everything back. Whether it was kept. */
bool kanon__move_accept(kanon__move_engine *engine, int64_t loss_before);
void kanon__move_reject(kanon__move_engine *engine);
/* Move half of a group of 2k records or more to an empty slot. */
void kanon__move_split(kanon__move_engine *engine, int32_t group);

/* A group near the record other than its own, or one a step further; of groups far larger than k often one that is
 * listed. -1: none was drawn. */
int32_t kanon__draw_group(kanon__move_engine *engine, int32_t record);

/* Try to make one of two groups, the first of which is that of the record that the step began with. */
void kanon__merge_groups(kanon__move_engine *engine, int32_t from, int32_t to);

/* What the group pays for its violation now. */
static inline int64_t kanon__paid(const kanon__move_engine *e, int32_t group)
{
    const kanon__prices *p = e->prices;
    return p != NULL && p->violations[group] > 0 ? kanon__price_of(p, p->violations[group]) : 0;
}

/* D of a group relative to the average record's. */
static inline double kanon__relative_units(const kanon__region *r, int32_t group)
{
    int64_t loss = r->loss - r->n_suppressed * r->full;
    return loss > 0 ? (double)r->groups[group].units * (r->n - r->n_suppressed) / (double)loss : 1;
}

/* The threshold of a step that begins in a group with this relative D: higher for groups above the average. What a move
 * changes is in proportion to the D of its groups. Where values have long tails, a few groups hold most of the loss,
 * and at a temperature for the average group they would never change. The square root is between one temperature for
 * all groups and one in proportion to D. */
static inline int64_t kanon__local_threshold(int64_t threshold, double relative)
{
    return relative > 1 ? (int64_t)((double)threshold * sqrt(relative)) : threshold;
}

/* A number below n out of 32 random bits. */
static inline int32_t kanon__scaled(uint32_t random, int32_t n)
{
    return (int32_t)((uint64_t)random * (uint32_t)n >> 32);
}

static inline int32_t kanon__draw_member(kanon__move_engine *e, int32_t group)
{
    const kanon__region *r = e->region;
    return kanon__region_members(r, group)[kanon__scaled((uint32_t)kanon__random_next(&e->random), r->groups[group].size)];
}

/* A random record of a random neighbouring tuple, suppressed or not, possibly the record itself; -1: the region has no
 * neighbour of it. */
static inline int32_t kanon__draw_any_near(kanon__move_engine *e, int32_t record)
{
    const kanon__region *r = e->region;
    int32_t tuple = r->tuple_of[record], begin = r->neighbour_begins[tuple], n = r->neighbour_begins[tuple + 1] - begin;
    if (n == 0)
        return -1;
    uint64_t random = kanon__random_next(&e->random);
    tuple = r->neighbours[begin + kanon__scaled((uint32_t)random, n)];
    begin = r->tuple_begins[tuple];
    return begin + kanon__scaled((uint32_t)(random >> 32), r->tuple_begins[tuple + 1] - begin);
}

/* The same; -1 also where the one that was drawn is suppressed. */
static inline int32_t kanon__draw_near(kanon__move_engine *e, int32_t record)
{
    int32_t near = kanon__draw_any_near(e, record);
    return near >= 0 && e->region->group_of[near] >= 0 ? near : -1;
}

#endif
