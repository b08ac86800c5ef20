/* The models against their definitions, tallies while records come and go, and what is refused. */
#include "constraints/constraints.h"
#include "core/alloc.h"
#include "core/random.h"
#include "reference/private_table.h"
#include "reference/random_table.h"
#include "reference/ref_privacy.h"
#include "reference/reference.h"
#include "support.h"

#include <math.h>

static const char *const hospital =
    "zip,disease,pay\n"
    "1,flu,10\n1,flu,20\n1,hiv,30\n2,flu,40\n2,hiv,50\n2,cold,60\n3,flu,70\n3,cold,80\n3,flu,90\n";

static void assert_near(double is, double should, double by)
{
    if (!(fabs(is - should) <= by))
        fail_msg("%.17g is not %.17g", is, should);
}

static kanon_table *hospital_with(const char *constraint)
{
    char yaml[600];
    snprintf(yaml, sizeof yaml,
             "attributes:\n  zip: quasi\n  disease: {role: sensitive, type: categorical}\n  pay: sensitive\n"
             "privacy:\n  k: 2\n  constraints:\n    - %s\n",
             constraint);
    return table_from_texts(hospital, yaml);
}

/* What the rows (a list that ends with -1) reach under the only constraint of the table. */
static double reached_by(const char *constraint, const int *rows, bool *holds)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__constraints *c = NULL;
    kanon__tally tally = {0};
    kanon_table *table = hospital_with(constraint);
    assert_done(kanon__constraints_new(&c, &table->data, &table->policy, 2, &err), &err);
    assert_done(kanon__tally_init(&tally, c, &err), &err);
    for (; *rows >= 0; rows++)
        assert_done(kanon__tally_add(&tally, *rows, &err), &err);
    *holds = kanon__tally_holds(&tally);
    double reached = c->items[0].model->reached(c->items[0].parameters, &tally.columns[0].values);
    kanon__tally_clear(&tally);
    kanon__constraints_free(c);
    kanon_table_free(table);
    return reached;
}

#define ROWS(...) ((const int[]){__VA_ARGS__, -1})

/* Worked out by hand: rows 0-2 are flu flu hiv; the table has 5 flu, 2 hiv, 2 cold. */
static void figures_are_those_of_the_definitions(void **state)
{
    bool holds;
    (void)state;
    assert_near(reached_by("{model: distinct-l-diversity, attribute: disease, l: 2}", ROWS(0, 1, 2), &holds), 2, 0);
    assert_true(holds);
    reached_by("{model: distinct-l-diversity, attribute: disease, l: 3}", ROWS(0, 1, 2), &holds);
    assert_false(holds);
    /* 2/3 1/3: entropy = log 3 - 2/3 log 2 */
    assert_near(reached_by("{model: entropy-l-diversity, attribute: disease, l: 1.9}", ROWS(0, 1, 2), &holds), 3 / cbrt(4),
                1e-12);
    assert_false(holds);
    /* three equally frequent values are exactly at log 3 */
    reached_by("{model: entropy-l-diversity, attribute: disease, l: 3}", ROWS(3, 4, 5), &holds);
    assert_true(holds);
    /* 2 < c * 1: strictly */
    assert_near(reached_by("{model: recursive-l-diversity, attribute: disease, c: 2, l: 2}", ROWS(0, 1, 2), &holds), 2, 0);
    assert_false(holds);
    reached_by("{model: recursive-l-diversity, attribute: disease, c: 2.0001, l: 2}", ROWS(0, 1, 2), &holds);
    assert_true(holds);
    /* l = 3 looks at the third most frequent only: 1 < 1.5 * 1 */
    reached_by("{model: recursive-l-diversity, attribute: disease, c: 1.5, l: 3}", ROWS(3, 4, 5), &holds);
    assert_true(holds);
    assert_true(isinf(reached_by("{model: recursive-l-diversity, attribute: disease, c: 9, l: 3}", ROWS(0, 1, 2), &holds)));
    assert_false(holds);
    /* a share of exactly alpha is allowed: 3 of 5 */
    assert_near(reached_by("{model: alpha-k, attribute: disease, alpha: 0.6}", ROWS(0, 1, 6, 4, 5), &holds), 0.6, 1e-15);
    assert_true(holds);
    reached_by("{model: alpha-k, attribute: disease, alpha: 0.59}", ROWS(0, 1, 6, 4, 5), &holds);
    assert_false(holds);
    /* flu 2/3 - 5/9 = 1/9, hiv 1/3 - 2/9 = 1/9, cold -2/9: 2/9 has to be moved */
    assert_near(reached_by("{model: t-closeness, attribute: disease, t: 0.22}", ROWS(0, 1, 2), &holds), 2. / 9, 1e-15);
    assert_false(holds);
    /* Li and others' example: {30, 40, 50} of 30..110 in nine steps is 0.375 away; here 10, 20, 30 of 10..90 */
    assert_near(reached_by("{model: t-closeness, attribute: pay, t: 0.375}", ROWS(0, 1, 2), &holds), 0.375, 1e-15);
    assert_true(holds);
    /* and {60, 80, 110} is 0.167 away: here 40, 60, 90 */
    assert_near(reached_by("{model: t-closeness, attribute: pay, t: 0.2}", ROWS(3, 5, 8), &holds), 1. / 6, 1e-15);
    assert_true(holds);
    /* the same as equally far values: 3 of 9 in common */
    assert_near(reached_by("{model: t-closeness, attribute: pay, t: 0.2, distance: equal}", ROWS(3, 5, 8), &holds), 2. / 3,
                1e-15);
}

