/* Functions that do the same of a file, of bytes and of an Arrow stream give the same results. A schema that is built by
 * setters is the one that YAML describes. */
#include "unit/embed_helpers.h"
#include "to_stream.h"

enum { N_PEOPLE = 200, FROM_FILE = 0, FROM_BYTES, FROM_ARROW, N_SOURCES };

/* Schema, table, grouping and its release in each form, which all tests begin with. */
typedef struct fixture {
    people *people;
    kanon_schema *schema;
    kanon_table *table;
    kanon_grouping *grouping;
    collected release, groups;
    place table_path, release_path, groups_path;
} fixture;

static collected publish(const kanon_table *table, const kanon_grouping *grouping, bool groups, kanon_numeric numeric)
{
    collected c = {0};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_sink sink = sink_of(&c, "a sink");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .numeric = numeric};
    *(groups ? &outputs.groups : &outputs.release) = KANON_TO_SINK(&sink);
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    assert_int_equal(c.n_complete, 1);
    return c;
}

static fixture *fixture_new(void)
{
    fixture *f = calloc(1, sizeof *f);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_options options = {.struct_size = sizeof options, .k = 4, .algorithm = "kmember", .seed = 3};
    assert_non_null(f);
    f->people = people_new(N_PEOPLE, 1);
    f->table_path = scratch("people.csv");
    f->release_path = scratch("release.csv");
    f->groups_path = scratch("groups.csv");
    write_text(f->table_path.text, f->people->csv);
    assert_done(people_schema(&f->schema, NULL, &err), &err);
    assert_done(kanon_table_read(&f->table, KANON_PATH(f->table_path.text), f->schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&f->grouping, f->table, &options, &err), &err);
    f->release = publish(f->table, f->grouping, false, KANON_NUMERIC_INTERVAL);
    f->groups = publish(f->table, f->grouping, true, KANON_NUMERIC_INTERVAL);
    write_text(f->release_path.text, f->release.text);
    write_text(f->groups_path.text, f->groups.text);
    return f;
}

static void fixture_free(fixture *f)
{
    free(f->groups.text);
    free(f->release.text);
    kanon_grouping_free(f->grouping);
    kanon_table_free(f->table);
    kanon_schema_free(f->schema);
    people_free(f->people);
    free(f);
    entries(scratch_directory, true);
}

static void assert_same_groups(const kanon_grouping *a, const kanon_grouping *b)
{
    assert_int_equal(kanon_grouping_describe(a)->rows, kanon_grouping_describe(b)->rows);
    for (int64_t row = 0; row < kanon_grouping_describe(a)->rows; row++)
        assert_int_equal(kanon_grouping_group_of(a, row), kanon_grouping_group_of(b, row));
}

/* ---- tables and groupings ---------------------------------------------------------------------------------------- */

static void tables_and_groupings(void **state)
{
    (void)state;
    static const arrow_layout layout = {.batch_rows = 33, .array_offset = 1, .unknown_nulls = true};
    fixture *f = fixture_new();
    kanon_options options = {.struct_size = sizeof options, .k = 4, .algorithm = "kmember", .seed = 3};
    for (int from = 0; from < N_SOURCES; from++) {
        kanon_table *table = NULL;
        kanon_grouping *grouping = NULL, *given = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        struct ArrowArrayStream stream;
        arrow_counts counts = {0};
        arrow_produce(&stream, &f->people->table, &layout, &counts);
        if (from == FROM_FILE)
            assert_done(kanon_table_read(&table, KANON_PATH(f->table_path.text), f->schema, NULL, &err), &err);
        else if (from == FROM_BYTES)
            assert_done(
                kanon_table_read(&table, KANON_BYTES_AS(f->people->csv, strlen(f->people->csv), "p"), f->schema, NULL, &err),
                &err);
        if (from != FROM_ARROW)
            stream.release(&stream);
        else
            assert_done(kanon_table_read(&table, KANON_STREAM(&stream), f->schema, NULL, &err), &err);
        assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
        assert_same_groups(grouping, f->grouping);
        collected release = publish(table, grouping, false, KANON_NUMERIC_INTERVAL);
        assert_string_equal(release.text, f->release.text);
        if (from == FROM_FILE)
            assert_done(kanon_grouping_read(&given, table, KANON_PATH(f->groups_path.text), &err), &err);
        else
            assert_done(kanon_grouping_read(&given, table, KANON_BYTES_AS(f->groups.text, f->groups.size, "g"), &err), &err);
        assert_same_groups(given, f->grouping);
        kanon_grouping_free(given);
        kanon_grouping_free(grouping);
        kanon_table_free(table);
        free(release.text);
        assert_all_released(&counts);
    }
    fixture_free(f);
}

