/* What kanon_check_read finds in released files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/alloc.h"
#include "core/random.h"
#include "table/schema/schema.h"

static char directory[256], release_path[300], taxonomy_path[300];

static int make_directory(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    snprintf(directory, sizeof directory, "%s/kanon-check-XXXXXX", temporary != NULL ? temporary : "/tmp");
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(release_path, sizeof release_path, "%s/release.csv", directory);
    snprintf(taxonomy_path, sizeof taxonomy_path, "%s/taxonomy.csv", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(release_path);
    unlink(taxonomy_path);
    return rmdir(directory);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* ---- schemas in short: "name:i age:qn city:q disease:s" ---------------------------------------------------------- */

static kanon_schema *make_schema(const char *description)
{
    static const char roles[] = "niqs";  /* in the order of kanon_role */
    static const char types[] = "?ndtc"; /* number, decimal, time, category, in the order of kanon_type */
    kanon_schema *schema = NULL;
    assert_int_equal(kanon_schema_new(&schema, NULL, NULL), KANON_OK);
    char copy[512];
    snprintf(copy, sizeof copy, "%s", description);
    for (char *rest = NULL, *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        char *colon = strrchr(word, ':');
        *colon = '\0';
        const char *role = kanon_enum_text(KANON_ENUM_ROLE, (int)(strchr(roles, colon[1]) - roles));
        assert_int_equal(kanon_schema_set(schema, word, "role", role, NULL), KANON_OK);
        if (colon[2] != '\0') {
            const char *type = kanon_enum_text(KANON_ENUM_TYPE, (int)(strchr(types, colon[2]) - types));
            assert_int_equal(kanon_schema_set(schema, word, "type", type, NULL), KANON_OK);
        }
    }
    assert_int_equal(kanon_schema_set(schema, NULL, "missing", "?", NULL), KANON_OK);
    return schema;
}

static void add_same(kanon_schema *schema, const char *text, const char *other)
{
    char list[128];
    snprintf(list, sizeof list, "['%s', '%s']", text, other);
    assert_int_equal(kanon_schema_set(schema, NULL, "same", list, NULL), KANON_OK);
}

/* That the sensitive column has two values in every group. */
static void add_diversity(kanon_schema *schema, const char *column)
{
    char text[128];
    snprintf(text, sizeof text, "model=distinct-l-diversity,attribute=%s,l=2", column);
    assert_int_equal(kanon_schema_set(schema, NULL, "constraint", text, NULL), KANON_OK);
}

static kanon_check *check_with(const kanon_schema *schema, const char *text, const kanon_check_options *options)
{
    kanon_check *check = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    write_file(release_path, text);
    if (kanon_check_read(&check, KANON_PATH(release_path), schema, options, &err) != KANON_OK)
        fail_msg("%s; %s", err.message, err.hint);
    assert_non_null(check);
    return check;
}

static kanon_check *check_text(const char *description, const char *text)
{
    kanon_schema *schema = make_schema(description);
    kanon_check *check = check_with(schema, text, NULL);
    kanon_schema_free(schema);
    return check;
}

static void expect_classes(const char *description, const char *text, int64_t records, int64_t classes, int64_t k)
{
    kanon_check *check = check_text(description, text);
    if (check->records != records || check->classes != classes || check->k != k)
        fail_msg("%lld records in %lld classes, k = %lld; not %lld, %lld, %lld, in\n%s", (long long)check->records,
                 (long long)check->classes, (long long)check->k, (long long)records, (long long)classes, (long long)k, text);
    kanon_check_free(check);
}

static void expect_failure(const char *description, const char *text, kanon_status status, const char *message)
{
    kanon_schema *schema = make_schema(description);
    kanon_check *check = (kanon_check *)schema;
    kanon_error err = KANON_INIT(kanon_error);
    write_file(release_path, text);
    assert_int_equal(kanon_check_read(&check, KANON_PATH(release_path), schema, NULL, &err), status);
    assert_null(check);
    assert_non_null(strstr(err.message, message));
    assert_int_equal(kanon_check_read(&check, KANON_PATH(release_path), schema, NULL, NULL), status);
    kanon_schema_free(schema);
}

enum { N_FIGURES = 13, HOMOGENEOUS = 5 }; /* of a sensitive column, and the place of one */

/* distinct_l of the i-th sensitive column. */
static const kanon_privacy_figure *nth_distinct(const kanon_check *check, size_t i)
{
    assert_true(i * N_FIGURES < check->n_figures);
    assert_string_equal(check->figures[i * N_FIGURES]->figure, "distinct_l");
    assert_string_equal(check->figures[i * N_FIGURES]->model, "distinct-l-diversity");
    return check->figures[i * N_FIGURES];
}

static bool has_line(const char *const *lines, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(lines[i], text) == 0)
            return true;
    return false;
}

static bool is_not_shown(const kanon_check *check, const char *text)
{
    return has_line(check->not_shown, check->n_not_shown, text);
}

static bool has_warning(const kanon_check *check, const char *text)
{
    return has_line(check->warnings, check->n_warnings, text);
}

/* ---- the papers' tables ------------------------------------------------------------------------------------------ */

static const char hospital[] = "ZipCode:qc Gender:qc Age:qn Disease:s Expense:s";

static void lin_table_2(void **state)
{
    (void)state;
    kanon_check *check = check_text(hospital, "ZipCode,Gender,Age,Disease,Expense\n"
                                              "7527*,Person,[21-30],Flu,100\n"
                                              "7527*,Person,[21-30],Cancer,3000\n"
                                              "7527*,Person,[21-30],HIV+,5000\n"
                                              "7527*,Person,[31-40],Diabetes,2500\n"
                                              "7527*,Person,[31-40],Diabetes,2800\n"
                                              "7527*,Person,[31-40],Diabetes,2600\n");
    assert_int_equal(check->records, 6);
    assert_int_equal(check->classes, 2);
    assert_int_equal(check->k, 3);
    assert_int_equal(check->suppressed, 0);
    assert_int_equal(check->n_warnings, 1); /* three of six records are known to have diabetes */
    assert_true(has_warning(check, "50 % of the records are in groups with one value of Disease; consider "
                                   "distinct-l-diversity"));
    assert_int_equal(check->identifying_columns, 0);
    assert_int_equal(check->n_smallest, 1);
    assert_int_equal(check->smallest[0]->size, 3);
    assert_int_equal(check->smallest[0]->classes, 2);
    assert_true(check->average_class_size == 3);
    assert_true(check->highest_risk == 1.0 / 3);
    assert_true(check->average_risk == 2.0 / 6);
    assert_true(check->share_at_risk == 1); /* 1/3 > 0.2 */
    assert_int_equal(check->n_figures, 2 * N_FIGURES + 2); /* and what singles rows out */
    assert_string_equal(nth_distinct(check, 0)->attribute, "Disease");
    assert_int_equal(nth_distinct(check, 0)->value, 1);
    assert_string_equal(nth_distinct(check, 1)->attribute, "Expense");
    assert_int_equal(nth_distinct(check, 1)->value, 3);
    static const double homogeneous[][2] = {{0.5, 0.5}, {0, 0}};
    for (int i = 0; i < 2; i++) {
        assert_string_equal(nth_distinct(check, i)[HOMOGENEOUS].figure, "homogeneous");
        assert_true(nth_distinct(check, i)[HOMOGENEOUS].value == homogeneous[i][0]);
        assert_string_equal(nth_distinct(check, i)[HOMOGENEOUS + 1].figure, "nearly_homogeneous");
        assert_true(nth_distinct(check, i)[HOMOGENEOUS + 1].value == homogeneous[i][1]);
    }
    kanon_check_free(check);
}

