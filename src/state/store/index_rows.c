/* See index_rows.h. Reads and writes the tables node_pages, member_pages and log_parts. */
#include "state/store/index_rows.h"

#include <sqlite3.h>

kanon_status kanon__index_rows_open(kanon__index_rows *out, kanon__store *store, kanon_error *err)
{
    static const char *const reads[] = {"SELECT entries FROM node_pages WHERE id = ?",
                                        "SELECT entries FROM member_pages WHERE id = ?"};
    static const char *const writes[] = {"INSERT OR REPLACE INTO node_pages VALUES(?, ?)",
                                         "INSERT OR REPLACE INTO member_pages VALUES(?, ?)"};
    static const char *const erases[] = {"DELETE FROM node_pages WHERE id = ?", "DELETE FROM member_pages WHERE id = ?"};
    *out = (kanon__index_rows){.store = store};
    for (int table = 0; table < KANON__N_PAGE_TABLES; table++) {
        KANON_CHECK(kanon__store_prepare(store, &out->read[table], reads[table], err));
        KANON_CHECK(kanon__store_prepare(store, &out->write[table], writes[table], err));
        KANON_CHECK(kanon__store_prepare(store, &out->erase[table], erases[table], err));
    }
    return KANON_OK;
}

void kanon__index_rows_close(kanon__index_rows *rows)
{
    for (int table = 0; table < KANON__N_PAGE_TABLES; table++) {
        sqlite3_finalize(rows->erase[table]);
        sqlite3_finalize(rows->write[table]);
        sqlite3_finalize(rows->read[table]);
    }
    *rows = (kanon__index_rows){0};
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

kanon_status kanon__index_rows_read(kanon__index_rows *rows, kanon__page_table table, int64_t id, const void **bytes,
                                    int64_t *size, kanon_error *err)
{
    bool found = false;
    sqlite3_bind_int64(rows->read[table], 1, id);
    kanon_status st = kanon__store_step(rows->store, rows->read[table], &found, err);
    *bytes = found ? sqlite3_column_blob(rows->read[table], 0) : NULL;
    *size = found ? sqlite3_column_bytes(rows->read[table], 0) : -1;
    return st;
}

void kanon__index_rows_done(kanon__index_rows *rows, kanon__page_table table)
{
    sqlite3_reset(rows->read[table]);
}

kanon_status kanon__index_rows_write(kanon__index_rows *rows, kanon__page_table table, int64_t id, const void *bytes,
                                     int64_t size, kanon_error *err)
{
    sqlite3_bind_int64(rows->write[table], 1, id);
    sqlite3_bind_blob64(rows->write[table], 2, bytes, (uint64_t)size, SQLITE_STATIC);
    return kanon__store_step(rows->store, rows->write[table], NULL, err);
}

kanon_status kanon__index_rows_erase(kanon__index_rows *rows, kanon__page_table table, int64_t id, kanon_error *err)
{
    sqlite3_bind_int64(rows->erase[table], 1, id);
    return kanon__store_step(rows->store, rows->erase[table], NULL, err);
}

kanon_status kanon__index_rows_last(kanon__index_rows *rows, int64_t *out, kanon_error *err)
{
    return kanon__store_query_number(rows->store, out, "SELECT max(id) FROM node_pages", err);
}

kanon_status kanon__index_rows_clear(kanon__index_rows *rows, kanon_error *err)
{
    return kanon__store_run(rows->store, "DELETE FROM node_pages; DELETE FROM member_pages; DELETE FROM log_parts", err);
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

kanon_status kanon__log_rows_visit(kanon__index_rows *rows, kanon__log_part_visitor visitor, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *parts = NULL;
    KANON_TRY(kanon__store_prepare(rows->store, &parts, "SELECT number, entries FROM log_parts ORDER BY number", err), out);
    while (kanon__store_next(rows->store, parts, &st, err)) {
        const void *bytes = sqlite3_column_blob(parts, 1);
        KANON_TRY(visitor(sqlite3_column_int64(parts, 0), bytes, sqlite3_column_bytes(parts, 1), payload, err), out);
    }
out:
    sqlite3_finalize(parts);
    return st;
}

kanon_status kanon__log_rows_append(kanon__index_rows *rows, int64_t part, const void *bytes, int64_t size, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *put = NULL;
    KANON_TRY(kanon__store_prepare(rows->store, &put, "INSERT INTO log_parts VALUES(?, ?)", err), out);
    sqlite3_bind_int64(put, 1, part);
    sqlite3_bind_blob64(put, 2, bytes, (uint64_t)size, SQLITE_STATIC);
    KANON_TRY(kanon__store_step(rows->store, put, NULL, err), out);
out:
    sqlite3_finalize(put);
    return st;
}

kanon_status kanon__log_rows_clear(kanon__index_rows *rows, kanon_error *err)
{
    return kanon__store_run(rows->store, "DELETE FROM log_parts", err);
}
