/* Lists of groups: those that a command changed, and those near a group.
 *
 * A reference is the group's number and the leaf in which it was seen last; the number alone would not tell where to
 * look. Leaves are split while groups are written, so a reference is located again before each use. */
#ifndef KANON_STATE_INDEX_NEAR_H
#define KANON_STATE_INDEX_NEAR_H

#include "state/index/group_index.h"

/* A group and the leaf node in which it was seen last. */
typedef struct kanon__group_ref {
    int64_t number, leaf;
} kanon__group_ref;

typedef struct kanon__group_refs {
    kanon__group_ref *items;
    int64_t n, capacity;
} kanon__group_refs;

kanon_status kanon__group_refs_add(kanon__group_refs *refs, int64_t number, int64_t leaf, kanon_error *err);
/* Sorts by number and drops duplicates. */
void kanon__group_refs_sort(kanon__group_refs *refs);
void kanon__group_refs_clear(kanon__group_refs *refs);

/* Adds those of the given groups that exist. They changed in this command, so their leaves are in memory. `numbers`
 * ascend. */
kanon_status kanon__group_index_list_changed(kanon__group_index *index, kanon__group_refs *refs, const int64_t *numbers,
                                             int64_t n, kanon_error *err);
/* Adds the `n` groups that cost least together with that at `at`: by the units of the box around both, of equals the lowest
 * number. The group itself is not among them. */
kanon_status kanon__group_index_nearest(kanon__group_index *index, kanon__group_refs *refs, kanon__group_slot at, int n,
                                        kanon_error *err);
/* The slot of a group, with its members in memory; nowhere where the group is gone. */
kanon_status kanon__group_index_locate(kanon__group_index *index, kanon__group_slot *out, const kanon__group_ref *ref,
                                       kanon_error *err);

#endif
