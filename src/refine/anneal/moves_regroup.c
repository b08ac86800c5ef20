/* Moves on whole groups: regroup and split.
 *
 * Regroup is the ruin and recreate move (Schrimpf et al. 2000). One record at a time cannot do this: on the way there, a
 * group of one kind of records would have to take in another kind, at the cost of all its members. Its steps:
 *
 *   1. Choose the record's group and others near it.
 *   2. Choose how many new groups to make of them.
 *   3. Fill the pool with their records, and make new groups, either in several attempts at once: each group begins with a
 *      random record and grows by the one that costs least, until it has k; or in one attempt by peeling (regroup_peel.c),
 *      in half of the moves with larger k. Keep the best attempt.
 *   4. Records left over join the cheapest of the new groups or of the groups around, or are suppressed where they
 *      may be and that costs less.
 *   5. Carry it out and accept it, or roll it back.
 *
 * Steps 3 and 4 give up as soon as the costs so far exceed the threshold. */
#include "refine/anneal/moves.h"

#include <string.h>

enum { MOST = KANON__POOL_GROUPS };

typedef struct regroup_move {
    kanon__move_engine *e;
    int32_t slots[MOST]; /* the groups that are taken apart, and an empty slot where there are more new ones */
    int32_t n_old, n_new;
    int32_t n;                       /* records, all of them in e->pool */
    bool peels;                      /* groups are peeled, not grown */
    int64_t old_loss;                /* of the groups that are taken apart */
    kanon__regroup_attempt *attempt; /* the best one of step 3 */
    int64_t grown;                   /* how much more its groups cost than the old ones, so far; */
    int32_t sizes[MOST];             /* by new group, from step 4 on */
    int32_t n_suppressed;            /* records left over */
} regroup_move;

/* First the members of the new groups, group by group, then the records left over. */
static int32_t record_at(const regroup_move *move, int32_t i)
{
    return move->e->pool.records[move->attempt->taken[i]];
}

static bool is_old(const regroup_move *move, int32_t group)
{
    for (int32_t i = 0; i < move->n_old; i++)
        if (move->slots[i] == group)
            return true;
    return false;
}

/* ---- 1, 2: which groups ------------------------------------------------------------------------------------------ */

/* Add groups of records near this one, beginning with a random neighbour. */
static void add_groups_near(regroup_move *move, int32_t record, int32_t n_groups)
{
    const kanon__region *r = move->e->region;
    int32_t tuple = r->tuple_of[record], begin = r->neighbour_begins[tuple], n = r->neighbour_begins[tuple + 1] - begin;
    uint64_t random = kanon__random_next(&move->e->random);
    int32_t at = kanon__scaled((uint32_t)random, n);
    for (int32_t i = 0; i < n && move->n_old < n_groups; i++, at = at + 1 < n ? at + 1 : 0) {
        int32_t near = r->neighbours[begin + at], first = r->tuple_begins[near];
        int32_t group = r->group_of[first + kanon__scaled((uint32_t)(random >> 32), r->tuple_begins[near + 1] - first)];
        if (group < 0 || is_old(move, group))
            continue;
        move->slots[move->n_old++] = group;
    }
}

/* 1. False where there are too few groups, or too many records for the pool. */
static bool choose_groups(regroup_move *move, int32_t record, int32_t n_groups)
{
    enum { TRIES = 4 };
    kanon__move_engine *e = move->e;
    const kanon__region *r = e->region;
    move->slots[0] = r->group_of[record];
    move->n_old = 1;
    add_groups_near(move, record, n_groups);
    for (int i = 0; i < TRIES && move->n_old < n_groups; i++)
        add_groups_near(move, kanon__draw_member(e, move->slots[0]), n_groups);
    if (move->n_old < n_groups)
        return false;
    for (int32_t i = 0; i < move->n_old; i++) {
        move->n += r->groups[move->slots[i]].size;
        move->old_loss += kanon__region_loss_of(r, move->slots[i]);
    }
    return move->n <= e->pool.room;
}

