/* The inside of the group index: the struct itself, one node, pages, and the log. Included by the files of index/ alone.
 *
 * A node passes through these stages, each when it is first needed:
 *
 *     not read  --node_get-->  coordinates and units  --load_codes-->  codes  --load_members-->  members
 *     (NULL in index->nodes)   enough for a search                    to be changed              (leaves only)
 */
#ifndef KANON_STATE_INDEX_NODE_H
#define KANON_STATE_INDEX_NODE_H

#include "core/heap.h"
#include "state/index/group_index.h"
#include "state/store/index_rows.h"

/* A log entry: a change of a group. */
typedef struct kanon__log_entry {
    int64_t leaf;
    int64_t part;          /* of the log, as numbered in the file */
    int64_t begin, length; /* in the log's bytes */
    int64_t next;          /* about the same leaf; -1: none */
} kanon__log_entry;

/* The log in memory: the entries of the file, then those of this command, with a list per leaf through `next`:
 *
 *     heads[leaf] -> entry -> entry -> entry <- tails[leaf]       in the order in which things happened
 *
 * Entries below n_saved are in the file. */
typedef struct kanon__index_log {
    char *bytes;
    int64_t n_bytes, bytes_capacity;
    kanon__log_entry *entries;
    int64_t n_entries, entries_capacity, n_saved; /* saved: in the file */
    int64_t *heads, *tails;                       /* by node: entries about it; -1: none */
    int64_t heads_capacity, tails_capacity, n_heads;
    bool outdated; /* an entry of the file is about a leaf that is gone: the log must be merged */
} kanon__index_log;

/* Nodes with neighbouring ids share a row of the file, a node page: node id is slot id % 8 of page id / 8. */
enum { KANON__NODES_PER_PAGE = 8 };

/* A node page as it was read. Invariant: slots do not overlap and lie within the row. */
typedef struct kanon__node_page {
    const unsigned char *bytes;
    int64_t begins[KANON__NODES_PER_PAGE], lengths[KANON__NODES_PER_PAGE]; /* length 0: there is no such node */
    bool loaded;
    bool dirty; /* a node was erased */
} kanon__node_page;

/* A node that may hold the answer to a search: nothing below it is better than `bound`, and no group there has a lower
 * number than `first`. */
typedef struct kanon__node_candidate {
    int64_t bound, first, node;
} kanon__node_candidate;

static inline bool kanon__node_candidate_before(const kanon__node_candidate *a, const kanon__node_candidate *b)
{
    return a->bound != b->bound ? a->bound < b->bound : a->first < b->first;
}

KANON__HEAP(kanon__node_queue, kanon__node_candidate, kanon__node_candidate_before);

struct kanon__group_index {
    kanon_state *state;
    kanon__current_space *space;
    kanon__node **nodes;           /* by id; NULL: not read */
    int64_t nodes_capacity, n_ids; /* ids are below n_ids */
    kanon__index_rows rows;
    kanon__index_log log;
    kanon__node_page *pages;
    int64_t n_pages, pages_capacity;
    char **chunks; /* memory in which the nodes lie */
    int64_t n_chunks, chunks_capacity;
    char *free_bytes; /* what is left of the last one */
    int64_t n_free_bytes;
    int64_t *scratch;                                                    /* codes of a leaf while it is read */
    char *members_page;                                                  /* the member page that was read last */
    int64_t members_page_size, members_page_capacity, members_page_leaf; /* leaf 0: none */
    kanon__member_list found;                                            /* members of the group that a search checks */
    char *bytes;                                                         /* of a page that is being written */
    int64_t bytes_capacity;
    kanon__node_queue heap; /* of a search; kept, so that its room is */
    int64_t hint;           /* the leaf in which the last search ended; 0: none */
    int32_t *chain;         /* of a search: the ancestors of a leaf on each attribute */
    int *chain_begins;
};

static inline int kanon__node_sides(const kanon__node *node)
{
    return node->level == 0 ? 2 : 4;
}

/* The codes of all slots on one side of an attribute. */
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

