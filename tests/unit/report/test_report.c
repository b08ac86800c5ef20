/* What a report shows: bins, distributions, costs, and the text around them. */
#include "core/alloc.h"
#include "core/random.h"
#include "report/distribution.h"
#include "report/markup.h"
#include "report/relations.h"
#include "report/report.h"
#include "support.h"

#include <math.h>

enum { MAX_ROWS = 400 };

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* ---- bins -------------------------------------------------------------------------------------------------------- */

static void bins_hold_what_is_put_in(void **state)
{
    (void)state;
    kanon__bins bins;
    kanon__bins_at(&bins, (const int64_t[]){1, 2, 5}, 3);
    assert_int_equal(bins.n, 3);
    assert_int_equal(bins.items[1].hi, 4);
    assert_true(bins.items[2].hi == INT64_MAX);
    kanon__bins_add(&bins, 1, 1, 1, 0.5);
    kanon__bins_add(&bins, 4, 1, 4, 1);
    kanon__bins_add(&bins, 2, 1, 2, 1);
    kanon__bins_add(&bins, 1000, 1, 1000, 7);
    assert_int_equal(bins.items[0].groups, 1);
    assert_int_equal(bins.items[1].groups, 2);
    assert_int_equal(bins.items[1].records, 6);
    assert_int_equal(bins.items[2].records, 1000);
    assert_near(bins.items[1].loss, 2, 1e-12);
}

static void a_few_large_values_get_one_bin(void **state)
{
    (void)state;
    kanon__bins bins;
    int64_t values[200];
    for (int i = 0; i < 200; i++)
        values[i] = 10 + i % 10;
    values[7] = 5000;
    kanon__bins_for(&bins, values, 200);
    /* 10 to 19 one by one, and one without end */
    assert_int_equal(bins.n, 11);
    assert_int_equal(bins.items[0].lo, 10);
    assert_int_equal(bins.items[9].hi, 19);
    assert_true(bins.items[10].lo == 20 && bins.items[10].hi == INT64_MAX);
    for (int i = 0; i < 200; i++)
        values[i] = 3 * i;
    kanon__bins_for(&bins, values, 200);
    /* 598 numbers in at most 20 steps of 50 */
    assert_int_equal(bins.items[0].lo, 0);
    assert_int_equal(bins.items[0].hi, 49);
    assert_int_equal(bins.n, 12);
    values[0] = 4;
    kanon__bins_for(&bins, values, 1);
    assert_int_equal(bins.n, 1);
    assert_true(bins.items[0].lo == 4 && bins.items[0].hi == 4);
    kanon__bins_for(&bins, values, 0);
    assert_int_equal(bins.n, 0);
}

static void few_groups_are_joined_with_others(void **state)
{
    (void)state;
    static const int64_t begins[] = {1, 2, 3, 4, 5};
    kanon__bins bins, other;
    kanon__bins_at(&bins, begins, 5);
    kanon__bins_at(&other, begins, 5);
    kanon__bins_add(&bins, 1, 6, 6, 0);
    kanon__bins_add(&bins, 2, 4, 8, 0);
    kanon__bins_add(&bins, 4, 3, 12, 0);
    kanon__bins_add(&bins, 9, 1, 9, 0);
    kanon__bins_merge(&bins, NULL, 5);
    /* 4 and 3 make 7 at 2..4, the 1 at the end joins them */
    assert_int_equal(bins.n, 2);
    assert_int_equal(bins.items[0].groups, 6);
    assert_int_equal(bins.items[1].groups, 8);
    assert_int_equal(bins.items[1].records, 29);
    assert_true(bins.items[1].lo == 2 && bins.items[1].hi == INT64_MAX);
    /* what is few in the other one counts, too, and the limits stay the same */
    kanon__bins_at(&bins, begins, 5);
    kanon__bins_add(&bins, 1, 9, 9, 0);
    kanon__bins_add(&other, 1, 1, 1, 0);
    kanon__bins_add(&other, 3, 8, 24, 0);
    kanon__bins_merge(&bins, &other, 5);
    assert_int_equal(bins.n, other.n);
    assert_int_equal(bins.items[0].groups, 9);
    assert_int_equal(other.items[0].groups, 9);
    assert_int_equal(bins.items[0].hi, 3);
    /* what is few goes to the side where it takes least: nothing of the other one is lost */
    kanon__bins_at(&bins, begins, 5);
    kanon__bins_at(&other, begins, 5);
    kanon__bins_add(&bins, 1, 20, 20, 0);
    kanon__bins_add(&bins, 2, 1, 2, 0);
    kanon__bins_add(&other, 4, 7, 28, 0);
    kanon__bins_merge(&bins, &other, 5);
    assert_int_equal(bins.n, 4);
    assert_int_equal(bins.items[0].groups, 21);
    assert_int_equal(other.items[2].groups, 7);
    /* too few of all */
    kanon__bins_at(&bins, begins, 5);
    kanon__bins_add(&bins, 3, 4, 12, 0);
    kanon__bins_merge(&bins, NULL, 5);
    assert_int_equal(bins.n, 0);
}

