/* What can be said of a schema: each key set, read, written to a file, forgotten; what is wrong; what excludes what. */
#include "support.h"
#include "table/schema/schema_keys.h"

#include "core/alloc.h"

#include <kanon_arrow.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static kanon_schema *new_schema(void)
{
    kanon_schema *schema = NULL;
    assert_int_equal(kanon_schema_new(&schema, NULL, NULL), KANON_OK);
    return schema;
}

static void say(kanon_schema *schema, const char *column, const char *name, const char *text)
{
    kanon_error err = KANON_INIT(kanon_error);
    if (kanon_schema_set(schema, column, name, text, &err) != KANON_OK)
        fail_msg("%s: %s; %s; %s", name, text != NULL ? text : "NULL", err.message, err.hint);
}

static void says(const kanon_schema *schema, const char *column, const char *name, const char *expected)
{
    const char *text = kanon_schema_get(schema, column, name);
    if (expected == NULL)
        assert_null(text);
    else if (text == NULL)
        fail_msg("nothing is said of %s", name);
    else
        assert_string_equal(text, expected);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

typedef struct text {
    char *bytes;
    size_t n;
} text;

static int collect(const void *bytes, size_t size, void *payload)
{
    text *t = payload;
    t->bytes = realloc(t->bytes, t->n + size + 1);
    assert_non_null(t->bytes);
    memcpy(t->bytes + t->n, bytes, size);
    t->n += size;
    t->bytes[t->n] = '\0';
    return 0;
}

static kanon_status write_text_of(text *out, const kanon_schema *schema, kanon_error *err)
{
    const kanon_sink sink = {.struct_size = sizeof(kanon_sink), .name = "schema", .write = collect, .payload = out};
    *out = (text){0};
    return kanon_schema_write(schema, KANON_TO_SINK(&sink), err);
}

static char *written(const kanon_schema *schema)
{
    kanon_error err = KANON_INIT(kanon_error);
    text t;
    assert_done(write_text_of(&t, schema, &err), &err);
    return t.bytes;
}

static kanon_schema *parse_yaml(const char *yaml)
{
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    if (kanon_schema_read(&schema, KANON_BYTES_AS(yaml, strlen(yaml), "written"), NULL, &err) != KANON_OK)
        fail_msg("%s; %s\n%s", err.message, err.hint, yaml);
    return schema;
}

static void same_said(const char *left, const char *right)
{
    if (left == NULL || right == NULL)
        assert_ptr_equal(left, right);
    else
        assert_string_equal(left, right);
}

static void same_tree(const kanon__tree *left, const kanon__tree *right)
{
    kanon__taxonomy *a = NULL, *b = NULL;
    if (left == NULL || right == NULL) {
        assert_ptr_equal(left, right);
        return;
    }
    assert_int_equal(kanon__taxonomy_from_tree(&a, left, NULL, 0, NULL), KANON_OK);
    assert_int_equal(kanon__taxonomy_from_tree(&b, right, NULL, 0, NULL), KANON_OK);
    assert_int_equal(a->n_nodes, b->n_nodes);
    for (int32_t i = 0; i < a->n_nodes; i++) {
        size_t n, m;
        const char *one = kanon__taxonomy_label(a, i, &n), *other = kanon__taxonomy_label(b, i, &m);
        assert_int_equal(n, m);
        assert_memory_equal(one, other, n);
        assert_int_equal(a->parent[i], b->parent[i]);
    }
    kanon__taxonomy_free(a);
    kanon__taxonomy_free(b);
}

/* Everything that is said, and what follows from it. */
static void same_schema(const kanon_schema *a, const kanon_schema *b)
{
    size_t i;
    for (i = 0; kanon_schema_column_at(a, i) != NULL; i++) {
        const char *column = kanon_schema_column_at(a, i);
        assert_string_equal(column, kanon_schema_column_at(b, i));
        const kanon__attribute *left = kanon__schema_find(a, column), *right = kanon__schema_find(b, column);
        for (int key = 0; key < KANON__COLUMN_KEYS; key++)
            same_said(left->said[key], right->said[key]);
        same_tree(left->tree, right->tree);
        assert_int_equal(left->has_role, right->has_role);
        assert_int_equal(left->role, right->role);
        assert_int_equal(left->type, right->type);
        assert_int_equal(left->mask, right->mask);
        assert_true(left->weight == right->weight);
        assert_true(kanon__levels_equal(&left->levels, &right->levels));
        assert_string_equal(left->format.date, right->format.date);
        assert_int_equal(left->format.decimal, right->format.decimal);
        assert_int_equal(left->format.thousands, right->format.thousands);
    }
    assert_null(kanon_schema_column_at(b, i));
    for (int key = 0; key < KANON__WHOLE_KEYS; key++)
        same_said(a->said[key], b->said[key]);
    assert_int_equal(a->missing.n, b->missing.n);
    for (int64_t j = 0; j < a->missing.n; j++)
        assert_string_equal(a->missing.items[j], b->missing.items[j]);
    for (i = 0; kanon_schema_constraint_at(a, i) != NULL; i++)
        same_said(kanon_schema_constraint_at(a, i), kanon_schema_constraint_at(b, i));
    assert_null(kanon_schema_constraint_at(b, i));
    assert_true(a->n_settings == b->n_settings && a->same.n == b->same.n && a->key.n == b->key.n);
    assert_true(a->k == b->k && a->joint_k == b->joint_k && a->header == b->header);
    assert_true(a->suppress.numerator == b->suppress.numerator && a->suppress.denominator == b->suppress.denominator);
    assert_true(a->singled_out.numerator == b->singled_out.numerator &&
                a->singled_out.denominator == b->singled_out.denominator);
    assert_true(a->keep_suppressed == b->keep_suppressed && a->entity_together == b->entity_together);
    assert_true(a->has_default_role == b->has_default_role && a->default_role == b->default_role);
    assert_true(a->decimal == b->decimal && a->thousands == b->thousands);
}

/* Written and read it is the same schema, which is written the same. */
static void comes_back(const kanon_schema *schema)
{
    char *yaml = written(schema);
    kanon_schema *read = parse_yaml(yaml);
    same_schema(schema, read);
    char *again = written(read);
    assert_string_equal(yaml, again);
    kanon_schema_free(read);
    free(yaml);
    free(again);
}

/* ---- each key ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *column, *name, *text, *expected; /* expected NULL: the text */
} good[] = {
    {"a", "role", "quasi", NULL},
    {"a", "role", "Quasi_Identifying", "quasi"},
    {"a", "role", "SENSITIVE", "sensitive"},
    {"a", "role", "identifying", NULL},
    {"a", "role", "insensitive", NULL},
    {"a", "type", "integer", NULL},
    {"a", "type", "Decimal", "decimal"},
    {"a", "type", "date", NULL},
    {"a", "type", "categorical", NULL},
    {"a", "type", "ordinal", NULL},
    {"a", "taxonomy", "job.csv", NULL},
    {"a", "taxonomy", "/tmp/a b/\"job\".csv", NULL},
    {"a", "mask", "right", NULL},
    {"a", "mask", "LEFT", "left"},
    {"a", "weight", "0.250", NULL},
    {"a", "weight", "1000000", NULL},
    {"a", "weight", "1e-3", NULL},
    {"a", "bands", "5", NULL},
    {"a", "bands", "0.5", NULL},
    {"a", "bands", "0,18,65", NULL},
    {"a", "bands", "[0, 18, 65]", "0,18,65"},
    {"a", "bands", "[-18, '0', \"65\"]", "-18,0,65"},
    {"a", "bands", "0, 18, 65", NULL},
    {"a", "bands", "quarter", NULL},
    {"a", "bands", "2000-01-01,2001-01-01", NULL},
    {"a", "top", "90", NULL},
    {"a", "top", "-1.5", NULL},
    {"a", "bottom", "2020-02-29", NULL},
    {"a", "format", "%d.%m.%Y", NULL},
    {"a", "format", "iso-8601", NULL},
    {"a", "decimal", ",", NULL},
    {"a", "thousands", " ", NULL},
    {"a", "thousands", "'", NULL},
    {"a", "permute", "true", NULL},
    {"a", "ends", "drawn", NULL},
    {"a", "ends", "Exact", "exact"},
    {"a", "permute", "no", "false"},
    {"a", "order", "[none, primary, \"a, b\"]", NULL},
    {"a", "order", "[\"none\",\"[x]\", 'it''s',]", "[none, \"[x]\", \"it's\"]"},
    {"a", "order", "only", "[only]"},
    {NULL, "missing", "?", "[\"?\"]"},
    {NULL, "missing", "[?, NA, ~, \"\", \"null\", null]", "[\"?\", NA, \"\", \"\", \"null\", \"\"]"},
    {NULL, "missing", "[]", NULL},
    {NULL, "missing", "", "[\"\"]"},
    {NULL, "empty", "value", NULL},
    {NULL, "empty", "missing", NULL},
    {NULL, "header", "yes", NULL},
    {NULL, "header", "False", "no"},
    {NULL, "encoding", "latin-1", NULL},
    {NULL, "decimal", ".", NULL},
    {NULL, "thousands", "_", NULL},
    {NULL, "default-role", "insensitive", NULL},
    {NULL, "key", "id", "[id]"},
    {NULL, "key", "[id, \"day, of\"]", NULL},
    {NULL, "key", "[\"\\u00e9\\ud83d\\ude00\\\"\\\\\\/\"]", "[\"\xc3\xa9\xf0\x9f\x98\x80\\\"\\\\/\"]"},
    {NULL, "entity", "patient id", NULL},
    {NULL, "algorithm", "tgc-b", NULL},
    {NULL, "same", "[?, NA, none]", "[[\"?\", NA, none]]"},
    {NULL, "same", "[[?, NA], [\"*\", \"**\"]]", "[[\"?\", NA], [\"*\", \"**\"]]"},
    {NULL, "release", "{purpose: research, threshold: 0.09}", NULL},
    {NULL, "release", "purpose=a study,threshold=0.09", "{purpose: \"a study\", threshold: 0.09}"},
    {NULL, "release", "{valid-until: \"2030-12-31\", prepared-by: \"A, B\"}", NULL},
    {NULL, "k", "2", NULL},
    {NULL, "k", "1000000000000", NULL},
    {NULL, "suppress", "0.01", NULL},
    {NULL, "suppress", "1e-05", NULL},
    {NULL, "suppress", "0", NULL},
    {NULL, "suppressed", "keep", NULL},
    {NULL, "suppressed", "drop", NULL},
    {NULL, "singled-out", "0.05", NULL},
    {NULL, "joint-k", "off", NULL},
    {NULL, "joint-k", "5", NULL},
    {NULL, "constraint", "model=t-closeness,attribute=d,t=0.3", "[{model: t-closeness, attribute: d, t: 0.3}]"},
    {NULL, "constraint", "{\"model\":\"alpha-k\",\"attribute\":\"a,b=c\",\"alpha\":0.5}",
     "[{model: alpha-k, attribute: \"a,b=c\", alpha: 0.5}]"},
    {NULL, "constraint", "[{model: alpha-k, attribute: d, alpha: 0.5}, {model: p, p: 2}]", NULL},
};

