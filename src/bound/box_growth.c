/* A set grows around a tuple, and members are exchanged while that raises its excess.
 *
 *   1. Candidates: tuples near enough to be in a violated set, by falling price, whatever their order in the separation.
 *   2. The set is one record of the tuple. Add the record with the largest price less a charge for what it adds to the cost
 *      of the box, until there are k. The charge falls with the number of members that are missing: a far record that
 *      comes first makes the box wide before it is known whether the others need that.
 *   3. Take out the member whose leaving raises the excess most, and add the best one then. Go on while the excess rises, as
 *      often as there are members at most.
 *
 * Cost: k passes over the candidates for each side that grows, and k times the sides for an exchange. Ties: the
 * candidate with the higher price, then the lower number. */
#include "bound/box_growth.h"

#include "core/alloc.h"

#include <string.h>

/* Step 2, in tenths: the charge for a unit, beyond one, is so much for each member that is still missing. */
enum { CHARGE = 13 };
enum { MOST_CANDIDATES = 2000 }; /* and 20 for each of the k records: the nearest and the highest prices */
enum { KEPT = 20 };

struct kanon__box_growth {
    const kanon__priced_table *table;
    kanon__box_candidates found;
    int32_t *growth; /* by candidate: what it adds to the cost of the box */
    int64_t *taken;  /* by candidate: how many of its records are members */
    int64_t growth_capacity, taken_capacity;
    int32_t *members; /* candidates, without the first record of the tuple; one may be there several times */
    int64_t n;
    int64_t *gains;     /* by member: what its leaving adds to the excess */
    int32_t *own, *box; /* extents: of the tuple alone, and of all members */
    int64_t sum, units; /* the prices of all members, the cost of the box */
    kanon__violated_set best;
};

kanon_status kanon__box_growth_new(kanon__box_growth **out, const kanon__priced_table *table, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__box_growth *s = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "boxes", err), out);
    s->table = table;
    KANON_TRY(kanon__box_candidates_init(&s->found, table, err), out);
    KANON_TRY(kanon__new_array(&s->members, table->k, "boxes", err), out);
    KANON_TRY(kanon__new_array(&s->gains, table->k, "boxes", err), out);
    KANON_TRY(kanon__new_array(&s->own, table->n_sides, "boxes", err), out);
    KANON_TRY(kanon__new_array(&s->box, table->n_sides, "boxes", err), out);
    KANON_TRY(kanon__violated_set_init(&s->best, table, err), out);
    *out = s;
    s = NULL;
out:
    kanon__box_growth_free(s);
    return st;
}

void kanon__box_growth_free(kanon__box_growth *s)
{
    if (s == NULL)
        return;
    kanon__violated_set_clear(&s->best);
    kanon__free(s->box);
    kanon__free(s->own);
    kanon__free(s->gains);
    kanon__free(s->members);
    kanon__free(s->taken);
    kanon__free(s->growth);
    kanon__box_candidates_clear(&s->found);
    kanon__free(s);
}

/* ---- the set ------------------------------------------------------------------------------------------------------ */

static int64_t excess_of(const kanon__box_growth *s)
{
    return s->sum - s->table->k * s->units;
}

/* Move a side of the box and what every candidate adds to its cost. */
static void move_side(kanon__box_growth *s, int side, int32_t to)
{
    const int32_t *reach = s->found.extents + side * s->found.n;
    int32_t old = s->box[side];
    for (int64_t i = 0; i < s->found.n; i++)
        s->growth[i] += (reach[i] > to ? reach[i] - to : 0) - (reach[i] > old ? reach[i] - old : 0);
    s->units += to - old;
    s->box[side] = to;
}

static void add_member(kanon__box_growth *s, int64_t candidate)
{
    const int32_t *corner = s->found.corners + candidate * s->table->n_sides;
    for (int side = 0; side < s->table->n_sides; side++)
        if (corner[side] > s->box[side])
            move_side(s, side, corner[side]);
    s->members[s->n++] = (int32_t)candidate;
    s->taken[candidate]++;
    s->sum += s->found.prices[candidate];
}

/* The candidate with the largest price less tenths of `charge` for each unit of growth; -1: all are members. */
static int64_t best_candidate(const kanon__box_growth *s, int64_t charge)
{
    int64_t best = -1, most = INT64_MIN;
    for (int64_t i = 0; i < s->found.n; i++) {
        int64_t value = 10 * (int64_t)s->found.prices[i] - charge * s->growth[i];
        if (value > most && s->taken[i] < s->found.counts[i]) {
            most = value;
            best = i;
        }
    }
    return best;
}

/* The largest extent of the members on a side, the largest of the others, and whose the first is; -1: of the tuple alone. */
static int64_t two_largest(const kanon__box_growth *s, int side, int32_t *first, int32_t *second)
{
    int64_t whose = -1;
    *first = *second = s->own[side];
    for (int64_t i = 0; i < s->n; i++) {
        int32_t extent = s->found.corners[(int64_t)s->members[i] * s->table->n_sides + side];
        if (extent > *first) {
            *second = *first;
            *first = extent;
            whose = i;
        } else if (extent > *second) {
            *second = extent;
        }
    }
    return whose;
}

