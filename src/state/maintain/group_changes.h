/* Groups that stay k-anonymous while records come and go: I3M+, I3M- and Disperse (Truta and Campan 2007, section 3).
 *
 * These functions see to k alone. Where a state has more requirements they note which groups changed, and
 * maintain/enforce_constraints.c does the rest at the end of the command. */
#ifndef KANON_STATE_GROUP_CHANGES_H
#define KANON_STATE_GROUP_CHANGES_H

#include "state/index/group_index.h"
#include "state/store/records.h"

/* What a command did to groups. */
typedef struct kanon__change_counts {
    int64_t n_splits, n_dispersed;
    int64_t n_repaired; /* groups that violated a constraint */
} kanon__change_counts;

/* A record that is in the file joins the group whose loss grows least; a group that reaches 2k records is split. Ranges are
 * widened first. */
kanon_status kanon__groups_insert(kanon_state *state, int64_t record, const int64_t *codes, kanon__change_counts *done,
                                  kanon_error *err);
/* Records leave their groups: `codes` lie one record after the other, and the tallies no longer count them. Groups short
 * of k are dispersed. Where fewer than k records are left in groups: KANON_EINFEASIBLE, or with `more_will_come` what is
 * left becomes one group. */
kanon_status kanon__groups_delete(kanon_state *state, const int64_t *records, const int64_t *codes, int64_t n,
                                  bool more_will_come, kanon__change_counts *done, kanon_error *err);

#endif
