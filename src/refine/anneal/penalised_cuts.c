/* Two near groups are cut anew: the large moves of the search under constraints (penalty.h).
 *
 *   1. Pool the members of both groups and order them along a direction: an attribute, drawn by its share of the cost of
 *      the common box, or the line between two of the records.
 *   2. Of all cuts of that order with k records on either side, the one where loss and violations cost least. What
 *      the parts of a cut lose is computed first; violations only where that leaves a chance.
 *      Or sort out: as many records of each value go to either side as were there before, in that order. So no violation
 *      changes, however tight the constraints are.
 *   3. Records that change sides are moved, if the threshold allows.
 *
 * Cost: O(records (attributes + log records)), for a recut that has a chance also a violation for each cut.
 * Called by penalised_moves.c. Calls penalty.h. */
#include "refine/anneal/penalty.h"

#include "core/alloc.h"

#include <string.h>

/* Larger pools are left alone. */
enum { MOST_POOLED = KANON__MOST_POOLED };

typedef struct pooled {
    int64_t key; /* along the direction */
    int32_t record;
    int32_t left; /* 1: a member of the left group */
} pooled;

typedef struct cut_move {
    kanon__penalty *p;
    int32_t left, right; /* groups; the same: one group is cut in two */
    int32_t n;
    pooled pool[MOST_POOLED];
    int64_t losses[MOST_POOLED + 1]; /* by number of records before the cut: |P| D(P) of both sides */
} cut_move;

/* By key, then as they stood. Shell sort of keys with their places in the low bits: pools are small. */
static void sort_pool(cut_move *m)
{
    enum { PLACE_BITS = 10 };
    static const int32_t gaps[] = {57, 23, 10, 4, 1};
    int64_t keys[MOST_POOLED];
    pooled before[MOST_POOLED];
    for (int32_t i = 0; i < m->n; i++)
        keys[i] = m->pool[i].key * (1 << PLACE_BITS) + i;
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
        for (int32_t i = gaps[g]; i < m->n; i++) {
            int64_t key = keys[i];
            int32_t at = i;
            for (; at >= gaps[g] && keys[at - gaps[g]] > key; at -= gaps[g])
                keys[at] = keys[at - gaps[g]];
            keys[at] = key;
        }
    memcpy(before, m->pool, (size_t)m->n * sizeof *before);
    for (int32_t i = 0; i < m->n; i++)
        m->pool[i] = before[keys[i] & ((1 << PLACE_BITS) - 1)];
}

/* ---- 1: the order ------------------------------------------------------------------------------------------------ */

static void take_members(cut_move *m, int32_t group, bool left)
{
    const kanon__region *r = m->p->region;
    const int32_t *members = kanon__region_members(r, group);
    for (int32_t i = 0; i < r->groups[group].size; i++)
        m->pool[m->n++] = (pooled){.record = members[i], .left = left};
}

/* The units of one dimension between two coordinates. */
static uint32_t units_between(const kanon__move_costs *c, int i, uint32_t a, uint32_t b)
{
    return kanon__span_units(c, i, a < b ? a : b, a < b ? b : a);
}

/* A dimension by its share of D of the common box; -1: all records are alike. */
static int draw_dimension(cut_move *m)
{
    const kanon__region *r = m->p->region;
    const kanon__move_costs *c = r->costs;
    int d = c->n_dimensions;
    const uint32_t *a = kanon__region_bounds(r, m->left), *b = kanon__region_bounds(r, m->right);
    uint64_t sum = 0, seen = 0;
    for (int i = 0; i < d; i++)
        sum += kanon__span_units(c, i, a[i] < b[i] ? a[i] : b[i], a[d + i] > b[d + i] ? a[d + i] : b[d + i]);
    if (sum == 0)
        return -1;
    uint64_t drawn = (uint64_t)kanon__random_below(&m->p->engine->random, (int64_t)sum);
    for (int i = 0; i < d; i++) {
        seen += kanon__span_units(c, i, a[i] < b[i] ? a[i] : b[i], a[d + i] > b[d + i] ? a[d + i] : b[d + i]);
        if (drawn < seen)
            return i;
    }
    return -1;
}