static void lin_table_3(void **state)
{
    (void)state;
    expect_classes(hospital,
                   "ZipCode,Gender,Age,Disease,Expense\n"
                   "7527*,Male,[21-25],Flu,100\n"
                   "7527*,Male,[21-25],Cancer,3000\n"
                   "7527*,Male,[21-25],HIV+,5000\n"
                   "75275,Person,[31-40],Diabetes,2500\n"
                   "75275,Person,[31-40],Diabetes,2800\n"
                   "75275,Person,[31-40],Diabetes,2600\n",
                   6, 2, 3);
}

static void loukides_table_1(void **state)
{
    (void)state;
    kanon_check *check = check_text("Age:qn Postcode:qc Disease:s Id:n", "Id,Age,Postcode,Disease\n"
                                                                         "t1,[10-25],[NW10-30],Cancer\n"
                                                                         "t2,[10-25],[NW10-30],HIV\n"
                                                                         "t3,[10-25],[NW10-30],Flu\n"
                                                                         "t4,[10-25],[NW10-25],Bronchitis\n"
                                                                         "t5,[10-25],[NW10-25],Flu\n"
                                                                         "t6,[10-25],[NW10-25],Pneumonia\n"
                                                                         "t7,[10-30],[NW20-30],Bronchitis\n"
                                                                         "t8,[10-30],[NW20-30],Flu\n"
                                                                         "t9,[10-30],[NW20-30],HIV\n");
    assert_int_equal(check->classes, 3);
    assert_int_equal(check->k, 3);
    assert_int_equal(check->n_figures, 1 * N_FIGURES + 2);
    assert_int_equal(nth_distinct(check, 0)->value, 3);
    kanon_check_free(check);
}

/* ---- classes of texts -------------------------------------------------------------------------------------------- */

static const char different[] = "some cells mean the same and are written differently";

static bool warns_of(const kanon_check *check, const char *text)
{
    for (size_t i = 0; i < check->n_warnings; i++)
        if (strstr(check->warnings[i], text) != NULL)
            return true;
    return false;
}

/* Each line twice: as many classes of two as there are lines, and a warning where some of them mean the same. */
static void expect_apart(const char *description, const char *text, int64_t n, bool same_meaning)
{
    char twice[2048];
    const char *rows = strchr(text, '\n') + 1;
    snprintf(twice, sizeof twice, "%s%s", text, rows);
    kanon_check *check = check_text(description, twice);
    if (check->records != 2 * n || check->classes != n || check->k != 2)
        fail_msg("%lld classes, k = %lld, in\n%s", (long long)check->classes, (long long)check->k, twice);
    assert_true(check->holds);
    if (warns_of(check, different) != same_meaning)
        fail_msg("%s in\n%s", same_meaning ? "no warning" : "a warning", twice);
    kanon_check_free(check);
}

/* Whoever has the file can tell these cells apart, whatever they mean. */
static void notations_are_told_apart(void **state)
{
    (void)state;
    expect_apart("age:qn x:n", "age;x\n[15-19];\n[15,20);\n[15, 20[;\n15-19;\n]14,19];\n(14,20);\n 15..19;\n[15, 19];\n", 8,
                 true);
    expect_apart("age:q", "age\n[15-19]\n\"[15,20)\"\n15\n[15-15]\n", 4, true);     /* found to be integers */
    expect_apart("age:qd", "age\n[15-19]\n\"[15,20)\"\n15\n[15.0-15]\n", 4, true);  /* decimals between 19 and 20 */
    expect_apart("age:qd", "age\n[15-19]\n\"[15,20)\"\n15\n", 3, false);
    expect_apart("age:q", "age\n[15-19.5]\n\"[15,20)\"\n15\n15.0\n15-19\n", 5, true);
    expect_apart("age:qc", "age\n[15-19]\n\"[15,20)\"\n", 2, false);
    expect_apart("age:q", "age\n[15-19]\n15-19\nteen\n", 3, false); /* a label among them: texts */
    expect_apart("age:qn", "age\n[15-19]\n15-19\nteen\n", 3, true);
    expect_apart("age:q", "age\n[15-19]\n15-19\n?\n*\n", 4, true); /* missing and any leave the type open */
    expect_apart("day:qt x:n",
                 "day;x\n[2020-01-01-2020-03-05];\n[2020-01-01, 2020-03-06);\n2020-01-01..2020-03-05;\n", 3, true);
    expect_apart("t:qn", "t\n[-5--1]\n\"[-5,-1]\"\n-5--1\n\"(-6,0)\"\n", 4, true);
    expect_apart("age:qn", "age\n<5\n>90\n", 2, false);
    expect_apart("age:qn", "age\n<5\n<=4\n>90\n>=91\n", 4, true);
}

static void sets_and_labels(void **state)
{
    (void)state;
    expect_apart("job:q", "job\n\"{a, b}\"\n\"{b,a}\"\n\"{ a ,b,a}\"\nc\n{c}\n c \n", 6, true);
    expect_apart("zip:qc", "zip\n8130*\n813**\n81301\n", 3, false);
    /* the same name with and without quotes that CSV does not need */
    expect_classes("name:q", "name\n\"a \"\"b\"\"\"\n\"a \"\"b\"\"\"\n\"a \"\"\"\"b\"\nplain\n\"plain\"\n", 5, 3, 1);
}

