/* The measures: worked examples, and a slow reference on random tables. KANON_TEST_SEED=N begins with another table. */
#include "support.h"

#include "reference/random_table.h"
#include "reference/ref_measures.h"
#include "reference/reference.h"

#include <inttypes.h>
#include <math.h>

enum { N_TABLES = 1000, GROUPING_STREAM = 79 };

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static kanon_measures *evaluate(const kanon_table *table, const int64_t *group_of, const kanon_setting *settings, size_t n)
{
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *grouping = grouping_of(table, group_of);
    kanon_evaluate_options options = {sizeof options, .settings = settings, .n_settings = n};
    assert_done(kanon_evaluate(&measures, table, grouping, &options, &err), &err);
    kanon_grouping_free(grouping);
    return measures;
}

static void assert_near(double value, double expected, const char *what)
{
    bool same = isfinite(expected) ? fabs(value - expected) <= 1e-9 * fabs(expected) || fabs(value - expected) < 1e-13
                                   : (isnan(expected) && isnan(value)) || value == expected;
    if (!same)
        fail_msg("%s is %.15g, not %.15g", what, value, expected);
}

/* One figure, with the setting NAME=VALUE unless `name` is NULL. */
static void assert_figure_with(const kanon_table *table, const int64_t *group_of, const char *name, const char *value,
                               const char *figure, const char *attribute, double expected)
{
    kanon_setting setting = {name, value};
    kanon_measures *measures = evaluate(table, group_of, &setting, name != NULL);
    const kanon_figure *found = kanon_measures_find(measures, figure, attribute);
    if (found == NULL)
        fail_msg("there is no figure %s", figure);
    assert_near(found->value, expected, figure);
    kanon_measures_free(measures);
}

static void assert_figure(const kanon_table *table, const int64_t *group_of, const char *figure, const char *attribute,
                          double expected)
{
    assert_figure_with(table, group_of, NULL, NULL, figure, attribute, expected);
}

/* ---- worked examples --------------------------------------------------------------------------------------------- */

/* Definitions, example 1. */
static void truta(void **state)
{
    static const int64_t three[] = {1, 1, 2, 2, 3, 3, 3}, worse[] = {1, 1, 2, 2, 1, 2, 1}, better[] = {1, 1, 2, 2, 1, 2, 2};
    (void)state;
    kanon_table *t = table_of("attributes:\n"
                              "  Age: {role: quasi, type: integer}\n"
                              "  ZipCode: {role: quasi, type: categorical, mask: right}\n"
                              "  Gender: {role: quasi, type: categorical, taxonomy: {Male: , Female: }}\n",
                              "Age,ZipCode,Gender\n25,41076,Male\n40,41935,Female\n35,12345,Male\n55,33333,Male\n"
                              "33,41733,Female\n42,41076,Male\n38,41933,Male\n");
    double loss = 4.2 + 10.0 / 3 + 5.7;
    assert_figure(t, worse, "information_loss", NULL, 13.4);
    assert_figure(t, better, "information_loss", NULL, 12.9 + 1.0 / 15);
    assert_figure(t, three, "information_loss", NULL, loss);
    assert_figure(t, three, "attribute_loss", "Age", 2 * 15.0 / 30 + 2 * 20.0 / 30 + 3 * 9.0 / 30);
    assert_figure(t, three, "attribute_loss", "ZipCode", 2 * 0.6 + 2 * 1 + 3 * 0.6);
    assert_figure(t, three, "attribute_share", "Gender", 5 / loss);
    assert_figure(t, three, "loss_without", "Gender", loss - 5);
    /* 41***: four of the six zip codes */
    assert_figure(t, three, "ncp", "ZipCode", (2 * 4.0 / 6 + 2 * 1 + 3 * 4.0 / 6) / 7);
    assert_figure(t, three, "ncp", "Gender", 5.0 / 7);
    assert_figure(t, three, "class_size_mean", NULL, 7.0 / 3);
    assert_figure(t, three, "class_risk", NULL, (0.5 + 0.5 + 1.0 / 3) / 3);
    kanon_table_free(t);
}

