/* A run: one call of a function of the extension, and all that it owns.
 *
 * Its memory context is made first and frees the rest: objects of the library, rows that were read, a release that is
 * half written. So whatever line an error leaves from, nothing stays. */
#include "host.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"

static void release_arrow(run *r)
{
    if (r->batch.release != NULL)
        r->batch.release(&r->batch);
    if (r->batch_schema.release != NULL)
        r->batch_schema.release(&r->batch_schema);
    if (r->release.release != NULL)
        r->release.release(&r->release);
}

static void run_clear(void *arg)
{
    run *r = arg;
    release_arrow(r);
    kanon_audit_free(r->audit);
    kanon_state_close(r->state);
    pages_free(r->pages);
    kanon_check_free(r->found);
    kanon_measures_free(r->measures);
    kanon_grouping_free(r->grouping);
    kanon_table_free(r->table);
    kanon_schema_free(r->schema);
    free(r->bytes.data);
    while (r->frames != NULL)
        frame_drop(r->frames);
}

/* Names mean the same whatever the caller has set, texts have one style, and rows come in the order of the table. */
static const struct {
    const char *name, *value;
} settings[] = {
    {"search_path", "pg_catalog, pg_temp"},
    {"synchronize_seqscans", "off"},
    {"datestyle", "ISO, YMD"},
    {"intervalstyle", "postgres"},
    {"timezone", "UTC"},
    {"extra_float_digits", "1"},
    {"bytea_output", "hex"},
};

int run_style(void)
{
    int nest = NewGUCNestLevel();
    for (int i = 0; i < lengthof(settings); i++)
        set_config_option(settings[i].name, settings[i].value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
    return nest;
}

/* Before the first query: a name in the caller's search_path must not be what the extension means. */
run *run_begin(void)
{
    MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "kanon", ALLOCSET_DEFAULT_SIZES);
    forget_error();
    run *r = MemoryContextAllocZero(context, sizeof *r);
    r->context = context;
    r->callback = (MemoryContextCallback){.func = run_clear, .arg = r};
    MemoryContextRegisterResetCallback(context, &r->callback);
    r->library = (kanon_context){.struct_size = sizeof r->library, .threads = run_threads(), .tick_on_caller = 1};
    r->save_nest = run_style();
    return r;
}

void run_end(run *r)
{
    if (r->pages != NULL)
        pages_close(r->pages);
    run_as_caller(r);
    AtEOXact_GUC(false, r->save_nest);
    progress_end();
    MemoryContextDelete(r->context);
}

void run_as(run *r, Oid owner)
{
    GetUserIdAndSecContext(&r->save_user, &r->save_security);
    SetUserIdAndSecContext(owner, r->save_security | SECURITY_LOCAL_USERID_CHANGE | SECURITY_RESTRICTED_OPERATION);
    r->switched = true;
}

/* After an error the server does the same by itself. */
void run_as_caller(run *r)
{
    if (!r->switched)
        return;
    r->switched = false;
    SetUserIdAndSecContext(r->save_user, r->save_security);
}

int64_t run_memory(void)
{
    return (int64_t)maintenance_work_mem * 1024;
}

int run_threads(void)
{
    return kanon_threads;
}

int run_tick(const kanon_progress *progress, void *payload)
{
    (void)payload;
    progress_stage(progress->stage, progress->done, progress->total);
    return QueryCancelPending || ProcDiePending;
}
