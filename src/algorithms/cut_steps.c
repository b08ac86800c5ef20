/* Improving cuts step by step: splits that save loss, and joins that make room for them.
 *
 * A split divides one range: of a category into its node's children, of a number at any value. A join merges ranges: a
 * node's children, two neighbouring intervals, or all of a dimension. Splitting is greedy and gets stuck, since k
 * couples the attributes: a join may cost loss on one attribute and allow more on the others.
 *
 * Steps: 1 descend: make the split that leaves the least loss within the budget, until none saves anything; 2 for each join:
 * make it, descend on the other dimensions while the joined one stands still, then on all; keep the result if it loses less;
 * 3 repeat 2 until no join helps, at most `rounds` times.
 *
 * All splits of a dimension are evaluated in one pass over the classes (evaluate_dimension), each class with its tuples
 * in the order of that dimension. For numbers the pass adds differences at the places where something changes (a
 * difference array); their prefix sums are the totals for each place of the split:
 *
 *     class with tuples at codes 3, 5, 9:   left:  0 | size of {3} | size of {3, 5} | all       changes at 3, 5 and 9 only
 *
 * Source: this project; the descent in the manner of Fung, Wang, Yu: Top-down specialization, ICDE 2005.
 * Cost: O(attributes * tuples) for each step. Ties: see attribute_cut.c, which calls this. */
#include "algorithms/generalisation.h"

#include "core/alloc.h"

#include <string.h>

typedef struct split {
    int dimension;                /* -1: none */
    uint32_t first, last, middle; /* the range; of a number, the last code of the left part */
    int64_t loss;
    __int128 preferred; /* its saving times the weight of its dimension */
} split;

/* The sums over all classes with the same range that evaluating its splits needs; by the first code of the range and, for
 * numbers, by the place of the split, there as a difference array. */
typedef struct split_tally {
    int64_t loss; /* without the share of a number's own range, which depends on the place */
    int64_t suppressed;
    int64_t left, right; /* numbers: records to be released on each side */
} split_tally;

typedef struct cut_improvement {
    kanon__generalisation *g;
    int m;
    int32_t **sorted;        /* by dimension: the tuples by their code */
    bool *right_good;        /* scratch, by place in the list of members */
    split_tally *now, *then; /* by code: as it is, and after the split */
    kanon__bound *parts;     /* categories: the cut that splits every range */
    kanon__bound **trial, **best;
    int64_t best_loss, n_steps;
    const int *weights; /* by dimension: the preference for its splits; NULL: all equal */
} cut_improvement;

/* ---- the classes in the order of a dimension --------------------------------------------------------------------- */

static kanon_status sort_tuples(cut_improvement *x, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__tuples *t = x->g->tuples;
    for (int i = 0; i < x->m; i++) {
        uint32_t n_codes = x->g->space->dimensions[i].n_codes;
        int64_t *next = NULL;
        KANON_TRY(kanon__new_array(&x->sorted[i], t->n, "distinct records", err), out);
        KANON_TRY(kanon__new_array(&next, (int64_t)n_codes + 1, "distinct records", err), out);
        for (int64_t tuple = 0; tuple < t->n; tuple++)
            next[t->codes[tuple * x->m + i] + 1]++;
        for (uint32_t code = 0; code < n_codes; code++)
            next[code + 1] += next[code];
        for (int64_t tuple = 0; tuple < t->n; tuple++)
            x->sorted[i][next[t->codes[tuple * x->m + i]]++] = (int32_t)tuple;
        kanon__free(next);
    }
out:
    return st;
}

static uint32_t code_of(const cut_improvement *x, int64_t place, int dimension)
{
    return x->g->tuples->codes[(int64_t)x->g->members[place] * x->m + dimension];
}

/* ---- evaluating splits ------------------------------------------------------------------------------------------- */

