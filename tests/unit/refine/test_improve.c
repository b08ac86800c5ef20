/* Groups that are given and made better: never worse, whatever they were; refused or repaired where they do not satisfy what
 * is asked; taken from a release of any tool. A failure names its table's seed. */
#include "core/alloc.h"
#include "core/random.h"
#include "reference/random_table.h"
#include "support.h"

enum { N_TABLES = 40, DRAWS_STREAM = 17 };

static double loss_of(const kanon_table *table, const kanon_grouping *grouping)
{
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_evaluate_options brief = {.struct_size = sizeof brief, .brief = 1};
    assert_done(kanon_evaluate(&measures, table, grouping, &brief, &err), &err);
    double loss = kanon_measures_find(measures, "information_loss", NULL)->value;
    kanon_measures_free(measures);
    return loss;
}

/* Every row in a group of its own choice; the first n / k * k of them fill groups of k where `fill`. */
static kanon_grouping *random_groups(const random_table *random, bool fill)
{
    int64_t n = kanon_table_rows(random->table), n_groups = n / random->k;
    int64_t *group_of = calloc((size_t)n, sizeof *group_of), *order = calloc((size_t)n, sizeof *order);
    kanon_grouping *out = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon__random draws;
    kanon__random_init(&draws, random->seed, DRAWS_STREAM);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = kanon__random_below(&draws, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (int64_t i = 0; i < n; i++)
        group_of[order[i]] = 1 + (fill && i < n_groups * random->k ? i / random->k : kanon__random_below(&draws, n_groups));
    assert_done(kanon_grouping_new(&out, random->table, group_of, &err), &err);
    free(order);
    free(group_of);
    return out;
}

static kanon_status improve(kanon_grouping **out, const kanon_table *table, const kanon_grouping *start, int64_t k,
                            const char *refine, int threads, int repair, kanon_error *err)
{
    const kanon_setting moves = {"moves", "20000"};
    kanon_options options = {.struct_size = sizeof options,
                             .k = k,
                             .start = start,
                             .repair = repair,
                             .refine = refine,
                             .refine_settings = &moves,
                             .n_refine_settings = refine == NULL ? 1 : 0,
                             .threads = threads};
    return kanon_anonymize(out, table, &options, err);
}

static void assert_equal_groups(const kanon_grouping *a, const kanon_grouping *b)
{
    for (int64_t row = 0; row < kanon_grouping_describe(a)->rows; row++)
        assert_int_equal(kanon_grouping_group_of(a, row), kanon_grouping_group_of(b, row));
}

/* ---- never worse ------------------------------------------------------------------------------------------------- */

static int improve_table(uint64_t seed, const char *refine)
{
    random_table random = random_table_sized(seed, 20 + (int)(seed % 40), 2 + (int64_t)(seed % 4));
    kanon_grouping *start = random_groups(&random, true), *one = NULL, *three = NULL, *again = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(improve(&one, random.table, start, random.k, refine, 1, 0, &err), &err);
    assert_done(improve(&three, random.table, start, random.k, refine, 3, 0, &err), &err);
    assert_done(improve(&again, random.table, one, random.k, refine, 1, 0, &err), &err);
    double before = loss_of(random.table, start), after = loss_of(random.table, one);
    if (after > before * (1 + 1e-12) || loss_of(random.table, again) > after * (1 + 1e-12))
        fail_msg("seed %llu: a loss of %.12g became %.12g", (unsigned long long)seed, before, after);
    assert_true(kanon_grouping_describe(one)->smallest >= random.k);
    assert_string_equal(kanon_grouping_describe(one)->algorithm, "given");
    assert_equal_groups(one, three);
    kanon_grouping_free(again);
    kanon_grouping_free(three);
    kanon_grouping_free(one);
    kanon_grouping_free(start);
    random_table_clear(&random);
    return after < before;
}

static void test_never_worse(void **state)
{
    uint64_t first = test_seed();
    int n_better = 0;
    (void)state;
    for (uint64_t seed = first; seed < first + N_TABLES; seed++)
        n_better += improve_table(seed, seed % 3 == 0 ? "il-optimization" : NULL);
    assert_true(n_better > N_TABLES / 2);
}

/* ---- groups that do not satisfy what is asked -------------------------------------------------------------------- */

static void test_too_small(void **state)
{
    uint64_t first = test_seed();
    (void)state;
    for (uint64_t seed = first; seed < first + N_TABLES / 2; seed++) {
        random_table random = random_table_sized(seed, 30, 4);
        kanon_grouping *start = random_groups(&random, false), *out = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        if (kanon_grouping_describe(start)->smallest < random.k) {
            assert_int_equal(improve(&out, random.table, start, random.k, NULL, 1, 0, &err), KANON_EINFEASIBLE);
            assert_string_equal(err.topic, "repair");
            assert_null(out);
        }
        assert_done(improve(&out, random.table, start, random.k, NULL, 1, 1, &err), &err);
        assert_true(kanon_grouping_describe(out)->smallest >= random.k);
        assert_int_equal(kanon_grouping_describe(out)->suppressed, 0);
        kanon_grouping_free(out);
        out = NULL;
        assert_done(improve(&out, random.table, start, 30, "none", 1, 1, &err), &err); /* no group has 30 */
        assert_int_equal(kanon_grouping_describe(out)->groups, 1);
        kanon_grouping_free(out);
        kanon_grouping_free(start);
        random_table_clear(&random);
    }
}

static const char ages[] = "age,illness\n1,a\n2,a\n3,b\n11,b\n12,b\n13,a\n21,a\n22,b\n23,b\n";
static const char ages_yaml[] = "attributes:\n  age: {role: quasi, type: integer}\n  illness: {role: sensitive}\n"
                                "privacy: {k: 3}\n";
static const char diverse_yaml[] =
    "attributes:\n  age: {role: quasi, type: integer}\n  illness: {role: sensitive}\n"
    "privacy: {k: 3, constraints: [{model: distinct-l-diversity, attribute: illness, l: 2}]}\n";

static void test_suppressed(void **state)
{
    (void)state;
    kanon_table *table = table_of(ages_yaml, ages);
    kanon_grouping *start = NULL, *out = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_grouping_new(&start, table, (int64_t[]){1, 1, 1, 2, 2, 2, 0, 0, 0}, &err), &err);
    assert_int_equal(improve(&out, table, start, 0, NULL, 1, 0, &err), KANON_EINFEASIBLE);
    assert_holds(err.message, "3 records are suppressed");
    assert_done(improve(&out, table, start, 0, NULL, 1, 1, &err), &err);
    assert_int_equal(kanon_grouping_describe(out)->suppressed, 0);
    kanon_grouping_free(out);
    kanon_grouping_free(start);
    kanon_table_free(table);
}

