/* Numbers and dates: every bit of a double, every day of eight centuries, whatever the locale. */
#include "core/random.h"
#include "table/value/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEED = 20240229 };

static void announce_seed(void)
{
    print_message("seed %d\n", SEED);
}

static bool parse(kanon__decimal *out, const char *text)
{
    return kanon__parse_decimal(out, text, strlen(text));
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

static void assert_integer(const char *text, int64_t expected)
{
    int64_t value = 0;
    if (!kanon__parse_integer(&value, text, strlen(text)) || value != expected)
        fail_msg("'%s' should be %lld", text, (long long)expected);
}

static void integers_are_read(void **state)
{
    (void)state;
    assert_integer("0", 0);
    assert_integer("-0", 0);
    assert_integer("+7", 7);
    assert_integer("007", 7);
    assert_integer(" \t-42 \t", -42);
    assert_integer("\n1\r", 1);
    assert_integer("\xc2\xa0-42\xe2\x80\xaf", -42);
    assert_integer("9223372036854775807", INT64_MAX);
    assert_integer("-9223372036854775808", INT64_MIN);
    assert_integer("00000000000000000000000009223372036854775807", INT64_MAX);
}

static void other_texts_are_no_integers(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        " ",
                                        "-",
                                        "+",
                                        "--1",
                                        "+-1",
                                        "- 1",
                                        "1 2",
                                        "1.0",
                                        "1.",
                                        "1e3",
                                        "0x1",
                                        "1,000",
                                        "1a",
                                        "a1",
                                        "\xc2\xa0",
                                        "1\xc2\xa0" "2",
                                        "9223372036854775808",
                                        "-9223372036854775809",
                                        "18446744073709551616",
                                        "99999999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int64_t value = 77;
        if (kanon__parse_integer(&value, wrong[i], strlen(wrong[i])))
            fail_msg("'%s' is no integer", wrong[i]);
        assert_int_equal(value, 77);
    }
    int64_t value;
    assert_true(kanon__parse_integer(&value, "12x", 2)); /* nothing beyond the length is looked at */
    assert_int_equal(value, 12);
}

/* ---- decimals ---------------------------------------------------------------------------------------------------- */

static void assert_exact(const char *text, int64_t mantissa, int scale, double value)
{
    kanon__decimal d;
    if (!parse(&d, text) || !d.exact || d.mantissa != mantissa || d.scale != scale || bits_of(d.value) != bits_of(value))
        fail_msg("'%s' should be exactly %lld / 10^%d", text, (long long)mantissa, scale);
}

static void decimals_are_exact_with_the_least_scale(void **state)
{
    (void)state;
    assert_exact("0", 0, 0, 0.0);
    assert_exact("-0.000", 0, 0, 0.0);
    assert_exact("0e999999999999999999999", 0, 0, 0.0);
    assert_exact("1.50", 15, 1, 1.5);
    assert_exact("-1.50", -15, 1, -1.5);
    assert_exact(".5", 5, 1, 0.5);
    assert_exact("5.", 5, 0, 5.0);
    assert_exact(" +12.25\t", 1225, 2, 12.25);
    assert_exact("100", 100, 0, 100.0);
    assert_exact("1e3", 1000, 0, 1000.0);
    assert_exact("1.5E+2", 150, 0, 150.0);
    assert_exact("1500e-2", 15, 0, 15.0);
    assert_exact("1e-18", 1, 18, 1e-18);
    assert_exact("0.000000000000000001000", 1, 18, 1e-18);
    assert_exact("9223372036854775807", INT64_MAX, 0, 9223372036854775807.0);
    assert_exact("-9223372036854775808", INT64_MIN, 0, -9223372036854775808.0);
    assert_exact("-9.223372036854775808", INT64_MIN, 18, -9.223372036854775808);
    assert_exact("1000000000000000000", 1000000000000000000, 0, 1e18);
    assert_exact("1.00000000000000000000000000000000000000000000", 1, 0, 1.0);
}

