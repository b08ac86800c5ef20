/* The lower bound by prices, and the check of its proof. */
#include "bound/box_growth.h"
#include "bound/box_search.h"
#include "bound/feasible.h"
#include "core/alloc.h"
#include "reference/random_table.h"
#include "reference/ref_optimum.h"
#include "support.h"

#include <math.h>

enum { N_TABLES = 300, MOST_ROWS = 11, DRAWS_STREAM = 91 };

static kanon_lower_bound *bound_of(const kanon_table *table, int64_t k, int threads, const char *certificate)
{
    kanon_lower_bound *bound = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_bound_options options = {
        .struct_size = sizeof options, .k = k, .threads = threads, .certificate = KANON_TO_PATH(certificate), .rounds = 9};
    assert_done(kanon_bound(&bound, table, &options, &err), &err);
    return bound;
}

static kanon_certificate check(const kanon_table *table, const char *path)
{
    kanon_certificate found = KANON_INIT(kanon_certificate);
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_certificate_check(&found, table, KANON_PATH(path),
                                        &(kanon_prove_options){.struct_size = sizeof(kanon_prove_options), .threads = 1},
                                        &err),
                &err);
    return found;
}

/* The file at `path` with one text in place of another. */
static void forge(const char *path, const char *old, const char *replacement)
{
    char *text = read_text(path), *at = strstr(text, old);
    assert_non_null(at);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s", (int)(at - text), text, replacement, at + strlen(old));
    fclose(file);
    free(text);
}

/* A certificate with these prices, whatever they are worth. */
static void forge_prices(const char *path, const kanon_lower_bound *bound, const int64_t *prices)
{
    char *text = read_text(path), *end = strstr(text, "  \"price_sum\"");
    int64_t sum = 0;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int64_t row = 0; row < bound->records; row++)
        sum += prices[row];
    fprintf(file, "%.*s  \"price_sum\": %lld,\n  \"prices\": [", (int)(end - text), text, (long long)sum);
    for (int64_t row = 0; row < bound->records; row++)
        fprintf(file, "%s%lld", row > 0 ? ", " : "", (long long)prices[row]);
    fprintf(file, "]}");
    fclose(file);
    free(text);
}

/* ---- small tables, everything looked at -------------------------------------------------------------------------- */

/* The definition of dual feasible, on every k records. */
static void assert_feasible(const ref_model *model, const kanon_lower_bound *bound, uint64_t seed)
{
    for (unsigned set = 1; set < 1u << model->n; set++) {
        if (__builtin_popcount(set) != bound->k)
            continue;
        double sum = 0, cost = (double)ref_units_of_set(model, set) / (double)model->scale;
        for (int record = 0; record < model->n; record++)
            if (set >> record & 1)
                sum += (double)bound->prices[record] / (double)bound->scale;
        if (sum > (double)bound->k * cost * (1 + 1e-9) + 1e-9)
            fail_msg("seed %llu: prices %.12g of k records that cost %.12g each", (unsigned long long)seed, sum, cost);
    }
}

static void assert_forgery_fails(const ref_model *model, const kanon_table *table, const kanon_lower_bound *bound,
                                 const char *path, uint64_t seed)
{
    int group[REF_OPTIMUM_MOST];
    int64_t prices[REF_OPTIMUM_MOST];
    ref_optimum(model, bound->k, group);
    for (int record = 0; record < model->n; record++) { /* what the best partition costs each of them, and a little more */
        double units = (double)ref_units_of(model, group, group[record]) / (double)model->scale * (double)bound->scale;
        prices[record] = (int64_t)units + 100;
    }
    forge_prices(path, bound, prices);
    if (check(table, path).holds)
        fail_msg("seed %llu: more than the optimum is taken for proved", (unsigned long long)seed);
}

/* The definition of dual feasible once more, in whole numbers. */
static bool are_feasible(const ref_model *model, const kanon_lower_bound *bound, const int64_t *prices)
{
    for (unsigned set = 1; set < 1u << model->n; set++) {
        __int128 sum = 0;
        for (int record = 0; record < model->n; record++)
            sum += set >> record & 1 ? prices[record] : 0;
        if (__builtin_popcount(set) == bound->k &&
            sum * model->scale > (__int128)bound->k * ref_units_of_set(model, set) * bound->scale)
            return false;
    }
    return true;
}

