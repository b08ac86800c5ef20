/* See check_file.h. Reads the whole file once and compares its tables by SQL. Groups and their index are no concern of
 * this file. */
#include "state/store/check_file.h"

#include "state/store/page_checksum.h"
#include "state/store/state_requirements.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* Reads every page through the checksum layer: free pages, too, which SQLite would not read. */
static kanon_status check_pages(kanon_state *s, kanon_error *err)
{
    unsigned char page[KANON__PAGE_SIZE];
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    if (sqlite3_file_control(s->store.db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || file == NULL)
        return kanon__fail(err, KANON_EINTERNAL, "%s: no access to the pages", s->store.path);
    int rc = file->pMethods->xFileSize(file, &size);
    for (sqlite3_int64 at = 0; rc == SQLITE_OK && at < size; at += KANON__PAGE_SIZE)
        rc = file->pMethods->xRead(file, page, KANON__PAGE_SIZE, at);
    return rc == SQLITE_OK ? KANON_OK : kanon__store_fail(&s->store, rc, err);
}

/* The check goes on where a page cannot be read, and says so in words: "unable to get the page. error code=266". */
static kanon_status tables_fail(const kanon_state *s, const char *said, kanon_error *err)
{
    const char *at = said != NULL ? strstr(said, "error code=") : NULL;
    int code = 0;
    if (at != NULL && sscanf(at, "error code=%d", &code) == 1 && (code & 0xff) == SQLITE_IOERR)
        return kanon__store_fail(&s->store, code, err);
    return kanon__store_damaged(&s->store, "its tables", err);
}

static kanon_status check_tables(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *check = NULL;
    bool row;
    KANON_TRY(kanon__store_prepare(&s->store, &check, "PRAGMA integrity_check(1)", err), out);
    KANON_TRY(kanon__store_step(&s->store, check, &row, err), out);
    const char *text = row ? (const char *)sqlite3_column_text(check, 0) : NULL;
    if (text == NULL || strcmp(text, "ok") != 0)
        st = tables_fail(s, text, err);
out:
    sqlite3_finalize(check);
    return st;
}

/* The query counts what is wrong. */
static kanon_status expect_none(kanon_state *s, const char *sql, const char *where, kanon_error *err)
{
    int64_t n = 0;
    kanon_status st = kanon__store_query_number(&s->store, &n, sql, err);
    return st == KANON_OK && n != 0 ? kanon__store_damaged(&s->store, where, err) : st;
}

/* For every code: the tally, and -1 for each record that has it, add up to 0. */
static kanon_status check_tallies(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char sql[512];
    for (int i = 0; i < s->n_dimensions && st == KANON_OK; i++) {
        snprintf(
            sql, sizeof sql,
            "SELECT count(*) FROM (SELECT code, sum(n) AS total FROM (SELECT code, n FROM tallies WHERE dimension = %d "
            "UNION ALL SELECT p%d, -1 FROM records WHERE p%d IS NOT NULL) GROUP BY code) WHERE total != 0",
            i, i, i);
        st = expect_none(s, sql, "its tallies", err);
    }
    return st;
}

/* Records from first_unfiled on, and only they, have their key hashes in new_names. */
static kanon_status check_names(kanon_state *s, kanon_error *err)
{
    char sql[512];
    snprintf(sql, sizeof sql,
             "SELECT (SELECT count(*) FROM records WHERE (name IS NULL) != (id >= %lld)) + "
             "(SELECT count(*) FROM new_names WHERE id NOT IN (SELECT id FROM records WHERE id >= %lld)) + "
             "((SELECT count(*) FROM new_names) != (SELECT count(DISTINCT id) FROM new_names)) + "
             "((SELECT count(*) FROM new_names) != (SELECT count(*) FROM records WHERE id >= %lld))",
             (long long)s->first_unfiled, (long long)s->first_unfiled, (long long)s->first_unfiled);
    return expect_none(s, sql, "its names", err);
}

/* ---- together ---------------------------------------------------------------------------------------------------- */

kanon_status kanon__check_file(kanon_state *s, kanon_error *err)
{
    KANON_CHECK(check_pages(s, err));
    KANON_CHECK(check_tables(s, err));
    KANON_CHECK(check_tallies(s, err));
    return check_names(s, err);
}

/* A group that was shown and has a number that no group has yet would be taken for a later one. */
kanon_status kanon__check_counts(kanon_state *s, kanon_error *err)
{
    char sql[512];
    snprintf(sql, sizeof sql, "SELECT count(*) != %lld FROM entity_index",
             kanon__entities_stay_together(s) ? (long long)s->n_records : 0LL);
    KANON_CHECK(expect_none(s, sql, "its entities", err));
    snprintf(sql, sizeof sql, "SELECT count(*) != %lld OR max(number) != %lld FROM releases", (long long)s->n_releases,
             (long long)s->n_releases);
    KANON_CHECK(expect_none(s, sql, "its releases", err));
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM (SELECT since, shown FROM records UNION ALL SELECT since, shown FROM departed_records "
             "UNION ALL SELECT release, grp FROM membership_history) WHERE since < 0 OR since > %lld OR shown >= %lld",
             (long long)s->n_releases, (long long)s->next_group);
    return expect_none(s, sql, "its releases", err);
}
