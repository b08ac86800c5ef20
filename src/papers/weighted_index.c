/* See weighted_index.h.
 *
 * The cost of a record is per_unit * Q-diversity units + per_affinity * affinity, up to a constant. Affinities need
 * structures that answer "the sum over the members" and "the least over a range" quickly as members are added:
 *
 *     number      the members' positions, sorted, with prefix sums: a sum by binary search. Where every distance counts
 *                 it is concave between the ends of a range, so the least is at an end.
 *     category    the affinity of each code, and a sparse table: level l holds the least of 2^l codes from each one on; any
 *                 range is covered by two overlapping entries.
 *
 *         level 2   [a..d] [b..e] ...
 *         level 1   [a b] [b c] [c d] ...       least(b .. d) = min(level 1 at b, level 1 at c)
 *         level 0    a  b  c  d  e */
#include "papers/weighted_index.h"

#include "core/alloc.h"
#include "search/free_tree.h"

#include <math.h>
#include <string.h>

/* Categories of more values than MOST_VALUES are left to the scan: each member updates all of them. LEVELS = log2 of
 * that + 1. */
enum { MOST_VALUES = 1024, LEVELS = 11, ITEMS_PER_COUNT = 1024 };

/* Affinities to the members on a sensitive number; one binary search where every distance counts, else three. */
typedef struct number_affinities {
    uint32_t *positions; /* of the members that have a value, ascending */
    int64_t *sums;       /* of the positions before each of them, and of all */
    int64_t n, n_missing;
} number_affinities;

/* The same on a category, by code: a sparse table of minima. */
typedef struct category_affinities {
    uint64_t *least[LEVELS];
    int n_levels;
} category_affinities;

typedef struct column {
    const kanon__dimension *dimension;
    int sensitive;         /* the sensitive attribute; -1: a quasi attribute */
    uint32_t limit;        /* sensitive: the largest distance that still contributes */
    uint8_t *present;      /* quasi, counted: by code, a member has this value */
    uint32_t distinct;     /* and how many values members have */
    uint32_t same_more[2]; /* and what it costs to have one of them, or another one */
    number_affinities number;
    category_affinities category;
} column;

struct kanon__weighted_index {
    const kanon__weighted *weighted;
    kanon__space joint; /* of the items: the quasi attributes, then the sensitive ones */
    kanon__free_tree *tree;
    column *columns;
    kanon__bound *box; /* of cells, around the members */
    int64_t n_free, n_members;
    int32_t *n_free_of; /* by ITEMS_PER_COUNT items */
    unsigned __int128 numerator;
    double per_unit, per_affinity; /* the weights of a unit and of a unit of affinity in wtd of the next cluster size */
};

/* ---- life cycle -------------------------------------------------------------------------------------------------- */

bool kanon__weighted_index_suits(const kanon__weighted *w)
{
    const kanon__space *space = w->s_diversity->space;
    for (int i = 0; i < space->n_dimensions; i++)
        if (space->dimensions[i].coordinates == NULL && space->dimensions[i].n_codes > MOST_VALUES)
            return false;
    return true;
}

/* The items as a table of their own. */
static kanon_status join_spaces(kanon__weighted_index *x, const int32_t *rows, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__space *utility = x->weighted->utility, *protection = x->weighted->s_diversity->space;
    KANON_TRY(kanon__new_array(&x->joint.dimensions, utility->n_dimensions + protection->n_dimensions, "the index", err),
              out);
    x->joint.n_rows = n;
    x->joint.scale = utility->scale;
    while (x->joint.n_dimensions < utility->n_dimensions + protection->n_dimensions) {
        int i = x->joint.n_dimensions, sensitive = i - utility->n_dimensions;
        kanon__dimension *d = &x->joint.dimensions[i];
        *d = sensitive < 0 ? utility->dimensions[i] : protection->dimensions[sensitive];
        kanon__codes from = d->codes;
        KANON_TRY(kanon__codes_new(&d->codes, n, d->n_codes, false, err), out);
        x->joint.n_dimensions++;
        for (int64_t item = 0; item < n; item++)
            kanon__code_set(d->codes, item, kanon__code_at(from, rows[item]));
    }
out:
    return st;
}

static void free_codes(kanon__weighted_index *x)
{
    for (int i = 0; i < x->joint.n_dimensions; i++)
        kanon__codes_clear(&x->joint.dimensions[i].codes);
}

