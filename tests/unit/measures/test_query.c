/* The query error: a slow reference that asks every record, hand-made tables, settings, and the sets of rows behind it. */
#include "support.h"

#include "core/alloc.h"
#include "core/random.h"
#include "measures/row_index.h"
#include "reference/random_table.h"
#include "table/read/table.h"

#include <math.h>

enum { MOST_SETTINGS = 6 };

static kanon_status try_query_error(double *out, const kanon_table *table, const kanon_grouping *grouping,
                                    const kanon_setting *settings, size_t n_settings, int threads, kanon_error *err)
{
    kanon_measures *measures = NULL;
    kanon_evaluate_options options = {
        .struct_size = sizeof options, .settings = settings, .n_settings = n_settings, .threads = threads};
    kanon_status st = kanon_evaluate(&measures, table, grouping, &options, err);
    if (st == KANON_OK) {
        const kanon_figure *figure = kanon_measures_find(measures, "query_error", NULL);
        assert_non_null(figure);
        assert_true(strlen(figure->formula) > 0);
        *out = figure->value;
    }
    assert_true((measures == NULL) == (st != KANON_OK));
    kanon_measures_free(measures);
    return st;
}

static double query_error(const kanon_table *table, const kanon_grouping *grouping, const kanon_setting *settings,
                          size_t n_settings)
{
    kanon_error err = KANON_INIT(kanon_error);
    double value = -1;
    assert_done(try_query_error(&value, table, grouping, settings, n_settings, 1, &err), &err);
    return value;
}

#define SETTINGS(...) (kanon_setting[]){__VA_ARGS__}, sizeof((kanon_setting[]){__VA_ARGS__}) / sizeof(kanon_setting)

/* ---- the slow reference ------------------------------------------------------------------------------------------ */

/* One predicate: a range of numbers, or marks on leaves. */
typedef struct ref_predicate {
    int quasi;
    bool empty;
    double lo, hi; /* both included */
    bool *leaves;
} ref_predicate;

static const kanon__column *quasi_column(const kanon_table *t, int i)
{
    return &t->data.columns[t->data.quasi[i]];
}

static int64_t n_numbers(const kanon__column *c)
{
    return (int64_t)c->domain->n_codes - (c->domain->missing_code != KANON__NO_CODE);
}

/* As the title comment of measure_query.c says it, written again. */
static ref_predicate ref_draw(const kanon_table *t, int quasi, double fraction, kanon__random *random)
{
    const kanon__column *c = quasi_column(t, quasi);
    ref_predicate p = {.quasi = quasi};
    if (kanon__column_is_numeric(c)) {
        int64_t n = n_numbers(c);
        p.empty = n == 0;
        if (p.empty)
            return p;
        double min = c->domain->values[0], max = c->domain->values[n - 1];
        if (c->domain->type == KANON_TYPE_DECIMAL) {
            double width = fraction * (max - min);
            p.lo = width >= max - min ? min : min + kanon__random_unit(random) * (max - min - width);
            p.hi = width >= max - min ? max : p.lo + width;
            return p;
        }
        int64_t units = (int64_t)(max - min) + 1, wanted = (int64_t)floor(fraction * (double)units + 0.5);
        wanted = wanted < 1 ? 1 : wanted;
        p.lo = min + (double)kanon__random_below(random, units - wanted + 1);
        p.hi = p.lo + (double)wanted - 1;
        return p;
    }
    int64_t units = c->domain->n_codes - (c->domain->missing_code != KANON__NO_CODE ? 1 : 0), seen = 0;
    int64_t wanted = (int64_t)floor(fraction * (double)units + 0.5);
    wanted = wanted < 1 ? 1 : wanted;
    p.empty = units == 0;
    p.leaves = calloc(c->domain->n_codes, sizeof *p.leaves);
    if (p.empty)
        return p;
    int64_t first = kanon__random_below(random, units - wanted + 1);
    for (uint32_t leaf = 0; leaf < c->domain->n_codes; leaf++)
        if (leaf != c->domain->missing_code) {
            p.leaves[leaf] = seen >= first && seen < first + wanted;
            seen++;
        }
    return p;
}

