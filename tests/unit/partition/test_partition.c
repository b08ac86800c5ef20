/* Cutting a table at its gaps: sizes, order, and which cut is taken; where the records that blocks leave over go; runs on
 * some of the rows. */
#include "core/alloc.h"
#include "core/random.h"
#include "partition/blocks.h"
#include "partition/gaps.h"
#include "partition/row_run.h"
#include "support.h"

static kanon__parts *cut(const char *csv, const char *schema, int64_t least, kanon_table **table, kanon__space **space)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *s = NULL;
    kanon__parts *parts = NULL;
    place csv_path = scratch("t.csv"), schema_path = scratch("s.yaml");
    write_text(csv_path.text, csv);
    write_text(schema_path.text, schema);
    assert_done(kanon_schema_read(&s, KANON_PATH(schema_path.text), NULL, &err), &err);
    assert_done(kanon_table_read(table, KANON_PATH(csv_path.text), s, NULL, &err), &err);
    kanon_schema_free(s);
    assert_done(kanon__space_new(space, &(*table)->data, (*table)->data.quasi, (*table)->data.n_quasi, KANON__TERMS_LOSS,
                                 &err),
                &err);
    assert_done(kanon__parts_at_gaps(&parts, *space, least, 1, NULL, &err), &err);
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
    /* the 3s stay together; after {1 2} | rest and {1 2 3 3 3 3} | {4 5} are equally far from the middle, the first is
     * taken */
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
        kanon_error err = KANON_INIT(kanon_error);
        kanon__alloc_fail_at(i, false);
        kanon_status st = kanon__parts_at_gaps(&parts, space, 2, 1, NULL, &err);
        kanon__alloc_fail_at(0, false);
        if (st == KANON_OK)
            break;
        assert_int_equal(st, KANON_ENOMEM);
        assert_null(parts);
    }
    release(parts, table, space);
}

/* ---- what blocks leave over -------------------------------------------------------------------------------------- */

enum { K = 3, LEAST = 7, MOST_ROWS = 60, N_TABLES = 200 };

/* A stand-in for an algorithm: rows in groups of K as they come, the rest, in blocks of even size K more, is left over. */
static kanon_status group_as_they_come(kanon__run *run, kanon_error *err)
{
    (void)err;
    int64_t n_grouped = (run->table->n_rows / K - (run->table->n_rows % 2 == 0 && run->table->n_rows >= 2 * K)) * K;
    assert_true(run->leave_rest);
    for (int64_t row = 0; row < run->table->n_rows; row++)
        run->group_of[row] = row < n_grouped ? (int32_t)(row / K) : KANON__LEFT_OVER;
    run->n_groups = (int32_t)(n_grouped / K);
    return KANON_OK;
}

/* |P| times (width of a / 100 + whether b differs), in hundredths, of the rows of a group, with one more unless that is
 * -1. */
static int64_t loss_of(const int *a, const int *b, const int32_t *group_of, int64_t n, int32_t group, int64_t more)
{
    int lo = INT32_MAX, hi = -1, sorts = 0;
    int64_t size = 0;
    for (int64_t row = 0; row < n; row++) {
        if (group_of[row] != group && row != more)
            continue;
        lo = a[row] < lo ? a[row] : lo;
        hi = a[row] > hi ? a[row] : hi;
        sorts |= 1 << b[row];
        size++;
    }
    return size * (hi - lo + ((sorts & (sorts - 1)) != 0 ? 100 : 0));
}

/* The definition: in record order, the group with the least increase, the lowest of equals. Returns how many records went
 * to another block. */
static int place_plainly(const int *a, const int *b, const kanon__parts *parts, int32_t *group_of, int64_t n)
{
    int n_away = 0;
    int32_t n_groups = 0, block_of_row[MOST_ROWS], block_of_group[MOST_ROWS];
    for (int64_t block = 0; block < parts->n; block++) {
        int64_t begin = parts->begins[block], size = parts->begins[block + 1] - begin;
        int64_t n_grouped = (size / K - (size % 2 == 0 && size >= 2 * K)) * K;
        for (int64_t i = 0; i < size; i++) {
            group_of[parts->rows[begin + i]] = i < n_grouped ? n_groups + (int32_t)(i / K) : KANON__LEFT_OVER;
            block_of_row[parts->rows[begin + i]] = (int32_t)block;
        }
        for (int64_t i = 0; i < n_grouped / K; i++)
            block_of_group[n_groups++] = (int32_t)block;
    }
    for (int64_t row = 0; row < n; row++) {
        int64_t least = INT64_MAX;
        int32_t best = -1;
        for (int32_t group = 0; group_of[row] == KANON__LEFT_OVER && group < n_groups; group++) {
            int64_t increase = loss_of(a, b, group_of, n, group, row) - loss_of(a, b, group_of, n, group, -1);
            if (increase < least) {
                least = increase;
                best = group;
            }
        }
        if (best < 0)
            continue;
        group_of[row] = best;
        n_away += block_of_group[best] != block_of_row[row];
    }
    return n_away;
}

