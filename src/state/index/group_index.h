/* The groups of a state: a tree of boxes, of which only the nodes that a question comes across are read.
 *
 * A leaf node holds up to KANON__NODE_MOST groups, each with its number, its size and its box: the smallest and the largest
 * place on every attribute. An inner node holds as many nodes with the box around all that is below, and what bounds the
 * loss of the groups there: the fewest members, the least units, and on every attribute the narrowest and the widest group.
 * The members of a leaf's groups and their places, its crowd, are kept apart, since a search does without them. What happens
 * to groups is written to a log, so that a command writes as much as it changes, and not every leaf in which it changed a
 * group; a leaf is read with what the log says about it. When the log has grown, all it says is written into the leaves.
 * Formats: state/index_rows.c and state/index_log.c.
 *
 * How the tree is cut changes the time of an answer, never the answer. */
#ifndef KANON_STATE_GROUP_INDEX_H
#define KANON_STATE_GROUP_INDEX_H

#include "core/ticker.h"
#include "state/store/current_space.h"

enum {
    KANON__NODE_MOST = 31,
    KANON__NODE_ROOM =
        32, /* slots that there is room for: one more than the most, up to a multiple of the lanes of a search */
};

typedef struct kanon__node {
    int64_t id, parent; /* parent 0: the root */
    int level;          /* 0: leaf */
    int n;
    bool dirty;                      /* differs from its row and log in the file */
    bool loose;                      /* leaf or inner: the summary of it in its parent may be wider than need be */
    bool rewritten;                  /* leaf: its rows will be written whole, the log about it does not count */
    bool has_members;                /* leaf: members are there */
    uint32_t epoch;                  /* of the spots */
    int64_t merged_part;             /* leaf: the last part of the log that is in its row */
    int64_t keys[KANON__NODE_ROOM];  /* group numbers, or ids of nodes */
    int64_t sizes[KANON__NODE_ROOM]; /* members, or the fewest of any group below */
    int64_t *first;                  /* inner: the lowest group number below */
    int64_t *least;                  /* inner: the least units of any group below, as kanon__share_of noted them */
    int64_t *codes; /* by attribute and side (lo, hi, and of inner nodes narrowest, widest), then slot; of a leaf that was
                      * only searched: NULL */
    int32_t *coordinates;            /* the same in units */
    int32_t units[KANON__NODE_ROOM]; /* leaf: D of the group; inner: at most that of any group below */
    int64_t *members;                /* crowd: the groups' members one after the other, each group's ascending */
    int64_t *member_codes;           /* of each member, attribute by attribute */
    int64_t *begins;                 /* of each slot's members, and the end */
    int64_t members_capacity, member_codes_capacity;
} kanon__node;

typedef struct kanon__group_index kanon__group_index;

/* Where a group is; valid until a group is added or removed. */
typedef struct kanon__group_slot {
    kanon__node *node; /* NULL: nowhere */
    int slot;
} kanon__group_slot;

/* A group that is to be put in. */
typedef struct kanon__new_group {
    int64_t number;
    int64_t n_members;
    const int64_t *members; /* ascending */
    const int64_t *box;     /* lo and hi per attribute */
    const int64_t *codes;   /* of the members, one after the other */
} kanon__new_group;

/* Members of a group, ascending, and their places, one after the other. */
typedef struct kanon__member_list {
    int64_t n, *members, *codes;
    int64_t members_capacity, codes_capacity;
} kanon__member_list;

void kanon__member_list_clear(kanon__member_list *list);

/* Of the state's space and root; nothing is read yet. */
kanon_status kanon__group_index_new(kanon__group_index **out, kanon_state *state, kanon_error *err);
void kanon__group_index_free(kanon__group_index *index);
/* A tree over these groups in place of all that was there. */
kanon_status kanon__group_index_build(kanon__group_index *index, const kanon__new_group *groups, int64_t n,
                                      kanon_error *err);
/* Write what changed. */
kanon_status kanon__group_index_save(kanon__group_index *index, kanon_error *err);

/* The group whose loss grows least when a record with these places joins, of equals the lowest number; nowhere where there
 * is no group. `increase` may be NULL. */
kanon_status kanon__group_index_cheapest(kanon__group_index *index, kanon__group_slot *out, const int64_t *codes,
                                         int64_t *increase, kanon_error *err);
/* The group of that number, if it is in the node; nowhere where it is not. */
kanon_status kanon__group_index_find(kanon__group_index *index, kanon__group_slot *out, int64_t node, int64_t number,
                                     kanon_error *err);
/* The group of which the record, with these places, is a member. */
kanon_status kanon__group_index_group_of(kanon__group_index *index, kanon__group_slot *out, int64_t record,
                                         const int64_t *codes, kanon_error *err);

/* The members of one group. */
kanon_status kanon__group_index_members(kanon__group_index *index, kanon__group_slot at, kanon__member_list *out,
                                        kanon_error *err);
/* Read the members of all groups of a node, if they are not there yet. */
kanon_status kanon__group_index_load_members(kanon__group_index *index, kanon__group_slot at, kanon_error *err);

kanon_status kanon__group_index_join(kanon__group_index *index, kanon__group_slot at, int64_t record, const int64_t *codes,
                                     kanon_error *err);
/* New members and box for a group that stays where it is. */
kanon_status kanon__group_index_replace(kanon__group_index *index, kanon__group_slot at, const kanon__new_group *group,
                                        kanon_error *err);
/* A new group, best put beside one that is like it. */
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

/* The place of a group's box on one side of an attribute: 0 lo, 1 hi. */
static inline int64_t kanon__group_edge(const kanon__node *leaf, int slot, int attribute, int side)
{
    return leaf->codes[(2 * attribute + side) * KANON__NODE_ROOM + slot];
}

/* Members are there after kanon__group_index_load_members. */
static inline const int64_t *kanon__group_members(kanon__group_slot at)
{
    return at.node->members + at.node->begins[at.slot];
}

/* Every leaf node with its crowd, one call each. */
typedef kanon_status (*kanon__leaf_visitor)(const kanon__node *leaf, void *payload, kanon_error *err);
kanon_status kanon__group_index_visit(kanon__group_index *index, kanon__leaf_visitor visitor, void *payload,
                                      kanon_error *err);
/* The members of the smallest group; 0 where there is none. */
kanon_status kanon__group_index_smallest(kanon__group_index *index, int64_t *out, kanon_error *err);
/* Multiply all places of one attribute, when numbers get more digits. */
kanon_status kanon__group_index_rescale(kanon__group_index *index, int dimension, int64_t factor, kanon_error *err);
/* KANON_EDATA where the summaries of inner nodes are not those of what is below them. */
kanon_status kanon__group_index_check(kanon__group_index *index, kanon_error *err);

#endif
