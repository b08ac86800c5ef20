#include "state/releases.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- traces ------------------------------------------------------------------------------------------------------ */

static kanon_status add_change(kanon__traces *t, int64_t release, int64_t group, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&t->changes, &t->changes_capacity, 2 * t->n_changes + 2, "traces", err);
    if (st != KANON_OK)
        return st;
    t->changes[2 * t->n_changes] = release;
    t->changes[2 * t->n_changes + 1] = group;
    t->n_changes++;
    return KANON_OK;
}

/* A row of `spells`, read ahead. */
typedef struct spell_reader {
    kanon_state *state;
    sqlite3_stmt *rows;
    bool has_row;
    int64_t record;
} spell_reader;

static kanon_status next_spell(spell_reader *r, kanon_error *err)
{
    kanon_status st = kanon__store_step(&r->state->store, r->rows, &r->has_row, err);
    r->record = r->has_row ? sqlite3_column_int64(r->rows, 0) : INT64_MAX;
    return st;
}

/* The trace of a record: its earlier spells, the one in which it was last, and that it went. */
static kanon_status add_trace(kanon__traces *t, spell_reader *spells, sqlite3_stmt *row, int64_t whole_row, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t record = sqlite3_column_int64(row, 0), shown = sqlite3_column_int64(row, 1),
            until = sqlite3_column_int64(row, 3);
    KANON_TRY(kanon__grow_array(&t->items, &t->capacity, t->n + 1, "traces", err), out);
    kanon__trace *trace = &t->items[t->n++];
    *trace = (kanon__trace){.record = record, .begin = 2 * t->n_changes, .row = whole_row};
    while (spells->record < record)
        KANON_TRY(next_spell(spells, err), out);
    while (spells->record == record) {
        KANON_TRY(add_change(t, sqlite3_column_int64(spells->rows, 1), sqlite3_column_int64(spells->rows, 2), err), out);
        KANON_TRY(next_spell(spells, err), out);
    }
    KANON_TRY(add_change(t, sqlite3_column_int64(row, 2), shown, err), out);
    if (whole_row < 0 && shown != KANON__ABSENT && until < spells->state->n_releases)
        KANON_TRY(add_change(t, until + 1, KANON__ABSENT, err), out);
    t->items[t->n - 1].n = t->n_changes - t->items[t->n - 1].begin / 2;
out:
    return st;
}

/* Records that are there and records that went, in one walk by rising number. */
static kanon_status read_traces(kanon__traces *t, kanon_state *s, const kanon__whole *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *all = NULL;
    spell_reader spells = {.state = s};
    bool has_row;
    int64_t row = 0;
    KANON_TRY(kanon__store_prepare(&s->store, &spells.rows,
                                   "SELECT record, release, grp FROM spells ORDER BY record, release", err),
              out);
    KANON_TRY(kanon__store_prepare(&s->store, &all,
                                   "SELECT id, shown, since, -1 FROM records UNION ALL "
                                   "SELECT id, shown, since, until FROM departed ORDER BY 1",
                                   err),
              out);
    KANON_TRY(next_spell(&spells, err), out);
    for (;;) {
        KANON_TRY(kanon__store_step(&s->store, all, &has_row, err), out);
        if (!has_row)
            break;
        int64_t record = sqlite3_column_int64(all, 0);
        bool is_there = row < whole->n && whole->ids[row] == record;
        bool is_new = sqlite3_column_int64(all, 2) == 0;
        if (is_new && !is_there) {
            row = -1;
            break;
        }
        if (is_new)
            t->new_rows[t->n_new++] = row;
        else
            KANON_TRY(add_trace(t, &spells, all, is_there ? row : -1, err), out);
        row += is_there;
    }
    if (row != whole->n)
        st = kanon__store_damaged(&s->store, "its releases", err);
out:
    sqlite3_finalize(all);
    sqlite3_finalize(spells.rows);
    return st;
}

typedef struct traced {
    const int64_t *changes;
    int64_t n, trace;
} traced;

static int compare_changes(const traced *a, const traced *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int64_t i = 0; i < 2 * a->n; i++)
        if (a->changes[i] != b->changes[i])
            return a->changes[i] < b->changes[i] ? -1 : 1;
    return 0;
}

static int by_changes(const void *left, const void *right)
{
    const traced *a = left, *b = right;
    int order = compare_changes(a, b);
    return order != 0 ? order : a->trace < b->trace ? -1 : a->trace > b->trace;
}

