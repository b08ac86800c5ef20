/* Every algorithm of the table against every invariant. A new algorithm gets all of this by its row alone. */
#include "algorithms/algorithm.h"
#include "core/alloc.h"
#include "core/random.h"
#include "core/ticker.h"
#include "pipeline/released_notice.h"
#include "pipeline/requirements.h"
#include "refine/refinement.h"
#include "support.h"
#include "table/read/table.h"

#include <math.h>

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static const char full_yaml[] =
    "missing: [\"?\"]\n"
    "attributes:\n"
    "  id: {role: identifying}\n"
    "  age: {role: quasi, type: integer}\n"
    "  zip: {role: quasi, type: categorical, mask: right}\n"
    "  job: {role: quasi, taxonomy: {Work: {cook: , baker: , smith: }, Home: {none: , retired: }}}\n"
    "  pay: {role: quasi, type: decimal, weight: 0.5, ends: drawn}\n"
    "  day: {role: quasi, type: date}\n"
    "  ill: {role: sensitive, taxonomy: {Cancer: , Viral: {HIV: , Flu: }}}\n"
    "  cost: {role: sensitive, type: integer, permute: true}\n"
    "  note: {role: insensitive}\n";

static const char one_attribute_yaml[] = "missing: [\"?\"]\n"
                                         "default-role: insensitive\n"
                                         "attributes:\n"
                                         "  age: {role: quasi, type: integer}\n"
                                         "  ill: {role: sensitive}\n";

static const char unsensitive_yaml[] = "missing: [\"?\"]\n"
                                       "default-role: insensitive\n"
                                       "attributes:\n"
                                       "  age: {role: quasi, type: integer}\n"
                                       "  job: {role: quasi}\n";

typedef struct record {
    int64_t age, zip, job, pay, day, ill, cost;
} record;

static record random_record(kanon__random *random)
{
    return (record){.age = 15 + kanon__random_below(random, 80),
                    .zip = 75000 + kanon__random_below(random, 300),
                    .job = kanon__random_below(random, 5),
                    .pay = kanon__random_below(random, 20000),
                    .day = kanon__random_below(random, 28),
                    .ill = kanon__random_below(random, 3),
                    .cost = kanon__random_below(random, 1000)};
}

typedef void (*shaper)(record *r, bool missing[7], int64_t row, kanon__random *random);

static void shape_mixed(record *r, bool missing[7], int64_t row, kanon__random *random)
{
    (void)r, (void)missing, (void)row, (void)random;
}

static void shape_equal(record *r, bool missing[7], int64_t row, kanon__random *random)
{
    (void)missing, (void)row, (void)random;
    *r = (record){.age = 40, .zip = 75275, .day = 3};
}

static void shape_distinct(record *r, bool missing[7], int64_t row, kanon__random *random)
{
    (void)missing, (void)random;
    *r = (record){
        .age = row, .zip = 10000 + row, .job = row % 5, .pay = 7 * row, .day = row % 28, .ill = row % 3, .cost = row};
}

static void shape_constant_columns(record *r, bool missing[7], int64_t row, kanon__random *random)
{
    (void)missing, (void)row, (void)random;
    r->age = 40;
    r->job = 2;
    r->day = 5;
    r->ill = 1;
}

static void shape_missing(record *r, bool missing[7], int64_t row, kanon__random *random)
{
    (void)r, (void)row;
    for (int i = 0; i < 7; i++)
        missing[i] = kanon__random_below(random, 10) < 3;
}

static void shape_only_missing(record *r, bool missing[7], int64_t row, kanon__random *random)
{
    (void)r, (void)row, (void)random;
    missing[0] = missing[2] = missing[5] = true;
}

/* Three tuples, each many times. */
static void shape_ties(record *r, bool missing[7], int64_t row, kanon__random *random)
{
    (void)missing, (void)random;
    int64_t kind = row % 7 % 3;
    *r = (record){.age = 20 + 10 * kind,
                  .zip = 75000 + kind,
                  .job = kind,
                  .pay = 100 * kind,
                  .day = kind,
                  .ill = row % 3,
                  .cost = row % 2};
}

static void shape_outlier(record *r, bool missing[7], int64_t row, kanon__random *random)
{
    (void)missing, (void)random;
    r->age = row == 0 ? 2000000000 : r->age % 5;
    r->pay = row == 1 ? -1000000000 : r->pay;
}

