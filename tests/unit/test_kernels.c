/* The kernels that a processor may have give the same numbers as plain C. */
#include "core/random.h"
#include "search/kernels.h"
#include "support.h"

enum { MOST = 100, MOST_TABLE = 100, MOST_TERMS = 5, ROUNDS = 20000 };

typedef struct question {
    int64_t n;
    int n_terms;
    kanon__kernel_term terms[MOST_TERMS];
    int32_t at[MOST_TERMS][MOST];
    uint32_t tables[MOST_TERMS][MOST_TABLE];
    int64_t sizes[MOST];
} question;

/* Small numbers, so that ties are common; sometimes large ones, so that products need 64 bits. */
static void draw_term(question *q, int i, kanon__random *random)
{
    kanon__kernel_term *t = &q->terms[i];
    bool large = kanon__random_below(random, 4) == 0;
    *t = (kanon__kernel_term){.at = q->at[i]};
    if (kanon__random_below(random, 2) == 0) {
        t->own = (int32_t)kanon__random_below(random, large ? 1 << 27 : 5);
        t->full = (uint32_t)kanon__random_below(random, large ? 1 << 27 : 9);
        for (int64_t j = 0; j < q->n; j++)
            q->at[i][j] = (int32_t)kanon__random_below(random, large ? 1 << 27 : 6) - 1;
        return;
    }
    t->n_table = 1 + kanon__random_below(random, MOST_TABLE);
    t->table = q->tables[i];
    for (int64_t entry = 0; entry < t->n_table; entry++)
        q->tables[i][entry] = (uint32_t)kanon__random_below(random, large ? 1 << 27 : 4);
    for (int64_t j = 0; j < q->n; j++)
        q->at[i][j] = (int32_t)kanon__random_below(random, t->n_table);
}

static void kernels_agree(void **state)
{
    const kanon__kernels *plain = kanon__kernels_choose(true), *best = kanon__kernels_choose(false);
    kanon__random random;
    static question q;
    (void)state;
    print_message("comparing %s with %s, seed 1\n", best->name, plain->name);
    assert_string_equal(plain->name, "plain");
    kanon__random_init(&random, 1, 0);
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t expected[MOST], units[MOST];
        q.n = 1 + kanon__random_below(&random, MOST);
        q.n_terms = (int)kanon__random_below(&random, MOST_TERMS + 1);
        for (int i = 0; i < q.n_terms; i++)
            draw_term(&q, i, &random);
        for (int64_t j = 0; j < q.n; j++)
            q.sizes[j] = kanon__random_below(&random, 6);
        plain->measure(expected, q.n, q.terms, q.n_terms);
        best->measure(units, q.n, q.terms, q.n_terms);
        assert_memory_equal(units, expected, (size_t)q.n * sizeof *units);
        for (int by_size = 0; by_size < 2; by_size++)
            for (int64_t below = 0; below < 4; below++)
                assert_int_equal(best->find_least(units, q.sizes, q.n, by_size, below),
                                 plain->find_least(units, q.sizes, q.n, by_size, below));
    }
}

/* 3 records at distance 7 against 10 at distance 2: nearest is the second, by size the second still (20 < 21), below 5 the first. */
static void least_is_as_defined(void **state)
{
    const uint32_t units[] = {7, 2, 2};
    const int64_t sizes[] = {3, 10, 10};
    (void)state;
    for (int plain = 0; plain < 2; plain++) {
        const kanon__kernels *k = kanon__kernels_choose(plain);
        assert_int_equal(k->find_least(units, sizes, 3, false, 0), 1);
        assert_int_equal(k->find_least(units, sizes, 3, true, 0), 1);
        assert_int_equal(k->find_least(units, sizes, 3, false, 5), 0);
        assert_int_equal(k->find_least(units, sizes, 3, false, 3), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_agree), cmocka_unit_test(least_is_as_defined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
