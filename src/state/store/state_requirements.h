/* The requirements of a state in addition to k: constraints, entities, the share of records that may be suppressed.
 *
 * They are those of the schema that the state was made with, kept as a schema of their own (state->requirements) which
 * has nothing else. In the file they are the rows (number, name, value) of the table `requirements`. */
#ifndef KANON_STATE_STATE_REQUIREMENTS_H
#define KANON_STATE_STATE_REQUIREMENTS_H

#include "state/store/state.h"

/* Copies the requirements of a schema, and nothing else of it, into one that has none. */
kanon_status kanon__state_requirements_copy(kanon_schema *to, const kanon_schema *from, kanon_error *err);
/* Finds the column of the entity; KANON_EDATA where there is none of that name. */
kanon_status kanon__state_requirements_resolve(kanon_state *state, kanon_error *err);
kanon_status kanon__state_requirements_save(kanon_state *state, kanon_error *err);
kanon_status kanon__state_requirements_load(kanon_state *state, kanon_error *err);
void kanon__state_requirements_clear(kanon_state *state);

/* Whether groups must satisfy more than k. */
static inline bool kanon__state_has_requirements(const kanon_state *s)
{
    return s->requirements->n_constraints > 0 || s->entity >= 0;
}

/* Whether all records of an entity are in one group. */
static inline bool kanon__entities_stay_together(const kanon_state *s)
{
    return s->entity >= 0 && s->requirements->entity_together;
}

#endif