static kanon_status make_category(category_affinities *c, int64_t n_codes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (; (int64_t)1 << c->n_levels <= n_codes; c->n_levels++)
        KANON_TRY(kanon__new_array(&c->least[c->n_levels], n_codes, "sensitive values", err), out);
out:
    return st;
}

static kanon_status make_column(kanon__weighted_index *x, int i, kanon_error *err)
{
    kanon_status st = KANON_OK;
    column *c = &x->columns[i];
    int attribute = (int)(x->tree->dimension[i] - x->joint.dimensions), m = x->weighted->utility->n_dimensions;
    c->dimension = x->tree->dimension[i];
    c->sensitive = attribute < m ? -1 : attribute - m;
    if (c->sensitive < 0) {
        if (c->dimension->counted)
            KANON_TRY(kanon__new_array(&c->present, c->dimension->n_codes, "a cluster", err), out);
        goto out;
    }
    c->limit = x->weighted->s_diversity->limits[c->sensitive];
    if (c->dimension->coordinates == NULL) {
        KANON_TRY(make_category(&c->category, c->dimension->n_codes, err), out);
        goto out;
    }
    KANON_TRY(kanon__new_array(&c->number.positions, x->joint.n_rows, "sensitive values", err), out);
    KANON_TRY(kanon__new_array(&c->number.sums, x->joint.n_rows + 1, "sensitive values", err), out);
out:
    return st;
}

kanon_status kanon__weighted_index_new(kanon__weighted_index **out, const kanon__weighted *weighted, const int32_t *rows,
                                       int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__weighted_index *x = NULL;
    int64_t n_counts = n / ITEMS_PER_COUNT + 1;
    *out = NULL;
    KANON_TRY(kanon__new_array(&x, 1, "the index", err), out);
    x->weighted = weighted;
    x->n_free = n;
    KANON_TRY(join_spaces(x, rows, n, err), out);
    KANON_TRY(kanon__free_tree_new(&x->tree, &x->joint, false, err), out);
    free_codes(x);
    KANON_TRY(kanon__new_array(&x->columns, x->joint.n_dimensions, "the index", err), out);
    KANON_TRY(kanon__new_array(&x->box, 2 * x->joint.n_dimensions, "the index", err), out);
    KANON_TRY(kanon__new_array(&x->n_free_of, n_counts, "the index", err), out);
    for (int64_t i = 0; i < n_counts; i++)
        x->n_free_of[i] = (int32_t)(i < n_counts - 1 ? ITEMS_PER_COUNT : n % ITEMS_PER_COUNT);
    for (int i = 0; i < x->joint.n_dimensions; i++)
        KANON_TRY(make_column(x, i, err), out);
    *out = x;
    x = NULL;
out:
    kanon__weighted_index_free(x);
    return st;
}

void kanon__weighted_index_free(kanon__weighted_index *x)
{
    if (x == NULL)
        return;
    for (int i = 0; x->columns != NULL && i < x->joint.n_dimensions; i++) {
        for (int level = 0; level < LEVELS; level++)
            kanon__free(x->columns[i].category.least[level]);
        kanon__free(x->columns[i].number.sums);
        kanon__free(x->columns[i].number.positions);
        kanon__free(x->columns[i].present);
    }
    kanon__free(x->n_free_of);
    kanon__free(x->box);
    kanon__free(x->columns);
    kanon__free_tree_free(x->tree);
    free_codes(x);
    kanon__free(x->joint.dimensions);
    kanon__free(x);
}

/* ---- free records ------------------------------------------------------------------------------------------------ */

int64_t kanon__weighted_index_n_free(const kanon__weighted_index *x)
{
    return x->n_free;
}

int64_t kanon__weighted_index_nth(const kanon__weighted_index *x, int64_t i)
{
    int64_t item = 0;
    for (; i >= x->n_free_of[item / ITEMS_PER_COUNT]; item += ITEMS_PER_COUNT)
        i -= x->n_free_of[item / ITEMS_PER_COUNT];
    for (;; item++)
        if (kanon__free_tree_has(x->tree, item) && i-- == 0)
            return item;
}

/* ---- contributions ----------------------------------------------------------------------------------------------- */