/* ---- releases ---------------------------------------------------------------------------------------------------- */

static void print_check(char *out, size_t room, const kanon_check *c)
{
    size_t used = (size_t)snprintf(out, room, "%lld %lld %lld %lld %g %.17g %.17g %.17g %d %lld %lld %d %d\n",
                                   (long long)c->records, (long long)c->suppressed, (long long)c->classes, (long long)c->k,
                                   c->average_class_size, c->highest_risk, c->average_risk, c->share_at_risk,
                                   c->identifying_columns, (long long)c->entities, (long long)c->k_asked, c->asked,
                                   c->holds);
    for (size_t i = 0; i < c->n_smallest; i++)
        used += (size_t)snprintf(out + used, room - used, "%lld: %lld\n", (long long)c->smallest[i]->size,
                                 (long long)c->smallest[i]->classes);
    for (size_t i = 0; i < c->n_figures; i++)
        used += (size_t)snprintf(out + used, room - used, "%s %s %s %.17g\n", c->figures[i]->model, c->figures[i]->attribute,
                                 c->figures[i]->figure, c->figures[i]->value);
    for (size_t i = 0; i < c->n_warnings; i++)
        used += (size_t)snprintf(out + used, room - used, "%s\n", c->warnings[i]);
    for (size_t i = 0; i < c->n_violated; i++)
        used += (size_t)snprintf(out + used, room - used, "%s\n", c->violated[i]);
    for (size_t i = 0; i < c->n_not_shown; i++)
        used += (size_t)snprintf(out + used, room - used, "%s\n", c->not_shown[i]);
    assert_true(used < room);
}

/* The release as a stream of the form that the CSV release has: numbers as text. */
static struct ArrowArrayStream released_stream(const fixture *f)
{
    struct ArrowArrayStream stream = {0};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_outputs options = {.struct_size = sizeof options, .numeric = KANON_NUMERIC_INTERVAL};
    assert_done(release_to_stream(&stream, f->table, f->grouping, &options, &err), &err);
    return stream;
}

static void releases_checked(void **state)
{
    (void)state;
    fixture *f = fixture_new();
    char texts[N_SOURCES][4096];
    kanon_check_options options = {.struct_size = sizeof options, .k = 5};
    for (int from = 0; from < N_SOURCES; from++) {
        kanon_check *check = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        struct ArrowArrayStream stream = released_stream(f);
        if (from == FROM_FILE)
            assert_done(kanon_check_read(&check, KANON_PATH(f->release_path.text), f->schema, &options, &err), &err);
        else if (from == FROM_BYTES)
            assert_done(
                kanon_check_read(&check, KANON_BYTES_AS(f->release.text, f->release.size, "r"), f->schema, &options, &err),
                &err);
        if (from != FROM_ARROW)
            stream.release(&stream);
        else
            assert_done(kanon_check_read(&check, KANON_STREAM(&stream), f->schema, &options, &err), &err);
        assert_null(stream.release);
        assert_int_equal(check->records, N_PEOPLE);
        assert_int_equal(check->k, kanon_grouping_describe(f->grouping)->smallest);
        assert_int_equal(check->holds, check->k >= 5);
        print_check(texts[from], sizeof texts[from], check);
        assert_string_equal(texts[from], texts[0]);
        kanon_check_free(check);
    }
    fixture_free(f);
}

static void assert_same_measures(const kanon_measures *a, const kanon_measures *b)
{
    size_t i = 0;
    for (; kanon_measures_at(a, i) != NULL; i++) {
        assert_non_null(kanon_measures_at(b, i));
        const kanon_figure *x = kanon_measures_at(a, i), *y = kanon_measures_at(b, i);
        assert_string_equal(x->name, y->name);
        if (memcmp(&x->value, &y->value, sizeof x->value) != 0)
            fail_msg("%s: %.17g and %.17g", x->name, x->value, y->value);
    }
    assert_null(kanon_measures_at(b, i));
}

