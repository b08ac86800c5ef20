/* The checksum, and a VFS that passes every call on to the standard one and adds five things:
 *
 *     1. pages of the database get a checksum when they are written and are checked when they are read;
 *     2. small writes that follow each other are collected in a buffer: SQLite writes a page of the journal in three
 *        pieces;
 *     3. what is free within a page is zero in the file: SQLite overwrites what it deletes, but leaves copies in the gap of
 *        a page when it moves cells to another page;
 *     4. a last step when a transaction is committed, which can still refuse it;
 *     5. the first page has a wrong checksum, the complement of the right one, while pages are being written: a file that is
 *        half-written and has lost its journal is refused by whoever opens it.
 *
 * The buffer is flushed before any other operation on the file, so whatever SQLite relies on, such as that a journal is
 * on disk once it is synced, stays true. No global state stays: the layer is registered only while a file is opened. */
#include "state/store/page_checksum.h"
#include "state/store/hosted_file.h"
#include "state/store/memory_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- checksums --------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0xbf58476d1ce4e5b9);
    return sum ^ sum >> 29;
}

/* Eight bytes as a number, the first one lowest, so that a file is the same on machines of either byte order. */
static uint64_t word_at(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Eight lanes of a multiplicative hash, which keep a processor busy, then one over the lanes. Each step is a bijection of
 * the sum for a given word, so two pages that differ in one word have different sums. The number of the page goes in,
 * too: a page that was written to another place of the file is wrong there. */
static uint64_t sum_of(const unsigned char *page, int64_t offset)
{
    enum { LANES = 8, WORDS = (KANON__PAGE_SIZE - KANON__PAGE_RESERVED) / 8 };
    uint64_t sums[LANES] = {1, 2, 3, 4, 5, 6, 7, 8}, sum = (uint64_t)offset / KANON__PAGE_SIZE + 1;
    int i = 0;
    for (; i + LANES <= WORDS; i += LANES)
#pragma GCC unroll 8
        for (int lane = 0; lane < LANES; lane++)
            sums[lane] = mix(sums[lane], word_at(page + 8 * (i + lane)));
    for (int lane = 0; lane < LANES; lane++)
        sum = mix(sum, mix(sums[lane], i + lane < WORDS ? word_at(page + 8 * (i + lane)) : 0));
    return sum;
}

void kanon__page_write_checksum(unsigned char page[KANON__PAGE_SIZE], int64_t offset)
{
    uint64_t sum = sum_of(page, offset);
    for (int i = 0; i < KANON__PAGE_RESERVED; i++)
        page[KANON__PAGE_SIZE - KANON__PAGE_RESERVED + i] = (unsigned char)(sum >> 8 * i);
}

static bool is_zero(const unsigned char *page)
{
    return page[0] == 0 && memcmp(page, page + 1, KANON__PAGE_SIZE - 1) == 0;
}

static uint64_t written_sum(const unsigned char *page)
{
    uint64_t sum = 0;
    for (int i = 0; i < KANON__PAGE_RESERVED; i++)
        sum |= (uint64_t)page[KANON__PAGE_SIZE - KANON__PAGE_RESERVED + i] << 8 * i;
    return sum;
}

bool kanon__page_checksum_holds(const unsigned char page[KANON__PAGE_SIZE], int64_t offset)
{
    return written_sum(page) == sum_of(page, offset) || is_zero(page);
}

/* ---- what is free in a page -------------------------------------------------------------------------------------- */

static int two_bytes(const unsigned char *at)
{
    return at[0] << 8 | at[1];
}

/* Offsets in the header of a page of a B-tree: https://sqlite.org/fileformat2.html, section 1.6. */
enum { FREE_BLOCK_AT = 1, CELLS_AT = 3, CONTENT_AT = 5, LEAF_HEADER = 8, INNER_HEADER = 12, FILE_HEADER = 100 };

/* Zeros into the free blocks and into the gap between the pointers to cells and the cells. Another page than one of a
 * B-tree begins with the number of a page, the first byte of which is 0 as long as the file has fewer than 2^24 pages, or
 * is zero. A page that does not fit together is left as it is, for SQLite to notice. */
void kanon__page_clear_free(unsigned char page[KANON__PAGE_SIZE], int64_t offset)
{
    enum { USABLE = KANON__PAGE_SIZE - KANON__PAGE_RESERVED };
    unsigned char *header = page + (offset == 0 ? FILE_HEADER : 0);
    bool is_leaf = header[0] == 10 || header[0] == 13, is_inner = header[0] == 2 || header[0] == 5;
    if (!is_leaf && !is_inner)
        return;
    int begin = (int)(header - page) + (is_leaf ? LEAF_HEADER : INNER_HEADER) + 2 * two_bytes(header + CELLS_AT);
    int end = two_bytes(header + CONTENT_AT);
    if (begin > end || end > USABLE)
        return;
    memset(page + begin, 0, (size_t)(end - begin));
    for (int at = two_bytes(header + FREE_BLOCK_AT), next; at >= end && at <= USABLE - 4; at = next) {
        int size = two_bytes(page + at + 2);
        next = two_bytes(page + at);
        if (size < 4 || size > USABLE - at || (next != 0 && next <= at))
            return;
        memset(page + at + 4, 0, (size_t)size - 4);
    }
}

/* ---- a file ------------------------------------------------------------------------------------------------------ */

enum { BUFFER_SIZE = 16 * KANON__PAGE_SIZE };

/* An open file. SQLite allocates szOsFile bytes: this struct, and behind it the file of the standard VFS.
 * Invariant: the n_buffered bytes belong at buffer_offset; the file below does not have them yet. */
typedef struct checked_file {
    sqlite3_file base;
    bool is_database; /* not a journal or another file beside it */
    bool is_marked;   /* the file below is half-written, and says so */
    kanon__page_layer *layer;
    int n_buffered;
    sqlite3_int64 buffer_offset; /* where the buffered bytes belong */
    unsigned char buffer[BUFFER_SIZE];
} checked_file;

static sqlite3_file *below(sqlite3_file *file)
{
    return (sqlite3_file *)((checked_file *)file + 1);
}

static bool is_page(const sqlite3_file *file, int size, sqlite3_int64 offset)
{
    return ((const checked_file *)file)->is_database && size == KANON__PAGE_SIZE && offset % KANON__PAGE_SIZE == 0;
}

/* Writes the buffer. Where that fails the bytes stay buffered, and the next use of the file fails, too. */
static int flush_buffer(sqlite3_file *file)
{
    checked_file *f = (checked_file *)file;
    int rc = f->n_buffered > 0 ? below(file)->pMethods->xWrite(below(file), f->buffer, f->n_buffered, f->buffer_offset)
                               : SQLITE_OK;
    if (rc == SQLITE_OK)
        f->n_buffered = 0;
    return rc;
}

/* Where the system could not read, SQLite would call that a damaged file. */
static int system_fault(int rc)
{
    return rc == SQLITE_IOERR_CORRUPTFS ? SQLITE_IOERR_READ : rc;
}

/* ---- half-written files ------------------------------------------------------------------------------------------ */

static void complement_sum(unsigned char *page)
{
    for (int i = KANON__PAGE_SIZE - KANON__PAGE_RESERVED; i < KANON__PAGE_SIZE; i++)
        page[i] = (unsigned char)~page[i];
}

/* The first page gets the complement of its checksum, or, where it has that, its checksum. One that has neither stays as it
 * is, and so does a file without a page. */
static int mark_first_page(sqlite3_file *file, bool mark)
{
    unsigned char page[KANON__PAGE_SIZE];
    int rc = below(file)->pMethods->xRead(below(file), page, KANON__PAGE_SIZE, 0);
    if (rc == SQLITE_IOERR_SHORT_READ)
        return SQLITE_OK;
    if (rc != SQLITE_OK)
        return system_fault(rc);
    uint64_t sum = sum_of(page, 0), from = mark ? sum : ~sum;
    if (written_sum(page) != from)
        return SQLITE_OK;
    complement_sum(page);
    return below(file)->pMethods->xWrite(below(file), page + KANON__PAGE_SIZE - KANON__PAGE_RESERVED, KANON__PAGE_RESERVED,
                                         KANON__PAGE_SIZE - KANON__PAGE_RESERVED);
}

/* Before the first page of a transaction, or of its rollback, is written to a file. */
static int begin_writing(sqlite3_file *file)
{
    checked_file *f = (checked_file *)file;
    if (!f->is_database || f->is_marked || f->layer->storage != NULL)
        return SQLITE_OK;
    int rc = mark_first_page(file, true);
    f->is_marked = rc == SQLITE_OK;
    return rc;
}

/* All pages are there. */
static int end_writing(sqlite3_file *file)
{
    checked_file *f = (checked_file *)file;
    int rc = flush_buffer(file);
    if (rc != SQLITE_OK || !f->is_marked)
        return rc;
    rc = mark_first_page(file, false);
    f->is_marked = rc != SQLITE_OK;
    return rc;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static int file_close(sqlite3_file *file)
{
    int buffer = flush_buffer(file), rc = below(file)->pMethods->xClose(below(file));
    return buffer != SQLITE_OK ? buffer : rc;
}

static int file_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
    int rc = flush_buffer(file);
    if (rc == SQLITE_OK)
        rc = below(file)->pMethods->xRead(below(file), bytes, size, offset);
    if (rc == SQLITE_OK && offset == 0 && is_page(file, size, offset) && ((checked_file *)file)->is_marked)
        complement_sum(bytes);
    rc = system_fault(rc);
    return rc == SQLITE_OK && is_page(file, size, offset) && !kanon__page_checksum_holds(bytes, offset) ? SQLITE_IOERR_DATA
                                                                                                        : rc;
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    checked_file *f = (checked_file *)file;
    int begun = begin_writing(file);
    if (begun != SQLITE_OK)
        return begun;
    if (f->n_buffered > 0 && (offset != f->buffer_offset + f->n_buffered || size > BUFFER_SIZE - f->n_buffered)) {
        int rc = flush_buffer(file);
        if (rc != SQLITE_OK)
            return rc;
    }
    if (size > BUFFER_SIZE)
        return below(file)->pMethods->xWrite(below(file), bytes, size, offset);
    if (f->n_buffered == 0)
        f->buffer_offset = offset;
    memcpy(f->buffer + f->n_buffered, bytes, (size_t)size);
    if (is_page(file, size, offset)) {
        kanon__page_clear_free(f->buffer + f->n_buffered, offset);
        kanon__page_write_checksum(f->buffer + f->n_buffered, offset);
        if (offset == 0 && f->is_marked)
            complement_sum(f->buffer + f->n_buffered);
    }
    f->n_buffered += size;
    return SQLITE_OK;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int rc = flush_buffer(file);
    return rc == SQLITE_OK ? below(file)->pMethods->xTruncate(below(file), size) : rc;
}

static int file_sync(sqlite3_file *file, int flags)
{
    int rc = end_writing(file);
    return rc == SQLITE_OK ? below(file)->pMethods->xSync(below(file), flags) : rc;
}

/* While it commits, SQLite asks for the size of the journal only to roll back, because something failed: there is nothing to
 * take the last step for. The journal that it deletes then is not that of a committed transaction. */
static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    checked_file *f = (checked_file *)file;
    if (!f->is_database)
        f->layer->last_step = NULL;
    int rc = flush_buffer(file);
    return rc == SQLITE_OK ? below(file)->pMethods->xFileSize(below(file), size) : rc;
}

