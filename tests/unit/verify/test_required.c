/* The last check before anything leaves: groups that an algorithm, a refinement or a repair got wrong are refused, whatever
 * they violate, as CSV and as Arrow. A grouping is made by the library and spoilt afterwards, as a defect would. */
#include "core/alloc.h"
#include "model/grouping.h"
#include "support.h"
#include "verify/verify.h"
#include "to_stream.h"

#include <kanon_arrow.h>

enum { N = 12 };

static const char *const csv = "who,age,ill\n"
                               "a,20,X\na,20,Y\nb,20,X\nb,20,Y\nc,21,X\nc,21,Y\n"
                               "d,40,X\nd,40,Y\ne,41,X\ne,41,Y\nf,42,X\nf,42,Y\n";

/* What is asked, how the groups are spoilt, and what the check says. */
typedef struct defect {
    const char *yaml; /* after the attributes */
    int32_t group_of[N];
    const char *message;
} defect;

static const defect defects[] = {
    {"privacy: {k: 3, suppress: 0.2}\n", {-1, -1, -1, 0, 0, 0, 1, 1, 1, 1, 1, 1}, "3 suppressed records, and at most 2"},
    {"privacy: {k: 3, suppress: 0}\n", {-1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, "1 suppressed records, and at most 0"},
    {"privacy: {k: 3}\n", {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "a group of 2 records, fewer than k = 3"},
    {"privacy: {k: 3, constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}]}\n",
     {0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1},
     "violates a constraint on 'ill'"},
    {"privacy: {k: 3, suppress: 0.5, suppressed: keep}\n",
     {-1, -1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1},
     "a group of 2 records, fewer than k = 3"},
    {"privacy: {k: 3, suppress: 0.5, suppressed: keep, constraints: [{model: distinct-l-diversity, attribute: ill, l: "
     "2}]}\n",
     {-1, 1, -1, 1, -1, 1, 1, 1, 0, 0, 0, 0},
     "violates a constraint on 'ill'"},
    {"privacy: {k: 3, suppress: 0.5, suppressed: keep}\nentity: who\n",
     {-1, -1, -1, -1, 1, 1, 1, 1, 0, 0, 0, 0},
     "a group of 2 entities, fewer than k = 3"},
    {"privacy: {k: 3}\nentity: who\n", {0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1}, "a group of 2 entities, fewer than k = 3"},
    {"privacy: {k: 3}\nentity: who\nentity-together: true\n",
     {0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1},
     "an entity in two groups"},
};

static kanon_table *table_with(const char *yaml)
{
    char text[600];
    snprintf(text, sizeof text, "attributes: {age: quasi, ill: {role: sensitive, type: categorical}}\n%s", yaml);
    return table_of(text, csv);
}

/* As CSV and as Arrow: both must end alike, and nothing is there where they failed. */
static kanon_status publish(const kanon_table *table, const kanon_grouping *g, kanon_numeric numeric, kanon_error *err)
{
    place path = scratch("release.csv");
    struct ArrowArrayStream stream = {0};
    const kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(path.text), .numeric = numeric};
    const kanon_outputs arrow = {.struct_size = sizeof arrow,
                                 .numeric = numeric == KANON_NUMERIC_MEAN ? KANON_NUMERIC_MEAN : KANON_NUMERIC_INTERVAL};
    kanon_error other = KANON_INIT(kanon_error);
    unlink(path.text);
    kanon_status st = kanon_publish(table, g, &outputs, err);
    assert_int_equal(exists(path.text), st == KANON_OK);
    assert_int_equal(release_to_stream(&stream, table, g, &arrow, &other), st);
    if (st == KANON_OK)
        stream.release(&stream);
    else
        assert_string_equal(err->message, other.message);
    return st;
}

static void defects_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof defects / sizeof *defects; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_grouping *g = NULL;
        kanon_table *table = table_with(defects[i].yaml);
        assert_done(kanon_anonymize(&g, table, NULL, &err), &err);
        assert_done(publish(table, g, KANON_NUMERIC_INTERVAL, &err), &err);
        memcpy(g->group_of, defects[i].group_of, sizeof defects[i].group_of);
        g->n_groups = 2;
        g->n_suppressed = 0;
        for (int row = 0; row < N; row++)
            g->n_suppressed += g->group_of[row] < 0;
        assert_int_equal(publish(table, g, KANON_NUMERIC_INTERVAL, &err), KANON_EINTERNAL);
        assert_holds(err.message, defects[i].message);
        kanon_grouping_free(g);
        kanon_table_free(table);
    }
}