static kanon_table *loukides_table(void)
{
    return table_of("attributes:\n  Age: {role: quasi, type: integer}\n"
                    "  Disease: {role: sensitive, type: categorical, taxonomy: {Cancer: , Viral: {HIV: , Respiratory: "
                    "{Flu: , Bronchitis: , Pneumonia: }}}}\n",
                    "Age,Disease\n10,Cancer\n15,HIV\n25,Flu\n10,Bronchitis\n20,Flu\n25,Pneumonia\n10,Bronchitis\n20,Flu\n"
                    "30,HIV\n");
}

/* Definitions, example 2: each group alone, the others suppressed, and all three. */
static void loukides(void **state)
{
    static const int64_t first[] = {1, 1, 1, 0, 0, 0, 0, 0, 0}, second[] = {0, 0, 0, 1, 1, 1, 0, 0, 0},
                         third[] = {0, 0, 0, 0, 0, 0, 1, 1, 1}, all[] = {1, 1, 1, 2, 2, 2, 3, 3, 3};
    (void)state;
    kanon_table *t = loukides_table();
    assert_figure_with(t, first, "r", "0.5", "s_diversity", "Disease", 3.0 / 9);
    assert_figure_with(t, second, "r", "0.5", "s_diversity", "Disease", 6.6 / 9);
    assert_figure_with(t, third, "r", "0.5", "s_diversity", "Disease", 4.2 / 9);
    assert_figure_with(t, third, "r", "0.7", "s_diversity", "Disease", 5.8 / 9);
    assert_figure_with(t, all, "r", "0.5", "protection", NULL, (3 + 6.6 + 4.2) / 27);
    /* r = 1 unless set: everything counts, in the first group the pairs of Cancer with 0.2 and the other pair with 0.4 */
    assert_figure(t, first, "protection", NULL, (3 + 4 * 0.2 + 2 * 0.4) / 9);
    assert_figure(t, all, "q_diversity", "Age", (15.0 / 20 + 15.0 / 20 + 1) / 3);
    assert_figure(t, all, "distinct_l", "Disease", 3);
    assert_figure(t, all, "entropy_l", "Disease", 3);
    assert_figure(t, all, "recursive_c", "Disease", 0.5);
    assert_figure(t, all, "alpha", "Disease", 1.0 / 3);
    /* the second group lacks Cancer, 1/9 of the table, at full distance from what it has too much of, and HIV, 2/9 at 2/3
     * */
    assert_figure(t, second, "t_closeness", "Disease", 1.0 / 9 * 1 + 2.0 / 9 * 2 / 3);
    kanon_table_free(t);
}

/* Twenty records with two values: 18 of them are 90 %, 17 are not; and of the rest, each group with one value. */
static void nearly_one_value(void **state)
{
    char text[512] = "a,d\n";
    int64_t all[20], parts[20];
    (void)state;
    for (int common = 17; common <= 18; common++) {
        size_t used = 4;
        for (int i = 0; i < 20; i++) {
            all[i] = 1;
            parts[i] = i < 10 ? 1 : i < common ? 2 : 0; /* 10 and 7 or 8 of the common value; the others are suppressed */
            used += (size_t)snprintf(text + used, sizeof text - used, "%d,%s\n", i, i < common ? "often" : "rare");
        }
        kanon_table *t = table_of("attributes:\n  a: {role: quasi, type: integer}\n  d: {role: sensitive}\n", text);
        assert_figure(t, all, "homogeneous", "d", 0);
        assert_figure(t, all, "nearly_homogeneous", "d", common == 18 ? 1 : 0);
        assert_figure(t, parts, "homogeneous", "d", 1);
        parts[19] = 2; /* a rare one: 7 of 8, or 8 of 9 */
        assert_figure(t, parts, "homogeneous", "d", 10.0 / (common + 1));
        assert_figure(t, parts, "nearly_homogeneous", "d", 10.0 / (common + 1));
        kanon_table_free(t);
    }
}

