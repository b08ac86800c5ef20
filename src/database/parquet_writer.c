/* See writers.h: a Parquet file, which DuckDB writes. ADBC can only fill a table of DuckDB, which would be the whole release
 * in memory once more; the functions of its own C interface let it read the rows as they come, so these are used, found at
 * run time like the driver. What it says in an error is not passed on. */
#include "core/alloc.h"
#include "core/errand.h"
#include "database/load_driver.h"
#include "database/sql_text.h"
#include "database/streams.h"
#include "database/writers.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* The functions of DuckDB, by the names that its library exports them under. Handles are pointers; 0 is success. */
typedef struct duckdb {
    int (*open)(const char *path, void **database);
    int (*connect)(void *database, void **connection);
    int (*arrow_scan)(void *connection, const char *name, struct ArrowArrayStream *rows);
    int (*query)(void *connection, const char *sql, void *result);
    void (*destroy_result)(void *result);
    void (*disconnect)(void **connection);
    void (*close)(void **database);
} duckdb;

/* A group of rows is in memory until it is written: with half of what DuckDB would take, files are 6 % larger. */
enum { GROUP_ROWS = 61440 };

typedef struct parquet_writer {
    kanon__table_writer base;
    duckdb functions;
    kanon__location file; /* what is written to; its texts are the caller's */
    char *sql;
} parquet_writer;

static kanon_status find_functions(duckdb *out, const kanon__location *l, kanon_error *err)
{
    static const char *const names[] = {"duckdb_open",           "duckdb_connect",    "duckdb_arrow_scan", "duckdb_query",
                                        "duckdb_destroy_result", "duckdb_disconnect", "duckdb_close"};
    void *library, *found[sizeof names / sizeof *names];
    kanon_status st = kanon__driver_library(&library, "duckdb", l->name, err);
    if (st != KANON_OK)
        return st;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        found[i] = dlsym(library, names[i]);
        if (found[i] != NULL)
            continue;
        st = kanon__fail(err, KANON_EIO, "%s: this version of DuckDB cannot write it", l->name);
        return kanon__topic(err, kanon__hint(err, st, "get another one: it lacks %s", names[i]), "driver");
    }
    _Static_assert(sizeof found == sizeof *out, "one pointer for each function, in their order");
    memcpy(out, found, sizeof found);
    return KANON_OK;
}

/* ---- the statement ------------------------------------------------------------------------------------------------ */

/* COPY ... TO 'file' with the marks as metadata. */
static kanon_status make_statement(char **out, const char *path, const kanon__table_mark *marks, int n, kanon_error *err)
{
    size_t size = 256 + 2 * strlen(path);
    for (int i = 0; i < n; i++)
        size += 2 * (strlen(marks[i].key) + strlen(marks[i].value)) + 16;
    kanon_status st = kanon__new_array(out, (int64_t)size, "a query", err);
    if (st != KANON_OK)
        return st;
    char *at = *out + sprintf(*out, "COPY (SELECT * FROM released) TO ");
    at = kanon__sql_file(at, path);
    at += sprintf(at, " (FORMAT parquet, USE_TMP_FILE false, ROW_GROUP_SIZE %d, KV_METADATA {", GROUP_ROWS);
    for (int i = 0; i < n; i++) {
        at += sprintf(at, "%s", i > 0 ? ", " : "");
        at = kanon__sql_quote(at, marks[i].key, '"');
        at += sprintf(at, ": ");
        at = kanon__sql_quote(at, marks[i].value, '\'');
    }
    sprintf(at, "})");
    return KANON_OK;
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

/* A struct of DuckDB for results: larger than it is in any version so far. */
typedef struct result_room {
    void *words[32];
} result_room;

static bool run(const duckdb *d, void *connection, const char *sql)
{
    result_room result = {0};
    bool done = d->query(connection, sql, &result) == 0;
    d->destroy_result(&result);
    return done;
}

/* With more threads it would hold a group of rows for each of them. What does not fit into memory must not go to files that
 * others can read. */
static const char settings[] = "SET threads = 1; SET temp_directory = ''";

/* The rows stay ours: DuckDB reads them and does not release the stream. */
static bool copy(const duckdb *d, struct ArrowArrayStream *rows, const char *sql)
{
    sigset_t all, before;
    void *database = NULL, *connection = NULL;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* its threads take no signal */
    bool done = d->open(NULL, &database) == 0 && d->connect(database, &connection) == 0 && run(d, connection, settings) &&
                d->arrow_scan(connection, "released", rows) == 0 && run(d, connection, sql);
    if (connection != NULL)
        d->disconnect(&connection);
    if (database != NULL)
        d->close(&database);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return done;
}

typedef struct copy_errand {
    parquet_writer *writer;
    struct ArrowArrayStream *rows;
    bool done;
} copy_errand;

static void do_copy(void *payload)
{
    copy_errand *c = payload;
    c->done = copy(&c->writer->functions, c->rows, c->writer->sql);
}

static kanon_status write_rows(kanon__table_writer *writer, struct ArrowArrayStream *rows, kanon_error *err)
{
    parquet_writer *w = (parquet_writer *)writer;
    copy_errand c = {.writer = w, .rows = rows};
    kanon__errands *thread = NULL;
    kanon_status st = kanon__errands_new(&thread, err);
    if (st == KANON_OK)
        kanon__errands_do(thread, do_copy, &c);
    kanon__errands_free(thread);
    kanon__driver_rest((kanon__adbc_unused)w->functions.open);
    if (rows->release != NULL)
        rows->release(rows);
    if (st != KANON_OK || c.done)
        return st;
    st = kanon__fail(err, KANON_EIO, "%s: DuckDB could not write the file", w->file.name);
    return kanon__hint(err, st, "is there room on the disk?");
}

static kanon_status read_back(kanon__table_writer *writer, struct ArrowArrayStream *out, kanon_error *err)
{
    return kanon__parquet_stream_back(out, &((parquet_writer *)writer)->file, err);
}

/* The file gets its name from whoever opened it. */
static kanon_status commit(kanon__table_writer *writer, kanon_error *err)
{
    (void)writer, (void)err;
    return KANON_OK;
}

static void close_writer(kanon__table_writer *writer)
{
    parquet_writer *w = (parquet_writer *)writer;
    kanon__free(w->file.path);
    kanon__free(w->sql);
    kanon__free(w);
}

static const kanon__writer_class parquet_class = {write_rows, read_back, commit, close_writer, NULL};

kanon_status kanon__parquet_writer_open(kanon__table_writer **out, const kanon__location *l, const char *path,
                                        const kanon__table_mark *marks, int n_marks, kanon_error *err)
{
    kanon_status st = KANON_OK;
    parquet_writer *w = NULL;
    KANON_TRY(kanon__new_array(&w, 1, "a Parquet file", err), out);
    w->base.class = &parquet_class;
    w->base.keeps_order = true;
    w->file.kind = KANON__AT_PARQUET;
    w->file.name = l->name;
    KANON_TRY(kanon__copy_text(&w->file.path, path, strlen(path), "a file name", err), out);
    KANON_TRY(find_functions(&w->functions, l, err), out);
    KANON_TRY(make_statement(&w->sql, path, marks, n_marks, err), out);
    *out = &w->base;
    w = NULL;
out:
    if (w != NULL)
        close_writer(&w->base);
    return st;
}
