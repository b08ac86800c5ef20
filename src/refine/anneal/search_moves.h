/* The moves of the local search: what can be changed about the groups of a patch in one step.
 *
 * Every move ends in one place, kanon__mover_settle, where it is kept or taken back: the loss has not grown by more than
 * the step allows, and the guard, if there is one, agrees. */
#ifndef KANON_REFINE_ANNEAL_SEARCH_MOVES_H
#define KANON_REFINE_ANNEAL_SEARCH_MOVES_H

#include "core/random.h"
#include "refine/anneal/search_lot.h"

/* A record that was taken out of its group, and that group. */
typedef struct kanon__lifted {
    int32_t record, from;
} kanon__lifted;

/* Whether the groups that the lifted records left and joined may stay as they are now; they have at least k records. */
typedef bool (*kanon__guard)(const kanon__patch *patch, const kanon__lifted *lifted, int64_t n, void *payload);

typedef struct kanon__mover {
    kanon__patch *patch;
    kanon__random random;
    int64_t allowed;               /* how much the loss may grow in this step */
    int32_t window, window_size;   /* records that steps begin with: from where on, and how many */
    int32_t regroups, most_groups; /* how often groups are made anew, and how many at most at a time */
    kanon__guard guard;            /* NULL: every group of k records will do */
    void *payload;
    kanon__lifted *lifted; /* in this step, in order */
    int64_t n_lifted;
    int32_t *scratch; /* records of a step, */
    kanon__lot lot;   /* records of groups that are made anew, */
    int32_t *hosts;   /* where each of them goes, */
    uint32_t *rims;   /* and the box around some of them */
} kanon__mover;

kanon_status kanon__mover_init(kanon__mover *out, kanon__patch *patch, uint64_t seed, uint64_t stream, kanon_error *err);
void kanon__mover_clear(kanon__mover *mover);
/* Try one random move. */
void kanon__mover_step(kanon__mover *mover);
/* Split groups of 2k records and more, as long as the guard agrees. The loss does not grow. */
void kanon__mover_split_all(kanon__mover *mover);

/* ---- for the moves themselves ------------------------------------------------------------------------------------ */

/* Take a record out of its group; it is put into another one before the step is settled. */
void kanon__mover_lift(kanon__mover *mover, int32_t record);
/* Keep what was done since the last call, or take it back. */
bool kanon__mover_settle(kanon__mover *mover, int64_t loss_before);
/* Cut a group of 2k records or more in two. */
void kanon__mover_split(kanon__mover *mover, int32_t group);
/* Take a few groups near the record apart and make new ones of them. */
void kanon__mover_regroup(kanon__mover *mover, int32_t record, int32_t n_groups);

static inline int32_t kanon__scaled(uint32_t random, int32_t n)
{
    return (int32_t)((uint64_t)random * (uint32_t)n >> 32);
}

static inline int32_t kanon__draw_member(kanon__mover *m, int32_t group)
{
    const kanon__patch *p = m->patch;
    return kanon__patch_members(p, group)[kanon__scaled((uint32_t)kanon__random_next(&m->random), p->groups[group].size)];
}

/* A record near to this one, possibly itself; -1: there is none in the patch. */
static inline int32_t kanon__draw_near(kanon__mover *m, int32_t record)
{
    const kanon__patch *p = m->patch;
    int32_t tuple = p->tuple_of[record], begin = p->near_begins[tuple], n = p->near_begins[tuple + 1] - begin;
    if (n == 0)
        return -1;
    uint64_t random = kanon__random_next(&m->random);
    tuple = p->near[begin + kanon__scaled((uint32_t)random, n)];
    begin = p->tuple_begins[tuple];
    return begin + kanon__scaled((uint32_t)(random >> 32), p->tuple_begins[tuple + 1] - begin);
}

#endif
