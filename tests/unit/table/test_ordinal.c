/* Ordinal columns: values worked out by hand, what is refused, and releases of every form. */
#include "arrow_consumer.h"
#include "unit/arrow_release_cases.h"
#include "support.h"

#include <math.h>

/* Four levels, of which the last one is nobody's: R is 3. */
static const char yaml[] = "missing: [\"?\"]\n"
                           "attributes:\n"
                           "  school: {role: quasi, type: ordinal, order: [none, primary, secondary, tertiary]}\n"
                           "  pain: {role: sensitive, order: [low, \"so-so, really\", high, worst]}\n";

static const char csv[] = "school,pain\n"
                          "none,low\nprimary,low\n"
                          "secondary,\"so-so, really\"\n secondary ,high\n"
                          "?,high\nprimary,high\n"
                          "?,high\n?,?\n";

#define PAIRS GROUPS(1, 1, 2, 2, 3, 3, 4, 4)

static void assert_figure(const kanon_table *table, const int64_t *groups, const char *figure, const char *attribute,
                          double expected)
{
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *grouping = grouping_of(table, groups);
    assert_done(kanon_evaluate(&measures, table, grouping, NULL, &err), &err);
    const kanon_figure *found = kanon_measures_find(measures, figure, attribute);
    assert_non_null(found);
    if (fabs(found->value - expected) > 1e-12)
        fail_msg("%s is %.15g, not %.15g", figure, found->value, expected);
    kanon_measures_free(measures);
    kanon_grouping_free(grouping);
}

/* Terms: 1/3 from none to primary, 0 for secondary alone, 1 where a missing value meets a level, 0 where all are missing. */
static void measures_by_hand(void **state)
{
    (void)state;
    kanon_table *t = table_of(yaml, csv);
    assert_int_equal(kanon_table_column_at(t, 0)->type, KANON_TYPE_ORDINAL);
    assert_int_equal(kanon_table_column_at(t, 1)->type, KANON_TYPE_ORDINAL); /* an order says so */
    assert_figure(t, PAIRS, "information_loss", NULL, 2 * (1 / 3.0 + 0 + 1 + 0));
    assert_figure(t, PAIRS, "avg_loss", NULL, 2 * (4 / 3.0) / 8);
    assert_figure(t, PAIRS, "q_diversity", "school", (4 / 3.0) / 4);
    /* the mean rank of none and primary is 1/2: each is 1/6 away from it; where one is missing, that one is 1 away */
    assert_figure(t, PAIRS, "square_error", NULL, 2 / 36.0 + 1);
    /* primary to tertiary, with what only a declared level is between */
    assert_figure(t, GROUPS(1, 2, 1, 2, 3, 3, 4, 4), "attribute_loss", "school", 2 * (2 / 3.0) + 2 * (1 / 3.0) + 2);
    kanon_table_free(t);
}

/* Of eight values of pain two are low, one so-so, four high, one missing, which comes after the levels: five values, four
 * steps. Cumulated: 2/8 3/8 7/8 7/8. A group of two low ones: 1 1 1 1; the differences 6/8 + 5/8 + 1/8 + 1/8 = 13/8. */
static void distances_use_ranks(void **state)
{
    (void)state;
    kanon_table *t = table_of(yaml, csv);
    assert_figure(t, PAIRS, "t_closeness", "pain", 13 / 8.0 / 4);
    kanon_table_free(t);
    /* without a missing value: four levels, three steps; 1/2 1/2 1 1 in the table, 1 1 1 1 in the first group */
    t = table_of("attributes: {a: {role: quasi}, b: {role: sensitive, order: [x, unused, y, \"18-24\"]}}\n",
                 "a,b\n1,x\n1,x\n2,y\n2,y\n");
    assert_figure(t, GROUPS(1, 1, 2, 2), "t_closeness", "b", (1 / 2.0 + 1 / 2.0) / 3);
    kanon_table_free(t);
}

static void one_level_costs_nothing(void **state)
{
    (void)state;
    kanon_table *t = table_of("attributes: {a: {role: quasi, order: [only]}}\n", "a\nonly\nonly\n");
    assert_figure(t, GROUPS(1, 1), "information_loss", NULL, 0);
    kanon_table_free(t);
}

static void assert_csv(const kanon_table *table, const int64_t *groups, kanon_numeric numeric, const char *expected)
{
    kanon_error err = KANON_INIT(kanon_error);
    place path = scratch("r.csv"), read = scratch("s2.yaml");
    kanon_grouping *grouping = grouping_of(table, groups);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(path.text), .numeric = numeric};
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    assert_file(path.text, expected);
    /* what is written reads back as the same classes */
    kanon_check *check = NULL;
    kanon_schema *schema = NULL;
    write_text(read.text, yaml);
    assert_done(kanon_schema_read(&schema, KANON_PATH(read.text), NULL, &err), &err);
    assert_done(kanon_check_read(&check, KANON_PATH(path.text), schema, NULL, &err), &err);
    assert_int_equal(check->k, 2);
    assert_int_equal(check->classes, 4);
    kanon_check_free(check);
    /* and costs what the groups cost */
    if (numeric != KANON_NUMERIC_COLUMNS) {
        kanon_measures *measures = NULL;
        assert_done(kanon_evaluate_release(&measures, table, KANON_PATH(path.text), schema, NULL, &err), &err);
        assert_true(fabs(kanon_measures_find(measures, "information_loss", NULL)->value - 2 * (4 / 3.0)) < 1e-12);
        kanon_measures_free(measures);
    }
    kanon_schema_free(schema);
    kanon_grouping_free(grouping);
}

