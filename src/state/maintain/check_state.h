#ifndef KANON_STATE_CHECK_STATE_H
#define KANON_STATE_CHECK_STATE_H

#include "state/maintain/session.h"

/* Look at every page, record, group and node: KANON_EDATA says what does not fit. `whole` has the members. */
kanon_status kanon__state_check(kanon_state *state, const kanon__subset *subset, kanon_error *err);

#endif
