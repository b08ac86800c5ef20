/* Releases of states as Arrow streams: all of what a state holds, or what has changed since its last release.
 *
 * A release of the changes: begin a session, collect the changes (maintain/watched_changes.h), make a table of the
 * records of changed groups, check and export it as any release, record it, commit. Groups that did not change are not
 * looked at: they were checked when they were released, they have the members that they had, and the index counts that
 * none is smaller than k. Where the notes of the state cannot tell what has changed, it is a whole release. */
#include "pipeline/state_run.h"

#include "core/alloc.h"
#include "core/take_options.h"
#include "pipeline/arrow_export.h"
#include "state/maintain/enforce_constraints.h"
#include "state/maintain/releases.h"
#include "state/maintain/session.h"
#include "state/maintain/watched_changes.h"
#include "state/store/watch.h"

#include <math.h>

/* ---- the stream -------------------------------------------------------------------------------------------------- */

/* The groups of a grouping are numbered without gaps; those of the state have numbers of their own. */
static kanon_status translate(int64_t *groups, int64_t n_released, const kanon__subset *subset,
                              const kanon_grouping *grouping, kanon_error *err)
{
    int64_t *numbers = NULL;
    KANON_CHECK(kanon__new_array(&numbers, grouping->n_groups + 1, "groups", err));
    for (int64_t row = 0; row < subset->n; row++)
        if (grouping->group_of[row] >= 0)
            numbers[grouping->group_of[row] + 1] = subset->groups[row];
    for (int64_t row = 0; row < n_released; row++)
        groups[row] = numbers[groups[row]];
    kanon__free(numbers);
    return KANON_OK;
}

kanon_status kanon__state_stream_fill(const kanon__state_stream *stream, const kanon_state *s, const kanon__subset *subset,
                                      const kanon_grouping *grouping, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_arrow_options options = *stream->options;
    int64_t *groups = NULL;
    if (options.tick == NULL)
        options.tick = s->tick, options.payload = s->payload;
    if (stream->groups != NULL)
        KANON_TRY(kanon__new_array(&groups, subset->n, "groups", err), out);
    options.groups = groups;
    KANON_TRY(kanon__arrow_export(stream->out, subset->table, grouping, &options, err, NULL, NULL), out);
    if (groups == NULL)
        goto out;
    int64_t n = subset->n - grouping->n_suppressed; /* a state leaves them out */
    KANON_TRY(translate(groups, n, subset, grouping, err), out);
    *stream->groups = groups;
    *stream->n_rows = n;
    groups = NULL;
out:
    kanon__free(groups);
    return st;
}

static kanon_status take_stream_options(kanon_arrow_options *out, const kanon_arrow_options *options, kanon_error *err)
{
    kanon_status st = kanon__take_options(out, sizeof *out, options, err);
    out->struct_size = sizeof *out;
    return st;
}