/* Zeroed memory that is freed with the nodes. */
kanon_status kanon__nodes_allocate(kanon__group_index *index, char **out, int64_t size, kanon_error *err);
/* Nodes live until the index is freed or its nodes are dropped. */
kanon_status kanon__node_new(kanon__group_index *index, kanon__node **out, int level, kanon_error *err);
/* Room for the codes of a leaf, and for `begins`. */
kanon_status kanon__node_add_codes(kanon__group_index *index, kanon__node *leaf, kanon_error *err);
void kanon__nodes_drop(kanon__group_index *index);
/* The node of that id, read unless it is in memory, with coordinates of the current epoch. */
kanon_status kanon__node_get(kanon__group_index *index, kanon__node **out, int64_t id, kanon_error *err);
/* Reads the codes of a leaf, unless they are in memory; must be called before the leaf is changed. */
kanon_status kanon__node_load_codes(kanon__group_index *index, kanon__node *leaf, kanon_error *err);
/* Reads the members of a leaf, and its codes, unless they are in memory. */
kanon_status kanon__node_load_members(kanon__group_index *index, kanon__node *leaf, kanon_error *err);
/* Frees the members of a leaf; they can be read again once they are on its member page. */
void kanon__node_drop_members(kanon__node *leaf);
/* Erases the node in memory and in the file. */
kanon_status kanon__node_erase(kanon__group_index *index, kanon__node *node, kanon_error *err);

/* Computes coordinates and units of one slot, of all slots. */
void kanon__node_measure_slot(const kanon__group_index *index, kanon__node *node, int slot);
void kanon__node_measure(const kanon__group_index *index, kanon__node *node);
/* Appends a group, a child, or a copy of another node's slot. There is room for one more than KANON__NODE_MOST. */
kanon_status kanon__node_add_group(const kanon__group_index *index, kanon__node *node, const kanon__new_group *group,
                                   kanon_error *err);
void kanon__node_add_child(const kanon__group_index *index, kanon__node *node, const kanon__node *child);
kanon_status kanon__node_add_copy(const kanon__group_index *index, kanon__node *node, const kanon__node *from, int slot,
                                  kanon_error *err);
/* Sets the summary of a child; whether it changed. Widening only makes it contain one group of a leaf below. */
bool kanon__node_set_child(const kanon__group_index *index, kanon__node *node, int slot, const kanon__node *child);
void kanon__node_widen_child(const kanon__group_index *index, kanon__node *node, int slot, const kanon__node *leaf,
                             int group);
void kanon__node_remove_slot(const kanon__group_index *index, kanon__node *node, int slot);
/* Sets number, size and box of a leaf's slot; widens its box by a record's codes. */
void kanon__node_set_box(const kanon__group_index *index, kanon__node *leaf, int slot, const kanon__new_group *group);
void kanon__node_grow_box(const kanon__group_index *index, kanon__node *leaf, int slot, const int64_t *codes);
/* Members of a leaf's slot, which are in memory: replaces them, adds one. */
kanon_status kanon__node_set_members(const kanon__group_index *index, kanon__node *leaf, int slot, int64_t n,
                                     const int64_t *members, const int64_t *codes, kanon_error *err);
kanon_status kanon__node_add_member(const kanon__group_index *index, kanon__node *leaf, int slot, int64_t record,
                                    const int64_t *codes, kanon_error *err);

/* ---- index/index_pages.c ----------------------------------------------------------------------------------------- */

/* Reads from bytes of a file that may be damaged. `bad` is set by the first read that fails and stays; then all reads
 * give 0. */
typedef struct kanon__byte_reader {
    const unsigned char *at, *end;
    bool bad;
} kanon__byte_reader;

/* An unsigned LEB128 number: seven bits per byte, lowest first. */
uint64_t kanon__read_varint(kanon__byte_reader *reader);
/* A whole number in 1 .. most. */
int64_t kanon__read_count(kanon__byte_reader *reader, int64_t most);
/* A code that the attribute can have, by its type. */
int64_t kanon__read_code(kanon__byte_reader *reader, const kanon__current_dimension *dimension, int64_t near);
/* At most KANON__VARINT_BYTES each. */
enum { KANON__VARINT_BYTES = 10 };
unsigned char *kanon__write_varint(unsigned char *at, uint64_t value);
unsigned char *kanon__write_code(unsigned char *at, int64_t code, int64_t near);
/* A group's members and codes, as on a member page and in the log. */
unsigned char *kanon__write_members(unsigned char *at, int n_dimensions, int64_t n, const int64_t *members,
                                    const int64_t *codes);