/* What is said comes back, also when it is said again, in a file, and it can be forgotten. */
static void every_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        kanon_schema *schema = new_schema(), *empty = new_schema();
        const char *expected = good[i].expected != NULL ? good[i].expected : good[i].text;
        say(schema, good[i].column, good[i].name, good[i].text);
        says(schema, good[i].column, good[i].name, expected);
        says(schema, good[i].column != NULL ? NULL : "a", good[i].name, NULL);
        comes_back(schema);
        kanon_schema *other = new_schema();
        say(other, good[i].column, good[i].name, kanon_schema_get(schema, good[i].column, good[i].name));
        same_schema(schema, other);
        say(schema, good[i].column, good[i].name, NULL);
        says(schema, good[i].column, good[i].name, NULL);
        same_schema(schema, empty);
        comes_back(schema);
        kanon_schema_free(other);
        kanon_schema_free(empty);
        kanon_schema_free(schema);
    }
}

static void every_key_is_tried(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++)
        for (int key = 0; key < (way == 0 ? (int)KANON__COLUMN_KEYS : (int)KANON__WHOLE_KEYS); key++) {
            const char *name = way == 0 ? kanon__column_keys[key].name : kanon__whole_keys[key].name;
            bool found = strcmp(name, "settings") == 0 || strcmp(name, "entity-together") == 0; /* which need another one */
            for (size_t i = 0; i < COUNT(good); i++)
                found = found || ((good[i].column == NULL) == way && strcmp(good[i].name, name) == 0);
            if (!found)
                fail_msg("%s is not tried", name);
        }
}

