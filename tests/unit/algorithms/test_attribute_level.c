/* Attribute-level recoding: the best levels against all combinations of them, and cuts that are what they should be and that
 * no single split makes better. A failure names its table's seed. */
#include "algorithms/algorithm.h"
#include "core/alloc.h"
#include "model/grouping.h"
#include "reference/private_table.h"
#include "reference/random_table.h"
#include "reference/ref_privacy.h"
#include "reference/reference.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>

enum { N_TABLES = 150 };

/* ---- runs with a budget ------------------------------------------------------------------------------------------ */

typedef struct outcome {
    int32_t *group_of;
    int64_t n_groups;
    uint32_t **maps; /* by quasi attribute */
    int n_shown;
} outcome;

static outcome run_with_budget(kanon_table *table, const char *name, int64_t k, int64_t most_suppressed)
{
    const kanon__algorithm *algorithm = kanon__algorithm_find(name);
    kanon__settings settings = {0};
    kanon__texts warnings = {0};
    kanon_error err = KANON_INIT(kanon_error);
    outcome out = {.n_shown = table->data.n_quasi};
    kanon_setting few = {"starts", "1"};
    kanon__space *space = ref_library_space(table);
    assert_non_null(algorithm);
    kanon__constraints *constraints = NULL;
    assert_done(kanon__constraints_new(&constraints, &table->data, &table->policy, k, &err), &err);
    assert_done(kanon__settings_init(&settings, &algorithm->info, &few, strcmp(name, "attribute-cut") == 0, &err), &err);
    out.group_of = REF_NEW(int32_t, table->data.n_rows);
    out.maps = REF_NEW(uint32_t *, table->data.n_quasi);
    for (int i = 0; i < table->data.n_quasi; i++)
        out.maps[i] = REF_NEW(uint32_t, 2 * (size_t)table->data.columns[table->data.quasi[i]].domain->n_codes);
    kanon__run run = {.table = &table->data,
                      .policy = &table->policy,
                      .may_suppress = most_suppressed,
                      .space = space,
                      .k = k,
                      .threads = 1,
                      .settings = &settings,
                      .warnings = &warnings,
                      .group_of = out.group_of,
                      .recode_maps = out.maps,
                      .constraints = constraints};
    assert_done(algorithm->run(&run, &err), &err);
    assert_int_equal(warnings.n, 0);
    out.n_groups = run.n_groups;
    assert_done(kanon__grouping_renumber(out.group_of, table->data.n_rows, &out.n_groups, &err), &err);
    kanon__constraints_free(constraints);
    kanon__settings_clear(&settings);
    kanon__space_free(space);
    return out;
}

static void clear_outcome(outcome *o)
{
    for (int i = 0; i < o->n_shown; i++)
        free(o->maps[i]);
    free(o->maps);
    free(o->group_of);
}

/* ---- the best levels --------------------------------------------------------------------------------------------- */

static void assert_same_as_reference(kanon_table *table, int64_t k, int64_t most_suppressed)
{
    ref_settings settings;
    assert_true(ref_settings_init(&settings, "full-domain"));
    settings.most_suppressed = most_suppressed;
    settings.constraints = table->policy.n_constraints > 0 || table->data.has_entity ? table : NULL;
    int *expected = ref_run(table, "full-domain", k, 0, &settings);
    outcome found = run_with_budget(table, "full-domain", k, most_suppressed);
    for (int64_t row = 0; row < table->data.n_rows; row++)
        if (found.group_of[row] != expected[row])
            fail_msg("record %" PRId64 " is in group %d, not %d", row + 1, (int)found.group_of[row], expected[row]);
    clear_outcome(&found);
    free(expected);
}

static void levels_are_the_best_of_all(void **state)
{
    (void)state;
    int n_compared = 0;
    for (uint64_t seed = 1; seed <= N_TABLES; seed++) {
        random_table random = random_table_new(seed);
        int64_t n = random.table->data.n_rows;
        if (n >= random.k) {
            print_message("seed %" PRIu64 "\n", seed);
            assert_same_as_reference(random.table, random.k, 1 + n / 20);
            assert_same_as_reference(random.table, random.k, n / 4);
            n_compared++;
        }
        random_table_clear(&random);
    }
    assert_true(n_compared > N_TABLES / 2);
}

