#include "state/maintain.h"

#include "core/alloc.h"
#include "state/persons.h"
#include "state/wishes.h"

#include <stdlib.h>
#include <string.h>

/* The records of one group while it is being changed. */
typedef struct crowd {
    kanon__member_list list;
    int64_t *box;
} crowd;

static void clear_crowd(crowd *c)
{
    kanon__free(c->box);
    kanon__member_list_clear(&c->list);
    *c = (crowd){0};
}

static kanon_status make_room(crowd *c, const kanon_state *s, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__member_list *list = &c->list;
    KANON_TRY(kanon__grow_array(&list->members, &list->members_capacity, n, "members of a group", err), out);
    KANON_TRY(kanon__grow_array(&list->places, &list->places_capacity, n * s->n_dimensions, "members of a group", err), out);
    if (c->box == NULL)
        KANON_TRY(kanon__new_array(&c->box, 2 * s->n_dimensions, "a box", err), out);
out:
    return st;
}

/* Read the members of a group. */
static kanon_status read_crowd(crowd *c, kanon_state *s, kanon__group_at at, kanon_error *err)
{
    kanon_status st = make_room(c, s, kanon__group_size(at) + 1, err);
    return st == KANON_OK ? kanon__group_index_members(s->index, at, &c->list, err) : st;
}

static void enclose(crowd *c, const kanon_state *s)
{
    for (int d = 0; d < s->n_dimensions; d++) {
        const kanon__dimension_now *dimension = &s->space->dimensions[d];
        for (int64_t i = 0; i < c->list.n; i++) {
            int64_t place = c->list.places[i * s->n_dimensions + d];
            if (i == 0 || kanon__place_before(dimension, place, c->box[2 * d]))
                c->box[2 * d] = place;
            if (i == 0 || kanon__place_before(dimension, c->box[2 * d + 1], place))
                c->box[2 * d + 1] = place;
        }
    }
}

static kanon__new_group group_of(const crowd *c, int64_t number)
{
    return (kanon__new_group){number, c->list.n, c->list.members, c->box, c->list.places};
}

/* Where more is asked of groups than k, those that changed are looked at again when the command ends. */
static kanon_status touch(kanon_state *s, int64_t number, kanon_error *err)
{
    if (!kanon__wishes_bind(s))
        return KANON_OK;
    kanon_status st = kanon__grow_array(&s->touched, &s->touched_capacity, s->n_touched + 1, "groups", err);
    if (st == KANON_OK)
        s->touched[s->n_touched++] = number;
    return st;
}

/* ---- Split2k ----------------------------------------------------------------------------------------------------- */

/* The two smallest and the two largest spots of a set on one attribute; with one member gone the rest is still known. */
typedef struct ends {
    int32_t lo, next_lo, hi, next_hi;
} ends;

typedef struct splitting {
    const kanon_state *state;
    int64_t n;      /* records */
    int32_t *spots; /* of every record */
    bool *moved;
    ends *old;      /* by attribute */
    int32_t *fresh; /* of the new group: lo, hi */
    int64_t n_old, n_new;
} splitting;

static void find_ends(splitting *s)
{
    int m = s->state->n_dimensions;
    for (int d = 0; d < m; d++) {
        ends e = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
        for (int64_t i = 0; i < s->n; i++) {
            int32_t spot = s->spots[i * m + d];
            if (s->moved[i])
                continue;
            if (spot < e.lo)
                e.next_lo = e.lo, e.lo = spot;
            else if (spot < e.next_lo)
                e.next_lo = spot;
            if (spot > e.hi)
                e.next_hi = e.hi, e.hi = spot;
            else if (spot > e.next_hi)
                e.next_hi = spot;
        }
        s->old[d] = e;
    }
}

