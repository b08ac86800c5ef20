/* Moves of records to and from the suppressed ones of a region.
 *
 * A record that is far from all others makes its group wider for all members, and with large k that costs more than its
 * own full loss. A move is a list of records with their targets, a group or KANON__NO_GROUP. Its cost is estimated
 * first; only what is within the threshold is carried out, and accepted by what it has cost indeed.
 *
 * Trim a group:
 *
 *   1. Choose the records that leave: those at one end on a random attribute, those outside a subtree, or all of them.
 *   2. Each goes to the cheapest of a few groups near it, or is suppressed if that costs less.
 *   3. If fewer than k are left, records of near groups with more than k take the places.
 *   4. If more would be suppressed than may be, others return, each to the cheapest of a few groups near it.
 *
 * Return a record: it joins a near group; or it takes the place of a member at an end of that group, which is
 * suppressed; or a new group is made of it, suppressed records and records of groups with more than k around it.
 *
 * Cost: O(size attributes) for step 1, O(attributes) for each record and group compared then. Ties: the first. Random
 * numbers: those of the engine. */
#include "refine/anneal/moves.h"
#include "refine/anneal/suppressed_records.h"

#include <math.h>
#include <string.h>

/* Records of a group that leave at once, unless all of them do; groups that a record is compared with. */
enum { MOST_TRIMMED = 16, TRIES = 4 };
/* Of DISSOLVED moves DISSOLVED / k dissolve the group. */
enum { DISSOLVED = 256 };

/* In e->moves first the records that leave the group, then others. */
typedef struct trim_move {
    kanon__move_engine *e;
    int32_t group;
    int64_t n_leaving;
    int32_t n_suppressed; /* of these */
    int64_t grown;        /* how much more is lost, by estimate */
} trim_move;

static bool is_in(const kanon__move_engine *e, int32_t record)
{
    for (int64_t i = 0; i < e->n_moves; i++)
        if (e->moves[i].record == record)
            return true;
    return false;
}

/* Carry out the list, split groups of 2k records, and keep it or not. A target that has no room any more fails the
 * move. */
static bool carry_out(kanon__move_engine *e)
{
    kanon__region *r = e->region;
    int64_t before = r->loss, n = e->n_moves;
    int32_t n_split = 0;
    bool failed = false;
    for (int64_t i = 0; i < n; i++)
        kanon__region_take_out(r, e->moves[i].record);
    for (int64_t i = 0; i < n; i++) {
        int32_t to = e->moves[i].to;
        if (to >= 0 ? r->groups[to].size >= r->groups[to].capacity : r->n_suppressed >= r->most_suppressed) {
            r->group_of[e->moves[i].record] = KANON__NOWHERE;
            failed = true;
            continue;
        }
        kanon__region_put(r, to, e->moves[i].record);
        if (to >= 0 && e->prices == NULL && r->groups[to].size == 2 * r->k)
            e->targets[n_split++] = to;
    }
    for (int32_t i = 0; i < n_split && !failed; i++)
        if (r->groups[e->targets[i]].size >= 2 * r->k)
            kanon__move_split(e, e->targets[i]);
    if (!failed)
        return kanon__move_accept(e, before);
    kanon__move_reject(e);
    return false;
}

/* ---- 1: which records leave -------------------------------------------------------------------------------------- */

/* The coordinate of the n-th member from one end; mirror as in region.c: UINT32_MAX counts from the largest. */
static uint32_t outermost(const kanon__region *r, int32_t group, int i, uint32_t mirror, int32_t n)
{
    const int32_t *members = kanon__region_members(r, group);
    uint32_t least[MOST_TRIMMED];
    int32_t n_least = 0;
    for (int32_t j = 0; j < r->groups[group].size; j++) {
        uint32_t own = kanon__region_coordinates(r, members[j])[i] ^ mirror;
        if (n_least == n && own >= least[n - 1])
            continue;
        n_least += n_least < n;
        int32_t at = n_least - 1;
        for (; at > 0 && least[at - 1] > own; at--)
            least[at] = least[at - 1];
        least[at] = own;
    }
    return least[n_least - 1];
}