static void decimals_without_room_are_not_exact(void **state)
{
    (void)state;
    static const char *const texts[] = {"1e-19",  "9223372036854775808",    "-9223372036854775809",
                                        "1e19",   "12345678901234567890.5", "1e300",
                                        "1e-300", "0.1234567890123456789"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kanon__decimal d;
        assert_true(parse(&d, texts[i]));
        assert_false(d.exact);
        assert_int_equal(bits_of(d.value), bits_of(strtod(texts[i], NULL)));
    }
}

static void other_texts_are_no_decimals(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",     " ",   ".",     "-",      "-.",      "e5",       ".e5",
                                        "1e",   "1e+", "1e-",   "1e1.5",  "1.2.3",   "1,5",      "--1",
                                        "1 5",  "inf", "nan",   "0x10",   "1f",      "1e5x",     "+-1",
                                        "1e 5", "\xc2\xa0", "1e309", "-1e309", "1.8e308", "infinity",
                                        "1e99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        kanon__decimal d;
        if (parse(&d, wrong[i]))
            fail_msg("'%s' is no decimal number", wrong[i]);
    }
}

static void assert_double(const char *text, double expected)
{
    kanon__decimal d;
    if (!parse(&d, text) || bits_of(d.value) != bits_of(expected))
        fail_msg("'%s' is wrongly rounded", text);
}

/* Halfway between two doubles the even one is right, and one digit more, however far behind, decides otherwise. */
static void halves_are_rounded_to_even(void **state)
{
    (void)state;
    assert_double("9007199254740992", 0x1p53);
    assert_double("9007199254740993", 0x1p53);
    assert_double("9007199254740993.0000000000000000000000000000000000001", 0x1p53 + 2);
    assert_double("9007199254740995", 0x1p53 + 4);
    assert_double("1.7976931348623157e308", DBL_MAX);
    assert_double("1.7976931348623158e308", DBL_MAX);
    assert_double("2.2250738585072014e-308", DBL_MIN);
    assert_double("2.2250738585072011e-308", 0x0.fffffffffffffp-1022); /* the largest subnormal */
    assert_double("4.9406564584124654e-324", 0x1p-1074);
    assert_double("2.4703282292062328e-324", 0x1p-1074); /* just above half of the smallest */
    assert_double("2.4703282292062327e-324", 0.0);
    assert_double("1e-400", 0.0);
    assert_double("-1e-400", 0.0);
    assert_double("1e-99999999999999999999", 0.0);
}

/* Between the largest subnormal and the smallest normal double lies the halfway point with the most digits, 767. It is
 * written out with a wider type where there is one. */
static void the_longest_halfway_point_is_seen(void **state)
{
    (void)state;
    char text[4096];
    double low = 0x0.fffffffffffffp-1022, high = DBL_MIN;
    if (LDBL_MANT_DIG <= DBL_MANT_DIG || LDBL_MIN_EXP >= DBL_MIN_EXP)
        skip();
    int length = snprintf(text, sizeof text, "%.1100Lf", ((long double)low + (long double)high) / 2);
    assert_double(text, high); /* the even one */
    memset(text + length, '0', 2000);
    strcpy(text + length + 2000, "1"); /* just above */
    assert_double(text, high);
    while (text[length - 1] == '0')
        length--;
    assert_int_equal(text[length - 1], '5');
    text[length - 1] = '4';
    memset(text + length, '9', 2000); /* 4999... instead of 5: just below */
    text[length + 2000] = '\0';
    assert_double(text, low);
    /* Its neighbour is odd above, even below: there one digit, far behind, makes the difference. */
    double lower = 0x0.ffffffffffffep-1022;
    length = snprintf(text, sizeof text, "%.1100Lf", ((long double)lower + (long double)low) / 2);
    assert_double(text, lower);
    memset(text + length, '0', 2000);
    strcpy(text + length + 2000, "1");
    assert_double(text, low);
}