/* 3. The candidate that left. */
static int64_t remove_worst(kanon__box_growth *s)
{
    int64_t worst = 0;
    int32_t first, second;
    for (int64_t i = 0; i < s->n; i++)
        s->gains[i] = -(int64_t)s->found.prices[s->members[i]];
    for (int side = 0; side < s->table->n_sides; side++) {
        int64_t whose = two_largest(s, side, &first, &second);
        if (whose >= 0)
            s->gains[whose] += s->table->k * (first - second);
    }
    for (int64_t i = 1; i < s->n; i++)
        worst = s->gains[i] > s->gains[worst] ? i : worst;
    int64_t candidate = s->members[worst];
    s->members[worst] = s->members[--s->n];
    s->taken[candidate]--;
    s->sum -= s->found.prices[candidate];
    for (int side = 0; side < s->table->n_sides; side++) {
        two_largest(s, side, &first, &second);
        if (first < s->box[side])
            move_side(s, side, first);
    }
    return candidate;
}

/* The set as tuples. Records of a candidate that are there several times are one tuple. */
static void keep_set(kanon__box_growth *s)
{
    s->best.excess = excess_of(s);
    s->best.units = (int32_t)s->units;
    s->best.tuples[0] = (int32_t)s->found.own;
    s->best.times[0] = 1;
    s->best.n = 1;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t candidate = s->members[i], times = s->taken[candidate];
        if (times < 0) /* seen before */
            continue;
        s->taken[candidate] = -times;
        if (s->found.tuples[candidate] == s->found.own) {
            s->best.times[0] += (int32_t)times;
            continue;
        }
        s->best.tuples[s->best.n] = s->found.tuples[candidate];
        s->best.times[s->best.n++] = (int32_t)times;
    }
    for (int64_t i = 0; i < s->n; i++) {
        int64_t *times = &s->taken[s->members[i]];
        *times = *times < 0 ? -*times : *times;
    }
}

/* ---- steps -------------------------------------------------------------------------------------------------------- */

/* 1. False where there are fewer than k records. */
static kanon_status find_candidates(kanon__box_growth *s, int32_t radius, bool *enough, kanon_error *err)
{
    KANON_CHECK(kanon__box_candidates_find(&s->found, NULL, NULL, (uint32_t)radius, err));
    *enough = kanon__box_candidates_drop(&s->found, 0);
    if (!*enough)
        return KANON_OK;
    KANON_CHECK(kanon__box_candidates_thin_out(&s->found, MOST_CANDIDATES + KEPT * s->table->k, err));
    KANON_CHECK(kanon__box_candidates_lay_out(&s->found, err));
    KANON_CHECK(kanon__grow_array(&s->growth, &s->growth_capacity, s->found.n, "boxes", err));
    KANON_CHECK(kanon__grow_array(&s->taken, &s->taken_capacity, s->found.n, "boxes", err));
    for (int64_t i = 0; i < s->found.n; i++) {
        s->growth[i] = 0;
        s->taken[i] = s->found.tuples[i] < 0 ? s->found.counts[i] : 0; /* a stand-in is no member */
    }
    return KANON_OK;
}

/* 2. The tuple alone. */
static void begin_set(kanon__box_growth *s)
{
    const uint32_t *codes = kanon__priced_codes(s->table, s->found.own);
    kanon__extents_of(s->table, codes, codes, s->own);
    memset(s->box, 0, (size_t)s->table->n_sides * sizeof *s->box);
    s->n = s->units = 0;
    s->sum = s->found.own_price;
    for (int side = 0; side < s->table->n_sides; side++) {
        const int32_t *reach = s->found.extents + side * s->found.n;
        for (int64_t i = 0; i < s->found.n; i++)
            s->growth[i] += reach[i];
        move_side(s, side, s->own[side]);
    }
}

/* 2, 3. */
static void grow(kanon__box_growth *s)
{
    int64_t k = s->table->k, excess = 0, gone, candidate;
    while (s->n < k - 1) {
        candidate = best_candidate(s, 10 + CHARGE * (k - 1 - s->n));
        if (candidate < 0) /* the others have a stand-in */
            return;
        add_member(s, candidate);
    }
    for (int64_t i = 0; i < k && (i == 0 || excess_of(s) > excess); i++) {
        excess = excess_of(s);
        if (excess > 0)
            keep_set(s);
        gone = remove_worst(s);
        candidate = best_candidate(s, 10 * k);
        if (candidate == gone)
            return;
        add_member(s, candidate);
    }
}

kanon_status kanon__box_growth_run(kanon__box_growth *s, int64_t tuple, int32_t radius, const kanon__violated_set **out,
                                   kanon_error *err)
{
    bool enough;
    s->found.own = tuple;
    s->found.own_price = s->table->prices[tuple];
    s->found.uniform = 0;
    s->best.n = s->best.excess = s->best.at_most = 0;
    *out = &s->best;
    if (radius <= 0)
        return KANON_OK;
    KANON_CHECK(find_candidates(s, radius, &enough, err));
    if (enough) {
        begin_set(s);
        grow(s);
    }
    return KANON_OK;
}