/* ---- what is wrong ------------------------------------------------------------------------------------------------ */

#define WEIGHT "column 'a': not a weight", "a weight is a number above 0, at most 1000000"
#define K "k: not a whole number of at least 2", ""
#define JOINT_K "joint-k: not a whole number of at least 2, or off", ""
#define SHARE "suppress: not a share of the records", "write 0.01 for one percent"
#define THRESHOLD "write 0.09 for a risk of at most nine percent"
#define SAME "same: not a list of lists of texts that are one, such as [[\"?\", NA]]", ""
#define SETTINGS "settings: not a mapping such as {iterations: 2}", ""
#define CONSTRAINT "constraint: not a mapping such as {model: t-closeness, attribute: COLUMN, t: 0.3}", ""

static const struct {
    const char *column, *name, *text, *message, *hint;
} bad[] = {
    {"a", "role", "quasy", "column 'a': there is no such role", "did you mean 'quasi'?"},
    {"a", "role", "patient", "column 'a': there is no such role",
     "choose one of: quasi, sensitive, identifying, insensitive"},
    {"a", "role", "", "column 'a': there is no such role", "choose one of: quasi, sensitive, identifying, insensitive"},
    {NULL, "default-role", "none", "default-role: there is no such role",
     "choose one of: quasi, sensitive, identifying, insensitive"},
    {"a", "type", "number", "column 'a': there is no such type",
     "choose one of: integer, decimal, date, categorical, ordinal"},
    {"a", "mask", "middle", "column 'a': there is no such side", "choose one of: right, left"},
    {"a", "weight", "0", WEIGHT},
    {"a", "weight", "-1", WEIGHT},
    {"a", "weight", "1000000.5", WEIGHT},
    {"a", "weight", "nan", WEIGHT},
    {"a", "weight", "inf", WEIGHT},
    {"a", "weight", "heavy", WEIGHT},
    {"a", "weight", "", WEIGHT},
    {"a", "taxonomy", "", "column 'a': not the path of a taxonomy or a mapping", ""},
    {"a", "bands", "-5", "column 'a': not bands",
     "write a width such as 5, edges such as [0, 18, 65], or week, month, quarter, year or decade"},
    {"a", "bands", "[5]", "column 'a': a list of a single edge", "write two edges or more, or 'top'"},
    {"a", "bands", "[]", "column 'a': a list without edges", ""},
    {"a", "bands", "[1, \"2,3\"]", "column 'a': an edge with a comma", ""},
    {"a", "bands", "[1, 2", "column 'a': not a width, a list of edges or a unit of the calendar", ""},
    {"a", "top", "high", "column 'a': not a number or a date to begin the highest band",
     "write a number, or a date as YYYY-MM-DD"},
    {"a", "format", "%d.%m", "column 'a': not a format of dates",
     "a format names the year once, and the month and the day at most once, such as %d.%m.%Y"},
    {"a", "decimal", ";", "column 'a': not a separator of numbers", "the decimal separator is a point or a comma"},
    {NULL, "thousands", "..", "thousands: not a separator of numbers", "a separator is one character"},
    {NULL, "thousands", "", "thousands: not a separator of numbers", ""},
    {"a", "order", "[]", "column 'a': an order without levels", ""},
    {"a", "order", "[x, x]", "column 'a': a level that is named twice",
     "name each level once, from the lowest to the highest"},
    {"a", "order", "[x, [y]]", "column 'a': not a list of levels, from the lowest to the highest", ""},
    {"a", "order", "[x] y", "column 'a': not a list of levels, from the lowest to the highest", ""},
    {"a", "order", "[\"x\\z\"]", "column 'a': not a list of levels, from the lowest to the highest", ""},
    {"a", "order", "[\"\\ud800\"]", "column 'a': not a list of levels, from the lowest to the highest", ""},
    {"a", "order", "[\"\\u0000\"]", "column 'a': not a list of levels, from the lowest to the highest", ""},
    {NULL, "missing", "[?, \"", "missing: not a list of texts that mean \"no value\"", ""},
    {NULL, "empty", "zero", "empty: there is no such word", "choose one of: missing, value"},
    {NULL, "header", "perhaps", "header: there is no such word", "choose one of: yes, no"},
    {NULL, "encoding", "klingon", "encoding: not an encoding",
     "choose one of: utf-8, utf-16, utf-16le, utf-16be, latin-1, windows-1252"},
    {NULL, "key", "[]", "key: the key names no column", ""},
    {NULL, "key", "", "key: not the name of a column", ""},
    {NULL, "key", "[a, b, a]", "key: column 'a' is twice in the key", ""},
    {NULL, "entity", "", "entity: not the name of a column", ""},
    {NULL, "entity-together", "true", "entity-together: entities are to stay together, but there are none",
     "name the column that says whose record it is: entity"},
    {NULL, "entity-together", "together", "entity-together: there is no such word", "choose one of: true, false"},
    {NULL, "settings", "{a: 1}", "settings: settings without an algorithm", "say the algorithm that they are of first"},
    {NULL, "k", "1", K},
    {NULL, "k", "2.5", K},
    {NULL, "k", "many", K},
    {NULL, "k", "99999999999999999999", K},
    {NULL, "suppress", "1.5", SHARE},
    {NULL, "suppress", "-0.1", SHARE},
    {NULL, "suppress", "some", SHARE},
    {NULL, "suppressed", "perhaps", "suppressed: there is no such word", "choose one of: drop, keep"},
    {NULL, "singled-out", "1.5", "singled-out: not a share of the rows", "write 0.05 for five percent"},
    {NULL, "joint-k", "1", JOINT_K},
    {NULL, "joint-k", "none", JOINT_K},
    {NULL, "same", "[a]", "same: fewer than two texts", "write lists of two texts or more: [[\"?\", NA]]"},
    {NULL, "same", "[[a, b], [c]]", "same: fewer than two texts", "write lists of two texts or more: [[\"?\", NA]]"},
    {NULL, "same", "a", SAME},
    {NULL, "same", "[[a, b], c]", SAME},
    {NULL, "same", "[[a, b]", SAME},
    {NULL, "release", "{purposes: x}", "release: nothing called 'purposes' is said of a release", "did you mean 'purpose'?"},
    {NULL, "release", "{threshold: 0}", "release: threshold: not a share above 0", THRESHOLD},
    {NULL, "release", "{threshold: 1 in 11}", "release: threshold: not a share above 0", THRESHOLD},
    {NULL, "release", "{valid-until: 31.12.2030}", "release: valid-until: not a date", "write it as 2030-12-31"},
    {NULL, "release", "{valid-until: 2030-02-30}", "release: valid-until: not a date", "write it as 2030-12-31"},
    {NULL, "release", "{purpose: a, purpose: b}", "release: 'purpose' is given twice", ""},
    {NULL, "release", "a study", "release: not of the form NAME=VALUE,NAME=VALUE",
     "write it as purpose=TEXT,threshold=0.09"},
    {NULL, "constraint", "t-closeness", "constraint: not of the form NAME=VALUE,NAME=VALUE",
     "write it as model=distinct-l-diversity,attribute=COLUMN,l=3"},
    {NULL, "constraint", "model=a,t=", "constraint: not of the form NAME=VALUE,NAME=VALUE",
     "write it as model=distinct-l-diversity,attribute=COLUMN,l=3"},
    {NULL, "constraint", "t=1", "constraint: a constraint without a model",
     "write it as {model: t-closeness, attribute: COLUMN, t: 0.3}"},
    {NULL, "constraint", "[{model: a}, {t: 1}]", "constraint: a constraint without a model",
     "write it as {model: t-closeness, attribute: COLUMN, t: 0.3}"},
    {NULL, "constraint", "model=a,t=1,t=2", "constraint: 't' is given twice", ""},
    {NULL, "constraint", "{model: a, t}", CONSTRAINT},
    {NULL, "constraint", "{model: a, t: }", CONSTRAINT},
    {NULL, "constraint", "{model: a", CONSTRAINT},
    {"a", "weigth", "1", "a schema says no 'weigth' of a column", "did you mean 'weight'?"},
    {"a", "k", "1", "a schema says no 'k' of a column", "it is said of the whole: without a column"},
    {NULL, "role", "quasi", "a schema says no 'role' of the whole", "it is said of a column"},
    {NULL, "attributes", "a", "a schema says no 'attributes' of the whole",
     "choose one of: missing, empty, header, encoding, decimal, thousands, default-role, key, entity, entity-together, "
     "algorithm, settings, same, release, k, suppress, suppressed, singled-out, joint-k, constraint"},
    {"\xff", "role", "quasi", "column '\\xff': the text is not UTF-8", ""},
    {NULL, "entity", "a\xc3", "entity: the text is not UTF-8", ""},
};

