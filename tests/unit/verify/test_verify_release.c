/* The check of CSV releases, where others of its tests do not look: bands, quoted categories, means, values in
 * two ways, rows that are none of the table's, and lines that are cut or go on. */
#include "support.h"
#include "table/read/csv_source.h"
#include "verify/verify.h"

typedef struct checked_release {
    const char *yaml, *csv;
    const int32_t *group_of;
    int64_t n_groups;
    kanon_numeric numeric;
    bool mapping;
    const char *const *texts; /* what groups show, all in one run */
} checked_release;

enum { MOST_ROWS = 8 };
#define GROUPS(...) ((const int32_t[]){__VA_ARGS__})
#define TEXTS(...) ((const char *const[]){__VA_ARGS__})

/* The status of the check; every line is what the group shows, unless `lines` says otherwise. */
static kanon_status check(const checked_release *r, const char *const *lines, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_table *table = table_of(r->yaml, r->csv);
    const kanon__csv_source *source = (const kanon__csv_source *)table->source;
    kanon__verifier *v = NULL;
    kanon__csv csv = {0};
    bool has_row;
    assert_done(kanon__verifier_new(&v, table, r->group_of, r->n_groups, r->numeric, r->mapping, err), err);
    assert_int_equal(kanon__verifier_runs(v), 1);
    assert_done(kanon__csv_open(&csv, &source->input, &source->options, err), err);
    for (int64_t group = 0; st == KANON_OK && group < r->n_groups; group++)
        st = kanon__verifier_text(v, group, 0, r->texts[group], strlen(r->texts[group]), err);
    for (int64_t row = 0; st == KANON_OK && row < table->data.n_rows; row++) {
        char line[200];
        assert_done(kanon__csv_next(&csv, &has_row, err), err);
        kanon__cursor here = {.cells = csv.cells, .begin = csv.row_begin, .end = csv.position};
        snprintf(line, sizeof line, "%s", lines != NULL ? lines[row] : r->texts[r->group_of[row]]);
        if (lines == NULL)
            strcat(line, "\n");
        st = kanon__verifier_row(v, row, &here, line, strlen(line), err);
    }
    const kanon__requirement required = {.policy = &table->policy, .k = 2, .most_suppressed = -1};
    if (st == KANON_OK)
        st = kanon__verifier_finish(v, &required, 1, err);
    kanon__csv_close(&csv);
    kanon__verifier_free(v);
    kanon_table_free(table);
    return st;
}

static void assert_good(const checked_release *r)
{
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(check(r, NULL, &err), &err);
}

static void assert_bad(checked_release r, const char *const *texts)
{
    kanon_error err = KANON_INIT(kanon_error);
    r.texts = texts;
    if (check(&r, NULL, &err) != KANON_EINTERNAL)
        fail_msg("'%s' and '%s' are not refused", texts[0], texts[1]);
}

/* A number must lie in the bands that its group shows, and the bands must be those of the schema. */
static void bands(void **state)
{
    checked_release r = {.yaml = "missing: '?'\nattributes: {age: {role: quasi, bands: 10, top: 90}}\n",
                         .csv = "age\n10\n19\n25\n29\n?\n?\n90\n99\n",
                         .group_of = GROUPS(0, 0, 1, 1, 2, 2, 3, 3),
                         .n_groups = 4,
                         .texts = TEXTS("[10..19]", "[20..29]", "?", "[90..]")};
    (void)state;
    assert_good(&r);
    assert_bad(r, TEXTS("[0..9]", "[20..29]", "?", "[90..]"));        /* too low for 10 */
    assert_bad(r, TEXTS("[20..29]", "[20..29]", "?", "[90..]"));      /* too high */
    assert_bad(r, TEXTS("[11..19]", "[20..29]", "?", "[90..]"));      /* no band begins there */
    assert_bad(r, TEXTS("[10..18]", "[20..29]", "?", "[90..]"));      /* nor ends there */
    assert_bad(r, TEXTS("?", "[20..29]", "?", "[90..]"));             /* numbers are not missing */
    assert_bad(r, TEXTS("[10..19]", "[20..29]", "[0..9]", "[90..]")); /* and missing ones are no numbers */
    assert_bad(r, TEXTS("[10..19]", "[20..29]", "?", "[80..89]"));
    assert_bad(r, TEXTS("[10..19]", "[20..29]", "?", "[91..]"));
    assert_bad(r, TEXTS("[10..19]", "[20..29]", "?", "[..90]"));
    assert_bad(r, TEXTS("[10..19]", "[20..29]", "?", "[..]"));
    assert_bad(r, TEXTS("[10..9223372036854775807]", "[20..29]", "?", "[90..]"));
    r.texts = TEXTS("*", "[10..29]", "*", "[90..]"); /* wider is no fault */
    assert_good(&r);
}

