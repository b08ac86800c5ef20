/* What a release shows: recoded cells in every form, the cells that stay, groups files, and the check that guards them. */
#include "core/alloc.h"
#include "model/grouping.h"
#include "support.h"
#include "table/read/csv_source.h"
#include "verify/verify.h"

static const kanon__csv_source *as_csv(const kanon_table *table)
{
    return (const kanon__csv_source *)table->source;
}

static const char people_yaml[] = "missing: [\"?\", NA]\n"
                                  "attributes:\n"
                                  "  name: {role: identifying}\n"
                                  "  age: {role: quasi, type: integer}\n"
                                  "  temp: {role: quasi, type: decimal}\n"
                                  "  day: {role: quasi, type: date}\n"
                                  "  job: {role: quasi, taxonomy: {Work: {cook: , baker: }, none: }}\n"
                                  "  ill: {role: sensitive}\n"
                                  "  note: {role: insensitive}\n";

static const char people_csv[] = "name,age,temp,day,job,ill,note\n"
                                 "Ann,20,-1.50,2020-02-28,cook,flu,a\n"
                                 "Bob,24,2,2020-03-01,baker,hiv,\"b, \"\"c\"\"\"\n"
                                 "Cid,21,-1.5,2020-02-29,cook,flu, \n"
                                 "Dan,-5,0.25,1969-12-31,none,flu,\n"
                                 "Eve,-7,0.250,1969-12-31,none,hiv,x\n"
                                 "Fay,?,3,2020-01-01,cook,flu,\"\"\n"
                                 "Gus,30,?,2020-01-01,cook,flu,y\n"
                                 "Hal,NA,4,?,?,flu,z\n"
                                 "Ida,?,4.0,?,?,flu,z\n";

/* Mixed on everything; two equal but for age; missing together with numbers; only missing. */
static const int64_t people_groups[] = {1, 1, 1, 2, 2, 3, 3, 4, 4};

/* ---- publishing -------------------------------------------------------------------------------------------------- */

static kanon_status publish(const kanon_table *table, const int64_t *group_of, kanon_numeric numeric, kanon_error *err)
{
    place release = scratch("release.csv");
    kanon_grouping *grouping = grouping_of(table, group_of);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text), .numeric = numeric};
    kanon_status st = kanon_publish(table, grouping, &outputs, err);
    kanon_grouping_free(grouping);
    return st;
}

static void assert_release(const char *yaml, const char *csv, const int64_t *group_of, kanon_numeric numeric,
                           const char *expected)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_of(yaml, csv);
    assert_done(publish(table, group_of, numeric, &err), &err);
    assert_file(scratch("release.csv").text, expected);
    kanon_table_free(table);
}

#define GROUPS(...) ((const int64_t[]){__VA_ARGS__})

static void intervals(void **state)
{
    (void)state;
    assert_release(people_yaml, people_csv, people_groups, KANON_NUMERIC_INTERVAL,
                   "age,temp,day,job,ill,note\n"
                   "[20..24],[-1.50..2],[2020-02-28..2020-03-01],Work,flu,a\n"
                   "[20..24],[-1.50..2],[2020-02-28..2020-03-01],Work,hiv,\"b, \"\"c\"\"\"\n"
                   "[20..24],[-1.50..2],[2020-02-28..2020-03-01],Work,flu, \n"
                   "[-7..-5],0.25,1969-12-31,none,flu,\n"
                   "[-7..-5],0.25,1969-12-31,none,hiv,x\n"
                   "*,*,2020-01-01,cook,flu,\"\"\n"
                   "*,*,2020-01-01,cook,flu,y\n"
                   "?,4,?,?,flu,z\n"
                   "?,4,?,?,flu,z\n");
}

static void ranges(void **state)
{
    (void)state;
    assert_release(people_yaml, people_csv, people_groups, KANON_NUMERIC_RANGE,
                   "age,temp,day,job,ill,note\n"
                   "\"[20,24]\",\"[-1.50,2]\",\"[2020-02-28,2020-03-01]\",Work,flu,a\n"
                   "\"[20,24]\",\"[-1.50,2]\",\"[2020-02-28,2020-03-01]\",Work,hiv,\"b, \"\"c\"\"\"\n"
                   "\"[20,24]\",\"[-1.50,2]\",\"[2020-02-28,2020-03-01]\",Work,flu, \n"
                   "\"[-7,-5]\",\"[0.25,0.25]\",\"[1969-12-31,1969-12-31]\",none,flu,\n"
                   "\"[-7,-5]\",\"[0.25,0.25]\",\"[1969-12-31,1969-12-31]\",none,hiv,x\n"
                   "*,*,\"[2020-01-01,2020-01-01]\",cook,flu,\"\"\n"
                   "*,*,\"[2020-01-01,2020-01-01]\",cook,flu,y\n"
                   "?,\"[4,4]\",?,?,flu,z\n"
                   "?,\"[4,4]\",?,?,flu,z\n");
}

/* 65/3 = 21.67; (-1.5 + 2 - 1.5)/3 = -0.3333; the day between 28 February and 1 March 2020 is the 29th; -12/2 = -6. */
static void means(void **state)
{
    (void)state;
    assert_release(people_yaml, people_csv, people_groups, KANON_NUMERIC_MEAN,
                   "age,temp,day,job,ill,note\n"
                   "21.67,-0.3333,2020-02-29,Work,flu,a\n"
                   "21.67,-0.3333,2020-02-29,Work,hiv,\"b, \"\"c\"\"\"\n"
                   "21.67,-0.3333,2020-02-29,Work,flu, \n"
                   "-6,0.25,1969-12-31,none,flu,\n"
                   "-6,0.25,1969-12-31,none,hiv,x\n"
                   "*,*,2020-01-01,cook,flu,\"\"\n"
                   "*,*,2020-01-01,cook,flu,y\n"
                   "?,4,?,?,flu,z\n"
                   "?,4,?,?,flu,z\n");
}

static void columns(void **state)
{
    (void)state;
    assert_release(people_yaml, people_csv, people_groups, KANON_NUMERIC_COLUMNS,
                   "age_min,age_max,temp_min,temp_max,day_min,day_max,job,ill,note\n"
                   "20,24,-1.50,2,2020-02-28,2020-03-01,Work,flu,a\n"
                   "20,24,-1.50,2,2020-02-28,2020-03-01,Work,hiv,\"b, \"\"c\"\"\"\n"
                   "20,24,-1.50,2,2020-02-28,2020-03-01,Work,flu, \n"
                   "-7,-5,0.25,0.25,1969-12-31,1969-12-31,none,flu,\n"
                   "-7,-5,0.25,0.25,1969-12-31,1969-12-31,none,hiv,x\n"
                   "*,*,*,*,2020-01-01,2020-01-01,cook,flu,\"\"\n"
                   "*,*,*,*,2020-01-01,2020-01-01,cook,flu,y\n"
                   "?,?,4,4,?,?,?,flu,z\n"
                   "?,?,4,4,?,?,?,flu,z\n");
}

