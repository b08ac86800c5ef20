/* The lattice search: the combination of levels that loses least, proven.
 *
 * The combinations (nodes) form a lattice: a node is above another where no level is lower. Two properties prune it:
 *
 *  1. Feasibility is monotone: classes only merge on the way up, so a node above a feasible one is feasible, and an
 *     infeasible node rules out all nodes below it. (Not so with some constraints and suppression together; see
 *     `rises`. Then each node is checked by itself, as far as (2) does not spare it.)
 *  2. The cost of all records at a node's levels is a sum over the attributes that is known without reading a record, and
 *     suppressing some of them costs more. So this sum bounds the node's loss from below, and it rises along the lattice.
 *
 *           (1,1)            Nodes are visited in order. One that is neither ruled out by (1) nor, against the best so far,
 *          /     \           by (2) begins a chain upwards, always by the cheapest step, while (2) allows. The chain is
 *      (1,0)     (0,1)       bisected for its first feasible node: that may be the new best, and the node before it is the
 *          \     /           highest that can be learnt to be infeasible.
 *           (0,0)
 *
 * Paper: Kohlmayer and others: Flash, PASSAT 2012, and El Emam and others: OLA, JAMIA 2009 (predictive tagging along
 * chains). Cost: O(attributes * tuples) for each check; how many there are depends on the data. `max-checks` ends the
 * search early. Ties: the lower level, attribute by attribute. */
#include "algorithms/generalisation.h"

#include "core/alloc.h"
#include "core/keyset.h"

#include <string.h>

typedef struct lattice {
    kanon__generalisation *g;
    kanon__full_domain *found;
    int m;
    int *order;     /* dimensions by rising number of levels: the innermost loop of the walk has the most */
    int *node;      /* by dimension: the level at which the walk is */
    int *steps;     /* scratch: the dimensions that a chain raises, one after the other */
    int *chain;     /* scratch: a node of it */
    int *ruled_out; /* infeasible nodes, n_ruled_out times m levels; an antichain: none is below another */
    int64_t n_ruled_out, ruled_out_capacity;
    kanon__bound **cuts;    /* scratch */
    kanon__keyset compared; /* feasible nodes that were compared with the best */
    bool has_keys;          /* the nodes can be numbered in 64 bits */
    int64_t most_checks, n_inspected;
} lattice;

/* Visiting a node takes time even where no record is read: so many visits count as one check. */
enum { INSPECTED_PER_CHECK = 10000 };

/* The bound of property 2. */
static int64_t bound_of(const lattice *x, const int *node)
{
    int64_t units = 0;
    for (int i = 0; i < x->m; i++)
        units += x->found->levels[i].units[node[i]];
    return units;
}

static bool comes_first(const lattice *x, const int *node, const int *other)
{
    for (int i = 0; i < x->m; i++)
        if (node[i] != other[i])
            return node[i] < other[i];
    return false;
}

/* Equal losses: the first in the order of levels, attribute by attribute. */
static bool could_be_better(const lattice *x, const int *node, int64_t loss)
{
    return x->found->best == NULL || loss < x->found->loss ||
           (loss == x->found->loss && comes_first(x, node, x->found->best));
}

/* The number of a node, in mixed radix. */
static uint64_t key_of(const lattice *x, const int *node)
{
    uint64_t key = 0;
    for (int i = 0; i < x->m; i++)
        key = key * (uint64_t)x->found->levels[i].n + (uint64_t)node[i];
    return key;
}

static bool is_below(const lattice *x, const int *node, const int *other)
{
    for (int i = 0; i < x->m; i++)
        if (node[i] > other[i])
            return false;
    return true;
}

/* Remember an infeasible node, and forget those below it, which it implies. */
static kanon_status rule_out(lattice *x, const int *node, kanon_error *err)
{
    int64_t n = 0, m = x->m;
    for (int64_t i = 0; i < x->n_ruled_out; i++)
        if (!is_below(x, x->ruled_out + i * m, node))
            memmove(x->ruled_out + n++ * m, x->ruled_out + i * m, (size_t)m * sizeof *node);
    x->n_ruled_out = n;
    kanon_status st = kanon__grow_array(&x->ruled_out, &x->ruled_out_capacity, (n + 1) * m, "levels", err);
    if (st == KANON_OK)
        memcpy(x->ruled_out + x->n_ruled_out++ * m, node, (size_t)m * sizeof *node);
    return st;
}

/* The lowest level on dimension `last` at which the node, as it is on the others, is not ruled out. */
static int lowest_open(const lattice *x, const int *node, int last)
{
    int lowest = 0;
    for (int64_t j = 0; j < x->n_ruled_out; j++) {
        const int *other = x->ruled_out + j * x->m;
        bool below = other[last] >= lowest;
        for (int i = 0; below && i < x->m; i++)
            below = i == last || node[i] <= other[i];
        if (below)
            lowest = other[last] + 1;
    }
    return lowest;
}

static kanon_status keep_best(lattice *x, const int *node, int64_t loss, kanon_error *err)
{
    kanon__full_domain *f = x->found;
    if (f->best == NULL) {
        kanon_status st = kanon__new_array(&f->best, x->m, "levels", err);
        if (st != KANON_OK)
            return st;
    }
    memcpy(f->best, node, (size_t)x->m * sizeof *node);
    f->loss = loss;
    return KANON_OK;
}

