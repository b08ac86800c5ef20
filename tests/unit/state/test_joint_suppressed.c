/* Small states with suppressed records, changed at random: which changes are possible, and how few records a release with
 * joint classes withholds, against a search through all releases that there could be. */
#include "core/random.h"
#include "support.h"

enum { MOST_PEOPLE = 40, MOST_RELEASES = 8, MOST_PRESENT = 9 };
enum { ABSENT = -1, SUPPRESSED = 0 };

typedef struct people {
    kanon__random random;
    kanon_state *state;
    int64_t k;
    bool diverse;  /* every group has two illnesses */
    double budget; /* the share that may be suppressed; negative: any */
    int n, n_releases;
    bool is_there[MOST_PEOPLE];
    int illness[MOST_PEOPLE];
    int group[MOST_PEOPLE][MOST_RELEASES];
} people;

static int below(people *p, int n)
{
    return (int)kanon__random_below(&p->random, n);
}

static int count_present(const people *p)
{
    int n = 0;
    for (int who = 0; who < p->n; who++)
        n += p->is_there[who];
    return n;
}

/* Whether all records that are there could be one group. */
static bool is_possible(const people *p)
{
    bool seen[2] = {false};
    for (int who = 0; who < p->n; who++)
        if (p->is_there[who])
            seen[p->illness[who]] = true;
    return count_present(p) >= p->k && (!p->diverse || (seen[0] && seen[1]));
}

/* ---- all releases that there could be ---------------------------------------------------------------------------- */

static bool was_released(const people *p, int who, int n_releases)
{
    for (int r = 0; r < n_releases; r++)
        if (p->group[who][r] != ABSENT)
            return true;
    return false;
}

/* People who were never released have no trace; they are told apart by what they are in the release at hand. */
static bool same_class(const people *p, int a, int b, int n_releases)
{
    return memcmp(p->group[a], p->group[b], (size_t)n_releases * sizeof p->group[a][0]) == 0;
}

static int class_size(const people *p, int who, int n_releases)
{
    int n = 0;
    for (int other = 0; other < p->n; other++)
        n += was_released(p, other, n_releases) && same_class(p, who, other, n_releases);
    return n;
}

/* What a reader sees of somebody who is shown so: suppressed records are absent. */
static int as_seen(int shown)
{
    return shown == SUPPRESSED ? ABSENT : shown;
}

/* Nobody may be in a class of fewer than `joint_k` who was not before; shown[who] is ABSENT, SUPPRESSED or a group. */
static bool classes_are_kept(const people *p, const int *shown, int64_t joint_k)
{
    for (int who = 0; who < p->n; who++) {
        bool released = was_released(p, who, p->n_releases);
        int n = 0;
        if (!released && as_seen(shown[who]) == ABSENT)
            continue;
        if (released && class_size(p, who, p->n_releases) < joint_k)
            continue;
        for (int other = 0; other < p->n; other++)
            n += was_released(p, other, p->n_releases) == released && same_class(p, who, other, p->n_releases) &&
                 as_seen(shown[other]) == as_seen(shown[who]);
        if (n < joint_k)
            return false;
    }
    return true;
}

/* One group is enough: the union of two that may be released may be released. */
static bool is_release(const people *p, const int *shown, int64_t joint_k)
{
    int n_shown = 0, n_suppressed = 0, n_grouped = 0;
    bool seen[2] = {false};
    for (int who = 0; who < p->n; who++) {
        n_shown += shown[who] != ABSENT;
        n_suppressed += shown[who] == SUPPRESSED;
        n_grouped += shown[who] > 0;
        if (shown[who] > 0)
            seen[p->illness[who]] = true;
    }
    if (n_grouped < p->k || (p->diverse && !(seen[0] && seen[1])))
        return false;
    if (p->budget >= 0 && n_suppressed > p->budget * n_shown)
        return false;
    return classes_are_kept(p, shown, joint_k);
}

/* The fewest records that a release withholds; -1: there is no release. Only who is suppressed in the state may be in the
 * release. */
static int least_withheld(const people *p, const bool *suppressed, int64_t joint_k)
{
    int shown[MOST_PEOPLE], present[MOST_PRESENT], n = 0, least = -1, n_choices = 1;
    for (int who = 0; who < p->n; who++) {
        shown[who] = ABSENT;
        if (p->is_there[who])
            present[n++] = who;
    }
    for (int i = 0; i < n; i++)
        n_choices *= 3;
    for (int choice = 0; choice < n_choices; choice++) {
        int rest = choice, n_withheld = 0;
        bool allowed = true;
        for (int i = 0; i < n; i++, rest /= 3) {
            shown[present[i]] = rest % 3 - 1;
            n_withheld += rest % 3 == 0;
            allowed = allowed && (rest % 3 != 1 || suppressed[present[i]]);
        }
        if (allowed && (least < 0 || n_withheld < least) && is_release(p, shown, joint_k))
            least = n_withheld;
    }
    return least;
}

