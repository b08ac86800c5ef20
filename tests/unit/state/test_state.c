/* States against the slow reference, and random operations on a small one. */
#include "core/random.h"
#include "reference/ref_state.h"
#include "state/maintain/releases.h"
#include "state/maintain/session.h"
#include "support.h"

#include <errno.h>

/* ---- a random world ---------------------------------------------------------------------------------------------- */

/* age: whole numbers; pay: with digits after the point; job: a ragged tree; zip: three digits, masked from the right. */
static const char yaml[] = "missing: [\"?\"]\n"
                           "joint-k: off\nattributes:\n"
                           "  id: {role: identifying}\n"
                           "  age: {role: quasi, type: integer, weight: 2}\n"
                           "  pay: {role: quasi, type: decimal}\n"
                           "  job: {role: quasi, taxonomy: {cook: , baker: , office: {clerk: , boss: {ceo: , cfo: }}}}\n"
                           "  zip: {role: quasi, mask: right}\n"
                           "  ill: {role: sensitive}\n"
                           "key: [id]\n";

static const char *const jobs[] = {"cook", "baker", "clerk", "ceo", "cfo", "?"};
/* root 0, cook 1, baker 2, office 3, clerk 4, boss 5, ceo 6, cfo 7, missing 8 */
static const int job_nodes[] = {1, 2, 4, 6, 7, 8};
static const ref_tree job_tree = {9, {-1, 0, 0, 0, 3, 3, 5, 5, 0}};

/* All zips of three digits 0 to 2, and "missing": node 0, then one digit, two, three. */
static ref_tree zip_tree(void)
{
    ref_tree t = {.n = 1, .parent = {-1}};
    for (int i = 0; i < 3; i++)
        t.parent[t.n++] = 0;
    for (int i = 0; i < 9; i++)
        t.parent[t.n++] = 1 + i / 3;
    for (int i = 0; i < 27; i++)
        t.parent[t.n++] = 4 + i / 3;
    t.parent[t.n++] = 0;
    return t;
}

enum { STEPS = 100 }; /* of pay, to 1 */

typedef struct world {
    kanon__random random;
    ref_state ref;
    kanon_state *state;
    int64_t next_id; /* of the state's records */
    int digits;      /* after the point of pay, at most */
    int spread;
    bool alone; /* the reference only keeps who is there, not the groups */
} world;

static int below(world *w, int n)
{
    return (int)kanon__random_below(&w->random, n);
}

/* A person and the line that describes it. */
static ref_person random_person(world *w, int64_t id, char *line, size_t size)
{
    ref_person p = {.id = id};
    char age[16] = "?", pay[32] = "?", zip[40] = "?";
    p.number[0] = below(w, 8) == 0 ? REF_MISSING : 20 + below(w, w->spread);
    int steps = w->digits == 0 ? 100 : w->digits == 1 ? 10 : 1;
    p.number[1] = below(w, 8) == 0 ? REF_MISSING : (int64_t)(below(w, 3 * STEPS) / steps) * steps;
    int job = below(w, 6), zip_number = below(w, 9) == 0 ? 27 : below(w, 27);
    p.leaf[0] = job_nodes[job];
    p.leaf[1] = 13 + zip_number;
    if (p.number[0] != REF_MISSING)
        snprintf(age, sizeof age, "%d", (int)p.number[0]);
    if (p.number[1] != REF_MISSING)
        snprintf(pay, sizeof pay, "%d.%02d", (int)p.number[1] / STEPS, (int)p.number[1] % STEPS);
    if (zip_number < 27)
        snprintf(zip, sizeof zip, "%d%d%d", zip_number / 9, zip_number / 3 % 3, zip_number % 3);
    snprintf(line, size, "k%d,%s,%s,%s,%s,%s\n", (int)id, age, pay, jobs[job], zip, below(w, 2) ? "flu" : "cold");
    return p;
}

static void reference_insert(world *w, ref_person p)
{
    if (!w->alone)
        ref_state_insert(&w->ref, p);
    else
        w->ref.people[w->ref.n++] = p;
}