static kanon_status find_classes(kanon__traces *t, kanon_error *err)
{
    kanon_status st = KANON_OK;
    traced *sorted = NULL;
    KANON_TRY(kanon__new_array(&sorted, t->n, "joint classes", err), out);
    KANON_TRY(kanon__new_array(&t->sizes, t->n, "joint classes", err), out);
    KANON_TRY(kanon__new_array(&t->departed, t->n, "joint classes", err), out);
    for (int64_t i = 0; i < t->n; i++)
        sorted[i] = (traced){t->changes + t->items[i].begin, t->items[i].n, i};
    qsort(sorted, (size_t)t->n, sizeof *sorted, by_changes);
    for (int64_t i = 0; i < t->n; i++) {
        kanon__trace *trace = &t->items[sorted[i].trace];
        t->n_classes += i == 0 || compare_changes(&sorted[i - 1], &sorted[i]) != 0;
        trace->class_of = t->n_classes - 1;
        t->sizes[trace->class_of]++;
        t->departed[trace->class_of] += trace->row < 0;
    }
out:
    kanon__free(sorted);
    return st;
}

kanon_status kanon__traces_load(kanon__traces *out, kanon_state *s, const kanon__whole *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__traces){0};
    KANON_TRY(kanon__new_array(&out->new_rows, whole->n + 1, "records", err), out);
    KANON_TRY(read_traces(out, s, whole, err), out);
    KANON_TRY(find_classes(out, err), out);
out:
    if (st != KANON_OK)
        kanon__traces_clear(out);
    return st;
}

void kanon__traces_clear(kanon__traces *t)
{
    kanon__free(t->new_rows);
    kanon__free(t->departed);
    kanon__free(t->sizes);
    kanon__free(t->changes);
    kanon__free(t->items);
    *t = (kanon__traces){0};
}

/* ---- sensitive values -------------------------------------------------------------------------------------------- */

typedef struct secret {
    int64_t class_of;
    uint64_t value;
} secret;