/* Two columns; an open end is empty, and so may be the text for "missing". */
static void bands_in_two_columns(void **state)
{
    checked_release r = {.yaml = "missing: ''\nattributes: {age: {role: quasi, bands: 10, top: 90}}\n",
                         .csv = "age\n10\n19\n90\n99\n\"\"\n\"\"\n",
                         .group_of = GROUPS(0, 0, 1, 1, 2, 2),
                         .n_groups = 3,
                         .numeric = KANON_NUMERIC_COLUMNS,
                         .texts = TEXTS("10,19", "90,", ",")};
    (void)state;
    assert_good(&r);
    assert_bad(r, TEXTS("10,19", ",", ","));
    assert_bad(r, TEXTS("10,19", "90,99", ","));
    assert_bad(r, TEXTS("10,19", "90,", "90,"));
    assert_bad(r, TEXTS("10,19", "x,", ","));
}

/* Categories with quotes in them; their doubled quotes are one each. */
static void quoted_categories(void **state)
{
    const checked_release r = {.yaml = "attributes: {word: {role: quasi}}\n",
                               .csv = "word\n\"say \"\"hi\"\"\"\n\"say \"\"hi\"\"\"\n\"a,b\"\n\"a,b\"\n",
                               .group_of = GROUPS(0, 0, 1, 1),
                               .n_groups = 2,
                               .texts = TEXTS("\"say \"\"hi\"\"\"", "\"a,b\"")};
    (void)state;
    assert_good(&r);
    assert_bad(r, TEXTS("\"a,b\"", "\"a,b\""));
    assert_bad(r, TEXTS("\"say \"\"hi\"\"\"", "\"say \"\"hi\"\"\""));
    assert_bad(r, TEXTS("\"say \"\"hi\"\"", "\"a,b\"")); /* the quotes do not end */
    assert_bad(r, TEXTS("\"say \"\"ho\"\"\"", "\"a,b\""));
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *one = table_of(r.yaml, "word\nab\nab\n"); /* nor do these, whatever follows them in memory */
    kanon__verifier *v = NULL;
    assert_done(kanon__verifier_new(&v, one, GROUPS(0, 0), 1, KANON_NUMERIC_INTERVAL, false, &err), &err);
    assert_int_equal(kanon__verifier_text(v, 0, 0, "\"ab,", 3, &err), KANON_EINTERNAL);
    assert_int_equal(kanon__verifier_text(v, 0, 0, "\"ab,,", 3, &err), KANON_EINTERNAL); /* whatever comes behind it */
    assert_done(kanon__verifier_text(v, 0, 0, "\"ab\",", 4, &err), &err);
    kanon__verifier_free(v);
    kanon_table_free(one);
    /* the code of another word, which is longer, shorter, or the same in part */
    kanon_table *table = table_of(r.yaml, "word\n\"a\"\"\"\n\"a\"\"\"\"\"\n\"b\"\"\"\n\"a\"\"\"\n");
    kanon_grouping *grouping = grouping_of(table, (const int64_t[]){1, 1, 1, 1});
    place release = scratch("release.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    for (int64_t row = 0; row < 3; row++) {
        kanon__codes codes = table->data.columns[0].codes;
        uint32_t code = kanon__code_at(codes, row);
        kanon__code_set(codes, row, kanon__code_at(codes, (row + 1) % 3));
        assert_int_equal(kanon_publish(table, grouping, &outputs, &err), KANON_EINTERNAL);
        kanon__code_set(codes, row, code);
    }
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* A mean can be the number that means "missing"; then it may stand for either, in a group that it fits. */
static void means_that_look_missing(void **state)
{
    const checked_release r = {.yaml = "missing: '15'\nattributes: {age: {role: quasi, type: integer}}\n",
                               .csv = "age\n10\n20\n15\n15\n30\n40\n",
                               .group_of = GROUPS(0, 0, 1, 1, 2, 2),
                               .n_groups = 3,
                               .numeric = KANON_NUMERIC_MEAN,
                               .texts = TEXTS("15", "15", "35")};
    (void)state;
    assert_good(&r);
    assert_bad(r, TEXTS("15", "15", "15"));
    assert_bad(r, TEXTS("15", "35", "35"));
}

/* Each column has means of its own; no group's mean is that of another. */
static void means_of_two_columns(void **state)
{
    const checked_release r = {.yaml = "attributes: {a: {role: quasi}, b: {role: quasi}}\n",
                               .csv = "a,b\n1,50\n3,70\n21,80\n23,90\n",
                               .group_of = GROUPS(0, 0, 1, 1),
                               .n_groups = 2,
                               .numeric = KANON_NUMERIC_MEAN,
                               .texts = TEXTS("2,60", "22,85")};
    (void)state;
    assert_good(&r);
    assert_bad(r, TEXTS("22,60", "22,85"));
    assert_bad(r, TEXTS("2,85", "22,85"));
    assert_bad(r, TEXTS("2,60", "2,85"));
    assert_bad(r, TEXTS("2,60", "22,60"));
    assert_bad(r, TEXTS("2,2", "22,85"));
}

/* Where a release maps values, two groups with the same value show the same. */
static void one_value_in_two_ways(void **state)
{
    checked_release r = {.yaml = "attributes: {a: {role: quasi}, b: {role: quasi}}\n",
                         .csv = "a,b\n1,5\n2,5\n2,8\n3,8\n",
                         .group_of = GROUPS(0, 0, 1, 1),
                         .n_groups = 2,
                         .texts = TEXTS("[1..3],5", "[1..3],8")};
    (void)state;
    r.mapping = true;
    assert_good(&r);
    assert_bad(r, TEXTS("[1..2],5", "[1..3],8"));
    assert_bad(r, TEXTS("[1..3],5", "[2..3],8"));
    r.mapping = false;
    r.texts = TEXTS("[1..2],5", "[2..3],8");
    assert_good(&r);
}

/* Every byte of a line counts, and where it ends. */
static void lines(void **state)
{
    static const char *const bad[] = {"[1..2],x", "[1..2],x\nx", "[1..3],x\n",  "[1..2],y\n",  "[1..2]x\n",   "",
                                      "[1..2]",   "[1..2],",     "[1..2],xx\n", "x[1..2],x\n", "[1..2],x\r\n"};
    const checked_release r = {.yaml = "default-role: insensitive\nattributes: {a: {role: quasi}}\n",
                               .csv = "a,s\n1,x\n2,x\n",
                               .group_of = GROUPS(0, 0),
                               .n_groups = 1,
                               .texts = TEXTS("[1..2]")};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    assert_done(check(&r, TEXTS("[1..2],x\n", "[1..2],x\n"), &err), &err);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int second = 0; second < 2; second++)
            if (check(&r, second ? TEXTS("[1..2],x\n", bad[i]) : TEXTS(bad[i], "[1..2],x\n"), &err) != KANON_EINTERNAL)
                fail_msg("line '%s' is not refused", bad[i]);
}