static void reference_delete(world *w, const int64_t *ids, int n, bool more_will_come)
{
    if (!w->alone) {
        ref_state_delete(&w->ref, ids, n, more_will_come);
        return;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < w->ref.n; j++)
            if (w->ref.people[j].id == ids[i])
                w->ref.people[j--] = w->ref.people[--w->ref.n];
}

static const char header[] = "id,age,pay,job,zip,ill\n";

static void assert_same_groups(world *w)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__subset whole = {0};
    assert_done(kanon__session_begin(w->state, false, &err), &err);
    assert_done(kanon__subset_list_all(&whole, w->state, &err), &err);
    assert_int_equal(whole.n, w->ref.n);
    for (int i = 0; i < w->ref.n; i++) {
        assert_int_equal(whole.ids[i], w->ref.people[i].id);
        assert_int_equal(whole.groups[i], w->ref.people[i].group);
    }
    kanon__subset_clear(&whole);
    kanon__session_end(w->state);
}

static void make_state(const char *csv, int64_t k, uint64_t seed, kanon_state **state, kanon_grouping **grouping)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    place path = scratch("x.state");
    unlink(path.text);
    write_text(scratch("s.yaml").text, yaml);
    write_text(scratch("t.csv").text, csv);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
    kanon_options options = {.struct_size = sizeof options, .k = k, .seed = seed, .algorithm = "kmember"};
    assert_done(kanon_anonymize(grouping, table, &options, &err), &err);
    assert_done(kanon_state_create(path.text, table, schema, *grouping, NULL, NULL, &err), &err);
    assert_done(kanon_state_open(state, path.text, NULL, &err), &err);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* The first people: every zip is there, for masks are made from the values; no digits after the point, so that they come. */
static void begin_world(world *w, uint64_t seed)
{
    char csv[8192], line[128];
    kanon_grouping *grouping = NULL;
    *w = (world){.next_id = 1};
    kanon__random_init(&w->random, seed, 0);
    w->spread = 1 + below(w, 30);
    w->ref.k = 2 + below(w, 3);
    w->ref.weight[0] = 2;
    w->ref.weight[1] = w->ref.weight[2] = w->ref.weight[3] = 1;
    w->ref.tree[0] = job_tree;
    w->ref.tree[1] = zip_tree();
    strcpy(csv, header);
    int n = (int)w->ref.k * 2 + below(w, 25);
    for (int i = 0; i < n; i++) {
        w->ref.people[w->ref.n++] = random_person(w, w->next_id++, line, sizeof line);
        strcat(csv, line);
    }
    make_state(csv, w->ref.k, seed, &w->state, &grouping);
    for (int i = 0; i < n; i++)
        w->ref.people[i].group = kanon_grouping_group_of(grouping, i);
    w->ref.next_group = kanon_grouping_describe(grouping)->groups + 1;
    kanon_grouping_free(grouping);
}

static int random_insert(world *w)
{
    char csv[2048], line[128];
    ref_person people[6];
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    int n = 1 + below(w, 6);
    w->digits = below(w, 12) == 0 ? w->digits + 1 : w->digits;
    w->spread += below(w, 6) == 0 ? 5 : 0;
    strcpy(csv, header);
    for (int i = 0; i < n; i++) {
        people[i] = random_person(w, w->next_id++, line, sizeof line);
        strcat(csv, line);
    }
    write_text(scratch("d.csv").text, csv);
    assert_done(kanon_state_change(w->state, KANON_INSERT, KANON_PATH(scratch("d.csv").text), NULL, &done, &err), &err);
    assert_int_equal(done.changed, n);
    for (int i = 0; i < n; i++)
        reference_insert(w, people[i]);
    return n;
}

/* Different people of the world. */
static int choose_people(world *w, int most, int64_t *ids)
{
    int n = 0, wanted = 1 + below(w, most);
    for (int tries = 0; n < wanted && tries < 50; tries++) {
        int64_t id = w->ref.people[below(w, w->ref.n)].id;
        bool is_new = true;
        for (int i = 0; i < n; i++)
            is_new = is_new && ids[i] != id;
        if (is_new)
            ids[n++] = id;
    }
    return n;
}

