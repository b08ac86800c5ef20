/* See streams.h and sqlite_file.h: a table of an SQLite file as a stream.
 *
 * SQLite gives every cell a type of its own. The rows are read twice in one transaction: first for the types, then for the
 * values. A column of whole numbers is int64, of numbers float64, anything with texts utf8; bytes (blobs) are binary, which
 * nobody reads. Dates have no type there. Only a column that is declared as text (CHAR, CLOB, TEXT) has texts by its type;
 * what the texts of any other column are is found from them, as in CSV. */
#include "core/alloc.h"
#include "core/arrow_block.h"
#include "core/context.h"
#include "database/batch.h"
#include "database/sql_text.h"
#include "database/sqlite_file.h"
#include "database/streams.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BATCH_ROWS = 4096, MOST_NAMES = 300 };

kanon_status kanon__sqlite_fail(sqlite3 *db, const char *called, const char *what, kanon_error *err)
{
    int code = db != NULL ? sqlite3_errcode(db) : SQLITE_NOMEM;
    kanon_status st = code == SQLITE_NOMEM                                                      ? KANON_ENOMEM
                      : code == SQLITE_ERROR || code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? KANON_EDATA
                                                                                                : KANON_EIO;
    return kanon__fail(err, st, "%s: %s: %s", called, what, sqlite3_errstr(code));
}

kanon_status kanon__sqlite_run(sqlite3 *db, const char *sql, const char *called, const char *what, kanon_error *err)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? KANON_OK : kanon__sqlite_fail(db, called, what, err);
}

/* ---- the stream --------------------------------------------------------------------------------------------------- */

/* A column while a batch is made. */
typedef struct cells {
    char *valid, *values; /* values, or offsets of texts */
    char *bytes;
    int64_t capacity, used, n_null;
} cells;

typedef struct sqlite_rows {
    const kanon_context *context;
    sqlite3 *db;
    bool owned;
    sqlite3_stmt *statement;
    char *called;
    int n_columns;
    char *formats; /* l, g, u or z by column */
    bool ended;
    kanon_error last;
} sqlite_rows;

static kanon_status begin_cells(cells *c, char format, kanon_error *err)
{
    kanon_status st = kanon__new_array(&c->valid, BATCH_ROWS / 8, "a batch", err);
    if (st == KANON_OK)
        st = kanon__new_array(&c->values, (BATCH_ROWS + 1) * 8, "a batch", err);
    if (st == KANON_OK && format == 'u')
        st = kanon__grow_array(&c->bytes, &c->capacity, 1, "a batch", err);
    return st;
}

/* The cell of the current row; texts have offsets of eight bytes. */
static kanon_status take_cell(cells *c, sqlite3_stmt *statement, int column, char format, int64_t row, kanon_error *err)
{
    bool is_null = sqlite3_column_type(statement, column) == SQLITE_NULL; /* first: to read a value may change its type */
    int64_t whole = format == 'l' ? sqlite3_column_int64(statement, column) : 0;
    double real = format == 'g' ? sqlite3_column_double(statement, column) : 0;
    if (format == 'l')
        memcpy(c->values + row * 8, &whole, 8);
    else if (format == 'g')
        memcpy(c->values + row * 8, &real, 8);
    if (format == 'u' && !is_null) {
        const void *text = sqlite3_column_text(statement, column);
        int length = sqlite3_column_bytes(statement, column);
        if (text == NULL)
            return kanon__fail(err, KANON_ENOMEM, "out of memory");
        kanon_status st = kanon__grow_array(&c->bytes, &c->capacity, c->used + length + 1, "a batch", err);
        if (st != KANON_OK)
            return st;
        memcpy(c->bytes + c->used, text, (size_t)length);
        c->used += length;
    }
    if (format == 'u')
        memcpy(c->values + (row + 1) * 8, &c->used, 8);
    if (is_null)
        c->n_null++;
    else
        c->valid[row >> 3] = (char)((unsigned char)c->valid[row >> 3] | 1u << (row & 7));
    return KANON_OK;
}