/* ---- numbers on an axis ------------------------------------------------------------------------------------------ */

typedef struct data_set {
    kanon_table *table;
    kanon_grouping *grouping;
} data_set;

static data_set data_of(const char *yaml, const char *csv, const int64_t *group_of)
{
    data_set out = {.table = table_of(yaml, csv)};
    out.grouping = grouping_of(out.table, group_of);
    return out;
}

static void forget(data_set *data)
{
    kanon_grouping_free(data->grouping);
    kanon_table_free(data->table);
}

static kanon__axis axis_of(const data_set *data, int64_t rare)
{
    kanon__axis axis;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon__axis_init(&axis, &data->table->data.columns[0], data->grouping, rare, 1, &err), &err);
    return axis;
}

static double sum(const double *values, int n)
{
    double total = 0;
    for (int i = 0; i < n; i++)
        total += values[i];
    return total;
}

static void intervals_are_spread_evenly(void **state)
{
    (void)state;
    /* 0..9, the first four and 9 in one group: 5 records over ten units; the rest 4..8: 5 records over five */
    data_set data = data_of("attributes: {a: {role: quasi, type: integer}}\n", "a\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n",
                            (const int64_t[]){1, 1, 1, 1, 2, 2, 2, 2, 2, 1});
    kanon__axis axis = axis_of(&data, 1);
    assert_int_equal(axis.n, 10);
    for (int i = 0; i < 10; i++) {
        assert_near(axis.edges[i], i, 0);
        assert_near(axis.before[i], 1, 0);
        assert_near(axis.after[i], i >= 4 && i <= 8 ? 1.5 : 0.5, 1e-12);
    }
    assert_string_equal(axis.step_text, "1");
    assert_string_equal(axis.tick_labels[0], "0");
    assert_near(axis.ticks[0], 0.5, 0); /* in the middle of its bin */
    forget(&data);
}

static void decimals_are_points(void **state)
{
    (void)state;
    /* range 12 in steps of 0.5: [0, 12] is spread over 24 of them; twice 6 is a point, which the first group covers, too */
    data_set data = data_of("attributes: {a: {role: quasi, type: decimal}}\n", "a\n0.0\n12\n6.0\n6.0\n",
                            (const int64_t[]){1, 1, 2, 2});
    kanon__axis axis = axis_of(&data, 1);
    assert_int_equal(axis.n, 24);
    assert_near(axis.after[0], 2.0 / 24, 1e-12);
    assert_near(axis.after[12], 2 + 2.0 / 24, 1e-12);
    assert_near(axis.before[23], 1, 0); /* 12 is the end of the axis, and belongs to the last bin */
    forget(&data);
}

static void rare_numbers_are_joined(void **state)
{
    (void)state;
    /* 1 and 7 three times each, 4 once between them: it goes with 1, 2 and 3, so that 5, 6 and 7 stay as they are */
    data_set data = data_of("attributes: {a: {role: quasi, type: integer}}\n", "a\n1\n1\n1\n7\n7\n7\n4\n",
                            (const int64_t[]){1, 1, 1, 2, 2, 2, 2});
    kanon__axis axis = axis_of(&data, 3);
    assert_int_equal(axis.n, 4);
    assert_near(axis.edges[0], 1, 0);
    assert_near(axis.edges[1], 5, 0);
    assert_near(axis.edges[4], 8, 0);
    assert_near(axis.steps[0], 4, 0);
    assert_near(axis.before[0], 4, 0);
    assert_near(axis.after[0], 4, 1e-12); /* three at 1, and a quarter of the four over 4 to 7 */
    assert_near(axis.before[3], 3, 0);
    assert_near(axis.after[3], 1, 1e-12);
    assert_false(axis.is_clipped);
    assert_int_equal(axis_of(&data, 8).n, 0);
    forget(&data);
}

static void the_axis_ends_where_many_are(void **state)
{
    (void)state;
    /* 1 and 2 three times each; 500 is alone, and not where the axis ends */
    data_set data = data_of("attributes: {a: {role: quasi, type: integer}}\n", "a\n1\n1\n1\n2\n2\n2\n500\n",
                            (const int64_t[]){1, 1, 1, 2, 2, 2, 2});
    kanon__axis axis = axis_of(&data, 3);
    assert_true(axis.is_clipped);
    assert_int_equal(axis.n, 2);
    assert_near(axis.edges[2], 3, 0);
    assert_near(axis.before[1], 4, 0);
    assert_near(axis.after[1], 4, 1e-12);
    forget(&data);
    /* one of 400 far away is allowed here, but fewer than one in 200 do not take up most of the axis */
    char csv[MAX_ROWS * 8] = "a\n";
    int64_t group_of[MAX_ROWS];
    for (int i = 0; i < MAX_ROWS; i++) {
        snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "%d\n", i == 399 ? 90000 : i % 10);
        group_of[i] = 1;
    }
    data = data_of("attributes: {a: {role: quasi, type: integer}}\n", csv, group_of);
    axis = axis_of(&data, 1);
    assert_int_equal(axis.n, 10);
    assert_near(axis.before[0], 40, 0);
    assert_near(axis.before[9], 40, 0);
    assert_near(axis.after[0], 400 / 90001.0, 1e-9);
    forget(&data);
}

