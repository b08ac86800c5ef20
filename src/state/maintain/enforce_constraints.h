/* Keeping up what is asked of groups beside k: constraints, entities, the suppression budget. */
#ifndef KANON_STATE_ENFORCE_CONSTRAINTS_H
#define KANON_STATE_ENFORCE_CONSTRAINTS_H

#include "search/run.h"
#include "state/maintain/group_changes.h"
#include "state/maintain/session.h"

/* Look at the groups that changed in this command, and at all groups where that is not enough; repair those that do not keep
 * what is asked, split those of 2k records and more whose parts both keep it, and recount all that was looked at.
 * KANON_EINFEASIBLE: the whole table breaks a constraint, so that the command must be given up. */
kanon_status kanon__enforce_constraints(kanon_state *state, kanon__change_counts *done, kanon_error *err);

/* The constraints of a table that was made of the state; *out is NULL where nothing is asked. */
kanon_status kanon__subset_constraints(kanon__constraints **out, const kanon__subset *subset, const kanon_state *state,
                                       kanon_error *err);
/* Recount: groups of at least k records that keep all that is asked. */
kanon_status kanon__verify_subset(const kanon__subset *subset, const kanon_state *state, const int32_t *group_of,
                                  int64_t n_groups, kanon_error *err);
/* Make groups that look alike one, and repair, until all keep what is asked as a release shows them. It matters only where
 * an entity may be in several groups: a value then counts in each of them. */
kanon_status kanon__enforce_on_classes(kanon__run *run, int64_t *n_repaired, kanon_error *err);
/* Numbers for new groups of the records of `whole`: a group keeps the number that its first record's group had, unless
 * another one has it, so that little changes. New numbers are taken from the state. */
kanon_status kanon__number_groups(int64_t **out, const kanon__subset *subset, kanon_state *state, const int32_t *group_of,
                                  int64_t n_groups, kanon_error *err);

#endif