/* IL(old - r) + IL(new + r). */
static int64_t loss_of_move(const splitting *s, int64_t record)
{
    int m = s->state->n_dimensions;
    const int32_t *spots = s->spots + record * m;
    int64_t without = 0, with = 0;
    for (int d = 0; d < m; d++) {
        const kanon__dimension_now *dimension = &s->state->space->dimensions[d];
        const ends *e = &s->old[d];
        int32_t lo = spots[d] == e->lo ? e->next_lo : e->lo, hi = spots[d] == e->hi ? e->next_hi : e->hi;
        without += kanon__spots_units(dimension, lo, hi);
        if (s->n_new == 0)
            continue;
        lo = spots[d] < s->fresh[2 * d] ? spots[d] : s->fresh[2 * d];
        hi = spots[d] > s->fresh[2 * d + 1] ? spots[d] : s->fresh[2 * d + 1];
        with += kanon__spots_units(dimension, lo, hi);
    }
    return (s->n_old - 1) * without + (s->n_new + 1) * with;
}

static void move_record(splitting *s, int64_t record)
{
    int m = s->state->n_dimensions;
    for (int d = 0; d < m; d++) {
        int32_t spot = s->spots[record * m + d];
        if (s->n_new == 0 || spot < s->fresh[2 * d])
            s->fresh[2 * d] = spot;
        if (s->n_new == 0 || spot > s->fresh[2 * d + 1])
            s->fresh[2 * d + 1] = spot;
    }
    s->moved[record] = true;
    s->n_new++;
    s->n_old--;
}

static int64_t cheapest_move(splitting *s)
{
    int64_t best = -1, least = 0;
    find_ends(s);
    for (int64_t i = 0; i < s->n; i++) {
        int64_t loss = s->moved[i] ? 0 : loss_of_move(s, i);
        if (!s->moved[i] && (best < 0 || loss < least)) {
            best = i;
            least = loss;
        }
    }
    return best;
}

/* Move a record, and with it all that may not be parted from it. */
static kanon_status move_whole(splitting *s, int64_t record, const kanon__split_rule *rule, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; i < s->n && st == KANON_OK; i++) {
        bool goes = i == record || (rule != NULL && rule->whose != NULL && rule->whose[i] == rule->whose[record]);
        if (!goes || s->moved[i])
            continue;
        move_record(s, i);
        if (rule != NULL)
            st = rule->note(rule->payload, i, err);
    }
    return st;
}

kanon_status kanon__split_choose(const kanon_state *state, const int64_t *places, int64_t n, const kanon__split_rule *rule,
                                 bool *moved, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int m = state->n_dimensions;
    splitting s = {.state = state, .n = n, .moved = moved, .n_old = n};
    KANON_TRY(kanon__new_array(&s.spots, n * m, "a split", err), out);
    KANON_TRY(kanon__new_array(&s.old, m, "a split", err), out);
    KANON_TRY(kanon__new_array(&s.fresh, 2 * m, "a split", err), out);
    for (int64_t i = 0; i < n * m; i++)
        s.spots[i] = kanon__spot_of(&state->space->dimensions[i % m], places[i]);
    while (s.n_new < state->k || (rule != NULL && s.n_old > state->k && !rule->is_enough(rule->payload))) {
        if (s.n_old == 0)
            break;
        KANON_TRY(move_whole(&s, cheapest_move(&s), rule, err), out);
    }
out:
    kanon__free(s.fresh);
    kanon__free(s.old);
    kanon__free(s.spots);
    return st;
}

/* The moved records of `all` into `fresh`, the others stay. */
static kanon_status part(crowd *all, crowd *fresh, const kanon_state *s, const bool *moved, kanon_error *err)
{
    int m = s->n_dimensions;
    int64_t n_left = 0;
    kanon_status st = make_room(fresh, s, all->list.n, err);
    if (st != KANON_OK)
        return st;
    fresh->list.n = 0;
    for (int64_t i = 0; i < all->list.n; i++) {
        crowd *to = moved[i] ? fresh : all;
        int64_t at = moved[i] ? fresh->list.n++ : n_left++;
        to->list.members[at] = all->list.members[i];
        memmove(to->list.places + at * m, all->list.places + i * m, (size_t)m * sizeof *to->list.places);
    }
    all->list.n = n_left;
    enclose(all, s);
    enclose(fresh, s);
    return KANON_OK;
}

