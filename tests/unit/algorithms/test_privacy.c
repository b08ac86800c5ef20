/* Every algorithm with every constraint and many combinations: the groups keep what the definitions, recounted in the
 * slowest way, say of them. */
#include "core/alloc.h"
#include "core/random.h"
#include "model/grouping.h"
#include "reference/private_table.h"
#include "reference/random_table.h"
#include "reference/ref_privacy.h"
#include "reference/reference.h"
#include "support.h"

#include <math.h>

static void assert_kept(const kanon_table *table, const kanon_grouping *g, int64_t k, const char *what, uint64_t seed)
{
    int64_t n_suppressed = 0;
    for (int32_t group = 0; group < g->n_groups; group++) {
        if (g->sizes[group] < k)
            fail_msg("%s, seed %d: a group has fewer than k records", what, (int)seed);
        if (!ref_group_holds(table, k, g->group_of, group))
            fail_msg("%s, seed %d: a group does not keep its constraints", what, (int)seed);
    }
    for (int64_t row = 0; row < table->data.n_rows; row++) {
        n_suppressed += g->group_of[row] < 0;
        for (int64_t other = 0; table->policy.entity_together && other < row; other++)
            if (kanon__code_at(table->data.entity_codes, row) == kanon__code_at(table->data.entity_codes, other) &&
                g->group_of[row] != g->group_of[other])
                fail_msg("%s, seed %d: an entity is in two groups", what, (int)seed);
    }
    int64_t may_suppress = kanon__fraction_of(table->policy.suppress, table->data.n_rows);
    if (may_suppress >= 0 && n_suppressed > may_suppress)
        fail_msg("%s, seed %d: more records are suppressed than may be", what, (int)seed);
}

/* Groups that were made, or the request was refused as impossible, which the whole table in one group confirms. */
static bool run_one(const char *algorithm, const char *refine, uint64_t seed, unsigned models, int entity,
                    const char *suppress, int64_t blocks)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *g = NULL;
    private_table texts = private_table_new(seed, models, entity, suppress);
    kanon_table *table = table_from_texts(texts.csv, texts.yaml);
    kanon_options options = {.struct_size = sizeof options,
                             .algorithm = algorithm,
                             .refine = refine,
                             .seed = seed,
                             .threads = 1,
                             .blocks = blocks};
    kanon_status st = kanon_anonymize(&g, table, &options, &err);
    int32_t *one_group = REF_NEW(int32_t, table->data.n_rows);
    bool possible = ref_group_holds(table, texts.k, one_group, 0);
    if (possible && st != KANON_OK)
        fail_msg("%s, seed %d: %s", algorithm, (int)seed, err.message);
    if (!possible && st != KANON_EINFEASIBLE)
        fail_msg("%s, seed %d: an impossible request got status %d", algorithm, (int)seed, (int)st);
    if (st == KANON_OK)
        assert_kept(table, g, texts.k, algorithm, seed);
    free(one_group);
    kanon_grouping_free(g);
    kanon_table_free(table);
    return possible;
}

static void every_algorithm_keeps_every_constraint(void **state)
{
    int n_possible = 0, n = 0;
    const kanon_entry *algorithm;
    (void)state;
    for (size_t i = 0; (algorithm = kanon_catalogue_at(KANON_CATALOGUE_ALGORITHM, i)) != NULL; i++)
        for (unsigned model = 0; model < PRIVATE_MODELS; model++)
            for (uint64_t seed = 1; seed <= 2; seed++, n++)
                n_possible += run_one(algorithm->name, NULL, 100 * i + 10 * model + seed, 1u << model, 0, NULL, 0);
    assert_true(2 * n_possible > n);
}

