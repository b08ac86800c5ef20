/* Codes of every width, translated to every width. */
#include "table/value/codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { N_ROWS = 2500, FIRST = 3, N_WIDTHS = 3 };

static void test_translate(void **state)
{
    static const uint32_t n_codes[N_WIDTHS] = {200, 60000, 70000};
    uint32_t *map = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    assert_int_equal(kanon__new_array(&map, n_codes[N_WIDTHS - 1], "a map", &err), KANON_OK);
    for (int i = 0; i < N_WIDTHS * N_WIDTHS; i++) {
        kanon__codes from = {0}, to = {0};
        uint32_t n_from = n_codes[i / N_WIDTHS], n_to = n_codes[i % N_WIDTHS];
        assert_int_equal(kanon__codes_new(&from, N_ROWS, n_from, false, &err), KANON_OK);
        assert_int_equal(kanon__codes_new(&to, N_ROWS + FIRST + 1, n_to, false, &err), KANON_OK);
        for (uint32_t code = 0; code < n_from; code++)
            map[code] = (code * 7 + 1) % n_to;
        for (int64_t row = 0; row < N_ROWS; row++)
            kanon__code_set(from, row, (uint32_t)(row * 31) % n_from);
        kanon__codes_translate(to, FIRST, from, N_ROWS, map);
        for (int64_t row = 0; row < N_ROWS; row++)
            assert_int_equal(kanon__code_at(to, FIRST + row), ((uint32_t)(row * 31) % n_from * 7 + 1) % n_to);
        assert_int_equal(kanon__code_at(to, FIRST - 1), 0);
        assert_int_equal(kanon__code_at(to, FIRST + N_ROWS), 0);
        kanon__codes_clear(&from);
        kanon__codes_clear(&to);
    }
    kanon__free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_translate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
