/* Labels of trees that no record has any more: store/forget.c. Included by catalog.c alone. */
#ifndef KANON_STATE_FORGET_H
#define KANON_STATE_FORGET_H

#include "state/store/state.h"

enum { KANON__FORGOTTEN_BYTES = 16 };

/* Takes them out of the file. Tallies and nodes are written. */
kanon_status kanon__labels_forget(kanon_state *state, kanon_error *err);
/* The label in memory of a node that was forgotten: no value, since it is not UTF-8, and another one for each node. */
size_t kanon__forgotten_label(char out[KANON__FORGOTTEN_BYTES], int32_t node);

#endif