static void every_wrong_text(void **state)
{
    (void)state;
    kanon_schema *schema = new_schema(), *empty = new_schema();
    for (size_t i = 0; i < COUNT(bad); i++) {
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(kanon_schema_set(schema, bad[i].column, bad[i].name, bad[i].text, &err), KANON_EINVAL);
        assert_int_equal(err.status, KANON_EINVAL);
        assert_string_equal(err.message, bad[i].message);
        assert_string_equal(err.hint, bad[i].hint);
        same_said(err.topic, strstr(bad[i].message, "there are none") != NULL ? "entity" : NULL);
        assert_int_equal(kanon_schema_set(schema, bad[i].column, bad[i].name, bad[i].text, NULL), KANON_EINVAL);
        same_schema(schema, empty);
    }
    assert_int_equal(schema->n_attributes, 0);
    kanon_schema_free(schema);
    kanon_schema_free(empty);
}

/* The same texts where something was said before, which stays. */
static void wrong_texts_change_nothing(void **state)
{
    (void)state;
    kanon_schema *schema = parse_yaml("attributes:\n  a: {role: quasi, weight: 3, bands: 5, top: 90}\n"
                                     "missing: NA\nkey: id\nentity: who\nsame: [[x, y]]\n"
                                     "privacy: {k: 4, suppress: 0.1, joint-k: 5, constraints: [{model: m, l: 2}]}\n");
    char *before = written(schema);
    for (size_t i = 0; i < COUNT(bad); i++) {
        bool needs_none = strcmp(bad[i].name, "entity-together") == 0 && strcmp(bad[i].text, "true") == 0;
        if (!needs_none)
            assert_int_equal(kanon_schema_set(schema, bad[i].column, bad[i].name, bad[i].text, NULL), KANON_EINVAL);
    }
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(kanon_schema_set(schema, "a", "bottom", "95", &err), KANON_EINVAL);
    assert_string_equal(err.message, "column 'a': the lowest band does not end below the highest one");
    say(schema, NULL, "decimal", ",");
    assert_int_equal(kanon_schema_set(schema, NULL, "thousands", ",", &err), KANON_EINVAL);
    assert_string_equal(err.hint, "thousands have another separator than decimals");
    say(schema, NULL, "decimal", NULL);
    char *after = written(schema);
    assert_string_equal(before, after);
    comes_back(schema);
    free(before);
    free(after);
    kanon_schema_free(schema);
}