/* Divide the range first .. last, of two leaves at least, into the children of its node. */
static void cut_into_children(kanon__bound *cut, const kanon__taxonomy *t, uint32_t first, uint32_t last)
{
    int32_t top = kanon__taxonomy_lca(t, (int32_t)first, (int32_t)last);
    for (uint32_t code = first; code <= last; code = cut[2 * (size_t)code + 1] + 1) {
        int32_t node = t->leaf_node[code];
        while (t->parent[node] != top)
            node = t->parent[node];
        kanon__cut_join(cut, code, (uint32_t)t->last_leaf[node]);
    }
}

/* One class of a category, child by child. */
static kanon_status evaluate_category(cut_improvement *x, const kanon__dimension *d, int dimension, int64_t which,
                                      const kanon__bound *range, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__generalisation *g = x->g;
    uint32_t others = g->classes[which].units - kanon__dimension_units(d, range[0], range[1]);
    split_tally *then = &x->then[range[0]];
    kanon__part part = {0};
    for (int64_t place = g->begins[which]; place < g->begins[which + 1];) {
        const kanon__bound *child = x->parts + 2 * (size_t)code_of(x, place, dimension);
        for (; place < g->begins[which + 1] && code_of(x, place, dimension) <= child[1]; place++)
            KANON_TRY(kanon__part_add(&part, g, g->members[place], err), out);
        bool good = kanon__part_is_good(&part, g);
        then->loss += part.size * (good ? others + kanon__dimension_units(d, child[0], child[1]) : g->full);
        then->suppressed += good ? 0 : part.size;
        kanon__part_clear(&part);
    }
out:
    kanon__part_clear(&part);
    return st;
}

/* For splits at the places from .. to - 1 a class of numbers has so many records on each side: add them as differences. */
static void add_stretch(cut_improvement *x, uint32_t from, uint32_t to, int64_t left, bool left_good, int64_t right,
                        bool right_good, uint32_t others)
{
    int64_t bad = (left_good ? 0 : left) + (right_good ? 0 : right);
    split_tally t = {.left = left_good ? left : 0, .right = right_good ? right : 0, .suppressed = bad};
    if (from >= to)
        return;
    t.loss = (t.left + t.right) * others + bad * x->g->full;
    split_tally *a = &x->then[from], *b = &x->then[to];
    *a = (split_tally){a->loss + t.loss, a->suppressed + t.suppressed, a->left + t.left, a->right + t.right};
    *b = (split_tally){b->loss - t.loss, b->suppressed - t.suppressed, b->left - t.left, b->right - t.right};
}

/* right_good[place]: the members of the class from this place on may be released; where a new code begins. */
static kanon_status check_right_sides(cut_improvement *x, int64_t which, int dimension, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__generalisation *g = x->g;
    kanon__part part = {0};
    for (int64_t place = g->begins[which + 1] - 1; place >= g->begins[which]; place--) {
        KANON_TRY(kanon__part_add(&part, g, g->members[place], err), out);
        if (place == g->begins[which] || code_of(x, place - 1, dimension) != code_of(x, place, dimension))
            x->right_good[place] = kanon__part_is_good(&part, g);
    }
out:
    kanon__part_clear(&part);
    return st;
}

/* One class of a number, for all places at once: place p has the codes up to p on its left. */
static kanon_status evaluate_number(cut_improvement *x, const kanon__dimension *d, int dimension, int64_t which,
                                    const kanon__bound *range, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__generalisation *g = x->g;
    const kanon__class *c = &g->classes[which];
    uint32_t others = c->units - kanon__dimension_units(d, range[0], range[1]), from = range[0];
    kanon__part left = {0};
    bool left_good = false;
    KANON_TRY(check_right_sides(x, which, dimension, err), out);
    for (int64_t place = g->begins[which]; place < g->begins[which + 1]; place++) {
        uint32_t code = code_of(x, place, dimension);
        if (code > from)
            left_good = kanon__part_is_good(&left, g);
        add_stretch(x, from, code, left.size, left_good, c->size - left.size, x->right_good[place], others);
        KANON_TRY(kanon__part_add(&left, g, g->members[place], err), out);
        from = code;
    }
    add_stretch(x, from, range[1], c->size, c->good, 0, false, others);
out:
    kanon__part_clear(&left);
    return st;
}

