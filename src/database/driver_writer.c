/* See writers.h: a table behind an ADBC driver, in one transaction. An old table of that name is dropped inside it, so it is
 * back where the transaction is not committed. That holds for databases in which creating a table is a part of the
 * transaction; of all others nothing is known, and they are refused. */
#include "core/alloc.h"
#include "database/connection.h"
#include "database/cut_stream.h"
#include "database/load_driver.h"
#include "database/private_file.h"
#include "database/sql_text.h"
#include "database/writers.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct driver_writer {
    kanon__table_writer base;
    const kanon__location *location; /* the caller's */
    kanon__connection *connection;
    bool shares;     /* the connection and the transaction are another writer's */
    const char *file; /* a database file that is made for private rows; NULL: none */
    char *log;        /* its log, which DuckDB writes beside it */
} driver_writer;

/* ---- files for their owner alone ---------------------------------------------------------------------------------- */

/* The file of a database that is a file. */
static const char *file_of(const kanon__location *l)
{
    const char *path = NULL;
    if (strcmp(l->driver, "duckdb") != 0 && strcmp(l->driver, "sqlite") != 0)
        return NULL;
    for (int64_t i = 0; i < l->n_options; i++)
        if (strcmp(l->options[i].key, "uri") == 0 || strcmp(l->options[i].key, "path") == 0)
            path = l->options[i].value;
    return path != NULL && strncmp(path, "file:", 5) == 0 ? path + 5 : path;
}

/* SQLite takes an empty file, and its journals have the mode of it. DuckDB does not: it makes the file as it is opened. */
static kanon_status begin_private(driver_writer *w, const kanon__location *l, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *path = l->is_private ? file_of(l) : NULL;
    if (path == NULL || path[0] == '\0' || access(path, F_OK) == 0)
        return KANON_OK;
    if (strcmp(l->driver, "sqlite") == 0) {
        kanon__private_file_create(path);
        return KANON_OK;
    }
    KANON_TRY(kanon__new_array(&w->log, (int64_t)strlen(path) + 8, "a file name", err), out);
    sprintf(w->log, "%s.wal", path);
    w->file = path;
out:
    return st;
}

/* Where a thread has no mask of its own, the file is closed to others before there is a row in it. */
static void close_to_others(const driver_writer *w)
{
    if (w->file == NULL)
        return;
    kanon__private_file_close_to_others(w->file);
    if (access(w->file, F_OK) == 0)
        kanon__private_file_create(w->log);
}

static void drop_log(const driver_writer *w)
{
    struct stat file;
    if (w->log != NULL && stat(w->log, &file) == 0 && file.st_size == 0)
        unlink(w->log);
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

enum { DUCKDB_ROWS = 2048 }; /* that it works on at a time */

static kanon_status write_rows(kanon__table_writer *writer, struct ArrowArrayStream *rows, kanon_error *err)
{
    struct ArrowArrayStream cut = {0};
    driver_writer *w = (driver_writer *)writer;
    const kanon__location *l = w->location;
    char *sql = NULL;
    kanon_status st = kanon__sql_about(&sql, "DROP TABLE IF EXISTS ", l->schema, l->table, "", err);
    if (st == KANON_OK)
        st = kanon__connection_run(w->connection, sql, "the old table cannot be replaced", err);
    if (st == KANON_OK && strcmp(l->driver, "duckdb") == 0) {
        st = kanon__cut_stream(&cut, rows, DUCKDB_ROWS, err);
        rows = &cut;
    }
    if (st == KANON_OK)
        st = kanon__connection_fill(w->connection, l, rows, err);
    if (rows->release != NULL)
        rows->release(rows);
    kanon__free(sql);
    return st;
}

/* In the same transaction: nobody else sees the table yet. */
static kanon_status read_back(kanon__table_writer *writer, struct ArrowArrayStream *out, kanon_error *err)
{
    driver_writer *w = (driver_writer *)writer;
    char *sql = NULL;
    kanon_status st = kanon__sql_about(&sql, "SELECT * FROM ", w->location->schema, w->location->table, "", err);
    if (st == KANON_OK)
        st = kanon__connection_query(w->connection, out, sql, err);
    kanon__free(sql);
    return st;
}

static kanon_status commit(kanon__table_writer *writer, kanon_error *err)
{
    driver_writer *w = (driver_writer *)writer;
    return w->shares ? KANON_OK : kanon__connection_commit(w->connection, err);
}

static void close_writer(kanon__table_writer *writer)
{
    driver_writer *w = (driver_writer *)writer;
    if (!w->shares)
        kanon__connection_close(w->connection);
    drop_log(w);
    kanon__free(w->log);
    kanon__free(w);
}

static kanon_status share(kanon__table_writer **out, kanon__table_writer *writer, const kanon__location *l, kanon_error *err)
{
    driver_writer *w = NULL;
    kanon_status st = kanon__new_array(&w, 1, "a connection", err);
    if (st != KANON_OK)
        return st;
    w->base = *writer;
    w->location = l;
    w->connection = ((driver_writer *)writer)->connection;
    w->shares = true;
    *out = &w->base;
    return KANON_OK;
}

static const kanon__writer_class driver_class = {write_rows, read_back, commit, close_writer, share};

kanon_status kanon__driver_writer_open(kanon__table_writer **out, const kanon__location *l, kanon_error *err)
{
    kanon_status st = KANON_OK;
    driver_writer *w = NULL;
    if (!kanon__driver_keeps_promises(l->driver)) {
        st = kanon__fail(err, KANON_EINVAL, "%s: a table cannot be written there as a whole or not at all", l->name);
        return kanon__hint(err, st, "write a Parquet file, and load that; duckdb, postgresql and sqlite can be written to");
    }
    KANON_TRY(kanon__new_array(&w, 1, "a connection", err), out);
    w->base.class = &driver_class;
    w->location = l;
    KANON_TRY(begin_private(w, l, err), out);
    KANON_TRY(kanon__connection_open(&w->connection, l, true, err), out);
    close_to_others(w);
    *out = &w->base;
    w = NULL;
out:
    if (w != NULL)
        close_writer(&w->base);
    return st;
}
