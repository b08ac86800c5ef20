/* Two groupings recombined: every component comes from the side that loses less, nobody changes otherwise, and the loss that
 * is told is the loss of the groups. A failure names its table's seed. */
#include "core/random.h"
#include "model/clusters.h"
#include "reference/random_table.h"
#include "reference/reference.h"
#include "refine/anneal/recombine.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_TABLES = 60, N_PAIRS = 8, K = 3, N_ROWS = 2 * N_PAIRS * K + 1 };

/* The loss of the groups from `first` on, `n` of them. */
static int64_t loss_of_groups(const kanon__space *space, const int32_t *group_of, int32_t first, int32_t n)
{
    kanon__clusters c;
    kanon_error err = KANON_INIT(kanon_error);
    int64_t loss = 0;
    assert_int_equal(kanon__clusters_init(&c, space, n, &err), KANON_OK);
    for (int64_t row = 0; row < space->n_rows; row++)
        if (group_of[row] >= first && group_of[row] < first + n)
            kanon__clusters_join(&c, group_of[row] - first, row);
    for (int32_t group = 0; group < n; group++) {
        assert_int_equal(c.sizes[group], K);
        loss += K * kanon__box_units(space, kanon__clusters_box(&c, group));
    }
    kanon__clusters_clear(&c);
    return loss;
}

/* K rows to a group, in order; the last row is suppressed. */
static void group_in_order(int32_t *group_of)
{
    for (int row = 0; row < N_ROWS; row++)
        group_of[row] = row == N_ROWS - 1 ? -1 : row / K;
}

/* Some pairs of groups exchange rows, so that each of these is a component, or is as it was. */
static void exchange_in_pairs(int32_t *group_of, kanon__random *random)
{
    for (int pair = 0; pair < N_PAIRS; pair++)
        for (int64_t n = kanon__random_below(random, 3); n > 0; n--) {
            int first = 2 * pair * K, a = first + (int)kanon__random_below(random, 2 * K),
                b = first + (int)kanon__random_below(random, 2 * K);
            int32_t group = group_of[a];
            group_of[a] = group_of[b];
            group_of[b] = group;
        }
}

static void takes_the_better_side_of_each_component(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_TABLES; seed++) {
        print_message("table %" PRIu64 "\n", seed);
        random_table t = random_table_sized(seed, N_ROWS, K);
        kanon__space *space = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        kanon__random random;
        int32_t left[N_ROWS], right[N_ROWS];
        int64_t expected = 0;
        assert_int_equal(
            kanon__space_new(&space, &t.table->data, t.table->data.quasi, t.table->data.n_quasi, KANON__TERMS_LOSS, &err),
            KANON_OK);
        kanon__random_init(&random, seed, 0);
        group_in_order(left);
        group_in_order(right);
        exchange_in_pairs(left, &random);
        exchange_in_pairs(right, &random);
        for (int32_t pair = 0; pair < N_PAIRS; pair++) {
            int64_t a = loss_of_groups(space, left, 2 * pair, 2), b = loss_of_groups(space, right, 2 * pair, 2);
            expected += a < b ? a : b;
        }
        kanon__combined_groups best = {left, 2 * N_PAIRS, loss_of_groups(space, left, 0, 2 * N_PAIRS)};
        assert_int_equal(kanon__recombine(&best, right, 2 * N_PAIRS, space, 0, &err), KANON_OK);
        assert_int_equal(best.loss, expected);
        assert_int_equal(best.n_groups, 2 * N_PAIRS);
        assert_int_equal(loss_of_groups(space, left, 0, 2 * N_PAIRS), expected);
        assert_int_equal(left[N_ROWS - 1], -1);
        kanon__space_free(space);
        random_table_clear(&t);
    }
}

/* Rows that lose nothing together, in one group or in two: two tell more, whichever side has them. */
static void more_groups_are_better_among_equals(void **state)
{
    (void)state;
    kanon_table *table = table_from_texts("a\n1\n1\n1\n1\n2\n2\n", "attributes: {a: {role: quasi, type: integer}}\n");
    kanon__space *space = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    int32_t coarse[] = {0, 0, 0, 0, 1, 1}, fine[] = {0, 0, 1, 1, 2, 2};
    const int32_t is[] = {0, 0, 1, 1, 2, 2};
    assert_int_equal(kanon__space_new(&space, &table->data, table->data.quasi, table->data.n_quasi, KANON__TERMS_LOSS, &err),
                     KANON_OK);
    kanon__combined_groups best = {coarse, 2, 0};
    assert_int_equal(kanon__recombine(&best, fine, 3, space, 0, &err), KANON_OK);
    assert_int_equal(best.n_groups, 3);
    assert_int_equal(best.loss, 0);
    assert_memory_equal(coarse, is, sizeof is);
    const int32_t few[] = {0, 0, 0, 0, 1, 1};
    best = (kanon__combined_groups){fine, 3, 0};
    assert_int_equal(kanon__recombine(&best, few, 2, space, 0, &err), KANON_OK);
    assert_memory_equal(fine, is, sizeof is);
    kanon__space_free(space);
    kanon_table_free(table);
}

/* The rows that only one side suppresses are in one component: it is taken whole, or not at all, whatever the others are. */
static void suppressed_rows_are_one_component(void **state)
{
    (void)state;
    kanon_table *table = table_from_texts("a\n1\n1\n1\n50\n20\n20\n30\n30\n",
                                          "attributes: {a: {role: quasi, type: integer}}\n");
    kanon__space *space = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(kanon__space_new(&space, &table->data, table->data.quasi, table->data.n_quasi, KANON__TERMS_LOSS, &err),
                     KANON_OK);
    int64_t full = space->dimensions[0].full; /* that of 1 and 50 together */
    const int32_t crossed[] = {0, 0, 0, -1, 1, 2, 1, 2}, whole[] = {0, 0, 0, 0, 1, 1, 2, 2};
    const int32_t is[] = {0, 0, 0, -1, 1, 1, 2, 2};
    int32_t left[] = {0, 0, -1, 0, 1, 1, 2, 2};
    kanon__combined_groups best = {left, 3, 3 * full + full};
    assert_int_equal(kanon__recombine(&best, crossed, 3, space, full, &err), KANON_OK);
    assert_memory_equal(left, is, sizeof is);
    assert_int_equal(best.loss, full);
    assert_int_equal(best.n_groups, 3);
    /* one less is suppressed: 4 records lose all, in place of one, which is worth it where that one costs more than 4 */
    assert_int_equal(kanon__recombine(&best, whole, 3, space, full, &err), KANON_OK);
    assert_memory_equal(left, is, sizeof is);
    assert_int_equal(kanon__recombine(&best, whole, 3, space, 5 * full, &err), KANON_OK);
    assert_memory_equal(left, whole, sizeof whole);
    kanon__space_free(space);
    kanon_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_the_better_side_of_each_component),
        cmocka_unit_test(more_groups_are_better_among_equals),
        cmocka_unit_test(suppressed_rows_are_one_component),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
