/* The choice of records that leave a group of 2k or more for a new one (split2k.c). */
#ifndef KANON_STATE_SPLIT2K_H
#define KANON_STATE_SPLIT2K_H

#include "state/store/current_space.h"

/* How a group is split where its parts must satisfy more than k. Records are numbered from 0, as in `codes`. */
typedef struct kanon__split_rule {
    const uint32_t *whose; /* by record: records of one number stay together; NULL: all may be separated */
    kanon_status (*note)(void *payload, int64_t record, kanon_error *err); /* a record has moved */
    bool (*is_enough)(void *payload);                                      /* the new group satisfies all constraints */
    void *payload;
} kanon__split_rule;

/* Sets moved[i] for the records that leave; `moved` has n entries that are false. `rule` may be NULL. */
kanon_status kanon__split_choose(const kanon_state *state, const int64_t *codes, int64_t n, const kanon__split_rule *rule,
                                 bool *moved, kanon_error *err);

#endif