#define A_B_S "attributes: {a: {role: quasi}, b: {role: quasi}, s: {role: sensitive}}\n"

static void suppressed_records_stay_out(void **state)
{
    (void)state;
    assert_release(A_B_S, "a,b,s\n1,x,p\n2,y,q\n3,x,r\n4,y,t\n", GROUPS(0, 5, 5, 0), KANON_NUMERIC_INTERVAL,
                   "a,b,s\n[2..3],*,q\n[2..3],*,r\n");
    assert_release(A_B_S "privacy: {suppressed: drop}\n", "a,b,s\n1,x,p\n2,y,q\n", GROUPS(0, 0), KANON_NUMERIC_COLUMNS,
                   "a_min,a_max,b,s\n");
}

static void kept_suppressed_records_are_stars(void **state)
{
    (void)state;
    assert_release(A_B_S "privacy: {suppressed: keep}\n", "a,b,s\n1,x,p\n2,y,q\n3,x,r\n", GROUPS(0, 5, 5),
                   KANON_NUMERIC_INTERVAL, "a,b,s\n*,*,p\n[2..3],*,q\n[2..3],*,r\n");
    assert_release(A_B_S "privacy: {suppressed: keep}\n", "a,b,s\n1,x,p\n2,y,q\n", GROUPS(0, 0), KANON_NUMERIC_COLUMNS,
                   "a_min,a_max,b,s\n*,*,*,p\n*,*,*,q\n");
}

/* Halves go up, towards the larger number, at two digits more than the values have. */
static void means_round_half_up(void **state)
{
    static const char yaml[] = "attributes: {a: {role: quasi}}\n";
    static const int64_t together[] = {1, 1, 1, 1, 1, 1, 1, 1};
    (void)state;
    assert_release(yaml, "a\n0\n0\n0\n0\n0\n0\n0\n1\n", together, KANON_NUMERIC_MEAN, /* 0.125 */
                   "a\n0.13\n0.13\n0.13\n0.13\n0.13\n0.13\n0.13\n0.13\n");
    assert_release(yaml, "a\n0\n0\n0\n0\n0\n0\n0\n-1\n", together, KANON_NUMERIC_MEAN, /* -0.125 */
                   "a\n-0.12\n-0.12\n-0.12\n-0.12\n-0.12\n-0.12\n-0.12\n-0.12\n");
    assert_release(yaml, "a\n-1\n-1\n-2\n", together, KANON_NUMERIC_MEAN, "a\n-1.33\n-1.33\n-1.33\n");
    assert_release(yaml, "a\n-1\n-2\n-2\n", together, KANON_NUMERIC_MEAN, "a\n-1.67\n-1.67\n-1.67\n");
    assert_release(yaml, "a\n-1\n1\n", together, KANON_NUMERIC_MEAN, "a\n0\n0\n");
    assert_release(yaml, "a\n10\n20\n", together, KANON_NUMERIC_MEAN, "a\n15\n15\n");
    assert_release(yaml, "a\n99\n101\n", together, KANON_NUMERIC_MEAN, "a\n100\n100\n");
    /* with two more digits they do not fit 64 bits any more, and are doubles */
    assert_release(yaml, "a\n200000000000000000\n400000000000000000\n", together, KANON_NUMERIC_MEAN,
                   "a\n300000000000000000\n300000000000000000\n");
    assert_release(yaml, "a\n-200000000000000000\n-400000000000000000\n", together, KANON_NUMERIC_MEAN,
                   "a\n-300000000000000000\n-300000000000000000\n");
    /* as are those with 17 digits after the point, in the column's own form */
    assert_release("attributes: {a: {role: quasi, type: decimal, decimal: ','}}\n",
                   "a\n\"0,12345678901234567\"\n\"0,12345678901234569\"\n", together, KANON_NUMERIC_MEAN,
                   "a\n\"0,12345678901234568\"\n\"0,12345678901234568\"\n");
    assert_release(yaml, "a\n0.1\n0.1\n0.2\n", together, KANON_NUMERIC_MEAN, "a\n0.133\n0.133\n0.133\n");
    /* dates: the nearest day, half a day goes to the later one, before 1970 too */
    static const char dates[] = "attributes: {d: {role: quasi, type: date}}\n";
    assert_release(dates, "d\n2020-01-01\n2020-01-02\n", together, KANON_NUMERIC_MEAN, "d\n2020-01-02\n2020-01-02\n");
    assert_release(dates, "d\n1960-01-01\n1960-01-02\n", together, KANON_NUMERIC_MEAN, "d\n1960-01-02\n1960-01-02\n");
    assert_release(dates, "d\n1960-01-01\n1960-01-02\n1960-01-01\n", together, KANON_NUMERIC_MEAN,
                   "d\n1960-01-01\n1960-01-01\n1960-01-01\n");
}

/* Numbers with no common scale still have intervals and means. */
static void huge_numbers_are_released(void **state)
{
    static const char yaml[] = "attributes: {a: {role: quasi, type: decimal}}\n";
    (void)state;
    assert_release(yaml, "a\n1e30\n-2E30\n1e-30\n", GROUPS(1, 1, 1), KANON_NUMERIC_INTERVAL,
                   "a\n[-2E30..1e30]\n[-2E30..1e30]\n[-2E30..1e30]\n");
    assert_release(yaml, "a\n1e-30\n3e-30\n1e30\n1e30\n", GROUPS(1, 1, 2, 2), KANON_NUMERIC_INTERVAL,
                   "a\n[1e-30..3e-30]\n[1e-30..3e-30]\n1e30\n1e30\n");
    assert_release(yaml, "a\n1e30\n3e30\n", GROUPS(1, 1), KANON_NUMERIC_MEAN, "a\n2e+30\n2e+30\n");
}

/* ---- the cells that stay ----------------------------------------------------------------------------------------- */

