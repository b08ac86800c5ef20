/* Growing groups, by their loss and by their sensitive values: the scan and the index against the definition, on random
 * tables with everything that is awkward: many equal records, missing values, ragged and deep taxonomies, large
 * domains, weights. */
#include "core/alloc.h"
#include "core/random.h"
#include "papers/diversity_search.h"
#include "search/density.h"
#include "search/free_tree.h"
#include "search/growth.h"
#include "support.h"

enum { TABLES = 120, WIDE_TABLES = 8, USUAL_COLUMNS = 7, MOST_COLUMNS = 24, TEXT_SIZE = 4 << 20, CHAIN = 120 };

/* The ways to find records, as the setting names them. */
enum { SCAN, INDEX, AUTO, N_WAYS };
static const char *const WAYS[N_WAYS] = {"scan", "index", "auto"};

typedef enum kind { INTEGER, WIDE_INTEGER, DECIMAL, FLAT, RAGGED, DEEP, MASKED, MANY, N_KINDS } kind;

typedef struct plan {
    kind kind;
    int64_t n_values, missing_percent;
    const char *weight;
} plan;

static char yaml[TEXT_SIZE], csv[TEXT_SIZE];

static int64_t draw(kanon__random *random, int64_t lo, int64_t hi)
{
    return lo + kanon__random_below(random, hi - lo + 1);
}

/* ---- making tables ----------------------------------------------------------------------------------------------- */

/* Leaves at every depth: v0 below the root, v1 below a node below it, ... */
static void write_deep_taxonomy(void)
{
    static char text[CHAIN * CHAIN * 8];
    size_t length = 0;
    for (int leaf = 0; leaf < CHAIN; leaf++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "v%d;", leaf);
        for (int node = leaf; node > 0; node--)
            length += (size_t)snprintf(text + length, sizeof text - length, "n%d;", node);
        length += (size_t)snprintf(text + length, sizeof text - length, "all\n");
    }
    write_text(scratch("deep.csv").text, text);
}

/* More leaves than a table of pairs is made for, two to a branch. */
static void write_large_taxonomy(void)
{
    static char text[1 << 16];
    size_t length = 0;
    for (int leaf = 0; leaf < 700; leaf++)
        length += (size_t)snprintf(text + length, sizeof text - length, "v%d;n%d;all\n", leaf, leaf / 2);
    write_text(scratch("many.csv").text, text);
}

static plan draw_plan(kanon__random *random)
{
    static const char *const weights[] = {"1", "1", "1", "2", "0.5", "0.3"};
    static const int64_t most[N_KINDS] = {9, 5000000, 300, 4, 8, CHAIN, 3000, 5};
    plan p = {.kind = (kind)draw(random, 0, N_KINDS - 1)};
    p.n_values = draw(random, 1, 6) == 1 ? 1 : draw(random, 2, most[p.kind]);
    p.missing_percent = draw(random, 0, 2) == 0 ? draw(random, 1, 60) : 0;
    p.weight = weights[draw(random, 0, 5)];
    return p;
}

static size_t write_cell(const plan *p, kanon__random *random, char *out, size_t size)
{
    int value = (int)draw(random, 0, p->n_values - 1);
    if (draw(random, 1, 100) <= p->missing_percent)
        return (size_t)snprintf(out, size, "?");
    switch (p->kind) {
    case INTEGER:
    case WIDE_INTEGER:
        return (size_t)snprintf(out, size, "%d", value - 3);
    case DECIMAL:
        return (size_t)snprintf(out, size, "%d.%02d", value / 100, value % 100);
    case MASKED:
        return (size_t)snprintf(out, size, "%04d", value * 7 % 10000);
    default:
        return (size_t)snprintf(out, size, "v%d", value);
    }
}

/* The first column is a quasi-identifier in any case. */
static void write_schema(const plan *plans, int n_columns, const char *role)
{
    static const char *const forms[N_KINDS] = {
        "type: integer",
        "type: integer",
        "type: decimal",
        "type: categorical",
        "type: categorical, taxonomy: {v0: , a: {v1: , b: {v2: , v3: }, c: {v4: }}, d: {v5: , v6: , v7: }}",
        "type: categorical, taxonomy: deep.csv",
        "type: categorical, mask: right",
        "type: categorical, taxonomy: many.csv",
    };
    size_t length = (size_t)snprintf(yaml, sizeof yaml, "missing: [\"?\"]\nattributes:\n");
    for (int i = 0; i < n_columns; i++)
        length += (size_t)snprintf(yaml + length, sizeof yaml - length, "  c%d: {role: %s, %s, weight: %s}\n", i,
                                   i > 0 ? role : "quasi", forms[plans[i].kind], plans[i].weight);
}

