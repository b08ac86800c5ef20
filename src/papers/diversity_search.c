/* See diversity_search.h.
 *
 * The bound of a node. What a member contributes to a value falls with their distance and is 0 beyond the limit r. Over the
 * range lo .. hi of a node each member therefore contributes at least what it does at the end that is farther from it; the
 * sum of these is a lower bound on the affinity of anything below the node. For numbers a tighter bound holds (see
 * least_affinity_of_number). Affinities only rise as members are added, which best-first search relies on. */
#include "papers/diversity_search.h"

#include "core/alloc.h"
#include "search/best_first.h"

#include <string.h>

/* Below this many records the scan is as fast as the index. */
enum { SMALL_TABLE = 1000 };

/* The scan: the free rows in no order, and the affinity of each distinct sensitive value to the group. */
typedef struct free_list {
    kanon__s_diversity_growth *growth;
    int32_t *row_at, *place; /* row_at[0 .. n) are the free rows, row_at[place[row]] is row */
    int64_t n;
} free_list;

struct kanon__diversity_search {
    const kanon__s_diversity *s_diversity;
    free_list *scan; /* of scan and tree exactly one is there */
    kanon__free_tree *tree;
    uint32_t *limits;  /* by column: the largest distance that still contributes */
    uint32_t *members; /* by column of the tree and member: their cells */
    int64_t n_members, members_capacity;
    kanon__frontier frontier;
};

/* ---- life cycle -------------------------------------------------------------------------------------------------- */

static kanon_status make_scan(kanon__diversity_search *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = c->s_diversity->space->n_rows;
    KANON_TRY(kanon__new_array(&c->scan, 1, "free records", err), out);
    KANON_TRY(kanon__s_diversity_growth_new(&c->scan->growth, c->s_diversity, NULL, 0, err), out);
    KANON_TRY(kanon__new_array(&c->scan->row_at, n, "free records", err), out);
    KANON_TRY(kanon__new_array(&c->scan->place, n, "free records", err), out);
    for (int64_t row = 0; row < n; row++)
        c->scan->row_at[row] = c->scan->place[row] = (int32_t)row;
    c->scan->n = n;
out:
    return st;
}

static kanon_status make_index(kanon__diversity_search *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__space *space = c->s_diversity->space;
    KANON_TRY(kanon__free_tree_new(&c->tree, space, false, err), out);
    KANON_TRY(kanon__new_array(&c->limits, space->n_dimensions, "sensitive values", err), out);
    for (int i = 0; i < space->n_dimensions; i++)
        c->limits[i] = c->s_diversity->limits[c->tree->dimension[i] - space->dimensions];
out:
    return st;
}

kanon_status kanon__diversity_search_new(kanon__diversity_search **out, const kanon__s_diversity *s_diversity,
                                         const char *way, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__diversity_search *c = NULL;
    bool scan = strcmp(way, "scan") == 0 || (strcmp(way, "auto") == 0 && s_diversity->space->n_rows < SMALL_TABLE);
    *out = NULL;
    KANON_TRY(kanon__new_array(&c, 1, "free records", err), out);
    c->s_diversity = s_diversity;
    KANON_TRY(scan ? make_scan(c, err) : make_index(c, err), out);
    *out = c;
    c = NULL;
out:
    kanon__diversity_search_free(c);
    return st;
}

void kanon__diversity_search_free(kanon__diversity_search *c)
{
    if (c == NULL)
        return;
    kanon__frontier_clear(&c->frontier);
    kanon__free(c->members);
    kanon__free(c->limits);
    kanon__free_tree_free(c->tree);
    if (c->scan != NULL) {
        kanon__free(c->scan->place);
        kanon__free(c->scan->row_at);
        kanon__s_diversity_growth_free(c->scan->growth);
    }
    kanon__free(c->scan);
    kanon__free(c);
}

/* ---- the group --------------------------------------------------------------------------------------------------- */

void kanon__diversity_search_start_group(kanon__diversity_search *c)
{
    c->n_members = 0;
    c->frontier.n = 0;
    if (c->tree != NULL)
        kanon__free_tree_tighten(c->tree);
    else
        kanon__s_diversity_growth_reset(c->scan->growth);
}

/* The row and the last free one swap places, so that the free ones stay together. */
static void take_from_list(free_list *l, int32_t row)
{
    int32_t hole = l->place[row], last = l->row_at[--l->n];
    l->row_at[hole] = last;
    l->place[last] = hole;
    kanon__s_diversity_growth_add(l->growth, row);
}