/* No text that is wrong is shown: it may be a cell. */
static void messages_hold_no_values(void **state)
{
    (void)state;
    kanon_schema *schema = new_schema();
    for (int way = 0; way < 2; way++)
        for (int key = 0; key < (way == 0 ? (int)KANON__COLUMN_KEYS : (int)KANON__WHOLE_KEYS); key++) {
            const char *name = way == 0 ? kanon__column_keys[key].name : kanon__whole_keys[key].name;
            kanon_error err = KANON_INIT(kanon_error);
            (void)kanon_schema_set(schema, way == 0 ? "a" : NULL, name, "SECRET", &err);
            (void)kanon_schema_set(schema, way == 0 ? "a" : NULL, name, "[SECRET", &err);
            assert_null(strstr(err.message, "SECRET"));
            assert_null(strstr(err.hint, "SECRET"));
        }
    kanon_schema_free(schema);
}

/* ---- what goes together -------------------------------------------------------------------------------------------- */

/* Of what excludes each other the last one stays. */
static void the_last_one_stays(void **state)
{
    static const struct {
        const char *name, *text, *types; /* the first letters of the types that it goes with */
    } ways[] = {{"taxonomy", "x.csv", "c"}, {"mask", "right", "c"},       {"bands", "5", "idD"},
                {"top", "9", "idD"},        {"bottom", "1", "idD"},       {"format", "%Y-%m-%d", "D"},
                {"order", "[a, b]", "o"},   {"type", "integer", "i"},     {"type", "decimal", "d"},
                {"type", "date", "D"},      {"type", "categorical", "c"}, {"type", "ordinal", "o"}};
    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++)
        for (size_t j = 0; j < COUNT(ways); j++) {
            kanon_schema *schema = new_schema();
            bool one = strcmp(ways[i].name, ways[j].name) == 0;
            bool trees = i + j == 1; /* a taxonomy and a mask */
            bool both = !trees && strpbrk(ways[i].types, ways[j].types) != NULL;
            say(schema, "a", "weight", "2");
            say(schema, "a", ways[i].name, ways[i].text);
            say(schema, "a", ways[j].name, ways[j].text);
            says(schema, "a", ways[j].name, ways[j].text);
            if (!one)
                says(schema, "a", ways[i].name, both ? ways[i].text : NULL);
            says(schema, "a", "weight", "2");
            comes_back(schema);
            kanon_schema_free(schema);
        }
}

/* In a file two that exclude each other are an error, in either order. */
static void a_file_has_one_of_them(void **state)
{
    static const char *const ways[][2] = {{"mask: right", "bands: 5"}, {"type: integer", "order: [a]"}};
    static const char *const messages[] = {"s:1: column 14: 'a' has both a mask and bands",
                                           "s:1: column 14: 'a' has an order but its type is integer"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        char yaml[128];
        kanon_schema *schema = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        snprintf(yaml, sizeof yaml, "attributes: {a: {%s, %s}}\n", ways[i / 2][i % 2], ways[i / 2][1 - i % 2]);
        assert_int_equal(kanon_schema_read(&schema, KANON_BYTES_AS(yaml, strlen(yaml), "s"), NULL, &err), KANON_EDATA);
        assert_string_equal(err.message, messages[i / 2]);
        assert_string_equal(err.hint, "remove one of the two");
    }
}

