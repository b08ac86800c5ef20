/* Best-first search for the cheapest free record, of equals the lowest row, while a group grows.
 *
 * A candidate is a node, at the least that anything below it can cost and its lowest row, or a tuple. Groups only grow
 * and free records only vanish, so what a candidate costs never falls: its cost of some time ago is a bound for ever.
 * It is brought up to date when it comes first, and a tuple that stays first is the answer. So one heap serves a group
 * from its first record to its last. All of this is inline, so that each search has its own copy with its own costs. */
#ifndef KANON_SEARCH_BEST_FIRST_H
#define KANON_SEARCH_BEST_FIRST_H

#include "core/alloc.h"
#include "search/free_tree.h"

typedef struct kanon__candidate {
    uint64_t cost;
    int32_t row;
    int32_t what; /* a node, or the complement of a tuple's place */
} kanon__candidate;

/* What has still to be looked at. */
typedef struct kanon__candidates {
    kanon__candidate *heap; /* what is at i comes no later than what is at 2 i + 1 and 2 i + 2 */
    int64_t n, capacity;
} kanon__candidates;

static inline bool kanon__candidate_before(const kanon__candidate *a, const kanon__candidate *b)
{
    return a->cost != b->cost ? a->cost < b->cost : a->row < b->row;
}

static inline kanon_status kanon__candidates_add(kanon__candidates *c, kanon__candidate new, kanon_error *err)
{
    if (c->n == c->capacity) {
        kanon_status st = kanon__grow_array(&c->heap, &c->capacity, c->n + 1, "the search", err);
        if (st != KANON_OK)
            return st;
    }
    int64_t at = c->n++;
    for (; at > 0 && kanon__candidate_before(&new, &c->heap[(at - 1) / 2]); at = (at - 1) / 2)
        c->heap[at] = c->heap[(at - 1) / 2];
    c->heap[at] = new;
    return KANON_OK;
}

/* Put another one in place of the first. */
static inline void kanon__candidates_replace(kanon__candidates *c, kanon__candidate by)
{
    int64_t at = 0;
    for (int64_t child = 1; child < c->n; child = 2 * at + 1) {
        child += child + 1 < c->n && kanon__candidate_before(&c->heap[child + 1], &c->heap[child]);
        if (!kanon__candidate_before(&c->heap[child], &by))
            break;
        c->heap[at] = c->heap[child];
        at = child;
    }
    c->heap[at] = by;
}

static inline void kanon__candidates_drop(kanon__candidates *c)
{
    kanon__candidate last = c->heap[--c->n];
    if (c->n > 0)
        kanon__candidates_replace(c, last);
}

/* What a node or a tuple costs a group around which the box lies, in units of D. */
static inline kanon__candidate kanon__candidate_of(const kanon__free_tree *t, const kanon__bound *box, int32_t what)
{
    if (what >= 0)
        return (kanon__candidate){kanon__free_tree_units(t, box, t->boxes + (int64_t)what * 2 * t->n_columns, 2),
                                  t->lowest[what], what};
    return (kanon__candidate){kanon__free_tree_units(t, box, t->cells + (int64_t)~what * t->n_columns, 1),
                              t->places[~what].lowest, what};
}

/* What a node or a tuple costs now; one of their records is free. */
typedef kanon__candidate (*kanon__candidate_cost)(const void *payload, int32_t what);

/* Put what is below a node in its place, which is the first. */
static inline kanon_status kanon__best_first_expand(kanon__candidates *c, const kanon__free_tree *t, int32_t node,
                                                    kanon__candidate_cost look, const void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__tree_node *n = &t->nodes[node];
    kanon__candidates_drop(c);
    for (int32_t child = n->first_child; n->first_child >= 0 && child < n->first_child + 2; child++)
        if (t->lowest[child] != KANON__NO_ROW)
            KANON_TRY(kanon__candidates_add(c, look(payload, child), err), out);
    for (int32_t place = n->begin; n->first_child < 0 && place < n->end; place++)
        if (t->places[place].lowest != KANON__NO_ROW)
            KANON_TRY(kanon__candidates_add(c, look(payload, ~place), err), out);
out:
    return st;
}

/* The cheapest tuple, a record of which is out->row. A new group begins with no candidates (c->n = 0). `row` is -1
 * where no record is free. */
static inline kanon_status kanon__best_first(kanon__candidate *out, kanon__candidates *c, const kanon__free_tree *t,
                                             kanon__candidate_cost look, const void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__candidate){.row = -1};
    if (c->n == 0 && t->lowest[0] != KANON__NO_ROW)
        KANON_TRY(kanon__candidates_add(c, (kanon__candidate){0, 0, 0}, err), out);
    while (c->n > 0) {
        kanon__candidate first = c->heap[0], now;
        if ((first.what >= 0 ? t->lowest[first.what] : t->places[~first.what].lowest) == KANON__NO_ROW) {
            kanon__candidates_drop(c);
            continue;
        }
        now = look(payload, first.what);
        if (kanon__candidate_before(&first, &now)) {
            kanon__candidates_replace(c, now);
        } else if (first.what >= 0) {
            KANON_TRY(kanon__best_first_expand(c, t, first.what, look, payload, err), out);
        } else {
            *out = now;
            break;
        }
    }
out:
    return st;
}

#endif