/* One price a little higher: the check finds the prices dual feasible exactly where they are. */
static int count_infeasible(const ref_model *model, const kanon_table *table, const kanon_lower_bound *bound,
                            const char *path, kanon__random *random, uint64_t seed)
{
    enum { TRIALS = 3 };
    int n_infeasible = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        int64_t prices[REF_OPTIMUM_MOST];
        memcpy(prices, bound->prices, (size_t)model->n * sizeof *prices);
        int64_t *raised = &prices[kanon__random_below(random, model->n)];
        *raised += kanon__random_below(random, bound->scale >> 2 * trial);
        *raised = *raised < INT32_MAX ? *raised : INT32_MAX;
        bool feasible = are_feasible(model, bound, prices);
        forge_prices(path, bound, prices);
        if (check(table, path).holds != feasible)
            fail_msg("seed %llu: prices are %sfeasible, and the check says otherwise", (unsigned long long)seed,
                     feasible ? "" : "in");
        n_infeasible += !feasible;
    }
    return n_infeasible;
}

/* Whether suppression can lose less than the bound for groupings of all records; the bound for it holds in any case. */
static bool check_suppression(const ref_model *model, const kanon_lower_bound *bound, uint64_t seed)
{
    double best = (double)ref_optimum_suppressing(model, bound->k) / (double)model->scale;
    if (bound->with_suppression > best * (1 + 1e-9) + 1e-9)
        fail_msg("seed %llu: bound %.12g above the optimum %.12g with suppression", (unsigned long long)seed,
                 bound->with_suppression, best);
    assert_true(bound->with_suppression <= bound->lower_bound && bound->with_suppression >= bound->neighbour_bound);
    return best < bound->lower_bound * (1 - 1e-9);
}

static void test_small_tables(void **state)
{
    uint64_t first = test_seed();
    int n_better = 0, n_used = 0, n_infeasible = 0, n_suppressing = 0;
    kanon__random draws;
    place path = scratch("proof.json");
    (void)state;
    kanon__random_init(&draws, first, DRAWS_STREAM);
    for (uint64_t seed = first; seed < first + N_TABLES; seed++) {
        random_table random = random_table_small(seed, MOST_ROWS);
        ref_model *model = ref_model_new(random.table);
        int64_t k = random.k <= 4 ? random.k : 3, optimum = ref_optimum(model, k, NULL);
        if (optimum >= 0) {
            kanon_lower_bound *bound = bound_of(random.table, k, 1, path.text);
            double best = (double)optimum / (double)model->scale;
            if (bound->lower_bound > best * (1 + 1e-9) + 1e-9)
                fail_msg("seed %llu: bound %.12g above the optimum %.12g", (unsigned long long)seed, bound->lower_bound,
                         best);
            assert_true(bound->lower_bound >= bound->neighbour_bound);
            assert_feasible(model, bound, seed);
            n_suppressing += check_suppression(model, bound, seed);
            kanon_certificate found = check(random.table, path.text);
            if (!found.holds)
                fail_msg("seed %llu: %s", (unsigned long long)seed, found.reason);
            assert_true(fabs(found.lower_bound - bound->lower_bound) < 1e-6 || found.lower_bound <= 0);
            assert_forgery_fails(model, random.table, bound, path.text, seed);
            if (model->exact)
                n_infeasible += count_infeasible(model, random.table, bound, path.text, &draws, seed);
            n_better += bound->lower_bound > bound->neighbour_bound;
            n_used++;
            kanon_lower_bound_free(bound);
        }
        ref_model_free(model);
        random_table_clear(&random);
    }
    assert_true(n_used > N_TABLES / 2);
    assert_true(n_better > n_used / 4);
    assert_true(n_suppressing > 0); /* else the bound without suppression would do */
    assert_true(n_infeasible > n_used / 4 && n_infeasible < 3 * n_used);
}

