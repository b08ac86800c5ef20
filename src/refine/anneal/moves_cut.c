/* Two near groups are cut anew: the large moves of the search under constraints (prices.h).
 *
 *   1. Pool the members of both groups and order them along a direction: an attribute, drawn by its share of the cost
 *      of the common box, or the line between two of the records.
 *   2. Of all cuts of that order with k records on either side, the one where loss and violations cost least. What the
 *      parts of a cut lose is computed first; violations only where that leaves a chance. Or sort out: as many records
 *      of each value go to either side as were there before, in that order. So no violation changes, however tight the
 *      constraints are.
 *   3. Records that change sides are moved, if the threshold allows.
 *
 * Cost: O(records (attributes + log records)), for a recut that has a chance also a violation for each cut. */
#include "refine/anneal/moves.h"

#include <string.h>

/* Larger pools are left alone. */
enum { MOST_POOLED = 512 };
/* How many groups are compared before two are cut anew. */
enum { MATES = 4 };

typedef struct pooled {
    int64_t key; /* along the direction */
    int32_t record;
    int32_t left; /* 1: a member of the left group */
} pooled;

typedef struct cut_move {
    kanon__move_engine *e;
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
    const kanon__region *r = m->e->region;
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
    const kanon__region *r = m->e->region;
    const kanon__move_costs *c = r->costs;
    int d = c->n_dimensions;
    const uint32_t *a = kanon__region_bounds(r, m->left), *b = kanon__region_bounds(r, m->right);
    uint64_t sum = 0, seen = 0;
    for (int i = 0; i < d; i++)
        sum += kanon__span_units(c, i, a[i] < b[i] ? a[i] : b[i], a[d + i] > b[d + i] ? a[d + i] : b[d + i]);
    if (sum == 0)
        return -1;
    uint64_t drawn = (uint64_t)kanon__random_below(&m->e->random, (int64_t)sum);
    for (int i = 0; i < d; i++) {
        seen += kanon__span_units(c, i, a[i] < b[i] ? a[i] : b[i], a[d + i] > b[d + i] ? a[d + i] : b[d + i]);
        if (drawn < seen)
            return i;
    }
    return -1;
}

static bool order_by_dimension(cut_move *m)
{
    const kanon__region *r = m->e->region;
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
    const kanon__region *r = m->e->region;
    const kanon__move_costs *c = r->costs;
    kanon__random *random = &m->e->random;
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
    const kanon__region *r = m->e->region;
    int64_t n = (int64_t)r->groups[m->left].size + (m->left != m->right ? r->groups[m->right].size : 0);
    if (n > MOST_POOLED || n < 2 * r->k)
        return false;
    take_members(m, m->left, true);
    if (m->left != m->right)
        take_members(m, m->right, false);
    bool found = (kanon__random_next(&m->e->random) & 1) != 0 ? order_by_dimension(m) : order_by_line(m);
    m->e->work += 2 * (int64_t)m->n;
    if (found)
        sort_pool(m);
    return found;
}

/* ---- 2: where to cut --------------------------------------------------------------------------------------------- */

/* What both sides lose, for each cut with k records on either. */
static void sum_losses(cut_move *m)
{
    const kanon__region *r = m->e->region;
    uint32_t *box = m->e->bounds;
    int32_t k = (int32_t)r->k, n = m->n;
    kanon__box_begin(box, r->costs->n_dimensions, kanon__region_coordinates(r, m->pool[0].record));
    for (int32_t i = 1; i <= n - k; i++) {
        if (i >= k)
            m->losses[i] = kanon__group_loss(i, kanon__move_costs_units(r->costs, box, NULL, NULL));
        kanon__box_widen(box, r->costs->n_dimensions, kanon__region_coordinates(r, m->pool[i].record));
    }
    kanon__box_begin(box, r->costs->n_dimensions, kanon__region_coordinates(r, m->pool[n - 1].record));
    for (int32_t i = n - 1; i >= k; i--) {
        if (i <= n - k)
            m->losses[i] += kanon__group_loss(n - i, kanon__move_costs_units(r->costs, box, NULL, NULL));
        kanon__box_widen(box, r->costs->n_dimensions, kanon__region_coordinates(r, m->pool[i - 1].record));
    }
}

/* The violation of both sides, moved on to another cut: the scratch tallies follow it. */
static int64_t violation_at(cut_move *m, int32_t *at, int32_t cut)
{
    kanon__prices *p = m->e->prices;
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
    kanon__prices *p = m->e->prices;
    const int32_t *rows = p->region->rows;
    for (int32_t i = 0; i < at; i++)
        kanon__tally_remove(&p->sides[0], rows[m->pool[i].record]);
    for (int32_t i = at; i < m->n; i++)
        kanon__tally_remove(&p->sides[1], rows[m->pool[i].record]);
}

