/* One node of the tree of groups: its slots, its rows in the file, its units, what the log says about it. */
#ifndef KANON_STATE_INDEX_NODE_H
#define KANON_STATE_INDEX_NODE_H

#include "core/heap.h"
#include "state/index/group_index.h"
#include "state/store/index_rows.h"

/* What happened to a group. */
typedef struct kanon__log_entry {
    int64_t leaf;
    int64_t part;          /* of the log, as numbered in the file */
    int64_t begin, length; /* in the log's bytes */
    int64_t next;          /* about the same leaf; -1: none */
} kanon__log_entry;

/* The log: what the file has, then what was added since it was opened. */
typedef struct kanon__index_log {
    char *bytes;
    int64_t n_bytes, bytes_capacity;
    kanon__log_entry *entries;
    int64_t n_entries, entries_capacity, n_saved; /* saved: in the file */
    int64_t *heads, *tails;                       /* by node: entries about it; -1: none */
    int64_t heads_capacity, tails_capacity, n_heads;
    bool outdated; /* the file's part names a leaf that is gone */
} kanon__index_log;

/* Nodes whose ids are neighbours share a row of the file. */
enum { KANON__NODES_PER_PAGE = 8 };

typedef struct kanon__node_page {
    const unsigned char *bytes;
    int64_t begins[KANON__NODES_PER_PAGE], lengths[KANON__NODES_PER_PAGE]; /* length 0: there is no such node */
    bool loaded;
    bool dirty; /* a node was taken out */
} kanon__node_page;

/* A node that may hold the answer to a search: nothing below it is better than `bound`, and no group there has a lower number
 * than `first`. */
typedef struct kanon__candidate {
    int64_t bound, first, node;
} kanon__candidate;

static inline bool kanon__candidate_before(const kanon__candidate *a, const kanon__candidate *b)
{
    return a->bound != b->bound ? a->bound < b->bound : a->first < b->first;
}

KANON__HEAP(kanon__candidate_heap, kanon__candidate, kanon__candidate_before);

struct kanon__group_index {
    kanon_state *state;
    kanon__current_space *space;
    kanon__node **nodes;           /* by id; NULL: not read */
    int64_t nodes_capacity, n_ids; /* ids are below n_ids */
    kanon__index_rows rows;
    kanon__index_log log;
    kanon__node_page *pages;
    int64_t n_pages, pages_capacity;
    char **chunks; /* of memory, in which the nodes lie */
    int64_t n_chunks, chunks_capacity;
    char *free_bytes; /* what is left of the last one */
    int64_t n_free_bytes;
    int64_t *scratch;                                                    /* places of a leaf while it is read */
    char *members_page;                                                  /* the row of members that was read last */
    int64_t members_page_size, members_page_capacity, members_page_leaf; /* leaf 0: none */
    kanon__member_list found;                                            /* members of a group that is being looked at */
    char *bytes;                                                         /* of a row that is being written */
    int64_t bytes_capacity;
    kanon__candidate_heap heap; /* of a search; kept, so that its room is */
    int64_t hint;               /* the leaf in which the last search ended; 0: none */
    int32_t *chain;             /* of a search: the ancestors of a leaf on each attribute */
    int *chain_begins;
};

static inline int kanon__node_sides(const kanon__node *node)
{
    return node->level == 0 ? 2 : 4;
}

/* The places of all slots on one side of an attribute. */
static inline int64_t *kanon__node_column(const kanon__node *node, int attribute, int side)
{
    return node->codes + (int64_t)(attribute * kanon__node_sides(node) + side) * KANON__NODE_ROOM;
}

static inline int kanon__node_slot(const kanon__node *node, int64_t key)
{
    for (int slot = 0; slot < node->n; slot++)
        if (node->keys[slot] == key)
            return slot;
    return -1;
}

/* Zeroed memory that lives as long as the nodes. */
kanon_status kanon__nodes_allocate(kanon__group_index *index, char **out, int64_t size, kanon_error *err);
/* Nodes live until the index is freed or its nodes are dropped. */
kanon_status kanon__node_new(kanon__group_index *index, kanon__node **out, int level, kanon_error *err);
/* Room for the places of a leaf, and for where its members begin. */
kanon_status kanon__node_add_codes(kanon__group_index *index, kanon__node *leaf, kanon_error *err);
void kanon__nodes_drop(kanon__group_index *index);
/* The node of that id, read where it is not there yet, with its spots up to date. */
kanon_status kanon__node_get(kanon__group_index *index, kanon__node **out, int64_t id, kanon_error *err);
/* The places of a leaf, read where they are not there yet; before it is changed or looked at more closely. */
kanon_status kanon__node_load_codes(kanon__group_index *index, kanon__node *leaf, kanon_error *err);
/* The members of a leaf, read where they are not there yet; its places, too. */
kanon_status kanon__node_load_members(kanon__group_index *index, kanon__node *leaf, kanon_error *err);
/* Free the members of a leaf; they can be read again once they are in its row. */
void kanon__node_drop_members(kanon__node *leaf);
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
/* Bring the slot of a child up to date: what is below it, and whether that is something else than before; or at least all of
 * that and a group's box. */
bool kanon__node_set_child(const kanon__group_index *index, kanon__node *node, int slot, const kanon__node *child);
void kanon__node_widen_child(const kanon__group_index *index, kanon__node *node, int slot, const kanon__node *leaf,
                             int group);