static void missing_and_any_are_texts(void **state)
{
    (void)state;
    kanon_check *check = check_text("age:qn city:q", "age,city\n?,A\n,A\n*,A\n**,A\n?,?\n,\n");
    assert_int_equal(check->classes, 6);
    assert_int_equal(check->k, 1);
    assert_int_equal(check->suppressed, 0);
    assert_true(warns_of(check, different));
    kanon_check_free(check);
}

static void the_root_is_any(void **state)
{
    (void)state;
    static const char release[] = "gender,age\nPerson,*\n*,*\nPerson,20\nPerson,20\n*,20\nMale,20\nMale,20\n";
    write_file(taxonomy_path, "Male;Person\nFemale;Person\n");
    kanon_schema *schema = make_schema("gender:q age:qn");
    assert_int_equal(kanon_schema_set_taxonomy(schema, "gender", KANON_PATH(taxonomy_path), NULL), KANON_OK);
    kanon_check *check = check_with(schema, release, NULL);
    assert_int_equal(check->suppressed, 2); /* Person,* and *,*: two classes of one */
    assert_int_equal(check->classes, 5);
    assert_int_equal(check->k, 1);
    assert_true(check->smallest[0]->size == 1 && check->smallest[0]->classes == 3);
    assert_true(warns_of(check, different));
    kanon_check_free(check);
    /* Labels that the taxonomy does not know are another tool's. */
    check = check_with(schema, "gender,age\nHuman,20\nHuman,20\n", NULL);
    assert_int_equal(check->k, 2);
    kanon_check_free(check);
    unlink(taxonomy_path);
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_not_equal(kanon_check_read(&check, KANON_PATH(release_path), schema, NULL, &err), KANON_OK);
    kanon_schema_free(schema);
    expect_classes("gender:q age:qn", release, 7, 5, 1);
}

/* What the schema says is one text is one, in every column, across several pairs. */
static void the_schema_may_join_texts(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"**", "*"}, {"NA", "?"}, {"[1-2]", "[1..2]"}, {"x", "*"}, {"?", "none"}};
    kanon_schema *schema = make_schema("age:q job:q dis:s who:n");
    add_diversity(schema, "dis");
    kanon_check *check = check_with(schema, "age,job,dis\n[1-2],*,flu\n[1..2],**,gout\n[1..2],x,none\n", NULL);
    assert_int_equal(check->classes, 3);
    kanon_check_free(check);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        add_same(schema, pairs[i][0], pairs[i][1]);
    check = check_with(schema, "age,job,dis\n[1-2],*,flu\n[1..2],**,gout\n[1..2],x,none\n", NULL);
    assert_int_equal(check->classes, 1);
    assert_true(check->holds && !warns_of(check, different));
    kanon_check_free(check);
    /* two spellings of one sensitive value are no diversity: NA, ? and none */
    check = check_with(schema, "age,job,dis\n1,1,NA\n1,1,none\n", NULL);
    assert_false(check->holds);
    kanon_check_free(check);
    check = check_with(schema, "age,job,dis\n1,?,a\n1,none,b\n", NULL); /* one through a third */
    assert_int_equal(check->k, 2);
    kanon_check_free(check);
    check = check_with(schema, "age,job,dis\n1,?,a\n1,none ,b\n", NULL); /* as they stand, blanks included */
    assert_int_equal(check->k, 1);
    kanon_check_free(check);
    kanon_schema_free(schema);
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* Records with nothing but stars are a class like any other: two of them with one disease tell it. */
static void suppressed_records_are_a_class(void **state)
{
    (void)state;
    kanon_check_options two = {.struct_size = sizeof two, .k = 2};
    kanon_check *check = check_text("age:qn zip:qc d:s", "age,zip,d\n*,*,x\n20,1,a\n20,1,b\n20,*,a\n20,*,b\n20,*,c\n");
    assert_int_equal(check->records, 6);
    assert_int_equal(check->suppressed, 1);
    assert_int_equal(check->classes, 3);
    assert_int_equal(check->k, 1);
    assert_true(check->average_class_size == 2);
    assert_true(check->highest_risk == 1);
    assert_true(check->average_risk == 3.0 / 6);
    assert_true(check->share_at_risk == 1);
    assert_int_equal(nth_distinct(check, 0)->value, 1); /* the single x */
    kanon_check_free(check);

    check = check_text("age:qn zip:qc d:s", "age,zip,d\n*,*,x\n*,*,y\n");
    assert_int_equal(check->suppressed, 2);
    assert_int_equal(check->classes, 1);
    assert_int_equal(check->k, 2);
    assert_true(check->average_class_size == 2 && check->highest_risk == 0.5 && check->average_risk == 0.5);
    assert_int_equal(nth_distinct(check, 0)->value, 2);
    kanon_check_free(check);

    /* the astronaut and the pope */
    kanon_schema *schema = make_schema("age:qn zip:qc d:s");
    add_diversity(schema, "d");
    check = check_with(schema, "age,zip,d\n*,*,x\n*,*,x\n20,1,a\n20,1,b\n", &two);
    assert_int_equal(check->k, 2);
    assert_false(check->holds);
    kanon_check_free(check);
    kanon_schema_free(schema);
}

static void diversity_counts_missing_once(void **state)
{
    (void)state;
    kanon_check *check = check_text("a:q d:s e:s", "a,d,e\n1,?,u\n1,,v\n1, x,w\n1,x ,u\n2,y,u\n2,z,u\n2,v,x\n");
    assert_int_equal(check->n_figures, 2 * N_FIGURES + 2); /* and what singles rows out */
    assert_int_equal(nth_distinct(check, 0)->value, 2); /* class 1: missing and x; class 2 has three */
    assert_int_equal(nth_distinct(check, 1)->value, 2); /* class 2: u and x */
    kanon_check_free(check);
}

/* What the column of `text` reaches; NAN: the figure is not counted. */
static double figure_of(const kanon_check *check, const char *figure)
{
    for (size_t i = 0; i < check->n_figures; i++)
        if (strcmp(check->figures[i]->figure, figure) == 0)
            return check->figures[i]->value;
    return NAN;
}