static kanon_status split(kanon_state *s, kanon__group_at at, kanon__maintenance *done, kanon_error *err)
{
    kanon_status st = KANON_OK;
    crowd old = {0}, fresh = {0};
    bool *moved = NULL;
    KANON_TRY(read_crowd(&old, s, at, err), out);
    KANON_TRY(kanon__new_array(&moved, old.list.n, "a split", err), out);
    KANON_TRY(kanon__split_choose(s, old.list.places, old.list.n, NULL, moved, err), out);
    KANON_TRY(part(&old, &fresh, s, moved, err), out);
    kanon__new_group stays = group_of(&old, kanon__group_number(at)), is_new = group_of(&fresh, s->next_group);
    KANON_TRY(kanon__group_index_replace(s->index, at, &stays, err), out);
    s->next_group++;
    s->n_groups++;
    KANON_TRY(kanon__group_index_add(s->index, at, &is_new, err), out);
    done->n_splits++;
out:
    kanon__free(moved);
    clear_crowd(&fresh);
    clear_crowd(&old);
    return st;
}

/* ---- I3M+ -------------------------------------------------------------------------------------------------------- */

/* FindBestCluster; a record of an entity that stays together follows the others. */
static kanon_status find_group(kanon_state *s, kanon__group_at *out, int64_t record, const int64_t *places, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__group_at){0};
    if (kanon__wishes_together(s))
        st = kanon__persons_group(s, out, record, err);
    return st == KANON_OK && out->node == NULL ? kanon__group_index_cheapest(s->index, out, places, NULL, err) : st;
}

/* Find a group, join it, and split it where it has reached 2k; where more is asked of groups, kanon__uphold does that. */
static kanon_status place_record(kanon_state *s, int64_t record, const int64_t *places, kanon__maintenance *done,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__group_at best;
    crowd alone = {0};
    KANON_TRY(find_group(s, &best, record, places, err), out);
    if (best.node != NULL) {
        KANON_TRY(kanon__group_index_join(s->index, best, record, places, err), out);
        KANON_TRY(touch(s, kanon__group_number(best), err), out);
        if (kanon__group_size(best) >= 2 * s->k && !kanon__wishes_bind(s))
            KANON_TRY(split(s, best, done, err), out);
        goto out;
    }
    KANON_TRY(make_room(&alone, s, 1, err), out);
    alone.list.n = 1;
    alone.list.members[0] = record;
    memcpy(alone.list.places, places, (size_t)s->n_dimensions * sizeof *places);
    enclose(&alone, s);
    kanon__new_group first = group_of(&alone, s->next_group++);
    s->n_groups++;
    KANON_TRY(touch(s, first.number, err), out);
    KANON_TRY(kanon__group_index_add(s->index, best, &first, err), out);
out:
    clear_crowd(&alone);
    return st;
}

kanon_status kanon__maintain_insert(kanon_state *s, int64_t record, const int64_t *places, kanon__maintenance *done,
                                    kanon_error *err)
{
    if (kanon__space_now_widen(s->space, places))
        kanon__space_now_measure(s->space);
    return place_record(s, record, places, done, err);
}

/* ---- I3M- -------------------------------------------------------------------------------------------------------- */

/* A record that goes, and where its group is. */
typedef struct leaving {
    int64_t record, number;
    int64_t leaf; /* the node in which the group is */
} leaving;

/* A group that lost members. */
typedef struct loser {
    int64_t number, leaf;
    const leaving *gone; /* ascending by record */
    int64_t n_gone;
    crowd left; /* the members that stay */
} loser;

