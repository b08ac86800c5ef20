/* What all releases give away together, against a plain count over the released files. */
#include "core/random.h"
#include "state/store/state.h"
#include "support.h"

#include <sqlite3.h>

enum { MOST_PEOPLE = 600, MOST_RELEASES = 12 };

static const char yaml[] = "attributes:\n"
                           "  id: {role: insensitive}\n" /* so that the releases say who is who */
                           "  age: {role: quasi, type: integer}\n"
                           "  zip: {role: quasi, mask: right}\n"
                           "  ill: {role: sensitive}\n"
                           "key: [id]\n";

static const char *const illnesses[] = {"flu", "cold", "gout"};

typedef struct people {
    kanon__random random;
    kanon_state *state;
    int64_t k;
    int n; /* ever */
    bool is_there[MOST_PEOPLE];
    int illness[MOST_PEOPLE];
    int n_releases;
    int group[MOST_PEOPLE][MOST_RELEASES]; /* -1: absent */
} people;

static int below(people *p, int n)
{
    return (int)kanon__random_below(&p->random, n);
}

/* ---- by counting ------------------------------------------------------------------------------------------------- */

static bool was_released(const people *p, int who, int n_releases)
{
    for (int r = 0; r < n_releases; r++)
        if (p->group[who][r] >= 0)
            return true;
    return false;
}

static bool same_trace(const people *p, int a, int b, int n_releases)
{
    return memcmp(p->group[a], p->group[b], (size_t)n_releases * sizeof p->group[a][0]) == 0;
}

static int class_size(const people *p, int who, int n_releases)
{
    int n = 0;
    for (int other = 0; other < p->n; other++)
        n += was_released(p, other, n_releases) && same_trace(p, who, other, n_releases);
    return n;
}

static bool is_first_of_class(const people *p, int who, int n_releases)
{
    for (int other = 0; other < who; other++)
        if (was_released(p, other, n_releases) && same_trace(p, who, other, n_releases))
            return false;
    return true;
}

static int distinct_illnesses(const people *p, int who)
{
    bool seen[3] = {false};
    for (int other = 0; other < p->n; other++)
        if (was_released(p, other, p->n_releases) && same_trace(p, who, other, p->n_releases))
            seen[p->illness[other]] = true;
    return seen[0] + seen[1] + seen[2];
}

static void assert_audit(const people *p, int64_t k)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_audit *audit = NULL;
    int n = 0, n_classes = 0, smallest = 0, n_below = 0, distinct = 0;
    for (int who = 0; who < p->n; who++) {
        if (!was_released(p, who, p->n_releases))
            continue;
        int size = class_size(p, who, p->n_releases), values = distinct_illnesses(p, who);
        n++;
        n_classes += is_first_of_class(p, who, p->n_releases);
        smallest = smallest == 0 || size < smallest ? size : smallest;
        distinct = distinct == 0 || values < distinct ? values : distinct;
        n_below += size < k;
    }
    assert_done(kanon_state_audit(&audit, p->state, k, &err), &err);
    assert_int_equal(audit->releases, p->n_releases);
    assert_int_equal(audit->records, n);
    assert_int_equal(audit->classes, n_classes);
    assert_int_equal(audit->smallest, smallest);
    assert_int_equal(audit->below, n_below);
    assert_int_equal(audit->n_figures, 1);
    assert_int_equal(audit->figures[0]->value, distinct);
    kanon_audit_free(audit);
}

/* The fewest records that any release must withhold, from the classes before it. */
static int least_withheld(const people *p, int64_t k)
{
    int n_withheld = 0, n_new = 0, before = p->n_releases - 1;
    for (int who = 0; who < p->n; who++) {
        if (!was_released(p, who, before)) {
            n_new += p->is_there[who];
            continue;
        }
        if (!is_first_of_class(p, who, before))
            continue;
        int n_there = 0, n_gone = 0;
        for (int other = 0; other < p->n; other++)
            if (was_released(p, other, before) && same_trace(p, who, other, before))
                *(p->is_there[other] ? &n_there : &n_gone) += 1;
        int most_shown = n_gone > 0 && n_gone < k ? n_there - ((int)k - n_gone) : n_there;
        if (n_there + n_gone >= k) /* none, or at least k, can be shown */
            n_withheld += n_there - (most_shown < k ? 0 : most_shown);
    }
    return n_withheld + (n_new < k ? n_new : 0);
}

