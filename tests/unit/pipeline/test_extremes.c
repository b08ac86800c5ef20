/* Every number of every option struct at its extremes: a run that is possible runs, any other is refused. Nothing overflows
 * (the sanitizer looks) and nothing is an internal error. */
#include "support.h"

#include <limits.h>
#include <math.h>

static const int64_t longs[] = {INT64_MIN, INT64_MIN + 1, INT32_MIN, -2,        -1,           0, 1,
                                2,         INT32_MAX,     1LL << 62, INT64_MAX, INT64_MAX - 1};
static const int ints[] = {INT_MIN, -1, 0, 1, INT_MAX};
enum { N_LONGS = sizeof longs / sizeof *longs, N_INTS = sizeof ints / sizeof *ints, N = 12 };

static const char *const csv = "age,ill\n20,X\n21,Y\n22,X\n23,Y\n24,X\n25,Y\n30,X\n31,Y\n32,X\n33,Y\n34,X\n35,Y\n";
static const char *const yaml = "attributes: {age: quasi, ill: {role: sensitive, type: categorical}}\nprivacy: {k: 2}\n";

static void assert_told(kanon_status st, const kanon_error *err)
{
    if (st == KANON_EINTERNAL || (st != KANON_OK && err->status != st))
        fail_msg("status %d, %s", (int)st, err->message);
}

static void run(const kanon_table *table, kanon_options options)
{
    static const char *const algorithms[] = {"mondrian", "kmember", "full-domain", "auto"};
    options.struct_size = sizeof options;
    for (int i = 0; i < 4; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_grouping *g = NULL;
        options.algorithm = algorithms[i];
        assert_told(kanon_anonymize(&g, table, &options, &err), &err);
        kanon_grouping_free(g);
    }
}

static void runs(void **state)
{
    (void)state;
    kanon_table *table = table_of(yaml, csv);
    for (int i = 0; i < N_LONGS; i++) {
        run(table, (kanon_options){.k = longs[i]});
        run(table, (kanon_options){.blocks = longs[i]});
        run(table, (kanon_options){.memory = longs[i]});
        run(table, (kanon_options){.seed = (uint64_t)longs[i], .blocks = 4});
        run(table, (kanon_options){.k = longs[i], .blocks = longs[i], .memory = longs[i]});
        run(table, (kanon_options){.blocks = longs[i], .memory = INT64_MAX});
        run(table, (kanon_options){.blocks = INT64_MAX, .memory = longs[i]});
    }
    for (int i = 0; i < N_INTS; i++)
        run(table, (kanon_options){.threads = ints[i], .blocks = 4});
    kanon_table_free(table);
}

static void reading(void **state)
{
    (void)state;
    for (int i = 0; i < N_LONGS + N_INTS; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_table *table = NULL;
        kanon_read_options options = {.struct_size = sizeof options};
        if (i < N_LONGS)
            options.memory = longs[i];
        else
            options.threads = ints[i - N_LONGS];
        assert_told(read_table(&table, yaml, csv, &options, &err), &err);
        kanon_table_free(table);
    }
}

/* A bound, figures and a check of a file; each has a k of its own. */
static void figures(void **state)
{
    (void)state;
    kanon_table *table = table_of(yaml, csv);
    kanon_grouping *g = grouping_of(table, (const int64_t[N]){1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2});
    place schema_path = scratch("s.yaml"), data = scratch("t.csv");
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_schema_read(&schema, KANON_PATH(schema_path.text), NULL, &err), &err);
    for (int i = 0; i < N_LONGS; i++) {
        int n = ints[i % N_INTS];
        kanon_lower_bound *bound = NULL;
        kanon_measures *measures = NULL;
        kanon_check *check = NULL;
        err = (kanon_error)KANON_INIT(kanon_error);
        kanon_bound_options bounding = {.struct_size = sizeof bounding, .k = longs[i], .rounds = 2, .threads = n};
        assert_told(kanon_bound(&bound, table, &bounding, &err), &err);
        kanon_lower_bound_free(bound);
        err = (kanon_error)KANON_INIT(kanon_error);
        bounding = (kanon_bound_options){.struct_size = sizeof bounding, .rounds = longs[i], .seconds = 0.01};
        assert_told(kanon_bound(&bound, table, &bounding, &err), &err);
        kanon_lower_bound_free(bound);
        err = (kanon_error)KANON_INIT(kanon_error);
        kanon_evaluate_options measuring = {.struct_size = sizeof measuring, .k = longs[i], .threads = n};
        assert_told(kanon_evaluate(&measures, table, g, &measuring, &err), &err);
        kanon_measures_free(measures);
        err = (kanon_error)KANON_INIT(kanon_error);
        kanon_check_options checking = {.struct_size = sizeof checking, .k = longs[i], .risk_threshold = (double)longs[i]};
        assert_told(kanon_check_read(&check, KANON_PATH(data.text), schema, &checking, &err), &err);
        kanon_check_free(check);
    }
    kanon_schema_free(schema);
    kanon_grouping_free(g);
    kanon_table_free(table);
}

static void publishing(void **state)
{
    (void)state;
    kanon_table *table = table_of(yaml, csv);
    kanon_grouping *g = grouping_of(table, (const int64_t[N]){1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2});
    place path = scratch("r.csv");
    for (int i = 0; i < N_LONGS; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_outputs outputs = {.struct_size = sizeof outputs,
                                 .release = KANON_TO_PATH(path.text),
                                 .shuffle = ints[i % N_INTS],
                                 .shuffle_seed = (uint64_t)longs[i],
                                 .threads = ints[i % N_INTS]};
        assert_told(kanon_publish(table, g, &outputs, &err), &err);
        outputs.numeric = (kanon_numeric)ints[i % N_INTS];
        assert_told(kanon_publish(table, g, &outputs, &err), &err);
    }
    kanon_grouping_free(g);
    kanon_table_free(table);
}

static void states(void **state)
{
    (void)state;
    place path = scratch("state"), release = scratch("r.csv"), schema_path = scratch("s.yaml");
    kanon_table *table = table_of(yaml, csv);
    kanon_schema *schema = NULL;
    kanon_grouping *g = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_schema_read(&schema, KANON_PATH(schema_path.text), NULL, &err), &err);
    assert_done(kanon_anonymize(&g, table, NULL, &err), &err);
    assert_done(kanon_state_create(path.text, table, schema, g, NULL, NULL, &err), &err);
    for (int i = 0; i < N_LONGS; i++) {
        kanon_state *open = NULL;
        kanon_change done = KANON_INIT(kanon_change);
        kanon_state_options options = {.struct_size = sizeof options, .wait_seconds = ints[i % N_INTS]};
        kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
        kanon_change_options change = {.struct_size = sizeof change, .outputs = &outputs, .joint_k = longs[i]};
        err = (kanon_error)KANON_INIT(kanon_error);
        assert_done(kanon_state_open(&open, path.text, &options, &err), &err);
        assert_told(kanon_state_release(open, &change, &done, &err), &err);
        kanon_state_close(open);
    }
    kanon_grouping_free(g);
    kanon_schema_free(schema);
    kanon_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs),       cmocka_unit_test(reading), cmocka_unit_test(figures),
        cmocka_unit_test(publishing), cmocka_unit_test(states),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
