/* See streams.h: tables and queries behind a driver, and Parquet files, which DuckDB reads. The connection lives as long as
 * the stream, and all its calls are made on a thread of its own (core/errand.h); a Parquet file must be the same at the end
 * as it was at the beginning. */
#include "core/alloc.h"
#include "core/errand.h"
#include "core/file_stamp.h"
#include "database/batch.h"
#include "database/connection.h"
#include "database/load_driver.h"
#include "database/sql_text.h"
#include "database/streams.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A driver's stream together with its connection. */
typedef struct held_stream {
    kanon__errands *thread;
    struct ArrowArrayStream rows;
    kanon__connection *connection;
    char *path; /* of a file that must not change; NULL: none */
    struct stat file;
} held_stream;

/* A call of the stream: what it is about, what it gives and how it ended. */
typedef struct held_call {
    held_stream *held;
    const kanon__location *location;
    const char *sql;
    void *out;
    int code;
    kanon_status status;
    kanon_error *err;
} held_call;

static void do_open(void *payload)
{
    held_call *c = payload;
    held_stream *h = c->held;
    c->status = kanon__connection_open(&h->connection, c->location, false, c->err);
    if (c->status == KANON_OK)
        c->status = kanon__connection_query(h->connection, &h->rows, c->sql, c->err);
}

static void do_schema(void *payload)
{
    held_call *c = payload;
    c->code = c->held->rows.get_schema(&c->held->rows, c->out);
}

static void do_next(void *payload)
{
    held_call *c = payload;
    c->code = c->held->rows.get_next(&c->held->rows, c->out);
}

static void do_release(void *payload)
{
    held_stream *h = ((held_call *)payload)->held;
    if (h->rows.release != NULL)
        h->rows.release(&h->rows);
    kanon__connection_close(h->connection);
}

static int held_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    held_call call = {.held = stream->private_data, .out = out};
    kanon__errands_do(call.held->thread, do_schema, &call);
    return call.code;
}

static bool has_changed(const held_stream *h)
{
    struct stat now;
    return h->path != NULL && (stat(h->path, &now) != 0 || !kanon__file_stamp_same(&h->file, &now));
}

static int held_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    held_call call = {.held = stream->private_data, .out = out};
    *out = (struct ArrowArray){0};
    kanon__errands_do(call.held->thread, do_next, &call);
    return call.code == 0 && out->release == NULL && has_changed(call.held) ? EIO : call.code;
}

static const char *held_error(struct ArrowArrayStream *stream)
{
    held_stream *h = stream->private_data;
    return h->rows.get_last_error != NULL ? h->rows.get_last_error(&h->rows) : NULL;
}

static void held_release(struct ArrowArrayStream *stream)
{
    held_stream *h = stream->private_data;
    kanon__adbc_unused inside = (kanon__adbc_unused)h->rows.get_next;
    if (h->thread != NULL)
        kanon__errands_do(h->thread, do_release, &(held_call){.held = h});
    kanon__errands_free(h->thread);
    if (inside != NULL)
        kanon__driver_rest(inside); /* once more: some of it is given back when the thread ends */
    kanon__free(h->path);
    kanon__free(h);
    stream->release = NULL;
}

/* The rows as the driver gives them. */
static kanon_status open_rows(struct ArrowArrayStream *out, const kanon__location *l, const char *sql, const char *path,
                              kanon_error *err)
{
    kanon_status st = KANON_OK;
    held_stream *h = NULL;
    out->release = NULL;
    KANON_TRY(kanon__new_array(&h, 1, "a stream", err), out);
    *out = (struct ArrowArrayStream){.get_schema = held_schema,
                                     .get_next = held_next,
                                     .get_last_error = held_error,
                                     .release = held_release,
                                     .private_data = h};
    if (path != NULL) {
        KANON_TRY(kanon__copy_text(&h->path, path, strlen(path), "a file name", err), out);
        if (stat(path, &h->file) != 0) {
            st = kanon__fail_errno(err, errno, "read", path);
            goto out;
        }
    }
    KANON_TRY(kanon__errands_new(&h->thread, err), out);
    held_call call = {.held = h, .location = l, .sql = sql, .err = err};
    kanon__errands_do(h->thread, do_open, &call);
    st = call.status;
out:
    if (st != KANON_OK && out->release != NULL)
        out->release(out);
    return st;
}

kanon_status kanon__driver_stream_open(struct ArrowArrayStream *out, const kanon__location *l, bool encode, kanon_error *err)
{
    char *sql = NULL;
    struct ArrowArrayStream rows = {0};
    kanon_status st = KANON_OK;
    if (l->query == NULL)
        st = kanon__sql_about(&sql, "SELECT * FROM ", l->schema, l->table, "", err);
    if (st == KANON_OK)
        st = open_rows(&rows, l, l->query != NULL ? l->query : sql, NULL, err);
    if (st == KANON_OK)
        st = kanon__gathered_stream(out, &rows, encode, l->name, err);
    kanon__free(sql);
    return st;
}

/* Rows come in the order of the file: DuckDB keeps it unless it is told otherwise. The columns are those of the file: a
 * folder that is called "year=2026" is no column. */
kanon_status kanon__parquet_stream_back(struct ArrowArrayStream *out, const kanon__location *l, kanon_error *err)
{
    static const char begin[] = "SELECT * FROM read_parquet(", end[] = ", hive_partitioning = false)";
    kanon__option one_thread = {.key = (char[]){"threads"},
                                .value = (char[]){"1"}}; /* each has buffers for a group of rows */
    kanon__location duckdb = {
        .kind = KANON__AT_DRIVER, .name = l->name, .driver = (char[]){"duckdb"}, .options = &one_thread, .n_options = 1};
    char *sql = NULL;
    if (strpbrk(l->path, "*?[") != NULL) { /* DuckDB would take it for a pattern of several names */
        kanon_status wrong = kanon__fail(err, KANON_EINVAL, "%s: a Parquet file with one of *?[ in its name", l->name);
        return kanon__hint(err, wrong, "rename it, or read it by a query of the driver duckdb");
    }
    int64_t size = (int64_t)(sizeof begin + sizeof end + 2 * strlen(l->path) + 4);
    kanon_status st = kanon__new_array(&sql, size, "a query", err);
    if (st != KANON_OK)
        return st;
    char *at = kanon__sql_file(sql + sprintf(sql, "%s", begin), l->path);
    strcpy(at, end);
    st = open_rows(out, &duckdb, sql, l->path, err);
    kanon__free(sql);
    return st;
}

kanon_status kanon__parquet_stream_open(struct ArrowArrayStream *out, const kanon__location *l, bool encode,
                                        kanon_error *err)
{
    struct ArrowArrayStream rows = {0};
    kanon_status st = kanon__parquet_stream_back(&rows, l, err);
    return st == KANON_OK ? kanon__gathered_stream(out, &rows, encode, l->name, err) : st;
}