/* 24 numbers from 100 to 123 and one of 1000 have a median of 112 in one group: within 5.6 of it are 107 to 117. */
static void many_numbers(void **state)
{
    char text[512] = "a,n\n";
    int64_t groups[27];
    (void)state;
    for (int i = 0; i < 24; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "1,%d\n", 100 + i);
    strcat(text, "1,1000\n2,\n2,\n");
    for (int i = 0; i < 27; i++)
        groups[i] = i < 25 ? 1 : 2;
    kanon_table *t = table_of("attributes:\n  a: {role: quasi, type: integer}\n  n: {role: sensitive, type: integer}\n", text);
    assert_figure(t, groups, "inference", "n", 13.0 / 27); /* and both missing values, which are their group */
    assert_figure(t, groups, "inference_base", "n", 11.0 / 27);
    assert_figure(t, groups, "inference_gain", "n", 2.0 / 16);
    assert_figure(t, groups, "cap", "n", 3.0 / 27); /* 25 records, each 1 / 25; and two of two */
    assert_figure(t, groups, "cap_base", "n", 29.0 / 27 / 27);
    assert_figure(t, groups, "disco", "n", 2.0 / 27);
    kanon_table_free(t);
}

/* Definitions, example 4. */
static void lin(void **state)
{
    static const int64_t both[] = {1, 1, 1, 2, 2, 2};
    (void)state;
    kanon_table *t = table_of("attributes:\n  ZipCode: {role: quasi, type: categorical, mask: right}\n"
                              "  Gender: {role: quasi, type: categorical, taxonomy: {Male: , Female: }}\n"
                              "  Age: {role: quasi, type: integer}\n"
                              "  Disease: {role: sensitive, type: categorical}\n"
                              "  Expense: {role: sensitive, type: integer}\n",
                              "ZipCode,Gender,Age,Disease,Expense\n75275,Male,22,Flu,100\n75277,Male,23,Cancer,3000\n"
                              "75278,Male,24,HIV+,5000\n75275,Male,33,Diabetes,2500\n75275,Female,38,Diabetes,2800\n"
                              "75275,Female,36,Diabetes,2600\n");
    assert_figure(t, both, "information_loss", NULL, 3 * (0.2 + 2.0 / 16) + 3 * (1 + 5.0 / 16));
    /* ages 22, 23, 24 about 23; 33, 38, 36 about 107/3: deviations of 8/3, 7/3, 1/3 */
    assert_figure(t, both, "square_error", NULL, 3 * 0.04 + 2.0 / 256 + 3 + (64.0 + 49 + 1) / 9 / 256);
    /* 7527* has all three zip codes of the table below it */
    assert_figure(t, both, "utility_um", NULL, ((1 + 0.5 + 2.0 / 16) + (1.0 / 3 + 1 + 5.0 / 16)) / 2);
    assert_figure(t, both, "gcp", NULL, (0.5 + 0.5 + (2.0 / 16 + 5.0 / 16) / 2) / 3);
    assert_figure(t, both, "cl_l_mean", "Disease", 2);
    assert_figure(t, both, "homogeneous", "Disease", 0.5);
    assert_figure(t, both, "nearly_homogeneous", "Disease", 0.5);
    assert_figure(t, both, "homogeneous", "Expense", 0);
    assert_figure(t, both, "inference", "Disease", 4.0 / 6);
    assert_figure(t, both, "inference_base", "Disease", 3.0 / 6);
    assert_figure(t, both, "inference_gain", "Disease", 1.0 / 3);
    assert_figure(t, both, "cap", "Disease", 4.0 / 6);
    assert_figure(t, both, "cap_base", "Disease", 12.0 / 36);
    assert_figure(t, both, "disco", "Disease", 0.5);
    assert_figure(t, both, "inference", "Expense", 2.0 / 6); /* six values are few: the commonest, not the median */
    assert_figure(t, both, "cl_l_max", "Disease", 3);
    assert_figure(t, both, "recursive_c", "Disease", INFINITY);
    assert_figure(t, both, "cl_c_max", "Disease", 0.5);
    assert_figure(t, both, "uniques_before", NULL, 6);
    assert_figure(t, both, "uniques_after", NULL, 0);
    kanon_table_free(t);
}

