/* Cutting a table at its gaps: sizes, order, and which cut is taken. */
#include "core/alloc.h"
#include "partition/gaps.h"
#include "support.h"

static kanon__parts *cut(const char *csv, const char *schema, int64_t least, kanon_table **table, kanon__space **space)
{
    kanon_error err = {0};
    kanon_schema *s = NULL;
    kanon__parts *parts = NULL;
    place csv_path = scratch("t.csv"), schema_path = scratch("s.yaml");
    write_text(csv_path.text, csv);
    write_text(schema_path.text, schema);
    assert_done(kanon_schema_read(&s, schema_path.text, &err), &err);
    assert_done(kanon_table_read(table, csv_path.text, s, NULL, &err), &err);
    kanon_schema_free(s);
    assert_done(kanon__space_new(space, *table, (*table)->quasi, (*table)->n_quasi, KANON__TERMS_LOSS, &err), &err);
    assert_done(kanon__parts_at_gaps(&parts, *space, least, NULL, &err), &err);
    return parts;
}

static void release(kanon__parts *parts, kanon_table *table, kanon__space *space)
{
    kanon__parts_free(parts);
    kanon__space_free(space);
    kanon_table_free(table);
}

/* To bridge F and M costs 1, to bridge two ages at most 7/10: sex is cut although age would divide the rows more evenly. */
static void dearest_gap_is_cut(void **state)
{
    kanon_table *table = NULL;
    kanon__space *space = NULL;
    (void)state;
    kanon__parts *parts = cut("age,sex\n20,F\n21,M\n22,M\n29,M\n30,F\n30,M\n", "attributes: {age: quasi, sex: quasi}\n", 2,
                              &table, &space);
    /* {F: rows 0 4}, then M {1 2 3 5}: 20..22 against 29..30, the gap of 7 */
    const int32_t rows[] = {0, 4, 1, 2, 3, 5};
    const int64_t begins[] = {0, 2, 4, 6};
    assert_int_equal(parts->n, 3);
    assert_memory_equal(parts->rows, rows, sizeof rows);
    assert_memory_equal(parts->begins, begins, sizeof begins);
    release(parts, table, space);
}

/* All values are equal: there is no gap, and the part stays whole. Of equal gaps the one nearest to the middle is taken. */
static void equal_values_stay_together(void **state)
{
    kanon_table *table = NULL;
    kanon__space *space = NULL;
    (void)state;
    kanon__parts *parts = cut("a\n1\n1\n1\n1\n1\n1\n", "attributes: {a: quasi}\n", 2, &table, &space);
    assert_int_equal(parts->n, 1);
    release(parts, table, space);
    parts = cut("a\n1\n2\n3\n3\n3\n3\n4\n5\n", "attributes: {a: quasi}\n", 2, &table, &space);
    /* the 3s stay together; after {1 2} | rest and {1 2 3 3 3 3} | {4 5} are equally far from the middle, the first is taken */
    const int64_t begins[] = {0, 2, 6, 8};
    assert_int_equal(parts->n, 3);
    assert_memory_equal(parts->begins, begins, sizeof begins);
    release(parts, table, space);
}

/* All gaps are equal: the table is cut in the middle, and halves of three records are too small to be cut again. */
static void middle_is_cut_among_equals(void **state)
{
    kanon_table *table = NULL;
    kanon__space *space = NULL;
    const int64_t begins[] = {0, 3, 6};
    (void)state;
    kanon__parts *parts = cut("a\n1\n2\n3\n4\n5\n6\n", "attributes: {a: quasi}\n", 2, &table, &space);
    assert_int_equal(parts->n, 2);
    assert_memory_equal(parts->begins, begins, sizeof begins);
    release(parts, table, space);
}

static void no_memory(void **state)
{
    kanon_table *table = NULL;
    kanon__space *space = NULL;
    (void)state;
    kanon__parts *parts = cut("a,b\n1,x\n2,x\n3,y\n4,y\n5,z\n6,z\n", "attributes: {a: quasi, b: quasi}\n", 2, &table,
                              &space);
    kanon__parts_free(parts);
    for (int64_t i = 1;; i++) {
        kanon_error err = {0};
        kanon__alloc_fail_at(i, false);
        kanon_status st = kanon__parts_at_gaps(&parts, space, 2, NULL, &err);
        kanon__alloc_fail_at(0, false);
        if (st == KANON_OK)
            break;
        assert_int_equal(st, KANON_ENOMEM);
        assert_null(parts);
    }
    release(parts, table, space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dearest_gap_is_cut),
        cmocka_unit_test(equal_values_stay_together),
        cmocka_unit_test(middle_is_cut_among_equals),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
