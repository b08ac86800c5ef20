/* The independent check fails closed: every model of constraints.def has a recount that refuses a grouping which violates
 * it, and what the recount cannot read it refuses, too. */
#include "support.h"

#include "constraints/constraints.h"
#include "core/alloc.h"
#include "core/random.h"
#include "reference/private_table.h"
#include "reference/random_table.h"
#include "verify/recount.h"
#include "verify/verify.h"

#include <math.h>

enum {
#define KANON_CONSTRAINT(x) ROW_##x,
#include "constraints/constraints.def"
#undef KANON_CONSTRAINT
    N_MODELS
};

static const char *const csv = "who,zip,disease\na,1,flu\nb,1,hiv\nc,1,gout\nd,1,cold\n"
                               "a,1,flu\nb,1,hiv\nc,1,gout\nd,1,cold\n";
enum { N_ROWS = 8, K = 4 };
/* Each group has the four values, once each, of four entities; or two values and entities, twice each. */
static const int32_t good[N_ROWS] = {0, 0, 0, 0, 1, 1, 1, 1}, bad[N_ROWS] = {0, 0, 1, 1, 0, 0, 1, 1};

/* By row: a constraint that `good` satisfies and `bad` violates, and what they reach. */
typedef struct example {
    const char *constraint; /* NULL: the entities */
    const char *limit;      /* the parameter, to be spoiled */
    double reached_good, reached_bad;
} example;

static const example examples[N_MODELS] = {
    [ROW_distinct] = {"{model: distinct-l-diversity, attribute: disease, l: 3}", "l: 3", 4, 2},
    [ROW_p_sensitive] = {"{model: p-sensitive-k-anonymity, attribute: disease, p: 3}", "p: 3", 4, 2},
    [ROW_entropy] = {"{model: entropy-l-diversity, attribute: disease, l: 3}", "l: 3", 4, 2},
    /* 1 / (1 + 1 + 1); 2 / 2 */
    [ROW_recursive] = {"{model: recursive-l-diversity, attribute: disease, c: 0.5, l: 2}", "c: 0.5", 1.0 / 3, 1},
    [ROW_alpha_k] = {"{model: alpha-k, attribute: disease, alpha: 0.4}", "alpha: 0.4", 0.25, 0.5},
    /* a quarter each in the table, so half of it has to be moved */
    [ROW_t_closeness] = {"{model: t-closeness, attribute: disease, t: 0.4}", "t: 0.4", 0, 0.5},
    [ROW_entities] = {NULL, NULL, 4, 2},
};

static kanon_table *table_with(const char *constraint)
{
    char yaml[600];
    if (constraint != NULL)
        snprintf(yaml, sizeof yaml,
                 "attributes: {zip: quasi, disease: {role: sensitive, type: categorical}}\n"
                 "privacy: {k: 4, constraints: [%s]}\n",
                 constraint);
    else
        snprintf(yaml, sizeof yaml, "attributes: {zip: quasi, disease: sensitive}\nentity: who\nprivacy: {k: 4}\n");
    return table_of(yaml, csv);
}

static kanon_status verify(const kanon_table *table, const int32_t *group_of, kanon_error *err)
{
    *err = (kanon_error)KANON_INIT(kanon_error);
    return kanon__verify_privacy(&table->data, &table->policy, group_of, 2, K, err);
}

static void assert_refused(const char *constraint, const char *message)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_with(constraint);
    assert_int_equal(verify(table, good, &err), KANON_EINTERNAL);
    assert_holds(err.message, message);
    assert_int_equal(verify(table, bad, &err), KANON_EINTERNAL);
    kanon_table_free(table);
}

static void every_model_is_recounted(void **state)
{
    (void)state;
    for (int row = 0; row < N_MODELS; row++) {
        const example *e = &examples[row];
        kanon_error err = KANON_INIT(kanon_error);
        bool holds = false;
        double reached = NAN;
        assert_non_null(kanon__recount_at((size_t)row));
        if (row != ROW_entities && e->constraint == NULL)
            fail_msg("the model %s has no example here", kanon__recount_at((size_t)row)->model);
        kanon_table *table = table_with(e->constraint);
        assert_done(verify(table, good, &err), &err);
        assert_int_equal(verify(table, bad, &err), KANON_EINTERNAL);
        assert_holds(err.message,
                     row == ROW_entities ? "2 entities, fewer than k = 4" : "violates a constraint on 'disease'");
        for (int i = 0; i < 2; i++) {
            const int32_t *group_of = i == 0 ? good : bad;
            assert_done(e->constraint == NULL
                        ? kanon__recount_entity_groups(&reached, &holds, &table->data, group_of, 2, K, &err)
                                              : kanon__recount_constraint(&reached, &holds, &table->policy.constraints[0],
                                                                          &table->data, 2,
                                                                          group_of, 2, &err),
                        &err);
            assert_int_equal(holds, i == 0);
            assert_true(fabs(reached - (i == 0 ? e->reached_good : e->reached_bad)) < 1e-12);
        }
        kanon_table_free(table);
    }
    assert_null(kanon__recount_at(N_MODELS));
}