static int file_lock(sqlite3_file *file, int level)
{
    return below(file)->pMethods->xLock(below(file), level);
}

static int file_unlock(sqlite3_file *file, int level)
{
    int buffer = flush_buffer(file), rc = below(file)->pMethods->xUnlock(below(file), level);
    return buffer != SQLITE_OK ? buffer : rc;
}

static int file_is_reserved(sqlite3_file *file, int *reserved)
{
    return below(file)->pMethods->xCheckReservedLock(below(file), reserved);
}

/* SQLite also calls it instead of a sync where syncs are off, so nothing is buffered once a new state is complete. */
static int file_control(sqlite3_file *file, int operation, void *argument)
{
    int rc = operation == SQLITE_FCNTL_SYNC ? end_writing(file) : flush_buffer(file);
    return rc != SQLITE_OK ? rc : below(file)->pMethods->xFileControl(below(file), operation, argument);
}

static int file_sector(sqlite3_file *file)
{
    return below(file)->pMethods->xSectorSize(below(file));
}

/* Atomic writes would bypass the journal, on whose order the buffer relies, and on whose end the last step. */
static int file_characteristics(sqlite3_file *file)
{
    enum { ATOMIC = SQLITE_IOCAP_BATCH_ATOMIC | SQLITE_IOCAP_ATOMIC | SQLITE_IOCAP_ATOMIC4K };
    return below(file)->pMethods->xDeviceCharacteristics(below(file)) & ~ATOMIC;
}

