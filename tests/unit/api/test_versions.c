/* Programs built against another version of the header: their structs are shorter or longer than this library's. Each is
 * handed over in a block of memory of exactly its size, so that a sanitizer sees whoever reads or writes behind it. */
#include "support.h"

#include <stdlib.h>

typedef struct objects {
    kanon_schema *schema;
    kanon_table *table;
    kanon_grouping *grouping;
    int n_told, n_complete; /* by the sink */
} objects;

static objects o;
static const char csv[] = "a\n1\n2\n3\n4\n";

static int take_bytes(const void *bytes, size_t size, void *payload)
{
    (void)bytes, (void)size, (void)payload;
    return 0;
}

static int finish(int complete, void *payload)
{
    (void)payload;
    o.n_told++;
    o.n_complete += complete != 0;
    return 0;
}

/* ---- structs that come in ---------------------------------------------------------------------------------------- */

static kanon_status with_options(const void *options, kanon_error *err)
{
    kanon_grouping *grouping = NULL;
    kanon_status st = kanon_anonymize(&grouping, o.table, options, err);
    kanon_grouping_free(grouping);
    return st;
}

static kanon_status with_outputs(const void *outputs, kanon_error *err)
{
    return kanon_publish(o.table, o.grouping, outputs, err);
}

static kanon_status with_output(const void *output, kanon_error *err)
{
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = output};
    return kanon_publish(o.table, o.grouping, &outputs, err);
}

static kanon_status with_sink(const void *sink, kanon_error *err)
{
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(sink)};
    o.n_told = o.n_complete = 0;
    return kanon_publish(o.table, o.grouping, &outputs, err);
}

static kanon_status with_input(const void *input, kanon_error *err)
{
    kanon_table *table = NULL;
    kanon_status st = kanon_table_read(&table, input, o.schema, NULL, err);
    kanon_table_free(table);
    return st;
}

/* What an old program sets, and where its struct ends at the earliest; a later one has all fields. */
typedef struct example {
    const char *name;
    kanon_status (*call)(const void *given, kanon_error *err);
    const void *set;
    size_t oldest, size;
} example;

static kanon_status hand_over(const example *e, size_t said, size_t size, size_t at, unsigned char byte, kanon_error *err)
{
    unsigned char *given = calloc(1, size);
    assert_non_null(given);
    memcpy(given, e->set, size < e->size ? size : e->size);
    memcpy(given, &said, sizeof said);
    if (at > 0)
        given[at] = byte;
    kanon_status st = e->call(given, err);
    free(given);
    return st;
}

static void other_versions_are_understood(void **state)
{
    (void)state;
    place release = scratch("release.csv");
    const kanon_options options = {.k = 2};
    const kanon_outputs outputs = {.release = KANON_TO_PATH(release.text)};
    const kanon_output output = {.location = release.text};
    const kanon_sink sink = {.struct_size = sizeof(kanon_sink), .name = "a sink", .write = take_bytes, .finish = finish};
    const kanon_input input = {.bytes = csv, .size = strlen(csv)};
    const example examples[] = {
        {"kanon_options", with_options, &options, offsetof(kanon_options, algorithm), sizeof options},
        {"kanon_outputs", with_outputs, &outputs, offsetof(kanon_outputs, groups), sizeof outputs},
        {"kanon_output", with_output, &output, offsetof(kanon_output, sink), sizeof output},
        {"kanon_sink", with_sink, &sink, offsetof(kanon_sink, payload), sizeof sink},
        {"kanon_input", with_input, &input, offsetof(kanon_input, stream), sizeof input},
    };
    enum { LATER = 24 };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *e = &examples[i];
        kanon_error err = KANON_INIT(kanon_error);
        print_message("%s\n", e->name);
        assert_done(hand_over(e, e->oldest, e->oldest, 0, 0, &err), &err);
        assert_done(hand_over(e, e->size, e->size, 0, 0, &err), &err);
        assert_done(hand_over(e, e->size + LATER, e->size + LATER, 0, 0, &err), &err);
        for (size_t at = e->size; at < e->size + LATER; at++) {
            assert_int_equal(hand_over(e, e->size + LATER, e->size + LATER, at, 1, &err), KANON_EINVAL);
            assert_holds(err.message, "the call asks for what kanon ");
        }
        const size_t wrong[] = {0, 1, sizeof(size_t) - 1, SIZE_MAX / 2, SIZE_MAX};
        for (size_t j = 0; j < sizeof wrong / sizeof *wrong; j++) {
            assert_int_equal(hand_over(e, wrong[j], e->size, 0, 0, &err), KANON_EINVAL);
            assert_holds(err.message, "struct_size");
        }
    }
}