/* A row that is none of the table's, or stands elsewhere in the input. */
static void rows(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_table *table = table_of("attributes: {a: {role: quasi}}\n", "a\n1\n2\n");
    const kanon__csv_source *source = (const kanon__csv_source *)table->source;
    kanon__verifier *v = NULL;
    kanon__csv csv = {0};
    bool has_row;
    assert_done(kanon__verifier_new(&v, table, GROUPS(0, 0), 1, KANON_NUMERIC_INTERVAL, false, &err), &err);
    assert_done(kanon__verifier_text(v, 0, 0, "[1..2]", 6, &err), &err);
    assert_done(kanon__csv_open(&csv, &source->input, &source->options, &err), &err);
    assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
    kanon__cursor here = {.cells = csv.cells, .begin = csv.row_begin, .end = csv.position};
    static const int64_t none[] = {-1, 2, 3};
    for (int i = 0; i < 3; i++)
        assert_int_equal(kanon__verifier_row(v, none[i], &here, "[1..2]\n", 7, &err), KANON_EINTERNAL);
    kanon__cursor wrong = here;
    wrong.begin = here.end + 1;
    assert_int_equal(kanon__verifier_row(v, 0, &wrong, "[1..2]\n", 7, &err), KANON_EINTERNAL);
    wrong = here;
    wrong.end = 1000;
    assert_int_equal(kanon__verifier_row(v, 0, &wrong, "[1..2]\n", 7, &err), KANON_EINTERNAL);
    wrong = here;
    wrong.end = here.end - 1;
    kanon_status st = kanon__verifier_row(v, 0, &wrong, "[1..2]\n", 7, &err);
    if (st == KANON_OK) { /* then the next row does not begin where this one ends */
        const kanon__requirement required = {.policy = &table->policy, .k = 2, .most_suppressed = -1};
        st = kanon__verifier_finish(v, &required, 1, &err);
    }
    assert_int_equal(st, KANON_EINTERNAL);
    kanon__csv_close(&csv);
    kanon__verifier_free(v);
    kanon_table_free(table);
}

