/* A release into its table: cells of Arrow batches become values of the server, rows are inserted a thousand at a time.
 *
 * The table keeps its identity, its grants and its indexes. Old rows go and new ones come in one transaction, so that
 * readers see the old release until it commits and never wait. */
#include "host.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/nodeModifyTable.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "rewrite/rewriteHandler.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/rangetypes.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

enum { ROWS_AT_A_TIME = 1000, EPOCH_DAYS = POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE };

/* An attribute of the release and where its value comes from. */
typedef struct target {
    int child; /* of the batches; a range takes the next one, too. -1: the attribute is its owner's own */
    ExprState *preset; /* of such an attribute, or NULL */
    bool range, exclusive;
    int scale;
    Oid type;       /* of the attribute, or of the ends of a range */
    FmgrInfo input; /* of types that are written as text */
    Oid input_of;
    int32 typmod;
    TypeCacheEntry *cache;
    bool empty_is_null; /* a state keeps NULL as an empty text */
    bool is_quasi, says; /* says: some cell is not null */
} target;

struct sink {
    Relation relation;
    EState *estate;
    ResultRelInfo *info;
    int n;
    target *targets;
    const definition *definition;
    int n_children; /* that the batches have */
    TupleTableSlot *slots[ROWS_AT_A_TIME];
    int n_slots, n_made;
    BulkInsertState bulk;
    MemoryContext rows;
};

/* ---- values ---- */