static void long_numbers_are_read(void **state)
{
    (void)state;
    char text[6000];
    memset(text, '0', sizeof text);
    memcpy(text, "1", 1);
    strcpy(text + 2001, "e-2000");
    assert_exact(text, 1, 0, 1.0);
    memset(text, '0', sizeof text);
    memcpy(text, "0.", 2);
    strcpy(text + 3000, "25e3000");
    assert_exact(text, 25, 0, 25.0);
    memset(text, '3', sizeof text);
    memcpy(text, "0.", 2);
    text[5000] = '\0';
    assert_double(text, 1.0 / 3.0);
}

static void random_texts_are_rounded_as_the_c_library_does(void **state)
{
    (void)state;
    kanon__random random;
    announce_seed();
    kanon__random_init(&random, SEED, 1);
    for (int i = 0; i < 20000; i++) {
        char text[128];
        int n = 0, digits = 1 + (int)kanon__random_below(&random, i % 10 == 0 ? 60 : 24);
        int point = (int)kanon__random_below(&random, digits + 1);
        if (kanon__random_below(&random, 2))
            text[n++] = '-';
        for (int j = 0; j < digits; j++) {
            if (j == point)
                text[n++] = '.';
            text[n++] = (char)('0' + kanon__random_below(&random, 10));
        }
        int range = i % 3 == 0 ? 20 : 335;
        snprintf(text + n, sizeof text - (size_t)n, "e%d", (int)kanon__random_below(&random, 2 * range + 1) - range);
        kanon__decimal d;
        double expected = strtod(text, NULL);
        bool good = parse(&d, text);
        if (good != (isfinite(expected) != 0) || (good && d.value != expected))
            fail_msg("%s is wrongly read", text);
    }
}

/* ---- dates ------------------------------------------------------------------------------------------------------- */

static void assert_date(const char *text, int64_t expected)
{
    int64_t days = 0;
    char buffer[KANON__NUMBER_TEXT];
    if (!kanon__parse_date(&days, text, strlen(text)) || days != expected)
        fail_msg("%s is day %lld, not %lld", text, (long long)expected, (long long)days);
    assert_int_equal(kanon__format_date(buffer, days), strlen(text));
    assert_string_equal(buffer, text);
}

static void known_dates_are_right(void **state)
{
    (void)state;
    assert_date("1970-01-01", 0);
    assert_date("1969-12-31", -1);
    assert_date("1970-12-31", 364);
    assert_date("2000-01-01", 30 * 365 + 7); /* leap days of 1972 .. 1996 */
    assert_date("2000-03-01", 30 * 365 + 7 + 60);
    assert_date("2038-01-19", INT32_MAX / 86400);
    assert_date("0001-01-01", -719162); /* 1969 years: 477 leap ones, 1969 * 365 + 477 = 719162 */
    assert_date("9999-12-31", 2932896); /* 4 * 8030: 25 cycles of 146097 days less 719162 and one */
    int64_t days;
    assert_true(kanon__parse_date(&days, "  1970-01-02\t", 13));
    assert_int_equal(days, 1);
}

