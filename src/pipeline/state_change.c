/* The public functions that make, change and release states.
 *
 * A change: begin a session, do the work (maintain/), plan the release if outputs are asked for, publish. Publishing calls
 * `finish` when all files are written and before they get their names: there the release is recorded and the session
 * committed, and naming the files is the last step of the commit. A name that cannot be given undoes the change. A crash in
 * between leaves a recorded release without its file, never the reverse; the state knows the delta then, and does not apply
 * it twice. Calls src/state/maintain and pipeline/publish.h; has no SQL. */
#include "core/alloc.h"
#include "core/context.h"
#include "core/pool.h"
#include "core/take_options.h"
#include "core/temporary_file.h"
#include "pipeline/arrow_export.h"
#include "pipeline/guarded_outputs.h"
#include "pipeline/publish.h"
#include "pipeline/release_plan.h"
#include "pipeline/requirements.h"
#include "pipeline/state_stream.h"
#include "refine/refinement.h"
#include "state/maintain/drift.h"
#include "state/maintain/enforce_constraints.h"
#include "state/maintain/joint_release.h"
#include "state/maintain/releases.h"
#include "state/maintain/schema_fits.h"
#include "state/maintain/session.h"
#include "state/maintain/watched_changes.h"
#include "state/store/state_requirements.h"
#include "state/store/watch.h"
#include "table/read/arrow_source.h"
#include "table/read/open_table.h"
#include "verify/verify.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_SECONDS = 10 };

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static kanon_status take_state_options(kanon_state_options *out, const kanon_state_options *options, kanon_error *err)
{
    kanon_status st = kanon__take_options(out, sizeof *out, options, err);
    const kanon_state_storage *s = out->storage;
    if (st == KANON_OK && s != NULL &&
        (s->struct_size < sizeof *s || s->read == NULL || s->write == NULL || s->truncate == NULL || s->size == NULL))
        return kanon__fail(err, KANON_EINVAL, "a storage needs all its functions");
    if (st == KANON_OK && (out->joint_k == 1 || out->joint_k < KANON_JOINT_K_OFF))
        return kanon__fail(err, KANON_EINVAL, "joint_k is no size of joint classes");
    return st == KANON_OK ? kanon__context_check(out->context, err) : st;
}

static kanon_status open_state(kanon_state **out, const char *path, const kanon_state_options *o, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_state *s = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "a state", err), out);
    s->context = o->context;
    s->tick = o->tick;
    s->payload = o->payload;
    int wait = o->wait_seconds == 0 ? WAIT_SECONDS : o->wait_seconds;
    if (o->watch)
        KANON_TRY(kanon__watch_new(s, err), out);
    KANON_TRY(kanon__store_open(&s->store, path, o->storage, wait < 0 ? 0 : wait, err), out);
    *out = s;
    s = NULL;
out:
    kanon_state_close(s);
    return st;
}

kanon_status kanon_state_open(kanon_state **out, const char *path, const kanon_state_options *options, kanon_error *err)
{
    kanon__call call;
    kanon_state_options o;
    *out = NULL;
    kanon_status st = take_state_options(&o, options, err);
    if (st != KANON_OK)
        return st;
    kanon__call_begin(&call, o.context);
    return kanon__call_end(&call, open_state(out, path, &o, err));
}

void kanon_state_close(kanon_state *s)
{
    if (s == NULL)
        return;
    kanon__session_end(s);
    kanon__store_close(&s->store);
    kanon__watch_free(s);
    kanon__free(s);
}

/* ---- a new one --------------------------------------------------------------------------------------------------- */

/* A change may write groups and reports without a release. */
static bool wants_release(const kanon_outputs *outputs)
{
    return outputs != NULL && (outputs->release != NULL || outputs->release_to != NULL);
}

/* A new state: it is made under a temporary name in the same folder, and gets its own when it is complete. */
typedef struct state_build {
    kanon_state *state;
    const char *path;
    kanon__temporary_file file; /* where it is made; SQLite opens it by its name */
    kanon__release_entry release;
    bool released;
    bool hosted; /* the bytes are in a storage of the host: there is no file */
} state_build;

/* A state is never overwritten: it may be the only copy of the table. */
static kanon_status fail_is_there(const char *path, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s is there already", path);
    kanon__hint(err, st, "remove it to start over, or change the state that it holds");
    return kanon__topic(err, st, "state-exists");
}

