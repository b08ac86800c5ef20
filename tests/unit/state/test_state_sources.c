/* States whose records come from Arrow streams, with nulls, releases of states that go to sinks, and checks of releases with
 * nulls. */
#include "arrow_producer.h"
#include "core/alloc.h"
#include "support.h"

#define CELLS(...) ((const char *const[]){__VA_ARGS__})

typedef struct log_sink {
    char bytes[4096];
    size_t n;
    int n_finished, complete;
} log_sink;

static int take_bytes(const void *bytes, size_t size, void *payload)
{
    log_sink *log = payload;
    assert_true(log->n + size < sizeof log->bytes);
    memcpy(log->bytes + log->n, bytes, size);
    log->n += size;
    return 0;
}

static int take_end(int complete, void *payload)
{
    log_sink *log = payload;
    log->n_finished++;
    log->complete = complete;
    return 0;
}

static kanon_schema *schema_of(const char *yaml)
{
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(yaml, strlen(yaml), "y"), NULL, &err), &err);
    return schema;
}

static struct ArrowArrayStream stream_of(const arrow_table *table)
{
    static arrow_layout plain;
    static arrow_counts counts;
    struct ArrowArrayStream stream;
    arrow_produce(&stream, table, &plain, &counts);
    return stream;
}

/* A state of the records in `from`, grouped for k = 2. */
static kanon_status create(const char *path, const char *yaml, const arrow_table *from, const kanon_outputs *outputs,
                           kanon_error *err)
{
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_schema *schema = schema_of(yaml);
    struct ArrowArrayStream stream = stream_of(from);
    const kanon_options options = {.struct_size = sizeof options, .k = 2};
    assert_done(kanon_table_read(&table, KANON_STREAM(&stream), schema, NULL, err), err);
    assert_done(kanon_anonymize(&grouping, table, &options, err), err);
    unlink(path);
    kanon_status st = kanon_state_create(path, table, schema, grouping, outputs, NULL, err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return st;
}

/* Every page, record and group is as it should be, and there are so many records. */
static void assert_sound(const char *path, int64_t n_records, size_t n_releases)
{
    kanon_state *s = NULL;
    kanon_state_info *info = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_state_open(&s, path, NULL, &err), &err);
    assert_done(kanon_state_describe(&info, s, &err), &err);
    assert_int_equal(info->records, n_records);
    assert_int_equal(info->n_releases, n_releases);
    kanon_state_info_free(info);
    kanon_state_close(s);
}

static void release_to(const char *path, log_sink *log)
{
    kanon_state *s = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change change = KANON_INIT(kanon_change);
    const kanon_sink sink = {.struct_size = sizeof(kanon_sink), .write = take_bytes, .finish = take_end, .payload = log};
    const kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink)};
    const kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    *log = (log_sink){0};
    assert_done(kanon_state_open(&s, path, NULL, &err), &err);
    assert_done(kanon_state_release(s, &options, &change, &err), &err);
    assert_int_equal(log->n_finished, 1);
    assert_true(log->complete);
    assert_true(change.release > 0);
    kanon_state_close(s);
}

/* ---- nulls ------------------------------------------------------------------------------------------------------- */

static const char some_missing[] = "empty: value\nmissing: [\"?\"]\nprivacy: {k: 2}\n"
                                   "joint-k: off\nattributes: {n: {role: quasi}, c: {role: quasi}, s: {role: sensitive}}\n";

/* Of numbers, categories and sensitive values; also where another text was seen before the null. */
static void nulls_are_kept(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    log_sink log;
    const arrow_field fields[] = {{"n", "l", NULL, CELLS("1", NULL, "3", NULL)},
                                  {"c", "u", NULL, CELLS("?", NULL, "x", "x")},
                                  {"s", "u", NULL, CELLS(NULL, "p", "q", NULL)},
                                  {"z", "u", NULL, CELLS("1", NULL, "", "4")}}; /* null or not, nobody asks */
    place path = scratch("nulls.state");
    assert_done(create(path.text, some_missing, &(arrow_table){4, fields, 4}, NULL, &err), &err);
    assert_sound(path.text, 4, 0);
    release_to(path.text, &log);
    assert_sound(path.text, 4, 1);
}

