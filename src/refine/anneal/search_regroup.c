/* Taking a few neighbouring groups apart and making new ones of their records: each new group begins with a random
 * record and grows by the one that costs least until it has k. That is tried a few times, with other beginnings, and
 * the best is taken; who is left over joins the cheapest of the new groups or of the groups around. One record at a
 * time could not do this: on the way there, a group of one kind of people would have to take in another kind, at the
 * price of all of them. */
#include "refine/anneal/search_moves.h"

#include <string.h>

enum { MOST = KANON__LOT_GROUPS };

typedef struct regrouping {
    kanon__mover *m;
    int32_t slots[MOST]; /* the groups that are taken apart, and an empty slot where there are more new ones */
    int32_t n_old, n_new;
    int32_t n;               /* records, in m->lot */
    int64_t old_loss;        /* of the groups that are taken apart */
    kanon__attempt *attempt; /* the best one */
    int64_t grown;           /* how much more its groups cost than the old ones, so far, */
    int32_t sizes[MOST];     /* and how many records they have */
} regrouping;

/* Of the new groups one after the other, then those left over. */
static int32_t record_at(const regrouping *r, int32_t i)
{
    return r->m->lot.records[r->attempt->taken[i]];
}

static bool is_old(const regrouping *r, int32_t group)
{
    for (int32_t i = 0; i < r->n_old; i++)
        if (r->slots[i] == group)
            return true;
    return false;
}

/* Groups of records near this one, in a random order. */
static void look_around(regrouping *r, int32_t record, int32_t n_groups)
{
    const kanon__patch *p = r->m->patch;
    int32_t tuple = p->tuple_of[record], begin = p->near_begins[tuple], n = p->near_begins[tuple + 1] - begin;
    uint64_t random = kanon__random_next(&r->m->random);
    int32_t at = kanon__scaled((uint32_t)random, n);
    for (int32_t i = 0; i < n && r->n_old < n_groups; i++, at = at + 1 < n ? at + 1 : 0) {
        int32_t near = p->near[begin + at], first = p->tuple_begins[near];
        int32_t group = p->group_of[first + kanon__scaled((uint32_t)(random >> 32), p->tuple_begins[near + 1] - first)];
        if (is_old(r, group))
            continue;
        r->slots[r->n_old++] = group;
    }
}

/* The record's group and others near it. */
static bool gather(regrouping *r, int32_t record, int32_t n_groups)
{
    enum { TRIES = 4 };
    kanon__mover *m = r->m;
    const kanon__patch *p = m->patch;
    r->slots[0] = p->group_of[record];
    r->n_old = 1;
    look_around(r, record, n_groups);
    for (int i = 0; i < TRIES && r->n_old < n_groups; i++)
        look_around(r, kanon__draw_member(m, r->slots[0]), n_groups);
    if (r->n_old < n_groups)
        return false;
    for (int32_t i = 0; i < r->n_old; i++) {
        const kanon__patch_group *g = &p->groups[r->slots[i]];
        r->n += g->size;
        r->old_loss += (int64_t)g->size * g->units;
    }
    return r->n <= m->lot.room;
}

/* As many groups as can be made of the records, now and then one less. */
static bool choose_number(regrouping *r)
{
    enum { FEWER = 410 }; /* of 4096 times */
    const kanon__patch *p = r->m->patch;
    r->n_new = r->n_old;
    if ((int)(kanon__random_next(&r->m->random) >> 52) < FEWER) {
        r->n_new--;
    } else if (r->n >= (r->n_old + 1) * p->k && kanon__patch_slot(p) >= 0) {
        r->slots[r->n_old] = kanon__patch_slot(p);
        r->n_new++;
    }
    return r->n_new > 0;
}

static void widen(uint32_t *rim, int m, const uint32_t *record)
{
    for (int i = 0; i < m; i++) {
        rim[i] = record[i] < rim[i] ? record[i] : rim[i];
        rim[m + i] = record[i] > rim[m + i] ? record[i] : rim[m + i];
    }
}

/* The cheapest of a few groups around that are not taken apart, if it is cheaper than *least; -1: none. */
static int32_t find_outside(const regrouping *r, int32_t record, int32_t first_left, int32_t at, int64_t *least)
{
    enum { TRIES = 4 };
    kanon__mover *m = r->m;
    const kanon__patch *p = m->patch;
    int32_t best = -1;
    for (int i = 0; i < TRIES; i++) {
        int32_t near = kanon__draw_near(m, record), group = near < 0 ? -1 : p->group_of[near];
        bool good = group >= 0 && group != best && !is_old(r, group) && p->groups[group].size < 2 * p->k - 1;
        for (int32_t j = first_left; good && j < at; j++) /* who has a guest already costs more than is known here */
            good = m->hosts[j] != MOST + group;
        int64_t cost = good ? kanon__patch_join(p, group, record) : INT64_MAX;
        if (cost < *least) {
            *least = cost;
            best = group;
        }
    }
    return best;
}

