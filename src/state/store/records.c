/* The table `records`, its index of key hashes, and the tallies of numbers.
 *
 * Key hashes. An index over a million hashes costs a random page per insert. So a new record has its hash in the small
 * table new_names, until these are more than 1000 and more than 1/64 of the records; then all of them move into
 * records.name at once, and with that into its index (file_names):
 *
 *     id      1 ............ first_unfiled-1 | first_unfiled ...... next_record-1
 *     hash    records.name, indexed          | new_names; records.name is NULL
 *
 * Tallies. How many records have each code of each attribute: the least and the greatest number are the attribute's
 * range, also after deletes, and a category without a record is forgotten (forget.c). Changes are collected in memory
 * and written once per number, when the ranges are asked for or the command ends (write_tallies). */
#include "state/store/records.h"

#include "core/alloc.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PUT, GET, REMOVE, FIND, VISIT, NAME, UNNAME, FIND_NEW, TALLIED, TALLY, FORGET, LEAST, GREATEST, N_STATEMENTS };

/* New hashes move to the others when there are more than both of these. */
enum { UNFILED_LEAST = 1000, RECORDS_PER_UNFILED = 64 };

static sqlite3_stmt *statement(kanon_state *s, int which)
{
    return s->statements[which];
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* "p0, p1, ..." or as many question marks. */
static kanon_status code_list(char **out, const kanon_state *s, bool marks, kanon_error *err)
{
    size_t size = (size_t)s->n_dimensions * 8 + 1, used = 0;
    kanon_status st = kanon__new_array(out, (int64_t)size, "a statement", err);
    for (int i = 0; st == KANON_OK && i < s->n_dimensions; i++)
        used += (size_t)(marks ? snprintf(*out + used, size - used, ", ?") : snprintf(*out + used, size - used, ", p%d", i));
    return st;
}

/* The list stands where the form has %s. */
static kanon_status prepare(kanon_state *s, int which, const char *form, const char *list, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *sql = NULL;
    size_t size = strlen(form) + strlen(list) + 1;
    KANON_TRY(kanon__new_array(&sql, (int64_t)size, "a statement", err), out);
    const char *hole = strstr(form, "%s");
    size_t before = hole != NULL ? (size_t)(hole - form) : strlen(form);
    snprintf(sql, size, "%.*s%s%s", (int)before, form, hole != NULL ? list : "", hole != NULL ? hole + 2 : "");
    KANON_TRY(kanon__store_prepare(&s->store, &s->statements[which], sql, err), out);
out:
    kanon__free(sql);
    return st;
}

kanon_status kanon__records_open(kanon_state *s, kanon_error *err)
{
    static const char *const forms[N_STATEMENTS] = {
        [PUT] = "INSERT OR REPLACE INTO records VALUES(?, ?, ?, ?, ?%s)",
        [GET] = "SELECT id, shown, since, cells%s FROM records WHERE id = ?",
        [REMOVE] = "DELETE FROM records WHERE id = ?",
        [FIND] = "SELECT id, shown, since, cells%s FROM records WHERE name = ? AND id > ? ORDER BY id",
        [NAME] = "INSERT OR REPLACE INTO new_names VALUES(?, ?)",
        [UNNAME] = "DELETE FROM new_names WHERE name = ? AND id = ?",
        [FIND_NEW] = "SELECT r.id, shown, since, cells%s FROM new_names n JOIN records r ON r.id = n.id "
                     "WHERE n.name = ? AND n.id > ? ORDER BY n.id",
        [VISIT] = "SELECT id, shown, since, cells%s FROM records ORDER BY id",
        [TALLIED] = "SELECT n FROM tallies WHERE dimension = ? AND code = ?",
        [TALLY] = "INSERT OR REPLACE INTO tallies VALUES(?, ?, ?)",
        [FORGET] = "DELETE FROM tallies WHERE dimension = ? AND code = ?",
        [LEAST] = "SELECT code FROM tallies WHERE dimension = ? ORDER BY code LIMIT 1",
        [GREATEST] = "SELECT code FROM tallies WHERE dimension = ? ORDER BY code DESC LIMIT 1",
    };
    kanon_status st = KANON_OK;
    char *marks = NULL, *codes = NULL;
    KANON_TRY(code_list(&marks, s, true, err), out);
    KANON_TRY(code_list(&codes, s, false, err), out);
    for (int i = 0; i < N_STATEMENTS; i++)
        KANON_TRY(prepare(s, i, forms[i], i == PUT ? marks : codes, err), out);
out:
    kanon__free(codes);
    kanon__free(marks);
    return st;
}

void kanon__records_close(kanon_state *s)
{
    for (int i = 0; i < N_STATEMENTS; i++) {
        sqlite3_finalize(s->statements[i]);
        s->statements[i] = NULL;
    }
    sqlite3_finalize(s->add_departed);
    s->add_departed = NULL;
    kanon__free(s->tallies);
    s->tallies = NULL;
    s->n_tallies = s->tallies_capacity = 0;
}

kanon_status kanon__records_index(kanon_state *s, kanon_error *err)
{
    return kanon__store_index(&s->store, KANON__NAMES_SQL, err);
}

/* ---- one record -------------------------------------------------------------------------------------------------- */

/* Add or remove the name of a new record. */
static kanon_status set_new_name(kanon_state *s, int which, int64_t id, int64_t name, kanon_error *err)
{
    sqlite3_bind_int64(statement(s, which), 1, name);
    sqlite3_bind_int64(statement(s, which), 2, id);
    return kanon__store_step(&s->store, statement(s, which), NULL, err);
}

kanon_status kanon__record_put(kanon_state *s, const kanon__record *record, const kanon__row *row, const int64_t *codes,
                               kanon_error *err)
{
    sqlite3_stmt *put = statement(s, PUT);
    int64_t name = (int64_t)kanon__row_name(s, row->cells);
    sqlite3_bind_int64(put, 1, record->id);
    if (record->id < s->first_unfiled)
        sqlite3_bind_int64(put, 2, name);
    else
        sqlite3_bind_null(put, 2);
    sqlite3_bind_int64(put, 3, record->last_group);
    sqlite3_bind_int64(put, 4, record->last_since);
    sqlite3_bind_blob64(put, 5, row->bytes, (uint64_t)row->n_bytes, SQLITE_STATIC);
    for (int i = 0; i < s->n_dimensions; i++) {
        if (codes[i] == KANON__NULL_CODE)
            sqlite3_bind_null(put, 6 + i);
        else
            sqlite3_bind_int64(put, 6 + i, codes[i]);
    }
    kanon_status st = kanon__store_step(&s->store, put, NULL, err);
    return st == KANON_OK && record->id >= s->first_unfiled ? set_new_name(s, NAME, record->id, name, err) : st;
}

kanon_status kanon__row_take(kanon_state *s, kanon__row *row, const char *cells, size_t size, kanon_error *err)
{
    KANON_CHECK(kanon__grow_array(&row->bytes, &row->bytes_capacity, (int64_t)size + 1, "a record", err));
    if (size > 0)
        memcpy(row->bytes, cells, size);
    row->n_bytes = (int64_t)size;
    return kanon__row_unpack(s, row) ? KANON_OK : kanon__store_damaged(&s->store, "a record", err);
}

/* The codes of a row of GET, FIND or VISIT; false where one cannot be. */
static bool take_codes(kanon_state *s, sqlite3_stmt *row, int64_t *codes)
{
    for (int i = 0; i < s->n_dimensions; i++) {
        int type = sqlite3_column_type(row, 4 + i);
        codes[i] = type == SQLITE_NULL ? KANON__NULL_CODE : sqlite3_column_int64(row, 4 + i);
        if ((type != SQLITE_INTEGER && type != SQLITE_NULL) || !kanon__code_is_known(&s->space->dimensions[i], codes[i]))
            return false;
    }
    return true;
}

static kanon__record take_record(sqlite3_stmt *row)
{
    return (kanon__record){sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2)};
}

