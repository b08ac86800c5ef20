/* The trigger that notes which rows of a source changed, by their keys: kanon.note_change(definition, key column, ...).
 *
 * Whoever changes the table need not be the owner of its releases, so the note is written with the rights of the
 * extension's owner. It is written only where the table is the source of the definition, so that nobody can write notes
 * for another's. What a row is now is read at the refresh; the note says only that it was inserted, updated or deleted. */
#include "host.h"

#include "catalog/namespace.h"
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

/* Keys are written in one style, whatever the session has chosen. */
static int set_style(void)
{
    int nest = NewGUCNestLevel();
    set_config_option("datestyle", "ISO, YMD", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
    set_config_option("intervalstyle", "postgres", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
    set_config_option("timezone", "UTC", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
    set_config_option("extra_float_digits", "1", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
    return nest;
}

/* Whether the key has a column whose text depends on a setting: not a number and not a text. */
static bool needs_style(const TriggerData *t)
{
    TupleDesc shape = RelationGetDescr(t->tg_relation);
    for (int i = 1; i < t->tg_trigger->tgnargs; i++) {
        int number = SPI_fnumber(shape, t->tg_trigger->tgargs[i]);
        Oid type = number == SPI_ERROR_NOATTRIBUTE ? INT4OID : getBaseType(SPI_gettypeid(shape, number));
        if (type != INT4OID && type != INT8OID && type != INT2OID && type != TEXTOID && type != VARCHAROID &&
            type != UUIDOID)
            return true;
    }
    return false;
}

static Datum key_of(const TriggerData *t, HeapTuple row)
{
    TupleDesc shape = RelationGetDescr(t->tg_relation);
    int n = t->tg_trigger->tgnargs - 1;
    Datum *values = palloc(((size_t)n + 1) * sizeof *values);
    bool *nulls = palloc0(((size_t)n + 1) * sizeof *nulls);
    for (int i = 0; i < n; i++) {
        int number = SPI_fnumber(shape, t->tg_trigger->tgargs[i + 1]);
        if (number == SPI_ERROR_NOATTRIBUTE)
            ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN), errmsg("a column of the key is gone"),
                            errhint("Drop the release with kanon.drop and define it again.")));
        char *text = SPI_getvalue(row, shape, number);
        nulls[i] = text == NULL;
        values[i] = text == NULL ? (Datum)0 : CStringGetTextDatum(text);
    }
    int dimensions[] = {n}, lower[] = {1};
    return PointerGetDatum(construct_md_array(values, nulls, 1, dimensions, lower, TEXTOID, -1, false, TYPALIGN_INT));
}

static void note(const TriggerData *t, char operation, Datum key)
{
    static SPIPlanPtr plan = NULL;
    Oid types[] = {TEXTOID, CHAROID, TEXTARRAYOID, OIDOID};
    Datum values[] = {CStringGetTextDatum(t->tg_trigger->tgargs[0]), CharGetDatum(operation), key,
                      ObjectIdGetDatum(RelationGetRelid(t->tg_relation))};
    char nulls[] = {' ', ' ', key == (Datum)0 ? 'n' : ' ', ' ', '\0'};
    if (plan == NULL) { /* operators by their full names: the search_path is that of whoever changes the table */
        plan = SPI_prepare("INSERT INTO kanon.changes (definition, operation, key) SELECT d.id, $2, $3"
                           "  FROM kanon.definitions d WHERE d.id OPERATOR(pg_catalog.=) $1::pg_catalog.uuid"
                           "   AND d.source::pg_catalog.oid OPERATOR(pg_catalog.=) $4",
                           4, types);
        SPI_keepplan(plan);
    }
    if (SPI_execute_plan(plan, values, nulls, false, 0) != SPI_OK_INSERT)
        elog(ERROR, "a change cannot be noted");
}

static void note_row(const TriggerData *t)
{
    if (TRIGGER_FIRED_BY_INSERT(t->tg_event)) {
        note(t, 'I', key_of(t, t->tg_trigtuple));
    } else if (TRIGGER_FIRED_BY_DELETE(t->tg_event)) {
        note(t, 'D', key_of(t, t->tg_trigtuple));
    } else {
        Datum before = key_of(t, t->tg_trigtuple), now = key_of(t, t->tg_newtuple);
        bool same = VARSIZE_ANY(before) == VARSIZE_ANY(now) &&
                    memcmp(DatumGetPointer(before), DatumGetPointer(now), VARSIZE_ANY(now)) == 0;
        if (same) {
            note(t, 'U', now);
        } else {
            note(t, 'D', before);
            note(t, 'I', now);
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
    if (TRIGGER_FIRED_BY_TRUNCATE(t->tg_event))
        note(t, 'T', (Datum)0);
    else if (needs_style(t)) {
        int nest = set_style();
        note_row(t);
        AtEOXact_GUC(false, nest);
    } else {
        note_row(t);
    }
    SetUserIdAndSecContext(user, security);
    SPI_finish();
    return PointerGetDatum(NULL);
}