static void test_threads(void **state)
{
    uint64_t first = test_seed();
    (void)state;
    for (uint64_t seed = first; seed < first + 20; seed++) {
        random_table random = random_table_new(seed);
        if (kanon_table_rows(random.table) >= random.k) {
            kanon_lower_bound *one = bound_of(random.table, random.k, 1, NULL);
            kanon_lower_bound *three = bound_of(random.table, random.k, 3, NULL);
            assert_memory_equal(one->prices, three->prices, (size_t)one->records * sizeof *one->prices);
            kanon_lower_bound_free(three);
            kanon_lower_bound_free(one);
        }
        random_table_clear(&random);
    }
}

/* ---- lists that are thinned out ---------------------------------------------------------------------------------- */

/* Each candidate is kept, or the stand-in is no farther and no cheaper; and there are as many records of it as of a set. */
static void assert_stands_in(kanon__box_candidates *found, int64_t most)
{
    kanon_error err = KANON_INIT(kanon_error);
    int64_t n = found->n, kept = 0;
    kanon__box_candidate *all = malloc((size_t)n * sizeof *all);
    memcpy(all, found->items, (size_t)n * sizeof *all);
    assert_done(kanon__box_candidates_thin_out(found, most, &err), &err);
    assert_true(found->n < n);
    assert_int_equal(found->items[found->n - 1].key & UINT32_MAX, KANON__STAND_IN);
    assert_int_equal(found->items[found->n - 1].distance, found->stand_in_distance);
    assert_int_equal(kanon__box_candidates_count(found, KANON__STAND_IN), found->table->k - 1);
    for (int64_t i = 0; i < n; i++)
        if (kept < found->n && all[i].key == found->items[kept].key)
            kept++;
        else
            assert_true(all[i].distance >= found->stand_in_distance &&
                        kanon__box_candidates_price(found, (int64_t)(all[i].key & UINT32_MAX)) <= found->stand_in_price);
    assert_int_equal(kept, found->n - 1);
    free(all);
}

/* A search with few candidates and steps leaves open at least as much as one that looks at everything finds. */
static void assert_nothing_lost(kanon__box_search *search, int64_t tuple, int32_t radius)
{
    kanon_error err = KANON_INIT(kanon_error);
    const kanon__violated_set *set;
    kanon__box_question question = {.tuple = tuple, .radius = radius, .budget = INT64_MAX / 4, .enough = INT64_MAX / 4};
    assert_done(kanon__box_search_run(search, &question, &set, &err), &err);
    assert_int_equal(set->at_most, set->excess);
    int64_t excess = set->excess;
    question.budget = question.enough = 1000;
    assert_done(kanon__box_search_run(search, &question, &set, &err), &err);
    if (set->at_most < excess)
        fail_msg("seed %llu: at most %lld where there is %lld", (unsigned long long)test_seed(), (long long)set->at_most,
                 (long long)excess);
}

/* Random numbers and a category, as a table. */
static kanon_table *random_numbers(kanon__random *draws, int rows, int range)
{
    char text[4096] = "x,y,z\n";
    for (int row = 0, at = 6; row < rows; row++)
        at += sprintf(text + at, "%d,%d,%c\n", (int)kanon__random_below(draws, range),
                      (int)kanon__random_below(draws, range),
                      (char)('a' + kanon__random_below(draws, 5)));
    return table_of("attributes: {x: {role: quasi, type: integer}, y: {role: quasi, type: integer}, z: {role: quasi}}",
                    text);
}

static void draw_prices(kanon__random *draws, kanon__priced_table *priced, int32_t highest)
{
    for (int64_t tuple = 0; tuple < priced->n; tuple++) /* one in eight is dear */
        priced->prices[tuple] = (int32_t)kanon__random_below(draws, tuple % 8 == 0 ? highest : highest / 3);
}

