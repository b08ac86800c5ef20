/* See growth.h. The cheapest record comes from best_first.h; this file adds the search among accepted records and the search
 * for the farthest record, a branch and bound: depth first, a node is left out when even its farthest corner is nearer than
 * the best tuple so far. */
#include "search/growth.h"

#include "core/alloc.h"
#include "search/best_first.h"
#include "search/flat_scan.h"
#include "search/free_set.h"

#include <string.h>

/* Below this many records the scan is as fast as the index. */
enum { SMALL_TABLE = 200, ROWS_PER_COUNT = 1024 };

/* Testing a record through the index takes about as long as scanning this many. The search tests at most as many records as
 * a scan would be worth, but always a few. */
enum { SCANNED_PER_TEST = 32, LEAST_TESTS = 64 };

/* The tree is given up when it has cost more than the flat scan would have, by this part of all that the scan would cost. */
enum { PART_OF_SCANS = 32 };

struct kanon__growth {
    const kanon__space *space;
    kanon__free_set *scan; /* of scan and tree exactly one is there */
    kanon__free_tree *tree;
    kanon__flat_scan *flat; /* in place of the nodes of the tree, where these were given up */
    bool may_be_flat;
    int64_t n_visits; /* of nodes and tuples since they were compared last */
    int64_t excess;   /* by which the tree has cost more than the flat scan would have, in records looked at */
    int64_t n_free;
    int32_t *n_free_of; /* by stretch of ROWS_PER_COUNT rows: to find the n-th free row without counting all */
    int64_t n_members;
    int32_t found;           /* the place of the last answer, which is mostly taken next: saves the look-up of its place */
    kanon__bound *box;       /* of the group: lo and hi, of codes for the scan, of cells for the tree */
    const uint32_t **tables; /* farthest record: by category, the row of pair costs of the record's own code */
    kanon__frontier frontier;
    kanon__candidate *aside; /* tuples that the search for an accepted record took out of the frontier for a while */
    int64_t n_aside, aside_capacity;
};

/* ---- life cycle -------------------------------------------------------------------------------------------------- */

kanon_status kanon__growth_new(kanon__growth **out, const kanon__space *space, const char *way, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__growth *g = NULL;
    int64_t n_counts = space->n_rows / ROWS_PER_COUNT + 1;
    bool scan = strcmp(way, "scan") == 0 || (strcmp(way, "auto") == 0 && space->n_rows < SMALL_TABLE);
    *out = NULL;
    KANON_TRY(kanon__new_array(&g, 1, "free records", err), out);
    g->space = space;
    g->n_free = space->n_rows;
    g->may_be_flat = strcmp(way, "auto") == 0;
    KANON_TRY(kanon__new_array(&g->n_free_of, n_counts, "free records", err), out);
    for (int64_t i = 0; i < n_counts; i++)
        g->n_free_of[i] = (int32_t)(i < n_counts - 1 ? ROWS_PER_COUNT : space->n_rows % ROWS_PER_COUNT);
    KANON_TRY(kanon__new_array(&g->box, 2 * space->n_dimensions, "a group", err), out);
    KANON_TRY(kanon__new_array(&g->tables, space->n_dimensions, "the search", err), out);
    KANON_TRY(scan ? kanon__free_set_new(&g->scan, space, NULL, 0, err) : kanon__free_tree_new(&g->tree, space, true, err),
              out);
    *out = g;
    g = NULL;
out:
    kanon__growth_free(g);
    return st;
}

void kanon__growth_free(kanon__growth *g)
{
    if (g == NULL)
        return;
    kanon__free(g->aside);
    kanon__frontier_clear(&g->frontier);
    kanon__flat_scan_free(g->flat);
    kanon__free_tree_free(g->tree);
    kanon__free_set_free(g->scan);
    kanon__free(g->tables);
    kanon__free(g->box);
    kanon__free(g->n_free_of);
    kanon__free(g);
}

/* ---- free records ------------------------------------------------------------------------------------------------ */

int64_t kanon__growth_n_free(const kanon__growth *g)
{
    return g->n_free;
}

