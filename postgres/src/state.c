/* Refresh by change: the notes of what changed in the source are applied to a state of the library, and what it holds then
 * is released. All rows are written (refresh.c).
 *
 * The bytes of the state are rows of the database (pages.c). */
#include "host.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"
#include "utils/snapmgr.h"

#include <math.h>

/* From here on a full refresh is advised: the share by which groups lose more than new ones. */
#define MOST_DRIFT 0.1

/* ---- notes ---- */

/* The notes that the active snapshot shows, as an array of their places. */
static Datum notes_seen(const definition *d)
{
    bool null;
    SPI_execute(psprintf("SELECT coalesce(array_agg(place), '{}') FROM kanon.changes WHERE definition = '%s'", d->id), true,
                0);
    Datum places = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &null);
    return PointerGetDatum(PG_DETOAST_DATUM_COPY(places));
}

static void forget_notes(const definition *d, Datum places)
{
    Oid types[] = {TEXTOID, INT8ARRAYOID};
    Datum values[] = {CStringGetTextDatum(d->id), places};
    SPI_execute_with_args("DELETE FROM kanon.changes WHERE definition = $1::uuid AND place = ANY ($2)", 2, types, values,
                          NULL, false, 0);
}

static int64_t count(const char *sql)
{
    bool null;
    if (SPI_execute(sql, true, 0) != SPI_OK_SELECT)
        elog(ERROR, "a query of the extension failed");
    return DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &null));
}

/* ---- deltas ---- */

/* The columns of the key, with their types. */
static void append_keys(StringInfo to, const definition *d, const char *format)
{
    for (int i = 0; i < d->n_key; i++) {
        AttrNumber number = get_attnum(d->source, d->key[i]->source_name);
        char *type = format_type_with_typemod(get_atttype(d->source, number), -1);
        if (format == NULL) /* of the notes */
            appendStringInfo(to, "%s(f.key[%d])::%s AS %s", i == 0 ? "" : ", ", i + 1, type,
                             quote_identifier(psprintf("kanon %d", i + 1)));
        else
            appendStringInfo(to, "%ss.%s = c.%s", i == 0 ? "" : format, quote_identifier(d->key[i]->source_name),
                             quote_identifier(psprintf("kanon %d", i + 1)));
    }
}

/* Keys whose first note since the last refresh is an insert (new ones), or is not (old ones). */
static char *noted_keys(const definition *d, bool is_new)
{
    StringInfoData sql;
    initStringInfo(&sql);
    appendStringInfoString(&sql, "(SELECT ");
    append_keys(&sql, d, NULL);
    appendStringInfo(&sql,
                     " FROM (SELECT DISTINCT ON (key) key, operation FROM kanon.changes WHERE definition = '%s'"
                     " ORDER BY key, place) f WHERE f.operation %s 'I') c",
                     d->id, is_new ? "=" : "<>");
    return sql.data;
}

static frame *rows_there(run *r, definition *d, bool is_new)
{
    StringInfoData where;
    initStringInfo(&where);
    appendStringInfo(&where, " s JOIN %s ON ", noted_keys(d, is_new));
    append_keys(&where, d, " AND ");
    return read_source(r, d, where.data);
}

static frame *rows_gone(run *r, definition *d)
{
    StringInfoData sql;
    reader_column *columns = palloc0(((size_t)d->n_key + 1) * sizeof *columns);
    initStringInfo(&sql);
    appendStringInfoString(&sql, "SELECT ");
    for (int i = 0; i < d->n_key; i++) {
        appendStringInfo(&sql, "%s%s", i == 0 ? "" : ", ", quote_identifier(psprintf("kanon %d", i + 1)));
        columns[i] = (reader_column){
            .name = to_utf8(d->key[i]->name), .reading = d->key[i]->reading, .scale = d->key[i]->scale};
    }
    appendStringInfo(&sql, " FROM %s WHERE NOT EXISTS (SELECT FROM %s s WHERE ", noted_keys(d, false), d->source_name);
    append_keys(&sql, d, " AND ");
    appendStringInfoChar(&sql, ')');
    return frame_read(r, sql.data, columns, d->n_key);
}

