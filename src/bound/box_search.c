/* Branch and bound over the boxes around one tuple.
 *
 *   1. Candidates: tuples after this one whose distance is at most its price. A box that reaches further costs more than the
 *      mean of any prices in it. Sort them by falling price; drop those that are too far for the k highest prices.
 *   2. The root of the search tree is the box of the tuple alone, with the list of all candidates.
 *   3. Take the node on top. Its box must be covered, the tuples of its list may be. Bound: let M be the mean of the k
 *      highest prices in the list. No box below the node has a larger mean, so only tuples z with e(z) <= M matter, where
 *      e(z) is the cost of the node's box grown to z. More finely, costs are cut into levels: a box that costs no more than
 *      a level holds only tuples with e(z) up to it. If no level leaves an excess above the best one known, drop the node.
 *   4. Else the k highest prices at the best level are k records of a real box, their hull. It may be the new best.
 *   5. Branch on the side where the hull exceeds the node's box most, at the middle: either the box stays below the cut, and
 *      the tuples beyond leave the list, or it reaches at least the nearest tuple beyond. Go on with 3.
 *   6. Out of budget: the largest bound of the nodes left is reported, so that the caller can pay for it.
 *
 * All sums are whole numbers. Called by separation.c; calls priced_table.h. */
#include "bound/box_search.h"

#include "core/alloc.h"

#include <string.h>

enum { LEVELS = 16, MOST_DEPTH = 96, TABLE_CODES = 1024 };

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

/* A tuple near enough to share a box, and its distance. */
typedef struct box_candidate {
    uint64_t key; /* orders by falling price, then rising number; the number is the lower half */
    uint32_t distance;
} box_candidate;

struct kanon__box_search {
    const kanon__priced_table *table;
    uint32_t **reach; /* by dimension and code: distance from the tuple on this dimension; NULL: too many codes */
    box_candidate *candidates, *other; /* step 1; `other` is room for sorting */
    int64_t n, candidates_capacity, other_capacity;
    /* the n candidates that remain, by falling price; extents by side, then candidate */
    int32_t *tuples, *prices, *extents;
    int64_t *counts;
    int64_t tuples_capacity, prices_capacity, extents_capacity, counts_capacity;
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
    int64_t most = table->k < table->n ? table->k : table->n;
    *out = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "boxes", err), out);
    s->table = table;
    KANON_TRY(kanon__new_array(&s->reach, table->space->n_dimensions, "boxes", err), out);
    for (int i = 0; i < table->space->n_dimensions; i++)
        if (table->space->dimensions[i].n_codes <= TABLE_CODES)
            KANON_TRY(kanon__new_array(&s->reach[i], table->space->dimensions[i].n_codes, "boxes", err), out);
    KANON_TRY(kanon__new_array(&s->hull, table->n_sides, "boxes", err), out);
    KANON_TRY(kanon__new_array(&s->best.tuples, most, "boxes", err), out);
    KANON_TRY(kanon__new_array(&s->best.times, most, "boxes", err), out);
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
    kanon__free(s->best.times);
    kanon__free(s->best.tuples);
    kanon__free(s->hull);
    kanon__free(s->boxes);
    kanon__free(s->nodes);
    kanon__free(s->entries);
    kanon__free(s->counts);
    kanon__free(s->extents);
    kanon__free(s->prices);
    kanon__free(s->tuples);
    kanon__free(s->other);
    kanon__free(s->candidates);
    for (int i = 0; s->reach != NULL && i < s->table->space->n_dimensions; i++)
        kanon__free(s->reach[i]);
    kanon__free(s->reach);
    kanon__free(s);
}

/* ---- 1: candidates ----------------------------------------------------------------------------------------------- */

/* One row of pair costs for each dimension: distances from the tuple become lookups. */
static void set_reach(kanon__box_search *s, const uint32_t *codes)
{
    for (int i = 0; i < s->table->space->n_dimensions; i++) {
        const kanon__dimension *d = &s->table->space->dimensions[i];
        for (uint32_t code = 0; s->reach[i] != NULL && code < d->n_codes; code++)
            s->reach[i][code] = kanon__dimension_units(d, code < codes[i] ? code : codes[i],
                                                       code < codes[i] ? codes[i] : code);
    }
}

static uint32_t reach_of(const kanon__box_search *s, int i, uint32_t from, uint32_t to)
{
    return s->reach[i] != NULL
               ? s->reach[i][to]
               : kanon__dimension_units(&s->table->space->dimensions[i], from < to ? from : to, from < to ? to : from);
}

