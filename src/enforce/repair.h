/* Repair of constraints: groups are changed until each of them satisfies the constraints in addition to k. */
#ifndef KANON_ENFORCE_REPAIR_H
#define KANON_ENFORCE_REPAIR_H

#include "search/run.h"

/* Change the groups of the run so that each satisfies run->constraints, at as little loss as it takes; docs/algorithms.md
 * says how. The table as a whole must satisfy them. `most_suppressed`: so many records, those that are suppressed already
 * included, may be suppressed where that costs least. `whole_entities`: the records of an entity, which are all in
 * one group, stay together. */
kanon_status kanon__repair(kanon__run *run, int64_t most_suppressed, bool whole_entities, kanon_error *err);

#endif
