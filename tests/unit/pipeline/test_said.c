/* Options as text: they do what the fields do, win over them, and what is wrong is told in the words of the options. */
#include "support.h"

#include "table/schema/said_options.h"

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

/* ---- values ------------------------------------------------------------------------------------------------------- */

typedef struct target {
    int64_t k, blocks, memory, seed;
    int threads, shuffle, numeric, recode;
    const char *effort;
} target;

static const kanon__said_option rows[] = {
    {"k", KANON__SAID_INT64, offsetof(target, k)},
    {"blocks", KANON__SAID_INT64, offsetof(target, blocks)},
    {"memory", KANON__SAID_INT64, offsetof(target, memory)},
    {"shuffle_seed", KANON__SAID_INT64, offsetof(target, seed)},
    {"threads", KANON__SAID_INT, offsetof(target, threads)},
    {"shuffle", KANON__SAID_INT, offsetof(target, shuffle)},
    {"numeric", KANON__SAID_INT, offsetof(target, numeric)},
    {"recode", KANON__SAID_INT, offsetof(target, recode)},
    {"effort", KANON__SAID_TEXT, offsetof(target, effort)},
};

static kanon_status take(target *f, const kanon_setting *said, size_t n, kanon_error *err)
{
    return kanon__said_take(f, rows, N_OF(rows), said, n, err);
}

static void values(void **state)
{
    static const kanon_setting said[] = {{"k", "7"},           {"blocks", "1000"},  {"memory", "2G"},   {"threads", "3"},
                                         {"numeric", "mean"},  {"recode", "attribute"}, {"effort", "best"}};
    static const struct {
        const char *text;
        int64_t bytes;
    } sizes[] = {{"1", 1}, {"500M", INT64_C(500) << 20}, {"3K", 3072}, {"1T", INT64_C(1) << 40}};
    kanon_error err = KANON_INIT(kanon_error);
    target f = {.k = 2, .threads = 9};
    (void)state;
    assert_done(take(&f, said, N_OF(said), &err), &err);
    assert_int_equal(f.k, 7);
    assert_int_equal(f.blocks, 1000);
    assert_int_equal(f.memory, INT64_C(2) << 30);
    assert_int_equal(f.threads, 3);
    assert_int_equal(f.numeric, KANON_NUMERIC_MEAN);
    assert_int_equal(f.recode, KANON_RECODE_ATTRIBUTE);
    assert_string_equal(f.effort, "best");
    assert_int_equal(f.shuffle, 0);
    for (size_t i = 0; i < N_OF(sizes); i++) {
        assert_done(take(&f, &(kanon_setting){"memory", sizes[i].text}, 1, &err), &err);
        assert_int_equal(f.memory, sizes[i].bytes);
    }
    assert_done(take(&f, (kanon_setting[]){{"blocks", "none"}, {"shuffle-seed", "9007199254740991"}}, 2, &err), &err);
    assert_int_equal(f.blocks, KANON_BLOCKS_NONE);
    assert_int_equal(f.seed, KANON_SEED_MAX);
    assert_int_equal(f.shuffle, 1); /* a seed asks for it */
    assert_done(take(&f, (kanon_setting[]){{"blocks", "auto"}, {"shuffle", "false"}, {"k", "3"}, {"k", "4"}}, 4, &err),
                &err);
    assert_int_equal(f.blocks, 0);
    assert_int_equal(f.shuffle, 0);
    assert_int_equal(f.k, 4); /* the last one */
    assert_done(take(&f, (kanon_setting[]){{"shuffle_seed", "0"}}, 1, &err), &err); /* as languages spell it */
    assert_int_equal(f.seed, 0);
    assert_int_equal(f.shuffle, 1);
}

