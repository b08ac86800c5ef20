/* What kanon.define stored, read again: the columns of a release, and the schema and options of its library calls.
 *
 * SQL says what the schema is told (kanon.steps_of), one row each, so that every name, default and table lookup is in one
 * place. */
#include "host.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/uuid.h"

#include <errno.h>
#include <kanon_host.h>

/* ---- taxonomies ---- */

/* A growing text of malloc: the library is not left from its callback. */
typedef struct text_buffer {
    char *bytes;
    size_t n, room;
} text_buffer;

static int append_bytes(const void *bytes, size_t size, void *payload)
{
    text_buffer *b = payload;
    if (b->n + size > b->room) {
        size_t room = (b->n + size) * 2;
        char *grown = realloc(b->bytes, room);
        if (grown == NULL)
            return ENOMEM;
        b->bytes = grown;
        b->room = room;
    }
    memcpy(b->bytes + b->n, bytes, size);
    b->n += size;
    return 0;
}

/* A schema takes one line for each value, so nodes and parents are converted. Nothing between the calls can raise. */
static kanon_status set_taxonomy(kanon_schema *s, const char *column, const char *value, kanon_error *err)
{
    kanon_taxonomy *taxonomy = NULL;
    text_buffer csv = {0};
    const kanon_sink to = {
        .struct_size = sizeof to, .name = "taxonomy.csv", .write = append_bytes, .payload = &csv};
    kanon_status st = kanon_taxonomy_read(&taxonomy, KANON_BYTES_AS(value, strlen(value), column), KANON_TAXONOMY_PARENTS,
                                          NULL, err);
    if (st == KANON_OK)
        st = kanon_taxonomy_write(taxonomy, KANON_TO_SINK(&to), KANON_TAXONOMY_CSV, err);
    if (st == KANON_OK)
        st = kanon_schema_set_taxonomy(s, column, KANON_BYTES_AS(csv.bytes, csv.n, column), err);
    kanon_taxonomy_free(taxonomy);
    free(csv.bytes);
    return st;
}

/* ---- options ---- */

static kanon_numeric numeric_of(const char *numbers)
{
    if (strcmp(numbers, "interval") == 0)
        return KANON_NUMERIC_INTERVAL;
    if (strcmp(numbers, "mean") == 0)
        return KANON_NUMERIC_MEAN;
    if (strcmp(numbers, "range") != 0 && strcmp(numbers, "columns") != 0)
        ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("numbers is range, columns, interval or mean")));
    return KANON_NUMERIC_COLUMNS;
}

typedef struct setting_list {
    kanon_setting *items;
    size_t n;
} setting_list;

static void add_setting(setting_list *list, size_t most, const char *name, const char *value)
{
    if (list->items == NULL)
        list->items = palloc0((most + 1) * sizeof *list->items);
    list->items[list->n++] = (kanon_setting){name, value};
}

/* What the extension has a use for; false: the library reads the rest. */
static bool set_option(run *r, definition *d, const char *name, const char *value, kanon_error *err)
{
    if (strcmp(name, "k") == 0) {
        check(kanon_schema_set(r->schema, NULL, "k", value, err), err);
        d->k = d->options.k = strtoll(value, NULL, 10);
    } else if (strcmp(name, "suppress") == 0 || strcmp(name, "suppressed") == 0) {
        check(kanon_schema_set(r->schema, NULL, name, value, err), err);
    } else if (strcmp(name, "singled_out") == 0) {
        check(kanon_schema_set(r->schema, NULL, "singled-out", value, err), err);
    } else if (strcmp(name, "blocks") == 0) {
        d->options.blocks = strtoll(value, NULL, 10);
    } else if (strcmp(name, "numbers") == 0) {
        d->numeric = numeric_of(value);
    } else if (strcmp(name, "shuffle") == 0) {
        d->shuffle = d->shuffle || strcmp(value, "true") == 0;
    } else if (strcmp(name, "shuffle_seed") == 0) {
        d->shuffle_seed = (uint64_t)strtoll(value, NULL, 10);
        d->shuffle = d->shuffle || d->shuffle_seed != 0;
    } else if (strcmp(name, "report") == 0) {
        d->report = strcmp(value, "true") == 0 ? REPORT_ALWAYS : REPORT_NEVER;
    } else if (strcmp(name, "joint_k") == 0) {
        d->joint_k = strtoll(value, NULL, 10);
    } else {
        return strcmp(name, "strict") == 0; /* SQL has seen to it */
    }
    return true;
}

/* ---- reading it ---- */

