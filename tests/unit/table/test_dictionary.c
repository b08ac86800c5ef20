/* Dictionaries: codes in the order of first appearance, whatever the texts, and intact after a failed addition. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "core/alloc.h"
#include "core/random.h"
#include "table/value/dictionary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_text(const kanon__dictionary *d, uint32_t code, const char *text, size_t length)
{
    size_t found;
    const char *bytes = kanon__dictionary_text(d, code, &found);
    assert_int_equal(found, length);
    if (length > 0)
        assert_memory_equal(bytes, text, length);
}

static uint32_t add(kanon__dictionary *d, const char *text, size_t length)
{
    kanon_error err = KANON_INIT(kanon_error);
    uint32_t code = KANON__NO_CODE;
    assert_int_equal(kanon__dictionary_add(d, &code, text, length, &err), KANON_OK);
    return code;
}

static void test_numbers_in_order_of_first_appearance(void **state)
{
    (void)state;
    kanon__dictionary d;
    assert_int_equal(kanon__dictionary_init(&d, NULL), KANON_OK);
    assert_int_equal(d.n, 0);
    assert_int_equal(kanon__dictionary_find(&d, "flu", 3), KANON__NO_CODE);
    assert_int_equal(add(&d, "flu", 3), 0);
    assert_int_equal(add(&d, "", 0), 1);
    assert_int_equal(add(&d, "HIV", 3), 2);
    assert_int_equal(add(&d, "flu", 3), 0);
    assert_int_equal(add(&d, NULL, 0), 1);
    assert_int_equal(d.n, 3);
    assert_int_equal(kanon__dictionary_find(&d, "HIV", 3), 2);
    assert_int_equal(kanon__dictionary_find(&d, "HI", 2), KANON__NO_CODE);
    assert_int_equal(kanon__dictionary_find(&d, "", 0), 1);
    assert_text(&d, 0, "flu", 3);
    assert_text(&d, 1, "", 0);
    assert_text(&d, 2, "HIV", 3);
    kanon__dictionary_clear(&d);
    assert_int_equal(d.n, 0);
    assert_null(d.slots);
}

static void test_an_empty_dictionary_finds_nothing(void **state)
{
    (void)state;
    kanon__dictionary d = {0};
    assert_int_equal(kanon__dictionary_find(&d, "x", 1), KANON__NO_CODE);
    kanon__dictionary_clear(&d);
}

/* Zeros and changes at either end of a text: what a hash that packs bytes could confuse. */
static void test_tells_similar_texts_apart(void **state)
{
    (void)state;
    enum { LONGEST = 40 };
    kanon__dictionary d;
    char text[LONGEST] = {0};
    uint32_t expected = 0;
    assert_int_equal(kanon__dictionary_init(&d, NULL), KANON_OK);
    for (size_t length = 0; length <= LONGEST; length++) {
        assert_int_equal(add(&d, text, length), expected++);
        for (size_t i = 0; i < length; i++)
            for (int value = 1; value < 256; value = value * 4 + 3) {
                text[i] = (char)value;
                assert_int_equal(add(&d, text, length), expected++);
                text[i] = 0;
            }
    }
    uint32_t again = 0;
    for (size_t length = 0; length <= LONGEST; length++) {
        assert_int_equal(kanon__dictionary_find(&d, text, length), again++);
        for (size_t i = 0; i < length; i++)
            for (int value = 1; value < 256; value = value * 4 + 3) {
                text[i] = (char)value;
                assert_int_equal(kanon__dictionary_find(&d, text, length), again++);
                text[i] = 0;
            }
    }
    kanon__dictionary_clear(&d);
}

static void test_keeps_codes_while_it_grows(void **state)
{
    (void)state;
    enum { N = 100000 };
    kanon__dictionary d;
    char text[32];
    assert_int_equal(kanon__dictionary_init(&d, NULL), KANON_OK);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(add(&d, text, (size_t)snprintf(text, sizeof text, "%u", i)), i);
    for (uint32_t i = 0; i < N; i++) {
        size_t length = (size_t)snprintf(text, sizeof text, "%u", i);
        assert_int_equal(add(&d, text, length), i);
        assert_text(&d, i, text, length);
    }
    assert_int_equal(d.n, N);
    /* 8 bytes per end and at most 3 slots of 8 bytes per text, beside room to grow. */
    assert_true(d.n_slots <= 3 * (int64_t)N);
    assert_true(d.ends_capacity <= 3 * (int64_t)N / 2 + 16);
    kanon__dictionary_clear(&d);
}

