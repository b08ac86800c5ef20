/* The verdict: order of its rows, when it holds, and what it says of small tables whose answers can be counted by hand. */
#include "support.h"

#include "verdict/verdict.h"

#include <math.h>

/* Rows are in the order of verdict.def, whoever adds them when; texts are spelled out. */
static void order(void **state)
{
    static const struct {
        kanon__verdict_kind kind;
        const char *sentence;
    } added[] = {{KANON__VERDICT_CELLS, "c"},        {KANON__VERDICT_K, "k"},           {KANON__VERDICT_REQUIREMENT, "r1"},
                 {KANON__VERDICT_REQUIREMENT, "r2"}, {KANON__VERDICT_IDENTIFYING, "i"}, {KANON__VERDICT_PERSONS, "p\n"}};
    static const char *const names[] = {"k", "persons", "requirement", "requirement", "identifying", "cells"};
    static const char *const sentences[] = {"k", "p\\n", "r1", "r2", "i", "c"};
    kanon_verdict v = {0};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    for (size_t i = 0; i < 6; i++)
        assert_done(kanon__verdict_add(&v, added[i].kind, KANON_MARK_MET, false, &err, "%s", added[i].sentence), &err);
    for (size_t i = 0; i < 6; i++) {
        const kanon_verdict_row *row = kanon_verdict_at(&v, i);
        assert_string_equal(row->name, names[i]);
        assert_string_equal(row->sentence, sentences[i]);
    }
    assert_null(kanon_verdict_at(&v, 6));
    kanon__verdict_clear(&v);
}

/* A failed row always counts, one that is not shown where it was asked, one to look at never. */
static void holds(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    for (int mark = KANON_MARK_MET; mark <= KANON_MARK_NOT_SHOWN; mark++)
        for (int asked = 0; asked < 2; asked++) {
            kanon_verdict v = {0};
            assert_done(kanon__verdict_add(&v, KANON__VERDICT_K, KANON_MARK_MET, true, &err, "k"), &err);
            assert_done(kanon__verdict_add(&v, KANON__VERDICT_ORDER, (kanon_mark)mark, asked, &err, "o"), &err);
            bool expected = mark == KANON_MARK_MET || mark == KANON_MARK_LOOK || (mark == KANON_MARK_NOT_SHOWN && !asked);
            assert_int_equal(kanon_verdict_holds(&v), expected);
            kanon__verdict_clear(&v);
        }
}

/* From 5 % of the rows somebody has to look; more than is asked fails; what was not counted is never fine. */
static void singled_out(void **state)
{
    static const struct {
        int n;
        double share, limit;
        kanon_mark mark;
    } cases[] = {{0, NAN, NAN, KANON_MARK_MET},     {2, 0.04, NAN, KANON_MARK_MET}, {2, 0.05, NAN, KANON_MARK_LOOK},
                 {2, 1, NAN, KANON_MARK_LOOK},      {2, NAN, NAN, KANON_MARK_LOOK}, {2, NAN, 0.5, KANON_MARK_NOT_SHOWN},
                 {2, 0.3, 0.2, KANON_MARK_FAILED},  {2, 0.2, 0.2, KANON_MARK_LOOK}, {2, 0.01, 0.2, KANON_MARK_MET},
                 {1, 0.04, 0.03, KANON_MARK_FAILED}};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kanon_verdict v = {0};
        assert_done(kanon__verdict_add_singled_out(&v, cases[i].n, cases[i].share, cases[i].limit, &err), &err);
        if (kanon_verdict_at(&v, 0)->mark != cases[i].mark)
            fail_msg("case %zu is %s", i, kanon_enum_text(KANON_ENUM_MARK, (int)kanon_verdict_at(&v, 0)->mark));
        assert_int_equal(kanon_verdict_at(&v, 0)->asked, !isnan(cases[i].limit));
        kanon__verdict_clear(&v);
    }
}

/* ---- of a run ---------------------------------------------------------------------------------------------------- */

static const kanon_verdict_row *row_of(const kanon_verdict *v, const char *name)
{
    const kanon_verdict_row *row = NULL;
    for (size_t i = 0; (row = kanon_verdict_at(v, i)) != NULL; i++)
        if (strcmp(row->name, name) == 0)
            return row;
    fail_msg("there is no row %s", name);
    return NULL;
}

