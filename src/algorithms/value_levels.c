/* The levels of one attribute, from single values to full suppression (see kanon__levels_init).
 *
 * A taxonomy has levels by its heights. Numbers have no given hierarchy, so one is built for the data at hand: intervals are
 * split one at a time where that saves most loss, and 1, 2, 4, ... of them are a level. Such levels are nested, which the
 * lattice search needs (lattice.c).
 *
 *     level 3   *                        missing and all numbers
 *     level 2   [------------]           1 interval
 *     level 1   [----][------]           2 intervals
 *     level 0   1 2 3 4 5 6 7            single values
 *
 * Ties: the first split of equal saving, the first interval. */
#include "algorithms/generalisation.h"

#include "core/alloc.h"

#include <string.h>

/* Finer levels than this, short of single values, hardly matter and are slow to find. */
enum { MOST_INTERVALS = 256 };

/* Append a copy of the cut as the next level, with its cost over all records. */
static kanon_status add_level(kanon__levels *l, const kanon__dimension *d, const kanon__bound *cut, const int64_t *counts,
                              kanon_error *err)
{
    kanon_status st = kanon__new_array(&l->cuts[l->n], 2 * (int64_t)d->n_codes, "levels", err);
    if (st != KANON_OK)
        return st;
    memcpy(l->cuts[l->n], cut, 2 * (size_t)d->n_codes * sizeof *cut);
    for (uint32_t code = 0; code < d->n_codes; code++)
        l->units[l->n] += counts[code] * kanon__dimension_units(d, cut[2 * (size_t)code], cut[2 * (size_t)code + 1]);
    l->n++;
    return KANON_OK;
}

static kanon_status make_room(kanon__levels *l, int64_t n, kanon_error *err)
{
    kanon_status st = kanon__new_array(&l->cuts, n, "levels", err);
    return st == KANON_OK ? kanon__new_array(&l->units, n, "levels", err) : st;
}

/* ---- categories -------------------------------------------------------------------------------------------------- */

/* Cut at a height of the taxonomy. Returns the number of ranges that hold a record. */
static uint32_t cut_at_height(kanon__bound *cut, const kanon__taxonomy *t, int32_t level, const int64_t *counts)
{
    uint32_t n_ranges = 0;
    for (int32_t leaf = 0; leaf < t->n_leaves;) {
        int32_t node = t->leaf_node[leaf];
        bool found = false;
        while (t->parent[node] >= 0 && t->height[t->parent[node]] <= level)
            node = t->parent[node];
        kanon__cut_join(cut, (uint32_t)t->first_leaf[node], (uint32_t)t->last_leaf[node]);
        for (; leaf <= t->last_leaf[node]; leaf++)
            found = found || counts[leaf] > 0;
        n_ranges += found;
    }
    return n_ranges;
}

