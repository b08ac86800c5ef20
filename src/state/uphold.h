/* Keeping up what is asked of groups beside k: constraints, entities, the suppression budget. */
#ifndef KANON_STATE_UPHOLD_H
#define KANON_STATE_UPHOLD_H

#include "search/run.h"
#include "state/maintain.h"
#include "state/session.h"

/* Look at the groups that changed in this command, and at all groups where that is not enough; repair those that do not keep
 * what is asked, split those of 2k records and more whose parts both keep it, and recount all that was looked at.
 * KANON_EINFEASIBLE: the whole table breaks a constraint, so that the command must be given up. */
kanon_status kanon__uphold(kanon_state *state, kanon__maintenance *done, kanon_error *err);

/* The constraints of a table that was made of the state; *out is NULL where nothing is asked. */
kanon_status kanon__uphold_constraints(kanon__constraints **out, const kanon__whole *whole, const kanon_state *state,
                                       kanon_error *err);
/* Recount: groups of at least k records that keep all that is asked. */
kanon_status kanon__uphold_verify(const kanon__whole *whole, const kanon_state *state, const int32_t *group_of,
                                  int64_t n_groups, kanon_error *err);
/* Make groups that look alike one, and repair, until all keep what is asked as a release shows them. It matters only where
 * an entity may be in several groups: a value then counts in each of them. */
kanon_status kanon__uphold_classes(kanon__run *run, int64_t *n_repaired, kanon_error *err);
/* Numbers for new groups of the records of `whole`: a group keeps the number that its first record's group had, unless
 * another one has it, so that little changes. New numbers are taken from the state. */
kanon_status kanon__uphold_number(int64_t **out, const kanon__whole *whole, kanon_state *state, const int32_t *group_of,
                                  int64_t n_groups, kanon_error *err);

#endif
