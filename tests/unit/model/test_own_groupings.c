/* Groupings that the caller makes: they are held against the policy before anything leaves, and belong to one table. */
#include "support.h"
#include "to_stream.h"

#include <kanon_arrow.h>

#define GROUPS(...) ((const int64_t[]){__VA_ARGS__})

typedef struct sink_log {
    size_t n_bytes;
    int n_finished, complete;
} sink_log;

static int sink_write(const void *bytes, size_t size, void *payload)
{
    (void)bytes;
    ((sink_log *)payload)->n_bytes += size;
    return 0;
}

static int sink_finish(int complete, void *payload)
{
    sink_log *log = payload;
    log->n_finished++;
    log->complete = complete;
    return 0;
}

/* Published as a file, to a sink and as a stream; all three must end alike. */
static kanon_status publish(const kanon_table *table, const kanon_grouping *grouping, kanon_error *err)
{
    sink_log log = {0};
    place path = scratch("release.csv");
    const kanon_sink sink = {
        .struct_size = sizeof sink, .name = "sink", .write = sink_write, .finish = sink_finish, .payload = &log};
    const kanon_outputs file = {.struct_size = sizeof file, .release = KANON_TO_PATH(path.text)};
    const kanon_outputs to_sink = {.struct_size = sizeof to_sink, .release = KANON_TO_SINK(&sink)};
    struct ArrowArrayStream stream = {0};
    unlink(path.text);
    kanon_status st = kanon_publish(table, grouping, &file, err);
    assert_int_equal(exists(path.text), st == KANON_OK);
    assert_int_equal(kanon_publish(table, grouping, &to_sink, err), st);
    assert_int_equal(log.n_bytes > 0, st == KANON_OK);
    assert_int_equal(log.complete != 0, st == KANON_OK);
    assert_int_equal(release_to_stream(&stream, table, grouping, NULL, err), st);
    assert_int_equal(stream.release != NULL, st == KANON_OK);
    if (stream.release != NULL)
        stream.release(&stream);
    return st;
}

/* A sink that cannot be written to is a failed output, not a crash. */
static void sinks_without_write(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    sink_log log = {.complete = -1};
    const kanon_sink sink = {.struct_size = sizeof(kanon_sink), .finish = sink_finish, .payload = &log};
    const kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink)};
    kanon_table *table = table_of("privacy: {k: 2}\nattributes: {a: {role: quasi}}\n", "a\n1\n2\n");
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1));
    assert_int_equal(kanon_publish(table, grouping, &outputs, &err), KANON_EIO);
    assert_int_equal(log.n_finished, 1);
    assert_int_equal(log.complete, 0);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* `bad` is refused with these words, `good` is not. */
static void assert_only(const char *yaml, const char *csv, const int64_t *bad, const int64_t *good, const char *words)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_of(yaml, csv);
    kanon_grouping *refused = grouping_of(table, bad), *allowed = grouping_of(table, good);
    assert_int_equal(publish(table, refused, &err), KANON_EINVAL);
    assert_holds(err.message, words);
    assert_done(publish(table, allowed, &err), &err);
    kanon_grouping_free(allowed);
    kanon_grouping_free(refused);
    kanon_table_free(table);
}

static void own_groupings_satisfy_the_policy(void **state)
{
    (void)state;
    assert_only("privacy: {k: 2}\nattributes: {a: {role: quasi}}\n", "a\n1\n2\n3\n4\n", GROUPS(1, 1, 1, 2),
                GROUPS(1, 1, 2, 2), "a group has 1 records, fewer than k = 2");
    assert_only("privacy: {k: 2, constraints: [{model: distinct-l-diversity, attribute: s, l: 2}]}\n"
                "attributes: {a: {role: quasi}, s: {role: sensitive}}\n",
                "a,s\n1,x\n2,y\n3,z\n4,z\n", GROUPS(1, 1, 2, 2), GROUPS(1, 1, 1, 1), "violates a constraint");
    /* without a k, the constraint alone */
    assert_only("privacy: {constraints: [{model: distinct-l-diversity, attribute: s, l: 2}]}\n"
                "attributes: {a: {role: quasi}, s: {role: sensitive}}\n",
                "a,s\n1,x\n2,y\n3,z\n4,z\n", GROUPS(1, 1, 2, 2), GROUPS(1, 2, 1, 2), "violates a constraint");
    /* two records, one person */
    assert_only("privacy: {k: 2}\nentity: p\nattributes: {a: {role: quasi}}\n", "a,p\n1,u\n2,u\n3,v\n4,w\n",
                GROUPS(1, 1, 2, 2), GROUPS(1, 2, 1, 2), "violates a constraint");
    assert_only("privacy: {k: 2, suppress: 0.25}\nattributes: {a: {role: quasi}}\n", "a\n1\n2\n3\n4\n5\n",
                GROUPS(0, 0, 1, 1, 1), GROUPS(0, 1, 1, 1, 1), "the grouping suppresses 2 records, and the schema allows 1");
}

/* Records of a person in two groups, each of which has two persons. */
static void entities_stay_together(void **state)
{
    (void)state;
    assert_only("privacy: {k: 2}\nentity: p\nentity-together: true\nattributes: {a: {role: quasi}}\n",
                "a,p\n1,u\n2,u\n3,v\n4,w\n", GROUPS(1, 2, 1, 2), GROUPS(1, 1, 1, 1), "violates a constraint");
}

