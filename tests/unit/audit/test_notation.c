/* Generalised cells in every notation, and what they mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "audit/cell_notation.h"
#include "core/alloc.h"
#include "core/random.h"

typedef struct example {
    const char *cell, *canonical;
    kanon__notation_kind kind;
} example;

#define INTERVAL(cell, canonical)                                                                                           \
    {                                                                                                                       \
        cell, canonical, KANON__NOTATION_INTERVAL                                                                           \
    }
#define SET(cell, canonical)                                                                                                \
    {                                                                                                                       \
        cell, canonical, KANON__NOTATION_SET                                                                                \
    }
#define ANY(cell)                                                                                                           \
    {                                                                                                                       \
        cell, "*", KANON__NOTATION_ANY                                                                                      \
    }
#define LABEL(cell, canonical)                                                                                              \
    {                                                                                                                       \
        cell, canonical, KANON__NOTATION_LABEL                                                                              \
    }

static void expect(const char *cell, kanon_type type, const char *canonical, kanon__notation_kind kind)
{
    kanon__meaning meaning = {0};
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(kanon__notation_read(&meaning, cell, strlen(cell), &(kanon__value_kind){.type = type}, &err), KANON_OK);
    if (meaning.kind != kind || meaning.length != (int64_t)strlen(canonical) ||
        memcmp(meaning.text, canonical, (size_t)meaning.length) != 0)
        fail_msg("'%s' in a column of type %d is '%.*s' (kind %d), not '%s' (kind %d)", cell, (int)type, (int)meaning.length,
                 meaning.text, (int)meaning.kind, canonical, (int)kind);
    kanon__meaning_clear(&meaning);
}

static void expect_all(const example *examples, size_t n, kanon_type type)
{
    for (size_t i = 0; i < n; i++) {
        expect(examples[i].cell, type, examples[i].canonical, examples[i].kind);
        expect(examples[i].canonical, type, examples[i].canonical, examples[i].kind);
    }
}

#define EXPECT_ALL(examples, type) expect_all(examples, sizeof(examples) / sizeof *(examples), type)

static void integers(void **state)
{
    (void)state;
    static const example examples[] = {
        INTERVAL("15", "15"),
        INTERVAL(" 15\t", "15"),
        INTERVAL("+15", "15"),
        INTERVAL("015", "15"),
        INTERVAL("-5", "-5"),
        INTERVAL("-0", "0"),
        INTERVAL("15.0", "15"),
        INTERVAL("1e3", "1000"),
        INTERVAL("36.5", "36.5"),
        /* closed */
        INTERVAL("[15-19]", "[15,19]"),
        INTERVAL("15-19", "[15,19]"),
        INTERVAL("[15,19]", "[15,19]"),
        INTERVAL("[15, 19]", "[15,19]"),
        INTERVAL("[ 15 , 19 ]", "[15,19]"),
        INTERVAL("15..19", "[15,19]"),
        INTERVAL("[15..19]", "[15,19]"),
        INTERVAL("15 - 19", "[15,19]"),
        INTERVAL(" [15-19] ", "[15,19]"),
        INTERVAL("[015-19]", "[15,19]"),
        INTERVAL("[15-15]", "15"),
        INTERVAL("15-15", "15"),
        /* open ends become the closed ones next to them */
        INTERVAL("[15,20)", "[15,19]"),
        INTERVAL("[15, 20[", "[15,19]"),
        INTERVAL("]14,19]", "[15,19]"),
        INTERVAL("(14,19]", "[15,19]"),
        INTERVAL("(14,20)", "[15,19]"),
        INTERVAL("]14, 20[", "[15,19]"),
        INTERVAL("[15-20)", "[15,19]"),
        INTERVAL("[15,16)", "15"),
        INTERVAL("(14,16)", "15"),
        INTERVAL("[14.5,20[", "[14.5,19]"),
        INTERVAL("(14.5,20]", "(14.5,20]"),
        /* negative numbers */
        INTERVAL("[-5--1]", "[-5,-1]"),
        INTERVAL("-5--1", "[-5,-1]"),
        INTERVAL("[-5-1]", "[-5,1]"),
        INTERVAL("-5-1", "[-5,1]"),
        INTERVAL("[-5,-1]", "[-5,-1]"),
        INTERVAL("-5..-1", "[-5,-1]"),
        INTERVAL("(-6,0)", "[-5,-1]"),
        /* half lines */
        INTERVAL("<5", "<=4"),
        INTERVAL("<=5", "<=5"),
        INTERVAL(">90", ">=91"),
        INTERVAL(">=90", ">=90"),
        INTERVAL("< 5", "<=4"),
        INTERVAL(">= -3", ">=-3"),
        INTERVAL("<-3", "<=-4"),
        INTERVAL("<4.5", "<4.5"),
        /* fully general */
        ANY("*"),
        ANY(" * "),
        ANY("*****"),
        ANY("{*}"),
        /* no intervals */
        LABEL("19-15", "19-15"),
        LABEL("[19,15]", "[19,15]"),
        LABEL("(15,15)", "(15,15)"),
        LABEL("(15,16)", "(15,16)"),
        LABEL("[15,15)", "[15,15)"),
        LABEL("15,19", "15,19"),
        LABEL("1-2-3", "1-2-3"),
        LABEL("[15]", "[15]"),
        LABEL("", ""),
        LABEL("  ", ""),
        LABEL("[", "["),
        LABEL("[]", "[]"),
        LABEL("[-]", "[-]"),
        LABEL("-", "-"),
        LABEL("..", ".."),
        LABEL("[,]", "[,]"),
        LABEL("<", "<"),
        LABEL("<=", "<="),
        LABEL("[15-", "[15-"),
        LABEL("15-", "15-"),
        LABEL("[15-19", "[15-19"),
        LABEL("teen", "teen"),
        LABEL("1*", "1*"),
        LABEL("15 19", "15 19"),
        LABEL("2020-01-01", "2020-01-01"),
        /* sets, of one value that value */
        INTERVAL("{15}", "15"),
        INTERVAL("{ [15-20) }", "[15,19]"),
        INTERVAL("{15, 15}", "15"),
        SET("{16, 15}", "{15,16}"),
        LABEL("{[15,20), [18,25)}", "{[15,20), [18,25)}"),
        LABEL("{[15,25), [18,20)}", "{[15,25), [18,20)}"),
    };
    EXPECT_ALL(examples, KANON_TYPE_INTEGER);
}

