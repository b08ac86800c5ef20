/* States with constraints, entities and a suppression budget: after every one of many random commands the groups keep what
 * the definitions, recounted in the slowest way, say of them, as does the release. What is impossible changes nothing. */
#include "core/random.h"
#include "model/grouping.h"
#include "reference/private_table.h"
#include "reference/random_table.h"
#include "reference/ref_privacy.h"
#include "reference/reference.h"
#include "state/maintain/releases.h"
#include "state/maintain/session.h"
#include "support.h"

#include <sqlite3.h>

enum { MOST = 400, LINE = 64 };

/* Who is in the table: the lines of the CSV file without the key, which is "k" and the number. */
typedef struct world {
    kanon__random random;
    kanon_state *state;
    char yaml[4200];
    int64_t k;
    int n, next_id;
    int ids[MOST];
    char lines[MOST][LINE];
    int entity;
    int n_refused, n_repaired;
} world;

static const char header[] = "id,person,age,job,disease,town,pay\n";

static int below(world *w, int n)
{
    return (int)kanon__random_below(&w->random, n);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* The table of who is there, as a text that is to be freed. */
static char *table_text(const world *w)
{
    size_t size = sizeof header + (size_t)w->n * (LINE + 16) + 1;
    char *text = malloc(size);
    assert_non_null(text);
    strcpy(text, header);
    size_t used = strlen(text);
    for (int i = 0; i < w->n; i++)
        used += (size_t)snprintf(text + used, size - used, "k%d,%s\n", w->ids[i], w->lines[i]);
    return text;
}

/* Lines of a random table: the world's first ones, or people to come. */
static int random_lines(uint64_t seed, char lines[][LINE], int most)
{
    private_table t = private_table_new(seed, 0, 0, NULL);
    int n = 0;
    for (char *line = strchr(t.csv, '\n') + 1; *line != '\0' && n < most; n++) {
        char *end = strchr(line, '\n');
        assert_true(end - line < LINE);
        memcpy(lines[n], line, (size_t)(end - line));
        lines[n][end - line] = '\0';
        line = end + 1;
    }
    return n;
}

/* ---- beginning --------------------------------------------------------------------------------------------------- */

/* False: what is asked cannot be met by the first table. */
static bool begin_world(world *w, uint64_t seed, unsigned models, int entity, const char *suppress)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    private_table texts = private_table_new(seed, models, entity, suppress);
    memset(w, 0, sizeof *w);
    kanon__random_init(&w->random, seed, 77);
    w->k = texts.k;
    w->entity = entity;
    /* so that the release tells whose records they are */
    memcpy(strstr(texts.yaml, "{role: identifying}"), "{role: insensitive}", strlen("{role: insensitive}"));
    snprintf(w->yaml, sizeof w->yaml, "%s\nkey: [id]\n", texts.yaml);
    char *attributes = strstr(w->yaml, "attributes:\n") + strlen("attributes:\n");
    static const char id[] = "  id: {role: identifying}\n";
    memmove(attributes + strlen(id), attributes, strlen(attributes) + 1);
    memcpy(attributes, id, strlen(id));
    w->n = random_lines(seed, w->lines, MOST);
    for (int i = 0; i < w->n; i++)
        w->ids[i] = i + 1;
    w->next_id = w->n + 1;
    char *csv = table_text(w);
    place path = scratch("x.state");
    unlink(path.text);
    write_text(scratch("s.yaml").text, w->yaml);
    write_text(scratch("t.csv").text, csv);
    free(csv);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
    kanon_options options = {.struct_size = sizeof options, .seed = seed, .algorithm = seed % 2 ? "kmember" : "mondrian"};
    kanon_status st = kanon_anonymize(&grouping, table, &options, &err);
    if (st == KANON_OK) {
        assert_done(kanon_state_create(path.text, table, schema, grouping, NULL, NULL, &err), &err);
        assert_done(kanon_state_open(&w->state, path.text, NULL, &err), &err);
    } else {
        assert_int_equal(st, KANON_EINFEASIBLE);
    }
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return st == KANON_OK;
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

static void assert_groups_keep(const kanon_table *t, const kanon_grouping *g, int64_t k)
{
    int64_t n_suppressed = 0;
    for (int32_t group = 0; group < g->n_groups; group++) {
        assert_true(g->sizes[group] >= k);
        if (!ref_group_holds(t, k, g->group_of, group))
            fail_msg("a group does not keep its constraints");
    }
    for (int64_t row = 0; row < t->data.n_rows; row++) {
        n_suppressed += g->group_of[row] < 0;
        for (int64_t other = 0; t->policy.entity_together && other < row; other++)
            if (kanon__code_at(t->data.entity_codes, row) == kanon__code_at(t->data.entity_codes, other))
                assert_int_equal(g->group_of[row], g->group_of[other]);
    }
    int64_t may_suppress = kanon__fraction_of(t->policy.suppress, t->data.n_rows);
    if (may_suppress >= 0)
        assert_true(n_suppressed <= may_suppress);
}

/* The records are those of the world, by their numbers, and the groups are good. */
static void assert_kept(world *w)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__subset whole = {0};
    kanon_grouping *g = NULL;
    bool there[MOST * 4] = {0};
    assert_done(kanon__session_begin(w->state, false, &err), &err);
    assert_done(kanon__subset_list_all(&whole, w->state, &err), &err);
    assert_done(kanon__subset_read_table(&whole, w->state, &err), &err);
    assert_done(kanon__subset_grouping(&g, &whole, w->state, &err), &err);
    assert_int_equal(whole.n, w->n);
    for (int64_t i = 0; i < whole.n; i++)
        there[whole.ids[i]] = true;
    for (int i = 0; i < w->n; i++)
        assert_true(there[w->ids[i]]);
    assert_groups_keep(whole.table, g, w->k);
    kanon_grouping_free(g);
    kanon__subset_clear(&whole);
    kanon__session_end(w->state);
}