/* A field of the last query in UTF-8, or NULL. */
static char *field(uint64 row, int column)
{
    char *text = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);
    return text == NULL ? NULL : to_utf8(text);
}

static void query(const char *sql, int n, Oid *types, Datum *values)
{
    int done = SPI_execute_with_args(sql, n, types, values, NULL, true, 0);
    if (done != SPI_OK_SELECT)
        elog(ERROR, "a query of the extension failed: %s", SPI_result_code_string(done));
}

static const column *named_column(const definition *d, const char *name)
{
    for (int i = 0; i < d->n_columns; i++)
        if (strcmp(d->columns[i].name, name) == 0)
            return &d->columns[i];
    ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN), errmsg("a column of the key is gone")));
}

static void apply_steps(run *r, definition *d)
{
    kanon_error err = KANON_INIT(kanon_error);
    setting_list settings = {0}, refine = {0}, said = {0};
    uint64 n = SPI_processed;
    d->key = palloc0((n + 1) * sizeof *d->key);
    d->n_key = 0;
    for (uint64 i = 0; i < n; i++) {
        const char *what = field(i, 1), *name = field(i, 2), *value = field(i, 3);
        if (value == NULL)
            continue;
        if (strcmp(what, "taxonomy") == 0) {
            d->has_taxonomy = true;
            check(set_taxonomy(r->schema, name, value, &err), &err);
        } else if (strcmp(what, "option") == 0) {
            if (!set_option(r, d, name, value, &err))
                add_setting(&said, n, name, value);
        } else if (strcmp(what, "setting") == 0) {
            add_setting(&settings, n, name, value);
        } else if (strcmp(what, "refine_setting") == 0) {
            add_setting(&refine, n, name, value);
        } else if (strcmp(what, "key_column") == 0) {
            d->key[d->n_key++] = named_column(d, from_utf8(value));
        } else {
            check(kanon_schema_set(r->schema, name, what, value, &err), &err);
        }
    }
    d->options.said = said.items;
    d->options.n_said = said.n;
    d->options.settings = settings.items;
    d->options.n_settings = settings.n;
    d->options.refine_settings = refine.items;
    d->options.n_refine_settings = refine.n;
}

static shown shown_of(const char *word)
{
    static const char *const words[] = {"not", "kept", "category", "range", "columns", "text", "mean"};
    for (int i = 0; i < lengthof(words); i++)
        if (strcmp(words[i], word) == 0)
            return (shown)i;
    elog(ERROR, "a column is shown in an unknown way");
}

/* How the library gets a column: numbers and dates as they are, and all else as its text. */
static reading reading_of(Oid base, const char *kind, const char *role, bool incremental)
{
    bool is_quasi = strcmp(role, "quasi") == 0;
    if (strcmp(kind, "categorical") == 0 && is_quasi)
        return base == BOOLOID ? READ_BOOL : READ_TEXT;
    /* A state keeps texts. It gives numbers and dates of quasi and sensitive columns back as such, and all else as the text
     * that it was given. */
    bool is_typed = strcmp(kind, "categorical") != 0 && strcmp(role, "insensitive") != 0 && strcmp(role, "identifying") != 0;
    if (incremental && (!is_typed || base == FLOAT4OID || base == NUMERICOID))
        return READ_TEXT;
    switch (base) {
    case BOOLOID:
        return READ_BOOL;
    case INT2OID:
        return READ_INT2;
    case INT4OID:
        return READ_INT4;
    case INT8OID:
        return READ_INT8;
    case FLOAT4OID:
        return READ_FLOAT4;
    case FLOAT8OID:
        return READ_FLOAT8;
    case DATEOID:
        return READ_DATE;
    case TIMESTAMPOID:
        return READ_TIMESTAMP;
    case TIMESTAMPTZOID:
        return READ_TIMESTAMPTZ;
    case NUMERICOID:
        return is_quasi ? READ_DECIMAL : READ_TEXT;
    default:
        return READ_TEXT;
    }
}

static Oid oid_field(uint64 row, int column)
{
    bool null;
    return DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &null));
}

