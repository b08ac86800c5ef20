/* The lists of measures and privacy models that documents are made from: complete, and NULL past the end. */
#include "support.h"

static void test_measures(void **state)
{
    bool found = false;
    (void)state;
    assert_true(kanon_measure_count() > 0);
    for (size_t i = 0; i < kanon_measure_count(); i++) {
        const char *scope = kanon_measure_scope(i);
        assert_non_null(kanon_measure_name(i));
        assert_non_null(kanon_measure_formula(i));
        assert_true(strcmp(scope, "table") == 0 || strcmp(scope, "quasi") == 0 || strcmp(scope, "sensitive") == 0);
        if (strcmp(kanon_measure_name(i), "t_closeness") == 0) {
            assert_string_equal(scope, "sensitive");
            found = true;
        }
    }
    assert_true(found);
    assert_null(kanon_measure_name(kanon_measure_count()));
    assert_null(kanon_measure_formula(kanon_measure_count()));
    assert_null(kanon_measure_scope(kanon_measure_count()));
}

/* Every model that is listed can be asked for in a schema, and the one for entities, which cannot, is not listed. */
static void test_models(void **state)
{
    (void)state;
    assert_true(kanon_model_count() > 0);
    for (size_t i = 0; i < kanon_model_count(); i++) {
        const char *range = NULL;
        assert_string_not_equal(kanon_model_name(i), "entities");
        assert_non_null(kanon_model_sentence(i));
        assert_non_null(kanon_model_source(i));
        assert_non_null(kanon_model_parameter(i, 0, &range));
        for (size_t j = 0; kanon_model_parameter(i, j, &range) != NULL; j++) {
            assert_non_null(range);
            range = NULL;
        }
        assert_null(kanon_model_parameter(i, 9, &range));
    }
    assert_string_equal(kanon_model_name(0), "distinct-l-diversity");
    assert_string_equal(kanon_model_parameter(0, 0, NULL), "l");
    assert_null(kanon_model_parameter(0, 1, NULL));
    assert_null(kanon_model_name(kanon_model_count()));
    assert_null(kanon_model_sentence(kanon_model_count()));
    assert_null(kanon_model_source(kanon_model_count()));
    assert_null(kanon_model_parameter(kanon_model_count(), 0, NULL));
}

static void test_status_texts(void **state)
{
    (void)state;
    assert_string_equal(kanon_enum_text(KANON_ENUM_STATUS, KANON_EVERSION), "file of another version");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_status_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