/* The file gets its name, unless another process has made one of that name in the meantime. */
static kanon_status give_name(const state_build *m, kanon_error *err)
{
    if (m->hosted)
        return KANON_OK;
    if (link(m->file.name, m->path) == 0)
        return KANON_OK;
    if (errno == EEXIST)
        return fail_is_there(m->path, err);
    if (access(m->path, F_OK) == 0 || rename(m->file.name, m->path) != 0) /* file systems without links */
        return kanon__fail_errno(err, errno, "write", m->path);
    return KANON_OK;
}

/* SQLite leaves the journal of an unfinished file where it cannot write any more. */
static void remove_journal(const char *temporary)
{
    char journal[PATH_MAX];
    int length = snprintf(journal, sizeof journal, "%s-journal", temporary);
    if (length > 0 && (size_t)length < sizeof journal)
        unlink(journal);
}

/* Called by kanon__publish when all files are complete: the new state is saved and named before they are, so that no
 * release exists that its state does not know. Where they cannot be named, the state goes, too. */
static kanon_status finish_new(kanon__finished *files, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    state_build *m = payload;
    if (m->released) {
        snprintf(m->release.sha256, sizeof m->release.sha256, "%s", files != NULL ? files->release_sha256 : "");
        KANON_TRY(kanon__releases_append(m->state, NULL, &m->release, err), out);
    }
    KANON_TRY(kanon__session_save(m->state, "anonymize", NULL, err), out);
    kanon__session_clear(m->state);
    KANON_TRY(kanon__store_finish(&m->state->store, err), out);
    KANON_TRY(give_name(m, err), out);
    bool undone = true;
    if (files != NULL)
        st = kanon__finished_name(files, &undone, err);
    if (st != KANON_OK && !m->hosted && (!undone || unlink(m->path) != 0))
        kanon__hint(err, st, "%s IS made, and knows the release", m->path);
out:
    return st;
}

static kanon_status describe_release(kanon__release_entry *out, double *loss, const kanon_table *table,
                                     const kanon_grouping *grouping, kanon_error *err)
{
    kanon_measures *measures = NULL;
    kanon_evaluate_options brief = {.struct_size = sizeof brief, .brief = 1};
    kanon_status st = kanon_evaluate(&measures, table, grouping, &brief, err);
    const kanon_figure *figure = st == KANON_OK ? kanon_measures_find(measures, "avg_loss", NULL) : NULL;
    *loss = figure != NULL ? figure->value : NAN;
    *out = (kanon__release_entry){.n_records = grouping->n_rows,
                                  .n_groups = grouping->n_groups,
                                  .n_suppressed = grouping->n_suppressed,
                                  .smallest = grouping->smallest,
                                  .loss = *loss};
    kanon_measures_free(measures);
    return st;
}

