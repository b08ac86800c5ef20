/* The groups of records as Arrow batches: the columns row and group of a groups file, counted from 1; group 0 is
 * suppressed. */
#ifndef KANON_RELEASE_SINK_ARROW_GROUPS_H
#define KANON_RELEASE_SINK_ARROW_GROUPS_H

#include "release/sink/arrow_stream.h"

kanon_status kanon__arrow_groups_new(kanon__arrow_batches **out, const int32_t *group_of, int64_t n_rows, kanon_error *err);

#endif
