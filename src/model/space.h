/* The space of records: one dimension per attribute, and the cost of generalising a set of values to one: as
 * information loss, as Q-diversity, or as the distance of sensitive values.
 *
 * Inside the program every loss is a whole number of units, `scale` of them to 1. The scale is a common multiple of the
 * denominators of all terms wherever that fits, so terms are exact, sums do not depend on their order, and equal losses are
 * equal numbers. Where it does not fit, coordinates on that attribute alone are rounded to the nearest unit.
 * A number's *coordinate* is its place on the axis in units: 0 is the smallest value, `full` the largest. A band
 * (table/value/bands.h) has two, of its low and of its high end; without bands they are the same.
 *
 * A set of records is its box: the smallest and the largest code on each dimension. This is enough for any type, because
 * codes are ordered: ranks of numbers, leaves of a taxonomy in depth-first order.
 *
 *     box   lo hi | lo hi | lo hi | ...        two bounds per dimension
 *     D     the sum over the dimensions of kanon__dimension_units(lo, hi) */
#ifndef KANON_MODEL_SPACE_H
#define KANON_MODEL_SPACE_H

#include "model/terms.h"
#include "table/read/table.h"

/* Categories of up to so many values have a table of the units of each two of them; larger ones, up to so many, a table of
 * the units of runs (step_units); still larger ones climb to the lca. */
enum { KANON__PAIR_TABLE_LEAVES = 512, KANON__STEP_TABLE_LEAVES = 16384 };

typedef struct kanon__dimension {
    const kanon__column *column;
    kanon__codes codes; /* by row */
    uint32_t n_codes;
    uint32_t full; /* units of the whole range or the root: weight * scale */
    bool exact;    /* the units are the formula's value, not a rounded one */
    bool counted;  /* without a taxonomy Q-diversity counts distinct values, which a box does not know */
    kanon__terms terms;
    uint32_t *coordinates;  /* numeric: coordinate by code, of a band its middle; NULL for categorical */
    uint32_t *lows, *highs; /* numeric: of the ends by code; without bands they are `coordinates` itself */
    uint32_t *node_units;   /* categorical: by taxonomy node */
    uint32_t *pair_units;   /* categories and bands, where they are few: [lo * n_codes + hi]; NULL: climb */
    uint32_t *step_units;   /* categories that are more: [level * n_codes + lo], of the codes lo .. lo + 2^level */
} kanon__dimension;

typedef struct kanon__space {
    int64_t n_rows;
    int n_dimensions;
    kanon__dimension *dimensions;
    int64_t scale;
} kanon__space;

/* The bounds of a box: lo and hi per dimension, alternating. */
typedef uint32_t kanon__bound;

/* The space of the given columns of the table, all of them encoded. */
kanon_status kanon__space_new(kanon__space **out, const kanon__data *table, const int *columns, int n_columns,
                              kanon__terms terms, kanon_error *err);
void kanon__space_free(kanon__space *space);

/* Whether the units of two codes are the difference of their coordinates: numbers without bands. Searches that compute with
 * coordinates take other dimensions as categories: by pairs of codes, whose units never fall as codes move apart. */
static inline bool kanon__dimension_is_line(const kanon__dimension *dimension)
{
    return dimension->coordinates != NULL && dimension->highs == dimension->coordinates;
}
/* Units of the lca of two codes, or of the bands between two codes, without the table of pairs. */
uint32_t kanon__dimension_climb(const kanon__dimension *dimension, uint32_t lo, uint32_t hi);
/* After the coordinates of bands were changed: the table of pairs anew. */
void kanon__dimension_update_pairs(kanon__dimension *dimension);
/* Units of a counted dimension for a number of distinct values. */
uint32_t kanon__dimension_count_units(const kanon__dimension *dimension, uint32_t n_distinct);

/* Units of generalising the codes lo..hi of one dimension. The coordinate of a missing number is so far out that the
 * smaller of difference and `full` is right for all three cases: both missing 0, one missing full, none the difference.
 * For a counted dimension it is what the two codes alone cost. */
static inline uint32_t kanon__dimension_units(const kanon__dimension *d, uint32_t lo, uint32_t hi)
{
    if (d->coordinates != NULL) {
        uint32_t difference = d->highs[hi] - d->lows[lo];
        return difference < d->full ? difference : d->full;
    }
    if (d->pair_units != NULL)
        return d->pair_units[(size_t)lo * d->n_codes + hi];
    return kanon__dimension_climb(d, lo, hi);
}

/* The box of one row; the box extended to a row; the box extended to another box. */
void kanon__box_start(const kanon__space *space, kanon__bound *box, int64_t row);
void kanon__box_add(const kanon__space *space, kanon__bound *box, int64_t row);
void kanon__box_join(const kanon__space *space, kanon__bound *box, const kanon__bound *other);
/* D of the box, of the box with one more record, and of two records, in units. */
uint32_t kanon__box_units(const kanon__space *space, const kanon__bound *box);
uint32_t kanon__box_units_with(const kanon__space *space, const kanon__bound *box, int64_t row);
uint32_t kanon__pair_units(const kanon__space *space, int64_t left, int64_t right);

#endif
