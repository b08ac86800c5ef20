/* The queries that read a source and a release, with the form in which the library gets each column.
 *
 * A release is read back in the types that the library gave it, so that it can be compared with what was to be
 * written. */
#include "host.h"

#include "access/table.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/seclabel.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

frame *read_source(run *r, definition *d, const char *where)
{
    StringInfoData sql;
    reader_column *columns = palloc0(((size_t)d->n_columns + 1) * sizeof *columns);
    initStringInfo(&sql);
    appendStringInfoString(&sql, "SELECT ");
    for (int i = 0; i < d->n_columns; i++) {
        appendStringInfo(&sql, "%s%s", i == 0 ? "" : ", ", quote_identifier(d->columns[i].source_name));
        columns[i] = (reader_column){
            .name = to_utf8(d->columns[i].name), .reading = d->columns[i].reading, .scale = d->columns[i].scale};
    }
    appendStringInfo(&sql, " FROM %s%s", d->source_name, where == NULL ? "" : where);
    return frame_read(r, sql.data, columns, d->n_columns);
}

/* Means are whole seconds or days or floats; other columns are what they were in the source. */
static reading reading_of_released(const column *c)
{
    if (c->shown == SHOWN_TEXT || (c->shown == SHOWN_CATEGORY && c->base != BOOLOID))
        return READ_TEXT;
    if (c->shown == SHOWN_CATEGORY)
        return READ_BOOL;
    bool is_time = c->reading == READ_DATE || c->reading == READ_TIMESTAMP || c->reading == READ_TIMESTAMPTZ;
    if (c->shown == SHOWN_MEAN)
        return is_time ? c->reading : READ_FLOAT8;
    return c->reading;
}

/* What a text column with a type of numbers is released as. */
static reading reading_of_type(Oid type)
{
    switch (type) {
    case INT8OID:
    case INT8RANGEOID:
        return READ_INT8;
    case INT4OID:
    case INT4RANGEOID:
        return READ_INT4;
    case DATEOID:
    case DATERANGEOID:
        return READ_DATE;
    case TSRANGEOID:
        return READ_TIMESTAMP;
    default:
        return READ_FLOAT8;
    }
}

static reader_column released_column(const definition *d, const column *c, int part)
{
    AttrNumber number = get_attnum(d->release, c->released[part]);
    const char *suffix = c->shown != SHOWN_COLUMNS ? "" : part == 0 ? "_min" : "_max";
    reader_column as = {
        .name = to_utf8(psprintf("%s%s", c->name, suffix)), .reading = reading_of_released(c), .scale = c->scale};
    if (number == InvalidAttrNumber)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN), errmsg("the release has no column %s", c->released[part]),
                        errhint("Give the column its name again, or make it anew by kanon.alter.")));
    as.range = c->shown == SHOWN_RANGE;
    as.exclusive = c->exclusive;
    if ((c->shown == SHOWN_RANGE || c->shown == SHOWN_COLUMNS) && as.reading == READ_TEXT && !c->is_ordinal)
        as.reading = reading_of_type(get_atttype(d->release, number));
    return as;
}

/* The columns of a release; their names are appended to the query. */
static int add_released(const definition *d, reader_column *columns, StringInfo sql)
{
    int n = 0;
    for (int i = 0; i < d->n_columns; i++) {
        const column *c = &d->columns[i];
        int parts = c->shown == SHOWN_NOT ? 0 : c->shown == SHOWN_COLUMNS ? 2 : 1;
        for (int part = 0; part < parts; part++) {
            columns[n] = released_column(d, c, part);
            appendStringInfo(sql, "%s%s", n == 0 ? "" : ", ", quote_identifier(c->released[part]));
            n++;
        }
    }
    return n;
}

static bool is_released(const definition *d, const char *name)
{
    for (int i = 0; i < d->n_columns; i++)
        for (int part = 0; part < 2; part++)
            if (d->columns[i].released[part] != NULL && strcmp(d->columns[i].released[part], name) == 0)
                return true;
    return false;
}

/* Columns that the owner has added, as texts. A reader of the release sees them, too, so they need a role: by a label. */
static int add_own(run *r, const definition *d, reader_column *columns, int n, StringInfo sql)
{
    Relation release = table_open(d->release, AccessShareLock);
    kanon_error err = KANON_INIT(kanon_error);
    for (int i = 0; i < release->rd_att->natts; i++) {
        Form_pg_attribute a = TupleDescAttr(release->rd_att, i);
        ObjectAddress address = {RelationRelationId, d->release, a->attnum};
        if (a->attisdropped || is_released(d, NameStr(a->attname)))
            continue;
        columns[n] = (reader_column){.name = to_utf8(pstrdup(NameStr(a->attname))), .reading = READ_TEXT};
        appendStringInfo(sql, ", %s::text", quote_identifier(NameStr(a->attname)));
        char *role = GetSecurityLabel(&address, "kanon");
        if (role != NULL)
            check(kanon_schema_set(r->schema, columns[n].name, "role", role, &err), &err);
        n++;
    }
    table_close(release, NoLock);
    return n;
}

frame *read_release(run *r, definition *d, Snapshot snapshot, bool with_own)
{
    StringInfoData sql;
    reader_column *columns = palloc0((2 * (size_t)d->n_columns + MaxTupleAttributeNumber) * sizeof *columns);
    initStringInfo(&sql);
    appendStringInfoString(&sql, "SELECT ");
    int n = add_released(d, columns, &sql);
    if (with_own)
        n = add_own(r, d, columns, n, &sql);
    char *name = quote_qualified_identifier(get_namespace_name(get_rel_namespace(d->release)), get_rel_name(d->release));
    appendStringInfo(&sql, " FROM ONLY %s", name);
    PushActiveSnapshot(snapshot);
    frame *f = frame_read(r, sql.data, columns, n);
    PopActiveSnapshot();
    return f;
}
