/* What generalisations cost: the units of the space against the formulas, computed from the values that made the table. */
#include "core/random.h"
#include "model/space.h"
#include "model/units.h"
#include "support.h"

#include <math.h>

enum { MOST_ROWS = 12, MOST_COLUMNS = 5, MOST_NODES = 24, TABLES = 400, TEXT_SIZE = 1 << 16 };

typedef enum kind { INTEGER, WIDE_INTEGER, DECIMAL, DATE, FLAT, MASKED, TREE, N_KINDS } kind;

/* A column as it is meant; the library only sees the texts made of it. */
typedef struct model {
    kind kind;
    int64_t weight_numerator, weight_denominator;
    bool missing[MOST_ROWS];
    int64_t value[MOST_ROWS]; /* numbers: in units of the last digit; categories: the node or the text's number */
    int scale;
    int n_nodes, parent[MOST_NODES]; /* of a tree; 0 is the root */
} model;

static int64_t draw(kanon__random *random, int64_t lo, int64_t hi)
{
    return lo + kanon__random_below(random, hi - lo + 1);
}

/* ---- making columns ---------------------------------------------------------------------------------------------- */

static bool is_leaf_node(const model *m, int node)
{
    for (int i = 1; i < m->n_nodes; i++)
        if (m->parent[i] == node)
            return false;
    return node != 0;
}

static void make_tree(model *m, kanon__random *random)
{
    m->n_nodes = (int)draw(random, 2, MOST_NODES);
    for (int i = 1; i < m->n_nodes; i++)
        m->parent[i] = (int)draw(random, i > 6 ? i - 6 : 0, i - 1);
}

static int64_t draw_value(const model *m, kanon__random *random)
{
    int64_t node;
    switch (m->kind) {
    case INTEGER:
        return draw(random, -8, 8);
    case WIDE_INTEGER:
        return draw(random, -1000000000000000, 1000000000000000);
    case DECIMAL:
        return draw(random, -500, 500);
    case DATE:
        return draw(random, 0, 40000);
    case FLAT:
        return draw(random, 0, 4);
    case MASKED:
        return draw(random, 0, 3) * 100 + draw(random, 0, 1) * 10 + draw(random, 0, 3);
    default:
        do {
            node = draw(random, 1, m->n_nodes - 1);
        } while (!is_leaf_node(m, (int)node));
        return node;
    }
}

static model make_column(kanon__random *random, int n_rows)
{
    static const int64_t weights[][2] = {{1, 1}, {1, 1}, {1, 1}, {2, 1}, {1, 2}, {1, 10}, {37, 10}, {333, 1000}};
    model m = {.kind = (kind)draw(random, 0, N_KINDS - 1)};
    int64_t weight = draw(random, 0, 7), missing_percent = draw(random, 0, 2) * 20, constant = draw(random, 0, 9) == 0;
    m.weight_numerator = weights[weight][0];
    m.weight_denominator = weights[weight][1];
    m.scale = m.kind == DECIMAL ? (int)draw(random, 0, 3) : 0;
    if (m.kind == TREE)
        make_tree(&m, random);
    for (int row = 0; row < n_rows; row++) {
        m.missing[row] = draw(random, 1, 100) <= missing_percent;
        m.value[row] = constant && row > 0 ? m.value[0] : draw_value(&m, random);
    }
    return m;
}

/* The day `days` after 1950-01-01, by counting. */
static void print_date(char *out, size_t size, int64_t days)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = 1950, month = 0;
    for (;;) {
        bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        int length = lengths[month] + (month == 1 && leap);
        if (days < length)
            break;
        days -= length;
        month++;
        year += month == 12;
        month %= 12;
    }
    snprintf(out, size, "%04d-%02d-%02d", year, month + 1, (int)days + 1);
}