/* One level per height that merges records. */
static kanon_status add_heights(kanon__levels *l, const kanon__dimension *d, const int64_t *counts, kanon__bound *cut,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__taxonomy *t = d->column->domain->taxonomy;
    uint32_t n_before = UINT32_MAX;
    KANON_TRY(make_room(l, (int64_t)t->height[0] + 1, err), out);
    for (int32_t level = 0; level <= t->height[0]; level++) {
        uint32_t n = cut_at_height(cut, t, level, counts);
        if (n < n_before)
            KANON_TRY(add_level(l, d, cut, counts, err), out);
        n_before = n;
    }
out:
    return st;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* An interval of codes and the best place to split it. */
typedef struct interval {
    uint32_t first, last, middle; /* middle: the last code of the left part */
    int64_t saving;               /* -1: a single value */
} interval;

typedef struct interval_list {
    const kanon__dimension *dimension;
    const int64_t *below; /* by code: the records of all smaller ones */
    interval intervals[MOST_INTERVALS];
    int n;
} interval_list;

/* The interval first .. last with its best split. */
static interval find_split(const interval_list *s, uint32_t first, uint32_t last)
{
    const kanon__dimension *d = s->dimension;
    interval i = {.first = first, .last = last, .saving = -1};
    int64_t n = s->below[last + 1] - s->below[first], whole = n * kanon__dimension_units(d, first, last);
    for (uint32_t middle = first; middle < last; middle++) {
        int64_t left = s->below[middle + 1] - s->below[first];
        int64_t saving = whole - left * kanon__dimension_units(d, first, middle) -
                         (n - left) * kanon__dimension_units(d, middle + 1, last);
        if (saving > i.saving) {
            i.saving = saving;
            i.middle = middle;
        }
    }
    return i;
}

/* Split the interval that saves most. */
static void split_best(interval_list *s)
{
    int best = 0;
    for (int i = 1; i < s->n; i++)
        if (s->intervals[i].saving > s->intervals[best].saving)
            best = i;
    interval old = s->intervals[best];
    for (int i = s->n++; i > best + 1; i--)
        s->intervals[i] = s->intervals[i - 1];
    s->intervals[best] = find_split(s, old.first, old.middle);
    s->intervals[best + 1] = find_split(s, old.middle + 1, old.last);
}

/* One interval, two, four, ..., the coarsest first. */
static kanon_status add_intervals(kanon__levels *l, interval_list *s, const int64_t *counts, uint32_t n_numbers,
                                  kanon__bound *cut, kanon_error *err)
{
    kanon_status st = KANON_OK;
    s->n = 1;
    s->intervals[0] = find_split(s, 0, n_numbers - 1);
    for (int wanted = 1; wanted <= MOST_INTERVALS && (uint32_t)wanted < n_numbers; wanted *= 2) {
        while (s->n < wanted)
            split_best(s);
        for (int i = 0; i < s->n; i++)
            kanon__cut_join(cut, s->intervals[i].first, s->intervals[i].last);
        KANON_TRY(add_level(l, s->dimension, cut, counts, err), out);
    }
out:
    return st;
}

/* Levels were added from the coarsest on; level 0 is the finest. */
static void reverse(kanon__levels *l)
{
    for (int i = 0, j = l->n - 1; i < j; i++, j--) {
        kanon__bound *cut = l->cuts[i];
        int64_t units = l->units[i];
        l->cuts[i] = l->cuts[j];
        l->units[i] = l->units[j];
        l->cuts[j] = cut;
        l->units[j] = units;
    }
}

static kanon_status add_numbers(kanon__levels *l, const kanon__dimension *d, const int64_t *counts, kanon__bound *cut,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool missing = d->column->domain->missing_code != KANON__NO_CODE;
    uint32_t n_numbers = d->n_codes - missing;
    int64_t *below = NULL;
    interval_list *s = NULL;
    KANON_TRY(make_room(l, 16, err), out); /* "*", 1, 2, 4, ... 256, single values */
    KANON_TRY(kanon__new_array(&below, (int64_t)d->n_codes + 1, "levels", err), out);
    KANON_TRY(kanon__new_array(&s, 1, "levels", err), out);
    for (uint32_t code = 0; code < d->n_codes; code++)
        below[code + 1] = below[code] + counts[code];
    *s = (interval_list){.dimension = d, .below = below};
    if (missing && n_numbers > 0) {
        kanon__cut_join(cut, 0, d->n_codes - 1);
        KANON_TRY(add_level(l, d, cut, counts, err), out);
    }
    if (missing)
        kanon__cut_join(cut, n_numbers, n_numbers);
    if (n_numbers > 0)
        KANON_TRY(add_intervals(l, s, counts, n_numbers, cut, err), out);
    for (uint32_t code = 0; code < d->n_codes; code++)
        kanon__cut_join(cut, code, code);
    KANON_TRY(add_level(l, d, cut, counts, err), out);
    reverse(l);
out:
    kanon__free(s);
    kanon__free(below);
    return st;
}

/* ---- interface --------------------------------------------------------------------------------------------------- */

kanon_status kanon__levels_init(kanon__levels *out, const kanon__dimension *d, const int64_t *counts, kanon_error *err)
{
    kanon__bound *cut = NULL;
    kanon_status st = kanon__new_array(&cut, 2 * (int64_t)d->n_codes, "levels", err);
    if (st == KANON_OK)
        st = d->coordinates != NULL ? add_numbers(out, d, counts, cut, err) : add_heights(out, d, counts, cut, err);
    kanon__free(cut);
    return st;
}

void kanon__levels_clear(kanon__levels *l)
{
    for (int i = 0; i < l->n; i++)
        kanon__free(l->cuts[i]);
    kanon__free(l->units);
    kanon__free(l->cuts);
    *l = (kanon__levels){0};
}