static void every_form_of_csv(void **state)
{
    static const char interval[] = "school,pain\n[none..primary],low\n[none..primary],low\n"
                                   "secondary,\"so-so, really\"\nsecondary,high\n*,high\n*,high\n?,high\n?,?\n";
    (void)state;
    kanon_table *t = table_of(yaml, csv);
    assert_csv(t, PAIRS, KANON_NUMERIC_INTERVAL, interval);
    assert_csv(t, PAIRS, KANON_NUMERIC_RANGE, interval); /* no range type has levels */
    assert_csv(t, PAIRS, KANON_NUMERIC_MEAN, interval);  /* and ranks have no mean */
    assert_csv(t, PAIRS, KANON_NUMERIC_COLUMNS,
               "school_min,school_max,pain\nnone,primary,low\nnone,primary,low\n"
               "secondary,secondary,\"so-so, really\"\nsecondary,secondary,high\n*,*,high\n*,*,high\n?,?,high\n?,?,?\n");
    kanon_table_free(t);
}

/* All levels are there, in their order, whether a record has them or not. */
static void assert_dictionary(const arrow_taken *taken, int64_t column, const char *const *levels, int64_t n)
{
    const struct ArrowSchema *schema = taken->schema.children[column];
    assert_true((schema->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0);
    assert_string_equal(schema->dictionary->format, "u");
    const struct ArrowArray *entries = taken->batches[0].children[column]->dictionary;
    const int32_t *ends = entries->buffers[1];
    assert_int_equal(entries->length, n);
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(ends[i + 1] - ends[i], strlen(levels[i]));
        assert_memory_equal((const char *)entries->buffers[2] + ends[i], levels[i], strlen(levels[i]));
    }
}

static void arrow_of_csv(void **state)
{
    static const char *const schools[] = {"none", "primary", "secondary", "tertiary"};
    (void)state;
    kanon_table *t = table_of(yaml, csv);
    for (int numeric = KANON_NUMERIC_COLUMNS; numeric <= KANON_NUMERIC_MEAN; numeric++) {
        struct ArrowArrayStream stream;
        kanon_error err = KANON_INIT(kanon_error);
        kanon_grouping *grouping = grouping_of(t, PAIRS);
        assert_done(release(&stream, t, grouping, (kanon_numeric)numeric, false, 1, &err), &err);
        arrow_taken taken = arrow_take(&stream);
        char *text = arrow_taken_print(&taken);
        if (numeric == KANON_NUMERIC_INTERVAL) {
            assert_string_equal(text, "school:u,pain:u\n[none..primary],low\n[none..primary],low\n"
                                      "secondary,so-so, really\nsecondary,high\n-,high\n-,high\n-,high\n-,?\n");
        } else {
            assert_string_equal(text, "school_min:i=u,school_max:i=u,pain:u\nnone,primary,low\nnone,primary,low\n"
                                      "secondary,secondary,so-so, really\nsecondary,secondary,high\n-,-,high\n-,-,high\n"
                                      "-,-,high\n-,-,?\n");
            assert_dictionary(&taken, 0, schools, 4);
            assert_dictionary(&taken, 1, schools, 4);
        }
        free(text);
        arrow_taken_clear(&taken);
        kanon_grouping_free(grouping);
    }
    kanon_table_free(t);
}

static void order_dictionary(struct ArrowSchema *schema, void *payload)
{
    (void)payload;
    schema->children[0]->flags |= ARROW_FLAG_DICTIONARY_ORDERED;
}

/* An ordered dictionary knows its levels; those of the schema win over them. */
static void ordered_dictionaries(void **state)
{
    static const char plain[] = "attributes: {x: quasi}\n", told[] = "attributes: {x: {role: quasi, order: [c, b, a, d]}}\n",
                      category[] = "attributes: {x: {role: quasi, type: categorical}}\n";
    static const char *const expected[] = {"x_min:i=u,x_max:i=u\nb,c\nb,c\na,a\na,a\n",
                                           "x_min:i=u,x_max:i=u\nc,b\nc,b\na,a\na,a\n",
                                           "x:i=u\n-\n-\na\na\n"};
    (void)state;
    const arrow_field field = {"x", "c", "u", CELLS("b", "c", "a", "a")};
    for (int i = 0; i < 3; i++) {
        arrow_layout layout = {.spoil_schema = order_dictionary};
        arrow_counts counts = {0};
        kanon_error err = KANON_INIT(kanon_error);
        struct ArrowArrayStream stream;
        kanon_table *t = import(i == 0 ? plain : i == 1 ? told : category, &(arrow_table){1, &field, 4}, &layout, &counts);
        assert_int_equal(kanon_table_column_at(t, 0)->type, i < 2 ? KANON_TYPE_ORDINAL : KANON_TYPE_CATEGORICAL);
        kanon_grouping *grouping = grouping_of(t, GROUPS(1, 1, 2, 2));
        assert_done(release(&stream, t, grouping, KANON_NUMERIC_COLUMNS, false, 1, &err), &err);
        arrow_taken taken = arrow_take(&stream);
        char *text = arrow_taken_print(&taken);
        assert_string_equal(text, expected[i]);
        free(text);
        arrow_taken_clear(&taken);
        kanon_grouping_free(grouping);
        kanon_table_free(t);
    }
}