/* Several at once, with entities apart or together, a refinement, suppression, and blocks. */
static void combinations_are_kept(void **state)
{
    static const char *const budgets[] = {NULL, "0", "0.05", "0.3"};
    const kanon_entry *algorithm;
    (void)state;
    for (size_t i = 0; (algorithm = kanon_catalogue_at(KANON_CATALOGUE_ALGORITHM, i)) != NULL; i++)
        for (uint64_t seed = 1; seed <= 8; seed++) {
            kanon__random random;
            kanon__random_init(&random, seed, 100 + i);
            unsigned models = (unsigned)kanon__random_below(&random, 1 << PRIVATE_MODELS);
            models &= (unsigned)kanon__random_below(&random, 1 << PRIVATE_MODELS); /* all at once is hardly ever possible */
            int entity = (int)kanon__random_below(&random, 3);
            run_one(algorithm->name, entity < 2 && seed % 2 == 0 ? "il-optimization" : NULL, seed * 1000 + i, models, entity,
                    budgets[kanon__random_below(&random, 4)], seed % 3 == 0 ? 12 : 0);
        }
}

/* The nearest records have the same disease. Groups that grow by what they need are 1 2 and 0 3; of the groups 0 1 and 2 3
 * the repair could only make one. */
static void densest_grows_with_what_is_needed(void **state)
{
    static const char *const algorithms[] = {"densest", "strips"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_grouping *g = NULL;
        kanon_table *table = table_from_texts("x,disease\n0,flu\n1,flu\n2,hiv\n3,hiv\n20,flu\n20,hiv\n",
                                              "attributes:\n  x: {role: quasi, type: integer}\n"
                                              "  disease: {role: sensitive, type: categorical}\n"
                                              "privacy: {k: 2, constraints: [{model: distinct-l-diversity, "
                                              "attribute: disease, l: 2}]}\n");
        kanon_options options = {.struct_size = sizeof options, .k = 2, .algorithm = algorithms[i], .seed = 1, .threads = 1};
        assert_done(kanon_anonymize(&g, table, &options, &err), &err);
        assert_int_equal(g->n_groups, 3);
        assert_int_equal(g->group_of[1], g->group_of[2]);
        assert_int_equal(g->group_of[0], g->group_of[3]);
        assert_int_equal(g->group_of[4], g->group_of[5]);
        kanon_grouping_free(g);
        kanon_table_free(table);
    }
}

/* What a release shows are classes of equal cells, not groups: check finds them kept, too. */
static void released_classes_keep_them(void **state)
{
    (void)state;
    int n_done = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_grouping *g = NULL;
        kanon_schema *schema = NULL;
        kanon_check *check = NULL;
        place yaml = scratch("s.yaml"), release = scratch("r.csv");
        private_table texts = private_table_new(seed, (unsigned)(seed * 37) % (1u << PRIVATE_MODELS), seed % 2, NULL);
        char *role = strstr(texts.yaml, "{role: identifying}"); /* so that the release tells whose records they are */
        memcpy(role, "{role: insensitive}", strlen("{role: insensitive}"));
        kanon_table *table = table_from_texts(texts.csv, texts.yaml);
        kanon_options options = {
            .struct_size = sizeof options, .algorithm = seed % 3 == 0 ? "mondrian" : "kmember", .seed = seed};
        if (kanon_anonymize(&g, table, &options, &err) == KANON_OK) {
            kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
            write_text(yaml.text, texts.yaml);
            assert_done(kanon_publish(table, g, &outputs, &err), &err);
            assert_done(kanon_schema_read(&schema, KANON_PATH(yaml.text), NULL, &err), &err);
            assert_done(kanon_check_read(&check, KANON_PATH(release.text), schema, NULL, &err), &err);
            assert_true(check->k >= texts.k);
            assert_true(seed % 2 == 0 || check->entities >= texts.k);
            for (size_t i = 0; i < check->n_constraints; i++, n_done++)
                if (!check->constraints[i]->holds)
                    fail_msg("seed %d: check finds this broken: %s", (int)seed, check->constraints[i]->sentence);
        }
        kanon_check_free(check);
        kanon_schema_free(schema);
        kanon_grouping_free(g);
        kanon_table_free(table);
    }
    assert_true(n_done > 40);
}

