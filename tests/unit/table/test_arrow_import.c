/* Tables from Arrow streams: what becomes of each type in each shape, what is refused, and who releases what. */
#include "arrow_producer.h"
#include "core/alloc.h"
#include "core/random.h"
#include "core/text.h"
#include "support.h"
#include "table/read/arrow_source.h"
#include "table/read/arrow_text.h"
#include "table/read/table.h"
#include "table/value/number.h"
#include "verify/arrow_cells.h"
#include "verify/verify.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#define CELLS(...) ((const char *const[]){__VA_ARGS__})
#define N_OF(array) (sizeof(array) / sizeof(array)[0])

/* ---- reading ---------------------------------------------------------------------------------------------------------- */

static kanon_schema *schema_of(const char *yaml)
{
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    place path = scratch("s.yaml");
    write_text(path.text, yaml);
    assert_done(kanon_schema_read(&schema, KANON_PATH(path.text), NULL, &err), &err);
    return schema;
}

static void assert_released(const arrow_counts *counts)
{
    assert_int_equal(counts->released_streams, counts->streams);
    assert_int_equal(counts->released_schemas, counts->schemas);
    assert_int_equal(counts->released_arrays, counts->arrays);
}

static kanon_status import(kanon_table **out, const char *yaml, const arrow_table *table, const arrow_layout *layout,
                           arrow_counts *counts, kanon_error *err)
{
    struct ArrowArrayStream stream;
    kanon_schema *schema = schema_of(yaml);
    arrow_produce(&stream, table, layout, counts);
    kanon_status st = kanon_table_read(out, KANON_STREAM(&stream), schema, NULL, err);
    assert_null(stream.release);
    assert_true((st == KANON_OK) == (*out != NULL));
    kanon_schema_free(schema);
    return st;
}

/* All shapes that a table can come in. */
static const arrow_layout layouts[] = {
    {0},
    {.batch_rows = 1},
    {.batch_rows = 2, .unknown_nulls = true, .always_validity = true},
    {.array_offset = 3, .rows_behind = 2},
    {.batch_offset = 5, .batch_rows = 3, .batch_validity = true},
    {.array_offset = 9, .batch_offset = 2, .unaligned = true, .always_validity = true, .rows_behind = 1},
    {.empty_batches = true, .batch_rows = 2, .odd_dictionary = true, .unknown_nulls = true},
    {.odd_dictionary = true, .array_offset = 1, .unaligned = true},
};

/* Column x of some rows: the type that it gets, and the text of each row; NULL: missing. */
typedef struct type_case {
    const char *format, *entry_format;
    kanon_type type;
    const char *const *cells, *const *texts;
    int64_t n;
} type_case;

#define CASE(format, entry, type, cells, ...)                                                                               \
    {format, entry, type, cells, (const char *const[]){__VA_ARGS__}, N_OF(((const char *const[]){__VA_ARGS__}))}

static const type_case type_cases[] = {
    CASE("b", NULL, KANON_TYPE_CATEGORICAL, CELLS("1", NULL, "0", "1"), "true", NULL, "false", "true"),
    CASE("c", NULL, KANON_TYPE_INTEGER, CELLS("-128", "127", NULL, "0"), "-128", "127", NULL, "0"),
    CASE("C", NULL, KANON_TYPE_INTEGER, CELLS("255", "0", "128"), "255", "0", "128"),
    CASE("s", NULL, KANON_TYPE_INTEGER, CELLS("-32768", "32767", NULL), "-32768", "32767", NULL),
    CASE("S", NULL, KANON_TYPE_INTEGER, CELLS("65535", "1", "1"), "65535", "1", "1"),
    CASE("i", NULL, KANON_TYPE_INTEGER, CELLS("-2147483648", "2147483647", "5", NULL, "5"), "-2147483648", "2147483647", "5",
         NULL, "5"),
    CASE("I", NULL, KANON_TYPE_INTEGER, CELLS("4294967295", "7"), "4294967295", "7"),
    CASE("l", NULL, KANON_TYPE_INTEGER, CELLS("-9223372036854775808", NULL, "-1"), "-9223372036854775808", NULL, "-1"),
    CASE("l", NULL, KANON_TYPE_INTEGER, CELLS("1000000000000", "1000000000003"), "1000000000000", "1000000000003"),
    CASE("L", NULL, KANON_TYPE_DECIMAL, CELLS("18446744073709551615", "3"), "18446744073709551615", "3"),
    CASE("f", NULL, KANON_TYPE_DECIMAL, CELLS("0.1", "nan", "16777216", "3.4028235e38", "-0", "0", NULL, "1e-45"), "0.1",
         NULL, "16777216", "3.4028235e+38", "0", "0", NULL, "1e-45"),
    CASE("g", NULL, KANON_TYPE_DECIMAL, CELLS("0.1", "-nan", "-0", "2.5", "1e300", "0", "0.30000000000000004"), "0.1", NULL,
         "0", "2.5", "1e+300", "0", "0.30000000000000004"),
    CASE("g", NULL, KANON_TYPE_INTEGER, CELLS("3", "-4", NULL), "3", "-4", NULL),
    CASE("d:9,2", NULL, KANON_TYPE_DECIMAL, CELLS("150", "-5", "0", NULL), "1.50", "-0.05", "0.00", NULL),
    CASE("d:38,0,128", NULL, KANON_TYPE_DECIMAL, CELLS("99999999999999999999999999999999999999", "-1"),
         "99999999999999999999999999999999999999", "-1"),
    CASE("d:38,0", NULL, KANON_TYPE_DECIMAL, CELLS("18446744073709551616", "0", "36893488147419103232", "0"),
         "18446744073709551616", "0", "36893488147419103232", "0"),
    CASE("d:5,-3", NULL, KANON_TYPE_INTEGER, CELLS("12", "0", "-7"), "12000", "0", "-7000"),
    CASE("u", NULL, KANON_TYPE_CATEGORICAL, CELLS("b", "", NULL, "a\"b,\n", "b", "z\xc3\xbcrich and more"), "b", "", NULL,
         "a\"b,\n", "b", "z\xc3\xbcrich and more"),
    CASE("u", NULL, KANON_TYPE_CATEGORICAL, CELLS("7", "11", NULL), "7", "11", NULL),
    CASE("U", NULL, KANON_TYPE_CATEGORICAL, CELLS("b", NULL, "aa", "b"), "b", NULL, "aa", "b"),
    CASE("vu", NULL, KANON_TYPE_CATEGORICAL,
         CELLS("short", NULL, "exactly 12 b", "longer than that", "", "another long one", "longer than that"), "short", NULL,
         "exactly 12 b", "longer than that", "", "another long one", "longer than that"),
    CASE("tdD", NULL, KANON_TYPE_DATE, CELLS("0", "-1", NULL, "19753", "-719162", "2932896"), "1970-01-01", "1969-12-31",
         NULL, "2024-01-31", "0001-01-01", "9999-12-31"),
    CASE("tdm", NULL, KANON_TYPE_DATE, CELLS("86400000", "-86400000", "1709164800000"), "1970-01-02", "1969-12-31",
         "2024-02-29"),
    CASE("tss:", NULL, KANON_TYPE_DATE, CELLS("1706706300", NULL, "-1"), "2024-01-31T13:05:00", NULL,
         "1969-12-31T23:59:59"),
    CASE("tsm:", NULL, KANON_TYPE_DATE, CELLS("1706706300250", "1706706300000"), "2024-01-31T13:05:00.250",
         "2024-01-31T13:05:00"),
    CASE("tsu:Europe/Zurich", NULL, KANON_TYPE_DATE, CELLS("1706706300000001", "0"), "2024-01-31T13:05:00.000001Z",
         "1970-01-01T00:00:00Z"),
    CASE("tsn:UTC", NULL, KANON_TYPE_DATE, CELLS("-9223372036000000000", "1", "1000000"),
         "1677-09-21T00:12:44Z", "1970-01-01T00:00:00.000000001Z", "1970-01-01T00:00:00.001Z"),
    CASE("n", NULL, KANON_TYPE_CATEGORICAL, CELLS(NULL, NULL), NULL, NULL),
    CASE("c", "u", KANON_TYPE_CATEGORICAL, CELLS("10", "9", NULL, "10", "11", "9"), "10", "9", NULL, "10", "11", "9"),
    CASE("L", "vu", KANON_TYPE_CATEGORICAL, CELLS("x", "a text of some length", "x", NULL), "x", "a text of some length",
         "x", NULL),
    CASE("S", "l", KANON_TYPE_CATEGORICAL, CELLS("-5", "6", NULL, "-5"), "-5", "6", NULL, "-5"),
    CASE("i", "g", KANON_TYPE_CATEGORICAL, CELLS("0.5", "nan", "0.5", "0", "-0"), "0.5", NULL, "0.5", "0", "0"),
    CASE("C", "tdm", KANON_TYPE_CATEGORICAL, CELLS("0", NULL, "86400000"), "1970-01-01", NULL, "1970-01-02"),
    CASE("s", "b", KANON_TYPE_CATEGORICAL, CELLS("1", "0", "1"), "true", "false", "true"),
    CASE("I", "d:4,1", KANON_TYPE_CATEGORICAL, CELLS("15", "15", NULL), "1.5", "1.5", NULL),
};

