/* Best-first search for the cheapest free record, of equals the lowest row, while a group grows.
 *
 * A candidate is a node of the tree, keyed by a lower bound on what any tuple below it costs and by its lowest free row,
 * or a tuple, keyed by its cost and lowest free row. Groups only grow and free records only vanish, so a candidate's key
 * never falls: an old key stays a valid lower bound. The search therefore updates a key lazily, when it comes to the
 * front of the queue; a tuple whose updated key is still first is the answer. One queue, the frontier, serves a group
 * from its first record to its last.
 *
 *     frontier   (12, row 3, node 7)  (12, row 5, tuple 40)  (15, row 0, node 2) ...
 *                 -> still 12: replace the node by its children or, for a leaf, by its tuples
 *                 -> now 14:   put it back with 14
 *
 * Every function is inline, so that each search compiles its own copy with its own cost function. */
#ifndef KANON_SEARCH_BEST_FIRST_H
#define KANON_SEARCH_BEST_FIRST_H

#include "core/heap.h"
#include "search/free_tree.h"

typedef struct kanon__candidate {
    uint64_t cost;
    int32_t row;
    int32_t what; /* a node, or the complement of a tuple's place */
} kanon__candidate;

static inline bool kanon__candidate_before(const kanon__candidate *a, const kanon__candidate *b)
{
    return a->cost != b->cost ? a->cost < b->cost : a->row < b->row;
}

/* The queue of candidates. No two of them are equal in cost, row and kind, but a node and a tuple below it may tie; either
 * order gives the same answer. */
KANON__HEAP(kanon__frontier, kanon__candidate, kanon__candidate_before);

/* What a node or a tuple costs a group with the given box, in units of D. */
static inline kanon__candidate kanon__candidate_of(const kanon__free_tree *t, const kanon__bound *box, int32_t what)
{
    if (what >= 0)
        return (kanon__candidate){kanon__free_tree_units(t, box, t->boxes + (int64_t)what * 2 * t->n_columns, 2),
                                  t->lowest[what], what};
    return (kanon__candidate){kanon__free_tree_units(t, box, t->cells + (int64_t)~what * t->n_columns, 1),
                              t->places[~what].lowest, what};
}

/* The key that a node or a tuple has now; one of its records is free. */
typedef kanon__candidate (*kanon__candidate_cost)(void *payload, int32_t what);

/* Replace the first candidate, which is this node, by what is below it and free. */
static inline kanon_status kanon__best_first_expand(kanon__frontier *f, const kanon__free_tree *t, int32_t node,
                                                    kanon__candidate_cost cost, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__tree_node *n = &t->nodes[node];
    kanon__frontier_pop(f);
    for (int32_t child = n->first_child; n->first_child >= 0 && child < n->first_child + 2; child++)
        if (t->lowest[child] != KANON__NO_ROW)
            KANON_TRY(kanon__frontier_push(f, cost(payload, child), err), out);
    for (int32_t place = n->begin; n->first_child < 0 && place < n->end; place++)
        if (t->places[place].lowest != KANON__NO_ROW)
            KANON_TRY(kanon__frontier_push(f, cost(payload, ~place), err), out);
out:
    return st;
}

/* The cheapest tuple; out->row is its lowest free record, -1 where no record is free. The tuple stays first in the frontier.
 * A new group begins with an empty frontier (f->n = 0). */
static inline kanon_status kanon__best_first(kanon__candidate *out, kanon__frontier *f, const kanon__free_tree *t,
                                             kanon__candidate_cost cost, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__candidate){.row = -1};
    if (f->n == 0 && t->lowest[0] != KANON__NO_ROW)
        KANON_TRY(kanon__frontier_push(f, (kanon__candidate){0, 0, 0}, err), out);
    while (f->n > 0) {
        kanon__candidate first = f->items[0], now;
        if ((first.what >= 0 ? t->lowest[first.what] : t->places[~first.what].lowest) == KANON__NO_ROW) {
            kanon__frontier_pop(f); /* all its records are taken */
            continue;
        }
        now = cost(payload, first.what);
        if (kanon__candidate_before(&first, &now)) {
            kanon__frontier_replace(f, now);
        } else if (first.what >= 0) {
            KANON_TRY(kanon__best_first_expand(f, t, first.what, cost, payload, err), out);
        } else {
            *out = now;
            break;
        }
    }
out:
    return st;
}

#endif
