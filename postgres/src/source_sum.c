/* Whether all changes of a source were noted: its rows are counted, and a sum over hashes of them is kept.
 *
 * Each note of a change says by how much it changes the sum (capture.c), so that the sum of the source as it is must be
 * that of the last refresh with what the notes say. It is not where rows were changed while the triggers did not run:
 * disabled, detached with a partition, or removed. Hashes are over the bytes of the commonest types, which a dump and a
 * restore keep, and over the texts of all others. Rows are added by exclusive or: each has a key, so that no two are
 * equal. */
#include "host.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "access/htup_details.h"

enum { ROWS_AT_A_TIME = 10000 };

static bool has_stable_bytes(Oid type)
{
    switch (type) {
    case BOOLOID:
    case INT2OID:
    case INT4OID:
    case INT8OID:
    case FLOAT4OID:
    case FLOAT8OID:
    case NUMERICOID:
    case TEXTOID:
    case VARCHAROID:
    case BPCHAROID:
    case DATEOID:
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
    case UUIDOID:
        return true;
    default:
        return false;
    }
}

void summed_column_init(summed_column *c, TupleDesc shape, int number)
{
    bool is_varlena;
    Form_pg_attribute a = TupleDescAttr(shape, number - 1);
    *c = (summed_column){.number = number, .by_value = a->attbyval, .length = a->attlen};
    c->is_text = !has_stable_bytes(getBaseType(a->atttypid));
    if (c->is_text)
        getTypeOutputInfo(a->atttypid, &c->output, &is_varlena);
}

static uint64 hash_of(const summed_column *c, Datum value)
{
    if (!c->is_text)
        return (uint64)datum_image_hash(value, c->by_value, c->length) + 1;
    char *text = OidOutputFunctionCall(c->output, value);
    uint64 h = hash_bytes_extended((const unsigned char *)text, (int)strlen(text), 0);
    pfree(text);
    return h;
}

uint64 sum_of_row(const summed_column *columns, int n, TupleDesc shape, HeapTuple row)
{
    uint64 h = (uint64)n;
    for (int i = 0; i < n; i++) {
        bool null;
        Datum value = heap_getattr(row, columns[i].number, shape, &null);
        h = hash_combine64(h, null ? UINT64CONST(0x6e756c6c) : hash_of(&columns[i], value));
    }
    h *= UINT64CONST(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

/* As the active snapshot shows it. */
source_sum source_sum_now(const definition *d)
{
    StringInfoData sql;
    source_sum found = {0};
    summed_column *columns = palloc(((size_t)d->n_columns + 1) * sizeof *columns);
    initStringInfo(&sql);
    for (int i = 0; i < d->n_columns; i++)
        appendStringInfo(&sql, "%s%s", i == 0 ? "SELECT " : ", ", quote_identifier(d->columns[i].source_name));
    appendStringInfo(&sql, " FROM %s", d->source_name);
    Portal rows = SPI_cursor_open_with_args(NULL, sql.data, 0, NULL, NULL, NULL, true, 0);
    MemoryContext own = AllocSetContextCreate(CurrentMemoryContext, "kanon sum", ALLOCSET_DEFAULT_SIZES);
    progress_stage("comparing with the notes", 0, 0);
    for (;;) {
        SPI_cursor_fetch(rows, true, ROWS_AT_A_TIME);
        if (SPI_processed == 0)
            break;
        MemoryContext before = MemoryContextSwitchTo(own);
        TupleDesc shape = SPI_tuptable->tupdesc;
        for (int i = 0; i < d->n_columns; i++)
            summed_column_init(&columns[i], shape, i + 1);
        for (uint64 i = 0; i < SPI_processed; i++)
            found.sum ^= sum_of_row(columns, d->n_columns, shape, SPI_tuptable->vals[i]);
        found.rows += (int64_t)SPI_processed;
        MemoryContextSwitchTo(before);
        MemoryContextReset(own);
        SPI_freetuptable(SPI_tuptable);
        CHECK_FOR_INTERRUPTS();
    }
    SPI_cursor_close(rows);
    MemoryContextDelete(own);
    return found;
}

void source_sum_keep(const definition *d, source_sum sum)
{
    Oid types[] = {TEXTOID, INT8OID, INT8OID};
    Datum values[] = {CStringGetTextDatum(d->id), Int64GetDatum(sum.rows), Int64GetDatum((int64)sum.sum)};
    if (SPI_execute_with_args("INSERT INTO kanon.source_sums VALUES ($1::uuid, $2, $3)"
                              " ON CONFLICT (definition) DO UPDATE SET rows = excluded.rows, sum = excluded.sum",
                              3, types, values, NULL, false, 0) != SPI_OK_INSERT)
        elog(ERROR, "the sum of the source cannot be kept");
}

/* Raises unless the notes that the active snapshot shows say all that has happened to the source; what it is now. */
source_sum source_sum_check(const definition *d)
{
    bool null;
    if (SPI_execute(psprintf("SELECT s.rows + c.rows, s.sum # c.sum FROM kanon.source_sums s, (SELECT"
                             " count(*) FILTER (WHERE operation = 'I') - count(*) FILTER (WHERE operation = 'D') AS rows,"
                             " coalesce(bit_xor(sum), 0) AS sum FROM kanon.changes WHERE definition = '%s') c"
                             " WHERE s.definition = '%s'",
                             d->id, d->id),
                    true, 0) != SPI_OK_SELECT)
        elog(ERROR, "the sum of the source cannot be read");
    bool known = SPI_processed == 1;
    source_sum noted = {0};
    if (known) {
        HeapTuple row = SPI_tuptable->vals[0];
        noted.rows = DatumGetInt64(SPI_getbinval(row, SPI_tuptable->tupdesc, 1, &null));
        noted.sum = (uint64)DatumGetInt64(SPI_getbinval(row, SPI_tuptable->tupdesc, 2, &null));
    }
    source_sum now = source_sum_now(d);
    if (!known || noted.rows != now.rows || noted.sum != now.sum)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the source was changed and not all of it was noted"),
                        !known ? errdetail("What the source was at the last refresh is not known.")
                        : noted.rows != now.rows
                            ? errdetail("The source has %lld rows, and by the notes of its changes it should have %lld.",
                                        (long long)now.rows, (long long)noted.rows)
                            : errdetail("The number of rows is as noted, and the rows are others."),
                        hint_anew(d)));
    return now;
}