static void assert_row(const kanon__column *column, int64_t row, const char *expected, const char *what)
{
    uint32_t code = kanon__code_at(column->codes, row);
    size_t length;
    if ((code == column->domain->missing_code) != (expected == NULL))
        fail_msg("%s, row %lld: missing or not", what, (long long)row);
    if (expected == NULL)
        return;
    const char *text = kanon__column_text(column, code, &length);
    if (!kanon__same_value(text, length, expected, strlen(expected)))
        fail_msg("%s, row %lld: '%.*s', not '%s'", what, (long long)row, (int)length, text, expected);
}

/* Every cell that a cursor gives, as CSV says it, and the check's own reading of it. */
static void assert_cells(const kanon_table *table, int column, const char *const *expected, const char *what)
{
    kanon__cursor *cursor = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    bool has_row = false;
    const kanon__source *source = table->source;
    const kanon__arrow_source *arrow = kanon__arrow_source_of(source);
    assert_non_null(arrow);
    assert_done(source->class->open(&cursor, source, &err), &err);
    for (int64_t i = 0; i < 2 * source->n_rows; i++) { /* forwards, then each row by itself */
        int64_t row = i < source->n_rows ? i : 2 * source->n_rows - 1 - i;
        if (i >= source->n_rows)
            source->class->seek(cursor, row, NULL);
        assert_done(source->class->next(cursor, &has_row, &err), &err);
        assert_true(has_row);
        kanon__cell *cell = &cursor->cells[column];
        char text[256];
        assert_true(cell->length < sizeof text);
        size_t length = kanon__csv_unescape(text, cell);
        if (cell->null != (expected[row] == NULL) || length != (expected[row] != NULL ? strlen(expected[row]) : 0) ||
            (length > 0 && memcmp(text, expected[row], length) != 0))
            fail_msg("%s, row %lld: the cell is '%.*s'", what, (long long)row, (int)length, text);
        if (!kanon__arrow_cells_match(arrow, row, cursor->cells))
            fail_msg("%s, row %lld: the check reads another value", what, (long long)row);
        cell->null = !cell->null; /* what is not there, is, and the other way round */
        assert_false(kanon__arrow_cells_match(arrow, row, cursor->cells));
        cell->null = !cell->null;
    }
    source->class->seek(cursor, source->n_rows, NULL);
    assert_done(source->class->next(cursor, &has_row, &err), &err);
    assert_false(has_row);
    source->class->close(cursor);
}

static void every_type_in_every_layout(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(type_cases); i++)
        for (size_t l = 0; l < N_OF(layouts); l++) {
            const type_case *t = &type_cases[i];
            const arrow_field fields[] = {{"other", "l", NULL, CELLS("1", "2", "3", "4", "5", "6", "7", "8")},
                                          {"x", t->format, t->entry_format, t->cells}};
            const arrow_table made = {2, fields, t->n};
            arrow_counts counts = {0};
            kanon_table *table = NULL;
            kanon_error err = KANON_INIT(kanon_error);
            char what[64];
            snprintf(what, sizeof what, "%s of %s, layout %zu", t->format, t->entry_format != NULL ? t->entry_format : "-",
                     l);
            kanon_status st = import(&table, "empty: value\nattributes: {x: {role: quasi}, other: {role: insensitive}}\n",
                                     &made,
                                     &layouts[l], &counts, &err);
            if (st != KANON_OK)
                fail_msg("%s: %s", what, err.message);
            assert_int_equal(table->data.n_rows, t->n);
            if (table->data.columns[1].domain->type != t->type)
                fail_msg("%s: type %d", what, (int)table->data.columns[1].domain->type);
            for (int64_t row = 0; row < t->n; row++)
                assert_row(&table->data.columns[1], row, t->texts[row], what);
            assert_cells(table, 1, t->texts, what);
            assert_int_equal(counts.released_streams, 1);
            kanon_table_free(table);
            assert_released(&counts);
            assert_no_leak();
        }
}

/* Texts are numbered by first appearance: the codes that a domain starts from. */
static void texts_come_in_order(void **state)
{
    const arrow_field fields[] = {{"x", "l", NULL, CELLS("900", NULL, "-4", "900", "7000000000", "-4", NULL)},
                                  {"y", "C", "u", CELLS("q", "p", "q", NULL, "a", "p", "a")}};
    const arrow_table made = {2, fields, 7};
    static const uint32_t x[] = {0, 1, 2, 0, 3, 2, 1}, y[] = {0, 1, 0, 2, 3, 1, 3};
    static const char *const x_texts[] = {"900", "", "-4", "7000000000"}, *const y_texts[] = {"q", "p", "", "a"};
    (void)state;
    for (size_t l = 0; l < N_OF(layouts); l++) {
        struct ArrowArrayStream stream;
        arrow_counts counts = {0};
        kanon_error err = KANON_INIT(kanon_error);
        kanon__source *source = NULL;
        kanon__dictionary texts[2] = {{0}};
        kanon__codes codes[2] = {{0}};
        uint32_t null_codes[2];
        kanon__raw_columns raw = {.wanted = (const int[]){0, 1}, .n_wanted = 2, .dictionaries = texts, .codes = codes,
                                  .null_codes = null_codes, .threads = 2};
        arrow_produce(&stream, &made, &layouts[l], &counts);
        assert_done(kanon__arrow_source_new(&source, &stream, NULL, &err), &err);
        assert_done(source->class->read(source, &raw, &err), &err);
        assert_int_equal(null_codes[0], 1);
        assert_int_equal(null_codes[1], 2);
        for (int64_t row = 0; row < 7; row++) {
            assert_int_equal(kanon__code_at(codes[0], row), x[row]);
            assert_int_equal(kanon__code_at(codes[1], row), y[row]);
        }
        for (int column = 0; column < 2; column++) {
            assert_int_equal(texts[column].n, 4);
            for (uint32_t code = 0; code < 4; code++) {
                size_t length;
                const char *text = kanon__dictionary_text(&texts[column], code, &length);
                const char *expected = column == 0 ? x_texts[code] : y_texts[code];
                assert_int_equal(length, strlen(expected));
                assert_memory_equal(text, expected, length);
            }
            kanon__dictionary_clear(&texts[column]);
            kanon__codes_clear(&codes[column]);
        }
        kanon__source_free(source);
        assert_released(&counts);
    }
}

/* Null is a text that no value has, whichever comes first. */
static void null_is_no_value(void **state)
{
    const struct {
        const char *const *cells;
        const char *text;
    } cases[] = {{CELLS(NULL, "a", "NA", "b"), ""},
                 {CELLS(NULL, "a", "", "b"), "NULL"},
                 {CELLS("", "NULL", NULL, "NA"), "null"},
                 {CELLS("NULL", "", NULL, "b"), "NA"},
                 {CELLS(NULL, "a", "  ", "b"), "NULL"}, /* white space at the ends does not count */
                 {CELLS(" NULL", "\xc2\xa0", NULL, "b"), "NA"}};
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const arrow_field field = {"x", "u", NULL, cases[i].cells};
        const arrow_table made = {1, &field, 4};
        arrow_counts counts = {0};
        kanon_error err = KANON_INIT(kanon_error);
        kanon_table *table = NULL;
        assert_done(import(&table, "empty: value\nattributes: {x: {role: quasi}}\n", &made, NULL, &counts, &err), &err);
        const kanon__domain *domain = table->data.columns[0].domain;
        size_t length;
        const char *text = kanon__domain_text(domain, domain->missing_code, &length);
        assert_int_equal(length, strlen(cases[i].text));
        assert_memory_equal(text, cases[i].text, length);
        assert_true(domain->missing_is_null);
        for (int64_t row = 0; row < 4; row++)
            assert_int_equal(kanon__code_at(table->data.columns[0].codes, row) == domain->missing_code,
                             cases[i].cells[row] == NULL);
        kanon_table_free(table);
        assert_released(&counts);
    }
}

