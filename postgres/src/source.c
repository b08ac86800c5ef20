/* Rows of a query, read into a frame.
 *
 * The rows are read before the library is called, by a receiver at the end of the executor, so that an error of the
 * query never jumps over a frame of the library. They are kept in batches of plain memory, since the library drops them
 * when it is done, wherever that is. A range becomes two columns, NAME_min and NAME_max. */
#include "frame.h"

#include "access/tableam.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/rangetypes.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include <math.h>

enum { EPOCH_DAYS = POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE, ROWS_BETWEEN_INTERRUPTS = 1000 };

/* ---- memory ---- */

static void out_of_memory(void)
{
    ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory for the rows of the table")));
}

static void *take(size_t size)
{
    void *memory = calloc(1, size == 0 ? 1 : size);
    if (memory == NULL)
        out_of_memory();
    return memory;
}

/* Rows count against the limit that the rest of the run has, too. */
static void count_bytes(frame *f, size_t size)
{
    f->bytes += (int64_t)size;
    if (f->bytes > run_memory())
        ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY),
                        errmsg("the rows of the table take more memory than maintenance_work_mem allows"),
                        errhint("Raise maintenance_work_mem.")));
}

/* ---- filling ---- */

/* What the receiver knows of a column of the query. */
typedef struct query_column {
    const reader_column *as;
    int field;
    FmgrInfo output;
    TypeCacheEntry *range;
    Oid collation;
} query_column;

typedef struct receiver {
    DestReceiver pub;
    frame *frame;
    query_column *columns;
    int n;
    MemoryContext row_context;
} receiver;

static int width_of(reading how)
{
    switch (how) {
    case READ_BOOL:
        return 0;
    case READ_INT2:
        return 2;
    case READ_INT4:
    case READ_FLOAT4:
    case READ_DATE:
    case READ_TEXT:
        return 4;
    case READ_DECIMAL:
        return 16;
    default:
        return 8;
    }
}

static void set_format(field *f)
{
    static const char *const formats[] = {"u", "b", "s", "i", "l", "f", "g", "tdD", "tsu:", "tsu:UTC", "d:38,", "l"};
    if (f->reading == READ_DECIMAL)
        snprintf(f->format, sizeof f->format, "d:38,%d", f->scale);
    else
        strlcpy(f->format, formats[f->reading], sizeof f->format);
}

static void begin_batch(frame *f)
{
    batch *b = take(sizeof *b);
    b->arrays = calloc((size_t)f->n + 1, sizeof *b->arrays);
    if (b->arrays == NULL) {
        free(b);
        out_of_memory();
    }
    if (f->last == NULL)
        f->first = b;
    else
        f->last->next = b;
    f->last = b;
    for (int i = 0; i < f->n; i++) {
        size_t size = f->fields[i].width == 0 ? BATCH_ROWS / 8 : ((size_t)BATCH_ROWS + 1) * (size_t)f->fields[i].width;
        b->arrays[i].values = take(size);
        count_bytes(f, size);
    }
}

static void put_null(frame *f, int i)
{
    array *a = &f->last->arrays[i];
    int64_t row = f->last->rows;
    if (a->validity == NULL) {
        a->validity = take(BATCH_ROWS / 8);
        memset(a->validity, 0xff, BATCH_ROWS / 8);
        count_bytes(f, BATCH_ROWS / 8);
    }
    a->validity[row / 8] &= (uint8_t) ~(1u << (row % 8));
    a->nulls++;
    if (f->fields[i].reading == READ_TEXT)
        ((int32_t *)a->values)[row + 1] = (int32_t)a->used;
}

static void put_text(frame *f, int i, const char *text, size_t length)
{
    array *a = &f->last->arrays[i];
    if (a->used + length > INT32_MAX)
        ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("the texts of a column are too long")));
    if (a->used + length > a->room) {
        size_t room = a->room == 0 ? 1 << 16 : a->room * 2;
        while (room < a->used + length)
            room *= 2;
        char *grown = realloc(a->bytes, room);
        if (grown == NULL)
            out_of_memory();
        size_t more = room - a->room;
        a->bytes = grown; /* before anything raises: the frame frees it */
        a->room = room;
        count_bytes(f, more);
    }
    memcpy(a->bytes + a->used, text, length);
    a->used += length;
    ((int32_t *)a->values)[f->last->rows + 1] = (int32_t)a->used;
}

