/* kanon.refresh: reads the source, groups it, writes the release, and verifies what was written before the transaction ends.
 *
 *     lock the release      two refreshes wait for each other, readers for none
 *     read                  all rows with one snapshot
 *     group, release        the library; the release is checked there, cell by cell
 *     write                 old rows go, new ones come, in the order of the release
 *     verify                the rows as they are now in the table are read: they are those of the release, and every class
 *                           of them has k records and satisfies the constraints
 *
 * Whatever fails raises an error, and the transaction leaves the old release. */
#include "host.h"

#include "access/htup_details.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include <errno.h>
#include <math.h>

/* ---- grouping ---- */

void run_table(run *r, frame *rows)
{
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream;
    kanon_read_options options = {
        .struct_size = sizeof options, .tick = run_tick, .memory = run_memory(), .threads = run_threads()};
    frame_stream(&stream, rows);
    frame_drop(rows); /* the table has the only reference now */
    check(kanon_table_read(&r->table, KANON_STREAM(&stream), r->schema, &options, &err), &err);
}

void run_grouping(run *r, const definition *d)
{
    kanon_error err = KANON_INIT(kanon_error);
    check(kanon_anonymize(&r->grouping, r->table, &d->options, &err), &err);
}

static void make_release(run *r, const definition *d)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_outputs outputs = {.struct_size = sizeof outputs,
                             .release = KANON_TO_STREAM(&r->release),
                             .numeric = d->numeric,
                             .shuffle = d->shuffle,
                             .shuffle_seed = d->shuffle_seed,
                             .threads = run_threads(),
                             .tick = run_tick};
    check(kanon_publish(r->table, r->grouping, &outputs, &err), &err);
}

static void show_warnings(const run *r)
{
    const kanon_notice *notice;
    for (size_t i = 0; (notice = kanon_table_notice_at(r->table, i)) != NULL; i++)
        ereport(notice->kind == KANON_NOTICE_PRIVACY ? WARNING : DEBUG1, (errmsg("%s", from_utf8(notice->text))));
    for (size_t i = 0; (notice = kanon_grouping_notice_at(r->grouping, i)) != NULL; i++)
        if (notice->kind != KANON_NOTICE_NOTE)
            ereport(notice->kind == KANON_NOTICE_PRIVACY ? WARNING : NOTICE, (errmsg("%s", from_utf8(notice->text))));
}

/* ---- writing and verifying ---- */

static void execute(const char *sql)
{
    int done = SPI_execute(sql, false, 0);
    if (done < 0)
        elog(ERROR, "a statement of the extension failed: %s", SPI_result_code_string(done));
}

static char *qualified_release(const definition *d)
{
    return quote_qualified_identifier(get_namespace_name(get_rel_namespace(d->release)), get_rel_name(d->release));
}

/* The rows of the table as they are now, compared with those that were to be written and counted by the library's check of
 * published files. Entities are not among the columns of a release: that each class has k of them was checked before. */
static void verify(run *r, definition *d, const fingerprint *written)
{
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream;
    fingerprint found = *written;
    found.sum[0] = found.sum[1] = 0;
    found.rows = 0;
    progress_stage("reading back", 0, 0);
    CommandCounterIncrement();
    frame *rows = read_release(r, d, GetLatestSnapshot(), false);
    frame_stream(&r->release, rows);
    if (r->release.get_schema(&r->release, &r->batch_schema) != 0)
        ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
    while (r->release.get_next(&r->release, &r->batch) == 0 && r->batch.release != NULL) {
        fingerprint_batch(&found, &r->batch_schema, &r->batch);
        r->batch.release(&r->batch);
        CHECK_FOR_INTERRUPTS();
    }
    r->batch_schema.release(&r->batch_schema);
    r->release.release(&r->release);
    if (!fingerprint_equal(&found, written))
        ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("the rows of the release are not those that were written")));
    frame_stream(&stream, rows);
    frame_drop(rows);
    kanon_check_options options = {.struct_size = sizeof options, .tick = run_tick, .k = d->k};
    check(kanon_check_read(&r->found, KANON_STREAM(&stream), r->schema, &options, &err), &err);
    if (r->found->n_violated > 0 || (r->found->records > r->found->suppressed && r->found->k < d->k))
        ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("the release does not hold what was asked for")));
}

/* All rows come anew, also after a small change: those that stayed where they are would tell by their xmin and ctid which
 * rows are new, to everybody who may read the release. */
