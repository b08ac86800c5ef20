/* The SQLite connection of a state: opening with all safeguards on, transactions, statements, result codes as kanon_status.
 *
 * A thin layer: statements are SQLite's own and are bound and read with SQLite's functions, in the files of store/ alone.
 * Includes nothing of src/state. */
#ifndef KANON_STATE_STORE_H
#define KANON_STATE_STORE_H

#include "core/status.h"
#include "core/ticker.h"

#include <stdbool.h>
#include <stdint.h>

/* SQLite's own types; only the files of store/ include sqlite3.h. */
typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

enum {
    KANON__STATE_ID = 0x6b6e6f6e, /* the application id in the file's header: "knon" */
    KANON__STATE_VERSION = 6,     /* of the tables, as new states have them */
    KANON__STATE_OLDEST = 5       /* the oldest that is accepted: state/store/old_format.h */
};

/* Invariant: in_transaction holds exactly between begin (or create) and commit, rollback or finish. */
typedef struct kanon__store {
    sqlite3 *db;
    struct kanon__page_layer *layer; /* state/store/page_checksum.h */
    char *path;
    bool in_transaction;
    int64_t version;                    /* of the tables, since the transaction began */
    bool has_views;                     /* in place of tables, until it ends: nothing can be written (old_format.h) */
    int64_t room;                       /* pages of SQLite's cache */
    const kanon_state_storage *storage; /* NULL: the state is a file */
    kanon__ticker ticker;               /* called while SQLite works; without a tick, never */
} kanon__store;

/* A new file, which must not be there yet, readable by its owner alone. It is not safe against a crash until
 * kanon__store_finish has closed it: meant for a temporary name. */
kanon_status kanon__store_create(kanon__store *out, const char *path, const kanon_state_storage *storage, kanon_error *err);
/* Close a new file; it is on disk. */
kanon_status kanon__store_finish(kanon__store *store, kanon_error *err);
/* KANON_EDATA: not a state, or damaged; KANON_EVERSION: made by a newer version, or by one that is too old. Others who have
 * it locked are waited for up to `wait_seconds`. */
kanon_status kanon__store_open(kanon__store *out, const char *path, const kanon_state_storage *storage, int wait_seconds,
                               kanon_error *err);
void kanon__store_close(kanon__store *store);

/* Begin a transaction; with `write` nobody else can begin one to write. KANON_EIO: another process has it, or the file
 * cannot be written. */
kanon_status kanon__store_begin(kanon__store *store, bool write, kanon_error *err);
kanon_status kanon__store_commit(kanon__store *store, kanon_error *err);
/* Commit together with a step outside of the file: `step` is called when nothing can go wrong with the transaction any more.
 * Where it fails and *undone says that nothing is left of it, the transaction is rolled back. Otherwise the transaction
 * stays, and the hint says so. A crash leaves the transaction without the step or with it, never the step without the
 * transaction. */
typedef kanon_status (*kanon__last_step)(void *payload, bool *undone, kanon_error *err);
kanon_status kanon__store_commit_with(kanon__store *store, kanon__last_step step, void *payload, kanon_error *err);
void kanon__store_rollback(kanon__store *store);

/* From now on long statements call the tick; where it asks to stop, they fail with KANON_ECANCELLED. NULL: no longer. */
void kanon__store_set_tick(kanon__store *store, kanon_tick tick, void *payload);
/* Create an index over many rows so that it can be stopped; where it fails, nothing but closing is left to do. */
kanon_status kanon__store_index(kanon__store *store, const char *sql, kanon_error *err);

/* Enlarges the cache for a command that changes about n_pages: SQLite would else search for clean pages to drop, each
 * time. */
kanon_status kanon__store_reserve_pages(kanon__store *store, int64_t n_pages, kanon_error *err);

kanon_status kanon__store_run(kanon__store *store, const char *sql, kanon_error *err);
/* While the store has views, *out is NULL for what would write: a command that only reads does not step it. */
kanon_status kanon__store_prepare(kanon__store *store, sqlite3_stmt **out, const char *sql, kanon_error *err);
/* The next row; without `row` there must be none, as of an INSERT. Past the last one the statement can be used again. */
kanon_status kanon__store_step(kanon__store *store, sqlite3_stmt *statement, bool *row, kanon_error *err);
/* The same in the condition of a loop over rows: false past the last row, and where it failed, with *st. */
bool kanon__store_next(kanon__store *store, sqlite3_stmt *statement, kanon_status *st, kanon_error *err);
/* The single whole number that the query gives. */
kanon_status kanon__store_query_number(kanon__store *store, int64_t *out, const char *sql, kanon_error *err);

/* What an SQLite code means to the caller. */
kanon_status kanon__store_fail(const kanon__store *store, int code, kanon_error *err);
/* KANON_EDATA: what was read cannot be, so the file is damaged. `where` says which part: "a group". */
kanon_status kanon__store_damaged(const kanon__store *store, const char *where, kanon_error *err);

#endif