kanon_status kanon__record_get(kanon_state *s, kanon__record *out, int64_t id, kanon__row *row, int64_t *codes,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *get = statement(s, GET);
    bool found;
    sqlite3_bind_int64(get, 1, id);
    KANON_TRY(kanon__store_step(&s->store, get, &found, err), out);
    if (!found || (codes != NULL && !take_codes(s, get, codes)))
        KANON_TRY(kanon__store_damaged(&s->store, "a record", err), out);
    if (out != NULL)
        *out = take_record(get);
    if (row != NULL) {
        const char *cells = sqlite3_column_blob(get, 3);
        KANON_TRY(kanon__row_take(s, row, cells, (size_t)sqlite3_column_bytes(get, 3), err), out);
    }
out:
    sqlite3_reset(get);
    return st;
}

static kanon_status remove_new_name(kanon_state *s, int64_t id, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__row row = {0};
    KANON_TRY(kanon__row_init(&row, s, err), out);
    KANON_TRY(kanon__record_get(s, NULL, id, &row, NULL, err), out);
    KANON_TRY(set_new_name(s, UNNAME, id, (int64_t)kanon__row_name(s, row.cells), err), out);
out:
    kanon__row_clear(&row);
    return st;
}

kanon_status kanon__record_remove(kanon_state *s, int64_t id, kanon_error *err)
{
    if (id >= s->first_unfiled)
        KANON_CHECK(remove_new_name(s, id, err));
    sqlite3_bind_int64(statement(s, REMOVE), 1, id);
    return kanon__store_step(&s->store, statement(s, REMOVE), NULL, err);
}

