/* SQLite and the files below it fail, call by call, for every command on states of several kinds: each statement when it is
 * prepared and when it runs, and each call of the file system below; and there is no memory. The command says so; the state
 * is as before, or as after the command where that succeeded all the same; no file stays. With KANON_ALL_FAULTS many more
 * of them fail.
 *
 * The linker puts own versions of four functions of SQLite and of rename before theirs (tests/CMakeLists.txt); files
 * fail in a VFS that passes calls on to the standard one. */
#include "core/alloc.h"
#include "state/store/page_checksum.h"
#include "state/store/store.h"
#include "support.h"
#include "to_stream.h"

#include <errno.h>
#include <kanon_arrow.h>
#include <limits.h>

#include <sqlite3.h>

/* ---- statements that fail ---------------------------------------------------------------------------------------- */

/* The calls of a command, by the text of the statement. To let each of them fail would take long, and most repeat one that
 * failed before: of each text the first and the last call of a kind do, once for every command. */
enum { MOST_CALLS = 20000 };
typedef struct call {
    uint64_t text;
    int before; /* calls with this text so far */
} call;

static call calls[MOST_CALLS];
static int n_calls, fail_at = -1; /* 0: none fails; -1: they are not even counted */
static bool has_failed;

static uint64_t hash_of(const char *text, uint64_t kind)
{
    uint64_t sum = 1469598103934665603u + kind;
    for (; *text != '\0'; text++)
        sum = (sum ^ (unsigned char)*text) * 1099511628211u;
    return sum;
}

static bool fails(const char *text, uint64_t kind)
{
    uint64_t hash = hash_of(text, kind);
    int before = 0;
    if (fail_at < 0 || strcmp(text, "ROLLBACK") == 0) /* its result is not used: the connection is at its end */
        return false;
    for (int i = n_calls - 1; i >= 0 && before == 0; i--)
        before = calls[i].text == hash ? calls[i].before + 1 : 0;
    assert_true(n_calls < MOST_CALLS);
    calls[n_calls++] = (call){hash, before};
    has_failed = has_failed || n_calls == fail_at;
    return n_calls == fail_at;
}

static uint64_t tried[MOST_CALLS]; /* commands with a text: what failed before */
static int n_tried;

static bool is_worth_failing(int at, int n, int command)
{
    if (getenv("KANON_ALL_FAULTS") != NULL && calls[at].before < 6)
        return true;
    uint64_t name = (calls[at].text * 31 + (uint64_t)command) * 2 + (calls[at].before > 0);
    for (int i = at + 1; calls[at].before > 0 && i < n; i++)
        if (calls[i].text == calls[at].text)
            return false; /* neither the first nor the last */
    for (int i = 0; i < n_tried; i++)
        if (tried[i] == name)
            return false;
    assert_true(n_tried < MOST_CALLS);
    tried[n_tried++] = name;
    return true;
}

int __real_sqlite3_step(sqlite3_stmt *statement);
int __real_sqlite3_exec(sqlite3 *db, const char *sql, int (*visit)(void *, int, char **, char **), void *payload,
                        char **text);
int __real_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int size, unsigned flags, sqlite3_stmt **out, const char **tail);
int __real_sqlite3_extended_errcode(sqlite3 *db);
int __wrap_sqlite3_step(sqlite3_stmt *statement);
int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*visit)(void *, int, char **, char **), void *payload,
                        char **text);
int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int size, unsigned flags, sqlite3_stmt **out, const char **tail);
int __wrap_sqlite3_extended_errcode(sqlite3 *db);

int __wrap_sqlite3_step(sqlite3_stmt *statement)
{
    return fails(sqlite3_sql(statement), 1) ? SQLITE_IOERR_READ : __real_sqlite3_step(statement);
}

int __wrap_sqlite3_exec(sqlite3 *db, const char *sql, int (*visit)(void *, int, char **, char **), void *payload,
                        char **text)
{
    return fails(sql, 2) ? SQLITE_IOERR_WRITE : __real_sqlite3_exec(db, sql, visit, payload, text);
}

int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int size, unsigned flags, sqlite3_stmt **out, const char **tail)
{
    return fails(sql, 3) ? SQLITE_IOERR_READ : __real_sqlite3_prepare_v3(db, sql, size, flags, out, tail);
}

int __wrap_sqlite3_extended_errcode(sqlite3 *db)
{
    return has_failed ? SQLITE_IOERR_READ : __real_sqlite3_extended_errcode(db);
}

static void arm_statements(int at)
{
    n_calls = 0;
    fail_at = at;
    has_failed = false;
}

/* ---- files that fail --------------------------------------------------------------------------------------------- */