/* The cut that costs least, at most `most`; 0: there is none. */
static int32_t choose_cut(cut_move *m, int64_t most)
{
    kanon__prices *p = m->e->prices;
    int32_t best = 0, at = 0, k = (int32_t)p->region->k;
    bool filled = false;
    for (int32_t cut = k; cut <= m->n - k; cut++) {
        if (m->losses[cut] > most || p->status != KANON_OK)
            continue;
        for (int32_t i = 0; !filled && i < m->n && p->status == KANON_OK; i++)
            p->status = kanon__tally_add(&p->sides[1], p->region->rows[m->pool[i].record], NULL);
        filled = true;
        m->e->work += 4;
        int64_t cost = m->losses[cut] + kanon__price_of(p, violation_at(m, &at, cut));
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
    kanon__move_engine *e = m->e;
    int32_t n_left = 0, n_before = 0, first = m->left, second = m->right;
    for (int32_t i = 0; i < m->n; i++) {
        n_left += m->pool[i].left;
        n_before += i < cut ? m->pool[i].left : 0;
    }
    if (m->left == m->right) {
        second = kanon__region_empty_slot(e->region);
        if (second < 0)
            return;
    } else if (cut - n_before + n_left - n_before > m->n / 2) {
        first = m->right;
        second = m->left;
    }
    for (int32_t i = 0; i < m->n; i++) {
        int32_t to = i < cut ? first : second;
        if (e->region->group_of[m->pool[i].record] != to)
            kanon__move_add(e, m->pool[i].record, to);
    }
    if (e->n_moves > 0)
        kanon__move_commit(e, delta, -1);
}

static int64_t loss_before(const cut_move *m)
{
    const kanon__region *r = m->e->region;
    return kanon__region_loss_of(r, m->left) + (m->left != m->right ? kanon__region_loss_of(r, m->right) : 0);
}

static void recut(kanon__move_engine *e, int32_t left, int32_t right)
{
    cut_move m = {.e = e, .left = left, .right = right};
    if (!fill(&m))
        return;
    sum_losses(&m);
    const int64_t *violations = e->prices->violations;
    int64_t before = loss_before(&m), violation = violations[left] + (left != right ? violations[right] : 0);
    int32_t cut = choose_cut(&m, before + kanon__price_of(e->prices, violation) + e->threshold);
    if (cut > 0)
        move_to_sides(&m, cut, m.losses[cut] - before);
}

static void sort_out(kanon__move_engine *e, int32_t left, int32_t right)
{
    cut_move m = {.e = e, .left = left, .right = right};
    const kanon__region *r = e->region;
    kanon__prices *p = e->prices;
    uint32_t *boxes[2] = {e->bounds, p->box};
    int32_t sizes[2] = {0, 0}, groups[2] = {left, right};
    int d = r->costs->n_dimensions;
    if (!fill(&m))
        return;
    for (int32_t i = 0; i < m.n; i++)
        p->quota[p->value_of[m.pool[i].record]] += m.pool[i].left;
    for (int32_t i = 0; i < m.n; i++) { /* all quotas are used up then */
        int32_t record = m.pool[i].record, *quota = &p->quota[p->value_of[record]], side = *quota > 0 ? 0 : 1;
        *quota -= side == 0;
        if (sizes[side]++ == 0)
            kanon__box_begin(boxes[side], d, kanon__region_coordinates(r, record));
        else
            kanon__box_widen(boxes[side], d, kanon__region_coordinates(r, record));
        if (r->group_of[record] != groups[side])
            kanon__move_add(e, record, groups[side]);
    }
    int64_t delta = -loss_before(&m);
    for (int side = 0; side < 2; side++)
        delta += kanon__group_loss(sizes[side], kanon__move_costs_units(r->costs, boxes[side], NULL, NULL));
    if (e->n_moves > 0 && delta <= e->threshold)
        kanon__move_commit(e, delta, -1);
}

/* ---- which groups ------------------------------------------------------------------------------------------------ */

/* Of a few groups near the record the one that costs least as one with its own. */
static int32_t draw_mate(kanon__move_engine *e, int32_t record)
{
    const kanon__region *r = e->region;
    int32_t best = -1, own = r->group_of[record];
    int64_t least = INT64_MAX;
    for (int i = 0; i < MATES; i++) {
        int32_t group = kanon__draw_group(e, record);
        if (group < 0 || group == best)
            continue;
        int64_t cost = kanon__region_joint_loss(r, own, group) - kanon__region_loss_of(r, group);
        if (cost < least) {
            least = cost;
            best = group;
        }
    }
    return best;
}

void kanon__move_recut(kanon__move_engine *e, int32_t record, uint64_t random, int32_t rest)
{
    (void)random;
    int32_t g = e->region->group_of[record], h = rest < e->mix.split_share ? g : draw_mate(e, record);
    if (h >= 0 && h != g && (rest & 15) < e->mix.sort_share)
        sort_out(e, g, h);
    else if (h >= 0)
        recut(e, g, h);
}