static void what_needs_another(void **state)
{
    (void)state;
    kanon_schema *schema = new_schema();
    say(schema, NULL, "entity", "who");
    say(schema, NULL, "entity-together", "yes");
    says(schema, NULL, "entity-together", "true");
    assert_true(schema->entity_together);
    comes_back(schema);
    say(schema, NULL, "entity", "other");
    says(schema, NULL, "entity-together", "true");
    say(schema, NULL, "entity", NULL);
    says(schema, NULL, "entity-together", NULL);
    assert_false(schema->entity_together);

    say(schema, NULL, "algorithm", "tgc-b");
    say(schema, NULL, "settings", "{\"s\": 50, \"a b\": \"x, y\"}");
    says(schema, NULL, "settings", "{s: 50, \"a b\": \"x, y\"}");
    comes_back(schema);
    say(schema, NULL, "settings", "s=60,t=1");
    says(schema, NULL, "settings", "{s: 60, t: 1}");
    assert_int_equal(kanon_schema_set(schema, NULL, "settings", "{name: x}", NULL), KANON_EINVAL);
    assert_int_equal(kanon_schema_set(schema, NULL, "settings", "{s}", NULL), KANON_EINVAL);
    char name[300]; /* a file could not have it as a name */
    memset(name, 'x', sizeof name);
    memcpy(name + sizeof name - 4, "=1", sizeof "=1");
    assert_int_equal(kanon_schema_set(schema, NULL, "settings", name, NULL), KANON_EINVAL);
    assert_int_equal(kanon_schema_set(schema, NULL, "settings", name + 200, NULL), KANON_OK);
    say(schema, NULL, "settings", "{s: 60, t: 1}");
    say(schema, NULL, "algorithm", "tgc-b"); /* the same */
    assert_int_equal(schema->n_settings, 2);
    comes_back(schema);
    say(schema, NULL, "settings", "{}");
    assert_int_equal(schema->n_settings, 0);
    say(schema, NULL, "settings", "{s: 60}");
    say(schema, NULL, "algorithm", "oka"); /* another one has other settings */
    says(schema, NULL, "settings", NULL);
    assert_int_equal(schema->n_settings, 0);
    say(schema, NULL, "settings", "{s: 60}");
    say(schema, NULL, "algorithm", NULL);
    says(schema, NULL, "settings", NULL);
    kanon_schema_free(schema);
}

static void missing_and_empty(void **state)
{
    (void)state;
    kanon_schema *schema = parse_yaml("missing: [a, b]\nattributes: {a: quasi}\n");
    assert_true(kanon__schema_is_missing(schema, "a", 1));
    say(schema, NULL, "missing", "[?, \" \", ?, x]");
    assert_int_equal(schema->missing.n, 3); /* the empty text, and each other one once */
    assert_true(kanon__schema_is_missing(schema, "?", 1) && kanon__schema_is_missing(schema, "", 0));
    assert_false(kanon__schema_is_missing(schema, "a", 1));
    say(schema, NULL, "empty", "value");
    assert_true(kanon__schema_is_missing(schema, "?", 1) && kanon__schema_is_missing(schema, "x", 1));
    assert_false(kanon__schema_is_missing(schema, "", 0));
    say(schema, NULL, "missing", "y");
    assert_false(kanon__schema_is_missing(schema, "", 0) || kanon__schema_is_missing(schema, "?", 1));
    comes_back(schema);
    say(schema, NULL, "missing", NULL);
    assert_int_equal(schema->missing.n, 0);
    say(schema, NULL, "empty", NULL);
    assert_int_equal(schema->missing.n, 1);
    assert_true(kanon__schema_is_missing(schema, "", 0));
    kanon_schema_free(schema);
}

static void what_adds_up(void **state)
{
    (void)state;
    kanon_schema *schema = parse_yaml(
        "attributes: {a: quasi}\nsame: [[a, b]]\nprivacy: {constraints: [{model: m, l: 2}]}\n");
    say(schema, NULL, "same", "[c, d, e]");
    says(schema, NULL, "same", "[[a, b], [c, d, e]]");
    assert_int_equal(schema->same.n, 6);
    say(schema, NULL, "constraint", "model=mm,attribute=x");
    assert_string_equal(kanon_schema_constraint_at(schema, 0), "{model: m, l: 2}");
    assert_string_equal(kanon_schema_constraint_at(schema, 1), "{model: mm, attribute: x}");
    assert_null(kanon_schema_constraint_at(schema, 2));
    says(schema, NULL, "constraint", "[{model: m, l: 2}, {model: mm, attribute: x}]");
    assert_int_equal(kanon_schema_set(schema, NULL, "constraint", "[{model: o}, {model: p, p: }]", NULL), KANON_EINVAL);
    assert_int_equal(schema->n_constraints, 2);
    assert_int_equal(kanon_schema_set(schema, NULL, "same", "[[f, g], [h]]", NULL), KANON_EINVAL);
    says(schema, NULL, "same", "[[a, b], [c, d, e]]");
    comes_back(schema);
    say(schema, NULL, "constraint", NULL);
    assert_null(kanon_schema_constraint_at(schema, 0));
    say(schema, NULL, "same", NULL);
    assert_int_equal(schema->same.n, 0);
    kanon_schema_free(schema);
}

