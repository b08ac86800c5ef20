/* One step of the local search: draw a record and a kind of move, evaluate the move, keep it or not.
 *
 *   1. Draw a record of the window. Groups that lose little are skipped more often. The threshold is that of the group.
 *   2. Draw the kind of move:
 *        relocate   the record goes to a neighbour's group; its own has more than k
 *        exchange   two records change groups
 *        refill     the record goes to a neighbour's group, a third group's spare record takes its place
 *        rotate     three records change groups in a cycle
 *        regroup    a few neighbouring groups are taken apart and made anew (regroup_moves.c)
 *        dissolve   the members of a group go to neighbouring groups
 *        open       a new group of what neighbouring groups have beyond k
 *        slab       all records at one end of a group go to others (slab_moves.c); only after kanon__move_engine_use_slabs
 *        trim       some of the records at one end are suppressed, or suppressed ones return (suppress_moves.c)
 *   3. Evaluate it by the deltas of region.h. Most moves end here, before anything has changed.
 *   4. Carry it out, split a group that has reached 2k records, and accept it or roll it back.
 *
 * Called by annealing.c. Calls region.h, regroup_moves.c, slab_moves.h and suppress_moves.h. */
#include "refine/anneal/move_engine.h"

#include "core/alloc.h"
#include "refine/anneal/suppress_moves.h"
#include "refine/anneal/suppressed_records.h"

/* Of ALL steps so many dissolve a group, and so many open one. */
enum { ALL = 4096, DISSOLVE = 1, OPEN = 1 };

/* A regroup move escapes from local minima that moves of single records do not, but its time grows with the square of k. So
 * it is less frequent for larger k, and takes fewer groups at a time. */
static void choose_mix(kanon__move_engine *e)
{
    int64_t k = e->region->k;
    e->regroup_share = k < 3 ? 2000 : k < 8 ? 1200 : k <= 12 ? 1000 : k <= 25 ? 600 : 400;
    e->most_groups = (int32_t)(k < 10 ? 3 + 10 / k : k < 25 ? 4 : 3);
}

kanon_status kanon__move_engine_init(kanon__move_engine *out, kanon__region *region, uint64_t seed, uint64_t stream,
                                     kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t room = (int64_t)region->n + 8, m = region->costs->n_dimensions;
    *out = (kanon__move_engine){.region = region, .window_size = region->n};
    kanon__random_init(&out->random, seed, stream);
    choose_mix(out);
    KANON_TRY(kanon__new_array(&out->removed, 2 * room, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->scratch, room, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->targets, room, "moves", err), out);
    int64_t pool = (KANON__POOL_GROUPS - 1) * 2 * region->k;
    KANON_TRY(kanon__regroup_pool_init(&out->pool, region->costs, (int32_t)(pool < region->n ? pool : region->n), err), out);
    KANON_TRY(kanon__new_array(&out->bounds, 2 * m, "moves", err), out);
out:
    if (st != KANON_OK)
        kanon__move_engine_clear(out);
    return st;
}

/* The larger the groups, the more of their loss is out of reach of single records. */
kanon_status kanon__move_engine_use_slabs(kanon__move_engine *e, kanon_error *err)
{
    enum { PER_K = 48, MOST_SLABS = 1200 };
    int64_t share = PER_K * e->region->k;
    if (e->region->k < KANON__SLABS_FROM)
        return KANON_OK;
    e->slab_share = (int32_t)(share < MOST_SLABS ? share : MOST_SLABS);
    return kanon__slab_workspace_init(&e->slabs, e->region, err);
}

void kanon__move_engine_clear(kanon__move_engine *e)
{
    kanon__slab_workspace_clear(&e->slabs);
    kanon__free(e->bounds);
    kanon__free(e->targets);
    kanon__regroup_pool_clear(&e->pool);
    kanon__free(e->scratch);
    kanon__free(e->removed);
    *e = (kanon__move_engine){0};
}

/* ---- transactions ------------------------------------------------------------------------------------------------ */

void kanon__move_engine_remove(kanon__move_engine *e, int32_t record)
{
    e->removed[e->n_removed++] = (kanon__removed_record){record, e->region->group_of[record]};
    kanon__region_take_out(e->region, record);
}

/* All out first, so that no group outgrows its capacity on the way. A record that was removed twice goes back to its first
 * group: the entries are read from the first on, and a record that is back is skipped. */
static void roll_back(kanon__move_engine *e)
{
    kanon__region *r = e->region;
    for (int64_t i = e->n_removed - 1; i >= 0; i--)
        if (r->group_of[e->removed[i].record] != KANON__NOWHERE) {
            kanon__region_take_out(r, e->removed[i].record);
            r->group_of[e->removed[i].record] = KANON__NOWHERE;
        }
    for (int64_t i = 0; i < e->n_removed; i++)
        if (r->group_of[e->removed[i].record] == KANON__NOWHERE)
            kanon__region_put(r, e->removed[i].from, e->removed[i].record);
}