static kanon_status create(const char *path, const kanon_table *table, const kanon_schema *schema,
                           const kanon_grouping *grouping, const kanon_outputs *outputs, const kanon_state_options *o,
                           kanon_error *err)
{
    kanon_status st = KANON_OK;
    state_build m = {.path = path, .file = KANON__NO_TEMPORARY_FILE, .hosted = o->storage != NULL};
    double loss;
    if (m.hosted ? o->storage->size(o->storage->payload) > 0 : access(path, F_OK) == 0)
        return fail_is_there(path, err);
    if (grouping->recode_maps != NULL) {
        st = kanon__fail(err, KANON_EINVAL,
                         "a state cannot keep how attributes are recoded: new records would not fit into it");
        kanon__hint(err, st, "recode by record, or release without a state");
        goto out;
    }
    if (grouping->k < 2)
        return kanon__fail(err, KANON_EINVAL, "a state needs groups that were made for a k");
    KANON_TRY(kanon__release_allowed(table, grouping, false, err), out);
    KANON_TRY(kanon__schema_fits(table, schema, err), out);
    int64_t may = kanon__fraction_of(table->policy.suppress, table->data.n_rows);
    if (may >= 0 && grouping->n_suppressed > may) /* an option of the run allowed more, but the state keeps the schema */
        return kanon__fail(err, KANON_EINVAL, "the grouping suppresses %lld records, and the schema allows %lld",
                           (long long)grouping->n_suppressed, (long long)may);
    const kanon__requirement required = kanon__release_requirement(table, grouping, false);
    KANON_TRY(kanon__verify_requirement(&table->data, &required, grouping->group_of, grouping->n_groups, err), out);
    KANON_TRY(kanon__state_fits(table, grouping, err), out);
    KANON_TRY(kanon__new_array(&m.state, 1, "a state", err), out);
    if (!m.hosted)
        KANON_TRY(kanon__temporary_file_open(&m.file, path, true, path, err), out);
    m.state->context = kanon__call_context();
    m.state->joint_k = o->joint_k;
    m.state->tick = o->tick;
    m.state->payload = o->payload;
    m.released = wants_release(outputs) || o->released;
    KANON_TRY(describe_release(&m.release, &loss, table, grouping, err), out);
    KANON_TRY(kanon__store_create(&m.state->store, m.hosted ? path : m.file.name, o->storage, err), out);
    KANON_TRY(kanon__session_create(m.state, table, schema, grouping, m.released, err), out);
    KANON_TRY(outputs != NULL ? kanon__publish(table, grouping, outputs, err, finish_new, &m) : finish_new(NULL, &m, err),
              out);
out:
    kanon_state_close(m.state);
    if (m.file.name != NULL)
        remove_journal(m.file.name);
    kanon__temporary_file_close(&m.file);
    return st;
}

kanon_status kanon_state_create(const char *path, const kanon_table *table, const kanon_schema *schema,
                                const kanon_grouping *grouping, const kanon_outputs *outputs,
                                const kanon_state_options *options, kanon_error *err)
{
    kanon__call call;
    kanon_state_options o;
    kanon__guarded_outputs given;
    kanon_status st = kanon__guarded_outputs_begin(&given, outputs, err);
    if (st == KANON_OK)
        st = take_state_options(&o, options, err);
    if (st == KANON_OK)
        st = kanon__guarded_outputs_spare(&given, path, err);
    if (st == KANON_OK) {
        kanon__call_begin(&call, o.context != NULL ? o.context : table->context);
        kanon__call_ticks(&o.tick, &o.payload);
        st = create(path, table, schema, grouping, outputs != NULL ? &given.wanted : NULL, &o, err);
        kanon__call_end(&call, st);
    }
    kanon__guarded_outputs_end(&given);
    return st;
}

/* ---- one change -------------------------------------------------------------------------------------------------- */

/* A call that changes a state, and what the caller asks for, taken over. */
typedef struct change_call {
    kanon__state_call call;
    kanon_change_options options;
    kanon__guarded_outputs outputs;
} change_call;

/* End it in any case, also where this fails. */
static kanon_status change_begin(change_call *c, kanon_state *s, const kanon_change_options *options, kanon_change *out,
                                 kanon_error *err)
{
    *out = (kanon_change){.loss_before = NAN, .loss = NAN, .drift = NAN};
    kanon__state_call_begin(&c->call, s);
    kanon_status taken = kanon__take_options(&c->options, sizeof c->options, options, err);
    kanon_status st = kanon__guarded_outputs_begin(&c->outputs, c->options.outputs, err);
    if (c->options.outputs != NULL)
        c->options.outputs = &c->outputs.wanted;
    if (st == KANON_OK && c->options.joint_k < 0 && c->options.joint_k != KANON_JOINT_K_OFF)
        st = kanon__fail(err, KANON_EINVAL, "joint_k is negative");
    if (st == KANON_OK)
        st = kanon__guarded_outputs_spare(&c->outputs, s->store.path, err);
    return taken != KANON_OK ? taken : st;
}

static kanon_status change_end(change_call *c, kanon_status status)
{
    kanon__guarded_outputs_end(&c->outputs);
    return kanon__state_call_end(&c->call, status);
}

/* One change, from begin to end. The subset is read when a release or a refinement needs it. */
typedef struct change_run {
    kanon_state *state;
    kanon_change_options options;
    kanon_change *out;
    const char *command;
    char detail[160];
    kanon__subset subset;
    kanon_grouping *grouping;
    kanon__release_entry release;
    const kanon__state_stream *stream; /* also gets the release; NULL: it is not wanted */
    bool is_recorded;                  /* the release, but for its checksum */
    bool must_commit;                  /* also where no release is possible */
} change_run;