/* Two sets of four attributes: taxonomies alone, and two of them with both numbers. */
static void adult_levels_are_the_best_of_all(void **state)
{
    static const char *const sets[] = {
        "workclass: {role: quasi, type: categorical, taxonomy: %s/workclass.csv}\n"
        "  marital-status: {role: quasi, type: categorical, taxonomy: %s/marital-status.csv}\n"
        "  occupation: {role: quasi, type: categorical, taxonomy: %s/occupation.csv}\n"
        "  native-country: {role: quasi, type: categorical, taxonomy: %s/native-country.csv}\n",
        "age: {role: quasi, type: integer}\n"
        "  education: {role: quasi, type: categorical, taxonomy: %s/education.csv}\n"
        "  education-num: {role: quasi, type: integer}\n"
        "  race: {role: quasi, type: categorical, taxonomy: %s/race.csv}\n",
    };
    const char *data = getenv("KANON_DATA");
    (void)state;
    if (data == NULL || !exists(inside(data, "adult/adult.csv").text))
        skip();
    place taxonomies = inside(data, "adult/taxonomies"), csv = inside(data, "adult/adult.csv"), yaml = scratch("adult.yaml");
    for (int i = 0; i < 2; i++) {
        char text[8 * PATH_SIZE], attributes[7 * PATH_SIZE];
        kanon_schema *schema = NULL;
        kanon_table *table = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        const char *t = taxonomies.text;
        if (i == 0)
            snprintf(attributes, sizeof attributes, sets[0], t, t, t, t);
        else
            snprintf(attributes, sizeof attributes, sets[1], t, t);
        snprintf(text, sizeof text, "missing: [\"?\"]\nattributes:\n  %s", attributes);
        write_text(yaml.text, text);
        assert_done(kanon_schema_read(&schema, KANON_PATH(yaml.text), NULL, &err), &err);
        assert_done(kanon_table_read(&table, KANON_PATH(csv.text), schema, NULL, &err), &err);
        assert_same_as_reference(table, 5, i == 0 ? 0 : table->data.n_rows / 100);
        kanon_table_free(table);
        kanon_schema_free(schema);
    }
}

/* ---- cuts, by brute force ---------------------------------------------------------------------------------------- */

typedef struct cuts {
    const kanon_table *table;
    const ref_model *model;
    uint32_t **maps;
    int64_t k, most_suppressed;
} cuts;

static uint32_t code_of(const cuts *c, int attribute, int record)
{
    return kanon__code_at(c->model->quasi[attribute].column->codes, record);
}

static int64_t range_units(const ref_attribute *attribute, uint32_t first, uint32_t last)
{
    const kanon__column *column = attribute->column;
    ref_span span = {.size = 1};
    if (attribute->numeric) {
        span.missing = last == column->domain->missing_code;
        span.present = first != column->domain->missing_code;
        span.min = span.present ? column->domain->scaled[first] : 0;
        span.max = span.present && !span.missing ? column->domain->scaled[last] : span.min;
        return ref_span_units(attribute, &span);
    }
    int node = column->domain->taxonomy->leaf_node[first];
    while (column->domain->taxonomy->last_leaf[node] < (int32_t)last)
        node = column->domain->taxonomy->parent[node];
    span.node = node;
    return ref_span_units(attribute, &span);
}

static bool look_equal(const cuts *c, int left, int right)
{
    for (int a = 0; a < c->model->n_quasi; a++)
        if (c->maps[a][2 * code_of(c, a, left)] != c->maps[a][2 * code_of(c, a, right)])
            return false;
    return true;
}

/* Records that look equal get the same number, that of the first of them. */
static int32_t *classes_of(const cuts *c)
{
    int32_t *class_of = REF_NEW(int32_t, c->model->n);
    for (int i = 0; i < c->model->n; i++)
        while (!look_equal(c, i, class_of[i]))
            class_of[i]++;
    return class_of;
}

static bool may_be_released(const cuts *c, const int32_t *class_of, int which)
{
    int64_t size = 0;
    for (int i = 0; i < c->model->n; i++)
        size += class_of[i] == which;
    return size >= c->k && ref_group_holds(c->table, c->k, class_of, which);
}

