/* States of tables with bands: after every random change the units of the groups are the loss that an evaluation of the same
 * records finds, the file fits together, and what is released shows bands and nothing else. */
#include "core/alloc.h"
#include "core/random.h"
#include "state/index/group_index.h"
#include "state/maintain/materialise.h"
#include "state/maintain/session.h"
#include "support.h"
#include "table/value/number.h"
#include "verify/verify_bands.h"

#include <math.h>

/* The weight of the first attribute is 1, so its full cost is the number of units to 1. */
#define JOB                                                                                                                 \
    "  job: {role: quasi, taxonomy: {cook: , baker: , office: {clerk: , boss: }}}\n  ill: {role: sensitive}\nkey: [id]\n"
static const char *const schemas[] = {
    "missing: [\"?\"]\njoint-k: off\nattributes:\n  id: {role: identifying}\n  age: {role: quasi, bands: 5, top: 60}\n"
    "  pay: {role: quasi, type: decimal, bands: 0.5, bottom: 0.2, weight: 2}\n  day: {role: quasi, bands: month}\n" JOB,
    "missing: [\"?\"]\njoint-k: off\nattributes:\n  id: {role: identifying}\n  age: {role: quasi, bands: [10, 18, 65]}\n"
    "  pay: {role: quasi, type: decimal, top: 2.5, bottom: 1}\n  day: {role: quasi, bands: week, top: 2024-03-01}\n" JOB,
    "missing: [\"?\"]\njoint-k: off\nattributes:\n  id: {role: identifying}\n  age: {role: quasi, bands: 7}\n"
    "  pay: {role: quasi, type: decimal, bands: 0.25}\n  day: {role: quasi, type: date}\n" JOB,
};
static const char header[] = "id,age,pay,day,job,ill\n";

typedef struct world {
    kanon__random random;
    const char *yaml;
    kanon_state *state;
    int next, n; /* ids, which are `ids[0 .. n - 1]` */
    int ids[2048];
    int digits, spread;
} world;

static int below(world *w, int n)
{
    return (int)kanon__random_below(&w->random, n);
}

static void append_person(world *w, int id, char *csv)
{
    static const char *const jobs[] = {"cook", "baker", "clerk", "boss", "?"};
    char age[16] = "?", pay[32] = "?", day[KANON__NUMBER_TEXT] = "?", line[160];
    static const int steps[] = {100, 10, 1};
    if (below(w, 12) > 0)
        snprintf(age, sizeof age, "%d", below(w, 25) == 0 ? below(w, 8 * w->spread) - w->spread : 15 + below(w, w->spread));
    if (below(w, 12) > 0) {
        int cents = below(w, 400) / steps[w->digits] * steps[w->digits];
        snprintf(pay, sizeof pay, "%s%d.%02d", below(w, 15) == 0 ? "-" : "", cents / 100, cents % 100);
    }
    if (below(w, 12) > 0)
        kanon__format_date(day, 19700 + below(w, 5 * w->spread));
    snprintf(line, sizeof line, "k%d,%s,%s,%s,%s,%s\n", id, age, pay, day, jobs[below(w, 5)], below(w, 2) ? "flu" : "cold");
    strcat(csv, line);
}