static void form_of_the_input_is_kept(void **state)
{
    (void)state;
    assert_release("attributes: {id: {role: identifying}, a: {role: quasi}, n: {role: insensitive}, s: {role: sensitive}}\n",
                   "\xef\xbb\xbf"
                   "a;n;id;s\r\n1;\"x;y\";I1;p\r\n2;\"line\r\nbreak\";I2;\"\"\"q\"\"\"\r\n",
                   GROUPS(1, 1), KANON_NUMERIC_RANGE,
                   "a;n;s\r\n[1,2];\"x;y\";p\r\n[1,2];\"line\r\nbreak\";\"\"\"q\"\"\"\r\n");
    /* the last line has no end in the input, and gets one */
    assert_release("attributes: {a: {role: quasi}, n: {role: insensitive}}\n", "n\ta\nplain text\t1\n 'x'\t1", GROUPS(1, 1),
                   KANON_NUMERIC_INTERVAL, "n\ta\nplain text\t1\n 'x'\t1\n");
    assert_release("attributes: {\"a,b\": {role: quasi}, \"say \\\"x\\\"\": {role: insensitive}}\n",
                   "\"a,b\",\"say \"\"x\"\"\"\n1,\"1\"\n", GROUPS(1), KANON_NUMERIC_INTERVAL,
                   "\"a,b\",\"say \"\"x\"\"\"\n1,\"1\"\n");
}

/* A value that needs quotes as a released label gets them. */
static void labels_are_quoted(void **state)
{
    (void)state;
    assert_release("attributes: {a: {role: quasi}, n: {role: insensitive}}\n", "a,n\n\"x,y\",1\n\"x,y\",2\n\" z\",3\n",
                   GROUPS(1, 1, 2), KANON_NUMERIC_INTERVAL, "a,n\n\"x,y\",1\n\"x,y\",2\nz,3\n");
}

static void identifying_columns_never_leave(void **state)
{
    (void)state;
    assert_release("default-role: identifying\nattributes: {a: {role: quasi}}\n", "secret1,a,secret2\nX,1,Y\nX,1,Y\n",
                   GROUPS(1, 1), KANON_NUMERIC_INTERVAL, "a\n1\n1\n");
}

static void column_names_may_clash(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    static const char *const names[] = {"age_min", "age_max"};
    for (int i = 0; i < 2; i++) {
        char yaml[200], csv[100];
        snprintf(yaml, sizeof yaml, "attributes: {age: {role: quasi}, %s: {role: insensitive}}\n", names[i]);
        snprintf(csv, sizeof csv, "age,%s\n1,2\n", names[i]);
        kanon_table *table = table_of(yaml, csv);
        unlink(scratch("release.csv").text);
        assert_int_equal(publish(table, GROUPS(1), KANON_NUMERIC_COLUMNS, &err), KANON_EINVAL);
        assert_holds(err.message, names[i]);
        assert_false(exists(scratch("release.csv").text));
        assert_done(publish(table, GROUPS(1), KANON_NUMERIC_INTERVAL, &err), &err);
        kanon_table_free(table);
    }
    assert_release("attributes: {age: {role: quasi}, age_min: {role: identifying}}\n", "age,age_min\n1,2\n", GROUPS(1),
                   KANON_NUMERIC_COLUMNS, "age_min,age_max\n1,1\n"); /* a column that does not leave is in nobody's way */
}

/* ---- shuffling --------------------------------------------------------------------------------------------------- */

static void shuffle_is_a_permutation(void **state)
{
    enum { N = 50 };
    char csv[1000] = "a,n\n", expected[40];
    int64_t group_of[N];
    kanon_error err = KANON_INIT(kanon_error);
    place release = scratch("release.csv"), again = scratch("again.csv");
    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "%d,r%02d\n", i / 10, i);
        group_of[i] = i / 10 + 1;
    }
    kanon_table *table = table_of("attributes: {a: {role: quasi}, n: {role: insensitive}}\n", csv);
    kanon_grouping *grouping = grouping_of(table, group_of);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text), .shuffle = 1};
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    char *text = read_text(release.text);
    assert_int_equal(strlen(text), strlen(csv));
    assert_string_not_equal(text, csv);
    assert_int_equal(strncmp(text, "a,n\n", 4), 0);
    for (int i = 0; i < N; i++) {
        snprintf(expected, sizeof expected, "\n%d,r%02d\n", i / 10, i);
        assert_holds(text, expected);
    }
    outputs.release = KANON_TO_PATH(again.text);
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    char *other = read_text(again.text);
    assert_string_equal(other, text); /* the order depends on what is released alone */
    free(other);
    free(text);
    outputs.shuffle_seed = 7;
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    text = read_text(again.text);
    outputs.release = KANON_TO_PATH(release.text);
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    assert_file(release.text, text); /* a seed that was asked for: the same order */
    outputs.shuffle_seed = 8;
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    other = read_text(release.text);
    assert_string_not_equal(other, text);
    free(other);
    free(text);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* ---- groups files ------------------------------------------------------------------------------------------------ */