/* The loss, -1 where too many records would have to be suppressed. */
static int64_t loss_of(const cuts *c, int64_t *suppressed)
{
    int64_t loss = 0;
    int32_t *class_of = classes_of(c);
    bool *good = REF_NEW(bool, c->model->n);
    *suppressed = 0;
    for (int i = 0; i < c->model->n; i++) {
        if (class_of[i] == i)
            good[i] = may_be_released(c, class_of, i);
        if (!good[class_of[i]]) {
            loss += ref_suppressed_units(c->model);
            ++*suppressed;
            continue;
        }
        for (int a = 0; a < c->model->n_quasi; a++) {
            uint32_t code = code_of(c, a, i);
            loss += range_units(&c->model->quasi[a], c->maps[a][2 * code], c->maps[a][2 * code + 1]);
        }
    }
    free(good);
    free(class_of);
    return *suppressed <= c->most_suppressed ? loss : -1;
}

static void join(uint32_t *maps, uint32_t first, uint32_t last)
{
    for (uint32_t code = first; code <= last; code++) {
        maps[2 * code] = first;
        maps[2 * code + 1] = last;
    }
}

static void assert_is_cut(const ref_attribute *attribute, const uint32_t *maps)
{
    const kanon__column *column = attribute->column;
    for (uint32_t code = 0; code < column->domain->n_codes;) {
        uint32_t last = maps[2 * code + 1];
        assert_true(last >= code && last < column->domain->n_codes);
        for (uint32_t other = code; other <= last; other++)
            assert_true(maps[2 * other] == code && maps[2 * other + 1] == last);
        if (attribute->numeric) { /* with a missing one, all or none */
            assert_true(last != column->domain->missing_code || code == last || code == 0);
        } else {
            const kanon__taxonomy *t = column->domain->taxonomy;
            bool is_node = false;
            for (int node = 0; node < t->n_nodes; node++)
                is_node = is_node || (t->first_leaf[node] == (int32_t)code && t->last_leaf[node] == (int32_t)last);
            assert_true(is_node);
        }
        code = last + 1;
    }
}

static void assert_no_split_helps(cuts *c, int64_t loss)
{
    int64_t suppressed;
    for (int a = 0; a < c->model->n_quasi; a++) {
        const kanon__column *column = c->model->quasi[a].column;
        uint32_t *maps = c->maps[a];
        for (uint32_t first = 0, last; first < column->domain->n_codes; first = last + 1) {
            last = maps[2 * first + 1];
            for (uint32_t middle = first; column->domain->taxonomy == NULL && middle < last; middle++) {
                if (last == column->domain->missing_code && middle + 1 < last)
                    continue;
                join(maps, first, middle);
                join(maps, middle + 1, last);
                int64_t then = loss_of(c, &suppressed);
                assert_true(then < 0 || then >= loss);
                join(maps, first, last);
            }
            if (column->domain->taxonomy == NULL || first == last)
                continue;
            const kanon__taxonomy *t = column->domain->taxonomy;
            int32_t top = kanon__taxonomy_lca(t, (int32_t)first, (int32_t)last);
            for (int32_t child = 0; child < t->n_nodes; child++)
                if (t->parent[child] == top)
                    join(maps, (uint32_t)t->first_leaf[child], (uint32_t)t->last_leaf[child]);
            int64_t then = loss_of(c, &suppressed);
            assert_true(then < 0 || then >= loss);
            join(maps, first, last);
        }
    }
}

static void assert_groups_follow(const cuts *c, const outcome *o)
{
    for (int i = 0; i < c->model->n; i++)
        for (int j = 0; j < c->model->n; j++)
            if (o->group_of[i] >= 0)
                assert_int_equal(o->group_of[i] == o->group_of[j], look_equal(c, i, j));
}

static int64_t check_outcome(cuts *c, const outcome *o)
{
    int64_t suppressed, listed = 0;
    for (int a = 0; a < c->model->n_quasi; a++)
        assert_is_cut(&c->model->quasi[a], c->maps[a]);
    assert_groups_follow(c, o);
    int64_t loss = loss_of(c, &suppressed);
    for (int i = 0; i < c->model->n; i++)
        listed += o->group_of[i] < 0;
    assert_true(loss >= 0);
    assert_int_equal(listed, suppressed);
    return loss;
}

