/* Files of SQLite that have no name and live as long as they are open, in memory: the runs of a large sort.
 *
 * What a state holds must not be in a readable temporary file. With temp_store = MEMORY, however, SQLite sorts
 * everything in one go, half a second for a million keys, in which nothing can be stopped. With files it sorts run by
 * run. So there are files, and they are here. */
#ifndef KANON_STATE_MEMORY_FILE_H
#define KANON_STATE_MEMORY_FILE_H

#include <sqlite3.h>

/* The bytes of a file object. */
int kanon__memory_file_size(void);
/* Make one, which is empty. */
void kanon__memory_file_open(sqlite3_file *file);

#endif