static const struct shape {
    const char *name, *yaml;
    shaper shaper;
} shapes[] = {
    {"mixed", full_yaml, shape_mixed},
    {"equal rows", full_yaml, shape_equal},
    {"distinct rows", full_yaml, shape_distinct},
    {"constant columns", full_yaml, shape_constant_columns},
    {"missing values", full_yaml, shape_missing},
    {"missing columns", full_yaml, shape_only_missing},
    {"ties", full_yaml, shape_ties},
    {"outliers", full_yaml, shape_outlier},
    {"one attribute", one_attribute_yaml, shape_mixed},
    {"one attribute, ties", one_attribute_yaml, shape_ties},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static kanon_table *make_table(const char *yaml, shaper shape, int64_t n)
{
    static const char *const jobs[] = {"cook", "baker", "smith", "none", "retired"}, *const ills[] = {"Cancer", "HIV",
                                                                                                      "Flu"};
    kanon__random random;
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    place schema_path = scratch("s.yaml"), table_path = scratch("t.csv");
    kanon__random_init(&random, 11, (uint64_t)n);
    write_text(schema_path.text, yaml);
    FILE *file = fopen(table_path.text, "wb");
    assert_non_null(file);
    fprintf(file, "id,age,zip,job,pay,day,ill,cost,note\n");
    for (int64_t row = 0; row < n; row++) {
        record r = random_record(&random);
        bool missing[7] = {false};
        char cells[7][32];
        shape(&r, missing, row, &random);
        snprintf(cells[0], sizeof cells[0], "%lld", (long long)r.age);
        snprintf(cells[1], sizeof cells[1], "%05lld", (long long)r.zip);
        snprintf(cells[2], sizeof cells[2], "%s", jobs[r.job]);
        snprintf(cells[3], sizeof cells[3], "%s%lld.%02d", r.pay < 0 ? "-" : "", llabs(r.pay) / 100,
                 (int)(llabs(r.pay) % 100));
        snprintf(cells[4], sizeof cells[4], "2020-02-%02d", (int)(r.day % 28) + 1);
        snprintf(cells[5], sizeof cells[5], "%s", ills[r.ill]);
        snprintf(cells[6], sizeof cells[6], "%lld", (long long)r.cost);
        fprintf(file, "i%lld", (long long)row);
        for (int i = 0; i < 7; i++)
            fprintf(file, ",%s", missing[i] ? "?" : cells[i]);
        fprintf(file, ",n\n");
    }
    assert_int_equal(fclose(file), 0);
    assert_done(kanon_schema_read(&schema, KANON_PATH(schema_path.text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(table_path.text), schema, NULL, &err), &err);
    kanon_schema_free(schema);
    return table;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

typedef struct asked {
    int64_t k;
    uint64_t seed;
    int threads;
    const char *setting, *value, *refine;
    kanon_tick tick;
    void *payload;
} asked;

static kanon_status run(kanon_grouping **out, const kanon_entry *algorithm, const kanon_table *table, asked is,
                        kanon_error *err)
{
    kanon_setting setting = {is.setting, is.value};
    kanon_options options = {.struct_size = sizeof options,
                             .k = is.k,
                             .algorithm = algorithm->name,
                             .settings = &setting,
                             .n_settings = is.setting != NULL,
                             .seed = is.seed,
                             .threads = is.threads,
                             .tick = is.tick,
                             .payload = is.payload,
                             .refine = is.refine};
    *out = (kanon_grouping *)&options; /* must be overwritten */
    *err = (kanon_error)KANON_INIT(kanon_error);
    kanon_status st = kanon_anonymize(out, table, &options, err);
    if (st != KANON_OK) {
        assert_null(*out);
        assert_int_equal(err->status, st);
        assert_true(err->message[0] != '\0');
    }
    return st;
}

/* What holds of every result: counted here, from the group numbers alone. */
static void assert_sound(const kanon_grouping *grouping, const kanon_table *table, int64_t k)
{
    const kanon_grouping_info *said = kanon_grouping_describe(grouping);
    int64_t n = kanon_table_rows(table), n_groups = said->groups, suppressed = 0, smallest = INT64_MAX;
    int64_t *sizes = calloc((size_t)n_groups + 1, sizeof *sizes);
    assert_non_null(sizes);
    assert_int_equal(said->rows, n);
    for (int64_t row = 0; row < n; row++) {
        int64_t group = kanon_grouping_group_of(grouping, row);
        assert_true(group >= 0 && group <= n_groups);
        suppressed += group == 0;
        sizes[group]++;
    }
    for (int64_t group = 1; group <= n_groups; group++) {
        assert_true(sizes[group] >= k);
        smallest = sizes[group] < smallest ? sizes[group] : smallest;
    }
    assert_int_equal(said->suppressed, suppressed);
    assert_int_equal(said->smallest, n_groups > 0 ? smallest : 0);
    free(sizes);
}

static kanon_grouping *run_well(const kanon_entry *algorithm, const kanon_table *table, asked is)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(run(&grouping, algorithm, table, is, &err), &err);
    assert_sound(grouping, table, is.k);
    return grouping;
}

static void assert_same_groups(const kanon_grouping *one, const kanon_grouping *other)
{
    assert_int_equal(kanon_grouping_describe(one)->groups, kanon_grouping_describe(other)->groups);
    for (int64_t row = 0; row < kanon_grouping_describe(one)->rows; row++)
        assert_int_equal(kanon_grouping_group_of(one, row), kanon_grouping_group_of(other, row));
}

/* One algorithm and one invariant. */
typedef struct pairing {
    const kanon_entry *algorithm;
    const struct invariant *invariant;
} pairing;

/* A test that fails leaves its tables behind; from then on leaks say nothing about the library. */
static int n_begun, n_ended;

static void assert_library_is_clean(void)
{
    if (n_begun == n_ended + 1)
        assert_no_leak();
}

/* ---- invariants -------------------------------------------------------------------------------------------------- */

static void has_a_row_for_people(const kanon_entry *a)
{
    assert_true(a->name != NULL && a->name[0] != '\0' && strlen(a->name) < 40);
    assert_true(a->brief != NULL && strchr(a->brief, '\n') == NULL);
    assert_true(a->more != NULL && strlen(a->more) > 20);
    assert_true(a->source != NULL && a->source[0] != '\0');
    assert_true(a->revision >= 1);
    assert_ptr_equal(kanon_catalogue_find(KANON_CATALOGUE_ALGORITHM, a->name), a);
    const kanon_setting_info *info;
    for (size_t i = 0; (info = kanon_entry_setting(a, i)) != NULL; i++) {
        assert_true(info->name != NULL && info->help != NULL);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(info->name, kanon_entry_setting(a, j)->name);
    }
}

static void refuses_too_few_records(const kanon_entry *a)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    static const int64_t cases[][2] = {{1, 2}, {1, 5}, {4, 5}, {19, 20}}; /* n, k */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kanon_table *table = make_table(full_yaml, shape_mixed, cases[i][0]);
        assert_int_equal(run(&grouping, a, table, (asked){.k = cases[i][1]}, &err), KANON_EINFEASIBLE);
        kanon_table_free(table);
    }
}

