/* Every algorithm of the library against its slow reference, on small random tables with random settings: equal partitions,
 * record for record. A failure names its table's seed; KANON_SEED=N runs that table alone, KANON_TABLES=N more or fewer
 * tables. */
#include "reference/random_table.h"
#include "reference/reference.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { N_TABLES = 500, MIN_COMPARED = 300, MAX_SETTINGS = 16, SETTINGS_STREAM = 78 };

static const char *const algorithms[] = {
    "kmember", "kmember-p", "oka",         "kmeans-adjust-each", "kmeans-fill", "kmeans-adjust-last", "tgc",
    "tgc-u",   "tgc-p",     "tgc-b",       "greedy-threshold",   "wfcm",        "mondrian",           "top-down",
    "densest", "strips",    "full-domain",
};

static random_table *tables;
static int n_tables;

static int make_tables(void **state)
{
    (void)state;
    const char *seed = getenv("KANON_SEED"), *count = getenv("KANON_TABLES");
    uint64_t first = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    n_tables = seed != NULL ? 1 : count != NULL ? atoi(count) : N_TABLES;
    tables = REF_NEW(random_table, n_tables);
    for (int i = 0; i < n_tables; i++)
        tables[i] = random_table_new(first + (uint64_t)i);
    return 0;
}

static int free_tables(void **state)
{
    (void)state;
    for (int i = 0; i < n_tables; i++)
        random_table_clear(&tables[i]);
    free(tables);
    return 0;
}

/* ---- random settings, for both sides ----------------------------------------------------------------------------- */

typedef struct trial {
    const char *algorithm;
    uint64_t seed;
    kanon__random random;
    kanon_setting settings[MAX_SETTINGS];
    char values[MAX_SETTINGS][32];
    size_t n_settings;
    ref_settings reference;
} trial;

static void say(trial *run, const char *name, const char *format, ...)
{
    va_list args;
    assert_true(run->n_settings < MAX_SETTINGS);
    char *value = run->values[run->n_settings];
    va_start(args, format);
    vsnprintf(value, sizeof run->values[0], format, args);
    va_end(args);
    run->settings[run->n_settings++] = (kanon_setting){name, value};
}

static int below(trial *run, int n)
{
    return (int)kanon__random_below(&run->random, n);
}

static bool one_in(trial *run, int n)
{
    return below(run, n) == 0;
}

/* A number of ten thousandths; what both sides make of its text is the same double. */
static void say_number(trial *run, const char *name, double *out, int ten_thousandths)
{
    say(run, name, "%d.%04d", ten_thousandths / 10000, ten_thousandths % 10000);
    *out = ten_thousandths / 10000.0;
}

static void say_flag(trial *run, const char *name, bool *out, bool value)
{
    say(run, name, "%s", value ? "true" : "false");
    *out = value;
}

static void say_r(trial *run)
{
    /* quarters are exact on every way to compute 1 - r; the others are met by no quotient of small numbers */
    static const int choices[] = {0, 2500, 5000, 7500, 10000, 3719, 8137};
    if (!one_in(run, 3))
        say_number(run, "r", &run->reference.r, choices[below(run, COUNT(choices))]);
}

static void say_max_iterations(trial *run, int most)
{
    run->reference.max_iterations = 1 + below(run, most);
    say(run, "max-iterations", "%d", run->reference.max_iterations);
}

static void say_oka(trial *run)
{
    if (one_in(run, 2))
        say_flag(run, "size-factor", &run->reference.size_factor, one_in(run, 2));
    if (one_in(run, 2)) {
        run->reference.iterations = 1 + below(run, 5);
        say(run, "iterations", "%d", run->reference.iterations);
    }
    if (one_in(run, 2))
        say_flag(run, "suppress-small", &run->reference.suppress_small, !one_in(run, 4));
}

/* What the paper leaves open. */
static void say_tgc_reading(trial *run)
{
    ref_settings *reference = &run->reference;
    static const char *const scores[] = {"sum", "clusters", "records"};
    if (one_in(run, 2))
        return;
    reference->narrowest = one_in(run, 2);
    say(run, "ties", reference->narrowest ? "narrowest" : "first");
    reference->choose_by = below(run, COUNT(scores));
    say(run, "choose-by", "%s", scores[reference->choose_by]);
    reference->weighted_parts = one_in(run, 2);
    say(run, "protect-parts", reference->weighted_parts ? "weighted" : "always");
    reference->regrow = one_in(run, 2);
    say(run, "rejected", reference->regrow ? "cluster" : "place");
}