static void read_columns(definition *d)
{
    d->n_columns = (int)SPI_processed;
    d->columns = palloc0(((size_t)d->n_columns + 1) * sizeof *d->columns);
    for (int i = 0; i < d->n_columns; i++) {
        column *c = &d->columns[i];
        bool null;
        c->name = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1);
        c->source_name = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 8);
        c->released[0] = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 9);
        c->released[1] = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 10);
        c->role = field((uint64)i, 2);
        c->base = oid_field((uint64)i, 3);
        c->typmod = DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 4, &null));
        char *kind = field((uint64)i, 5);
        c->shown = shown_of(field((uint64)i, 6));
        c->reading = reading_of(c->base, kind, c->role, d->incremental);
        c->is_ordinal = strcmp(kind, "ordinal") == 0;
        c->type = oid_field((uint64)i, 11);
        c->exclusive = strcmp(kind, "decimal") == 0 &&
                       DatumGetBool(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 7, &null));
    }
}

/* The number of decimal places of a numeric column: of its type, or the most that a value has. */
static void find_scale(definition *d, column *c)
{
    if (c->reading != READ_DECIMAL || c->scale > 0)
        return;
    if (c->typmod >= (int32)VARHDRSZ) {
        c->scale = Max((((c->typmod - (int)VARHDRSZ) & 0x7ff) ^ 1024) - 1024, 0);
        return;
    }
    StringInfoData sql;
    initStringInfo(&sql);
    appendStringInfo(&sql, "SELECT coalesce(max(min_scale(%s)), 0) FROM %s", quote_identifier(c->source_name),
                     d->source_name);
    query(sql.data, 0, NULL, NULL);
    c->scale = atoi(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1));
}

static const char columns_query[] = "SELECT c.name, c.role, c.base, c.typmod, c.kind, c.shown,"
                                    "       coalesce($2->'columns'->c.name ?| '{bands,top,bottom}', false),"
                                    "       c.read_as, c.released_as, c.second_as,"
                                    "       CASE c.shown WHEN 'not' THEN 0 WHEN 'kept' THEN c.type"
                                    "            ELSE c.released::regtype END::oid"
                                    "  FROM kanon.columns_of($1::oid::regclass, $2) c";

static char *qualified(Oid relation)
{
    char *name = get_rel_name(relation);
    if (name == NULL)
        ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("the source of the release is gone")));
    return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), name);
}

/* What is read beside the columns that have a role. */
static Datum with_withheld(const definition *d, Datum settings)
{
    Oid types[] = {OIDOID, OIDOID, JSONBOID};
    Datum values[] = {ObjectIdGetDatum(d->release), ObjectIdGetDatum(d->source), settings};
    bool null;
    query("SELECT kanon.with_withheld($1, $2::oid::regclass, $3)", 3, types, values);
    Datum all = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &null);
    return PointerGetDatum(PG_DETOAST_DATUM_COPY(all));
}

void definition_load(run *r, definition *d, Datum settings)
{
    Oid types[] = {OIDOID, JSONBOID};
    Datum values[] = {ObjectIdGetDatum(d->source), with_withheld(d, settings)};
    kanon_error err = KANON_INIT(kanon_error);
    d->options = (kanon_options){
        .struct_size = sizeof d->options, .threads = run_threads(), .memory = run_memory(), .tick = run_tick};
    d->source_name = qualified(d->source);
    d->joint_k = -1;
    query(columns_query, 2, types, values);
    read_columns(d);
    for (int i = 0; i < d->n_columns; i++)
        find_scale(d, &d->columns[i]);
    check(kanon_schema_new(&r->schema, &r->library, &err), &err);
    check(kanon_schema_set(r->schema, NULL, "default-role", "identifying", &err), &err);
    query("SELECT what, name, value FROM kanon.steps_of($1::oid::regclass, $2)", 2, types, values);
    apply_steps(r, d);
    if (d->joint_k < 0) /* it was not said */
        d->joint_k = d->incremental ? d->k : 0;
}

definition *definition_open(run *r, Oid release)
{
    definition *d = palloc0(sizeof *d);
    Oid types[] = {OIDOID};
    Datum values[] = {ObjectIdGetDatum(release)};
    bool null;
    query("SELECT d.id::text, d.source::oid, c.relowner, d.settings, coalesce((d.settings->>'incremental')::boolean, false),"
          "       d.released FROM kanon.definitions d JOIN pg_class c ON c.oid = d.release WHERE d.release = $1::oid",
          1, types, values);
    if (SPI_processed != 1)
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("%s is not a release that you defined", release_name(release)),
                        errhint("kanon.define makes a release; its owner refreshes it.")));
    /* Rows are written without asking again, so the table must be the owner's, whatever a definition says. */
    if (!pg_class_ownercheck(release, oid_field(0, 3)))
        ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
                        errmsg("%s does not belong to the owner of its definition", release_name(release))));
    d->release = release;
    strlcpy(d->id, field(0, 1), sizeof d->id);
    d->source = oid_field(0, 2);
    d->owner = oid_field(0, 3);
    Datum settings = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 4, &null);
    settings = PointerGetDatum(PG_DETOAST_DATUM_COPY(settings));
    d->incremental = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 5, &null));
    d->released = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 6, &null));
    d->settings = settings;
    run_as(r, d->owner);
    definition_load(r, d, settings);
    return d;
}