static void print_decimal(char *out, size_t size, int64_t value, int scale)
{
    int64_t power = 1, magnitude = value < 0 ? -value : value;
    for (int i = 0; i < scale; i++)
        power *= 10;
    if (scale == 0)
        snprintf(out, size, "%s%lld", value < 0 ? "-" : "", (long long)magnitude);
    else
        snprintf(out, size, "%s%lld.%0*lld%s", value < 0 ? "-" : "", (long long)(magnitude / power), scale,
                 (long long)(magnitude % power), magnitude % 3 == 0 ? "0" : "");
}

static void print_cell(char *out, size_t size, const model *m, int row)
{
    if (m->missing[row])
        snprintf(out, size, "?");
    else if (m->kind == DATE)
        print_date(out, size, m->value[row]);
    else if (m->kind == FLAT || m->kind == TREE)
        snprintf(out, size, "v%lld", (long long)m->value[row]);
    else if (m->kind == MASKED)
        snprintf(out, size, "%03lld", (long long)m->value[row]);
    else
        print_decimal(out, size, m->value[row], m->scale);
}

/* ---- writing the table ------------------------------------------------------------------------------------------- */

typedef struct text {
    char bytes[TEXT_SIZE];
    size_t used;
} text;

static void add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->bytes + t->used, sizeof t->bytes - t->used, format, args);
    va_end(args);
    assert_true(n >= 0 && t->used + (size_t)n < sizeof t->bytes);
    t->used += (size_t)n;
}

/* One line per leaf up to the root; lines are as ragged as the tree. */
static void write_taxonomy(const model *m, int column)
{
    static text t;
    char name[32];
    t.used = 0;
    for (int node = 1; node < m->n_nodes; node++) {
        if (!is_leaf_node(m, node))
            continue;
        for (int at = node; at != 0; at = m->parent[at])
            add(&t, at == node ? "v%d;" : "n%d;", at);
        add(&t, "root\n");
    }
    snprintf(name, sizeof name, "tree%d.csv", column);
    write_bytes(scratch(name).text, t.bytes, t.used);
}

static void add_attribute(text *yaml, const model *m, int column)
{
    static const char *const types[] = {"integer",     "integer",     "decimal",    "date",
                                        "categorical", "categorical", "categorical"};
    char weight[32];
    print_decimal(weight, sizeof weight, m->weight_numerator * 1000 / m->weight_denominator, 3);
    add(yaml, "  c%d: {role: quasi, type: %s, weight: %s", column, types[m->kind], weight);
    if (m->kind == MASKED)
        add(yaml, ", mask: right");
    if (m->kind == TREE)
        add(yaml, ", taxonomy: tree%d.csv", column);
    add(yaml, "}\n");
}

static kanon_table *write_models(const model *models, int n_columns, int n_rows)
{
    static text yaml, csv;
    char cell[64];
    yaml.used = csv.used = 0;
    add(&yaml, "missing: [\"?\"]\nattributes:\n");
    for (int i = 0; i < n_columns; i++) {
        add_attribute(&yaml, &models[i], i);
        if (models[i].kind == TREE)
            write_taxonomy(&models[i], i);
        add(&csv, "%sc%d", i > 0 ? "," : "", i);
    }
    for (int row = 0; row < n_rows; row++)
        for (int i = 0; i < n_columns; i++) {
            print_cell(cell, sizeof cell, &models[i], row);
            add(&csv, "%s%s", i > 0 ? "," : "\n", cell);
        }
    return table_of(yaml.bytes, csv.bytes);
}

/* ---- the formulas ------------------------------------------------------------------------------------------------ */

typedef struct ratio {
    int64_t numerator, denominator;
} ratio;

static int depth(const model *m, int node)
{
    int n = 0;
    for (; node != 0; node = m->parent[node])
        n++;
    return n;
}

static bool lies_below(const model *m, int node, int above)
{
    while (node != above && node != 0)
        node = m->parent[node];
    return node == above;
}

