/* The catalogue, against the tables that it is made of and what calls take. */
#include "options/option_row.h"
#include "support.h"

#include <math.h>

static const int n_lists = KANON_CATALOGUE_STATUS + 1;

static const kanon_entry *find(kanon_catalogue list, const char *name)
{
    const kanon_entry *entry = kanon_catalogue_find(list, name);
    if (entry == NULL)
        fail_msg("list %d has no %s", (int)list, name);
    return entry;
}

static size_t count_settings(const kanon_entry *entry)
{
    size_t n = 0;
    while (kanon_entry_setting(entry, n) != NULL)
        n++;
    return n;
}

static void assert_text(const char *text)
{
    assert_non_null(text);
    assert_true(text[0] != '\0');
}

/* ---- every list -------------------------------------------------------------------------------------------------- */

static void lists_are_complete(void **state)
{
    (void)state;
    for (int list = 0; list < n_lists; list++) {
        size_t n = kanon_catalogue_count((kanon_catalogue)list);
        assert_true(n > 0);
        for (size_t i = 0; i < n; i++) {
            const kanon_entry *entry = kanon_catalogue_at((kanon_catalogue)list, i);
            assert_non_null(entry);
            assert_int_equal(entry->struct_size, sizeof(kanon_entry));
            assert_text(entry->name);
            assert_text(entry->brief);
            assert_null(strchr(entry->brief, '\n'));
            assert_ptr_equal(find((kanon_catalogue)list, entry->name), entry); /* the same one, and no other has the name */
        }
        assert_null(kanon_catalogue_at((kanon_catalogue)list, n));
        assert_null(kanon_catalogue_at((kanon_catalogue)list, SIZE_MAX));
        assert_null(kanon_catalogue_find((kanon_catalogue)list, "no such thing"));
        assert_null(kanon_catalogue_find((kanon_catalogue)list, ""));
    }
}

static void other_numbers_are_no_lists(void **state)
{
    const int others[] = {n_lists, n_lists + 1, -1, INT32_MAX, INT32_MIN};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        kanon_catalogue list = (kanon_catalogue)others[i];
        assert_int_equal(kanon_catalogue_count(list), 0);
        assert_null(kanon_catalogue_at(list, 0));
        assert_null(kanon_catalogue_find(list, "auto"));
        assert_null(kanon_catalogue_find(list, NULL));
    }
}

static void one_list_has_a_default(void **state)
{
    (void)state;
    for (int list = 0; list < n_lists; list++) {
        const kanon_entry *entry = kanon_catalogue_find((kanon_catalogue)list, NULL);
        if (list == KANON_CATALOGUE_ALGORITHM)
            assert_string_equal(entry->name, "auto");
        else
            assert_null(entry);
    }
}

static void settings_explain_themselves(void **state)
{
    (void)state;
    assert_null(kanon_entry_setting(NULL, 0));
    for (int list = 0; list < n_lists; list++) {
        const kanon_entry *entry;
        for (size_t i = 0; (entry = kanon_catalogue_at((kanon_catalogue)list, i)) != NULL; i++) {
            const kanon_setting_info *setting;
            assert_null(kanon_entry_setting(entry, SIZE_MAX));
            for (size_t j = 0; (setting = kanon_entry_setting(entry, j)) != NULL; j++) {
                assert_text(setting->name);
                assert_true(setting->min <= setting->max);
                assert_true(setting->help != NULL || list == KANON_CATALOGUE_OPTION);
                assert_true(setting->type != KANON_SETTING_CHOICE || setting->choices != NULL);
                assert_true(!setting->above_min || setting->type == KANON_SETTING_NUMBER);
                assert_true(!setting->required || list == KANON_CATALOGUE_MODEL);
                assert_true(setting->default_value == NULL || setting->default_value[0] != '\0');
            }
        }
    }
}

/* ---- one list after the other ------------------------------------------------------------------------------------ */

static void algorithms_say_when_to_use_them(void **state)
{
    const kanon_entry *entry;
    (void)state;
    for (int list = KANON_CATALOGUE_ALGORITHM; list <= KANON_CATALOGUE_REFINEMENT; list++)
        for (size_t i = 0; (entry = kanon_catalogue_at((kanon_catalogue)list, i)) != NULL; i++) {
            assert_text(entry->more);
            assert_text(entry->source);
            assert_true(entry->revision > 0);
            assert_true(entry->scope == NULL && entry->example == NULL && entry->since == NULL);
        }
    assert_string_equal(kanon_entry_setting(find(KANON_CATALOGUE_ALGORITHM, "auto"), 0)->choices, "fast|balanced|best");
    assert_null(kanon_entry_setting(find(KANON_CATALOGUE_ALGORITHM, "strips"), 0));
    find(KANON_CATALOGUE_REFINEMENT, "search");
}