static int64_t draw_duplicates(kanon__random *random)
{
    return draw(random, 0, 2) == 0 ? draw(random, 10, 95) : 0;
}

static void write_rows(const plan *plans, int n_columns, kanon__random *random, int64_t n_rows, int64_t duplicates_percent)
{
    size_t length = 0, last = 0;
    for (int i = 0; i < n_columns; i++)
        length += (size_t)snprintf(csv + length, sizeof csv - length, "%sc%d", i > 0 ? "," : "", i);
    csv[length++] = '\n';
    for (int64_t row = 0; row < n_rows; row++) {
        size_t begin = length;
        if (row > 0 && draw(random, 1, 100) <= duplicates_percent) {
            memcpy(csv + length, csv + last, begin - last);
            length += begin - last;
            last = begin;
            continue;
        }
        last = begin;
        for (int i = 0; i < n_columns; i++) {
            length += write_cell(&plans[i], random, csv + length, sizeof csv - length);
            csv[length++] = i < n_columns - 1 ? ',' : '\n';
        }
        assert_true(length < sizeof csv - 1000);
    }
    csv[length] = '\0';
}

static kanon__space *space_of(const kanon_table *table)
{
    kanon__space *space = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon__space_new(&space, &table->data, table->data.quasi, table->data.n_quasi, KANON__TERMS_LOSS, &err),
                &err);
    return space;
}

/* ---- the definition ---------------------------------------------------------------------------------------------- */

typedef struct free_rows {
    const kanon__space *space;
    bool *is_free;
    kanon__bound box[2 * MOST_COLUMNS];
    int64_t n_members;
} free_rows;

static int64_t least(const free_rows *f, uint32_t *units)
{
    int64_t best = -1;
    for (int64_t row = 0; row < f->space->n_rows; row++) {
        uint32_t here = f->is_free[row] ? kanon__box_units_with(f->space, f->box, row) : 0;
        if (f->is_free[row] && (best < 0 || here < *units)) {
            *units = here;
            best = row;
        }
    }
    return best;
}

/* Every so many-th row is accepted. */
static bool is_multiple(void *every, int64_t row)
{
    return row % *(int64_t *)every == 0;
}

static int64_t least_accepted(const free_rows *f, int64_t every, uint32_t most, uint32_t *units)
{
    int64_t best = -1;
    for (int64_t row = 0; row < f->space->n_rows; row += every) {
        uint32_t here = f->is_free[row] ? kanon__box_units_with(f->space, f->box, row) : UINT32_MAX;
        if (f->is_free[row] && here <= most && (best < 0 || here < *units)) {
            *units = here;
            best = row;
        }
    }
    return best;
}

static int64_t farthest(const free_rows *f, int64_t from)
{
    int64_t best = -1;
    uint32_t most = 0;
    for (int64_t row = 0; row < f->space->n_rows; row++) {
        uint32_t here = f->is_free[row] ? kanon__pair_units(f->space, from, row) : 0;
        if (f->is_free[row] && (best < 0 || here > most)) {
            most = here;
            best = row;
        }
    }
    return best;
}

static int64_t nth(const free_rows *f, int64_t index)
{
    for (int64_t row = 0; row < f->space->n_rows; row++)
        if (f->is_free[row] && index-- == 0)
            return row;
    return -1;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static void take(free_rows *f, kanon__growth **ways, int64_t row)
{
    if (f->n_members++ == 0)
        kanon__box_start(f->space, f->box, row);
    else
        kanon__box_add(f->space, f->box, row);
    f->is_free[row] = false;
    for (int i = 0; i < N_WAYS; i++)
        kanon__growth_take_record(ways[i], row);
}

static int64_t agreed_least(const free_rows *f, kanon__growth **ways)
{
    uint32_t expected_units = 0;
    int64_t expected = least(f, &expected_units);
    for (int i = 0; i < N_WAYS; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        int64_t row;
        uint32_t units;
        assert_done(kanon__growth_find_cheapest(ways[i], &row, &units, &err), &err);
        assert_int_equal(row, expected);
        if (expected >= 0)
            assert_int_equal(units, expected_units);
    }
    return expected;
}

/* The index alone answers this, and may say that a scan is better; never where all rows are accepted. */
static void compare_accepted(const free_rows *f, kanon__growth *index, int64_t every, uint32_t most)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__growth_answer answer;
    uint32_t units = 0, expected_units = 0;
    int64_t row, expected = least_accepted(f, every, most, &expected_units);
    assert_done(kanon__growth_find_accepted(index, is_multiple, &every, most, &answer, &row, &units, &err), &err);
    if (answer == KANON__GROWTH_SCAN) {
        assert_true(every > 1);
        return;
    }
    assert_int_equal(answer == KANON__GROWTH_FOUND, expected >= 0);
    assert_int_equal(row, expected);
    if (expected >= 0)
        assert_int_equal(units, expected_units);
}