static bool order_by_dimension(cut_move *m)
{
    const kanon__region *r = m->p->region;
    int dimension = draw_dimension(m);
    if (dimension < 0)
        return false;
    for (int32_t i = 0; i < m->n; i++)
        m->pool[i].key = kanon__region_coordinates(r, m->pool[i].record)[dimension];
    return true;
}

/* How much nearer a record is to one seed than to the other. */
static bool order_by_line(cut_move *m)
{
    const kanon__region *r = m->p->region;
    const kanon__move_costs *c = r->costs;
    kanon__random *random = &m->p->engine->random;
    int32_t from = m->pool[kanon__scaled((uint32_t)kanon__random_next(random), m->n)].record;
    int32_t to = m->pool[kanon__scaled((uint32_t)kanon__random_next(random), m->n)].record;
    const uint32_t *a = kanon__region_coordinates(r, from), *b = kanon__region_coordinates(r, to);
    if (from == to)
        return false;
    for (int32_t j = 0; j < m->n; j++) {
        const uint32_t *own = kanon__region_coordinates(r, m->pool[j].record);
        int64_t key = 0;
        for (int i = 0; i < c->n_dimensions; i++)
            if (a[i] != b[i])
                key += (int64_t)units_between(c, i, own[i], a[i]) - units_between(c, i, own[i], b[i]);
        m->pool[j].key = key;
    }
    return true;
}

/* False: too large, or there is no direction. */
static bool fill(cut_move *m)
{
    const kanon__region *r = m->p->region;
    int64_t n = (int64_t)r->groups[m->left].size + (m->left != m->right ? r->groups[m->right].size : 0);
    if (n > MOST_POOLED || n < 2 * r->k)
        return false;
    take_members(m, m->left, true);
    if (m->left != m->right)
        take_members(m, m->right, false);
    bool found = (kanon__random_next(&m->p->engine->random) & 1) != 0 ? order_by_dimension(m) : order_by_line(m);
    m->p->work += 2 * (int64_t)m->n;
    if (found)
        sort_pool(m);
    return found;
}

/* ---- 2: where to cut --------------------------------------------------------------------------------------------- */

/* What both sides lose, for each cut with k records on either. */
static void sum_losses(cut_move *m)
{
    const kanon__region *r = m->p->region;
    uint32_t *box = m->p->engine->bounds;
    int32_t k = (int32_t)r->k, n = m->n;
    kanon__box_begin(box, r->costs->n_dimensions, kanon__region_coordinates(r, m->pool[0].record));
    for (int32_t i = 1; i <= n - k; i++) {
        if (i >= k)
            m->losses[i] = (int64_t)i * kanon__move_costs_units(r->costs, box, NULL, NULL);
        kanon__box_widen(box, r->costs->n_dimensions, kanon__region_coordinates(r, m->pool[i].record));
    }
    kanon__box_begin(box, r->costs->n_dimensions, kanon__region_coordinates(r, m->pool[n - 1].record));
    for (int32_t i = n - 1; i >= k; i--) {
        if (i <= n - k)
            m->losses[i] += (int64_t)(n - i) * kanon__move_costs_units(r->costs, box, NULL, NULL);
        kanon__box_widen(box, r->costs->n_dimensions, kanon__region_coordinates(r, m->pool[i - 1].record));
    }
}

/* The violation of both sides, moved on to another cut: the scratch tallies follow it. */
static int64_t violation_at(cut_move *m, int32_t *at, int32_t cut)
{
    kanon__penalty *p = m->p;
    const int32_t *rows = p->region->rows;
    for (; *at < cut && p->status == KANON_OK; (*at)++) {
        kanon__tally_remove(&p->sides[1], rows[m->pool[*at].record]);
        p->status = kanon__tally_add(&p->sides[0], rows[m->pool[*at].record], NULL);
    }
    return kanon__tally_violation(&p->sides[0]) + kanon__tally_violation(&p->sides[1]);
}

/* All of the pool on the right side; the left one is empty. */
static void reset_sides(cut_move *m, int32_t at)
{
    kanon__penalty *p = m->p;
    const int32_t *rows = p->region->rows;
    for (int32_t i = 0; i < at; i++)
        kanon__tally_remove(&p->sides[0], rows[m->pool[i].record]);
    for (int32_t i = at; i < m->n; i++)
        kanon__tally_remove(&p->sides[1], rows[m->pool[i].record]);
}

