/* The trigger that notes which rows of a source changed, by their keys: kanon.note_change(definition, ...).
 *
 * Whoever changes the table need not be the owner of its releases, so the note is written with the rights of the
 * extension's owner. It is written only where the table is the source of the definition, so that nobody can write notes
 * for another's, or a partition of it. What a row is now is read at the refresh; the note says only that it was inserted,
 * updated or deleted, and by how much the sum of the source changed (source_sum.c). */
#include "host.h"

#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "access/htup_details.h"

/* The owner of the table of notes. */
static Oid owner_of_notes(void)
{
    Oid notes = get_relname_relid("changes", get_namespace_oid("kanon", false));
    HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(notes));
    if (!HeapTupleIsValid(tuple))
        elog(ERROR, "the extension kanon is not complete");
    Oid owner = ((Form_pg_class)GETSTRUCT(tuple))->relowner;
    ReleaseSysCache(tuple);
    return owner;
}

/* What the arguments of a trigger say: the definition, the number of columns of the key, these, and all columns that are
 * read of the source, which the sum of a row is over. */
typedef struct noted_columns {
    int n_key, n;
    int *key;
    summed_column *summed;
    bool needs_style; /* there is a text that depends on a setting */
} noted_columns;

static int number_of(const TriggerData *t, const char *name)
{
    int number = SPI_fnumber(RelationGetDescr(t->tg_relation), name);
    if (number <= 0)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
                        errmsg("a column that a release is made of is gone from %s",
                               RelationGetRelationName(t->tg_relation)),
                        errhint("Change the release with kanon.alter, or drop it with kanon.drop.")));
    return number;
}

static noted_columns columns_of(const TriggerData *t)
{
    TupleDesc shape = RelationGetDescr(t->tg_relation);
    int n = t->tg_trigger->tgnargs;
    noted_columns c = {.n_key = n < 2 ? 0 : atoi(t->tg_trigger->tgargs[1])};
    if (c.n_key < 1 || c.n_key > n - 2)
        ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED), errmsg("kanon.note_change needs a key")));
    c.n = n - 2 - c.n_key;
    c.key = palloc((size_t)n * sizeof *c.key);
    c.summed = palloc((size_t)n * sizeof *c.summed);
    for (int i = 0; i < c.n_key; i++) {
        summed_column as;
        c.key[i] = number_of(t, t->tg_trigger->tgargs[2 + i]);
        summed_column_init(&as, shape, c.key[i]);
        Oid type = getBaseType(SPI_gettypeid(shape, c.key[i]));
        c.needs_style = c.needs_style || as.is_text || type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID ||
                        type == FLOAT4OID || type == FLOAT8OID;
    }
    for (int i = 0; i < c.n; i++) {
        summed_column_init(&c.summed[i], shape, number_of(t, t->tg_trigger->tgargs[2 + c.n_key + i]));
        c.needs_style = c.needs_style || c.summed[i].is_text;
    }
    return c;
}

static Datum key_of(const TriggerData *t, const noted_columns *c, HeapTuple row)
{
    TupleDesc shape = RelationGetDescr(t->tg_relation);
    Datum *values = palloc((size_t)c->n_key * sizeof *values);
    bool *nulls = palloc0((size_t)c->n_key * sizeof *nulls);
    for (int i = 0; i < c->n_key; i++) {
        char *text = SPI_getvalue(row, shape, c->key[i]);
        nulls[i] = text == NULL;
        values[i] = text == NULL ? (Datum)0 : CStringGetTextDatum(text);
    }
    int dimensions[] = {c->n_key}, lower[] = {1};
    return PointerGetDatum(construct_md_array(values, nulls, 1, dimensions, lower, TEXTOID, -1, false, TYPALIGN_INT));
}

