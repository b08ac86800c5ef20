/* Reads and writes the tables releases, membership_history, departed_records and history. The formats are
 * described in release_rows.h. */
#include "state/store/release_rows.h"

#include "core/alloc.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

/* ---- releases ---------------------------------------------------------------------------------------------------- */

kanon_status kanon__release_rows_append(kanon_state *s, const kanon__release_entry *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *put = NULL;
    const int64_t numbers[] = {r->n_records, r->n_groups, r->n_suppressed, r->n_withheld, r->smallest};
    KANON_TRY(kanon__store_prepare(&s->store, &put, "INSERT INTO releases VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", err), out);
    sqlite3_bind_int64(put, 1, s->n_releases);
    sqlite3_bind_int64(put, 2, (int64_t)time(NULL));
    sqlite3_bind_text(put, 3, r->sha256, -1, SQLITE_STATIC);
    for (int i = 0; i < 5; i++)
        sqlite3_bind_int64(put, 4 + i, numbers[i]);
    sqlite3_bind_double(put, 9, r->loss);
    sqlite3_bind_int64(put, 10, r->joint_k);
    KANON_TRY(kanon__store_step(&s->store, put, NULL, err), out);
out:
    sqlite3_finalize(put);
    return st;
}

kanon_status kanon__release_rows_set_checksum(kanon_state *s, const char *sha256, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *put = NULL;
    KANON_TRY(kanon__store_prepare(&s->store, &put, "UPDATE releases SET sha256 = ? WHERE number = ?", err), out);
    sqlite3_bind_text(put, 1, sha256, -1, SQLITE_STATIC);
    sqlite3_bind_int64(put, 2, s->n_releases);
    KANON_TRY(kanon__store_step(&s->store, put, NULL, err), out);
out:
    sqlite3_finalize(put);
    return st;
}

static kanon__release_entry take_release(sqlite3_stmt *row)
{
    kanon__release_entry r = {.number = sqlite3_column_int64(row, 0),
                              .time = sqlite3_column_int64(row, 1),
                              .n_records = sqlite3_column_int64(row, 3),
                              .n_groups = sqlite3_column_int64(row, 4),
                              .n_suppressed = sqlite3_column_int64(row, 5),
                              .n_withheld = sqlite3_column_int64(row, 6),
                              .smallest = sqlite3_column_int64(row, 7),
                              .loss = sqlite3_column_double(row, 8),
                              .joint_k = sqlite3_column_int64(row, 9)};
    const char *sha256 = (const char *)sqlite3_column_text(row, 2);
    snprintf(r.sha256, sizeof r.sha256, "%s", sha256 != NULL ? sha256 : "");
    if (sqlite3_column_type(row, 8) == SQLITE_NULL) /* of a release of changes: nobody has counted it */
        r.loss = NAN;
    return r;
}

kanon_status kanon__release_rows_visit(kanon_state *s, kanon__release_visitor visitor, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *rows = NULL;
    KANON_TRY(kanon__store_prepare(&s->store, &rows, "SELECT * FROM releases ORDER BY number", err), out);
    while (kanon__store_next(&s->store, rows, &st, err)) {
        kanon__release_entry entry = take_release(rows);
        KANON_TRY(visitor(&entry, payload, err), out);
    }
out:
    sqlite3_finalize(rows);
    return st;
}

/* ---- memberships ------------------------------------------------------------------------------------------------- */

/* The membership history, read one row ahead; record INT64_MAX: past the last row. */
typedef struct history_reader {
    kanon_state *state;
    sqlite3_stmt *rows;
    int64_t record;
    int64_t *earlier; /* of the record at hand */
    int64_t n_earlier, capacity;
} history_reader;

static kanon_status next_history_row(history_reader *r, kanon_error *err)
{
    bool found;
    kanon_status st = kanon__store_step(&r->state->store, r->rows, &found, err);
    r->record = st == KANON_OK && found ? sqlite3_column_int64(r->rows, 0) : INT64_MAX;
    return st;
}

/* The history of one record. Records are asked for by rising number, so the rows of lower ones are passed over. */
static kanon_status read_history(history_reader *r, int64_t record, kanon_error *err)
{
    r->n_earlier = 0;
    while (r->record < record)
        KANON_CHECK(next_history_row(r, err));
    while (r->record == record) {
        KANON_CHECK(kanon__grow_array(&r->earlier, &r->capacity, 2 * r->n_earlier + 2, "traces", err));
        r->earlier[2 * r->n_earlier] = sqlite3_column_int64(r->rows, 1);
        r->earlier[2 * r->n_earlier + 1] = sqlite3_column_int64(r->rows, 2);
        r->n_earlier++;
        KANON_CHECK(next_history_row(r, err));
    }
    return KANON_OK;
}

/* One walk over records and departed, merged with one over the history: both by rising record. */
kanon_status kanon__memberships_visit(kanon_state *s, kanon__membership_visitor visitor, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *all = NULL;
    history_reader history = {.state = s};
    KANON_TRY(kanon__store_prepare(&s->store, &history.rows,
                                   "SELECT record, release, grp FROM membership_history ORDER BY record, release", err),
              out);
    KANON_TRY(kanon__store_prepare(&s->store, &all,
                                   "SELECT id, shown, since, -1 FROM records UNION ALL "
                                   "SELECT id, shown, since, until FROM departed_records ORDER BY 1",
                                   err),
              out);
    KANON_TRY(next_history_row(&history, err), out);
    while (kanon__store_next(&s->store, all, &st, err)) {
        kanon__membership m = {.record = sqlite3_column_int64(all, 0),
                               .group = sqlite3_column_int64(all, 1),
                               .since = sqlite3_column_int64(all, 2),
                               .until = sqlite3_column_int64(all, 3)};
        if (m.since != 0)
            KANON_TRY(read_history(&history, m.record, err), out);
        m.n_earlier = m.since != 0 ? history.n_earlier : 0;
        m.earlier = history.earlier;
        KANON_TRY(visitor(&m, payload, err), out);
    }
out:
    kanon__free(history.earlier);
    sqlite3_finalize(all);
    sqlite3_finalize(history.rows);
    return st;
}