typedef struct failing_file {
    sqlite3_file base;
    sqlite3_file below[]; /* of the standard VFS */
} failing_file;

static sqlite3_vfs *standard, failing_vfs;
static int n_file_calls, fail_file_at;

static bool file_fails(void)
{
    return ++n_file_calls == fail_file_at;
}

#define BELOW(file) (((failing_file *)(file))->below)
#define PASS_ON(file, code, call, ...) (file_fails() ? (code) : BELOW(file)->pMethods->call(BELOW(file), __VA_ARGS__))

static int f_close(sqlite3_file *file)
{
    return BELOW(file)->pMethods->xClose(BELOW(file));
}

static int f_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 offset)
{
    return PASS_ON(file, n_file_calls % 2 ? SQLITE_IOERR_READ : SQLITE_IOERR_CORRUPTFS, xRead, bytes, size, offset);
}

static int f_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 offset)
{
    return PASS_ON(file, n_file_calls % 2 ? SQLITE_IOERR_WRITE : SQLITE_FULL, xWrite, bytes, size, offset);
}

static int f_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return PASS_ON(file, SQLITE_IOERR_TRUNCATE, xTruncate, size);
}

static int f_sync(sqlite3_file *file, int flags)
{
    return PASS_ON(file, SQLITE_IOERR_FSYNC, xSync, flags);
}

static int f_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return PASS_ON(file, SQLITE_IOERR_FSTAT, xFileSize, size);
}

static int f_lock(sqlite3_file *file, int level)
{
    return PASS_ON(file, SQLITE_IOERR_LOCK, xLock, level);
}

/* Done all the same: else the file would stay locked for the whole test. */
static int f_unlock(sqlite3_file *file, int level)
{
    int rc = BELOW(file)->pMethods->xUnlock(BELOW(file), level);
    return file_fails() ? SQLITE_IOERR_UNLOCK : rc;
}

static int f_is_reserved(sqlite3_file *file, int *reserved)
{
    return PASS_ON(file, SQLITE_IOERR_CHECKRESERVEDLOCK, xCheckReservedLock, reserved);
}

static int f_control(sqlite3_file *file, int operation, void *argument)
{
    return BELOW(file)->pMethods->xFileControl(BELOW(file), operation, argument);
}

static int f_sector(sqlite3_file *file)
{
    return BELOW(file)->pMethods->xSectorSize(BELOW(file));
}

static int f_characteristics(sqlite3_file *file)
{
    return BELOW(file)->pMethods->xDeviceCharacteristics(BELOW(file));
}

static const sqlite3_io_methods failing_methods = {
    1,        f_close,           f_read, f_write, f_truncate, f_sync, f_size, f_lock, f_unlock, f_is_reserved, f_control,
    f_sector, f_characteristics, NULL,   NULL,    NULL,       NULL,   NULL,   NULL};

static int v_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out)
{
    (void)vfs;
    file->pMethods = NULL;
    if (file_fails())
        return SQLITE_CANTOPEN;
    int rc = standard->xOpen(standard, name, BELOW(file), flags, flags_out);
    if (BELOW(file)->pMethods != NULL)
        file->pMethods = &failing_methods;
    return rc;
}

static int v_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs;
    return file_fails() ? SQLITE_IOERR_DELETE : standard->xDelete(standard, name, sync);
}

static int v_access(sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
    (void)vfs;
    return file_fails() ? SQLITE_IOERR_ACCESS : standard->xAccess(standard, name, flags, result);
}

static int v_full_name(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    (void)vfs;
    return file_fails() ? SQLITE_CANTOPEN : standard->xFullPathname(standard, name, size, out);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);

int __wrap_rename(const char *from, const char *to)
{
    errno = EIO;
    return file_fails() ? -1 : __real_rename(from, to);
}

static void register_vfs(void)
{
    standard = sqlite3_vfs_find(NULL);
    failing_vfs = *standard;
    failing_vfs.iVersion = 1;
    failing_vfs.zName = "failing";
    failing_vfs.szOsFile = (int)sizeof(failing_file) + standard->szOsFile;
    failing_vfs.xOpen = v_open;
    failing_vfs.xDelete = v_delete;
    failing_vfs.xAccess = v_access;
    failing_vfs.xFullPathname = v_full_name;
    failing_vfs.pNext = NULL;
    assert_int_equal(sqlite3_vfs_register(&failing_vfs, 1), SQLITE_OK);
}

