#include "refine/anneal/search_moves.h"

#include "core/alloc.h"

enum { ALL = 4096, DISSOLVE = 1, OPEN = 1 };

/* Of ALL steps, so many make groups anew. That does what single records cannot but takes longer the larger k is; so it is
 * done less often then, and with fewer groups at a time. */
static void choose_mix(kanon__mover *m)
{
    int64_t k = m->patch->k;
    m->regroups = k < 3 ? 2000 : k <= 12 ? 1200 : k <= 25 ? 800 : 400;
    m->most_groups = (int32_t)(k < 10 ? 3 + 10 / k : k < 25 ? 4 : 3);
}

kanon_status kanon__mover_init(kanon__mover *out, kanon__patch *patch, uint64_t seed, uint64_t stream, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t room = (int64_t)patch->n + 8, m = patch->costs->n_dimensions;
    *out = (kanon__mover){.patch = patch, .window_size = patch->n};
    kanon__random_init(&out->random, seed, stream);
    choose_mix(out);
    KANON_TRY(kanon__new_array(&out->lifted, 2 * room, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->scratch, room, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->hosts, room, "moves", err), out);
    int64_t lot = (KANON__LOT_GROUPS - 1) * 2 * patch->k;
    KANON_TRY(kanon__lot_init(&out->lot, patch->costs, (int32_t)(lot < patch->n ? lot : patch->n), err), out);
    KANON_TRY(kanon__new_array(&out->rims, 2 * m, "moves", err), out);
out:
    if (st != KANON_OK)
        kanon__mover_clear(out);
    return st;
}

void kanon__mover_clear(kanon__mover *m)
{
    kanon__free(m->rims);
    kanon__free(m->hosts);
    kanon__lot_clear(&m->lot);
    kanon__free(m->scratch);
    kanon__free(m->lifted);
    *m = (kanon__mover){0};
}

/* ---- doing and undoing ------------------------------------------------------------------------------------------- */

void kanon__mover_lift(kanon__mover *m, int32_t record)
{
    m->lifted[m->n_lifted++] = (kanon__lifted){record, m->patch->group_of[record]};
    kanon__patch_remove(m->patch, record);
}

bool kanon__mover_settle(kanon__mover *m, int64_t loss_before)
{
    kanon__patch *p = m->patch;
    bool keep = p->loss - loss_before <= m->allowed;
    if (keep && m->guard != NULL)
        keep = m->guard(p, m->lifted, m->n_lifted, m->payload);
    if (!keep) {
        /* all out first, so that no group outgrows its room on the way; a record that was lifted twice goes back to where
         * it was first */
        for (int64_t i = m->n_lifted - 1; i >= 0; i--)
            if (p->group_of[m->lifted[i].record] >= 0) {
                kanon__patch_remove(p, m->lifted[i].record);
                p->group_of[m->lifted[i].record] = -1;
            }
        for (int64_t i = 0; i < m->n_lifted; i++)
            if (p->group_of[m->lifted[i].record] < 0)
                kanon__patch_add(p, m->lifted[i].from, m->lifted[i].record);
    }
    m->n_lifted = 0;
    return keep;
}

static void carry(kanon__mover *m, int32_t record, int32_t group)
{
    kanon__mover_lift(m, record);
    kanon__patch_add(m->patch, group, record);
}

static inline bool has_room(const kanon__patch *p, int32_t group)
{
    return p->groups[group].size < p->groups[group].capacity;
}

/* ---- single records ---------------------------------------------------------------------------------------------- */

/* The record goes to another group; its own has more than k. */
static void relocate(kanon__mover *m, int32_t record, int32_t to)
{
    kanon__patch *p = m->patch;
    int64_t delta = kanon__patch_leave(p, p->group_of[record], record);
    if (delta + p->groups[to].units > m->allowed || !has_room(p, to)) /* a newcomer costs at least what the others do */
        return;
    delta += kanon__patch_join(p, to, record);
    if (delta > m->allowed)
        return;
    int64_t before = p->loss;
    carry(m, record, to);
    if (p->groups[to].size >= 2 * p->k)
        kanon__mover_split(m, to);
    kanon__mover_settle(m, before);
}

static void exchange(kanon__mover *m, int32_t left, int32_t right)
{
    kanon__patch *p = m->patch;
    int32_t g = p->group_of[left], h = p->group_of[right];
    int64_t delta = kanon__patch_replace(p, g, left, right) + kanon__patch_replace(p, h, right, left);
    if (delta > m->allowed)
        return;
    int64_t before = p->loss;
    kanon__mover_lift(m, left);
    carry(m, right, g);
    kanon__patch_add(p, h, left);
    kanon__mover_settle(m, before);
}

/* The record goes to another group, and `substitute`, out of a group with more than k, takes its place. */
static void refill(kanon__mover *m, int32_t record, int32_t to, int32_t substitute)
{
    kanon__patch *p = m->patch;
    int32_t g = p->group_of[record], f = p->group_of[substitute];
    int64_t delta = kanon__patch_replace(p, g, record, substitute) + kanon__patch_leave(p, f, substitute);
    if (delta + p->groups[to].units > m->allowed || !has_room(p, to))
        return;
    delta += kanon__patch_join(p, to, record);
    if (delta > m->allowed)
        return;
    int64_t before = p->loss;
    kanon__mover_lift(m, record);
    carry(m, substitute, g);
    kanon__patch_add(p, to, record);
    if (p->groups[to].size >= 2 * p->k)
        kanon__mover_split(m, to);
    kanon__mover_settle(m, before);
}

