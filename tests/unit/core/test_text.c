/* Values are compared without the white space at their ends: core/text.h against cases and against the reading of the
 * independent check, which knows nothing of it. */
#include "core/random.h"
#include "core/text.h"
#include "verify/bare_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { SEED = 17 };

#define N_OF(array) ((int)(sizeof(array) / sizeof *(array)))

/* White_Space of Unicode, and U+200B, U+2060, U+FEFF. */
static const char *const blanks[] = {" ",
                                     "\t",
                                     "\n",
                                     "\v",
                                     "\f",
                                     "\r",
                                     "\xc2\x85",
                                     "\xc2\xa0",
                                     "\xe1\x9a\x80",
                                     "\xe2\x80\x80",
                                     "\xe2\x80\x87",
                                     "\xe2\x80\x8a",
                                     "\xe2\x80\x8b",
                                     "\xe2\x80\xa8",
                                     "\xe2\x80\xa9",
                                     "\xe2\x80\xaf",
                                     "\xe2\x81\x9f",
                                     "\xe2\x81\xa0",
                                     "\xe3\x80\x80",
                                     "\xef\xbb\xbf"};

/* Characters that share bytes with blanks and are none: a control, U+0086, U+00A1, U+1681, U+200C, U+200D, U+2010, U+2027,
 * U+2030, U+205E, U+3001, U+FEFE, e with accent, an emoji. */
static const char *const others[] = {"a",
                                     "*",
                                     "\x1f",
                                     "\x7f",
                                     "\xc2\x86",
                                     "\xc2\xa1",
                                     "\xe1\x9a\x81",
                                     "\xe2\x80\x8c",
                                     "\xe2\x80\x8d",
                                     "\xe2\x80\x90",
                                     "\xe2\x80\xa7",
                                     "\xe2\x80\xb0",
                                     "\xe2\x81\x9e",
                                     "\xe3\x80\x81",
                                     "\xef\xbb\xbe",
                                     "\xc3\xa9",
                                     "\xf0\x9f\x98\x80"};

static void assert_trimmed(const char *text, size_t length, const char *expected, size_t expected_length)
{
    const char *one = text, *two = text;
    size_t one_length = length, two_length = length;
    kanon__trim(&one, &one_length);
    kanon__bare(&two, &two_length);
    assert_int_equal(one_length, expected_length);
    assert_memory_equal(one, expected, expected_length);
    assert_int_equal(two_length, expected_length);
    assert_memory_equal(two, expected, expected_length);
}

static void test_each_blank_is_dropped_at_both_ends(void **state)
{
    (void)state;
    char text[64];
    for (int i = 0; i < N_OF(blanks); i++) {
        snprintf(text, sizeof text, "%s%sx%sy%s", blanks[i], blanks[i], blanks[i], blanks[i]);
        size_t inside = strlen(blanks[i]) + 2;
        assert_trimmed(text, strlen(text), text + 2 * strlen(blanks[i]), inside);
        assert_trimmed(blanks[i], strlen(blanks[i]), "", 0);
    }
}

static void test_all_else_stays(void **state)
{
    (void)state;
    for (int i = 0; i < N_OF(others); i++)
        assert_trimmed(others[i], strlen(others[i]), others[i], strlen(others[i]));
    assert_trimmed("", 0, "", 0);
    assert_trimmed("\0 ", 2, "\0", 1); /* a NUL is a byte like others */
}

/* Random texts of blanks and others, and of the bytes of both in any order. */
static void test_two_readings_agree(void **state)
{
    (void)state;
    kanon__random random;
    print_message("seed %d\n", SEED);
    kanon__random_init(&random, SEED, 0);
    for (int run = 0; run < 20000; run++) {
        char text[128];
        size_t length = 0, first = SIZE_MAX, last = 0;
        int n = (int)kanon__random_below(&random, 12);
        for (int i = 0; i < n; i++) {
            bool blank = kanon__random_below(&random, 3) > 0;
            const char *piece = blank ? blanks[kanon__random_below(&random, N_OF(blanks))]
                                      : others[kanon__random_below(&random, N_OF(others))];
            memcpy(text + length, piece, strlen(piece));
            if (!blank && first == SIZE_MAX)
                first = length;
            length += strlen(piece);
            last = blank ? last : length;
        }
        first = first == SIZE_MAX ? 0 : first;
        assert_trimmed(text, length, text + first, last - first);
    }
}

static void test_same_values(void **state)
{
    (void)state;
    assert_true(kanon__same_value("hiv", 3, " hiv\xc2\xa0", 6));
    assert_true(kanon__same_value("", 0, "\xe2\x80\xaf", 3));
    assert_false(kanon__same_value("h iv", 4, "hiv", 3));
    assert_false(kanon__same_value("hiv", 3, "hi", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_blank_is_dropped_at_both_ends),
        cmocka_unit_test(test_all_else_stays),
        cmocka_unit_test(test_two_readings_agree),
        cmocka_unit_test(test_same_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