static void wrong_values(void **state)
{
    static const struct {
        kanon_setting said;
        const char *message, *hint;
    } cases[] = {
        {{"k", "1"}, "k must be a whole number, 2 or more", ""},
        {{"k", "many"}, "k must be a whole number, 2 or more", ""},
        {{"k", "99999999999999999999"}, "k must be a whole number, 2 or more", ""},
        {{"threads", "0"}, "threads must be a whole number from 1 to 1024", ""},
        {{"threads", "2000"}, "threads must be a whole number from 1 to 1024", ""},
        {{"shuffle-seed", "-1"}, "shuffle-seed must be a whole number from 0 to 9007199254740991", ""},
        {{"shuffle-seed", "9007199254740992"}, "shuffle-seed must be a whole number from 0 to 9007199254740991", ""},
        {{"blocks", "1"}, "blocks must be a whole number from 2 upwards, auto or none", ""},
        {{"blocks", "all"}, "blocks must be a whole number from 2 upwards, auto or none", ""},
        {{"memory", "0"}, "memory must be a number of bytes such as 500M or 2G", ""},
        {{"memory", "G"}, "memory must be a number of bytes such as 500M or 2G", ""},
        {{"memory", ""}, "memory must be a number of bytes such as 500M or 2G", ""},
        {{"memory", "9000000T"}, "memory must be a number of bytes such as 500M or 2G", ""},
        {{"memory", "2GB"}, "memory must be a number of bytes such as 500M or 2G", ""},
        {{"shuffle", "perhaps"}, "shuffle: there is no such word", "choose one of: false, true"},
        {{"numeric", "default"}, "numeric: there is no such word", "choose one of: interval, range, mean, columns"},
        {{"numeric", "men"}, "numeric: there is no such word", "did you mean 'mean'?"},
        {{"seed", "1"}, "there is no option 'seed' here",
         "choose one of: k, blocks, memory, shuffle-seed, threads, shuffle, numeric, recode, effort"},
        {{"effrot", "best"}, "there is no option 'effrot' here", "did you mean 'effort'?"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        kanon_error err = KANON_INIT(kanon_error);
        target f = {0};
        assert_int_equal(take(&f, &cases[i].said, 1, &err), KANON_EINVAL);
        assert_string_equal(err.message, cases[i].message);
        assert_string_equal(err.hint, cases[i].hint);
        assert_int_equal(take(&f, &cases[i].said, 1, NULL), KANON_EINVAL);
    }
}

/* ---- calls -------------------------------------------------------------------------------------------------------- */

static const char csv[] = "age,zip\n31,10115\n34,10117\n36,10119\n58,80331\n61,80333\n63,80335\n77,80337\n80,80339\n";
static const char yaml[] = "attributes: {age: quasi, zip: {role: quasi, mask: right}}\n";

static kanon_grouping *grouped(const kanon_table *table, const kanon_options *options)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_anonymize(&grouping, table, options, &err), &err);
    return grouping;
}

static void same_groups(const kanon_table *table, const kanon_options *left, const kanon_options *right)
{
    kanon_grouping *a = grouped(table, left), *b = grouped(table, right);
    for (int64_t row = 0; row < kanon_table_rows(table); row++)
        assert_int_equal(kanon_grouping_group_of(a, row), kanon_grouping_group_of(b, row));
    assert_string_equal(kanon_grouping_describe(a)->algorithm, kanon_grouping_describe(b)->algorithm);
    kanon_grouping_free(a);
    kanon_grouping_free(b);
}

