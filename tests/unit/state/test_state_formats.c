/* States of earlier formats: tests/states has one of each, made by the last program that wrote it. Reading changes
 * nothing; the first command that changes one brings it to the format of today in the same transaction, or leaves it as
 * it was.
 *
 * Run with a name, the program writes the state of its own time to that file. Before the format changes:
 *     build/dev/tests/test_state_formats tests/states/format-N.state */
#include "core/alloc.h"
#include "state/store/page_checksum.h"
#include "state/store/store.h"
#include "support.h"

#include <sqlite3.h>
#include <sys/wait.h>

static const char yaml[] =
    "joint-k: off\n"
    "missing: ['?']\n"
    "attributes:\n"
    "  id: {role: identifying}\n"
    "  age: {role: quasi, type: integer, weight: 2}\n"
    "  pay: {role: quasi, type: decimal, bands: 50}\n"
    "  stage: {role: quasi, type: ordinal, order: [none, early, late]}\n"
    "  job: {role: quasi, taxonomy: {cook: , baker: , office: {clerk: , boss: }}}\n"
    "  zip: {role: quasi, mask: right}\n"
    "  ill: {role: sensitive}\n"
    "  who: {role: identifying}\n"
    "privacy: {k: 3, constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}], suppress: 0.05}\n"
    "entity: who\n"
    "entity-together: true\n"
    "key: [id]\n";
static const char columns[] = "id,age,pay,stage,job,zip,ill,who\n";

enum { CLUSTERS = 14, MEMBERS = 6, ROOM = 16384 };

/* Record `m` of a cluster; clusters are far apart, so that every algorithm finds the same groups. Two records are a
 * person's. */
static void add_record(char csv[ROOM], int cluster, int m)
{
    static const char *const jobs[] = {"cook", "baker", "clerk", "boss"};
    static const char *const stages[] = {"none", "early", "late"};
    size_t used = strlen(csv);
    snprintf(csv + used, ROOM - used, "p%d-%d,%d,%d.%d,%s,%s,%d%02d,%s,w%d-%d\n", cluster, m, 5 + cluster * 20 + m,
             cluster * 60 + m, m % 3, stages[cluster % 3], m == 5 && cluster == 1 ? "?" : jobs[cluster % 4],
             100 + cluster * 37, m, m % 2 ? "flu" : "cold", cluster, m / 2);
}

/* ---- a state's life ---------------------------------------------------------------------------------------------- */

static void change(const char *path, kanon_change_kind kind, const char *delta, const char *release)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = release != NULL ? &outputs : NULL};
    assert_done(kanon_state_open(&state, path, NULL, &err), &err);
    assert_done(kanon_state_change(state, kind, KANON_BYTES_AS(delta, strlen(delta), "delta"), &options, &done, &err), &err);
    kanon_state_close(state);
}

