/* What lies below a state fails: each allocation of the library, and allocations inside SQLite, one after the other, for
 * every command and for making a state. The call says so, nothing is changed, nothing is leaked, no file stays. */
#include "core/alloc.h"
#include "support.h"

#include <sqlite3.h>

static const char yaml[] = "missing: '?'\n"
                           "joint-k: off\nattributes:\n"
                           "  id: {role: identifying}\n"
                           "  age: {role: quasi, type: decimal, weight: 2}\n"
                           "  city: {role: quasi}\n"
                           "  zip: {role: quasi, mask: left}\n"
                           "  ill: {role: sensitive, taxonomy: {a: , b: {c: , d: }}}\n"
                           "privacy:\n"
                           "  k: 2\n"
                           "  constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}]\n"
                           "key: [id]\n";
static const char csv[] = "id,age,city,zip,ill\n1,20,x,101,a\n2,21,x,102,c\n3,30,y,103,d\n4,31,y,104,a\n5,40,z,105,c\n"
                          "6,41,?,106,d\n7,50,z,107,a\n8,?,x,108,c\n";
static const char more[] = "id,age,city,zip,ill\n10,25.5,new,109,a\n11,27,y,110,new\n";

/* ---- SQLite's memory --------------------------------------------------------------------------------------------- */

static sqlite3_mem_methods standard;
static int64_t n_calls, fail_at; /* fail_at 0: never */

static bool fails(void)
{
    return ++n_calls == fail_at;
}

static void *failing_malloc(int size)
{
    return fails() ? NULL : standard.xMalloc(size);
}

static void *failing_realloc(void *old, int size)
{
    return fails() ? NULL : standard.xRealloc(old, size);
}

static void set_up_memory(void)
{
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &standard), SQLITE_OK);
    sqlite3_mem_methods own = standard;
    own.xMalloc = failing_malloc;
    own.xRealloc = failing_realloc;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &own), SQLITE_OK);
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0), SQLITE_OK); /* every allocation is one of these */
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

enum { CREATE, INSERT, DELETE, UPDATE, OPTIMIZE, RELEASE, DESCRIBE, AUDIT, N_COMMANDS };

typedef struct world {
    kanon_schema *schema;
    kanon_table *table;
    kanon_grouping *grouping;
} world;

static kanon_status change(kanon_state *state, int command, kanon_error *err)
{
    static const char extra[] = "id,age,city,zip,ill\n12,26.75,newer,112,a\n13,28,y,113,newer\n";
    static const char gone[] = "id\n1\n8\n10\n", other[] = "id,age,city,zip\n3,32.25,z,111\n";
    kanon_change done = KANON_INIT(kanon_change);
    place release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs, .grow_taxonomy = 1, .again = 1};
    kanon_change_options joint = {.struct_size = sizeof joint, .outputs = &outputs, .joint_k = 2};
    kanon_state_info *info = NULL;
    kanon_audit *audit = NULL;
    kanon_status st =
        command == INSERT
            ? kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(extra, strlen(extra), "extra"), &options, &done, err)
        : command == DELETE
            ? kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(gone, strlen(gone), "gone"), &options, &done, err)
        : command == UPDATE
            ? kanon_state_change(state, KANON_UPDATE, KANON_BYTES_AS(other, strlen(other), "other"), &options, &done, err)
        : command == OPTIMIZE ? kanon_state_improve(state, NULL, &options, &done, err)
        : command == RELEASE  ? kanon_state_release(state, &joint, &done, err)
        : command == DESCRIBE ? kanon_state_describe(&info, state, err)
                              : kanon_state_audit(&audit, state, 0, err);
    kanon_audit_free(audit);
    kanon_state_info_free(info);
    return st;
}

static kanon_status run(const world *w, int command, kanon_error *err)
{
    kanon_state *state = NULL;
    place path = scratch("x.state"), other = scratch("new.state"), release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    if (command == CREATE)
        return kanon_state_create(other.text, w->table, w->schema, w->grouping, &outputs, NULL, err);
    kanon_status st = kanon_state_open(&state, path.text, NULL, err);
    if (st == KANON_OK)
        st = change(state, command, err);
    kanon_state_close(state);
    return st;
}