static void dates_begin_with_months_and_years(void **state)
{
    (void)state;
    data_set data = data_of("attributes: {a: {role: quasi, type: date}}\n", "a\n1950-03-05\n1961-07-01\n1970-12-31\n",
                            (const int64_t[]){1, 1, 1});
    kanon__axis axis = axis_of(&data, 1);
    assert_int_equal(axis.n, 21); /* 1950 to 1970 */
    assert_string_equal(axis.tick_labels[0], "1950");
    assert_string_equal(axis.step_text, "year");
    assert_near(axis.edges[20], 0, 0); /* 1970-01-01 */
    assert_near(axis.before[20], 1, 0);
    assert_near(axis.before[11], 1, 0);
    assert_near(sum(axis.after, axis.n), 3, 1e-9);
    forget(&data);
    data = data_of("attributes: {a: {role: quasi, type: date}}\n", "a\n2024-01-31\n2024-03-01\n", (const int64_t[]){1, 1});
    axis = axis_of(&data, 1);
    assert_string_equal(axis.step_text, "week");
    assert_near(axis.edges[0], 19751, 0); /* Monday 2024-01-29: 54 years of 365 days, 13 leap days, 28 days */
    forget(&data);
}

static void missing_numbers_are_apart(void **state)
{
    (void)state;
    data_set data = data_of("missing: [\"?\"]\nattributes: {a: {role: quasi, type: integer}}\n", "a\n?\n?\n?\n4\n4\n9\n9\n",
                            (const int64_t[]){1, 1, 2, 2, 3, 3, 0});
    kanon__axis axis = axis_of(&data, 1);
    assert_int_equal(axis.missing_before, 3);
    assert_int_equal(axis.missing_after, 2);
    assert_int_equal(axis.any_after, 3); /* group 2, and the suppressed one */
    assert_near(sum(axis.before, axis.n), 4, 0);
    assert_near(sum(axis.after, axis.n), 2, 1e-12);
    forget(&data);
    data = data_of("missing: [\"?\"]\nattributes: {a: {role: quasi, type: integer}}\n", "a\n?\n?\n",
                   (const int64_t[]){1, 1});
    axis = axis_of(&data, 1);
    assert_int_equal(axis.n, 0);
    assert_int_equal(axis.missing_after, 2);
    forget(&data);
}

static void any_axis_adds_up(void **state)
{
    (void)state;
    kanon__random random;
    static const char *const types[] = {"integer", "decimal", "date"};
    kanon__random_init(&random, test_seed(), 0);
    for (int round = 0; round < 300; round++) {
        char csv[MAX_ROWS * 32] = "a\n";
        int64_t group_of[MAX_ROWS], n = 1 + kanon__random_below(&random, MAX_ROWS),
                                    rare = 1 + kanon__random_below(&random, 12);
        int64_t spread = 1 + kanon__random_below(&random, 3000);
        size_t used = 2;
        for (int64_t i = 0; i < n; i++) {
            int64_t v = kanon__random_below(&random, 1 + kanon__random_below(&random, spread));
            group_of[i] = kanon__random_below(&random, 1 + n / 4);
            const char *format = kanon__random_below(&random, 20) == 0 ? "?\n"
                                 : round % 3 == 2                      ? "19%02lld-%02lld-11\n"
                                 : round % 3 == 1                      ? "%lld.%lld\n"
                                                                       : "%lld%lld\n";
            used += (size_t)snprintf(csv + used, sizeof csv - used, format, (long long)(round % 3 == 2 ? v % 100 : v),
                                     (long long)(round % 3 == 2 ? 1 + v % 12 : v % 10));
        }
        char yaml[120];
        snprintf(yaml, sizeof yaml, "missing: [\"?\"]\nattributes: {a: {role: quasi, type: %s}}\n", types[round % 3]);
        data_set data = data_of(yaml, csv, group_of);
        kanon__axis axis = axis_of(&data, rare);
        double before = sum(axis.before, axis.n) + (double)axis.missing_before;
        double after = sum(axis.after, axis.n) + (double)(axis.missing_after + axis.any_after);
        if (axis.n > 0) {
            assert_near(before, (double)n, 0);
            assert_near(after, (double)n, 1e-9 * (double)n);
        } else {
            assert_true(n - axis.missing_before < rare);
        }
        for (int i = 0; i < axis.n; i++) {
            assert_true(axis.before[i] == 0 || axis.before[i] >= (double)rare);
            assert_true(axis.after[i] >= 0 && axis.edges[i] < axis.edges[i + 1]);
        }
        forget(&data);
    }
}