/* Two groups of age 20, each half X and half Y, would share the entities c and d: their union, which is what the release
 * shows, is two thirds X. */
static void classes_count_an_entity_once(void **state)
{
    const char *csv = "who,age,disease\na,20,X\nc,20,Y\nb,20,X\nd,20,Y\ne,20,X\nc,20,Y\nf,20,X\nd,20,Y\n"
                      "g,50,Z\nh,50,Z\ni,50,W\nj,50,W\nk,51,V\nl,51,V\nm,51,W\nn,51,Z\n";
    const char *yaml = "attributes: {who: insensitive, age: quasi, disease: sensitive}\nentity: who\n"
                       "privacy: {k: 4, constraints: [{model: alpha-k, attribute: disease, alpha: 0.5}]}\n";
    place yaml_path = scratch("s.yaml"), release = scratch("r.csv");
    (void)state;
    write_text(yaml_path.text, yaml);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_grouping *g = NULL;
        kanon_schema *schema = NULL;
        kanon_check *check = NULL;
        kanon_table *table = table_from_texts(csv, yaml);
        kanon_options options = {.struct_size = sizeof options, .seed = seed};
        kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
        assert_done(kanon_anonymize(&g, table, &options, &err), &err);
        assert_done(kanon_publish(table, g, &outputs, &err), &err);
        assert_done(kanon_schema_read(&schema, KANON_PATH(yaml_path.text), NULL, &err), &err);
        assert_done(kanon_check_read(&check, KANON_PATH(release.text), schema, NULL, &err), &err);
        assert_int_equal(check->n_constraints, 1);
        assert_true(check->constraints[0]->holds);
        kanon_check_free(check);
        kanon_schema_free(schema);
        kanon_grouping_free(g);
        kanon_table_free(table);
    }
}

/* A number with a missing one, and the lowest band with the highest, both show "*": one class, in which Y is two of three
 * persons' values, though neither group has it too often. */
static void open_bands_look_like_any_number(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *g = NULL;
    (void)state;
    kanon_table *table = table_from_texts(
        "who,age,ill\nc,,Z\nf,2,X\nb,2,Y\nf,34,Z\nb,-18,Y\nc,2,Y\n",
        "attributes: {who: identifying, age: {role: quasi, type: integer, bands: 10, top: 17, bottom: -9}, ill: sensitive}\n"
        "entity: who\nprivacy: {k: 2, constraints: [{model: alpha-k, attribute: ill, alpha: 0.5}]}\n");
    kanon_options options = {.struct_size = sizeof options, .algorithm = "kmember", .seed = 1};
    place release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    assert_done(kanon_anonymize(&g, table, &options, &err), &err);
    assert_done(kanon_publish(table, g, &outputs, &err), &err);
    kanon_grouping_free(g);
    kanon_table_free(table);
}

/* mondrian's groups are those of the equal ages and {30, 500, 1000} or {30, 30, 30, 1000}. In a group of k = 3 both dear
 * records go, and the third joins the 21s, or none of them where only one may; from a group of four one can go. */
