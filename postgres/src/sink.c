/* A release into its table: cells of Arrow batches become values of the server, rows are inserted a thousand at a time.
 *
 * The table keeps its identity, its grants and its indexes. Old rows go and new ones come in one transaction, so
 * that readers see the old release until it commits and never wait. Called by refresh.c. */
#include "host.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
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
    int child; /* of the batches; a range takes the next one, too */
    bool range, exclusive;
    int scale;
    Oid type;       /* of the attribute, or of the ends of a range */
    FmgrInfo input; /* of types that are written as text */
    Oid input_of;
    int32 typmod;
    TypeCacheEntry *cache;
    bool empty_is_null; /* a state keeps NULL as an empty text */
} target;

struct sink {
    Relation relation;
    EState *estate;
    ResultRelInfo *info;
    int n;
    target *targets;
    TupleTableSlot *slots[ROWS_AT_A_TIME];
    int n_slots, n_made;
    BulkInsertState bulk;
    MemoryContext rows;
    TupleTableSlot *found; /* a row that is there already */
    struct {
        int64_t group;
        uint64 hash;
    } notes[ROWS_AT_A_TIME]; /* for the places of the rows in the slots */
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

static void refuse_shape(const sink *s)
{
    ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
                    errmsg("%s is not as it was defined", RelationGetRelationName(s->relation)),
                    errhint("Drop the release with kanon.drop and define it again.")));
}

static void add_target(sink *s, const definition *d, int attribute, int child, const column *c)
{
    if (attribute >= s->relation->rd_att->natts)
        refuse_shape(s);
    Form_pg_attribute a = TupleDescAttr(s->relation->rd_att, attribute);
    target *t = &s->targets[attribute];
    Oid input;
    *t = (target){.child = child, .exclusive = c->exclusive, .scale = c->scale, .typmod = a->atttypmod};
    t->type = getBaseType(a->atttypid);
    if (a->attisdropped || a->attgenerated != '\0')
        refuse_shape(s);
    if (c->shown == SHOWN_RANGE) {
        t->range = true;
        t->cache = lookup_type_cache(t->type, TYPECACHE_RANGE_INFO);
        if (t->cache->rngelemtype == NULL)
            refuse_shape(s);
        t->type = t->cache->rngelemtype->type_id;
    }
    t->empty_is_null = d->incremental;
    getTypeInputInfo(a->atttypid, &input, &t->input_of);
    fmgr_info(input, &t->input);
}

/* Only what has the shape that kanon.define gave it is written to. */
static void add_targets(sink *s, const definition *d)
{
    int child = 0, attribute = 0;
    s->targets = palloc0(((size_t)s->relation->rd_att->natts + 1) * sizeof *s->targets);
    for (int i = 0; i < d->n_columns; i++) {
        const column *c = &d->columns[i];
        if (c->shown == SHOWN_NOT)
            continue;
        add_target(s, d, attribute++, child++, c);
        if (c->shown == SHOWN_RANGE)
            child++;
        if (c->shown == SHOWN_COLUMNS)
            add_target(s, d, attribute++, child++, c);
    }
    s->n = attribute;
    if (attribute != s->relation->rd_att->natts)
        refuse_shape(s);
}

sink *sink_open(run *r, definition *d)
{
    sink *s = palloc0(sizeof *s);
    (void)r;
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
    s->found = table_slot_create(s->relation, NULL);
    s->rows = AllocSetContextCreate(CurrentMemoryContext, "kanon rows", ALLOCSET_DEFAULT_SIZES);
    return s;
}

void sink_close(sink *s)
{
    FreeBulkInsertState(s->bulk);
    for (int i = 0; i < s->n_made; i++)
        ExecDropSingleTupleTableSlot(s->slots[i]);
    ExecDropSingleTupleTableSlot(s->found);
    ExecCloseIndices(s->info);
    FreeExecutorState(s->estate);
    MemoryContextDelete(s->rows);
    table_close(s->relation, NoLock);
}

/* ---- writing ---- */