/* A refused sink is not called at all, since nobody knows what it is; others of the call are told. */
static void sinks_beside_a_refused_one_are_told(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    const kanon_sink good = {.struct_size = sizeof good, .name = "good", .write = take_bytes, .finish = finish};
    kanon_sink bad = good;
    bad.struct_size = 0;
    for (int i = 0; i < 2; i++) {
        kanon_outputs outputs = {.struct_size = sizeof outputs,
                                 .release = KANON_TO_SINK(i == 0 ? &good : &bad),
                                 .groups = KANON_TO_SINK(i == 0 ? &bad : &good)};
        o.n_told = o.n_complete = 0;
        assert_int_equal(kanon_publish(o.table, o.grouping, &outputs, &err), KANON_EINVAL);
        assert_holds(err.message, "struct_size");
        assert_int_equal(o.n_told, 1);
        assert_int_equal(o.n_complete, 0);
    }
    struct {
        kanon_outputs outputs;
        int64_t later;
    } newer = {{.struct_size = sizeof newer, .release = KANON_TO_SINK(&good)}, 1};
    o.n_told = 0;
    assert_int_equal(kanon_publish(o.table, o.grouping, &newer.outputs, &err), KANON_EINVAL);
    assert_int_equal(o.n_told, 1);
    assert_int_equal(o.n_complete, 0);
}