static void arm_files(int at)
{
    n_file_calls = 0;
    fail_file_at = at;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

enum { PLAIN, TOGETHER, CROWDED, FEW, WATCHED, N_KINDS };

static const char *const schemas[N_KINDS] = {
    "missing: '?'\njoint-k: off\nattributes:\n  id: {role: identifying}\n  age: {role: quasi, type: decimal, weight: 2}\n"
    "  city: {role: quasi}\n  zip: {role: quasi, mask: left}\n  who: identifying\n"
    "  ill: {role: sensitive, taxonomy: {a: , b: {c: , d: }}}\n"
    "privacy: {k: 2, constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}]}\nkey: [id]\n",
    "missing: '?'\njoint-k: off\nattributes:\n  id: {role: identifying}\n  age: {role: quasi, type: decimal, bands: 5}\n"
    "  city: {role: quasi}\n  zip: {role: quasi, mask: left}\n  who: identifying\n  ill: sensitive\n"
    "privacy: {k: 2}\nentity: who\nentity-together: true\nkey: [id]\n",
    "missing: '?'\njoint-k: off\nattributes:\n  id: {role: identifying}\n  age: {role: quasi, type: decimal, bands: 5, "
    "top: 60}\n"
    "  city: {role: quasi}\n  zip: {role: quasi, mask: left}\n  who: identifying\n  ill: sensitive\n"
    "privacy: {k: 3, constraints: [{model: alpha-k, attribute: ill, alpha: 0.6}], suppress: 0.1}\nkey: [id]\n",
    "missing: '?'\njoint-k: off\nattributes:\n  id: {role: identifying}\n  age: {role: quasi, type: decimal}\n"
    "  city: {role: insensitive}\n  zip: {role: insensitive}\n  who: identifying\n  ill: sensitive\n"
    "privacy: {k: 3, suppress: 0.4}\nkey: [id]\n",
    "missing: '?'\njoint-k: off\nattributes:\n  id: {role: identifying}\n  age: {role: quasi, type: decimal}\n"
    "  city: {role: quasi}\n  zip: {role: insensitive}\n  who: identifying\n  ill: sensitive\n"
    "privacy: {k: 2}\nkey: [id]\n",
};

enum { CREATE, INSERT, DELETE, UPDATE, OPTIMIZE, RELEASE, DESCRIBE, AUDIT, N_COMMANDS };

typedef struct world {
    kanon_schema *schema;
    kanon_table *table;
    kanon_grouping *grouping;
    char *bytes; /* of the state before a command */
    size_t size;
    int kind;
} world;

/* Rows of people, with quotes, delimiters and missing values in some cells. */
static char *people(int from, int n, bool header)
{
    char *text = malloc((size_t)n * 80 + 100), *at = text;
    assert_non_null(text);
    at += sprintf(at, "%s", header ? "id,age,city,zip,who,ill\n" : "");
    for (int i = from; i < from + n; i++) {
        static const char *const cities[] = {"x", "y", "z", "\"a \"\"b\"\"\"", "\"c,d\""};
        char age[16] = "?";
        if (i % 11 != 0)
            snprintf(age, sizeof age, "%d", 20 + i * 7 % 50);
        at += sprintf(at, "%d,%s,%s,1%02d,%s%d,%c\n", i, age, i > 40 ? cities[i % 5] : cities[i % 3], i,
                      i % 17 == 0 ? "?" : "w", i / 2, "acd"[i % 3]);
    }
    return text;
}

/* What a command changes: few records, or so many that groups are split, dispersed and repaired. */
static char *delta_of(int command, int kind)
{
    static const char more[] =
        "id,age,city,zip,who,ill\n90,26.75,newer,112,w90,a\n91,28,y,113,w90,newer\n92,?,y,114,w91,c\n",
                      gone[] = "id\n1\n2\n3\n4\n9\n", other[] = "id,age,city,zip\n5,32.25,z,111\n6,70,newest,119\n";
    if (kind == CROWDED && command == INSERT)
        return people(200, 40, true);
    char *text = malloc(2000), *at = text;
    assert_non_null(text);
    if (kind == FEW && command == DELETE) { /* fewer than k are left, but for the suppressed ones */
        strcpy(text, "id\n1\n2\n3\n4\n5\n");
        return text;
    }
    if (kind == WATCHED && command != DELETE) { /* values that the state has: with others its trees are made anew */
        strcpy(text, command == INSERT ? "id,age,city,zip,who,ill\n90,26,x,112,w90,a\n91,28,y,113,w90,c\n92,?,y,114,w91,c\n"
                                       : "id,age,city\n5,33,z\n6,47,x\n");
        return text;
    }
    at += sprintf(at, "%s", command == INSERT ? more : command == DELETE ? gone : command == UPDATE ? other : "");
    for (int i = 10; kind == CROWDED && command == DELETE && i <= 120; i += i % 3 == 0 ? 4 : 1)
        at += sprintf(at, "%d\n", i);
    for (int i = 50; kind == CROWDED && command == UPDATE && i <= 80; i++)
        at += sprintf(at, "%d,%d,y,1%02d\n", i, i % 40, i % 100);
    return text;
}

/* A watched state is changed, and the change alone is released. */
static kanon_status release_changes(kanon_state *state, kanon_error *err)
{
    char *delta = delta_of(INSERT, WATCHED);
    kanon_change done = KANON_INIT(kanon_change);
    kanon_change_options options = {.struct_size = sizeof options, .grow_taxonomy = 1};
    struct ArrowArrayStream stream = {0};
    kanon_release_changes *changes = NULL;
    kanon_status st = kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(delta, strlen(delta), "delta"), &options, &done,
                                         err);
    if (st == KANON_OK)
        st = changes_to_stream(&stream, &changes, state, NULL, NULL, &done, err);
    if (st == KANON_OK)
        assert_false(changes->whole);
    if (stream.release != NULL)
        stream.release(&stream);
    kanon_release_changes_free(changes);
    free(delta);
    return st;
}