static void flush(sink *s, const writing *w)
{
    if (s->n_slots == 0)
        return;
    CHECK_FOR_INTERRUPTS();
    table_multi_insert(s->relation, s->slots, s->n_slots, GetCurrentCommandId(true), 0, s->bulk);
    for (int i = 0; i < s->n_slots && s->info->ri_NumIndices > 0; i++)
        list_free(ExecInsertIndexTuples(s->info, s->slots[i], s->estate, false, false, NULL, NIL));
    for (int i = 0; i < s->n_slots; i++) {
        if (w->places != NULL)
            places_add(w->places, s->notes[i].group, &s->slots[i]->tts_tid, s->notes[i].hash);
        ExecClearTuple(s->slots[i]);
    }
    s->n_slots = 0;
    ResetPerTupleExprContext(s->estate);
    MemoryContextReset(s->rows);
}

static TupleTableSlot *next_slot(sink *s, const writing *w)
{
    if (s->n_slots == ROWS_AT_A_TIME)
        flush(s, w);
    if (s->n_slots == s->n_made)
        s->slots[s->n_made++] = table_slot_create(s->relation, NULL);
    return s->slots[s->n_slots++];
}

/* The row in a slot that waits to be inserted. */
static TupleTableSlot *put_row(sink *s, const writing *w, const struct ArrowSchema *schema, const struct ArrowArray *batch,
                               int64_t row)
{
    TupleTableSlot *slot = next_slot(s, w);
    MemoryContext before = MemoryContextSwitchTo(s->rows);
    int64_t at = row + batch->offset;
    for (int i = 0; i < s->n; i++) {
        const target *t = &s->targets[i];
        bool is_float4 = schema->children[t->child]->format[0] == 'f';
        cell first = arrow_cell(schema->children[t->child], batch->children[t->child], at), second = {.null = true};
        if (t->range)
            second = arrow_cell(schema->children[t->child + 1], batch->children[t->child + 1], at);
        slot->tts_isnull[i] = (first.null && second.null) || (t->empty_is_null && first.kind == 't' && first.length == 0);
        if (slot->tts_isnull[i])
            continue;
        slot->tts_values[i] = t->range ? range_of(t, &first, &second, is_float4) : value_of(t, &first, is_float4);
    }
    MemoryContextSwitchTo(before);
    ExecStoreVirtualTuple(slot);
    if (s->relation->rd_att->constr != NULL)
        ExecConstraints(s->info, slot, s->estate);
    return slot;
}

/* Writes one row, or finds it among the old ones. */
static void write_row(sink *s, run *r, const writing *w, int64_t row, int64_t number)
{
    ItemPointerData at;
    row_hash h = fingerprint_row(w->sum, &r->batch_schema, &r->batch, row, 0);
    int64_t group = w->places == NULL ? 0 : w->group_of[number];
    fingerprint_add(w->sum, h);
    if (w->old != NULL && !w->by_place && difference_take(w->old, h, &at)) {
        if (w->places != NULL)
            places_add(w->places, group, &at, places_hash_at(w->places, s->relation, &at, s->found).a);
        return;
    }
    TupleTableSlot *slot = put_row(s, w, &r->batch_schema, &r->batch, row);
    if (w->places == NULL)
        return;
    h = places_hash(w->places, slot);
    if (w->old != NULL && w->by_place && difference_take(w->old, h, &at)) {
        places_add(w->places, group, &at, h.a);
        ExecClearTuple(slot);
        s->n_slots--;
        return;
    }
    s->notes[s->n_slots - 1].group = group;
    s->notes[s->n_slots - 1].hash = h.a;
}

static void check_stream(run *r, int failed)
{
    if (failed != 0)
        ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("the release cannot be read: %s", strerror(failed))));
}

Relation sink_relation(const sink *s)
{
    return s->relation;
}

int64_t sink_write(sink *s, run *r, const writing *w)
{
    int64_t rows = 0;
    bool any = r->release.release != NULL; /* a release of changes may have no row */
    if (any)
        check_stream(r, r->release.get_schema(&r->release, &r->batch_schema));
    while (any) {
        check_stream(r, r->release.get_next(&r->release, &r->batch));
        if (r->batch.release == NULL)
            break;
        progress_stage("writing rows", rows, 0);
        for (int64_t row = 0; row < r->batch.length; row++) {
            write_row(s, r, w, row, rows++);
            if (rows % ROWS_AT_A_TIME == 0)
                CHECK_FOR_INTERRUPTS();
        }
        flush(s, w);
        r->batch.release(&r->batch);
    }
    if (any) {
        r->batch_schema.release(&r->batch_schema);
        r->release.release(&r->release);
    }
    if (w->old != NULL)
        difference_delete(w->old, s->relation);
    return rows;
}