/* Find a host for a record that is left over: a new group's number, or MOST + a group around. False: there is none that
 * keeps the step within what is allowed. */
static bool place(regrouping *r, int32_t first_left, int32_t at)
{
    kanon__mover *m = r->m;
    const kanon__patch *p = m->patch;
    int d = p->costs->n_dimensions;
    int32_t record = record_at(r, at), best = -1;
    const uint32_t *own = kanon__patch_record(p, record);
    int64_t least = INT64_MAX;
    uint32_t least_units = 0;
    for (int32_t i = 0; i < r->n_new; i++) {
        uint32_t units = kanon__costs_units(p->costs, r->attempt->rims + i * 2 * d, NULL, own);
        int64_t cost = (int64_t)(r->sizes[i] + 1) * units - (int64_t)r->sizes[i] * r->attempt->units[i];
        if (cost < least && r->sizes[i] < 2 * p->k - 1) {
            least = cost;
            least_units = units;
            best = i;
        }
    }
    int32_t outside = find_outside(r, record, first_left, at, &least);
    if (least == INT64_MAX || (r->grown += least) > m->allowed)
        return false;
    m->hosts[at] = outside >= 0 ? MOST + outside : best;
    if (outside >= 0)
        return true;
    r->sizes[best]++;
    r->attempt->units[best] = least_units;
    widen(r->attempt->rims + best * 2 * d, d, own);
    return true;
}

/* A new group takes over the slot of its seed where that is not taken, so that few records have to move. */
static void choose_slots(const regrouping *r, int32_t *slot_of)
{
    const kanon__patch *p = r->m->patch;
    bool taken[MOST] = {false};
    int32_t n_slots = r->n_new > r->n_old ? r->n_new : r->n_old;
    for (int32_t i = 0; i < r->n_new; i++) {
        slot_of[i] = -1;
        for (int32_t j = 0; j < n_slots; j++)
            if (!taken[j] && r->slots[j] == p->group_of[record_at(r, i * (int32_t)p->k)]) {
                slot_of[i] = r->slots[j];
                taken[j] = true;
            }
    }
    for (int32_t i = 0, j = 0; i < r->n_new; i++) {
        if (slot_of[i] >= 0)
            continue;
        while (taken[j])
            j++;
        slot_of[i] = r->slots[j];
        taken[j] = true;
    }
}

static void carry_out(const regrouping *r)
{
    kanon__mover *m = r->m;
    kanon__patch *p = m->patch;
    int32_t slot_of[MOST], n_moved = 0, n_grown = (int32_t)(r->n_new * p->k);
    int64_t before = p->loss;
    choose_slots(r, slot_of);
    for (int32_t i = 0; i < r->n; i++) {
        int32_t host = i < n_grown ? i / (int32_t)p->k : m->hosts[i], to = host >= MOST ? host - MOST : slot_of[host];
        if (to == p->group_of[record_at(r, i)])
            continue;
        m->hosts[n_moved] = to;
        m->scratch[n_moved++] = record_at(r, i);
    }
    for (int32_t i = 0; i < n_moved; i++)
        kanon__mover_lift(m, m->scratch[i]);
    for (int32_t i = 0; i < n_moved; i++)
        kanon__patch_add(p, m->hosts[i], m->scratch[i]);
    if (n_moved > 0)
        kanon__mover_settle(m, before);
}

static int32_t draw_free(kanon__mover *m, const kanon__attempt *a)
{
    int32_t seed;
    do
        seed = kanon__scaled((uint32_t)kanon__random_next(&m->random), m->lot.n);
    while (!kanon__attempt_has(a, seed));
    return seed;
}

/* One more group in each of the attempts. */
static void add_group(regrouping *r, uint32_t attempts, int32_t group)
{
    kanon__mover *m = r->m;
    kanon__lot *lot = &m->lot;
    int32_t seeds[KANON__LOT_ATTEMPTS];
    bool last = (group + 1) * (int32_t)m->patch->k == r->n;
    for (int i = 0; i < KANON__LOT_ATTEMPTS; i++) {
        if (!(attempts >> i & 1))
            continue;
        if (last)
            kanon__lot_take_rest(lot, m->patch, &lot->attempts[i], group);
        else
            seeds[i] = draw_free(m, &lot->attempts[i]);
    }
    if (!last)
        kanon__lot_grow(lot, m->patch, attempts, group, seeds);
}

/* What a new group hardly ever costs less than: three quarters of the cheapest old one. */
static int64_t least_of_a_group(const regrouping *r)
{
    const kanon__patch *p = r->m->patch;
    int64_t least = INT64_MAX;
    for (int32_t i = 0; i < r->n_old; i++)
        least = p->groups[r->slots[i]].units < least ? p->groups[r->slots[i]].units : least;
    return p->k * least * 3 / 4;
}

