/* The pages of a state of the library, which are rows of kanon.state_pages.
 *
 * A page is read when the library asks for it, so that a refresh by change reads what it needs, and those that the library
 * changed are written when it has returned. Reading is the one thing that the server does below a frame of the library: an
 * error is caught there and raised when the library has returned. State, release and the notes of changes are one transaction
 * of the server, with all that belongs to it: write-ahead log, backup, replication. Called by state.c. */
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

enum { PAGE = 4096 };

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
    Relation table, index;
    IndexScanDesc scan;
    TupleTableSlot *slot;
    pg_uuid_t definition;
    MemoryContext context;
    pthread_t thread;
};

/* ---- rows ---- */

static void damaged(void)
{
    ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("the state of the release is damaged")));
}

/* The row of a page, in p->slot. */
static void find_row(pages *p, int64_t number)
{
    ScanKeyData keys[2];
    ScanKeyInit(&keys[0], 1, BTEqualStrategyNumber, F_UUID_EQ, UUIDPGetDatum(&p->definition));
    ScanKeyInit(&keys[1], 2, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(number));
    index_rescan(p->scan, keys, 2, NULL, 0);
    if (!index_getnext_slot(p->scan, ForwardScanDirection, p->slot))
        damaged();
}

static void read_row(pages *p, int64_t number, page *to)
{
    bool null;
    find_row(p, number);
    Datum value = slot_getattr(p->slot, 3, &null);
    bytea *bytes = null ? NULL : DatumGetByteaPP(value);
    if (null || VARSIZE_ANY_EXHDR(bytes) != PAGE)
        damaged();
    memcpy(to->bytes, VARDATA_ANY(bytes), PAGE);
    to->at = p->slot->tts_tid;
    if ((Pointer)bytes != DatumGetPointer(value))
        pfree(bytes);
    ExecClearTuple(p->slot);
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
        read_row(p, number, to);
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

/* With `read` the page has what the table has. */
static page *page_at(pages *p, int64_t number, bool read)
{
    if (number >= p->room) {
        int64_t room = Max(number + 1, p->room * 2);
        page *items = realloc(p->items, (size_t)room * sizeof *items);
        if (items == NULL)
            return NULL;
        memset(items + p->room, 0, (size_t)(room - p->room) * sizeof *items);
        for (int64_t i = p->room; i < room; i++)
            ItemPointerSetInvalid(&items[i].at);
        p->items = items;
        p->room = room;
    }
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
    p->scan = index_beginscan(p->table, p->index, GetActiveSnapshot(), 2, 0);
    p->slot = table_slot_create(p->table, NULL);
    r->storage = (kanon_state_storage){sizeof r->storage, pages_read, pages_write, pages_truncate, pages_size, p};
}

void pages_open(run *r, const definition *d)
{
    bool null;
    pages_new(r, d);
    if (SPI_execute(psprintf("SELECT coalesce(max(page) + 1, 0) FROM kanon.state_pages WHERE definition = '%s'", d->id), true,
                    0) != SPI_OK_SELECT)
        elog(ERROR, "the state cannot be read");
    r->pages->stored = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &null));
    r->pages->size = r->pages->stored * PAGE;
    if (r->pages->stored < 0 || r->pages->stored > PG_INT32_MAX)
        damaged();
}

/* The row of a page, in place of the old one where there is one. */
static void write_row(pages *p, CatalogIndexState indexes, int64_t number, bytea *bytes)
{
    Datum values[] = {UUIDPGetDatum(&p->definition), Int64GetDatum(number), PointerGetDatum(bytes)};
    bool nulls[3] = {false};
    page *from = &p->items[number];
    if (number < p->stored && !ItemPointerIsValid(&from->at)) { /* it was written as a whole, and never read */
        find_row(p, number);
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