/* Of enums, numbers that only a later version knows are no default. */
static void unknown_numbers_are_refused(void **state)
{
    (void)state;
    static const char tree[] = "1;*\n2;*\n";
    const kanon_input values = {.struct_size = sizeof values, .bytes = csv, .size = strlen(csv)};
    const kanon_column_options column = {.struct_size = sizeof column, .column = "a"};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_taxonomy *taxonomy = NULL, *none = NULL;
    assert_done(kanon_taxonomy_read(&taxonomy, KANON_BYTES(tree, strlen(tree)), KANON_TAXONOMY_CSV, NULL, &err), &err);
    for (int number = -1; number <= 99; number += 100) {
        kanon_input input = values;
        input.header = (kanon_header)number;
        assert_int_equal(with_input(&input, &err), KANON_EINVAL);
        kanon_options options = {.struct_size = sizeof options, .k = 2, .recode = (kanon_recode)number};
        assert_int_equal(with_options(&options, &err), KANON_EINVAL);
        kanon_outputs outputs = {.struct_size = sizeof outputs, .numeric = (kanon_numeric)number};
        assert_int_equal(with_outputs(&outputs, &err), KANON_EINVAL);
        kanon_taxonomy_form form = (kanon_taxonomy_form)number;
        kanon_taxonomy_check *check = NULL;
        assert_int_equal(kanon_taxonomy_read(&none, KANON_BYTES(tree, strlen(tree)), form, NULL, &err), KANON_EINVAL);
        assert_int_equal(kanon_taxonomy_check_read(&check, KANON_BYTES(tree, strlen(tree)), form, NULL, NULL, NULL, &err),
                         KANON_EINVAL);
        place written = scratch("tree.csv");
        assert_int_equal(kanon_taxonomy_write(taxonomy, KANON_TO_PATH(written.text), form, &err), KANON_EINVAL);
        assert_int_equal(kanon_taxonomy_build(&none, &values, &column, (kanon_taxonomy_method)number, "5", NULL, &err),
                         KANON_EINVAL);
        assert_true(none == NULL && check == NULL);
    }
    kanon_taxonomy_free(taxonomy);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

#define END(field) (offsetof(kanon_error, field) + sizeof((kanon_error *)0)->field)

/* With room for every number of bytes: whole fields, as far as they fit. */
static void errors_of_any_size(void **state)
{
    (void)state;
    kanon_error whole = KANON_INIT(kanon_error);
    kanon_options options = {.struct_size = sizeof options};
    kanon_grouping *grouping = NULL;
    assert_int_equal(kanon_anonymize(&grouping, o.table, &options, &whole), KANON_EINVAL);
    assert_true(strlen(whole.message) > 0 && strlen(whole.hint) > 0);
    assert_string_equal(whole.topic, "k");
    for (size_t size = sizeof(size_t); size <= sizeof whole + 64; size++) {
        unsigned char *bytes = malloc(size), now[sizeof whole + 64], old[sizeof whole + 64];
        memset(old, 0xa5, sizeof old);
        memcpy(old, &size, sizeof size);
        memcpy(bytes, old, size);
        assert_int_equal(kanon_anonymize(&grouping, o.table, &options, (kanon_error *)bytes), KANON_EINVAL);
        memcpy(now, old, sizeof now);
        memcpy(now, bytes, size);
        free(bytes);
        const kanon_error *said = (const kanon_error *)now, *before = (const kanon_error *)old;
        assert_int_equal(said->struct_size, size);
        assert_int_equal(said->status, size >= END(status) ? KANON_EINVAL : before->status);
        const char *message = size >= END(message) ? whole.message : before->message;
        assert_memory_equal(said->message, message, strlen(whole.message) + 1);
        const char *hint = size >= END(hint) ? whole.hint : before->hint;
        assert_memory_equal(said->hint, hint, strlen(whole.hint) + 1);
        assert_ptr_equal(said->topic, size >= END(topic) ? whole.topic : before->topic);
        assert_memory_equal(now + sizeof whole, old + sizeof whole, 64);
    }
}

/* Somebody who has not set the size gets the status, and keeps what lies there. */
static void errors_without_a_size(void **state)
{
    (void)state;
    static const size_t wrong[] = {0, 1, SIZE_MAX / 2, SIZE_MAX};
    kanon_options options = {.struct_size = sizeof options};
    kanon_grouping *grouping = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        kanon_error err, before;
        memset(&err, 0xa5, sizeof err);
        err.struct_size = wrong[i];
        before = err;
        assert_int_equal(kanon_anonymize(&grouping, o.table, &options, &err), KANON_EINVAL);
        assert_memory_equal(&err, &before, sizeof err);
    }
    assert_int_equal(kanon_anonymize(&grouping, o.table, &options, NULL), KANON_EINVAL);
}

static int begin(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_options options = {.struct_size = sizeof options, .k = 2};
    if (make_scratch(state) != 0)
        return -1;
    assert_done(kanon_schema_new(&o.schema, NULL, &err), &err);
    assert_done(kanon_schema_set(o.schema, "a", "role", "quasi", &err), &err);
    assert_done(kanon_table_read(&o.table, KANON_BYTES(csv, strlen(csv)), o.schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&o.grouping, o.table, &options, &err), &err);
    return 0;
}

static int end(void **state)
{
    kanon_grouping_free(o.grouping);
    kanon_table_free(o.table);
    kanon_schema_free(o.schema);
    return remove_scratch(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_versions_are_understood),
        cmocka_unit_test(sinks_beside_a_refused_one_are_told),
        cmocka_unit_test(unknown_numbers_are_refused),
        cmocka_unit_test(errors_of_any_size),
        cmocka_unit_test(errors_without_a_size),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
