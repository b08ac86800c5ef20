/* The pages of a state of the library, which are rows of kanon.state_pages.
 *
 * A page is read when the library asks for it, so that a refresh by change reads what it needs, and those that the
 * library changed are written when it has returned. Reading is the one thing that the server does below a frame of the
 * library: an error is caught there and raised when the library has returned. State, release and the notes of changes
 * are one transaction of the server, with all that belongs to it: write-ahead log, backup, replication. */
#include "host.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "access/tableam.h"
#include "catalog/indexing.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/snapmgr.h"
#include "utils/uuid.h"

#include <errno.h>
#include <pthread.h>

enum { PAGE = 4096, PAGES_AHEAD = 8 };

typedef struct page {
    char *bytes;        /* NULL: not read, or zeros */
    ItemPointerData at; /* of its row; not valid: not looked up, or there is none */
    bool changed;
} page;

struct pages {
    page *items;
    int64_t room, size; /* room in pages, size in bytes */
    int64_t stored;     /* pages that the table has */
    int64_t used;       /* bytes in memory */
    int64_t last;       /* the page that was read last */
    Relation table, index;
    IndexScanDesc scan;
    TupleTableSlot *slot;
    pg_uuid_t definition;
    MemoryContext context;
    pthread_t thread;
};

static page *page_at(pages *p, int64_t number, bool read);

/* ---- rows ---- */

static void damaged(void)
{
    ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("the state of the release is damaged")));
}

/* The rows of n pages from `first` on are those that next_row gives, by rising number. */
static void find_rows(pages *p, int64_t first, int64_t n)
{
    ScanKeyData keys[3];
    ScanKeyInit(&keys[0], 1, BTEqualStrategyNumber, F_UUID_EQ, UUIDPGetDatum(&p->definition));
    ScanKeyInit(&keys[1], 2, BTGreaterEqualStrategyNumber, F_INT8GE, Int64GetDatum(first));
    ScanKeyInit(&keys[2], 2, BTLessStrategyNumber, F_INT8LT, Int64GetDatum(first + n));
    index_rescan(p->scan, keys, 3, NULL, 0);
}

static void next_row(pages *p)
{
    if (!index_getnext_slot(p->scan, ForwardScanDirection, p->slot))
        damaged();
}

static void take_row(pages *p, int64_t number, page *to)
{
    bool null;
    int64_t found = DatumGetInt64(slot_getattr(p->slot, 2, &null));
    Datum value = slot_getattr(p->slot, 3, &null);
    bytea *bytes = null ? NULL : DatumGetByteaPP(value);
    if (null || found != number || VARSIZE_ANY_EXHDR(bytes) != PAGE)
        damaged();
    memcpy(to->bytes, VARDATA_ANY(bytes), PAGE);
    to->at = p->slot->tts_tid;
    if ((Pointer)bytes != DatumGetPointer(value))
        pfree(bytes);
    ExecClearTuple(p->slot);
}

/* Where pages are read one after the other, some more come with them. */
static void read_rows(pages *p, int64_t number, page *to)
{
    int64_t n = number > p->last && number <= p->last + PAGES_AHEAD ? Min(PAGES_AHEAD, p->stored - number) : 1;
    p->last = number;
    find_rows(p, number, n);
    next_row(p);
    take_row(p, number, to);
    for (int64_t i = number + 1; i < number + n; i++) {
        next_row(p);
        page *more = page_at(p, i, false);
        if (more == NULL || more->changed || ItemPointerIsValid(&more->at))
            ExecClearTuple(p->slot);
        else
            take_row(p, i, more);
        p->last = i;
    }
    if (p->used > run_memory())
        ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY),
                        errmsg("the state of the release takes more memory than maintenance_work_mem allows"),
                        errhint("Raise maintenance_work_mem.")));
}

/* Whether the page is there now. The server is asked on its own thread only. */
static bool read_page(pages *p, int64_t number, page *to)
{
    volatile bool done = false;
    MemoryContext before = CurrentMemoryContext;
    if (!pthread_equal(pthread_self(), p->thread))
        return false;
    PG_TRY();
    {
        read_rows(p, number, to);
        done = true;
    }
    PG_CATCH();
    {
        keep_error(p->context);
        MemoryContextSwitchTo(before);
    }
    PG_END_TRY();
    return done;
}

/* ---- the library's storage ---- */

/* Room for so many pages. While pages are read there is room for all that the table has, so that none of them moves. */
static bool make_room(pages *p, int64_t n)
{
    if (n <= p->room)
        return true;
    int64_t room = Max(n, p->room * 2);
    page *items = realloc(p->items, (size_t)room * sizeof *items);
    if (items == NULL)
        return false;
    memset(items + p->room, 0, (size_t)(room - p->room) * sizeof *items);
    for (int64_t i = p->room; i < room; i++)
        ItemPointerSetInvalid(&items[i].at);
    p->items = items;
    p->room = room;
    return true;
}

/* With `read` the page has what the table has. */
static page *page_at(pages *p, int64_t number, bool read)
{
    if (!make_room(p, number + 1))
        return NULL;
    page *found = &p->items[number];
    if (found->bytes != NULL)
        return found;
    found->bytes = calloc(1, PAGE);
    p->used += PAGE;
    if (found->bytes == NULL)
        return NULL;
    if (read && number < p->stored && !read_page(p, number, found)) {
        free(found->bytes);
        found->bytes = NULL;
        return NULL;
    }
    return found;
}