/* Returns whether cuts are better than levels. */
static bool compare_cuts(kanon_table *table, int64_t k, int64_t most_suppressed)
{
    ref_model *model = ref_model_new(table);
    outcome levels = run_with_budget(table, "full-domain", k, most_suppressed);
    outcome free_cuts = run_with_budget(table, "attribute-cut", k, most_suppressed);
    cuts by_level = {table, model, levels.maps, k, most_suppressed},
         by_cut = {table, model, free_cuts.maps, k, most_suppressed};
    int64_t level_loss = check_outcome(&by_level, &levels), cut_loss = check_outcome(&by_cut, &free_cuts);
    assert_true(cut_loss <= level_loss);
    assert_no_split_helps(&by_cut, cut_loss);
    clear_outcome(&free_cuts);
    clear_outcome(&levels);
    ref_model_free(model);
    return cut_loss < level_loss;
}

static void cuts_are_sound_and_locally_best(void **state)
{
    (void)state;
    int n_better = 0;
    for (uint64_t seed = 1; seed <= N_TABLES; seed++) {
        random_table random = random_table_new(seed);
        int64_t n = random.table->data.n_rows;
        if (n >= random.k) {
            print_message("seed %" PRIu64 "\n", seed);
            n_better += compare_cuts(random.table, random.k, 0);
            n_better += compare_cuts(random.table, random.k, 1 + n / 8);
        }
        random_table_clear(&random);
    }
    assert_true(n_better > N_TABLES / 4);
}

/* ---- constraints ------------------------------------------------------------------------------------------------- */

/* Each model by itself and some together, with several records to an entity or one, without a budget and with one: levels
 * are the best of all, cuts are no worse and no split helps. */
static void constraints_are_kept_at_the_least_loss(void **state)
{
    static const int64_t budgets[] = {0, 1, 8};
    int n_possible = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 4 * PRIVATE_MODELS; seed++) {
        unsigned models = 1u << seed % PRIVATE_MODELS;
        if (seed % 3 == 0)
            models |= 1u << (seed / 3) % PRIVATE_MODELS;
        private_table texts = private_table_new(seed, models, (int)(seed / PRIVATE_MODELS) % 2, NULL);
        kanon_table *table = table_from_texts(texts.csv, texts.yaml);
        int32_t *one_group = REF_NEW(int32_t, table->data.n_rows);
        print_message("seed %" PRIu64 "\n", seed);
        for (int i = 0; i < 3 && ref_group_holds(table, texts.k, one_group, 0); i++, n_possible++) {
            assert_same_as_reference(table, texts.k, budgets[i]);
            compare_cuts(table, texts.k, budgets[i]);
        }
        free(one_group);
        kanon_table_free(table);
    }
    assert_true(n_possible > 3 * PRIVATE_MODELS);
}

/* p2 has one disease in both jobs of A, which counts once for A: two of its three are Flu, more than half. So A does not
 * hold though both its jobs do, and the jobs by themselves must not be given up for that. */
static void finds_what_holds_below_what_does_not(void **state)
{
    (void)state;
    kanon_table *table = table_from_texts(
        "person,job,ill\np1,a,Flu\np2,a,Cold\np2,b,Cold\np3,b,Flu\np4,c,Cold\np5,c,HIV\np6,d,Cold\np7,d,HIV\n",
        "attributes:\n  job: {role: quasi, taxonomy: {A: {a: , b: }, C: {c: , d: }}}\n  ill: {role: sensitive}\n"
        "entity: person\nprivacy:\n  constraints:\n    - {model: alpha-k, attribute: ill, alpha: 0.5}\n");
    outcome found = run_with_budget(table, "full-domain", 2, 0);
    assert_int_equal(found.n_groups, 4);
    clear_outcome(&found);
    kanon_table_free(table);
}