static void test_thinned_out(void **state)
{
    enum { ROWS = 120, K = 4, MOST = 24 };
    kanon__random draws;
    kanon_error err = KANON_INIT(kanon_error);
    kanon__priced_table *priced;
    kanon__box_candidates found;
    kanon__box_search *search;
    (void)state;
    kanon__random_init(&draws, test_seed(), DRAWS_STREAM);
    kanon_table *table = random_numbers(&draws, ROWS, 100);
    assert_done(kanon__priced_table_new(&priced, &table->data, K, 1, &err), &err);
    assert_done(kanon__box_candidates_init(&found, priced, &err), &err);
    assert_done(kanon__box_search_new(&search, priced, &err), &err);
    int32_t highest = (int32_t)priced->space->scale;
    draw_prices(&draws, priced, highest);
    for (int64_t tuple = 0; tuple < priced->n; tuple++) {
        found.own = tuple;
        assert_done(kanon__box_candidates_find(&found, NULL, NULL, 3 * (uint32_t)highest, &err), &err);
        assert_stands_in(&found, MOST);
        assert_nothing_lost(search, tuple, highest);
    }
    kanon__box_search_free(search);
    kanon__box_candidates_clear(&found);
    kanon__priced_table_free(priced);
    kanon_table_free(table);
}

/* ---- search and growth around one tuple -------------------------------------------------------------------------- */

/* The prices of some records, `times` of each tuple, less k D of the box around them. */
static int64_t excess_by_definition(const kanon__priced_table *t, const int32_t *times)
{
    int64_t excess = 0;
    for (int64_t tuple = 0; tuple < t->n; tuple++)
        excess += (int64_t)times[tuple] * t->prices[tuple];
    for (int i = 0; i < t->space->n_dimensions; i++) {
        uint32_t least = UINT32_MAX, most = 0;
        for (int64_t tuple = 0; tuple < t->n; tuple++) {
            uint32_t code = kanon__priced_codes(t, tuple)[i];
            least = times[tuple] > 0 && code < least ? code : least;
            most = times[tuple] > 0 && code > most ? code : most;
        }
        excess -= t->k * kanon__dimension_units(&t->space->dimensions[i], least, most);
    }
    return excess;
}

/* The largest excess of k records, of which `times` are given and `left` more come from the tuples from `next` on. */
static int64_t most_excess(const kanon__priced_table *t, int32_t *times, int64_t left, int64_t next)
{
    int64_t most = INT64_MIN;
    if (left == 0)
        return excess_by_definition(t, times);
    for (int64_t tuple = next; tuple < t->n; tuple++) {
        if (times[tuple] == t->counts[tuple])
            continue;
        times[tuple]++;
        int64_t excess = most_excess(t, times, left - 1, tuple);
        times[tuple]--;
        most = excess > most ? excess : most;
    }
    return most;
}

/* A set that was found is k records of the table, one of the tuple, with the excess that it claims. */
static void assert_real(const kanon__priced_table *t, const kanon__violated_set *set, int64_t tuple)
{
    int32_t times[64] = {0}, n = 0;
    for (int64_t i = 0; i < set->n; i++) {
        assert_int_equal(times[set->tuples[i]], 0); /* each tuple once */
        times[set->tuples[i]] = set->times[i];
        assert_true(set->times[i] > 0 && set->times[i] <= t->counts[set->tuples[i]]);
        n += set->times[i];
    }
    assert_int_equal(n, t->k);
    assert_true(times[tuple] > 0);
    assert_true(set->excess > 0);
    assert_int_equal(set->excess, excess_by_definition(t, times));
}

/* The search finds the largest excess around each tuple, and growth a set that is real; whether it found one. */
static void try_tuple(const kanon__priced_table *t, kanon__box_search *search, kanon__box_growth *growth, int64_t tuple,
                      int *n_violated, int *n_grown)
{
    kanon_error err = KANON_INIT(kanon_error);
    const kanon__violated_set *set;
    int32_t times[64] = {0};
    int32_t widest = (int32_t)(t->space->n_dimensions * t->space->scale);
    kanon__box_question question = {.tuple = tuple, .radius = widest, .budget = INT64_MAX / 4, .enough = INT64_MAX / 4};
    times[tuple] = 1;
    int64_t most = most_excess(t, times, t->k - 1, 0);
    assert_done(kanon__box_search_run(search, &question, &set, &err), &err);
    if (set->excess != (most > 0 ? most : 0))
        fail_msg("seed %llu: excess %lld found, %lld is there", (unsigned long long)test_seed(), (long long)set->excess,
                 (long long)most);
    assert_int_equal(set->at_most, set->excess);
    if (set->n > 0)
        assert_real(t, set, tuple);
    assert_done(kanon__box_growth_run(growth, tuple, widest, &set, &err), &err);
    if (set->n > 0)
        assert_real(t, set, tuple);
    *n_violated += most > 0;
    *n_grown += set->n > 0;
}