static void say_tgc(trial *run, const random_table *random)
{
    ref_settings *reference = &run->reference;
    if (strcmp(run->algorithm, "tgc") == 0 && !one_in(run, 3))
        say_number(run, "w-u", &reference->w_u, one_in(run, 2) ? 2500 * below(run, 5) : below(run, 10001));
    say_r(run);
    if (!one_in(run, 3)) {
        reference->s = 1 + below(run, 4 * (int)random->k);
        say(run, "s", "%" PRId64, reference->s);
    }
    if (one_in(run, 2))
        say_number(run, "delta", &reference->delta, below(run, 10001));
    if (one_in(run, 2))
        say_number(run, "delta-prime", &reference->delta_prime, below(run, 20001));
    if (!one_in(run, 60)) /* the default takes long here */
        say_max_iterations(run, 2);
    if (one_in(run, 3)) {
        reference->split_raw = one_in(run, 2);
        say(run, "split", reference->split_raw ? "raw" : "normalised");
    }
    if (one_in(run, 4)) {
        reference->partition_none = one_in(run, 2);
        say(run, "partition", reference->partition_none ? "none" : "median");
    }
    if (one_in(run, 4)) {
        reference->max_size = random->k + below(run, 8);
        say(run, "max-size", "%" PRId64, reference->max_size);
    }
    say_tgc_reading(run);
}

static void say_kmeans_or_wfcm(trial *run)
{
    static const char *const centers[] = {"ancestor", "mode", "median"};
    if (one_in(run, 2))
        say_max_iterations(run, 6);
    if (strcmp(run->algorithm, "wfcm") == 0) {
        run->reference.category_center = below(run, COUNT(centers));
        say(run, "centroid", "%s", centers[run->reference.category_center]);
    } else if (one_in(run, 2)) {
        run->reference.return_last = one_in(run, 2);
        say(run, "return", run->reference.return_last ? "last" : "best");
    }
}

static void draw_settings(trial *run, const random_table *random)
{
    const char *name = run->algorithm;
    static const char *const ways[] = {"scan", "index", "auto"};
    assert_true(ref_settings_init(&run->reference, name));
    if (strcmp(name, "mondrian") != 0 && strcmp(name, "top-down") != 0 && strcmp(name, "full-domain") != 0 &&
        strcmp(name, "strips") != 0)
        say(run, "search", "%s", ways[below(run, COUNT(ways))]); /* all ways give the same groups */
    if (strcmp(name, "kmember-p") == 0) {
        say_r(run);
    } else if (strcmp(name, "oka") == 0) {
        say_oka(run);
    } else if (strncmp(name, "kmeans", 6) == 0 || strcmp(name, "wfcm") == 0) {
        say_kmeans_or_wfcm(run);
    } else if (strncmp(name, "tgc", 3) == 0) {
        say_tgc(run, random);
    } else if (strcmp(name, "greedy-threshold") == 0) {
        int most = 10000 * random->table->data.n_quasi; /* the setting's whole range */
        if (!one_in(run, 4))
            say_number(run, "threshold", &run->reference.threshold, one_in(run, 3) ? most / 8 : below(run, most + 1));
    } else if (strcmp(name, "mondrian") == 0 && !one_in(run, 4)) {
        run->reference.relaxed = one_in(run, 2);
        say(run, "ties", run->reference.relaxed ? "relaxed" : "strict");
    } else if (strcmp(name, "densest") == 0 && one_in(run, 2)) {
        run->reference.every = 1 + below(run, 5);
        say(run, "every", "%" PRId64, run->reference.every);
    }
}

