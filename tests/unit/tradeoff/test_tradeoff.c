/* Grids, which of their points are dominated, and the curve of a small table. */
#include "tradeoff/grid.h"
#include "support.h"

#include <math.h>

static void a_grid_is_every_combination(void **state)
{
    kanon__grid g = {0};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    assert_int_equal(kanon__grid_points(&g), 1);
    assert_done(kanon__grid_add(&g, "k", "2,5,10", false, &err), &err);
    assert_done(kanon__grid_add(&g, "columns", "a,b", true, &err), &err);
    assert_done(kanon__grid_add(&g, "r", "0,0.5", false, &err), &err);
    assert_int_equal(kanon__grid_points(&g), 6);
    const char *expected[6][3] = {{"2", "a,b", "0"},   {"2", "a,b", "0.5"}, {"5", "a,b", "0"},
                                  {"5", "a,b", "0.5"}, {"10", "a,b", "0"},  {"10", "a,b", "0.5"}};
    for (int point = 0; point < 6; point++)
        for (int axis = 0; axis < 3; axis++)
            assert_string_equal(kanon__grid_value(&g, point, axis), expected[point][axis]);
    kanon__grid_clear(&g);
    assert_no_leak();
}

static void wrong_grids_are_refused(void **state)
{
    static const struct {
        const char *name, *list;
    } wrong[] = {{"w", ""}, {"w", ","}, {"w", "1,"}, {"w", ",1"}, {"w", "1,,2"}, {"w", "1,2,1"}, {"k", "3"}};
    kanon__grid g = {0};
    kanon_error err = KANON_INIT(kanon_error);
    char digits[3 * 200 + 1] = "";
    (void)state;
    assert_done(kanon__grid_add(&g, "k", "2,5", false, &err), &err);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(kanon__grid_add(&g, wrong[i].name, wrong[i].list, false, &err), KANON_EINVAL);
    assert_int_equal(kanon__grid_points(&g), 2);

    for (int i = 100; i < 200; i++) /* 2 x 100 x 50 points are the most there may be */
        snprintf(digits + strlen(digits), sizeof digits - strlen(digits), "%s%d", i > 100 ? "," : "", i);
    assert_done(kanon__grid_add(&g, "a", digits, false, &err), &err);
    assert_int_equal(kanon__grid_add(&g, "b", digits, false, &err), KANON_EINVAL);
    digits[4 * 50 - 1] = '\0';
    assert_done(kanon__grid_add(&g, "b", digits, false, &err), &err);
    assert_int_equal(kanon__grid_points(&g), KANON__GRID_POINTS);
    assert_int_equal(kanon__grid_add(&g, "c", "1,2", false, &err), KANON_EINVAL);
    kanon__grid_clear(&g);
    assert_no_leak();
}

static void dominated_points_are_found(void **state)
{
    (void)state;
    const double values[][2] = {
        {1, 5},             /* nobody is better in the first */
        {2, 3},             /* none is better in both */
        {2, 4},             /* equal in the first, worse in the second than the one above */
        {3, 3},             /* likewise, the other way round */
        {5, 1},             /* nobody is better in the second */
        {5, 1},             /* equal points do not beat each other */
        {5 + 1e-13, 1},     /* nor do those that differ by rounding */
        {6, 6},             /* worse in both */
        {NAN, NAN},         /* nothing is known: neither dominated nor dominating */
        {1 - 1e-6, 5.0001}, /* a trade of very little */
    };
    enum { N = sizeof values / sizeof *values };
    const bool expected[N] = {false, false, true, true, false, false, false, true, false, false};
    bool dominated[N];
    kanon__find_dominated(dominated, &values[0][0], N, 2);
    for (int i = 0; i < N; i++)
        assert_int_equal(dominated[i], expected[i]);
    /* a criterion that no point has decides nothing */
    const double without[] = {1, NAN, 2, NAN, 1, NAN};
    kanon__find_dominated(dominated, without, 3, 2);
    assert_false(dominated[0] || dominated[2]);
    assert_true(dominated[1]);
}

static const kanon_figure *find(const kanon_curve_point *point, const char *name)
{
    for (size_t i = 0; i < point->n_figures; i++)
        if (strcmp(point->figures[i]->name, name) == 0)
            return point->figures[i];
    fail_msg("there is no %s", name);
    return NULL;
}

/* Each point must be what the same run is alone; the bound is shared between points of one k. */
static void points_are_runs(const kanon_table *table, const kanon_curve *curve)
{
    kanon_error err = KANON_INIT(kanon_error);
    for (size_t i = 0; kanon_curve_at(curve, i) != NULL; i++) {
        const kanon_curve_point *point = kanon_curve_at(curve, i);
        kanon_grouping *grouping = NULL;
        kanon_measures *measures = NULL;
        kanon_options alone = {.struct_size = sizeof alone,
                               .k = atoll(point->settings[0].value),
                               .algorithm = "mondrian",
                               .settings = &point->settings[1],
                               .n_settings = 1};
        if (alone.k > kanon_table_rows(table)) {
            assert_int_equal(point->result, KANON_POINT_INFEASIBLE);
            assert_true(isnan(find(point, "information_loss")->value));
            continue;
        }
        assert_done(kanon_anonymize(&grouping, table, &alone, &err), &err);
        assert_done(kanon_evaluate(&measures, table, grouping, NULL, &err), &err);
        for (size_t j = 0; j < point->n_figures; j++) {
            double value = kanon_measures_find(measures, point->figures[j]->name, NULL)->value;
            assert_true(point->figures[j]->value == value || (isnan(value) && isnan(point->figures[j]->value)));
        }
        kanon_measures_free(measures);
        kanon_grouping_free(grouping);
    }
}

static void a_curve_is_its_runs(void **state)
{
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_curve *curve = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    write_text(scratch("s.yaml").text,
               "attributes:\n  age: {role: quasi, type: integer}\n  pay: {role: quasi, type: integer}\n"
               "  ill: {role: sensitive}\n");
    write_text(scratch("t.csv").text,
               "age,pay,ill\n20,1,a\n21,1,b\n20,2,a\n30,7,b\n30,7,a\n35,9,c\n36,9,a\n40,2,b\n41,1,c\n");
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
    kanon_tradeoff_options grid = {.struct_size = sizeof grid,
                                   .k = "2,3,99",
                                   .algorithm = "mondrian",
                                   .settings = (const kanon_setting[]){{"ties", "strict,relaxed"}},
                                   .n_settings = 1,
                                   .threads = 2};
    assert_done(kanon_tradeoff(&curve, table, &grid, &err), &err);
    assert_non_null(kanon_curve_at(curve, 5));
    assert_null(kanon_curve_at(curve, 6));
    assert_null(kanon_curve_at(curve, 6));
    assert_string_equal(kanon_curve_at(curve, 3)->settings[0].value, "3");
    assert_string_equal(kanon_curve_at(curve, 3)->settings[1].value, "relaxed");
    points_are_runs(table, curve);
    kanon_curve_free(curve);
    grid.k = "10,99";
    assert_int_equal(kanon_tradeoff(&curve, table, &grid, &err), KANON_EINFEASIBLE);
    assert_null(curve);
    kanon_table_free(table);
    kanon_schema_free(schema);
    assert_no_leak();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_is_every_combination),
        cmocka_unit_test(wrong_grids_are_refused),
        cmocka_unit_test(dominated_points_are_found),
        cmocka_unit_test(a_curve_is_its_runs),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
