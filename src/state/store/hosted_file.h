/* A state whose bytes somebody else keeps: the file that SQLite reads and writes, over the callbacks of kanon_state_storage.
 *
 * The host has the transaction: it keeps what was written when a call succeeds, and forgets it otherwise. So there is
 * no journal beside the file, and syncs and locks do nothing. */
#ifndef KANON_STATE_HOSTED_FILE_H
#define KANON_STATE_HOSTED_FILE_H

#include <kanon.h>
#include <sqlite3.h>

/* Bytes that SQLite has to reserve for it. */
int kanon__hosted_file_size(void);
/* Makes `file` the one that the storage keeps. */
void kanon__hosted_file_open(sqlite3_file *file, const kanon_state_storage *storage);

#endif
