/* The check of a whole state: file, records, groups, index and releases against each other (check_state.c). */
#ifndef KANON_STATE_CHECK_STATE_H
#define KANON_STATE_CHECK_STATE_H

#include "state/maintain/materialise.h"

/* Checks every page, record, group and node: KANON_EDATA says what does not fit. The subset has all records. */
kanon_status kanon__state_check(kanon_state *state, const kanon__subset *subset, kanon_error *err);

#endif
