/* Weights as fractions, and the scale at which loss terms are whole numbers. */
#include "model/units.h"
#include "support.h"

static void assert_weight(const char *text, int64_t numerator, int64_t denominator, double value)
{
    kanon__weight w = kanon__weight_parse(text);
    assert_int_equal(w.numerator, numerator);
    assert_int_equal(w.denominator, denominator);
    assert_true(w.value == value);
}

static void weights_are_fractions_in_lowest_terms(void **state)
{
    (void)state;
    assert_weight(NULL, 1, 1, 1);
    assert_weight("2", 2, 1, 2);
    assert_weight("0.50", 1, 2, 0.5);
    assert_weight("1.25", 5, 4, 1.25);
    assert_weight("1e3", 1000, 1, 1000);
}

static kanon__unit_term term(const char *weight, int64_t parts)
{
    return (kanon__unit_term){.weight = kanon__weight_parse(weight), .parts = parts};
}

/* Thirds and quarters are whole at every multiple of 12; the largest one below 1000 / 2 is 492. */
static void scale_makes_all_terms_whole(void **state)
{
    (void)state;
    kanon__unit_term terms[] = {term("1", 3), term("1", 4)};
    assert_int_equal(kanon__units_choose_scale(terms, 2, 1000), 492);
    assert_true(terms[0].exact && terms[1].exact);
    assert_int_equal(kanon__units_full(&terms[0].weight, 492), 492);
}

/* A weight of 1/2 needs 8 units for quarters. All weights together are 1.5: 100 / 1.5 is 66, and 64 is the multiple. */
static void scale_knows_weights(void **state)
{
    (void)state;
    kanon__unit_term terms[] = {term("0.5", 4), term("1", 1)};
    int64_t scale = kanon__units_choose_scale(terms, 2, 100);
    assert_int_equal(scale, 64);
    assert_int_equal(kanon__units_full(&terms[0].weight, scale), 32);
}

/* 7 fits below 40 / 2, 7 * 11 does not, and of an attribute without parts nothing is known. */
static void attributes_that_do_not_fit_are_rounded(void **state)
{
    (void)state;
    kanon__unit_term terms[] = {term("1", 7), term("1", 11)}, unknown[] = {term("1", 0)};
    assert_int_equal(kanon__units_choose_scale(terms, 2, 40), 14);
    assert_true(terms[0].exact);
    assert_false(terms[1].exact);
    assert_int_equal(kanon__units_choose_scale(unknown, 1, 40), 40);
    assert_false(unknown[0].exact);
}

static void parts_are_rounded_to_the_nearest_unit(void **state)
{
    (void)state;
    assert_int_equal(kanon__units_part(10, 1, 3), 3);
    assert_int_equal(kanon__units_part(10, 2, 3), 7);
    assert_int_equal(kanon__units_part(10, 1, 4), 3); /* 2.5 goes up */
    assert_int_equal(kanon__units_part(10, 4, 4), 10);
    /* no overflow where the range has 62 bits */
    assert_int_equal(kanon__units_position(1 << 30, INT64_C(1) << 61, INT64_C(1) << 62), 1 << 29);
    assert_int_equal(kanon__units_position(10, 1, 4), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_fractions_in_lowest_terms), cmocka_unit_test(scale_makes_all_terms_whole),
        cmocka_unit_test(scale_knows_weights),                   cmocka_unit_test(attributes_that_do_not_fit_are_rounded),
        cmocka_unit_test(parts_are_rounded_to_the_nearest_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