/* Nobody reads the constraints of a table before an algorithm runs. */
static void constraints_that_make_no_sense(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_of("privacy: {k: 2, constraints: [{model: distinct-l-diversity, attribute: s, l: 2}]}\n"
                                  "attributes: {a: {role: quasi}, s: {role: insensitive}}\n",
                                  "a,s\n1,x\n2,y\n");
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1));
    kanon_status st = publish(table, grouping, &err);
    assert_true(st == KANON_EINVAL || st == KANON_EDATA);
    assert_holds(err.message, "s");
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static void states_refuse_them_as_well(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    static const char yaml[] = "privacy: {k: 2, constraints: [{model: distinct-l-diversity, attribute: s, l: 2}]}\n"
                               "attributes: {a: {role: quasi}, s: {role: sensitive}}\n";
    kanon_schema *schema = NULL;
    assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(yaml, sizeof yaml - 1, "y"), NULL, &err), &err);
    kanon_table *table = table_of(yaml, "a,s\n1,x\n2,y\n3,z\n4,z\n");
    kanon_grouping *small = grouping_of(table, GROUPS(1, 1, 1, 2)), *bad = grouping_of(table, GROUPS(1, 1, 2, 2));
    place path = scratch("own.state");
    assert_int_equal(kanon_state_create(path.text, table, schema, small, NULL, NULL, &err), KANON_EINVAL);
    assert_int_equal(kanon_state_create(path.text, table, schema, bad, NULL, NULL, &err), KANON_EINVAL);
    assert_false(exists(path.text));
    kanon_grouping_free(bad);
    kanon_grouping_free(small);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* ---- another table ----------------------------------------------------------------------------------------------- */

static const char yaml[] = "privacy: {k: 2}\nattributes: {a: {role: quasi}}\n";

/* From memory, so that two of them can be there at once. */
static kanon_table *bytes_table(const char *csv)
{
    kanon_table *table = NULL;
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(yaml, sizeof yaml - 1, "y"), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_BYTES_AS(csv, strlen(csv), "t"), schema, NULL, &err), &err);
    kanon_schema_free(schema);
    return table;
}

static void assert_refused(kanon_status st, const kanon_error *err)
{
    assert_int_equal(st, KANON_EINVAL);
    assert_holds(err->message, "another table");
}

static void groupings_belong_to_one_table(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *one = bytes_table("a\n1\n2\n3\n4\n"), *other = bytes_table("a\n1\n1\n1\n1\n");
    kanon_grouping *own = grouping_of(one, GROUPS(1, 1, 2, 2)), *made = NULL;
    kanon_measures *measures = NULL;
    kanon_group_view *view = NULL;
    const kanon_options options = {.struct_size = sizeof options, .k = 2};
    assert_done(kanon_anonymize(&made, one, &options, &err), &err);
    assert_refused(publish(other, own, &err), &err);
    assert_refused(publish(other, made, &err), &err);
    assert_refused(kanon_evaluate(&measures, other, made, NULL, &err), &err);
    assert_refused(kanon_group_view_new(&view, other, made, &err), &err);
    assert_done(publish(one, own, &err), &err);
    assert_done(publish(one, made, &err), &err);
    /* nor is there a report of measures alone */
    assert_done(kanon_evaluate(&measures, one, made, NULL, &err), &err);
    place report = scratch("r.json");
    const kanon_outputs alone = {
        .struct_size = sizeof alone, .report = KANON_TO_PATH(report.text), .measures = measures};
    kanon_table *shorter = bytes_table("a\n1\n1\n");
    assert_int_equal(kanon_publish(shorter, made, &alone, &err), KANON_EINVAL);
    assert_false(exists(report.text));
    kanon_table_free(shorter);
    assert_done(kanon_publish(one, made, &alone, &err), &err);
    kanon_measures_free(measures);
    kanon_grouping_free(made);
    kanon_grouping_free(own);
    kanon_table_free(other);
    kanon_table_free(one);
}

/* A recode map has as many entries as its table has values. */
static void recode_maps_belong_to_one_table(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *one = bytes_table("a\n1\n1\n1\n1\n"), *other = bytes_table("a\n1\n2\n3\n4\n");
    kanon_grouping *made = NULL;
    const kanon_options options = {.struct_size = sizeof options, .k = 2, .recode = KANON_RECODE_ATTRIBUTE};
    assert_done(kanon_anonymize(&made, one, &options, &err), &err);
    assert_refused(publish(other, made, &err), &err);
    kanon_grouping_free(made);
    kanon_table_free(other);
    kanon_table_free(one);
}

/* A table that is made where a freed one was is another one. */
static void groupings_outlive_their_table(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *one = bytes_table("a\n1\n2\n3\n4\n");
    kanon_grouping *own = grouping_of(one, GROUPS(1, 1, 2, 2));
    kanon_table_free(one);
    for (int i = 0; i < 20; i++) {
        kanon_table *other = bytes_table("a\n1\n2\n3\n4\n");
        assert_refused(publish(other, own, &err), &err);
        kanon_table_free(other);
    }
    kanon_grouping_free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_groupings_satisfy_the_policy),
        cmocka_unit_test(entities_stay_together),
        cmocka_unit_test(sinks_without_write),
        cmocka_unit_test(constraints_that_make_no_sense),
        cmocka_unit_test(states_refuse_them_as_well),
        cmocka_unit_test(groupings_belong_to_one_table),
        cmocka_unit_test(recode_maps_belong_to_one_table),
        cmocka_unit_test(groupings_outlive_their_table),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