static kanon_table *ten_rows(void)
{
    return table_of("attributes: {a: {role: quasi}}\n", "a\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
}

static void groups_files_go_round(void **state)
{
    static const int64_t group_of[] = {7, 0, 7, 3, 3, 7, 2147483648, 3, 0, 2147483648};
    place path = scratch("groups.csv");
    kanon_grouping *read = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_table *table = ten_rows();
    kanon_grouping *grouping = grouping_of(table, group_of);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .groups = KANON_TO_PATH(path.text)};
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    assert_file(path.text,
                "row,group\n1,1\n2,0\n3,1\n4,2\n5,2\n6,1\n7,3\n8,2\n9,0\n10,3\n"); /* numbered by their first row */
    assert_done(kanon_grouping_read(&read, table, KANON_PATH(path.text), &err), &err);
    assert_int_equal(kanon_grouping_describe(read)->rows, 10);
    assert_int_equal(kanon_grouping_describe(read)->groups, 3);
    assert_int_equal(kanon_grouping_describe(read)->suppressed, 2);
    assert_int_equal(kanon_grouping_describe(read)->smallest, 2);
    for (int64_t row = 0; row < 10; row++)
        assert_int_equal(kanon_grouping_group_of(read, row), kanon_grouping_group_of(grouping, row));
    assert_int_equal(kanon_grouping_group_of(read, -1), 0);
    assert_int_equal(kanon_grouping_group_of(read, 10), 0);
    kanon_grouping_free(read);
    /* any order of the lines, quotes, CRLF, another delimiter */
    write_text(path.text, "row;group\r\n10;3\r\n\"9\";\"0\"\r\n8;2\r\n7;3\r\n6;1\r\n5;2\r\n4;2\r\n3;1\r\n2;0\r\n1;1\r\n");
    assert_done(kanon_grouping_read(&read, table, KANON_PATH(path.text), &err), &err);
    for (int64_t row = 0; row < 10; row++)
        assert_int_equal(kanon_grouping_group_of(read, row), kanon_grouping_group_of(grouping, row));
    kanon_grouping_free(read);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static void assert_bad_groups(const kanon_table *table, const char *text, const char *message, const char *hint)
{
    kanon_grouping *grouping = (kanon_grouping *)&table;
    kanon_error err = KANON_INIT(kanon_error);
    place path = scratch("groups.csv");
    write_text(path.text, text);
    assert_int_equal(kanon_grouping_read(&grouping, table, KANON_PATH(path.text), &err), KANON_EDATA);
    assert_null(grouping);
    assert_holds(err.message, message);
    assert_holds(err.hint, hint);
}

static void bad_groups_files(void **state)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_table *table = table_of("attributes: {a: {role: quasi}}\n", "a\n1\n2\n3\n");
    assert_bad_groups(table, "", "groups.csv", "");
    assert_bad_groups(table, "group,row\n1,1\n2,1\n3,1\n", "groups.csv:1: column 1: not a groups file", "row,group");
    assert_bad_groups(table, "row\n1\n2\n3\n", "not a groups file", "row,group");
    assert_bad_groups(table, "row,group,more\n1,1,1\n2,1,1\n3,1,1\n", "not a groups file", "row,group");
    assert_bad_groups(table, "row,group\n1,1\nx,1\n3,1\n", "groups.csv:3: row: not a row number", "from 1");
    assert_bad_groups(table, "row,group\n1,1\n0,1\n3,1\n", "groups.csv:3: row: not a row number", "from 1");
    assert_bad_groups(table, "row,group\n1,1\n-2,1\n3,1\n", "groups.csv:3: row: not a row number", "from 1");
    assert_bad_groups(table, "row,group\n1,1\n99999999999999999999,1\n3,1\n", "groups.csv:3: row: not a row number", "");
    assert_bad_groups(table, "row,group\n1,1\n2,x\n3,1\n", "groups.csv:3: group: not a group number", "suppressed");
    assert_bad_groups(table, "row,group\n1,1\n2,-1\n3,1\n", "groups.csv:3: group: not a group number", "suppressed");
    assert_bad_groups(table, "row,group\n1,1\n2,1.5\n3,1\n", "groups.csv:3: group: not a group number", "");
    assert_bad_groups(table, "row,group\n1,1\n4,1\n3,1\n", "groups.csv:3: row: the table has no such row", "3 rows");
    assert_bad_groups(table, "row,group\n1,1\n3,1\n1,2\n", "groups.csv:4: row: this row was given before", "once");
    assert_bad_groups(table, "row,group\n1,0\n1,2\n3,1\n", "groups.csv:3: row: this row was given before", "once");
    assert_bad_groups(table, "row,group\n1,1\n3,1\n", "groups.csv:4: row: 1 rows of the table have no line", "3 rows");
    assert_bad_groups(table, "row,group\n", "3 rows of the table have no line", "");
    assert_bad_groups(table, "row,group\n1,1\n2\n3,1\n", "groups.csv:3", "");
    assert_int_equal(kanon_grouping_read(&grouping, table, KANON_PATH(scratch("nowhere.csv").text), &err), KANON_EIO);
    assert_null(grouping);
    assert_int_equal(kanon_grouping_new(&grouping, table, GROUPS(1, -1, 1), &err), KANON_EINVAL);
    assert_null(grouping);
    kanon_table_free(table);
}

/* ---- the check --------------------------------------------------------------------------------------------------- */

/* A table of three rows in one group, a verifier of its release, and what the group shows. */
typedef struct inspection {
    kanon_table *table;
    kanon__verifier *verifier;
    kanon__csv csv;
    char shown[200];
} inspection;

static const int32_t inspected_groups[] = {0, 0, 0};

/* A cursor on the row that was read last. */
static kanon__cursor cursor_at(const kanon__csv *csv)
{
    return (kanon__cursor){.cells = csv->cells, .begin = csv->row_begin, .end = csv->position};
}

static inspection inspect_groups(kanon_numeric numeric, const int32_t *group_of)
{
    inspection i = {0};
    kanon_error err = KANON_INIT(kanon_error);
    i.table = table_of("missing: [\"?\"]\nattributes:\n  age: {role: quasi}\n  job: {role: quasi, taxonomy: {Work: {cook: , "
                       "baker: }, none: }}\n",
                       "age,job\n20,cook\n24,baker\n21,cook\n");
    assert_done(kanon__verifier_new(&i.verifier, i.table, group_of, 1, numeric, false, &err), &err);
    assert_int_equal(kanon__verifier_runs(i.verifier), 1);
    assert_done(kanon__csv_open(&i.csv, &as_csv(i.table)->input, &as_csv(i.table)->options, &err), &err);
    return i;
}

static inspection inspect(kanon_numeric numeric)
{
    return inspect_groups(numeric, inspected_groups);
}

static void end_inspection(inspection *i)
{
    kanon__csv_close(&i->csv);
    kanon__verifier_free(i->verifier);
    kanon_table_free(i->table);
}

static const char *const right_ages[] = {NULL, "[20..24]", "\"[20,24]\"", "21.67", "20,24"};

/* Tell the verifier what the group shows; `fault`, unless NULL, stands in the place of attribute `at`. */
static kanon_status show(inspection *i, kanon_numeric numeric, int at, const char *fault, kanon_error *err)
{
    bool here = fault != NULL && at == 0, comma = here && strchr(fault, ',') != NULL;
    const char *age = here ? fault : right_ages[numeric], *quote = comma ? "\"" : "";
    snprintf(i->shown, sizeof i->shown, "%s%s%s%s,%s", quote, age, quote,
             here && numeric == KANON_NUMERIC_COLUMNS ? ",24" : "", fault != NULL && at == 1 ? fault : "Work");
    kanon_status st = kanon__verifier_text(i->verifier, 1, 0, numeric == KANON_NUMERIC_COLUMNS ? "*,*,*" : "*,*",
                                           numeric == KANON_NUMERIC_COLUMNS ? 5 : 3, err);
    return st == KANON_OK ? kanon__verifier_text(i->verifier, 0, 0, i->shown, strlen(i->shown), err) : st;
}

/* Rows past the last one of the file are the first ones again. */
static kanon_status walk(inspection *i, const int32_t *group_of, int64_t n_rows, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t row = 0; st == KANON_OK && row < n_rows; row++) {
        bool has_row;
        char line[220];
        st = kanon__csv_next(&i->csv, &has_row, err);
        if (st == KANON_OK && !has_row)
            kanon__csv_rewind(&i->csv);
        if (st == KANON_OK && !has_row)
            st = kanon__csv_next(&i->csv, &has_row, err);
        snprintf(line, sizeof line, "%s\n", group_of[row] < 0 ? "*,*" : i->shown);
        kanon__cursor here = cursor_at(&i->csv);
        if (st == KANON_OK)
            st = group_of[row] < 0 && !i->table->policy.keep_suppressed
                     ? kanon__verifier_row(i->verifier, row, &here, NULL, 0, err)
                     : kanon__verifier_row(i->verifier, row, &here, line, strlen(line), err);
    }
    return st;
}

