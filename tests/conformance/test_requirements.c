/* Every algorithm with every way to recode, entities, budgets of suppressed records and blocks, on small random tables:
 * whatever combination runs, the groups keep k, the entities, the constraints and the budget, a run fails only where the
 * table as one group fails, and what is published is what was grouped. The check here counts from the numbers of which the
 * table was written, and shares nothing with the library. */
#include "core/random.h"
#include "reference/random_table.h"
#include "reference/reference.h"
#include "support.h"

enum { MOST_ROWS = 22, N_ILLS = 4, N_MODELS = 5 };

static const char *const models[N_MODELS] = {
    "",
    "  constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}]\n",
    "  constraints: [{model: alpha-k, attribute: ill, alpha: 0.6}]\n",
    "  constraints: [{model: t-closeness, attribute: ill, t: 0.25, distance: equal}]\n",
    "  constraints: [{model: recursive-l-diversity, attribute: ill, c: 2, l: 2}]\n",
};

static const struct {
    const char *text;
    int percent; /* -1: nothing is said */
} budgets[] = {{NULL, -1}, {"0", 0}, {"0.1", 10}, {"0.3", 30}, {"0.95", 95}};

enum { N_BUDGETS = sizeof budgets / sizeof budgets[0], N_ENTITIES = 3, N_BLOCKS = 3 };

/* A table as numbers, and what is asked of its groups. */
typedef struct question {
    int n, n_persons, k, model, entity, budget; /* entity: 0 none, 1 apart, 2 together */
    int person[MOST_ROWS], ill[MOST_ROWS];
    kanon_table *table;
} question;

/* ---- the check ----------------------------------------------------------------------------------------------------- */

enum { WHOLE = -1, RELEASED = -2 }; /* in place of a group: all records, and all but the suppressed ones */

static bool is_in(const int64_t *group, int i, int64_t g)
{
    return g == WHOLE || (g == RELEASED ? group[i] != 0 : group[i] == g);
}

/* How often each value is in a group or in the table; with entities, once for each of them. */
static int count_ills(const question *q, const int64_t *group, int64_t g, int counts[N_ILLS])
{
    int n = 0;
    memset(counts, 0, N_ILLS * sizeof *counts);
    for (int i = 0; i < q->n; i++) {
        bool counted = false;
        for (int j = 0; q->entity > 0 && j < i; j++)
            counted = counted || (is_in(group, j, g) && q->person[j] == q->person[i] && q->ill[j] == q->ill[i]);
        if (!counted && is_in(group, i, g)) {
            counts[q->ill[i]]++;
            n++;
        }
    }
    return n;
}

/* `against`: WHOLE or RELEASED, whose distribution a group is compared with. */
static bool group_holds(const question *q, const int64_t *group, int64_t g, int64_t against)
{
    int counts[N_ILLS], all[N_ILLS], n = count_ills(q, group, g, counts), n_all = count_ills(q, group, against, all);
    int distinct = 0, most = 0;
    double distance = 0;
    for (int i = 0; i < N_ILLS; i++) {
        distinct += counts[i] > 0;
        most = counts[i] > most ? counts[i] : most;
        double more = (double)counts[i] / n - (double)all[i] / n_all;
        distance += more > 0 ? more : 0;
    }
    switch (q->model) {
    case 1:
        return distinct >= 2;
    case 2:
        return 10 * most <= 6 * n;
    case 3:
        return distance <= 0.25 + 1e-9;
    case 4:
        return distinct >= 2 && most <= 2 * (n - most) - 1; /* r1 < c (r2 + ...) */
    default:
        return true;
    }
}

/* NULL, or what is wrong with a group. */
static const char *fault_of_group(const question *q, const int64_t *group, int64_t g)
{
    int size = 0, n_persons = 0;
    for (int i = 0; i < q->n; i++) {
        bool counted = false;
        for (int j = 0; j < i; j++)
            counted = counted || (group[j] == g && q->person[j] == q->person[i]);
        size += group[i] == g;
        n_persons += group[i] == g && !counted;
    }
    if (size < q->k)
        return "a group has fewer than k records";
    if (q->entity > 0 && n_persons < q->k)
        return "a group has fewer than k entities";
    if (!group_holds(q, group, g, RELEASED))
        return "a group violates the constraint in the released table";
    return group_holds(q, group, g, WHOLE) ? NULL : "a group violates the constraint";
}

static const char *fault_of(const question *q, const int64_t *group, int64_t n_groups)
{
    int n_suppressed = 0;
    for (int i = 0; i < q->n; i++) {
        n_suppressed += group[i] == 0;
        if (group[i] < 0 || group[i] > n_groups)
            return "a record is in no group";
        for (int j = 0; q->entity == 2 && j < i; j++)
            if (q->person[i] == q->person[j] && group[i] != group[j])
                return "an entity is in two groups";
    }
    if (budgets[q->budget].percent >= 0 && 100 * n_suppressed > budgets[q->budget].percent * q->n)
        return "more records are suppressed than may be";
    for (int64_t g = 1; g <= n_groups; g++) {
        const char *fault = fault_of_group(q, group, g);
        if (fault != NULL)
            return fault;
    }
    return NULL;
}