static kanon_verdict *verdict_of_run(const char *yaml, const char *csv, int64_t k, bool shuffle)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *t = table_of(yaml, csv);
    kanon_grouping *g = NULL;
    kanon_verdict *v = NULL;
    kanon_options options = {.struct_size = sizeof options, .k = k};
    const kanon_output nowhere = {.struct_size = sizeof nowhere};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = &nowhere, .shuffle = shuffle};
    assert_done(kanon_anonymize(&g, t, &options, &err), &err);
    assert_done(kanon_verdict_of(&v, t, g, &outputs, &err), &err);
    kanon_grouping_free(g);
    kanon_table_free(t);
    return v;
}

static void assert_row(const kanon_verdict *v, const char *name, kanon_mark mark, const char *words)
{
    const kanon_verdict_row *row = row_of(v, name);
    if (row->mark != mark || strstr(row->sentence, words) == NULL)
        fail_msg("%s: %s: %s", name, kanon_enum_text(KANON_ENUM_MARK, (int)row->mark), row->sentence);
}

/* Two groups of three: ages 20 to 22 with flu alone, 60 to 62 with three illnesses. */
static const char people[] = "name,age,ill\nA,20,flu\nB,21,flu\nC,22,flu\nD,60,cold\nE,61,gout\nF,62,flu\n";

static void of_a_run(void **state)
{
    (void)state;
    kanon_verdict *v = verdict_of_run("attributes: {name: identifying, age: quasi, ill: sensitive}\n", people, 3, false);
    assert_row(v, "k", KANON_MARK_MET, "has 3 records (asked: at least 3)");
    assert_row(v, "identifying", KANON_MARK_MET, "1 column is left out");
    assert_row(v, "released-as-they-are", KANON_MARK_LOOK, "50 % of the rows"); /* cold, gout and flu among 60 to 62 */
    assert_row(v, "homogeneous", KANON_MARK_LOOK, "50 % in groups with one value only");
    assert_row(v, "earlier", KANON_MARK_NOT_SHOWN, "none was compared");
    assert_row(v, "order", KANON_MARK_LOOK, "of the table");
    assert_row(v, "cells", KANON_MARK_MET, "");
    assert_true(kanon_verdict_holds(v));
    kanon_verdict_free(v);
    v = verdict_of_run("attributes: {name: identifying, age: quasi, ill: identifying}\n", people, 3, true);
    assert_row(v, "released-as-they-are", KANON_MARK_MET, "none");
    assert_row(v, "homogeneous", KANON_MARK_MET, "no column is sensitive");
    assert_row(v, "order", KANON_MARK_MET, "hash");
    kanon_verdict_free(v);
}

/* Values that change places inside their groups are not released as they are: nobody is singled out by them. */
static void permuted(void **state)
{
    (void)state;
    kanon_verdict *v = verdict_of_run("attributes: {name: identifying, age: quasi, ill: {role: sensitive, permute: true}}\n",
                                      people, 3, false);
    assert_row(v, "released-as-they-are", KANON_MARK_MET, "none");
    kanon_verdict_free(v);
}

/* Two persons, and one of them has three of four records: k holds, and nobody may read that as a risk of 1/2. */
static void persons(void **state)
{
    (void)state;
    kanon_verdict *v = verdict_of_run("entity: who\nattributes: {who: identifying, age: quasi}\n",
                                      "who,age\na,20\na,20\na,21\nb,22\n", 2, false);
    assert_row(v, "persons", KANON_MARK_LOOK, "75 % of the records");
    kanon_verdict_free(v);
    v = verdict_of_run("entity: who\nattributes: {who: identifying, age: quasi}\n", "who,age\na,20\na,20\nb,21\nb,22\n", 2,
                       false);
    assert_row(v, "persons", KANON_MARK_MET, "at least 2 persons");
    kanon_verdict_free(v);
}

/* Groups that were read are not known to satisfy what the schema asks: that is not shown, and the verdict does not hold. */
static void of_read_groups(void **state)
{
    static const int64_t groups[] = {1, 1, 1, 2, 2, 2};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_verdict *v = NULL;
    (void)state;
    kanon_table *t = table_of("attributes: {name: identifying, age: quasi, ill: sensitive}\n"
                              "privacy: {k: 3, constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}]}\n",
                              people);
    kanon_grouping *g = grouping_of(t, groups);
    assert_done(kanon_verdict_of(&v, t, g, NULL, &err), &err);
    assert_row(v, "requirement", KANON_MARK_NOT_SHOWN, "1 more");
    assert_false(kanon_verdict_holds(v));
    kanon_verdict_free(v);
    kanon_grouping_free(g);
    kanon_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order),    cmocka_unit_test(holds),   cmocka_unit_test(singled_out),    cmocka_unit_test(of_a_run),
        cmocka_unit_test(permuted), cmocka_unit_test(persons), cmocka_unit_test(of_read_groups),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