static void begin_world(world *w, uint64_t seed)
{
    char csv[8192];
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    place path = scratch("x.state");
    *w = (world){.next = 1, .yaml = schemas[seed % 3]};
    kanon__random_init(&w->random, seed, 0);
    w->spread = 10 + below(w, 40);
    strcpy(csv, header);
    for (int n = 12 + below(w, 40); w->n < n; w->n++) {
        append_person(w, w->next, csv);
        w->ids[w->n] = w->next++;
    }
    unlink(path.text);
    write_text(scratch("s.yaml").text, w->yaml);
    write_text(scratch("t.csv").text, csv);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
    kanon_options options = {.struct_size = sizeof options, .k = 2 + below(w, 3), .seed = seed, .algorithm = "kmember"};
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    assert_done(kanon_state_create(path.text, table, schema, grouping, NULL, NULL, &err), &err);
    assert_done(kanon_state_open(&w->state, path.text, NULL, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* ---- the loss ------------------------------------------------------------------------------------------------------ */

static kanon_status add_units(const kanon__node *leaf, void *payload, kanon_error *err)
{
    double *sum = payload;
    (void)err;
    for (int slot = 0; slot < leaf->n; slot++)
        *sum += (double)leaf->sizes[slot] * leaf->units[slot];
    return KANON_OK;
}

/* The groups of a few records, in a space with the range of all: what they cost is what they cost in the index. */
static void assert_subset(world *w, const kanon__subset *whole)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__subset part = {.n = 0};
    kanon__space *space = NULL;
    kanon__bound box[8];
    kanon__group_slot at;
    int64_t codes[4], number = whole->groups[below(w, (int)whole->n)];
    assert_done(kanon__new_array(&part.ids, whole->n, "a test", &err), &err);
    assert_done(kanon__new_array(&part.groups, whole->n, "a test", &err), &err);
    for (int64_t i = 0; i < whole->n; i++)
        if (whole->groups[i] == number) {
            part.ids[part.n] = whole->ids[i];
            part.groups[part.n++] = 1;
        }
    assert_done(kanon__subset_read_table(&part, w->state, &err), &err);
    assert_done(kanon__subset_space(&space, &part, w->state, &err), &err);
    kanon__box_start(space, box, 0);
    for (int64_t row = 1; row < part.n; row++)
        kanon__box_add(space, box, row);
    assert_done(kanon__record_get(w->state, NULL, part.ids[0], NULL, codes, &err), &err);
    assert_done(kanon__group_index_group_of(w->state->index, &at, part.ids[0], codes, &err), &err);
    double here = (double)kanon__box_units(space, box) / (double)space->scale;
    double there = (double)at.node->units[at.slot] / w->state->space->dimensions[0].full;
    if (fabs(here - there) > 1e-5)
        fail_msg("a group costs %.9f in its own table and %.9f in the index", here, there);
    kanon__space_free(space);
    kanon__subset_clear(&part);
}

/* Units of the index, of a space for the materialized table, and of an evaluation are the same loss. */
static void assert_loss(world *w)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__subset whole = {0};
    kanon_grouping *grouping = NULL;
    kanon_measures *measures = NULL;
    kanon_state *s = w->state;
    double units = 0;
    assert_done(kanon__session_begin(s, false, &err), &err);
    assert_done(kanon__group_index_check(s->index, &err), &err);
    assert_done(kanon__group_index_visit(s->index, add_units, &units, &err), &err);
    assert_done(kanon__subset_list_all(&whole, s, &err), &err);
    assert_done(kanon__subset_read_table(&whole, s, &err), &err);
    assert_done(kanon__subset_grouping(&grouping, &whole, s, &err), &err);
    assert_done(kanon_evaluate(&measures, whole.table, grouping, NULL, &err), &err);
    const kanon_figure *loss = kanon_measures_find(measures, "information_loss", NULL);
    assert_non_null(loss);
    double full = s->space->dimensions[0].full;
    if (fabs(units / full - loss->value) > 1e-5 * w->n)
        fail_msg("units say %.9f, the evaluation %.9f", units / full, loss->value);
    assert_subset(w, &whole);
    kanon_measures_free(measures);
    kanon_grouping_free(grouping);
    kanon__subset_clear(&whole);
    kanon__session_end(s);
}

/* ---- releases ------------------------------------------------------------------------------------------------------ */

/* Every cell of a column with bands is "*", missing, or ends where bands do. */
static void assert_bands(const char *release, const char *yaml)
{
    static const struct {
        int column;
        kanon__domain domains[3];
    } rules[] = {
        {0,
         {{.type = KANON_TYPE_INTEGER, .band_texts = {(char *)"5", (char *)"60", NULL}},
          {.type = KANON_TYPE_INTEGER, .band_texts = {(char *)"10,18,65", NULL, NULL}},
          {.type = KANON_TYPE_INTEGER, .band_texts = {(char *)"7", NULL, NULL}}}},
        {1,
         {{.type = KANON_TYPE_DECIMAL, .band_texts = {(char *)"0.5", NULL, (char *)"0.2"}},
          {.type = KANON_TYPE_DECIMAL, .band_texts = {NULL, (char *)"2.5", (char *)"1"}},
          {.type = KANON_TYPE_DECIMAL, .band_texts = {(char *)"0.25", NULL, NULL}}}},
    };
    int which = yaml == schemas[0] ? 0 : yaml == schemas[1] ? 1 : 2;
    char *text = read_text(release);
    for (char *line = strchr(text, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *at = line;
        for (int column = 0; column < 2; column++) {
            kanon__band_cell cells[2] = {{at, strcspn(at, ",\n")}};
            double ends[2];
            bool plain = cells[0].length == 1 && (at[0] == '*' || at[0] == '?');
            if (!plain && !kanon__verify_band_cell(&rules[column].domains[which], KANON_NUMERIC_INTERVAL, cells, ends))
                fail_msg("%.*s is no band", (int)cells[0].length, at);
            at += cells[0].length + 1;
        }
    }
    free(text);
}

static void assert_released(world *w)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state_info *info = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    place release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    assert_done(kanon_state_describe(&info, w->state, &err), &err);
    assert_int_equal(info->records, w->n);
    assert_done(kanon_state_release(w->state, &options, &done, &err), &err);
    assert_bands(release.text, w->yaml);
    kanon_audit *audit = NULL;
    assert_done(kanon_state_audit(&audit, w->state, 2, &err), &err);
    kanon_audit_free(audit);
    kanon_state_info_free(info);
}

/* ---- changes ------------------------------------------------------------------------------------------------------- */

static void change_something(world *w)
{
    char csv[4096];
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    int what = below(w, 7), n = 1 + below(w, 6);
    strcpy(csv, what < 3 || what > 4 ? header : "id\n");
    if (what < 3) { /* now and then with more digits, and with a number far from all others */
        w->digits += w->digits < 2 && below(w, 8) == 0;
        w->spread += below(w, 5) == 0 ? 7 : 0;
        for (int i = 0; i < n; i++) {
            append_person(w, w->next, csv);
            w->ids[w->n++] = w->next++;
        }
    } else if (what < 5) {
        for (int i = 0; i < n && w->n > 12; i++) {
            int at = below(w, w->n);
            sprintf(csv + strlen(csv), "k%d\n", w->ids[at]);
            w->ids[at] = w->ids[--w->n];
        }
    } else if (what == 5) {
        append_person(w, w->ids[below(w, w->n)], csv);
    }
    write_text(scratch("d.csv").text, csv);
    kanon_change_options options = {.struct_size = sizeof options};
    if (what < 3)
        assert_done(kanon_state_change(w->state, KANON_INSERT, KANON_PATH(scratch("d.csv").text), &options, &done, &err),
                    &err);
    else if (what < 5 && strlen(csv) > 3)
        assert_done(kanon_state_change(w->state, KANON_DELETE, KANON_PATH(scratch("d.csv").text), &options, &done, &err),
                    &err);
    else if (what == 5)
        assert_done(kanon_state_change(w->state, KANON_UPDATE, KANON_PATH(scratch("d.csv").text), &options, &done, &err),
                    &err);
    else if (what == 6)
        assert_done(kanon_state_improve(w->state, NULL, NULL, &done, &err), &err);
}

static void random_changes(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    for (uint64_t i = 0; i < 12; i++) {
        world w;
        begin_world(&w, seed * 1200 + i);
        assert_loss(&w);
        for (int step = 0; step < 20; step++) {
            change_something(&w);
            assert_loss(&w);
            if (step % 7 == 3)
                assert_released(&w);
        }
        kanon_state_close(w.state);
    }
}

/* ---- one number at a time ------------------------------------------------------------------------------------------ */

static kanon_grouping *pairs_of(const kanon_table *table)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *grouping = NULL;
    kanon_options options = {.struct_size = sizeof options, .k = 2, .algorithm = "kmember"};
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    return grouping;
}

