/* The CSV reader, case by case: what it reads and what it says about bad input. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE */
#include "unit/csv_trace.h"

#include "core/alloc.h"

#include <sys/mman.h>

static void check_bytes(const char *bytes, size_t size, kanon__csv_options options, const char *expected)
{
    kanon__input input = {.path = path, .size = size};
    char *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    input.bytes = copy;
    for (int portable = 0; portable < 2; portable++) {
        options.portable = portable;
        trace t = read_trace(&input, &options, true);
        assert_string_equal(t.text, expected);
        free(t.text);
    }
    free(copy);
}

static void check(const char *text, kanon__csv_options options, const char *expected)
{
    check_bytes(text, strlen(text), options, expected);
}

static const kanon__csv_options plainly = {0}, headless = {.no_header = true},
                                arx = {.candidates = ";,", .no_header = true, .ragged = true};

static void test_reads_cells(void **state)
{
    (void)state;
    check("a,b\n1,2\n", plainly, "delimiter , lf 2 columns\n[a][b]\n2: [1][2]\nend\n");
    check("a,b\n1,2", plainly, "delimiter , lf 2 columns\n[a][b]\n2: [1][2]\nend\n");
    check("a,b\r\n1,2\r\n", plainly, "delimiter , crlf 2 columns\n[a][b]\n2: [1][2]\nend\n");
    check("a,b\r\n1,2\n3,4\r\n", plainly, "delimiter , crlf 2 columns\n[a][b]\n2: [1][2]\n3: [3][4]\nend\n");
    check("a,b\n,\n1,\n,2\n", plainly, "delimiter , lf 2 columns\n[a][b]\n2: [][]\n3: [1][]\n4: [][2]\nend\n");
    check("a,b\n1,", plainly, "delimiter , lf 2 columns\n[a][b]\n2: [1][]\nend\n");
    check("a,b\n x ,\ty\n", plainly, "delimiter , lf 2 columns\n[a][b]\n2: [ x ][\ty]\nend\n");
    check("a\n\x01\x7f\x1f\n", plainly, "delimiter , lf 1 columns\n[a]\n2: [\x01\x7f\x1f]\nend\n");
    check("a\ngr\xc3\xbc\xc3\x9f\xe2\x82\xac\xf0\x9f\x98\x80\n", plainly,
          "delimiter , lf 1 columns\n[a]\n2: [gr\xc3\xbc\xc3\x9f\xe2\x82\xac\xf0\x9f\x98\x80]\nend\n");
}

static void test_reads_quoted_cells(void **state)
{
    (void)state;
    check("a,b\n\"1\",\"2\"\n", plainly, "delimiter , lf 2 columns\n[a][b]\n2: \"[1]\"[2]\nend\n");
    check("a,b\r\n\"1\",\"2\"\r\n", plainly, "delimiter , crlf 2 columns\n[a][b]\n2: \"[1]\"[2]\nend\n");
    check("a,b\n\"\",\"x\"", plainly, "delimiter , lf 2 columns\n[a][b]\n2: \"[]\"[x]\nend\n");
    check("a,b\n\"1,2\",\"3\n4\"\n5,6\n", plainly, "delimiter , lf 2 columns\n[a][b]\n2: \"[1,2]\"[3\n4]\n4: [5][6]\nend\n");
    check("a,b\n\"1\r\n2\r\",\n5,6\n", plainly, "delimiter , lf 2 columns\n[a][b]\n2: \"[1\r\n2\r][]\n4: [5][6]\nend\n");
    check("a\n\"say \"\"x\"\"\"\n\"\"\"\"\n\"\"\"\"\"\"\n", plainly,
          "delimiter , lf 1 columns\n[a]\n2: \"[say \"x\"]\n3: \"[\"]\n4: \"[\"\"]\nend\n");
    check("a\n\"\xc3\xbc\"\"\xc3\xbc\"\n", plainly, "delimiter , lf 1 columns\n[a]\n2: \"[\xc3\xbc\"\xc3\xbc]\nend\n");
}

