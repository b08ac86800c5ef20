/* The kernels of the centroids that a processor may have give the same numbers as plain C. */
#include "core/random.h"
#include "papers/centroid_kernels.h"
#include "support.h"

enum { MOST = 100, MOST_BYTES = 1024, MOST_TERMS = 5, ROUNDS = 5000, SEED = 1 };

/* ---- the least --------------------------------------------------------------------------------------------------- */

/* Small numbers, so that ties are common; sometimes large ones, so that products need 64 bits. */
static void compare_least(const kanon__centroid_kernels *plain, const kanon__centroid_kernels *other,
                          kanon__random *random)
{
    uint32_t units[MOST];
    int64_t sizes[MOST], n = 1 + kanon__random_below(random, MOST);
    bool large = kanon__random_below(random, 4) == 0;
    for (int64_t j = 0; j < n; j++) {
        units[j] = (uint32_t)kanon__random_below(random, large ? 1 << 30 : 12);
        sizes[j] = kanon__random_below(random, 6);
    }
    for (int by_size = 0; by_size < 2; by_size++)
        for (int64_t below = 0; below < 4; below++)
            assert_int_equal(other->find_least(units, sizes, n, by_size, below),
                             plain->find_least(units, sizes, n, by_size, below));
}

static void least_kernels_agree(void **state)
{
    const kanon__centroid_kernels *plain = kanon__centroid_kernels_choose(true), *other;
    (void)state;
    assert_string_equal(plain->name, "plain");
    for (int i = 0; (other = kanon__centroid_kernels_nth(i)) != NULL; i++) {
        kanon__random random;
        print_message("comparing %s with %s, seed %d\n", other->name, plain->name, SEED);
        kanon__random_init(&random, SEED, 0);
        for (int round = 0; round < ROUNDS; round++)
            compare_least(plain, other, &random);
        assert_true(kanon__centroid_kernels_nth(i + 1) != NULL || other == kanon__centroid_kernels_choose(false));
    }
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

typedef struct byte_question {
    int64_t n;
    int n_terms;
    kanon__filter_term terms[MOST_TERMS];
    uint8_t at[MOST_TERMS][MOST_BYTES];
    uint8_t tables[MOST_TERMS][KANON__FILTER_BINS];
    uint8_t classes[MOST_BYTES], per_class[KANON__FILTER_BINS];
} byte_question;

static uint8_t draw_byte(kanon__random *random, int64_t below)
{
    return (uint8_t)kanon__random_below(random, below);
}

/* Small bytes, so that ties are common; sometimes large ones, so that sums end at 254. */
static void draw_byte_term(byte_question *q, int i, kanon__random *random)
{
    kanon__filter_term *t = &q->terms[i];
    int64_t range = kanon__random_below(random, 4) == 0 ? 255 : 10;
    *t = (kanon__filter_term){.at = q->at[i]};
    if (kanon__random_below(random, 2) == 0) {
        t->low = draw_byte(random, range);
        t->high = (uint8_t)(t->low + draw_byte(random, 255 - t->low));
        t->missing = kanon__random_below(random, 2) == 0;
        t->if_none = draw_byte(random, range);
        t->if_some = draw_byte(random, range);
        for (int64_t j = 0; j < q->n; j++)
            q->at[i][j] = kanon__random_below(random, 5) == 0 ? KANON__FILTER_NONE : draw_byte(random, range);
        return;
    }
    t->n_table = 1 + (int)kanon__random_below(random, KANON__FILTER_BINS);
    t->table = q->tables[i];
    for (int entry = 0; entry < KANON__FILTER_BINS; entry++)
        q->tables[i][entry] = draw_byte(random, range);
    for (int64_t j = 0; j < q->n; j++)
        q->at[i][j] = draw_byte(random, t->n_table);
}

static void compare_bytes(const kanon__centroid_kernels *plain, const kanon__centroid_kernels *other,
                          kanon__random *random)
{
    static byte_question q;
    uint8_t expected[MOST_BYTES], bounds[MOST_BYTES], *none = NULL;
    uint64_t expected_hits[MOST_BYTES / 64], hits[MOST_BYTES / 64];
    q.n = 64 * (1 + kanon__random_below(random, MOST_BYTES / 64));
    q.n_terms = (int)kanon__random_below(random, MOST_TERMS + 1);
    int n_classes = 1 + (int)kanon__random_below(random, KANON__FILTER_BINS);
    for (int i = 0; i < q.n_terms; i++)
        draw_byte_term(&q, i, random);
    for (int64_t j = 0; j < q.n; j++)
        q.classes[j] = draw_byte(random, n_classes);
    int64_t range = kanon__random_below(random, 2) == 0 ? 256 : 20;
    for (int i = 0; i < KANON__FILTER_BINS; i++)
        q.per_class[i] = draw_byte(random, range);
    plain->filter_bound(expected, q.n, q.terms, q.n_terms);
    other->filter_bound(bounds, q.n, q.terms, q.n_terms);
    assert_memory_equal(bounds, expected, (size_t)q.n);
    bounds[kanon__random_below(random, q.n)] = 255; /* as after the last slot */
    for (int by_class = 0; by_class < 2; by_class++) {
        assert_int_equal(other->filter_least(bounds, q.classes, by_class ? q.per_class : none, n_classes, q.n),
                         plain->filter_least(bounds, q.classes, by_class ? q.per_class : none, n_classes, q.n));
        plain->filter_select(expected_hits, bounds, by_class ? q.classes : none, q.per_class, n_classes, q.n);
        other->filter_select(hits, bounds, by_class ? q.classes : none, q.per_class, n_classes, q.n);
        assert_memory_equal(hits, expected_hits, (size_t)q.n / 8);
    }
}

static void byte_kernels_agree(void **state)
{
    const kanon__centroid_kernels *plain = kanon__centroid_kernels_choose(true), *other;
    (void)state;
    for (int i = 0; (other = kanon__centroid_kernels_nth(i)) != NULL; i++) {
        kanon__random random;
        print_message("comparing the bytes of %s with %s, seed %d\n", other->name, plain->name, SEED);
        kanon__random_init(&random, SEED, 0);
        for (int round = 0; round < ROUNDS; round++)
            compare_bytes(plain, other, &random);
    }
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

/* 3 records at distance 7 against 10 at distance 2: nearest is the second, by size the second still (20 < 21), below 5 the
 * first. */
static void least_is_as_defined(void **state)
{
    const uint32_t units[] = {7, 2, 2};
    const int64_t sizes[] = {3, 10, 10};
    const kanon__centroid_kernels *k;
    (void)state;
    for (int i = 0; (k = kanon__centroid_kernels_nth(i)) != NULL; i++) {
        assert_int_equal(k->find_least(units, sizes, 3, false, 0), 1);
        assert_int_equal(k->find_least(units, sizes, 3, true, 0), 1);
        assert_int_equal(k->find_least(units, sizes, 3, false, 5), 0);
        assert_int_equal(k->find_least(units, sizes, 3, false, 3), -1);
    }
}

/* A table whose entry i is 2 i and a number between 10 and 12. Centroid j is in bin j and at 5 + j, the last without number:
 * bin 0: 0 + (10 - 5) = 5, bin 1: 2 + 4 = 6, bin 6: 12 + 0, bin 9: 18 + 2 = 20, bin 63: 126 + 200 ends at 254. */
static void bytes_are_as_defined(void **state)
{
    uint8_t bins[64], numbers[64], table[64], bounds[64], limits[64] = {[0] = 6, [1] = 21}, factors[64] = {[0] = 4, [1] = 1};
    uint64_t hits;
    const kanon__centroid_kernels *k;
    (void)state;
    for (int j = 0; j < 64; j++) {
        bins[j] = (uint8_t)j;
        numbers[j] = (uint8_t)(j < 63 ? 5 + j : KANON__FILTER_NONE);
        table[j] = (uint8_t)(2 * j);
    }
    const kanon__filter_term terms[] = {{.at = bins, .table = table, .n_table = 64},
                                        {.at = numbers, .low = 10, .high = 12, .missing = true, .if_none = 200}};
    for (int i = 0; (k = kanon__centroid_kernels_nth(i)) != NULL; i++) {
        k->filter_bound(bounds, 64, terms, 2);
        assert_int_equal(bounds[0], 5);
        assert_int_equal(bounds[1], 6);
        assert_int_equal(bounds[6], 12);
        assert_int_equal(bounds[9], 20);
        assert_int_equal(bounds[63], 254);
        assert_int_equal(k->filter_least(bounds, NULL, NULL, 2, 64), 5);
        k->filter_select(&hits, bounds, NULL, limits, 2, 64);
        assert_true(hits == 1); /* 5 < 6, and 6 is not */
        uint8_t classes[64] = {0};
        memset(classes + 9, 1, 64 - 9);
        assert_int_equal(k->filter_least(bounds, classes, factors, 2, 64), 20); /* 4 * 5 = 1 * 20 */
        k->filter_select(&hits, bounds, classes, limits, 2, 64);
        assert_true(hits == (1 | (uint64_t)1 << 9));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(least_kernels_agree), cmocka_unit_test(byte_kernels_agree),
                                       cmocka_unit_test(least_is_as_defined), cmocka_unit_test(bytes_are_as_defined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