static kanon_status change(kanon_state *state, int command, int kind, kanon_error *err)
{
    if (kind == WATCHED && command == RELEASE)
        return release_changes(state, err);
    char *delta = delta_of(command, kind);
    size_t size = strlen(delta);
    kanon_change done = KANON_INIT(kanon_change);
    place release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs, .grow_taxonomy = 1, .again = 1};
    kanon_change_options joint = {.struct_size = sizeof joint, .outputs = &outputs, .joint_k = kind == TOGETHER ? 0 : 2};
    kanon_state_info *info = NULL;
    kanon_audit *audit = NULL;
    kanon_status st =
        command == INSERT
            ? kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(delta, size, "delta"), &options, &done, err)
        : command == DELETE
            ? kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(delta, size, "delta"), &options, &done, err)
        : command == UPDATE
            ? kanon_state_change(state, KANON_UPDATE, KANON_BYTES_AS(delta, size, "delta"), &options, &done, err)
        : command == OPTIMIZE ? kanon_state_improve(state, NULL, &options, &done, err)
        : command == RELEASE  ? kanon_state_release(state, &joint, &done, err)
        : command == DESCRIBE ? kanon_state_describe(&info, state, err)
                              : kanon_state_audit(&audit, state, 0, err);
    kanon_audit_free(audit);
    kanon_state_info_free(info);
    free(delta);
    return st;
}

static int n_ticks, stop_at; /* the tick that stops the work; 0: none */

static int stop(const kanon_progress *progress, void *payload)
{
    (void)progress, (void)payload;
    return ++n_ticks == stop_at;
}

static kanon_status run(const world *w, int command, kanon_error *err)
{
    kanon_state *state = NULL;
    place path = scratch("x.state"), other = scratch("new.state"), release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_state_options how = {.struct_size = sizeof how, .watch = w->kind == WATCHED, .tick = stop_at > 0 ? stop : NULL};
    if (command == CREATE)
        return kanon_state_create(other.text, w->table, w->schema, w->grouping, &outputs, &how, err);
    kanon_status st = kanon_state_open(&state, path.text, &how, err);
    if (st == KANON_OK)
        st = change(state, command, w->kind, err);
    kanon_state_close(state);
    return st;
}

/* Records and releases, as the state in the file tells. */
static int64_t content(void)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_state_info *info = NULL;
    assert_done(kanon_state_open(&state, scratch("x.state").text, NULL, &err), &err);
    assert_done(kanon_state_describe(&info, state, &err), &err);
    int64_t answer = info->records * 1000 + (int64_t)info->n_releases;
    kanon_state_info_free(info);
    kanon_state_close(state);
    return answer;
}

static void put_back(const world *w)
{
    char *schema = read_text(scratch("s.yaml").text), *csv = read_text(scratch("t.csv").text);
    entries(scratch_directory, true);
    write_text(scratch("s.yaml").text, schema);
    write_text(scratch("t.csv").text, csv);
    write_bytes(scratch("x.state").text, w->bytes, w->size);
    free(csv);
    free(schema);
}

/* Two of eight are far from all others, and are suppressed. */
static const char few[] = "id,age,city,zip,who,ill\n1,20,x,1,w,a\n2,21,x,1,w,c\n3,22,x,1,w,d\n4,20,x,1,w,a\n5,21,x,1,w,c\n"
                          "6,22,x,1,w,d\n7,9000,x,1,w,a\n8,-9000,x,1,w,c\n";

