/* The schema: what a file says, and what is wrong with a file. */
#include "table/schema/schema.h"

#include "core/alloc.h"

#include <kanon_host.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The example of the interface contract, line for line. */
static const char example[] =
    "missing: [\"?\", \"\"]                 # texts that mean \"no value\"\n"
    "default-role: insensitive          # for columns not named below\n"
    "attributes:\n"
    "  name:       {role: identifying}\n"
    "  age:        {role: quasi, type: integer}          # integer | decimal | date | categorical\n"
    "  zip:        {role: quasi, type: categorical, mask: right}      # a taxonomy made by masking\n"
    "  workclass:  {role: quasi, type: categorical, taxonomy: taxonomies/workclass.csv, weight: 2}\n"
    "  race:       {role: quasi}                          # no type\n"
    "  disease:    {role: sensitive, type: categorical, taxonomy: {Cancer: , Viral: {HIV: , Respiratory: {Flu: , "
    "Bronchitis: }}}}\n"
    "privacy:\n"
    "  k: 10\n"
    "  constraints:\n"
    "    - {model: distinct-l-diversity, attribute: disease, l: 3}\n"
    "    - {model: entropy-l-diversity, attribute: disease, l: 2.5}\n"
    "    - {model: recursive-l-diversity, attribute: disease, c: 3, l: 2}\n"
    "    - {model: t-closeness, attribute: disease, t: 0.3}\n"
    "    - {model: alpha-k, attribute: disease, alpha: 0.5}\n"
    "algorithm: {name: tgc-b, s: 50}\n"
    "key: [id]                          # the columns that name a record\n"
    "\n"
    "entity: patient-id                 # groups must hold k different entities\n";

static kanon_schema *parse_at(const char *text, const char *path)
{
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    if (kanon__schema_parse(&schema, text, strlen(text), path, &err) != KANON_OK)
        fail_msg("%s; %s", err.message, err.hint);
    assert_non_null(schema);
    return schema;
}

static kanon_schema *parse(const char *text)
{
    return parse_at(text, "s.yaml");
}

static void check_attribute(const kanon_schema *schema, const char *name, kanon_role role, kanon_type type, double weight,
                            int line)
{
    const kanon__attribute *attribute = kanon__schema_find(schema, name);
    assert_non_null(attribute);
    assert_true(attribute->has_role);
    assert_int_equal(attribute->role, role);
    assert_int_equal(attribute->type, type);
    assert_true(attribute->weight == weight);
    assert_int_equal(attribute->line, line);
}

static void check_constraint(const kanon__constraint_text *constraint, int line, const char *expected)
{
    char text[256] = "";
    assert_int_equal(constraint->line, line);
    assert_int_equal(constraint->names.n, constraint->values.n);
    for (int64_t i = 0; i < constraint->names.n; i++)
        sprintf(text + strlen(text), "%s=%s ", constraint->names.items[i], constraint->values.items[i]);
    assert_string_equal(text, expected);
}

static void check_node(const kanon__taxonomy *taxonomy, const char *label, const char *parent, int32_t height)
{
    int32_t node = kanon__taxonomy_node(taxonomy, label, strlen(label));
    assert_true(node >= 0);
    assert_int_equal(taxonomy->height[node], height);
    if (parent == NULL)
        assert_int_equal(taxonomy->parent[node], -1);
    else
        assert_int_equal(taxonomy->parent[node], kanon__taxonomy_node(taxonomy, parent, strlen(parent)));
}

static kanon__taxonomy *taxonomy_of(const kanon_schema *schema, const char *name)
{
    kanon__taxonomy *taxonomy = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    const kanon__attribute *attribute = kanon__schema_find(schema, name);
    assert_non_null(attribute);
    assert_non_null(attribute->tree);
    assert_int_equal(kanon__taxonomy_from_tree(&taxonomy, attribute->tree, NULL, 0, &err), KANON_OK);
    return taxonomy;
}

/* ---- what files say ---------------------------------------------------------------------------------------------- */