/* Read the records: is the node feasible, and is it the best so far? */
static kanon_status check(lattice *x, const int *node, bool *feasible, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__generalisation *g = x->g;
    bool added;
    for (int i = 0; i < x->m; i++)
        x->cuts[i] = x->found->levels[i].cuts[node[i]];
    KANON_TRY(kanon__generalisation_apply(g, x->cuts, err), out);
    x->found->n_checks++;
    *feasible = g->feasible;
    if (*feasible && could_be_better(x, node, g->loss))
        KANON_TRY(keep_best(x, node, g->loss, err), out);
    if (*feasible && x->has_keys)
        KANON_TRY(kanon__keyset_add(&x->compared, key_of(x, node), &added, err), out);
    KANON_TRY(kanon__tick(g->run->ticker, x->found->n_checks, 0, 20 * g->tuples->n * (x->m + 1), err), out);
out:
    return st;
}

/* The steps of a chain from the walk's node: the cheapest each time, as long as the node could be better than the best. */
static int climb(lattice *x)
{
    const kanon__levels *levels = x->found->levels;
    int64_t bound = bound_of(x, x->node);
    int n = 0;
    memcpy(x->chain, x->node, (size_t)x->m * sizeof *x->node);
    for (;;) {
        int cheapest = -1;
        int64_t least = 0;
        for (int i = 0; i < x->m; i++) {
            if (x->chain[i] + 1 == levels[i].n)
                continue;
            int64_t rise = levels[i].units[x->chain[i] + 1] - levels[i].units[x->chain[i]];
            if (cheapest < 0 || rise < least) {
                cheapest = i;
                least = rise;
            }
        }
        if (cheapest < 0)
            return n;
        x->chain[cheapest]++;
        bound += least;
        if (!could_be_better(x, x->chain, bound))
            return n;
        x->steps[n++] = cheapest;
    }
}

/* The node of the chain after so many steps. */
static void go_along(lattice *x, int n_steps)
{
    memcpy(x->chain, x->node, (size_t)x->m * sizeof *x->node);
    for (int i = 0; i < n_steps; i++)
        x->chain[x->steps[i]]++;
}

/* Decide the walk's node, and others along a chain from it, by bisection. */
static kanon_status resolve(lattice *x, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int low = 0,
        high = x->g->rises ? climb(x) + 1 : 1; /* the first feasible node of the chain is in low .. high; high: none */
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool feasible;
        go_along(x, middle);
        KANON_TRY(check(x, x->chain, &feasible, err), out);
        if (feasible)
            high = middle;
        else
            low = middle + 1;
    }
    if (low > 0 && x->g->rises) {
        go_along(x, low - 1);
        KANON_TRY(rule_out(x, x->chain, err), out);
    }
out:
    return st;
}

static bool is_exhausted(const lattice *x)
{
    return x->found->n_checks + x->n_inspected / INSPECTED_PER_CHECK >= x->most_checks || kanon__run_finishes(x->g->run);
}

/* All levels of the last dimension in order, with the other levels fixed. */
static kanon_status walk_last(lattice *x, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int last = x->order[x->m - 1];
    for (int level = lowest_open(x, x->node, last); level < x->found->levels[last].n && !is_exhausted(x); level++) {
        x->node[last] = level;
        x->n_inspected++;
        if (!could_be_better(x, x->node, bound_of(x, x->node)))
            break;
        if (x->has_keys && kanon__keyset_has(&x->compared, key_of(x, x->node)))
            continue;
        KANON_TRY(resolve(x, err), out);
        int open = lowest_open(x, x->node, last);
        level = open > level + 1 ? open - 1 : level;
    }
out:
    x->node[last] = 0;
    return st;
}

/* The next combination of the other dimensions; false after the last. Costs rise with the level, so after the first that
 * exceeds the best loss the rest of a dimension is skipped. */
static bool advance(lattice *x)
{
    for (int j = x->m - 2; j >= 0; j--) {
        int i = x->order[j];
        if (++x->node[i] < x->found->levels[i].n && (x->found->best == NULL || bound_of(x, x->node) <= x->found->loss))
            return true;
        x->node[i] = 0;
    }
    return false;
}

static kanon_status walk(lattice *x, kanon_error *err)
{
    kanon_status st = KANON_OK;
    do {
        x->n_inspected += 1 + x->n_ruled_out / 64;
        KANON_TRY(walk_last(x, err), out);
        KANON_TRY(kanon__tick(x->g->run->ticker, x->found->n_checks, 0, 10 * x->m + x->n_ruled_out, err), out);
    } while (!is_exhausted(x) && advance(x));
    x->found->proven = !is_exhausted(x);
out:
    return st;
}

