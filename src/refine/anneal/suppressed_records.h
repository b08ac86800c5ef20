/* Suppressed records in the local search: one more place that records can move to and from.
 *
 * Each region has the suppressed records near its groups, and a share of the records that may be suppressed in addition, so
 * that regions are searched without each other and the budget is kept at every moment. A suppressed record costs the full
 * loss of every attribute, wherever it is.
 *
 *     suppressed   [ record record record | room ] 
 *
 * n_suppressed of them, up to most_suppressed; member_index is the place. */
#ifndef KANON_REFINE_ANNEAL_SUPPRESSED_RECORDS_H
#define KANON_REFINE_ANNEAL_SUPPRESSED_RECORDS_H

#include "refine/anneal/regions.h"

/* Assign each suppressed record of the state to a region, and what is left of the budget by their records. The regions know
 * their groups; n_records grows by the suppressed ones. */
void kanon__suppressed_share(kanon__regions *regions);

/* From now on so many records of the region may be suppressed, each at the loss `full`. */
kanon_status kanon__region_allow_suppression(kanon__region *region, int64_t most, int64_t full, kanon_error *err);
/* Suppress a record that is in no group; there is room for it. */
void kanon__region_suppress(kanon__region *region, int32_t record);
/* The record is suppressed no longer, and not yet in a group. */
void kanon__region_return(kanon__region *region, int32_t record);

/* Take a record out of wherever it is. */
static inline void kanon__region_take_out(kanon__region *r, int32_t record)
{
    if (r->group_of[record] >= 0)
        kanon__region_remove(r, record);
    else
        kanon__region_return(r, record);
}

/* Put a record that was taken out into a group, or suppress it. */
static inline void kanon__region_put(kanon__region *r, int32_t group, int32_t record)
{
    if (group >= 0)
        kanon__region_add(r, group, record);
    else
        kanon__region_suppress(r, record);
}

#endif