/* The file says that it is sound, and check finds everything kept in the release, where classes are what looks alike. */
static void assert_released(world *w)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state_info *info = NULL;
    kanon_check *check = NULL;
    kanon_schema *schema = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    place release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs, .joint_k = KANON_JOINT_K_OFF};
    assert_done(kanon_state_describe(&info, w->state, &err), &err);
    assert_int_equal(info->records, w->n);
    assert_done(kanon_state_release(w->state, &options, &done, &err), &err);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_check_read(&check, KANON_PATH(release.text), schema, NULL, &err), &err);
    assert_true(check->k >= w->k);
    assert_true(w->entity == 0 || check->entities >= w->k);
    assert_int_equal(check->n_constraints + (w->entity > 0), info->n_constraints);
    for (size_t i = 0; i < check->n_constraints; i++)
        if (!check->constraints[i]->holds)
            fail_msg("check finds this broken: %s", check->constraints[i]->sentence);
    kanon_check_free(check);
    kanon_schema_free(schema);
    kanon_state_info_free(info);
}

/* ---- changing ---------------------------------------------------------------------------------------------------- */

/* Whether the table of this world, as one group, keeps all that is asked. */
static bool is_possible(const world *w)
{
    if (w->n < w->k)
        return false;
    char *csv = table_text(w);
    kanon_table *table = table_from_texts(csv, w->yaml);
    int32_t *one_group = REF_NEW(int32_t, table->data.n_rows);
    bool possible = ref_group_holds(table, w->k, one_group, 0);
    free(one_group);
    kanon_table_free(table);
    free(csv);
    return possible;
}

/* Give the command the file d.csv; it must lead to `after`, unless that is impossible: then nothing has changed. */
static void apply(world *w, world *after, kanon_change_kind kind)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    char *before = read_text(scratch("x.state").text);
    struct stat is;
    assert_int_equal(stat(scratch("x.state").text, &is), 0);
    kanon_status st = kanon_state_change(w->state, kind, KANON_PATH(scratch("d.csv").text), NULL, &done, &err);
    if (st == KANON_EINFEASIBLE) {
        char *now = read_text(scratch("x.state").text);
        struct stat is_now;
        assert_int_equal(stat(scratch("x.state").text, &is_now), 0);
        assert_int_equal(is.st_size, is_now.st_size);
        assert_memory_equal(before, now, (size_t)is.st_size);
        assert_holds(err.hint, "nothing was changed");
        free(now);
        assert_false(is_possible(after));
        w->n_refused++;
    } else {
        assert_done(st, &err);
        assert_true(is_possible(after));
        w->n = after->n;
        w->next_id = after->next_id;
        memcpy(w->ids, after->ids, sizeof w->ids);
        memcpy(w->lines, after->lines, sizeof w->lines);
        w->n_repaired += (int)done.repaired;
    }
    free(before);
    assert_kept(w);
}

static void random_insert(world *w, world *after)
{
    char lines[8][LINE], csv[2048];
    int n = random_lines((uint64_t)below(w, 1 << 30), lines, 1 + below(w, 7));
    *after = *w;
    strcpy(csv, header);
    for (int i = 0; i < n; i++) {
        char line[2 * LINE];
        snprintf(line, sizeof line, "k%d,%s\n", after->next_id, lines[i]);
        strcat(csv, line);
        strcpy(after->lines[after->n], lines[i]);
        after->ids[after->n++] = after->next_id++;
    }
    write_text(scratch("d.csv").text, csv);
    apply(w, after, KANON_INSERT);
}