/* ---- categories -------------------------------------------------------------------------------------------------- */

static kanon__categories categories_of(const data_set *data, int64_t rare)
{
    kanon__categories categories;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon__categories_init(&categories, &data->table->data.columns[0], data->grouping, rare, 1, &err), &err);
    return categories;
}

static void assert_category(const data_set *data, const kanon__category *category, const char *label, int depth,
                            int64_t before, int64_t after)
{
    size_t length;
    const char *text = kanon__taxonomy_label(data->table->data.columns[0].domain->taxonomy, category->node, &length);
    assert_int_equal(length, strlen(label));
    assert_memory_equal(text, label, length);
    assert_int_equal(category->depth, depth);
    assert_int_equal(category->before, before);
    assert_int_equal(category->after, after);
}

static void categories_keep_the_order_of_their_tree(void **state)
{
    (void)state;
    /* before: x 3, y 2, z 2; after: {x, x} is x, {x, y, y} is xy, {z, z} is z */
    data_set data = data_of("attributes: {a: {role: quasi, taxonomy: {xy: {x: , y: }, z: }}}\n", "a\nx\nx\nz\nx\ny\ny\nz\n",
                            (const int64_t[]){1, 1, 2, 3, 3, 3, 2});
    kanon__categories categories = categories_of(&data, 2);
    assert_int_equal(categories.n, 4);
    assert_category(&data, &categories.items[0], "xy", 0, 0, 3);
    assert_category(&data, &categories.items[1], "x", 1, 3, 2);
    assert_category(&data, &categories.items[2], "y", 1, 2, 0);
    assert_category(&data, &categories.items[3], "z", 0, 2, 2);
    assert_int_equal(categories.n_other, 0);
    forget(&data);
}

static void rare_categories_are_hidden(void **state)
{
    (void)state;
    /* a 4, b 3, c 1; c alone would be one record, so b goes with it */
    data_set data = data_of("attributes: {v: {role: quasi, type: categorical}}\n", "v\na\na\na\na\nb\nb\nb\nc\n",
                            (const int64_t[]){1, 1, 1, 1, 2, 2, 2, 2});
    kanon__categories categories = categories_of(&data, 3);
    assert_int_equal(categories.n, 2);
    assert_category(&data, &categories.items[0], "*", 0, 0, 4);
    assert_category(&data, &categories.items[1], "a", 0, 4, 4);
    assert_int_equal(categories.n_other, 2);
    assert_int_equal(categories.other_before, 4);
    assert_int_equal(categories.other_after, 0);
    assert_false(categories.other_is_rare); /* b is not */
    assert_int_equal(categories_of(&data, 9).n, 0);
    forget(&data);
}

static void common_categories_are_shown(void **state)
{
    (void)state;
    /* a 8 and b 6 times, of which 2 each are released as such, and the others as * */
    data_set data = data_of("attributes: {v: {role: quasi, type: categorical}}\n",
                            "v\na\na\nb\nb\na\na\na\na\na\na\nb\nb\nb\nb\n",
                            (const int64_t[]){1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3});
    kanon__categories categories = categories_of(&data, 3);
    assert_int_equal(categories.n, 3);
    assert_category(&data, &categories.items[0], "*", 0, 0, 10);
    assert_category(&data, &categories.items[1], "a", 0, 8, 0);
    assert_category(&data, &categories.items[2], "b", 0, 6, 0);
    assert_int_equal(categories.n_other, 0);
    assert_int_equal(categories.other_before, 0);
    assert_int_equal(categories.other_after, 4);
    forget(&data);
}

static void few_groups_are_hidden(void **state)
{
    (void)state;
    /* a in three groups, b in two, c in one; of two groups at least, c goes with b */
    data_set data = data_of("attributes: {v: {role: quasi, type: categorical}}\n", "v\na\na\na\nb\nb\nc\n",
                            (const int64_t[]){1, 2, 3, 4, 5, 6});
    kanon__categories categories;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon__categories_init(&categories, &data.table->data.columns[0], data.grouping, 1, 2, &err), &err);
    assert_int_equal(categories.n, 1);
    assert_category(&data, &categories.items[0], "a", 0, 3, 3);
    assert_int_equal(categories.other_groups, 3);
    forget(&data);
    /* 1, 3 and 4 are in one group each, 2 is in two: 1 goes with 2, and 3 with 4 */
    data = data_of("attributes: {a: {role: quasi, type: integer}}\n", "a\n1\n2\n2\n3\n4\n",
                   (const int64_t[]){1, 2, 3, 4, 5});
    kanon__axis axis;
    assert_done(kanon__axis_init(&axis, &data.table->data.columns[0], data.grouping, 1, 2, &err), &err);
    assert_int_equal(axis.n, 2);
    assert_near(axis.edges[1], 3, 0);
    assert_near(axis.groups[0], 3, 0);
    forget(&data);
}