/* A cell that may be any of several values counts as the commonest of its class. */
static void vague_cells_are_the_commonest_value(void **state)
{
    (void)state;
    static const struct {
        const char *type, *rows;
        int distinct;
        double alpha; /* the largest share of a value in a class */
    } cases[] = {
        {"s", "1,flu\n1,*\n", 1, 1},
        {"s", "1,flu\n1,**\n", 1, 1},
        {"s", "1,flu\n1,{flu}\n", 1, 1},
        {"s", "1,flu\n1,\"{flu, flu}\"\n", 1, 1},
        {"s", "1,flu\n1,\"{flu,gout}\"\n", 1, 1},
        {"s", "1,flu\n1,fl*\n1,gout\n", 2, 2.0 / 3},
        {"s", "1,*\n1,**\n", 1, 1},
        {"s", "1,*\n1,*\n2,a\n2,b\n", 1, 1},
        {"s", "1,flu\n1,flu\n1,gout\n1,*\n", 2, 3.0 / 4},
        {"s", "1,5\n1,[1..5]\n", 1, 1},        /* 5 may be both */
        {"s", "1,[1..5]\n1,[1..4]\n", 1, 1},   /* so may 3 */
        {"s", "1,[1..5]\n1,1-5\n", 1, 1},
        {"s", "1,\"[1,5)\"\n1,[5..9]\n", 2, 0.5}, /* no number is in both */
        {"s", "1,0-9\n1,10-19\n1,>=20\n", 3, 1.0 / 3},
        {"s", "1,0-9\n1,10-19\n1,>=15\n", 1, 1}, /* 0-9 alone is a value; the others may be, who knows, 17 */
        {"s", "1,2020-01-05\n1,2020-01-06\n", 2, 0.5},
        {"s", "1,2020-01-05\n1,2020-01-01..2020-01-31\n", 1, 1},
        {"sc", "1,[1..5]\n1,[1..4]\n", 2, 0.5}, /* said to be categories */
        {"sc", "1,*\n1,a\n", 1, 1},
        {"sn", "1,1\n1,[2..3]\n", 1, 1},
        {"sd", "1,1\n1,1.0\n1,2\n1,*\n", 2, 3.0 / 4}, /* 1 and 1.0 are the commonest together */
        {"sn", "1,{1}\n1,1\n", 1, 1},
        {"s", "1,?\n1,flu\n", 2, 0.5}, /* missing is a value, as in a table */
        {"s", "1,a*b\n1,a\n", 2, 0.5},
        {"s", "1,{\n1,{}\n", 2, 0.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char description[32], text[256];
        snprintf(description, sizeof description, "a:q d:%s", cases[i].type);
        snprintf(text, sizeof text, "a,d\n%s", cases[i].rows);
        kanon_check *check = check_text(description, text);
        if (figure_of(check, "distinct_l") != cases[i].distinct || figure_of(check, "alpha") != cases[i].alpha)
            fail_msg("distinct %g, alpha %g in\n%s", figure_of(check, "distinct_l"), figure_of(check, "alpha"), text);
        bool vague = warns_of(check, "some cells are suppressed or generalised");
        assert_true(vague == isnan(figure_of(check, "t_closeness"))); /* what the whole table is like is not known then */
        kanon_check_free(check);
    }
}

/* Persons, not records: a has flu four times, b and c gout; what d has is the second gout's, not the fifth flu's. */
static void vague_cells_are_the_commonest_of_persons(void **state)
{
    (void)state;
    kanon_schema *schema = make_schema("who:n age:q d:s");
    assert_int_equal(kanon_schema_set(schema, NULL, "entity", "who", NULL), KANON_OK);
    kanon_check *check = check_with(schema, "who,age,d\na,1,flu\na,1,flu\na,1,flu\na,1,flu\nb,1,gout\nc,1,gout\nd,1,*\n",
                                    NULL);
    assert_true(figure_of(check, "alpha") == 3.0 / 4);
    assert_int_equal(check->entities, 4);
    kanon_check_free(check);
    /* of a person whose number is suppressed nobody knows whether it is another one */
    check = check_with(schema, "who,age,d\na,1,flu\n*,1,gout\n", NULL);
    assert_true(is_not_shown(check, "who: some cells are suppressed or generalised, so persons cannot be counted"));
    assert_false(check->holds);
    kanon_check_free(check);
    kanon_schema_free(schema);
}

static void risk_threshold(void **state)
{
    (void)state;
    /* Classes of 5, 4 and 1 records. */
    static const char release[] = "a\n5\n5\n5\n5\n5\n4\n4\n4\n4\n1\n";
    static const struct {
        double threshold, share;
    } cases[] = {{0, 0.5}, {0.2, 0.5}, {0.25, 0.1}, {0.19, 1}, {1, 0}};
    kanon_schema *schema = make_schema("a:q");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kanon_check_options options = {.struct_size = sizeof options, .risk_threshold = cases[i].threshold};
        kanon_check *check = check_with(schema, release, &options);
        assert_true(check->share_at_risk == cases[i].share);
        kanon_check_free(check);
    }
    static const struct {
        double threshold;
        int64_t k;
    } wrong[] = {{-0.1, 0}, {1.5, 0}, {0.5, -1}};
    for (size_t i = 0; i < 3; i++) {
        kanon_check_options options = {
            .struct_size = sizeof options, .risk_threshold = wrong[i].threshold, .k = wrong[i].k};
        kanon_check *check = NULL;
        assert_int_equal(kanon_check_read(&check, KANON_PATH(release_path), schema, &options, NULL), KANON_EINVAL);
        assert_null(check);
    }
    kanon_schema_free(schema);
}

static void smallest_sizes(void **state)
{
    (void)state;
    /* Classes of 15, 14, ..., 1 records and a second one of 3: the ten smallest sizes are 1 .. 10. */
    char text[4096] = "a\n";
    size_t used = strlen(text);
    for (int size = 15; size >= 1; size--)
        for (int i = 0; i < size; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%d\n", size);
    snprintf(text + used, sizeof text - used, "x\nx\nx\n");
    kanon_check *check = check_text("a:q", text);
    assert_int_equal(check->classes, 16);
    assert_int_equal(check->n_smallest, 10);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(check->smallest[i]->size, i + 1);
        assert_int_equal(check->smallest[i]->classes, i + 1 == 3 ? 2 : 1);
    }
    kanon_check_free(check);
}

/* ---- columns and warnings ---------------------------------------------------------------------------------------- */

