/* The nearest centroid by the centroid filter, with every set of kernels, against its definition: all distances, one by
 * one. */
#include "core/random.h"
#include "papers/centroid.h"
#include "papers/nearest.h"
#include "reference/random_table.h"
#include "support.h"
#include "table/read/table.h"

enum { N_ROWS = 1500, QUESTIONS = 300, RANDOM_TABLES = 60, SEED = 5, TEXT_SIZE = 1 << 17 };

typedef struct bench {
    kanon__space *space;
    kanon__centroids *centroids;
    kanon__nearest *nearest;
    uint32_t *weights;
    kanon__random random;
} bench;

static int64_t below(bench *b, int64_t n)
{
    return kanon__random_below(&b->random, n);
}

static uint64_t distance(const bench *b, const uint32_t *weights, int64_t cluster, int64_t row)
{
    const kanon__centroids *c = b->centroids;
    uint64_t units = 0;
    for (int i = 0; i < b->space->n_dimensions; i++) {
        const kanon__dimension *d = &b->space->dimensions[i];
        uint64_t term = kanon__centroid_term(d, c->at[i * c->n + cluster], kanon__code_at(d->codes, row));
        units += weights != NULL ? term * weights[i] : term;
    }
    return units;
}

static int64_t nearest_by_definition(const bench *b, const uint32_t *weights, int64_t row, bool by_size, int64_t limit)
{
    int64_t best = -1;
    uint64_t least = UINT64_MAX;
    for (int64_t j = 0; j < b->centroids->n; j++) {
        int64_t size = b->centroids->sizes[j];
        uint64_t value = distance(b, weights, j, row) * (by_size && size > 1 ? (uint64_t)size : 1);
        if (value < least && (limit == 0 || size < limit)) {
            least = value;
            best = j;
        }
    }
    return best;
}

/* No bound is larger than the distance, and every cluster that counts has one. */
static void check_bounds(const bench *b, const uint32_t *weights, int64_t row, int64_t limit)
{
    const kanon__centroid_filter *s = b->nearest->filter;
    int64_t n_open = 0;
    for (int64_t j = 0; j < b->centroids->n; j++)
        n_open += limit == 0 || b->centroids->sizes[j] < limit;
    assert_int_equal(s->n, n_open);
    for (int64_t slot = 0; slot < s->n; slot++)
        assert_true(s->bounds[slot] * s->step <= distance(b, weights, s->cluster_at[slot], row));
}

/* Records join one after the other, mostly where they are nearest; now and then the limit changes or everything moves. */
static void ask(bench *b, const uint32_t *weights)
{
    const kanon__space *space = b->space;
    int64_t limit = 0;
    kanon__nearest_reset(b->nearest, weights);
    for (int question = 0; question < QUESTIONS; question++) {
        int64_t row = below(b, space->n_rows);
        bool by_size = weights == NULL && below(b, 2) == 0;
        if (weights == NULL && below(b, 50) == 0)
            limit = below(b, 2) == 0 ? 0 : 1 + below(b, 8);
        bool scans = below(b, 8) == 0; /* as where the centroid filter is of no use */
        b->nearest->n_scans = scans;
        int64_t expected = nearest_by_definition(b, weights, row, by_size, limit);
        assert_int_equal(kanon__nearest_find(b->nearest, row, by_size, limit), expected);
        if (expected >= 0 && !scans)
            check_bounds(b, weights, row, limit);
        int64_t cluster = expected >= 0 && below(b, 4) > 0 ? expected : below(b, b->centroids->n);
        int64_t times = below(b, 30) == 0 ? 300 : 1; /* large clusters share a class */
        for (int64_t i = 0; i < times; i++)
            kanon__centroids_add(b->centroids, cluster, row);
        kanon__nearest_update(b->nearest, cluster);
        if (below(b, 100) > 0)
            continue;
        kanon__centroids_empty(b->centroids);
        kanon__nearest_reset(b->nearest, weights);
        limit = 0;
    }
}

