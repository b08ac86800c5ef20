/* See database/writers.h: a table of an SQLite file, in one transaction. Whole numbers are INTEGER, other numbers REAL,
 * all else is the text that a CSV release would have, as TEXT, because SQLite has no types for it; null is NULL. A file
 * that is not there is made, and goes away again where nothing is kept in it. */
#include "core/alloc.h"
#include "database/private_file.h"
#include "database/sql_text.h"
#include "database/sqlite_file.h"
#include "database/writers.h"
#include "table/read/arrow_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct sqlite_writer {
    kanon__table_writer base;
    const kanon__location *location; /* the caller's */
    sqlite3 *db;
    bool is_new, committed;
    bool shares; /* the file and the transaction are another writer's */
} sqlite_writer;

/* ---- statements --------------------------------------------------------------------------------------------------- */

static const char *type_name(const kanon__arrow_type *type)
{
    return type->kind == KANON__ARROW_INTEGER ? " INTEGER" : type->kind == KANON__ARROW_REAL ? " REAL" : " TEXT";
}

/* CREATE TABLE "t" ("a" INTEGER, ...) and INSERT INTO "t" VALUES (?, ...). */
static kanon_status make_statements(char **create, char **insert, const char *table, const struct ArrowSchema *schema,
                                    const kanon__arrow_type *types, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *columns = NULL, *marks = NULL;
    size_t size = 16;
    for (int64_t i = 0; i < schema->n_children; i++)
        size += 2 * strlen(schema->children[i]->name) + 16;
    KANON_TRY(kanon__new_array(&columns, (int64_t)size, "a query", err), out);
    KANON_TRY(kanon__new_array(&marks, 3 * schema->n_children + 16, "a query", err), out);
    char *column = columns + sprintf(columns, " ("), *mark = marks + sprintf(marks, " VALUES (");
    for (int64_t i = 0; i < schema->n_children; i++) {
        column = kanon__sql_quote(column + sprintf(column, "%s", i > 0 ? ", " : ""), schema->children[i]->name, '"');
        column += sprintf(column, "%s", type_name(&types[i]));
        mark += sprintf(mark, "%s?", i > 0 ? ", " : "");
    }
    strcpy(column, ")");
    strcpy(mark, ")");
    KANON_TRY(kanon__sql_about(create, "CREATE TABLE ", NULL, table, columns, err), out);
    KANON_TRY(kanon__sql_about(insert, "INSERT INTO ", NULL, table, marks, err), out);
out:
    kanon__free(columns);
    kanon__free(marks);
    return st;
}

/* ---- cells -------------------------------------------------------------------------------------------------------- */

static int bind_whole(sqlite3_stmt *to, int place, const kanon__arrow_type *type, uint64_t value)
{
    bool fits = type->is_signed || value <= INT64_MAX;
    return fits ? sqlite3_bind_int64(to, place, (int64_t)value) : SQLITE_RANGE;
}