/* All members from the n-th on at one end. */
static void choose_end(trim_move *move, int i, int32_t n)
{
    kanon__move_engine *e = move->e;
    const kanon__region *r = e->region;
    const int32_t *members = kanon__region_members(r, move->group);
    uint32_t mirror = kanon__random_next(&e->random) & 1 ? UINT32_MAX : 0;
    uint32_t limit = outermost(r, move->group, i, mirror, n);
    for (int32_t j = 0; j < r->groups[move->group].size; j++)
        if ((kanon__region_coordinates(r, members[j])[i] ^ mirror) <= limit)
            kanon__move_add(e, members[j], KANON__NO_GROUP);
}

/* All members that are not in the same subtree, below the common ancestor, as a random member. */
static void choose_outside(trim_move *move, int i)
{
    kanon__move_engine *e = move->e;
    const kanon__region *r = e->region;
    const int32_t *members = kanon__region_members(r, move->group);
    const uint32_t *bounds = kanon__region_bounds(r, move->group);
    uint32_t all = kanon__category_units(r->costs, i, bounds[i], bounds[r->costs->n_dimensions + i]);
    uint32_t code = kanon__region_coordinates(r, kanon__draw_member(e, move->group))[i];
    for (int32_t j = 0; j < r->groups[move->group].size; j++) {
        uint32_t own = kanon__region_coordinates(r, members[j])[i];
        if (kanon__category_units(r->costs, i, own < code ? own : code, own < code ? code : own) >= all)
            kanon__move_add(e, members[j], KANON__NO_GROUP);
    }
}

/* 1. Small groups have few records to spare, so they are dissolved more often. False: no records, or too many. */
static bool choose_leaving(trim_move *move)
{
    kanon__move_engine *e = move->e;
    const kanon__region *r = e->region;
    int32_t size = r->groups[move->group].size;
    uint64_t random = kanon__random_next(&e->random);
    if ((int64_t)(random % DISSOLVED) < DISSOLVED / r->k && r->n_groups > 1 && size <= 2 * r->k) {
        const int32_t *members = kanon__region_members(r, move->group);
        for (int32_t j = 0; j < size; j++)
            kanon__move_add(e, members[j], KANON__NO_GROUP);
        move->n_leaving = e->n_moves;
        return true;
    }
    int i = kanon__region_draw_dimension(r, move->group, &e->random);
    if (i < 0)
        return false;
    int32_t n = (int32_t)pow(MOST_TRIMMED, kanon__random_unit(&e->random));
    if (i >= r->costs->n_numeric && (random >> 32 & 1))
        choose_outside(move, i);
    else
        choose_end(move, i, n < size ? n : size - 1);
    move->n_leaving = e->n_moves;
    return e->n_moves > 0 && e->n_moves <= MOST_TRIMMED && e->n_moves < size;
}

/* The box of the members that stay, in e->bounds; its D. */
static uint32_t measure_kept(const trim_move *move)
{
    kanon__move_engine *e = move->e;
    const kanon__region *r = e->region;
    int m = r->costs->n_dimensions;
    const int32_t *members = kanon__region_members(r, move->group);
    memset(e->bounds, 0xff, (size_t)m * sizeof *e->bounds);
    memset(e->bounds + m, 0, (size_t)m * sizeof *e->bounds);
    for (int32_t j = 0; j < r->groups[move->group].size; j++)
        if (!is_in(e, members[j]))
            kanon__box_widen(e->bounds, m, kanon__region_coordinates(r, members[j]));
    return kanon__move_costs_units(r->costs, e->bounds, NULL, NULL);
}

/* ---- 2: where they go -------------------------------------------------------------------------------------------- */