kanon_status kanon__memberships_change(kanon_state *s, const kanon__membership_change *changes, int64_t n, int64_t release,
                                       kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *past = NULL, *now = NULL;
    KANON_TRY(kanon__store_prepare(&s->store, &past, "INSERT INTO membership_history VALUES(?, ?, ?)", err), out);
    KANON_TRY(kanon__store_prepare(&s->store, &now, "UPDATE records SET shown = ?, since = ? WHERE id = ?", err), out);
    for (int64_t i = 0; i < n; i++) {
        if (changes[i].old_since > 0) {
            sqlite3_bind_int64(past, 1, changes[i].record);
            sqlite3_bind_int64(past, 2, changes[i].old_since);
            sqlite3_bind_int64(past, 3, changes[i].old_group);
            KANON_TRY(kanon__store_step(&s->store, past, NULL, err), out);
        }
        sqlite3_bind_int64(now, 1, changes[i].group);
        sqlite3_bind_int64(now, 2, release);
        sqlite3_bind_int64(now, 3, changes[i].record);
        KANON_TRY(kanon__store_step(&s->store, now, NULL, err), out);
    }
out:
    sqlite3_finalize(now);
    sqlite3_finalize(past);
    return st;
}

/* ---- departed records -------------------------------------------------------------------------------------------- */

kanon_status kanon__departed_add(kanon_state *s, const kanon__record *record, const kanon__row *row, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint64_t *hashes = NULL;
    int n = kanon__row_n_hashes(s);
    KANON_TRY(kanon__new_array(&hashes, n, "sensitive values", err), out);
    kanon__row_sensitive_hashes(s, row->cells, hashes);
    if (s->add_departed == NULL)
        KANON_TRY(kanon__store_prepare(&s->store, &s->add_departed,
                                       "INSERT INTO departed_records VALUES(?, ?, ?, ?, ?)", err),
                  out);
    sqlite3_bind_int64(s->add_departed, 1, record->id);
    sqlite3_bind_int64(s->add_departed, 2, record->last_group);
    sqlite3_bind_int64(s->add_departed, 3, record->last_since);
    sqlite3_bind_int64(s->add_departed, 4, s->n_releases);
    sqlite3_bind_blob64(s->add_departed, 5, hashes, (uint64_t)n * sizeof *hashes, SQLITE_STATIC);
    KANON_TRY(kanon__store_step(&s->store, s->add_departed, NULL, err), out);
out:
    kanon__free(hashes);
    return st;
}

kanon_status kanon__departed_count(kanon_state *s, int64_t *out, kanon_error *err)
{
    return kanon__store_query_number(&s->store, out, "SELECT count(*) FROM departed_records", err);
}

kanon_status kanon__departed_visit(kanon_state *s, kanon__departed_visitor visitor, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *rows = NULL;
    size_t size = (size_t)kanon__row_n_hashes(s) * sizeof(uint64_t);
    KANON_TRY(kanon__store_prepare(&s->store, &rows, "SELECT id, hashes FROM departed_records ORDER BY id", err), out);
    while (kanon__store_next(&s->store, rows, &st, err)) {
        const void *hashes = sqlite3_column_blob(rows, 1);
        if ((size_t)sqlite3_column_bytes(rows, 1) != size)
            KANON_TRY(kanon__store_damaged(&s->store, "a record that is gone", err), out);
        KANON_TRY(visitor(sqlite3_column_int64(rows, 0), hashes, payload, err), out);
    }
out:
    sqlite3_finalize(rows);
    return st;
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

kanon_status kanon__command_rows_append(kanon_state *s, const char *command, const char *detail, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *put = NULL;
    KANON_TRY(kanon__store_prepare(&s->store, &put,
                                   "INSERT INTO history(time, command, records, groups, detail) VALUES(?, ?, ?, ?, ?)", err),
              out);
    sqlite3_bind_int64(put, 1, (int64_t)time(NULL));
    sqlite3_bind_text(put, 2, command, -1, SQLITE_STATIC);
    sqlite3_bind_int64(put, 3, s->n_records);
    sqlite3_bind_int64(put, 4, s->n_groups);
    sqlite3_bind_text(put, 5, detail, -1, SQLITE_STATIC);
    KANON_TRY(kanon__store_step(&s->store, put, NULL, err), out);
out:
    sqlite3_finalize(put);
    return st;
}

kanon_status kanon__command_rows_visit(kanon_state *s, kanon__command_visitor visitor, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *rows = NULL;
    KANON_TRY(kanon__store_prepare(&s->store, &rows, "SELECT * FROM history ORDER BY number", err), out);
    while (kanon__store_next(&s->store, rows, &st, err)) {
        kanon__command_entry entry = {.number = sqlite3_column_int64(rows, 0),
                                      .time = sqlite3_column_int64(rows, 1),
                                      .command = (const char *)sqlite3_column_text(rows, 2),
                                      .n_records = sqlite3_column_int64(rows, 3),
                                      .n_groups = sqlite3_column_int64(rows, 4),
                                      .detail = (const char *)sqlite3_column_text(rows, 5)};
        KANON_TRY(visitor(&entry, payload, err), out);
    }
out:
    sqlite3_finalize(rows);
    return st;
}