static void test_boxes_by_definition(void **state)
{
    enum { TABLES = 40, ROWS = 18 };
    kanon__random draws;
    kanon_error err = KANON_INIT(kanon_error);
    int n_violated = 0, n_grown = 0;
    (void)state;
    kanon__random_init(&draws, test_seed(), DRAWS_STREAM);
    for (int trial = 0; trial < TABLES; trial++) {
        kanon__priced_table *priced;
        kanon__box_search *search;
        kanon__box_growth *growth;
        kanon_table *table = random_numbers(&draws, ROWS, trial % 2 == 0 ? 100 : 4); /* the second: equal records */
        assert_done(kanon__priced_table_new(&priced, &table->data, 3 + trial % 3, 1, &err), &err);
        assert_done(kanon__box_search_new(&search, priced, &err), &err);
        assert_done(kanon__box_growth_new(&growth, priced, &err), &err);
        draw_prices(&draws, priced, 3 * (int32_t)priced->space->scale);
        for (int64_t tuple = 0; tuple < priced->n; tuple++)
            try_tuple(priced, search, growth, tuple, &n_violated, &n_grown);
        kanon__box_growth_free(growth);
        kanon__box_search_free(search);
        kanon__priced_table_free(priced);
        kanon_table_free(table);
    }
    assert_true(n_violated > TABLES && n_violated < TABLES * ROWS * 3 / 4);
    assert_true(n_grown > n_violated / 2 && n_grown <= n_violated);
}

/* A trial makes a sample of the prices feasible in finite time, says what all would take, and gives up beyond its limit. */
static void test_trial(void **state)
{
    enum { ROWS = 120, K = 4 };
    kanon__random draws;
    kanon_error err = KANON_INIT(kanon_error);
    kanon__priced_table *priced;
    kanon__separation *separation;
    kanon__ticker ticker;
    double ahead = -1;
    (void)state;
    kanon__random_init(&draws, test_seed(), DRAWS_STREAM);
    kanon__ticker_init(&ticker, NULL, NULL, "trying");
    kanon_table *table = random_numbers(&draws, ROWS, 100);
    assert_done(kanon__priced_table_new(&priced, &table->data, K, 1, &err), &err);
    assert_done(kanon__priced_table_find_neighbours(priced, &ticker, &err), &err);
    assert_done(kanon__separation_new(&separation, priced, &err), &err);
    kanon__feasible_task task = {.floor = priced->neighbour_distances, .worth = priced->space->scale};
    draw_prices(&draws, priced, (int32_t)priced->space->scale);
    assert_done(kanon__try_feasible(separation, &task, 3, 0, &ahead, &ticker, &err), &err);
    assert_true(ahead > 0 && ahead < INFINITY);
    draw_prices(&draws, priced, (int32_t)priced->space->scale);
    assert_done(kanon__try_feasible(separation, &task, 3, 1e-9, &ahead, &ticker, &err), &err);
    assert_true(ahead == INFINITY);
    kanon__separation_free(separation);
    kanon__priced_table_free(priced);
    kanon_table_free(table);
}

/* ---- worked out by hand ------------------------------------------------------------------------------------------ */

static const char age_yaml[] = "attributes: {age: {role: quasi, type: integer}}";

/* Two pairs, one step of eleven apart: 4/11 is the least loss, and the distance to the nearest says as much. */
static void test_pairs(void **state)
{
    (void)state;
    kanon_table *table = table_of(age_yaml, "age\n0\n1\n10\n11\n");
    kanon_lower_bound *bound = bound_of(table, 2, 1, NULL);
    assert_true(bound->lower_bound <= 4.0 / 11 && bound->lower_bound > 4.0 / 11 - 1e-6);
    assert_int_equal(bound->records, 4);
    assert_int_equal(bound->k, 2);
    kanon_lower_bound_free(bound);
    kanon_table_free(table);
}