static bool ref_satisfies(const kanon__column *c, const ref_predicate *p, uint32_t code)
{
    if (p->empty || code == c->domain->missing_code)
        return false;
    return p->leaves != NULL ? p->leaves[code] : c->domain->values[code] >= p->lo && c->domain->values[code] <= p->hi;
}

static bool is_below(const kanon__taxonomy *t, uint32_t leaf, int32_t node)
{
    for (int32_t at = t->leaf_node[leaf]; at >= 0; at = t->parent[at])
        if (at == node)
            return true;
    return false;
}

/* The lowest node with all leaves of the group below it, by trying every node. */
static int32_t ref_node(const kanon_table *t, const kanon__column *c, const int64_t *group_of, int64_t group)
{
    int32_t best = 0, best_leaves = INT32_MAX;
    for (int32_t node = c->domain->taxonomy->n_nodes - 1; node >= 0; node--) {
        bool covers = true;
        for (int64_t row = 0; row < t->data.n_rows; row++)
            covers = covers && (group_of[row] != group ||
                                is_below(c->domain->taxonomy, kanon__code_at(c->codes, row), node));
        int32_t n_leaves = 0;
        for (uint32_t leaf = 0; leaf < c->domain->n_codes; leaf++)
            n_leaves += is_below(c->domain->taxonomy, leaf, node);
        if (covers && n_leaves < best_leaves) { /* of a chain with equal leaves, the lowest was seen first */
            best = node;
            best_leaves = n_leaves;
        }
    }
    return best;
}

static double ref_leaf_share(const kanon__column *c, const ref_predicate *p, int32_t node)
{
    double n_below = 0, n_in = 0;
    for (uint32_t leaf = 0; leaf < c->domain->n_codes; leaf++) {
        bool below = leaf != c->domain->missing_code && is_below(c->domain->taxonomy, leaf, node);
        n_below += below;
        n_in += below && p->leaves[leaf];
    }
    return n_below > 0 ? n_in / n_below : 0;
}

static double ref_number_share(const kanon__column *c, const ref_predicate *p, double lo, double hi)
{
    double begin = fmax(lo, p->lo), end = fmin(hi, p->hi);
    if (p->empty || begin > end)
        return 0;
    if (c->domain->type != KANON_TYPE_DECIMAL)
        return (end - begin + 1) / (hi - lo + 1);
    return lo == hi ? 1 : (end - begin) / (hi - lo);
}

/* The share of the region of `group` (0: suppressed) that lies in the predicate. */
static double ref_share(const kanon_table *t, const ref_predicate *p, const int64_t *group_of, int64_t group)
{
    const kanon__column *c = quasi_column(t, p->quasi);
    if (!kanon__column_is_numeric(c))
        return ref_leaf_share(c, p, group > 0 ? ref_node(t, c, group_of, group) : 0);
    bool missing = false, present = false;
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t row = 0; row < t->data.n_rows; row++) {
        if (group_of[row] != group)
            continue;
        if (kanon__code_at(c->codes, row) == c->domain->missing_code) {
            missing = true;
            continue;
        }
        present = true;
        lo = fmin(lo, c->domain->values[kanon__code_at(c->codes, row)]);
        hi = fmax(hi, c->domain->values[kanon__code_at(c->codes, row)]);
    }
    if (n_numbers(c) == 0 || (group > 0 && !present))
        return 0;
    if (group == 0 || missing) {
        lo = c->domain->values[0];
        hi = c->domain->values[n_numbers(c) - 1];
    }
    return ref_number_share(c, p, lo, hi);
}

typedef struct ref_workload {
    int chosen[8], m; /* m 0: three drawn for each query */
    double selectivity;
    int64_t count;
    uint64_t seed;
} ref_workload;