static kanon_status set_up(lattice *x, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__full_domain *f = x->found;
    int n_levels = 0;
    uint64_t n_nodes = 1;
    x->has_keys = true;
    f->n_nodes = 1;
    KANON_TRY(kanon__new_array(&x->order, x->m, "levels", err), out);
    KANON_TRY(kanon__new_array(&x->node, x->m, "levels", err), out);
    KANON_TRY(kanon__new_array(&x->chain, x->m, "levels", err), out);
    KANON_TRY(kanon__new_array(&x->cuts, x->m, "levels", err), out);
    for (int i = 0; i < x->m; i++) {
        int j = i;
        for (; j > 0 && f->levels[x->order[j - 1]].n > f->levels[i].n; j--)
            x->order[j] = x->order[j - 1];
        x->order[j] = i;
        n_levels += f->levels[i].n;
        f->n_nodes *= f->levels[i].n;
        x->has_keys = x->has_keys && !__builtin_mul_overflow(n_nodes, (uint64_t)f->levels[i].n, &n_nodes);
    }
    KANON_TRY(kanon__new_array(&x->steps, n_levels, "levels", err), out);
out:
    return st;
}

static kanon_status make_levels(kanon__full_domain *f, const kanon__generalisation *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *counts = NULL, most = 0;
    const kanon__tuples *t = g->tuples;
    f->n_dimensions = g->space->n_dimensions;
    for (int i = 0; i < f->n_dimensions; i++)
        most = g->space->dimensions[i].n_codes > most ? g->space->dimensions[i].n_codes : most;
    KANON_TRY(kanon__new_array(&f->levels, f->n_dimensions, "levels", err), out);
    KANON_TRY(kanon__new_array(&counts, most, "levels", err), out);
    for (int i = 0; i < f->n_dimensions; i++) {
        memset(counts, 0, (size_t)most * sizeof *counts);
        for (int64_t tuple = 0; tuple < t->n; tuple++)
            counts[t->codes[tuple * f->n_dimensions + i]] += kanon__tuple_size(t, tuple);
        KANON_TRY(kanon__levels_init(&f->levels[i], &g->space->dimensions[i], counts, err), out);
    }
out:
    kanon__free(counts);
    return st;
}

/* The top, where all records are equal, is checked first: so there is a best even where the search has no time. */
static kanon_status begin_at_top(lattice *x, kanon_error *err)
{
    bool feasible;
    for (int i = 0; i < x->m; i++)
        x->chain[i] = x->found->levels[i].n - 1;
    return check(x, x->chain, &feasible, err);
}

/* One search, for what g asks of the classes at present. out->best stays NULL where no node is feasible. */
static kanon_status search_once(kanon__full_domain *out, kanon__generalisation *g, int64_t most_checks, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__full_domain){0};
    lattice x = {.g = g, .found = out, .m = g->space->n_dimensions, .most_checks = most_checks};
    KANON_TRY(make_levels(out, g, err), out);
    KANON_TRY(set_up(&x, err), out);
    KANON_TRY(begin_at_top(&x, err), out);
    kanon__run_set_anytime(g->run, out->best != NULL);
    KANON_TRY(walk(&x, err), out);
    out->stopped = kanon__run_finishes(g->run);
out:
    kanon__run_set_anytime(g->run, false);
    kanon__keyset_clear(&x.compared);
    kanon__free(x.steps);
    kanon__free(x.cuts);
    kanon__free(x.chain);
    kanon__free(x.node);
    kanon__free(x.order);
    kanon__free(x.ruled_out);
    if (st != KANON_OK)
        kanon__full_domain_clear(out);
    return st;
}

/* The top of a whole table is feasible, since the table meets its constraints. That of a part may not be. */
kanon_status kanon__full_domain_search(kanon__full_domain *out, kanon__generalisation *g, int64_t most_checks,
                                       kanon_error *err)
{
    kanon_status st = search_once(out, g, most_checks, err);
    while (st == KANON_OK && out->best == NULL && kanon__generalisation_leave_to_repair(g)) {
        kanon__full_domain_clear(out);
        st = search_once(out, g, most_checks, err);
    }
    if (st == KANON_OK && out->best == NULL) {
        kanon__full_domain_clear(out);
        st = kanon__fail(err, KANON_EINFEASIBLE, "no mapping of the attributes meets the requirement");
    }
    return st;
}

void kanon__full_domain_clear(kanon__full_domain *f)
{
    for (int i = 0; f->levels != NULL && i < f->n_dimensions; i++)
        kanon__levels_clear(&f->levels[i]);
    kanon__free(f->levels);
    kanon__free(f->best);
    *f = (kanon__full_domain){0};
}

kanon_status kanon__full_domain_report(const kanon__full_domain *f, kanon__run *run, kanon_error *err)
{
    if (!f->proven)
        return kanon__texts_addf(run->warnings, err,
                                 "of %.0f combinations of levels %lld were tried, and the best of those is not proven to be "
                                 "the best of all; %s",
                                 f->n_nodes, (long long)f->n_checks, f->stopped ? "let it run on" : "raise max-checks");
    if (run->notes == NULL)
        return KANON_OK;
    return kanon__texts_addf(run->notes, err,
                             "none of %.0f combinations of levels loses less than %.10g; %lld of them had to be tried",
                             f->n_nodes, (double)f->loss / (double)run->space->scale, (long long)f->n_checks);
}
