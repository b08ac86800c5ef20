/* Tables behind drivers: a driver that fails at each of its calls in turn leaves nothing half-written and nothing in a
 * message; one that changes a value is found out; locations and their names; SQLite files. */
#include "core/alloc.h"
#include "database/location.h"
#include "drivers/fake_driver.h"
#include "support.h"

#include <kanon_arrow.h>
#include <kanon_host.h>

#include <dlfcn.h>
#include <stdlib.h>

static const char input[] = "adbc:postgresql?uri=postgresql://" FAKE_SECRET "/db&password=hunter2&table=people";
static const char output[] = "adbc:postgresql?uri=postgresql://" FAKE_SECRET "/db&table=released";
static const char yaml[] = "attributes:\n  age: {role: quasi}\n  city: {role: sensitive}\nprivacy: {k: 4}\n";

static void (*reset)(int fail_at, bool damages);
static void (*forget_rollback)(void);
static const fake_state *(*fake)(void);

static int load_fake(void **state)
{
    (void)state;
    char path[4096];
    setenv("KANON_DRIVER_PATH", FAKE_DRIVERS, 1);
    snprintf(path, sizeof path, "%s/libadbc_driver_postgresql.so", FAKE_DRIVERS);
    void *library = dlopen(path, RTLD_NOW), *found;
    assert_non_null(library);
    found = dlsym(library, "fake_reset");
    memcpy(&reset, &found, sizeof reset);
    found = dlsym(library, "fake_forget_rollback");
    memcpy(&forget_rollback, &found, sizeof forget_rollback);
    found = dlsym(library, "fake_now");
    memcpy(&fake, &found, sizeof fake);
    return make_scratch(state);
}

static void assert_discreet(const kanon_error *err)
{
    static const char *const secrets[] = {"hunter2", "Anna", "example.org", "SELECT"};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        assert_null(strstr(err->message, secrets[i]));
        assert_null(strstr(err->hint, secrets[i]));
    }
}

/* From table to table, with the groups in a file. */
static kanon_status run(kanon_error *err)
{
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_options options = {.struct_size = sizeof options, .algorithm = "mondrian"};
    place groups = scratch("groups.csv");
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_PATH(output), .groups = KANON_TO_PATH(groups.text)};
    assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(yaml, sizeof yaml - 1, "s"), NULL, err), err);
    kanon_status st = kanon_table_read(&table, KANON_PATH(input), schema, NULL, err);
    if (st == KANON_OK)
        st = kanon_anonymize(&grouping, table, &options, err);
    if (st == KANON_OK)
        st = kanon_publish(table, grouping, &outputs, err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return st;
}

/* The calls that end things may fail without harm: all that was asked for is done by then. */
static void test_each_call_fails(void **state)
{
    (void)state;
    place groups = scratch("groups.csv");
    int failed = 0;
    reset(0, false);
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(run(&err), &err);
    int calls = fake()->calls;
    assert_int_equal(fake()->kept_rows, 12);
    for (int at = 1; at <= calls; at++) {
        unlink(groups.text);
        reset(at, false);
        err = (kanon_error)KANON_INIT(kanon_error);
        kanon_status st = run(&err);
        assert_discreet(&err);
        if (st != KANON_OK) {
            failed++;
            assert_int_equal(st, KANON_EIO);
            assert_false(exists(groups.text));
            assert_int_equal(fake()->kept_rows, FAKE_OLD_ROWS);
            assert_holds(err.message, "adbc:postgresql");
        } else {
            assert_true(exists(groups.text));
            assert_int_equal(fake()->kept_rows, 12);
        }
        reset(0, false);
        assert_int_equal(fake()->alive, 0);
    }
    assert_true(failed > 30); /* all but the calls that end something */
    unlink(groups.text);
}

/* Such a driver cannot keep the promise: it is refused before anything is done. */
static void test_a_driver_without_rollback(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    reset(0, false);
    forget_rollback();
    assert_int_equal(run(&err), KANON_EIO);
    assert_holds(err.message, "no transactions");
    assert_int_equal(fake()->kept_rows, FAKE_OLD_ROWS);
    assert_int_equal(fake()->alive, 0);
    reset(0, false);
}

static void test_a_changed_value_is_found(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    reset(0, true);
    assert_int_equal(run(&err), KANON_EIO);
    assert_holds(err.message, "does not read back");
    assert_int_equal(fake()->kept_rows, FAKE_OLD_ROWS);
    assert_false(exists(scratch("groups.csv").text));
}

#ifdef KANON_TEST_HOOKS
static void test_no_memory(void **state)
{
    (void)state;
    kanon_status st = KANON_ENOMEM;
    for (int64_t at = 1; st != KANON_OK; at++) {
        struct ArrowArrayStream stream = {0};
        kanon_error err = KANON_INIT(kanon_error);
        reset(0, false);
        kanon__alloc_fail_at(at, false);
        st = kanon_open_stream(&stream, input, NULL, &err);
        for (bool more = st == KANON_OK; more;) {
            struct ArrowArray batch = {0};
            int code = stream.get_next(&stream, &batch);
            st = code == 0 ? st : KANON_ENOMEM;
            more = code == 0 && batch.release != NULL;
            if (batch.release != NULL)
                batch.release(&batch);
        }
        kanon__alloc_fail_at(0, false);
        if (stream.release != NULL)
            stream.release(&stream);
        assert_true(st == KANON_OK || st == KANON_ENOMEM);
        reset(0, false);
    }
    assert_int_equal(fake()->alive, 0);
}
#endif