/* The cells become an array, which owns their buffers. */
static kanon_status end_cells(struct ArrowArray *out, cells *c, char format, int64_t n, kanon_error *err)
{
    kanon__arrow_memory *memory = NULL;
    kanon_status st = kanon__arrow_memory_new(&memory, NULL, NULL, err);
    if (st != KANON_OK)
        return st;
    const void *buffers[KANON__ARROW_BLOCKS] = {c->valid, c->values, c->bytes};
    int64_t n_null = c->n_null;
    memory->blocks[0] = c->valid;
    memory->blocks[1] = c->values;
    memory->blocks[2] = c->bytes;
    *c = (cells){0};
    return kanon__arrow_array_init(out, memory, n, n_null, buffers, format == 'u' ? 3 : 2, err);
}

/* Up to BATCH_ROWS rows into `columns`; *n becomes their number. */
static kanon_status take_rows(sqlite_rows *r, cells *columns, int64_t *n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (*n = 0; *n < BATCH_ROWS; (*n)++) {
        int code = sqlite3_step(r->statement);
        r->ended = code == SQLITE_DONE;
        if (code == SQLITE_DONE)
            return KANON_OK;
        if (code != SQLITE_ROW)
            return kanon__sqlite_fail(r->db, r->called, "the rows cannot be read", err);
        for (int i = 0; i < r->n_columns; i++)
            KANON_TRY(take_cell(&columns[i], r->statement, i, r->formats[i], *n, err), out);
    }
out:
    return st;
}

static kanon_status make_batch(struct ArrowArray *out, sqlite_rows *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    cells *columns = NULL;
    struct ArrowArray batch = {0};
    int64_t n = 0;
    KANON_TRY(kanon__new_array(&columns, r->n_columns, "a batch", err), out);
    for (int i = 0; i < r->n_columns; i++)
        KANON_TRY(begin_cells(&columns[i], r->formats[i], err), out);
    KANON_TRY(take_rows(r, columns, &n, err), out);
    if (n == 0)
        goto out;
    KANON_TRY(kanon__arrow_array_init_struct(&batch, NULL, n, r->n_columns, err), out);
    for (int i = 0; i < r->n_columns; i++)
        KANON_TRY(end_cells(batch.children[i], &columns[i], r->formats[i], n, err), out);
    *out = batch;
    batch.release = NULL;
out:
    kanon__arrow_array_clear(&batch);
    for (int i = 0; columns != NULL && i < r->n_columns; i++) {
        kanon__free(columns[i].valid);
        kanon__free(columns[i].values);
        kanon__free(columns[i].bytes);
    }
    kanon__free(columns);
    return st;
}

static int sqlite_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    sqlite_rows *r = stream->private_data;
    kanon__call call;
    *out = (struct ArrowArray){0};
    r->last = (kanon_error)KANON_INIT(kanon_error);
    if (r->ended)
        return 0;
    kanon__call_begin(&call, r->context);
    kanon_status st = kanon__call_end(&call, make_batch(out, r, &r->last));
    return st == KANON_OK ? 0 : st == KANON_ENOMEM ? ENOMEM : EIO;
}

/* ---- the schema --------------------------------------------------------------------------------------------------- */

static const char *format_of(char letter)
{
    return letter == 'l' ? "l" : letter == 'g' ? "g" : letter == 'z' ? "z" : "U";
}

/* Whether a declared type has this word in it, in capitals or not. */
static bool declares(const char *type, const char *word)
{
    size_t length = strlen(word);
    for (; *type != '\0'; type++)
        if (strncasecmp(type, word, length) == 0)
            return true;
    return false;
}

/* Whether the column was declared as text: by SQLite's own rule, where INT comes first. */
static bool is_declared_text(const sqlite_rows *r, int column)
{
    const char *type = sqlite3_column_decltype(r->statement, column);
    return type != NULL && !declares(type, "INT") &&
           (declares(type, "CHAR") || declares(type, "CLOB") || declares(type, "TEXT"));
}

