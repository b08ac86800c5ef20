/* What groups show, as data. */
#include "core/alloc.h"
#include "support.h"

#include <math.h>

static const char yaml[] = "missing: [\"?\"]\n"
                           "attributes:\n"
                           "  name: {role: identifying}\n"
                           "  age: {role: quasi, type: integer}\n"
                           "  day: {role: quasi, type: date}\n"
                           "  job: {role: quasi, taxonomy: {Work: {cook: , baker: }, none: }}\n"
                           "  place: {role: quasi, taxonomy: {World: {here: , there: }}}\n";
static const char csv[] = "name,age,day,job,place\n"
                          "a,20,1970-01-02,cook,here\n"
                          "b,24,1970-01-05,baker,there\n"
                          "c,?,?,none,here\n"
                          "d,30,?,cook,here\n"
                          "e,30,?,?,?\n"
                          "f,31,?,?,?\n"
                          "g,9,1970-01-01,none,here\n";
static const int64_t groups[] = {1, 1, 2, 2, 3, 3, 0};
enum { NAME, AGE, DAY, JOB, PLACE };

static kanon_group_cell cell_of(const kanon_group_view *view, int64_t group, int column)
{
    kanon_group_cell cell = {.struct_size = sizeof cell};
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_group_view_cell(&cell, view, group, column, &err), &err);
    return cell;
}

static void assert_range(kanon_group_cell cell, double min, double max, const char *min_text, const char *max_text)
{
    assert_int_equal(cell.shows, KANON_SHOWS_RANGE);
    assert_true(cell.min == min && cell.max == max);
    assert_string_equal(cell.min_text, min_text);
    assert_string_equal(cell.max_text, max_text);
    assert_null(cell.category);
}

static void assert_category(kanon_group_cell cell, const char *name)
{
    assert_int_equal(cell.shows, KANON_SHOWS_CATEGORY);
    assert_string_equal(cell.category, name);
    assert_true(isnan(cell.min) && isnan(cell.max));
    assert_null(cell.min_text);
}

static void assert_nothing(kanon_group_cell cell, kanon_shows shows)
{
    assert_int_equal(cell.shows, shows);
    assert_true(isnan(cell.min) && isnan(cell.max));
    assert_true(cell.min_text == NULL && cell.max_text == NULL && cell.category == NULL);
}

