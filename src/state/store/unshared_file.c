/* See unshared_file.h. */
#include "state/store/unshared_file.h"

int kanon__unshared_nothing(sqlite3_file *file)
{
    (void)file;
    return SQLITE_OK;
}

int kanon__unshared_lock(sqlite3_file *file, int level)
{
    (void)file, (void)level;
    return SQLITE_OK;
}

int kanon__unshared_is_reserved(sqlite3_file *file, int *reserved)
{
    (void)file;
    *reserved = 0;
    return SQLITE_OK;
}

int kanon__unshared_control(sqlite3_file *file, int operation, void *argument)
{
    (void)file, (void)operation, (void)argument;
    return SQLITE_NOTFOUND;
}