static uint32_t distance_to_node(const kanon__box_search *s, const uint32_t *codes, int32_t node)
{
    int m = s->table->space->n_dimensions;
    const kanon__bound *box = s->table->index->boxes + (int64_t)node * 2 * m;
    uint32_t units = 0;
    for (int i = 0; i < m; i++) {
        uint32_t code = codes[i], lo = box[2 * i], hi = box[2 * i + 1];
        units += reach_of(s, i, code, code < lo ? lo : code > hi ? hi : code);
    }
    return units;
}

static uint32_t distance_to(const kanon__box_search *s, const uint32_t *codes, const uint32_t *other)
{
    uint32_t units = 0;
    for (int i = 0; i < s->table->space->n_dimensions; i++)
        units += reach_of(s, i, codes[i], other[i]);
    return units;
}

static kanon_status add_candidate(kanon__box_search *s, int64_t tuple, uint32_t distance, kanon_error *err)
{
    if (s->n == s->candidates_capacity) {
        kanon_status st = kanon__grow_array(&s->candidates, &s->candidates_capacity, s->n + 1, "boxes", err);
        if (st != KANON_OK)
            return st;
    }
    uint64_t key = (uint64_t)((int64_t)INT32_MAX - s->table->prices[tuple]) << 32 | (uint64_t)tuple;
    s->candidates[s->n++] = (box_candidate){key, distance};
    return KANON_OK;
}

/* The tuple, and those after it in the order that are at most `radius` away. */
static kanon_status find_candidates(kanon__box_search *s, int64_t own, const int32_t *order, const int32_t *last,
                                    uint32_t radius, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__priced_table *t = s->table;
    const uint32_t *codes = kanon__priced_codes(t, own);
    int32_t stack[2 * MOST_DEPTH];
    int depth = 0;
    set_reach(s, codes);
    s->n = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t number = stack[--depth];
        const kanon__tree_node *node = &t->index->nodes[number];
        if (last[number] < order[own] || distance_to_node(s, codes, number) > radius)
            continue;
        if (node->first_child >= 0 && depth + 2 <= 2 * MOST_DEPTH) {
            stack[depth++] = node->first_child + 1;
            stack[depth++] = node->first_child;
            continue;
        }
        for (int64_t other = node->begin; other < node->end; other++) {
            uint32_t distance;
            if (order[other] >= order[own] && (distance = distance_to(s, codes, kanon__priced_codes(t, other))) <= radius)
                KANON_TRY(add_candidate(s, other, distance, err), out);
        }
    }
out:
    return st;
}

/* A bottom-up merge sort: no recursion, and O(n log n) in any case. */
static kanon_status sort_candidates(kanon__box_search *s, kanon_error *err)
{
    int64_t n = s->n;
    kanon_status st = kanon__grow_array(&s->other, &s->other_capacity, n, "boxes", err);
    if (st != KANON_OK)
        return st;
    box_candidate *from = s->candidates, *to = s->other;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            int64_t middle = begin + width < n ? begin + width : n, end = middle + width < n ? middle + width : n;
            for (int64_t i = begin, j = middle, at = begin; at < end; at++)
                to[at] = i < middle && (j >= end || from[i].key <= from[j].key) ? from[i++] : from[j++];
        }
        box_candidate *swap = from;
        from = to;
        to = swap;
    }
    if (from != s->candidates)
        memcpy(s->candidates, from, (size_t)n * sizeof *from);
    return KANON_OK;
}

/* No box has a mean above that of the k highest prices, so no violated box reaches further than that. Dropping candidates
 * lowers the mean, so this repeats until none is dropped. False where fewer than k records remain. */
static bool drop_distant(kanon__box_search *s, int64_t tolerance)
{
    const kanon__priced_table *t = s->table;
    for (;;) {
        int64_t left = t->k, sum = 0, kept = 0;
        for (int64_t i = 0; i < s->n && left > 0; i++) {
            int64_t tuple = s->candidates[i].key & UINT32_MAX, taken = t->counts[tuple] < left ? t->counts[tuple] : left;
            sum += taken * t->prices[tuple];
            left -= taken;
        }
        if (left > 0 || sum <= tolerance)
            return false;
        for (int64_t i = 0; i < s->n; i++)
            if (s->candidates[i].distance <= (sum - tolerance) / t->k)
                s->candidates[kept++] = s->candidates[i];
        if (kept == s->n)
            return true;
        s->n = kept;
    }
}