/* Group 1 has 20 records, 11 of them of one person; group 2 has 4, two of them of one; group 3 has two, both of one. The
 * last record is suppressed. Sums of (records of the person) / |P|: (11 * 11 + 9) / 20 = 6.5, (2 * 2 + 2) / 4 = 1.5 and
 * 2 * 2 / 2 = 2. */
static void risk_counts_persons(void **state)
{
    enum { N = 27 };
    char csv[1024] = "who,age\n";
    int64_t groups[N], first[N];
    (void)state;
    for (int i = 0; i < N; i++) {
        const char *who = i < 11 ? "a" : i == 20 || i == 21 ? "b" : i == 24 || i == 25 ? "e" : NULL;
        groups[i] = i < 20 ? 1 : i < 24 ? 2 : i < 26 ? 3 : 0;
        first[i] = i < 20;
        if (who != NULL)
            snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "%s,%d\n", who, i < 20 ? 20 : i < 24 ? 30 : 40);
        else
            snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "p%d,%d\n", i, i < 20 ? 20 : i < 24 ? 30 : 50);
    }
    kanon_table *t = table_of("attributes: {who: identifying, age: {role: quasi, type: integer}}\nentity: who\n", csv);
    assert_figure(t, first, "highest_risk", NULL, 11.0 / 20); /* 55 %, not 5 % */
    assert_figure(t, first, "average_risk", NULL, 6.5 / 20);
    assert_figure(t, groups, "highest_risk", NULL, 1);
    assert_figure(t, groups, "average_risk", NULL, 10.0 / 26);
    assert_figure(t, groups, "class_risk", NULL, (6.5 / 20 + 1.5 / 4 + 1) / 3);
    assert_figure(t, groups, "records_above_33", NULL, 15.0 / 26); /* a, b and e */
    assert_figure(t, groups, "records_above_20", NULL, 17.0 / 26); /* and the other two of group 2 */
    assert_figure(t, groups, "records_above_5", NULL, 17.0 / 26);  /* 1/20 is not above 1/20 */
    /* 15 persons are a sample of 100 */
    assert_figure_with(t, groups, "population-size", "100", "journalist_risk", NULL, 0.15);
    assert_figure_with(t, groups, "population-size", "100", "marketer_risk", NULL, 10.0 / 26 * 0.15);
    assert_figure_with(t, groups, "population-size", "15", "journalist_risk", NULL, 1);
    assert_figure(t, groups, "uniques_before", NULL, 3); /* those of e, and the last */
    assert_figure(t, groups, "uniques_after", NULL, 2);
    assert_figure(t, groups, "k_before", NULL, 1);
    kanon_table_free(t);
    t = table_of("attributes: {who: identifying, age: {role: quasi, type: integer}}\n", csv);
    assert_figure(t, first, "highest_risk", NULL, 1.0 / 20);
    assert_figure(t, groups, "uniques_before", NULL, 1);
    assert_figure(t, groups, "uniques_after", NULL, 0);
    kanon_table_free(t);
}