static Datum numeric_of_wide(__int128 wide, int scale)
{
    if (wide >= INT64_MIN && wide <= INT64_MAX)
        return NumericGetDatum(int64_div_fast_to_numeric((int64)wide, scale));
    char text[64];
    int at = sizeof text - 1, places = 0;
    bool negative = wide < 0;
    unsigned __int128 left = negative ? -(unsigned __int128)wide : (unsigned __int128)wide;
    text[at] = '\0';
    for (; left > 0 || places <= scale; left /= 10, places++) {
        if (places == scale && scale > 0)
            text[--at] = '.';
        text[--at] = (char)('0' + (int)(left % 10));
    }
    if (negative)
        text[--at] = '-';
    return DirectFunctionCall3(numeric_in, CStringGetDatum(text + at), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

/* The shortest text that means the float, as a numeric; the cast of the server keeps 15 digits only. */
static Datum numeric_of_float(double number, bool is_float4)
{
    char *text = is_float4 ? DatumGetCString(DirectFunctionCall1(float4out, Float4GetDatum((float4)number)))
                           : DatumGetCString(DirectFunctionCall1(float8out, Float8GetDatum(number)));
    return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

static Datum numeric_of_cell(const cell *c, int scale, bool is_float4)
{
    if (c->kind == 'd')
        return numeric_of_wide(c->wide, scale);
    if (c->kind == 'i')
        return NumericGetDatum(int64_to_numeric(c->whole));
    return numeric_of_float(c->number, is_float4);
}

static Datum text_value(const target *t, const cell *c)
{
    char *text = pnstrdup(c->text, (Size)c->length);
    char *own = pg_any_to_server(text, c->length, PG_UTF8);
    if (t->type == TEXTOID)
        return PointerGetDatum(cstring_to_text(own));
    return InputFunctionCall((FmgrInfo *)&t->input, own, t->input_of, t->typmod);
}

static Datum value_of(const target *t, const cell *c, bool is_float4)
{
    if (c->kind == 't')
        return text_value(t, c);
    switch (t->type) {
    case BOOLOID:
        return BoolGetDatum(c->whole != 0);
    case INT2OID:
        return Int16GetDatum((int16)c->whole);
    case INT4OID:
        return Int32GetDatum((int32)c->whole);
    case INT8OID:
        return Int64GetDatum(c->whole);
    case FLOAT4OID:
        return Float4GetDatum((float4)c->number);
    case FLOAT8OID:
        return Float8GetDatum(c->number);
    case NUMERICOID:
        return numeric_of_cell(c, t->scale, is_float4);
    case DATEOID:
        return DateADTGetDatum((DateADT)(c->whole - EPOCH_DAYS));
    case TIMESTAMPOID:
    case TIMESTAMPTZOID:
        return TimestampGetDatum(c->whole - EPOCH_DAYS * USECS_PER_DAY);
    default:
        elog(ERROR, "a column of the release has an unexpected type");
    }
}

/* The first number that is no longer in the range: int4range and its like have no last one. */
static bool after(Oid type, int64_t whole, Datum *out)
{
    if (type == INT8OID) {
        *out = Int64GetDatum(whole + 1);
        return whole < PG_INT64_MAX;
    }
    *out = type == DATEOID ? DateADTGetDatum((DateADT)(whole - EPOCH_DAYS + 1)) : Int32GetDatum((int32)(whole + 1));
    return whole < PG_INT32_MAX;
}

/* One end that is null is open. The ranges of whole numbers and dates are made in their canonical form at once. */
static Datum range_of(const target *t, const cell *min, const cell *max, bool is_float4)
{
    RangeBound lower = {.lower = true, .inclusive = true, .infinite = min->null};
    RangeBound upper = {.lower = false, .inclusive = !t->exclusive, .infinite = max->null};
    if (!min->null)
        lower.val = value_of(t, min, is_float4);
    if (!max->null && (t->type == INT4OID || t->type == INT8OID || t->type == DATEOID)) {
        upper.inclusive = false;
        upper.infinite = !after(t->type, max->whole, &upper.val);
    } else if (!max->null) {
        upper.val = value_of(t, max, is_float4);
    }
    lower.inclusive = !lower.infinite;
    upper.inclusive = upper.inclusive && !upper.infinite;
    return RangeTypePGetDatum(range_serialize(t->cache, &lower, &upper, false));
}

/* ---- opening ---- */

static void refuse_shape(const sink *s, const char *name)
{
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("column %s of %s is not as it was defined", name, RelationGetRelationName(s->relation)),
                    errhint("Undo what was done to it, or make it anew by kanon.alter.")));
}

/* Types change after a release was defined, those of the source or its own. Texts of one type fit into another one. */
static void check_type(const sink *s, const Form_pg_attribute a, const column *c)
{
    Oid is = getBaseType(a->atttypid), wanted = getBaseType(c->type);
    if (is != wanted && !(TypeCategory(is) == TYPCATEGORY_STRING && TypeCategory(wanted) == TYPCATEGORY_STRING))
        ereport(ERROR,
                (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                 errmsg("column %s of %s has the type %s and should have %s", NameStr(a->attname),
                        RelationGetRelationName(s->relation), format_type_be(a->atttypid), format_type_be(c->type)),
                 errdetail("The type of a column of the source or of the release was changed."),
                 errhint("kanon.alter makes the column anew: SELECT kanon.alter('%s').",
                         quote_identifier(RelationGetRelationName(s->relation)))));
}

static void add_target(sink *s, const definition *d, const char *name, int child, const column *c)
{
    AttrNumber number = get_attnum(d->release, name);
    if (number == InvalidAttrNumber)
        refuse_shape(s, name);
    Form_pg_attribute a = TupleDescAttr(s->relation->rd_att, number - 1);
    target *t = &s->targets[number - 1];
    Oid input;
    *t = (target){.child = child, .exclusive = c->exclusive, .scale = c->scale, .typmod = a->atttypmod};
    t->type = getBaseType(a->atttypid);
    if (a->attgenerated != '\0')
        refuse_shape(s, name);
    check_type(s, a, c);
    if (c->shown == SHOWN_RANGE) {
        t->range = true;
        t->cache = lookup_type_cache(t->type, TYPECACHE_RANGE_INFO);
        t->type = t->cache->rngelemtype->type_id;
    }
    t->empty_is_null = d->incremental;
    t->is_quasi = c->shown != SHOWN_KEPT;
    getTypeInputInfo(a->atttypid, &input, &t->input_of);
    fmgr_info(input, &t->input);
}

/* Columns that somebody has added get their default, as in any insert. */
static void add_own(sink *s, int attribute)
{
    Form_pg_attribute a = TupleDescAttr(s->relation->rd_att, attribute);
    s->targets[attribute] = (target){.child = -1};
    if (a->attisdropped || a->attgenerated != '\0')
        return;
    Expr *preset = (Expr *)build_column_default(s->relation, attribute + 1);
    if (preset != NULL)
        s->targets[attribute].preset = ExecPrepareExpr(preset, s->estate);
}

static void add_targets(sink *s, const definition *d)
{
    int child = 0;
    s->n = s->relation->rd_att->natts;
    s->targets = palloc0(((size_t)s->n + 1) * sizeof *s->targets);
    for (int i = 0; i < s->n; i++)
        add_own(s, i);
    for (int i = 0; i < d->n_columns; i++) {
        const column *c = &d->columns[i];
        if (c->shown == SHOWN_NOT)
            continue;
        add_target(s, d, c->released[0], child++, c);
        if (c->shown == SHOWN_RANGE)
            child++;
        if (c->shown == SHOWN_COLUMNS)
            add_target(s, d, c->released[1], child++, c);
    }
    s->n_children = child;
}

sink *sink_open(run *r, definition *d)
{
    sink *s = palloc0(sizeof *s);
    (void)r;
    s->definition = d;
    s->relation = table_open(d->release, RowExclusiveLock);
    if (s->relation->rd_rel->relkind != RELKIND_RELATION || s->relation->rd_rules != NULL ||
        (s->relation->trigdesc != NULL &&
         (s->relation->trigdesc->trig_insert_before_row || s->relation->trigdesc->trig_insert_after_row)))
        ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("the release has rules, triggers or partitions")));
    s->estate = CreateExecutorState();
    s->info = makeNode(ResultRelInfo);
    InitResultRelInfo(s->info, s->relation, 1, NULL, 0);
    ExecOpenIndices(s->info, false);
    add_targets(s, d);
    s->bulk = GetBulkInsertState();
    s->rows = AllocSetContextCreate(CurrentMemoryContext, "kanon rows", ALLOCSET_DEFAULT_SIZES);
    return s;
}

