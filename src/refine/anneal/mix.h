/* How often each kind of move is tried, out of 4096 steps.
 *
 *     draw   0 | dissolve | open | regroup | slab | recut |  single ...  | trim | 4096
 *
 * The mix depends on k, on how large the groups are, and on how many of them violate a constraint when a region is
 * extracted. */
#ifndef KANON_REFINE_ANNEAL_MIX_H
#define KANON_REFINE_ANNEAL_MIX_H

#include "refine/anneal/prices.h"

enum { KANON__STEPS = 4096 };

/* From this k on slabs are moved: in smaller groups a slab is hardly more than a record. */
enum { KANON__SLABS_FROM = 4 };

typedef enum kanon__move_kind {
#define KANON_MOVE(name) KANON__MOVE_##name,
#include "refine/anneal/moves.def"
#undef KANON_MOVE
    KANON__N_MOVES
} kanon__move_kind;

typedef struct kanon__mix {
    int32_t shares[KANON__N_MOVES]; /* by kind; that of `single` is not looked at */
    int32_t n_before;               /* the sum of those before `single` */
    int32_t most_groups;            /* that a move regroups */
    int32_t slab_share;             /* of all steps, from kanon__move_engine_use_slabs on */
    /* only with prices: */
    int32_t split_share; /* of the draws that recut, so many cut one group in two */
    int32_t sort_share;  /* of 16 cuts of two groups, so many sort out */
    int32_t trade_share; /* of 16 moves of single records */
    int32_t list_share;  /* which of 16 near groups so many are drawn from (group_lists.h) */
} kanon__mix;

/* The mix where nothing has a price and neither slabs nor suppression are asked for. */
kanon__mix kanon__mix_choose(int64_t k);
/* The same under these prices. */
void kanon__mix_with_prices(kanon__mix *mix, const kanon__region *region, const kanon__prices *prices);
void kanon__mix_set(kanon__mix *mix, kanon__move_kind kind, int32_t share);

/* The kind of a draw below 4096. *rest: which of its draws it is. */
static inline kanon__move_kind kanon__mix_draw(const kanon__mix *m, int32_t draw, int32_t *rest)
{
    int32_t kind = 0;
    *rest = draw - m->n_before;
    if (*rest >= 0)
        return draw < KANON__STEPS - m->shares[KANON__MOVE_trim] ? KANON__MOVE_single : KANON__MOVE_trim;
    for (*rest = draw; *rest >= m->shares[kind]; kind++)
        *rest -= m->shares[kind];
    return (kanon__move_kind)kind;
}

#endif