static void columns_and_warnings(void **state)
{
    (void)state;
    kanon_check *check = check_text("name:i ssn:i age:qn city:q sex:q disease:s note:n",
                                    "name,age,shoe,disease,note,hat\nAnn,20,40,flu,x,y\nBob,20,41,flu,z,y\n");
    assert_int_equal(check->classes, 1); /* names, shoes and notes do not count */
    assert_int_equal(check->k, 2);
    assert_int_equal(check->identifying_columns, 1);
    assert_int_equal(check->n_warnings, 2); /* one is that both have the flu */
    assert_int_equal(check->n_not_shown, 2);
    assert_false(check->holds);
    assert_true(has_warning(check, "name: an identifying column is in the file"));
    assert_true(is_not_shown(check, "city: a quasi column of the schema is not in the file"));
    assert_true(is_not_shown(check, "sex: a quasi column of the schema is not in the file"));
    assert_int_equal(check->n_unnamed, 2);
    assert_string_equal(check->unnamed[0], "shoe");
    assert_string_equal(check->unnamed[1], "hat");
    assert_true(has_line(check->violated, check->n_violated,
                         "columns without a role: shoe, hat; give a role (insensitive: released as it is), or the default "
                         "role insensitive"));
    kanon_check_free(check);
}

/* One column that nobody gave a role is enough, whatever the rest is like. */
static void columns_without_a_role_do_not_hold(void **state)
{
    (void)state;
    static const char *const headers[] = {"age,ssn", "age,Age", "age,\"age \"", "age,age_min", "age,\" age\"",
                                          "age,a\xcc\x8a"};
    kanon_schema *schema = make_schema("age:q");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s\n1,2\n1,2\n", headers[i]);
        kanon_check *check = check_with(schema, text, NULL);
        assert_int_equal(check->n_unnamed, 1);
        assert_int_equal(check->n_violated, 1);
        assert_false(check->holds);
        kanon_check_free(check);
    }
    /* a type or a taxonomy is no role, nor is the default that withholds */
    assert_int_equal(kanon_schema_set(schema, "ssn", "type", "integer", NULL), KANON_OK);
    for (int round = 0; round < 2; round++) {
        kanon_check *check = check_with(schema, "age,ssn\n1,2\n1,2\n", NULL);
        assert_true(check->n_unnamed == 1 && check->identifying_columns == 0 && !check->holds);
        kanon_check_free(check);
        assert_int_equal(kanon_schema_set(schema, NULL, "default-role", "identifying", NULL), KANON_OK);
    }
    assert_int_equal(kanon_schema_set(schema, "ssn", "role", "identifying", NULL), KANON_OK);
    kanon_check *check = check_with(schema, "age,ssn\n1,2\n1,2\n", NULL);
    assert_true(check->n_unnamed == 0 && check->identifying_columns == 1 && !check->holds);
    kanon_check_free(check);
    assert_int_equal(kanon_schema_set(schema, "ssn", "role", "insensitive", NULL), KANON_OK);
    check = check_with(schema, "age,ssn\n1,2\n1,2\n", NULL);
    assert_true(check->n_unnamed == 0 && check->holds);
    kanon_check_free(check);
    kanon_schema_free(schema);
}

/* ---- what was asked ---------------------------------------------------------------------------------------------- */

static bool is_violated(const kanon_check *check, const char *text)
{
    return has_line(check->violated, check->n_violated, text);
}

/* Six records of two persons: k is 3 in records and 1 in persons, which only the column of the persons shows. */
static void what_cannot_be_counted_does_not_hold(void **state)
{
    static const char ages[] = "age,dis\n20,flu\n20,flu\n20,flu\n30,hiv\n30,hiv\n30,hiv\n";
    static const char renamed[] = "age,diagnosis\n20,flu\n20,gout\n20,flu\n";
    static const char whose[] = "who,age,dis\na,20,flu\na,20,flu\na,20,flu\nb,20,gout\n";
    kanon_check_options three = {.struct_size = sizeof three, .k = 3};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_schema *schema = make_schema("who:n age:qn dis:s");
    kanon_check *check = check_with(schema, ages, &three);
    assert_true(check->asked && check->holds);
    kanon_check_free(check);
    check = check_with(schema, ages, NULL); /* nothing was asked */
    assert_true(!check->asked && check->holds);
    kanon_check_free(check);
    add_diversity(schema, "dis");
    check = check_with(schema, renamed, NULL);
    assert_int_equal(check->n_constraints, 0);
    assert_true(is_not_shown(check, "dis: a constraint is about it, and it is no sensitive column of the file"));
    assert_false(check->holds);
    kanon_check_free(check);
    check = check_with(schema, ages, NULL);
    assert_int_equal(check->n_not_shown, 0);
    assert_true(is_violated(check, "1 of 1 constraints is violated"));
    assert_false(check->holds);
    kanon_check_free(check);
    assert_int_equal(kanon_schema_set(schema, NULL, "entity", "who", &err), KANON_OK);
    check = check_with(schema, whose, &three);
    assert_int_equal(check->entities, 2);
    assert_int_equal(check->n_not_shown, 0);
    assert_true(is_violated(check, "a group has records of 2 persons, fewer than the 3 asked for"));
    assert_false(check->holds);
    kanon_check_free(check);
    check = check_with(schema, ages, &three);
    assert_int_equal(check->n_not_shown, 1);
    assert_non_null(strstr(check->not_shown[0], "who: the file has no such column"));
    assert_false(check->holds);
    kanon_check_free(check);
    kanon_schema_free(schema);
}

/* A generalised value can be any of those below it, so it is no second one; a text that is no node has no meaning at all. */
static void generalised_values_satisfy_nothing(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    write_file(taxonomy_path, "flu;lungs;any\ncough;lungs;any\ngout;any\n");
    kanon_schema *schema = make_schema("age:qn dis:s");
    assert_int_equal(kanon_schema_set_taxonomy(schema, "dis", KANON_PATH(taxonomy_path), &err), KANON_OK);
    add_diversity(schema, "dis");
    kanon_check *check = check_with(schema, "age,dis\n20,flu\n20,gout\n", NULL);
    assert_true(check->holds);
    kanon_check_free(check);
    check = check_with(schema, "age,dis\n20,flu\n20,lungs\n", NULL);
    assert_true(is_violated(check, "1 of 1 constraints is violated"));
    assert_false(check->holds);
    kanon_check_free(check);
    check = check_with(schema, "age,dis\n20,flu\n20,lungs\n20,any\n20,gout\n", NULL);
    assert_true(check->holds);
    kanon_check_free(check);
    assert_int_equal(kanon_schema_set(schema, NULL, "constraint", "model=t-closeness,attribute=dis,t=1", &err), KANON_OK);
    check = check_with(schema, "age,dis\n20,flu\n20,lungs\n20,gout\n", NULL);
    assert_true(is_not_shown(check, "dis: some cells are suppressed or generalised, so t-closeness cannot be counted"));
    assert_false(check->holds);
    kanon_check_free(check);
    check = check_with(schema, "age,dis\n20,flu\n20,ague\n", NULL);
    assert_non_null(strstr(check->not_shown[0], "not of its type or taxonomy"));
    assert_false(check->holds);
    kanon_check_free(check);
    kanon_schema_free(schema);
}

