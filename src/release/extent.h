/* What each group holds of each quasi attribute, as data: the codes that a released cell has to cover, and what a mean is
 * made of. Every form of a release (CSV cells, Arrow columns) and kanon_group_view is made from these extents.
 *
 *     group 7, age     22  24  ?  33     ->     lo 22, hi 33 (as codes), has_missing: the cell is any value
 *
 * With attribute-level recoding an extent covers all that the recode map puts in the place of the group's values. */
#ifndef KANON_RELEASE_EXTENT_H
#define KANON_RELEASE_EXTENT_H

#include "table/domain/drawn_ends.h"
#include "table/value/number.h"

typedef struct kanon__extent {
    uint32_t lo, hi;              /* codes; of a numeric attribute, those of the values that are not missing */
    bool has_missing, has_number; /* of a numeric attribute; the missing value of a category is a code like any other */
} kanon__extent;

typedef struct kanon__mean_sum {
    __int128 sum;          /* of the scaled values */
    long double float_sum; /* of the values; a double could overflow */
    int64_t n;
} kanon__mean_sum;

typedef struct kanon__extents {
    const kanon__data *data;
    const int32_t *group_of;
    int64_t n_groups;
    const uint32_t *const *recode_map; /* by quasi attribute and code: the first and last code; NULL: none */
    const kanon__drawn_ends *drawn;    /* NULL: all ends are exact */
    bool with_means;
    kanon__extent **cells;  /* by quasi attribute and group */
    kanon__mean_sum **sums; /* likewise, of numeric attributes; an entry is NULL where no mean is asked for */
} kanon__extents;

/* What a group shows in a quasi attribute, whatever the form of the release. */
typedef enum kanon__cell_kind {
    KANON__CELL_ANY,     /* any value: numbers next to missing ones, or bands that are open at both ends */
    KANON__CELL_MISSING, /* every value is missing; a category is shown as the missing text */
    KANON__CELL_RANGE,   /* the numbers from code lo to code hi */
    KANON__CELL_NODE     /* a node of the taxonomy */
} kanon__cell_kind;

/* `with_means`: the means of numeric attributes will be asked for. `data`, `group_of`, `recode_map` and `drawn` must outlive
 * *out. */
kanon_status kanon__extents_new(kanon__extents **out, const kanon__data *data, const int32_t *group_of, int64_t n_groups,
                                const uint32_t *const *recode_map, const kanon__drawn_ends *drawn, bool with_means,
                                int threads, kanon_error *err);
void kanon__extents_free(kanon__extents *extents);

/* The same, one attribute at a time, for whoever does not need them together: `begin` measures none of them. Several threads
 * may measure and drop different ones. */
kanon_status kanon__extents_begin(kanon__extents **out, const kanon__data *data, const int32_t *group_of, int64_t n_groups,
                                  const uint32_t *const *recode_map, const kanon__drawn_ends *drawn, bool with_means,
                                  kanon_error *err);
kanon_status kanon__extents_measure(kanon__extents *extents, int quasi, kanon_error *err);
void kanon__extents_drop(kanon__extents *extents, int quasi);

static inline const kanon__column *kanon__extents_column(const kanon__extents *e, int quasi)
{
    return &e->data->columns[e->data->quasi[quasi]];
}

/* The bands that a group shows from the first to the last, also where these are drawn ends; false: it shows values. Of cells
 * of the kind KANON__CELL_RANGE. */
bool kanon__extents_bands(kanon__band out[2], const kanon__extents *extents, int quasi, int64_t group);

kanon__cell_kind kanon__extents_kind(const kanon__extents *extents, int quasi, int64_t group);
/* The node of the taxonomy that a group shows; of categorical attributes. */
int32_t kanon__extents_node(const kanon__extents *extents, int quasi, int64_t group);
/* The mean of a group's numbers, rounded half up to two digits more than the values of the column have; of dates the nearest
 * day. The group has at least one number. Returns the length. */
size_t kanon__extents_mean(char out[KANON__NUMBER_TEXT], const kanon__extents *extents, int quasi, int64_t group);

#endif
