/* Split2k (Truta and Campan 2007, section 3): which records leave a group of 2k or more for a new one.
 *
 *     1. The old group has all n records, the new one none.
 *     2. For every record r that is still in the old group: IL(old - r) + IL(new + r). Move the record for which it is
 *        least; of equal ones the first. With a rule, all records that may not be separated from it move, too.
 *     3. Go on with 2 until the new group has k records and, with a rule, may stand; or the old one has only k.
 *
 * D(old - r) is found in O(1) per attribute from the two smallest and the two largest coordinates, which are computed
 * once per move: O(n k m) in all. */
#include "state/maintain/split2k.h"

#include "core/alloc.h"

/* The two smallest and the two largest coordinates of a set on one attribute: without any one member the box of the rest is
 * known. */
typedef struct coordinate_extremes {
    int32_t lo, next_lo, hi, next_hi;
} coordinate_extremes;

/* The old group (records that have not moved) and the new one. */
typedef struct split_state {
    const kanon_state *state;
    int64_t n;            /* records */
    int32_t *coordinates; /* of every record and attribute: low and high, which differ where it is a band */
    bool *moved;
    coordinate_extremes *old; /* by attribute */
    int32_t *fresh;           /* of the new group: lo, hi */
    int64_t n_old, n_new;
} split_state;

static void find_extremes(split_state *s)
{
    int m = s->state->n_dimensions;
    for (int d = 0; d < m; d++) {
        coordinate_extremes e = {INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN};
        for (int64_t i = 0; i < s->n; i++) {
            int32_t low = s->coordinates[2 * (i * m + d)], high = s->coordinates[2 * (i * m + d) + 1];
            if (s->moved[i])
                continue;
            if (low < e.lo)
                e.next_lo = e.lo, e.lo = low;
            else if (low < e.next_lo)
                e.next_lo = low;
            if (high > e.hi)
                e.next_hi = e.hi, e.hi = high;
            else if (high > e.next_hi)
                e.next_hi = high;
        }
        s->old[d] = e;
    }
}

/* IL(old - r) + IL(new + r). */
static int64_t loss_of_move(const split_state *s, int64_t record)
{
    int m = s->state->n_dimensions;
    const int32_t *coordinates = s->coordinates + 2 * record * m;
    int64_t without = 0, with = 0;
    for (int d = 0; d < m; d++) {
        const kanon__current_dimension *dimension = &s->state->space->dimensions[d];
        const coordinate_extremes *e = &s->old[d];
        int32_t low = coordinates[2 * d], high = coordinates[2 * d + 1];
        int32_t lo = low == e->lo ? e->next_lo : e->lo, hi = high == e->hi ? e->next_hi : e->hi;
        without += kanon__coordinates_units(dimension, lo, hi);
        if (s->n_new == 0)
            continue;
        lo = low < s->fresh[2 * d] ? low : s->fresh[2 * d];
        hi = high > s->fresh[2 * d + 1] ? high : s->fresh[2 * d + 1];
        with += kanon__coordinates_units(dimension, lo, hi);
    }
    return (s->n_old - 1) * without + (s->n_new + 1) * with;
}

static void move_record(split_state *s, int64_t record)
{
    int m = s->state->n_dimensions;
    for (int d = 0; d < m; d++) {
        const int32_t *ends = s->coordinates + 2 * (record * m + d);
        if (s->n_new == 0 || ends[0] < s->fresh[2 * d])
            s->fresh[2 * d] = ends[0];
        if (s->n_new == 0 || ends[1] > s->fresh[2 * d + 1])
            s->fresh[2 * d + 1] = ends[1];
    }
    s->moved[record] = true;
    s->n_new++;
    s->n_old--;
}

static int64_t cheapest_move(split_state *s)
{
    int64_t best = -1, least = 0;
    find_extremes(s);
    for (int64_t i = 0; i < s->n; i++) {
        int64_t loss = s->moved[i] ? 0 : loss_of_move(s, i);
        if (!s->moved[i] && (best < 0 || loss < least)) {
            best = i;
            least = loss;
        }
    }
    return best;
}

/* Moves a record, and with it all that may not be separated from it. */
static kanon_status move_with_entity(split_state *s, int64_t record, const kanon__split_rule *rule, kanon_error *err)
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

kanon_status kanon__split_choose(const kanon_state *state, const int64_t *codes, int64_t n, const kanon__split_rule *rule,
                                 bool *moved, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int m = state->n_dimensions;
    split_state s = {.state = state, .n = n, .moved = moved, .n_old = n};
    KANON_TRY(kanon__new_array(&s.coordinates, 2 * n * m, "a split", err), out);
    KANON_TRY(kanon__new_array(&s.old, m, "a split", err), out);
    KANON_TRY(kanon__new_array(&s.fresh, 2 * m, "a split", err), out);
    for (int64_t i = 0; i < n * m; i++) {
        s.coordinates[2 * i] = kanon__coordinate_of(&state->space->dimensions[i % m], codes[i]);
        s.coordinates[2 * i + 1] = kanon__coordinate_high(&state->space->dimensions[i % m], codes[i]);
    }
    while (s.n_new < state->k || (rule != NULL && s.n_old > state->k && !rule->is_enough(rule->payload))) {
        if (s.n_old == 0)
            break;
        KANON_TRY(move_with_entity(&s, cheapest_move(&s), rule, err), out);
    }
out:
    kanon__free(s.fresh);
    kanon__free(s.old);
    kanon__free(s.coordinates);
    return st;
}