static void test_reads_the_header(void **state)
{
    (void)state;
    check("\xef\xbb\xbf"
          "a,b\n1,2\n",
          plainly, "delimiter , lf 2 columns\n[a][b]\n2: [1][2]\nend\n");
    check("\xef\xbb\xbf\"a\",b\n1,2\n", plainly, "delimiter , lf 2 columns\n[a][b]\n2: [1][2]\nend\n");
    check("\"a \"\"x\"\"\",\"b\nc\"\n1,2\n", plainly, "delimiter , lf 2 columns\n[a \"x\"][b\nc]\n3: [1][2]\nend\n");
    check("a,,c\n1,2,3\n", plainly, "delimiter , lf 3 columns\n[a][][c]\n2: [1][2][3]\nend\n");
    check("\n1\n", plainly, "delimiter , lf 1 columns\n[]\n2: [1]\nend\n");
    check("a,b\n", plainly, "delimiter , lf 2 columns\n[a][b]\nend\n");
    check("a,b", plainly, "delimiter , lf 2 columns\n[a][b]\nend\n");
    check("a,b\r\n\r\n\n", plainly, "delimiter , crlf 2 columns\n[a][b]\nend\n");
    check("\"a\rb\"", plainly, "delimiter , lf 1 columns\n[a\rb]\nend\n");
    check("a,b,a\n", plainly,
          "error t.csv:1: column 3: the same name as column 1; give every column a name of its own, or say that the file "
          "has no header line\n");
    check("\"x\",y,\"x\"\n1,2,3\n", plainly,
          "error t.csv:1: column 3: the same name as column 1; give every column a name of its own, or say that the file "
          "has no header line\n");
    check("a,,b,\n", plainly,
          "error t.csv:1: column 4: the same name as column 2; give every column a name of its own, or say that the file "
          "has no header line\n");
}

static void test_refuses_empty_files(void **state)
{
    (void)state;
    const char *expected = "error t.csv:1: column 1: the file is empty; its first line must name the columns\n";
    check("", plainly, expected);
    check("\xef\xbb\xbf", plainly, expected);
    check("\n", plainly, expected);
    check("\r\n\n\r\n", plainly, expected);
    check("", headless, "error t.csv:1: column 1: the file is empty; it must have at least one line\n");
    kanon__input none = {.path = path};
    trace t = read_trace(&none, &plainly, true);
    assert_string_equal(t.text, expected);
    free(t.text);
}

static void test_finds_the_delimiter(void **state)
{
    (void)state;
    kanon__csv_options space = {.delimiter = ' '}, letter = {.delimiter = 'x'}, two = {.candidates = "|;"};
    check("a;b,c;d\n1;2;3\n", plainly, "delimiter ; lf 3 columns\n[a][b,c][d]\n2: [1][2][3]\nend\n");
    check("a\tb\n1\t2\n", plainly, "delimiter \t lf 2 columns\n[a][b]\n2: [1][2]\nend\n");
    check("a|b\n1|2\n", plainly, "delimiter | lf 2 columns\n[a][b]\n2: [1][2]\nend\n");
    check("a;b,c\n1,2\n", plainly, "delimiter , lf 2 columns\n[a;b][c]\n2: [1][2]\nend\n");
    check("a;b|c\n1|2\n", two, "delimiter | lf 2 columns\n[a;b][c]\n2: [1][2]\nend\n");
    check("\"a,,,\"\"\";b\n1;2\n", plainly, "delimiter ; lf 2 columns\n[a,,,\"][b]\n2: [1][2]\nend\n");
    check("\"a\n,,,\";b\n1;2\n", plainly, "delimiter ; lf 2 columns\n[a\n,,,][b]\n3: [1][2]\nend\n");
    check("a\n1\n", plainly, "delimiter , lf 1 columns\n[a]\n2: [1]\nend\n");
    check("a\n1;2\n", plainly, "delimiter , lf 1 columns\n[a]\n2: [1;2]\nend\n");
    check("a,b\n1\n", (kanon__csv_options){.delimiter = ';'}, "delimiter ; lf 1 columns\n[a,b]\n2: [1]\nend\n");
    check("a b\n1 2\n", space, "delimiter   lf 2 columns\n[a][b]\n2: [1][2]\nend\n");
    check("axb\n1x2\n", letter, "delimiter x lf 2 columns\n[a][b]\n2: [1][2]\nend\n");
}