static void create(const char *path, const char *release)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    char csv[ROOM];
    kanon_options options = {.struct_size = sizeof options, .algorithm = "kmember"};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release)};
    snprintf(csv, sizeof csv, "%s", columns);
    for (int cluster = 0; cluster < CLUSTERS; cluster++)
        for (int m = 0; m < MEMBERS; m++)
            add_record(csv, cluster, m);
    assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(yaml, strlen(yaml), "schema"), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_BYTES_AS(csv, strlen(csv), "table"), schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    assert_int_equal(kanon_grouping_describe(grouping)->groups, CLUSTERS);
    assert_done(kanon_state_create(path, table, schema, grouping, &outputs, NULL, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* What happened to the states of tests/states: every table of the file has rows afterwards. */
static void live(const char *path, const char *release)
{
    char more[ROOM];
    create(path, release);
    change(path, KANON_DELETE, "id\np2-0\np2-1\np9-2\np9-3\n", release); /* persons of two groups, which are dissolved */
    snprintf(more, sizeof more, "%s", columns);
    for (int m = MEMBERS; m < 2 * MEMBERS; m++)
        add_record(more, 3, m); /* a group that is split */
    change(path, KANON_INSERT, more, release);
    change(path, KANON_UPDATE, "id,age,pay\np5-4,121,302.25\n", NULL); /* one digit more */
    snprintf(more, sizeof more, "%s", columns);
    add_record(more, 20, 0);
    change(path, KANON_INSERT, more, NULL);
}

/* What happens to both afterwards. */
static void live_on(const char *path, const char *release)
{
    char more[ROOM];
    snprintf(more, sizeof more, "%s", columns);
    for (int m = 0; m < MEMBERS; m++)
        add_record(more, 21, m);
    change(path, KANON_INSERT, more, NULL);
    change(path, KANON_DELETE, "id\np3-6\np3-7\np20-0\n", release);
    change(path, KANON_UPDATE, "id,zip\np5-4,28504\n", release);
    snprintf(more, sizeof more, "%s", columns);
    add_record(more, 22, 0);
    change(path, KANON_INSERT, more, NULL);
}

/* ---- what a state holds ------------------------------------------------------------------------------------------ */

static place fixture(int version)
{
    place out;
    const char *source = getenv("KANON_SOURCE");
    snprintf(out.text, sizeof out.text, "%s/tests/states/format-%d.state", source != NULL ? source : ".", version);
    return out;
}

typedef struct bytes {
    char *at;
    size_t size;
} bytes;

static bytes load(const char *path)
{
    struct stat is;
    assert_int_equal(stat(path, &is), 0);
    return (bytes){read_text(path), (size_t)is.st_size};
}

static void copy_fixture(int version, const char *to)
{
    bytes from = load(fixture(version).text);
    write_bytes(to, from.at, from.size);
    free(from.at);
}

static void assert_same_bytes(const char *path, int version)
{
    bytes now = load(path), then = load(fixture(version).text);
    assert_int_equal(now.size, then.size);
    assert_memory_equal(now.at, then.at, now.size);
    free(now.at);
    free(then.at);
}

static int format_of(const char *path)
{
    bytes file = load(path);
    int format = (unsigned char)file.at[63]; /* of the user version, four bytes from 60 on */
    free(file.at);
    return format;
}

/* All that differs between two states with the same life: a secret and what is hashed with it, when, and by which
 * program. */
static const char *const tables[] = {
    "SELECT name, value FROM meta WHERE name NOT IN ('secret', 'last_delta', 'program') ORDER BY name",
    "SELECT * FROM missing ORDER BY 1",
    "SELECT * FROM columns ORDER BY 1",
    "SELECT * FROM trees ORDER BY 1, 2",
    "SELECT * FROM requirements ORDER BY 1, 2",
    "SELECT * FROM records ORDER BY 1",
    "SELECT * FROM new_names ORDER BY 1, 2",
    "SELECT * FROM tallies ORDER BY 1, 2",
    "SELECT * FROM entity_index ORDER BY 1, 2",
    "SELECT * FROM node_pages ORDER BY 1",
    "SELECT * FROM member_pages ORDER BY 1",
    "SELECT * FROM log_parts ORDER BY 1",
    /* the program that made the file added losses up in another way: the last digits of a double may differ */
    "SELECT number, sha256, records, groups, suppressed, withheld, k, round(loss, 12), joint FROM releases ORDER BY 1",
    "SELECT * FROM membership_history ORDER BY 1, 2",
    "SELECT id, shown, since, until, length(hashes) FROM departed_records ORDER BY 1",
    "SELECT number, command, records, groups, detail FROM history ORDER BY 1",
    "SELECT type, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY 2",
};
enum { N_TABLES = sizeof tables / sizeof *tables };

static sqlite3 *open_file(const char *path)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    return db;
}

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *out = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &out, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    return out;
}