/* 0, 1 and 2 by twos: neighbours give 3/2. Prices 1, 0, 1 are dual feasible, and half of each pair is a fractional grouping
 * that loses 2, so no prices give more. */
static void test_triple(void **state)
{
    (void)state;
    kanon_table *table = table_of(age_yaml, "age\n0\n1\n2\n");
    kanon_lower_bound *bound = bound_of(table, 2, 1, NULL);
    assert_true(fabs(bound->neighbour_bound - 1.5) < 1e-6);
    assert_true(bound->lower_bound <= 2 && bound->lower_bound > 1.9);
    kanon_lower_bound_free(bound);
    kanon_table_free(table);
}

static void test_too_few(void **state)
{
    (void)state;
    kanon_lower_bound *bound = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_of(age_yaml, "age\n0\n1\n2\n");
    kanon_bound_options options = {.struct_size = sizeof options, .k = 4};
    assert_int_equal(kanon_bound(&bound, table, &options, &err), KANON_EINFEASIBLE);
    assert_null(bound);
    options.k = 0; /* the schema has none */
    assert_int_equal(kanon_bound(&bound, table, &options, &err), KANON_EINVAL);
    kanon_table_free(table);
}

/* ---- certificates ------------------------------------------------------------------------------------------------ */

static void test_forgeries(void **state)
{
    (void)state;
    place path = scratch("proof.json");
    kanon_error err = KANON_INIT(kanon_error);
    kanon_certificate found = KANON_INIT(kanon_certificate);
    kanon_table *table = table_of(age_yaml, "age\n0\n1\n2\n");
    kanon_lower_bound *bound = bound_of(table, 2, 1, path.text);
    assert_true(check(table, path.text).holds);
    forge_prices(path.text, bound, (int64_t[]){bound->scale, 0, bound->scale});
    assert_true(check(table, path.text).holds); /* exactly dual feasible */
    forge_prices(path.text, bound, (int64_t[]){bound->scale, 1, bound->scale});
    found = check(table, path.text);
    assert_false(found.holds); /* one unit too much */
    assert_holds(found.reason, "row 1");
    forge_prices(path.text, bound, (int64_t[]){bound->scale, 0, bound->scale});
    forge(path.text, "\"price_sum\": ", "\"price_sum\": 1");
    assert_holds(check(table, path.text).reason, "do not add up");
    kanon_table_free(table);
    table = table_of(age_yaml, "age\n0\n1\n3\n");
    assert_holds(check(table, path.text).reason, "another table");
    forge(path.text, "\"k\": 2", "\"k\": \"2\"");
    assert_int_equal(
        kanon_certificate_check(&found, table, KANON_PATH(path.text),
                                &(kanon_prove_options){.struct_size = sizeof(kanon_prove_options), .threads = 1}, &err),
        KANON_EDATA);
    forge(path.text, "{", "[");
    assert_int_equal(
        kanon_certificate_check(&found, table, KANON_PATH(path.text),
                                &(kanon_prove_options){.struct_size = sizeof(kanon_prove_options), .threads = 1}, &err),
        KANON_EDATA);
    kanon_lower_bound_free(bound);
    kanon_table_free(table);
}

/* 5 has the highest price and lies in the middle: a box around it costs half to either side, and all of it to both, which is
 * exactly what the three have. */
static void test_exact_box(void **state)
{
    (void)state;
    place path = scratch("proof.json");
    kanon_table *table = table_of(age_yaml, "age\n0\n5\n10\n");
    kanon_lower_bound *bound = bound_of(table, 3, 1, path.text);
    forge_prices(path.text, bound, (int64_t[]){bound->scale - 1, bound->scale + 2, bound->scale - 1});
    assert_true(check(table, path.text).holds);
    forge_prices(path.text, bound, (int64_t[]){bound->scale, bound->scale + 2, bound->scale - 1});
    assert_false(check(table, path.text).holds);
    kanon_lower_bound_free(bound);
    kanon_table_free(table);
}

/* The first and the last record have more than their box costs. The one between them, in the order of the values, is far
 * away and has nothing. */
