/* What is asked of a state's groups beside k: constraints, entities, the share of records that may be suppressed. They are
 * those of the schema that the state was made with. */
#ifndef KANON_STATE_STATE_REQUIREMENTS_H
#define KANON_STATE_STATE_REQUIREMENTS_H

#include "state/store/state.h"

/* Take them from a schema into another one that has none; of the first all else is left alone. */
kanon_status kanon__state_requirements_copy(kanon_schema *to, const kanon_schema *from, kanon_error *err);
/* Find the column of the entity; KANON_EDATA where there is none of that name. */
kanon_status kanon__state_requirements_resolve(kanon_state *state, kanon_error *err);
kanon_status kanon__state_requirements_save(kanon_state *state, kanon_error *err);
kanon_status kanon__state_requirements_load(kanon_state *state, kanon_error *err);
void kanon__state_requirements_clear(kanon_state *state);

/* Whether groups must keep anything beside k. */
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
