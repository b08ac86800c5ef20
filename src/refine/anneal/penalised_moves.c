/* One step of the local search where violations have a price (penalty.h).
 *
 *   1. Draw a record of the window. Groups that lose little and violate nothing are skipped more often.
 *   2. Draw the kind of move:
 *        relocate   the record goes to a group near it; its own has more than k
 *        trade      two records of equal values change groups: no violation changes
 *        exchange   two records change groups
 *        refill     the record goes to a near group, a third group's spare record takes its place
 *        recut      two near groups are cut anew, or one is cut in two (penalised_cuts.c)
 *        merge      two near groups become one
 *        dissolve   the members of a group go to groups near them
 *        regroup    a few groups are taken apart and made anew (regroup_moves.c)
 *        trim       records are suppressed, or suppressed ones return (suppress_moves.c)
 *   3. Reject it where the change of the loss, minus the price of all that the touched groups violate, exceeds the
 *      threshold: most moves end here, before any violation is computed.
 *   4. Compute the change of the violation, and carry it out or not.
 *
 * Groups near a record are those of its neighbours or, one step further, of the neighbours of their members: where groups
 * are large, the tuples nearest to a record are all in its own group. Where they are far larger than k, half of them are
 * those with the nearest boxes (group_lists.h): the neighbours' groups are then too few to choose from.
 *
 * Called by annealing.c. Calls penalty.h, region.h, move_engine.h, suppress_moves.h. */
#include "refine/anneal/penalty.h"
#include "refine/anneal/suppress_moves.h"

/* Out of ALL steps. */
enum { ALL = 4096, DISSOLVE = 10, MERGE = 40 };
/* Of 16 steps with groups near a record so many look one step further. */
enum { FURTHER = 4 };
/* How many groups are compared before two are cut anew. */
enum { MATES = 4 };
/* Looking at so many records takes about as long as a plain move. */
enum { RECORDS_A_MOVE = 12, TRIMMED = 24 };

static inline int64_t paid(const kanon__penalty *p, int32_t group)
{
    return p->violations[group] > 0 ? kanon__penalty_cost(p, p->violations[group]) : 0;
}

/* Of two groups on the list of the record's group the one that it can join at less cost, as far as they have not been emptied
 * since; -1: they have. */
static int32_t draw_listed(kanon__penalty *p, int32_t record)
{
    const kanon__region *r = p->region;
    int32_t own = r->group_of[record], n = p->lists.n[own];
    const int32_t *list = kanon__group_list(&p->lists, own);
    uint64_t random = kanon__random_next(&p->engine->random);
    int32_t a = list[kanon__scaled((uint32_t)random, n)], b = list[kanon__scaled((uint32_t)(random >> 32), n)];
    if (r->groups[a].size == 0 || r->groups[b].size == 0)
        return r->groups[a].size > 0 ? a : r->groups[b].size > 0 ? b : -1;
    return kanon__region_join_delta(r, b, record) < kanon__region_join_delta(r, a, record) ? b : a;
}

/* A group near this record, other than its own; -1: none was drawn. */
static int32_t draw_group(kanon__penalty *p, int32_t record)
{
    kanon__move_engine *e = p->engine;
    const kanon__region *r = p->region;
    int32_t own = r->group_of[record];
    if (p->list_share > 0 && p->lists.n[own] > 0 && (int32_t)(kanon__random_next(&e->random) & 15) < p->list_share)
        return draw_listed(p, record);
    int32_t near = kanon__draw_near(e, record);
    if (near < 0)
        return -1;
    int32_t group = r->group_of[near];
    if (group == own || (int)(kanon__random_next(&e->random) & 15) < FURTHER) { /* one step further */
        near = kanon__draw_near(e, kanon__draw_member(e, group));
        group = near < 0 ? own : r->group_of[near];
    }
    return group != own ? group : -1;
}

/* ---- single records ---------------------------------------------------------------------------------------------- */

static void relocate(kanon__penalty *p, int32_t record, int32_t to)
{
    kanon__region *r = p->region;
    int32_t from = r->group_of[record];
    int64_t most = p->limit + paid(p, from) + paid(p, to);
    int64_t delta = kanon__region_leave_delta(r, from, record);
    if (delta + r->groups[to].units > most) /* a new member costs at least D */
        return;
    delta += kanon__region_join_delta(r, to, record);
    if (delta > most)
        return;
    kanon__penalty_add_move(p, record, to);
    kanon__penalty_move(p, delta);
}

static int64_t exchange_delta(const kanon__region *r, int32_t left, int32_t right)
{
    return kanon__region_replace_delta(r, r->group_of[left], left, right) +
           kanon__region_replace_delta(r, r->group_of[right], right, left);
}

