/* The group index: all groups of a state in a tree of boxes, of which a command reads only the nodes that it comes
 * across.
 *
 *                          root                 inner node: up to 31 slots, each the summary of a node below
 *                  /        |         \
 *               inner     inner      inner
 *              /     \                  \
 *           leaf     leaf               leaf    leaf: up to 31 slots, each a group: number, size, box
 *            |         |                  |
 *         members   members            members  member page: the members of the leaf's groups and their codes
 *
 * A box is the smallest and the largest code on every attribute. The summary of a node has the box around all groups
 * below it and bounds of their loss: the fewest members, the least units, and per attribute the narrowest and the widest
 * group. By these a search skips whole subtrees. Members are on pages of their own, since a search does without them.
 *
 * Changes go to a log, so that a command writes as much as it changes, and not every leaf in which it changed a group. A
 * leaf is always read together with the log entries about it. When the log has grown, its entries are merged into the
 * leaves. How the tree is cut changes the time of an answer, never the answer.
 *
 * Files: group_index.c (changes, building, walks), index_node.c (one node), index_pages.c (formats of pages),
 * index_log.c (the log), index_coordinates.c (fast decoding), index_search.c and index_near.c (searches), index_cut.c
 * (where to cut). One page about all this: docs/state-index.md. */
#ifndef KANON_STATE_GROUP_INDEX_H
#define KANON_STATE_GROUP_INDEX_H

#include "core/ticker.h"
#include "state/store/current_space.h"

enum {
    KANON__NODE_MOST = 31, /* slots of a node */
    KANON__NODE_ROOM =
        32, /* slots in memory: one more, for a node that is about to be split, and a multiple of the lanes of a search */
};

/* A node in memory. Arrays are by slot, structure-of-arrays, so that a search runs over slots with vector instructions:
 *
 *     codes        [attribute 0: lo x 32][hi x 32]  [attribute 1: lo x 32][hi x 32] ...              leaf: 2 sides
 *                  [attribute 0: lo x 32][hi x 32][narrowest x 32][widest x 32] ...                  inner: 4 sides
 *     coordinates  the same shape, in units
 *     members      [slot 0: records, ascending][slot 1] ...      slot i: members[begins[i] .. begins[i + 1])
 *
 * Invariants: coordinates are those of space->epoch `epoch`; a leaf has codes before it is changed
 * (kanon__node_load_codes); a summary in a parent always contains the node, and is exact unless `loose`. */
typedef struct kanon__node {
    int64_t id, parent; /* parent 0: the root */
    int level;          /* 0: leaf */
    int n;
    bool dirty;                      /* differs from its page and log in the file */
    bool loose;                      /* the summary in its parent may be wider than necessary */
    bool rewritten;                  /* leaf: its pages will be written anew, so log entries about it are void */
    bool has_members;                /* leaf: members and member_codes are in memory */
    uint32_t epoch;                  /* of the coordinates */
    int64_t merged_part;             /* leaf: the last log part that its pages include */
    int64_t keys[KANON__NODE_ROOM];  /* group numbers, or ids of nodes */
    int64_t sizes[KANON__NODE_ROOM]; /* members, or the fewest of any group below */
    int64_t *lowest_groups;          /* inner: the lowest group number below */
    int64_t *least_shares;           /* inner: the least units of any group below, as a share */
    int64_t *codes; /* by attribute and side (lo, hi, and of inner nodes narrowest, widest), then slot; of a leaf that was
                      * only searched: NULL */
    int32_t *coordinates;            /* the same in units */
    int32_t units[KANON__NODE_ROOM]; /* leaf: D of the group; inner: at most that of any group below */
    int64_t *members;                /* the groups' members one after the other, each group's ascending */
    int64_t *member_codes;           /* of each member, attribute by attribute */
    int64_t *begins;                 /* of each slot's members, and the end */
    int64_t members_capacity, member_codes_capacity;
} kanon__node;

typedef struct kanon__group_index kanon__group_index;

/* The slot of a group; valid until a group is added or removed, since that moves slots. */
typedef struct kanon__group_slot {
    kanon__node *node; /* NULL: nowhere */
    int slot;
} kanon__group_slot;

/* A group to be added, or to replace one; the arrays belong to the caller. */
typedef struct kanon__new_group {
    int64_t number;
    int64_t n_members;
    const int64_t *members; /* ascending */
    const int64_t *box;     /* lo and hi per attribute */
    const int64_t *codes;   /* of the members, one after the other */
} kanon__new_group;