/* How many rows both have. */
static int compare_table(sqlite3 *left, sqlite3 *right, const char *sql)
{
    sqlite3_stmt *a = prepare(left, sql), *b = prepare(right, sql);
    int n = 0, more;
    for (; (more = sqlite3_step(a)) == sqlite3_step(b) && more == SQLITE_ROW; n++)
        for (int i = 0; i < sqlite3_column_count(a); i++) {
            if (sqlite3_column_type(a, i) == sqlite3_column_type(b, i) &&
                sqlite3_column_bytes(a, i) == sqlite3_column_bytes(b, i) &&
                (sqlite3_column_bytes(a, i) == 0 ||
                 memcmp(sqlite3_column_blob(a, i), sqlite3_column_blob(b, i), (size_t)sqlite3_column_bytes(a, i)) == 0))
                continue;
            fail_msg("%s: row %d, column %d", sql, n, i);
        }
    if (more != SQLITE_DONE)
        fail_msg("%s: not as many rows", sql);
    sqlite3_finalize(a);
    sqlite3_finalize(b);
    return n;
}

/* `full`: a table without rows would show nothing. */
static void assert_same_state(const char *left, const char *right, bool full)
{
    sqlite3 *a = open_file(left), *b = open_file(right);
    for (int i = 0; i < N_TABLES; i++)
        if (compare_table(a, b, tables[i]) == 0 && full)
            fail_msg("%s: no rows", tables[i]);
    sqlite3_close(a);
    sqlite3_close(b);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static kanon_status look(const char *path, int64_t *records, kanon_error *err)
{
    kanon_state *state = NULL;
    kanon_state_info *info = NULL;
    kanon_audit *audit = NULL;
    kanon_state_options no_wait = {.struct_size = sizeof no_wait, .wait_seconds = -1};
    kanon_status st = kanon_state_open(&state, path, &no_wait, err);
    if (st == KANON_OK)
        st = kanon_state_describe(&info, state, err);
    if (st == KANON_OK)
        st = kanon_state_audit(&audit, state, 0, err);
    if (st == KANON_OK) {
        *records = info->records;
        assert_int_equal(audit->departed, info->departed);
    }
    kanon_audit_free(audit);
    kanon_state_info_free(info);
    kanon_state_close(state);
    return st;
}

/* A file and a folder that nobody may write are enough, and the same tables are seen. */
static void reading_changes_nothing(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    place folder = scratch("folder"), old = inside(folder.text, "old.state"), now = scratch("now.state");
    int64_t records;
    (void)unused;
    assert_int_equal(mkdir(folder.text, 0700), 0);
    copy_fixture(5, old.text);
    assert_int_equal(chmod(old.text, 0400), 0);
    assert_int_equal(chmod(folder.text, 0500), 0);
    assert_done(look(old.text, &records, &err), &err);
    assert_int_equal(records, CLUSTERS * MEMBERS - 4 + MEMBERS + 1);
    assert_int_equal(entries(folder.text, false), 1);
    assert_same_bytes(old.text, 5);
    assert_int_equal(chmod(folder.text, 0700), 0);
    live(now.text, scratch("r.csv").text);
    assert_done(look(now.text, &records, &err), &err);
    assert_int_equal(records, CLUSTERS * MEMBERS - 4 + MEMBERS + 1);
    entries(scratch_directory, true);
}

/* ---- changing ---------------------------------------------------------------------------------------------------- */

/* The old state has the life of a new one behind it; the rest of it gives the same releases and the same tables. */
static void changing_brings_up(void **unused)
{
    place old = scratch("old.state"), now = scratch("now.state"), left = scratch("l.csv"), right = scratch("r.csv");
    (void)unused;
    copy_fixture(5, old.text);
    live(now.text, right.text);
    assert_int_equal(format_of(old.text), 5);
    live_on(old.text, left.text);
    live_on(now.text, right.text);
    assert_int_equal(format_of(old.text), KANON__STATE_VERSION);
    char *release = read_text(left.text);
    assert_file(right.text, release);
    free(release);
    assert_same_state(old.text, now.text, true);
    entries(scratch_directory, true);
}

static kanon_status run(const char *path, const char *delta, kanon_error *err)
{
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    place release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    kanon_status st = kanon_state_open(&state, path, NULL, err);
    if (st == KANON_OK)
        st = kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(delta, strlen(delta), "delta"), &options, &done, err);
    kanon_state_close(state);
    return st;
}

static const char gone[] = "id\np3-6\np3-7\n";

