/* The marks of a CSV (table/text/csv_marks.h): every way finds the bytes of the definition, at any length and place. */
#include "table/text/csv_marks.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* As csv_marks.h says it. */
static bool is_mark(char c, char delimiter)
{
    unsigned char byte = (unsigned char)c;
    return c == delimiter || c == '"' || byte < 0x20 || byte >= 0x80;
}

/* The bytes lie in a block of their own that ends with them, so that a look past the end is seen by the sanitizer. */
static void check(const char *bytes, size_t n, char delimiter)
{
    char *own = malloc(n > 0 ? n : 1);
    kanon__marks *marks = malloc(sizeof *marks);
    assert_non_null(own);
    assert_non_null(marks);
    memcpy(own, bytes, n);
    for (int way = KANON__MARKS_PLAIN; way <= (int)kanon__marks_best(); way++) {
        int expected = 0;
        kanon__marks_find(marks, own, n, delimiter, (kanon__marks_way)way);
        for (size_t i = 0; i < n; i++)
            if (is_mark(own[i], delimiter)) {
                assert_true(expected < marks->n);
                assert_int_equal(marks->offsets[expected++], i);
            }
        assert_int_equal(marks->n, expected);
        assert_int_equal(marks->next, 0);
        assert_ptr_equal(marks->begin, own);
        assert_ptr_equal(marks->end, own + n);
    }
    free(marks);
    free(own);
}

static void every_byte_is_known(void **state)
{
    (void)state;
    char bytes[256];
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    for (const char *delimiter = ",;\t|x"; *delimiter != '\0'; delimiter++)
        check(bytes, sizeof bytes, *delimiter);
}

static void every_length_is_known(void **state)
{
    (void)state;
    static const char row[] = "42,\"5, Main St\",Bonn,J\xc3\xbcrgen,,\r\n";
    char bytes[KANON__MARKED_BYTES];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = row[i % (sizeof row - 1)];
    for (size_t n = 0; n <= 300; n++)
        check(bytes, n, ',');
    check(bytes, sizeof bytes, ',');
}

/* As many marks as there can be, and none. */
static void all_bytes_may_be_marks(void **state)
{
    (void)state;
    char bytes[KANON__MARKED_BYTES];
    memset(bytes, ',', sizeof bytes);
    check(bytes, sizeof bytes, ',');
    check(bytes, sizeof bytes - 1, ',');
    check(bytes, sizeof bytes, ';');
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_byte_is_known), cmocka_unit_test(every_length_is_known),
                                       cmocka_unit_test(all_bytes_may_be_marks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
