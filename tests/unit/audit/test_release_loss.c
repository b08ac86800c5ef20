/* The loss of a released file: every notation by hand, random files whose cells are known, kanon's own releases. */
#include "support.h"

#include "core/alloc.h"
#include "core/random.h"
#include "reference/random_table.h"
#include "table/read/table.h"

#include <math.h>

static kanon_schema *schema_in_scratch(void)
{
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    return schema;
}

static kanon_measures *measure_release(const kanon_table *table, const kanon_schema *schema, const char *csv)
{
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    write_text(scratch("r.csv").text, csv);
    assert_done(kanon_evaluate_release(&measures, table, KANON_PATH(scratch("r.csv").text), schema, NULL, &err), &err);
    return measures;
}

static double figure_of(const kanon_measures *measures, const char *name, const char *attribute)
{
    const kanon_figure *figure = kanon_measures_find(measures, name, attribute);
    if (figure == NULL)
        fail_msg("there is no %s", name);
    return figure->value;
}

static void assert_near(double got, double expected, const char *what)
{
    if (!(fabs(got - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%s: %.15g instead of %.15g", what, got, expected);
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

static const char *const person_schema =
    "missing: ['?']\n"
    "attributes:\n"
    "  age: {role: quasi, type: integer}\n"  /* 10 .. 50, R = 40 */
    "  size: {role: quasi, type: decimal}\n" /* 1.5 .. 2, R = 0.5 */
    "  day: {role: quasi, type: date}\n"     /* 2020-01-01 .. 2020-01-11, R = 10 */
    "  job: {role: quasi, taxonomy: {In: {Desk: {clerk: , judge: }, cook: }, farmer: }}\n" /* H = 3 */
    "  zip: {role: quasi, type: categorical, mask: right}\n"                               /* H = 4 */
    "  town: {role: quasi}\n"                                                              /* flat */
    "  ill: {role: sensitive}\n";
static const char *const person_table = "age,size,day,job,zip,town,ill\n"
                                        "10,1.5,2020-01-01,clerk,4107,a*,x\n"
                                        "50,2,2020-01-11,farmer,4199,b,y\n"
                                        "?,1.75,?,?,41,?,x\n";

/* What a first record with `cell` in one column costs on it; the two other records of the table are not in the file. */
static double cell_cost(const char *column, const char *cell, double *n_unknown)
{
    static const char *const names[] = {"age", "size", "day", "job", "zip", "town"};
    static const char *const plain[] = {"10", "1.5", "2020-01-01", "clerk", "4107", "b"};
    char csv[512] = "age,size,day,job,zip,town,ill\n";
    for (int i = 0; i < 6; i++)
        snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "\"%s\",", strcmp(names[i], column) == 0 ? cell : plain[i]);
    strcat(csv, "x\n");
    kanon_table *table = table_of(person_schema, person_table);
    kanon_schema *schema = schema_in_scratch();
    kanon_measures *measures = measure_release(table, schema, csv);
    double cost = figure_of(measures, "attribute_loss", column) - 2;
    *n_unknown = figure_of(measures, "unknown_cells", NULL);
    assert_near(figure_of(measures, "information_loss", NULL), 2 * 6 + cost, cell);
    kanon_measures_free(measures);
    kanon_schema_free(schema);
    kanon_table_free(table);
    return cost;
}

static void expect_cost(const char *column, const char *cell, double expected)
{
    double n_unknown, got = cell_cost(column, cell, &n_unknown);
    assert_near(got, expected, cell);
    if (n_unknown != 0)
        fail_msg("%s: %s is unknown", column, cell);
}

static void expect_unknown(const char *column, const char *cell)
{
    double n_unknown, got = cell_cost(column, cell, &n_unknown);
    assert_near(got, 1, cell);
    if (n_unknown != 1)
        fail_msg("%s: %s is known", column, cell);
}

static void test_integers(void **state)
{
    (void)state;
    static const char *const from_15_to_19[] = {"[15-19]",      "[15,20)",  "[15, 20[",   "15-19",
                                                "15..19",       "(14,19]",  "]14,20[",    "[14.5,19.5]",
                                                "[14.5, 19.5)", "{15, 19}", "{19,17,15}", "{15-16, 19}"};
    for (size_t i = 0; i < sizeof from_15_to_19 / sizeof from_15_to_19[0]; i++)
        expect_cost("age", from_15_to_19[i], 4.0 / 40);
    expect_cost("age", "23", 0);
    expect_cost("age", "{23}", 0);
    expect_cost("age", "[23-23]", 0);
    expect_cost("age", "23.25", 0); /* a mean */
    expect_cost("age", "[0-30]", 20.0 / 40);
    expect_cost("age", "[-100-1000]", 1);
    expect_cost("age", ">=40", 10.0 / 40);
    expect_cost("age", "<20", 9.0 / 40);
    expect_cost("age", "*", 1);
    expect_cost("age", "**", 1);
    expect_cost("age", "?", 0);
    expect_cost("age", " ? ", 0);
    expect_cost("age", "1*", 0.5);
    expect_unknown("age", "young");
    expect_cost("age", "", 0); /* the empty text is missing, whatever else is */
    expect_unknown("age", "[51-60]");
    expect_unknown("age", "9");
    expect_unknown("age", "{15, young}");
    expect_unknown("age", "[30-20]");
    expect_unknown("age", "1*3");
}

static void test_decimals_and_dates(void **state)
{
    (void)state;
    expect_cost("size", "[1.5-1.6]", 0.1 / 0.5);
    expect_cost("size", "[1.5,1.6)", 0.1 / 0.5); /* lengths: an open end costs the same */
    expect_cost("size", "[1-1.75]", 0.25 / 0.5);
    expect_cost("size", "1.6", 0);
    expect_cost("size", "*", 1);
    expect_unknown("size", "2.01");
    expect_cost("day", "[2020-01-01-2020-01-06]", 0.5);
    expect_cost("day", "[2020-01-01, 2020-01-07)", 0.5);
    expect_cost("day", "2020-01-03", 0);
    expect_cost("day", "?", 0);
    expect_unknown("day", "January");
}

static void test_categories(void **state)
{
    (void)state;
    expect_cost("job", "cook", 0);
    expect_cost("job", "Desk", 1.0 / 3);
    expect_cost("job", " Desk ", 1.0 / 3);
    expect_cost("job", "In", 2.0 / 3);
    expect_cost("job", "*", 1);
    expect_cost("job", "?", 0);
    expect_cost("job", "{clerk, judge}", 1.0 / 3);
    expect_cost("job", "{judge}", 0);
    expect_cost("job", "{Desk,cook}", 2.0 / 3);
    expect_cost("job", "{cook, farmer}", 1);
    expect_unknown("job", "{cook, pilot}");
    expect_unknown("job", "pilot");
    expect_unknown("job", "[1-2]");
    expect_cost("zip", "410*", 0.25); /* a node */
    expect_cost("zip", "4***", 0.75);
    expect_cost("zip", "{410*,4107}", 0.25);
    expect_cost("zip", "{410*,4199}", 0.5);
    expect_cost("zip", "41**", 0.5);
    expect_cost("zip", "****", 1);
    expect_cost("zip", "*", 1);
    expect_cost("zip", "4107", 0);
    expect_cost("zip", "9***", 0.75); /* no node of this table */
    expect_cost("zip", "***9", 0.75);
    expect_cost("zip", "\xc3\xa4*", 0.5); /* characters, not bytes */
    expect_unknown("zip", "9**9");
    expect_unknown("zip", "9999");
    expect_cost("town", "b", 0);
    expect_cost("town", "a*", 0); /* a value as it is, however it looks */
    expect_cost("town", "{a*,b}", 1);
    expect_unknown("town", "c");
}

/* A band of whole numbers reaches to the next one; without a width an interval ends with its last number, also where the
 * column has a top. */
static void test_bands(void **state)
{
    static const struct {
        const char *rule, *cell;
        double cost;
    } rows[] = {{"bands: 10", "[20-29]", 10.0 / 50}, /* 10 and 50 need the edges 10 and 60 */
                {"bands: 10", "[20-39]", 20.0 / 50},
                {"bands: 10", "[50-59]", 10.0 / 50},
                {"bands: [0, 18, 30]", "[18-29]", 12.0 / 50},
                {"top: 45", "[20-29]", 9.0 / 40},
                {"top: 45", ">=45", 5.0 / 40},
                {"bands: 10, top: 45", "[20-29]", 10.0 / 40}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char yaml[200], csv[64];
        snprintf(yaml, sizeof yaml, "attributes: {age: {role: quasi, type: integer, %s}}\n", rows[i].rule);
        snprintf(csv, sizeof csv, "age\n%s\n%s\n", rows[i].cell, rows[i].cell);
        kanon_table *table = table_of(yaml, "age\n10\n50\n");
        kanon_schema *schema = schema_in_scratch();
        kanon_measures *measures = measure_release(table, schema, csv);
        assert_near(figure_of(measures, "attribute_loss", "age"), 2 * rows[i].cost, rows[i].cell);
        assert_true(figure_of(measures, "unknown_cells", NULL) == 0);
        kanon_measures_free(measures);
        kanon_schema_free(schema);
        kanon_table_free(table);
    }
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static void test_sizes(void **state)
{
    (void)state;
    kanon_table *table = table_of("attributes: {age: {role: quasi, weight: 2}, town: {role: quasi}}\n",
                                  "age,town\n0,a\n1,a\n2,b\n3,b\n4,a\n5,b\n6,a\n10,b\n");
    kanon_schema *schema = schema_in_scratch();
    /* two classes in three notations are five for a reader, and a record of stars is one, too; two are not there */
    kanon_measures *m = measure_release(table, schema, "town;age\na;[0-1]\na;0-1\na;[0,2)\n*;[2-4]\n*;[2, 4]\n*;*\n");
    assert_true(figure_of(m, "groups", NULL) == 6);
    assert_true(figure_of(m, "suppressed", NULL) == 3);
    assert_true(figure_of(m, "k", NULL) == 1);
    assert_true(figure_of(m, "discernibility", NULL) == 5 + 1 + 2 * 8);
    kanon_measures_free(m);
    m = measure_release(table, schema, "town;age\na;[0-1]\na;[0-1]\na;[0-1]\n*;[2, 4]\n*;[2, 4]\n*;*\n");
    assert_true(figure_of(m, "records", NULL) == 8);
    assert_true(figure_of(m, "groups", NULL) == 3);
    assert_true(figure_of(m, "suppressed", NULL) == 3);
    assert_true(figure_of(m, "k", NULL) == 1);
    assert_true(figure_of(m, "discernibility", NULL) == 9 + 4 + 1 + 2 * 8);
    assert_near(figure_of(m, "avg_class_size", NULL), 8.0 / 3 / 1, "average class size");
    assert_near(figure_of(m, "attribute_loss", "age"), 2 * (3 * 0.1 + 2 * 0.2 + 3), "loss of age");
    assert_near(figure_of(m, "attribute_loss", "town"), 2 + 3, "loss of town");
    assert_near(figure_of(m, "information_loss", NULL), 2 * 3.7 + 5, "information loss");
    assert_near(figure_of(m, "avg_loss", NULL), (2 * 3.7 + 5) / (8 * 3), "average loss");
    assert_true(figure_of(m, "unknown_cells", NULL) == 0);
    size_t n = 0;
    for (; kanon_measures_at(m, n) != NULL; n++)
        assert_true(strlen(kanon_measures_at(m, n)->formula) > 0);
    /* those of sizes, risks, losses and covers, of the table and of each attribute, singled_out_all, unknown_cells
     * and the comparison */
    assert_int_equal(n, (7 + 10 + 2 + 1) + (3 + 1) * 2 + 1 + 1 + 4);
    assert_near(figure_of(m, "singled_out_all", NULL), 1.0 / 6, "rows that are singled out"); /* of stars alone */
    assert_near(figure_of(m, "ncp", "age"), (3 * 0.1 + 2 * 0.2 + 3) / 8, "ncp of age");
    assert_near(figure_of(m, "ncp", "town"), (2 + 1 + 2) / 8.0, "ncp of town");
    assert_near(figure_of(m, "gcp", NULL), (2 * 3.7 + 5) / 8 / 3, "gcp");
    assert_near(figure_of(m, "attribute_share", "town"), 5 / 12.4, "share of town");
    assert_near(figure_of(m, "loss_without", "town"), 7.4, "loss without town");
    assert_near(figure_of(m, "highest_risk", NULL), 1, "highest risk");
    assert_near(figure_of(m, "average_risk", NULL), 3.0 / 6, "average risk");
    assert_near(figure_of(m, "class_risk", NULL), (1.0 / 3 + 1.0 / 2 + 1) / 3, "class risk");
    assert_near(figure_of(m, "records_above_33", NULL), 3.0 / 6, "records above 1/3");
    assert_true(figure_of(m, "uniques_after", NULL) == 1);
    kanon_measures_free(m);
    /* nothing but a header: everything is suppressed */
    m = measure_release(table, schema, "age,town\n");
    assert_true(figure_of(m, "suppressed", NULL) == 8);
    assert_true(figure_of(m, "k", NULL) == 0);
    assert_true(figure_of(m, "groups", NULL) == 0);
    assert_true(isnan(figure_of(m, "avg_class_size", NULL)));
    assert_near(figure_of(m, "avg_loss", NULL), 1, "average loss");
    kanon_measures_free(m);
    kanon_schema_free(schema);
    kanon_table_free(table);
}

/* NAME_min and NAME_max in place of NAME; other columns do not matter. */
static void test_columns(void **state)
{
    (void)state;
    kanon_table *table = table_of("missing: ['?']\nattributes: {age: {role: quasi}}\n", "age\n-5\n5\n?\n0\n1\n2\n");
    kanon_schema *schema = schema_in_scratch();
    kanon_measures *m = measure_release(table, schema, "age_min,other,age_max\n-5,u,0\n3,u,3\n?,u,?\n*,u,*\n1,u,?\n");
    assert_near(figure_of(m, "information_loss", NULL), 0.5 + 0 + 0 + 1 + 1 + 1, "information loss");
    assert_true(figure_of(m, "unknown_cells", NULL) == 1);
    assert_true(figure_of(m, "suppressed", NULL) == 2);
    assert_true(figure_of(m, "groups", NULL) == 5);
    kanon_measures_free(m);
    kanon_schema_free(schema);
    kanon_table_free(table);
}

/* A constant column loses nothing but stars, and one without any value knows no interval. */
static void test_no_range(void **state)
{
    (void)state;
    kanon_table *table = table_of("missing: ['?']\n"
                                  "attributes: {a: {role: quasi, type: integer}, b: {role: quasi, type: decimal}}\n",
                                  "a,b\n7,?\n7,?\n7,?\n");
    kanon_schema *schema = schema_in_scratch();
    kanon_measures *m = measure_release(table, schema, "a,b\n[7-7],?\n[5-9],?\n*,4\n");
    assert_near(figure_of(m, "attribute_loss", "a"), 1, "loss of a");
    assert_near(figure_of(m, "attribute_loss", "b"), 1, "loss of b");
    assert_true(figure_of(m, "unknown_cells", NULL) == 1);
    kanon_measures_free(m);
    kanon_schema_free(schema);
    kanon_table_free(table);
}

/* Values that look like something else are still values. */
static void test_odd_names(void **state)
{
    (void)state;
    static const char *const csv = "town\n\" b\"\n\"{c, d}\"\n\"e \"\"f\"\"\"\n[1-2]\n";
    kanon_table *table = table_of("attributes: {town: {role: quasi}}\n", csv);
    kanon_schema *schema = schema_in_scratch();
    kanon_measures *m = measure_release(table, schema, csv);
    assert_near(figure_of(m, "information_loss", NULL), 0, "information loss");
    assert_true(figure_of(m, "unknown_cells", NULL) == 0);
    assert_true(figure_of(m, "groups", NULL) == 4);
    kanon_measures_free(m);
    kanon_schema_free(schema);
    kanon_table_free(table);
}

/* ---- random files ------------------------------------------------------------------------------------------------ */

enum { MOST_ROWS = 30, N_AGES = 40 };

/* A cell whose meaning is known before it is written. */
typedef struct known_cell {
    int kind; /* 0: star, 1: missing, 2: from lo to hi, 3: node, 4: text that nobody knows */
    int lo, hi;
    char text[64]; /* as it is written */
} known_cell;

/* Job nodes: number, name, height over 3; as in person_schema. */
static const char *const node_names[] = {"In", "Desk", "clerk", "judge", "cook", "farmer"};
static const int node_heights[] = {2, 1, 0, 0, 0, 0};

static known_cell random_cell(kanon__random *random, bool number)
{
    known_cell cell = {0};
    int64_t drawn = kanon__random_below(random, 12);
    cell.kind = drawn < 2 ? 0 : drawn == 2 ? 1 : drawn == 3 ? 4 : number ? 2 : 3;
    if (cell.kind == 2) {
        cell.lo = 10 + (int)kanon__random_below(random, 3) * 5; /* few, so that there are classes */
        cell.hi = cell.lo + (int)kanon__random_below(random, 3) * 5;
    }
    if (cell.kind == 3)
        cell.lo = (int)kanon__random_below(random, 6);
    return cell;
}

static void write_known(known_cell *cell, kanon__random *random)
{
    char *out = cell->text;
    const size_t size = sizeof cell->text;
    int form = kanon__random_below(random, 2) == 0 ? 3 : (int)kanon__random_below(random, 6), lo = cell->lo, hi = cell->hi;
    switch (cell->kind) {
    case 0:
        snprintf(out, size, form % 2 == 0 ? "*" : "***");
        return;
    case 1:
        snprintf(out, size, "?");
        return;
    case 3:
        snprintf(out, size, form == 0 ? "{%s}" : form == 1 ? " %s " : "%s", node_names[lo]);
        return;
    case 4:
        snprintf(out, size, "@");
        return;
    }
    if (form == 0)
        snprintf(out, size, "[%d-%d]", lo, hi);
    else if (form == 1)
        snprintf(out, size, "\"[%d,%d)\"", lo, hi + 1);
    else if (form == 2)
        snprintf(out, size, "\"]%d, %d[\"", lo - 1, hi + 1);
    else if (form == 3)
        snprintf(out, size, "%d-%d", lo, hi);
    else if (form == 4)
        snprintf(out, size, "\"[%d, %d]\"", lo, hi);
    else if (lo == hi)
        snprintf(out, size, "%d", lo);
    else
        snprintf(out, size, "%d..%d", lo, hi);
}

static double known_cost(const known_cell *cell)
{
    switch (cell->kind) {
    case 1:
        return 0;
    case 2:
        return (double)(cell->hi - cell->lo) / N_AGES;
    case 3:
        return node_heights[cell->lo] / 3.0;
    default:
        return 1;
    }
}

static bool same_cell(const known_cell *a, const known_cell *b)
{
    return strcmp(a->text, b->text) == 0;
}

typedef struct expectation {
    double loss, discernibility;
    int n_groups, n_suppressed, k, n_unknown;
} expectation;

/* Classes by comparing each record with every other. */
static expectation count_known(known_cell (*rows)[2], int n, int n_table)
{
    expectation e = {.n_suppressed = n_table - n, .loss = 2.0 * (n_table - n)};
    for (int i = 0; i < n; i++) {
        int size = 0, first = i;
        for (int j = n - 1; j >= 0; j--)
            if (same_cell(&rows[i][0], &rows[j][0]) && same_cell(&rows[i][1], &rows[j][1])) {
                size++;
                first = j;
            }
        e.loss += known_cost(&rows[i][0]) + known_cost(&rows[i][1]);
        e.n_unknown += (rows[i][0].kind == 4) + (rows[i][1].kind == 4);
        e.n_groups += first == i;
        e.n_suppressed += rows[i][0].kind == 0 && rows[i][1].kind == 0; /* a class all the same */
        e.discernibility += size;
        e.k = e.k == 0 || size < e.k ? size : e.k;
    }
    e.discernibility += (double)(n_table - n) * n_table;
    return e;
}

static void test_random_files(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    char table_text[2048] = "age,job\n10,clerk\n50,judge\n";
    for (int i = 2; i < MOST_ROWS; i++)
        strcat(table_text, "?,cook\n");
    kanon_table *table = table_of("missing: ['?']\nattributes:\n  age: {role: quasi, type: integer}\n"
                                  "  job: {role: quasi, taxonomy: {In: {Desk: {clerk: , judge: }, cook: }, farmer: }}\n",
                                  table_text);
    kanon_schema *schema = schema_in_scratch();
    for (uint64_t i = 0; i < 300; i++) {
        kanon__random random;
        kanon__random_init(&random, seed, i);
        known_cell rows[MOST_ROWS][2];
        char csv[4096] = "job,age\n";
        int n = (int)kanon__random_below(&random, MOST_ROWS + 1);
        for (int row = 0; row < n; row++) {
            rows[row][0] = random_cell(&random, true);
            rows[row][1] = random_cell(&random, false);
            write_known(&rows[row][0], &random);
            write_known(&rows[row][1], &random);
            snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "%s,%s\n", rows[row][1].text, rows[row][0].text);
        }
        expectation e = count_known(rows, n, MOST_ROWS);
        kanon_measures *m = measure_release(table, schema, csv);
        assert_near(figure_of(m, "information_loss", NULL), e.loss, "information loss");
        assert_near(figure_of(m, "discernibility", NULL), e.discernibility, "discernibility");
        assert_true(figure_of(m, "groups", NULL) == e.n_groups);
        assert_true(figure_of(m, "suppressed", NULL) == e.n_suppressed);
        assert_true(figure_of(m, "k", NULL) == e.k);
        assert_true(figure_of(m, "unknown_cells", NULL) == e.n_unknown);
        kanon_measures_free(m);
    }
    kanon_schema_free(schema);
    kanon_table_free(table);
}

/* What kanon wrote loses what its groups lose. */
static void test_own_releases(void **state)
{
    (void)state;
    static const kanon_numeric forms[] = {KANON_NUMERIC_INTERVAL, KANON_NUMERIC_RANGE, KANON_NUMERIC_COLUMNS};
    uint64_t seed = test_seed();
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_schema_new(&schema, NULL, &err), &err);
    assert_done(kanon_schema_set(schema, NULL, "missing", "?", &err), &err);
    for (uint64_t i = 0; i < 300; i++) {
        random_table random = random_table_new(seed * 999983 + i);
        kanon__random own;
        kanon__random_init(&own, seed, 5000 + i);
        const kanon_table *t = random.table;
        int64_t *group_of = calloc((size_t)t->data.n_rows + 1, sizeof *group_of);
        int64_t n_groups = 1 + t->data.n_rows / 3;
        for (int64_t row = 0; row < t->data.n_rows; row++)
            group_of[row] = kanon__random_below(&own, n_groups + 1);
        kanon_grouping *grouping = grouping_of(t, group_of);
        place path = scratch("own.csv");
        kanon_outputs outputs = {
            .struct_size = sizeof outputs, .release = KANON_TO_PATH(path.text), .numeric = forms[i % 3], .shuffle = i % 2};
        kanon_measures *of_groups = NULL, *of_file = NULL;
        assert_done(kanon_publish(t, grouping, &outputs, &err), &err);
        assert_done(kanon_evaluate(&of_groups, t, grouping, NULL, &err), &err);
        assert_done(kanon_evaluate_release(&of_file, t, KANON_PATH(path.text), schema, NULL, &err), &err);
        double wanted = figure_of(of_groups, "information_loss", NULL);
        assert_near(figure_of(of_file, "information_loss", NULL), wanted, "information loss");
        assert_true(figure_of(of_file, "unknown_cells", NULL) == 0);
        kanon_measures_free(of_file);
        kanon_measures_free(of_groups);
        kanon_grouping_free(grouping);
        free(group_of);
        random_table_clear(&random);
    }
    kanon_schema_free(schema);
}

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

static void expect_failure(const char *csv, kanon_status status, const char *part)
{
    kanon_table *table = table_of("attributes: {age: {role: quasi}, town: {role: quasi}}\n", "age,town\n1,a\n2,b\n");
    kanon_schema *schema = schema_in_scratch();
    kanon_measures *measures = (kanon_measures *)(uintptr_t)8; /* no such object: to be NULL where the call fails */
    kanon_error err = KANON_INIT(kanon_error);
    write_text(scratch("r.csv").text, csv);
    assert_int_equal(kanon_evaluate_release(&measures, table, KANON_PATH(scratch("r.csv").text), schema, NULL, &err),
                     status);
    assert_null(measures);
    assert_holds(err.message, part);
    assert_holds(err.message, "r.csv");
    kanon_schema_free(schema);
    kanon_table_free(table);
}

static int stop_now(const kanon_progress *progress, void *payload)
{
    (void)progress;
    (void)payload;
    return 1;
}

static void test_failures(void **state)
{
    (void)state;
    expect_failure("age,town\n1,a\n2,b\n[1-2],*\n", KANON_EDATA, ":4: more records than the 2 of the table");
    expect_failure("age,city\n1,a\n", KANON_EDATA, ":1: town: the file has no such column");
    expect_failure("age_min,town\n1,a\n", KANON_EDATA, ":1: age: the file has no such column");
    expect_failure("age,town_min,town_max\n1,a,b\n", KANON_EDATA, ":1: town: the file has no such column");
    expect_failure("age,town\n1\n", KANON_EDATA, ":2");
    expect_failure("", KANON_EDATA, "r.csv");
    kanon_table *table = table_of("attributes: {age: {role: quasi}}\n", "age\n1\n2\n");
    kanon_schema *schema = schema_in_scratch();
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(kanon_evaluate_release(&measures, table, KANON_PATH(scratch("none.csv").text), schema, NULL, &err),
                     KANON_EIO);
    assert_int_equal(kanon_evaluate_release(&measures, table, KANON_PATH(NULL), schema, NULL, &err), KANON_EINVAL);
    assert_null(measures);
    assert_null(measures);
    kanon_setting setting = {"r", "0.5"};
    kanon_evaluate_options options = {.struct_size = sizeof options, .settings = &setting, .n_settings = 1};
    write_text(scratch("r.csv").text, "age\n1\n");
    assert_int_equal(kanon_evaluate_release(&measures, table, KANON_PATH(scratch("r.csv").text), schema, &options, &err),
                     KANON_EINVAL);
    assert_null(measures);
    options = (kanon_evaluate_options){.struct_size = 1};
    measures = (kanon_measures *)(uintptr_t)8;
    assert_int_equal(kanon_evaluate_release(&measures, table, KANON_PATH(scratch("r.csv").text), schema, &options, &err),
                     KANON_EINVAL);
    assert_null(measures);
    kanon_schema_free(schema);
    kanon_table_free(table);
}

static void test_stop(void **state)
{
    (void)state;
    enum { N = 60000 };
    char *text = malloc(N * 3 + 8), *at = text + sprintf(text, "age\n");
    for (int i = 0; i < N; i++)
        at += sprintf(at, "%d\n", i % 10);
    kanon_table *table = table_of("attributes: {age: {role: quasi}}\n", text);
    kanon_schema *schema = schema_in_scratch();
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_evaluate_options options = {.struct_size = sizeof options, .tick = stop_now};
    kanon_status st = kanon_evaluate_release(&measures, table, KANON_PATH(scratch("t.csv").text), schema, &options, &err);
    assert_int_equal(st, KANON_ECANCELLED);
    assert_null(measures);
    kanon_schema_free(schema);
    kanon_table_free(table);
    free(text);
}

static void test_no_memory(void **state)
{
    (void)state;
    kanon_table *table = table_of(person_schema, person_table);
    kanon_schema *schema = schema_in_scratch();
    kanon_status st = KANON_ENOMEM;
    int64_t n = 0;
    write_text(scratch("r.csv").text, "age_min,age_max,size,day,job,zip,town,ill\n"
                                      "10,20,[1.5-2],2020-01-01,\"{clerk, cook}\",41**,\"a \"\"b\"\"\",x\n"
                                      "*,*,*,*,*,*,*,x\n");
    while (st == KANON_ENOMEM) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_measures *measures = NULL;
        n++;
        kanon__alloc_fail_at(n, n % 2 == 0);
        st = kanon_evaluate_release(&measures, table, KANON_PATH(scratch("r.csv").text), schema, NULL, &err);
        kanon__alloc_fail_at(0, false);
        assert_true((measures == NULL) == (st != KANON_OK));
        kanon_measures_free(measures);
    }
    assert_int_equal(st, KANON_OK);
    assert_true(n > 20);
    assert_no_leak();
    kanon_schema_free(schema);
    kanon_table_free(table);
}

/* A column that the schema permutes has the values of its class in any order: a class that has others is wrong. */
static void permuted(void **state)
{
    (void)state;
    kanon_table *t = table_of("attributes: {age: {role: quasi, type: integer}, ill: {role: sensitive, permute: true}, "
                              "job: insensitive}\n",
                              "age,ill,job\n20,flu,a\n22,gout,b\n30,cold,c\n31,flu,d\n");
    kanon_schema *schema = schema_in_scratch();
    kanon_measures *m = measure_release(t, schema,
                                        "age,ill,job\n[20..22],gout,a\n[20..22],flu,b\n[30..31],flu,c\n[30..31],cold,d\n");
    assert_near(figure_of(m, "uncovered_cells", NULL), 0, "cells of the class");
    kanon_measures_free(m);
    m = measure_release(t, schema, "age,ill,job\n[20..22],flu,a\n[20..22],cold,b\n[30..31],gout,c\n[30..31],flu,d\n");
    assert_near(figure_of(m, "uncovered_cells", NULL), 2, "cells of another class");
    kanon_measures_free(m);
    m = measure_release(t, schema, "age,ill,job\n[20..22],gout,a\n[20..22],flu,x\n[30..31],cold,c\n[30..31],flu,d\n");
    assert_near(figure_of(m, "uncovered_cells", NULL), 1, "a job, which is not permuted");
    kanon_measures_free(m);
    kanon_schema_free(schema);
    kanon_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permuted),
        cmocka_unit_test(test_integers),     cmocka_unit_test(test_decimals_and_dates),
        cmocka_unit_test(test_categories),   cmocka_unit_test(test_bands),
        cmocka_unit_test(test_sizes),        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_no_range),     cmocka_unit_test(test_odd_names),
        cmocka_unit_test(test_random_files), cmocka_unit_test(test_own_releases),
        cmocka_unit_test(test_failures),     cmocka_unit_test(test_stop),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
