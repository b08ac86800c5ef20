/* The methods of SQLite's files that have nothing to do where a file is not shared: nobody else opens it, so locks mean
 * nothing, and whoever keeps its bytes has no use for a sync. */
#ifndef KANON_STATE_UNSHARED_FILE_H
#define KANON_STATE_UNSHARED_FILE_H

#include <sqlite3.h>

/* Success, and the answer 0 where a number is asked for. */
int kanon__unshared_nothing(sqlite3_file *file);
/* The same for a sync or a lock, of any level. */
int kanon__unshared_lock(sqlite3_file *file, int level);
int kanon__unshared_is_reserved(sqlite3_file *file, int *reserved);
/* Knows no operation. */
int kanon__unshared_control(sqlite3_file *file, int operation, void *argument);

#endif
