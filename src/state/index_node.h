/* One node of the tree of groups: its slots, its row in the file, its units. */
#ifndef KANON_STATE_INDEX_NODE_H
#define KANON_STATE_INDEX_NODE_H

#include "state/group_index.h"

struct kanon__group_index {
    kanon_state *state;
    kanon__space_now *space;
    kanon__node **nodes;           /* by id; NULL: not read */
    int64_t nodes_capacity, n_ids; /* ids are below n_ids */
    sqlite3_stmt *read, *write, *erase;
    char *bytes; /* of a row that is being written */
    int64_t bytes_capacity;
    void *heap; /* of a search */
    int64_t heap_capacity;
    int32_t *chain; /* of a search: the ancestors of a leaf on each attribute */
    int *chain_begins;
};

static inline int kanon__node_sides(const kanon__node *node)
{
    return node->level == 0 ? 2 : 4;
}

kanon_status kanon__node_new(kanon__group_index *index, kanon__node **out, int level, kanon_error *err);
void kanon__node_free(kanon__node *node);
/* The node of that id, read where it is not there yet, with its spots up to date. */
kanon_status kanon__node_want(kanon__group_index *index, kanon__node **out, int64_t id, kanon_error *err);
kanon_status kanon__node_write(kanon__group_index *index, const kanon__node *node, kanon_error *err);
/* Take the node out of memory and file. */
kanon_status kanon__node_erase(kanon__group_index *index, kanon__node *node, kanon_error *err);

/* Spots and units of one slot, of all. */
void kanon__node_measure_slot(const kanon__group_index *index, kanon__node *node, int slot);
void kanon__node_measure(const kanon__group_index *index, kanon__node *node);
/* Append a group, a child, or a copy of another node's slot. There is room for one more than KANON__NODE_MOST. */
kanon_status kanon__node_add_group(const kanon__group_index *index, kanon__node *node, const kanon__new_group *group,
                                   kanon_error *err);
void kanon__node_add_child(const kanon__group_index *index, kanon__node *node, const kanon__node *child);
kanon_status kanon__node_add_copy(const kanon__group_index *index, kanon__node *node, const kanon__node *from, int slot,
                                  kanon_error *err);
/* Bring the slot of a child up to date. */
void kanon__node_set_child(const kanon__group_index *index, kanon__node *node, int slot, const kanon__node *child);
void kanon__node_remove_slot(const kanon__group_index *index, kanon__node *node, int slot);
/* Change the members of a leaf's slot: room for `n` of them. */
kanon_status kanon__node_resize_members(kanon__node *node, int slot, int64_t n, kanon_error *err);

#endif