/* How many records the rows lack under the only constraint of the table, and which of rows 0 (flu), 2 (hiv) and 5 (cold)
 * would help, as a sum of 1, 2 and 4. */
static int64_t lacked_by(const char *constraint, const int *rows, int *helping)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__constraints *c = NULL;
    kanon__tally tally = {0};
    kanon_table *table = hospital_with(constraint);
    assert_done(kanon__constraints_new(&c, &table->data, &table->policy, 2, &err), &err);
    assert_done(kanon__tally_init(&tally, c, &err), &err);
    for (; *rows >= 0; rows++)
        assert_done(kanon__tally_add(&tally, *rows, &err), &err);
    int64_t lack = kanon__tally_lack(&tally);
    *helping = kanon__tally_helps(&tally, 0) + 2 * kanon__tally_helps(&tally, 2) + 4 * kanon__tally_helps(&tally, 5);
    kanon__tally_clear(&tally);
    kanon__constraints_free(c);
    kanon_table_free(table);
    return lack;
}

/* Worked out by hand. Rows 0, 1, 3, 6, 8 are flu, 2 and 4 hiv, 5 and 7 cold. */
static void what_groups_lack_is_told(void **state)
{
    enum { FLU = 1, HIV = 2, COLD = 4 };
    int helping;
    (void)state;
    assert_int_equal(lacked_by("{model: distinct-l-diversity, attribute: disease, l: 3}", ROWS(0, 1), &helping), 2);
    assert_int_equal(helping, HIV + COLD);
    assert_int_equal(lacked_by("{model: distinct-l-diversity, attribute: disease, l: 3}", ROWS(0, 2), &helping), 1);
    assert_int_equal(helping, COLD);
    assert_int_equal(lacked_by("{model: distinct-l-diversity, attribute: disease, l: 2}", ROWS(0, 2), &helping), 0);
    assert_int_equal(helping, 0); /* what holds needs no help */
    /* three flu are half of six; what is there as often does not help */
    assert_int_equal(lacked_by("{model: alpha-k, attribute: disease, alpha: 0.5}", ROWS(0, 1, 3), &helping), 3);
    assert_int_equal(helping, HIV + COLD);
    assert_int_equal(lacked_by("{model: alpha-k, attribute: disease, alpha: 0.4}", ROWS(0, 1, 2, 4), &helping), 1);
    assert_int_equal(helping, COLD);
    assert_int_equal(lacked_by("{model: alpha-k, attribute: disease, alpha: 0.000000001}", ROWS(0, 1, 3), &helping),
                     INT32_MAX); /* 3,000,000,000 - 3 do not fit */
    /* three values are at least log 3; two of three are there */
    assert_int_equal(lacked_by("{model: entropy-l-diversity, attribute: disease, l: 3}", ROWS(0, 1), &helping), 2);
    assert_int_equal(lacked_by("{model: entropy-l-diversity, attribute: disease, l: 3}", ROWS(0, 1, 2), &helping), 1);
    assert_int_equal(helping, HIV + COLD);
    assert_int_equal(lacked_by("{model: entropy-l-diversity, attribute: disease, l: 2.7}", ROWS(0, 1, 3, 2, 5), &helping),
                     1);
    assert_int_equal(helping, HIV + COLD);
    /* 3 < 1 * tail: four records from the second value on, and hiv is one of them */
    assert_int_equal(lacked_by("{model: recursive-l-diversity, attribute: disease, c: 1, l: 2}", ROWS(0, 1, 3, 2), &helping),
                     3);
    assert_int_equal(helping, HIV + COLD);
    /* from the third value on nothing is there: more of the two that are there add nothing */
    assert_int_equal(lacked_by("{model: recursive-l-diversity, attribute: disease, c: 9, l: 3}", ROWS(0, 1, 2), &helping),
                     1);
    assert_int_equal(helping, COLD);
    /* no value at all: l of them are lacking at least */
    assert_int_equal(lacked_by("{model: recursive-l-diversity, attribute: disease, c: 9, l: 3}", ROWS(-1), &helping), 3);
    assert_int_equal(helping, FLU + HIV + COLD);
    /* 3 flu and 2 hiv against 5, 2, 2 of 9: only cold brings it nearer */
    assert_int_equal(lacked_by("{model: t-closeness, attribute: disease, t: 0.1}", ROWS(0, 1, 3, 2, 4), &helping), 1);
    assert_int_equal(helping, COLD);
}

