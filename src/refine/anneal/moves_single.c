/* Moves of one to three records.
 *
 *     relocate   the record goes to a near group; its own has more than k
 *     exchange   two records change groups
 *     refill     the record goes to a near group, a third group's spare record takes its place
 *     rotate     three records change groups in a cycle
 *     trade      where violations have a price: two records change groups, at best of equal values: no violation changes
 *     help       likewise: a group that violates a constraint gets the record that it needs
 *
 * Most moves of a search are these, so they are compiled twice: `priced` is a constant, and false removes all that
 * looks at violations. */
#include "refine/anneal/moves.h"

#define SINGLE_MOVE static inline __attribute__((always_inline)) void

static inline int64_t paid(const kanon__move_engine *e, int32_t group, bool priced)
{
    return priced ? kanon__paid(e, group) : 0;
}

/* The record goes to another group, together with the moves that are listed already; `delta`: what these change, and
 * that it leaves. With prices groups may grow beyond 2k. */
SINGLE_MOVE join(kanon__move_engine *e, int32_t record, int32_t to, int64_t delta, int64_t most, bool priced)
{
    const kanon__region *r = e->region;
    if (delta + r->groups[to].units > most) /* a new member costs at least D */
        return;
    if (!priced && r->groups[to].size >= r->groups[to].capacity)
        return;
    delta += kanon__region_join_delta(r, to, record);
    if (delta > most)
        return;
    kanon__move_add(e, record, to);
    kanon__move_commit(e, delta, to);
}

SINGLE_MOVE relocate(kanon__move_engine *e, int32_t record, int32_t to, bool priced)
{
    int32_t from = e->region->group_of[record];
    int64_t most = e->threshold + paid(e, from, priced) + paid(e, to, priced);
    join(e, record, to, kanon__region_leave_delta(e->region, from, record), most, priced);
}

static inline int64_t exchange_delta(const kanon__region *r, int32_t left, int32_t right)
{
    return kanon__region_replace_delta(r, r->group_of[left], left, right) +
           kanon__region_replace_delta(r, r->group_of[right], right, left);
}

SINGLE_MOVE exchange(kanon__move_engine *e, int32_t left, int32_t right, bool priced)
{
    const kanon__region *r = e->region;
    int32_t g = r->group_of[left], h = r->group_of[right];
    int64_t delta = exchange_delta(r, left, right);
    if (delta > e->threshold + paid(e, g, priced) + paid(e, h, priced))
        return;
    kanon__move_add(e, left, h);
    kanon__move_add(e, right, g);
    kanon__move_commit(e, delta, -1);
}

/* `substitute` comes out of a group with more than k. */
SINGLE_MOVE refill(kanon__move_engine *e, int32_t record, int32_t to, int32_t substitute, bool priced)
{
    const kanon__region *r = e->region;
    int32_t g = r->group_of[record], f = r->group_of[substitute];
    int64_t most = e->threshold + paid(e, g, priced) + paid(e, f, priced) + paid(e, to, priced);
    int64_t delta = kanon__region_replace_delta(r, g, record, substitute) + kanon__region_leave_delta(r, f, substitute);
    kanon__move_add(e, substitute, g);
    join(e, record, to, delta, most, priced);
}

/* a takes b's place, b takes c's, c takes a's. */
SINGLE_MOVE rotate(kanon__move_engine *e, int32_t a, int32_t b, int32_t c, bool priced)
{
    const kanon__region *r = e->region;
    int32_t from_a = r->group_of[a], from_b = r->group_of[b], from_c = r->group_of[c];
    int64_t delta = kanon__region_replace_delta(r, from_a, a, c) + kanon__region_replace_delta(r, from_b, b, a) +
                    kanon__region_replace_delta(r, from_c, c, b);
    if (delta > e->threshold + paid(e, from_a, priced) + paid(e, from_b, priced) + paid(e, from_c, priced))
        return;
    kanon__move_add(e, a, from_b);
    kanon__move_add(e, b, from_c);
    kanon__move_add(e, c, from_a);
    kanon__move_commit(e, delta, -1);
}

/* The record goes to a near group although its own has no record to spare: a record near its companions takes its
 * place. It comes from that same group (exchange), from a group with more than k (refill), or from a third group, which
 * gets a record of `to` (rotate). */
SINGLE_MOVE replace(kanon__move_engine *e, int32_t record, int32_t to, bool priced)
{
    const kanon__region *r = e->region;
    int32_t g = r->group_of[record], companion = kanon__draw_member(e, g);
    int32_t substitute = companion != record ? kanon__draw_near(e, companion) : -1;
    int32_t f = substitute < 0 ? g : r->group_of[substitute];
    if (f == g)
        exchange(e, record, kanon__draw_member(e, to), priced);
    else if (f == to)
        exchange(e, record, substitute, priced);
    else if (r->groups[f].size > r->k)
        refill(e, record, to, substitute, priced);
    else
        rotate(e, record, kanon__draw_member(e, to), substitute, priced);
}