/* Take the split where it saves more than the best so far, within the budget. */
static void consider(const cut_improvement *x, const split *s, int64_t now_loss, int64_t then_loss, int64_t more_suppressed,
                     split *best)
{
    const kanon__generalisation *g = x->g;
    int64_t saving = now_loss - then_loss;
    __int128 preferred = (__int128)saving * (x->weights != NULL ? x->weights[s->dimension] : 1);
    if (preferred <= best->preferred || g->n_suppressed + more_suppressed > g->most_suppressed)
        return;
    *best = *s;
    best->loss = g->loss - saving;
    best->preferred = preferred;
}

static void consider_places(cut_improvement *x, const kanon__dimension *d, split s, split *best)
{
    const split_tally *now = &x->now[s.first];
    split_tally sum = {0};
    bool all = s.last ==
               d->column->domain->missing_code; /* a range of numbers and the missing one can only be split into these two */
    for (s.middle = s.first; s.middle < s.last; s.middle++) {
        const split_tally *at = &x->then[s.middle];
        sum = (split_tally){sum.loss + at->loss, sum.suppressed + at->suppressed, sum.left + at->left,
                            sum.right + at->right};
        if (all && s.middle + 1 < s.last)
            continue;
        int64_t loss = sum.loss + sum.left * kanon__dimension_units(d, s.first, s.middle) +
                       sum.right * kanon__dimension_units(d, s.middle + 1, s.last);
        consider(x, &s, now->loss, loss, sum.suppressed - now->suppressed, best);
    }
}

/* One pass over the classes: the tallies of a dimension's ranges, before and after each split. */
static kanon_status tally_classes(cut_improvement *x, const kanon__dimension *d, int dimension, const kanon__bound *cut,
                                  kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__generalisation *g = x->g;
    kanon__generalisation_list(g, x->sorted[dimension]);
    for (int64_t i = 0; i < g->n_classes; i++) {
        const kanon__class *c = &g->classes[i];
        const kanon__bound *range = cut + 2 * (size_t)code_of(x, g->begins[i], dimension);
        if (range[0] == range[1])
            continue;
        x->now[range[0]].loss += c->size * (c->good ? c->units : g->full);
        x->now[range[0]].suppressed += c->good ? 0 : c->size;
        KANON_TRY(d->coordinates != NULL ? evaluate_number(x, d, dimension, i, range, err)
                                         : evaluate_category(x, d, dimension, i, range, err),
                  out);
    }
out:
    return st;
}

/* The best split of a dimension, where it is better than *best. */
static kanon_status evaluate_dimension(cut_improvement *x, kanon__bound *const *cuts, int dimension, split *best,
                                       kanon_error *err)
{
    const kanon__dimension *d = &x->g->space->dimensions[dimension];
    const kanon__bound *cut = cuts[dimension];
    memset(x->now, 0, ((size_t)d->n_codes + 1) * sizeof *x->now);
    memset(x->then, 0, ((size_t)d->n_codes + 1) * sizeof *x->then);
    for (uint32_t code = 0; d->coordinates == NULL && code < d->n_codes; code = cut[2 * (size_t)code + 1] + 1)
        if (cut[2 * (size_t)code + 1] > code)
            cut_into_children(x->parts, d->column->domain->taxonomy, code, cut[2 * (size_t)code + 1]);
    kanon_status st = tally_classes(x, d, dimension, cut, err);
    for (uint32_t code = 0; st == KANON_OK && code < d->n_codes; code = cut[2 * (size_t)code + 1] + 1) {
        split s = {.dimension = dimension, .first = code, .last = cut[2 * (size_t)code + 1]};
        const split_tally *now = &x->now[code], *then = &x->then[code];
        if (s.first == s.last)
            continue;
        if (d->coordinates != NULL)
            consider_places(x, d, s, best);
        else
            consider(x, &s, now->loss, then->loss, then->suppressed - now->suppressed, best);
    }
    return st;
}