/* Whether a group stays as it should with any record more, as the models say of themselves. */
static void only_counts_of_values_grow(void **state)
{
    static const struct {
        const char *constraint;
        bool grows;
    } cases[] = {{"{model: distinct-l-diversity, attribute: disease, l: 2}", true},
                 {"{model: p-sensitive-k-anonymity, attribute: disease, p: 2}", true},
                 {"{model: alpha-k, attribute: disease, alpha: 0.6}", false},
                 {"{model: distinct-l-diversity, attribute: disease, l: 2}\n"
                  "    - {model: alpha-k, attribute: disease, alpha: 0.6}",
                  false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__constraints *c = NULL;
        kanon_table *table = hospital_with(cases[i].constraint);
        assert_done(kanon__constraints_new(&c, &table->data, &table->policy, 2, &err), &err);
        assert_int_equal(kanon__constraints_grow(c), cases[i].grows);
        kanon__constraints_free(c);
        kanon_table_free(table);
    }
}

/* Where nothing is asked for, every group has it. */
static void no_constraint_holds(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    bool all = false, held[2] = {false, false};
    (void)state;
    assert_done(kanon__constraints_hold(&all, held, NULL, (const int32_t[]){0, 1}, 2, &err), &err);
    assert_true(all && held[0] && held[1]);
    all = false;
    assert_done(kanon__constraints_hold(&all, NULL, NULL, (const int32_t[]){0, 1}, 2, &err), &err);
    assert_true(all);
    all = false;
    assert_done(kanon__constraints_hold_rows(&all, NULL, (const int32_t[]){0, 1}, 2, &err), &err);
    assert_true(all);
    assert_int_equal(kanon__tallies_need(NULL, 10, 2), 0);
}

/* Suppressed records belong to no group, and a group without records breaks nothing. */
static void empty_groups_hold(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__constraints *c = NULL;
    bool all = false, held[3] = {true, false, false};
    double reached[1] = {0};
    (void)state;
    kanon_table *table = hospital_with("{model: distinct-l-diversity, attribute: disease, l: 2}");
    assert_done(kanon__constraints_new(&c, &table->data, &table->policy, 2, &err), &err);
    assert_done(kanon__constraints_hold(&all, held, c, (const int32_t[]){0, 0, -1, 2, 2, 2, -1, -1, -1}, 3, &err), &err);
    assert_true(!all && !held[0] && held[1] && held[2]);
    assert_done(kanon__constraints_reached(reached, c, (const int32_t[]){0, 0, 0, 2, 2, 2, -1, -1, -1}, 3, &err), &err);
    assert_near(reached[0], 2, 0);
    kanon__constraints_free(c);
    kanon_table_free(table);
}

/* ---- coming and going -------------------------------------------------------------------------------------------- */

/* Random records join and leave random groups; whatever the history, a tally says what its members give. */
static void tallies_follow_their_members(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__constraints *c = NULL;
        private_table texts = private_table_new(seed, (unsigned)seed * 37 % (1u << PRIVATE_MODELS), seed % 3 == 0, NULL);
        kanon_table *table = table_from_texts(texts.csv, texts.yaml);
        enum { N = 3 };
        kanon__tally tallies[N] = {0};
        kanon__random random;
        kanon__random_init(&random, seed, 0);
        assert_done(kanon__constraints_new(&c, &table->data, &table->policy, texts.k, &err), &err);
        int32_t *group = REF_NEW(int32_t, table->data.n_rows);
        for (int64_t row = 0; row < table->data.n_rows; row++)
            group[row] = -1;
        for (int g = 0; c != NULL && g < N; g++)
            assert_done(kanon__tally_init(&tallies[g], c, &err), &err);
        for (int step = 0; c != NULL && step < 200; step++) {
            int64_t row = kanon__random_below(&random, table->data.n_rows);
            int32_t from = group[row], to = (int32_t)kanon__random_below(&random, N + 1) - 1;
            bool with = true;
            if (from >= 0) {
                bool without = kanon__tally_holds_without(&tallies[from], row);
                kanon__tally_remove(&tallies[from], row);
                assert_int_equal(without, kanon__tally_holds(&tallies[from]));
            }
            if (to >= 0) {
                assert_done(kanon__tally_holds_with(&tallies[to], row, &with, &err), &err);
                assert_done(kanon__tally_add(&tallies[to], row, &err), &err);
                assert_int_equal(with, kanon__tally_holds(&tallies[to]));
            }
            group[row] = to;
            if (to >= 0 && kanon__tally_holds(&tallies[to]) != ref_group_holds(table, texts.k, group, to))
                fail_msg("seed %d, step %d: the tally and the definition disagree", (int)seed, step);
            if (to >= 0)
                assert_int_equal(kanon__tally_lack(&tallies[to]) == 0, kanon__tally_holds(&tallies[to]));
        }
        /* joined, they are the tally of all their members */
        for (int g = 1; c != NULL && g < N; g++) {
            bool joined = false;
            bool some = tallies[0].size > 0 && tallies[g].size > 0;
            if (some)
                assert_done(kanon__tally_holds_joined(&tallies[0], &tallies[g], &joined, &err), &err);
            assert_done(kanon__tally_join(&tallies[0], &tallies[g], &err), &err);
            for (int64_t row = 0; row < table->data.n_rows; row++)
                group[row] = group[row] == g ? 0 : group[row];
            if (tallies[0].size > 0)
                assert_int_equal(kanon__tally_holds(&tallies[0]), ref_group_holds(table, texts.k, group, 0));
            if (some)
                assert_int_equal(joined, kanon__tally_holds(&tallies[0]));
        }
        for (int g = 0; g < N; g++)
            kanon__tally_clear(&tallies[g]);
        free(group);
        kanon__constraints_free(c);
        kanon_table_free(table);
    }
}