/* Both zeros have one key, so that there is one entry for them however often they alternate. */
static void zeros_are_one_value(void **state)
{
    enum { N = 5000 };
    const char *cells[N];
    (void)state;
    for (int i = 0; i < N; i++)
        cells[i] = i % 2 == 0 ? "-0" : "0";
    const arrow_field field = {"x", "g", NULL, cells};
    const arrow_table made = {1, &field, N};
    arrow_counts counts = {0};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = NULL;
    alarm(60); /* a hash table that is full of zeros is searched for ever */
    assert_done(import(&table, "empty: value\nattributes: {x: {role: quasi}}\n", &made, NULL, &counts, &err), &err);
    alarm(0);
    assert_int_equal(table->data.columns[0].domain->n_codes, 1);
    kanon_table_free(table);
}

/* More values than a byte, or two, can number: by value, and by hash; the codes come back as they went in. */
static void many_values(void **state)
{
    enum { N = 70000 };
    char(*near)[24] = malloc(N * sizeof *near), (*far)[24] = malloc(N * sizeof *far);
    const char **near_cells = malloc(N * sizeof *near_cells), **far_cells = malloc(N * sizeof *far_cells);
    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(near[i], sizeof near[i], "%d", (i * 37) % N - 1000); /* 37 and N have no common divisor */
        snprintf(far[i], sizeof far[i], "%lld", (long long)((i * 37) % N) * 1000000007);
        near_cells[i] = near[i];
        far_cells[i] = far[i];
    }
    const arrow_field fields[] = {{"near", "i", NULL, near_cells}, {"far", "l", NULL, far_cells},
                                  {"coded", "i", "l", far_cells}};
    const arrow_table made = {2, fields, N}; /* the dictionary would take the producer too long */
    const arrow_layout layout = {.batch_rows = 999};
    arrow_counts counts = {0};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = NULL;
    assert_done(import(&table, "default-role: insensitive\nattributes: {near: {role: quasi}, far: {role: sensitive}}\n",
                       &made, &layout, &counts, &err),
                &err);
    for (int column = 0; column < 2; column++)
        for (int64_t row = 0; row < N; row++)
            assert_int_equal(kanon__code_at(table->data.columns[column].codes, row), (row * 37) % N);
    assert_int_equal(table->source->n_parts, 2);
    assert_int_equal(table->source->part_rows[1], 65536);
    kanon_table_free(table);
    assert_released(&counts);
    free(far_cells);
    free(near_cells);
    free(far);
    free(near);
}

/* ---- texts of numbers ------------------------------------------------------------------------------------------------- */

static void assert_float32(float value, const char *expected)
{
    char text[KANON__ARROW_TEXT_SIZE];
    size_t length = kanon__arrow_print_float32(text, value);
    if (length != strlen(expected) || memcmp(text, expected, length) != 0)
        fail_msg("'%.*s', not '%s'", (int)length, text, expected);
}

static void floats_are_as_short_as_can_be(void **state)
{
    uint64_t seed = test_seed();
    kanon__random random;
    (void)state;
    assert_float32(0.1f, "0.1");
    assert_float32(1.0f / 3, "0.33333334");
    assert_float32(16777216, "16777216");
    assert_float32(8388607.5f, "8388607.5");
    assert_float32(1e10f, "10000000000");
    assert_float32(-3.14f, "-3.14");
    assert_float32(1.17549435e-38f, "1.1754944e-38");
    kanon__random_init(&random, seed, 0);
    for (int i = 0; i < 20000; i++) {
        uint32_t bits = (uint32_t)kanon__random_next(&random);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char text[KANON__ARROW_TEXT_SIZE], shorter[KANON__ARROW_TEXT_SIZE];
        size_t length = kanon__arrow_print_float32(text, value);
        text[length] = '\0';
        assert_true(strtof(text, NULL) == value);
        int n_digits = 0; /* one digit less would not do */
        for (const char *at = text; *at != '\0' && *at != 'e'; at++)
            n_digits += *at >= '0' && *at <= '9' && (n_digits > 0 || *at != '0');
        if (strchr(text, '.') == NULL || n_digits < 2)
            continue;
        snprintf(shorter, sizeof shorter, "%.*e", n_digits - 2, (double)value);
        if (strtof(shorter, NULL) == value)
            fail_msg("%s is not the shortest text, %s", text, shorter);
    }
}

/* The short way prints what kanon__format_double prints. */
static void short_doubles_are_the_same(void **state)
{
    uint64_t seed = test_seed();
    kanon__random random;
    static const double scales[] = {1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 3, 7e-5};
    (void)state;
    kanon__random_init(&random, seed, 0);
    for (int i = 0; i < 40000; i++) {
        uint64_t bits = kanon__random_next(&random);
        double value = (double)(int64_t)(bits >> (bits % 60)) / scales[i % 10];
        char text[KANON__ARROW_TEXT_SIZE], expected[KANON__NUMBER_TEXT];
        value = i % 3 == 0 ? -value : value;
        size_t length = kanon__arrow_print_float64(text, value);
        assert_int_equal(length, kanon__format_double(expected, value));
        assert_memory_equal(text, expected, length);
    }
}

/* Every day of some thousand years against the C library. */
static void dates_are_those_of_the_calendar(void **state)
{
    (void)state;
    for (int64_t day = -719162; day <= 2932896; day += 13) {
        time_t seconds = (time_t)(day * 86400 + 3661);
        struct tm parts;
        char text[KANON__ARROW_TEXT_SIZE], expected[64];
        assert_non_null(gmtime_r(&seconds, &parts));
        snprintf(expected, sizeof expected, "%04d-%02d-%02dT01:01:01", parts.tm_year + 1900, parts.tm_mon + 1,
                 parts.tm_mday);
        size_t length = kanon__arrow_print_timestamp(text, seconds, 1, false);
        assert_int_equal(length, 19);
        assert_memory_equal(text, expected, 19);
    }
    char text[KANON__ARROW_TEXT_SIZE];
    assert_int_equal(kanon__arrow_print_date(text, 2932897), 13);
    assert_memory_equal(text, "+010000-01-01", 13);
    assert_int_equal(kanon__arrow_print_date(text, -719163), 10);
    assert_memory_equal(text, "0000-12-31", 10);
    assert_int_equal(kanon__arrow_print_date(text, -719529), 13);
    assert_memory_equal(text, "-000001-12-31", 13);
}

/* What no domain would take is kept in columns that are not encoded, and the check reads it back. */
static void extremes_are_kept(void **state)
{
    static const char *const days[] = {"2932897", "-719529", "2147483647", "-2147483648"};
    static const char *const instants[] = {"9223372036854775807", "-9223372036854775808", "-62135596801", "253402300800"};
    static const char *const reals[] = {"inf", "-inf", "nan", "1e-320"};
    static const char *const real_texts[] = {"inf", "-inf", NULL, "1e-320"};
    static const char *const decimals[] = {"-99999999999999999999999999999999999999", "1", "0", "-1"};
    static const char *const day_texts[] = {"+010000-01-01", "-000001-12-31", "+5881580-07-11", "-5877641-06-23"};
    const arrow_field fields[] = {{"q", "c", NULL, CELLS("1", "2", "3", "4")}, {"day", "tdD", NULL, days},
                                  {"at", "tss:", NULL, instants}, {"real", "g", NULL, reals},
                                  {"low", "d:38,38", NULL, decimals}, {"high", "d:38,-38", NULL, decimals}};
    const arrow_table made = {6, fields, 4};
    arrow_counts counts = {0};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = NULL;
    (void)state;
    assert_done(import(&table, "default-role: insensitive\nattributes: {q: {role: quasi}}\n", &made, NULL, &counts, &err),
                &err);
    assert_cells(table, 1, day_texts, "day");
    assert_cells(table, 3, real_texts, "real");
    kanon_table_free(table);
    assert_released(&counts);
}

/* ---- what is refused -------------------------------------------------------------------------------------------------- */

static kanon_status import_column(const char *yaml, const arrow_field *field, int64_t n, const arrow_layout *layout,
                                  kanon_error *err)
{
    const arrow_table made = {1, field, n};
    arrow_counts counts = {0};
    kanon_table *table = NULL;
    kanon_status st = import(&table, yaml, &made, layout, &counts, err);
    kanon_table_free(table);
    assert_released(&counts);
    assert_no_leak();
    return st;
}

static void set_format(struct ArrowSchema *schema, void *payload)
{
    struct ArrowSchema *column = schema->children[0];
    free((char *)column->format);
    column->format = payload != NULL ? strdup(payload) : NULL;
}

