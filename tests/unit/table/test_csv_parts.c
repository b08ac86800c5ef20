/* Parts of a CSV file: whatever their size, the rows of all parts are the rows of the file, as they stand there. */
#define _GNU_SOURCE
#include <kanon_blocks.h>

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { N_TABLES = 60, MOST_ROWS = 120, ROOM = 1 << 16 };

static unsigned seed;
static char path[] = "/tmp/kanon-test-parts.XXXXXX";
static kanon_schema *schema;

static unsigned below(unsigned n)
{
    return (unsigned)rand_r(&seed) % n;
}

typedef struct text {
    char bytes[ROOM];
    size_t size;
    int64_t rows;
} text;

static void add(text *t, const char *bytes, size_t size)
{
    assert_true(t->size + size <= sizeof t->bytes);
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
}

static int add_row(int64_t row, const char *bytes, size_t size, void *payload)
{
    text *t = payload;
    (void)row;
    t->rows++;
    add(t, bytes, size);
    return 0;
}

/* One to three columns; cells with quotes, line breaks and nothing in them; blank lines where there is one column. */
static void make_table(text *t, bool header, const char *line_end)
{
    static const char *const cells[] = {"a",   "", "\"x\ny\"", "\"\"\"\"", "\"b,\r\nc\"", "d12", "long text of a cell",
                                        "\"\""};
    unsigned columns = 1 + below(3), rows = 1 + below(MOST_ROWS);
    *t = (text){0};
    for (unsigned i = 0; i < columns && header; i++)
        add(t, (const char *[]){"q", ",r", ",s"}[i], i == 0 ? 1 : 2);
    if (header)
        add(t, line_end, strlen(line_end));
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned i = 0; i < columns; i++) {
            const char *cell = row == 0 ? "z" : cells[below(8)];
            add(t, ",", i > 0);
            add(t, cell, strlen(cell));
        }
        if (row + 1 < rows || below(2))
            add(t, line_end, strlen(line_end));
    }
}

static void write_file(const text *t)
{
    int fd = open(path, O_WRONLY | O_TRUNC);
    assert_true(fd >= 0 && write(fd, t->bytes, t->size) == (ssize_t)t->size);
    close(fd);
}

static void read_parts(text *out, const text *table, const kanon_csv_parts *parts)
{
    int64_t next = parts->header_size;
    *out = (text){0};
    for (size_t i = 0; i < parts->n_parts; i++) {
        text part = {0};
        kanon_table *rows = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(parts->parts[i].offset, next); /* nothing lies between parts */
        next += parts->parts[i].size;
        add(&part, table->bytes, (size_t)parts->header_size);
        add(&part, table->bytes + parts->parts[i].offset, (size_t)parts->parts[i].size);
        const kanon_input input = {.struct_size = sizeof input,
                                   .bytes = part.bytes,
                                   .size = part.size,
                                   .delimiter = parts->delimiter,
                                   .header = parts->header,
                                   .encoding = parts->encoding};
        if (kanon_table_read(&rows, &input, schema, NULL, &err) != KANON_OK)
            fail_msg("%s", err.message);
        assert_int_equal(kanon_table_row_texts(rows, add_row, out, &err), KANON_OK);
        kanon_table_free(rows);
    }
    for (; next < (int64_t)table->size; next++) /* only blank lines at the end are in no part */
        assert_non_null(strchr("\r\n", table->bytes[next]));
}

static void test_rows_of_parts(void **state)
{
    (void)state;
    static text table, whole, parts_text;
    print_message("seed %u\n", seed);
    for (int i = 0; i < N_TABLES; i++) {
        bool header = below(4) > 0;
        kanon_table *rows = NULL;
        kanon_csv_parts *parts = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        const kanon_input input = {.struct_size = sizeof input,
                                   .location = path,
                                   .delimiter = ",",
                                   .header = header ? KANON_HEADER_YES : KANON_HEADER_NO};
        make_table(&table, header, below(2) ? "\n" : "\r\n");
        write_file(&table);
        if (kanon_table_read(&rows, &input, schema, NULL, &err) != KANON_OK)
            fail_msg("%s", err.message);
        whole = (text){0};
        assert_int_equal(kanon_table_row_texts(rows, add_row, &whole, &err), KANON_OK);
        assert_int_equal(whole.rows, kanon_table_rows(rows));
        if (kanon_csv_parts_find(&parts, &input, schema, NULL, 1 + below(below(2) ? 40 : 2000), &err) != KANON_OK)
            fail_msg("%s", err.message);
        read_parts(&parts_text, &table, parts);
        assert_int_equal(parts_text.rows, whole.rows);
        assert_int_equal(parts_text.size, whole.size);
        assert_memory_equal(parts_text.bytes, whole.bytes, whole.size);
        kanon_csv_parts_free(parts);
        kanon_table_free(rows);
    }
}

static int stop(int64_t row, const char *bytes, size_t size, void *payload)
{
    (void)bytes;
    (void)size;
    (void)payload;
    return row == 1;
}

static void test_refusals(void **state)
{
    (void)state;
    static text table;
    kanon_csv_parts *parts = NULL;
    kanon_table *rows = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_input input = {.struct_size = sizeof input, .location = path};
    table = (text){0};
    add(&table, "q\0\n\0r\0\n\0s\0\n\0", 12);
    write_file(&table);
    input.encoding = "utf-16le";
    assert_int_equal(kanon_csv_parts_find(&parts, &input, schema, NULL, 1, &err), KANON_EINVAL);
    assert_non_null(strstr(err.message, "only a file of UTF-8 text"));
    table = (text){0};
    add(&table, "q;\"r\ns\"\nx;w\ny;z\n", 16); /* the header has two lines */
    write_file(&table);
    input.encoding = NULL;
    assert_int_equal(kanon_csv_parts_find(&parts, &input, schema, NULL, 1, &err), KANON_OK);
    assert_int_equal(parts->header_size, 8);
    assert_string_equal(parts->delimiter, ";");
    assert_int_equal(parts->n_parts, 2);
    assert_string_equal(parts->encoding, "utf-8");
    kanon_csv_parts_free(parts);
    assert_int_equal(kanon_table_read(&rows, &input, schema, NULL, &err), KANON_OK);
    assert_int_equal(kanon_table_row_texts(rows, stop, NULL, &err), KANON_ECANCELLED);
    kanon_table_free(rows);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_parts),
        cmocka_unit_test(test_refusals),
    };
    kanon_error err = KANON_INIT(kanon_error);
    seed = argc > 1 ? (unsigned)atoi(argv[1]) : (unsigned)time(NULL);
    close(mkstemp(path));
    if (kanon_schema_new(&schema, NULL, &err) != KANON_OK ||
        kanon_schema_set(schema, NULL, "default-role", "quasi", &err) != KANON_OK)
        return 1;
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    kanon_schema_free(schema);
    unlink(path);
    return failures;
}