/* A state that cannot go on says how the release begins anew; what the library says of files does not help here. */
static void check_state(kanon_status status, const definition *d, const kanon_error *err)
{
    bool has_topic = err->topic != NULL && err->topic[0] != '\0';
    if (status == KANON_EDATA && !has_topic)
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("%s", from_utf8(err->message)), hint_anew(d)));
    check(status, err);
}

/* Values that are new are welcome, unless a taxonomy says which there are. No search around the changes: it would rewrite
 * groups that nothing has happened to, and a refresh by change is to be short. */
static int64_t apply(run *r, const definition *d, frame *rows, kanon_change_kind kind)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    kanon_change_options options = {
        .struct_size = sizeof options, .again = 1, .grow_taxonomy = !d->has_taxonomy, .effort = "fast"};
    struct ArrowArrayStream stream;
    int64_t n = frame_rows(rows);
    if (n > 0) {
        frame_stream(&stream, rows);
        frame_drop(rows);
        check_state(kanon_state_change(r->state, kind, KANON_STREAM(&stream), &options, &done, &err), d, &err);
    } else {
        frame_drop(rows);
    }
    return n;
}

/* ---- refreshing ---- */

static void open_state(run *r, definition *d)
{
    kanon_error err = KANON_INIT(kanon_error);
    pages_open(r, d);
    kanon_state_options options = {
        .struct_size = sizeof options, .tick = run_tick, .context = &r->library, .storage = &r->storage};
    check_state(kanon_state_open(&r->state, release_name(d->release), &options, &err), d, &err);
}

bool state_exists(const definition *d)
{
    return count(psprintf("SELECT count(*) FROM kanon.state_pages WHERE definition = '%s' AND page = 0", d->id)) > 0;
}

void state_mend(const definition *d)
{
    const char *sql = "SELECT kanon.mend(d.id, d.source, d.settings) FROM kanon.definitions d WHERE d.id = '%s'";
    if (SPI_execute(psprintf(sql, d->id), false, 0) != SPI_OK_SELECT)
        elog(ERROR, "the triggers of the source cannot be looked at");
}

static int64_t joint_option(const definition *d)
{
    return d->joint_k > 0 ? d->joint_k : KANON_JOINT_K_OFF;
}

/* The table and its groups become the state, and what write_release has put into the table its first release. */
void state_begin(run *r, definition *d)
{
    kanon_error err = KANON_INIT(kanon_error);
    pages_new(r, d);
    kanon_state_options options = {
        .struct_size = sizeof options, .tick = run_tick, .context = &r->library, .storage = &r->storage, .released = 1};
    options.joint_k = joint_option(d);
    check(kanon_state_create(release_name(d->release), r->table, r->schema, r->grouping, NULL, &options, &err), &err);
    SPI_execute(psprintf("DELETE FROM kanon.state_pages WHERE definition = '%s'", d->id), false, 0);
    pages_save(r, d);
    forget_notes(d, notes_seen(d));
    source_sum_keep(d, source_sum_now(d));
    SPI_execute(psprintf("UPDATE kanon.definitions SET released = true WHERE id = '%s' AND NOT released", d->id), false, 0);
}

int hint_anew(const definition *d)
{
    return d->joint_k > 0 ? errhint("Forget what was released with kanon.restart, and refresh the release in full:"
                                    " mode => 'full'.")
                          : errhint("Refresh the release in full: mode => 'full'.");
}

/* Without the rows that the owner of a policy hides, the notes would speak of rows that are not there. */
static void refuse_row_security(const definition *d)
{
    if (check_enable_rls(d->source, InvalidOid, true) == RLS_ENABLED)
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
                        errmsg("the source has row security that applies to the owner of the release"),
                        errhint("Refresh it fully, or let a role own the release that sees all rows.")));
}

