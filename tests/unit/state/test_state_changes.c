/* Releases of changes alone: what a host keeps of the last release, without the groups that go and with the rows that come,
 * is what a release of everything would be, over random changes; and what cannot be told is a whole release. */
#include "arrow_consumer.h"
#include "core/alloc.h"
#include "core/random.h"
#include "support.h"
#include "to_stream.h"

#include <unistd.h>

enum { MOST = 4000 };

/* What a host keeps: rows as texts, and the group of each. */
typedef struct kept_row {
    char *text;
    int64_t group;
} kept_row;

typedef struct host {
    kept_row rows[MOST];
    int n;
    int whole, partial; /* how often a release was which */
} host;

static void drop_row(host *h, int at)
{
    free(h->rows[at].text);
    h->rows[at] = h->rows[--h->n];
}

static void drop_group(host *h, int64_t group)
{
    for (int i = h->n - 1; i >= 0; i--)
        if (h->rows[i].group == group)
            drop_row(h, i);
}

static void drop_all(host *h)
{
    while (h->n > 0)
        drop_row(h, h->n - 1);
}

/* The lines of the stream that are records. */
static void take_rows(host *h, struct ArrowArrayStream *stream, const int64_t *group_of, int64_t n)
{
    arrow_taken taken = arrow_take(stream);
    char *text = arrow_taken_print(&taken), *rest = NULL;
    int64_t row = -1; /* the first line has the names */
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        if (strcmp(line, "--") == 0)
            continue;
        if (row >= 0) {
            assert_true(h->n < MOST);
            h->rows[h->n++] = (kept_row){strdup(line), group_of != NULL ? group_of[row] : 0};
        }
        row++;
    }
    assert_true(group_of == NULL || row == n);
    free(text);
    arrow_taken_clear(&taken);
}

static int by_text(const void *left, const void *right)
{
    return strcmp(((const kept_row *)left)->text, ((const kept_row *)right)->text);
}

static kanon_outputs form(uint64_t step)
{
    return (kanon_outputs){
        .struct_size = sizeof(kanon_outputs), .numeric = KANON_NUMERIC_COLUMNS, .shuffle = step % 2 == 0};
}

/* A release of everything from a copy of the state, so that the state itself goes on from its release of changes. */
static void assert_as_a_whole_release(const host *h, const char *path)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change change = KANON_INIT(kanon_change);
    kanon_state *copy = NULL;
    struct ArrowArrayStream stream;
    place place_of_copy = scratch("copy.state");
    static host all, sorted;
    char command[4096];
    snprintf(command, sizeof command, "cp '%s' '%s'", path, place_of_copy.text);
    assert_int_equal(system(command), 0);
    assert_done(kanon_state_open(&copy, place_of_copy.text, NULL, &err), &err);
    kanon_outputs options = form(1);
    assert_done(state_to_stream(&stream, copy, NULL, &options, &change, &err), &err);
    kanon_state_close(copy);
    take_rows(&all, &stream, NULL, 0);
    assert_int_equal(all.n, h->n);
    sorted = *h;
    qsort(sorted.rows, (size_t)sorted.n, sizeof *sorted.rows, by_text);
    qsort(all.rows, (size_t)all.n, sizeof *all.rows, by_text);
    for (int i = 0; i < all.n; i++)
        assert_string_equal(sorted.rows[i].text, all.rows[i].text);
    drop_all(&all);
}

static void release_changes(host *h, kanon_state *state, uint64_t step)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change change = KANON_INIT(kanon_change);
    kanon_release_changes *changes = NULL;
    struct ArrowArrayStream stream;
    kanon_outputs options = form(step);
    assert_done(changes_to_stream(&stream, &changes, state, NULL, &options, &change, &err), &err);
    assert_true(change.k >= 3);
    assert_true(change.release > 0);
    h->whole += changes->whole;
    h->partial += !changes->whole;
    if (changes->whole)
        drop_all(h);
    for (int64_t i = 0; i < changes->n_removed; i++)
        drop_group(h, changes->removed[i]);
    if (stream.release != NULL)
        take_rows(h, &stream, changes->group_of, changes->n_rows);
    assert_int_equal(h->n, change.records);
    kanon_release_changes_free(changes);
}

