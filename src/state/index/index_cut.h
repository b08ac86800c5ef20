/* Cutting a set of groups or nodes in two when a node is full: index_cut.c says how. A cutter is room for one set, used
 * for many cuts. */
#ifndef KANON_STATE_INDEX_CUT_H
#define KANON_STATE_INDEX_CUT_H

#include "state/store/current_space.h"

typedef struct kanon__cutter {
    const kanon__current_space *space;
    int32_t *summaries; /* of each item, in units: lo, hi, narrowest and widest per attribute, then the least of any group */
    int32_t *around;    /* of several items together */
    int64_t *sample;    /* items */
    uint64_t *sorted, *sorted_too; /* keys, each with its position in the sample */
    int64_t *before;               /* the cost of the items before each position, as one node */
} kanon__cutter;

/* Room for n_items; the caller fills in their summaries. */
kanon_status kanon__cutter_init(kanon__cutter *out, const kanon__current_space *space, int64_t n_items, kanon_error *err);
void kanon__cutter_clear(kanon__cutter *cutter);

static inline int32_t *kanon__cutter_summary(const kanon__cutter *c, int64_t item)
{
    return c->summaries + item * (4 * (int64_t)c->space->n + 1);
}

/* Reorders the items, at least two, so that those before the returned position belong together, and those from there on. */
int64_t kanon__cutter_cut(kanon__cutter *cutter, int64_t *items, int64_t n);

#endif
