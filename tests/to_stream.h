/* Releases as streams, in one line of a test. `how` may be NULL; its outputs are not looked at. */
#ifndef KANON_TESTS_TO_STREAM_H
#define KANON_TESTS_TO_STREAM_H

#include <kanon_arrow.h>

static inline kanon_outputs these_outputs(const kanon_outputs *how)
{
    kanon_outputs outputs = KANON_INIT(kanon_outputs);
    return how != NULL ? *how : outputs;
}

static inline kanon_status release_to_stream(struct ArrowArrayStream *out, const kanon_table *table,
                                             const kanon_grouping *grouping, const kanon_outputs *how, kanon_error *err)
{
    kanon_outputs outputs = these_outputs(how);
    outputs.release = KANON_TO_STREAM(out);
    return kanon_publish(table, grouping, &outputs, err);
}

/* `options` without outputs, or with others than the release; `how` may be NULL where they say how. */
static inline kanon_status state_to_stream(struct ArrowArrayStream *out, kanon_state *state,
                                           const kanon_change_options *options, const kanon_outputs *how,
                                           kanon_change *change, kanon_error *err)
{
    kanon_change_options o = KANON_INIT(kanon_change_options);
    if (options != NULL)
        o = *options;
    kanon_outputs outputs = these_outputs(o.outputs != NULL ? o.outputs : how);
    outputs.release = KANON_TO_STREAM(out);
    o.outputs = &outputs;
    return kanon_state_release(state, &o, change, err);
}

static inline kanon_status changes_to_stream(struct ArrowArrayStream *out, kanon_release_changes **changes,
                                             kanon_state *state, const kanon_change_options *options,
                                             const kanon_outputs *how, kanon_change *change, kanon_error *err)
{
    kanon_change_options o = KANON_INIT(kanon_change_options);
    if (options != NULL)
        o = *options;
    kanon_outputs outputs = these_outputs(o.outputs != NULL ? o.outputs : how);
    outputs.release = KANON_TO_STREAM(out);
    o.outputs = &outputs;
    return kanon_state_release_changes(changes, state, &o, change, err);
}

#endif