static int64_t agreed_farthest(const free_rows *f, kanon__growth **ways, int64_t from)
{
    int64_t expected = farthest(f, from);
    for (int i = 0; i < N_WAYS; i++)
        assert_int_equal(kanon__growth_find_farthest(ways[i], from), expected);
    return expected;
}

/* Groups as kmember and greedy-threshold grow them, and now and then a record that nobody asked for. Returns whether the
 * tree was given up. */
static bool compare(const kanon__space *space, kanon__random *random, int64_t most_groups)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__growth *ways[N_WAYS] = {NULL};
    free_rows f = {.space = space, .is_free = malloc((size_t)space->n_rows)};
    assert_non_null(f.is_free);
    memset(f.is_free, 1, (size_t)space->n_rows);
    for (int i = 0; i < N_WAYS; i++)
        assert_done(kanon__growth_new(&ways[i], space, WAYS[i], &err), &err);
    int64_t seed = draw(random, 0, space->n_rows - 1), k = draw(random, 1, 12);
    for (int64_t groups = 0; seed >= 0 && groups < most_groups; groups++) {
        for (int i = 0; i < N_WAYS; i++)
            kanon__growth_start_group(ways[i]);
        f.n_members = 0;
        take(&f, ways, seed);
        for (int64_t row; f.n_members < k && (row = agreed_least(&f, ways)) >= 0;) {
            compare_accepted(&f, ways[INDEX], draw(random, 1, 40), draw(random, 0, 1) ? UINT32_MAX : (uint32_t)space->scale);
            take(&f, ways, draw(random, 1, 9) > 1 ? row : nth(&f, draw(random, 0, kanon__growth_n_free(ways[INDEX]) - 1)));
        }
        int64_t n_free = kanon__growth_n_free(ways[INDEX]), index = n_free > 0 ? draw(random, 0, n_free - 1) : 0;
        for (int i = 0; i < N_WAYS; i++)
            assert_int_equal(kanon__growth_nth_free(ways[i], index), nth(&f, index));
        agreed_farthest(&f, ways, draw(random, 0, space->n_rows - 1));
        seed = agreed_farthest(&f, ways, seed);
    }
    bool was_flat = kanon__growth_is_flat(ways[AUTO]);
    for (int i = 0; i < N_WAYS; i++)
        kanon__growth_free(ways[i]);
    free(f.is_free);
    return was_flat;
}

/* Clusters as densest makes them: what each growth costs, and the records that join. */
static bool compare_densities(const kanon__space *space, kanon__random *random)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__density *ways[N_WAYS] = {NULL};
    int64_t k = draw(random, 1, 9);
    for (int i = 0; i < N_WAYS; i++)
        assert_done(kanon__density_new(&ways[i], space, WAYS[i], &err), &err);
    for (int64_t row = 0; row < space->n_rows && kanon__density_n_free(ways[SCAN]) >= k; row++) {
        int32_t seed = kanon__density_seed_of(ways[SCAN], row), found[N_WAYS];
        uint32_t units[N_WAYS];
        for (int i = 0; i < N_WAYS && seed >= 0; i++)
            assert_done(kanon__density_measure(ways[i], seed, k, &units[i], &err), &err);
        for (int i = 0; i < N_WAYS && seed >= 0; i++)
            assert_int_equal(units[i], units[SCAN]);
        if (seed < 0 || draw(random, 0, 3) > 0)
            continue;
        for (int i = 0; i < N_WAYS; i++)
            assert_done(kanon__density_begin_cluster(ways[i], seed, &err), &err);
        for (int64_t size = 1; size < k; size++)
            for (int i = 0; i < N_WAYS; i++) {
                assert_done(kanon__density_find_next(ways[i], &found[i], &units[i], &err), &err);
                assert_int_equal(found[i], found[SCAN]);
                assert_int_equal(units[i], units[SCAN]);
                kanon__density_take_found(ways[i]);
            }
    }
    bool was_flat = kanon__density_is_flat(ways[AUTO]);
    for (int i = 0; i < N_WAYS; i++)
        kanon__density_free(ways[i]);
    return was_flat;
}

