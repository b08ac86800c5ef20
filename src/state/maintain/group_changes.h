/* Keeping groups k-anonymous while records come and go: I3M+, I3M-, Split2k and Disperse (Truta and Campan, section 3). */
#ifndef KANON_STATE_GROUP_CHANGES_H
#define KANON_STATE_GROUP_CHANGES_H

#include "state/index/group_index.h"
#include "state/store/records.h"

/* What became of the groups. */
typedef struct kanon__change_counts {
    int64_t n_splits, n_dispersed;
    int64_t n_repaired; /* groups that did not keep what is asked beside k */
} kanon__change_counts;

/* A record that is in the file joins the group whose loss grows least; one that reaches 2k records is split. Ranges are
 * widened first. */
kanon_status kanon__groups_insert(kanon_state *state, int64_t record, const int64_t *codes, kanon__change_counts *done,
                                  kanon_error *err);
/* Records leave their groups: `places` lie one record after the other, and the tallies no longer count them. Groups short of
 * k are dispersed. Where fewer than k records are left in groups: KANON_EINFEASIBLE, or with `more_will_come` what is left
 * becomes one group. */
kanon_status kanon__groups_delete(kanon_state *state, const int64_t *records, const int64_t *codes, int64_t n,
                                  bool more_will_come, kanon__change_counts *done, kanon_error *err);

/* How a group is parted where more is asked of its parts than k. Records i are numbers below n. */
typedef struct kanon__split_rule {
    const uint32_t *whose; /* by record: what may not be parted; NULL: all may */
    kanon_status (*note)(void *payload, int64_t record, kanon_error *err); /* a record has moved */
    bool (*is_enough)(void *payload);                                      /* the new group may stand */
    void *payload;
} kanon__split_rule;

/* Split2k: choose the records that leave a group for a new one. One after the other goes the one with which the loss of both
 * is least, until the new group has k records and, with a rule (NULL: none), is enough, or the old one has only k. */
kanon_status kanon__split_choose(const kanon_state *state, const int64_t *codes, int64_t n, const kanon__split_rule *rule,
                                 bool *moved, kanon_error *err);

#endif
