/* Values that are written in several ways: which texts are one value, who is told, and what is released, of CSV and of
 * Arrow tables. White space is the no-break space in most of them, since the program's tests have the plain one. */
#include "arrow_consumer.h"
#include "unit/arrow_release_cases.h"
#include "support.h"
#include "table/read/table.h"

#define NBSP "\xc2\xa0"

static const char yaml[] = "missing: [\"?\"]\nentity: who\nattributes: {who: {role: identifying}, q: {role: quasi},\n"
                           "  s: {role: sensitive}, i: {role: insensitive}}\n";

static void assert_warnings(const kanon_table *table, const char *const *expected)
{
    size_t i = 0;
    for (; expected[i] != NULL; i++) {
        assert_non_null(kanon_table_notice_at(table, i));
        assert_string_equal(kanon_table_notice_at(table, i)->text, expected[i]);
    }
    assert_null(kanon_table_notice_at(table, i));
}

/* By row: the first row with the same code. */
static void assert_equal_rows(kanon__codes codes, int64_t n, const int64_t *first)
{
    for (int64_t row = 0; row < n; row++)
        for (int64_t other = 0; other <= row; other++)
            assert_int_equal(kanon__code_at(codes, row) == kanon__code_at(codes, other), first[row] == first[other]);
}

static const char *const told[] = {"who: 4 values differ only in spaces at their ends and count as 2",
                                   "q: 2 values differ only in spaces at their ends and count as one",
                                   "s: 3 values differ only in spaces at their ends and count as one", NULL};

static void assert_table(const kanon_table *table)
{
    assert_warnings(table, told);
    assert_int_equal(table->data.n_entities, 3);
    assert_equal_rows(table->data.entity_codes, 6, (const int64_t[]){0, 0, 2, 2, 4, 4});
    assert_equal_rows(table->data.columns[1].codes, 6, (const int64_t[]){0, 0, 2, 2, 2, 2});
    assert_equal_rows(table->data.columns[2].codes, 6, (const int64_t[]){0, 0, 0, 3, 3, 5});
    size_t length;
    const char *text = kanon__column_text(&table->data.columns[2], kanon__code_at(table->data.columns[2].codes, 0), &length);
    assert_int_equal(length, 3);
    assert_memory_equal(text, "hiv", 3);
}

static void publish(const kanon_table *table, const char *path)
{
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 2, 2, 2, 2));
    kanon_error err = KANON_INIT(kanon_error);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(path)};
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    kanon_grouping_free(grouping);
}

static void csv_values_are_joined(void **state)
{
    (void)state;
    place path = scratch("release.csv");
    kanon_table *table = table_of(yaml, "who,q,s,i\n"
                                        "ann,x,hiv,1\n"
                                        "ann" NBSP ",x,\"hiv \", 2\n"
                                        "bob,y," NBSP "hiv,3 \n"
                                        "\"bob \"," NBSP "y,?," NBSP "4\n"
                                        "?,y,?,5\n"
                                        "?,y,flu,6\n");
    assert_table(table);
    publish(table, path.text);
    assert_file(path.text, "q,s,i\nx,hiv,1\nx,\"hiv \", 2\ny," NBSP "hiv,3 \ny,?," NBSP "4\ny,?,5\ny,flu,6\n");
    kanon_table_free(table);
}

/* Plain texts, and dictionaries of them; null and "?" are missing. */
static void arrow_values_are_joined(void **state)
{
    (void)state;
    for (int dictionary = 0; dictionary < 2; dictionary++) {
        const char *format = dictionary ? "i" : "u", *entries = dictionary ? "u" : NULL;
        const arrow_field fields[] = {
            {"who", format, entries, CELLS("ann", "ann" NBSP, "bob", "bob ", NULL, "?")},
            {"q", format, entries, CELLS("x", "x", "y", NBSP "y", "y", "y")},
            {"s", format, entries, CELLS("hiv", "hiv ", NBSP "hiv", NULL, "?", "flu")},
            {"i", format, entries, CELLS("1", " 2", "3 ", NBSP "4", "5", "6")},
        };
        const arrow_table given = {4, fields, 6};
        arrow_layout layout = {0};
        arrow_counts counts = {0};
        kanon_table *table = import(yaml, &given, &layout, &counts);
        place path = scratch("release.csv");
        assert_table(table);
        publish(table, path.text);
        assert_file(path.text, "q,s,i\nx,hiv,1\nx,\"hiv \",\" 2\"\ny," NBSP "hiv,\"3 \"\ny,," NBSP "4\ny,?,5\ny,flu,6\n");
        kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 2, 2, 2, 2));
        struct ArrowArrayStream stream;
        kanon_error err = KANON_INIT(kanon_error);
        assert_done(release(&stream, table, grouping, KANON_NUMERIC_COLUMNS, false, 1, &err), &err);
        arrow_taken taken = arrow_take(&stream);
        static const char *const shown[6][3] = {{"x", "hiv", "1"},     {"x", "hiv ", " 2"}, {"y", NBSP "hiv", "3 "},
                                                {"y", NULL, NBSP "4"}, {"y", "?", "5"},     {"y", "flu", "6"}};
        for (int row = 0; row < 6; row++)
            for (int column = 0; column < 3; column++) {
                char *cell = arrow_taken_cell(&taken, row, column);
                assert_true((cell == NULL) == (shown[row][column] == NULL));
                if (cell != NULL)
                    assert_string_equal(cell, shown[row][column]);
                free(cell);
            }
        arrow_taken_clear(&taken);
        kanon_grouping_free(grouping);
        kanon_table_free(table);
    }
}