/* Columns without order: the more there are, the less a tree can leave out. */
static void flat_scan_agrees(void **state)
{
    kanon__random random;
    int n_flat = 0, n_flat_densities = 0;
    (void)state;
    kanon__random_init(&random, test_seed(), 4);
    for (int i = 0; i < WIDE_TABLES; i++) {
        plan plans[MOST_COLUMNS];
        for (int j = 0; j < MOST_COLUMNS; j++)
            do
                plans[j] = draw_plan(&random);
            while (plans[j].kind == MANY || plans[j].kind == DEEP || plans[j].kind == MASKED); /* slow to climb */
        plans[0] = i % 2 == 0 ? (plan){MANY, 5, 0, "1"} : (plan){INTEGER, 9, 10, "1"};
        write_schema(plans, MOST_COLUMNS, "quasi");
        int64_t n_rows = draw(&random, 250, 400);
        write_rows(plans, MOST_COLUMNS, &random, n_rows, draw_duplicates(&random));
        kanon_table *table = table_of(yaml, csv);
        kanon__space *space = space_of(table);
        n_flat += compare(space, &random, INT64_MAX);
        n_flat_densities += compare_densities(space, &random);
        kanon__space_free(space);
        kanon_table_free(table);
    }
    assert_in_range(n_flat, WIDE_TABLES / 4, WIDE_TABLES); /* else this test would compare nothing */
    assert_in_range(n_flat_densities, WIDE_TABLES / 4, WIDE_TABLES);
}

static void ways_agree(void **state)
{
    kanon__random random;
    (void)state;
    kanon__random_init(&random, test_seed(), 0);
    for (int i = 0; i < TABLES; i++) {
        plan plans[MOST_COLUMNS];
        int n_columns = (int)draw(&random, 1, USUAL_COLUMNS);
        for (int j = 0; j < n_columns; j++)
            plans[j] = draw_plan(&random);
        write_schema(plans, n_columns, "quasi");
        int64_t n_rows = draw(&random, 1, 20) == 1 ? draw(&random, 1, 3) : draw(&random, 20, 450);
        write_rows(plans, n_columns, &random, n_rows, draw_duplicates(&random));
        kanon_table *table = table_of(yaml, csv);
        kanon__space *space = space_of(table);
        compare(space, &random, INT64_MAX);
        kanon__space_free(space);
        kanon_table_free(table);
    }
}

/* More than 2^16 codes on one attribute, and on another more leaves than there is a table of pairs for. */
static void large_domains(void **state)
{
    plan plans[] = {{WIDE_INTEGER, 5000000, 1, "1"}, {MASKED, 3000, 1, "1"}, {INTEGER, 9, 0, "1"}, {DECIMAL, 300, 0, "2"}};
    kanon__random random;
    (void)state;
    kanon__random_init(&random, test_seed(), 1);
    write_schema(plans, 4, "quasi");
    write_rows(plans, 4, &random, 80000, 0);
    kanon_table *table = table_of(yaml, csv);
    kanon__space *space = space_of(table);
    assert_true(space->dimensions[0].n_codes > 1 << 16);
    assert_null(space->dimensions[1].pair_units);
    compare(space, &random, 8);
    kanon__space_free(space);
    kanon_table_free(table);
}

/* ---- sensitive values -------------------------------------------------------------------------------------------- */

static uint64_t affinity_of(const kanon__s_diversity *s, const int64_t *members, int64_t n, int64_t row)
{
    uint64_t affinity = 0;
    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < s->space->n_dimensions; j++) {
            kanon__codes codes = s->space->dimensions[j].codes;
            affinity += kanon__s_diversity_contribution(s, j, kanon__code_at(codes, members[i]), kanon__code_at(codes, row));
        }
    return affinity;
}