static void other_types_are_named(void **state)
{
    static const char *const cases[][2] = {
        {"e", "half float"},       {"z", "binary"},         {"Z", "large binary"},  {"vz", "binary view"},
        {"w:16", "fixed-size binary"}, {"ttm", "time"},     {"tDs", "duration"},    {"tiM", "interval"},
        {"+l", "list"},            {"+L", "large list"},    {"+vl", "list view"},   {"+vL", "large list view"},
        {"+w:3", "fixed-size list"},   {"+s", "struct"},    {"+m", "map"},          {"+ud:0,1", "dense union"},
        {"+us:0,1", "sparse union"},   {"+r", "run-end encoded"}, {"d:40,2,256", "decimal256"}, {"d:9,2,64", "decimal64"},
        {"d:39,2", "decimal128 with more than 38 digits"}, {"d:9", "decimal of another form"}, {"tsx:", "unknown"},
        {"", "unknown"},           {"uu", "unknown"}};
    const arrow_field field = {"pain", "i", NULL, CELLS("1", "2")};
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        arrow_layout layout = {.spoil_schema = set_format, .payload = (void *)cases[i][0]};
        kanon_error err = KANON_INIT(kanon_error);
        char expected[128];
        snprintf(expected, sizeof expected, "column pain has the type %s", cases[i][1]);
        assert_int_equal(import_column("default-role: insensitive\nattributes: {pain: {role: quasi}}\n", &field, 2, &layout,
                                       &err), KANON_EDATA);
        assert_holds(err.message, expected);
        assert_holds(err.hint, "cast it to");
    }
    const arrow_field nested = {"pain", "i", "+l", CELLS(NULL, NULL)}, odd_index = {"pain", "g", "u", CELLS(NULL, NULL)};
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(import_column("default-role: insensitive\nattributes: {pain: {role: quasi}}\n", &nested, 0, NULL, &err),
                     KANON_EDATA);
    assert_holds(err.message, "has the type list");
    assert_int_equal(import_column("default-role: insensitive\nattributes: {pain: {role: quasi}}\n", &odd_index, 0, NULL,
                                   &err), KANON_EDATA);
    assert_holds(err.message, "indices that are no integers");
    arrow_layout none = {.spoil_schema = set_format};
    const arrow_field plain = {"pain", "i", NULL, CELLS("1")};
    assert_int_equal(import_column("default-role: insensitive\nattributes: {pain: {role: quasi}}\n", &plain, 1, &none, &err),
                     KANON_EDATA);
    assert_holds(err.message, "no type");
}

/* What is never released is never read, whatever it is: only a role that reads it asks for a type. */
static void identifying_columns_have_any_type(void **state)
{
    static const char *const formats[] = {"e", "z", "vz", "w:16", "ttm", "tDs", "+l", "+s", "+ud:0,1", "d:40,2,256", "uu"};
    static const char *const schemas[] = {"attributes: {pain: {role: identifying}, x: quasi}\n", "attributes: {x: quasi}\n",
                                          "attributes: {pain: insensitive, x: quasi}\n",
                                          "attributes: {x: quasi}\nentity: pain\n", "attributes: {x: quasi}\nkey: [pain]\n"};
    const arrow_field fields[] = {{"pain", "i", NULL, CELLS("1", "2", NULL)}, {"x", "i", NULL, CELLS("3", "4", "4")}};
    (void)state;
    for (size_t i = 0; i < N_OF(formats); i++)
        for (size_t s = 0; s < N_OF(schemas); s++)
            for (size_t l = 0; l < N_OF(layouts); l++) {
                arrow_layout layout = layouts[l];
                kanon_table *table = NULL;
                arrow_counts counts = {0};
                kanon_error err = KANON_INIT(kanon_error);
                layout.spoil_schema = set_format;
                layout.payload = (void *)formats[i];
                kanon_status st = import(&table, schemas[s], &(arrow_table){2, fields, 3}, &layout, &counts, &err);
                assert_int_equal(st, s < 2 ? KANON_OK : KANON_EDATA);
                if (s >= 2)
                    assert_holds(err.message, "column pain has the type");
                else
                    assert_cells(table, 1, (const char *const[]){"3", "4", "4"}, "x");
                kanon_table_free(table);
                assert_released(&counts);
            }
}