static void refuses_senseless_k(const kanon_entry *a)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = make_table(full_yaml, shape_mixed, 10);
    assert_int_equal(run(&grouping, a, table, (asked){.k = 0}, &err), KANON_EINVAL); /* nothing said, nor in the schema */
    assert_int_equal(run(&grouping, a, table, (asked){.k = 1}, &err), KANON_EINVAL);
    assert_int_equal(run(&grouping, a, table, (asked){.k = -3}, &err), KANON_EINVAL);
    kanon_table_free(table);
}

static void groups_every_shape(const kanon_entry *a)
{
    static const int64_t ks[] = {2, 5};
    for (int shape = 0; shape < N_SHAPES; shape++)
        for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
            int64_t k = ks[i], sizes[] = {k, 2 * k - 1, 2 * k, shape == 0 && k == 5 ? 1000 : 150};
            for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
                print_message("%s, n = %lld, k = %lld\n", shapes[shape].name, (long long)sizes[j], (long long)k);
                kanon_table *table = make_table(shapes[shape].yaml, shapes[shape].shaper, sizes[j]);
                kanon_grouping_free(run_well(a, table, (asked){.k = k, .seed = 3}));
                kanon_table_free(table);
            }
        }
}

static void groups_all_rows_for_the_largest_k(const kanon_entry *a)
{
    kanon_table *table = make_table(full_yaml, shape_mixed, 24);
    for (int64_t k = 11; k <= 24; k += 4)
        kanon_grouping_free(run_well(a, table, (asked){.k = k}));
    kanon_table_free(table);
}

static void says_when_it_needs_a_sensitive_attribute(const kanon_entry *a)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = make_table(unsensitive_yaml, shape_mixed, 50);
    kanon_status st = run(&grouping, a, table, (asked){.k = 5}, &err);
    if (st == KANON_EINVAL)
        assert_holds(err.message, "sensitive");
    else
        assert_done(st, &err);
    if (st == KANON_OK)
        assert_sound(grouping, table, 5);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static void does_not_depend_on_threads(const kanon_entry *a)
{
    static const int threads[] = {2, 8, 0};
    for (int shape = 0; shape < N_SHAPES; shape += 4) {
        kanon_table *table = make_table(shapes[shape].yaml, shapes[shape].shaper, shape == 0 ? 500 : 150);
        kanon_grouping *alone = run_well(a, table, (asked){.k = 4, .seed = 5, .threads = 1});
        for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
            kanon_grouping *together = run_well(a, table, (asked){.k = 4, .seed = 5, .threads = threads[i]});
            assert_same_groups(alone, together);
            kanon_grouping_free(together);
        }
        kanon_grouping_free(alone);
        kanon_table_free(table);
    }
}