static int64_t least_affinity(const kanon__s_diversity *s, const bool *is_free, const int64_t *members, int64_t n,
                              uint64_t *affinity)
{
    int64_t best = -1;
    for (int64_t row = 0; row < s->space->n_rows; row++) {
        uint64_t here = is_free[row] ? affinity_of(s, members, n, row) : 0;
        if (is_free[row] && (best < 0 || here < *affinity)) {
            *affinity = here;
            best = row;
        }
    }
    return best;
}

static int64_t agreed_least_affinity(kanon__diversity_search **ways, const kanon__s_diversity *s, const bool *is_free,
                                     const int64_t *members, int64_t n)
{
    uint64_t expected_affinity = 0;
    int64_t expected = least_affinity(s, is_free, members, n, &expected_affinity);
    for (int i = 0; i < 2; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        int64_t row;
        uint64_t affinity;
        assert_done(kanon__diversity_search_find_least(ways[i], &row, &affinity, &err), &err);
        assert_int_equal(row, expected);
        if (expected >= 0)
            assert_int_equal(affinity, expected_affinity);
    }
    return expected;
}

static void compare_diversity_search(const kanon__s_diversity *s, kanon__random *random)
{
    enum { MOST_MEMBERS = 12 };
    kanon_error err = KANON_INIT(kanon_error);
    kanon__diversity_search *ways[2] = {NULL, NULL};
    int64_t members[MOST_MEMBERS], k = draw(random, 2, MOST_MEMBERS), n_left = s->space->n_rows;
    bool *is_free = malloc((size_t)n_left);
    assert_non_null(is_free);
    memset(is_free, 1, (size_t)n_left);
    assert_done(kanon__diversity_search_new(&ways[0], s, "scan", &err), &err);
    assert_done(kanon__diversity_search_new(&ways[1], s, "index", &err), &err);
    while (n_left > 0) {
        int64_t row;
        do
            row = draw(random, 0, s->space->n_rows - 1);
        while (!is_free[row]);
        for (int i = 0; i < 2; i++)
            kanon__diversity_search_start_group(ways[i]);
        for (int64_t n = 0; row >= 0;) {
            is_free[row] = false;
            n_left--;
            members[n++] = row;
            for (int i = 0; i < 2; i++)
                assert_done(kanon__diversity_search_take_record(ways[i], row, &err), &err);
            if (n == k)
                break;
            row = agreed_least_affinity(ways, s, is_free, members, n);
        }
    }
    kanon__diversity_search_free(ways[1]);
    kanon__diversity_search_free(ways[0]);
    free(is_free);
}