/* `text` must live until the statement is stepped. */
static int bind_cell(sqlite3_stmt *to, int place, const kanon__arrow_view *view, int64_t row,
                     char text[KANON__ARROW_TEXT_SIZE])
{
    int64_t at;
    if (kanon__arrow_is_null(view, row))
        return sqlite3_bind_null(to, place);
    const kanon__arrow_buffers *b = kanon__arrow_value(view, row, &at);
    switch (view->type->kind) {
    case KANON__ARROW_INTEGER:
        return bind_whole(to, place, view->type, kanon__arrow_entry_integer(view->type, b, at));
    case KANON__ARROW_REAL:
        return sqlite3_bind_double(to, place, kanon__arrow_entry_real(view->type, b, at));
    case KANON__ARROW_TEXT: {
        kanon__arrow_text bytes = kanon__arrow_entry_text(view->type, b, at);
        return sqlite3_bind_text64(to, place, bytes.bytes, bytes.length, SQLITE_STATIC, SQLITE_UTF8);
    }
    default:
        return sqlite3_bind_text(to, place, text, (int)kanon__arrow_print(text, view->type, b, at), SQLITE_STATIC);
    }
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

/* What is needed while the rows are written. */
typedef struct row_insertion {
    const sqlite_writer *writer;
    struct ArrowSchema schema;
    kanon__arrow_type *types;
    kanon__arrow_view *views;
    char *texts; /* by column: room for a value that is printed */
    sqlite3_stmt *insert;
} row_insertion;

static kanon_status insert_batch(row_insertion *in, const struct ArrowArray *batch, kanon_error *err)
{
    const sqlite_writer *w = in->writer;
    for (int64_t i = 0; i < batch->n_children; i++)
        in->views[i] = kanon__arrow_view_of(&in->types[i], batch->children[i], batch->offset, batch->length);
    for (int64_t row = 0; row < batch->length; row++) {
        for (int64_t i = 0; i < batch->n_children; i++)
            if (bind_cell(in->insert, (int)i + 1, &in->views[i], row, in->texts + i * KANON__ARROW_TEXT_SIZE) != SQLITE_OK)
                return kanon__fail(err, KANON_EDATA, "%s: %s: a value that SQLite cannot hold", w->location->name,
                                   in->schema.children[i]->name);
        if (sqlite3_step(in->insert) != SQLITE_DONE)
            return kanon__sqlite_fail(w->db, w->location->name, "the table cannot be written", err);
        sqlite3_reset(in->insert);
    }
    return KANON_OK;
}

static kanon_status begin_rows(row_insertion *in, struct ArrowArrayStream *rows, kanon_error *err)
{
    static const char what[] = "the table cannot be written";
    kanon_status st = KANON_OK;
    const sqlite_writer *w = in->writer;
    const kanon__location *l = w->location;
    char *drop = NULL, *create = NULL, *insert = NULL;
    if (rows->get_schema(rows, &in->schema) != 0) {
        in->schema.release = NULL;
        return kanon__fail(err, KANON_ENOMEM, "out of memory");
    }
    KANON_TRY(kanon__new_array(&in->types, in->schema.n_children, "columns", err), out);
    KANON_TRY(kanon__new_array(&in->views, in->schema.n_children, "columns", err), out);
    KANON_TRY(kanon__new_array(&in->texts, in->schema.n_children * KANON__ARROW_TEXT_SIZE, "columns", err), out);
    for (int64_t i = 0; i < in->schema.n_children; i++)
        KANON_TRY(kanon__arrow_type_of(&in->types[i], in->schema.children[i], err), out);
    KANON_TRY(make_statements(&create, &insert, l->table, &in->schema, in->types, err), out);
    KANON_TRY(kanon__sql_about(&drop, "DROP TABLE IF EXISTS ", NULL, l->table, "", err), out);
    KANON_TRY(kanon__sqlite_run(w->db, drop, l->name, what, err), out);
    KANON_TRY(kanon__sqlite_run(w->db, create, l->name, what, err), out);
    if (sqlite3_prepare_v2(w->db, insert, -1, &in->insert, NULL) != SQLITE_OK)
        st = kanon__sqlite_fail(w->db, l->name, what, err);
out:
    kanon__free(drop);
    kanon__free(create);
    kanon__free(insert);
    return st;
}

static kanon_status write_rows(kanon__table_writer *writer, struct ArrowArrayStream *rows, kanon_error *err)
{
    kanon_status st = KANON_OK;
    row_insertion in = {.writer = (sqlite_writer *)writer};
    KANON_TRY(begin_rows(&in, rows, err), out);
    for (;;) {
        struct ArrowArray batch = {0};
        if (rows->get_next(rows, &batch) != 0)
            KANON_TRY(kanon__fail(err, KANON_ENOMEM, "out of memory"), out);
        if (batch.release == NULL)
            break;
        st = insert_batch(&in, &batch, err);
        batch.release(&batch);
        if (st != KANON_OK)
            goto out;
    }
out:
    sqlite3_finalize(in.insert);
    kanon__free(in.texts);
    kanon__free(in.views);
    kanon__free(in.types);
    if (in.schema.release != NULL)
        in.schema.release(&in.schema);
    if (rows->release != NULL)
        rows->release(rows);
    return st;
}

static kanon_status read_back(kanon__table_writer *writer, struct ArrowArrayStream *out, kanon_error *err)
{
    sqlite_writer *w = (sqlite_writer *)writer;
    return kanon__sqlite_rows(out, w->db, false, w->location->table, w->location->name, false, err);
}

static kanon_status commit(kanon__table_writer *writer, kanon_error *err)
{
    sqlite_writer *w = (sqlite_writer *)writer;
    if (w->shares)
        return KANON_OK;
    kanon_status st = kanon__sqlite_run(w->db, "COMMIT", w->location->name, "the table cannot be kept", err);
    w->committed = st == KANON_OK;
    return st;
}

/* A file that was made for nothing goes, if it is still empty: another process may have come to it, too. */
static void close_writer(kanon__table_writer *writer)
{
    sqlite_writer *w = (sqlite_writer *)writer;
    struct stat file;
    if (!w->shares)
        sqlite3_close(w->db);
    if (w->is_new && !w->committed && stat(w->location->path, &file) == 0 && file.st_size == 0)
        unlink(w->location->path);
    kanon__free(w);
}

static kanon_status share(kanon__table_writer **out, kanon__table_writer *writer, const kanon__location *l, kanon_error *err)
{
    sqlite_writer *w = NULL;
    KANON_CHECK(kanon__new_array(&w, 1, "a database", err));
    w->base = *writer;
    w->location = l;
    w->db = ((sqlite_writer *)writer)->db;
    w->shares = true;
    *out = &w->base;
    return KANON_OK;
}

static const kanon__writer_class sqlite_class = {write_rows, read_back, commit, close_writer, share};

kanon_status kanon__sqlite_writer_open(kanon__table_writer **out, const kanon__location *l, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite_writer *w = NULL;
    KANON_TRY(kanon__new_array(&w, 1, "a database", err), out);
    w->base.class = &sqlite_class;
    w->base.keeps_order = true; /* by their numbers, which grow */
    w->location = l;
    w->is_new = access(l->path, F_OK) != 0;
    if (w->is_new && l->is_private)
        kanon__private_file_create(l->path); /* its journal gets the same mode */
    if (sqlite3_open_v2(l->path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        KANON_TRY(kanon__sqlite_fail(w->db, l->name, "the file cannot be written", err), out);
    sqlite3_busy_timeout(w->db, KANON__SQLITE_WAIT_MS);
    KANON_TRY(kanon__sqlite_run(w->db, "BEGIN IMMEDIATE", l->name, "the file cannot be written", err), out);
    *out = &w->base;
    w = NULL;
out:
    if (w != NULL)
        close_writer(&w->base);
    return st;
}