/* Without a group there is nothing that could violate a constraint. */
static void no_group_satisfies_all(void **state)
{
    static const int32_t none[N_ROWS] = {-1, -1, -1, -1, -1, -1, -1, -1};
    (void)state;
    for (int row = 0; row < N_MODELS; row++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_table *table = table_with(examples[row].constraint);
        assert_done(verify(table, none, &err), &err);
        kanon_table_free(table);
    }
}

/* `constraint` with the text `from` replaced by `to`. */
static void spoil(char *out, size_t size, const char *constraint, const char *from, const char *to)
{
    const char *at = strstr(constraint, from);
    assert_non_null(at);
    snprintf(out, size, "%.*s%s%s", (int)(at - constraint), constraint, to, at + strlen(from));
}

static void what_cannot_be_read_is_refused(void **state)
{
    char spoiled[256], name[16];
    (void)state;
    for (int row = 0; row < N_MODELS; row++) {
        const example *e = &examples[row];
        if (e->constraint == NULL)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(e->limit, ":"), e->limit);
        spoil(spoiled, sizeof spoiled, e->constraint, e->limit, "attribute: disease"); /* the parameter is not there */
        char *twice = strstr(spoiled, "attribute: disease, ");
        assert_non_null(twice);
        memmove(twice, twice + strlen("attribute: disease, "), strlen(twice + strlen("attribute: disease, ")) + 1);
        assert_refused(spoiled, "the check cannot read the parameter");
        char garbled[32];
        snprintf(garbled, sizeof garbled, "%s: many", name);
        spoil(spoiled, sizeof spoiled, e->constraint, e->limit, garbled);
        assert_refused(spoiled, "the check cannot read the parameter");
        spoil(spoiled, sizeof spoiled, e->constraint, "}", ", beta: 1}");
        assert_refused(spoiled, "the check does not know a parameter");
        spoil(spoiled, sizeof spoiled, e->constraint, "disease", "illness");
        assert_refused(spoiled, "a constraint on no column");
        spoil(spoiled, sizeof spoiled, e->constraint, "model: ", "model: x-");
        assert_refused(spoiled, "the check does not know the model");
    }
    assert_refused("{model: entities, attribute: disease, k: 1}", "the check does not know the model");
    assert_refused("{model: recursive-l-diversity, attribute: disease, c: 2}", "the check cannot read the parameter 'l'");
    assert_refused("{model: recursive-l-diversity, attribute: disease, c: 2, l: 1.5}", "cannot read the parameter 'l'");
    assert_refused("{model: t-closeness, attribute: disease, t: 1, distance: far}", "does not know the distance");
}

static void groups_that_do_not_exist_are_refused(void **state)
{
    static const int32_t beyond[N_ROWS] = {0, 0, 0, 0, 1, 1, 1, 2};
    (void)state;
    for (int row = 0; row < N_MODELS; row++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_table *table = table_with(examples[row].constraint);
        assert_int_equal(verify(table, beyond, &err), KANON_EINTERNAL);
        kanon_table_free(table);
    }
}

/* A group that is exactly at the limit satisfies it, but for recursive diversity, which asks for less. */
static void limits_are_part_of_what_is_allowed(void **state)
{
    static const struct {
        const char *constraint;
        bool holds;
    } cases[] = {{"{model: distinct-l-diversity, attribute: disease, l: 4}", true},
                 {"{model: p-sensitive-k-anonymity, attribute: disease, p: 4}", true},
                 {"{model: entropy-l-diversity, attribute: disease, l: 4}", true},
                 {"{model: entropy-l-diversity, attribute: disease, l: 4.00001}", false},
                 {"{model: recursive-l-diversity, attribute: disease, c: 0.5, l: 3}", false}, /* 1 < 0.5 * 2 */
                 {"{model: recursive-l-diversity, attribute: disease, c: 0.51, l: 3}", true},
                 {"{model: alpha-k, attribute: disease, alpha: 0.25}", true},
                 {"{model: t-closeness, attribute: disease, t: 0}", true}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_table *table = table_with(cases[i].constraint);
        assert_int_equal(verify(table, good, &err), cases[i].holds ? KANON_OK : KANON_EINTERNAL);
        kanon_table_free(table);
    }
}

