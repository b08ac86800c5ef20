/* Branch and bound over the boxes around one tuple.
 *
 *   1. Candidates: tuples after this one whose distance is at most its price. A box that reaches further costs more than the
 *      mean of any prices in it. Drop those that are too far or too cheap for a violated set; if too many are left, keep the
 *      nearest and dearest, and a stand-in for the others. Sort them by falling price. One record of the tuple itself is in
 *      every set; so "the k highest prices" are its price and the k-1 highest of the others.
 *   2. The root of the search tree is the box of the tuple alone, with the list of all candidates.
 *   3. Take the node on top. Its box must be covered, the tuples of its list may be. Bound: let M be the mean of the k
 *      highest prices in the list. No box below the node has a larger mean, so only tuples z with e(z) <= M matter, where
 *      e(z) is the cost of the node's box grown to z. More finely, costs are cut into levels: a box that costs no more than
 *      a level holds only tuples with e(z) up to it. If no level leaves an excess above the best one known, drop the node.
 *      If a level leaves little, only tuples with nearly the k-th highest price can be in such a set: the others leave.
 *   4. Else the k highest prices at the best level are k records of a real box, their hull. It may be the new best. With
 *      the stand-in among them they are no set, but no set around the tuple has more excess.
 *   5. Branch on the side where the hull exceeds the node's box most, at the middle: either the box stays below the cut, and
 *      the tuples beyond leave the list, or it reaches at least the nearest tuple beyond. Go on with 3.
 *   6. Out of budget: the largest bound of the nodes left is reported, so that the caller can pay for it.
 *
 * All sums are whole numbers. */
#include "bound/box_search.h"

#include "core/alloc.h"

#include <string.h>

enum { LEVELS = 16 };
/* How many candidates a search has: for each of the k records, and one for so many entries of its budget. */
enum { KEPT = 20, THIN = 128 };

/* A tuple of a node's list: which candidate, and e(z), the cost of the node's box grown to it. */
typedef struct entry {
    int32_t candidate, cost;
} entry;

/* A node of the search tree. Nodes and their lists form stacks. The first child takes the place of its parent, the second
 * one lies behind it and is searched first:
 *
 *     entries   [ list of node 0 | list of node 1 | ... | list of the top node ] */
typedef struct search_node {
    int64_t begin, end; /* its list in `entries`, by falling price */
    int64_t at_most;    /* no box below it has more excess */
    int32_t units;      /* cost of its box */
} search_node;

struct kanon__box_search {
    const kanon__priced_table *table;
    kanon__box_candidates found; /* step 1 */
    /* the stacks */
    entry *entries;
    search_node *nodes;
    int32_t *boxes; /* by node: its extents */
    int64_t entries_capacity, nodes_capacity, boxes_capacity, n_nodes;
    int64_t work;  /* entries visited so far */
    int32_t *hull; /* extents of step 4 */
    kanon__violated_set best;
};

kanon_status kanon__box_search_new(kanon__box_search **out, const kanon__priced_table *table, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__box_search *s = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "boxes", err), out);
    s->table = table;
    KANON_TRY(kanon__box_candidates_init(&s->found, table, err), out);
    KANON_TRY(kanon__new_array(&s->hull, table->n_sides, "boxes", err), out);
    KANON_TRY(kanon__violated_set_init(&s->best, table, err), out);
    *out = s;
    s = NULL;
out:
    kanon__box_search_free(s);
    return st;
}

void kanon__box_search_free(kanon__box_search *s)
{
    if (s == NULL)
        return;
    kanon__violated_set_clear(&s->best);
    kanon__free(s->hull);
    kanon__free(s->boxes);
    kanon__free(s->nodes);
    kanon__free(s->entries);
    kanon__box_candidates_clear(&s->found);
    kanon__free(s);
}

/* ---- 1: candidates ----------------------------------------------------------------------------------------------- */

/* The list of the root is all of them. */
static kanon_status set_candidates(kanon__box_search *s, kanon_error *err)
{
    KANON_CHECK(kanon__box_candidates_lay_out(&s->found, err));
    KANON_CHECK(kanon__grow_array(&s->entries, &s->entries_capacity, 2 * s->found.n, "boxes", err));
    for (int64_t i = 0; i < s->found.n; i++)
        s->entries[i] = (entry){(int32_t)i, (int32_t)s->found.items[i].distance};
    return KANON_OK;
}