static const char asking_yaml[] = "default-role: insensitive\n"
                                  "attributes:\n"
                                  "  age: {role: quasi, type: integer}\n"
                                  "  day: {role: quasi, type: date}\n"
                                  "  ill: {role: sensitive}\n"
                                  "  cost: {role: sensitive, type: integer}\n"
                                  "privacy:\n"
                                  "  constraints: [{model: distinct-l-diversity, attribute: ill, l: 3},\n"
                                  "                {model: t-closeness, attribute: cost, t: 0.9}]\n";

/* What a step after the algorithm takes; where constraints are asked for, groups of two break them. */
typedef struct later_step {
    const char *refine, *yaml;
    int64_t n, k;
} later_step;

static int64_t foreseen_after(const later_step *is, const kanon_table *table, const kanon_entry *first)
{
    const kanon__refinement *r = kanon__refinement_find(is->refine);
    kanon__settings settings = {0};
    kanon__constraints *constraints = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    int64_t most = kanon__algorithm_need(kanon__algorithm_find(first->name), is->n, table->data.n_quasi), bytes = 0;
    assert_done(kanon__constraints_new(&constraints, &table->data, &table->policy, is->k, &err), &err);
    if (r != NULL) {
        assert_done(kanon__settings_init(&settings, &r->info, NULL, 0, &err), &err);
        bytes = r->need(&settings, &table->data, constraints, is->k, 1);
    }
    most = bytes > most ? bytes : most;
    bytes = kanon__requirements_need(&table->data, constraints,
                                     kanon__fraction_of(table->policy.suppress, table->data.n_rows), is->k);
    kanon__constraints_free(constraints);
    kanon__settings_clear(&settings);
    most = bytes > most ? bytes : most;
    bytes = kanon__released_notice_need(&table->data);
    return bytes > most ? bytes : most;
}

/* The tables of what two categories, or runs of them, cost; they belong to the table's own figure. */
static int64_t pair_tables(const kanon_table *t)
{
    int64_t bytes = 0;
    for (int i = 0; i < t->data.n_quasi; i++) {
        const kanon__column *c = &t->data.columns[t->data.quasi[i]];
        int64_t n = c->domain->n_codes, levels = 0;
        while (n >> levels > 0)
            levels++;
        if (c->domain->taxonomy != NULL && n <= KANON__STEP_TABLE_LEAVES)
            bytes += n * (n <= KANON__PAIR_TABLE_LEAVES ? n : levels) * (int64_t)sizeof(uint32_t);
    }
    return bytes;
}

/* On records that all differ; 400 of them have categories few enough for the search's cost tables. */
static void memory_after_the_algorithm_is_foreseen(void)
{
    enum { SLACK = 50000 };
    static const later_step steps[] = {{"search", full_yaml, 1001, 2},
                                       {"search", full_yaml, 1001, 8},
                                       {"search", full_yaml, 1001, 32},
                                       {"search", full_yaml, 400, 5},
                                       {"il-optimization", full_yaml, 1001, 2},
                                       {"il-optimization", full_yaml, 1001, 8},
                                       {"il-optimization", asking_yaml, 1001, 2},
                                       {"none", asking_yaml, 1001, 2}};
    const kanon_entry *first = kanon_catalogue_find(KANON_CATALOGUE_ALGORITHM, "mondrian");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        kanon_table *table = make_table(steps[i].yaml, shape_distinct, steps[i].n);
        int64_t foreseen = foreseen_after(&steps[i], table, first), own = pair_tables(table);
        kanon__alloc_peak(true);
        int64_t before = kanon__alloc_in_use();
        kanon_grouping_free(
            run_well(first, table, (asked){.k = steps[i].k, .seed = 3, .threads = 1, .refine = steps[i].refine}));
        int64_t used = kanon__alloc_peak(false) - before - own;
        print_message("%s, k %lld: %lld bytes a record, foreseen %lld\n", steps[i].refine, (long long)steps[i].k,
                      (long long)(used / steps[i].n), (long long)(foreseen / steps[i].n));
        kanon_table_free(table);
        assert_true(used <= foreseen + SLACK);
        assert_true(used * 3 > foreseen);
    }
}