static void releases_evaluated(void **state)
{
    (void)state;
    fixture *f = fixture_new();
    kanon_measures *all[N_SOURCES] = {0}, *own = NULL;
    kanon_evaluate_options brief = {.struct_size = sizeof brief, .brief = 1};
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream = released_stream(f);
    assert_done(kanon_evaluate_release(&all[0], f->table, KANON_PATH(f->release_path.text), f->schema, NULL, &err), &err);
    assert_done(kanon_evaluate_release(&all[1], f->table, KANON_BYTES_AS(f->release.text, f->release.size, "r"), f->schema,
                                       NULL, &err),
                &err);
    assert_done(kanon_evaluate_release(&all[2], f->table, KANON_STREAM(&stream), f->schema, NULL, &err), &err);
    assert_done(kanon_evaluate(&own, f->table, f->grouping, &brief, &err), &err);
    for (int from = 1; from < N_SOURCES; from++)
        assert_same_measures(all[0], all[from]);
    assert_float_equal(kanon_measures_find(all[0], "information_loss", NULL)->value,
                       kanon_measures_find(own, "information_loss", NULL)->value, 1e-9);
    for (int from = 0; from < N_SOURCES; from++)
        kanon_measures_free(all[from]);
    kanon_measures_free(own);
    fixture_free(f);
}

static void certificates(void **state)
{
    (void)state;
    fixture *f = fixture_new();
    place path = scratch("proof.json");
    kanon_lower_bound *bound = NULL;
    kanon_certificate of_file = KANON_INIT(kanon_certificate), of_bytes = KANON_INIT(kanon_certificate);
    kanon_error err = KANON_INIT(kanon_error);
    collected proof = {0};
    kanon_sink sink = sink_of(&proof, "proof.json");
    kanon_bound_options options = {.struct_size = sizeof options, .k = 4, .rounds = 2, .certificate = KANON_TO_SINK(&sink)};
    assert_done(kanon_bound(&bound, f->table, &options, &err), &err);
    kanon_lower_bound_free(bound);
    options.certificate = KANON_TO_PATH(path.text);
    assert_done(kanon_bound(&bound, f->table, &options, &err), &err);
    assert_file(path.text, proof.text);
    assert_done(kanon_certificate_check(&of_file, f->table, KANON_PATH(path.text),
                                        &(kanon_prove_options){.struct_size = sizeof(kanon_prove_options), .threads = 1},
                                        &err),
                &err);
    assert_done(kanon_certificate_check(&of_bytes, f->table, KANON_BYTES_AS(proof.text, proof.size, "p"),
                                        &(kanon_prove_options){.struct_size = sizeof(kanon_prove_options), .threads = 1},
                                        &err),
                &err);
    assert_true(of_file.holds && of_bytes.holds);
    assert_true(of_file.lower_bound == of_bytes.lower_bound);
    assert_float_equal(of_file.lower_bound, bound->lower_bound, 1e-9);
    kanon_lower_bound_free(bound);
    free(proof.text);
    fixture_free(f);
}