/* A numeric as a whole number of units of its scale; raises where it does not fit. */
static __int128 decimal_of(Datum value, int scale)
{
    char *text = DatumGetCString(DirectFunctionCall1(numeric_out, value));
    bool negative = *text == '-';
    __int128 whole = 0;
    int digits = 0, places = -1;
    for (const char *c = text + negative; *c != '\0'; c++) {
        if (*c == '.') {
            places = 0;
            continue;
        }
        if (places == scale && *c == '0')
            continue; /* beyond the last digit of any value */
        if (*c < '0' || *c > '9')
            ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("a number is infinite or not a number")));
        whole = whole * 10 + (*c - '0');
        digits += whole != 0;
        places += places >= 0;
        if (digits > 38)
            break;
    }
    for (places = Max(places, 0); places < scale && digits <= 38; places++, digits += whole != 0)
        whole *= 10;
    if (digits > 38 || places > scale)
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("a number has more than 38 digits")));
    pfree(text);
    return negative ? -whole : whole;
}

static void refuse_infinite(void)
{
    ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("a date or time is infinite"),
                    errhint("Read the table through a view that shows NULL in its place.")));
}

/* The value in the form of its array. */
static void put_number(frame *f, int i, Datum value)
{
    char *values = f->last->arrays[i].values;
    int64_t row = f->last->rows;
    switch (f->fields[i].reading) {
    case READ_BOOL:
        if (DatumGetBool(value))
            ((uint8_t *)values)[row / 8] |= (uint8_t)(1u << (row % 8));
        break;
    case READ_INT2:
        ((int16_t *)values)[row] = DatumGetInt16(value);
        break;
    case READ_INT4:
        ((int32_t *)values)[row] = DatumGetInt32(value);
        break;
    case READ_INT8:
        ((int64_t *)values)[row] = DatumGetInt64(value);
        break;
    case READ_FLOAT4:
        ((float *)values)[row] = DatumGetFloat4(value);
        break;
    case READ_FLOAT8:
        ((double *)values)[row] = DatumGetFloat8(value);
        break;
    case READ_DATE:
        if (DATE_NOT_FINITE(DatumGetDateADT(value)))
            refuse_infinite();
        ((int32_t *)values)[row] = DatumGetDateADT(value) + EPOCH_DAYS;
        break;
    case READ_TIMESTAMP:
    case READ_TIMESTAMPTZ:
        if (TIMESTAMP_NOT_FINITE(DatumGetTimestamp(value)))
            refuse_infinite();
        ((int64_t *)values)[row] = DatumGetTimestamp(value) + EPOCH_DAYS * USECS_PER_DAY;
        break;
    case READ_DECIMAL: {
        __int128 whole = decimal_of(value, f->fields[i].scale);
        memcpy(values + row * 16, &whole, 16);
        break;
    }
    case READ_TEXT:
        break;
    }
}

static bool is_nan(reading how, Datum value, bool numeric)
{
    if (numeric)
        return numeric_is_nan(DatumGetNumeric(value));
    return (how == READ_FLOAT4 && isnan(DatumGetFloat4(value))) || (how == READ_FLOAT8 && isnan(DatumGetFloat8(value)));
}

static void put_value(frame *f, int i, Datum value, query_column *c)
{
    reading how = f->fields[i].reading;
    if (how != READ_TEXT) {
        if (is_nan(how, value, how == READ_DECIMAL))
            put_null(f, i);
        else
            put_number(f, i, value);
        return;
    }
    char *text = OutputFunctionCall(&c->output, value);
    char *utf8 = pg_server_to_any(text, strlen(text), PG_UTF8);
    put_text(f, i, utf8, strlen(utf8));
}

/* The subtype of a range as the arrays have it; *closed: a whole number is the last one in the range. */
static Datum end_of(const RangeBound *bound, reading how, Oid subtype)
{
    if (subtype == NUMERICOID && how == READ_FLOAT8)
        return DirectFunctionCall1(numeric_float8_no_overflow, bound->val);
    if (subtype == NUMERICOID && how == READ_FLOAT4)
        return DirectFunctionCall1(numeric_float4, bound->val);
    return bound->val;
}

/* int4range has [20,30) where the release said 20 to 29. */
static Datum last_within(Datum value, reading how)
{
    switch (how) {
    case READ_INT2:
        return Int16GetDatum((int16)(DatumGetInt32(value) - 1));
    case READ_INT4:
    case READ_DATE:
        return Int32GetDatum(DatumGetInt32(value) - 1);
    case READ_INT8:
        return Int64GetDatum(DatumGetInt64(value) - 1);
    default:
        return value;
    }
}

