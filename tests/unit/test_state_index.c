/* The index of groups gives the answers that a look at every group gives, however it was cut and changed. */
#include "core/random.h"
#include "state/group_index.h"
#include "state/session.h"
#include "support.h"

static const char *const hospital[] = {"hospital.csv", "hospital.yaml"};

static kanon_state *make_state(int64_t n_rows, uint64_t seed, int64_t k)
{
    kanon_error err = {0};
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_state *state = NULL;
    place directory = scratch("h"), path = scratch("x.state");
    assert_done(kanon_sample_hospital(directory.text, n_rows, seed, NULL, NULL, &err), &err);
    assert_done(kanon_schema_read(&schema, inside(directory.text, hospital[1]).text, &err), &err);
    assert_done(kanon_table_read(&table, inside(directory.text, hospital[0]).text, schema, NULL, &err), &err);
    kanon_options options = {.struct_size = sizeof options, .k = k, .algorithm = "mondrian"};
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    unlink(path.text);
    assert_done(kanon_state_create(path.text, table, schema, grouping, NULL, NULL, &err), &err);
    assert_done(kanon_state_open(&state, path.text, NULL, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return state;
}

/* ---- by looking at every group ----------------------------------------------------------------------------------------
 * */

typedef struct scan {
    const kanon_state *state;
    const int64_t *places;
    int64_t record;         /* whose group is looked for */
    int64_t best, increase; /* number of the cheapest group */
    int64_t own;            /* number of the record's group */
} scan;

static kanon_status scan_leaf(const kanon__node *leaf, void *payload, kanon_error *err)
{
    scan *s = payload;
    (void)err;
    for (int slot = 0; slot < leaf->n; slot++) {
        int64_t now = 0, then = 0, size = leaf->begins[slot + 1] - leaf->begins[slot];
        for (int i = 0; i < s->state->n_dimensions; i++) {
            const kanon__dimension_now *d = &s->state->space->dimensions[i];
            int32_t lo = kanon__spot_of(d, kanon__group_edge(leaf, slot, i, 0));
            int32_t hi = kanon__spot_of(d, kanon__group_edge(leaf, slot, i, 1));
            int32_t spot = kanon__spot_of(d, s->places[i]);
            now += kanon__spots_units(d, lo, hi);
            then += kanon__spots_units(d, lo < spot ? lo : spot, hi > spot ? hi : spot);
        }
        int64_t increase = (size + 1) * then - size * now;
        if (s->best == 0 || increase < s->increase || (increase == s->increase && leaf->keys[slot] < s->best)) {
            s->best = leaf->keys[slot];
            s->increase = increase;
        }
        for (int64_t i = leaf->begins[slot]; i < leaf->begins[slot + 1]; i++)
            if (leaf->members[i] == s->record)
                s->own = leaf->keys[slot];
    }
    return KANON_OK;
}

/* Records of the state, some of them with a place of another record. */
static void compare(kanon_state *state, kanon__random *random, int n_queries)
{
    kanon_error err = {0};
    kanon__whole whole = {0};
    assert_done(kanon__session_begin(state, false, &err), &err);
    assert_done(kanon__group_index_check(state->index, &err), &err);
    assert_done(kanon__whole_members(&whole, state, &err), &err);
    int64_t *places = calloc((size_t)state->n_dimensions, sizeof *places),
            *others = calloc((size_t)state->n_dimensions, sizeof *places);
    for (int i = 0; i < n_queries; i++) {
        kanon__group_at at;
        int64_t increase, id = whole.ids[kanon__random_below(random, whole.n)],
                          other = whole.ids[kanon__random_below(random, whole.n)];
        assert_done(kanon__record_get(state, NULL, id, NULL, places, &err), &err);
        assert_done(kanon__record_get(state, NULL, other, NULL, others, &err), &err);
        assert_done(kanon__group_index_group_of(state->index, &at, id, places, &err), &err);
        assert_non_null(at.node);
        int64_t own = kanon__group_number(at);
        for (int d = 0; i % 2 == 1 && d < state->n_dimensions; d++)
            places[d] = kanon__random_below(random, 3) == 0 ? others[d] : places[d];
        assert_done(kanon__group_index_cheapest(state->index, &at, places, &increase, &err), &err);
        scan s = {.state = state, .places = places, .record = id};
        assert_done(kanon__group_index_visit(state->index, scan_leaf, &s, &err), &err);
        assert_int_equal(own, s.own);
        assert_int_equal(kanon__group_number(at), s.best);
        assert_int_equal(increase, s.increase);
    }
    free(others);
    free(places);
    kanon__whole_clear(&whole);
    kanon__session_end(state);
}

/* ---- changes ----------------------------------------------------------------------------------------------------------
 * */

/* Lines of the sample, as they are: the state has no key. */
static void write_lines(const char *from, const char *to, int64_t first, int64_t step, int64_t n)
{
    char *text = read_text(from), *line = text;
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    for (int64_t i = 0; *line != '\0' && n >= 0; i++) {
        size_t length = strcspn(line, "\n") + 1;
        if (i == 0 || (i >= first && (i - first) % step == 0)) {
            fwrite(line, 1, length, file);
            n--;
        }
        line += length;
    }
    fclose(file);
    free(text);
}

static void as_a_scan(void **unused)
{
    kanon_error err = {0};
    kanon_change done;
    kanon__random random;
    (void)unused;
    kanon__random_init(&random, test_seed(), 0);
    kanon_state *state = make_state(3000, 1, 2);
    place more = scratch("m"), delta = scratch("d.csv");
    assert_done(kanon_sample_hospital(more.text, 8000, 5, NULL, NULL, &err), &err);
    compare(state, &random, 300);
    write_lines(inside(more.text, hospital[0]).text, delta.text, 1, 1, 8000);
    kanon_change_options grow = {.struct_size = sizeof grow, .grow_taxonomy = 1};
    assert_done(kanon_state_insert(state, delta.text, &grow, &done, &err), &err);
    assert_true(done.splits > 100); /* nodes were cut, too */
    compare(state, &random, 300);
    write_lines(scratch("h/hospital.csv").text, delta.text, 2, 3, 1000);
    assert_done(kanon_state_delete(state, delta.text, NULL, &done, &err), &err);
    assert_true(done.dispersed > 100);
    compare(state, &random, 300);
    write_lines(scratch("h/hospital.csv").text, delta.text, 1, 3, 1000);
    assert_done(kanon_state_delete(state, delta.text, NULL, &done, &err), &err);
    compare(state, &random, 300);
    kanon_state_close(state);
}

static int set_up(void **state)
{
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return make_scratch(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(as_a_scan, no_leak)};
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
