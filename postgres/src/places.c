/* Where the rows of each group of a release stand in its table, so that a refresh by change touches those of changed groups.
 *
 * Kept in kanon.release_places, which only the owner of the definition sees: for some groups of neighbouring numbers one row
 * of bytes with the places of their rows and a keyed sum over them. The rows themselves say nothing of groups. A seal
 * (kanon.release_seals) has the sum over all rows and the file of the table. A table that was rewritten has another file:
 * then the places mean nothing, and the next refresh writes them anew. Rows that somebody else has changed have another sum:
 * then a refresh by change is refused. Called by state.c, refresh.c and sink.c. */
#include "host.h"

#include "access/heapam.h"
#include "access/heaptoast.h"
#include "access/htup_details.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

enum { GROUPS_PER_PART = 4, PARTS_AT_A_TIME = 1000 };

/* A row of the release. */
typedef struct placed_row {
    int64_t group;
    ItemPointerData at;
    uint64 hash;
} placed_row;

struct places {
    MemoryContext context;
    uint64 key[2];
    bool sealed; /* the places of the last refresh can be used */
    bool wide;   /* a row may lie partly elsewhere: no places are kept */
    Oid file;
    int64_t rows; /* of the whole table, and the sum over them */
    uint64 sum;
    placed_row *items; /* that come with this refresh */
    int64_t n, room;
    placed_row *kept; /* of parts that are written anew: those of groups that stay */
    int64_t n_kept, room_kept;
};

/* ---- rows ---- */

/* A keyed hash of some bytes, eight at a time: the whole table is read with it. */
static uint64 mix(const char *bytes, int length, uint64 h)
{
    uint64 word;
    h ^= (uint64)length;
    for (; length > 0; bytes += sizeof word, length -= (int)sizeof word) {
        word = 0;
        memcpy(&word, bytes, length < (int)sizeof word ? (size_t)length : sizeof word);
        h = (h ^ word) * UINT64CONST(0x9fb21c651e98df25);
        h ^= h >> 32;
    }
    h *= UINT64CONST(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* The hash of what a tuple holds: its values and which of them are null, and nothing of who wrote it when. */
static row_hash hash_tuple(const places *p, HeapTuple tuple, bool both)
{
    HeapTupleHeader header = tuple->t_data;
    const char *bytes = (const char *)header + header->t_hoff;
    int length = (int)tuple->t_len - header->t_hoff;
    uint64 seed = p->key[0];
    row_hash h;
    if (HeapTupleHasNulls(tuple))
        seed = mix((const char *)header->t_bits, BITMAPLEN(HeapTupleHeaderGetNatts(header)), seed);
    h.a = mix(bytes, length, seed);
    h.b = both ? mix(bytes, length, seed ^ p->key[1]) : 0;
    return h;
}

/* Rows that are long enough for the server to store parts of them elsewhere look different when they are read. */
row_hash places_hash(places *p, TupleTableSlot *slot)
{
    bool made;
    HeapTuple tuple = ExecFetchSlotHeapTuple(slot, false, &made);
    row_hash h = hash_tuple(p, tuple, true);
    p->wide = p->wide || tuple->t_len > TOAST_TUPLE_THRESHOLD;
    if (made)
        heap_freetuple(tuple);
    return h;
}

static void append(MemoryContext context, placed_row **items, int64_t *n, int64_t *room, placed_row row)
{
    if (*n == *room) {
        *room = Max(1024, *room * 2);
        *items = *items == NULL ? MemoryContextAllocHuge(context, (Size)*room * sizeof row)
                                : repalloc_huge(*items, (Size)*room * sizeof row);
    }
    (*items)[(*n)++] = row;
}

void places_add(places *p, int64_t group, const ItemPointerData *at, uint64 hash)
{
    append(p->context, &p->items, &p->n, &p->room, (placed_row){group, *at, hash});
    p->rows++;
    p->sum += hash;
}

row_hash places_hash_at(places *p, Relation release, ItemPointer at, TupleTableSlot *slot)
{
    if (!table_tuple_fetch_row_version(release, at, GetActiveSnapshot(), slot))
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("the release was altered"),
                        errhint("Refresh it fully.")));
    row_hash h = places_hash(p, slot);
    ExecClearTuple(slot);
    return h;
}