/* Two groups of four entities each, half X and half Y. They share two entities, so that their union is two thirds X. */
static void classes_that_nobody_merged(void **state)
{
    static const struct {
        int ages[2][2]; /* by group: of its first two records; the others are 20 */
        kanon_numeric numeric;
        bool own;
        kanon_status status;
    } cases[] = {{{{19, 21}, {18, 22}}, KANON_NUMERIC_INTERVAL, false, KANON_OK},
                 {{{19, 21}, {18, 22}}, KANON_NUMERIC_MEAN, false, KANON_EINFEASIBLE},
                 {{{20, 20}, {20, 20}}, KANON_NUMERIC_INTERVAL, true, KANON_EINFEASIBLE},
                 {{{20, 20}, {20, 20}}, KANON_NUMERIC_INTERVAL, false, KANON_EINTERNAL}};
    static const int64_t groups[] = {1, 1, 1, 1, 2, 2, 2, 2};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];
        kanon_error err = KANON_INIT(kanon_error);
        snprintf(text, sizeof text, "who,age,ill\na,%d,X\nc,%d,Y\nb,20,X\nd,20,Y\ne,%d,X\nc,%d,Y\nf,20,X\nd,20,Y\n",
                 cases[i].ages[0][0], cases[i].ages[0][1], cases[i].ages[1][0], cases[i].ages[1][1]);
        kanon_table *table = table_of("attributes: {age: quasi, ill: {role: sensitive, type: categorical}}\nentity: who\n"
                                      "privacy: {k: 4, constraints: [{model: alpha-k, attribute: ill, alpha: 0.5}]}\n",
                                      text);
        kanon_grouping *g = grouping_of(table, groups);
        g->is_own = cases[i].own;
        g->k = 4;
        assert_int_equal(publish(table, g, cases[i].numeric, &err), cases[i].status);
        if (cases[i].status == KANON_EINFEASIBLE)
            assert_holds(err.message, "look alike");
        kanon_grouping_free(g);
        kanon_table_free(table);
    }
    /* a group that violates it by itself is a defect, whoever looks like it */
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_with("privacy: {k: 3, constraints: [{model: alpha-k, attribute: ill, alpha: 0.5}]}\n");
    kanon_grouping *g = grouping_of(table, (const int64_t[]){1, 2, 1, 2, 1, 1, 1, 2, 1, 2, 1, 2});
    g->is_own = false;
    g->k = 3;
    assert_int_equal(publish(table, g, KANON_NUMERIC_MEAN, &err), KANON_EINTERNAL);
    kanon_grouping_free(g);
    kanon_table_free(table);
}