/* The table, and those that it is a partition of: the triggers of a partitioned table fire on its partitions. */
static Datum sources(const TriggerData *t)
{
    Oid own = RelationGetRelid(t->tg_relation);
    List *above = t->tg_relation->rd_rel->relispartition ? get_partition_ancestors(own) : NIL;
    Datum *all = palloc(((size_t)list_length(above) + 1) * sizeof *all);
    ListCell *cell;
    int n = 0;
    all[n++] = ObjectIdGetDatum(own);
    foreach (cell, above)
        all[n++] = ObjectIdGetDatum(lfirst_oid(cell));
    return PointerGetDatum(construct_array(all, n, OIDOID, sizeof(Oid), true, TYPALIGN_INT));
}

static void note(const TriggerData *t, char operation, Datum key, uint64 sum)
{
    static SPIPlanPtr plan = NULL;
    Oid types[] = {TEXTOID, CHAROID, TEXTARRAYOID, OIDARRAYOID, INT8OID};
    Datum values[] = {CStringGetTextDatum(t->tg_trigger->tgargs[0]), CharGetDatum(operation), key, sources(t),
                      Int64GetDatum((int64)sum)};
    char nulls[] = {' ', ' ', key == (Datum)0 ? 'n' : ' ', ' ', ' ', '\0'};
    if (plan == NULL) { /* operators by their full names: the search_path is that of whoever changes the table */
        plan = SPI_prepare("INSERT INTO kanon.changes (definition, operation, key, sum) SELECT d.id, $2, $3, $5"
                           "  FROM kanon.definitions d WHERE d.id OPERATOR(pg_catalog.=) $1::pg_catalog.uuid"
                           "   AND d.source::pg_catalog.oid OPERATOR(pg_catalog.=) ANY ($4)",
                           5, types);
        SPI_keepplan(plan);
    }
    if (SPI_execute_plan(plan, values, nulls, false, 0) != SPI_OK_INSERT)
        elog(ERROR, "a change cannot be noted");
}

static void note_row(const TriggerData *t, const noted_columns *c)
{
    TupleDesc shape = RelationGetDescr(t->tg_relation);
    uint64 sum = sum_of_row(c->summed, c->n, shape, t->tg_trigtuple);
    Datum key = key_of(t, c, t->tg_trigtuple);
    if (TRIGGER_FIRED_BY_INSERT(t->tg_event)) {
        note(t, 'I', key, sum);
    } else if (TRIGGER_FIRED_BY_DELETE(t->tg_event)) {
        note(t, 'D', key, sum);
    } else {
        Datum now = key_of(t, c, t->tg_newtuple);
        uint64 new_sum = sum_of_row(c->summed, c->n, shape, t->tg_newtuple);
        bool same = VARSIZE_ANY(key) == VARSIZE_ANY(now) &&
                    memcmp(DatumGetPointer(key), DatumGetPointer(now), VARSIZE_ANY(now)) == 0;
        if (same) {
            note(t, 'U', now, sum ^ new_sum);
        } else {
            note(t, 'D', key, sum);
            note(t, 'I', now, new_sum);
        }
    }
}

SQL_FUNCTION(kanon_note_change);

Datum kanon_note_change(PG_FUNCTION_ARGS)
{
    TriggerData *t = (TriggerData *)fcinfo->context;
    Oid user;
    int security;
    if (!CALLED_AS_TRIGGER(fcinfo) || t->tg_trigger->tgnargs < 1)
        ereport(ERROR, (errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED), errmsg("kanon.note_change is a trigger")));
    SPI_connect();
    GetUserIdAndSecContext(&user, &security);
    SetUserIdAndSecContext(owner_of_notes(), security | SECURITY_LOCAL_USERID_CHANGE);
    if (TRIGGER_FIRED_BY_TRUNCATE(t->tg_event)) {
        note(t, 'T', (Datum)0, 0);
    } else {
        noted_columns c = columns_of(t);
        int nest = c.needs_style ? run_style() : 0;
        note_row(t, &c);
        if (c.needs_style)
            AtEOXact_GUC(false, nest);
    }
    SetUserIdAndSecContext(user, security);
    SPI_finish();
    return PointerGetDatum(NULL);
}
