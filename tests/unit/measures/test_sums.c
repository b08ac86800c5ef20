/* The law of sums: those of random parts, merged, packed and unpacked, equal those of the whole, for every row of
 * measures.def; and every source of groups has every measure whose sums it has. KANON_TEST_SEED=N begins with another
 * table. */
#include "unit/embed_helpers.h"

#include "core/alloc.h"
#include "measures/measure.h"
#include "model/grouping.h"
#include "reference/random_table.h"

#include <math.h>

enum { N_TABLES = 300, MOST_PARTS = 4, PARTS_STREAM = 311 };

static const kanon__packed_kind test_kind = {'X', '1', "sums"};

/* ---- the rows ---------------------------------------------------------------------------------------------------- */

/* What needs the records of the whole table, before or after. Whoever adds a row here says that no other source has it. */
static const char *const of_whole_tables[] = {"neighbour_bound", "neighbour_gap", "square_error",    "query_error",
                                              "uniques_before",  "k_before",      "distinct_tuples", "t_closeness",
                                              "singled_out",     "singled_out_all", "linkage_quasi",   "linkage_all",
                                              "linkage_error",   "inference_found", "inference_found_gain"};
enum { N_OF_WHOLE_TABLES = sizeof of_whole_tables / sizeof of_whole_tables[0] };

/* A measure is a function of sums that groups have, or on the list above. */
static void measures_are_functions_of_sums(void **state)
{
    size_t n_of_tables = 0;
    (void)state;
    for (size_t i = 0; i < kanon_catalogue_count(KANON_CATALOGUE_MEASURE); i++) {
        const kanon__measure *m = kanon__measure_find(kanon_catalogue_at(KANON_CATALOGUE_MEASURE, i)->name);
        bool is_listed = false;
        for (int j = 0; j < N_OF_WHOLE_TABLES; j++)
            is_listed = is_listed || strcmp(of_whole_tables[j], m->info.shown.name) == 0;
        if ((m->figure != NULL) == (m->compute != NULL) || (m->compute != NULL) != is_listed)
            fail_msg("%s: either a function of sums, or listed as one of whole tables", m->info.shown.name);
        if (m->figure != NULL && (m->needs == 0 || (m->needs & ~(unsigned)KANON__SUMS_OF_GROUPS) != 0))
            fail_msg("%s: needs sums that groups do not have, or none", m->info.shown.name);
        n_of_tables += m->compute != NULL;
    }
    assert_int_equal(n_of_tables, N_OF_WHOLE_TABLES);
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

typedef struct trial {
    kanon__data data; /* the table's; half of them with entities, the values of its first quasi column */
    kanon__settings settings;
    kanon__ticker ticker;
    kanon__random random;
    int32_t *group_of; /* by row; negative: suppressed */
    int32_t *part_of;  /* by row: groups are in one part */
    int n_parts;
} trial;

static void draw(trial *t, const kanon_table *table, uint64_t seed)
{
    kanon_error err = KANON_INIT(kanon_error);
    int64_t n = table->data.n_rows, n_groups;
    t->data = table->data;
    if (seed % 2 == 0 && t->data.n_quasi > 0) {
        const kanon__column *c = &t->data.columns[t->data.quasi[0]];
        t->data.has_entity = true;
        t->data.entity_codes = c->codes;
        t->data.n_entities = c->domain->n_codes;
    }
    kanon__random_init(&t->random, seed, PARTS_STREAM);
    kanon__ticker_init(&t->ticker, NULL, NULL, "measuring");
    assert_done(kanon__measure_settings(&t->settings, NULL, 0, &err), &err);
    assert_done(kanon__new_array(&t->group_of, n, "groups", &err), &err);
    assert_done(kanon__new_array(&t->part_of, n, "parts", &err), &err);
    t->n_parts = 1 + (int)kanon__random_below(&t->random, MOST_PARTS);
    n_groups = 1 + kanon__random_below(&t->random, 1 + n / 2);
    int64_t shift = kanon__random_below(&t->random, 100);
    for (int64_t row = 0; row < n; row++) {
        bool suppressed = kanon__random_below(&t->random, 8) == 0;
        t->group_of[row] = suppressed ? -1 : (int32_t)kanon__random_below(&t->random, n_groups);
        t->part_of[row] = (int32_t)(suppressed ? kanon__random_below(&t->random, t->n_parts)
                                               : (t->group_of[row] * 7 + shift) % t->n_parts);
    }
}

static void finish(trial *t)
{
    kanon__free(t->part_of);
    kanon__free(t->group_of);
    kanon__settings_clear(&t->settings);
}

/* The sums of the part of that number; negative: of the whole. */
static void sums_of_part(kanon__sums *out, trial *t, int part)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__data rows = {0};
    kanon__subject subject;
    kanon_grouping *g = NULL;
    int32_t *at = NULL, *group_of = NULL;
    int64_t n = 0;
    assert_done(kanon__new_array(&at, t->data.n_rows, "rows", &err), &err);
    assert_done(kanon__new_array(&group_of, t->data.n_rows, "groups", &err), &err);
    for (int64_t row = 0; row < t->data.n_rows; row++)
        if (part < 0 || t->part_of[row] == part) {
            group_of[n] = t->group_of[row];
            at[n++] = (int32_t)row;
        }
    assert_done(kanon__data_rows(&rows, &t->data, at, n, &err), &err);
    assert_done(kanon__grouping_adopt(&g, group_of, n, t->data.n_rows, &err), &err);
    assert_done(kanon__subject_init(&subject, &rows, g, false, &t->settings, &t->ticker, &err), &err);
    assert_done(kanon__subject_sums(out, &subject, KANON__SUMS_OF_GROUPS, NULL, &err), &err);
    out->data = &t->data;
    out->k = 3; /* of all parts alike */
    kanon__subject_clear(&subject);
    kanon_grouping_free(g);
    kanon__data_clear_rows(&rows);
    kanon__free(at);
}