void definition_still(definition *d)
{
    Oid types[] = {OIDOID, TEXTOID, JSONBOID};
    Datum values[] = {ObjectIdGetDatum(d->release), CStringGetTextDatum(d->id), d->settings};
    bool null;
    query("SELECT released FROM kanon.definitions WHERE release = $1::oid AND id = $2::uuid AND settings = $3", 3, types,
          values);
    if (SPI_processed != 1)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("the definition was changed while the refresh waited"), errhint("Refresh again.")));
    d->released = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &null));
}

char *release_name(Oid release)
{
    char *name = get_rel_name(release);
    return name == NULL ? psprintf("%u", release) : name;
}

/* ---- SQL ---- */

SQL_FUNCTION(kanon_check_settings);

static int stop_at_once(const kanon_progress *progress, void *payload)
{
    (void)progress, (void)payload;
    return 1;
}

/* Whether the table could be grouped is for a refresh to say. */
static void try_on(run *r, const definition *d, int64_t rows)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_options options = d->options;
    options.tick = stop_at_once;
    options.k = Max(Min(d->k, rows), 2);
    options.blocks = 0; /* k is another one: kanon.check_said compares them */
    kanon_status st = kanon_anonymize(&r->grouping, r->table, &options, &err);
    if (st == KANON_EINVAL || st == KANON_EDATA)
        check(st, &err);
    kanon_grouping_free(r->grouping);
    kanon_table_free(r->table);
    r->grouping = NULL;
    r->table = NULL;
}

/* The library reads constraints, algorithm and settings when it groups a table. A few rows of the source will do, and it is
 * stopped before it has grouped them; where the source has none, or none that can be read, some of one column. */
static void try_settings(run *r, definition *d)
{
    static const char few[] = "trial\n1\n2\n3\n4\n";
    kanon_error err = KANON_INIT(kanon_error), unreadable = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream;
    frame *rows = read_source(r, d, " LIMIT 100");
    int64_t n = frame_rows(rows);
    kanon_read_options reading = {.struct_size = sizeof reading, .threads = 1};
    frame_stream(&stream, rows);
    frame_drop(rows);
    kanon_status st = kanon_table_read(&r->table, KANON_STREAM(&stream), r->schema, &reading, &unreadable);
    if (st == KANON_OK) {
        try_on(r, d, n);
        return;
    }
    kanon_schema_free(r->schema);
    r->schema = NULL;
    check(kanon_schema_new(&r->schema, &r->library, &err), &err);
    check(kanon_schema_set(r->schema, "trial", "role", "quasi", &err), &err);
    check(kanon_table_read(&r->table, KANON_BYTES_AS(few, sizeof few - 1, "trial"), r->schema, &reading, &err), &err);
    try_on(r, d, 4);
    if (n > 0)
        check(st, &unreadable);
}

/* kanon.check_settings(source, settings): raises what is wrong with them, before a table is made for them. */
Datum kanon_check_settings(PG_FUNCTION_ARGS)
{
    SPI_connect();
    run *r = run_begin();
    definition *d = palloc0(sizeof *d);
    d->source = PG_GETARG_OID(0);
    definition_load(r, d, PointerGetDatum(PG_GETARG_JSONB_P_COPY(1)));
    try_settings(r, d);
    run_end(r);
    SPI_finish();
    PG_RETURN_VOID();
}

SQL_FUNCTION(kanon_nearest_word_sql);

Datum kanon_nearest_word_sql(PG_FUNCTION_ARGS)
{
    Datum *items;
    bool *nulls;
    int n;
    deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), TEXTOID, -1, false, TYPALIGN_INT, &items, &nulls, &n);
    const char **words = palloc0(((size_t)n + 1) * sizeof *words);
    for (int i = 0; i < n; i++)
        words[i] = nulls[i] ? NULL : to_utf8(TextDatumGetCString(items[i]));
    const char *nearest = kanon_nearest_word(words, (size_t)n, to_utf8(text_to_cstring(PG_GETARG_TEXT_PP(1))));
    if (nearest == NULL)
        PG_RETURN_NULL();
    PG_RETURN_TEXT_P(cstring_to_text(from_utf8(nearest)));
}
