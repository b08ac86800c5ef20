/* Groups that are looked at again: those that changed, and those near them. */
#ifndef KANON_STATE_INDEX_NEAR_H
#define KANON_STATE_INDEX_NEAR_H

#include "state/group_index.h"

/* A group and the leaf node in which it was seen. */
typedef struct kanon__picked {
    int64_t number, leaf;
} kanon__picked;

typedef struct kanon__picks {
    kanon__picked *items;
    int64_t n, capacity;
} kanon__picks;

kanon_status kanon__picks_add(kanon__picks *picks, int64_t number, int64_t leaf, kanon_error *err);
/* By rising number, each once. */
void kanon__picks_sort(kanon__picks *picks);
void kanon__picks_clear(kanon__picks *picks);

/* Add those of the given groups that there are; they changed in this command, so that their nodes are in memory. `numbers`
 * ascend. */
kanon_status kanon__group_index_pick(kanon__group_index *index, kanon__picks *picks, const int64_t *numbers, int64_t n,
                                     kanon_error *err);
/* Add the `n` groups that cost least together with that at `at`: by the units of the box around both, of equals the lowest
 * number. The group itself is not among them. */
kanon_status kanon__group_index_nearest(kanon__group_index *index, kanon__picks *picks, kanon__group_at at, int n,
                                        kanon_error *err);
/* Where a group is that was picked; nowhere where it is gone. */
kanon_status kanon__group_index_seek(kanon__group_index *index, kanon__group_at *out, const kanon__picked *picked,
                                     kanon_error *err);

#endif
