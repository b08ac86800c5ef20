/* Suppression of records within a budget, where that lowers the total loss. */
#ifndef KANON_ENFORCE_SUPPRESSION_H
#define KANON_ENFORCE_SUPPRESSION_H

#include "search/run.h"

/* Put suppressed records back until at most `most` are left: those first that cost least where they go. The groups may then
 * violate constraints. `whole_entities`: all are put back, an entity's records into one group. Where there is no group, all
 * records become one, which needs at least k of them. */
kanon_status kanon__unsuppress(kanon__run *run, int64_t most, bool whole_entities, kanon_error *err);
/* Suppress records while that lowers the loss and at most `most` are suppressed in all; the groups keep k records
 * and violate no constraint. */
kanon_status kanon__suppress(kanon__run *run, int64_t most, kanon_error *err);

#endif