/* A short search takes memory, and one that makes no moves takes nothing: that of a large table. */
static void no_search_takes_no_memory(void)
{
    const kanon__refinement *search = kanon__refinement_find("search");
    const kanon_setting no_effort = {"effort", "fast"};
    kanon__settings fast = {0};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = make_table(full_yaml, shape_distinct, 100);
    assert_done(kanon__settings_init(&fast, &search->info, &no_effort, 1, &err), &err);
    assert_true(search->need(&fast, &table->data, NULL, 5, 1) > 0);
    table->data.n_rows = 300001; /* only counted, never read */
    assert_int_equal(search->need(&fast, &table->data, NULL, 5, 1), 0);
    table->data.n_rows = 100;
    kanon__settings_clear(&fast);
    kanon_table_free(table);
}

/* What --memory relies on: a run takes at most what its row of the table foresees, and not much less, or tables that would
 * fit are refused. */
static void memory_is_foreseen(const kanon_entry *a)
{
    enum { SLACK = 50000 };
    static const struct {
        int shape;
        int64_t n, k;
    } cases[] = {{2, 1001, 2}, {6, 1001, 5}}; /* with a record left over */
    int64_t most_used = 0;
    if (a == kanon_catalogue_at(KANON_CATALOGUE_ALGORITHM, 0)) {
        memory_after_the_algorithm_is_foreseen();
        no_search_takes_no_memory();
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kanon_table *table = make_table(shapes[cases[i].shape].yaml, shapes[cases[i].shape].shaper, cases[i].n);
        kanon__alloc_peak(true);
        int64_t before = kanon__alloc_in_use(),
                foreseen = kanon__algorithm_need(kanon__algorithm_find(a->name), cases[i].n, table->data.n_quasi),
                notice = kanon__released_notice_need(&table->data),
                own = pair_tables(table);
        kanon_grouping_free(run_well(a, table, (asked){.k = cases[i].k, .seed = 3, .threads = 1, .refine = "none"}));
        int64_t used = kanon__alloc_peak(false) - before - own;
        foreseen = notice > foreseen ? notice : foreseen;
        print_message("%s: %lld bytes a record, foreseen %lld\n", shapes[cases[i].shape].name,
                      (long long)(used / cases[i].n), (long long)(foreseen / cases[i].n));
        kanon_table_free(table);
        assert_true(used <= foreseen + SLACK);
        most_used = used * 100 / foreseen > most_used ? used * 100 / foreseen : most_used;
    }
    assert_true(most_used > 33);
}

static void same_seed_same_groups(const kanon_entry *a)
{
    static const uint64_t seeds[] = {0, 1, KANON_SEED_MAX};
    kanon_table *table = make_table(full_yaml, shape_mixed, 300), *again = NULL;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        kanon_grouping *one = run_well(a, table, (asked){.k = 3, .seed = seeds[i]});
        again = make_table(full_yaml, shape_mixed, 300);
        kanon_grouping *other = run_well(a, again, (asked){.k = 3, .seed = seeds[i]});
        assert_same_groups(one, other);
        kanon_grouping_free(other);
        kanon_grouping_free(one);
        kanon_table_free(again);
    }
    kanon_table_free(table);
}

/* ---- cancelling -------------------------------------------------------------------------------------------------- */

typedef struct ticks {
    int n, stop_at;
    bool beyond; /* more was done than there is */
} ticks;

static int stop_tick(const kanon_progress *progress, void *payload)
{
    ticks *t = payload;
    t->beyond = t->beyond || progress->done < 0 || (progress->total > 0 && progress->done > progress->total);
    return ++t->n == t->stop_at;
}

/* The algorithm with ticks at every look at the clock; their number is in `t`. */
static kanon_status run_ticking(const kanon_entry *a, const kanon_table *table, ticks *t)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon__ticker_step(KANON__STEP_OF_A_TICK);
    asked wanted = {.k = 5, .threads = 1, .refine = "none", .tick = stop_tick, .payload = t};
    kanon_status st = run(&grouping, a, table, wanted, &err);
    kanon__ticker_step(0);
    kanon_grouping_free(grouping);
    return st;
}