static void integers_at_the_limits(void **state)
{
    (void)state;
    static const example examples[] = {
        INTERVAL("[-9223372036854775808,9223372036854775807]", "[-9223372036854775808,9223372036854775807]"),
        INTERVAL("(-9223372036854775808,9223372036854775807)", "[-9223372036854775807,9223372036854775806]"),
        LABEL(">9223372036854775807", ">9223372036854775807"),
        LABEL("<-9223372036854775808", "<-9223372036854775808"),
        LABEL("9223372036854775808", "9223372036854775808"),
    };
    EXPECT_ALL(examples, KANON_TYPE_INTEGER);
}

static void decimals(void **state)
{
    (void)state;
    static const example examples[] = {
        INTERVAL("1.50", "1.5"),
        INTERVAL("15e-1", "1.5"),
        INTERVAL(".5", "0.5"),
        INTERVAL("-1.5", "-1.5"),
        INTERVAL("[1.5-2.5]", "[1.5,2.5]"),
        INTERVAL("1.50-2.50", "[1.5,2.5]"),
        INTERVAL("1.5..2.5", "[1.5,2.5]"),
        INTERVAL("[-1.5--0.5]", "[-1.5,-0.5]"),
        INTERVAL("1e-2-3e-2", "[0.01,0.03]"),
        INTERVAL("[1e-2, 3e-2]", "[0.01,0.03]"),
        INTERVAL("[15-19]", "[15,19]"),
        INTERVAL("[1.5,1.50]", "1.5"),
        /* openness stays */
        INTERVAL("[15,20)", "[15,20)"),
        INTERVAL("[15, 20[", "[15,20)"),
        INTERVAL("]15,20]", "(15,20]"),
        INTERVAL("(15,20)", "(15,20)"),
        INTERVAL("(15,16)", "(15,16)"),
        INTERVAL("<5", "<5"),
        INTERVAL("<=5.0", "<=5"),
        INTERVAL(">1.5", ">1.5"),
        INTERVAL(">=1.50", ">=1.5"),
        /* order across scales and signs */
        INTERVAL("[1.05,1.1]", "[1.05,1.1]"),
        LABEL("[1.1,1.05]", "[1.1,1.05]"),
        INTERVAL("[-1.1,-1.05]", "[-1.1,-1.05]"),
        LABEL("[-1.05,-1.1]", "[-1.05,-1.1]"),
        INTERVAL("[-0.5,0.5]", "[-0.5,0.5]"),
        LABEL("[0.5,-0.5]", "[0.5,-0.5]"),
        INTERVAL("[0.000000000000000001,9223372036854775807]", "[0.000000000000000001,9223372036854775807]"),
        LABEL("[1.5,1.5)", "[1.5,1.5)"),
        LABEL("(1.5,1.5]", "(1.5,1.5]"),
        /* too many digits to be held exactly: other digits would be another text */
        LABEL("1.12345678901234567890123", "1.12345678901234567890123"),
    };
    EXPECT_ALL(examples, KANON_TYPE_DECIMAL);
}

