/* The state of the search, and the regions it is cut into for one round.
 *
 * A round partitions the groups into regions of a limited number of records, searches each region alone (on any thread)
 * and writes the groups back. Each round is cut at other places, so that groups at a border are inside a region the
 * next time. Suppressed records are in the region of the records near them, where the search may suppress
 * (suppressed_records.h). The number of regions depends on the table and k, never on the number of threads: equal seeds
 * give equal groups.
 *
 *     groups        [ groups of region 0 | groups of region 1 | ... ]      ranges[i].begin .. end
 *     sorted_rows   [ rows of region 0   | rows of region 1   | ... ]      ranges[i].first_record, n_records of them,
 *                                                                          each region in index order
 *     new numbers   [ n_records / k      | n_records / k      | ... ]      ranges[i].first_group: one for each slot, so that
 *                                                                          regions number their groups without each other */
#ifndef KANON_REFINE_ANNEAL_REGIONS_H
#define KANON_REFINE_ANNEAL_REGIONS_H

#include "core/random.h"
#include "refine/anneal/neighbourhood.h"
#include "refine/anneal/region.h"

/* The whole grouping while it is improved, and what does not change about the table. */
typedef struct kanon__search_state {
    const kanon__space *space;
    kanon__move_costs *costs;
    kanon__tuples *tuples;
    kanon__neighbourhood *neighbourhood;
    int64_t k;
    int32_t *ordinal_of; /* by row: the ordinal of its tuple (neighbourhood.h) */
    int32_t *rows;       /* all rows by ordinal, then row: the index order of records */
    int32_t *group_of;   /* by row; negative: suppressed */
    int32_t n_groups;
    int64_t loss;         /* where records may be suppressed, with what these cost */
    int64_t may_suppress; /* records in all; 0: suppressed records are in no region and stay as they are */
    int64_t full;         /* what a suppressed record costs */
} kanon__search_state;

/* One region's part of the arrays drawn above. */
typedef struct kanon__region_range {
    int64_t begin, end;
    int64_t n_records, first_record;
    int64_t n_suppressed, most_suppressed; /* of n_records, and how many these may become */
    int32_t first_group;
} kanon__region_range;

typedef struct kanon__regions {
    const kanon__search_state *state;
    int64_t *row_begins; /* by group: where its part of `rows` begins */
    int32_t *rows;       /* group by group, ascending */
    int32_t *groups;
    int32_t *region_of;   /* by group */
    int32_t *homes;       /* the regions of suppressed records, in index order: the end of `rows`, which has room for them;
                             NULL where nothing may be suppressed */
    int32_t *local_group; /* by group: its number within its region */
    int32_t *sorted_rows;
    kanon__region_range *ranges;
    int64_t n_regions;
    int32_t n_group_numbers; /* new numbers of all regions; some of them stay unused */
} kanon__regions;

/* Cut the groups of the state into regions of up to about `most` records. */
kanon_status kanon__regions_init(kanon__regions *out, const kanon__search_state *state, int64_t most, kanon__random *random,
                                 kanon_error *err);
void kanon__regions_clear(kanon__regions *regions);
/* Copy region number `which`; freed by kanon__region_clear. */
kanon_status kanon__regions_extract(kanon__region *out, const kanon__regions *regions, int64_t which, kanon_error *err);
/* Write the groups of that region into the state. Several threads may do so, for different regions. */
void kanon__regions_write_back(const kanon__regions *regions, int64_t which, const kanon__region *region);

#endif