/* Numbers from 0 to 100, both of which occur, and one of three sorts. */
static int64_t random_rows(kanon__random *random, char *csv, int *a, int *b)
{
    int64_t n = 20 + kanon__random_below(random, MOST_ROWS - 20);
    char *end = csv + sprintf(csv, "a,b\n");
    for (int64_t row = 0; row < n; row++) {
        a[row] = row < 2 ? (int)row * 100 : (int)kanon__random_below(random, 101);
        b[row] = (int)kanon__random_below(random, 3);
        end += sprintf(end, "%d,%c\n", a[row], 'x' + b[row]);
    }
    return n;
}

static void leftovers_go_where_they_cost_least(void **state)
{
    int n_away = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= N_TABLES; seed++) {
        char csv[MOST_ROWS * 8 + 8];
        int a[MOST_ROWS], b[MOST_ROWS];
        int32_t expected[MOST_ROWS], group_of[MOST_ROWS];
        kanon_table *table = NULL;
        kanon__space *space = NULL;
        kanon__random random;
        kanon__random_init(&random, seed, 0);
        int64_t n = random_rows(&random, csv, a, b);
        kanon__parts *parts = cut(csv, "attributes: {a: quasi, b: {role: quasi, type: categorical}}\n", LEAST, &table,
                                  &space);
        n_away += place_plainly(a, b, parts, expected, n);
        for (int threads = 1; threads <= 2 && parts->n > 1; threads++) {
            kanon_error err = KANON_INIT(kanon_error);
            kanon__texts warnings = {0};
            kanon__run run = {
                .table = &table->data, .space = space, .k = K, .threads = threads, .warnings = &warnings,
                .group_of = group_of};
            const kanon__block_work work = {.least = LEAST, .row_bytes = 1, .algorithm = group_as_they_come};
            assert_done(kanon__blocks_run(&run, &work, NULL, &err), &err);
            for (int64_t row = 0; row < n; row++) {
                if (group_of[row] != expected[row])
                    fail_msg("seed %d: row %d is in group %d, not %d", (int)seed, (int)row, group_of[row], expected[row]);
            }
        }
        release(parts, table, space);
    }
    assert_true(n_away > N_TABLES / 4);
}

/* ---- runs on some rows ------------------------------------------------------------------------------------------- */

/* Rows 2 and 0 have ages 20 and 0 of a range of 100: together they cost 20/100 in the part, too, where the range is only 20.
 * A run has what the caller gave it, and no groups of the whole. */
static void part_costs_what_it_costs_in_the_whole(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = NULL;
    kanon__space *space = NULL;
    kanon__texts warnings = {0}, chosen = {0};
    uint32_t *maps[1] = {NULL};
    const int32_t rows[] = {2, 0};
    int32_t group_of[2];
    kanon__bound box[2];
    kanon__row_run part = {0};
    (void)state;
    kanon__parts *parts = cut("a\n0\n5\n20\n100\n", "attributes: {a: quasi}\n", 2, &table, &space);
    kanon__run whole = {.table = &table->data, .policy = &table->policy,
                        .space = space,
                        .k = 2,
                        .seed = 7,
                        .warnings = &warnings,
                        .chosen = &chosen,
                        .n_groups = 5,
                        .recode_maps = maps};
    assert_done(kanon__row_run_init(&part, &whole, rows, 2, group_of, &err), &err);
    assert_int_equal(part.run.table->n_rows, 2);
    assert_int_equal(part.run.space->n_rows, 2);
    kanon__box_start(part.run.space, box, 0);
    kanon__box_add(part.run.space, box, 1);
    assert_int_equal(kanon__box_units(part.run.space, box) * 5, part.run.space->scale);
    assert_int_equal(kanon__code_at(part.run.space->dimensions[0].codes, 0), 2);
    assert_int_equal(kanon__code_at(part.run.space->dimensions[0].codes, 1), 0);
    assert_ptr_equal(part.run.group_of, group_of);
    assert_int_equal(part.run.n_groups, 0);
    assert_null(part.run.recode_maps);
    assert_null(part.run.constraints);
    assert_int_equal(part.run.seed, 7);
    assert_ptr_equal(part.run.chosen, &chosen);
    kanon__row_run_clear(&part);
    release(parts, table, space);
}

/* A failure leaves nothing allocated, and clearing it is fine. */
static void row_run_without_memory(void **state)
{
    kanon_table *table = NULL;
    kanon__space *space = NULL;
    const int32_t rows[] = {1, 3};
    int32_t group_of[2];
    (void)state;
    kanon__parts *parts = cut("a,b\n1,x\n2,x\n3,y\n4,y\n", "attributes: {a: quasi, b: quasi}\n", 2, &table, &space);
    kanon__run whole = {.table = &table->data, .policy = &table->policy, .k = 2};
    for (int64_t i = 1;; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__row_run part;
        int64_t before = kanon__alloc_in_use();
        kanon__alloc_fail_at(i, false);
        kanon_status st = kanon__row_run_init(&part, &whole, rows, 2, group_of, &err);
        kanon__alloc_fail_at(0, false);
        kanon__row_run_clear(&part);
        assert_int_equal(kanon__alloc_in_use(), before);
        if (st == KANON_OK)
            break;
        assert_int_equal(st, KANON_ENOMEM);
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
        cmocka_unit_test(leftovers_go_where_they_cost_least),
        cmocka_unit_test(part_costs_what_it_costs_in_the_whole),
        cmocka_unit_test(row_run_without_memory),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