/* ---- a table that changes ---------------------------------------------------------------------------------------- */

static const char attributes[] = "joint-k: off\nattributes:\n"
                                 "  id: identifying\n"
                                 "  who: identifying\n"
                                 "  age: {role: quasi, type: integer}\n"
                                 "  pay: {role: quasi, type: decimal}\n"
                                 "  born: {role: quasi, type: date}\n"
                                 "  zip: {role: quasi, mask: right}\n"
                                 "  job: {role: quasi, taxonomy: {Food: [baker, cook], Health: [nurse, surgeon]}}\n"
                                 "  town: quasi\n"
                                 "  ill: sensitive\n"
                                 "  note: insensitive\n"
                                 "missing: ['']\n"
                                 "key: [id]\n";
static const char header[] = "id,who,age,pay,born,zip,job,town,ill,note\n";

/* One record; values come and go, some are missing. */
static int write_record(char *to, size_t room, int id, kanon__random *random)
{
    static const char *const jobs[] = {"baker", "cook", "nurse", "surgeon", ""};
    static const char *const ills[] = {"flu", "gout", "cold", "asthma"};
    int64_t r[8];
    for (int i = 0; i < 8; i++)
        r[i] = kanon__random_below(random, 1000);
    char age[16] = "", zip[16] = "";
    if (r[0] > 50)
        snprintf(age, sizeof age, "%d", (int)(20 + r[0] % 60));
    if (r[3] > 20)
        snprintf(zip, sizeof zip, "47%03d", (int)(r[3] % 40));
    return snprintf(to, room, "%d,p%d,%s,%d.5,19%02d-0%d-11,%s,%s,town%d,%s,remark %d\n", id, id / 2, age,
                    (int)(100 + r[1] % 50), (int)(50 + r[2] % 40), (int)(1 + r[2] % 9), zip, jobs[r[4] % 5],
                    (int)(r[5] % (id > 300 ? 9 : 6)), ills[r[6] % 4], (int)(r[7] % 5));
}

typedef struct people {
    int ids[MOST], n, next;
    kanon__random random;
} people;

static const char *effort; /* of the changes; NULL: the default, a search around them */

static void apply(kanon_state *state, people *p, int n, int kind)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change change = KANON_INIT(kanon_change);
    kanon_change_options options = {.struct_size = sizeof options, .grow_taxonomy = 1, .again = 1, .effort = effort};
    static char csv[400000];
    size_t at = (size_t)snprintf(csv, sizeof csv, "%s", kind == 2 ? "id\n" : header);
    for (int i = 0; i < n; i++) {
        int chosen = kind == 0 ? 0 : i + (int)kanon__random_below(&p->random, p->n - i);
        int id = kind == 0 ? p->next++ : p->ids[chosen];
        if (kind == 0)
            p->ids[p->n++] = id;
        if (kind == 1) { /* each record once: those that were chosen lie in front */
            p->ids[chosen] = p->ids[i];
            p->ids[i] = id;
        }
        if (kind == 2) {
            p->ids[chosen] = p->ids[i];
            p->ids[i] = id;
            at += (size_t)snprintf(csv + at, sizeof csv - at, "%d\n", id);
            continue;
        }
        at += (size_t)write_record(csv + at, sizeof csv - at, id, &p->random);
    }
    if (kind == 2) {
        p->n -= n;
        memmove(p->ids, p->ids + n, (size_t)p->n * sizeof *p->ids);
    }
    static const kanon_change_kind kinds[] = {KANON_INSERT, KANON_UPDATE, KANON_DELETE};
    assert_done(kanon_state_change(state, kinds[kind], KANON_BYTES_AS(csv, at, "delta"), &options, &change, &err), &err);
}