/* ---- the seal ---- */

static Oid file_of(const definition *d)
{
    Relation release = table_open(d->release, AccessShareLock);
    Oid file = release->rd_node.relNode;
    table_close(release, NoLock);
    return file;
}

places *places_open(run *r, const definition *d)
{
    places *p = MemoryContextAllocZero(r->context, sizeof *p);
    bool null;
    p->context = r->context;
    p->file = file_of(d);
    if (SPI_execute(
            psprintf("SELECT key[1], key[2], rows, sum FROM kanon.release_seals WHERE definition = '%s' AND file = %u",
                     d->id, p->file),
            true, 0) != SPI_OK_SELECT)
        elog(ERROR, "a query of the extension failed");
    p->sealed = SPI_processed == 1;
    if (p->sealed) {
        HeapTuple row = SPI_tuptable->vals[0];
        p->key[0] = (uint64)DatumGetInt64(SPI_getbinval(row, SPI_tuptable->tupdesc, 1, &null));
        p->key[1] = (uint64)DatumGetInt64(SPI_getbinval(row, SPI_tuptable->tupdesc, 2, &null));
        p->rows = DatumGetInt64(SPI_getbinval(row, SPI_tuptable->tupdesc, 3, &null));
        p->sum = (uint64)DatumGetInt64(SPI_getbinval(row, SPI_tuptable->tupdesc, 4, &null));
    }
    return p;
}

bool places_sealed(const places *p)
{
    return p->sealed;
}

/* All rows are about to be written anew. */
void places_restart(places *p)
{
    if (!pg_strong_random(p->key, sizeof p->key))
        ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("there are no random numbers")));
    p->sealed = p->wide = false;
    p->rows = 0;
    p->sum = 0;
    p->n = 0;
}

static void forget_seal(const definition *d)
{
    SPI_execute(psprintf("DELETE FROM kanon.release_seals WHERE definition = '%s'", d->id), false, 0);
}

static void save_seal(const places *p, const definition *d)
{
    forget_seal(d);
    SPI_execute(psprintf("INSERT INTO kanon.release_seals VALUES ('%s', '%u', '{%lld,%lld}', %lld, '%lld')", d->id, p->file,
                         (long long)p->key[0], (long long)p->key[1], (long long)p->rows, (long long)p->sum),
                false, 0);
}

/* ---- parts: number within the part and count of rows (4 bytes each), sum (8), places (6 each) of one group after the other */

static int by_group(const void *left, const void *right)
{
    const placed_row *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return ItemPointerCompare((ItemPointer)&a->at, (ItemPointer)&b->at);
}

static void pack_group(StringInfo to, const placed_row *rows, int n)
{
    uint32 head[2] = {(uint32)(rows->group % GROUPS_PER_PART), (uint32)n};
    uint64 sum = 0;
    for (int i = 0; i < n; i++)
        sum += rows[i].hash;
    appendBinaryStringInfo(to, (char *)head, sizeof head);
    appendBinaryStringInfo(to, (char *)&sum, sizeof sum);
    for (int i = 0; i < n; i++)
        appendBinaryStringInfo(to, (char *)&rows[i].at, sizeof rows[i].at);
}

typedef void (*group_visitor)(places *p, int64_t group, uint64 sum, const ItemPointerData *at, int n, void *payload);

static void unpack_part(places *p, int64_t part, const char *bytes, int length, group_visitor visitor, void *payload)
{
    for (int from = 0; from < length;) {
        uint32 head[2] = {0};
        uint64 sum = 0;
        if (length - from >= (int)(sizeof head + sizeof sum)) {
            memcpy(head, bytes + from, sizeof head);
            memcpy(&sum, bytes + from + sizeof head, sizeof sum);
        }
        from += (int)(sizeof head + sizeof sum);
        if (head[1] == 0 || (int64_t)length - from < (int64_t)head[1] * (int64_t)sizeof(ItemPointerData))
            ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("the places of the release are damaged"),
                            errhint("Refresh it fully.")));
        visitor(p, part * GROUPS_PER_PART + head[0], sum, (const ItemPointerData *)(bytes + from), (int)head[1], payload);
        from += (int)(head[1] * sizeof(ItemPointerData));
    }
}