bool kanon__growth_is_free(const kanon__growth *g, int64_t row)
{
    return g->scan != NULL ? kanon__free_set_has(g->scan, row) : kanon__free_tree_has(g->tree, row);
}

int64_t kanon__growth_nth_free(const kanon__growth *g, int64_t index)
{
    int64_t row = 0;
    if (index < 0 || index >= g->n_free)
        return -1;
    for (; index >= g->n_free_of[row / ROWS_PER_COUNT]; row += ROWS_PER_COUNT)
        index -= g->n_free_of[row / ROWS_PER_COUNT];
    for (;; row++)
        if (kanon__growth_is_free(g, row) && index-- == 0)
            return row;
}

void kanon__growth_start_group(kanon__growth *g)
{
    g->frontier.n = 0;
    g->n_members = 0;
    if (g->tree != NULL)
        kanon__free_tree_tighten(g->tree);
}

static void extend_box(kanon__growth *g, const uint32_t *cells)
{
    for (int i = 0; i < g->space->n_dimensions; i++) {
        g->box[2 * i] = g->n_members == 0 ? cells[i] : kanon__smaller(g->box[2 * i], cells[i]);
        g->box[2 * i + 1] = g->n_members == 0 ? cells[i] : kanon__larger(g->box[2 * i + 1], cells[i]);
    }
}

void kanon__growth_take_record(kanon__growth *g, int64_t row)
{
    if (g->tree != NULL) {
        int32_t place = g->tree->places[g->found].lowest == row ? g->found : g->tree->place_of[row];
        extend_box(g, g->tree->cells + (int64_t)place * g->tree->n_columns);
        kanon__free_tree_take(g->tree, place, row);
        if (g->flat != NULL)
            kanon__flat_scan_remove(g->flat, row);
    } else {
        if (g->n_members == 0)
            kanon__box_start(g->space, g->box, row);
        else
            kanon__box_add(g->space, g->box, row);
        kanon__free_set_remove(g->scan, row);
    }
    g->n_members++;
    g->n_free--;
    g->n_free_of[row / ROWS_PER_COUNT]--;
}

/* ---- least growth ------------------------------------------------------------------------------------------------ */

static kanon__candidate cost_candidate(void *payload, int32_t what)
{
    kanon__growth *g = payload;
    g->n_visits++;
    return kanon__candidate_of(g->tree, g->box, what);
}

bool kanon__growth_is_flat(const kanon__growth *g)
{
    return g->flat != NULL;
}

/* Compare what the tree has cost since the last time with a scan. What it saves now makes up for what it has cost before,
 * not for what it will cost. */
static kanon_status weigh_tree(kanon__growth *g, kanon_error *err)
{
    int64_t scan = kanon__flat_scan_work(g->tree, g->n_free),
            excess = g->excess + kanon__flat_scan_worth(g->n_visits) - scan;
    g->n_visits = 0;
    g->excess = excess > 0 ? excess : 0;
    if (!g->may_be_flat || g->excess <= scan / PART_OF_SCANS * g->n_free)
        return KANON_OK;
    g->frontier.n = 0;
    return kanon__flat_scan_new(&g->flat, g->tree, err);
}

kanon_status kanon__growth_find_cheapest(kanon__growth *g, int64_t *row, uint32_t *units, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__candidate found = {.row = -1};
    if (g->scan != NULL) {
        *row = kanon__free_set_find_cheapest(g->scan, g->box, units);
        return KANON_OK;
    }
    if (g->flat == NULL)
        KANON_TRY(weigh_tree(g, err), out);
    if (g->flat != NULL) {
        *row = kanon__flat_scan_find_cheapest(g->flat, g->box, units);
        return KANON_OK;
    }
    KANON_TRY(kanon__best_first(&found, &g->frontier, g->tree, cost_candidate, g, err), out);
    if (found.row >= 0)
        g->found = ~found.what;
out:
    *row = found.row;
    *units = (uint32_t)found.cost;
    return st;
}

/* The lowest free row of a tuple that is accepted; -1: none is. At most *tests of them are tested. */
static int64_t accepted_row(kanon__growth *g, int32_t place, kanon__growth_accept accept, void *payload, int64_t *tests)
{
    const kanon__free_place *p = &g->tree->places[place];
    for (int32_t i = p->next; i < p->end && (*tests > 0); i++) {
        int32_t row = g->tree->rows[i];
        if (!kanon__free_tree_has(g->tree, row))
            continue;
        --*tests;
        if (accept(payload, row))
            return row;
    }
    return -1;
}

