/* The catalog: what is in the file besides records, groups and releases, read when a command begins.
 *
 *     tables           exactly those that this version creates; any other, or a trigger, means damage
 *     meta             settings that never change (meta_fixed) and counters that each command writes (meta_counters); the
 *                      names in the file are the field names of struct kanon_state
 *     missing, columns, trees
 *     requirements     by state_requirements.c
 *
 * Every number that is read is checked against its range before it is used, so that the rest of src/state can trust
 * it. */
#include "core/alloc.h"
#include "core/context.h"
#include "state/store/forget.h"
#include "state/store/old_format.h"
#include "state/store/state_requirements.h"
#include "table/domain/domain.h"
#include "table/schema/tree_internal.h"
#include "table/value/number.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

bool kanon__state_numeric(const kanon__state_column *column)
{
    return kanon__type_is_numeric(column->type);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

enum { RECORDS = 15, TABLES = 16, NAMES = 16, DIMENSIONS_MOST = 900 };

/* The statements that create the tables, and last the index; `before`: how format 5 did (old_format.h), where that
 * differs. These names are in quotes, as SQLite writes the name of a table that was renamed. */
static const struct {
    const char *now, *before;
} texts[TABLES + 1] = {
    {"CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID", NULL},
    {"CREATE TABLE missing(number INTEGER PRIMARY KEY, text BLOB)", NULL},
    {"CREATE TABLE columns(number INTEGER PRIMARY KEY, name BLOB, role, type, weight, growth, scale, key, missing, flat, "
     "given, format, bands, top, bottom)",
     NULL},
    {"CREATE TABLE trees(col, node, parent, label BLOB, PRIMARY KEY(col, node)) WITHOUT ROWID", NULL},
    {"CREATE TABLE tallies(dimension, code, n, PRIMARY KEY(dimension, code)) WITHOUT ROWID",
     "CREATE TABLE tallies(dimension, place, n, PRIMARY KEY(dimension, place)) WITHOUT ROWID"},
    {"CREATE TABLE new_names(name, id, PRIMARY KEY(name, id)) WITHOUT ROWID", NULL},
    {"CREATE TABLE \"node_pages\"(id INTEGER PRIMARY KEY, entries BLOB)",
     "CREATE TABLE nodes(id INTEGER PRIMARY KEY, entries BLOB)"},
    {"CREATE TABLE \"member_pages\"(id INTEGER PRIMARY KEY, entries BLOB)",
     "CREATE TABLE crowds(id INTEGER PRIMARY KEY, entries BLOB)"},
    {"CREATE TABLE \"log_parts\"(number INTEGER PRIMARY KEY, entries BLOB)",
     "CREATE TABLE changes(number INTEGER PRIMARY KEY, entries BLOB)"},
    {"CREATE TABLE releases(number INTEGER PRIMARY KEY, time, sha256, records, groups, suppressed, withheld, k, loss, "
     "joint)",
     NULL},
    {"CREATE TABLE \"membership_history\"(record, release, grp, PRIMARY KEY(record, release)) WITHOUT ROWID",
     "CREATE TABLE spells(record, release, grp, PRIMARY KEY(record, release)) WITHOUT ROWID"},
    {"CREATE TABLE \"departed_records\"(id INTEGER PRIMARY KEY, shown, since, until, hashes BLOB)",
     "CREATE TABLE departed(id INTEGER PRIMARY KEY, shown, since, until, secrets BLOB)"},
    {"CREATE TABLE history(number INTEGER PRIMARY KEY, time, command, records, groups, detail)", NULL},
    {"CREATE TABLE \"requirements\"(number, name, value BLOB, PRIMARY KEY(number, name)) WITHOUT ROWID",
     "CREATE TABLE wishes(number, name, value BLOB, PRIMARY KEY(number, name)) WITHOUT ROWID"},
    {"CREATE TABLE \"entity_index\"(entity, record, PRIMARY KEY(entity, record)) WITHOUT ROWID",
     "CREATE TABLE persons(entity, record, PRIMARY KEY(entity, record)) WITHOUT ROWID"},
    [RECORDS] = {"CREATE TABLE records(id INTEGER PRIMARY KEY, name, shown, since, cells BLOB", NULL},
    [NAMES] = {KANON__NAMES_SQL, NULL},
};

/* Statement i, letter by letter as sqlite_schema keeps it: check_tables compares the texts. `records` has a column for each
 * code. */
static kanon_status table_text(char **out, const kanon_state *s, int i, kanon_error *err)
{
    bool old = s->store.version < KANON__STATE_VERSION && texts[i].before != NULL;
    const char *text = old ? texts[i].before : texts[i].now;
    size_t size = strlen(text) + 8 * (size_t)s->n_dimensions + 8;
    KANON_CHECK(kanon__new_array(out, (int64_t)size, "a statement", err));
    size_t used = (size_t)snprintf(*out, size, "%s", text);
    if (i != RECORDS)
        return KANON_OK;
    for (int d = 0; d < s->n_dimensions; d++)
        used += (size_t)snprintf(*out + used, size - used, ", p%d", d);
    snprintf(*out + used, size - used, ")");
    return KANON_OK;
}

kanon_status kanon__catalog_create(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *sql = NULL;
    if (s->n_dimensions > DIMENSIONS_MOST)
        return kanon__fail(err, KANON_EINVAL, "a state has at most %d quasi-identifiers", DIMENSIONS_MOST);
    for (int i = 0; i < TABLES; i++) {
        KANON_TRY(table_text(&sql, s, i, err), out);
        KANON_TRY(kanon__store_run(&s->store, sql, err), out);
        kanon__free(sql);
        sql = NULL;
    }
out:
    kanon__free(sql);
    return st;
}

/* A file with other tables than these, or with a trigger, was not written by this program. */
static kanon_status check_tables(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *find = NULL;
    char *sql = NULL;
    bool row;
    int64_t n = 0;
    KANON_TRY(kanon__store_query_number(&s->store, &n, "SELECT count(*) FROM sqlite_schema WHERE sql IS NOT NULL", err),
              out);
    KANON_TRY(kanon__store_prepare(&s->store, &find, "SELECT 1 FROM sqlite_schema WHERE sql = ?", err), out);
    for (int i = 0; i <= TABLES; i++) {
        KANON_TRY(table_text(&sql, s, i, err), out);
        sqlite3_bind_text(find, 1, sql, -1, SQLITE_STATIC);
        KANON_TRY(kanon__store_step(&s->store, find, &row, err), out);
        sqlite3_reset(find);
        kanon__free(sql);
        sql = NULL;
        if (!row || n != TABLES + 1)
            KANON_TRY(kanon__store_damaged(&s->store, "its tables", err), out);
    }
out:
    kanon__free(sql);
    sqlite3_finalize(find);
    return st;
}

/* ---- meta -------------------------------------------------------------------------------------------------------- */

/* A number of `meta`: the field of kanon_state that it is read into, and its range. */
typedef struct meta_number {
    const char *name;
    size_t offset;
    int64_t min, max;
} meta_number;

#define NUMBER(field, least, most)                                                                                          \
    {                                                                                                                       \
#field, offsetof(kanon_state, field), least, most                                                                   \
    }

static const meta_number meta_fixed[] = {
    NUMBER(k, 2, INT32_MAX),
    NUMBER(blocks, 0, INT64_MAX),
    NUMBER(revision, 0, UINT32_MAX),
};
static const meta_number meta_counters[] = {
    NUMBER(n_records, 0, KANON__NULL_CODE - 1),
    NUMBER(n_groups, 0, KANON__NULL_CODE - 1),
    NUMBER(n_suppressed, 0, KANON__NULL_CODE - 1),
    NUMBER(next_record, 1, KANON__NULL_CODE - 1),
    NUMBER(next_group, 1, KANON__NULL_CODE - 1),
    NUMBER(first_unfiled, 1, KANON__NULL_CODE - 1),
    NUMBER(next_change, 1, KANON__NULL_CODE - 1),
    NUMBER(n_releases, 0, INT32_MAX),
    NUMBER(root, 0, INT32_MAX),
    NUMBER(worth, 0, INT64_C(1) << 40),
};
/* Stands apart: states of 0.1.0 do not have it, and it is never changed. */
static const meta_number meta_joint_k = NUMBER(joint_k, KANON_JOINT_K_OFF, INT64_MAX);
enum { N_FIXED = sizeof meta_fixed / sizeof *meta_fixed, N_COUNTERS = sizeof meta_counters / sizeof *meta_counters };

static kanon_status put_numbers(kanon_state *s, sqlite3_stmt *put, const meta_number *numbers, int n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; i < n && st == KANON_OK; i++) {
        sqlite3_bind_text(put, 1, numbers[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_int64(put, 2, *(const int64_t *)((const char *)s + numbers[i].offset));
        st = kanon__store_step(&s->store, put, NULL, err);
    }
    return st;
}

static kanon_status put_text(kanon_state *s, sqlite3_stmt *put, const char *name, const char *text, kanon_error *err)
{
    sqlite3_bind_text(put, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(put, 2, text, -1, SQLITE_STATIC); /* NULL: no text */
    return kanon__store_step(&s->store, put, NULL, err);
}

/* Bytes that are no text; NULL: there are none. */
static kanon_status put_bytes(kanon_state *s, sqlite3_stmt *put, const char *name, const void *bytes, int size,
                              kanon_error *err)
{
    sqlite3_bind_text(put, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_blob(put, 2, bytes, size, SQLITE_STATIC);
    return kanon__store_step(&s->store, put, NULL, err);
}

static kanon_status put_last_delta(kanon_state *s, sqlite3_stmt *put, kanon_error *err)
{
    return put_bytes(s, put, "last_delta", s->has_last_delta ? s->last_delta : NULL, sizeof s->last_delta, err);
}

static kanon_status save_meta(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *put = NULL;
    char form[2] = {s->delimiter, '\0'}, seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)s->seed);
    KANON_TRY(kanon__store_prepare(&s->store, &put, "INSERT OR REPLACE INTO meta VALUES(?, ?)", err), out);
    KANON_TRY(put_numbers(s, put, meta_fixed, N_FIXED, err), out);
    KANON_TRY(put_numbers(s, put, meta_counters, N_COUNTERS, err), out);
    KANON_TRY(put_numbers(s, put, &meta_joint_k, 1, err), out);
    KANON_TRY(put_text(s, put, "algorithm", s->algorithm, err), out);
    KANON_TRY(put_text(s, put, "settings", s->settings, err), out);
    KANON_TRY(put_text(s, put, "refinement", s->refinement, err), out);
    KANON_TRY(put_text(s, put, "program", s->program, err), out);
    KANON_TRY(put_text(s, put, "seed", seed, err), out);
    KANON_TRY(put_text(s, put, "delimiter", form, err), out);
    KANON_TRY(put_text(s, put, "line_end", s->crlf ? "\r\n" : "\n", err), out);
    KANON_TRY(put_bytes(s, put, "secret", s->secret.bytes, sizeof s->secret.bytes, err), out);
    KANON_TRY(put_last_delta(s, put, err), out);
out:
    sqlite3_finalize(put);
    return st;
}

/* Leaves `find` on the row of that name, for the caller to read its value. */
static kanon_status get(kanon_state *s, sqlite3_stmt *find, const char *name, int type, kanon_error *err)
{
    bool row;
    sqlite3_reset(find);
    sqlite3_bind_text(find, 1, name, -1, SQLITE_STATIC);
    kanon_status st = kanon__store_step(&s->store, find, &row, err);
    if (st == KANON_OK && (!row || (sqlite3_column_type(find, 0) != type && sqlite3_column_type(find, 0) != SQLITE_NULL)))
        st = kanon__store_damaged(&s->store, name, err);
    return st;
}

static kanon_status get_numbers(kanon_state *s, sqlite3_stmt *find, const meta_number *numbers, int n, kanon_error *err)
{
    for (int i = 0; i < n; i++) {
        KANON_CHECK(get(s, find, numbers[i].name, SQLITE_INTEGER, err));
        int64_t value = sqlite3_column_int64(find, 0);
        if (value < numbers[i].min || value > numbers[i].max)
            return kanon__store_damaged(&s->store, numbers[i].name, err);
        *(int64_t *)((char *)s + numbers[i].offset) = value;
    }
    return KANON_OK;
}

/* 0 where the state was made before it was kept. */
static kanon_status get_joint_k(kanon_state *s, sqlite3_stmt *find, kanon_error *err)
{
    bool row;
    sqlite3_reset(find);
    sqlite3_bind_text(find, 1, "joint_k", -1, SQLITE_STATIC);
    KANON_CHECK(kanon__store_step(&s->store, find, &row, err));
    s->joint_k = row ? sqlite3_column_int64(find, 0) : 0;
    if (row && (sqlite3_column_type(find, 0) != SQLITE_INTEGER || (s->joint_k < 2 && s->joint_k != KANON_JOINT_K_OFF)))
        return kanon__store_damaged(&s->store, "joint_k", err);
    return KANON_OK;
}

static kanon_status get_text(kanon_state *s, sqlite3_stmt *find, const char *name, char **out, kanon_error *err)
{
    kanon_status st = get(s, find, name, SQLITE_TEXT, err);
    const char *text = st == KANON_OK ? (const char *)sqlite3_column_text(find, 0) : NULL;
    if (text != NULL)
        st = kanon__copy_text(out, text, strlen(text), "the state", err);
    return st;
}

/* *found: there are some, and they are as many as they have to be. */
static kanon_status get_bytes(kanon_state *s, sqlite3_stmt *find, const char *name, void *out, int size, bool *found,
                              kanon_error *err)
{
    kanon_status st = get(s, find, name, SQLITE_BLOB, err);
    const void *bytes = st == KANON_OK ? sqlite3_column_blob(find, 0) : NULL;
    *found = bytes != NULL;
    if (bytes != NULL && sqlite3_column_bytes(find, 0) != size)
        return kanon__store_damaged(&s->store, name, err);
    if (bytes != NULL)
        memcpy(out, bytes, (size_t)size);
    return st;
}

static kanon_status load_meta(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *find = NULL;
    char *seed = NULL, *delimiter = NULL, *line_end = NULL;
    bool has_secret = false;
    KANON_TRY(kanon__store_prepare(&s->store, &find, "SELECT value FROM meta WHERE name = ?", err), out);
    KANON_TRY(get_numbers(s, find, meta_fixed, N_FIXED, err), out);
    KANON_TRY(get_numbers(s, find, meta_counters, N_COUNTERS, err), out);
    KANON_TRY(get_joint_k(s, find, err), out);
    KANON_TRY(get_text(s, find, "algorithm", &s->algorithm, err), out);
    KANON_TRY(get_text(s, find, "settings", &s->settings, err), out);
    KANON_TRY(get_text(s, find, "refinement", &s->refinement, err), out);
    KANON_TRY(get_text(s, find, "program", &s->program, err), out);
    KANON_TRY(get_text(s, find, "seed", &seed, err), out);
    KANON_TRY(get_text(s, find, "delimiter", &delimiter, err), out);
    KANON_TRY(get_text(s, find, "line_end", &line_end, err), out);
    KANON_TRY(get_bytes(s, find, "secret", s->secret.bytes, sizeof s->secret.bytes, &has_secret, err), out);
    KANON_TRY(get_bytes(s, find, "last_delta", s->last_delta, sizeof s->last_delta, &s->has_last_delta, err), out);
    unsigned long long number = 0;
    if (seed == NULL || sscanf(seed, "%llu", &number) != 1 || delimiter == NULL || strlen(delimiter) != 1 ||
        line_end == NULL || !has_secret)
        KANON_TRY(kanon__store_damaged(&s->store, "meta", err), out);
    s->seed = number;
    s->delimiter = delimiter[0];
    s->crlf = line_end[0] == '\r';
out:
    kanon__free(line_end);
    kanon__free(delimiter);
    kanon__free(seed);
    sqlite3_finalize(find);
    return st;
}

/* ---- columns and trees ------------------------------------------------------------------------------------------- */

/* Only the nodes that are new; a missing node comes with them, so that column is brought up to date, too. */
static kanon_status save_nodes(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *put = NULL, *missing = NULL;
    KANON_TRY(kanon__store_prepare(&s->store, &put, "INSERT INTO trees VALUES(?, ?, ?, ?)", err), out);
    KANON_TRY(kanon__store_prepare(&s->store, &missing, "UPDATE columns SET missing = ? WHERE number = ?", err), out);
    for (int i = 0; i < s->n_columns; i++) {
        kanon__state_column *c = &s->columns[i];
        if (c->tree == NULL || c->n_saved == c->tree->n_nodes)
            continue;
        for (; c->n_saved < c->tree->n_nodes; c->n_saved++) {
            size_t length;
            const char *label = kanon__tree_label(c->tree, c->n_saved, &length);
            sqlite3_bind_int(put, 1, i);
            sqlite3_bind_int(put, 2, c->n_saved);
            sqlite3_bind_int(put, 3, c->tree->parent[c->n_saved]);
            sqlite3_bind_blob64(put, 4, label, length, SQLITE_STATIC);
            KANON_TRY(kanon__store_step(&s->store, put, NULL, err), out);
        }
        sqlite3_bind_int(missing, 1, c->missing_node);
        sqlite3_bind_int(missing, 2, i);
        KANON_TRY(kanon__store_step(&s->store, missing, NULL, err), out);
    }
out:
    sqlite3_finalize(missing);
    sqlite3_finalize(put);
    return st;
}

/* How values are written, as one text: the format of dates, the separators of numbers (decimal, thousands), or the
 * levels of an ordinal column, a line for each. */
enum { FORMAT_TEXT = KANON__DATE_FORMAT };

/* The levels as one text, to be freed. */
static kanon_status write_levels(char **out, const kanon__dictionary *levels, kanon_error *err)
{
    size_t size = 1, used = 0, length;
    for (uint32_t i = 0; i < levels->n; i++) {
        kanon__dictionary_text(levels, i, &length);
        size += length + 1;
    }
    kanon_status st = kanon__new_array(out, (int64_t)size, "levels", err);
    for (uint32_t i = 0; st == KANON_OK && i < levels->n; i++) {
        const char *text = kanon__dictionary_text(levels, i, &length);
        memcpy(*out + used, text, length);
        used += length;
        (*out)[used++] = '\n';
    }
    return st;
}

/* *good becomes false where the text is not what write_levels writes. */
static kanon_status read_levels(kanon__state_column *c, const char *text, bool *good, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *fault = NULL;
    while (st == KANON_OK && fault == NULL && *text != '\0') {
        size_t length = strcspn(text, "\n");
        st = kanon__levels_add(&c->order, text, length, &fault, err);
        text += length + (text[length] == '\n');
    }
    *good = fault == NULL && c->order.n > 0;
    c->format.levels = &c->order;
    return st;
}

static void write_format(char out[FORMAT_TEXT], const kanon__state_column *c)
{
    const kanon__value_format *f = &c->format;
    if (c->type == KANON_TYPE_DATE)
        snprintf(out, FORMAT_TEXT, "%s", f->date);
    else if (f->thousands != 0) /* the first of two, said or not */
        snprintf(out, FORMAT_TEXT, "%c%c", kanon__value_decimal(f), f->thousands);
    else
        snprintf(out, FORMAT_TEXT, "%.1s", f->decimal != 0 ? &f->decimal : "");
}

/* False where the text is not what write_format writes. */
static bool read_format(kanon__state_column *c, const char *text)
{
    if (text == NULL || strlen(text) >= FORMAT_TEXT)
        return false;
    if (text[0] == '\0')
        return true;
    if (c->type == KANON_TYPE_DATE) {
        memcpy(c->format.date, text, strlen(text) + 1);
        return kanon__date_format_fault(text) == NULL;
    }
    c->format.decimal = text[0];
    c->format.thousands = text[1];
    return kanon__state_numeric(c) && strlen(text) <= 2 && kanon__separators_fault(text[0], text[1]) == NULL;
}

static kanon_status save_columns(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *put = NULL;
    char format[FORMAT_TEXT], *levels = NULL;
    KANON_TRY(kanon__store_prepare(&s->store, &put,
                                   "INSERT INTO columns VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", err),
              out);
    for (int i = 0; i < s->n_columns; i++) {
        const kanon__state_column *c = &s->columns[i];
        const int numbers[] = {(int)c->growth, c->scale, c->key, c->missing_node, c->tree != NULL, c->n_given};
        sqlite3_bind_int(put, 1, i);
        sqlite3_bind_blob(put, 2, c->name, (int)strlen(c->name), SQLITE_STATIC);
        sqlite3_bind_int(put, 3, (int)c->role);
        sqlite3_bind_int(put, 4, (int)c->type);
        sqlite3_bind_text(put, 5, c->weight_text, -1, SQLITE_STATIC);
        for (int j = 0; j < 6; j++)
            sqlite3_bind_int(put, 6 + j, numbers[j]);
        write_format(format, c);
        kanon__free(levels);
        levels = NULL;
        if (c->type == KANON_TYPE_ORDINAL)
            KANON_TRY(write_levels(&levels, &c->order, err), out);
        /* a copy could fail, and would be NULL in the state */
        sqlite3_bind_text(put, 12, levels != NULL ? levels : format, -1, SQLITE_STATIC);
        for (int j = 0; j < 3; j++)
            sqlite3_bind_text(put, 13 + j, c->bands[j], -1, SQLITE_STATIC);
        KANON_TRY(kanon__store_step(&s->store, put, NULL, err), out);
    }
out:
    kanon__free(levels);
    sqlite3_finalize(put);
    return st;
}

static kanon_status save_missing(kanon_state *s, kanon_error *err)
{
    sqlite3_stmt *put = NULL;
    kanon_status st = kanon__store_prepare(&s->store, &put, "INSERT INTO missing VALUES(?, ?)", err);
    for (int64_t i = 0; i < s->missing.n && st == KANON_OK; i++) {
        sqlite3_bind_int64(put, 1, i);
        sqlite3_bind_blob(put, 2, s->missing.items[i], (int)strlen(s->missing.items[i]), SQLITE_STATIC);
        st = kanon__store_step(&s->store, put, NULL, err);
    }
    sqlite3_finalize(put);
    return st;
}

kanon_status kanon__catalog_save(kanon_state *s, kanon_error *err)
{
    KANON_CHECK(save_meta(s, err));
    KANON_CHECK(save_missing(s, err));
    KANON_CHECK(save_columns(s, err));
    KANON_CHECK(save_nodes(s, err));
    return kanon__state_requirements_save(s, err);
}

kanon_status kanon__catalog_update(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *put = NULL;
    KANON_TRY(kanon__store_prepare(&s->store, &put, "INSERT OR REPLACE INTO meta VALUES(?, ?)", err), out);
    KANON_TRY(put_numbers(s, put, meta_counters, N_COUNTERS, err), out);
    KANON_TRY(put_last_delta(s, put, err), out);
    KANON_TRY(save_nodes(s, err), out);
    if (s->forgets)
        KANON_TRY(kanon__labels_forget(s, err), out);
out:
    sqlite3_finalize(put);
    return st;
}

/* Bands must be readable; whether they fit the column, the space of the state finds out. */
static kanon_status load_bands(kanon_state *s, sqlite3_stmt *row, kanon__state_column *c, kanon_error *err)
{
    enum { FIRST = 12 };
    const char *problem, *hint;
    for (int i = 0; i < 3; i++) {
        const char *text = (const char *)sqlite3_column_text(row, FIRST + i);
        if (text != NULL)
            KANON_CHECK(kanon__copy_text(&c->bands[i], text, strlen(text), "bands", err));
    }
    if (kanon__state_has_bands(c) && (c->role != KANON_ROLE_QUASI || !kanon__state_numeric(c) ||
                                      !kanon__bands_check(c->bands[0], c->bands[1], c->bands[2], &problem, &hint)))
        return kanon__store_damaged(&s->store, "a column", err);
    return KANON_OK;
}

/* What no column of a state that this program wrote can be is damage. */
static bool column_is_possible(const kanon__state_column *c, bool has_tree)
{
    bool quasi = c->role == KANON_ROLE_QUASI, looked_into = quasi || c->role == KANON_ROLE_SENSITIVE;
    return (int)c->role >= 0 && c->role <= KANON_ROLE_SENSITIVE && (int)c->type >= 0 && c->type <= KANON_TYPE_ORDINAL &&
           (int)c->growth >= 0 && c->growth <= KANON__GROWS_MASK_LEFT && c->scale >= 0 && c->scale <= 18 && c->key >= 0 &&
           (!looked_into || c->type != KANON_TYPE_UNKNOWN) && (!has_tree || c->type == KANON_TYPE_CATEGORICAL) &&
           (!quasi || kanon__state_numeric(c) || has_tree);
}

static kanon_status load_column(kanon_state *s, sqlite3_stmt *row, bool *has_tree, kanon_error *err)
{
    kanon__state_column *c = &s->columns[s->n_columns];
    kanon__decimal weight = {.value = 1};
    *c = (kanon__state_column){.role = (kanon_role)sqlite3_column_int(row, 2),
                               .type = (kanon_type)sqlite3_column_int(row, 3),
                               .growth = (kanon__growth_rule)sqlite3_column_int(row, 5),
                               .scale = sqlite3_column_int(row, 6),
                               .key = sqlite3_column_int(row, 7),
                               .dimension = -1,
                               .missing_node = sqlite3_column_int(row, 8),
                               .n_given = sqlite3_column_int(row, 10)};
    *has_tree = sqlite3_column_int(row, 9) != 0;
    s->n_columns++;
    const void *name = sqlite3_column_blob(row, 1);
    const char *text = (const char *)sqlite3_column_text(row, 4);
    const char *format = (const char *)sqlite3_column_text(row, 11);
    bool ordinal = c->type == KANON_TYPE_ORDINAL, has_levels = false;
    if (ordinal && format != NULL)
        KANON_CHECK(read_levels(c, format, &has_levels, err));
    if (sqlite3_column_int(row, 0) != s->n_columns - 1 || !column_is_possible(c, *has_tree) ||
        !(ordinal ? has_levels : read_format(c, format)) ||
        (text != NULL && (!kanon__parse_decimal(&weight, text, strlen(text)) || !(weight.value > 0))))
        return kanon__store_damaged(&s->store, "a column", err);
    KANON_CHECK(kanon__copy_text(&c->name, name != NULL ? name : "", (size_t)sqlite3_column_bytes(row, 1), "a name", err));
    if (text != NULL)
        KANON_CHECK(kanon__copy_text(&c->weight_text, text, strlen(text), "a weight", err));
    KANON_CHECK(load_bands(s, row, c, err));
    s->n_key += c->key > 0;
    s->n_sensitive += c->role == KANON_ROLE_SENSITIVE;
    if (c->role == KANON_ROLE_QUASI)
        c->dimension = s->n_dimensions++;
    return KANON_OK;
}

/* Nodes are numbered without gaps, parents before children; kanon__catalog_add_node checks the rest. */
static kanon_status load_tree(kanon_state *s, sqlite3_stmt *nodes, int column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__state_column *c = &s->columns[column];
    sqlite3_bind_int(nodes, 1, column);
    while (kanon__store_next(&s->store, nodes, &st, err)) {
        char forgotten[KANON__FORGOTTEN_BYTES];
        const void *label = sqlite3_column_blob(nodes, 2);
        size_t length = (size_t)sqlite3_column_bytes(nodes, 2);
        int32_t expected = c->tree != NULL ? c->tree->n_nodes : 0, parent = sqlite3_column_int(nodes, 1);
        bool is_forgotten = sqlite3_column_type(nodes, 2) == SQLITE_NULL;
        if (sqlite3_column_int(nodes, 0) != expected || parent < -1 || (is_forgotten && expected < c->n_given))
            KANON_TRY(kanon__store_damaged(&s->store, "a tree", err), out);
        if (is_forgotten) {
            length = kanon__forgotten_label(forgotten, expected);
            label = forgotten;
        }
        st = kanon__catalog_add_node(c, parent, label != NULL ? label : "", length, err);
        if (st == KANON_EDATA)
            st = kanon__store_damaged(&s->store, "a tree", err);
        if (st != KANON_OK)
            goto out;
    }
    KANON_TRY(st, out);
    int32_t n = c->tree != NULL ? c->tree->n_nodes : 0;
    c->n_saved = n;
    if (n == 0 || c->n_given < 1 || c->n_given > n || c->missing_node < -1 || c->missing_node >= n ||
        (c->missing_node >= 0 && c->inner[c->missing_node]))
        st = kanon__store_damaged(&s->store, "a tree", err);
out:
    sqlite3_reset(nodes);
    return st;
}

static kanon_status load_columns(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *columns = NULL, *nodes = NULL;
    int64_t n = 0;
    bool has_tree;
    KANON_TRY(kanon__store_query_number(&s->store, &n, "SELECT count(*) FROM columns", err), out);
    if (n < 1 || n > INT32_MAX / 2)
        KANON_TRY(kanon__store_damaged(&s->store, "its columns", err), out);
    KANON_TRY(kanon__new_array(&s->columns, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&s->dimensions, n, "columns", err), out);
    KANON_TRY(kanon__store_prepare(&s->store, &columns, "SELECT * FROM columns ORDER BY number", err), out);
    KANON_TRY(
        kanon__store_prepare(&s->store, &nodes, "SELECT node, parent, label FROM trees WHERE col = ? ORDER BY node", err),
        out);
    while (kanon__store_next(&s->store, columns, &st, err) && s->n_columns < n) {
        KANON_TRY(load_column(s, columns, &has_tree, err), out);
        if (has_tree)
            KANON_TRY(load_tree(s, nodes, s->n_columns - 1, err), out);
    }
    KANON_TRY(st, out);
    for (int i = 0; i < s->n_columns; i++)
        if (s->columns[i].dimension >= 0)
            s->dimensions[s->columns[i].dimension] = i;
    if (s->n_columns != n || s->n_dimensions < 1 || s->n_dimensions > DIMENSIONS_MOST)
        st = kanon__store_damaged(&s->store, "its columns", err);
out:
    sqlite3_finalize(nodes);
    sqlite3_finalize(columns);
    return st;
}

static kanon_status load_missing(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *list = NULL;
    KANON_TRY(kanon__store_prepare(&s->store, &list, "SELECT text FROM missing ORDER BY number", err), out);
    while (kanon__store_next(&s->store, list, &st, err)) {
        const char *text = sqlite3_column_blob(list, 0);
        KANON_TRY(kanon__texts_add(&s->missing, text != NULL ? text : "", (size_t)sqlite3_column_bytes(list, 0), err), out);
    }
out:
    sqlite3_finalize(list);
    return st;
}

kanon_status kanon__catalog_load(kanon_state *s, bool write, kanon_error *err)
{
    KANON_CHECK(load_meta(s, err));
    KANON_CHECK(load_missing(s, err));
    KANON_CHECK(load_columns(s, err));
    KANON_CHECK(check_tables(s, err));
    if (s->store.version < KANON__STATE_VERSION) {
        KANON_CHECK(kanon__old_format_bring_up(&s->store, write, err));
        KANON_CHECK(check_tables(s, err));
    }
    return kanon__state_requirements_load(s, err);
}

void kanon__catalog_clear(kanon_state *s)
{
    kanon__state_requirements_clear(s);
    for (int i = 0; s->columns != NULL && i < s->n_columns; i++) {
        kanon__state_column *c = &s->columns[i];
        kanon__free(c->inner);
        kanon__dictionary_clear(&c->labels);
        kanon__tree_free(c->tree);
        for (int j = 0; j < 3; j++)
            kanon__free(c->bands[j]);
        kanon__dictionary_clear(&c->order);
        kanon__free(c->weight_text);
        kanon__free(c->name);
    }
    kanon__free(s->columns);
    kanon__free(s->dimensions);
    kanon__texts_clear(&s->missing);
    kanon__free(s->program);
    kanon__free(s->refinement);
    kanon__free(s->settings);
    kanon__free(s->algorithm);
    s->columns = NULL;
    s->dimensions = NULL;
    s->program = s->refinement = s->settings = s->algorithm = NULL;
    s->n_columns = s->n_dimensions = s->n_key = s->n_sensitive = 0;
    s->secret = (kanon__secret){0};
    s->has_last_delta = s->forgets = false;
}

/* ---- as a schema ------------------------------------------------------------------------------------------------- */

static kanon_status copy_tree(kanon__tree **out, const kanon__tree *from, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tree *tree = NULL;
    int32_t node;
    KANON_TRY(kanon__new_array(&tree, 1, "a tree", err), out);
    tree->flat = from->flat;
    for (int32_t i = 0; i < from->n_nodes; i++) {
        size_t length;
        const char *label = kanon__tree_label(from, i, &length);
        KANON_TRY(kanon__tree_add(tree, &node, from->parent[i], label, length, err), out);
    }
    *out = tree;
    tree = NULL;
out:
    kanon__tree_free(tree);
    return st;
}

static kanon_status describe_column(kanon_schema *schema, const kanon__state_column *c, kanon_error *err)
{
    kanon__attribute *a;
    KANON_CHECK(kanon_schema_set(schema, c->name, "role", kanon_enum_text(KANON_ENUM_ROLE, c->role), err));
    if (c->type != KANON_TYPE_UNKNOWN)
        KANON_CHECK(kanon_schema_set(schema, c->name, "type", kanon_enum_text(KANON_ENUM_TYPE, c->type), err));
    KANON_CHECK(kanon__schema_want(&a, schema, c->name, err));
    a->role_from_flags = false;
    a->format = c->format;
    a->format.levels = NULL;
    if (c->type == KANON_TYPE_ORDINAL)
        KANON_CHECK(kanon__levels_copy(&a->levels, &c->order, err));
    if (c->weight_text != NULL) {
        kanon__decimal weight = {.value = 1};
        char **said = &a->said[KANON__COLUMN_WEIGHT];
        KANON_CHECK(kanon__copy_text(said, c->weight_text, strlen(c->weight_text), "a weight", err));
        kanon__parse_decimal(&weight, c->weight_text, strlen(c->weight_text));
        a->weight = weight.value;
    }
    char **const to[] = {&a->said[KANON__COLUMN_BANDS], &a->said[KANON__COLUMN_TOP], &a->said[KANON__COLUMN_BOTTOM]};
    for (int i = 0; i < 3; i++)
        if (c->bands[i] != NULL)
            KANON_CHECK(kanon__copy_text(to[i], c->bands[i], strlen(c->bands[i]), "bands", err));
    if (c->tree != NULL)
        KANON_CHECK(copy_tree(&a->tree, c->tree, err));
    if (c->permuted)
        KANON_CHECK(kanon_schema_set(schema, c->name, "permute", "true", err));
    if (c->drawn)
        KANON_CHECK(kanon_schema_set(schema, c->name, "ends", "drawn", err));
    return KANON_OK;
}

kanon_status kanon__catalog_schema(kanon_schema **out, const kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_schema *schema = NULL;
    *out = NULL;
    KANON_TRY(kanon_schema_new(&schema, kanon__call_context(), err), out);
    for (int i = 0; i < s->n_columns; i++)
        KANON_TRY(describe_column(schema, &s->columns[i], err), out);
    kanon__texts_clear(&schema->missing);
    KANON_TRY(kanon__texts_append(&schema->missing, &s->missing, err), out);
    schema->k = s->k;
    KANON_TRY(kanon__state_requirements_copy(schema, s->requirements, err), out);
    *out = schema;
    schema = NULL;
out:
    kanon_schema_free(schema);
    return st;
}