/* ---- the state --------------------------------------------------------------------------------------------------- */

static void assert_sound(const people *p)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state_info *info = NULL;
    assert_done(kanon_state_describe(&info, p->state, &err), &err);
    assert_int_equal(info->records, count_present(p));
    assert_true(info->k >= p->k);
    kanon_state_info_free(info);
}

/* Who is suppressed now: of the groups alone, nothing is recorded. */
static void read_suppressed(const people *p, bool *out)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    place groups = scratch("now.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .groups = KANON_TO_PATH(groups.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    assert_done(kanon_state_release(p->state, &options, &done, &err), &err);
    assert_int_equal(done.release, 0);
    char *text = read_text(groups.text), *row = strchr(text, '\n') + 1;
    for (int who = 0; who < p->n; who++) {
        out[who] = false;
        if (!p->is_there[who])
            continue;
        out[who] = atoi(strchr(row, ',') + 1) == 0;
        row = strchr(row, '\n') + 1;
    }
    free(text);
}

static void read_release(people *p)
{
    char *release = read_text(scratch("r.csv").text), *groups = read_text(scratch("g.csv").text);
    char *row = strchr(release, '\n') + 1, *group = strchr(groups, '\n') + 1;
    for (int who = 0; who < p->n; who++)
        p->group[who][p->n_releases] = ABSENT;
    for (; *group != '\0'; group = strchr(group, '\n') + 1) {
        int number = atoi(strchr(group, ',') + 1);
        if (number == 0)
            continue;
        assert_int_equal(p->group[atoi(row + 1)][p->n_releases], ABSENT);
        p->group[atoi(row + 1)][p->n_releases] = number;
        row = strchr(row, '\n') + 1;
    }
    assert_int_equal(*row, '\0');
    free(groups);
    free(release);
}

static void release_people(people *p, int64_t joint_k, int *n_released, int *n_refused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    bool suppressed[MOST_PEOPLE];
    place release = scratch("r.csv"), groups = scratch("g.csv");
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text), .groups = KANON_TO_PATH(groups.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs, .joint_k = joint_k};
    read_suppressed(p, suppressed);
    int expected = least_withheld(p, suppressed, joint_k);
    bool some = false; /* suppressed records of a class are shown all or none, so there another choice may do better */
    for (int who = 0; who < p->n; who++)
        some = some || suppressed[who];
    kanon_status st = kanon_state_release(p->state, &options, &done, &err);
    if (st == KANON_EINFEASIBLE || expected < 0) {
        assert_int_equal(st, KANON_EINFEASIBLE);
        /* who waits is chosen without looking at illnesses, so another choice might have kept the constraint */
        assert_true(expected < 0 || p->diverse || some);
        ++*n_refused;
        return;
    }
    assert_done(st, &err);
    assert_true(done.withheld == expected || (some && done.withheld > expected));
    read_release(p);
    int shown[MOST_PEOPLE];
    for (int who = 0; who < p->n; who++)
        shown[who] = p->group[who][p->n_releases];
    assert_true(classes_are_kept(p, shown, joint_k));
    p->n_releases++;
    ++*n_released;
}

static void write_person(people *p, FILE *file, int who)
{
    p->is_there[who] = true;
    for (int r = 0; r < MOST_RELEASES; r++)
        p->group[who][r] = ABSENT;
    p->illness[who] = below(p, 2);
    fprintf(file, "p%d,%d,%s\n", who, below(p, 3) > 0 ? below(p, 5) : 50 * below(p, 5), p->illness[who] ? "flu" : "gout");
}

static void write_schema(const people *p)
{
    char yaml[512], budget[64] = "";
    if (p->budget >= 0)
        snprintf(budget, sizeof budget, "  suppress: %g\n", p->budget);
    snprintf(yaml, sizeof yaml,
             "attributes:\n  id: {role: insensitive}\n  age: {role: quasi, type: integer}\n"
             "  ill: {role: sensitive}\nprivacy:\n  k: %d\n%s%skey: [id]\n",
             (int)p->k, budget,
             p->diverse ? "  constraints:\n    - {model: distinct-l-diversity, attribute: ill, l: 2}\n" : "");
    write_text(scratch("s.yaml").text, yaml);
}