static void exchange(kanon__penalty *p, int32_t left, int32_t right)
{
    kanon__region *r = p->region;
    int32_t g = r->group_of[left], h = r->group_of[right];
    int64_t delta = exchange_delta(r, left, right);
    if (delta > p->limit + paid(p, g) + paid(p, h))
        return;
    kanon__penalty_add_move(p, left, h);
    kanon__penalty_add_move(p, right, g);
    kanon__penalty_move(p, delta);
}

/* A record of the other group, and what the loss changes by when the two change places. */
typedef struct partner {
    int64_t delta;
    int32_t record;
} partner;

enum { PARTNERS = 4 };

/* Keep the cheapest few, ascending. */
static int32_t insert_partner(partner *list, int32_t n, partner one)
{
    int32_t at = n < PARTNERS ? n : PARTNERS;
    if (at == PARTNERS && list[at - 1].delta <= one.delta)
        return n;
    at = at < PARTNERS ? at : PARTNERS - 1;
    for (; at > 0 && list[at - 1].delta > one.delta; at--)
        list[at] = list[at - 1];
    list[at] = one;
    return n < PARTNERS ? n + 1 : n;
}

/* Trade: the record changes places with the member of a group that costs least. Where the violation forbids it, the next
 * cheapest is tried; a member with the same value is never forbidden. */
static void trade(kanon__penalty *p, int32_t record, int32_t with)
{
    enum { MOST = 32 };
    kanon__region *r = p->region;
    const int32_t *members = kanon__region_members(r, with);
    int32_t g = r->group_of[record], size = r->groups[with].size, n = size < MOST ? size : MOST, n_partners = 0;
    int32_t at = kanon__scaled((uint32_t)kanon__random_next(&p->engine->random), size);
    int64_t most = p->limit + paid(p, g) + paid(p, with);
    partner partners[PARTNERS];
    p->work += n / 2;
    for (int32_t i = 0; i < n; i++, at = at + 1 < size ? at + 1 : 0) {
        bool same = p->by_value && p->value_of[members[at]] == p->value_of[record];
        int64_t delta = exchange_delta(r, record, members[at]);
        if (delta <= (same ? p->limit : most))
            n_partners = insert_partner(partners, n_partners, (partner){delta, members[at]});
    }
    for (int32_t i = 0; i < n_partners; i++) {
        p->n_moves = 0;
        kanon__penalty_add_move(p, record, with);
        kanon__penalty_add_move(p, partners[i].record, g);
        if (kanon__penalty_move(p, partners[i].delta))
            return;
    }
}

/* ---- what a violating group needs ---------------------------------------------------------------------------------- */

/* The violation changes by the values that come and go, so that one member for each value is enough: the cheapest. */
enum { VALUES = 24 };

typedef struct value_choice {
    int32_t n;
    uint32_t values[VALUES];
    partner partners[VALUES];
} value_choice;

static void note_choice(value_choice *c, uint32_t value, partner one)
{
    int32_t at = 0;
    while (at < c->n && c->values[at] != value)
        at++;
    if (at == VALUES || (at < c->n && c->partners[at].delta <= one.delta))
        return;
    c->values[at] = value;
    c->partners[at] = one;
    c->n = at < c->n ? c->n : at + 1;
}

/* The moves of a choice: `gone` (-1: no record) leaves the group for `from`, and a member of `from` joins it. */
static void set_moves(kanon__penalty *p, int32_t group, int32_t gone, int32_t come)
{
    int32_t from = p->region->group_of[come];
    p->n_moves = 0;
    if (gone >= 0)
        kanon__penalty_add_move(p, gone, from);
    kanon__penalty_add_move(p, come, group);
}

/* Help: a member of another group joins, in exchange for the record or (gone = -1) for none: the one with which loss and
 * violation cost least. */
static void help(kanon__penalty *p, int32_t group, int32_t gone, int32_t from)
{
    enum { MOST = 64, TRY = 12 };
    kanon__region *r = p->region;
    const int32_t *members = kanon__region_members(r, from);
    int32_t n = r->groups[from].size < MOST ? r->groups[from].size : MOST, best = -1;
    int64_t most = p->limit + paid(p, group) + paid(p, from), least = p->limit;
    value_choice c = {0};
    p->work += n / 2;
    for (int32_t i = 0; i < n; i++) {
        int64_t delta = gone >= 0 ? exchange_delta(r, gone, members[i])
                                  : kanon__region_leave_delta(r, from, members[i]) +
                                        kanon__region_join_delta(r, group, members[i]);
        if (delta <= most)
            note_choice(&c, p->value_of[members[i]], (partner){delta, members[i]});
    }
    for (int32_t i = 0; i < c.n && p->status == KANON_OK; i++) {
        set_moves(p, group, gone, c.partners[i].record);
        int64_t cost = c.partners[i].delta + kanon__penalty_cost(p, kanon__penalty_try(p));
        kanon__penalty_undo(p);
        p->work += TRY;
        if (cost <= least) {
            least = cost;
            best = i;
        }
    }
    if (best < 0)
        return;
    set_moves(p, group, gone, c.partners[best].record);
    kanon__penalty_move(p, c.partners[best].delta);
}

