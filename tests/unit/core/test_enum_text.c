/* The words of the enums in kanon.h. */
#include "support.h"

static void words_and_values_belong_together(void **state)
{
    static const struct {
        kanon_enum which;
        int n; /* values */
    } enums[] = {{KANON_ENUM_STATUS, 9},       {KANON_ENUM_ROLE, 4},          {KANON_ENUM_TYPE, 6},
                 {KANON_ENUM_HEADER, 3},       {KANON_ENUM_RECODE, 2},        {KANON_ENUM_NUMERIC, 5},
                 {KANON_ENUM_POINT_RESULT, 3}, {KANON_ENUM_TAXONOMY_FORM, 6}, {KANON_ENUM_TAXONOMY_METHOD, 6}, {KANON_ENUM_MARK, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof enums / sizeof *enums; i++) {
        for (int value = 0; value < enums[i].n; value++)
            assert_int_equal(kanon_enum_value(enums[i].which, kanon_enum_text(enums[i].which, value)), value);
        const int others[] = {enums[i].n, 7, 1000, -1, INT32_MIN, INT32_MAX};
        for (size_t j = 0; j < sizeof others / sizeof *others; j++)
            if (others[j] < 0 || others[j] >= enums[i].n)
                assert_null(kanon_enum_text(enums[i].which, others[j]));
        assert_int_equal(kanon_enum_value(enums[i].which, "nonsense"), -1);
        assert_int_equal(kanon_enum_value(enums[i].which, ""), -1);
    }
    for (int which = -1; which <= KANON_ENUM_MARK + 2; which += KANON_ENUM_MARK + 2) {
        assert_null(kanon_enum_text((kanon_enum)which, 0));
        assert_int_equal(kanon_enum_value((kanon_enum)which, "quasi"), -1);
    }
}

static void words_are_those_of_schemas_and_reports(void **state)
{
    (void)state;
    assert_string_equal(kanon_enum_text(KANON_ENUM_STATUS, KANON_EVERSION), "file of another version");
    assert_string_equal(kanon_enum_text(KANON_ENUM_STATUS, KANON_EDATA), "bad input");
    assert_int_equal(kanon_enum_value(KANON_ENUM_ROLE, "quasi"), KANON_ROLE_QUASI);
    assert_int_equal(kanon_enum_value(KANON_ENUM_ROLE, "Quasi"), -1);
    assert_int_equal(kanon_enum_value(KANON_ENUM_TYPE, "ordinal"), KANON_TYPE_ORDINAL);
    assert_int_equal(kanon_enum_value(KANON_ENUM_TYPE, "unknown"), KANON_TYPE_UNKNOWN);
    assert_int_equal(kanon_enum_value(KANON_ENUM_HEADER, "no"), KANON_HEADER_NO);
    assert_int_equal(kanon_enum_value(KANON_ENUM_RECODE, "attribute"), KANON_RECODE_ATTRIBUTE);
    assert_int_equal(kanon_enum_value(KANON_ENUM_NUMERIC, "default"), KANON_NUMERIC_DEFAULT);
    assert_int_equal(kanon_enum_value(KANON_ENUM_NUMERIC, "columns"), KANON_NUMERIC_COLUMNS);
    assert_int_equal(kanon_enum_value(KANON_ENUM_POINT_RESULT, "infeasible"), KANON_POINT_INFEASIBLE);
    assert_int_equal(kanon_enum_value(KANON_ENUM_TAXONOMY_FORM, "json"), KANON_TAXONOMY_JSON);
    assert_int_equal(kanon_enum_value(KANON_ENUM_TAXONOMY_METHOD, "rare"), KANON_TAXONOMY_RARE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_values_belong_together),
        cmocka_unit_test(words_are_those_of_schemas_and_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
