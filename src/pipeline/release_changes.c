/* What has changed in a state since its last release, as an Arrow stream.
 *
 * It goes on like this: begin a session, collect the changes (maintain/watched_changes.h), make a table of the
 * records of changed groups, check and export it as any release, record it, commit. Groups that did not change are not
 * looked at: they were checked when they were released, they have the members that they had, and the index counts that
 * none is smaller than k. Where the notes of the state cannot tell what has changed, it is a whole release. */
#include "pipeline/state_run.h"

#include "core/alloc.h"
#include "pipeline/arrow_export.h"
#include "pipeline/publish.h"
#include "pipeline/release_plan.h"
#include "state/maintain/enforce_constraints.h"
#include "state/maintain/releases.h"
#include "state/maintain/session.h"
#include "state/maintain/watched_changes.h"
#include "state/store/watch.h"

#include <math.h>

void kanon_release_changes_free(kanon_release_changes *changes)
{
    if (changes == NULL)
        return;
    kanon__free((int64_t *)changes->removed);
    kanon__free((int64_t *)changes->group_of);
    kanon__free(changes);
}

/* The records of changed groups, checked and exported. */
static kanon_status export_changes(kanon_outputs *to, const kanon__watched_changes *c, kanon_state *s,
                                   struct ArrowArrayStream *rows, kanon_release_changes *changes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *grouping = NULL;
    KANON_TRY(kanon__subset_grouping(&grouping, &c->subset, s, err), out);
    KANON_TRY(kanon__verify_subset(&c->subset, s, grouping->group_of, grouping->n_groups, err), out);
    KANON_TRY(kanon__release_allowed(c->subset.table, grouping, to->numeric == KANON_NUMERIC_MEAN, err), out);
    KANON_TRY(kanon__new_array(&to->group_numbers, c->subset.n, "groups", err), out);
    KANON_TRY(kanon__arrow_export(rows, c->subset.table, grouping, to, err, NULL, NULL), out);
    KANON_TRY(kanon__state_group_numbers(to->group_numbers, &c->subset, grouping, err), out);
    changes->n_rows = c->subset.n - grouping->n_suppressed;
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
static kanon_status release_changes(kanon_outputs *to, kanon_state *s, bool as_state, kanon_release_changes *changes,
                                    kanon_change *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__watched_changes c = {0};
    struct ArrowArrayStream rows = {.release = NULL};
    KANON_TRY(kanon__session_begin(s, true, err), out);
    changes->whole = (as_state && s->joint_k > 0) || s->requirements->singled_out.denominator > 0; /* all rows are looked at */
    if (changes->whole)
        goto out;
    KANON_TRY(kanon__watched_collect(&c, s, err), out);
    changes->whole = c.whole;
    if (c.whole)
        goto out;
    if (c.subset.n > 0)
        KANON_TRY(export_changes(to, &c, s, &rows, changes, err), out);
    KANON_TRY(record_changes(&c, s, out, err), out);
    changes->removed = c.removed;
    changes->n_removed = c.n_removed;
    c.removed = NULL;
    *to->release->stream = rows;
    rows.release = NULL;
out:
    if (rows.release != NULL)
        rows.release(&rows);
    kanon__watched_clear(&c);
    kanon__session_end(s);
    return st;
}

static kanon_status check_outputs(const kanon_outputs *w, kanon_error *err)
{
    bool alone = w->release != NULL && w->release->stream != NULL && w->groups == NULL && w->report == NULL &&
                 w->report_external == NULL && w->codebook == NULL && w->group_numbers == NULL;
    return alone ? KANON_OK
                 : kanon__fail(err, KANON_EINVAL, "changes alone are released as a stream, and without other outputs");
}

/* What has changed where the notes tell, else everything. */
static kanon_status release_what_changed(kanon__change_call *call, kanon_state *s, kanon_release_changes *changes,
                                         kanon_error *err)
{
    kanon_change_options *o = &call->options;
    kanon_outputs *to = &call->outputs.wanted;
    KANON_CHECK(kanon__choose_numeric(&to->numeric, true, err));
    changes->whole = o->joint_k > 0; /* it looks at all records */
    if (!changes->whole)
        KANON_CHECK(release_changes(to, s, o->joint_k == 0, changes, &call->done, err));
    return changes->whole ? kanon__state_release_all(s, o, to, &changes->n_rows, &call->done, err) : KANON_OK;
}

kanon_status kanon_state_release_changes(kanon_release_changes **changes, kanon_state *state,
                                         const kanon_change_options *options, kanon_change *change, kanon_error *err)
{
    kanon__change_call call;
    kanon_release_changes *c = NULL;
    *changes = NULL;
    kanon_status st = kanon__change_call_begin(&call, state, options, change, err);
    KANON_TRY(st, out);
    KANON_TRY(check_outputs(&call.outputs.wanted, err), out);
    KANON_TRY(kanon__new_array(&c, 1, "changes", err), out);
    st = release_what_changed(&call, state, c, err);
    c->group_of = call.outputs.wanted.group_numbers;
    KANON_TRY(st, out);
    *changes = c;
    c = NULL;
out:
    kanon_release_changes_free(c);
    return kanon__change_call_end(&call, st);
}
