/* The shape of a column, and the formats of its values: column_shape.h, value_format.h, date_format.h. */
#include "support.h"

#include "table/domain/column_shape.h"

#include <stdlib.h>
#include <string.h>

/* The shape of the cells in one text, with | between them. "-" is declared missing where `missing` is set. */
static kanon__column_shape shape_by(const char *cells, kanon_type wanted, char delimiter, kanon__value_format said)
{
    kanon__dictionary texts = {0};
    kanon__codes codes = {0};
    kanon__column_shape shape;
    int64_t n = 1;
    for (const char *c = cells; *c != '\0'; c++)
        n += *c == '|';
    assert_int_equal(kanon__dictionary_init(&texts, NULL), KANON_OK);
    assert_int_equal(kanon__codes_new(&codes, n, 1000, false, NULL), KANON_OK);
    for (int64_t row = 0; row < n; row++) {
        size_t length = strcspn(cells, "|");
        uint32_t code;
        assert_int_equal(kanon__dictionary_add(&texts, &code, cells, length, NULL), KANON_OK);
        kanon__code_set(codes, row, code);
        cells += length + 1;
    }
    kanon__shape_texts column = {.texts = &texts, .codes = codes, .n_rows = n, .delimiter = delimiter, .format = said};
    assert_int_equal(kanon__column_shape_find(&shape, &column, wanted, NULL), KANON_OK);
    kanon__codes_clear(&codes);
    kanon__dictionary_clear(&texts);
    return shape;
}

static kanon__column_shape shape_of(const char *cells)
{
    return shape_by(cells, KANON_TYPE_UNKNOWN, ',', (kanon__value_format){0});
}

static void assert_shape(const char *cells, kanon__shape_kind kind, kanon_type type)
{
    kanon__column_shape shape = shape_of(cells);
    if (shape.kind != kind || shape.type != type)
        fail_msg("%s: kind %d, type %d", cells, (int)shape.kind, (int)shape.type);
}

static void types_of_plain_columns(void **state)
{
    (void)state;
    assert_shape("1|22|-3|+4", KANON__SHAPE_PLAIN, KANON_TYPE_INTEGER);
    assert_shape("0|10|100", KANON__SHAPE_PLAIN, KANON_TYPE_INTEGER);
    assert_shape("1|2.5|-1e3", KANON__SHAPE_PLAIN, KANON_TYPE_DECIMAL);
    assert_shape("0.5|0.25", KANON__SHAPE_PLAIN, KANON_TYPE_DECIMAL);
    assert_shape("2020-01-01|2020-02-29", KANON__SHAPE_PLAIN, KANON_TYPE_DATE);
    assert_shape("2020-01-01|2020-02-30|x|y", KANON__SHAPE_PLAIN, KANON_TYPE_CATEGORICAL);
    assert_shape("red|green|blue", KANON__SHAPE_PLAIN, KANON_TYPE_CATEGORICAL);
    assert_shape("NA|?|NULL", KANON__SHAPE_PLAIN, KANON_TYPE_CATEGORICAL);
    assert_shape("20200101|20200102", KANON__SHAPE_PLAIN, KANON_TYPE_INTEGER);
}

static void codes_are_no_numbers(void **state)
{
    (void)state;
    assert_shape("01067|80331", KANON__SHAPE_CODES, KANON_TYPE_CATEGORICAL);
    assert_shape("01067|80331|NA", KANON__SHAPE_CODES, KANON_TYPE_CATEGORICAL);
    assert_shape("1|2|3|4|12a", KANON__SHAPE_CODES, KANON_TYPE_CATEGORICAL);
    assert_shape("I21.9|E11|C50|4", KANON__SHAPE_PLAIN, KANON_TYPE_CATEGORICAL);
    assert_shape("-05|7", KANON__SHAPE_PLAIN, KANON_TYPE_INTEGER);
    kanon__column_shape shape = shape_of("01067|80331|00001");
    assert_int_equal(shape.n_leading_zeros, 2);
    assert_int_equal(shape_by("01067|80331", KANON_TYPE_INTEGER, ',', (kanon__value_format){0}).kind, KANON__SHAPE_PLAIN);
}

