/* Entities whose records are all in one group: which records are whose. Used where kanon__wishes_together. */
#ifndef KANON_STATE_PERSONS_H
#define KANON_STATE_PERSONS_H

#include "state/group_index.h"
#include "state/records.h"

kanon_status kanon__persons_open(kanon_state *state, kanon_error *err);
void kanon__persons_close(kanon_state *state);
/* A record with these cells comes or goes. Where records may be apart, nothing is noted. */
kanon_status kanon__persons_note(kanon_state *state, int64_t record, const kanon__cell *cells, kanon_error *err);
kanon_status kanon__persons_forget(kanon_state *state, int64_t record, const kanon__cell *cells, kanon_error *err);
/* The group in which other records of the entity are to which this record of the file belongs; nowhere where there is none.
 */
kanon_status kanon__persons_group(kanon_state *state, kanon__group_at *out, int64_t record, kanon_error *err);
/* How many records of the file belong to the entity of this one, itself included. */
kanon_status kanon__persons_count(kanon_state *state, int64_t *out, int64_t record, kanon_error *err);

#endif