static void random_delete(world *w, world *after, int most)
{
    char csv[MOST * 8] = "id\n", line[32];
    *after = *w;
    for (int n = 1 + below(w, most); n > 0 && after->n > 0; n--) {
        int who = below(w, after->n);
        snprintf(line, sizeof line, "k%d\n", after->ids[who]);
        strcat(csv, line);
        after->n--;
        after->ids[who] = after->ids[after->n];
        memmove(after->lines[who], after->lines[after->n], LINE);
    }
    write_text(scratch("d.csv").text, csv);
    apply(w, after, KANON_DELETE);
}

static void random_update(world *w, world *after)
{
    char lines[5][LINE], csv[2048];
    int n = random_lines((uint64_t)below(w, 1 << 30), lines, 1 + below(w, 4)), first = below(w, w->n);
    *after = *w;
    strcpy(csv, header);
    for (int i = 0; i < n && i < w->n; i++) {
        char line[2 * LINE];
        int who = (first + i) % w->n;
        snprintf(line, sizeof line, "k%d,%s\n", after->ids[who], lines[i]);
        strcat(csv, line);
        strcpy(after->lines[who], lines[i]);
    }
    write_text(scratch("d.csv").text, csv);
    apply(w, after, KANON_UPDATE);
}

static void optimize(world *w, const char *how)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    int64_t n_suppressed = w->state->n_suppressed;
    kanon_status st = kanon_state_improve(w->state, how, NULL, &done, &err);
    if (w->entity == 2) {
        assert_int_equal(st, KANON_EINVAL);
    } else {
        assert_done(st, &err);
        assert_int_equal(done.suppressed, n_suppressed); /* no command suppresses records */
        assert_true(done.loss <= done.loss_before + 1e-9 || w->entity > 0);
    }
    assert_kept(w);
}

static void random_commands(world *w, int n)
{
    static world after;
    for (int step = 0; step < n; step++) {
        int what = below(w, 20);
        if (what < 7)
            random_insert(w, &after);
        else if (what < 13)
            random_delete(w, &after, w->n > 100 ? 40 : 6);
        else if (what < 17)
            random_update(w, &after);
        else if (what == 17)
            random_delete(w, &after, w->n); /* until it is hardly possible */
        else if (what == 18)
            optimize(w, below(w, 4) == 0 ? "search" : NULL);
        else
            assert_released(w);
    }
    assert_released(w);
}

/* KANON_TEST_OPERATIONS=N for another number of worlds for every model and kind of entity. */
static void every_command_keeps_everything(void **unused)
{
    static const char *const budgets[] = {NULL, "0", "0.05", "0.3"};
    const char *given = getenv("KANON_TEST_OPERATIONS");
    uint64_t seed = test_seed();
    int n_worlds = 0, n_refused = 0, n_repaired = 0;
    (void)unused;
    for (int round = 0; round < (given != NULL ? atoi(given) : 1); round++)
        for (unsigned model = 0; model <= PRIVATE_MODELS + 3; model++)
            for (int entity = 0; entity < 3; entity++) {
                static world w;
                kanon__random random;
                kanon__random_init(&random, seed + 1000 * (uint64_t)round, 100 * model + (unsigned)entity);
                unsigned models = (unsigned)kanon__random_below(&random, 1 << PRIVATE_MODELS);
                models &= (unsigned)kanon__random_below(&random, 1 << PRIVATE_MODELS);
                if (model < PRIVATE_MODELS)
                    models = 1u << model;
                uint64_t own = (uint64_t)kanon__random_below(&random, 1 << 30);
                const char *budget = budgets[kanon__random_below(&random, 4)];
                if (!begin_world(&w, own, model == PRIVATE_MODELS ? 0 : models, entity, budget))
                    continue;
                print_message("seed %d: models %x, entity %d\n", (int)own, models, entity);
                assert_kept(&w);
                random_commands(&w, 12);
                n_worlds++;
                n_refused += w.n_refused;
                n_repaired += w.n_repaired;
                kanon_state_close(w.state);
            }
    print_message("%d worlds, %d commands refused, %d groups repaired\n", n_worlds, n_refused, n_repaired);
    assert_true(n_worlds > 20 && n_refused > 0 && n_repaired > 20);
}

/* Two groups, each half X and half Y, share the entities c and d. When g and h go, both show age 20 alone: the release has
 * one class then, in which two thirds of the entities have X. */