static void test_dearest_first(void **state)
{
    (void)state;
    place path = scratch("proof.json");
    kanon_table *table = table_of("attributes: {a: {role: quasi, type: integer}, b: {role: quasi, type: integer}}",
                                  "a,b\n0,0\n5,10\n10,0\n");
    kanon_lower_bound *bound = bound_of(table, 2, 1, path.text);
    int64_t tenth = bound->scale / 10;
    forge_prices(path.text, bound, (int64_t[]){12 * tenth, 0, 12 * tenth - 1});
    assert_false(check(table, path.text).holds);
    forge_prices(path.text, bound, (int64_t[]){10 * tenth, 0, 10 * tenth - 1});
    assert_true(check(table, path.text).holds);
    kanon_lower_bound_free(bound);
    kanon_table_free(table);
}

/* ---- stopping and failing ---------------------------------------------------------------------------------------- */

static int stop_improving(const kanon_progress *progress, void *payload)
{
    (void)payload;
    return strcmp(progress->stage, "improving the bound") == 0;
}

static int stop_at_once(const kanon_progress *progress, void *payload)
{
    (void)progress;
    (void)payload;
    return 1;
}

static void test_stop(void **state)
{
    (void)state;
    kanon_lower_bound *bound = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_of(age_yaml, "age\n0\n1\n2\n");
    kanon_bound_options options = {.struct_size = sizeof options, .k = 2, .tick = stop_improving};
    assert_done(kanon_bound(&bound, table, &options, &err), &err);
    assert_true(bound->stopped);
    assert_true(bound->lower_bound == bound->neighbour_bound);
    kanon_lower_bound_free(bound);
    options.tick = stop_at_once; /* before there is anything to tell */
    assert_int_equal(kanon_bound(&bound, table, &options, &err), KANON_ECANCELLED);
    assert_null(bound);
    kanon_table_free(table);
}

static void test_no_memory(void **state)
{
    (void)state;
    place path = scratch("proof.json");
    kanon_table *table = table_of(
        "missing: ['?']\nattributes: {a: {role: quasi, type: decimal}, b: {role: quasi, weight: 2}}",
        "a,b\n0,x\n1.5,y\n?,z\n2,x\n7,y\n9,\n");
    kanon_lower_bound_free(bound_of(table, 2, 1, path.text));
    kanon_status st = KANON_ENOMEM;
    for (int64_t at = 1; st == KANON_ENOMEM; at++) {
        kanon_lower_bound *bound = NULL;
        kanon_certificate found = KANON_INIT(kanon_certificate);
        kanon_error err = KANON_INIT(kanon_error);
        kanon_bound_options options = {
            .struct_size = sizeof options, .k = 2, .threads = 1, .rounds = 3, .certificate = KANON_TO_PATH(path.text)};
        kanon__alloc_fail_at(at, false);
        st = kanon_bound(&bound, table, &options, &err);
        kanon_lower_bound_free(bound);
        if (st == KANON_OK)
            st = kanon_certificate_check(&found, table, KANON_PATH(path.text),
                                         &(kanon_prove_options){.struct_size = sizeof(kanon_prove_options), .threads = 1},
                                         &err);
        kanon__alloc_fail_at(0, false);
        assert_no_leak();
    }
    assert_int_equal(st, KANON_OK);
    kanon_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_small_tables, no_leak),  cmocka_unit_test_teardown(test_threads, no_leak),
        cmocka_unit_test_teardown(test_thinned_out, no_leak),   cmocka_unit_test_teardown(test_pairs, no_leak),
        cmocka_unit_test_teardown(test_boxes_by_definition, no_leak), cmocka_unit_test_teardown(test_trial, no_leak),
        cmocka_unit_test_teardown(test_triple, no_leak),        cmocka_unit_test_teardown(test_too_few, no_leak),
        cmocka_unit_test_teardown(test_forgeries, no_leak),     cmocka_unit_test_teardown(test_exact_box, no_leak),
        cmocka_unit_test_teardown(test_dearest_first, no_leak), cmocka_unit_test_teardown(test_stop, no_leak),
        cmocka_unit_test_teardown(test_no_memory, no_leak),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