static void test_example_attributes(void **state)
{
    (void)state;
    kanon_schema *schema = parse_at(example, "conf/hospital.yaml");
    assert_string_equal(schema->path, "conf/hospital.yaml");
    assert_int_equal(schema->n_attributes, 6);
    check_attribute(schema, "name", KANON_ROLE_IDENTIFYING, KANON_TYPE_UNKNOWN, 1, 4);
    check_attribute(schema, "age", KANON_ROLE_QUASI, KANON_TYPE_INTEGER, 1, 5);
    check_attribute(schema, "zip", KANON_ROLE_QUASI, KANON_TYPE_CATEGORICAL, 1, 6);
    check_attribute(schema, "workclass", KANON_ROLE_QUASI, KANON_TYPE_CATEGORICAL, 2, 7);
    check_attribute(schema, "race", KANON_ROLE_QUASI, KANON_TYPE_UNKNOWN, 1, 8);
    check_attribute(schema, "disease", KANON_ROLE_SENSITIVE, KANON_TYPE_CATEGORICAL, 1, 9);
    assert_int_equal(kanon__schema_find(schema, "zip")->mask, KANON__MASK_RIGHT);
    assert_int_equal(kanon__schema_find(schema, "age")->mask, KANON__MASK_NONE);
    assert_null(kanon__schema_find(schema, "age")->said[KANON__COLUMN_WEIGHT]);
    assert_null(kanon__schema_find(schema, "zip")->said[KANON__COLUMN_TAXONOMY]);
    assert_string_equal(kanon__schema_find(schema, "workclass")->said[KANON__COLUMN_TAXONOMY],
                        "conf/taxonomies/workclass.csv");
    assert_string_equal(kanon__schema_find(schema, "workclass")->said[KANON__COLUMN_WEIGHT], "2");
    assert_null(kanon__schema_find(schema, "income"));

    kanon__taxonomy *taxonomy = taxonomy_of(schema, "disease");
    assert_int_equal(taxonomy->n_nodes, 7);
    assert_int_equal(taxonomy->n_leaves, 4);
    check_node(taxonomy, "*", NULL, 3);
    check_node(taxonomy, "Cancer", "*", 0);
    check_node(taxonomy, "Viral", "*", 2);
    check_node(taxonomy, "HIV", "Viral", 0);
    check_node(taxonomy, "Respiratory", "Viral", 1);
    check_node(taxonomy, "Flu", "Respiratory", 0);
    check_node(taxonomy, "Bronchitis", "Respiratory", 0);
    assert_int_equal(kanon__taxonomy_leaf(taxonomy, "Bronchitis", 10), 3);
    kanon__taxonomy_free(taxonomy);
    kanon_schema_free(schema);
}

static void test_example_rest(void **state)
{
    (void)state;
    kanon_schema *schema = parse(example);
    assert_int_equal(schema->missing.n, 2);
    assert_true(kanon__schema_is_missing(schema, "?", 1));
    assert_true(kanon__schema_is_missing(schema, "", 0));
    assert_false(kanon__schema_is_missing(schema, "??", 2));
    assert_true(kanon__schema_is_missing(schema, "?x", 1));
    assert_true(schema->has_default_role);
    assert_int_equal(schema->default_role, KANON_ROLE_INSENSITIVE);
    assert_int_equal(schema->k, 10);

    assert_int_equal(schema->n_constraints, 5);
    assert_int_equal(schema->constraints_line, 12);
    check_constraint(&schema->constraints[0], 13, "model=distinct-l-diversity attribute=disease l=3 ");
    check_constraint(&schema->constraints[1], 14, "model=entropy-l-diversity attribute=disease l=2.5 ");
    check_constraint(&schema->constraints[2], 15, "model=recursive-l-diversity attribute=disease c=3 l=2 ");
    check_constraint(&schema->constraints[3], 16, "model=t-closeness attribute=disease t=0.3 ");
    check_constraint(&schema->constraints[4], 17, "model=alpha-k attribute=disease alpha=0.5 ");

    assert_string_equal(kanon_schema_get(schema, NULL, "algorithm"), "tgc-b");
    assert_int_equal(schema->n_settings, 1);
    assert_string_equal(schema->settings[0].name, "s");
    assert_string_equal(schema->settings[0].value, "50");
    assert_int_equal(schema->key.n, 1);
    assert_string_equal(schema->key.items[0], "id");
    assert_int_equal(schema->key_line, 19);
    assert_string_equal(schema->said[KANON__WHOLE_ENTITY], "patient-id");
    assert_int_equal(schema->entity_line, 21);
    kanon_schema_free(schema);
}

static void test_adult(void **state)
{
    (void)state;
    kanon_schema *schema = parse_at("# The configuration of Lin, Rashidy and Truta.\n"
                                    "missing: [\"?\"]\n"
                                    "attributes:\n"
                                    "  age:            {role: quasi, type: integer}\n"
                                    "  native-country: {role: quasi, type: categorical, taxonomy: taxonomies/n.csv}\n"
                                    "  occupation:     {role: sensitive, type: categorical, taxonomy: /abs/o.csv}\n"
                                    "  income:         {role: sensitive, type: categorical}\n"
                                    "  education:      {role: identifying}    # says the same as education-num\n"
                                    "  relationship:   {role: insensitive}\n"
                                    "privacy: {k: 10}\n",
                                    "/data/adult/adult8.yaml");
    assert_int_equal(schema->n_attributes, 6);
    check_attribute(schema, "native-country", KANON_ROLE_QUASI, KANON_TYPE_CATEGORICAL, 1, 5);
    check_attribute(schema, "relationship", KANON_ROLE_INSENSITIVE, KANON_TYPE_UNKNOWN, 1, 9);
    assert_string_equal(kanon__schema_find(schema, "native-country")->said[KANON__COLUMN_TAXONOMY],
                        "/data/adult/taxonomies/n.csv");
    assert_string_equal(kanon__schema_find(schema, "occupation")->said[KANON__COLUMN_TAXONOMY], "/abs/o.csv");
    assert_int_equal(schema->k, 10);
    assert_null(kanon_schema_get(schema, NULL, "algorithm"));
    assert_false(schema->has_default_role);
    assert_null(schema->said[KANON__WHOLE_ENTITY]);
    kanon_schema_free(schema);
}