/* The first release comes from the table, with the groups as release_to_stream numbers them. */
static kanon_state *begin(host *h, people *p, const char *path, const char *privacy, int n, uint64_t seed)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_state *state = NULL;
    struct ArrowArrayStream stream;
    static char csv[400000], yaml[4000];
    int64_t group_of[MOST];
    memset(h, 0, sizeof *h);
    memset(p, 0, sizeof *p);
    kanon__random_init(&p->random, seed, 1);
    size_t at = (size_t)snprintf(csv, sizeof csv, "%s", header);
    for (; p->n < n; p->n++) {
        p->ids[p->n] = ++p->next;
        at += (size_t)write_record(csv + at, sizeof csv - at, p->next, &p->random);
    }
    p->next++;
    snprintf(yaml, sizeof yaml, "%s%s", attributes, privacy);
    unlink(path);
    assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(yaml, strlen(yaml), "schema"), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_BYTES_AS(csv, at, "table"), schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&grouping, table, NULL, &err), &err);
    kanon_outputs options = form(0);
    options.group_numbers = group_of;
    assert_done(release_to_stream(&stream, table, grouping, &options, &err), &err);
    take_rows(h, &stream, group_of, n);
    place written = scratch("first.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(written.text)};
    assert_done(kanon_state_create(path, table, schema, grouping, &outputs, NULL, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    kanon_state_options watched = {.struct_size = sizeof watched, .watch = 1};
    assert_done(kanon_state_open(&state, path, &watched, &err), &err);
    return state;
}

static void assert_sound(kanon_state *state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_audit *audit = NULL;
    kanon_state_info *info = NULL;
    assert_done(kanon_state_describe(&info, state, &err), &err); /* checks all of it */
    kanon_state_info_free(info);
    assert_done(kanon_state_audit(&audit, state, 0, &err), &err);
    kanon_audit_free(audit);
}

static host h;
static people p;

/* Random changes; returns how many releases were not whole ones. */
static int walk(const char *privacy, int n, int steps, uint64_t seed)
{
    place path = scratch("walk.state");
    kanon_state *state = begin(&h, &p, path.text, privacy, n, seed);
    print_message("seed %d\n", (int)seed);
    for (int step = 0; step < steps; step++) {
        int n_changes = 1 + (int)kanon__random_below(&p.random, 3);
        for (int i = 0; i < n_changes; i++)
            apply(state, &p, 1 + (int)kanon__random_below(&p.random, 6), (int)kanon__random_below(&p.random, 3));
        release_changes(&h, state, (uint64_t)step);
        assert_as_a_whole_release(&h, path.text);
    }
    assert_sound(state);
    kanon_state_close(state);
    drop_all(&h);
    return h.partial;
}

static void changes_give_the_whole_release(void **unused)
{
    (void)unused;
    assert_int_equal(walk("privacy: {k: 3}\n", 400, 12, 1), 12);
    effort = "fast"; /* a search may change more than half of so few records, and then the release is a whole one */
    assert_int_equal(walk("privacy: {k: 5}\n", 300, 8, 2), 8);
    effort = NULL;
}

static void requirements_are_kept(void **unused)
{
    (void)unused;
    assert_true(walk("privacy: {k: 3, constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}]}\n", 300, 6, 3) >
                0);
    assert_true(walk("privacy: {k: 3, suppress: 0.02}\n", 300, 6, 4) > 0);
    assert_true(walk("entity: who\nprivacy: {k: 3}\n", 300, 6, 5) >= 0);
    /* this one compares with the whole table */
    assert_int_equal(walk("privacy: {k: 3, constraints: [{model: t-closeness, attribute: ill, t: 0.6}]}\n", 300, 3, 6), 0);
}

static void nothing_changed(void **unused)
{
    (void)unused;
    place path = scratch("still.state");
    kanon_state *state = begin(&h, &p, path.text, "privacy: {k: 3}\n", 60, 7);
    release_changes(&h, state, 0);
    assert_int_equal(h.partial, 1);
    release_changes(&h, state, 1);
    assert_int_equal(h.partial, 2);
    assert_as_a_whole_release(&h, path.text);
    kanon_state_close(state);
    drop_all(&h);
}

/* ---- what cannot be told is a whole release ----------------------------------------------------------------------- */

static kanon_state *open_watched(const char *path)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_state_options watched = {.struct_size = sizeof watched, .watch = 1};
    assert_done(kanon_state_open(&state, path, &watched, &err), &err);
    return state;
}

static void changes_of_others_make_it_whole(void **unused)
{
    (void)unused;
    kanon_error err = KANON_INIT(kanon_error);
    place path = scratch("others.state");
    kanon_state *state = begin(&h, &p, path.text, "privacy: {k: 3}\n", 90, 8), *other = NULL;
    apply(state, &p, 2, 0);
    assert_done(kanon_state_open(&other, path.text, NULL, &err), &err);
    apply(other, &p, 2, 2);
    kanon_state_close(other);
    release_changes(&h, state, 0);
    assert_int_equal(h.whole, 1);
    assert_as_a_whole_release(&h, path.text);
    apply(state, &p, 2, 1);
    release_changes(&h, state, 1); /* and from there on changes again */
    assert_int_equal(h.partial, 1);
    assert_as_a_whole_release(&h, path.text);
    apply(state, &p, 2, 1);
    kanon_state_close(state); /* the notes are gone, the changes are not */
    state = open_watched(path.text);
    release_changes(&h, state, 2);
    assert_int_equal(h.whole, 2);
    assert_as_a_whole_release(&h, path.text);
    kanon_change change = KANON_INIT(kanon_change);
    assert_done(kanon_state_improve(state, NULL, NULL, &change, &err), &err);
    release_changes(&h, state, 3);
    assert_int_equal(h.whole, 3);
    assert_as_a_whole_release(&h, path.text);
    kanon_state_close(state);
    drop_all(&h);
}

/* How many rows the state has is known once it is read, and another process may add some until then. */
static void rows_that_others_add_have_room(void **unused)
{
    (void)unused;
    kanon_error err = KANON_INIT(kanon_error);
    place path = scratch("grown.state");
    kanon_state *state = begin(&h, &p, path.text, "privacy: {k: 3}\n", 90, 11), *other = NULL;
    apply(state, &p, 2, 1);
    kanon_state_close(state);
    state = open_watched(path.text); /* nothing of it has been read */
    release_changes(&h, state, 0);
    assert_int_equal(h.whole, 1);
    assert_done(kanon_state_open(&other, path.text, NULL, &err), &err);
    for (int i = 0; i < 40; i++)
        apply(other, &p, 6, 0);
    kanon_state_close(other);
    release_changes(&h, state, 1);
    assert_int_equal(h.whole, 2);
    assert_as_a_whole_release(&h, path.text);
    kanon_state_close(state);
    drop_all(&h);
}

/* What a whole release refuses, a release of changes refuses, too. */
static void wrong_forms_are_refused(void **unused)
{
    static const int forms[] = {KANON_NUMERIC_RANGE, KANON_NUMERIC_COLUMNS + 1, -1};
    (void)unused;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change change = KANON_INIT(kanon_change);
    kanon_release_changes *changes = NULL;
    struct ArrowArrayStream stream;
    place path = scratch("forms.state");
    kanon_state *state = begin(&h, &p, path.text, "privacy: {k: 3}\n", 90, 12);
    apply(state, &p, 2, 1);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        kanon_outputs options = {.struct_size = sizeof options, .numeric = (kanon_numeric)forms[i]};
        assert_int_equal(changes_to_stream(&stream, &changes, state, NULL, &options, &change, &err), KANON_EINVAL);
        assert_null(stream.release);
    }
    release_changes(&h, state, 0);
    assert_int_equal(h.partial, 1);
    kanon_state_close(state);
    drop_all(&h);
}

