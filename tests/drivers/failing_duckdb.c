/* DuckDB with one call that fails, as a library in its place: what a Parquet file is written with is passed on to the
 * library of REAL_DUCKDB, but for the call with the number FAIL_AT. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* As in duckdb.h, as far as they are called. */
EXPORTED int duckdb_open(const char *path, void **database);
EXPORTED int duckdb_connect(void *database, void **connection);
EXPORTED int duckdb_arrow_scan(void *connection, const char *name, void *rows);
EXPORTED int duckdb_query(void *connection, const char *sql, void *result);
EXPORTED void duckdb_destroy_result(void *result);
EXPORTED void duckdb_disconnect(void **connection);
EXPORTED void duckdb_close(void **database);
EXPORTED unsigned char duckdb_adbc_init(int version, void *driver, void *error);

static int calls;

static int fails(void)
{
    const char *at = getenv("FAIL_AT");
    return ++calls == (at != NULL ? atoi(at) : 0);
}

/* A function of the real library, at `out`. */
static void find(void *out, const char *name)
{
    void *library = dlopen(getenv("REAL_DUCKDB"), RTLD_NOW | RTLD_LOCAL),
         *found = library != NULL ? dlsym(library, name) : NULL;
    if (found == NULL)
        abort();
    memcpy(out, &found, sizeof found);
}

EXPORTED int duckdb_open(const char *path, void **database)
{
    int (*real)(const char *, void **);
    find(&real, "duckdb_open");
    return fails() ? 1 : real(path, database);
}

EXPORTED int duckdb_connect(void *database, void **connection)
{
    int (*real)(void *, void **);
    find(&real, "duckdb_connect");
    return fails() ? 1 : real(database, connection);
}

EXPORTED int duckdb_arrow_scan(void *connection, const char *name, void *rows)
{
    int (*real)(void *, const char *, void *);
    find(&real, "duckdb_arrow_scan");
    return fails() ? 1 : real(connection, name, rows);
}

EXPORTED int duckdb_query(void *connection, const char *sql, void *result)
{
    int (*real)(void *, const char *, void *);
    find(&real, "duckdb_query");
    int code = real(connection, sql, result); /* what it has written is there, and it says that it failed */
    return fails() ? 1 : code;
}

EXPORTED void duckdb_destroy_result(void *result)
{
    void (*real)(void *);
    find(&real, "duckdb_destroy_result");
    real(result);
}

EXPORTED void duckdb_disconnect(void **connection)
{
    void (*real)(void **);
    find(&real, "duckdb_disconnect");
    real(connection);
}

EXPORTED void duckdb_close(void **database)
{
    void (*real)(void **);
    find(&real, "duckdb_close");
    real(database);
}

EXPORTED unsigned char duckdb_adbc_init(int version, void *driver, void *error)
{
    unsigned char (*real)(int, void *, void *);
    find(&real, "duckdb_adbc_init");
    return fails() ? 1 : real(version, driver, error);
}
