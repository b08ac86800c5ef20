/* strips: on one number nothing loses less; on several, the groups are those of the slow reference. A failure names its
 * seed; KANON_TEST_SEED=N begins there. */
#include "core/random.h"
#include "reference/random_table.h"
#include "reference/reference.h"
#include "support.h"

#include <inttypes.h>

static kanon_grouping *run_strips(const kanon_table *table, int64_t k, int threads)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_options options = {.struct_size = sizeof options, .k = k, .algorithm = "strips", .seed = 1, .threads = threads};
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    return grouping;
}

/* ---- one number -------------------------------------------------------------------------------------------------- */

enum { MOST_VALUES = 2000 };

static int compare_ints(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

/* The least sum of size * (max - min) over all ways to cut the sorted values into groups of at least k; these end after any
 * value, or for k from 32 on after every k / 16 or so. */
static int64_t optimum(const int *sorted, int n, int k)
{
    int64_t least[MOST_VALUES + 1] = {0};
    int n_steps = k < 32 ? n : n / (k / 16);
    for (int end = 1; end <= n; end++)
        least[end] = INT64_MAX;
    for (int step = 1; step <= n_steps; step++) {
        int end = n * step / n_steps;
        for (int begin = end - k; begin >= 0; begin--) {
            if (least[begin] == INT64_MAX)
                continue;
            int64_t loss = least[begin] + (int64_t)(end - begin) * (sorted[end - 1] - sorted[begin]);
            least[end] = loss < least[end] ? loss : least[end];
        }
    }
    return least[n];
}

/* The same of the groups; each has k records or more. */
static int64_t loss_of(const kanon_grouping *grouping, const int *values, int n, int k)
{
    int64_t loss = 0;
    for (int64_t g = 1; g <= kanon_grouping_describe(grouping)->groups; g++) {
        int size = 0, lo = INT32_MAX, hi = 0;
        for (int i = 0; i < n; i++) {
            if (kanon_grouping_group_of(grouping, i) != g)
                continue;
            size++;
            lo = values[i] < lo ? values[i] : lo;
            hi = values[i] > hi ? values[i] : hi;
        }
        assert_true(size >= k);
        loss += (int64_t)size * (hi - lo);
    }
    return loss;
}

static void draw_values(kanon__random *random, int *values, int n)
{
    static const int ranges[] = {1, 2, 7, 60, 1000, 30000};
    int range = ranges[kanon__random_below(random, 6)];
    bool squared = kanon__random_below(random, 2) == 0;
    for (int i = 0; i < n; i++) {
        int64_t value = kanon__random_below(random, range);
        values[i] = (int)(squared ? value * value / range : value);
    }
}

static void check_one_number(uint64_t seed, int k)
{
    char *csv = REF_NEW(char, 8 * (MOST_VALUES + 1));
    int values[MOST_VALUES], sorted[MOST_VALUES];
    kanon__random random;
    kanon__random_init(&random, seed, (uint64_t)k);
    int n = 15 * k + (int)kanon__random_below(&random, 4 * k);
    size_t at = (size_t)sprintf(csv, "a\n");
    draw_values(&random, values, n);
    for (int i = 0; i < n; i++)
        at += (size_t)sprintf(csv + at, "%d\n", values[i]);
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_ints);
    kanon_table *table = table_from_texts(csv, "attributes:\n  a: {role: quasi, type: integer}\n");
    kanon_grouping *grouping = run_strips(table, k, 1);
    int64_t loss = loss_of(grouping, values, n, k), least = optimum(sorted, n, k);
    if (loss != least)
        fail_msg("seed %" PRIu64 ", k %d, %d records: loses %" PRId64 ", not %" PRId64, seed, k, n, loss, least);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    free(csv);
}

static void one_number_is_cut_as_well_as_can_be(void **state)
{
    static const int ks[] = {2, 3, 5, 8, 15, 16, 31, 32, 47, 100};
    uint64_t seed = test_seed();
    (void)state;
    for (uint64_t i = 0; i < 20; i++)
        for (size_t j = 0; j < sizeof ks / sizeof *ks; j++)
            check_one_number(seed + i, ks[j]);
}

/* ---- two --------------------------------------------------------------------------------------------------------- */

/* All pairs of 0 to 5, k = 2. A strip of one value of a should lose trunc(1.4 * 5) = 7, one of two values 12 + 7, so each
 * value is a strip; with 2 in place of 1.4 these are 10 and 22, so the strips are the same. Pairs of neighbours along b lose
 * 2 each, all together 36. With a and b exchanged it is 36 again: what was tried first stays. */