/* Groups by tens lose least, and each has both illnesses; by illness they violate the constraint. */
static void test_constraint(void **state)
{
    (void)state;
    kanon_table *table = table_of(diverse_yaml, ages);
    kanon_grouping *start = NULL, *out = NULL, *best = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_grouping_new(&best, table, (int64_t[]){1, 1, 1, 2, 2, 2, 3, 3, 3}, &err), &err);
    assert_done(kanon_grouping_new(&start, table, (int64_t[]){1, 2, 3, 1, 2, 3, 1, 2, 3}, &err), &err);
    assert_done(improve(&out, table, start, 0, NULL, 1, 0, &err), &err);
    assert_equal_groups(out, best);
    kanon_grouping_free(out);
    kanon_grouping_free(start);
    out = NULL;
    assert_done(kanon_grouping_new(&start, table, (int64_t[]){1, 1, 2, 2, 2, 1, 1, 2, 2}, &err), &err);
    assert_int_equal(improve(&out, table, start, 0, NULL, 1, 0, &err), KANON_EINFEASIBLE);
    assert_done(improve(&out, table, start, 0, NULL, 1, 1, &err), &err);
    kanon_grouping_free(out);
    kanon_grouping_free(start);
    kanon_grouping_free(best);
    kanon_table_free(table);
}

static void test_refused(void **state)
{
    (void)state;
    kanon_table *table = table_of(ages_yaml, ages), *other = table_of(ages_yaml, "age,illness\n1,a\n2,a\n3,b\n");
    kanon_grouping *start = NULL, *out = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_grouping_new(&start, table, (int64_t[]){1, 1, 1, 2, 2, 2, 3, 3, 3}, &err), &err);
    assert_int_equal(improve(&out, other, start, 0, NULL, 1, 0, &err), KANON_EINVAL);
    kanon_options options = {.struct_size = sizeof options, .start = start, .algorithm = "mondrian"};
    assert_int_equal(kanon_anonymize(&out, table, &options, &err), KANON_EINVAL);
    assert_holds(err.message, "no algorithm runs");
    assert_null(out);
    kanon_grouping_free(start);
    kanon_table_free(other);
    kanon_table_free(table);
}

/* ---- from a release ---------------------------------------------------------------------------------------------- */

static void test_release(void **state)
{
    (void)state;
    kanon_table *table = table_of(ages_yaml, ages);
    kanon_schema *schema = NULL;
    kanon_grouping *start = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    place path = scratch("release.csv");
    assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(ages_yaml, strlen(ages_yaml), "s"), NULL, &err), &err);
    write_text(path.text, "age,illness\n1-5,a\n1-5,a\n[1..5],b\n11-19,b\n11-19,b\n11-19,a\n*,a\n*,b\n*,b\n");
    assert_done(kanon_grouping_from_release(&start, table, KANON_PATH(path.text), schema, &err), &err);
    assert_int_equal(kanon_grouping_describe(start)->groups, 2); /* 1-5 and [1..5] mean the same */
    assert_int_equal(kanon_grouping_describe(start)->suppressed, 3);
    assert_int_equal(kanon_grouping_group_of(start, 2), kanon_grouping_group_of(start, 0));
    kanon_grouping_free(start);
    start = NULL;
    write_text(path.text, "age,illness\n1-5,a\n");
    assert_int_equal(kanon_grouping_from_release(&start, table, KANON_PATH(path.text), schema, &err), KANON_EDATA);
    assert_holds(err.message, "1 records, and the table has 9");
    assert_null(start);
    kanon_schema_free(schema);
    kanon_table_free(table);
}

static void test_no_memory(void **state)
{
    (void)state;
    kanon_table *table = table_of(diverse_yaml, ages);
    kanon_grouping *start = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_grouping_new(&start, table, (int64_t[]){1, 1, 2, 2, 2, 1, 1, 2, 3}, &err), &err);
    kanon_status st = KANON_ENOMEM;
    for (int64_t at = 1; st == KANON_ENOMEM; at++) {
        kanon_grouping *out = NULL;
        kanon__alloc_fail_at(at, false);
        st = improve(&out, table, start, 0, "il-optimization", 1, 1, &err);
        kanon__alloc_fail_at(0, false);
        kanon_grouping_free(out);
    }
    assert_int_equal(st, KANON_OK);
    kanon_grouping_free(start);
    kanon_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_never_worse, no_leak), cmocka_unit_test_teardown(test_too_small, no_leak),
        cmocka_unit_test_teardown(test_suppressed, no_leak),  cmocka_unit_test_teardown(test_constraint, no_leak),
        cmocka_unit_test_teardown(test_refused, no_leak),     cmocka_unit_test_teardown(test_release, no_leak),
        cmocka_unit_test_teardown(test_no_memory, no_leak),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