/* Writes the parts of all rows in `items`, which are sorted by group, instead of those that there are. */
static void write_parts(const places *p, const definition *d, const placed_row *items, int64_t n)
{
    Oid types[] = {TEXTOID, INT8ARRAYOID, BYTEAARRAYOID};
    Datum *parts = palloc(PARTS_AT_A_TIME * sizeof *parts), *bytes = palloc(PARTS_AT_A_TIME * sizeof *bytes);
    SPIPlanPtr plan = SPI_prepare("INSERT INTO kanon.release_places SELECT $1::uuid, u.part, u.places"
                                  " FROM unnest($2, $3) u(part, places)",
                                  3, types);
    int n_parts = 0;
    MemoryContext own = AllocSetContextCreate(CurrentMemoryContext, "kanon places", ALLOCSET_DEFAULT_SIZES);
    MemoryContext before = MemoryContextSwitchTo(own);
    (void)p;
    for (int64_t i = 0; i < n;) {
        StringInfoData packed;
        int64_t part = items[i].group / GROUPS_PER_PART, end;
        initStringInfo(&packed);
        appendStringInfoSpaces(&packed, VARHDRSZ);
        for (; i < n && items[i].group / GROUPS_PER_PART == part; i = end) {
            for (end = i; end < n && items[end].group == items[i].group; end++)
                ;
            pack_group(&packed, items + i, (int)(end - i));
        }
        SET_VARSIZE(packed.data, packed.len);
        parts[n_parts] = Int64GetDatum(part);
        bytes[n_parts++] = PointerGetDatum(packed.data);
        if (n_parts < PARTS_AT_A_TIME && i < n)
            continue;
        Datum values[] = {CStringGetTextDatum(d->id),
                          PointerGetDatum(construct_array(parts, n_parts, INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)),
                          PointerGetDatum(construct_array(bytes, n_parts, BYTEAOID, -1, false, TYPALIGN_INT))};
        SPI_execute_plan(plan, values, NULL, false, 0);
        n_parts = 0;
        MemoryContextReset(own);
        CHECK_FOR_INTERRUPTS();
    }
    MemoryContextSwitchTo(before);
    MemoryContextDelete(own);
}

/* ---- a whole release ---- */

void places_forget(const definition *d)
{
    forget_seal(d);
    SPI_execute(psprintf("DELETE FROM kanon.release_places WHERE definition = '%s'", d->id), false, 0);
}

void places_save(places *p, const definition *d)
{
    places_forget(d);
    if (p->wide)
        return;
    qsort(p->items, (size_t)p->n, sizeof *p->items, by_group);
    write_parts(p, d, p->items, p->n);
    save_seal(p, d);
}

/* ---- a release of changes ---- */

typedef struct removal {
    const int64_t *groups; /* ascending */
    int64_t n, found;
    placed_row_visitor visitor;
    void *payload;
} removal;

static int by_number(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* The sum of a group that stays is kept as that of its first row. */
static void sort_out(places *p, int64_t group, uint64 sum, const ItemPointerData *at, int n, void *payload)
{
    removal *r = payload;
    if (bsearch(&group, r->groups, (size_t)r->n, sizeof group, by_number) == NULL) {
        for (int i = 0; i < n; i++)
            append(p->context, &p->kept, &p->n_kept, &p->room_kept, (placed_row){group, at[i], i == 0 ? sum : 0});
        return;
    }
    uint64 found = 0;
    for (int i = 0; i < n; i++)
        found += r->visitor(&at[i], r->payload);
    if (found != sum)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("the release was altered"),
                        errhint("Refresh it fully.")));
    p->sum -= sum;
    p->rows -= n;
    r->found++;
}