/* Every model that is listed can be asked for in a schema, and the one for entities, which cannot, is not listed. */
static void models_have_parameters(void **state)
{
    const kanon_entry *entry;
    (void)state;
    for (size_t i = 0; (entry = kanon_catalogue_at(KANON_CATALOGUE_MODEL, i)) != NULL; i++) {
        assert_text(entry->source);
        assert_int_equal(entry->revision, 0);
        assert_in_range(count_settings(entry), 1, 2); /* KANON__MOST_PARAMETERS */
        assert_true(kanon_entry_setting(entry, 0)->required);
        for (const char *at = strchr(entry->brief, '{'); at != NULL; at = strchr(at + 1, '{'))
            assert_in_range(at[1] - '1', 0, count_settings(entry) - 1);
        assert_non_null(strchr(entry->brief, '{'));
    }
    assert_null(kanon_catalogue_find(KANON_CATALOGUE_MODEL, "entities"));
    assert_string_equal(kanon_catalogue_at(KANON_CATALOGUE_MODEL, 0)->name, "distinct-l-diversity");
    const kanon_setting_info *l = kanon_entry_setting(find(KANON_CATALOGUE_MODEL, "distinct-l-diversity"), 0);
    assert_string_equal(l->name, "l");
    assert_int_equal(l->type, KANON_SETTING_INTEGER);
    assert_float_equal(l->min, 2, 0);
    const kanon_setting_info *c = kanon_entry_setting(find(KANON_CATALOGUE_MODEL, "recursive-l-diversity"), 0);
    assert_int_equal(c->type, KANON_SETTING_NUMBER);
    assert_true(c->min == 0 && c->above_min);
    const kanon_setting_info *distance = kanon_entry_setting(find(KANON_CATALOGUE_MODEL, "t-closeness"), 1);
    assert_string_equal(distance->choices, "equal|ordered|taxonomy");
    assert_false(distance->required);
}

static void measures_have_a_scope(void **state)
{
    const kanon_entry *entry;
    size_t n_settings = 0;
    (void)state;
    for (size_t i = 0; (entry = kanon_catalogue_at(KANON_CATALOGUE_MEASURE, i)) != NULL; i++) {
        assert_true(strcmp(entry->scope, "table") == 0 || strcmp(entry->scope, "quasi") == 0 ||
                    strcmp(entry->scope, "sensitive") == 0 || strcmp(entry->scope, "released") == 0);
        n_settings += count_settings(entry);
    }
    assert_string_equal(find(KANON_CATALOGUE_MEASURE, "t_closeness")->scope, "sensitive");
    assert_string_equal(find(KANON_CATALOGUE_MEASURE, "ncp")->scope, "quasi");
    assert_string_equal(find(KANON_CATALOGUE_MEASURE, "records")->scope, "table");
    assert_string_equal(kanon_entry_setting(find(KANON_CATALOGUE_MEASURE, "protection"), 0)->name, "r");
    assert_string_equal(kanon_entry_setting(find(KANON_CATALOGUE_MEASURE, "s_diversity"), 0)->name, "r");
    assert_string_equal(kanon_entry_setting(find(KANON_CATALOGUE_MEASURE, "journalist_risk"), 0)->name, "population-size");
    assert_string_equal(kanon_entry_setting(find(KANON_CATALOGUE_MEASURE, "query_error"), 4)->name, "query-seed");
    assert_int_equal(n_settings, 1 + 1 + 1 + 1 + 5); /* and no other measure depends on any */
}

static void drivers_say_how_to_get_them(void **state)
{
    const kanon_entry *entry;
    (void)state;
    for (size_t i = 0; (entry = kanon_catalogue_at(KANON_CATALOGUE_DRIVER, i)) != NULL; i++) {
        assert_text(entry->more);
        assert_null(kanon_entry_setting(entry, 0));
    }
    find(KANON_CATALOGUE_DRIVER, "duckdb");
}