/* h(v): the longest way down to a leaf. */
static int height(const model *m, int node)
{
    int most = 0;
    for (int i = 1; i < m->n_nodes; i++)
        if (lies_below(m, i, node) && depth(m, i) - depth(m, node) > most)
            most = depth(m, i) - depth(m, node);
    return most;
}

/* h(lca) of the values: of the nodes above all of them the deepest, which is the one with the least height. */
static ratio tree_term(const model *m, const bool *chosen, int n_rows)
{
    int least = height(m, 0);
    for (int node = 1; node < m->n_nodes; node++) {
        bool above_all = true;
        for (int row = 0; row < n_rows; row++)
            if (chosen[row])
                above_all = above_all && !m->missing[row] && lies_below(m, (int)m->value[row], node);
        if (above_all && height(m, node) < least)
            least = height(m, node);
    }
    return (ratio){least, height(m, 0)};
}

/* Digits from the left that all values share. */
static ratio masked_term(int64_t lo, int64_t hi)
{
    return (ratio){lo == hi ? 0 : lo / 10 == hi / 10 ? 1 : lo / 100 == hi / 100 ? 2 : 3, 3};
}

static ratio term(const model *m, const bool *chosen, int n_rows)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN, least = INT64_MAX, most = INT64_MIN;
    int n_missing = 0, n_present = 0;
    for (int row = 0; row < n_rows; row++) {
        int64_t value = m->value[row];
        if (chosen[row] && m->missing[row])
            n_missing++;
        if (m->missing[row])
            continue;
        least = value < least ? value : least;
        most = value > most ? value : most;
        if (!chosen[row])
            continue;
        n_present++;
        lo = value < lo ? value : lo;
        hi = value > hi ? value : hi;
    }
    if (n_present == 0)
        return (ratio){0, 1};
    if (n_missing > 0)
        return (ratio){1, 1};
    if (m->kind == TREE)
        return tree_term(m, chosen, n_rows);
    if (m->kind == MASKED)
        return masked_term(lo, hi);
    if (m->kind == FLAT)
        return (ratio){lo < hi, 1};
    return most == least ? (ratio){0, 1} : (ratio){hi - lo, most - least};
}

/* ---- units against formulas -------------------------------------------------------------------------------------- */

static int64_t n_exact, n_rounded;

static void assert_terms(const kanon__space *s, const model *models, const kanon__bound *box, const bool *chosen, int n_rows)
{
    long double expected = 0, weights = 0;
    uint32_t sum = 0;
    for (int i = 0; i < s->n_dimensions; i++) {
        const model *m = &models[i];
        ratio is = term(m, chosen, n_rows);
        uint32_t units = kanon__dimension_units(&s->dimensions[i], box[2 * i], box[2 * i + 1]);
        long double weight = (long double)m->weight_numerator / m->weight_denominator;
        expected += weight * (long double)is.numerator / (long double)is.denominator;
        weights += weight;
        sum += units;
        if (s->dimensions[i].exact)
            assert_true((__int128)units * is.denominator * m->weight_denominator ==
                        (__int128)is.numerator * m->weight_numerator * s->scale);
        n_exact += s->dimensions[i].exact;
        n_rounded += !s->dimensions[i].exact;
    }
    assert_int_equal(kanon__box_units(s, box), sum);
    long double difference = (long double)sum / (long double)s->scale - expected;
    if (fabsl(difference) > 1e-7L * (weights > 1 ? weights : 1))
        fail_msg("D is %.12Lf, not %.12Lf", (long double)sum / (long double)s->scale, expected);
}