static void test_reads_files_without_header(void **state)
{
    (void)state;
    check("1,2\n3,4\n", headless, "delimiter , lf 2 columns\n1: [1][2]\n2: [3][4]\nend\n");
    check("\xef\xbb\xbf"
          "1,2\n",
          headless, "delimiter , lf 2 columns\n1: [1][2]\nend\n");
    check("1,2\n3\n", headless,
          "delimiter , lf 2 columns\n1: [1][2]\n"
          "error t.csv:2: column 2: 1 cell, expected 2; give each row a cell for every column, empty or not\n");
    check("Male;Person;*\n*\nx;*", arx, "delimiter ; lf 3 columns\n1: [Male][Person][*]\n2: [*]\n3: [x][*]\nend\n");
    check("a,b;c\nd,e\n", arx, "delimiter ; lf 2 columns\n1: [a,b][c]\n2: [d,e]\nend\n");
    check("\"a;b\",c\n", arx, "delimiter , lf 2 columns\n1: \"[a;b][c]\nend\n");
    check("*\nx,*\n", arx, "delimiter , lf 1 columns\n1: [*]\n2: [x][*]\nend\n");
    check("x;*\n\ny;*\n\n", arx, "delimiter ; lf 2 columns\n1: [x][*]\n2: []\n3: [y][*]\nend\n");
}

static void test_reads_ragged_files_with_header(void **state)
{
    (void)state;
    kanon__csv_options ragged = {.ragged = true};
    check("a,b\n1\n1,2,3,4\n", ragged, "delimiter , lf 2 columns\n[a][b]\n2: [1]\n3: [1][2][3][4]\nend\n");
}

static void test_refuses_delimiters_that_cannot_be(void **state)
{
    (void)state;
    const char *expected = "error a delimiter that cannot separate cells; "
                           "use one ASCII character that is neither a quote nor a line break, or the word 'tab'\n";
    const char bad[] = {'"', '\n', '\r', '\xa7'};
    kanon_error err = KANON_INIT(kanon_error);
    kanon__csv csv;
    kanon__input input = {.path = path, .bytes = "a\n", .size = 2};
    for (size_t i = 0; i < sizeof bad; i++) {
        kanon__csv_options options = {.delimiter = bad[i]};
        check("a,b\n", options, expected);
        assert_int_equal(kanon__csv_open(&csv, &input, &options, &err), KANON_EINVAL);
    }
}

static void test_blank_lines(void **state)
{
    (void)state;
    check("a,b\n1,2\n\n\r\n\n", plainly, "delimiter , lf 2 columns\n[a][b]\n2: [1][2]\nend\n");
    check("a\n1\n\n\r\n2\n\n\r\n", plainly, "delimiter , lf 1 columns\n[a]\n2: [1]\n3: []\n4: []\n5: [2]\nend\n");
    check("a\n1\n\"\"\n", plainly, "delimiter , lf 1 columns\n[a]\n2: [1]\n3: \"[]\nend\n");
    check("a,b\n1,2\n\n3,4\n", plainly,
          "delimiter , lf 2 columns\n[a][b]\n2: [1][2]\nerror t.csv:3: b: 1 cell, expected 2; remove the blank line\n");
    check("a,b\n\r\n3,4\n", plainly,
          "delimiter , lf 2 columns\n[a][b]\nerror t.csv:2: b: 1 cell, expected 2; remove the blank line\n");
    check("a,b\n \n", plainly,
          "delimiter , lf 2 columns\n[a][b]\n"
          "error t.csv:2: b: 1 cell, expected 2; give each row a cell for every column, empty or not\n");
}

static void test_lone_carriage_returns(void **state)
{
    (void)state;
    const char *expected = "error t.csv:1: column 1: lines end with CR alone; "
                           "convert the line ends, for example: tr '\\r' '\\n' < OLD > NEW\n";
    check("a,b\r1,2\r3,4\r", plainly, expected);
    check("a,b\r1,2", plainly, expected);
    check("\"a\",\"b\"\r\"1\",\"2\"\r", plainly, expected);
    check("a,b\r\"1\",2\r\n\n", plainly, expected);
    check("a,b\r1,2\r\r\n", plainly, expected);
    check("x;*\ry;*\r", arx, expected);
    check("a,b\nx\ry,\r\n", plainly, "delimiter , lf 2 columns\n[a][b]\n2: [x\ry][]\nend\n");
    check("a,b\n1,2\r", plainly, "delimiter , lf 2 columns\n[a][b]\n2: [1][2\r]\nend\n");
    check("a,b\n1,2\r\r\n", plainly, "delimiter , lf 2 columns\n[a][b]\n2: [1][2\r]\nend\n");
}