/* The first notice of that kind; warnings about privacy come first, notes last. */
static const char *first_of(kanon_notice_kind kind, const kanon_grouping *grouping)
{
    static const int rank[] = {[KANON_NOTICE_PRIVACY] = 0, [KANON_NOTICE_GENERAL] = 1, [KANON_NOTICE_NOTE] = 2};
    for (size_t i = 1; kanon_grouping_notice_at(grouping, i) != NULL; i++)
        assert_true(rank[kanon_grouping_notice_at(grouping, i - 1)->kind] <=
                    rank[kanon_grouping_notice_at(grouping, i)->kind]);
    const kanon_notice *notice;
    for (size_t i = 0; (notice = kanon_grouping_notice_at(grouping, i)) != NULL; i++)
        if (notice->kind == kind)
            return notice->text;
    return NULL;
}

/* ---- through the front door -------------------------------------------------------------------------------------- */

static const char patients[] = "age,job,zip\n20,cook,41076\n21,baker,41077\n34,none,41076\n35,retired,41099\n"
                               "51,cook,41099\n52,smith,41076\n,none,41077\n63,cook,41076\n20,cook,41076\n";
static const char patients_yaml[] =
    "missing: [\"\"]\nattributes:\n  age: {role: quasi, type: integer}\n"
    "  job: {role: quasi, taxonomy: {Work: {cook: , baker: , smith: }, Home: {none: , retired: }}}\n"
    "  zip: {role: quasi, type: categorical, mask: right}\n";

/* What the measures say is what is shown, not what the groups hold. */
static void assert_measured_as_shown(const kanon_table *table, const char *algorithm, int64_t k)
{
    ref_model *model = ref_model_new(table);
    kanon_grouping *grouping = NULL;
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    int64_t suppressed;
    kanon_options options = {
        .struct_size = sizeof options, .k = k, .algorithm = algorithm, .recode = KANON_RECODE_ATTRIBUTE};
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    assert_int_equal(grouping->n_recode_maps, table->data.n_quasi);
    uint32_t **maps = REF_NEW(uint32_t *, table->data.n_quasi);
    for (int i = 0; i < table->data.n_quasi; i++)
        maps[i] = grouping->recode_maps[i].ranges;
    cuts c = {table, model, maps, k, 0};
    double loss = (double)loss_of(&c, &suppressed) / (double)model->scale;
    assert_done(kanon_evaluate(&measures, table, grouping, NULL, &err), &err);
    double told = kanon_measures_find(measures, "information_loss", NULL)->value;
    if (fabs(told - loss) > (model->exact ? 1e-9 : 1e-4) * (1 + loss))
        fail_msg("the loss is %.15g, not %.15g", told, loss);
    assert_holds(first_of(KANON_NOTICE_NOTE, grouping), "none of");
    kanon_measures_free(measures);
    kanon_grouping_free(grouping);
    free(maps);
    ref_model_free(model);
}

static void measures_follow_the_mapping(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= N_TABLES / 4; seed++) {
        random_table random = random_table_new(seed);
        print_message("seed %" PRIu64 "\n", seed);
        if (random.table->data.n_rows >= random.k) {
            assert_measured_as_shown(random.table, "attribute-cut", random.k);
            assert_measured_as_shown(random.table, "full-domain", random.k);
        }
        random_table_clear(&random);
    }
}

static double loss_told(const kanon_table *table, const kanon_grouping *grouping)
{
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_evaluate(&measures, table, grouping, NULL, &err), &err);
    double loss = kanon_measures_find(measures, "information_loss", NULL)->value;
    kanon_measures_free(measures);
    return loss;
}

/* The price of a constraint: the loss with it, and that of the best mapping without it. */
static void tells_what_constraints_cost(void **state)
{
    (void)state;
    int n_dearer = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        private_table with = private_table_new(seed, 1, 0, NULL), without = private_table_new(seed, 0, 0, NULL);
        kanon_table *tables[] = {table_from_texts(with.csv, with.yaml), table_from_texts(without.csv, without.yaml)};
        kanon_grouping *groupings[2] = {NULL, NULL};
        kanon_error err = KANON_INIT(kanon_error);
        kanon_options options = {.struct_size = sizeof options, .recode = KANON_RECODE_ATTRIBUTE, .compare = 1};
        for (int i = 0; i < 2; i++)
            assert_done(kanon_anonymize(&groupings[i], tables[i], &options, &err), &err);
        double loss = loss_told(tables[0], groupings[0]), plain = loss_told(tables[1], groupings[1]);
        assert_true(fabs(groupings[0]->loss_with - loss) < 1e-6);
        assert_true(fabs(groupings[0]->loss_without - plain) < 1e-6);
        n_dearer += loss > plain;
        for (int i = 0; i < 2; i++) {
            kanon_grouping_free(groupings[i]);
            kanon_table_free(tables[i]);
        }
    }
    assert_true(n_dearer > 0);
}

