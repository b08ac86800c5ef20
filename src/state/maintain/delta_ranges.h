/* Whether a delta is as the table was: numbers that multiply the range of a column, or that would fit another one, are
 * questioned, because two columns may be exchanged in it. */
#ifndef KANON_STATE_DELTA_RANGES_H
#define KANON_STATE_DELTA_RANGES_H

#include "state/store/state.h"

enum { KANON__QUESTION = 480 };

typedef struct kanon__delta_ranges kanon__delta_ranges;

/* The ranges as they are before the delta. */
kanon_status kanon__delta_ranges_new(kanon__delta_ranges **out, const kanon_state *state, kanon_error *err);
void kanon__delta_ranges_free(kanon__delta_ranges *ranges);
/* A record of the delta: its codes by dimension, with as many digits after the point as `scales` has by column. */
void kanon__delta_ranges_note(kanon__delta_ranges *ranges, const int64_t *codes, const int *scales);
/* What is asked, for people; "" where nothing is. No value of the table is in it. */
void kanon__delta_ranges_question(char out[KANON__QUESTION], const kanon__delta_ranges *ranges);

#endif