static void test_names_the_place_of_ragged_rows(void **state)
{
    (void)state;
    check("a,b,c\n1,2,3\n1\n", plainly,
          "delimiter , lf 3 columns\n[a][b][c]\n2: [1][2][3]\n"
          "error t.csv:3: b: 1 cell, expected 3; give each row a cell for every column, empty or not\n");
    check("a,b,c\n1,2\n", plainly,
          "delimiter , lf 3 columns\n[a][b][c]\n"
          "error t.csv:2: c: 2 cells, expected 3; give each row a cell for every column, empty or not\n");
    check("a,b,c\n\"x\ny\",2,3\n1,2,3,4,5\n", plainly,
          "delimiter , lf 3 columns\n[a][b][c]\n2: \"[x\ny][2][3]\n"
          "error t.csv:4: c: 5 cells, expected 3; put cells that hold the delimiter in quotes\n");
    check("a,\"\"\n1,2,3\n", plainly,
          "delimiter , lf 2 columns\n[a][]\n"
          "error t.csv:2: column 2: 3 cells, expected 2; put cells that hold the delimiter in quotes\n");
    check("\"a\nb\"\n1,2\n", (kanon__csv_options){.delimiter = ','},
          "delimiter , lf 1 columns\n[a\nb]\n"
          "error t.csv:3: a b: 2 cells, expected 1; put cells that hold the delimiter in quotes\n");
}

static void test_names_the_place_of_bad_quotes(void **state)
{
    (void)state;
    const char *after = "text after a closing quote; write a quote inside a quoted cell twice\n";
    const char *inside = "a quote inside an unquoted cell; put the cell in quotes and write the quote inside it twice\n";
    const char *open = "the quote that begins here is never closed; "
                       "close it, and write a quote inside a quoted cell twice\n";
    const struct {
        const char *text, *before, *place, *what;
    } cases[] = {
        {"a,b\n1,\"x\"y\n", "", "t.csv:2: b: ", after},
        {"a,b\n\"x\" ,1\n", "", "t.csv:2: a: ", after},
        {"a,b\n\"x\ny\"z,1\n", "", "t.csv:3: a: ", after},
        {"a,b\n1,\"x\"\ry\n", "", "t.csv:2: b: ", after},
        {"a,b\n1,2\n\"x\"\"\"\xff,1\n", "2: [1][2]\n", "t.csv:3: a: ", after},
        {"a,b\n1,x\"y\n", "", "t.csv:2: b: ", inside},
        {"a,b\n \"x\",2\n", "", "t.csv:2: a: ", inside},
        {"a,b\n1,2,3\"\n", "", "t.csv:2: column 3: ", inside},
        {"a,b\n1,2\n1,\"x\n", "2: [1][2]\n", "t.csv:3: b: ", open},
        {"a,b\n\"1\n2\",\"x\n\n\n", "", "t.csv:3: b: ", open},
        {"a,b\n\"", "", "t.csv:2: a: ", open},
        {"a,b\n1,\"x\"\"", "", "t.csv:2: b: ", open},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        trace expected = {0};
        putf(&expected, "delimiter , lf 2 columns\n[a][b]\n%serror %s%s", cases[i].before, cases[i].place, cases[i].what);
        check(cases[i].text, plainly, expected.text);
        free(expected.text);
    }
    trace expected = {0};
    putf(&expected, "error t.csv:1: column 2: %s", open);
    check("a,\"b\n1,2\n", plainly, expected.text);
    expected.length = 0;
    putf(&expected, "error t.csv:1: column 1: %s", inside);
    check("a\"b,c\n1,2\n", plainly, expected.text);
    expected.length = 0;
    putf(&expected, "error t.csv:1: column 1: %s", after);
    check("\"a\"b,c\n1,2\n", plainly, expected.text);
    free(expected.text);
}