static kanon_status make_schema(struct ArrowSchema *out, const sqlite_rows *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_field *fields = NULL;
    KANON_TRY(kanon__new_array(&fields, r->n_columns, "columns", err), out);
    for (int i = 0; i < r->n_columns; i++) {
        fields[i] = (kanon__arrow_field){.name = sqlite3_column_name(r->statement, i),
                                         .format = format_of(r->formats[i]),
                                         .metadata = is_declared_text(r, i) ? NULL : kanon__batch_untyped_mark,
                                         .flags = ARROW_FLAG_NULLABLE};
        if (fields[i].name == NULL) {
            st = kanon__fail(err, KANON_ENOMEM, "out of memory");
            goto out;
        }
    }
    st = kanon__arrow_schema_init(out, fields, r->n_columns, err);
out:
    kanon__free(fields);
    return st;
}

static int sqlite_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    sqlite_rows *r = stream->private_data;
    kanon__call call;
    r->last = (kanon_error)KANON_INIT(kanon_error);
    kanon__call_begin(&call, r->context);
    kanon_status st = kanon__call_end(&call, make_schema(out, r, &r->last));
    return st == KANON_OK ? 0 : ENOMEM;
}

static const char *sqlite_error(struct ArrowArrayStream *stream)
{
    const sqlite_rows *r = stream->private_data;
    return r->last.message[0] != '\0' ? r->last.message : NULL;
}

static void sqlite_release(struct ArrowArrayStream *stream)
{
    sqlite_rows *r = stream->private_data;
    sqlite3_finalize(r->statement);
    if (r->owned)
        sqlite3_close(r->db);
    kanon__free(r->called);
    kanon__free(r->formats);
    kanon__free(r);
    stream->release = NULL;
}

/* ---- opening ------------------------------------------------------------------------------------------------------ */

/* One format for all cells of a column. `seen` has a bit for each type, and one for numbers that float64 does not hold. */
static char format_for(unsigned seen)
{
    enum {
        INTEGERS = 1u << SQLITE_INTEGER,
        REALS = 1u << SQLITE_FLOAT,
        TEXTS = 1u << SQLITE_TEXT,
        BLOBS = 1u << SQLITE_BLOB
    };
    if ((seen & BLOBS) != 0)
        return 'z';
    if ((seen & TEXTS) != 0 || (seen & (INTEGERS | REALS)) == 0)
        return 'u';
    if ((seen & REALS) == 0)
        return 'l';
    return (seen & 1u) != 0 ? 'u' : 'g';
}

static kanon_status find_formats(sqlite_rows *r, kanon_error *err)
{
    const int64_t exact = (int64_t)1 << 53;
    unsigned *seen = NULL;
    int code;
    kanon_status st = kanon__new_array(&seen, r->n_columns, "columns", err);
    if (st == KANON_OK)
        st = kanon__new_array(&r->formats, r->n_columns, "columns", err);
    if (st != KANON_OK)
        goto out;
    while ((code = sqlite3_step(r->statement)) == SQLITE_ROW)
        for (int i = 0; i < r->n_columns; i++) {
            int type = sqlite3_column_type(r->statement, i);
            int64_t whole = type == SQLITE_INTEGER ? sqlite3_column_int64(r->statement, i) : 0;
            seen[i] |= 1u << type | (unsigned)(whole > exact || whole < -exact);
        }
    if (code != SQLITE_DONE)
        st = kanon__sqlite_fail(r->db, r->called, "the rows cannot be read", err);
    sqlite3_reset(r->statement);
    for (int i = 0; i < r->n_columns; i++)
        r->formats[i] = format_for(seen[i]);
out:
    kanon__free(seen);
    return st;
}