/* Members of a group, ascending, and their codes, one record after the other. */
typedef struct kanon__member_list {
    int64_t n, *members, *codes;
    int64_t members_capacity, codes_capacity;
} kanon__member_list;

void kanon__member_list_clear(kanon__member_list *list);

/* The index of the state; reads the log, but no node yet. */
kanon_status kanon__group_index_new(kanon__group_index **out, kanon_state *state, kanon_error *err);
void kanon__group_index_free(kanon__group_index *index);
/* Replaces everything by a tree over these groups. */
kanon_status kanon__group_index_build(kanon__group_index *index, const kanon__new_group *groups, int64_t n,
                                      kanon_error *err);
/* Tightens the summaries, then writes the log, or the leaves that it is merged into, and inner nodes that changed. */
kanon_status kanon__group_index_save(kanon__group_index *index, kanon_error *err);

/* The group whose loss grows least when a record with these codes joins, of equals the lowest number; nowhere where there
 * is no group. `increase` may be NULL. */
kanon_status kanon__group_index_cheapest(kanon__group_index *index, kanon__group_slot *out, const int64_t *codes,
                                         int64_t *increase, kanon_error *err);
/* The group of that number, if it is in the node; nowhere where it is not. */
kanon_status kanon__group_index_find(kanon__group_index *index, kanon__group_slot *out, int64_t node, int64_t number,
                                     kanon_error *err);
/* The group of which the record, with these codes, is a member. */
kanon_status kanon__group_index_group_of(kanon__group_index *index, kanon__group_slot *out, int64_t record,
                                         const int64_t *codes, kanon_error *err);

/* The members of one group. */
kanon_status kanon__group_index_members(kanon__group_index *index, kanon__group_slot at, kanon__member_list *out,
                                        kanon_error *err);
/* Reads the members of all groups of the node, unless they are in memory. */
kanon_status kanon__group_index_load_members(kanon__group_index *index, kanon__group_slot at, kanon_error *err);

/* Adds a record to a group. */
kanon_status kanon__group_index_join(kanon__group_index *index, kanon__group_slot at, int64_t record, const int64_t *codes,
                                     kanon_error *err);
/* New members and box for a group, in the same slot. */
kanon_status kanon__group_index_replace(kanon__group_index *index, kanon__group_slot at, const kanon__new_group *group,
                                        kanon_error *err);
/* Adds a group to the leaf of `beside`, which should be a group like it: that keeps leaves compact. */
kanon_status kanon__group_index_add(kanon__group_index *index, kanon__group_slot beside, const kanon__new_group *group,
                                    kanon_error *err);
kanon_status kanon__group_index_remove(kanon__group_index *index, kanon__group_slot at, kanon_error *err);

static inline int64_t kanon__group_number(kanon__group_slot at)
{
    return at.node->keys[at.slot];
}

static inline int64_t kanon__group_size(kanon__group_slot at)
{
    return at.node->sizes[at.slot];
}

/* The code of a group's box on one side of an attribute: 0 lo, 1 hi. */
static inline int64_t kanon__group_edge(const kanon__node *leaf, int slot, int attribute, int side)
{
    return leaf->codes[(2 * attribute + side) * KANON__NODE_ROOM + slot];
}

/* Members are there after kanon__group_index_load_members. */
static inline const int64_t *kanon__group_members(kanon__group_slot at)
{
    return at.node->members + at.node->begins[at.slot];
}

/* Every leaf node with its members, one call each. */
typedef kanon_status (*kanon__leaf_visitor)(const kanon__node *leaf, void *payload, kanon_error *err);
kanon_status kanon__group_index_visit(kanon__group_index *index, kanon__leaf_visitor visitor, void *payload,
                                      kanon_error *err);
/* The size of the smallest group; 0 where there is none. */
kanon_status kanon__group_index_smallest(kanon__group_index *index, int64_t *out, kanon_error *err);
/* Multiplies all codes of one attribute, when its numbers get more digits. */
kanon_status kanon__group_index_rescale(kanon__group_index *index, int dimension, int64_t factor, kanon_error *err);
/* KANON_EDATA where a summary is not that of the node below it. */
kanon_status kanon__group_index_check(kanon__group_index *index, kanon_error *err);

#endif