/* A state with releases, departed records and a log. */
static void make_world(world *w)
{
    static const char gone[] = "id\n2\n";
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    place path = scratch("x.state"), release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs, .grow_taxonomy = 1};
    *w = (world){0};
    write_text(scratch("s.yaml").text, yaml);
    write_text(scratch("t.csv").text, csv);
    assert_done(kanon_schema_read(&w->schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&w->table, KANON_PATH(scratch("t.csv").text), w->schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&w->grouping, w->table, NULL, &err), &err);
    assert_done(kanon_state_create(path.text, w->table, w->schema, w->grouping, &outputs, NULL, &err), &err);
    assert_done(kanon_state_open(&state, path.text, NULL, &err), &err);
    assert_done(kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(gone, strlen(gone), "gone"), &options, &done, &err),
                &err);
    assert_done(kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(more, strlen(more), "more"), &options, &done, &err),
                &err);
    kanon_state_close(state);
    unlink(release.text);
}

static void free_world(world *w)
{
    kanon_grouping_free(w->grouping);
    kanon_table_free(w->table);
    kanon_schema_free(w->schema);
    entries(scratch_directory, true);
}

typedef struct original {
    char *bytes;
    size_t size;
} original;

static original load(void)
{
    struct stat is;
    assert_int_equal(stat(scratch("x.state").text, &is), 0);
    return (original){read_text(scratch("x.state").text), (size_t)is.st_size};
}

static void put_back(const original *o)
{
    write_bytes(scratch("x.state").text, o->bytes, o->size);
    unlink(scratch("new.state").text);
    unlink(scratch("r.csv").text);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void assert_sound(const char *path, int command, int64_t at)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_state_info *info = NULL;
    kanon_status st = kanon_state_open(&state, path, NULL, &err);
    if (st == KANON_OK)
        st = kanon_state_describe(&info, state, &err);
    if (st != KANON_OK)
        fail_msg("command %d, allocation %d: done, but %s", command, (int)at, err.message);
    kanon_state_info_free(info);
    kanon_state_close(state);
}

/* Up to `most` of them; with KANON_ALL_FAULTS every one. */
static void fail_each(void (*arm)(int64_t at), int64_t (*count)(void), int64_t most)
{
    world w;
    if (getenv("KANON_ALL_FAULTS") != NULL)
        most = INT64_MAX;
    make_world(&w);
    original before = load();
    for (int command = 0; command < N_COMMANDS; command++) {
        kanon_error err = KANON_INIT(kanon_error);
        arm(0);
        assert_done(run(&w, command, &err), &err);
        int64_t n = count(), step = n / most + 1, n_failed = 0;
        put_back(&before);
        for (int64_t at = 1; at <= n; at += step) {
            arm(at);
            kanon_status st = run(&w, command, &err);
            arm(0);
            if (st == KANON_OK) { /* SQLite can do without some; what it then wrote is whole */
                assert_sound(scratch(command == CREATE ? "new.state" : "x.state").text, command, at);
                put_back(&before);
                continue;
            }
            n_failed++;
            if (st != KANON_ENOMEM && st != KANON_EIO)
                fail_msg("command %d, allocation %d: %s: %s", command, (int)at,
                         kanon_enum_text(KANON_ENUM_STATUS, st), err.message);
            if (exists(scratch("r.csv").text) || exists(scratch("new.state").text))
                fail_msg("command %d, allocation %d: a file stays", command, (int)at);
            if (at % 16 == 1)
                assert_done(run(&w, DESCRIBE, &err), &err);
        }
        print_message("command %d: %d allocations, %d failed\n", command, (int)n, (int)n_failed);
        assert_true(n_failed > 0);
        original now = load();
        assert_int_equal(now.size, before.size);
        assert_memory_equal(now.bytes, before.bytes, now.size);
        free(now.bytes);
        put_back(&before);
    }
    free(before.bytes);
    free_world(&w);
}

static void arm_sqlite(int64_t at)
{
    n_calls = 0;
    fail_at = at;
}

static int64_t count_sqlite(void)
{
    return n_calls;
}

static void sqlite_has_no_memory(void **unused)
{
    (void)unused;
    fail_each(arm_sqlite, count_sqlite, 50);
}

static void arm_library(int64_t at)
{
    kanon__alloc_fail_at(at, false);
}

static void the_library_has_no_memory(void **unused)
{
    (void)unused;
    fail_each(arm_library, kanon__alloc_count, 120);
}

static int set_up(void **state)
{
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    set_up_memory();
    return make_scratch(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(sqlite_has_no_memory, no_leak),
        cmocka_unit_test_teardown(the_library_has_no_memory, no_leak),
    };
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
