/* Enforcement of a state's requirements beyond k: constraints, entities, the suppression budget.
 *
 * How it works is in maintain/enforce_constraints.c. */
#ifndef KANON_STATE_ENFORCE_CONSTRAINTS_H
#define KANON_STATE_ENFORCE_CONSTRAINTS_H

#include "search/run.h"
#include "state/maintain/group_changes.h"
#include "state/maintain/materialise.h"

/* Inspects the groups that changed in this command, or all groups where that is not enough; repairs those that violate a
 * constraint, splits those of 2k records and more whose parts both satisfy all, and verifies everything that was inspected.
 * KANON_EINFEASIBLE: the whole table violates a constraint, so the command must be given up. */
kanon_status kanon__enforce_constraints(kanon_state *state, kanon__change_counts *done, kanon_error *err);

/* The constraints of a materialized subset; *out is NULL where there are none. */
kanon_status kanon__subset_constraints(kanon__constraints **out, const kanon__subset *subset, const kanon_state *state,
                                       kanon_error *err);
/* Whether a constraint compares with the table, or counts groups that look alike together: then some groups do not tell
 * whether all satisfy it. */
bool kanon__subset_needs_all(const kanon__subset *subset, const kanon__constraints *constraints);
/* Recounts, by verify/: groups of at least k records that satisfy all constraints. */
kanon_status kanon__verify_subset(const kanon__subset *subset, const kanon_state *state, const int32_t *group_of,
                                  int64_t n_groups, kanon_error *err);
/* Merges groups that would look alike in a release, and repairs, until all satisfy the constraints as a release shows
 * them. It matters only where an entity may be in several groups: a value then counts in each of them. */
kanon_status kanon__enforce_on_classes(kanon__run *run, int64_t *n_repaired, kanon_error *err);
/* Numbers for new groups of the records of a subset: a group keeps the number of its first record's old group, unless
 * another one has it already, so that little changes. New numbers are taken from the state. */
kanon_status kanon__number_groups(int64_t **out, const kanon__subset *subset, kanon_state *state, const int32_t *group_of,
                                  int64_t n_groups, kanon_error *err);

#endif