/* 2. As many groups as can be made of the records, in a tenth of the moves one less. */
static bool choose_number(regroup_move *move)
{
    enum { FEWER = 410 }; /* of 4096 times */
    const kanon__region *r = move->e->region;
    move->n_new = move->n_old;
    if ((int)(kanon__random_next(&move->e->random) >> 52) < FEWER) {
        move->n_new--;
    } else if (move->n >= (move->n_old + 1) * r->k && kanon__region_empty_slot(r) >= 0) {
        move->slots[move->n_old] = kanon__region_empty_slot(r);
        move->n_new++;
    }
    return move->n_new > 0;
}

/* ---- 3: new groups ----------------------------------------------------------------------------------------------- */

static int32_t draw_free(kanon__move_engine *e, const kanon__regroup_attempt *a)
{
    int32_t seed;
    do
        seed = kanon__scaled((uint32_t)kanon__random_next(&e->random), e->pool.n);
    while (!kanon__attempt_is_free(a, seed));
    return seed;
}

/* Small groups have hardly an end to peel. */
static bool draw_peeling(kanon__move_engine *e)
{
    enum { PEEL_FROM = 20 };
    return e->region->k >= PEEL_FROM && (kanon__random_next(&e->random) & 1) != 0;
}

/* One more group in each of the attempts. */
static void add_group(regroup_move *move, uint32_t attempts, int32_t group)
{
    kanon__move_engine *e = move->e;
    kanon__regroup_pool *pool = &e->pool;
    int32_t seeds[KANON__POOL_ATTEMPTS];
    bool last = (group + 1) * (int32_t)e->region->k == move->n;
    for (int i = 0; i < KANON__POOL_ATTEMPTS; i++) {
        if (!(attempts >> i & 1))
            continue;
        if (last)
            kanon__regroup_pool_take_rest(pool, e->region, &pool->attempts[i], group);
        else if (move->peels)
            kanon__regroup_pool_peel(pool, e->region, &pool->attempts[i], group, &e->random);
        else
            seeds[i] = draw_free(e, &pool->attempts[i]);
    }
    if (!last && !move->peels)
        kanon__regroup_pool_grow(pool, e->region, attempts, group, seeds);
}

/* An estimate of the least that a new group costs: three quarters of the cheapest old one. */
static int64_t least_group_loss(const regroup_move *move)
{
    const kanon__region *r = move->e->region;
    int64_t least = INT64_MAX;
    for (int32_t i = 0; i < move->n_old; i++)
        least = r->groups[move->slots[i]].units < least ? r->groups[move->slots[i]].units : least;
    return r->k * least * 3 / 4;
}

/* 3. False where all attempts exceed the threshold. */
static bool make_groups(regroup_move *move)
{
    kanon__move_engine *e = move->e;
    int64_t losses[KANON__POOL_ATTEMPTS] = {0}, k = e->region->k, most = move->old_loss + e->allowed, least = INT64_MAX;
    int64_t expected = least_group_loss(move);
    uint32_t attempts = move->peels ? 1 : (1u << KANON__POOL_ATTEMPTS) - 1;
    for (int32_t group = 0; group < move->n_new && attempts != 0; group++) {
        add_group(move, attempts, group);
        for (int i = 0; i < KANON__POOL_ATTEMPTS; i++) {
            losses[i] += k * e->pool.attempts[i].units[group];
            if (losses[i] + (move->n_new - group - 1) * expected > most)
                attempts &= ~(1u << i);
        }
    }
    for (int i = 0; i < KANON__POOL_ATTEMPTS; i++)
        if (attempts >> i & 1 && losses[i] < least) {
            least = losses[i];
            move->attempt = &e->pool.attempts[i];
        }
    move->grown = least - move->old_loss;
    return attempts != 0;
}

/* ---- 4: records left over ---------------------------------------------------------------------------------------- */