/* |actual - estimate| / actual of one query; NAN where actual is 0. */
static double ref_query(const kanon_table *t, const int64_t *group_of, const ref_workload *w, int64_t query)
{
    kanon__random random;
    ref_predicate predicates[8];
    int32_t drawn[8], scratch[8];
    int m = w->m > 0 ? w->m : t->data.n_quasi < 3 ? t->data.n_quasi : 3;
    kanon__random_init(&random, w->seed, ((uint64_t)0x7175657279 << 20) + (uint64_t)query);
    if (w->m == 0)
        kanon__random_sample(&random, drawn, m, scratch, t->data.n_quasi);
    for (int j = 0; j < m; j++)
        predicates[j] = ref_draw(t, w->m > 0 ? w->chosen[j] : drawn[j], pow(w->selectivity, 1.0 / m), &random);
    double actual = 0, estimate = 0, *of_group = malloc((size_t)(t->data.n_rows + 1) * sizeof *of_group);
    for (int64_t group = 0; group <= t->data.n_rows; group++) {
        of_group[group] = 1;
        for (int j = 0; j < m; j++)
            of_group[group] *= ref_share(t, &predicates[j], group_of, group);
    }
    for (int64_t row = 0; row < t->data.n_rows; row++) {
        bool all = true;
        for (int j = 0; j < m; j++) {
            const kanon__column *c = quasi_column(t, predicates[j].quasi);
            all = all && ref_satisfies(c, &predicates[j], kanon__code_at(c->codes, row));
        }
        actual += all;
        estimate += of_group[group_of[row]];
    }
    free(of_group);
    for (int j = 0; j < m; j++)
        free(predicates[j].leaves);
    return actual > 0 ? fabs(actual - estimate) / actual : NAN;
}

static double ref_query_error(const kanon_table *t, const int64_t *group_of, const ref_workload *w)
{
    double sum = 0, n = 0;
    for (int64_t query = 0; query < w->count; query++) {
        double error = ref_query(t, group_of, w, query);
        if (!isnan(error)) {
            sum += error;
            n++;
        }
    }
    return n > 0 ? sum / n : NAN;
}

/* Groups are numbered by any numbers up to the number of rows; 0 is suppressed. */
static int64_t *random_groups(const kanon_table *t, kanon__random *random)
{
    int64_t *group_of = malloc((size_t)(t->data.n_rows > 0 ? t->data.n_rows : 1) * sizeof *group_of);
    int64_t n_groups = 1 + kanon__random_below(random, t->data.n_rows), none = kanon__random_below(random, 3);
    for (int64_t row = 0; row < t->data.n_rows; row++) {
        group_of[row] = 1 + kanon__random_below(random, n_groups);
        if (none == 0 && kanon__random_below(random, 5) == 0)
            group_of[row] = 0;
    }
    return group_of;
}

