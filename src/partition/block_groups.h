/* The groups of one block, as far as records left over need them: kanon_block_groups. Sizes and boxes, in the order of the
 * numbers that the algorithm gave them, which decide between equals; and the records that are left over, with their codes.
 * It takes the place of rows and grouping when they have gone elsewhere.
 *
 *     index 0    number 3 (of kanon_grouping_group_of)    size 12    box 4 9 | 0 0 | 2 2
 *
 * Made where the block is; read by rest.c. */
#ifndef KANON_PARTITION_BLOCK_GROUPS_H
#define KANON_PARTITION_BLOCK_GROUPS_H

#include "partition/cut_tree.h"

/* A group of a block. */
typedef struct kanon__host_group {
    int32_t block, index;
    int64_t number; /* for the caller, from 1 */
    int64_t size;
} kanon__host_group;

typedef struct kanon__block_groups {
    kanon_piece piece;
    kanon__whole *domain; /* a reference */
    kanon__space *space;  /* over the domain, without rows */
    int32_t block, n_blocks;
    int64_t n_groups;
    kanon__host_group *groups; /* by index */
    kanon__bound *boxes;       /* likewise, 2 * dimensions each */
    kanon__bound *around;      /* the box of all records */
    int64_t n_left;
    int64_t *places; /* of the records left over, rising */
    uint32_t *codes; /* likewise, by dimension */
} kanon__block_groups;

extern const kanon__piece_kind kanon__block_groups_kind;

/* The increase of a group's loss by a record, and D of a record and the nearest corner of a box: no group inside the box
 * grows by less. */
int64_t kanon__host_increase(const kanon__space *space, int64_t size, const kanon__bound *box, const uint32_t *codes);
int64_t kanon__host_distance(const kanon__space *space, const kanon__bound *around, const uint32_t *codes);

/* A box of a space in bytes, and back; what comes back is a box of that space, or the bytes are damaged. */
void kanon__pack_box(kanon__packer *packer, const kanon__space *space, const kanon__bound *box);
bool kanon__unpack_box(kanon__bound *out, kanon__unpacker *unpacker, const kanon__space *space);
/* The codes of a record, likewise. */
void kanon__pack_codes(kanon__packer *packer, const kanon__space *space, const uint32_t *codes);
void kanon__unpack_codes(uint32_t *out, kanon__unpacker *unpacker, const kanon__space *space);
#endif
