/* The index of groups gives the answers that a look at every group gives, however it was cut and changed. */
#include "core/random.h"
#include "sample/hospital.h"
#include "state/index/group_index.h"
#include "state/index/index_cut.h"
#include "state/maintain/materialise.h"
#include "state/maintain/session.h"
#include "support.h"

static const char *const hospital[] = {"hospital.csv", "hospital.yaml"};

/* `bands` and `top` are those of the age; NULL: none. */
static kanon_state *make_banded_state(int64_t n_rows, uint64_t seed, int64_t k, const char *bands, const char *top)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_state *state = NULL;
    place directory = scratch("h"), path = scratch("x.state");
    assert_done(sample_hospital(directory.text, n_rows, seed, NULL, NULL, &err), &err);
    assert_done(kanon_schema_read(&schema, KANON_PATH(inside(directory.text, hospital[1]).text), NULL, &err), &err);
    if (bands != NULL)
        assert_done(kanon_schema_set(schema, "age", "bands", bands, &err), &err);
    if (top != NULL)
        assert_done(kanon_schema_set(schema, "age", "top", top, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(inside(directory.text, hospital[0]).text), schema, NULL, &err), &err);
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

static kanon_state *make_state(int64_t n_rows, uint64_t seed, int64_t k)
{
    return make_banded_state(n_rows, seed, k, NULL, NULL);
}

/* ---- by looking at every group ----------------------------------------------------------------------------------- */

typedef struct scan {
    const kanon_state *state;
    const int64_t *codes;
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
            const kanon__current_dimension *d = &s->state->space->dimensions[i];
            int32_t lo = kanon__coordinate_of(d, kanon__group_edge(leaf, slot, i, 0));
            int32_t hi = kanon__coordinate_high(d, kanon__group_edge(leaf, slot, i, 1));
            int32_t low = kanon__coordinate_of(d, s->codes[i]), high = kanon__coordinate_high(d, s->codes[i]);
            now += kanon__coordinates_units(d, lo, hi);
            then += kanon__coordinates_units(d, lo < low ? lo : low, hi > high ? hi : high);
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
static void ask(kanon_state *state, kanon__random *random, int n_queries, const int64_t *ids, int64_t n_ids)
{
    kanon_error err = KANON_INIT(kanon_error);
    int64_t *codes = calloc((size_t)state->n_dimensions, sizeof *codes),
            *others = calloc((size_t)state->n_dimensions, sizeof *codes);
    for (int i = 0; i < n_queries; i++) {
        kanon__group_slot at;
        int64_t increase, id = ids[kanon__random_below(random, n_ids)], other = ids[kanon__random_below(random, n_ids)];
        assert_done(kanon__record_get(state, NULL, id, NULL, codes, &err), &err);
        assert_done(kanon__record_get(state, NULL, other, NULL, others, &err), &err);
        assert_done(kanon__group_index_group_of(state->index, &at, id, codes, &err), &err);
        assert_non_null(at.node);
        int64_t own = kanon__group_number(at);
        for (int d = 0; i % 2 == 1 && d < state->n_dimensions; d++)
            codes[d] = kanon__random_below(random, 3) == 0 ? others[d] : codes[d];
        assert_done(kanon__group_index_cheapest(state->index, &at, codes, &increase, &err), &err);
        scan s = {.state = state, .codes = codes, .record = id};
        assert_done(kanon__group_index_visit(state->index, scan_leaf, &s, &err), &err);
        assert_int_equal(own, s.own);
        assert_int_equal(kanon__group_number(at), s.best);
        assert_int_equal(increase, s.increase);
    }
    free(others);
    free(codes);
}

static void compare(kanon_state *state, kanon__random *random, int n_queries)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__subset whole = {0};
    assert_done(kanon__session_begin(state, false, &err), &err);
    assert_done(kanon__group_index_check(state->index, &err), &err);
    assert_done(kanon__subset_list_all(&whole, state, &err), &err);
    ask(state, random, n_queries, whole.ids, whole.n);
    kanon__subset_clear(&whole);
    kanon__session_end(state);
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

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
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    kanon__random random;
    (void)unused;
    kanon__random_init(&random, test_seed(), 0);
    kanon_state *state = make_state(3000, 1, 2);
    place more = scratch("m"), delta = scratch("d.csv");
    assert_done(sample_hospital(more.text, 8000, 5, NULL, NULL, &err), &err);
    compare(state, &random, 300);
    write_lines(inside(more.text, hospital[0]).text, delta.text, 1, 1, 8000);
    kanon_change_options grow = {.struct_size = sizeof grow, .grow_taxonomy = 1};
    assert_done(kanon_state_change(state, KANON_INSERT, KANON_PATH(delta.text), &grow, &done, &err), &err);
    assert_true(done.splits > 100); /* nodes were cut, too */
    compare(state, &random, 300);
    write_lines(scratch("h/hospital.csv").text, delta.text, 2, 3, 1000);
    assert_done(kanon_state_change(state, KANON_DELETE, KANON_PATH(delta.text), NULL, &done, &err), &err);
    assert_true(done.dispersed > 100);
    compare(state, &random, 300);
    write_lines(scratch("h/hospital.csv").text, delta.text, 1, 3, 1000);
    assert_done(kanon_state_change(state, KANON_DELETE, KANON_PATH(delta.text), NULL, &done, &err), &err);
    compare(state, &random, 300);
    kanon_state_close(state);
}