/* How many of the members' positions are below this one. */
static int64_t n_below(const number_affinities *p, int64_t position)
{
    int64_t first = 0;
    for (int64_t n = p->n; n > 0;) {
        int64_t half = n / 2;
        bool below = p->positions[first + half] < position;
        first = below ? first + half + 1 : first;
        n = below ? n - half - 1 : half;
    }
    return first;
}

/* The position of a missing number lies beyond every distance. */
static bool is_missing(const column *c, uint32_t position)
{
    return position > c->dimension->full;
}

/* The affinity of a number: over the members within the limit, full - |own - position|, in two halves by prefix sums. */
static uint64_t number_affinity(const column *c, uint32_t position)
{
    const number_affinities *p = &c->number;
    int64_t full = c->dimension->full, own = position;
    if (is_missing(c, position))
        return (uint64_t)(p->n_missing * full);
    bool all = c->limit >= full;
    int64_t middle = n_below(p, own), begin = all ? 0 : n_below(p, own - c->limit);
    int64_t end = all ? p->n : n_below(p, own + (int64_t)c->limit + 1);
    return (uint64_t)((middle - begin) * (full - own) + p->sums[middle] - p->sums[begin] + (end - middle) * (full + own) -
                      (p->sums[end] - p->sums[middle]));
}

/* A lower bound on the affinity of the numbers lo .. hi. Where every distance counts, the affinity is concave between
 * the ends, so it is least at one of them; where not, 0. */
static uint64_t least_number_affinity(const column *c, uint32_t lo, uint32_t hi)
{
    if (lo == hi)
        return number_affinity(c, lo);
    if (c->limit < c->dimension->full)
        return 0;
    bool missing = is_missing(c, hi);
    uint64_t at_lo = number_affinity(c, lo), at_hi = number_affinity(c, missing ? c->dimension->full : hi);
    uint64_t least = at_lo < at_hi ? at_lo : at_hi, at_missing = missing ? number_affinity(c, hi) : UINT64_MAX;
    return least < at_missing ? least : at_missing;
}

static void add_number(column *c, uint32_t position)
{
    number_affinities *p = &c->number;
    if (is_missing(c, position)) {
        p->n_missing++;
        return;
    }
    int64_t place = n_below(p, position);
    memmove(p->positions + place + 1, p->positions + place, (size_t)(p->n - place) * sizeof *p->positions);
    p->positions[place] = position;
    p->n++;
    for (int64_t i = p->n; i > place; i--)
        p->sums[i] = p->sums[i - 1] + position;
}

/* The least affinity of the codes lo .. hi, by two entries of the sparse table. */
static uint64_t least_category_affinity(const column *c, uint32_t lo, uint32_t hi)
{
    int level = 31 - __builtin_clz(hi - lo + 1);
    const uint64_t *least = c->category.least[level];
    uint64_t left = least[lo], right = least[hi + 1 - (1u << level)];
    return left < right ? left : right;
}

static void add_category(const kanon__s_diversity *s_diversity, column *c, uint32_t own)
{
    category_affinities *p = &c->category;
    uint32_t n = c->dimension->n_codes;
    for (uint32_t code = 0; code < n; code++)
        p->least[0][code] += kanon__s_diversity_contribution(s_diversity, c->sensitive, code, own);
    for (int level = 1; level < p->n_levels; level++) {
        uint32_t half = 1u << (level - 1);
        const uint64_t *below = p->least[level - 1];
        for (uint32_t code = 0; code + 2 * half <= n; code++)
            p->least[level][code] = below[code] < below[code + half] ? below[code] : below[code + half];
    }
}

/* ---- the cluster ------------------------------------------------------------------------------------------------- */

void kanon__weighted_index_start(kanon__weighted_index *x)
{
    x->n_members = 0;
    x->numerator = 0;
    for (int i = 0; i < x->joint.n_dimensions; i++) {
        column *c = &x->columns[i];
        if (c->present != NULL)
            memset(c->present, 0, c->dimension->n_codes);
        c->distinct = 0;
        c->number.n = c->number.n_missing = 0;
        for (int level = 0; level < c->category.n_levels; level++)
            memset(c->category.least[level], 0, c->dimension->n_codes * sizeof *c->category.least[level]);
    }
}

static uint64_t affinity_of(const kanon__weighted_index *x, const uint32_t *cells)
{
    uint64_t affinity = 0;
    for (int i = 0; i < x->joint.n_dimensions; i++) {
        const column *c = &x->columns[i];
        if (c->sensitive >= 0)
            affinity += c->dimension->coordinates != NULL ? number_affinity(c, cells[i]) : c->category.least[0][cells[i]];
    }
    return affinity;
}

