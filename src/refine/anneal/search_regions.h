/* Regions: the groups of a grouping cut into pieces of a few thousand records each, to be searched one by one or at the
 * same time. Every cut is another one, so what is at a border now is inside the next time. How many there are depends on
 * the table and k, never on the number of threads. */
#ifndef KANON_REFINE_ANNEAL_SEARCH_REGIONS_H
#define KANON_REFINE_ANNEAL_SEARCH_REGIONS_H

#include "core/random.h"
#include "refine/anneal/search_near.h"
#include "refine/anneal/search_patch.h"

/* The grouping that is being made better. */
typedef struct kanon__board {
    const kanon__space *space;
    kanon__costs *costs;
    kanon__tuples *tuples;
    kanon__near *near;
    int64_t k;
    int32_t *place_of; /* by row: the place of its tuple in the index */
    int32_t *rows;     /* by place, then row */
    int32_t *group_of; /* by row; negative: suppressed */
    int32_t n_groups;
    int64_t loss;
} kanon__board;

typedef struct kanon__region {
    int64_t begin, end;              /* its groups in kanon__regions.groups */
    int64_t n_records, first_record; /* in kanon__regions.arrivals */
    int32_t first_group;             /* the numbers of its groups afterwards: n_records / k of them from here on */
} kanon__region;

typedef struct kanon__regions {
    const kanon__board *board;
    int64_t *row_begins; /* by group: where its rows begin in `rows` */
    int32_t *rows;
    int32_t *groups;    /* region by region */
    int32_t *region_of; /* by group */
    int32_t *number_of; /* by group: which of its region's groups it is */
    int32_t *arrivals;  /* rows region by region, in the order of the board */
    kanon__region *regions;
    int64_t n_regions;
    int32_t n_numbers; /* of the groups afterwards, empty ones among them */
} kanon__regions;

/* Cut the groups of the board into regions of up to about `most` records. */
kanon_status kanon__regions_init(kanon__regions *out, const kanon__board *board, int64_t most, kanon__random *random,
                                 kanon_error *err);
void kanon__regions_clear(kanon__regions *regions);
/* The region as a patch; kanon__patch_clear. */
kanon_status kanon__region_take(kanon__patch *out, const kanon__regions *regions, int64_t region, kanon_error *err);
/* The groups of the patch become those of the region; regions may do so at the same time. */
void kanon__region_return(const kanon__regions *regions, int64_t region, const kanon__patch *patch);

#endif
