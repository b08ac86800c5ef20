/* S-diversity of sensitive values (Loukides, Shao: def. 2.3, 2.4), kept up to date while groups grow.
 *
 * For every sensitive attribute, a pair of records contributes pc(u,v) = 1 - distance where that is at least 1 - r. A
 * group's S-diversity is the sum over all ordered pairs, a record with itself included, divided by |P|^2. All attributes
 * share one unit, so the sum of S-diversity over them is one whole number, the numerator, over |P|^2 * scale. */
#ifndef KANON_PAPERS_S_DIVERSITY_H
#define KANON_PAPERS_S_DIVERSITY_H

#include "model/space.h"

/* The measure itself: what does not depend on a group. */
typedef struct kanon__s_diversity {
    kanon__space *space; /* of the sensitive attributes: distances in units */
    uint32_t *limits;    /* by attribute: the largest distance that still counts */
    int64_t full;        /* what a record contributes to itself, over all attributes */
} kanon__s_diversity;

/* `r` as text, so that the limit is exact. With no sensitive attribute every S-diversity is 0. */
kanon_status kanon__s_diversity_new(kanon__s_diversity **out, const kanon__data *table, const char *r, kanon_error *err);
void kanon__s_diversity_free(kanon__s_diversity *measure);

/* pc of two codes of an attribute in units; 0 where the pair does not count. */
static inline uint32_t kanon__s_diversity_contribution(const kanon__s_diversity *s, int i, uint32_t u, uint32_t v)
{
    const kanon__dimension *d = &s->space->dimensions[i];
    uint32_t distance = kanon__dimension_units(d, u < v ? u : v, u < v ? v : u);
    return distance <= s->limits[i] ? d->full - distance : 0;
}

/* The sum of S-diversity over the attributes for a numerator and a group size. */
static inline double kanon__s_diversity_sum(const kanon__s_diversity *s, unsigned __int128 numerator, int64_t size)
{
    double pairs = (double)size * (double)size * (double)s->space->scale;
    double top = numerator >> 63 == 0 ? (double)(uint64_t)numerator : (double)numerator;
    return s->space->n_dimensions > 0 ? top / pairs : 0;
}

/* The numerator after a record has joined. `affinity` is the sum of its contributions with the members: each pair is counted
 * in both orders, and the record with itself. */
static inline unsigned __int128 kanon__s_diversity_numerator_with(const kanon__s_diversity *s, unsigned __int128 numerator,
                                                                  uint64_t affinity)
{
    return numerator + 2 * (unsigned __int128)affinity + (uint64_t)s->full;
}

/* ---- one growing group among the records of a set ---------------------------------------------------------------- */

/* The affinity of every distinct value of the set to the group: the sum of pc over the members. Adding a record to the group
 * costs O(distinct values), the affinity of a record O(attributes).
 *
 *     entry        item 0: [ entry on attribute 0, on attribute 1, ... ]   item 1: ...
 *     codes        [ distinct codes of attribute 0, ascending | attribute 1 | ... ]       first[i] .. first[i + 1]
 *     affinities   as codes; each is the sum over the members */
typedef struct kanon__s_diversity_growth {
    const kanon__s_diversity *measure;
    int64_t n_items;
    uint32_t *entry; /* by item, then attribute */
    uint32_t *first; /* by attribute, and one more at the end */
    uint32_t *codes;
    uint64_t *affinities;
    unsigned __int128 numerator;
    int64_t size;
} kanon__s_diversity_growth;

/* The items are the given rows (NULL: all rows), in this order. */
kanon_status kanon__s_diversity_growth_new(kanon__s_diversity_growth **out, const kanon__s_diversity *measure,
                                           const int32_t *rows, int64_t n, kanon_error *err);
void kanon__s_diversity_growth_free(kanon__s_diversity_growth *growth);
void kanon__s_diversity_growth_reset(kanon__s_diversity_growth *growth);
void kanon__s_diversity_growth_add(kanon__s_diversity_growth *growth, int64_t item);

/* The affinity of an item to the group: at equal sizes, the least gives the least S-diversity. */
static inline uint64_t kanon__s_diversity_growth_affinity(const kanon__s_diversity_growth *g, int64_t item)
{
    int m = g->measure->space->n_dimensions;
    const uint32_t *entry = g->entry + item * m;
    uint64_t affinities = 0;
    for (int i = 0; i < m; i++)
        affinities += g->affinities[entry[i]];
    return affinities;
}

/* The group's numerator if the item joined. */
static inline unsigned __int128 kanon__s_diversity_growth_with(const kanon__s_diversity_growth *g, int64_t item)
{
    return kanon__s_diversity_numerator_with(g->measure, g->numerator, kanon__s_diversity_growth_affinity(g, item));
}

/* ---- a group that stands alone, without a set to choose from ----------------------------------------------------- */

/* The distinct values of a group on one attribute, ascending by code. Numbers have prefix sums, so that the affinity of a
 * value takes a few binary searches: the members within r of it are a range, and their number and the sum of their
 * coordinates are differences of prefix sums. */
typedef struct kanon__s_diversity_values {
    uint32_t *codes;
    int64_t *counts;
    int64_t *count_before;       /* numeric: members with a smaller code, */
    int64_t *coordinates_before; /* and the sum of their coordinates */
    int64_t n, capacity;
} kanon__s_diversity_values;

/* Invariant: values and numerator are those of the `size` members. */
typedef struct kanon__s_diversity_group {
    const kanon__s_diversity *measure;
    kanon__s_diversity_values *values; /* by attribute */
    unsigned __int128 numerator;
    int64_t size;
} kanon__s_diversity_group;

kanon_status kanon__s_diversity_group_init(kanon__s_diversity_group *out, const kanon__s_diversity *measure,
                                           kanon_error *err);
void kanon__s_diversity_group_clear(kanon__s_diversity_group *group);
kanon_status kanon__s_diversity_group_add(kanon__s_diversity_group *group, int64_t row, kanon_error *err);
unsigned __int128 kanon__s_diversity_group_with(const kanon__s_diversity_group *group, int64_t row);
/* The group of many rows at once: counted first, then summed over its distinct values. */
kanon_status kanon__s_diversity_group_fill(kanon__s_diversity_group *group, const int32_t *rows, int64_t n,
                                           kanon_error *err);

#endif