/* In a flat taxonomy every value is equally far from every other: ten of n values are 1 - 10/n away, however many there
 * are. */
static void distances_do_not_depend_on_the_size_of_a_taxonomy(void **state)
{
    static const int sizes[] = {40, 63, 64, 65, 200};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__constraints *c = NULL;
        kanon__tally tally = {0};
        char csv[4000] = "zip,what\n";
        for (int row = 0; row < sizes[i]; row++)
            snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "%d,v%d\n", row, row);
        kanon_table *table = table_from_texts(
            csv, "attributes: {zip: quasi, what: sensitive}\n"
                 "privacy: {k: 2, constraints: [{model: t-closeness, attribute: what, t: 0.5}]}\n");
        assert_done(kanon__constraints_new(&c, &table->data, &table->policy, 2, &err), &err);
        assert_done(kanon__tally_init(&tally, c, &err), &err);
        for (int64_t row = 0; row < 10; row++)
            assert_done(kanon__tally_add(&tally, 3 * row, &err), &err);
        assert_near(c->items[0].model->reached(c->items[0].parameters, &tally.columns[0].values), 1 - 10. / sizes[i], 1e-12);
        kanon__tally_clear(&tally);
        kanon__constraints_free(c);
        kanon_table_free(table);
    }
}

/* What three entities have in both groups counts once: as one, the groups have x x x y y y, not six x and three y. */
static void shared_entities_count_once_in_a_union(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__constraints *c = NULL;
    kanon__tally some = {0}, all = {0};
    bool holds = false;
    (void)state;
    kanon_table *table = table_from_texts(
        "who,zip,what\na,1,x\nb,2,x\nc,3,x\na,4,x\nb,5,x\nc,6,x\nd,7,y\ne,8,y\nf,9,y\n",
        "attributes: {zip: quasi, what: sensitive}\nentity: who\n"
        "privacy: {k: 2, constraints: [{model: t-closeness, attribute: what, t: 0.12}]}\n");
    assert_done(kanon__constraints_new(&c, &table->data, &table->policy, 2, &err), &err);
    assert_done(kanon__tally_init(&some, c, &err), &err);
    assert_done(kanon__tally_init(&all, c, &err), &err);
    for (int64_t row = 0; row < 9; row++)
        assert_done(kanon__tally_add(row < 3 ? &some : &all, row, &err), &err);
    assert_done(kanon__tally_holds_joined(&some, &all, &holds, &err), &err);
    assert_true(holds); /* 6/9 - 1/2 would be too far */
    kanon__tally_clear(&all);
    kanon__tally_clear(&some);
    kanon__constraints_free(c);
    kanon_table_free(table);
}