/* A new extreme moves the end of the open band, and the loss of all groups with it; it comes back when the extreme goes. */
static void extremes_move_open_bands(void **unused)
{
    world w = {.yaml = "joint-k: off\nattributes: {id: {role: identifying}, age: {role: quasi, bands: 10, top: 50}}\n"
                       "key: [id]\n", .n = 4};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    kanon_state_info *info = NULL;
    place path = scratch("e.state");
    (void)unused;
    write_text(scratch("e.yaml").text, w.yaml);
    write_text(scratch("e.csv").text, "id,age\n1,0\n2,5\n3,55\n4,70\n");
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("e.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("e.csv").text), schema, NULL, &err), &err);
    kanon_grouping *grouping = pairs_of(table);
    assert_done(kanon_state_create(path.text, table, schema, grouping, NULL, NULL, &err), &err);
    assert_done(kanon_state_open(&w.state, path.text, NULL, &err), &err);
    static const double losses[] = {(2 * 10.0 + 2 * 20) / 70 / 4, (2 * 10.0 + 3 * 50) / 100 / 5};
    for (int i = 0; i < 3; i++) { /* [0..9] costs 10, [50..] 20 of 70; with a person of 100 it costs 50 of 100 */
        assert_loss(&w);
        assert_done(kanon_state_describe(&info, w.state, &err), &err);
        assert_float_equal(info->loss, losses[i % 2], 1e-9);
        kanon_state_info_free(info);
        write_text(scratch("d.csv").text, i == 0 ? "id,age\n5,100\n" : "id\n5\n");
        if (i == 0)
            assert_done(kanon_state_change(w.state, KANON_INSERT, KANON_PATH(scratch("d.csv").text), NULL, &done, &err),
                        &err);
        else if (i == 1)
            assert_done(kanon_state_change(w.state, KANON_DELETE, KANON_PATH(scratch("d.csv").text), NULL, &done, &err),
                        &err);
        w.n = 5;
    }
    kanon_state_close(w.state);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* Without a number, nobody knows what the bands are of; and another schema is not the table's. */
static void what_is_refused(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    (void)unused;
    place path = scratch("f.state");
    write_text(scratch("f.yaml").text,
               "missing: [\"?\"]\njoint-k: off\nattributes: {id: {role: identifying}, age: {role: quasi, bands: 5}}\n");
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("f.yaml").text), NULL, &err), &err);
    for (int i = 0; i < 2; i++) {
        kanon_table *table = NULL;
        write_text(scratch("f.csv").text, i == 0 ? "id,age\n1,?\n2,?\n" : "id,age\n1,4\n2,7\n");
        assert_done(kanon_table_read(&table, KANON_PATH(scratch("f.csv").text), schema, NULL, &err), &err);
        if (i == 1)
            assert_done(kanon_schema_set(schema, "age", "bands", "10", &err), &err);
        kanon_grouping *grouping = pairs_of(table);
        assert_int_equal(kanon_state_create(path.text, table, schema, grouping, NULL, NULL, &err), KANON_EINVAL);
        assert_holds(err.message,
                     i == 0 ? "age: a column with bands and without numbers" : "age: the schema is not the one");
        kanon_grouping_free(grouping);
        kanon_table_free(table);
    }
    kanon_schema_free(schema);
}

static int set_up(void **state)
{
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1); /* every change waits for the disk */
    return make_scratch(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(random_changes, no_leak),
        cmocka_unit_test_teardown(extremes_move_open_bands, no_leak),
        cmocka_unit_test_teardown(what_is_refused, no_leak),
    };
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