static void refusals(void **state)
{
    static const struct {
        const char *yaml, *csv, *message;
        kanon_status status;
    } cases[] = {
        {"attributes: {a: {role: quasi, order: [x, y]}}\n", "a\nx\nunheard of\n",
         "t.csv:3: a: the value is none of the levels", KANON_EDATA},
        {"attributes: {a: {role: quasi, type: ordinal}}\n", "a\nx\nx\n", "an ordinal column without an order", KANON_EDATA},
        {"attributes: {a: {role: quasi, order: [x, x]}}\n", "a\nx\nx\n", "a level that is named twice", KANON_EDATA},
        {"attributes: {a: {role: quasi, order: [x..y]}}\n", "a\nx\nx\n", "a level that has '..' in it", KANON_EDATA},
        {"attributes: {a: {role: quasi, order: [\" x\"]}}\n", "a\nx\nx\n", "white space at its ends", KANON_EDATA},
        {"attributes: {a: {role: quasi, order: [\"*\"]}}\n", "a\nx\nx\n", "stands for any value", KANON_EDATA},
        {"attributes: {a: {role: quasi, order: []}}\n", "a\nx\nx\n", "an order without levels", KANON_EDATA},
        {"attributes: {a: {role: quasi, type: integer, order: [x]}}\n", "a\nx\nx\n", "has an order but its type is integer",
         KANON_EDATA},
        {"attributes: {a: {role: quasi, order: [x], bands: 5}}\n", "a\nx\nx\n", "'a' has both bands and an order",
         KANON_EDATA},
        {"attributes: {a: {role: quasi, order: [x], mask: right}}\n", "a\nx\nx\n", "'a' has both a mask and an order",
         KANON_EDATA},
        {"missing: [x]\nattributes: {a: {role: quasi, order: [x, y]}}\n", "a\nx\ny\n", "looks like a level", KANON_EDATA},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        kanon_table *table = NULL;
        kanon_schema *schema = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        place path = scratch("s.yaml"), file = scratch("t.csv");
        write_text(path.text, cases[i].yaml);
        write_text(file.text, cases[i].csv);
        kanon_status st = kanon_schema_read(&schema, KANON_PATH(path.text), NULL, &err);
        if (st == KANON_OK)
            st = kanon_table_read(&table, KANON_PATH(file.text), schema, NULL, &err);
        assert_int_equal(st, cases[i].status);
        assert_holds(err.message, cases[i].message);
        assert_null(strstr(err.message, "unheard")); /* no value */
        kanon_schema_free(schema);
    }
}

/* The setter: what was set last stays. */
static void setters(void **state)
{
    (void)state;
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    place file = scratch("t.csv");
    write_text(file.text, "x\na\nb\n");
    assert_done(kanon_schema_new(&schema, NULL, &err), &err);
    assert_done(kanon_schema_set(schema, "x", "role", "quasi", &err), &err);
    assert_done(kanon_schema_set(schema, "x", "mask", "right", &err), &err);
    assert_done(kanon_schema_set(schema, "x", "order", "[a, b]", &err), &err);
    assert_int_equal(kanon_schema_set(schema, "x", "order", "[a, a]", &err), KANON_EINVAL);
    assert_string_equal(err.message, "column 'x': a level that is named twice");
    assert_done(kanon_table_read(&table, KANON_PATH(file.text), schema, NULL, &err), &err);
    assert_int_equal(kanon_table_column_at(table, 0)->type, KANON_TYPE_ORDINAL);
    kanon_table_free(table);
    assert_done(kanon_schema_set(schema, "x", "type", "categorical", &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(file.text), schema, NULL, &err), &err);
    assert_int_equal(kanon_table_column_at(table, 0)->type, KANON_TYPE_CATEGORICAL);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_by_hand),        cmocka_unit_test(distances_use_ranks),
        cmocka_unit_test(one_level_costs_nothing), cmocka_unit_test(every_form_of_csv),
        cmocka_unit_test(arrow_of_csv),            cmocka_unit_test(ordered_dictionaries),
        cmocka_unit_test(refusals),                cmocka_unit_test(setters),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