/* The cheapest of a few random groups around, not taken apart, if it is cheaper than *least; -1: none. */
static int32_t find_outside(const regroup_move *move, int32_t record, int32_t first_left, int32_t at, int64_t *least)
{
    enum { TRIES = 4 };
    kanon__move_engine *e = move->e;
    const kanon__region *r = e->region;
    int32_t best = -1;
    for (int i = 0; i < TRIES; i++) {
        int32_t near = kanon__draw_near(e, record), group = near < 0 ? -1 : r->group_of[near];
        bool good = group >= 0 && group != best && !is_old(move, group) && r->groups[group].size < 2 * r->k - 1;
        for (int32_t j = first_left; good && j < at; j++) /* with another record of this move it costs more */
            good = e->targets[j] != MOST + group;
        int64_t cost = good ? kanon__region_join_delta(r, group, record) : INT64_MAX;
        if (cost < *least) {
            *least = cost;
            best = group;
        }
    }
    return best;
}

/* Set the target of a record that is left over: a new group's number, MOST + a group around, or KANON__NO_GROUP. False: all
 * of them exceed the threshold. */
static bool assign_record(regroup_move *move, int32_t first_left, int32_t at)
{
    kanon__move_engine *e = move->e;
    const kanon__region *r = e->region;
    int d = r->costs->n_dimensions;
    int32_t record = record_at(move, at), best = -1;
    const uint32_t *own = kanon__region_coordinates(r, record);
    int64_t least = INT64_MAX;
    uint32_t least_units = 0;
    for (int32_t i = 0; i < move->n_new; i++) {
        uint32_t units = kanon__move_costs_units(r->costs, move->attempt->bounds + i * 2 * d, NULL, own);
        int64_t cost = kanon__group_loss(move->sizes[i] + 1, units) -
                       kanon__group_loss(move->sizes[i], move->attempt->units[i]);
        if (cost < least && move->sizes[i] < 2 * r->k - 1) {
            least = cost;
            least_units = units;
            best = i;
        }
    }
    int32_t outside = find_outside(move, record, first_left, at, &least);
    bool may_suppress = e->mix.shares[KANON__MOVE_trim] > 0;
    bool suppressed = may_suppress && r->full < least && r->n_suppressed + move->n_suppressed < r->most_suppressed;
    least = suppressed ? r->full : least;
    if (least == INT64_MAX || (move->grown += least) > e->allowed)
        return false;
    e->targets[at] = suppressed ? KANON__NO_GROUP : outside >= 0 ? MOST + outside : best;
    move->n_suppressed += suppressed;
    if (suppressed || outside >= 0)
        return true;
    move->sizes[best]++;
    move->attempt->units[best] = least_units;
    kanon__box_widen(move->attempt->bounds + best * 2 * d, d, own);
    return true;
}

/* 4. The records left over follow the members of the new groups in `taken`. */
static bool assign_rest(regroup_move *move)
{
    kanon__regroup_attempt *a = move->attempt;
    int32_t first = a->n_taken;
    for (int32_t i = 0; i < move->n_new; i++)
        move->sizes[i] = (int32_t)move->e->region->k;
    for (int32_t at = 0; at < move->n; at++)
        if (kanon__attempt_is_free(a, at))
            a->taken[a->n_taken++] = at;
    for (int32_t at = first; at < move->n; at++)
        if (!assign_record(move, first, at))
            return false;
    return true;
}

/* ---- 5: the new groups become those of the region ---------------------------------------------------------------- */

/* A new group takes over the slot of its first record where that is still to be had, so that few records have to move. */
static void choose_slots(const regroup_move *move, int32_t *slot_of)
{
    const kanon__region *r = move->e->region;
    bool taken[MOST] = {false};
    int32_t n_slots = move->n_new > move->n_old ? move->n_new : move->n_old;
    for (int32_t i = 0; i < move->n_new; i++) {
        slot_of[i] = -1;
        for (int32_t j = 0; j < n_slots; j++)
            if (!taken[j] && move->slots[j] == r->group_of[record_at(move, i * (int32_t)r->k)]) {
                slot_of[i] = move->slots[j];
                taken[j] = true;
            }
    }
    for (int32_t i = 0, j = 0; i < move->n_new; i++) {
        if (slot_of[i] >= 0)
            continue;
        while (taken[j])
            j++;
        slot_of[i] = move->slots[j];
        taken[j] = true;
    }
}

