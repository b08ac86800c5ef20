/* A lot: the records of a few groups that are taken apart, laid out so that making new groups of them is fast. Most
 * neighbouring groups differ on few dimensions, so only these are there; each is an array by record, and what a
 * growing group would cost with each of the records is found for many of them at a time. Several attempts are made
 * side by side: each waits for its own numbers, so that together they take little more time than one. */
#ifndef KANON_REFINE_ANNEAL_SEARCH_LOT_H
#define KANON_REFINE_ANNEAL_SEARCH_LOT_H

#include "refine/anneal/search_patch.h"
#include "search/kernels.h"

enum { KANON__LOT_GROUPS = 9, KANON__LOT_ATTEMPTS = 3 };

/* New groups of the lot's records. */
typedef struct kanon__attempt {
    uint64_t *free; /* a bit for each record: it is in no new group yet */
    int32_t *taken; /* the others, group by group, as places among the records */
    int32_t n_taken;
    uint32_t *base;                    /* by record: what the growing group costs with it on the categorical dimensions, */
    kanon__kernel_term *terms;         /* which is a sum of these, */
    uint32_t *tables;                  /* by categorical dimension, `stride` apart: by distinct code */
    kanon__span_term *spans;           /* the growing group's box on the numeric dimensions on which the records differ */
    uint32_t *rims;                    /* of the groups: 2 per dimension, the smallest and the largest coordinates */
    uint32_t units[KANON__LOT_GROUPS]; /* D of the groups */
} kanon__attempt;

typedef struct kanon__lot {
    const kanon__kernels *kernels;
    int n_dimensions;
    int32_t n, room;
    int32_t *records; /* of the patch */
    uint32_t *lanes;  /* by dimension, `stride` apart, in the order of the records: coordinates, or which of `codes` it is */
    int64_t stride;
    int *numeric, *categorical; /* the dimensions on which the records differ */
    int n_numeric, n_categorical;
    uint32_t *codes;    /* by categorical dimension, `stride` apart: the distinct codes of the lot, */
    int32_t *n_codes;   /* how many these are, */
    int32_t **known_as; /* and by code, which of them it is; -1: not in the lot */
    kanon__attempt attempts[KANON__LOT_ATTEMPTS];
} kanon__lot;

kanon_status kanon__lot_init(kanon__lot *out, const kanon__costs *costs, int32_t room, kanon_error *err);
void kanon__lot_clear(kanon__lot *lot);
/* Lay out the records of the groups, for which there is room; in each attempt all of them are free. */
void kanon__lot_fill(kanon__lot *lot, const kanon__patch *patch, const int32_t *groups, int32_t n_groups);
/* In each of the attempts whose bit is set: make group `group` of k records, beginning with the one at place
 * seeds[attempt] and growing by the free one that costs least. */
void kanon__lot_grow(kanon__lot *lot, const kanon__patch *patch, uint32_t attempts, int32_t group, const int32_t *seeds);
/* Make a group of all that are free. */
void kanon__lot_take_rest(kanon__lot *lot, const kanon__patch *patch, kanon__attempt *attempt, int32_t group);

static inline bool kanon__attempt_has(const kanon__attempt *a, int32_t place)
{
    return a->free[place >> 6] >> (place & 63) & 1;
}

#endif