static void test_refuses_what_is_not_utf8(void **state)
{
    (void)state;
    const char *bad[] = {"\x80",
                         "\xbf",
                         "\xc0\x80",
                         "\xc1\xbf",
                         "\xc3",
                         "\xc3(",
                         "\xe0\x9f\xbf",
                         "\xe2\x82",
                         "\xe2(\xa1",
                         "\xed\xa0\x80",
                         "\xed\xbf\xbf",
                         "\xf0\x8f\xbf\xbf",
                         "\xf0\x9f\x98",
                         "\xf4\x90\x80\x80",
                         "\xf5\x80\x80\x80",
                         "\xf8\x88\x80\x80\x80",
                         "\xfe",
                         "\xff",
                         "\xc3\xbc\x80"};
    const char *good[] = {"\xc2\x80",     "\xdf\xbf",         "\xe0\xa0\x80",     "\xed\x9f\xbf", "\xee\x80\x80",
                          "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\xef\xbb\xbf"};
    const char *hint = "convert the file, for example: iconv -f ISO-8859-1 -t UTF-8";
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        trace text = {0}, expected = {0};
        putf(&text, "a,b\n1,2\n1,\"x\n%s", bad[i]);
        putf(&expected, "delimiter , lf 2 columns\n[a][b]\n2: [1][2]\nerror t.csv:4: b: not UTF-8; %s\n", hint);
        check(text.text, plainly, expected.text);
        text.length = 0;
        putf(&text, "a,b\n1,2\n%s,2\n", bad[i]);
        expected.length = 0;
        putf(&expected, "delimiter , lf 2 columns\n[a][b]\n2: [1][2]\nerror t.csv:3: a: not UTF-8; %s\n", hint);
        check(text.text, plainly, expected.text);
        text.length = 0;
        putf(&text, "a,x%s\n1,2\n", bad[i]);
        expected.length = 0;
        putf(&expected, "error t.csv:1: column 2: not UTF-8; %s\n", hint);
        check(text.text, plainly, expected.text);
        free(text.text);
        free(expected.text);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        trace text = {0}, expected = {0};
        putf(&text, "a,b\n%s,x%s", good[i], good[i]);
        putf(&expected, "delimiter , lf 2 columns\n[a][b]\n2: [%s][x%s]\nend\n", good[i], good[i]);
        check(text.text, plainly, expected.text);
        free(text.text);
        free(expected.text);
    }
}

static void test_refuses_nul_bytes(void **state)
{
    (void)state;
    const char *hint = "a NUL byte; convert the file to UTF-8 text; it may be UTF-16\n";
    trace expected = {0};
    putf(&expected, "error t.csv:1: column 1: %s", hint);
    check_bytes("a\0,\0b\0\n\0", 8, plainly, expected.text);
    expected.length = 0;
    putf(&expected, "delimiter , lf 2 columns\n[a][b]\nerror t.csv:2: b: %s", hint);
    check_bytes("a,b\n1,\0\n", 8, plainly, expected.text);
    expected.length = 0;
    putf(&expected, "delimiter , lf 2 columns\n[a][b]\nerror t.csv:3: a: %s", hint);
    check_bytes("a,b\n\"\n\0\",\n", 11, plainly, expected.text);
    expected.length = 0;
    putf(&expected, "delimiter , lf 1 columns\n[a]\nerror t.csv:2: a: %s", hint);
    check_bytes("a\n\0", 3, plainly, expected.text);
    free(expected.text);
}

static void test_shows_long_names_cut(void **state)
{
    (void)state;
    trace text = {0}, expected = {0};
    kanon_error err = KANON_INIT(kanon_error);
    kanon__csv csv;
    bool has_row;
    /* 119 bytes, then a character of two that would end after the 120th */
    for (int i = 0; i < 119; i++)
        put(&text, "n", 1);
    putf(&expected, "t.csv:2: %s...: 2 cells, expected 1", text.text);
    putf(&text, "\xc3\xbc tail\n1,2\n");
    kanon__input input = {.path = path, .bytes = text.text, .size = text.length};
    assert_int_equal(kanon__csv_open(&csv, &input, &(kanon__csv_options){.delimiter = ','}, &err), KANON_OK);
    assert_int_equal(kanon__csv_next(&csv, &has_row, &err), KANON_EDATA);
    assert_string_equal(err.message, expected.text);
    kanon__csv_close(&csv);
    free(text.text);
    free(expected.text);
}

