/* The search for the combination of levels that loses least.
 *
 * The combinations (nodes) form a lattice: a node is above another where no level is lower. Two things hold of it:
 *
 *  1. Above a node that needs no more suppression than allowed, none does: classes only merge. So a node that needs too
 *     much rules out all nodes below it. (Not so with some constraints and suppression together; see `rises`. Then each node
 *     is looked at by itself, as far as (2) does not spare it.)
 *  2. Showing every record at a node's levels costs a sum over the attributes that is known without looking at a record, and
 *     suppressing some of them costs more. So this sum bounds the node's loss from below, and rises from node to node.
 *
 * The nodes are gone through in order; one that is neither ruled out by (1) nor, against the best so far, by (2) begins
 * a chain upwards, always by the cheapest step, as long as (2) allows. The chain is bisected for its first node that
 * holds. That node may be the new best, and the one before it is the highest that can be learnt to be ruled out. What is
 * left in the end is the best of all. (Predictive tagging along chains: Kohlmayer and others: Flash, PASSAT 2012; El
 * Emam and others: OLA, JAMIA 2009.) */
#include "algorithms/generalisation.h"

#include "core/alloc.h"
#include "core/keyset.h"

#include <string.h>

typedef struct lattice {
    kanon__generalisation *g;
    kanon__full_domain *found;
    int m;
    int *order;     /* dimensions by rising number of levels */
    int *node;      /* by dimension: where the walk is */
    int *steps;     /* scratch: the dimensions that a chain raises, one after the other */
    int *chain;     /* scratch: a node of it */
    int *ruled_out; /* nodes that need too much suppression, none below another */
    int64_t n_ruled_out, ruled_out_capacity;
    kanon__bound **cuts;    /* scratch */
    kanon__keyset compared; /* nodes that hold and were compared with the best */
    bool has_keys;          /* the nodes can be numbered in 64 bits */
    int64_t most_checks, n_inspected;
} lattice;

/* Looking at a node costs time even where no record has to be looked at. */
enum { INSPECTED_PER_CHECK = 10000 };

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

/* Remember a node that needs too much suppression, and forget those below it. */
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

/* Look at the records: does the node hold, and is it the best so far? */
static kanon_status check(lattice *x, const int *node, bool *holds, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__generalisation *g = x->g;
    bool added;
    for (int i = 0; i < x->m; i++)
        x->cuts[i] = x->found->levels[i].cuts[node[i]];
    KANON_TRY(kanon__generalisation_apply(g, x->cuts, err), out);
    x->found->n_checks++;
    *holds = g->feasible;
    if (*holds && could_be_better(x, node, g->loss))
        KANON_TRY(keep_best(x, node, g->loss, err), out);
    if (*holds && x->has_keys)
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

static void go_along(lattice *x, int n_steps)
{
    memcpy(x->chain, x->node, (size_t)x->m * sizeof *x->node);
    for (int i = 0; i < n_steps; i++)
        x->chain[x->steps[i]]++;
}

/* Find out about the walk's node, and about as many others as a chain from it allows. */
static kanon_status resolve(lattice *x, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int low = 0,
        high = x->g->rises ? climb(x) + 1 : 1; /* the first node of the chain that holds is in low .. high; high: none */
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool holds;
        go_along(x, middle);
        KANON_TRY(check(x, x->chain, &holds, err), out);
        if (holds)
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

/* All levels of the last dimension in order; the others stand still. */
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

/* The next combination of the other dimensions; false past the last. Costs rise with the level, so past the first that is
 * too costly all are. */
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

/* Everything alike always holds, so there is a best even where the search has no time. */
static kanon_status begin_at_top(lattice *x, kanon_error *err)
{
    bool holds;
    for (int i = 0; i < x->m; i++)
        x->chain[i] = x->found->levels[i].n - 1;
    return check(x, x->chain, &holds, err);
}

kanon_status kanon__full_domain_search(kanon__full_domain *out, kanon__generalisation *g, int64_t most_checks,
                                       kanon_error *err)
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
    if (out->best == NULL)
        st = kanon__fail(err, KANON_EINFEASIBLE, "no mapping of the attributes meets the requirement");
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