/* The settings point into *run, which must not be copied. */
static void draw_run(trial *run, const char *algorithm, const random_table *random)
{
    *run = (trial){.algorithm = algorithm};
    uint64_t stream = SETTINGS_STREAM;
    for (const char *c = algorithm; *c != '\0'; c++) /* every algorithm has its own settings for a table */
        stream = stream * 31 + (unsigned char)*c;
    kanon__random_init(&run->random, random->seed, stream);
    run->seed = kanon__random_next(&run->random) & KANON_SEED_MAX;
    draw_settings(run, random);
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static void explain(const trial *run, const random_table *random)
{
    print_error("%s: n = %" PRId64 ", k = %" PRId64 ", seed %" PRIu64 ", run seed %" PRIu64 "\n", run->algorithm,
                kanon_table_rows(random->table), random->k, random->seed, run->seed);
    for (size_t i = 0; i < run->n_settings; i++)
        print_error("    %s: %s\n", run->settings[i].name, run->settings[i].value);
    print_error("to run this table alone: KANON_SEED=%" PRIu64 "\n", random->seed);
}

static kanon_options options_of(const trial *run, const random_table *random)
{
    return (kanon_options){.struct_size = sizeof(kanon_options),
                           .k = random->k,
                           .algorithm = run->algorithm,
                           .settings = run->settings,
                           .n_settings = run->n_settings,
                           .seed = run->seed,
                           .threads = 1 + (int)(random->seed % 2)};
}

/* The first row on which the two differ, -1: none. The library counts groups from 1, and 0 is suppressed. */
static int64_t first_difference(const kanon_grouping *grouping, const int *expected)
{
    for (int64_t row = 0; row < kanon_grouping_describe(grouping)->rows; row++)
        if (kanon_grouping_group_of(grouping, row) != expected[row] + 1)
            return row;
    return -1;
}

/* Whether the library's groups are `expected`. */
static bool agrees(const trial *run, const random_table *random, const kanon_options *options, const int *expected)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = {.struct_size = sizeof(kanon_error), .status = KANON_OK};
    if (kanon_anonymize(&grouping, random->table, options, &err) != KANON_OK) {
        explain(run, random);
        print_error("failed: %s; %s\n", err.message, err.hint);
        return false;
    }
    int64_t row = first_difference(grouping, expected);
    if (row != -1) {
        explain(run, random);
        print_error("row %" PRId64 ": group %" PRId64 ", expected %d (from 1, 0: suppressed)\n", row + 1,
                    kanon_grouping_group_of(grouping, row), expected[row] + 1);
    }
    kanon_grouping_free(grouping);
    return row == -1;
}

static bool refuses_too_few_rows(const trial *run, const random_table *random)
{
    kanon_options options = options_of(run, random);
    kanon_grouping *grouping = NULL;
    bool refused = kanon_anonymize(&grouping, random->table, &options, NULL) == KANON_EINFEASIBLE;
    if (!refused)
        explain(run, random);
    kanon_grouping_free(grouping);
    return refused;
}

/* Protection needs something to protect. */
static bool needs_sensitive(const trial *run)
{
    if (strcmp(run->algorithm, "kmember-p") == 0)
        return true;
    return strncmp(run->algorithm, "tgc", 3) == 0 && run->reference.w_u < 1;
}

/* Whether the pair can be compared. wtd is one fraction of whole units only where the units are exact. */
static bool is_comparable(const trial *run, const random_table *random)
{
    if (random->table->data.n_sensitive == 0 && needs_sensitive(run))
        return false;
    ref_model *model = ref_model_new(random->table);
    bool exact = model->exact;
    ref_model_free(model);
    return exact || strncmp(run->algorithm, "tgc", 3) != 0;
}

static void test_algorithm(void **state)
{
    const char *algorithm = *state;
    int n_compared = 0, n_failed = 0;
    if (kanon_catalogue_find(KANON_CATALOGUE_ALGORITHM, algorithm) == NULL)
        skip();
    for (int i = 0; i < n_tables && n_failed < 3; i++) {
        trial run;
        draw_run(&run, algorithm, &tables[i]);
        if (kanon_table_rows(tables[i].table) < tables[i].k) {
            n_failed += !refuses_too_few_rows(&run, &tables[i]);
            continue;
        }
        if (!is_comparable(&run, &tables[i]))
            continue;
        kanon_options options = options_of(&run, &tables[i]);
        int *expected = ref_run(tables[i].table, algorithm, tables[i].k, run.seed, &run.reference);
        n_failed += !agrees(&run, &tables[i], &options, expected);
        n_compared++;
        free(expected);
    }
    assert_int_equal(n_failed, 0);
    if (n_tables >= N_TABLES)
        assert_true(n_compared >= MIN_COMPARED);
}

/* The library's units for each two records; where the reference has units of its own, as shares of 1. */
static void test_distances(void **state)
{
    (void)state;
    int n_rounded = 0;
    for (int t = 0; t < n_tables; t++) {
        ref_model *model = ref_model_new(tables[t].table);
        kanon__space *space = ref_library_space(tables[t].table);
        for (int i = 0; i < model->n; i++) {
            for (int j = 0; j <= i; j++) {
                int64_t units = kanon__pair_units(space, i, j);
                if ((__int128)units * model->scale != (__int128)ref_distance(model, i, j) * space->scale) {
                    print_error("records %d and %d: KANON_SEED=%" PRIu64 "\n", j + 1, i + 1, tables[t].seed);
                    fail();
                }
            }
        }
        n_rounded += !model->exact;
        kanon__space_free(space);
        ref_model_free(model);
    }
    if (n_tables >= N_TABLES)
        assert_true(n_rounded > 0);
}

