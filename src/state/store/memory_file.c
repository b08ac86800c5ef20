/* See memory_file.h. Pieces of equal size, so that nothing moves as a file grows. SQLite writes and reads on the thread
 * of the call, so the memory is that of its context. */
#include "state/store/memory_file.h"

#include "core/alloc.h"
#include "state/store/unshared_file.h"

#include <string.h>

enum { PIECE = 1 << 16 };

typedef struct memory_file {
    sqlite3_file base;
    char **pieces;
    int64_t n_pieces, capacity, size;
} memory_file;

static int file_close(sqlite3_file *file)
{
    memory_file *f = (memory_file *)file;
    for (int64_t i = 0; i < f->n_pieces; i++)
        kanon__free(f->pieces[i]);
    kanon__free(f->pieces);
    f->pieces = NULL;
    f->n_pieces = f->capacity = f->size = 0;
    return SQLITE_OK;
}

/* How many of `size` bytes at `offset` are in one piece. */
static int within_piece(int64_t offset, int64_t size)
{
    int64_t left = PIECE - offset % PIECE;
    return (int)(size < left ? size : left);
}

static int file_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
    const memory_file *f = (const memory_file *)file;
    char *to = bytes;
    int64_t there = f->size - offset, end = offset + (there < size ? there : size);
    if (there < size) /* beyond the end are zeros, as SQLite expects of every file */
        memset(to + (there > 0 ? there : 0), 0, (size_t)(size - (there > 0 ? there : 0)));
    for (int n; offset < end; offset += n, to += n) {
        n = within_piece(offset, end - offset);
        memcpy(to, f->pieces[offset / PIECE] + offset % PIECE, (size_t)n);
    }
    return there < size ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

/* Pieces are made with zeros. */
static kanon_status grow(memory_file *f, int64_t size)
{
    int64_t n = (size + PIECE - 1) / PIECE;
    KANON_CHECK(kanon__grow_array(&f->pieces, &f->capacity, n, "sorting", NULL));
    for (; f->n_pieces < n; f->n_pieces++) {
        f->pieces[f->n_pieces] = NULL;
        KANON_CHECK(kanon__new_array(&f->pieces[f->n_pieces], PIECE, "sorting", NULL));
    }
    f->size = size > f->size ? size : f->size;
    return KANON_OK;
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    memory_file *f = (memory_file *)file;
    const char *from = bytes;
    int64_t end = offset + size;
    if (grow(f, end) != KANON_OK)
        return SQLITE_IOERR_NOMEM;
    for (int n; offset < end; offset += n, from += n) {
        n = within_piece(offset, end - offset);
        memcpy(f->pieces[offset / PIECE] + offset % PIECE, from, (size_t)n);
    }
    return SQLITE_OK;
}

/* What is cut off must read as zeros if the file grows again. */
static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    memory_file *f = (memory_file *)file;
    int64_t kept = (size + PIECE - 1) / PIECE;
    if (size >= f->size)
        return SQLITE_OK;
    while (f->n_pieces > kept)
        kanon__free(f->pieces[--f->n_pieces]);
    if (size % PIECE != 0)
        memset(f->pieces[size / PIECE] + size % PIECE, 0, (size_t)(PIECE - size % PIECE));
    f->size = size;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    *size = ((memory_file *)file)->size;
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = kanon__unshared_lock,
    .xFileSize = file_size,
    .xLock = kanon__unshared_lock,
    .xUnlock = kanon__unshared_lock,
    .xCheckReservedLock = kanon__unshared_is_reserved,
    .xFileControl = kanon__unshared_control,
    .xSectorSize = kanon__unshared_nothing,
    .xDeviceCharacteristics = kanon__unshared_nothing,
};

int kanon__memory_file_size(void)
{
    return (int)sizeof(memory_file);
}

void kanon__memory_file_open(sqlite3_file *file)
{
    *(memory_file *)file = (memory_file){.base.pMethods = &methods};
}