static void assert_refused(const kanon_table *table, kanon_options options, const char *message)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    options.struct_size = sizeof options;
    options.k = 2;
    options.recode = KANON_RECODE_ATTRIBUTE;
    assert_int_equal(kanon_anonymize(&grouping, table, &options, &err), KANON_EINVAL);
    assert_null(grouping);
    assert_holds(err.message, message);
}

static void refuses_what_does_not_go_together(void **state)
{
    (void)state;
    kanon_table *table = table_from_texts(patients, patients_yaml);
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_refused(table, (kanon_options){.algorithm = "kmember"}, "kmember does not recode attributes");
    assert_refused(table, (kanon_options){.refine = "il-optimization"}, "refinement");
    assert_refused(table, (kanon_options){.blocks = 4}, "blocks");
    table->data.has_entity = table->policy.entity_together = true;
    assert_refused(table, (kanon_options){0}, "entity");
    table->data.has_entity = table->policy.entity_together = false;
    kanon_options options = {.struct_size = sizeof options, .k = 2, .recode = (kanon_recode)7};
    assert_int_equal(kanon_anonymize(&grouping, table, &options, &err), KANON_EINVAL);
    options.recode = KANON_RECODE_ATTRIBUTE;
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    assert_string_equal(kanon_grouping_describe(grouping)->algorithm, "attribute-cut");
    place release = scratch("release.csv");
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text), .numeric = KANON_NUMERIC_MEAN};
    assert_int_equal(kanon_publish(table, grouping, &outputs, &err), KANON_EINVAL);
    assert_false(exists(release.text));
    outputs.numeric = KANON_NUMERIC_COLUMNS;
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* A mapping that does not make the groups equal by itself: 20 would be 20 in one group and [20..21] in the other. */
static void publishing_catches_a_wrong_mapping(void **state)
{
    (void)state;
    static const int64_t group_of[] = {1, 1, 2, 2};
    kanon_table *table = table_from_texts("age\n20\n20\n20\n21\n", "attributes:\n  age: {role: quasi, type: integer}\n");
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    place release = scratch("wrong.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    assert_done(kanon_grouping_new(&grouping, table, group_of, &err), &err);
    assert_done(kanon__new_array(&grouping->recode_maps, 1, "a mapping", &err), &err);
    grouping->n_recode_maps = 1;
    assert_done(kanon__copy_text(&grouping->recode_maps[0].column, "age", 3, "a name", &err), &err);
    assert_done(kanon__new_array(&grouping->recode_maps[0].ranges, 4, "a mapping", &err), &err);
    join(grouping->recode_maps[0].ranges, 0, 0);
    join(grouping->recode_maps[0].ranges, 1, 1);
    assert_int_equal(kanon_publish(table, grouping, &outputs, &err), KANON_EINTERNAL);
    assert_holds(err.message, "shown in two ways");
    assert_false(exists(release.text));
    join(grouping->recode_maps[0].ranges, 0, 1);
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    assert_file(release.text, "age\n[20..21]\n[20..21]\n[20..21]\n[20..21]\n");
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* Few checks: the best so far, and a word about it. */
static void tells_when_it_is_not_proven(void **state)
{
    (void)state;
    kanon_table *table = table_from_texts(patients, patients_yaml);
    kanon_setting few = {"max-checks", "2"};
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_options options = {.struct_size = sizeof options,
                             .k = 2,
                             .algorithm = "full-domain",
                             .settings = &few,
                             .n_settings = 1,
                             .recode = KANON_RECODE_ATTRIBUTE};
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    assert_holds(first_of(KANON_NOTICE_GENERAL, grouping), "not proven");
    assert_null(first_of(KANON_NOTICE_NOTE, grouping));
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* Tells the work to end as soon as it can, after some ticks. */
typedef struct impatience {
    int n_ticks, patience;
} impatience;

static int end_soon(const kanon_progress *progress, void *payload)
{
    impatience *i = payload;
    return progress->can_finish && i->n_ticks++ >= i->patience ? KANON_TICK_FINISH : 0;
}

/* 2000 records that nothing makes equal for a long time. */
static kanon_table *large_table(void)
{
    static char csv[100000];
    kanon__random random;
    int used = snprintf(csv, sizeof csv, "a,b,c,d,e\n");
    kanon__random_init(&random, 7, 0);
    for (int row = 0; row < 2000; row++)
        used += snprintf(csv + used, sizeof csv - (size_t)used, "%d,%d,%d,%d,%d\n", (int)kanon__random_below(&random, 900),
                         (int)kanon__random_below(&random, 900), (int)kanon__random_below(&random, 900),
                         (int)kanon__random_below(&random, 900), (int)kanon__random_below(&random, 900));
    return table_from_texts(csv, "attributes: {a: quasi, b: quasi, c: quasi, d: quasi, e: quasi}\n");
}

static void ends_with_the_best_so_far(void **state)
{
    static const char *const names[] = {"full-domain", "attribute-cut"};
    (void)state;
    kanon_table *table = large_table();
    for (int i = 0; i < 4; i++) {
        kanon_grouping *grouping = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        impatience told = {.patience = i / 2};
        kanon_options options = {.struct_size = sizeof options,
                                 .k = 5,
                                 .algorithm = names[i % 2],
                                 .recode = KANON_RECODE_ATTRIBUTE,
                                 .tick = end_soon,
                                 .payload = &told};
        assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
        if (told.n_ticks > told.patience)
            assert_non_null(first_of(KANON_NOTICE_GENERAL, grouping));
        if (i < 2) {
            assert_true(told.n_ticks > 0);
            assert_holds(first_of(KANON_NOTICE_GENERAL, grouping), "let it run on");
        }
        assert_true(kanon_grouping_describe(grouping)->smallest >= 5);
        place release = scratch("release.csv");
        kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
        assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
        kanon_grouping_free(grouping);
    }
    kanon_table_free(table);
}

/* Every allocation on the way to a release with a mapping. */
static void fail_every_allocation(kanon_table *table, int64_t k)
{
    kanon_setting few = {"starts", "1"};
    kanon_options options = {.struct_size = sizeof options,
                             .k = k,
                             .algorithm = "attribute-cut",
                             .settings = &few,
                             .n_settings = 1,
                             .recode = KANON_RECODE_ATTRIBUTE};
    place release = scratch("release.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_status st = KANON_ENOMEM;
    for (int64_t i = 1; st != KANON_OK; i += 1 + i / 20) { /* the same places come again and again */
        kanon_grouping *grouping = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        kanon__alloc_fail_at(i, false);
        st = kanon_anonymize(&grouping, table, &options, &err);
        if (st == KANON_OK)
            st = kanon_publish(table, grouping, &outputs, &err);
        bool reached = kanon__alloc_count() >= i;
        kanon__alloc_fail_at(0, false);
        kanon_grouping_free(grouping);
        assert_int_equal(st, reached ? KANON_ENOMEM : KANON_OK);
    }
    kanon_table_free(table);
    assert_no_leak();
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    private_table texts = private_table_new(3, 1, 1, "0.1");
    fail_every_allocation(table_from_texts(patients, patients_yaml), 2);
    fail_every_allocation(table_from_texts(texts.csv, texts.yaml), texts.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_the_best_of_all),
        cmocka_unit_test(adult_levels_are_the_best_of_all),
        cmocka_unit_test(cuts_are_sound_and_locally_best),
        cmocka_unit_test(constraints_are_kept_at_the_least_loss),
        cmocka_unit_test(finds_what_holds_below_what_does_not),
        cmocka_unit_test(measures_follow_the_mapping),
        cmocka_unit_test(tells_what_constraints_cost),
        cmocka_unit_test(refuses_what_does_not_go_together),
        cmocka_unit_test(publishing_catches_a_wrong_mapping),
        cmocka_unit_test(tells_when_it_is_not_proven),
        cmocka_unit_test(ends_with_the_best_so_far),
        cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