static void test_reference(void **state)
{
    (void)state;
    enum { N_TABLES = 1000 };
    uint64_t seed = test_seed();
    int n_defined = 0;
    for (uint64_t i = 0; i < N_TABLES; i++) {
        random_table random = random_table_new(seed * 1000003 + i);
        kanon__random own;
        kanon__random_init(&own, seed, 1000 + i);
        const kanon_table *t = random.table;
        if (t->data.n_rows > 0) {
            char names[512] = "", selectivity[32], text_seed[32];
            int64_t *group_of = random_groups(t, &own);
            kanon_grouping *grouping = grouping_of(t, group_of);
            ref_workload w = {.count = 20, .seed = (uint64_t)kanon__random_below(&own, 1000)};
            int64_t thousandths = 1 + kanon__random_below(&own, 1000);
            w.selectivity = (double)thousandths / 1000;
            snprintf(selectivity, sizeof selectivity, "%d.%03d", (int)(thousandths / 1000), (int)(thousandths % 1000));
            snprintf(text_seed, sizeof text_seed, "%d", (int)w.seed);
            kanon_setting settings[MOST_SETTINGS] = {
                {"query-count", "20"}, {"query-selectivity", selectivity}, {"query-seed", text_seed}};
            size_t n_settings = 3;
            if (kanon__random_below(&own, 2) == 0) {
                int32_t order[8], scratch_numbers[8];
                w.m = 1 + (int)kanon__random_below(&own, t->data.n_quasi);
                kanon__random_sample(&own, order, w.m, scratch_numbers, t->data.n_quasi);
                for (int j = 0; j < w.m; j++) {
                    w.chosen[j] = order[j];
                    strcat(strcat(names, j > 0 ? "," : ""), quasi_column(t, order[j])->name);
                }
                settings[n_settings++] = (kanon_setting){"query-attributes", names};
            }
            double expected = ref_query_error(t, group_of, &w), got = query_error(t, grouping, settings, n_settings);
            if (isnan(expected) != isnan(got) || fabs(expected - got) > 1e-9 * (1 + fabs(expected)))
                fail_msg("table %llu: %.15g instead of %.15g", (unsigned long long)random.seed, got, expected);
            n_defined += !isnan(expected);
            kanon_grouping_free(grouping);
            free(group_of);
        }
        random_table_clear(&random);
    }
    assert_true(n_defined > N_TABLES / 2);
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

static const char *const age_schema = "missing: ['?']\nattributes: {age: {role: quasi, type: integer}}\n";

static void expect_error(const char *yaml, const char *csv, const int64_t *group_of, double expected,
                         const char *selectivity)
{
    kanon_table *table = table_of(yaml, csv);
    kanon_grouping *grouping = grouping_of(table, group_of);
    double got = query_error(table, grouping, SETTINGS({"query-selectivity", selectivity}, {"query-count", "50"}));
    if (isnan(expected))
        assert_true(isnan(got));
    else if (!(fabs(got - expected) <= 1e-9))
        fail_msg("%.12g instead of %.12g", got, expected);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* Where every predicate that can be drawn has the same error, the mean is known. */
static void test_by_hand(void **state)
{
    (void)state;
    static const char *const ten = "age\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    /* a group that covers the domain evenly: 3 of 10 units, 3 records, 10 * 3/10 */
    expect_error(age_schema, ten, (int64_t[]){1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, "0.3");
    /* records alone are known exactly */
    expect_error(age_schema, ten, (int64_t[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0, "0.1");
    /* a suppressed table is one region: the whole domain */
    expect_error(age_schema, ten, (int64_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0, "0.3");
    /* two records on each of two values, with a value between that nobody has: 4/3 instead of 2, and no answer for the
     * value between */
    expect_error(age_schema, "age\n0\n0\n2\n2\n", (int64_t[]){1, 1, 1, 1}, 1.0 / 3, "0.33");
    /* the smallest predicate is one unit, however small the selectivity: 1 of 2, 2 records of 4 */
    expect_error(age_schema, "age\n0\n0\n1\n1\n", (int64_t[]){1, 1, 1, 1}, 0, "0.000001");
    /* everything: every record */
    expect_error(age_schema, "age\n0\n0\n17\n1\n", (int64_t[]){1, 2, 2, 0}, 0, "1");
}

static void test_missing(void **state)
{
    (void)state;
    /* 1, 2 and missing together are *: 3 records on [1,2], a predicate of one unit: 1.5 instead of 1 */
    expect_error(age_schema, "age\n1\n2\n?\n", (int64_t[]){1, 1, 1}, 0.5, "0.5");
    /* missing alone: nowhere */
    expect_error(age_schema, "age\n1\n2\n?\n", (int64_t[]){1, 1, 2}, 0, "0.5");
    /* suppressed: it could have any value */
    expect_error(age_schema, "age\n1\n2\n?\n", (int64_t[]){1, 1, 0}, 0.5, "0.5");
    /* no domain, no answers */
    expect_error(age_schema, "age\n?\n?\n", (int64_t[]){1, 1}, NAN, "0.5");
    static const char *const town = "missing: ['?']\nattributes: {town: {role: quasi, type: categorical}}\n";
    expect_error(town, "town\na\nb\n?\n", (int64_t[]){1, 1, 1}, 0.5, "0.5");
    expect_error(town, "town\na\nb\n?\n", (int64_t[]){1, 1, 2}, 0, "0.5");
    expect_error(town, "town\na\nb\n?\n", (int64_t[]){1, 1, 0}, 0.5, "0.5");
    expect_error(town, "town\n?\n?\n", (int64_t[]){1, 1}, NAN, "0.5");
    /* a taxonomy that has the missing leaf in the middle: a, b and c are next to each other, and two of them are asked */
    static const char *const middle =
        "missing: ['?']\nattributes: {town: {role: quasi, taxonomy: {N: {a: , b: }, '?': , S: {c: }}}}\n";
    expect_error(middle, "town\na\nb\nc\n?\n", (int64_t[]){1, 1, 1, 2}, 0, "0.6667");
    expect_error(middle, "town\na\nb\nc\n?\n", (int64_t[]){1, 1, 1, 1}, 1.0 / 3, "0.6667");
}

static void test_decimals(void **state)
{
    (void)state;
    static const char *const yaml = "attributes: {x: {role: quasi, type: decimal}}\n";
    /* points are in or out */
    expect_error(yaml, "x\n0.5\n1.5\n2.5\n", (int64_t[]){1, 2, 3}, 0, "0.5");
    /* the whole range, ends included */
    expect_error(yaml, "x\n0.1\n0.2\n0.3\n", (int64_t[]){1, 1, 1}, 0, "1");
    /* no range at all: everything is one point */
    expect_error(yaml, "x\n0.1\n0.1\n", (int64_t[]){1, 1}, 0, "0.01");
    /* nine tenths of [0, 1], begun behind 0, end before 1: no record is asked for */
    expect_error(yaml, "x\n0\n1\n0\n1\n", (int64_t[]){1, 1, 1, 1}, NAN, "0.9");
}

static void test_dates(void **state)
{
    (void)state;
    static const char *const yaml = "attributes: {day: {role: quasi, type: date}}\n";
    /* four days, two asked, two of four records each time */
    expect_error(yaml, "day\n2020-02-28\n2020-02-29\n2020-03-01\n2020-03-02\n", (int64_t[]){1, 1, 1, 1}, 0, "0.5");
}

static void test_taxonomy(void **state)
{
    (void)state;
    static const char *const yaml =
        "attributes: {job: {role: quasi, taxonomy: {Out: {fish: , farm: }, In: {desk: , shop: }}}}\n";
    /* one of four leaves; the group Out is spread over its two: fish 1 instead of 1.5, farm 2 instead of 1.5, desk exact:
     * errors 1/2, 1/4, 0, and shop has no answer */
    kanon_table *table = table_of(yaml, "job\nfish\nfarm\nfarm\ndesk\n");
    kanon_grouping *grouping = grouping_of(table, (int64_t[]){1, 1, 1, 2});
    bool seen[3] = {false};
    for (int seed = 0; seed < 40; seed++) {
        char text[16];
        snprintf(text, sizeof text, "%d", seed);
        double error = query_error(table, grouping,
                                   SETTINGS({"query-selectivity", "0.25"}, {"query-count", "1"}, {"query-seed", text}));
        if (isnan(error))
            continue;
        int which = error == 0.5 ? 0 : error == 0.25 ? 1 : error == 0 ? 2 : -1;
        assert_true(which >= 0);
        seen[which] = true;
    }
    assert_true(seen[0] && seen[1] && seen[2]);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static const char *const census_schema = "attributes:\n  Age: {role: quasi, type: integer}\n  GENDER: {role: quasi}\n"
                                         "  income: {role: quasi}\n  Race: {role: quasi}\n  workclass: {role: quasi}\n"
                                         "  job: {role: sensitive}\n";

/* A table large enough for presets to have answers. */
static kanon_table *census(kanon_grouping **grouping)
{
    enum { N = 400 };
    char *csv = malloc(N * 64), *at = csv;
    int64_t group_of[N];
    kanon__random random;
    kanon__random_init(&random, 5, 5);
    at += sprintf(at, "Age,GENDER,income,Race,workclass,job\n");
    for (int i = 0; i < N; i++) {
        at += sprintf(at, "%d,%c,%s,r%d,w%d,j%d\n", 17 + (int)kanon__random_below(&random, 70),
                      "mf"[kanon__random_below(&random, 2)], kanon__random_below(&random, 4) > 0 ? "low" : "high",
                      (int)kanon__random_below(&random, 3), (int)kanon__random_below(&random, 4), i % 5);
        group_of[i] = 1 + i / 4;
    }
    kanon_table *table = table_of(census_schema, csv);
    *grouping = grouping_of(table, group_of);
    free(csv);
    return table;
}

static void test_presets(void **state)
{
    (void)state;
    kanon_grouping *grouping;
    kanon_table *table = census(&grouping);
    double type1 = query_error(table, grouping, SETTINGS({"query-preset", "type1"}));
    double type2 = query_error(table, grouping, SETTINGS({"query-preset", "type2"}));
    assert_true(type1 > 0 && type2 > 0 && type1 != type2);
    double same1 = query_error(table, grouping,
                               SETTINGS({"query-attributes", "Age,GENDER,income"}, {"query-count", "10000"}));
    double same2 = query_error(table, grouping,
                               SETTINGS({"query-attributes", "Age+GENDER+income+Race+workclass"}, {"query-count", "10000"},
                                        {"query-selectivity", "0.005"}));
    assert_true(type1 == same1 && type2 == same2);
    /* what is said besides a preset wins over it */
    double fewer = query_error(table, grouping,
                               SETTINGS({"query-preset", "type2"}, {"query-count", "7"}, {"query-selectivity", "0.3"}));
    double same = query_error(table, grouping,
                              SETTINGS({"query-attributes", " Age, GENDER ,income,Race,workclass"}, {"query-count", "7"},
                                       {"query-selectivity", "0.3"}));
    assert_true(fewer == same);
    /* the defaults */
    double defaults = query_error(table, grouping, NULL, 0);
    double spelled = query_error(
        table, grouping,
        SETTINGS({"query-preset", "none"}, {"query-count", "1000"}, {"query-selectivity", "0.015"}, {"query-seed", "0"}));
    double other_seed = query_error(table, grouping, SETTINGS({"query-seed", "1"}));
    assert_true(defaults == spelled && defaults != other_seed);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static void expect_wrong(const kanon_table *table, const kanon_grouping *grouping, const char *part,
                         const kanon_setting *settings, size_t n)
{
    kanon_error err = KANON_INIT(kanon_error);
    double value;
    assert_int_equal(try_query_error(&value, table, grouping, settings, n, 1, &err), KANON_EINVAL);
    assert_holds(err.message, part);
}

static void test_wrong_settings(void **state)
{
    (void)state;
    kanon_grouping *grouping;
    kanon_table *table = census(&grouping);
    expect_wrong(table, grouping, "'age' is no quasi attribute", SETTINGS({"query-attributes", "age"}));
    expect_wrong(table, grouping, "'job' is no quasi attribute", SETTINGS({"query-attributes", "Age,job"}));
    expect_wrong(table, grouping, "'Age' is named twice", SETTINGS({"query-attributes", "Age,income,Age"}));
    expect_wrong(table, grouping, "'' is no quasi attribute", SETTINGS({"query-attributes", ""}));
    expect_wrong(table, grouping, "'' is no quasi attribute", SETTINGS({"query-attributes", "Age,"}));
    expect_wrong(table, grouping, "'Age+income' is no quasi attribute", SETTINGS({"query-attributes", "Age+income,Race"}));
    expect_wrong(table, grouping, "exclude each other", SETTINGS({"query-attributes", "Age"}, {"query-preset", "type1"}));
    expect_wrong(table, grouping, "query-preset", SETTINGS({"query-preset", "type3"}));
    expect_wrong(table, grouping, "query-selectivity", SETTINGS({"query-selectivity", "0"}));
    expect_wrong(table, grouping, "query-selectivity", SETTINGS({"query-selectivity", "1.01"}));
    expect_wrong(table, grouping, "query-count", SETTINGS({"query-count", "0"}));
    expect_wrong(table, grouping, "query-count", SETTINGS({"query-count", "1.5"}));
    expect_wrong(table, grouping, "query-seed", SETTINGS({"query-seed", "-1"}));
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    table = table_of("attributes: {sex: {role: quasi}, age: {role: sensitive}}\n", "sex,age\nm,1\nf,2\n");
    grouping = grouping_of(table, (int64_t[]){1, 1});
    expect_wrong(table, grouping, "query-preset=type1: not among the quasi attributes: age, income",
                 SETTINGS({"query-preset", "type1"}));
    expect_wrong(table, grouping, "not among the quasi attributes: age, income, race, workclass",
                 SETTINGS({"query-preset", "type2"}));
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* Columns may have a plus in their names. */
static void test_plus(void **state)
{
    (void)state;
    kanon_table *table = table_of("attributes: {a+b: {role: quasi}, c: {role: quasi}}\n", "a+b,c\n1,1\n2,2\n4,1\n");
    kanon_grouping *grouping = grouping_of(table, (int64_t[]){1, 1, 1});
    assert_true(query_error(table, grouping, SETTINGS({"query-attributes", "a+b,c"})) >= 0);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* ---- threads, stopping, memory ----------------------------------------------------------------------------------- */

static void test_threads(void **state)
{
    (void)state;
    kanon_grouping *grouping;
    kanon_table *table = census(&grouping);
    kanon_error err = KANON_INIT(kanon_error);
    double one = 0, many = 0;
    kanon_setting settings[] = {{"query-count", "3001"}};
    assert_done(try_query_error(&one, table, grouping, settings, 1, 1, &err), &err);
    for (int threads = 2; threads <= 9; threads += 7) {
        assert_done(try_query_error(&many, table, grouping, settings, 1, threads, &err), &err);
        assert_true(one == many);
    }
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static int stop_now(const kanon_progress *progress, void *payload)
{
    (void)progress;
    ++*(int *)payload;
    return 1;
}

static void test_stop(void **state)
{
    (void)state;
    kanon_grouping *grouping;
    kanon_table *table = census(&grouping);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_measures *measures = NULL;
    int n_calls = 0;
    kanon_setting settings[] = {{"query-count", "1000000"}};
    kanon_evaluate_options options = {.struct_size = sizeof options,
                                      .settings = settings,
                                      .n_settings = 1,
                                      .threads = 2,
                                      .tick = stop_now,
                                      .payload = &n_calls};
    assert_int_equal(kanon_evaluate(&measures, table, grouping, &options, &err), KANON_ECANCELLED);
    assert_null(measures);
    assert_true(n_calls > 0);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static void test_no_memory(void **state)
{
    (void)state;
    kanon_table *table = table_of("missing: ['?']\nattributes: {age: {role: quasi}, town: {role: quasi}}\n",
                                  "age,town\n1,a\n2,b\n?,a\n4,b\n4,?\n");
    kanon_grouping *grouping = grouping_of(table, (int64_t[]){1, 1, 2, 2, 0});
    kanon_setting settings[] = {{"query-count", "100"}, {"query-attributes", "town,age"}};
    kanon_status st = KANON_ENOMEM;
    double value;
    int64_t n = 0;
    while (st == KANON_ENOMEM) {
        kanon_error err = KANON_INIT(kanon_error);
        n++;
        kanon__alloc_fail_at(n, n % 2 == 0);
        st = try_query_error(&value, table, grouping, settings, 2, 1, &err);
        kanon__alloc_fail_at(0, false);
    }
    assert_int_equal(st, KANON_OK);
    assert_true(n > 20);
    assert_no_leak();
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* ---- sets of rows ------------------------------------------------------------------------------------------------ */

static void test_row_index(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    static const int sizes[] = {1, 2, 31, 32, 33, 63, 64, 65, 200, 300};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int n = sizes[i];
        char csv[4096] = "age\n";
        kanon__random random;
        kanon__random_init(&random, seed, i);
        for (int row = 0; row < n; row++)
            snprintf(csv + strlen(csv), sizeof csv - strlen(csv), kanon__random_below(&random, 6) > 0 ? "%d\n" : "?\n",
                     (int)kanon__random_below(&random, 1 + n / 3));
        kanon_table *table = table_of(age_schema, csv);
        const kanon__column *c = quasi_column(table, 0);
        kanon__row_index index;
        kanon_error err = KANON_INIT(kanon_error);
        assert_done(kanon__row_index_init(&index, c, n, &err), &err);
        uint64_t set[8];
        for (uint32_t lo = 0; lo <= c->domain->n_codes; lo++)
            for (uint32_t hi = lo; hi <= c->domain->n_codes; hi++) {
                int64_t begin = kanon__row_index_before(&index, lo), end = kanon__row_index_before(&index, hi);
                kanon__row_index_slice(&index, set, begin, end);
                for (int row = 0; row < n; row++) {
                    bool wanted = kanon__code_at(c->codes, row) >= lo && kanon__code_at(c->codes, row) < hi &&
                                  kanon__code_at(c->codes, row) != c->domain->missing_code;
                    assert_int_equal(set[row / 64] >> (row % 64) & 1, wanted);
                }
            }
        for (int64_t bit = n; bit < index.n_words * 64; bit++)
            assert_int_equal(set[bit / 64] >> (bit % 64) & 1, 0);
        kanon__row_index_clear(&index);
        kanon_table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference), cmocka_unit_test(test_by_hand),        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_decimals),  cmocka_unit_test(test_dates),          cmocka_unit_test(test_taxonomy),
        cmocka_unit_test(test_presets),   cmocka_unit_test(test_wrong_settings), cmocka_unit_test(test_plus),
        cmocka_unit_test(test_threads),   cmocka_unit_test(test_stop),           cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_row_index),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