/* A state with a release, departed records and a log. */
static void make_world(world *w, int kind)
{
    static const char gone[] = "id\n7\n8\n", more[] = "id,age,city,zip,who,ill\n980,25.5,new,109,w1,a\n981,27,y,110,w5,d\n";
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    place path = scratch("x.state"), release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs, .grow_taxonomy = 1};
    entries(scratch_directory, true);
    char *csv = kind == FEW ? strdup(few) : people(1, kind == CROWDED ? 130 : 40, true);
    write_text(scratch("t.csv").text, csv);
    free(csv);
    write_text(scratch("s.yaml").text, schemas[kind]);
    *w = (world){.kind = kind};
    assert_done(kanon_schema_read(&w->schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&w->table, KANON_PATH(scratch("t.csv").text), w->schema, NULL, &err), &err);
    /* one kind has groups that a search made: each command on them searches again */
    kanon_options fast = {.struct_size = sizeof fast, .settings = &(kanon_setting){"effort", "fast"}, .n_settings = 1};
    assert_done(kanon_anonymize(&w->grouping, w->table, kind == WATCHED ? NULL : &fast, &err), &err);
    assert_done(kanon_state_create(path.text, w->table, w->schema, w->grouping, &outputs, NULL, &err), &err);
    assert_done(kanon_state_open(&state, path.text, NULL, &err), &err);
    if (kind != FEW) {
        assert_done(
            kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(gone, strlen(gone), "gone"), &options, &done, &err),
            &err);
        assert_done(
            kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(more, strlen(more), "more"), &options, &done, &err),
            &err);
    }
    if (kind == WATCHED)
        assert_done(kanon_state_release(state, &options, &done, &err), &err);
    kanon_state_close(state);
    struct stat is;
    assert_int_equal(stat(path.text, &is), 0);
    w->size = (size_t)is.st_size;
    w->bytes = read_text(path.text);
    put_back(w);
}

static void free_world(world *w)
{
    free(w->bytes);
    kanon_grouping_free(w->grouping);
    kanon_table_free(w->table);
    kanon_schema_free(w->schema);
    entries(scratch_directory, true);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

typedef struct attempt {
    int kind, command, at, look; /* look: the content is compared after every n-th */
    int64_t before, after;       /* the content of the state */
    kanon_status expected;
} attempt;

/* Entities move together or not at all; what a watched state does beside its changes, the plain one does. */
static bool is_asked(int kind, int command)
{
    if (kind == WATCHED)
        return command == INSERT || command == DELETE || command == UPDATE || command == RELEASE;
    return kind != TOGETHER || command != OPTIMIZE;
}

/* What is there once a command has failed, or has not. */
static void assert_right(const world *w, const attempt *a, kanon_status st, const kanon_error *err)
{
    if (st != KANON_OK && st != a->expected)
        fail_msg("kind %d, command %d, call %d: %s: %s", a->kind, a->command, a->at,
                 kanon_enum_text(KANON_ENUM_STATUS, st), err->message);
    if (a->kind == WATCHED && a->command == RELEASE) { /* it changes the state first */
        content();
        put_back(w);
    } else if (st == KANON_OK || a->at % a->look == 0)
        if (content() != (st == KANON_OK ? a->after : a->before))
            fail_msg("kind %d, command %d, call %d: %s, and the state is another", a->kind, a->command, a->at,
                     kanon_enum_text(KANON_ENUM_STATUS, st));
    if (st != KANON_OK && (exists(scratch("r.csv").text) || exists(scratch("new.state").text)))
        fail_msg("kind %d, command %d, call %d: a file stays", a->kind, a->command, a->at);
    if (st == KANON_OK)
        put_back(w);
}

static void statements_fail(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < N_KINDS; kind++) {
        world w;
        make_world(&w, kind);
        for (int command = 0; command < N_COMMANDS; command++) {
            kanon_error err = KANON_INIT(kanon_error);
            if (!is_asked(kind, command))
                continue;
            attempt a = {.kind = kind, .command = command, .look = 8, .before = content(), .expected = KANON_EIO};
            arm_statements(0);
            assert_done(run(&w, command, &err), &err);
            static bool worth[MOST_CALLS];
            int n = n_calls, n_failed = 0;
            arm_statements(-1);
            for (int i = 0; i < n; i++)
                worth[i] = is_worth_failing(i, n, command);
            a.after = content();
            put_back(&w);
            for (a.at = 1; a.at <= n; a.at++) {
                if (!worth[a.at - 1])
                    continue;
                arm_statements(a.at);
                kanon_status st = run(&w, command, &err);
                arm_statements(-1);
                n_failed += st != KANON_OK;
                assert_right(&w, &a, st, &err);
            }
            print_message("kind %d, command %d: %d calls, %d failed\n", kind, command, n, n_failed);
            assert_true(n_failed > 0 || kind > PLAIN);
        }
        free_world(&w);
    }
}