/* The lowest record above `after` whose hash is that of the cells, and whose key cells are equal, too. */
static kanon_status find_with(kanon_state *s, int which, kanon__record *out, int64_t after, const kanon__cell *cells,
                              kanon__row *scratch, int64_t *codes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *find = statement(s, which);
    sqlite3_bind_int64(find, 1, (int64_t)kanon__row_name(s, cells));
    sqlite3_bind_int64(find, 2, after);
    while (kanon__store_next(&s->store, find, &st, err)) {
        const char *bytes = sqlite3_column_blob(find, 3);
        KANON_TRY(kanon__row_take(s, scratch, bytes, (size_t)sqlite3_column_bytes(find, 3), err), out);
        if (!kanon__rows_have_same_name(s, cells, scratch->cells))
            continue;
        *out = take_record(find);
        if (codes != NULL && !take_codes(s, find, codes))
            st = kanon__store_damaged(&s->store, "a record", err);
        break;
    }
out:
    sqlite3_reset(find);
    return st;
}

/* New records have higher numbers than all others, so new_names is searched last. */
kanon_status kanon__record_find(kanon_state *s, kanon__record *out, int64_t after, const kanon__cell *cells,
                                kanon__row *scratch, int64_t *codes, kanon_error *err)
{
    *out = (kanon__record){0};
    kanon_status st = find_with(s, FIND, out, after, cells, scratch, codes, err);
    if (st == KANON_OK && out->id == 0 && s->first_unfiled < s->next_record)
        st = find_with(s, FIND_NEW, out, after, cells, scratch, codes, err);
    return st;
}

/* Moves all new hashes into `records`, and so into its index. */
static kanon_status file_names(kanon_state *s, kanon_error *err)
{
    KANON_CHECK(kanon__store_run(&s->store,
                                 "UPDATE records SET name = n.name FROM new_names n WHERE records.id = n.id;"
                                 "DELETE FROM new_names",
                                 err));
    s->first_unfiled = s->next_record;
    return KANON_OK;
}

kanon_status kanon__records_visit(kanon_state *s, kanon__record_visitor visitor, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *visit = statement(s, VISIT);
    int64_t *codes = NULL;
    KANON_TRY(kanon__new_array(&codes, s->n_dimensions, "a record", err), out);
    while (kanon__store_next(&s->store, visit, &st, err)) {
        kanon__record record = take_record(visit);
        const char *cells = sqlite3_column_blob(visit, 3);
        if (!take_codes(s, visit, codes))
            KANON_TRY(kanon__store_damaged(&s->store, "a record", err), out);
        KANON_TRY(visitor(&record, cells != NULL ? cells : "", (size_t)sqlite3_column_bytes(visit, 3), codes, payload, err),
                  out);
    }
out:
    sqlite3_reset(visit);
    kanon__free(codes);
    return st;
}

kanon_status kanon__records_list(kanon_state *s, kanon__record_lister lister, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *rows = NULL;
    KANON_TRY(kanon__store_prepare(&s->store, &rows, "SELECT id, shown, since FROM records ORDER BY id", err), out);
    while (kanon__store_next(&s->store, rows, &st, err)) {
        kanon__record record = take_record(rows);
        KANON_TRY(lister(&record, payload, err), out);
    }
out:
    sqlite3_finalize(rows);
    return st;
}

