/* The worked examples of the papers, as definitions.md gives them. */
#include "support.h"

#include <math.h>

static place golden(const char *name)
{
    const char *source = getenv("KANON_SOURCE");
    place directory = inside(source != NULL ? source : ".", "tests/golden");
    return inside(directory.text, name);
}

static kanon_table *read_golden(const char *yaml, const char *csv)
{
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_schema_read(&schema, KANON_PATH(golden(yaml).text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(golden(csv).text), schema, NULL, &err), &err);
    kanon_schema_free(schema);
    return table;
}

static double figure(const kanon_table *table, const kanon_grouping *grouping, const char *name)
{
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_evaluate(&measures, table, grouping, NULL, &err), &err);
    const kanon_figure *found = kanon_measures_find(measures, name, NULL);
    if (found == NULL)
        fail_msg("there is no figure %s", name);
    double value = found->value;
    kanon_measures_free(measures);
    return value;
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fabs(expected)))
        fail_msg("%.15g, not %.15g", value, expected);
}

static void assert_same_file(const char *path, const char *expected)
{
    char *text = read_text(expected);
    assert_non_null(text);
    assert_file(path, text);
    free(text);
}

static void assert_loss(const kanon_table *table, const int64_t *group_of, double expected)
{
    kanon_grouping *grouping = grouping_of(table, group_of);
    assert_near(figure(table, grouping, "information_loss"), expected);
    kanon_grouping_free(grouping);
}

/* 2 * (15/30 + 3/5 + 1) + 2 * (20/30 + 1 + 0) + 3 * (9/30 + 3/5 + 1) */
static void truta_losses(void **state)
{
    static const int64_t clusters[] = {1, 1, 2, 2, 3, 3, 3}, first_break[] = {1, 1, 2, 2, 1, 2, 1},
                         second_break[] = {1, 1, 2, 2, 1, 2, 2};
    (void)state;
    kanon_table *table = read_golden("truta.yaml", "truta.csv");
    assert_loss(table, clusters, 4.2 + 10.0 / 3 + 5.7);
    assert_loss(table, first_break, 13.4);
    assert_loss(table, second_break, 38.9 / 3);
    kanon_table_free(table);
}

static void publish_both(const kanon_table *table, const char *groups, const char *release)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    place release_path = scratch("release.csv"), groups_path = scratch("groups.csv");
    assert_done(kanon_grouping_read(&grouping, table, KANON_PATH(golden(groups).text), &err), &err);
    kanon_outputs outputs = {.struct_size = sizeof outputs,
                             .release = KANON_TO_PATH(release_path.text),
                             .groups = KANON_TO_PATH(groups_path.text)};
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    assert_same_file(release_path.text, golden(release).text);
    assert_same_file(groups_path.text, golden(groups).text);
    kanon_grouping_free(grouping);
}

static void truta_release(void **state)
{
    (void)state;
    kanon_table *table = read_golden("truta.yaml", "truta.csv");
    publish_both(table, "truta_groups.csv", "truta_release.csv");
    kanon_table_free(table);
}

/* Table 3 of the paper. */
static void lin_release(void **state)
{
    (void)state;
    kanon_table *table = read_golden("lin.yaml", "lin.csv");
    publish_both(table, "lin_groups.csv", "lin_release.csv");
    kanon_table_free(table);
}

/* R = 16 and H = 5, 1: 3 * (1/5 + 0 + 2/16) + 3 * (0 + 1 + 5/16). */
static void lin_figures(void **state)
{
    static const int64_t group_of[] = {1, 1, 1, 2, 2, 2};
    (void)state;
    kanon_table *table = read_golden("lin.yaml", "lin.csv");
    kanon_grouping *grouping = grouping_of(table, group_of);
    assert_near(figure(table, grouping, "information_loss"), 4.9125);
    assert_near(figure(table, grouping, "avg_loss"), 4.9125 / 18);
    assert_near(figure(table, grouping, "discernibility"), 18);
    assert_near(figure(table, grouping, "avg_class_size"), 1);
    assert_near(figure(table, grouping, "k"), 3);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* Table 2 of the paper, and what is left of it with less loss. No level lower than the table's can hold: two of the six are
 * women, so Gender is Person; two ZIP codes occur once each, so ZipCode is 7527*; with ages in fives, [31-35] has one.
 * A cut may keep [21-25], which has three, and free intervals end at the records' own ages, three on either side. */
static void assert_recoded(const char *yaml, const char *algorithm, const char *release, double loss)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = read_golden(yaml, "lin.csv");
    place path = scratch("release.csv");
    kanon_options options = {.struct_size = sizeof options, .algorithm = algorithm, .recode = KANON_RECODE_ATTRIBUTE};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(path.text)};
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    assert_same_file(path.text, golden(release).text);
    assert_near(figure(table, grouping, "information_loss"), loss);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static void lin_table_2(void **state)
{
    (void)state;
    assert_recoded("lin_levels.yaml", "full-domain", "lin_table2.csv", 6 * (1.0 / 5 + 1 + 2.0 / 3));
    assert_recoded("lin_levels.yaml", "attribute-cut", "lin_table2_cut.csv", 6 * (1.0 / 5 + 1) + 3 * (1.0 / 3 + 2.0 / 3));
    assert_recoded("lin.yaml", "full-domain", "lin_table2_numbers.csv", 6 * (1.0 / 5 + 1) + 3 * (2.0 / 16 + 5.0 / 16));
    assert_recoded("lin.yaml", NULL, "lin_table2_numbers.csv", 6 * (1.0 / 5 + 1) + 3 * (2.0 / 16 + 5.0 / 16));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truta_losses),
        cmocka_unit_test(truta_release),
        cmocka_unit_test(lin_release),
        cmocka_unit_test(lin_figures),
        cmocka_unit_test(lin_table_2),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