static kanon_status finish(const kanon__verifier *verifier, const kanon_table *table, int64_t k, kanon_error *err)
{
    const kanon__requirement required = {.policy = &table->policy, .k = k, .most_suppressed = -1};
    return kanon__verifier_finish(verifier, &required, 1, err);
}

static kanon_status verify_with(kanon_numeric numeric, int at, const char *fault, int64_t k, kanon_error *err)
{
    inspection i = inspect(numeric);
    kanon_status st = show(&i, numeric, at, fault, err);
    if (st == KANON_OK)
        st = walk(&i, inspected_groups, 3, err);
    if (st == KANON_OK)
        st = finish(i.verifier, i.table, k, err);
    end_inspection(&i);
    return st;
}

static void assert_caught(kanon_numeric numeric, int at, const char *fault)
{
    kanon_error err = KANON_INIT(kanon_error);
    if (verify_with(numeric, at, fault, 3, &err) != KANON_EINTERNAL)
        fail_msg("'%s' was not found out", fault);
    assert_int_equal(err.status, KANON_EINTERNAL);
    assert_true(strstr(err.message, at == 0 ? "age" : "job") != NULL);
}

static void good_releases_pass(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    for (int numeric = KANON_NUMERIC_INTERVAL; numeric <= KANON_NUMERIC_COLUMNS; numeric++)
        assert_done(verify_with((kanon_numeric)numeric, 0, NULL, 3, &err), &err);
    assert_done(verify_with(KANON_NUMERIC_INTERVAL, 0, "[0..100]", 3, &err), &err); /* wider than needed is no fault */
    assert_done(verify_with(KANON_NUMERIC_INTERVAL, 0, "*", 3, &err), &err);
    assert_done(verify_with(KANON_NUMERIC_INTERVAL, 1, "*", 3, &err), &err);
}

static void corrupt_cells_are_caught(void **state)
{
    (void)state;
    static const char *const intervals_with_faults[] = {
        "[21..24]", "[20..23]", "20", "24", "[24..20]", "[20..24", "20..24", "[20,24]", "[20-24]",
        "",         "?",        "[-20..24", "[x..24]",  "Work",    "[20..]", "[..]",    "[]"};
    for (size_t i = 0; i < sizeof intervals_with_faults / sizeof *intervals_with_faults; i++)
        assert_caught(KANON_NUMERIC_INTERVAL, 0, intervals_with_faults[i]);
    assert_caught(KANON_NUMERIC_RANGE, 0, "[20..24]");
    assert_caught(KANON_NUMERIC_RANGE, 0, "[20,23]");
    assert_caught(KANON_NUMERIC_MEAN, 0, "19");
    assert_caught(KANON_NUMERIC_MEAN, 0, "24.1");
    assert_caught(KANON_NUMERIC_MEAN, 0, "[20..24]x");
    assert_caught(KANON_NUMERIC_COLUMNS, 0, "21");
    assert_caught(KANON_NUMERIC_COLUMNS, 0, "");
    static const char *const categories[] = {"cook", "baker", "none", "work", "", "Work ", "**"};
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        assert_caught(KANON_NUMERIC_INTERVAL, 1, categories[i]);
}

/* NAME_max is as bad a place for a fault as NAME_min. */
static void corrupt_second_cells_are_caught(void **state)
{
    static const char *const faults[] = {"20,23,Work", "20,,Work", "20,*,Work", "20,x,Work", "20,Work", "20,24,Work,"};
    (void)state;
    for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
        kanon_error err = KANON_INIT(kanon_error);
        inspection i = inspect(KANON_NUMERIC_COLUMNS);
        snprintf(i.shown, sizeof i.shown, "%s", faults[f]);
        kanon_status st = kanon__verifier_text(i.verifier, 0, 0, i.shown, strlen(i.shown), &err);
        if (st == KANON_OK)
            st = walk(&i, inspected_groups, 3, &err);
        assert_int_equal(st, KANON_EINTERNAL);
        end_inspection(&i);
    }
}

/* Cells that a reader of the file would take for others, or would refuse. */
static void wrong_quotes_are_caught(void **state)
{
    static const char *const good[] = {"\"[20..24]\",Work", "[20..24],\"Work\"", "\"[20..24]\",\"Work\""};
    static const char *const bad[] = {"\"[20..24],Work",
                                      "\"[20..24]\"x,Work",
                                      "[20..24],Wo\"rk",
                                      "[20..24],Work\n",
                                      "[20..24],\"Work",
                                      "[20..24],Work,",
                                      "[20..24]",
                                      "[20..24],\"Work\"\"",
                                      "\"[20..24],Work\"",
                                      "[20..24];Work",
                                      "",
                                      "[20..24],,Work",
                                      "\"[20..24]\"xWork",
                                      "[20..24]\nWork"};
    (void)state;
    for (size_t c = 0; c < sizeof good / sizeof *good + sizeof bad / sizeof *bad; c++) {
        kanon_error err = KANON_INIT(kanon_error);
        bool fine = c < sizeof good / sizeof *good;
        const char *text = fine ? good[c] : bad[c - sizeof good / sizeof *good];
        inspection i = inspect(KANON_NUMERIC_INTERVAL);
        if (kanon__verifier_text(i.verifier, 0, 0, text, strlen(text), &err) != (fine ? KANON_OK : KANON_EINTERNAL))
            fail_msg("%s: %s", text, err.message);
        end_inspection(&i);
    }
    kanon_error err = KANON_INIT(kanon_error);
    inspection i = inspect(KANON_NUMERIC_INTERVAL); /* suppressed records show nothing but stars */
    assert_int_equal(kanon__verifier_text(i.verifier, 1, 0, "[20..24],Work", 13, &err), KANON_EINTERNAL);
    assert_int_equal(kanon__verifier_text(i.verifier, 1, 0, "*,Work", 6, &err), KANON_EINTERNAL);
    assert_done(kanon__verifier_text(i.verifier, 1, 0, "*,*", 3, &err), &err);
    end_inspection(&i);
}