void write_release(run *r, definition *d)
{
    fingerprint sum;
    fingerprint_init(&sum, d);
    execute(psprintf("DELETE FROM ONLY %s", qualified_release(d)));
    sink *s = sink_open(r, d);
    sink_write(s, r, &sum);
    sink_close(s);
    verify(r, d, &sum);
}

/* ---- measures ---- */

static int keep_bytes(const void *bytes, size_t size, void *payload)
{
    StringInfo to = payload;
    if ((size_t)to->len + size + 1 > (size_t)to->maxlen) {
        size_t room = ((size_t)to->len + size + 1) * 2;
        char *grown = room > INT_MAX ? NULL : realloc(to->data, room);
        if (grown == NULL)
            return ENOMEM;
        to->data = grown;
        to->maxlen = (int)room;
    }
    memcpy(to->data + to->len, bytes, size);
    to->len += (int)size;
    to->data[to->len] = '\0';
    return 0;
}

/* What `kanon_publish` writes, as a text of the server. Its buffer is of malloc and belongs to the run. */
char *run_publish(run *r, kanon_outputs *outputs, const kanon_output **slot, const char *name)
{
    kanon_error err = KANON_INIT(kanon_error);
    memset(&r->bytes, 0, sizeof r->bytes);
    kanon_sink sink_of_text = {.struct_size = sizeof(kanon_sink), .name = name, .write = keep_bytes, .payload = &r->bytes};
    *slot = KANON_TO_SINK(&sink_of_text);
    outputs->struct_size = sizeof *outputs;
    outputs->threads = run_threads();
    outputs->tick = run_tick;
    check(kanon_publish(r->table, r->grouping, outputs, &err), &err);
    return r->bytes.data == NULL ? pstrdup("") : pstrdup(from_utf8(r->bytes.data));
}

static void keep_measures(run *r, const definition *d)
{
    Oid types[] = {TEXTOID, INT4OID, TEXTOID, TEXTOID, FLOAT8OID, TEXTOID};
    SPIPlanPtr plan = SPI_prepare("INSERT INTO kanon.refresh_measures VALUES ($1::uuid, $2, $3, $4, $5, $6)", 6, types);
    execute(psprintf("DELETE FROM kanon.refresh_measures WHERE definition = '%s'", d->id));
    for (size_t i = 0; kanon_measures_at(r->measures, i) != NULL; i++) {
        const kanon_figure *f = kanon_measures_at(r->measures, i);
        char nulls[] = "      ";
        Datum values[] = {
            CStringGetTextDatum(d->id),   Int32GetDatum((int32)i + 1),
            CStringGetTextDatum(f->name), f->attribute == NULL ? (Datum)0 : CStringGetTextDatum(from_utf8(f->attribute)),
            Float8GetDatum(f->value),     f->formula == NULL ? (Datum)0 : CStringGetTextDatum(from_utf8(f->formula))};
        nulls[3] = f->attribute == NULL ? 'n' : ' ';
        nulls[4] = isnan(f->value) ? 'n' : ' ';
        nulls[5] = f->formula == NULL ? 'n' : ' ';
        SPI_execute_plan(plan, values, nulls, false, 0);
    }
}

/* Every measure and the report of a small table, counts and loss of a large one. */
static char *measure(run *r, const definition *d, double *loss)
{
    kanon_error err = KANON_INIT(kanon_error);
    bool all = d->report == REPORT_ALWAYS || (d->report == REPORT_UNSAID && kanon_table_rows(r->table) <= REPORT_RECORDS);
    kanon_evaluate_options options = {
        .struct_size = sizeof options, .threads = run_threads(), .tick = run_tick, .brief = !all};
    check(kanon_evaluate(&r->measures, r->table, r->grouping, &options, &err), &err);
    const kanon_figure *figure = kanon_measures_find(r->measures, "avg_loss", NULL);
    *loss = figure == NULL ? NAN : figure->value;
    keep_measures(r, d);
    if (!all)
        return NULL;
    kanon_outputs outputs = {.measures = r->measures, .shuffle = d->shuffle};
    return run_publish(r, &outputs, &outputs.report, "report.json");
}

/* ---- the function ---- */