static kanon_status begin(change_run *c, kanon_state *s, const char *command, const kanon_change_options *options,
                          kanon_change *out, kanon_error *err)
{
    *c = (change_run){.state = s, .options = *options, .out = out, .command = command};
    return kanon__session_begin(s, true, err);
}

/* What the caller is told of the state after the change. */
static void note_counts(change_run *c)
{
    c->out->records = c->state->n_records;
    c->out->groups = c->state->n_groups;
    c->out->suppressed = c->state->n_suppressed;
}

/* The end of every change, called by kanon__publish: the state is committed and the files get their names, or neither.
 * Without files `files` is NULL. */
static kanon_status finish(kanon__finished *files, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    change_run *c = payload;
    kanon_state *s = c->state;
    if (c->stream != NULL)
        KANON_TRY(kanon__state_stream_fill(c->stream, s, &c->subset, c->grouping, err), out);
    if (c->is_recorded)
        KANON_TRY(kanon__release_rows_set_checksum(s, files->release_sha256, err), out);
    KANON_TRY(kanon__watched_note(s, err), out);
    KANON_TRY(kanon__session_save(s, c->command, c->detail, err), out);
    KANON_TRY(kanon__session_commit(s, files != NULL ? kanon__finished_name : NULL, files, err), out);
    c->out->committed = 1;
out:
    return st;
}

/* How large joint classes must be: as the caller says, else as the state does. 0: off. */
static int64_t required_joint_k(const change_run *c)
{
    int64_t said = c->options.joint_k != 0 ? c->options.joint_k : c->state->joint_k;
    return said > 0 ? said : 0;
}

/* Records the release, and audits it with all before it, from what is recorded. Where classes must be large enough, the plan
 * has seen to it. */
static kanon_status record_release(change_run *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_state *s = c->state;
    kanon_change *out = c->out;
    kanon__subset subset = {0};
    kanon__traces traces = {0};
    kanon__joint_counts counts;
    int64_t required = required_joint_k(c);
    c->release.n_withheld = out->withheld;
    c->release.joint_k = required;
    KANON_TRY(kanon__releases_append(s, &c->subset, &c->release, err), out);
    c->is_recorded = true;
    out->release = s->n_releases;
    if (s->n_releases == 1)
        goto out;
    out->joint_k = required > 0 ? required : s->k;
    out->joint_required = required > 0;
    KANON_TRY(kanon__subset_list_all(&subset, s, err), out);
    KANON_TRY(kanon__traces_load(&traces, s, &subset, err), out);
    KANON_TRY(kanon__traces_compare(&counts, &traces, s->n_releases, out->joint_k, err), out);
    out->joint_smallest = counts.smallest;
    out->joint_below = counts.below;
    out->joint_made_below = counts.made_below;
    c->grouping->joint = (kanon__joint_status){.releases = s->n_releases,
                                               .k = out->joint_k,
                                               .required = required > 0,
                                               .smallest = counts.smallest,
                                               .below = counts.below,
                                               .made_below = counts.made_below,
                                               .withheld = out->withheld};
    if (required > 0 && counts.made_below > 0)
        st = kanon__fail(err, KANON_EINTERNAL, "the release has joint classes that are too small");
out:
    kanon__traces_clear(&traces);
    kanon__subset_clear(&subset);
    return st;
}

/* Notes in the grouping, for the report, which requirements it satisfies in addition to k. */
static kanon_status note_requirements(change_run *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__constraints *constraints = NULL;
    kanon__space *space = NULL;
    const kanon_table *t = c->subset.table;
    KANON_TRY(kanon__subset_constraints(&constraints, &c->subset, c->state, err), out);
    KANON_TRY(kanon__space_new(&space, &t->data, t->data.quasi, t->data.n_quasi, KANON__TERMS_LOSS, err), out);
    kanon__run run = {.table = &t->data,
                      .policy = &t->policy, /* withheld records count for the budget: they are in the state */
                      .may_suppress = kanon__fraction_of(t->policy.suppress, c->state->n_records),
                      .space = space,
                      .k = c->state->k,
                      .constraints = constraints};
    KANON_TRY(kanon__requirements_record(c->grouping, &run, err), out);
out:
    kanon__space_free(space);
    kanon__constraints_free(constraints);
    return st;
}