static void the_largest_categories_are_shown(void **state)
{
    (void)state;
    char csv[4000] = "a\n";
    int64_t group_of[400], n = 0;
    for (int i = 0; i < 20; i++) /* value i stands 5 + i times, in a group of its own */
        for (int j = 0; j < 5 + i; j++, n++) {
            snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "v%02d\n", i);
            group_of[n] = i + 1;
        }
    data_set data = data_of("attributes: {a: {role: quasi, type: categorical}}\n", csv, group_of);
    kanon__categories categories = categories_of(&data, 5);
    assert_int_equal(categories.n, KANON__SHOWN_CATEGORIES);
    assert_category(&data, &categories.items[0], "v19", 0, 24, 24);
    assert_category(&data, &categories.items[11], "v08", 0, 13, 13);
    assert_int_equal(categories.n_other, 8);
    assert_int_equal(categories.other_before, 5 + 6 + 7 + 8 + 9 + 10 + 11 + 12);
    assert_false(categories.other_is_rare);
    forget(&data);
}

static void any_categories_add_up(void **state)
{
    (void)state;
    kanon__random random;
    kanon__random_init(&random, test_seed(), 1);
    for (int round = 0; round < 300; round++) {
        char csv[MAX_ROWS * 8] = "a\n";
        int64_t group_of[MAX_ROWS], n = 1 + kanon__random_below(&random, MAX_ROWS),
                                    rare = 1 + kanon__random_below(&random, 12);
        int64_t n_values = 1 + kanon__random_below(&random, 60);
        size_t used = 2;
        for (int64_t i = 0; i < n; i++) {
            group_of[i] = kanon__random_below(&random, 1 + n / 5);
            used += (size_t)snprintf(csv + used, sizeof csv - used, "%c%lld\n", "xyz"[round % 3],
                                     (long long)kanon__random_below(&random, 1 + kanon__random_below(&random, n_values)));
        }
        data_set data = data_of(round % 2 ? "attributes: {a: {role: quasi, mask: right}}\n"
                                          : "attributes: {a: {role: quasi, type: categorical}}\n",
                                csv, group_of);
        kanon__categories categories = categories_of(&data, rare);
        int64_t before = categories.other_before, after = categories.other_after;
        assert_true(categories.n == 0 || before == 0 || before >= rare);
        assert_true(categories.n == 0 || after == 0 || after >= rare);
        for (int i = 0; i < categories.n; i++) {
            const kanon__category *category = &categories.items[i];
            before += category->before;
            after += category->after;
            assert_true(category->before == 0 || category->before >= rare);
            assert_true(category->after == 0 || category->after >= rare);
        }
        assert_int_equal(before, n);
        assert_int_equal(after, n);
        forget(&data);
    }
}

/* ---- costs, risk, sensitive values ------------------------------------------------------------------------------- */

static const char truta_yaml[] = "attributes:\n"
                                 "  age: {role: quasi, type: integer}\n"
                                 "  zip: {role: quasi, type: categorical, mask: right}\n"
                                 "  gender: {role: quasi, type: categorical}\n"
                                 "  ill: {role: sensitive}\n";
static const char truta_csv[] = "age,zip,gender,ill\n25,41076,Male,flu\n40,41935,Female,flu\n35,12345,Male,gout\n"
                                "55,33333,Male,cold\n33,41733,Female,flu\n42,41076,Male,gout\n38,41933,Male,flu\n";
static const int64_t truta_groups[] = {1, 1, 2, 2, 3, 3, 3};

