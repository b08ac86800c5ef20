/* Hashes under a secret key: texts that meet in one place under one key do not under another, whatever they are, and what a
 * table answers does not depend on its key. No clock is read: what is counted is how many texts share a place. */
#include "core/keyset.h"
#include "table/value/dictionary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N_TEXTS = 4096, TEXT = 16 };

static int by_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* The most texts that one hash value, or one of N_TEXTS places, has. */
static int64_t most_in_one_place(uint64_t *places, int64_t n)
{
    int64_t most = 0, run = 0;
    qsort(places, (size_t)n, sizeof *places, by_number);
    for (int64_t i = 0; i < n; i++) {
        run = i > 0 && places[i] == places[i - 1] ? run + 1 : 1;
        most = run > most ? run : most;
    }
    return most;
}

/* Random numbers put about 1 into each of as many places, and more than 16 into one about never (below 1e-10). */
static void assert_spread(const char *texts, int64_t n)
{
    for (int draw = 0; draw < 20; draw++) {
        kanon__hash_key key;
        static uint64_t high[N_TEXTS], low[N_TEXTS];
        kanon__hash_key_draw(&key);
        for (int64_t i = 0; i < n; i++) {
            uint64_t hash = kanon__hash_text(&key, texts + i * TEXT, TEXT);
            high[i] = hash >> 32 & (N_TEXTS - 1);
            low[i] = hash & (N_TEXTS - 1);
        }
        assert_in_range(most_in_one_place(high, n), 1, 16);
        assert_in_range(most_in_one_place(low, n), 1, 16);
    }
}

static uint64_t old_mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
}

static uint64_t eight(const char *text)
{
    uint64_t word;
    memcpy(&word, text, 8);
    return word;
}

/* Texts that an unkeyed hash puts into one place: the second half undoes the first. */
static void test_texts_made_to_meet_do_not(void **state)
{
    (void)state;
    static char texts[N_TEXTS * TEXT];
    uint64_t random = 88172645463325252u, first = 0;
    for (int i = 0; i < N_TEXTS; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        uint64_t rest = old_mix(old_mix(TEXT) ^ random) ^ UINT64_C(0x0877665544332211);
        memcpy(texts + i * TEXT, &random, 8);
        memcpy(texts + i * TEXT + 8, &rest, 8);
        uint64_t hash = old_mix(old_mix(old_mix(TEXT) ^ eight(texts + i * TEXT)) ^ eight(texts + i * TEXT + 8));
        first = i == 0 ? hash : first;
        assert_int_equal(hash, first);
    }
    assert_spread(texts, N_TEXTS);
}

/* Texts that differ in single bits of single words alone, from the first to the last. */
static void test_small_differences_spread(void **state)
{
    (void)state;
    static char texts[N_TEXTS * TEXT];
    int n = 0;
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++, n++) {
            uint64_t words[2] = {UINT64_C(1) << i, UINT64_C(1) << j};
            memcpy(texts + n * TEXT, words, TEXT);
        }
    assert_spread(texts, n);
    for (int i = 0; i < N_TEXTS; i++) { /* the highest bits of both halves, the old hash's blind spot */
        uint64_t words[2] = {(uint64_t)(i & 63) << 58, (uint64_t)(i >> 6) << 58};
        memcpy(texts + i * TEXT, words, TEXT);
    }
    assert_spread(texts, N_TEXTS);
    for (int i = 0; i < N_TEXTS; i++) { /* and numbers in a row */
        uint64_t words[2] = {7, (uint64_t)i};
        memcpy(texts + i * TEXT, words, TEXT);
    }
    assert_spread(texts, N_TEXTS);
}

static void test_short_texts_spread(void **state)
{
    (void)state;
    for (int draw = 0; draw < 20; draw++) {
        static uint64_t places[N_TEXTS];
        kanon__hash_key key;
        kanon__hash_key_draw(&key);
        for (int i = 0; i < N_TEXTS; i++) {
            char text[16];
            int length = snprintf(text, sizeof text, "%d", 90000 + i);
            places[i] = kanon__hash_text(&key, text, (size_t)length) >> 32 & (N_TEXTS - 1);
        }
        assert_in_range(most_in_one_place(places, N_TEXTS), 1, 24);
    }
}

static void test_every_table_has_a_key_of_its_own(void **state)
{
    (void)state;
    kanon__dictionary one, other;
    assert_int_equal(kanon__dictionary_init(&one, NULL), KANON_OK);
    assert_int_equal(kanon__dictionary_init(&other, NULL), KANON_OK);
    assert_memory_not_equal(&one.key, &other.key, sizeof one.key);
    assert_int_not_equal(kanon__hash_text(&one.key, "flu", 3), kanon__hash_text(&other.key, "flu", 3));
    assert_int_equal(one.key.step & other.key.step & 1, 1);
    int64_t n_moved = 0;
    for (int i = 0; i < 1000; i++) { /* the same codes, in other slots */
        char text[16];
        uint32_t a, b;
        int length = snprintf(text, sizeof text, "value %d", i * 7919 % 600);
        assert_int_equal(kanon__dictionary_add(&one, &a, text, (size_t)length, NULL), KANON_OK);
        assert_int_equal(kanon__dictionary_add(&other, &b, text, (size_t)length, NULL), KANON_OK);
        assert_int_equal(a, b);
    }
    assert_int_equal(one.n_slots, other.n_slots);
    for (int64_t i = 0; i < one.n_slots; i++)
        n_moved += one.slots[i] != other.slots[i];
    assert_true(n_moved > 100);
    kanon__dictionary_clear(&other);
    kanon__dictionary_clear(&one);
}

static void test_sets_have_keys_too(void **state)
{
    (void)state;
    kanon__keyset one = {0}, other = {0};
    bool added;
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(kanon__keyset_add(&one, i << 40, &added, NULL), KANON_OK);
        assert_true(added);
        assert_int_equal(kanon__keyset_add(&other, i << 40, &added, NULL), KANON_OK);
    }
    assert_memory_not_equal(one.slots, other.slots, (size_t)one.n_slots * sizeof *one.slots);
    for (uint64_t i = 0; i < 2000; i++)
        assert_int_equal(kanon__keyset_has(&one, i << 40), i < 1000);
    kanon__keyset_clear(&other);
    kanon__keyset_clear(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_made_to_meet_do_not), cmocka_unit_test(test_small_differences_spread),
        cmocka_unit_test(test_short_texts_spread),        cmocka_unit_test(test_every_table_has_a_key_of_its_own),
        cmocka_unit_test(test_sets_have_keys_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
