/* The move engine: tries one random change of a region's groups at a time.
 *
 * A move works like a transaction. It removes records from their groups, which logs each removal, adds them to other
 * groups, and ends in kanon__move_engine_accept. That keeps the new groups where the loss has grown by no more than the
 * threshold of this step and the check agrees; else it puts every logged record back.
 *
 * Between two steps the log is empty, every record is in a group or suppressed, and every group has at least k records.
 *
 * Called by annealing.c and anneal_search.c. Calls region.h; regroup_moves.c implements the moves on whole groups with the
 * help of regroup_pool.h, slab_moves.c those of many records at once, suppress_moves.c those to and from the suppressed. */
#ifndef KANON_REFINE_ANNEAL_MOVE_ENGINE_H
#define KANON_REFINE_ANNEAL_MOVE_ENGINE_H

#include "core/random.h"
#include "refine/anneal/regroup_pool.h"
#include "refine/anneal/slab_moves.h"

#include <math.h>

/* From this k on slabs are moved: in smaller groups a slab is hardly more than a record. */
enum { KANON__SLABS_FROM = 4 };

/* A record that was taken out of its group, and that group; KANON__NO_GROUP: it was suppressed. */
typedef struct kanon__removed_record {
    int32_t record, from;
} kanon__removed_record;

/* Whether the groups that the removed records left and joined satisfy the constraints. They have at least k records. */
typedef bool (*kanon__move_check)(const kanon__region *region, const kanon__removed_record *removed, int64_t n,
                                  void *payload);

typedef struct kanon__move_engine {
    kanon__region *region;
    kanon__random random;
    int64_t threshold;                 /* how much the loss may grow in this step; INT64_MIN: the move has failed */
    int32_t window_begin, window_size; /* steps begin with records of this window, which wraps around at the end */
    int32_t regroup_share;             /* of 4096 steps, so many regroup, */
    int32_t most_groups;               /* each time at most so many groups */
    kanon__move_check check;           /* NULL: there are no constraints in addition to k */
    void *payload;                     /* of `check` */
    struct kanon__penalty *penalty;    /* the price of violations (penalty.h); NULL: there are no constraints */
    kanon__removed_record *removed;    /* the log of this step, in order; a record may occur twice */
    int64_t n_removed;
    int32_t *scratch;         /* records of a step */
    kanon__regroup_pool pool; /* for regroup moves, */
    int32_t *targets;         /* with the group that each of its records goes to */
    uint32_t *bounds;         /* of a box, while a split is evaluated */
    int32_t slab_share;       /* of 4096 steps, so many move slabs, with */
    kanon__slab_workspace slabs;
    int32_t suppress_share; /* of 4096 steps, so many suppress records; 0: none may be */
    int64_t slack;          /* how much parts of a slab move may cost beyond the threshold: about the temperature */
} kanon__move_engine;

kanon_status kanon__move_engine_init(kanon__move_engine *out, kanon__region *region, uint64_t seed, uint64_t stream,
                                     kanon_error *err);
/* From now on some steps move slabs, more of them for larger k; the region's groups are listed as they are now. */
kanon_status kanon__move_engine_use_slabs(kanon__move_engine *engine, kanon_error *err);
void kanon__move_engine_clear(kanon__move_engine *engine);
/* Try one random move. */
void kanon__move_engine_step(kanon__move_engine *engine);
/* Split groups of 2k records and more, as long as the check agrees. The loss does not grow. */
void kanon__move_engine_split_all(kanon__move_engine *engine);

/* ---- for the moves themselves ------------------------------------------------------------------------------------ */

/* Take a record out of its group, or out of the suppressed ones, and log it. The move adds it to a group or suppresses it
 * before it ends. */
void kanon__move_engine_remove(kanon__move_engine *engine, int32_t record);
/* End a move: keep what was done since the last call, or roll it back. Whether it was kept. */
bool kanon__move_engine_accept(kanon__move_engine *engine, int64_t loss_before);
/* Move half of a group of 2k records or more to an empty slot. */
void kanon__move_engine_split(kanon__move_engine *engine, int32_t group);
/* Take n_groups groups near the record apart and make new ones of their records. */
void kanon__move_engine_regroup(kanon__move_engine *engine, int32_t record, int32_t n_groups);

/* D of a group relative to the average record's. */
static inline double kanon__relative_units(const kanon__region *r, int32_t group)
{
    int64_t loss = r->loss - r->n_suppressed * r->full;
    return loss > 0 ? (double)r->groups[group].units * (r->n - r->n_suppressed) / (double)loss : 1;
}

/* The threshold of a step that begins in a group with this relative D: higher for groups above the average. What a move
 * changes is in proportion to the D of its groups. Where values have long tails, a few groups hold most of the loss, and at a
 * temperature for the average group they would never change. The square root is between one temperature for all groups and
 * one in proportion to D. */
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