/* A state that nobody watched, and one with open bands, whose ends are those of all records. */
static void without_notes_it_is_whole(void **unused)
{
    static const char bands[] = "joint-k: off\nattributes: {age: {role: quasi, type: integer, bands: 10, top: 60}}\n"
                                "privacy: {k: 2}\n";
    static const char csv[] = "age\n20\n21\n40\n41\n61\n70\n", more[] = "age\n22\n";
    (void)unused;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change change = KANON_INIT(kanon_change);
    for (int watch = 0; watch < 2; watch++) {
        kanon_schema *schema = NULL;
        kanon_table *table = NULL;
        kanon_grouping *grouping = NULL;
        kanon_state *state = NULL;
        kanon_release_changes *changes = NULL;
        struct ArrowArrayStream stream;
        kanon_state_options options = {.struct_size = sizeof options, .watch = watch};
        place path = scratch("bands.state"), release = scratch("bands.csv");
        kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
        unlink(path.text);
        assert_done(kanon_schema_read(&schema, KANON_BYTES_AS(bands, strlen(bands), "schema"), NULL, &err), &err);
        assert_done(kanon_table_read(&table, KANON_BYTES_AS(csv, strlen(csv), "table"), schema, NULL, &err), &err);
        assert_done(kanon_anonymize(&grouping, table, NULL, &err), &err);
        assert_done(kanon_state_create(path.text, table, schema, grouping, &outputs, NULL, &err), &err);
        assert_done(kanon_state_open(&state, path.text, &options, &err), &err);
        assert_done(kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(more, strlen(more), "more"), NULL, &change, &err),
                    &err);
        assert_done(changes_to_stream(&stream, &changes, state, NULL, NULL, &change, &err), &err);
        assert_true(changes->whole);
        assert_int_equal(change.records, 7);
        stream.release(&stream);
        kanon_release_changes_free(changes);
        kanon_state_close(state);
        kanon_grouping_free(grouping);
        kanon_table_free(table);
        kanon_schema_free(schema);
    }
}

