/* kanon.check, kanon.check_figures and kanon.export: what a release reaches, and what the library would write.
 *
 * A check reads the rows of the release as anybody would and knows nothing of groups. An export groups the source as a
 * refresh does and keeps nothing: for comparing with the program. */
#include "host.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

static void find(run *r, Oid release)
{
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream;
    definition *d = definition_open(r, release);
    frame *rows = read_release(r, d, GetActiveSnapshot(), true);
    kanon_check_options options = {.struct_size = sizeof options, .tick = run_tick, .k = d->k};
    frame_stream(&stream, rows);
    frame_drop(rows);
    check(kanon_check_read(&r->found, KANON_STREAM(&stream), r->schema, &options, &err), &err);
}

static Datum texts(const char *const *items, size_t n)
{
    Datum *values = palloc((n + 1) * sizeof *values);
    for (size_t i = 0; i < n; i++)
        values[i] = CStringGetTextDatum(from_utf8(items[i]));
    return PointerGetDatum(construct_array(values, (int)n, TEXTOID, -1, false, TYPALIGN_INT));
}

SQL_FUNCTION(kanon_check_release);

Datum kanon_check_release(PG_FUNCTION_ARGS)
{
    TupleDesc row;
    if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE)
        elog(ERROR, "the result is not a row");
    MemoryContext outside = CurrentMemoryContext;
    SPI_connect();
    run *r = run_begin();
    find(r, PG_GETARG_OID(0));
    MemoryContext inside = MemoryContextSwitchTo(outside);
    const kanon_check *c = r->found;
    Datum values[] = {Int64GetDatum(c->records),         Int64GetDatum(c->suppressed),
                      Int64GetDatum(c->classes),         Int64GetDatum(c->k),
                      Float8GetDatum(c->highest_risk),   Float8GetDatum(c->average_risk),
                      texts(c->violated, c->n_violated), texts(c->not_shown, c->n_not_shown),
                      texts(c->warnings, c->n_warnings), BoolGetDatum(c->n_violated == 0)};
    bool nulls[lengthof(values)] = {false};
    HeapTuple tuple = heap_form_tuple(BlessTupleDesc(row), values, nulls);
    MemoryContextSwitchTo(inside);
    run_end(r);
    SPI_finish();
    PG_RETURN_DATUM(HeapTupleGetDatum(tuple));
}

SQL_FUNCTION(kanon_check_figures);

Datum kanon_check_figures(PG_FUNCTION_ARGS)
{
    ReturnSetInfo *set = (ReturnSetInfo *)fcinfo->resultinfo;
    InitMaterializedSRF(fcinfo, 0);
    SPI_connect();
    run *r = run_begin();
    find(r, PG_GETARG_OID(0));
    for (size_t i = 0; i < r->found->n_figures; i++) {
        const kanon_privacy_figure *f = r->found->figures[i];
        Datum values[] = {CStringGetTextDatum(f->model), CStringGetTextDatum(from_utf8(f->attribute)),
                          CStringGetTextDatum(f->figure), Float8GetDatum(f->value)};
        bool nulls[4] = {false};
        tuplestore_putvalues(set->setResult, set->setDesc, values, nulls);
    }
    Datum all[] = {CStringGetTextDatum("singling-out"), (Datum)0, CStringGetTextDatum("singled_out_all"),
                   Float8GetDatum(r->found->singled_out_all)};
    bool of_table[4] = {false, true, false, false};
    tuplestore_putvalues(set->setResult, set->setDesc, all, of_table);
    for (size_t i = 0; i < r->found->n_constraints; i++) {
        const kanon_constraint_status *c = r->found->constraints[i];
        Datum values[] = {CStringGetTextDatum(from_utf8(c->sentence)), (Datum)0,
                          CStringGetTextDatum(c->holds ? "holds" : "violated"), Float8GetDatum(c->reached)};
        bool nulls[4] = {false, true, false, false};
        tuplestore_putvalues(set->setResult, set->setDesc, values, nulls);
    }
    run_end(r);
    SPI_finish();
    return (Datum)0;
}

static kanon_numeric numeric_form(const char *word)
{
    static const char *const words[] = {"interval", "range", "mean", "columns"};
    for (int i = 0; i < lengthof(words); i++)
        if (strcmp(words[i], word) == 0)
            return (kanon_numeric)(KANON_NUMERIC_INTERVAL + i);
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("a form is interval, range, mean or columns")));
}

static char *publish(run *r, const char *what, const char *form)
{
    kanon_outputs outputs = {.numeric = numeric_form(form)};
    if (strcmp(what, "release") == 0)
        return run_publish(r, &outputs, &outputs.release, "release.csv");
    if (strcmp(what, "groups") == 0)
        return run_publish(r, &outputs, &outputs.groups, "groups.csv");
    if (strcmp(what, "report") == 0)
        return run_publish(r, &outputs, &outputs.report, "report.json");
    if (strcmp(what, "page") == 0)
        return run_publish(r, &outputs, &outputs.report, "report.html");
    ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("an export is release, groups, report or page")));
}

SQL_FUNCTION(kanon_export);

Datum kanon_export(PG_FUNCTION_ARGS)
{
    char *what = text_to_cstring(PG_GETARG_TEXT_PP(1)), *form = text_to_cstring(PG_GETARG_TEXT_PP(2));
    MemoryContext outside = CurrentMemoryContext;
    SPI_connect();
    run *r = run_begin();
    definition *d = definition_open(r, PG_GETARG_OID(0));
    progress_begin(d->release);
    run_table(r, read_source(r, d, NULL));
    run_grouping(r, d);
    char *made = publish(r, what, form);
    MemoryContext inside = MemoryContextSwitchTo(outside);
    text *result = cstring_to_text(made);
    MemoryContextSwitchTo(inside);
    run_end(r);
    SPI_finish();
    PG_RETURN_TEXT_P(result);
}