int keep_refresh(const definition *d, const refreshed *f)
{
    Oid types[] = {TEXTOID, TEXTOID, INT8OID, INT8OID, INT8OID, INT8OID, FLOAT8OID, TEXTOID, INT8OID, FLOAT8OID};
    Datum values[] = {CStringGetTextDatum(d->id),   CStringGetTextDatum(f->kind),
                      Int64GetDatum(f->records),    Int64GetDatum(f->groups),
                      Int64GetDatum(f->suppressed), Int64GetDatum(f->k),
                      Float8GetDatum(f->loss),      f->report == NULL ? (Datum)0 : CStringGetTextDatum(f->report),
                      Int64GetDatum(f->withheld),   Float8GetDatum(f->drift)};
    char nulls[] = "          ";
    bool null;
    nulls[6] = isnan(f->loss) ? 'n' : ' ';
    nulls[7] = f->report == NULL ? 'n' : ' ';
    nulls[9] = isnan(f->drift) ? 'n' : ' ';
    int done = SPI_execute_with_args(
        "INSERT INTO kanon.refreshes"
        " (definition, number, mode, records, groups, suppressed, k, loss, report, withheld, drift)"
        " SELECT $1::uuid, coalesce(max(number), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM kanon.refreshes"
        "  WHERE definition = $1::uuid RETURNING number",
        10, types, values, nulls, false, 0);
    if (done != SPI_OK_INSERT_RETURNING || SPI_processed != 1)
        elog(ERROR, "the refresh cannot be noted");
    return DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &null));
}

static void refresh_fully(run *r, definition *d, refreshed *out)
{
    if (d->incremental && d->joint_k > 0 && state_exists(d))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("a full refresh would forget the releases that joint_k is about"),
                        errhint("Refresh it with mode => 'incremental', or call kanon.restart to begin anew.")));
    run_table(r, read_source(r, d, NULL));
    run_grouping(r, d);
    show_warnings(r);
    make_release(r, d);
    write_release(r, d);
    if (d->incremental)
        state_begin(r, d);
    out->kind = "full";
    const kanon_grouping_info *made = kanon_grouping_describe(r->grouping);
    out->records = made->rows;
    out->groups = made->groups;
    out->suppressed = made->suppressed;
    out->k = made->smallest;
    out->report = measure(r, d, &out->loss);
}

SQL_FUNCTION(kanon_refresh);

Datum kanon_refresh(PG_FUNCTION_ARGS)
{
    Oid release = PG_GETARG_OID(0);
    char *mode = text_to_cstring(PG_GETARG_TEXT_PP(1));
    bool by_change = strcmp(mode, "incremental") == 0;
    TupleDesc row;
    refreshed done = {.loss = NAN, .drift = NAN};
    if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "the result is not a row");
    if (!by_change && strcmp(mode, "full") != 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a refresh is full or incremental")));
    MemoryContext outside = CurrentMemoryContext;
    SPI_connect();
    run *r = run_begin();
    definition *d = definition_open(r, release);
    LockRelationOid(release, ExclusiveLock);
    PushActiveSnapshot(GetTransactionSnapshot());
    definition_still(d);
    bool has_state = d->incremental && state_exists(d);
    if (d->incremental && !(by_change && has_state)) {
        state_mend(d); /* before the snapshot that the source is read with: what is changed from here on is noted */
        PopActiveSnapshot();
        PushActiveSnapshot(GetTransactionSnapshot());
    }
    progress_begin(release);
    if (by_change && !d->incremental)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("changes of the source are not noted"),
                        errhint("Define the release with incremental => true.")));
    if (d->incremental && d->released && !has_state && (by_change || d->joint_k > 0))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the state of the release is gone, and with it what was released"),
                        errdetail("A restore may have left out rows of kanon.state_pages."), hint_anew(d)));
    if (by_change && has_state)
        state_refresh(r, d, &done);
    else
        refresh_fully(r, d, &done);
    int number = keep_refresh(d, &done);
    execute(psprintf("SELECT kanon.note_names_once('%s')", d->id));
    PopActiveSnapshot();

    MemoryContext inside = MemoryContextSwitchTo(outside);
    Datum values[] = {Int32GetDatum(number),      CStringGetTextDatum(done.kind), Int64GetDatum(done.records),
                      Int64GetDatum(done.groups), Int64GetDatum(done.suppressed), Int64GetDatum(done.k),
                      Float8GetDatum(done.loss),  Int64GetDatum(done.withheld), Float8GetDatum(done.drift)};
    bool nulls[] = {false, false, false, false, false, false, isnan(done.loss), false, isnan(done.drift)};
    HeapTuple tuple = heap_form_tuple(BlessTupleDesc(row), values, nulls);
    MemoryContextSwitchTo(inside);
    run_end(r);
    SPI_finish();
    PG_RETURN_DATUM(HeapTupleGetDatum(tuple));
}
