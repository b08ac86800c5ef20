/* What a release of any form asks first: whether the grouping may be released, which recode map it has, and which
 * records leave in which order. */
#ifndef KANON_PIPELINE_RELEASE_PLAN_H
#define KANON_PIPELINE_RELEASE_PLAN_H

#include "model/grouping.h"
#include "release/row_order.h"
#include "verify/verify.h"

/* KANON_EINVAL where the grouping is of another table, where it is the caller's own and violates the policy (k, entities,
 * constraints, suppression), or where `means` are asked for although equal values are to be shown equal. KANON_EINFEASIBLE:
 * the release would single out more rows than the policy allows. */
kanon_status kanon__release_allowed(const kanon_table *table, const kanon_grouping *grouping, bool means, kanon_error *err);
/* What is required of the groups of a release. */
kanon__requirement kanon__release_requirement(const kanon_table *table, const kanon_grouping *grouping, bool means);
/* The recode map by quasi attribute, to be freed; *out = NULL where each group shows what it holds. */
kanon_status kanon__release_map(const uint32_t ***out, const kanon_table *table, const kanon_grouping *grouping,
                                kanon_error *err);
/* The rows of a release: all but the suppressed ones, unless the policy keeps these. The order is to be freed. */
typedef struct kanon__released_rows {
    int32_t *order;     /* all rows, first those that leave, in the order in which they do; NULL: as in the input */
    int64_t n_left_out; /* the last of `order`; where that is NULL, those of group 0 */
} kanon__released_rows;

/* `shuffled` (NULL: as in the input): what the order depends on. `listed`: there is an order wherever a row stays out. */
kanon_status kanon__release_rows(kanon__released_rows *out, const kanon_table *table, const kanon_grouping *grouping,
                                 const kanon__row_order *shuffled, bool listed, kanon_error *err);

#endif
