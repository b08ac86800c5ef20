/* The kernels that a processor may have give the same numbers as plain C. */
#include "core/random.h"
#include "search/kernels.h"
#include "support.h"

enum { MOST = 100, MOST_TABLE = 100, MOST_TERMS = 5, ROUNDS = 5000, SEED = 1 };

typedef struct question {
    int64_t n;
    int n_terms;
    kanon__kernel_term terms[MOST_TERMS];
    int32_t at[MOST_TERMS][MOST];
    uint32_t tables[MOST_TERMS][MOST_TABLE];
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

static void compare(const kanon__kernels *plain, const kanon__kernels *other, kanon__random *random)
{
    static question q;
    uint32_t expected[MOST], units[MOST];
    q.n = 1 + kanon__random_below(random, MOST);
    q.n_terms = (int)kanon__random_below(random, MOST_TERMS + 1);
    for (int i = 0; i < q.n_terms; i++)
        draw_term(&q, i, random);
    plain->measure(expected, q.n, q.terms, q.n_terms);
    other->measure(units, q.n, q.terms, q.n_terms);
    assert_memory_equal(units, expected, (size_t)q.n * sizeof *units);
}

static void kernels_agree(void **state)
{
    const kanon__kernels *plain = kanon__kernels_choose(true), *other;
    (void)state;
    assert_string_equal(plain->name, "plain");
    for (int i = 0; (other = kanon__kernels_nth(i)) != NULL; i++) {
        kanon__random random;
        print_message("comparing %s with %s, seed %d\n", other->name, plain->name, SEED);
        kanon__random_init(&random, SEED, 0);
        for (int round = 0; round < ROUNDS; round++)
            compare(plain, other, &random);
        assert_true(kanon__kernels_nth(i + 1) != NULL || other == kanon__kernels_choose(false));
    }
}

/* ---- spans ------------------------------------------------------------------------------------------------------- */

enum { MOST_SPANS = 200, MOST_SPAN_TERMS = 4, SPAN_MARGIN = 15 };

typedef struct span_question {
    int64_t n;
    int n_terms;
    kanon__span_term terms[MOST_SPAN_TERMS];
    uint32_t *base, *at[MOST_SPAN_TERMS];
    uint64_t free[MOST_SPANS / 64 + 1];
} span_question;

/* Just as long as kernels may read; what stands behind n is nobody's number. */
static uint32_t *draw_numbers(kanon__random *random, int64_t n, int64_t below)
{
    uint32_t *numbers = malloc((size_t)(n + SPAN_MARGIN) * sizeof *numbers);
    assert_non_null(numbers);
    for (int64_t j = 0; j < n + SPAN_MARGIN; j++)
        numbers[j] = j < n ? (uint32_t)kanon__random_below(random, below) : (uint32_t)kanon__random_next(random);
    return numbers;
}

/* Many, a few or just one of them. */
static void draw_free(span_question *q, kanon__random *random)
{
    int64_t one_in = 1 + kanon__random_below(random, 3) * kanon__random_below(random, 60);
    memset(q->free, 0, sizeof q->free);
    for (int64_t j = 0; j < q->n; j++)
        if (kanon__random_below(random, one_in) == 0)
            q->free[j / 64] |= (uint64_t)1 << j % 64;
    int64_t always = kanon__random_below(random, q->n);
    q->free[always / 64] |= (uint64_t)1 << always % 64;
}

/* Small numbers, so that ties are common; sometimes large ones. */
static void draw_spans(span_question *q, kanon__random *random)
{
    int64_t below = kanon__random_below(random, 4) == 0 ? 1 << 27 : 2 + kanon__random_below(random, 20);
    q->n = 1 + kanon__random_below(random, MOST_SPANS);
    q->n_terms = (int)kanon__random_below(random, MOST_SPAN_TERMS + 1);
    q->base = draw_numbers(random, q->n, kanon__random_below(random, 3) == 0 ? 1 : below);
    for (int i = 0; i < q->n_terms; i++) {
        kanon__span_term *t = &q->terms[i];
        q->at[i] = draw_numbers(random, q->n, below);
        t->at = q->at[i];
        t->lo = (uint32_t)kanon__random_below(random, below);
        t->hi = t->lo + (uint32_t)kanon__random_below(random, below - t->lo);
        t->full = (uint32_t)(kanon__random_below(random, 2) == 0 ? below : kanon__random_below(random, below));
    }
    draw_free(q, random);
}

/* All with the least sum, of which `first` is the first, and those with the next one up. */
static void compare_equal(const kanon__kernels *plain, const kanon__kernels *other, const span_question *q, uint32_t least,
                          int64_t first)
{
    size_t n_words = (size_t)(q->n + 63) / 64;
    for (uint32_t units = least; units <= least + 1; units++) {
        uint64_t expected[MOST_SPANS / 64 + 1], hits[MOST_SPANS / 64 + 1];
        int64_t n = plain->find_equal(expected, units, q->base, q->free, q->n, q->terms, q->n_terms), n_bits = 0;
        assert_int_equal(other->find_equal(hits, units, q->base, q->free, q->n, q->terms, q->n_terms), n);
        assert_memory_equal(hits, expected, n_words * sizeof *hits);
        for (size_t word = 0; word < n_words; word++)
            n_bits += __builtin_popcountll(hits[word]);
        assert_int_equal(n_bits, n);
        if (units == least) {
            assert_true(hits[first / 64] >> first % 64 & 1);
            assert_true((hits[first / 64] & (((uint64_t)1 << first % 64) - 1)) == 0);
        }
    }
}

static void compare_spans(const kanon__kernels *plain, const kanon__kernels *other, kanon__random *random)
{
    span_question q;
    uint32_t expected_least = 0, least = 0;
    draw_spans(&q, random);
    int64_t expected = plain->find_cheapest(&expected_least, q.base, q.free, q.n, q.terms, q.n_terms);
    assert_int_equal(other->find_cheapest(&least, q.base, q.free, q.n, q.terms, q.n_terms), expected);
    assert_int_equal(least, expected_least);
    assert_true(expected >= 0 && expected < q.n && (q.free[expected / 64] >> expected % 64 & 1));
    compare_equal(plain, other, &q, least, expected);
    for (int i = 0; i < q.n_terms; i++)
        free(q.at[i]);
    free(q.base);
}

static void span_kernels_agree(void **state)
{
    const kanon__kernels *plain = kanon__kernels_choose(true), *other;
    (void)state;
    for (int i = 0; (other = kanon__kernels_nth(i)) != NULL; i++) {
        kanon__random random;
        print_message("comparing the spans of %s with %s, seed %d\n", other->name, plain->name, SEED);
        kanon__random_init(&random, SEED, 0);
        for (int round = 0; round < ROUNDS; round++)
            compare_spans(plain, other, &random);
    }
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

/* A box of 4 to 6 that costs 5 at most. Record 0 is not free. Record 1 at 0: 6 wide, so 5, and 1 of its own; record 2
 * at 8: 4 and 2; record 3 at 5: 2 and 9; record 4 at 3: 3 and 3, no less than the first of the three that cost 6. Of
 * the last two alone it is record 4, and without a term record 1. */
static void cheapest_is_as_defined(void **state)
{
    const uint32_t at[5 + SPAN_MARGIN] = {5, 0, 8, 5, 3}, base[5 + SPAN_MARGIN] = {0, 1, 2, 9, 3};
    const uint64_t all_but_first = 30, last_two = 24;
    const kanon__span_term term = {.at = at, .lo = 4, .hi = 6, .full = 5};
    const kanon__kernels *k;
    uint32_t least;
    uint64_t hits;
    (void)state;
    for (int i = 0; (k = kanon__kernels_nth(i)) != NULL; i++) {
        assert_int_equal(k->find_cheapest(&least, base, &all_but_first, 5, &term, 1), 1);
        assert_int_equal(least, 6);
        assert_int_equal(k->find_cheapest(&least, base, &last_two, 5, &term, 1), 4);
        assert_int_equal(least, 6);
        assert_int_equal(k->find_cheapest(&least, base, &all_but_first, 5, NULL, 0), 1);
        assert_int_equal(least, 1);
        assert_int_equal(k->find_equal(&hits, 6, base, &all_but_first, 5, &term, 1), 3);
        assert_int_equal(hits, 1 << 1 | 1 << 2 | 1 << 4);
        assert_int_equal(k->find_equal(&hits, 11, base, &all_but_first, 5, &term, 1), 1);
        assert_int_equal(hits, 1 << 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_agree), cmocka_unit_test(span_kernels_agree),
                                       cmocka_unit_test(cheapest_is_as_defined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
