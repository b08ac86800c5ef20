/* Releases of states as Arrow streams: the cells are those of the CSV release, and a release is recorded with a complete
 * stream or not at all. */
#include "arrow_consumer.h"
#include "core/alloc.h"
#include "support.h"
#include "to_stream.h"

#include <errno.h>

static const char yaml[] = "joint-k: off\nattributes:\n"
                           "  name: {role: identifying}\n"
                           "  age: {role: quasi, type: integer}\n"
                           "  job: {role: quasi, taxonomy: {Food: [baker, cook], Health: [nurse, surgeon]}}\n"
                           "  ill: {role: sensitive}\n"
                           "privacy: {k: 2}\n";
static const char csv[] = "name,age,job,ill\na,20,baker,flu\nb,21,cook,gout\nc,40,nurse,flu\nd,41,nurse,gout\n";

static kanon_state *new_state(const kanon_state_options *options)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_state *state = NULL;
    unlink(scratch("x.state").text);
    assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(yaml, strlen(yaml), "y"), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_BYTES_AS(csv, strlen(csv), "t"), schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&grouping, table, NULL, &err), &err);
    assert_done(kanon_state_create(scratch("x.state").text, table, schema, grouping, NULL, NULL, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    assert_done(kanon_state_open(&state, scratch("x.state").text, options, &err), &err);
    return state;
}

/* The checksum of the last release and how many there are. */
static size_t releases(kanon_state *state, char sha256[65])
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state_info *info = NULL;
    assert_done(kanon_state_describe(&info, state, &err), &err);
    size_t n = info->n_releases;
    if (n > 0 && sha256 != NULL)
        snprintf(sha256, 65, "%s", info->releases[n - 1]->sha256);
    kanon_state_info_free(info);
    return n;
}

static void the_stream_is_the_release(void **unused)
{
    (void)unused;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change change = KANON_INIT(kanon_change);
    char of_stream[65], of_file[65];
    kanon_state *state = new_state(NULL);
    struct ArrowArrayStream stream;
    kanon_outputs text = {.struct_size = sizeof text, .numeric = KANON_NUMERIC_INTERVAL};
    assert_done(state_to_stream(&stream, state, NULL, &text, &change, &err), &err);
    assert_int_equal(change.release, 1);
    assert_int_equal(releases(state, of_stream), 1);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(scratch("r.csv").text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    assert_done(kanon_state_release(state, &options, &change, &err), &err);
    assert_int_equal(releases(state, of_file), 2);
    assert_string_equal(of_stream, of_file);
    kanon_state_close(state); /* the stream outlives it */
    arrow_taken taken = arrow_take(&stream);
    char *printed = arrow_taken_print(&taken);
    assert_non_null(strstr(printed, "[20..21],Food,flu\n[20..21],Food,gout\n[40..41],nurse,flu\n[40..41],nurse,gout\n"));
    free(printed);
    arrow_taken_clear(&taken);
}

static void files_may_be_asked_for_as_well(void **unused)
{
    (void)unused;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change change = KANON_INIT(kanon_change);
    kanon_state *state = new_state(NULL);
    struct ArrowArrayStream stream;
    place groups = scratch("g.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .groups = KANON_TO_PATH(groups.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    assert_done(state_to_stream(&stream, state, &options, NULL, &change, &err), &err);
    assert_int_equal(access(groups.text, F_OK), 0);
    arrow_taken taken = arrow_take(&stream);
    assert_int_equal(taken.n_rows, 4);
    arrow_taken_clear(&taken);
    assert_int_equal(releases(state, NULL), 1);
    kanon_state_close(state);
}

static int refuse(int complete, void *payload)
{
    (void)payload;
    return complete ? ENOSPC : 0;
}

static int swallow(const void *bytes, size_t size, void *payload)
{
    (void)bytes, (void)size, (void)payload;
    return 0;
}

static int stop_when_checking(const kanon_progress *progress, void *payload)
{
    (void)payload;
    return strcmp(progress->stage, "checking") == 0;
}

/* Whatever fails: no stream, no release in the state. */
static void a_release_that_fails_is_not_recorded(void **unused)
{
    (void)unused;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change change = KANON_INIT(kanon_change);
    kanon_state *state = new_state(NULL);
    struct ArrowArrayStream stream;
    kanon_outputs wrong = {.struct_size = sizeof wrong, .numeric = (kanon_numeric)9};
    assert_int_equal(state_to_stream(&stream, state, NULL, &wrong, &change, &err), KANON_EINVAL);
    assert_null(stream.release);
    kanon_outputs stopped = {.struct_size = sizeof stopped, .tick = stop_when_checking};
    assert_int_equal(state_to_stream(&stream, state, NULL, &stopped, &change, &err), KANON_ECANCELLED);
    assert_null(stream.release);
    kanon_sink to = {sizeof to, "the groups", swallow, refuse, NULL};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .groups = KANON_TO_SINK(&to)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    assert_int_equal(state_to_stream(&stream, state, &options, NULL, &change, &err), KANON_EIO);
    assert_null(stream.release); /* it was complete, but the release is not */
    assert_int_equal(releases(state, NULL), 0);
    kanon_state_close(state);
}

/* Each allocation fails in turn, until there is none left to fail. */
static void without_memory_nothing_is_recorded(void **unused)
{
    (void)unused;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change change = KANON_INIT(kanon_change);
    kanon_state *state = new_state(NULL);
    struct ArrowArrayStream stream;
    kanon_status st = KANON_ENOMEM;
    int64_t n = 0;
    while (st != KANON_OK) {
        assert_int_equal(releases(state, NULL), 0);
        kanon__alloc_fail_at(++n, false);
        st = state_to_stream(&stream, state, NULL, NULL, &change, &err);
        kanon__alloc_fail_at(0, false);
        assert_int_equal(st, st == KANON_OK ? KANON_OK : KANON_ENOMEM);
        assert_int_equal(stream.release != NULL, st == KANON_OK);
    }
    assert_true(n > 100);
    assert_int_equal(releases(state, NULL), 1);
    stream.release(&stream);
    kanon_state_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_stream_is_the_release, no_leak),
        cmocka_unit_test_teardown(files_may_be_asked_for_as_well, no_leak),
        cmocka_unit_test_teardown(a_release_that_fails_is_not_recorded, no_leak),
        cmocka_unit_test_teardown(without_memory_nothing_is_recorded, no_leak),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