static void costs_are_those_of_the_worked_example(void **state)
{
    (void)state;
    data_set data = data_of(truta_yaml, truta_csv, truta_groups);
    kanon__report_data d;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon__report_data_init(&d, data.table, data.grouping, 0, &err), &err);
    double age = 2 * 15 / 30.0 + 2 * 20 / 30.0 + 3 * 9 / 30.0, zip = 2 * 0.6 + 2 + 3 * 0.6, gender = 2 + 3;
    assert_near(d.loss, 4.2 + 10 / 3.0 + 5.7, 1e-12);
    assert_near(d.costs[0].loss, age, 1e-12);
    assert_near(d.costs[1].loss, zip, 1e-12);
    assert_near(d.costs[2].loss, gender, 1e-12);
    assert_near(d.costs[0].without, zip + gender, 1e-12);
    assert_near(d.costs[0].share, age / (age + zip + gender), 1e-12);
    assert_near(d.costs[2].average, 5 / 7.0, 1e-12);
    assert_int_equal(d.worst_groups, 1);
    assert_int_equal(d.worst_records, 3);
    assert_near(d.worst_loss, 5.7, 1e-12);
    assert_int_equal(d.sizes.n, 2);
    assert_int_equal(d.sizes.items[0].groups, 2);
    assert_near(d.sizes.items[0].loss, 4.2 + 10 / 3.0, 1e-12);
    assert_int_equal(d.n_unique, 7);
    assert_int_equal(d.n_classes, 7);
    assert_int_equal(d.above[KANON__BEFORE][0], 7);
    assert_int_equal(d.above[KANON__AFTER][0], 4);
    assert_int_equal(d.above[KANON__AFTER][1], 7);
    assert_int_equal(d.risk[KANON__AFTER].items[1].records, 4);
    assert_int_equal(d.kinds.items[0].records, 7);
    assert_near(d.kinds.items[0].loss, d.loss, 1e-12);
    /* flu, flu; gout, cold; flu, gout, flu */
    assert_int_equal(d.variety[0].single_groups, 1);
    assert_int_equal(d.variety[0].single_records, 2);
    assert_int_equal(d.variety[0].distinct.items[1].groups, 2);
    assert_int_equal(d.variety[0].top.items[5].groups, 1);
    assert_int_equal(d.variety[0].top.items[6].groups, 1);
    assert_int_equal(d.variety[0].top.items[10].groups, 1);
    /* three groups are too few to be told of */
    kanon__report_data_coarsen(&d, data.table, data.grouping);
    assert_int_equal(d.sizes.n + d.kinds.n + d.variety[0].distinct.n + d.variety[0].top.n, 0);
    assert_int_equal(d.variety[0].single_groups + d.worst_groups, 0);
    assert_int_equal(d.above[KANON__AFTER][1], 7);
    kanon__report_data_clear(&d);
    forget(&data);
}

static void equal_originals_are_one_class(void **state)
{
    (void)state;
    data_set data = data_of("attributes: {a: {role: quasi}, b: {role: quasi}}\n", "a,b\n1,x\n2,x\n1,x\n1,y\n1,x\n2,x\n",
                            (const int64_t[]){1, 1, 1, 1, 0, 1});
    kanon__report_data d;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon__report_data_init(&d, data.table, data.grouping, 0, &err), &err);
    assert_int_equal(d.n_classes, 3);
    assert_int_equal(d.n_unique, 1);
    assert_int_equal(d.risk[KANON__BEFORE].items[1].records, 2);
    assert_int_equal(d.risk[KANON__BEFORE].items[2].records, 3);
    assert_int_equal(d.risk[KANON__BEFORE].items[2].groups, 1);
    assert_near(d.loss, 6 * 2, 1e-12); /* everything mixed, and one suppressed */
    kanon__report_data_clear(&d);
    forget(&data);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void assert_written(void (*write)(kanon__output *, const char *), const char *given, const char *expected)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__output *output = NULL;
    place path = scratch("text");
    assert_done(kanon__output_open(&output, KANON_TO_PATH(path.text), false, &err), &err);
    write(output, given);
    assert_done(kanon__output_finish(output, &err), &err);
    assert_done(kanon__output_commit(&output, 1, &err), &err);
    kanon__output_free(output);
    assert_file(path.text, expected);
}

static void whole(kanon__output *output, const char *text)
{
    kanon__markup_text(output, text, strlen(text));
}

static void cut(kanon__output *output, const char *text)
{
    kanon__markup_label(output, text, strlen(text), 6);
}

static void text_is_harmless(void **state)
{
    (void)state;
    assert_written(whole, "<a href=\"x\">'&'", "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;");
    assert_written(whole, "a\nb\tc\x7f", "a\\nb\\tc\\x7f");
    assert_written(whole,
                   "a\xc2\x9b"
                   "31m\xe2\x80\xaez\xe2\x81\xa6",
                   "a\\u009b31m\\u202ez\\u2066"); /* C1, bidirectional */
    assert_written(whole, "na\xC3\xAFve \xE6\xBC\xA2", "na\xC3\xAFve \xE6\xBC\xA2");
    /* a lone byte, an overlong slash, a surrogate, a cut sequence */
    assert_written(whole, "\xE9|\xC0\xAF|\xED\xA0\x80|\xE6\xBC",
                   "\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD");
    assert_written(cut, "sixsix", "sixsix");
    assert_written(cut, "seven!!", "seven\xE2\x80\xA6");
    assert_written(cut, "\xE6\xBC\xA2\xE6\xBC\xA2\xE6\xBC\xA2\xE6\xBC\xA2", "\xE6\xBC\xA2\xE6\xBC\xA2\xE2\x80\xA6");
}

