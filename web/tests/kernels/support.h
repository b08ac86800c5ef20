/* As much of cmocka as test_kernels.c and test_centroid_kernels.c use, so that the same tests run in WebAssembly,
 * for which there is no cmocka. The first assertion that does not hold ends the program. */
#ifndef KANON_WEB_TESTS_SUPPORT_H
#define KANON_WEB_TESTS_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void assert_at(bool holds, const char *what, int line)
{
    if (holds)
        return;
    printf("line %d: %s does not hold\n", line, what);
    exit(1);
}

#define assert_true(a) assert_at(a, #a, __LINE__)
#define assert_non_null(a) assert_at((a) != NULL, #a, __LINE__)
#define assert_int_equal(a, b) assert_at((int64_t)(a) == (int64_t)(b), #a " == " #b, __LINE__)
#define assert_string_equal(a, b) assert_at(strcmp(a, b) == 0, #a " == " #b, __LINE__)
#define assert_memory_equal(a, b, n) assert_at(memcmp(a, b, n) == 0, #a " == " #b, __LINE__)
#define print_message printf

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};
#define cmocka_unit_test(f)                                                                                                 \
    {                                                                                                                       \
#f, f                                                                                                               \
    }
#define cmocka_run_group_tests(tests, before, after) run_all(tests, sizeof(tests) / sizeof *(tests))

static inline int run_all(const struct CMUnitTest *tests, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        tests[i].run(NULL);
        printf("%s: ok\n", tests[i].name);
    }
    return 0;
}

#endif