/* A table of groups of five on a line, at 0, 100, 200 and so on, and in `gone` three records of every other group. The two
 * that are left of such a group are on both sides of its place, each nearest to a neighbour that one record more splits. */
static int64_t write_line(const char *rows_file, const char *gone_file, int n_groups, int64_t *group_of)
{
    FILE *rows = fopen(rows_file, "wb"), *gone = fopen(gone_file, "wb");
    int64_t record = 0, number = 0;
    fputs("id,x\n", rows);
    fputs("id\n", gone);
    for (int part = 0; part < 4; part++) /* the first that shrink have the lowest numbers, the second the highest */
        for (int at = (const int[]){0, 1, 3, 2}[part]; at < n_groups; at += 4) {
            number++;
            for (int i = 0; i < 5; i++) {
                fprintf(rows, "%d,%d\n", (int)record, 100 * at + (at % 2 == 0 && i < 2 ? 98 * i - 49 : 0));
                if (at % 2 == 0 && i >= 2)
                    fprintf(gone, "%d\n", (int)record);
                group_of[record++] = number;
            }
        }
    fclose(gone);
    fclose(rows);
    return record;
}

static void assert_sizes(kanon_state *state, int64_t least)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__subset whole = {0};
    assert_done(kanon__session_begin(state, false, &err), &err);
    assert_done(kanon__subset_list_all(&whole, state, &err), &err);
    int64_t *sizes = calloc((size_t)state->next_group, sizeof *sizes);
    for (int64_t i = 0; i < whole.n; i++)
        sizes[whole.groups[i]]++;
    for (int64_t number = 1; number < state->next_group; number++)
        assert_true(sizes[number] == 0 || sizes[number] >= least);
    free(sizes);
    kanon__subset_clear(&whole);
    kanon__session_end(state);
}