static void first_of_equal_tries_stays(void **state)
{
    enum { SIDE = 6 };
    char csv[8 * (SIDE * SIDE + 1)];
    size_t at = (size_t)sprintf(csv, "a,b\n");
    (void)state;
    for (int i = 0; i < SIDE * SIDE; i++)
        at += (size_t)sprintf(csv + at, "%d,%d\n", i / SIDE, i % SIDE);
    kanon_table *table = table_from_texts(csv, "attributes:\n  a: {role: quasi, type: integer}\n"
                                               "  b: {role: quasi, type: integer}\n");
    kanon_grouping *grouping = run_strips(table, 2, 1);
    for (int i = 0; i < SIDE * SIDE; i++)
        assert_int_equal(kanon_grouping_group_of(grouping, i), i / 2 + 1);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* ---- several ----------------------------------------------------------------------------------------------------- */

enum { N_TABLES = 150, MOST_ROWS = 800, ROW_TEXT = 64, MOST_NUMBERS = 4, MOST_CATEGORIES = 2 };

/* A table of a few categories, one value of each being rare, and numbers of which some go with the one before. */
typedef struct plan {
    kanon__random random;
    int64_t k;
    int n_rows, n_numbers, n_categories;
    int ranges[MOST_NUMBERS], missing_percent[MOST_NUMBERS];
    bool follows[MOST_NUMBERS];
    int n_common[MOST_CATEGORIES], rare_percent[MOST_CATEGORIES];
} plan;

static int below(plan *p, int n)
{
    return (int)kanon__random_below(&p->random, n);
}

static void draw_plan(plan *p, uint64_t seed)
{
    static const int ranges[] = {1, 2, 5, 30, 100, 1000};
    kanon__random_init(&p->random, seed, 0);
    p->k = 2 + below(p, 5);
    p->n_numbers = below(p, MOST_NUMBERS + 1);
    p->n_categories = p->n_numbers == 0 ? 1 + below(p, MOST_CATEGORIES) : below(p, MOST_CATEGORIES + 1);
    p->n_rows = 200 + below(p, MOST_ROWS - 199);
    if (p->n_numbers > 0 && below(p, 8) == 0) { /* groups that end only at steps */
        p->k = 32 + below(p, 9);
        p->n_categories = 0;
        p->n_rows = 15 * (int)p->k + below(p, MOST_ROWS + 1 - 15 * (int)p->k);
    }
    for (int i = 0; i < p->n_numbers; i++) {
        p->ranges[i] = ranges[below(p, 6)];
        p->missing_percent[i] = below(p, 4) == 0 ? 3 : 0;
        p->follows[i] = i > 0 && below(p, 4) == 0;
    }
    for (int i = 0; i < p->n_categories; i++) {
        p->n_common[i] = 1 + below(p, 2);
        p->rare_percent[i] = below(p, 3);
    }
}

static size_t write_row(plan *p, char *text)
{
    size_t at = 0;
    int before = 0;
    for (int i = 0; i < p->n_numbers; i++) {
        int value = p->follows[i] ? before / 2 + below(p, 3) : below(p, p->ranges[i]);
        before = value;
        if (below(p, 100) < p->missing_percent[i])
            at += (size_t)sprintf(text + at, "?,");
        else
            at += (size_t)sprintf(text + at, "%d,", value);
    }
    for (int i = 0; i < p->n_categories; i++)
        at += (size_t)sprintf(text + at, "%c,", below(p, 100) < p->rare_percent[i] ? 'z' : 'a' + below(p, p->n_common[i]));
    text[at - 1] = '\n';
    return at;
}

static kanon_table *make_table(plan *p)
{
    static const char *const weights[] = {"1", "0.5", "2"};
    char *csv = REF_NEW(char, ROW_TEXT *(MOST_ROWS + 1)), yaml[64 * (MOST_NUMBERS + MOST_CATEGORIES + 1)];
    size_t at = 0, in_yaml = (size_t)sprintf(yaml, "missing: [\"?\"]\nattributes:\n");
    for (int i = 0; i < p->n_numbers; i++) {
        at += (size_t)sprintf(csv + at, "n%d,", i);
        in_yaml += (size_t)sprintf(yaml + in_yaml, "  n%d: {role: quasi, type: integer, weight: %s}\n", i,
                                   weights[below(p, 3)]);
    }
    for (int i = 0; i < p->n_categories; i++) {
        at += (size_t)sprintf(csv + at, "c%d,", i);
        in_yaml += (size_t)sprintf(yaml + in_yaml, "  c%d: {role: quasi, type: categorical}\n", i);
    }
    csv[at - 1] = '\n';
    for (int row = 0; row < p->n_rows; row++)
        at += write_row(p, csv + at);
    kanon_table *table = table_from_texts(csv, yaml);
    free(csv);
    return table;
}

/* Whether the groups are the reference's, record for record. */
static bool agrees(uint64_t seed)
{
    plan p;
    ref_settings settings;
    int64_t row = 0;
    draw_plan(&p, seed);
    kanon_table *table = make_table(&p);
    assert_true(ref_settings_init(&settings, "strips"));
    int *expected = ref_run(table, "strips", p.k, 1, &settings);
    kanon_grouping *grouping = run_strips(table, p.k, 1 + (int)(seed % 2));
    while (row < p.n_rows && kanon_grouping_group_of(grouping, row) == expected[row] + 1)
        row++;
    if (row < p.n_rows)
        print_error("seed %" PRIu64 ", k %" PRId64 ", %d records, %d numbers, %d categories: row %" PRId64
                    " is in group %" PRId64 ", not %d\n",
                    seed, p.k, p.n_rows, p.n_numbers, p.n_categories, row + 1, kanon_grouping_group_of(grouping, row),
                    expected[row] + 1);
    kanon_grouping_free(grouping);
    free(expected);
    kanon_table_free(table);
    return row == p.n_rows;
}

static void groups_are_those_of_the_reference(void **state)
{
    uint64_t seed = test_seed();
    int n_failed = 0;
    (void)state;
    for (uint64_t i = 0; i < N_TABLES && n_failed < 3; i++)
        n_failed += !agrees(seed + i);
    assert_int_equal(n_failed, 0);
}

/* ---- many attributes --------------------------------------------------------------------------------------------- */

enum { WIDE_ROWS = 5000, WIDE_COLUMNS = 20, WIDE_BLOCK = 1000, WIDE_SIDE = 71 };

/* Every record is a cell of its own, and they come in the order of their cells: what is left to do is densest in blocks. */
static kanon_table *wide_table(kanon__random *random)
{
    static char yaml[WIDE_COLUMNS * 64], csv[WIDE_ROWS * (WIDE_COLUMNS + 1) * 8];
    size_t schema = (size_t)snprintf(yaml, sizeof yaml, "attributes:\n"), text = 0;
    for (int j = 0; j < WIDE_COLUMNS; j++) {
        schema += (size_t)snprintf(yaml + schema, sizeof yaml - schema, "  c%d: {role: quasi, type: %s}\n", j,
                                   j < 4 ? "categorical" : "integer");
        text += (size_t)snprintf(csv + text, sizeof csv - text, "c%d%c", j, j < WIDE_COLUMNS - 1 ? ',' : '\n');
    }
    for (int row = 0; row < WIDE_ROWS; row++) {
        text += (size_t)snprintf(csv + text, sizeof csv - text, "v%02d,w%02d", row / WIDE_SIDE, row % WIDE_SIDE);
        for (int j = 2; j < WIDE_COLUMNS; j++)
            text += (size_t)snprintf(csv + text, sizeof csv - text, ",%d", (int)kanon__random_below(random, 9));
        csv[text++] = '\n';
    }
    csv[text] = '\0';
    return table_of(yaml, csv);
}

static void many_attributes_are_grouped_in_blocks(void **state)
{
    kanon__random random;
    kanon_grouping *blocks = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon__random_init(&random, test_seed(), 2);
    kanon_table *table = wide_table(&random);
    kanon_options options = {
        .struct_size = sizeof options, .k = 2, .algorithm = "densest", .seed = 1, .threads = 1, .blocks = WIDE_BLOCK};
    assert_done(kanon_anonymize(&blocks, table, &options, &err), &err);
    kanon_grouping *strips = run_strips(table, 2, 2);
    for (int64_t row = 0; row < WIDE_ROWS; row++)
        assert_int_equal(kanon_grouping_group_of(strips, row), kanon_grouping_group_of(blocks, row));
    kanon_grouping_free(strips);
    kanon_grouping_free(blocks);
    kanon_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_number_is_cut_as_well_as_can_be), cmocka_unit_test(first_of_equal_tries_stays),
        cmocka_unit_test(groups_are_those_of_the_reference), cmocka_unit_test(many_attributes_are_grouped_in_blocks)};
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