static void spaces_tell_records_apart(void **state)
{
    kanon_check_options four = {.struct_size = sizeof four, .k = 4};
    (void)state;
    kanon_schema *schema = make_schema("c:q");
    kanon_check *check = check_with(schema, "c\nx\n\"x \"\n\"x \"\n\"x \"\n", &four);
    assert_int_equal(check->k, 1);
    assert_true(is_violated(check, "k is 1, less than the 4 asked for"));
    assert_false(check->holds);
    kanon_check_free(check);
    check = check_with(schema, "c\n\"x \"\n\"x \"\n\"x \"\n\"x \"\n", &four);
    assert_true(check->holds);
    kanon_check_free(check);
    kanon_schema_free(schema);
}

/* One class of 20 records, 11 of them of one person and 9 of nine others: who looks for that person has found one of theirs
 * with 11 / 20. The mean over records is (11 * 11/20 + 9 * 1/20) / 20 = 130/400, and 11 of 20 are above 1/2. */
static void risk_is_that_of_persons(void **state)
{
    char text[1024] = "who,age\n";
    kanon_check_options half = {.struct_size = sizeof half, .risk_threshold = 0.5};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    for (int i = 0; i < 20; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "p%d,20\n", i < 11 ? 0 : i);
    kanon_schema *schema = make_schema("who:n age:qn");
    kanon_check *check = check_with(schema, text, &half);
    assert_true(check->highest_risk == 1.0 / 20 && check->average_risk == 1.0 / 20 && check->share_at_risk == 0);
    kanon_check_free(check);
    assert_int_equal(kanon_schema_set(schema, NULL, "entity", "who", &err), KANON_OK);
    check = check_with(schema, text, &half);
    assert_true(check->highest_risk == 11.0 / 20);
    assert_true(check->average_risk == 130.0 / 20 / 20);
    assert_true(check->share_at_risk == 11.0 / 20);
    assert_int_equal(check->entities, 10);
    kanon_check_free(check);
    kanon_schema_free(schema);
}

static void default_role(void **state)
{
    (void)state;
    kanon_schema *schema = make_schema("age:qn");
    assert_int_equal(kanon_schema_set(schema, NULL, "default-role", "quasi", NULL), KANON_OK);
    kanon_check *check = check_with(schema, "age,shoe\n20,40\n20,41\n", NULL);
    assert_int_equal(check->classes, 2);
    assert_true(has_warning(check, "not named in the schema, so quasi: shoe"));
    kanon_check_free(check);
    assert_int_equal(kanon_schema_set(schema, NULL, "default-role", "sensitive", NULL), KANON_OK);
    check = check_with(schema, "age,shoe\n20,40\n20,41\n", NULL);
    assert_int_equal(nth_distinct(check, 0)->value, 2);
    assert_string_equal(nth_distinct(check, 0)->attribute, "shoe");
    kanon_check_free(check);
    kanon_schema_free(schema);
}

/* All of them are listed, however many they are. */
static void many_unnamed_columns(void **state)
{
    (void)state;
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "age");
    for (int i = 0; i < 200; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ",column_%03d", i);
    used += (size_t)snprintf(text + used, sizeof text - used, "\n1");
    for (int i = 0; i < 200; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ",");
    snprintf(text + used, sizeof text - used, "\n");
    kanon_check *check = check_text("age:q", text);
    assert_int_equal(check->n_unnamed, 200);
    assert_int_equal(check->n_violated, 1);
    int listed = 0;
    for (const char *at = check->violated[0]; (at = strstr(at, "column_")) != NULL; at++)
        listed++;
    assert_int_equal(listed, 200);
    kanon_check_free(check);
}

static void min_and_max_columns(void **state)
{
    (void)state;
    kanon_check *check = check_text("age:qn city:q", "age_min,age_max,city\n15,19,A\n15,19.0,A\n15,20,A\n*,*,*\n*,**,*\n");
    assert_int_equal(check->n_warnings, 1); /* 19 and 19.0 */
    assert_int_equal(check->n_unnamed, 0);
    assert_int_equal(check->suppressed, 2);
    assert_int_equal(check->classes, 5);
    assert_int_equal(check->k, 1);
    kanon_check_free(check);
    /* Only one of them, or the column itself, too: they are columns like others. */
    check = check_text("age:qn city:q", "age_min,city\n15,A\n16,A\n");
    assert_int_equal(check->classes, 1);
    assert_true(is_not_shown(check, "age: a quasi column of the schema is not in the file"));
    assert_int_equal(check->n_unnamed, 1);
    assert_string_equal(check->unnamed[0], "age_min");
    assert_false(check->holds);
    kanon_check_free(check);
    check = check_text("age:qn", "age_min,age,age_max\n15,1,15\n16,1,16\n");
    assert_int_equal(check->classes, 1);
    assert_int_equal(check->n_unnamed, 2);
    assert_false(check->holds);
    kanon_check_free(check);
    /* A column that the schema names is what the schema says. */
    check = check_text("age:qn age_min:n zip:q", "age_min,age_max,zip\n15,16,1\n16,17,1\n");
    assert_int_equal(check->classes, 1);
    kanon_check_free(check);
}

static void bad_files(void **state)
{
    (void)state;
    expect_failure("age:q", "age,city\n", KANON_EDATA, "no records");
    expect_failure("age:q", "city,shoe\n1,2\n", KANON_EDATA, "no column of the file is a quasi one");
    expect_failure("age:n", "age\n1\n", KANON_EDATA, "no column of the file is a quasi one");
    expect_failure("age:q", "age,city\n1,2\n3\n", KANON_EDATA, "release.csv:3:");
    expect_failure("age:q", "", KANON_EDATA, "release.csv");
    kanon_schema *schema = make_schema("age:q");
    kanon_check *check = NULL;
    assert_int_equal(kanon_check_read(&check, KANON_PATH("/nonexistent/file.csv"), schema, NULL, NULL), KANON_EIO);
    assert_null(check);
    kanon_schema_free(schema);
    kanon_check_free(NULL);
}

