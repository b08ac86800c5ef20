/* Compiled in place of src/state, of the calls on it and of all that speaks to SQLite, where KANON_STATES is off: every
 * public function of states returns KANON_EINVAL and says that it was not built. */
#include "core/take_input.h"
#include "database/streams.h"
#include "database/writers.h"
#include "pipeline/guarded_outputs.h"

#include <kanon_arrow.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* functions that only refuse look at nothing */

static kanon_status no_states(kanon_error *err)
{
    return kanon__fail(err, KANON_EINVAL, "this build of libkanon has no states");
}

kanon_status kanon_state_create(const char *path, const kanon_table *table, const kanon_schema *schema,
                                const kanon_grouping *grouping, const kanon_outputs *outputs,
                                const kanon_state_options *options, kanon_error *err)
{
    kanon__guarded_outputs given;
    kanon__guarded_outputs_begin(&given, outputs, NULL); /* its sinks are told that nothing comes */
    kanon__guarded_outputs_end(&given);
    return no_states(err);
}

kanon_status kanon_state_open(kanon_state **out, const char *path, const kanon_state_options *options, kanon_error *err)
{
    *out = NULL;
    return no_states(err);
}

void kanon_state_close(kanon_state *state)
{
}

kanon_status kanon_state_change(kanon_state *state, kanon_change_kind kind, const kanon_input *delta,
                                const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    kanon__given given;
    return kanon__given_take(&given, delta, no_states(err), err); /* which releases a stream */
}

kanon_status kanon_state_improve(kanon_state *state, const char *refinement, const kanon_change_options *options,
                                 kanon_change *out, kanon_error *err)
{
    return no_states(err);
}

kanon_status kanon_state_release(kanon_state *state, const kanon_change_options *options, kanon_change *out,
                                 kanon_error *err)
{
    return no_states(err);
}

kanon_status kanon_state_release_changes(kanon_release_changes **changes, kanon_state *state,
                                         const kanon_change_options *options, kanon_change *change, kanon_error *err)
{
    *changes = NULL;
    return no_states(err);
}

void kanon_release_changes_free(kanon_release_changes *changes)
{
}

kanon_status kanon_state_describe(kanon_state_info **out, kanon_state *state, kanon_error *err)
{
    *out = NULL;
    return no_states(err);
}

void kanon_state_info_free(kanon_state_info *info)
{
}

kanon_status kanon_state_audit(kanon_audit **out, kanon_state *state, int64_t k, kanon_error *err)
{
    *out = NULL;
    return no_states(err);
}

void kanon_audit_free(kanon_audit *audit)
{
}

static kanon_status no_sqlite(const kanon__location *l, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EINVAL,
                                  "%s: this build of libkanon does not read SQLite: KANON_STATES was left out", l->name);
    return kanon__hint(err, st, "use the driver sqlite");
}

kanon_status kanon__sqlite_stream_open(struct ArrowArrayStream *out, const kanon__location *l, bool encode, kanon_error *err)
{
    return no_sqlite(l, err);
}

kanon_status kanon__sqlite_writer_open(kanon__table_writer **out, const kanon__location *l, kanon_error *err)
{
    return no_sqlite(l, err);
}