/* Curves in files and in sinks differ in nothing but the seconds that they took. */
static void curves(void **state)
{
    (void)state;
    fixture *f = fixture_new();
    place path = scratch("curve.svg");
    collected plot = {0};
    kanon_sink sink = sink_of(&plot, "curve.svg");
    kanon_curve *curve = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_tradeoff_options options = {
        .struct_size = sizeof options, .k = "3,6", .algorithm = "mondrian", .plot = KANON_TO_SINK(&sink)};
    assert_done(kanon_tradeoff(&curve, f->table, &options, &err), &err);
    kanon_curve_free(curve);
    options.plot = KANON_TO_PATH(path.text);
    assert_done(kanon_tradeoff(&curve, f->table, &options, &err), &err);
    kanon_curve_free(curve);
    assert_file(path.text, plot.text);
    free(plot.text);
    fixture_free(f);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* A delta as CSV and as the same table for a stream. */
typedef struct delta {
    kanon_change_kind kind;
    const char *csv;
    arrow_table table;
} delta;

static kanon_change apply(kanon_state *state, int from, const delta *d, collected *release)
{
    place path = scratch("delta.csv");
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change change = KANON_INIT(kanon_change);
    kanon_sink sink = sink_of(release, "release.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    if (from == FROM_ARROW) {
        struct ArrowArrayStream stream;
        arrow_counts counts = {0};
        arrow_produce(&stream, &d->table, NULL, &counts);
        assert_done(kanon_state_change(state, d->kind, KANON_STREAM(&stream), &options, &change, &err), &err);
        assert_all_released(&counts);
    } else if (from == FROM_BYTES) {
        const kanon_input *bytes = KANON_BYTES_AS(d->csv, strlen(d->csv), "delta");
        assert_done(kanon_state_change(state, d->kind, bytes, &options, &change, &err), &err);
    } else {
        write_text(path.text, d->csv);
        assert_done(kanon_state_change(state, d->kind, KANON_PATH(path.text), &options, &change, &err), &err);
    }
    return change;
}

static void changes_of_states(void **state)
{
    (void)state;
    fixture *f = fixture_new();
    people *more = people_new(30, 1000);
    const char *gone[] = {"3", "1007", "90"}, *changed[] = {"8", "1001"}, *ages[] = {"55", "19"};
    const arrow_field gone_fields[] = {{"id", "l", NULL, gone}};
    const arrow_field update_fields[] = {{"id", "l", NULL, changed}, {"age", "i", NULL, ages}};
    const delta deltas[] = {
        {KANON_INSERT, more->csv, more->table},
        {KANON_DELETE, "id\n3\n1007\n90\n", {1, gone_fields, 3}},
        {KANON_UPDATE, "id,age\n8,55\n1001,19\n", {2, update_fields, 2}},
    };
    static const int64_t n_changed[] = {30, 3, 2}, n_records[] = {230, 227, 227};
    collected releases[N_SOURCES][N_OF(deltas)] = {0};
    for (int from = 0; from < N_SOURCES; from++) {
        place path = scratch(from == 0 ? "file.state" : from == 1 ? "bytes.state" : "arrow.state");
        kanon_state *kept = NULL;
        kanon_state_info *info = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        assert_done(kanon_state_create(path.text, f->table, f->schema, f->grouping, NULL, NULL, &err), &err);
        assert_done(kanon_state_open(&kept, path.text, NULL, &err), &err);
        for (size_t i = 0; i < N_OF(deltas); i++) {
            kanon_change change = apply(kept, from, &deltas[i], &releases[from][i]);
            assert_int_equal(change.changed, n_changed[i]);
            assert_int_equal(change.records, n_records[i]);
            assert_int_equal(change.release, i + 1);
            assert_string_equal(releases[from][i].text, releases[0][i].text);
        }
        assert_done(kanon_state_describe(&info, kept, &err), &err);
        assert_int_equal(info->n_releases, N_OF(deltas));
        kanon_state_info_free(info);
        kanon_state_close(kept);
    }
    assert_string_not_equal(releases[0][0].text, releases[0][1].text);
    for (int from = 0; from < N_SOURCES; from++)
        for (size_t i = 0; i < N_OF(deltas); i++)
            free(releases[from][i].text);
    people_free(more);
    fixture_free(f);
}

/* ---- schemas ----------------------------------------------------------------------------------------------------- */

static const char described[] =
    "missing: [\"?\", \"\"]\n"
    "default-role: identifying\n"
    "attributes:\n"
    "  id: {role: insensitive}\n"
    "  age: {role: quasi, type: decimal, weight: 3}\n"
    "  zip: {role: quasi, type: categorical, mask: right}\n"
    "  city: {role: quasi, taxonomy: {Italy: {Rome: , Milan: }, Norway: {Oslo: , Bergen: }, Germany: {Bonn: }}}\n"
    "  disease: {role: sensitive}\n"
    "privacy:\n"
    "  k: 4\n"
    "  suppress: 0.05\n"
    "  constraints:\n"
    "    - {model: distinct-l-diversity, attribute: disease, l: 2}\n"
    "    - {model: alpha-k, attribute: disease, alpha: 0.8}\n"
    "algorithm: {name: mondrian, ties: relaxed}\n"
    "key: [id, ward]\n"
    "entity: id\n"
    "entity-together: true\n";

/* The setters, in order, each of which must matter: with `without` one of them is left out. */
enum { N_SETTERS = 17 };

static kanon_schema *built(int without)
{
    static const char countries[] = "Rome;Italy;*\nMilan;Italy;*\nOslo;Norway;*\nBergen;Norway;*\nBonn;Germany;*\n";
    kanon_schema *s = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = kanon_schema_new(&s, NULL, &err);
    int i = 0;
#define SET(call)                                                                                                           \
    do {                                                                                                                    \
        if (i++ != without)                                                                                                 \
            STEP(call);                                                                                                     \
    } while (0)
    SET(kanon_schema_set(s, NULL, "missing", "?", &err));
    STEP(kanon_schema_set(s, NULL, "default-role", "quasi", &err)); /* the next one replaces it */
    SET(kanon_schema_set(s, NULL, "default-role", "identifying", &err));
    SET(kanon_schema_set(s, "id", "role", "insensitive", &err));
    SET(kanon_schema_set(s, "age", "role", "quasi", &err));
    SET(kanon_schema_set(s, "age", "type", "decimal", &err));
    SET(kanon_schema_set(s, "age", "weight", "3", &err));
    STEP(kanon_schema_set(s, "zip", "role", "quasi", &err));
    SET(kanon_schema_set(s, "zip", "mask", "right", &err));
    SET(kanon_schema_set(s, "city", "role", "quasi", &err));
    SET(kanon_schema_set_taxonomy(s, "city", KANON_BYTES_AS(countries, strlen(countries), "countries"), &err));
    SET(kanon_schema_set(s, "disease", "role", "sensitive", &err));
    SET(kanon_schema_set(s, NULL, "k", "4", &err));
    SET(kanon_schema_set(s, NULL, "suppress", "0.05", &err));
    SET(kanon_schema_set(s, NULL, "constraint", "model=distinct-l-diversity,attribute=disease,l=2", &err));
    SET(kanon_schema_set(s, NULL, "constraint", "model=alpha-k,attribute=disease,alpha=0.8", &err));
    SET(kanon_schema_set(s, NULL, "algorithm", "mondrian", &err));
    STEP(i - 1 == without ? KANON_OK : kanon_schema_set(s, NULL, "settings", "{ties: relaxed}", &err));
    SET(kanon_schema_set(s, NULL, "key", "[id, ward]", &err));
    SET(kanon_schema_set(s, NULL, "entity", "id", &err));
    STEP(i - 1 == without ? KANON_OK : kanon_schema_set(s, NULL, "entity-together", "true", &err));
#undef SET
    assert_int_equal(i, N_SETTERS);
    assert_done(st, &err);
    return s;
}

typedef struct outcome {
    kanon_status status, deleted;
    char *release, *groups; /* NULL: it failed */
    kanon_error err;
    char state[256]; /* what a state of it says */
} outcome;

/* Everything that a schema decides: types, groups, release, and what a state keeps of it. */
static outcome outcome_of(const kanon_schema *schema, const char *csv)
{
    outcome o = {.err = KANON_INIT(kanon_error)};
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_state *kept = NULL;
    kanon_state_info *info = NULL;
    kanon_change change = KANON_INIT(kanon_change);
    static const char one[] = "id,ward\n7,2\n"; /* names a record by its key */
    place path = scratch("schema.state");
    kanon_status st = kanon_table_read(&table, KANON_BYTES_AS(csv, strlen(csv), "people"), schema, NULL, &o.err);
    STEP(kanon_anonymize(&grouping, table, NULL, &o.err));
    STEP(kanon_state_create(path.text, table, schema, grouping, NULL, NULL, &o.err));
    STEP(kanon_state_open(&kept, path.text, NULL, &o.err));
    STEP(kanon_state_describe(&info, kept, &o.err));
    if (st == KANON_OK) {
        o.release = publish(table, grouping, false, KANON_NUMERIC_MEAN).text;
        o.groups = publish(table, grouping, true, KANON_NUMERIC_INTERVAL).text;
        snprintf(o.state, sizeof o.state, "%s %s %lld %s %s %zu %s %d %lld", info->algorithm, info->settings,
                 (long long)info->k_asked, kanon_enum_text(KANON_ENUM_TYPE, kanon_table_column_at(table, 1)->type),
                 kanon_enum_text(KANON_ENUM_ROLE, kanon_table_column_at(table, 5)->role), info->n_constraints,
                 info->entity != NULL ? info->entity : "", info->entity_together, (long long)info->most_suppressed);
        o.deleted = kanon_state_change(kept, KANON_DELETE, KANON_BYTES_AS(one, strlen(one), "one"), NULL, &change, NULL);
    }
    o.status = st;
    kanon_state_info_free(info);
    kanon_state_close(kept);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    entries(scratch_directory, true);
    return o;
}

static bool same_outcome(const outcome *a, const outcome *b)
{
    return a->status == b->status && a->deleted == b->deleted && a->release != NULL && b->release != NULL &&
           strcmp(a->release, b->release) == 0 && strcmp(a->groups, b->groups) == 0 && strcmp(a->state, b->state) == 0;
}

static void clear_outcome(outcome *o)
{
    free(o->release);
    free(o->groups);
}

/* The table of the people, each with two records, and a column that the schema does not name. Some cells are "?". */
static char *visits_csv(const people *p)
{
    char *csv = malloc(2 * strlen(p->csv) + (size_t)p->n * 32 + 64), *to = csv;
    const char *header_end = strchr(p->csv, '\n');
    assert_non_null(csv);
    to += sprintf(to, "%.*s,ward\n", (int)(header_end - p->csv), p->csv);
    for (int visit = 0; visit < 2; visit++) {
        const char *line = header_end + 1;
        for (int row = 0; row < p->n; row++) {
            const char *end = strchr(line, '\n');
            to += sprintf(to, "%.*s,%d\n", (int)(end - line), line, (row + visit) % 4);
            if (row == 0)
                to += sprintf(to, "9999,?,10001,Rome,flu,%d\n", visit);
            line = end + 1;
        }
    }
    return csv;
}

static void setters_say_what_yaml_says(void **state)
{
    (void)state;
    people *p = people_new(60, 1);
    char *csv = visits_csv(p);
    kanon_schema *read = NULL, *of_bytes = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    place path = scratch("described.yaml");
    write_text(path.text, described);
    assert_done(kanon_schema_read(&read, KANON_PATH(path.text), NULL, &err), &err);
    assert_done(kanon_schema_read(&of_bytes, KANON_BYTES_AS(described, strlen(described), "described"), NULL, &err), &err);
    outcome expected = outcome_of(read, csv), same = outcome_of(of_bytes, csv);
    assert_done(expected.status, &expected.err);
    assert_int_equal(expected.deleted, KANON_OK);
    assert_true(same_outcome(&same, &expected));
    clear_outcome(&same);
    kanon_schema *whole = built(-1);
    assert_string_equal(kanon_schema_get(whole, NULL, "k"), kanon_schema_get(read, NULL, "k"));
    assert_string_equal(kanon_schema_get(whole, NULL, "algorithm"), kanon_schema_get(read, NULL, "algorithm"));
    same = outcome_of(whole, csv);
    assert_done(same.status, &same.err);
    assert_string_equal(same.groups, expected.groups);
    assert_string_equal(same.release, expected.release);
    assert_string_equal(same.state, expected.state);
    clear_outcome(&same);
    kanon_schema_free(whole);
    for (int without = 0; without < N_SETTERS; without++) {
        kanon_schema *part = built(without);
        outcome other = outcome_of(part, csv);
        if (same_outcome(&other, &expected))
            fail_msg("setter %d does not matter", without);
        clear_outcome(&other);
        kanon_schema_free(part);
    }
    clear_outcome(&expected);
    kanon_schema_free(of_bytes);
    kanon_schema_free(read);
    free(csv);
    people_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_and_groupings), cmocka_unit_test(releases_checked), cmocka_unit_test(releases_evaluated),
        cmocka_unit_test(certificates),         cmocka_unit_test(curves),           cmocka_unit_test(changes_of_states),
        cmocka_unit_test(setters_say_what_yaml_says),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