static void test_limits_the_number_of_columns(void **state)
{
    (void)state;
    enum { MOST = 1000000 };
    kanon_error err = KANON_INIT(kanon_error);
    kanon__csv csv;
    bool has_row;
    char *bytes = malloc(MOST + 4);
    assert_non_null(bytes);
    memset(bytes, ',', MOST + 4);
    kanon__input input = {.path = path, .bytes = bytes, .size = MOST};
    kanon__csv_options many = {.no_header = true}, ragged = {.ragged = true};
    assert_int_equal(kanon__csv_open(&csv, &input, &many, &err), KANON_EDATA);
    assert_string_equal(err.message, "t.csv:1: column 1000001: more than 1000000 cells in a row");
    assert_string_equal(err.hint, "check the delimiter and the line ends");
    input.size = MOST - 1;
    assert_int_equal(kanon__csv_open(&csv, &input, &many, &err), KANON_OK);
    assert_int_equal(csv.n_columns, MOST);
    kanon__csv_close(&csv);
    /* a row past the limit is an error; where rows must match the header its cells are counted but take no memory */
    memcpy(bytes, "a,b\n", 4);
    input.size = MOST + 4;
    assert_int_equal(kanon__csv_open(&csv, &input, &ragged, &err), KANON_OK);
    assert_int_equal(kanon__csv_next(&csv, &has_row, &err), KANON_EDATA);
    assert_string_equal(err.message, "t.csv:2: column 1000001: more than 1000000 cells in a row");
    kanon__csv_close(&csv);
    assert_int_equal(kanon__csv_open(&csv, &input, &plainly, &err), KANON_OK);
    assert_int_equal(kanon__csv_next(&csv, &has_row, &err), KANON_EDATA);
    assert_string_equal(err.message, "t.csv:2: b: 1000001 cells, expected 2");
    assert_true(csv.cells_capacity < 100);
    kanon__csv_close(&csv);
    free(bytes);
}

/* 2 GiB that are one small file mapped again and again. */
static void test_limits_the_length_of_cells(void **state)
{
    (void)state;
    const size_t part = (size_t)1 << 24, size = ((size_t)1 << 31) + part;
    FILE *file = tmpfile();
    assert_non_null(file);
    for (size_t i = 0; i < part; i++)
        fputc('x', file);
    fflush(file);
    char *bytes = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (size_t at = 0; bytes != MAP_FAILED && at < size; at += part)
        if (mmap(bytes + at, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fileno(file), 0) == MAP_FAILED)
            bytes = MAP_FAILED;
    fclose(file);
    if (bytes == MAP_FAILED)
        skip();
    memcpy(bytes, "a\n", 2);
    kanon__input input = {.path = path, .bytes = bytes, .size = 2 + (size_t)INT32_MAX};
    kanon_error err = KANON_INIT(kanon_error);
    kanon__csv csv;
    bool has_row;
    assert_int_equal(kanon__csv_open(&csv, &input, &plainly, &err), KANON_OK);
    assert_int_equal(kanon__csv_next(&csv, &has_row, &err), KANON_OK);
    assert_int_equal(csv.cells[0].length, INT32_MAX);
    kanon__csv_close(&csv);
    input.size++;
    assert_int_equal(kanon__csv_open(&csv, &input, &plainly, &err), KANON_OK);
    assert_int_equal(kanon__csv_next(&csv, &has_row, &err), KANON_EDATA);
    assert_string_equal(err.message, "t.csv:2: a: a cell of more than 2147483647 bytes");
    kanon__csv_close(&csv);
    munmap(bytes, size);
}

