/* CSV in files that are larger than the reader's window: long rows, long cells, and what is never closed. test_csv_random.c
 * compares small windows with a plain reader. */
#include "core/alloc.h"
#include "support.h"
#include "table/text/csv.h"

enum { MIB = 1 << 20 };

/* `head`, then `n` times `filler`, then `tail`. */
static place file_of(const char *head, const char *filler, size_t n, const char *tail)
{
    place path = scratch("t.csv");
    FILE *file = fopen(path.text, "wb");
    assert_non_null(file);
    fputs(head, file);
    for (size_t i = 0; i < n; i++)
        fputs(filler, file);
    fputs(tail, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static void open_file(kanon__input *input, kanon__csv *csv, const char *path)
{
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon__input_open_upto(input, path, UINT64_MAX, "a file", &err), &err);
    assert_true(input->has_file);
    assert_done(kanon__csv_open(csv, input, NULL, &err), &err);
}

static void close_file(kanon__input *input, kanon__csv *csv)
{
    kanon__csv_close(csv);
    kanon__input_close(input);
}

static void long_cells_are_read(void **state)
{
    static const size_t lengths[] = {3000, 300000, 2 * MIB, 20 * MIB};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__input input;
        kanon__csv csv;
        bool has_row;
        size_t rest = lengths[i] < MIB ? MIB / lengths[i] + 1 : 0;
        char *cell = malloc(lengths[i] + 20);
        assert_non_null(cell);
        memset(cell, 'x', lengths[i]);
        cell[0] = '"';
        cell[lengths[i] / 2] = '\n';
        strcpy(cell + lengths[i], "\",2\r\n");
        place path = file_of("a,b\r\n1,2\r\n", cell, 1 + rest, "3,4");
        open_file(&input, &csv, path.text);
        assert_true(csv.crlf);
        assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
        for (size_t row = 0; row <= rest; row++) {
            size_t begin = csv.position;
            assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
            assert_true(has_row);
            assert_int_equal(csv.cells[0].length, lengths[i] - 1);
            assert_memory_equal(csv.cells[0].text, cell + 1, lengths[i] - 1);
            assert_int_equal(csv.cells[1].length, 1);
            assert_int_equal(csv.row_begin, begin);
            assert_int_equal(csv.position - csv.row_begin, lengths[i] + 5);
            assert_int_equal(csv.line, 3 + 2 * (int64_t)row);
        }
        assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
        assert_true(has_row && csv.cells[1].text[0] == '4');
        assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
        assert_false(has_row);
        close_file(&input, &csv);
        free(cell);
    }
}

/* The rest of the file is not read into memory. */
static void quotes_that_are_never_closed_take_little_memory(void **state)
{
    enum { LINES = 5 * MIB };
    kanon_error err = KANON_INIT(kanon_error);
    kanon__input input;
    kanon__csv csv;
    bool has_row;
    (void)state;
    place path = file_of("a,b\n1,2\n3,\"4\n", "1234,567\n", LINES, "");
    open_file(&input, &csv, path.text);
    assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
    kanon__alloc_peak(true);
    assert_int_equal(kanon__csv_next(&csv, &has_row, &err), KANON_EDATA);
    assert_holds(err.message, "t.csv:3: b: the quote that begins here is never closed");
#ifdef KANON_TEST_HOOKS
    assert_true(kanon__alloc_peak(false) < LINES * INT64_C(9));
#endif
    close_file(&input, &csv);
}

/* Errors far into a file name the right line, after a seek, too; the rows after them are not read. */
static void errors_name_their_lines(void **state)
{
    enum { LINES = 200000 };
    kanon_error err = KANON_INIT(kanon_error);
    kanon__input input;
    kanon__csv csv;
    bool has_row = true;
    (void)state;
    place path = file_of("a,b\n", "12,\"x\ny\"\n", LINES, "1,2\n3,4,5\n");
    open_file(&input, &csv, path.text);
    kanon_status st = KANON_OK;
    while (st == KANON_OK && has_row)
        st = kanon__csv_next(&csv, &has_row, &err);
    assert_int_equal(st, KANON_EDATA);
    assert_int_equal(csv.row, LINES);
    assert_holds(err.message, "t.csv:400003: b: 3 cells, expected 2");
    kanon__csv_seek(&csv, 4 + 9 * (size_t)LINES);
    assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
    kanon__csv_fail(&csv, 0, &err, "wrong");
    assert_holds(err.message, "t.csv:400002: a: wrong");
    assert_int_equal(kanon__csv_next(&csv, &has_row, &err), KANON_EDATA);
    assert_holds(err.message, "t.csv:400003: b: 3 cells, expected 2");
    close_file(&input, &csv);
}

/* Rows in any order cost a small read each. */
static void windows_are_small_after_a_jump(void **state)
{
    enum { LINES = 500000 };
    kanon_error err = KANON_INIT(kanon_error);
    kanon__input input;
    kanon__csv csv;
    bool has_row;
    (void)state;
    place path = file_of("a,b\n", "12,34\n", LINES, "");
    open_file(&input, &csv, path.text);
    for (size_t row = LINES; row-- > 0 && row > LINES - 100;) {
        size_t jump = row * 7919 % LINES;
        kanon__csv_seek(&csv, 4 + 6 * jump);
        assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
        assert_memory_equal(csv.cells[0].text, "12,34", 5);
        assert_int_equal(csv.row_begin, jump > 0 ? 4 + 6 * jump : 4);
        assert_in_range(csv.window_end - csv.window_begin, 1, 512);
    }
    for (int row = 0; row < 20000 && csv.position < csv.end; row++)
        assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
    close_file(&input, &csv);
}

static void blank_lines_at_the_end_are_no_rows(void **state)
{
    static const char *const ends[] = {"\n", "\r\n"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__input input;
        kanon__csv csv;
        bool has_row;
        place path = file_of("a,b\n1,2\n", ends[i], MIB, "");
        open_file(&input, &csv, path.text);
        assert_int_equal(csv.end, 8);
        assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
        assert_true(has_row);
        assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
        assert_false(has_row);
        close_file(&input, &csv);
    }
    kanon_error err = KANON_INIT(kanon_error);
    kanon__input input;
    kanon__csv csv;
    place path = file_of("", "\n", 2 * MIB, "");
    assert_done(kanon__input_open_upto(&input, path.text, UINT64_MAX, "a file", &err), &err);
    assert_int_equal(kanon__csv_open(&csv, &input, NULL, &err), KANON_EDATA);
    assert_holds(err.message, "t.csv:1: column 1: the file is empty");
    kanon__input_close(&input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_cells_are_read),
        cmocka_unit_test(quotes_that_are_never_closed_take_little_memory),
        cmocka_unit_test(errors_name_their_lines),
        cmocka_unit_test(windows_are_small_after_a_jump),
        cmocka_unit_test(blank_lines_at_the_end_are_no_rows),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
