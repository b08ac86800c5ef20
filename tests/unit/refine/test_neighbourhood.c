/* The neighbours of every tuple are those that a look at all others finds. A failure names its table's seed. */
#include "model/space.h"
#include "reference/random_table.h"
#include "reference/reference.h"
#include "refine/anneal/neighbourhood.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- by looking at everybody ------------------------------------------------------------------------------------- */

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static uint32_t distance(const kanon__space *space, const kanon__tuple_tree *index, int64_t left, int64_t right)
{
    uint32_t units = 0;
    for (int i = 0; i < space->n_dimensions; i++) {
        uint32_t a = index->codes[left * space->n_dimensions + i], b = index->codes[right * space->n_dimensions + i];
        units += kanon__dimension_units(&space->dimensions[i], a < b ? a : b, a < b ? b : a);
    }
    return units;
}

/* Other tuples, each once; and the nearest ones, unless the walk was limited. */
static void check_lists(const kanon__neighbourhood *lists, const kanon__space *space, bool exact)
{
    int64_t n = lists->index->tuples->n, width = lists->width;
    uint32_t *all = REF_NEW(uint32_t, n), *found = REF_NEW(uint32_t, n);
    int64_t *seen_by = REF_NEW(int64_t, n);
    for (int64_t ordinal = 0; ordinal < n; ordinal++) {
        int64_t n_others = 0;
        for (int64_t other = 0; other < n; other++)
            if (other != ordinal)
                all[n_others++] = distance(space, lists->index, ordinal, other);
        for (int64_t i = 0; i < width; i++) {
            int32_t other = lists->ordinals[ordinal * width + i];
            assert_in_range(other, 0, n - 1);
            assert_int_not_equal(other, ordinal);
            assert_int_not_equal(seen_by[other], ordinal + 1);
            seen_by[other] = ordinal + 1;
            found[i] = distance(space, lists->index, ordinal, other);
        }
        qsort(all, (size_t)n_others, sizeof *all, by_number);
        qsort(found, (size_t)width, sizeof *found, by_number);
        if (exact)
            assert_memory_equal(all, found, (size_t)width * sizeof *found);
    }
    free(seen_by);
    free(found);
    free(all);
}