static void delimiter(void **state)
{
    (void)state;
    kanon_schema *schema = make_schema("age:qn city:q");
    kanon_check *check = check_with(schema, "age;city\n[15,20);A\n[15,20);A\n", NULL);
    assert_int_equal(check->k, 2);
    kanon_check_free(check);
    static const char text[] = "age#city\n[15,20)#A\n[15,20)#A\n";
    const kanon_input release = {
        .struct_size = sizeof release, .bytes = text, .size = strlen(text), .delimiter = "#"};
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(kanon_check_read(&check, &release, schema, NULL, &err), KANON_OK);
    assert_int_equal(check->k, 2);
    kanon_check_free(check);
    kanon_schema_free(schema);
}

/* ---- random tables ----------------------------------------------------------------------------------------------- */

enum { SEED = 8130, MOST_ROWS = 150, MISSING = 1000, ANY = 1001 };

/* A row by what it means: ages lo .. hi (or lo = MISSING, ANY), a set of jobs as bits (0: any), a disease (0: missing); and
 * how both are written. */
typedef struct row {
    int lo, hi, jobs, disease;
    int way, first; /* of the age; which job is written first */
} row;

/* The ages are written in six ways, any and missing in three and two; a set begins with the first job in it. */
static bool same_class(const row *a, const row *b)
{
    static const char orders[][4] = {"abc", "bca", "cab"};
    int ways = a->lo == ANY ? 3 : a->lo == MISSING ? 2 : 6;
    char a_jobs[4] = "", b_jobs[4] = "";
    if (a->lo != b->lo || a->hi != b->hi || (ways < 6 && a->way % ways != b->way % ways) ||
        (ways == 6 && (a->way < 4 ? a->way : 4) != (b->way < 4 ? b->way : 4)))
        return false;
    for (int i = 0; i < 3; i++) {
        if (a->jobs >> (orders[a->first][i] - 'a') & 1)
            strncat(a_jobs, &orders[a->first][i], 1);
        if (b->jobs >> (orders[b->first][i] - 'a') & 1)
            strncat(b_jobs, &orders[b->first][i], 1);
    }
    return strcmp(a_jobs, b_jobs) == 0;
}

static bool is_suppressed(const row *r)
{
    return r->lo == ANY && r->jobs == 0;
}

static void write_age(FILE *file, const row *r)
{
    static const char *const anys[] = {"*", "***", " *"}, *const missings[] = {"?", ""};
    int way = r->way;
    if (r->lo == ANY)
        fputs(anys[way % 3], file);
    else if (r->lo == MISSING)
        fputs(missings[way % 2], file);
    else if (way == 0)
        fprintf(file, r->lo == r->hi ? "%d" : "%d..%d", r->lo, r->hi);
    else if (way == 1)
        fprintf(file, "\"[%d, %d[\"", r->lo, r->hi + 1);
    else if (way == 2)
        fprintf(file, "\"(%d,%d)\"", r->lo - 1, r->hi + 1);
    else if (way == 3)
        fprintf(file, "%d-%d ", r->lo, r->hi);
    else
        fprintf(file, "[%d-%d]", r->lo, r->hi);
}

static void write_jobs(FILE *file, const row *r)
{
    static const char names[] = "abc";
    int first = r->first, n_written = 0;
    if (r->jobs == 0) {
        fputs("*", file);
        return;
    }
    fputs("\"{", file);
    for (int i = 0; i < 3; i++)
        if (r->jobs >> (first + i) % 3 & 1)
            fprintf(file, "%s%c", n_written++ > 0 ? ", " : "", names[(first + i) % 3]);
    fputs("}\"", file);
}

static int make_rows(row *rows, kanon__random *random)
{
    int n = 1 + (int)kanon__random_below(random, MOST_ROWS);
    int n_ages = 1 + (int)kanon__random_below(random, 6), n_jobs = 1 + (int)kanon__random_below(random, 8);
    for (int i = 0; i < n; i++) {
        int age = (int)kanon__random_below(random, n_ages);
        rows[i].lo = age == 4 ? MISSING : age == 5 ? ANY : age * 3 - 4;
        rows[i].hi = age >= 4 ? 0 : rows[i].lo + age;
        rows[i].jobs = (int)kanon__random_below(random, n_jobs);
        rows[i].disease = (int)kanon__random_below(random, 4);
        rows[i].way = (int)kanon__random_below(random, 8) < 6 ? 4 : (int)kanon__random_below(random, 6);
        rows[i].first = (int)kanon__random_below(random, 4) < 3 ? 0 : (int)kanon__random_below(random, 3);
    }
    return n;
}

static void write_rows(const row *rows, int n)
{
    static const char *const diseases[] = {"?", "flu", "cough", "cold"};
    FILE *file = fopen(release_path, "wb");
    assert_non_null(file);
    fputs("age,disease,job\n", file);
    for (int i = 0; i < n; i++) {
        write_age(file, &rows[i]);
        fprintf(file, ",%s,", diseases[rows[i].disease]);
        write_jobs(file, &rows[i]);
        fputs("\n", file);
    }
    assert_int_equal(fclose(file), 0);
}

/* The same figures by comparing every row with every other. */
static kanon_check brute_force(const row *rows, int n, int64_t *distinct_min, int64_t *at_risk)
{
    kanon_check expected = {.records = n};
    *distinct_min = *at_risk = 0;
    for (int i = 0; i < n; i++) {
        int size = 0, diseases = 0;
        bool first = true;
        for (int j = 0; j < n; j++)
            if (same_class(&rows[i], &rows[j])) {
                size++;
                first = first && j >= i;
                diseases |= 1 << rows[j].disease;
            }
        expected.suppressed += is_suppressed(&rows[i]);
        int distinct = (diseases & 1) + (diseases >> 1 & 1) + (diseases >> 2 & 1) + (diseases >> 3 & 1);
        expected.classes += first;
        expected.k = expected.k == 0 || size < expected.k ? size : expected.k;
        *distinct_min = *distinct_min == 0 || distinct < *distinct_min ? distinct : *distinct_min;
        *at_risk += size < 5;
    }
    return expected;
}