static void values_out_of_range(void **state)
{
    static const struct {
        const char *format, *entry_format, *cells[2], *message;
    } cases[] = {
        {"g", NULL, {"1", "inf"}, "Arrow stream: row 2: x: an infinite number"},
        {"f", NULL, {"-inf", "1"}, "Arrow stream: row 1: x: an infinite number"},
        {"c", "g", {"1", "-inf"}, "Arrow stream: row 2: x: an infinite number"},
        {"tdm", NULL, {"86400000", "86400001"}, "Arrow stream: row 2: x: a date64 that is not a whole day"},
        {"c", "tdm", {"5", "0"}, "Arrow stream: x: a date64 that is not a whole day"},
        {"tdD", NULL, {"2932896", "2932897"}, "Arrow stream: row 2: x: a date outside the years 1 to 9999"},
        {"tdD", NULL, {"-719163", "0"}, "Arrow stream: row 1: x: a date outside the years 1 to 9999"},
        {"u", NULL, {"a", "\xc3"}, "Arrow stream: row 2: x: not UTF-8"},
        {"U", NULL, {"\xed\xa0\x80", "b"}, "Arrow stream: row 1: x: not UTF-8"},
        {"vu", NULL, {"a", "more than twelve \xff"}, "Arrow stream: row 2: x: not UTF-8"},
        {"c", "u", {"a", "\xc3"}, "Arrow stream: x: entry 2 of the dictionary: not UTF-8"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++)
        for (int rows = 0; rows <= 2; rows++) {
            const arrow_field field = {"x", cases[i].format, cases[i].entry_format, cases[i].cells};
            arrow_layout layout = {.batch_rows = rows == 1 && cases[i].entry_format == NULL ? 1 : 0, .array_offset = rows};
            kanon_error err = KANON_INIT(kanon_error);
            assert_int_equal(import_column("default-role: insensitive\nattributes: {x: {role: quasi}}\n", &field, 2, &layout,
                                           &err), KANON_EDATA);
            assert_string_equal(err.message, cases[i].message);
        }
}

/* Two texts of one column that are UTF-8 only together. */
static void characters_end_in_their_text(void **state)
{
    const arrow_field field = {"x", "u", NULL, CELLS("a\xc3", "\xbc")};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    assert_int_equal(import_column("default-role: insensitive\nattributes: {x: {role: quasi}}\n", &field, 2, NULL, &err),
                     KANON_EDATA);
    assert_holds(err.message, "row 1: x: not UTF-8");
}

typedef enum damage {
    NEGATIVE_LENGTH,
    LONG_LENGTH,
    NEGATIVE_OFFSET,
    HUGE_OFFSET,
    FEW_BUFFERS,
    MANY_BUFFERS,
    NO_BUFFER_LIST,
    NO_VALUES,
    MANY_NULLS,
    NULLS_UNSEEN,
    CHILDREN,
    DICTIONARY,
    RELEASED_CHILD,
    SHORT_COLUMN,
    BATCH_LENGTH,
    BATCH_OFFSET,
    FEW_COLUMNS,
    NO_COLUMNS,
    BATCH_BUFFERS,
    NULL_ROWS,
    NULL_ROWS_UNSEEN,
    N_DAMAGES
} damage;

static void damage_column(struct ArrowArray *x, damage which)
{
    static struct ArrowArray stranger;
    static struct ArrowArray *strangers[] = {&stranger};
    x->length = which == NEGATIVE_LENGTH ? -1 : which == LONG_LENGTH ? INT64_MAX : x->length - (which == SHORT_COLUMN);
    x->offset = which == NEGATIVE_OFFSET ? -1 : which == HUGE_OFFSET ? INT64_MAX : x->offset;
    x->n_buffers += (which == MANY_BUFFERS) - (which == FEW_BUFFERS);
    x->null_count = which == MANY_NULLS ? x->length + 1 : which == NULLS_UNSEEN ? 1 : x->null_count;
    if (which == NO_VALUES)
        x->buffers[1] = NULL;
    if (which == NO_BUFFER_LIST)
        x->buffers = NULL;
    if (which == CHILDREN) {
        x->n_children = 1;
        x->children = strangers;
    }
    if (which == DICTIONARY)
        x->dictionary = &stranger;
    if (which == RELEASED_CHILD)
        x->release(x);
}

static void damage_batch(struct ArrowArray *batch, int64_t number, void *payload)
{
    damage which = *(const damage *)payload;
    (void)number;
    damage_column(batch->children[0], which);
    batch->length = which == BATCH_LENGTH ? -3 : batch->length;
    batch->offset = which == BATCH_OFFSET ? INT64_MAX : batch->offset;
    batch->n_children -= which == FEW_COLUMNS;
    batch->n_buffers += which == BATCH_BUFFERS;
    if (which == NO_COLUMNS)
        batch->children = NULL;
    if (which == NULL_ROWS) {
        batch->null_count = -1;
        batch->buffers[0] = "\3"; /* the third row of three is null */
    }
    if (which == NULL_ROWS_UNSEEN)
        batch->null_count = 1;
}

static void broken_arrays_are_refused(void **state)
{
    static const char out_of_range[] = "column x: a length or an offset out of range";
    static const char batch_range[] = "Arrow stream: a batch with a length or an offset out of range";
    static const char other_columns[] = "Arrow stream: a batch with another number of columns than the schema";
    static const char null_rows[] = "Arrow stream: a batch with rows that are null as a whole";
    static const char *const messages[N_DAMAGES] = {
        [NEGATIVE_LENGTH] = out_of_range,
        [LONG_LENGTH] = out_of_range,
        [NEGATIVE_OFFSET] = out_of_range,
        [HUGE_OFFSET] = out_of_range,
        [FEW_BUFFERS] = "column x: another number of buffers than the type has",
        [MANY_BUFFERS] = "column x: another number of buffers than the type has",
        [NO_BUFFER_LIST] = "column x: no list of buffers",
        [NO_VALUES] = "column x: no buffer of values",
        [MANY_NULLS] = "column x: a number of nulls out of range",
        [NULLS_UNSEEN] = "column x: nulls without a validity buffer",
        [CHILDREN] = "column x: arrays below an array of this type",
        [DICTIONARY] = "column x: a dictionary that its type does not have",
        [RELEASED_CHILD] = "column x: an array that was released",
        [SHORT_COLUMN] = "column x: fewer rows than its batch",
        [BATCH_LENGTH] = batch_range,
        [BATCH_OFFSET] = batch_range,
        [FEW_COLUMNS] = other_columns,
        [NO_COLUMNS] = other_columns,
        [BATCH_BUFFERS] = "Arrow stream: a batch that is no struct array",
        [NULL_ROWS] = null_rows,
        [NULL_ROWS_UNSEEN] = null_rows,
    };
    const arrow_field field = {"x", "i", NULL, CELLS("1", "2", "3")};
    (void)state;
    for (damage which = 0; which < N_DAMAGES; which++) {
        arrow_layout layout = {.spoil = damage_batch, .payload = &which};
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(import_column("default-role: insensitive\nattributes: {x: {role: quasi}}\n", &field, 3, &layout,
                                       &err), KANON_EDATA);
        assert_string_equal(err.message, messages[which]);
    }
}

/* Numbers in buffers: where, how wide, what. */
typedef struct poke {
    int buffer;
    size_t at, size;
    int64_t value;
    bool entries;
} poke;

static void put_poke(struct ArrowArray *batch, int64_t number, void *payload)
{
    const poke *p = payload;
    struct ArrowArray *x = p->entries ? batch->children[0]->dictionary : batch->children[0];
    (void)number;
    memcpy((char *)x->buffers[p->buffer] + p->at, &p->value, p->size);
}

static void broken_buffers_are_refused(void **state)
{
    static const char *const texts[] = {"abc", "a text of 20 letters"}, *const two[] = {"ab", "c"};
    static const struct {
        const char *format, *entry_format;
        const char *const *cells;
        poke poke;
        const char *message;
    } cases[] = {
        {"u", NULL, texts, {1, 0, 4, -1, false}, "Arrow stream: row 1: x: a text that begins before its buffer"},
        {"u", NULL, texts, {1, 4, 4, 24, false}, "Arrow stream: row 2: x: a text that ends before it begins"},
        {"U", NULL, texts, {1, 8, 8, -8, false}, "Arrow stream: row 1: x: a text that ends before it begins"},
        {"u", NULL, texts, {2, 1, 1, 0, false}, "Arrow stream: row 1: x: a NUL byte"},
        {"vu", NULL, texts, {1, 0, 4, -3, false}, "Arrow stream: row 1: x: a text of negative length"},
        {"vu", NULL, texts, {1, 24, 4, 2, false}, "Arrow stream: row 2: x: a text in a buffer that is not there"},
        {"vu", NULL, texts, {1, 24, 4, -1, false}, "Arrow stream: row 2: x: a text in a buffer that is not there"},
        {"vu", NULL, texts, {1, 28, 4, 1, false}, "Arrow stream: row 2: x: a text outside its buffer"},
        {"vu", NULL, texts, {1, 28, 4, -1, false}, "Arrow stream: row 2: x: a text outside its buffer"},
        {"vu", NULL, texts, {1, 16, 4, 21, false}, "Arrow stream: row 2: x: a text outside its buffer"},
        {"c", "u", two, {1, 1, 1, 2, false}, "Arrow stream: row 2: x: an index outside the dictionary"},
        {"c", "u", two, {1, 0, 1, -1, false}, "Arrow stream: row 1: x: an index outside the dictionary"},
        {"L", "u", two, {1, 8, 8, -1, false}, "Arrow stream: row 2: x: an index outside the dictionary"},
        {"c", "u", two, {1, 4, 4, -1, true},
         "Arrow stream: x: entry 1 of the dictionary: a text that ends before it begins"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const arrow_field field = {"x", cases[i].format, cases[i].entry_format, cases[i].cells};
        arrow_layout layout = {.spoil = put_poke, .payload = (void *)&cases[i].poke};
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(import_column("default-role: insensitive\nattributes: {x: {role: quasi}}\n", &field, 2, &layout,
                                       &err), KANON_EDATA);
        assert_string_equal(err.message, cases[i].message);
    }
}

static void rename_column(struct ArrowSchema *schema, void *payload)
{
    struct ArrowSchema *column = schema->children[schema->n_children - 1];
    free((char *)column->name);
    column->name = payload != NULL ? strdup(payload) : NULL;
}

static void not_a_struct(struct ArrowSchema *schema, void *payload)
{
    (void)payload;
    free((char *)schema->format);
    schema->format = strdup("i");
}

static void names_and_schemas(void **state)
{
    const arrow_field fields[] = {{"x", "i", NULL, CELLS("1")}, {"y", "i", NULL, CELLS("1")}};
    const struct {
        void (*spoil)(struct ArrowSchema *, void *);
        char *name;
        const char *message;
    } cases[] = {{rename_column, NULL, "Arrow stream: column 2 has no name"},
                 {rename_column, "", "Arrow stream: column 2 has no name"},
                 {rename_column, "\xff", "Arrow stream: the name of column 2 is not UTF-8"},
                 {rename_column, "x", "Arrow stream: columns 1 and 2 have the same name"},
                 {not_a_struct, NULL, "Arrow stream: not a stream of record batches"}};
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const arrow_table made = {2, fields, 1};
        arrow_layout layout = {.spoil_schema = cases[i].spoil, .payload = cases[i].name};
        arrow_counts counts = {0};
        kanon_table *table = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(import(&table, "default-role: insensitive\nattributes: {x: {role: quasi}}\n", &made, &layout,
                                &counts, &err), KANON_EDATA);
        assert_string_equal(err.message, cases[i].message);
        assert_released(&counts);
    }
    arrow_counts counts = {0};
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(import(&table, "default-role: insensitive\nattributes: {x: {role: quasi}}\n",
                            &(arrow_table){0, fields, 0}, NULL, &counts, &err),
                     KANON_EDATA);
    assert_string_equal(err.message, "Arrow stream: no columns");
    assert_int_equal(import(&table, "default-role: insensitive\nattributes: {z: {role: quasi}}\n",
                            &(arrow_table){2, fields, 1}, NULL, &counts, &err),
                     KANON_EDATA);
    assert_holds(err.message, "z: the table has no such column");
    assert_null(strstr(err.hint, "delimiter"));
    assert_released(&counts);
}

static void no_rows(void **state)
{
    const arrow_field field = {"x", "u", NULL, NULL};
    static const arrow_layout empty = {.empty_batches = true}, odd = {.empty_batches = true, .array_offset = 2};
    const arrow_layout *const all[] = {NULL, &empty, &odd};
    (void)state;
    for (size_t i = 0; i < N_OF(all); i++) {
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(import_column("default-role: insensitive\nattributes: {x: {role: quasi}}\n", &field, 0, all[i],
                                       &err), KANON_EDATA);
        assert_string_equal(err.message, "Arrow stream: no records");
    }
}

/* ---- streams that fail ------------------------------------------------------------------------------------------------ */

static void callbacks_that_fail(void **state)
{
    static const struct {
        int code;
        kanon_status status;
    } codes[] = {{EIO, KANON_EIO}, {EINVAL, KANON_EIO}, {ECANCELED, KANON_ECANCELLED}, {ENOMEM, KANON_ENOMEM}};
    const arrow_field field = {"x", "i", NULL, CELLS("1", "2", "3")};
    (void)state;
    for (size_t i = 0; i < N_OF(codes); i++)
        for (int at = -1; at <= 3; at++) {
            arrow_layout layout = {.batch_rows = 1, .fail_schema = at < 0 ? codes[i].code : 0,
                                   .fail_next = at < 0 ? 0 : codes[i].code, .fail_at = at, .no_message = at == 2};
            kanon_error err = KANON_INIT(kanon_error);
            assert_int_equal(import_column("default-role: insensitive\nattributes: {x: {role: quasi}}\n", &field, 3, &layout,
                                           &err), codes[i].status);
            char expected[128];
            snprintf(expected, sizeof expected, "Arrow stream: %s",
                     at == 2 ? strerror(codes[i].code) : "the producer is tired");
            assert_string_equal(err.message, expected);
        }
}

static void released_streams_are_refused(void **state)
{
    struct ArrowArrayStream stream = {0};
    kanon_schema *schema = schema_of("default-role: insensitive\nattributes: {x: {role: quasi}}\n");
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    assert_int_equal(kanon_table_read(&table, KANON_STREAM(&stream), schema, NULL, &err), KANON_EINVAL);
    assert_null(table);
    kanon_schema_free(schema);
}

/* The stream is the callee's from the beginning, whatever is wrong with the rest. */
static void wrong_options_release_the_stream(void **state)
{
    const arrow_field field = {"x", "i", NULL, CELLS("1")};
    const arrow_table made = {1, &field, 1};
    arrow_counts counts = {0};
    struct ArrowArrayStream stream;
    kanon_schema *schema = schema_of("default-role: insensitive\nattributes: {x: {role: quasi}}\n");
    kanon_read_options options = {.struct_size = 1};
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    arrow_produce(&stream, &made, NULL, &counts);
    assert_int_equal(kanon_table_read(&table, KANON_STREAM(&stream), schema, &options, &err), KANON_EINVAL);
    assert_null(stream.release);
    assert_int_equal(counts.released_streams, 1);
    kanon_schema_free(schema);
}

static int stop_at_once(const kanon_progress *progress, void *payload)
{
    (void)progress;
    (*(int *)payload)++;
    return 1;
}

static void reading_can_be_stopped(void **state)
{
    enum { N = 20 };
    const char *cells[N];
    int n_calls = 0;
    (void)state;
    for (int i = 0; i < N; i++)
        cells[i] = "1";
    const arrow_field field = {"x", "i", NULL, cells};
    const arrow_table made = {1, &field, N};
    arrow_layout layout = {.batch_rows = 1};
    arrow_counts counts = {0};
    kanon_read_options options = {.struct_size = sizeof options, .tick = stop_at_once, .payload = &n_calls};
    struct ArrowArrayStream stream;
    kanon_schema *schema = schema_of("default-role: insensitive\nattributes: {x: {role: quasi}}\n");
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    arrow_produce(&stream, &made, &layout, &counts);
    assert_int_equal(kanon_table_read(&table, KANON_STREAM(&stream), schema, &options, &err), KANON_ECANCELLED);
    assert_int_equal(n_calls, 1);
    assert_released(&counts);
    kanon_schema_free(schema);
}

static void failing_allocations(void **state)
{
    const arrow_field fields[] = {{"a", "i", NULL, CELLS("1", "2", NULL, "1")},
                                  {"b", "C", "u", CELLS("x", NULL, "y", "x")},
                                  {"c", "g", NULL, CELLS("1.5", "nan", "2", "1.5")},
                                  {"d", "u", NULL, CELLS("", NULL, "y", "a \"text\" that is long")}};
    const arrow_table made = {4, fields, 4};
    const arrow_layout layout = {.batch_rows = 2};
    kanon_schema *schema =
        schema_of("default-role: insensitive\nattributes: {a: {role: quasi}, b: {role: quasi}, c: {role: quasi}, d: "
                  "{role: quasi}}\n");
    kanon_status st = KANON_ENOMEM;
    (void)state;
    for (int64_t n = 1; st != KANON_OK; n++) {
        struct ArrowArrayStream stream;
        arrow_counts counts = {0};
        kanon_table *table = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        kanon_read_options options = {.struct_size = sizeof options, .threads = 1};
        arrow_produce(&stream, &made, &layout, &counts);
        kanon__alloc_fail_at(n, false);
        st = kanon_table_read(&table, KANON_STREAM(&stream), schema, &options, &err);
        kanon__alloc_fail_at(0, false);
        if (st != KANON_OK)
            assert_int_equal(st, KANON_ENOMEM);
        assert_null(stream.release);
        kanon_table_free(table);
        assert_released(&counts);
        if (n % 16 == 0)
            assert_no_leak();
        assert_true(n < 10000);
    }
    kanon_schema_free(schema);
    assert_no_leak();
}

/* A cursor that cannot get its memory says so, and leaves none behind. */
static void failing_cursors(void **state)
{
    const arrow_field fields[] = {{"a", "i", NULL, CELLS("1", "2", NULL, "1")},
                                  {"d", "u", NULL,
                                   CELLS("", NULL, "y", "a \"text\" that needs more room than a number, which "
                                                                       "a line has from the beginning")}};
    const arrow_table made = {2, fields, 4};
    arrow_counts counts = {0};
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = KANON_ENOMEM;
    int64_t n = 0;
    (void)state;
    assert_done(import(&table, "default-role: insensitive\nattributes: {a: {role: quasi}}\n", &made, NULL, &counts, &err),
                &err);
    while (st != KANON_OK) {
        kanon__cursor *cursor = NULL;
        bool has_row = true;
        kanon__alloc_fail_at(++n, false);
        st = table->source->class->open(&cursor, table->source, &err);
        while (st == KANON_OK && has_row)
            st = table->source->class->next(cursor, &has_row, &err);
        kanon__alloc_fail_at(0, false);
        assert_true(st == KANON_OK || st == KANON_ENOMEM);
        if (cursor != NULL)
            table->source->class->close(cursor);
    }
    assert_in_range(n, 4, 20);
    kanon_table_free(table);
    assert_released(&counts);
    assert_no_leak();
}

/* ---- checksum and the check ------------------------------------------------------------------------------------------- */

static void checksum_of(char out[KANON__SHA256_TEXT], const arrow_field *fields, int n, const arrow_layout *layout)
{
    const arrow_table made = {n, fields, 5};
    arrow_counts counts = {0};
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(import(&table, "default-role: insensitive\nattributes: {x: {role: quasi}}\n", &made, layout, &counts, &err),
                &err);
    assert_done(kanon__source_sha256(out, table->source, &err), &err);
    kanon_table_free(table);
}

static void checksums_see_values_not_batches(void **state)
{
    const arrow_field fields[] = {{"x", "i", NULL, CELLS("1", NULL, "2", "3", "1")},
                                  {"y", "u", NULL, CELLS("a", "", NULL, "b\"c", "a")}};
    const arrow_field others[][2] = {
        {{"x", "i", NULL, CELLS("1", NULL, "2", "3", "1")}, {"y", "u", NULL, CELLS("a", NULL, NULL, "b\"c", "a")}},
        {{"x", "i", NULL, CELLS("1", NULL, "2", "3", "4")}, {"y", "u", NULL, CELLS("a", "", NULL, "b\"c", "a")}},
        {{"x", "l", NULL, CELLS("1", NULL, "2", "3", "1")}, {"y", "u", NULL, CELLS("a", "", NULL, "b\"c", "a")}},
        {{"x", "i", NULL, CELLS("1", NULL, "2", "3", "1")}, {"z", "u", NULL, CELLS("a", "", NULL, "b\"c", "a")}}};
    char one[KANON__SHA256_TEXT], other[KANON__SHA256_TEXT];
    (void)state;
    checksum_of(one, fields, 2, NULL);
    for (size_t l = 0; l < N_OF(layouts); l++) {
        checksum_of(other, fields, 2, &layouts[l]);
        assert_string_equal(one, other);
    }
    for (size_t i = 0; i < N_OF(others); i++) {
        checksum_of(other, others[i], 2, NULL);
        assert_string_not_equal(one, other);
    }
}

/* The check must not take another value for the one that is there. */
static void the_check_sees_other_values(void **state)
{
    static const struct {
        const char *format, *entry_format, *cell, *wrong;
    } cases[] = {{"b", NULL, "1", "false"},
                 {"c", NULL, "-5", "5"},
                 {"L", NULL, "18446744073709551615", "-1"},
                 {"g", NULL, "0.1", "0.10000000000000002"},
                 {"f", NULL, "0.1", "0.10000001"},
                 {"f", NULL, "inf", "-inf"},
                 {"d:9,2", NULL, "150", "1.51"},
                 {"d:9,2", NULL, "150", "150"},
                 {"d:9,-2", NULL, "15", "150"},
                 {"u", NULL, "abc", "abd"},
                 {"u", NULL, "abc", "abcd"},
                 {"vu", NULL, "more than twelve", "more than twelvE"},
                 {"tdD", NULL, "0", "1970-01-02"},
                 {"tdm", NULL, "0", "1970-02-01"},
                 {"tss:", NULL, "0", "1970-01-01T00:00:01"},
                 {"tss:", NULL, "0", "1970-01-01T00:00:00Z"},
                 {"tsm:UTC", NULL, "1", "1970-01-01T00:00:00.002Z"},
                 {"tsm:UTC", NULL, "1", "1970-01-01T00:00:00.001"},
                 {"C", "u", "abc", "abd"},
                 {"i", "l", "4", "5"}};
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const arrow_field fields[] = {{"q", "c", NULL, CELLS("1")},
                                      {"x", cases[i].format, cases[i].entry_format, CELLS(cases[i].cell)}};
        const arrow_table made = {2, fields, 1};
        arrow_counts counts = {0};
        kanon_table *table = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        kanon__cursor *cursor = NULL;
        bool has_row;
        assert_done(import(&table, "default-role: insensitive\nattributes: {q: {role: quasi}}\n", &made, NULL, &counts,
                           &err), &err);
        assert_done(table->source->class->open(&cursor, table->source, &err), &err);
        assert_done(table->source->class->next(cursor, &has_row, &err), &err);
        assert_true(kanon__arrow_cells_match(kanon__arrow_source_of(table->source), 0, cursor->cells));
        cursor->cells[1] = (kanon__cell){.text = cases[i].wrong, .length = strlen(cases[i].wrong)};
        if (kanon__arrow_cells_match(kanon__arrow_source_of(table->source), 0, cursor->cells))
            fail_msg("%s: %s passes for %s", cases[i].format, cases[i].wrong, cases[i].cell);
        table->source->class->close(cursor);
        kanon_table_free(table);
    }
}