static Datum parts_of(const int64_t *groups, int64_t n, const placed_row *items, int64_t n_items)
{
    Datum *parts = palloc(((Size)(n + n_items) + 1) * sizeof *parts);
    int n_parts = 0;
    int64_t last = -1;
    for (int64_t i = 0; i < n; i++)
        if (groups[i] / GROUPS_PER_PART != last)
            parts[n_parts++] = Int64GetDatum(last = groups[i] / GROUPS_PER_PART);
    for (int64_t i = 0; i < n_items; i++)
        if (items[i].group / GROUPS_PER_PART != last)
            parts[n_parts++] = Int64GetDatum(last = items[i].group / GROUPS_PER_PART);
    return PointerGetDatum(construct_array(parts, n_parts, INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* Takes the parts out of the table that the groups are in; those of groups that go are told to the visitor. */
static void take_parts(places *p, const definition *d, Datum parts, removal *r)
{
    Oid types[] = {TEXTOID, INT8ARRAYOID};
    Datum values[] = {CStringGetTextDatum(d->id), parts};
    bool null;
    if (SPI_execute_with_args("DELETE FROM kanon.release_places WHERE definition = $1::uuid AND part = ANY ($2)"
                              " RETURNING part, places",
                              2, types, values, NULL, false, 0) != SPI_OK_DELETE_RETURNING)
        elog(ERROR, "the places of the release cannot be read");
    SPITupleTable *table = SPI_tuptable;
    for (uint64 i = 0; i < table->numvals; i++) {
        int64_t part = DatumGetInt64(SPI_getbinval(table->vals[i], table->tupdesc, 1, &null));
        bytea *bytes = DatumGetByteaPP(SPI_getbinval(table->vals[i], table->tupdesc, 2, &null));
        unpack_part(p, part, VARDATA_ANY(bytes), (int)VARSIZE_ANY_EXHDR(bytes), sort_out, r);
        CHECK_FOR_INTERRUPTS();
    }
    SPI_freetuptable(table);
}

void places_remove(places *p, const definition *d, const int64_t *groups, int64_t n, placed_row_visitor visitor,
                   void *payload)
{
    removal r = {.groups = groups, .n = n, .visitor = visitor, .payload = payload};
    if (n == 0)
        return;
    take_parts(p, d, parts_of(groups, n, NULL, 0), &r);
    if (r.found != n)
        ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("the places of the release are damaged"),
                        errhint("Refresh it fully.")));
}

/* New groups may be in parts that no removed group was in. */
void places_save_changes(places *p, const definition *d)
{
    removal none = {0};
    if (p->wide) {
        places_forget(d);
        return;
    }
    qsort(p->items, (size_t)p->n, sizeof *p->items, by_group);
    take_parts(p, d, parts_of(NULL, 0, p->items, p->n), &none);
    for (int64_t i = 0; i < p->n; i++)
        append(p->context, &p->kept, &p->n_kept, &p->room_kept, p->items[i]);
    qsort(p->kept, (size_t)p->n_kept, sizeof *p->kept, by_group);
    write_parts(p, d, p->kept, p->n_kept);
    save_seal(p, d);
}

/* The rows as they are in the table now. */
void places_verify(places *p, const definition *d)
{
    enum { ROWS_BETWEEN_INTERRUPTS = 4096 };
    Relation release = table_open(d->release, AccessShareLock);
    Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
    TableScanDesc scan = table_beginscan(release, snapshot, 0, NULL);
    HeapTuple tuple;
    int64_t rows = 0;
    uint64 sum = 0;
    while ((tuple = heap_getnext(scan, ForwardScanDirection)) != NULL) {
        sum += hash_tuple(p, tuple, false).a;
        if (++rows % ROWS_BETWEEN_INTERRUPTS == 0)
            CHECK_FOR_INTERRUPTS();
    }
    table_endscan(scan);
    UnregisterSnapshot(snapshot);
    table_close(release, NoLock);
    if (rows != p->rows || sum != p->sum)
        ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("the release was altered"),
                        errhint("Refresh it fully.")));
}

/* ---- reading back ---- */

ItemPointerData *places_list(const places *p, int64_t *n)
{
    ItemPointerData *at = MemoryContextAllocHuge(CurrentMemoryContext, ((Size)p->n + 1) * sizeof *at);
    for (int64_t i = 0; i < p->n; i++)
        at[i] = p->items[i].at;
    *n = p->n;
    return at;
}
