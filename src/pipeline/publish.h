/* Publishing with a step just before the files get their names (a state records the release there), and what every
 * function that writes files asks first. Called by state_change.c and tradeoff.c. */
#ifndef KANON_PIPELINE_PUBLISH_H
#define KANON_PIPELINE_PUBLISH_H

#include "core/status.h"

/* Every file is complete and on disk; `release_sha256` is "" where there is no release. A failure leaves no file. */
typedef kanon_status (*kanon__before_naming)(const char *release_sha256, void *payload, kanon_error *err);

kanon_status kanon__publish(const kanon_table *table, const kanon_grouping *grouping, const kanon_outputs *outputs,
                            kanon_error *err, kanon__before_naming before, void *payload);
/* KANON_EINVAL where two of the `n` outputs (NULL ones are passed over) are in one file, or one is over what was read: that
 * would destroy data. */
kanon_status kanon__publish_check(const char *const *paths, int n, const kanon_table *table, kanon_error *err);

#endif
