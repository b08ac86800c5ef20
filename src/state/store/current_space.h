/* The space of the records as the table stands now: what it costs to make places alike, in whole units.
 *
 * The formulas are those of loss/space.h. Ranges are those of the records that are in the table, and follow it. In memory a
 * place is a *spot*: of a number its position in units (a missing one lies at twice the full cost), of a category its leaf's
 * number in depth-first order. Spots change with the ranges; `epoch` tells when. */
#ifndef KANON_STATE_CURRENT_SPACE_H
#define KANON_STATE_CURRENT_SPACE_H

#include "model/units.h"
#include "state/store/state.h"

typedef struct kanon__current_dimension {
    bool numeric;
    kanon__weight weight;
    int32_t full; /* units when nothing is left to tell */
    /* numbers */
    int64_t lo, hi; /* the range; lo > hi: no record has a value */
    int64_t step;   /* units to a step of the scale; 0: positions are rounded */
    int64_t extent; /* the width of the range, or the height of the tree, that the units are of; 0: none */
    /* categories */
    kanon__taxonomy *taxonomy;
    int32_t *leaf_of;    /* by node of the tree; -1: inner */
    int32_t *node_units; /* by node of the taxonomy */
    int32_t n_tree_nodes;
} kanon__current_dimension;

typedef struct kanon__current_space {
    int n;
    kanon__current_dimension *dimensions;
    kanon__term *terms; /* room for the choice of the scale */
    uint32_t epoch;
    bool measured;   /* units are those of the ranges and the trees */
    int64_t worth;   /* what a share that was noted is still worth, of KANON__WORTH_FULL */
    double in_units; /* a share of 1, with that */
} kanon__current_space;

/* The units of a group's box change when a range becomes wider, at most by as much as the range. To be kept in the file
 * they are noted as shares of the full cost of a record, such that a share times what it is worth never exceeds the units,
 * however long ago it was noted. */
#define KANON__WORTH_FULL (INT64_C(1) << 40)
#define KANON__SHARE_MOST (INT64_C(1) << 48)
/* All shares will be noted anew. */
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
/* Ranges that hold these places. Whether one became wider. */
bool kanon__current_space_widen(kanon__current_space *space, const int64_t *codes);
/* Whether the place can be: a number in the range, a leaf. */
bool kanon__code_is_known(const kanon__current_dimension *dimension, int64_t code);

/* Whether one place lies before another: a missing number after all others, leaves in depth-first order. */
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

/* Whether the place of a category is a leaf. */
static inline bool kanon__category_is_known(const kanon__current_dimension *d, int64_t code)
{
    return code >= 0 && code < d->n_tree_nodes && d->leaf_of[code] >= 0;
}

int32_t kanon__coordinate_of(const kanon__current_dimension *dimension, int64_t code);
/* Units of what lies between two spots, lo <= hi. */
int32_t kanon__coordinates_units(const kanon__current_dimension *dimension, int32_t lo, int32_t hi);
/* The height of the lowest node above two leaves. */
int32_t kanon__coordinates_height(const kanon__current_dimension *dimension, int32_t lo, int32_t hi);

/* Units of a tree node of that height. */
static inline int32_t kanon__height_units(const kanon__current_dimension *d, int64_t height)
{
    int64_t whole = d->taxonomy->height[0];
    return whole > 0 ? (int32_t)kanon__units_part((uint32_t)d->full, height, whole) : 0;
}

#endif