/* The buffers change between reading and releasing: that must not go out. */
static struct ArrowArray kept_column;

static void keep_column(struct ArrowArray *batch, int64_t number, void *payload)
{
    (void)number;
    (void)payload;
    kept_column = *batch->children[0];
}

static void changed_buffers_are_caught(void **state)
{
    const arrow_field fields[] = {{"q", "i", NULL, CELLS("1", "2", "3", "4")}, {"o", "i", NULL, CELLS("5", "6", "7", "8")}};
    const arrow_table made = {2, fields, 4};
    arrow_layout layout = {.spoil = keep_column};
    arrow_counts counts = {0};
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    place release = scratch("release.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    (void)state;
    assert_done(import(&table, "default-role: insensitive\nattributes: {q: {role: quasi}}\n", &made, &layout, &counts, &err),
                &err);
    kanon_grouping *grouping = grouping_of(table, (const int64_t[]){1, 1, 2, 2});
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    assert_file(release.text, "q,o\n[1..2],5\n[1..2],6\n[3..4],7\n[3..4],8\n");
    ((int32_t *)kept_column.buffers[1])[1] = 3;
    assert_int_equal(kanon_publish(table, grouping, &outputs, &err), KANON_EINTERNAL);
    assert_holds(err.message, "does not cover its original: record 2, column q");
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    assert_released(&counts);
}

/* Nulls in a release where the schema knows no text for "missing": what stands for null is no value of the column. */
static void nulls_are_released(void **state)
{
    const arrow_field fields[] = {{"q", "i", NULL, CELLS(NULL, NULL, "1", "2")},
                                  {"t", "u", NULL, CELLS(NULL, NULL, "", "b")},
                                  {"o", "u", NULL, CELLS("", NULL, "x", "y")}};
    const arrow_table made = {3, fields, 4};
    arrow_counts counts = {0};
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    place release = scratch("release.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    (void)state;
    assert_done(import(&table, "default-role: insensitive\nattributes: {q: {role: quasi}, t: {role: quasi}}\n", &made, NULL,
                       &counts, &err), &err);
    kanon_grouping *grouping = grouping_of(table, (const int64_t[]){1, 1, 2, 2});
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    assert_file(release.text, "q,t,o\n,NULL,\n,NULL,\n[1..2],*,x\n[1..2],*,y\n");
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    assert_released(&counts);
}

/* Rows that look alike where they are grouped must still not pass for one another. */
static void the_check_knows_its_rows(void **state)
{
    const arrow_field fields[] = {{"q", "i", NULL, CELLS("1", "1")}, {"o", "u", NULL, CELLS("first", "second")}};
    const arrow_table made = {2, fields, 2};
    static const int32_t group_of[] = {0, 0};
    static const char *const lines[] = {"1,first\n", "1,second\n"};
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        arrow_counts counts = {0};
        kanon_table *table = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        kanon__cursor *cursor = NULL;
        kanon__verifier *verifier = NULL;
        bool has_row;
        assert_done(import(&table, "default-role: insensitive\nattributes: {q: {role: quasi}}\n", &made, NULL, &counts,
                           &err), &err);
        const kanon__requirement required = {.policy = &table->policy, .k = 2, .most_suppressed = -1};
        assert_done(kanon__verifier_new(&verifier, table, group_of, 1, KANON_NUMERIC_INTERVAL, false, &err), &err);
        assert_done(kanon__verifier_text(verifier, 0, 0, "1", 1, &err), &err);
        assert_done(table->source->class->open(&cursor, table->source, &err), &err);
        for (int i = 0; i < 2; i++) {
            assert_done(table->source->class->next(cursor, &has_row, &err), &err);
            kanon_status st = kanon__verifier_row(verifier, swapped ? 1 - i : i, cursor, lines[i], strlen(lines[i]),
                                                  &err);
            assert_int_equal(st, swapped ? KANON_EINTERNAL : KANON_OK);
            if (swapped)
                assert_holds(err.message, "other values than those of record");
        }
        if (!swapped)
            assert_done(kanon__verifier_finish(verifier, &required, 1, &err), &err);
        table->source->class->close(cursor);
        kanon__verifier_free(verifier);
        kanon_table_free(table);
    }
}

/* ---- the same table as CSV -------------------------------------------------------------------------------------------- */

enum { RANDOM_ROWS = 90, RANDOM_COLUMNS = 12 };

/* A random table, both ways: the values as stored and the texts of CSV. */
typedef struct random_table {
    char values[RANDOM_COLUMNS][RANDOM_ROWS][48], texts[RANDOM_COLUMNS][RANDOM_ROWS][48];
    const char *cells[RANDOM_COLUMNS][RANDOM_ROWS];
    arrow_field fields[RANDOM_COLUMNS];
} random_table;

static const char *const random_formats[RANDOM_COLUMNS][3] = {
    /* name, format, format of entries */
    {"i", "i", NULL},   {"big", "l", NULL}, {"real", "g", NULL}, {"single", "f", NULL}, {"money", "d:9,2", NULL},
    {"flag", "b", NULL}, {"word", "u", NULL}, {"day", "tdD", NULL}, {"milli", "tdm", NULL}, {"at", "tsm:UTC", NULL},
    {"code", "s", "u"}, {"view", "C", "vu"}};

static const char random_schema[] =
    "missing: [\"\"]\n"
    "default-role: insensitive\nattributes: {i: {role: quasi}, big: {role: insensitive}, real: {role: quasi}, single: "
    "{role: insensitive},\n"
    "  money: {role: quasi}, flag: {role: quasi}, word: {role: sensitive}, day: {role: quasi, type: date},\n"
    "  milli: {role: insensitive}, at: {role: insensitive}, code: {role: quasi}, view: {role: identifying}}\n";

static void draw_time(char *value, char *text, int64_t day, int64_t unit_of_day, int64_t millis, bool instant)
{
    time_t seconds = (time_t)(day * 86400 + millis / 1000);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    snprintf(value, 48, "%lld", (long long)(day * unit_of_day + millis));
    strftime(text, 48, instant ? "%Y-%m-%dT%H:%M:%S" : "%Y-%m-%d", &parts);
    if (instant)
        snprintf(text + strlen(text), 16, millis % 1000 != 0 ? ".%03dZ" : "Z", (int)(millis % 1000));
}

static void draw_cell(char *value, char *text, int column, kanon__random *random)
{
    static const char *const words[] = {"ab", "b", "c,d", "e \"f\"", "z\xc3\xbcrich", " g ", "a longer word with spaces"};
    int64_t x = (int64_t)kanon__random_below(random, 40);
    switch (column) {
    case 0:
        snprintf(value, 48, "%lld", (long long)x - 20);
        strcpy(text, value);
        break;
    case 1:
        snprintf(value, 48, "%lld", (long long)x * 1234567890123);
        strcpy(text, value);
        break;
    case 2:
    case 3:
        snprintf(value, 48, "%g", (double)(x - 7) / 8);
        strcpy(text, value);
        break;
    case 4:
        snprintf(value, 48, "%lld", (long long)x * 35);
        snprintf(text, 48, "%lld.%02lld", (long long)x * 35 / 100, (long long)x * 35 % 100);
        break;
    case 5:
        strcpy(value, x % 2 == 0 ? "1" : "0");
        strcpy(text, x % 2 == 0 ? "true" : "false");
        break;
    case 7:
        draw_time(value, text, x * 600, 1, 0, false);
        break;
    case 8:
        draw_time(value, text, x * 600, 86400000, 0, false);
        break;
    case 9:
        draw_time(value, text, x * 600, 86400000, x * 1999250, true);
        break;
    default:
        strcpy(value, words[x % (int64_t)N_OF(words)]);
        strcpy(text, value);
    }
}

static void draw_table(random_table *t, kanon__random *random)
{
    for (int c = 0; c < RANDOM_COLUMNS; c++) {
        t->fields[c] = (arrow_field){random_formats[c][0], random_formats[c][1], random_formats[c][2], t->cells[c]};
        for (int row = 0; row < RANDOM_ROWS; row++) {
            bool is_null = kanon__random_below(random, 12) == 0;
            draw_cell(t->values[c][row], t->texts[c][row], c, random);
            t->cells[c][row] = is_null ? NULL : t->values[c][row];
            if (is_null)
                t->texts[c][row][0] = '\0';
        }
    }
}

static void write_csv(const random_table *t, const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int c = 0; c < RANDOM_COLUMNS; c++)
        fprintf(file, "%s%s", c > 0 ? "," : "", random_formats[c][0]);
    for (int row = 0; row < RANDOM_ROWS; row++)
        for (int c = 0; c < RANDOM_COLUMNS; c++) {
            const char *text = t->texts[c][row];
            bool quoted = strpbrk(text, ",\"") != NULL || text[0] == ' ';
            fputs(c > 0 ? "," : "\n", file);
            if (quoted)
                fputc('"', file);
            for (; *text != '\0'; text++)
                fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, file);
            if (quoted)
                fputc('"', file);
        }
    fputc('\n', file);
    assert_int_equal(fclose(file), 0);
}