/* ---- 3, 4: one node ---------------------------------------------------------------------------------------------- */

/* The sum of the k highest prices of the list; false where it has fewer than k records. */
static bool top_sum(const kanon__box_search *s, const search_node *node, int64_t *sum)
{
    int64_t left = s->table->k - 1;
    *sum = s->found.own_price;
    for (int64_t i = node->begin; i < node->end && left > 0; i++) {
        int32_t at = s->entries[i].candidate;
        int64_t taken = s->found.counts[at] < left ? s->found.counts[at] : left;
        *sum += taken * s->found.prices[at];
        left -= taken;
    }
    return left == 0;
}

/* Costs above the node's box, cut into LEVELS ranges of 2^shift units. */
typedef struct levels {
    int shift;                   /* level of a tuple: (e(z) - units) >> shift */
    int64_t sums[LEVELS];        /* the sum of the k highest prices up to each level */
    int64_t lowest[LEVELS];      /* the lowest of these prices */
    int32_t least[LEVELS];       /* the least e(z) of each level: what a box of this level costs at least */
    int64_t above[LEVELS];       /* a tuple of this level is of use if its price is above this */
    int64_t grown_above[LEVELS]; /* the same where the level is that of e(z) in a larger box of this node */
    int best;        /* the level with the largest excess: how much more than the best known its sets can have */
    int64_t at_most; /* the largest excess of a level */
} levels;

static int level_of(const levels *l, const search_node *node, const entry *e)
{
    return (e->cost - node->units) >> l->shift;
}

/* What the k highest prices of a level must exceed for it to be of use. */
static int64_t useful_sum(const kanon__box_search *s, const levels *l, int level)
{
    return s->best.excess + s->table->k * l->least[level];
}

/* Fill `least`. The lowest level that has k records, with one of the tuple itself; LEVELS where none has. */
static int first_level(const kanon__box_search *s, const search_node *node, int64_t mean, levels *l)
{
    int64_t counted[LEVELS] = {0}, sum = 0;
    int first = 0;
    for (int64_t i = node->begin; i < node->end; i++) {
        const entry *e = &s->entries[i];
        if (e->cost > mean)
            continue;
        int level = level_of(l, node, e);
        counted[level] += s->found.counts[e->candidate];
        l->least[level] = e->cost < l->least[level] ? e->cost : l->least[level];
    }
    while (first < LEVELS && (sum += counted[first]) < s->table->k - 1)
        first++;
    return first;
}

/* Which prices are of use: each makes up for what the k-1 highest others of a level lack. */
static void set_above(const levels *l, const int64_t *excess, int64_t *above)
{
    int64_t lowest = INT64_MAX;
    for (int level = LEVELS - 1; level >= 0; level--) {
        if (excess[level] > 0 && l->lowest[level] - excess[level] < lowest)
            lowest = l->lowest[level] - excess[level];
        above[level] = lowest;
    }
}

/* 3. What the levels from `first` on leave, and which tuples matter for it. A set is counted at the level of its largest
 * e(z), and costs no less than the least e(z) there. What it costs may lie on a higher level: e(z) in a larger box is
 * compared with this cost, of which only the lower end of its level is known. */
static void set_useful(const kanon__box_search *s, const search_node *node, int first, levels *l)
{
    int64_t most = 0, excess[LEVELS] = {0}, grown_excess[LEVELS] = {0};
    l->best = -1;
    for (int level = LEVELS - 1; level >= first; level--) {
        int64_t lower_end = node->units + ((int64_t)level << l->shift);
        excess[level] = l->sums[level] - useful_sum(s, l, level);
        grown_excess[level] = l->sums[level] - s->best.excess - s->table->k * lower_end;
        if (excess[level] > 0 && excess[level] >= most) {
            most = excess[level];
            l->best = level;
        }
    }
    set_above(l, excess, l->above);
    set_above(l, grown_excess, l->grown_above);
    l->at_most = s->best.excess + most;
}

/* Records, and what they are worth, up to a level. */
typedef struct level_sum {
    int64_t records, prices;
} level_sum;

static void add_to(level_sum *a, level_sum b)
{
    a->records += b.records;
    a->prices += b.prices;
}

/* 3. Fill the levels in one pass over the list, by falling price. Costs above `mean` are of no use. The highest level is
 * full first, with k-1 others, and is left then; the lowest is left once the prices have fallen so far that it cannot become
 * useful. So only two sums are kept up to date. */