static int by_class(const void *left, const void *right)
{
    const secret *a = left, *b = right;
    if (a->class_of != b->class_of)
        return a->class_of < b->class_of ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

typedef struct secret_reader {
    kanon_state *state;
    const kanon__traces *traces;
    kanon__row row;
    uint64_t *values; /* by trace and attribute */
    int64_t at;       /* the next trace of a record that is there */
} secret_reader;

static kanon_status note_secrets(const kanon__record *record, const char *cells, size_t size, const int64_t *places,
                                 void *payload, kanon_error *err)
{
    secret_reader *r = payload;
    const kanon__traces *t = r->traces;
    (void)places;
    while (r->at < t->n && t->items[r->at].record < record->id)
        r->at++;
    if (r->at == t->n || t->items[r->at].record != record->id)
        return KANON_OK;
    kanon_status st = kanon__grow_array(&r->row.bytes, &r->row.bytes_capacity, (int64_t)size + 1, "a record", err);
    if (st != KANON_OK)
        return st;
    memcpy(r->row.bytes, cells, size);
    r->row.n_bytes = (int64_t)size;
    if (!kanon__row_unpack(r->state, &r->row))
        return kanon__store_damaged(&r->state->store, "a record", err);
    kanon__row_secrets(r->state, r->row.cells, r->values + r->at * kanon__row_n_secrets(r->state));
    return KANON_OK;
}

static kanon_status read_departed(secret_reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *rows = NULL;
    bool has_row;
    int64_t at = 0;
    size_t size = (size_t)kanon__row_n_secrets(r->state) * sizeof *r->values;
    KANON_TRY(kanon__store_prepare(&r->state->store, &rows, "SELECT id, secrets FROM departed ORDER BY id", err), out);
    for (;;) {
        KANON_TRY(kanon__store_step(&r->state->store, rows, &has_row, err), out);
        if (!has_row)
            break;
        while (at < r->traces->n && r->traces->items[at].record < sqlite3_column_int64(rows, 0))
            at++;
        const void *bytes = sqlite3_column_blob(rows, 1);
        if (at == r->traces->n || (size_t)sqlite3_column_bytes(rows, 1) != size) {
            st = kanon__store_damaged(&r->state->store, "a record that is gone", err);
            goto out;
        }
        if (size > 0)
            memcpy(r->values + at * kanon__row_n_secrets(r->state), bytes, size);
    }
out:
    sqlite3_finalize(rows);
    return st;
}

kanon_status kanon__traces_secrets(int64_t **out, const kanon__traces *t, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    secret_reader r = {.state = s, .traces = t};
    secret *secrets = NULL;
    int64_t *distinct = NULL;
    int m = kanon__row_n_secrets(s);
    KANON_TRY(kanon__row_init(&r.row, s, err), out);
    KANON_TRY(kanon__new_array(&r.values, t->n * m, "sensitive values", err), out);
    KANON_TRY(kanon__new_array(&secrets, t->n, "sensitive values", err), out);
    KANON_TRY(kanon__new_array(&distinct, t->n_classes * m, "joint classes", err), out);
    KANON_TRY(kanon__records_visit(s, note_secrets, &r, err), out);
    KANON_TRY(read_departed(&r, err), out);
    for (int a = 0; a < m; a++) {
        for (int64_t i = 0; i < t->n; i++)
            secrets[i] = (secret){t->items[i].class_of, r.values[i * m + a]};
        qsort(secrets, (size_t)t->n, sizeof *secrets, by_class);
        for (int64_t i = 0; i < t->n; i++)
            distinct[secrets[i].class_of * m + a] += i == 0 || by_class(&secrets[i - 1], &secrets[i]) != 0;
    }
    *out = distinct;
    distinct = NULL;
out:
    kanon__free(distinct);
    kanon__free(secrets);
    kanon__free(r.values);
    kanon__row_clear(&r.row);
    return st;
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

typedef struct showing {
    int64_t id, shown, since; /* so far */
    int64_t now;
} showing;

/* The records whose group is another one than in the last release. */
static kanon_status list_changes(showing **out, int64_t *n, kanon_state *s, const kanon__whole *shown, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *rows = NULL;
    showing *list = NULL;
    int64_t capacity = 0, at = 0;
    bool has_row;
    *n = 0;
    KANON_TRY(kanon__store_prepare(&s->store, &rows, "SELECT id, shown, since FROM records ORDER BY id", err), out);
    for (;;) {
        KANON_TRY(kanon__store_step(&s->store, rows, &has_row, err), out);
        if (!has_row)
            break;
        showing c = {sqlite3_column_int64(rows, 0), sqlite3_column_int64(rows, 1), sqlite3_column_int64(rows, 2),
                     KANON__ABSENT};
        if (at < shown->n && shown->ids[at] == c.id)
            c.now = shown->groups[at++];
        if (c.since == 0 ? c.now == KANON__ABSENT : c.now == c.shown)
            continue;
        KANON_TRY(kanon__grow_array(&list, &capacity, *n + 1, "changes", err), out);
        list[(*n)++] = c;
    }
    *out = list;
    list = NULL;
out:
    kanon__free(list);
    sqlite3_finalize(rows);
    return st;
}

static kanon_status record_changes(kanon_state *s, const kanon__whole *shown, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *past = NULL, *now = NULL;
    showing *changes = NULL;
    int64_t n = 0;
    KANON_TRY(list_changes(&changes, &n, s, shown, err), out);
    KANON_TRY(kanon__store_prepare(&s->store, &past, "INSERT INTO spells VALUES(?, ?, ?)", err), out);
    KANON_TRY(kanon__store_prepare(&s->store, &now, "UPDATE records SET shown = ?, since = ? WHERE id = ?", err), out);
    for (int64_t i = 0; i < n; i++) {
        if (changes[i].since > 0) {
            sqlite3_bind_int64(past, 1, changes[i].id);
            sqlite3_bind_int64(past, 2, changes[i].since);
            sqlite3_bind_int64(past, 3, changes[i].shown);
            KANON_TRY(kanon__store_step(&s->store, past, NULL, err), out);
        }
        sqlite3_bind_int64(now, 1, changes[i].now);
        sqlite3_bind_int64(now, 2, s->n_releases);
        sqlite3_bind_int64(now, 3, changes[i].id);
        KANON_TRY(kanon__store_step(&s->store, now, NULL, err), out);
    }
out:
    kanon__free(changes);
    sqlite3_finalize(now);
    sqlite3_finalize(past);
    return st;
}

kanon_status kanon__release_record(kanon_state *s, const kanon__whole *shown, const kanon__release *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *put = NULL;
    s->n_releases++;
    KANON_TRY(kanon__store_prepare(&s->store, &put, "INSERT INTO releases VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", err), out);
    const int64_t numbers[] = {r->n_records, r->n_groups, r->n_suppressed, r->n_withheld, r->smallest};
    sqlite3_bind_int64(put, 1, s->n_releases);
    sqlite3_bind_int64(put, 2, (int64_t)time(NULL));
    sqlite3_bind_text(put, 3, r->sha256, -1, SQLITE_STATIC);
    for (int i = 0; i < 5; i++)
        sqlite3_bind_int64(put, 4 + i, numbers[i]);
    sqlite3_bind_double(put, 9, r->loss);
    sqlite3_bind_int64(put, 10, r->joint_k);
    KANON_TRY(kanon__store_step(&s->store, put, NULL, err), out);
    if (shown != NULL)
        KANON_TRY(record_changes(s, shown, err), out);
out:
    sqlite3_finalize(put);
    return st;
}