static void columns_are_listed(void **state)
{
    (void)state;
    kanon_schema *schema = parse_yaml("attributes:\n  b:\n  a: quasi\n");
    say(schema, "c", "weight", "2");
    say(schema, "d", "weight", NULL); /* of which nothing is said */
    assert_string_equal(kanon_schema_column_at(schema, 0), "b");
    assert_string_equal(kanon_schema_column_at(schema, 1), "a");
    assert_string_equal(kanon_schema_column_at(schema, 2), "c");
    assert_null(kanon_schema_column_at(schema, 3));
    say(schema, "c", "weight", NULL);
    assert_null(kanon_schema_column_at(schema, 2));
    assert_null(kanon__schema_find(schema, "c"));
    comes_back(schema);
    kanon_schema_free(schema);

    /* A column that is named again needs none in the table once nothing is said of it. */
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    schema = new_schema();
    say(schema, "a", "role", "quasi");
    say(schema, "gone", "role", "quasi");
    assert_int_equal(kanon_table_read(&table, KANON_BYTES_AS("a\n1\n", 4, "t.csv"), schema, NULL, &err), KANON_EDATA);
    say(schema, "gone", "role", NULL);
    assert_done(kanon_table_read(&table, KANON_BYTES_AS("a\n1\n", 4, "t.csv"), schema, NULL, &err), &err);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* ---- writing ------------------------------------------------------------------------------------------------------- */

static const char *const hostile[] = {
    "",     " ",       " a ",        "null",     "~",        "yes",      "No",     "-",     "- a",   "a: b", "a:b",
    "#",    "a #b",    "{a}",        "[a]",      "a, b",     "'",        "\"",     "\\",    "a\"b",  "?",    "? a",
    "!a",   "&a",      "*a",         "|",        ">",        "%a",       "@a",     "`a",    "---",   "...",  "1",
    "1.5",  "0x1f",    "2020-01-01", "a\nb",     "a\tb",     "\r",       "\x01",   "\x7f",  "\x1b[", "a  b", "=",
    "\xc2\x85", "\xc2\xa0", "\xe2\x80\xa8", "\xe2\x80\xae", "\xef\xbb\xbf", "\xef\xbf\xbf", "\xef\xbf\xbd",
    "\xc3\xa9", "\xf0\x9f\x98\x80", "\xf0\x9f\xbf\xbe", "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf", "name", "k",
};

/* Names of columns, and all texts that can be anything, in one schema. */
static void hostile_names(void **state)
{
    (void)state;
    kanon_schema *all = new_schema();
    static char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    for (size_t i = 0; i <= COUNT(hostile); i++) {
        kanon_schema *schema = new_schema();
        const char *name = i < COUNT(hostile) ? hostile[i] : longest;
        say(schema, name, "role", "quasi");
        say(schema, name, "weight", "2");
        say(all, name, "role", "sensitive");
        if (name[0] != '\0') {
            say(schema, NULL, "entity", name);
            say(schema, NULL, "algorithm", name);
            say(schema, "b", "taxonomy", name);
        }
        char list[4 * sizeof longest] = "['", *at = list + 2;
        for (const char *c = name; *c != '\0'; c++) {
            *at++ = *c;
            if (*c == '\'')
                *at++ = '\'';
        }
        strcpy(at, "', other]");
        say(schema, NULL, "missing", list);
        say(schema, NULL, "same", list);
        if (name[0] != '\0')
            say(schema, NULL, "key", list);
        if (name[0] != '\0') {
            char pairs[5 * sizeof longest];
            sprintf(pairs, "{model: m, attribute: %.*s'}", (int)(at - list - 1), list + 1);
            say(schema, NULL, "constraint", pairs);
            sprintf(pairs, "{value: %.*s'}", (int)(at - list - 1), list + 1);
            say(schema, NULL, "settings", pairs);
            assert_string_equal(schema->settings[0].value, name);
            assert_string_equal(schema->constraints[0].values.items[1], name);
            assert_string_equal(schema->key.items[0], name);
        }
        assert_string_equal(schema->same.items[0], name);
        comes_back(schema);
        kanon_schema_free(schema);
    }
    comes_back(all);
    kanon_schema_free(all);
}

static kanon_schema *with_tree(const char *csv)
{
    kanon_schema *schema = new_schema();
    kanon_error err = KANON_INIT(kanon_error);
    say(schema, "a", "role", "quasi");
    assert_done(kanon_schema_set_taxonomy(schema, "a", KANON_BYTES_AS(csv, strlen(csv), "tree"), &err), &err);
    return schema;
}

static void taxonomies_inline(void **state)
{
    static const char *const trees[] = {
        "a;*\nb;*\n",
        "a;*\n",
        "a;X;*\nb;Y;*\nc;X;*\nd;*\n",
        "a;X;any\nb;Y;any\n",
        "a;X;Z;*\nb;X;Z;*\n",
        "\"a: b\";\"{X}\";*\n\"null\";\"\xc3\xa9\";*\n\"#\";\"{X}\";*\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(trees); i++) {
        kanon_schema *schema = with_tree(trees[i]);
        says(schema, "a", "taxonomy", NULL);
        comes_back(schema);
        say(schema, "a", "taxonomy", NULL);
        assert_null(kanon__schema_find(schema, "a")->tree);
        kanon_schema_free(schema);
    }
    char deep[4096] = "x0", *at = deep + 2; /* x0;x1;...;* is so deep, and one level more is too deep */
    for (int depth = 1; depth <= 61; depth++) {
        at += sprintf(at, ";x%d", depth);
        strcpy(at, ";*\ny;*\n");
        if (depth < 60)
            continue;
        kanon_schema *schema = with_tree(deep);
        kanon_error err = KANON_INIT(kanon_error);
        text t;
        if (depth == 60)
            comes_back(schema);
        else
            assert_int_equal(write_text_of(&t, schema, &err), KANON_EINVAL);
        if (depth == 61) {
            assert_string_equal(err.message, "column 'a': its taxonomy cannot stand in a schema file");
            assert_null(t.bytes);
        }
        kanon_schema_free(schema);
    }
    kanon_schema *schema = with_tree("250;250;*\n250.01;250;*\n"); /* a value with the name of the node above it */
    text t;
    assert_int_equal(write_text_of(&t, schema, NULL), KANON_EINVAL);
    kanon_schema_free(schema);
}

/* A path is that of the same file, from wherever the schema is. */
static void taxonomies_in_files(void **state)
{
    (void)state;
    place folder = scratch("sub"), file = scratch("sub/s.yaml"), tree = scratch("sub/t.csv"), beside = scratch("u.csv");
    assert_int_equal(mkdir(folder.text, 0700), 0);
    write_text(tree.text, "x;*\n");
    write_text(beside.text, "x;*\n");
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = new_schema(), *read = NULL;
    char here[PATH_SIZE], before[PATH_SIZE];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(scratch("").text), 0);
    assert_non_null(getcwd(here, sizeof here));
    say(schema, "a", "taxonomy", "sub/t.csv");
    say(schema, "b", "taxonomy", "u.csv");
    say(schema, "c", "taxonomy", tree.text);
    assert_done(kanon_schema_write(schema, KANON_TO_PATH("sub/s.yaml"), &err), &err);
    assert_done(kanon_schema_read(&read, KANON_PATH("sub/s.yaml"), NULL, &err), &err);
    says(read, "a", "taxonomy", "sub/t.csv");
    says(read, "b", "taxonomy", inside(here, "u.csv").text);
    says(read, "c", "taxonomy", tree.text);
    kanon_schema_free(read);
    assert_done(kanon_schema_write(schema, KANON_TO_PATH("s.yaml"), &err), &err);
    assert_done(kanon_schema_read(&read, KANON_PATH("s.yaml"), NULL, &err), &err);
    says(read, "a", "taxonomy", "sub/t.csv");
    says(read, "b", "taxonomy", "u.csv");
    kanon_schema_free(read);
    assert_done(kanon_schema_write(schema, KANON_TO_PATH(file.text), &err), &err);
    assert_done(kanon_schema_read(&read, KANON_PATH(file.text), NULL, &err), &err);
    says(read, "c", "taxonomy", tree.text);
    kanon_schema_free(read);
    say(schema, "a", "taxonomy", "\xff.csv");
    assert_int_equal(kanon_schema_write(schema, KANON_TO_PATH("s.yaml"), &err), KANON_EINVAL);
    assert_string_equal(err.message, "the path of a taxonomy is not UTF-8");
    assert_int_equal(chdir(before), 0);
    kanon_schema_free(schema);
}

