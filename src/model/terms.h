/* What generalising a set of values to one costs: the formula of the loss, exactly and in one place. A term of an attribute
 * is weight * part / whole, where part and whole are whole numbers and `whole` is the same for all groups. Units round it
 * (model/space.h, state/store/current_space.h), measures add it up, the quick bound takes it as a double.
 *
 *     numbers       part = the high end of the largest - the low end of the least value, whole = R, in steps of the scale;
 *                   of doubles, in 2^-60 of R. Missing numbers next to others cost the whole
 *     categories    part = what the row of kanon__terms says of the lca, whole = what it says of the root
 *
 * The part never falls as the codes move apart, nor towards the root. src/verify has formulas of its own, on
 * purpose. */
#ifndef KANON_MODEL_TERMS_H
#define KANON_MODEL_TERMS_H

#include "table/domain/domain.h"

typedef enum kanon__terms {
    KANON__TERMS_LOSS = 0,   /* (max - min) / R and h(lca) / H: Lin eq. 1 */
    KANON__TERMS_QDIVERSITY, /* (max - min) / R and leaves(lca) / |domain|: Loukides def. 2.1; the certainty penalty */
    KANON__TERMS_S_DIVERSITY /* (max - min) / R and (leaves(lca) - 1) / |domain|: 1 - pc of Loukides def. 2.3 */
} kanon__terms;

/* Shares that are doubles are counted in so many parts: 2^60. */
#define KANON__WHOLE_OF_DOUBLES (INT64_C(1) << 60)
int64_t kanon__part_of_double(double share);

/* Above 0, also where nothing can be lost: all parts are 0 then. */
int64_t kanon__term_whole(kanon__terms terms, const kanon__domain *domain);
/* Of the codes lo <= hi. */
int64_t kanon__term_part(kanon__terms terms, const kanon__domain *domain, uint32_t lo, uint32_t hi);

/* The same of a node. */
static inline int64_t kanon__node_whole(kanon__terms terms, const kanon__taxonomy *t)
{
    if (terms != KANON__TERMS_LOSS)
        return t->n_leaves;
    return t->height[0] > 0 ? t->height[0] : 1;
}

static inline int64_t kanon__node_part(kanon__terms terms, const kanon__taxonomy *t, int32_t node)
{
    if (terms == KANON__TERMS_LOSS)
        return t->height[node];
    return t->last_leaf[node] - t->first_leaf[node] + (terms == KANON__TERMS_QDIVERSITY);
}

/* Numbers without the missing one, and how far the low or the high end of one lies above the least. */
uint32_t kanon__n_numbers(const kanon__domain *domain);
int64_t kanon__number_low(const kanon__domain *domain, uint32_t code);
int64_t kanon__number_high(const kanon__domain *domain, uint32_t code);

/* The loss of a group whose records have this mass: their number, where all count alike. */
static inline int64_t kanon__group_loss(int64_t mass, int64_t units)
{
    return mass * units;
}

#endif
