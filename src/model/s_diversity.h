/* S-diversity (Loukides def. 2.3, 2.4), kept up to date while groups grow.
 *
 * For every sensitive attribute, a pair of records contributes pc(u,v) = 1 - distance where that is at least 1 - r. A
 * group's S-diversity is the sum over all ordered pairs, a record with itself included, divided by |P|^2. All attributes
 * share one unit, so the sum of S-diversity over them is one whole number, the numerator, over |P|^2 * scale. */
#ifndef KANON_MODEL_S_DIVERSITY_H
#define KANON_MODEL_S_DIVERSITY_H

#include "model/space.h"

typedef struct kanon__secrets {
    kanon__space *space; /* of the sensitive attributes, distances in units */
    uint32_t *limits;    /* by attribute: the largest distance that still counts */
    int64_t full;        /* what a record contributes to itself, over all attributes */
} kanon__secrets;

/* `r` as text, so that the limit is exact. With no sensitive attribute every S-diversity is 0. */
kanon_status kanon__secrets_new(kanon__secrets **out, const kanon__data *table, const char *r, kanon_error *err);
void kanon__secrets_free(kanon__secrets *secrets);

/* pc of two codes of an attribute in units; 0 where the pair does not count. */
static inline uint32_t kanon__secrets_contribution(const kanon__secrets *s, int i, uint32_t u, uint32_t v)
{
    const kanon__dimension *d = &s->space->dimensions[i];
    uint32_t distance = kanon__dimension_units(d, u < v ? u : v, u < v ? v : u);
    return distance <= s->limits[i] ? d->full - distance : 0;
}

/* The sum of S-diversity over the attributes for a numerator and a group size. */
static inline double kanon__secrets_sum(const kanon__secrets *s, unsigned __int128 numerator, int64_t size)
{
    double pairs = (double)size * (double)size * (double)s->space->scale;
    double top = numerator >> 63 == 0 ? (double)(uint64_t)numerator : (double)numerator;
    return s->space->n_dimensions > 0 ? top / pairs : 0;
}

/* The numerator of a group that a record joins whose contributions with the members sum up to `pull`. */
static inline unsigned __int128 kanon__secrets_numerator_with(const kanon__secrets *s, unsigned __int128 numerator,
                                                              uint64_t pull)
{
    return numerator + 2 * (unsigned __int128)pull + (uint64_t)s->full;
}

/* ---- one growing group among the records of a set ---------------------------------------------------------------- */

/* For every distinct value of the set, what a record with it would contribute to the group: adding a record to the group
 * costs the number of distinct values, asking about a record the number of attributes. */
typedef struct kanon__secrets_growth {
    const kanon__secrets *secrets;
    int64_t n_items;
    uint32_t *entry; /* by item and attribute: which distinct value it has */
    uint32_t *first; /* by attribute: its first entry */
    uint32_t *codes; /* by entry */
    uint64_t *pulls; /* by entry: sum over the group's members of pc */
    unsigned __int128 numerator;
    int64_t size;
} kanon__secrets_growth;

/* The items are the given rows (NULL: all rows), in this order. */
kanon_status kanon__secrets_growth_new(kanon__secrets_growth **out, const kanon__secrets *secrets, const int32_t *rows,
                                       int64_t n, kanon_error *err);
void kanon__secrets_growth_free(kanon__secrets_growth *growth);
void kanon__secrets_growth_reset(kanon__secrets_growth *growth);
void kanon__secrets_growth_add(kanon__secrets_growth *growth, int64_t item);

/* What the item would contribute with the members: at equal sizes, the least gives the least S-diversity. */
static inline uint64_t kanon__secrets_growth_pull(const kanon__secrets_growth *g, int64_t item)
{
    int m = g->secrets->space->n_dimensions;
    const uint32_t *entry = g->entry + item * m;
    uint64_t pulls = 0;
    for (int i = 0; i < m; i++)
        pulls += g->pulls[entry[i]];
    return pulls;
}

/* The group's numerator if the item joined. */
static inline unsigned __int128 kanon__secrets_growth_with(const kanon__secrets_growth *g, int64_t item)
{
    return kanon__secrets_numerator_with(g->secrets, g->numerator, kanon__secrets_growth_pull(g, item));
}

/* ---- a group that stands alone ----------------------------------------------------------------------------------- */

/* The distinct values of a group on one attribute, ascending by code. */
typedef struct kanon__secrets_values {
    uint32_t *codes;
    int64_t *counts;
    int64_t
        *count_before; /* numeric: how many members have a smaller code, and the sum of their positions: what lies in a */
    int64_t *position_before; /* window of r around a value is then a difference of two of these */
    int64_t n, capacity;
} kanon__secrets_values;

typedef struct kanon__secrets_group {
    const kanon__secrets *secrets;
    kanon__secrets_values *values; /* by attribute */
    unsigned __int128 numerator;
    int64_t size;
} kanon__secrets_group;

kanon_status kanon__secrets_group_init(kanon__secrets_group *out, const kanon__secrets *secrets, kanon_error *err);
void kanon__secrets_group_clear(kanon__secrets_group *group);
kanon_status kanon__secrets_group_add(kanon__secrets_group *group, int64_t row, kanon_error *err);
unsigned __int128 kanon__secrets_group_with(const kanon__secrets_group *group, int64_t row);
/* The group of many rows at once: counted first, then summed over its distinct values. */
kanon_status kanon__secrets_group_fill(kanon__secrets_group *group, const int32_t *rows, int64_t n, kanon_error *err);

#endif
