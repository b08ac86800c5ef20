/* The records left over in all blocks, and what blocks offer them: kanon_rest and kanon_offers.
 *
 * In the order of their places each record joins the group, of any block, whose loss grows least; of equals that of the
 * lowest block, then the lowest group. Who joined counts for those after. blocks.c does the same where all groups are in one
 * process; here the driver knows only some of them:
 *
 *     offered   a block's few best groups for a record, as they were at the beginning of the round
 *     changed   groups that took in a record, as they are now
 *
 * A group that is neither can be better for a record only if its block did not offer all its groups and the last one offered
 * is not worse, or if the block offered nothing although the box around it is near enough. Then the record waits for another
 * round of offers, and all behind it, too. The first record of a round never waits, so each round places one at least. The
 * result is the same whatever the number of offers is. */
#ifndef KANON_PARTITION_REST_H
#define KANON_PARTITION_REST_H

#include "partition/block_groups.h"

/* The group that is best for a record; block -1: none yet. */
typedef struct kanon__host {
    int64_t increase;
    int32_t block, index;
    int64_t number;
} kanon__host;

typedef struct kanon__left_record {
    int64_t place;
    int32_t from_block;
    kanon__host host; /* not placed: the best that is known, which says which blocks need not offer */
} kanon__left_record;

typedef struct kanon__rest {
    kanon_piece piece;
    kanon__whole *domain; /* a reference */
    kanon__space *space;  /* over the domain, without rows */
    int32_t n_blocks;     /* of the whole table */
    int64_t round;
    /* blocks that were merged, by number */
    int64_t n_present;
    int32_t *present;
    kanon__bound *arounds;
    /* by place */
    int64_t n, n_placed; /* the first n_placed are placed */
    kanon__left_record *records;
    uint32_t *codes;
    /* groups that took in a record, by block and index */
    int64_t n_changed, changed_capacity, boxes_capacity;
    kanon__host_group *changed;
    kanon__bound *boxes;
} kanon__rest;

/* What one block offers to one record: groups by increase, then index. */
typedef struct kanon__offer_list {
    int64_t record; /* its number in the rest */
    int32_t block;
    bool complete; /* these are all groups of the block that did not change */
    int64_t end;   /* where its groups end; they begin where those of the list before end */
} kanon__offer_list;

typedef struct kanon__offers {
    kanon_piece piece;
    kanon__whole *domain;
    kanon__space *space;
    int32_t n_blocks;
    int64_t round;
    int64_t n_present;
    int32_t *present;
    int64_t n_lists, lists_capacity;
    kanon__offer_list *lists; /* by record, then block */
    int64_t n_groups, groups_capacity, boxes_capacity;
    kanon__host_group *groups;
    kanon__bound *boxes;
} kanon__offers;

extern const kanon__piece_kind kanon__rest_kind, kanon__offers_kind;

/* Empty ones, for merging and unpacking. */
kanon_status kanon__rest_new(kanon__rest **out, const kanon__whole *domain, int32_t n_blocks, int64_t n_present, int64_t n,
                             kanon_error *err);
kanon_status kanon__offers_new(kanon__offers **out, const kanon__whole *domain, int32_t n_blocks, int64_t n_present,
                               kanon_error *err);
/* What the kinds of pieces need. */
kanon_status kanon__rest_merge(void *into, const void *other, kanon_error *err);
void kanon__rest_free(void *rest);
kanon_status kanon__offers_merge(void *into, const void *other, kanon_error *err);
void kanon__offers_free(void *offers);
/* The order of hosts: by increase, block and index. */
static inline bool kanon__host_better(const kanon__host *a, const kanon__host *b)
{
    if (b->block < 0 || a->increase != b->increase)
        return b->block < 0 || a->increase < b->increase;
    return a->block != b->block ? a->block < b->block : a->index < b->index;
}
/* Whether a group in a block with this box around it may be better for the record than `best`. */
bool kanon__rest_may_host(const kanon__rest *rest, int64_t present, int64_t record, const kanon__host *best);
/* Where the changed groups of a block, from this index on, begin. */
int64_t kanon__rest_find_changed(const kanon__rest *rest, int32_t block, int32_t index);
/* Append a list of offers. */
kanon_status kanon__offers_add_list(kanon__offers *offers, int64_t record, int32_t block, bool complete, kanon_error *err);
/* Append a group to the last list. */
kanon_status kanon__offers_add_group(kanon__offers *offers, const kanon__host_group *group, const kanon__bound *box,
                                     kanon_error *err);

#endif