/* Labels that must stand in quotes, or they are something else to a reader. */
static void labels_without_quotes_are_caught(void **state)
{
    static const int32_t group_of[] = {0, 0};
    static const char *const good[] = {"\"a\"\"b\"", "\"c\nd\"", "\"e,f\"", "*", "\"*\""};
    static const char *const bad[] = {"a\"b", "c\nd", "e,f", "\"a\"b\"", "a\"\"b", "c\rd", "\"c\rd\""};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_table *table = table_of(
        "attributes: {a: {role: quasi, taxonomy: {\"a\\\"b\": {\"c\\nd\": {\"e,f\": {x: , y: }}}, z: }}}\n", "a\nx\ny\n");
    for (size_t c = 0; c < sizeof good / sizeof *good + sizeof bad / sizeof *bad; c++) {
        kanon__verifier *v = NULL;
        bool fine = c < sizeof good / sizeof *good;
        const char *text = fine ? good[c] : bad[c - sizeof good / sizeof *good];
        assert_done(kanon__verifier_new(&v, table, group_of, 1, KANON_NUMERIC_INTERVAL, false, &err), &err);
        if (kanon__verifier_text(v, 0, 0, text, strlen(text), &err) != (fine ? KANON_OK : KANON_EINTERNAL))
            fail_msg("%s: %s", text, err.message);
        kanon__verifier_free(v);
    }
    kanon_table_free(table);
}

/* A code stands for another text than the cell's, which differs from it in one byte only, wherever that is. */
static void nearly_equal_texts_are_told_apart(void **state)
{
    static const int32_t group_of[] = {0, 0};
    (void)state;
    for (int length = 1; length <= 24; length++)
        for (int at = 0; at < length; at++) {
            char csv[200], one[50], other[50];
            kanon_error err = KANON_INIT(kanon_error);
            kanon__verifier *v = NULL;
            kanon__csv reader;
            bool has_row;
            memset(one, 'm', sizeof one);
            memset(other, 'm', sizeof other);
            one[length] = other[length] = '\0';
            other[at] = 'n';
            snprintf(csv, sizeof csv, "a,b\n%s,1\n%s,1\n", one, other);
            kanon_table *table = table_of("attributes: {a: {role: quasi}, b: {role: insensitive}}\n", csv);
            assert_done(kanon__verifier_new(&v, table, group_of, 1, KANON_NUMERIC_INTERVAL, false, &err), &err);
            assert_done(kanon__verifier_text(v, 0, 0, "*", 1, &err), &err);
            assert_done(kanon__csv_open(&reader, &as_csv(table)->input, &as_csv(table)->options, &err), &err);
            assert_done(kanon__csv_next(&reader, &has_row, &err), &err);
            kanon__cursor here = cursor_at(&reader);
            assert_done(kanon__verifier_row(v, 0, &here, "*,1\n", 4, &err), &err);
            assert_int_equal(kanon__verifier_row(v, 1, &here, "*,1\n", 4, &err), KANON_EINTERNAL);
            assert_holds(err.message, "record 2, column a");
            kanon__csv_close(&reader);
            kanon__verifier_free(v);
            kanon_table_free(table);
        }
}

static void wrong_sizes_are_caught(void **state)
{
    static const int32_t one_suppressed[] = {0, 0, -1}, nowhere[] = {0, 0, 1}, four[] = {0, 0, 0, 0};
    static const struct {
        const int32_t *group_of;
        int64_t n_rows, k;
    } cases[] = {{inspected_groups, 3, 4}, {one_suppressed, 3, 3}, {inspected_groups, 2, 2}, {nowhere, 3, 2}, {four, 4, 3}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        kanon_error err = KANON_INIT(kanon_error);
        inspection i = inspect_groups(KANON_NUMERIC_INTERVAL, cases[c].group_of);
        assert_done(show(&i, KANON_NUMERIC_INTERVAL, 0, NULL, &err), &err);
        kanon_status st = walk(&i, cases[c].group_of, cases[c].n_rows, &err);
        if (st == KANON_OK)
            st = finish(i.verifier, i.table, cases[c].k, &err);
        assert_int_equal(st, KANON_EINTERNAL);
        end_inspection(&i);
    }
    kanon_error err = KANON_INIT(kanon_error);
    inspection i = inspect_groups(KANON_NUMERIC_INTERVAL, one_suppressed); /* a suppressed record alone is no fault */
    assert_done(show(&i, KANON_NUMERIC_INTERVAL, 0, NULL, &err), &err);
    assert_done(walk(&i, one_suppressed, 3, &err), &err);
    assert_done(finish(i.verifier, i.table, 2, &err), &err);
    end_inspection(&i);
    /* unless it is released: then it is a class of one record */
    i = inspect_groups(KANON_NUMERIC_INTERVAL, one_suppressed);
    i.table->policy.keep_suppressed = true;
    assert_done(show(&i, KANON_NUMERIC_INTERVAL, 0, NULL, &err), &err);
    assert_done(walk(&i, one_suppressed, 3, &err), &err);
    assert_int_equal(finish(i.verifier, i.table, 2, &err), KANON_EINTERNAL);
    assert_holds(err.message, "a group of 1 records, fewer than k = 2");
    end_inspection(&i);
}

/* Suppressed records stay out, or leave where they are kept, and all others leave. */
static void rows_that_leave_are_known(void **state)
{
    static const int32_t one_suppressed[] = {0, 0, -1};
    static const struct {
        bool keep;
        int64_t row; /* at which the writer does the wrong thing */
        const char *message;
    } cases[] = {{false, 2, "record 3 in the release, which is suppressed"},
                 {false, 1, "record 2 not in the release"},
                 {true, 2, "record 3 not in the release"}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        kanon_error err = KANON_INIT(kanon_error);
        bool has_row;
        char line[220];
        inspection i = inspect_groups(KANON_NUMERIC_INTERVAL, one_suppressed);
        i.table->policy.keep_suppressed = cases[c].keep;
        assert_done(show(&i, KANON_NUMERIC_INTERVAL, 0, NULL, &err), &err);
        assert_done(walk(&i, one_suppressed, cases[c].row, &err), &err);
        assert_done(kanon__csv_next(&i.csv, &has_row, &err), &err);
        snprintf(line, sizeof line, "%s\n", cases[c].row == 2 ? "*,*" : i.shown);
        kanon__cursor here = cursor_at(&i.csv);
        bool written = cases[c].row == 2 && !cases[c].keep;
        assert_int_equal(kanon__verifier_row(i.verifier, cases[c].row, &here, written ? line : NULL,
                                             written ? strlen(line) : 0, &err),
                         KANON_EINTERNAL);
        assert_holds(err.message, cases[c].message);
        end_inspection(&i);
    }
}