/* False where the table allows no groups at all. */
static bool begin_people(people *p, uint64_t seed)
{
    static const char *const thresholds[] = {"0.01", "0.02", "0.1"};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    place path = scratch("x.state"), release = scratch("r.csv"), groups = scratch("g.csv");
    memset(p, 0, sizeof *p);
    kanon__random_init(&p->random, seed, 0);
    p->k = 2 + below(p, 2);
    p->diverse = below(p, 3) == 0;
    p->budget = below(p, 2) == 0 ? -1 : 0.25 * (1 + below(p, 3));
    write_schema(p);
    FILE *file = fopen(scratch("t.csv").text, "wb");
    fputs("id,age,ill\n", file);
    for (int n = 5 + below(p, 3); p->n < n; p->n++)
        write_person(p, file, p->n);
    fclose(file);
    unlink(path.text);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
    kanon_setting setting = {"threshold", thresholds[below(p, 3)]};
    kanon_options options = {.struct_size = sizeof options, .algorithm = "greedy-threshold", .settings = &setting,
                             .n_settings = 1};
    kanon_status st = kanon_anonymize(&grouping, table, &options, &err);
    bool released = below(p, 4) > 0;
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text), .groups = KANON_TO_PATH(groups.text)};
    if (st == KANON_OK) {
        assert_done(kanon_state_create(path.text, table, schema, grouping, released ? &outputs : NULL, NULL, &err), &err);
        assert_done(kanon_state_open(&p->state, path.text, NULL, &err), &err);
    } else
        assert_int_equal(st, KANON_EINFEASIBLE);
    if (st == KANON_OK && released) {
        read_release(p);
        p->n_releases++;
    }
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return st == KANON_OK;
}

/* One change of one or two people; what is possible is done, and only that. */
static void change_people(people *p)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    place delta = scratch("d.csv");
    people before = *p;
    int kind = below(p, 3), n = 1 + below(p, 2);
    FILE *file = fopen(delta.text, "wb");
    fputs(kind == 1 ? "id\n" : "id,age,ill\n", file);
    for (int i = 0; i < n && kind == 0 && count_present(p) < MOST_PRESENT - 1; i++)
        write_person(p, file, p->n++);
    for (int who = below(p, p->n); n > 0 && kind == 1 && who < p->n; who++)
        if (p->is_there[who]) {
            p->is_there[who] = false;
            fprintf(file, "p%d\n", who);
            n--;
        }
    for (int who = below(p, p->n); n > 0 && kind == 2 && who < p->n; who++)
        if (p->is_there[who]) {
            p->illness[who] = below(p, 2);
            fprintf(file, "p%d,%d,%s\n", who, below(p, 3) > 0 ? below(p, 5) : 50 * below(p, 5),
                    p->illness[who] ? "flu" : "gout");
            n--;
        }
    fclose(file);
    kanon_status st = kind == 0   ? kanon_state_change(p->state, KANON_INSERT, KANON_PATH(delta.text), NULL, &done, &err)
                      : kind == 1 ? kanon_state_change(p->state, KANON_DELETE, KANON_PATH(delta.text), NULL, &done, &err)
                                  : kanon_state_change(p->state, KANON_UPDATE, KANON_PATH(delta.text), NULL, &done, &err);
    if (is_possible(p))
        assert_done(st, &err);
    else
        assert_int_equal(st, KANON_EINFEASIBLE);
    if (st != KANON_OK) { /* nothing was changed */
        before.random = p->random;
        *p = before;
    }
    assert_sound(p);
}

static void as_searched(void **unused)
{
    uint64_t seed = test_seed();
    int n_released = 0, n_refused = 0, n_states = 0;
    (void)unused;
    for (uint64_t i = 0; i < 150; i++) {
        static people p;
        if (!begin_people(&p, seed * 1000 + i))
            continue;
        n_states++;
        int64_t joint_k = 2 + below(&p, 2);
        for (int step = 0; step < 6 && p.n < MOST_PEOPLE - 4 && p.n_releases < MOST_RELEASES; step++) {
            change_people(&p);
            if (below(&p, 3) > 0)
                release_people(&p, joint_k, &n_released, &n_refused);
        }
        kanon_state_close(p.state);
    }
    print_message("%d states, %d releases, %d refused\n", n_states, n_released, n_refused);
    assert_true(n_released > 50 && n_refused > 5);
}

static int set_up(void **state)
{
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return make_scratch(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(as_searched, no_leak)};
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