/* Both ways of counting, which share no code, find the same figures of random groups. */
static void as_where_groups_are_made(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 180; seed++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__constraints *c = NULL;
        private_table texts = private_table_new(seed, 1u << seed % PRIVATE_MODELS, seed % 4 == 0, NULL);
        kanon_table *table = table_from_texts(texts.csv, texts.yaml);
        int32_t *group_of = calloc((size_t)table->data.n_rows, sizeof *group_of);
        double other = NAN, reached[2] = {NAN, NAN};
        bool holds, all;
        int64_t n_groups = 1 + (int64_t)seed % 4, own = table->data.has_entity; /* the entities come first */
        kanon__random random;
        kanon__random_init(&random, seed, 0);
        for (int64_t row = 0; row < table->data.n_rows; row++)
            group_of[row] = row < n_groups ? (int32_t)row : (int32_t)kanon__random_below(&random, n_groups + 1) - 1;
        assert_done(kanon__constraints_new(&c, &table->data, &table->policy, texts.k, &err), &err);
        assert_int_equal(c->n, own + 1);
        assert_done(kanon__constraints_reached(reached, c, group_of, n_groups, &err), &err);
        assert_done(kanon__recount_constraint(&other, &holds, &table->policy.constraints[0], &table->data,
                                              c->items[own].column, group_of, n_groups, &err),
                    &err);
        if (!(fabs(other - reached[own]) < 1e-9) && !(isinf(other) && isinf(reached[own])))
            fail_msg("seed %d: %.17g instead of %.17g", (int)seed, other, reached[own]);
        assert_done(kanon__constraints_hold(&all, NULL, c, group_of, n_groups, &err), &err);
        assert_true(own || all == holds);
        free(group_of);
        kanon__constraints_free(c);
        kanon_table_free(table);
    }
}

/* Of no group nothing is known. */
static void a_column_without_groups(void **state)
{
    static const int32_t none[N_ROWS] = {-1, -1, -1, -1, -1, -1, -1, -1};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_table *table = table_with(examples[0].constraint);
    kanon__value_runs *runs = NULL;
    assert_done(kanon__value_runs_new(&runs, &table->data, 2, none, 2, &err), &err);
    for (int row = 0; row < N_MODELS; row++) {
        double out = 7;
        if (row == ROW_entities)
            continue;
        assert_done(kanon__recount_column(&out, kanon__recount_at((size_t)row), runs, &table->data, 2, &err), &err);
        assert_true(isnan(out));
    }
    kanon__value_runs_free(runs);
    kanon_table_free(table);
}

/* A figure that is not a number compares as neither better nor worse than the others. */
static double not_a_number(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    (void)n;
    (void)payload;
    return values[0].code == 0 ? 1 : NAN;
}

static void a_figure_is_a_number(void **state)
{
    static const int32_t two[N_ROWS] = {0, 1, 1, 1, 0, 1, 1, 1};
    kanon_error err = KANON_INIT(kanon_error);
    kanon__value_runs *runs = NULL;
    double out = 0;
    (void)state;
    kanon_table *table = table_with(examples[0].constraint);
    assert_done(kanon__value_runs_new(&runs, &table->data, 2, two, 2, &err), &err);
    assert_int_equal(kanon__runs_worst(&out, runs, true, not_a_number, NULL, &err), KANON_EINTERNAL);
    kanon__value_runs_free(runs);
    kanon_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_is_recounted),       cmocka_unit_test(no_group_satisfies_all),
        cmocka_unit_test(what_cannot_be_read_is_refused), cmocka_unit_test(groups_that_do_not_exist_are_refused),
        cmocka_unit_test(a_figure_is_a_number),           cmocka_unit_test(limits_are_part_of_what_is_allowed),
        cmocka_unit_test(as_where_groups_are_made),       cmocka_unit_test(a_column_without_groups),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