kanon_status kanon__diversity_search_take_record(kanon__diversity_search *c, int64_t row, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int m = c->s_diversity->space->n_dimensions;
    if (c->scan != NULL) {
        take_from_list(c->scan, (int32_t)row);
        return KANON_OK;
    }
    KANON_TRY(kanon__grow_array(&c->members, &c->members_capacity, (c->n_members + 1) * m, "members", err), out);
    memcpy(c->members + c->n_members * m, kanon__free_tree_cells(c->tree, row), (size_t)m * sizeof *c->members);
    c->n_members++;
    kanon__free_tree_take(c->tree, c->tree->place_of[row], row);
out:
    return st;
}

/* ---- affinities -------------------------------------------------------------------------------------------------- */

/* The distance of two cells of a column. A missing number lies beyond `full`, and counts as that. */
static inline uint32_t distance(const kanon__free_tree *t, int column, uint32_t a, uint32_t b)
{
    const kanon__dimension *d = t->dimension[column];
    if (column < t->n_numbers)
        return kanon__smaller(a < b ? b - a : a - b, d->full);
    return kanon__dimension_units(d, kanon__smaller(a, b), kanon__larger(a, b));
}

/* A lower bound on the affinity of the numbers lo .. hi. Where both ends are within the limit of a member, its
 * contribution is concave between them, so the sum over such members is least at lo or at hi. The other members
 * contribute nothing to some number in between, and count as 0. */
static uint64_t least_affinity_of_number(const kanon__diversity_search *c, int column, uint32_t lo, uint32_t hi)
{
    uint32_t full = c->tree->dimension[column]->full, limit = c->limits[column];
    int m = c->s_diversity->space->n_dimensions;
    uint64_t at_lo = 0, at_hi = 0;
    for (int64_t i = 0; i < c->n_members; i++) {
        uint32_t member = c->members[i * m + column];
        uint32_t left = distance(c->tree, column, member, lo), right = distance(c->tree, column, member, hi);
        if (left > limit || right > limit)
            continue;
        at_lo += full - left;
        at_hi += full - right;
    }
    return at_lo < at_hi ? at_lo : at_hi;
}

/* The same for any ordered column: each member counts with its farther end. Exact where lo = hi, that is for a tuple. */
static uint64_t least_affinity(const kanon__diversity_search *c, int column, uint32_t lo, uint32_t hi)
{
    uint32_t full = c->tree->dimension[column]->full, limit = c->limits[column];
    int m = c->s_diversity->space->n_dimensions;
    uint64_t affinity = 0;
    for (int64_t i = 0; i < c->n_members; i++) {
        uint32_t member = c->members[i * m + column], far = distance(c->tree, column, member, lo);
        if (lo < hi)
            far = kanon__larger(far, distance(c->tree, column, member, hi));
        affinity += far <= limit ? full - far : 0;
    }
    return affinity;
}

/* The least affinity of a node, or the affinity of a tuple, as the key of best-first search. */
static kanon__candidate cost_candidate(void *payload, int32_t what)
{
    const kanon__diversity_search *c = payload;
    const kanon__free_tree *t = c->tree;
    int m = c->s_diversity->space->n_dimensions, step = what >= 0 ? 2 : 1;
    const uint32_t *cells = what >= 0 ? t->boxes + (int64_t)what * 2 * t->n_columns
                                      : t->cells + (int64_t)~what * t->n_columns;
    uint64_t affinity = 0;
    for (int i = 0; i < m; i++) {
        uint32_t lo = cells[i * step], hi = cells[i * step + step - 1];
        bool numbers = i < t->n_numbers && lo < hi && hi <= t->dimension[i]->full; /* none of them missing */
        affinity += numbers ? least_affinity_of_number(c, i, lo, hi) : least_affinity(c, i, lo, hi);
    }
    return (kanon__candidate){affinity, what >= 0 ? t->lowest[what] : t->places[~what].lowest, what};
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static int64_t scan(const free_list *l, uint64_t *least)
{
    int32_t best = -1;
    *least = UINT64_MAX;
    for (int64_t place = 0; place < l->n; place++) {
        int32_t row = l->row_at[place];
        uint64_t affinity = kanon__s_diversity_growth_affinity(l->growth, row);
        if (affinity < *least || (affinity == *least && row < best)) {
            *least = affinity;
            best = row;
        }
    }
    return best;
}

kanon_status kanon__diversity_search_find_least(kanon__diversity_search *c, int64_t *row, uint64_t *affinity,
                                                kanon_error *err)
{
    kanon__candidate found = {.row = -1};
    if (c->scan != NULL) {
        *row = scan(c->scan, affinity);
        return KANON_OK;
    }
    kanon_status st = kanon__best_first(&found, &c->frontier, c->tree, cost_candidate, c, err);
    *row = found.row;
    *affinity = found.cost;
    return st;
}
