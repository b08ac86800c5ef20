/* Groups while records are moved between them: whatever the history, boxes, losses and what a record costs are those of the
 * members, and the index of groups finds what trying all of them finds. */
#include "core/random.h"
#include "enforce/mutable_groups.h"
#include "reference/private_table.h"
#include "reference/random_table.h"
#include "reference/reference.h"
#include "support.h"

enum { TABLES = 30, STEPS = 150, GROUPS = 5 };

/* D of the members of a group but one; 0 where there are none. */
static uint32_t units_without(const kanon__run *run, int32_t group, int64_t except, int64_t *size)
{
    kanon__bound box[64];
    *size = 0;
    for (int64_t row = 0; row < run->space->n_rows; row++) {
        if (run->group_of[row] != group || row == except)
            continue;
        if ((*size)++ == 0)
            kanon__box_start(run->space, box, row);
        else
            kanon__box_add(run->space, box, row);
    }
    return *size > 0 ? kanon__box_units(run->space, box) : 0;
}

static void check_group(kanon__mutable_groups *g, int32_t group)
{
    int64_t size, rest;
    uint32_t units = units_without(g->run, group, -1, &size);
    assert_int_equal(g->sizes[group], size);
    if (size == 0)
        return;
    assert_int_equal(g->units[group], units);
    for (int64_t row = 0; row < g->space->n_rows; row++) {
        if (g->run->group_of[row] != group)
            continue;
        uint32_t units_left = units_without(g->run, group, row, &rest);
        assert_int_equal(kanon__mutable_groups_decrease(g, group, row), size * (int64_t)units - rest * (int64_t)units_left);
    }
}

/* A group is open wherever some record may join it. */
static void check_open(kanon__mutable_groups *g, int32_t group)
{
    kanon_error err = KANON_INIT(kanon_error);
    bool holds = false;
    if (g->tallies == NULL || g->sizes[group] == 0)
        return;
    for (int64_t row = 0; row < g->space->n_rows && !g->open[group]; row++) {
        if (g->run->group_of[row] == group)
            continue;
        assert_done(kanon__tally_holds_with(&g->tallies[group], row, &holds, &err), &err);
        assert_false(holds);
    }
}

/* The cheapest group for a record is the one that trying all of them finds. */
static void check_cheapest(kanon__mutable_groups *g, int64_t row)
{
    kanon_error err = KANON_INIT(kanon_error);
    int32_t own = g->run->group_of[row], best = -1, found;
    int64_t least = INT64_MAX, increase;
    for (int32_t group = 0; group < g->n_groups; group++) {
        bool holds = true;
        int64_t more = group != own && g->sizes[group] > 0 ? kanon__mutable_groups_increase(g, group, row) : INT64_MAX;
        if (more >= least)
            continue;
        if (g->tallies != NULL)
            assert_done(kanon__tally_holds_with(&g->tallies[group], row, &holds, &err), &err);
        best = holds ? group : best;
        least = holds ? more : least;
    }
    assert_done(kanon__mutable_groups_cheapest(g, row, own, INT64_MAX, &found, &increase, &err), &err);
    assert_int_equal(found, best);
    assert_int_equal(increase, least);
    if (best >= 0)
        assert_done(kanon__mutable_groups_cheapest(g, row, own, least, &found, &increase, &err), &err);
    assert_true(best < 0 || found < 0 || found != best); /* what costs as much as the limit is not found */
}

/* Every group comes once, by rising cost, and the cost is that of the merge. */
static void check_partners(kanon__mutable_groups *g, int32_t group)
{
    kanon_error err = KANON_INIT(kanon_error);
    int64_t n = 0, before = INT64_MIN, cost;
    int32_t other, previous = -1;
    if (g->sizes[group] == 0)
        return;
    assert_done(kanon__mutable_groups_find_partners(g, group, INT64_MAX, &err), &err);
    for (;; n++) {
        assert_done(kanon__host_tree_next(g->hosts, &other, &cost, &err), &err);
        if (other < 0)
            break;
        assert_true(cost > before || (cost == before && other > previous));
        assert_true(other == group || cost == kanon__mutable_groups_merge_cost(g, group, other));
        before = cost;
        previous = other;
    }
    assert_int_equal(n, g->n_left);
}

static void step(kanon__mutable_groups *g, kanon__random *random)
{
    kanon_error err = KANON_INIT(kanon_error);
    int32_t row = (int32_t)kanon__random_below(random, g->space->n_rows);
    int32_t into = (int32_t)kanon__random_below(random, GROUPS), from = (int32_t)kanon__random_below(random, GROUPS);
    bool merges = kanon__random_below(random, 40) == 0 && into != from && g->sizes[into] > 0 && g->sizes[from] > 0;
    if (merges)
        assert_done(kanon__mutable_groups_merge(g, into, from, &err), &err);
    else if (g->sizes[into] > 0 && g->run->group_of[row] != into) /* what is gone stays so */
        assert_done(kanon__mutable_groups_move(g, row, into, &err), &err);
}

static void walk(const kanon_table *table, int64_t k, uint64_t seed)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__constraints *c = NULL;
    kanon__space *space = NULL;
    kanon__random random;
    kanon__mutable_groups g;
    assert_done(kanon__space_new(&space, &table->data, table->data.quasi, table->data.n_quasi, KANON__TERMS_LOSS, &err),
                &err);
    kanon__run run = {.table = &table->data, .policy = &table->policy, .space = space, .k = k, .n_groups = GROUPS};
    kanon__random_init(&random, seed, 0);
    assert_done(kanon__constraints_new(&c, &table->data, &table->policy, k, &err), &err);
    run.constraints = c;
    run.group_of = REF_NEW(int32_t, table->data.n_rows);
    for (int64_t row = 0; row < table->data.n_rows; row++)
        run.group_of[row] = (int32_t)(row % GROUPS);
    assert_done(kanon__mutable_groups_init(&g, &run, &err), &err);
    for (int i = 0; i < STEPS; i++) {
        step(&g, &random);
        check_group(&g, i % GROUPS);
        check_cheapest(&g, kanon__random_below(&random, space->n_rows));
        check_partners(&g, i % GROUPS);
        for (int32_t group = 0; group < GROUPS; group++)
            check_open(&g, group);
    }
    kanon__mutable_groups_clear(&g);
    free(run.group_of);
    kanon__constraints_free(c);
    kanon__space_free(space);
}

static void groups_follow_their_members(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        private_table texts = private_table_new(seed, (unsigned)seed * 37 % (1u << PRIVATE_MODELS), seed % 3 == 0, NULL);
        kanon_table *table = table_from_texts(texts.csv, texts.yaml);
        walk(table, texts.k, seed);
        kanon_table_free(table);
    }
}

/* At first each group has one value, and none of them can take anybody. */
static void groups_open_and_close(void **state)
{
    char csv[2000] = "zip,what\n";
    (void)state;
    for (int row = 0; row < 60; row++)
        snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "%d,%c\n", row * row % 37, "abcde"[row % GROUPS]);
    kanon_table *table = table_from_texts(csv,
                                          "attributes: {zip: {role: quasi, type: integer}, what: sensitive}\n"
                                          "privacy: {k: 2, constraints: [{model: t-closeness, attribute: what, t: 0.4}]}\n");
    for (uint64_t seed = 1; seed <= TABLES; seed++)
        walk(table, 2, seed);
    kanon_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_follow_their_members),
                                       cmocka_unit_test(groups_open_and_close)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
