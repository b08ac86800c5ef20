/* The groups as a reader of the release sees them: groups whose records look the same are one, suppressed records are
 * gone, or a group where the policy keeps them. External reports count these, so that they tell no more than the
 * release does. */
#ifndef KANON_PIPELINE_SHOWN_GROUPS_H
#define KANON_PIPELINE_SHOWN_GROUPS_H

#include "model/grouping.h"

/* In *out records that are not in the release have a negative group. It has the recode maps of `grouping`, which must
 * outlive it, and nothing of how that was made. */
kanon_status kanon__shown_groups_new(kanon_grouping **out, const kanon_table *table, const kanon_grouping *grouping,
                                     kanon_numeric numeric, int threads, kanon_error *err);
void kanon__shown_groups_free(kanon_grouping *shown);

#endif