/* What holds whatever the library does: no group falls short of k, and only where it may be is a record suppressed. */
static void test_references_are_k_anonymous(void **state)
{
    (void)state;
    for (size_t a = 0; a < COUNT(algorithms); a++) {
        bool may_suppress = strcmp(algorithms[a], "oka") == 0 || strcmp(algorithms[a], "greedy-threshold") == 0;
        for (int i = 0; i < n_tables; i += 10) {
            trial run;
            draw_run(&run, algorithms[a], &tables[i]);
            if (kanon_table_rows(tables[i].table) < tables[i].k || !is_comparable(&run, &tables[i]))
                continue;
            ref_model *model = ref_model_new(tables[i].table);
            int *group = ref_run(tables[i].table, algorithms[a], tables[i].k, run.seed, &run.reference);
            for (int r = 0; r < model->n; r++)
                if (group[r] >= 0 ? ref_size(model, group, group[r]) < tables[i].k : !may_suppress) {
                    explain(&run, &tables[i]);
                    fail();
                }
            free(group);
            ref_model_free(model);
        }
    }
}

/* ---- il-optimization --------------------------------------------------------------------------------------------- */

/* The reference alone: no group falls short, the loss does not rise. */
static void test_il_optimization_keeps_its_word(void **state)
{
    (void)state;
    int n_improved = 0;
    for (int i = 0; i < n_tables; i++) {
        if (kanon_table_rows(tables[i].table) < tables[i].k)
            continue;
        trial run;
        draw_run(&run, "kmember", &tables[i]);
        ref_model *model = ref_model_new(tables[i].table);
        int *group = ref_run(tables[i].table, "kmember", tables[i].k, run.seed, &run.reference);
        int64_t before = ref_loss_all(model, group, model->n);
        ref_il_optimization(model, group);
        int64_t after = ref_loss_all(model, group, model->n);
        assert_true(after <= before);
        n_improved += after < before;
        for (int r = 0; r < model->n; r++)
            assert_true(ref_size(model, group, group[r]) >= tables[i].k);
        free(group);
        ref_model_free(model);
    }
    if (n_tables >= N_TABLES)
        assert_true(n_improved > 0);
}

static void test_il_optimization(void **state)
{
    (void)state;
    static const char *const starts[] = {"kmember", "mondrian"};
    int n_failed = 0;
    for (int i = 0; i < n_tables && n_failed < 3; i++) {
        if (kanon_table_rows(tables[i].table) < tables[i].k)
            continue;
        trial run;
        draw_run(&run, starts[i % (int)COUNT(starts)], &tables[i]);
        kanon_options options = options_of(&run, &tables[i]);
        options.refine = "il-optimization";
        ref_model *model = ref_model_new(tables[i].table);
        int *expected = ref_run(tables[i].table, run.algorithm, tables[i].k, run.seed, &run.reference);
        ref_il_optimization(model, expected);
        ref_renumber(expected, model->n);
        n_failed += !agrees(&run, &tables[i], &options, expected);
        free(expected);
        ref_model_free(model);
    }
    assert_int_equal(n_failed, 0);
}

/* ---- the references on the papers' examples ---------------------------------------------------------------------- */

static void assert_near(double value, double expected, double tolerance)
{
    assert_true(value >= expected - tolerance && value <= expected + tolerance);
}

static double loss(const ref_model *model, const int *group, int n_groups)
{
    return (double)ref_loss_all(model, group, n_groups) / (double)model->scale;
}

static void test_truta_table_1(void **state)
{
    (void)state;
    kanon_table *table = table_from_texts("Age,ZipCode,Gender\n25,41076,Male\n40,41935,Female\n35,12345,Male\n"
                                          "55,33333,Male\n33,41733,Female\n42,41076,Male\n38,41933,Male\n",
                                          "attributes:\n  Age: {role: quasi, type: integer}\n"
                                          "  ZipCode: {role: quasi, type: categorical, mask: right}\n"
                                          "  Gender: {role: quasi, type: categorical}\n");
    ref_model *model = ref_model_new(table);
    int group[] = {0, 0, 1, 1, 2, 2, 2}, expected[] = {0, 0, 1, 1, 0, 1, 1}, other[] = {0, 0, 1, 1, 0, 1, 0};
    assert_near(loss(model, group, 3), 4.2 + 10.0 / 3 + 5.7, 1e-9);
    assert_near(loss(model, other, 3), 13.4, 1e-9);
    ref_il_optimization(model, group);
    assert_memory_equal(group, expected, sizeof group);
    assert_near(loss(model, group, 3), 12.9667, 5e-5);
    ref_model_free(model);
    kanon_table_free(table);
}