static int random_delete(world *w)
{
    char csv[512] = "id\n", line[128];
    int64_t ids[8];
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    int n = choose_people(w, 6, ids);
    for (int i = 0; i < n; i++) {
        snprintf(line, sizeof line, "k%d\n", (int)ids[i]);
        strcat(csv, line);
    }
    write_text(scratch("d.csv").text, csv);
    kanon_status st = kanon_state_change(w->state, KANON_DELETE, KANON_PATH(scratch("d.csv").text), NULL, &done, &err);
    if (w->ref.n - n < w->ref.k) {
        assert_int_equal(st, KANON_EINFEASIBLE);
        return 0;
    }
    assert_done(st, &err);
    reference_delete(w, ids, n, false);
    return n;
}

static int random_update(world *w)
{
    char csv[2048], line[128];
    int64_t ids[8];
    ref_person people[8];
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    int n = choose_people(w, below(w, 10) == 0 ? 8 : 3, ids);
    strcpy(csv, header);
    for (int i = 0; i < n; i++) {
        people[i] = random_person(w, ids[i], line, sizeof line);
        strcat(csv, line);
    }
    write_text(scratch("d.csv").text, csv);
    assert_done(kanon_state_change(w->state, KANON_UPDATE, KANON_PATH(scratch("d.csv").text), NULL, &done, &err), &err);
    assert_int_equal(done.changed, n);
    reference_delete(w, ids, n, true);
    for (int i = 0; i < n; i++)
        reference_insert(w, people[i]);
    return n;
}

/* Numbers of records that were deleted are not given again, so ids of state and reference stay the same. */
static int random_operation(world *w)
{
    int what = below(w, 5);
    return what < 2 ? random_insert(w) : what < 4 ? random_delete(w) : random_update(w);
}

static void as_the_reference(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    for (uint64_t i = 0; i < 40; i++) {
        world w;
        begin_world(&w, seed * 1000 + i);
        assert_same_groups(&w);
        for (int step = 0; step < 15; step++) {
            random_operation(&w);
            assert_same_groups(&w);
        }
        kanon_state_close(w.state);
    }
}

/* ---- many operations --------------------------------------------------------------------------------------------- */

static void assert_sound(world *w, const kanon_schema *schema)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state_info *info = NULL;
    kanon_check *check = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    place release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    assert_done(kanon_state_describe(&info, w->state, &err), &err);
    assert_int_equal(info->records, w->ref.n);
    assert_true(info->k >= w->ref.k);
    assert_done(kanon_state_release(w->state, &options, &done, &err), &err);
    assert_int_equal(done.k, info->k);
    assert_float_equal(done.loss, info->loss, 1e-12);
    assert_done(kanon_check_read(&check, KANON_PATH(release.text), schema, NULL, &err), &err);
    assert_int_equal(check->records, info->records);
    assert_true(check->k >= info->k); /* groups may look alike */
    assert_true(check->classes <= info->groups);
    kanon_check_free(check);
    kanon_state_info_free(info);
}

/* KANON_TEST_OPERATIONS=N for another number of them. */
static void many_operations(void **state)
{
    world w;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    const char *given = getenv("KANON_TEST_OPERATIONS");
    int64_t n = given != NULL ? atoi(given) : 10000, n_done = 0;
    (void)state;
    begin_world(&w, test_seed());
    w.alone = true;
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    for (int round = 0; n_done < n; round++) {
        if (w.ref.n > 150) /* keep it small */
            n_done += random_delete(&w);
        n_done += random_operation(&w);
        if (round % 100 == 50)
            assert_done(kanon_state_improve(w.state, NULL, NULL, &done, &err), &err);
        if (round % 100 == 99)
            assert_sound(&w, schema);
    }
    assert_sound(&w, schema);
    kanon_schema_free(schema);
    kanon_state_close(w.state);
}

/* In memory where that can be, for every operation waits for the disk. */
static int set_up(void **state)
{
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return make_scratch(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(as_the_reference, no_leak),
        cmocka_unit_test_teardown(many_operations, no_leak),
    };
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