/* Grow a box by one row after the other, and look at it all the way. */
static void check_growing_box(const kanon__space *s, const model *models, int n_rows, kanon__random *random)
{
    int32_t order[MOST_ROWS];
    bool chosen[MOST_ROWS] = {false};
    kanon__bound box[2 * MOST_COLUMNS];
    for (int row = 0; row < n_rows; row++)
        order[row] = row;
    kanon__random_shuffle(random, order, n_rows);
    for (int i = 0; i < n_rows; i++) {
        uint32_t before = i > 0 ? kanon__box_units(s, box) : 0, with = i > 0 ? kanon__box_units_with(s, box, order[i]) : 0;
        if (i == 0)
            kanon__box_start(s, box, order[i]);
        else
            kanon__box_add(s, box, order[i]);
        chosen[order[i]] = true;
        assert_terms(s, models, box, chosen, n_rows);
        assert_true(kanon__box_units(s, box) >= before);
        assert_int_equal(kanon__box_units(s, box), with);
    }
}

static void check_pairs_and_joins(const kanon__space *s, const model *models, int n_rows)
{
    for (int a = 0; a < n_rows; a++)
        for (int b = 0; b < n_rows; b++) {
            kanon__bound box[2 * MOST_COLUMNS], other[2 * MOST_COLUMNS];
            bool chosen[MOST_ROWS] = {false};
            chosen[a] = chosen[b] = true;
            kanon__box_start(s, box, a);
            kanon__box_start(s, other, b);
            kanon__box_join(s, box, other);
            assert_terms(s, models, box, chosen, n_rows);
            assert_int_equal(kanon__pair_units(s, a, b), kanon__box_units(s, box));
            if (a == b)
                assert_int_equal(kanon__pair_units(s, a, b), 0);
        }
}

static void assert_sums_fit(const kanon__space *s)
{
    uint64_t sum = 0;
    assert_true(s->scale >= 1);
    for (int i = 0; i < s->n_dimensions; i++)
        sum += s->dimensions[i].full;
    assert_true(sum <= (uint64_t)1 << 30);
}

static kanon__space *space_of(const kanon_table *table)
{
    kanon__space *space = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon__space_new(&space, &table->data, table->data.quasi, table->data.n_quasi, KANON__TERMS_LOSS, &err),
                &err);
    assert_sums_fit(space);
    return space;
}