static bool is_possible(const question *q)
{
    int64_t together[MOST_ROWS];
    for (int i = 0; i < q->n; i++)
        together[i] = 1;
    return fault_of_group(q, together, 1) == NULL;
}

/* ---- tables -------------------------------------------------------------------------------------------------------- */

static question ask(uint64_t seed, int model, int entity, int budget)
{
    static const char *const jobs[] = {"Smith", "Baker", "Clerk", "Monk", "?"};
    char csv[2000] = "person,age,job,ill\n", yaml[1000], line[80];
    question q = {.model = model, .entity = entity, .budget = budget};
    kanon__random random;
    kanon__random_init(&random, seed, 17);
    q.n = 8 + (int)kanon__random_below(&random, MOST_ROWS - 7);
    q.k = 2 + (int)kanon__random_below(&random, 2);
    int n_persons = 3 + (int)kanon__random_below(&random, q.n), n_ills = 2 + (int)kanon__random_below(&random, N_ILLS - 1);
    for (int i = 0; i < q.n; i++) {
        char age[16] = "?";
        q.person[i] = (int)kanon__random_below(&random, n_persons);
        q.ill[i] = (int)kanon__random_below(&random, n_ills);
        if (kanon__random_below(&random, 10) > 0)
            snprintf(age, sizeof age, "%d", 20 + (int)kanon__random_below(&random, 9));
        snprintf(line, sizeof line, "p%d,%s,%s,i%d\n", q.person[i], age, jobs[kanon__random_below(&random, 5)], q.ill[i]);
        strcat(csv, line);
    }
    snprintf(yaml, sizeof yaml,
             "missing: [\"?\"]\nattributes:\n  person: {role: identifying}\n  age: {role: quasi, type: integer}\n"
             "  job: {role: quasi, type: categorical, taxonomy: {Hand: {Smith: , Baker: }, Head: {Clerk: , Monk: }}}\n"
             "  ill: {role: sensitive, type: categorical}\nprivacy:\n  k: %d\n%s%s%s%s%s",
             q.k, budgets[budget].text != NULL ? "  suppress: " : "",
             budgets[budget].text != NULL ? budgets[budget].text : "", budgets[budget].text != NULL ? "\n" : "",
             models[model],
             entity == 2   ? "entity: person\nentity-together: true\n"
             : entity == 1 ? "entity: person\n"
                           : "");
    q.table = table_from_texts(csv, yaml);
    return q;
}

/* ---- every combination --------------------------------------------------------------------------------------------- */

static int count_lines(const void *bytes, size_t size, void *payload)
{
    int64_t *n = payload;
    for (size_t i = 0; i < size; i++)
        *n += ((const char *)bytes)[i] == '\n';
    return 0;
}

static void assert_published(const question *q, const kanon_grouping *g, const char *what)
{
    kanon_error err = KANON_INIT(kanon_error);
    int64_t n_lines = 0;
    kanon_sink sink = {.struct_size = sizeof(kanon_sink), .write = count_lines, .payload = &n_lines};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink), .threads = 1};
    if (kanon_publish(q->table, g, &outputs, &err) != KANON_OK)
        fail_msg("%s: publishing: %s", what, err.message);
    assert_int_equal(n_lines, q->n + 1 - kanon_grouping_describe(g)->suppressed);
}

/* What the options ask for is refused where attributes are recoded and that leaves no choice. */
static bool is_refused(const question *q, const char *algorithm, const kanon_options *o)
{
    bool maps = strcmp(algorithm, "full-domain") == 0 || strcmp(algorithm, "attribute-cut") == 0;
    if (o->blocks > 0 && o->blocks < q->k)
        return true;
    return o->recode == KANON_RECODE_ATTRIBUTE && (!maps || q->entity == 2 || o->blocks > 0);
}

static void run_one(const question *q, const kanon_options *o, const char *what, int *n_done)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *g = NULL;
    int64_t group[MOST_ROWS];
    kanon_status st = kanon_anonymize(&g, q->table, o, &err);
    if (is_refused(q, o->algorithm, o)) {
        assert_int_equal(st, KANON_EINVAL);
        return;
    }
    if (st != (is_possible(q) ? KANON_OK : KANON_EINFEASIBLE))
        fail_msg("%s: status %d, %s", what, (int)st, err.message);
    if (st != KANON_OK)
        return;
    for (int i = 0; i < q->n; i++)
        group[i] = kanon_grouping_group_of(g, i);
    const char *fault = fault_of(q, group, kanon_grouping_describe(g)->groups);
    if (fault != NULL)
        fail_msg("%s: %s", what, fault);
    assert_published(q, g, what);
    kanon_grouping_free(g);
    ++*n_done;
}

