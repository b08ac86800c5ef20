/* SQLite files without a driver: the library is linked already, for states. */
#ifndef KANON_DATABASE_SQLITE_FILE_H
#define KANON_DATABASE_SQLITE_FILE_H

#include "database/location.h"

#include <kanon_arrow.h>
#include <sqlite3.h>

enum { KANON__SQLITE_WAIT_MS = 10000 }; /* how long another process may hold the file */

/* What SQLite answered; its messages may hold values, so the code alone is passed on, in words of its own. */
kanon_status kanon__sqlite_fail(sqlite3 *db, const char *called, const char *what, kanon_error *err);
/* Prepare and run a statement that has no result. */
kanon_status kanon__sqlite_run(sqlite3 *db, const char *sql, const char *called, const char *what, kanon_error *err);
/* The rows of a table as a stream. The file is closed with the stream where `owned`. */
kanon_status kanon__sqlite_rows(struct ArrowArrayStream *out, sqlite3 *db, bool owned, const char *table, const char *called,
                                bool encode, kanon_error *err);

#endif