static void units_are_the_formula(void **state)
{
    (void)state;
    kanon__random random;
    kanon__random_init(&random, test_seed(), 0);
    n_exact = n_rounded = 0;
    for (int i = 0; i < TABLES; i++) {
        model models[MOST_COLUMNS];
        int n_columns = (int)draw(&random, 1, MOST_COLUMNS), n_rows = (int)draw(&random, 1, MOST_ROWS);
        for (int column = 0; column < n_columns; column++)
            models[column] = make_column(&random, n_rows);
        kanon_table *table = write_models(models, n_columns, n_rows);
        kanon__space *space = space_of(table);
        assert_int_equal(space->n_dimensions, n_columns);
        for (int round = 0; round < 3; round++)
            check_growing_box(space, models, n_rows, &random);
        check_pairs_and_joins(space, models, n_rows);
        kanon__space_free(space);
        kanon_table_free(table);
    }
    assert_true(n_exact > 10000 && n_rounded > 10000); /* both were looked at */
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

/* 4.2 = 2 * (15/30 + 3/5 + 1), of definitions.md: everything is exact, so it is 63 / 30. */
static void paper_example_is_exact(void **state)
{
    kanon__bound box[6];
    (void)state;
    kanon_table *table = table_of("attributes:\n"
                                  "  age: {role: quasi, type: integer}\n"
                                  "  zip: {role: quasi, type: categorical, mask: right}\n"
                                  "  gender: {role: quasi, type: categorical}\n",
                                  "age,zip,gender\n25,41076,Male\n40,41935,Female\n35,12345,Male\n55,33333,Male\n"
                                  "33,41733,Female\n42,41076,Male\n38,41933,Male\n");
    kanon__space *space = space_of(table);
    for (int i = 0; i < 3; i++)
        assert_true(space->dimensions[i].exact);
    kanon__box_start(space, box, 0);
    assert_int_equal(kanon__box_units(space, box), 0);
    kanon__box_add(space, box, 1);
    assert_int_equal(kanon__box_units(space, box) * (int64_t)30, 63 * space->scale);
    kanon__space_free(space);
    kanon_table_free(table);
}

static void assert_pair(const kanon__space *s, int64_t a, int64_t b, long double expected)
{
    long double d = (long double)kanon__pair_units(s, a, b) / (long double)s->scale;
    if (fabsl(d - expected) > 1e-7L)
        fail_msg("rows %lld and %lld: %.12Lf, not %.12Lf", (long long)a, (long long)b, d, expected);
}

static void missing_numbers(void **state)
{
    (void)state;
    kanon_table *table = table_of("missing: [\"?\", NA]\nattributes:\n  a: {role: quasi, type: integer, weight: 2}\n",
                                  "a\n10\n?\n20\n15\nNA\n");
    kanon__space *space = space_of(table);
    assert_pair(space, 0, 1, 2);
    assert_pair(space, 2, 1, 2);
    assert_pair(space, 1, 4, 0);
    assert_pair(space, 0, 2, 2);
    assert_pair(space, 0, 3, 1);
    kanon__space_free(space);
    kanon_table_free(table);
    table = table_of("missing: [\"?\"]\nattributes:\n  a: {role: quasi, type: integer}\n  b: {role: quasi, type: decimal}\n",
                     "a,b\n?,1\n?,1\n?,?\n");
    space = space_of(table);
    assert_pair(space, 0, 1, 0); /* all missing, and R = 0 */
    assert_pair(space, 0, 2, 1); /* R = 0, but missing and present together */
    kanon__space_free(space);
    kanon_table_free(table);
}

static void constant_columns_cost_nothing(void **state)
{
    (void)state;
    kanon_table *table = table_of("attributes:\n  a: {role: quasi}\n  b: {role: quasi}\n  c: {role: quasi}\n"
                                  "  d: {role: quasi, type: date}\n  e: {role: quasi, type: decimal}\n",
                                  "a,b,c,d,e\n5,1.5,x,2020-01-01,1e300\n5,1.50,x,2020-01-01,1e300\n");
    kanon__space *space = space_of(table);
    assert_int_equal(kanon__pair_units(space, 0, 1), 0);
    kanon__space_free(space);
    kanon_table_free(table);
}

/* Numbers that no common scale can hold; where even the range is more than a double, too. */
static void huge_and_tiny_decimals(void **state)
{
    static const char *const sets[][5] = {
        {"1e300", "-1e300", "0", "5e299", "1"},
        {"1.7e308", "-1.7e308", "0", "1e308", "-1e308"},
        {"1e-300", "3e-300", "2e-300", "2.5e-300", "1.5e-300"},
        {"123456789012345678901234567890", "123456789012345678901234567899", "223456789012345678901234567890", "0", "1"},
        {"1e18", "0.000000000000000001", "0.5", "-1e18", "7e17"},
        {"4.9e-324", "1e-322", "5e-323", "1e-323", "0"},
    };
    (void)state;
    for (size_t set = 0; set < sizeof sets / sizeof *sets; set++) {
        char csv[400];
        long double value[5], least = INFINITY, most = -INFINITY;
        snprintf(csv, sizeof csv, "a\n%s\n%s\n%s\n%s\n%s\n", sets[set][0], sets[set][1], sets[set][2], sets[set][3],
                 sets[set][4]);
        kanon_table *table = table_of("attributes: {a: {role: quasi, type: decimal}}\n", csv);
        assert_null(table->data.columns[0].domain->scaled);
        kanon__space *space = space_of(table);
        assert_false(space->dimensions[0].exact);
        for (int i = 0; i < 5; i++) {
            value[i] = strtod(sets[set][i], NULL); /* what the nearest double says, in the C locale */
            least = value[i] < least ? value[i] : least;
            most = value[i] > most ? value[i] : most;
        }
        for (int a = 0; a < 5; a++)
            for (int b = 0; b < 5; b++)
                assert_pair(space, a, b, fabsl(value[a] - value[b]) / (most - least));
        kanon__space_free(space);
        kanon_table_free(table);
    }
}

static void assert_masked_pairs(const kanon__space *space)
{
    for (int i = 0; i < 1000; i += 13)
        for (int j = 0; j < 1000; j += 17) {
            int a = (i * 7) % 1000, b = (j * 7) % 1000;
            ratio is = masked_term(a < b ? a : b, a < b ? b : a);
            assert_int_equal(kanon__pair_units(space, i, j) * is.denominator, is.numerator * space->scale);
        }
}

/* So many leaves that no table of all pairs is made, but one of runs; and without that, as if there were still more. */
static void many_leaves_are_climbed(void **state)
{
    static text csv;
    (void)state;
    csv.used = 0;
    add(&csv, "a\n");
    for (int i = 0; i < 1000; i++)
        add(&csv, "%03d\n", (i * 7) % 1000);
    kanon_table *table = table_of("attributes: {a: {role: quasi, type: categorical, mask: right}}\n", csv.bytes);
    kanon__space *space = space_of(table);
    uint32_t *steps = space->dimensions[0].step_units;
    assert_null(space->dimensions[0].pair_units);
    assert_non_null(steps);
    assert_masked_pairs(space);
    space->dimensions[0].step_units = NULL;
    assert_masked_pairs(space);
    space->dimensions[0].step_units = steps;
    kanon__space_free(space);
    kanon_table_free(table);
}

/* The heaviest table that a schema allows to write in a few lines. */
static void heavy_weights_fit(void **state)
{
    static text yaml, csv;
    (void)state;
    for (int n_columns = 1; n_columns <= 64; n_columns *= 4) {
        yaml.used = csv.used = 0;
        add(&yaml, "attributes:\n");
        for (int i = 0; i < n_columns; i++) {
            add(&yaml, "  c%d: {role: quasi, type: integer, weight: 1000000}\n", i);
            add(&csv, "%sc%d", i > 0 ? "," : "", i);
        }
        for (int row = 0; row < 3; row++)
            for (int i = 0; i < n_columns; i++)
                add(&csv, "%s%d", i > 0 ? "," : "\n", row * (i + 1));
        kanon_table *table = table_of(yaml.bytes, csv.bytes);
        kanon__space *space = space_of(table);
        assert_true(kanon__pair_units(space, 0, 2) == (uint64_t)space->scale * 1000000 * (uint64_t)n_columns);
        assert_true(kanon__pair_units(space, 0, 1) < kanon__pair_units(space, 0, 2));
        kanon__space_free(space);
        kanon_table_free(table);
    }
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

static void assert_fraction(const char *weight, int64_t numerator, int64_t denominator)
{
    kanon__weight f = kanon__weight_parse(weight);
    assert_int_equal(f.numerator, numerator);
    assert_int_equal(f.denominator, denominator);
}

static void weights_are_fractions_in_lowest_terms(void **state)
{
    (void)state;
    assert_fraction(NULL, 1, 1);
    assert_fraction("2", 2, 1);
    assert_fraction("0.75", 3, 4);
    assert_fraction("0.5000", 1, 2);
    assert_fraction("0", 0, 1);
    assert_fraction("0.33333333333333333333", 333333333333, 1000000000000); /* 20 digits are too many */
    assert_int_equal(kanon__gcd(12, 18), 6);
    assert_int_equal(kanon__gcd(7, 0), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_are_the_formula),  cmocka_unit_test(paper_example_is_exact),
        cmocka_unit_test(missing_numbers),        cmocka_unit_test(constant_columns_cost_nothing),
        cmocka_unit_test(huge_and_tiny_decimals), cmocka_unit_test(many_leaves_are_climbed),
        cmocka_unit_test(heavy_weights_fit),      cmocka_unit_test(weights_are_fractions_in_lowest_terms),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