/* Each row once, and none before it is known what its group shows. */
static void rows_come_once_and_known(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    inspection i = inspect(KANON_NUMERIC_INTERVAL);
    snprintf(i.shown, sizeof i.shown, "[20..24],Work");
    assert_int_equal(walk(&i, inspected_groups, 1, &err), KANON_EINTERNAL);
    assert_holds(err.message, "not told");
    end_inspection(&i);
    i = inspect(KANON_NUMERIC_INTERVAL);
    assert_done(show(&i, KANON_NUMERIC_INTERVAL, 0, NULL, &err), &err);
    assert_done(walk(&i, inspected_groups, 2, &err), &err);
    kanon__csv_rewind(&i.csv);
    assert_int_equal(walk(&i, inspected_groups, 1, &err), KANON_EINTERNAL);
    assert_holds(err.message, "record 1 twice");
    assert_int_equal(finish(i.verifier, i.table, 2, &err), KANON_EINTERNAL);
    end_inspection(&i);
}

/* Two records with equal quasi cells, one line of the input: it came twice, or they changed places. */
static void rows_of_others_are_caught(void **state)
{
    static const int32_t group_of[] = {0, 0, 0};
    static const int orders[][3] = {{0, 1, 2}, {0, 0, 2}, {1, 1, 2}, {1, 0, 2}, {2, 1, 0}, {0, 2, 1}, {0, 1, 1}};
    static const char *const lines[] = {"20,\"f\nlu\"\n", "20,hiv\n", "20,\n"};
    (void)state;
    kanon_table *table = table_of("attributes: {age: {role: quasi}, ill: {role: insensitive}}\n",
                                  "age,ill\n20,\"f\nlu\"\n20,hiv\n20,\n\n");
    for (size_t c = 0; c < sizeof orders / sizeof *orders; c++)
        for (int turned = 0; turned < 2; turned++) {
            kanon_error err = KANON_INIT(kanon_error);
            kanon__verifier *v = NULL;
            kanon__csv csv;
            assert_done(kanon__verifier_new(&v, table, group_of, 1, KANON_NUMERIC_INTERVAL, false, &err), &err);
            assert_done(kanon__verifier_text(v, 0, 0, "20", 2, &err), &err);
            assert_done(kanon__csv_open(&csv, &as_csv(table)->input, &as_csv(table)->options, &err), &err);
            for (int i = 0; i < 3; i++) {
                bool has_row;
                int row = turned ? 2 - i : i, from = orders[c][row];
                kanon__csv_rewind(&csv);
                for (int j = 0; j <= from; j++)
                    assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
                kanon__cursor here = cursor_at(&csv);
                assert_done(kanon__verifier_row(v, row, &here, lines[from], strlen(lines[from]), &err), &err);
            }
            assert_int_equal(finish(v, table, 2, &err), c == 0 ? KANON_OK : KANON_EINTERNAL);
            if (c > 0)
                assert_holds(err.message, "under the numbers of others");
            kanon__csv_close(&csv);
            kanon__verifier_free(v);
        }
    kanon_table_free(table);
}

/* A row must fill the place that the cursor says it has, also where the bytes are not in memory; a place that is merely
 * moved is found in the end, since the rows around it do not meet it. */
static void rows_in_other_places_are_caught(void **state)
{
    static const int32_t group_of[] = {0, 0};
    static const struct {
        int begin, end;
        bool at_once;
    } cases[] = {{0, 0, false}, {1, 0, true}, {-1, 0, true}, {0, 1, true},  {0, -1, true},
                 {9, 0, true},  {0, 99, true}, {3, 3, false}, {-2, -2, false}};
    (void)state;
    kanon_table *table = table_of("attributes: {age: {role: quasi}, ill: {role: insensitive}}\n",
                                  "age,ill\n20,flu\n20,\"hiv\"\n");
    for (size_t c = 0; c < 2 * (sizeof cases / sizeof *cases); c++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__verifier *v = NULL;
        kanon__csv csv;
        bool has_row, in_memory = c % 2 == 0;
        int begin = cases[c / 2].begin, end = cases[c / 2].end;
        bool at_once = cases[c / 2].at_once || (in_memory && begin != 0);
        table->source->bytes = in_memory ? as_csv(table)->input.bytes : NULL; /* as of a large file */
        assert_done(kanon__verifier_new(&v, table, group_of, 1, KANON_NUMERIC_INTERVAL, false, &err), &err);
        assert_done(kanon__verifier_text(v, 0, 0, "20", 2, &err), &err);
        assert_done(kanon__csv_open(&csv, &as_csv(table)->input, &as_csv(table)->options, &err), &err);
        assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
        kanon__cursor first = cursor_at(&csv);
        first.begin += (size_t)begin;
        first.end += (size_t)end;
        kanon_status st = kanon__verifier_row(v, 0, &first, "20,flu\n", 7, &err);
        assert_int_equal(st, at_once ? KANON_EINTERNAL : KANON_OK);
        if (at_once)
            assert_holds(err.message, "record 1 in another place");
        assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
        kanon__cursor second = cursor_at(&csv);
        assert_done(kanon__verifier_row(v, 1, &second, "20,\"hiv\"\n", 9, &err), &err);
        st = finish(v, table, 2, &err);
        assert_int_equal(st, end == 0 ? KANON_OK : KANON_EINTERNAL);
        kanon__csv_close(&csv);
        kanon__verifier_free(v);
    }
    kanon_table_free(table);
}

/* Whichever byte of a line is changed, lost or added between making and writing it: the check sees what is written. */
static void corrupt_lines_are_caught(void **state)
{
    static const int32_t group_of[] = {0, 0, -1};
    static const char *const lines[] = {"[20..24],flu,\"a \"\"b\"\"\",Work,x\r\n", "[20..24],hiv,,Work,\"\"\r\n",
                                        "*,flu,c,*,y\r\n"};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_table *table = table_of(
        "privacy: {suppressed: keep}\n"
        "attributes:\n  name: {role: identifying}\n  age: {role: quasi}\n  ill: {role: sensitive}\n"
        "  note: {role: insensitive}\n  job: {role: quasi, taxonomy: {Work: {cook: , baker: }}}\n"
        "  more: {role: insensitive}\n",
        "age,name,ill,note,job,more\r\n20,Ann,flu,\"a \"\"b\"\"\",cook,x\r\n24,Bob,hiv,,baker,\"\"\r\n"
        "30,Cid,flu,c,cook,y\r\n");
    for (int row = 0; row < 3; row++)
        for (size_t at = 0; at <= strlen(lines[row]); at++)
            for (int change = 0; change < 4; change++) {
                kanon__verifier *v = NULL;
                kanon__csv csv;
                bool has_row;
                char line[100];
                size_t length = strlen(lines[row]);
                memcpy(line, lines[row], length + 1);
                if (change > 0 && change < 3 && at == length)
                    continue;
                if (change == 1)
                    line[at] ^= 1;
                if (change == 2)
                    memmove(line + at, line + at + 1, length-- - at);
                if (change == 3)
                    memmove(line + at + 1, line + at, length++ + 1 - at);
                if (change == 3)
                    line[at] = line[at] == ',' ? ';' : ',';
                assert_done(kanon__verifier_new(&v, table, group_of, 1, KANON_NUMERIC_INTERVAL, false, &err), &err);
                assert_int_equal(kanon__verifier_runs(v), 2);
                assert_done(kanon__verifier_text(v, 0, 0, "[20..24]", 8, &err), &err);
                assert_done(kanon__verifier_text(v, 0, 1, "Work", 4, &err), &err);
                assert_done(kanon__verifier_text(v, 1, 0, "*", 1, &err), &err);
                assert_done(kanon__verifier_text(v, 1, 1, "*", 1, &err), &err);
                assert_done(kanon__csv_open(&csv, &as_csv(table)->input, &as_csv(table)->options, &err), &err);
                for (int i = 0; i <= row; i++)
                    assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
                kanon__cursor here = cursor_at(&csv);
                kanon_status st = kanon__verifier_row(v, row, &here, line, length, &err);
                if (st != (change == 0 ? KANON_OK : KANON_EINTERNAL))
                    fail_msg("row %d, byte %zu, change %d", row, at, change);
                kanon__csv_close(&csv);
                kanon__verifier_free(v);
            }
    kanon_table_free(table);
}