/* a takes b's place, b takes c's, c takes a's. */
static void rotate(kanon__mover *m, int32_t a, int32_t b, int32_t c)
{
    kanon__patch *p = m->patch;
    int32_t from_a = p->group_of[a], from_b = p->group_of[b], from_c = p->group_of[c];
    int64_t delta = kanon__patch_replace(p, from_a, a, c) + kanon__patch_replace(p, from_b, b, a) +
                    kanon__patch_replace(p, from_c, c, b);
    if (delta > m->allowed)
        return;
    int64_t before = p->loss;
    kanon__mover_lift(m, a);
    kanon__mover_lift(m, b);
    carry(m, c, from_a);
    kanon__patch_add(p, from_b, a);
    kanon__patch_add(p, from_c, b);
    kanon__mover_settle(m, before);
}

/* Bring the record into a group near it although its own has no more than k: somebody near its companions comes in
 * return, from there, from a group that can spare one, or from a third one that gets one from there. */
static void replace(kanon__mover *m, int32_t record, int32_t to)
{
    kanon__patch *p = m->patch;
    int32_t g = p->group_of[record], companion = kanon__draw_member(m, g);
    int32_t substitute = companion != record ? kanon__draw_near(m, companion) : -1;
    int32_t f = substitute < 0 ? g : p->group_of[substitute];
    if (f == g)
        exchange(m, record, kanon__draw_member(m, to));
    else if (f == to)
        exchange(m, record, substitute);
    else if (p->groups[f].size > p->k)
        refill(m, record, to, substitute);
    else
        rotate(m, record, kanon__draw_member(m, to), substitute);
}

/* ---- whole groups ------------------------------------------------------------------------------------------------ */

/* The cheapest of a few groups near the record, other than its own; -1: none was met. */
static int32_t find_host(kanon__mover *m, int32_t record)
{
    enum { TRIES = 8 };
    const kanon__patch *p = m->patch;
    int32_t best = -1, own = p->group_of[record];
    int64_t least = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        int32_t near = kanon__draw_near(m, record), group = near < 0 ? own : p->group_of[near];
        if (group == own || group == best || p->groups[group].size >= 2 * p->k - 1)
            continue;
        int64_t cost = kanon__patch_join(p, group, record);
        if (cost < least) {
            least = cost;
            best = group;
        }
    }
    return best;
}

static void dissolve(kanon__mover *m, int32_t group)
{
    kanon__patch *p = m->patch;
    int64_t before = p->loss;
    while (p->groups[group].size > 0) {
        int32_t record = kanon__patch_members(p, group)[p->groups[group].size - 1], host = find_host(m, record);
        if (host < 0) {
            m->allowed = INT64_MIN;
            break;
        }
        carry(m, record, host);
    }
    kanon__mover_settle(m, before);
}

/* Open a group around a record out of what groups near it have beyond k. */
static void open_group(kanon__mover *m, int32_t record)
{
    kanon__patch *p = m->patch;
    int32_t slot = kanon__patch_slot(p);
    int64_t before = p->loss;
    if (slot < 0 || p->groups[p->group_of[record]].size <= p->k)
        return;
    carry(m, record, slot);
    for (int64_t tries = 8 * p->k; p->groups[slot].size < p->k && tries > 0; tries--) {
        int32_t near = kanon__draw_near(m, kanon__draw_member(m, slot));
        if (near >= 0 && p->group_of[near] != slot && p->groups[p->group_of[near]].size > p->k)
            carry(m, near, slot);
    }
    if (p->groups[slot].size < p->k)
        m->allowed = INT64_MIN;
    kanon__mover_settle(m, before);
}

void kanon__mover_split_all(kanon__mover *m)
{
    kanon__patch *p = m->patch;
    m->allowed = 0;
    for (int32_t group = 0; group < p->n_slots; group++)
        while (p->groups[group].size >= 2 * p->k && p->groups[group].units > 0) {
            int64_t before = p->loss;
            kanon__mover_split(m, group);
            if (!kanon__mover_settle(m, before))
                break;
        }
}

/* ---- one step ---------------------------------------------------------------------------------------------------- */

/* Where much is lost there is much to gain: groups with FOCUS times the average loss of a record are always looked
 * at, others the more seldom the less they lose. */
static bool worth_a_look(kanon__mover *m, int32_t group)
{
    enum { FOCUS = 2 };
    const kanon__patch *p = m->patch;
    return (double)p->groups[group].units * p->n >= FOCUS * (double)p->loss * kanon__random_unit(&m->random);
}

void kanon__mover_step(kanon__mover *m)
{
    kanon__patch *p = m->patch;
    uint64_t random = kanon__random_next(&m->random);
    int32_t record = m->window + kanon__scaled((uint32_t)random, m->window_size);
    record = record < p->n ? record : record - p->n;
    int32_t g = p->group_of[record], choice = (int32_t)(random >> 32) & (ALL - 1);
    if (!worth_a_look(m, g))
        return;
    if (choice < DISSOLVE) {
        dissolve(m, g);
    } else if (choice < DISSOLVE + OPEN) {
        open_group(m, record);
    } else if (choice < DISSOLVE + OPEN + m->regroups) {
        kanon__mover_regroup(m, record, 2 + (int32_t)((random >> 48) % (uint32_t)(m->most_groups - 1)));
    } else {
        int32_t near = kanon__draw_near(m, record);
        if (near < 0 || p->group_of[near] == g)
            return;
        if (p->groups[g].size > p->k && (choice & 3) != 0)
            relocate(m, record, p->group_of[near]);
        else
            replace(m, record, p->group_of[near]);
    }
}