/* The grouping that is to be released, checked. */
static kanon_status make_release(change_run *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_state *s = c->state;
    kanon__drift drift;
    if (c->subset.table == NULL) {
        KANON_TRY(kanon__subset_list_all(&c->subset, s, err), out);
        KANON_TRY(kanon__subset_read_table(&c->subset, s, err), out);
    }
    KANON_TRY(kanon__drift_measure(&drift, s, &c->subset, err), out);
    if (drift.n_records > 0 && drift.fresh > 0)
        c->out->drift = drift.now / drift.fresh - 1;
    int64_t joint_k = required_joint_k(c);
    if (joint_k > 0 && wants_release(c->options.outputs)) {
        kanon__joint_result joint;
        KANON_TRY(kanon__joint_plan(&c->subset, s, joint_k, &joint, err), out);
        c->out->withheld = joint.n_withheld;
        c->out->moved = joint.n_moved;
        c->out->merged = joint.n_merged;
        c->out->below_joint_k = joint.n_below;
    }
    KANON_TRY(kanon__subset_grouping(&c->grouping, &c->subset, s, err), out);
    KANON_TRY(kanon__verify_subset(&c->subset, s, c->grouping->group_of, c->grouping->n_groups, err), out);
    KANON_TRY(note_requirements(c, err), out);
    KANON_TRY(describe_release(&c->release, &c->out->loss, c->subset.table, c->grouping, err), out);
    if (wants_release(c->options.outputs))
        KANON_TRY(record_release(c, err), out);
out:
    return st;
}

/* No release is possible. Who asks for records to go, or to be put right, must get that all the same: nothing of the release
 * is recorded or written, the change is committed, and the call fails. */
static kanon_status commit_without_release(change_run *c, kanon_status st, kanon_error *err)
{
    static const char made[] = "the change is made, but no release is written: ";
    char message[sizeof err->message - sizeof made];
    if (st != KANON_EINFEASIBLE || !c->must_commit || c->is_recorded)
        return st;
    kanon_error other = {0};
    kanon_status committed = finish(NULL, c, &other);
    if (committed != KANON_OK) {
        *err = other;
        return committed;
    }
    c->out->withheld = c->out->moved = c->out->merged = c->out->below_joint_k = 0;
    snprintf(message, sizeof message, "%.*s", (int)sizeof message - 1, err->message);
    snprintf(err->message, sizeof err->message, "%s%s", made, message);
    return st;
}

/* Write what is asked for and commit; without outputs the change is only committed. */
static kanon_status complete(change_run *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    note_counts(c);
    KANON_TRY(kanon__group_index_smallest(c->state->index, &c->out->k, err), out);
    if (c->options.outputs == NULL) {
        KANON_TRY(finish(NULL, c, err), out);
        goto out;
    }
    st = make_release(c, err);
    if (st != KANON_OK) {
        st = commit_without_release(c, st, err);
        goto out;
    }
    KANON_TRY(kanon__publish(c->subset.table, c->grouping, c->options.outputs, err, finish, c), out);
out:
    return st;
}

/* Ends the session in any case: what was not committed is rolled back. */
static void end(change_run *c)
{
    kanon_grouping_free(c->grouping);
    kanon__subset_clear(&c->subset);
    kanon__session_end(c->state);
}

/* Apply the rows of `source`, which is taken over in any case. */
static kanon_status apply_source(kanon_state *s, kanon__source *source, kanon__delta_kind kind,
                                 const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    static const char *const commands[] = {"insert", "delete", "update"};
    kanon_status st = KANON_OK;
    change_run c;
    kanon__delta_result done;
    KANON_TRY(begin(&c, s, commands[kind], options, out, err), out);
    c.must_commit = kind != KANON__DELTA_INSERT;
    kanon__delta_options how = {kind, c.options.grow_taxonomy != 0, c.options.again != 0, c.options.effort};
    st = kanon__session_apply(s, source, &how, &done, err);
    source = NULL;
    if (st != KANON_OK)
        goto out;
    out->changed = done.n_records;
    out->splits = done.n_splits;
    out->dispersed = done.n_dispersed;
    out->grown = done.n_grown;
    snprintf(out->question, sizeof out->question, "%s", done.question);
    out->repaired = done.n_repaired;
    int used = snprintf(c.detail, sizeof c.detail, "%lld records, %lld groups split, %lld dispersed",
                        (long long)done.n_records, (long long)done.n_splits, (long long)done.n_dispersed);
    if (kanon__state_has_requirements(s))
        snprintf(c.detail + used, sizeof c.detail - (size_t)used, ", %lld repaired", (long long)done.n_repaired);
    KANON_TRY(complete(&c, err), out);
out:
    end(&c);
    kanon__source_free(source);
    return st;
}