/* The table's codes say something else than its cells: the release would follow the codes. */
static void wrong_codes_are_caught(void **state)
{
    (void)state;
    for (int column = 0; column < 2; column++) {
        kanon_error err = KANON_INIT(kanon_error);
        inspection i = inspect(KANON_NUMERIC_INTERVAL);
        kanon__codes codes = i.table->data.columns[column].codes;
        uint32_t swap = kanon__code_at(codes, 0);
        kanon__code_set(codes, 0,
                        kanon__code_at(codes, 1)); /* inside the group's extent, so that only the cell's own text can tell */
        kanon__code_set(codes, 1, swap);
        assert_done(show(&i, KANON_NUMERIC_INTERVAL, 0, NULL, &err), &err);
        assert_int_equal(walk(&i, inspected_groups, 3, &err), KANON_EINTERNAL);
        assert_holds(err.message, column == 0 ? "age" : "job");
        assert_holds(err.message, "record 1");
        end_inspection(&i);
    }
}

/* The same through the front door: nothing is published. */
static void nothing_wrong_is_published(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    place release = scratch("release.csv"), groups = scratch("groups.csv");
    (void)state;
    entries(scratch_directory, true);
    kanon_table *table = table_of("attributes: {age: {role: quasi}}\n", "age\n20\n24\n21\n");
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 1));
    kanon__code_set(table->data.columns[0].codes, 1, 0);
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text), .groups = KANON_TO_PATH(groups.text)};
    assert_int_equal(kanon_publish(table, grouping, &outputs, &err), KANON_EINTERNAL);
    assert_int_equal(entries(scratch_directory, false), 2); /* the schema and the table */
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static void wrong_groupings_are_caught(void **state)
{
    static const int32_t good[] = {0, 1, 0, 1, -1}, small[] = {0, 1, 0, -1, -1}, outside[] = {0, 1, 0, 1, 2},
                         empty[] = {0, 0, 0, 0, 0};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_table *table = table_of("attributes: {a: {role: quasi}}\n", "a\n1\n2\n3\n4\n5\n");
    assert_done(kanon__verify_grouping(&table->data, good, 2, 2, &err), &err);
    assert_int_equal(kanon__verify_grouping(&table->data, good, 2, 3, &err), KANON_EINTERNAL);
    assert_int_equal(kanon__verify_grouping(&table->data, small, 2, 2, &err), KANON_EINTERNAL);
    assert_int_equal(kanon__verify_grouping(&table->data, outside, 2, 1, &err), KANON_EINTERNAL);
    assert_int_equal(kanon__verify_grouping(&table->data, empty, 2, 1, &err), KANON_EINTERNAL);
    kanon_table_free(table);
}

/* ---- wishes that cannot be met ----------------------------------------------------------------------------------- */

static void outputs_must_not_meet(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    place release = scratch("release.csv"), input = scratch("t.csv");
    (void)state;
    kanon_table *table = ten_rows();
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 1, 1, 1, 1, 1, 1, 1, 1));
    char *before = read_text(input.text);
    unlink(release.text);
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text), .groups = KANON_TO_PATH(release.text)};
    assert_int_equal(kanon_publish(table, grouping, &outputs, &err), KANON_EINVAL);
    assert_false(exists(release.text));
    outputs = (kanon_outputs){.struct_size = sizeof outputs, .release = KANON_TO_PATH(input.text)};
    assert_int_equal(kanon_publish(table, grouping, &outputs, &err), KANON_EINVAL);
    assert_file(input.text, before);
    outputs = (kanon_outputs){
        .struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text), .numeric = (kanon_numeric)5};
    assert_int_equal(kanon_publish(table, grouping, &outputs, &err), KANON_EINVAL);
    assert_false(exists(release.text));
    free(before);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals),
        cmocka_unit_test(ranges),
        cmocka_unit_test(means),
        cmocka_unit_test(columns),
        cmocka_unit_test(suppressed_records_stay_out),
        cmocka_unit_test(kept_suppressed_records_are_stars),
        cmocka_unit_test(means_round_half_up),
        cmocka_unit_test(huge_numbers_are_released),
        cmocka_unit_test(form_of_the_input_is_kept),
        cmocka_unit_test(labels_are_quoted),
        cmocka_unit_test(identifying_columns_never_leave),
        cmocka_unit_test(column_names_may_clash),
        cmocka_unit_test(shuffle_is_a_permutation),
        cmocka_unit_test(groups_files_go_round),
        cmocka_unit_test(bad_groups_files),
        cmocka_unit_test(good_releases_pass),
        cmocka_unit_test(corrupt_cells_are_caught),
        cmocka_unit_test(corrupt_second_cells_are_caught),
        cmocka_unit_test(wrong_quotes_are_caught),
        cmocka_unit_test(labels_without_quotes_are_caught),
        cmocka_unit_test(nearly_equal_texts_are_told_apart),
        cmocka_unit_test(wrong_sizes_are_caught),
        cmocka_unit_test(rows_that_leave_are_known),
        cmocka_unit_test(rows_come_once_and_known),
        cmocka_unit_test(rows_of_others_are_caught),
        cmocka_unit_test(rows_in_other_places_are_caught),
        cmocka_unit_test(corrupt_lines_are_caught),
        cmocka_unit_test(wrong_codes_are_caught),
        cmocka_unit_test(nothing_wrong_is_published),
        cmocka_unit_test(wrong_groupings_are_caught),
        cmocka_unit_test(outputs_must_not_meet),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