/* Lay the candidates out as arrays; the list of the root is all of them. */
static kanon_status set_candidates(kanon__box_search *s, int64_t own, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__priced_table *t = s->table;
    int32_t *extents = s->hull;
    KANON_TRY(kanon__grow_array(&s->tuples, &s->tuples_capacity, s->n, "boxes", err), out);
    KANON_TRY(kanon__grow_array(&s->prices, &s->prices_capacity, s->n, "boxes", err), out);
    KANON_TRY(kanon__grow_array(&s->counts, &s->counts_capacity, s->n, "boxes", err), out);
    KANON_TRY(kanon__grow_array(&s->extents, &s->extents_capacity, s->n * t->n_sides, "boxes", err), out);
    KANON_TRY(kanon__grow_array(&s->entries, &s->entries_capacity, 2 * s->n, "boxes", err), out);
    for (int64_t i = 0; i < s->n; i++) {
        int32_t tuple = (int32_t)(s->candidates[i].key & UINT32_MAX);
        s->tuples[i] = tuple;
        s->prices[i] = t->prices[tuple];
        s->counts[i] = t->counts[tuple];
        kanon__extents_of(t, kanon__priced_codes(t, own), kanon__priced_codes(t, tuple), extents);
        for (int side = 0; side < t->n_sides; side++)
            s->extents[side * s->n + i] = extents[side];
        s->entries[i] = (entry){(int32_t)i, (int32_t)s->candidates[i].distance};
    }
out:
    return st;
}

/* ---- 3, 4: one node ---------------------------------------------------------------------------------------------- */

static int32_t extent(const kanon__box_search *s, const entry *e, int side)
{
    return s->extents[side * s->n + e->candidate];
}

/* The sum of the k highest prices of the list; false where it has fewer than k records. */
static bool top_sum(const kanon__box_search *s, const search_node *node, int64_t *sum)
{
    int64_t left = s->table->k;
    *sum = 0;
    for (int64_t i = node->begin; i < node->end && left > 0; i++) {
        int32_t at = s->entries[i].candidate;
        int64_t taken = s->counts[at] < left ? s->counts[at] : left;
        *sum += taken * s->prices[at];
        left -= taken;
    }
    return left == 0;
}

/* Costs above the node's box, cut into LEVELS ranges of 2^shift units. */
typedef struct levels {
    int shift;                             /* level of a tuple: (e(z) - units) >> shift */
    int64_t counted[LEVELS], sums[LEVELS]; /* records and sum of the k highest prices up to each level */
    int best, last;  /* the level with the largest excess; the last one with more than the best known */
    int64_t at_most; /* the largest excess of a level */
} levels;

static int level_of(const levels *l, const search_node *node, const entry *e)
{
    return (e->cost - node->units) >> l->shift;
}

/* 3. Fill the levels in one pass over the list, by falling price. Costs above `mean` are of no use. */
static void set_levels(kanon__box_search *s, const search_node *node, int64_t mean, levels *l)
{
    int64_t k = s->table->k;
    int open = LEVELS; /* levels from here on are full: they have k records */
    memset(l, 0, sizeof *l);
    while ((mean - node->units) >> l->shift >= LEVELS)
        l->shift++;
    int64_t i = node->begin;
    for (; i < node->end && open > 0; i++) {
        const entry *e = &s->entries[i];
        int level = e->cost - node->units > mean - node->units ? LEVELS : level_of(l, node, e);
        int64_t count = s->counts[e->candidate], price = s->prices[e->candidate];
        for (; level < open; level++) {
            int64_t taken = count < k - l->counted[level] ? count : k - l->counted[level];
            l->counted[level] += taken;
            l->sums[level] += taken * price;
        }
        while (open > 0 && l->counted[open - 1] == k)
            open--;
    }
    s->work += i - node->begin;
    l->at_most = INT64_MIN;
    l->best = l->last = -1;
    for (int level = open; level < LEVELS; level++) {
        int64_t excess = l->sums[level] - k * (node->units + ((int64_t)level << l->shift));
        if (excess > l->at_most) {
            l->at_most = excess;
            l->best = level;
        }
        if (excess > s->best.excess)
            l->last = level;
    }
}

/* 4. The extents and the cost of the hull. */
static int64_t set_hull(kanon__box_search *s, const search_node *node, const levels *l)
{
    int64_t left = s->table->k, units = 0;
    int n_sides = s->table->n_sides;
    memcpy(s->hull, s->boxes + (node - s->nodes) * n_sides, (size_t)n_sides * sizeof *s->hull);
    for (int64_t i = node->begin; left > 0; i++) {
        const entry *e = &s->entries[i];
        if (level_of(l, node, e) > l->best)
            continue;
        for (int side = 0; side < n_sides; side++)
            if (extent(s, e, side) > s->hull[side])
                s->hull[side] = extent(s, e, side);
        left -= s->counts[e->candidate] < left ? s->counts[e->candidate] : left;
    }
    for (int side = 0; side < n_sides; side++)
        units += s->hull[side];
    return units;
}