void kanon__node_remove_slot(const kanon__group_index *index, kanon__node *node, int slot);
/* Number, size and box of a leaf's slot; its box grown by a record's places. */
void kanon__node_set_box(const kanon__group_index *index, kanon__node *leaf, int slot, const kanon__new_group *group);
void kanon__node_grow_box(const kanon__group_index *index, kanon__node *leaf, int slot, const int64_t *codes);
/* The crowd of a leaf's slot: other members, one more. */
kanon_status kanon__node_set_members(const kanon__group_index *index, kanon__node *leaf, int slot, int64_t n,
                                     const int64_t *members, const int64_t *codes, kanon_error *err);
kanon_status kanon__node_add_member(const kanon__group_index *index, kanon__node *leaf, int slot, int64_t record,
                                    const int64_t *codes, kanon_error *err);

/* ---- state/index_rows.c ------------------------------------------------------------------------------------------ */

typedef struct kanon__byte_reader {
    const unsigned char *at, *end;
    bool bad;
} kanon__byte_reader;

uint64_t kanon__read_varint(kanon__byte_reader *reader);
/* A whole number in 1 .. most. */
int64_t kanon__read_count(kanon__byte_reader *reader, int64_t most);
/* A place that the attribute can have, by its type. */
int64_t kanon__read_code(kanon__byte_reader *reader, const kanon__current_dimension *dimension, int64_t near);
/* At most KANON__VARINT_BYTES each. */
enum { KANON__VARINT_BYTES = 10 };
unsigned char *kanon__write_varint(unsigned char *at, uint64_t value);
unsigned char *kanon__write_code(unsigned char *at, int64_t code, int64_t near);
/* A group's members and places, as in a crowd and in the log. */
unsigned char *kanon__write_members(unsigned char *at, int n_dimensions, int64_t n, const int64_t *members,
                                    const int64_t *codes);

kanon_status kanon__read_members(const kanon__group_index *index, kanon__member_list *out, kanon__byte_reader *reader,
                                 kanon_error *err);

/* The width and the base of a column. */
int kanon__read_width(kanon__byte_reader *reader, int64_t *base, int n);
/* Keys and sizes of a node; false where they cannot be. */
bool kanon__read_groups(const kanon__group_index *index, kanon__node *node, kanon__byte_reader *reader, int n);

/* The rows alone, without what the log says. Places of leaves are read into index->scratch, unless spots and units could be
 * had at once. */
kanon_status kanon__node_read(kanon__group_index *index, kanon__node **out, int64_t id, bool *measured, kanon_error *err);
/* The slots of a node once more, into its places. */
kanon_status kanon__node_reread(kanon__group_index *index, kanon__node *node, kanon_error *err);
kanon_status kanon__node_read_all_members(kanon__group_index *index, kanon__node *leaf, kanon_error *err);
/* The members that the row gives one group; none where it has no such group. */
kanon_status kanon__node_read_members(kanon__group_index *index, const kanon__node *leaf, int64_t number,
                                      kanon__member_list *out, kanon_error *err);
/* Write inner nodes that are dirty, and leaves that are to be written whole. */
kanon_status kanon__nodes_write(kanon__group_index *index, kanon_error *err);
/* The highest id that a node has in the file; 0: there is none. */
kanon_status kanon__nodes_find_last(kanon__group_index *index, int64_t *out, kanon_error *err);
/* Take the node out of the file. */
kanon_status kanon__node_erase_page_entry(kanon__group_index *index, int64_t id, kanon_error *err);

/* ---- state/index_spots.c ----------------------------------------------------------------------------------------- */

/* Bytes behind a row that may be read. */
enum { KANON__PAGE_PADDING = 64 };
/* The slots of a leaf, with its spots and units, but without places. False where that takes a closer look. */
bool kanon__leaf_read_coordinates(const kanon__group_index *index, kanon__node *leaf, kanon__byte_reader reader);

/* ---- state/index_log.c ------------------------------------------------------------------------------------------- */

kanon_status kanon__log_load(kanon__group_index *index, kanon_error *err);
void kanon__log_clear(kanon__index_log *log);
bool kanon__log_has_entries(const kanon__index_log *log, int64_t leaf);
/* Forget what is said about a leaf that goes. */
void kanon__log_discard(kanon__index_log *log, int64_t leaf);
/* Note that a record joined a group, that a group is now as it is given, that it is gone. */
kanon_status kanon__log_append_join(kanon__group_index *index, const kanon__node *leaf, int64_t number, int64_t record,
                                    const int64_t *codes, kanon_error *err);
kanon_status kanon__log_append_group(kanon__group_index *index, const kanon__node *leaf, const kanon__new_group *group,
                                     kanon_error *err);
kanon_status kanon__log_append_removal(kanon__group_index *index, const kanon__node *leaf, int64_t number, kanon_error *err);
/* Do to the boxes of a leaf that was read, or to its crowd, what the log says. */
kanon_status kanon__log_replay(kanon__group_index *index, kanon__node *leaf, bool for_members, kanon_error *err);
/* Do to the members of one group what the log says about it. */
kanon_status kanon__log_replay_members(kanon__group_index *index, const kanon__node *leaf, int64_t number,
                                       kanon__member_list *list, kanon_error *err);
/* Write the log, or the leaves that it is about: those are then marked to be written whole. */
kanon_status kanon__log_save(kanon__group_index *index, kanon_error *err);
/* KANON_EDATA where it is about leaves that are not there. */
kanon_status kanon__log_check(kanon__group_index *index, kanon_error *err);

#endif