static void test_short_forms(void **state)
{
    (void)state;
    kanon_schema *schema = parse("attributes:\n"
                                 "  age: quasi\n"
                                 "  sex:\n"
                                 "  zip: {type: categorical, taxonomy: zip.csv}\n"
                                 "  day: {role: quasi, type: date, weight: 0.250}\n"
                                 "algorithm: kmember\n"
                                 "key: id\n"
                                 "missing: NA\n"
                                 "default-role: sensitive\n"
                                 "privacy:\n");
    check_attribute(schema, "age", KANON_ROLE_QUASI, KANON_TYPE_UNKNOWN, 1, 2);
    check_attribute(schema, "day", KANON_ROLE_QUASI, KANON_TYPE_DATE, 0.25, 5);
    assert_string_equal(kanon__schema_find(schema, "day")->said[KANON__COLUMN_WEIGHT], "0.250");
    assert_false(kanon__schema_find(schema, "sex")->has_role);
    assert_int_equal(kanon__schema_find(schema, "sex")->line, 3);
    assert_false(kanon__schema_find(schema, "zip")->has_role);
    assert_string_equal(kanon__schema_find(schema, "zip")->said[KANON__COLUMN_TAXONOMY], "zip.csv");
    assert_int_equal(schema->default_role, KANON_ROLE_SENSITIVE);
    assert_string_equal(kanon_schema_get(schema, NULL, "algorithm"), "kmember");
    assert_int_equal(schema->n_settings, 0);
    assert_string_equal(schema->key.items[0], "id");
    assert_int_equal(schema->missing.n, 2);
    assert_true(kanon__schema_is_missing(schema, "NA", 2));
    assert_int_equal(schema->k, 0);
    kanon_schema_free(schema);
}