kanon_status kanon__names_fingerprint(kanon_state *s, uint64_t *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *names = NULL;
    *out = 0;
    KANON_TRY(kanon__store_prepare(
                  &s->store, &names,
                  "SELECT id, name FROM records WHERE name IS NOT NULL UNION ALL SELECT id, name FROM new_names", err),
              out);
    while (kanon__store_next(&s->store, names, &st, err))
        *out += kanon__name_fingerprint(sqlite3_column_int64(names, 0), (uint64_t)sqlite3_column_int64(names, 1));
out:
    sqlite3_finalize(names);
    return st;
}

/* Hashes that occur twice are few, so the cells of their records are compared one by one. */
kanon_status kanon__records_find_duplicate(kanon_state *s, int64_t *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *twice = NULL;
    kanon__row row = {0}, other = {0};
    kanon__record second = {0};
    *out = 0;
    KANON_TRY(kanon__row_init(&row, s, err), out);
    KANON_TRY(kanon__row_init(&other, s, err), out);
    KANON_TRY(kanon__store_prepare(&s->store, &twice,
                                   "SELECT min(id) FROM records WHERE name IS NOT NULL GROUP BY name HAVING count(*) > 1",
                                   err),
              out);
    while (second.id == 0 && kanon__store_next(&s->store, twice, &st, err)) {
        int64_t first = sqlite3_column_int64(twice, 0);
        KANON_TRY(kanon__record_get(s, NULL, first, &row, NULL, err), out);
        KANON_TRY(kanon__record_find(s, &second, first, row.cells, &other, NULL, err), out);
    }
    *out = second.id;
out:
    sqlite3_finalize(twice);
    kanon__row_clear(&other);
    kanon__row_clear(&row);
    return st;
}

/* ---- tallies ----------------------------------------------------------------------------------------------------- */

kanon_status kanon__records_tally(kanon_state *s, const int64_t *codes, int change, kanon_error *err)
{
    KANON_CHECK(kanon__grow_array(&s->tallies, &s->tallies_capacity, s->n_tallies + s->n_dimensions, "tallies", err));
    for (int i = 0; i < s->n_dimensions; i++)
        if (codes[i] != KANON__NULL_CODE)
            s->tallies[s->n_tallies++] = (kanon__number_tally){i, codes[i], change};
    return KANON_OK;
}

kanon_status kanon__records_put_tally(kanon_state *s, int dimension, int64_t code, int64_t n, kanon_error *err)
{
    sqlite3_stmt *put = statement(s, TALLY);
    sqlite3_bind_int64(put, 1, dimension);
    sqlite3_bind_int64(put, 2, code);
    sqlite3_bind_int64(put, 3, n);
    return kanon__store_step(&s->store, put, NULL, err);
}

static int by_code(const void *left, const void *right)
{
    const kanon__number_tally *a = left, *b = right;
    if (a->dimension != b->dimension)
        return a->dimension < b->dimension ? -1 : 1;
    return a->code < b->code ? -1 : a->code > b->code;
}

/* A tally that comes to 0 is deleted: ranges are read from the ends of what is there. */
static kanon_status write_tally(kanon_state *s, const kanon__number_tally *t, kanon_error *err)
{
    sqlite3_stmt *ask = statement(s, TALLIED);
    bool found;
    int64_t n = 0;
    sqlite3_bind_int64(ask, 1, t->dimension);
    sqlite3_bind_int64(ask, 2, t->code);
    KANON_CHECK(kanon__store_step(&s->store, ask, &found, err));
    if (found)
        n = sqlite3_column_int64(ask, 0);
    sqlite3_reset(ask);
    if (n < 0 || __builtin_add_overflow(n, t->change, &n) || n < 0)
        return kanon__store_damaged(&s->store, "its tallies", err);
    sqlite3_stmt *write = statement(s, n > 0 ? TALLY : FORGET);
    sqlite3_bind_int64(write, 1, t->dimension);
    sqlite3_bind_int64(write, 2, t->code);
    if (n > 0)
        sqlite3_bind_int64(write, 3, n);
    return kanon__store_step(&s->store, write, NULL, err);
}