static void files_fail(void **unused)
{
    (void)unused;
    world w;
    make_world(&w, PLAIN);
    for (int command = 0; command < N_COMMANDS; command++) {
        kanon_error err = KANON_INIT(kanon_error);
        attempt a = {.command = command, .look = 1, .before = content(), .expected = KANON_EIO};
        arm_files(0);
        assert_done(run(&w, command, &err), &err);
        int n = n_file_calls, n_failed = 0;
        a.after = content();
        put_back(&w);
        for (a.at = 1; a.at <= n; a.at++) {
            arm_files(a.at);
            kanon_status st = run(&w, command, &err);
            arm_files(0);
            n_failed += st != KANON_OK;
            assert_right(&w, &a, st, &err);
            put_back(&w); /* a journal may wait to be rolled back */
        }
        print_message("command %d: %d calls of files, %d failed\n", command, n, n_failed);
        assert_true(n_failed > 0);
    }
    free_world(&w);
}

/* Up to 40 allocations of each command. */
static void there_is_no_memory(void **unused)
{
    (void)unused;
    for (int kind = TOGETHER; kind < N_KINDS; kind++) {
        world w;
        make_world(&w, kind);
        for (int command = 0; command < N_COMMANDS; command++) {
            kanon_error err = KANON_INIT(kanon_error);
            if (!is_asked(kind, command))
                continue;
            attempt a = {.kind = kind, .command = command, .look = 8, .before = content(), .expected = KANON_ENOMEM};
            kanon__alloc_fail_at(0, false);
            assert_done(run(&w, command, &err), &err);
            int n = (int)kanon__alloc_count(), n_failed = 0;
            int step = n / (getenv("KANON_ALL_FAULTS") != NULL ? 400 : 40) + 1;
            a.after = content();
            put_back(&w);
            for (a.at = 1 + command % step; a.at <= n; a.at += step) {
                kanon__alloc_fail_at(a.at, false);
                kanon_status st = run(&w, command, &err);
                kanon__alloc_fail_at(0, false);
                n_failed += st != KANON_OK;
                assert_right(&w, &a, st, &err);
            }
            print_message("kind %d, command %d: %d allocations, %d failed\n", kind, command, n, n_failed);
        }
        free_world(&w);
    }
}

/* Each tick of a command stops it. */
static void every_tick_stops(void **unused)
{
    (void)unused;
    for (int kind = PLAIN; kind <= CROWDED; kind += CROWDED - PLAIN) {
        world w;
        make_world(&w, kind);
        for (int command = 0; command < N_COMMANDS; command++) {
            attempt a = {.kind = kind, .command = command, .look = 1, .before = content(), .expected = KANON_ECANCELLED};
            kanon_status st = KANON_ECANCELLED;
            kanon_error err = KANON_INIT(kanon_error);
            assert_done(run(&w, command, &err), &err);
            a.after = content();
            put_back(&w);
            for (a.at = 1; st == KANON_ECANCELLED; a.at++) {
                n_ticks = 0;
                stop_at = a.at;
                st = run(&w, command, &err);
                stop_at = 0;
                assert_right(&w, &a, st, &err);
            }
            print_message("kind %d, command %d: %d ticks\n", kind, command, a.at - 2);
        }
        free_world(&w);
    }
}

/* What SQLite says, and what becomes of it. */
static void codes_have_their_status(void **unused)
{
    static const struct {
        int code;
        kanon_status status;
        const char *message;
    } cases[] = {
        {SQLITE_NOMEM, KANON_ENOMEM, "out of memory"}, {SQLITE_IOERR_NOMEM, KANON_ENOMEM, "out of memory"},
        {SQLITE_CORRUPT, KANON_EDATA, "damaged"},      {SQLITE_NOTADB, KANON_EDATA, "damaged"},
        {SQLITE_IOERR_DATA, KANON_EDATA, "checksum"},  {SQLITE_IOERR_CORRUPTFS, KANON_EDATA, "checksum"},
        {SQLITE_BUSY, KANON_EIO, "another process"},   {SQLITE_LOCKED, KANON_EIO, "another process"},
        {SQLITE_FULL, KANON_EIO, "no room"},           {SQLITE_READONLY, KANON_EIO, "read-only"},
        {SQLITE_PERM, KANON_EIO, "read-only"},         {SQLITE_IOERR_READ, KANON_EIO, "cannot read or write"},
        {SQLITE_CANTOPEN, KANON_EIO, "cannot open"},   {SQLITE_MISUSE, KANON_EINTERNAL, "x.state"},
    };
    char path[] = "x.state";
    const kanon__store store = {.path = path};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(kanon__store_fail(&store, cases[i].code, &err), cases[i].status);
        assert_holds(err.message, cases[i].message);
    }
}