static void what_a_file_looks_like(void **state)
{
    static const char expected[] =
        "missing: [\"?\"]\n"
        "attributes:\n"
        "  id: identifying\n"
        "  nothing:\n"
        "  \"a b\": {role: quasi, type: integer, weight: 2, bands: [0, 18, 65], top: 90}\n"
        "  job: {role: quasi, taxonomy: {Health: {nurse: , surgeon: }, Food: {baker: }}}\n"
        "  school: {order: [none, primary, \"a, b\"]}\n"
        "key: [id]\n"
        "entity: who\n"
        "entity-together: true\n"
        "algorithm: {name: tgc-b, s: 50}\n"
        "same: [[\"?\", NA]]\n"
        "privacy:\n"
        "  k: 10\n"
        "  suppress: 0.01\n"
        "  constraints:\n"
        "    - {model: t-closeness, attribute: disease, t: 0.3}\n";
    (void)state;
    kanon_schema *schema = parse_yaml(expected);
    char *yaml = written(schema);
    assert_string_equal(yaml, expected);
    comes_back(schema);
    free(yaml);
    kanon_schema_free(schema);
    schema = new_schema();
    yaml = written(schema);
    assert_string_equal(yaml, "attributes: {}\n");
    comes_back(schema);
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(kanon_schema_write(schema, NULL, &err), KANON_EINVAL);
    struct ArrowArrayStream stream = {0};
    assert_int_equal(kanon_schema_write(schema, KANON_TO_STREAM(&stream), &err), KANON_EINVAL);
    const kanon_output as_csv = {.struct_size = sizeof as_csv, .location = "x", .format = "csv"};
    assert_int_equal(kanon_schema_write(schema, &as_csv, &err), KANON_EINVAL);
    assert_string_equal(err.hint, "the formats are yaml");
    free(yaml);
    kanon_schema_free(schema);
}

/* Any words in any order: whatever is accepted is written and read back. */
static void random_schemas(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int round = 0; round < 300; round++) {
        kanon_schema *schema = new_schema();
        for (int i = 0; i < 25; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            size_t at = (size_t)(seed >> 33) % COUNT(good);
            static const char *const columns[] = {"a", "b c", "[d]"};
            const char *column = good[at].column != NULL ? columns[seed >> 60 & 1] : NULL;
            (void)kanon_schema_set(schema, column, good[at].name, (seed >> 20 & 7) == 0 ? NULL : good[at].text, NULL);
        }
        comes_back(schema);
        kanon_schema_free(schema);
    }
}

/* Writing without memory: an error, and nothing is left. */
static void without_memory(void **state)
{
    (void)state;
    kanon_schema *schema = with_tree("a;X;*\nb;Y;*\n");
    say(schema, "b", "taxonomy", "x.csv");
    say(schema, NULL, "key", "[a, b]");
    kanon_status st = KANON_ENOMEM;
    for (int64_t n = 1; st == KANON_ENOMEM; n++) {
        kanon_error err = KANON_INIT(kanon_error);
        text t;
        kanon__alloc_fail_at(n, false);
        st = write_text_of(&t, schema, &err);
        kanon__alloc_fail_at(0, false);
        assert_int_equal(err.status, st);
        free(t.bytes);
    }
    assert_int_equal(st, KANON_OK);
    kanon_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key),
        cmocka_unit_test(every_key_is_tried),
        cmocka_unit_test(every_wrong_text),
        cmocka_unit_test(wrong_texts_change_nothing),
        cmocka_unit_test(messages_hold_no_values),
        cmocka_unit_test(the_last_one_stays),
        cmocka_unit_test(a_file_has_one_of_them),
        cmocka_unit_test(what_needs_another),
        cmocka_unit_test(missing_and_empty),
        cmocka_unit_test(what_adds_up),
        cmocka_unit_test(columns_are_listed),
        cmocka_unit_test(hostile_names),
        cmocka_unit_test(taxonomies_inline),
        cmocka_unit_test(taxonomies_in_files),
        cmocka_unit_test(what_a_file_looks_like),
        cmocka_unit_test(random_schemas),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