static void nearly_numbers_are_counted(void **state)
{
    (void)state;
    kanon__column_shape shape = shape_of("1|2|NA|3|4|?|NA|odd text");
    assert_int_equal(shape.kind, KANON__SHAPE_NEARLY_NUMBERS);
    assert_int_equal(shape.type, KANON_TYPE_INTEGER);
    assert_int_equal(shape.n_present, 8);
    assert_int_equal(shape.n_fitting, 4);
    assert_int_equal(shape.n_generic, 3);
    assert_int_equal(shape.n_others, 1);
    assert_int_equal(shape.first_other, 2);
    assert_int_equal(shape.n_generic_texts, 2);
    assert_int_equal(shape.generic[0], 2);
    assert_int_equal(shape.generic[1], 5);
    /* three in four are not enough, four in five are; texts for "no value" do not count */
    assert_shape("1|2|3|odd", KANON__SHAPE_PLAIN, KANON_TYPE_CATEGORICAL);
    assert_shape("1|2|3|4|odd", KANON__SHAPE_NEARLY_NUMBERS, KANON_TYPE_INTEGER);
    assert_shape("1|NA|NA|NA|NA", KANON__SHAPE_NEARLY_NUMBERS, KANON_TYPE_INTEGER);
    assert_shape("2020-01-01|2020-01-02|2020-01-03|2020-01-04|soon", KANON__SHAPE_NEARLY_DATES, KANON_TYPE_DATE);
    static const char *const generic[] = {"NA", "n/a", "N/A", "NULL", "null", "?", ".", "-", "None", "NaN", "Unknown"};
    for (size_t i = 0; i < sizeof generic / sizeof generic[0]; i++)
        assert_true(kanon__text_is_generic(generic[i], strlen(generic[i])));
    assert_false(kanon__text_is_generic("", 0));
    assert_false(kanon__text_is_generic("nab", 3));
    assert_false(kanon__text_is_generic("n", 1));
}

static void separators_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *cells;
        kanon__shape_kind kind;
        char decimal, thousands;
    } cases[] = {
        {"1,5|2,75", KANON__SHAPE_PLAIN, ',', 0},
        {"1.234,5|7", KANON__SHAPE_PLAIN, ',', '.'},
        {"1,234.5|7", KANON__SHAPE_PLAIN, '.', ','},
        {"1,234,567|7", KANON__SHAPE_PLAIN, '.', ','},
        {"0,123|0,456", KANON__SHAPE_PLAIN, ',', 0},
        {"1 234,5|7", KANON__SHAPE_PLAIN, ',', ' '},
        {"1\xc2\xa0"
         "234,5|7",
         KANON__SHAPE_PLAIN, ',', ' '},
        {"1'234.5|7", KANON__SHAPE_PLAIN, '.', '\''},
        {"1,234|7", KANON__SHAPE_AMBIGUOUS_NUMBERS, ',', 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kanon__column_shape shape = shape_of(cases[i].cells);
        if (shape.kind != cases[i].kind || shape.format.decimal != cases[i].decimal ||
            shape.format.thousands != cases[i].thousands)
            fail_msg("%s: kind %d, %c %c", cases[i].cells, (int)shape.kind, shape.format.decimal, shape.format.thousands);
    }
    kanon__value_format none = {0};
    assert_int_equal(shape_by("1.234|7", KANON_TYPE_UNKNOWN, ';', none).kind, KANON__SHAPE_AMBIGUOUS_NUMBERS);
    assert_int_equal(shape_by("1.234|7", KANON_TYPE_UNKNOWN, ',', none).kind, KANON__SHAPE_PLAIN);
    assert_int_equal(shape_by("1.234|0.5", KANON_TYPE_UNKNOWN, ';', none).kind, KANON__SHAPE_PLAIN);
    assert_int_equal(shape_by("1.234|7", KANON_TYPE_UNKNOWN, ';', (kanon__value_format){.thousands = '.'}).type,
                     KANON_TYPE_INTEGER);
}

static void sentinels_are_found(void **state)
{
    (void)state;
    assert_int_equal(shape_of("1|2|9999|9999|3").sentinel, 2);
    assert_int_equal(shape_of("1|2|9999|3").sentinel, KANON__NO_CODE); /* once */
    assert_int_equal(shape_of("1|5000|9999|9999").sentinel, KANON__NO_CODE);
    assert_int_equal(shape_of("30|-1|-1|41").sentinel, 1);
    assert_int_equal(shape_of("30|-1|-1|-2").sentinel, KANON__NO_CODE);
}