static void set_levels(kanon__box_search *s, const search_node *node, int64_t mean, levels *l)
{
    int64_t others = s->table->k - 1, own = s->found.own_price, i = node->begin;
    level_sum of[LEVELS] = {{0}}, up_to_top = {0}, up_to_first = {0};
    int top = LEVELS - 1;
    memset(l, 0, sizeof *l);
    for (int level = 0; level < LEVELS; level++)
        l->least[level] = INT32_MAX;
    while ((mean - node->units) >> l->shift >= LEVELS)
        l->shift++;
    int first = first_level(s, node, mean, l);
    for (; i < node->end && first <= top; i++) {
        const entry *e = &s->entries[i];
        int level = e->cost > mean ? LEVELS : level_of(l, node, e);
        if (level > top)
            continue;
        int64_t count = s->found.counts[e->candidate], price = s->found.prices[e->candidate];
        level_sum more = {count, count * price};
        add_to(&of[level], more);
        add_to(&up_to_top, more);
        if (level <= first)
            add_to(&up_to_first, more);
        for (; top >= first && up_to_top.records >= others; top--) { /* not all records of this tuple are taken */
            l->sums[top] = own + up_to_top.prices - (up_to_top.records - others) * price;
            l->lowest[top] = price;
            add_to(&up_to_top, (level_sum){-of[top].records, -of[top].prices});
        }
        while (first <= top &&
               own + up_to_first.prices + (others - up_to_first.records) * price <= useful_sum(s, l, first))
            if (++first < LEVELS)
                add_to(&up_to_first, of[first]);
    }
    s->work += i - node->begin;
    set_useful(s, node, first, l);
}

/* 4. The extents and the cost of the hull. Where the stand-in is in it (*real is false), the lowest cost of the level is all
 * that is known. */
static int64_t set_hull(kanon__box_search *s, const search_node *node, const levels *l, bool *real)
{
    int64_t left = s->table->k - 1, units = 0, least = l->least[l->best];
    *real = true;
    int n_sides = s->table->n_sides;
    memcpy(s->hull, s->boxes + (node - s->nodes) * n_sides, (size_t)n_sides * sizeof *s->hull);
    for (int64_t i = node->begin; left > 0; i++) {
        const entry *e = &s->entries[i];
        if (level_of(l, node, e) > l->best)
            continue;
        const int32_t *corner = s->found.corners + (int64_t)e->candidate * n_sides;
        for (int side = 0; side < n_sides; side++)
            s->hull[side] = corner[side] > s->hull[side] ? corner[side] : s->hull[side];
        left -= s->found.counts[e->candidate] < left ? s->found.counts[e->candidate] : left;
        *real = *real && s->found.tuples[e->candidate] >= 0;
    }
    for (int side = 0; side < n_sides; side++)
        units += s->hull[side];
    return *real || units > least ? units : least;
}

/* 4. */
static void keep_best(kanon__box_search *s, const search_node *node, const levels *l, int64_t units, int64_t excess)
{
    int64_t left = s->table->k - 1;
    s->best.excess = excess;
    s->best.units = (int32_t)units;
    s->best.tuples[0] = (int32_t)s->found.own;
    s->best.times[0] = 1;
    s->best.n = 1;
    for (int64_t i = node->begin; left > 0; i++) {
        const entry *e = &s->entries[i];
        if (level_of(l, node, e) > l->best)
            continue;
        int64_t taken = s->found.counts[e->candidate] < left ? s->found.counts[e->candidate] : left;
        left -= taken;
        if (s->found.tuples[e->candidate] == s->found.own) { /* more of its own records */
            s->best.times[0] += (int32_t)taken;
            continue;
        }
        s->best.tuples[s->best.n] = s->found.tuples[e->candidate];
        s->best.times[s->best.n++] = (int32_t)taken;
    }
}

/* ---- 5: branching ------------------------------------------------------------------------------------------------ */

static int widest_side(const kanon__box_search *s, const int32_t *box)
{
    int best = 0;
    for (int side = 1; side < s->table->n_sides; side++)
        if (s->hull[side] - box[side] > s->hull[best] - box[best])
            best = side;
    return best;
}

