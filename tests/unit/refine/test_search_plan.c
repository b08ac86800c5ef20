/* The plan of a search: how many moves an effort has, and where effort=fast searches nothing. The expected numbers follow
 * from the rules in docs/algorithms.md. */
#include "refine/anneal/search_plan.h"
#include "refine/refinement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static kanon__settings settings_with(const char *name, const char *value)
{
    kanon__settings settings;
    const kanon__entry *info = &kanon__refinement_find("search")->info;
    kanon_status st = kanon__settings_init(&settings, info, &(kanon_setting){name, value}, 1, NULL);
    assert_int_equal(st, KANON_OK);
    return settings;
}

static int64_t moves_of(const char *effort, int64_t n, int n_quasi, int64_t k)
{
    kanon__settings settings = settings_with("effort", effort);
    int64_t moves = kanon__search_plan_moves(&settings, n, n_quasi, k);
    kanon__settings_clear(&settings);
    return moves;
}

static void test_moves_follow_from_effort_and_size(void **state)
{
    (void)state;
    assert_int_equal(moves_of("balanced", 5000, 8, 10), 5000000);      /* 2,000 for each, half of them with k = 10 */
    assert_int_equal(moves_of("balanced", 20000, 8, 10), 13500000);    /* half of 27 million */
    assert_int_equal(moves_of("balanced", 10000000, 8, 10), 135000000); /* 27 for each, half of them */
    assert_int_equal(moves_of("balanced", 5000, 8, 90), 1000000);      /* a tenth */
    assert_int_equal(moves_of("balanced", 5000, 40, 10), 2500000);     /* twice 20 attributes */
    assert_int_equal(moves_of("balanced", 10, 8, 2), 20000);           /* never less */
    assert_int_equal(moves_of("best", 5000, 8, 10), 40000000);         /* eight times as many */
    assert_int_equal(moves_of("best", 100000, 8, 10), 400000000);      /* 8,000 for each */
}

static void test_fast_has_a_moment(void **state)
{
    (void)state;
    assert_int_equal(moves_of("fast", 100, 8, 10), 5000);       /* 100 for each, half of them */
    assert_int_equal(moves_of("fast", 3000, 8, 10), 50000);     /* half of 100,000 */
    assert_int_equal(moves_of("fast", 30000, 8, 10), 300000);   /* 20 for each */
    assert_int_equal(moves_of("fast", 300000, 8, 10), 1000000); /* half of 2 million */
    assert_int_equal(moves_of("fast", 300001, 8, 10), 0);
}

static bool is_off(const char *name, const char *value, kanon__searched_table table)
{
    kanon__settings settings = settings_with(name, value);
    bool off = kanon__search_plan_is_off(&settings, &table);
    kanon__settings_clear(&settings);
    return off;
}

static void test_fast_searches_small_tables_without_constraints(void **state)
{
    (void)state;
    kanon__searched_table small = {.n_rows = 1000, .n_whole = 1000, .n_quasi = 3, .k = 5};
    kanon__searched_table large = {.n_rows = 300001, .n_whole = 300001, .n_quasi = 3, .k = 5};
    kanon__searched_table block = {.n_rows = 1000, .n_whole = 2000, .n_quasi = 3, .k = 5, .in_blocks = true};
    kanon__searched_table constrained = {.n_rows = 1000, .n_whole = 1000, .n_quasi = 3, .k = 5, .constrained = true};
    assert_false(is_off("effort", "fast", small));
    assert_true(is_off("effort", "fast", large));
    assert_true(is_off("effort", "fast", block));
    assert_true(is_off("effort", "fast", constrained));
    assert_false(is_off("effort", "balanced", large));
    assert_false(is_off("effort", "balanced", block));
    assert_false(is_off("effort", "best", constrained));
}

static void test_a_number_of_moves_is_always_searched(void **state)
{
    (void)state;
    const kanon__entry *info = &kanon__refinement_find("search")->info;
    kanon_setting given[] = {{"effort", "fast"}, {"moves", "7"}};
    kanon__searched_table block = {.n_rows = 1000, .n_whole = 2000, .n_quasi = 3, .k = 5, .in_blocks = true};
    kanon__settings settings;
    assert_int_equal(kanon__settings_init(&settings, info, given, 2, NULL), KANON_OK);
    assert_false(kanon__search_plan_is_off(&settings, &block));
    assert_int_equal(kanon__search_plan_choose(&settings, &block).moves, 4); /* its share of 7, and one */
    kanon__settings_clear(&settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moves_follow_from_effort_and_size),
        cmocka_unit_test(test_fast_has_a_moment),
        cmocka_unit_test(test_fast_searches_small_tables_without_constraints),
        cmocka_unit_test(test_a_number_of_moves_is_always_searched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