static void dates(void **state)
{
    (void)state;
    static const example examples[] = {
        INTERVAL("2020-01-01", "2020-01-01"),
        INTERVAL("[2020-01-01-2020-03-05]", "[2020-01-01,2020-03-05]"),
        INTERVAL("2020-01-01-2020-03-05", "[2020-01-01,2020-03-05]"),
        INTERVAL("2020-01-01..2020-03-05", "[2020-01-01,2020-03-05]"),
        INTERVAL("[2020-01-01, 2020-03-05]", "[2020-01-01,2020-03-05]"),
        INTERVAL("[2020-01-01, 2020-03-01)", "[2020-01-01,2020-02-29]"),
        INTERVAL("[2021-01-01, 2021-03-01[", "[2021-01-01,2021-02-28]"),
        INTERVAL("]2019-12-31, 2020-03-05]", "[2020-01-01,2020-03-05]"),
        INTERVAL("<2020-01-01", "<=2019-12-31"),
        INTERVAL(">2019-12-31", ">=2020-01-01"),
        LABEL("[2020-03-05-2020-01-01]", "[2020-03-05-2020-01-01]"),
        LABEL("2020-02-30", "2020-02-30"),
        LABEL("2020", "2020"),
        LABEL("2020-2021", "2020-2021"),
        ANY("*"),
    };
    EXPECT_ALL(examples, KANON_TYPE_DATE);
}

static void categories(void **state)
{
    (void)state;
    static const example examples[] = {
        LABEL("Male", "Male"),
        LABEL("  Male ", "Male"),
        LABEL("8130*", "8130*"),
        LABEL("8130", "8130"),
        LABEL("[15-19]", "[15-19]"),
        LABEL("<5", "<5"),
        LABEL("not a number", "not a number"),
        ANY("*"),
        ANY("*****"),
        SET("{a, b}", "{a,b}"),
        SET("{b,a}", "{a,b}"),
        SET("{ b ,a , b }", "{a,b}"),
        SET("{ab, a, abc}", "{a,ab,abc}"),
        LABEL("{a}", "a"),
        LABEL("{ a }", "a"),
        LABEL("{a, a}", "a"),
        LABEL("{{a}}", "a"),
        LABEL("{{a},{a}}", "a"),
        ANY("{*,*}"),
        SET("{*, a}", "{*,a}"),
        LABEL("{}", "{}"),
        LABEL("{ }", "{ }"),
        LABEL("{{}}", "{}"),
        LABEL("{,}", "{,}"),
        LABEL("{a,}", "{a,}"),
        LABEL("{", "{"),
        LABEL("}", "}"),
        LABEL("{a, b", "{a, b"),
        LABEL("a, b", "a, b"),
        LABEL("a, b}", "a, b}"),
    };
    EXPECT_ALL(examples, KANON_TYPE_CATEGORICAL);
    EXPECT_ALL(examples, KANON_TYPE_UNKNOWN);
}