/* A number that means "no value", written with white space in the schema. */
static void arrow_numbers_are_missing(void **state)
{
    (void)state;
    const arrow_field field = {"n", "l", NULL, CELLS("99", "1", "99", "1")};
    const arrow_table given = {1, &field, 4};
    arrow_layout layout = {0};
    arrow_counts counts = {0};
    kanon_table *table = import("missing: [\" 99 \"]\nattributes: {n: {role: quasi}}\n", &given, &layout, &counts);
    assert_equal_rows(table->data.columns[0].codes, 4, (const int64_t[]){0, 1, 0, 1});
    assert_int_equal(kanon__code_at(table->data.columns[0].codes, 0), table->data.columns[0].domain->missing_code);
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 2, 1, 2));
    struct ArrowArrayStream stream;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(release(&stream, table, grouping, KANON_NUMERIC_COLUMNS, false, 1, &err), &err);
    stream.release(&stream);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* Numbers have always been compared as numbers: nobody is told. */
static void numbers_are_not_told(void **state)
{
    (void)state;
    kanon_table *table = table_of("attributes: {n: {role: quasi}}\n", "n\n5\n 5\n5" NBSP "\n5.0\n");
    assert_warnings(table, (const char *const[]){NULL});
    assert_equal_rows(table->data.columns[0].codes, 4, (const int64_t[]){0, 0, 0, 0});
    kanon_table_free(table);
}

/* é and e with an accent, in two orders of two accents, a ligature, letters of another width; ASCII among them. */
static void unicode_forms_are_told(void **state)
{
    (void)state;
    kanon_table *table = table_of("attributes: {q: {role: quasi}, s: {role: sensitive}}\n", "q,s\n"
                                                                                            "1,\xc3\xa9\n"
                                                                                            "1,x\n"
                                                                                            "1,e\xcc\x81 \n"
                                                                                            "1, e\xcc\x81\n"
                                                                                            "1,fin\n"
                                                                                            "1,\xef\xac\x81n\n"
                                                                                            "1,\xef\xbd\x98\n");
    assert_warnings(table,
                    (const char *const[]){
                        "s: 2 values differ only in spaces at their ends and count as one",
                        "s: 3 values differ from others only in their Unicode form and count as different; the first is in "
                        "line 4",
                        NULL});
    assert_equal_rows(table->data.columns[1].codes, 7, (const int64_t[]){0, 1, 2, 2, 4, 5, 6});
    kanon_table_free(table);
    table = table_of("attributes: {q: {role: quasi}, s: {role: sensitive}}\n",
                     "q,s\n1,a\xcc\xa3\xcc\x81\n1,\xc3\xa9\n1,a\xcc\x81\xcc\xa3\n");
    assert_warnings(table, (const char *const[]){"s: 1 value differs from another only in its Unicode form and counts as "
                                                 "different; the first is in line 4",
                                                 NULL});
    kanon_table_free(table);
    table = table_of("attributes: {q: {role: quasi}, s: {role: sensitive}}\n", "q,s\n1,\xc3\xa9\n1,e\n1,E\n1,\xc3\xa8\n");
    assert_warnings(table, (const char *const[]){NULL});
    kanon_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_values_are_joined),     cmocka_unit_test(arrow_values_are_joined),
        cmocka_unit_test(arrow_numbers_are_missing), cmocka_unit_test(numbers_are_not_told),
        cmocka_unit_test(unicode_forms_are_told),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