/* ---- the three steps --------------------------------------------------------------------------------------------- */

static void make_split(const cut_improvement *x, kanon__bound **cuts, const split *s)
{
    const kanon__dimension *d = &x->g->space->dimensions[s->dimension];
    kanon__bound *cut = cuts[s->dimension];
    if (d->coordinates != NULL) {
        kanon__cut_join(cut, s->first, s->middle);
        kanon__cut_join(cut, s->middle + 1, s->last);
    } else {
        cut_into_children(cut, d->column->domain->taxonomy, s->first, s->last);
    }
}

/* Step 1, never on dimension `still` (-1: on any). Afterwards the cuts are applied. */
static kanon_status descend(cut_improvement *x, kanon__bound **cuts, int still, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (;;) {
        KANON_TRY(kanon__generalisation_apply(x->g, cuts, err), out);
        split best = {.dimension = -1, .loss = x->g->loss};
        for (int i = 0; x->g->feasible && i < x->m; i++)
            if (i != still)
                KANON_TRY(evaluate_dimension(x, cuts, i, &best, err), out);
        x->n_steps++;
        KANON_TRY(kanon__tick(x->g->run->ticker, x->n_steps, 0, 40 * x->g->tuples->n * (x->m + 1), err), out);
        if (best.dimension < 0 || kanon__run_finishes(x->g->run))
            return KANON_OK;
        make_split(x, cuts, &best);
    }
out:
    return st;
}

static void copy_cuts(const cut_improvement *x, kanon__bound **to, kanon__bound *const *from)
{
    for (int i = 0; i < x->m; i++)
        memcpy(to[i], from[i], 2 * (size_t)x->g->space->dimensions[i].n_codes * sizeof *to[i]);
}

/* The join that belongs to the range at `first`: with the next interval, or all children of the next node up. False where it
 * belongs to an earlier range. */
static bool join_at(const kanon__dimension *d, const kanon__bound *cut, uint32_t first, uint32_t *from, uint32_t *to)
{
    uint32_t last = cut[2 * (size_t)first + 1], missing = d->column->domain->missing_code;
    *from = first;
    if (d->coordinates != NULL) {
        if (last + 1 == d->n_codes)
            return false;
        *to = cut[2 * (size_t)last + 3];
        return *to != missing || first == 0;
    }
    const kanon__taxonomy *t = d->column->domain->taxonomy;
    int32_t node = kanon__taxonomy_lca(t, (int32_t)first, (int32_t)last);
    while (node >= 0 && t->first_leaf[node] == (int32_t)first && t->last_leaf[node] == (int32_t)last)
        node = t->parent[node];
    if (node < 0)
        return false;
    *from = (uint32_t)t->first_leaf[node];
    *to = (uint32_t)t->last_leaf[node];
    /* the join belongs to the first range whose next node up this is */
    for (uint32_t code = *from; code < first; code = cut[2 * (size_t)code + 1] + 1) {
        int32_t above = kanon__taxonomy_lca(t, (int32_t)code, (int32_t)cut[2 * (size_t)code + 1]);
        while (t->first_leaf[above] == (int32_t)code && t->last_leaf[above] == (int32_t)cut[2 * (size_t)code + 1])
            above = t->parent[above];
        if (above == node)
            return false;
    }
    return true;
}

/* Step 2 for one join, of from .. to on a dimension of the best cuts. */
static kanon_status try_join(cut_improvement *x, int dimension, uint32_t from, uint32_t to, bool *better, kanon_error *err)
{
    kanon_status st = KANON_OK;
    copy_cuts(x, x->trial, x->best);
    kanon__cut_join(x->trial[dimension], from, to);
    KANON_TRY(descend(x, x->trial, dimension, err), out);
    KANON_TRY(descend(x, x->trial, -1, err), out);
    *better = x->g->feasible && x->g->loss < x->best_loss;
    if (*better) {
        copy_cuts(x, x->best, x->trial);
        x->best_loss = x->g->loss;
    }
out:
    return st;
}