static void long_cells(void **state)
{
    (void)state;
    static char cell[1 << 20];
    kanon__meaning meaning = {0};
    /* Long runs that a slow reader would try again from every dash, comma or brace. */
    static const char *const parts[] = {"-", "1-", "0", "{", "a,", " ", "..", "[", "*"};
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        size_t width = strlen(parts[p]), half = sizeof cell / 2;
        memset(cell, '0', half);
        for (size_t i = half; i + width <= sizeof cell; i += width)
            memcpy(cell + i, parts[p], width);
        cell[0] = '{';
        cell[sizeof cell - 1] = '}';
        for (kanon_type type = KANON_TYPE_UNKNOWN; type <= KANON_TYPE_CATEGORICAL; type++)
            assert_int_equal(kanon__notation_read(&meaning, cell, sizeof cell, &(kanon__value_kind){.type = type}, NULL),
                             KANON_OK);
    }
    memset(cell, '{', sizeof cell / 2);
    memset(cell + sizeof cell / 2, '}', sizeof cell / 2);
    assert_int_equal(
        kanon__notation_read(&meaning, cell, sizeof cell, &(kanon__value_kind){.type = KANON_TYPE_INTEGER}, NULL), KANON_OK);
    assert_int_equal(meaning.length, 2);
    kanon__meaning_clear(&meaning);
}

/* A random integer interval lo .. hi written in one of the ways that mean it. */
static void write_interval(char *out, size_t size, kanon__random *random, int lo, int hi)
{
    static const char *const separators[] = {",", ", ", "-", " - ", ".."};
    int way = (int)kanon__random_below(random, 3);
    const char *separator = separators[kanon__random_below(random, 5)];
    if (lo == hi && way == 0) {
        snprintf(out, size, "%d", lo);
    } else if (way == 1 && strchr(separator, ',') == NULL) {
        snprintf(out, size, "%d%s%d", lo, separator, hi);
    } else {
        int lo_way = (int)kanon__random_below(random, 3), hi_way = (int)kanon__random_below(random, 3);
        snprintf(out, size, "%c%d%s%d%c", "[]("[lo_way], lo - (lo_way > 0), separator, hi + (hi_way > 0), "][)"[hi_way]);
    }
}

static void random_notations_mean_the_same(void **state)
{
    (void)state;
    enum { SEED = 20240611 };
    kanon__random random;
    print_message("seed %d\n", SEED);
    kanon__random_init(&random, SEED, 0);
    for (int i = 0; i < 20000; i++) {
        int lo = (int)kanon__random_below(&random, 200) - 100, hi = lo + (int)kanon__random_below(&random, 20);
        char cell[64], canonical[64];
        write_interval(cell, sizeof cell, &random, lo, hi);
        if (lo == hi)
            snprintf(canonical, sizeof canonical, "%d", lo);
        else
            snprintf(canonical, sizeof canonical, "[%d,%d]", lo, hi);
        expect(cell, KANON_TYPE_INTEGER, canonical, KANON__NOTATION_INTERVAL);
    }
}

static void out_of_memory(void **state)
{
    (void)state;
    static const char *const cells[] = {"{b, a}", "[15-19]", "a label", "*", "<5"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        kanon_status st = KANON_ENOMEM;
        for (int64_t n = 1; st != KANON_OK; n++) {
            kanon__meaning meaning = {0};
            kanon_error err = KANON_INIT(kanon_error);
            kanon__alloc_fail_at(n, false);
            st = kanon__notation_read(&meaning, cells[i], strlen(cells[i]), &(kanon__value_kind){.type = KANON_TYPE_INTEGER},
                                      &err);
            kanon__alloc_fail_at(0, false);
            assert_true(st == KANON_OK ? n > 1 : st == KANON_ENOMEM);
            kanon__meaning_clear(&meaning);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(integers_at_the_limits),
        cmocka_unit_test(decimals),
        cmocka_unit_test(dates),
        cmocka_unit_test(categories),
        cmocka_unit_test(long_cells),
        cmocka_unit_test(random_notations_mean_the_same),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