static kanon_status push_node(kanon__box_search *s, int64_t *at, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&s->nodes, &s->nodes_capacity, s->n_nodes + 1, "boxes", err);
    if (st == KANON_OK)
        st = kanon__grow_array(&s->boxes, &s->boxes_capacity, (s->n_nodes + 1) * s->table->n_sides, "boxes", err);
    *at = s->n_nodes++;
    return st;
}

/* Whether a set with more than the best excess may hold the tuple, by the prices that its level asks for. */
static bool is_useful(const kanon__box_search *s, const search_node *node, const levels *l, const int64_t *above,
                      const entry *e)
{
    int level = level_of(l, node, e);
    return level < LEVELS && s->found.prices[e->candidate] > above[level];
}

/* Compact the list of the top node to the useful entries. The least extent beyond the cut is *reached. */
static void keep_useful(kanon__box_search *s, search_node *node, const levels *l, int side, int32_t cut, int32_t *reached)
{
    const int32_t *reach = s->found.extents + side * s->found.n;
    int64_t end = node->begin;
    *reached = INT32_MAX;
    for (int64_t i = node->begin; i < node->end && s->found.prices[s->entries[i].candidate] > l->above[0]; i++) {
        entry e = s->entries[i];
        bool useful = is_useful(s, node, l, l->above, &e);
        s->entries[end] = e;
        end += useful;
        *reached = useful && reach[e.candidate] > cut && reach[e.candidate] < *reached ? reach[e.candidate] : *reached;
    }
    s->work += node->end - node->begin;
    node->end = end;
}

/* Replace the top node by its two children: the one below the cut in its place, the one beyond on top.
 *
 * The list is compacted in place twice: first to the useful entries, then to those below the cut, while those of the other
 * child are copied behind it with their new costs. */
static kanon_status branch(kanon__box_search *s, const levels *l, kanon_error *err)
{
    int64_t parent = s->n_nodes - 1, child;
    int n_sides = s->table->n_sides, side = widest_side(s, s->boxes + parent * n_sides);
    KANON_CHECK(push_node(s, &child, err));
    search_node *below = &s->nodes[parent], *beyond = &s->nodes[child];
    int32_t *box = s->boxes + parent * n_sides, *grown = s->boxes + child * n_sides, old = box[side];
    int32_t cut = old + (s->hull[side] - old) / 2, reached;
    keep_useful(s, below, l, side, cut, &reached);
    int64_t kept = below->begin, end = below->end, put = end;
    const int32_t *reach = s->found.extents + side * s->found.n;
    KANON_CHECK(kanon__grow_array(&s->entries, &s->entries_capacity, 2 * end - below->begin, "boxes", err));
    memcpy(grown, box, (size_t)n_sides * sizeof *grown);
    grown[side] = reached;
    int32_t units = below->units + reached - old;
    for (int64_t i = below->begin; i < end; i++) {
        entry e = s->entries[i];
        int32_t r = reach[e.candidate], more = reached - (r > old ? r : old);
        s->entries[kept] = e;
        kept += r <= cut;
        e.cost += more > 0 ? more : 0;
        if (s->found.tuples[e.candidate] < 0)
            e.cost = (int32_t)s->found.stand_in_distance > units ? (int32_t)s->found.stand_in_distance : units;
        s->entries[put] = e;
        put += is_useful(s, below, l, l->grown_above, &e);
    }
    *beyond = (search_node){.begin = end, .end = put, .units = units, .at_most = l->at_most};
    below->end = kept;
    below->at_most = l->at_most;
    return KANON_OK;
}

/* 3 to 5 for the top node. A new best lowers the bound of the node, so its levels are set again. */
static kanon_status step(kanon__box_search *s, kanon_error *err)
{
    search_node *node = &s->nodes[s->n_nodes - 1];
    int64_t sum, k = s->table->k;
    levels l;
    if (node->at_most <= s->best.excess || !top_sum(s, node, &sum) || sum - k * node->units <= s->best.excess) {
        s->n_nodes--;
        return KANON_OK;
    }
    for (;;) {
        set_levels(s, node, sum / k, &l);
        if (l.at_most <= s->best.excess) {
            s->n_nodes--;
            return KANON_OK;
        }
        bool real;
        int64_t units = set_hull(s, node, &l, &real), excess = l.sums[l.best] - k * units;
        if (excess <= s->best.excess)
            return branch(s, &l, err);
        if (real)
            keep_best(s, node, &l, units, excess);
        s->best.excess = excess;
    }
}