kanon_status kanon__read_members(const kanon__group_index *index, kanon__member_list *out, kanon__byte_reader *reader,
                                 kanon_error *err);

/* The width and the base of a column. */
int kanon__read_width(kanon__byte_reader *reader, int64_t *base, int n);
/* The keys and sizes of a node; false where one cannot be. */
bool kanon__read_groups(const kanon__group_index *index, kanon__node *node, kanon__byte_reader *reader, int n);

/* The node as its page has it, without the log. The codes of a leaf are read into index->scratch, unless *measured:
 * then coordinates and units were decoded directly (index_coordinates.c). */
kanon_status kanon__node_read(kanon__group_index *index, kanon__node **out, int64_t id, bool *measured, kanon_error *err);
/* Reads the slots of a node once more, into its codes. */
kanon_status kanon__node_reread(kanon__group_index *index, kanon__node *node, kanon_error *err);
kanon_status kanon__node_read_all_members(kanon__group_index *index, kanon__node *leaf, kanon_error *err);
/* The members of one group as the member page has them; none where it has no such group. */
kanon_status kanon__node_read_members(kanon__group_index *index, const kanon__node *leaf, int64_t number,
                                      kanon__member_list *out, kanon_error *err);
/* Writes dirty inner nodes, and leaves that are `rewritten`, with their members. */
kanon_status kanon__nodes_write(kanon__group_index *index, kanon_error *err);
/* The highest id that a node has in the file; 0: there is none. */
kanon_status kanon__nodes_find_last(kanon__group_index *index, int64_t *out, kanon_error *err);
/* Erases the node in the file. */
kanon_status kanon__node_erase_page_entry(kanon__group_index *index, int64_t id, kanon_error *err);

/* ---- index/index_coordinates.c ----------------------------------------------------------------------------------- */

/* Bytes behind a page that may be read, so that loops need no bounds check. */
enum { KANON__PAGE_PADDING = 64 };
/* Decodes coordinates and units of a leaf, without codes. False where the fast way does not apply. */
bool kanon__leaf_read_coordinates(const kanon__group_index *index, kanon__node *leaf, kanon__byte_reader reader);
/* Instruction sets that loops over slots are compiled for, and the last of them that the processor has. */
typedef enum kanon__instructions { KANON__PLAIN_C = 0, KANON__AVX2, KANON__AVX512 } kanon__instructions;
kanon__instructions kanon__index_instructions(void);
#if defined(KANON_TEST_HOOKS)
/* No later one than this: so a test reaches all of them. */
void kanon__index_limit_instructions(kanon__instructions last);
#endif

/* ---- index/index_log.c ------------------------------------------------------------------------------------------- */

kanon_status kanon__log_load(kanon__group_index *index, kanon_error *err);
void kanon__log_clear(kanon__index_log *log);
bool kanon__log_has_entries(const kanon__index_log *log, int64_t leaf);
/* Drops the entries about a leaf that is erased. */
void kanon__log_discard(kanon__index_log *log, int64_t leaf);
/* Append: a record joined a group; a group is new or has these members now; a group is gone. */
kanon_status kanon__log_append_join(kanon__group_index *index, const kanon__node *leaf, int64_t number, int64_t record,
                                    const int64_t *codes, kanon_error *err);
kanon_status kanon__log_append_group(kanon__group_index *index, const kanon__node *leaf, const kanon__new_group *group,
                                     kanon_error *err);
kanon_status kanon__log_append_removal(kanon__group_index *index, const kanon__node *leaf, int64_t number, kanon_error *err);
/* Applies the entries about a leaf to its boxes, or, with for_members, to its members. */
kanon_status kanon__log_replay(kanon__group_index *index, kanon__node *leaf, bool for_members, kanon_error *err);
/* Applies the entries about one group to its members. */
kanon_status kanon__log_replay_members(kanon__group_index *index, const kanon__node *leaf, int64_t number,
                                       kanon__member_list *list, kanon_error *err);
/* Writes the entries of this command, or merges the log: leaves with entries are then marked `rewritten`. */
kanon_status kanon__log_save(kanon__group_index *index, kanon_error *err);
/* KANON_EDATA where an entry is about a leaf that there is not. */
kanon_status kanon__log_check(kanon__group_index *index, kanon_error *err);

#endif