/* A new store takes no file that has something in it, nor a place where none can be. */
static void stores_begin_empty(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__store store;
    (void)unused;
    write_text(scratch("full").text, "x");
    assert_int_equal(kanon__store_create(&store, scratch("full").text, NULL, &err), KANON_EIO);
    assert_file(scratch("full").text, "x");
    assert_int_equal(kanon__store_create(&store, scratch("none/x").text, NULL, &err), KANON_EIO);
    assert_int_equal(kanon__store_create(&store, scratch_directory, NULL, &err), KANON_EIO);
    write_text(scratch("empty").text, "");
    assert_done(kanon__store_create(&store, scratch("empty").text, NULL, &err), &err);
    kanon__store_close(&store);
    entries(scratch_directory, true);
}

/* ---- the last step of a commit ------------------------------------------------------------------------------------- */

static bool is_undone;

static kanon_status refuse(void *payload, bool *undone, kanon_error *err)
{
    (void)payload;
    *undone = is_undone;
    return kanon__fail(err, KANON_EIO, "no name");
}

static kanon_status agree(void *payload, bool *undone, kanon_error *err)
{
    (void)payload;
    (void)err;
    *undone = false;
    return KANON_OK;
}

/* A transaction with or without a row more, and how it ends. */
static kanon_status commit_row(kanon__store *store, bool has_row, kanon__last_step step, kanon_error *err)
{
    kanon_error own = KANON_INIT(kanon_error);
    assert_done(kanon__store_begin(store, true, &own), &own);
    if (has_row)
        assert_done(kanon__store_run(store, "INSERT INTO t VALUES(1)", &own), &own);
    if (err == NULL)
        arm_statements(1);
    kanon_status st = kanon__store_commit_with(store, step, NULL, err);
    arm_statements(-1);
    return st;
}

static void commits_say_what_was_made(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__store store;
    int64_t n;
    place path = scratch("x");
    (void)unused;
    assert_done(kanon__store_create(&store, path.text, NULL, &err), &err);
    assert_done(kanon__store_run(&store, "CREATE TABLE t(a)", &err), &err);
    assert_done(kanon__store_finish(&store, &err), &err);
    kanon__store_close(&store);
    assert_done(kanon__store_open(&store, path.text, NULL, INT_MAX, &err), &err);
    is_undone = false;
    assert_int_equal(commit_row(&store, true, refuse, &err), KANON_EIO);
    assert_string_equal(err.message, "no name");
    assert_holds(err.hint, "IS made");
    is_undone = true;
    assert_int_equal(commit_row(&store, true, refuse, &err), KANON_EIO);
    assert_null(strstr(err.hint, "IS made"));
    assert_int_equal(commit_row(&store, true, agree, NULL), KANON_EIO); /* the commit itself fails */
    assert_done(commit_row(&store, true, agree, &err), &err);
    assert_done(commit_row(&store, true, NULL, &err), &err);
    assert_done(commit_row(&store, false, NULL, &err), &err);
    assert_int_equal(commit_row(&store, false, agree, &err), KANON_EINTERNAL); /* nothing to commit, so nobody took it */
    assert_done(kanon__store_query_number(&store, &n, "SELECT count(*) FROM t", &err), &err);
    assert_int_equal(n, 3);
    kanon__store_close(&store);
    entries(scratch_directory, true);
}

/* A header that no state has: pages of another size, another room at their end, a journal of another kind. */
static void wrong_headers_are_found(void **unused)
{
    static const int places[] = {16, 18, 19, 20};
    world w;
    (void)unused;
    make_world(&w, FEW);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__store store;
        w.bytes[places[i]] ^= 2;
        write_bytes(scratch("x.state").text, w.bytes, w.size);
        w.bytes[places[i]] ^= 2;
        assert_int_equal(kanon__store_open(&store, scratch("x.state").text, NULL, 0, &err), KANON_EDATA);
        assert_holds(err.message, "damaged: its header");
    }
    static const struct {
        int place;
        char byte;
        kanon_status status;
        const char *message;
    } others[] = {{1, 'q', KANON_EDATA, "not a state"},
                  {71, 0, KANON_EDATA, "not a state"},
                  {63, 127, KANON_EVERSION, "a newer version"},
                  {63, 0, KANON_EVERSION, "an older version"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__store store;
        char was = w.bytes[others[i].place];
        w.bytes[others[i].place] = others[i].byte;
        write_bytes(scratch("x.state").text, w.bytes, w.size);
        w.bytes[others[i].place] = was;
        assert_int_equal(kanon__store_open(&store, scratch("x.state").text, NULL, 0, &err), others[i].status);
        assert_holds(err.message, others[i].message);
        assert_int_equal(kanon__store_open(&store, scratch_directory, NULL, 0, &err), KANON_EIO);
    }
    free_world(&w);
}