static void assert_same_run(const kanon_table *a, const kanon_table *b, const char *algorithm, uint64_t seed,
                            kanon_numeric numeric)
{
    const kanon_table *tables[] = {a, b};
    kanon_grouping *groupings[2] = {NULL, NULL};
    place paths[] = {scratch("one.csv"), scratch("other.csv")};
    kanon_error err = KANON_INIT(kanon_error);
    for (int i = 0; i < 2; i++) {
        kanon_options options = {.struct_size = sizeof options, .k = 4, .algorithm = algorithm, .seed = seed, .threads = 1};
        kanon_outputs outputs = {
            .struct_size = sizeof outputs, .release = KANON_TO_PATH(paths[i].text), .numeric = numeric, .threads = 1};
        assert_done(kanon_anonymize(&groupings[i], tables[i], &options, &err), &err);
        assert_done(kanon_publish(tables[i], groupings[i], &outputs, &err), &err);
    }
    for (int64_t row = 0; row < RANDOM_ROWS; row++)
        assert_int_equal(kanon_grouping_group_of(groupings[0], row), kanon_grouping_group_of(groupings[1], row));
    char *one = read_text(paths[0].text);
    assert_file(paths[1].text, one);
    free(one);
    kanon_grouping_free(groupings[0]);
    kanon_grouping_free(groupings[1]);
}