/* Which row of a group shows a permuted cell is not asked, but each cell is there as often as in the table, byte by byte. */
static void permuted_cells(void **state)
{
    checked_release r = {.yaml = "attributes: {a: quasi, s: {role: sensitive, permute: true}, n: insensitive}\n",
                         .csv = "a,s,n\n1,x,i\n1,\"y\"\"\",j\n2,x,k\n2,z,l\n",
                         .group_of = GROUPS(0, 0, 1, 1),
                         .n_groups = 2,
                         .texts = TEXTS("1", "2")};
    static const char *const good[][4] = {{"1,x,i\n", "1,\"y\"\"\",j\n", "2,x,k\n", "2,z,l\n"},
                                          {"1,\"y\"\"\",i\n", "1,x,j\n", "2,z,k\n", "2,x,l\n"}};
    static const char *const bad[][4] = {{"1,x,i\n", "1,x,j\n", "2,x,k\n", "2,z,l\n"},          /* one is there twice */
                                         {"1,x,i\n", "1,,j\n", "2,x,k\n", "2,z,l\n"},           /* one is dropped */
                                         {"1,z,i\n", "1,\"y\"\"\",j\n", "2,x,k\n", "2,x,l\n"}, /* one has left its group */
                                         {"1,x,i\n", "1,\"y\",j\n", "2,x,k\n", "2,z,l\n"},      /* another spelling */
                                         {"1,x ,i\n", "1,\"y\"\"\",j\n", "2,x,k\n", "2,z,l\n"},
                                         {"1,x,j\n", "1,\"y\"\"\",i\n", "2,x,k\n", "2,z,l\n"}, /* another column moves */
                                         {"1,x,i\n", "1,\"y\"\",j\n", "2,x,k\n", "2,z,l\n"},
                                         {"1,x,i,\n", "1,\"y\"\"\",j\n", "2,x,k\n", "2,z,l\n"}};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_done(check(&r, good[i], &err), &err);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (check(&r, bad[i], &err) != KANON_EINTERNAL)
            fail_msg("release %zu is not refused", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands),
        cmocka_unit_test(bands_in_two_columns),
        cmocka_unit_test(quoted_categories),
        cmocka_unit_test(means_that_look_missing),
        cmocka_unit_test(means_of_two_columns),
        cmocka_unit_test(one_value_in_two_ways),
        cmocka_unit_test(lines),
        cmocka_unit_test(rows),
        cmocka_unit_test(permuted_cells),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