/* The number of tuples. */
static int64_t check_table(const kanon_table *table, int64_t width)
{
    kanon__space *space = NULL;
    kanon__tuples *tuples = NULL;
    kanon__neighbourhood *lists = NULL, *by_three = NULL, *limited = NULL, *unlimited = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(kanon__space_new(&space, &table->data, table->data.quasi, table->data.n_quasi, KANON__TERMS_LOSS, &err),
                     KANON_OK);
    assert_int_equal(kanon__tuples_new(&tuples, space, &err), KANON_OK);
    assert_int_equal(kanon__neighbourhood_new(&lists, space, tuples, width, 0, 1, NULL, &err), KANON_OK);
    assert_int_equal(kanon__neighbourhood_new(&by_three, space, tuples, width, 0, 3, NULL, &err), KANON_OK);
    assert_int_equal(kanon__neighbourhood_new(&limited, space, tuples, width, 2, 2, NULL, &err), KANON_OK);
    assert_int_equal(kanon__neighbourhood_new(&unlimited, space, tuples, width, 1000000, 2, NULL, &err), KANON_OK);
    int64_t n = tuples->n;
    assert_int_equal(lists->width, n - 1 < width ? n - 1 : width);
    assert_memory_equal(lists->ordinals, by_three->ordinals, (size_t)(n * lists->width) * sizeof *lists->ordinals);
    assert_memory_equal(lists->ordinals, unlimited->ordinals, (size_t)(n * lists->width) * sizeof *lists->ordinals);
    check_lists(lists, space, true);
    assert_int_equal(limited->width, lists->width);
    check_lists(limited, space, false);
    kanon__neighbourhood_free(unlimited);
    kanon__neighbourhood_free(limited);
    kanon__neighbourhood_free(by_three);
    kanon__neighbourhood_free(lists);
    kanon__tuples_free(tuples);
    kanon__space_free(space);
    return n;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void of_random_tables(void **state)
{
    (void)state;
    static const int64_t widths[] = {1, 6, 12, 24, 1000};
    for (uint64_t seed = 1; seed <= 100; seed++) {
        print_message("table %" PRIu64 "\n", seed);
        random_table random = random_table_sized(seed, 1 + (int)(seed * 7 % 330), 2);
        check_table(random.table, widths[seed % 5]);
        random_table_clear(&random);
    }
}

/* Numbers that may be missing, few categories, and so many postcodes that there is no table of what two of them cost. */
static void of_a_large_taxonomy(void **state)
{
    (void)state;
    int n = 2500;
    char *csv = ref_alloc((size_t)n * 32 + 64, 1), *at = csv;
    kanon__random random;
    kanon__random_init(&random, 11, 0);
    at += sprintf(at, "a,b,c,d\n");
    for (int i = 0; i < n; i++) {
        int a = (int)kanon__random_below(&random, 90), zip = (int)kanon__random_below(&random, 3000);
        at += kanon__random_below(&random, 10) == 0 ? sprintf(at, "?") : sprintf(at, "%d", a);
        at += kanon__random_below(&random, 15) == 0 ? sprintf(at, ",?") : sprintf(at, ",%d", a * a / 7);
        at += sprintf(at, ",x%d,%04d\n", (int)kanon__random_below(&random, 3), zip);
    }
    kanon_table *table = table_from_texts(csv, "missing: [\"?\"]\n"
                                               "attributes:\n"
                                               "  a: {role: quasi, type: integer}\n"
                                               "  b: {role: quasi, type: integer, weight: 2}\n"
                                               "  c: {role: quasi, type: categorical}\n"
                                               "  d: {role: quasi, type: categorical, mask: right}\n");
    assert_true(table->data.columns[table->data.quasi[3]].domain->n_codes > KANON__PAIR_TABLE_LEAVES);
    assert_true(check_table(table, 6) > 2000);
    check_table(table, 24);
    kanon_table_free(table);
    free(csv);
}

/* A missing number on the only attribute: the farthest apart that two positions ever are. */
static void of_one_attribute(void **state)
{
    (void)state;
    kanon_table *table = table_from_texts("a\n0\n1\n2\n?\n700\n999\n1000\n", "missing: [\"?\"]\n"
                                                                             "attributes:\n"
                                                                             "  a: {role: quasi, type: integer}\n");
    for (int64_t width = 0; width <= 7; width++)
        assert_int_equal(check_table(table, width), 7);
    kanon_table_free(table);
}

/* Each record alone has a 1 on one of the attributes: every cut of the tree sets one record apart, so that it becomes as
 * deep as it may and its last leaf holds many. The last attribute says which of them are near. */
static void of_the_deepest_tree(void **state)
{
    (void)state;
    enum { N = 160, ROOM = 64 };
    char *csv = ref_alloc((size_t)N * N * 8, 1), *yaml = ref_alloc((size_t)N * ROOM, 1), *at = csv, *attribute = yaml;
    attribute += sprintf(attribute, "attributes:\n");
    for (int i = 0; i < N; i++) {
        at += sprintf(at, "%sa%d", i > 0 ? "," : "", i);
        attribute += sprintf(attribute, "  a%d: {role: quasi, type: integer}\n", i);
    }
    at += sprintf(at, ",z\n");
    sprintf(attribute, "  z: {role: quasi, type: integer}\n");
    for (int row = 0; row < N; row++) {
        for (int i = 0; i < N; i++)
            at += sprintf(at, "%d,", i == row);
        at += sprintf(at, "%d\n", row * 37 % N);
    }
    kanon_table *table = table_from_texts(csv, yaml);
    assert_int_equal(check_table(table, 6), N);
    check_table(table, 100);
    kanon_table_free(table);
    free(yaml);
    free(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_random_tables),
        cmocka_unit_test(of_a_large_taxonomy),
        cmocka_unit_test(of_one_attribute),
        cmocka_unit_test(of_the_deepest_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
