/* Releases of states as streams: what kanon_state_release_to_arrow and kanon_state_release_changes_to_arrow share. */
#ifndef KANON_PIPELINE_STATE_STREAM_H
#define KANON_PIPELINE_STATE_STREAM_H

#include "state/maintain/materialise.h"

#include <kanon_arrow.h>

/* Where a release goes. */
typedef struct kanon__state_stream {
    struct ArrowArrayStream *out;
    const kanon_arrow_options *options;
    int64_t **groups; /* gets the number of the group of each row of the stream; NULL: not wanted */
    int64_t *n_rows;
} kanon__state_stream;

/* The subset, recoded by its groups and checked, as a stream. */
kanon_status kanon__state_stream_fill(const kanon__state_stream *stream, const kanon_state *state,
                                      const kanon__subset *subset, const kanon_grouping *grouping, kanon_error *err);
/* Releases everything, as kanon_state_release does, and fills the stream before the release is recorded. The caller releases
 * the stream where it fails. */
kanon_status kanon__state_release_stream(const kanon__state_stream *stream, kanon_state *state,
                                         const kanon_change_options *options, kanon_change *change, kanon_error *err);

#endif