enum { CELLS = 3, CONTENT = 5, FREE = 1, USABLE = KANON__PAGE_SIZE - KANON__PAGE_RESERVED };

static void put(unsigned char *page, int at, int number)
{
    page[at] = (unsigned char)(number >> 8);
    page[at + 1] = (unsigned char)number;
}

/* How many bytes of a leaf page full of ones become zero, with two cells from `content` on and one free block. */
static int cleared(int content, int block, int size, int next, int kind)
{
    static unsigned char page[KANON__PAGE_SIZE];
    int n = 0;
    memset(page, 1, sizeof page);
    page[0] = (unsigned char)kind;
    put(page, FREE, block);
    put(page, CELLS, 2);
    put(page, CONTENT, content);
    if (block >= 8 && block <= USABLE - 4) {
        put(page, block, next);
        put(page, block + 2, size);
    }
    kanon__page_clear_free(page, KANON__PAGE_SIZE);
    for (int i = 12; i < KANON__PAGE_SIZE; i++)
        n += page[i] == 0 && (block == 0 || i < block || i >= block + 4);
    return n;
}

/* The gap between the pointers, which end at 12, and the cells; and free blocks but for their first four bytes. What does
 * not fit together is left as it is. */
static void free_bytes_of_pages_are_cleared(void **unused)
{
    (void)unused;
    assert_int_equal(cleared(1000, 0, 0, 0, 13), 988);
    assert_int_equal(cleared(1000, 0, 0, 0, 10), 988);
    assert_int_equal(cleared(1000, 0, 0, 0, 5), 984); /* inner pages have four more bytes in front */
    assert_int_equal(cleared(1000, 0, 0, 0, 0), 0);   /* not of a tree */
    assert_int_equal(cleared(11, 0, 0, 0, 13), 0);
    assert_int_equal(cleared(12, 0, 0, 0, 13), 0);
    assert_int_equal(cleared(USABLE, 0, 0, 0, 13), USABLE - 12);
    assert_int_equal(cleared(USABLE + 1, 0, 0, 0, 13), 0);
    assert_int_equal(cleared(1000, 1100, 50, 0, 13), 988 + 46);
    assert_int_equal(cleared(12, 1100, 50, 0, 13), 46); /* a page without a gap */
    assert_int_equal(cleared(1000, 1100, 3, 0, 13), 988);
    assert_int_equal(cleared(1000, 1100, USABLE - 1100, 0, 13), 988 + USABLE - 1104);
    assert_int_equal(cleared(1000, 1100, USABLE - 1099, 0, 13), 988);
    assert_int_equal(cleared(1000, 1100, 50, 1100, 13), 988);        /* it follows itself */
    assert_int_equal(cleared(1000, 1100, 50, 999, 13), 988);         /* or one before it */
    assert_int_equal(cleared(1000, 1100, 50, USABLE, 13), 988 + 46); /* or one that is none */
    assert_int_equal(cleared(1000, 900, 50, 0, 13), 988 - 4);        /* a block in the gap is cleared with it */
}

static void zero_pages_need_no_checksum(void **unused)
{
    static unsigned char page[KANON__PAGE_SIZE];
    (void)unused;
    assert_true(kanon__page_checksum_holds(page, 0));
    page[KANON__PAGE_SIZE - 20] = 1;
    assert_false(kanon__page_checksum_holds(page, 0));
    page[0] = 1;
    assert_false(kanon__page_checksum_holds(page, 0));
    kanon__page_write_checksum(page, KANON__PAGE_SIZE);
    assert_true(kanon__page_checksum_holds(page, KANON__PAGE_SIZE));
    assert_false(kanon__page_checksum_holds(page, 0)); /* in another place */
}

static int set_up(void **state)
{
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    register_vfs();
    return make_scratch(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(codes_have_their_status, no_leak),
        cmocka_unit_test_teardown(stores_begin_empty, no_leak),
        cmocka_unit_test_teardown(commits_say_what_was_made, no_leak),
        cmocka_unit_test_teardown(wrong_headers_are_found, no_leak),
        cmocka_unit_test_teardown(free_bytes_of_pages_are_cleared, no_leak),
        cmocka_unit_test_teardown(zero_pages_need_no_checksum, no_leak),
        cmocka_unit_test_teardown(statements_fail, no_leak),
        cmocka_unit_test_teardown(files_fail, no_leak),
        cmocka_unit_test_teardown(there_is_no_memory, no_leak),
        cmocka_unit_test_teardown(every_tick_stops, no_leak),
    };
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