static void every_day_makes_the_round_trip(void **state)
{
    (void)state;
    static const int lengths[] = {31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t expected, days;
    assert_true(kanon__parse_date(&expected, "1583-01-01", 10));
    for (int year = 1583; year <= 2400; year++)
        for (int month = 1; month <= 12; month++) {
            bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
            int n_days = month == 2 ? (leap ? 29 : 28) : lengths[month - 1];
            for (int day = 1; day <= 31; day++) {
                char text[48], buffer[KANON__NUMBER_TEXT];
                snprintf(text, sizeof text, "%04d-%02d-%02d", year, month, day);
                bool good = kanon__parse_date(&days, text, 10);
                if (good != (day <= n_days) || (good && days != expected))
                    fail_msg("%s is wrongly read", text);
                if (!good)
                    continue;
                if (kanon__format_date(buffer, expected) != 10 || strcmp(buffer, text) != 0)
                    fail_msg("%s is printed as %s", text, buffer);
                expected++;
            }
        }
}

static void days_beyond_the_calendar_stay_in_it(void **state)
{
    (void)state;
    char buffer[KANON__NUMBER_TEXT];
    kanon__format_date(buffer, INT64_MAX);
    assert_string_equal(buffer, "9999-12-31");
    kanon__format_date(buffer, INT64_MIN);
    assert_string_equal(buffer, "0001-01-01");
}

static void other_texts_are_no_dates(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",           "2001-02-29", "1900-02-29", "2000-02-30",  "0000-01-01",  "2001-00-01",
                                        "2001-13-01", "2001-01-00", "2001-01-32", "2001-04-31",  "2001-1-01",   "2001-01-1",
                                        "01-01-2001", "2001/01/01", "20010101",   "2001-01-01T", "12001-01-01", "-001-01-01",
                                        "2001-01-0a", "+001-01-01", "2001-01 01"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int64_t days = 77;
        if (kanon__parse_date(&days, wrong[i], strlen(wrong[i])))
            fail_msg("'%s' is no date", wrong[i]);
        assert_int_equal(days, 77);
    }
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static void assert_scaled(int64_t mantissa, int scale, const char *expected)
{
    char buffer[KANON__NUMBER_TEXT];
    assert_int_equal(kanon__format_scaled(buffer, mantissa, scale), strlen(expected));
    assert_string_equal(buffer, expected);
}

static void scaled_numbers_are_printed(void **state)
{
    (void)state;
    assert_scaled(15, 1, "1.5");
    assert_scaled(-15, 1, "-1.5");
    assert_scaled(0, 0, "0");
    assert_scaled(0, 2, "0.00");
    assert_scaled(7, 0, "7");
    assert_scaled(100, 0, "100");
    assert_scaled(5, 3, "0.005");
    assert_scaled(-5, 3, "-0.005");
    assert_scaled(INT64_MAX, 0, "9223372036854775807");
    assert_scaled(INT64_MIN, 0, "-9223372036854775808");
    assert_scaled(INT64_MIN, 18, "-9.223372036854775808");
    assert_scaled(1, 18, "0.000000000000000001");
}

static void assert_printed(double value, const char *expected)
{
    char buffer[KANON__NUMBER_TEXT];
    size_t length = kanon__format_double(buffer, value);
    assert_string_equal(buffer, expected);
    assert_int_equal(length, strlen(expected));
}

static void doubles_are_printed_shortest(void **state)
{
    (void)state;
    assert_printed(0.0, "0");
    assert_printed(-0.0, "0");
    assert_printed(1.0, "1");
    assert_printed(-3.0, "-3");
    assert_printed(0.25, "0.25");
    assert_printed(0.1, "0.1");
    assert_printed(0.1 + 0.2, "0.30000000000000004");
    assert_printed(1.0 / 3.0, "0.3333333333333333");
    assert_printed(13.233333333333333, "13.233333333333333");
    assert_printed(100.0, "100");
    assert_printed(123456.789, "123456.789");
    assert_printed(0x1p53, "9007199254740992");
    assert_printed(1e15, "1000000000000000");
    assert_printed(1e20, "100000000000000000000");
    assert_printed(1e21, "1e+21");
    assert_printed(1e30, "1e+30");
    assert_printed(-1.5e300, "-1.5e+300");
    assert_printed(0.000001, "0.000001");
    assert_printed(1.25e-7, "1.25e-07");
    assert_printed(DBL_MAX, "1.7976931348623157e+308");
    assert_printed(DBL_MIN, "2.2250738585072014e-308");
    assert_printed(0x1p-1074, "5e-324");
    assert_printed(INFINITY, "inf");
    assert_printed(-INFINITY, "-inf");
    assert_printed(NAN, "nan");
}

static int significant_digits(const char *text)
{
    int n = 0, last = 0;
    for (; *text != '\0' && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (n > 0 || *text != '0')) {
            n++;
            if (*text != '0')
                last = n;
        }
    return last;
}

/* Whether some text of n digits reads back as `value`: one of the two that enclose it must, if any does. */
static bool has_text_of(double value, int n)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", n - 1, value);
    if (strtod(text, NULL) == value)
        return true;
    double nearest = strtod(text, NULL);
    char *mark = strchr(text, 'e');
    for (char *at = mark - 1; at >= text; at--) { /* one step away from the nearest, to the other side of the value */
        if (*at == '.')
            continue;
        if (nearest < value && *at != '9') {
            (*at)++;
            break;
        }
        if (nearest > value && *at != '0') {
            (*at)--;
            break;
        }
        *at = nearest < value ? '0' : '9';
    }
    return strtod(text, NULL) == value;
}