static kanon_status apply_input(kanon_state *s, kanon__input *input, kanon__delta_kind kind,
                                const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    kanon__source *source = NULL;
    kanon__csv_reading how = {.delimiter = options->delimiter, .header = options->header, .encoding = options->encoding};
    kanon__ticker ticker;
    kanon__ticker_init(&ticker, s->tick, s->payload, "reading");
    kanon_status st = kanon__table_source_new(&source, input, &how, err);
    if (st == KANON_OK)
        st = kanon__table_source_load(source, 0, &ticker, err);
    if (st == KANON_OK)
        return apply_source(s, source, kind, options, out, err);
    kanon__source_free(source);
    return st;
}

static kanon_status apply_file(kanon_state *s, const char *path, kanon__delta_kind kind, const kanon_change_options *options,
                               kanon_change *out, kanon_error *err)
{
    change_call call;
    kanon__input input = {0};
    kanon_status st = change_begin(&call, s, options, out, err);
    if (st == KANON_OK)
        st = kanon__table_input_open(&input, path, err);
    return change_end(&call, st == KANON_OK ? apply_input(s, &input, kind, &call.options, out, err) : st);
}

static kanon_status apply_bytes(kanon_state *s, const void *bytes, size_t size, const char *name, kanon__delta_kind kind,
                                const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    change_call call;
    kanon__input input = {0};
    kanon_status st = change_begin(&call, s, options, out, err);
    if (st == KANON_OK)
        st = kanon__input_from_bytes(&input, name, bytes, size, NULL, err);
    return change_end(&call, st == KANON_OK ? apply_input(s, &input, kind, &call.options, out, err) : st);
}

/* The whole stream is read before the session begins. */
static kanon_status apply_stream(kanon_state *s, struct ArrowArrayStream *stream, kanon__delta_kind kind,
                                 const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    change_call call;
    kanon__source *source = NULL;
    kanon__ticker ticker;
    kanon_status begun = change_begin(&call, s, options, out, err), st = KANON_OK;
    kanon__ticker_init(&ticker, s->tick, s->payload, "reading");
    KANON_TRY(kanon__arrow_source_new(&source, stream, NULL, err), out); /* the stream is taken over whatever is wrong */
    KANON_TRY(begun, out);
    KANON_TRY(kanon__arrow_source_load(source, 0, &ticker, err), out);
    st = apply_source(s, source, kind, &call.options, out, err);
    source = NULL;
out:
    kanon__source_free(source);
    return change_end(&call, st);
}

kanon_status kanon_state_insert(kanon_state *state, const char *delta, const kanon_change_options *options,
                                kanon_change *out, kanon_error *err)
{
    return apply_file(state, delta, KANON__DELTA_INSERT, options, out, err);
}

kanon_status kanon_state_insert_bytes(kanon_state *state, const void *delta, size_t size, const char *name,
                                      const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    return apply_bytes(state, delta, size, name, KANON__DELTA_INSERT, options, out, err);
}

kanon_status kanon_state_insert_arrow(kanon_state *state, struct ArrowArrayStream *delta,
                                      const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    return apply_stream(state, delta, KANON__DELTA_INSERT, options, out, err);
}

kanon_status kanon_state_delete(kanon_state *state, const char *delta, const kanon_change_options *options,
                                kanon_change *out, kanon_error *err)
{
    return apply_file(state, delta, KANON__DELTA_DELETE, options, out, err);
}

kanon_status kanon_state_delete_bytes(kanon_state *state, const void *delta, size_t size, const char *name,
                                      const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    return apply_bytes(state, delta, size, name, KANON__DELTA_DELETE, options, out, err);
}