static void groups_show_what_they_hold(void **state)
{
    (void)state;
    kanon_group_view *view = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_of(yaml, csv);
    kanon_grouping *grouping = grouping_of(table, groups);
    assert_done(kanon_group_view_new(&view, table, grouping, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    assert_int_equal(kanon_group_view_groups(view), 3);
    assert_int_equal(kanon_group_view_records(view, 0), 1);
    assert_int_equal(kanon_group_view_records(view, 3), 2);
    assert_int_equal(kanon_group_view_records(view, 4), 0);
    assert_range(cell_of(view, 1, AGE), 20, 24, "20", "24");
    assert_range(cell_of(view, 1, DAY), 1, 4, "1970-01-02", "1970-01-05");
    assert_category(cell_of(view, 1, JOB), "Work");
    assert_category(cell_of(view, 1, PLACE), "World"); /* a root with a name says something */
    assert_nothing(cell_of(view, 2, AGE), KANON_SHOWS_ANY);
    assert_nothing(cell_of(view, 2, DAY), KANON_SHOWS_MISSING);
    assert_nothing(cell_of(view, 2, JOB), KANON_SHOWS_ANY);
    assert_category(cell_of(view, 2, PLACE), "here");
    assert_range(cell_of(view, 3, AGE), 30, 31, "30", "31");
    assert_nothing(cell_of(view, 3, JOB), KANON_SHOWS_MISSING);
    assert_nothing(cell_of(view, 3, PLACE), KANON_SHOWS_MISSING);
    for (int column = AGE; column <= PLACE; column++)
        assert_nothing(cell_of(view, 0, column), KANON_SHOWS_ANY);
    kanon_group_view_free(view);
}

/* The numbers of groups follow their first rows; group 0 is who is suppressed. */
static void members_are_listed(void **state)
{
    (void)state;
    static const int64_t given[] = {5, 0, 9, 5, 0, 9, 9};
    static const int64_t members[3][3] = {{1, 4}, {0, 3}, {2, 5, 6}};
    static const int64_t sizes[3] = {2, 2, 3};
    kanon_group_view *view = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_of(yaml, csv);
    kanon_grouping *grouping = grouping_of(table, given);
    int64_t n;
    assert_done(kanon_group_view_new(&view, table, grouping, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    for (int64_t group = 0; group < 3; group++) {
        const int64_t *rows = kanon_group_view_members(view, group, &n);
        assert_int_equal(n, sizes[group]);
        assert_int_equal(kanon_group_view_records(view, group), n);
        assert_memory_equal(rows, members[group], (size_t)n * sizeof *rows);
    }
    for (int64_t wrong = -1; wrong <= 3; wrong += 4) {
        n = 7;
        assert_null(kanon_group_view_members(view, wrong, &n));
        assert_int_equal(n, 0);
    }
    kanon_group_view_free(view);
}

/* Nobody is suppressed, or everybody. */
static void groups_without_members(void **state)
{
    (void)state;
    for (int all = 0; all < 2; all++) {
        static const int64_t given[2][7] = {{1, 1, 1, 1, 1, 1, 1}, {0}};
        kanon_group_view *view = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        kanon_table *table = table_of(yaml, csv);
        kanon_grouping *grouping = grouping_of(table, given[all]);
        int64_t n;
        assert_done(kanon_group_view_new(&view, table, grouping, &err), &err);
        assert_non_null(kanon_group_view_members(view, 0, &n));
        assert_int_equal(n, all ? 7 : 0);
        assert_int_equal(kanon_group_view_members(view, 1, &n) == NULL, all);
        assert_int_equal(n, all ? 0 : 7);
        kanon_group_view_free(view);
        kanon_grouping_free(grouping);
        kanon_table_free(table);
    }
}

/* 1 and 3 are alone with their values, so each needs a 2, and all 2s are shown the same: 1 to 3 everywhere, although each
 * group holds less. */
static void recode_maps_are_followed(void **state)
{
    (void)state;
    kanon_group_view *view = NULL;
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_options options = {.struct_size = sizeof options, .k = 2, .recode = KANON_RECODE_ATTRIBUTE, .threads = 1};
    kanon_table *table = table_of("attributes: {a: {role: quasi}, b: {role: quasi}}\n", "a,b\n1,x\n2,x\n2,y\n3,y\n");
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    assert_int_equal(kanon_grouping_describe(grouping)->groups, 2);
    assert_done(kanon_group_view_new(&view, table, grouping, &err), &err);
    for (int64_t group = 1; group <= 2; group++)
        assert_range(cell_of(view, group, 0), 1, 3, "1", "3");
    assert_category(cell_of(view, kanon_grouping_group_of(grouping, 0), 1), "x");
    kanon_group_view_free(view);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static void wrong_questions_are_refused(void **state)
{
    (void)state;
    kanon_group_view *view = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_of(yaml, csv);
    kanon_grouping *grouping = grouping_of(table, groups);
    assert_done(kanon_group_view_new(&view, table, grouping, &err), &err);
    kanon_group_cell cell = {.struct_size = sizeof cell};
    assert_int_equal(kanon_group_view_cell(&cell, view, 1, NAME, &err), KANON_EINVAL);
    assert_int_equal(kanon_group_view_cell(&cell, view, 1, 7, &err), KANON_EINVAL);
    assert_int_equal(kanon_group_view_cell(&cell, view, 4, AGE, &err), KANON_EINVAL);
    assert_int_equal(kanon_group_view_cell(&cell, view, -1, AGE, &err), KANON_EINVAL);
    cell.struct_size = 0;
    assert_int_equal(kanon_group_view_cell(&cell, view, 1, AGE, &err), KANON_EINVAL);
    cell = (kanon_group_cell){.struct_size = offsetof(kanon_group_cell, min), .min = 5}; /* an older caller's */
    assert_int_equal(kanon_group_view_cell(&cell, view, 1, AGE, &err), KANON_OK);
    assert_int_equal(cell.shows, KANON_SHOWS_RANGE);
    assert_true(cell.min == 5);
    kanon_group_view_free(view);
    kanon_table *other = table_of("attributes: {a: {role: quasi}}\n", "a\n1\n");
    assert_int_equal(kanon_group_view_new(&view, other, grouping, &err), KANON_EINVAL);
    assert_null(view);
    kanon_table_free(other);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kanon_table *table = table_of(yaml, csv);
    kanon_grouping *grouping = grouping_of(table, groups);
    kanon_status st = KANON_ENOMEM;
    for (int64_t n = 1; st != KANON_OK; n++) {
        kanon_group_view *view = NULL;
        int64_t before = kanon__alloc_in_use();
        kanon__alloc_fail_at(n, false);
        st = kanon_group_view_new(&view, table, grouping, NULL);
        kanon__alloc_fail_at(0, false);
        assert_true((st == KANON_OK) == (view != NULL));
        kanon_group_view_free(view);
        assert_int_equal(kanon__alloc_in_use(), before);
    }
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_show_what_they_hold),
        cmocka_unit_test(members_are_listed),
        cmocka_unit_test(groups_without_members),
        cmocka_unit_test(recode_maps_are_followed),
        cmocka_unit_test(wrong_questions_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
