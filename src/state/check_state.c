/* Whether everything in a state fits together: pages, tables, records, groups, index. */
#include "state/check_state.h"
#include "core/alloc.h"
#include "state/page_check.h"
#include "state/wishes.h"
#include "table/tree_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* Free pages, too, which SQLite would not read. */
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

static kanon_status check_tables(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *check = NULL;
    bool row;
    KANON_TRY(kanon__store_prepare(&s->store, &check, "PRAGMA integrity_check(1)", err), out);
    KANON_TRY(kanon__store_step(&s->store, check, &row, err), out);
    const char *text = row ? (const char *)sqlite3_column_text(check, 0) : NULL;
    if (text == NULL || strcmp(text, "ok") != 0)
        st = kanon__store_damaged(&s->store, "its tables", err);
out:
    sqlite3_finalize(check);
    return st;
}

static kanon_status expect_none(kanon_state *s, const char *sql, const char *where, kanon_error *err)
{
    int64_t n = 0;
    kanon_status st = kanon__store_number(&s->store, &n, sql, err);
    return st == KANON_OK && n != 0 ? kanon__store_damaged(&s->store, where, err) : st;
}

static kanon_status check_tallies(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char sql[512];
    for (int i = 0; i < s->n_dimensions && st == KANON_OK; i++) {
        if (!s->space->dimensions[i].numeric)
            continue;
        snprintf(
            sql, sizeof sql,
            "SELECT count(*) FROM (SELECT place, sum(n) AS total FROM (SELECT place, n FROM tallies WHERE dimension = %d "
            "UNION ALL SELECT p%d, -1 FROM records WHERE p%d IS NOT NULL) GROUP BY place) WHERE total != 0",
            i, i, i);
        st = expect_none(s, sql, "its tallies", err);
    }
    return st;
}

/* Records from first_unfiled on, and only they, have their names in new_names. */
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

/* ---- records and groups ------------------------------------------------------------------------------------------ */

typedef struct comparing {
    kanon_state *state;
    sqlite3_stmt *noted; /* whether a record is noted as an entity's */
    const kanon__whole *whole;
    kanon__cell_reader reader;
    kanon__row row;
    int64_t at;
    int64_t *numbers; /* of the groups, ascending */
    int64_t n_groups;
    int64_t *sizes, *boxes; /* by place in `numbers`, of the records; sizes go down as groups are seen */
    uint64_t *prints;       /* sums of what tells records and their places apart */
} comparing;