/* The record goes to another group, and `substitute`, out of a third one with more than k, takes its place. */
static void refill(kanon__penalty *p, int32_t record, int32_t to, int32_t substitute)
{
    kanon__region *r = p->region;
    int32_t g = r->group_of[record], f = r->group_of[substitute];
    int64_t most = p->limit + paid(p, g) + paid(p, f) + paid(p, to);
    int64_t delta = kanon__region_replace_delta(r, g, record, substitute) + kanon__region_leave_delta(r, f, substitute);
    if (delta + r->groups[to].units > most)
        return;
    delta += kanon__region_join_delta(r, to, record);
    if (delta > most)
        return;
    kanon__penalty_add_move(p, record, to);
    kanon__penalty_add_move(p, substitute, g);
    kanon__penalty_move(p, delta);
}

/* a takes b's place, b takes c's, c takes a's. */
static void rotate(kanon__penalty *p, int32_t a, int32_t b, int32_t c)
{
    kanon__region *r = p->region;
    int32_t from_a = r->group_of[a], from_b = r->group_of[b], from_c = r->group_of[c];
    int64_t delta = kanon__region_replace_delta(r, from_a, a, c) + kanon__region_replace_delta(r, from_b, b, a) +
                    kanon__region_replace_delta(r, from_c, c, b);
    if (delta > p->limit + paid(p, from_a) + paid(p, from_b) + paid(p, from_c))
        return;
    kanon__penalty_add_move(p, a, from_b);
    kanon__penalty_add_move(p, b, from_c);
    kanon__penalty_add_move(p, c, from_a);
    kanon__penalty_move(p, delta);
}

/* The record leaves a group without a record to spare: one near its companions takes its place. */
static void replace(kanon__penalty *p, int32_t record, int32_t to)
{
    kanon__move_engine *e = p->engine;
    const kanon__region *r = p->region;
    int32_t g = r->group_of[record], companion = kanon__draw_member(e, g);
    int32_t substitute = companion != record ? kanon__draw_near(e, companion) : -1;
    int32_t f = substitute < 0 ? g : r->group_of[substitute];
    if (f == g)
        exchange(p, record, kanon__draw_member(e, to));
    else if (f == to)
        exchange(p, record, substitute);
    else if (r->groups[f].size > r->k)
        refill(p, record, to, substitute);
    else
        rotate(p, record, kanon__draw_member(e, to), substitute);
}

/* ---- whole groups ------------------------------------------------------------------------------------------------ */

/* |P| D(P) of two groups as one. */
static int64_t joint_loss(const kanon__region *r, int32_t left, int32_t right)
{
    return ((int64_t)r->groups[left].size + r->groups[right].size) * kanon__region_joint_units(r, left, right);
}

static void merge(kanon__penalty *p, int32_t from, int32_t to)
{
    const kanon__region *r = p->region;
    int64_t delta = joint_loss(r, from, to) - kanon__region_loss_of(r, from) - kanon__region_loss_of(r, to);
    if (delta > p->limit + paid(p, from) + paid(p, to))
        return;
    const int32_t *members = kanon__region_members(r, from);
    for (int32_t i = 0; i < r->groups[from].size; i++)
        kanon__penalty_add_move(p, members[i], to);
    kanon__penalty_move(p, delta);
}

/* The cheapest of a few groups near the record that no other record of this move goes to; -1: none was drawn. */
static int32_t find_target(kanon__penalty *p, int32_t record, int64_t *least)
{
    enum { TRIES = 6 };
    const kanon__region *r = p->region;
    int32_t best = -1;
    *least = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int32_t group = draw_group(p, record);
        bool good = group >= 0 && group != best;
        for (int32_t j = 0; good && j < p->n_moves; j++)
            good = p->moves[j].to != group;
        int64_t cost = good ? kanon__region_join_delta(r, group, record) : INT64_MAX;
        if (cost < *least) {
            *least = cost;
            best = group;
        }
    }
    return best;
}

