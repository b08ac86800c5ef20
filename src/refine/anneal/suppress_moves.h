/* Moves of records to and from the suppressed ones of a region.
 *
 * A record that is far from all others makes its group wider for all members, and with large k that costs more than its own
 * full loss. Called by move_engine.c and penalised_moves.c, the first also by anneal_search.c; implemented by
 * suppress_moves.c. */
#ifndef KANON_REFINE_ANNEAL_SUPPRESS_MOVES_H
#define KANON_REFINE_ANNEAL_SUPPRESS_MOVES_H

#include "refine/anneal/move_engine.h"

/* From now on some steps suppress records, if the region may do so. */
void kanon__move_engine_use_suppression(kanon__move_engine *engine);
/* Whether a group loses enough that one of its records may be suppressed. */
static inline bool kanon__can_trim(const kanon__move_engine *e, int32_t group)
{
    return kanon__region_loss_of(e->region, group) + e->threshold >= e->region->full;
}

/* Try to make a group narrower, or to dissolve it, with some of its records suppressed. */
void kanon__trim_group(kanon__move_engine *engine, int32_t group);
/* Try to bring a suppressed record back into a group, by itself or in the place of another one. */
void kanon__return_record(kanon__move_engine *engine, int32_t record);

#endif