/* Tuples come out of the frontier by rising cost, then lowest row. A tuple's lowest accepted row may be a later one, so
 * the tuples of the same cost whose lowest row comes before it are tested, too. All of them go back into the frontier in
 * the end: they are free, and a later record of the group may need them. */
kanon_status kanon__growth_find_accepted(kanon__growth *g, kanon__growth_accept accept, void *payload, uint32_t most,
                                         kanon__growth_answer *answer, int64_t *row, uint32_t *units, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t tests = LEAST_TESTS + g->n_free / SCANNED_PER_TEST, n_visits = g->n_visits;
    kanon__candidate found, best = {.row = -1};
    *answer = KANON__GROWTH_SCAN;
    g->n_aside = 0;
    while (g->scan == NULL && g->flat == NULL && tests > 0) {
        found = (kanon__candidate){.row = -1};
        if (g->frontier.n > 0 || g->n_aside == 0) /* else all have been tested */
            KANON_TRY(kanon__best_first(&found, &g->frontier, g->tree, cost_candidate, g, err), out);
        if (found.row < 0 || found.cost > most || (best.row >= 0 && (found.cost > best.cost || found.row > best.row))) {
            *answer = best.row >= 0 ? KANON__GROWTH_FOUND : KANON__GROWTH_NONE;
            break;
        }
        int64_t here = accepted_row(g, ~found.what, accept, payload, &tests);
        if (here >= 0 && (best.row < 0 || here < best.row))
            best = (kanon__candidate){found.cost, (int32_t)here, found.what};
        KANON_TRY(kanon__grow_array(&g->aside, &g->aside_capacity, g->n_aside + 1, "the search", err), out);
        g->aside[g->n_aside++] = found;
        kanon__frontier_pop(&g->frontier);
    }
    while (g->n_aside > 0)
        KANON_TRY(kanon__frontier_push(&g->frontier, g->aside[--g->n_aside], err), out);
    *row = best.row;
    *units = (uint32_t)best.cost;
out:
    g->n_visits = n_visits; /* the flat scan could not save them */
    return st;
}

/* ---- farthest ---------------------------------------------------------------------------------------------------- */

/* The distance from a value to the farther end of lo .. hi, which may lie on both sides of it. */
static inline uint32_t far_end(uint32_t own, uint32_t lo, uint32_t hi)
{
    return kanon__larger(hi > own ? hi - own : 0, own > lo ? own - lo : 0);
}

static inline uint32_t far_number(const kanon__free_tree *t, const uint32_t *own, const uint32_t *cells, int step, int i)
{
    return kanon__smaller(far_end(own[i], cells[i * step], cells[i * step + step - 1]), t->dimension[i]->full);
}

/* The largest distance on some numbers together, by their sums. Sums overestimate a missing number, so there the bound
 * is the smaller of that and the sum over each number. */
static inline uint32_t far_sums(const kanon__free_tree *t, const kanon__sums *s, const uint32_t *own, const uint32_t *box)
{
    uint32_t each = 0, together = 0;
    if (s->n == 1 || s->missing)
        for (int i = s->first; i < s->first + s->n; i++)
            each += far_number(t, own, box, 2, i);
    if (s->n == 1)
        return each;
    for (int i = s->column; i < s->column + (1 << (s->n - 1)); i++)
        together = kanon__larger(together, far_end(own[i], box[2 * i], box[2 * i + 1]));
    return s->missing && each < together ? each : together;
}