bool kanon__move_engine_accept(kanon__move_engine *e, int64_t loss_before)
{
    kanon__region *r = e->region;
    bool keep = r->loss - loss_before <= e->threshold;
    if (keep && e->check != NULL)
        keep = e->check(r, e->removed, e->n_removed, e->payload);
    if (!keep)
        roll_back(e);
    e->n_removed = 0;
    return keep;
}

static void move_record(kanon__move_engine *e, int32_t record, int32_t group)
{
    kanon__move_engine_remove(e, record);
    kanon__region_add(e->region, group, record);
}

static inline bool has_room(const kanon__region *r, int32_t group)
{
    return r->groups[group].size < r->groups[group].capacity;
}

/* ---- single records ---------------------------------------------------------------------------------------------- */

/* Relocate: the record goes to another group; its own has more than k. */
static void relocate(kanon__move_engine *e, int32_t record, int32_t to)
{
    kanon__region *r = e->region;
    int64_t delta = kanon__region_leave_delta(r, r->group_of[record], record);
    if (delta + r->groups[to].units > e->threshold || !has_room(r, to)) /* a new member costs at least D */
        return;
    delta += kanon__region_join_delta(r, to, record);
    if (delta > e->threshold)
        return;
    int64_t before = r->loss;
    move_record(e, record, to);
    if (r->groups[to].size >= 2 * r->k)
        kanon__move_engine_split(e, to);
    kanon__move_engine_accept(e, before);
}

/* Exchange: two records change groups. */
static void exchange(kanon__move_engine *e, int32_t left, int32_t right)
{
    kanon__region *r = e->region;
    int32_t g = r->group_of[left], h = r->group_of[right];
    int64_t delta = kanon__region_replace_delta(r, g, left, right) + kanon__region_replace_delta(r, h, right, left);
    if (delta > e->threshold)
        return;
    int64_t before = r->loss;
    kanon__move_engine_remove(e, left);
    move_record(e, right, g);
    kanon__region_add(r, h, left);
    kanon__move_engine_accept(e, before);
}

/* Refill: the record goes to another group, and `substitute`, out of a group with more than k, takes its place. */
static void refill(kanon__move_engine *e, int32_t record, int32_t to, int32_t substitute)
{
    kanon__region *r = e->region;
    int32_t g = r->group_of[record], f = r->group_of[substitute];
    int64_t delta = kanon__region_replace_delta(r, g, record, substitute) + kanon__region_leave_delta(r, f, substitute);
    if (delta + r->groups[to].units > e->threshold || !has_room(r, to))
        return;
    delta += kanon__region_join_delta(r, to, record);
    if (delta > e->threshold)
        return;
    int64_t before = r->loss;
    kanon__move_engine_remove(e, record);
    move_record(e, substitute, g);
    kanon__region_add(r, to, record);
    if (r->groups[to].size >= 2 * r->k)
        kanon__move_engine_split(e, to);
    kanon__move_engine_accept(e, before);
}

/* Rotate: a takes b's place, b takes c's, c takes a's. */
static void rotate(kanon__move_engine *e, int32_t a, int32_t b, int32_t c)
{
    kanon__region *r = e->region;
    int32_t from_a = r->group_of[a], from_b = r->group_of[b], from_c = r->group_of[c];
    int64_t delta = kanon__region_replace_delta(r, from_a, a, c) + kanon__region_replace_delta(r, from_b, b, a) +
                    kanon__region_replace_delta(r, from_c, c, b);
    if (delta > e->threshold)
        return;
    int64_t before = r->loss;
    kanon__move_engine_remove(e, a);
    kanon__move_engine_remove(e, b);
    move_record(e, c, from_a);
    kanon__region_add(r, from_b, a);
    kanon__region_add(r, from_c, b);
    kanon__move_engine_accept(e, before);
}

/* Move the record to a neighbouring group although its own has no record to spare: a record near its companions takes its
 * place. It comes from that same group (exchange), from a group with more than k (refill), or from a third group, which gets
 * a record of `to` (rotate). */
static void replace(kanon__move_engine *e, int32_t record, int32_t to)
{
    kanon__region *r = e->region;
    int32_t g = r->group_of[record], companion = kanon__draw_member(e, g);
    int32_t substitute = companion != record ? kanon__draw_near(e, companion) : -1;
    int32_t f = substitute < 0 ? g : r->group_of[substitute];
    if (f == g)
        exchange(e, record, kanon__draw_member(e, to));
    else if (f == to)
        exchange(e, record, substitute);
    else if (r->groups[f].size > r->k)
        refill(e, record, to, substitute);
    else
        rotate(e, record, kanon__draw_member(e, to), substitute);
}

/* ---- whole groups ------------------------------------------------------------------------------------------------ */

/* The cheapest of a few random neighbouring groups, other than its own; -1: none was drawn. */
static int32_t find_target(kanon__move_engine *e, int32_t record)
{
    enum { TRIES = 8 };
    const kanon__region *r = e->region;
    int32_t best = -1, own = r->group_of[record];
    int64_t least = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int32_t near = kanon__draw_near(e, record), group = near < 0 ? own : r->group_of[near];
        if (group == own || group == best || r->groups[group].size >= 2 * r->k - 1)
            continue;
        int64_t cost = kanon__region_join_delta(r, group, record);
        if (cost < least) {
            least = cost;
            best = group;
        }
    }
    return best;
}