static void budgets(void **state)
{
    static const int32_t group_of[N] = {-1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_with("privacy: {k: 3}\n");
    for (int64_t most = -1; most < 4; most++)
        assert_int_equal(kanon__verify_budget(&table->data, group_of, most, &err),
                         most >= 0 && most < 2 ? KANON_EINTERNAL : KANON_OK);
    kanon_table_free(table);
}

/* Every allocation of a release fails in turn, of each form and with a mapping: it is told, and nothing is there. */
static void no_memory_is_told(void **state)
{
    (void)state;
    static const kanon_numeric forms[] = {KANON_NUMERIC_MEAN, KANON_NUMERIC_INTERVAL, KANON_NUMERIC_COLUMNS,
                                          KANON_NUMERIC_INTERVAL};
    for (int form = 0; form < 4; form++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_grouping *g = NULL;
        place path = scratch("release.csv");
        kanon_table *table = table_with("privacy: {k: 3, constraints: [{model: t-closeness, attribute: ill, t: 0.4}]}\n");
        kanon_options options = {.struct_size = sizeof options,
                                 .algorithm = "full-domain",
                                 .recode = form == 3 ? KANON_RECODE_ATTRIBUTE : KANON_RECODE_RECORD};
        kanon_outputs outputs = {.struct_size = sizeof outputs,
                                 .release = KANON_TO_PATH(path.text),
                                 .numeric = form == 1 ? KANON_NUMERIC_MEAN : KANON_NUMERIC_INTERVAL,
                                 .threads = 1};
        kanon_outputs arrow = {.struct_size = sizeof arrow,
                                     .numeric = forms[form],
                                     .threads = 1};
        assert_done(kanon_anonymize(&g, table, &options, &err), &err);
        unlink(path.text);
        kanon_status st = KANON_ENOMEM;
        for (int64_t at = 1; st != KANON_OK; at++) {
            kanon__alloc_fail_at(at, false);
            st = kanon_publish(table, g, &outputs, &err);
            kanon__alloc_fail_at(0, false);
            assert_true(st == KANON_OK || (st == KANON_ENOMEM && !exists(path.text)));
        }
        st = KANON_ENOMEM;
        for (int64_t at = 1; st != KANON_OK; at++) {
            struct ArrowArrayStream stream = {0};
            kanon__alloc_fail_at(at, false);
            st = release_to_stream(&stream, table, g, &arrow, &err);
            kanon__alloc_fail_at(0, false);
            assert_true(st == KANON_OK || (st == KANON_ENOMEM && stream.release == NULL));
            if (st == KANON_OK)
                stream.release(&stream);
        }
        kanon_grouping_free(g);
        kanon_table_free(table);
    }
}

/* Records with equal values must look equal where there is one mapping: two groups that show their own do not. */
static void mappings_are_checked(void **state)
{
    static const int32_t group_of[] = {0, 0, 0, 1, 1, 1};
    static const struct {
        const char *second;
        kanon_status status;
    } cases[] = {{"[1..2]", KANON_OK}, {"[1..3]", KANON_EINTERNAL}, {"[0..2]", KANON_EINTERNAL}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__verifier *v = NULL;
        kanon__cursor *cursor = NULL;
        bool has_row;
        kanon_table *table = table_of("attributes: {a: {role: quasi, type: integer}}\n", "a\n1\n2\n1\n2\n1\n2\n");
        const kanon__requirement required = {.policy = &table->policy, .k = 3, .most_suppressed = -1};
        assert_done(kanon__verifier_new(&v, table, group_of, 2, KANON_NUMERIC_INTERVAL, true, &err), &err);
        assert_done(kanon__verifier_text(v, 0, 0, "[1..2]", 6, &err), &err);
        assert_done(kanon__verifier_text(v, 1, 0, cases[i].second, 6, &err), &err);
        assert_done(table->source->class->open(&cursor, table->source, &err), &err);
        for (int row = 0; row < 6; row++) {
            char line[8];
            snprintf(line, sizeof line, "%s\n", row < 3 ? "[1..2]" : cases[i].second);
            assert_done(table->source->class->next(cursor, &has_row, &err), &err);
            assert_done(kanon__verifier_row(v, row, cursor, line, 7, &err), &err);
        }
        assert_int_equal(kanon__verifier_finish(v, &required, 1, &err), cases[i].status);
        table->source->class->close(cursor);
        kanon__verifier_free(v);
        kanon_table_free(table);
    }
}

/* A domain that is out of order would make the check itself wrong, so it is looked at first. */
static void domains_out_of_order(void **state)
{
    const int32_t group_of[] = {0, 0, 0, 0};
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__verifier *v = NULL;
        kanon_table *table = table_of(
            "missing: [\"?\"]\nattributes: {n: {role: quasi, type: integer}, c: {role: quasi, taxonomy: "
            "{A: {a: , b: }, B: {d: , e: }}}}\n",
            "n,c\n1,a\n2,b\n?,d\n4,e\n");
        kanon__domain *numbers = (kanon__domain *)(uintptr_t)table->data.columns[0].domain;
        kanon__taxonomy *tree = (kanon__taxonomy *)(uintptr_t)table->data.columns[1].domain->taxonomy;
        uint32_t missing = numbers->missing_code;
        int32_t leaf = tree->leaf_node[0];
        if (kind == 0)
            numbers->values[0] = 3;
        else if (kind == 1)
            numbers->missing_code = 0;
        else
            tree->leaf_node[0] = tree->leaf_node[3], tree->leaf_node[3] = leaf;
        assert_int_equal(kanon__verifier_new(&v, table, group_of, 1, KANON_NUMERIC_INTERVAL, false, &err), KANON_EINTERNAL);
        assert_holds(err.message, "out of order");
        numbers->missing_code = missing;
        kanon_table_free(table);
    }
}

/* A state keeps the budget of its schema: groups of a run that was allowed more do not fit into it. */
static void states_keep_the_schema(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *g = NULL;
    place yaml = scratch("s.yaml"), data = scratch("t.csv"), path = scratch("state");
    kanon_options options = {.struct_size = sizeof options, .algorithm = "mondrian", .suppress = "0.3"};
    write_text(yaml.text, "attributes: {age: quasi}\nprivacy: {k: 3, suppress: 0.1}\n");
    write_text(data.text, "age\n20\n20\n20\n21\n21\n21\n30\n500\n1000\n");
    assert_done(kanon_schema_read(&schema, KANON_PATH(yaml.text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(data.text), schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&g, table, &options, &err), &err);
    assert_int_equal(kanon_grouping_describe(g)->suppressed, 2);
    assert_int_equal(kanon_state_create(path.text, table, schema, g, NULL, NULL, &err), KANON_EINVAL);
    assert_holds(err.message, "the schema allows 0");
    assert_false(exists(path.text));
    kanon_grouping_free(g);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defects_are_refused),
        cmocka_unit_test(classes_that_nobody_merged),
        cmocka_unit_test(budgets),
        cmocka_unit_test(states_keep_the_schema),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(mappings_are_checked),
        cmocka_unit_test(domains_out_of_order),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