static void assert_shortest(double value)
{
    char buffer[KANON__NUMBER_TEXT];
    size_t length = kanon__format_double(buffer, value);
    if (strlen(buffer) != length || bits_of(strtod(buffer, NULL)) != bits_of(value))
        fail_msg("%a is printed as %s", value, buffer);
    int n = significant_digits(buffer);
    if (n > 17 || (n > 1 && has_text_of(fabs(value), n - 1)))
        fail_msg("%a is printed as %s, which is not the shortest", value, buffer);
}

static void any_double_makes_the_round_trip(void **state)
{
    (void)state;
    kanon__random random;
    announce_seed();
    kanon__random_init(&random, SEED, 2);
    for (int exponent = -1074; exponent < 1024; exponent++) /* where the neighbours are not equally far */
        assert_shortest(ldexp(1.0, exponent));
    for (int i = 0; i < 3000; i++) {
        double value = from_bits(kanon__random_next(&random));
        if (isfinite(value) && value != 0)
            assert_shortest(value);
        assert_shortest((double)(1 + kanon__random_below(&random, 1000000)) / 1000);
        uint64_t subnormal = 1 + (kanon__random_next(&random) >> 12 >> kanon__random_below(&random, 52));
        assert_shortest(from_bits(subnormal));
    }
}

/* A locale with a decimal comma: one that is installed, else one made in `dir`. */
static bool set_comma_locale(char *dir)
{
    char command[256];
    if (setlocale(LC_ALL, "de_DE.UTF-8") != NULL || setlocale(LC_ALL, "de_DE") != NULL)
        return true;
    if (mkdtemp(dir) == NULL)
        return false;
    snprintf(command, sizeof command, "localedef -c -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", dir, dir);
    if (system(command) != 0)
        print_message("no localedef\n");
    setenv("LOCPATH", dir, 1);
    bool good = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    snprintf(command, sizeof command, "rm -r %s", dir);
    return system(command) == 0 && good;
}

/* The locale is the process's, never the data's. */
static void a_decimal_comma_in_the_locale_changes_nothing(void **state)
{
    (void)state;
    char dir[] = "/tmp/kanon-locale-XXXXXX";
    if (!set_comma_locale(dir))
        skip();
    char text[32];
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_not_equal(text, "1.5"); /* the locale does what the test is about */
    kanon__decimal d;
    assert_true(parse(&d, "1.5") && d.value == 1.5);
    assert_true(parse(&d, "0.1234567890123456789") && d.value == 0.1234567890123456789);
    assert_false(parse(&d, "1,5"));
    assert_printed(1234567.25, "1234567.25");
    assert_printed(1.0 / 3.0, "0.3333333333333333");
    assert_printed(1.5e300, "1.5e+300");
    assert_scaled(15, 1, "1.5");
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_read),
        cmocka_unit_test(other_texts_are_no_integers),
        cmocka_unit_test(decimals_are_exact_with_the_least_scale),
        cmocka_unit_test(decimals_without_room_are_not_exact),
        cmocka_unit_test(other_texts_are_no_decimals),
        cmocka_unit_test(halves_are_rounded_to_even),
        cmocka_unit_test(the_longest_halfway_point_is_seen),
        cmocka_unit_test(long_numbers_are_read),
        cmocka_unit_test(random_texts_are_rounded_as_the_c_library_does),
        cmocka_unit_test(known_dates_are_right),
        cmocka_unit_test(every_day_makes_the_round_trip),
        cmocka_unit_test(days_beyond_the_calendar_stay_in_it),
        cmocka_unit_test(other_texts_are_no_dates),
        cmocka_unit_test(scaled_numbers_are_printed),
        cmocka_unit_test(doubles_are_printed_shortest),
        cmocka_unit_test(any_double_makes_the_round_trip),
        cmocka_unit_test(a_decimal_comma_in_the_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