/* Nobody's class is smaller than k who was not in such a class before. */
static void assert_joint(const people *p, int64_t k, const kanon_change *done)
{
    int n_below = 0;
    for (int who = 0; who < p->n; who++)
        if (was_released(p, who, p->n_releases) && class_size(p, who, p->n_releases) < k) {
            assert_true(was_released(p, who, p->n_releases - 1));
            assert_true(class_size(p, who, p->n_releases - 1) < k);
            n_below++;
        }
    assert_true(n_below <= done->below_joint_k);
    assert_int_equal(done->withheld, least_withheld(p, k));
}

/* The audit that is part of the release says the same. */
static void assert_audited(const people *p, int64_t required, const kanon_change *done)
{
    int64_t k = required > 0 ? required : p->k;
    int smallest = p->n, n_below = 0, n_made = 0;
    for (int who = 0; who < p->n; who++) {
        if (!was_released(p, who, p->n_releases))
            continue;
        int size = class_size(p, who, p->n_releases);
        smallest = size < smallest ? size : smallest;
        n_below += size < k;
        n_made += size < k && (!was_released(p, who, p->n_releases - 1) || class_size(p, who, p->n_releases - 1) >= k);
    }
    assert_int_equal(done->joint_k, k);
    assert_int_equal(done->joint_required, required > 0);
    assert_int_equal(done->joint_smallest, smallest);
    assert_int_equal(done->joint_below, n_below);
    assert_int_equal(done->joint_made_below, n_made);
    assert_true(required <= 0 || n_made == 0);
    assert_true(done->committed);
}

/* ---- releases ---------------------------------------------------------------------------------------------------- */

/* The group of each record of the last release. */
static void read_release(people *p)
{
    char *release = read_text(scratch("r.csv").text), *groups = read_text(scratch("g.csv").text);
    char *row = strchr(release, '\n') + 1, *group = strchr(groups, '\n') + 1;
    for (int who = 0; who < p->n; who++)
        p->group[who][p->n_releases] = -1;
    for (; *row != '\0'; row = strchr(row, '\n') + 1, group = strchr(group, '\n') + 1)
        p->group[atoi(row + 1)][p->n_releases] = atoi(strchr(group, ',') + 1);
    p->n_releases++;
    free(groups);
    free(release);
}

static void release_people(people *p, int64_t joint_k)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    place release = scratch("r.csv"), groups = scratch("g.csv");
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text), .groups = KANON_TO_PATH(groups.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs, .joint_k = joint_k};
    kanon_status st = kanon_state_release(p->state, &options, &done, &err);
    if (st == KANON_EINFEASIBLE && joint_k >= 0)
        return;
    assert_done(st, &err);
    read_release(p);
    int64_t required = joint_k == 0 ? p->k : joint_k; /* 0: of the state, whose schema says nothing */
    if (required > 0)
        assert_joint(p, required, &done);
    assert_audited(p, required, &done);
}

static void write_person(people *p, FILE *file, int who)
{
    p->is_there[who] = true;
    for (int r = 0; r < MOST_RELEASES; r++)
        p->group[who][r] = -1;
    p->illness[who] = below(p, 3);
    fprintf(file, "p%d,%d,%02d,%s\n", who, 20 + below(p, 40), below(p, 30), illnesses[p->illness[who]]);
}