/* A command that fails has not changed the format either; it cannot change one in a file that is only read. */
static void failing_leaves_it(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    place old = scratch("old.state");
    (void)unused;
    copy_fixture(5, old.text);
    assert_int_equal(run(old.text, "id\nnobody\n", &err), KANON_EDATA);
    assert_same_bytes(old.text, 5);
    assert_int_equal(chmod(old.text, 0400), 0);
    if (geteuid() != 0) {
        assert_int_equal(run(old.text, gone, &err), KANON_EIO);
        assert_holds(err.message, "read-only");
        assert_same_bytes(old.text, 5);
    }
    assert_int_equal(chmod(old.text, 0600), 0);
    assert_done(run(old.text, gone, &err), &err);
    entries(scratch_directory, true);
}

/* Who opened a state before another brought it up goes on with it. */
static void both_at_once(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *first = NULL;
    kanon_state_info *info = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    place old = scratch("old.state");
    (void)unused;
    copy_fixture(5, old.text);
    assert_done(kanon_state_open(&first, old.text, NULL, &err), &err);
    assert_done(kanon_state_describe(&info, first, &err), &err);
    kanon_state_info_free(info);
    change(old.text, KANON_DELETE, gone, NULL);
    assert_done(kanon_state_describe(&info, first, &err), &err);
    assert_int_equal(info->n_history, 6);
    kanon_state_info_free(info);
    assert_done(kanon_state_change(first, KANON_UPDATE, KANON_BYTES_AS("id,age\np1-1,30\n", 15, "delta"), NULL, &done, &err),
                &err);
    assert_done(kanon_state_describe(&info, first, &err), &err);
    assert_int_equal(info->n_history, 7);
    kanon_state_info_free(info);
    kanon_state_close(first);
    entries(scratch_directory, true);
}

/* A file that says one format and has the tables of the other, or lacks one, is damaged, and stays as it is. */
static void mixed_formats_are_damage(void **unused)
{
    static const char *const damages[] = {"PRAGMA user_version = 6", "ALTER TABLE crowds RENAME TO member_pages",
                                          "DROP TABLE persons", "CREATE TABLE node_pages(id INTEGER PRIMARY KEY)",
                                          "ALTER TABLE tallies RENAME COLUMN place TO code"};
    (void)unused;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__store store;
        place old = scratch("old.state");
        int64_t records;
        copy_fixture(5, old.text);
        assert_done(kanon__store_open(&store, old.text, NULL, 0, &err), &err);
        assert_done(kanon__store_begin(&store, true, &err), &err);
        assert_done(kanon__store_run(&store, damages[i], &err), &err);
        assert_done(kanon__store_commit(&store, &err), &err);
        kanon__store_close(&store);
        bytes before = load(old.text);
        assert_int_equal(look(old.text, &records, &err), KANON_EDATA);
        assert_int_equal(run(old.text, gone, &err), KANON_EDATA);
        assert_holds(err.message, "its tables");
        bytes after = load(old.text);
        assert_int_equal(after.size, before.size);
        assert_memory_equal(after.at, before.at, after.size);
        free(after.at);
        free(before.at);
    }
    entries(scratch_directory, true);
}

static void no_memory(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    place old = scratch("old.state"), release = scratch("r.csv");
    (void)unused;
    copy_fixture(5, old.text);
    kanon__alloc_fail_at(0, false);
    assert_done(run(old.text, gone, &err), &err);
    int64_t n = kanon__alloc_count();
    copy_fixture(5, old.text);
    unlink(release.text);
    for (int64_t i = 1; i <= n; i += n / 60 + 1) {
        kanon__alloc_fail_at(i, false);
        kanon_status st = run(old.text, gone, &err);
        kanon__alloc_fail_at(0, false);
        assert_int_equal(st, KANON_ENOMEM);
        assert_false(exists(release.text));
    }
    assert_same_bytes(old.text, 5);
    entries(scratch_directory, true);
}

/* ---- kills ------------------------------------------------------------------------------------------------------- */

/* The calls of the system that change files: the process ends at the n-th, a write half done, others not at all. */
static int calls_left;

static bool is_last_call(void)
{
    return calls_left > 0 && --calls_left == 0;
}