/* Step 2 for all joins of a dimension, the last one of everything. */
static kanon_status try_joins(cut_improvement *x, int dimension, bool *better, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__dimension *d = &x->g->space->dimensions[dimension];
    bool won;
    for (uint32_t code = 0; code < d->n_codes && !kanon__run_finishes(x->g->run);) {
        uint32_t from, to;
        if (join_at(d, x->best[dimension], code, &from, &to)) {
            KANON_TRY(try_join(x, dimension, from, to, &won, err), out);
            *better = *better || won;
        }
        code = x->best[dimension][2 * (size_t)code + 1] + 1;
    }
    if (x->best[dimension][1] + 1 < d->n_codes && !kanon__run_finishes(x->g->run)) {
        KANON_TRY(try_join(x, dimension, 0, d->n_codes - 1, &won, err), out);
        *better = *better || won;
    }
out:
    return st;
}

static kanon_status new_cuts(kanon__bound ***out, const kanon__space *space, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(out, space->n_dimensions, "cuts", err), out);
    for (int i = 0; i < space->n_dimensions; i++)
        KANON_TRY(kanon__new_array(&(*out)[i], 2 * (int64_t)space->dimensions[i].n_codes, "cuts", err), out);
out:
    return st;
}

static void free_cuts(kanon__bound **cuts, int m)
{
    for (int i = 0; cuts != NULL && i < m; i++)
        kanon__free(cuts[i]);
    kanon__free(cuts);
}

static kanon_status set_up(cut_improvement *x, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__space *space = x->g->space;
    int64_t most = 0;
    for (int i = 0; i < x->m; i++)
        most = space->dimensions[i].n_codes > most ? space->dimensions[i].n_codes : most;
    KANON_TRY(kanon__new_array(&x->sorted, x->m, "distinct records", err), out);
    KANON_TRY(sort_tuples(x, err), out);
    KANON_TRY(kanon__new_array(&x->right_good, x->g->tuples->n, "classes", err), out);
    KANON_TRY(kanon__new_array(&x->now, most + 1, "cuts", err), out);
    KANON_TRY(kanon__new_array(&x->then, most + 1, "cuts", err), out);
    KANON_TRY(kanon__new_array(&x->parts, 2 * most, "cuts", err), out);
    KANON_TRY(new_cuts(&x->trial, space, err), out);
    KANON_TRY(new_cuts(&x->best, space, err), out);
out:
    return st;
}

static void clear(cut_improvement *x)
{
    free_cuts(x->best, x->m);
    free_cuts(x->trial, x->m);
    kanon__free(x->parts);
    kanon__free(x->then);
    kanon__free(x->now);
    kanon__free(x->right_good);
    for (int i = 0; x->sorted != NULL && i < x->m; i++)
        kanon__free(x->sorted[i]);
    kanon__free(x->sorted);
}

kanon_status kanon__cuts_improve(kanon__generalisation *g, kanon__bound **cuts, const int *weights, int64_t rounds,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    cut_improvement x = {.g = g, .m = g->space->n_dimensions, .weights = weights};
    KANON_TRY(set_up(&x, err), out);
    copy_cuts(&x, x.best, cuts);
    KANON_TRY(descend(&x, x.best, -1, err), out);
    x.weights = NULL;
    x.best_loss = g->loss;
    bool better = true;
    for (int64_t round = 0; better && round < rounds; round++) {
        better = false;
        for (int i = 0; i < x.m; i++)
            KANON_TRY(try_joins(&x, i, &better, err), out);
    }
    copy_cuts(&x, cuts, x.best);
    KANON_TRY(kanon__generalisation_apply(g, cuts, err), out);
out:
    clear(&x);
    return st;
}
