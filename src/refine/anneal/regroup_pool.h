/* The regroup pool: the records of a few groups that are taken apart, laid out so that new groups grow from them fast.
 *
 * Neighbouring groups differ on few dimensions, so the pool holds only those. Each dimension is a column over the
 * records (structure of arrays), and a vector kernel evaluates the growing group with many records at a time. Several
 * attempts grow side by side: while one waits for a cache line, the processor works on the others, so three take little
 * longer than one.
 *
 *     index        0   1   2  ...  n-1 | padding that vectors may read
 *     records      17  4   30 ...                           record of the region
 *     columns[i]   x   x   x  ...      |  `stride` apart    coordinate (numeric), index into codes[i] (categorical)
 *     free         1   0   1  ...                           bit, by attempt
 *
 * The members of attempt a's group g are taken[g * k .. (g + 1) * k), as pool indices. */
#ifndef KANON_REFINE_ANNEAL_REGROUP_POOL_H
#define KANON_REFINE_ANNEAL_REGROUP_POOL_H

#include "core/random.h"
#include "refine/anneal/region.h"
#include "search/kernels.h"

enum { KANON__POOL_GROUPS = 9, KANON__POOL_ATTEMPTS = 3 };

/* One way to make new groups of the pool's records. Invariant: each record is free or in `taken`, once. */
typedef struct kanon__regroup_attempt {
    uint64_t *free;    /* a bit for each record: it is in no new group yet */
    uint64_t *covered; /* likewise: it makes the growing group no wider */
    int32_t *taken; /* the others, group by group, as pool indices */
    int32_t n_taken;
    uint32_t *base;                     /* by record: D of the growing group with it, on the categorical dimensions: */
    kanon__kernel_term *terms;          /* the sum of these terms, which look up */
    uint32_t *tables;                   /* by categorical dimension, `stride` apart: units by distinct code */
    kanon__span_term *spans;            /* the growing group's interval on each numeric dimension of the pool */
    uint32_t *bounds;                   /* by group, 2 per dimension: the smallest coordinates, then the largest */
    uint32_t units[KANON__POOL_GROUPS]; /* by group: D */
} kanon__regroup_attempt;

/* The outermost values of a numeric column among the records of a box, how many have them, and the next values inwards. */
typedef struct kanon__column_ends {
    uint32_t lo, hi, next_lo, next_hi;
    int32_t n_lo, n_hi;
    bool known;
} kanon__column_ends;

/* The box that shrinks while a group is peeled (regroup_peel.c). */
typedef struct kanon__peeling {
    int32_t *inside; /* pool indices, ascending */
    int32_t n;
    int32_t *counts;          /* by categorical dimension, `stride` apart: records inside by index of the code */
    bool *leaves;             /* by index of the code of one dimension */
    kanon__column_ends *ends; /* by numeric dimension */
} kanon__peeling;

typedef struct kanon__regroup_pool {
    const kanon__kernels *kernels;
    int n_dimensions;
    int32_t n, room;
    int32_t *records;  /* by pool index: the record of the region */
    uint32_t *columns; /* by dimension, `stride` apart; see above */
    int64_t stride;
    int *numeric, *categorical; /* the dimensions on which the records differ */
    int n_numeric, n_categorical;
    uint32_t *codes;      /* by categorical dimension, `stride` apart: the distinct codes of the pool, */
    int32_t *n_codes;     /* how many these are, */
    int32_t **code_index; /* and by code, its index among them. All -1 outside kanon__regroup_pool_fill. */
    kanon__regroup_attempt attempts[KANON__POOL_ATTEMPTS];
    kanon__peeling peeling;
} kanon__regroup_pool;

kanon_status kanon__peeling_init(kanon__peeling *out, int64_t stride, int n_dimensions, kanon_error *err);
void kanon__peeling_clear(kanon__peeling *peeling);

kanon_status kanon__regroup_pool_init(kanon__regroup_pool *out, const kanon__move_costs *costs, int32_t room,
                                      kanon_error *err);
void kanon__regroup_pool_clear(kanon__regroup_pool *pool);
/* Lay out the records of the groups, for which there is room; in each attempt all of them are free. */
void kanon__regroup_pool_fill(kanon__regroup_pool *pool, const kanon__region *region, const int32_t *groups,
                              int32_t n_groups);
/* In each of the attempts whose bit is set: make group `group` of k records, beginning with the record at index
 * seeds[attempt] and growing by the free one that costs least. Ties: the lowest index. */
void kanon__regroup_pool_grow(kanon__regroup_pool *pool, const kanon__region *region, uint32_t attempts, int32_t group,
                              const int32_t *seeds);
/* Make a group of k free records, of which there are that many, by peeling. */
void kanon__regroup_pool_peel(kanon__regroup_pool *pool, const kanon__region *region, kanon__regroup_attempt *attempt,
                              int32_t group, kanon__random *random);
/* Make a group of all that are free. */
void kanon__regroup_pool_take_rest(kanon__regroup_pool *pool, const kanon__region *region, kanon__regroup_attempt *attempt,
                                   int32_t group);

/* Bounds and D of the group whose records are those taken from the index `first` on. */
void kanon__regroup_pool_enclose(const kanon__regroup_pool *pool, const kanon__region *region,
                                 kanon__regroup_attempt *attempt, int32_t group, int32_t first);

static inline void kanon__attempt_take(kanon__regroup_attempt *a, int32_t index)
{
    a->free[index >> 6] &= ~((uint64_t)1 << (index & 63));
    a->taken[a->n_taken++] = index;
}

static inline bool kanon__attempt_is_free(const kanon__regroup_attempt *a, int32_t index)
{
    return a->free[index >> 6] >> (index & 63) & 1;
}

#endif