/* A change that fails is no change, and what is released after it is right. */
static void failed_changes_leave_no_trace(void **unused)
{
    (void)unused;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change change = KANON_INIT(kanon_change);
    place path = scratch("failed.state");
    kanon_state *state = begin(&h, &p, path.text, "privacy: {k: 3}\n", 90, 9);
    const char wrong[] = "id\n1\n2\n100000\n";
    apply(state, &p, 3, 1);
    assert_int_equal(
        kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(wrong, strlen(wrong), "delta"), NULL, &change, &err),
        KANON_EDATA);
    apply(state, &p, 3, 0);
    release_changes(&h, state, 0);
    assert_as_a_whole_release(&h, path.text);
    kanon_state_close(state);
    drop_all(&h);
}

/* Each allocation fails in turn, until there is none left to fail: then the release is the first one that is recorded. */
static void without_memory_nothing_is_released(void **unused)
{
    (void)unused;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change change = KANON_INIT(kanon_change);
    kanon_release_changes *changes = NULL;
    struct ArrowArrayStream stream;
    place path = scratch("memory.state");
    kanon_state *state = begin(&h, &p, path.text, "privacy: {k: 3}\n", 40, 10);
    kanon_status st = KANON_ENOMEM;
    int64_t n = 0;
    apply(state, &p, 3, 1);
    while (st != KANON_OK) {
        kanon__alloc_fail_at(++n, false);
        st = changes_to_stream(&stream, &changes, state, NULL, NULL, &change, &err);
        kanon__alloc_fail_at(0, false);
        assert_true(st == KANON_OK || (st == KANON_ENOMEM && stream.release == NULL && changes == NULL));
    }
    assert_true(n > 50);
    assert_int_equal(change.release, 2);
    stream.release(&stream);
    kanon_release_changes_free(changes);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .groups = KANON_TO_PATH(path.text)};
    kanon_change_options wrong = {.struct_size = sizeof wrong, .outputs = &outputs};
    assert_int_equal(changes_to_stream(&stream, &changes, state, &wrong, NULL, &change, &err),
                     KANON_EINVAL);
    kanon_state_close(state);
    drop_all(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(without_notes_it_is_whole, no_leak),
        cmocka_unit_test(changes_give_the_whole_release),
        cmocka_unit_test(requirements_are_kept),
        cmocka_unit_test(nothing_changed),
        cmocka_unit_test(changes_of_others_make_it_whole),
        cmocka_unit_test(rows_that_others_add_have_room),
        cmocka_unit_test(wrong_forms_are_refused),
        cmocka_unit_test(failed_changes_leave_no_trace),
        cmocka_unit_test(without_memory_nothing_is_released),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