static void run_algorithm(const char *algorithm, uint64_t seed, int *n_done)
{
    for (int entity = 0; entity < N_ENTITIES; entity++)
        for (int budget = 0; budget < N_BUDGETS; budget++) {
            kanon__random random;
            kanon__random_init(&random, ++seed, 3);
            question q = ask(seed, (int)kanon__random_below(&random, N_MODELS), entity, budget);
            for (int blocks = 0; blocks < N_BLOCKS; blocks++)
                for (int recode = 0; recode < 2; recode++) {
                    static const char *const few[] = {"3", "100000"};
                    kanon_setting checks = {"max-checks", few[kanon__random_below(&random, 2)]};
                    bool maps = strcmp(algorithm, "full-domain") == 0 || strcmp(algorithm, "attribute-cut") == 0;
                    kanon_options options = {.struct_size = sizeof options,
                                             .algorithm = algorithm,
                                             .settings = &checks,
                                             .n_settings = maps ? 1 : 0,
                                             .recode = recode == 0 ? KANON_RECODE_RECORD : KANON_RECODE_ATTRIBUTE,
                                             .blocks = blocks == 0   ? KANON_BLOCKS_NONE
                                                       : blocks == 1 ? q.k
                                                                     : 2 * q.k + 1,
                                             .seed = seed,
                                             .threads = 1};
                    char what[200];
                    snprintf(what, sizeof what, "%s, seed %d, model %d, entity %d, budget %d, blocks %d, recode %d",
                             algorithm, (int)seed, q.model, entity, budget, blocks, recode);
                    run_one(&q, &options, what, n_done);
                }
            kanon_table_free(q.table);
        }
}

static void every_combination_keeps_what_is_required(void **state)
{
    uint64_t seed = 100000 * test_seed();
    int n_done = 0;
    (void)state;
    for (size_t i = 0; i < kanon_catalogue_count(KANON_CATALOGUE_ALGORITHM); i++)
        run_algorithm(kanon_catalogue_at(KANON_CATALOGUE_ALGORITHM, i)->name, seed + 1000 * i, &n_done);
    print_message("%d groupings\n", n_done);
    assert_true(n_done > 500);
}

/* The mappings have fewer combinations in the test above, and fail in more ways. */
static void mappings_keep_what_is_required(void **state)
{
    uint64_t seed = 100000 * test_seed() + 50000;
    int n_done = 0;
    (void)state;
    for (uint64_t i = 0; i < 20; i++)
        run_algorithm(i % 2 == 0 ? "full-domain" : "attribute-cut", seed + 1000 * i, &n_done);
    assert_true(n_done > 500);
}

/* ---- brute force --------------------------------------------------------------------------------------------------- */

/* Whether every group also satisfies the constraint in the table that is released, which lacks the suppressed records. */
static bool holds_released(const question *q, const int *expected)
{
    int64_t group[MOST_ROWS], n_groups = 0;
    for (int i = 0; i < q->n; i++) {
        group[i] = expected[i] == REF_SUPPRESSED ? 0 : expected[i] + 1;
        n_groups = group[i] > n_groups ? group[i] : n_groups;
    }
    for (int64_t g = 1; g <= n_groups; g++)
        if (!group_holds(q, group, g, RELEASED))
            return false;
    return true;
}

/* full-domain finds a mapping where one of all combinations of levels is within the budget, and that which loses least; if
 * that does not hold without the suppressed records, none is suppressed. */
static void full_domain_is_that_of_all_mappings(void **state)
{
    uint64_t first = 100000 * test_seed() + 90000;
    int n_compared = 0;
    (void)state;
    for (uint64_t seed = first; seed < first + 60; seed++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_grouping *g = NULL;
        ref_settings settings;
        question q = ask(seed, (int)(seed % N_MODELS), (int)(seed / 5 % 2), (int)(seed / 10 % N_BUDGETS));
        kanon_options options = {
            .struct_size = sizeof options, .algorithm = "full-domain", .recode = KANON_RECODE_ATTRIBUTE, .threads = 1};
        kanon_status st = kanon_anonymize(&g, q.table, &options, &err);
        assert_true(ref_settings_init(&settings, "full-domain"));
        settings.most_suppressed = budgets[q.budget].percent > 0 ? budgets[q.budget].percent * q.n / 100 : 0;
        settings.constraints = q.model > 0 || q.entity > 0 ? q.table : NULL;
        if (st == KANON_OK) {
            int *expected = ref_run(q.table, "full-domain", q.k, 0, &settings);
            if (!holds_released(&q, expected)) {
                free(expected);
                settings.most_suppressed = 0;
                expected = ref_run(q.table, "full-domain", q.k, 0, &settings);
            }
            for (int i = 0; i < q.n; i++)
                if (kanon_grouping_group_of(g, i) != (expected[i] == REF_SUPPRESSED ? 0 : expected[i] + 1))
                    fail_msg("seed %d: record %d is in group %d, not %d", (int)seed, i + 1,
                             (int)kanon_grouping_group_of(g, i), expected[i] + 1);
            free(expected);
            n_compared++;
        } else if (st != KANON_EINFEASIBLE || is_possible(&q)) {
            fail_msg("seed %d: %s", (int)seed, err.message);
        }
        kanon_grouping_free(g);
        kanon_table_free(q.table);
    }
    assert_true(n_compared > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_combination_keeps_what_is_required),
        cmocka_unit_test(mappings_keep_what_is_required),
        cmocka_unit_test(full_domain_is_that_of_all_mappings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