/* Dissolve: every member goes to a neighbouring group. Fails where one finds none. */
static void dissolve(kanon__move_engine *e, int32_t group)
{
    kanon__region *r = e->region;
    int64_t before = r->loss;
    while (r->groups[group].size > 0) {
        int32_t record = kanon__region_members(r, group)[r->groups[group].size - 1], target = find_target(e, record);
        if (target < 0) {
            e->threshold = INT64_MIN;
            break;
        }
        move_record(e, record, target);
    }
    kanon__move_engine_accept(e, before);
}

/* Open: a new group around a record, of records that neighbouring groups have beyond k. */
static void open_group(kanon__move_engine *e, int32_t record)
{
    kanon__region *r = e->region;
    int32_t slot = kanon__region_empty_slot(r);
    int64_t before = r->loss;
    if (slot < 0 || r->groups[r->group_of[record]].size <= r->k)
        return;
    move_record(e, record, slot);
    for (int64_t tries = 8 * r->k; r->groups[slot].size < r->k && tries > 0; tries--) {
        int32_t near = kanon__draw_near(e, kanon__draw_member(e, slot));
        if (near >= 0 && r->group_of[near] != slot && r->groups[r->group_of[near]].size > r->k)
            move_record(e, near, slot);
    }
    if (r->groups[slot].size < r->k)
        e->threshold = INT64_MIN;
    kanon__move_engine_accept(e, before);
}

/* Slab: all records beyond a threshold leave the group (slab_moves.h). It is drafted first; the region changes only where
 * the draft says that the move will be accepted. */
static void move_slab(kanon__move_engine *e, int32_t group)
{
    kanon__region *r = e->region;
    kanon__slab_draft *d = &e->slabs.draft;
    if (kanon__slab_draft_random(&e->slabs, &e->random, group, e->threshold, e->slack) &&
        kanon__slab_draft_delta(d) <= e->threshold) {
        int64_t before = r->loss;
        for (int32_t i = 0; i < d->n_moved; i++)
            kanon__move_engine_remove(e, d->records[i]);
        for (int32_t i = 0; i < d->n_moved; i++)
            kanon__region_add(r, d->targets[i], d->records[i]);
        for (int32_t i = 0; i < d->n_touched; i++)
            if (r->groups[d->touched[i].group].size >= 2 * r->k)
                kanon__move_engine_split(e, d->touched[i].group);
        kanon__move_engine_accept(e, before);
    }
    kanon__slab_draft_reset(d);
}

void kanon__move_engine_split_all(kanon__move_engine *e)
{
    kanon__region *r = e->region;
    e->threshold = 0;
    for (int32_t group = 0; group < r->n_slots; group++)
        while (r->groups[group].size >= 2 * r->k && r->groups[group].units > 0) {
            int64_t before = r->loss;
            kanon__move_engine_split(e, group);
            if (!kanon__move_engine_accept(e, before))
                break;
        }
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

/* Importance sampling by loss: a group with FOCUS times the average D or more is always tried, others with a probability in
 * proportion to their D. */
static bool is_drawn(kanon__move_engine *e, double relative)
{
    enum { FOCUS = 2 };
    return relative >= FOCUS * kanon__random_unit(&e->random);
}

void kanon__move_engine_step(kanon__move_engine *e)
{
    kanon__region *r = e->region;
    /* 1. One random number gives the record and the kind. */
    uint64_t random = kanon__random_next(&e->random);
    int32_t record = e->window_begin + kanon__scaled((uint32_t)random, e->window_size);
    record = record < r->n ? record : record - r->n;
    int32_t g = r->group_of[record], choice = (int32_t)(random >> 32) & (ALL - 1);
    if (g < 0) {
        kanon__return_record(e, record);
        return;
    }
    double relative = kanon__relative_units(r, g);
    if (!is_drawn(e, relative))
        return;
    e->threshold = kanon__local_threshold(e->threshold, relative);
    /* 2. The moves do 3. and 4. */
    if (choice < DISSOLVE) {
        dissolve(e, g);
    } else if (choice < DISSOLVE + OPEN) {
        open_group(e, record);
    } else if (choice < DISSOLVE + OPEN + e->regroup_share) {
        kanon__move_engine_regroup(e, record, 2 + (int32_t)((random >> 48) % (uint32_t)(e->most_groups - 1)));
    } else if (choice < DISSOLVE + OPEN + e->regroup_share + e->slab_share) {
        move_slab(e, g);
    } else if (choice >= ALL - e->suppress_share && kanon__can_trim(e, g)) {
        kanon__trim_group(e, g);
    } else {
        int32_t near = kanon__draw_near(e, record);
        if (near < 0 || r->group_of[near] == g)
            return;
        if (r->groups[g].size > r->k && (choice & 3) != 0)
            relocate(e, record, r->group_of[near]);
        else
            replace(e, record, r->group_of[near]);
    }
}