/* At the first tick, one in the middle, and the last. */
static void can_be_cancelled(const kanon_entry *a)
{
    ticks t = {0};
    kanon_table *table = make_table(full_yaml, shape_mixed, 300);
    assert_int_equal(run_ticking(a, table, &t), KANON_OK);
    int n = t.n, places[] = {1, 1 + n / 2, n};
    assert_true(n > 0);
    assert_false(t.beyond);
    for (int i = 0; i < 3; i++) {
        t = (ticks){.stop_at = places[i]};
        assert_int_equal(run_ticking(a, table, &t), KANON_ECANCELLED);
        assert_int_equal(t.n, places[i]);
    }
    kanon_table_free(table);
    assert_library_is_clean();
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void fail_every_allocation(const kanon_entry *a, const kanon_table *table, int threads, const char *refine)
{
    asked wanted = {.k = 2, .threads = threads, .refine = refine};
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon__alloc_fail_at(0, false);
    kanon_grouping_free(run_well(a, table, wanted));
    int64_t n = kanon__alloc_count(), step = 1 + n / 150; /* the same places come again and again */
    assert_true(n > 0);
    for (int64_t i = 1; i <= n; i += step)
        for (int all_after = 0; all_after < 2; all_after++) {
            kanon__alloc_fail_at(i, all_after);
            kanon_status st = run(&grouping, a, table, wanted, &err);
            bool reached = kanon__alloc_count() >= i;
            kanon__alloc_fail_at(0, false);
            assert_int_equal(st, reached ? KANON_ENOMEM : KANON_OK);
            kanon_grouping_free(grouping);
        }
    assert_library_is_clean();
}

static void survives_every_failing_allocation(const kanon_entry *a)
{
    kanon_table *table = make_table(full_yaml, shape_missing, 8);
    fail_every_allocation(a, table, 1, NULL);
    fail_every_allocation(a, table, 2, NULL);
    const kanon_entry *refinement;
    bool first = a == kanon_catalogue_at(KANON_CATALOGUE_ALGORITHM, 0);
    for (size_t i = 0; first && (refinement = kanon_catalogue_at(KANON_CATALOGUE_REFINEMENT, i)) != NULL; i++)
        fail_every_allocation(a, table, 1, refinement->name);
    kanon_table_free(table);
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static void assert_setting(const kanon_entry *a, const kanon_setting_info *info, const char *value, bool good)
{
    kanon_setting given = {info->name, value};
    kanon__settings settings = {0};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = kanon__settings_init(&settings, &kanon__algorithm_find(a->name)->info, &given, 1, &err);
    if (st != (good ? KANON_OK : KANON_EINVAL))
        fail_msg("%s=%s: %s", info->name, value, kanon_enum_text(KANON_ENUM_STATUS, st));
    kanon__settings_clear(&settings);
    if (good)
        return;
    assert_holds(err.message, info->name);
    assert_true(err.hint[0] != '\0');
    kanon_grouping *grouping = NULL;
    kanon_table *table = make_table(full_yaml, shape_mixed, 20); /* and the same through the front door */
    assert_int_equal(run(&grouping, a, table, (asked){.k = 2, .setting = info->name, .value = value}, &err), KANON_EINVAL);
    kanon_table_free(table);
}

static void print_value(char out[40], const kanon_setting_info *info, double value)
{
    snprintf(out, 40, info->type == KANON_SETTING_INTEGER ? "%.0f" : "%.10g", value);
}

static void check_range(const kanon_entry *a, const kanon_setting_info *info)
{
    char text[40];
    static const char *const nonsense[] = {"", "x", "1x", "nan", "inf", "0x10", "1,5", "--1", "true"};
    assert_true(info->min <= info->max);
    print_value(text, info, info->min);
    assert_setting(a, info, text, true);
    print_value(text, info, info->max);
    assert_setting(a, info, text, true);
    print_value(text, info, info->min - (info->type == KANON_SETTING_INTEGER ? 1 : 1e-3 * (fabs(info->min) + 1)));
    assert_setting(a, info, text, false);
    print_value(text, info, info->max + (info->type == KANON_SETTING_INTEGER ? 1 : 1e-3 * (fabs(info->max) + 1)));
    assert_setting(a, info, text, info->max > 1e15);
    if (info->type == KANON_SETTING_INTEGER)
        assert_setting(a, info, "1.5", false);
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++)
        assert_setting(a, info, nonsense[i], false);
}

/* The i-th word of "strict|relaxed"; false past the last. */
static bool word(char out[40], const char *words, int i)
{
    for (; i > 0; i--) {
        words = strchr(words, '|');
        if (words == NULL)
            return false;
        words++;
    }
    snprintf(out, 40, "%.*s", (int)strcspn(words, "|"), words);
    return true;
}

static void check_words(const kanon_entry *a, const kanon_setting_info *info, const char *words)
{
    char text[40];
    for (int i = 0; word(text, words, i); i++)
        assert_setting(a, info, text, true);
    const char *const nonsense[] = {"", "nonsense", "|", "1", "TRUE", words};
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++)
        assert_setting(a, info, nonsense[i], false);
}