/* Groups that are kept up by change lose more than groups that are made anew; records may have to wait. */
static void show_done(const definition *d, const kanon_change *done)
{
    if (done->withheld > 0)
        ereport(NOTICE, (errmsg_plural("%lld record waits for a later release", "%lld records wait for a later release",
                                       (unsigned long)done->withheld, (long long)done->withheld),
                         errdetail("With them a joint class of all releases would be smaller than %lld.",
                                   (long long)d->joint_k)));
    if (!isnan(done->drift) && done->drift > MOST_DRIFT)
        ereport(NOTICE, (errmsg("the groups lose %.0f %% more than groups that are made anew", done->drift * 100),
                         hint_anew(d)));
}

void state_refresh(run *r, definition *d, refreshed *out)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    kanon_outputs outputs = {.struct_size = sizeof outputs,
                             .release = KANON_TO_STREAM(&r->release),
                             .numeric = d->numeric,
                             .shuffle = d->shuffle,
                             .shuffle_seed = d->shuffle_seed,
                             .threads = run_threads(),
                             .tick = run_tick};
    kanon_change_options options = {.struct_size = sizeof options, .joint_k = joint_option(d), .outputs = &outputs};
    refuse_row_security(d);
    if (count(psprintf("SELECT count(*) FROM kanon.changes WHERE definition = '%s' AND operation = 'T'", d->id)) > 0)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("the source was truncated"),
                        hint_anew(d)));
    Datum seen = notes_seen(d);
    source_sum now = source_sum_check(d);
    open_state(r, d);
    apply(r, d, rows_there(r, d, true), KANON_INSERT);
    apply(r, d, rows_there(r, d, false), KANON_UPDATE);
    apply(r, d, rows_gone(r, d), KANON_DELETE);
    check_state(kanon_state_release(r->state, &options, &done, &err), d, &err);
    if (done.records != now.rows)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the state has %lld records, and the source %lld", (long long)done.records,
                               (long long)now.rows),
                        hint_anew(d)));
    out->kind = "incremental";
    out->records = done.records - done.withheld;
    out->groups = done.groups;
    out->suppressed = done.suppressed;
    out->withheld = done.withheld;
    out->k = done.k;
    out->loss = done.loss;
    out->drift = done.drift;
    show_done(d, &done);
    write_release(r, d);
    for (size_t i = 0; i < r->found->n_warnings; i++)
        ereport(WARNING, (errmsg("%s", from_utf8(r->found->warnings[i]))));
    pages_save(r, d);
    forget_notes(d, seen);
    source_sum_keep(d, now);
}

/* ---- audit ---- */

SQL_FUNCTION(kanon_audit_release);

Datum kanon_audit_release(PG_FUNCTION_ARGS)
{
    kanon_error err = KANON_INIT(kanon_error);
    TupleDesc row;
    if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "the result is not a row");
    MemoryContext outside = CurrentMemoryContext;
    SPI_connect();
    run *r = run_begin();
    definition *d = definition_open(r, PG_GETARG_OID(0));
    if (!d->incremental || !state_exists(d))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("the release has no state"),
                        errhint("Define it with incremental => true and refresh it.")));
    open_state(r, d);
    check(kanon_state_audit(&r->audit, r->state, PG_GETARG_INT64(1), &err), &err);
    const kanon_audit *a = r->audit;
    Datum values[] = {Int64GetDatum(a->releases), Int64GetDatum(a->records),      Int64GetDatum(a->departed),
                      Int64GetDatum(a->classes),  Int64GetDatum(a->smallest),     Int64GetDatum(a->k),
                      Int64GetDatum(a->below),    Int64GetDatum(a->classes_below)};
    bool nulls[lengthof(values)] = {false};
    MemoryContext inside = MemoryContextSwitchTo(outside);
    HeapTuple tuple = heap_form_tuple(BlessTupleDesc(row), values, nulls);
    MemoryContextSwitchTo(inside);
    run_end(r);
    SPI_finish();
    PG_RETURN_DATUM(HeapTupleGetDatum(tuple));
}