/* 4. */
static void keep_best(kanon__box_search *s, const search_node *node, const levels *l, int64_t units, int64_t excess)
{
    int64_t left = s->table->k;
    s->best.excess = excess;
    s->best.units = (int32_t)units;
    s->best.n = 0;
    for (int64_t i = node->begin; left > 0; i++) {
        const entry *e = &s->entries[i];
        if (level_of(l, node, e) > l->best)
            continue;
        int64_t taken = s->counts[e->candidate] < left ? s->counts[e->candidate] : left;
        s->best.tuples[s->best.n] = s->tuples[e->candidate];
        s->best.times[s->best.n++] = (int32_t)taken;
        left -= taken;
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

/* Replace the top node by its two children: the one below the cut in its place, the one beyond on top.
 *
 * The list is compacted in place twice: first to the entries on useful levels, then to those below the cut, while those of
 * the other child are copied behind it with their new costs. */
static kanon_status branch(kanon__box_search *s, const levels *l, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t parent = s->n_nodes - 1, child;
    int n_sides = s->table->n_sides, side = widest_side(s, s->boxes + parent * n_sides);
    KANON_TRY(push_node(s, &child, err), out);
    search_node *below = &s->nodes[parent], *beyond = &s->nodes[child];
    int32_t *box = s->boxes + parent * n_sides, *grown = s->boxes + child * n_sides, old = box[side];
    int32_t cut = old + (s->hull[side] - old) / 2, reached = INT32_MAX;
    int64_t kept = below->begin, end = kept, most = below->units + ((int64_t)(l->last + 1) << l->shift);
    const int32_t *reach = s->extents + side * s->n;
    for (int64_t i = below->begin; i < below->end; i++) { /* entries on useless levels leave */
        entry e = s->entries[i];
        s->entries[end] = e;
        end += e.cost < most;
        reached = e.cost < most && reach[e.candidate] > cut && reach[e.candidate] < reached ? reach[e.candidate] : reached;
    }
    s->work += below->end - below->begin;
    KANON_TRY(kanon__grow_array(&s->entries, &s->entries_capacity, 2 * end - below->begin, "boxes", err), out);
    memcpy(grown, box, (size_t)n_sides * sizeof *grown);
    grown[side] = reached;
    *beyond = (search_node){.begin = end, .units = below->units + reached - old, .at_most = l->at_most};
    int64_t put = end;
    for (int64_t i = below->begin; i < end; i++) {
        entry e = s->entries[i];
        int32_t r = reach[e.candidate], more = reached - (r > old ? r : old);
        s->entries[kept] = e;
        kept += r <= cut;
        e.cost += more > 0 ? more : 0;
        s->entries[put] = e;
        put += e.cost < most;
    }
    beyond->end = put;
    below->end = kept;
    below->at_most = l->at_most;
out:
    return st;
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
        int64_t units = set_hull(s, node, &l), excess = l.sums[l.best] - k * units;
        if (excess <= s->best.excess)
            return branch(s, &l, err);
        keep_best(s, node, &l, units, excess);
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

kanon_status kanon__box_search_run(kanon__box_search *s, int64_t own, const int32_t *order, const int32_t *last,
                                   int32_t radius, int64_t tolerance, int64_t budget, const kanon__violated_set **out,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__priced_table *t = s->table;
    int64_t at, sum;
    s->best.n = 0;
    s->best.excess = s->best.at_most = tolerance;
    *out = &s->best;
    if (radius <= 0)
        goto out;
    KANON_TRY(find_candidates(s, own, order, last, (uint32_t)radius, err), out);
    KANON_TRY(sort_candidates(s, err), out);
    if (!drop_distant(s, tolerance))
        goto out;
    KANON_TRY(set_candidates(s, own, err), out);
    s->n_nodes = s->work = 0;
    KANON_TRY(push_node(s, &at, err), out);
    memset(s->boxes, 0, (size_t)t->n_sides * sizeof *s->boxes);
    s->nodes[0] = (search_node){.begin = 0, .end = s->n, .at_most = INT64_MAX};
    if (top_sum(s, &s->nodes[0], &sum))
        s->nodes[0].at_most = sum;
    while (s->n_nodes > 0) {
        KANON_TRY(step(s, err), out);
        if (s->work > budget)
            give_up(s);
    }
    if (s->best.excess > s->best.at_most)
        s->best.at_most = s->best.excess;
out:
    return st;
}