static void notations_and_statuses_are_by_value(void **state)
{
    (void)state;
    assert_int_equal(kanon_catalogue_count(KANON_CATALOGUE_NOTATION), KANON_NUMERIC_COLUMNS);
    for (int i = 0; i < KANON_NUMERIC_COLUMNS; i++) {
        const kanon_entry *entry = kanon_catalogue_at(KANON_CATALOGUE_NOTATION, (size_t)i);
        assert_text(entry->example);
        assert_int_equal(kanon_enum_value(KANON_ENUM_NUMERIC, entry->name), i + 1);
    }
    assert_int_equal(kanon_catalogue_count(KANON_CATALOGUE_STATUS), KANON_EINTERNAL + 1);
    for (int i = 0; i <= KANON_EINTERNAL; i++)
        assert_string_equal(kanon_catalogue_at(KANON_CATALOGUE_STATUS, (size_t)i)->name,
                            kanon_enum_text(KANON_ENUM_STATUS, i));
    assert_string_equal(find(KANON_CATALOGUE_NOTATION, "mean")->example, "24.5");
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

static const option rows[] = {
#define KANON_OPTION(called, place, ...) {.id = #called, __VA_ARGS__},
#include "options/options.def"
#undef KANON_OPTION
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static void assert_same_text(const char *one, const char *other)
{
    assert_true((one == NULL) == (other == NULL));
    if (one != NULL)
        assert_string_equal(one, other);
}

static void options_are_those_of_the_table(void **state)
{
    (void)state;
    assert_int_equal(kanon_catalogue_count(KANON_CATALOGUE_OPTION), N_ROWS);
    for (size_t i = 0; i < N_ROWS; i++) {
        const kanon_entry *entry = kanon_catalogue_at(KANON_CATALOGUE_OPTION, i);
        assert_string_equal(entry->name, rows[i].id);
        assert_string_equal(entry->brief, rows[i].brief);
        assert_same_text(entry->more, rows[i].more);
        assert_same_text(entry->example, rows[i].example);
        assert_string_equal(entry->since, rows[i].since != NULL ? rows[i].since : "0.1.0");
        assert_int_equal(count_settings(entry), 1);
        assert_same_text(kanon_entry_setting(entry, 0)->default_value, rows[i].standard);
        assert_same_text(kanon_entry_setting(entry, 0)->help, rows[i].unset);
    }
}

static void options_say_what_they_take(void **state)
{
    static const struct {
        const char *name, *choices, *standard;
        kanon_setting_type type;
        double min, max;
        int above_min;
    } cases[] = {
        {"effort", "fast|balanced|best", "balanced", KANON_SETTING_CHOICE, 0, 0, 0}, /* a text, and its words */
        {"numeric", "interval|range|mean|columns", "interval", KANON_SETTING_CHOICE, 0, 0, 0},
        {"empty", "missing|value", "missing", KANON_SETTING_CHOICE, 0, 0, 0},     /* words that are numbers from 1 */
        {"types", "integer|decimal|date|categorical|ordinal", NULL, KANON_SETTING_TEXT, 0, 0, 0}, /* of each column */
        {"blocks", "auto|none", "auto", KANON_SETTING_TEXT, 0, 0, 0},             /* or a number */
        {"joint_k", "off", NULL, KANON_SETTING_TEXT, 0, 0, 0},                    /* likewise */
        {"shuffle", NULL, "false", KANON_SETTING_FLAG, 0, 0, 0},
        {"k", NULL, NULL, KANON_SETTING_INTEGER, 2, INFINITY, 0},
        {"threads", NULL, NULL, KANON_SETTING_INTEGER, 1, 1024, 0},
        {"seed", NULL, "0", KANON_SETTING_INTEGER, 0, (double)KANON_SEED_MAX, 0},
        {"risk_threshold", NULL, "0.2", KANON_SETTING_NUMBER, 0, 1, 1},
        {"seconds", NULL, NULL, KANON_SETTING_NUMBER, 0, INFINITY, 1},
        {"quasi", NULL, NULL, KANON_SETTING_TEXT, 0, 0, 0},
        {"memory", NULL, NULL, KANON_SETTING_TEXT, 0, 0, 0},
        {"missing", NULL, NULL, KANON_SETTING_TEXT, 0, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kanon_setting_info *value = kanon_entry_setting(find(KANON_CATALOGUE_OPTION, cases[i].name), 0);
        if (value->type != cases[i].type || value->min != cases[i].min || value->max != cases[i].max)
            fail_msg("%s: type %d from %g to %g", cases[i].name, (int)value->type, value->min, value->max);
        assert_int_equal(value->above_min, cases[i].above_min);
        assert_same_text(value->choices, cases[i].choices);
        assert_same_text(value->default_value, cases[i].standard);
        assert_string_equal(value->name, cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_complete),
        cmocka_unit_test(other_numbers_are_no_lists),
        cmocka_unit_test(one_list_has_a_default),
        cmocka_unit_test(settings_explain_themselves),
        cmocka_unit_test(algorithms_say_when_to_use_them),
        cmocka_unit_test(models_have_parameters),
        cmocka_unit_test(measures_have_a_scope),
        cmocka_unit_test(drivers_say_how_to_get_them),
        cmocka_unit_test(notations_and_statuses_are_by_value),
        cmocka_unit_test(options_are_those_of_the_table),
        cmocka_unit_test(options_say_what_they_take),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