kanon_status kanon__sqlite_rows(struct ArrowArrayStream *out, sqlite3 *db, bool owned, const char *table, const char *called,
                                bool encode, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite_rows *r = NULL;
    struct ArrowArrayStream made = {0};
    char *sql = NULL;
    KANON_TRY(kanon__new_array(&r, 1, "a stream", err), out);
    r->context = kanon__call_context();
    r->db = db;
    made = (struct ArrowArrayStream){.get_schema = sqlite_schema,
                                     .get_next = sqlite_next,
                                     .get_last_error = sqlite_error,
                                     .release = sqlite_release,
                                     .private_data = r};
    KANON_TRY(kanon__copy_text(&r->called, called, strlen(called), "a name", err), out);
    KANON_TRY(kanon__sql_about(&sql, "SELECT * FROM ", NULL, table, "", err), out);
    if (sqlite3_prepare_v2(db, sql, -1, &r->statement, NULL) != SQLITE_OK) {
        st = kanon__sqlite_fail(db, called, "there is no such table, or it cannot be read", err);
        goto out;
    }
    r->n_columns = sqlite3_column_count(r->statement);
    KANON_TRY(find_formats(r, err), out);
    r->owned = owned; /* from here on the file goes with the stream */
    owned = false;
    st = kanon__gathered_stream(out, &made, encode, called, err);
out:
    if (made.release != NULL)
        made.release(&made);
    if (owned)
        sqlite3_close(db);
    kanon__free(sql);
    return st;
}

/* The only table of a file, to be freed; an error names them where there are several. */
static kanon_status only_table(char **out, sqlite3 *db, const char *called, kanon_error *err)
{
    char names[MOST_NAMES] = "";
    int n = 0, code = SQLITE_DONE;
    size_t used = 0;
    sqlite3_stmt *list = NULL;
    kanon_status st = KANON_OK;
    if (sqlite3_prepare_v2(db,
                           "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
                           "ESCAPE '\\' ORDER BY name",
                           -1, &list, NULL) != SQLITE_OK)
        return kanon__sqlite_fail(db, called, "its tables cannot be listed", err);
    while (st == KANON_OK && (code = sqlite3_step(list)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(list, 0);
        if (name != NULL && n++ == 0)
            st = kanon__copy_text(out, name, strlen(name), "a name", err);
        if (name != NULL && used + strlen(name) + 3 < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", name);
    }
    if (st == KANON_OK && code != SQLITE_DONE)
        st = kanon__sqlite_fail(db, called, "its tables cannot be listed", err);
    sqlite3_finalize(list);
    if (st == KANON_OK && n != 1) {
        st = kanon__fail(err, KANON_EINVAL, "%s: an SQLite file with %d tables", called, n);
        kanon__hint(err, st, n == 0 ? "fill it first" : "name one of them behind a #: %s", names);
    }
    if (st != KANON_OK) {
        kanon__free(*out);
        *out = NULL;
    }
    return st;
}

/* All reads are of the same rows. */
static kanon_status begin_reading(sqlite3 **db, const kanon__location *l, int flags, kanon_error *err)
{
    if (sqlite3_open_v2(l->path, db, flags, NULL) != SQLITE_OK)
        return kanon__sqlite_fail(*db, l->name, "the file cannot be opened", err);
    sqlite3_busy_timeout(*db, KANON__SQLITE_WAIT_MS);
    return kanon__sqlite_run(*db, "BEGIN", l->name, "the file cannot be read", err);
}

/* Whether a process died while it wrote. Only who may write can take back what it did; that is done when the file is
 * read. */
static bool has_hot_journal(sqlite3 *db)
{
    return sqlite3_exec(db, "SELECT 1 FROM sqlite_master LIMIT 1", NULL, NULL, NULL) != SQLITE_OK &&
           sqlite3_extended_errcode(db) == SQLITE_READONLY_ROLLBACK;
}

kanon_status kanon__sqlite_stream_open(struct ArrowArrayStream *out, const kanon__location *l, bool encode, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3 *db = NULL;
    char *table = NULL;
    KANON_TRY(begin_reading(&db, l, SQLITE_OPEN_READONLY, err), out);
    if (has_hot_journal(db)) {
        sqlite3_close(db);
        db = NULL;
        KANON_TRY(begin_reading(&db, l, SQLITE_OPEN_READWRITE, err), out);
    }
    if (l->table == NULL)
        KANON_TRY(only_table(&table, db, l->name, err), out);
    st = kanon__sqlite_rows(out, db, true, l->table != NULL ? l->table : table, l->name, encode, err);
    db = NULL;
out:
    kanon__free(table);
    sqlite3_close(db);
    return st;
}