/* Through bytes and back. */
static void travel(kanon__sums *sums)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__packer p;
    kanon__unpacker u;
    kanon__sums copy;
    collected bytes = {0};
    const kanon_sink sink = sink_of(&bytes, "sums");
    kanon__packer_init(&p, &test_kind, &err);
    kanon__pack_sums(&p, sums);
    assert_done(kanon__packer_send(&p, &sink), &err);
    kanon__packer_clear(&p);
    assert_done(kanon__unpacker_init(&u, &test_kind, bytes.text, bytes.size, &err), &err);
    assert_done(kanon__unpack_sums(&copy, sums->data, &u, sums->data->n_rows, &err), &err);
    free(bytes.text);
    kanon__sums_clear(sums);
    *sums = copy;
}

static bool same_double(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Every figure to the last bit. */
static void assert_same_figures(const kanon__sums *whole, const kanon__sums *merged, uint64_t seed)
{
    for (size_t i = 0; i < kanon_catalogue_count(KANON_CATALOGUE_MEASURE); i++) {
        const kanon__measure *m = kanon__measure_find(kanon_catalogue_at(KANON_CATALOGUE_MEASURE, i)->name);
        int n = m->scope == KANON__SCOPE_TABLE   ? 1
                : m->scope == KANON__SCOPE_QUASI ? whole->data->n_quasi
                                                 : whole->data->n_sensitive;
        for (int j = 0; m->figure != NULL && j < n; j++)
            if (!same_double(m->figure(whole, j), m->figure(merged, j)))
                fail_msg("seed %llu: %s: %.17g of the whole, %.17g of its parts", (unsigned long long)seed,
                         m->info.shown.name, m->figure(whole, j), m->figure(merged, j));
    }
    for (int i = 0; i < whole->data->n_quasi; i++) /* not all of them are a figure */
        assert_memory_equal(&whole->quasi[i], &merged->quasi[i], sizeof whole->quasi[i]);
    assert_int_equal(whole->n_lost, merged->n_lost);
}

static void parts_add_up_to_the_whole(void **state)
{
    uint64_t first = test_seed();
    (void)state;
    for (uint64_t seed = first; seed < first + N_TABLES; seed++) {
        random_table random = seed % 3 == 0 ? random_table_banded(seed) : random_table_new(seed);
        trial t = {0};
        kanon__sums whole, merged, part;
        kanon_error err = KANON_INIT(kanon_error);
        draw(&t, random.table, seed);
        sums_of_part(&whole, &t, -1);
        sums_of_part(&merged, &t, 0);
        travel(&merged);
        for (int i = 1; i < t.n_parts; i++) {
            sums_of_part(&part, &t, i);
            if (kanon__random_below(&t.random, 2) == 0)
                travel(&part);
            assert_done(kanon__sums_merge(&merged, &part, &err), &err);
            kanon__sums_clear(&part);
        }
        travel(&merged);
        assert_same_figures(&whole, &merged, seed);
        kanon__sums_clear(&merged);
        kanon__sums_clear(&whole);
        finish(&t);
        random_table_clear(&random);
    }
}

/* ---- sources ----------------------------------------------------------------------------------------------------- */

/* What a file does not show: values before they were generalised. A sum that is not named here must be filled by
 * audit/release_loss.c. */
static const unsigned file_lacks = KANON__SUM_SPREADS | KANON__SUM_HIDDEN | KANON__SUM_TOTALS | KANON__SUMS_OF_VALUES;

static void assert_near(double got, double expected, const char *what)
{
    if (!same_double(got, expected) && !(fabs(got - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("%s: %.15g instead of %.15g", what, got, expected);
}

/* The file has each measure that it can have, as the groups have it of which no two look alike. */
static void compare_file(const kanon_table *table, const kanon_schema *schema, const char *release)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *classes = NULL;
    kanon_measures *of_file = NULL, *of_groups = NULL;
    kanon_evaluate_options options = {.struct_size = sizeof options, .k = 2};
    assert_done(kanon_grouping_from_release(&classes, table, KANON_PATH(release), schema, &err), &err);
    assert_done(kanon_evaluate(&of_groups, table, classes, &options, &err), &err);
    assert_done(kanon_evaluate_release(&of_file, table, KANON_PATH(release), schema, &options, &err), &err);
    for (size_t i = 0; kanon_measures_at(of_groups, i) != NULL; i++) {
        const kanon_figure *want = kanon_measures_at(of_groups, i);
        const kanon__measure *m = kanon__measure_find(want->name);
        const kanon_figure *got = kanon_measures_find(of_file, want->name, want->attribute);
        bool of_rows = strncmp(want->name, "singled_out", strlen("singled_out")) == 0;
        bool can = of_rows ? !table->data.has_entity
                           : m->figure != NULL && (m->needs & file_lacks) == 0 &&
                                 !((m->needs & KANON__SUM_RISKS) && table->data.has_entity);
        if (strncmp(want->name, "linkage", strlen("linkage")) == 0) /* where it is known which record each row is */
            can = got != NULL;
        if (can != (got != NULL))
            fail_msg("%s: the file %s it", want->name, can ? "lacks" : "has");
        if (can && kanon_grouping_describe(classes)->suppressed == 0) /* those in the file are a class, too */
            assert_near(got->value, want->value, want->name);
    }
    kanon_measures_free(of_file);
    kanon_measures_free(of_groups);
    kanon_grouping_free(classes);
}

static void files_have_what_they_show(void **state)
{
    uint64_t first = test_seed();
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    assert_done(kanon_schema_new(&schema, NULL, &err), &err);
    assert_done(kanon_schema_set(schema, NULL, "missing", "?", &err), &err);
    for (uint64_t seed = first; seed < first + N_TABLES; seed++) {
        random_table random = random_table_new(seed);
        const kanon_table *t = random.table;
        kanon__random own;
        kanon__random_init(&own, seed, PARTS_STREAM);
        int64_t *group_of = calloc((size_t)t->data.n_rows + 1, sizeof *group_of);
        for (int64_t row = 0; row < t->data.n_rows; row++)
            group_of[row] = 1 + kanon__random_below(&own, 1 + t->data.n_rows / 3);
        kanon_grouping *grouping = grouping_of(t, group_of);
        place path = scratch("own.csv");
        kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(path.text)};
        assert_done(kanon_publish(t, grouping, &outputs, &err), &err);
        if (t->data.n_rows > 0)
            compare_file(t, schema, path.text);
        kanon_grouping_free(grouping);
        free(group_of);
        random_table_clear(&random);
    }
    kanon_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measures_are_functions_of_sums),
        cmocka_unit_test(parts_add_up_to_the_whole),
        cmocka_unit_test(files_have_what_they_show),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