static void compare(const kanon_table *table, const kanon__centroid_kernels *kernels, int64_t n_clusters, uint64_t seed)
{
    kanon_error err = KANON_INIT(kanon_error);
    bench b = {0};
    kanon__random_init(&b.random, seed, 0);
    assert_int_equal(kanon__space_new(&b.space, &table->data, table->data.quasi, table->data.n_quasi, KANON__TERMS_LOSS,
                                      &err), KANON_OK);
    assert_int_equal(kanon__centroids_new(&b.centroids, b.space, n_clusters, &err), KANON_OK);
    assert_int_equal(kanon__centroids_seed(b.centroids, &b.random, NULL, &err), KANON_OK);
    assert_int_equal(kanon__nearest_new(&b.nearest, b.centroids, "auto", &err), KANON_OK);
    if (b.nearest->filter == NULL) /* a processor without vectors scans; here it must filter */
        assert_int_equal(kanon__centroid_filter_new(&b.nearest->filter, b.centroids, kernels, b.nearest->node_terms, &err),
                         KANON_OK);
    b.nearest->filter->kernels = kernels;
    b.weights = calloc((size_t)b.space->n_dimensions, sizeof *b.weights);
    for (int i = 0; i < b.space->n_dimensions; i++)
        b.weights[i] = 1 + (uint32_t)below(&b, 4000);
    ask(&b, NULL);
    ask(&b, b.weights);
    free(b.weights);
    kanon__nearest_free(b.nearest);
    kanon__centroids_free(b.centroids);
    kanon__space_free(b.space);
}

/* Numbers with gaps, a taxonomy of few nodes, one of more than the centroid filter has bins, one with too many codes for a
 * table. */
static kanon_table *make_table(void)
{
    static char csv[TEXT_SIZE];
    kanon__random random;
    size_t length = (size_t)snprintf(csv, sizeof csv, "age,wage,sex,town,zip,secret\n");
    kanon__random_init(&random, SEED, 1);
    for (int row = 0; row < N_ROWS; row++) {
        int64_t age = kanon__random_below(&random, 90);
        length += (size_t)snprintf(csv + length, sizeof csv - length, "%s%.*d,%d,%c,t%d,%05d,x\n", age == 0 ? "?" : "",
                                   age == 0 ? 0 : 1, (int)age, (int)kanon__random_below(&random, 1000000),
                                   "fm"[kanon__random_below(&random, 2)], (int)kanon__random_below(&random, 200),
                                   (int)kanon__random_below(&random, 90000));
    }
    return table_from_texts(csv, "missing: [\"?\"]\n"
                                 "attributes:\n"
                                 "  age: {role: quasi, type: integer}\n"
                                 "  wage: {role: quasi, type: integer}\n"
                                 "  sex: {role: quasi, type: categorical}\n"
                                 "  town: {role: quasi, type: categorical}\n"
                                 "  zip: {role: quasi, type: categorical, mask: right}\n"
                                 "  secret: {role: sensitive, type: categorical}\n");
}

static void large_table(void **state)
{
    const kanon__centroid_kernels *kernels;
    kanon_table *table = make_table();
    (void)state;
    print_message("seed %d\n", SEED);
    for (int i = 0; (kernels = kanon__centroid_kernels_nth(i)) != NULL; i++)
        for (uint64_t seed = SEED; seed < SEED + 3; seed++)
            compare(table, kernels, seed == SEED ? 1000 : 60 + (int64_t)seed, seed);
    kanon_table_free(table);
}

static void random_tables(void **state)
{
    const kanon__centroid_kernels *kernels;
    (void)state;
    print_message("seeds %d to %d\n", SEED, SEED + RANDOM_TABLES - 1);
    for (uint64_t seed = SEED; seed < SEED + RANDOM_TABLES; seed++) {
        random_table random = random_table_new(seed);
        int64_t n_clusters = (random.table->data.n_rows + 1) / 2;
        for (int i = 0; n_clusters > 0 && (kernels = kanon__centroid_kernels_nth(i)) != NULL; i++)
            compare(random.table, kernels, n_clusters, seed);
        random_table_clear(&random);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(large_table), cmocka_unit_test(random_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