static void numbers_read_well(void **state)
{
    (void)state;
    assert_string_equal(kanon__show_count(0).text, "0");
    assert_string_equal(kanon__show_count(-1234567).text, "-1,234,567");
    assert_string_equal(kanon__show_count(INT64_MIN).text, "-9,223,372,036,854,775,808");
    assert_string_equal(kanon__show_fixed(1234.5678, 2).text, "1,234.57");
    assert_string_equal(kanon__show_fixed(-0.004, 2).text, "0.00");
    assert_string_equal(kanon__show_fixed(0.999, 2).text, "1.00");
    assert_string_equal(kanon__show_share(0.125).text, "12.5 %");
    assert_string_equal(kanon__show_share(0.00001).text, "under 0.1 %");
    assert_string_equal(kanon__show_share(0.99999).text, "over 99.9 %");
    assert_string_equal(kanon__show_share(0.1).text, "10 %");
    assert_string_equal(kanon__show_share(NAN).text, "-");
    assert_string_equal(kanon__show_figure(30162, true).text, "30,162");
    assert_string_equal(kanon__show_figure(1 / 3.0, false).text, "0.3333");
    assert_string_equal(kanon__show_figure(680, false).text, "680");
    assert_string_equal(kanon__show_figure(INFINITY, false).text, "infinite");
    assert_string_equal(kanon__show_place(-1.5).text, "-1.5");
    assert_string_equal(kanon__show_place(2.004).text, "2");
    assert_string_equal(kanon__file_name("a/b.csv"), "b.csv");
    assert_string_equal(kanon__file_name("b.csv"), "b.csv");
}

static void a_page_ends_in_html(void **state)
{
    (void)state;
    static const struct {
        kanon_output to;
        bool is_page;
    } cases[] = {
        {{.location = "a/b.html"}, true},
        {{.location = "b.json"}, false},
        {{.location = "html"}, false},
        {{.location = "-"}, false},
        {{.location = "-", .format = "html"}, true},
        {{.location = "b.html", .format = "json"}, false},
    };
    kanon_error err = KANON_INIT(kanon_error);
    bool is_page;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_done(kanon__report_is_html(&is_page, &cases[i].to, &err), &err);
        assert_int_equal(is_page, cases[i].is_page);
    }
    const kanon_output unknown = {.location = "b.html", .format = "pdf"};
    assert_int_equal(kanon__report_is_html(&is_page, &unknown, &err), KANON_EINVAL);
    assert_holds(err.message, "'pdf'");
    assert_string_equal(err.hint, "the formats are json|html");
}

/* ---- means, correlations --------------------------------------------------------------------------------------- */

/* x = 0..199 and y = -2x in groups of 20 that follow each other: 5 of 200 records can move the mean of x by 199 * 5 / 200,
 * about 5, so it is told in tens, 99.5 as 100; that of y, by about 10, -199 as -200. */
static void means_hide_single_records(void **state)
{
    enum { N = 200 };
    static char csv[8192];
    int64_t group_of[N];
    kanon_error err = KANON_INIT(kanon_error);
    kanon__report_data d;
    kanon__relations r;
    (void)state;
    strcpy(csv, "x,y,s\n");
    for (int i = 0; i < N; i++) {
        group_of[i] = 1 + i / 20;
        char value = "ab"[i == 5 || (i >= 20 && i % 2 == 1)];
        snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "%d,%d,%c\n", i, -2 * i, value);
    }
    data_set data = data_of("attributes: {x: quasi, y: quasi, s: sensitive}\n", csv, group_of);
    assert_done(kanon__report_data_init(&d, data.table, data.grouping, 0, &err), &err);
    d.rare = 5;
    assert_done(kanon__relations_init(&r, data.table, data.grouping, &d, false, &err), &err);
    assert_int_equal(r.n, 2);
    for (int when = 0; when < 2; when++) {
        assert_near(r.means[when][0], 100, 1e-9);
        assert_near(r.means[when][1], -200, 1e-9);
        assert_near(r.correlations[when][0][1], -1, 1e-9);
    }
    d.rare = 11; /* 20 times that are more records than there are */
    assert_done(kanon__relations_init(&r, data.table, data.grouping, &d, false, &err), &err);
    assert_int_equal(r.n, 0);
    kanon__report_data_clear(&d);
    forget(&data);
}

/* ---- no memory --------------------------------------------------------------------------------------------------- */

static kanon_status publish(const data_set *data, bool html, kanon_error *err)
{
    place report = scratch(html ? "p.html" : "p.json"), external = scratch(html ? "e.html" : "e.json");
    place book = scratch(html ? "c.html" : "c.json");
    kanon_outputs outputs = {.struct_size = sizeof outputs,
                             .report = KANON_TO_PATH(report.text),
                             .report_external = KANON_TO_PATH(external.text),
                             .codebook = KANON_TO_PATH(book.text)};
    return kanon_publish(data->table, data->grouping, &outputs, err);
}

/* One group of 20 records, 11 of them of one person: a risk of 55 %. The release does not show persons, so an external
 * report does not tell it, and never the lower risk of records. */
