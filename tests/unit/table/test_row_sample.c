/* A sample of rows: all of few rows, and of many rows one in fifty but at least 10,000, from all over the source, whether
 * its parts are known or not. */
#include "support.h"
#include "table/read/open_table.h"
#include "table/read/row_sample.h"
#include "table/value/number.h"

/* Rows "i,word,odd ""cell""" with i from 0. */
static char *make_table(int n)
{
    char *text = malloc(40 + (size_t)n * 40);
    size_t used = 0;
    assert_non_null(text);
    used += (size_t)sprintf(text + used, "number,word,cell\n");
    for (int i = 0; i < n; i++)
        used += (size_t)sprintf(text + used, "%d, w%d ,\"a \"\"%d\"\"\"\n", i, i % 7, i % 5);
    return text;
}

static void sample(kanon__row_sample *out, const char *text, int n, bool read)
{
    static const bool wanted[] = {true, false, true};
    kanon_error err = KANON_INIT(kanon_error);
    kanon__input input;
    kanon__csv_reading how;
    kanon__source *source = NULL;
    assert_done(kanon__table_input_take(&input, &how, KANON_BYTES_AS(text, strlen(text), "t.csv"), KANON_OK, &err), &err);
    assert_done(kanon__table_source_read(&source, &input, &how, NULL, &err), &err);
    if (read) {
        kanon__raw_columns none = {.threads = 1};
        assert_done(source->class->read(source, &none, &err), &err);
        assert_int_equal(source->n_rows, n);
    }
    assert_done(kanon__row_sample_read(out, source, n, wanted, &err), &err);
    kanon__source_free(source);
}

static int64_t number_at(const kanon__row_sample *s, int64_t row)
{
    size_t length;
    const char *text = kanon__dictionary_text(&s->dictionaries[0], kanon__code_at(s->codes[0], row), &length);
    int64_t number = -1;
    assert_true(kanon__parse_integer(&number, text, length));
    return number;
}

static void check(int n, bool read, int64_t expected)
{
    char *text = make_table(n);
    kanon__row_sample s = {0};
    int64_t before = -1, in_second_half = 0;
    sample(&s, text, n, read);
    assert_int_equal(s.n_columns, 3);
    assert_int_equal(s.n_rows, expected);
    assert_int_equal(s.dictionaries[1].n, 0); /* not wanted */
    assert_int_equal(s.dictionaries[2].n, n < 5 ? n : 5);
    for (int64_t row = 0; row < s.n_rows; row++) {
        int64_t number = number_at(&s, row);
        char cell[24];
        size_t length;
        const char *shown = kanon__dictionary_text(&s.dictionaries[2], kanon__code_at(s.codes[2], row), &length);
        sprintf(cell, "a \"%d\"", (int)(number % 5)); /* both cells are of one row */
        assert_int_equal(length, strlen(cell));
        assert_memory_equal(shown, cell, length);
        assert_true(number > before); /* in the order of the table, none twice */
        before = number;
        in_second_half += number >= n / 2;
    }
    if (expected < n)
        assert_true(in_second_half > expected / 4);
    kanon__row_sample_clear(&s);
    free(text);
}

static void few_rows_are_all_read(void **state)
{
    (void)state;
    check(1, false, 1);
    check(500, false, 500);
    check(500, true, 500);
    check(10000, false, 10000);
}

static void many_rows_are_sampled(void **state)
{
    (void)state;
    check(30000, false, 10000); /* each third */
    check(30001, false, 7501);  /* each fourth: no step gives 10,000 */
    check(600000, true, 12000); /* one in fifty */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows_are_all_read),
        cmocka_unit_test(many_rows_are_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