static void classes_count_an_entity_once(void **unused)
{
    static const char csv[] = "who,age,ill\na,20,X\nc,20,Y\nb,20,X\nd,20,Y\ne,20,X\nc,20,Y\nf,20,X\nd,20,Y\ng,21,X\nh,21,Y\n"
                              "i,50,Z\nj,50,Z\nk,51,W\nl,51,W\n";
    static const char yaml[] = "attributes: {who: insensitive, age: {role: quasi, type: integer}, ill: sensitive}\n"
                               "privacy: {k: 4, constraints: [{model: alpha-k, attribute: ill, alpha: 0.5}]}\nentity: who\n";
    static const int64_t group_of[] = {1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_state *state = NULL;
    kanon_check *check = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    place path = scratch("x.state"), release = scratch("r.csv"), delta = scratch("d.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    (void)unused;
    unlink(path.text);
    write_text(scratch("s.yaml").text, yaml);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    kanon_table *table = table_of(yaml, csv);
    kanon_grouping *g = grouping_of(table, group_of);
    g->k = 4;
    assert_done(kanon_state_create(path.text, table, schema, g, NULL, NULL, &err), &err);
    assert_done(kanon_state_open(&state, path.text, NULL, &err), &err);
    write_text(delta.text, "who,age,ill\ng,21,X\nh,21,Y\n");
    assert_done(kanon_state_change(state, KANON_DELETE, KANON_PATH(delta.text), &options, &done, &err), &err);
    assert_done(kanon_check_read(&check, KANON_PATH(release.text), schema, NULL, &err), &err);
    assert_int_equal(check->n_constraints, 1);
    assert_true(check->constraints[0]->holds);
    assert_true(done.repaired > 0);
    kanon_check_free(check);
    kanon_state_close(state);
    kanon_grouping_free(g);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* ---- what is read ------------------------------------------------------------------------------------------------ */

enum { N_LARGE = 4000 };

/* A state of 1000 groups of four with two illnesses each, whose records fill most of its pages. */
static kanon_state *make_large_state(const char *constraint)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_state *state = NULL;
    char yaml[512], *csv = malloc(N_LARGE * 256), *at = csv;
    int64_t *group_of = calloc(N_LARGE, sizeof *group_of);
    place path = scratch("large.state");
    unlink(path.text);
    snprintf(yaml, sizeof yaml,
             "attributes: {age: {role: quasi, type: integer}, ill: sensitive, note: insensitive}\n"
             "privacy: {k: 4, constraints: [{attribute: ill, %s}]}\n", constraint);
    at += sprintf(at, "age,ill,note\n");
    for (int i = 0; i < N_LARGE; i++) {
        at += sprintf(at, "%d,%s,%0150d\n", i, i % 2 == 0 ? "flu" : "gout", i);
        group_of[i] = i / 4 + 1;
    }
    write_text(scratch("s.yaml").text, yaml);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    kanon_table *table = table_of(yaml, csv);
    kanon_grouping *g = grouping_of(table, group_of);
    g->k = 4;
    assert_done(kanon_state_create(path.text, table, schema, g, NULL, NULL, &err), &err);
    assert_done(kanon_state_open(&state, path.text, NULL, &err), &err);
    kanon_grouping_free(g);
    kanon_table_free(table);
    kanon_schema_free(schema);
    free(group_of);
    free(csv);
    return state;
}

/* Pages that the insert of one record reads from the file, of how many there are. */
static int pages_read(const char *constraint, int *n_pages)
{
    static const char delta[] = "age,ill,note\n2001,flu,new\n";
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    kanon_state *state = make_large_state(constraint);
    struct stat is;
    int n_read, highest;
    sqlite3_db_status(state->store.db, SQLITE_DBSTATUS_CACHE_MISS, &n_read, &highest, 1);
    assert_done(kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(delta, strlen(delta), "delta"), NULL, &done, &err),
                &err);
    sqlite3_db_status(state->store.db, SQLITE_DBSTATUS_CACHE_MISS, &n_read, &highest, 1);
    kanon_state_close(state);
    assert_int_equal(stat(scratch("large.state").text, &is), 0);
    *n_pages = (int)(is.st_size / 4096);
    return n_read;
}

/* Only a model that compares with the whole table makes an insert read the whole table. */
static void an_insert_reads_what_it_changes(void **unused)
{
    static const char *const of_group[] = {"model: distinct-l-diversity, l: 2", "model: p-sensitive-k-anonymity, p: 2",
                                           "model: entropy-l-diversity, l: 1.8", "model: recursive-l-diversity, c: 3, l: 2",
                                           "model: alpha-k, alpha: 0.6"};
    int n_pages;
    (void)unused;
    for (size_t i = 0; i < sizeof of_group / sizeof *of_group; i++) {
        int n = pages_read(of_group[i], &n_pages);
        print_message("%s: %d of %d pages\n", of_group[i], n, n_pages);
        assert_true(n < n_pages / 5);
    }
    assert_true(pages_read("model: t-closeness, t: 0.4", &n_pages) > n_pages / 2);
}

static int set_up(void **state)
{
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return make_scratch(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_command_keeps_everything, no_leak),
        cmocka_unit_test_teardown(classes_count_an_entity_once, no_leak),
        cmocka_unit_test_teardown(an_insert_reads_what_it_changes, no_leak),
    };
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