/* The cheapest of a few groups near the record, other than `except`, below *least; KANON__NO_GROUP: none. */
static int32_t find_host(kanon__move_engine *e, int32_t record, int32_t except, int64_t *least)
{
    const kanon__region *r = e->region;
    int32_t best = KANON__NO_GROUP;
    for (int i = 0; i < TRIES; i++) {
        int32_t near = kanon__draw_near(e, record), group = near < 0 ? except : r->group_of[near];
        if (group == except || group == best || r->groups[group].size >= r->groups[group].capacity - 1 ||
            r->groups[group].units >= *least)
            continue;
        int64_t cost = kanon__region_join_delta(r, group, record);
        if (cost < *least) {
            *least = cost;
            best = group;
        }
    }
    return best;
}

/* 2. False: it costs too much already. */
static bool place_leaving(trim_move *move)
{
    kanon__move_engine *e = move->e;
    for (int64_t i = 0; i < move->n_leaving; i++) {
        int64_t least = e->region->full;
        e->moves[i].to = find_host(e, e->moves[i].record, move->group, &least);
        move->n_suppressed += e->moves[i].to < 0;
        if ((move->grown += least) > e->allowed)
            return false;
    }
    return true;
}

/* ---- 3: refill --------------------------------------------------------------------------------------------------- */

/* A record of a near group with more than k that costs least in the group, whose box is in e->bounds; -1: none. */
static int32_t find_refill(const trim_move *move, uint32_t units, uint32_t *then, int64_t *least)
{
    kanon__move_engine *e = move->e;
    const kanon__region *r = e->region;
    int32_t best = -1;
    *least = INT64_MAX;
    for (int i = 0; i < 2 * TRIES; i++) {
        int32_t near = kanon__draw_near(e, kanon__draw_member(e, move->group)), from = near < 0 ? -1 : r->group_of[near];
        if (near < 0 || from == move->group || r->groups[from].size <= r->k || is_in(e, near))
            continue;
        bool again = false; /* a donor that gives twice may fall below k */
        for (int64_t j = move->n_leaving; j < e->n_moves && !again; j++)
            again = e->moves[j].from == from;
        if (again)
            continue;
        uint32_t with = kanon__move_costs_units(r->costs, e->bounds, NULL, kanon__region_coordinates(r, near));
        int64_t cost = r->k * (int64_t)(with - units) + kanon__region_leave_delta(r, from, near);
        if (cost < *least) {
            *least = cost;
            *then = with;
            best = near;
        }
    }
    return best;
}

/* 3. `units`: D of what is left of the group. False: there are not enough, or they cost too much. */
static bool refill(trim_move *move, uint32_t units)
{
    kanon__move_engine *e = move->e;
    const kanon__region *r = e->region;
    int64_t n_missing = r->k - (r->groups[move->group].size - move->n_leaving), cost;
    move->grown += n_missing > 0 ? n_missing * units : 0;
    for (int64_t i = 0; i < n_missing; i++) {
        uint32_t then = units;
        int32_t record = find_refill(move, units, &then, &cost);
        if (record < 0 || (move->grown += cost) > e->allowed)
            return false;
        kanon__box_widen(e->bounds, r->costs->n_dimensions, kanon__region_coordinates(r, record));
        units = then;
        kanon__move_add(e, record, move->group);
    }
    return true;
}

/* ---- 4: others return -------------------------------------------------------------------------------------------- */

/* 4. */
static bool make_room(trim_move *move)
{
    kanon__move_engine *e = move->e;
    const kanon__region *r = e->region;
    int32_t n_over = r->n_suppressed + move->n_suppressed - r->most_suppressed;
    if (n_over > r->n_suppressed)
        return false;
    for (int32_t i = 0; i < n_over; i++) {
        int64_t least = INT64_MAX;
        int32_t best = -1, host = KANON__NO_GROUP;
        for (int j = 0; j < 2 * TRIES; j++) {
            int32_t record = r->suppressed[kanon__scaled((uint32_t)kanon__random_next(&e->random), r->n_suppressed)];
            if (is_in(e, record))
                continue;
            int32_t to = find_host(e, record, move->group, &least);
            best = to >= 0 ? record : best;
            host = to >= 0 ? to : host;
        }
        if (best < 0 || (move->grown += least - r->full) > e->allowed)
            return false;
        kanon__move_add(e, best, host);
    }
    return true;
}

