/* Group lists: for each group of a region the other groups that could take over some of its records cheaply.
 *
 * A slab move (moves_slab.c) sends many records of a group elsewhere at once. It asks which groups have room for them with
 * little widening; the nearest tuples of single records do not answer that, because a large group covers records that have
 * none of its members near. So the lists compare boxes. They are made when a region is extracted and stay as they are while
 * the moves change the groups: a list is a proposal, and whoever reads it looks at the groups as they are now.
 *
 *     groups   [ of slot 0 | of slot 1 | ... ]      `width` apart, n[slot] of them, the most promising first */
#ifndef KANON_REFINE_ANNEAL_GROUP_LISTS_H
#define KANON_REFINE_ANNEAL_GROUP_LISTS_H

#include "refine/anneal/region.h"

enum { KANON__LIST_WIDTH = 32 };

typedef struct kanon__group_lists {
    int32_t *groups;
    int32_t *n; /* by slot; 0 for a slot that was empty */
} kanon__group_lists;

kanon_status kanon__group_lists_init(kanon__group_lists *out, const kanon__region *region, kanon_error *err);
void kanon__group_lists_clear(kanon__group_lists *lists);

static inline const int32_t *kanon__group_list(const kanon__group_lists *lists, int32_t group)
{
    return lists->groups + (int64_t)group * KANON__LIST_WIDTH;
}

#endif