static void checks_its_settings(const kanon_entry *a)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *grouping = NULL;
    kanon_table *table = make_table(full_yaml, shape_mixed, 60);
    kanon_grouping *plain = run_well(a, table, (asked){.k = 3});
    assert_int_equal(run(&grouping, a, table, (asked){.k = 3, .setting = "no-such-setting", .value = "1"}, &err),
                     KANON_EINVAL);
    assert_holds(err.message, "no-such-setting");
    const kanon_setting_info *info;
    for (size_t i = 0; (info = kanon_entry_setting(a, i)) != NULL; i++) {
        if (info->type == KANON_SETTING_INTEGER || info->type == KANON_SETTING_NUMBER)
            check_range(a, info);
        else
            check_words(a, info, info->type == KANON_SETTING_FLAG ? "true|false" : info->choices);
        if (info->default_value == NULL)
            continue;
        assert_setting(a, info, info->default_value, true);
        grouping = run_well(a, table, (asked){.k = 3, .setting = info->name, .value = info->default_value});
        assert_same_groups(plain, grouping);
        kanon_grouping_free(grouping);
    }
    kanon_grouping_free(plain);
    kanon_table_free(table);
}

/* The ends of every range, on a table on which they may make no sense: refused, or sound. */
static void try_setting(const kanon_entry *a, const kanon_table *table, const char *name, const char *value)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    ticks patience = {.stop_at = 2000};
    asked wanted = {.k = 3, .setting = name, .value = value, .tick = stop_tick, .payload = &patience};
    kanon__ticker_step(KANON__STEP_OF_A_TICK);
    kanon_status st = run(&grouping, a, table, wanted, &err);
    kanon__ticker_step(0);
    if (st == KANON_OK)
        assert_sound(grouping, table, 3);
    else if (st != KANON_EINVAL && st != KANON_EINFEASIBLE && st != KANON_ECANCELLED)
        fail_msg("%s=%s: %s: %s", name, value, kanon_enum_text(KANON_ENUM_STATUS, st), err.message);
    kanon_grouping_free(grouping);
}

static void is_sound_with_every_setting(const kanon_entry *a)
{
    char text[40];
    const kanon_setting_info *info;
    for (int shape = 0; shape < N_SHAPES; shape += 2) {
        kanon_table *table = make_table(shapes[shape].yaml, shapes[shape].shaper, 25);
        for (size_t i = 0; (info = kanon_entry_setting(a, i)) != NULL; i++) {
            if (info->type == KANON_SETTING_INTEGER || info->type == KANON_SETTING_NUMBER) {
                print_value(text, info, info->min);
                try_setting(a, table, info->name, text);
                print_value(text, info, info->max);
                try_setting(a, table, info->name, text);
                continue;
            }
            const char *words = info->type == KANON_SETTING_FLAG ? "true|false" : info->choices;
            for (int j = 0; word(text, words, j); j++)
                try_setting(a, table, info->name, text);
        }
        kanon_table_free(table);
    }
}

/* ---- refinements ------------------------------------------------------------------------------------------------- */

static double loss_of(const kanon_table *table, const kanon_grouping *grouping)
{
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_evaluate(&measures, table, grouping, NULL, &err), &err);
    double loss = kanon_measures_find(measures, "information_loss", NULL)->value;
    kanon_measures_free(measures);
    return loss;
}

/* Whatever follows the algorithm: sound groups, no more loss than before, whichever number of threads. */
static void gets_no_worse_by_refining(const kanon_entry *a)
{
    kanon_grouping *refused = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    for (int shape = 0; shape < N_SHAPES; shape++) {
        kanon_table *table = make_table(shapes[shape].yaml, shapes[shape].shaper, 60);
        kanon_grouping *plain = run_well(a, table, (asked){.k = 3, .seed = 2, .refine = "none"});
        assert_int_equal(run(&refused, a, table, (asked){.k = 3, .refine = "no-such-refinement"}, &err), KANON_EINVAL);
        for (size_t i = 0; i < kanon_catalogue_count(KANON_CATALOGUE_REFINEMENT); i++) {
            const char *refine = kanon_catalogue_at(KANON_CATALOGUE_REFINEMENT, i)->name;
            kanon_grouping *one = run_well(a, table, (asked){.k = 3, .seed = 2, .refine = refine, .threads = 1});
            kanon_grouping *other = run_well(a, table, (asked){.k = 3, .seed = 2, .refine = refine, .threads = 8});
            assert_same_groups(one, other);
            assert_true(loss_of(table, one) <= loss_of(table, plain) * (1 + 1e-12));
            kanon_grouping_free(other);
            kanon_grouping_free(one);
        }
        kanon_grouping_free(plain);
        kanon_table_free(table);
    }
}