/* Dissolve: every member goes to another group near it. */
static void dissolve(kanon__penalty *p, int32_t group)
{
    enum { MOST = 64 };
    const kanon__region *r = p->region;
    const int32_t *members = kanon__region_members(r, group);
    int64_t delta = -kanon__region_loss_of(r, group), most = p->limit + paid(p, group), more;
    if (r->groups[group].size > MOST)
        return;
    for (int32_t i = 0; i < r->groups[group].size; i++) {
        int32_t to = find_target(p, members[i], &more);
        if (to < 0 || (delta += more) > (most += paid(p, to))) {
            p->n_moves = 0;
            return;
        }
        kanon__penalty_add_move(p, members[i], to);
    }
    kanon__penalty_move(p, delta);
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

static bool is_drawn(kanon__penalty *p, int32_t group, double relative)
{
    enum { FOCUS = 2 };
    return p->violations[group] > 0 || relative >= FOCUS * kanon__random_unit(&p->engine->random);
}

/* Regroup moves are accepted by the check of the engine; what the record's group violates is allowed for on top. */
static void regroup(kanon__penalty *p, int32_t record, int32_t n_groups)
{
    p->engine->threshold = p->limit + paid(p, p->region->group_of[record]);
    kanon__move_engine_regroup(p->engine, record, n_groups);
}

/* The same for suppression; false: the group loses too little. */
static bool trim(kanon__penalty *p, int32_t group)
{
    p->engine->threshold = p->limit + paid(p, group);
    if (!kanon__can_trim(p->engine, group))
        return false;
    kanon__trim_group(p->engine, group);
    return true;
}

/* Of a few groups near the record the one that costs least as one with its own. */
static int32_t draw_mate(kanon__penalty *p, int32_t record)
{
    const kanon__region *r = p->region;
    int32_t best = -1, own = r->group_of[record];
    int64_t least = INT64_MAX;
    for (int i = 0; i < MATES; i++) {
        int32_t group = draw_group(p, record);
        if (group < 0 || group == best)
            continue;
        int64_t cost = joint_loss(r, own, group) - kanon__region_loss_of(r, group);
        if (cost < least) {
            least = cost;
            best = group;
        }
    }
    return best;
}

static void change_groups(kanon__penalty *p, int32_t record, int32_t choice)
{
    int32_t g = p->region->group_of[record], h = choice < p->split_share ? g : draw_mate(p, record);
    if (h >= 0 && h != g && (choice & 15) < p->sort_share)
        kanon__penalised_sort_out(p, g, h);
    else if (h >= 0)
        kanon__penalised_recut(p, g, h);
}

/* 2. The moves do 3. and 4. */
static void try_move(kanon__penalty *p, int32_t record, uint64_t random)
{
    const kanon__region *r = p->region;
    int32_t g = r->group_of[record], choice = (int32_t)(random >> 32) & (ALL - 1);
    if (choice >= ALL - p->engine->suppress_share && trim(p, g)) {
        p->work += TRIMMED;
    } else if ((choice -= DISSOLVE) < 0) {
        dissolve(p, g);
    } else if ((choice -= p->regroup_share) < 0) {
        regroup(p, record, 2 + (int32_t)((random >> 48) % (uint32_t)(p->engine->most_groups - 1)));
    } else if ((choice -= p->cut_share) < 0) {
        change_groups(p, record, choice + p->cut_share);
    } else {
        int32_t to = draw_group(p, record);
        if (to < 0)
            return;
        if (p->violations[g] > 0 && (choice -= MERGE) < 0)
            merge(p, g, to);
        else if (p->violations[g] > 0 && (choice & 32) != 0)
            help(p, g, r->groups[to].size <= r->k || (choice & 64) != 0 ? record : -1, to);
        else if ((choice & 15) < p->trade_share)
            trade(p, record, to);
        else if (r->groups[g].size > r->k && (choice & 16) == 0)
            relocate(p, record, to);
        else
            replace(p, record, to);
    }
}

int64_t kanon__penalised_step(kanon__penalty *p)
{
    kanon__move_engine *e = p->engine;
    kanon__region *r = p->region;
    /* 1. One random number gives the record and the kind. */
    uint64_t random = kanon__random_next(&e->random);
    int32_t record = e->window_begin + kanon__scaled((uint32_t)random, e->window_size);
    record = record < r->n ? record : record - r->n;
    int32_t g = r->group_of[record];
    p->n_moves = 0;
    p->limit = e->threshold;
    p->work = 0;
    if (p->status == KANON_OK && g < 0)
        kanon__return_record(e, record);
    if (p->status != KANON_OK || g < 0)
        return 0;
    double relative = kanon__relative_units(r, g);
    if (!is_drawn(p, g, relative))
        return 0;
    p->limit = kanon__local_threshold(e->threshold, relative);
    try_move(p, record, random);
    return p->work / RECORDS_A_MOVE;
}