static void random_tables(void **state)
{
    (void)state;
    kanon__random random;
    kanon_schema *typed = make_schema("age:qn job:q disease:s"), *untyped = make_schema("age:q job:qc disease:s");
    print_message("seed %d\n", SEED);
    kanon__random_init(&random, SEED, 0);
    for (int round = 0; round < 600; round++) {
        row rows[MOST_ROWS];
        int n = make_rows(rows, &random);
        int64_t distinct_min, at_risk;
        write_rows(rows, n);
        kanon_check expected = brute_force(rows, n, &distinct_min, &at_risk), *check = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        if (kanon_check_read(&check, KANON_PATH(release_path), round % 2 == 0 ? typed : untyped, NULL, &err) != KANON_OK)
            fail_msg("round %d: %s", round, err.message);
        assert_int_equal(check->records, expected.records);
        assert_int_equal(check->suppressed, expected.suppressed);
        assert_int_equal(check->classes, expected.classes);
        assert_int_equal(check->k, expected.k);
        assert_int_equal(nth_distinct(check, 0)->value, distinct_min);
        assert_true(check->share_at_risk == (double)at_risk / n);
        assert_true(check->average_class_size == (double)n / (double)expected.classes);
        kanon_check_free(check);
    }
    kanon_schema_free(untyped);
    kanon_schema_free(typed);
}

/* More classes than the hash table begins with, each in three notations of which two are one by the schema's word. */
static void many_classes(void **state)
{
    (void)state;
    enum { N_CLASSES = 20000 };
    FILE *file = fopen(release_path, "wb");
    assert_non_null(file);
    fputs("age,zip,disease\n", file);
    for (int i = 0; i < 3 * N_CLASSES; i++) {
        int class = i % N_CLASSES, way = i / N_CLASSES, lo = class % 100, zip = class / 100;
        fprintf(file, way == 0 ? "[%d-%d],%d,%d\n" : way == 1 ? "\"[%d,%d]\",%d,%d\n" : "%d-%d,%d,%d\n", lo, lo + 4, zip,
                way);
    }
    assert_int_equal(fclose(file), 0);
    kanon_schema *schema = make_schema("age:qn zip:qc disease:s");
    kanon_check *check = NULL;
    for (int lo = 0; lo < 100; lo++) {
        char texts[2][32];
        snprintf(texts[0], sizeof texts[0], "[%d-%d]", lo, lo + 4);
        snprintf(texts[1], sizeof texts[1], "[%d,%d]", lo, lo + 4);
        add_same(schema, texts[0], texts[1]);
    }
    assert_int_equal(kanon_check_read(&check, KANON_PATH(release_path), schema, NULL, NULL), KANON_OK);
    assert_int_equal(check->records, 3 * N_CLASSES);
    assert_int_equal(check->classes, 2 * N_CLASSES);
    assert_int_equal(check->n_smallest, 2);
    assert_true(check->k == 1 && check->smallest[1]->size == 2);
    assert_int_equal(nth_distinct(check, 0)->value, 1);
    kanon_check_free(check);
    kanon_schema_free(schema);
}

static int stop(const kanon_progress *progress, void *payload)
{
    assert_true(progress->done <= progress->total);
    ++*(int *)payload;
    return 1;
}

static void cancel(void **state)
{
    (void)state;
    kanon_schema *schema = make_schema("age:qn zip:qc disease:s");
    kanon_check *check = NULL;
    int n_calls = 0;
    kanon_check_options options = {.struct_size = sizeof options, .tick = stop, .payload = &n_calls};
    FILE *file = fopen(release_path, "wb");
    assert_non_null(file);
    fputs("age,zip,disease\n", file);
    for (int i = 0; i < 50000; i++)
        fprintf(file, "%d,%d,%d\n", i % 90, i % 7, i % 3);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(kanon_check_read(&check, KANON_PATH(release_path), schema, &options, NULL), KANON_ECANCELLED);
    assert_null(check);
    assert_int_equal(n_calls, 1);
    kanon_schema_free(schema);
}

static void out_of_memory(void **state)
{
    (void)state;
    static const char release[] = "name,gender,age,job,disease,hat\n"
                                  "Ann,Person,[15-19],\"{a, \"\"b\"\"}\",flu,1\n"
                                  "Bob,Person,[15-19],\"{a, \"\"b\"\"}\",\"{?, flu}\",2\n";
    write_file(taxonomy_path, "Male;Person\nFemale;Person\n");
    kanon_schema *schema = make_schema("name:i gender:q age:q job:q city:q disease:s");
    assert_int_equal(kanon_schema_set_taxonomy(schema, "gender", KANON_PATH(taxonomy_path), NULL), KANON_OK);
    add_same(schema, "x", "y");
    for (int and_all_after = 0; and_all_after < 2; and_all_after++) {
        kanon_status st = KANON_ENOMEM;
        int64_t n = 0;
        write_file(release_path, release);
        while (st != KANON_OK) {
            kanon_check *check = NULL;
            kanon__alloc_fail_at(++n, and_all_after);
            st = kanon_check_read(&check, KANON_PATH(release_path), schema, NULL, NULL);
            kanon__alloc_fail_at(0, false);
            assert_true(st == KANON_ENOMEM || st == KANON_OK);
            assert_true((check == NULL) == (st != KANON_OK));
            if (st == KANON_OK)
                assert_int_equal(check->k, 2);
            kanon_check_free(check);
        }
        assert_true(n > 30);
    }
    kanon_schema_free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lin_table_2),
        cmocka_unit_test(lin_table_3),
        cmocka_unit_test(loukides_table_1),
        cmocka_unit_test(notations_are_told_apart),
        cmocka_unit_test(sets_and_labels),
        cmocka_unit_test(missing_and_any_are_texts),
        cmocka_unit_test(the_root_is_any),
        cmocka_unit_test(the_schema_may_join_texts),
        cmocka_unit_test(suppressed_records_are_a_class),
        cmocka_unit_test(diversity_counts_missing_once),
        cmocka_unit_test(vague_cells_are_the_commonest_value),
        cmocka_unit_test(vague_cells_are_the_commonest_of_persons),
        cmocka_unit_test(risk_threshold),
        cmocka_unit_test(smallest_sizes),
        cmocka_unit_test(columns_and_warnings),
        cmocka_unit_test(columns_without_a_role_do_not_hold),
        cmocka_unit_test(what_cannot_be_counted_does_not_hold),
        cmocka_unit_test(generalised_values_satisfy_nothing),
        cmocka_unit_test(spaces_tell_records_apart),
        cmocka_unit_test(risk_is_that_of_persons),
        cmocka_unit_test(default_role),
        cmocka_unit_test(many_unnamed_columns),
        cmocka_unit_test(min_and_max_columns),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(delimiter),
        cmocka_unit_test(random_tables),
        cmocka_unit_test(many_classes),
        cmocka_unit_test(cancel),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