/* Add a member to the box and to the structures of every column. */
static void extend(kanon__weighted_index *x, const uint32_t *cells)
{
    for (int i = 0; i < x->joint.n_dimensions; i++) {
        column *c = &x->columns[i];
        x->box[2 * i] = x->n_members == 0 ? cells[i] : kanon__smaller(x->box[2 * i], cells[i]);
        x->box[2 * i + 1] = x->n_members == 0 ? cells[i] : kanon__larger(x->box[2 * i + 1], cells[i]);
        if (c->present != NULL) {
            c->distinct += !c->present[cells[i]];
            c->present[cells[i]] = 1;
            c->same_more[0] = kanon__dimension_count_units(c->dimension, c->distinct);
            c->same_more[1] = kanon__dimension_count_units(c->dimension, c->distinct + 1);
        } else if (c->sensitive >= 0 && x->weighted->w_p > 0) {
            if (c->dimension->coordinates != NULL)
                add_number(c, cells[i]);
            else
                add_category(x->weighted->s_diversity, c, cells[i]);
        }
    }
}

void kanon__weighted_index_take(kanon__weighted_index *x, int64_t item)
{
    const kanon__weighted *w = x->weighted;
    const uint32_t *cells = kanon__free_tree_cells(x->tree, item);
    int32_t place = x->tree->place_of[item];
    if (w->w_p > 0)
        x->numerator = kanon__s_diversity_numerator_with(w->s_diversity, x->numerator, affinity_of(x, cells));
    extend(x, cells);
    x->n_members++;
    x->n_free--;
    x->n_free_of[item / ITEMS_PER_COUNT]--;
    kanon__free_tree_take(x->tree, place, item);
    kanon__free_tree_tighten(x->tree);
    double size = (double)(x->n_members + 1), n_sensitive = w->s_diversity->space->n_dimensions;
    x->per_unit = w->w_u / ((double)w->utility->n_dimensions * (double)w->utility->scale);
    x->per_affinity = n_sensitive > 0 ? 2 * w->w_p / (size * size * (double)w->s_diversity->space->scale * n_sensitive) : 0;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

typedef struct record_search {
    kanon__weighted_index *index;
    double least;   /* the least rough cost of a record so far */
    double value;   /* wtd with the best one */
    int64_t best;   /* -1: none yet */
    uint32_t units; /* its Q-diversity */
    uint64_t affinity;
} record_search;

/* The error of rough costs is below this; records that lie closer together are computed exactly. */
static const double slack = 1e-12;

/* The least Q-diversity of the members with anything between the cells lo and hi, which a node has alternating (step 2)
 * and a tuple has once (step 1). */
static uint32_t least_units(const kanon__weighted_index *x, const uint32_t *cells, int step)
{
    uint32_t units = 0;
    for (int i = 0; i < x->joint.n_dimensions; i++) {
        const column *c = &x->columns[i];
        uint32_t lo = cells[i * step], hi = cells[i * step + step - 1];
        uint32_t first = kanon__smaller(x->box[2 * i], hi), last = kanon__larger(x->box[2 * i + 1], lo);
        if (c->sensitive >= 0)
            continue;
        if (c->present != NULL)
            units += c->same_more[lo == hi && !c->present[lo]];
        else if (i < x->tree->n_numbers)
            units += kanon__smaller(last - first, c->dimension->full);
        else
            units += kanon__dimension_units(c->dimension, first, last);
    }
    return units;
}

static uint64_t least_numbers(const kanon__weighted_index *x, const uint32_t *cells, int step)
{
    uint64_t affinity = 0;
    for (int i = 0; i < x->tree->n_numbers; i++)
        if (x->columns[i].sensitive >= 0)
            affinity += least_number_affinity(&x->columns[i], cells[i * step], cells[i * step + step - 1]);
    return affinity;
}

static uint64_t least_categories(const kanon__weighted_index *x, const uint32_t *cells, int step)
{
    uint64_t affinity = 0;
    for (int i = x->tree->n_numbers; i < x->joint.n_dimensions; i++)
        if (x->columns[i].sensitive >= 0)
            affinity += least_category_affinity(&x->columns[i], cells[i * step], cells[i * step + step - 1]);
    return affinity;
}

/* A lower bound on the cost of a node or a tuple, computed only as far as needed to see that it is too large. Numbers take
 * longest; a bound that is known beforehand (least_of_numbers, of the whole leaf) often spares them. */
static double rough_cost(const record_search *s, const uint32_t *cells, int step, uint64_t least_of_numbers, uint32_t *units,
                         uint64_t *affinity)
{
    const kanon__weighted_index *x = s->index;
    *units = x->per_unit > 0 ? least_units(x, cells, step) : 0;
    *affinity = 0;
    double cost = x->per_unit * *units;
    if (x->per_affinity == 0 || cost > s->least + slack)
        return cost;
    uint64_t categories = least_categories(x, cells, step);
    double at_least = cost + x->per_affinity * (double)(categories + least_of_numbers);
    if (at_least > s->least + slack)
        return at_least;
    *affinity = categories + least_numbers(x, cells, step);
    return cost + x->per_affinity * (double)*affinity;
}

static double bound_of(const record_search *s, int32_t node)
{
    const kanon__free_tree *t = s->index->tree;
    uint32_t units;
    uint64_t affinity;
    if (t->lowest[node] == KANON__NO_ROW)
        return INFINITY;
    return rough_cost(s, t->boxes + (int64_t)node * 2 * t->n_columns, 2, 0, &units, &affinity);
}

/* Where only utility or only protection counts, its whole numbers decide, as in the scan. */
static bool is_better(const record_search *s, uint32_t units, uint64_t affinity, double value, int64_t item)
{
    const kanon__weighted *w = s->index->weighted;
    if (s->best < 0)
        return true;
    if (w->w_u <= 0 && affinity != s->affinity)
        return affinity < s->affinity;
    if (w->w_p <= 0 && units != s->units)
        return units < s->units;
    if (w->w_u > 0 && w->w_p > 0 && value != s->value)
        return value < s->value;
    return item < s->best;
}

static void inspect_leaf(record_search *s, int32_t node)
{
    kanon__weighted_index *x = s->index;
    const kanon__free_tree *t = x->tree;
    const kanon__tree_node *leaf = &t->nodes[node];
    uint64_t numbers = x->per_affinity > 0 ? least_numbers(x, t->boxes + (int64_t)node * 2 * t->n_columns, 2) : 0;
    for (int32_t place = leaf->begin; place < leaf->end; place++) {
        int32_t item = t->places[place].lowest;
        uint32_t units;
        uint64_t affinity;
        if (item == KANON__NO_ROW)
            continue;
        double cost = rough_cost(s, t->cells + (int64_t)place * t->n_columns, 1, numbers, &units, &affinity);
        if (s->best >= 0 && cost > s->least + slack)
            continue;
        s->least = s->best < 0 || cost < s->least ? cost : s->least;
        unsigned __int128 numerator = 0;
        if (x->weighted->w_p > 0)
            numerator = kanon__s_diversity_numerator_with(x->weighted->s_diversity, x->numerator, affinity);
        double value = kanon__weighted_value(x->weighted, units, numerator, x->n_members + 1);
        if (is_better(s, units, affinity, value, item)) {
            s->value = value;
            s->best = item;
            s->units = units;
            s->affinity = affinity;
        }
    }
}

/* Depth first, the more promising side first: a good answer early prunes most of the tree. */
int64_t kanon__weighted_index_best(kanon__weighted_index *x, double *value)
{
    struct {
        int32_t node;
        double bound;
    } stack[2 * KANON__TREE_DEPTH];
    record_search s = {.index = x, .least = INFINITY, .best = -1};
    int n = 0;
    stack[0].node = 0;
    stack[0].bound = 0;
    n += x->n_free > 0;
    while (n > 0) {
        int32_t node = stack[--n].node, child = x->tree->nodes[node].first_child;
        if (stack[n].bound > s.least + slack)
            continue;
        if (child < 0) {
            inspect_leaf(&s, node);
            continue;
        }
        double left = bound_of(&s, child), right = bound_of(&s, child + 1);
        int32_t first = right < left;
        for (int side = 1; side >= 0; side--) {
            int32_t which = side == 0 ? first : 1 - first;
            double bound = which == 0 ? left : right;
            if (bound <= s.least + slack && bound < INFINITY) {
                stack[n].node = child + which;
                stack[n++].bound = bound;
            }
        }
    }
    *value = s.value;
    return s.best;
}