static void test_role_words(void **state)
{
    static const struct {
        const char *word;
        kanon_role role;
        const char *text;
    } cases[] = {
        {"IDENTIFYING", KANON_ROLE_IDENTIFYING, "identifying"}, {"Quasi-Identifying", KANON_ROLE_QUASI, "quasi"},
        {"QUASI_IDENTIFYING", KANON_ROLE_QUASI, "quasi"},       {"quasi_identifying", KANON_ROLE_QUASI, "quasi"},
        {"Sensitive", KANON_ROLE_SENSITIVE, "sensitive"},       {"INSENSITIVE", KANON_ROLE_INSENSITIVE, "insensitive"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[64];
        sprintf(text, "attributes: {a: %s}\n", cases[i].word);
        kanon_schema *schema = parse(text);
        check_attribute(schema, "a", cases[i].role, KANON_TYPE_UNKNOWN, 1, 1);
        assert_string_equal(kanon_enum_text(KANON_ENUM_ROLE, cases[i].role), cases[i].text);
        kanon_schema_free(schema);
    }
}

static void test_type_words(void **state)
{
    static const kanon_type types[] = {KANON_TYPE_INTEGER, KANON_TYPE_DECIMAL, KANON_TYPE_DATE, KANON_TYPE_CATEGORICAL};
    (void)state;
    kanon_schema *schema = parse("attributes: {a: {role: quasi, type: integer}, b: {role: quasi, type: decimal},\n"
                                 "             c: {role: quasi, type: date}, d: {role: quasi, type: categorical}}\n");
    for (int i = 0; i < 4; i++)
        check_attribute(schema, (char[]){(char)('a' + i), '\0'}, KANON_ROLE_QUASI, types[i], 1, 1 + i / 2);
    assert_string_equal(kanon_enum_text(KANON_ENUM_TYPE, KANON_TYPE_DECIMAL), "decimal");
    assert_string_equal(kanon_enum_text(KANON_ENUM_TYPE, KANON_TYPE_UNKNOWN), "unknown");
    kanon_schema_free(schema);
}

static void test_missing_texts(void **state)
{
    (void)state;
    kanon_schema *schema = parse("missing: [\"?\", \"\", ~, -1, false, \"null\"]\nattributes: {a: quasi}\n");
    static const char *const expected[] = {"", "?", "-1", "false", "null"};
    assert_int_equal(schema->missing.n, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++)
        assert_string_equal(schema->missing.items[i], expected[i]);
    kanon_schema_free(schema);

    schema = parse("missing:\n  - NA\n  -\nattributes: {a: quasi}\n");
    assert_int_equal(schema->missing.n, 2);
    assert_true(kanon__schema_is_missing(schema, "", 0));
    kanon_schema_free(schema);

    schema = parse("attributes: {a: quasi}\n"); /* an empty cell is no value unless the schema says otherwise */
    assert_int_equal(schema->missing.n, 1);
    assert_true(kanon__schema_is_missing(schema, "", 0));
    kanon_schema_free(schema);

    static const char *const adding[] = {"missing: []\n", "missing: [NA]\n", "missing: [\" \", NA]\n", "empty: missing\n"};
    for (size_t i = 0; i < COUNT(adding); i++) { /* the empty text needs no mention, and blanks are it */
        char yaml[80];
        snprintf(yaml, sizeof yaml, "%sattributes: {a: quasi}\n", adding[i]);
        schema = parse(yaml);
        assert_int_equal(schema->missing.n, i == 1 || i == 2 ? 2 : 1);
        assert_true(kanon__schema_is_missing(schema, "", 0));
        assert_true(kanon__schema_is_missing(schema, "  ", 2));
        kanon_schema_free(schema);
    }

    static const char *const valued[] = {"empty: value\nmissing: [NA]\n", "missing: [NA]\nempty: value\n",
                                         "missing: [\"\", NA]\nempty: value\n", "empty: value\nmissing: [\"\", NA]\n"};
    for (size_t i = 0; i < COUNT(valued); i++) {
        char yaml[80];
        snprintf(yaml, sizeof yaml, "%sattributes: {a: quasi}\n", valued[i]);
        schema = parse(yaml);
        assert_int_equal(schema->missing.n, 1);
        assert_true(kanon__schema_is_missing(schema, "NA", 2));
        assert_false(kanon__schema_is_missing(schema, "", 0));
        assert_false(kanon__schema_is_missing(schema, " ", 1));
        kanon_schema_free(schema);
    }
}

static void test_settings_keep_order_and_text(void **state)
{
    (void)state;
    kanon_schema *schema = parse("attributes: {a: quasi}\nalgorithm:\n  z: 007\n  name: x\n  b: true\n  a: \"1 e\"\n");
    const kanon_setting *settings = schema->settings;
    assert_int_equal(schema->n_settings, 3);
    assert_string_equal(settings[0].name, "z");
    assert_string_equal(settings[0].value, "007");
    assert_string_equal(settings[1].name, "b");
    assert_string_equal(settings[1].value, "true");
    assert_string_equal(settings[2].name, "a");
    assert_string_equal(settings[2].value, "1 e");
    kanon_schema_free(schema);
}

/* More than fit the first allocation, and more mappings one after the other than may be nested. */
static void test_many_attributes(void **state)
{
    char text[8192] = "attributes:\n", name[32];
    (void)state;
    for (int i = 0; i < 100; i++)
        sprintf(text + strlen(text), "  column%d: {role: sensitive, weight: %d}\n", i, i + 1);
    kanon_schema *schema = parse(text);
    assert_int_equal(schema->n_attributes, 100);
    for (int i = 0; i < 100; i++) {
        sprintf(name, "column%d", i);
        check_attribute(schema, name, KANON_ROLE_SENSITIVE, KANON_TYPE_UNKNOWN, i + 1, i + 2);
    }
    kanon_schema_free(schema);
}

static void test_inline_taxonomies(void **state)
{
    (void)state;
    kanon_schema *schema = parse("attributes:\n"
                                 "  rooted: {taxonomy: {Any: {Cancer: , Viral: [HIV, Flu]}}}\n"
                                 "  single: {taxonomy: {Only: }}\n"
                                 "  mixed:\n"
                                 "    taxonomy:\n"
                                 "      West: {}\n"
                                 "      East:\n"
                                 "        - North: [NO, null]\n"
                                 "        - South\n"
                                 "  star: {taxonomy: {\"*\": {a: ~, b: \"\"}}}\n");
    kanon__taxonomy *taxonomy = taxonomy_of(schema, "rooted");
    assert_int_equal(taxonomy->n_nodes, 5);
    check_node(taxonomy, "Any", NULL, 2);
    check_node(taxonomy, "Cancer", "Any", 0);
    check_node(taxonomy, "Viral", "Any", 1);
    check_node(taxonomy, "Flu", "Viral", 0);
    kanon__taxonomy_free(taxonomy);

    taxonomy = taxonomy_of(schema, "single");
    assert_int_equal(taxonomy->n_nodes, 2);
    check_node(taxonomy, "*", NULL, 1);
    check_node(taxonomy, "Only", "*", 0);
    kanon__taxonomy_free(taxonomy);

    taxonomy = taxonomy_of(schema, "mixed");
    assert_int_equal(taxonomy->n_nodes, 7);
    check_node(taxonomy, "*", NULL, 3);
    check_node(taxonomy, "West", "*", 0);
    check_node(taxonomy, "East", "*", 2);
    check_node(taxonomy, "North", "East", 1);
    check_node(taxonomy, "NO", "North", 0);
    check_node(taxonomy, "null", "North", 0);
    check_node(taxonomy, "South", "East", 0);
    kanon__taxonomy_free(taxonomy);

    taxonomy = taxonomy_of(schema, "star");
    assert_int_equal(taxonomy->n_nodes, 3);
    check_node(taxonomy, "*", NULL, 1);
    kanon__taxonomy_free(taxonomy);
    kanon_schema_free(schema);
}

static void test_byte_order_mark(void **state)
{
    (void)state;
    kanon_schema *schema = parse("\xef\xbb\xbf"
                                 "attributes:\n  a: quasi\nprivacy: {k: 2}\n");
    check_attribute(schema, "a", KANON_ROLE_QUASI, KANON_TYPE_UNKNOWN, 1, 2);
    assert_int_equal(schema->k, 2);
    kanon_schema_free(schema);
}

/* ---- what is wrong with files ------------------------------------------------------------------------------------ */

typedef struct bad {
    const char *text, *message, *hint; /* the message without the file's name */
} bad;

static void check_bad(const bad *b, size_t size)
{
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    char message[256];
    snprintf(message, sizeof message, "s.yaml:%s", b->message);
    assert_int_equal(kanon__schema_parse(&schema, b->text, size, "s.yaml", &err), KANON_EDATA);
    assert_null(schema);
    assert_int_equal(err.status, KANON_EDATA);
    assert_string_equal(err.message, message);
    assert_string_equal(err.hint, b->hint);
    assert_int_equal(kanon__schema_parse(&schema, b->text, size, "s.yaml", NULL), KANON_EDATA);
}

#define ATTRIBUTE_KEYS \
    "valid keys are role, type, taxonomy, mask, weight, bands, top, bottom, format, decimal, thousands, order, permute, ends"
#define SCHEMA_KEYS                                                                                                         \
    "valid keys are missing, empty, header, encoding, decimal, thousands, default-role, key, entity, entity-together, "     \
    "algorithm, attributes, same, release, privacy, joint-k"
#define NO_ATTRIBUTES "write 'attributes:' and below it 'COLUMN: {role: ROLE}'"
#define A "attributes: {a: quasi}\n"
#define ATTR "attributes:\n  a: "

static void test_bad_keys(void **state)
{
    static const bad cases[] = {
        {"attributes:\n  age: {roel: quasi}\n", "2: column 9: unknown key 'roel'", "did you mean 'role'?"},
        {"attributes:\n  age: {zucchini: quasi}\n", "2: column 9: unknown key 'zucchini'", ATTRIBUTE_KEYS},
        {A "privcy: {k: 3}\n", "2: column 1: unknown key 'privcy'", "did you mean 'privacy'?"},
        {A "default_role: quasi\n", "2: column 1: unknown key 'default_role'", "did you mean 'default-role'?"},
        {A "privacy: {k: 3, epsilon: 1}\n", "2: column 17: unknown key 'epsilon'",
         "valid keys are k, suppress, suppressed, singled-out, joint-k, constraints"},
        {A "\"a\\nb\\e\\x7f\": 1\n", "2: column 1: unknown key 'a\\nb\\x1b\\x7f'", SCHEMA_KEYS},
        {A "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789: 1\n",
         "2: column 1: unknown key '0123456789012345678901234567890123456789012345678901234567890123456789012345...'",
         SCHEMA_KEYS},
        {A "k\xc3\xa9y90123456789012345678901234567890123456789012345678901234567890123456789\xc3\xa9.....: 1\n",
         "2: column 1: unknown key 'k\xc3\xa9y" /* the cut keeps the second accent whole by leaving it out */
         "90123456789012345678901234567890123456789012345678901234567890123456789...'",
         SCHEMA_KEYS},
        {A "privacy: {k: 2}\nprivacy: {k: 3}\n", "3: column 1: key 'privacy' is given twice, first on line 2", ""},
        {ATTR "quasi\n  b: quasi\n  a: quasi\n", "4: column 3: key 'a' is given twice, first on line 2", ""},
        {ATTR "{role: quasi,\n      role: quasi}\n", "3: column 7: key 'role' is given twice, first on line 2", ""},
        {A "algorithm: {name: x, s: 1, s: 2}\n", "2: column 28: key 's' is given twice, first on line 2", ""},
        {A "privacy:\n  constraints:\n    - model: t\n      t: 1\n      t: 2\n",
         "6: column 7: key 't' is given twice, first on line 5", ""},
        {A "? {a: b}\n: c\n", "2: column 3: expected a text as key, found a mapping", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check_bad(&cases[i], strlen(cases[i].text));
}

static void test_bad_kinds(void **state)
{
    static const bad cases[] = {
        {"", "1: column 1: no attributes", NO_ATTRIBUTES},
        {"# nothing\n\n", "1: column 1: no attributes", NO_ATTRIBUTES},
        {"---\n...\n", "1: column 1: no attributes", NO_ATTRIBUTES},
        {"privacy: {k: 3}\n", "1: column 1: no attributes", NO_ATTRIBUTES},
        {"privacy: {k: 3}\nattributes:\n", "2: column 1: no attributes", NO_ATTRIBUTES},
        {"- a\n", "1: column 1: expected a mapping with the key 'attributes', found a list", ""},
        {"attributes: [a, b]\n", "1: column 13: expected a mapping of column names to what they are, found a list", ""},
        {ATTR "[quasi]\n", "2: column 6: expected a role or a mapping, found a list", ""},
        {ATTR "{role: }\n", "2: column 13: expected a role, found nothing", ""},
        {ATTR "{taxonomy: [x.csv]}\n", "2: column 17: expected the path of a taxonomy or a mapping, found a list", ""},
        {A "missing: {a: b}\n", "2: column 10: expected a list of texts that mean \"no value\", found a mapping", ""},
        {A "missing:\n", "2: column 9: expected a list of texts that mean \"no value\", found nothing", ""},
        {A "missing: [?]\n", "2: column 11: expected a text, found a mapping",
         "write texts in quotes: [\"?\"]"},
        {A "privacy: 3\n", "2: column 10: expected a mapping such as {k: 10}, found a text", ""},
        {A "privacy: {constraints: {model: x}}\n", "2: column 24: expected a list of constraints, found a mapping", ""},
        {A "privacy: {constraints: [x]}\n",
         "2: column 25: expected a mapping such as {model: t-closeness, attribute: COLUMN, t: 0.3}, found a text", ""},
        {A "privacy: {constraints: [{model: x, l: [1]}]}\n", "2: column 39: expected a text or a number, found a list", ""},
        {A "privacy:\n  constraints:\n  - model: x\n  - l: 3\n    t: 4\n", "5: column 5: a constraint without a model",
         "write it as {model: t-closeness, attribute: COLUMN, t: 0.3}"},
        {A "algorithm: [x]\n",
         "2: column 12: expected the name of an algorithm or a mapping such as {name: ALGORITHM}, found a list", ""},
        {A "algorithm: {s: 5}\n", "2: column 1: an algorithm without a name",
         "write it as {name: ALGORITHM, SETTING: VALUE}"},
        {A "algorithm: {name: x, s: }\n", "2: column 25: expected a text or a number, found nothing", ""},
        {A "key: []\n", "2: column 6: the key names no column", ""},
        {A "key: [a, a]\n", "2: column 10: column 'a' is twice in the key", ""},
        {A "entity: \"\"\n", "2: column 9: expected the name of a column, found nothing", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check_bad(&cases[i], strlen(cases[i].text));
}

#define WEIGHT "a weight is a number above 0, at most 1000000"

static void test_bad_values(void **state)
{
    static const bad cases[] = {
        {ATTR "quasy\n", "2: column 6: there is no such role", "did you mean 'quasi'?"},
        {ATTR "{role: Cancer patient}\n", "2: column 13: there is no such role",
         "choose one of: quasi, sensitive, identifying, insensitive"},
        {A "default-role: sensitve\n", "2: column 15: there is no such role", "did you mean 'sensitive'?"},
        {ATTR "{type: int}\n", "2: column 13: there is no such type",
         "choose one of: integer, decimal, date, categorical, ordinal"},
        {ATTR "{type: decimals}\n", "2: column 13: there is no such type", "did you mean 'decimal'?"},
        {ATTR "{mask: middle}\n", "2: column 13: there is no such side", "choose one of: right, left"},
        {ATTR "{weight: 0}\n", "2: column 15: not a weight", WEIGHT},
        {ATTR "{weight: 1000000.5}\n", "2: column 15: not a weight", WEIGHT},
        {ATTR "{weight: heavy}\n", "2: column 15: not a weight", WEIGHT},
        {"attributes:\n  b: quasi\n  a: {taxonomy: x.csv, mask: left}\n", "3: column 3: 'a' has both a taxonomy and a mask",
         "remove one of the two"},
        {ATTR "{taxonomy: x.csv, type: integer}\n", "2: column 3: 'a' has a taxonomy but its type is integer",
         "remove one of the two"},
        {ATTR "{type: date, mask: right}\n", "2: column 3: 'a' has a mask but its type is date",
         "remove one of the two"},
        {A "privacy: {k: 1}\n", "2: column 14: not a whole number of at least 2", ""},
        {A "privacy:\n  k: 2.5\n", "3: column 6: not a whole number of at least 2", ""},
        {A "privacy: {k: }\n", "2: column 14: expected a whole number of at least 2, found nothing", ""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check_bad(&cases[i], strlen(cases[i].text));
}

static void test_bad_taxonomies(void **state)
{
    static const bad cases[] = {
        {ATTR "{taxonomy: {}}\n", "2: column 17: the taxonomy is empty", ""},
        {"attributes:\n  a:\n    taxonomy:\n      Cancer:\n      Viral:\n        - HIV\n        - Cancer\n",
         "7: column 11: this value is twice in the taxonomy, first on line 4", ""},
        {ATTR "{taxonomy: {Any: {x: , Any: }}}\n", "2: column 29: this value is twice in the taxonomy, first on line 2", ""},
        {ATTR "{taxonomy: {x: ,\n    \"*\": }}\n", "3: column 5: the taxonomy has '*' below its root, which is '*' too", ""},
        {ATTR "{taxonomy: {x: [y, [z]]}}\n", "2: column 25: expected a value of the taxonomy, found a list", ""},
        {ATTR "{taxonomy: {x: [y, \"\"]}}\n", "2: column 25: expected a value of the taxonomy, found nothing", ""},
        {ATTR "{taxonomy: {? {x: y}}}\n", "2: column 20: expected a value of the taxonomy, found a mapping", ""},
        {ATTR "{taxonomy: {Viral: HIV}}\n",
         "2: column 25: expected a mapping or a list of the values below, or nothing, found a text",
         "write a single value below another as [VALUE]"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check_bad(&cases[i], strlen(cases[i].text));
}

static void test_bad_yaml(void **state)
{
    static const bad cases[] = {
        {ATTR "&x {role: quasi}\n  b: *x\n", "3: column 6: aliases are not supported", "write the value out again"},
        {"attributes:\n\ta: quasi\n", "2: column 1: found character that cannot start any token",
         "indent with spaces, not tabs, and write texts that begin with a sign in quotes"},
        {A "---\nb: c\n", "2: column 1: a second document: a schema is a single one", ""},
        {A "entity: \"a\\0b\"\n", "2: column 9: a text with a NUL character", ""},
        {A "entity: a\n# \xff\n", "3: column 3: invalid leading UTF-8 octet", "a schema is UTF-8 text"},
        {A "entity: a\r\n# \xc3\xa9\xc3(\n", "3: column 5: invalid trailing UTF-8 octet", "a schema is UTF-8 text"},
        {A "# \x01\n", "2: column 3: control characters are not allowed", "a schema is UTF-8 text"},
        {"attributes: {a: {role: quasi}\nprivacy: {k: 2}\n", "2: column 1: did not find expected ',' or '}'",
         "while parsing a flow mapping that begins on line 1"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check_bad(&cases[i], strlen(cases[i].text));
    check_bad(&(bad){"a\0b", "1: column 2: control characters are not allowed", "a schema is UTF-8 text"}, 3);
}

/* `n` nested values of the taxonomy: the schema, attributes, a and taxonomy's own mapping are four levels above. */
static char *nested_schema(int n)
{
    char *text = calloc(1, 64 + 16 * (size_t)n);
    assert_non_null(text);
    char *at = stpcpy(text, "attributes: {a: {taxonomy: {r: ");
    for (int i = 0; i < n; i++)
        at += sprintf(at, "{v%d: ", i);
    for (int i = 0; i < n; i++)
        at = stpcpy(at, "}");
    strcpy(at, "}}}\n");
    return text;
}

static void test_depth(void **state)
{
    (void)state;
    char *text = nested_schema(60);
    kanon_schema *schema = parse(text);
    kanon__taxonomy *taxonomy = taxonomy_of(schema, "a");
    check_node(taxonomy, "r", NULL, 60);
    kanon__taxonomy_free(taxonomy);
    kanon_schema_free(schema);
    free(text);

    kanon_error err = KANON_INIT(kanon_error);
    for (int n = 61; n < 20000; n *= 5) {
        text = nested_schema(n);
        assert_int_equal(kanon__schema_parse(&schema, text, strlen(text), "s.yaml", &err), KANON_EDATA);
        assert_non_null(strstr(err.message, "nested more than 64 levels deep"));
        free(text);
    }
}

/* Values of the data must not show up, wherever they were put by mistake. */
static void test_messages_hold_no_values(void **state)
{
    static const char *const texts[] = {
        "attributes: {a: SECRET}\n",
        "attributes: {a: {role: SECRET}}\n",
        "attributes: {a: {weight: SECRET}}\n",
        "attributes: {a: {taxonomy: {x: SECRET}}}\n",
        "attributes: {a: {taxonomy: {SECRET: , x: [SECRET]}}}\n",
        "attributes: {a: {taxonomy: {SECRET: {}, SECRET: {}}}}\n",
        "attributes: {a: {taxonomy: {x: [SECRET, [SECRET]]}}}\n",
        "missing: [SECRET, [SECRET]]\n",
        "missing: {SECRET: }\n",
        A "privacy: {k: SECRET}\n",
        "SECRET\n",
        "- SECRET\n",
        "missing: [\"SECRET\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        kanon_schema *schema = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(kanon__schema_parse(&schema, texts[i], strlen(texts[i]), "s.yaml", &err), KANON_EDATA);
        assert_null(strstr(err.message, "SECRET"));
        assert_null(strstr(err.hint, "SECRET"));
    }
}

/* ---- files and memory -------------------------------------------------------------------------------------------- */

static void test_read_file(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    char dir[256], path[512], expected[1024];
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    snprintf(dir, sizeof dir, "%s/kanon-schema-XXXXXX", tmp != NULL ? tmp : "/tmp");
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/s.yaml", dir);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(example, file);
    fclose(file);
    assert_int_equal(kanon_schema_read(&schema, KANON_PATH(path), NULL, &err), KANON_OK);
    snprintf(expected, sizeof expected, "%s/taxonomies/workclass.csv", dir);
    assert_string_equal(kanon__schema_find(schema, "workclass")->said[KANON__COLUMN_TAXONOMY], expected);
    assert_string_equal(schema->path, path);
    assert_string_equal(kanon_schema_get(schema, "workclass", "taxonomy"), expected);
    assert_int_equal(kanon_schema_set_taxonomy(schema, "workclass", KANON_BYTES_AS("a;*\nb;*\n", 8, "tree"), &err),
                     KANON_OK);
    assert_null(kanon_schema_get(schema, "workclass", "taxonomy")); /* not in a file any more */
    assert_string_equal(kanon_schema_get(schema, "workclass", "role"), "quasi");
    assert_null(kanon_schema_get(schema, "nobody", "role"));
    kanon_schema_free(schema);

    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(kanon_schema_read(&schema, KANON_PATH(path), NULL, &err), KANON_EDATA);
    snprintf(expected, sizeof expected, "%s:1: column 1: no attributes", path);
    assert_string_equal(err.message, expected);
    assert_null(schema);
    unlink(path);
    assert_int_equal(kanon_schema_read(&schema, KANON_PATH(path), NULL, &err), KANON_EIO);
    assert_null(schema);
    rmdir(dir);
}

/* Everything that allocates, once. */
static kanon_status use_all(kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_schema *schema = NULL;
    bool empty_is_value = false;
    KANON_TRY(kanon__schema_parse(&schema, example, sizeof example - 1, "conf/s.yaml", err), out);
    KANON_TRY(kanon_schema_set(schema, "new", "role", "quasi", err), out);
    KANON_TRY(kanon_schema_set(schema, "newer", "type", "date", err), out);
    KANON_TRY(kanon_schema_set(schema, "workclass", "weight", "2.5", err), out);
    KANON_TRY(kanon_schema_set(schema, "newest", "weight", "2.5", err), out);
    KANON_TRY(kanon_schema_set_taxonomy(schema, "disease", KANON_PATH("d.csv"), err), out);
    KANON_TRY(kanon_schema_set_taxonomy(schema, "last", KANON_PATH("l.csv"), err), out);
    KANON_TRY(kanon_schema_set(schema, NULL, "missing", "x", err), out);
    KANON_TRY(kanon_schema_set(schema, NULL, "missing", "y", err), out);
out:
    if (st != KANON_OK && schema != NULL) {
        /* A call that failed leaves the schema as it was. */
        const kanon__attribute *last = &schema->attributes[schema->n_attributes - 1];
        assert_true(last->said[KANON__COLUMN_TAXONOMY] == NULL || strcmp(last->name, "last") == 0);
        assert_int_equal(schema->missing.n, empty_is_value ? 1 : 2);
        assert_true(schema->n_constraints == 5 || schema->n_constraints == 7);
        assert_true(schema->same.n == 0 || schema->same.n == 6);
        assert_true(schema->said[KANON__WHOLE_SAME] == NULL || schema->same.n == 6);
    }
    kanon_schema_free(schema);
    return st;
}

static void test_memory_failures(void **state)
{
    (void)state;
    for (int and_all_after = 0; and_all_after < 2; and_all_after++) {
        int64_t n = 0;
        kanon_status st = KANON_ENOMEM;
        while (st == KANON_ENOMEM) {
            kanon_error err = KANON_INIT(kanon_error);
            kanon__alloc_fail_at(++n, and_all_after);
            st = use_all(&err);
            kanon__alloc_fail_at(0, false);
            assert_int_equal(st, err.status);
            assert_true(n < 10000);
        }
        assert_int_equal(st, KANON_OK);
        assert_true(n > 100); /* every key and every value is kept in memory of its own */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_attributes),
        cmocka_unit_test(test_example_rest),
        cmocka_unit_test(test_adult),
        cmocka_unit_test(test_short_forms),
        cmocka_unit_test(test_role_words),
        cmocka_unit_test(test_type_words),
        cmocka_unit_test(test_missing_texts),
        cmocka_unit_test(test_settings_keep_order_and_text),
        cmocka_unit_test(test_many_attributes),
        cmocka_unit_test(test_inline_taxonomies),
        cmocka_unit_test(test_byte_order_mark),
        cmocka_unit_test(test_bad_keys),
        cmocka_unit_test(test_bad_kinds),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_bad_taxonomies),
        cmocka_unit_test(test_bad_yaml),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_messages_hold_no_values),
        cmocka_unit_test(test_read_file),
        cmocka_unit_test(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
