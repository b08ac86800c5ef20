/* The space of a state's records as the table is now: codes become coordinates, and boxes of coordinates cost units.
 *
 * The formulas are those of model/terms.h and model/units.h, which tables use, too; the results differ from those of
 * model/space.h only where that one knows more, since a table's values do not change. Ranges are those of the records
 * in the state and follow every insert and delete.
 *
 *     coordinate of a number      (code - lo) / (hi - lo) * full, in units; a missing number lies at 2 * full, so that any
 *                                 interval with it costs at least full, and is cut to full
 *     coordinates of a band       two: of its low and of its high end. A box has the low one of its least code and the high
 * one of its largest code, so it costs what its bands do; codes and boxes stay exact. An open
 *                                 band ends at the extremes of all records, and moves with them
 *     coordinate of a category    the number of its leaf in depth-first order; an interval costs the units of the common
 *                                 ancestor of its ends
 *
 * When a range or a tree changes, all coordinates change: `epoch` is raised, and whoever keeps coordinates computes them
 * anew (index/index_node.c). It lies in store/ since records.c checks codes by it. Calls model/ and table/. */
#ifndef KANON_STATE_CURRENT_SPACE_H
#define KANON_STATE_CURRENT_SPACE_H

#include "model/terms.h"
#include "model/units.h"
#include "state/store/state.h"
#include "table/value/bands.h"

/* One quasi-identifier. Invariants: numeric exactly where taxonomy is NULL; leaf_of maps the nodes of the column's tree
 * to leaves of the taxonomy. */
typedef struct kanon__current_dimension {
    bool numeric;
    kanon__weight weight;
    int32_t full; /* units of the whole range */
    /* numbers */
    int64_t lo, hi;         /* the least and the largest code; lo > hi: no record has a value */
    int64_t low, high;      /* the range that costs are shares of: from lo to hi, with bands from the low to the high end */
    kanon__band_rule *rule; /* bands; NULL: none */
    uint32_t n_levels;      /* of an ordinal column, whose range is that of all levels; 0: it is none */
    int64_t step;           /* units to a step of the scale; 0: positions are rounded */
    int64_t extent;         /* the width of the range, or the height of the tree, that the units are of; 0: none */
    /* categories */
    kanon__taxonomy *taxonomy;
    int32_t *leaf_of;    /* by node of the tree; -1: inner */
    int32_t *node_units; /* by node of the taxonomy */
    int32_t n_tree_nodes;
} kanon__current_dimension;

typedef struct kanon__current_space {
    int n;
    kanon__current_dimension *dimensions;
    kanon__unit_term *terms; /* room for the choice of the scale */
    uint32_t epoch;
    bool measured;   /* units are those of the ranges and the trees */
    int64_t worth;   /* what a share that was noted is still worth, of KANON__WORTH_FULL */
    double in_units; /* a share of 1, with that */
} kanon__current_space;

/* Shares: lower bounds of units that stay valid in the file.
 *
 * An inner node of the index keeps the least units of any group below it. Units change with the ranges, and nodes are not
 * rewritten then. So the file has units as a share of the full cost of a record: share = units / full cost, in 2^-24.
 * When a range grows from e to e', the units of a box shrink at most by e / e'; `worth` is multiplied by it, for all
 * shares at once. So share * worth never exceeds the units of today, however long ago the share was noted. A worth that
 * has become too small to be of use is 0 until the index is built anew. A box of an open band shrinks, too, where a range
 * does, by any factor: with such bands shares are worth nothing. */
#define KANON__WORTH_FULL (INT64_C(1) << 40)
#define KANON__SHARE_MOST (INT64_C(1) << 48)
/* Worth is full again: all shares are about to be noted anew. */
void kanon__shares_reset(kanon__current_space *space);
int64_t kanon__share_of(const kanon__current_space *space, int64_t units);
/* At most the units that the box has now. */
int32_t kanon__share_units(const kanon__current_space *space, int64_t share);

/* The space of the state's columns with no range yet: set the ranges, then kanon__current_space_measure. */
kanon_status kanon__current_space_new(kanon__current_space **out, const kanon_state *state, kanon_error *err);
void kanon__current_space_free(kanon__current_space *space);
/* Taxonomies as the trees are now, if they grew. */
kanon_status kanon__current_space_update_trees(kanon__current_space *space, const kanon_state *state, kanon_error *err);
/* Units for the ranges as they are now: a new epoch. */
void kanon__current_space_measure(kanon__current_space *space);
/* Widens the ranges so that they hold these codes; whether one became wider. */
bool kanon__current_space_widen(kanon__current_space *space, const int64_t *codes);
/* Whether the code can be: a number in the range, a leaf. */
bool kanon__code_is_known(const kanon__current_dimension *dimension, int64_t code);

/* Whether one code lies before another: a missing number after all others, leaves in depth-first order. */
static inline bool kanon__code_before(const kanon__current_dimension *d, int64_t left, int64_t right)
{
    return d->numeric ? left < right : d->leaf_of[left] < d->leaf_of[right];
}

/* Widens a box, lo and hi per attribute, so that it holds a record; the first record makes the box. */
static inline void kanon__box_add_codes(const kanon__current_space *space, int64_t *box, const int64_t *codes, bool first)
{
    for (int i = 0; i < space->n; i++) {
        const kanon__current_dimension *d = &space->dimensions[i];
        if (first || kanon__code_before(d, codes[i], box[2 * i]))
            box[2 * i] = codes[i];
        if (first || kanon__code_before(d, box[2 * i + 1], codes[i]))
            box[2 * i + 1] = codes[i];
    }
}

/* Whether the code of a category is that of a leaf. */
static inline bool kanon__category_is_known(const kanon__current_dimension *d, int64_t code)
{
    return code >= 0 && code < d->n_tree_nodes && d->leaf_of[code] >= 0;
}

/* Of a band, its low end. */
int32_t kanon__coordinate_of(const kanon__current_dimension *dimension, int64_t code);
/* Of a band, its high end; else the same. */
int32_t kanon__coordinate_high(const kanon__current_dimension *dimension, int64_t code);
/* Units of the interval between two coordinates, lo <= hi. */
int32_t kanon__coordinates_units(const kanon__current_dimension *dimension, int32_t lo, int32_t hi);
/* The height of the lowest node above two leaves. */
int32_t kanon__coordinates_height(const kanon__current_dimension *dimension, int32_t lo, int32_t hi);

/* Units of a tree node of that height. */
static inline int32_t kanon__height_units(const kanon__current_dimension *d, int64_t height)
{
    return (int32_t)kanon__units_part((uint32_t)d->full, height, kanon__node_whole(KANON__TERMS_LOSS, d->taxonomy));
}

#endif
