/* The requirements on groups in addition to k: constraints, entities, suppression. They are prepared before the
 * algorithm runs and enforced after it. */
#ifndef KANON_PIPELINE_REQUIREMENTS_H
#define KANON_PIPELINE_REQUIREMENTS_H

#include "model/grouping.h"
#include "partition/blocks.h"
#include "search/run.h"

/* The constraints of the policy, NULL where there are none; KANON_EINFEASIBLE where no grouping can keep them. */
kanon_status kanon__requirements_new(kanon__constraints **out, const kanon__data *table, const kanon__policy *policy,
                                     int64_t k, kanon_error *err);
/* How the records of a run are grouped, whatever is asked of the groups in addition to k. */
typedef kanon_status (*kanon__runner)(void *payload, kanon__run *run, kanon_error *err);

/* Group the records. Where those of an entity are to stay together, the runner is given the first record of each. */
kanon_status kanon__requirements_group(kanon__run *run, kanon__runner runner, void *payload, kanon_error *err);
/* Whether what becomes of suppressed records leaves the release sound: kept, they are a class that satisfies what every
 * group must; left out, the groups also satisfy what compares them with the table, where that is the rest of it. */
kanon_status kanon__requirements_suppressed_hold(bool *out, const kanon__run *run, kanon_error *err);
/* Make the algorithm's groups keep what is asked, and use up what may be suppressed where that lowers the loss. */
kanon_status kanon__requirements_meet(kanon__run *run, kanon_error *err);
/* The bytes that this takes in addition to table and grouping. */
int64_t kanon__requirements_need(const kanon__data *table, const kanon__constraints *constraints, int64_t may_suppress,
                                 int64_t k);
/* The information loss that the same run has where nothing but k is asked; NAN where the table is too large to find out. */
kanon_status kanon__requirements_loss_without(double *out, const kanon__run *run, kanon__runner runner, void *payload,
                                              kanon_error *err);
/* The information loss of a grouping of the run's records; negative groups are suppressed records. */
kanon_status kanon__requirements_loss(double *out, const kanon__run *run, const int32_t *group_of, int64_t n_groups,
                                      kanon_error *err);
/* Write down what was asked in addition to k and what the grouping reaches. */
kanon_status kanon__requirements_record(kanon_grouping *grouping, const kanon__run *run, kanon_error *err);
/* Refinements move records one by one, which entities that stay together forbid. */
kanon_status kanon__requirements_allow(const kanon__data *table, const kanon__policy *policy, bool refined,
                                       kanon_error *err);
/* What k does not protect, of which every host warns: groups with one sensitive value, in grouping->privacy. */
kanon_status kanon__requirements_warn_of_values(kanon_grouping *grouping, const kanon_table *table, kanon_error *err);
/* Whether nothing but k is asked. */
bool kanon__requirements_none(const kanon__run *run);

#endif