static int by_number_and_record(const void *left, const void *right)
{
    const leaving *a = left, *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

/* Find the groups of the records. */
static kanon_status find_losers(kanon_state *s, leaving *gone, const int64_t *places, int64_t n, loser *losers,
                                int64_t *n_losers, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n_found = 0;
    *n_losers = 0;
    for (int64_t i = 0; i < n; i++) {
        kanon__group_at at;
        KANON_TRY(kanon__group_index_group_of(s->index, &at, gone[i].record, places + i * s->n_dimensions, err), out);
        if (at.node != NULL)
            gone[n_found++] = (leaving){gone[i].record, kanon__group_number(at), at.node->id};
        else if (s->n_suppressed-- == 0) {
            st = kanon__store_damaged(&s->store, "a record is in no group", err);
            goto out;
        }
    }
    qsort(gone, (size_t)n_found, sizeof *gone, by_number_and_record);
    for (int64_t i = 0; i < n_found; i++) {
        if (i == 0 || gone[i].number != gone[i - 1].number)
            losers[(*n_losers)++] = (loser){.number = gone[i].number, .leaf = gone[i].leaf, .gone = gone + i};
        losers[*n_losers - 1].n_gone++;
    }
out:
    return st;
}

/* The members that stay, and the box around them. */
static kanon_status read_rest(kanon_state *s, loser *l, kanon__group_at at, kanon_error *err)
{
    int m = s->n_dimensions;
    int64_t n_left = 0, next = 0;
    kanon_status st = read_crowd(&l->left, s, at, err);
    if (st != KANON_OK)
        return st;
    kanon__member_list *list = &l->left.list;
    for (int64_t i = 0; i < list->n; i++) {
        if (next < l->n_gone && l->gone[next].record == list->members[i]) {
            next++;
            continue;
        }
        list->members[n_left] = list->members[i];
        memmove(list->places + n_left++ * m, list->places + i * m, (size_t)m * sizeof *list->places);
    }
    list->n = n_left;
    enclose(&l->left, s);
    return KANON_OK;
}

/* New members and boxes for the groups that lost some; those without any are gone. */
static kanon_status shrink(kanon_state *s, loser *losers, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__group_at at;
    for (int64_t i = 0; i < n; i++) {
        KANON_TRY(kanon__group_index_find(s->index, &at, losers[i].leaf, losers[i].number, err), out);
        KANON_TRY(read_rest(s, &losers[i], at, err), out);
        if (losers[i].left.list.n == 0)
            continue;
        kanon__new_group smaller = group_of(&losers[i].left, losers[i].number);
        KANON_TRY(kanon__group_index_replace(s->index, at, &smaller, err), out);
        KANON_TRY(touch(s, losers[i].number, err), out);
    }
    for (int64_t i = 0; i < n; i++) {
        if (losers[i].left.list.n > 0)
            continue;
        KANON_TRY(kanon__group_index_find(s->index, &at, losers[i].leaf, losers[i].number, err), out);
        KANON_TRY(kanon__group_index_remove(s->index, at, err), out);
        s->n_groups--;
    }
out:
    return st;
}

/* Where the group is now: where it was, or, since nodes are cut when others come, where one of its members is. Nowhere where
 * that member has gone to another group by a split. */
static kanon_status find_loser(kanon_state *s, const loser *l, kanon__group_at *out, kanon_error *err)
{
    kanon_status st = kanon__group_index_find(s->index, out, l->leaf, l->number, err);
    if (st != KANON_OK || out->node != NULL)
        return st;
    st = kanon__group_index_group_of(s->index, out, l->left.list.members[0], l->left.list.places, err);
    if (st == KANON_OK && out->node != NULL && kanon__group_number(*out) != l->number)
        *out = (kanon__group_at){0};
    return st;
}

/* DisperseLessKCluster. The members are known unless others have joined since. */
static kanon_status disperse(kanon_state *s, kanon__group_at at, const crowd *known, kanon__maintenance *done,
                             kanon_error *err)
{
    kanon_status st = KANON_OK;
    crowd own = {0};
    if (known->list.n != kanon__group_size(at)) {
        KANON_TRY(read_crowd(&own, s, at, err), out);
        known = &own;
    }
    KANON_TRY(kanon__group_index_remove(s->index, at, err), out);
    s->n_groups--;
    done->n_dispersed++;
    for (int64_t i = 0; i < known->list.n; i++)
        KANON_TRY(place_record(s, known->list.members[i], known->list.places + i * s->n_dimensions, done, err), out);
out:
    clear_crowd(&own);
    return st;
}

static kanon_status disperse_small(kanon_state *s, const loser *losers, int64_t n, kanon__maintenance *done,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__ticker ticker;
    kanon__ticker_init(&ticker, s->tick, s->payload, "regrouping");
    for (int64_t i = 0; i < n; i++) {
        kanon__group_at at;
        if (losers[i].left.list.n == 0)
            continue;
        KANON_TRY(kanon__tick(&ticker, i, n, 100000, err), out);
        KANON_TRY(find_loser(s, &losers[i], &at, err), out);
        /* others may have joined it, until it was large enough, or even split */
        if (at.node != NULL && kanon__group_size(at) < s->k)
            KANON_TRY(disperse(s, at, &losers[i].left, done, err), out);
    }
out:
    return st;
}

static kanon_status note_members(const kanon__node *leaf, void *payload, kanon_error *err)
{
    crowd *c = payload;
    if (leaf->begins[leaf->n] > c->list.members_capacity - c->list.n)
        return kanon__fail(err, KANON_EDATA, "the state is damaged: it has more records than it says");
    for (int64_t i = 0; i < leaf->begins[leaf->n]; i++)
        c->list.members[c->list.n++] = leaf->members[i];
    return KANON_OK;
}

static int by_id(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* Too few are left for one group of k: until more come, they are together. */
static kanon_status gather(kanon_state *s, int64_t n_left, kanon_error *err)
{
    kanon_status st = KANON_OK;
    crowd c = {0};
    KANON_TRY(make_room(&c, s, n_left + 1, err), out);
    KANON_TRY(kanon__group_index_visit(s->index, note_members, &c, err), out);
    qsort(c.list.members, (size_t)c.list.n, sizeof *c.list.members, by_id);
    for (int64_t i = 0; i < c.list.n; i++)
        KANON_TRY(kanon__record_get(s, NULL, c.list.members[i], NULL, c.list.places + i * s->n_dimensions, err), out);
    enclose(&c, s);
    kanon__new_group all = group_of(&c, s->next_group);
    s->n_groups = c.list.n > 0;
    s->next_group += c.list.n > 0;
    KANON_TRY(touch(s, all.number, err), out);
    KANON_TRY(kanon__group_index_build(s->index, &all, c.list.n > 0, err), out);
out:
    clear_crowd(&c);
    return st;
}

kanon_status kanon__maintain_delete(kanon_state *s, const int64_t *records, const int64_t *places, int64_t n,
                                    bool more_will_come, kanon__maintenance *done, kanon_error *err)
{
    kanon_status st = KANON_OK;
    leaving *gone = NULL;
    loser *losers = NULL;
    int64_t n_losers = 0;
    KANON_TRY(kanon__new_array(&gone, n, "records", err), out);
    KANON_TRY(kanon__new_array(&losers, n, "groups", err), out);
    for (int64_t i = 0; i < n; i++)
        gone[i].record = records[i];
    KANON_TRY(find_losers(s, gone, places, n, losers, &n_losers, err), out);
    int64_t n_left = s->n_records - n - s->n_suppressed;
    if (n_left < s->k && !more_will_come) {
        st = kanon__fail(err, KANON_EINFEASIBLE, "only %lld records would be left in groups, fewer than k = %lld",
                         (long long)n_left, (long long)s->k);
        kanon__hint(err, st, "nothing was changed");
        goto out;
    }
    KANON_TRY(shrink(s, losers, n_losers, err), out);
    KANON_TRY(kanon__ranges_read(s, err), out);
    KANON_TRY(n_left < s->k ? gather(s, n_left, err) : disperse_small(s, losers, n_losers, done, err), out);
out:
    for (int64_t i = 0; losers != NULL && i < n; i++)
        clear_crowd(&losers[i].left);
    kanon__free(losers);
    kanon__free(gone);
    return st;
}