void sink_close(sink *s)
{
    FreeBulkInsertState(s->bulk);
    for (int i = 0; i < s->n_made; i++)
        ExecDropSingleTupleTableSlot(s->slots[i]);
    ExecCloseIndices(s->info);
    FreeExecutorState(s->estate);
    MemoryContextDelete(s->rows);
    table_close(s->relation, NoLock);
}

/* ---- writing ---- */

static void flush(sink *s)
{
    if (s->n_slots == 0)
        return;
    CHECK_FOR_INTERRUPTS();
    table_multi_insert(s->relation, s->slots, s->n_slots, GetCurrentCommandId(true), 0, s->bulk);
    for (int i = 0; i < s->n_slots && s->info->ri_NumIndices > 0; i++)
        list_free(ExecInsertIndexTuples(s->info, s->slots[i], s->estate, false, false, NULL, NIL));
    for (int i = 0; i < s->n_slots; i++)
        ExecClearTuple(s->slots[i]);
    s->n_slots = 0;
    ResetPerTupleExprContext(s->estate);
    MemoryContextReset(s->rows);
}

static TupleTableSlot *next_slot(sink *s)
{
    if (s->n_slots == ROWS_AT_A_TIME)
        flush(s);
    if (s->n_slots == s->n_made)
        s->slots[s->n_made++] = table_slot_create(s->relation, NULL);
    return s->slots[s->n_slots++];
}

static void put_own(sink *s, TupleTableSlot *slot, int i)
{
    slot->tts_isnull[i] = true;
    if (s->targets[i].preset != NULL)
        slot->tts_values[i] =
            ExecEvalExpr(s->targets[i].preset, GetPerTupleExprContext(s->estate), &slot->tts_isnull[i]);
}

/* The row waits in a slot to be inserted. */
static void put_row(sink *s, const struct ArrowSchema *schema, const struct ArrowArray *batch, int64_t row)
{
    TupleTableSlot *slot = next_slot(s);
    TupleConstr *constraints = s->relation->rd_att->constr;
    MemoryContext before = MemoryContextSwitchTo(s->rows);
    int64_t at = row + batch->offset;
    for (int i = 0; i < s->n; i++) {
        target *t = &s->targets[i];
        if (t->child < 0) {
            put_own(s, slot, i);
            continue;
        }
        bool is_float4 = schema->children[t->child]->format[0] == 'f';
        cell first = arrow_cell(schema->children[t->child], batch->children[t->child], at), second = {.null = true};
        if (t->range)
            second = arrow_cell(schema->children[t->child + 1], batch->children[t->child + 1], at);
        slot->tts_isnull[i] = (first.null && second.null) || (t->empty_is_null && first.kind == 't' && first.length == 0);
        if (slot->tts_isnull[i])
            continue;
        t->says = true;
        slot->tts_values[i] = t->range ? range_of(t, &first, &second, is_float4) : value_of(t, &first, is_float4);
    }
    MemoryContextSwitchTo(before);
    ExecStoreVirtualTuple(slot);
    if (constraints != NULL && constraints->has_generated_stored)
        ExecComputeStoredGenerated(s->info, s->estate, slot, CMD_INSERT);
    if (constraints != NULL)
        ExecConstraints(s->info, slot, s->estate);
}

static void check_stream(run *r, int failed)
{
    if (failed != 0)
        ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("the release cannot be read: %s", strerror(failed))));
}

/* Such as a number of a person that is written in a type of which this extension makes no ranges. */
static void warn_of_nothing(const sink *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->targets[i].is_quasi && !s->targets[i].says)
            ereport(WARNING, (errmsg("column %s of the release is NULL in every row",
                                     NameStr(TupleDescAttr(s->relation->rd_att, i)->attname)),
                              errhint("Give it a taxonomy or a mask, or leave it out:"
                                      " as it is, it makes all other columns worse.")));
}

void sink_write(sink *s, run *r, fingerprint *sum)
{
    int64_t rows = 0;
    check_stream(r, r->release.get_schema(&r->release, &r->batch_schema));
    if (r->batch_schema.n_children != s->n_children)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                        errmsg("columns of the source have other types than those that the state was made with"),
                        hint_anew(s->definition)));
    for (;;) {
        check_stream(r, r->release.get_next(&r->release, &r->batch));
        if (r->batch.release == NULL)
            break;
        progress_stage("writing rows", rows, 0);
        for (int64_t row = 0; row < r->batch.length; row++) {
            fingerprint_row(sum, &r->batch_schema, &r->batch, row);
            put_row(s, &r->batch_schema, &r->batch, row);
            if (++rows % ROWS_AT_A_TIME == 0)
                CHECK_FOR_INTERRUPTS();
        }
        flush(s);
        r->batch.release(&r->batch);
    }
    r->batch_schema.release(&r->batch_schema);
    r->release.release(&r->release);
    if (rows > 0)
        warn_of_nothing(s);
}