/* ---- from end to end --------------------------------------------------------------------------------------------- */

static void release_holds_its_k(const kanon_entry *a)
{
    enum { N = 200, K = 4 };
    place release = scratch("release.csv"), schema_path = scratch("s.yaml");
    kanon_error err = KANON_INIT(kanon_error);
    for (int shape = 0; shape < N_SHAPES; shape++) {
        kanon_schema *schema = NULL;
        kanon_check *check = NULL;
        kanon_measures *measures = NULL;
        print_message("%s\n", shapes[shape].name);
        kanon_table *table = make_table(shapes[shape].yaml, shapes[shape].shaper, N);
        kanon_grouping *grouping = run_well(a, table, (asked){.k = K, .seed = 1});
        kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
        assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
        assert_done(kanon_schema_read(&schema, KANON_PATH(schema_path.text), NULL, &err), &err);
        assert_done(kanon_check_read(&check, KANON_PATH(release.text), schema, NULL, &err), &err);
        assert_int_equal(check->records, N - kanon_grouping_describe(grouping)->suppressed);
        assert_int_equal(check->identifying_columns, 0);
        if (kanon_grouping_describe(grouping)->suppressed == 0) /* what is general everywhere looks suppressed */
            assert_true(check->suppressed == 0 || check->suppressed >= K);
        assert_true(check->k >= K || check->suppressed == N);
        assert_done(kanon_evaluate(&measures, table, grouping, NULL, &err), &err);
        double loss = kanon_measures_find(measures, "avg_loss", NULL)->value;
        assert_true(loss >= 0 && loss <= 1);
        kanon_measures_free(measures);
        kanon_check_free(check);
        kanon_schema_free(schema);
        kanon_grouping_free(grouping);
        kanon_table_free(table);
    }
}

static const struct invariant {
    const char *name;
    void (*test)(const kanon_entry *algorithm);
} invariants[] = {
    {"has a row for people", has_a_row_for_people},
    {"refuses too few records", refuses_too_few_records},
    {"refuses a senseless k", refuses_senseless_k},
    {"groups every shape", groups_every_shape},
    {"groups all rows for the largest k", groups_all_rows_for_the_largest_k},
    {"says when it needs a sensitive attribute", says_when_it_needs_a_sensitive_attribute},
    {"does not depend on threads", does_not_depend_on_threads},
    {"same seed, same groups", same_seed_same_groups},
    {"memory is foreseen", memory_is_foreseen},
    {"can be cancelled", can_be_cancelled},
    {"survives every failing allocation", survives_every_failing_allocation},
    {"checks its settings", checks_its_settings},
    {"is sound with every setting", is_sound_with_every_setting},
    {"gets no worse by refining", gets_no_worse_by_refining},
    {"release holds its k", release_holds_its_k},
};
enum { N_INVARIANTS = sizeof invariants / sizeof *invariants };

static void hold(void **state)
{
    const pairing *p = *state;
    n_begun++;
    p->invariant->test(p->algorithm);
    n_ended++;
}

/* test_conformance [PATTERN]: only the tests whose names match, such as 'mondrian: *'. */
int main(int argc, char **argv)
{
    size_t n = kanon_catalogue_count(KANON_CATALOGUE_ALGORITHM) * N_INVARIANTS;
    struct CMUnitTest *tests = calloc(n, sizeof *tests);
    pairing *pairings = calloc(n, sizeof *pairings);
    char(*names)[120] = calloc(n, sizeof *names);
    if (tests == NULL || pairings == NULL || names == NULL)
        return 1;
    for (size_t i = 0; i < n; i++) {
        pairings[i] = (pairing){kanon_catalogue_at(KANON_CATALOGUE_ALGORITHM, i / N_INVARIANTS),
                                &invariants[i % N_INVARIANTS]};
        snprintf(names[i], sizeof names[i], "%s: %s", pairings[i].algorithm->name, pairings[i].invariant->name);
        tests[i] = (struct CMUnitTest){.name = names[i], .test_func = hold, .initial_state = &pairings[i]};
    }
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    int failed = _cmocka_run_group_tests("conformance", tests, n, make_scratch, remove_scratch);
    free(names);
    free(pairings);
    free(tests);
    return failed;
}