/* 5. Records that stay in their slot are not touched. */
static void carry_out(const regroup_move *move)
{
    kanon__move_engine *e = move->e;
    const kanon__region *r = e->region;
    int32_t slot_of[MOST], n_grown = (int32_t)(move->n_new * r->k);
    int64_t before = r->loss;
    choose_slots(move, slot_of);
    for (int32_t i = 0; i < move->n; i++) {
        int32_t target = i < n_grown ? i / (int32_t)r->k : e->targets[i], to = target >= MOST ? target - MOST
                                                                               : target < 0   ? KANON__NO_GROUP
                                                                                              : slot_of[target];
        if (to != r->group_of[record_at(move, i)])
            kanon__move_add(e, record_at(move, i), to);
    }
    kanon__move_carry_out(e);
    if (e->n_moves > 0)
        kanon__move_accept(e, before);
}

void kanon__move_regroup(kanon__move_engine *e, int32_t record, uint64_t random, int32_t rest)
{
    (void)rest;
    regroup_move move = {.e = e};
    if (!choose_groups(&move, record, 2 + (int32_t)((random >> 48) % (uint32_t)(e->mix.most_groups - 1))) ||
        !choose_number(&move))
        return;
    move.peels = draw_peeling(e);
    kanon__regroup_pool_fill(&e->pool, e->region, move.slots, move.n_old);
    if (make_groups(&move) && assign_rest(&move))
        carry_out(&move);
}

/* ---- split ------------------------------------------------------------------------------------------------------- */

/* By the coordinate on dimension i, ascending. Insertion sort: there are up to 4k records, and it is stable. */
static void sort_by(const kanon__region *r, int32_t *records, int32_t n, int i)
{
    for (int32_t a = 1; a < n; a++) {
        int32_t record = records[a], at = a;
        uint32_t own = kanon__region_coordinates(r, record)[i];
        for (; at > 0 && kanon__region_coordinates(r, records[at - 1])[i] > own; at--)
            records[at] = records[at - 1];
        records[at] = record;
    }
}

/* |P| D(P) of some records. */
static int64_t loss_of(kanon__move_engine *e, const int32_t *records, int32_t n)
{
    const kanon__region *r = e->region;
    int d = r->costs->n_dimensions;
    kanon__box_begin(e->bounds, d, kanon__region_coordinates(r, records[0]));
    for (int32_t i = 1; i < n; i++)
        kanon__box_widen(e->bounds, d, kanon__region_coordinates(r, records[i]));
    return kanon__group_loss(n, kanon__move_costs_units(r->costs, e->bounds, NULL, NULL));
}

/* Cut at the median of the dimension where the two halves cost least; the half that leaves comes first. */
static void choose_half(kanon__move_engine *e, int32_t n, int32_t half)
{
    const kanon__region *r = e->region;
    int64_t least = INT64_MAX;
    int best = 0;
    for (int i = 0; i < r->costs->n_dimensions; i++) {
        sort_by(r, e->scratch, n, i);
        int64_t loss = loss_of(e, e->scratch, half) + loss_of(e, e->scratch + half, n - half);
        if (loss < least) {
            least = loss;
            best = i;
        }
    }
    sort_by(r, e->scratch, n, best);
}

void kanon__move_split(kanon__move_engine *e, int32_t group)
{
    const kanon__region *r = e->region;
    int32_t n = r->groups[group].size, half = n / 2, slot = kanon__region_empty_slot(r);
    const int32_t *members = kanon__region_members(r, group);
    if (slot < 0)
        return;
    if (half <= 2 * r->k) {
        memcpy(e->scratch, members, (size_t)n * sizeof *e->scratch);
        choose_half(e, n, half);
    } else { /* very large: the last members are near each other, since records come in index order */
        half = (int32_t)(2 * r->k);
        memcpy(e->scratch, members + n - half, (size_t)half * sizeof *e->scratch);
    }
    for (int32_t i = 0; i < half; i++)
        kanon__move_put(e, e->scratch[i], slot);
}