static void risk_is_that_of_persons(void **state)
{
    enum { N = 20 };
    char csv[1024] = "who,age\n";
    int64_t group_of[N];
    kanon_error err = KANON_INIT(kanon_error);
    kanon__report_data d;
    (void)state;
    for (int i = 0; i < N; i++) {
        group_of[i] = 1;
        snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "p%d,%d\n", i < 11 ? 0 : i, i < 11 ? 20 : i);
    }
    data_set data = data_of("attributes: {who: identifying, age: {role: quasi, type: integer}}\nentity: who\n", csv,
                            group_of);
    assert_done(kanon__report_data_init(&d, data.table, data.grouping, 0, &err), &err);
    assert_true(d.highest_risk == 11.0 / 20);
    assert_true(d.average_risk == 130.0 / 20 / 20);
    for (int i = 0; i < KANON__N_THRESHOLDS; i++) {
        assert_int_equal(d.above[KANON__AFTER][i], 11); /* 1/20 is not above 1/20 */
        assert_int_equal(d.above[KANON__BEFORE][i], 20);
    }
    assert_int_equal(d.n_unique, 20); /* the person's 11 records equal one another alone */
    assert_int_equal(d.risk[KANON__AFTER].items[0].records, 11);
    assert_int_equal(d.risk[KANON__AFTER].items[0].groups, 1);
    assert_int_equal(d.risk[KANON__AFTER].items[d.risk[KANON__AFTER].n - 1].records, 9);
    assert_int_equal(d.risk[KANON__AFTER].items[d.risk[KANON__AFTER].n - 1].groups, 1);
    kanon__report_data_clear(&d);
    place page = scratch("p.html"), json = scratch("p.json");
    for (int external = 0; external < 2; external++) {
        kanon_outputs outputs = {.struct_size = sizeof outputs};
        *(external ? &outputs.report_external : &outputs.report) = KANON_TO_PATH(page.text);
        assert_done(kanon_publish(data.table, data.grouping, &outputs, &err), &err);
        *(external ? &outputs.report_external : &outputs.report) = KANON_TO_PATH(json.text);
        assert_done(kanon_publish(data.table, data.grouping, &outputs, &err), &err);
        char *text = read_text(page.text);
        assert_int_equal(strstr(text, "is at most <b>55 %</b>, and 32.5 % on average") == NULL, external);
        assert_int_equal(strstr(text, "55 %") == NULL, external);
        assert_null(strstr(text, "1 in 20"));
        free(text);
        text = read_text(json.text);
        assert_int_equal(strstr(text, "\"highest_risk\": 0.55") == NULL, external);
        assert_int_equal(strstr(text, "\"average_risk\": 0.325") == NULL, external);
        assert_int_equal(strstr(text, "\"records_above\": 11") == NULL, external);
        assert_int_equal(strstr(text, "_risk") == NULL, external);
        free(text);
    }
    forget(&data);
}

static void every_allocation_fails(void **state)
{
    (void)state;
    data_set data = data_of(truta_yaml, truta_csv, truta_groups);
    kanon_error err = KANON_INIT(kanon_error);
    for (int html = 0; html < 2; html++) {
        const char *names[] = {html ? "p.html" : "p.json", html ? "e.html" : "e.json", html ? "c.html" : "c.json"};
        kanon__alloc_fail_at(0, false);
        assert_done(publish(&data, html, &err), &err);
        int64_t n = kanon__alloc_count();
        for (int64_t i = 1; i <= n; i++) {
            remove(scratch(names[0]).text);
            remove(scratch(names[1]).text);
            remove(scratch(names[2]).text);
            kanon__alloc_fail_at(i, false);
            kanon_status st = publish(&data, html, &err);
            kanon__alloc_fail_at(0, false);
            /* the commit can do without a little memory; then all are there */
            assert_true(st == KANON_ENOMEM || (st == KANON_OK && i > n - 2));
            for (int j = 0; j < 3; j++)
                assert_int_equal(exists(scratch(names[j]).text), st == KANON_OK);
        }
    }
    forget(&data);
    assert_no_leak();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_hold_what_is_put_in),
        cmocka_unit_test(a_few_large_values_get_one_bin),
        cmocka_unit_test(few_groups_are_joined_with_others),
        cmocka_unit_test(intervals_are_spread_evenly),
        cmocka_unit_test(decimals_are_points),
        cmocka_unit_test(rare_numbers_are_joined),
        cmocka_unit_test(the_axis_ends_where_many_are),
        cmocka_unit_test(dates_begin_with_months_and_years),
        cmocka_unit_test(missing_numbers_are_apart),
        cmocka_unit_test(any_axis_adds_up),
        cmocka_unit_test(categories_keep_the_order_of_their_tree),
        cmocka_unit_test(rare_categories_are_hidden),
        cmocka_unit_test(common_categories_are_shown),
        cmocka_unit_test(few_groups_are_hidden),
        cmocka_unit_test(the_largest_categories_are_shown),
        cmocka_unit_test(any_categories_add_up),
        cmocka_unit_test(costs_are_those_of_the_worked_example),
        cmocka_unit_test(equal_originals_are_one_class),
        cmocka_unit_test(text_is_harmless),
        cmocka_unit_test(numbers_read_well),
        cmocka_unit_test(a_page_ends_in_html),
        cmocka_unit_test(risk_is_that_of_persons),
        cmocka_unit_test(means_hide_single_records),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