/* Among so many texts some pairs have equal hash bits, for each way to compare texts. */
static void test_compares_texts_of_equal_hashes(void **state)
{
    (void)state;
    enum { N = 300000 };
    const char *formats[] = {"%08u", "prefix--%08u", "a longer prefix %08u"};
    for (size_t f = 0; f < sizeof formats / sizeof formats[0]; f++) {
        kanon__dictionary d;
        char text[32];
        assert_int_equal(kanon__dictionary_init(&d, NULL), KANON_OK);
        for (uint32_t i = 0; i < N; i++) {
            uint32_t code = add(&d, text, (size_t)snprintf(text, sizeof text, formats[f], i));
            if (code != i)
                assert_int_equal(code, i);
        }
        kanon__dictionary_clear(&d);
    }
}

static void test_agrees_with_a_list(void **state)
{
    (void)state;
    enum { ROUNDS = 20000, MOST = 2000, LONGEST = 24 };
    static char list[MOST][LONGEST];
    static size_t lengths[MOST];
    uint32_t n = 0;
    kanon__random random;
    kanon__dictionary d;
    const uint64_t seed = 17;
    printf("seed %llu\n", (unsigned long long)seed);
    kanon__random_init(&random, seed, 0);
    assert_int_equal(kanon__dictionary_init(&d, NULL), KANON_OK);
    for (int round = 0; round < ROUNDS && n < MOST; round++) {
        char text[LONGEST];
        size_t length = (size_t)kanon__random_below(&random, round % 10 == 0 ? LONGEST : 5);
        for (size_t i = 0; i < length; i++)
            text[i] = "ab\xff"[kanon__random_below(&random, 3)];
        uint32_t expected = 0;
        while (expected < n && (lengths[expected] != length || memcmp(list[expected], text, length) != 0))
            expected++;
        assert_int_equal(kanon__dictionary_find(&d, text, length), expected < n ? expected : KANON__NO_CODE);
        assert_int_equal(add(&d, text, length), expected);
        if (expected == n) {
            memcpy(list[n], text, length);
            lengths[n++] = length;
        }
    }
    assert_int_equal(d.n, n);
    for (uint32_t i = 0; i < n; i++)
        assert_text(&d, i, list[i], lengths[i]);
    kanon__dictionary_clear(&d);
}

static void test_reads_no_byte_outside_a_text(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *memory = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory + page, page, PROT_READ | PROT_WRITE), 0);
    memset(memory + page, 'x', page);
    kanon__dictionary d;
    assert_int_equal(kanon__dictionary_init(&d, NULL), KANON_OK);
    for (size_t length = 0; length < 40; length++) {
        assert_int_equal(add(&d, memory + 2 * page - length, length), length);
        assert_int_equal(add(&d, memory + page, length), length);
    }
    kanon__dictionary_clear(&d);
    munmap(memory, 3 * page);
}

#ifdef KANON_TEST_HOOKS
static void test_survives_failed_allocations(void **state)
{
    (void)state;
    kanon__dictionary d;
    kanon_error err = KANON_INIT(kanon_error);
    kanon__alloc_fail_at(1, false);
    assert_int_equal(kanon__dictionary_init(&d, &err), KANON_ENOMEM);
    kanon__dictionary_clear(&d);
    kanon__alloc_fail_at(0, false);
    assert_int_equal(kanon__dictionary_init(&d, &err), KANON_OK);
    for (uint32_t i = 0; i < 3000; i++) {
        char text[16];
        size_t length = (size_t)snprintf(text, sizeof text, "text %u", i);
        uint32_t code = 0;
        int64_t n_failed = 0;
        for (;;) {
            kanon__alloc_fail_at(++n_failed, true);
            if (kanon__dictionary_add(&d, &code, text, length, &err) == KANON_OK)
                break;
            assert_int_equal(err.status, KANON_ENOMEM);
            assert_int_equal(code, KANON__NO_CODE);
            assert_int_equal(d.n, i);
            assert_int_equal(kanon__dictionary_find(&d, text, length), KANON__NO_CODE);
        }
        kanon__alloc_fail_at(0, false);
        assert_true(n_failed <= 4); /* one addition makes room in three places at most */
        assert_int_equal(code, i);
    }
    for (uint32_t i = 0; i < 3000; i++) {
        char text[16];
        assert_int_equal(kanon__dictionary_find(&d, text, (size_t)snprintf(text, sizeof text, "text %u", i)), i);
    }
    kanon__dictionary_clear(&d);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_in_order_of_first_appearance),
        cmocka_unit_test(test_an_empty_dictionary_finds_nothing),
        cmocka_unit_test(test_tells_similar_texts_apart),
        cmocka_unit_test(test_keeps_codes_while_it_grows),
        cmocka_unit_test(test_compares_texts_of_equal_hashes),
        cmocka_unit_test(test_agrees_with_a_list),
        cmocka_unit_test(test_reads_no_byte_outside_a_text),
#ifdef KANON_TEST_HOOKS
        cmocka_unit_test(test_survives_failed_allocations),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