static void assert_codes(const char *cells, int n)
{
    kanon__column_shape shape = shape_of(cells);
    if (shape.n_sentinels != n)
        fail_msg("%s: %d codes instead of %d", cells, shape.n_sentinels, n);
}

/* Several in one column, as surveys write them; numbers of a scale are none. */
static void several_codes_mean_no_value(void **state)
{
    (void)state;
    assert_codes("3|5|-8|-8|-9|-9|4", 2);
    assert_codes("1200|-1|-1|-2|-2|900", 2);            /* far smaller than the rest */
    assert_codes("3|-1|-1|-2|-2|2", 0);                 /* a scale from -2 to 3 */
    assert_codes("-9|-9|-8|-8|-7|-7|-6|-6|-5|-5|3", 0); /* degrees of winter */
    assert_codes("3|5|-8|-8|-2.5|-9|-9", 0);            /* another number below zero */
    assert_codes("3|12|97|97|98|98|99|99", 3);
    assert_codes("1|2|3|77|77|88|88|99|99", 3);
    assert_codes("40|60|97|97|98|98|99|99", 0); /* ages */
    assert_codes("40|60|997|997|999|999", 2);
    assert_codes("3|5|98|98|99", 0); /* 99 once */
    kanon__column_shape shape = shape_of("3|5|-8|-8|-9|-9|4");
    assert_true(kanon__shape_is_sentinel(&shape, 2));
    assert_true(kanon__shape_is_sentinel(&shape, 3));
    assert_false(kanon__shape_is_sentinel(&shape, 0));
    assert_true(kanon__text_is_generic("Keine Angabe", 12));
    assert_true(kanon__text_is_generic("NS/NC", 5));
    assert_false(kanon__text_is_generic("keine", 5));
}

/* ---- dates ------------------------------------------------------------------------------------------------------- */

static void assert_date(const char *format, const char *text, int64_t mantissa, int scale)
{
    kanon__decimal d;
    if (!kanon__date_format_parse(&d, format, text, strlen(text)) || d.mantissa != mantissa || d.scale != scale)
        fail_msg("%s by %s", text, format);
}

