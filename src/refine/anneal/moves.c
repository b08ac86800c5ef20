/* One step of the local search: draw a record and a kind of move, evaluate the move, keep it or not.
 *
 *   1. Draw a record of the window. Groups that lose little and violate nothing are skipped more often. The threshold
 *      is that of the group.
 *   2. Draw the kind of move (moves.def, mix.h).
 *   3. Evaluate it by the deltas of region.h. Most moves end here, before anything has changed. Where constraints have
 *      a price, it is rejected if the change of the loss, minus what all touched groups pay, exceeds the threshold:
 *      before any violation is computed.
 *   4. Compute what it changes about prices, and carry it out or not. Without prices, split a group that has reached 2k
 *      records. */
#include "refine/anneal/moves.h"

#include "core/alloc.h"
#include "refine/anneal/suppressed_records.h"

kanon_status kanon__move_engine_init(kanon__move_engine *out, kanon__region *region, uint64_t seed, uint64_t stream,
                                     kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t room = (int64_t)region->n + 8, m = region->costs->n_dimensions;
    *out = (kanon__move_engine){.region = region, .mix = kanon__mix_choose(region->k), .window_size = region->n};
    kanon__random_init(&out->random, seed, stream);
    KANON_TRY(kanon__new_array(&out->moves, 2 * room, "moves", err), out);
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

kanon_status kanon__move_engine_use_prices(kanon__move_engine *e, const kanon__constraints *constraints, double price,
                                           kanon_error *err)
{
    kanon_status st = kanon__prices_new(&e->prices, constraints, e->region, price, err);
    if (st != KANON_OK)
        return st;
    kanon__mix_with_prices(&e->mix, e->region, e->prices);
    return e->mix.list_share > 0 ? kanon__group_lists_init(&e->lists, e->region, err) : KANON_OK;
}

kanon_status kanon__move_engine_use_slabs(kanon__move_engine *e, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (e->mix.slab_share == 0)
        return KANON_OK;
    kanon__mix_set(&e->mix, KANON__MOVE_slab, e->mix.slab_share);
    if (e->lists.n == NULL)
        KANON_TRY(kanon__group_lists_init(&e->lists, e->region, err), out);
    KANON_TRY(kanon__slab_workspace_init(&e->slabs, e->region, &e->lists, err), out);
    if (e->prices != NULL)
        e->slabs.most_in_host = INT64_MAX;
out:
    return st;
}

void kanon__move_engine_use_suppression(kanon__move_engine *e)
{
    enum { SHARE = 160 };
    kanon__mix_set(&e->mix, KANON__MOVE_trim, e->region->most_suppressed > 0 ? SHARE : 0);
}

void kanon__move_engine_clear(kanon__move_engine *e)
{
    kanon__slab_workspace_clear(&e->slabs);
    kanon__group_lists_clear(&e->lists);
    kanon__prices_free(e->prices);
    kanon__free(e->bounds);
    kanon__free(e->targets);
    kanon__regroup_pool_clear(&e->pool);
    kanon__free(e->scratch);
    kanon__free(e->moves);
    *e = (kanon__move_engine){0};
}

/* ---- transactions ------------------------------------------------------------------------------------------------ */

void kanon__move_carry_out(kanon__move_engine *e)
{
    for (int64_t i = 0; i < e->n_moves; i++)
        kanon__region_take_out(e->region, e->moves[i].record);
    for (int64_t i = 0; i < e->n_moves; i++)
        kanon__region_put(e->region, e->moves[i].to, e->moves[i].record);
}

bool kanon__move_commit(kanon__move_engine *e, int64_t delta, int32_t grown)
{
    bool keep = e->prices == NULL || kanon__prices_agree(e->prices, e->moves, e->n_moves, e->threshold - delta);
    if (keep)
        kanon__move_carry_out(e);
    if (keep && e->prices == NULL && grown >= 0 && e->region->groups[grown].size >= 2 * e->region->k)
        kanon__move_split(e, grown);
    e->n_moves = 0;
    return keep;
}

void kanon__move_take(kanon__move_engine *e, int32_t record)
{
    kanon__move_add(e, record, KANON__NOWHERE);
    kanon__region_take_out(e->region, record);
}

void kanon__move_put(kanon__move_engine *e, int32_t record, int32_t to)
{
    kanon__move_take(e, record);
    kanon__region_add(e->region, to, record);
}

/* All out first, so that no group outgrows its capacity on the way. A record that was taken twice goes back to its
 * first group: the entries are read from the first on, and a record that is back is skipped. */
void kanon__move_reject(kanon__move_engine *e)
{
    kanon__region *r = e->region;
    for (int64_t i = e->n_moves - 1; i >= 0; i--)
        if (r->group_of[e->moves[i].record] != KANON__NOWHERE) {
            kanon__region_take_out(r, e->moves[i].record);
            r->group_of[e->moves[i].record] = KANON__NOWHERE;
        }
    for (int64_t i = 0; i < e->n_moves; i++)
        if (r->group_of[e->moves[i].record] == KANON__NOWHERE)
            kanon__region_put(r, e->moves[i].from, e->moves[i].record);
    e->n_moves = 0;
}

bool kanon__move_accept(kanon__move_engine *e, int64_t loss_before)
{
    const kanon__region *r = e->region;
    bool keep = r->loss - loss_before <= e->allowed;
    if (keep && e->prices != NULL) {
        for (int64_t i = 0; i < e->n_moves; i++)
            e->moves[i].to = r->group_of[e->moves[i].record];
        keep = kanon__prices_agree(e->prices, e->moves, e->n_moves, e->threshold - (r->loss - loss_before));
    }
    if (!keep)
        kanon__move_reject(e);
    e->n_moves = 0;
    return keep;
}

void kanon__move_engine_split_all(kanon__move_engine *e)
{
    kanon__region *r = e->region;
    for (int32_t group = 0; group < r->n_slots; group++)
        while (r->groups[group].size >= 2 * r->k && r->groups[group].units > 0) {
            kanon__move_split(e, group);
            e->n_moves = 0;
        }
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

/* Importance sampling by loss: a group that violates a constraint, or has FOCUS times the average D or more, is always
 * tried, others with a probability in proportion to their D. */
static bool is_drawn(kanon__move_engine *e, int32_t group, double relative)
{
    enum { FOCUS = 2 };
    return (e->prices != NULL && e->prices->violations[group] > 0) ||
           relative >= FOCUS * kanon__random_unit(&e->random);
}

int64_t kanon__move_engine_step(kanon__move_engine *e)
{
    static void (*const MOVES[])(kanon__move_engine *, int32_t, uint64_t, int32_t) = {
#define KANON_MOVE(name) kanon__move_##name,
#include "refine/anneal/moves.def"
#undef KANON_MOVE
    };
    const kanon__region *r = e->region;
    /* 1. One random number gives the record and the kind. */
    uint64_t random = kanon__random_next(&e->random);
    int32_t record = e->window_begin + kanon__scaled((uint32_t)random, e->window_size), rest;
    record = record < r->n ? record : record - r->n;
    int32_t g = r->group_of[record];
    e->n_moves = e->work = 0;
    if (e->prices != NULL && e->prices->status != KANON_OK)
        return 0;
    if (g < 0) {
        kanon__move_return(e, record);
        return 0;
    }
    double relative = kanon__relative_units(r, g);
    if (!is_drawn(e, g, relative))
        return 0;
    e->threshold = kanon__local_threshold(e->threshold, relative);
    e->allowed = e->threshold + kanon__paid(e, g);
    /* 2. The moves do 3. and 4. */
    MOVES[kanon__mix_draw(&e->mix, (int32_t)(random >> 32) & (KANON__STEPS - 1), &rest)](e, record, random, rest);
    return e->work / KANON__RECORDS_A_MOVE;
}