kanon_status kanon_state_delete_arrow(kanon_state *state, struct ArrowArrayStream *delta,
                                      const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    return apply_stream(state, delta, KANON__DELTA_DELETE, options, out, err);
}

kanon_status kanon_state_update(kanon_state *state, const char *delta, const kanon_change_options *options,
                                kanon_change *out, kanon_error *err)
{
    return apply_file(state, delta, KANON__DELTA_UPDATE, options, out, err);
}

kanon_status kanon_state_update_bytes(kanon_state *state, const void *delta, size_t size, const char *name,
                                      const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    return apply_bytes(state, delta, size, name, KANON__DELTA_UPDATE, options, out, err);
}

kanon_status kanon_state_update_arrow(kanon_state *state, struct ArrowArrayStream *delta,
                                      const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    return apply_stream(state, delta, KANON__DELTA_UPDATE, options, out, err);
}

/* kanon_state_release within its call. Without outputs nothing would be released, and the call is refused. `stream` may be
 * NULL. */
static kanon_status release(kanon_state *state, const kanon_change_options *options, const kanon__state_stream *stream,
                            kanon_change *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    change_run c;
    KANON_TRY(begin(&c, state, "release", options, out, err), out);
    c.stream = stream;
    if (c.options.outputs == NULL) {
        st = kanon__fail(err, KANON_EINVAL, "no outputs are asked for");
        goto out;
    }
    KANON_TRY(complete(&c, err), out);
    if (wants_release(c.options.outputs))
        kanon__watch_restart(state);
    if (out->withheld + out->moved + out->merged > 0) /* it does not show the groups of the state */
        kanon__watch_give_up(state);
out:
    end(&c);
    return st;
}

kanon_status kanon_state_release(kanon_state *state, const kanon_change_options *options, kanon_change *out,
                                 kanon_error *err)
{
    change_call call;
    kanon_status st = change_begin(&call, state, options, out, err);
    return change_end(&call, st == KANON_OK ? release(state, &call.options, NULL, out, err) : st);
}

static int discard(const void *bytes, size_t size, void *payload)
{
    (void)bytes, (void)size, (void)payload;
    return 0;
}

/* The CSV text is made, too, and discarded if nobody wants it: the checksum of a recorded release is that of its text. */
kanon_status kanon__state_release_stream(const kanon__state_stream *stream, kanon_state *state,
                                         const kanon_change_options *options, kanon_change *change, kanon_error *err)
{
    kanon_status st = KANON_OK;
    change_call call;
    const kanon_sink nowhere = {.name = "release.csv", .write = discard};
    KANON_TRY(change_begin(&call, state, options, change, err), out);
    const kanon_outputs only_stream = {
        .struct_size = sizeof only_stream, .release_to = &nowhere, .tick = state->tick, .payload = state->payload};
    if (call.options.outputs == NULL)
        call.options.outputs = &only_stream;
    else if (!wants_release(call.options.outputs))
        call.outputs.wanted.release_to = &nowhere;
    KANON_TRY(release(state, &call.options, stream, change, err), out);
out:
    return change_end(&call, st);
}

/* ---- refining ---------------------------------------------------------------------------------------------------- */

/* The refinement of that name; an unknown one is answered with the known names. */
static kanon_status find_refinement(const kanon__refinement **out, const char *name, kanon_error *err)
{
    char names[256] = "";
    *out = kanon__refinement_find(name);
    if (*out != NULL)
        return KANON_OK;
    for (size_t i = 0; i < kanon_refinement_count(); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "",
                 kanon_refinement_at(i)->name);
    return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "there is no refinement '%s'", name), "choose one of: %s", names);
}

/* Run the refinement on all records of the state as if they were a table, then enforce the constraints on classes
 * and check the groups independently. group_of and n_groups become the new groups. */