/* Sorts the changes by number and adds them up, so that a number which many records have is written once. */
static kanon_status write_tallies(kanon_state *s, kanon_error *err)
{
    if (s->n_tallies > 0)
        qsort(s->tallies, (size_t)s->n_tallies, sizeof *s->tallies, by_code);
    for (int64_t i = 0; i < s->n_tallies;) {
        kanon__number_tally sum = s->tallies[i++];
        for (; i < s->n_tallies && by_code(&sum, &s->tallies[i]) == 0; i++)
            sum.change += s->tallies[i].change;
        if (sum.change != 0)
            KANON_CHECK(write_tally(s, &sum, err));
    }
    s->n_tallies = 0;
    return KANON_OK;
}

kanon_status kanon__records_save(kanon_state *s, kanon_error *err)
{
    int64_t most = s->n_records / RECORDS_PER_UNFILED;
    KANON_CHECK(write_tallies(s, err));
    if (s->next_record - s->first_unfiled > (most > UNFILED_LEAST ? most : UNFILED_LEAST))
        KANON_CHECK(file_names(s, err));
    return KANON_OK;
}

/* The range of a number; lo > hi where no record has one. */
static kanon_status read_range(kanon_state *s, int dimension, int64_t *lo, int64_t *hi, kanon_error *err)
{
    bool found = false;
    int64_t width;
    *lo = 1;
    *hi = 0;
    for (int end = 0; end < 2; end++) {
        sqlite3_stmt *ask = statement(s, end == 0 ? LEAST : GREATEST);
        sqlite3_bind_int(ask, 1, dimension);
        KANON_CHECK(kanon__store_step(&s->store, ask, &found, err));
        if (found)
            *(end == 0 ? lo : hi) = sqlite3_column_int64(ask, 0);
        sqlite3_reset(ask);
    }
    if (found && (*lo > *hi || *hi == KANON__NULL_CODE || __builtin_sub_overflow(*hi, *lo, &width)))
        return kanon__store_damaged(&s->store, "its tallies", err);
    return KANON_OK;
}

/* Where no range has changed the units stay, and with them the coordinates of all nodes in memory. */
kanon_status kanon__ranges_read(kanon_state *s, kanon_error *err)
{
    bool changed = !s->space->measured;
    KANON_CHECK(write_tallies(s, err));
    for (int i = 0; i < s->n_dimensions; i++) {
        kanon__current_dimension *d = &s->space->dimensions[i];
        int64_t lo, hi;
        if (!d->numeric)
            continue;
        KANON_CHECK(read_range(s, i, &lo, &hi, err));
        changed = changed || lo != d->lo || hi != d->hi;
        d->lo = lo;
        d->hi = hi;
    }
    if (changed)
        kanon__current_space_measure(s->space);
    return KANON_OK;
}

/* ---- more digits ------------------------------------------------------------------------------------------------- */

kanon_status kanon__records_rescale(kanon_state *s, int column, int scale, kanon_error *err)
{
    kanon__state_column *c = &s->columns[column];
    char sql[512];
    long long factor = 1;
    for (int step = c->scale; step < scale; step++)
        factor *= 10;
    snprintf(sql, sizeof sql, "UPDATE records SET p%d = p%d * %lld", c->dimension, c->dimension, factor);
    KANON_CHECK(kanon__store_run(&s->store, sql, err));
    /* first under a negative dimension: a rescaled tally could meet one that is not rescaled yet */
    snprintf(sql, sizeof sql, "UPDATE tallies SET dimension = %d, code = code * %lld WHERE dimension = %d",
             -1 - c->dimension, factor, c->dimension);
    KANON_CHECK(kanon__store_run(&s->store, sql, err));
    snprintf(sql, sizeof sql, "UPDATE tallies SET dimension = %d WHERE dimension = %d", c->dimension, -1 - c->dimension);
    KANON_CHECK(kanon__store_run(&s->store, sql, err));
    snprintf(sql, sizeof sql, "UPDATE columns SET scale = %d WHERE number = %d", scale, column);
    KANON_CHECK(kanon__store_run(&s->store, sql, err));
    c->scale = scale;
    return KANON_OK;
}