/* ---- locations ---------------------------------------------------------------------------------------------------- */

static void assert_name(const char *location, const char *expected)
{
    char name[256];
    kanon_location_name(name, sizeof name, location);
    assert_string_equal(name, expected);
}

static void test_names(void **state)
{
    (void)state;
    assert_name("a/b.csv", "a/b.csv");
    assert_name("a.db#t", "a.db#t");
    assert_name("adbc:postgresql?uri=secret&table=t", "adbc:postgresql#t");
    assert_name("adbc:postgresql?table=a%20b&uri=secret", "adbc:postgresql#a b");
    assert_name("adbc:duckdb?query=SELECT 'x' AS \"table=1\"", "adbc:duckdb");
    assert_name("adbc:duckdb?query=SELECT 1&table=secret", "adbc:duckdb");
    assert_name("adbc:", "adbc:");
}

static void test_options(void **state)
{
    (void)state;
    kanon__location l;
    kanon_error err = KANON_INIT(kanon_error);
    place file = scratch("password");
    char text[8192];
    write_text(file.text, "s3cret\nsecond line\n");
    setenv("KANON_TEST_URI", "postgresql://u:p@h/d?x=1&y=2", 1);
    snprintf(text, sizeof text, "adbc:postgresql?uri-env=KANON_TEST_URI&password-file=%s&x=%%26%%3D&schema=a&table=b",
             file.text);
    assert_done(kanon__location_to_read(&l, text, &err), &err);
    assert_int_equal(l.n_options, 3);
    assert_string_equal(l.options[0].key, "uri");
    assert_string_equal(l.options[0].value, "postgresql://u:p@h/d?x=1&y=2");
    assert_string_equal(l.options[1].key, "password");
    assert_string_equal(l.options[1].value, "s3cret");
    assert_string_equal(l.options[2].value, "&=");
    assert_string_equal(l.schema, "a");
    assert_string_equal(l.table, "b");
    kanon__location_clear(&l);
    assert_done(kanon__location_to_read(&l, "adbc:duckdb?path=x&query=SELECT 100%25 & 1 = table=2", &err), &err);
    assert_string_equal(l.query, "SELECT 100%25 & 1 = table=2");
    kanon__location_clear(&l);
    unlink(file.text);
}

static void test_wrong_locations(void **state)
{
    (void)state;
    static const char *const wrong[] = {"adbc:",
                                        "adbc:../evil?table=t",
                                        "adbc:duckdb",
                                        "adbc:duckdb?table=t&query=SELECT 1",
                                        "adbc:duckdb?table=t&table=u",
                                        "adbc:duckdb?nonsense&table=t",
                                        "adbc:duckdb?uri-env=KANON_NOT_SET&table=t"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        kanon__location l;
        assert_int_equal(kanon__location_to_read(&l, wrong[i], NULL), KANON_EINVAL);
    }
    kanon__location l;
    assert_int_equal(kanon__location_to_write(&l, "adbc:duckdb?query=SELECT 1", NULL), KANON_EINVAL);
}

static void test_same_place(void **state)
{
    (void)state;
    assert_true(kanon_same_file("a.db#t", "a.db#T"));
    assert_true(kanon_same_file("a.db#t", "./a.db"));
    assert_false(kanon_same_file("a.db#t", "a.db#u"));
    assert_true(kanon_same_file(input, input));
    assert_false(kanon_same_file(input, output));
}

/* ---- drivers ------------------------------------------------------------------------------------------------------ */

static void test_missing_driver(void **state)
{
    (void)state;
    struct ArrowArrayStream stream = {0};
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(kanon_open_stream(&stream, "adbc:snowflake?password=hunter2&table=t", NULL, &err), KANON_EIO);
    assert_holds(err.message, "snowflake");
    assert_holds(err.hint, "pip install adbc-driver-snowflake");
    assert_string_equal(err.topic, "driver");
    assert_discreet(&err);
    assert_null(stream.release);
    char path[4096];
    assert_int_equal(kanon_driver_find(path, sizeof path, "snowflake"), 0);
    assert_true(kanon_driver_find(path, sizeof path, "postgresql") > 0);
    assert_holds(path, FAKE_DRIVERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_call_fails),
        cmocka_unit_test(test_a_driver_without_rollback),
        cmocka_unit_test(test_a_changed_value_is_found),
#ifdef KANON_TEST_HOOKS
        cmocka_unit_test(test_no_memory),
#endif
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_wrong_locations),
        cmocka_unit_test(test_same_place),
        cmocka_unit_test(test_missing_driver),
    };
    return cmocka_run_group_tests(tests, load_fake, remove_scratch);
}
