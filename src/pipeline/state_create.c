/* The public functions that open states and make new ones.
 *
 * A new state is made under a temporary name, and gets its own when it is complete and on disk, as the last step of
 * publishing the outputs that come with it. Calls src/state/maintain and pipeline/publish.h; has no SQL. */
#include "core/alloc.h"
#include "core/take_options.h"
#include "core/temporary_file.h"
#include "pipeline/publish.h"
#include "pipeline/release_plan.h"
#include "pipeline/state_run.h"
#include "state/maintain/releases.h"
#include "state/maintain/schema_fits.h"
#include "state/store/watch.h"
#include "verify/verify.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { WAIT_SECONDS = 10 };

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static kanon_status take_state_options(kanon_state_options *out, const kanon_state_options *options, kanon_error *err)
{
    kanon_state_storage s;
    KANON_CHECK(kanon__take_options(out, sizeof *out, options, err));
    KANON_CHECK(kanon__take_options(&s, sizeof s, out->storage, err));
    if (out->storage != NULL && (s.read == NULL || s.write == NULL || s.truncate == NULL || s.size == NULL))
        return kanon__fail(err, KANON_EINVAL, "a storage needs all its functions");
    if (out->joint_k == 1 || out->joint_k < KANON_JOINT_K_OFF)
        return kanon__fail(err, KANON_EINVAL, "joint_k is no size of joint classes");
    return kanon__context_check(out->context, err);
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
    KANON_CHECK(take_state_options(&o, options, err));
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

/* Where they cannot be named, the state goes, too. */
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
static kanon_status create(const char *path, const kanon_table *table, const kanon_schema *schema,
                           const kanon_grouping *grouping, const kanon_outputs *outputs, const kanon_state_options *o,
                           kanon_error *err)
{
    kanon_status st = KANON_OK;
    state_build m = {.path = path, .file = KANON__NO_TEMPORARY_FILE, .hosted = o->storage != NULL};
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
    m.released = kanon__wants_release(outputs) || o->released;
    KANON_TRY(kanon__describe_release(&m.release, table, grouping, err), out);
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