/* What is said counts, also over a field that says something else, and is checked where the field would be. */
static void runs(void **state)
{
    static const kanon_setting said[] = {{"k", "3"},       {"algorithm", "kmember"}, {"seed", "7"},  {"suppress", "0.2"},
                                         {"refine", "none"}, {"threads", "1"},         {"blocks", "none"}};
    (void)state;
    kanon_table *table = table_of(yaml, csv);
    kanon_options fields = {.struct_size = sizeof fields, .k = 3, .algorithm = "kmember", .seed = 7, .suppress = "0.2",
                            .refine = "none", .threads = 1, .blocks = KANON_BLOCKS_NONE};
    kanon_options texts = {.struct_size = sizeof texts, .said = said, .n_said = N_OF(said)};
    same_groups(table, &fields, &texts);
    texts.k = 2, texts.algorithm = "mondrian", texts.seed = 1, texts.blocks = 4;
    same_groups(table, &fields, &texts);
    static const struct {
        kanon_setting said;
        const char *message;
    } wrong[] = {{{"k", "1"}, "k must be a whole number, 2 or more"},
                 {{"algorithm", "magic"}, "there is no algorithm 'magic'"},
                 {{"suppress", "2"}, "suppress: not a share of the records"},
                 {{"numeric", "mean"}, "there is no option 'numeric' here"},
                 {{"recode", "both"}, "recode: there is no such word"}};
    for (size_t i = 0; i < N_OF(wrong); i++) {
        kanon_grouping *grouping = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        kanon_setting both[] = {{"k", "2"}, wrong[i].said};
        kanon_options o = {.struct_size = sizeof o, .said = both, .n_said = 2};
        assert_int_equal(kanon_anonymize(&grouping, table, &o, &err), KANON_EINVAL);
        assert_holds(err.message, wrong[i].message);
        assert_null(grouping);
    }
    kanon_table_free(table);
}

static void releases(void **state)
{
    (void)state;
    kanon_table *table = table_of(yaml, csv);
    kanon_grouping *grouping =
        grouped(table, &(kanon_options){.struct_size = sizeof(kanon_options), .k = 2, .algorithm = "kmember"});
    place one = scratch("one.csv"), other = scratch("other.csv");
    kanon_error err = KANON_INIT(kanon_error);
    kanon_outputs fields = {.struct_size = sizeof fields, .release = KANON_TO_PATH(one.text),
                            .numeric = KANON_NUMERIC_MEAN, .shuffle_seed = 3};
    kanon_setting said[] = {{"numeric", "mean"}, {"shuffle-seed", "3"}, {"threads", "1"}};
    kanon_outputs texts = {.struct_size = sizeof texts, .release = KANON_TO_PATH(other.text), .said = said, .n_said = 3,
                           .numeric = KANON_NUMERIC_RANGE};
    assert_done(kanon_publish(table, grouping, &fields, &err), &err);
    assert_done(kanon_publish(table, grouping, &texts, &err), &err);
    char *expected = read_text(one.text);
    assert_file(other.text, expected);
    free(expected);
    said[0].value = "median";
    assert_int_equal(kanon_publish(table, grouping, &texts, &err), KANON_EINVAL);
    assert_string_equal(err.message, "numeric: there is no such word");
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static void tables(void **state)
{
    static const kanon_setting said[] = {{"strict", "true"}, {"threads", "1"}};
    (void)state;
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_schema_new(&schema, NULL, &err), &err);
    assert_done(kanon_schema_set(schema, "age", "role", "quasi", &err), &err);
    kanon_read_options o = {.struct_size = sizeof o};
    assert_done(kanon_table_read(&table, KANON_BYTES(csv, sizeof csv - 1), schema, &o, &err), &err);
    kanon_table_free(table);
    o.said = said, o.n_said = 2;
    assert_int_equal(kanon_table_read(&table, KANON_BYTES(csv, sizeof csv - 1), schema, &o, &err), KANON_EDATA);
    assert_null(table);
    o.said = &(kanon_setting){"strict", "maybe"}, o.n_said = 1;
    assert_int_equal(kanon_table_read(&table, KANON_BYTES(csv, sizeof csv - 1), schema, &o, &err), KANON_EINVAL);
    assert_string_equal(err.message, "strict: there is no such word");
    kanon_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),   cmocka_unit_test(wrong_values), cmocka_unit_test(runs),
        cmocka_unit_test(releases), cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