static void put_range(frame *f, query_column *c, Datum value)
{
    RangeBound lower, upper;
    bool empty;
    reading how = c->as->reading;
    Oid subtype = c->range->rngelemtype->type_id;
    bool discrete = subtype == INT4OID || subtype == INT8OID || subtype == DATEOID;
    range_deserialize(c->range, DatumGetRangeTypeP(value), &lower, &upper, &empty);
    if (empty || (!lower.infinite && !lower.inclusive) ||
        (!upper.infinite && !discrete && upper.inclusive == c->as->exclusive))
        ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION), errmsg("a range in the release is not one of a release")));
    if (lower.infinite)
        put_null(f, c->field);
    else
        put_number(f, c->field,
                   how == READ_INT2 ? Int16GetDatum((int16)DatumGetInt32(lower.val)) : end_of(&lower, how, subtype));
    if (upper.infinite)
        put_null(f, c->field + 1);
    else
        put_number(f, c->field + 1, discrete ? last_within(upper.val, how) : end_of(&upper, how, subtype));
}

static bool receive(TupleTableSlot *slot, DestReceiver *self)
{
    receiver *r = (receiver *)self;
    frame *f = r->frame;
    MemoryContext before = MemoryContextSwitchTo(r->row_context);
    slot_getallattrs(slot);
    if (f->last == NULL || f->last->rows == BATCH_ROWS) {
        begin_batch(f);
        progress_stage("reading rows", f->rows, 0);
    }
    for (int i = 0; i < r->n; i++) {
        query_column *c = &r->columns[i];
        if (!slot->tts_isnull[i] && c->as->range) {
            put_range(f, c, slot->tts_values[i]);
        } else if (!slot->tts_isnull[i]) {
            put_value(f, c->field, slot->tts_values[i], c);
        } else {
            put_null(f, c->field);
            if (c->as->range)
                put_null(f, c->field + 1);
        }
    }
    f->last->rows++;
    f->rows++;
    MemoryContextSwitchTo(before);
    MemoryContextReset(r->row_context);
    return true;
}

static void prepare_column(query_column *c, Form_pg_attribute attribute)
{
    Oid output;
    bool varlena;
    if (c->as->range)
        c->range = lookup_type_cache(getBaseType(attribute->atttypid), TYPECACHE_RANGE_INFO);
    getTypeOutputInfo(attribute->atttypid, &output, &varlena);
    fmgr_info(output, &c->output);
}

static void start(DestReceiver *self, int operation, TupleDesc row)
{
    receiver *r = (receiver *)self;
    (void)operation;
    if (row->natts != r->n)
        elog(ERROR, "the query has %d columns, not %d", row->natts, r->n);
    for (int i = 0; i < r->n; i++)
        prepare_column(&r->columns[i], TupleDescAttr(row, i));
}

static void stop(DestReceiver *self)
{
    (void)self;
}

static void add_field(frame *f, const char *name, const char *suffix, const reader_column *as)
{
    field *to = &f->fields[f->n];
    size_t size = strlen(name) + strlen(suffix) + 1;
    to->name = take(size);
    f->n++;
    snprintf(to->name, size, "%s%s", name, suffix);
    to->reading = as->reading;
    to->scale = as->scale;
    to->width = width_of(as->reading);
    set_format(to);
}

static frame *frame_new(run *r, const reader_column *columns, int n, query_column *into)
{
    frame *f = take(sizeof *f);
    atomic_init(&f->references, 1);
    f->owner = r;
    f->next = r->frames;
    r->frames = f;
    f->fields = take((size_t)n * 2 * sizeof *f->fields);
    for (int i = 0; i < n; i++) {
        into[i].as = &columns[i];
        into[i].field = f->n;
        add_field(f, columns[i].name, columns[i].range ? "_min" : "", &columns[i]);
        if (columns[i].range)
            add_field(f, columns[i].name, "_max", &columns[i]);
    }
    return f;
}

frame *frame_read(run *r, const char *query, const reader_column *columns, int n)
{
    receiver to = {
        .pub = {.receiveSlot = receive, .rStartup = start, .rShutdown = stop, .rDestroy = stop, .mydest = DestNone}, .n = n};
    to.columns = palloc0(((size_t)n + 1) * sizeof *to.columns);
    to.frame = frame_new(r, columns, n, to.columns);
    to.row_context = AllocSetContextCreate(CurrentMemoryContext, "kanon row", ALLOCSET_DEFAULT_SIZES);
    SPIExecuteOptions options = {.read_only = true, .dest = &to.pub};
    int done = SPI_execute_extended(query, &options);
    if (done != SPI_OK_UTILITY) /* what a SELECT into a receiver of one's own gives */
        elog(ERROR, "the rows of the table cannot be read: %s", SPI_result_code_string(done));
    MemoryContextDelete(to.row_context);
    return to.frame;
}