/* Make new groups in several ways and keep the best; false: all of them cost too much. */
static bool make_groups(regrouping *r)
{
    kanon__mover *m = r->m;
    int64_t losses[KANON__LOT_ATTEMPTS] = {0}, k = m->patch->k, most = r->old_loss + m->allowed, least = INT64_MAX;
    int64_t expected = least_of_a_group(r);
    uint32_t attempts = (1u << KANON__LOT_ATTEMPTS) - 1;
    for (int32_t group = 0; group < r->n_new && attempts != 0; group++) {
        add_group(r, attempts, group);
        for (int i = 0; i < KANON__LOT_ATTEMPTS; i++) {
            losses[i] += k * m->lot.attempts[i].units[group];
            if (losses[i] + (r->n_new - group - 1) * expected > most)
                attempts &= ~(1u << i);
        }
    }
    for (int i = 0; i < KANON__LOT_ATTEMPTS; i++)
        if (attempts >> i & 1 && losses[i] < least) {
            least = losses[i];
            r->attempt = &m->lot.attempts[i];
        }
    r->grown = least - r->old_loss;
    return attempts != 0;
}

/* Find a place for everybody who is left over. */
static bool place_rest(regrouping *r)
{
    kanon__attempt *a = r->attempt;
    int32_t first = a->n_taken;
    for (int32_t i = 0; i < r->n_new; i++)
        r->sizes[i] = (int32_t)r->m->patch->k;
    for (int32_t at = 0; at < r->n; at++)
        if (kanon__attempt_has(a, at))
            a->taken[a->n_taken++] = at;
    for (int32_t at = first; at < r->n; at++)
        if (!place(r, first, at))
            return false;
    return true;
}

void kanon__mover_regroup(kanon__mover *m, int32_t record, int32_t n_groups)
{
    regrouping r = {.m = m};
    if (!gather(&r, record, n_groups) || !choose_number(&r))
        return;
    kanon__lot_fill(&m->lot, m->patch, r.slots, r.n_old);
    if (make_groups(&r) && place_rest(&r))
        carry_out(&r);
}

/* ---- splitting --------------------------------------------------------------------------------------------------- */

/* By the coordinate on dimension i, ascending; insertion, since there are few records or it is hardly ever done. */
static void sort_by(const kanon__patch *p, int32_t *records, int32_t n, int i)
{
    for (int32_t a = 1; a < n; a++) {
        int32_t record = records[a], at = a;
        uint32_t own = kanon__patch_record(p, record)[i];
        for (; at > 0 && kanon__patch_record(p, records[at - 1])[i] > own; at--)
            records[at] = records[at - 1];
        records[at] = record;
    }
}

/* |P| D(P) of some records. */
static int64_t loss_of(kanon__mover *m, const int32_t *records, int32_t n)
{
    const kanon__patch *p = m->patch;
    int d = p->costs->n_dimensions;
    memcpy(m->rims, kanon__patch_record(p, records[0]), (size_t)d * sizeof *m->rims);
    memcpy(m->rims + d, m->rims, (size_t)d * sizeof *m->rims);
    for (int32_t i = 1; i < n; i++)
        widen(m->rims, d, kanon__patch_record(p, records[i]));
    return (int64_t)n * kanon__costs_units(p->costs, m->rims, NULL, NULL);
}

/* Put the half that is to go first. */
static void choose_half(kanon__mover *m, int32_t n, int32_t half)
{
    const kanon__patch *p = m->patch;
    int64_t least = INT64_MAX;
    int best = 0;
    for (int i = 0; i < p->costs->n_dimensions; i++) {
        sort_by(p, m->scratch, n, i);
        int64_t loss = loss_of(m, m->scratch, half) + loss_of(m, m->scratch + half, n - half);
        if (loss < least) {
            least = loss;
            best = i;
        }
    }
    sort_by(p, m->scratch, n, best);
}

void kanon__mover_split(kanon__mover *m, int32_t group)
{
    kanon__patch *p = m->patch;
    int32_t n = p->groups[group].size, half = n / 2, slot = kanon__patch_slot(p);
    const int32_t *members = kanon__patch_members(p, group);
    if (slot < 0)
        return;
    if (half <= 2 * p->k) {
        memcpy(m->scratch, members, (size_t)n * sizeof *m->scratch);
        choose_half(m, n, half);
    } else { /* very large: those that came last into the patch stand near each other in the index */
        half = (int32_t)(2 * p->k);
        memcpy(m->scratch, members + n - half, (size_t)half * sizeof *m->scratch);
    }
    for (int32_t i = 0; i < half; i++) {
        kanon__mover_lift(m, m->scratch[i]);
        kanon__patch_add(p, slot, m->scratch[i]);
    }
}