/* Version 1: without shared memory and mapped pages, which would bypass the checksums. */
static const sqlite3_io_methods file_methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_characteristics,
};

/* ---- the layer --------------------------------------------------------------------------------------------------- */

static sqlite3_vfs *under(sqlite3_vfs *vfs)
{
    return vfs->pAppData;
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out)
{
    if (name == NULL) { /* the runs of a sort, as kanon__store_index asks for them */
        kanon__memory_file_open(file);
        if (flags_out != NULL)
            *flags_out = flags;
        return SQLITE_OK;
    }
    ((checked_file *)file)->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    ((checked_file *)file)->layer = (kanon__page_layer *)vfs;
    ((checked_file *)file)->n_buffered = 0;
    ((checked_file *)file)->is_marked = false;
    file->pMethods = NULL;
    const kanon_state_storage *storage = ((kanon__page_layer *)vfs)->storage;
    if (storage != NULL) { /* nothing is beside it: journals are in memory */
        if ((flags & SQLITE_OPEN_MAIN_DB) == 0)
            return SQLITE_CANTOPEN;
        kanon__hosted_file_open(below(file), storage);
        file->pMethods = &file_methods;
        if (flags_out != NULL)
            *flags_out = flags;
        return SQLITE_OK;
    }
    int rc = under(vfs)->xOpen(under(vfs), name, below(file), flags, flags_out);
    if (below(file)->pMethods != NULL)
        file->pMethods = &file_methods;
    return rc;
}