/* The cut that costs least, at most `most`; 0: there is none. */
static int32_t choose_cut(cut_move *m, int64_t most)
{
    kanon__penalty *p = m->p;
    int32_t best = 0, at = 0, k = (int32_t)p->region->k;
    bool filled = false;
    for (int32_t cut = k; cut <= m->n - k; cut++) {
        if (m->losses[cut] > most || p->status != KANON_OK)
            continue;
        for (int32_t i = 0; !filled && i < m->n && p->status == KANON_OK; i++)
            p->status = kanon__tally_add(&p->sides[1], p->region->rows[m->pool[i].record], NULL);
        filled = true;
        p->work += 4;
        int64_t cost = m->losses[cut] + kanon__penalty_cost(p, violation_at(m, &at, cut));
        if (cost <= most) {
            most = cost - 1;
            best = cut;
        }
    }
    if (filled && p->status == KANON_OK)
        reset_sides(m, at);
    return p->status == KANON_OK ? best : 0;
}

/* ---- 3: moving --------------------------------------------------------------------------------------------------- */

/* The first `cut` records are one side, the others the other; sides get the groups that leave most records in place. */
static void move_to_sides(cut_move *m, int32_t cut, int64_t delta)
{
    kanon__penalty *p = m->p;
    int32_t n_left = 0, n_before = 0, first = m->left, second = m->right;
    for (int32_t i = 0; i < m->n; i++) {
        n_left += m->pool[i].left;
        n_before += i < cut ? m->pool[i].left : 0;
    }
    if (m->left == m->right) {
        second = kanon__region_empty_slot(p->region);
        if (second < 0)
            return;
    } else if (cut - n_before + n_left - n_before > m->n / 2) {
        first = m->right;
        second = m->left;
    }
    for (int32_t i = 0; i < m->n; i++) {
        int32_t to = i < cut ? first : second;
        if (p->region->group_of[m->pool[i].record] != to)
            kanon__penalty_add_move(p, m->pool[i].record, to);
    }
    if (p->n_moves > 0)
        kanon__penalty_move(p, delta);
}

static int64_t loss_before(const cut_move *m)
{
    const kanon__region *r = m->p->region;
    return kanon__region_loss_of(r, m->left) + (m->left != m->right ? kanon__region_loss_of(r, m->right) : 0);
}

void kanon__penalised_recut(kanon__penalty *p, int32_t left, int32_t right)
{
    cut_move m = {.p = p, .left = left, .right = right};
    int64_t before = loss_before(&m), violation = p->violations[left] + (left != right ? p->violations[right] : 0);
    if (!fill(&m))
        return;
    sum_losses(&m);
    int32_t cut = choose_cut(&m, before + kanon__penalty_cost(p, violation) + p->limit);
    if (cut > 0)
        move_to_sides(&m, cut, m.losses[cut] - before);
}

void kanon__penalised_sort_out(kanon__penalty *p, int32_t left, int32_t right)
{
    cut_move m = {.p = p, .left = left, .right = right};
    const kanon__region *r = p->region;
    uint32_t *boxes[2] = {p->engine->bounds, p->box};
    int32_t sizes[2] = {0, 0}, groups[2] = {left, right};
    if (!fill(&m))
        return;
    for (int32_t i = 0; i < m.n; i++)
        p->quota[p->value_of[m.pool[i].record]] += m.pool[i].left;
    for (int32_t i = 0; i < m.n; i++) { /* all quotas are used up then */
        int32_t record = m.pool[i].record, *quota = &p->quota[p->value_of[record]], side = *quota > 0 ? 0 : 1;
        *quota -= side == 0;
        if (sizes[side]++ == 0)
            kanon__box_begin(boxes[side], r->costs->n_dimensions, kanon__region_coordinates(r, record));
        else
            kanon__box_widen(boxes[side], r->costs->n_dimensions, kanon__region_coordinates(r, record));
        if (r->group_of[record] != groups[side])
            kanon__penalty_add_move(p, record, groups[side]);
    }
    int64_t delta = -loss_before(&m);
    for (int side = 0; side < 2; side++)
        delta += (int64_t)sizes[side] * kanon__move_costs_units(r->costs, boxes[side], NULL, NULL);
    if (p->n_moves > 0 && delta <= p->limit)
        kanon__penalty_move(p, delta);
}