static ssize_t counted_write(int file, const void *from, size_t size)
{
    if (!is_last_call())
        return write(file, from, size);
    _exit(write(file, from, size / 2) < 0 ? 1 : 9);
}

static ssize_t counted_pwrite(int file, const void *from, size_t size, off_t at)
{
    if (!is_last_call())
        return pwrite(file, from, size, at);
    _exit(pwrite(file, from, size / 2, at) < 0 ? 1 : 9);
}

static int counted_cut(int file, off_t size)
{
    if (is_last_call())
        _exit(9);
    return ftruncate(file, size);
}

/* The last step of a commit is the layer's own: page_checksum.c. */
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_unlink(const char *path);
int __wrap_unlink(const char *path);

int __wrap_rename(const char *from, const char *to)
{
    if (is_last_call())
        _exit(9);
    return __real_rename(from, to);
}

int __wrap_unlink(const char *path)
{
    if (is_last_call())
        _exit(9);
    return __real_unlink(path);
}

/* Not every build of SQLite has all of them. */
static void count_calls(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find("unix");
    vfs->xSetSystemCall(vfs, "write", (sqlite3_syscall_ptr)counted_write);
    vfs->xSetSystemCall(vfs, "pwrite", (sqlite3_syscall_ptr)counted_pwrite);
    if (sizeof(off_t) == 8)
        vfs->xSetSystemCall(vfs, "pwrite64", (sqlite3_syscall_ptr)counted_pwrite);
    vfs->xSetSystemCall(vfs, "unlink", (sqlite3_syscall_ptr)__wrap_unlink);
    vfs->xSetSystemCall(vfs, "ftruncate", (sqlite3_syscall_ptr)counted_cut);
}

/* The exit status of a process that changes the state and ends at the n-th call; 0: it came to its end. */
static int change_and_end(const char *path, int call)
{
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_state *state = NULL;
        kanon_change done = KANON_INIT(kanon_change);
        calls_left = call;
        kanon_status st = kanon_state_open(&state, path, NULL, &err);
        if (st == KANON_OK)
            st = kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(gone, strlen(gone), "delta"), NULL, &done, &err);
        _exit(st == KANON_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* At whichever call: afterwards it is the old state, read as it is, or the new one in the new format. */
static void killed(void **unused)
{
    place old = scratch("old.state"), now = scratch("now.state");
    int n_old = 0, n_new = 0, status = 9;
    (void)unused;
    count_calls();
    copy_fixture(5, now.text);
    change(now.text, KANON_DELETE, gone, NULL);
    for (int call = 1; status != 0; call++) {
        kanon_error err = KANON_INIT(kanon_error);
        int64_t records;
        copy_fixture(5, old.text);
        unlink(scratch("old.state-journal").text);
        status = change_and_end(old.text, call);
        assert_true(status == 9 || status == 0);
        assert_done(look(old.text, &records, &err), &err);
        if (format_of(old.text) == 5) { /* the journal was rolled back when it was read */
            assert_same_bytes(old.text, 5);
            n_old++;
            change(old.text, KANON_DELETE, gone, NULL); /* what is left does not disturb the next attempt */
        } else
            n_new++;
        assert_same_state(old.text, now.text, false); /* a delete leaves no log */
    }
    print_message("%d as before, %d as after\n", n_old, n_new);
    assert_true(n_old > 5 && n_new > 1);
    entries(scratch_directory, true);
}

static int set_up(void **state)
{
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return make_scratch(state);
}

int main(int n, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reading_changes_nothing, no_leak), cmocka_unit_test_teardown(changing_brings_up, no_leak),
        cmocka_unit_test_teardown(failing_leaves_it, no_leak),       cmocka_unit_test_teardown(both_at_once, no_leak),
        cmocka_unit_test_teardown(mixed_formats_are_damage, no_leak), cmocka_unit_test_teardown(no_memory, no_leak),
        cmocka_unit_test_teardown(killed, no_leak),
    };
    if (n > 1) {
        place release = {"/dev/null"};
        live(arguments[1], release.text);
        return 0;
    }
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