static double s_diversity(const ref_model *model, const int *group, int g, double r)
{
    ref_pairs pairs = ref_pairs_new(model, r);
    double sum = ref_s_diversity(model, ref_pairs_sum(&pairs, group, g), ref_size(model, group, g));
    ref_pairs_clear(&pairs);
    return sum;
}

static void test_loukides_table_1(void **state)
{
    (void)state;
    static const int group[] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
    kanon_table *table = table_from_texts(
        "Age,Disease\n10,Cancer\n11,HIV\n12,Flu\n13,Bronchitis\n14,Flu\n15,Pneumonia\n16,Bronchitis\n"
        "17,Flu\n18,HIV\n",
        "attributes:\n  Age: {role: quasi, type: integer}\n"
        "  Disease: {role: sensitive, type: categorical, taxonomy: {Cancer: , Viral: {HIV: , "
        "Respiratory: {Flu: , Bronchitis: , Pneumonia: }}}}\n");
    ref_model *model = ref_model_new(table);
    assert_near(s_diversity(model, group, 0, 0.5), 0.3333, 5e-5);
    assert_near(s_diversity(model, group, 1, 0.5), 0.7333, 5e-5);
    assert_near(s_diversity(model, group, 2, 0.5), 0.4667, 5e-5);
    assert_near(s_diversity(model, group, 2, 0.7), 0.6444, 5e-5);
    ref_model_free(model);
    kanon_table_free(table);
}

static void test_loukides_table_3(void **state)
{
    (void)state;
    static const int expected[] = {0, 0, 1, 1, 2, 2, 3, 3};
    int part[8];
    kanon_table *table = table_from_texts("Age,Height,Postcode,Sal\n10,170,30,20\n15,175,32,20\n15,170,30,65\n"
                                          "20,175,32,65\n20,170,30,20\n25,175,32,20\n25,170,30,65\n30,175,32,65\n",
                                          "attributes:\n  Age: {role: quasi, type: integer}\n"
                                          "  Height: {role: quasi, type: integer}\n"
                                          "  Postcode: {role: quasi, type: integer}\n"
                                          "  Sal: {role: sensitive, type: integer}\n");
    ref_model *model = ref_model_new(table);
    ref_job job = {.model = model, .k = 2};
    assert_true(ref_settings_init(&job.settings, "tgc"));
    job.settings.s = 2;
    job.settings.split_raw = true;
    assert_int_equal(ref_tgc_parts(&job, 1, part), 4);
    assert_memory_equal(part, expected, sizeof part);
    /* a group of one salary has S-diversity 1, two halves of both salaries have 0.5 */
    assert_int_equal(ref_tgc_parts(&job, 0.9, part), 2);
    ref_model_free(model);
    kanon_table_free(table);
}

/* Lin's tables 1 and 3: the two groups are what a clustering with k = 3 should find. */
static void test_lin_table_1(void **state)
{
    (void)state;
    static const int expected[] = {0, 0, 0, 1, 1, 1};
    kanon_table *table = table_from_texts("ZipCode,Gender,Age\n75275,Male,22\n75277,Male,23\n75278,Male,24\n"
                                          "75275,Male,33\n75275,Female,38\n75275,Female,36\n",
                                          "attributes:\n  ZipCode: {role: quasi, type: categorical, mask: right}\n"
                                          "  Gender: {role: quasi, type: categorical, taxonomy: {Male: , Female: }}\n"
                                          "  Age: {role: quasi, type: integer}\n");
    ref_settings settings;
    assert_true(ref_settings_init(&settings, "mondrian"));
    int *group = ref_run(table, "mondrian", 3, 1, &settings);
    assert_memory_equal(group, expected, sizeof expected);
    free(group);
    kanon_table_free(table);
}

int main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_truta_table_1),
        cmocka_unit_test(test_loukides_table_1),
        cmocka_unit_test(test_loukides_table_3),
        cmocka_unit_test(test_lin_table_1),
        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_references_are_k_anonymous),
        cmocka_unit_test(test_il_optimization_keeps_its_word),
        cmocka_unit_test(test_il_optimization),
    };
    struct CMUnitTest tests[COUNT(others) + COUNT(algorithms)];
    memcpy(tests, others, sizeof others);
    for (size_t a = 0; a < COUNT(algorithms); a++)
        tests[COUNT(others) + a] = (struct CMUnitTest){algorithms[a], test_algorithm, NULL, NULL,
                                                       (void *)(uintptr_t)algorithms[a]};
    return cmocka_run_group_tests_name("references", tests, make_tables, free_tables);
}