/* While the groups with low numbers disperse, leaves are cut in which others wait for their turn. */
static void leaves_are_cut_while_groups_wait(void **unused)
{
    enum { N_GROUPS = 400 };
    static int64_t group_of[5 * N_GROUPS];
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    kanon__random random;
    place path = scratch("line.state"), schema_file = scratch("line.yaml"), rows = scratch("line.csv");
    place gone = scratch("gone.csv");
    (void)unused;
    kanon__random_init(&random, test_seed(), 6);
    write_text(schema_file.text, "attributes: {id: {role: identifying}, x: {role: quasi, type: integer}}\n"
                                 "key: [id]\nprivacy: {k: 3}\n");
    assert_int_equal(write_line(rows.text, gone.text, N_GROUPS, group_of), 5 * N_GROUPS);
    assert_done(kanon_schema_read(&schema, KANON_PATH(schema_file.text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(rows.text), schema, NULL, &err), &err);
    assert_done(kanon_grouping_new(&grouping, table, group_of, &err), &err);
    assert_done(kanon_state_create(path.text, table, schema, grouping, NULL, NULL, &err), &err);
    assert_done(kanon_state_open(&state, path.text, NULL, &err), &err);
    assert_done(kanon_state_change(state, KANON_DELETE, KANON_PATH(gone.text), NULL, &done, &err), &err);
    assert_true(done.dispersed > N_GROUPS / 3); /* one that gets the records of another is large enough again */
    assert_true(done.splits > N_GROUPS / 3);
    assert_sizes(state, 3);
    compare(state, &random, 100);
    kanon_state_close(state);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* Bands that are closed, and bands that are open: then their ends move with the ranges, and shares are worth nothing. */
static void as_a_scan_with_bands(void **unused)
{
    static const char *const rules[][2] = {{"7", NULL}, {"5", "60"}, {"0,18,40,65", NULL}, {NULL, "50"}};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    kanon__random random;
    (void)unused;
    kanon__random_init(&random, test_seed(), 5);
    kanon_change_options grow = {.struct_size = sizeof grow, .grow_taxonomy = 1};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        kanon_state *state = make_banded_state(1200, 11 + i, 2, rules[i][0], rules[i][1]);
        place more = scratch("m"), delta = scratch("d.csv");
        assert_done(sample_hospital(more.text, 1200, 5 + i, NULL, NULL, &err), &err);
        compare(state, &random, 100);
        write_lines(inside(more.text, hospital[0]).text, delta.text, 1, 1, 1200);
        assert_done(kanon_state_change(state, KANON_INSERT, KANON_PATH(delta.text), &grow, &done, &err), &err);
        compare(state, &random, 100);
        write_text(delta.text, "id,name,age,sex,zip,marital-status,occupation,admission,diagnosis,cost\n"
                               "X,X,1000,M,47415,married,software developer,2023-12-01,depression,2886.66\n");
        assert_done(kanon_state_change(state, KANON_INSERT, KANON_PATH(delta.text), &grow, &done, &err), &err);
        compare(state, &random, 60);
        assert_done(kanon_state_change(state, KANON_DELETE, KANON_PATH(delta.text), NULL, &done, &err),
                    &err); /* open bands shrink */
        compare(state, &random, 60);
        write_lines(scratch("h/hospital.csv").text, delta.text, 2, 3, 300);
        assert_done(kanon_state_change(state, KANON_DELETE, KANON_PATH(delta.text), NULL, &done, &err), &err);
        compare(state, &random, 60);
        kanon_state_close(state);
    }
}

/* Take the last record out of its group and out of the ranges. */
static void forget_last(kanon_state *state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__group_slot at;
    int64_t last = state->next_record - 1, m = state->n_dimensions;
    int64_t *codes = calloc((size_t)m, sizeof *codes), *box = calloc(2 * (size_t)m, sizeof *box);
    kanon__member_list list = {0};
    assert_done(kanon__record_get(state, NULL, last, NULL, codes, &err), &err);
    assert_done(kanon__group_index_group_of(state->index, &at, last, codes, &err), &err);
    assert_non_null(at.node);
    assert_done(kanon__group_index_members(state->index, at, &list, &err), &err);
    assert_int_equal(list.members[--list.n], last);
    for (int64_t i = 0; i < list.n * m; i++) {
        const kanon__current_dimension *d = &state->space->dimensions[i % m];
        int64_t *lo = &box[2 * (i % m)], *hi = lo + 1;
        *lo = i < m || kanon__code_before(d, list.codes[i], *lo) ? list.codes[i] : *lo;
        *hi = i < m || kanon__code_before(d, *hi, list.codes[i]) ? list.codes[i] : *hi;
    }
    kanon__new_group rest = {kanon__group_number(at), list.n, list.members, box, list.codes};
    assert_done(kanon__group_index_replace(state->index, at, &rest, &err), &err);
    assert_done(kanon__records_tally(state, codes, -1, &err), &err);
    assert_done(kanon__ranges_read(state, &err), &err);
    kanon__member_list_clear(&list);
    free(box);
    free(codes);
}

/* A number far from all others goes: until all is written, what inner nodes know of its neighbours is of the wide range. */
static void as_a_scan_when_ranges_shrink(void **unused)
{
    static const char *const ages[] = {"1000000007", "2000000011", "-3000000019", "-41", "500"};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    kanon__random random;
    (void)unused;
    kanon__random_init(&random, test_seed(), 4);
    kanon_state *state = make_state(3000, 8, 2);
    place delta = scratch("d.csv");
    kanon_change_options grow = {.struct_size = sizeof grow, .grow_taxonomy = 1};
    for (size_t i = 0; i < sizeof ages / sizeof *ages; i++) {
        kanon__subset whole = {0};
        char text[256];
        snprintf(text, sizeof text,
                 "id,name,age,sex,zip,marital-status,occupation,admission,diagnosis,cost\n"
                 "X,X,%s,M,47415,married,software developer,2023-12-01,depression,2886.66\n",
                 ages[i]);
        write_text(delta.text, text);
        assert_done(kanon_state_change(state, KANON_INSERT, KANON_PATH(delta.text), &grow, &done, &err), &err);
        assert_done(kanon__session_begin(state, true, &err), &err);
        assert_done(kanon__subset_list_all(&whole, state, &err), &err);
        assert_int_equal(whole.ids[whole.n - 1], state->next_record - 1);
        forget_last(state);
        ask(state, &random, 200, whole.ids, whole.n - 1);
        kanon__subset_clear(&whole);
        kanon__session_end(state);
        assert_done(kanon_state_change(state, KANON_DELETE, KANON_PATH(delta.text), NULL, &done, &err), &err);
    }
    kanon_state_close(state);
}

/* ---- a plain model ----------------------------------------------------------------------------------------------- */

/* Groups as a list, beside those of a state: whatever is done to both, in however many sessions, they stay the same. Places
 * have every width: small and very large numbers, none, categories. */
enum { MODEL_GROUPS = 400, MODEL_MEMBERS = 12, MODEL_CODES = 5 };

typedef struct model_group {
    int64_t number, n;
    int64_t members[MODEL_MEMBERS], codes[MODEL_MEMBERS * MODEL_CODES], box[2 * MODEL_CODES];
} model_group;

typedef struct model {
    kanon_state *state;
    kanon__random random;
    int n;
    model_group groups[MODEL_GROUPS];
} model;

static const char model_yaml[] = "missing: [\"?\"]\n"
                                 "attributes:\n"
                                 "  small: {role: quasi, type: integer}\n"
                                 "  large: {role: quasi, type: integer}\n"
                                 "  same: {role: quasi, type: integer}\n"
                                 "  job: {role: quasi, taxonomy: {cook: , baker: , office: {clerk: , boss: }}}\n"
                                 "  middle: {role: quasi, type: decimal}\n"
                                 "privacy: {k: 2}\n";
static const char model_csv[] = "small,large,same,job,middle\n"
                                "0,-900000000000000000,7,cook,-70000.5\n"
                                "250,900000000000000000,7,baker,70000.25\n"
                                "3,?,7,clerk,?\n"
                                "?,5,7,boss,0\n";

static int64_t model_below(model *m, int64_t n)
{
    return kanon__random_below(&m->random, n);
}

static void model_begin(model *m)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    place path = scratch("m.state");
    write_text(scratch("m.yaml").text, model_yaml);
    write_text(scratch("m.csv").text, model_csv);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("m.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("m.csv").text), schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&grouping, table, NULL, &err), &err);
    assert_done(kanon_state_create(path.text, table, schema, grouping, NULL, NULL, &err), &err);
    assert_done(kanon_state_open(&m->state, path.text, NULL, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    assert_done(kanon__session_begin(m->state, true, &err), &err);
    assert_done(kanon__group_index_build(m->state->index, NULL, 0, &err), &err);
}

static void model_places(model *m, int64_t *out)
{
    const kanon__current_space *space = m->state->space;
    for (int i = 0; i < MODEL_CODES; i++) {
        const kanon__current_dimension *d = &space->dimensions[i];
        do {
            if (!d->numeric)
                out[i] = model_below(m, d->n_tree_nodes);
            else if (model_below(m, 6) == 0)
                out[i] = model_below(m, 2) == 0 ? d->lo : KANON__NULL_CODE;
            else
                out[i] = model_below(m, 3) == 0 ? d->hi : d->lo + model_below(m, d->hi - d->lo + 1);
        } while (!kanon__code_is_known(d, out[i]));
    }
}

static void model_enclose(const model *m, model_group *g)
{
    for (int d = 0; d < MODEL_CODES; d++)
        for (int64_t i = 0; i < g->n; i++) {
            const kanon__current_dimension *dimension = &m->state->space->dimensions[d];
            int64_t at = g->codes[i * MODEL_CODES + d];
            if (i == 0 || kanon__code_before(dimension, at, g->box[2 * d]))
                g->box[2 * d] = at;
            if (i == 0 || kanon__code_before(dimension, g->box[2 * d + 1], at))
                g->box[2 * d + 1] = at;
        }
}

static void model_join(model *m, model_group *g)
{
    g->members[g->n] = m->state->next_record++;
    model_places(m, g->codes + g->n++ * MODEL_CODES);
    model_enclose(m, g);
}

static kanon__new_group model_new(const model_group *g)
{
    return (kanon__new_group){g->number, g->n, g->members, g->box, g->codes};
}

static kanon__group_slot model_find(model *m, const model_group *g)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__group_slot at;
    assert_done(kanon__group_index_group_of(m->state->index, &at, g->members[0], g->codes, &err), &err);
    assert_non_null(at.node);
    assert_int_equal(kanon__group_number(at), g->number);
    kanon__member_list list = {0}; /* alone, before its neighbours are read */
    assert_done(kanon__group_index_members(m->state->index, at, &list, &err), &err);
    assert_int_equal(list.n, g->n);
    assert_memory_equal(list.members, g->members, (size_t)g->n * sizeof *g->members);
    assert_memory_equal(list.codes, g->codes, (size_t)(g->n * MODEL_CODES) * sizeof *g->codes);
    kanon__member_list_clear(&list);
    return at;
}

static void model_add(model *m)
{
    kanon_error err = KANON_INIT(kanon_error);
    model_group *g = &m->groups[m->n];
    kanon__group_slot beside = {0};
    if (m->n > 0)
        beside = model_find(m, &m->groups[model_below(m, m->n)]);
    *g = (model_group){.number = m->state->next_group++};
    for (int64_t size = 1 + model_below(m, 4); g->n < size;)
        model_join(m, g);
    m->n++;
    kanon__new_group group = model_new(g);
    assert_done(kanon__group_index_add(m->state->index, beside, &group, &err), &err);
}

static void model_change(model *m)
{
    kanon_error err = KANON_INIT(kanon_error);
    int64_t which = model_below(m, m->n > 0 ? m->n : 1), what = model_below(m, 10);
    model_group *g = &m->groups[which];
    if (m->n == 0 || (what < 3 && m->n < MODEL_GROUPS)) {
        model_add(m);
        return;
    }
    kanon__group_slot at = model_find(m, g);
    if (what < 7 && g->n < MODEL_MEMBERS) {
        model_join(m, g);
        assert_done(
            kanon__group_index_join(m->state->index, at, g->members[g->n - 1], g->codes + (g->n - 1) * MODEL_CODES, &err),
            &err);
    } else if (what < 9 && g->n > 1) {
        g->n--;
        model_enclose(m, g);
        kanon__new_group group = model_new(g);
        assert_done(kanon__group_index_replace(m->state->index, at, &group, &err), &err);
    } else {
        assert_done(kanon__group_index_remove(m->state->index, at, &err), &err);
        *g = m->groups[--m->n];
    }
}

static int64_t n_seen;

static kanon_status model_compare(const kanon__node *leaf, void *payload, kanon_error *err)
{
    const model *m = payload;
    (void)err;
    for (int slot = 0; slot < leaf->n; slot++) {
        const model_group *g = m->groups;
        while (g < m->groups + m->n && g->number != leaf->keys[slot])
            g++;
        assert_true(g < m->groups + m->n);
        assert_int_equal(leaf->sizes[slot], g->n);
        assert_int_equal(leaf->begins[slot + 1] - leaf->begins[slot], g->n);
        assert_memory_equal(leaf->members + leaf->begins[slot], g->members, (size_t)g->n * sizeof *g->members);
        assert_memory_equal(leaf->member_codes + leaf->begins[slot] * MODEL_CODES, g->codes,
                            (size_t)(g->n * MODEL_CODES) * sizeof *g->codes);
        for (int i = 0; i < 2 * MODEL_CODES; i++)
            assert_int_equal(kanon__group_edge(leaf, slot, i / 2, i % 2), g->box[i]);
        n_seen++;
    }
    return KANON_OK;
}

static int64_t model_count(model *m, const char *sql)
{
    kanon_error err = KANON_INIT(kanon_error);
    int64_t n = 0;
    assert_done(kanon__store_query_number(&m->state->store, &n, sql, &err), &err);
    return n;
}

static void as_a_model(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    model *m = calloc(1, sizeof *m);
    int n_merges = 0, n_parts = 0;
    (void)unused;
    kanon__random_init(&m->random, test_seed(), 7);
    model_begin(m);
    for (int session = 0; session < 60; session++) {
        for (int64_t i = model_below(m, 200); i >= 0; i--)
            model_change(m);
        while (session == 40 && m->n > 0) { /* all the way down, and up again */
            assert_done(kanon__group_index_remove(m->state->index, model_find(m, &m->groups[m->n - 1]), &err), &err);
            m->n--;
        }
        m->state->n_records = 1; /* the log is written into the leaves when it is 64 KiB */
        assert_done(kanon__session_save(m->state, "test", NULL, &err), &err);
        assert_done(kanon__session_commit(m->state, NULL, NULL, &err), &err);
        assert_done(kanon__session_begin(m->state, true, &err), &err);
        int parts = (int)model_count(m, "SELECT count(*) FROM log_parts");
        n_merges += parts < n_parts;
        n_parts = parts;
        assert_done(kanon__group_index_check(m->state->index, &err), &err);
        n_seen = 0;
        assert_done(kanon__group_index_visit(m->state->index, model_compare, m, &err), &err);
        assert_int_equal(n_seen, m->n);
    }
    print_message("%d merges\n", n_merges);
    assert_true(n_merges > 1);
    kanon__session_end(m->state);
    kanon_state_close(m->state);
    free(m);
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

enum { N_BOXES = 200, BOX_MOST = 16 };

static int64_t box_units(const kanon__current_space *space, const int64_t *box)
{
    int64_t units = 0;
    for (int i = 0; i < space->n; i++) {
        const kanon__current_dimension *d = &space->dimensions[i];
        units += kanon__coordinates_units(d, kanon__coordinate_of(d, box[2 * i]), kanon__coordinate_of(d, box[2 * i + 1]));
    }
    return units;
}

/* Whatever ranges do, a share is never worth more than the box; while they stay it is worth nearly as much. */
static void shares_hold(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__random random;
    static int64_t boxes[N_BOXES][BOX_MOST], shares[N_BOXES];
    (void)unused;
    kanon__random_init(&random, test_seed(), 2);
    kanon_state *state = make_state(500, 4, 3);
    assert_done(kanon__session_begin(state, true, &err), &err);
    kanon__current_space *space = state->space;
    int64_t n = state->n_records;
    assert_true(2 * space->n <= BOX_MOST);
    for (int b = 0; b < N_BOXES; b++) {
        int64_t two[2][BOX_MOST];
        for (int side = 0; side < 2; side++)
            assert_done(kanon__record_get(state, NULL, 1 + kanon__random_below(&random, n), NULL, two[side], &err), &err);
        for (int i = 0; i < space->n; i++) {
            bool swap = kanon__code_before(&space->dimensions[i], two[1][i], two[0][i]);
            boxes[b][2 * i] = two[swap][i];
            boxes[b][2 * i + 1] = two[!swap][i];
        }
        int64_t units = box_units(space, boxes[b]);
        shares[b] = kanon__share_of(space, units);
        assert_in_range(kanon__share_units(space, shares[b]),
                        units - units / 1000 - 100 > 0 ? units - units / 1000 - 100 : 0, units);
    }
    for (int step = 0; step < 12; step++) {
        for (int i = 0; i < space->n; i++) {
            kanon__current_dimension *d = &space->dimensions[i];
            if (d->numeric && kanon__random_below(&random, 2) == 0)
                d->hi += kanon__random_below(&random, 1 + (d->hi - d->lo));
        }
        kanon__current_space_measure(space);
        for (int b = 0; b < N_BOXES; b++) {
            assert_in_range(kanon__share_units(space, shares[b]), 0, box_units(space, boxes[b]));
            if (b % 10 == 0) /* noted anew, at other ranges than the rest */
                shares[b] = kanon__share_of(space, box_units(space, boxes[b]));
        }
    }
    assert_true(space->worth < KANON__WORTH_FULL);
    kanon__shares_reset(space);
    assert_in_range(kanon__share_units(space, KANON__SHARE_MOST), 0, INT32_MAX / 2); /* of a damaged file: fits a sum */
    kanon__session_end(state);
    kanon_state_close(state);
}

/* ---- cuts -------------------------------------------------------------------------------------------------------- */

/* Both parts of a cut have an eighth of the items at least, and together all of them, also where all are alike. */
static void cuts_are_even(void **unused)
{
    enum { N_ITEMS = 9000 };
    kanon_error err = KANON_INIT(kanon_error);
    kanon__random random;
    kanon__cutter cutter;
    static int64_t items[N_ITEMS];
    static bool seen[N_ITEMS];
    (void)unused;
    kanon__random_init(&random, test_seed(), 3);
    kanon_state *state = make_state(200, 6, 3);
    assert_done(kanon__session_begin(state, false, &err), &err);
    const kanon__current_space *space = state->space;
    assert_done(kanon__cutter_init(&cutter, space, N_ITEMS, &err), &err);
    for (int alike = 0; alike < 2; alike++)
        for (int64_t n = 2; n <= N_ITEMS; n = n * 3 / 2 + 1) {
            memset(seen, 0, sizeof seen);
            for (int64_t i = 0; i < n; i++) {
                int32_t *s = kanon__cutter_summary(&cutter, i);
                items[i] = i;
                memset(s, 0, (size_t)(4 * space->n + 1) * sizeof *s);
                for (int d = 0; !alike && d < space->n; d++) {
                    const kanon__current_dimension *dimension = &space->dimensions[d];
                    int32_t most = dimension->numeric ? dimension->full : dimension->taxonomy->n_leaves - 1;
                    s[4 * d] = s[4 * d + 1] = (int32_t)kanon__random_below(&random, most + 1);
                }
            }
            int64_t cut = kanon__cutter_cut(&cutter, items, n);
            assert_in_range(cut, (n + 7) / 8, n - (n + 7) / 8);
            for (int64_t i = 0; i < n; i++) {
                assert_false(seen[items[i]]);
                seen[items[i]] = true;
            }
        }
    kanon__cutter_clear(&cutter);
    kanon__session_end(state);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(leaves_are_cut_while_groups_wait, no_leak),
                                       cmocka_unit_test_teardown(as_a_scan, no_leak),
                                       cmocka_unit_test_teardown(as_a_scan_with_bands, no_leak),
                                       cmocka_unit_test_teardown(as_a_scan_when_ranges_shrink, no_leak),
                                       cmocka_unit_test_teardown(as_a_model, no_leak),
                                       cmocka_unit_test_teardown(shares_hold, no_leak),
                                       cmocka_unit_test_teardown(cuts_are_even, no_leak)};
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