static int by_value(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static int64_t place_of_group(const comparing *c, int64_t number)
{
    const int64_t *found = bsearch(&number, c->numbers, (size_t)c->n_groups, sizeof number, by_value);
    return found != NULL ? found - c->numbers : -1;
}

static uint64_t print_of(int64_t record, const int64_t *places, int m)
{
    uint64_t print = (uint64_t)record;
    for (int i = 0; i <= m; i++) {
        print = (print ^ print >> 31) * UINT64_C(0x9e3779b97f4a7c15);
        print += i < m ? (uint64_t)places[i] : 0;
    }
    return print;
}

static void enclose(comparing *c, int64_t group, int64_t record, const int64_t *places)
{
    int m = c->state->n_dimensions;
    c->prints[group] += print_of(record, places, m);
    int64_t *box = c->boxes + group * 2 * m;
    for (int d = 0; d < m; d++) {
        const kanon__dimension_now *dimension = &c->state->space->dimensions[d];
        if (c->sizes[group] == 0 || kanon__place_before(dimension, places[d], box[2 * d]))
            box[2 * d] = places[d];
        if (c->sizes[group] == 0 || kanon__place_before(dimension, box[2 * d + 1], places[d]))
            box[2 * d + 1] = places[d];
    }
    c->sizes[group]++;
}

/* Where entities stay together, each record is noted under its own. */
static kanon_status check_person(comparing *c, int64_t record, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool found = false;
    if (!kanon__wishes_together(c->state))
        return KANON_OK;
    sqlite3_bind_int64(c->noted, 1, (int64_t)kanon__row_person(c->state, c->row.cells));
    sqlite3_bind_int64(c->noted, 2, record);
    KANON_TRY(kanon__store_step(&c->state->store, c->noted, &found, err), out);
    if (!found)
        st = kanon__store_damaged(&c->state->store, "its entities", err);
out:
    sqlite3_reset(c->noted);
    return st;
}

/* The places are those of the cells. */
static kanon_status compare_record(const kanon__record *record, const char *cells, size_t size, const int64_t *places,
                                   void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    comparing *c = payload;
    kanon_state *s = c->state;
    int64_t row = c->at++;
    if (row >= c->whole->n || c->whole->ids[row] != record->id || record->id >= s->next_record)
        return kanon__store_damaged(&s->store, "a record", err);
    KANON_TRY(kanon__grow_array(&c->row.bytes, &c->row.bytes_capacity, (int64_t)size + 1, "a record", err), out);
    memcpy(c->row.bytes, cells, size);
    c->row.n_bytes = (int64_t)size;
    bool good = kanon__row_unpack(s, &c->row);
    for (int i = 0; good && i < s->n_columns; i++) {
        const kanon__state_column *column = &s->columns[i];
        const char *why, *hint;
        int64_t place;
        int scale = column->scale;
        if (column->dimension < 0)
            continue;
        int32_t n_nodes = column->tree != NULL ? column->tree->n_nodes : 0;
        KANON_TRY(kanon__cell_place(&c->reader, i, &c->row.cells[i], &place, &scale, &why, &hint, err), out);
        good = why == NULL && place == places[column->dimension] && scale == column->scale &&
               (column->tree == NULL || column->tree->n_nodes == n_nodes);
    }
    if (!good) {
        st = kanon__store_damaged(&s->store, "a record", err);
        goto out;
    }
    KANON_TRY(check_person(c, record->id, err), out);
    int64_t group = c->whole->groups[row];
    if (group > 0)
        enclose(c, place_of_group(c, group), record->id, places);
out:
    return st;
}

static kanon_status compare_leaf(const kanon__node *leaf, void *payload, kanon_error *err)
{
    comparing *c = payload;
    int m = c->state->n_dimensions;
    for (int slot = 0; slot < leaf->n; slot++) {
        int64_t group = place_of_group(c, leaf->keys[slot]);
        bool good = group >= 0 && c->sizes[group] == leaf->sizes[slot] && leaf->sizes[slot] >= c->state->k;
        for (int i = 0; good && i < 2 * m; i++)
            good = c->boxes[group * 2 * m + i] == kanon__group_edge(leaf, slot, i / 2, i % 2);
        for (int64_t i = leaf->begins[slot]; good && i < leaf->begins[slot + 1]; i++)
            c->prints[group] -= print_of(leaf->members[i], leaf->member_places + i * m, m);
        if (!good || c->prints[group] != 0)
            return kanon__store_damaged(&c->state->store, "a group", err);
        c->sizes[group] = -1; /* each number once */
    }
    return KANON_OK;
}

static kanon_status list_groups(comparing *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&c->numbers, c->whole->n, "groups", err), out);
    memcpy(c->numbers, c->whole->groups, (size_t)c->whole->n * sizeof *c->numbers);
    qsort(c->numbers, (size_t)c->whole->n, sizeof *c->numbers, by_value);
    for (int64_t i = 0; i < c->whole->n; i++)
        if (c->numbers[i] > 0 && (c->n_groups == 0 || c->numbers[i] != c->numbers[c->n_groups - 1]))
            c->numbers[c->n_groups++] = c->numbers[i];
    KANON_TRY(kanon__new_array(&c->sizes, c->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&c->prints, c->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&c->boxes, c->n_groups * 2 * c->state->n_dimensions, "groups", err), out);
    if (c->n_groups != c->state->n_groups)
        st = kanon__store_damaged(&c->state->store, "its groups are not as many as it says", err);
out:
    return st;
}

static kanon_status check_groups(kanon_state *s, const kanon__whole *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    comparing c = {.state = s, .whole = whole, .reader = {.state = s}};
    KANON_TRY(kanon__row_init(&c.row, s, err), out);
    KANON_TRY(list_groups(&c, err), out);
    KANON_TRY(kanon__store_prepare(&s->store, &c.noted, "SELECT 1 FROM persons WHERE entity = ? AND record = ?", err), out);
    KANON_TRY(kanon__records_visit(s, compare_record, &c, err), out);
    KANON_TRY(kanon__group_index_visit(s->index, compare_leaf, &c, err), out);
    KANON_TRY(kanon__group_index_check(s->index, err), out);
out:
    sqlite3_finalize(c.noted);
    kanon__free(c.boxes);
    kanon__free(c.prints);
    kanon__free(c.sizes);
    kanon__free(c.numbers);
    kanon__row_clear(&c.row);
    kanon__cell_reader_clear(&c.reader);
    return st;
}

kanon_status kanon__state_check(kanon_state *s, const kanon__whole *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char sql[256];
    KANON_TRY(check_pages(s, err), out);
    KANON_TRY(check_tables(s, err), out);
    KANON_TRY(check_tallies(s, err), out);
    KANON_TRY(check_names(s, err), out);
    KANON_TRY(check_groups(s, whole, err), out);
    snprintf(sql, sizeof sql, "SELECT count(*) != %lld FROM persons",
             kanon__wishes_together(s) ? (long long)s->n_records : 0LL);
    KANON_TRY(expect_none(s, sql, "its entities", err), out);
    snprintf(sql, sizeof sql, "SELECT count(*) != %lld OR max(number) != %lld FROM releases", (long long)s->n_releases,
             (long long)s->n_releases);
    KANON_TRY(expect_none(s, sql, "its releases", err), out);
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM (SELECT since FROM records UNION ALL SELECT since FROM departed UNION ALL "
             "SELECT release FROM spells) WHERE since < 0 OR since > %lld",
             (long long)s->n_releases);
    KANON_TRY(expect_none(s, sql, "its releases", err), out);
out:
    return st;
}