/* ---- by values --------------------------------------------------------------------------------------------------- */

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

/* The record changes places with the member of a group that costs least. Where the violation forbids it, the next
 * cheapest is tried; a member with the same value is never forbidden. */
static void trade(kanon__move_engine *e, int32_t record, int32_t with)
{
    enum { MOST = 32 };
    const kanon__region *r = e->region;
    const kanon__prices *p = e->prices;
    const int32_t *members = kanon__region_members(r, with);
    int32_t g = r->group_of[record], size = r->groups[with].size, n = size < MOST ? size : MOST, n_partners = 0;
    int32_t at = kanon__scaled((uint32_t)kanon__random_next(&e->random), size);
    int64_t most = e->threshold + kanon__paid(e, g) + kanon__paid(e, with);
    partner partners[PARTNERS];
    e->work += n / 2;
    for (int32_t i = 0; i < n; i++, at = at + 1 < size ? at + 1 : 0) {
        bool same = p->by_value && p->value_of[members[at]] == p->value_of[record];
        int64_t delta = exchange_delta(r, record, members[at]);
        if (delta <= (same ? e->threshold : most))
            n_partners = insert_partner(partners, n_partners, (partner){delta, members[at]});
    }
    for (int32_t i = 0; i < n_partners; i++) {
        kanon__move_add(e, record, with);
        kanon__move_add(e, partners[i].record, g);
        if (kanon__move_commit(e, partners[i].delta, -1))
            return;
    }
}

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
static void set_moves(kanon__move_engine *e, int32_t group, int32_t gone, int32_t come)
{
    e->n_moves = 0;
    if (gone >= 0)
        kanon__move_add(e, gone, e->region->group_of[come]);
    kanon__move_add(e, come, group);
}

/* A member of another group joins, in exchange for the record or (gone = -1) for none: the one with which loss and
 * violation cost least. */
static void help(kanon__move_engine *e, int32_t group, int32_t gone, int32_t from)
{
    enum { MOST = 64, TRY = 12 };
    const kanon__region *r = e->region;
    kanon__prices *p = e->prices;
    const int32_t *members = kanon__region_members(r, from);
    int32_t n = r->groups[from].size < MOST ? r->groups[from].size : MOST, best = -1;
    int64_t most = e->threshold + kanon__paid(e, group) + kanon__paid(e, from), least = e->threshold;
    value_choice c = {0};
    e->work += n / 2;
    for (int32_t i = 0; i < n; i++) {
        int64_t delta = gone >= 0 ? exchange_delta(r, gone, members[i])
                                  : kanon__region_leave_delta(r, from, members[i]) +
                                        kanon__region_join_delta(r, group, members[i]);
        if (delta <= most)
            note_choice(&c, p->value_of[members[i]], (partner){delta, members[i]});
    }
    for (int32_t i = 0; i < c.n && p->status == KANON_OK; i++) {
        set_moves(e, group, gone, c.partners[i].record);
        int64_t cost = c.partners[i].delta + kanon__prices_try(p, e->moves, e->n_moves);
        e->work += TRY;
        if (cost <= least) {
            least = cost;
            best = i;
        }
    }
    if (best < 0)
        return;
    set_moves(e, group, gone, c.partners[best].record);
    kanon__move_commit(e, c.partners[best].delta, -1);
}

/* ---- the kinds --------------------------------------------------------------------------------------------------- */

/* Not inlined: each of the two then saves the registers that it needs alone. */
static __attribute__((noinline)) void move_free(kanon__move_engine *e, int32_t record, int32_t draw)
{
    const kanon__region *r = e->region;
    int32_t g = r->group_of[record], near = kanon__draw_near(e, record);
    if (near < 0 || r->group_of[near] == g)
        return;
    if (r->groups[g].size > r->k && (draw & 3) != 0)
        relocate(e, record, r->group_of[near], false);
    else
        replace(e, record, r->group_of[near], false);
}

static __attribute__((noinline)) void move_priced(kanon__move_engine *e, int32_t record, int32_t draw)
{
    enum { MERGE = 40 }; /* of the draws of groups that violate */
    const kanon__region *r = e->region;
    int32_t g = r->group_of[record], to = kanon__draw_group(e, record);
    bool violates = e->prices->violations[g] > 0;
    if (to < 0)
        return;
    if (violates && (draw -= MERGE) < 0)
        kanon__merge_groups(e, g, to);
    else if (violates && (draw & 32) != 0)
        help(e, g, r->groups[to].size <= r->k || (draw & 64) != 0 ? record : -1, to);
    else if ((draw & 15) < e->mix.trade_share)
        trade(e, record, to);
    else if (r->groups[g].size > r->k && (draw & 16) == 0)
        relocate(e, record, to, true);
    else
        replace(e, record, to, true);
}

void kanon__move_single(kanon__move_engine *e, int32_t record, uint64_t random, int32_t rest)
{
    if (e->prices == NULL)
        move_free(e, record, (int32_t)(random >> 32));
    else
        move_priced(e, record, rest);
}
