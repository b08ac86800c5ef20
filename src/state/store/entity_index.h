/* The entity index: which records belong to which entity, by the hash of the entity's cell.
 *
 * It is kept only where all records of an entity stay in one group (kanon__entities_stay_together); elsewhere adding
 * and removing do nothing. In the file it is a table of the same name. */
#ifndef KANON_STATE_ENTITY_INDEX_H
#define KANON_STATE_ENTITY_INDEX_H

#include "state/store/records.h"

kanon_status kanon__entity_index_open(kanon_state *state, kanon_error *err);
void kanon__entity_index_close(kanon_state *state);
/* Adds or removes the record with these cells. */
kanon_status kanon__entity_index_add(kanon_state *state, int64_t record, const kanon__cell *cells, kanon_error *err);
kanon_status kanon__entity_index_remove(kanon_state *state, int64_t record, const kanon__cell *cells, kanon_error *err);
/* Whether the index has the record under the entity of these cells. Entities stay together. */
kanon_status kanon__entity_index_has(kanon_state *state, bool *out, int64_t record, const kanon__cell *cells,
                                     kanon_error *err);

/* Calls the visitor for every other record of the entity to which `record` belongs, by rising number, until it sets *stop.
 * Both are records of the file. */
typedef kanon_status (*kanon__entity_visitor)(int64_t record, const int64_t *codes, bool *stop, void *payload,
                                              kanon_error *err);
kanon_status kanon__entity_visit_others(kanon_state *state, int64_t record, kanon__entity_visitor visitor, void *payload,
                                        kanon_error *err);
/* How many records belong to the entity of this one, itself included. */
kanon_status kanon__entity_count_records(kanon_state *state, int64_t *out, int64_t record, kanon_error *err);

#endif