kanon_status kanon_state_release_to_arrow(struct ArrowArrayStream *out, kanon_state *state,
                                          const kanon_change_options *options, const kanon_arrow_options *stream_options,
                                          kanon_change *change, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_arrow_options arrow;
    const kanon__state_stream stream = {.out = out, .options = &arrow};
    out->release = NULL;
    KANON_TRY(take_stream_options(&arrow, stream_options, err), out);
    KANON_TRY(kanon__state_release_stream(&stream, state, options, change, err), out);
out:
    if (st != KANON_OK && out->release != NULL)
        out->release(out);
    return st;
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

void kanon_release_changes_free(kanon_release_changes *changes)
{
    if (changes == NULL)
        return;
    kanon__free((int64_t *)changes->removed);
    kanon__free((int64_t *)changes->group_of);
    kanon__free(changes);
}

/* The records of changed groups, checked and exported. */
static kanon_status export_changes(const kanon__state_stream *stream, const kanon__watched_changes *c, kanon_state *s,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *grouping = NULL;
    KANON_TRY(kanon__subset_grouping(&grouping, &c->subset, s, err), out);
    KANON_TRY(kanon__verify_subset(&c->subset, s, grouping->group_of, grouping->n_groups, err), out);
    KANON_TRY(kanon__state_stream_fill(stream, s, &c->subset, grouping, err), out);
out:
    kanon_grouping_free(grouping);
    return st;
}

static kanon_status record_changes(const kanon__watched_changes *c, kanon_state *s, kanon_change *out, kanon_error *err)
{
    KANON_CHECK(kanon__group_index_smallest(s->index, &out->k, err));
    if (out->k < s->k)
        return kanon__fail(err, KANON_EINTERNAL, "the check found a group of fewer than k records");
    out->changed = c->subset.n;
    kanon__change_note_counts(out, s);
    const kanon__release_entry entry = {.n_records = s->n_records,
                                        .n_groups = s->n_groups,
                                        .n_suppressed = s->n_suppressed,
                                        .smallest = out->k,
                                        .loss = NAN};
    KANON_CHECK(kanon__releases_append_changes(s, &c->subset, &entry, err));
    out->release = s->n_releases;
    KANON_CHECK(kanon__session_save(s, "release changes", NULL, err));
    KANON_CHECK(kanon__session_commit(s, NULL, NULL, err));
    kanon__watch_restart(s);
    return KANON_OK;
}

/* Where changes->whole is set, nothing was released. `as_state`: joint-k is that of the state. */
static kanon_status release_changes(const kanon__state_stream *stream, kanon_state *s, bool as_state,
                                    kanon_release_changes *changes, kanon_change *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__watched_changes c = {0};
    KANON_TRY(kanon__session_begin(s, true, err), out);
    changes->whole = as_state && s->joint_k > 0;
    if (changes->whole)
        goto out;
    KANON_TRY(kanon__watched_collect(&c, s, err), out);
    changes->whole = c.whole;
    if (c.whole)
        goto out;
    if (c.subset.n > 0)
        KANON_TRY(export_changes(stream, &c, s, err), out);
    KANON_TRY(record_changes(&c, s, out, err), out);
    changes->removed = c.removed;
    changes->n_removed = c.n_removed;
    c.removed = NULL;
out:
    kanon__watched_clear(&c);
    kanon__session_end(s);
    return st;
}

/* What has changed where the notes tell, else everything. */
static kanon_status release_what_changed(const kanon__state_stream *stream, kanon_state *s,
                                         const kanon_change_options *options, kanon_release_changes *changes,
                                         kanon_change *out, kanon_error *err)
{
    kanon_change_options o;
    kanon__state_call call;
    *out = kanon__change_none();
    KANON_CHECK(kanon__take_options(&o, sizeof o, options, err));
    if (o.outputs != NULL)
        return kanon__fail(err, KANON_EINVAL, "changes alone are released as a stream, and without other outputs");
    changes->whole = o.joint_k > 0; /* it looks at all records */
    if (!changes->whole) {
        kanon__state_call_begin(&call, s);
        KANON_CHECK(kanon__state_call_end(&call, release_changes(stream, s, o.joint_k == 0, changes, out, err)));
    }
    if (changes->whole)
        KANON_CHECK(kanon__state_release_stream(stream, s, options, out, err));
    return KANON_OK;
}

kanon_status kanon_state_release_changes_to_arrow(struct ArrowArrayStream *out, kanon_release_changes **changes,
                                                  kanon_state *state, const kanon_change_options *options,
                                                  const kanon_arrow_options *stream_options, kanon_change *change,
                                                  kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_arrow_options arrow;
    kanon_release_changes *c = NULL;
    int64_t *groups = NULL;
    *changes = NULL;
    out->release = NULL;
    KANON_TRY(kanon__new_array(&c, 1, "changes", err), out);
    const kanon__state_stream stream = {.out = out, .options = &arrow, .groups = &groups, .n_rows = &c->n_rows};
    KANON_TRY(take_stream_options(&arrow, stream_options, err), out);
    KANON_TRY(release_what_changed(&stream, state, options, c, change, err), out);
    c->group_of = groups;
    groups = NULL;
    *changes = c;
    c = NULL;
out:
    kanon__free(groups);
    kanon_release_changes_free(c);
    if (st != KANON_OK && out->release != NULL)
        out->release(out);
    return st;
}