static void diversity_searches_agree(void **state)
{
    static const char *const radii[] = {"1", "1", "0.5", "0.25", "0.371", "0"};
    kanon__random random;
    (void)state;
    kanon__random_init(&random, test_seed(), 3);
    for (int i = 0; i < TABLES; i++) {
        plan plans[4];
        kanon_error err = KANON_INIT(kanon_error);
        kanon__s_diversity *s_diversity = NULL;
        int n_columns = (int)draw(&random, 2, 4);
        for (int j = 0; j < n_columns; j++)
            plans[j] = draw_plan(&random);
        write_schema(plans, n_columns, "sensitive");
        int64_t n_rows = draw(&random, 2, 250);
        write_rows(plans, n_columns, &random, n_rows, draw_duplicates(&random));
        kanon_table *table = table_of(yaml, csv);
        assert_done(kanon__s_diversity_new(&s_diversity, &table->data, radii[draw(&random, 0, 5)], &err), &err);
        compare_diversity_search(s_diversity, &random);
        kanon__s_diversity_free(s_diversity);
        kanon_table_free(table);
    }
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

/* The children of a node share its tuples out, bounds hold all below them, and no way down is too long. */
static void check_tree(const kanon__tuple_tree *x)
{
    int m = x->tuples->n_dimensions;
    int *depths = malloc((size_t)x->n_nodes * sizeof *depths);
    assert_non_null(depths);
    depths[0] = 1;
    for (int64_t i = 0; i < x->n_nodes; i++) {
        kanon__tree_node node = x->nodes[i];
        assert_true(depths[i] <= KANON__TREE_DEPTH);
        for (int64_t cell = node.begin * m; cell < node.end * m; cell++) {
            const kanon__bound *bounds = x->boxes + i * 2 * m + 2 * (cell % m);
            assert_in_range(x->codes[cell], bounds[0], bounds[1]);
        }
        if (node.first_child < 0)
            continue;
        const kanon__tree_node *left = &x->nodes[node.first_child], *right = left + 1;
        assert_true(node.first_child > i && left->begin == node.begin && left->end == right->begin &&
                    right->end == node.end);
        assert_true(left->begin < left->end && right->begin < right->end);
        depths[node.first_child] = depths[node.first_child + 1] = depths[i] + 1;
    }
    free(depths);
}

/* A taxonomy that is one long chain peels off a leaf at a time, for as long as that is allowed. */
static void tree_is_not_too_deep(void **state)
{
    plan plans[] = {{DEEP, CHAIN, 0, "1"}, {DEEP, CHAIN, 0, "1"}, {DEEP, CHAIN, 0, "1"}};
    kanon__random random;
    kanon_error err = KANON_INIT(kanon_error);
    kanon__tuples *tuples = NULL;
    kanon__tuple_tree *index = NULL;
    (void)state;
    kanon__random_init(&random, test_seed(), 2);
    write_schema(plans, 3, "quasi");
    write_rows(plans, 3, &random, 6000, draw_duplicates(&random));
    kanon_table *table = table_of(yaml, csv);
    kanon__space *space = space_of(table);
    assert_done(kanon__tuples_new(&tuples, space, &err), &err);
    assert_done(kanon__tuple_tree_new(&index, space, tuples, &err), &err);
    check_tree(index);
    kanon__tuple_tree_free(index);
    kanon__tuples_free(tuples);
    compare(space, &random, 20);
    kanon__space_free(space);
    kanon_table_free(table);
}

/* Two numbers: the farthest from (0, 0) of a node is as far as its farthest tuple, not as its corner. */
static void sums_bound_what_is_there(void **state)
{
    kanon__free_tree *tree = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_table *table = table_of("attributes: {a: quasi, b: quasi}\n", "a,b\n0,0\n0,10\n10,0\n4,5\n");
    kanon__space *space = space_of(table);
    uint32_t full = space->dimensions[0].full;
    assert_done(kanon__free_tree_new(&tree, space, true, &err), &err);
    assert_int_equal(tree->n_columns, 4);
    assert_int_equal(tree->n_nodes, 1);
    /* a + b goes from 0 to full, a - b from -full to full, both moved up by 2 full */
    assert_int_equal(tree->boxes[4], 2 * full);
    assert_int_equal(tree->boxes[5], 3 * full);
    assert_int_equal(tree->boxes[6], full);
    assert_int_equal(tree->boxes[7], 3 * full);
    /* without (10, 0), a - b goes up to 0: (0, 0) */
    kanon__free_tree_take(tree, tree->place_of[2], 2);
    kanon__free_tree_tighten(tree);
    assert_int_equal(tree->boxes[7], 2 * full);
    assert_int_equal(tree->boxes[5], 3 * full);
    assert_false(kanon__free_tree_has(tree, 2));
    assert_true(kanon__free_tree_has(tree, 3));
    kanon__free_tree_free(tree);
    kanon__space_free(space);
    kanon_table_free(table);
}

static void no_memory(void **state)
{
    kanon__growth *growth = NULL;
    (void)state;
    kanon_table *table = table_of("attributes: {a: quasi, b: quasi}\n", "a,b\n1,x\n2,x\n3,y\n4,y\n5,z\n6,z\n");
    kanon__space *space = space_of(table);
    for (int64_t i = 1;; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__alloc_fail_at(i, false);
        kanon_status st = kanon__growth_new(&growth, space, "index", &err);
        kanon__alloc_fail_at(0, false);
        if (st == KANON_OK)
            break;
        assert_int_equal(st, KANON_ENOMEM);
        assert_null(growth);
    }
    kanon__growth_free(growth);
    kanon__space_free(space);
    kanon_table_free(table);
}

static int set_up(void **state)
{
    int failed = make_scratch(state);
    if (failed == 0) {
        write_deep_taxonomy();
        write_large_taxonomy();
    }
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_agree),
        cmocka_unit_test(flat_scan_agrees),
        cmocka_unit_test(large_domains),
        cmocka_unit_test(diversity_searches_agree),
        cmocka_unit_test(tree_is_not_too_deep),
        cmocka_unit_test(sums_bound_what_is_there),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