/* Each allocation fails in turn while a state is made of a table with nulls and entities: no file stays. */
static void without_memory_there_is_no_state(void **state)
{
    static const char yaml[] = "missing: ['?']\nprivacy: {k: 2}\nentity: w\n"
                               "joint-k: off\nattributes: {n: quasi, w: identifying, c: quasi, z: insensitive}\n";
    const arrow_field fields[] = {{"n", "l", NULL, CELLS("1", NULL, "3", "4")},
                                  {"w", "u", NULL, CELLS("a", "b", "c", "d")},
                                  {"c", "u", NULL, CELLS("x", "x", NULL, "y")},
                                  {"z", "u", NULL, CELLS("1", "2", "3", "4")}};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_status st = KANON_ENOMEM;
    int64_t n = 0;
    (void)state;
    place path = scratch("none.state");
    kanon_schema *schema = schema_of(yaml);
    struct ArrowArrayStream stream = stream_of(&(arrow_table){4, fields, 4});
    assert_done(kanon_table_read(&table, KANON_STREAM(&stream), schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&grouping, table, NULL, &err), &err);
    while (st != KANON_OK) {
        kanon__alloc_fail_at(++n, false);
        st = kanon_state_create(path.text, table, schema, grouping, NULL, NULL, &err);
        kanon__alloc_fail_at(0, false);
        assert_true(st == KANON_OK || (st == KANON_ENOMEM && !exists(path.text)));
    }
    assert_true(n > 50);
    assert_sound(path.text, 4, 0);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* Where empty texts are missing anyway, null is one of them. */
static void nulls_next_to_empty_texts(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    log_sink log;
    const arrow_field fields[] = {{"n", "l", NULL, CELLS("1", NULL, "3", NULL)},
                                  {"c", "u", NULL, CELLS(NULL, "", "x", "x")},
                                  {"s", "u", NULL, CELLS("", NULL, "q", "p")}};
    place path = scratch("empty.state");
    static const char yaml[] = "privacy: {k: 2}\n"
                               "joint-k: off\nattributes: {n: {role: quasi}, c: {role: quasi}, s: {role: sensitive}}\n";
    assert_done(create(path.text, yaml, &(arrow_table){3, fields, 4}, NULL, &err), &err);
    assert_sound(path.text, 4, 0);
    release_to(path.text, &log);
    assert_sound(path.text, 4, 1);
}

/* An empty text that is a value cannot be told from a null, in whatever column the null is. */
static void nulls_and_empty_values(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    const arrow_field fields[] = {{"n", "l", NULL, CELLS("1", NULL, "3", "4")},
                                  {"c", "u", NULL, CELLS("y", "y", "x", "x")},
                                  {"s", "u", NULL, CELLS("", "p", "q", "q")}};
    place path = scratch("clash.state");
    assert_int_equal(create(path.text, some_missing, &(arrow_table){3, fields, 4}, NULL, &err), KANON_EINVAL);
    assert_holds(err.message, "s: a state cannot tell null from an empty text");
    assert_false(exists(path.text));
}

static kanon_status insert(const char *path, const arrow_table *delta, kanon_error *err)
{
    kanon_state *s = NULL;
    kanon_change change = KANON_INIT(kanon_change);
    const kanon_change_options options = {.struct_size = sizeof options, .grow_taxonomy = 1};
    struct ArrowArrayStream stream = stream_of(delta);
    assert_done(kanon_state_open(&s, path, NULL, err), err);
    kanon_status st = kanon_state_change(s, KANON_INSERT, KANON_STREAM(&stream), &options, &change, err);
    kanon_state_close(s);
    return st;
}

/* A state that knows no empty text keeps a null as one of the texts that it knows. */
static void nulls_in_deltas(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    const arrow_field fields[] = {{"n", "l", NULL, CELLS("1", "2", "3", "4")},
                                  {"c", "u", NULL, CELLS("y", "y", "x", "x")},
                                  {"s", "u", NULL, CELLS("o", "p", "q", "q")}};
    const arrow_field more[] = {{"n", "l", NULL, CELLS(NULL)}, {"c", "u", NULL, CELLS(NULL)}, {"s", "u", NULL, CELLS(NULL)}};
    place path = scratch("delta.state");
    assert_done(create(path.text, some_missing, &(arrow_table){3, fields, 4}, NULL, &err), &err);
    assert_done(insert(path.text, &(arrow_table){3, more, 1}, &err), &err);
    assert_sound(path.text, 5, 0);
    static const char none_missing[] = "empty: value\nprivacy: {k: 2}\n"
                                       "joint-k: off\nattributes: {n: {role: quasi}, c: {role: quasi}, s: {role: "
                                       "sensitive}}\n";
    assert_done(create(path.text, none_missing, &(arrow_table){3, fields, 4}, NULL, &err), &err);
    assert_int_equal(insert(path.text, &(arrow_table){3, more, 1}, &err), KANON_EDATA);
    assert_holds(err.message, "Arrow stream: row 1: n: null");
    assert_sound(path.text, 4, 0);
}

/* Of persons a null is missing, of names it is an empty text. What a stream has too much is told. */
static void nulls_of_persons_and_names(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    static const char yaml[] = "missing: [\"?\"]\nprivacy: {k: 2}\nentity: p\n"
                               "joint-k: off\nattributes: {name: {role: identifying}, n: {role: quasi}, s: {role: "
                               "sensitive}}\n";
    const arrow_field fields[] = {{"name", "u", NULL, CELLS("a", NULL, "", "d")},
                                  {"n", "l", NULL, CELLS("1", "2", "3", "4")},
                                  {"s", "u", NULL, CELLS("o", "p", "q", "q")},
                                  {"p", "u", NULL, CELLS("w", NULL, "x", "y")}};
    const arrow_field more[] = {{"name", "u", NULL, CELLS(NULL)},
                                {"n", "l", NULL, CELLS("9")},
                                {"s", "u", NULL, CELLS("o")},
                                {"p", "u", NULL, CELLS(NULL)},
                                {"x", "u", NULL, CELLS("1")}};
    place path = scratch("persons.state");
    assert_done(create(path.text, yaml, &(arrow_table){4, fields, 4}, NULL, &err), &err);
    assert_done(insert(path.text, &(arrow_table){4, more, 1}, &err), &err);
    assert_sound(path.text, 5, 0);
    assert_int_equal(insert(path.text, &(arrow_table){5, more, 1}, &err), KANON_EDATA);
    assert_string_equal(err.message, "Arrow stream: x: the table has no such column");
    assert_sound(path.text, 5, 0);
}

/* A stream has no lines and is no file. */
static void streams_are_no_files(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    const arrow_field fields[] = {{"n", "l", NULL, CELLS("1", "2", "3", "4")},
                                  {"c", "u", NULL, CELLS("y", "y", "x", "x")},
                                  {"s", "u", NULL, CELLS("o", "p", "q", "q")}};
    const arrow_field less[] = {{"n", "l", NULL, CELLS("1")}, {"c", "u", NULL, CELLS("y")}};
    place path = scratch("words.state");
    assert_done(create(path.text, some_missing, &(arrow_table){3, fields, 4}, NULL, &err), &err);
    assert_int_equal(insert(path.text, &(arrow_table){2, less, 1}, &err), KANON_EDATA);
    assert_string_equal(err.message, "Arrow stream: s: the stream has no such column");
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static kanon_check *check_stream(const char *yaml, const arrow_table *release)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_check *check = NULL;
    kanon_schema *schema = schema_of(yaml);
    struct ArrowArrayStream stream = stream_of(release);
    assert_done(kanon_check_read(&check, KANON_STREAM(&stream), schema, NULL, &err), &err);
    kanon_schema_free(schema);
    return check;
}

/* Null and "?" are one sensitive value and one entity, as they are when a table is read. */
static void nulls_in_checks(void **state)
{
    (void)state;
    const arrow_field sensitive[] = {{"n", "u", NULL, CELLS("1", "1")}, {"s", "u", NULL, CELLS("?", NULL)}};
    kanon_check *check = check_stream("missing: [\"?\"]\n"
                                      "privacy: {k: 2, constraints: [{model: distinct-l-diversity, attribute: s, l: 2}]}\n"
                                      "joint-k: off\nattributes: {n: {role: quasi}, s: {role: sensitive}}\n",
                                      &(arrow_table){2, sensitive, 2});
    assert_int_equal(check->n_constraints, 1);
    assert_true(check->constraints[0]->reached == 1);
    assert_false(check->holds);
    kanon_check_free(check);
    const arrow_field entities[] = {{"n", "u", NULL, CELLS("1", "1")}, {"p", "u", NULL, CELLS("?", NULL)}};
    check = check_stream("missing: [\"?\"]\nprivacy: {k: 2}\nentity: p\nattributes: {n: {role: quasi}}\n",
                         &(arrow_table){2, entities, 2});
    assert_int_equal(check->entities, 1);
    assert_false(check->holds);
    kanon_check_free(check);
}

/* ---- sinks ------------------------------------------------------------------------------------------------------- */

/* What leaves through a sink is a release as any other, and an audit must know of it. */
static void releases_to_sinks_are_recorded(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    log_sink first = {0}, second;
    const kanon_sink sink = {.struct_size = sizeof(kanon_sink), .write = take_bytes, .finish = take_end, .payload = &first};
    const kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink)};
    const arrow_field fields[] = {{"n", "l", NULL, CELLS("1", "2", "3", "4")},
                                  {"c", "u", NULL, CELLS("y", "y", "x", "x")},
                                  {"s", "u", NULL, CELLS("o", "p", "q", "q")}};
    place path = scratch("sinks.state");
    assert_done(create(path.text, some_missing, &(arrow_table){3, fields, 4}, &outputs, &err), &err);
    assert_true(first.complete && first.n > 0);
    assert_sound(path.text, 4, 1);
    release_to(path.text, &second);
    assert_sound(path.text, 4, 2);
    assert_int_equal(first.n, second.n);
    assert_memory_equal(first.bytes, second.bytes, first.n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_there_is_no_state),
        cmocka_unit_test(nulls_are_kept),
        cmocka_unit_test(nulls_next_to_empty_texts),
        cmocka_unit_test(nulls_and_empty_values),
        cmocka_unit_test(nulls_in_deltas),
        cmocka_unit_test(nulls_of_persons_and_names),
        cmocka_unit_test(streams_are_no_files),
        cmocka_unit_test(nulls_in_checks),
        cmocka_unit_test(releases_to_sinks_are_recorded),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