/* 6. */
static void give_up(kanon__box_search *s)
{
    for (int64_t i = 0; i < s->n_nodes; i++)
        if (s->nodes[i].at_most > s->best.at_most)
            s->best.at_most = s->nodes[i].at_most;
    s->n_nodes = 0;
}

/* The root: the box of the tuple alone. False where it is too dear already. */
static kanon_status push_root(kanon__box_search *s, kanon_error *err)
{
    const kanon__priced_table *t = s->table;
    const uint32_t *codes = kanon__priced_codes(t, s->found.own);
    int64_t at, sum;
    s->n_nodes = s->work = 0;
    KANON_CHECK(push_node(s, &at, err));
    kanon__extents_of(t, codes, codes, s->boxes);
    s->nodes[0] = (search_node){.begin = 0, .end = s->found.n, .at_most = INT64_MAX};
    for (int side = 0; side < t->n_sides; side++)
        s->nodes[0].units += s->boxes[side];
    if (top_sum(s, &s->nodes[0], &sum))
        s->nodes[0].at_most = sum;
    return KANON_OK;
}

/* 1 to 6 for the candidates that were found. */
static kanon_status look_through(kanon__box_search *s, int64_t tolerance, int64_t budget, int64_t enough, kanon_error *err)
{
    if (!kanon__box_candidates_drop(&s->found, tolerance))
        return KANON_OK;
    KANON_CHECK(kanon__box_candidates_thin_out(&s->found, KEPT * s->table->k + budget / THIN, err));
    KANON_CHECK(set_candidates(s, err));
    KANON_CHECK(push_root(s, err));
    while (s->n_nodes > 0) {
        KANON_CHECK(step(s, err));
        if (s->work > budget || (s->best.n > 0 && s->work > enough))
            give_up(s);
    }
    if (s->best.excess > s->best.at_most)
        s->best.at_most = s->best.excess;
    return KANON_OK;
}

kanon_status kanon__box_search_run(kanon__box_search *s, const kanon__box_question *q, const kanon__violated_set **out,
                                   kanon_error *err)
{
    s->found.own = q->tuple;
    s->found.own_price = s->table->prices[q->tuple];
    s->found.uniform = 0;
    s->best.n = 0;
    s->best.excess = s->best.at_most = q->tolerance;
    *out = &s->best;
    if (q->radius <= 0)
        return KANON_OK;
    KANON_CHECK(kanon__box_candidates_find(&s->found, q->order, q->last, (uint32_t)q->radius, err));
    return look_through(s, q->tolerance, q->budget, q->enough, err);
}

/* ---- the least box ----------------------------------------------------------------------------------------------- */

/* The k - 1 nearest and the tuple: what the box around them costs is enough. */
static int64_t take_nearest(kanon__box_search *s)
{
    const levels all = {.shift = 30, .best = LEVELS - 1};
    bool real;
    int64_t units = set_hull(s, &s->nodes[0], &all, &real);
    keep_best(s, &s->nodes[0], &all, units, 0);
    return units;
}

kanon_status kanon__box_search_least(kanon__box_search *s, int64_t tuple, int64_t budget, const kanon__violated_set **out,
                                     int32_t *at_least, kanon_error *err)
{
    const kanon__priced_table *t = s->table;
    int32_t near = t->neighbour_distances[tuple];
    *out = &s->best;
    s->found.own = tuple;
    s->found.own_price = s->found.uniform = INT32_MAX; /* the nearest first */
    KANON_CHECK(kanon__box_candidates_find(&s->found, NULL, NULL, (uint32_t)near, err));
    KANON_CHECK(set_candidates(s, err));
    KANON_CHECK(push_root(s, err));
    int64_t units = take_nearest(s), excess = 0;
    s->best.at_most = 0;
    if (units > near) { /* a set that costs less has an excess where everybody is worth `units` */
        s->found.own_price = s->found.uniform = (int32_t)units;
        s->best.excess = 0;
        KANON_CHECK(kanon__box_candidates_find(&s->found, NULL, NULL, (uint32_t)units - 1, err));
        KANON_CHECK(look_through(s, 0, budget, budget, err));
        excess = s->best.at_most > s->best.excess ? s->best.at_most : s->best.excess;
    }
    *at_least = (int32_t)(units - excess / t->k);
    if (*at_least < near)
        *at_least = near;
    return KANON_OK;
}