static void dates_by_formats(void **state)
{
    (void)state;
    assert_date("%d.%m.%Y", "01.01.1970", 0, 0);
    assert_date("%d.%m.%Y", " 1.2.1970 ", 31, 0);
    assert_date("%m/%d/%y", "12/31/69", -1, 0);
    assert_date("%d.%m.%y", "01.01.68", 35794, 0); /* 2068 */
    assert_date("%b %d, %Y", "january 2, 1970", 1, 0);
    assert_date("%d-%b-%Y", "31-DEC-1969", -1, 0);
    assert_date("%Y", "1971", 365, 0);
    assert_date("%Y%m%d", "19700102", 1, 0);
    assert_date("%d.%m.%Y %H:%M", "02.01.1970 00:01", 86460, 0);
    assert_date("%H:%M:%S %d.%m.%Y", "00:00:01,50 01.01.1970", 15, 1);
    assert_date(KANON__DATE_ISO_TIME, "1970-01-01T00:00:00.250", 25, 2);
    assert_date(KANON__DATE_ISO_TIME, "1970-01-02", 86400, 0);
    assert_date(KANON__DATE_ISO_TIME, "1969-12-31 23:59", -60, 0);
    assert_date(KANON__DATE_ISO_ZONE, "1970-01-01T02:00:00+02:00", 0, 0);
    assert_date(KANON__DATE_ISO_ZONE, "1970-01-01T00:00:00.000000001Z", 1, 9);
    assert_date(KANON__DATE_ISO_ZONE, "1969-12-31T19:00:00-0500", 0, 0);
    static const char *const wrong[][2] = {
        {"%d.%m.%Y", "31.02.2020"},
        {"%d.%m.%Y", "1.1.20"},
        {"%d.%m.%Y", "01.01.2020 "
                     "x"},
        {"%d %b %Y", "1 Foo 2020"},
        {"%Y-%m-%d", "2020-13-01"},
        {KANON__DATE_ISO_TIME, "2020-01-01T24:00"},
        {"%H:%M %Y", "25:00 2020"},
        {KANON__DATE_ISO_ZONE, "2020-01-01T10:00"},
        {KANON__DATE_ISO_TIME, "2020-01-01T10:00Z"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        kanon__decimal d;
        if (kanon__date_format_parse(&d, wrong[i][0], wrong[i][1], strlen(wrong[i][1])))
            fail_msg("%s by %s is a date", wrong[i][1], wrong[i][0]);
    }
    assert_null(kanon__date_format_fault("%d.%m.%Y"));
    assert_non_null(kanon__date_format_fault("%d.%m"));
    assert_non_null(kanon__date_format_fault("%Y %Y"));
    assert_non_null(kanon__date_format_fault("%j"));
    assert_non_null(kanon__date_format_fault("%Y%"));
    assert_non_null(kanon__date_format_fault("%Y-----------------------------------"));
}

/* What is printed reads as the same date, by every format that is tried, on days of several centuries. */
static void dates_print_and_read_back(void **state)
{
    (void)state;
    int n;
    const kanon__value_format *formats = kanon__shape_formats(KANON_TYPE_DATE, &n);
    for (int i = 0; i < n; i++)
        for (int64_t day = -35000; day < 35000; day += 997) {
            char text[KANON__NUMBER_TEXT];
            kanon__decimal back;
            bool short_year = strstr(formats[i].date, "%y") != NULL;
            int64_t value = kanon__value_has_time(&formats[i]) ? day * 86400 + 3600 : day;
            size_t length = kanon__value_print_date(text, &formats[i], value);
            if (short_year && (day < 0 || day > 35000))
                continue;
            if (!kanon__value_parse(&back, KANON_TYPE_DATE, &formats[i], text, length) || back.mantissa != value)
                fail_msg("%s by %s", text, formats[i].date);
        }
}

static void date_formats_are_found(void **state)
{
    (void)state;
    int n;
    const kanon__value_format *formats = kanon__shape_formats(KANON_TYPE_DATE, &n);
    for (int i = 0; i < n; i++) { /* 2021-12-31 and 2021-12-13 have one reading in each */
        char one[KANON__NUMBER_TEXT], other[KANON__NUMBER_TEXT], cells[2 * KANON__NUMBER_TEXT + 1];
        int64_t unit = kanon__value_has_time(&formats[i]) ? 86400 : 1;
        kanon__value_print_date(one, &formats[i], 18992 * unit + (unit > 1 ? 61 : 0));
        kanon__value_print_date(other, &formats[i], 18974 * unit);
        snprintf(cells, sizeof cells, "%s|%s", one, other);
        kanon__column_shape shape = shape_of(cells);
        bool seconds = strcmp(formats[i].date, "%d/%m/%y") != 0 && strcmp(formats[i].date, "%m/%d/%y") != 0;
        if (seconds && (shape.kind != KANON__SHAPE_PLAIN || shape.type != KANON_TYPE_DATE ||
                        strcmp(shape.format.date, formats[i].date) != 0))
            fail_msg("%s: kind %d, %s", cells, (int)shape.kind, shape.format.date);
    }
    kanon__column_shape shape = shape_of("01/02/2020|03/04/2020");
    assert_int_equal(shape.kind, KANON__SHAPE_AMBIGUOUS_DATES);
    assert_string_equal(shape.format.date, "%d/%m/%Y");
    assert_string_equal(shape.other_date, "%m/%d/%Y");
    assert_shape("05/05/2020|06/06/2020", KANON__SHAPE_PLAIN, KANON_TYPE_DATE); /* both readings are the same */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_of_plain_columns),     cmocka_unit_test(codes_are_no_numbers),
        cmocka_unit_test(nearly_numbers_are_counted), cmocka_unit_test(separators_are_found),
        cmocka_unit_test(sentinels_are_found),        cmocka_unit_test(several_codes_mean_no_value),
        cmocka_unit_test(dates_by_formats),           cmocka_unit_test(dates_print_and_read_back),
        cmocka_unit_test(date_formats_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