/* Without entities all models are monotone: if two groups hold, so does their union. */
static void unions_hold_where_their_parts_do(void **state)
{
    int n_both = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__constraints *c = NULL;
        private_table texts = private_table_new(seed, 1u << seed % PRIVATE_MODELS, 0, NULL);
        kanon_table *table = table_from_texts(texts.csv, texts.yaml);
        int32_t *group = REF_NEW(int32_t, table->data.n_rows);
        bool held[2], all;
        kanon__random random;
        kanon__random_init(&random, seed, 0);
        for (int64_t row = 0; row < table->data.n_rows; row++)
            group[row] = (int32_t)kanon__random_below(&random, 5);
        for (int64_t row = 0; row < table->data.n_rows; row++)
            group[row] = group[row] > 1 ? -1 : group[row];
        assert_done(kanon__constraints_new(&c, &table->data, &table->policy, texts.k, &err), &err);
        assert_done(kanon__constraints_hold(&all, held, c, group, 2, &err), &err);
        assert_int_equal(all, held[0] && held[1]);
        for (int64_t row = 0; row < table->data.n_rows; row++)
            group[row] = group[row] > 0 ? 0 : group[row];
        bool together;
        assert_done(kanon__constraints_hold(&together, NULL, c, group, 1, &err), &err);
        n_both += all;
        if (all && !together)
            fail_msg("seed %d: two groups hold, their union does not", (int)seed);
        free(group);
        kanon__constraints_free(c);
        kanon_table_free(table);
    }
    assert_true(n_both > 40); /* else nothing was tested */
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void assert_refused(const char *constraint, kanon_status status, const char *message, const char *hint)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__constraints *c = NULL;
    kanon_table *table = hospital_with(constraint);
    kanon_status st = kanon__constraints_new(&c, &table->data, &table->policy, 2, &err);
    if (st == KANON_OK)
        st = kanon__constraints_check_feasible(c, &err);
    assert_int_equal(st, status);
    if (strstr(err.message, message) == NULL || strstr(err.hint, hint) == NULL)
        fail_msg("'%s' / '%s' lacks '%s' / '%s'", err.message, err.hint, message, hint);
    kanon__constraints_free(c);
    kanon_table_free(table);
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    assert_refused("{model: x-diversity, attribute: disease, l: 3}", KANON_EDATA, ":8: model: there is no such model",
                   "alpha-k");
    assert_refused("{model: entities, attribute: disease, k: 3}", KANON_EDATA, "no such model", "alpha-k");
    assert_refused("{model: distinct-l-diversity, l: 3}", KANON_EDATA, "attribute: not given", "sensitive");
    assert_refused("{model: distinct-l-diversity, attribute: zip, l: 3}", KANON_EDATA, "zip: not a sensitive column",
                   "role");
    assert_refused("{model: distinct-l-diversity, attribute: city, l: 3}", KANON_EDATA, "city: the table has no such",
                   "name a sensitive column");
    assert_refused("{model: distinct-l-diversity, attribute: diseas, l: 3}", KANON_EDATA, "diseas: the table has no such",
                   "did you mean 'disease'?"); /* the first of two */
    assert_refused("{model: distinct-l-diversity, attribute: pai, l: 3}", KANON_EDATA, "pai: the table has no such",
                   "did you mean 'pay'?"); /* the last of two */
    assert_refused("{model: distinct-l-diversity, attribute: disease}", KANON_EDATA, "l: not given", "at least 2");
    assert_refused("{model: distinct-l-diversity, attribute: disease, l: 1}", KANON_EDATA, "l: out of range", "at least 2");
    assert_refused("{model: distinct-l-diversity, attribute: disease, l: 2.5}", KANON_EDATA, "l: out of range", "whole");
    assert_refused("{model: alpha-k, attribute: disease, alpha: 0}", KANON_EDATA, "alpha: out of range", "above 0");
    assert_refused("{model: alpha-k, attribute: disease, alpha: 1.01}", KANON_EDATA, "alpha: out of range", "at most 1");
    assert_refused("{model: t-closeness, attribute: disease, t: 0.2, l: 3}", KANON_EDATA, "l: the model has no such",
                   "distance");
    assert_refused("{model: t-closeness, attribute: pay, t: 0.2, distance: taxonomy}", KANON_EDATA, "no taxonomy",
                   "ordered");
    assert_refused("{model: t-closeness, attribute: pay, t: 0.2, distance: far}", KANON_EDATA, "no such distance",
                   "choose one of: equal, ordered, taxonomy");
    assert_refused("{model: t-closeness, attribute: pay, t: 0.2, distance: equal|ordered}", KANON_EDATA,
                   "no such distance", "choose one of");
}