static void trim(kanon__move_engine *e, int32_t group)
{
    const kanon__region *r = e->region;
    const kanon__region_group *g = &r->groups[group];
    trim_move move = {.e = e, .group = group};
    if (!choose_leaving(&move))
        return;
    bool dissolved = move.n_leaving == g->size;
    uint32_t units = dissolved ? 0 : measure_kept(&move);
    move.grown = (g->size - move.n_leaving) * units - kanon__region_loss_of(r, group);
    if (move.grown + r->full > e->allowed || !place_leaving(&move) || move.n_suppressed == 0)
        return;
    if ((dissolved || refill(&move, units)) && make_room(&move) && move.grown <= e->allowed)
        carry_out(e);
}

/* Where the group loses enough that one of its records may be suppressed. */
void kanon__move_trim(kanon__move_engine *e, int32_t record, uint64_t random, int32_t rest)
{
    enum { WORK = 24 }; /* as long as looking at so many records */
    int32_t group = e->region->group_of[record];
    if (kanon__region_loss_of(e->region, group) + e->allowed < e->region->full) {
        kanon__move_single(e, record, random, rest);
        return;
    }
    e->work += e->prices != NULL ? WORK : 0;
    trim(e, group);
}

/* ---- suppressed records return ----------------------------------------------------------------------------------- */

/* A member that is alone at an end of the group; -1: none was drawn. */
static int32_t draw_outermost(kanon__move_engine *e, int32_t group)
{
    const kanon__region *r = e->region;
    int m = r->costs->n_dimensions, i = kanon__region_draw_dimension(r, group, &e->random);
    int upper = (int)(kanon__random_next(&e->random) & 1);
    if (i < 0 || r->counts[((int64_t)group * m + i) * 2 + upper].n_outermost != 1)
        return -1;
    uint32_t end = kanon__region_bounds(r, group)[upper * m + i];
    const int32_t *members = kanon__region_members(r, group);
    for (int32_t j = 0; j < r->groups[group].size; j++)
        if (kanon__region_coordinates(r, members[j])[i] == end)
            return members[j];
    return -1;
}

/* The record takes the place of a member at an end of the group. */
static void change_places(kanon__move_engine *e, int32_t record, int32_t group)
{
    int32_t gone = draw_outermost(e, group);
    if (gone < 0 || kanon__region_replace_delta(e->region, group, gone, record) > e->allowed)
        return;
    kanon__move_add(e, record, group);
    kanon__move_add(e, gone, KANON__NO_GROUP);
    carry_out(e);
}

void kanon__move_return(kanon__move_engine *e, int32_t record)
{
    enum { TRIED = 2, OPEN = 64 }; /* one of so many steps is tried, and one of so many of these opens a group */
    const kanon__region *r = e->region;
    uint64_t random = kanon__random_next(&e->random);
    e->allowed = e->threshold;
    if (random % TRIED != 0)
        return;
    if (random / TRIED % OPEN == 0) {
        kanon__move_open(e, record, 0, 0);
        return;
    }
    int32_t near = kanon__draw_near(e, record), group = near < 0 ? -1 : r->group_of[near];
    if (group < 0)
        return;
    e->allowed += kanon__paid(e, group);
    if (r->groups[group].size < r->groups[group].capacity &&
        kanon__region_join_delta(r, group, record) - r->full <= e->allowed) {
        kanon__move_add(e, record, group);
        if (carry_out(e))
            return;
    }
    change_places(e, record, group);
}