static kanon_status run_refinement(const kanon__refinement *refinement, change_run *c, int32_t *group_of, int64_t *n_groups,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__space *space = NULL;
    kanon__constraints *constraints = NULL;
    kanon__settings settings = {0};
    int64_t n_repaired = 0;
    kanon__texts warnings = {0}, chosen = {0};
    kanon__ticker ticker;
    const kanon_table *t = c->subset.table;
    const kanon_algorithm_info *info = &refinement->info;
    kanon__ticker_init(&ticker, c->state->tick, c->state->payload, "refining");
    KANON_TRY(kanon__requirements_allow(&t->data, &t->policy, true, err), out);
    KANON_TRY(kanon__settings_init(&settings, info->name, info->settings, info->n_settings, NULL, 0, err), out);
    KANON_TRY(kanon__space_new(&space, &t->data, t->data.quasi, t->data.n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(kanon__subset_constraints(&constraints, &c->subset, c->state, err), out);
    kanon__run run = {.table = &t->data,
                      .policy = &t->policy,
                      .may_suppress = 0, /* no command suppresses records */
                      .space = space,
                      .constraints = constraints,
                      .k = c->state->k,
                      .seed = c->state->seed,
                      .threads = kanon__pool_threads(0),
                      .settings = &settings,
                      .ticker = &ticker,
                      .warnings = &warnings,
                      .chosen = &chosen,
                      .group_of = group_of,
                      .n_groups = (int32_t)*n_groups};
    KANON_TRY(refinement->run(&run, err), out);
    *n_groups = run.n_groups;
    KANON_TRY(kanon__grouping_renumber(group_of, t->data.n_rows, n_groups, err), out);
    run.n_groups = (int32_t)*n_groups;
    KANON_TRY(kanon__enforce_on_classes(&run, &n_repaired, err), out);
    *n_groups = run.n_groups;
    KANON_TRY(kanon__verify_subset(&c->subset, c->state, group_of, *n_groups, err), out);
out:
    kanon__constraints_free(constraints);
    kanon__texts_clear(&chosen);
    kanon__texts_clear(&warnings);
    kanon__settings_clear(&settings);
    kanon__space_free(space);
    return st;
}

/* Refine the groups and replace those of the state. Old numbers are kept where possible, because releases name
 * groups by them. */
static kanon_status refine(change_run *c, const kanon__refinement *refinement, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_state *s = c->state;
    kanon_grouping *before = NULL, *after = NULL;
    kanon__release_entry ignored;
    int64_t *numbers = NULL, n_groups;
    KANON_TRY(kanon__subset_list_all(&c->subset, s, err), out);
    KANON_TRY(kanon__subset_read_table(&c->subset, s, err), out);
    KANON_TRY(kanon__subset_grouping(&before, &c->subset, s, err), out);
    KANON_TRY(describe_release(&ignored, &c->out->loss_before, c->subset.table, before, err), out);
    n_groups = before->n_groups;
    KANON_TRY(run_refinement(refinement, c, before->group_of, &n_groups, err), out);
    KANON_TRY(kanon__number_groups(&numbers, &c->subset, s, before->group_of, n_groups, err), out);
    KANON_TRY(kanon__session_replace_groups(s, before->group_of, numbers, n_groups, err), out);
    for (int64_t row = 0; row < c->subset.n; row++)
        c->subset.groups[row] = before->group_of[row] >= 0 ? numbers[before->group_of[row]] : 0;
    KANON_TRY(kanon__subset_grouping(&after, &c->subset, s, err), out);
    KANON_TRY(describe_release(&ignored, &c->out->loss, c->subset.table, after, err), out);
out:
    kanon__free(numbers);
    kanon_grouping_free(after);
    kanon_grouping_free(before);
    return st;
}

static kanon_status optimize(kanon_state *state, const char *refinement, const kanon_change_options *options,
                             kanon_change *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    change_run c;
    const kanon__refinement *found = NULL;
    KANON_TRY(begin(&c, state, "optimize", options, out, err), out);
    KANON_TRY(find_refinement(&found, refinement != NULL ? refinement : "il-optimization", err), out);
    KANON_TRY(refine(&c, found, err), out);
    snprintf(c.detail, sizeof c.detail, "%s", found->info.name);
    KANON_TRY(complete(&c, err), out);
out:
    end(&c);
    return st;
}

kanon_status kanon_state_optimize(kanon_state *state, const char *refinement, const kanon_change_options *options,
                                  kanon_change *out, kanon_error *err)
{
    change_call call;
    kanon_status st = change_begin(&call, state, options, out, err);
    return change_end(&call, st == KANON_OK ? optimize(state, refinement, &call.options, out, err) : st);
}