static void suppression_saves_and_never_exceeds(void **state)
{
    const struct {
        const char *csv, *share;
        int64_t n_suppressed;
    } cases[] = {{"age\n20\n20\n20\n21\n21\n21\n30\n500\n1000\n", "0.12", 0},
                 {"age\n20\n20\n20\n21\n21\n21\n30\n500\n1000\n", "0.23", 2},
                 {"age\n20\n20\n20\n30\n30\n30\n1000\n", "0.2", 1},
                 {"age\n20\n20\n20\n30\n30\n30\n1000\n", "0.14", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char yaml[200];
        kanon_error err = KANON_INIT(kanon_error);
        kanon_grouping *g = NULL;
        snprintf(yaml, sizeof yaml, "attributes: {age: quasi}\nprivacy: {k: 3, suppress: %s}\n", cases[i].share);
        kanon_table *table = table_from_texts(cases[i].csv, yaml);
        kanon_options options = {.struct_size = sizeof options, .algorithm = "mondrian", .compare = 1};
        assert_done(kanon_anonymize(&g, table, &options, &err), &err);
        assert_int_equal(g->n_suppressed, cases[i].n_suppressed);
        if (cases[i].n_suppressed == 0)
            assert_true(g->loss_with == g->loss_without);
        else
            assert_true(g->loss_with < g->loss_without && g->group_of[table->data.n_rows - 1] < 0);
        if (i == 2)
            assert_true(g->loss_with == 1);
        kanon_grouping_free(g);
        kanon_table_free(table);
    }
}

/* Every allocation of a run fails in turn: it is told, and nothing is lost (the sanitizer looks). */
static void no_memory_is_told(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    for (int entity = 0; entity < 3; entity++) {
        kanon_grouping *g = NULL;
        private_table texts = private_table_new(5, 1u << 0 | 1u << 4 | 1u << 6, entity, "0.1");
        kanon_table *table = table_from_texts(texts.csv, texts.yaml);
        kanon_options options = {
            .struct_size = sizeof options, .algorithm = entity == 1 ? "mondrian" : "kmember", .threads = 1, .compare = 1};
        kanon_status st = KANON_ENOMEM;
        kanon__alloc_fail_at(0, false);
        assert_done(kanon_anonymize(&g, table, &options, &err), &err);
        kanon_grouping_free(g);
        int64_t n = kanon__alloc_count(), step = n > 600 ? n / 600 : 1;
        for (int64_t at = 1; at <= n; at += step) {
            kanon__alloc_fail_at(at, false);
            st = kanon_anonymize(&g, table, &options, &err);
            kanon__alloc_fail_at(0, false);
            if (st == KANON_OK)
                kanon_grouping_free(g); /* one that may be done without */
            else
                assert_int_equal(st, KANON_ENOMEM);
        }
        kanon_table_free(table);
    }
}

/* Three rows to each of 40 persons, all alike but for the age by one year. */
static void groups_hold_persons(void **state)
{
    char csv[8000] = "person,age,disease\n", line[64];
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *g = NULL;
    (void)state;
    for (int person = 0; person < 40; person++)
        for (int visit = 0; visit < 3; visit++) {
            snprintf(line, sizeof line, "p%d,%d,d%d\n", person, 20 + person, (person + visit) % 5);
            strcat(csv, line);
        }
    for (int entity = 0; entity < 3; entity++) {
        kanon_table *table = table_from_texts(
            csv, entity == 0   ? "attributes: {person: identifying, age: quasi, disease: sensitive}\nprivacy: {k: 5}\n"
                 : entity == 1 ? "attributes: {age: quasi, disease: sensitive}\nprivacy: {k: 5}\nentity: person\n"
                               : "attributes: {age: quasi, disease: sensitive}\nprivacy: {k: 5}\nentity: person\n"
                                 "entity-together: true\n");
        kanon_table *whose = table_from_texts(csv, "attributes: {age: quasi, disease: sensitive}\nentity: person\n");
        assert_done(kanon_anonymize(&g, table, NULL, &err), &err);
        int64_t fewest = INT64_MAX;
        for (int32_t group = 0; group < g->n_groups; group++) {
            int64_t persons = ref_entities(whose, g->group_of, group);
            fewest = persons < fewest ? persons : fewest;
        }
        assert_true(g->smallest >= 5);
        assert_true(entity == 0 ? fewest < 5 : fewest >= 5);
        kanon_grouping_free(g);
        kanon_table_free(whose);
        kanon_table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_keeps_every_constraint),
        cmocka_unit_test(combinations_are_kept),
        cmocka_unit_test(densest_grows_with_what_is_needed),
        cmocka_unit_test(groups_hold_persons),
        cmocka_unit_test(released_classes_keep_them),
        cmocka_unit_test(classes_count_an_entity_once),
        cmocka_unit_test(open_bands_look_like_any_number),
        cmocka_unit_test(suppression_saves_and_never_exceeds),
        cmocka_unit_test(no_memory_is_told),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
