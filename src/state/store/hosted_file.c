/* See hosted_file.h. Reads beyond the end give zeros, as SQLite expects of every file. */
#include "state/store/hosted_file.h"

#include "state/store/unshared_file.h"

#include <stdint.h>
#include <string.h>

typedef struct hosted_file {
    sqlite3_file base;
    const kanon_state_storage *storage;
} hosted_file;

static const kanon_state_storage *storage_of(sqlite3_file *file)
{
    return ((hosted_file *)file)->storage;
}

static int file_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
    const kanon_state_storage *s = storage_of(file);
    int64_t there = s->size(s->payload) - offset;
    int n = there <= 0 ? 0 : there < size ? (int)there : size;
    if (n > 0 && s->read(bytes, (size_t)n, offset, s->payload) != 0)
        return SQLITE_IOERR_READ;
    if (n == size)
        return SQLITE_OK;
    memset((char *)bytes + n, 0, (size_t)(size - n));
    return SQLITE_IOERR_SHORT_READ;
}

static int file_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    const kanon_state_storage *s = storage_of(file);
    return s->write(bytes, (size_t)size, offset, s->payload) == 0 ? SQLITE_OK : SQLITE_IOERR_WRITE;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    const kanon_state_storage *s = storage_of(file);
    return s->truncate(size, s->payload) == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    const kanon_state_storage *s = storage_of(file);
    *size = s->size(s->payload);
    return SQLITE_OK;
}

static int file_sector(sqlite3_file *file)
{
    (void)file;
    return 4096;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = kanon__unshared_nothing,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = kanon__unshared_lock,
    .xFileSize = file_size,
    .xLock = kanon__unshared_lock,
    .xUnlock = kanon__unshared_lock,
    .xCheckReservedLock = kanon__unshared_is_reserved,
    .xFileControl = kanon__unshared_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = kanon__unshared_nothing,
};

int kanon__hosted_file_size(void)
{
    return (int)sizeof(hosted_file);
}

void kanon__hosted_file_open(sqlite3_file *file, const kanon_state_storage *storage)
{
    ((hosted_file *)file)->storage = storage;
    file->pMethods = &methods;
}