/* The largest cost of the record's categories together with anything between the cells. */
static inline uint32_t far_categories(const kanon__growth *g, const uint32_t *own, const uint32_t *cells, int step)
{
    const kanon__free_tree *t = g->tree;
    uint32_t units = 0;
    int i = t->n_numbers, n_with_tables = i + t->n_tables, n = n_with_tables + t->n_climbs;
    for (; i < n_with_tables; i++)
        units += kanon__larger(g->tables[i][cells[i * step]], g->tables[i][cells[i * step + step - 1]]);
    for (; i < n; i++) { /* the lca rises with the distance in the order of the leaves, so an end costs most */
        uint32_t lo = cells[i * step], hi = cells[i * step + step - 1];
        uint32_t left = lo < own[i] ? kanon__dimension_units(t->dimension[i], lo, own[i]) : 0;
        uint32_t right = hi > own[i] ? kanon__dimension_units(t->dimension[i], own[i], hi) : 0;
        units += kanon__larger(left, right);
    }
    return units;
}

typedef struct far_candidate {
    uint64_t key;
    int32_t node;
} far_candidate;

/* Keys are complements of distances: the least key is the farthest record, of equals the lowest row. */
static inline uint64_t far_key(uint32_t units, int32_t lowest)
{
    return (uint64_t)(UINT32_MAX - units) << 32 | (uint32_t)lowest;
}

static uint64_t far_node(kanon__growth *g, const uint32_t *own, int32_t node)
{
    g->n_visits++;
    const kanon__free_tree *t = g->tree;
    const kanon__bound *box = t->boxes + (int64_t)node * 2 * t->n_columns;
    if (t->lowest[node] == KANON__NO_ROW)
        return UINT64_MAX;
    uint32_t units = far_categories(g, own, box, 2);
    for (int i = 0; i < t->n_sums; i++)
        units += far_sums(t, &t->sums[i], own, box);
    return far_key(units, t->lowest[node]);
}

/* Compare the tuples of a leaf with the least key so far, *best. */
static void inspect_farthest_leaf(kanon__growth *g, const uint32_t *own, const kanon__tree_node *leaf, uint64_t *best)
{
    const kanon__free_tree *t = g->tree;
    g->n_visits += leaf->end - leaf->begin;
    for (int32_t place = leaf->begin; place < leaf->end; place++) {
        const uint32_t *cells = t->cells + (int64_t)place * t->n_columns;
        int32_t lowest = t->places[place].lowest;
        if (lowest == KANON__NO_ROW)
            continue;
        uint32_t units = far_categories(g, own, cells, 1);
        for (int i = 0; i < t->n_numbers; i++)
            units += far_number(t, own, cells, 1, i);
        uint64_t key = far_key(units, lowest);
        if (key < *best) {
            *best = key;
            g->found = place;
        }
    }
}

/* Depth first, the more promising child first. The tree changes between questions, so a frontier could not be kept, and for
 * one question a heap costs more than it saves. */
static int64_t search_farthest(kanon__growth *g, const uint32_t *own)
{
    far_candidate stack[KANON__TREE_DEPTH + 1];
    int depth = 0;
    uint64_t best = UINT64_MAX;
    stack[depth++] = (far_candidate){0, 0};
    while (depth > 0) {
        far_candidate top = stack[--depth];
        const kanon__tree_node *n = &g->tree->nodes[top.node];
        if (top.key >= best)
            continue;
        if (n->first_child < 0) {
            inspect_farthest_leaf(g, own, n, &best);
            continue;
        }
        far_candidate left = {far_node(g, own, n->first_child), n->first_child};
        far_candidate right = {far_node(g, own, n->first_child + 1), n->first_child + 1};
        stack[depth++] = left.key < right.key ? right : left;
        stack[depth++] = left.key < right.key ? left : right;
    }
    return best == UINT64_MAX ? -1 : (int64_t)(best & UINT32_MAX);
}

int64_t kanon__growth_find_farthest(kanon__growth *g, int64_t row)
{
    const kanon__free_tree *t = g->tree;
    if (t == NULL)
        return kanon__free_set_find_farthest(g->scan, row, NULL);
    const uint32_t *own = kanon__free_tree_cells(t, row);
    if (g->flat != NULL)
        return kanon__flat_scan_find_farthest(g->flat, own);
    kanon__free_tree_tighten(g->tree);
    for (int i = t->n_numbers; i < t->n_numbers + t->n_tables; i++)
        g->tables[i] = t->dimension[i]->pair_units + (size_t)own[i] * t->dimension[i]->n_codes;
    return search_farthest(g, own);
}