/* Renames on disk: what follows must not get there first. Where a directory cannot be synced, it is as safe as its file
 * system makes it. SQLite names files from the root on, so there is a slash. */
static int rename_on_disk(const char *from, const char *to)
{
    char directory[PATH_MAX];
    if (rename(from, to) != 0)
        return SQLITE_IOERR_DELETE;
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(to, '/') - to) + 1, to);
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    return SQLITE_OK;
}

/* SQLite has closed the journal and holds the lock of the file until this returns. An error makes it roll the transaction
 * back, by the journal that is there again. */
static int commit_with_last_step(kanon__page_layer *layer, const char *journal)
{
    char aside[PATH_MAX + sizeof KANON__ASIDE];
    bool (*last_step)(void *) = layer->last_step;
    layer->last_step = NULL;
    snprintf(aside, sizeof aside, "%s" KANON__ASIDE, journal);
    int rc = rename_on_disk(journal, aside);
    if (rc != SQLITE_OK)
        return rc;
    layer->is_committed = last_step(layer->payload);
    if (!layer->is_committed)
        return rename_on_disk(aside, journal) == SQLITE_OK ? SQLITE_IOERR_DELETE : SQLITE_OK;
    unlink(aside); /* where it stays, the next one who opens the state removes it */
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    kanon__page_layer *layer = (kanon__page_layer *)vfs;
    if (layer->last_step != NULL)
        return commit_with_last_step(layer, name);
    return under(vfs)->xDelete(under(vfs), name, sync);
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
    if (((kanon__page_layer *)vfs)->storage != NULL) {
        *result = 0;
        return SQLITE_OK;
    }
    return under(vfs)->xAccess(under(vfs), name, flags, result);
}

static int vfs_full_name(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    return under(vfs)->xFullPathname(under(vfs), name, size, out);
}

static int vfs_randomness(sqlite3_vfs *vfs, int size, char *out)
{
    return under(vfs)->xRandomness(under(vfs), size, out);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds)
{
    return under(vfs)->xSleep(under(vfs), microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *now)
{
    return under(vfs)->xCurrentTime(under(vfs), now);
}

static int vfs_last_error(sqlite3_vfs *vfs, int size, char *out)
{
    return under(vfs)->xGetLastError(under(vfs), size, out);
}

int kanon__page_layer_open(kanon__page_layer *layer, const char *path, sqlite3 **db, int flags)
{
    sqlite3_vfs *standard = sqlite3_vfs_find(NULL);
    *db = NULL;
    if (standard == NULL)
        return SQLITE_NOMEM;
    layer->vfs = (sqlite3_vfs){
        .iVersion = 1,
        .szOsFile = (int)sizeof(checked_file) + standard->szOsFile + kanon__hosted_file_size() + /* one of them is used */
                    kanon__memory_file_size(),
        .mxPathname = standard->mxPathname,
        .zName = layer->name,
        .pAppData = standard,
        .xOpen = vfs_open,
        .xDelete = vfs_delete,
        .xAccess = vfs_access,
        .xFullPathname = vfs_full_name,
        .xRandomness = vfs_randomness,
        .xSleep = vfs_sleep,
        .xCurrentTime = vfs_time,
        .xGetLastError = vfs_last_error,
    };
    snprintf(layer->name, sizeof layer->name, "kanon-pages-%p", (void *)layer); /* no other object has this place */
    int rc = sqlite3_vfs_register(&layer->vfs, 0);
    if (rc != SQLITE_OK)
        return rc;
    rc = sqlite3_open_v2(path, db, flags, layer->name);
    sqlite3_vfs_unregister(&layer->vfs);
    return rc;
}