static void what_no_grouping_has_is_told(void **state)
{
    (void)state;
    assert_refused("{model: distinct-l-diversity, attribute: disease, l: 4}", KANON_EINFEASIBLE, "has l = 3, asked is 4",
                   "smaller l");
    assert_refused("{model: alpha-k, attribute: disease, alpha: 0.5}", KANON_EINFEASIBLE, "alpha = 0.555556, asked is 0.5",
                   "larger alpha");
    assert_refused("{model: recursive-l-diversity, attribute: disease, c: 1.25, l: 2}", KANON_EINFEASIBLE,
                   "c = 1.25, asked is 1.25", "larger c");
    assert_refused("{model: recursive-l-diversity, attribute: disease, c: 9, l: 4}", KANON_EINFEASIBLE, "c = inf",
                   "smaller l"); /* no c is enough */
    assert_refused("{model: entropy-l-diversity, attribute: disease, l: 2.9}", KANON_EINFEASIBLE, "disease: entropy-l",
                   "smaller l");
    assert_refused("{model: t-closeness, attribute: disease, t: 0}", KANON_OK, "", "");
}

static void fewer_entities_than_k_is_told(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__constraints *c = NULL;
    (void)state;
    kanon_table *table = table_from_texts(
        "who,zip\na,1\na,2\nb,3\nb,4\n?,5\n,6\n",
        "missing: [\"?\", \"\"]\nattributes: {zip: quasi}\nentity: who\nprivacy: {k: 4}\n");
    assert_int_equal(table->data.n_entities, 3); /* who is missing is one */
    assert_int_equal(kanon_table_column_at(table, 0)->role, KANON_ROLE_IDENTIFYING);
    assert_done(kanon__constraints_new(&c, &table->data, &table->policy, 4, &err), &err);
    assert_int_equal(kanon__constraints_check_feasible(c, &err), KANON_EINFEASIBLE);
    assert_string_equal(err.message, "k = 4, but the table has only 3 persons");
    kanon__constraints_free(c);
    kanon_table_free(table);
}

static void sentences_have_right_ordinals(void **state)
{
    static const char *const ordinals[] = {"2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "101st", "112th"};
    (void)state;
    for (size_t i = 0; i < sizeof ordinals / sizeof *ordinals; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__constraints *c = NULL;
        char text[100], expected[40];
        snprintf(text, sizeof text, "{model: recursive-l-diversity, attribute: disease, c: 3, l: %d}", atoi(ordinals[i]));
        snprintf(expected, sizeof expected, "all values from the %s on", ordinals[i]);
        kanon_table *table = hospital_with(text);
        assert_done(kanon__constraints_new(&c, &table->data, &table->policy, 2, &err), &err);
        assert_holds(c->items[0].sentence, expected);
        kanon__constraints_free(c);
        kanon_table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_definitions),
        cmocka_unit_test(what_groups_lack_is_told),
        cmocka_unit_test(only_counts_of_values_grow),
        cmocka_unit_test(no_constraint_holds),
        cmocka_unit_test(empty_groups_hold),
        cmocka_unit_test(tallies_follow_their_members),
        cmocka_unit_test(unions_hold_where_their_parts_do),
        cmocka_unit_test(distances_do_not_depend_on_the_size_of_a_taxonomy),
        cmocka_unit_test(shared_entities_count_once_in_a_union),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(what_no_grouping_has_is_told),
        cmocka_unit_test(fewer_entities_than_k_is_told),
        cmocka_unit_test(sentences_have_right_ordinals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