static void begin_people(people *p, uint64_t seed)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    place path = scratch("x.state"), release = scratch("r.csv"), groups = scratch("g.csv");
    memset(p, 0, sizeof *p);
    kanon__random_init(&p->random, seed, 0);
    p->k = 2 + below(p, 4);
    write_text(scratch("s.yaml").text, yaml);
    FILE *file = fopen(scratch("t.csv").text, "wb");
    fputs("id,age,zip,ill\n", file);
    for (int n = 20 + below(p, 60); p->n < n; p->n++)
        write_person(p, file, p->n);
    fclose(file);
    unlink(path.text);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
    kanon_options options = {.struct_size = sizeof options, .k = p->k};
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text), .groups = KANON_TO_PATH(groups.text)};
    assert_done(kanon_state_create(path.text, table, schema, grouping, &outputs, NULL, &err), &err);
    assert_done(kanon_state_open(&p->state, path.text, NULL, &err), &err);
    read_release(p);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

static void change_people(people *p)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    place delta = scratch("d.csv");
    bool inserts = below(p, 2) == 0;
    int n = 1 + below(p, inserts ? 12 : 5), n_there = 0;
    FILE *file = fopen(delta.text, "wb");
    fputs(inserts ? "id,age,zip,ill\n" : "id\n", file);
    for (int who = 0; who < p->n; who++)
        n_there += p->is_there[who];
    for (int i = 0; i < n && inserts; i++)
        write_person(p, file, p->n++);
    for (int i = 0; i < n && !inserts && n_there > 2 * p->k; i++) {
        int who = below(p, p->n);
        if (!p->is_there[who])
            continue;
        p->is_there[who] = false;
        n_there--;
        fprintf(file, "p%d\n", who);
    }
    fclose(file);
    kanon_change_options grow = {.struct_size = sizeof grow};
    kanon_status st = inserts ? kanon_state_change(p->state, KANON_INSERT, KANON_PATH(delta.text), &grow, &done, &err)
                              : kanon_state_change(p->state, KANON_DELETE, KANON_PATH(delta.text), NULL, &done, &err);
    assert_done(st, &err);
}

static void as_counted(void **unused)
{
    (void)unused;
    uint64_t seed = test_seed();
    for (uint64_t i = 0; i < 60; i++) {
        static people p;
        begin_people(&p, seed * 1000 + i);
        int64_t joint_k = i % 3 == 0 ? KANON_JOINT_K_OFF : i % 3 == 1 ? 0 : 2 + below(&p, 4);
        for (int step = 0; step < 8 && p.n < MOST_PEOPLE - 20; step++) {
            for (int j = below(&p, 3); j >= 0; j--)
                change_people(&p);
            release_people(&p, joint_k);
            assert_audit(&p, p.k);
        }
        kanon_state_close(p.state);
    }
}

/* A state of 0.1.0 does not say what joint-k is: it is audited, and nothing is withheld. */
static void made_before_it_was_kept(void **unused)
{
    (void)unused;
    kanon_error err = KANON_INIT(kanon_error);
    static people p;
    sqlite3_stmt *remove = NULL;
    kanon_state_info *info = NULL;
    begin_people(&p, 7);
    assert_done(kanon__store_begin(&p.state->store, true, &err), &err);
    assert_done(kanon__store_prepare(&p.state->store, &remove, "DELETE FROM meta WHERE name = 'joint_k'", &err), &err);
    assert_done(kanon__store_step(&p.state->store, remove, NULL, &err), &err);
    sqlite3_finalize(remove);
    assert_done(kanon__store_commit_with(&p.state->store, NULL, NULL, &err), &err);
    for (int i = 0; i < 6; i++)
        change_people(&p);
    place release = scratch("r.csv"), groups = scratch("g.csv");
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text), .groups = KANON_TO_PATH(groups.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    kanon_change done = KANON_INIT(kanon_change);
    assert_done(kanon_state_release(p.state, &options, &done, &err), &err);
    read_release(&p);
    assert_int_equal(done.withheld, 0);
    assert_audited(&p, 0, &done);
    assert_true(done.joint_below > 0);
    assert_done(kanon_state_describe(&info, p.state, &err), &err);
    assert_int_equal(info->joint_k, 0);
    kanon_state_info_free(info);
    kanon_state_close(p.state);
}

static int set_up(void **state)
{
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return make_scratch(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(as_counted, no_leak),
                                       cmocka_unit_test_teardown(made_before_it_was_kept, no_leak)};
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