/* Li and others 2007, section 4: salaries from 3k to 11k, where {3k,4k,5k} is at 0.375 and {6k,8k,11k} at 0.167. */
static void li(void **state)
{
    static const int64_t low[] = {1, 1, 1, 0, 0, 0, 0, 0, 0}, mixed[] = {0, 0, 0, 1, 0, 1, 0, 0, 1},
                         all[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    (void)state;
    kanon_table *t = table_of("attributes: {Zip: {role: quasi}, Salary: {role: sensitive, type: integer}}\n",
                              "Zip,Salary\n1,3\n1,4\n1,5\n1,6\n1,7\n1,8\n1,9\n1,10\n1,11\n");
    assert_figure(t, low, "t_closeness", "Salary", 0.375);
    assert_figure(t, mixed, "t_closeness", "Salary", 1.0 / 6);
    assert_figure(t, all, "t_closeness", "Salary", 0);
    kanon_table_free(t);
}

/* ---- single cases ------------------------------------------------------------------------------------------------ */

/* The numbers 0, 0.1, ..., 1 in one group: at r = d / 10 every distance up to d counts, ties included. */
static void limit_is_exact(void **state)
{
    static const int64_t one[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const char *const limits[] = {"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1.0"};
    (void)state;
    kanon_table *t = table_of("attributes: {a: {role: quasi}, s: {role: sensitive, type: decimal}}\n",
                              "a,s\n1,0\n1,0.1\n1,0.2\n1,0.3\n1,0.4\n1,0.5\n1,0.6\n1,0.7\n1,0.8\n1,0.9\n1,1\n");
    for (int d = 0; d <= 10; d++) {
        double sum = 11;
        for (int distance = 1; distance <= d; distance++)
            sum += 2 * (11 - distance) * (1 - distance / 10.0);
        assert_figure_with(t, one, "r", limits[d], "protection", NULL, sum / 121);
    }
    kanon_table_free(t);
}

/* 1/3 is more than 0.3333333333333333, though both are the same double. */
static void limit_beyond_doubles(void **state)
{
    static const int64_t one[] = {1, 1, 1};
    (void)state;
    kanon_table *t = table_of("attributes: {a: {role: quasi}, s: {role: sensitive, type: integer}}\n",
                              "a,s\n1,0\n1,1\n1,3\n");
    assert_figure_with(t, one, "r", "0.3333333333333333", "protection", NULL, 3.0 / 9);
    assert_figure_with(t, one, "r", "0.3333333333333334", "protection", NULL, (3 + 2 * 2.0 / 3) / 9);
    kanon_table_free(t);
}

static void nothing_to_measure(void **state)
{
    static const int64_t none[] = {0, 0}, one[] = {1, 1};
    (void)state;
    kanon_table *t = table_of("attributes: {a: {role: quasi, type: integer}}\n", "a\n1\n1\n");
    assert_figure(t, none, "utility_um", NULL, NAN);
    assert_figure(t, none, "highest_risk", NULL, NAN);
    assert_figure(t, none, "attribute_share", "a", 1);
    assert_figure(t, one, "attribute_share", "a", NAN);
    assert_figure(t, one, "protection", NULL, NAN);
    assert_figure(t, one, "distinct_tuples", NULL, 1);
    kanon_table_free(t);
}

static void population(void **state)
{
    static const int64_t both[] = {1, 1, 2, 2, 2};
    (void)state;
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *t = table_of("attributes: {a: {role: quasi, type: integer}}\n", "a\n1\n1\n2\n2\n3\n");
    kanon_grouping *grouping = grouping_of(t, both);
    kanon_setting setting = {"population-size", "4"};
    kanon_evaluate_options options = {sizeof options, .settings = &setting, .n_settings = 1};
    assert_int_equal(kanon_evaluate(&measures, t, grouping, &options, &err), KANON_EINVAL);
    assert_null(measures);
    assert_holds(err.message, "population-size");
    assert_holds(err.hint, "5 records");
    kanon_grouping_free(grouping);
    assert_figure_with(t, both, "population-size", "50", "journalist_risk", NULL, 1 / (2 * 10.0));
    assert_figure_with(t, both, "population-size", "50", "marketer_risk", NULL, 2.0 / 50);
    assert_figure(t, both, "marketer_risk", NULL, 2.0 / 5);
    kanon_table_free(t);
}

/* ---- random tables ----------------------------------------------------------------------------------------------- */

typedef struct trial {
    kanon__random random;
    ref_case reference;
    int *group;
    int64_t *group_of; /* the same from 1 */
    char r[32], population[32];
} trial;

static int below(trial *t, int n)
{
    return (int)kanon__random_below(&t->random, n);
}

/* Every record draws its group; sometimes all of them are suppressed, or all together. */
static void draw_groups(trial *t)
{
    int n = (int)t->reference.table->data.n_rows, n_groups = 1 + below(t, below(t, 3) == 0 ? n : 1 + n / 4);
    int suppressed_percent = below(t, 2) == 0 ? 0 : below(t, 10) == 0 ? 100 : below(t, 40);
    t->group = REF_NEW(int, n);
    t->group_of = REF_NEW(int64_t, n);
    for (int row = 0; row < n; row++)
        t->group[row] = below(t, 100) < suppressed_percent ? REF_SUPPRESSED : below(t, n_groups);
    ref_renumber(t->group, n);
    for (int row = 0; row < n; row++) {
        t->group_of[row] = t->group[row] == REF_SUPPRESSED ? 0 : t->group[row] + 1;
        if (t->group[row] >= t->reference.n_groups)
            t->reference.n_groups = t->group[row] + 1;
    }
    t->reference.group = t->group;
}

static void draw_settings(trial *t)
{
    int r = below(t, 11), more = below(t, 1000), n = (int)t->reference.table->data.n_rows;
    snprintf(t->r, sizeof t->r, "%d.%d", r / 10, r % 10);
    snprintf(t->population, sizeof t->population, "%d", n + more);
    t->reference.r = r / 10.0;
    t->reference.population = n + more;
}

static const kanon__column *column_named(const kanon_table *table, const char *name)
{
    for (int i = 0; name != NULL && i < table->data.n_columns; i++)
        if (strcmp(table->data.columns[i].name, name) == 0)
            return &table->data.columns[i];
    return NULL;
}

static void compare(trial *t, uint64_t seed, bool *seen)
{
    kanon_setting settings[] = {{"r", t->r}, {"population-size", t->population}};
    kanon_measures *measures = evaluate(t->reference.table, t->group_of, settings, 2);
    for (size_t i = 0; kanon_measures_at(measures, i) != NULL; i++) {
        const kanon_figure *f = kanon_measures_at(measures, i);
        double expected;
        char what[128];
        if (!ref_measure(&expected, &t->reference, f->name, column_named(t->reference.table, f->attribute)))
            continue;
        for (int name = 0; ref_measure_name(name) != NULL; name++)
            seen[name] = seen[name] || strcmp(ref_measure_name(name), f->name) == 0;
        snprintf(what, sizeof what, "seed %" PRIu64 ": %s of %s", seed, f->name,
                 f->attribute != NULL ? f->attribute : "all");
        assert_near(f->value, expected, what);
        assert_true(!f->whole || !isfinite(f->value) || f->value == floor(f->value));
    }
    kanon_measures_free(measures);
}

static void equal_the_reference(void **state)
{
    bool seen[64] = {false};
    uint64_t first = test_seed();
    (void)state;
    for (uint64_t seed = first; seed < first + N_TABLES; seed++) {
        random_table random = random_table_new(seed);
        trial t = {.reference = {.table = random.table}};
        kanon__random_init(&t.random, seed, GROUPING_STREAM);
        draw_groups(&t);
        draw_settings(&t);
        compare(&t, seed, seen);
        free(t.group);
        free(t.group_of);
        random_table_clear(&random);
    }
    for (int i = 0; ref_measure_name(i) != NULL; i++)
        if (!seen[i])
            fail_msg("%s was never measured", ref_measure_name(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truta),
        cmocka_unit_test(loukides),
        cmocka_unit_test(nearly_one_value),
        cmocka_unit_test(lin),
        cmocka_unit_test(many_numbers),
        cmocka_unit_test(risk_counts_persons),
        cmocka_unit_test(li),
        cmocka_unit_test(limit_is_exact),
        cmocka_unit_test(limit_beyond_doubles),
        cmocka_unit_test(nothing_to_measure),
        cmocka_unit_test(population),
        cmocka_unit_test(equal_the_reference),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