static int pages_read(void *bytes, size_t size, int64_t offset, void *payload)
{
    pages *p = payload;
    for (size_t done = 0, n; done < size; done += n) {
        int64_t from = offset + (int64_t)done;
        page *found = page_at(p, from / PAGE, true);
        n = Min(size - done, (size_t)(PAGE - from % PAGE));
        if (found == NULL)
            return EIO;
        memcpy((char *)bytes + done, found->bytes + from % PAGE, n);
    }
    return 0;
}

static int pages_write(const void *bytes, size_t size, int64_t offset, void *payload)
{
    pages *p = payload;
    for (size_t done = 0, n; done < size; done += n) {
        int64_t to = offset + (int64_t)done;
        n = Min(size - done, (size_t)(PAGE - to % PAGE));
        page *found = page_at(p, to / PAGE, n < PAGE);
        if (found == NULL)
            return ENOMEM;
        memcpy(found->bytes + to % PAGE, (const char *)bytes + done, n);
        found->changed = true;
    }
    p->size = Max(p->size, offset + (int64_t)size);
    return 0;
}

static int pages_truncate(int64_t size, void *payload)
{
    ((pages *)payload)->size = size;
    return 0;
}

static int64_t pages_size(void *payload)
{
    return ((pages *)payload)->size;
}

/* After an error the server does the same by itself. */
void pages_close(pages *p)
{
    ExecDropSingleTupleTableSlot(p->slot);
    index_endscan(p->scan);
    index_close(p->index, NoLock);
    table_close(p->table, NoLock);
}

void pages_free(pages *p)
{
    for (int64_t i = 0; p != NULL && i < p->room; i++)
        free(p->items[i].bytes);
    if (p != NULL)
        free(p->items);
    free(p);
}

/* ---- opening and saving ---- */

void pages_new(run *r, const definition *d)
{
    pages *p = r->pages = calloc(1, sizeof *p);
    if (p == NULL)
        ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
    p->context = r->context;
    p->thread = pthread_self();
    p->definition = *DatumGetUUIDP(DirectFunctionCall1(uuid_in, CStringGetDatum(d->id)));
    p->table = table_open(get_relname_relid("state_pages", get_namespace_oid("kanon", false)), RowExclusiveLock);
    p->index = index_open(RelationGetPrimaryKeyIndex(p->table), RowExclusiveLock);
    p->scan = index_beginscan(p->table, p->index, GetActiveSnapshot(), 3, 0);
    p->slot = table_slot_create(p->table, NULL);
    r->storage = (kanon_state_storage){sizeof r->storage, pages_read, pages_write, pages_truncate, pages_size, p};
}

void pages_open(run *r, const definition *d)
{
    bool null;
    pages_new(r, d);
    if (SPI_execute(psprintf("SELECT coalesce(max(page) + 1, 0) FROM kanon.state_pages WHERE definition = '%s'", d->id),
                    true, 0) != SPI_OK_SELECT)
        elog(ERROR, "the state cannot be read");
    r->pages->stored = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &null));
    r->pages->size = r->pages->stored * PAGE;
    if (r->pages->stored < 0 || r->pages->stored > PG_INT32_MAX)
        damaged();
    if (!make_room(r->pages, r->pages->stored))
        ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
}

/* The row of a page, in place of the old one where there is one. */
static void write_row(pages *p, CatalogIndexState indexes, int64_t number, bytea *bytes)
{
    Datum values[] = {UUIDPGetDatum(&p->definition), Int64GetDatum(number), PointerGetDatum(bytes)};
    bool nulls[3] = {false};
    page *from = &p->items[number];
    if (number < p->stored && !ItemPointerIsValid(&from->at)) { /* it was written as a whole, and never read */
        find_rows(p, number, 1);
        next_row(p);
        from->at = p->slot->tts_tid;
        ExecClearTuple(p->slot);
    }
    memcpy(VARDATA(bytes), from->bytes, PAGE);
    HeapTuple row = heap_form_tuple(RelationGetDescr(p->table), values, nulls);
    if (number < p->stored)
        CatalogTupleUpdateWithInfo(p->table, &from->at, row, indexes);
    else
        CatalogTupleInsertWithInfo(p->table, row, indexes);
    heap_freetuple(row);
}

void pages_save(run *r, const definition *d)
{
    pages *p = r->pages;
    bytea *bytes = palloc(VARHDRSZ + PAGE);
    CatalogIndexState indexes = CatalogOpenIndexes(p->table);
    SET_VARSIZE(bytes, VARHDRSZ + PAGE);
    progress_stage("keeping", 0, 0);
    for (int64_t i = 0; i < p->size / PAGE; i++) {
        if (i >= p->room || !p->items[i].changed)
            continue;
        write_row(p, indexes, i, bytes);
        CHECK_FOR_INTERRUPTS();
    }
    CatalogCloseIndexes(indexes);
    CommandCounterIncrement();
    if (p->stored > p->size / PAGE)
        SPI_execute(psprintf("DELETE FROM kanon.state_pages WHERE definition = '%s' AND page >= %lld", d->id,
                             (long long)(p->size / PAGE)),
                    false, 0);
}