static void the_same_table_as_csv(void **state)
{
    static const char *const algorithms[] = {"kmember", "mondrian", "tgc-u", "oka"};
    static const kanon_numeric numerics[] = {KANON_NUMERIC_INTERVAL, KANON_NUMERIC_COLUMNS, KANON_NUMERIC_MEAN};
    uint64_t seed = test_seed();
    random_table *t = malloc(sizeof *t);
    (void)state;
    for (uint64_t round = 0; round < 12; round++) {
        kanon__random random;
        arrow_counts counts = {0};
        kanon_table *from_csv = NULL, *from_arrow = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        place csv = scratch("t.csv");
        kanon_schema *schema = schema_of(random_schema);
        const arrow_table made = {RANDOM_COLUMNS, t->fields, RANDOM_ROWS};
        kanon__random_init(&random, seed, round);
        draw_table(t, &random);
        write_csv(t, csv.text);
        assert_done(kanon_table_read(&from_csv, KANON_PATH(csv.text), schema, NULL, &err), &err);
        assert_done(import(&from_arrow, random_schema, &made, &layouts[round % N_OF(layouts)], &counts, &err), &err);
        assert_same_run(from_csv, from_arrow, algorithms[round % N_OF(algorithms)], seed + round,
                        numerics[round % N_OF(numerics)]);
        kanon_schema_free(schema);
        kanon_table_free(from_arrow);
        kanon_table_free(from_csv);
        assert_released(&counts);
    }
    free(t);
}

static void shuffled_releases(void **state)
{
    const arrow_field fields[] = {{"q", "i", NULL, CELLS("1", "2", "3", "4", "5", "6")},
                                  {"o", "u", NULL, CELLS("r1", "r2", NULL, "r\"4", "r5", "r6")}};
    const arrow_table made = {2, fields, 6};
    static const char *const lines[] = {"\n[1..3],r1\n", "\n[1..3],r2\n", "\n[1..3],\n", "\n[4..6],\"r\"\"4\"\n",
                                        "\n[4..6],r5\n", "\n[4..6],r6\n"};
    arrow_counts counts = {0};
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    place release = scratch("release.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text), .shuffle = 1};
    (void)state;
    assert_done(import(&table, "default-role: insensitive\nattributes: {q: {role: quasi}}\n", &made, &layouts[1], &counts,
                       &err), &err);
    kanon_grouping *grouping = grouping_of(table, (const int64_t[]){1, 1, 1, 2, 2, 2});
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    char *text = read_text(release.text);
    for (size_t i = 0; i < N_OF(lines); i++)
        assert_holds(text, lines[i]);
    free(text);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_in_every_layout),
        cmocka_unit_test(texts_come_in_order),
        cmocka_unit_test(null_is_no_value),
        cmocka_unit_test(zeros_are_one_value),
        cmocka_unit_test(many_values),
        cmocka_unit_test(floats_are_as_short_as_can_be),
        cmocka_unit_test(short_doubles_are_the_same),
        cmocka_unit_test(dates_are_those_of_the_calendar),
        cmocka_unit_test(extremes_are_kept),
        cmocka_unit_test(other_types_are_named),
        cmocka_unit_test(identifying_columns_have_any_type),
        cmocka_unit_test(values_out_of_range),
        cmocka_unit_test(characters_end_in_their_text),
        cmocka_unit_test(broken_arrays_are_refused),
        cmocka_unit_test(broken_buffers_are_refused),
        cmocka_unit_test(names_and_schemas),
        cmocka_unit_test(no_rows),
        cmocka_unit_test(callbacks_that_fail),
        cmocka_unit_test(released_streams_are_refused),
        cmocka_unit_test(wrong_options_release_the_stream),
        cmocka_unit_test(reading_can_be_stopped),
        cmocka_unit_test(failing_allocations),
        cmocka_unit_test(failing_cursors),
        cmocka_unit_test(checksums_see_values_not_batches),
        cmocka_unit_test(the_check_sees_other_values),
        cmocka_unit_test(changed_buffers_are_caught),
        cmocka_unit_test(nulls_are_released),
        cmocka_unit_test(the_check_knows_its_rows),
        cmocka_unit_test(the_same_table_as_csv),
        cmocka_unit_test(shuffled_releases),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
