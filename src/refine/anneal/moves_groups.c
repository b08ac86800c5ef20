/* Moves of whole groups: dissolve, open, merge; and the groups near a record.
 *
 * Groups near a record are those of its neighbours or, where violations have a price, also one step further, of the
 * neighbours of their members: where groups are large, the tuples nearest to a record are all in its own group. Where
 * they are far larger than k, half of them are those with the nearest boxes (group_lists.h): the neighbours' groups are
 * then too few to choose from. */
#include "refine/anneal/moves.h"

/* ---- groups near a record ---------------------------------------------------------------------------------------- */

/* Of two groups on the list of the record's group the one that it can join at less cost, as far as they have not been
 * emptied since; -1: they have. */
static int32_t draw_listed(kanon__move_engine *e, int32_t record)
{
    const kanon__region *r = e->region;
    int32_t own = r->group_of[record], n = e->lists.n[own];
    const int32_t *list = kanon__group_list(&e->lists, own);
    uint64_t random = kanon__random_next(&e->random);
    int32_t a = list[kanon__scaled((uint32_t)random, n)], b = list[kanon__scaled((uint32_t)(random >> 32), n)];
    if (r->groups[a].size == 0 || r->groups[b].size == 0)
        return r->groups[a].size > 0 ? a : r->groups[b].size > 0 ? b : -1;
    return kanon__region_join_delta(r, b, record) < kanon__region_join_delta(r, a, record) ? b : a;
}

int32_t kanon__draw_group(kanon__move_engine *e, int32_t record)
{
    enum { FURTHER = 4 }; /* of 16 draws with prices */
    const kanon__region *r = e->region;
    int32_t own = r->group_of[record], listed = e->mix.list_share;
    if (listed > 0 && e->lists.n[own] > 0 && (int32_t)(kanon__random_next(&e->random) & 15) < listed)
        return draw_listed(e, record);
    int32_t near = kanon__draw_near(e, record);
    if (near < 0)
        return -1;
    int32_t group = r->group_of[near];
    if (e->prices != NULL && (group == own || (int)(kanon__random_next(&e->random) & 15) < FURTHER)) {
        near = kanon__draw_near(e, kanon__draw_member(e, group));
        group = near < 0 ? own : r->group_of[near];
    }
    return group != own ? group : -1;
}

/* ---- dissolve ---------------------------------------------------------------------------------------------------- */

/* The cheapest of a few groups near the record with room, other than its own; -1: none was drawn. */
static int32_t find_target(kanon__move_engine *e, int32_t record)
{
    enum { TRIES = 8 };
    const kanon__region *r = e->region;
    int32_t best = -1;
    int64_t least = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int32_t group = kanon__draw_group(e, record);
        if (group < 0 || group == best ||
            r->groups[group].size >= (e->prices == NULL ? 2 * r->k - 1 : r->groups[group].capacity))
            continue;
        int64_t cost = kanon__region_join_delta(r, group, record);
        if (cost < least) {
            least = cost;
            best = group;
        }
    }
    return best;
}

/* Every member goes to a group near it and sees where those before it went. Fails where one finds none. */
void kanon__move_dissolve(kanon__move_engine *e, int32_t record, uint64_t random, int32_t rest)
{
    enum { MOST = 64 }; /* larger ones are rarely accepted and take long */
    (void)random;
    (void)rest;
    kanon__region *r = e->region;
    int32_t group = r->group_of[record];
    int64_t before = r->loss;
    if (e->prices != NULL && r->groups[group].size > MOST) /* others have fewer than 2k records */
        return;
    while (r->groups[group].size > 0) {
        int32_t last = kanon__region_members(r, group)[r->groups[group].size - 1], target = find_target(e, last);
        if (target < 0) {
            kanon__move_reject(e);
            return;
        }
        kanon__move_put(e, last, target);
    }
    kanon__move_accept(e, before);
}

/* ---- open, merge ------------------------------------------------------------------------------------------------- */

/* A new group around a record, of records that near groups have beyond k; around a suppressed one, of suppressed ones,
 * too. */
void kanon__move_open(kanon__move_engine *e, int32_t record, uint64_t random, int32_t rest)
{
    (void)random;
    (void)rest;
    kanon__region *r = e->region;
    int32_t slot = kanon__region_empty_slot(r);
    int64_t before = r->loss;
    bool suppressed = r->group_of[record] < 0;
    if (slot < 0 || (!suppressed && r->groups[r->group_of[record]].size <= r->k))
        return;
    kanon__move_put(e, record, slot);
    for (int64_t tries = 8 * r->k; r->groups[slot].size < r->k && tries > 0; tries--) {
        int32_t near = kanon__draw_any_near(e, kanon__draw_member(e, slot)), from = near < 0 ? slot : r->group_of[near];
        if (from != slot && (from >= 0 ? r->groups[from].size > r->k : suppressed))
            kanon__move_put(e, near, slot);
    }
    if (r->groups[slot].size < r->k)
        kanon__move_reject(e);
    else
        kanon__move_accept(e, before);
}

void kanon__merge_groups(kanon__move_engine *e, int32_t from, int32_t to)
{
    const kanon__region *r = e->region;
    int64_t delta = kanon__region_joint_loss(r, from, to) - kanon__region_loss_of(r, from) - kanon__region_loss_of(r, to);
    if (delta > e->allowed + kanon__paid(e, to))
        return;
    const int32_t *members = kanon__region_members(r, from);
    for (int32_t i = 0; i < r->groups[from].size; i++)
        kanon__move_add(e, members[i], to);
    kanon__move_commit(e, delta, -1);
}
