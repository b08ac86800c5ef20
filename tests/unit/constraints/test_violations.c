/* Violations: the figure that a search under constraints follows. For every model, on random small tables: it is 0 if and
 * only if the constraint holds, and records that come and go leave it as a recount finds it. Then the search itself: no
 * group violates anything in the end, by definitions recounted in the slowest way, and threads change nothing. */
#include "constraints/constraints.h"
#include "core/random.h"
#include "model/grouping.h"
#include "reference/private_table.h"
#include "reference/random_table.h"
#include "reference/ref_privacy.h"
#include "support.h"
#include "table/read/table.h"

#include <string.h>

enum { GROUPS = 4 };

static int64_t recount(const kanon__constraints *c, const int32_t *group_of, int64_t n, int32_t group)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__tally tally;
    assert_int_equal(kanon__tally_init(&tally, c, &err), KANON_OK);
    for (int64_t row = 0; row < n; row++)
        if (group_of[row] == group)
            assert_int_equal(kanon__tally_add(&tally, row, &err), KANON_OK);
    int64_t violation = tally.size > 0 ? kanon__tally_violation(&tally) : 0;
    bool holds = tally.size == 0 || kanon__tally_holds(&tally);
    assert_true((violation == 0) == holds);
    kanon__tally_clear(&tally);
    return violation;
}

/* Records change groups one by one; after each of them the tallies know what a recount finds. */
static void follow(const kanon__constraints *c, const kanon_table *table, uint64_t seed)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__random random;
    int64_t n = table->data.n_rows;
    int32_t *group_of = calloc((size_t)n, sizeof *group_of);
    kanon__tally tallies[GROUPS];
    kanon__random_init(&random, seed, 0);
    for (int i = 0; i < GROUPS; i++)
        assert_int_equal(kanon__tally_init(&tallies[i], c, &err), KANON_OK);
    for (int64_t row = 0; row < n; row++) {
        group_of[row] = (int32_t)kanon__random_below(&random, GROUPS);
        assert_int_equal(kanon__tally_add(&tallies[group_of[row]], row, &err), KANON_OK);
    }
    for (int step = 0; step < 40; step++) {
        int64_t row = kanon__random_below(&random, n);
        int32_t from = group_of[row], to = (int32_t)kanon__random_below(&random, GROUPS);
        kanon__tally_remove(&tallies[from], row);
        assert_int_equal(kanon__tally_add(&tallies[to], row, &err), KANON_OK);
        group_of[row] = to;
        for (int i = 0; i < 2; i++) {
            int32_t group = i == 0 ? from : to;
            int64_t kept = tallies[group].size > 0 ? kanon__tally_violation(&tallies[group]) : 0;
            if (kept != recount(c, group_of, n, group))
                fail_msg("seed %d, step %d: a violation that was kept up to date is not that of a recount", (int)seed, step);
        }
    }
    for (int i = 0; i < GROUPS; i++)
        kanon__tally_clear(&tallies[i]);
    free(group_of);
}

static void violations_follow_the_records(void **state)
{
    (void)state;
    for (unsigned model = 0; model < PRIVATE_MODELS; model++)
        for (uint64_t seed = 1; seed <= 12; seed++) {
            private_table texts = private_table_new(seed, 1u << model, seed % 3 == 0, NULL);
            kanon_table *table = table_from_texts(texts.csv, texts.yaml);
            kanon__constraints *c = NULL;
            kanon_error err = KANON_INIT(kanon_error);
            assert_int_equal(kanon__constraints_new(&c, &table->data, &table->policy, texts.k, &err), KANON_OK);
            if (c != NULL)
                follow(c, table, seed);
            kanon__constraints_free(c);
            kanon_table_free(table);
        }
}

static kanon_grouping *search(const kanon_table *table, const char *moves, int threads, uint64_t seed)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *g = NULL;
    const kanon_setting settings[] = {{"moves", moves}};
    kanon_options options = {.struct_size = sizeof options,
                             .algorithm = "top-down",
                             .refine = "search",
                             .refine_settings = settings,
                             .n_refine_settings = 1,
                             .seed = seed,
                             .threads = threads};
    kanon_status st = kanon_anonymize(&g, table, &options, &err);
    if (st != KANON_OK && st != KANON_EINFEASIBLE)
        fail_msg("seed %d: %s", (int)seed, err.message);
    return g;
}

static void no_search_ends_with_a_violation(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 45; seed++) {
        unsigned models = seed <= PRIVATE_MODELS ? 1u << (seed - 1)
                                                 : (unsigned)(seed * 2654435761u) % (1u << PRIVATE_MODELS);
        private_table texts = private_table_new(seed, models, seed % 3 == 0, seed % 4 == 0 ? "0.05" : NULL);
        kanon_table *table = table_from_texts(texts.csv, texts.yaml);
        kanon_grouping *one = search(table, "30000", 1, seed), *two = search(table, "30000", 3, seed);
        assert_true((one == NULL) == (two == NULL));
        for (int32_t group = 0; one != NULL && group < one->n_groups; group++)
            if (one->sizes[group] < texts.k || !ref_group_holds(table, texts.k, one->group_of, group))
                fail_msg("seed %d: a group does not keep its constraints", (int)seed);
        if (one != NULL)
            assert_memory_equal(one->group_of, two->group_of, (size_t)table->data.n_rows * sizeof *one->group_of);
        kanon_grouping_free(two);
        kanon_grouping_free(one);
        kanon_table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(violations_follow_the_records),
                                       cmocka_unit_test(no_search_ends_with_a_violation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