static void test_rewinds_and_finds_lines(void **state)
{
    (void)state;
    const char *text = "a,b\n\"1\n\n\",2\n3,4\n5,6\n7\n";
    kanon__input input = {.path = path, .bytes = text, .size = strlen(text)};
    kanon_error err = KANON_INIT(kanon_error);
    kanon__csv csv;
    bool has_row;
    assert_int_equal(kanon__csv_open(&csv, &input, NULL, &err), KANON_OK);
    for (int round = 0; round < 2; round++) {
        const int64_t lines[] = {2, 5, 6};
        assert_int_equal(csv.row, -1);
        for (int64_t row = 0; row < 3; row++) {
            assert_int_equal(kanon__csv_next(&csv, &has_row, &err), KANON_OK);
            assert_true(has_row);
            assert_int_equal(csv.row, row);
            assert_int_equal(csv.line, lines[row]);
            assert_int_equal(kanon__csv_fail(&csv, 1, &err, "no %s", "number"), KANON_EDATA);
            char expected[64];
            snprintf(expected, sizeof expected, "t.csv:%lld: b: no number", (long long)lines[row]);
            assert_string_equal(err.message, expected);
        }
        kanon__csv_rewind(&csv);
    }
    kanon__csv_seek(&csv, 12); /* "3,4" */
    assert_int_equal(kanon__csv_next(&csv, &has_row, &err), KANON_OK);
    assert_int_equal(csv.line, 0);
    kanon__csv_fail(&csv, 0, &err, "wrong");
    assert_string_equal(err.message, "t.csv:5: a: wrong");
    assert_int_equal(kanon__csv_next(&csv, &has_row, &err), KANON_OK);
    assert_int_equal(csv.line, 0);
    kanon__csv_fail(&csv, 1, &err, "wrong");
    assert_string_equal(err.message, "t.csv:6: b: wrong");
    assert_int_equal(kanon__csv_next(&csv, &has_row, &err), KANON_EDATA);
    assert_string_equal(err.message, "t.csv:7: b: 1 cell, expected 2");
    kanon__csv_seek(&csv, strlen(text));
    assert_int_equal(kanon__csv_next(&csv, &has_row, &err), KANON_OK);
    assert_false(has_row);
    kanon__csv_close(&csv);
    assert_int_equal(kanon__csv_line_of_row(&input, NULL, 0), 2);
    assert_int_equal(kanon__csv_line_of_row(&input, NULL, 2), 6);
    assert_int_equal(kanon__csv_line_of_row(&input, NULL, 3), 0);
    assert_int_equal(kanon__csv_line_of_row(&input, &headless, 0), 1);
}

#ifdef KANON_TEST_HOOKS
static void test_survives_failed_allocations(void **state)
{
    (void)state;
    const char *text = "a,\"b\"\"\",c\n1,2,3\n1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28\n";
    kanon__input input = {.path = path, .bytes = text, .size = strlen(text)};
    kanon__csv_options ragged = {.ragged = true};
    bool has_row = true;
    int64_t n = 0;
    while (n < 1000) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__csv csv;
        kanon__alloc_fail_at(++n, true);
        kanon_status st = kanon__csv_open(&csv, &input, &ragged, &err);
        for (has_row = true; st == KANON_OK && has_row;)
            st = kanon__csv_next(&csv, &has_row, &err);
        kanon__csv_close(&csv);
        kanon__alloc_fail_at(0, false);
        if (st == KANON_OK)
            break;
        assert_int_equal(st, KANON_ENOMEM);
        assert_int_equal(err.status, KANON_ENOMEM);
    }
    /* cells, slots, names and their texts, the texts in the dictionary, more cells */
    assert_in_range(n, 7, 999);
    kanon__alloc_fail_at(1, true);
    assert_int_equal(kanon__csv_line_of_row(&input, &ragged, 0), 0);
    kanon__alloc_fail_at(0, false);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_cells),
        cmocka_unit_test(test_reads_quoted_cells),
        cmocka_unit_test(test_reads_the_header),
        cmocka_unit_test(test_refuses_empty_files),
        cmocka_unit_test(test_finds_the_delimiter),
        cmocka_unit_test(test_reads_files_without_header),
        cmocka_unit_test(test_reads_ragged_files_with_header),
        cmocka_unit_test(test_refuses_delimiters_that_cannot_be),
        cmocka_unit_test(test_blank_lines),
        cmocka_unit_test(test_lone_carriage_returns),
        cmocka_unit_test(test_names_the_place_of_ragged_rows),
        cmocka_unit_test(test_names_the_place_of_bad_quotes),
        cmocka_unit_test(test_refuses_what_is_not_utf8),
        cmocka_unit_test(test_refuses_nul_bytes),
        cmocka_unit_test(test_shows_long_names_cut),
        cmocka_unit_test(test_limits_the_number_of_columns),
        cmocka_unit_test(test_limits_the_length_of_cells),
        cmocka_unit_test(test_rewinds_and_finds_lines),
#ifdef KANON_TEST_HOOKS
        cmocka_unit_test(test_survives_failed_allocations),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
